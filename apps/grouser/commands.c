/// The table of the subcommands: one row each, which lives in the file of its name.
#include "command.h"
#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static const GrCommand *const COMMANDS[] = {
    &gr_command_run,   &gr_command_list,    &gr_command_show,     &gr_command_check,
    &gr_command_wheel, &gr_command_test,    &gr_command_validate, &gr_command_asset,
    &gr_command_fit,   &gr_command_terrain, &gr_command_bench,    &gr_command_version,
};

enum { COMMAND_COUNT = sizeof COMMANDS / sizeof COMMANDS[0], HELP_WORDS = 4 };

static void print_overview(void)
{
    puts("grouser: planetary-rover mobility simulator\n\nusage: grouser COMMAND [OPTION]...\n");
    GrTable table = {.indent = 2};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        gr_table_text(&table, COMMANDS[i]->name);
        gr_table_text(&table, COMMANDS[i]->summary);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    puts("\ngrouser help COMMAND, or grouser COMMAND --help, says more.");
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
    const char *nearest = gr_text_nearest(name, names, COMMAND_COUNT + 1);
    if (nearest != NULL) {
        gr_report_error("unknown command %s; did you mean %s?", name, nearest);
    } else {
        gr_report_error("unknown command %s; grouser help lists the commands", name);
    }
    return GR_EXIT_INPUT;
}

static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        print_overview();
        return GR_EXIT_OK;
    }
    const GrCommand *command = find_command(argv[0]);
    if (command == NULL) {
        return fail_unknown(argv[0]);
    }
    // grouser help terrain info is grouser terrain info --help
    char help[] = "--help", *line[HELP_WORDS + 2] = {0};
    const int words = argc - 1 < HELP_WORDS ? argc - 1 : HELP_WORDS;
    for (int i = 0; i < words; i++) {
        line[i] = argv[i + 1];
    }
    line[words] = help;
    return command->run(words + 1, line);
}

int gr_command_run_line(int argc, char **argv)
{
    if (argc < 2) {
        print_overview();
        return GR_EXIT_OK;
    }
    const char *name = argv[1];
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        return run_help(argc - 2, argv + 2);
    }
    const GrCommand *command = find_command(strcmp(name, "--version") == 0 ? "version" : name);
    return command != NULL ? command->run(argc - 2, argv + 2) : fail_unknown(name);
}
