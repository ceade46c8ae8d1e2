/// grouser rover: tools for rover files.
#include "group.h"
#include "report.h"
#include "rover_command.h"

static const GrCommand *const PARTS[] = {&gr_rover_from_urdf};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

static int run(int argc, char **argv)
{
    return gr_group_run(&gr_command_rover, PARTS, PART_COUNT, argc, argv);
}

const GrCommand gr_command_rover = {
    .name = "rover",
    .summary = "make rover files from those of other programs",
    .usage = "rover SUBCOMMAND [OPTION]...",
    .details = "Rovers are YAML files, or URDF files with a side file that names wheels and motors.",
    .example = "  grouser rover from-urdf my_rover.urdf\n"
               "  grouser rover from-urdf --help",
    .run = run,
};
