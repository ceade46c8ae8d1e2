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

#endif
