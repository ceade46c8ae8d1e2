/// Overviews of a file: a coarser view of the same ground lies where the ground lies. The map is a plane that is unlike
/// in each direction: the mean over a coarse cell is the plane's height at its middle, so that a turned, shifted or
/// scaled overview shows.
#include "map_statistics.h"
#include "memory_map.h"
#include "raster.h"

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <unistd.h>

enum { COLUMNS = 200, ROWS = 120 };

static const double GT[6] = {1000, 2, 0, 5000, 0, -4};

/// Height over projected coordinates.
static double plane(double east, double north)
{
    return 0.5 * (east - 1000) + 3 * (5000 - north);
}

static void set_place(GDALDatasetH dataset, const double gt[6])
{
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    assert_int_equal(OSRImportFromProj4(srs, "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m"), OGRERR_NONE);
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double copy[6];
    memcpy(copy, gt, sizeof copy);
    GDALSetGeoTransform(dataset, copy);
}

/// The plane with a void of 8 x 8 pixels at column 40, row 16, and overviews 2, 4 and 8; rows from the south on
/// request.
static void make_file(const char *path, bool south_up, bool cog)
{
    GDALAllRegister();
    GDALDriverH driver = GDALGetDriverByName(cog ? "MEM" : "GTiff");
    GDALDatasetH dataset = GDALCreate(driver, path, COLUMNS, ROWS, 1, GDT_Float64, NULL);
    const double gt[6] = {GT[0], GT[1], 0, south_up ? GT[3] + GT[5] * ROWS : GT[3], 0, south_up ? -GT[5] : GT[5]};
    set_place(dataset, gt);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALSetRasterNoDataValue(band, -32767);
    static double z[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        const int column = k % COLUMNS, row = k / COLUMNS, from_north = south_up ? ROWS - 1 - row : row;
        const bool hole = column >= 40 && column < 48 && from_north >= 16 && from_north < 24;
        z[k] = hole ? -32767 : plane(gt[0] + gt[1] * (column + 0.5), gt[3] + gt[5] * (row + 0.5));
    }
    assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, COLUMNS, ROWS, z, COLUMNS, ROWS, GDT_Float64, 0, 0), CE_None);
    int levels[3] = {2, 4, 8};
    if (!cog) {
        assert_int_equal(GDALBuildOverviews(dataset, "AVERAGE", 3, levels, 0, NULL, NULL, NULL), CE_None);
    } else {
        char **options = CSLSetNameValue(NULL, "BLOCKSIZE", "128");
        options = CSLSetNameValue(options, "OVERVIEW_RESAMPLING", "AVERAGE");
        GDALDatasetH copy = GDALCreateCopy(GDALGetDriverByName("COG"), path, dataset, FALSE, options, NULL, NULL);
        assert_non_null(copy);
        GDALClose(copy);
        CSLDestroy(options);
    }
    GDALClose(dataset);
}

/// Every node of a view is the plane at its place, and the hole is where it was.
static void check_plane(const GrRaster *r)
{
    MemoryMap map = memory_map_of(r);
    const GrGridFrame *f = &map.frame;
    for (int64_t j = 0; j < f->ny; j++) {
        for (int64_t i = 0; i < f->nx; i++) {
            const double east = f->x0 + (double)i * f->dx, north = f->y0 + (double)j * f->dy;
            const bool hole = east > 1080 && east < 1096 && north < 5000 - 64 && north > 5000 - 96;
            const double z = map.z[j * f->nx + i];
            if (isnan(z) != hole) {
                fail_msg("(%g, %g): %g", east, north, z);
            }
            if (!hole) {
                assert_near(z, plane(east, north), 1e-9);
            }
        }
    }
    free(map.z);
}

static GrRaster open_view(const char *path, double coarsest, GrWindow window)
{
    GrRasterOptions options = gr_default_raster_options();
    options.coarsest = coarsest;
    options.window = window;
    GrRaster raster;
    GrErrorLog log = {0};
    if (gr_raster_open(path, &options, &raster, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return raster;
}

/// The coarsest level that is fine enough is taken, whatever the order of the rows.
static void test_levels(void **state)
{
    (void)state;
    static const double ASKED[][2] = {{0, 1}, {1, 1}, {3.9, 1}, {4, 2}, {7, 2}, {8, 4}, {16, 8}, {1000, 8}};
    const GrWindow all = {0};
    for (int south_up = 0; south_up <= 1; south_up++) {
        make_file("levels.tif", south_up == 1, false);
        for (size_t k = 0; k < sizeof ASKED / sizeof ASKED[0]; k++) {
            GrRaster r = open_view("levels.tif", ASKED[k][0], all);
            const double factor = ASKED[k][1];
            assert_int_equal(r.overviews, 3);
            assert_true(r.overview == factor);
            assert_true(r.frame.nx == COLUMNS / factor && r.frame.ny == ROWS / factor);
            assert_near(r.frame.dx, 2 * factor, 1e-12);
            assert_near(r.frame.dy, 4 * factor, 1e-12);
            assert_near(r.frame.x0, 1000 + factor, 1e-9);
            assert_near(r.frame.y0, 5000 - 4 * ROWS + 2 * factor, 1e-9);
            check_plane(&r);
            gr_raster_close(&r);
        }
    }
    unlink("levels.tif");
}

/// A window in pixels of the file covers the same ground in an overview.
static void test_window(void **state)
{
    (void)state;
    make_file("levels.tif", false, false);
    GrRaster r = open_view("levels.tif", 8, (GrWindow){GR_WINDOW_PIXEL, {20, 13, 39, 51}});
    assert_true(r.frame.nx == 10 && r.frame.ny == 13); // columns 20 to 60, rows 12 to 64
    assert_near(r.frame.x0, 1000 + 2 * 22, 1e-9);
    assert_near(r.frame.y0, 5000 - 4 * 62, 1e-9);
    check_plane(&r);
    gr_raster_close(&r);
    GrRasterOptions options = gr_default_raster_options();
    options.coarsest = 8;
    options.window = (GrWindow){GR_WINDOW_PIXEL, {20, 13, 400, 51}};
    assert_int_equal(gr_raster_open("levels.tif", &options, &r, NULL), GR_ERROR_VALUE);
    unlink("levels.tif");
}

static void test_cog(void **state)
{
    (void)state;
    GDALAllRegister();
    if (GDALGetDriverByName("COG") == NULL) {
        skip();
    }
    make_file("cog.tif", false, true);
    GrRaster r = open_view("cog.tif", 4, (GrWindow){0});
    assert_true(r.overview == 2 && r.frame.nx == COLUMNS / 2);
    check_plane(&r);
    gr_raster_close(&r);
    unlink("cog.tif");
}

/// A size that no factor divides: the box of the ground stays.
static void test_odd_size(void **state)
{
    (void)state;
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), "odd.tif", 33, 17, 1, GDT_Float32, NULL);
    set_place(dataset, GT);
    int level = 2;
    assert_int_equal(GDALBuildOverviews(dataset, "NEAREST", 1, &level, 0, NULL, NULL, NULL), CE_None);
    GDALClose(dataset);
    GrRaster r = open_view("odd.tif", 4, (GrWindow){0});
    assert_true(r.overview == 33.0 / 17 && r.frame.nx == 17 && r.frame.ny == 9);
    assert_near(r.frame.x0 - 0.5 * r.frame.dx, 1000, 1e-9);
    assert_near(r.frame.x0 + 16.5 * r.frame.dx, 1066, 1e-9);
    assert_near(r.frame.y0 + 8.5 * r.frame.dy, 5000, 1e-9);
    gr_raster_close(&r);
    unlink("odd.tif");
}

/// A coarse far layer with the fine map over a part of it: the same ground, in a fraction of the cells.
static void test_far_layer(void **state)
{
    (void)state;
    make_file("far.tif", false, false);
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    GrRasterOptions options = gr_default_raster_options();
    const GrLayerDef def = gr_default_layer_def();
    GrErrorLog log = {0};
    options.coarsest = 16;
    assert_int_equal(gr_terrain_add_file(t, "far.tif", &options, &def, &log), GR_OK);
    options.coarsest = 0;
    options.window = (GrWindow){GR_WINDOW_PIXEL, {100, 60, 20, 10}};
    assert_int_equal(gr_terrain_add_file(t, "far.tif", &options, &def, &log), GR_OK);
    assert_near(gr_terrain_layer(t, 0)->frame.dx, 16, 1e-12);
    assert_near(gr_terrain_layer(t, 1)->frame.dx, 2, 1e-12);
    const GrGeoreference *place = gr_terrain_georeference(t);
    static const double POINTS[][2] = {{1030, 4980}, {1210, 4745}, {1380, 4540}, {1203, 4755}};
    for (int k = 0; k < 4; k++) {
        double z;
        assert_int_equal(
            gr_terrain_height(t, POINTS[k][0] - place->origin_east, POINTS[k][1] - place->origin_north, &z),
            GR_GROUND_OK);
        assert_near(z, plane(POINTS[k][0], POINTS[k][1]), 1e-9);
    }
    gr_terrain_free(t);
    unlink("far.tif");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),   cmocka_unit_test(test_window),    cmocka_unit_test(test_cog),
        cmocka_unit_test(test_odd_size), cmocka_unit_test(test_far_layer),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
