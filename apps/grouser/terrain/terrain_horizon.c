#include "terrain_horizon.h"

#include "alloc.h"
#include "json.h"
#include "out_of_memory.h"
#include "report.h"

#include <math.h>
#include <stdio.h>

// ---- the map and its horizon

enum { FAR_FIELDS = 8, LEAST_AZIMUTHS = 4, MOST_AZIMUTHS = 3600 };
static const double LARGEST = 4e9; // of a horizon in memory [bytes]

GrHorizonArguments gr_default_horizon_arguments(void)
{
    return (GrHorizonArguments){.raster = gr_default_raster_arguments(), .azimuths = 90};
}

void gr_horizon_options_add(GrOption *options, GrHorizonArguments *a)
{
    gr_raster_options_add(options, &a->raster);
    const GrOption own[] = {
        {.name = "around",
         .value = "MAP",
         .list = &a->around,
         .help =
             "a larger, coarser map with the same projection, for what is seen beyond the map; may be repeated, the "
             "coarsest first"},
        {.name = "azimuths",
         .value = "N",
         .number = &a->azimuths,
         .help = "directions around each node, from north (default 90: every 4 degrees)"},
        {.name = "eye", .value = "METRES", .number = &a->eye, .help = "height above the ground (default 0)"},
        {.name = "flat", .flag = &a->flat, .help = "leave out the curvature of the body"},
        {.name = "threads", .value = "N", .number = &a->threads, .help = "number of threads (default: all processors)"},
    };
    for (int k = 0; k < GR_HORIZON_OPTION_COUNT - GR_RASTER_OPTION_COUNT; k++) {
        options[GR_RASTER_OPTION_COUNT + k] = own[k];
    }
}

static GrStatus check(const GrHorizonArguments *a, GrErrorLog *log)
{
    const GrStatus wrong = GR_ERROR_USAGE;
    if (!(a->azimuths >= LEAST_AZIMUTHS && a->azimuths <= MOST_AZIMUTHS) || a->azimuths != floor(a->azimuths)) {
        return gr_error_add(log, wrong, (GrLocation){.field = "--azimuths"},
                            "must be a whole number from %d to %d, not %g", LEAST_AZIMUTHS, MOST_AZIMUTHS, a->azimuths);
    }
    if (!(a->eye >= 0 && a->eye <= 10000)) {
        return gr_error_add(log, wrong, (GrLocation){.field = "--eye"}, "must be from 0 to 10000 m, not %g", a->eye);
    }
    if (!(a->threads >= 0 && a->threads <= 1024)) {
        return gr_error_add(log, wrong, (GrLocation){.field = "--threads"}, "must be from 0 to 1024, not %g",
                            a->threads);
    }
    return GR_OK;
}

static GrStatus read_heights(GrSkyMap *map, GrErrorLog *log)
{
    const GrGridFrame *f = &map->raster.frame;
    double *row = gr_malloc((size_t)f->nx * sizeof *row);
    map->heights = gr_malloc((size_t)(f->nx * f->ny) * sizeof *map->heights);
    if (row == NULL || map->heights == NULL) {
        gr_free(row);
        return gr_out_of_memory(log, NULL);
    }
    GrStatus status = GR_OK;
    for (int64_t j = 0; j < f->ny && status == GR_OK; j++) {
        status = map->raster.source.read(map->raster.source.context, (GrGridWindow){0, j, (int)f->nx, 1}, row, log);
        for (int64_t i = 0; i < f->nx && status == GR_OK; i++) {
            map->heights[j * f->nx + i] = (float)row[i];
        }
    }
    gr_free(row);
    return status;
}

GrStatus gr_sky_map_open(const char *path, const GrHorizonArguments *a, double body_radius, GrSkyMap *out,
                         GrErrorLog *log)
{
    *out = (GrSkyMap){.heights = NULL};
    GrRasterOptions options;
    GrStatus status = check(a, log);
    status = status == GR_OK ? gr_raster_options_read(&a->raster, &options, log) : status;
    if (status != GR_OK) {
        return status;
    }
    options.assume_metre = true;
    status = gr_raster_open(path, &options, &out->raster, log);
    if (status != GR_OK) {
        return status;
    }
    const double nodes = (double)out->raster.frame.nx * (double)out->raster.frame.ny;
    const double bytes = nodes * a->azimuths * sizeof(int16_t);
    if (bytes > LARGEST) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                         "the horizon of %.3g nodes in %g directions takes %.1f GB, more than %.0f: give a --window, "
                         "--coarsest or fewer --azimuths",
                         nodes, a->azimuths, 1e-9 * bytes, 1e-9 * LARGEST);
    }
    status = status == GR_OK ? read_heights(out, log) : status;
    const double radius = out->raster.place.radius > 0 ? out->raster.place.radius : body_radius;
    out->radius = a->flat || radius <= 0 ? (double)INFINITY : radius;
    if (status != GR_OK) {
        gr_sky_map_close(out);
    }
    return status;
}

/// Opens the maps around as one terrain, all in memory.
static GrStatus open_around(const GrTextList *paths, GrTerrain **out, GrErrorLog *log)
{
    GrRasterOptions options = gr_default_raster_options();
    options.assume_metre = true;
    const GrLayerDef def = gr_default_layer_def();
    gr_terrain_create(out, NULL);
    GrStatus status = *out != NULL ? GR_OK : gr_out_of_memory(log, NULL);
    for (int k = 0; k < paths->count && status == GR_OK; k++) {
        status = gr_terrain_add_file(*out, paths->items[k], &options, &def, log);
    }
    return status == GR_OK ? gr_terrain_prefetch(*out, gr_terrain_box(*out), log) : status;
}

/// The map's frame in the coordinates of the terrain around it.
static GrStatus place_in(const GrTerrain *around, const char *path, const GrSkyMap *map, GrGridFrame *frame,
                         GrErrorLog *log)
{
    const GrGeoreference *place = gr_terrain_georeference(around);
    *frame = map->raster.frame;
    frame->x0 -= place->origin_east;
    frame->y0 -= place->origin_north;
    if ((place->crs[0] != '\0') != map->raster.has_crs ||
        (map->raster.has_crs && !gr_raster_same_crs(place->crs, map->raster.place.crs))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .field = "--around"},
                            "the maps around must have the projection of the map");
    }
    const GrBox2 box = gr_terrain_box(around);
    const double x = frame->x0 + 0.5 * (double)frame->nx * frame->dx,
                 y = frame->y0 + 0.5 * (double)frame->ny * frame->dy;
    if (x < box.x_lower || x > box.x_upper || y < box.y_lower || y > box.y_upper) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path, .field = "--around"},
                            "the maps around do not contain the middle of the map");
    }
    return GR_OK;
}

GrStatus gr_sky_map_look(const char *path, const GrHorizonArguments *a, GrSkyMap *map, GrErrorLog *log)
{
    GrHorizonDef def = {.frame = map->raster.frame,
                        .heights = map->heights,
                        .azimuths = (int)a->azimuths,
                        .eye = a->eye,
                        .radius = map->radius,
                        .threads = (int)a->threads};
    GrTerrain *around = NULL;
    GrFarView far = {0, 0, NULL};
    GrStatus status = GR_OK;
    if (a->around.count > 0) {
        GrHorizonDef placed = def;
        status = open_around(&a->around, &around, log);
        status = status == GR_OK ? place_in(around, path, map, &placed.frame, log) : status;
        status = status == GR_OK ? gr_far_view_make(around, &placed, FAR_FIELDS, &far, log) : status;
        def.far = &far;
    }
    status = status == GR_OK ? gr_horizon_make(&def, &map->horizon, log) : status;
    gr_free(far.points);
    gr_terrain_free(around);
    return status;
}

void gr_sky_map_close(GrSkyMap *map)
{
    gr_free(map->heights);
    gr_horizon_free(&map->horizon);
    gr_raster_close(&map->raster);
    *map = (GrSkyMap){.heights = NULL};
}

// ---- the command

/// One azimuth of a horizon as a source of rows [deg].
typedef struct Band {
    const GrHorizon *horizon;
    int azimuth;
    char name[32];
} Band;

static GrStatus read_band(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Band *band = context;
    const GrGridFrame *f = &band->horizon->frame;
    const int16_t *angles = band->horizon->angles + (int64_t)band->azimuth * f->nx * f->ny;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const int16_t angle = angles[(window.j0 + j) * f->nx + window.i0 + i];
            *out++ = angle == GR_HORIZON_VOID ? (double)NAN : angle * (GR_HORIZON_UNIT / GR_DEGREE);
        }
    }
    return GR_OK;
}

static GrStatus write(const char *path, const GrSkyMap *map, GrErrorLog *log)
{
    const int count = map->horizon.azimuths;
    Band *bands = gr_calloc((size_t)count, sizeof *bands);
    GrRasterBand *rows = gr_calloc((size_t)count, sizeof *rows);
    GrStatus status = bands != NULL && rows != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (int k = 0; k < count && status == GR_OK; k++) {
        bands[k] = (Band){.horizon = &map->horizon, .azimuth = k};
        snprintf(bands[k].name, sizeof bands[k].name, "azimuth %.6g deg", 360.0 * k / count);
        rows[k] = (GrRasterBand){bands[k].name, "deg", {.read = read_band, .context = &bands[k]}};
    }
    if (status == GR_OK) {
        GrRasterWrite how = gr_default_raster_write();
        how.type = "Int16";
        how.scale = GR_HORIZON_UNIT / GR_DEGREE;
        how.nodata = GR_HORIZON_VOID;
        how.description = "elevation of the skyline, one band for each azimuth clockwise from north";
        how.bands = rows;
        how.band_count = count;
        status = gr_raster_write(path, &map->raster.frame, &map->raster.place, rows[0].source, &how, NULL, NULL, log);
    }
    gr_free(bands);
    gr_free(rows);
    return status;
}

/// Share of the sky that nodes see, by the cosine of the zenith angle: 1 on a plain.
static double sky_view(const GrHorizon *h)
{
    const int64_t nodes = h->frame.nx * h->frame.ny;
    double sum = 0;
    int64_t count = 0;
    for (int64_t k = 0; k < nodes * h->azimuths; k++) {
        if (h->angles[k] != GR_HORIZON_VOID) {
            const double edge = fmax(sin(h->angles[k] * GR_HORIZON_UNIT), 0);
            sum += 1 - edge * edge;
            count++;
        }
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

static void print_report(const GrSkyMap *map, bool json)
{
    int highest = -18000, lowest = 18000;
    const GrHorizon *h = &map->horizon;
    for (int64_t k = 0; k < h->frame.nx * h->frame.ny * h->azimuths; k++) {
        if (h->angles[k] != GR_HORIZON_VOID) {
            highest = h->angles[k] > highest ? h->angles[k] : highest;
            lowest = h->angles[k] < lowest && h->angles[k] > -18000 ? h->angles[k] : lowest;
        }
    }
    const double unit = GR_HORIZON_UNIT / GR_DEGREE;
    if (!json) {
        printf("%lld x %lld nodes, %d azimuths, %s\n", (long long)h->frame.nx, (long long)h->frame.ny, h->azimuths,
               isinf(map->radius) ? "flat ground" : "with the curvature of the body");
        printf("skyline %.2f to %.2f deg, share of the sky in sight %.3f\n", lowest * unit, highest * unit,
               sky_view(h));
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_integer(&out, "columns", h->frame.nx);
    gr_json_integer(&out, "rows", h->frame.ny);
    gr_json_integer(&out, "azimuths", h->azimuths);
    gr_json_number(&out, "body_radius_m", isinf(map->radius) ? (double)NAN : map->radius);
    gr_json_number(&out, "skyline_min_deg", lowest * unit);
    gr_json_number(&out, "skyline_max_deg", highest * unit);
    gr_json_number(&out, "sky_share", sky_view(h));
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

static int run(int argc, char **argv)
{
    GrHorizonArguments a = gr_default_horizon_arguments();
    const char *out = NULL;
    bool json = false;
    GrOption options[GR_HORIZON_OPTION_COUNT + 2];
    gr_horizon_options_add(options, &a);
    options[GR_HORIZON_OPTION_COUNT] =
        (GrOption){.name = "out", .letter = 'o', .value = "FILE", .text = &out, .help = "GeoTIFF, one band an azimuth"};
    options[GR_HORIZON_OPTION_COUNT + 1] = (GrOption){.name = "json", .flag = &json, .help = "print JSON"};
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_horizon, options, GR_HORIZON_OPTION_COUNT + 2, argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrSkyMap map;
    GrStatus status = gr_sky_map_open(files[0], &a, 0, &map, &log);
    if (status != GR_OK) {
        return gr_terrain_end(status, &log);
    }
    status = gr_sky_map_look(files[0], &a, &map, &log);
    status = status == GR_OK && out != NULL ? write(out, &map, &log) : status;
    if (status == GR_OK) {
        print_report(&map, json);
        if (out != NULL) {
            gr_terrain_wrote(out, json);
        }
    }
    gr_sky_map_close(&map);
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_horizon = {
    .name = "terrain horizon",
    .summary = "compute the skyline around every node of a map",
    .usage = "terrain horizon MAP [-o HORIZON.tif] [OPTION]...",
    .details =
        "The elevation of the terrain against the sky by azimuth, with the curvature of the body that the map's\n"
        "projection names. --around adds what is seen beyond the map.",
    .example = "  grouser terrain horizon site.tif --around region.tif -o horizon.tif",
    .run = run,
};
