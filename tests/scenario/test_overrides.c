/// `set:` of a scenario and --set of the command line: the command line takes precedence.
#include "test.h"

#include "scenario_data.h"

static const char TEXT[] = "rover: {use: rashid_like, set: {params.total_mass: 20, params.wheel_width: 0.1}}\n"
                           "soil: {use: ishigami2007, set: {phi: 30, n0: 0.9}}\n";

static GrScenario *load(const char *const *overrides)
{
    FILE *file = fopen("set.yaml", "wb");
    assert_non_null(file);
    fputs(TEXT, file);
    fclose(file);
    GrScenario *scenario = NULL;
    assert_int_equal(gr_scenario_load("./set.yaml", overrides, &scenario, NULL), GR_OK);
    return scenario;
}

static double mass_of(const GrRoverDef *rover)
{
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass;
    }
    return mass;
}

static void test_last_word(void **state)
{
    (void)state;
    const double degree = acos(-1.0) / 180, rounding = 1e-12;
    GrScenario *scenario = load(NULL);
    assert_near(mass_of(&scenario->rover), 20, 20 * rounding);
    assert_near(scenario->soil.friction_angle, 30 * degree, rounding);
    gr_scenario_free(scenario);

    const char *const overrides[] = {"rover:params.total_mass=15", "soil:phi=25", NULL};
    scenario = load(overrides);
    assert_near(mass_of(&scenario->rover), 15, 15 * rounding);
    assert_near(scenario->rover.wheels[0].width, 0.1, rounding); // the other values of the file stay
    assert_near(scenario->soil.friction_angle, 25 * degree, rounding);
    assert_near(scenario->soil.n0, 0.9, rounding);
    gr_scenario_free(scenario);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/// `overrides` of a file: after its includes, before the command line; those of an included file first.
static void test_overrides_in_the_file(void **state)
{
    (void)state;
    static const char *const last[] = {"stop.time_s=7", NULL};
    GrScenario *scenario = NULL;
    write_file("first.yaml", "include: gradeability\noverrides: [gravity=mars, \"soil:phi=31\", stop.time_s=3]\n"
                             "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.02}]}\n");
    write_file("second.yaml", "include: first.yaml\noverrides: [\"soil:phi=32\"]\nstop: {time_s: 5}\n");
    assert_int_equal(gr_scenario_load("./second.yaml", NULL, &scenario, NULL), GR_OK);
    assert_string_equal(scenario->rover.name, "rashid_like");
    assert_near(scenario->gravity.z, -3.72, 0.02); // Mars, where the included scenario leans on the Moon
    assert_near(scenario->soil.friction_angle, 32 * acos(-1.0) / 180, 1e-12);
    assert_near(scenario->mission.duration, 3, 0); // an override wins over a key of any file
    assert_near(scenario->script[0].command.speed, 0.02, 0);
    gr_scenario_free(scenario);
    assert_int_equal(gr_scenario_load("./second.yaml", last, &scenario, NULL), GR_OK);
    assert_near(scenario->mission.duration, 7, 0);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_word), cmocka_unit_test(test_overrides_in_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
