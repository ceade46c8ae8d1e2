#include "export.h"

#include "command.h"
#include "file.h"
#include "fmu_package.h"
#include "grouser/status.h"
#include "options.h"
#include "report.h"
#include "viewer_page.h"

#include <stdio.h>
#include <string.h>

static const GrCommand export_fmu, export_playground, export_replay;

/// A part that this build lacks is a failure, and no wrong input.
static int export_exit_code(GrStatus status)
{
    return status == GR_ERROR_UNSUPPORTED ? GR_EXIT_FAILURE : gr_report_exit_code(status);
}

// ---- replays as HTML files

GrStatus gr_replay_write(const char *path, const char *const *runs, int count, GrErrorLog *log)
{
    GrBuffer page = {0};
    GrStatus status = gr_replay_page(runs, count, &page, log);
    if (status == GR_OK) {
        status = gr_file_write(path, page.data, page.size, log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: open it in a browser\n", path, 1e-6 * (double)page.size);
    }
    gr_buffer_free(&page);
    return status;
}

// ---- export fmu: a scenario as a functional mock-up unit (FMI), for other simulators

/// Name of the archive of a scenario: crossing.fmu.
static void default_output(const char *scenario, char out[GR_FILE_PATH_SIZE])
{
    const char *slash = strrchr(scenario, '/'), *name = slash != NULL ? slash + 1 : scenario;
    snprintf(out, GR_FILE_PATH_SIZE, "%.*s.fmu", (int)strcspn(name, "."), name);
}

static int run_fmu(int argc, char **argv)
{
    const char *output = NULL, *scenario = NULL, *fmi = "2";
    GrTextList sets = {0};
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "archive (default SCENARIO.fmu)"},
        {.name = "fmi", .value = "VERSION", .text = &fmi, .help = "version of the standard: 2 or 3 (default 2)"},
        {.name = "set", .value = "KEY=VALUE", .list = &sets, .help = "change the scenario, as for grouser run"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_fmu, options, 3, argc, argv, &scenario, 1, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    const bool known =
        strcmp(fmi, "2") == 0 || strcmp(fmi, "2.0") == 0 || strcmp(fmi, "3") == 0 || strcmp(fmi, "3.0") == 0;
    if (!known) {
        gr_report_error("export fmu: --fmi: found '%s', allowed: 2 or 3", fmi);
        return GR_EXIT_INPUT;
    }
    char path[GR_FILE_PATH_SIZE];
    default_output(scenario, path);
    output = output != NULL ? output : path;
    const GrFmuPackageDef def = {.scenario = scenario, .overrides = sets.items, .version = fmi[0] - '0'};
    GrErrorLog log = {0};
    GrBuffer archive = {0};
    GrFmuPackageInfo info;
    GrStatus status = gr_fmu_package(&def, &archive, &info, &log);
    if (status == GR_OK) {
        status = gr_file_write(output, archive.data, archive.size, &log);
    }
    gr_report_log(&log);
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: FMI %d.0 for co-simulation, %d variables, %s\n", output,
                1e-6 * (double)archive.size, def.version, info.variables, info.platforms);
    }
    gr_buffer_free(&archive);
    return export_exit_code(status);
}

static const GrCommand export_fmu = {
    .name = "export fmu",
    .summary = "a scenario as a functional mock-up unit (FMI 2.0 or 3.0) for other simulators",
    .usage = "export fmu SCENARIO [-o FILE] [--fmi 2|3] [--set KEY=VALUE]...",
    .details =
        "Writes one .fmu archive for co-simulation: description, binaries, and the scenario with its rover, soils\n"
        "and maps. Any importer of FMI can step the rover, command its drive or its wheels, push it, and change\n"
        "gravity and soil; it reads pose, speeds, loads, slip, sinkage, torques, power. A run through the unit\n"
        "has the bits of grouser run. make fmu builds the binaries, which need nothing but the C library.",
    .example = "  grouser export fmu crossing -o crossing.fmu\n"
               "  grouser export fmu crossing --fmi 3 --set soil:phi=30",
    .run = run_fmu,
    .arguments = "@scenarios",
};

// ---- export playground: the simulator inside one HTML file

static int run_playground(int argc, char **argv)
{
    const char *output = "playground.html", *scenario = "crossing";
    const GrOption options[] = {
        {.name = "output",
         .letter = 'o',
         .value = "FILE",
         .text = &output,
         .help = "HTML file (default playground.html)"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_playground, options, 1, argc, argv, &scenario, 0, 1, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrBuffer page = {0};
    GrStatus status = gr_playground_page(scenario, &page, &log);
    if (status == GR_OK) {
        status = gr_file_write(output, page.data, page.size, &log);
    }
    if (status == GR_OK) {
        fprintf(stderr, "wrote %s, %.1f MB: open it in a browser\n", output, 1e-6 * (double)page.size);
    }
    gr_buffer_free(&page);
    gr_report_log(&log);
    return export_exit_code(status);
}

static const GrCommand export_playground = {
    .name = "export playground",
    .summary = "the simulator itself as an HTML file: drive a rover in a browser",
    .usage = "export playground [SCENARIO] [-o FILE]",
    .details = "Writes one HTML file with the simulator (WebAssembly), the viewer and the shipped rovers, soils and\n"
               "scenarios. Whoever opens it can drive the rover, change soil and gravity and watch slip and sinkage,\n"
               "with nothing installed. SCENARIO is a shipped one (default crossing). make playground builds the\n"
               "part that it needs.",
    .example = "  grouser export playground -o playground.html\n"
               "  grouser export playground mixed_soils",
    .run = run_playground,
    .arguments = "@scenarios",
};

// ---- export replay: recorded runs as one HTML file that opens in any browser

enum { RUNS_MAX = 2 };

static int run_replay(int argc, char **argv)
{
    const char *output = NULL, *runs[RUNS_MAX];
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "HTML file (default replay.html)"},
    };
    int exit_code;
    const int count = gr_options_parse(&export_replay, options, 1, argc, argv, runs, 1, RUNS_MAX, &exit_code);
    if (count < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    const GrStatus status = gr_replay_write(output != NULL ? output : "replay.html", runs, count, &log);
    gr_report_log(&log);
    return export_exit_code(status);
}

static const GrCommand export_replay = {
    .name = "export replay",
    .summary = "one or two recorded runs as an HTML file that opens by double click",
    .usage = "export replay RUN_DIR [RUN_DIR] [-o FILE]",
    .details = "Writes one self-contained HTML file with a 3D view of the run: ground, rocks, ruts, rover, wheel\n"
               "forces, plots of every recorded channel. It needs no server, no network and no installation. Two\n"
               "runs are shown side by side or one as a ghost of the other.",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export replay before.run after.run -o compare.html",
    .run = run_replay,
};

// ---- the command

static const GrCommand *const PARTS[] = {&export_replay, &export_playground, &export_fmu};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static int run(int argc, char **argv)
{
    return gr_group_run(&gr_command_export, PARTS, PART_COUNT, argc, argv);
}

const GrCommand gr_command_export = {
    .name = "export",
    .summary = "write a recorded run as an HTML file, the simulator as a page, or a scenario for others",
    .usage = "export SUBCOMMAND [OPTION]...",
    .details = "Writes what others can use without this program: recorded runs, the simulator in a web page, and\n"
               "functional mock-up units (FMI).",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export fmu crossing -o crossing.fmu\n"
               "  grouser export replay --help",
    .run = run,
};
