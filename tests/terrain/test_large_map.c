/// A map of 100 km x 100 km at 1 m, 10^10 cells in a sparse file, is driven over for 1 km; memory follows the track.
#include "grouser/terrain.h"
#include "test.h"

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIDE = 100000, BLOCK = 256 };

/// Ground of the few blocks that are written: heights tell where they are.
static double truth(double column, double row)
{
    return 0.001 * column + 0.01 * row;
}

/// Fills the blocks along the drive; all others stay unwritten and read as nodata.
static void make_sparse(const char *path, int row, int first, int last)
{
    GDALAllRegister();
    char **options = CSLSetNameValue(NULL, "SPARSE_OK", "TRUE");
    options = CSLSetNameValue(options, "BIGTIFF", "YES");
    options = CSLSetNameValue(options, "TILED", "YES");
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, SIDE, SIDE, 1, GDT_Float32, options);
    CSLDestroy(options);
    assert_non_null(dataset);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=eqc +lat_ts=0 +lon_0=0 +R=3396190 +units=m");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double gt[6] = {-50000, 1, 0, 50000, 0, -1};
    GDALSetGeoTransform(dataset, gt);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALSetRasterNoDataValue(band, -32767);
    float *block = malloc((size_t)BLOCK * BLOCK * sizeof *block);
    for (int by = row / BLOCK - 1; by <= row / BLOCK + 1; by++) {
        for (int bx = first / BLOCK - 1; bx <= last / BLOCK + 1; bx++) {
            for (int k = 0; k < BLOCK * BLOCK; k++) {
                block[k] = (float)truth(bx * BLOCK + k % BLOCK, by * BLOCK + k / BLOCK);
            }
            assert_int_equal(GDALWriteBlock(band, bx, by, block), CE_None);
        }
    }
    free(block);
    GDALClose(dataset);
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static void test_drive(void **state)
{
    (void)state;
    const int row = 50000, first = 49000;
    make_sparse("sparse_100km.tif", row, first, first + 1100);
    GrErrorLog log = {0};
    GrTerrain *t = NULL;
    if (gr_terrain_open("sparse_100km.tif", &t, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    const GrGeoreference *place = gr_terrain_georeference(t);
    GrRutsDef def = gr_default_ruts_def();
    def.state_count = 2;
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    const double north = 50000 - (row + 0.5) - place->origin_north;
    int prefetches = 0;
    for (int step = 0; step <= 20000; step++) { // 1 km in steps of 5 cm
        const double column = first + 20 + 0.05 * step;
        const double x = -50000 + column + 0.5 - place->origin_east;
        double z;
        GrVec3 n;
        GrGround found = gr_ground_height_normal(t, ruts, x, north, &z, &n);
        if (found == GR_GROUND_NOT_LOADED) {
            prefetches++;
            assert_int_equal(gr_terrain_prefetch(t, (GrBox2){x - 20, north - 20, x + 20, north + 20}, &log), GR_OK);
            found = gr_ground_height_normal(t, ruts, x, north, &z, &n);
        }
        assert_int_equal(found, GR_GROUND_OK);
        assert_near(z, truth(column, row), 1e-4); // the file has single precision
        // A wheel leaves a rut behind.
        if (gr_ruts_tiles_free(ruts) < 8) {
            assert_int_equal(gr_ruts_reserve(ruts, 8), GR_OK);
        }
        for (int w = -5; w <= 5; w++) {
            *gr_ruts_height(ruts, (int64_t)floor(x / def.cell) - 10, (int64_t)floor(north / def.cell) + w) = -0.02;
        }
    }
    double z;
    assert_int_equal(gr_terrain_prefetch(t, (GrBox2){-40010, -40010, -40000, -40000}, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(t, -40005, -40005, &z), GR_GROUND_VOID);
    const double peak = peak_megabytes();
    print_message("%d prefetches, %d tiles of ruts, tiles of the map %.1f MB, peak of the process %.1f MB\n",
                  prefetches, gr_ruts_tile_count(ruts), (double)gr_terrain_memory(t) / 1e6, peak);
#ifndef GR_TEST_SANITIZED
    assert_true(peak < 200);
#endif
    gr_ruts_free(ruts);
    gr_terrain_free(t);
    unlink("sparse_100km.tif");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_drive)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
