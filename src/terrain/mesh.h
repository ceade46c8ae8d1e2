/// The ground as a mesh of triangles for other programs: OBJ and glTF.
#ifndef GR_MESH_H
#define GR_MESH_H

#include "buffer.h"
#include "grouser/terrain.h"

/// Heights of a frame, NAN where there is none; triangles at such nodes are omitted.
typedef struct GrMeshGrid {
    GrGridFrame frame;
    const double *heights;
    GrVec3 origin; ///< subtracted from all points: viewers work in single precision
} GrMeshGrid;

/// Wavefront OBJ, z up, x east, y north.
GrStatus gr_mesh_write_obj(const GrMeshGrid *grid, GrBuffer *out);

/// glTF 2.0, binary (.glb), y up as the format requires: x east, y up, z south.
GrStatus gr_mesh_write_glb(const GrMeshGrid *grid, GrBuffer *out);

#endif
