/// GrSoilMap: named soils by position.
///
/// A map is a grid of class numbers from 1, with a soil name for each class. It is read from a raster
/// (gr_soil_map_open()) or filled by the caller.
///
/// Example: sand in the west, clay in the east.
///
///     GrSoilMap map = {0};
///     const GrGridFrame frame = {.nx = 11, .ny = 11, .dx = 1, .dy = 1};
///     if (gr_soil_map_create(&map, &frame, NULL) != GR_OK) {
///         return 1;
///     }
///     const int sand = gr_soil_map_name(&map, "toyoura_sand"), clay = gr_soil_map_name(&map, "wong_heavy_clay_25");
///     for (int i = 0; i < 121; i++) {
///         map.classes[i] = (unsigned char)(i % 11 < 5 ? sand : clay);
///     }
///     GrSoilMix mix;
///     if (gr_soil_map_at(&map, 8, 3, &mix) == GR_GROUND_OK) {
///         printf("%s\n", map.names[mix.classes[0] - 1]); // prints: wong_heavy_clay_25
///     }
///     gr_soil_map_free(&map);
#ifndef GROUSER_SOIL_MAP_H
#define GROUSER_SOIL_MAP_H

#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_SOIL_MAP_NAMES = 16, GR_SOIL_NAME_SIZE = 64, GR_SOIL_MIX = 4 };

/// Zero-initialise, then create with one of the functions below. Free with gr_soil_map_free().
typedef struct GrSoilMap {
    char names[GR_SOIL_MAP_NAMES][GR_SOIL_NAME_SIZE]; ///< soil of class 1, 2, …
    int name_count;
    GrGridFrame frame;      ///< world coordinates; a class applies to the area around its node
    unsigned char *classes; ///< row by row from the south; 0: no soil
    double border;          ///< width over which two soils blend [m]; 0: sharp
} GrSoilMap;

/// Up to four soils and their shares, largest first. The shares sum to 1.
typedef struct GrSoilMix {
    int count;
    int classes[GR_SOIL_MIX]; ///< from 1
    double shares[GR_SOIL_MIX];
} GrSoilMix;

/// Creates a map for a frame, filled with class 0.
GR_API GrStatus gr_soil_map_create(GrSoilMap *map, const GrGridFrame *frame, GrErrorLog *log);

/// Reads a raster of class numbers. `legend` is "1=ES-1 2=ES-2 …"; NULL: the description in the file. `place` sets the
/// world origin; NULL: the coordinates of the file.
GR_API GrStatus gr_soil_map_open(GrSoilMap *map, const char *path, const char *legend, const GrGeoreference *place,
                                 GrErrorLog *log);
GR_API void gr_soil_map_free(GrSoilMap *map);

/// Gets the soils at a point. GR_GROUND_VOID: the map names no soil there.
GR_API GrGround gr_soil_map_at(const GrSoilMap *map, double x, double y, GrSoilMix *mix);

/// Finds or adds a soil by name. Returns its class, or 0 if there are too many soils or the name is too long.
GR_API int gr_soil_map_name(GrSoilMap *map, const char *name);

#ifdef __cplusplus
}
#endif
#endif
