/// grouser terrain: maps of heights. One row per subcommand; each is defined in the file of its name.
#include "terrain_command.h"

#include <stddef.h>

#ifndef GR_WITH_GDAL
const GrCommand gr_terrain_clean = {.name = "terrain clean", .part = "GDAL"};
#endif

static const GrCommand *const PARTS[] = {
    &gr_terrain_info,   &gr_terrain_import, &gr_terrain_generate, &gr_terrain_rocks, &gr_terrain_soilmap,
    &gr_terrain_export, &gr_terrain_clean,  &gr_terrain_horizon,  &gr_terrain_light, NULL};

const GrCommand gr_command_terrain = {
    .name = "terrain",
    .summary = "inspect, import, clean, generate and export height maps",
    .usage = "terrain SUBCOMMAND [OPTION]...",
    .details = "Height maps: GeoTIFF, PDS, ISIS, PNG and anything else that GDAL reads, and grids as text. "
               "Describes\nthem, cuts out windows, repairs them, generates new ones, and adds rocks and soils.",
    .example = "  grouser terrain info map.tif\n"
               "  grouser terrain info --help",
    .parts = PARTS,
};
