/// Rasters as plain nodes: the same numbers without the file that they came from, and damaged files.
#include "raster_nodes.h"
#include "test.h"

#include "alloc.h"

#include <stdlib.h>
#include <unistd.h>

static const char GRID[] = "x,y,z\n"
                           "10,20,1.5\n10.5,20,nan\n11,20,-3e-7\n"
                           "10,20.25,0.1\n10.5,20.25,2\n11,20.25,1e9\n";

enum { NODES = 6 };

static void open_grid(GrRaster *raster)
{
    GrErrorLog log = {0};
    GrRasterOptions options = gr_default_raster_options();
    options.height_offset = 0.25;
    assert_int_equal(gr_raster_open("grid.csv", &options, raster, &log), GR_OK);
}

static void read_all(const GrRaster *raster, double out[NODES])
{
    assert_int_equal(raster->frame.nx * raster->frame.ny, NODES);
    const GrGridWindow window = {0, 0, (int)raster->frame.nx, (int)raster->frame.ny};
    assert_int_equal(raster->source.read(raster->source.context, window, out, NULL), GR_OK);
}

/// The nodes stand for the file when it is gone; options are not applied a second time.
static void stand_for_file(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrRaster raster, copy;
    GrBuffer bytes = {0};
    double expected[NODES], got[NODES];
    assert_int_equal(gr_file_write("./grid.csv", GRID, strlen(GRID), &log), GR_OK);
    open_grid(&raster);
    read_all(&raster, expected);
    assert_near(expected[0], 1.75, 0);
    assert_int_equal(gr_raster_nodes_write(&raster, "grid.csv", &bytes, &log), GR_OK);
    assert_int_equal(gr_file_write("./grid.csv.nodes", bytes.data, bytes.size, &log), GR_OK);
    char path[GR_FILE_PATH_SIZE];
    assert_false(gr_raster_find_nodes("grid.csv", path)); // the file itself comes first
    unlink("grid.csv");
    assert_true(gr_raster_find_nodes("grid.csv", path));
    open_grid(&copy);
    read_all(&copy, got);
    assert_memory_equal(got, expected, sizeof got);
    assert_memory_equal(&copy.frame, &raster.frame, sizeof copy.frame);
    assert_string_equal(copy.place.crs, raster.place.crs);
    // a part of it
    double part[2];
    assert_int_equal(copy.source.read(copy.source.context, (GrGridWindow){1, 1, 2, 1}, part, &log), GR_OK);
    assert_near(part[0], 2.25, 0);
    assert_near(part[1], 1e9 + 0.25, 0);
    gr_raster_close(&copy);
    gr_raster_close(&raster);

    // cut short, longer, or with a byte changed in what says how large it is
    for (size_t size = 0; size < bytes.size + 8; size += 8) {
        if (size != bytes.size) {
            char *other = calloc(1, bytes.size + 16);
            memcpy(other, bytes.data, size < bytes.size ? size : bytes.size);
            assert_int_equal(gr_file_write("./grid.csv.nodes", other, size, &log), GR_OK);
            const GrRasterOptions options = gr_default_raster_options();
            assert_true(gr_raster_open("grid.csv", &options, &copy, NULL) != GR_OK);
            free(other);
        }
    }
    for (size_t at = 0; at < 32; at++) {
        bytes.data[at] = (char)(bytes.data[at] ^ 0x40);
        assert_int_equal(gr_file_write("./grid.csv.nodes", bytes.data, bytes.size, &log), GR_OK);
        const GrRasterOptions options = gr_default_raster_options();
        assert_true(gr_raster_open("grid.csv", &options, &copy, NULL) != GR_OK);
        bytes.data[at] = (char)(bytes.data[at] ^ 0x40);
    }
    gr_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stand_for_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
