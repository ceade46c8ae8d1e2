/// grouser terrain: maps of heights. One row a subcommand; each lives in the file of its name.
#include "terrain_command.h"

#include "report.h"
#include "table.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

static const GrCommand *const PARTS[] = {
    &gr_terrain_info,  &gr_terrain_import,  &gr_terrain_generate,
    &gr_terrain_rocks, &gr_terrain_soilmap, &gr_terrain_export,
#ifdef GR_WITH_GDAL
    &gr_terrain_clean,
#endif
};

enum { PART_COUNT = sizeof PARTS / sizeof PARTS[0] };

/// The word after "terrain ".
static const char *part_name(const GrCommand *command)
{
    return command->name + strlen("terrain ");
}

static void print_help(void)
{
    printf("usage: grouser %s\n\n%s\n\nSubcommands:\n", gr_command_terrain.usage, gr_command_terrain.details);
    GrTable table = {.indent = 2};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    for (int k = 0; k < PART_COUNT; k++) {
        gr_table_text(&table, part_name(PARTS[k]));
        gr_table_text(&table, PARTS[k]->summary);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    printf("\nExample:\n%s\n", gr_command_terrain.example);
}

static int run(int argc, char **argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0) {
        print_help();
        return argc == 0 ? GR_EXIT_INPUT : GR_EXIT_OK;
    }
    const char *names[PART_COUNT];
    for (int k = 0; k < PART_COUNT; k++) {
        names[k] = part_name(PARTS[k]);
        if (strcmp(argv[0], names[k]) == 0) {
            return PARTS[k]->run(argc - 1, argv + 1);
        }
    }
    const char *nearest = gr_text_nearest(argv[0], names, PART_COUNT);
    if (nearest != NULL) {
        gr_report_error("terrain: unknown subcommand %s; did you mean %s?", argv[0], nearest);
    } else {
        gr_report_error("terrain: unknown subcommand %s; grouser terrain --help lists them", argv[0]);
    }
    return GR_EXIT_INPUT;
}

const GrCommand gr_command_terrain = {
    .name = "terrain",
    .summary = "look at, import, clean, make and export maps of heights",
    .usage = "terrain SUBCOMMAND [OPTION]...",
    .details =
        "Maps of heights: GeoTIFF, PDS, ISIS, PNG and whatever else GDAL reads, and grids as text. Says what is\n"
        "in them, cuts windows out of them, repairs them, makes new ones, sows rocks and soils on them.",
    .example = "  grouser terrain info map.tif\n"
               "  grouser terrain info --help",
    .run = run,
};
