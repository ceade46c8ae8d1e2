/// The rover's bodies for soil of the law rft: surfaces of triangles that press the ground.
#ifndef GR_GRAIN_SHAPES_H
#define GR_GRAIN_SHAPES_H

#include "model_data.h"

/// Fills m->soil_shapes and m->rft_bodies, and m->rft_soils: the shapes of all bodies, then a cylinder for each wheel,
/// for those that lie on their sides. Bodies, wheels and places must be set. Does nothing unless all
/// soils have that law: elsewhere the ground under bodies is rigid or none.
GrStatus gr_grain_shapes_build(const GrRoverDef *rover, const GrSoilDef *soils, int soil_count, GrModel *m,
                               GrErrorLog *log);

#endif
