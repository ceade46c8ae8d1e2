/// Mesh files: Wavefront OBJ, or STL as text or binary.
#ifndef GR_MESH_FILE_H
#define GR_MESH_FILE_H

#include "surface_mesh.h"

#include <stddef.h>

/// The triangles of an STL, text or binary; shared corners are repeated. `file` is the name for messages. Free `out`
/// with gr_surface_mesh_free(); after an error it is empty.
GrStatus gr_stl_parse(const char *bytes, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log);

/// Reads a file, of a format by its suffix: .obj or .stl. An OBJ file without faces has no triangles.
GrStatus gr_mesh_file_read(const char *path, GrSurfaceMesh *out, GrErrorLog *log);

// Vertices and triangles of a Wavefront OBJ file.

enum { GR_OBJ_POINTS = 100000, GR_OBJ_BYTES = 1 << 26, GR_MESH_TRIANGLES = 200000 };

/// Vertices ("v x y z", metres) and faces ("f a b c …", also a/t/n, numbers from the end when negative) of a text that
/// need not end with a zero; other lines are skipped. A face of more corners becomes a fan of triangles. A file without
/// faces gives a cloud of points. `file` is the name for messages. Free `out` with gr_surface_mesh_free(); after an
/// error it is empty.
GrStatus gr_obj_parse(const char *text, size_t length, const char *file, GrSurfaceMesh *out, GrErrorLog *log);

#endif
