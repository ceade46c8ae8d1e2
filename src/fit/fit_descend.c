/// The local search of fits to laws that cost seconds an evaluation (the grid of scm), and of refits that start close
/// to their optimum: Levenberg and Marquardt's method, which uses each residual and not only their sum. A step costs an
/// evaluation for every parameter; searches that look at the sum alone need a hundred times as many. NLopt, which does
/// the other searches, has no such method; cminpack has it without bounds, and without points that cannot be evaluated.
#include "alloc.h"
#include "dense.h"
#include "fit_problem.h"
#include "out_of_memory.h"
#include "parts.h"

#include <math.h>
#include <string.h>

// ---- The search of a fit: global first if requested, then local searches until none improves (NLopt).

#ifdef GR_WITH_NLOPT

#include "random.h"

#include <nlopt.h>

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

// ---- descent

enum { DESCENTS = 40, TRIES = 5 };

static const double FIRST_DAMPING = 1e-2, EASIER = 0.3, HARDER = 5;
static const double LEAST_GAIN = 1e-3; // relative, of the cost in a step; means on a grid are steady to 0.2 %
static const double LARGEST_STEP = 5;  // of differences, which grow where the search stalls, over the first

typedef struct Descent {
    GrFitProblem *problem;
    int rows, count;                             ///< numbers of residuals and of parameters
    double *columns;                             ///< Jacobian, column after column
    double *now;                                 ///< residuals at u
    double step;                                 ///< of differences
    double normal[GR_FIT_PARAMS][GR_FIT_PARAMS]; ///< JᵀJ
    double slope[GR_FIT_PARAMS];                 ///< Jᵀr
} Descent;

/// Derivatives by one parameter, from a difference to the inside of the box. A point that has no equilibrium on one
/// side says nothing about them.
static void differentiate(Descent *s, const double *u, int k)
{
    const double step = u[k] < 0.5 ? s->step : -s->step;
    double shifted[GR_FIT_PARAMS], *column = s->columns + (size_t)k * (size_t)s->rows;
    memcpy(shifted, u, sizeof shifted);
    shifted[k] += step;
    gr_fit_residuals(s->problem, shifted, column, NULL);
    for (int i = 0; i < s->rows; i++) {
        const bool missing = column[i] == GR_FIT_MISSING || s->now[i] == GR_FIT_MISSING;
        column[i] = missing ? 0 : (column[i] - s->now[i]) / step;
    }
}

/// The normal equations, their rows times √w, w from the loss.
static void linearise(Descent *s, const double *u)
{
    gr_fit_residuals(s->problem, u, s->now, NULL);
    for (int k = 0; k < s->count; k++) {
        differentiate(s, u, k);
    }
    for (int i = 0; i < s->rows; i++) {
        const double root = sqrt(gr_fit_loss_weight(s->problem->def, s->now[i]));
        s->now[i] *= root;
        for (int k = 0; k < s->count; k++) {
            s->columns[(size_t)k * (size_t)s->rows + (size_t)i] *= root;
        }
    }
    for (int j = 0; j < s->count; j++) {
        const double *a = s->columns + (size_t)j * (size_t)s->rows;
        s->slope[j] = 0;
        for (int i = 0; i < s->rows; i++) {
            s->slope[j] += a[i] * s->now[i];
        }
        for (int k = 0; k < s->count; k++) {
            const double *b = s->columns + (size_t)k * (size_t)s->rows;
            s->normal[j][k] = 0;
            for (int i = 0; i < s->rows; i++) {
                s->normal[j][k] += a[i] * b[i];
            }
        }
        s->normal[j][j] += s->problem->pull[j];
        s->slope[j] += s->problem->pull[j] * (u[j] - s->problem->home[j]);
    }
}

/// (JᵀJ + λ diag JᵀJ) d = −Jᵀr over the parameters that are not pressed against a bound; the rest stay. False:
/// singular.
static bool step_from(const Descent *s, const double *u, double damping, double *to)
{
    int inner[GR_FIT_PARAMS], n = 0;
    double a[GR_FIT_PARAMS * GR_FIT_PARAMS], b[GR_FIT_PARAMS];
    for (int k = 0; k < s->count; k++) {
        const bool pressed = (u[k] <= 0 && s->slope[k] > 0) || (u[k] >= 1 && s->slope[k] < 0);
        if (!pressed && s->normal[k][k] > 0) {
            inner[n++] = k;
        }
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < n; k++) {
            a[j * n + k] = s->normal[inner[j]][inner[k]] * (j == k ? 1 + damping : 1);
        }
        b[j] = -s->slope[inner[j]];
    }
    if (n == 0 || !gr_dense_solve(n, a, b)) {
        return false;
    }
    memcpy(to, u, GR_FIT_PARAMS * sizeof *to);
    for (int j = 0; j < n; j++) {
        to[inner[j]] = fmin(1, fmax(0, u[inner[j]] + b[j]));
    }
    return true;
}

/// Mean loss of a residual, with that of the prior.
static double cost_of(const Descent *s, const double *u)
{
    double prior = 0;
    for (int k = 0; k < s->count; k++) {
        const double away = u[k] - s->problem->home[k];
        prior += s->problem->pull[k] * away * away;
    }
    return gr_fit_cost(s->problem, u) + prior / s->rows;
}

/// One step down from u, with more damping until the cost falls; the new cost, or the old one.
static double step_down(Descent *s, double cost, double *damping, double *u)
{
    double to[GR_FIT_PARAMS];
    linearise(s, u);
    for (int i = 0; i < TRIES; i++) {
        const double found = step_from(s, u, *damping, to) ? cost_of(s, to) : cost;
        if (found < cost) {
            memcpy(u, to, sizeof to);
            *damping *= EASIER;
            return found;
        }
        *damping *= HARDER;
    }
    return cost;
}

GrStatus gr_fit_descend(GrFitProblem *problem, double *u, GrErrorLog *log)
{
    Descent s = {.problem = problem, .rows = problem->residual_count, .count = problem->def->param_count};
    const size_t rows = (size_t)s.rows + 1;
    s.columns = gr_malloc(((size_t)s.count + 1) * rows * sizeof *s.columns);
    if (s.columns == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    s.now = s.columns + (size_t)s.count * rows;
    const double first = gr_fit_step(problem->def);
    s.step = first;
    double cost = cost_of(&s, u), damping = FIRST_DAMPING;
    for (int i = 0; i < DESCENTS; i++) {
        if (problem->def->progress != NULL) {
            problem->def->progress(problem->def->context, i, DESCENTS);
        }
        const double before = cost;
        cost = step_down(&s, cost, &damping, u);
        if (!(cost < before * (1 - LEAST_GAIN))) {
            s.step *= 2; // noise of the means, or a kink where a node more is touched
            damping = FIRST_DAMPING;
        }
        if (s.step > LARGEST_STEP * first) {
            break;
        }
    }
    gr_free(s.columns);
    return GR_OK;
}
