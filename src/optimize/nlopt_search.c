/// Serial searches of NLopt: COBYLA and BOBYQA (Powell 1994, 2009), Nelder-Mead, DIRECT-L, ISRES.
#include "search.h"

#ifdef GR_WITH_NLOPT

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

/// NLopt asks for objective and constraints one by one: the last point is kept.
typedef struct Problem {
    GrSearch *search;
    nlopt_opt opt;
    double *last;   ///< [n]
    double *values; ///< [value_count] at the last point
    double worst;   ///< largest finite |value| so far
    bool has_last;
} Problem;

typedef struct Constraint {
    Problem *problem;
    int index; ///< in values
} Constraint;

static const double *values_at(Problem *problem, const double *unit)
{
    GrSearch *search = problem->search;
    const size_t size = (size_t)search->n * sizeof *unit;
    if (problem->has_last && memcmp(problem->last, unit, size) == 0) {
        return problem->values;
    }
    GrRated rated;
    if (gr_search_rate(search, unit, 1, (GrRepeats){search->def->repeats, false}, &rated) != 1) {
        nlopt_force_stop(problem->opt);
        return problem->values;
    }
    gr_search_note(search, unit, &rated);
    memcpy(problem->last, unit, size);
    problem->has_last = true;
    for (int k = 0; k < search->value_count; k++) {
        // The models of these methods need finite numbers.
        const bool is_finite = isfinite(rated.values[k]);
        problem->worst = is_finite ? fmax(problem->worst, fabs(rated.values[k])) : problem->worst;
        problem->values[k] = is_finite ? rated.values[k] : 10 * fmax(problem->worst, 1);
    }
    return problem->values;
}

static double objective(unsigned n, const double *unit, double *gradient, void *context)
{
    (void)n;
    (void)gradient; // none of the methods needs it
    return values_at(context, unit)[0];
}

static double constraint(unsigned n, const double *unit, double *gradient, void *context)
{
    (void)n;
    (void)gradient;
    const Constraint *self = context;
    return values_at(self->problem, unit)[self->index];
}

static nlopt_algorithm algorithm_of(GrOptimizerKind kind)
{
    switch (kind) {
    case GR_OPTIMIZER_COBYLA:
        return NLOPT_LN_COBYLA;
    case GR_OPTIMIZER_BOBYQA:
        return NLOPT_LN_BOBYQA;
    case GR_OPTIMIZER_NELDERMEAD:
        return NLOPT_LN_NELDERMEAD;
    case GR_OPTIMIZER_DIRECT:
        return NLOPT_GN_DIRECT_L;
    default:
        return NLOPT_GN_ISRES;
    }
}

static GrOptimumStop stop_of(const GrSearch *search, nlopt_result result)
{
    if (gr_search_left(search) < search->def->repeats) {
        return GR_STOP_BUDGET;
    }
    // A search that ends by round-off has converged.
    return result > 0 || result == NLOPT_ROUNDOFF_LIMITED ? GR_STOP_CONVERGED : GR_STOP_FAILED;
}

static void search_with(Problem *problem, double *unit, double *step, Constraint *constraints)
{
    GrSearch *search = problem->search;
    const GrOptimizerDef *def = search->def;
    gr_search_start(search, unit, step);
    nlopt_srand((unsigned long)def->seed); // of this thread
    nlopt_set_min_objective(problem->opt, objective, problem);
    nlopt_set_lower_bounds1(problem->opt, 0);
    nlopt_set_upper_bounds1(problem->opt, 1);
    nlopt_set_maxeval(problem->opt, def->budget);
    nlopt_set_xtol_abs1(problem->opt, def->tolerance);
    nlopt_set_initial_step(problem->opt, step);
    if (def->population > 0) {
        nlopt_set_population(problem->opt, (unsigned)def->population);
    }
    for (int j = 0; j < def->constraint_count; j++) {
        constraints[j] = (Constraint){problem, def->objective_count + j};
        nlopt_add_inequality_constraint(problem->opt, constraint, &constraints[j], 0);
    }
    values_at(problem, unit); // DIRECT and ISRES may never visit the start
    double least;
    const nlopt_result result = nlopt_optimize(problem->opt, unit, &least);
    search->out->stop = stop_of(search, result);
}

void gr_nlopt_search(GrSearch *search)
{
    const size_t n = (size_t)search->n, constraint_count = (size_t)search->def->constraint_count;
    Problem problem = {.search = search, .opt = nlopt_create(algorithm_of(search->def->method), (unsigned)search->n)};
    double *room = gr_calloc(3 * n + (size_t)search->value_count, sizeof *room);
    Constraint *constraints = gr_calloc(constraint_count + 1, sizeof *constraints);
    if (problem.opt == NULL || room == NULL || constraints == NULL) {
        search->status = gr_out_of_memory(search->log, NULL);
    } else {
        problem.last = room + 2 * n;
        problem.values = room + 3 * n;
        search_with(&problem, room, room + n, constraints);
    }
    nlopt_destroy(problem.opt);
    gr_free(room);
    gr_free(constraints);
}

#else

void gr_nlopt_search(GrSearch *search)
{
    search->out->stop = GR_STOP_FAILED; // gr_optimizer_check() has refused it
}

#endif
