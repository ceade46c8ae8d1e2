#include "group.h"

#include "help.h"
#include "report.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PARTS = 32 };

/// The word after the group's name.
static const char *part_name(const GrCommand *group, const GrCommand *part)
{
    return part->name + strlen(group->name) + 1;
}

static void print_help(const GrCommand *group, const GrCommand *const *parts, int part_count, GrHelpForm form)
{
    GrHelp help = {.command = group, .title = "Subcommands"};
    for (int k = 0; k < part_count; k++) {
        gr_help_add_command(&help, parts[k], part_name(group, parts[k]), form);
    }
    gr_help_print(&help, form);
}

int gr_group_run(const GrCommand *group, const GrCommand *const *parts, int part_count, int argc, char **argv)
{
    const GrHelpForm form = argc > 0 ? gr_help_form(argv[0]) : GR_HELP_TEXT;
    if (form != GR_HELP_NONE) {
        print_help(group, parts, part_count, form);
        return argc == 0 ? GR_EXIT_INPUT : GR_EXIT_OK;
    }
    const char *names[MAX_PARTS];
    for (int k = 0; k < part_count && k < MAX_PARTS; k++) {
        names[k] = part_name(group, parts[k]);
        if (strcmp(argv[0], names[k]) == 0) {
            return gr_command_call(parts[k], argc - 1, argv + 1);
        }
    }
    gr_report_error("%s: unknown subcommand %s%s", group->name, argv[0],
                    gr_text_hint(argv[0], names, part_count, NULL).text);
    return GR_EXIT_INPUT;
}
