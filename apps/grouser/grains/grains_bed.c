/// grouser grains prepare, and grains repose.
#include "alloc.h"
#include "grains_command.h"
#include "grains_yaml.h"
#include "number.h"
#include "plot.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const PREPARE_OUTPUT = "write the prepared bed, for the tests";

/// Heights along x, mean over y.
static GrStatus add_profile(const GrBin *bin, GrPage *page, const char *title)
{
    enum { MOST = 400 };
    const int n = (int)fmin(MOST, fmax(2, bin->def.size[0] / bin->mean_radius));
    double x[MOST], z[MOST], grid[MOST * 4];
    gr_bin_surface(bin, n, 4, grid);
    for (int k = 0; k < n; k++) {
        x[k] = 1000 * (k + 0.5) * bin->def.size[0] / n;
        z[k] = 1000 * (grid[k] + grid[n + k] + grid[2 * n + k] + grid[3 * n + k]) / 4;
    }
    const GrSeries line = {.name = "surface", .kind = GR_SERIES_LINE, .x = x, .y = z, .count = n};
    const GrPanel panel = {.title = title,
                           .x_label = "x [mm]",
                           .y_label = "height [mm]",
                           .series = &line,
                           .series_count = 1,
                           .zero_line = true};
    gr_page_panels(page, &panel, 1, NULL);
    return GR_OK;
}

static GrStatus write_prepared(const GrGrainsOptions *o, const GrBin *bin, GrErrorLog *log)
{
    char text[200];
    GrPage page = {0};
    GrStatus status = GR_OK;
    gr_grains_describe(bin, text, sizeof text);
    gr_page_begin(&page, "Bed of grains", bin->def.grains.title);
    gr_page_text(&page, "%s", text);
    gr_grains_facts(bin, &page);
    page.place = GR_PLACE_PAGE;
    add_profile(bin, &page, "surface");
    if (o->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "answer", text);
        gr_grains_json(bin, &json);
        gr_json_end(&json);
        gr_json_finish(&json);
    } else {
        gr_page_print(&page, stdout);
    }
    if (o->output != NULL) {
        status = gr_bin_save(bin, o->output, NULL, 0, log);
        if (status == GR_OK) {
            fprintf(o->json ? stderr : stdout, "wrote %s\n", o->output);
        }
    }
    if (status == GR_OK && o->html != NULL) {
        status = gr_report_page(o->html, &page, o->json, log);
    }
    gr_page_free(&page);
    return status == GR_OK ? gr_grains_surface(o, bin, log) : status;
}

static int run_prepare(int argc, char **argv)
{
    GrGrainsOptions o = {0};
    GrOption options[GR_GRAINS_COMMON];
    int exit_code;
    gr_grains_common(&o, PREPARE_OUTPUT, options);
    if (gr_options_parse(&gr_grains_prepare_command, options, GR_GRAINS_COMMON, argc, argv, &o.bed, 1, 1, &exit_code) <
        0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrBin *bin = NULL;
    GrStatus status = gr_grains_check(&o, &log);
    status = status == GR_OK ? gr_grains_bed(&o, &bin, &log) : status;
    status = status == GR_OK ? write_prepared(&o, bin, &log) : status;
    gr_bin_free(bin);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_prepare_command = {
    .name = "grains prepare",
    .summary = "fill a bin, let it settle, compact it",
    .usage = "grains prepare BED.yaml [-o bed.grains] [--set KEY=VALUE]... [--json]",
    .details = "Fills the bin with loose grains, lets them fall and come to rest, and compacts them to the bulk "
               "density of the\n"
               "file. The bed that it writes is a snapshot with all contacts, which the tests start from.",
    .example = "  grouser grains prepare bed.yaml -o bed.grains\n"
               "  grouser grains prepare bed.yaml --set bulk_density_kg_per_m3=1600 --json",
    .run = run_prepare,
};

// ---- repose

static GrStatus write_repose(const GrGrainsOptions *o, const GrBin *bin, const GrReposeAnswer *a, GrErrorLog *log)
{
    char text[200];
    GrPage page = {0};
    snprintf(text, sizeof text,
             "angle of repose %.1f ± %.1f degrees: %d grains of %.3g mm, %.0f mm high, foot at %.0f mm",
             a->angle * 180 / GR_PI, a->error * 180 / GR_PI, gr_bin_count(bin), 2000 * bin->mean_radius,
             1000 * a->height, 1000 * a->foot);
    gr_page_begin(&page, "Angle of repose", bin->def.grains.title);
    gr_page_text(&page, "%s", text);
    gr_grains_facts(bin, &page);
    page.place = GR_PLACE_PAGE;
    add_profile(bin, &page, "heap after the wall has drawn back");
    if (o->json) {
        GrJson json = gr_json_to_file(stdout, true);
        gr_json_begin_object(&json, NULL);
        gr_json_string(&json, "answer", text);
        gr_json_number(&json, "angle_deg", a->angle * 180 / GR_PI);
        gr_json_number(&json, "angle_error_deg", a->error * 180 / GR_PI);
        gr_json_number(&json, "height_m", a->height);
        gr_json_number(&json, "foot_m", a->foot);
        gr_grains_json(bin, &json);
        gr_json_end(&json);
        gr_json_finish(&json);
    } else {
        gr_page_print(&page, stdout);
    }
    GrStatus status = o->html != NULL ? gr_report_page(o->html, &page, o->json, log) : GR_OK;
    gr_page_free(&page);
    if (status == GR_OK && o->output != NULL) {
        status = gr_bin_save(bin, o->output, NULL, 0, log);
    }
    return status == GR_OK ? gr_grains_surface(o, bin, log) : status;
}

static int run_repose(int argc, char **argv)
{
    GrGrainsOptions o = {0};
    double speed = 0.05;
    GrOption options[GR_GRAINS_COMMON + 1];
    int exit_code;
    gr_grains_common(&o, "write the heap as a snapshot", options);
    options[GR_GRAINS_COMMON] =
        (GrOption){.name = "speed", .value = "M/S", .number = &speed, .help = "of the wall; default 0.05"};
    if (gr_options_parse(&gr_grains_repose_command, options, GR_GRAINS_COMMON + 1, argc, argv, &o.bed, 1, 1,
                         &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrBin *bin = NULL;
    GrBedDef bed;
    GrReposeAnswer answer = {0};
    GrStatus status = gr_grains_check(&o, &log);
    status = status == GR_OK ? gr_bed_load(o.bed, o.overrides.items, &bed, &log) : status;
    if (status == GR_OK) {
        GrProgress progress = gr_progress_begin("repose");
        const GrBedWatch watch = {gr_progress_update, &progress};
        GrReposeDef def = gr_default_repose_def(&bed);
        def.bed.bin.work = gr_grains_work(&o);
        def.bed.filled = bed.filled > 0 ? bed.filled : 0.45 * bed.bin.size[0];
        def.speed = speed;
        status = gr_repose_run(&def, &watch, &bin, &answer, &log);
        gr_progress_end(&progress);
    }
    status = status == GR_OK ? write_repose(&o, bin, &answer, &log) : status;
    gr_bin_free(bin);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_repose_command = {
    .name = "grains repose",
    .summary = "the angle of repose: a wall draws back from a bed",
    .usage = "grains repose BED.yaml [--speed M/S] [--set KEY=VALUE]... [--json]",
    .details = "Fills the part filled_m of the bin (0.45 of its length if the file does not say) up to a wall, draws "
               "the wall back\n"
               "slowly, and measures the slope that is left. The error is that of strips across the bin.",
    .example = "  grouser grains repose heap.yaml --html heap.html",
    .run = run_repose,
};
