#include "path_matrix.h"

#include <math.h>

bool gr_path_factor(const GrPaths *paths, double *restrict a)
{
    bool positive = true;
    for (int k = paths->n - 1; k >= 0; k--) {
        const int *path = paths->path + paths->start[k];
        double *restrict row = a + paths->start[k];
        const int depth = paths->depth[k];
        const double inverse = 1 / row[depth];
        positive = positive && row[depth] > 0 && isfinite(inverse);
        for (int d = depth - 1; d >= 0; d--) {
            const double s = row[d] * inverse;
            double *restrict above = a + paths->start[path[d]];
            for (int e = 0; e <= d; e++) {
                above[e] -= s * row[e];
            }
            row[d] = s;
        }
        row[depth] = inverse;
    }
    return positive;
}

void gr_path_solve(const GrPaths *paths, const double *a, double *x)
{
    gr_path_solve_general(paths, a, a, x);
}

bool gr_path_factor_general(const GrPaths *paths, double *restrict lower, double *restrict upper)
{
    bool regular = true;
    for (int k = paths->n - 1; k >= 0; k--) {
        const int *path = paths->path + paths->start[k];
        double *restrict row = lower + paths->start[k];
        double *restrict column = upper + paths->start[k];
        const int depth = paths->depth[k];
        const double inverse = 1 / row[depth];
        regular = regular && row[depth] != 0 && isfinite(inverse);
        for (int d = depth - 1; d >= 0; d--) {
            // a(i, j) −= a(i, k) a(k, j) / a(k, k) for i, j on the path: the lower part of row i, the upper part of column i
            const int above = paths->start[path[d]];
            const double s_row = column[d] * inverse;
            const double s_column = row[d] * inverse;
            for (int e = 0; e <= d; e++) {
                lower[above + e] -= s_row * row[e];
                upper[above + e] -= s_column * column[e];
            }
            row[d] = s_column;
            column[d] = s_row;
        }
        row[depth] = inverse;
        column[depth] = inverse;
    }
    return regular;
}

void gr_path_solve_general(const GrPaths *paths, const double *lower, const double *upper, double *x)
{
    for (int k = paths->n - 1; k >= 0; k--) {
        const int *path = paths->path + paths->start[k];
        const double *column = upper + paths->start[k];
        const double xk = x[k];
        for (int d = 0; d < paths->depth[k]; d++) {
            x[path[d]] -= column[d] * xk;
        }
    }
    for (int k = 0; k < paths->n; k++) {
        const int *path = paths->path + paths->start[k];
        const double *row = lower + paths->start[k];
        const int depth = paths->depth[k];
        double xk = x[k] * row[depth];
        for (int d = 0; d < depth; d++) {
            xk -= row[d] * x[path[d]];
        }
        x[k] = xk;
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
