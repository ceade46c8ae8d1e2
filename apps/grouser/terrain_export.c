/// grouser terrain export: a map, or a window of it, also with ruts, for other programs.
#include "file.h"
#include "hillshade.h"
#include "json.h"
#include "mesh.h"
#include "report.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MESH_NODES = 4000000 };

/// A raster with ruts over it. Ruts are in world coordinates, whose origin the terrain module sets.
typedef struct Rutted {
    const GrRaster *raster;
    const GrRuts *ruts;
    GrTerrain *flat; ///< all zero, wherever ruts are asked for
    double east, north;
} Rutted;

static GrStatus read_rutted(void *context, int64_t i0, int64_t j0, int ni, int nj, double *out, GrErrorLog *log)
{
    const Rutted *r = context;
    const GrGridFrame *f = &r->raster->frame;
    const GrStatus status = r->raster->source.read(r->raster->source.context, i0, j0, ni, nj, out, log);
    for (int64_t k = 0; k < (int64_t)ni * nj && r->ruts != NULL && status == GR_OK; k++) {
        const int64_t i = i0 + k % ni, j = j0 + k / ni;
        double change;
        if (gr_ground_height(r->flat, r->ruts, f->x0 + (double)i * f->dx - r->east,
                             f->y0 + (double)j * f->dy - r->north, &change) == GR_GROUND_OK) {
            out[k] += change;
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
        *out = gr_ruts_create(&def, log);
        status = *out != NULL ? gr_ruts_restore(*out, data, size, log) : GR_ERROR_MEMORY;
    }
    free(data);
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
    double *heights = malloc((size_t)(f->nx * f->ny) * sizeof *heights);
    if (heights == NULL) {
        return GR_ERROR_MEMORY;
    }
    GrStatus status = source.read(source.context, 0, 0, (int)f->nx, (int)f->ny, heights, log);
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
    free(heights);
    return status;
}

/// 16-bit grey from the lowest to the highest height; says how to turn it back.
static GrStatus write_grey(const char *path, const GrRaster *raster, GrSource source, GrRasterWrite *how,
                           GrErrorLog *log)
{
    const GrGridFrame *f = &raster->frame;
    double *row = malloc((size_t)f->nx * sizeof *row);
    GrStatus status = row != NULL ? GR_OK : GR_ERROR_MEMORY;
    double low = INFINITY, high = -INFINITY;
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        status = source.read(source.context, 0, j, (int)f->nx, 1, row, log);
        for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
            low = isnan(row[i]) ? low : fmin(low, row[i]);
            high = isnan(row[i]) ? high : fmax(high, row[i]);
        }
    }
    free(row);
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
    how->offset = low - how->scale; // 0 means: no data
    return gr_raster_write(path, f, &raster->place, source, how, NULL, NULL, log);
}

static GrStatus write_by_kind(const char *path, const GrRaster *raster, GrSource source, bool shaded, bool json,
                              GrErrorLog *log)
{
    const char *kind = extension(path);
    GrRasterWrite how = gr_default_raster_write();
    if (strcasecmp(kind, "obj") == 0 || strcasecmp(kind, "glb") == 0) {
        return write_mesh(path, raster, source, log);
    }
    if (strcasecmp(kind, "png") == 0 && shaded) {
        return gr_hillshade_write(path, &raster->frame, source, GR_PICTURE_PIXELS, log);
    }
    if (strcasecmp(kind, "png") == 0) {
        const GrStatus status = write_grey(path, raster, source, &how, log);
        if (status == GR_OK && !json) {
            printf("height = %.9g * value + %.9g m; value 0: no data\n", how.scale, how.offset);
        }
        return status;
    }
    if (strcasecmp(kind, "tif") == 0 || strcasecmp(kind, "tiff") == 0) {
        how.type = strcmp(raster->type, "Float32") == 0 ? "Float32" : "Float64";
        return gr_raster_write(path, &raster->frame, &raster->place, source, &how, NULL, NULL, log);
    }
    return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--out"},
                        "'%s' ends in none of .tif, .png, .obj and .glb", path);
}

static GrStatus export(const char *path, const GrRasterOptions *options, const char *out, const char *ruts, bool shaded,
                       bool json, GrErrorLog *log)
{
    GrRaster raster;
    GrStatus status = gr_raster_open(path, options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    static const double ZERO[4] = {0};
    Rutted rutted = {.raster = &raster};
    GrRuts *loaded = NULL;
    if (ruts != NULL) {
        status = load_ruts(ruts, &loaded, log);
        GrTerrain *world = status == GR_OK ? gr_terrain_open(path, log) : NULL;
        status = status == GR_OK && world == NULL ? GR_ERROR_FILE : status;
        if (status == GR_OK) {
            rutted.east = gr_terrain_georeference(world)->origin_east;
            rutted.north = gr_terrain_georeference(world)->origin_north;
            GrLayerDef def = gr_default_layer_def();
            def.frame = (GrGridFrame){2, 2, -1e9, -1e9, 2e9, 2e9};
            rutted.flat = gr_terrain_create();
            status = rutted.flat != NULL ? gr_terrain_add_grid(rutted.flat, &def, ZERO, log) : GR_ERROR_MEMORY;
            rutted.ruts = loaded;
        }
        gr_terrain_free(world);
    }
    if (status == GR_OK) {
        const GrSource source = {.read = read_rutted, .context = &rutted};
        status = write_by_kind(out, &raster, source, shaded, json, log);
    }
    if (status == GR_OK && json) {
        GrJson text = gr_json_to_file(stdout, true);
        gr_json_begin_object(&text, NULL);
        gr_json_string(&text, "file", out);
        gr_json_integer(&text, "columns", raster.frame.nx);
        gr_json_integer(&text, "rows", raster.frame.ny);
        gr_json_end(&text);
        gr_json_finish(&text); // main() looks at stdout
    }
    if (status == GR_OK) {
        gr_terrain_wrote(out, json);
    }
    gr_terrain_free(rutted.flat);
    gr_ruts_free(loaded);
    gr_raster_close(&raster);
    return status;
}

static int run(int argc, char **argv)
{
    GrRasterArguments arguments = gr_default_raster_arguments();
    bool json = false, shaded = false;
    const char *out = NULL, *ruts = NULL;
    enum { OWN = 4 };
    GrOption options[GR_RASTER_OPTION_COUNT + OWN] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &out, .help = ".tif, .png, .obj or .glb (required)"},
        {.name = "ruts", .value = "FILE", .text = &ruts, .help = "saved ruts to lay over the map"},
        {.name = "shaded", .flag = &shaded, .help = "a PNG to look at instead of one of heights"},
        {.name = "json", .flag = &json, .help = "print JSON"},
    };
    gr_raster_options_add(options + OWN, &arguments);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_export, options, GR_RASTER_OPTION_COUNT + OWN, argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrRasterOptions raster;
    GrStatus status = gr_raster_options_read(&arguments, &raster, &log);
    raster.assume_metre = true;
    if (status == GR_OK && out == NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--out"}, "where shall it go? -o FILE");
    }
    if (status == GR_OK && out != NULL) {
        status = export(files[0], &raster, out, ruts, shaded, json, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_export = {
    .name = "terrain export",
    .summary = "write a map or a window of it as GeoTIFF, PNG, OBJ or glTF",
    .usage = "terrain export FILE -o OUT.(tif|png|obj|glb) [--window W] [--ruts FILE] [OPTION]...",
    .details =
        "GeoTIFF keeps the georeference. PNG has 16-bit heights and says how to turn them back into metres, or is\n"
        "a picture with --shaded. OBJ and glTF are meshes about the middle of the window.",
    .example = "  grouser terrain export gale.tif -o gale.glb --window px:100,100,128,128\n"
               "  grouser terrain export gale.tif -o rutted.tif --ruts run/ruts.bin",
    .run = run,
};
