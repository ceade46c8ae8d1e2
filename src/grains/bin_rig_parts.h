/// Between the files of rigs.
#ifndef GR_BIN_RIG_PARTS_H
#define GR_BIN_RIG_PARTS_H

#include "bin_rig.h"

/// Mesh of the body; its lowest point is `lowest` below its origin. `grain`: mean diameter.
GrStatus gr_bin_rig_mesh(const GrBinRigDef *def, double grain, GrSurfaceMesh *mesh, double *lowest, GrErrorLog *log);

/// Reads and checks a snapshot of a test, without its body.
GrStatus gr_bin_rig_read(const char *path, GrBinWork work, GrBin **bin, GrBinRigState *state, GrErrorLog *log);

#endif
