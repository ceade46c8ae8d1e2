/// CVODE locates the instants at which contacts begin and end, and at which wheels begin to slip.
#include "file.h"
#include "forces.h"
#include "grouser/mission.h"
#include "grouser/surface.h"
#include "mission_data.h"
#include "support/run_scenario.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double HEIGHT = 0.05, GRAVITY = 3.71;
enum { MAX_FOUND = 256 };

/// Times of events, and the forces behind the field.
typedef struct Seen {
    GrForces forces; // first: the context of the field
    double times[MAX_FOUND];
    int count;
} Seen;

static void note(void *context, double time)
{
    Seen *seen = context;
    if (seen->count < MAX_FOUND) {
        seen->times[seen->count++] = time;
    }
}

/// One step of `duration` of a rover released at HEIGHT above soil or rigid ground.
static void fall(bool rigid, double duration, Seen *seen)
{
    GrRoverDef rover = gr_default_rover_def();
    GrErrorLog log = {0};
    load_rover("rashid_like", &rover);
    GrSoilDef soil = gr_default_soil_def();
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -GRAVITY);
    options.integrator = GR_INTEGRATOR_CVODE;
    options.surface.soil = rigid ? NULL : &soil;
    options.surface.scene = rigid ? &scene : NULL;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, &log), GR_OK);
    const GrMissionDef def = gr_default_mission_def();
    GrMission *mission = NULL;
    gr_mission_create(m, NULL, &def, &mission, &log);
    assert_int_equal(gr_mission_place(mission, &(GrStart){.height = HEIGHT}, &log), GR_OK);
    GrData *d = gr_mission_data(mission);
    *seen = (Seen){.forces = {.m = m, .d = d, .moment = GR_GROUND_INSTANT}};
    GrForceField field = gr_force_field(&seen->forces);
    field.found = note;
    assert_int_equal(m->integrator->step(&m->tree, &d->tree, &field, duration, d->work), GR_OK);
    gr_mission_free(mission);
    gr_model_free(m);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

/// Free fall from a height h touches the ground after √(2h/g).
static void test_touch(void **state)
{
    (void)state;
    const double TOLERANCE = 1e-8; // [s]
    const double expected = sqrt(2 * HEIGHT / GRAVITY);
    for (int rigid = 0; rigid < 2; rigid++) {
        Seen seen;
        fall(rigid, 1.02 * expected, &seen);
        print_message("%s: %d events, first at %.10f s (%.10f)\n", rigid ? "rigid" : "soil", seen.count, seen.times[0],
                      expected);
        assert_true(seen.count > 0);
        assert_near(seen.times[0], expected, TOLERANCE);
        fall(rigid, 0.99 * expected, &seen);
        assert_int_equal(seen.count, 0);
    }
}

/// On waves the wheels of a rocker-bogie rover touch ground of other heights and slopes than where they were put down.
static void test_waves(void **state)
{
    (void)state;
    static const char TEXT[] = "{rover: curiosity_like, soil: {use: lunar_apollo, law: double_spring}, terrain: {add: "
                               "[ripples: {wavelength_m: 8}]}, step: {integrator: cvode}, drive: {path: [[5, 1]]}, "
                               "stop: {time_s: 2}}\n";
    assert_int_equal(gr_file_write("waves.yaml", TEXT, sizeof TEXT - 1, NULL), GR_OK);
    GrRunSummary summary = gr_test_run("waves.yaml", NULL, NULL, NULL);
    assert_int_equal(summary.outcome, GR_OUTCOME_FINISHED);
    assert_near(summary.time, 2, 1e-9);
    gr_run_summary_free(&summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_touch), cmocka_unit_test(test_waves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
