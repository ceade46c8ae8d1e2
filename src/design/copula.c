/// Correlated samples by a Gaussian copula.
#include "distribution.h"

#include <math.h>

GrStatus gr_correlation_factor(int n, const double *correlations, double *factor, GrLocation at, GrErrorLog *log)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            const double r = correlations[i * n + j];
            if (i == j && r != 1) {
                return gr_error_add(log, GR_ERROR_VALUE, at, "correlation %d with itself is %g and must be 1", i + 1,
                                    r);
            }
            if (r != correlations[j * n + i]) {
                return gr_error_add(log, GR_ERROR_VALUE, at,
                                    "not symmetric: entry (%d, %d) is %g but entry (%d, %d) is %g", i + 1, j + 1, r,
                                    j + 1, i + 1, correlations[j * n + i]);
            }
            if (!(fabs(r) <= 1)) {
                return gr_error_add(log, GR_ERROR_VALUE, at, "correlation (%d, %d) is %g; allowed: -1 to 1", i + 1,
                                    j + 1, r);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = j <= i ? correlations[i * n + j] : 0;
            for (int k = 0; k < j && j <= i; k++) {
                sum -= factor[i * n + k] * factor[j * n + k];
            }
            if (i == j && !(sum > 1e-12)) {
                return gr_error_add(log, GR_ERROR_VALUE, at,
                                    "the correlations contradict each other: the matrix is not positive definite "
                                    "(found at row %d)",
                                    i + 1);
            }
            factor[i * n + j] = j > i ? 0 : (i == j ? sqrt(sum) : sum / factor[j * n + j]);
        }
    }
    return GR_OK;
}

void gr_correlate(int n, const double *factor, double *u)
{
    for (int i = 0; i < n; i++) {
        u[i] = gr_normal_quantile(u[i]);
    }
    for (int i = n - 1; i >= 0; i--) { // from the last one, which no other needs
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            sum += factor[i * n + j] != 0 ? factor[i * n + j] * u[j] : 0; // 0 · ∞ at u = 0 and 1
        }
        u[i] = sum;
    }
    for (int i = 0; i < n; i++) {
        u[i] = gr_normal_probability(u[i]);
    }
}
