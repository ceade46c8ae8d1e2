/// How well a fit knows its soil: covariance, the errors that remain, and the conditions that the data cover.
///
///     GrFitResult --gr_fit_spread--> GrSoilSpread --gr_band_predict--> a wheel's forces with their band
///
/// The discrepancy is the error of groups that a fit has not seen: each group of points with one slip angle, one load
/// or one wheel is predicted by a local refit without it. Of these errors, the part that the refit's own covariance
/// explains is left out, and the rest is widened by Student's t with as many degrees of freedom as there are groups:
/// few groups do not tell how wrong the law is elsewhere.
#ifndef GR_FIT_SPREAD_H
#define GR_FIT_SPREAD_H

#include "fit.h"
#include "soil_spread.h"

enum { GR_FIT_GROUPS = 40 };

typedef enum GrGroupKind {
    GR_GROUP_SLIP_ANGLE, ///< points within 2° of each other
    GR_GROUP_LOAD,       ///< within a factor of 1.25
    GR_GROUP_WHEEL,      ///< equal sizes
    GR_GROUP_SLIP,       ///< thirds of the points by slip, where the data has no other groups
    GR_GROUP_KINDS
} GrGroupKind;

/// slip_angle, load, wheel, slip.
extern const char *const gr_group_kind_names[GR_GROUP_KINDS];

/// Errors of a group that was predicted by a fit without it.
typedef struct GrFitGroup {
    GrGroupKind kind;
    double low, high; ///< of the slip angle [rad], the load [N] or the slip; of a wheel its radius with grousers [m]
    int points;
    int missing;                      ///< points without equilibrium
    bool extrapolated;                ///< whether one of its points was outside the range of the others
    double rms[GR_SPREAD_QUANTITIES]; ///< over load, load times radius, or radius; NAN: not measured
} GrFitGroup;

typedef struct GrFitSpread {
    GrSoilSpread spread;
    double covariance[GR_FIT_PARAMS][GR_FIT_PARAMS]; ///< of the variables of the fit: value in the file's unit, or its
                                                     ///< natural logarithm
    GrFitGroup groups[GR_FIT_GROUPS];
    int group_count;
    int evaluations;
    bool assumed[GR_SPREAD_QUANTITIES]; ///< no group tells its discrepancy: it is one that fits usually have
} GrFitSpread;

/// Of the points that a fit used. Not for fits with a cost of their own.
GrStatus gr_fit_spread(const GrFitDef *def, const GrFitResult *result, GrFitSpread *out, GrErrorLog *log);

/// Quantity of the data that is compared.
GrQuantity gr_spread_quantity_of(GrSpreadQuantity quantity);

/// Half of a 90 % interval by Student's t with v degrees of freedom, over that of a normal distribution: how much wider
/// a band must be that a few groups tell of.
double gr_fit_few(double v);

#endif
