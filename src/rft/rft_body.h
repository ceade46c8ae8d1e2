/// A body of any shape in grains, 3D-RFT as for wheels (rft.c, rft_stress.h): bellies, legs, rovers on their sides.
///
/// The body is a closed surface of small triangles. Depth is integrated exactly over each of them, below the ground at
/// its middle: the tangent plane there. One direction is up for the whole body, the ground's normal below it.
///
/// The state is the elastic displacement q of the body in world axes, six numbers in units of the mobilisation path K =
/// κ size, and as for wheels it is limited to length 1: a spring below, the stress of the theory at the limit. Wheels
/// have the damping of their soil; for bodies the spring is damped, by the force that it would have after the time τ at
/// the present velocity. At the limit that changes nothing. A body that carries half of its limit swings with ω² = 2
/// g/K, so that τ = 2 ζ/ω is the part ζ of critical damping, at any size and under any gravity.
///
/// The ground is level before the body: no trench, and no shadow of one piece on another.
#ifndef GR_RFT_BODY_H
#define GR_RFT_BODY_H

#include "grouser/soil.h"
#include "vec3.h"

enum { GR_RFT_BODY_STATE = 6 };

/// A triangle in the frame of the body.
typedef struct GrRftTriangle {
    GrVec3 corner[3];
    GrVec3 middle, normal; ///< normal: unit, out of the body
    double area;           ///< [m²]
    double reach;          ///< of the corners from the middle [m]
} GrRftTriangle;

/// Not owned: the triangles must outlive it.
typedef struct GrRftBody {
    const GrRftTriangle *triangles;
    int count;
    double size; ///< of the furthest corner from the origin [m]
} GrRftBody;

/// What a body needs to know of a soil.
typedef struct GrRftSoil {
    bool grains;     ///< its law is rft; all else is 0 otherwise
    double xi;       ///< ξ_n [N/m³]
    double friction; ///< μ_surf
    double cohesion; ///< [Pa]
    double hold;     ///< 2 √N of the cohesive stress
    double path;     ///< κ: K over the size of the body
    double gravity;  ///< [m/s²]
} GrRftSoil;

GrStatus gr_rft_soil(const GrSoilDef *soil, double gravity, GrRftSoil *out, GrErrorLog *log);

/// Time in which the force builds up under the falling body, √(K/g) [s]: steps must be shorter.
double gr_rft_body_time(const GrRftSoil *soil, const GrRftBody *body);

/// Height and unit normal of the ground at a place; false where there is none. `height` NULL: the plane z = 0.
typedef struct GrRftGround {
    bool (*height)(const void *context, double x, double y, double *z, GrVec3 *normal);
    const void *context;
} GrRftGround;

/// Pose and motion, world axes.
typedef struct GrRftBodyMotion {
    GrVec3 centre; ///< origin of the body's frame [m]
    GrMat3 axes;   ///< of that frame
    GrVec3 up;     ///< unit normal of the ground below it
    GrVec3 velocity, spin;
    double dt;      ///< length of the step [s] > 0
    bool resting;   ///< search for rest: the state is that of a body at rest, displaced by dt · velocity
    bool jacobians; ///< derivatives are wanted
} GrRftBodyMotion;

/// About the body's origin, world axes, forces before moments.
typedef struct GrRftBodyOutput {
    double wrench[6];
    double d_twist[6][6]; ///< by velocity and spin
    double d_pose[6][6];  ///< by displacement along `up`, and by rotations about the two axes across it; else 0
    int touching;         ///< pieces that are in the ground, at least in part
} GrRftBodyOutput;

/// q after a step of dt at this motion.
void gr_rft_body_advance(const GrRftSoil *soil, const GrRftBody *body, const GrRftBodyMotion *motion, const double *old,
                         double *next);

/// The wrench at this pose after a step at this motion, and the state then; zero where it does not touch.
void gr_rft_body_evaluate(const GrRftSoil *soil, const GrRftBody *body, const GrRftGround *ground,
                          const GrRftBodyMotion *motion, const double *old, double *next, GrRftBodyOutput *out);

/// Least height of the body above the ground [m], at the middles of its pieces less their reach; INFINITY where there
/// is no ground.
double gr_rft_body_clearance(const GrRftBody *body, const GrRftGround *ground, GrVec3 centre, const GrMat3 *axes);

#endif
