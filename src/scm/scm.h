/// SCM, the soil contact model: ground as a grid of nodes that bodies press down (Krenn & Hirzinger 2009; B23 4.2).
///
///     gr_scm_evaluate(body, ruts, pose, dt, old, scratch, next, out)   pure: wrench, derivatives, touched nodes
///     gr_scm_commit(body, ruts, next, ...)                             once per accepted step: ruts, and soil flow
///
/// Height change and plastic sinkage of a node are stored in the ruts and remain; the mobilised shear of the nodes
/// under a body is stored in the list of nodes that it touches and ends with the contact. The grid is a height field:
/// node (i, j) represents the cell of the ruts around (i cell, j cell), and a body is described by its lower surface
/// over the cells (height, slope, covered fraction), in closed form for wheels and by planes for convex bodies.
///
/// Frames: world axes throughout; wrench and twist are (force, moment about the centre) and (velocity of the centre,
/// angular velocity).
#ifndef GR_SCM_H
#define GR_SCM_H

#include "grouser/soil.h"
#include "grouser/terrain.h"
#include "vec3.h"

/// States of a node in the ruts, the least GrRutsDef::state_count.
enum {
    GR_SCM_SINKAGE, ///< plastic sinkage along the ground's normal: depth by which the soil has been compacted [m]
    GR_SCM_STATES,
};

/// The undisturbed ground; as GrSurfaceDef::height. NULL: the plane z = 0.
typedef struct GrScmGround {
    bool (*height)(const void *context, double x, double y, double *z, GrVec3 *normal);
    const void *context;
} GrScmGround;

/// Most corners of a polyhedron.
enum { GR_SCM_CORNERS = 128 };

typedef enum GrScmConvexKind { GR_SCM_NO_CONVEX, GR_SCM_POLYHEDRON, GR_SCM_SPHERE, GR_SCM_CYLINDER } GrScmConvexKind;

/// A convex body, its centre at the origin. Arrays are not owned.
typedef struct GrScmConvex {
    GrScmConvexKind kind;
    double radius; ///< sphere, cylinder [m]
    double half;   ///< cylinder: half its length, along y [m]
    bool wheel; ///< its caps are the sides of a wheel, which press the soil only as far as the wheel lies on its side
    const GrVec3 *corners; ///< polyhedron [m]
    int corner_count;      ///< 4 … GR_SCM_CORNERS
    const GrVec3 *normals; ///< of its faces: unit, outward
    const double *offsets; ///< normal · (a corner of the face) [m]
    int face_count;
} GrScmConvex;

/// Pose and velocity of a body. The axes of a wheel do not rotate with it: y is along the axle, x forward.
typedef struct GrScmPose {
    GrVec3 centre;      ///< [m]
    GrMat3 axes;        ///< columns: the body's axes in the world
    GrVec3 velocity;    ///< of the centre [m/s]
    GrVec3 spin;        ///< angular velocity, rolling included [rad/s]
    double wheel_angle; ///< rotation of a wheel about its axle, for its lugs [rad]
    bool resting;       ///< the velocity represents a displacement in a search for rest, which does not dig
} GrScmPose;

/// Arrays over the nodes around a body, which have no state between calls. Bodies that are evaluated one after the
/// other share them; they fit the largest.
typedef struct GrScmWork GrScmWork;

/// Working memory of one body: a cache of the undisturbed ground, and the arrays.
typedef struct GrScmScratch GrScmScratch;

struct GrScmRange; // scm_grid.h

/// A body prepared for a soil and a grid: everything that is constant during a run.
typedef struct GrScmBody {
    GrSoilDef soil;
    GrScmGround ground;
    /// Reads the ruts under the body (NULL: does not) and finds its lower surface and cover, for bodies other than
    /// wheels also its slopes. Returns the nodes that may be touched, surrounded by at least one node that is not
    /// covered.
    struct GrScmRange (*lower)(const struct GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose,
                               GrScmScratch *s);
    const void *shape;           ///< context of `lower` for bodies that are neither convex nor a wheel; else NULL
    GrScmConvex convex;          ///< kind none: a wheel
    double radius, width, crown; ///< of the wheel [m]
    int lugs;                    ///< 0: smooth
    double lug_height;           ///< [m]
    double lug_width;            ///< thickness [m]
    double lug_twist;            ///< angle about the axle per length along it [rad/m]
    double grip, grip_depth;     ///< of straight lugs, per area of the rim: [Pa], and per depth below the first ground
    double cell;                 ///< [m]
    double reach;                ///< largest distance of the body from its centre [m]
    double tan_phi, unit_weight; ///< [-], [N/m³]
    double tan_repose;           ///< [-]
    bool flow;                   ///< displaced soil rises beside the body and slumps
    int side;                    ///< nodes along a side of the box around the body
    int node_max;                ///< most nodes that can be touched at once
} GrScmBody;

/// A touched node: its shear, and its new values in the ruts. Nodes are hashed and saved in this form.
typedef struct GrScmNode {
    int32_t i, j;
    double m[2];    ///< mobilised fraction of the shear strength, along and across the body −1 … 1
    double peak;    ///< the largest |m| in this contact
    float firm;     ///< K of virgin soil divided by that of the node; from the sinkage at the start of the contact
    float dug;      ///< depth that slip has dug in this contact [m]
    float loose;    ///< part of D_max that slip digs where there is room
    double height;  ///< change of height at the end of the step [m]
    float sinkage;  ///< plastic sinkage at the end of the step [m]
    float pressure; ///< [Pa]
} GrScmNode;

/// What a body remembers of its contact as a whole. It has no meaning where no node is touched.
typedef struct GrScmMemory {
    double path;      ///< J: slip distance of the soil that leaves the contact, over j0
    double travel[2]; ///< of a wheel: direction of its travel, along and across it −1 … 1
    double slip;      ///< of a wheel −1 … 1
} GrScmMemory;

/// Nodes under one body, sorted by rows (j, then i): an array for every field of GrScmNode, so that loops over them
/// vectorise. They lie in one piece of memory, see gr_scm_nodes_in().
typedef struct GrScmNodes {
    int count;
    GrScmMemory memory;
    int room;    ///< for how many nodes there is memory
    void *block; ///< the memory; NULL: none
    int32_t *i, *j;
    double *m[2], *peak, *height;
    float *firm, *dug, *loose, *sinkage, *pressure;
} GrScmNodes;

/// Memory that `room` nodes need [bytes].
size_t gr_scm_nodes_bytes(int room);

/// An empty list in such memory, which it does not own; without any where `memory` is NULL.
GrScmNodes gr_scm_nodes_in(void *memory, int room);

/// An empty list in memory of its own. `block` is NULL when out of memory.
GrScmNodes gr_scm_nodes_create(int room);
void gr_scm_nodes_free(GrScmNodes *nodes);

/// Node k; its bytes depend on its fields only.
GrScmNode gr_scm_node(const GrScmNodes *nodes, int k);

/// Adds a node to a list that has room for it.
void gr_scm_nodes_add(GrScmNodes *nodes, const GrScmNode *node);

/// Replaces nodes by those of another list; there is room for them. What the contact remembers is not copied.
void gr_scm_nodes_copy(GrScmNodes *to, const GrScmNodes *from);

typedef struct GrScmOutput {
    double wrench[6];
    double d_pose[6][6];  ///< ∂wrench/∂(displacement, rotation); without the rotation of the body's surface
    double d_twist[6][6]; ///< ∂wrench/∂twist, shear mobilised within dt included
    double compaction[3]; ///< force of the pressure alone [N]
    double strength;      ///< shear strength of the patch [N]
    double area;          ///< touched, seen from above [m²]
    double width;         ///< effective width of the largest patch, 2 area/perimeter [m]
    double depth;         ///< depth of the body's deepest point below the undisturbed ground [m]; ≤ 0: above it
    double displaced;     ///< volume pressed down or dug in this step [m³]
    double dug;           ///< the dug part of it [m³]
    int patches;          ///< number of separate parts of the contact
    bool on_map;          ///< the ground was known everywhere under the body
    bool complete;        ///< all touched nodes fitted into `next`
} GrScmOutput;

/// Volumes of moved soil, summed over steps.
typedef struct GrScmLedger {
    double displaced; ///< volume pressed down and dug [m³]
    double raised;    ///< volume that rose beside the bodies [m³]
    int64_t missing;  ///< nodes without a tile: call gr_ruts_reserve() for more
} GrScmLedger;

/// Prepares a wheel for a soil. `cell` is that of the ruts [m].
GrStatus gr_scm_prepare_wheel(const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell, GrScmBody *out,
                              GrErrorLog *log);

/// Prepares a convex body.
GrStatus gr_scm_prepare_convex(const GrSoilDef *soil, const GrScmConvex *convex, double gravity, double cell,
                               GrScmBody *out, GrErrorLog *log);

/// Height of a convex body's lowest point above the highest ground within a distance `ahead` of it [m]; below 0: they
/// may touch. The ground is looked up in the cache of `scratch` where that has it, and need not have one (NULL).
double gr_scm_clearance(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double ahead,
                        GrScmScratch *scratch);

/// Whether a wheel leans over so far that its sides touch the soil: it is then treated as a cylinder, see
/// GrScmConvex::wheel.
bool gr_scm_leans(const GrScmPose *pose);

/// NULL when out of memory.
GrScmWork *gr_scm_work_create(void);
void gr_scm_work_free(GrScmWork *work);

/// Scratch of a body with arrays of its own, or with those of `work`, which must outlive it and grow if they are too
/// small for the body. NULL when out of memory.
GrScmScratch *gr_scm_scratch_create(const GrScmBody *body);
GrScmScratch *gr_scm_scratch_share(const GrScmBody *body, GrScmWork *work);
void gr_scm_scratch_free(GrScmScratch *scratch);

/// The wrench after a step of dt > 0 [s] that ends at this pose with this twist, and the nodes under the body then.
/// `old` are the nodes of the last committed step; `next` receives the new ones and may be NULL. Has no side effects
/// except on `scratch`: the same input gives the same bits.
void gr_scm_evaluate(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *old,
                     GrScmScratch *scratch, GrScmNodes *next, GrScmOutput *out);

/// Writes the nodes into the ruts and returns the volume by which the soil was lowered [m³]. Creates tiles but never
/// allocates: see gr_scm_tiles().
double gr_scm_commit(const GrScmBody *body, GrRuts *ruts, const GrScmNodes *nodes, GrScmLedger *ledger);

/// Soil flow of one step, after all bodies have committed: of the `lowered` volume the `dug` part rises behind the body
/// and the rest in front of and beside it; then slopes steeper than the angle of repose slump. Does nothing when the
/// body's flow is off.
void gr_scm_flow(const GrScmBody *body, GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *nodes,
                 double lowered, double dug, GrScmScratch *scratch, GrScmLedger *ledger);

/// Most tiles that one step of the body can need.
int gr_scm_tiles(const GrScmBody *body);

#endif
