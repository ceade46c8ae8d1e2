/// A surface of triangles, for display and, where it is closed, for mass properties.
#ifndef GR_SURFACE_MESH_H
#define GR_SURFACE_MESH_H

#include "buffer.h"
#include "convex_mesh.h"

#include <stdint.h>

/// Zero-initialise before use.
typedef struct GrSurfaceMesh {
    GrVec3 *vertices;
    int vertex_count, vertex_capacity;
    int (*triangles)[3]; ///< counter-clockwise seen from outside
    int triangle_count, triangle_capacity;
    bool failed; ///< an allocation failed; everything added since is missing
} GrSurfaceMesh;

/// Returns the vertex's index.
int gr_surface_mesh_vertex(GrSurfaceMesh *mesh, GrVec3 p);
void gr_surface_mesh_triangle(GrSurfaceMesh *mesh, int a, int b, int c);
void gr_surface_mesh_quad(GrSurfaceMesh *mesh, int a, int b, int c, int d);
void gr_surface_mesh_convex(GrSurfaceMesh *mesh, const GrConvexMesh *convex);
void gr_surface_mesh_free(GrSurfaceMesh *mesh);

/// A copy for drawing on the heap, scaled along its axes: equal vertices become one, and triangles without area are
/// left out. NULL when out of memory. Free it with gr_surface_mesh_delete().
GrSurfaceMesh *gr_surface_mesh_weld(const GrSurfaceMesh *mesh, GrVec3 scale);
void gr_surface_mesh_delete(GrSurfaceMesh *mesh);
bool gr_surface_mesh_equal(const GrSurfaceMesh *a, const GrSurfaceMesh *b);

/// Volume, centre of mass and inertia of the enclosed volume (divergence theorem, exact).
GrSolid gr_surface_mesh_solid(const GrSurfaceMesh *mesh);

/// Wavefront OBJ; numbers survive writing and reading exactly. `before`: vertices of objects before it in the file.
void gr_surface_mesh_obj(const GrSurfaceMesh *mesh, const char *name, int before, GrBuffer *out);

enum { GR_MESH_ID_SIZE = 40 };

/// Id of an asset: its kind and a hash (FNV-1a, 64 bits) of the text of its parameters.
void gr_asset_id(const char *kind, const char *parameters, char id[GR_MESH_ID_SIZE]);

#endif
