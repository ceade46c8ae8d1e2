/// A closed surface of triangles that planes cut into pieces, each of them closed again.
///
/// A cut adds caps: for each edge p → q that the plane leaves, the triangle from a point of the plane to q and p. Caps
/// overlap where the section is not convex, but their signed areas add up to the section, so that volumes and winding
/// numbers are exact. Corners of caps besides those of edges mean nothing.
#ifndef GR_CUT_MESH_H
#define GR_CUT_MESH_H

#include "vec3.h"

#include <stdbool.h>

typedef struct GrCutTriangle {
    GrVec3 p[3]; ///< counter-clockwise seen from outside
    bool cap;    ///< from a cut, not from the surface
} GrCutTriangle;

/// Zero-initialise before use.
typedef struct GrCutMesh {
    GrCutTriangle *items;
    int count, capacity;
    bool failed; ///< out of memory; what was added since is missing
} GrCutMesh;

void gr_cut_mesh_add(GrCutMesh *mesh, GrVec3 a, GrVec3 b, GrVec3 c, bool cap);
void gr_cut_mesh_free(GrCutMesh *mesh);

/// Cuts at the plane where coordinate `axis` (0 … 2) is `at`, into meshes that are emptied first.
void gr_cut_mesh_split(const GrCutMesh *mesh, int axis, double at, GrCutMesh *below, GrCutMesh *above);

double gr_cut_mesh_volume(const GrCutMesh *mesh);

/// Whether the surface encloses a point: its winding number is above one half.
bool gr_cut_mesh_holds(const GrCutMesh *mesh, GrVec3 p);

/// Distance to the nearest triangle that is not a cap; infinity if there is none.
double gr_cut_mesh_distance(const GrCutMesh *mesh, GrVec3 p);

static inline double gr_coordinate(GrVec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

#endif
