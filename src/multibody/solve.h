/// From forces to accelerations: one linear system for explicit and implicit steps.
#ifndef GR_SOLVE_H
#define GR_SOLVE_H

#include "tree.h"

/// position, velocity, command, field -> all inputs of the acceleration. `dt` is passed to the force field. With
/// `implicit`, wrenches are extrapolated to the end of the step at the present velocity.
void gr_tree_forward(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, bool implicit);

/// mass, bias, jacobian, joint states -> acceleration, motor_torque, joint_force; the modes go to `mode` [body_count].
///
/// implicit = false: M u̇ = F(q, u).
/// implicit = true:  (M − dt ∂F/∂u − dt² ∂F/∂q) Δu/dt = F(q + dt u, u), with the joints' stops, friction and torque
///                   bounds in the mode that applies at the end of the step (at most a few solves).
/// Prescribed joints reach their commanded speed in `dt` (dt = 0: they keep their speed).
GrStatus gr_tree_solve(const GrTree *t, GrTreeData *d, double dt, bool implicit, GrJointMode *mode);

/// −∂force/∂position at rest as a full matrix, row-major [dof_count²], from the Jacobians that GrForceField.linearise
/// has added, and from the joints. It lacks the change of levers as bodies turn, which under a rover is a hundredth of
/// the ground's stiffness. Overwrites d->lower and d->upper.
void gr_tree_stiffness(const GrTree *t, GrTreeData *d, double *matrix);

#endif
