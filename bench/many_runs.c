/// Short drives one after the other, as in a campaign: what a run of 10 s costs besides its steps. The drives differ in
/// soil, start and, where there are any, rocks; they share a world cache. Of each part the fastest counts.
#include "bench.h"

#include "clock.h"
#include "grouser/run.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 24 };

typedef struct Parts {
    double load, world, run;
} Parts;

static bool drive(const char *file, bool rocks, double x, int number, GrWorldCache *cache, Parts *fastest)
{
    char time[32] = "stop.time_s=10", soil[32], start[32], seed[40];
    snprintf(soil, sizeof soil, "soil:phi=%d", 30 + number % 8);
    snprintf(start, sizeof start, "start.x_m=%g", x + 0.1 * number);
    snprintf(seed, sizeof seed, "terrain.rocks.seed=%d", 1 + number);
    const char *const overrides[] = {time, soil, start, rocks ? seed : NULL, NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    const double begin = gr_thread_time();
    GrStatus status = gr_scenario_load(file, overrides, &scenario, &log);
    const double loaded = gr_thread_time();
    if (status == GR_OK) {
        status = gr_world_create_shared(scenario, cache, &world, &log);
        const double made = gr_thread_time();
        if (status == GR_OK) {
            status = gr_run(world, NULL, &summary, &log);
            fastest->load = fmin(fastest->load, loaded - begin);
            fastest->world = fmin(fastest->world, made - loaded);
            fastest->run = fmin(fastest->run, gr_thread_time() - made);
            gr_run_summary_free(&summary);
            gr_world_free(world);
        }
        gr_scenario_free(scenario);
    }
    if (status != GR_OK) {
        fprintf(stderr, "error: %s\n", log.count > 0 ? log.items[0].text : "the run failed");
    }
    return status == GR_OK;
}

void gr_bench_many_runs(void)
{
    static const struct {
        const char *title, *file;
        bool rocks;
        double x;
        const char *keys[4];
    } CASES[] = {
        {"gradeability: four wheels on a plane of soil",
         GR_BENCH_DATA "/scenarios/gradeability.yaml",
         false,
         0,
         {"plane_load_ms", "plane_world_ms", "plane_steps_ms", "plane_overhead"}},
        {"crossing: six wheels on rough ground with rocks",
         GR_BENCH_DATA "/scenarios/crossing.yaml",
         true,
         -30,
         {"rocks_load_ms", "rocks_world_ms", "rocks_steps_ms", "rocks_overhead"}},
    };
    printf("\nDrives of 10 s that differ in soil, start and rocks, one after the other\n");
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Parts parts = {INFINITY, INFINITY, INFINITY};
        GrWorldCache *cache = NULL;
        gr_world_cache_create(&cache, NULL);
        bool good = cache != NULL;
        for (int k = 0; k < RUNS && good; k++) {
            good = drive(CASES[i].file, CASES[i].rocks, CASES[i].x, k, cache, &parts);
        }
        gr_world_cache_free(cache);
        if (good) {
            printf("  %s\n", CASES[i].title);
            gr_bench_report(CASES[i].keys[0], 1e3 * parts.load, "ms", "reading the files");
            gr_bench_report(CASES[i].keys[1], 1e3 * parts.world, "ms", "making the world and settling");
            gr_bench_report(CASES[i].keys[2], 1e3 * parts.run, "ms", "all steps");
            gr_bench_report(CASES[i].keys[3], (parts.load + parts.world) / parts.run, "",
                            "both over the steps; goal: 0.1");
        }
    }
}
