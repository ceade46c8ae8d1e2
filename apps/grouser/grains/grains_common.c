/// What the subcommands of `grouser grains` share: common options, the bed, facts about it, the surface that is left.
#include "grains_command.h"

#include "alloc.h"
#include "bed.h"
#include "cuda.h"
#include "grains_yaml.h"
#include "number.h"
#include "out_of_memory.h"
#include "parts.h"
#include "raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void gr_grains_common(GrGrainsOptions *o, const char *output, GrOption *options)
{
    const GrOption common[GR_GRAINS_COMMON] = {
        {.name = "set", .value = "KEY=VALUE", .list = &o->overrides, .help = "replace a value of the bed's file"},
        {.name = "jobs",
         .letter = 'j',
         .value = "N",
         .number = &o->threads,
         .help = "threads; default: one a processor"},
        {.name = "device", .value = "DEVICE", .text = &o->device, .help = GR_GRAINS_DEVICE_HELP},
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o->output, .help = output},
        {.name = "csv", .value = "FILE", .text = &o->csv, .help = "write the numbers as CSV"},
        {.name = "html", .value = "FILE", .text = &o->html, .help = "write a page"},
        {.name = "surface",
         .value = "FILE.tif",
         .text = &o->surface,
         .help = "write the surface left behind as a raster"},
        {.name = "json", .flag = &o->json, .help = "print JSON"},
    };
    memcpy(options, common, sizeof common);
}

GrStatus gr_grains_check(const GrGrainsOptions *o, GrErrorLog *log)
{
    if (!(o->threads >= 0 && o->threads <= 64 && o->threads == floor(o->threads))) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--jobs"}, "takes a whole number, 1 to 64");
    }
    int gpu;
    GrStatus status = gr_device_parse(o->device, &gpu, log);
    status = status == GR_OK && gpu > 0 ? gr_bed_device_check(gpu, log) : status;
    if (status != GR_OK) {
        return status;
    }
#ifndef GR_WITH_GDAL
    if (o->surface != NULL) {
        return gr_part_missing("GDAL", (GrLocation){.field = "--surface"}, log);
    }
#endif
    return GR_OK;
}

GrBinWork gr_grains_work(const GrGrainsOptions *o)
{
    GrBinWork work = {.threads = (int)o->threads};
    gr_device_parse(o->device, &work.gpu, NULL);
    return work;
}

GrStatus gr_grains_bed(const GrGrainsOptions *o, GrBin **bin, GrErrorLog *log)
{
    const GrBinWork work = gr_grains_work(o);
    if (gr_bin_is_snapshot(o->bed)) {
        if (o->overrides.count > 0) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--set"},
                                "changes a bed's file; %s is a prepared bed", o->bed);
        }
        return gr_bin_load(o->bed, work, NULL, 0, bin, log);
    }
    GrBedDef def;
    GrStatus status = gr_bed_load(o->bed, o->overrides.items, &def, log);
    if (status == GR_OK) {
        GrProgress progress = gr_progress_begin("settling");
        const GrBedWatch watch = {gr_progress_update, &progress};
        def.bin.work = work;
        status = gr_bed_prepare(&def, &watch, bin, log);
        gr_progress_end(&progress);
    }
    return status;
}

void gr_grains_describe(const GrBin *bin, char *out, size_t size)
{
    const GrBedAnswer a = gr_bed_answer(bin);
    snprintf(out, size, "%d grains of %.3g mm, %.1f mm deep, bulk density %.0f kg/m³ (solid %.3f), %.1f contacts each",
             a.count, 2000 * bin->mean_radius, 1000 * a.surface, a.bulk_density, a.solid, a.contacts);
}

void gr_grains_facts(const GrBin *bin, GrPage *page)
{
    const GrGrainDef *g = &bin->def.grains;
    const GrBedAnswer a = gr_bed_answer(bin);
    gr_page_fact(page, "grains", "%s: %d of %.4g mm, %.4g to %.4g mm", g->name, a.count, 2000 * bin->mean_radius,
                 2000 * bin->least_radius, 2000 * bin->most_radius);
    gr_page_fact(page, "bed", "%.1f mm deep, %.0f kg/m³, solid part %.4f, %.2f contacts each", 1000 * a.surface,
                 a.bulk_density, a.solid, a.contacts);
    gr_page_fact(page, "friction, rolling", "%.3g, %.3g between grains; %.3g, %.3g on walls", g->friction, g->rolling,
                 g->wall_friction, g->wall_rolling);
    gr_page_fact(page, "stiffness", "%.3g Pa computed, %.3g Pa of the mineral; largest overlap %.2g of a radius",
                 g->young, g->young_mineral, a.overlap);
    gr_page_fact(page, "step", "%.3g s, %.3g of the Rayleigh time; %.4g s in %lld steps", bin->dt, bin->def.step,
                 bin->time, (long long)bin->steps);
}

void gr_grains_json(const GrBin *bin, GrJson *json)
{
    const GrBedAnswer a = gr_bed_answer(bin);
    gr_json_begin_object(json, "bed");
    gr_json_string(json, "grains", bin->def.grains.name);
    gr_json_integer(json, "count", a.count);
    gr_json_number(json, "diameter_m", 2 * bin->mean_radius);
    gr_json_number(json, "surface_m", a.surface);
    gr_json_number(json, "bulk_density_kg_per_m3", a.bulk_density);
    gr_json_number(json, "solid", a.solid);
    gr_json_number(json, "contacts", a.contacts);
    gr_json_number(json, "largest_overlap", a.overlap);
    gr_json_number(json, "step_s", bin->dt);
    gr_json_number(json, "time_s", bin->time);
    gr_json_number(json, "young_Pa", bin->def.grains.young);
    gr_json_number(json, "young_mineral_Pa", bin->def.grains.young_mineral);
    gr_json_end(json);
}

#ifdef GR_WITH_GDAL
typedef struct Surface {
    const double *height;
    int nx;
} Surface;

static GrStatus read_surface(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    const Surface *s = context;
    (void)log;
    for (int64_t j = 0; j < window.nj; j++) {
        memcpy(out + j * window.ni, s->height + (window.j0 + j) * s->nx + window.i0, (size_t)window.ni * sizeof *out);
    }
    return GR_OK;
}
#endif

GrStatus gr_grains_surface(const GrGrainsOptions *o, const GrBin *bin, GrErrorLog *log)
{
    if (o->surface == NULL) {
        return GR_OK;
    }
#ifdef GR_WITH_GDAL
    const double cell = 2 * bin->mean_radius, *size = bin->def.size;
    const int nx = (int)fmax(2, size[0] / cell), ny = (int)fmax(2, size[1] / cell);
    double *height = gr_calloc((size_t)nx * (size_t)ny, sizeof *height);
    if (height == NULL) {
        return gr_out_of_memory(log, o->surface);
    }
    gr_bin_surface(bin, nx, ny, height);
    Surface surface = {height, nx};
    const GrGridFrame frame = {nx, ny, 0.5 * size[0] / nx, 0.5 * size[1] / ny, size[0] / nx, size[1] / ny};
    char crs[] = "";
    const GrGeoreference place = {.crs = crs};
    const GrRasterWrite how = gr_default_raster_write();
    const GrStatus status = gr_raster_write(
        o->surface, &frame, &place, (GrSource){.read = read_surface, .context = &surface}, &how, NULL, NULL, log);
    gr_free(height);
    if (status == GR_OK) {
        fprintf(o->json ? stderr : stdout, "wrote %s\n", o->surface);
    }
    return status;
#else
    (void)bin;
    return gr_part_missing("GDAL", (GrLocation){.field = "--surface"}, log);
#endif
}
