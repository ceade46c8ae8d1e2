#include "dense.h"

#include <math.h>

static void swap_rows(int n, double *a, double *b, int i, int k)
{
    for (int j = 0; j < n; j++) {
        const double keep = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = keep;
    }
    const double keep = b[i];
    b[i] = b[k];
    b[k] = keep;
}

bool gr_dense_solve(int n, double *a, double *b)
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
            swap_rows(n, a, b, pivot, k);
        }
        for (int i = k + 1; i < n; i++) {
            const double s = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++) {
                a[i * n + j] -= s * a[k * n + j];
            }
            b[i] -= s * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) {
            b[k] -= a[k * n + j] * b[j];
        }
        b[k] /= a[k * n + k];
    }
    return true;
}
