/// The rover's bodies for the soil contact model: convex shapes that press the grid, and wheels that lie on their
/// sides.
#ifndef GR_SCM_SHAPES_H
#define GR_SCM_SHAPES_H

#include "model_data.h"

/// Fills m->scm_lying, and m->soil_shapes where bodies press the grid. m->scm_bodies, bodies and places must be set;
/// the limits of m->scm_bodies are raised to what a lying wheel needs.
GrStatus gr_scm_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, bool bodies, GrModel *m,
                             GrErrorLog *log);

#endif
