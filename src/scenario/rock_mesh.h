/// Rocks of a mesh file, fixed in the ground: `terrain.rocks.mesh`.
#ifndef GR_ROCK_MESH_H
#define GR_ROCK_MESH_H

#include "convex_parts.h"
#include "grouser/scene.h"

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
