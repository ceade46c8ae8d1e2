/// grouser terrain clean: removes outliers from a map and fills its voids.
#include "clean.h"
#include "json.h"
#include "report.h"
#include "terrain_command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct CleanArguments {
    GrRasterArguments raster;
    const char *out;
    GrPictureArguments picture;
    double threshold, kernel, sigma, samples, rounds, limit, seed;
    bool plain_kernel, keep_outliers, fill_border, json;
} CleanArguments;

static void print_report(const char *path, const GrCleaning *c, bool json)
{
    if (json) {
        GrJson out = gr_json_to_file(stdout, true);
        gr_json_begin_object(&out, NULL);
        gr_json_string(&out, "file", path);
        gr_json_number(&out, "cells", c->cells);
        gr_json_number(&out, "void_cells", c->voids);
        gr_json_number(&out, "outlier_cells", c->outliers);
        gr_json_number(&out, "filled_cells", c->filled);
        gr_json_number(&out, "left_cells", c->left);
        gr_json_integer(&out, "holes_filled", c->holes);
        gr_json_integer(&out, "holes_left", c->holes_left);
        gr_json_integer(&out, "largest_hole_cells", c->largest_hole);
        gr_json_number(&out, "largest_seam_m", c->largest_seam);
        gr_json_end(&out);
        gr_json_finish(&out); // main() checks stdout
        return;
    }
    printf("%.0f cells: %.0f without data, %.0f outliers\n", c->cells, c->voids, c->outliers);
    printf("filled %.0f cells in %d places, the largest of %lld cells, largest step at a seam %.3g m\n", c->filled,
           c->holes, (long long)c->largest_hole, c->largest_seam);
    if (c->holes_left > 0) {
        printf("left %.0f cells in %d places: at the border of the map (--fill-border), or too large (--hole-limit)\n",
               c->left, c->holes_left);
    }
}

/// The cleaned map in the type of the original, so that good cells do not change.
static GrStatus write_map(const char *path, const GrRaster *raster, GrSource source, GrErrorLog *log)
{
    GrRasterWrite how = gr_default_raster_write();
    const bool same = strcmp(raster->driver, "text") != 0;
    how.type = same ? raster->type : "Float64";
    how.scale = same ? raster->scale : 1;
    how.offset = same ? raster->offset : 0;
    how.nodata = isnan(raster->nodata) && (strcmp(how.type, "Byte") == 0 || strncmp(how.type, "UInt", 4) == 0) ? 0
                 : isnan(raster->nodata)                                                                       ? -32767
                                         : raster->nodata;
    GrProgress progress = gr_progress_begin("writing");
    const GrStatus status =
        gr_raster_write(path, &raster->frame, &raster->place, source, &how, gr_progress_update, &progress, log);
    gr_progress_end(&progress);
    return status;
}

static GrStatus clean(const char *path, const CleanArguments *a, const GrRasterOptions *options, GrErrorLog *log)
{
    GrCleanDef def = gr_default_clean_def();
    def.threshold = a->threshold;
    def.kernel_hole = (int)a->kernel;
    def.kernel_sigma = a->sigma > 0 ? a->sigma : 0.5 * a->kernel;
    def.samples = (int)a->samples;
    def.seam_rounds = (int)a->rounds;
    def.hole_limit = (int64_t)a->limit;
    def.seed = (uint64_t)a->seed;
    def.plain_kernel = a->plain_kernel;
    def.keep_outliers = a->keep_outliers;
    def.fill_border = a->fill_border;
    GrRaster raster;
    GrStatus status = gr_raster_open(path, options, &raster, log);
    if (status != GR_OK) {
        return status;
    }
    GrCleaning cleaning = {0};
    GrProgress progress = gr_progress_begin("cleaning");
    status = gr_clean(&raster.frame, raster.source, &def, &cleaning, gr_progress_update, &progress, log);
    gr_progress_end(&progress);
    GrCleanOverlay overlay = {&cleaning, raster.source};
    const GrSource source = gr_clean_overlay(&overlay);
    if (status == GR_OK) {
        status = write_map(a->out, &raster, source, log);
    }
    if (status == GR_OK) {
        status = gr_terrain_draw(&a->picture, &raster.frame, source, log);
    }
    if (status == GR_OK) {
        print_report(path, &cleaning, a->json);
        gr_terrain_wrote(a->out, a->json);
        if (a->picture.png != NULL) {
            gr_terrain_wrote(a->picture.png, a->json);
        }
    }
    gr_cleaning_free(&cleaning);
    gr_raster_close(&raster);
    return status;
}

static int run(int argc, char **argv)
{
    CleanArguments a = {.raster = gr_default_raster_arguments(),
                        .threshold = 0.7,
                        .kernel = 70,
                        .samples = 1000,
                        .rounds = 8,
                        .limit = 1e6,
                        .seed = 1};
    const GrOption own[] = {
        {.name = "out", .letter = 'o', .value = "FILE", .text = &a.out, .help = "the cleaned map, GeoTIFF (required)"},
        {.name = "png", .value = "FILE", .text = &a.picture.png, .help = "draw it, lit from the north-west"},
        {.name = "plain", .flag = &a.picture.plain, .help = "the picture without axes and legend"},
        {.name = "threshold", .value = "METRES", .number = &a.threshold, .help = "what makes an outlier (default 0.7)"},
        {.name = "kernel", .value = "CELLS", .number = &a.kernel, .help = "zeroed middle of the kernel (default 70)"},
        {.name = "sigma",
         .value = "CELLS",
         .number = &a.sigma,
         .help = "of the kernel's Gaussian (default: half the kernel)"},
        {.name = "plain-kernel", .flag = &a.plain_kernel, .help = "the kernel alone decides; for nearly flat maps"},
        {.name = "keep-outliers", .flag = &a.keep_outliers, .help = "fill voids only"},
        {.name = "samples", .value = "N", .number = &a.samples, .help = "samples for kriging (default 1000)"},
        {.name = "seam-rounds", .value = "N", .number = &a.rounds, .help = "7 x 7 averages of the bias (default 8)"},
        {.name = "fill-border", .flag = &a.fill_border, .help = "fill large voids at the map's border too"},
        {.name = "hole-limit", .value = "CELLS", .number = &a.limit, .help = "larger voids are left (default 1e6)"},
        {.name = "seed", .value = "N", .number = &a.seed, .help = "of the choice of samples (default 1)"},
        {.name = "json", .flag = &a.json, .help = "print the report as JSON"},
    };
    enum { OWN = sizeof own / sizeof own[0], ALL = OWN + GR_RASTER_OPTION_COUNT };
    GrOption options[ALL];
    memcpy(options, own, sizeof own);
    gr_raster_options_add(options + OWN, &a.raster);
    const char *files[1];
    int exit_code;
    if (gr_options_parse(&gr_terrain_clean, options, ALL, argc, argv, files, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrRasterOptions raster;
    GrStatus status = gr_raster_options_read(&a.raster, &raster, &log);
    if (status == GR_OK && a.out == NULL) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--out"}, "no output file: give -o FILE");
    }
    raster.assume_metre = true;
    a.picture.title = a.out;
    if (status == GR_OK) {
        status = gr_picture_check(&a.picture, &log);
    }
    if (status == GR_OK) {
        status = clean(files[0], &a, &raster, &log);
    }
    return gr_terrain_end(status, &log);
}

const GrCommand gr_terrain_clean = {
    .name = "terrain clean",
    .summary = "remove outliers from a map and fill its voids by kriging",
    .usage = "terrain clean FILE -o OUT.tif [OPTION]...",
    .details = "A cell is an outlier when it differs by more than the threshold from the mean around it (a Gaussian "
               "whose\nmiddle is zeroed, so that the cell's own surroundings do not count) and from the estimate of "
               "its neighbours.\nOutliers and voids are filled by kriging, and the bias at their seams is propagated "
               "inwards by 7 x 7 averages\n(Oettershagen et al. 2023, section 3.2). Good cells are unchanged. The "
               "defaults are for HiRISE maps of 1 m.",
    .example = "  grouser terrain clean raw.tif -o clean.tif --png clean.png",
    .run = run,
};
