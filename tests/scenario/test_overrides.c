/// `set:` of a scenario and --set of the command line: the command line takes precedence.
#include "test.h"

#include "grouser/scenario.h"

static const char TEXT[] = "rover: {use: rashid_like, set: {params.total_mass: 20, params.wheel_width: 0.1}}\n"
                           "soil: {use: ishigami2007, set: {phi: 30, n0: 0.9}}\n";

static GrScenario load(const char *const *overrides)
{
    FILE *file = fopen("set.yaml", "wb");
    assert_non_null(file);
    fputs(TEXT, file);
    fclose(file);
    GrScenario scenario;
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
    GrScenario scenario = load(NULL);
    assert_near(mass_of(&scenario.rover), 20, 20 * rounding);
    assert_near(scenario.soil.friction_angle, 30 * degree, rounding);
    gr_scenario_free(&scenario);

    const char *const overrides[] = {"rover:params.total_mass=15", "soil:phi=25", NULL};
    scenario = load(overrides);
    assert_near(mass_of(&scenario.rover), 15, 15 * rounding);
    assert_near(scenario.rover.wheels[0].width, 0.1, rounding); // the other values of the file stay
    assert_near(scenario.soil.friction_angle, 25 * degree, rounding);
    assert_near(scenario.soil.n0, 0.9, rounding);
    gr_scenario_free(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_last_word)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
