/// Penalties that let an unconstrained evolution strategy respect bounds and constraints.
#ifndef GR_PENALTY_H
#define GR_PENALTY_H

#include "cmaes.h"

enum { GR_PENALTY_MEMORY = 20 };

/// Bounds of the unit cube. A sample outside is evaluated at the nearest point of the cube and charged for its
/// distance. The strategy keeps the sample itself, so that its covariance is not squeezed by the bounds. The price
/// follows the spread of the objective (Hansen et al. 2009, IEEE Trans. Evol. Comput. 13:180).
typedef struct GrBoundPenalty {
    int n;
    double *weights;                   ///< [n] price of a squared distance; 0 until the mean leaves the cube
    double spreads[GR_PENALTY_MEMORY]; ///< recent spreads of the objective over the variance of the samples
    int spread_count;
} GrBoundPenalty;

double gr_bound_penalty(const GrBoundPenalty *penalty, const GrCmaes *es, const double *sample);

/// Adapts the weights; objectives[count] of the last generation, sorted, finite.
void gr_bound_penalty_update(GrBoundPenalty *penalty, const GrCmaes *es, const double *sorted, int count);

/// Constraints g ≤ 0 by an augmented Lagrangian: f + Σ γ g + ω g² / 2 where γ + ω g ≥ 0, else − γ² / (2 ω) (Atamna,
/// Auger & Hansen 2017). Multipliers and weights follow the values at the mean of the strategy.
typedef struct GrLagrangian {
    int count;                     ///< constraints
    double *multipliers, *weights; ///< [count] γ and ω
    double *last;                  ///< [count] constraints at the last mean
    double last_value;             ///< of the Lagrangian at the last mean
    bool is_scaled, has_last;
} GrLagrangian;

/// `values`: objective and constraints of a point.
double gr_lagrangian(const GrLagrangian *lagrangian, const double *values);

/// Sets the weights by the spread of objective and constraints over rows[count]; not finite ones are skipped. `scratch`
/// has room for `count`.
void gr_lagrangian_scale(GrLagrangian *lagrangian, const double *const *rows, int count, int n, double *scratch);

/// Adapts to the values at the mean in n dimensions.
void gr_lagrangian_update(GrLagrangian *lagrangian, const double *values, int n);

#endif
