/// The search of a fit: global first if requested, then local searches until none improves (NLopt).
#include "fit_problem.h"
#include "parts.h"

#ifdef GR_WITH_NLOPT

#include "random.h"

#include <nlopt.h>
#include <string.h>

enum { STARTS = 3 };

static double objective(unsigned n, const double *u, double *gradient, void *context)
{
    (void)n;
    (void)gradient; // not needed by the algorithms below
    GrFitProblem *problem = context;
    if (problem->def->progress != NULL) {
        problem->def->progress(problem->def->context, problem->evaluations, 2.0 * problem->def->evaluations);
    }
    return gr_fit_cost(problem, u);
}

/// Runs one algorithm from u, which it improves; returns the cost. A failure does not change u.
static double improve(GrFitProblem *problem, nlopt_algorithm algorithm, int evaluations, double *u)
{
    const int n = problem->def->param_count;
    double best[GR_FIT_PARAMS], cost = 0;
    const double before = gr_fit_cost(problem, u);
    nlopt_opt opt = nlopt_create(algorithm, (unsigned)n);
    if (opt == NULL) {
        return before;
    }
    nlopt_set_min_objective(opt, objective, problem);
    nlopt_set_lower_bounds1(opt, 0);
    nlopt_set_upper_bounds1(opt, 1);
    nlopt_set_maxeval(opt, evaluations);
    nlopt_set_xtol_abs1(opt, 1e-7);
    nlopt_set_ftol_rel(opt, 1e-10);
    nlopt_set_initial_step1(opt, 0.05);
    memcpy(best, u, (size_t)n * sizeof *u);
    const nlopt_result result = nlopt_optimize(opt, best, &cost);
    nlopt_destroy(opt);
    // A search that ends by round-off has converged.
    const bool good = (result > 0 || result == NLOPT_ROUNDOFF_LIMITED) && cost < before;
    if (good) {
        memcpy(u, best, (size_t)n * sizeof *u);
    }
    return good ? cost : before;
}

/// Local search: a quadratic model, then a simplex in subspaces, until neither improves.
static double search_closely(GrFitProblem *problem, double *u)
{
    const int n = problem->def->param_count;
    double cost = gr_fit_cost(problem, u);
    for (int i = 0; i < 4; i++) {
        const double before = cost;
        if (n > 1) {
            cost = improve(problem, NLOPT_LN_BOBYQA, 80 * n + 200, u);
        }
        cost = improve(problem, NLOPT_LN_SBPLX, 60 * n + 200, u);
        if (!(cost < before * (1 - 1e-6))) {
            break;
        }
    }
    return cost;
}

GrStatus gr_fit_search(GrFitProblem *problem, bool global, double *u, GrErrorLog *log)
{
    (void)log;
    const int n = problem->def->param_count;
    double cost = search_closely(problem, u);
    if (!global) {
        return GR_OK;
    }
    GrRandom random = gr_random_stream(problem->def->seed, "fit starts");
    for (int i = 0; i < STARTS; i++) {
        double other[GR_FIT_PARAMS];
        for (int j = 0; j < n; j++) {
            other[j] = i == 0 ? 0.5 : gr_random_unit(&random);
        }
        // DIRECT covers the box deterministically; the other starts search locally.
        if (i == 0) {
            improve(problem, NLOPT_GN_DIRECT_L, problem->def->evaluations, other);
        }
        const double found = search_closely(problem, other);
        if (found < cost) {
            cost = found;
            memcpy(u, other, (size_t)n * sizeof *u);
        }
    }
    return GR_OK;
}

#else

GrStatus gr_fit_search(GrFitProblem *problem, bool global, double *u, GrErrorLog *log)
{
    (void)problem, (void)global, (void)u;
    return gr_part_missing("NLOPT", (GrLocation){.field = "fit"}, log);
}

#endif
