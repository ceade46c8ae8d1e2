/// grouser ros2 in a build without Cyclone DDS.
#include "command.h"
#include "help.h"
#include "options.h"
#include "report.h"

static int run(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) { // the options of a build with DDS are no mistake here
        if (gr_help_form(argv[i]) != GR_HELP_NONE) {
            const char *name;
            int exit_code;
            gr_options_parse(&gr_command_ros2, NULL, 0, 1, &argv[i], &name, 0, 1, &exit_code);
            return exit_code;
        }
    }
    gr_report_error("ros2: this build has no DDS; install cyclonedds-dev and cyclonedds-tools (tools/setup build), and "
                    "make build again");
    return GR_EXIT_INPUT;
}

const GrCommand gr_command_ros2 = {
    .name = "ros2",
    .summary = "a node of ROS 2 (not in this build: no Cyclone DDS)",
    .usage = "ros2 SCENARIO",
    .details = "This build has no DDS. Install cyclonedds-dev and cyclonedds-tools and build again.",
    .example = "  grouser ros2 crossing",
    .run = run,
    .arguments = "@scenarios",
};
