/// The keys `soil_mesh` and `side_mesh` of a wheel: its shape in soil of the law rft, and that of its side walls.
#ifndef GR_SOIL_MESH_H
#define GR_SOIL_MESH_H

#include "fields.h"

#include "grouser/rover.h"
#include "grouser/soil.h"

enum { GR_SOIL_MESHES = 8 };

/// Shapes of the files that were read last, since most wheels of a rover have the same one. Zero-initialise.
typedef struct GrSoilMeshes {
    struct {
        char *path;
        GrVec3 scale;
        GrWheelSurface *surface; ///< of `soil_mesh`; or NULL and
        GrSideWall *side;        ///< of `side_mesh`
    } files[GR_SOIL_MESHES];
    int count;
} GrSoilMeshes;

/// Reads `soil_mesh: FILE` or `soil_mesh: {file, scale}` into the surface of a wheel whose sizes are known, and into
/// what is drawn if the wheel has no mesh of its own for that.
void gr_read_soil_mesh(GrNode *node, GrSoilMeshes *meshes, GrWheelDef *wheel);

/// Reads `side_mesh: FILE` or `side_mesh: {file, scale}` likewise.
void gr_read_side_mesh(GrNode *node, GrSoilMeshes *meshes, GrWheelDef *wheel);

void gr_soil_meshes_free(GrSoilMeshes *meshes);

#endif
