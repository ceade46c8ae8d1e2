/// The rover's bodies as SCM sees them: convex shapes that press the grid, and wheels that lie on their sides.
#ifndef GR_SCM_SHAPES_H
#define GR_SCM_SHAPES_H

#include "model_data.h"

/// Fills m->scm_lying, and m->scm_shapes where bodies press the grid. `m` has its wheels on it (m->scm_bodies, whose
/// limits are raised to what a lying wheel needs), its bodies and its places already.
GrStatus gr_scm_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, bool bodies, GrModel *m,
                             GrErrorLog *log);

#endif
