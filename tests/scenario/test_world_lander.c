/// A scenario with a lander: the rover starts on its deck, drives down the ramp, and agrees with the shipped scenario
/// `egress`, whose deck and ramp are boxes given by hand.
#include "test.h"

#include "grouser/run.h"

#include "grouser/sim.h"
#include "scenario_data.h"
#include "vec3.h"

#include <stdio.h>
#include <stdlib.h>

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void load(const char *path, const char *const *overrides, GrScenario **scenario, GrErrorLog *log)
{
    if (gr_scenario_load(path, overrides, scenario, log) != GR_OK) {
        print_error("%s\n", log->items[0].text);
        fail();
    }
}

static GrRunSummary drive(const char *path, const char *const *overrides)
{
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    const GrRunHooks none = {0};
    load(path, overrides, &scenario, &log);
    if (gr_world_create(scenario, &world, &log) != GR_OK || gr_run(world, &none, &summary, &log) != GR_OK) {
        print_error("%s\n", log.items[0].text);
        fail();
    }
    gr_world_free(world);
    gr_scenario_free(scenario);
    return summary;
}

/// The deck of `egress` reaches from x = -1.2 to 0, 0.4 m high; its ramp falls by 20 degrees. The rover starts at x =
/// -0.5, 0.1 m ahead of the middle of the deck. A thin plate whose end is on the ground has the same upper face.
static const char DECK[] = "params: {slope: 20*pi/180, thick: 0.004}\n"
                           "mass_centre_m: [0, 0, 0.2]\n"
                           "feet: [{at_m: [0.6, 0.6, 0]}, {at_m: [-0.6, 0.6, 0]}, {at_m: [-0.6, -0.6, 0]}, "
                           "{at_m: [0.6, -0.6, 0]}]\n"
                           "deck: {size_m: [1.2, 1.2], height_m: 0.4}\n"
                           "ramps: {front: {hinge_m: [0.6, 0, 0.4], width_m: 1.2, thickness_m: thick, "
                           "length_m: (0.4 - thick*cos(slope))/sin(slope)}}\n";
static const char LEAVE[] = "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\n"
                            "lander: {name: ./deck.yaml, x_m: -0.6, start_m: [0.1, 0]}\n"
                            "drive: {script: [{time_s: 3, mode: skid, speed_mps: 0.1}]}\n"
                            "step: {pace: fixed, step_ms: 2}\nstop: {time_s: 28, belly_share: inf}\n";

/// DynRPAT's egress agrees with the test data of ExoMars' rover to some per cent (O23 section 5.3). Here only the step
/// of 4 mm at the end of the plate and the fall of 2 mm at the start differ.
static const double SAME_PART = 0.02, SAME_ANGLE = 1 * GR_DEGREE;

static void test_same_as_egress(void **state)
{
    (void)state;
    write_file("deck.yaml", DECK);
    write_file("leave.yaml", LEAVE);
    GrRunSummary boxes = drive("egress", NULL), lander = drive("leave.yaml", NULL);
    assert_int_equal(lander.outcome, boxes.outcome);
    assert_near(lander.distance, boxes.distance, SAME_PART * boxes.distance);
    assert_near(lander.pitch_max, boxes.pitch_max, SAME_ANGLE);
    assert_near(lander.descent, boxes.descent, SAME_PART * boxes.descent);
    gr_run_summary_free(&boxes);
    gr_run_summary_free(&lander);
}

/// On a tilted plane the rover stands on the deck, parallel to the ground, and faces the ramp, whichever it is.
static void test_starts_on_the_deck(void **state)
{
    (void)state;
    static const char *const ramps[] = {"front", "left", "rear", "right"};
    write_file("tilted.yaml", "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\n"
                              "terrain: {size_m: 40, add: [{plane: {slope_deg: 8, toward_deg: 20}}]}\n"
                              "lander: {name: four_ramps, x_m: 3, y_m: -2, heading_deg: 30, ramp: front}\n"
                              "drive: {speed_mps: 0.1}\nstop: {time_s: 60}\n");
    for (int i = 0; i < 4; i++) {
        GrErrorLog log = {0};
        GrScenario *scenario = NULL;
        GrWorld *world = NULL;
        char ramp[40];
        snprintf(ramp, sizeof ramp, "lander.ramp=%s", ramps[i]);
        load("tilted.yaml", (const char *const[]){ramp, NULL}, &scenario, &log);
        assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
        assert_int_equal(log.count, 0);
        assert_near(world->lander.tilt, 8 * GR_DEGREE, 1e-4);
        const GrPose pose = gr_data_base_pose(gr_mission_data(world->mission));
        const GrVec3 up = gr_quat_rotate(pose.rotation, gr_vec3(0, 0, 1)),
                     deck = gr_quat_rotate(world->lander.pose.rotation, gr_vec3(0, 0, 1)),
                     ahead = gr_quat_rotate(pose.rotation, gr_vec3(1, 0, 0));
        assert_true(gr_dot(up, deck) > cos(0.5 * GR_DEGREE)); // tyres and suspension give a little
        assert_true(fabs(remainder(atan2(ahead.y, ahead.x) - (30 + 90 * i) * GR_DEGREE, 2 * GR_PI)) < 1 * GR_DEGREE);
        // the wheels are on the deck, 0.7 m above the feet
        const GrVec3 local = gr_quat_rotate(gr_quat_conjugate(world->lander.pose.rotation),
                                            gr_sub(pose.position, world->lander.pose.position));
        assert_true(local.z > 0.7 && local.z < 1.1);
        assert_true(hypot(local.x, local.y) < 0.2);
        gr_world_free(world);
        gr_scenario_free(scenario);
    }
    // and it gets down: by the height of the deck over its foot, at least, and to the goal
    GrRunSummary summary = drive("tilted.yaml", (const char *const[]){"lander.ramp=left", NULL});
    assert_int_equal(summary.outcome, GR_OUTCOME_GOAL);
    assert_true(summary.descent > 0.5);
    gr_run_summary_free(&summary);
}

/// A rover that does not fit gives warnings; a lander that does not stand is an error with the reason.
static void test_does_not_fit(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    write_file("wide.yaml", "rover: curiosity_like\nsoil: none\ngravity: mars\nlander: {name: small_lunar}\n"
                            "drive: {speed_mps: 0.05}\nstop: {time_s: 1}\n");
    load("wide.yaml", NULL, &scenario, &log);
    gr_world_create(scenario, &world, &log);
    int ramp = 0, deck = 0;
    for (int i = 0; i < log.count; i++) {
        ramp += strstr(log.items[i].text, "from the middle, and the ramp 'front' only 0.4 m") != NULL;
        deck += strstr(log.items[i].text, "the deck is 1.2 m long") != NULL;
    }
    assert_int_equal(ramp, 1);
    assert_int_equal(deck, 1);
    gr_world_free(world);
    gr_scenario_free(scenario);
    log = (GrErrorLog){0};
    write_file("steep.yaml",
               "rover: rashid_like\nsoil: none\ngravity: moon\nlander: {name: small_lunar}\ndrive: {speed_mps: 0.05}\n"
               "terrain: {size_m: 40, add: [{plane: {slope_deg: 60}}]}\nstop: {time_s: 1}\n");
    load("steep.yaml", NULL, &scenario, &log);
    assert_int_not_equal(gr_world_create(scenario, &world, &log), GR_OK);
    assert_non_null(strstr(log.items[0].text, "does not stand at (0, 0) with heading 0 deg: tipped"));
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_egress),
        cmocka_unit_test(test_starts_on_the_deck),
        cmocka_unit_test(test_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
