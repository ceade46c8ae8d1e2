/// Energy, momentum and orders of convergence of contact-free motion.
#include "support/random_rover.h"
#include "test.h"

static GrModel *make_model(const GrRoverDef *rover, GrIntegrator integrator, double step)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.step = step;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    return m;
}

/// A tree without couplings to the world, springs, dampers or motors: it moves by inertia alone.
static GrRoverDef free_rover(uint64_t seed, bool all_kinds)
{
    GrRandom random = gr_random_stream(seed, "free rover");
    GrRoverDef rover = all_kinds ? gr_random_rover_of_all_kinds(&random, 9) : gr_random_rover(&random, 9);
    for (int i = 0; i < rover.joint_count; i++) {
        rover.joints[i].damping = 0;
        rover.joints[i].motor = gr_default_motor_def();
    }
    return rover;
}

static void start(const GrModel *m, GrData *d)
{
    GrRandom random = gr_random_stream(5, "tumble");
    gr_random_state(m, d, &random, 0.5);
    gr_data_set_base_pose(d, (GrPose){{0, 0, 0}, gr_data_base_pose(d).rotation});
}

static void run(const GrModel *m, GrData *d, double duration, double step)
{
    for (int i = 0; i < (int)lround(duration / step); i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
}

/// Energy and momentum drift of 2 s of tumbling, relative.
typedef struct Drift {
    double energy, linear, angular;
} Drift;

static Drift drift_of(GrIntegrator integrator, double step, bool all_kinds)
{
    GrRoverDef rover = free_rover(3, all_kinds);
    GrModel *m = make_model(&rover, integrator, step);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    start(m, d);
    const GrBalance before = gr_balance(m, d);
    run(m, d, 2, step);
    const GrBalance after = gr_balance(m, d);
    const double energy = before.kinetic + before.spring;
    const Drift drift = {
        .energy = fabs(after.kinetic + after.spring - energy) / energy,
        .linear = gr_norm(gr_sub(after.linear, before.linear)) / gr_norm(before.linear),
        .angular = gr_norm(gr_sub(after.angular, before.angular)) / gr_norm(before.angular),
    };
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    return drift;
}

static void test_reference_conserves(void **state)
{
    (void)state;
    if (!gr_integrator_is_built(GR_INTEGRATOR_CVODE)) {
        skip();
    }
    for (int all_kinds = 0; all_kinds < 2; all_kinds++) {
        const Drift drift = drift_of(GR_INTEGRATOR_CVODE, 0.5, all_kinds);
        assert_near(drift.energy, 0, 1e-8);
        assert_near(drift.linear, 0, 1e-8);
        assert_near(drift.angular, 0, 1e-8);
    }
}

/// The drift decreases with the step according to the order: by 2 for first order, by 8 for third.
static void check_drift_order(GrIntegrator integrator, int order, double step)
{
    const Drift coarse = drift_of(integrator, step, false), fine = drift_of(integrator, step / 2, false);
    const double expected = pow(2, order);
    print_message("%s: energy drift %.3g -> %.3g, angular momentum %.3g -> %.3g on halving the step\n",
                  gr_integrator_name(integrator), coarse.energy, fine.energy, coarse.angular, fine.angular);
    assert_true(coarse.energy / fine.energy > 0.8 * expected);
    assert_true(coarse.angular / fine.angular > 0.8 * expected);
    assert_true(coarse.energy < 0.05); // the implicit step damps the springs it is made for
}

static void test_drift_falls_with_the_order(void **state)
{
    (void)state;
    check_drift_order(GR_INTEGRATOR_EULER, 1, 1e-3);
    check_drift_order(GR_INTEGRATOR_LINEAR, 1, 1e-3);
    check_drift_order(GR_INTEGRATOR_BEEMAN, 3, 1e-3);
}

/// Distance of the end position from the reference, summed over the coordinates.
static double error_of(const GrRoverDef *rover, GrIntegrator integrator, double step, const double *reference,
                       double *end)
{
    GrModel *m = make_model(rover, integrator, step);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    start(m, d);
    run(m, d, 1, step);
    double error = 0;
    for (int i = 0; reference != NULL && i < m->tree.position_count; i++) {
        error += fabs(d->tree.position[i] - reference[i]);
    }
    if (end != NULL) {
        memcpy(end, d->tree.position, sizeof(double) * (size_t)m->tree.position_count);
    }
    for (int i = 0; i < m->tree.rotation_count; i++) {
        const GrQuat q = gr_tree_quaternion(&d->tree, m->tree.rotations[i].coordinate);
        assert_near(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-14);
    }
    gr_data_free(d);
    gr_model_free(m);
    return error;
}

static void check_orders(bool all_kinds)
{
    GrRoverDef rover = free_rover(4, all_kinds);
    GrRandom random = gr_random_stream(6, "damping");
    for (int i = 0; i < rover.joint_count; i++) {
        if (gr_joint_kind(rover.joints[i].kind)->takes & GR_JOINT_TAKES_SPRING) {
            rover.joints[i].damping = gr_random_uniform(&random, 0, 1);
        }
    }
    double reference[64];
    error_of(&rover, GR_INTEGRATOR_CVODE, 0.5, NULL, reference);
    const struct {
        GrIntegrator integrator;
        int order;
        double step;
    } cases[] = {{GR_INTEGRATOR_EULER, 1, 2e-3}, {GR_INTEGRATOR_LINEAR, 1, 2e-3}, {GR_INTEGRATOR_BEEMAN, 3, 4e-3}};
    for (int i = 0; i < 3; i++) {
        const double coarse = error_of(&rover, cases[i].integrator, cases[i].step, reference, NULL);
        const double fine = error_of(&rover, cases[i].integrator, cases[i].step / 2, reference, NULL);
        const double order = log2(coarse / fine);
        print_message("%s: error %.3g -> %.3g, order %.2f\n", gr_integrator_name(cases[i].integrator), coarse, fine,
                      order);
        assert_near(order, cases[i].order, 0.2);
    }
    gr_rover_free(&rover);
}

static void test_orders_of_convergence(void **state)
{
    (void)state;
    if (!gr_integrator_is_built(GR_INTEGRATOR_CVODE)) {
        skip();
    }
    check_orders(false);
    check_orders(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_conserves),
        cmocka_unit_test(test_drift_falls_with_the_order),
        cmocka_unit_test(test_orders_of_convergence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
