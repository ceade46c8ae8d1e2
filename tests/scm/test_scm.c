/// SCM against closed forms: plates, rings, derivatives, elevation, rest.
#include "support/scm_test.h"

#include "scm_block.h"
#include "soil_wheel.h"

/// The soil of the virtual bevameter of Zhang et al. (2024, arXiv 2407.18903).
static GrSoilDef zhang(void)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    soil.k_c = -4957;
    soil.k_phi = 235605;
    soil.n0 = 0.883;
    soil.cohesion = 21.872;
    soil.friction_angle = 21.259 * DEGREE;
    soil.shear_x = soil.shear_y = 0.0062;
    return soil;
}

static GrSoilDef ishigami(void)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    return soil;
}

/// Load on a disc at a depth, off the grid by a fraction of a cell.
static double press_into(const GrSoilDef *soil, double radius, double depth, double cell)
{
    static Ring ring;
    GrScmBody body;
    Scm s;
    ring_make(&ring, 0, radius, 180);
    assert_int_equal(gr_scm_prepare_mesh(soil, &ring.mesh, 9.81, cell, &body, NULL), GR_OK);
    scm_begin(&s, &body, NULL);
    GrScmPose pose = scm_pose(0.31 * cell, -0.17 * cell, 0);
    double load = 0;
    for (int k = 1; k <= 8; k++) {
        pose.centre.z = -depth * k / 8;
        load = scm_step(&s, &pose, 0.01)->wrench[2];
    }
    scm_end(&s);
    return load;
}

static double press(double radius, double depth, double cell)
{
    const GrSoilDef soil = zhang();
    return press_into(&soil, radius, depth, cell);
}

/// On clay Bekker's curve begins vertically. From 0.1 mm on a plate has its load; less deep, the straight line to it.
static void test_steep_curve(void **state)
{
    (void)state;
    static const double exponents[] = {0.1, 0.5, 0.883};
    const double grain = 1e-4, r = 0.2, on_grid = 5e-3; // as test_plate allows for a circle on a grid
    for (size_t k = 0; k < sizeof exponents / sizeof exponents[0]; k++) {
        GrSoilDef soil = zhang();
        soil.n0 = exponents[k];
        const double steep = M_PI * r * r * (soil.k_c / r + soil.k_phi);
        for (double depth = grain; depth < 0.1; depth *= 10) {
            assert_near_rel(press_into(&soil, r, depth, 0.01), steep * pow(depth, soil.n0), on_grid);
        }
        assert_near_rel(press_into(&soil, r, grain / 4, 0.01), steep * pow(grain, soil.n0) / 4, on_grid);
    }
}

/// F = π R² (k_c/R + k_φ) z^n: figures of the published SCM columns, and the formula; the error falls with the cell.
static void test_plate(void **state)
{
    (void)state;
    static const double published[8][3] = {
        {0.025, 1019.77, 2384.39}, {0.05, 1880.66, 4397.31},  {0.075, 2690.29, 6290.36},  {0.1, 3468.32, 8109.54},
        {0.125, 4223.68, 9875.7},  {0.15, 4961.45, 11600.72}, {0.175, 5684.89, 13292.27}, {0.2, 6396.3, 14955.67}};
    const GrSoilDef soil = zhang();
    for (int k = 0; k < 8; k++) {
        for (int q = 0; q < 2; q++) {
            const double r = q == 0 ? 0.2 : 0.3, z = published[k][0];
            const double exact = M_PI * r * r * (soil.k_c / r + soil.k_phi) * pow(z, soil.n0);
            const double load = press(r, z, 0.01);
            assert_near_rel(load, published[k][1 + q], 5e-3);
            assert_near_rel(load, exact, 5e-3);
        }
    }
    const double exact = M_PI * 0.04 * (soil.k_c / 0.2 + soil.k_phi) * pow(0.1, soil.n0);
    double last = 1;
    for (int k = 0; k < 4; k++) {
        const double error = fabs(press(0.2, 0.1, 0.04 / (1 << k)) / exact - 1);
        print_message("plate, cell %g: error %g\n", 0.04 / (1 << k), error);
        assert_true(error < last);
        last = error;
    }
    assert_true(last < 1e-3);
}

/// Torque of a ring of 0.45 … 0.6 m that turns under a load: 2π/3 (R³ − r³)(c + p tan φ). The published column does not
/// say its radii; its slope and intercept are those of this ring to 0.7 %.
static void test_ring(void **state)
{
    (void)state;
    static const double published[8][2] = {{25, 55.776},   {50, 105.869},  {75, 155.963},  {100, 206.057},
                                           {125, 256.151}, {150, 306.245}, {175, 356.339}, {200, 406.433}};
    static Ring ring;
    const GrSoilDef soil = zhang();
    const double inner = 0.45, outer = 0.6, area = M_PI * (outer * outer - inner * inner);
    const double moment = 2 * M_PI / 3 * (pow(outer, 3) - pow(inner, 3));
    GrScmBody body;
    ring_make(&ring, inner, outer, 180);
    assert_int_equal(gr_scm_prepare_mesh(&soil, &ring.mesh, 9.81, 0.02, &body, NULL), GR_OK);
    for (int k = 0; k < 8; k += GR_TEST_LONG(GR_TEST_STUDY(1, 7), 7)) {
        Scm s;
        scm_begin(&s, &body, NULL);
        const double load = 9.81 * published[k][0], pressure = load / area;
        GrScmPose pose = scm_pose(0.004, 0.007, 0);
        pose.centre.z = scm_find_height(&s, pose, 0.01, load, -0.1, 0);
        scm_step(&s, &pose, 0.01);
        pose.spin = gr_vec3(0, 0, 0.05);
        double torque = 0, last = 0;
        s.body.soil.slip_sinkage = 0; // the height stays
        for (int i = 0; i < 600; i++) {
            torque = -scm_step(&s, &pose, 0.01)->wrench[5];
            assert_true(torque >= last - 1e-9);
            // Janosi: at radius x the soil has slid j = 0.05 · 0.01 (i + 1) x; at 0.525 m within the spread of the
            // radii; with the damping T dm/dt
            const double j = 0.0005 * (i + 1) * 0.525, janosi = 1 - exp(-j / soil.shear_x);
            const double damped = GR_SCM_SHEAR_TIME * 0.05 * 0.525 / soil.shear_x * (1 - janosi);
            assert_near(torque / (moment * (soil.cohesion + pressure * tan(soil.friction_angle))), janosi + damped,
                        0.02);
            last = torque;
        }
        assert_near_rel(torque, moment * (soil.cohesion + pressure * tan(soil.friction_angle)), 5e-3);
        assert_near_rel(torque, published[k][1], 1e-2);
        scm_end(&s);
    }
}

static GrScmBody wheel_body(const GrSoilDef *soil, double cell)
{
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrScmBody body;
    assert_int_equal(gr_scm_prepare_wheel(soil, &wheel, cell, &body, NULL), GR_OK);
    return body;
}

static GrScmPose moved(GrScmPose pose, int axis, double by)
{
    double *at[3] = {&pose.centre.x, &pose.centre.y, &pose.centre.z};
    *at[axis] += by;
    return pose;
}

static GrScmPose pushed(GrScmPose pose, int axis, double by)
{
    double *at[6] = {&pose.velocity.x, &pose.velocity.y, &pose.velocity.z, &pose.spin.x, &pose.spin.y, &pose.spin.z};
    *at[axis] += by;
    return pose;
}

/// Derivatives against central differences, of a wheel that has rolled with side slip. k_c = 0: the effective width is
/// held while the body moves. Moving sideways or ahead also turns the surface at a node, which is left out: a few
/// percent.
static void test_derivatives(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.k_c = 0;
    soil.damping = 300;
    soil.n0 = 1.1;
    const GrScmBody body = wheel_body(&soil, 0.01);
    Scm s;
    scm_begin(&s, &body, NULL);
    GrScmPose pose = scm_rolling(body.radius, 0, body.radius - 0.014, 0.05, 0.035);
    pose.velocity.y = 0.006;
    pose.spin.z = 0.05;
    for (int k = 0; k < 200; k++) {
        pose.centre.x += 0.005 * pose.velocity.x;
        pose.centre.z -= k < 20 ? 1e-4 : 0;
        scm_step(&s, &pose, 0.005);
    }
    pose.centre.x += 0.005 * pose.velocity.x;
    const GrScmOutput out = *scm_evaluate(&s, &pose, 0.005);
    const double scale[6] = {60, 60, 60, 6, 6, 6};
    for (int j = 0; j < 6; j++) {
        const double step = 1e-7;
        const GrScmPose more = pushed(pose, j, step), less = pushed(pose, j, -step);
        const GrScmOutput up = *scm_evaluate(&s, &more, 0.005), down = *scm_evaluate(&s, &less, 0.005);
        for (int i = 0; i < 6; i++) {
            const double slope = (up.wrench[i] - down.wrench[i]) / (2 * step);
            assert_near(out.d_twist[i][j], slope, 1e-4 * scale[i] * 100);
        }
    }
    const GrScmPose more = moved(pose, 2, 1e-9), less = moved(pose, 2, -1e-9);
    const GrScmOutput up = *scm_evaluate(&s, &more, 0.005), down = *scm_evaluate(&s, &less, 0.005);
    for (int i = 0; i < 6; i++) {
        assert_near(out.d_pose[i][2], (up.wrench[i] - down.wrench[i]) / 2e-9, 1e-5 * 60 / 1e-3);
    }
    scm_end(&s);
}

static bool deep_ground(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)x;
    (void)y;
    *z = *(const double *)context;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

/// Rolls a wheel under a load over ground at an elevation; the mean sinkage of the last tenth.
static double roll_at(double elevation, double *f_x)
{
    const GrSoilDef soil = ishigami();
    GrScmBody body = wheel_body(&soil, 0.01);
    body.ground = (GrScmGround){deep_ground, &elevation};
    Scm s;
    scm_begin(&s, &body, NULL);
    GrScmPose pose = scm_rolling(body.radius, 0, elevation + body.radius, 0.05, 0.035);
    double mean = 0;
    *f_x = 0;
    for (int k = 0; k < 1000; k++) {
        pose.centre.x += 0.005 * pose.velocity.x;
        pose.centre.z = scm_find_height(&s, pose, 0.005, 64.68, elevation, elevation + 0.1);
        scm_step(&s, &pose, 0.005);
        mean += k >= 900 ? (elevation + body.radius - pose.centre.z) / 100 : 0;
        *f_x += k >= 900 ? s.out.wrench[0] / 100 : 0;
    }
    scm_end(&s);
    return mean;
}

/// The same sinkage at any elevation.
static void test_elevation(void **state)
{
    (void)state;
    double f_zero, f_deep;
    const double zero = roll_at(0, &f_zero), deep = roll_at(-4500, &f_deep);
    assert_near(deep, zero, 1e-9);
    assert_near(f_deep, f_zero, 1e-5);
}

static double part_of(int k, int of)
{
    const double x = (k + 1) * 0.6180339887498949 * of;
    return x - floor(x);
}

/// Nodes of a cylinder about the axle, spread over its lower side.
static void fill_cylinder(const GrMat3 *axes, double radius, GrScmBlock *b)
{
    b->count = 53;
    for (int k = 0; k < b->count; k++) {
        const double angle = 1.6 * (part_of(k, 1) - 0.5), s = 0.1 * (part_of(k, 3) - 0.5);
        const GrVec3 local = gr_vec3(radius * sin(angle), s, -radius * cos(angle));
        const GrVec3 place = gr_mat3_mul_vec(axes, local);
        b->place[0][k] = place.x;
        b->place[1][k] = place.y;
        b->place[2][k] = place.z;
        b->slope[0][k] = b->slope[1][k] = 0;
        b->depth[k] = 0.01 * part_of(k, 5);
        b->sinkage[k] = 0.02 * part_of(k, 7);
        b->area[k] = 1e-4 * part_of(k, 11);
        b->shed[k] = 0.1 * part_of(k, 23);
        b->ratio[k] = 0.5 + part_of(k, 29);
        b->modulus[k] = 1e6;
        b->m[0][k] = 0.5 * part_of(k, 13);
        b->m[1][k] = 0.5 * part_of(k, 17) - 0.25;
        b->peak[k] = 0.6 * part_of(k, 19);
    }
}

/// Moments of a cylinder and sums over every node for itself are the same, turned and tilted, with and without damping.
static void test_cylinder(void **state)
{
    (void)state;
    static GrScmBlock blocks[2];
    const double radius = 0.09;
    const GrSoilDef soil = gr_default_soil_def();
    for (int damped = 0; damped < 2; damped++) {
        GrScmPose pose = {.velocity = {0.03, 0.01, -0.004}, .spin = {0.05, 0.5, -0.1}};
        const GrVec3 axle = gr_normalize(gr_vec3(-0.4, 0.9, 0.2));
        const GrVec3 x = gr_normalize(gr_cross(axle, gr_vec3(0.1, 0.05, 1))), z = gr_cross(x, axle);
        pose.axes = (GrMat3){{{x.x, axle.x, z.x}, {x.y, axle.y, z.y}, {x.z, axle.z, z.z}}};
        const GrScmLaw law = {
            .soil = &soil,
            .tan_phi = 0.6,
            .dt = 0.005,
            .upright = 0.98,
            .gamma = damped * 5e4,
            .twist = {pose.velocity.x, pose.velocity.y, pose.velocity.z, pose.spin.x, pose.spin.y, pose.spin.z}};
        GrScmOutput each = {.depth = 0}, moments = {.depth = 0};
        GrScmCylinder cylinder;
        fill_cylinder(&pose.axes, radius, &blocks[0]);
        fill_cylinder(&pose.axes, radius, &blocks[1]);
        gr_scm_block_cylinder(&pose, radius, &blocks[0]);
        gr_scm_block_forces(&law, &blocks[0], &each);
        gr_scm_add_curvature(&pose, radius, &blocks[0], &each);
        gr_scm_cylinder_begin(&pose, radius, &cylinder);
        assert_true(gr_scm_cylinder_add(&law, &blocks[1], &cylinder));
        gr_scm_cylinder_finish(&cylinder, &moments);
        for (int i = 0; i < 6; i++) {
            assert_near(moments.wrench[i], each.wrench[i], 1e-12 * fabs(each.wrench[2]));
            for (int j = 0; j < 6; j++) {
                assert_near(moments.d_pose[i][j], each.d_pose[i][j], 1e-5 * fabs(each.d_pose[2][2]));
                assert_near(moments.d_twist[i][j], each.d_twist[i][j], 1e-5 * fabs(each.d_twist[0][0]));
            }
        }
        assert_near(moments.strength, each.strength, 1e-12 * each.strength);
        assert_near(moments.compaction[0], each.compaction[0], 1e-12 * each.compaction[2]);
        assert_memory_equal(blocks[0].total, blocks[1].total, 53 * sizeof(double));
    }
}

/// Soil takes up impacts on a grid as under the law of a whole wheel.
static void test_impact_damping(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    soil.damping = 0;
    soil.law = GR_SOIL_WONG_REECE;
    const double law = gr_soil_impact_damping(&soil, 0.09, 0.11, 7, 9.81, 0.5);
    soil.law = GR_SOIL_SCM;
    assert_true(law > 0);
    assert_true(gr_soil_impact_damping(&soil, 0.09, 0.11, 7, 9.81, 0.5) == law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plate),          cmocka_unit_test(test_steep_curve), cmocka_unit_test(test_ring),
        cmocka_unit_test(test_derivatives),    cmocka_unit_test(test_elevation),   cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_impact_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
