/// Lists of the nodes under wheels and bodies on a deformable grid, and its bodies. Part of grid_ground.c.
#ifndef GR_GRID_LISTS_H
#define GR_GRID_LISTS_H

#include "data.h"
#include "grounds.h"

/// Makes room for the first contact. False when out of memory.
bool gr_scm_list_begin(GrScmList *list);
void gr_scm_list_free(GrScmList *list);

/// False when out of memory.
bool gr_scm_list_reserve(GrScmList *list, int capacity);
bool gr_scm_list_copy(GrScmList *to, const GrScmList *from);

/// The evaluated nodes become those of the committed step.
void gr_scm_list_accept(GrScmList *old, GrScmList *next);

/// Empties lists; their memory stays.
void gr_scm_lists_clear(GrScmList *lists, int count);

/// The list and what the contact remembers, as SCM takes them.
GrScmNodes gr_scm_list_nodes(const GrScmList *list, const GrScmMemory *memory);

/// Evaluates a body into `next`, which grows as far as its contact needs. Out of memory: GrData::ruts_status.
void gr_scm_list_evaluate(GrData *d, const GrScmBody *body, const GrScmPose *pose, double dt, const GrScmNodes *old,
                          GrScmScratch *scratch, GrScmList *next, GrScmMemory *memory, GrScmOutput *out);

/// Saved form of `count` lists: for each the number of its nodes, and the nodes. Returns the end.
size_t gr_scm_lists_size(const GrScmList *lists, int count);
unsigned char *gr_scm_lists_save(const GrScmList *lists, int count, unsigned char *out);

/// Checks saved lists and makes room for them; moves `saved` and `size` behind them. The lists do not change.
GrStatus gr_scm_lists_expect(GrScmList *lists, int count, const unsigned char **saved, size_t *size, GrErrorLog *log);

/// Restores lists that were checked. Returns the end.
const unsigned char *gr_scm_lists_restore(GrScmList *lists, int count, const unsigned char *saved);

// Bodies on a deformable grid: bellies, feet and fallen rovers press it as wheels do. Part of grid_ground.c.

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
