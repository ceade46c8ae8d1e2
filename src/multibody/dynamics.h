/// Stages of the equations of motion M(q) u̇ + bias = Σ Jᵀ wrench + joint forces + applied.
#ifndef GR_DYNAMICS_H
#define GR_DYNAMICS_H

#include "tree.h"

/// position, velocity -> frame, inertia; clears wrench and jacobian.
void gr_tree_kinematics(const GrTree *t, GrTreeData *d);

/// Twists of all bodies in the present frames at velocities u + left u̇, that is, those at the end of a step whose
/// frames are still those of its beginning.
void gr_tree_twists(const GrTree *t, const GrTreeData *d, double left, GrTwist *twist);

/// inertia -> composite, mass (Walker & Orin 1982, composite rigid bodies; coupled joints share a row).
void gr_tree_mass_matrix(const GrTree *t, GrTreeData *d);

/// frame, velocity, wrench -> bias: inverse dynamics at u̇ = 0 (Luh, Walker & Paul 1980), gravity and wrenches included.
void gr_tree_bias(const GrTree *t, GrTreeData *d);

/// frame, wrench, `acceleration` -> `force`[n]: generalised forces at the joints and the base that produce that motion.
/// `load` is NULL or [body_count]: the wrench that each joint transmits from parent to child, about O; load[0] acts on
/// the base.
void gr_tree_inverse_dynamics(const GrTree *t, GrTreeData *d, const double *acceleration, double *force,
                              GrWrench *load);

/// Kinetic energy, potential energy of gravity (zero at world z where gravity·position is 0) and of joint springs [J].
typedef struct GrEnergy {
    double kinetic, gravity, spring;
} GrEnergy;

GrEnergy gr_tree_energy(const GrTree *t, const GrTreeData *d);

/// Total mass, centre of mass (world) and momentum (linear; angular about the centre of mass).
typedef struct GrMomentum {
    double mass;
    GrVec3 com, linear, angular;
    GrSym3 inertia; ///< of the whole, about its centre of mass, world axes
} GrMomentum;

GrMomentum gr_tree_momentum(const GrTree *t, const GrTreeData *d);

/// Load on joint b at its own origin, in `axes` (world): force [N] and moment [N m] of the parent on it.
GrWrench gr_joint_load_in(const GrTreeData *d, const GrWrench *load, int b, const GrMat3 *axes);

/// Specific force that an accelerometer at the origin of body b measures, world axes [m/s²]. Needs work_twist of
/// gr_tree_inverse_dynamics().
GrVec3 gr_body_felt(const GrTreeData *d, int b);

#endif
