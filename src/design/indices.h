/// Sensitivity of a result to its inputs: Sobol' indices, Morris screening, local gradients.
///
/// Each method is a plan (points of the unit cube, or of the inputs' own box) and an estimate from the values at these
/// points. A value that is not finite (a failed run) drops all values that belong to its sample, and is counted.
#ifndef GR_INDICES_H
#define GR_INDICES_H

#include "grouser/status.h"

#include <stdint.h>

/// An estimate with its 95 % confidence interval.
typedef struct GrEstimate {
    double value, low, high;
} GrEstimate;

/// Points of a plan for Sobol' indices: base_count · (variable_count + 2).
uint64_t gr_saltelli_count(int variable_count, uint64_t base_count);

/// Point `row` of the plan, in the unit cube. Rows j (k + 2) … j (k + 2) + k + 1 belong to base sample j: a from the
/// first k dimensions of Sobol' point j, b from the next k, then a with coordinate i of b for each i (Saltelli et al.
/// 2010). A larger base_count therefore extends the plan. 2 k ≤ GR_SOBOL_DIMENSIONS; seed 0: unscrambled.
void gr_saltelli_point(uint64_t row, int variable_count, uint64_t seed, double *out);

typedef struct GrSobolIndex {
    GrEstimate first; ///< share of the variance that the variable explains alone (Saltelli et al. 2010)
    GrEstimate total; ///< share that vanishes if the variable is fixed, interactions included (Jansen 1999)
} GrSobolIndex;

/// What the estimates rest on.
typedef struct GrSampleUse {
    uint64_t used, dropped; ///< base samples or trajectories
    double mean, variance;  ///< of the result over the used samples
} GrSampleUse;

/// Bootstrap of the confidence intervals.
typedef struct GrBootstrap {
    int resamples; ///< default 1000
    uint64_t seed; ///< default 1
} GrBootstrap;

GrBootstrap gr_default_bootstrap(void);

/// Indices from values[gr_saltelli_count()] into out[variable_count]. Indices are NAN where the result does not vary.
/// GR_ERROR_NUMERIC with fewer than two complete samples; GR_ERROR_MEMORY.
GrStatus gr_sobol_indices(const double *values, int variable_count, uint64_t base_count, GrBootstrap bootstrap,
                          GrSobolIndex *out, GrSampleUse *use, GrErrorLog *log);

/// A Morris plan: trajectories that change one variable at a time on a grid of the unit cube.
typedef struct GrMorrisDef {
    int variable_count;
    int trajectories; ///< default 20
    int levels;       ///< of the grid, even; default 4
    int candidates;   ///< random trajectories from which the most distant are chosen (Campolongo et al. 2007); default
                      ///< 10 · trajectories; ≤ trajectories: no choice
    uint64_t seed;    ///< default 1
} GrMorrisDef;

GrMorrisDef gr_default_morris_def(void);

/// Fills points[trajectories][variable_count + 1][variable_count].
GrStatus gr_morris_plan(const GrMorrisDef *def, double *points, GrErrorLog *log);

typedef struct GrMorrisEffect {
    double mean;         ///< μ of the elementary effects, per unit of the cube: per full range of the variable
    GrEstimate absolute; ///< μ*: mean of their absolute values
    double deviation;    ///< σ: non-linearity and interactions
} GrMorrisEffect;

/// Effects from values[trajectories][variable_count + 1] at the points of the plan.
GrStatus gr_morris_effects(const GrMorrisDef *def, const double *points, const double *values, GrBootstrap bootstrap,
                           GrMorrisEffect *out, GrSampleUse *use, GrErrorLog *log);

/// Points of central differences: the centre, then centre − step_i and centre + step_i for each variable, clipped to
/// the bounds (NULL: none). Fills points[2 n + 1][n].
typedef struct GrGradientDef {
    int variable_count;
    const double *centre, *step; ///< [variable_count] step > 0
    const double *lower, *upper; ///< [variable_count] or NULL
} GrGradientDef;

GrStatus gr_gradient_plan(const GrGradientDef *def, double *points, GrErrorLog *log);

typedef struct GrGradient {
    double slope;     ///< derivative at the centre; one-sided at a bound or where one neighbour is missing; NAN: none
    double curvature; ///< second derivative; NAN if it takes a missing value
} GrGradient;

/// Derivatives from values[2 n + 1] into out[n].
void gr_gradient_estimate(const GrGradientDef *def, const double *values, GrGradient *out);

#endif
