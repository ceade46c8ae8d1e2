/// Rovers whose wheels are in grains (law rft) on a slope: simulated seconds per second of processor time, without
/// recordings. Six wheels with grousers on the larger ones; the steps are those of the pace `hub`.
#include "bench.h"

#include "clock.h"
#include "grouser/run.h"

#include <math.h>
#include <stdio.h>

enum { REPEATS = 5 };

/// Seconds of processor time for one drive; a negative number where it failed.
static double drive(const char *rover, const char *gravity, double *simulated)
{
    char which[64], where[64];
    snprintf(which, sizeof which, "rover=%s", rover);
    snprintf(where, sizeof where, "gravity={body: %s, tilt_deg: 8, toward_deg: 0}", gravity);
    const char *const overrides[] = {which, where, "soil=grc1_loose_rft", "stop.time_s=20", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    double seconds = -1;
    GrStatus status = gr_scenario_load(GR_BENCH_DATA "/scenarios/gradeability.yaml", overrides, &scenario, &log);
    if (status == GR_OK) {
        status = gr_world_create(scenario, &world, &log);
        if (status == GR_OK) {
            const double begin = gr_thread_time();
            status = gr_run(world, NULL, &summary, &log);
            seconds = status == GR_OK ? gr_thread_time() - begin : -1;
            *simulated = summary.time;
            gr_run_summary_free(&summary);
            gr_world_free(world);
        }
        gr_scenario_free(scenario);
    }
    if (status != GR_OK) {
        fprintf(stderr, "error: %s\n", log.count > 0 ? log.items[0].text : "the run failed");
    }
    return seconds;
}

void gr_bench_grains(void)
{
    static const struct {
        const char *key, *rover, *gravity, *text;
    } ROVERS[] = {
        {"rft_rashid_factor", "rashid_like", "moon", "rashid_like on the Moon, 4 wheels; goal: 100"},
        {"rft_viper_factor", "viper_like", "moon", "viper_like on the Moon, 4 wheels; goal: 100"},
        {"rft_curiosity_factor", "curiosity_like", "mars", "curiosity_like on Mars, 6 wheels; goal: 100"},
        {"rft_exomars_factor", "exomars_like", "mars", "exomars_like on Mars, 6 flexible wheels; goal: 100"},
        {"rft_el_dorado_factor", "el_dorado2", "moon", "el_dorado2 on the Moon, 4 wheels; goal: 100"},
    };
    printf("\nRovers in grains on a slope of 8 degrees, simulated over processor seconds\n");
    for (size_t i = 0; i < sizeof ROVERS / sizeof ROVERS[0]; i++) {
        double fastest = INFINITY, simulated = 0;
        for (int k = 0; k < REPEATS; k++) {
            fastest = fmin(fastest, drive(ROVERS[i].rover, ROVERS[i].gravity, &simulated));
        }
        if (fastest > 0) {
            gr_bench_report(ROVERS[i].key, simulated / fastest, "", ROVERS[i].text);
        }
    }
}
