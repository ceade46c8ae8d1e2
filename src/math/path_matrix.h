/// Square matrices whose sparsity is that of a tree: entry (k, j) is non-zero only if j is k, an ancestor or a
/// descendant of k. Row k is stored as the path from the root down to k, so that every inner loop runs over memory in
/// order and no row is ever searched:
///
///      0            row 0: [00]
///     / \           row 1: [10 11]            path(1) = 0 1
///    1   3          row 2: [20 21 22]         path(2) = 0 1 2
///    |              row 3: [30 33]            path(3) = 0 3
///    2              packed: 00 . . . | 10 11 . . | 20 21 22 . | 30 33 . .
///
/// Rows are padded to whole groups of GR_PATH_GROUP entries, so that loops over them are vector operations without
/// a remainder. What stands in the padding is never used; it must be a number.
///
/// The first GR_PATH_ROOT rows are a chain at the top of every path (a floating base), so that their part of the loops
/// has a constant length.
///
/// Eliminating from the last row to the first makes no fill-in (Featherstone 2008, 6.5).
#ifndef GR_PATH_MATRIX_H
#define GR_PATH_MATRIX_H

#include <stdbool.h>

enum { GR_PATH_ROOT = 6, GR_PATH_GROUP = 4 };

typedef struct GrPaths {
    int n;            ///< rows, ≥ GR_PATH_ROOT
    int size;         ///< packed length: sum of gr_path_room(depth)
    const int *depth; ///< [n] number of ancestors of row k
    const int *start; ///< [n] where row k begins in a packed array
    const int *path;  ///< [size] row index of each packed entry; the last of row k, before its padding, is k
} GrPaths;

/// Entries that a row takes: its ancestors, its diagonal and padding.
static inline int gr_path_room(int depth)
{
    return (depth + GR_PATH_GROUP) / GR_PATH_GROUP * GR_PATH_GROUP;
}

/// Where row k < GR_PATH_ROOT begins: start[k], as a constant.
static inline int gr_path_root(int k)
{
    return k < GR_PATH_GROUP ? GR_PATH_GROUP * k : GR_PATH_GROUP * (2 * k - GR_PATH_GROUP);
}

/// Factors a = Lᵀ D L in place; `a` holds the lower entries. The diagonal of the result holds 1/D.
/// Returns false when a pivot is not positive (the matrix is not positive definite, or not finite).
bool gr_path_factor(const GrPaths *paths, double *a);

/// x ← a⁻¹ x with the factors of gr_path_factor.
void gr_path_solve(const GrPaths *paths, const double *a, double *x);

/// Factors a matrix without symmetry in place: lower[start[k] + d] = a(k, path d), upper[start[k] + d] = a(path d, k);
/// the diagonals must be equal on entry. Returns false when a pivot is zero or not finite.
bool gr_path_factor_general(const GrPaths *paths, double *lower, double *upper);

/// x ← a⁻¹ x with the factors of gr_path_factor_general.
void gr_path_solve_general(const GrPaths *paths, const double *lower, const double *upper, double *x);

/// y ← a x for a symmetric matrix given by its lower entries.
void gr_path_multiply(const GrPaths *paths, const double *a, const double *x, double *y);

#endif
