/// Bodies on a grid that gives way: bellies, feet and fallen rovers press it as wheels do. Part of grid_ground.c.
#ifndef GR_GRID_BODIES_H
#define GR_GRID_BODIES_H

#include "grounds.h"

/// False when memory is out; what there is then is freed by gr_grid_bodies_release().
bool gr_grid_bodies_prepare(const GrModel *m, GrData *d);
void gr_grid_bodies_release(GrData *d);
void gr_grid_bodies_clear(const GrModel *m, GrData *d);

/// Tiles of the grid that a step may ask for at most.
int gr_grid_bodies_tiles(const GrModel *m);

/// frames -> scm_touch, scm_body_next, wrenches and Jacobians of the bodies. Pure but for its results.
void gr_grid_bodies_evaluate(const GrModel *m, GrData *d, const GrGroundQuery *query);
void gr_grid_bodies_begin_rest(const GrModel *m, GrData *d);
void gr_grid_bodies_anchor(const GrModel *m, GrData *d);

/// The nodes of all, and then the flow of soil, of an accepted step.
void gr_grid_bodies_press(const GrModel *m, GrData *d);
void gr_grid_bodies_flow(const GrModel *m, GrData *d, double dt);

/// Copies the pool of nodes, scm_body_old, as far as the counts say that it is used.
void gr_grid_bodies_copy(const GrModel *m, const int *counts, void *to, const void *from);

/// A derivative of SCM as the tree wants it: (moment, force) by (angular, linear).
GrMat6 gr_scm_tree_order(double (*from)[6]);

#endif
