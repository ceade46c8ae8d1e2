/// Flexible wheels of a rover at rest: the spring of every wheel holds its load, on every kind of ground.
#include "data.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double MARS = 3.71;

typedef enum Ground { RIGID, WONG_REECE, RHEOLOGICAL, SCM, GROUND_COUNT } Ground;

/// Force in a wheel's spring [N], from its deflection or from the energy that it holds.
static double spring_force(const GrModel *m, const GrData *d, int wheel, Ground ground)
{
    const double k = m->wheels[wheel].stiffness;
    return ground == RIGID ? sqrt(2 * k * gr_rigid_flex_energy(d->rigid, wheel)) : k * d->contact[wheel].flex;
}

static void test_springs_hold_the_load(void **state)
{
    (void)state;
    for (Ground ground = RIGID; ground < GROUND_COUNT; ground++) {
        GrRoverDef rover = gr_default_rover_def();
        load_rover("exomars_like", &rover);
        GrSoilDef soil = gr_default_soil_def();
        soil.law = ground == SCM ? GR_SOIL_SCM : ground == RHEOLOGICAL ? GR_SOIL_RHEOLOGICAL : GR_SOIL_WONG_REECE;
        GrSceneDef scene = gr_default_scene_def();
        scene.rigid_ground = true;
        GrOptions options = gr_default_options();
        options.gravity = gr_vec3(0, 0, -MARS);
        if (ground == RIGID) {
            options.surface.scene = &scene;
        } else {
            options.surface.soil = &soil;
        }
        GrData *d;
        GrModel *m = make_model(&rover, &options, &d);
        gr_data_set_base_pose(d, (GrPose){{0, 0, 0.6}, {1, 0, 0, 0}});
        GrErrorLog log = {0};
        assert_int_equal(gr_settle(m, d, NULL, &log), GR_OK);
        for (int i = 0; i < 5; i++) {
            assert_int_equal(gr_step(m, d), GR_OK);
        }
        double sum = 0;
        for (int i = 0; i < m->wheel_count; i++) {
            const GrWheelView view = gr_data_wheel(m, d, i);
            const double load = view.world_force.z + view.rock_force.z, force = spring_force(m, d, i, ground);
            print_message("ground %d, wheel %d: load %.3f N, spring %.3f N\n", (int)ground, i, load, force);
            assert_near_rel(force, load, 2e-3);
            sum += force;
        }
        assert_near_rel(sum, gr_balance(m, d).mass * MARS, 2e-3);
        gr_scene_def_free(&scene);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_springs_hold_the_load)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
