/// How well a soil is known: the block `spread` of a soil file.
///
///     file.yaml --gr_soil_spread_read--> GrSoilSpread --gr_soil_spread_sample--> GrSoilDef, one for each sample
///
/// A class of soils has distributions composed from published sets. A fitted soil has the covariance of its estimates
/// as distributions with correlations, the errors that remained, and the conditions that its data cover. A soil
/// without such a block has an unknown spread, for which gr_soil_spread_unknown() assumes a wide one. docs/soils.md
/// describes the format.
#ifndef GR_SOIL_SPREAD_H
#define GR_SOIL_SPREAD_H

#include "buffer.h"
#include "distribution.h"
#include "fields.h"

#include "grouser/soil_file.h"

#include <stdint.h>

enum { GR_SPREAD_PARAMS = 24 };

typedef enum GrSpreadKind {
    GR_SPREAD_UNKNOWN, ///< no data: a wide one is assumed
    GR_SPREAD_CLASS,   ///< scatter between published sets of this kind of soil
    GR_SPREAD_FIT,     ///< covariance and errors of a fit
    GR_SPREAD_KINDS
} GrSpreadKind;

/// unknown, class, fit.
extern const char *const gr_spread_kind_names[GR_SPREAD_KINDS];

/// Errors of one wheel's forces, made dimensionless so that they apply to other wheels: constant, key in files.
#define GR_SPREAD_QUANTITY_LIST(X)                                                                                     \
    X(GR_SPREAD_FX, fx_per_load)                                                                                       \
    X(GR_SPREAD_FY, fy_per_load)                                                                                       \
    X(GR_SPREAD_TORQUE, torque_per_load_radius)                                                                        \
    X(GR_SPREAD_SINKAGE, sinkage_per_radius)

typedef enum GrSpreadQuantity {
#define GR_SPREAD_QUANTITY_ENUM(constant, name) constant,
    GR_SPREAD_QUANTITY_LIST(GR_SPREAD_QUANTITY_ENUM)
#undef GR_SPREAD_QUANTITY_ENUM
        GR_SPREAD_QUANTITIES
} GrSpreadQuantity;

extern const char *const gr_spread_quantity_names[GR_SPREAD_QUANTITIES];

/// Standard deviations of measured minus predicted; NAN: not known.
typedef struct GrSpreadError {
    double residual;    ///< of the fitted points: applies inside the range of the data
    double repeats;     ///< between repeated trials
    double discrepancy; ///< of groups that the fit did not see: applies outside the range
} GrSpreadError;

/// Least and most of each condition of a wheel; NAN: not given.
typedef struct GrConditions {
    double slip[2];
    double slip_angle[2]; ///< magnitude [rad]
    double load[2];       ///< [N]
    double width[2];      ///< [m]
    double radius[2];     ///< [m]
} GrConditions;

typedef struct GrSoilSpread {
    GrSpreadKind kind;
    char source[GR_SOIL_SOURCE_SIZE];
    int count;
    int param[GR_SPREAD_PARAMS];                   ///< index in the table of soil parameters
    GrDistribution distribution[GR_SPREAD_PARAMS]; ///< in the file's unit
    double correlation[GR_SPREAD_PARAMS][GR_SPREAD_PARAMS];
    GrSpreadError error[GR_SPREAD_QUANTITIES];
    GrSpreadError press; ///< of ln(force) of plates and of wheels that do not roll; `discrepancy`: of another size
    GrConditions range;
} GrSoilSpread;

/// No parameters, errors and range unknown.
GrSoilSpread gr_default_soil_spread(void);

/// Reads the key `spread` of a soil file; errors are in the document's log. Without the key: gr_default_soil_spread().
void gr_soil_spread_read(GrNode *root, GrSoilSpread *out);

/// Writes the block as gr_soil_spread_read() reads it; nothing for an unknown spread.
void gr_soil_spread_write(const GrSoilSpread *spread, GrBuffer *out);

/// A wide spread of every parameter that the soil's law reads, for a soil without a spread.
void gr_soil_spread_unknown(const GrSoilDef *soil, GrSoilSpread *out);

/// Conditions of one wheel.
typedef struct GrCondition {
    double slip;
    double slip_angle;    ///< [rad]
    double load;          ///< [N]
    double width, radius; ///< [m]
} GrCondition;

/// How far a condition is outside of those that the data cover: 0 inside (interpolated), 1 where the whole discrepancy
/// applies: 0.2 of slip, 15° of slip angle, or a factor of 1.5 in load, width or radius beyond the last ones measured.
double gr_conditions_outside(const GrConditions *range, const GrCondition *at);

/// interpolated, extrapolated.
const char *gr_band_word(double outside);

/// Standard deviation of the errors that remain, dimensionless: what remained of the fitted points inside the range of
/// the data, growing outside it to what groups that the fit did not see had; NAN: not known.
double gr_spread_remains(const GrSpreadError *error, double outside);

/// A wheel that slips less sideways rolls straight ahead: its side force is 0 by symmetry [rad].
#define GR_STRAIGHT_AHEAD (1 * GR_DEGREE)

/// That of a quantity at a condition so far outside. Side forces of wheels that roll straight ahead have the scatter
/// between trials alone.
double gr_spread_remains_at(const GrSoilSpread *spread, GrSpreadQuantity quantity, const GrCondition *at,
                            double outside);

/// "3/32" is sample 2 (from 0) of 32; "none" is the soil itself, of which `count` is 0. False: neither.
bool gr_soil_sample_read(const char *text, int *index, int *count);

/// Whether a fit says which errors remain.
bool gr_spread_has_errors(const GrSoilSpread *spread);

/// The seed of all commands, so that they see the same samples.
enum { GR_SOIL_SEED = 1 };

/// Sample `index` of `count`, a Latin hypercube, from its arguments alone: equal seeds give equal soils to all designs
/// of a comparison, and the same quantile of a parameter to all soils. Parameters that an override sets (`sources`, may
/// be NULL) stay as they are.
void gr_soil_sample(const GrSoilSpread *spread, const GrSoilSources *sources, const GrSoilDef *soil, uint64_t seed,
                    int index, int count, GrSoilDef *out);

/// Adds the errors of the law that a sample of a fitted soil has in such conditions, with the seed of all commands:
/// normal variables of their own, equal for all wheels. Nothing for soils without such errors.
void gr_soil_sample_errors(const GrSoilSpread *spread, double outside, int index, int count, GrSoilDef *soil);

/// Replaces a soil, whose law may be another than that of its file, by a sample of it with the seed of all commands;
/// not where `count` is 0. Its errors are those outside the range of the data: a run is at many loads and slips.
void gr_soil_take_sample(const GrSoilSpread *spread, const GrSoilSources *sources, int index, int count,
                         GrSoilDef *soil);

#endif
