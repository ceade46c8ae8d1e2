/// grouser terrain info: georeference, slopes and roughness of a map.
#include "json.h"
#include "map_statistics.h"
#include "processors.h"
#include "report.h"
#include "table.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>

static void write_place(GrJson *json, const GrRaster *r)
{
    const GrGridFrame *f = &r->frame;
    gr_json_integer(json, "columns", f->nx);
    gr_json_integer(json, "rows", f->ny);
    gr_json_number(json, "resolution_m", f->dx);
    gr_json_number(json, "resolution_north_m", f->dy);
    gr_json_number(json, "width_m", (double)f->nx * f->dx);
    gr_json_number(json, "length_m", (double)f->ny * f->dy);
    gr_json_numbers(json, "map_box_m",
                    (const double[4]){f->x0 - 0.5 * f->dx, f->y0 - 0.5 * f->dy, f->x0 + ((double)f->nx - 0.5) * f->dx,
                                      f->y0 + ((double)f->ny - 0.5) * f->dy},
                    4);
    gr_json_bool(json, "georeferenced", r->has_crs);
    gr_json_number(json, "center_lon_deg", r->lon);
    gr_json_number(json, "center_lat_deg", r->lat);
    gr_json_string(json, "body", r->place.body);
    gr_json_number(json, "body_radius_m", r->place.radius > 0 ? r->place.radius : (double)NAN);
    gr_json_number(json, "inverse_flattening", r->place.inverse_flattening);
    gr_json_number(json, "scale_east", r->scale_east > 0 ? r->scale_east : (double)NAN);
    gr_json_number(json, "scale_north", r->scale_north > 0 ? r->scale_north : (double)NAN);
    gr_json_string(json, "crs", r->place.crs);
}

/// How the figures were computed: from all cells or from blocks, with heights and voids from an overview or not.
typedef struct Looked {
    GrStatistics statistics;
    double cells;    ///< of the map
    double overview; ///< cells of the map along a cell of the overview; 1: none was read
} Looked;

static const char *looked_at(const Looked *l)
{
    return l->statistics.share >= 1 ? "all cells" : l->overview > 1 ? "blocks and overview" : "blocks";
}

static double void_share(const Looked *l)
{
    return l->statistics.cells > 0 ? l->statistics.voids / l->statistics.cells : 0;
}

static void write_statistics(GrJson *json, const Looked *looked)
{
    const GrStatistics *s = &looked->statistics;
    gr_json_string(json, "statistics_from", looked_at(looked));
    gr_json_number(json, "share_looked_at", s->share);
    gr_json_number(json, "overview_factor", looked->overview);
    gr_json_number(json, "void_cells", floor(void_share(looked) * looked->cells + 0.5));
    gr_json_number(json, "void_share", void_share(looked));
    gr_json_number(json, "height_min_m", s->z_min);
    gr_json_number(json, "height_max_m", s->z_max);
    gr_json_number(json, "height_mean_m", s->z_mean);
    gr_json_number(json, "height_deviation_m", s->z_deviation);
    gr_json_number(json, "slope_median_deg", s->slope_median);
    gr_json_number(json, "slope_mean_deg", s->slope_mean);
    gr_json_number(json, "slope_p95_deg", s->slope_p95);
    gr_json_number(json, "slope_max_deg", s->slope_max);
    gr_json_begin_array(json, "slope_histogram");
    for (int k = 0; k < GR_SLOPE_ROWS; k++) {
        gr_json_begin_object(json, NULL);
        gr_json_number(json, "from_deg", 5.0 * k);
        gr_json_number(json, "to_deg", k + 1 < GR_SLOPE_ROWS ? 5.0 * (k + 1) : 90);
        gr_json_number(json, "share", s->slope_histogram[k]);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_begin_array(json, "roughness");
    for (int k = 0; k < s->lag_count; k++) {
        gr_json_begin_object(json, NULL);
        gr_json_number(json, "lag_m", s->lags[k]);
        gr_json_number(json, "rms_deviation_m", s->deviations[k]);
        gr_json_end(json);
    }
    gr_json_end(json);
    gr_json_number(json, "hurst", s->hurst);
    gr_json_number(json, "cell_change_p95_m", s->cell_change_p95);
}

static void write_warnings(GrJson *json, const GrErrorLog *log)
{
    gr_json_begin_array(json, "warnings");
    for (int k = 0; k < log->count; k++) {
        gr_json_string(json, NULL, log->items[k].text);
    }
    gr_json_end(json);
}

static void print_json(const char *path, const GrRaster *r, const Looked *looked, const GrErrorLog *log)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "file", path);
    gr_json_string(&json, "format", r->driver);
    gr_json_string(&json, "type", r->type);
    gr_json_number(&json, "nodata", r->nodata);
    gr_json_number(&json, "height_scale", r->scale);
    gr_json_number(&json, "height_offset_m", r->offset);
    gr_json_integer(&json, "overviews", r->overviews);
    gr_json_string(&json, "pixel_is", r->pixel_is_point ? "point" : "area");
    write_place(&json, r);
    write_statistics(&json, looked);
    write_warnings(&json, log);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static void row(GrTable *table, const char *name, const char *format, ...) GR_PRINTF(3, 4);

static void row(GrTable *table, const char *name, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    gr_table_text(table, name);
    gr_table_text(table, text);
}

static void add_place_rows(GrTable *table, const GrRaster *r)
{
    const GrGridFrame *f = &r->frame;
    row(table, "format", "%s, %s, pixel is %s", r->driver, r->type, r->pixel_is_point ? "point" : "area");
    row(table, "size", "%lld x %lld cells, %.6g x %.6g m", (long long)f->nx, (long long)f->ny, (double)f->nx * f->dx,
        (double)f->ny * f->dy);
    row(table, "resolution", f->dx == f->dy ? "%.6g m" : "%.6g m east, %.6g m north", f->dx, f->dy);
    if (r->has_crs) {
        row(table, "body", "%s, radius %.9g m", r->place.body, r->place.radius);
    } else {
        row(table, "body", "no georeference");
    }
    if (!isnan(r->lon)) {
        row(table, "centre", "%.5f deg %s, %.5f deg %s", fabs(r->lon), r->lon < 0 ? "W" : "E", fabs(r->lat),
            r->lat < 0 ? "S" : "N");
    }
    row(table, "map", "east %.3f to %.3f m, north %.3f to %.3f m", f->x0 - 0.5 * f->dx,
        f->x0 + ((double)f->nx - 0.5) * f->dx, f->y0 - 0.5 * f->dy, f->y0 + ((double)f->ny - 0.5) * f->dy);
}

static void print_table(const GrRaster *r, const Looked *looked)
{
    const GrStatistics *s = &looked->statistics;
    const bool all = s->share >= 1;
    GrTable table = {0};
    gr_table_heads(&table, "|");
    add_place_rows(&table, r);
    row(&table, "heights", "%.2f to %.2f m, mean %.2f m", s->z_min, s->z_max, s->z_mean);
    row(&table, "voids", "%s%.0f cells, %.3g %%", all ? "" : "about ", void_share(looked) * looked->cells,
        100 * void_share(looked));
    row(&table, "slopes", "median %.1f, 95 %% below %.1f, largest %.1f deg", s->slope_median, s->slope_p95,
        s->slope_max);
    if (isnan(s->hurst)) {
        row(&table, "Hurst exponent", "unknown, the map is too small or flat");
    } else {
        row(&table, "Hurst exponent", "%.2f", s->hurst);
    }
    if (!all) {
        row(&table, "sampled", "slopes and roughness: %.3g %% of the map, in blocks spread over it", 100 * s->share);
        if (looked->overview > 1) {
            row(&table, "", "heights and voids: those blocks and the overview 1 : %.4g", looked->overview);
        } else {
            row(&table, "", "heights and voids: the same blocks");
        }
    }
    if (r->overview > 1) {
        row(&table, "overview", "1 : %.4g of the file", r->overview);
    }
    gr_table_print(&table, stdout);
    gr_table_free(&table);
    GrTable slopes = {.indent = 2};
    gr_table_heads(&slopes, "slope [deg]|>share|>lag [m]|>RMS deviation [m]");
    for (int k = 0; k < GR_SLOPE_ROWS; k++) {
        gr_table_printf(&slopes, k + 1 < GR_SLOPE_ROWS ? "%2d to %d" : "%2d or more", 5 * k, 5 * (k + 1));
        gr_table_printf(&slopes, "%5.1f %%", 100 * s->slope_histogram[k]);
        if (k < s->lag_count) {
            gr_table_printf(&slopes, "%.4g", s->lags[k]);
            gr_table_printf(&slopes, "%.3g", s->deviations[k]);
        } else {
            gr_table_text(&slopes, "");
            gr_table_text(&slopes, "");
        }
    }
    puts("");
    gr_table_print(&slopes, stdout);
    gr_table_free(&slopes);
}

/// Warns about common problems of planetary maps: heights that are distances from the body's centre, and voids that the
/// file does not declare.
static void warn_of_traps(const GrRaster *r, const GrStatistics *s, const char *path, GrErrorLog *log)
{
    if (r->place.radius > 0 && fabs(s->z_mean / r->place.radius - 1) < 0.05) {
        gr_warning_add(log, (GrLocation){.file = path},
                       "its heights, about %.6g m, look like distances from the body's centre: --subtract-radius makes "
                       "them elevations",
                       s->z_mean);
    }
    static const double SUSPECTS[] = {-32768, -32767, -9999, -99999};
    for (int k = 0; k < 4; k++) {
        if (s->z_min == r->scale * SUSPECTS[k] + r->offset && s->z_mean - s->z_min > 2 * s->z_deviation) {
            gr_warning_add(log, (GrLocation){.file = path},
                           "its lowest value, %.0f, often means that there is no data: declare it with --nodata %.0f",
                           SUSPECTS[k], SUSPECTS[k]);
        }
    }
    if (s->voids == s->cells) {
        gr_warning_add(log, (GrLocation){.file = path}, "has no cell with data");
    }
}

/// Opens an overview that has at least `most` cells along the longer side of the map; false when the map itself must be
/// used.
static bool open_overview(const char *path, const GrRasterOptions *options, const GrRaster *map, int most,
                          GrRaster *out)
{
    const GrGridFrame *f = &map->frame;
    GrRasterOptions coarse = *options;
    coarse.coarsest = fmax((double)f->nx * f->dx, (double)f->ny * f->dy) / most;
    if (map->overviews == 0 || coarse.coarsest <= f->dx || gr_raster_open(path, &coarse, out, NULL) != GR_OK) {
        return false;
    }
    if (!(out->overview > map->overview)) {
        gr_raster_close(out);
        return false;
    }
    return true;
}

/// Heights and voids of a map that was sampled in blocks, from an overview of all of it. Slopes and roughness depend on
/// the cell size and remain those of the blocks; so do extreme heights that occur only in blocks.
static GrStatus add_overview(const char *path, const GrRasterOptions *options, const GrRaster *map, Looked *looked,
                             GrErrorLog *log)
{
    enum { ENOUGH = 2000 };
    GrRaster coarse;
    if (!open_overview(path, options, map, ENOUGH, &coarse)) {
        return GR_OK;
    }
    GrStatistics all, *s = &looked->statistics;
    const GrStatus status = gr_statistics_compute(&coarse.frame, (GrReaders){&coarse.source, 1}, &all, NULL, NULL, log);
    if (status == GR_OK) {
        s->z_min = fmin(s->z_min, all.z_min);
        s->z_max = fmax(s->z_max, all.z_max);
        s->z_mean = all.z_mean;
        s->z_deviation = all.z_deviation;
        s->voids = all.voids / all.cells * s->cells;
        looked->overview = coarse.overview;
    }
    gr_raster_close(&coarse);
    return status;
}

static GrStatus draw(const char *path, const GrRasterOptions *options, const GrRaster *map,
                     const GrPictureArguments *picture, GrErrorLog *log)
{
    GrRaster coarse;
    if (!open_overview(path, options, map, GR_PICTURE_PIXELS, &coarse)) {
        if ((double)map->frame.nx * (double)map->frame.ny > 1e9) {
            gr_warning_add(log, (GrLocation){.file = path},
                           "has no overviews, so that drawing it takes long: make them with gdaladdo -r average FILE 2 "
                           "4 8 16 32 64");
        }
        return gr_terrain_draw(picture, &map->frame, map->source, log);
    }
    const GrStatus status = gr_terrain_draw(picture, &coarse.frame, coarse.source, log);
    gr_raster_close(&coarse);
    return status;
}

/// Statistics of a map. A large one is opened once for each processor, and each has a thread.
static GrStatus look(const char *path, const GrRasterOptions *options, const GrRaster *map, GrStatistics *out,
                     GrErrorLog *log)
{
    enum { MOST = 16 };
    static const double LARGE = 2e6; // cells
    GrRaster more[MOST];
    GrSource sources[MOST] = {map->source};
    int count = 1;
    const bool large = map->is_gdal && (double)map->frame.nx * (double)map->frame.ny > LARGE;
    const int threads = gr_processor_count();
    while (large && count < threads && count < MOST && gr_raster_open(path, options, &more[count], NULL) == GR_OK) {
        sources[count] = more[count].source;
        count++;
    }
    gr_raster_expect_readers(count);
    GrProgress progress = gr_progress_begin("terrain info");
    const GrStatus status =
        gr_statistics_compute(&map->frame, (GrReaders){sources, count}, out, gr_progress_update, &progress, log);
    gr_progress_end(&progress);
    for (int k = 1; k < count; k++) {
        gr_raster_close(&more[k]);
    }
    return status;
}

static GrStatus inform(const char *path, const GrRasterOptions *options, bool json, const GrPictureArguments *picture,
                       GrErrorLog *log)
{
    GrRaster raster;
    GrStatus status = gr_raster_open(path, options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    Looked looked = {.cells = (double)raster.frame.nx * (double)raster.frame.ny, .overview = 1};
    status = look(path, options, &raster, &looked.statistics, log);
    if (status == GR_OK && looked.statistics.share < 1) {
        status = add_overview(path, options, &raster, &looked, log);
    }
    if (status == GR_OK) {
        warn_of_traps(&raster, &looked.statistics, path, log);
        if (json) {
            print_json(path, &raster, &looked, log);
        } else {
            print_table(&raster, &looked);
        }
    }
    if (status == GR_OK && picture->png != NULL) {
        status = draw(path, options, &raster, picture, log);
        if (status == GR_OK) {
            gr_terrain_wrote(picture->png, json);
        }
    }
    gr_raster_close(&raster);
    return status;
}

static int run(int argc, char **argv)
{
    GrRasterArguments arguments = gr_default_raster_arguments();
    bool json = false;
    GrPictureArguments picture = {0};
    enum { OWN = 3 };
    GrOption options[GR_RASTER_OPTION_COUNT + OWN] = {
        {.name = "json", .flag = &json, .help = "print JSON"},
        {.name = "png", .value = "FILE", .text = &picture.png, .help = "draw it, lit from the north-west"},
        {.name = "plain", .flag = &picture.plain, .help = "the picture without axes and legend"},
    };
    gr_raster_options_add(options + OWN, &arguments);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_info, options, GR_RASTER_OPTION_COUNT + OWN, argc, argv, files, 1, 1, &exit_code) <
        0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrRasterOptions raster;
    GrStatus status = gr_raster_options_read(&arguments, &raster, &log);
    raster.assume_metre = true;
    if (status == GR_OK) {
        status = gr_picture_check(&picture, &log);
    }
    if (status == GR_OK) {
        picture.title = files[0];
        status = inform(files[0], &raster, json, &picture, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_info = {
    .name = "terrain info",
    .summary = "describe a map: size, position, heights, slopes, roughness, voids",
    .usage = "terrain info FILE [--window W] [--png FILE] [--json]",
    .details = "Prints size, resolution, body and place of a map, its heights, slopes and roughness (RMS difference "
               "of\nheights against their distance, and the Hurst exponent), and how much of it has no data.\nFor a "
               "map of more than 1e8 cells, slopes and roughness are those of blocks spread over it, and heights\nand "
               "voids those of an overview if the file has one.",
    .example = "  grouser terrain info gale.tif --png gale.png\n"
               "  grouser terrain info moon.tif --window lonlat:-3.5,26.0,-3.4,26.1 --json",
    .run = run,
};
