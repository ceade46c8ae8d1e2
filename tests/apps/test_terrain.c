/// grouser terrain, run as a user runs it.
#include "json_check.h"
#include "run_command.h"

#include <gdal.h>
#include <ogr_srs_api.h>
#include <sys/stat.h>

#define GALE GR_TEST_SOURCE_DIR "/../shared/data/dem/gale_hirise_1m_mmgis_missionDEM.tif"

/// Number after a key of printed JSON.
static double number_of(const char *json, const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(json, quoted);
    if (at == NULL) {
        fail_msg("no %s in %s", key, json);
    }
    return strtod(at + strlen(quoted), NULL);
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && info.st_size > 0;
}

static bool same_bytes(const char *a, const char *b)
{
    char line[256];
    snprintf(line, sizeof line, "cmp -s %s %s", a, b);
    return system(line) == 0;
}

static void remove_all(void)
{
    if (system("rm -rf terrain_test") != 0 || system("mkdir terrain_test") != 0) {
        fail();
    }
    setenv("GROUSER_CACHE", "terrain_test/cache", 1);
}

static void test_help(void **state)
{
    (void)state;
    static const char *const PARTS[] = {"info", "import", "clean", "generate", "rocks", "soilmap", "export"};
    const GrRun *run = gr_run("terrain --help");
    assert_int_equal(run->exit_code, 0);
    for (int k = 0; k < 7; k++) {
        assert_has(run->out, PARTS[k]);
    }
    for (int k = 0; k < 7; k++) {
        char line[64];
        snprintf(line, sizeof line, "terrain %s --help", PARTS[k]);
        run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "Example:\n  grouser terrain ");
        assert_has(run->out, "--json");
    }
    run = gr_run("terrain cleen x.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean clean?");
}

static void test_gale(void **state)
{
    (void)state;
    if (!exists(GALE)) {
        skip();
    }
    remove_all();
    const GrRun *run = gr_run("terrain info --json " GALE " --png terrain_test/gale.png");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(number_of(run->out, "columns"), 348, 0);
    assert_near(number_of(run->out, "rows"), 337, 0);
    assert_near(number_of(run->out, "resolution_m"), 1, 0);
    assert_near(number_of(run->out, "height_min_m"), -4472.67, 0.005);
    assert_near(number_of(run->out, "height_max_m"), -4437.88, 0.005);
    assert_near(number_of(run->out, "slope_median_deg"), 6.7, 0.05);
    assert_near(number_of(run->out, "center_lon_deg"), 137.37, 0.005);
    assert_near(number_of(run->out, "center_lat_deg"), -4.667, 0.005);
    assert_near(number_of(run->out, "body_radius_m"), 3396190, 0);
    assert_true(exists("terrain_test/gale.png"));
    // A good map is not touched by cleaning: the same pixels come back.
    run = gr_run("terrain clean " GALE " -o terrain_test/clean.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(number_of(run->out, "filled_cells"), 0, 0);
    assert_near(number_of(run->out, "outlier_cells"), 0, 0);
    // A window by longitude and latitude.
    run = gr_run("terrain import " GALE " -o terrain_test/w.tif --window lonlat:137.368,-4.668,137.372,-4.665 --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(number_of(run->out, "columns"), 237, 1);
    assert_near(number_of(run->out, "rows"), 178, 1);
    assert_near(number_of(run->out, "center_lon_deg"), 137.37, 1e-4);
    run = gr_run("terrain export " GALE " -o terrain_test/g.glb --window px:10,20,40,30 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(exists("terrain_test/g.glb"));
    run = gr_run("terrain export " GALE " -o terrain_test/g.obj --window px:10,20,40,30");
    assert_int_equal(run->exit_code, 0);
    assert_true(exists("terrain_test/g.obj"));
}

static void test_generate_and_cache(void **state)
{
    (void)state;
    remove_all();
    const char *terms =
        "--size 30,20 --cell 0.25 --seed 4 --add fractal:rms_m=0.05 --add craters:smallest_m=1,largest_m=8";
    char line[512];
    snprintf(line, sizeof line, "terrain generate %s -o terrain_test/a.tif --json --png terrain_test/a.png", terms);
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"cached\": false");
    snprintf(line, sizeof line, "terrain generate %s -o terrain_test/b.tif --json", terms);
    run = gr_run(line);
    assert_has(run->out, "\"cached\": true");
    snprintf(line, sizeof line, "terrain generate %s -o terrain_test/c.tif --no-cache -j 3", terms);
    run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    assert_true(same_bytes("terrain_test/a.tif", "terrain_test/b.tif"));
    assert_true(same_bytes("terrain_test/a.tif", "terrain_test/c.tif"));
    run = gr_run("terrain info terrain_test/a.tif --json");
    assert_near(number_of(run->out, "columns"), 121, 0);
    run = gr_run("terrain rocks terrain_test/a.tif --k 0.1 --smallest 0.2 -o terrain_test/r.csv --png "
                 "terrain_test/r.png --json");
    assert_int_equal(run->exit_code, 0);
    assert_near_rel(number_of(run->out, "area_fraction"), number_of(run->out, "area_fraction_asked"), 0.05);
    run = gr_run("terrain soilmap terrain_test/a.tif --rule 'rock: slope_deg>8' --rule ES-1 -o terrain_test/s.tif "
                 "--png terrain_test/s.png --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    run = gr_run("terrain soilmap terrain_test/s.tif --legend '1=rock 2=ES-1'");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "2 ES-1");
    run = gr_run("terrain export terrain_test/a.tif -o terrain_test/h.png");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "height = ");
    run = gr_run("terrain generate --list");
    assert_has(run->out, "craters");
    run = gr_run("terrain generate --size 10 --add fractl -o terrain_test/x.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean fractal?");
    assert_false(exists("terrain_test/x.tif"));
}

/// A grid in degrees is refused with a command that, when it is run, gives a map that is taken.
static void test_degrees(void **state)
{
    (void)state;
    remove_all();
    GDALAllRegister();
    GDALDatasetH dataset =
        GDALCreate(GDALGetDriverByName("GTiff"), "terrain_test/deg.tif", 60, 50, 1, GDT_Float32, NULL);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=longlat +R=1737400");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double gt[6] = {-3.6, 0.001, 0, 26.2, 0, -0.001};
    GDALSetGeoTransform(dataset, gt);
    GDALFillRaster(GDALGetRasterBand(dataset, 1), 7, 0);
    GDALClose(dataset);
    const GrRun *run = gr_run("terrain info terrain_test/deg.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "a grid in degrees");
    assert_has(run->err, "+R=1737400");
    const char *start = strstr(run->err, "gdalwarp ");
    assert_non_null(start);
    if (system("command -v gdalwarp >/dev/null 2>&1") != 0) {
        return;
    }
    char line[1024];
    snprintf(line, sizeof line, "cd terrain_test && ln -s ../terrain_test terrain_test && %.*s >/dev/null",
             (int)strcspn(start, "\n"), start);
    assert_int_equal(system(line), 0);
    run = gr_run("terrain info terrain_test/metric.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(number_of(run->out, "center_lon_deg"), -3.57, 0.002);
    assert_near(number_of(run->out, "center_lat_deg"), 26.175, 0.002);
    assert_near(number_of(run->out, "body_radius_m"), 1737400, 0);
    assert_near(number_of(run->out, "scale_east"), 1, 1e-3);
}

static void test_wrong_input(void **state)
{
    (void)state;
    remove_all();
    gr_run_write("terrain_test/empty.tif", "");
    gr_run_write("terrain_test/m.csv", "1,2\n3,x\n");
    const GrRun *run = gr_run("terrain info terrain_test/none.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "No such file");
    run = gr_run("terrain info terrain_test/empty.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "is empty");
    run = gr_run("terrain info terrain_test/m.csv");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "m.csv:2");
    gr_run_write("terrain_test/m.csv", "1,2,3\n4,5,6\n");
    run = gr_run("terrain import terrain_test/m.csv -o terrain_test/m.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--cell");
    run = gr_run("terrain import terrain_test/m.csv -o terrain_test/m.tif --cell 0.5");
    assert_int_equal(run->exit_code, 0);
    run = gr_run("terrain info terrain_test/m.tif --json");
    assert_near(number_of(run->out, "resolution_m"), 0.5, 0);
    assert_near(number_of(run->out, "height_max_m"), 6, 0);
    run = gr_run("terrain info terrain_test/m.tif --window px:0,0,9,9");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "not inside");
    run = gr_run("terrain info terrain_test/m.tif --window around:1,2");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "lonlat:");
    gr_run_write("terrain_test/v.csv", "nan,nan\nnan,nan\n");
    run = gr_run("terrain import terrain_test/v.csv -o terrain_test/v.tif --cell 1");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "no cell with data");
    assert_false(exists("terrain_test/v.tif"));
    run = gr_run("terrain export terrain_test/m.tif -o terrain_test/m.stl");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, ".glb");
    run = gr_run("terrain clean terrain_test/m.tif -o no_such_folder/m.tif");
    assert_int_not_equal(run->exit_code, 0);
    assert_has(run->err, "error:");
    if (system("rm -rf terrain_test") != 0) {
        fail();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),    cmocka_unit_test(test_gale),        cmocka_unit_test(test_generate_and_cache),
        cmocka_unit_test(test_degrees), cmocka_unit_test(test_wrong_input),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
