/// grouser compare: designs under the same conditions, and which of them is better.
#include "compare.h"

#include "command.h"
#include "design.h"
#include "file.h"
#include "find.h"
#include "report.h"
#include "scenario_yaml.h"
#include "trial_case.h"

#include <stdio.h>
#include <string.h>

/// What the designs of a command line are.
typedef enum Kind { ROVERS, SCENARIOS, FOLDERS, WHEELS } Kind; // as in run()

static bool is_folder_of_run(const char *text)
{
    char path[GR_FILE_PATH_SIZE];
    return snprintf(path, sizeof path, "%s/summary.json", text) < (int)sizeof path && gr_file_exists(path);
}

static bool is_scenario(const char *text)
{
    char path[GR_FILE_PATH_SIZE];
    GrErrorLog log = {.quiet = true};
    return gr_find_file("scenarios", "scenario", text, path, &log) == GR_OK && gr_scenario_is_file(path);
}

/// Whether an option or its value stands at argv[i]; its value in `value`.
static bool takes(int argc, char **argv, int i, const char *name, const char **value)
{
    const size_t length = strlen(name);
    if (strncmp(argv[i], "--", 2) != 0 || strncmp(argv[i] + 2, name, length) != 0) {
        return false;
    }
    if (argv[i][2 + length] == '=') {
        *value = argv[i] + 3 + length;
        return true;
    }
    *value = i + 1 < argc ? argv[i + 1] : "";
    return argv[i][2 + length] == '\0';
}

/// The kind of the designs, from the first argument that tells; the options that follow depend on it.
static Kind find_kind(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *value;
        GrDesign design;
        GrErrorLog log = {.quiet = true};
        if (strncmp(argv[i], "wheel:", 6) == 0) {
            return WHEELS;
        }
        if (takes(argc, argv, i, "scenario", &value)) {
            return SCENARIOS;
        }
        if (takes(argc, argv, i, "rover", &value) || takes(argc, argv, i, "test", &value)) {
            return ROVERS; // tests and scenarios share names
        }
        if (argv[i][0] == '-' || gr_design_read(argv[i], &design, &log) != GR_OK || design.base[0] == '\0') {
            continue;
        }
        if (is_folder_of_run(argv[i])) {
            return FOLDERS;
        }
        if (is_scenario(design.base)) {
            return SCENARIOS;
        }
    }
    return ROVERS;
}

static int compare_rovers(const GrCommand *command, int argc, char **argv)
{
    const char *test = "mobility", *rover = NULL, *of_runs = NULL;
    const GrOption own[] = {
        {.name = "rover",
         .value = "NAME|FILE",
         .text = &rover,
         .help = "what +KEY=VALUE, soil:NAME and law:NAME change"},
        {.name = "scenario", .value = "NAME|FILE", .text = &of_runs, .help = "the same, of scenarios"},
        {.name = "replay",
         .value = "FILE",
         .text = &of_runs,
         .help = "of two finished runs: both in 3D as one HTML file"},
        {.name = "test", .value = "NAME", .text = &test, .help = "standard test to run (default mobility)"},
    };
    const GrTrialFace face = {command, own, sizeof own / sizeof own[0]};
    for (int i = 0; i < argc; i++) { // its options depend on the test
        takes(argc, argv, i, "test", &test);
    }
    const GrTrialKind *kind = gr_trial_find(test);
    GrTrialLine line;
    int exit_code = GR_EXIT_INPUT;
    if (kind == NULL || !gr_trial_parse(kind, &face, argc, argv, &line, &exit_code)) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrStatus status;
    if (of_runs != NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--replay"}, "takes two finished runs");
    } else if (line.rover_count < 2 && strchr(line.common.gravity, ',') == NULL &&
               (line.common.soil == NULL || strchr(line.common.soil, ',') == NULL) &&
               (line.common.model == NULL || strchr(line.common.model, ',') == NULL)) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
                              "one design has nothing to be compared with: give two or more");
    } else {
        status = gr_trial_line_run(&line, rover, &log);
    }
    gr_report_log(&log);
    return status == GR_OK ? GR_EXIT_OK : gr_report_exit_code(status);
}

static int run(int argc, char **argv)
{
    static int (*const kinds[])(const GrCommand *, int, char **) = {compare_rovers, gr_compare_scenarios,
                                                                    gr_compare_folders, gr_compare_wheels};
    return kinds[find_kind(argc, argv)](&gr_command_compare, argc, argv);
}

const GrCommand gr_command_compare = {
    .name = "compare",
    .summary = "which is better: rovers, wheels, soils, laws, masses, drive modes, paths, finished runs",
    .usage = "compare DESIGN DESIGN... [--rover ROVER|--scenario SCENARIO] [OPTION]... [--html FILE] [--json]",
    .details =
        "Runs the same test or scenario for all designs, on the same samples of the soil, and says which is better, "
        "by\n"
        "how much and how sure that is. A DESIGN is a rover, a scenario or the folder of a finished run, with "
        "changes:\n"
        "NAME+KEY=VALUE as for --set, +soil=NAME, +law=NAME, +gravity=NAME; a design that begins with + changes what\n"
        "the first one starts from, and soil:NAME and law:NAME are short for that.\n"
        "Rovers take the test mobility, or --test NAME with its options; scenarios are run; wheels, as\n"
        "wheel:radius=0.09+width=0.11, roll in the single-wheel rig with the options of grouser wheel.",
    .example = "  grouser compare curiosity_like mer_like --gravity mars\n"
               "  grouser compare soil:mars_sand soil:mars_drift --rover mer_like --gravity mars\n"
               "  grouser compare mer_like +params.total_mass=190 +law=bekker --gravity mars --html which.html\n"
               "  grouser compare crossing +rover=mer_like --html which.html\n"
               "  grouser compare wheel:radius=0.09 wheel:radius=0.12 --width 0.11 --load 65 --soil mars_sand\n"
               "  grouser compare a.run b.run --json",
    .run = run,
    .arguments = "@rovers",
};
