/// A field of rocks as one mesh file.
#ifndef GR_ROCK_FIELD_MESH_H
#define GR_ROCK_FIELD_MESH_H

#include "grouser/assets.h"
#include "grouser/scene.h"
#include "raster.h"

/// The names of GrStoneShape, in its order; NULL at the end.
extern const char *const gr_stone_shape_names[];

/// Writes the rocks as objects of an OBJ file, each with its highest point at its height above the ground of `frame`
/// and `source`, as scenarios place them.
GrStatus gr_rock_field_mesh_write(const char *path, const GrRockField *field, const GrRockFieldUse *use,
                                  const GrGridFrame *frame, GrSource source, GrErrorLog *log);

#endif
