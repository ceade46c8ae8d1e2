/// GrData from the inside.
#ifndef GR_DATA_H
#define GR_DATA_H

#include "contact_frame.h"
#include "contact_mode.h"
#include "grouser/drive.h"
#include "grouser/sim.h"
#include "model.h"
#include "rut_track.h"

/// A wheel on the ground, as the last evaluation found it.
typedef struct GrWheelContact {
    GrContactFrame frame; ///< world axes
    GrVec3 normal;        ///< of the ground
    GrVec3 anchor;        ///< wheel centre when settling began [m]
    GrVec3 point;         ///< on the ground, below the wheel [m]
    double depth;         ///< of its lowest point below soft ground at the instant [m], negative above it
    double wheel_angle;   ///< [rad]
    double rest_sinkage;  ///< while settling: with which the ground is looked for [m]
    double began[6];      ///< twist where the step began, contact frame, of integrators that ask for instants
    GrSoilOutput soil;
    double flex;      ///< deflection of a flexible wheel on soil [m]
    double flex_rate; ///< [m/s]
    int soil_index;   ///< of the largest share
    bool on_map;      ///< the ground was found
} GrWheelContact;

/// What hard things do to a driven body of the rigid world, as the last evaluation found it. Contacts with the rover's
/// own bodies are counted for themselves.
typedef struct GrHardContact {
    GrVec3 force;  ///< world [N]
    GrVec3 point;  ///< sum of points weighed by their normal forces [N m]
    double normal; ///< sum of normal forces [N]
    int count;     ///< contact points
    int slipping;  ///< those of them that slip
} GrHardContact;

/// A shape on a grid that gives way, as the last evaluation found it.
typedef struct GrScmTouch {
    GrVec3 force; ///< world [N]
    GrVec3 point; ///< of its line of action, world [m]
    int patches;  ///< of the contact; 0: it does not touch
} GrScmTouch;

/// Where a shape was last looked at, and how far it may move until it can touch the ground.
typedef struct GrScmSeen {
    GrMat3 axes;
    GrVec3 centre;
    double margin; ///< [m]; 0: look again
} GrScmSeen;

/// A cell of the ruts.
typedef struct GrRutCell {
    int64_t i, j;
} GrRutCell;

/// type, name, count (nw wheels, nk soils, ns doubles of soil state each, nh driven bodies of the rigid world, nn nodes
/// that a wheel on the law scm can touch, nx those that any wheel on a grid can, nt wheels with a track, nb shapes of
/// bodies on a grid)
#define GR_WHEEL_DATA_FIELDS(X)                                                                                        \
    X(double, soil_state, nw *nk *ns)        /* committed soil states [wheel][soil]; commit */                         \
    X(double, soil_next, nw *nk *ns)         /* at the end of the evaluated step; contact */                           \
    X(unsigned, soil_used, nw)               /* bits: soils that are under a wheel; commit */                          \
    X(unsigned, soil_used_next, nw)          /* contact */                                                             \
    X(GrModeLog, mode_log, nw)               /* contact states; commit */                                              \
    X(GrWheelContact, contact, nw)           /* contact */                                                             \
    X(GrHardContact, hard_contact, nh)       /* rigid contact */                                                       \
    X(GrHardContact, self_contact, nh)       /* the same with the rover's own bodies */                                \
    X(GrScmNode, scm_old, nw *nn)            /* nodes under the wheels, law scm; commit */                             \
    X(int, scm_count, nw)                    /* of them; commit */                                                     \
    X(int, scm_body_count, nb)               /* nodes under the shapes of bodies; commit */                            \
    X(GrScmTouch, scm_touch, nb)             /* shapes of bodies on the grid; contact */                               \
    X(GrScmLedger, scm_ledger, 1)            /* commit */                                                              \
    X(GrRutTrack, rut_track, nt)             /* what wheels are still too close to, ruts that are no grid's; commit */ \
    X(GrRutCell, healed_at, nn > 0 ? nw : 0) /* where wheels were when the soil behind them healed; commit */

/// Nodes under the shapes of bodies, of which most are never used: copied as far as the counts say (np nodes).
#define GR_POOL_DATA_FIELDS(X) X(GrScmNode, scm_body_old, np)

/// Carries nothing between evaluations; neither copied nor saved.
#define GR_HARD_WORK_FIELDS(X)                                                                                         \
    X(bool, hard_near, nh)                                                                                             \
    X(GrPose, hard_pose, nh)                                                                                           \
    X(GrTwist, hard_twist, nh)                                                                                         \
    X(GrRigidLoad, hard_load, nh)                                                                                      \
    X(GrRigidLoad, hard_change, nh) /* of hard_load, by a revision of the step */                                      \
    X(GrScmNode, scm_next, nw *nx)                                                                                     \
    X(int, scm_next_count, nw)                                                                                         \
    X(GrScmPose, scm_pose, nw)                                                                                         \
    X(double, scm_dug, nw)                                                                                             \
    X(double, scm_lowered, nw)                                                                                         \
    X(GrScmScratch *, scm_scratch, nw)                                                                                 \
    X(GrScmNode, scm_body_next, np)                                                                                    \
    X(int, scm_body_next_count, nb)                                                                                    \
    X(GrScmPose, scm_body_pose, nb)                                                                                    \
    X(GrVec3, scm_body_anchor, nb)                                                                                     \
    X(GrScmSeen, scm_seen, nb)                                                                                         \
    X(int, scm_body_soil, nb)                                                                                          \
    X(double, scm_body_dug, nb)                                                                                        \
    X(double, scm_body_lowered, nb)                                                                                    \
    X(GrScmScratch *, scm_body_scratch, nb)

struct GrData {
    GrTreeData tree; ///< points into `memory`
#define GR_FIELD(type, name, count) type *name;
    GR_WHEEL_DATA_FIELDS(GR_FIELD)
    GR_POOL_DATA_FIELDS(GR_FIELD)
    GR_HARD_WORK_FIELDS(GR_FIELD)
#undef GR_FIELD
    GrRigidState *rigid;   ///< points into `memory`; NULL: nothing is hard
    GrStatus rigid_status; ///< of the last evaluation
    GrRuts *ruts;          ///< what the wheels have done to the ground; NULL: they leave it as it is
    GrRuts *patch;         ///< law scm without ruts of its own: the soil under the wheels, which heals; NULL: none
    GrStatus ruts_status;  ///< of the last copy
    int scm_wheels;        ///< that have scratch
    int scm_shapes;        ///< of bodies, that have scratch
    void *memory;          ///< the flat allocation: everything that copy, save and restore carry, then scratch
    size_t size;           ///< bytes of what they carry
    size_t plain;          ///< the first of them, without the pool
    bool settling;         ///< contact holds by displacement instead of velocity
    bool arrived;          ///< the wheels are where they are at the end of the step, not at its beginning
    bool hard_ended;       ///< hard_twist holds the twists at the end of the step
    GrForceFn force;       ///< forces from outside; NULL: none
    void *force_context;
    GrIntegratorWork *work; ///< memory of the integrator; carries nothing between steps
    const GrIntegrator *integrator;
};

/// A cycle of control: what the motors should be told now (gr_drive() tells them at once).
void gr_drive_decide(const GrModel *m, const GrData *d, const GrControl *c, GrControlState *state,
                     GrControlOutput *out);

/// frame -> contact, soil_next, wrench and slope of the wheels' bodies. Pure but for its results.
void gr_contact_evaluate(const GrModel *m, GrData *d, double dt);

/// While the rover settles, wheels hold by the shear that their displacement since now mobilises; the end commits it.
void gr_contact_begin_settling(const GrModel *m, GrData *d);
void gr_contact_end_settling(const GrModel *m, GrData *d);

/// Has the wheels look for the ground with the sinkage that they have found. Whether that may change it.
bool gr_contact_refine_settling(const GrModel *m, GrData *d);

/// Carries the soil and what is hard on over dt, with wheels and bodies where and as fast as they are at its end: after
/// an integrator that asked for forces of instants alone.
void gr_contact_follow(const GrModel *m, GrData *d, double dt);

// contact_events.c, for integrators with root finding

/// Numbers that change their sign where a contact begins or ends, or sticks or slips, as the last evaluation found it.
int gr_contact_event_count(const GrModel *m, const GrData *d);
void gr_contact_events(const GrModel *m, const GrData *d, double *values);

/// Accepts a step of dt: the soil under the wheels and what is hard are now as evaluated.
GrStatus gr_contact_commit(const GrModel *m, GrData *d, double dt);

// scm_contact.c, for models whose soil is a grid

/// False when memory is out; what there is then is freed by gr_scm_contact_free().
bool gr_scm_contact_create(const GrModel *m, GrData *d);
void gr_scm_contact_free(GrData *d);

/// pose (with the axle in axes' second column) -> contact, scm_next, wrench and slope of the wheel's body. Pure but for
/// its results.
void gr_scm_contact_evaluate(const GrModel *m, GrData *d, int wheel, const GrScmPose *pose, double time, bool slopes);
void gr_scm_contact_leave(GrData *d, int wheel);
void gr_scm_contact_commit(const GrModel *m, GrData *d, double dt);

/// Centre of wheel i, from the origin of the chassis, in the world's axes.
static inline GrVec3 gr_wheel_centre(const GrModel *m, const GrData *d, int i)
{
    const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
    return gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, m->wheels[i].centre));
}

// wheel_view.c

/// +1 when a positive turn of the drive joint rolls the wheel ahead, −1: back.
double gr_wheel_sign(const GrModel *m, int wheel);

/// How a wheel runs over what it stands on: as the soil says, or on hard things from its own motion over level ground.
typedef struct GrWheelSlip {
    bool touches;
    GrContactFrame frame; ///< world axes
    double slip;          ///< 0 where it does not touch
    double slip_angle;    ///< [rad]
} GrWheelSlip;
GrWheelSlip gr_wheel_slip(const GrModel *m, const GrData *d, int wheel);

/// Depth of the wheel's lowest point in soil [m]. Patch laws count the deflection of a flexible wheel as sinkage; on a
/// grid the rim is where it is.
static inline double gr_wheel_depth(const GrModel *m, const GrData *d, int i)
{
    const double flex = m->scm_law ? 0 : d->contact[i].flex;
    return fmax(0, d->contact[i].soil.sinkage - flex);
}

/// The grid that gives way, of the law scm.
static inline GrRuts *gr_scm_grid(const GrData *d)
{
    return d->patch != NULL ? d->patch : d->ruts;
}

/// A derivative of SCM as the tree wants it: (moment, force) by (angular, linear).
GrMat6 gr_scm_tree_order(double (*from)[6]);

// scm_body_contact.c, for models whose bodies press a grid

bool gr_scm_bodies_create(const GrModel *m, GrData *d);
void gr_scm_bodies_free(GrData *d);
void gr_scm_bodies_clear(const GrModel *m, GrData *d);
int gr_scm_bodies_tiles(const GrModel *m);

/// frames -> scm_touch, scm_body_next, wrench and slope of the bodies. Pure but for its results.
void gr_scm_bodies_evaluate(const GrModel *m, GrData *d, double time, bool slopes);
void gr_scm_bodies_begin_settling(const GrModel *m, GrData *d);

/// The nodes of all, and then the flow of soil, of an accepted step.
void gr_scm_bodies_press(const GrModel *m, GrData *d);
void gr_scm_bodies_flow(const GrModel *m, GrData *d, double dt);

/// Copies the pool of nodes, scm_body_old, as far as the counts say that it is used.
void gr_scm_bodies_copy(const GrModel *m, const int *counts, void *to, const void *from);

// rut_contact.c, for models whose wheels change the ground

/// False when memory is out; what there is then is freed by gr_rut_contact_free().
bool gr_rut_contact_create(const GrModel *m, GrData *d);
void gr_rut_contact_free(GrData *d);
void gr_rut_contact_clear(const GrModel *m, GrData *d);

/// Tiles for the next step, and those that it may write to at most.
GrStatus gr_rut_contact_reserve(const GrModel *m, GrData *d);
int gr_rut_contact_tiles(const GrModel *m);

/// The ruts that wheels find when they look for the ground; NULL: none, or the grid is their law's.
const GrRuts *gr_rut_contact_ground(const GrModel *m, const GrData *d);

/// How far the soil below a wheel has been compacted by those that pressed their shape into it [m].
double gr_rut_contact_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across);

/// The patch under wheels on the law scm, as gr_ruts_save() wrote it.
GrStatus gr_rut_contact_restore_patch(GrData *d, const void *saved, size_t size, GrErrorLog *log);

/// What the wheels leave, after the soil under them has been committed.
void gr_rut_contact_commit(const GrModel *m, GrData *d);

// scm_patch.c, for the law scm where the ground keeps no ruts of its kind

/// Behind the wheels the soil is again as those who look at it see it: whole, or as traces say.
void gr_scm_patch_heal(const GrModel *m, GrData *d);

// data.c, for steps that may be taken back

/// Everything but what a step of `d` will write to the ruts is copied to `kept`; gr_data_return() brings it back.
GrStatus gr_data_mark(const GrModel *m, GrData *kept, GrData *d);
GrStatus gr_data_return(const GrModel *m, GrData *d, const GrData *kept);

// rigid_contact.c, for models where something is hard

/// frames -> hard_contact, wrench and slope of the bodies. Pure but for its results.
void gr_rigid_contact_evaluate(const GrModel *m, GrData *d, double dt);

/// Whether a wheel that goes on for `time` [s] as it did when the frames were found would touch a rock or a part; the
/// ground does not count. Writes what the next evaluation writes, and nothing else.
bool gr_rigid_contact_ahead(const GrModel *m, GrData *d, double time);

/// After a solution of the step: contacts that slip at its end and not before, or the other way, are taken as such.
/// Returns whether there are any.
bool gr_rigid_contact_revise(const GrModel *m, GrData *d, double dt);

GrStatus gr_rigid_contact_commit(const GrModel *m, GrData *d, double dt);
void gr_rigid_contact_begin_settling(const GrModel *m, GrData *d);
void gr_rigid_contact_end_settling(const GrModel *m, GrData *d);

/// What is hard carries of each slice of a wheel [N], where it stands in the place of soil: contacts at the bottom
/// of the wheel count in full, those where the soil's arc begins (front angle `theta`) not at all: soil is below the
/// wheel when it only runs against something. False when there is nothing of it. `down` points from the wheel's centre
/// into the ground.
bool gr_rigid_contact_relief(const GrModel *m, const GrData *d, int wheel, GrVec3 axle, GrVec3 down, double theta,
                             double *relief);

/// The force field that hands evaluations on to d->force. `bridge` must live as long as the field is used.
typedef struct GrForceBridge {
    const GrModel *m;
    GrData *d;
} GrForceBridge;

GrForceField gr_data_field(GrForceBridge *bridge);

#endif
