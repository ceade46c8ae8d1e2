/// GrTerrain: ground as heights over (x, y), from files of any size. GrRuts: changes of the ground by wheels.
///
/// World frame: x east, y north, z up [m]. A georeferenced terrain stores the projected coordinates of the world
/// origin. Heights are those of the file.
///
/// Queries are pure functions of const data: they do not allocate, lock or read files. They see only tiles in memory.
/// For a missing tile they return GR_GROUND_NOT_LOADED; gr_terrain_prefetch() loads tiles between steps.
///
/// Example: a slope of 1 in 10, and a rut in it.
///
///     static const double heights[] = {0, 1, 0, 1}; // 2 x 2 nodes, 10 m apart
///     GrErrorLog log = {0};
///     GrTerrain *terrain = NULL;
///     gr_terrain_create(&terrain, NULL);
///     GrLayerDef layer = gr_default_layer_def();
///     layer.frame = (GrGridFrame){.nx = 2, .ny = 2, .dx = 10, .dy = 10};
///     const GrRutsDef def = gr_default_ruts_def(); // nodes 2 cm apart
///     GrRuts *ruts = NULL;
///     gr_ruts_create(&def, &ruts, &log);
///     if (terrain == NULL || ruts == NULL || gr_terrain_add_grid(terrain, &layer, heights, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     *gr_ruts_height(ruts, 250, 250) = -0.03; // at (5, 5)
///     double before, after;
///     gr_terrain_height(terrain, 5, 5, &before);
///     gr_ground_height(terrain, ruts, 5, 5, &after);
///     printf("%.2f m, %.2f m\n", before, after); // prints: 0.50 m, 0.47 m
///     gr_ruts_free(ruts);
///     gr_terrain_free(terrain);
#ifndef GROUSER_TERRAIN_H
#define GROUSER_TERRAIN_H

#include "grouser/status.h"
#include "grouser/vec.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Result of a query. For anything but GR_GROUND_OK the outputs are NaN. The worst of several results is the largest
/// value.
typedef enum GrGround {
    GR_GROUND_OK,
    GR_GROUND_NOT_LOADED, ///< inside the map, but the tile is not in memory: prefetch and repeat
    GR_GROUND_VOID,       ///< inside the map, but without data
    GR_GROUND_OUTSIDE,    ///< outside the map
} GrGround;

/// Interpolation between nodes. Bilinear: heights are continuous; the normal is that of the same surface and jumps at
/// cell borders. Bicubic (Catmull-Rom): height and normal are continuous; it overshoots at steps. Both pass through the
/// nodes.
typedef enum GrInterpolation { GR_BILINEAR, GR_BICUBIC } GrInterpolation;

/// Rectangle in world coordinates [m].
typedef struct GrBox2 {
    double x_lower, y_lower, x_upper, y_upper;
} GrBox2;

/// Regular grid of nodes. Node (i, j) lies at (x0 + i dx, y0 + j dy); rows go from south to north.
///
///     j = 2  +---+---+      the map is the hull of its nodes:
///     j = 1  +---+---+      (nx - 1) x (ny - 1) cells
///     j = 0  +---+---+
///          i=0   1   2
typedef struct GrGridFrame {
    int64_t nx, ny; ///< nodes, 2 or more each
    double x0, y0;  ///< node (0, 0) [m]
    double dx, dy;  ///< spacing [m] > 0
} GrGridFrame;

/// Combination of a layer with the layers below it.
typedef enum GrLayerMode {
    GR_LAYER_REPLACE, ///< its heights replace those below, blended over the margin at its border
    GR_LAYER_ADD,     ///< its heights are added, faded in over the margin at its border
} GrLayerMode;

/// One map of a terrain. Start from gr_default_layer_def().
typedef struct GrLayerDef {
    GrGridFrame frame;
    GrLayerMode mode;              ///< default: replace
    GrInterpolation interpolation; ///< default: bilinear
    double margin;                 ///< width of the blend at the layer's border [m] >= 0; default 0
    size_t memory_limit;           ///< memory limit for tiles [bytes], at least 16 tiles; default 64 MiB
    bool rigid;                    ///< a structure on the ground (a lander's deck), not soil; default false
} GrLayerDef;

GR_API GrLayerDef gr_default_layer_def(void);

/// The nodes [i0, i0 + ni) x [j0, j0 + nj) of a grid.
typedef struct GrGridWindow {
    int64_t i0, j0; ///< south-west node
    int ni, nj;     ///< columns, rows
} GrGridWindow;

/// Writes the heights of the nodes of a window inside the frame, row by row from the south; NaN: no data.
typedef GrStatus (*GrSourceRead)(void *context, GrGridWindow window, double *out, GrErrorLog *log);

/// The same for a coarser grid, of every `stride`-th node: node (i, j) of the window is node (i stride, j stride).
typedef GrStatus (*GrSourceReadEvery)(void *context, GrGridWindow window, int stride, double *out, GrErrorLog *log);

/// Source of a layer's tiles. The layer owns the context and frees it with `free` (may be NULL).
typedef struct GrSource {
    GrSourceRead read;
    void (*free)(void *context);
    void *context;
    GrSourceReadEvery read_every; ///< for sources that compute their heights; NULL: whole rows are read and thinned
} GrSource;

typedef struct GrTerrain GrTerrain;

/// A terrain without layers.
GR_API GrStatus gr_terrain_create(GrTerrain **out, GrErrorLog *log);
GR_API void gr_terrain_free(GrTerrain *terrain);

/// Adds a layer on top of the existing ones. gr_terrain_prefetch() loads its tiles.
GR_API GrStatus gr_terrain_add_source(GrTerrain *terrain, const GrLayerDef *def, GrSource source, GrErrorLog *log);

/// Adds a layer from heights in memory (nx ny nodes, row by row from the south, NaN: no data). It stays in memory.
GR_API GrStatus gr_terrain_add_grid(GrTerrain *terrain, const GrLayerDef *def, const double *heights, GrErrorLog *log);

typedef enum GrWindowKind { GR_WINDOW_ALL, GR_WINDOW_PIXEL, GR_WINDOW_MAP, GR_WINDOW_LONLAT } GrWindowKind;

/// Part of a raster. Pixel: column, row of the north-west pixel, columns, rows. Map: west, south, east, north in the
/// file's projection [m]. Longitude and latitude: west, south, east, north on the file's own body [deg].
typedef struct GrWindow {
    GrWindowKind kind;
    double v[4];
} GrWindow;

/// Layout of the numbers in a text file.
typedef enum GrTextLayout { GR_TEXT_AUTO, GR_TEXT_MATRIX, GR_TEXT_XYZ } GrTextLayout;

/// Options for reading a raster. Start from gr_default_raster_options().
typedef struct GrRasterOptions {
    GrWindow window;
    double cell;          ///< pixel size if the file gives none [m]; 0: unknown
    double height_scale;  ///< height = scale · value + offset; NAN: as given in the file
    double height_offset; ///< NAN: as given in the file
    double nodata;        ///< value that means "no data"; NAN: as given in the file
    int band;             ///< from 1; default 1
    double coarsest; ///< largest acceptable cell size [m]: the coarsest overview of the file within it is read instead,
                     ///< if there is one; default 0: full resolution
    bool subtract_radius; ///< heights are distances from the body's centre; subtract its radius
    bool assume_metre;    ///< a file without georeference gets pixels of 1 m and a warning instead of an error
    GrTextLayout layout;
    bool classes; ///< values are classes and not heights: no warning where they have colours
} GrRasterOptions;

GR_API GrRasterOptions gr_default_raster_options(void);

/// Adds a layer from a file: GeoTIFF, PDS, ISIS, PNG, … through GDAL, or a grid as text. `def` sets the combination
/// with the layers below; its frame comes from the file. The first file defines the world origin: the centre of the
/// map, rounded to whole metres, if it is georeferenced; otherwise the origin of the file. Further files must have the
/// same projection. A map that fits into the memory limit is loaded at once; tiles of a larger one are loaded by
/// gr_terrain_prefetch().
GR_API GrStatus gr_terrain_add_file(GrTerrain *terrain, const char *path, const GrRasterOptions *options,
                                    const GrLayerDef *def, GrErrorLog *log);

/// Creates a terrain from one file.
GR_API GrStatus gr_terrain_open(const char *path, GrTerrain **out, GrErrorLog *log);

/// Loads all tiles that touch the box into memory, and evicts the least recently requested tiles if needed. Do not call
/// it while another thread queries the same terrain. Fails if the box alone exceeds a layer's memory limit.
GR_API GrStatus gr_terrain_prefetch(GrTerrain *terrain, GrBox2 box, GrErrorLog *log);

/// Memory used by tiles [bytes].
GR_API size_t gr_terrain_memory(const GrTerrain *terrain);

GR_API int gr_terrain_layer_count(const GrTerrain *terrain);
GR_API const GrLayerDef *gr_terrain_layer(const GrTerrain *terrain, int layer);

/// Bounding box of all layers of mode GR_LAYER_REPLACE. Queries outside it never succeed.
GR_API GrBox2 gr_terrain_box(const GrTerrain *terrain);

/// Position of the world origin on its planet.
typedef struct GrGeoreference {
    char *crs;          ///< WKT of the projected coordinate system; "": none
    double origin_east; ///< projected coordinates of the world origin [m]
    double origin_north;
    double radius;             ///< radius of the body: semi-major axis of the file's datum [m]; 0: unknown
    double inverse_flattening; ///< 0 for a sphere
    char body[64];             ///< name of the datum's ellipsoid; "": none
} GrGeoreference;

/// Copies a georeference into the terrain. NULL fields leave the present ones unchanged.
GR_API GrStatus gr_terrain_set_georeference(GrTerrain *terrain, const GrGeoreference *georeference);
GR_API const GrGeoreference *gr_terrain_georeference(const GrTerrain *terrain);

/// Height [m].
GR_API GrGround gr_terrain_height(const GrTerrain *terrain, double x, double y, double *z);

/// Height [m] and upward unit normal of the same surface. Simulation steps use this query.
GR_API GrGround gr_terrain_height_normal(const GrTerrain *terrain, double x, double y, double *z, GrVec3 *normal);

/// ------------------------------------------------------------------------------------------------------------------
/// Ruts: changes of height and soil states on a separate fine grid of sparse tiles. They belong to a simulation, not to
/// the map, so that many simulations can share one terrain. Nodes lie at (i cell, j cell); i and j may be negative.

typedef struct GrRuts GrRuts;

/// Start from gr_default_ruts_def().
typedef struct GrRutsDef {
    double cell;       ///< spacing of the nodes [m] > 0; default 0.02
    int state_count;   ///< soil states per node in addition to the change of height, 0 .. 64; default 0
    int tile_capacity; ///< initial capacity in tiles of 32 x 32 nodes; gr_ruts_reserve() adds more; default 64
    GrInterpolation interpolation; ///< default: bilinear
} GrRutsDef;

GR_API GrRutsDef gr_default_ruts_def(void);

GR_API GrStatus gr_ruts_create(const GrRutsDef *def, GrRuts **out, GrErrorLog *log);
GR_API void gr_ruts_free(GrRuts *ruts);
GR_API const GrRutsDef *gr_ruts_def(const GrRuts *ruts);
GR_API void gr_ruts_clear(GrRuts *ruts);

/// Reserves memory for at least `extra` more tiles. Call it between steps. Pointers into the ruts become invalid. Tiles
/// that have not been asked for a change for long are packed without loss; they are unpacked when they are read.
GR_API GrStatus gr_ruts_reserve(GrRuts *ruts, int extra);
GR_API int gr_ruts_tile_count(const GrRuts *ruts);
GR_API int gr_ruts_tiles_free(const GrRuts *ruts);

/// Memory used [bytes], in proportion to the area driven on, plus some mebibytes for tiles near the wheels and in
/// reserve.
GR_API size_t gr_ruts_memory(const GrRuts *ruts);

/// Change of height of a node, for reading and writing. Creates the tile if needed, from the reserved memory. Returns
/// NULL if no reserved tiles are left. Valid until the next gr_ruts_reserve(), gr_ruts_copy(), gr_ruts_restore() or
/// gr_ruts_hash(), which keeps the hashes of tiles that were not asked for since.
GR_API double *gr_ruts_height(GrRuts *ruts, int64_t i, int64_t j);

/// The `state_count` soil states of a node; zero in a new tile. NULL as above.
GR_API float *gr_ruts_states(GrRuts *ruts, int64_t i, int64_t j);

/// Change of height of a node; 0 if it has no tile.
GR_API double gr_ruts_get(const GrRuts *ruts, int64_t i, int64_t j);

/// The soil states of a node, for reading; NULL if it has no tile.
GR_API const float *gr_ruts_states_get(const GrRuts *ruts, int64_t i, int64_t j);

/// Net volume of all changes [m³]; negative if soil was removed.
GR_API double gr_ruts_volume(const GrRuts *ruts);

/// Copies `from` to `to`, which grows if needed.
GR_API GrStatus gr_ruts_copy(GrRuts *to, const GrRuts *from);

/// Georeference of node (0, 0), for maps of the ruts. It is copied, saved and restored with the ruts. NULL: none.
GR_API GrStatus gr_ruts_set_georeference(GrRuts *ruts, const GrGeoreference *place);
GR_API const GrGeoreference *gr_ruts_georeference(const GrRuts *ruts);

/// Saved bytes contain no addresses. Tiles are sorted by position and contain only the changed nodes. Equal ruts
/// therefore give equal bytes, whatever the order in which they were made.
GR_API size_t gr_ruts_size(const GrRuts *ruts);
GR_API GrStatus gr_ruts_save(const GrRuts *ruts, void *out);
GR_API GrStatus gr_ruts_restore(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log);

/// Hash of all changes and states. It is equal for ruts that gr_ruts_save() writes as equal bytes, regardless of the
/// georeference.
GR_API uint64_t gr_ruts_hash(const GrRuts *ruts);

/// ------------------------------------------------------------------------------------------------------------------
/// Terrain with ruts. `ruts` may be NULL everywhere.

GR_API GrGround gr_ground_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double *z);
GR_API GrGround gr_ground_height_normal(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double *z,
                                        GrVec3 *normal);

/// Heights of `count` points from (x, y) in steps of (step_x, step_y). `normals` may be NULL. Returns the worst result.
GR_API GrGround gr_ground_profile(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double step_x,
                                  double step_y, int count, double *z, GrVec3 *normals);

/// Heights of a grid of points with its south-west point at (x, y), row by row from the south. Returns the worst
/// result.
GR_API GrGround gr_ground_patch(const GrTerrain *terrain, const GrRuts *ruts, double x, double y, double cell, int nx,
                                int ny, double *z);

#ifdef __cplusplus
}
#endif
#endif
