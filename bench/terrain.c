/// One height and normal under a wheel, against one read of the four pixels around it through GDAL.
#include "bench.h"

#include "grouser/terrain.h"
#include "random.h"
#include "raster.h"

#include <gdal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SIDE = 1500, POINTS = 4096, CALLS = 20000, GDAL_SHARE = 50 };

typedef struct Track {
    const GrTerrain *terrain;
    const GrRuts *ruts;
    GDALRasterBandH band;
    double x[POINTS], y[POINTS];
    double sum; ///< keeps the work from being optimised away
} Track;

static GrStatus read_wave(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)context;
    (void)log;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            *out++ = 3 * sin(0.02 * (double)(window.i0 + i)) * cos(0.03 * (double)(window.j0 + j));
        }
    }
    return GR_OK;
}

static void run_query(void *context, int count)
{
    Track *track = context;
    for (int k = 0; k < count; k++) {
        double z;
        GrVec3 n;
        gr_terrain_height_normal(track->terrain, track->x[k % POINTS], track->y[k % POINTS], &z, &n);
        track->sum += z + n.x;
    }
}

static void run_ruts(void *context, int count)
{
    Track *track = context;
    for (int k = 0; k < count; k++) {
        double z;
        GrVec3 n;
        gr_ground_height_normal(track->terrain, track->ruts, track->x[k % POINTS], track->y[k % POINTS], &z, &n);
        track->sum += z + n.x;
    }
}

/// A fiftieth of the calls, since each is about fifty times slower.
static void run_gdal(void *context, int count)
{
    Track *track = context;
    for (int k = 0; k < count / GDAL_SHARE; k++) {
        double pixels[4];
        const int column = (int)track->x[k % POINTS], row = SIDE - 2 - (int)track->y[k % POINTS];
        if (GDALRasterIO(track->band, GF_Read, column, row, 2, 2, pixels, 2, 2, GDT_Float64, 0, 0) == CE_None) {
            track->sum += pixels[0];
        }
    }
}

/// Points as queried by wheels: a meandering path, with several points close together at each position.
static void lay_track(Track *track)
{
    GrRandom random = gr_random_stream(1, "bench track");
    double x = SIDE / 2.0, y = SIDE / 2.0, heading = 0;
    for (int k = 0; k < POINTS; k++) {
        if (k % 8 == 0) {
            heading += 0.1 * gr_random_normal(&random);
            x = fmin(SIDE - 10, fmax(10, x + 0.3 * cos(heading)));
            y = fmin(SIDE - 10, fmax(10, y + 0.3 * sin(heading)));
        }
        track->x[k] = x + gr_random_uniform(&random, -0.3, 0.3);
        track->y[k] = y + gr_random_uniform(&random, -0.3, 0.3);
    }
}

/// The same map as a file for GDAL and as a terrain, bilinear and bicubic.
static int prepare(Track *tracks, GrTerrain **terrains, GDALDatasetH *dataset, const char *path)
{
    const GrSource source = {.read = read_wave};
    const GrGridFrame frame = {SIDE, SIDE, 0, 0, 1, 1};
    char crs[1] = "";
    const GrGeoreference place = {.crs = crs};
    const GrRasterWrite how = gr_default_raster_write();
    if (gr_raster_write(path, &frame, &place, source, &how, NULL, NULL, NULL) != GR_OK) {
        return 0;
    }
    *dataset = GDALOpen(path, GA_ReadOnly);
    for (int k = 0; k < 2; k++) {
        gr_terrain_create(&terrains[k], NULL);
        GrLayerDef def = gr_default_layer_def();
        def.frame = frame;
        def.interpolation = k == 0 ? GR_BILINEAR : GR_BICUBIC;
        if (gr_terrain_add_source(terrains[k], &def, source, NULL) != GR_OK ||
            gr_terrain_prefetch(terrains[k], (GrBox2){0, 0, SIDE, SIDE}, NULL) != GR_OK) {
            return 0;
        }
        lay_track(&tracks[k]);
        tracks[k].terrain = terrains[k];
        tracks[k].band = *dataset != NULL ? GDALGetRasterBand(*dataset, 1) : NULL;
    }
    return *dataset != NULL;
}

void gr_bench_terrain(void)
{
    static Track tracks[3];
    GrTerrain *terrains[2] = {NULL, NULL};
    GDALDatasetH dataset = NULL;
    char path[64];
    snprintf(path, sizeof path, "/tmp/grouser_bench_%ld.tif", (long)getpid());
    const GrRutsDef def = gr_default_ruts_def();
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    printf("\nterrain: %d x %d cells\n", SIDE, SIDE);
    if (ruts != NULL && prepare(tracks, terrains, &dataset, path)) {
        tracks[2] = tracks[0];
        tracks[2].ruts = ruts;
        for (int k = 0; k < POINTS && gr_ruts_reserve(ruts, 4) == GR_OK; k++) {
            *gr_ruts_height(ruts, (int64_t)floor(tracks[0].x[k] / def.cell),
                            (int64_t)floor(tracks[0].y[k] / def.cell)) = -0.01;
        }
        GrContestant race[] = {{"bilinear", run_query, &tracks[0], 0, {0}},
                               {"bicubic", run_query, &tracks[1], 0, {0}},
                               {"with ruts", run_ruts, &tracks[2], 0, {0}},
                               {"GDALRasterIO", run_gdal, &tracks[0], 0, {0}}};
        gr_bench_race(race, 4, CALLS);
        gr_bench_report("terrain_query_ns", 1e9 * race[0].seconds, "ns", "height and normal, bilinear; below 40");
        gr_bench_report("terrain_query_bicubic_ns", 1e9 * race[1].seconds, "ns", "height and normal, bicubic");
        gr_bench_report("terrain_query_ruts_ns", 1e9 * race[2].seconds, "ns", "height and normal with ruts");
        gr_bench_report("terrain_query_over_gdal", race[3].seconds * GDAL_SHARE / race[0].seconds, "x",
                        "faster than one GDALRasterIO of 2 x 2 pixels");
    }
    unlink(path);
    if (dataset != NULL) {
        GDALClose(dataset);
    }
    gr_ruts_free(ruts);
    gr_terrain_free(terrains[0]);
    gr_terrain_free(terrains[1]);
}
