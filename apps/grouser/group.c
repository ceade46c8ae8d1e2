#include "group.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PARTS = 32 };

/// The word after the group's name.
static const char *part_name(const GrCommand *group, const GrCommand *part)
{
    return part->name + strlen(group->name) + 1;
}

static void print_help(const GrCommand *group, const GrCommand *const *parts, int part_count)
{
    printf("usage: grouser %s\n\n%s\n\nSubcommands:\n", group->usage, group->details);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    for (int k = 0; k < part_count; k++) {
        gr_table_text(&table, part_name(group, parts[k]));
        gr_table_text(&table, parts[k]->summary);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    printf("\nExample:\n%s\n", group->example);
}

int gr_group_run(const GrCommand *group, const GrCommand *const *parts, int part_count, int argc, char **argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_help(group, parts, part_count);
        return argc == 0 ? GR_EXIT_INPUT : GR_EXIT_OK;
    }
    const char *names[MAX_PARTS];
    for (int k = 0; k < part_count && k < MAX_PARTS; k++) {
        names[k] = part_name(group, parts[k]);
        if (strcmp(argv[0], names[k]) == 0) {
            return parts[k]->run(argc - 1, argv + 1);
        }
    }
    const char *nearest = gr_text_nearest(argv[0], names, part_count);
    if (nearest != NULL) {
        gr_report_error("%s: unknown subcommand %s; did you mean %s?", group->name, argv[0], nearest);
    } else {
        gr_report_error("%s: unknown subcommand %s; grouser %s --help lists them", group->name, argv[0], group->name);
    }
    return GR_EXIT_INPUT;
}
