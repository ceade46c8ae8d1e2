/// Convex parts of a mesh that is not convex: a lander's frame, a wheel with spokes, a boulder with a hollow.
///
/// Each closed object of the mesh (triangles that share corners) is cut by planes across its axes, always the part
/// whose convex hull adds most volume, where the hulls of both sides add least; as V-HACD does (Mamou & Ghorbel 2009),
/// but on the triangles themselves instead of on voxels. Parts are cells of boxes, so that their hulls do not overlap,
/// and the volume that they add is known exactly.
///
/// No library: Debian 12 has V-HACD and CoACD in no package. CGAL's convex_decomposition_3 is exact, which makes
/// thousands of parts of a curved surface, and is under the GPL; Bullet's ConvexDecomposition (2006) gives no bound of
/// its error.
#ifndef GR_CONVEX_PARTS_H
#define GR_CONVEX_PARTS_H

#include "surface_mesh.h"

/// Start from gr_default_convex_parts_def().
typedef struct GrConvexPartsDef {
    int most; ///< parts of one object; 1 … 1000, default 16
    double
        error; ///< cut until the parts of an object have at most this share of its volume too much; 0 … 1, default 0.05
} GrConvexPartsDef;

GrConvexPartsDef gr_default_convex_parts_def(void);

typedef struct GrConvexPart {
    GrConvexMesh *hull;
    int object; ///< from 0
} GrConvexPart;

typedef struct GrConvexParts {
    GrConvexPart *parts;
    int count;
    int objects;
    double volume;   ///< of the objects [m³]
    double hulls;    ///< of the parts [m³]
    double worst;    ///< largest share of an object's volume that its parts have too much
    double distance; ///< largest distance found of a point in a part from its object [m]
    int samples;     ///< points in the parts and on their faces where `distance` was measured
} GrConvexParts;

/// Every corner must be that of all its triangles (gr_surface_mesh_weld()). An open surface, or one that is inside out,
/// is an error. The same mesh gives the same bytes. Free with gr_convex_parts_free().
GrStatus gr_convex_parts_make(const GrSurfaceMesh *mesh, const GrConvexPartsDef *def, GrConvexParts *out,
                              GrErrorLog *log);
void gr_convex_parts_free(GrConvexParts *parts);

#endif
