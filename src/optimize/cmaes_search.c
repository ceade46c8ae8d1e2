/// CMA-ES as an optimiser: bounds, constraints, integers, noise and restarts around the strategy of cmaes.c.
#include "alloc.h"
#include "cmaes.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "search.h"
#include "statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GR_PENALTY_MEMORY = 20 };

/// Bounds of the unit cube. A sample outside is evaluated at the nearest point of the cube and charged for its
/// distance. The strategy keeps the sample itself, so that its covariance is not squeezed by the bounds. The price
/// follows the spread of the objective (Hansen et al. 2009, IEEE Trans. Evol. Comput. 13:180).
typedef struct GrBoundPenalty {
    int n;
    double *weights;                   ///< [n] price of a squared distance; 0 until the mean leaves the cube
    double spreads[GR_PENALTY_MEMORY]; ///< recent spreads of the objective over the variance of the samples
    int spread_count;
} GrBoundPenalty;

/// Constraints g ≤ 0 by an augmented Lagrangian: f + Σ γ g + ω g² / 2 where γ + ω g ≥ 0, else − γ² / (2 ω) (Atamna,
/// Auger & Hansen 2017). Multipliers and weights follow the values at the mean of the strategy.
typedef struct GrLagrangian {
    int count;                     ///< constraints
    double *multipliers, *weights; ///< [count] γ and ω
    double *last;                  ///< [count] constraints at the last mean
    double last_value;             ///< of the Lagrangian at the last mean
    bool is_scaled, has_last;
} GrLagrangian;

// ---- penalties that let the strategy respect bounds and constraints

static double spread_of(const double *sorted, int count)
{
    return gr_quantile_sorted(sorted, count, 0.75) - gr_quantile_sorted(sorted, count, 0.25);
}

static double outside(double x)
{
    return x < 0 ? x : fmax(x - 1, 0);
}

/// Coordinates with a large variance pay less for the same distance: ξ = exp(0.9 (ln c_ii − mean ln c)).
static double mean_log_variance(const GrCmaes *es)
{
    double sum = 0;
    for (int i = 0; i < es->n; i++) {
        sum += gr_log(es->c[i * es->n + i]) / es->n;
    }
    return sum;
}

static double bound_penalty(const GrBoundPenalty *penalty, const GrCmaes *es, const double *sample)
{
    const double mean = mean_log_variance(es);
    double sum = 0;
    for (int i = 0; i < penalty->n; i++) {
        const double distance = outside(sample[i]);
        if (distance != 0) {
            sum += penalty->weights[i] * distance * distance * gr_exp(-0.9 * (gr_log(es->c[i * es->n + i]) - mean));
        }
    }
    return sum / penalty->n;
}

/// Adapts the weights; objectives[count] of the last generation, sorted, finite.
static void bound_penalty_update(GrBoundPenalty *penalty, const GrCmaes *es, const double *sorted, int count)
{
    const int n = penalty->n;
    double variance = 0;
    for (int i = 0; i < n; i++) {
        variance += gr_pow(gr_cmaes_deviation(es, i), 2) / n;
    }
    const double spread = spread_of(sorted, count) / variance;
    if (isfinite(spread) && spread > 0) {
        memmove(penalty->spreads + 1, penalty->spreads, (GR_PENALTY_MEMORY - 1) * sizeof *penalty->spreads);
        penalty->spreads[0] = spread;
        penalty->spread_count += penalty->spread_count < GR_PENALTY_MEMORY;
    }
    double recent[GR_PENALTY_MEMORY];
    memcpy(recent, penalty->spreads, sizeof recent);
    gr_sort(recent, penalty->spread_count);
    const double price = penalty->spread_count > 0 ? gr_quantile_sorted(recent, penalty->spread_count, 0.5) : 1;
    const double growth = gr_pow(1.2, fmin(1, es->mu_eff / (10.0 * n)));
    const double allowed = 3 * fmax(1, sqrt(n) / es->mu_eff);
    for (int i = 0; i < n; i++) {
        const double distance = fabs(outside(es->mean[i]));
        if (penalty->weights[i] == 0) {
            penalty->weights[i] = distance > 0 ? 2 * price : 0;
        } else if (distance > allowed * gr_cmaes_deviation(es, i)) {
            penalty->weights[i] *= growth;
        } else if (penalty->weights[i] > 5 * price) {
            penalty->weights[i] /= growth;
        }
    }
}

/// `values`: objective and constraints of a point.
static double gr_lagrangian(const GrLagrangian *lagrangian, const double *values)
{
    double sum = values[0];
    for (int j = 0; j < lagrangian->count; j++) {
        const double g = values[1 + j], gamma = lagrangian->multipliers[j], omega = lagrangian->weights[j];
        sum += gamma + omega * g >= 0 ? gamma * g + 0.5 * omega * g * g : -0.5 * gamma * gamma / omega;
    }
    return sum;
}

/// Spread of column k of the rows.
static double column_spread(const double *const *rows, int count, int k, double *scratch)
{
    for (int i = 0; i < count; i++) {
        scratch[i] = rows[i][k];
    }
    const int kept = gr_keep_finite(scratch, count);
    gr_sort(scratch, kept);
    return kept > 1 ? spread_of(scratch, kept) : 0;
}

/// Sets the weights by the spread of objective and constraints over rows[count]; not finite ones are skipped. `scratch`
/// has room for `count`.
static void lagrangian_scale(GrLagrangian *lagrangian, const double *const *rows, int count, int n, double *scratch)
{
    const double objective = column_spread(rows, count, 0, scratch);
    for (int j = 0; j < lagrangian->count; j++) {
        double constraint = column_spread(rows, count, 1 + j, scratch);
        constraint = constraint > 0 ? constraint : 1;
        lagrangian->weights[j] = 100 * (objective > 0 ? objective : 1) / (n * constraint * constraint);
    }
    lagrangian->is_scaled = true;
}

/// With the constants of Atamna et al. (2017), k1 = 3, k2 = 5, χ = 2^(1/√n), d_γ = 5, except that weights fall as
/// slowly as they grow, by χ^(1/4), and start high: over 100 seeds, their faster fall by χ from a low start found the
/// optimum of G06 in 60 and of G04 in 1, this one in all. Adapts to the values at the mean in n dimensions.
static void lagrangian_update(GrLagrangian *lagrangian, const double *values, int n)
{
    const double growth = gr_pow(2, 0.25 / sqrt(n)), value = gr_lagrangian(lagrangian, values);
    if (!isfinite(value)) {
        return;
    }
    for (int j = 0; j < lagrangian->count; j++) {
        const double g = values[1 + j], omega = lagrangian->weights[j];
        const bool is_active = lagrangian->multipliers[j] + omega * g > 0;
        lagrangian->multipliers[j] = fmax(0, lagrangian->multipliers[j] + omega * g / 5);
        if (lagrangian->has_last && is_active) {
            const bool is_weak = omega * g * g < 3 * fabs(value - lagrangian->last_value) / n ||
                                 5 * fabs(g - lagrangian->last[j]) < fabs(lagrangian->last[j]);
            lagrangian->weights[j] *= is_weak ? growth : 1 / growth;
        }
        lagrangian->last[j] = g;
    }
    lagrangian->last_value = value;
    lagrangian->has_last = true;
}

// ---- the search

/// A sample's place in the ranking.
typedef struct Ranked {
    double cost;
    int index;
} Ranked;

typedef struct Run {
    GrSearch *search;
    GrCmaes es;
    GrBoundPenalty bounds;
    GrLagrangian constraints;
    double *samples;      ///< [lambda + 1][n] the last one is the mean
    GrRated *rated;       ///< [lambda + 1]
    const double **rows;  ///< [lambda + 1]
    double *objectives;   ///< [lambda + 1]
    Ranked *ranked;       ///< [lambda]
    int *order;           ///< [lambda]
    double *weights;      ///< of the penalties
    double least_cost;    ///< without constraints: the best cost of this run
    int least_generation; ///< when it was found
    int mean_evaluations; ///< spent on evaluating means of a noisy function
} Run;

static bool run_begin(Run *run, GrSearch *search, int lambda, const double *mean, const double *step)
{
    const size_t n = (size_t)search->n, rows = (size_t)lambda + 1, constraints = (size_t)search->def->constraint_count;
    run->search = search;
    run->least_cost = INFINITY;
    run->least_generation = 0;
    const bool has_es = gr_cmaes_begin(&run->es, search->n, lambda, mean, step);
    run->samples = gr_calloc(rows * n, sizeof *run->samples);
    run->rated = gr_calloc(rows, sizeof *run->rated);
    run->rows = gr_calloc(rows, sizeof *run->rows);
    run->objectives = gr_calloc(rows, sizeof *run->objectives);
    run->ranked = gr_calloc(rows, sizeof *run->ranked);
    run->order = gr_calloc(rows, sizeof *run->order);
    run->weights = gr_calloc(n + 3 * constraints, sizeof *run->weights);
    if (!has_es || run->samples == NULL || run->rated == NULL || run->rows == NULL || run->objectives == NULL ||
        run->ranked == NULL || run->order == NULL || run->weights == NULL) {
        search->status = gr_out_of_memory(search->log, NULL);
        return false;
    }
    run->bounds = (GrBoundPenalty){.n = search->n, .weights = run->weights};
    run->constraints = (GrLagrangian){.count = search->def->constraint_count,
                                      .multipliers = run->weights + n,
                                      .weights = run->weights + n + constraints,
                                      .last = run->weights + n + 2 * constraints};
    // With three tenths of a cell an integer in the middle of its cell changes in one of ten samples, however far the
    // continuous variables have converged.
    for (int i = 0; i < search->n; i++) {
        const int at = search->free_index[i];
        run->es.least[i] =
            gr_search_is_integer(search, i) ? 0.3 / (search->def->upper[at] - search->def->lower[at] + 1) : 0;
    }
    return true;
}

static void run_end(Run *run)
{
    gr_cmaes_end(&run->es);
    gr_free(run->samples);
    gr_free(run->rated);
    gr_free(run->rows);
    gr_free(run->objectives);
    gr_free(run->ranked);
    gr_free(run->order);
    gr_free(run->weights);
}

static int compare(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    return x->cost != y->cost ? (x->cost > y->cost) - (x->cost < y->cost) : x->index - y->index;
}

/// Ranks the samples by the Lagrangian and their distance outside the bounds.
static void rank(Run *run)
{
    const int lambda = run->es.lambda;
    int finite = 0;
    for (int k = 0; k < lambda; k++) {
        const double cost = gr_lagrangian(&run->constraints, run->rated[k].values);
        const bool is_finite = isfinite(cost) && !isinf(run->rated[k].violation);
        run->ranked[k] = (Ranked){is_finite ? cost : (double)INFINITY, k};
        if (is_finite) {
            run->objectives[finite++] = cost;
        }
    }
    gr_sort(run->objectives, finite);
    if (finite > 0) {
        bound_penalty_update(&run->bounds, &run->es, run->objectives, finite);
        if (run->objectives[0] < run->least_cost) {
            run->least_cost = run->objectives[0];
            run->least_generation = run->es.generation;
        }
    }
    for (int k = 0; k < lambda; k++) {
        run->ranked[k].cost += bound_penalty(&run->bounds, &run->es, run->samples + k * run->es.n);
    }
    qsort(run->ranked, (size_t)lambda, sizeof *run->ranked, compare);
    for (int k = 0; k < lambda; k++) {
        run->order[k] = run->ranked[k].index;
    }
}

/// Evaluates the mean of a noisy function as a candidate for the best point.
static void try_mean(Run *run)
{
    GrSearch *search = run->search;
    GrRated rated;
    if (gr_search_rate(search, run->es.mean, 1, (GrRepeats){search->def->repeats, true}, &rated) == 1) {
        gr_search_note(search, run->es.mean, &rated);
        run->mean_evaluations += search->def->repeats;
    }
}

/// Samples, evaluates and learns. False where the budget ends.
static bool generation(Run *run, int reserved)
{
    GrSearch *search = run->search;
    const bool is_noisy = search->def->repeats > 1;
    const int lambda = run->es.lambda, n = run->es.n;
    gr_cmaes_sample(&run->es, run->samples);
    // The mean: the starting point at first, and what the multipliers of the constraints learn from.
    const bool has_mean = run->constraints.count > 0 || (search->out->evaluations == 0 && !is_noisy);
    double *mean = run->samples + lambda * n;
    memcpy(mean, run->es.mean, (size_t)n * sizeof *mean);
    int count = lambda + (has_mean ? 1 : 0);
    if (search->out->evaluations == 0 && gr_search_left(search) < count) { // too little to learn from
        GrRated start;
        if (gr_search_rate(search, mean, 1, (GrRepeats){1, is_noisy}, &start) == 1) {
            gr_search_note(search, mean, &start);
        }
    }
    const int left = gr_search_left(search) - reserved;
    count = left < count ? left : count;
    const int done = count > 0 ? gr_search_rate(search, run->samples, count, (GrRepeats){1, is_noisy}, run->rated) : 0;
    for (int k = 0; k < done && !is_noisy; k++) {
        gr_search_note(search, run->samples + k * n, &run->rated[k]);
    }
    if (done < lambda + (has_mean ? 1 : 0)) {
        return false;
    }
    if (run->constraints.count > 0) {
        if (!run->constraints.is_scaled) {
            for (int k = 0; k <= lambda; k++) {
                run->rows[k] = run->rated[k].values;
            }
            lagrangian_scale(&run->constraints, run->rows, lambda + 1, n, run->objectives);
        }
        lagrangian_update(&run->constraints, run->rated[lambda].values, n);
    }
    rank(run);
    gr_cmaes_update(&run->es, run->order);
    if (is_noisy && 3 * (run->mean_evaluations + search->def->repeats) < search->out->evaluations) {
        try_mean(run);
    }
    return true;
}

/// True where the strategy has nothing more to find; `stop` says why.
static bool is_finished(const Run *run, GrOptimumStop *stop)
{
    const GrCmaes *es = &run->es;
    double widest = 0;
    bool is_continuous = false;
    for (int i = 0; i < es->n; i++) {
        if (!gr_search_is_integer(run->search, i)) {
            widest = fmax(widest, gr_cmaes_deviation(es, i));
            is_continuous = true;
        }
    }
    *stop = GR_STOP_CONVERGED;
    if (is_continuous && widest < run->search->def->tolerance) {
        return true;
    }
    *stop = GR_STOP_STAGNATED;
    const int stall_limit = 100 + 30 * es->n;
    return es->is_degenerate || (run->constraints.count == 0 && es->generation - run->least_generation > stall_limit);
}

/// One run of the strategy from a mean. False where the budget is spent.
static bool run_once(GrSearch *search, int lambda, GrRandom *random, const double *mean, const double *step)
{
    const int reserved = search->def->repeats > 1 ? 2 * search->def->repeats : 0;
    Run run = {.es.random = *random};
    bool goes_on = run_begin(&run, search, lambda, mean, step);
    search->out->stop = GR_STOP_BUDGET;
    while (goes_on && generation(&run, reserved)) {
        if (is_finished(&run, &search->out->stop)) {
            break;
        }
        search->out->stop = GR_STOP_BUDGET;
    }
    if (reserved > 0 && run.es.memory != NULL) {
        try_mean(&run);
    }
    *random = run.es.random;
    run_end(&run);
    return search->out->stop != GR_STOP_BUDGET && search->status == GR_OK;
}

void gr_cmaes_search(GrSearch *search)
{
    const GrOptimizerDef *def = search->def;
    double *mean = gr_calloc(2 * (size_t)search->n, sizeof *mean);
    if (mean == NULL) {
        search->status = gr_out_of_memory(search->log, NULL);
        return;
    }
    double *step = mean + search->n;
    gr_search_start(search, mean, step);
    GrRandom random = gr_random_stream(def->seed, "cmaes");
    int lambda = def->population > 0 ? def->population : gr_cmaes_population(search->n) * (def->repeats > 1 ? 2 : 1);
    for (int restart = 0; run_once(search, lambda, &random, mean, step) && restart < def->restarts; restart++) {
        lambda *= 2;
        for (int i = 0; i < search->n; i++) {
            mean[i] = gr_random_unit(&random);
        }
    }
    GrRated rated; // fresh noise: the mean that made it the best is too good on average
    if (def->repeats > 1 && search->out->point_count > 0) {
        gr_search_best(search, mean);
        if (gr_search_rate(search, mean, 1, (GrRepeats){def->repeats, true}, &rated) == 1 && !isinf(rated.violation)) {
            gr_search_renote(search, &rated);
        }
    }
    gr_free(mean);
}
