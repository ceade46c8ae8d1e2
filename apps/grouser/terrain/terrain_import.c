/// grouser terrain import: a window of any map as a plain GeoTIFF of heights in metres.
#include "json.h"
#include "report.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Counter {
    GrSource source;
    double good;
} Counter;

/// Passes heights on and counts the good ones: a map that has only voids is not imported.
static GrStatus read_counted(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    Counter *counter = context;
    const GrStatus status = counter->source.read(counter->source.context, window, out, log);
    for (int64_t k = 0; k < (int64_t)window.ni * window.nj && status == GR_OK; k++) {
        counter->good += !isnan(out[k]);
    }
    return status;
}

static void print_json(const char *path, const GrRaster *r, double good)
{
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "file", path);
    gr_json_integer(&json, "columns", r->frame.nx);
    gr_json_integer(&json, "rows", r->frame.ny);
    gr_json_number(&json, "resolution_m", r->frame.dx);
    gr_json_number(&json, "resolution_north_m", r->frame.dy);
    gr_json_number(&json, "center_lon_deg", r->lon);
    gr_json_number(&json, "center_lat_deg", r->lat);
    gr_json_number(&json, "void_cells", (double)r->frame.nx * (double)r->frame.ny - good);
    gr_json_end(&json);
    gr_json_finish(&json); // main() checks stdout
}

static GrStatus import(const char *path, const GrRasterOptions *options, const char *out,
                       const GrPictureArguments *picture, bool json, GrErrorLog *log)
{
    GrRaster raster;
    GrStatus status = gr_raster_open(path, options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    Counter counter = {.source = raster.source};
    GrRasterWrite how = gr_default_raster_write();
    how.type = strcmp(raster.type, "Float32") == 0 && raster.scale == 1 && raster.offset == 0 ? "Float32" : "Float64";
    GrProgress progress = gr_progress_begin("terrain import");
    status = gr_raster_write(out, &raster.frame, &raster.place, (GrSource){.read = read_counted, .context = &counter},
                             &how, gr_progress_update, &progress, log);
    gr_progress_end(&progress);
    if (status == GR_OK && counter.good == 0) {
        remove(out);
        status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                              "has no cell with data in the window: all %lld x %lld are nodata",
                              (long long)raster.frame.nx, (long long)raster.frame.ny);
    }
    if (status == GR_OK) {
        status = gr_terrain_draw(picture, &raster.frame, raster.source, log);
    }
    if (status == GR_OK) {
        if (json) {
            print_json(out, &raster, counter.good);
        } else {
            printf("%lld x %lld cells of %g m\n", (long long)raster.frame.nx, (long long)raster.frame.ny,
                   raster.frame.dx);
        }
        gr_terrain_wrote(out, json);
        if (picture->png != NULL) {
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
    const char *out = NULL;
    GrPictureArguments picture = {0};
    enum { OWN = 4 };
    GrOption options[GR_RASTER_OPTION_COUNT + OWN] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &out, .help = "the GeoTIFF to write (required)"},
        {.name = "png", .value = "FILE", .text = &picture.png, .help = "draw it, lit from the north-west"},
        {.name = "plain", .flag = &picture.plain, .help = "the picture without axes and legend"},
        {.name = "json", .flag = &json, .help = "print JSON"},
    };
    gr_raster_options_add(options + OWN, &arguments);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_import, options, GR_RASTER_OPTION_COUNT + OWN, argc, argv, files, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrRasterOptions raster;
    GrStatus status = gr_raster_options_read(&arguments, &raster, &log);
    if (status == GR_OK && out == NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--out"}, "no output file: give -o FILE");
    }
    if (status == GR_OK) {
        status = gr_picture_check(&picture, &log);
    }
    if (status == GR_OK) {
        picture.title = out;
        status = import(files[0], &raster, out, &picture, json, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_import = {
    .name = "terrain import",
    .summary = "cut a window out of any map and write it as GeoTIFF",
    .usage = "terrain import FILE -o OUT.tif [--window W] [OPTION]...",
    .details = "Reads GeoTIFF, COG, PDS3, PDS4, ISIS, PNG and all other formats of GDAL, and .csv, .xyz and .txt "
               "grids;\napplies scale, offset and nodata; writes heights in metres with their georeference.\nA grid in "
               "degrees is refused with the command that reprojects it.",
    .example = "  grouser terrain import dtm.img -o site.tif --window lonlat:137.36,-4.67,137.38,-4.66\n"
               "  grouser terrain import heights.png -o site.tif --cell 2 --height-scale 0.00075 --height-offset -20",
    .run = run,
};
