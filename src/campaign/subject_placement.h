/// The subject `placement`: a lander that is put down on the ground.
///
///     run: {placement: {lander: kazachok_like, terrain: {file: gale.tif}}}
///
/// Variables are x_m, y_m, heading_deg, lander, and paths of the terrain. Measures are those of docs/landers.md.
#ifndef GR_SUBJECT_PLACEMENT_H
#define GR_SUBJECT_PLACEMENT_H

#include "placer.h"
#include "statistics.h"
#include "study.h"
#include "subject.h"

extern const GrSubjectKind gr_subject_placement;

/// A placer for the placements of a subject of this kind; NULL when out of memory.
GrPlacer *gr_subject_placer(void *subject);

/// A number of a placement by its name, such as "tilt_deg" or "front.slope_deg"; NAN where the lander does not stand.
/// False: there is no such number.
bool gr_placement_value(const GrLanderDef *lander, const GrLanderPlacement *placement, const char *name, double *out);

/// Writes the names of all numbers of a lander's placements; returns their count.
int gr_placement_names(const GrLanderDef *lander, char (*out)[GR_TERM_NAME], int capacity);

// Shares of runs within limits, with Wilson's 95 % intervals: how often a lander stands, a rover arrives.
//
// A run without a value of a measure (it tipped over, it left the map) is outside the limits of that measure.

typedef struct GrShares {
    const GrStudyTable *table;
    GrGoal goals[GR_CAMPAIGN_WISHES]; ///< GR_WISH_BELOW and GR_WISH_ABOVE
    int goal_count;
    int columns[GR_CAMPAIGN_WISHES]; ///< of the table
    int inside[GR_CAMPAIGN_WISHES];  ///< runs within each limit
    int all;                         ///< runs within all limits
    int succeeded;                   ///< runs that ended without failure
    int count;                       ///< runs
} GrShares;

void gr_shares_count(const GrStudyTable *table, const GrGoal *goals, int goal_count, GrShares *out);

/// How far run `row` is within limit `goal`, in units of the measure; negative: outside, NAN: it has no value.
double gr_shares_margin(const GrShares *shares, int row, int goal);

/// Whether a run is within all limits.
bool gr_shares_holds(const GrShares *shares, int row);

#endif
