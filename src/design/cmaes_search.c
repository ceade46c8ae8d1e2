/// CMA-ES as an optimiser: bounds, constraints, integers, noise and restarts around the strategy of cmaes.c.
#include "alloc.h"
#include "cmaes.h"
#include "out_of_memory.h"
#include "penalty.h"
#include "search.h"
#include "statistics.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
        gr_bound_penalty_update(&run->bounds, &run->es, run->objectives, finite);
        if (run->objectives[0] < run->least_cost) {
            run->least_cost = run->objectives[0];
            run->least_generation = run->es.generation;
        }
    }
    for (int k = 0; k < lambda; k++) {
        run->ranked[k].cost += gr_bound_penalty(&run->bounds, &run->es, run->samples + k * run->es.n);
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
            gr_lagrangian_scale(&run->constraints, run->rows, lambda + 1, n, run->objectives);
        }
        gr_lagrangian_update(&run->constraints, run->rated[lambda].values, n);
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
    const int patience = 100 + 30 * es->n;
    return es->is_degenerate || (run->constraints.count == 0 && es->generation - run->least_generation > patience);
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
