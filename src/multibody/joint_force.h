/// Forces inside the joints: springs, dampers, end stops, Coulomb friction, motors. Each is piecewise linear in the
/// joint's velocity at the end of the step, so that an implicit step solves for them exactly and a joint at rest stays
/// at rest.
#ifndef GR_JOINT_FORCE_H
#define GR_JOINT_FORCE_H

#include "tree.h"

/// Force of joint b as a function of its velocity v near the present velocity v0:
/// force = value + derivative (v − v0) − inertia dv/dt.
typedef struct GrJointForce {
    double value;      ///< [N m, N]
    double derivative; ///< ≤ 0 [N m s/rad, N s/m]
    double inertia;    ///< ≥ 0: of the controller's derivative term [kg m²]
} GrJointForce;

/// Chooses the modes of joint b from the state alone (an explicit step), or keeps the last modes as a guess (dt > 0).
GrJointMode gr_joint_guess_mode(const GrTree *t, const GrTreeData *d, int b, double dt);

/// All forces of joint b at the end of a step dt (0: now), linearised at the present velocity, in the given mode.
GrJointForce gr_joint_force(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double dt);

/// The mode that follows from the velocity `v` at the end of the step; equal to `mode` when the step was consistent.
GrJointMode gr_joint_next_mode(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double v, double dt);

/// −∂force/∂position of joint b at rest, in the given mode.
double gr_joint_stiffness(const GrTree *t, int b, GrJointMode mode);

/// Motor torque alone at the end of the step, with end velocity v.
double gr_joint_motor_torque(const GrTree *t, const GrTreeData *d, int b, GrJointMode mode, double v, double dt);

/// Accepts a step dt that ends at joint position q with velocity v: updates the elastic travel of the friction, the
/// controller's integral and the mode.
void gr_joint_commit(const GrTree *t, GrTreeData *d, int b, GrJointMode mode, double q, double v, double dt);

/// Rates of the joint's own states for a continuous integrator.
double gr_joint_friction_rate(const GrTree *t, const GrTreeData *d, int b);
double gr_joint_integral_rate(const GrTree *t, const GrTreeData *d, int b);

#endif
