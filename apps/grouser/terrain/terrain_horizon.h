/// grouser terrain horizon: the skyline around every node of a map, by azimuth; and what `grouser terrain light` shares
/// with it: a map with the ground around it, and its horizon.
#ifndef GR_TERRAIN_HORIZON_H
#define GR_TERRAIN_HORIZON_H

#include "light.h"
#include "terrain_command.h"

/// As typed.
typedef struct GrHorizonArguments {
    GrRasterArguments raster;
    GrTextList around; ///< coarser maps around it
    double azimuths, eye, threads;
    bool flat;
} GrHorizonArguments;

enum { GR_HORIZON_OPTION_COUNT = GR_RASTER_OPTION_COUNT + 5 };

GrHorizonArguments gr_default_horizon_arguments(void);

/// Fills the first GR_HORIZON_OPTION_COUNT of `options`.
void gr_horizon_options_add(GrOption *options, GrHorizonArguments *arguments);

/// A map and its horizon.
typedef struct GrSkyMap {
    GrRaster raster;
    float *heights; ///< [ny][nx]
    GrHorizon horizon;
    double radius; ///< of the body [m]; INFINITY: flat
} GrSkyMap;

/// Opens the map; `body_radius`: [m] if the file has none; 0: unknown, then the ground is taken as flat.
GrStatus gr_sky_map_open(const char *path, const GrHorizonArguments *a, double body_radius, GrSkyMap *out,
                         GrErrorLog *log);

/// Computes its horizon.
GrStatus gr_sky_map_look(const char *path, const GrHorizonArguments *a, GrSkyMap *map, GrErrorLog *log);
void gr_sky_map_close(GrSkyMap *map);

#endif
