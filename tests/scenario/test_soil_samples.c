#include "scenario_data.h"
#include "soil_param.h"
#include "soil_yaml.h"

#include "test.h"

#include <math.h>

enum { COUNT = 40 };

static double param(const GrSoilDef *soil, const char *name)
{
    return gr_soil_param_get(soil, gr_soil_param_find(name));
}

/// Share of the samples of phi below a value; with a Latin hypercube known to 1 / COUNT.
static double share_below(const GrSoilSpread *spread, const GrSoilDef *soil, double phi)
{
    int below = 0;
    for (int i = 0; i < COUNT; i++) {
        GrSoilDef sample;
        gr_soil_sample(spread, NULL, soil, GR_SOIL_SEED, i, COUNT, &sample);
        below += param(&sample, "phi") < phi;
    }
    return (double)below / COUNT;
}

/// A parameter has the quantile of its own distribution, and the same one in every soil and law.
static void test_common(void **state)
{
    (void)state;
    static GrSoilSources sources;
    GrSoilDef one, other, first, second;
    GrSoilSpread spread, wide;
    assert_int_equal(gr_soil_load_spread("mars_sand", NULL, &one, &sources, &spread, NULL), GR_OK);
    assert_int_equal(spread.kind, GR_SPREAD_CLASS);
    assert_int_equal(gr_soil_load_spread("ishigami2007", NULL, &other, &sources, &wide, NULL), GR_OK);
    assert_int_equal(wide.kind, GR_SPREAD_UNKNOWN);
    memset(spread.correlation, 0, sizeof spread.correlation); // copulas mix the columns of different soils
    for (int i = 0; i < spread.count; i++) {
        spread.correlation[i][i] = 1;
    }
    for (int i = 0; i < COUNT; i++) {
        gr_soil_sample(&spread, NULL, &one, GR_SOIL_SEED, i, COUNT, &first);
        gr_soil_sample(&wide, NULL, &other, GR_SOIL_SEED, i, COUNT, &second);
        const double u = share_below(&spread, &one, param(&first, "phi"));
        assert_near(u, share_below(&wide, &other, param(&second, "phi")), 1e-12);
        const double ratio = param(&first, "k_phi") / 800e3, same = param(&second, "k_phi") / param(&other, "k_phi");
        assert_near_rel(ratio, same, 1e-2); // both log-normal with 0.6, one truncated far out
    }
    const int phi = gr_soil_param_find("phi");
    for (int i = 0; i < spread.count; i++) {
        if (spread.param[i] == phi) {
            assert_near(share_below(&spread, &one, gr_distribution_quantile(&spread.distribution[i], 0.25)), 0.25,
                        1e-12);
        }
    }
}

/// What the user sets is not sampled.
static void test_override(void **state)
{
    (void)state;
    static GrSoilSources sources;
    static const char *const overrides[] = {"phi=33", NULL};
    GrSoilDef soil, sample;
    GrSoilSpread spread;
    assert_int_equal(gr_soil_load_spread("mars_sand", overrides, &soil, &sources, &spread, NULL), GR_OK);
    for (int i = 0; i < 8; i++) {
        gr_soil_sample(&spread, &sources, &soil, GR_SOIL_SEED, i, 8, &sample);
        assert_near(param(&sample, "phi"), 33, 1e-12);
        assert_true(param(&sample, "k_phi") != param(&soil, "k_phi"));
    }
}

/// Errors inside and outside of the conditions that were measured, and in samples: normal variables with the deviation
/// that remains, which leave the parameters as they are.
static void test_errors(void **state)
{
    (void)state;
    enum { SAMPLES = 400 };
    GrSoilSpread spread = gr_default_soil_spread();
    GrSoilDef soil = gr_default_soil_def(), sample = soil;
    const GrCondition far = {5, 5, 5, 5, 5};
    assert_true(gr_conditions_outside(&spread.range, &far) == 0); // nothing is limited
    spread.kind = GR_SPREAD_FIT;
    gr_soil_sample_errors(&spread, 1, 3, SAMPLES, &sample);
    assert_memory_equal(&sample, &soil, sizeof soil); // no errors are known
    spread.range = (GrConditions){{-1, 0.9}, {0, 0.5}, {50, 100}, {0.05, 0.05}, {NAN, NAN}};
    spread.error[GR_SPREAD_FX] = (GrSpreadError){0.02, NAN, 0.05};
    spread.error[GR_SPREAD_FY] = (GrSpreadError){0.02, NAN, NAN};
    const GrCondition inside = {0.9, -0.5, 50, 0.05 * (1 + 1e-9), 3}, slip = {1, 0, 50, 0.05, 3},
                      load = {0, 0, 49, 0.05, 3};
    assert_true(gr_conditions_outside(&spread.range, &inside) == 0);
    assert_near(gr_conditions_outside(&spread.range, &slip), 0.5, 1e-12);
    assert_true(gr_conditions_outside(&spread.range, &load) > 0);
    assert_near(gr_spread_remains(&spread.error[GR_SPREAD_FY], 1), 0.02, 1e-15); // the best that is known
    static const double outside[] = {0, 1}, deviation[] = {0.02, 0.05};
    for (int k = 0; k < 2; k++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < SAMPLES; i++) {
            sample = soil;
            gr_soil_sample_errors(&spread, outside[k], i, SAMPLES, &sample);
            sum += sample.error_fx;
            squares += sample.error_fx * sample.error_fx;
            assert_true(sample.error_torque == 0 && param(&sample, "phi") == param(&soil, "phi"));
        }
        assert_near(sum / SAMPLES, 0, 0.01 * deviation[k]); // a Latin hypercube
        assert_near(sqrt(squares / SAMPLES), deviation[k], 0.02 * deviation[k]);
    }
}

/// A scenario with a sample: its soil and those of its map move together, and stay within what a law can read.
static void test_scenario(void **state)
{
    (void)state;
    enum { SAMPLES = 5 };
    GrScenario *scenario = NULL, *plain = NULL;
    GrWorld *world = NULL, *nominal = NULL;
    assert_int_equal(gr_scenario_load("mixed_soils", NULL, &plain, NULL), GR_OK);
    assert_int_equal(gr_world_create(plain, &nominal, NULL), GR_OK);
    assert_true(nominal->soil_count > 1);
    double first = 0;
    for (int i = 0; i < SAMPLES; i++) {
        char text[80];
        snprintf(text, sizeof text, "soil_sample=%d/%d", i + 1, SAMPLES);
        const char *const overrides[] = {text, NULL};
        assert_int_equal(gr_scenario_load("mixed_soils", overrides, &scenario, NULL), GR_OK);
        assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
        const double ratio = param(&world->soils[0], "k_phi") / param(&nominal->soils[0], "k_phi");
        for (int k = 0; k < world->soil_count; k++) { // all have an unknown spread, the same for all
            assert_near_rel(param(&world->soils[k], "k_phi") / param(&nominal->soils[k], "k_phi"), ratio, 1e-9);
        }
        assert_true(i == 0 || ratio != first);
        first = i == 0 ? ratio : first;
        gr_world_free(world);
        gr_scenario_free(scenario);
    }
    gr_world_free(nominal);
    gr_scenario_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
