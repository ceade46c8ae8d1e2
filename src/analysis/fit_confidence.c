/// Confidence intervals of fitted parameters, from the Jacobian at the optimum. Noise is estimated separately for each
/// measured quantity.
#include "elementary.h"
#include "fit_problem.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
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

/// Inverse of a symmetric matrix by Gauss-Jordan with partial pivoting; false when it is singular.
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

/// The weighted Jacobian at the optimum, column after column, with the weighted residuals and their quantities.
typedef struct Jacobian {
    int rows, count;          ///< numbers of residuals and of parameters that are not at a bound
    int inner[GR_FIT_PARAMS]; ///< those parameters
    double *columns, *residuals, *below;
    int *quantity;
} Jacobian;

static bool jacobian_alloc(Jacobian *s)
{
    const size_t m = (size_t)s->rows;
    s->columns = gr_calloc(((size_t)s->count + 2) * m + 1, sizeof *s->columns);
    s->quantity = gr_calloc(m + 1, sizeof *s->quantity);
    if (s->columns == NULL || s->quantity == NULL) {
        return false;
    }
    s->residuals = s->columns + (size_t)s->count * m;
    s->below = s->residuals + m;
    return true;
}

static double *column(const Jacobian *s, int k)
{
    return s->columns + (size_t)k * (size_t)s->rows;
}

/// Central differences, then rows times √w, w from the loss.
static void jacobian_fill(GrFitProblem *problem, const double *u, Jacobian *s)
{
    const double step = gr_soil_law_on_grid(problem->def->rig.soil.law) ? GR_FIT_GRID_STEP : 1e-4;
    double shifted[GR_FIT_PARAMS];
    for (int k = 0; k < s->count; k++) {
        memcpy(shifted, u, sizeof shifted);
        const double up = fmin(u[s->inner[k]] + step, 1), down = fmax(u[s->inner[k]] - step, 0);
        shifted[s->inner[k]] = down;
        gr_fit_residuals(problem, shifted, s->below, NULL);
        shifted[s->inner[k]] = up;
        gr_fit_residuals(problem, shifted, column(s, k), NULL);
        for (int i = 0; i < s->rows; i++) {
            column(s, k)[i] = (column(s, k)[i] - s->below[i]) / (up - down);
        }
    }
    gr_fit_residuals(problem, u, s->residuals, s->quantity);
    for (int i = 0; i < s->rows; i++) {
        const double root = sqrt(gr_fit_loss_weight(problem->def, s->residuals[i]));
        s->residuals[i] *= root;
        for (int k = 0; k < s->count; k++) {
            column(s, k)[i] *= root;
        }
    }
}

/// A = JᵀJ and M = Σ_q s_q² J_qᵀJ_q: each quantity has its own noise s_q², estimated from its residuals.
static void normal_matrices(const Jacobian *s, double a[GR_FIT_PARAMS][GR_FIT_PARAMS],
                            double m[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    double variance[GR_QUANTITIES] = {0};
    int rows[GR_QUANTITIES] = {0};
    for (int i = 0; i < s->rows; i++) {
        variance[s->quantity[i]] += s->residuals[i] * s->residuals[i];
        rows[s->quantity[i]]++;
    }
    const double kept = (double)(s->rows - s->count) / s->rows; // remaining fraction of the degrees of freedom
    for (int q = 0; q < GR_QUANTITIES; q++) {
        variance[q] = rows[q] > 0 ? variance[q] / (rows[q] * kept) : 0;
    }
    for (int j = 0; j < s->count; j++) {
        for (int k = 0; k < s->count; k++) {
            a[j][k] = m[j][k] = 0;
            for (int i = 0; i < s->rows; i++) {
                const double product = column(s, j)[i] * column(s, k)[i];
                a[j][k] += product;
                m[j][k] += variance[s->quantity[i]] * product;
            }
        }
    }
}

static void fill_intervals(const GrFitDef *def, const double *u, const Jacobian *s,
                           double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS], double t, GrFitResult *out)
{
    for (int k = 0; k < s->count; k++) {
        const int p = s->inner[k];
        const double half = t * sqrt(fmax(covariance[k][k], 0));
        const GrFitParam *param = &def->params[p];
        // The interval may exceed the bounds: it reflects the data, not the allowed range.
        const double span = param->logarithmic ? gr_log(param->upper / param->lower) : param->upper - param->lower;
        const double value = gr_fit_value_at(param, u[p]);
        out->low[p] = param->logarithmic ? value * gr_exp(-half * span) : value - half * span;
        out->high[p] = param->logarithmic ? value * gr_exp(half * span) : value + half * span;
        for (int j = 0; j < s->count; j++) {
            out->correlation[p][s->inner[j]] = covariance[k][j] / sqrt(covariance[k][k] * covariance[j][j]);
        }
    }
}

/// A⁻¹ M A⁻¹; false when the data does not determine the parameters. A is scaled to a diagonal of 1 before it is
/// inverted.
static bool covariance_of(const Jacobian *s, double out[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    static const double least = 1e-9;
    double a[GR_FIT_PARAMS][GR_FIT_PARAMS], m[GR_FIT_PARAMS][GR_FIT_PARAMS], inverse[GR_FIT_PARAMS][GR_FIT_PARAMS];
    double size[GR_FIT_PARAMS], half[GR_FIT_PARAMS][GR_FIT_PARAMS];
    const int n = s->count;
    if (s->rows <= n) {
        return false;
    }
    normal_matrices(s, a, m);
    for (int j = 0; j < n; j++) {
        size[j] = sqrt(a[j][j]);
        if (!(size[j] > least)) {
            return false;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            a[j][k] /= size[j] * size[k];
        }
    }
    if (!invert(n, a, inverse)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            inverse[j][k] /= size[j] * size[k];
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            half[j][k] = 0;
            for (int i = 0; i < n; i++) {
                half[j][k] += inverse[j][i] * m[i][k];
            }
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            out[j][k] = 0;
            for (int i = 0; i < n; i++) {
                out[j][k] += half[j][i] * inverse[i][k];
            }
        }
    }
    return true;
}

GrStatus gr_fit_confidence(GrFitProblem *problem, const double *u, GrFitResult *out, GrErrorLog *log)
{
    const GrFitDef *def = problem->def;
    Jacobian s = {.rows = problem->residual_count};
    for (int i = 0; i < def->param_count; i++) {
        out->at_bound[i] = u[i] < 1e-5 || u[i] > 1 - 1e-5;
        out->low[i] = -(double)INFINITY;
        out->high[i] = (double)INFINITY;
        if (!out->at_bound[i]) {
            s.inner[s.count++] = i;
        }
    }
    GrStatus status = GR_OK;
    double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS];
    if (jacobian_alloc(&s)) {
        jacobian_fill(problem, u, &s);
        if (covariance_of(&s, covariance)) {
            fill_intervals(def, u, &s, covariance, student(s.rows - s.count), out);
        }
    } else {
        status = gr_out_of_memory(log, NULL);
    }
    gr_free(s.columns);
    gr_free(s.quantity);
    return status;
}
