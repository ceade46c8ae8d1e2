/// grouser run: runs a scenario.
#include "grouser/run.h"

#include "command.h"
#include "export.h"
#include "options.h"
#include "report.h"
#include "run_print.h"
#include "run_samples.h"
#include "run_summary.h"
#include "scenario_data.h"
#include "viewer_page.h"

#include "file.h"

#include <math.h>
#include <stdio.h>

typedef struct RunArguments {
    GrTextList overrides;
    const char *directory, *replay, *video, *picture, *from, *uncertainty, *device;
    bool json, convergence, reference, ruts;
    double reference_step;  ///< [ms]
    double check_limit;     ///< [%]; INFINITY: none
    uint64_t expected_hash; ///< of the end state, from a study; 0: unknown
    GrScenarioSource source;
    int samples; ///< of the soil; 0: none
} RunArguments;

static GrStatus check_convergence(const GrScenario *scenario, const GrRunSummary *summary, GrHalfStep *half,
                                  GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin("half the step");
    const GrRunHooks hooks = {.context = &progress, .progress = gr_progress_update};
    const GrStatus status = gr_run_convergence(scenario, summary, &hooks, half, log);
    gr_progress_end(&progress);
    return status;
}

static GrStatus check_reference(const GrScenario *scenario, double step, GrReference *reference, GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin("reference");
    const GrRunHooks hooks = {.context = &progress, .progress = gr_progress_update};
    const GrStatus status = gr_run_reference(scenario, step, &hooks, reference, log);
    gr_progress_end(&progress);
    return status;
}

/// Repeats the run for the requested checks, and adds their results to summary.json.
static GrStatus check(const GrRunHead *head, const GrScenario *scenario, const GrRunSummary *summary,
                      const RunArguments *a, const char *directory, GrRunChecks *checks, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrStatus status = GR_OK;
    if (a->convergence) {
        status = check_convergence(scenario, summary, &checks->convergence, log);
    }
    if (status == GR_OK && a->reference) {
        status = check_reference(scenario, 1e-3 * a->reference_step, &checks->reference, log);
    }
    if (status == GR_OK && (a->convergence || a->reference)) {
        snprintf(path, sizeof path, "%s/summary.json", directory);
        status = gr_run_summary_save(head, summary, path, log);
    }
    return status;
}

static GrStatus sample_soils(const GrWorld *world, const RunArguments *a, GrRunBands *bands, GrErrorLog *log)
{
    if (world->soil_count == 0) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--uncertainty"},
                            "the scenario has no soil to sample");
    }
    return gr_run_samples(&a->source, a->samples, bands, NULL, log);
}

/// Opens the device, if that is a GPU, and tries the run there.
static GrStatus open_device(const GrWorld *world, RunArguments *a, GrErrorLog *log)
{
    const GrStatus status = gr_lane_pool_open(a->device, GR_SAMPLES_AT_ONCE, &a->source.pool, log);
    if (status == GR_OK && a->source.pool != NULL && world->scenario->rover.sensor_count > 0 &&
        world->scenario->record_sensors) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "--device"},
                            "a GPU does not offer sensors; 'record: {sensors: false}' leaves them out");
    }
    return status == GR_OK ? gr_lane_pool_try(a->source.pool, world->mission, log) : status;
}

/// `passed` is false when a check is beyond its limit, `interrupted` true when the user stopped the run.
static GrStatus simulate(const GrScenario *scenario, RunArguments *a, bool *passed, bool *interrupted, GrErrorLog *log)
{
    GrWorld *world = NULL;
    GrRunSummary summary = {0};
    GrRunChecks checks = {
        .has_convergence = a->convergence, .has_reference = a->reference, .limit = 0.01 * a->check_limit};
    char directory[GR_NAME_SIZE + 8];
    snprintf(directory, sizeof directory, "%s.run", scenario->name);
    const char *into = a->directory != NULL ? a->directory : directory;
    int lock = -1;
    GrRunBands bands = {0};
    GrStatus status = gr_world_create(scenario, &world, log);
    if (status != GR_OK) {
        return status;
    }
    status = open_device(world, a, log);
    const GrRecordedRun def = {.directory = into,
                               .picture = a->picture,
                               .replay_page = true,
                               .bands = a->samples > 0 ? &bands : NULL,
                               .pool = a->source.pool,
                               .lock = &lock};
    if (status == GR_OK && a->ruts && gr_data_ruts(gr_mission_data(world->mission)) == NULL) {
        status = gr_run_write_ruts(world, into, log); // fails with a message before anything is run
    }
    if (status == GR_OK && a->samples > 0) { // before the run, so that its report has them
        status = sample_soils(world, a, &bands, log);
    }
    if (status == GR_OK) {
        status = gr_run_job(world, def, &summary, log);
    }
    if (status == GR_OK && a->ruts) {
        status = gr_run_write_ruts(world, into, log);
    }
    GrTrust trust;
    gr_run_trust(world, &trust);
    const GrRunHead head = {scenario->name, scenario->title,   world->model, &trust,
                            def.bands,      gr_run_checks_put, &checks};
    const bool whole = summary.outcome != GR_OUTCOME_INTERRUPTED;
    if (status == GR_OK && whole) {
        status = check(&head, scenario, &summary, a, into, &checks, log);
    }
    if (status == GR_OK && a->json) {
        gr_run_summary_print(&head, &summary, stdout); // main() checks stdout
    }
    if (status == GR_OK) {
        gr_run_print(world, &summary, def.bands, &checks, a->json ? stderr : stdout);
        fprintf(a->json ? stderr : stdout, "\ntrust: %s\n\n", trust.line);
        gr_run_print_files(into, a->json ? stderr : stdout);
    }
    if (status == GR_OK && a->replay != NULL) {
        status = gr_replay_write(a->replay, &into, 1, log);
    }
    if (status == GR_OK && a->video != NULL) {
        status = gr_video_write(a->video, into, log);
    }
    if (status == GR_OK && whole && a->expected_hash != 0 && summary.state_hash != a->expected_hash) {
        gr_warning_add(log, (GrLocation){.field = "--from"},
                       "the end state differs from that of the study: another processor or other input files");
    }
    *passed = !whole || gr_run_checks_pass(&checks);
    *interrupted = !whole;
    gr_folder_unlock(lock);
    gr_run_summary_free(&summary);
    gr_lane_pool_close(a->source.pool);
    gr_world_free(world);
    return status;
}

/// Checks numbers of options; prints what is wrong.
static bool is_allowed(const RunArguments *a)
{
    if (!(a->reference_step >= 0.01 && a->reference_step <= 100)) {
        gr_report_error("run: --reference-step: found %g, allowed: 0.01 to 100 ms", a->reference_step);
        return false;
    }
    if (!(a->check_limit > 0)) {
        gr_report_error("run: --check-limit: found %g, allowed: more than 0 %%", a->check_limit);
        return false;
    }
    if (!isinf(a->check_limit) && !a->convergence && !a->reference) {
        gr_report_error("run: --check-limit needs --check-convergence or --check-reference");
        return false;
    }
    return true;
}

/// A scenario, or a row of a study.
static bool is_one_source(const RunArguments *a, const char *scenario)
{
    if (a->from == NULL && scenario == NULL) {
        gr_report_error("run: SCENARIO is missing; grouser run --help explains it");
    } else if (a->from != NULL && scenario != NULL) {
        gr_report_error("run: either SCENARIO or --from, not both");
    }
    return (a->from != NULL) != (scenario != NULL);
}

/// Loads the scenario, or the row of a study, runs it and reports; returns the exit code.
static int run_scenario(RunArguments *a, const char *name)
{
    bool passed = true, interrupted = false;
    uint64_t hash = 0;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    if (a->replay != NULL && gr_viewer_require(&log) != GR_OK) {
        gr_report_log(&log);
        return GR_EXIT_FAILURE;
    }
    a->source = (GrScenarioSource){name, a->from, &a->overrides, NULL};
    GrStatus status = gr_options_samples(a->uncertainty, 0, &a->samples, &log);
    status = status == GR_OK ? gr_scenario_source_load(&a->source, &a->overrides, &scenario, &hash, &log) : status;
    if (status == GR_OK) {
        a->expected_hash = hash;
        status = simulate(scenario, a, &passed, &interrupted, &log);
        gr_scenario_free(scenario);
    }
    gr_report_log(&log);
    if (status == GR_OK && !passed) {
        gr_report_error("run: a check is beyond its limit of %g %%", a->check_limit);
    }
    if (status == GR_OK && interrupted) {
        gr_report_error("run: interrupted; the files contain the run so far");
    }
    return status != GR_OK ? gr_report_exit_code(status) : passed && !interrupted ? GR_EXIT_OK : GR_EXIT_FAILURE;
}

static int run(int argc, char **argv)
{
    RunArguments a = {.reference_step = 1, .check_limit = (double)INFINITY};
    const GrOption options[] = {
        {.name = "out",
         .letter = 'o',
         .value = "DIR",
         .text = &a.directory,
         .help = "where to write (default NAME.run)"},
        {.name = "set",
         .value = "PATH=VALUE",
         .list = &a.overrides,
         .help = "replace a value; rover:PATH=VALUE and soil:NAME=VALUE reach into those files"},
        {.name = "from",
         .value = "STUDY:ID",
         .text = &a.from,
         .help = "instead of SCENARIO: a run of a campaign by its row, such as slope.db:17"},
        {.name = "ruts",
         .flag = &a.ruts,
         .help = "also write the ruts as GeoTIFF: ground.tif with them, ruts.tif of them alone"},
        {.name = "replay",
         .value = "FILE",
         .text = &a.replay,
         .help = "also write a copy of replay.html elsewhere: a 3D replay as one file for any browser"},
        {.name = "video",
         .value = "FILE",
         .text = &a.video,
         .help = "also write a video of the replay (.webm), by Chromium; grouser export video has options"},
        {.name = "picture",
         .value = "FILE",
         .text = &a.picture,
         .help = "also write a picture of the rover at the end as text: in 24-bit colours, or in ASCII where NO_COLOR "
                 "is set"},
        {.name = "uncertainty",
         .value = "N",
         .text = &a.uncertainty,
         .help = "also run N samples of the soils, without recording, and report bands of 90 % (default 0: none)"},
        {.name = "device",
         .value = "DEVICE",
         .text = &a.device,
         .help = "where the run and its samples advance: cpu, cuda, cuda:1, …; 'grouser list devices'"},
        {.name = "check-convergence",
         .flag = &a.convergence,
         .help = "repeat with half the step and report what changes"},
        {.name = "check-reference",
         .flag = &a.reference,
         .help = "repeat with the reference integrator (CVODE) and report the differences"},
        {.name = "reference-step",
         .value = "MS",
         .number = &a.reference_step,
         .help = "step of the reference; impacts need less (default 1)"},
        {.name = "check-limit",
         .value = "PERCENT",
         .number = &a.check_limit,
         .help = "exit with 1 when a check finds a larger change or another outcome (default: none)"},
        {.name = "json", .flag = &a.json, .help = "print the summary as JSON, with what was checked"},
    };
    const char *arguments[1] = {NULL};
    int exit_code;
    if (gr_options_parse(&gr_command_run, options, (int)(sizeof options / sizeof options[0]), argc, argv, arguments, 0,
                         1, &exit_code) < 0) {
        return exit_code;
    }
    if (!is_allowed(&a) || !is_one_source(&a, arguments[0])) {
        return GR_EXIT_INPUT;
    }
    return run_scenario(&a, arguments[0]);
}

const GrCommand gr_command_run = {
    .name = "run",
    .summary = "simulate a scenario: a rover drives over its terrain",
    .usage = "run SCENARIO|--from STUDY:ID [-o DIR] [--set PATH=VALUE]... [--replay FILE] [--video FILE] [--ruts] "
             "[--uncertainty N] [--device D] "
             "[--check-convergence] "
             "[--check-reference] [--json]",
    .details =
        "Runs a scenario (a shipped one by its name, or a file) to its end and writes run.csv, run.mcap,\nreplay.bin, "
        "summary.json, report.html and replay.html (the report's plots link to this 3D replay) into\nDIR, and ruts.bin "
        "where wheels leave ruts (terrain export --ruts). How the run ended\n"
        "(finished, reached_goal, stuck, tipped, ...) is part of the summary; only a scenario\nthat cannot be run is "
        "an error. Ctrl-C stops the run and writes the results so far (interrupted).\nThe exit code is 0, 2 when the "
        "input is wrong, and 1 when the run failed or was interrupted, or when a\ncheck is beyond --check-limit.",
    .example = "  grouser run crossing\n"
               "  grouser run crossing -o steep --set gravity=moon --set soil:phi=30 --check-convergence\n"
               "  grouser run crossing --check-convergence --check-limit 1 --json\n"
               "  grouser run gradeability --check-reference --set \"step={pace: fixed, step_ms: 5}\"\n"
               "  grouser run crossing --set ruts=scm --ruts\n"
               "  grouser run crossing --replay crossing.html\n"
               "  grouser run step --video step.webm\n"
               "  grouser run gradeability --uncertainty 32\n"
               "  grouser run my_scenario.yaml --json",
    .run = run,
    .arguments = "@scenarios",
};
