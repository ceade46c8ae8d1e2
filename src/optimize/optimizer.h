/// Search for the best point of a box: one objective or a trade-off of several, constraints, integers, noise.
///
///     GrOptimizerDef def = gr_default_optimizer_def();
///     def.variable_count = 2; def.lower = lower; def.upper = upper; def.budget = 2000;
///     GrOptimum best;
///     gr_optimize(&def, (GrEvaluator){context, evaluate}, &best, &log);
///     … best.points …
///     gr_optimum_free(&best);
///
/// The same definition and the same values give the same sequence of batches, so a caller who stores values can resume
/// a search by replaying it. docs/methods.md describes the methods.
#ifndef GR_OPTIMIZER_H
#define GR_OPTIMIZER_H

#include "grouser/status.h"

#include <stdint.h>

// The function that optimisers minimise: the caller's simulations, in batches.

/// Points to evaluate; their order within a batch does not matter.
typedef struct GrEvaluations {
    int count;
    const double *points;  ///< [count][variable_count], within the bounds, integers exact
    const int *replicates; ///< [count] number of the noise: runs of one point with different numbers differ in their
                           ///< random seed. All 0 unless GrOptimizerDef.repeats > 1
} GrEvaluations;

typedef struct GrEvaluator {
    void *context;
    /// Fills values [count][objective_count + constraint_count]: objectives to be minimised, then constraints,
    /// satisfied where g ≤ 0 exactly: a tolerance belongs into g. A failed run comes as a finite penalty and a positive
    /// constraint; a value that is not finite counts as worse than any other. Any other status than GR_OK ends the
    /// search.
    GrStatus (*evaluate)(void *context, const GrEvaluations *batch, double *values, GrErrorLog *log);
} GrEvaluator;

typedef enum GrOptimizerKind {
    GR_OPTIMIZER_CMAES,
    GR_OPTIMIZER_NSGA2,
    GR_OPTIMIZER_COBYLA,
    GR_OPTIMIZER_BOBYQA,
    GR_OPTIMIZER_NELDERMEAD,
    GR_OPTIMIZER_DIRECT,
    GR_OPTIMIZER_ISRES,
    GR_OPTIMIZER_COUNT
} GrOptimizerKind;

/// What a method can do.
typedef struct GrOptimizerMethod {
    const char *name, *text;
    bool is_batch;         ///< evaluates many points at once; the others one after the other
    bool takes_objectives; ///< more than one
    bool takes_constraints;
    bool takes_integers;
    bool is_available; ///< in this build
} GrOptimizerMethod;

const GrOptimizerMethod *gr_optimizer_method(GrOptimizerKind kind);

/// Index of a name; −1, and an error with the nearest name, for an unknown one.
int gr_optimizer_find(const char *name, GrErrorLog *log);

typedef struct GrOptimizerDef {
    GrOptimizerKind method;
    int variable_count;
    const double *lower, *upper; ///< [variable_count] finite, lower ≤ upper; equal: the variable is fixed
    const double *start;         ///< [variable_count] within the bounds; NULL: the middle
    const double *step;          ///< [variable_count] initial step, > 0; NULL: 0.3 of the range
    const bool *is_integer;      ///< [variable_count] NULL: none; their bounds must be integers
    int objective_count;         ///< default 1
    int constraint_count;        ///< default 0
    int budget;                  ///< evaluations at most; default 1000
    int population;              ///< of batch methods, ≥ 4; default 0: 4 + 3 ln n (cmaes), 100 (nsga2)
    int restarts;                ///< cmaes: restarts with doubled population after convergence, as the budget allows;
                                 ///< default 0
    uint64_t seed;               ///< default 1
    int repeats;      ///< evaluations of a candidate for the best point of a noisy function; default 1: no noise
    double tolerance; ///< stop where the search has shrunk to this share of the range; default 1e-9
} GrOptimizerDef;

/// Why a search ended: constant, name, text.
#define GR_OPTIMUM_STOP_LIST(X)                                                                                        \
    X(GR_STOP_BUDGET, budget, "the budget of evaluations was spent")                                                   \
    X(GR_STOP_CONVERGED, converged, "the search shrank below the tolerance")                                           \
    X(GR_STOP_STAGNATED, stagnated, "no improvement for many generations")                                             \
    X(GR_STOP_FIXED, fixed, "all variables are fixed by their bounds")                                                 \
    X(GR_STOP_FAILED, failed, "the method failed; the best point so far is kept")

typedef enum GrOptimumStop {
#define GR_OPTIMUM_STOP_ENUM(constant, name, text) constant,
    GR_OPTIMUM_STOP_LIST(GR_OPTIMUM_STOP_ENUM)
#undef GR_OPTIMUM_STOP_ENUM
        GR_STOP_COUNT
} GrOptimumStop;

const char *gr_optimum_stop_name(GrOptimumStop stop);
const char *gr_optimum_stop_text(GrOptimumStop stop);

/// The best so far after some evaluations.
typedef struct GrOptimumStep {
    int evaluations;
    double violation; ///< 0: a feasible point is known
    double value;     ///< first objective of the best point; with several objectives its smallest feasible value
} GrOptimumStep;

typedef struct GrOptimum {
    int variable_count, value_count; ///< value_count = objectives + constraints
    int point_count;                 ///< 1; with several objectives the points of the Pareto front; 0: none was finite
    double *points;                  ///< [point_count][variable_count]
    double *values;                  ///< [point_count][value_count]; means where repeats > 1
    double *violations;              ///< [point_count] sum of max(0, g); 0: feasible
    double *deviations;              ///< [point_count] standard error of the first objective's mean; 0 without repeats
    int evaluations;
    GrOptimumStep *history; ///< one row at the first evaluation and at every improvement, and one at the end
    int history_count;
    GrOptimumStop stop;
} GrOptimum;

GrOptimizerDef gr_default_optimizer_def(void);

/// GR_ERROR_VALUE with one message per faulty field; GR_ERROR_UNSUPPORTED where the method cannot do what is asked.
GrStatus gr_optimizer_check(const GrOptimizerDef *def, GrErrorLog *log);

/// Checks the definition and searches. On failure `out` is empty, but free it anyway.
GrStatus gr_optimize(const GrOptimizerDef *def, GrEvaluator evaluator, GrOptimum *out, GrErrorLog *log);

void gr_optimum_free(GrOptimum *optimum);

#endif
