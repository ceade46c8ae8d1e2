/// The table of the subcommands: one row each; each is defined in the file of its name.
#include "command.h"
#include "grouser/hooks.h"
#include "help.h"
#include "parts.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

#ifndef GR_WITH_SERVE
const GrCommand gr_command_view = {.name = "view", .part = "SERVE"};
const GrCommand gr_command_edit = {.name = "edit", .part = "SERVE"};
#endif
#ifndef GR_WITH_ROS2
const GrCommand gr_command_ros2 = {.name = "ros2", .part = "ROS2"};
#endif
#ifndef GR_WITH_CAMPAIGN
const GrCommand gr_command_sweep = {.name = "sweep", .part = "CAMPAIGN"};
const GrCommand gr_command_optimize = {.name = "optimize", .part = "CAMPAIGN"};
const GrCommand gr_command_sensitivity = {.name = "sensitivity", .part = "CAMPAIGN"};
const GrCommand gr_command_mission = {.name = "mission", .part = "CAMPAIGN"};
const GrCommand gr_command_campaign = {.name = "campaign", .part = "CAMPAIGN"};
const GrCommand gr_command_dataset = {.name = "dataset", .part = "CAMPAIGN"};
#endif

static const GrCommand *const COMMANDS[] = {
    &gr_command_run,      &gr_command_list,    &gr_command_show,     &gr_command_check,       &gr_command_wheel,
    &gr_command_plate,    &gr_command_grains,  &gr_command_test,     &gr_command_compare,     &gr_command_validate,
    &gr_command_asset,    &gr_command_fit,     &gr_command_predict,  &gr_command_loads,       &gr_command_inverse,
    &gr_command_terrain,  &gr_command_export,  &gr_command_rover,    &gr_command_view,        &gr_command_edit,
    &gr_command_ros2,     &gr_command_sweep,   &gr_command_optimize, &gr_command_sensitivity, &gr_command_mission,
    &gr_command_campaign, &gr_command_dataset, &gr_command_bench,    &gr_command_schema,      &gr_command_version,
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0], HELP_WORDS = 4 };

static const GrCommand PROGRAM = {
    .name = "",
    .summary = "planetary-rover mobility simulator",
    .usage = "[--allow-network] COMMAND [OPTION]...",
    .details =
        "Predicts how a planetary rover moves over ground: whether it climbs a slope, crosses rocks or leaves "
        "the\nlander, how deep it sinks, and what torque and energy it needs. For details see grouser help "
        "COMMAND or\ngrouser COMMAND --help.\n\ngrouser help keys lists the keys of all input files, grouser help KEY "
        "explains one.\n\nMaps are local files, and what they name lies in their folder or "
        "below. With --allow-network maps may reach\nservers, archives and other folders: whatever GDAL can open.",
    .example = "  grouser run crossing\n"
               "  grouser test gradeability curiosity_like --gravity mars --html climb.html\n"
               "  grouser list rovers",
};

static void print_overview(GrHelpForm form)
{
    GrHelp help = {.command = &PROGRAM, .title = "Commands"};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        gr_help_add_command(&help, COMMANDS[i], COMMANDS[i]->name, form);
    }
    gr_help_print(&help, form);
}

static const GrCommand *find_command(const char *name)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(COMMANDS[i]->name, name) == 0) {
            return COMMANDS[i];
        }
    }
    return NULL;
}

static int fail_unknown(const char *name)
{
    const char *names[COMMAND_COUNT + 1] = {"help"};
    for (int i = 0; i < COMMAND_COUNT; i++) {
        names[i + 1] = COMMANDS[i]->name;
    }
    gr_report_error("unknown command %s%s", name,
                    gr_text_hint(name, names, COMMAND_COUNT + 1, "; grouser help lists the commands").text);
    return GR_EXIT_INPUT;
}

static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        print_overview(GR_HELP_TEXT);
        return GR_EXIT_OK;
    }
    if (argc == 1 && strcmp(argv[0], "keys") == 0) {
        gr_help_keys();
        return GR_EXIT_OK;
    }
    const GrCommand *command = find_command(argv[0]);
    if (command == NULL && gr_help_key(argv[0]) > 0) {
        return GR_EXIT_OK;
    }
    if (command == NULL) {
        gr_report_error("unknown command or key %s%s", argv[0], gr_help_nearest_key(argv[0]).text);
        return GR_EXIT_INPUT;
    }
    // grouser help terrain info is grouser terrain info --help
    char help[] = "--help", *line[HELP_WORDS + 2] = {0};
    const int words = argc - 1 < HELP_WORDS ? argc - 1 : HELP_WORDS;
    for (int i = 0; i < words; i++) {
        line[i] = argv[i + 1];
    }
    line[words] = help;
    const int code = gr_command_call(command, words + 1, line);
    if (words == 0) { // terrain is a command and a key
        gr_help_also_key(argv[0]);
    }
    return code;
}

int gr_command_run_line(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--allow-network") == 0) {
        gr_set_hooks(&(GrHooks){.network = true});
        argc--;
        argv++;
    }
    const char *name = argc > 1 ? argv[1] : "--help";
    if (gr_help_form(name) != GR_HELP_NONE && argc <= 2) {
        print_overview(gr_help_form(name));
        return GR_EXIT_OK;
    }
    if (strcmp(name, "help") == 0 || gr_help_form(name) == GR_HELP_TEXT) {
        return run_help(argc - 2, argv + 2);
    }
    const GrCommand *command = find_command(strcmp(name, "--version") == 0 ? "version" : name);
    return command != NULL ? gr_command_call(command, argc - 2, argv + 2) : fail_unknown(name);
}
