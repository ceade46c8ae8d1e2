/// A whole run with its recordings: simulated seconds per second of wall time and of processor time.
#include "bench.h"

#include "run_recorder.h"

#include <stdio.h>

enum { REPEATS = 5 };

void gr_bench_run(void)
{
    GrScenario *scenario = NULL;
    GrRunSpeed speed;
    GrErrorLog log = {0};
    printf(
        "\nThe scenario speed: a rocker-bogie rover on 200 m x 200 m of rough ground with rocks, recorded at 20 Hz\n");
    if (gr_scenario_load(GR_BENCH_DATA "/scenarios/speed.yaml", NULL, &scenario, &log) != GR_OK ||
        gr_run_speed(scenario, REPEATS, &speed, &log) != GR_OK) {
        fprintf(stderr, "error: %s\n", log.count > 0 ? log.items[0].text : "the run failed");
        return;
    }
    gr_scenario_free(scenario);
    gr_bench_report("run_step_us", 1e6 * speed.run / (double)speed.steps, "us",
                    "all work of a step, recordings included");
    gr_bench_report("run_step_ms", 1e3 * speed.simulated / (double)speed.steps, "ms", "simulated, mean");
    gr_bench_report("real_time_factor", speed.simulated / speed.run, "", "simulated over wall seconds; goal: 1000");
    gr_bench_report("one_core_factor", speed.simulated / speed.cpu, "",
                    "simulated over processor seconds of all threads; goal: 1000");
}
