#include "eigen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/// Rotates rows and columns p and q so that a[p][q] vanishes.
static void rotate(int n, double *a, double *b, int p, int q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c, shift = t * a[p * n + q];
    for (int k = 0; k < n; k++) {
        if (k != p && k != q) {
            const double kp = a[k * n + p], kq = a[k * n + q];
            a[k * n + p] = a[p * n + k] = c * kp - s * kq;
            a[k * n + q] = a[q * n + k] = s * kp + c * kq;
        }
        const double bp = b[k * n + p], bq = b[k * n + q];
        b[k * n + p] = c * bp - s * bq;
        b[k * n + q] = s * bp + c * bq;
    }
    a[p * n + p] -= shift;
    a[q * n + q] += shift;
    a[p * n + q] = a[q * n + p] = 0;
}

void gr_eigen_symmetric(int n, double *a, double *b, double *d)
{
    enum { MOST_SWEEPS = 50 };
    for (int i = 0; i < n * n; i++) {
        b[i] = i / n == i % n ? 1 : 0;
    }
    bool is_rotated = true;
    for (int sweep = 0; sweep < MOST_SWEEPS && is_rotated; sweep++) {
        is_rotated = false;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                const double limit = DBL_EPSILON * sqrt(fabs(a[p * n + p] * a[q * n + q]));
                if (fabs(a[p * n + q]) > limit) {
                    rotate(n, a, b, p, q);
                    is_rotated = true;
                }
            }
        }
    }
    for (int i = 0; i < n; i++) {
        d[i] = a[i * n + i];
    }
}
