/// grouser terrain horizon and terrain light, run as a user runs them.
#include "grouser/sky.h"
#include "grouser/vec.h"
#include "json_check.h"
#include "run_command.h"

#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>

static float cone(int i, int j)
{
    return (float)fmax(0, 20 - 0.5 * hypot(i - 50, j - 50));
}

/// A map of 101 x 101 nodes of a polar region of the Moon, around a place.
static void write_map(const char *path, double east, double north, double cell, float *heights)
{
    const double gt[6] = {east - 50.5 * cell, cell, 0, north + 50.5 * cell, 0, -cell};
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, 101, 101, 1, GDT_Float32, NULL);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m");
    GDALSetSpatialRef(dataset, srs);
    GDALSetGeoTransform(dataset, (double *)gt);
    OSRDestroySpatialReference(srs);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    assert_int_equal(GDALRasterIO(band, GF_Write, 0, 0, 101, 101, heights, 101, 101, GDT_Float32, 0, 0), CE_None);
    GDALClose(dataset);
}

/// Nodes 1 m apart, with a cone in the middle.
static void make_map(const char *path, double east, double north)
{
    float heights[101 * 101];
    for (int k = 0; k < 101 * 101; k++) {
        heights[k] = cone(k % 101, k / 101);
    }
    write_map(path, east, north, 1, heights);
}

static double pixel(const char *path, int band, int column, int row)
{
    float value;
    GDALDatasetH dataset = GDALOpen(path, GA_ReadOnly);
    assert_non_null(dataset);
    GDALRasterBandH at = GDALGetRasterBand(dataset, band);
    assert_int_equal(GDALRasterIO(at, GF_Read, column, row, 1, 1, &value, 1, 1, GDT_Float32, 0, 0), CE_None);
    const double scale = GDALGetRasterScale(at, NULL);
    GDALClose(dataset);
    return scale * (double)value;
}

static void test_horizon(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    const GrRun *run = gr_run("terrain horizon cone.tif -o horizon.tif --azimuths 36 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(json_number(run->out, "azimuths"), 36, 0);
    assert_near(json_number(run->out, "body_radius_m"), 1737400, 0);
    // from the west border, 50 m from the tip of the cone: band 10 is east
    assert_near(pixel("horizon.tif", 10, 0, 50), atan(20 / 50.0) / GR_DEGREE, 0.05);
    assert_near(pixel("horizon.tif", 28, 0, 50), 0, 0.05);
    assert_near(pixel("horizon.tif", 1, 50, 100), atan(20 / 50.0) / GR_DEGREE, 0.05); // from the south, north
}

/// A Sun in the east, lower than the cone is steep: the shadow of its tip lies 47 m to the west.
static void test_shadow(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    const GrRun *run =
        gr_run("terrain light cone.tif --azimuth 90 --elevation 23 -o light.tif --png light.png --azimuths 180");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote light.tif");
    assert_has(run->out, "wrote light.png");
    assert_near(pixel("light.tif", 1, 50 - 45, 50), 0, 0.01);
    assert_near(pixel("light.tif", 1, 50 - 49, 50), 1, 0.01);
    assert_near(pixel("light.tif", 1, 50 + 10, 50), 1, 0.01);
}

/// On a polar map north is not the y axis: at 90 degrees east it is the x axis.
static void test_polar_map(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    const GrRun *run = gr_run("terrain light cone.tif --from 2027-11-12T00:00:00Z --json --azimuths 8");
    assert_int_equal(run->exit_code, 0);
    GrSunDef sun = gr_default_sun_def();
    sun.kind = GR_SUN_DATE;
    sun.lon = 90 * GR_DEGREE;
    sun.lat = -GR_PI / 2 + 2 * atan(30000 / (2 * 1737400.0)); // of a stereographic map
    assert_true(gr_date_parse("2027-11-12", &sun.start));
    GrSkyView view;
    assert_int_equal(gr_sky_view(&sun, GR_SKY_SUN, 0, &view, NULL), GR_OK);
    assert_near(json_number(run->out, "first_elevation_deg"), view.elevation / GR_DEGREE, 1e-3);
    assert_near(remainder(json_number(run->out, "first_azimuth_deg") - view.azimuth / GR_DEGREE - 90, 360), 0, 1e-3);
}

/// A month: every place near the pole has a day and a night. On a plain the Sun would be up for as long as it is above
/// the horizontal; the cone hides it at times.
static void test_month(void **state)
{
    (void)state;
    make_map("cone.tif", 60000, 0);
    const GrRun *run =
        gr_run("terrain light cone.tif --from 2027-03-01 --to 2027-03-30 --every 6 --azimuths 36 --json -o month.tif");
    assert_int_equal(run->exit_code, 0);
    GrSunDef sun = gr_default_sun_def();
    sun.kind = GR_SUN_DATE;
    sun.lon = 90 * GR_DEGREE;
    sun.lat = -GR_PI / 2 + 2 * atan(60000 / (2 * 1737400.0));
    assert_true(gr_date_parse("2027-03-01", &sun.start));
    double up = 0;
    for (int k = 0; k <= 4 * 29; k++) {
        GrSkyView view;
        assert_int_equal(gr_sky_view(&sun, GR_SKY_SUN, k * 6 * 3600.0, &view, NULL), GR_OK);
        up += (view.elevation > 0) / (4 * 29 + 1.0);
    }
    const double share = json_number(run->out, "mean_share");
    assert_true(share < up && share > 0.5 * up);
    assert_true(json_number(run->out, "longest_night_h") > 200);
    run = gr_run("terrain light cone.tif --earth --from 2027-03-01 --to 2027-03-30 --every 6 --azimuths 36");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "Earth in sight: ");
}

static void test_antenna(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    // at the foot of the cone in the west, 1 m high: the other side of the cone does not see it
    const GrRun *run = gr_run("terrain light cone.tif --antenna 29955,0,1 --eye 1 -o sight.tif");
    assert_int_equal(run->exit_code, 0);
    assert_near(pixel("sight.tif", 1, 10, 50), 1, 0);
    assert_near(pixel("sight.tif", 1, 95, 50), 0, 0);
    assert_near(pixel("sight.tif", 1, 50, 50), 1, 0); // the tip does
}

/// A mountain of another map, 3 km to the east, is the skyline of a plain.
static void test_maps_around(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    float heights[101 * 101] = {0};
    heights[50 * 101 + 80] = 500; // at east 33000, north 0
    write_map("region.tif", 30000, 0, 100, heights);
    const GrRun *run = gr_run("terrain horizon cone.tif --around region.tif -o around.tif --azimuths 36");
    assert_int_equal(run->exit_code, 0);
    assert_near(pixel("around.tif", 10, 100, 50), atan(500 / 2950.0 - 2950 / (2 * 1737400.0)) / GR_DEGREE, 0.15);
    assert_near(pixel("around.tif", 1, 100, 50), 0, 0.05);
    make_map("far.tif", 60000, 0);
    run = gr_run("terrain horizon cone.tif --around far.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "do not contain the middle");
}

static void test_wrong_input(void **state)
{
    (void)state;
    make_map("cone.tif", 30000, 0);
    static const char *const LINES[][2] = {
        {"terrain horizon cone.tif --azimuths 3", "--azimuths"},
        {"terrain horizon cone.tif --azimuths 7.5", "--azimuths"},
        {"terrain horizon cone.tif --eye -1", "--eye"},
        {"terrain light cone.tif", "give --from"},
        {"terrain light cone.tif --from 2027-02-30", "must be a date"},
        {"terrain light cone.tif --from 2027-03-02 --to 2027-03-01", "--to must not be before"},
        {"terrain light cone.tif --from 2027-03-01 --to 2100-03-01 --every 0.001", "more than"},
        {"terrain light cone.tif --azimuth 3", "--elevation"},
        {"terrain light cone.tif --azimuth 3 --elevation 95", "within 90"},
        {"terrain light cone.tif --from 2027-03-01 --body venus", "moon or mars"},
        {"terrain light cone.tif --from 2027-03-01 --lat 91", "within 90"},
        {"terrain light cone.tif --antenna 1,2", "EAST,NORTH,HEIGHT"},
        {"terrain light cone.tif --antenna 0,0,5", "off the map"},
        {"terrain light none.tif --from 2027-03-01", "none.tif"},
        {"terrain light cone.tif --from 2027-03-01 --plain", "--png"},
    };
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++) {
        const GrRun *run = gr_run(LINES[i][0]);
        if (run->exit_code != 2) {
            print_error("%s: exit code %d\n", LINES[i][0], run->exit_code);
        }
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, LINES[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_horizon),     cmocka_unit_test(test_shadow),  cmocka_unit_test(test_polar_map),
        cmocka_unit_test(test_month),       cmocka_unit_test(test_antenna), cmocka_unit_test(test_maps_around),
        cmocka_unit_test(test_wrong_input),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
