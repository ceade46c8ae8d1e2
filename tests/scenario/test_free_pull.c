/// Pull without slip: against the steady law at the exact load, and the warning for every shipped soil.
#include "support/soil_test.h"

#include "file.h"
#include "grouser/soil_file.h"
#include "shipped.h"

static const double LOAD = 170;

static GrSoilWheelDef wheel_def(void)
{
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    def.radius = 0.25;
    def.width = 0.2;
    return def;
}

/// The quick search for the sinkage stops at 0.1 % of the load; the pull over load changes by less than that.
static void test_same_as_steady(void **state)
{
    (void)state;
    static const char *const soils[] = {"ishigami2007", "lunar_apollo", "grc1_virtual", "wong_snow_us", "hit_lss1"};
    for (size_t i = 0; i < sizeof soils / sizeof soils[0]; i++) {
        GrSoilDef soil;
        GrSoilWheel wheel;
        GrSoilSteady exact;
        const GrSoilWheelDef def = wheel_def();
        assert_int_equal(gr_soil_load(soils[i], NULL, &soil, NULL, NULL), GR_OK);
        assert_int_equal(gr_soil_wheel_prepare(&soil, &def, &wheel, NULL), GR_OK);
        assert_int_equal(gr_soil_steady_load(&wheel, 0, 0, LOAD, 0, &exact, NULL), GR_OK);
        assert_near(gr_soil_free_pull(&wheel, LOAD), exact.f_x / LOAD, 1e-3);
    }
}

/// A warning exactly where the wheel is pulled forward, and never twice.
static void test_warns(void **state)
{
    (void)state;
    GrNameList names = {0};
    assert_int_equal(gr_shipped_list("soils", ".yaml", &names, NULL), GR_OK);
    int warned = 0;
    for (int i = 0; i < names.count; i++) {
        GrSoilDef soil;
        GrSoilWheel wheel;
        GrErrorLog log = {0};
        GrSoilSteady exact;
        const GrSoilWheelDef def = wheel_def();
        assert_int_equal(gr_soil_load(names.names[i], NULL, &soil, NULL, NULL), GR_OK);
        if (gr_soil_law_on_grid(soil.law) || gr_soil_wheel_prepare(&soil, &def, &wheel, NULL) != GR_OK ||
            gr_soil_steady_load(&wheel, 0, 0, LOAD, 0, &exact, NULL) != GR_OK) {
            continue;
        }
        gr_soil_warn_free_pull(&wheel, LOAD, &log);
        gr_soil_warn_free_pull(&wheel, LOAD, &log);
        if (fabs(exact.f_x) > 1e-3 * LOAD) {
            assert_int_equal(log.warning_count, exact.f_x > 0 ? 1 : 0);
        }
        warned += log.warning_count;
    }
    gr_name_list_free(&names);
    assert_true(warned > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_as_steady), cmocka_unit_test(test_warns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
