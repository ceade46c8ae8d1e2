/// Vertices and triangles of a Wavefront OBJ file.
#ifndef GR_OBJ_FILE_H
#define GR_OBJ_FILE_H

#include "surface_mesh.h"

#include <stddef.h>

enum { GR_OBJ_POINTS = 100000, GR_OBJ_BYTES = 1 << 26, GR_MESH_TRIANGLES = 200000 };

/// Vertices ("v x y z", metres) and faces ("f a b c …", also a/t/n, numbers from the end when negative) of a text that
/// need not end with a zero; other lines are skipped. A face of more corners becomes a fan of triangles. A file without
/// faces gives a cloud of points. `file` is the name for messages. Free `out` with gr_surface_mesh_free(); after an
/// error it is empty.
GrStatus gr_obj_parse(const char *text, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log);

#endif
