/// Shapes and rocks that are meshes of files, for YAML and URDF.
#ifndef GR_MESH_SHAPE_H
#define GR_MESH_SHAPE_H

#include "grouser/rover.h"
#include "grouser/scene.h"

#include "convex_parts.h"

/// Makes `shape` the convex hull of an OBJ or STL file, its axes scaled, drawn with the file's triangles. Free it with
/// gr_shape_free(); after an error it owns nothing.
GrStatus gr_shape_read_mesh(const char *path, GrVec3 scale, GrShapeDef *shape, GrErrorLog *log);

/// Takes over a shape that was read like that and adds it to `out` as convex parts; where `drawn`, with the whole mesh
/// as a shape that is only drawn.
GrStatus gr_shape_split(GrShapeDef *shape, const GrConvexPartsDef *def, bool drawn, GrBodyDef *out, GrErrorLog *log);

/// A file with rocks: each closed object is one, in world coordinates.
typedef struct GrRockMeshPlan {
    char file[1024]; ///< OBJ or STL; "": none
    double scale;    ///< metres per unit of the file
    GrConvexPartsDef parts;
} GrRockMeshPlan;

/// Rocks as convex parts of a scene.
typedef struct GrMeshRocks {
    GrPartDef *parts;
    int count;
} GrMeshRocks;

/// Reads the file and cuts its rocks into convex parts. Free with gr_mesh_rocks_free().
GrStatus gr_mesh_rocks_load(const GrRockMeshPlan *plan, GrMeshRocks *out, GrErrorLog *log);
void gr_mesh_rocks_free(GrMeshRocks *rocks);

/// Adds the rocks to a scene, which they must outlive. False: out of memory.
bool gr_mesh_rocks_add(const GrMeshRocks *rocks, GrSceneDef *scene);

#endif
