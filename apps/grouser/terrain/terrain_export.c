/// grouser terrain export: a map, or a window of it, also with ruts, for other programs.
#include "alloc.h"
#include "file.h"
#include "json.h"
#include "mesh.h"
#include "report.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MESH_NODES = 4000000 };

/// The exported ground: a map, at its own nodes or between them, with ruts added. Ruts and the world are in world
/// coordinates, the frame in those of the map.
typedef struct Ground {
    GrRaster raster;   ///< its frame is that of the output
    GrTerrain *world;  ///< the whole map, for its origin and for heights between its nodes; NULL: neither is needed
    GrTerrain *flat;   ///< height 0 everywhere, for ruts alone
    GrRuts *ruts;      ///< NULL: none
    double ruts_at[2]; ///< east and north of their origin
    bool between;      ///< the frame's nodes are not those of the map
    bool difference;   ///< ruts alone
} Ground;

/// One row of heights between the nodes of the map.
static GrStatus read_between(const Ground *g, double x, double y, int count, double *out, GrErrorLog *log)
{
    const GrGeoreference *place = gr_terrain_georeference(g->world);
    const double step = g->raster.frame.dx;
    x -= place->origin_east;
    y -= place->origin_north;
    const GrStatus status = gr_terrain_prefetch(g->world, (GrBox2){x, y, x + (count - 1) * step, y}, log);
    for (int k = 0; k < count && status == GR_OK; k++) {
        gr_terrain_height(g->world, x + k * step, y, &out[k]); // NAN where there is none
    }
    return status;
}

static GrStatus read_ground(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const Ground *g = context;
    const GrGridFrame *f = &g->raster.frame;
    GrStatus status = GR_OK;
    if (!g->between) {
        status = g->raster.source.read(g->raster.source.context, window, out, log);
    }
    for (int j = 0; j < window.nj && status == GR_OK; j++) {
        double *row = out + (ptrdiff_t)j * window.ni;
        const double x = f->x0 + (double)window.i0 * f->dx, y = f->y0 + (double)(window.j0 + j) * f->dy;
        if (g->between) {
            status = read_between(g, x, y, window.ni, row, log);
        }
        for (int i = 0; i < window.ni && g->ruts != NULL && status == GR_OK; i++) {
            double change = 0;
            gr_ground_height(g->flat, g->ruts, x + i * f->dx - g->ruts_at[0], y - g->ruts_at[1], &change);
            row[i] = isnan(row[i]) ? row[i] : g->difference ? change : row[i] + change;
        }
    }
    return status;
}

static GrStatus load_ruts(const char *path, GrRuts **out, GrErrorLog *log)
{
    char *data = NULL;
    size_t size = 0;
    GrStatus status = gr_file_read(path, (size_t)2 << 30, &data, &size, log);
    if (status == GR_OK) {
        const GrRutsDef def = gr_default_ruts_def();
        gr_ruts_create(&def, out, log);
        status = *out != NULL ? gr_ruts_restore(*out, data, size, log) : GR_ERROR_MEMORY;
    }
    gr_free(data);
    return status;
}

static const char *extension(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL ? dot + 1 : "";
}

static GrStatus write_mesh(const char *path, const GrRaster *raster, GrSource source, GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    if ((double)f->nx * (double)f->ny > MESH_NODES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                            "a mesh of %lld x %lld nodes is too large for viewers; cut a --window of at most %d nodes",
                            (long long)f->nx, (long long)f->ny, MESH_NODES);
    }
    double *heights = gr_calloc((size_t)(f->nx * f->ny), sizeof *heights);
    if (heights == NULL) {
        return GR_ERROR_MEMORY;
    }
    GrStatus status = source.read(source.context, (GrGridWindow){0, 0, (int)f->nx, (int)f->ny}, heights, log);
    double lowest = INFINITY;
    for (int64_t k = 0; k < f->nx * f->ny && status == GR_OK; k++) {
        lowest = isnan(heights[k]) ? lowest : fmin(lowest, heights[k]);
    }
    if (status == GR_OK && isinf(lowest)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path}, "the window has no cell with data");
    }
    GrBuffer mesh = {0};
    if (status == GR_OK) {
        // Viewers compute in single precision: the middle of the map is their origin.
        const GrMeshGrid grid = {
            *f,
            heights,
            {f->x0 + 0.5 * (double)(f->nx - 1) * f->dx, f->y0 + 0.5 * (double)(f->ny - 1) * f->dy, floor(lowest)}};
        const bool obj = strcasecmp(extension(path), "obj") == 0;
        status = obj ? gr_mesh_write_obj(&grid, &mesh) : gr_mesh_write_glb(&grid, &mesh);
    }
    if (status == GR_OK) {
        status = gr_file_write(path, mesh.data, mesh.size, log);
    }
    gr_buffer_free(&mesh);
    gr_free(heights);
    return status;
}

/// 16-bit grey from the lowest to the highest height; reports how to convert it back.
static GrStatus write_grey(const char *path, const GrRaster *raster, GrSource source, GrRasterWrite *how,
                           GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    double *row = gr_malloc((size_t)f->nx * sizeof *row);
    GrStatus status = row != NULL ? GR_OK : GR_ERROR_MEMORY;
    double low = INFINITY, high = -INFINITY;
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        status = source.read(source.context, (GrGridWindow){0, j, (int)f->nx, 1}, row, log);
        for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
            low = isnan(row[i]) ? low : fmin(low, row[i]);
            high = isnan(row[i]) ? high : fmax(high, row[i]);
        }
    }
    gr_free(row);
    if (status == GR_OK && isinf(low)) {
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path}, "the window has no cell with data");
    }
    if (status != GR_OK) {
        return status;
    }
    how->driver = "PNG";
    how->type = "UInt16";
    how->nodata = 0;
    how->scale = high > low ? (high - low) / 65534 : 1;
    how->offset = low - how->scale; // the value 0 means no data
    return gr_raster_write(path, f, &raster->place, source, how, NULL, NULL, log);
}

typedef struct ExportArguments {
    GrRasterArguments raster;
    const char *out, *ruts, *ruts_origin;
    double resolution;
    bool shaded, plain, difference, json;
} ExportArguments;

static GrStatus write_by_kind(const ExportArguments *a, const char *map, const GrRaster *raster, GrSource source,
                              GrErrorLog *log)
{
    const char *path = a->out, *kind = extension(path);
    GrRasterWrite how = gr_default_raster_write();
    if (strcasecmp(kind, "obj") == 0 || strcasecmp(kind, "glb") == 0) {
        return write_mesh(path, raster, source, log);
    }
    if (strcasecmp(kind, "png") == 0 && a->shaded) {
        const GrPictureArguments picture = {
            .png = path, .plain = a->plain, .title = map, .legend = a->difference ? "change [m]" : NULL};
        return gr_terrain_draw(&picture, &raster->frame, source, log);
    }
    if (strcasecmp(kind, "png") == 0) {
        const GrStatus status = write_grey(path, raster, source, &how, log);
        if (status == GR_OK && !a->json) {
            printf("height = %.9g * value + %.9g m; value 0: no data\n", how.scale, how.offset);
        }
        return status;
    }
    if (strcasecmp(kind, "tif") == 0 || strcasecmp(kind, "tiff") == 0) {
        how.type = strcmp(raster->type, "Float32") == 0 ? "Float32" : "Float64";
        return gr_raster_write(path, &raster->frame, &raster->place, source, &how, NULL, NULL, log);
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--out"},
                        "found '%s', allowed endings: .tif, .png, .obj, .glb", path);
}

static GrStatus open_world(Ground *g, const char *path, const GrRasterOptions *options, GrErrorLog *log)
{
    GrRasterOptions whole = *options;
    whole.window = (GrWindow){0};
    whole.coarsest = 0;
    const GrLayerDef def = gr_default_layer_def();
    GrErrorLog again = {0}; // warnings of the file were given when the raster was opened
    gr_terrain_create(&g->world, NULL);
    const GrStatus status =
        g->world != NULL ? gr_terrain_add_file(g->world, path, &whole, &def, &again) : GR_ERROR_MEMORY;
    if (status != GR_OK && again.count > 0) {
        gr_error_add(log, status, (GrLocation){.file = path}, "%s", again.items[again.count - 1].text);
    }
    return status;
}

/// Position of the ruts: from the option, from their own georeference, or at the map's origin.
static GrStatus place_ruts(Ground *g, const ExportArguments *a, GrErrorLog *log)
{
    const GrGeoreference *map = gr_terrain_georeference(g->world), *own = gr_ruts_georeference(g->ruts);
    const GrGeoreference *place = own != NULL ? own : map;
    g->ruts_at[0] = place->origin_east;
    g->ruts_at[1] = place->origin_north;
    if (a->ruts_origin != NULL) {
        return gr_numbers_read(a->ruts_origin, g->ruts_at, 2)
                   ? GR_OK
                   : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--ruts-origin"}, "'%s' is not EAST,NORTH",
                                  a->ruts_origin);
    }
    if (own != NULL && own->crs[0] != '\0' && map->crs != NULL && map->crs[0] != '\0' &&
        !gr_raster_same_crs(own->crs, map->crs)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = a->ruts},
                            "the ruts lie in another projection than the map; give the map that was driven on, or give "
                            "their position with --ruts-origin EAST,NORTH");
    }
    return GR_OK;
}

static GrStatus open_ruts(Ground *g, const ExportArguments *a, GrErrorLog *log)
{
    static const double ZERO[4] = {0};
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){2, 2, -1e9, -1e9, 2e9, 2e9};
    gr_terrain_create(&g->flat, NULL);
    GrStatus status = g->flat != NULL ? gr_terrain_add_grid(g->flat, &def, ZERO, log) : GR_ERROR_MEMORY;
    status = status == GR_OK ? load_ruts(a->ruts, &g->ruts, log) : status;
    return status == GR_OK ? place_ruts(g, a, log) : status;
}

/// Nodes `resolution` apart on the hull of the map's nodes, from its south-west one.
static void refine(Ground *g, double resolution)
{
    GrGridFrame *f = &g->raster.frame;
    f->nx = (int64_t)floor((double)(f->nx - 1) * f->dx / resolution + 1e-9) + 1;
    f->ny = (int64_t)floor((double)(f->ny - 1) * f->dy / resolution + 1e-9) + 1;
    f->dx = f->dy = resolution;
    g->between = true;
}

static GrStatus open_ground(Ground *g, const char *path, const GrRasterOptions *options, const ExportArguments *a,
                            GrErrorLog *log)
{
    GrStatus status = gr_raster_open(path, options, &g->raster, log);
    if (status == GR_OK && (a->ruts != NULL || a->resolution > 0)) {
        status = open_world(g, path, options, log);
    }
    if (status == GR_OK && a->ruts != NULL) {
        status = open_ruts(g, a, log);
    }
    if (status == GR_OK && a->resolution > 0) {
        refine(g, a->resolution);
    }
    g->difference = a->difference;
    if (status == GR_OK && (g->raster.frame.nx < 2 || g->raster.frame.ny < 2)) {
        status = gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--resolution"},
                              "%g m leave less than 2 x 2 nodes of the window", a->resolution);
    }
    return status;
}

static void close_ground(Ground *g)
{
    gr_terrain_free(g->world);
    gr_terrain_free(g->flat);
    gr_ruts_free(g->ruts);
    gr_raster_close(&g->raster);
}

static GrStatus export(const char *path, const GrRasterOptions *options, const ExportArguments *a, GrErrorLog *log)
{
    Ground ground = {0};
    GrStatus status = open_ground(&ground, path, options, a, log);
    if (status == GR_OK) {
        const GrSource source = {.read = read_ground, .context = &ground};
        status = write_by_kind(a, path, &ground.raster, source, log);
    }
    if (status == GR_OK && a->json) {
        GrJson text = gr_json_to_file(stdout, true);
        gr_json_begin_object(&text, NULL);
        gr_json_string(&text, "file", a->out);
        gr_json_integer(&text, "columns", ground.raster.frame.nx);
        gr_json_integer(&text, "rows", ground.raster.frame.ny);
        gr_json_number(&text, "resolution_m", ground.raster.frame.dx);
        gr_json_number(&text, "ruts_volume_m3", ground.ruts != NULL ? gr_ruts_volume(ground.ruts) : 0);
        gr_json_end(&text);
        gr_json_finish(&text); // main() checks stdout
    }
    if (status == GR_OK) {
        gr_terrain_wrote(a->out, a->json);
    }
    close_ground(&ground);
    return status;
}

static GrStatus check(const ExportArguments *a, GrErrorLog *log)
{
    if (a->out == NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--out"}, "no output file: give -o FILE");
    }
    if (!(a->resolution >= 0)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--resolution"}, "must be above 0, not %g",
                            a->resolution);
    }
    if (a->shaded && strcasecmp(extension(a->out), "png") != 0) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--shaded"},
                            "makes a picture, and '%s' does not end in .png", a->out);
    }
    if (a->plain && !a->shaded) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--plain"},
                            "leaves axes and legend off a picture: give --shaded too");
    }
    if (a->ruts == NULL && (a->difference || a->ruts_origin != NULL)) {
        return gr_error_add(log, GR_ERROR_USAGE,
                            (GrLocation){.field = a->difference ? "--difference" : "--ruts-origin"},
                            "applies to ruts: give them with --ruts FILE");
    }
    return GR_OK;
}

static int run(int argc, char **argv)
{
    ExportArguments a = {.raster = gr_default_raster_arguments()};
    enum { OWN = 8 };
    GrOption options[GR_RASTER_OPTION_COUNT + OWN] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.out, .help = ".tif, .png, .obj or .glb (required)"},
        {.name = "ruts", .value = "FILE", .text = &a.ruts, .help = "saved ruts to lay over the map"},
        {.name = "difference", .flag = &a.difference, .help = "the ruts alone: ground with them minus without"},
        {.name = "ruts-origin",
         .value = "EAST,NORTH",
         .text = &a.ruts_origin,
         .help = "origin of the ruts on the map (default: their georeference)"},
        {.name = "resolution",
         .value = "METRES",
         .number = &a.resolution,
         .help = "cells to write; finer than the map's where ruts are narrower than its cells"},
        {.name = "shaded", .flag = &a.shaded, .help = "write a shaded picture instead of heights"},
        {.name = "plain", .flag = &a.plain, .help = "with --shaded: without axes and legend"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    gr_raster_options_add(options + OWN, &a.raster);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_export, options, GR_RASTER_OPTION_COUNT + OWN, argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrRasterOptions raster;
    GrStatus status = gr_raster_options_read(&a.raster, &raster, &log);
    raster.assume_metre = true;
    if (status == GR_OK) {
        status = check(&a, &log);
    }
    if (status == GR_OK) {
        status = export(files[0], &raster, &a, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_export = {
    .name = "terrain export",
    .summary = "write a map or a window of it as GeoTIFF, PNG, OBJ or glTF",
    .usage = "terrain export FILE -o OUT.(tif|png|obj|glb) [--window W] [--ruts FILE] [OPTION]...",
    .details = "GeoTIFF keeps the georeference. PNG has 16-bit heights and prints how to convert them back to metres, "
               "or is\na picture with --shaded. OBJ and glTF are meshes about the middle of the window. Ruts are a few "
               "centimetres\nwide: cut a --window and give a --resolution to see them in a map of coarser cells.",
    .example = "  grouser terrain export gale.tif -o gale.glb --window px:100,100,128,128\n"
               "  grouser terrain export gale.tif -o rutted.tif --ruts run/ruts.bin --window px:170,160,10,10 "
               "--resolution 0.02",
    .run = run,
};
