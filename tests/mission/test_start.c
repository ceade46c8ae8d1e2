/// Start of a mission, and its warnings when the rover is not at rest: a fall into place, a jump, an impact.
#include "grouser/mission.h"
#include "grouser/sim.h"
#include "grouser/soil_file.h"
#include "support/run_scenario.h"
#include "support/shipped_rover.h"
#include "test.h"
#include "vec3.h"

static const double MARS = 3.71; // [m/s²]

typedef struct Rig {
    GrRoverDef rover;
    GrModel *m;
    GrMission *mission;
} Rig;

static Rig place(const char *rover, const char *soil_name, GrSoilLaw law, double height)
{
    Rig r = {.rover = gr_default_rover_def()};
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    GrMissionDef def = gr_default_mission_def();
    def.duration = 0.6;
    load_rover(rover, &r.rover);
    assert_int_equal(gr_soil_load(soil_name, NULL, &soil, NULL, NULL), GR_OK);
    soil.law = law;
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    assert_int_equal(gr_model_create(&r.rover, &options, &r.m, NULL), GR_OK);
    assert_int_equal(gr_mission_create(r.m, NULL, &def, &r.mission, NULL), GR_OK);
    assert_int_equal(gr_mission_place(r.mission, &(GrStart){.height = height}, NULL), GR_OK);
    return r;
}

static GrRunSummary finish(Rig *r)
{
    GrRunSummary out;
    gr_mission_advance(r->mission, INFINITY);
    assert_int_equal(gr_mission_summary(r->mission, &out, NULL), GR_OK);
    gr_mission_free(r->mission);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
    return out;
}

static void test_at_rest(void **state)
{
    (void)state;
    Rig r = place("rashid_like", "wong_snow_us", GR_SOIL_WONG_REECE, 0);
    GrRunSummary s = finish(&r);
    assert_false(gr_test_warned(&s, "at the start"));
    assert_false(gr_test_warned(&s, "jumps"));
    assert_false(gr_test_warned(&s, "impact"));
    gr_run_summary_free(&s);
}

/// Thrown up at 0.5 m/s a rover is in the air for 2 v/g = 0.27 s, and lands with the speed that it left with. To stop
/// it within a millimetre takes v²/(2 z g) = 34 times its weight.
static void test_jump(void **state)
{
    (void)state;
    Rig r = place("rashid_like", "wong_heavy_clay_25", GR_SOIL_WONG_REECE, 0);
    gr_data_set_base_velocity(gr_mission_data(r.mission), gr_vec3(0, 0, 0.5), gr_vec3(0, 0, 0));
    GrRunSummary s = finish(&r);
    assert_true(gr_test_warned(&s, "jumps"));
    assert_true(gr_test_warned(&s, "impact"));
    gr_run_summary_free(&s);
}

/// A dropped rover does both, without a warning.
static void test_drop(void **state)
{
    (void)state;
    Rig r = place("rashid_like", "wong_heavy_clay_25", GR_SOIL_WONG_REECE, 0.03);
    GrRunSummary s = finish(&r);
    assert_false(gr_test_warned(&s, "jumps"));
    assert_false(gr_test_warned(&s, "impact"));
    gr_run_summary_free(&s);
}

/// On a grid of which a single row of nodes carries each wheel there is no equilibrium to be found by Newton's method.
static void test_fall_into_place(void **state)
{
    (void)state;
    Rig r = place("el_dorado2", "wong_sandy_loam_22", GR_SOIL_SCM, 0);
    GrRunSummary s = finish(&r);
    assert_true(gr_test_warned(&s, "dropped into place"));
    gr_run_summary_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_jump),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_fall_into_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
