/// Soil under loose rocks: the pressure-sinkage curve of the soil at a point, for a plate as large as the rock's
/// footprint.
///
/// All laws with a form of pressure have such a curve, scm included. The rheological laws have a spring
/// constant of a wheel instead, which says nothing about a rock.
#include "rock_soil.h"

#include "bearing.h"
#include "elementary.h"
#include "law.h"

static const GrSoilWheel *soil_of(const GrModel *m, int index)
{
    return &m->soil_wheels[index * m->wheel_count];
}

/// Bekker's modulus is never below a twentieth of that of a wide plate, as in the law scm. A rock that is `width` wide
/// counts as a round plate in `bearing`.
static GrPowerLaw power_law(const GrSoilWheel *w, double width)
{
    const GrSoilDef *soil = &w->soil;
    if (soil->pressure == GR_PRESSURE_REECE) {
        return (GrPowerLaw){(soil->cohesion * soil->k_c_reece + w->unit_weight * width * soil->k_phi_reece) /
                                gr_pow(width, soil->n0),
                            soil->n0};
    }
    if (soil->pressure == GR_PRESSURE_BEARING) {
        const double area = 0.25 * GR_PI * width * width, perimeter = GR_PI * width;
        const GrPressureCurve curve = gr_pressure_curve(soil, w->unit_weight, width, area, perimeter);
        return gr_pressure_power(&curve);
    }
    return (GrPowerLaw){fmax(soil->k_c / width + soil->k_phi, 0.05 * soil->k_phi), soil->n0};
}

static bool soil_at(const void *context, double x, double y, double width, GrSoftSoil *out)
{
    const GrModel *m = context;
    const GrSurfaceDef *surface = &m->options.surface;
    GrSoilMix mix;
    int index = 0;
    if (surface->soil_at != NULL && m->soil_count > 1 && surface->soil_at(surface->soil_context, x, y, &mix)) {
        index = mix.classes[0] >= 1 && mix.classes[0] <= m->soil_count ? mix.classes[0] - 1 : 0;
    }
    const GrSoilWheel *w = soil_of(m, index);
    if (gr_law_has(w->soil.law, GR_LAW_SPRING)) {
        return false;
    }
    const GrPowerLaw power = power_law(w, width);
    *out = (GrSoftSoil){.modulus = power.modulus,
                        .exponent = power.exponent,
                        .cohesion = w->soil.cohesion,
                        .tan_phi = gr_tan(w->soil.friction_angle),
                        .rebound = w->soil.rebound};
    return true;
}

GrSoftGround gr_rock_soil(const GrModel *m, GrErrorLog *log)
{
    bool any = false;
    for (int i = 0; m->soil_wheels != NULL && m->wheel_count > 0 && i < m->soil_count; i++) {
        const GrSoilDef *soil = &soil_of(m, i)->soil;
        if (!gr_law_has(soil->law, GR_LAW_SPRING)) {
            any = true;
        } else {
            gr_warning_add(log, (GrLocation){.field = "soil"},
                           "loose rocks do not sink into %s: its law %s has no pressure-sinkage curve for them",
                           soil->name, gr_soil_law_name(soil->law));
        }
    }
    return any ? (GrSoftGround){soil_at, m} : (GrSoftGround){NULL, NULL};
}
