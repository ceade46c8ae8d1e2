/// Defaults of soils and wheels, and their checks.
#include "bearing.h"
#include "law.h"

#include "check.h"
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double degree = GR_DEGREE;

GrSoilDef gr_default_soil_def(void)
{
    // Ishigami et al. (2007), K23 table 4.1, with K at β = 0.
    GrSoilDef soil = {
        .cookie = GR_COOKIE,
        .name = "unnamed",
        .law = GR_SOIL_WONG_REECE,
        .k_c = 1370,
        .k_phi = 814e3,
        .bearing_depth = 0.02,
        .bearing_n_c = 0.5,
        .bearing_n_q = 1,
        .n0 = 1,
        .density = 1600,
        .fit_gravity = 9.80665,
        .cohesion = 800,
        .friction_angle = 37.2 * degree,
        .shear_x = 0.036,
        .shear_y = 0.013,
        .peak_a1 = 0.4,
        .peak_a2 = 0.15,
        .exit_ratio = 1,
        .slip_sinkage_length = 0.04,
        .lug_digging_length = 0.5,
        .plough_side = 1,
        .plough_power = 2,
        .points = {{0, 0, 0, 0},
                   {0.25, 0, 0.25, 0},
                   {0.55, 0.05, 0.9, 0},
                   {0.75, 0.05, 1, 0},
                   {0.9, 0, 0.35, 0},
                   {1, 0, 0, 0}},
        .damping_depth = 1e-3,
        .stiffness = 2e4,
        .stiffness_exponent = 1,
        .rheology_damping = 200,
        .friction = 0.6,
        .tangential_stiffness = 2e4,
        .tangential_damping = 100,
        .stencil = 2,
        .terra_in = 0.1,
        .terra_out = 1.4,
        .terra_limit = 0.2,
        .terra_incline = 1,
        .unloading_rebound = 0.1,
        .rebound = 0.05,
        .slip_sinkage = 0.1,
        .shear_compacted = 0.4,
        .repose_angle = 35 * degree,
        .bulking = 1,
        .wedge_front = 1,
        .slip_min = -1,
        .slip_max = 1,
        .sinkage_max = 1,
    };
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        const GrSoilParam *row = gr_soil_param(i);
        if (row->offset >= offsetof(GrSoilDef, own) && row->offset < offsetof(GrSoilDef, own) + sizeof soil.own) {
            memcpy((char *)&soil + row->offset, &row->fallback, sizeof row->fallback);
        }
    }
    return soil;
}

GrSoilWheelDef gr_default_soil_wheel_def(void)
{
    return (GrSoilWheelDef){.radius = 0.09,
                            .width = 0.11,
                            .grousers = GR_GROUSER_RADIUS,
                            .stiffness = INFINITY,
                            .slices = 1,
                            .gravity = 9.80665};
}

/// Allowed range of a field; open ends are infinite, `above` excludes the lower end.
typedef struct Range {
    const char *field;
    double value, lower, upper;
    bool above;
} Range;

static void check(const Range *r, GrErrorLog *log, GrStatus *status)
{
    const bool ok = (r->above ? r->value > r->lower : r->value >= r->lower) && r->value <= r->upper;
    if (ok) {
        return;
    }
    char text[160];
    if (isinf(r->upper)) {
        gr_print(text, sizeof text, "%s %g", r->above ? "above" : "at least", r->lower);
    } else {
        gr_print(text, sizeof text, "%s %g and at most %g", r->above ? "above" : "at least", r->lower, r->upper);
    }
    *status =
        gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = r->field}, "found %g, it must be %s", r->value, text);
}

static void check_all(const Range *ranges, int count, GrErrorLog *log, GrStatus *status)
{
    for (int i = 0; i < count; i++) {
        check(&ranges[i], log, status);
    }
}

#define CHECK(ranges) check_all(ranges, (int)(sizeof(ranges) / sizeof(ranges)[0]), log, &status)

/// Checks the range of a parameter; the table has its ends in the file's unit.
static void check_param(const GrSoilDef *s, int index, GrErrorLog *log, GrStatus *status)
{
    const GrSoilParam *row = gr_soil_param(index);
    double value;
    memcpy(&value, (const char *)s + row->offset, sizeof value);
    check(&(Range){row->field, value, row->lower * row->scale, row->upper * row->scale, row->open}, log, status);
}

/// Checks that involve several parameters.
static GrStatus check_together(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const double right = 90 * degree;
    const unsigned traits = gr_law(s->law)->traits;
    if (traits & GR_LAW_PATCH) {
        const Range ranges[] = {{"n1", s->n0 + s->n1, 0.1, 3, false},
                                {"shear_x_slope", s->shear_x + s->shear_x_slope * right, 0, 10, true},
                                {"shear_y_slope", s->shear_y + s->shear_y_slope * right, 0, 10, true}};
        CHECK(ranges);
        if (s->pressure == GR_PRESSURE_BEARING) {
            const Range others[] = {{"bearing_n_c", s->bearing_n_c + s->n1, 0.1, 3, false},
                                    {"bearing_n_q", s->bearing_n_q + s->n1, 0.1, 3, false}};
            CHECK(others);
        }
    }
    if (traits & GR_LAW_PEAK) {
        // Only an a_plough above 0 moves the peak towards the entry; below 0 the exit bounds it.
        const double ahead = s->peak_plough > 0 ? s->peak_a1 + fabs(s->peak_a2) + s->peak_plough : 0;
        const Range ranges[] = {{"peak_a1", s->peak_a1 + s->peak_a2, -0.99, 0.99, false},
                                {"peak_a2", s->peak_a1 - s->peak_a2, -0.99, 0.99, false},
                                {"peak_plough", ahead, -0.99, 0.99, false}};
        CHECK(ranges);
    }
    if (traits & GR_LAW_STENCIL) {
        check(&(Range){"stencil", s->stencil, 2, 5, false}, log, &status);
    }
    check(&(Range){"slip_min", s->slip_min, -1, s->slip_max, false}, log, &status);
    if (s->front_bulldozing && !(s->friction_angle > 0)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "front_bulldozing"},
                              "the wedge in front of a wheel needs a friction angle above 0");
    }
    return status;
}

GrStatus gr_soil_check(const GrSoilDef *s, GrErrorLog *log)
{
    if (gr_cookie_check(s->cookie, "soil: start from gr_default_soil_def()", log) != GR_OK) {
        return GR_ERROR_USAGE;
    }
    if ((unsigned)s->law > GR_SOIL_USER) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "law"}, "law %d does not exist", (int)s->law);
    }
    GrStatus status = GR_OK;
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        if (gr_soil_param_of_law(s->law, i)) {
            check_param(s, i, log, &status);
        }
    }
    check(&(Range){"fit_gravity", s->fit_gravity, 0, 1000, true}, log, &status);
    const GrStatus together = check_together(s, log);
    const GrLaw *law = gr_law(s->law);
    const GrStatus own = law->check != NULL ? law->check(s, log) : GR_OK;
    return status != GR_OK ? status : together != GR_OK ? together : own;
}

GrStatus gr_soil_check_grid(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const int count = gr_soil_param_count();
    for (int i = 0; i < count; i++) {
        const bool shared = gr_soil_param(i)->traits != 0;
        if (!shared && gr_soil_param_of_law(gr_law_with(GR_LAW_GRID), i)) {
            check_param(s, i, log, &status);
        }
    }
    return status;
}

GrStatus gr_soil_check_wheel(const GrSoilDef *soil, const GrSoilWheelDef *w, GrErrorLog *log)
{
    GrStatus status = gr_soil_check(soil, log);
    const GrSoilDef here = gr_soil_under_gravity(soil, w->gravity), *s = &here;
    const Range ranges[] = {
        {"radius", w->radius, 0, 100, true},
        {"width", w->width, 0, 100, true},
        {"grouser_count", w->grouser_count, 0, 10000, false},
        {"grouser_height", w->grouser_height, 0, w->radius, false},
        {"grouser_thickness", w->grouser_thickness, 0, w->radius, false},
        {"grouser_slant", w->grouser_slant, -60 * degree, 60 * degree, false},
        {"crown", w->crown, 0, 0.5 * w->radius, false},
        {"stiffness", w->stiffness, 0, INFINITY, true},
        {"damping", w->damping, 0, INFINITY, false},
        {"slices", w->slices, 1, GR_SLICES_MAX, false},
        {"gravity", w->gravity, 0, 1000, false},
    };
    CHECK(ranges);
    if (w->surface != NULL && (!gr_law_has(s->law, GR_LAW_GRAINS) || w->slices != 1)) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "surface"},
                            "a wheel of any shape needs the law %s and one slice; found %s and %d",
                            gr_law(gr_law_with(GR_LAW_GRAINS))->name, gr_soil_law_name(s->law), w->slices);
    }
    if (status != GR_OK || !(gr_law(s->law)->traits & GR_LAW_STRESS)) {
        return status;
    }
    char scaled[48] = "";
    if (s->gravity_scaling == GR_GRAVITY_DENSITY) {
        gr_print(scaled, sizeof scaled, " under %.4g m/s²", w->gravity);
    }
    if (s->pressure == GR_PRESSURE_BEKKER && !(s->k_c / w->width + s->k_phi > 0)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "k_c"},
            "k_c/b + k_phi = %g is not above 0 for a wheel of width b = %g m: this soil (k_c = %g, k_phi = "
            "%g%s) was measured with wider plates; the wheel must be wider than %g m",
            s->k_c / w->width + s->k_phi, w->width, s->k_c, s->k_phi, scaled,
            s->k_phi > 0 ? -s->k_c / s->k_phi : (double)INFINITY);
    }
    if (s->pressure == GR_PRESSURE_BEARING &&
        gr_pressure_curve(s, s->density * w->gravity, w->width, w->width * w->radius, 2 * (w->width + w->radius))
                .count == 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "bearing_depth"},
                            "the bearing capacity is 0: give cohesion, or density and gravity with a friction angle");
    }
    if (s->pressure == GR_PRESSURE_REECE &&
        !(s->cohesion * s->k_c_reece + s->density * w->gravity * w->width * s->k_phi_reece > 0)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "k_phi_reece"},
            "c k_c' + γ b k_phi' is not above 0: give cohesion and k_c_reece, or density, gravity and k_phi_reece");
    }
    return GR_OK;
}
