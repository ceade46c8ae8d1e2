/// grouser bench: measures the speed of a whole run on this machine, and of many at once on its processors and GPUs.
#include "alloc.h"
#include "batch_device.h"
#include "clock.h"
#include "command.h"
#include "grouser/batch.h"
#include "json.h"
#include "number.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "run_recorder.h"
#include "scenario_data.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_bench(const GrScenario *scenario, const GrRunSpeed *b, bool json)
{
    const double factor = b->simulated / b->run, step = 1e6 * b->run / (double)b->steps;
    if (!json) {
        printf("%s\n", scenario->title[0] != '\0' ? scenario->title : scenario->name);
        printf("  %s after %.1f s; %ld steps of %.2f us, recorded at %g Hz\n", gr_outcome_name(b->outcome),
               b->simulated, b->steps, step, scenario->record_rate);
        printf("  set up in %.2f s, run in %.3f s: %.0f times faster than real time\n", b->set_up, b->run, factor);
        printf("  %.3f s of processor time, all threads: %.0f times on one core\n", b->cpu, b->simulated / b->cpu);
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "scenario", scenario->name);
    gr_json_string(&out, "outcome", gr_outcome_name(b->outcome));
    gr_json_number(&out, "time_s", b->simulated);
    gr_json_number(&out, "wall_s", b->run);
    gr_json_number(&out, "set_up_s", b->set_up);
    gr_json_integer(&out, "steps", b->steps);
    gr_json_number(&out, "step_us", step);
    gr_json_number(&out, "real_time_factor", factor);
    gr_json_number(&out, "cpu_s", b->cpu);
    gr_json_number(&out, "one_core_factor", b->simulated / b->cpu);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

// ---- many runs at once

/// What is asked of many runs.
typedef struct Many {
    const char *scenario, *const *overrides, *device, *vary;
    double runs, seconds, threads;
    char path[GR_NAME_SIZE]; ///< of the number that differs from run to run; "": none
    double low, high;
} Many;

/// Runs of a batch that are compared with the processor's: enough to find a difference, few enough to wait for.
enum { COMPARED = 256 };

static GrStatus read_vary(Many *o, GrErrorLog *log)
{
    const char *equals = o->vary != NULL ? strchr(o->vary, '=') : NULL;
    char *end = NULL;
    bool good = equals != NULL && equals > o->vary && (size_t)(equals - o->vary) < sizeof o->path;
    if (good) {
        snprintf(o->path, sizeof o->path, "%.*s", (int)(equals - o->vary), o->vary);
        o->low = strtod(equals + 1, &end);
        good = *end == ':';
    }
    if (good) {
        o->high = strtod(end + 1, &end);
        good = *end == '\0';
    }
    return good || o->vary == NULL ? GR_OK
                                   : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--vary"},
                                                  "takes PATH=LOW:HIGH, not '%.60s'", o->vary);
}

/// The batch at its start, with its first step made: what is loaded and compiled at the first one is not measured.
static GrStatus make_batch(const Many *o, const char *device, int count, int total, GrBatch **out, GrErrorLog *log)
{
    GrBatchDef def = gr_default_batch_def();
    def.scenario = o->scenario;
    def.overrides = o->overrides;
    def.count = count;
    def.threads = (int)o->threads;
    def.device = device;
    GrStatus status = gr_batch_create(&def, out, log);
    double *values = status == GR_OK ? gr_calloc((size_t)count, sizeof *values) : NULL;
    if (status == GR_OK && values == NULL) {
        status = gr_out_of_memory(log, NULL);
    }
    for (int i = 0; values != NULL && i < count; i++) {
        values[i] = total > 1 ? o->low + (o->high - o->low) * i / (total - 1) : o->low;
    }
    if (status == GR_OK && o->path[0] != '\0') {
        status = gr_batch_set(*out, o->path, values, log);
    }
    gr_free(values);
    status = status == GR_OK ? gr_batch_reset(*out, NULL, log) : status;
    return status == GR_OK ? gr_batch_advance(*out, 1e-3, log) : status;
}

static double steps_of(GrBatch *batch, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        const GrMission *mission = gr_batch_mission(batch, i);
        sum += mission != NULL ? (double)mission->s.steps : 0;
    }
    return sum;
}

static GrStatus time_batch(GrBatch *batch, double seconds, double *rate, double *wall, GrErrorLog *log)
{
    const double before = steps_of(batch, gr_batch_count(batch)), begin = gr_wall_time();
    const GrStatus status = gr_batch_advance(batch, seconds, log);
    *wall = gr_wall_time() - begin;
    *rate = (steps_of(batch, gr_batch_count(batch)) - before) / *wall;
    return status;
}

/// Runs of which any bit differs between two batches.
static int differing(GrBatch *a, GrBatch *b)
{
    int sum = 0;
    for (int i = 0; i < gr_batch_count(b); i++) {
        const GrMission *p = gr_batch_mission(a, i), *q = gr_batch_mission(b, i);
        sum += (p == NULL) != (q == NULL) || (p != NULL && gr_mission_sum(p) != gr_mission_sum(q));
    }
    return sum;
}

/// One row: so many runs on the device, and the first of them on the processors.
static GrStatus measure_many(const Many *o, int count, GrTable *table, GrErrorLog *log)
{
    GrBatch *there = NULL, *here = NULL;
    double rate = 0, wall = 0, own = 0, own_wall = 0;
    GrStatus status = make_batch(o, o->device, count, count, &there, log);
    status = status == GR_OK ? time_batch(there, o->seconds, &rate, &wall, log) : status;
    if (status == GR_OK) {
        status = make_batch(o, "cpu", count < COMPARED ? count : COMPARED, count, &here, log);
    }
    status = status == GR_OK ? time_batch(here, o->seconds, &own, &own_wall, log) : status;
    if (status == GR_OK) {
        gr_table_values(table, (const double[]){count, wall, rate, own, differing(there, here)}, 5);
    }
    gr_batch_free(there);
    gr_batch_free(here);
    return status;
}

static GrStatus bench_many(Many *o, bool json, GrErrorLog *log)
{
    GrStatus status = read_vary(o, log);
    if (status == GR_OK && !(o->runs >= 1 && o->runs <= GR_BATCH_MOST && o->seconds > 0 && o->seconds <= 1e6)) {
        status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--runs"},
                              "takes 1 to %d runs, and --time more than 0 s", GR_BATCH_MOST);
    }
    GrTable table = {0};
    gr_table_columns(&table,
                     (const GrColumn[]){{"runs", "runs", 1, 8},
                                        {"wall_s", "wall [s]", 1, 3},
                                        {"steps_per_s", "steps/s", 1, 3},
                                        {"cpu_steps_per_s", "processors", 1, 3},
                                        {"differing", "runs that differ", 1, 8}},
                     5);
    int part = 1;
    while (o->runs / part > 10) {
        part *= 10;
    }
    for (; status == GR_OK && part > 0; part /= 10) {
        status = measure_many(o, (int)(o->runs / part + 0.5), &table, log);
    }
    if (status == GR_OK && json) {
        GrJson out = gr_json_to_file(stdout, true);
        gr_json_begin_object(&out, NULL);
        gr_json_string(&out, "scenario", o->scenario);
        gr_json_string(&out, "device", o->device);
        gr_json_number(&out, "time_s", o->seconds);
        gr_table_json(&table, "rates", &out);
        gr_json_end(&out);
        gr_json_finish(&out);
    } else if (status == GR_OK) {
        gr_table_print(&table, stdout);
    }
    gr_table_free(&table);
    return status;
}

static int run(int argc, char **argv)
{
    GrTextList overrides = {0};
    double repeats = 3;
    bool json = false;
    Many many = {.seconds = 5};
    const GrOption options[] = {
        {.name = "repeat",
         .letter = 'n',
         .value = "N",
         .number = &repeats,
         .help = "runs, of which the fastest counts (default 3)"},
        {.name = "set", .value = "PATH=VALUE", .list = &overrides, .help = "replace a value of the scenario"},
        {.name = "device",
         .value = "DEVICE",
         .text = &many.device,
         .help = "of many runs: cpu, cuda, cuda:1, …; 'grouser list devices'"},
        {.name = "runs",
         .value = "N",
         .number = &many.runs,
         .help = "many runs at once: so many, a tenth, …, without files"},
        {.name = "vary",
         .value = "PATH=LOW:HIGH",
         .text = &many.vary,
         .help = "many runs: a number that differs between them"},
        {.name = "time", .value = "S", .number = &many.seconds, .help = "many runs: simulated time (default 5)"},
        {.name = "jobs",
         .letter = 'j',
         .value = "N",
         .number = &many.threads,
         .help = "many runs: threads of the processors"},
        {.name = "json", .flag = &json, .help = "print JSON"},
    };
    const char *arguments[1] = {"speed"};
    int exit_code;
    if (gr_options_parse(&gr_command_bench, options, 8, argc, argv, arguments, 0, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrRunSpeed best = {0};
    GrStatus status = GR_OK;
    if (many.device != NULL || many.runs > 0 || many.vary != NULL) {
        many.scenario = arguments[0];
        many.overrides = overrides.items;
        many.runs = many.runs > 0 ? many.runs : 1000;
        many.device = many.device != NULL ? many.device : "cpu";
        status = bench_many(&many, json, &log);
    } else if (!(repeats >= 1 && repeats <= 1000)) {
        status =
            gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--repeat"}, "takes 1 to 1000, not %g", repeats);
    } else if ((status = gr_scenario_load(arguments[0], overrides.items, &scenario, &log)) == GR_OK) {
        status = gr_run_speed(scenario, (int)repeats, &best, &log);
        if (status == GR_OK) {
            print_bench(scenario, &best, json);
        }
        gr_scenario_free(scenario);
    }
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_command_bench = {
    .name = "bench",
    .summary = "measure how many times faster than real time this machine runs a scenario",
    .usage = "bench [SCENARIO] [--repeat N] [--set PATH=VALUE]... [--runs N] [--device D] [--vary PATH=LOW:HIGH] "
             "[--time S] [-j N] "
             "[--json]",
    .details =
        "Runs a scenario (default: speed, a rocker-bogie rover on 200 m x 200 m of rough ground with rocks) with all\n"
        "recordings, several times, and prints simulated over wall seconds of the fastest run, and simulated over\n"
        "processor seconds of all its threads: what one core alone would reach. All runs must end in the same state.\n"
        "make bench measures the parts, against MuJoCo.\n"
        "With --runs or --device it measures batches instead: steps a second of N runs at once, of a tenth of them "
        "and\n"
        "so on, on the device and on the processors, and how many of the first 256 runs end with other bits.",
    .example = "  grouser bench\n"
               "  grouser bench crossing --json\n"
               "  grouser bench turn --runs 10000 --device cuda --vary soil:phi=28:36",
    .run = run,
    .arguments = "@scenarios",
};
