/// Internals of GrData.
#ifndef GR_DATA_H
#define GR_DATA_H

#include "contact_frame.h"
#include "contact_mode.h"
#include "furrow.h"
#include "grouser/drive.h"
#include "grouser/sim.h"
#include "model_data.h"
#include "rut_track.h"

/// Contact of a wheel with the ground, from the last evaluation.
typedef struct GrWheelContact {
    GrContactFrame frame; ///< world axes
    GrVec3 normal;        ///< of the ground
    GrVec3 anchor;        ///< wheel centre when settling began [m]
    GrVec3 point;         ///< point on the ground below the wheel [m]
    double depth;         ///< depth of its lowest point below the present soil surface [m]; negative above it
    double spread;        ///< largest difference of sinkage between neighbouring slices [m]
    double wheel_angle;   ///< [rad]
    double turned;        ///< normal velocity that it was evaluated with, less that at the start of the step [m/s]
    double rest_sinkage;  ///< while settling: sinkage for which the ground is found [m]
    double began[6];      ///< twist at the start of the step, contact frame; for forces of an instant
    GrSoilOutput soil;
    double flex;      ///< deflection of a flexible wheel on soil [m]
    double flex_rate; ///< [m/s]
    int soil_index;   ///< soil with the largest share
    double soil_rest; ///< share of the others, across a border of soils
    bool on_map;      ///< the ground was found
} GrWheelContact;

/// Sum of the rigid contacts of a driven body of the rigid world, from the last evaluation. Contacts with the rover's
/// own bodies are summed separately.
typedef struct GrBodyContact {
    GrVec3 force;  ///< world [N]
    GrVec3 point;  ///< sum of contact points weighted by their normal forces [N m]
    double normal; ///< sum of normal forces [N]
    int count;     ///< contact points
    int slipping;  ///< number of these that slip
} GrBodyContact;

/// Contact of a shape with the soil, from the last evaluation.
typedef struct GrSoilTouch {
    GrVec3 force; ///< world [N]
    GrVec3 point; ///< point on its line of action, world [m]
    int patches;  ///< of the contact; 0: it does not touch
} GrSoilTouch;

/// Pose at which a shape's clearance was last computed, and how far it may move before it can touch the ground.
typedef struct GrShapeClearance {
    GrMat3 axes;
    GrVec3 centre;
    double margin; ///< [m]; 0: compute it again
} GrShapeClearance;

/// A cell of the ruts.
typedef struct GrRutCell {
    int64_t i, j;
} GrRutCell;

/// Nodes under a wheel or a shape. Few of those that it could touch are ever touched, so that the list grows.
typedef struct GrScmList {
    void *block; ///< memory of GrScmNodes
    int count, capacity;
} GrScmList;

/// type, name, count (nw wheels, nk soils, ns doubles of soil state each, nh driven bodies of the rigid world, nt
/// wheels with a track, nf wheels that see the ground around them, nb shapes of bodies that press the soil, ng those in
/// soil of the law rft)
#define GR_WHEEL_DATA_FIELDS(X)                                                                                        \
    X(double, soil_state, nw *nk *ns)   /* committed soil states [wheel][soil]; commit */                              \
    X(double, soil_next, nw *nk *ns)    /* at the end of the evaluated step; contact */                                \
    X(unsigned, soil_used, nw)          /* bits: soils that are under a wheel; commit */                               \
    X(unsigned, soil_used_next, nw)     /* contact */                                                                  \
    X(GrModeLog, mode_log, nw)          /* contact states; commit */                                                   \
    X(GrWheelContact, contact, nw)      /* contact */                                                                  \
    X(GrBodyContact, rigid_contact, nh) /* rigid contact */                                                            \
    X(GrBodyContact, self_contact, nh)  /* the same with the rover's own bodies */                                     \
    X(GrScmMemory, scm_memory, nw)      /* of the wheels' contacts, law scm; commit */                                 \
    X(GrScmMemory, scm_body_memory, nb) /* of those of the shapes of bodies; commit */                                 \
    X(double, flex_rate, nw)            /* of flexible wheels on the law scm in the last step [m/s]; commit */         \
    X(GrSoilTouch, soil_touch, nb)      /* shapes of bodies in the soil; contact */                                    \
    X(double, grain_state, 6 * ng)      /* mobilised states of these shapes, law rft; commit */                        \
    X(double, grain_next, 6 * ng)       /* at the end of the evaluated step; contact */                                \
    X(GrScmLedger, scm_ledger, 1)       /* commit */                                                                   \
    X(GrVec3, outside, nv)              /* part of the bodies' wrenches that the caller added [N]; forces */           \
    X(GrRutTrack, rut_track, nt)        /* recent path of each wheel, not in the ruts yet; commit */                   \
    X(GrRutCell, healed_at, nw)         /* where wheels were when a grid behind them healed; commit */                 \
    X(GrFurrow, furrow, nf)             /* ground around wheels; commit */

/// Scratch without state between evaluations; neither copied nor saved.
#define GR_RIGID_CALL_FIELDS(X)                                                                                        \
    X(bool, rigid_near, nh)                                                                                            \
    X(GrPose, rigid_pose, nh)                                                                                          \
    X(GrTwist, rigid_twist, nh)                                                                                        \
    X(GrRigidLoad, rigid_load, nh)                                                                                     \
    X(GrRigidLoad, rigid_change, nh) /* of rigid_load, by a revision of the step */                                    \
    X(GrScmList, scm_old, nw)        /* nodes under the wheels, law scm; commit; copied and saved by the ground */     \
    X(GrScmList, scm_next, nw)       /* at the end of the evaluated step; contact */                                   \
    X(GrScmMemory, scm_next_memory, nw)                                                                                \
    X(GrScmPose, scm_pose, nw)                                                                                         \
    X(double, scm_dug, nw)                                                                                             \
    X(double, scm_lowered, nw)                                                                                         \
    X(GrUnhealedCircle, keeps, nw + nb)                                                                                \
    X(GrScmScratch *, scm_scratch, nw)                                                                                 \
    X(GrScmList, scm_body_old, nb) /* nodes under the shapes of bodies, the same */                                    \
    X(GrScmList, scm_body_next, nb)                                                                                    \
    X(GrScmMemory, scm_body_next_memory, nb)                                                                           \
    X(GrScmPose, scm_body_pose, nb)                                                                                    \
    X(GrVec3, soil_shape_anchor, nb)                                                                                   \
    X(GrShapeClearance, soil_clearance, nb)                                                                            \
    X(int, scm_body_soil, nb)                                                                                          \
    X(double, scm_body_dug, nb)                                                                                        \
    X(double, scm_body_lowered, nb)                                                                                    \
    X(GrScmScratch *, scm_body_scratch, nb)

/// A circle of nodes of a temporary grid that do not heal.
typedef struct GrUnhealedCircle {
    double u, v, radius; ///< [cells]
} GrUnhealedCircle;

/// Number of kinds of ground (grounds.c).
enum { GR_GROUND_KINDS = 7 };

/// Springs that replace the soil in the search for rest.
typedef struct GrRestSprings {
    double stiffness; ///< [N/m]; 0: the soil itself
    bool pulls;       ///< also a wheel above the ground, up to its radius
} GrRestSprings;

struct GrData {
    GrTreeData tree; ///< points into `memory`
#define GR_FIELD(type, name, count) type *name;
    GR_WHEEL_DATA_FIELDS(GR_FIELD)
    GR_RIGID_CALL_FIELDS(GR_FIELD)
#undef GR_FIELD
    GrRigidState *rigid;   ///< points into `memory`; NULL: nothing is rigid
    GrStatus rigid_status; ///< of the last evaluation
    GrRuts *ruts;          ///< changes of the ground by the wheels; NULL: the ground keeps none
    GrRuts *grid;    ///< soil of the law scm: `ruts` itself, or a temporary grid under the wheels, which heals behind
                     ///< them; NULL: no grid
    GrRuts *furrows; ///< heaps that wheels raise, a temporary grid under them; NULL: they do not count
    GrStatus ruts_status;  ///< of the last copy, and of memory for shapes that come near the grid
    GrScmWork *scm_work;   ///< shared by the wheels and shapes on a grid
    int scm_wheels;        ///< number of wheels with scratch memory
    int scm_shapes;        ///< number of bodies' shapes on a grid
    int scm_near;          ///< tiles that those shapes need in a step that have scratch memory
    void *memory;          ///< the flat allocation: first the state that is copied, saved and restored, then scratch
    size_t size;           ///< bytes of that state
    unsigned grounds;      ///< bits: kinds of ground that the model has, in the order in which they act (grounds.c)
    GrRestSprings bedding; ///< only in the search for rest
    bool rigid_ended;      ///< rigid_twist is that at the end of the step
    GrForceFn force;       ///< forces from outside; NULL: none
    void *force_context;
    GrReviseFn revise;       ///< of these forces; NULL: none
    struct GrSoilFlow *flow; ///< memory of the soil under the only wheel, which a host integrates; NULL: steps do
    GrIntegratorWork *work;  ///< memory of the integrator; has no state between steps
    const GrIntegratorRow *integrator;
};

/// Ruts that add to the height of the ground under wheels; NULL: none, or the ruts are the law's own grid.
static inline const GrRuts *gr_ruts_over_ground(const GrData *d)
{
    return d->ruts != d->grid ? d->ruts : NULL;
}

/// Centre of wheel i, relative to the origin of the chassis, world axes.
static inline GrVec3 gr_wheel_centre(const GrModel *m, const GrData *d, int i)
{
    const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
    return gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, m->wheels[i].centre));
}

/// Depth of the rim's lowest point in soil [m]: that of the rut. Patch laws count the deflection as sinkage; on a
/// grid the sinkage is that of the rim.
static inline double gr_wheel_depth(const GrData *d, int i)
{
    const double flex = d->grid != NULL ? 0 : d->contact[i].flex;
    return fmax(0, d->contact[i].soil.sinkage - flex);
}

// data_memory.c, in memory of the caller

/// Bytes of the state that is copied, saved and restored, and all that gr_data_place() needs.
size_t gr_data_state_size(const GrModel *m);
size_t gr_data_capacity(const GrModel *m);

/// Data in the caller's memory, aligned for any type, without the work of an integrator. Its state must then be reset
/// or set. False when out of memory for a ground.
bool gr_data_place(const GrModel *m, GrData *d, void *memory);

// data_memory.c, for steps that may be undone

/// Copies the state to `kept`, except ruts: for these, only what the next steps overwrite is saved. gr_data_return()
/// restores all of it.
GrStatus gr_data_mark(const GrModel *m, GrData *kept, GrData *d);
GrStatus gr_data_return(const GrModel *m, GrData *d, const GrData *kept);

/// Load of a joint, and what an accelerometer at its origin on the child measures (`felt` may be NULL), both in joint
/// axes. After gr_tree_inverse_dynamics() at the accelerations of the last evaluation.
GrJointLoad gr_joint_load_of(const GrModel *m, const GrTreeData *tree, int joint, GrVec3 *felt);

#endif
