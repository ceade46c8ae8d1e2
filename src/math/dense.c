#include "dense.h"

#include <math.h>

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
