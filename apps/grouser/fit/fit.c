/// grouser fit: parameters from measurements. One row per subcommand; each is defined in the file of its name.
#include "fit_command.h"
#include "group.h"

static const GrCommand *const PARTS[] = {&gr_fit_soil_command, &gr_fit_drive_command, &gr_fit_terra_command,
                                         &gr_fit_trace_command};

static int run(int argc, char **argv)
{
    return gr_group_run(&gr_command_fit, PARTS, (int)(sizeof PARTS / sizeof PARTS[0]), argc, argv);
}

const GrCommand gr_command_fit = {
    .name = "fit",
    .summary = "fit soil parameters and wheel traces to measurements and drives",
    .usage = "fit SUBCOMMAND [OPTION]...",
    .details = "Finds the parameters that fit a model to measurements, and reports the remaining errors.",
    .example =
        "  grouser fit soil --data measured.csv --radius 0.058 --width 0.05 --free k_phi,n0,c,phi,K -o sand.yaml\n"
        "  grouser fit drive --telemetry run.csv --rover curiosity_like --gravity mars -o soil.yaml\n"
        "  grouser fit trace --data traces.csv -o sand_trace.yaml\n"
        "  grouser fit soil --help",
    .run = run,
};
