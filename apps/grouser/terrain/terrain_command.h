/// Common parts of the subcommands of `grouser terrain`: options for reading a raster, and progress.
#ifndef GR_TERRAIN_COMMAND_H
#define GR_TERRAIN_COMMAND_H

#include "options.h"
#include "raster.h"
#include "report.h"

extern const GrCommand gr_terrain_info;
extern const GrCommand gr_terrain_import;
extern const GrCommand gr_terrain_clean;
extern const GrCommand gr_terrain_generate;
extern const GrCommand gr_terrain_rocks;
extern const GrCommand gr_terrain_soilmap;
extern const GrCommand gr_terrain_export;
extern const GrCommand gr_terrain_horizon;
extern const GrCommand gr_terrain_light;

/// Options for reading a raster, as typed.
typedef struct GrRasterArguments {
    const char *window, *layout;
    double cell, height_scale, height_offset, nodata, band, coarsest;
    bool subtract_radius;
} GrRasterArguments;

GrRasterArguments gr_default_raster_arguments(void);

enum { GR_RASTER_OPTION_COUNT = 9, GR_PICTURE_PIXELS = 1600 };

/// Options of a map picture, as typed, and its captions.
typedef struct GrPictureArguments {
    const char *png; ///< NULL: no picture
    bool plain;
    const char *title;  ///< of a path, only the last part is used
    const char *legend; ///< NULL: "height [m]"
} GrPictureArguments;

/// Refuses --plain where there is no picture.
GrStatus gr_picture_check(const GrPictureArguments *picture, GrErrorLog *log);

/// Draws heights; does nothing if no picture is requested.
GrStatus gr_terrain_draw(const GrPictureArguments *picture, const GrGridFrame *frame, GrSource source, GrErrorLog *log);

/// The last part of a path.
const char *gr_path_name(const char *path);

/// Fills the first GR_RASTER_OPTION_COUNT of `options`.
void gr_raster_options_add(GrOption *options, GrRasterArguments *arguments);

/// Converts the typed options to those of gr_raster_open().
GrStatus gr_raster_options_read(const GrRasterArguments *arguments, GrRasterOptions *out, GrErrorLog *log);

/// "1,2.5,-3": exactly `count` numbers.
bool gr_numbers_read(const char *text, double *out, int count);

/// "wrote FILE", on stderr when stdout carries JSON.
void gr_terrain_wrote(const char *path, bool json);

/// Ends a subcommand: prints the log and returns the exit code.
int gr_terrain_end(GrStatus status, const GrErrorLog *log);

#endif
