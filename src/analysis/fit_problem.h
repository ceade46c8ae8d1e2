/// The least-squares problem of a fit, in coordinates from 0 to 1. For the files of the fit alone.
#ifndef GR_FIT_PROBLEM_H
#define GR_FIT_PROBLEM_H

#include "fit.h"

typedef struct GrFitProblem {
    const GrFitDef *def;
    const unsigned char *role;    ///< which points count
    double spread[GR_QUANTITIES]; ///< standard deviation in the data that counts
    double *residuals;            ///< scratch, owned
    int residual_count;
    int evaluations;
} GrFitProblem;

/// Spreads and number of residuals of the points with role GR_FIT_USED. False when memory is out.
bool gr_fit_problem_make(const GrFitDef *def, const unsigned char *role, GrFitProblem *out);
void gr_fit_problem_free(GrFitProblem *problem);

/// The soil at coordinates u, and the coordinates of a soil, held to the bounds.
GrSoilDef gr_fit_soil_at(const GrFitDef *def, const double *u);
void gr_fit_coordinates(const GrFitDef *def, const GrSoilDef *soil, double *u);
double gr_fit_value_at(const GrFitParam *param, double u);

/// Weighted residuals, and (unless NULL) the quantity of each; returns how many.
int gr_fit_residuals(GrFitProblem *problem, const double *u, double *out, int *quantity);

/// Mean loss of the residuals.
double gr_fit_cost(GrFitProblem *problem, const double *u);

/// Derivative of the loss by r², for the weights of the Jacobian.
double gr_fit_loss_weight(const GrFitDef *def, double residual);

/// Differences of a soil from the points with one role.
void gr_fit_errors(const GrFitDef *def, const GrSoilDef *soil, const unsigned char *role, unsigned char wanted,
                   GrFitErrors *out);

/// Improves u: over the whole of the bounds when `global`, then closely. Deterministic.
GrStatus gr_fit_search(GrFitProblem *problem, bool global, double *u, GrErrorLog *log);

/// Intervals and correlations at u.
GrStatus gr_fit_confidence(GrFitProblem *problem, const double *u, GrFitResult *out, GrErrorLog *log);

#endif
