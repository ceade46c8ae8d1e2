/// Wheels without a rim, that stand on the shapes of their bodies: what the rigid world is made of, how far they walk
/// with a turn, and that they carry the rover.
#include "data.h"
#include "mission_data.h"
#include "world.h"

#include "scenario_data.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

/// 57 contact objects of the rover and 38 cuboids (Buse et al. 2023, 5.2).
static void test_objects_of_the_parcours(void **state)
{
    (void)state;
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("parcours", NULL, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(scenario->part_count, 38);
    assert_int_equal(world->model->rigid.world->shape_count, 57 + 38);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// All wheels in phase roll as one triangle with round corners: a turn is three sides, 2 R sin 60°, and one turn of the
/// feet, which have the radius a: 3 √3 R + 2π a. A rim of the wheel's radius would make 2π (R + a).
static void test_distance_of_a_turn(void **state)
{
    (void)state;
    const double foot = 0.15, foot_radius = 0.02, expected = 3 * sqrt(3) * foot + 2 * PI * foot_radius;
    const double allowed = 0.01; // relative: feet slide and deflect a little when the next ones touch down
    static const char *const overrides[] = {"rover:params.phase=0", "parts=[]",
                                            "drive={script: [{time_s: 2, mode: skid, speed_mps: 0.1}]}",
                                            "stop={time_s: 60, belly_share: inf}", NULL};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("parcours", overrides, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    GrData *d = gr_mission_data(world->mission);
    const int joint = gr_model_find_joint(world->model, "wheel_middle_left");
    double x[2], angle[2];
    for (int k = 0; k < 2; k++) {
        const int thirds = k == 0 ? 1 : 6; // the same place of the gait, two turns apart
        const double wanted = thirds * 2 * PI / 3 + gr_data_joint_position(world->model, d, joint) * (k == 0);
        angle[k] = k == 0 ? wanted : angle[0] + wanted;
        while (gr_data_joint_position(world->model, d, joint) < angle[k]) {
            assert_int_equal(gr_mission_step(world->mission, 60), GR_OUTCOME_RUNNING);
        }
        x[k] = gr_data_base_pose(d).position.x;
    }
    print_message("%.4f m a turn, %.4f m expected\n", PI * (x[1] - x[0]) / (angle[1] - angle[0]) * 2, expected);
    assert_near_rel((x[1] - x[0]) / 2, expected, allowed);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// On the landing above six steps of 50 mm the chassis is higher by these than on the floor, on average over its gait.
static void test_climbs_the_stairs(void **state)
{
    (void)state;
    const double stairs = 6 * 0.05, allowed = 0.01; // relative: the gait is cut off anywhere
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("parcours", NULL, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    GrData *d = gr_mission_data(world->mission);
    double sum[2] = {0};
    int count[2] = {0};
    for (int i = 1; i <= 300; i++) {
        assert_int_equal(gr_mission_advance(world->mission, 0.05 * i), GR_OUTCOME_RUNNING);
        const GrVec3 at = gr_data_base_pose(d).position;
        const int place = at.x > 0.1 && at.x < 0.7 ? 0 : at.x > 3.1 && at.x < 3.7 ? 1 : -1;
        if (place >= 0) {
            sum[place] += at.z;
            count[place]++;
        }
    }
    assert_true(count[0] > 20 && count[1] > 20);
    const double gained = sum[1] / count[1] - sum[0] / count[0];
    print_message("%.4f m gained on stairs of %.4f m\n", gained, stairs);
    assert_near_rel(gained, stairs, allowed);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// Standing, the feet carry the weight.
static void test_feet_carry_the_weight(void **state)
{
    (void)state;
    static const char *const overrides[] = {"parts=[]", "drive={}", "stop={time_s: 10, belly_share: inf}", NULL};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("parcours", overrides, &scenario, NULL), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_mission_advance(world->mission, 8), GR_OUTCOME_RUNNING);
    double load = 0;
    for (int i = 0; i < world->model->wheel_count; i++) {
        load += gr_wheel_force(world->mission, i).z;
    }
    assert_near_rel(load, 18 * 9.80665, 1e-3); // it may still rock a little on its backbone
    gr_world_free(world);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_objects_of_the_parcours),
        cmocka_unit_test(test_distance_of_a_turn),
        cmocka_unit_test(test_climbs_the_stairs),
        cmocka_unit_test(test_feet_carry_the_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
