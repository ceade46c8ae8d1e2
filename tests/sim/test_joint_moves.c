/// Joints that a scenario moves by time: the target as a function of time, the motion of the rover, and refused moves.
#include "mission_data.h"

#include "scenario_data.h"
#include "test.h"

#include <stdlib.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static void test_target(void **state)
{
    (void)state;
    const GrMove ramp = {.begin = 10, .duration = 4, .from = -1, .to = 3}, jump = {.begin = 10, .from = -1, .to = 3};
    assert_near(gr_move_target(&ramp, 10), -1, 0);
    assert_near(gr_move_target(&ramp, 11), 0, 1e-15);
    assert_near(gr_move_target(&ramp, 14), 3, 0);
    assert_near(gr_move_target(&ramp, 100), 3, 0);
    assert_near(gr_move_target(&jump, 10), 3, 0);
}

/// A stowed rover unfolds and stands on its wheels: every angle follows its ramp, and the height at the end is that of
/// the geometry, less what the wheels sink.
static void test_unfolding(void **state)
{
    (void)state;
    static const char *const joints[] = {"leg_front_left", "leg_front_right", "leg_rear_left", "leg_rear_right"};
    const double servo = 0.2 * DEGREE, sinkage = 5e-4; // lag of the servo at 1.1°/s; soil under 36 mN a wheel
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("deploy", NULL, &scenario, NULL), GR_OK);
    assert_int_equal(scenario->mission.move_count, 4);
    assert_int_equal(scenario->mission.control.script_count, 1);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    GrData *d = gr_mission_data(world->mission);
    const struct {
        double time, turned; ///< [s], [deg] from straight down
    } times[] = {{59, 180}, {90, 180 - 135 * 30.0 / 120}, {120, 180 - 135 * 60.0 / 120}, {200, 45}};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(gr_mission_advance(world->mission, times[k].time), GR_OUTCOME_RUNNING);
        for (int i = 0; i < 4; i++) {
            const double angle = gr_data_joint_position(world->model, d, gr_model_find_joint(world->model, joints[i]));
            assert_near(angle, (i < 2 ? -1 : 1) * times[k].turned * DEGREE, servo);
        }
        if (k == 0) { // on its belly, 0.11 m under the origin
            assert_near(gr_data_base_pose(d).position.z, 0.11, 1e-4);
        }
    }
    const double standing = 0.02 + 0.17 * cos(45 * DEGREE) + 0.107 + 0.005; // shoulder, leg, rim, grousers
    assert_near(gr_data_base_pose(d).position.z, standing, sinkage);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static GrMission *with_move(const GrWorld *world, GrJointMove move, GrErrorLog *log)
{
    GrMissionDef def = gr_default_mission_def();
    def.moves = &move;
    def.move_count = 1;
    GrMission *mission = NULL;
    gr_mission_create(world->model, NULL, &def, &mission, log);
    return mission;
}

/// What a C caller can do wrong; files are read by tests/bad/scenarios/move_*.
static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct {
        GrJointMove move;
        const char *text;
    } cases[] = {
        {{"no_such_joint", 0, 0, 0}, "no movable joint of this name"},
        {{"wheel_front_left", 0, 0, 0}, "a motor of kind position"},
        {{"leg_front_left", -1, 0, 0}, "must not be negative"},
        {{"leg_front_left", 0, (double)NAN, 0}, "a finite number"},
    };
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("deploy", NULL, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrErrorLog log = {0};
        assert_null(with_move(world, cases[i].move, &log));
        assert_true(log.count > 0);
        assert_non_null(strstr(log.items[log.count - 1].text, cases[i].text));
    }
    GrMission *fine = with_move(world, (GrJointMove){"leg_front_left", 1, 0.5, 2}, NULL);
    assert_non_null(fine);
    gr_mission_free(fine);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_target),
        cmocka_unit_test(test_unfolding),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
