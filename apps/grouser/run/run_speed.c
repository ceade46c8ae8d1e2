#include "run_speed.h"

#include "clock.h"
#include "run_files.h"
#include "run_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void remove_run(const char *directory)
{
    char path[512];
    for (size_t i = 0; i < GR_RUN_FILE_COUNT; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, gr_run_files[i]);
        unlink(path);
    }
    rmdir(directory);
}

static GrStatus measure(const GrScenario *scenario, const char *directory, GrRunSpeed *out, GrErrorLog *log)
{
    GrWorld world;
    GrRunSummary summary = {0};
    const double begin = gr_clock_read(CLOCK_MONOTONIC);
    GrStatus status = gr_world_create(scenario, &world, log);
    if (status != GR_OK) {
        return status;
    }
    const double ready = gr_clock_read(CLOCK_MONOTONIC), worked = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID);
    status = gr_run_recorded(&world, directory, (GrRunExtras){0}, &summary, log);
    *out = (GrRunSpeed){.set_up = ready - begin,
                        .run = gr_clock_read(CLOCK_MONOTONIC) - ready,
                        .cpu = gr_clock_read(CLOCK_PROCESS_CPUTIME_ID) - worked,
                        .simulated = summary.time,
                        .steps = summary.steps,
                        .hash = summary.state_hash,
                        .outcome = summary.outcome};
    gr_run_summary_free(&summary);
    gr_world_free(&world);
    return status;
}

GrStatus gr_run_speed(const GrScenario *scenario, int repeats, GrRunSpeed *best, GrErrorLog *log)
{
    char directory[] = "/tmp/grouser_bench_XXXXXX";
    if (mkdtemp(directory) == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = directory}, "cannot be made");
    }
    GrStatus status = GR_OK;
    for (int i = 0; i < repeats; i++) {
        GrRunSpeed b;
        status = measure(scenario, directory, &b, log);
        if (status == GR_OK && i > 0 && b.hash != best->hash) {
            status = gr_error_add(log, GR_ERROR_NUMERIC, (GrLocation){0}, "two runs ended in different states");
        }
        if (status != GR_OK) {
            break;
        }
        const double cpu = i == 0 || b.cpu < best->cpu ? b.cpu : best->cpu;
        if (i == 0 || b.run < best->run) {
            *best = b;
        }
        best->cpu = cpu;
    }
    remove_run(directory);
    return status;
}
