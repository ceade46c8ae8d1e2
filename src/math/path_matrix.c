/// Small dense systems and matrices along paths of a tree.
#include "path_matrix.h"

#include "dense.h"
#include "vec3.h"

#include <math.h>

// ---- dense systems

static void swap_rows(int n, double *a, int i, int k)
{
    for (int j = 0; j < n; j++) {
        const double keep = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = keep;
    }
}

/// Inline, so that the one column of gr_dense_solve() is a constant.
static inline bool eliminate(int n, double *a, double *b, int m)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        }
        if (!(fabs(a[pivot * n + k]) > 0)) {
            return false;
        }
        if (pivot != k) {
            swap_rows(n, a, pivot, k);
            swap_rows(m, b, pivot, k);
        }
        for (int i = k + 1; i < n; i++) {
            const double s = a[i * n + k] / a[k * n + k];
            for (int j = k + 1; j < n && s != 0; j++) {
                a[i * n + j] -= s * a[k * n + j];
            }
            for (int j = 0; j < m && s != 0; j++) {
                b[i * m + j] -= s * b[k * m + j];
            }
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            for (int c = 0; c < m; c++) {
                b[k * m + c] -= a[k * n + j] * b[j * m + c];
            }
        }
        for (int c = 0; c < m; c++) {
            b[k * m + c] /= a[k * n + k];
        }
    }
    return true;
}

bool gr_dense_solve(int n, double *a, double *b)
{
    return eliminate(n, a, b, 1);
}

bool gr_dense_solve_columns(int n, double *a, double *b, int columns)
{
    return eliminate(n, a, b, columns);
}

// ---- paths

enum { ROOT = GR_PATH_ROOT, GROUP = GR_PATH_GROUP, ROOT_ROOM = 2 * GROUP };
_Static_assert(ROOT > GROUP && ROOT <= ROOT_ROOM, "a root row takes one group or two");

/// y −= s x over the groups of a row with `count` entries.
static inline void subtract(double *restrict y, double s, const double *restrict x, int count)
{
    for (int g = 0; g < count; g += GROUP) {
        for (int e = 0; e < GROUP; e++) {
            y[g + e] = gr_fma(-s, x[g + e], y[g + e]);
        }
    }
}

/// root −= s xᵀ, lower part.
static inline void subtract_root(double *restrict root, const double *s, const double *restrict x)
{
    for (int d = 0; d < ROOT; d++) {
        subtract(root + gr_path_root(d), s[d], x, d + 1);
    }
}

/// s x of the groups that hold the root's part of a row.
static inline void scale_root(double *restrict y, double s, const double *restrict x)
{
    for (int e = 0; e < ROOT_ROOM; e++) {
        y[e] = s * x[e];
    }
}

static inline void set_root(double *restrict y, const double *restrict x)
{
    for (int e = 0; e < ROOT; e++) {
        y[e] = x[e];
    }
}

/// Eliminates the ROOT rows themselves, whose paths are 0 .. k.
static bool factor_root(double *lower, double *upper)
{
    bool regular = true;
    for (int k = ROOT - 1; k >= 0; k--) {
        double *row = lower + gr_path_root(k), *column = upper + gr_path_root(k);
        const double inverse = 1 / row[k];
        regular = regular && row[k] != 0 && isfinite(inverse);
        for (int d = k - 1; d >= 0; d--) {
            const double s_row = column[d] * inverse, s_column = row[d] * inverse;
            subtract(lower + gr_path_root(d), s_row, row, d + 1);
            if (lower != upper) {
                subtract(upper + gr_path_root(d), s_column, column, d + 1);
            }
        }
        for (int d = 0; d < k; d++) {
            row[d] *= inverse;
            if (column != row) {
                column[d] *= inverse;
            }
        }
        row[k] = inverse;
        column[k] = inverse;
    }
    return regular;
}

bool gr_path_factor(const GrPaths *paths, double *a)
{
    bool positive = true;
    for (int k = paths->n - 1; k >= ROOT; k--) {
        const int *path = paths->path + paths->start[k];
        double *row = a + paths->start[k];
        const int depth = paths->depth[k];
        const double inverse = 1 / row[depth];
        double scaled[ROOT_ROOM];
        positive = positive && row[depth] > 0 && isfinite(inverse);
        for (int d = depth - 1; d >= ROOT; d--) {
            const double s = row[d] * inverse;
            subtract(a + paths->start[path[d]], s, row, d + 1);
            row[d] = s;
        }
        scale_root(scaled, inverse, row);
        subtract_root(a, scaled, row);
        set_root(row, scaled);
        row[depth] = inverse;
    }
    positive = factor_root(a, a) && positive;
    for (int k = 0; k < ROOT; k++) {
        positive = positive && a[paths->start[k] + k] > 0;
    }
    return positive;
}

bool gr_path_factor_general(const GrPaths *paths, double *lower, double *upper)
{
    bool regular = true;
    for (int k = paths->n - 1; k >= ROOT; k--) {
        const int *path = paths->path + paths->start[k];
        double *row = lower + paths->start[k], *column = upper + paths->start[k];
        const int depth = paths->depth[k];
        const double inverse = 1 / row[depth];
        double row_scaled[ROOT_ROOM], column_scaled[ROOT_ROOM];
        regular = regular && row[depth] != 0 && isfinite(inverse);
        // a(i, j) −= a(i, k) a(k, j) / a(k, k) for i, j on the path: lower part of row i, upper part of column i
        for (int d = depth - 1; d >= ROOT; d--) {
            const double s_row = column[d] * inverse, s_column = row[d] * inverse;
            subtract(lower + paths->start[path[d]], s_row, row, d + 1);
            subtract(upper + paths->start[path[d]], s_column, column, d + 1);
            row[d] = s_column;
            column[d] = s_row;
        }
        scale_root(row_scaled, inverse, row);
        scale_root(column_scaled, inverse, column);
        subtract_root(lower, column_scaled, row);
        subtract_root(upper, row_scaled, column);
        set_root(row, row_scaled);
        set_root(column, column_scaled);
        row[depth] = inverse;
        column[depth] = inverse;
    }
    return factor_root(lower, upper) && regular;
}

void gr_path_solve(const GrPaths *paths, const double *a, double *x)
{
    gr_path_solve_general(paths, a, a, x);
}

void gr_path_solve_general(const GrPaths *paths, const double *lower, const double *upper, double *restrict x)
{
    for (int k = paths->n - 1; k >= ROOT; k--) {
        const int *path = paths->path + paths->start[k];
        const double *column = upper + paths->start[k];
        const double xk = x[k];
        for (int d = 0; d < ROOT; d++) {
            x[d] = gr_fma(-column[d], xk, x[d]);
        }
        for (int d = ROOT; d < paths->depth[k]; d++) {
            x[path[d]] = gr_fma(-column[d], xk, x[path[d]]);
        }
    }
    for (int k = ROOT - 1; k > 0; k--) {
        const double *column = upper + gr_path_root(k);
        for (int d = 0; d < k; d++) {
            x[d] = gr_fma(-column[d], x[k], x[d]);
        }
    }
    for (int k = 0; k < ROOT; k++) {
        const double *row = lower + gr_path_root(k);
        double xk = x[k] * row[k];
        for (int d = 0; d < k; d++) {
            xk = gr_fma(-row[d], x[d], xk);
        }
        x[k] = xk;
    }
    for (int k = ROOT; k < paths->n; k++) {
        const int *path = paths->path + paths->start[k];
        const double *row = lower + paths->start[k];
        const int depth = paths->depth[k];
        double even = x[k] * row[depth], odd = 0; // two chains: the sum is bound by latency
        for (int d = 0; d < ROOT; d += 2) {
            even = gr_fma(-row[d], x[d], even);
            odd = gr_fma(-row[d + 1], x[d + 1], odd);
        }
        for (int d = ROOT; d < depth; d++) {
            even = gr_fma(-row[d], x[path[d]], even);
        }
        x[k] = even + odd;
    }
}

void gr_path_multiply(const GrPaths *paths, const double *a, const double *x, double *y)
{
    for (int k = 0; k < paths->n; k++) {
        const int *path = paths->path + paths->start[k];
        const double *row = a + paths->start[k];
        const int depth = paths->depth[k];
        double yk = row[depth] * x[k];
        for (int d = 0; d < depth; d++) {
            yk += row[d] * x[path[d]];
            y[path[d]] += row[d] * x[k];
        }
        y[k] = yk;
    }
}
