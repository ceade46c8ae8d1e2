/// The most probable soil of a range of stretches, by Gauss and Newton's method with Levenberg and Marquardt's damping,
/// and its covariance there (Laplace).
///
/// cost = Σ_i Σ_q ((y_iq − h_q(s_i, z) − o_q)/σ_q)² + zᵀ R⁻¹ z + Σ_q (o_q/ω_q)²
///
/// The slip s_i of a stretch appears in its own terms only and is eliminated from the normal equations (Schur), so that
/// errors of the measured slip count as well as those of the tilt.
#include "drive_problem.h"

#include "alloc.h"
#include "dense.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "soil_param.h"

#include <math.h>
#include <string.h>

enum { STEPS = 30, TRIES = 8, ROUNDS = 4 };

static const double FIRST_DAMPING = 1e-3, EASIER = 0.2, HARDER = 8;
static const double LEAST_GAIN = 1e-3; // of the cost in a step: three hundredths of a standard deviation
static const double SCORE_STEP = 1e-3, SLIP_STEP = 1e-4; // of differences
static const double MOST_SCORE = 6, LEAST_SLIP = -0.9, MOST_SLIP = 0.97;
static const double NINETY = 1.6448536269514722; // 95 % quantile of the normal distribution

GrDriveNoise gr_default_drive_noise(void)
{
    return (GrDriveNoise){{0.02, 0.5 * GR_DEGREE, 0.01, 0.03}, {0.01, 0.3 * GR_DEGREE, 0.005, 0.03}};
}

/// Value of parameter i at a normal score, in the file's unit.
static double drive_value_at(const GrDriveFitDef *def, int i, double z)
{
    const GrSoilParam *param = gr_soil_param(def->prior->param[i]);
    const double bounded = fmin(fmax(z, -MOST_SCORE), MOST_SCORE);
    const double x = gr_distribution_quantile(&def->prior->distribution[i], gr_normal_probability(bounded));
    return fmin(fmax(x, param->lower), param->upper);
}

/// The soil at normal scores; false when it is not a valid soil.
static bool drive_soil_at(const GrDriveFitDef *def, const double *z, GrSoilDef *out)
{
    *out = *def->soil;
    for (int i = 0; i < def->prior->count; i++) {
        gr_soil_param_set(out, def->prior->param[i], drive_value_at(def, i, z[i]));
    }
    return gr_soil_check(out, NULL) == GR_OK;
}

/// A row: prediction, its derivatives by slip, then by each parameter; GR_DRIVE_QUANTITIES numbers each.
static size_t row_size(const GrDriveProblem *p)
{
    return (size_t)(p->n + 2) * GR_DRIVE_QUANTITIES;
}

bool gr_drive_problem_make(const GrDriveFitDef *def, int first, int count, GrDriveProblem *out)
{
    const int n = def->prior->count;
    double r[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS];
    *out = (GrDriveProblem){.def = def, .first = first, .count = count, .n = n, .scale = 1};
    out->slip = gr_calloc((size_t)count * (2 + row_size(out)), sizeof *out->slip);
    out->soil = gr_calloc(1, sizeof *out->soil);
    if (out->slip == NULL || out->soil == NULL) {
        return false;
    }
    out->next_slip = out->slip + count;
    out->rows = out->next_slip + count;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            r[i * n + j] = def->prior->correlation[i][j];
            out->precision[i * n + j] = i == j;
        }
    }
    gr_dense_solve_columns(n, r, out->precision, n); // the reader has checked that it is positive definite
    for (int i = 0; i < count; i++) {
        out->slip[i] = def->stretches->items[first + i].measured[GR_DRIVE_SLIP];
    }
    return true;
}

void gr_drive_problem_free(GrDriveProblem *problem)
{
    gr_free(problem->slip);
    gr_free(problem->soil);
    *problem = (GrDriveProblem){0};
}

static const GrStretch *stretch(const GrDriveProblem *p, int i)
{
    return &p->def->stretches->items[p->first + i];
}

static bool prepare(GrDriveProblem *p, const double *z)
{
    GrSoilDef soil;
    return drive_soil_at(p->def, z, &soil) && gr_drive_soil_make(p->def->rover, &soil, p->soil, NULL) == GR_OK;
}

/// What stretch i measures at a slip on the prepared soil, without offsets.
static bool predict(GrDriveProblem *p, int i, double slip, double h[GR_DRIVE_QUANTITIES])
{
    GrDrivePoint at;
    const GrStretch *s = stretch(p, i);
    if (!gr_drive_point(p->def->rover, p->soil, s->loads, slip, s->slip_angle, &at)) {
        return false;
    }
    h[GR_DRIVE_SLIP] = slip;
    h[GR_DRIVE_TILT] =
        gr_asin(fmin(fmax(at.pull, -1), 1)) + (p->def->stretches->tilt_of == GR_TILT_CHASSIS ? at.lean : 0);
    h[GR_DRIVE_TORQUE] = at.torque;
    h[GR_DRIVE_SINKAGE] = at.sinkage;
    return true;
}

/// 1/σ of a quantity of a stretch; 0: not measured.
static double weight_of(const GrDriveProblem *p, int i, int q)
{
    return isfinite(stretch(p, i)->measured[q]) ? 1 / (p->scale * p->def->noise.scatter[q]) : 0;
}

/// Difference over its deviation; 0 where nothing was measured.
static double residual(const GrDriveProblem *p, int i, int q, const double *h, const double *offset)
{
    const double w = weight_of(p, i, q);
    return w > 0 ? w * (stretch(p, i)->measured[q] - h[q] - offset[q]) : 0;
}

static double prior_cost(const GrDriveProblem *p, const double *z, const double *offset)
{
    double sum = 0;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            sum += z[i] * p->precision[i * p->n + j] * z[j];
        }
    }
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        const double o = offset[q] / p->def->noise.offset[q];
        sum += o * o;
    }
    return sum;
}

/// Cost at given unknowns; infinite where the soil cannot carry the rover.
static double cost_at(GrDriveProblem *p, const double *z, const double *offset, const double *slip)
{
    double sum = prior_cost(p, z, offset);
    if (!prepare(p, z)) {
        return (double)INFINITY;
    }
    for (int i = 0; i < p->count; i++) {
        double h[GR_DRIVE_QUANTITIES];
        if (!predict(p, i, slip[i], h)) {
            return (double)INFINITY;
        }
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            const double r = residual(p, i, q, h, offset);
            sum += r * r;
        }
    }
    return sum;
}

/// Predictions and derivatives of all stretches; false where the soil cannot carry the rover.
static bool linearise(GrDriveProblem *p)
{
    if (!prepare(p, p->z)) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        double *h = p->rows + (size_t)i * row_size(p), *by_slip = h + GR_DRIVE_QUANTITIES;
        const double step = p->slip[i] < 0.5 ? SLIP_STEP : -SLIP_STEP;
        if (!predict(p, i, p->slip[i], h) || !predict(p, i, p->slip[i] + step, by_slip)) {
            return false;
        }
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            by_slip[q] = (by_slip[q] - h[q]) / step;
        }
    }
    for (int k = 0; k < p->n; k++) {
        double z[GR_SPREAD_PARAMS];
        memcpy(z, p->z, sizeof z);
        const double step = z[k] < 0 ? SCORE_STEP : -SCORE_STEP; // towards the middle
        z[k] += step;
        const bool valid = prepare(p, z);
        for (int i = 0; i < p->count; i++) {
            double *h = p->rows + (size_t)i * row_size(p), *by_z = h + (size_t)(2 + k) * GR_DRIVE_QUANTITIES;
            const bool carried = valid && predict(p, i, p->slip[i], by_z);
            for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
                by_z[q] = carried ? (by_z[q] - h[q]) / step : 0;
            }
        }
    }
    return true;
}

/// The normal equations of one stretch: unknowns are the parameters, then the offsets, then its slip.
typedef struct StretchEquations {
    double uu[GR_DRIVE_UNKNOWNS * GR_DRIVE_UNKNOWNS], us[GR_DRIVE_UNKNOWNS], ss;
    double u[GR_DRIVE_UNKNOWNS], s; ///< right-hand sides
    double squares;                 ///< of the residuals
} StretchEquations;

static void equations_of(const GrDriveProblem *p, int i, StretchEquations *e)
{
    const double *h = p->rows + (size_t)i * row_size(p), *by_slip = h + GR_DRIVE_QUANTITIES;
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    memset(e, 0, sizeof *e);
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        const double w = weight_of(p, i, q), r = residual(p, i, q, h, p->offset), by_s = w * by_slip[q];
        double by[GR_DRIVE_UNKNOWNS] = {0};
        for (int k = 0; k < n; k++) {
            by[k] = w * by_slip[(size_t)(k + 1) * GR_DRIVE_QUANTITIES + (size_t)q];
        }
        by[n + q] = w;
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                e->uu[j * m + k] += by[j] * by[k];
            }
            e->us[j] += by[j] * by_s;
            e->u[j] += by[j] * r;
        }
        e->ss += by_s * by_s;
        e->s += by_s * r;
        e->squares += r * r;
    }
}

/// The normal equations of all stretches with their slips eliminated, and the prior.
static void add_up(const GrDriveProblem *p, double *a, double *b)
{
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    StretchEquations e;
    memset(a, 0, (size_t)(m * m) * sizeof *a);
    memset(b, 0, (size_t)m * sizeof *b);
    for (int i = 0; i < p->count; i++) {
        equations_of(p, i, &e);
        for (int j = 0; j < m; j++) {
            for (int k = 0; k < m; k++) {
                a[j * m + k] += e.uu[j * m + k] - e.us[j] * e.us[k] / e.ss;
            }
            b[j] += e.u[j] - e.us[j] * e.s / e.ss;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            a[j * m + k] += p->precision[j * n + k];
            b[j] -= p->precision[j * n + k] * p->z[k];
        }
    }
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        const double w = 1 / (p->def->noise.offset[q] * p->def->noise.offset[q]);
        a[(n + q) * m + n + q] += w;
        b[n + q] -= w * p->offset[q];
    }
}

/// One damped step from the linearised problem; the new cost, or the old one.
static double step_down(GrDriveProblem *p, double *damping)
{
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    double a[GR_DRIVE_UNKNOWNS * GR_DRIVE_UNKNOWNS], b[GR_DRIVE_UNKNOWNS], z[GR_SPREAD_PARAMS],
        offset[GR_DRIVE_QUANTITIES];
    for (int t = 0; t < TRIES; t++) {
        add_up(p, a, b);
        for (int j = 0; j < m; j++) {
            a[j * m + j] *= 1 + *damping;
        }
        if (!gr_dense_solve(m, a, b)) {
            return p->cost;
        }
        for (int k = 0; k < n; k++) {
            z[k] = fmin(fmax(p->z[k] + b[k], -MOST_SCORE), MOST_SCORE);
        }
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            offset[q] = p->offset[q] + b[n + q];
        }
        for (int i = 0; i < p->count; i++) {
            StretchEquations e;
            equations_of(p, i, &e);
            double change = e.s;
            for (int j = 0; j < m; j++) {
                change -= e.us[j] * b[j];
            }
            p->next_slip[i] = fmin(fmax(p->slip[i] + change / e.ss, LEAST_SLIP), MOST_SLIP);
        }
        const double cost = cost_at(p, z, offset, p->next_slip);
        if (cost < p->cost) {
            memcpy(p->z, z, sizeof z);
            memcpy(p->offset, offset, sizeof offset);
            memcpy(p->slip, p->next_slip, (size_t)p->count * sizeof *p->slip);
            *damping *= EASIER;
            return cost;
        }
        *damping *= HARDER;
    }
    return p->cost;
}

static GrStatus descend(GrDriveProblem *p, GrErrorLog *log)
{
    double damping = FIRST_DAMPING;
    p->cost = cost_at(p, p->z, p->offset, p->slip);
    for (int i = 0; i < STEPS; i++) {
        if (!linearise(p)) {
            return gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){.field = "soil"},
                                "the soil that the search starts from cannot carry the rover from %g to %g m; start "
                                "from a firmer one",
                                stretch(p, 0)->from, stretch(p, p->count - 1)->to);
        }
        const double before = p->cost;
        p->cost = step_down(p, &damping);
        if (!(p->cost < before - LEAST_GAIN)) {
            break;
        }
    }
    return linearise(p) ? GR_OK : GR_ERROR_NUMERIC;
}

/// Covariance of the unknowns: the inverse of the normal equations.
static void covariance_of(const GrDriveProblem *p, double *out)
{
    const int m = p->n + GR_DRIVE_QUANTITIES;
    double a[GR_DRIVE_UNKNOWNS * GR_DRIVE_UNKNOWNS], b[GR_DRIVE_UNKNOWNS];
    add_up(p, a, b);
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < m; k++) {
            out[j * m + k] = j == k;
        }
    }
    gr_dense_solve_columns(m, a, out, m);
}

/// Number of unknowns that the data determines: trace of I − C P, C the covariance and P the prior's precision.
static double determined(const GrDriveProblem *p)
{
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    double c[GR_DRIVE_UNKNOWNS * GR_DRIVE_UNKNOWNS], sum = m;
    covariance_of(p, c);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            sum -= c[j * m + k] * p->precision[k * n + j];
        }
    }
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        sum -= c[(n + q) * m + n + q] / (p->def->noise.offset[q] * p->def->noise.offset[q]);
    }
    return sum;
}

/// The factor by which the scatter must grow for the residuals of a solved problem: their mean square, and their
/// correlation from stretch to stretch, which leaves fewer independent ones. 1: none.
static double needed_scale(const GrDriveProblem *p)
{
    double squares = 0, products = 0, last[GR_DRIVE_QUANTITIES] = {0};
    int numbers = 0;
    for (int i = 0; i < p->count; i++) {
        const double *h = p->rows + (size_t)i * row_size(p);
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            const double r = residual(p, i, q, h, p->offset);
            squares += r * r;
            products += i > 0 ? r * last[q] : 0;
            last[q] = r;
            numbers += weight_of(p, i, q) > 0;
        }
    }
    const double freedom = fmax(numbers - p->count - determined(p), 1);
    const double r = squares > 0 ? products / squares : 0;
    const bool correlated = r > 2 / sqrt(fmax(numbers - p->count, 1));
    const double variance = squares / freedom * (correlated ? (1 + r) / (1 - fmin(r, 0.95)) : 1);
    return sqrt(fmax(variance, 1));
}

GrStatus gr_drive_problem_solve(GrDriveProblem *p, GrErrorLog *log)
{
    GrStatus status = descend(p, log);
    for (int i = 0; i < ROUNDS && status == GR_OK; i++) {
        const double factor = needed_scale(p);
        if (factor < 1.02) {
            break;
        }
        p->scale *= factor;
        status = descend(p, log);
    }
    return status;
}

bool gr_drive_problem_inform(GrDriveProblem *p, GrDriveInformation *out)
{
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    StretchEquations e;
    if (!linearise(p)) {
        return false;
    }
    for (int i = 0; i < p->count; i++) {
        GrDriveInformation *o = &out[i];
        equations_of(p, i, &e);
        o->c = e.squares - e.s * e.s / e.ss;
        for (int j = 0; j < n; j++) {
            o->b[j] = e.u[j] - e.us[j] * e.s / e.ss;
            for (int k = 0; k < n; k++) {
                o->a[j * n + k] = e.uu[j * m + k] - e.us[j] * e.us[k] / e.ss;
            }
        }
        // around z = 0 instead of the present one
        for (int j = 0; j < n; j++) {
            double az = 0;
            for (int k = 0; k < n; k++) {
                az += o->a[j * n + k] * p->z[k];
            }
            o->c += p->z[j] * (2 * o->b[j] + az);
            o->b[j] += az;
        }
    }
    return true;
}

// ---- report

/// Parameter k of the segment from its score and the deviation of that.
static void report_param(const GrDriveProblem *p, int k, double deviation, GrDriveSegment *out)
{
    const GrDistributionKind kind = p->def->prior->distribution[k].kind;
    const double z = p->z[k], half = NINETY * deviation;
    out->value[k] = drive_value_at(p->def, k, z);
    out->low[k] = drive_value_at(p->def, k, z - half);
    out->high[k] = drive_value_at(p->def, k, z + half);
    out->narrowed[k] = deviation;
    out->logarithmic[k] =
        (kind == GR_DISTRIBUTION_LOG_NORMAL || kind == GR_DISTRIBUTION_LOG_UNIFORM) && out->low[k] > 0;
    // from the whole interval, which is what a truncated or skewed prior leaves of it
    out->deviation[k] =
        (out->logarithmic[k] ? gr_log(out->high[k] / out->low[k]) : out->high[k] - out->low[k]) / (2 * NINETY);
}

/// Differences of what was measured from what the soil predicts, offsets included: what the next drive may differ by.
static void report_residuals(const GrDriveProblem *p, GrDriveSegment *out)
{
    int count[GR_DRIVE_QUANTITIES] = {0};
    out->pull_residual = 0;
    for (int i = 0; i < p->count; i++) {
        const double *h = p->rows + (size_t)i * row_size(p), *by_slip = h + GR_DRIVE_QUANTITIES;
        double off[GR_DRIVE_QUANTITIES];
        for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
            off[q] = stretch(p, i)->measured[q] - h[q];
            if (isfinite(off[q])) {
                out->residual[q] += off[q] * off[q];
                count[q]++;
            }
        }
        // at the measured slip the law pulls as on another tilt; of this difference the slip has its share
        const double steep = by_slip[GR_DRIVE_TILT], tilt = off[GR_DRIVE_TILT] - steep * off[GR_DRIVE_SLIP];
        const double of_tilt = p->def->noise.scatter[GR_DRIVE_TILT],
                     of_slip = steep * p->def->noise.scatter[GR_DRIVE_SLIP];
        const double share = of_tilt * of_tilt / (of_tilt * of_tilt + of_slip * of_slip);
        const double pull = tilt * gr_cos(h[GR_DRIVE_TILT]);
        out->pull_residual += share * pull * pull / p->count;
    }
    out->pull_residual = sqrt(out->pull_residual);
    for (int q = 0; q < GR_DRIVE_QUANTITIES; q++) {
        out->residual[q] = count[q] > 0 ? sqrt(out->residual[q] / count[q]) : (double)NAN;
    }
}

void gr_drive_problem_report(GrDriveProblem *p, GrDriveSegment *out)
{
    const int n = p->n, m = n + GR_DRIVE_QUANTITIES;
    double c[GR_DRIVE_UNKNOWNS * GR_DRIVE_UNKNOWNS];
    *out = (GrDriveSegment){.first = p->first, .count = p->count, .noise_factor = p->scale};
    out->from = stretch(p, 0)->from;
    out->to = stretch(p, p->count - 1)->to;
    drive_soil_at(p->def, p->z, &out->soil);
    memcpy(out->offset, p->offset, sizeof out->offset);
    covariance_of(p, c);
    for (int j = 0; j < n; j++) {
        report_param(p, j, sqrt(fmax(c[j * m + j], 0)), out);
        for (int k = 0; k < n; k++) {
            const double both = 0.5 * (c[j * m + k] + c[k * m + j]); // exactly symmetric, as samplers need it
            out->correlation[j][k] = both / sqrt(c[j * m + j] * c[k * m + k]);
        }
    }
    report_residuals(p, out);
}
