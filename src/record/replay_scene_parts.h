/// Internals of GrReplayScene: reading of chunks, and the ground from its windows.
#ifndef GR_REPLAY_SCENE_PARTS_H
#define GR_REPLAY_SCENE_PARTS_H

#include "json_read.h"
#include "replay_scene.h"

#include <stdint.h>

/// A place in the payload of a chunk. After a read beyond its end `failed` is set and everything reads as 0.
typedef struct GrScenePayload {
    const unsigned char *at, *end;
    bool failed;
} GrScenePayload;

uint64_t gr_payload_bytes(GrScenePayload *p, int size);
double gr_payload_number(GrScenePayload *p);
uint64_t gr_payload_varint(GrScenePayload *p);
int64_t gr_payload_signed(GrScenePayload *p); ///< zigzag varint

/// A chunk GRND.
typedef struct GrSceneWindow {
    double x, y, cell, z0, quantum;
    int nx, ny;
    int64_t *q; ///< [ny][nx]; 0: no ground
} GrSceneWindow;

/// A chunk SOIL.
typedef struct GrSceneSoils {
    double x, y, cell;
    int nx, ny;
    unsigned char *classes; ///< NULL: soil 0 everywhere
} GrSceneSoils;

/// A tile of ruts: what each stage added to its nodes [m].
typedef struct GrSceneTile {
    int ti, tj;
    float *rises;    ///< [stages][32][32], at least one stage
    unsigned active; ///< bit 4 v + u: block (u, v) of 8 x 8 cells is not as it was
} GrSceneTile;

/// What the ground is made of.
typedef struct GrSceneLand {
    GrSceneWindow *windows;
    int window_count;
    GrSceneSoils soils;
    double rut_cell, rut_quantum; ///< 0: no ruts
    GrSceneTile *tiles;           ///< in the order in which they came
    int tile_count, tile_capacity;
    int *table; ///< tiles by place, −1: empty; a power of two
    int table_size;
    int stages; ///< at least 1
} GrSceneLand;

/// Read the payloads of chunks. GR_ERROR_VALUE: damaged.
GrStatus gr_land_read_ground(GrSceneLand *land, GrScenePayload *p);
GrStatus gr_land_read_soils(GrSceneLand *land, GrScenePayload *p);
GrStatus gr_land_read_ruts(GrSceneLand *land, GrScenePayload *p, double end);

/// Meshes of ground and ruts. False when out of memory.
bool gr_land_mesh(GrSceneLand *land, int stages, GrReplayScene *scene);
void gr_land_free(GrSceneLand *land);

/// Pieces of a rover, rocks and fixed parts from the head and chunks.
typedef struct GrSceneSurfaces {
    GrSurfaceMesh *items; ///< of chunks MESH, by number
    int count;
} GrSceneSurfaces;

GrStatus gr_scene_read_mesh(GrSceneSurfaces *surfaces, GrScenePayload *p);
GrStatus gr_scene_read_rocks(GrReplayScene *scene, GrScenePayload *p, int loose);

/// Makes the nodes of the rover's bodies, and one for fixed parts.
GrStatus gr_scene_make_bodies(const GrJsonTree *tree, const GrSceneSurfaces *surfaces, GrReplayScene *scene);
GrStatus gr_scene_make_parts(const GrJsonTree *tree, GrReplayScene *scene);

/// NULL when out of memory.
GrSceneNode *gr_scene_add_node(GrReplayScene *scene, const char *name, int parent, GrPose pose);

/// Values of the head; what is missing or of another kind gives `other`, or 0.
double gr_head_number(const GrJsonTree *tree, const GrJsonNode *node, const char *key, double other);
const char *gr_head_text(const GrJsonTree *tree, const GrJsonNode *node, const char *key);
GrVec3 gr_head_vector(const GrJsonTree *tree, const GrJsonNode *node, const char *key);

#endif
