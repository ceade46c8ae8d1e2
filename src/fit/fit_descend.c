/// The local search of fits to laws that cost seconds an evaluation (the grid of scm), and of refits that start close
/// to their optimum: Levenberg and Marquardt's method, which uses each residual and not only their sum. A step costs an
/// evaluation for every parameter; searches that look at the sum alone need a hundred times as many. NLopt, which does
/// the other searches, has no such method; cminpack has it without bounds, and without points that cannot be evaluated.
#include "fit_problem.h"

#include "alloc.h"
#include "dense.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

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
