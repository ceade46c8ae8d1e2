/// The least-squares problem of a fit, in coordinates from 0 to 1. Internal to the fit.
#ifndef GR_FIT_PROBLEM_H
#define GR_FIT_PROBLEM_H

#include "fit.h"

typedef struct GrFitProblem {
    const GrFitDef *def;
    const unsigned char *role;    ///< which points are used
    double spread[GR_QUANTITIES]; ///< standard deviation in the used data
    double *residuals;            ///< scratch, owned
    double pull[GR_FIT_PARAMS];   ///< weight of a refit's prior: pull (u − home)² is added to the sum of the losses
    double home[GR_FIT_PARAMS];
    int residual_count;
    int evaluations;
} GrFitProblem;

/// Spreads and number of residuals of the points with role GR_FIT_USED. False when out of memory.
bool gr_fit_problem_make(const GrFitDef *def, const unsigned char *role, GrFitProblem *out);
void gr_fit_problem_free(GrFitProblem *problem);

/// The soil at coordinates u, and the coordinates of a soil, clamped to the bounds.
GrSoilDef gr_fit_soil_at(const GrFitDef *def, const double *u);
void gr_fit_coordinates(const GrFitDef *def, const GrSoilDef *soil, double *u);
double gr_fit_value_at(const GrFitParam *param, double u);

/// Weighted residuals, and (unless NULL) the quantity of each; returns their number.
int gr_fit_residuals(GrFitProblem *problem, const double *u, double *out, int *quantity);

/// Mean loss of the residuals.
double gr_fit_cost(GrFitProblem *problem, const double *u);

/// Derivative of the loss by r², for the weights of the Jacobian.
double gr_fit_loss_weight(const GrFitDef *def, double residual);

/// Differences of a soil from the points with one role.
void gr_fit_errors(const GrFitDef *def, const GrSoilDef *soil, const unsigned char *role, unsigned char wanted,
                   GrFitErrors *out);

/// Improves u: globally within the bounds if `global`, then locally. Deterministic.
GrStatus gr_fit_search(GrFitProblem *problem, bool global, double *u, GrErrorLog *log);

/// Residual of a point at which the law cannot carry the load: far worse than any fit, yet finite.
static const double GR_FIT_MISSING = 10;

/// Difference of a coordinate from which derivatives are taken; wide where means on a grid are steady to 0.2 % only.
static inline double gr_fit_step(const GrFitDef *def)
{
    return gr_soil_law_on_grid(def->rig.soil.law) ? 0.01 : 1e-4;
}

/// A local search by derivatives, for laws on a grid and for refits.
GrStatus gr_fit_descend(GrFitProblem *problem, double *u, GrErrorLog *log);

/// Whether a coordinate stands at one of its bounds.
static inline bool gr_fit_at_bound(double u)
{
    return u < 1e-5 || u > 1 - 1e-5;
}

/// Standard deviation of a prior that keeps a coordinate inside its bounds: half the distance to the nearer one; 0 at
/// one.
static inline double gr_fit_prior(double u)
{
    return gr_fit_at_bound(u) ? 0 : (u < 0.5 ? u : 1 - u) / 2;
}

/// Covariance of the coordinates at u. What stands at a bound has none; what the data leaves open has the spread of a
/// prior inside the bounds, so that samples are physical.
GrStatus gr_fit_covariance(GrFitProblem *problem, const double *u, double out[GR_FIT_PARAMS][GR_FIT_PARAMS],
                           GrErrorLog *log);

/// Intervals and correlations at u.
GrStatus gr_fit_confidence(GrFitProblem *problem, const double *u, GrFitResult *out, GrErrorLog *log);

#endif
