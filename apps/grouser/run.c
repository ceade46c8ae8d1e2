/// grouser run: a scenario in, a mission out.
#include "grouser/run.h"
#include "command.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "run_print.h"
#include "run_record.h"
#include "run_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct RunArguments {
    GrTextList overrides;
    const char *directory;
    bool json, convergence;
} RunArguments;

/// What the hooks of a run need.
typedef struct Watch {
    GrProgress progress;
    GrRecord *record;
    GrBox2 box; ///< of the track [m]
} Watch;

static void show_progress(void *context, double time, double duration)
{
    Watch *watch = context;
    gr_progress_update(&watch->progress, time, duration);
}

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    Watch *watch = context;
    const GrVec3 at = sample->pose.position;
    watch->box = (GrBox2){fmin(watch->box.x_lower, at.x), fmin(watch->box.y_lower, at.y),
                          fmax(watch->box.x_upper, at.x), fmax(watch->box.y_upper, at.y)};
    return gr_record_add(watch->record, sample, log);
}

/// Rocks near the middle of their height over the ground, as the record draws them.
static GrRecordRock *list_rocks(const GrWorld *world)
{
    GrRecordRock *rocks = calloc((size_t)world->rocks.count + 1, sizeof *rocks);
    for (int i = 0; rocks != NULL && i < world->rocks.count; i++) {
        const GrRock *rock = &world->rocks.rocks[i];
        double z = 0;
        if (world->terrain != NULL && gr_terrain_height(world->terrain, rock->x, rock->y, &z) != GR_GROUND_OK) {
            z = 0;
        }
        const double half = rock->diameter / 2;
        rocks[i] = (GrRecordRock){{{rock->x, rock->y, z}, {cos(rock->yaw / 2), 0, 0, sin(rock->yaw / 2)}},
                                  {half, half, rock->height}};
    }
    return rocks;
}

/// The map of the report shows the ground along the whole track, as far as memory allows.
static void show_track(const GrWorld *world, GrBox2 box)
{
    GrErrorLog quiet = {0};
    if (world->terrain != NULL && box.x_lower <= box.x_upper) {
        const double margin = 5 + 0.1 * fmax(box.x_upper - box.x_lower, box.y_upper - box.y_lower);
        box = (GrBox2){box.x_lower - margin, box.y_lower - margin, box.x_upper + margin, box.y_upper + margin};
        gr_terrain_prefetch(world->terrain, box, &quiet); // what does not fit stays blank
    }
}

static GrStatus check_convergence(const GrScenario *scenario, const GrRunSummary *summary, GrConvergence *rows,
                                  GrErrorLog *log)
{
    Watch watch = {.progress = gr_progress_begin("half the step")};
    const GrRunHooks hooks = {.context = &watch, .progress = show_progress};
    const GrStatus status = gr_run_convergence(scenario, summary, &hooks, rows, log);
    gr_progress_end(&watch.progress);
    return status;
}

/// Runs the world with everything recorded in the directory.
static GrStatus run_recorded(GrWorld *world, const char *directory, GrRunSummary *summary, GrErrorLog *log)
{
    const GrScenario *s = world->scenario;
    GrRecordRock *rocks = list_rocks(world);
    const char *const soils[] = {s->soil.name};
    const GrRecordDef def = {
        .directory = directory,
        .name = s->name,
        .title = s->title,
        .input = s->input,
        .rover = &s->rover,
        .model = world->model,
        .terrain = world->terrain,
        .path = s->path,
        .path_count = s->mission.control.path_count,
        .rocks = rocks,
        .rock_count = rocks != NULL ? world->rocks.count : 0,
        .soil_names = soils,
        .soil_count = s->has_soil ? 1 : 0,
        .csv = true,
        .mcap = true,
        .report = true,
    };
    Watch watch = {.box = {INFINITY, INFINITY, -INFINITY, -INFINITY}};
    watch.record = gr_record_open(&def, log);
    GrStatus status = watch.record != NULL ? GR_OK : GR_ERROR_FILE;
    if (status == GR_OK) {
        watch.progress = gr_progress_begin(s->name);
        const GrRunHooks hooks = {.context = &watch, .progress = show_progress, .sample = take_sample};
        status = gr_run(world, &hooks, summary, log);
        gr_progress_end(&watch.progress);
        show_track(world, watch.box);
        const GrStatus closed = gr_record_close(watch.record, status == GR_OK ? summary : NULL, log);
        status = status == GR_OK ? closed : status;
    }
    free(rocks);
    return status;
}

static GrStatus simulate(const GrScenario *scenario, const RunArguments *a, GrErrorLog *log)
{
    GrWorld world;
    GrRunSummary summary = {0};
    GrConvergence rows[GR_CONVERGENCE_COUNT];
    char directory[GR_NAME_SIZE + 8];
    snprintf(directory, sizeof directory, "%s.run", scenario->name);
    const char *into = a->directory != NULL ? a->directory : directory;
    GrStatus status = gr_world_create(scenario, &world, log);
    if (status != GR_OK) {
        return status;
    }
    status = run_recorded(&world, into, &summary, log);
    if (status == GR_OK && a->convergence) {
        status = check_convergence(scenario, &summary, rows, log);
    }
    if (status == GR_OK && a->json) {
        const GrRunHead head = {scenario->name, scenario->title, world.model};
        gr_run_summary_print(&head, &summary, stdout); // main() looks at stdout
    }
    if (status == GR_OK) {
        gr_run_print(&world, &summary, a->convergence ? rows : NULL, a->json ? stderr : stdout);
        fprintf(a->json ? stderr : stdout, "\nwrote %s/{run.csv, run.mcap, summary.json, report.html}\n", into);
    }
    gr_run_summary_free(&summary);
    gr_world_free(&world);
    return status;
}

static int run(int argc, char **argv)
{
    RunArguments a = {0};
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
        {.name = "check-convergence", .flag = &a.convergence, .help = "repeat with half the step and say what changes"},
        {.name = "json", .flag = &a.json, .help = "print the summary as JSON"},
    };
    const char *arguments[1];
    int exit_code;
    if (gr_options_parse(&gr_command_run, options, (int)(sizeof options / sizeof options[0]), argc, argv, arguments, 1,
                         1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrScenario scenario;
    GrStatus status = gr_scenario_load(arguments[0], a.overrides.items, &scenario, &log);
    if (status == GR_OK) {
        status = simulate(&scenario, &a, &log);
        gr_scenario_free(&scenario);
    }
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

const GrCommand gr_command_run = {
    .name = "run",
    .summary = "simulate a scenario: a rover drives over its terrain",
    .usage = "run SCENARIO [-o DIR] [--set PATH=VALUE]... [--check-convergence] [--json]",
    .details = "Runs a scenario (a shipped one by its name, or a file) to its end and writes run.csv, run.mcap,\n"
               "summary.json and report.html into DIR. How the run ended (finished, reached_goal, stuck, tipped, ...)\n"
               "is part of the summary; only a scenario that cannot be run is an error.",
    .example = "  grouser run crossing\n"
               "  grouser run crossing -o steep --set gravity=moon --set soil:phi=30 --check-convergence\n"
               "  grouser run my_scenario.yaml --json",
    .run = run,
};
