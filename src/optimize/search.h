/// What all optimisers share: coordinates, evaluation in batches within the budget, the best point, its history.
///
/// Methods search the unit cube of the variables that are free. An integer variable with k values divides its unit
/// interval into k equal cells, so that each value is equally likely.
#ifndef GR_SEARCH_H
#define GR_SEARCH_H

#include "optimizer.h"

typedef struct GrSearch {
    const GrOptimizerDef *def;
    GrEvaluator evaluator;
    GrOptimum *out;
    GrErrorLog *log;
    GrStatus status; ///< first failure, which ends the search
    int n;           ///< free variables
    int *free_index; ///< [n] of the variable
    int value_count;
    int next_replicate;   ///< the first number of noise that was not used yet
    int non_finite_count; ///< evaluations with a value that is not finite
    double *points, *values, *means;
    int *replicates;
    int capacity; ///< evaluations that the four arrays above hold
} GrSearch;

/// The rating of a point.
typedef struct GrRated {
    double violation;     ///< sum of max(0, g); ∞ where a value is not finite
    double deviation;     ///< standard error of the first objective; 0 for one evaluation
    const double *values; ///< [value_count] means; valid until the next call of gr_search_rate()
    int evaluations;      ///< spent when it was known
} GrRated;

/// How often each point is evaluated. Fresh: with numbers of noise not used before; else the same for all points.
typedef struct GrRepeats {
    int count;
    bool is_fresh;
} GrRepeats;

GrStatus gr_search_begin(GrSearch *search, const GrOptimizerDef *def, GrEvaluator evaluator, GrOptimum *out,
                         GrErrorLog *log);
void gr_search_end(GrSearch *search);

/// Evaluations that the budget still allows; 0 after a failure.
int gr_search_left(const GrSearch *search);

/// From the unit cube to the caller's variables; outside: the nearest point of the cube.
void gr_search_decode(const GrSearch *search, const double *unit, double *point);

/// The start of the definition in the unit cube, and the initial steps.
void gr_search_start(const GrSearch *search, double *unit, double *step);

/// True for a free variable that is an integer.
bool gr_search_is_integer(const GrSearch *search, int i);

/// Evaluates the first of the points[count][n] as far as the budget goes and returns how many; 0 ends the search.
int gr_search_rate(GrSearch *search, const double *units, int count, GrRepeats repeats, GrRated *rated);

/// Keeps a point if it is better than the best so far: by violation, then by the first objective.
void gr_search_note(GrSearch *search, const double *unit, const GrRated *rated);

/// Replaces the values of the best point, after it was evaluated again.
void gr_search_renote(GrSearch *search, const GrRated *rated);

/// Position of the best point in the unit cube.
void gr_search_best(const GrSearch *search, double *unit);

/// The methods. Each one writes `out->stop`; search->status has a failure.
void gr_cmaes_search(GrSearch *search);
void gr_nsga2_search(GrSearch *search);

#endif
