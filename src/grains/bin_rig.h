/// Tests in a bed of grains: a plate or cone that is pushed, an annulus that is loaded and turned, a wheel that drives
/// under a load with a slip.
///
///     GrBinRigDef def = gr_default_bin_rig_def(GR_BIN_RIG_WHEEL);
///     GrBinRig *rig = NULL;
///     gr_bin_rig_create(&def, bin, &rig, log);
///     while (!rig->done) {
///         gr_bin_rig_step(rig, log);
///     }
///     GrBinRigAnswer answer = gr_bin_rig_answer(rig);
///     gr_bin_rig_free(rig);
#ifndef GR_BIN_RIG_H
#define GR_BIN_RIG_H

#include "bed.h"
#include "wheel_mesh.h"

#define GR_BIN_RIG_KIND_LIST(X)                                                                                        \
    X(GR_BIN_RIG_PLATE, plate)                                                                                         \
    X(GR_BIN_RIG_CONE, cone)                                                                                           \
    X(GR_BIN_RIG_SHEAR, shear)                                                                                         \
    X(GR_BIN_RIG_WHEEL, wheel)

typedef enum GrBinRigKind {
#define X(id, name) id,
    GR_BIN_RIG_KIND_LIST(X)
#undef X
} GrBinRigKind;

enum { GR_BIN_RIG_SAMPLES = 512 };

/// Of a mesh that takes the place of a plate or wheel; hash 0: none. gr_bin_rig_fit_mesh() fills it.
typedef struct GrBinRigShape {
    uint64_t hash;        ///< of its triangles, so that a snapshot goes on with the same
    double length, width; ///< along x and y [m]
    double area;          ///< of its plan [m²]: of the faces that look down
} GrBinRigShape;

/// Start from gr_default_bin_rig_def().
typedef struct GrBinRigDef {
    GrBinRigKind kind;
    GrBinRigShape shape;
    double speed;    ///< downwards, along the mean radius of the annulus, or of the wheel's rim [m/s] > 0
    double travel;   ///< depth, arc along the mean radius, or distance [m] > 0
    double diameter; ///< plate, cone's base, annulus outside [m] > 0
    double inner;    ///< annulus: diameter inside [m]
    double angle;    ///< cone: between its axis and its side [rad]
    int vanes;       ///< annulus: number of blades below it
    double vane;     ///< and their height [m]
    double load;     ///< downwards [N] > 0; plate, cone: 0 for those that move at `speed` (default)
    GrWheelMeshDef wheel;
    double slip;              ///< [−1, 1]: 1 − v/(ω R), braked ω R/v − 1; −1: locked
    double slip_angle;        ///< atan(v_y/v_x) in the wheel's frame [rad]
    double friction, rolling; ///< of the body's surface; negative: those of the grains with walls
} GrBinRigDef;

GrBinRigDef gr_default_bin_rig_def(GrBinRigKind kind);
const char *gr_bin_rig_name(GrBinRigKind kind);

/// Means over a part of the travel. Forces act on the body; of wheels in the wheel's frame.
typedef struct GrBinRigSample {
    double time, travel, sinkage;
    GrVec3 force, moment;
} GrBinRigSample;

/// What a snapshot keeps besides the grains.
typedef struct GrBinRigState {
    GrBinRigDef def;
    GrBinBody body;
    int32_t phase; ///< 0: lowered; 1: under way
    int32_t done;
    double surface; ///< mean height before the test [m]
    double rest;    ///< time for which a load has been carried [s]
    double began, travel, turned;
    double sum_time;
    GrVec3 sum_force, sum_moment;
    int32_t sample_count, none;
    GrBinRigSample samples[GR_BIN_RIG_SAMPLES];
} GrBinRigState;

typedef struct GrBinRig {
    GrBin *bin; ///< the caller's
    GrBinRigState state;
    int body;
} GrBinRig;

/// Makes a mesh the plate or wheel of a test. Plate: scaled, the middle of its plan at x = y = 0, its lowest point at
/// z = 0; `diameter` becomes that of a circle of its plan. Wheel: scaled; its axle is y through the origin, its radius
/// `radius`, or with 0 that of its farthest point, its width that of the mesh.
GrStatus gr_bin_rig_fit_mesh(GrSurfaceMesh *mesh, double scale, double radius, GrBinRigDef *def, GrErrorLog *log);

/// The body is placed above the bed; a wheel at its start near low x. `mesh`: that of def->shape, or NULL.
GrStatus gr_bin_rig_create(const GrBinRigDef *def, const GrSurfaceMesh *mesh, GrBin *bin, GrBinRig **rig,
                           GrErrorLog *log);
/// Goes on from a snapshot.
GrStatus gr_bin_rig_load(const char *path, const GrSurfaceMesh *mesh, GrBinWork work, GrBin **bin, GrBinRig **rig,
                         GrErrorLog *log);
GrStatus gr_bin_rig_save(const GrBinRig *rig, const char *path, GrErrorLog *log);
void gr_bin_rig_free(GrBinRig *rig);

GrStatus gr_bin_rig_step(GrBinRig *rig, GrErrorLog *log);
/// Part of the test that is done, 0 .. 1.
double gr_bin_rig_progress(const GrBinRig *rig);

typedef struct GrBinRigAnswer {
    double pressure;   ///< plate, cone: at the end [Pa]; annulus: of the load
    double sinkage;    ///< at the end; wheel: mean of the second half [m]
    double pull, side; ///< wheel: means of the second half [N]; side against the side slip of a positive slip angle
    double torque;     ///< about the axis [N m]
    double shear;      ///< annulus: largest stress [Pa]
    double pull_error, sinkage_error, torque_error; ///< standard errors of the means, from four parts of the travel
} GrBinRigAnswer;

GrBinRigAnswer gr_bin_rig_answer(const GrBinRig *rig);
/// Heights of a wheel's track over the surface before the test, along the middle half of its width and folded at the
/// pitch of its grousers; NAN where the wheel has not left a pitch of it. Without grousers: all three are the mean.
typedef struct GrBinTrace {
    double trough, crest, mean; ///< [m]
    double length;              ///< of the track that was measured [m]
} GrBinTrace;

GrStatus gr_bin_rig_trace(const GrBinRig *rig, GrBinTrace *out, GrErrorLog *log);

/// Of the part that presses on the soil [m²].
double gr_bin_rig_area(const GrBinRigDef *def);

/// A body of revolution about z: the profile (radius, height) from below, outwards, then up; closed on the axis.
void gr_mesh_lathe(GrSurfaceMesh *mesh, const double (*profile)[2], int count, int segments);

// Slope of a heap: grains behind a wall that draws back slowly, so that they slide without running.

/// Start from gr_default_repose_def().
typedef struct GrReposeDef {
    GrBedDef bed; ///< with walls along x, and filled up to the one that draws back
    double speed; ///< of that wall [m/s] > 0
} GrReposeDef;

GrReposeDef gr_default_repose_def(const GrBedDef *bed);

typedef struct GrReposeAnswer {
    double angle, error; ///< [rad]: of the surface's middle part, and its standard error over strips
    double height, foot; ///< of the heap and of its farthest grains along x [m]
} GrReposeAnswer;

GrStatus gr_repose_run(const GrReposeDef *def, const GrBedWatch *watch, GrBin **bin, GrReposeAnswer *answer,
                       GrErrorLog *log);

#endif
