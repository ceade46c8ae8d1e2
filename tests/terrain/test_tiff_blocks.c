/// Compressed GeoTIFF that is decompressed without libtiff: the same heights as by GDAL, from every layout of the file;
/// and what is unusual or damaged is left to GDAL.
#include "map_statistics.h"
#include "memory_map.h"
#include "raster.h"

#include <cpl_string.h>
#include <gdal.h>
#include <string.h>
#include <unistd.h>

enum { COLUMNS = 700, ROWS = 530 };

typedef struct Making {
    GDALDataType type;
    const char *options[6];
    bool south_up;
    bool all; ///< all tiles are written; otherwise only the first
} Making;

static void make_file(const char *path, const Making *m)
{
    GDALAllRegister();
    char **options = NULL;
    for (int k = 0; k < 6 && m->options[k] != NULL; k++) {
        options = CSLAddString(options, m->options[k]);
    }
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, COLUMNS, ROWS, 1, m->type, options);
    assert_non_null(dataset);
    CSLDestroy(options);
    double gt[6] = {1000, 2, 0, 5000, 0, m->south_up ? 2 : -2};
    GDALSetGeoTransform(dataset, gt);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALSetRasterNoDataValue(band, -32767);
    static double z[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        const int i = k % COLUMNS, j = k / COLUMNS;
        z[k] = i * j % 211 == 7 ? -32767 : 300 * sin(0.01 * i) - 0.003 * j * (i % 17) + 1e-9 * k;
    }
    const int columns = m->all ? COLUMNS : 100, rows = m->all ? ROWS : 100;
    assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, columns, rows, z, columns, rows, GDT_Float64, 0, 0), CE_None);
    GDALClose(dataset);
}

static GrRaster open_file(const char *path, bool all)
{
    const GrRasterOptions options = gr_default_raster_options();
    GrRaster raster;
    assert_int_equal(gr_raster_open(path, &options, &raster, NULL), GR_OK);
    if (all) {
        gr_raster_expect_all(&raster);
    }
    return raster;
}

/// Windows of all sizes, at the borders and over the edges of tiles, some of them again.
static void compare(const char *path)
{
    static const GrGridWindow WINDOWS[] = {{0, 0, COLUMNS, ROWS}, {0, 0, 1, 1},         {COLUMNS - 1, ROWS - 1, 1, 1},
                                           {127, 127, 3, 3},      {250, 1, 400, 1},     {511, 0, 2, ROWS},
                                           {3, 300, 690, 200},    {0, 0, COLUMNS, ROWS}};
    static double a[ROWS * COLUMNS], b[ROWS * COLUMNS];
    GrRaster plain = open_file(path, false), fast = open_file(path, true);
    for (size_t k = 0; k < sizeof WINDOWS / sizeof WINDOWS[0]; k++) {
        const GrGridWindow w = WINDOWS[k];
        assert_int_equal(plain.source.read(plain.source.context, w, a, NULL), GR_OK);
        assert_int_equal(fast.source.read(fast.source.context, w, b, NULL), GR_OK);
        assert_memory_equal(a, b, sizeof(double) * (size_t)w.ni * (size_t)w.nj);
    }
    gr_raster_close(&plain);
    gr_raster_close(&fast);
}

static void test_same_heights(void **state)
{
    (void)state;
    static const Making MAKINGS[] = {
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"}, false, true},
        {GDT_Float64, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"}, false, true},
        {GDT_Float64, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"}, true, true},
        {GDT_Float32,
         {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "BLOCKXSIZE=128", "BLOCKYSIZE=512"},
         false,
         true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "ENDIANNESS=BIG"}, false, true},
        {GDT_Float64, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "ENDIANNESS=BIG", "BIGTIFF=YES"}, false, true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "BIGTIFF=YES"}, false, true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "SPARSE_OK=TRUE"}, false, false},
        // what GDAL reads
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=2"}, false, true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE"}, false, true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=LZW", "PREDICTOR=3"}, false, true},
        {GDT_Float64, {"COMPRESS=DEFLATE", "PREDICTOR=3"}, false, true},
        {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3", "BLOCKXSIZE=64", "BLOCKYSIZE=64"}, false, true},
        {GDT_Int16, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=2"}, false, true},
    };
    for (size_t k = 0; k < sizeof MAKINGS / sizeof MAKINGS[0]; k++) {
        make_file("blocks.tif", &MAKINGS[k]);
        compare("blocks.tif");
        unlink("blocks.tif");
    }
}

/// A file that is cut off, or whose bytes are others, is an error with GDAL's reason, or has the same heights as by
/// GDAL.
static void test_damage(void **state)
{
    (void)state;
    static const Making MAKING = {GDT_Float32, {"TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"}, .all = true};
    static double a[ROWS * COLUMNS], b[ROWS * COLUMNS];
    const GrGridWindow all = {0, 0, COLUMNS, ROWS};
    int errors = 0;
    for (int k = 0; k < 40; k++) {
        make_file("damaged.tif", &MAKING);
        FILE *file = fopen("damaged.tif", "r+b");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        const long size = ftell(file);
        if (k < 10) {
            assert_int_equal(ftruncate(fileno(file), size - 1 - k * 20000), 0);
        } else {
            fseek(file, size / 40 * k, SEEK_SET);
            fwrite("damage", 1, 6, file);
        }
        fclose(file);
        const GrRasterOptions options = gr_default_raster_options();
        GrRaster plain, fast;
        if (gr_raster_open("damaged.tif", &options, &plain, NULL) == GR_OK) {
            fast = open_file("damaged.tif", true);
            GrErrorLog log[2] = {0};
            const GrStatus status = plain.source.read(plain.source.context, all, a, &log[0]);
            assert_int_equal(fast.source.read(fast.source.context, all, b, &log[1]), status);
            if (status == GR_OK) {
                int others = 0;
                for (int n = 0; n < ROWS * COLUMNS; n++) {
                    others += memcmp(&a[n], &b[n], sizeof a[n]) != 0;
                }
                assert_true(others <=
                            4); // libtiff leaves the end of a tile that inflates to too much as it was in memory
            } else {
                assert_string_equal(log[0].items[0].text, log[1].items[0].text);
                errors++;
            }
            gr_raster_close(&plain);
            gr_raster_close(&fast);
        }
        unlink("damaged.tif");
    }
    assert_true(errors >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_heights),
        cmocka_unit_test(test_damage),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
