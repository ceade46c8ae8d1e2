/// Copy, save, restore, and the same bits every time.
#include "grouser/hooks.h"
#include "support/random_rover.h"
#include "test.h"

#include <stdlib.h>

static GrModel *make(GrRoverDef *rover, GrIntegrator integrator, int bodies)
{
    GrRandom random = gr_random_stream(7, "data");
    *rover = gr_random_rover(&random, bodies);
    for (int i = 0; i < rover->joint_count; i++) {
        GrJointDef *j = &rover->joints[i];
        j->friction = 0.2;
        j->lower = -2;
        j->upper = 2;
        if (j->kind != GR_JOINT_FIXED && i % 2 == 0) {
            j->motor.kind = GR_MOTOR_PID;
            j->motor.kp = 5;
            j->motor.ki = 1;
            j->motor.torque_limit = 3;
        }
    }
    GrOptions options = gr_default_options();
    options.integrator = integrator;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    return m;
}

static void drive(const GrModel *m, GrData *d, int from, int to)
{
    for (int i = from; i < to; i++) {
        for (int k = 0; k < m->joint_count; k++) {
            gr_data_set_command(m, d, k, sin(0.01 * i + k));
        }
        assert_int_equal(gr_step(m, d), GR_OK);
    }
}

static void test_restored_run_ends_in_the_same_bits(void **state)
{
    (void)state;
    const GrIntegrator integrators[] = {GR_INTEGRATOR_LINEAR, GR_INTEGRATOR_EULER, GR_INTEGRATOR_BEEMAN,
                                        GR_INTEGRATOR_CVODE};
    for (int i = 0; i < 4 && gr_integrator_is_built(integrators[i]); i++) {
        GrRoverDef rover;
        GrModel *m = make(&rover, integrators[i], 8);
        GrData *whole = NULL, *half = NULL, *copy = NULL;
        gr_data_create(m, &whole, NULL);
        gr_data_create(m, &half, NULL);
        gr_data_create(m, &copy, NULL);
        const int steps = i == 3 ? 20 : 400;
        drive(m, whole, 0, steps);
        drive(m, half, 0, steps / 2);
        const size_t size = gr_data_size(m, half);
        void *saved = malloc(size);
        gr_data_save(m, half, saved);
        gr_data_copy(m, copy, half);
        drive(m, half, steps / 2, steps);
        assert_true(gr_data_hash(m, half) == gr_data_hash(m, whole));
        drive(m, copy, steps / 2, steps);
        assert_true(gr_data_hash(m, copy) == gr_data_hash(m, whole));
        gr_data_reset(m, half);
        assert_true(gr_data_hash(m, half) != gr_data_hash(m, whole));
        assert_int_equal(gr_data_restore(m, half, saved, size, NULL), GR_OK);
        drive(m, half, steps / 2, steps);
        assert_true(gr_data_hash(m, half) == gr_data_hash(m, whole));
        free(saved);
        gr_data_free(whole);
        gr_data_free(half);
        gr_data_free(copy);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

static void test_foreign_state_is_refused(void **state)
{
    (void)state;
    GrRoverDef rover, other;
    GrModel *m = make(&rover, GR_INTEGRATOR_LINEAR, 8), *n = make(&other, GR_INTEGRATOR_LINEAR, 12);
    GrData *d = NULL, *e = NULL;
    gr_data_create(m, &d, NULL);
    gr_data_create(n, &e, NULL);
    void *saved = malloc(gr_data_size(n, e));
    gr_data_save(n, e, saved);
    const uint64_t before = gr_data_hash(m, d);
    GrErrorLog log = {0};
    assert_int_equal(gr_data_restore(m, d, saved, gr_data_size(n, e), &log), GR_ERROR_VALUE);
    assert_int_equal(gr_data_restore(m, d, saved, 3, &log), GR_ERROR_SYNTAX);
    memset(saved, 0, gr_data_size(n, e));
    assert_int_equal(gr_data_restore(m, d, saved, gr_data_size(n, e), &log), GR_ERROR_SYNTAX);
    assert_int_equal(log.error_count, 3);
    assert_true(gr_data_hash(m, d) == before);
    free(saved);
    gr_data_free(d);
    gr_data_free(e);
    gr_model_free(m);
    gr_model_free(n);
    gr_rover_free(&rover);
    gr_rover_free(&other);
}

static int violations;

static void count_violation(void *context, const char *expression, const char *file, int line)
{
    (void)context, (void)expression, (void)file, (void)line;
    violations++;
}

/// Indices beyond both ends go to the hook for programmer's errors, and nothing outside the model is touched.
static void test_indices(void **state)
{
    (void)state;
    GrRoverDef rover;
    GrModel *m = make(&rover, GR_INTEGRATOR_LINEAR, 8);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    assert_int_equal(gr_set_hooks(&(GrHooks){.assertion = count_violation}), GR_OK);
    const GrVec3 zero = {0, 0, 0};
    const double none[36] = {0};
    const uint64_t before = gr_data_hash(m, d);
    for (int k = 0; k < 2; k++) {
        const int joint = k == 0 ? -1 : gr_model_joint_count(m), body = k == 0 ? -1 : gr_model_part_count(m),
                  wheel = k == 0 ? -1 : gr_model_wheel_count(m);
        violations = 0;
        gr_data_set_command(m, d, joint, 1);
        gr_data_set_joint(m, d, joint, 1, 1);
        assert_true(isnan(gr_data_joint_position(m, d, joint)));
        assert_true(isnan(gr_data_joint_velocity(m, d, joint)));
        assert_true(isnan(gr_data_motor_torque(m, d, joint)));
        gr_data_add_wrench(m, d, body, zero, zero, zero);
        gr_data_add_jacobian(m, d, body, zero, none, none);
        gr_data_body_pose(m, d, body);
        gr_data_point_velocity(m, d, body, zero);
        gr_data_body_contact(m, d, body);
        gr_data_wheel(m, d, wheel);
        gr_data_loose_pose(m, d, k == 0 ? -1 : 0);
        gr_data_loose_asleep(m, d, k == 0 ? -1 : 0);
        assert_string_equal(gr_model_joint_name(m, joint), "");
        gr_model_joint_role(m, joint);
        gr_model_joint_slides(m, joint);
        assert_string_equal(gr_model_wheel_name(m, wheel), "");
        assert_string_equal(gr_model_part_name(m, body), "");
        gr_model_loose_stone(m, k == 0 ? -1 : 0);
        assert_int_equal(violations, 19);
    }
    assert_int_equal(gr_set_hooks(NULL), GR_OK);
    assert_true(gr_data_hash(m, d) == before);
    static const double STEPS[] = {0, -0.01, (double)INFINITY, (double)NAN};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(gr_step_by(m, d, STEPS[i]), GR_ERROR_VALUE);
    }
    assert_true(gr_data_hash(m, d) == before);
    gr_data_free(d);
    gr_model_free(m);
    rover.wheel_count = -1;
    assert_int_equal(gr_rover_check(&rover, NULL), GR_ERROR_MODEL);
    rover.wheel_count = 0;
    gr_rover_free(&rover);
}

static void test_a_blow_up_is_an_error_and_not_a_number(void **state)
{
    (void)state;
    GrRoverDef rover;
    GrModel *m = make(&rover, GR_INTEGRATOR_EULER, 8);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    d->tree.velocity[7] = 1e300;
    GrStatus status = GR_OK;
    for (int i = 0; i < 10 && status == GR_OK; i++) {
        status = gr_step(m, d);
    }
    assert_int_equal(status, GR_ERROR_NUMERIC);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restored_run_ends_in_the_same_bits),
        cmocka_unit_test(test_foreign_state_is_refused),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_a_blow_up_is_an_error_and_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
