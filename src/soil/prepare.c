/// Prepares a soil for a wheel: everything that is constant during a run; soils under another gravity and another wheel
/// than those of their fit.
#include "alloc.h"
#include "bearing.h"
#include "elementary.h"
#include "law.h"
#include "mobilise.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

static const double pi = GR_PI;

/// Constants of the closed forms in extras.c.
static void prepare_earth_pressure(GrSoilWheel *w)
{
    const double phi = w->soil.friction_angle, tan_phi = gr_tan(phi);
    const double root_n = gr_tan(pi / 4 + phi / 2);
    w->tan_phi = tan_phi;
    w->unit_weight = w->soil.density * w->wheel.gravity;
    w->passive = root_n * root_n;
    // Hegedus: X_c = π/4 − φ/2, D1 = cot X_c + tan(X_c + φ), D2 = cot X_c + cot² X_c / cot φ
    const double cot_x = 1 / gr_tan(pi / 4 - phi / 2);
    w->side_d1 = cot_x + gr_tan(pi / 4 + phi / 2);
    w->side_d2 = cot_x + cot_x * cot_x * tan_phi;
    // l_o = z tan²(π/4 − φ/2); K_c = (N_c − tan φ) cos² φ; K_γ = (2 N_γ/tan φ + 1) cos² φ (Bekker 1969)
    w->wedge_length = 1 / w->passive;
    if (phi > 0) {
        const GrBearingFactors f = gr_bearing_factors(&w->soil);
        w->wedge_c = (f.n_c - tan_phi) * gr_cos(phi) * gr_cos(phi);
        w->wedge_gamma = (2 * f.n_gamma / tan_phi + 1) * gr_cos(phi) * gr_cos(phi);
    }
}

/// P, z_P and n of the pressure-sinkage curve.
static void prepare_pressure(GrSoilWheel *w)
{
    const GrSoilDef *soil = &w->soil;
    const double b = w->wheel.width;
    const bool stress = (gr_law(soil->law)->traits & GR_LAW_STRESS) != 0;
    const bool reece = soil->pressure == GR_PRESSURE_REECE, bearing = soil->pressure == GR_PRESSURE_BEARING;
    w->exponent = soil->n0;
    w->compaction = gr_law(soil->law)->exponent != NULL ? gr_law(soil->law)->exponent(soil) : soil->n0;
    w->pressure =
        reece ? soil->cohesion * soil->k_c_reece + w->unit_weight * b * soil->k_phi_reece : soil->k_c / b + soil->k_phi;
    w->pressure_length = reece ? b : bearing ? soil->bearing_depth : 1;
    if (stress) {
        w->log_pressure = bearing ? 0 : gr_log(w->pressure);
        w->log_length = gr_log(w->pressure_length);
    }
    if (stress && bearing) {
        gr_bearing_prepare(w);
    }
}

/// Constants of extras.c.
static void prepare_plough(GrSoilWheel *w)
{
    const GrSoilDef *s = &w->soil;
    const unsigned traits = gr_law(s->law)->traits;
    w->digs_exit = traits & GR_LAW_ARC ? s->exit_ratio : 0;
    // θ2/θ1 = −acos(1 − λ x)/acos(1 − x) is at most −√λ 2√2/π for 0 < x ≤ 1. This bound does not depend on h, so the
    // peak needs no derivative there.
    w->peak_lowest = -sqrt(8 * s->exit_ratio) / pi;
    w->lug_dug = w->wheel.grousers != GR_GROUSER_NONE ? s->lug_digging * w->wheel.grouser_height : 0;
    w->digs = (traits & GR_LAW_PATCH) != 0 && (s->slip_sinkage_max > 0 || s->plough_sinkage > 0 || w->lug_dug > 0 ||
                                               (s->peak_plough != 0 && traits & GR_LAW_PEAK));
    w->wedge = s->wedge > 0 || s->wedge_slide > 0;
}

GrStatus gr_soil_wheel_prepare(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrSoilWheel *out, GrErrorLog *errors)
{
    const GrStatus status = gr_soil_check_wheel(soil, wheel, errors);
    if (status != GR_OK) {
        return status;
    }
    memset(out, 0, sizeof *out);
    out->soil = gr_soil_under_gravity(soil, wheel->gravity);
    out->radius = wheel->radius + (wheel->grousers == GR_GROUSER_RADIUS ? wheel->grouser_height : 0);
    out->soil = gr_soil_under_wheel(&out->soil, out->radius);
    soil = &out->soil;
    out->wheel = *wheel;
    out->law = soil->law;
    out->slices = wheel->slices;
    const GrLaw *law = gr_law(soil->law);
    out->nodes = law->nodes;
    out->slice_state = law->slice_state;
    out->state_size = GR_STATE_HEAD + out->slices * law->slice_state;
    out->inverse_radius = 1 / out->radius;
    out->slice_width = wheel->width / wheel->slices;
    prepare_earth_pressure(out);
    prepare_pressure(out);
    out->gamma = law->traits & (GR_LAW_STRESS | GR_LAW_DAMPED) ? soil->damping / wheel->slices : 0;
    out->shear_time = GR_SHEAR_TIME;
    prepare_plough(out);
    out->in_series = gr_law_has(soil->law, GR_LAW_SERIES);
    out->zones = (law->traits & GR_LAW_FLOW) != 0 && soil->skid_flow == GR_SKID_TWO_ZONES;
    out->unloads = (law->traits & GR_LAW_PATCH) != 0 &&
                   (soil->unloading_k0 > 0 || soil->unloading_grow > 0 || soil->unloading_rebound > 0);
    const bool lugs = wheel->grousers == GR_GROUSER_LUGS && wheel->grouser_count > 0 && wheel->grouser_height > 0;
    out->extras = soil->front_bulldozing || soil->side_bulldozing != GR_SIDE_NONE || soil->side_drag > 0 ||
                  soil->resistance_speed > 0 || out->wedge || lugs;
    out->errors = soil->error_fx != 0 || soil->error_fy != 0 || soil->error_torque != 0;
    if (law->prepare != NULL) {
        law->prepare(out);
    }
    return GR_OK;
}

GrStatus gr_soil_prepare(const GrSoilDef *soil, const GrSoilWheelDef *wheel, GrSoilWheel **out, GrErrorLog *log)
{
    *out = NULL;
    if (gr_soil_law_on_grid(soil->law)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "law"},
                            "the law %s works on a grid and has no contact patch under a wheel",
                            gr_soil_law_name(soil->law));
    }
    GrSoilWheel *w = gr_malloc(sizeof *w);
    if (w == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = gr_soil_wheel_prepare(soil, wheel, w, log);
    if (status != GR_OK) {
        gr_free(w);
        return status;
    }
    *out = w;
    return GR_OK;
}

void gr_soil_wheel_free(GrSoilWheel *w)
{
    gr_free(w);
}

double gr_soil_time(const GrSoilWheel *w)
{
    return gr_law_time(w);
}

int gr_soil_state_size(const GrSoilWheel *w)
{
    return w->state_size;
}

void gr_soil_commit(const GrSoilWheel *w, double *old_state, const double *new_state)
{
    memcpy(old_state, new_state, sizeof(double) * (size_t)w->state_size);
}

void gr_soil_clear(const GrSoilWheel *w, double *state)
{
    memset(state, 0, sizeof(double) * (size_t)w->state_size);
}

static const char *const flag_texts[GR_FLAG_COUNT] = {
    "sinkage above the wheel's radius",
    "sinkage above the soil's fitted range",
    "slip outside the soil's fitted range",
    "slip-dependent exponent limited to its range",
    "deflection of the flexible wheel not found",
    "load outside the range that wheel traces were fitted to",
    "pulls forward without slipping",
    "slip angle beyond those that the law was checked at",
    "step longer than the time in which the soil's force builds up",
};

const char *gr_soil_flag_text(int flag)
{
    for (int i = 0; i < GR_FLAG_COUNT; i++) {
        if (flag == 1 << i) {
            return flag_texts[i];
        }
    }
    return "unknown flag";
}

// ---- another gravity
//
// Soils under a gravity other than that of their fit.
//
// Frictional soil carries by its weight: with Reece's p = (c k_c' + γ b k_phi')(z/b)^n and γ = ρ g, k_phi of Bekker's
// form is γ k_phi' b^(1−n) and grows with gravity, and k_c = c k_c' b^(1−n) does not. A wheel of the same mass then
// sinks as deep under any gravity, and its resistance goes with gravity, as found in flights with partial gravity
// (Kobayashi et al. 2010; Wong & Kobayashi 2012). Constants that stay as fitted let a wheel of the same mass sink less
// where gravity is low, which is what a test with reduced load on Earth shows. Cohesion and the shear moduli K, which
// are lengths, stay in any case. ξ_n of the law rft is a weight per volume and always scales.

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

// ---- another wheel
//
// Soils under a wheel of another size than that of their fit.
//
// Frictional soil has no length of its own: with p = k z, k a weight per volume, and no cohesion, all lengths of the
// contact grow with the wheel, and so do the shear displacement that mobilises friction and the depth that a slipping
// wheel digs. That is the scaling of granular locomotion (Slonaker et al. 2017, Phys. Rev. E 95, 052901; Thoesen et
// al. 2020), and what the law rft does without it. A modulus K that stays as fitted with a small wheel lets a large
// one pull too well: K/r is what both have in common. Cohesion and n other than 1 break the scaling.

GrSoilDef gr_soil_under_wheel(const GrSoilDef *soil, double radius)
{
    GrSoilDef here = *soil;
    if (!(soil->fit_radius > 0) || !(gr_law(soil->law)->traits & GR_LAW_PATCH)) {
        return here;
    }
    const double larger = radius / soil->fit_radius;
    double *const lengths[] = {&here.shear_x,        &here.shear_x_slope,     &here.shear_y,
                               &here.shear_y_slope,  &here.slip_sinkage_max,  &here.slip_sinkage_length,
                               &here.plough_sinkage, &here.lug_digging_length};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        *lengths[i] *= larger;
    }
    here.fit_radius = radius;
    return here;
}
