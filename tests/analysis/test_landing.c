/// A rover dropped at a pace that chooses its steps: the energy of its fall is booked, and its largest load is that of
/// short steps.
#include "grouser/run.h"
#include "test.h"

static const double RESIDUAL = 0.005; // of the energy of the fall
static const double LOAD = 0.05;      // what a peak of some milliseconds may lose at such a pace

static GrRunSummary drop(const char *soil, const char *step)
{
    const char *const overrides[] = {soil, step, "record.rate_Hz=20", "stop.time_s=1", NULL};
    GrErrorLog log = {0};
    GrScenario scenario;
    GrWorld world;
    GrRunSummary summary;
    assert_int_equal(gr_scenario_load("drop", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(&scenario, &world, &log), GR_OK);
    assert_int_equal(gr_run(&world, NULL, &summary, &log), GR_OK);
    gr_world_free(&world);
    gr_scenario_free(&scenario);
    return summary;
}

static double largest_load(const GrRunSummary *summary)
{
    double largest = 0;
    for (int i = 0; i < summary->wheel_count; i++) {
        largest = fmax(largest, summary->wheels[i].load_max);
    }
    return largest;
}

static void test_drop_at_pace(void **state)
{
    (void)state;
    static const char *const soils[] = {"soil=ishigami2007", "soil=wong_heavy_clay_25", "soil=none"};
    static const char *const paces[] = {"step={pace: hub}", "step={pace: error}"};
    for (int k = 0; k < 3; k++) {
        GrRunSummary fine = drop(soils[k], "step={pace: fixed, step_ms: 0.05}");
        for (int j = 0; j < 2; j++) {
            GrRunSummary paced = drop(soils[k], paces[j]);
            print_message("%s, %s: %g J of %g J, %g N in %ld steps, %g N in %ld\n", soils[k], paces[j],
                          paced.energy.residual, paced.energy.mechanical, largest_load(&paced), paced.steps,
                          largest_load(&fine), fine.steps);
            assert_true(fabs(paced.energy.residual) < RESIDUAL * fabs(paced.energy.mechanical));
            assert_near_rel(largest_load(&paced), largest_load(&fine), LOAD);
            gr_run_summary_free(&paced);
        }
        gr_run_summary_free(&fine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drop_at_pace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
