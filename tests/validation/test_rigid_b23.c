/// The five verification cases of Buse et al. 2023 (B23), 4.1.2, table 1, with the default force law.
///
/// Closed forms are of the law itself: Hunt & Crossley's damping with B23 eq. 2 does not restore ζ exactly, which the
/// paper says as well.
#include "support/rigid_bench.h"

static const double RADIUS = 0.5, HEIGHT = 1, MASS = 1, INERTIA = 0.25, MU = 0.4, ZETA = 0.6, G = 9.80665;
static const double DEGREE = 3.14159265358979323846 / 180;
static const GrVec3 UP = {0, 0, 1};
static const GrTwist REST = {{0, 0, 0}, {0, 0, 0}};

static GrMaterial table_1(void)
{
    GrMaterial m = gr_default_material();
    m.young = 4.5e5;
    m.poisson = 0.4;
    m.restitution = ZETA;
    m.friction = MU;
    return m;
}

/// The cylinder on a plane; `inertia` 1e9 for one that cannot turn.
static GrRigidDef cylinder_on(const GrVec3 *plane, GrMaterial material, double inertia, GrPose pose, GrTwist twist)
{
    GrRigidDef def = gr_default_rigid_def();
    def.materials[0] = material;
    def.ground = (GrRigidGround){gr_plane_ground, plane};
    def.sleep_time = INFINITY;
    const GrSym3 i = {inertia, inertia, inertia, 0, 0, 0};
    gr_add_loose(&def, gr_convex_cylinder(RADIUS, HEIGHT), MASS, i, pose, twist, 0);
    return def;
}

static GrPose at_height(double z)
{
    return (GrPose){{0, 0, z}, {1, 0, 0, 0}};
}

static GrTwist twist_of(const GrRigidBench *b)
{
    return gr_rigid_loose_twist(b->w, b->s, 0);
}

static GrVec3 position_of(const GrRigidBench *b)
{
    return gr_rigid_loose_pose(b->w, b->s, 0).position;
}

/// Lets it settle, then gives it a twist.
static GrRigidBench settled(GrRigidDef *def, double dt, GrTwist twist)
{
    GrRigidBench b = gr_rigid_bench(def, dt);
    gr_rigid_bench_run(&b, 2);
    gr_rigid_set_loose(b.w, b.s, 0, gr_rigid_loose_pose(b.w, b.s, 0), twist);
    return b;
}

/// e of k δ^1.5 (1 + d δ̇) with D = d δ̇⁻ = 8 (1 − ζ)/(5 ζ): D − ln(1 + D) = −e D − ln(1 − e D), by bisection.
static double closed_restitution(double zeta)
{
    const double d = 8.0 / 5 * (1 - zeta) / zeta, target = d - log(1 + d);
    double low = 0, high = fmin(1, 1 / d * (1 - 1e-15));
    for (int i = 0; i < 200; i++) {
        const double e = (low + high) / 2;
        if (-e * d - log(1 - e * d) < target) {
            low = e;
        } else {
            high = e;
        }
    }
    return (low + high) / 2;
}

static GrTwist impact(GrMaterial m, double tangential, double normal)
{
    GrTwist twist = REST;
    twist.lin = gr_vec3(tangential, 0, -normal);
    GrRigidDef def = cylinder_on(&UP, m, INERTIA, at_height(RADIUS + 0.01), twist);
    def.gravity = gr_vec3(0, 0, 0);
    GrRigidBench b = gr_rigid_bench(&def, 1e-5);
    gr_rigid_bench_run(&b, 0.3);
    const GrTwist end = twist_of(&b);
    gr_rigid_bench_free(&b);
    return end;
}

/// Sliding through the whole impact takes μ (1 + e) v_n of the tangential speed. The angle is kept at the one incidence
/// where both components shrink by e: tan α = μ (1 + e)/(1 − e).
static void test_impact(void **state)
{
    (void)state;
    const double e = closed_restitution(ZETA), tangential = MU * (1 + e) / (1 - e);
    const GrTwist end = impact(table_1(), tangential, 1);
    const double before = atan2(tangential, 1), after = atan2(end.lin.x, end.lin.z);
    print_message("impact: e %.4f (closed form %.4f), angle %.2f deg before, %.2f after\n", end.lin.z, e,
                  before / DEGREE, after / DEGREE);
    assert_near_rel(end.lin.z, e, 0.05);
    assert_near(after, before, 1 * DEGREE);
    const GrTwist steep = impact(table_1(), 3, 1);
    assert_near_rel(steep.lin.x, 3 - MU * (1 + e), 0.01);
    assert_near_rel(steep.ang.y, MU * (1 + e) * MASS * RADIUS / INERTIA, 0.05);
    GrMaterial elastic = table_1();
    elastic.restitution = 1;
    elastic.friction = 0;
    const GrTwist mirror = impact(elastic, 0.7, 1);
    assert_near(atan2(mirror.lin.x, mirror.lin.z), atan2(0.7, 1), 1 * DEGREE);
    assert_near_rel(gr_norm(mirror.lin), hypot(0.7, 1), 0.01);
    for (double zeta = 0.2; zeta < 0.95; zeta += 0.2) {
        GrMaterial m = table_1();
        m.restitution = zeta;
        assert_near_rel(impact(m, 0, 1).lin.z, closed_restitution(zeta), 0.05);
    }
}

static void test_sliding(void **state)
{
    (void)state;
    const char *const laws[] = {"spring", "tanh", "bengisu_akay"};
    for (int i = 0; i < 3; i++) {
        GrRigidDef def = cylinder_on(&UP, table_1(), 1e9, at_height(RADIUS), REST);
        def.friction_law = laws[i];
        GrTwist push = REST;
        push.lin.x = 2;
        GrRigidBench b = settled(&def, 1e-3, push);
        const double start = position_of(&b).x;
        gr_rigid_bench_run(&b, 1.5);
        const double distance = position_of(&b).x - start;
        print_message("sliding, %s: %.5f m of %.5f\n", laws[i], distance, 4 / (2 * MU * G));
        assert_near_rel(distance, 4 / (2 * MU * G), 0.01);
        gr_rigid_bench_free(&b);
    }
}

/// The same 2 J as translation, as rotation and half and half (which is rolling, since I = m r²).
static void test_rolling(void **state)
{
    (void)state;
    const double v = 2, omega = sqrt(2 * 2 / INERTIA), share = sqrt(2);
    const GrTwist starts[3] = {
        {{0, 0, 0}, {v, 0, 0}}, {{0, omega, 0}, {0, 0, 0}}, {{0, share / RADIUS, 0}, {share, 0, 0}}};
    const double ends[3] = {v / 2, omega * RADIUS / 2, share};
    for (int i = 0; i < 3; i++) {
        GrRigidDef def = cylinder_on(&UP, table_1(), INERTIA, at_height(RADIUS), REST);
        GrRigidBench b = settled(&def, 1e-3, starts[i]);
        gr_rigid_bench_run(&b, 2);
        const GrTwist rolling = twist_of(&b);
        print_message("rolling %d: %.5f m/s of %.5f\n", i, rolling.lin.x, ends[i]);
        assert_near_rel(rolling.lin.x, ends[i], 0.01);
        assert_near_rel(rolling.ang.y * RADIUS, rolling.lin.x, 0.01);
        gr_rigid_bench_run(&b, 8);
        assert_near_rel(twist_of(&b).lin.x, rolling.lin.x, 0.01);
        gr_rigid_bench_free(&b);
    }
}

/// Speed gained and distance gone on an incline between 2 s and 2 s + `time`.
static double slide_down(double angle, double inertia, double time, double *distance)
{
    const GrVec3 plane = {sin(angle), 0, cos(angle)};
    const GrPose pose = {gr_scale(RADIUS, plane), {1, 0, 0, 0}};
    GrRigidDef def = cylinder_on(&plane, table_1(), inertia, pose, REST);
    GrRigidBench b = gr_rigid_bench(&def, 1e-3);
    gr_rigid_bench_run(&b, 2);
    const GrVec3 from = position_of(&b), slow = twist_of(&b).lin;
    gr_rigid_bench_run(&b, time);
    *distance = gr_norm(gr_sub(position_of(&b), from));
    const double gained = gr_norm(twist_of(&b).lin) - gr_norm(slow);
    gr_rigid_bench_free(&b);
    return gained;
}

static void test_incline(void **state)
{
    (void)state;
    double distance;
    slide_down(atan(MU) - 1 * DEGREE, 1e9, 60, &distance);
    print_message("incline below: %.3g m in 60 s\n", distance);
    assert_true(distance < 1e-4);
    const double steep = atan(MU) + 5 * DEGREE;
    const double gained = slide_down(steep, 1e9, 1, &distance), expected = G * (sin(steep) - MU * cos(steep));
    print_message("incline above: %.5f m/s² of %.5f\n", gained, expected);
    assert_near_rel(gained, expected, 0.01);
    const double angle = 10 * DEGREE, rolled = slide_down(angle, INERTIA, 1, &distance);
    assert_near_rel(rolled, G * sin(angle) / (1 + INERTIA / (MASS * RADIUS * RADIUS)), 0.01);
}

/// Three places along the side carry m g/3 each at −h/2, 0, h/2, and each has its own spin moment 3π/16 μ N √(R δ).
static void test_spinning(void **state)
{
    (void)state;
    const GrMaterial m = table_1();
    const GrPairMaterial pair = gr_material_pair(&m, INFINITY, &m, RADIUS, false);
    const double load = MASS * G / 3, depth = pow(load / pair.hertz, 2.0 / 3);
    const double patch = 3 * 3.14159265358979323846 / 16 * sqrt(RADIUS * depth);
    const double slowing = MU * load * (HEIGHT + 3 * patch) / INERTIA, omega = 4;
    GrRigidDef def = cylinder_on(&UP, m, INERTIA, at_height(RADIUS), REST);
    GrRigidBench b = settled(&def, 1e-4, (GrTwist){{0, 0, omega}, {0, 0, 0}});
    double time = 0;
    while (twist_of(&b).ang.z > 0.01 * omega && time < 10) {
        gr_rigid_bench_step(&b);
        time += b.dt;
    }
    print_message("spinning: stops in %.4f s of %.4f\n", time / 0.99, omega / slowing);
    assert_near_rel(time / 0.99, omega / slowing, 0.02);
    gr_rigid_bench_run(&b, 2);
    assert_near(gr_norm(twist_of(&b).ang), 0, 1e-6); // B23 has a rest velocity here
    assert_near(gr_norm(twist_of(&b).lin), 0, 1e-6);
    gr_rigid_bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_impact),  cmocka_unit_test(test_sliding),  cmocka_unit_test(test_rolling),
        cmocka_unit_test(test_incline), cmocka_unit_test(test_spinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
