/// Ruts as GeoTIFF: all of a small box, and of a large one the blocks that have ruts alone.
#include "ruts_raster.h"
#include "test.h"

#include <gdal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static GrRuts *make(double far)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = 0.01;
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
    const GrGeoreference place = {.origin_east = 5000, .origin_north = -300};
    assert_int_equal(gr_ruts_set_georeference(ruts, &place), GR_OK);
    for (int64_t k = 0; k < 10; k++) {
        *gr_ruts_height(ruts, k, 2) = -0.01 * (double)(k + 1);
        *gr_ruts_height(ruts, lround(far / 0.01) + k, lround(far / 0.01)) = 0.02;
    }
    return ruts;
}

/// Pixel at projected coordinates.
static double pixel_at(const char *path, double east, double north)
{
    GDALAllRegister();
    GDALDatasetH dataset = GDALOpen(path, GA_ReadOnly);
    assert_non_null(dataset);
    double gt[6], z;
    assert_int_equal(GDALGetGeoTransform(dataset, gt), CE_None);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Read, (int)floor((east - gt[0]) / gt[1]),
                                  (int)floor((north - gt[3]) / gt[5]), 1, 1, &z, 1, 1, GDT_Float64, 0, 0),
                     CE_None);
    GDALClose(dataset);
    return z;
}

static void check(double far, double untouched)
{
    const char *path = "ruts_raster_test.tif";
    GrRuts *ruts = make(far);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gr_ruts_raster_write(path, NULL, ruts, k == 0 ? GR_RUTS_CHANGE : GR_RUTS_GROUND, NULL), GR_OK);
        assert_near(pixel_at(path, 5000, -299.98), -0.01, 0);
        assert_near(pixel_at(path, 5000.09, -299.98), -0.1, 0);
        assert_near(pixel_at(path, 5000.1, -299.98), 0, 0);
        assert_near(pixel_at(path, 5000 + far, -300 + far), 0.02, 0);
        assert_near(pixel_at(path, 5000 + 0.5 * far, -300 + 0.5 * far), untouched, 0);
    }
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    print_message("box of %.0f m: %.1f kB\n", far, (double)about.st_size / 1e3);
    assert_true(about.st_size < 300000);
    unlink(path);
    gr_ruts_free(ruts);
}

static void test_small(void **state)
{
    (void)state;
    check(3, 0);
}

/// 10¹⁰ nodes: one megapixel each around both places, nothing between.
static void test_sparse(void **state)
{
    (void)state;
    check(1000, -32767);
}

static void test_extent(void **state)
{
    (void)state;
    GrRuts *ruts = make(3);
    const GrRutsExtent e = gr_ruts_extent(ruts);
    assert_near(e.deepest, -0.1, 1e-15);
    assert_near(e.highest, 0.02, 1e-15);
    assert_near(e.area, 20e-4, 1e-12);
    assert_near(e.box.x_upper, 3.09, 1e-9);
    assert_near(e.box.y_lower, 0.02, 1e-12);
    gr_ruts_clear(ruts);
    GrErrorLog log = {0};
    assert_int_equal(gr_ruts_raster_write("ruts_raster_test.tif", NULL, ruts, GR_RUTS_CHANGE, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 1);
    gr_ruts_free(ruts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_extent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
