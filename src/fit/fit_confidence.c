/// Confidence intervals of fitted parameters, from the Jacobian at the optimum. Noise is estimated separately for each
/// measured quantity. For parameters that the data does not determine: the further test that would.
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
    const double step = gr_fit_step(problem->def);
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

/// A += JᵀJ
static void add_information(const Jacobian *s, double a[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    for (int j = 0; j < s->count; j++) {
        for (int k = 0; k < s->count; k++) {
            for (int i = 0; i < s->rows; i++) {
                a[j][k] += column(s, j)[i] * column(s, k)[i];
            }
        }
    }
}

/// The interval of parameter p, `half` to each side of u as a part of its range. It may exceed the bounds: it reflects
/// the data, not the allowed range.
static void set_interval(const GrFitParam *param, int p, double u, double half, GrFitResult *out)
{
    const double span = param->logarithmic ? gr_log(param->upper / param->lower) : param->upper - param->lower;
    const double value = gr_fit_value_at(param, u);
    out->low[p] = param->logarithmic ? value * gr_exp(-half * span) : value - half * span;
    out->high[p] = param->logarithmic ? value * gr_exp(half * span) : value + half * span;
    out->determined[p] = 2 * half <= 1;
}

static void fill_intervals(const GrFitDef *def, const double *u, const Jacobian *s,
                           double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS], double t, GrFitResult *out)
{
    for (int k = 0; k < s->count; k++) {
        const int p = s->inner[k];
        set_interval(&def->params[p], p, u[p], t * sqrt(fmax(covariance[k][k], 0)), out);
        for (int j = 0; j < s->count; j++) {
            out->correlation[p][s->inner[j]] = covariance[k][j] / sqrt(covariance[k][k] * covariance[j][j]);
        }
    }
}

/// out = B M B
static void sandwich(int n, double b[GR_FIT_PARAMS][GR_FIT_PARAMS], double m[GR_FIT_PARAMS][GR_FIT_PARAMS],
                     double out[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    double half[GR_FIT_PARAMS][GR_FIT_PARAMS];
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            half[j][k] = 0;
            for (int i = 0; i < n; i++) {
                half[j][k] += b[j][i] * m[i][k];
            }
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            out[j][k] = 0;
            for (int i = 0; i < n; i++) {
                out[j][k] += half[j][i] * b[i][k];
            }
        }
    }
}

/// A⁻¹ M A⁻¹; false when the data does not determine the parameters. A is scaled to a diagonal of 1 before it is
/// inverted.
static bool covariance_of(const Jacobian *s, double out[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    static const double least = 1e-9;
    double a[GR_FIT_PARAMS][GR_FIT_PARAMS], m[GR_FIT_PARAMS][GR_FIT_PARAMS], inverse[GR_FIT_PARAMS][GR_FIT_PARAMS];
    double size[GR_FIT_PARAMS];
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
    sandwich(n, inverse, m, out);
    return true;
}

// ---- further tests

enum { TEST_POINTS = 3 };

/// A test that could follow: the slips of the data, but for one change; or one more quantity at the same points.
static const struct Test {
    const char *text;
    double load, width;      ///< factors
    double slip, angle;      ///< NAN: as in the data; [rad]
    GrQuantity measured;     ///< besides the quantities of the data
    bool only_if_unmeasured; ///< no test where the data has that quantity
} TESTS[] = {
    {"a test at twice the load", 2, 1, (double)NAN, (double)NAN, GR_QUANTITIES, false},
    {"a test with a wheel twice as wide", 1, 2, (double)NAN, (double)NAN, GR_QUANTITIES, false},
    {"a test at a slip of 0.8", 1, 1, 0.8, (double)NAN, GR_QUANTITIES, false},
    {"a test at a slip angle of 15 degrees, with the side force", 1, 1, (double)NAN, 15 * GR_DEGREE, GR_FY, false},
    {"measuring the sinkage", 1, 1, (double)NAN, (double)NAN, GR_SINKAGE, true},
    {"measuring the drawbar pull", 1, 1, (double)NAN, (double)NAN, GR_FX, true},
    {"measuring the torque", 1, 1, (double)NAN, (double)NAN, GR_TORQUE, true},
};

/// Some used points of the data, from the lowest line to the highest, as the test would measure them on this soil.
static int test_points(const GrFitProblem *problem, const struct Test *test, const GrRigDef *rig, const GrSoilDef *soil,
                       GrWheelDatum points[TEST_POINTS])
{
    const GrFitDef *def = problem->def;
    int used = 0, seen = 0, n = 0;
    for (int i = 0; i < def->data->count; i++) {
        used += problem->role[i] == GR_FIT_USED;
    }
    for (int i = 0; i < def->data->count && n < TEST_POINTS; i++) {
        if (problem->role[i] != GR_FIT_USED || seen++ * (TEST_POINTS - 1) < n * (used - 1)) {
            continue;
        }
        GrWheelDatum *point = &points[n];
        GrRigPoint predicted;
        *point = def->data->items[i];
        double *v = point->value;
        v[GR_FZ] = test->load * (isfinite(v[GR_FZ]) ? v[GR_FZ] : def->rig.load);
        v[GR_SLIP] = isnan(test->slip) ? v[GR_SLIP] : test->slip;
        v[GR_SLIP_ANGLE] = isnan(test->angle) ? v[GR_SLIP_ANGLE] : test->angle;
        if (!gr_fit_predict(rig, soil, point, &predicted)) {
            continue; // such a test cannot be made
        }
        for (int q = GR_SINKAGE; q < GR_QUANTITIES; q++) {
            if (q != GR_FZ) {
                v[q] = def->data->has[q] || q == (int)test->measured ? gr_quantity_of(&predicted, q) : (double)NAN;
            }
        }
        n++;
    }
    return n;
}

/// Adds the information of a test, JᵀJ, to `a`; false: the test cannot be made, or there is no memory.
static bool add_test(const GrFitProblem *problem, const struct Test *test, const double *u, const Jacobian *s,
                     double a[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    static const unsigned char role[TEST_POINTS] = {GR_FIT_USED, GR_FIT_USED, GR_FIT_USED};
    GrWheelDatum points[TEST_POINTS];
    GrFitDef def = *problem->def;
    if (test->only_if_unmeasured && def.data->has[test->measured]) {
        return false;
    }
    def.rig.wheel.width *= test->width;
    const GrSoilDef soil = gr_fit_soil_at(&def, u);
    const GrWheelData data = {.items = points, .count = test_points(problem, test, &def.rig, &soil, points)};
    def.data = &data;
    def.role = role;
    def.presses = NULL; // their information is in `a` already
    GrFitProblem own;
    bool done = false;
    if (data.count > 0 && gr_fit_problem_make(&def, role, &own)) {
        for (int q = 0; q < GR_QUANTITIES; q++) { // a unit of a residual is the same in both
            own.spread[q] = problem->def->data->has[q] ? problem->spread[q] : own.spread[q];
        }
        Jacobian j = {.rows = own.residual_count, .count = s->count};
        memcpy(j.inner, s->inner, sizeof j.inner);
        done = jacobian_alloc(&j);
        if (done) {
            jacobian_fill(&own, u, &j);
            add_information(&j, a);
        }
        gr_free(j.columns);
        gr_free(j.quantity);
        gr_fit_problem_free(&own);
    }
    return done;
}

/// Standard deviation of each parameter, as a part of its range, when nothing but the range was known before
/// (variance 1/12) and the residuals have the given variance.
static void spreads(int n, double a[GR_FIT_PARAMS][GR_FIT_PARAMS], double variance, double out[GR_FIT_PARAMS])
{
    double sum[GR_FIT_PARAMS][GR_FIT_PARAMS], inverse[GR_FIT_PARAMS][GR_FIT_PARAMS];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum[i][j] = a[i][j] / (12 * variance) + (i == j);
        }
    }
    const bool good = invert(n, sum, inverse);
    for (int i = 0; i < n; i++) {
        out[i] = good ? sqrt(fmax(inverse[i][i], 0) / 12) : (double)INFINITY;
    }
}

/// For each parameter that the data leaves open, the test that narrows it most, if that is to a half at least.
static void advise(const GrFitProblem *problem, const double *u, const Jacobian *s, GrFitResult *out)
{
    double a[GR_FIT_PARAMS][GR_FIT_PARAMS] = {0}, best[GR_FIT_PARAMS];
    bool open = false;
    for (int k = 0; k < s->count; k++) {
        open = open || !out->determined[s->inner[k]];
    }
    if (!open) {
        return;
    }
    double variance = 0;
    for (int i = 0; i < s->rows; i++) {
        variance += s->residuals[i] * s->residuals[i] / s->rows;
    }
    variance = fmax(variance, 1e-8); // of made-up data: no measurement is better than 1e-4 of its spread
    add_information(s, a);
    spreads(s->count, a, variance, best);
    for (int k = 0; k < s->count; k++) {
        const int p = s->inner[k];
        const double half = student(s->rows - s->count) * best[k];
        if (isinf(out->low[p]) && half < 0.25) { // only others are open, which leaves the matrix singular
            set_interval(&problem->def->params[p], p, u[p], half, out);
        }
        best[k] *= 0.5;
    }
    for (size_t t = 0; t < sizeof TESTS / sizeof TESTS[0]; t++) {
        double with[GR_FIT_PARAMS][GR_FIT_PARAMS], found[GR_FIT_PARAMS];
        memcpy(with, a, sizeof with);
        if (!add_test(problem, &TESTS[t], u, s, with)) {
            continue;
        }
        spreads(s->count, with, variance, found);
        for (int k = 0; k < s->count; k++) {
            const int p = s->inner[k];
            if (!out->determined[p] && found[k] < best[k]) {
                best[k] = found[k];
                out->next_test[p] = TESTS[t].text;
            }
        }
    }
}

/// Mean square of the residuals, for each degree of freedom; of made-up data not below 1e-4 of the spread.
static double noise(const Jacobian *s)
{
    double sum = 0;
    for (int i = 0; i < s->rows; i++) {
        sum += s->residuals[i] * s->residuals[i];
    }
    return fmax(sum / (s->rows - s->count), 1e-8);
}

/// H⁻¹ (M/s⁴ + P) H⁻¹ with H = A/s² + P: the covariance of the data, with the prior P of gr_fit_prior(). Coordinates
/// are scaled by its standard deviations, so that P = 1.
static void within_bounds(const Jacobian *s, const double *u, double out[GR_FIT_PARAMS][GR_FIT_PARAMS])
{
    double a[GR_FIT_PARAMS][GR_FIT_PARAMS], m[GR_FIT_PARAMS][GR_FIT_PARAMS], inverse[GR_FIT_PARAMS][GR_FIT_PARAMS];
    double prior[GR_FIT_PARAMS], inner[GR_FIT_PARAMS][GR_FIT_PARAMS];
    const int n = s->count;
    const double variance = noise(s);
    normal_matrices(s, a, m);
    for (int j = 0; j < n; j++) {
        prior[j] = gr_fit_prior(u[s->inner[j]]);
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            const double scale = prior[j] * prior[k] / variance;
            a[j][k] = a[j][k] * scale + (j == k);
            m[j][k] = m[j][k] * scale / variance + (j == k);
        }
    }
    if (invert(n, a, inverse)) { // always: its eigenvalues are at least 1
        sandwich(n, inverse, m, inner);
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                const double mean = (inner[j][k] + inner[k][j]) / 2; // exactly symmetric
                out[s->inner[j]][s->inner[k]] = mean * (prior[j] * prior[k]);
            }
        }
    }
}

GrStatus gr_fit_covariance(GrFitProblem *problem, const double *u, double out[GR_FIT_PARAMS][GR_FIT_PARAMS],
                           GrErrorLog *log)
{
    Jacobian s = {.rows = problem->residual_count};
    memset(out, 0, GR_FIT_PARAMS * sizeof *out);
    for (int i = 0; i < problem->def->param_count; i++) {
        if (!gr_fit_at_bound(u[i])) {
            s.inner[s.count++] = i;
        }
    }
    const bool room = jacobian_alloc(&s);
    if (room && s.rows > s.count) {
        jacobian_fill(problem, u, &s);
        within_bounds(&s, u, out);
    }
    gr_free(s.columns);
    gr_free(s.quantity);
    return room ? GR_OK : gr_out_of_memory(log, NULL);
}

GrStatus gr_fit_confidence(GrFitProblem *problem, const double *u, GrFitResult *out, GrErrorLog *log)
{
    const GrFitDef *def = problem->def;
    Jacobian s = {.rows = problem->residual_count};
    for (int i = 0; i < def->param_count; i++) {
        out->at_bound[i] = gr_fit_at_bound(u[i]);
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
        advise(problem, u, &s, out);
    } else {
        status = gr_out_of_memory(log, NULL);
    }
    gr_free(s.columns);
    gr_free(s.quantity);
    return status;
}
