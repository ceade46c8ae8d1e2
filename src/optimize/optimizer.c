#include "optimizer.h"

#include "alloc.h"
#include "choice.h"
#include "named.h"
#include "parts.h"
#include "search.h"

#include <math.h>

// ---- Serial searches of NLopt: COBYLA and BOBYQA (Powell 1994, 2009), Nelder-Mead, DIRECT-L, ISRES.

#ifdef GR_WITH_NLOPT

#include "out_of_memory.h"

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

static void nlopt_search(GrSearch *search)
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

static void nlopt_search(GrSearch *search)
{
    search->out->stop = GR_STOP_FAILED; // gr_optimizer_check() has refused it
}

#endif

// ---- optimisers

#ifdef GR_WITH_NLOPT
#define NLOPT true
#else
#define NLOPT false
#endif

typedef struct Method {
    GrOptimizerMethod about;
    void (*search)(GrSearch *search);
} Method;

#define BATCH .is_batch = true, .takes_constraints = true, .takes_integers = true, .is_available = true
static const Method METHODS[] = {
    [GR_OPTIMIZER_CMAES] = {{"cmaes", "evolution strategy with covariance adaptation: rough, noisy, many local minima",
                             BATCH},
                            gr_cmaes_search},
    [GR_OPTIMIZER_NSGA2] = {{"nsga2", "genetic algorithm for the trade-off of several objectives", BATCH,
                             .takes_objectives = true},
                            gr_nsga2_search},
    [GR_OPTIMIZER_COBYLA] = {{"cobyla", "local search by linear models", .takes_constraints = true,
                              .is_available = NLOPT},
                             nlopt_search},
    [GR_OPTIMIZER_BOBYQA] = {{"bobyqa", "local search by quadratic models: smooth functions, fewest evaluations",
                              .is_available = NLOPT},
                             nlopt_search},
    [GR_OPTIMIZER_NELDERMEAD] = {{"neldermead", "local search by a simplex", .is_available = NLOPT}, nlopt_search},
    [GR_OPTIMIZER_DIRECT] = {{"direct", "global search by divided rectangles, deterministic", .is_available = NLOPT},
                             nlopt_search},
    [GR_OPTIMIZER_ISRES] = {{"isres", "global evolution strategy with stochastic ranking of constraints",
                             .takes_constraints = true, .is_available = NLOPT},
                            nlopt_search},
};

const GrOptimizerMethod *gr_optimizer_method(GrOptimizerKind kind)
{
    return &METHODS[kind].about;
}

int gr_optimizer_find(const char *name, GrErrorLog *log)
{
    const char *names[GR_OPTIMIZER_COUNT];
    for (int i = 0; i < GR_OPTIMIZER_COUNT; i++) {
        names[i] = METHODS[i].about.name;
    }
    return gr_choice_find(
        &(GrChoice){.kind = "optimiser", .field = "method", .names = names, .count = GR_OPTIMIZER_COUNT}, name, log);
}

static const GrNamed STOPS[] = {GR_OPTIMUM_STOP_LIST(GR_NAMED_ROW)};

const char *gr_optimum_stop_name(GrOptimumStop stop)
{
    return GR_NAMED_GET(STOPS, stop, name);
}

const char *gr_optimum_stop_text(GrOptimumStop stop)
{
    return GR_NAMED_GET(STOPS, stop, text);
}

GrOptimizerDef gr_default_optimizer_def(void)
{
    return (GrOptimizerDef){.objective_count = 1, .budget = 1000, .seed = 1, .repeats = 1, .tolerance = 1e-9};
}

static GrStatus refuse(GrErrorLog *log, const char *field, double value, const char *rule)
{
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "%.9g; %s", value, rule);
}

static GrStatus check_counts(const GrOptimizerDef *def, GrErrorLog *log)
{
    const struct {
        const char *field;
        double value;
        bool holds;
        const char *rule;
    } rules[] = {
        {"variables", def->variable_count, def->variable_count >= 1, "at least one variable is needed"},
        {"objectives", def->objective_count, def->objective_count >= 1, "at least one objective is needed"},
        {"constraints", def->constraint_count, def->constraint_count >= 0, "must be at least 0"},
        {"budget", def->budget, def->budget >= 1, "must be at least 1"},
        {"population", def->population, def->population == 0 || def->population >= 4,
         "must be at least 4, or 0 for the default"},
        {"restarts", def->restarts, def->restarts >= 0 && def->restarts <= 20, "allowed: 0 to 20"},
        {"repeats", def->repeats, def->repeats >= 1, "must be at least 1"},
        {"tolerance", def->tolerance, def->tolerance >= 0 && def->tolerance < 1, "allowed: 0 to 1"},
    };
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (!rules[i].holds) {
            status = refuse(log, rules[i].field, rules[i].value, rules[i].rule);
        }
    }
    return status;
}

static GrStatus check_variable(const GrOptimizerDef *def, int i, GrErrorLog *log)
{
    const double lower = def->lower[i], upper = def->upper[i];
    if (!isfinite(lower) || !isfinite(upper) || !(lower <= upper) || !isfinite(upper - lower)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "bounds"},
                            "variable %d: %.9g to %.9g; both and their difference must be finite, the lower one first",
                            i + 1, lower, upper);
    }
    if (def->is_integer != NULL && def->is_integer[i] && (lower != floor(lower) || upper != floor(upper))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "bounds"},
                            "variable %d: %.9g to %.9g; bounds of an integer must be integers", i + 1, lower, upper);
    }
    if (def->start != NULL && !(def->start[i] >= lower && def->start[i] <= upper)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "start"},
                            "variable %d: %.9g; allowed: %.9g to %.9g", i + 1, def->start[i], lower, upper);
    }
    if (def->step != NULL && !(isfinite(def->step[i]) && def->step[i] > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "step"}, "variable %d: %.9g; must be above 0",
                            i + 1, def->step[i]);
    }
    return GR_OK;
}

/// Whether the method can do what is asked.
static GrStatus check_method(const GrOptimizerDef *def, GrErrorLog *log)
{
    const GrOptimizerMethod *method = gr_optimizer_method(def->method);
    const GrLocation at = {.field = "method"};
    if (!method->is_available) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, at, "'%s' is %s, or use cmaes or nsga2", method->name,
                            gr_part_advice("NLOPT").text);
    }
    if (def->objective_count > 1 && !method->takes_objectives) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, at, "'%s' takes one objective, not %d; nsga2 takes several",
                            method->name, def->objective_count);
    }
    if (def->constraint_count > 0 && !method->takes_constraints) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, at,
                            "'%s' takes no constraints; cmaes, nsga2, cobyla and isres do", method->name);
    }
    int free_count = 0;
    for (int i = 0; i < def->variable_count; i++) {
        free_count += def->lower[i] < def->upper[i];
        if (def->is_integer != NULL && def->is_integer[i] && !method->takes_integers) {
            return gr_error_add(log, GR_ERROR_UNSUPPORTED, at, "'%s' takes no integer variables; cmaes and nsga2 do",
                                method->name);
        }
    }
    if (def->method == GR_OPTIMIZER_BOBYQA && free_count == 1) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, at,
                            "'bobyqa' needs at least two variables; cobyla and neldermead take one");
    }
    return GR_OK;
}

GrStatus gr_optimizer_check(const GrOptimizerDef *def, GrErrorLog *log)
{
    GrStatus status = check_counts(def, log);
    for (int i = 0; i < def->variable_count; i++) {
        const GrStatus found = check_variable(def, i, log);
        status = found != GR_OK ? found : status;
    }
    return status != GR_OK ? status : check_method(def, log);
}

/// All variables are fixed: one point.
static void search_point(GrSearch *search)
{
    GrRated rated;
    const double unit = 0; // of no variable
    if (gr_search_rate(search, &unit, 1, (GrRepeats){search->def->repeats, true}, &rated) == 1) {
        gr_search_note(search, &unit, &rated);
    }
    search->out->stop = GR_STOP_FIXED;
}

GrStatus gr_optimize(const GrOptimizerDef *def, GrEvaluator evaluator, GrOptimum *out, GrErrorLog *log)
{
    *out = (GrOptimum){0};
    const GrStatus status = gr_optimizer_check(def, log);
    if (status != GR_OK) {
        return status;
    }
    GrSearch search;
    if (gr_search_begin(&search, def, evaluator, out, log) == GR_OK) {
        if (search.n == 0) {
            search_point(&search);
        } else {
            METHODS[def->method].search(&search);
        }
    }
    gr_search_end(&search);
    if (search.status != GR_OK) {
        gr_optimum_free(out);
    }
    return search.status;
}

void gr_optimum_free(GrOptimum *optimum)
{
    gr_free(optimum->points);
    gr_free(optimum->values);
    gr_free(optimum->violations);
    gr_free(optimum->deviations);
    gr_free(optimum->history);
    *optimum = (GrOptimum){0};
}
