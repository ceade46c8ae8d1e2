#include "patch.h"
#include "scm.h"

#include <math.h>
#include <stdio.h>

static const double degree = 3.14159265358979323846 / 180;

GrSoilDef gr_default_soil_def(void)
{
    // Ishigami et al. (2007), K23 table 4.1, with K at β = 0.
    return (GrSoilDef){
        .name = "unnamed",
        .law = GR_SOIL_WONG_REECE,
        .k_c = 1370,
        .k_phi = 814e3,
        .n0 = 1,
        .density = 1600,
        .cohesion = 800,
        .friction_angle = 37.2 * degree,
        .shear_x = 0.036,
        .shear_y = 0.013,
        .peak_a1 = 0.4,
        .peak_a2 = 0.15,
        .exit_ratio = 1,
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
        .terra_in = 0.13,
        .terra_out = 1.9,
        .terra_limit = 2,
        .terra_incline = 1,
        .rebound = 0.05,
        .slip_sinkage = 0.1,
        .repose_angle = 35 * degree,
        .bulking = 1,
        .slip_min = -1,
        .slip_max = 1,
        .sinkage_max = 1,
    };
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
        snprintf(text, sizeof text, "%s %g", r->above ? "above" : "at least", r->lower);
    } else {
        snprintf(text, sizeof text, "%s %g and at most %g", r->above ? "above" : "at least", r->lower, r->upper);
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

static GrStatus check_stress(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const double right = 90 * degree;
    const Range ranges[] = {
        {"n0", s->n0, 0.1, 3, false},
        {"n1", s->n0 + s->n1, 0.1, 3, false},
        {"density", s->density, 0, INFINITY, false},
        {"cohesion", s->cohesion, 0, 1e9, false},
        {"friction_angle", s->friction_angle, 0, 60 * degree, false},
        {"shear_x", s->shear_x, 0, 10, true},
        {"shear_y", s->shear_y, 0, 10, true},
        {"shear_x_slope", s->shear_x + s->shear_x_slope * right, 0, 10, true},
        {"shear_y_slope", s->shear_y + s->shear_y_slope * right, 0, 10, true},
        {"peak_a1", s->peak_a1 + s->peak_a2, -0.99, 0.99, false},
        {"peak_a2", s->peak_a1 - s->peak_a2, -0.99, 0.99, false},
        {"exit_ratio", s->exit_ratio, 0, 1.5, false},
        {"damping", s->damping, 0, INFINITY, false},
        {"damping_depth", s->damping_depth, 0, INFINITY, true},
        {"k_c", s->k_c, -1e15, 1e15, false},
        {"k_phi", s->k_phi, -1e15, 1e15, false},
    };
    CHECK(ranges);
    if (s->pressure == GR_PRESSURE_REECE) {
        const Range reece[] = {{"k_c_reece", s->k_c_reece, 0, INFINITY, false},
                               {"k_phi_reece", s->k_phi_reece, 0, INFINITY, false}};
        CHECK(reece);
    }
    return status;
}

static GrStatus check_points(const GrSoilDef *s, GrErrorLog *log)
{
    for (int i = 0; i < GR_CHAIKIN_POINTS; i++) {
        for (int end = -1; end <= 1; end += 2) {
            const GrStressPoint *p = &s->points[i];
            const double x = p->x + end * p->x_slip, y = p->y + end * p->y_slip;
            const double before = i == 0 ? x : p[-1].x + end * p[-1].x_slip;
            if (!(x >= 0 && x <= 1 && x >= before)) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                                    "point %d lies at %g of the arc at slip %d; places must rise from 0 to 1", i + 1, x,
                                    end);
            }
            if (!(y >= 0 && isfinite(y))) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                                    "point %d has stress %g at slip %d; it must not be negative", i + 1, y, end);
            }
        }
    }
    const GrStressPoint *last = &s->points[GR_CHAIKIN_POINTS - 1];
    if (s->points[0].x != 0 || s->points[0].x_slip != 0 || last->x != 1 || last->x_slip != 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "points"},
                            "the first point must stay at 0 (exit) and the last at 1 (entry)");
    }
    return GR_OK;
}

static GrStatus check_springs(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const Range ranges[] = {
        {"stiffness", s->stiffness, 0, INFINITY, true},
        {"stiffness_exponent", s->stiffness_exponent, 0.5, 3, false},
        {"rheology_damping", s->rheology_damping, 0, INFINITY, false},
        {"friction", s->friction, 0, 10, false},
        {"tangential_stiffness", s->tangential_stiffness, 0, INFINITY, true},
        {"tangential_damping", s->tangential_damping, 0, INFINITY, false},
        {"rolling_resistance", s->rolling_resistance, 0, 1, false},
        {"stencil", s->stencil, 2, 5, false},
    };
    CHECK(ranges);
    return status;
}

static GrStatus check_extras(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const Range ranges[] = {
        {"side_bulldozing_drag", s->side_bulldozing_drag, 0, 1, false},
        {"wall_friction", s->wall_friction, 0, 45 * degree, false},
        {"side_drag", s->side_drag, 0, INFINITY, false},
        {"resistance_speed", s->resistance_speed, 0, INFINITY, false},
        {"bearing_c", s->bearing_c, 0, INFINITY, false},
        {"bearing_gamma", s->bearing_gamma, 0, INFINITY, false},
        {"slip_min", s->slip_min, -1, s->slip_max, false},
        {"sinkage_max", s->sinkage_max, 0, INFINITY, true},
    };
    CHECK(ranges);
    if (s->front_bulldozing && !(s->friction_angle > 0)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "front_bulldozing"},
                              "the wedge in front of a wheel needs a friction angle above 0");
    }
    return status;
}

GrStatus gr_soil_check(const GrSoilDef *s, GrErrorLog *log)
{
    if ((unsigned)s->law >= GR_SOIL_LAW_COUNT) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "law"}, "law %d does not exist", (int)s->law);
    }
    GrStatus status = check_extras(s, log);
    const GrStatus law = gr_law_info(s->law).stress ? check_stress(s, log) : check_springs(s, log);
    status = status != GR_OK ? status : law;
    if (s->law == GR_SOIL_CHAIKIN) {
        const GrStatus points = check_points(s, log);
        status = status != GR_OK ? status : points;
    }
    if (s->law == GR_SOIL_TERRA) {
        const Range ranges[] = {{"terra_in", s->terra_in, 0, 10, false},
                                {"terra_out", s->terra_out, 0, 100, false},
                                {"terra_limit", s->terra_limit, 0, 2, true},
                                {"terra_incline", s->terra_incline, 0, 100, false}};
        CHECK(ranges);
    }
    if (s->law == GR_SOIL_SCM) {
        const GrStatus grid = gr_soil_check_grid(s, log);
        status = status != GR_OK ? status : grid;
    }
    return status;
}

GrStatus gr_soil_check_grid(const GrSoilDef *s, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const Range ranges[] = {{"rebound", s->rebound, 0.001, 0.3, false},
                            {"slip_sinkage", s->slip_sinkage, 0, 1, false},
                            {"repose_angle", s->repose_angle, 5 * degree, 80 * degree, false},
                            {"bulking", s->bulking, 0, 1.5, false}};
    CHECK(ranges);
    return status;
}

GrStatus gr_soil_check_wheel(const GrSoilDef *s, const GrSoilWheelDef *w, GrErrorLog *log)
{
    GrStatus status = gr_soil_check(s, log);
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
    if (status != GR_OK || !gr_law_info(s->law).stress) {
        return status;
    }
    if (s->pressure == GR_PRESSURE_BEKKER && !(s->k_c / w->width + s->k_phi > 0)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "k_c"},
            "k_c/b + k_phi = %g is not above 0 for a wheel of width b = %g m: this soil (k_c = %g, k_phi = "
            "%g) was measured with wider plates; the wheel must be wider than %g m",
            s->k_c / w->width + s->k_phi, w->width, s->k_c, s->k_phi,
            s->k_phi > 0 ? -s->k_c / s->k_phi : (double)INFINITY);
    }
    if (s->pressure == GR_PRESSURE_REECE &&
        !(s->cohesion * s->k_c_reece + s->density * w->gravity * w->width * s->k_phi_reece > 0)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){.field = "k_phi_reece"},
            "c k_c' + γ b k_phi' is not above 0: give cohesion and k_c_reece, or density, gravity and k_phi_reece");
    }
    return GR_OK;
}
