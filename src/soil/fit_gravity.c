/// Soils under a gravity other than that of their fit.
///
/// Frictional soil carries by its weight: with Reece's p = (c k_c' + γ b k_phi')(z/b)^n and γ = ρ g, k_phi of Bekker's
/// form is γ k_phi' b^(1−n) and grows with gravity, and k_c = c k_c' b^(1−n) does not. A wheel of the same mass then
/// sinks as deep under any gravity, and its resistance goes with gravity, as found in flights with partial gravity
/// (Kobayashi et al. 2010; Wong & Kobayashi 2012). Constants that stay as fitted let a wheel of the same mass sink less
/// where gravity is low, which is what a test with reduced load on Earth shows. Cohesion and the shear moduli K, which
/// are lengths, stay in any case. ξ_n of the law rft is a weight per volume and always scales.
#include "law.h"

/// Ratio of gravities up to which no warning is given: within it the sinkage of a wheel changes by some per cent.
static const double CLOSE = 1.25;

/// The modulus that grows with gravity; NULL: none does.
static double *scaled_modulus(GrSoilDef *soil)
{
    const GrLaw *law = gr_law(soil->law);
    if (law->weight != NULL) {
        return law->weight(soil);
    }
    const bool bekker = (law->traits & GR_LAW_STRESS) != 0 && soil->pressure == GR_PRESSURE_BEKKER;
    return bekker && soil->gravity_scaling == GR_GRAVITY_DENSITY ? &soil->k_phi : NULL;
}

bool gr_soil_scales(const GrSoilDef *soil)
{
    GrSoilDef copy = *soil;
    return scaled_modulus(&copy) != NULL;
}

GrSoilDef gr_soil_under_gravity(const GrSoilDef *soil, double gravity)
{
    GrSoilDef here = *soil;
    double *modulus = scaled_modulus(&here);
    if (modulus == NULL) {
        return here;
    }
    *modulus *= gravity / soil->fit_gravity;
    here.fit_gravity = gravity > 0 ? gravity : soil->fit_gravity; // without weight both are 0 for good
    return here;
}

bool gr_soil_ignores_gravity(const GrSoilDef *soil)
{
    return (gr_law(soil->law)->traits & GR_LAW_STRESS) != 0 && soil->pressure == GR_PRESSURE_BEKKER &&
           soil->gravity_scaling == GR_GRAVITY_NONE;
}

void gr_soil_warn_gravity(const GrSoilDef *soil, double gravity, GrErrorLog *log)
{
    const bool close = gravity < CLOSE * soil->fit_gravity && gravity * CLOSE > soil->fit_gravity;
    if (gr_soil_ignores_gravity(soil) && gravity > 0 && !close) {
        gr_warning_add(
            log, (GrLocation){.field = "soil"},
            "%s was fitted under %.3g m/s² and is used under %.3g m/s²: k_c and k_phi do not change with "
            "gravity, so that wheels sink too %s in frictional soil; 'gravity_scaling: density' makes k_phi grow "
            "with gravity",
            soil->name, soil->fit_gravity, gravity, gravity < soil->fit_gravity ? "little" : "deep");
    }
}
