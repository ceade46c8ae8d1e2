#include "press.h"

#include "bearing.h"
#include "elementary.h"
#include "law.h"
#include "out_of_memory.h"
#include "rft_body.h"
#include "rft_wheel.h"
#include "scm.h"

#include <math.h>
#include <string.h>

/// Pressing is slow, so that nothing depends on the rate, in steps of a part of the deepest sinkage.
static const double SPEED = 1e-3; // [m/s]
enum { STEPS = 150, STEPS_ON_GRID = 30, RING_PARTS = 64 };

GrPressDef gr_default_press_def(void)
{
    return (GrPressDef){.soil = gr_default_soil_def(),
                        .body = {.kind = GR_PRESS_CIRCLE, .diameter = 0.1},
                        .gravity = gr_default_soil_wheel_def().gravity};
}

double gr_press_area(const GrPressBody *body, double z)
{
    switch (body->kind) {
    case GR_PRESS_CIRCLE:
        return 0.25 * GR_PI * body->diameter * body->diameter;
    case GR_PRESS_RING:
        return 0.25 * GR_PI * (body->diameter * body->diameter - body->inner * body->inner);
    case GR_PRESS_RECTANGLE:
        return body->width * body->length;
    default:
        break;
    }
    const double r = body->radius + body->grouser_height;
    return 2 * body->width * (z < r ? sqrt(z * (2 * r - z)) : r);
}

/// b of Bekker's and Reece's forms: the radius of a circle, else the shorter side; of a ring its breadth.
static double plate_width(const GrPressBody *body)
{
    return body->kind == GR_PRESS_CIRCLE ? 0.5 * body->diameter
           : body->kind == GR_PRESS_RING ? 0.5 * (body->diameter - body->inner)
                                         : fmin(body->width, body->length);
}

static double plate_perimeter(const GrPressBody *body)
{
    return body->kind == GR_PRESS_RECTANGLE ? 2 * (body->width + body->length) : GR_PI * (body->diameter + body->inner);
}

static GrSoilWheelDef wheel_of(const GrPressDef *def)
{
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.gravity = def->gravity;
    if (def->body.kind == GR_PRESS_WHEEL) {
        wheel.radius = def->body.radius;
        wheel.width = def->body.width;
        wheel.grouser_count = def->body.grouser_count;
        wheel.grouser_height = def->body.grouser_height;
        wheel.grouser_thickness = def->body.grouser_thickness;
    } else {
        wheel.width = plate_width(&def->body);
    }
    return wheel;
}

static GrPressureCurve curve_of(const GrPressDef *def)
{
    const GrSoilDef here = gr_soil_under_gravity(&def->soil, def->gravity);
    return gr_pressure_curve(&here, here.density * def->gravity, plate_width(&def->body), gr_press_area(&def->body, 0),
                             plate_perimeter(&def->body));
}

GrStatus gr_press_check(const GrPressDef *def, GrErrorLog *log)
{
    const unsigned traits = gr_law(def->soil.law)->traits;
    const GrPressBody *b = &def->body;
    const double sizes[] = {b->kind == GR_PRESS_WHEEL       ? b->radius
                            : b->kind == GR_PRESS_RECTANGLE ? b->length
                                                            : b->diameter,
                            b->kind == GR_PRESS_RECTANGLE || b->kind == GR_PRESS_WHEEL ? b->width : 1};
    for (int i = 0; i < 2; i++) {
        if (!(sizes[i] > 0 && sizes[i] <= 100)) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = i == 0 ? "size" : "width"},
                                "found %g m, it must be above 0 and at most 100", sizes[i]);
        }
    }
    if (b->kind == GR_PRESS_RING && !(b->inner >= 0 && b->inner < b->diameter)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "annulus"},
                            "found an inner diameter of %g m and an outer one of %g m; the outer one must be larger",
                            b->inner, b->diameter);
    }
    if (!(traits & (GR_LAW_STRESS | GR_LAW_GRAINS)) && b->kind != GR_PRESS_WHEEL) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "law"},
                            "the law %s has no pressure: its stiffness is that of one wheel",
                            gr_soil_law_name(def->soil.law));
    }
    const GrSoilWheelDef wheel = wheel_of(def);
    return gr_soil_check_wheel(&def->soil, &wheel, log);
}

// ---- by the laws

/// The stress of rft on a level plate that moves down is the same everywhere: a square of the same area.
static void press_grains(const GrRftSoil *soil, double area, const double *depth, int count, double *force)
{
    const double half = 0.5 * sqrt(area), corner[4][2] = {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
    GrRftTriangle parts[2];
    for (int i = 0; i < 2; i++) {
        const int at[3] = {0, i == 0 ? 2 : 3, i == 0 ? 1 : 2}; // seen from below
        GrRftTriangle *t = &parts[i];
        *t = (GrRftTriangle){.normal = gr_vec3(0, 0, -1), .area = 0.5 * area, .reach = 2 * half};
        for (int k = 0; k < 3; k++) {
            t->corner[k] = gr_vec3(corner[at[k]][0], corner[at[k]][1], 0);
            t->middle = gr_madd(t->middle, 1.0 / 3, t->corner[k]);
        }
    }
    const GrRftBody body = {parts, 2, half * sqrt(2)};
    const GrRftGround level = {NULL, NULL};
    for (int i = 0; i < count; i++) {
        const GrRftBodyMotion motion = {.centre = gr_vec3(0, 0, -depth[i]),
                                        .axes = gr_mat3_identity(),
                                        .up = gr_vec3(0, 0, 1),
                                        .velocity = gr_vec3(0, 0, -SPEED),
                                        .dt = 100 * soil->path * body.size / SPEED}; // all of the stress is mobilised
        double old[GR_RFT_BODY_STATE] = {0}, next[GR_RFT_BODY_STATE];
        GrRftBodyOutput out;
        gr_rft_body_evaluate(soil, &body, &level, &motion, old, next, &out);
        force[i] = out.wrench[2];
    }
}

/// A wheel of a law with a patch, from the surface down.
static void press_wheel(const GrSoilWheel *w, const double *depth, int count, double *force)
{
    double state[GR_STATE_MAX], next[GR_STATE_MAX], h = 0;
    const double step = depth[count - 1] / STEPS;
    gr_soil_clear(w, state);
    for (int i = 0; i < count; i++) {
        const int steps = (int)ceil((depth[i] - h) / step);
        const double rise = steps > 0 ? (depth[i] - h) / steps : 0;
        GrSoilOutput out = {0};
        for (int k = 0; k < steps; k++) {
            h += rise;
            const GrSoilMotion motion = {.sinkage = {h}, .twist = {0, 0, -SPEED, 0, 0, 0}};
            gr_soil_evaluate(w, &motion, rise / SPEED, state, next, &out);
            gr_soil_commit(w, state, next);
        }
        force[i] = steps > 0 ? out.wrench[2] : i > 0 ? force[i - 1] : 0;
    }
}

// ---- on a grid

/// A body on its grid.
typedef struct Grid {
    GrScmBody body;
    GrRuts *ruts;
    GrScmScratch *scratch;
    GrScmNodes old, next;
    GrScmLedger ledger;
    GrScmPose pose;
    double height; ///< of the centre above the lowest point [m]
    GrVec3 corners[8], normals[6];
    double offsets[6];
} Grid;

/// A block as high as it is wide, its corners and faces in `grid`.
static GrScmConvex block(Grid *g, double x, double y, double z)
{
    const double half[3] = {x, y, z};
    for (int k = 0; k < 8; k++) {
        g->corners[k] = gr_vec3(k & 1 ? x : -x, k & 2 ? y : -y, k & 4 ? z : -z);
    }
    for (int f = 0; f < 6; f++) {
        const double sign = f & 1 ? 1 : -1;
        g->normals[f] = gr_vec3(f / 2 == 0 ? sign : 0, f / 2 == 1 ? sign : 0, f / 2 == 2 ? sign : 0);
        g->offsets[f] = half[f / 2];
    }
    return (GrScmConvex){.kind = GR_SCM_POLYHEDRON,
                         .corners = g->corners,
                         .corner_count = 8,
                         .normals = g->normals,
                         .offsets = g->offsets,
                         .face_count = 6};
}

static GrStatus place_body(const GrPressDef *def, double deepest, Grid *g, GrErrorLog *log)
{
    const GrPressBody *b = &def->body;
    const GrSoilWheelDef wheel = wheel_of(def);
    const double size = b->kind == GR_PRESS_CIRCLE ? b->diameter : b->width;
    const double cell = def->cell > 0 ? def->cell : size / 20;
    g->pose.axes = gr_mat3_identity();
    if (b->kind == GR_PRESS_WHEEL) {
        g->height = b->radius + b->grouser_height;
        return gr_scm_prepare_wheel(&def->soil, &wheel, cell, &g->body, log);
    }
    g->height = deepest + size;
    GrScmConvex convex = {.kind = GR_SCM_CYLINDER, .radius = 0.5 * b->diameter, .half = g->height};
    if (b->kind == GR_PRESS_CIRCLE) {
        g->pose.axes = (GrMat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}}; // its axis, y, is up
    } else {
        convex = block(g, 0.5 * b->width, 0.5 * b->length, g->height);
    }
    return gr_scm_prepare_convex(&def->soil, &convex, def->gravity, cell, &g->body, log);
}

static GrStatus begin_grid(const GrPressDef *def, double deepest, Grid *g, GrErrorLog *log)
{
    const GrStatus status = place_body(def, deepest, g, log);
    if (status != GR_OK) {
        return status;
    }
    GrRutsDef ruts = gr_default_ruts_def();
    ruts.cell = g->body.cell;
    ruts.state_count = GR_SCM_STATES;
    gr_ruts_create(&ruts, &g->ruts, NULL);
    g->scratch = gr_scm_scratch_create(&g->body);
    g->old = gr_scm_nodes_create(g->body.node_max);
    g->next = gr_scm_nodes_create(g->body.node_max);
    const bool made = g->ruts != NULL && g->scratch != NULL && g->old.block != NULL && g->next.block != NULL;
    return made ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Lowers the body to a depth in one step; its force.
static GrStatus lower(Grid *g, double depth, double dt, double *force, GrErrorLog *log)
{
    GrScmOutput out;
    g->pose.centre.z = g->height - depth;
    g->pose.velocity.z = -SPEED;
    gr_scm_evaluate(&g->body, g->ruts, &g->pose, dt, &g->old, g->scratch, &g->next, &out);
    if (gr_ruts_reserve(g->ruts, gr_scm_tiles(&g->body)) != GR_OK) {
        return gr_out_of_memory(log, NULL);
    }
    gr_scm_commit(&g->body, g->ruts, &g->next, &g->ledger);
    const GrScmNodes old = g->old;
    g->old = g->next;
    g->next = old;
    *force = out.wrench[2];
    return GR_OK;
}

static GrStatus press_grid(const GrPressDef *def, const double *depth, int count, double *force, GrErrorLog *log)
{
    Grid g = {.height = 0};
    GrStatus status = begin_grid(def, depth[count - 1], &g, log);
    const double step = depth[count - 1] / STEPS_ON_GRID;
    double h = 0;
    for (int i = 0; i < count && status == GR_OK; i++) {
        const int steps = (int)ceil((depth[i] - h) / step - 1e-9);
        const double rise = (depth[i] - h) / (steps > 0 ? steps : 1);
        for (int k = 0; k < steps && status == GR_OK; k++) {
            h += rise;
            status = lower(&g, h, rise / SPEED, &force[i], log);
        }
    }
    gr_scm_scratch_free(g.scratch);
    gr_scm_nodes_free(&g.old);
    gr_scm_nodes_free(&g.next);
    gr_ruts_free(g.ruts);
    return status;
}

GrStatus gr_press_run(const GrPressDef *def, const double *depth, int count, double *force, GrErrorLog *log)
{
    GrPressDef slow = *def;
    slow.soil.damping = 0;
    GrStatus status = gr_press_check(def, log);
    if (status != GR_OK || count < 1) {
        return status;
    }
    const bool ring = def->body.kind == GR_PRESS_RING; // hollow: not convex
    if (gr_soil_law_on_grid(def->soil.law) && !ring) {
        return press_grid(&slow, depth, count, force, log);
    }
    if (def->body.kind == GR_PRESS_WHEEL) {
        GrSoilWheel w;
        const GrSoilWheelDef wheel = wheel_of(def);
        if (gr_law_has(slow.soil.law, GR_LAW_PATCH)) {
            slow.soil.law = gr_law_of_pressure();
            slow.soil.exit_ratio = 1;
        }
        status = gr_soil_wheel_prepare(&slow.soil, &wheel, &w, log);
        if (status == GR_OK) {
            press_wheel(&w, depth, count, force);
        }
        return status;
    }
    const double area = gr_press_area(&def->body, 0);
    GrRftSoil grains;
    status = gr_rft_soil(&def->soil, def->gravity, &grains, log);
    if (status == GR_OK && grains.grains) {
        press_grains(&grains, area, depth, count, force);
    } else if (status == GR_OK) {
        const GrPressureCurve curve = curve_of(def);
        for (int i = 0; i < count; i++) {
            force[i] = area * gr_pressure_at(&curve, depth[i]);
        }
    }
    return status;
}

GrSoilDef gr_press_firmer(const GrSoilDef *soil, double factor)
{
    GrSoilDef s = *soil;
    const GrBearingFactors f = gr_bearing_factors(soil);
    s.k_c *= factor;
    s.k_phi *= factor;
    s.k_c_reece *= factor;
    s.k_phi_reece *= factor;
    s.bearing_c = f.n_c * factor;
    s.bearing_gamma = f.n_gamma * factor;
    s.surcharge *= factor;
    s.own[GR_RFT_XI] *= factor;
    return s;
}

double gr_press_depth(const GrPressDef *def, double pressure)
{
    double low = 0, high = 1, force = 0;
    const double wanted = pressure * gr_press_area(&def->body, 0);
    if (gr_press_run(def, &high, 1, &force, NULL) != GR_OK || force < wanted) {
        return (double)NAN;
    }
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        gr_press_run(def, &middle, 1, &force, NULL);
        low = force < wanted ? middle : low;
        high = force < wanted ? high : middle;
    }
    return high;
}

double gr_press_shear(const GrSoilDef *soil, double stress, double displacement)
{
    const double strength = soil->cohesion + stress * gr_tan(soil->friction_angle);
    return strength * (1 - gr_exp(-displacement / soil->shear_x));
}

double gr_press_torque(const GrSoilDef *soil, const GrPressBody *ring, double stress, double displacement)
{
    const double from = 0.5 * ring->inner, to = 0.5 * ring->diameter, mean = 0.5 * (from + to);
    double sum = 0;
    for (int i = 0; i < RING_PARTS; i++) {
        const double r = from + (to - from) * (i + 0.5) / RING_PARTS;
        sum += r * r * gr_press_shear(soil, stress, displacement * r / mean);
    }
    return 2 * GR_PI * sum * (to - from) / RING_PARTS;
}
