/// A convex polyhedron: vertices, and flat faces with their vertices in order.
#ifndef GR_CONVEX_MESH_H
#define GR_CONVEX_MESH_H

#include "arena.h"
#include "grouser/status.h"
#include "vec3.h"

typedef struct GrConvexMesh {
    GrVec3 *vertices;
    int vertex_count;
    GrVec3 *normals; ///< [face_count] unit, outward
    double *offsets; ///< [face_count] normal · (any vertex of the face)
    int *starts;     ///< [face_count + 1] into `loops`
    int *loops;      ///< vertices of each face, counter-clockwise seen from outside
    int face_count;
    GrVec3 centre; ///< mean of the vertices: an inner point
    double radius; ///< of the vertices about the origin of the mesh
    GrVec3 lower, upper;
} GrConvexMesh;

/// Volume, centre of mass and inertia of a solid of density 1.
typedef struct GrSolid {
    double volume;
    GrVec3 com;
    GrSym3 inertia; ///< about the centre of mass, mesh axes, per unit of density [m^5]
} GrSolid;

/// Sums over tetrahedra from a common point to the triangles of a closed surface.
typedef struct GrSolidSum {
    double volume;
    GrVec3 first;                  ///< ∫ x dV
    double xx, yy, zz, xy, xz, yz; ///< ∫ x² dV, …
} GrSolidSum;

/// Corners relative to the common point, counter-clockwise seen from outside.
void gr_solid_sum_add(GrSolidSum *sum, GrVec3 a, GrVec3 b, GrVec3 c);
GrSolid gr_solid_sum_end(const GrSolidSum *sum, GrVec3 common);

/// Convex hull of points by qhull; coplanar triangles become one face. NULL when the points span no volume or out of
/// memory. Vertices that are not on the hull are dropped; the others keep their order.
GrConvexMesh *gr_convex_mesh_create(const GrVec3 *points, int count, GrErrorLog *log);
void gr_convex_mesh_free(GrConvexMesh *mesh);

/// The memory that the mesh consists of.
void gr_convex_mesh_regions(const GrConvexMesh *mesh, GrRegionFn *take, void *context);

GrSolid gr_convex_mesh_solid(const GrConvexMesh *mesh);

/// Farthest vertex in a direction; the first of equals.
static inline int gr_convex_mesh_support(const GrConvexMesh *mesh, GrVec3 direction)
{
    int best = 0;
    double most = -INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double along = gr_dot(mesh->vertices[i], direction);
        if (along > most) {
            most = along;
            best = i;
        }
    }
    return best;
}

#endif
