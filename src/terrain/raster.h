/// A raster of heights in a file: georeference, meaning of its numbers, and reading of windows.
///
/// Files count rows from the north; nodes here count from the south. A value applies to the centre of its pixel,
/// whether the file declares pixels as areas or points:
///
///     file row 0    +---+---+    node row j = rows - 1      pixel (column, row) of a file is
///     file row 1    +---+---+    node row j = rows - 2      node (column, rows - 1 - row)
#ifndef GR_RASTER_H
#define GR_RASTER_H

#include "grouser/terrain.h"

typedef struct GrRaster {
    GrGridFrame frame;    ///< nodes at the centres of the pixels, projected coordinates [m]
    GrGeoreference place; ///< its origin is that of the file, (0, 0)
    GrSource source;
    char driver[32];       ///< GTiff, PDS4, PNG, CSV, …
    char type[16];         ///< of the stored numbers: Float32, Int16, …
    double scale, offset;  ///< height = scale · stored + offset
    double nodata;         ///< as stored; NAN: none
    char description[512]; ///< from the file; "" when there is none
    bool has_crs;
    bool pixel_is_point;
    bool is_gdal;                   ///< read from the file in windows, by GDAL; text grids are in memory
    int overviews;                  ///< number of overviews in the file
    double file_columns, file_rows; ///< of the whole file, or of its overview
    double overview; ///< ratio of the cell size of the overview that is read to that of the file; 1: the file itself
    double scale_east, scale_north; ///< projected metres per true metre at the centre; 0: unknown
    double lon, lat;                ///< of the centre [deg]; NAN: unknown
    double north;                   ///< direction of north there, clockwise from the map's y axis [rad]; 0: unknown
} GrRaster;

/// Opens a file by its contents, text grids by their extension (.csv, .xyz, .txt). Free with gr_raster_close().
GrStatus gr_raster_open(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log);
void gr_raster_close(GrRaster *raster);

/// Tells how many rasters are read at once, each in windows of about 1000 x 1000 nodes: room for the blocks of the
/// files that neighbouring windows share.
void gr_raster_expect_readers(int count);

/// Crops the frame and the source to a window. `to_map` (may be NULL) gives the projected box of a longitude-latitude
/// box. For the functions that open rasters.
typedef GrStatus (*GrToMap)(void *context, const double lonlat[4], GrBox2 *box, GrErrorLog *log);
GrStatus gr_raster_cut(const GrRaster *raster, const char *path, const GrWindow *window, GrToMap to_map, void *context,
                       int64_t *i0, int64_t *j0, GrGridFrame *cut, GrErrorLog *log);

/// Functions that open rasters of one kind.
GrStatus gr_raster_open_gdal(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log);
GrStatus gr_raster_open_text(const char *path, const GrRasterOptions *options, GrRaster *out, GrErrorLog *log);

/// Whether two coordinate systems place points alike, even under different names.
bool gr_raster_same_crs(const char *a, const char *b);

/// A band of a raster with several.
typedef struct GrRasterBand {
    const char *name; ///< description of the band
    const char *unit; ///< "": none
    GrSource source;
} GrRasterBand;

/// Options of writing a raster. Start from gr_default_raster_write().
typedef struct GrRasterWrite {
    const char *driver;      ///< GTiff (default) or PNG
    const char *type;        ///< Float32 (default), Float64, Int16, UInt16, Byte
    double scale, offset;    ///< stored = (height − offset) / scale; default 1, 0
    double nodata;           ///< as stored; NAN: not declared (default −32767)
    const char *description; ///< NULL: none
    int block;               ///< side of the file's blocks, a multiple of 16; 0 (default): the driver's own
    /// NULL (default): all blocks are written. Otherwise only those for which it returns true, given the source's
    /// context and the block's column and row from the north-west; the others take no space in the file and have no
    /// data.
    bool (*wanted)(void *context, int64_t column, int64_t row);
    const GrRasterBand *bands; ///< [band_count], GTiff only; NULL (default): one band of heights in metres
    int band_count;
} GrRasterWrite;

GrRasterWrite gr_default_raster_write(void);

/// Writes all nodes of a frame, read in bands of rows from `source`, as a north-up raster with its georeference; frames
/// are in world coordinates of `place`. With `how->bands` their sources are read in place of `source`. The file is
/// written completely or not at all. `progress` may be NULL.
typedef void (*GrProgressFn)(void *context, double done, double total);
GrStatus gr_raster_write(const char *path, const GrGridFrame *frame, const GrGeoreference *place, GrSource source,
                         const GrRasterWrite *how, GrProgressFn progress, void *progress_context, GrErrorLog *log);

/// Writes a picture from RGB bytes, row by row from the top.
GrStatus gr_picture_write(const char *path, const unsigned char *pixels, int width, int height, GrErrorLog *log);

/// Converts points between world coordinates [m] and longitude and latitude [deg] on the map's own body, in place.
/// Fails where the map has no projection. Only with GDAL.
GrStatus gr_georeference_convert(const GrGeoreference *place, bool to_lonlat, double (*points)[2], int count,
                                 GrErrorLog *log);

#endif
