/// A rover dropped at a pace that chooses its steps: the energy of its fall is booked, and its largest load is that of
/// short steps.
#include "support/run_scenario.h"

static const double RESIDUAL = 0.005; // of the energy of the fall
static const double SINKAGE = 0.02;   // half the step may change a result by as much
static const double LOAD = 0.05;      // what a peak of some milliseconds may lose at such a pace

static GrRunSummary run_drop(const char *const *overrides)
{
    return gr_test_run("drop", overrides, NULL, NULL);
}

static GrRunSummary drop(const char *soil, const char *step)
{
    const char *const overrides[] = {soil, step, "record.rate_Hz=20", "stop.time_s=1", NULL};
    return run_drop(overrides);
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

/// Where the law terra lets wheels dig as they slip, a rover that rocks to rest on the spot ends as deep as with short
/// steps.
static void test_rocking_to_rest(void **state)
{
    (void)state;
    const char *steps[] = {"step={pace: hub}", "step={pace: fixed, step_ms: 0.1}"};
    double sinkage[2] = {0};
    for (int k = 0; k < 2; k++) {
        const char *const overrides[] = {"rover=rashid_like",
                                         "gravity=earth",
                                         "soil={use: marssim_terrain3, law: terra}",
                                         "start={height_m: 0.00744, roll_deg: -4.08, pitch_deg: 3.29}",
                                         "record.rate_Hz=20",
                                         "stop.time_s=6",
                                         steps[k],
                                         NULL};
        GrRunSummary summary = run_drop(overrides);
        for (int i = 0; i < summary.wheel_count; i++) {
            sinkage[k] += summary.wheels[i].sinkage_mean / summary.wheel_count;
        }
        print_message("%s: %.3f mm in %ld steps\n", steps[k], 1e3 * sinkage[k], summary.steps);
        gr_run_summary_free(&summary);
    }
    assert_near_rel(sinkage[0], sinkage[1], SINKAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drop_at_pace), cmocka_unit_test(test_rocking_to_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
