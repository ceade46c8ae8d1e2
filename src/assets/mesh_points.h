/// Vertices of a mesh file: Wavefront OBJ, or STL as text or binary.
#ifndef GR_MESH_POINTS_H
#define GR_MESH_POINTS_H

#include "grouser/status.h"
#include "grouser/vec.h"

#include <stddef.h>

enum { GR_STL_POINTS = 600000 };

/// All corners of the triangles of an STL, text or binary; shared corners are repeated. `file` is the name for
/// messages. Free `points` with gr_free(); after an error it is NULL.
GrStatus gr_stl_parse(const char *bytes, size_t length, const char *file, GrVec3 **points, int *count, GrErrorLog *log);

/// Reads the vertices of a file, chosen by its suffix: .obj or .stl.
GrStatus gr_mesh_points_read(const char *path, GrVec3 **points, int *count, GrErrorLog *log);

#endif
