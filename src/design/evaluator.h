/// The function that optimisers minimise: the caller's simulations, in batches.
#ifndef GR_EVALUATOR_H
#define GR_EVALUATOR_H

#include "grouser/status.h"

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

#endif
