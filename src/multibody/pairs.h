/// Bodies of a tree that touch each other: their part of a step's linear system, which couples branches.
#ifndef GR_PAIRS_H
#define GR_PAIRS_H

#include "tree.h"

/// Solves the implicit step including d->pair. In: the system of the tree in factor_lower and factor_upper, and its
/// right-hand side in d->acceleration, both with prescribed dofs removed. Out: the solution in d->acceleration.
bool gr_pairs_solve(const GrTree *t, GrTreeData *d, double dt);

/// Row `dof` of the pairs' part of the system times d->acceleration.
double gr_pairs_row(const GrTree *t, GrTreeData *d, int dof, double dt);

#endif
