/// Rasters through GDAL: what is where, what numbers mean, what is refused. All files are made here; the map is
/// different in each direction, so that a turned or shifted one shows.
#include "buffer.h"
#include "map_statistics.h"
#include "memory_map.h"
#include "raster.h"

#include <cpl_conv.h>
#include <gdal.h>
#include <ogr_srs_api.h>
#include <unistd.h>

#define MOON_MAP  "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m"
#define MARS_MAP  "+proj=eqc +lat_ts=0 +lon_0=180 +R=3396190 +units=m"
#define MARS_GRID "+proj=longlat +R=3396190"

enum { COLUMNS = 7, ROWS = 5 };

/// Value of a pixel of the file: unlike in each corner.
static double value_of(int column, int row)
{
    return 100 * row + column;
}

typedef struct Making {
    GDALDataType type;
    const char *driver, *srs;
    double gt[6];
    double scale, offset, nodata;
    const char *area_or_point, *unit;
} Making;

static Making making(const char *srs)
{
    return (Making){
        .type = GDT_Float32, .driver = "GTiff", .srs = srs, .gt = {1000, 2, 0, 5000, 0, -4}, .scale = 1, .nodata = NAN};
}

static void make_file(const char *path, Making m)
{
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName(strcmp(m.driver, "PNG") == 0 ? "MEM" : m.driver), path,
                                      COLUMNS, ROWS, 1, m.type, NULL);
    assert_non_null(dataset);
    if (m.area_or_point != NULL) {
        GDALSetMetadataItem(dataset, "AREA_OR_POINT", m.area_or_point, NULL);
    }
    if (m.srs != NULL) {
        OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
        assert_int_equal(OSRImportFromProj4(srs, m.srs), OGRERR_NONE);
        GDALSetSpatialRef(dataset, srs);
        OSRDestroySpatialReference(srs);
    }
    if (m.gt[1] != 0) {
        GDALSetGeoTransform(dataset, m.gt);
    }
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    if (m.scale != 1 || m.offset != 0) {
        GDALSetRasterScale(band, m.scale);
        GDALSetRasterOffset(band, m.offset);
    }
    if (!isnan(m.nodata)) {
        GDALSetRasterNoDataValue(band, m.nodata);
    }
    if (m.unit != NULL) {
        GDALSetRasterUnitType(band, m.unit);
    }
    double values[ROWS * COLUMNS];
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        values[k] = value_of(k % COLUMNS, k / COLUMNS);
    }
    assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, COLUMNS, ROWS, values, COLUMNS, ROWS, GDT_Float64, 0, 0),
                     CE_None);
    if (strcmp(m.driver, "PNG") == 0) {
        GDALClose(GDALCreateCopy(GDALGetDriverByName("PNG"), path, dataset, FALSE, NULL, NULL, NULL));
    }
    GDALClose(dataset);
}

static void copy_file(const char *from, const char *to, const char *driver)
{
    GDALDatasetH source = GDALOpen(from, GA_ReadOnly);
    assert_non_null(source);
    CPLPushErrorHandler(CPLQuietErrorHandler); // PDS4 warns of what its template leaves open
    GDALDatasetH copy = GDALCreateCopy(GDALGetDriverByName(driver), to, source, FALSE, NULL, NULL, NULL);
    assert_non_null(copy);
    GDALClose(copy);
    CPLPopErrorHandler();
    GDALClose(source);
}

static GrRaster open_good(const char *path, const GrRasterOptions *options)
{
    GrRaster raster;
    GrErrorLog log = {0};
    if (gr_raster_open(path, options, &raster, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return raster;
}

/// Height of the node at projected coordinates.
static double height_at(const GrRaster *raster, double east, double north)
{
    const GrGridFrame *f = &raster->frame;
    const double i = (east - f->x0) / f->dx, j = (north - f->y0) / f->dy;
    assert_near(i, nearbyint(i), 1e-6);
    assert_near(j, nearbyint(j), 1e-6);
    double z;
    assert_int_equal(raster->source.read(raster->source.context,
                                         (GrGridWindow){(int64_t)nearbyint(i), (int64_t)nearbyint(j), 1, 1}, &z, NULL),
                     GR_OK);
    return z;
}

/// North-up: pixel (column, row) has its middle at (1000 + 2 (column + 1/2), 5000 − 4 (row + 1/2)).
static void test_north_up(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    make_file("north_up.tif", making(MOON_MAP));
    GrRaster r = open_good("north_up.tif", &options);
    assert_int_equal(r.frame.nx, COLUMNS);
    assert_int_equal(r.frame.ny, ROWS);
    assert_near(r.place.radius, 1737400, 0);
    for (int row = 0; row < ROWS; row++) {
        for (int column = 0; column < COLUMNS; column++) {
            assert_true(height_at(&r, 1000 + 2 * (column + 0.5), 5000 - 4 * (row + 0.5)) == value_of(column, row));
        }
    }
    // A window of several rows and columns keeps the order.
    double z[6];
    assert_int_equal(r.source.read(r.source.context, (GrGridWindow){2, 1, 3, 2}, z, NULL), GR_OK);
    assert_true(z[0] == value_of(2, 3) && z[2] == value_of(4, 3) && z[3] == value_of(2, 2) && z[5] == value_of(4, 2));
    gr_raster_close(&r);
    unlink("north_up.tif");
}

/// South-up and east-to-west files give the same ground.
static void test_row_and_column_order(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    Making m = making(MOON_MAP);
    m.gt[3] = 5000 - 4 * ROWS;
    m.gt[5] = 4;
    make_file("south_up.tif", m);
    GrRaster r = open_good("south_up.tif", &options);
    for (int row = 0; row < ROWS; row++) {
        assert_true(height_at(&r, 1007, m.gt[3] + 4 * (row + 0.5)) == value_of(3, row));
    }
    gr_raster_close(&r);
    m.gt[0] = 1000 + 2 * COLUMNS;
    m.gt[1] = -2;
    make_file("south_up.tif", m);
    r = open_good("south_up.tif", &options);
    for (int column = 0; column < COLUMNS; column++) {
        assert_true(height_at(&r, m.gt[0] - 2 * (column + 0.5), m.gt[3] + 2) == value_of(column, 0));
    }
    double z[COLUMNS * 2];
    assert_int_equal(r.source.read(r.source.context, (GrGridWindow){0, 0, COLUMNS, 2}, z, NULL), GR_OK);
    assert_true(z[0] == value_of(COLUMNS - 1, 0) && z[COLUMNS] == value_of(COLUMNS - 1, 1));
    gr_raster_close(&r);
    unlink("south_up.tif");
}

/// A file that says its pixels are points stores the middle of the first pixel; the ground is where it was.
static void test_pixel_is_point(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    Making m = making(MOON_MAP);
    m.area_or_point = "Point";
    make_file("point.tif", m);
    GrRaster r = open_good("point.tif", &options);
    assert_true(r.pixel_is_point);
    assert_true(height_at(&r, 1001, 4998) == value_of(0, 0));
    assert_true(height_at(&r, 1000 + 2 * 6.5, 5000 - 4 * 4.5) == value_of(6, 4));
    gr_raster_close(&r);
    unlink("point.tif");
}

static void test_meaning_of_numbers(void **state)
{
    (void)state;
    GrRasterOptions options = gr_default_raster_options();
    Making m = making(MOON_MAP);
    m.type = GDT_Int16;
    m.scale = 0.5;
    m.offset = -10;
    m.nodata = 203;
    make_file("scaled.tif", m);
    GrRaster r = open_good("scaled.tif", &options);
    assert_true(height_at(&r, 1001, 4998) == -10);
    assert_true(height_at(&r, 1000 + 2 * 6.5, 5000 - 4 * 4.5) == 0.5 * 406 - 10);
    assert_true(isnan(height_at(&r, 1000 + 2 * 3.5, 5000 - 4 * 2.5)));
    GrStatistics s;
    assert_int_equal(gr_statistics_compute(&r.frame, (GrReaders){&r.source, 1}, &s, NULL, NULL, NULL), GR_OK);
    assert_true(s.voids == 1 && s.z_max == 193 && s.z_min == -10);
    gr_raster_close(&r);
    // Values of the caller override those of the file.
    options.height_scale = 2;
    options.height_offset = 1;
    options.nodata = 0;
    r = open_good("scaled.tif", &options);
    assert_true(isnan(height_at(&r, 1001, 4998)));
    assert_true(height_at(&r, 1000 + 2 * 3.5, 5000 - 4 * 2.5) == 407);
    gr_raster_close(&r);
    // Kilometres; and the nodata of many planetary maps, which no float is equal to as a double.
    options = gr_default_raster_options();
    m = making(MARS_MAP);
    m.unit = "km";
    m.nodata = -3.4028226550889045e+38;
    make_file("scaled.tif", m);
    r = open_good("scaled.tif", &options);
    assert_near(height_at(&r, 1003, 4994), 101000, 1e-9);
    gr_raster_close(&r);
    // The same value where the file does not declare it.
    make_file("scaled.tif", making(MARS_MAP));
    GDALDatasetH dataset = GDALOpen("scaled.tif", GA_Update);
    float special = -3.4028226550889045e+38f;
    assert_int_equal(
        GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Write, 1, 2, 1, 1, &special, 1, 1, GDT_Float32, 0, 0), CE_None);
    GDALClose(dataset);
    r = open_good("scaled.tif", &options);
    assert_true(isnan(height_at(&r, 1003, 4990)));
    assert_true(height_at(&r, 1003, 4994) == 101);
    gr_raster_close(&r);
    unlink("scaled.tif");
}

static void test_distances_from_the_centre(void **state)
{
    (void)state;
    GrRasterOptions options = gr_default_raster_options();
    Making m = making(MOON_MAP);
    m.offset = 1737400;
    make_file("radius.tif", m);
    options.subtract_radius = true;
    GrRaster r = open_good("radius.tif", &options);
    assert_true(height_at(&r, 1003, 4994) == 101);
    gr_raster_close(&r);
    unlink("radius.tif");
}

static void test_windows(void **state)
{
    (void)state;
    GrRasterOptions options = gr_default_raster_options();
    Making m = making(MARS_MAP);
    m.gt[0] = -2500000;
    m.gt[3] = -276000;
    make_file("window.tif", m);
    options.window = (GrWindow){GR_WINDOW_PIXEL, {2, 1, 3, 2}};
    GrRaster r = open_good("window.tif", &options);
    assert_true(r.frame.nx == 3 && r.frame.ny == 2);
    assert_true(height_at(&r, m.gt[0] + 2 * 2.5, m.gt[3] - 4 * 1.5) == value_of(2, 1));
    assert_true(height_at(&r, m.gt[0] + 2 * 4.5, m.gt[3] - 4 * 2.5) == value_of(4, 2));
    gr_raster_close(&r);
    options.window = (GrWindow){GR_WINDOW_MAP, {m.gt[0] + 4, m.gt[3] - 12, m.gt[0] + 10, m.gt[3] - 4}};
    r = open_good("window.tif", &options);
    assert_true(r.frame.nx == 3 && r.frame.ny == 2);
    assert_true(height_at(&r, m.gt[0] + 2 * 2.5, m.gt[3] - 4 * 1.5) == value_of(2, 1));
    gr_raster_close(&r);
    // The same window by longitude and latitude on the file's own sphere: lon = 180 + E / R, lat = N / R.
    const double degree = 57.29577951308232 / 3396190;
    for (int turn = -360; turn <= 0; turn += 360) {
        options.window = (GrWindow){GR_WINDOW_LONLAT,
                                    {180 + turn + (m.gt[0] + 4) * degree, (m.gt[3] - 12) * degree,
                                     180 + turn + (m.gt[0] + 10) * degree, (m.gt[3] - 4) * degree}};
        r = open_good("window.tif", &options);
        assert_true(r.frame.nx == 3 && r.frame.ny == 2);
        assert_true(height_at(&r, m.gt[0] + 2 * 2.5, m.gt[3] - 4 * 1.5) == value_of(2, 1));
        assert_near(fmod(r.lon + 360, 360), 180 + (m.gt[0] + 7) * degree, 1e-9);
        assert_near(r.lat, (m.gt[3] - 8) * degree, 1e-9);
        gr_raster_close(&r);
    }
    GrErrorLog log = {0};
    options.window = (GrWindow){GR_WINDOW_PIXEL, {5, 1, 3, 2}};
    assert_int_equal(gr_raster_open("window.tif", &options, &r, &log), GR_ERROR_VALUE);
    options.window = (GrWindow){GR_WINDOW_LONLAT, {10, 0, 11, 1}};
    assert_int_equal(gr_raster_open("window.tif", &options, &r, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 2);
    unlink("window.tif");
}

static void expect_error(const char *path, const GrRasterOptions *options, GrStatus status, const char *part)
{
    GrRaster r;
    GrErrorLog log = {0};
    assert_int_equal(gr_raster_open(path, options, &r, &log), status);
    assert_int_equal(log.error_count, 1);
    if (strstr(log.items[0].text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, log.items[0].text);
    }
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(text, 1, size, file);
    fclose(file);
}

static void test_refusals(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    Making m = making(MARS_GRID);
    memcpy(m.gt, (const double[6]){137, 0.001, 0, -4, 0, -0.001}, sizeof m.gt);
    make_file("degrees.tif", m);
    expect_error("degrees.tif", &options, GR_ERROR_UNSUPPORTED,
                 "gdalwarp -t_srs '+proj=stere +lat_0=-4.0025 +lon_0=137.0");
    expect_error("degrees.tif", &options, GR_ERROR_UNSUPPORTED, "+R=3396190");
    memcpy(m.gt, (const double[6]){-180, 51, 0, 90, 0, -36}, sizeof m.gt); // all of the globe
    make_file("degrees.tif", m);
    expect_error("degrees.tif", &options, GR_ERROR_UNSUPPORTED, "-te -20000 -20000 20000 20000");
    m = making(MOON_MAP);
    m.gt[2] = 0.5;
    make_file("degrees.tif", m);
    expect_error("degrees.tif", &options, GR_ERROR_UNSUPPORTED, "rotated");
    expect_error(".", &options, GR_ERROR_FILE, "is a folder");
    unlink("degrees.tif");
    expect_error("none.tif", &options, GR_ERROR_FILE, "No such file");
    write_text("bad.tif", "", 0);
    expect_error("bad.tif", &options, GR_ERROR_FILE, "is empty");
    write_text("bad.tif", "this is no raster", 17);
    expect_error("bad.tif", &options, GR_ERROR_SYNTAX, "not a raster");
    unlink("bad.tif");
    m = making(NULL);
    m.gt[1] = 0;
    make_file("nowhere.tif", m);
    expect_error("nowhere.tif", &options, GR_ERROR_VALUE, "--cell");
    GrRasterOptions other = options;
    other.cell = 3;
    GrRaster r = open_good("nowhere.tif", &other);
    assert_true(r.frame.dx == 3 && r.frame.x0 == 0 && r.frame.y0 == 0);
    assert_true(height_at(&r, 0, 0) == value_of(0, ROWS - 1));
    gr_raster_close(&r);
    other.band = 2;
    expect_error("nowhere.tif", &other, GR_ERROR_VALUE, "band 2");
    unlink("nowhere.tif");
}

/// A file that is cut off fails when it is read, with a message; it never gives zeros.
static void test_cut_off(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    make_file("cut.tif", making(MOON_MAP));
    FILE *file = fopen("cut.tif", "rb");
    char bytes[8192];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int failures = 0;
    for (size_t keep = 8; keep < size; keep += 37) {
        write_text("cut.tif", bytes, keep);
        GrRaster r;
        GrErrorLog log = {0};
        double z[COLUMNS * ROWS];
        GrStatus status = gr_raster_open("cut.tif", &options, &r, &log);
        if (status == GR_OK) {
            // What is still there may be read only if it is right.
            status = r.frame.nx == COLUMNS && r.frame.ny == ROWS
                         ? r.source.read(r.source.context, (GrGridWindow){0, 0, COLUMNS, ROWS}, z, &log)
                         : GR_ERROR_FILE;
            if (status == GR_OK) {
                assert_true(z[0] == value_of(0, ROWS - 1));
            }
            gr_raster_close(&r);
        } else {
            assert_true(log.error_count == 1);
        }
        failures += status != GR_OK;
    }
    assert_true(failures > 0);
    unlink("cut.tif");
}

/// Text grids that lack rows, by a header that claims millions or by an end that is cut off, are refused at once: GDAL
/// takes twice as long for every row that is missing.
static void test_missing_rows_of_text(void **state)
{
    (void)state;
    static const char BODY[] = "xllcorner 0\nyllcorner 0\ncellsize 1\n1.5 2 3\n4 5 6\n";
    static const struct {
        int rows;
        const char *part;
    } GRIDS[] = {{9000000, "3 x 9000000 values, more than"}, {3, "row 3 of 3 cannot be read"}, {2, NULL}};
    const GrRasterOptions options = gr_default_raster_options();
    for (int i = 0; i < 3; i++) {
        char text[200];
        const int size = snprintf(text, sizeof text, "ncols 3\nnrows %d\n%s", GRIDS[i].rows, BODY);
        write_text("rows.asc", text, (size_t)size);
        if (GRIDS[i].part != NULL) {
            expect_error("rows.asc", &options, GR_ERROR_SYNTAX, GRIDS[i].part);
        }
    }
    GrRaster raster;
    assert_int_equal(gr_raster_open("rows.asc", &options, &raster, NULL), GR_OK);
    assert_int_equal(raster.frame.ny, 2);
    gr_raster_close(&raster);
    // Fifty rows are there by their number of bytes, and none after the tenth can be read.
    GrBuffer cut = {0};
    gr_buffer_puts(&cut, "ncols 3\nnrows 50\nxllcorner 0\nyllcorner 0\ncellsize 1\n");
    for (int i = 0; i < 10; i++) {
        gr_buffer_puts(&cut, "1.25000000000000000000 2.5000000000000000000000000 3.125000000000000000000000000000\n");
    }
    write_text("rows.asc", cut.data, cut.size);
    expect_error("rows.asc", &options, GR_ERROR_SYNTAX, "row 11 of 50 cannot be read");
    gr_buffer_free(&cut);
    unlink("rows.asc");
}

static void test_png_and_other_formats(void **state)
{
    (void)state;
    GrRasterOptions options = gr_default_raster_options();
    Making m = making(NULL);
    m.driver = "PNG";
    m.type = GDT_UInt16;
    m.gt[1] = 0;
    make_file("grey.png", m);
    options.cell = 2;
    options.height_scale = 0.1;
    options.height_offset = -3;
    GrRaster r = open_good("grey.png", &options);
    assert_near(height_at(&r, 4, 2 * (ROWS - 1)), -3 + 0.2, 1e-12);
    gr_raster_close(&r);
    unlink("grey.png");
    unlink("grey.png.aux.xml");
    // Formats of the planetary archives.
    static const char *const DRIVERS[][2] = {{"ISIS3", "map.cub"}, {"PDS4", "map.xml"}, {"VICAR", "map.vic"}};
    options = gr_default_raster_options();
    for (int k = 0; k < 3; k++) {
        GDALAllRegister();
        if (GDALGetDriverByName(DRIVERS[k][0]) == NULL) {
            continue;
        }
        m = making(MARS_MAP);
        memcpy(m.gt, (const double[6]){1000, 4, 0, 5000, 0, -4}, sizeof m.gt);
        const bool has_nodata = strcmp(DRIVERS[k][0], "VICAR") != 0;
        m.nodata = has_nodata ? 203 : (double)NAN; // pixel (3, 2)
        if (has_nodata) {                          // ISIS turns it into its special value, but only when it copies
            make_file("map.tif", m);
            copy_file("map.tif", DRIVERS[k][1], DRIVERS[k][0]);
            unlink("map.tif");
        } else {
            m.driver = DRIVERS[k][0];
            make_file(DRIVERS[k][1], m);
        }
        r = open_good(DRIVERS[k][1], &options);
        assert_near(r.place.radius, 3396190, 0.5);
        assert_near(r.frame.dx, 4, 1e-9);
        for (int n = 0; n < ROWS * COLUMNS; n++) {
            const int column = n % COLUMNS, row = n / COLUMNS;
            const double z = height_at(&r, 1000 + 4 * (column + 0.5), 5000 - 4 * (row + 0.5));
            assert_true(value_of(column, row) == m.nodata ? isnan(z) : z == value_of(column, row));
        }
        gr_raster_close(&r);
        unlink(DRIVERS[k][1]);
    }
    unlink("map.img");
    unlink("map.vic.aux.xml");
}

/// Bathymetry, a format of Earth: heights in its first band, their uncertainty in the second.
static void test_bag(void **state)
{
    (void)state;
    GDALAllRegister();
    if (GDALGetDriverByName("BAG") == NULL) {
        skip();
    }
    Making m = making("+proj=utm +zone=31 +datum=WGS84");
    memcpy(m.gt, (const double[6]){500000, 4, 0, 5000, 0, -4}, sizeof m.gt);
    make_file("map.tif", m);
    copy_file("map.tif", "map.bag", "BAG");
    const GrRasterOptions options = gr_default_raster_options();
    GrRaster r = open_good("map.bag", &options);
    assert_string_equal(r.driver, "BAG");
    for (int n = 0; n < ROWS * COLUMNS; n++) {
        const int column = n % COLUMNS, row = n / COLUMNS;
        const double z = height_at(&r, 500000 + 4 * (column + 0.5), 5000 - 4 * (row + 0.5));
        assert_near(z, value_of(column, row), 0);
    }
    gr_raster_close(&r);
    unlink("map.tif");
    unlink("map.bag");
}

/// A picture opens with a warning that names the colour of its band; one of heights, and one of classes, without.
static void test_colours(void **state)
{
    (void)state;
    static const unsigned char values[4] = {10, 20, 30, 40};
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), "photo.tif", 2, 2, 4, GDT_Byte, NULL);
    assert_non_null(dataset);
    static const GDALColorInterp COLOURS[] = {GCI_RedBand, GCI_PaletteIndex, GCI_GrayIndex, GCI_Undefined};
    for (int b = 0; b < 4; b++) {
        GDALRasterBandH band = GDALGetRasterBand(dataset, b + 1);
        assert_int_equal(GDALSetRasterColorInterpretation(band, COLOURS[b]), CE_None);
        assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, 2, 2, (void *)values, 2, 2, GDT_Byte, 0, 0), CE_None);
    }
    GDALClose(dataset);
    for (int k = 0; k < 8; k++) {
        GrRaster raster;
        GrErrorLog log = {0};
        GrRasterOptions options = gr_default_raster_options();
        options.cell = 1;
        options.band = 1 + k % 4;
        options.classes = k >= 4;
        assert_int_equal(gr_raster_open("photo.tif", &options, &raster, &log), GR_OK);
        assert_int_equal(log.warning_count, k < 2 ? 1 : 0);
        if (k < 2) {
            assert_non_null(strstr(log.items[0].text, k == 0 ? "band 1 of 4 has colours (Red)" : "(Palette)"));
        }
        gr_raster_close(&raster);
    }
    unlink("photo.tif");
}

/// What is written is what is read: place, heights, voids, and the terrain made of it.
static void test_write_and_open(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    make_file("written.tif", making(MOON_MAP));
    GrRaster r = open_good("written.tif", &options);
    GrRasterWrite how = gr_default_raster_write();
    MemoryMap map = memory_map_of(&r);
    map.z[3] = NAN;
    assert_int_equal(gr_raster_write("again.tif", &r.frame, &r.place, memory_map_source(&map), &how, NULL, NULL, NULL),
                     GR_OK);
    GrRaster again = open_good("again.tif", &options);
    assert_true(gr_raster_same_crs(r.place.crs, again.place.crs));
    assert_true(again.frame.x0 == r.frame.x0 && again.frame.y0 == r.frame.y0 && again.frame.dy == 4);
    MemoryMap back = memory_map_of(&again);
    assert_memory_equal(back.z, map.z, 3 * sizeof(double));
    assert_true(isnan(back.z[3]) && back.z[4] == map.z[4]);
    gr_raster_close(&r);
    gr_raster_close(&again);
    GrTerrain *t = NULL;
    assert_int_equal(gr_terrain_open("written.tif", &t, NULL), GR_OK);
    const GrGeoreference *place = gr_terrain_georeference(t);
    assert_near(place->origin_east, 1007, 0);
    assert_near(place->origin_north, 4990, 0);
    double z;
    assert_int_equal(gr_terrain_height(t, 1000 + 2 * 4.5 - 1007, 5000 - 4 * 1.5 - 4990, &z), GR_GROUND_OK);
    assert_true(z == value_of(4, 1));
    // A second file in another projection is refused.
    make_file("again.tif", making(MARS_MAP));
    GrErrorLog log = {0};
    const GrLayerDef def = gr_default_layer_def();
    assert_int_equal(gr_terrain_add_file(t, "again.tif", &options, &def, &log), GR_ERROR_VALUE);
    gr_terrain_free(t);
    free(map.z);
    free(back.z);
    unlink("written.tif");
    unlink("again.tif");
}

/// Several bands, each with its own numbers, voids, name and unit.
static void test_write_bands(void **state)
{
    (void)state;
    enum { BANDS = 3 };
    static const char *const names[BANDS] = {"success", "energy", "time"}, *const units[BANDS] = {"", "J/m", "s/m"};
    GrRasterOptions options = gr_default_raster_options();
    make_file("written.tif", making(MOON_MAP));
    GrRaster r = open_good("written.tif", &options);
    MemoryMap maps[BANDS];
    GrRasterBand bands[BANDS];
    for (int b = 0; b < BANDS; b++) {
        maps[b] = memory_map_of(&r);
        maps[b].z[2] += 1000 * b;
        maps[b].z[4 + b] = NAN;
        bands[b] = (GrRasterBand){names[b], units[b], memory_map_source(&maps[b])};
    }
    GrRasterWrite how = gr_default_raster_write();
    how.bands = bands;
    how.band_count = BANDS;
    assert_int_equal(gr_raster_write("again.tif", &r.frame, &r.place, (GrSource){0}, &how, NULL, NULL, NULL), GR_OK);
    GDALDatasetH file = GDALOpen("again.tif", GA_ReadOnly);
    assert_int_equal(GDALGetRasterCount(file), BANDS);
    for (int b = 0; b < BANDS; b++) {
        options.band = b + 1;
        GrRaster again = open_good("again.tif", &options);
        MemoryMap back = memory_map_of(&again);
        for (int n = 0; n < ROWS * COLUMNS; n++) {
            assert_true(isnan(maps[b].z[n]) ? isnan(back.z[n]) : back.z[n] == maps[b].z[n]);
        }
        assert_string_equal(GDALGetDescription(GDALGetRasterBand(file, b + 1)), names[b]);
        assert_string_equal(GDALGetRasterUnitType(GDALGetRasterBand(file, b + 1)), units[b]);
        gr_raster_close(&again);
        free(back.z);
        free(maps[b].z);
    }
    GDALClose(file);
    gr_raster_close(&r);
    unlink("written.tif");
    unlink("again.tif");
}

/// Heights of a large map with holes; a function of the place.
static GrStatus read_hills(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    ++*(int *)context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const int64_t x = window.i0 + i, y = window.j0 + j;
            out[(size_t)j * (size_t)window.ni + (size_t)i] =
                x * y % 97 == 5
                    ? (double)NAN
                    : 1000 + 20 * sin(0.01 * (double)x) * cos(0.007 * (double)y) + 0.3 * sin((double)(x * y % 1009));
        }
    }
    return GR_OK;
}

/// Sums over blocks and threads are those of a plain loop, in bits the same for any number of readers.
static void test_statistics(void **state)
{
    (void)state;
    enum { NX = 2500, NY = 1300 };
    const GrGridFrame frame = {.nx = NX, .ny = NY, .dx = 0.5, .dy = 0.25};
    int reads = 0;
    const GrSource source = {.read = read_hills, .context = &reads};
    GrStatistics one, many;
    assert_int_equal(gr_statistics_compute(&frame, (GrReaders){&source, 1}, &one, NULL, NULL, NULL), GR_OK);
    assert_int_equal(reads, 6); // each block once
    // Readers of their own, fewer than blocks and more; every block is read once by one of them.
    for (int count = 2; count <= 9; count += 7) {
        int own[9] = {0}, total = 0;
        GrSource sources[9];
        for (int k = 0; k < count; k++) {
            sources[k] = (GrSource){.read = read_hills, .context = &own[k]};
        }
        assert_int_equal(gr_statistics_compute(&frame, (GrReaders){sources, count}, &many, NULL, NULL, NULL), GR_OK);
        assert_memory_equal(&one, &many, sizeof one);
        for (int k = 0; k < count; k++) {
            total += own[k];
        }
        assert_int_equal(total, 6);
    }
    double *z = malloc(sizeof(double) * NX * NY);
    assert_non_null(z);
    read_hills(&reads, (GrGridWindow){0, 0, NX, NY}, z, NULL);
    double voids = 0, sum = 0, slopes = 0, steepest = 0, slope_count = 0, shallow = 0;
    for (int k = 0; k < NX * NY; k++) {
        voids += isnan(z[k]);
        sum += isnan(z[k]) ? 0 : z[k] - 1000;
    }
    for (int j = 1; j < NY - 1; j++) { // without the border, where differences are one-sided
        for (int i = 1; i < NX - 1; i++) {
            const double *at = z + j * NX + i;
            const double gx = (at[1] - at[-1]) / 1, gy = (at[NX] - at[-NX]) / 0.5;
            const double slope = atan(hypot(gx, gy)) / GR_DEGREE;
            if (!isnan(slope) && !isnan(*at)) {
                slope_count++;
                slopes += slope;
                shallow += slope < 5;
                steepest = fmax(steepest, slope);
            }
        }
    }
    assert_true(one.cells == NX * NY && one.voids == voids && one.share == 1);
    assert_near(one.z_mean, 1000 + sum / (NX * NY - voids), 1e-9);
    assert_near(one.slope_mean, slopes / slope_count, 0.01 * one.slope_mean); // the border is 0.2 % of the cells
    assert_near(one.slope_histogram[0], shallow / slope_count, 0.005);
    assert_true(one.slope_max >= steepest * (1 - 1e-12));
    double square = 0, pairs = 0; // lag 4, along x, in blocks of 1024 with a border of one
    for (int j = 0; j < NY; j++) {
        for (int i = 0; i + 4 < NX; i++) {
            const double d = z[j * NX + i + 4] - z[j * NX + i];
            square += isnan(d) ? 0 : d * d;
            pairs += !isnan(d);
        }
    }
    for (int j = 0; j + 4 < NY; j++) {
        for (int i = 0; i < NX; i++) {
            const double d = z[(j + 4) * NX + i] - z[j * NX + i];
            square += isnan(d) ? 0 : d * d;
            pairs += !isnan(d);
        }
    }
    assert_near(one.deviations[2], sqrt(square / pairs), 0.01 * one.deviations[2]); // pairs within a block only
    free(z);
}

/// A plane that rises along x, with a hole or without.
typedef struct Plane {
    double gradient;
    bool hole;
} Plane;

static GrStatus read_plane(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Plane *plane = context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const bool hole = plane->hole && window.i0 + i == 100 && window.j0 + j == 50;
            out[(size_t)j * (size_t)window.ni + (size_t)i] =
                hole ? (double)NAN : plane->gradient * (double)(window.i0 + i);
        }
    }
    return GR_OK;
}

/// Figures of a plane in closed form; a hole in 60,000 cells changes next to nothing.
static void test_statistics_of_planes(void **state)
{
    (void)state;
    enum { NX = 300, NY = 200 };
    const double slopes[] = {0.0004, 0.5, 1.9999, 2.0001, 30, 89.995};
    const GrGridFrame frame = {.nx = NX, .ny = NY, .dx = 1, .dy = 1};
    for (size_t k = 0; k < sizeof slopes / sizeof slopes[0]; k++) {
        for (int hole = 0; hole < 2; hole++) {
            Plane plane = {tan(slopes[k] * GR_DEGREE), hole == 1};
            const GrSource source = {.read = read_plane, .context = &plane};
            GrStatistics s;
            assert_int_equal(gr_statistics_compute(&frame, (GrReaders){&source, 1}, &s, NULL, NULL, NULL), GR_OK);
            assert_true(s.cells == NX * NY && s.voids == hole && s.slope_cells == NX * NY - (hole ? 5 : 0));
            assert_near(s.slope_mean, slopes[k], 2e-8);
            assert_near(s.slope_max, slopes[k], 1e-9 * slopes[k]);
            assert_near(s.slope_median, floor(slopes[k] * 100) / 100, 0.01); // within its bin
            for (int n = 0; n < s.lag_count; n++) {
                const double lag = s.lags[n], along = (NX - lag) * NY, across = NX * (NY - lag);
                const double deviation = plane.gradient * lag * sqrt(along / (along + across));
                assert_near(s.deviations[n], deviation, (hole ? 1e-4 : 1e-9) * deviation);
            }
            if (plane.gradient > 1e-5 && plane.gradient < 1e4) { // of the bins, a 400th of a decade each
                assert_near(log10(s.cell_change_p95), log10(plane.gradient), 1.0 / 400);
            }
        }
    }
}

/// Figures of the real map, where it is there.
static void test_gale(void **state)
{
    (void)state;
    MemoryMap map;
    if (!memory_map_gale(&map)) {
        skip();
    }
    GrStatistics s;
    const GrSource source = memory_map_source(&map);
    assert_int_equal(gr_statistics_compute(&map.frame, (GrReaders){&source, 1}, &s, NULL, NULL, NULL), GR_OK);
    assert_true(map.frame.nx == 348 && map.frame.ny == 337 && map.frame.dx == 1);
    assert_near(s.z_min, -4472.67, 0.005);
    assert_near(s.z_max, -4437.88, 0.005);
    assert_near(s.slope_median, 6.7, 0.05);
    assert_near(s.slope_p95, 17.9, 0.05);
    assert_near(s.slope_max, 40.2, 0.05);
    free(map.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_north_up),
        cmocka_unit_test(test_row_and_column_order),
        cmocka_unit_test(test_pixel_is_point),
        cmocka_unit_test(test_meaning_of_numbers),
        cmocka_unit_test(test_distances_from_the_centre),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_missing_rows_of_text),
        cmocka_unit_test(test_png_and_other_formats),
        cmocka_unit_test(test_bag),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_write_and_open),
        cmocka_unit_test(test_write_bands),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_statistics_of_planes),
        cmocka_unit_test(test_gale),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
