/// Ruts for the other grounds: grids of nodes, and what soil laws know of those that are there.
#ifndef GR_RUT_GROUND_H
#define GR_RUT_GROUND_H

#include "grounds.h"

/// NULL when memory is out.
GrRuts *gr_rut_grid_create(const GrModel *m, int states);

/// Room for tiles that the next step may make, and for some steps after it.
GrStatus gr_rut_grid_reserve(GrRuts *ruts, int tiles);

/// Restores ruts whose cells and states must be those that they have now.
GrStatus gr_rut_grid_restore(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log);

/// Tiles that a step may write to at most: of the grid of law scm, and of traces or imprints.
int gr_grid_tiles(const GrModel *m);
int gr_rut_tiles(const GrModel *m);

/// Working memory of wheels that press nodes. False when memory is out; releasing twice does no harm.
bool gr_scm_scratch_prepare(const GrScmBody *bodies, int count, GrData *d);
void gr_scm_scratch_release(GrData *d);

/// How far the soil below a wheel has been compacted by those that pressed their shape into it [m].
double gr_rut_compaction(const GrModel *m, const GrData *d, int wheel, GrVec3 point, GrVec3 across);

/// Behind the wheels the soil is again as those who look at it see it: whole, or as traces say.
void gr_grid_heal(const GrModel *m, GrData *d);

#endif
