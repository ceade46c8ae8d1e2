/// Soil parameters from measured single-wheel data.
///
/// Least squares over all measured quantities (sinkage, f_x, f_y, torque) at once, each point at its own slip, slip
/// angle and load. A quantity's residual is its difference divided by its standard deviation in the data, times its
/// weight. The search is global within the bounds first, then local; confidence intervals come from the Jacobian at the
/// optimum.
#ifndef GR_FIT_H
#define GR_FIT_H

#include "press_data.h"
#include "rig.h"
#include "wheel_data.h"

#include <stddef.h>
#include <stdint.h>

enum { GR_FIT_PARAMS = 24 };

/// A free parameter of the soil; `K` is two of them at once.
typedef struct GrFitParam {
    char name[32];
    size_t offset[2]; ///< in GrSoilDef
    int offset_count;
    double scale;        ///< SI value = scale · value
    double lower, upper; ///< in the file's unit
    bool logarithmic;    ///< search over its logarithm
} GrFitParam;

typedef enum GrFitLoss {
    GR_LOSS_SQUARED, ///< r²
    GR_LOSS_HUBER,   ///< quadratic within `loss_scale`, linear outside
    GR_LOSS_SOFT_L1, ///< 2 δ² (√(1 + (r/δ)²) − 1)
} GrFitLoss;

extern const char *const gr_fit_loss_names[3];

typedef struct GrFitDef {
    GrRigDef rig; ///< initial soil, wheel, and load if the data has none
    const GrWheelData *data;
    const unsigned char *role;  ///< [data->count] GR_FIT_USED, …
    const GrPressData *presses; ///< of plates and wheels, beside the points of `data` or with none of them; NULL: none
    const unsigned char *press_role; ///< [presses->count] the same
    double press_weight;             ///< of their residuals (press_data.h)
    GrFitParam params[GR_FIT_PARAMS];
    int param_count;
    double weights[GR_QUANTITIES]; ///< 0: the quantity is not used
    GrFitLoss loss;
    double loss_scale; ///< δ, in standard deviations of the quantity
    int folds;         ///< of the cross-validation; 0 or 1: none
    int evaluations;   ///< of the global search; 0: only a local search from the initial soil
    bool descend;      ///< only a search by derivatives from the initial soil, as for laws on a grid
    uint64_t seed;
    double (*cost)(void *context, const GrSoilDef *soil); ///< replaces the cost from the data; NULL: use the data
    void *cost_context;
    void (*progress)(void *context, double done, double total); ///< NULL: none
    void *context;
} GrFitDef;

enum { GR_FIT_USED, GR_FIT_HELD, GR_FIT_SKIPPED };

/// Root mean square of the differences, in the quantity's unit.
typedef struct GrFitErrors {
    double rms[GR_QUANTITIES]; ///< NAN: none
    int count[GR_QUANTITIES];
    int missing; ///< points without equilibrium
} GrFitErrors;

typedef struct GrFitResult {
    GrSoilDef soil;
    double value[GR_FIT_PARAMS];                    ///< in the file's unit
    double low[GR_FIT_PARAMS], high[GR_FIT_PARAMS]; ///< 95 % interval; infinite: the data does not determine it
    bool at_bound[GR_FIT_PARAMS];
    bool determined[GR_FIT_PARAMS];       ///< not at a bound, and the interval is narrower than the bounds
    const char *next_test[GR_FIT_PARAMS]; ///< what would determine the others; NULL: no test that was tried
    double correlation[GR_FIT_PARAMS][GR_FIT_PARAMS];
    double cost;       ///< mean loss of a residual
    double start_cost; ///< the same for the initial soil
    int residual_count;
    GrFitErrors start, fit, held, crossed; ///< crossed: each point predicted by a fit without its fold
    int evaluations;
} GrFitResult;

/// All weights 1, squared loss with δ = 0.1, no folds, 4000 evaluations, seed 1.
GrFitDef gr_default_fit_def(void);

/// Looks up a free parameter by name (k_phi, c, K, p3_y, …) with default bounds; the error for an unknown one suggests
/// the nearest.
GrStatus gr_fit_param_find(const char *name, GrFitParam *out, GrErrorLog *log);

/// Prediction for one measured point; false when it has no equilibrium.
bool gr_fit_predict(const GrRigDef *rig, const GrSoilDef *soil, const GrWheelDatum *datum, GrRigPoint *out);

/// GR_ERROR_UNSUPPORTED in a build without NLopt.
GrStatus gr_fit_soil(const GrFitDef *def, GrFitResult *out, GrErrorLog *log);

#endif
