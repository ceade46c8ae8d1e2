/// The subject `placement`: a lander that is put down on the ground.
///
///     run: {placement: {lander: kazachok_like, terrain: {file: gale.tif}}}
///
/// Variables are x_m, y_m, heading_deg, lander, and paths of the terrain. Measures are those of docs/landers.md.
#ifndef GR_SUBJECT_PLACEMENT_H
#define GR_SUBJECT_PLACEMENT_H

#include "placer.h"
#include "subject.h"

extern const GrSubjectKind gr_subject_placement;

/// A placer for the placements of a subject of this kind; NULL when out of memory.
GrPlacer *gr_subject_placer(void *subject);

/// A number of a placement by its name, such as "tilt_deg" or "front.slope_deg"; NAN where the lander does not stand.
/// False: there is no such number.
bool gr_placement_value(const GrLanderDef *lander, const GrLanderPlacement *placement, const char *name, double *out);

/// Writes the names of all numbers of a lander's placements; returns their count.
int gr_placement_names(const GrLanderDef *lander, char (*out)[GR_TERM_NAME], int capacity);

#endif
