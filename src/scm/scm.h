/// SCM, the soil contact model: ground as a grid of nodes that bodies press down (Krenn & Hirzinger 2009; B23 4.2).
///
///     gr_scm_evaluate(body, ruts, pose, dt, old, scratch, next, out)   pure: wrench, derivatives, touched nodes
///     gr_scm_commit(body, ruts, next, ...)                             once per accepted step: ruts, and soil flow
///
/// Height of the ground, height change and plastic sinkage of a node live in the ruts and stay; the mobilised shear of
/// the nodes under a body lives in the list of nodes that it touches and ends with the contact. The grid is vertical:
/// node (i, j) stands for the cell of the ruts around (i cell, j cell), and a body is its lower surface over the cells
/// (height, slope, covered part), in closed form for wheels and by planes for convex bodies.
///
/// Frames: world axes throughout; wrench and twist are (force, moment about the centre) and (velocity of the centre,
/// angular velocity).
#ifndef GR_SCM_H
#define GR_SCM_H

#include "grouser/soil.h"
#include "grouser/terrain.h"
#include "vec3.h"

/// States of a node in the ruts, GrRutsDef::state_count at least.
enum {
    GR_SCM_SINKAGE, ///< plastic sinkage, along the ground's normal: how far the soil has been compacted [m]
    GR_SCM_STATES,
};

/// The ground before anything drove on it; as GrSurfaceDef::height. NULL: the plane z = 0.
typedef struct GrScmGround {
    bool (*height)(const void *context, double x, double y, double *z, GrVec3 *normal);
    const void *context;
} GrScmGround;

/// Corners of a polyhedron at most.
enum { GR_SCM_CORNERS = 128 };

typedef enum GrScmConvexKind { GR_SCM_NO_CONVEX, GR_SCM_POLYHEDRON, GR_SCM_SPHERE, GR_SCM_CYLINDER } GrScmConvexKind;

/// A convex body, its centre at the origin. Arrays are not owned.
typedef struct GrScmConvex {
    GrScmConvexKind kind;
    double radius;         ///< sphere, cylinder [m]
    double half;           ///< cylinder: half its length, along y [m]
    bool wheel;            ///< its caps are the sides of a wheel: they press the soil as far as it lies on them
    const GrVec3 *corners; ///< polyhedron [m]
    int corner_count;      ///< 4 … GR_SCM_CORNERS
    const GrVec3 *normals; ///< of its faces: unit, outward
    const double *offsets; ///< normal · (a corner of the face) [m]
    int face_count;
} GrScmConvex;

/// Where a body is and how it moves. For a wheel the axes do not turn with the rolling: y along the axle, x forward.
typedef struct GrScmPose {
    GrVec3 centre;      ///< [m]
    GrMat3 axes;        ///< columns: the body's axes in the world
    GrVec3 velocity;    ///< of the centre [m/s]
    GrVec3 spin;        ///< angular velocity, rolling included [rad/s]
    double wheel_angle; ///< turn of a wheel about its axle, for its lugs [rad]
    bool resting;       ///< the velocity stands for a displacement in a search for rest: it digs nothing away
} GrScmPose;

/// Working memory of one body; carries nothing from step to step but the first ground, which it may forget.
typedef struct GrScmScratch GrScmScratch;

struct GrScmRange; // scm_grid.h

/// A body made ready for a soil and a grid: everything that does not change in a run.
typedef struct GrScmBody {
    GrSoilDef soil;
    GrScmGround ground;
    /// Reads the ruts under the body (NULL: leaves them alone), and finds its lower surface and cover; slopes too where
    /// it is no wheel. Returns the nodes that may be touched, with at least one around them that is not covered.
    struct GrScmRange (*lower)(const struct GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose,
                               GrScmScratch *s);
    const void *shape;  ///< for `lower`, of bodies that are neither convex nor a wheel; NULL: it is one of them
    GrScmConvex convex; ///< of no kind: a wheel
    double radius, width, crown; ///< of the wheel [m]
    int lugs;                    ///< 0: smooth
    double lug_height;           ///< [m]
    double lug_width;            ///< thickness [m]
    double lug_twist;            ///< angle about the axle per length along it [rad/m]
    double cell;                 ///< [m]
    double reach;                ///< of the body from its centre [m]
    double tan_phi, unit_weight; ///< [-], [N/m³]
    double tan_repose;           ///< [-]
    bool flow;                   ///< displaced soil rises beside the body and slumps
    int side;                    ///< nodes along a side of the box that is looked at
    int node_max;                ///< nodes that can be touched at once
} GrScmBody;

/// A touched node: its shear, and what the ruts will hold.
typedef struct GrScmNode {
    int32_t i, j;
    double m[2];    ///< mobilised part of the shear strength, along and across the body −1 … 1
    double peak;    ///< the largest |m| in this contact
    double height;  ///< change of height at the end of the step [m]
    float sinkage;  ///< plastic sinkage then [m]
    float pressure; ///< [Pa]
} GrScmNode;

/// Nodes under one body, in the order of rows (j, then i); `nodes` has room for GrScmBody::node_max.
typedef struct GrScmNodes {
    int count;
    GrScmNode *nodes;
} GrScmNodes;

typedef struct GrScmOutput {
    double wrench[6];
    double d_pose[6][6]; ///< ∂wrench/∂(displacement, rotation); the turning of the body's surface with it is left out
    double d_twist[6][6]; ///< ∂wrench/∂twist, shear mobilised within dt included
    double compaction[3]; ///< force of the pressure alone [N]
    double strength;      ///< largest shear force of the patch [N]
    double area;          ///< touched, seen from above [m²]
    double width;         ///< effective width of the largest patch, 2 area/perimeter [m]
    double depth;         ///< deepest point of the body below the ground as it was at first [m]; ≤ 0: above it
    double displaced;     ///< volume pressed down or dug in this step [m³]
    double dug;           ///< the dug part of it [m³]
    int patches;          ///< parts of the contact that do not touch each other
    bool on_map;          ///< the ground was known everywhere under the body
    bool complete;        ///< all touched nodes fitted into `next`
} GrScmOutput;

/// What has become of the soil, summed over steps.
typedef struct GrScmLedger {
    double displaced; ///< volume pressed down and dug [m³]
    double raised;    ///< volume that rose beside the bodies [m³]
    int64_t missing;  ///< nodes that found no tile: gr_ruts_reserve() more
} GrScmLedger;

/// A wheel on a soil. `cell` is that of the ruts [m].
GrStatus gr_scm_prepare_wheel(const GrSoilDef *soil, const GrSoilWheelDef *wheel, double cell, GrScmBody *out,
                              GrErrorLog *log);

/// A convex body.
GrStatus gr_scm_prepare_convex(const GrSoilDef *soil, const GrScmConvex *convex, double gravity, double cell,
                               GrScmBody *out, GrErrorLog *log);

/// How far a convex body's lowest point is above all ground within `ahead` of it, ahead ≤ 8 cells [m]; below 0: they
/// may touch.
double gr_scm_clearance(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double ahead,
                        GrScmScratch *scratch);

/// Whether a wheel leans so far over that its sides count: it is a cylinder then, see GrScmConvex::wheel.
bool gr_scm_leans(const GrScmPose *pose);

/// NULL when memory is out.
GrScmScratch *gr_scm_scratch_create(const GrScmBody *body);
void gr_scm_scratch_free(GrScmScratch *scratch);

/// The wrench after a step of dt > 0 [s] that ends at this pose with this twist, and the nodes under the body then.
/// `old` are the nodes of the last committed step; `next` receives the new ones and may be NULL. Pure but for
/// `scratch`: the same input gives the same bits.
void gr_scm_evaluate(const GrScmBody *body, const GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *old,
                     GrScmScratch *scratch, GrScmNodes *next, GrScmOutput *out);

/// Writes the nodes into the ruts; the volume that went down [m³]. Makes tiles, never allocates: see gr_scm_tiles().
double gr_scm_commit(const GrScmBody *body, GrRuts *ruts, const GrScmNodes *nodes, GrScmLedger *ledger);

/// Soil flow of one step, after all bodies have committed: of the `lowered` volume the `dug` part rises behind the
/// body, the rest before and beside it, and what is steeper than the angle of repose slumps. Nothing when the body's
/// flow is off.
void gr_scm_flow(const GrScmBody *body, GrRuts *ruts, const GrScmPose *pose, double dt, const GrScmNodes *nodes,
                 double lowered, double dug, GrScmScratch *scratch, GrScmLedger *ledger);

/// Tiles that one step of the body may ask for at most.
int gr_scm_tiles(const GrScmBody *body);

#endif
