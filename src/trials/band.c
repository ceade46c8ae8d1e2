#include "band.h"

#include "elementary.h"
#include "soil_param.h"

#include <math.h>

static const double WIDE_SLIP = 0.2, WIDE_ANGLE = 15 * GR_DEGREE, WIDE_FACTOR = 1.5;

/// Distance from a range; 0 inside, and where the range is not known.
static double beyond(const double range[2], double value)
{
    return fmax(fmax(range[0] - value, value - range[1]), 0);
}

/// The same of the logarithm.
static double beyond_factor(const double range[2], double value)
{
    const double logs[2] = {gr_log(range[0]), gr_log(range[1])};
    return beyond(logs, gr_log(value));
}

double gr_conditions_outside(const GrConditions *range, const GrCondition *at)
{
    static const double rounding = 1e-4; // files have six digits
    const double factor = gr_log(WIDE_FACTOR);
    const double far[] = {
        beyond(range->slip, at->slip) / WIDE_SLIP,         beyond(range->slip_angle, fabs(at->slip_angle)) / WIDE_ANGLE,
        beyond_factor(range->load, at->load) / factor,     beyond_factor(range->width, at->width) / factor,
        beyond_factor(range->radius, at->radius) / factor,
    };
    double most = 0;
    for (size_t i = 0; i < sizeof far / sizeof far[0]; i++) {
        most = fmax(most, far[i]);
    }
    return most > rounding ? most : 0;
}

const char *gr_band_word(double outside)
{
    return outside > 0 ? "extrapolated" : "interpolated";
}

double gr_spread_unit(GrSpreadQuantity quantity, const GrCondition *at)
{
    switch (quantity) {
    case GR_SPREAD_TORQUE:
        return at->load * at->radius;
    case GR_SPREAD_SINKAGE:
        return at->radius;
    default:
        return at->load;
    }
}

double gr_spread_remains(const GrSpreadError *error, double outside)
{
    const double inner = error->residual * error->residual;
    const double outer = isnan(error->discrepancy) ? inner : error->discrepancy * error->discrepancy;
    return sqrt(inner + fmin(outside, 1) * fmax(outer - inner, 0));
}

static void values_of(const GrRigPoint *p, double out[GR_SPREAD_QUANTITIES])
{
    out[GR_SPREAD_FX] = p->f_x;
    out[GR_SPREAD_FY] = p->f_y;
    out[GR_SPREAD_TORQUE] = p->torque;
    out[GR_SPREAD_SINKAGE] = p->sinkage;
}

/// The point when parameter k is z of its standard deviations away.
static bool shifted(const GrRigDef *def, const GrSoilSpread *spread, int k, double z, double slip, double slip_angle,
                    double out[GR_SPREAD_QUANTITIES])
{
    const GrDistribution *d = &spread->distribution[k];
    const int param = spread->param[k];
    const double here = gr_soil_param_get(&def->soil, param);
    const double value =
        d->kind == GR_DISTRIBUTION_LOG_NORMAL ? here * gr_exp(z * d->log_deviation) : here + z * d->deviation;
    GrRigDef moved = *def;
    GrRig rig;
    GrRigPoint point = {0};
    gr_soil_param_set(&moved.soil, param, fmin(fmax(value, d->lower), d->upper));
    const bool good = gr_rig_make(&moved, &rig, NULL) == GR_OK && gr_rig_point(&rig, slip, slip_angle, &point) == GR_OK;
    values_of(&point, out);
    return good;
}

/// Derivatives of the point by the normal variables behind the parameters; 0 where a neighbour has no equilibrium.
static void derivatives(const GrRig *rig, const GrSoilSpread *spread, double slip, double slip_angle,
                        double out[GR_SPREAD_PARAMS][GR_SPREAD_QUANTITIES])
{
    const double step = 0.01;
    for (int k = 0; k < spread->count; k++) {
        double up[GR_SPREAD_QUANTITIES], down[GR_SPREAD_QUANTITIES];
        const bool good = !gr_rig_on_grid(rig) && shifted(&rig->def, spread, k, step, slip, slip_angle, up) &&
                          shifted(&rig->def, spread, k, -step, slip, slip_angle, down);
        for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
            out[k][q] = good ? (up[q] - down[q]) / (2 * step) : 0;
        }
    }
}

bool gr_band_predict(const GrRigDef *def, const GrSoilSpread *spread, double slip, double slip_angle, GrWheelBand *out)
{
    GrRig rig;
    double by[GR_SPREAD_PARAMS][GR_SPREAD_QUANTITIES];
    const GrCondition at = {slip, slip_angle, def->load, def->wheel.width, def->wheel.radius};
    *out = (GrWheelBand){.outside = gr_conditions_outside(&spread->range, &at)};
    if (gr_rig_make(def, &rig, NULL) != GR_OK || gr_rig_point(&rig, slip, slip_angle, &out->point) != GR_OK) {
        return false;
    }
    values_of(&out->point, out->value);
    derivatives(&rig, spread, slip, slip_angle, by);
    for (int q = 0; q < GR_SPREAD_QUANTITIES; q++) {
        double variance = 0;
        for (int j = 0; j < spread->count; j++) {
            for (int k = 0; k < spread->count; k++) {
                variance += by[j][q] * spread->correlation[j][k] * by[k][q];
            }
        }
        const double remains =
            gr_spread_unit((GrSpreadQuantity)q, &at) * gr_spread_remains(&spread->error[q], out->outside);
        out->parameters[q] = sqrt(fmax(variance, 0));
        out->deviation[q] = sqrt(fmax(variance, 0) + remains * remains);
    }
    return true;
}
