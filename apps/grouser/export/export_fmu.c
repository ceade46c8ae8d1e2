/// grouser export fmu: a scenario as a functional mock-up unit (FMI), for other simulators.
#include "export_command.h"
#include "file.h"
#include "fmu_package.h"
#include "options.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

/// Name of the archive of a scenario: crossing.fmu.
static void default_output(const char *scenario, char out[GR_FILE_PATH_SIZE])
{
    const char *slash = strrchr(scenario, '/'), *name = slash != NULL ? slash + 1 : scenario;
    snprintf(out, GR_FILE_PATH_SIZE, "%.*s.fmu", (int)strcspn(name, "."), name);
}

static int run(int argc, char **argv)
{
    const char *output = NULL, *scenario = NULL, *fmi = "2";
    GrTextList sets = {0};
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &output, .help = "archive (default SCENARIO.fmu)"},
        {.name = "fmi", .value = "VERSION", .text = &fmi, .help = "version of the standard: 2 or 3 (default 2)"},
        {.name = "set", .value = "KEY=VALUE", .list = &sets, .help = "change the scenario, as for grouser run"},
    };
    int exit_code;
    const int count = gr_options_parse(&gr_export_fmu, options, 3, argc, argv, &scenario, 1, 1, &exit_code);
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
    return gr_export_exit_code(status);
}

const GrCommand gr_export_fmu = {
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
    .run = run,
    .arguments = "@scenarios",
};
