/// The multibody tree of a rover: fixed joints merged, joints with several axes split up, couplings as shared
/// velocities, the sparsity of the mass matrix.
#ifndef GR_TREE_BUILD_H
#define GR_TREE_BUILD_H

#include "model_data.h"

/// Fills m->tree, m->places, m->initial and the list of joints from a checked definition. m->tree.gravity must be set.
/// Fails when a motion moves no mass.
GrStatus gr_model_build_tree(GrModel *m, const GrRoverDef *rover, GrErrorLog *log);

#endif
