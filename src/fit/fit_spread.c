#include "fit_spread.h"

#include "alloc.h"
#include "band.h"
#include "distribution.h"
#include "elementary.h"
#include "fit_problem.h"
#include "out_of_memory.h"
#include "soil_param.h"
#include "statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KIND_GROUPS = GR_FIT_GROUPS / GR_GROUP_KINDS, SLIP_GROUPS = 3, LEAST_POINTS = 3 };

const char *const gr_group_kind_names[GR_GROUP_KINDS] = {"slip_angle", "load", "wheel", "slip"};

/// Correlations are this much smaller than found, so that they stay positive definite when a file rounds them to six
/// digits.
static const double LESS = 2e-5;

GrQuantity gr_spread_quantity_of(GrSpreadQuantity quantity)
{
    static const GrQuantity of[GR_SPREAD_QUANTITIES] = {GR_FX, GR_FY, GR_TORQUE, GR_SINKAGE};
    return of[quantity];
}

static GrCondition condition_of(const GrRigDef *rig, const GrWheelDatum *datum)
{
    const GrRigDef own = gr_wheel_datum_rig(rig, datum);
    return (GrCondition){datum->value[GR_SLIP], datum->value[GR_SLIP_ANGLE], own.load, own.wheel.width,
                         own.wheel.radius};
}

// ---- range

static void widen(double range[2], double value)
{
    range[0] = fmin(range[0], value); // fmin and fmax pass over NAN
    range[1] = fmax(range[1], value);
}

static GrConditions range_of(const GrFitDef *def, const unsigned char *role)
{
    const double none = (double)NAN;
    GrConditions out = {{none, none}, {none, none}, {none, none}, {none, none}, {none, none}};
    for (int i = 0; i < def->data->count; i++) {
        if (role[i] == GR_FIT_USED) {
            const GrCondition at = condition_of(&def->rig, &def->data->items[i]);
            widen(out.slip, at.slip);
            widen(out.slip_angle, fabs(at.slip_angle));
            widen(out.load, at.load);
            widen(out.width, at.width);
            widen(out.radius, at.radius);
        }
    }
    return out;
}

// ---- parameters

/// Width of the bounds in the variable of the fit.
static double span(const GrFitParam *p)
{
    return p->logarithmic ? gr_log(p->upper / p->lower) : p->upper - p->lower;
}

static GrDistribution distribution_of(const GrFitParam *p, double u, double deviation)
{
    GrDistribution d = gr_default_distribution(p->logarithmic ? GR_DISTRIBUTION_LOG_NORMAL : GR_DISTRIBUTION_NORMAL);
    d.lower = p->lower;
    d.upper = p->upper;
    d.mean = d.median = gr_fit_value_at(p, u);
    d.deviation = d.log_deviation = deviation * span(p);
    return d;
}

/// Distributions and correlations from the covariance of the coordinates. Parameters without spread, and those that are
/// not in the table of soils (points of chaikin), stay as they are.
static void put_parameters(const GrFitDef *def, const double *u, double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS],
                           GrSoilSpread *out)
{
    static const char *const both[] = {"K_x", "K_y"};
    int from[GR_SPREAD_PARAMS];
    out->count = 0;
    for (int i = 0; i < def->param_count; i++) {
        const GrFitParam *p = &def->params[i];
        const double deviation = sqrt(covariance[i][i]);
        for (int k = 0; k < p->offset_count && deviation > 0 && out->count < GR_SPREAD_PARAMS; k++) {
            const int param = gr_soil_param_find(p->offset_count == 2 ? both[k] : p->name);
            if (param >= 0) {
                from[out->count] = i;
                out->param[out->count] = param;
                out->distribution[out->count++] = distribution_of(p, u[i], deviation);
            }
        }
    }
    for (int j = 0; j < out->count; j++) {
        for (int k = 0; k < out->count; k++) {
            const int a = from[j], b = from[k];
            out->correlation[j][k] =
                j == k ? 1 : (1 - LESS) * (covariance[a][b] / sqrt(covariance[a][a] * covariance[b][b]));
        }
    }
}

// ---- errors

/// Sums over points.
typedef struct Sums {
    double squares[GR_SPREAD_QUANTITIES]; ///< of errors over their unit
    int count[GR_SPREAD_QUANTITIES];
} Sums;

/// Errors of a point over their units; NAN: not measured, or no equilibrium.
typedef struct PointError {
    double of[GR_SPREAD_QUANTITIES];
} PointError;

static PointError error_of(const GrFitDef *def, const GrSoilDef *soil, const GrWheelDatum *datum, bool *missing)
{
    const GrCondition at = condition_of(&def->rig, datum);
    GrRigPoint point;
    PointError out;
    *missing = !gr_fit_predict(&def->rig, soil, datum, &point);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const GrQuantity quantity = gr_spread_quantity_of((GrSpreadQuantity)q);
        const double off = *missing ? (double)NAN : datum->value[quantity] - gr_quantity_of(&point, quantity);
        const bool straight = q == GR_SPREAD_FY && fabs(at.slip_angle) < GR_STRAIGHT_AHEAD; // tells nothing
        out.of[q] = straight ? (double)NAN : off / gr_spread_unit((GrSpreadQuantity)q, &at);
    }
    return out;
}

/// Compares the points of one role with what a soil predicts; returns those without equilibrium. `errors`: of every
/// point; NULL: not wanted.
static int add_errors(const GrFitDef *def, const GrSoilDef *soil, const unsigned char *role, unsigned char wanted,
                      Sums *out, PointError *errors)
{
    int missing = 0;
    for (int i = 0; i < def->data->count; i++) {
        if (role[i] != wanted) {
            continue;
        }
        bool lost;
        const PointError e = error_of(def, soil, &def->data->items[i], &lost);
        missing += lost;
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            if (isfinite(e.of[q])) {
                out->squares[q] += e.of[q] * e.of[q];
                out->count[q]++;
            }
        }
        if (errors != NULL) {
            errors[i] = e;
        }
    }
    return missing;
}

static bool same_wheel(const GrWheelDatum *a, const GrWheelDatum *b)
{
    bool same = true;
    for (int k = 0; k < GR_WHEEL_SIZES; k++) {
        same = same && a->size[k] == b->size[k];
    }
    return same;
}

/// Whether two points are trials of one condition: slip within 0.01, angle within half a degree, load within 5 %.
static bool repeated(const GrFitDef *def, int i, int j)
{
    const GrCondition a = condition_of(&def->rig, &def->data->items[i]);
    const GrCondition b = condition_of(&def->rig, &def->data->items[j]);
    const GrWheelDatum *c = &def->data->items[i], *d = &def->data->items[j];
    return fabs(a.slip - b.slip) < 0.01 && fabs(a.slip_angle - b.slip_angle) < 0.5 * GR_DEGREE &&
           fabs(a.load - b.load) < 0.05 * a.load && same_wheel(c, d);
}

/// Scatter between repeated trials, from the columns sd_… or from points at equal conditions: mean variance of a trial.
static double repeats_of(const GrFitDef *def, GrSpreadQuantity q)
{
    const GrQuantity quantity = gr_spread_quantity_of(q);
    double given = 0, found = 0;
    int given_count = 0, pairs = 0;
    for (int i = 0; i < def->data->count; i++) {
        const GrWheelDatum *datum = &def->data->items[i];
        const GrCondition at = condition_of(&def->rig, datum);
        const double unit = gr_spread_unit(q, &at), sd = datum->scatter[quantity] / unit;
        if (def->role[i] != GR_FIT_USED) {
            continue;
        }
        given += sd * sd;
        given_count += sd > 0;
        for (int j = 0; j < i; j++) {
            const double d = (def->data->items[j].value[quantity] - datum->value[quantity]) / unit;
            if (def->role[j] == GR_FIT_USED && isfinite(d) && repeated(def, i, j)) {
                found += d * d / 2; // the mean over pairs is the variance
                pairs++;
            }
        }
    }
    return given_count > 0 ? sqrt(given / given_count) : pairs > 0 ? sqrt(found / pairs) : (double)NAN;
}

// ---- groups

/// What tells the groups of a kind apart, of each used point.
static double key_of(const GrFitDef *def, GrGroupKind kind, int i)
{
    const GrWheelDatum *datum = &def->data->items[i];
    int before = 0, used = 0, first = 0;
    switch (kind) {
    case GR_GROUP_SLIP_ANGLE:
        return fabs(datum->value[GR_SLIP_ANGLE]) / (2 * GR_DEGREE);
    case GR_GROUP_LOAD:
        return gr_log(condition_of(&def->rig, datum).load) / gr_log(1.25);
    case GR_GROUP_WHEEL:
        while (!same_wheel(&def->data->items[first], datum)) {
            first++;
        }
        return 2.0 * first;
    default:
        for (int j = 0; j < def->data->count; j++) {
            const double other = def->data->items[j].value[GR_SLIP], own = datum->value[GR_SLIP];
            used += def->role[j] == GR_FIT_USED;
            before += def->role[j] == GR_FIT_USED && (other < own || (other == own && j < i));
        }
        before = SLIP_GROUPS * before / used;
        return 2.0 * before;
    }
}

/// Numbers the groups of a kind in the order of their keys; a gap above 1 parts two. Returns how many there are; `keys`
/// is scratch.
static int divide(const GrFitDef *def, GrGroupKind kind, double *keys, int *group)
{
    int n = 0, count = 1;
    for (int i = 0; i < def->data->count; i++) {
        if (def->role[i] == GR_FIT_USED) {
            keys[n++] = key_of(def, kind, i);
        }
    }
    gr_sort(keys, n);
    for (int i = 1; i < n; i++) {
        count += keys[i] - keys[i - 1] > 1;
    }
    for (int i = 0; i < def->data->count; i++) {
        const double own = def->role[i] == GR_FIT_USED ? key_of(def, kind, i) : 0;
        int below = 0;
        for (int j = 1; j < n && keys[j] <= own; j++) {
            below += keys[j] - keys[j - 1] > 1;
        }
        group[i] = def->role[i] != GR_FIT_USED ? -1 : count > KIND_GROUPS ? below * KIND_GROUPS / count : below;
    }
    return count > KIND_GROUPS ? KIND_GROUPS : count;
}

/// What tells a group apart, from least to most, and whether it lies outside the range of the other points.
static void describe(const GrFitDef *def, const unsigned char *role, GrFitGroup *out)
{
    const GrConditions others = range_of(def, role);
    out->low = (double)INFINITY;
    out->high = -(double)INFINITY;
    for (int i = 0; i < def->data->count; i++) {
        const GrWheelDatum *datum = &def->data->items[i];
        const GrSoilWheelDef wheel = gr_wheel_datum_rig(&def->rig, datum).wheel;
        const GrCondition at = condition_of(&def->rig, datum);
        const double values[GR_GROUP_KINDS] = {fabs(at.slip_angle), at.load, wheel.radius + wheel.grouser_height,
                                               at.slip};
        if (role[i] == GR_FIT_HELD) {
            out->low = fmin(out->low, values[out->kind]);
            out->high = fmax(out->high, values[out->kind]);
            out->extrapolated = out->extrapolated || gr_conditions_outside(&others, &at) > 0;
            out->points++;
        }
    }
}

/// Predicts the points held back in `role` by a local refit to the others, from u, with the prior of the covariance:
/// without it many parameters over few points run away. False: too few are in one of the two sets to tell anything.
static bool predict_group(const GrFitDef *def, const double *u, double noise, const unsigned char *role,
                          GrFitGroup *group, Sums *all, int *evaluations, GrStatus *status, GrErrorLog *log)
{
    GrFitProblem problem;
    Sums own = {0};
    double moved[GR_FIT_PARAMS];
    memcpy(moved, u, sizeof moved);
    if (!gr_fit_problem_make(def, role, &problem)) {
        *status = gr_out_of_memory(log, NULL);
        return false;
    }
    describe(def, role, group);
    for (int k = 0; k < def->param_count; k++) {
        const double prior = gr_fit_prior(u[k]);
        problem.home[k] = u[k];
        problem.pull[k] = prior > 0 ? noise / (prior * prior) : 0;
    }
    const bool enough = problem.residual_count > def->param_count && group->points >= LEAST_POINTS;
    *status = enough ? gr_fit_descend(&problem, moved, log) : GR_OK;
    *evaluations += problem.evaluations;
    gr_fit_problem_free(&problem);
    if (!enough || *status != GR_OK) {
        return false;
    }
    const GrSoilDef soil = gr_fit_soil_at(def, moved);
    group->missing = add_errors(def, &soil, role, GR_FIT_HELD, &own, NULL);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        group->rms[q] = own.count[q] > 0 ? sqrt(own.squares[q] / own.count[q]) : (double)NAN;
        all->squares[q] += own.squares[q];
        all->count[q] += own.count[q];
    }
    return true;
}

double gr_fit_few(double v)
{
    const double x = gr_beta_quantile(0.5 * v, 0.5, 0.1);
    return sqrt(v * (1 - x) / x) / GR_BAND_HALF;
}

/// Memory for the points of a fit.
typedef struct Work {
    double *keys;
    int *number; ///< of the group of each point
    unsigned char *role;
    PointError *errors; ///< of the points used, by the fit to all of them
} Work;

static bool make_work(int points, Work *w)
{
    const size_t count = (size_t)points + 1;
    *w = (Work){gr_malloc(count * sizeof *w->keys), gr_malloc(count * sizeof *w->number), gr_malloc(count),
                gr_malloc(count * sizeof *w->errors)};
    return w->keys != NULL && w->number != NULL && w->role != NULL && w->errors != NULL;
}

static void free_work(const Work *w)
{
    gr_free(w->keys);
    gr_free(w->number);
    gr_free(w->role);
    gr_free(w->errors);
}

/// How many independent errors scatter as much as these of a quantity, n Σe²/Σ(Σe)² with the outer sum over groups: n
/// where the errors of a group have nothing in common, and the number of groups where they are the same.
static double independent(const GrFitDef *def, const Work *w, int groups, int q)
{
    double squares = 0, common = 0;
    int n = 0, with = 0;
    for (int g = 0; g < groups; g++) {
        double sum = 0;
        const int before = n;
        for (int i = 0; i < def->data->count; i++) {
            const double e = w->number[i] == g ? w->errors[i].of[q] : (double)NAN;
            if (isfinite(e)) {
                sum += e;
                squares += e * e;
                n++;
            }
        }
        common += sum * sum;
        with += n > before;
    }
    return fmin(fmax(n * squares / (common + 1e-300), with), n);
}

/// Scatter of the fitted points for each degree of freedom, widened by Student's t: the errors of a group have much in
/// common, so that a few groups tell less of it than their points would.
static void put_residuals(const GrFitDef *def, const GrFitResult *result, int determined, const Work *w,
                          GrSoilSpread *out)
{
    Sums sums = {0};
    add_errors(def, &result->soil, def->role, GR_FIT_USED, &sums, w->errors);
    const double kept = (double)(result->residual_count - determined) / result->residual_count;
    double free[GR_SPREAD_QUANTITIES];
    bool grouped = false;
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        free[q] = sums.count[q];
    }
    for (int k = 0; k < GR_GROUP_KINDS; k++) {
        const int groups = k != GR_GROUP_SLIP || !grouped ? divide(def, (GrGroupKind)k, w->keys, w->number) : 1;
        for (int q = 0; q < GR_SPREAD_QUANTITIES && groups > 1; q++) {
            free[q] = fmin(free[q], independent(def, w, groups, q));
        }
        grouped = grouped || groups > 1;
    }
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        const double rms = sqrt(sums.squares[q] / (sums.count[q] * kept));
        out->error[q].residual = sums.count[q] > 0 ? gr_fit_few(fmax(kept * free[q], 1)) * rms : (double)NAN;
    }
}

/// Raises the discrepancies to those of one kind of group. `most`: groups of a kind that had the quantity.
static GrStatus add_kind(const GrFitDef *def, const double *u, double noise, GrGroupKind kind, const Work *w,
                         int most[GR_SPREAD_QUANTITIES], GrFitSpread *out, GrErrorLog *log)
{
    Sums sums = {0};
    int done[GR_SPREAD_QUANTITIES] = {0}, all = 0;
    GrStatus status = GR_OK;
    const int count = divide(def, kind, w->keys, w->number);
    for (int g = 0; g < count && count > 1 && status == GR_OK; g++) {
        GrFitGroup *group = &out->groups[out->group_count];
        *group = (GrFitGroup){.kind = kind};
        for (int i = 0; i < def->data->count; i++) {
            w->role[i] = w->number[i] < 0 ? GR_FIT_SKIPPED : w->number[i] == g ? GR_FIT_HELD : GR_FIT_USED;
        }
        if (predict_group(def, u, noise, w->role, group, &sums, &out->evaluations, &status, log)) {
            out->group_count++;
            all++;
            for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
                done[q] += isfinite(group->rms[q]);
            }
        }
    }
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        GrSpreadError *error = &out->spread.error[q];
        most[q] = done[q] > most[q] ? done[q] : most[q];
        if (sums.count[q] > 0) {
            const double own = gr_fit_few(done[q] > 1 ? all : done[q]) * sqrt(sums.squares[q] / sums.count[q]);
            error->discrepancy = fmax(fmax(error->discrepancy, own), error->residual); // fmax passes over NAN
        }
    }
    return status;
}

/// Where fewer than two groups that were left out had the quantity, or nobody measured it: at least the discrepancies
/// of the joint fit to both measured wheels of data/measurements (cmu_fit); none would say that the law is as right
/// everywhere as where it was fitted.
static void assume_discrepancies(const int groups[GR_SPREAD_QUANTITIES], GrFitSpread *out)
{
    static const double usual[GR_SPREAD_QUANTITIES] = {
        [GR_SPREAD_FX] = 0.16, [GR_SPREAD_FY] = 0.14, [GR_SPREAD_TORQUE] = 0.16, [GR_SPREAD_SINKAGE] = 0.09};
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        GrSpreadError *error = &out->spread.error[q];
        if (groups[q] < 2 && !(error->discrepancy > usual[q])) {
            error->discrepancy = fmax(usual[q], error->residual); // fmax passes over NAN
            out->assumed[q] = true;
        }
        if (groups[q] == 1 && out->group_count > 1 && !isnan(error->residual)) {
            error->residual = error->discrepancy; // between the groups nothing tells of it
        }
    }
}

GrStatus gr_fit_spread(const GrFitDef *def, const GrFitResult *result, GrFitSpread *out, GrErrorLog *log)
{
    GrFitProblem problem;
    double u[GR_FIT_PARAMS], covariance[GR_FIT_PARAMS][GR_FIT_PARAMS];
    int determined = 0, groups[GR_SPREAD_QUANTITIES] = {0}; // groups of a kind that have the quantity
    memset(out, 0, sizeof *out);
    if (!gr_fit_problem_make(def, def->role, &problem)) {
        return gr_out_of_memory(log, NULL);
    }
    gr_fit_coordinates(def, &result->soil, u);
    GrStatus status = gr_fit_covariance(&problem, u, covariance, log);
    out->evaluations = problem.evaluations;
    gr_fit_problem_free(&problem);
    if (status != GR_OK) {
        return status;
    }
    GrSoilSpread *spread = &out->spread;
    spread->kind = GR_SPREAD_FIT;
    spread->range = range_of(def, def->role);
    put_parameters(def, u, covariance, spread);
    for (int i = 0; i < def->param_count; i++) {
        determined += !result->at_bound[i];
        for (int j = 0; j < def->param_count; j++) {
            out->covariance[i][j] = covariance[i][j] * span(&def->params[i]) * span(&def->params[j]);
        }
    }
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        spread->error[q].repeats = repeats_of(def, (GrSpreadQuantity)q);
        spread->error[q].discrepancy = (double)NAN;
    }
    Work work;
    if (make_work(def->data->count, &work)) {
        const double noise = result->cost * result->residual_count / (result->residual_count - determined);
        put_residuals(def, result, determined, &work, spread);
        for (int k = 0; k < GR_GROUP_KINDS && status == GR_OK; k++) {
            if (k != GR_GROUP_SLIP || out->group_count == 0) {
                status = add_kind(def, u, noise, (GrGroupKind)k, &work, groups, out, log);
            }
        }
        assume_discrepancies(groups, out);
    } else {
        status = gr_out_of_memory(log, NULL);
    }
    free_work(&work);
    return status;
}
