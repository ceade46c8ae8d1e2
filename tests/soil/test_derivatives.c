/// Derivatives of the wrench against central differences, for every law, shear form and add-on.
#include "law.h"
#include "support/soil_test.h"

#include "evaluate.h"
#include "random.h"

/// A state after random driving.
static void drive(const GrSoilWheel *w, GrRandom *g, double *state)
{
    double next[GR_STATE_MAX];
    GrSoilMotion m = {0};
    GrSoilOutput out;
    gr_soil_clear(w, state);
    for (int i = 0; i < 40; i++) {
        for (int s = 0; s < w->slices; s++) {
            m.sinkage[s] = w->radius * gr_random_uniform(g, 0.1, 0.3);
        }
        m.twist[0] = gr_random_uniform(g, -0.2, 0.3);
        m.twist[1] = gr_random_uniform(g, -0.1, 0.1);
        m.twist[4] = gr_random_uniform(g, -2, 3);
        m.twist[5] = gr_random_uniform(g, -0.5, 0.5);
        m.wheel_angle += 0.01 * m.twist[4];
        gr_soil_evaluate(w, &m, 0.01, state, next, &out);
        memcpy(state, next, sizeof(double) * (size_t)w->state_size);
    }
}

static GrSoilMotion random_motion(const GrSoilWheel *w, GrRandom *g)
{
    GrSoilMotion m = {0};
    for (int s = 0; s < w->slices; s++) {
        m.sinkage[s] = w->radius * gr_random_uniform(g, 0.1, 0.35);
    }
    const double scale[6] = {0.2, 0.1, 0.02, 0.2, 2, 0.5};
    for (int i = 0; i < 6; i++) {
        m.twist[i] = scale[i] * gr_random_uniform(g, -1, 1);
    }
    m.wheel_angle = gr_random_uniform(g, -3, 3);
    return m;
}

/// Sets the state so that the soil is unloaded by a rise of `risen` at the end of a step with this motion.
static void set_risen(const GrSoilMotion *m, double dt, double risen, double *state)
{
    state[GR_HEAD_RISEN] = risen - gr_rise(m->twist[2], dt, state).way;
}

/// Column of the normal velocity as a step uses it: the wheel moves, and nothing of its state is held.
enum { UP = 8, COLUMNS };

/// One column against (f(x + e) − f(x − e))/2e. The derivative by sinkage is that of a wheel that moves, so that its
/// rise from the loaded soil changes with it; those by the twist and by the roll angle are at constant rise. A kink
/// between the two (another branch) is detected by comparing one-sided differences, and such a sample is skipped.
static int compare(const GrSoilWheel *w, const GrSoilMotion *at, double dt, const double *state, int column,
                   double step, const double got[6], const GrSoilOutput *centre, double *worst)
{
    GrSoilOutput side[2];
    double moved[GR_STATE_MAX];
    memcpy(moved, state, sizeof(double) * (size_t)w->state_size);
    const GrRise rise = gr_rise(at->twist[2], dt, state);
    const double risen = state[GR_HEAD_RISEN] + rise.way;
    if (column == 7 && w->unloads && risen > 0) { // slices share one rise
        return 0;
    }
    for (int s = 0; s < 2; s++) {
        GrSoilMotion m = *at;
        const double e = s == 0 ? step : -step;
        for (int i = 0; i < w->slices; i++) {
            const double y = (i + 0.5) * w->slice_width - 0.5 * w->wheel.width;
            m.sinkage[i] += column == 6 ? e : column == 7 ? -y * e : column == UP ? -dt * e : 0;
        }
        if (column < 6) {
            m.twist[column] += e;
        }
        if (column == UP) {
            m.twist[2] += e;
        } else {
            set_risen(&m, dt, column == 6 ? risen - rise.slope * e : risen, moved);
        }
        gr_soil_evaluate(w, &m, dt, moved, NULL, &side[s]);
    }
    static const double arm[6] = {1, 1, 1, 0.1, 0.1, 0.1};
    double scale = 0, kink = 0, error = 0;
    for (int i = 0; i < 6; i++) {
        const double up = (side[0].wrench[i] - centre->wrench[i]) / step,
                     down = (centre->wrench[i] - side[1].wrench[i]) / step;
        scale = fmax(scale, fabs(0.5 * (up + down)) / arm[i]);
        kink = fmax(kink, fabs(up - down) / arm[i]);
        error = fmax(error, fabs(0.5 * (up + down) - got[i]) / arm[i]);
    }
    const double noise = 1e-9 * (fabs(centre->wrench[2]) + 1) / step;
    if (kink > 1e-3 * scale + 2 * noise) {
        return 0;
    }
    if (error > 2e-4 * scale + noise) {
        print_error("law %s column %d: off by %g of %g (got", gr_soil_law_name(w->law), column, error, scale);
        for (int i = 0; i < 6; i++) {
            print_error(" %g/%g", got[i], 0.5 * (side[0].wrench[i] - side[1].wrench[i]) / step);
        }
        print_error(")\n");
        fail();
    }
    *worst = fmax(*worst, error / (scale + noise));
    return 1;
}

static void check(GrSoilDef soil, GrSoilWheelDef wheel, const char *what)
{
    GrRandom g = gr_random_stream(7, what), rises = gr_random_stream(8, what);
    const GrSoilWheel w = prepared(&soil, &wheel);
    static const double step[COLUMNS] = {1e-6, 1e-6, 1e-6, 1e-5, 1e-5, 1e-5, 1e-8, 1e-7, 1e-6};
    const bool leads = w.unloads && !isinf(wheel.stiffness); // its rise follows from the deflection: it cannot be held
    double state[GR_STATE_MAX], worst = 0;
    int counted = 0, all = 0;
    for (int k = 0; k < 200; k++) {
        drive(&w, &g, state);
        state[GR_HEAD_RISEN] = w.unloads ? w.radius * gr_random_uniform(&rises, 0, 0.01) : 0;
        const double dt = gr_random_uniform(&g, 1e-3, 2e-2);
        GrSoilMotion m = random_motion(&w, &g);
        if (k % 2 && w.law == GR_SOIL_RFT) { // walls and heaps of up to a tenth of the radius
            const double most = 0.1 * w.radius;
            m.around =
                (GrGroundAround){true, gr_random_uniform(&rises, -most, most), gr_random_uniform(&rises, -most, most),
                                 gr_random_uniform(&rises, -most, most), gr_random_uniform(&rises, -most, most)};
        }
        GrSoilOutput out;
        gr_soil_evaluate(&w, &m, dt, state, NULL, &out);
        for (int c = leads ? UP : 0; c < COLUMNS; c++, all++) {
            double got[6];
            for (int i = 0; i < 6; i++) {
                const double up = out.d_twist[i][2] - dt * out.d_sinkage[i];
                got[i] = c < 6 ? out.d_twist[i][c] : c == 6 ? out.d_sinkage[i] : c == 7 ? out.d_roll[i] : up;
            }
            counted += compare(&w, &m, dt, state, c, step[c], got, &out, &worst);
        }
    }
    print_message("%-28s %4d of %d columns smooth, worst error %.1e\n", what, counted, all, worst);
    assert_true(counted > 0.8 * all);
}

static void test_laws(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        GrSoilDef soil = ishigami();
        GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        soil.law = (GrSoilLaw)law;
        soil.damping = 400;
        soil.n1 = 0.2;
        soil.exit_ratio = 0.8;
        wheel.stiffness = law == GR_SOIL_DOUBLE_SPRING ? 3e4 : (double)INFINITY;
        check(soil, wheel, gr_soil_law_name(soil.law));
        if (law <= GR_SOIL_CHAIKIN || law == GR_SOIL_TERRA) {
            soil.shear = GR_SHEAR_COMBINED;
            check(soil, wheel, "  combined shear");
            soil.unloading_k0 = 5e6;
            soil.unloading_grow = 5e8;
            check(soil, wheel, "  unloading");
            soil.pressure = GR_PRESSURE_BEARING;
            soil.surcharge = 0.5;
            check(soil, wheel, "  bearing, unloading");
            soil.unloading_k0 = soil.unloading_grow = 0;
            check(ploughed(soil), wheel, "  bearing, ploughing");
            soil.pressure = GR_PRESSURE_BEKKER;
            soil.unloading_k0 = 5e6;
            soil.unloading_grow = 5e8;
        }
        if (gr_law(soil.law)->traits & GR_LAW_FLOW) {
            soil.skid_flow = GR_SKID_TWO_ZONES;
            check(soil, wheel, "  two zones");
            soil.shear = GR_SHEAR_SEPARATE;
            soil.unloading_k0 = soil.unloading_grow = 0;
            check(soil, wheel, "  two zones, separate shear");
        }
    }
}

static void test_parts(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    // Shear that is mobilised at once: the run's nodes are corrected.
    soil.shear_x = soil.shear_y = 0.002;
    soil.shear_x_slope = soil.shear_y_slope = 0;
    check(soil, wheel, "steep shear");
    soil.shear = GR_SHEAR_COMBINED;
    check(soil, wheel, "steep combined shear");
    soil = ishigami();
    wheel.slices = 4;
    check(soil, wheel, "four slices");
    wheel.slices = 1;
    wheel.stiffness = 2e4;
    check(soil, wheel, "flexible wheel, unloading");
    soil.unloading_rebound = 0;
    check(soil, wheel, "flexible wheel");
    soil.unloading_rebound = 0.1;
    wheel.stiffness = INFINITY;
    soil.front_bulldozing = true;
    soil.side_bulldozing = GR_SIDE_HEGEDUS;
    soil.side_bulldozing_drag = 0.5;
    soil.side_drag = 500;
    soil.exit_ratio = 0.7;
    check(soil, wheel, "bulldozing and drag");
    soil.resistance_speed = 0.02;
    check(soil, wheel, "resistance at low speed");
    soil.error_fx = -0.15;
    soil.error_fy = 0.1;
    soil.error_torque = 0.2;
    check(soil, wheel, "errors of the law");
    soil.error_sinkage = 0.01;
    check(soil, wheel, "wheel deeper");
    soil.error_sinkage = -0.1;
    check(soil, wheel, "wheel less deep");
    soil = ploughed(ishigami());
    for (int law = 0; law < GR_SOIL_PATCH_LAWS; law++) {
        char what[64];
        soil.law = (GrSoilLaw)law;
        snprintf(what, sizeof what, "ploughing, %s", gr_soil_law_name(soil.law));
        check(soil, wheel, what);
    }
    soil.law = GR_SOIL_WONG_REECE;
    soil.shear_x = soil.shear_y = 0.002;
    check(soil, wheel, "ploughing, steep shear");
    soil.wedge = soil.wedge_slide = 0; // add-ons act at the deepest slice and have no derivative by roll
    wheel.slices = 4;
    check(soil, wheel, "ploughing, four slices");
    wheel.slices = 1;
    soil = ishigami();
    soil.rheology = GR_HUNT_CROSSLEY;
    soil.law = GR_SOIL_RHEOLOGICAL;
    soil.stiffness_exponent = 1.5;
    soil.rolling_resistance = 0.1;
    check(soil, wheel, "Hunt-Crossley");
    soil = ishigami();
    wheel.grousers = GR_GROUSER_LUGS;
    wheel.grouser_count = 12;
    wheel.grouser_height = 0.01;
    check(soil, wheel, "lugs");
    soil.law = GR_SOIL_RFT;
    wheel.grouser_thickness = 0.002;
    check(soil, wheel, "rft with grousers");
    wheel.slices = 3;
    check(soil, wheel, "rft in slices");
    soil = ishigami();
    wheel.slices = 1;
    static const GrVec3 wall[2][3] = {{{-0.08, 0.055, -0.06}, {0.08, 0.055, -0.06}, {0, 0.055, 0.05}},
                                      {{-0.05, 0.05, -0.085}, {0.04, 0.05, -0.08}, {0, 0.06, -0.02}}};
    wheel.grousers = GR_GROUSER_RADIUS;
    wheel.grouser_height = 0;
    GrSideWall *side = NULL;
    assert_int_equal(gr_side_wall_create(wall, 2, &side, NULL), GR_OK);
    wheel.side = side;
    soil.side_bulldozing = GR_SIDE_MESH;
    soil.wall_friction = 0.3;
    check(soil, wheel, "side mesh");
    gr_side_wall_free(side);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_laws), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
