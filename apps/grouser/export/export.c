/// grouser export: recorded runs in other forms. One row per subcommand; each is defined in the file of its name.
#include "export_command.h"
#include "group.h"

static const GrCommand *const PARTS[] = {&gr_export_replay};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static int run(int argc, char **argv)
{
    return gr_group_run(&gr_command_export, PARTS, PART_COUNT, argc, argv);
}

const GrCommand gr_command_export = {
    .name = "export",
    .summary = "write a recorded run as a 3D replay in one HTML file",
    .usage = "export SUBCOMMAND [OPTION]...",
    .details = "Writes recorded runs in forms that others can use without this program.",
    .example = "  grouser export replay crossing.run -o crossing.html\n"
               "  grouser export replay --help",
    .run = run,
};
