/// The parameters that a law reads, checked against the laws themselves: each parameter and each choice is changed, and
/// every output of a battery of motions is compared bit for bit. What the table calls read must change an output
/// somewhere; what it calls ignored must change none anywhere.
#include "support/scm_test.h"
#include "support/soil_test.h"

#include "furrow.h"
#include "rft_wheel.h"
#include "soil_param.h"

enum { STEPS = 60, VALUES_MAX = 40000 };

typedef struct Outputs {
    double values[VALUES_MAX];
    int count;
} Outputs;

static void put(Outputs *o, const double *values, int count)
{
    assert_true(o->count + count <= VALUES_MAX);
    memcpy(o->values + o->count, values, sizeof *values * (size_t)count);
    o->count += count;
}

/// A wheel that lands, spins up, slips sideways, brakes, and is pulled back.
static GrSoilMotion motion_at(int step)
{
    const double t = (double)step / STEPS;
    GrSoilMotion m = {.incline = 0.1, .wheel_angle = 3 * t};
    m.sinkage[0] = 0.0002 + 0.03 * t;
    m.twist[0] = 0.1 * cos(4 * t);
    m.twist[1] = 0.03 * sin(9 * t);
    m.twist[2] = -0.03 * cos(11 * t);
    m.twist[4] = 1.6 * cos(7 * t);
    return m;
}

static void transient(const GrSoilWheel *w, Outputs *o)
{
    double state[2][GR_STATE_MAX];
    gr_soil_clear(w, state[0]);
    for (int i = 0; i < STEPS; i++) {
        const GrSoilMotion m = motion_at(i);
        GrSoilOutput out;
        gr_soil_evaluate(w, &m, 5e-3, state[i % 2], state[1 - i % 2], &out);
        const double flags = out.flags;
        put(o, out.wrench, 6);
        put(o, &flags, 1);
    }
}

static void steady(const GrSoilWheel *w, Outputs *o)
{
    for (int i = 0; i < 12; i++) {
        GrSoilSteady s;
        gr_soil_steady(w, -0.9 + 0.16 * i, 0.1 * (i % 4), 0.004 + 0.003 * i, 0.3, &s);
        const double values[] = {s.f_x, s.f_y, s.f_z, s.torque, s.output.flags};
        put(o, values, 5);
    }
}

/// A wheel rolled over a grid, sideways too, with the soil flow or without, once more over its rut, and braked. Flags
/// of range come from the rig and from the rover; the grid itself has none.
static void on_grid(const GrSoilDef *soil, bool flow, Outputs *o)
{
    GrScmBody body;
    Scm s;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    assert_int_equal(gr_scm_prepare_wheel(soil, &wheel, 0.015, &body, NULL), GR_OK);
    body.flow = flow;
    scm_begin(&s, &body, NULL);
    for (int i = 0; i < 40; i++) {
        GrScmPose pose = scm_rolling(wheel.radius, 0.004 * i, 0.075 + 0.0002 * i, 0.1, 0.06);
        pose.velocity.y = 0.02;
        pose.velocity.z = i < 20 ? -0.01 : 0.01;
        put(o, scm_step(&s, &pose, 0.02)->wrench, 6);
        put(o, &s.out.depth, 1);
    }
    s.old.count = 0;
    for (int i = 0; i < 5; i++) {
        const GrScmPose pose = scm_rolling(wheel.radius, 0.004 * i, 0.073, 0.1, 0.06);
        put(o, scm_step(&s, &pose, 0.02)->wrench, 6);
    }
    for (int i = 0; i < 20; i++) {
        GrScmPose pose = scm_rolling(wheel.radius, 0.02 + 0.004 * i, 0.073, 0.1, 0.2);
        pose.velocity.y = 0.02;
        put(o, scm_step(&s, &pose, 0.02)->wrench, 6);
    }
    scm_end(&s);
}

/// Heights around a wheel that rolls in its own furrow.
static void in_furrow(const GrSoilDef *soil, Outputs *o)
{
    GrScmBody body;
    Scm s;
    const GrSoilDef ground = ishigami();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrFurrowWheel rolling = {wheel.radius, wheel.width, ground.friction_angle, gr_rft_heap(soil)};
    assert_int_equal(gr_scm_prepare_wheel(&ground, &wheel, 0.015, &body, NULL), GR_OK);
    body.flow = true;
    scm_begin(&s, &body, NULL);
    const GrImprint imprint = {&body, s.ruts, s.scratch, s.next, &s.ledger};
    GrFurrow f = {.known = 0};
    for (int i = 0; i < 40; i++) {
        const GrFurrowMotion motion = {
            .wheel = {.centre = gr_vec3(0.004 * i, 0, wheel.radius - 0.02), .axle = gr_vec3(0, 1, 0), .down = true},
            .velocity = gr_vec3(0.1, 0, 0),
            .sinkage = 0.02};
        gr_furrow_advance(&rolling, NULL, &imprint, body.cell, &motion, &f);
        put(o, f.around, 4);
    }
    scm_end(&s);
}

static void battery(const GrSoilDef *soil, unsigned use, Outputs *o)
{
    o->count = 0;
    if (soil->law == GR_SOIL_SCM) {
        on_grid(soil, !(use & GR_SOIL_USE_NO_FLOW), o);
        return;
    }
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const bool each = (use & GR_SOIL_USE_LUGS) != 0 || soil->law == GR_SOIL_RFT; // rft has the pieces of each grouser
    wheel.grousers = each ? GR_GROUSER_LUGS : GR_GROUSER_RADIUS;
    wheel.grouser_count = 12;
    wheel.grouser_height = 0.01;
    static const GrVec3 tilted[1][3] = {{{-0.08, 0.055, -0.06}, {0.08, 0.055, -0.06}, {0, 0.03, 0.05}}};
    GrSideWall *side = NULL;
    if (use & GR_SOIL_USE_SIDES) {
        assert_int_equal(gr_side_wall_create(tilted, 1, &side, NULL), GR_OK);
    }
    wheel.side = side;
    const GrSoilWheel w = prepared(soil, &wheel);
    steady(&w, o);
    if (!(use & GR_SOIL_USE_STEADY)) {
        transient(&w, o);
    }
    if (soil->law == GR_SOIL_RFT && !(use & GR_SOIL_USE_NO_FLOW)) {
        in_furrow(soil, o);
    }
    gr_side_wall_free(side);
}

/// Forms and add-ons that decide what is read.
static const char *const forms[] = {"plain", "reece", "combined", "front", "hegedus", "mesh",     "damped",
                                    "drag",  "hunt",  "digs",     "wedge", "bearing", "surcharge"};
enum { FORMS = sizeof forms / sizeof forms[0] };

static GrSoilDef soil_in(GrSoilLaw law, int form)
{
    GrSoilDef s = ishigami();
    s.law = law;
    s.n1 = 0.1;
    s.k_c_reece = 10;
    s.k_phi_reece = 300;
    s.pressure = form == 1 ? GR_PRESSURE_REECE : form >= 11 ? GR_PRESSURE_BEARING : s.pressure;
    s.surcharge = form == 12 ? 0.3 : 0;
    s.cohesion = form == 11 ? 0 : s.cohesion;
    s.shear = form == 2 ? GR_SHEAR_COMBINED : s.shear;
    s.front_bulldozing = form == 3;
    s.side_bulldozing = form == 4 ? GR_SIDE_HEGEDUS : form == 5 ? GR_SIDE_MESH : GR_SIDE_NONE;
    s.side_bulldozing_drag = 0.4;
    s.damping = form == 6 ? 300 : 0;
    s.side_drag = form == 7 ? 500 : 0;
    s.resistance_speed = form == 7 ? 0.05 : 0;
    s.rheology = form == 8 ? GR_HUNT_CROSSLEY : GR_KELVIN_VOIGT;
    s.slip_sinkage_max = form == 9 ? 0.004 : 0;
    s.plough_sinkage = form == 9 ? 0.005 : 0;
    s.exit_ratio = form == 9 ? 0.4 : s.exit_ratio;
    s.wedge_slide = form == 10 ? 1 : 0;
    s.rolling_resistance = 0.1;
    s.fit_gravity = 3.71; // not that of the wheel
    s.bearing_c = 30;
    s.bearing_gamma = 20;
    return s;
}

/// Another value inside the allowed range, different enough to show.
static void perturb(GrSoilDef *s, int index)
{
    const double value = gr_soil_param_get(s, index);
    const GrSoilParam *p = gr_soil_param(index);
    const bool slip = strcmp(p->name, "slip_min") == 0 || strcmp(p->name, "slip_max") == 0;
    double to = slip ? 0.5 * value : value != 0 ? 1.13 * value : 0.05 * fmin(1, p->upper);
    to = to > p->upper ? 0.87 * value : to;
    to = strcmp(p->name, "sinkage_max") == 0 ? 0.2 : to;
    to = strcmp(p->name, "damping") == 0 && value == 0 ? 100 : to;
    to = strcmp(p->name, "side_drag") == 0 && value == 0 ? 100 : to;
    to = strcmp(p->name, "wall_friction") == 0 ? 20 : to;
    gr_soil_param_set(s, index, to);
}

static void choose(GrSoilDef *s, const char *key)
{
    if (strcmp(key, "pressure") == 0) {
        s->pressure = s->pressure == GR_PRESSURE_BEKKER ? GR_PRESSURE_REECE : GR_PRESSURE_BEKKER;
    } else if (strcmp(key, "gravity_scaling") == 0) {
        s->gravity_scaling = GR_GRAVITY_DENSITY;
    } else if (strcmp(key, "shear") == 0) {
        s->shear = s->shear == GR_SHEAR_SEPARATE ? GR_SHEAR_COMBINED : GR_SHEAR_SEPARATE;
    } else if (strcmp(key, "skid_flow") == 0) {
        s->skid_flow = GR_SKID_TWO_ZONES;
    } else if (strcmp(key, "rheology") == 0) {
        s->rheology = s->rheology == GR_KELVIN_VOIGT ? GR_HUNT_CROSSLEY : GR_KELVIN_VOIGT;
    } else if (strcmp(key, "stencil") == 0) {
        s->stencil = 4;
    } else if (strcmp(key, "points") == 0) {
        s->points[3].y = 0.8;
    } else if (strcmp(key, "front_bulldozing") == 0) {
        s->front_bulldozing = !s->front_bulldozing;
    } else {
        assert_string_equal(key, "side_bulldozing");
        s->side_bulldozing = s->side_bulldozing == GR_SIDE_MESH ? GR_SIDE_HEGEDUS : GR_SIDE_MESH;
    }
}

static Outputs before, after;

/// Bitwise comparison: a parameter that is not read cannot change even the last bit.
static bool differ(const GrSoilDef *changed, unsigned use)
{
    battery(changed, use, &after);
    return after.count != before.count ||
           memcmp(after.values, before.values, sizeof *after.values * (size_t)before.count) != 0;
}

static int wrong;

static void hold(const char *key, GrSoilLaw law, int form, unsigned use, bool told, bool seen)
{
    if (told != seen) {
        print_error("%s, law %s, form %s, use %u: told %s, but the outputs %s\n", key, gr_soil_law_name(law),
                    forms[form], use, told ? "read" : "ignored", seen ? "changed" : "did not change");
        wrong++;
    }
}

/// For the grid, the range of the fit is checked by the rig and the rover, not by the grid itself.
static bool range_of_fit(const char *name)
{
    return strcmp(name, "slip_min") == 0 || strcmp(name, "slip_max") == 0 || strcmp(name, "sinkage_max") == 0;
}

static void test_used(void **state)
{
    (void)state;
    static const unsigned uses[] = {GR_SOIL_USE_ALL, GR_SOIL_USE_STEADY, GR_SOIL_USE_LUGS, GR_SOIL_USE_NO_FLOW,
                                    GR_SOIL_USE_SIDES};
    enum { USES = sizeof uses / sizeof uses[0] };
    int compared = 0;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        for (int form = 0; form < FORMS; form++) {
            for (int u = 0; u < USES; u++) {
                const unsigned use = uses[u];
                const bool grid = use == GR_SOIL_USE_NO_FLOW,
                           patch = use == GR_SOIL_USE_STEADY || use == GR_SOIL_USE_LUGS || use == GR_SOIL_USE_SIDES;
                if ((patch && law == GR_SOIL_SCM) || (grid && law != GR_SOIL_SCM && law != GR_SOIL_RFT)) {
                    continue;
                }
                const GrSoilDef soil = soil_in((GrSoilLaw)law, form);
                battery(&soil, use, &before);
                for (int i = 0; i < gr_soil_param_count(); i++) {
                    if (law == GR_SOIL_SCM && range_of_fit(gr_soil_param(i)->name)) {
                        continue;
                    }
                    GrSoilDef changed = soil;
                    perturb(&changed, i);
                    hold(gr_soil_param(i)->name, soil.law, form, use, gr_soil_param_used(&soil, i, use),
                         differ(&changed, use));
                    compared++;
                }
                for (int i = 0; i < gr_soil_choice_count(); i++) {
                    GrSoilDef changed = soil;
                    choose(&changed, gr_soil_choice(i)->key);
                    hold(gr_soil_choice(i)->key, soil.law, form, use, gr_soil_choice_used(&soil, i, use),
                         differ(&changed, use));
                    compared++;
                }
            }
        }
    }
    print_message("%d parameters and choices changed, %d told wrongly\n", compared, wrong);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_used)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
