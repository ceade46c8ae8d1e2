/// Runs all benchmarks, or the groups that are named, prints a table and writes a flat JSON file beside the build.
#include "bench.h"

#include "clock.h"
#include "file.h"
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 128 };

static struct {
    const char *key;
    double value;
} rows[MAX_ROWS];
static int row_count;

void gr_bench_race(GrContestant *contestants, int contestant_count, int count)
{
    for (int i = 0; i < contestant_count; i++) {
        contestants[i].run(contestants[i].context, count); // warm up
        contestants[i].seconds = 1e300;
    }
    for (int block = 0; block < GR_BENCH_BLOCKS; block++) {
        for (int i = 0; i < contestant_count; i++) {
            const double start = gr_thread_time();
            contestants[i].run(contestants[i].context, count);
            const double seconds = (gr_thread_time() - start) / count;
            contestants[i].blocks[block] = seconds;
            contestants[i].seconds = seconds < contestants[i].seconds ? seconds : contestants[i].seconds;
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double gr_bench_ratio(const GrContestant *one, const GrContestant *other)
{
    double ratios[GR_BENCH_BLOCKS];
    for (int i = 0; i < GR_BENCH_BLOCKS; i++) {
        ratios[i] = one->blocks[i] / other->blocks[i];
    }
    qsort(ratios, GR_BENCH_BLOCKS, sizeof ratios[0], by_value);
    return 0.5 * (ratios[(GR_BENCH_BLOCKS - 1) / 2] + ratios[GR_BENCH_BLOCKS / 2]);
}

void gr_bench_report(const char *key, double value, const char *unit, const char *text)
{
    printf("  %-32s %10.4g %-4s %s\n", key, value, unit, text);
    if (row_count == MAX_ROWS) {
        fprintf(stderr, "error: more than %d rows\n", MAX_ROWS);
        exit(1);
    }
    rows[row_count].key = key;
    rows[row_count++].value = value;
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

static const struct {
    const char *name;
    void (*run)(void);
} groups[] = {
    {"core", gr_bench_core},       {"soil", gr_bench_soil},
#ifdef GR_WITH_GDAL
    {"terrain", gr_bench_terrain},
#endif
    {"rigid", gr_bench_rigid},     {"rigid_rover", gr_bench_rigid_rover},
    {"record", gr_bench_record},   {"scm", gr_bench_scm},
    {"run", gr_bench_run},         {"many_runs", gr_bench_many_runs},
    {"grains", gr_bench_grains},   {"campaign", gr_bench_campaign},
    {"trace", gr_bench_trace},     {"settle", gr_bench_settle},
    {"sense", gr_bench_sense},
};
enum { GROUP_COUNT = sizeof groups / sizeof groups[0] };

static bool is_named(const char *name, int count, char **names)
{
    bool named = count == 0;
    for (int i = 0; i < count; i++) {
        named = named || strcmp(names[i], name) == 0;
    }
    return named;
}

static int refuse(const char *name)
{
    fprintf(stderr, "error: no group '%s'; there are", name);
    for (int i = 0; i < GROUP_COUNT; i++) {
        fprintf(stderr, "%s %s", i > 0 ? "," : "", groups[i].name);
    }
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool known = false;
        for (int k = 0; k < GROUP_COUNT; k++) {
            known = known || strcmp(argv[i], groups[k].name) == 0;
        }
        if (!known) {
            return refuse(argv[i]);
        }
    }
    printf("Processor time: fastest of %d blocks each, contestants by turns; ratios: medians of the turns.\n\n",
           GR_BENCH_BLOCKS);
    for (int k = 0; k < GROUP_COUNT; k++) {
        if (is_named(groups[k].name, argc - 1, argv + 1)) {
            groups[k].run();
        }
    }
    if (write_json(GR_BENCH_JSON) != 0) {
        fprintf(stderr, "error: cannot write %s\n", GR_BENCH_JSON);
        return 1;
    }
    printf("\nwrote %s\n", GR_BENCH_JSON);
    return 0;
}
