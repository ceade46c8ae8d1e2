/// PDS3 files as the archives keep them, written here by hand: labels in the file and beside it, both orders of bytes,
/// scaling, missing constants, three projections. The map is unlike in each direction.
#include "memory_map.h"
#include "raster.h"

#include <gdal.h>
#include <unistd.h>

enum { COLUMNS = 7, ROWS = 5, VOID_COLUMN = 4, VOID_ROW = 1, LABEL_BYTES = 4096 };

/// One product. The middle of the first pixel lies at (−sample_offset, line_offset) map_scale.
typedef struct Product {
    const char *label, *image; ///< equal: the label is at the head of the file
    const char *target, *type, *missing, *projection;
    int bits;
    bool msb;
    double scaling, offset, radius_km, center_lat, center_lon, map_scale, line_offset, sample_offset;
    const char *map_unit; ///< of the map scale
} Product;

/// As LOLA's polar maps: heights in half metres, radius in the offset, label beside.
static const Product LOLA = {"lola.lbl", "lola.img", "MOON",  "LSB_INTEGER", "-32768",      "\"POLAR STEREOGRAPHIC\"",
                             16,         false,      0.5,     1737400,       1737.4,        -90,
                             0,          20,         15199.5, -4000.5,       "METERS/PIXEL"};
/// As HiRISE's DTMs: floats, the missing constant as bits.
static const Product HIRISE = {"hirise.img", "hirise.img", "MARS",    "PC_REAL", "16#FF7FFFFB#", "\"EQUIRECTANGULAR\"",
                               32,           false,        1,         0,         3396.19,        0,
                               180,          1.01,         -273000.5, 2514000.5, "METERS/PIXEL"};
/// As MOLA's MEGDRs: big-endian integers, kilometres a pixel.
static const Product MEGDR = {
    "megdr.img", "megdr.img", "MARS", "MSB_INTEGER", "-32768",  "\"SIMPLE CYLINDRICAL\"", 16, true, 1, 0, 3396.0, 0,
    180,         0.463,       20.5,   5760.5,        "KM/PIXEL"};

static int value_of(int column, int row)
{
    return 100 * row + column - 150;
}

/// Everything between the pointer to the image and the end.
static void write_body(FILE *f, const Product *p)
{
    fprintf(f, "TARGET_NAME = %s\r\nOBJECT = IMAGE\r\n LINES = %d\r\n LINE_SAMPLES = %d\r\n", p->target, ROWS, COLUMNS);
    fprintf(f, " SAMPLE_TYPE = %s\r\n SAMPLE_BITS = %d\r\n UNIT = METER\r\n", p->type, p->bits);
    fprintf(f, " SCALING_FACTOR = %.10g\r\n OFFSET = %.10g\r\n MISSING_CONSTANT = %s\r\nEND_OBJECT = IMAGE\r\n",
            p->scaling, p->offset, p->missing);
    fprintf(f, "OBJECT = IMAGE_MAP_PROJECTION\r\n MAP_PROJECTION_TYPE = %s\r\n", p->projection);
    for (char axis = 'A'; axis <= 'C'; axis++) {
        fprintf(f, " %c_AXIS_RADIUS = %.10g <KM>\r\n", axis, p->radius_km);
    }
    fprintf(f, " CENTER_LATITUDE = %.10g <DEGREE>\r\n CENTER_LONGITUDE = %.10g <DEGREE>\r\n", p->center_lat,
            p->center_lon);
    fprintf(f, " MAP_SCALE = %.10g <%s>\r\n LINE_PROJECTION_OFFSET = %.10g <PIXEL>\r\n", p->map_scale, p->map_unit,
            p->line_offset);
    fprintf(f, " SAMPLE_PROJECTION_OFFSET = %.10g <PIXEL>\r\n", p->sample_offset);
    fprintf(f, " COORDINATE_SYSTEM_NAME = PLANETOCENTRIC\r\n POSITIVE_LONGITUDE_DIRECTION = EAST\r\n");
    fprintf(f, "END_OBJECT = IMAGE_MAP_PROJECTION\r\nEND\r\n");
}

/// One stored number, byte by byte.
static void write_value(FILE *f, const Product *p, int column, int row)
{
    const bool missing = column == VOID_COLUMN && row == VOID_ROW;
    const float height = (float)value_of(column, row);
    uint32_t bits = missing ? 0xff7ffffbu : 0;
    if (p->bits == 16) {
        bits = (uint16_t)(int16_t)(missing ? -32768 : value_of(column, row));
    } else if (!missing) {
        memcpy(&bits, &height, sizeof bits);
    }
    for (int k = 0; k < p->bits; k += 8) {
        fputc((int)(bits >> (p->msb ? p->bits - 8 - k : k) & 0xff), f);
    }
}

static void write_product(const Product *p)
{
    const bool attached = strcmp(p->label, p->image) == 0;
    const int record = COLUMNS * p->bits / 8, records = (LABEL_BYTES + record - 1) / record;
    FILE *f = fopen(p->label, "wb");
    assert_non_null(f);
    fprintf(f, "PDS_VERSION_ID = PDS3\r\nRECORD_TYPE = FIXED_LENGTH\r\nRECORD_BYTES = %d\r\n", record);
    if (attached) {
        fprintf(f, "FILE_RECORDS = %d\r\nLABEL_RECORDS = %d\r\n^IMAGE = %d\r\n", records + ROWS, records, records + 1);
    } else {
        fprintf(f, "FILE_RECORDS = %d\r\n^IMAGE = \"%s\"\r\n", ROWS, p->image);
    }
    write_body(f, p);
    if (attached) {
        while (ftell(f) < (long)records * record) {
            fputc(' ', f);
        }
    } else {
        fclose(f);
        f = fopen(p->image, "wb");
        assert_non_null(f);
    }
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        write_value(f, p, k % COLUMNS, k / COLUMNS);
    }
    fclose(f);
}

/// Heights, place, radius and order of rows of a product, given the metres in a pixel.
static void check_product(const Product *p, double cell, const GrRasterOptions *options, double offset)
{
    write_product(p);
    GrRaster r;
    GrErrorLog log = {0};
    if (gr_raster_open(p->label, options, &r, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    assert_string_equal(r.driver, "PDS");
    assert_true(r.frame.nx == COLUMNS && r.frame.ny == ROWS);
    assert_near(r.frame.dx, cell, 1e-9);
    assert_near(r.place.radius, 1000 * p->radius_km, 1e-6);
    assert_near(r.frame.x0, -p->sample_offset * cell, 1e-6);
    assert_near(r.frame.y0, (p->line_offset - (ROWS - 1)) * cell, 1e-6);
    double z[ROWS * COLUMNS];
    assert_int_equal(r.source.read(r.source.context, (GrGridWindow){0, 0, COLUMNS, ROWS}, z, NULL), GR_OK);
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        const int column = k % COLUMNS, row = ROWS - 1 - k / COLUMNS;
        if (column == VOID_COLUMN && row == VOID_ROW) {
            assert_true(isnan(z[k]));
        } else {
            assert_true(z[k] == p->scaling * value_of(column, row) + offset);
        }
    }
    gr_raster_close(&r);
    unlink(p->image);
    if (strcmp(p->label, p->image) != 0) {
        unlink(p->label);
    }
}

static void test_lola(void **state)
{
    (void)state;
    GrRasterOptions options = gr_default_raster_options();
    check_product(&LOLA, 20, &options, 1737400);
    options.subtract_radius = true;
    check_product(&LOLA, 20, &options, 0);
}

static void test_hirise(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    check_product(&HIRISE, 1.01, &options, 0);
}

static void test_megdr(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    check_product(&MEGDR, 463, &options, 0);
}

/// Longitude and latitude of a map in the projection that has plain formulas: lon = 180 + E / R, lat = N / R.
static void test_place_on_the_body(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    write_product(&HIRISE);
    GrRaster r;
    assert_int_equal(gr_raster_open(HIRISE.label, &options, &r, NULL), GR_OK);
    const double degree = 57.29577951308232 / 3396190;
    assert_near(r.lon, 180 + (r.frame.x0 + 3 * 1.01) * degree, 1e-9);
    assert_near(r.lat, (r.frame.y0 + 2 * 1.01) * degree, 1e-9);
    gr_raster_close(&r);
    unlink(HIRISE.image);
}

/// The image of a label beside it cannot be read alone; the message names the label.
static void test_image_without_its_label(void **state)
{
    (void)state;
    const GrRasterOptions options = gr_default_raster_options();
    write_product(&LOLA);
    GrRaster r;
    GrErrorLog log = {0};
    assert_int_equal(gr_raster_open(LOLA.image, &options, &r, &log), GR_ERROR_SYNTAX);
    assert_non_null(strstr(log.items[0].text, "lola.lbl"));
    unlink(LOLA.image);
    // And a label whose image is gone.
    assert_int_equal(gr_raster_open(LOLA.label, &options, &r, &log), GR_ERROR_SYNTAX);
    assert_non_null(strstr(log.items[1].text, "lola.img"));
    unlink(LOLA.label);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lola),
        cmocka_unit_test(test_hirise),
        cmocka_unit_test(test_megdr),
        cmocka_unit_test(test_place_on_the_body),
        cmocka_unit_test(test_image_without_its_label),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
