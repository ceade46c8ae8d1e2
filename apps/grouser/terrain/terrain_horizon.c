/// grouser terrain horizon: the skyline around every node of a map, by azimuth.
#include "alloc.h"
#include "json.h"
#include "report.h"
#include "terrain_sky.h"

#include <math.h>
#include <stdio.h>

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
