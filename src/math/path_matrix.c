#include "path_matrix.h"

#include "vec3.h"

enum { ROOT = GR_PATH_ROOT };

/// y −= s x over a row of at least ROOT entries: the constant length of the first part is unrolled and vectorised.
static inline void subtract(double *restrict y, double s, const double *restrict x, int count)
{
    for (int e = 0; e < ROOT; e++) {
        y[e] = gr_fma(-s, x[e], y[e]);
    }
    for (int e = ROOT; e < count; e++) {
        y[e] = gr_fma(-s, x[e], y[e]);
    }
}

/// The ROOT rows are packed as a triangle at the beginning: triangle −= s xᵀ, lower part.
static inline void subtract_triangle(double *restrict triangle, const double *s, const double *restrict x)
{
    for (int d = 0, at = 0; d < ROOT; d++) {
        for (int e = 0; e <= d; e++, at++) {
            triangle[at] = gr_fma(-s[d], x[e], triangle[at]);
        }
    }
}

/// Eliminates the ROOT rows themselves, whose paths are 0 .. k.
static bool factor_root(double *lower, double *upper)
{
    bool regular = true;
    for (int k = ROOT - 1; k >= 0; k--) {
        double *row = lower + k * (k + 1) / 2, *column = upper + k * (k + 1) / 2;
        const double inverse = 1 / row[k];
        regular = regular && row[k] != 0 && isfinite(inverse);
        for (int d = k - 1; d >= 0; d--) {
            const double s_row = column[d] * inverse, s_column = row[d] * inverse;
            double *above = lower + d * (d + 1) / 2, *left = upper + d * (d + 1) / 2;
            for (int e = 0; e <= d; e++) {
                above[e] = gr_fma(-s_row, row[e], above[e]);
            }
            if (left != above) {
                for (int e = 0; e <= d; e++) {
                    left[e] = gr_fma(-s_column, column[e], left[e]);
                }
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
        double scaled[ROOT];
        positive = positive && row[depth] > 0 && isfinite(inverse);
        for (int d = depth - 1; d >= ROOT; d--) {
            const double s = row[d] * inverse;
            subtract(a + paths->start[path[d]], s, row, d + 1);
            row[d] = s;
        }
        for (int d = 0; d < ROOT; d++) {
            scaled[d] = row[d] * inverse;
        }
        subtract_triangle(a, scaled, row);
        for (int d = 0; d < ROOT; d++) {
            row[d] = scaled[d];
        }
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
        double row_scaled[ROOT], column_scaled[ROOT];
        regular = regular && row[depth] != 0 && isfinite(inverse);
        // a(i, j) −= a(i, k) a(k, j) / a(k, k) for i, j on the path: lower part of row i, upper part of column i
        for (int d = depth - 1; d >= ROOT; d--) {
            const double s_row = column[d] * inverse, s_column = row[d] * inverse;
            subtract(lower + paths->start[path[d]], s_row, row, d + 1);
            subtract(upper + paths->start[path[d]], s_column, column, d + 1);
            row[d] = s_column;
            column[d] = s_row;
        }
        for (int d = 0; d < ROOT; d++) {
            row_scaled[d] = row[d] * inverse;
            column_scaled[d] = column[d] * inverse;
        }
        subtract_triangle(lower, column_scaled, row);
        subtract_triangle(upper, row_scaled, column);
        for (int d = 0; d < ROOT; d++) {
            row[d] = row_scaled[d];
            column[d] = column_scaled[d];
        }
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
        const double *column = upper + k * (k + 1) / 2;
        for (int d = 0; d < k; d++) {
            x[d] = gr_fma(-column[d], x[k], x[d]);
        }
    }
    for (int k = 0; k < ROOT; k++) {
        const double *row = lower + k * (k + 1) / 2;
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
