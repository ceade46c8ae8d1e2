/// grouser compare of scenarios, which are run, and of finished runs.
#include "alloc.h"
#include "compare.h"
#include "compared_runs.h"
#include "design.h"
#include "export.h"
#include "grouser/run.h"

#include "law.h"
#include "out_of_memory.h"
#include "report.h"
#include "run_samples.h"
#include "scenario_data.h"
#include "viewer_page.h"

#include <math.h>
#include <string.h>

typedef struct Arguments {
    const char *designs[GR_COMPARED_DESIGNS], *scenario, *uncertainty, *html, *replay, *device;
    int count;
    GrLanePool *pool; ///< of the device
    GrTextList overrides;
    bool json;
} Arguments;

static bool parse(const GrCommand *command, int argc, char **argv, Arguments *a, int *exit_code)
{
    const GrOption options[] = {
        {.name = "scenario",
         .value = "NAME|FILE",
         .text = &a->scenario,
         .help = "what +KEY=VALUE, soil:NAME and law:NAME change"},
        {.name = "set", .value = "PATH=VALUE", .list = &a->overrides, .help = "replace a value in all designs"},
        {.name = "uncertainty",
         .value = "N",
         .text = &a->uncertainty,
         .help = "samples of the soils for bands (default 16; scm and rft: 0)"},
        {.name = "device",
         .value = "DEVICE",
         .text = &a->device,
         .help = "where runs of scenarios advance: cpu, cuda, cuda:1, …; 'grouser list devices'"},
        {.name = "html", .value = "FILE", .text = &a->html, .help = "write a page with overlaid curves"},
        {.name = "replay",
         .value = "FILE",
         .text = &a->replay,
         .help = "of two finished runs: both in 3D as one HTML file"},
        {.name = "json", .flag = &a->json, .help = "print JSON"},
    };
    a->count = gr_options_parse(command, options, (int)(sizeof options / sizeof options[0]), argc, argv, a->designs, 1,
                                GR_COMPARED_DESIGNS, exit_code);
    if (a->count == 1) {
        gr_report_error("compare: one design has nothing to be compared with: give two or more");
        *exit_code = GR_EXIT_INPUT;
    }
    return a->count > 1;
}

// ---- the answer

static void describe(const GrComparedRun *runs, int count, const GrComparison *c, GrPage *page)
{
    char verdict[GR_COMPARED_VERDICT];
    gr_comparison_verdict(c, verdict, sizeof verdict);
    gr_page_begin(page, "Comparison of runs", NULL);
    gr_page_text(page, "%s", verdict);
    if (c->sample_count > 0) {
        gr_page_text(page, "Bands: 5 to 95 %% of %d samples of the soil, the same for all designs on it.",
                     c->sample_count);
    } else {
        gr_page_text(page, "Without bands: these runs have no common samples of the soil.");
    }
    gr_comparison_page(c, page);
    for (int k = 0; k < count; k++) {
        gr_page_fact(page, runs[k].label, "%s", runs[k].outcome);
    }
    page->place = GR_PLACE_PAGE;
    gr_compared_runs_page(runs, count, page);
}

static void print_json(const GrComparedRun *runs, int count, const GrComparison *c)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_comparison_json(c, &json);
    gr_json_integer(&json, "uncertainty_samples", c->sample_count);
    gr_json_begin_array(&json, "designs");
    for (int k = 0; k < count; k++) {
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "design", runs[k].label);
        gr_json_string(&json, "outcome", runs[k].outcome);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static GrStatus say(const Arguments *a, GrComparedRun *runs, GrErrorLog *log)
{
    GrComparison *c = gr_calloc(1, sizeof *c);
    GrPage page = {.failed = c == NULL};
    GrStatus status = GR_OK;
    for (int k = 0; k < a->count; k++) {
        page.failed = page.failed || runs[k].failed;
    }
    if (c != NULL) {
        gr_compared_runs_fill(runs, a->count, c);
        describe(runs, a->count, c, &page);
    }
    if (page.failed) {
        status = gr_out_of_memory(log, NULL);
    } else if (a->json) {
        print_json(runs, a->count, c);
    } else {
        gr_page_print(&page, stdout);
    }
    if (status == GR_OK && a->html != NULL) {
        status = gr_report_page(a->html, &page, a->json, log);
    }
    gr_page_free(&page);
    gr_free(c);
    return status;
}

static void free_runs(GrComparedRun *runs)
{
    for (int k = 0; runs != NULL && k < GR_COMPARED_DESIGNS; k++) {
        gr_compared_run_free(&runs[k]);
    }
    gr_free(runs);
}

// ---- scenarios

typedef struct Watch {
    GrComparedRun *run;
    int wheel_count;
} Watch;

static GrStatus take(void *context, const GrSample *sample, GrErrorLog *log)
{
    const Watch *watch = context;
    (void)log;
    gr_compared_run_add(watch->run, sample, watch->wheel_count);
    return GR_OK;
}

/// A change of a design in the words of scenario files.
static const char *in_scenario(const char *change, char *room, size_t size)
{
    static const char *const words[][2] = {{"law", "soil:law"}, {"model", "soil:law"}, {"mode", "drive.mode"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *value = gr_design_value(change, words[i][0]);
        if (value != NULL) {
            snprintf(room, size, "%s=%s", words[i][1], value);
            return room;
        }
    }
    return change;
}

/// Runs the scenario itself, and its samples. `samples` is −1 where the first design is to say how many.
static GrStatus run_source(const GrScenarioSource *source, const char *given, int *samples, GrComparedRun *out,
                           GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    uint64_t hash;
    GrRunSummary summary = {0};
    GrStatus status = gr_scenario_source_load(source, source->overrides, &scenario, &hash, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        Watch watch = {out, gr_model_wheel_count(world->model)};
        const GrRunHooks hooks = {.context = &watch, .sample = take};
        snprintf(out->soil, sizeof out->soil, "%s", scenario->has_soil ? scenario->soil.name : "");
        if (*samples < 0) {
            const int usual = scenario->has_soil && gr_soil_law_is_fast(scenario->soil.law) ? 16 : 0;
            status = gr_options_samples(given, usual, samples, log);
        }
        *samples = world->soil_count > 0 ? *samples : 0;
        status = status == GR_OK ? gr_lane_pool_run(source->pool, world, &hooks, &summary, log) : status;
        if (status == GR_OK) {
            gr_compared_run_end(out, &summary);
        }
        gr_run_summary_free(&summary);
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    GrRunBands bands;
    if (status == GR_OK && *samples > 0) {
        status = gr_run_samples(source, *samples, &bands, &out->samples, log);
        out->sample_count = status == GR_OK ? *samples : 0;
    }
    return status;
}

static GrStatus run_design(const Arguments *a, const GrDesign *design, int *samples, GrComparedRun *out,
                           GrErrorLog *log)
{
    char rooms[GR_DESIGN_CHANGES][GR_DESIGN_TEXT];
    GrTextList *overrides = gr_malloc(sizeof *overrides);
    if (overrides == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    *overrides = a->overrides;
    GrStatus status = GR_OK;
    for (int i = 0; i < design->change_count && status == GR_OK; i++) {
        status = gr_design_add(overrides, in_scenario(design->changes[i], rooms[i], sizeof rooms[i]), log);
    }
    const GrScenarioSource source = {design->base, NULL, overrides, a->pool};
    out->label = design->label;
    status = status == GR_OK ? run_source(&source, a->uncertainty, samples, out, log) : status;
    gr_free(overrides);
    return status;
}

int gr_compare_scenarios(const GrCommand *command, int argc, char **argv)
{
    Arguments a = {.count = 0};
    int exit_code, samples = -1;
    if (!parse(command, argc, argv, &a, &exit_code)) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrComparedRun *runs = gr_calloc(GR_COMPARED_DESIGNS, sizeof *runs);
    GrDesign *designs = gr_calloc((size_t)a.count, sizeof *designs);
    GrStatus status = runs != NULL && designs != NULL ? GR_OK : gr_out_of_memory(&log, NULL);
    if (status == GR_OK && a.replay != NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--replay"},
                              "takes finished runs: grouser run DESIGN -o DIR, then compare the folders");
    }
    status = status == GR_OK ? gr_designs_read(a.designs, a.count, a.scenario, designs, &log) : status;
    status = status == GR_OK ? gr_lane_pool_open(a.device, GR_SAMPLES_AT_ONCE, &a.pool, &log) : status;
    for (int k = 0; k < a.count && status == GR_OK && runs != NULL; k++) {
        status = run_design(&a, &designs[k], &samples, &runs[k], &log);
    }
    status = status == GR_OK && runs != NULL ? say(&a, runs, &log) : status;
    gr_lane_pool_close(a.pool);
    free_runs(runs);
    gr_free(designs);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

// ---- finished runs

int gr_compare_folders(const GrCommand *command, int argc, char **argv)
{
    Arguments a = {.count = 0};
    int exit_code;
    if (!parse(command, argc, argv, &a, &exit_code)) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrComparedRun *runs = gr_calloc(GR_COMPARED_DESIGNS, sizeof *runs);
    GrStatus status = runs != NULL ? GR_OK : gr_out_of_memory(&log, NULL);
    if (status == GR_OK && (a.overrides.count > 0 || a.uncertainty != NULL || a.scenario != NULL || a.device != NULL)) {
        gr_warning_add(&log, (GrLocation){.field = "--set, --uncertainty, --scenario, --device"},
                       "have no effect: the runs are finished. Compare their scenarios for bands");
    }
    for (int k = 0; k < a.count && status == GR_OK && runs != NULL; k++) {
        runs[k].label = a.designs[k];
        status = gr_compared_run_read(a.designs[k], &runs[k], &log);
    }
    if (status == GR_OK && a.replay != NULL && a.count != 2) {
        status =
            gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--replay"}, "shows two runs, found %d", a.count);
    }
    status = status == GR_OK && runs != NULL ? say(&a, runs, &log) : status;
    if (status == GR_OK && a.replay != NULL) {
        status = gr_viewer_require(&log);
        status = status == GR_OK ? gr_replay_write(a.replay, a.designs, 2, &log) : status;
    }
    free_runs(runs);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

void gr_compare_print_verdict(const char *const folders[2], FILE *file)
{
    GrErrorLog log = {.quiet = true};
    GrComparedRun runs[2] = {{.label = folders[0]}, {.label = folders[1]}};
    GrComparison *c = gr_calloc(1, sizeof *c);
    bool ok = c != NULL;
    for (int k = 0; k < 2 && ok; k++) {
        ok = gr_compared_run_read(folders[k], &runs[k], &log) == GR_OK;
    }
    if (ok) {
        char verdict[GR_COMPARED_VERDICT];
        gr_compared_runs_fill(runs, 2, c);
        gr_comparison_verdict(c, verdict, sizeof verdict);
        fprintf(file, "%s\n", verdict);
    }
    for (int k = 0; k < 2; k++) {
        gr_compared_run_free(&runs[k]);
    }
    gr_free(c);
}
