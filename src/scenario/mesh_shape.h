/// Shapes that are meshes of files, for YAML and URDF.
#ifndef GR_MESH_SHAPE_H
#define GR_MESH_SHAPE_H

#include "grouser/rover.h"

/// Makes `shape` the convex hull of an OBJ or STL file, its axes scaled, drawn with the file's triangles. Free it with
/// gr_shape_free(); after an error it owns nothing.
GrStatus gr_shape_read_mesh(const char *path, GrVec3 scale, GrShapeDef *shape, GrErrorLog *log);

#endif
