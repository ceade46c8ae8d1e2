/// Shares of runs within limits, with Wilson's 95 % intervals: how often a lander stands, a rover arrives.
///
/// A run without a value of a measure (it tipped over, it left the map) is outside the limits of that measure.
#ifndef GR_SHARES_H
#define GR_SHARES_H

#include "statistics.h"
#include "study.h"

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

/// "tilt_deg below 20".
enum { GR_SHARES_TEXT = 220 };
void gr_shares_text(const GrShares *shares, int goal, char out[GR_SHARES_TEXT]);

#endif
