/// A recorded run as meshes that move, for files of other programs (run_scene.h). Read from replay.bin
/// (docs/replay.md).
///
/// Coordinates are metres with x east, y north, z up, less `origin`, so that they survive as float.
#ifndef GR_REPLAY_SCENE_H
#define GR_REPLAY_SCENE_H

#include "grouser/status.h"
#include "grouser/terrain.h"
#include "surface_mesh.h"

typedef enum GrPaint {
    GR_PAINT_CHASSIS,
    GR_PAINT_LINK,
    GR_PAINT_WHEEL,
    GR_PAINT_ROCK,
    GR_PAINT_PART,
    GR_PAINT_GROUND,
    GR_PAINT_COUNT
} GrPaint;

/// Name and colour (linear, 0 .. 1) of a paint.
typedef struct GrPaintRow {
    const char *name;
    double color[3];
    double roughness, metallic;
} GrPaintRow;
extern const GrPaintRow gr_paints[GR_PAINT_COUNT];

/// A rigid piece of a node, in its frame.
typedef struct GrScenePiece {
    GrSurfaceMesh mesh;
    GrPaint paint;
} GrScenePiece;

enum { GR_SCENE_NAME = 80 };

/// Something with a pose: a body of the rover, or a rock.
typedef struct GrSceneNode {
    char name[GR_SCENE_NAME];
    int parent;    ///< node; −1: the world
    GrPose pose;   ///< in the parent, at the start
    GrPose *poses; ///< [samples]; NULL: it does not move in its parent
    GrScenePiece *pieces;
    int piece_count;
} GrSceneNode;

/// Ground, or what wheels made of it: vertices with their upward normals.
typedef struct GrSceneGround {
    GrSurfaceMesh mesh;
    GrVec3 *normals; ///< [vertices]
    int *soils;      ///< [vertices]: class of soil, −1: none
    int capacity;    ///< of `normals` and `soils`
    /// Ruts only: part of the height that belongs to a stage, [stages][vertices], and the normals without that part.
    double **rises;
    GrVec3 **bare;
} GrSceneGround;

enum { GR_SCENE_STAGES_MAX = 64 };

typedef struct GrReplayScene {
    char name[GR_SCENE_NAME];
    GrVec3 origin;
    double gravity;
    double *times; ///< [s], increasing, from 0
    int sample_count;
    GrSceneNode *nodes; ///< parents before their children
    int node_count;
    int body_count; ///< the first of the nodes
    GrSceneGround ground, ruts;
    int stage_count; ///< equal parts of the run, in each of which ruts grow by a stage; 0: they are those of the end
    GrQuat *sun;     ///< [samples]: turns −z to where light goes; one element where `sun_moves` is false
    bool sun_moves;
    GrBox2 drive;        ///< of the chassis, without `origin`
    double lowest, size; ///< of the chassis [m]; radius of the rover around it
} GrReplayScene;

/// `data`: a replay that gr_replay_read() has checked. `stages`: 0 .. GR_SCENE_STAGES_MAX; 0: ruts as at the end.
/// `file` is the name for messages.
GrStatus gr_replay_scene_read(const char *file, const char *data, size_t size, int stages, GrReplayScene *out,
                              GrErrorLog *log);
void gr_replay_scene_free(GrReplayScene *scene);

/// Colour of the ground (linear, 0 .. 1): grey, reddish with the gravity of Mars, in shades by class of soil. −1: rock.
void gr_replay_scene_ground_color(const GrReplayScene *scene, int soil, double color[3]);

/// End of the run [s].
double gr_replay_scene_end(const GrReplayScene *scene);

/// A camera that sees the whole drive: pose with −z as its line of sight and y up, by an angle of view of 45° in
/// height.
GrPose gr_replay_scene_overview(const GrReplayScene *scene);

/// The same behind and above the rover, relative to the place of its chassis.
GrPose gr_replay_scene_chase(const GrReplayScene *scene);

/// Corners of a mesh with normals: smooth over edges that bend by less than 40°, sharp over others.
///
/// `corners` and `normals`: [3 · triangles]. Returns how many there are, without triangles that have no area; −1: out
/// of memory.
int gr_scene_corners(const GrSurfaceMesh *mesh, GrVec3 *corners, GrVec3 *normals);

#endif
