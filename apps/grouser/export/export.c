/// grouser export: recorded runs in other forms. One row per subcommand; each is defined in the file of its name.
#include "export_command.h"
#include "group.h"
#include "report.h"

static const GrCommand *const PARTS[] = {&gr_export_replay, &gr_export_playground, &gr_export_fmu};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

int gr_export_exit_code(GrStatus status)
{
    return status == GR_ERROR_UNSUPPORTED ? GR_EXIT_FAILURE : gr_report_exit_code(status);
}

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
