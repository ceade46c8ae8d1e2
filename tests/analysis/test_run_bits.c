/// A recording looks at a run and does not change it: the last state has the same bits with samples and without.
#include "support/run_scenario.h"

static GrStatus count_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    long *count = context;
    (void)sample;
    (void)log;
    ++*count;
    return GR_OK;
}

static uint64_t hash_of(const char *name, const char *const *overrides, const GrRunHooks *hooks)
{
    GrRunSummary summary = gr_test_run(name, overrides, NULL, hooks);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    return hash;
}

/// Steps end at samples, so that the rate is part of the run; whether anybody takes the samples is not.
static void test_samples_change_nothing(void **state)
{
    (void)state;
    static const char *const RATES[] = {"record.rate_Hz=3", "record.rate_Hz=20", "record.rate_Hz=100"};
    static const struct {
        const char *name, *override;
    } RUNS[] = {
        {"crossing", "step.max_ms=40"},                             // rocks, and steps by the hubs' speed
        {"rock_field", "step={pace: error}"},                       // steps that are repeated
        {"own_track", "step.max_ms=30"},                            // ruts
        {"drawbar", "soil={use: lunar_apollo, law: scm}"},          // a grid
        {"drop", "step={pace: hub}"},                               // flight, landing, rocking
        {"turn", "step={pace: hub, max_ms: 50, hub_travel_mm: 1}"}, // steps that change all the time
    };
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) {
        for (size_t k = 0; k < sizeof RATES / sizeof RATES[0]; k++) {
            const char *const overrides[] = {RUNS[i].override, RATES[k], "stop.time_s=4", NULL};
            long count = 0;
            const GrRunHooks hooks = {.sample = count_sample, .context = &count};
            const uint64_t seen = hash_of(RUNS[i].name, overrides, &hooks);
            const uint64_t alone = hash_of(RUNS[i].name, overrides, NULL);
            print_message("%s, %s: %ld samples, %016llx\n", RUNS[i].name, RATES[k], count, (unsigned long long)seen);
            assert_true(count > 2);
            assert_true(seen == alone);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
