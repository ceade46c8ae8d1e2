/// Ruts for the other grounds: grids of nodes, and the compaction that soil laws take from them.
#ifndef GR_RUT_GROUND_H
#define GR_RUT_GROUND_H

#include "furrow.h"
#include "grounds.h"

/// NULL when out of memory.
GrRuts *gr_rut_grid_create(const GrModel *m, int states);

/// Makes room for the tiles of the next step.
GrStatus gr_rut_grid_reserve(GrRuts *ruts, int tiles);

/// The same for the grid of law scm.
GrStatus gr_grid_reserve(const GrModel *m, GrData *d);

/// Restores ruts; cell size and number of states must match.
GrStatus gr_rut_grid_restore(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log);

/// Most tiles that a step can write to: of the grid of law scm, and of traces or imprints.
int gr_grid_tiles(const GrModel *m, const GrData *d);
int gr_rut_tiles(const GrModel *m);

/// Working memory of wheels that press nodes. False when out of memory; releasing twice is harmless.
bool gr_scm_scratch_prepare(const GrScmBody *bodies, int count, GrData *d);
void gr_scm_scratch_release(GrData *d);

/// Plastic sinkage of the soil below a wheel from earlier imprints [m].
double gr_rut_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across);

/// A wheel as it presses the ground, and where: its imprint in the ruts.
GrImprintMotion gr_rut_motion(const GrModel *m, const GrData *d, int wheel);
GrImprint gr_rut_imprint(const GrModel *m, const GrData *d, int wheel);

/// Restores a temporary grid to the visible ground, undisturbed or with ruts (NULL: none), wherever none of `count`
/// circles keeps it. The first `wheels` circles are those of wheels, which bring the ruts that they reach into the
/// grid. Does nothing until a wheel has moved to another cell.
void gr_grid_heal(GrRuts *grid, const GrRuts *seen, const GrUnhealedCircle *keeps, int count, int wheels, GrData *d);

#endif
