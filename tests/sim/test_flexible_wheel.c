/// Flexible wheels of a rover: at rest the spring of every wheel holds its load, on every kind of ground; over rocks
/// the loss in its damper does not depend on the step.
#include "account.h"
#include "data.h"
#include "file.h"
#include "pace.h"
#include "scenario_data.h"
#include "support/run_scenario.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <unistd.h>

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
        double sum = 0, stored = 0;
        for (int i = 0; i < m->wheel_count; i++) {
            const GrWheelView view = gr_data_wheel(m, d, i);
            const double load = view.world_force.z + view.rock_force.z, force = spring_force(m, d, i, ground);
            print_message("ground %d, wheel %d: load %.3f N, spring %.3f N\n", (int)ground, i, load, force);
            assert_near_rel(force, load, 2e-3);
            sum += force;
            stored += 0.5 * load * load / m->wheels[i].stiffness;
        }
        assert_near_rel(sum, gr_balance(m, d).mass * MARS, 2e-3);
        GrAccount account;
        gr_account_open(m, d, &account);
        assert_near_rel(account.flex, stored, 5e-3); // F²/(2 k)
        gr_scene_def_free(&scene);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

/// A rover with flexible wheels drives over rocks that are half in the soil.
/// On the grid of scm the search for the deflection begins where the last step points to, and its last step is linear.
/// A rover whose searches all begin with the deflection of the last step travels as far, but for 3e-4 of it, and it
/// does so with a search to 1e-9, too: where a row of nodes leaves a contact, the soil's force jumps, and there may be
/// a balance on both sides.
static void test_begin_of_the_search_does_not_matter(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    GrRoverDef rover = gr_default_rover_def();
    load_rover("exomars_like", &rover);
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    soil.damping = 400;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    GrData *d, *other;
    GrModel *m = make_model(&rover, &options, &d);
    gr_data_set_base_pose(d, (GrPose){{0, 0, 0.6}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        if (gr_model_joint_role(m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, i, 0.05 / m->wheels[0].radius);
        }
    }
    gr_data_create(m, &other, NULL);
    gr_data_copy(m, other, d);
    double moved = 0;
    for (int i = 0; i < STEPS; i++) {
        memset(other->flex_rate, 0, sizeof *other->flex_rate * (size_t)m->wheel_count);
        assert_int_equal(gr_step(m, d), GR_OK);
        assert_int_equal(gr_step(m, other), GR_OK);
        moved = fmax(moved, fabs(d->flex_rate[0]));
    }
    const double travel = gr_base_position(&d->tree).x, apart = gr_base_position(&other->tree).x - travel;
    print_message("%.4f m, apart by %.2g m; fastest deflection %.2g m/s\n", travel, apart, moved);
    assert_true(travel > 0.05 && moved > 1e-4); // the predictions differ
    assert_true(gr_data_hash(m, d) != gr_data_hash(m, other));
    assert_true(fabs(apart) < 1e-3 * travel);
    for (int i = 0; i < m->wheel_count; i++) {
        print_message("deflection %.4f mm, apart by %.2g mm\n", 1e3 * d->contact[i].flex,
                      1e3 * (other->contact[i].flex - d->contact[i].flex));
        assert_near_rel(other->contact[i].flex, d->contact[i].flex, 2e-3);
    }
    gr_data_free(d);
    gr_data_free(other);
    gr_model_free(m);
    gr_rover_free(&rover);
}

static const char ROCKS[] = "rover: lrv_like\n"
                            "gravity: 3.34\n"
                            "soil: {use: wong_sandy_loam_15}\n"
                            "terrain:\n"
                            "  seed: 4\n"
                            "  size_m: 60\n"
                            "  add:\n"
                            "    - plane: {slope_deg: 5.73, toward_deg: 156}\n"
                            "    - fractal: {hurst: 0.65, rms_m: 0.00901, lag_m: 1, smallest_m: 0.4}\n"
                            "  rocks: {law: golombek, k: 0.0428, smallest_m: 0.1, largest_m: 0.155, shape: hull}\n"
                            "start: {heading_deg: -146.9}\n"
                            "drive:\n"
                            "  script:\n"
                            "    - {time_s: 0, mode: ackermann, speed_mps: 0.35, curvature_per_m: 0.08}\n"
                            "    - {time_s: 2.74, mode: ackermann, speed_mps: 0.35, curvature_per_m: -0.0244}\n"
                            "    - {time_s: 5.48, mode: ackermann, speed_mps: 0.35, curvature_per_m: 0.0742}\n"
                            "stop: {time_s: 8.22}\n";

static void halve_steps(GrScenario *scenario)
{
    gr_pace_refine(&scenario->mission, 2);
}

/// Where a wheel stands on a rock and in soil, the soil takes what the rock leaves. That must not depend on how the
/// wheel was bent a step before, or it comes and goes from step to step: its damper then took 4.9 J, and 20 J at half
/// the step.
static void test_damper_on_rocks(void **state)
{
    (void)state;
    static const double SAME = 0.1; // first order, and single touches
    char path[64];
    snprintf(path, sizeof path, "flexible_%d.yaml", (int)getpid());
    assert_int_equal(gr_file_write(path, ROCKS, sizeof ROCKS - 1, NULL), GR_OK);
    GrRunSummary full = gr_test_run(path, NULL, NULL, NULL), half = gr_test_run(path, NULL, halve_steps, NULL);
    unlink(path);
    print_message("dampers take %.3f J, %.3f J at half the step\n", full.energy.wheels, half.energy.wheels);
    assert_true(half.energy.wheels > 0);
    assert_near_rel(full.energy.wheels, half.energy.wheels, SAME);
    gr_run_summary_free(&full);
    gr_run_summary_free(&half);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_springs_hold_the_load),
                                       cmocka_unit_test(test_begin_of_the_search_does_not_matter),
                                       cmocka_unit_test(test_damper_on_rocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
