/// Small dense linear systems.
#ifndef GR_DENSE_H
#define GR_DENSE_H

#include <stdbool.h>

/// Solves a x = b in place by Gaussian elimination with partial pivoting; `a` is row-major n x n and destroyed, b
/// becomes x. Returns false when a pivot vanishes.
bool gr_dense_solve(int n, double *a, double *b);

/// The same for several right-hand sides: `b` is row-major n x columns.
bool gr_dense_solve_columns(int n, double *a, double *b, int columns);

#endif
