/// Rovers at rest on a plane: the loads sum to the weight, are equal left and right, and follow from the lever arms.
#include "data.h"
#include "grouser/analysis.h"
#include "test.h"

static const char *const ROVERS[] = {"el_dorado2", "curiosity_like", "exomars_like",
                                     "viper_like", "rashid_like",    "lrv_like"};
enum { ROVER_COUNT = sizeof ROVERS / sizeof ROVERS[0], MAX_WHEELS = 8 };

static void test_loads_carry_the_weight(void **state)
{
    (void)state;
    for (int i = 0; i < ROVER_COUNT; i++) {
        char path[512];
        GrRoverDef rover;
        snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, ROVERS[i]);
        assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
        GrModel *m = NULL;
        gr_model_create(&rover, NULL, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        double loads[MAX_WHEELS], sum = 0;
        GrVec3 moment = {0, 0, 0};
        GrStance stance;
        GrErrorLog log = {0};
        if (gr_stand_on_plane(m, d, loads, &stance, &log) != GR_OK) {
            print_error("%s: %s\n", ROVERS[i], log.items[0].text);
            fail();
        }
        const GrVec3 com = gr_balance(m, d).com;
        for (int w = 0; w < m->wheel_count; w++) { // balance of moments about the centre of mass
            const GrBodyFrame *f = &d->tree.frame[m->wheels[w].body];
            const GrVec3 at = gr_add(gr_base_position(&d->tree),
                                     gr_add(f->origin, gr_mat3_mul_vec(&f->rotation, m->wheels[w].centre)));
            assert_true(loads[w] > 0.05 * stance.weight);
            sum += loads[w];
            moment = gr_add(moment, gr_cross(gr_sub(at, com), gr_vec3(0, 0, loads[w])));
        }
        print_message("%-15s %8.1f N, pitch %6.3f deg:", ROVERS[i], stance.weight, stance.pitch * 57.29578);
        for (int w = 0; w < m->wheel_count; w++) {
            print_message(" %.1f %%", 100 * loads[w] / stance.weight);
        }
        print_message("\n");
        assert_near_rel(sum, stance.weight, 1e-7);
        assert_near(moment.x, 0, 1e-5 * stance.weight);
        assert_near(moment.y, 0, 1e-5 * stance.weight);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

static void test_no_gravity_and_no_wheels_are_reported(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "box");
    body.mass = 1;
    body.inertia = gr_inertia_sphere(1, 1);
    gr_rover_add_body(&rover, &body);
    GrModel *m = NULL;
    gr_model_create(&rover, NULL, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    double load[1];
    GrStance stance;
    GrErrorLog log = {0};
    assert_int_equal(gr_stand_on_plane(m, d, load, &stance, &log), GR_ERROR_MODEL);
    gr_data_free(d);
    gr_model_free(m);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    wheel.radius = wheel.width = 0.1;
    gr_rover_add_wheel(&rover, &wheel);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    gr_model_create(&rover, &options, &m, NULL);
    gr_data_create(m, &d, NULL);
    assert_int_equal(gr_stand_on_plane(m, d, load, &stance, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 2);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_carry_the_weight),
        cmocka_unit_test(test_no_gravity_and_no_wheels_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
