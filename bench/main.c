/// Runs all benchmarks, prints a table and writes a flat JSON file beside the build.
#include "bench.h"

#include "file.h"
#include "json.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MAX_ROWS = 64 };

static struct {
    const char *key;
    double value;
} rows[MAX_ROWS];
static int row_count;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void gr_bench_race(GrContestant *contestants, int contestant_count, int count)
{
    for (int i = 0; i < contestant_count; i++) {
        contestants[i].run(contestants[i].context, count); // warm
        contestants[i].seconds = 1e300;
    }
    for (int block = 0; block < GR_BENCH_BLOCKS; block++) {
        for (int i = 0; i < contestant_count; i++) {
            const double start = now();
            contestants[i].run(contestants[i].context, count);
            const double seconds = (now() - start) / count;
            contestants[i].seconds = seconds < contestants[i].seconds ? seconds : contestants[i].seconds;
        }
    }
}

void gr_bench_report(const char *key, double value, const char *unit, const char *text)
{
    printf("  %-32s %10.4g %-4s %s\n", key, value, unit, text);
    if (row_count < MAX_ROWS) {
        rows[row_count].key = key;
        rows[row_count++].value = value;
    }
}

static int write_json(const char *path)
{
    GrBuffer buffer = {0};
    GrJson json = gr_json_to_buffer(&buffer, true);
    gr_json_begin_object(&json, NULL);
    for (int i = 0; i < row_count; i++) {
        gr_json_number(&json, rows[i].key, rows[i].value);
    }
    gr_json_end(&json);
    const GrStatus status = gr_json_finish(&json);
    const int failed = status != GR_OK || gr_file_write(path, buffer.data, buffer.size, NULL) != GR_OK;
    gr_buffer_free(&buffer);
    return failed;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : GR_BENCH_JSON;
    printf("Fastest of %d blocks each, contestants by turns.\n\n", GR_BENCH_BLOCKS);
    gr_bench_core();
    gr_bench_soil();
#ifdef GR_WITH_GDAL
    gr_bench_terrain();
#endif
    gr_bench_rigid();
    gr_bench_rigid_rover();
    gr_bench_record();
    gr_bench_scm();
    gr_bench_run();
    gr_bench_trace();
    if (write_json(path) != 0) {
        fprintf(stderr, "error: cannot write %s\n", path);
        return 1;
    }
    printf("\nwrote %s\n", path);
    return 0;
}
