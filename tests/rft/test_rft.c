/// The law rft against a plain sum of the printed formulas over many small pieces of a wheel, its scaling with size,
/// gravity and mass, its grousers, its cohesion, and how it holds and lets go.
#include "support/rft_reference.h"
#include "support/soil_test.h"

#include "random.h"
#include "rft_wheel.h"

static const double QUADRATURE = 0.02; // of the load that the wheel carries when it is pressed in
static const double EXACT = 1e-9;

static GrSoilDef sand(void)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    soil.friction_angle = 32 * test_degree;
    soil.cohesion = 0;
    soil.own[GR_RFT_FRICTION] = 0.4;
    return soil;
}

/// Share of the stress of a piece whose normal and direction of motion have the product m: the theory counts m >= 0.
static double counted(double m)
{
    return m >= -1e-12; // a wall that moves along itself, whatever the rounding
}

/// Adds the force of one piece, and its torque, to the sum.
static void add_piece(Vector n, Vector p, double load, const double twist[6], double ploughing, double sum[6])
{
    const double friction = 0.4;
    const Vector d = {twist[0] + twist[4] * p.z - twist[5] * p.y, twist[1] + twist[5] * p.x - twist[3] * p.z,
                      twist[2] + twist[3] * p.y - twist[4] * p.x};
    const double size = sqrt(dot(d, d));
    if (!(size > 0)) {
        return;
    }
    load *= counted(dot(n, d) / size);
    const Piece k = {n.x, n.y, n.z, d.x / size, d.y / size, d.z / size, friction, ploughing};
    Piece other = k; // an upright piece is the mean of both sides of the fit
    other.nz = -1e-300;
    const Vector a = limited(&k, printed(&k)), b = n.z == 0 ? limited(&other, printed(&other)) : a;
    const Vector f = {0.5 * load * (a.x + b.x), 0.5 * load * (a.y + b.y), 0.5 * load * (a.z + b.z)};
    const double all[6] = {f.x, f.y, f.z, p.y * f.z - p.z * f.y, p.z * f.x - p.x * f.z, p.x * f.y - p.y * f.x};
    for (int i = 0; i < 6; i++) {
        sum[i] += all[i];
    }
}

/// A smooth wheel in the ground, as a sum over a fine grid of its rim and of both sides. `plough`: the ploughing
/// vector; the surface falls along it, from the level at the front of the contact to the bottom of the wheel at its
/// rear. `g`: ground around the wheel, which covers the ends of the contact and the sides.
static void plain_around(double xi, double r, double b, double h, const double twist[6], const double plough[2],
                         const GrGroundAround *g, double sum[6])
{
    enum { AROUND = 200, ACROSS = 10, SIDEWAYS = 60, RADIAL = 30 };
    const double highest = fmax(fmax(fmax(g->before, g->behind), fmax(g->left, g->right)), 0),
                 half = r * sin(acos(1 - h / r));
    const double end = acos(1 - (h + highest) / r), step = 2 * end / AROUND;
    const double square = plough[0] * plough[0] + plough[1] * plough[1];
    memset(sum, 0, 6 * sizeof *sum);
    for (int i = 0; i < AROUND; i++) {
        const double t = -end + (i + 0.5) * step;
        for (int j = 0; j < ACROSS; j++) {
            const Vector n = {sin(t), 0, -cos(t)}, p = {r * sin(t), b * ((j + 0.5) / ACROSS - 0.5), -r * cos(t)};
            const double rear = -fabs(plough[1]) * b / 2, front = fabs(plough[0]) * half - rear;
            const double way = plough[0] * p.x + plough[1] * p.y;
            const double behind = square > 0 ? fmin(1, fmax(0, (front - way) / (front - rear))) : 0;
            const double beyond = fmin(1, p.x * p.x / (half * half)) * (p.x > 0 ? g->before : g->behind);
            const double depth = r * cos(t) - (r - h) - square * h * behind * n.z * n.z + beyond;
            add_piece(n, p, xi * fmax(0, depth) * r * step * b / ACROSS, twist, square, sum);
        }
    }
    for (int i = 0; i < SIDEWAYS; i++) {
        const double piece = 2 * end / SIDEWAYS, t = -end + (i + 0.5) * piece;
        for (int side = -1; side <= 1; side += 2) {
            const double bottom = r - h - (side > 0 ? g->left : g->right), from = bottom / cos(t);
            const double width = fmax(0, r - from) / RADIAL;
            for (int j = 0; j < RADIAL; j++) {
                const double rho = from + (j + 0.5) * width;
                const Vector n = {0, side, 0}, p = {rho * sin(t), 0.5 * side * b, -rho * cos(t)};
                add_piece(n, p, xi * (rho * cos(t) - bottom) * rho * piece * width, twist, square, sum);
            }
        }
    }
}

/// The same in level ground.
static void plain_wheel(double xi, double r, double b, double h, const double twist[6], const double plough[2],
                        double sum[6])
{
    const GrGroundAround none = {.known = false};
    plain_around(xi, r, b, h, twist, plough, &none, sum);
}

static const double press[6] = {0, 0, -1}, level[2] = {0, 0};

/// Steady motion of any kind: driving, braking, locked, spinning, sideways, steered, tilted.
static void test_plain_sum(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(1, "plain sum");
    const GrSoilDef soil = sand();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    double worst = 0;
    for (int k = 0; k < 40; k++) {
        wheel.radius = gr_random_uniform(&g, 0.05, 0.3);
        wheel.width = wheel.radius * gr_random_uniform(&g, 0.4, 1.2);
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double h = wheel.radius * gr_random_uniform(&g, 0.05, 0.4), mu = tan(soil.friction_angle);
        const double xi = 1600 * 9.80665 * (894 * pow(mu, 3) - 386 * mu * mu + 89 * mu);
        GrSoilMotion motion = {.sinkage = {h}};
        static const double size[6] = {1, 0.7, 0.1, 0.02, 1, 0.3};
        for (int i = 0; i < 6; i++) {
            motion.twist[i] = gr_random_below(&g, 4) ? size[i] * gr_random_uniform(&g, -1, 1) : 0;
            motion.twist[i] /= i < 3 ? 1 : wheel.radius;
        }
        // A long way: the state is the direction of motion.
        double old[GR_STATE_MAX], sum[6];
        GrSoilOutput out;
        gr_soil_clear(&w, old);
        gr_soil_evaluate(&w, &motion, 1e6, old, NULL, &out);
        plain_wheel(xi, wheel.radius, wheel.width, h, motion.twist, level, sum);
        double pressed[6];
        plain_wheel(xi, wheel.radius, wheel.width, h, press, level, pressed);
        for (int i = 0; i < 6; i++) {
            const double arm = pressed[2] * (i < 3 ? 1 : wheel.radius);
            const double want = i == 2 && sum[2] < 0 ? 0 : sum[i]; // the ground never pulls
            worst = fmax(worst, fabs(out.wrench[i] - want) / arm);
        }
    }
    print_message("40 motions: %.2f %% of the load off a plain sum\n", 100 * worst);
    assert_true(worst < QUADRATURE);
}

/// Steady rolling, skidding and side-slip with the trench that they leave, one slice and four.
static void test_trench(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(2, "trench");
    const GrSoilDef soil = sand();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    double worst = 0;
    for (int k = 0; k < 40; k++) {
        wheel.radius = gr_random_uniform(&g, 0.05, 0.3);
        wheel.width = wheel.radius * gr_random_uniform(&g, 0.4, 1.2);
        wheel.slices = k % 2 ? 4 : 1;
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double h = wheel.radius * gr_random_uniform(&g, 0.05, 0.9);
        const double slip = gr_random_uniform(&g, -1, 0.9), beta = gr_random_uniform(&g, -1.4, 1.4);
        const double plough[2] = {cos(beta) * fmax(0, -slip), sin(beta)};
        const double ahead = slip > 0 ? 1 - slip : 1;
        const double twist[6] = {ahead, ahead * tan(beta), 0, 0, (slip > 0 ? 1 : 1 + slip) / wheel.radius, 0};
        GrSoilSteady s;
        double sum[6], pressed[6];
        gr_soil_steady(&w, slip, beta, h, 0, &s);
        plain_wheel(w.pressure, wheel.radius, wheel.width, h, twist, plough, sum);
        plain_wheel(w.pressure, wheel.radius, wheel.width, h, press, level, pressed);
        for (int i = 0; i < 6; i++) {
            const double arm = pressed[2] * (i < 3 ? 1 : wheel.radius);
            const double want = i == 2 && sum[2] < 0 ? 0 : sum[i];
            worst = fmax(worst, fabs(s.output.wrench[i] - want) / arm);
        }
    }
    print_message("40 ploughing wheels: %.2f %% of the load off a plain sum\n", 100 * worst);
    assert_true(worst < QUADRATURE);
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// Single points of steady rolling against their own force, which near the limits of slip is far below the load pressed
/// in.
static void test_single_points(void **state)
{
    (void)state;
    enum { POINTS = 300 };
    GrRandom g = gr_random_stream(7, "single points");
    const GrSoilDef soil = sand();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    double off[POINTS];
    for (int k = 0; k < POINTS; k++) {
        const double h = wheel.radius * gr_random_uniform(&g, 0.05, 0.6);
        const double slip = gr_random_uniform(&g, -0.95, 0.95), beta = gr_random_uniform(&g, 0, 1.3);
        const double plough[2] = {cos(beta) * fmax(0, -slip), sin(beta)};
        const double ahead = slip > 0 ? 1 - slip : 1;
        const double twist[6] = {ahead, ahead * tan(beta), 0, 0, (slip > 0 ? 1 : 1 + slip) / wheel.radius, 0};
        GrSoilSteady s;
        double sum[6], square = 0, difference = 0;
        gr_soil_steady(&w, slip, beta, h, 0, &s);
        plain_wheel(w.pressure, wheel.radius, wheel.width, h, twist, plough, sum);
        sum[2] = fmax(sum[2], 0);
        for (int i = 0; i < 3; i++) {
            square += sum[i] * sum[i];
            difference += (s.output.wrench[i] - sum[i]) * (s.output.wrench[i] - sum[i]);
        }
        off[k] = sqrt(difference / square);
    }
    qsort(off, POINTS, sizeof *off, by_size);
    print_message("300 points: force off a plain sum by %.2f %% (median), %.1f %% at most\n", 100 * off[POINTS / 2],
                  100 * off[POINTS - 1]);
    assert_true(off[POINTS / 2] < 0.01 && off[POINTS - 1] < 0.1);
}

/// Heaps and walls around a wheel that moves in any direction.
static void test_around(void **state)
{
    (void)state;
    GrRandom g = gr_random_stream(3, "around");
    const GrSoilDef soil = sand();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    double worst = 0, largest = 0;
    for (int k = 0; k < 40; k++) {
        wheel.radius = gr_random_uniform(&g, 0.05, 0.3);
        wheel.width = wheel.radius * gr_random_uniform(&g, 0.4, 1.2);
        const GrSoilWheel w = prepared(&soil, &wheel);
        const double h = wheel.radius * gr_random_uniform(&g, 0.05, 0.4);
        GrSoilMotion motion = {.sinkage = {h}, .around = {.known = true}};
        double *heights[] = {&motion.around.before, &motion.around.behind, &motion.around.left, &motion.around.right};
        for (int i = 0; i < 4; i++) {
            *heights[i] = gr_random_below(&g, 3) ? h * gr_random_uniform(&g, -1, 1) : 0;
        }
        static const double size[6] = {1, 0.7, 0.1, 0.02, 1, 0.3};
        for (int i = 0; i < 6; i++) {
            motion.twist[i] = size[i] * gr_random_uniform(&g, -1, 1) / (i < 3 ? 1 : wheel.radius);
        }
        double old[GR_STATE_MAX], sum[6], flat[6], pressed[6];
        GrSoilOutput out;
        gr_soil_clear(&w, old);
        gr_soil_evaluate(&w, &motion, 1e6, old, NULL, &out);
        plain_around(w.pressure, wheel.radius, wheel.width, h, motion.twist, level, &motion.around, sum);
        plain_wheel(w.pressure, wheel.radius, wheel.width, h, motion.twist, level, flat);
        plain_wheel(w.pressure, wheel.radius, wheel.width, h, press, level, pressed);
        for (int i = 0; i < 6; i++) {
            const double arm = pressed[2] * (i < 3 ? 1 : wheel.radius);
            const double want = i == 2 && sum[2] < 0 ? 0 : sum[i];
            worst = fmax(worst, fabs(out.wrench[i] - want) / arm);
            largest = fmax(largest, fabs(sum[i] - flat[i]) / arm);
        }
    }
    print_message(
        "40 wheels among heaps and walls: %.2f %% of the load off a plain sum; level ground is off by %.0f %%\n",
        100 * worst, 100 * largest);
    assert_true(worst < QUADRATURE && largest > 5 * QUADRATURE);
}

/// A locked wheel, and one that moves sideways, sink deeper than in level ground, and are held back by more.
static void test_ploughing_sinks(void **state)
{
    (void)state;
    GrSoilDef soil = sand(), paper = soil;
    paper.own[GR_RFT_PLOUGHING] = 0;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel), flat = prepared(&paper, &wheel);
    static const double cases[][2] = {{-1, 0}, {0.2, 1.3}, {0.2, 0}};
    for (int i = 0; i < 3; i++) {
        GrSoilSteady a, b;
        assert_int_equal(gr_soil_steady_load(&w, cases[i][0], cases[i][1], 100, 0, &a, NULL), GR_OK);
        assert_int_equal(gr_soil_steady_load(&flat, cases[i][0], cases[i][1], 100, 0, &b, NULL), GR_OK);
        const double deeper = a.sinkage / b.sinkage, held = hypot(a.f_x, a.f_y) / hypot(b.f_x, b.f_y);
        print_message("slip %g, slip angle %g rad: sinkage x %.2f, force x %.2f\n", cases[i][0], cases[i][1], deeper,
                      held);
        if (i < 2) {
            assert_true(deeper > 1.3 && held > 1.3);
        } else { // it drives straight: nothing is ploughed
            assert_true(a.sinkage == b.sinkage && a.f_x == b.f_x);
        }
    }
}

/// Slip angles beyond those measured and steps longer than the force takes to build up are reported; others are not.
static void test_warnings(void **state)
{
    (void)state;
    GrSoilDef soil = sand(), other = soil;
    other.law = GR_SOIL_WONG_REECE;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel), bekker = prepared(&other, &wheel);
    for (int i = 0; i < 2; i++) {
        GrSoilSteady s;
        double old[GR_STATE_MAX];
        GrSoilOutput out;
        gr_soil_steady(&w, 0.2, (i ? 80 : 70) * test_degree, 0.02, 0, &s);
        assert_true((s.output.flags & GR_FLAG_ANGLE) == (i ? GR_FLAG_ANGLE : 0));
        gr_soil_steady(&bekker, 0.2, 80 * test_degree, 0.02, 0, &s);
        assert_false(s.output.flags & GR_FLAG_ANGLE);
        const GrSoilMotion motion = {.sinkage = {0.02}, .twist = {0.1, 0, 0, 0, 0.1 / wheel.radius}};
        gr_soil_clear(&w, old);
        gr_soil_evaluate(&w, &motion, (i ? 1.01 : 0.99) * gr_soil_time(&w), old, NULL, &out);
        assert_true((out.flags & GR_FLAG_STEP) == (i ? GR_FLAG_STEP : 0));
        gr_soil_evaluate(&bekker, &motion, 0.1, old, NULL, &out);
        assert_false(out.flags & GR_FLAG_STEP);
    }
}

/// Granular scaling (Slonaker et al. 2017): twice the size, eight times the mass, a sixth of the gravity. The same slip
/// gives the same sinkage over radius and the same forces over the weight. Not so for a Bekker law.
static void test_scaling(void **state)
{
    (void)state;
    static const double MOON = 1.62, EARTH = 9.80665;
    const GrSoilDef soil = sand();
    GrSoilWheelDef small = gr_default_soil_wheel_def(), large = small;
    small.grouser_count = large.grouser_count = 18;
    small.grouser_height = 0.01;
    large.grouser_height = 0.02;
    large.radius = 2 * small.radius;
    large.width = 2 * small.width;
    large.gravity = MOON;
    const GrSoilWheel a = prepared(&soil, &small), b = prepared(&soil, &large);
    for (int i = 0; i < 12; i++) {
        const double slip = -0.5 + 0.12 * i, beta = 0.1 * (i % 5), mass = 5;
        GrSoilSteady p, q;
        assert_int_equal(gr_soil_steady_load(&a, slip, beta, mass * EARTH, 0.1, &p, NULL), GR_OK);
        assert_int_equal(gr_soil_steady_load(&b, slip, beta, 8 * mass * MOON, 0.1, &q, NULL), GR_OK);
        assert_near_rel(q.sinkage / large.radius, p.sinkage / small.radius, EXACT);
        assert_near(q.f_x / (8 * mass * MOON), p.f_x / (mass * EARTH), EXACT);
        assert_near(q.f_y / (8 * mass * MOON), p.f_y / (mass * EARTH), EXACT);
        assert_near(q.torque / (16 * mass * MOON), p.torque / (mass * EARTH), EXACT);
    }
}

/// A given ξ_n counts at the gravity at which it was measured, and grows with gravity.
static void test_given_xi(void **state)
{
    (void)state;
    GrSoilDef soil = sand(), given = soil;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.gravity = 3.71;
    const GrSoilWheel derived = prepared(&soil, &wheel);
    given.own[GR_RFT_XI] = derived.pressure * 1.62 / 3.71;
    given.fit_gravity = 1.62;
    assert_near_rel(prepared(&given, &wheel).pressure, derived.pressure, EXACT);
    // A wheel falls through half of the mobilisation path in this time: the longest step.
    assert_near_rel(0.5 * 3.71 * pow(gr_soil_time(&derived), 2), 0.5 * 0.01 * wheel.radius, EXACT);
    given.own[GR_RFT_XI] = 0;
    given.density = 0;
    GrErrorLog log = {0};
    assert_int_equal(gr_soil_check(&given, &log), GR_ERROR_VALUE);
}

static double pull(const GrSoilDef *soil, int count, double height, double shadow)
{
    GrSoilDef def = *soil;
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    def.own[GR_RFT_SHADOW] = shadow;
    wheel.radius = 0.2;
    wheel.width = 0.15;
    wheel.grouser_count = count;
    wheel.grouser_height = height;
    const GrSoilWheel w = prepared(&def, &wheel);
    double sum = 0;
    enum { PHASES = 8 };
    for (int i = 0; i < PHASES; i++) {
        GrSoilSteady s;
        const double angle = count > 0 ? 2 * GR_PI / count * i / PHASES : 0;
        assert_int_equal(gr_soil_steady_load(&w, 0.4, 0, 150, angle, &s, NULL), GR_OK);
        sum += s.f_x / 150 / PHASES;
    }
    return sum;
}

/// Grousers pull, more of them pull more until they stand in each other's shadow; grousers without gaps are a smooth
/// wheel of their outer radius on which soil slides on soil.
static void test_grousers(void **state)
{
    (void)state;
    GrSoilDef soil = sand();
    const double smooth = pull(&soil, 0, 0, 3), few = pull(&soil, 8, 0.02, 3), some = pull(&soil, 24, 0.02, 3);
    const double lone = pull(&soil, 24, 0.02, 0), dense = pull(&soil, 10000, 0.02, 3);
    print_message(
        "pull over load at slip 0.4: smooth %.3f, 8 grousers %.3f, 24 %.3f (%.3f without shadow), 10000 %.3f\n", smooth,
        few, some, lone, dense);
    assert_true(few > smooth + 0.02 && some > smooth + 0.02 && lone > some);
    GrSoilWheelDef hull = gr_default_soil_wheel_def();
    GrSoilDef rough = soil;
    GrSoilSteady s;
    rough.own[GR_RFT_FRICTION] = tan(soil.friction_angle);
    hull.radius = 0.22;
    hull.width = 0.15;
    const GrSoilWheel w = prepared(&rough, &hull);
    assert_int_equal(gr_soil_steady_load(&w, 0.4, 0, 150, 0, &s, NULL), GR_OK);
    assert_near(dense, s.f_x / 150, 0.01); // the sides are those of the rim
}

/// Cohesion alone, pressed straight down: 2 c √N on the projected area, and c along the sides of the arc.
static void test_cohesion(void **state)
{
    (void)state;
    GrSoilDef soil = sand();
    soil.cohesion = 1000;
    soil.density = 0;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    GrSoilMotion motion = {.sinkage = {0.02}, .twist = {0, 0, -1}};
    double old[GR_STATE_MAX];
    GrSoilOutput out;
    gr_soil_clear(&w, old);
    gr_soil_evaluate(&w, &motion, 1e3, old, NULL, &out);
    // −(hold cos² θ + sin² θ) c over the arc, and on the sides c over two segments of the disc
    const double r = wheel.radius, b = wheel.width, t = acos(1 - 0.02 / r);
    const double square = t + sin(t) * cos(t), hold = 2 * tan(GR_PI / 4 + 16 * test_degree);
    const double sides = 2 * r * r * (t - sin(t) * cos(t));
    assert_near_rel(out.wrench[2], 1000 * (r * b * (hold * square + 2 * t - square) + sides), 0.01);
}

/// Four slices are the same wheel: exactly in level ground, as closely as the places across the width allow where the
/// surface falls across it.
static void test_slices(void **state)
{
    (void)state;
    GrSoilDef soil = sand();
    for (int ploughing = 0; ploughing < 2; ploughing++) {
        GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        soil.own[GR_RFT_PLOUGHING] = ploughing;
        const GrSoilWheel one = prepared(&soil, &wheel);
        wheel.slices = 4;
        const GrSoilWheel four = prepared(&soil, &wheel);
        for (int i = 0; i < 10; i++) {
            GrSoilSteady a, b;
            gr_soil_steady(&one, -0.8 + 0.17 * i, 0.3, 0.02, 0, &a);
            gr_soil_steady(&four, -0.8 + 0.17 * i, 0.3, 0.02, 0, &b);
            for (int k = 0; k < 3; k++) {
                assert_near(b.output.wrench[k], a.output.wrench[k], (ploughing ? QUADRATURE : EXACT) * a.f_z);
            }
        }
    }
}

/// A wheel that was pressed in and rises by the mobilisation path carries nothing; the work of pressing is lost.
static void test_unloading(void **state)
{
    (void)state;
    const GrSoilDef soil = sand();
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    const double path = soil.own[GR_RFT_PATH] * wheel.radius;
    double old[GR_STATE_MAX], next[GR_STATE_MAX], highest = 0, h = 0;
    GrSoilOutput out;
    gr_soil_clear(&w, old);
    enum { STEPS = 400 };
    for (int i = 0; i < 2 * STEPS; i++) {
        const double v = i < STEPS ? -0.05 : 0.05, dt = 0.02 / 0.05 / STEPS;
        h -= v * dt;
        GrSoilMotion motion = {.sinkage = {h}, .twist = {0, 0, v}};
        gr_soil_evaluate(&w, &motion, dt, old, next, &out);
        gr_soil_commit(&w, old, next);
        highest = fmax(highest, out.wrench[2]);
        if (h < 0.02 - path && i >= STEPS) {
            assert_near(out.wrench[2], 0, 1e-6 * highest);
        }
    }
    assert_true(highest > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_sum), cmocka_unit_test(test_scaling),  cmocka_unit_test(test_given_xi),
        cmocka_unit_test(test_grousers),  cmocka_unit_test(test_cohesion), cmocka_unit_test(test_slices),
        cmocka_unit_test(test_unloading), cmocka_unit_test(test_trench),   cmocka_unit_test(test_single_points),
        cmocka_unit_test(test_around),    cmocka_unit_test(test_warnings), cmocka_unit_test(test_ploughing_sinks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
