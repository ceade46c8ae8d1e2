/// grouser terrain generate: generates ground as GeoTIFF.
#include "alloc.h"
#include "asset_id.h"
#include "grouser/assets.h"
#include "json.h"
#include "map_statistics.h"
#include "memory_limit.h"
#include "report.h"
#include "table.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct GenerateArguments {
    GrTextList terms;
    const char *size, *out;
    GrPictureArguments picture;
    double cell, seed, jobs;
    bool json, no_cache, list;
} GenerateArguments;

static void print_kinds(void)
{
    for (int k = 0; gr_surface_kind(k) != NULL; k++) {
        const GrTermInfo *info = gr_surface_kind(k);
        printf("%s%s: %s\n", k > 0 ? "\n" : "", info->name, info->help);
        GrTable table = {.indent = 2};
        gr_table_heads(&table, "|>|");
        for (int p = 0; p < info->parameter_count; p++) {
            gr_table_text(&table, info->parameters[p].name);
            gr_table_number(&table, info->parameters[p].value, 6);
            gr_table_text(&table, info->parameters[p].help);
        }
        gr_table_print(&table, stdout);
        gr_table_free(&table);
    }
}

/// A map of the requested size with the origin at its centre.
static GrStatus read_frame(const GenerateArguments *a, GrGridFrame *f, GrErrorLog *log)
{
    double size[2];
    if (a->size == NULL || !(gr_numbers_read(a->size, size, 2) || gr_numbers_read(a->size, size, 1))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--size"},
                            "takes EAST,NORTH in metres, not '%s'", a->size != NULL ? a->size : "nothing");
    }
    size[1] = strchr(a->size, ',') != NULL ? size[1] : size[0];
    const double nx = nearbyint(size[0] / a->cell) + 1, ny = nearbyint(size[1] / a->cell) + 1;
    if (!(a->cell > 0 && nx >= 2 && ny >= 2 && nx * ny <= 4e8)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--size"},
                            "%g x %g m in cells of %g m: between 2 x 2 and 4e8 nodes can be made", size[0], size[1],
                            a->cell);
    }
    *f =
        (GrGridFrame){(int64_t)nx, (int64_t)ny, -0.5 * (nx - 1) * a->cell, -0.5 * (ny - 1) * a->cell, a->cell, a->cell};
    return GR_OK;
}

typedef struct Map {
    GrGridFrame frame;
    double *heights;
} Map;

static GrStatus read_map(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Map *map = context;
    for (int64_t j = 0; j < window.nj; j++) {
        memcpy(out + j * window.ni, map->heights + (window.j0 + j) * map->frame.nx + window.i0,
               (size_t)window.ni * sizeof *out);
    }
    return GR_OK;
}

static void print_report(const char *id, const GrGridFrame *f, const GrStatistics *s, bool cached, bool json)
{
    if (!json) {
        printf("%lld x %lld nodes of %g m, heights %.3f to %.3f m, median slope %.1f deg, Hurst exponent %.2f\n",
               (long long)f->nx, (long long)f->ny, f->dx, s->z_min, s->z_max, s->slope_median, s->hurst);
        printf("id %s%s\n", id, cached ? ", from the cache" : "");
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "id", id);
    gr_json_bool(&out, "cached", cached);
    gr_json_integer(&out, "columns", f->nx);
    gr_json_integer(&out, "rows", f->ny);
    gr_json_number(&out, "resolution_m", f->dx);
    gr_json_number(&out, "height_min_m", s->z_min);
    gr_json_number(&out, "height_max_m", s->z_max);
    gr_json_number(&out, "slope_median_deg", s->slope_median);
    gr_json_number(&out, "hurst", s->hurst);
    gr_json_begin_array(&out, "roughness");
    for (int k = 0; k < s->lag_count; k++) {
        gr_json_begin_object(&out, NULL);
        gr_json_number(&out, "lag_m", s->lags[k]);
        gr_json_number(&out, "rms_deviation_m", s->deviations[k]);
        gr_json_end(&out);
    }
    gr_json_end(&out);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

/// Takes the map from the cache, or generates it and puts it there. `map->heights` is filled either way.
static GrStatus make(const GrSurface *surface, const GenerateArguments *a, const char *id, Map *map, bool *cached,
                     GrErrorLog *log)
{
    const GrSource source = {.read = read_map, .context = map};
    *cached = !a->no_cache && gr_asset_cache_get(id, ".tif", a->out);
    if (*cached) {
        const GrRasterOptions options = gr_default_raster_options();
        GrRaster raster;
        GrStatus status = gr_raster_open(a->out, &options, &raster, log);
        if (status == GR_OK) {
            status = raster.source.read(
                raster.source.context, (GrGridWindow){0, 0, (int)map->frame.nx, (int)map->frame.ny}, map->heights, log);
            gr_raster_close(&raster);
        }
        return status;
    }
    gr_surface_bake(surface, &map->frame, (int)a->jobs, map->heights);
    char crs[1] = "";
    const GrGeoreference place = {.crs = crs};
    GrRasterWrite how = gr_default_raster_write();
    how.type = "Float64"; // the heights as they were computed
    how.description = id;
    const GrStatus status = gr_raster_write(a->out, &map->frame, &place, source, &how, NULL, NULL, log);
    if (status == GR_OK && !a->no_cache) {
        gr_asset_cache_put(id, ".tif", a->out);
    }
    return status;
}

static GrStatus generate(const GenerateArguments *a, GrErrorLog *log)
{
    Map map = {0};
    GrStatus status = read_frame(a, &map.frame, log);
    if (status != GR_OK) {
        return status;
    }
    const GrGridFrame *f = &map.frame;
    status =
        gr_memory_require((double)f->nx * (double)f->ny * sizeof *map.heights, (GrLocation){.field = "--size"},
                          "a map takes eight bytes for each node: choose a smaller --size or a larger --cell", log);
    if (status != GR_OK) {
        return status;
    }
    const GrBox2 box = {f->x0, f->y0, -f->x0, -f->y0};
    GrSurface *surface = NULL;
    gr_surface_create(a->terms.items, a->terms.count, (uint64_t)a->seed, box, &surface, log);
    map.heights = gr_malloc(((size_t)(f->nx * f->ny) + 1) * sizeof *map.heights);
    if (surface == NULL || map.heights == NULL) {
        gr_surface_free(surface);
        gr_free(map.heights);
        return surface == NULL ? GR_ERROR_VALUE : GR_ERROR_MEMORY;
    }
    char id[GR_ASSET_ID_SIZE];
    bool cached;
    gr_surface_id(surface, f, id);
    status = make(surface, a, id, &map, &cached, log);
    const GrSource source = {.read = read_map, .context = &map};
    GrStatistics statistics;
    if (status == GR_OK) {
        status = gr_statistics_compute(f, (GrReaders){&source, 1}, &statistics, NULL, NULL, log);
    }
    if (status == GR_OK) {
        status = gr_terrain_draw(&a->picture, f, source, log);
    }
    if (status == GR_OK) {
        print_report(id, f, &statistics, cached, a->json);
        gr_terrain_wrote(a->out, a->json);
        if (a->picture.png != NULL) {
            gr_terrain_wrote(a->picture.png, a->json);
        }
    }
    gr_surface_free(surface);
    gr_free(map.heights);
    return status;
}

static int run(int argc, char **argv)
{
    GenerateArguments a = {.cell = 0.1, .seed = 1, .jobs = 1};
    const GrOption options[] = {
        {.name = "add", .value = "TERM", .list = &a.terms, .help = "KIND:NAME=VALUE,…; may be repeated, terms add up"},
        {.name = "size", .value = "EAST,NORTH", .text = &a.size, .help = "size of the map [m]; one number: square"},
        {.name = "cell", .value = "METRES", .number = &a.cell, .help = "spacing of the nodes (default 0.1)"},
        {.name = "seed", .value = "N", .number = &a.seed, .help = "default 1"},
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.out, .help = "the GeoTIFF to write"},
        {.name = "png", .value = "FILE", .text = &a.picture.png, .help = "draw it, lit from the north-west"},
        {.name = "plain", .flag = &a.picture.plain, .help = "the picture without axes and legend"},
        {.name = "jobs", .letter = 'j', .value = "N", .number = &a.jobs, .help = "threads (default 1); same bytes"},
        {.name = "no-cache", .flag = &a.no_cache, .help = "do not use the cache"},
        {.name = "list", .flag = &a.list, .help = "list the kinds of terms and their parameters"},
        {.name = "json", .flag = &a.json, .help = "print JSON"},
    };
    int exit_code;
    if (gr_options_parse(&gr_terrain_generate, options, sizeof options / sizeof options[0], argc, argv, NULL, 0, 0,
                         &exit_code) < 0) {
        return exit_code;
    }
    if (a.list) {
        print_kinds();
        return GR_EXIT_OK;
    }
    GrErrorLog log = {0};
    GrStatus status = GR_OK;
    if (a.out == NULL || a.terms.count == 0 || !(a.seed >= 0 && a.seed <= 9007199254740992.0)) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){0},
                              "terrain generate needs -o FILE, --size, one --add or more, and a seed of 0 or more");
    }
    if (status == GR_OK) {
        status = gr_picture_check(&a.picture, &log);
    }
    if (status == GR_OK) {
        a.picture.title = a.out;
        status = generate(&a, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_generate = {
    .name = "terrain generate",
    .summary = "generate ground: planes, steps, ramps, roughness, craters, ripples, a lander",
    .usage = "terrain generate --size EAST,NORTH --add TERM... -o OUT.tif [OPTION]...",
    .details = "Generates a map as the sum of terms, each from its own stream of the seed. The origin is the map's "
               "centre.\nThe same terms and seed give the same bytes, with any number of threads; the id is a hash of "
               "them,\nand generated maps are cached under it in $GROUSER_CACHE, or in ~/.cache/grouser.",
    .example = "  grouser terrain generate --size 200 --cell 0.25 -o moon.tif --png moon.png \\\n"
               "    --add fractal:hurst=0.9,rms_m=0.04,lag_m=1 --add craters:smallest_m=1,largest_m=60,kt_m2=2\n"
               "  grouser terrain generate --list",
    .run = run,
};
