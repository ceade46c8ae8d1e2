/// A rover on soft soil: it rests, holds, rolls and climbs as the static formulas say.
#include "support/body_rig.h"

static const double PI = 3.14159265358979323846;
enum { MAX_WHEELS = 8 };

/// On the plane z = 0 with gravity tilted by `slope`: the same as a slope, seen from it. Motors are ideal when `ideal`.
static Rig make(const char *name, double slope_deg, double step, bool ideal, int slices)
{
    Rig v = {0};
    load_rover(name, &v.rover);
    if (ideal) {
        make_motors_ideal(&v.rover);
    }
    GrSoilDef soil = gr_default_soil_def(); // Ishigami et al. 2007
    soil.shear_x_slope = 0.043;
    soil.shear_y_slope = 0.020;
    soil.damping = 400;
    GrOptions options = gr_default_options();
    const double slope = slope_deg * PI / 180;
    options.gravity = gr_vec3(-GRAVITY * sin(slope), 0, -GRAVITY * cos(slope));
    options.step = step;
    options.surface.soil = &soil;
    options.surface.slices = slices;
    assert_int_equal(gr_model_create(&v.rover, &options, &v.m, NULL), GR_OK);
    gr_data_create(v.m, &v.d, NULL);
    const GrVec3 hub = gr_vec3(0, 0, 0);
    gr_forward(v.m, v.d);
    double lowest = 0;
    for (int i = 0; i < v.m->wheel_count; i++) { // wheels stand on the ground
        const GrPose pose = gr_data_body_pose(v.m, v.d, v.rover.wheels[i].body);
        lowest = fmin(lowest, gr_add(pose.position, hub).z - v.rover.wheels[i].radius);
    }
    gr_data_set_base_pose(v.d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    GrEquilibrium rest;
    assert_int_equal(gr_settle(v.m, v.d, &rest, NULL), GR_OK);
    return v;
}

static void drive(Rig *v, double wheel_speed)
{
    for (int i = 0; i < v->m->joint_count; i++) {
        if (v->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(v->m, v->d, i, wheel_speed);
        }
    }
}

static double forward_speed(const Rig *v)
{
    GrVec3 linear, angular;
    gr_data_base_velocity(v->d, &linear, &angular);
    return linear.x;
}

static double sum_of(const Rig *v, int component)
{
    double sum = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        sum += v->d->contact[i].soil.wrench[component];
    }
    return sum;
}

/// Settled, it is at rest: the first seconds move nothing, and the wheels carry the weight.
static void test_settled_means_at_rest(void **state)
{
    (void)state;
    const char *const names[] = {"el_dorado2", "rashid_like", "curiosity_like", "viper_like"};
    for (int i = 0; i < 4; i++) {
        Rig v = make(names[i], 0, 0.005, false, 1);
        const double weight = gr_balance(v.m, v.d).mass * GRAVITY;
        const GrVec3 before = gr_data_base_pose(v.d).position;
        run(&v, 2);
        assert_near(gr_norm(gr_sub(gr_data_base_pose(v.d).position, before)), 0, 1e-6);
        assert_near_rel(sum_of(&v, 2), weight, 1e-6);
        destroy(&v);
    }
}

/// With the brakes on, on 15 degrees: less than a millimetre in ten minutes, at any step.
static void test_parked_on_a_slope(void **state)
{
    (void)state;
    const double steps[] = {0.005, 0.02};
    for (int i = 0; i < 2; i++) {
        Rig v = make("el_dorado2", 15, steps[i], true, 1);
        const GrVec3 before = gr_data_base_pose(v.d).position;
        const double time = GR_TEST_STUDY(600, 120);
        run(&v, time);
        const double moved = gr_norm(gr_sub(gr_data_base_pose(v.d).position, before));
        print_message("parked on 15 deg, step %g s: %.3g mm in %g s\n", steps[i], 1e3 * moved, time);
        assert_near(moved, 0, 1e-3 * time / 600);
        destroy(&v);
    }
}

/// Steady climb: pull balances the slope, and every wheel does what the formulas say at its own slip and load.
static void test_climbs_as_the_static_formulas_say(void **state)
{
    (void)state;
    const double slopes[] = {0, 5, 10, 15};
    double last = -1;
    for (int i = 0; i < 4; i++) {
        Rig v = make("el_dorado2", slopes[i], 0.005, true, 1);
        const double weight = gr_balance(v.m, v.d).mass * GRAVITY;
        drive(&v, 0.3);
        run(&v, 30);
        const double slip = 1 - forward_speed(&v) / (0.3 * v.rover.wheels[0].radius);
        print_message("climbing %g deg: slip %.4f\n", slopes[i], slip);
        assert_true(slip > last);
        last = slip;
        assert_near(sum_of(&v, 0), weight * sin(slopes[i] * PI / 180), 1e-3 * weight);
        assert_near(sum_of(&v, 2), weight * cos(slopes[i] * PI / 180), 1e-3 * weight);
        for (int w = 0; w < v.m->wheel_count; w++) {
            const GrSoilOutput *out = &v.d->contact[w].soil;
            GrSoilSteady steady;
            assert_int_equal(
                gr_soil_steady_load(&v.m->soil_wheels[w], out->slip, out->slip_angle, out->wrench[2], 0, &steady, NULL),
                GR_OK);
            assert_near_rel(out->sinkage, steady.sinkage, 1e-2);
            assert_near(out->wrench[0], steady.f_x, 1e-2 * out->wrench[2]);
            assert_near_rel(-out->wrench[4], steady.torque, 1e-2);
        }
        destroy(&v);
    }
}

/// The step does not decide about the physics: slip of a climb at 2 to 20 ms.
static void test_the_step_does_not_matter(void **state)
{
    (void)state;
    const double steps[] = {0.002, 0.005, 0.01, 0.02};
    double slip[4];
    for (int i = 0; i < 4; i++) {
        Rig v = make("el_dorado2", 8, steps[i], true, 1);
        drive(&v, 0.3);
        run(&v, 30);
        slip[i] = 1 - forward_speed(&v) / (0.3 * v.rover.wheels[0].radius);
        assert_near(slip[i], slip[0], 1e-4);
        destroy(&v);
    }
}

/// On a plane, the number of slices does not change the sum.
static void test_slices_agree_on_a_plane(void **state)
{
    (void)state;
    double speed[2];
    for (int i = 0; i < 2; i++) {
        Rig v = make("el_dorado2", 8, 0.005, true, i == 0 ? 1 : 5);
        drive(&v, 0.3);
        run(&v, 20);
        speed[i] = forward_speed(&v);
        destroy(&v);
    }
    assert_near_rel(speed[1], speed[0], 2e-3);
}

static void test_restored_on_soil_ends_in_the_same_bits(void **state)
{
    (void)state;
    Rig v = make("rashid_like", 6, 0.005, false, 1);
    drive(&v, 0.4);
    run(&v, 3);
    static unsigned char saved[1 << 20];
    assert_true(gr_data_size(v.m, v.d) <= sizeof saved);
    gr_data_save(v.m, v.d, saved);
    run(&v, 3);
    const uint64_t hash = gr_data_hash(v.m, v.d);
    gr_data_reset(v.m, v.d);
    assert_int_equal(gr_data_restore(v.m, v.d, saved, gr_data_size(v.m, v.d), NULL), GR_OK);
    run(&v, 3);
    assert_true(gr_data_hash(v.m, v.d) == hash);
    destroy(&v);
}

static void test_soil_that_cannot_carry_the_wheel_is_refused(void **state)
{
    (void)state;
    GrRoverDef rover;
    load_rover("rashid_like", &rover);
    GrSoilDef soil = gr_default_soil_def();
    soil.k_c = -1e9;
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    GrErrorLog log = {0};
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_true(log.error_count > 0);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settled_means_at_rest),
        cmocka_unit_test(test_parked_on_a_slope),
        cmocka_unit_test(test_climbs_as_the_static_formulas_say),
        cmocka_unit_test(test_the_step_does_not_matter),
        cmocka_unit_test(test_slices_agree_on_a_plane),
        cmocka_unit_test(test_restored_on_soil_ends_in_the_same_bits),
        cmocka_unit_test(test_soil_that_cannot_carry_the_wheel_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
