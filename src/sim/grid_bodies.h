/// Bodies on a deformable grid: bellies, feet and fallen rovers press it as wheels do. Part of grid_ground.c.
#ifndef GR_GRID_BODIES_H
#define GR_GRID_BODIES_H

#include "grounds.h"

void gr_grid_bodies_release(GrData *d);
void gr_grid_bodies_clear(const GrModel *m, GrData *d);

/// frames -> soil_touch, scm_body_next, wrenches and Jacobians of the bodies. No other side effects, except memory for
/// shapes that come near the ground for the first time.
void gr_grid_bodies_evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query);
void gr_grid_bodies_begin_rest(const GrModel *m, GrData *d);
void gr_grid_bodies_anchor(const GrModel *m, GrData *d);

/// For an accepted step: presses the nodes of all bodies; then lets the soil flow.
void gr_grid_bodies_press(const GrModel *m, GrData *d);
void gr_grid_bodies_flow(const GrModel *m, GrData *d, double dt);

/// A derivative of SCM in the tree's order: (moment, force) by (angular, linear).
GrMat6 gr_scm_tree_order(double (*from)[6]);

/// ∂wrench/∂pose in the search for rest, in the tree's order: displacements along the ground, whose normal this is,
/// take the place of velocities.
GrMat6 gr_scm_rest_jacobian(const GrScmOutput *out, GrVec3 normal, const GrGroundQuery *query);

#endif
