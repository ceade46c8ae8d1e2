#include "band.h"

#include "elementary.h"
#include "soil_param.h"

#include <math.h>

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
        const double remains = gr_spread_unit((GrSpreadQuantity)q, &at) *
                               gr_spread_remains_at(spread, (GrSpreadQuantity)q, &at, out->outside);
        out->parameters[q] = sqrt(fmax(variance, 0));
        out->deviation[q] = sqrt(fmax(variance, 0) + remains * remains);
    }
    return true;
}
