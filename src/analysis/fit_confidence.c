#include "fit_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// 97.5 % quantile of Student's t with v degrees of freedom (Cornish-Fisher expansion; within 1 % from v = 3 on).
static double student(int v)
{
    static const double few[] = {12.706, 4.303, 3.182, 2.776, 2.571};
    const double z = 1.959964, z2 = z * z;
    if (v <= 5) {
        return few[v < 1 ? 0 : v - 1];
    }
    const double g1 = z * (z2 + 1) / 4, g2 = z * (5 * z2 * z2 + 16 * z2 + 3) / 96;
    const double g3 = z * (3 * z2 * z2 * z2 + 19 * z2 * z2 + 17 * z2 - 15) / 384;
    return z + g1 / v + g2 / ((double)v * v) + g3 / ((double)v * v * v);
}

/// Inverse of a symmetric matrix by Gauss-Jordan with pivots of the largest size; false when it is singular.
static bool invert(int n, double a[GR_FIT_PARAMS][GR_FIT_PARAMS], double inverse[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            inverse[i][j] = i == j;
        }
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            pivot = fabs(a[i][k]) > fabs(a[pivot][k]) ? i : pivot;
        }
        if (!(fabs(a[pivot][k]) > 1e-13)) {
            return false;
        }
        for (int j = 0; j < n; j++) {
            const double t = a[k][j], s = inverse[k][j];
            a[k][j] = a[pivot][j];
            a[pivot][j] = t;
            inverse[k][j] = inverse[pivot][j];
            inverse[pivot][j] = s;
        }
        const double scale = 1 / a[k][k];
        for (int j = 0; j < n; j++) {
            a[k][j] *= scale;
            inverse[k][j] *= scale;
        }
        for (int i = 0; i < n; i++) {
            const double factor = i == k ? 0 : a[i][k];
            for (int j = 0; j < n; j++) {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    return true;
}

/// Columns of the weighted Jacobian for the free parameters that are not at a bound; returns Σ w r².
static double jacobian(GrFitProblem *problem, const double *u, const int *inner, int count, double *columns)
{
    const GrFitDef *def = problem->def;
    const int m = problem->residual_count;
    double shifted[GR_FIT_PARAMS], sum = 0;
    double *r = columns + (size_t)count * (size_t)m, *below = r + m;
    for (int k = 0; k < count; k++) {
        const double step = 1e-4;
        memcpy(shifted, u, sizeof shifted);
        const double up = fmin(u[inner[k]] + step, 1), down = fmax(u[inner[k]] - step, 0);
        shifted[inner[k]] = down;
        gr_fit_residuals(problem, shifted, below);
        shifted[inner[k]] = up;
        gr_fit_residuals(problem, shifted, columns + (size_t)k * (size_t)m);
        for (int i = 0; i < m; i++) {
            double *entry = &columns[(size_t)k * (size_t)m + (size_t)i];
            *entry = (*entry - below[i]) / (up - down);
        }
    }
    gr_fit_residuals(problem, u, r);
    for (int i = 0; i < m; i++) {
        const double weight = gr_fit_loss_weight(def, r[i]);
        sum += weight * r[i] * r[i];
        for (int k = 0; k < count; k++) {
            columns[(size_t)k * (size_t)m + (size_t)i] *= sqrt(weight);
        }
    }
    return sum;
}

static void fill_intervals(const GrFitDef *def, const double *u, const int *inner, int count,
                           double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS], double t, GrFitResult *out)
{
    for (int k = 0; k < count; k++) {
        const int p = inner[k];
        const double half = t * sqrt(fmax(covariance[k][k], 0));
        const GrFitParam *param = &def->params[p];
        // Outside the bounds too: the interval says what the data knows, not what was allowed.
        const double span = param->logarithmic ? log(param->upper / param->lower) : param->upper - param->lower;
        const double value = gr_fit_value_at(param, u[p]);
        out->low[p] = param->logarithmic ? value * exp(-half * span) : value - half * span;
        out->high[p] = param->logarithmic ? value * exp(half * span) : value + half * span;
        for (int j = 0; j < count; j++) {
            out->correlation[p][inner[j]] = covariance[k][j] / sqrt(covariance[k][k] * covariance[j][j]);
        }
    }
}

GrStatus gr_fit_confidence(GrFitProblem *problem, const double *u, GrFitResult *out, GrErrorLog *log)
{
    const GrFitDef *def = problem->def;
    const int m = problem->residual_count;
    int inner[GR_FIT_PARAMS], count = 0;
    for (int i = 0; i < def->param_count; i++) {
        out->at_bound[i] = u[i] < 1e-5 || u[i] > 1 - 1e-5;
        out->low[i] = -(double)INFINITY;
        out->high[i] = (double)INFINITY;
        if (!out->at_bound[i]) {
            inner[count++] = i;
        }
    }
    double *columns = calloc((size_t)(count + 2) * (size_t)m + 1, sizeof *columns);
    if (columns == NULL) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    const double sum = jacobian(problem, u, inner, count, columns);
    double normal[GR_FIT_PARAMS][GR_FIT_PARAMS] = {{0}}, inverse[GR_FIT_PARAMS][GR_FIT_PARAMS], size[GR_FIT_PARAMS];
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            for (int i = 0; i < m; i++) {
                normal[a][b] += columns[(size_t)a * (size_t)m + (size_t)i] * columns[(size_t)b * (size_t)m + (size_t)i];
            }
        }
    }
    free(columns);
    bool determined = m > count;
    for (int a = 0; a < count; a++) {
        size[a] = sqrt(normal[a][a]);
        determined = determined && size[a] > 1e-9;
    }
    for (int a = 0; a < count && determined; a++) {
        for (int b = 0; b < count; b++) {
            normal[a][b] /= size[a] * size[b];
        }
    }
    if (!determined || !invert(count, normal, inverse)) {
        return GR_OK; // intervals stay infinite
    }
    const double variance = sum / (m - count);
    for (int a = 0; a < count; a++) {
        for (int b = 0; b < count; b++) {
            inverse[a][b] *= variance / (size[a] * size[b]);
        }
    }
    fill_intervals(def, u, inner, count, inverse, student(m - count), out);
    return GR_OK;
}
