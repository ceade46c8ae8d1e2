/// grouser check: reads files and reports everything that is wrong with them.
#include "clock.h"
#include "command.h"
#include "grain_study_yaml.h"
#include "grains_yaml.h"
#include "grouser/model.h"
#include "json.h"
#include "lander_yaml.h"
#include "messages.h"
#include "options.h"
#include "report.h"
#include "scenario_yaml.h"
#include "soil_yaml.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef GR_WITH_CAMPAIGN
#include "subjects.h"
#endif

enum { MAX_FILES = 256 };

/// What a run of a scenario will cost, from its first steps.
typedef struct Cost {
    double memory, resident; ///< at most, and with the world [bytes]
    double time;             ///< to its longest duration [s]
    bool known;
    int rocks, of_rocks; ///< where it was extrapolated: loose rocks of the sample, and all
} Cost;

/// Many loose rocks take minutes to be made: worlds with this many and twice as many, until that takes as long as this
/// [s], show what each rock costs.
static const int FEWEST_ROCKS = 500;
static const double SAMPLING = 1;

/// Memory of recordings and pages, which a check does not make [bytes]: buffers, compression and pages of any run, the
/// pictures and tiles of a terrain, the picture of ruts. As measured for the shipped scenarios: runs took 0.8 to 1.3
/// times the sum (tests/apps/test_check.c).
static double recording_memory(const GrWorld *world)
{
    const bool ruts = gr_data_ruts(gr_mission_data(world->mission)) != NULL;
    return 5e6 + (world->terrain != NULL ? 6e6 : 0) + (ruts ? 2.5e6 : 0);
}

/// Memory in use now [bytes]; 0: unknown.
static double resident_memory(void)
{
    char line[128] = "";
    FILE *file = fopen("/proc/self/statm", "r"); // pages in all, pages in memory, …
    if (file != NULL) {
        line[fread(line, 1, sizeof line - 1, file)] = '\0';
        fclose(file);
    }
    const char *second = strchr(line, ' ');
    return second != NULL ? (double)strtol(second, NULL, 10) * (double)sysconf(_SC_PAGESIZE) : 0;
}

/// Drives for a moment and scales up: rovers that reach their goal earlier, or get stuck, take less. `made`: what it
/// took to make the world [s].
static void find_cost(const GrWorld *world, double made, Cost *cost)
{
    static const double TRIAL = 0.2, PART = 0.05; // [s] of wall time, of simulated time
    const double duration = world->scenario->mission.duration, start = gr_wall_time();
    GrOutcome outcome = GR_OUTCOME_RUNNING;
    double spent = 0;
    for (int k = 1; outcome == GR_OUTCOME_RUNNING && spent < TRIAL && k * PART < duration; k++) {
        outcome = gr_mission_advance(world->mission, k * PART);
        spent = gr_wall_time() - start;
    }
    struct rusage usage;
    const double reached = gr_data_time(gr_mission_data(world->mission));
    if (getrusage(RUSAGE_SELF, &usage) == 0 && reached > 0) {
        const double simulation = 1024.0 * (double)usage.ru_maxrss;
        *cost = (Cost){.memory = simulation + recording_memory(world),
                       .resident = resident_memory(),
                       .time = made + spent * duration / reached,
                       .known = true};
    }
}

/// Makes the world with at most so many rocks, if any is loose, and finds its cost.
static GrStatus try_world(GrScenario *scenario, int most, Cost *cost, GrErrorLog *log)
{
    GrWorld *world = NULL;
    const double start = gr_wall_time();
    scenario->terrain.rocks_most = most;
    const GrStatus status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        find_cost(world, gr_wall_time() - start, cost);
        cost->rocks = world->rocks.count;
        cost->of_rocks = cost->rocks + world->rocks.left_out;
    }
    gr_world_free(world);
    return status;
}

/// The cost with all rocks from that of two samples: a straight line over the number of rocks.
static void extrapolate(const Cost *smaller, Cost *cost)
{
    const double more = (double)(cost->of_rocks - cost->rocks) / (cost->rocks - smaller->rocks);
    cost->time += more * fmax(cost->time - smaller->time, 0);
    cost->memory += more * fmax(cost->resident - smaller->resident, 0);
}

/// Reads the scenario with its rover, soil and maps, places the rover at its start and drives for a moment.
static GrStatus check_scenario(const char *path, const char *const *overrides, Cost *cost, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    const double start = gr_wall_time();
    GrStatus status = gr_scenario_load(path, overrides, &scenario, log);
    status = status == GR_OK ? try_world(scenario, FEWEST_ROCKS, cost, log) : status;
    Cost smaller = {0};
    for (int most = 2 * FEWEST_ROCKS; status == GR_OK && cost->known && cost->rocks < cost->of_rocks &&
                                      (smaller.rocks == 0 || gr_wall_time() - start < SAMPLING);
         most *= 2) {
        GrErrorLog again = {.quiet = true}; // has the same messages
        smaller = *cost;
        status = try_world(scenario, most, cost, &again);
    }
    if (status == GR_OK && cost->rocks > smaller.rocks && smaller.rocks > 0) {
        extrapolate(&smaller, cost);
    }
    gr_scenario_free(scenario);
    return status;
}

/// Reads the file and checks that a model can be made from it.
static GrStatus check_file(const char *path, const char *const *overrides, Cost *cost, GrErrorLog *log)
{
    if (gr_grains_is_file(path)) { // before soils, which have a density too
        GrGrainDef grains;
        return gr_grains_load(path, &grains, log);
    }
    if (gr_soil_is_file(path)) {
        static GrSoilSources sources;
        GrSoilDef soil;
        const GrStatus status = gr_soil_load(path, overrides, &soil, &sources, log);
        if (status == GR_OK) {
            gr_soil_warn_ignored(&soil, &sources, GR_SOIL_USE_ANY, log);
        }
        return status;
    }
    if (gr_bed_is_file(path)) {
        GrBedDef bed;
        const GrStatus status = gr_bed_load(path, overrides, &bed, log);
        return status == GR_OK ? gr_bin_check(&bed.bin, log) : status;
    }
    if (gr_grain_study_is_file(path)) {
        GrGrainStudyDef study;
        return gr_grain_study_load(path, overrides, &study, log);
    }
    if (gr_lander_is_file(path)) {
        GrLanderDef lander;
        return gr_lander_load(path, &lander, log);
    }
#ifdef GR_WITH_CAMPAIGN
    if (gr_campaign_is_file(path)) {
        return gr_campaign_check_file(path, log);
    }
#endif
    if (gr_scenario_is_file(path)) {
        return check_scenario(path, overrides, cost, log);
    }
    GrRoverDef rover;
    GrStatus status = gr_rover_load(path, overrides, &rover, log);
    if (status == GR_OK) {
        const GrOptions options = gr_default_options();
        GrModel *model = NULL;
        gr_model_create(&rover, &options, &model, log);
        if (rover.wheel_count == 0) {
            gr_warning_add(log, (GrLocation){.file = path, .field = "wheels"},
                           "none: this rover can be shown, but it cannot stand, drive or be tested");
        }
        status = model != NULL ? GR_OK : GR_ERROR_MODEL;
        gr_model_free(model);
    }
    for (int i = 0; i < log->count; i++) { // a model does not know its file
        if (log->items[i].file[0] == '\0') {
            gr_messages_set_place(log, i, (GrLocation){.file = path, .field = log->items[i].field});
        }
    }
    gr_rover_free(&rover);
    return log->error_count > 0 && status == GR_OK ? GR_ERROR_VALUE : status;
}

static void write_message(GrJson *json, const GrError *error)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "severity", gr_severity_name(error->severity));
    gr_json_string(json, "file", error->file);
    gr_json_integer(json, "line", error->line);
    gr_json_integer(json, "column", error->column);
    gr_json_string(json, "field", error->field);
    gr_json_string(json, "text", error->text);
    gr_json_end(json);
}

static void write_file(GrJson *json, const char *path, GrStatus status, const Cost *cost, const GrErrorLog *log)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "file", path);
    gr_json_bool(json, "ok", status == GR_OK);
    gr_json_integer(json, "errors", log->error_count);
    gr_json_integer(json, "warnings", log->warning_count);
    if (cost->known) {
        gr_json_number(json, "expected_memory_MB", 1e-6 * cost->memory);
        gr_json_number(json, "expected_time_s", cost->time);
        if (cost->of_rocks > cost->rocks) {
            gr_json_integer(json, "rocks", cost->of_rocks);
            gr_json_integer(json, "rocks_tried", cost->rocks);
        }
    }
    gr_json_begin_array(json, "messages");
    for (int i = 0; i < log->count; i++) {
        write_message(json, gr_messages_at(log, i));
    }
    gr_json_end(json);
    gr_json_end(json);
}

static void print_file(const char *path, GrStatus status, const Cost *cost, const GrErrorLog *log)
{
    gr_report_log(log);
    if (status == GR_OK && log->warning_count == 0) {
        printf("%s: ok\n", path);
    } else if (status == GR_OK) {
        printf("%s: ok, with %d warning%s\n", path, log->warning_count, log->warning_count == 1 ? "" : "s");
    } else {
        printf("%s: %d error%s\n", path, log->error_count, log->error_count == 1 ? "" : "s");
    }
    if (status == GR_OK && cost->known) {
        printf("%s: a run takes about %.2g s without recording, and %.0f MB of memory\n", path, cost->time,
               1e-6 * cost->memory);
        if (cost->of_rocks > cost->rocks) {
            printf(
                "%s: this is extrapolated to all %d rocks, which are loose or beside loose ones, from the %d nearest "
                "to the start\n",
                path, cost->of_rocks, cost->rocks);
        }
    }
    fflush(stdout); // keeps the order with messages on stderr
}

static int run(int argc, char **argv)
{
    bool json = false;
    GrTextList overrides = {0};
    const GrOption options[] = {
        {.name = "set",
         .value = "PATH=VALUE",
         .list = &overrides,
         .help = "replace a value of the file; may be repeated"},
        {.name = "json", .flag = &json, .help = "print the messages as JSON"},
    };
    const char *files[MAX_FILES];
    int exit_code;
    const int count = gr_options_parse(&gr_command_check, options, 2, argc, argv, files, 1, MAX_FILES, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrJson out = gr_json_to_file(stdout, true);
    if (json) {
        gr_json_begin_object(&out, NULL);
        gr_json_begin_array(&out, "files");
    }
    exit_code = GR_EXIT_OK;
    for (int i = 0; i < count; i++) {
        GrErrorLog log = {0};
        Cost cost = {0};
        const GrStatus status = check_file(files[i], overrides.items, &cost, &log);
        exit_code = status != GR_OK ? GR_EXIT_INPUT : exit_code;
        if (json) {
            write_file(&out, files[i], status, &cost, &log);
        } else {
            print_file(files[i], status, &cost, &log);
        }
    }
    if (json) {
        gr_json_end(&out);
        gr_json_end(&out);
        gr_json_finish(&out); // main() checks stdout
    }
    return exit_code;
}

const GrCommand gr_command_check = {
    .name = "check",
    .summary = "check files and report everything that is wrong with them",
    .usage = "check FILE... [--set PATH=VALUE]... [--json]",
    .details =
        "Reads files of rovers (.yaml, .urdf), soils, landers, grains, beds, scenarios and campaigns (.yaml), checks "
        "that they make "
        "a\nmodel, and prints every error and warning with its file, line and column. Of a scenario it drives the "
        "first "
        "moments,\nand says how long a run takes and how much memory. Exits with 2 when there is an error.",
    .example = "  grouser check my_rover.yaml other.urdf my_soil.yaml",
    .run = run,
    .arguments = "@scenarios",
};
