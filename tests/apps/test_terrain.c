/// grouser terrain, run as a user runs it.
#include "grouser/terrain.h"
#include "json_check.h"
#include "run_command.h"

#include <gdal.h>
#include <ogr_srs_api.h>
#include <sys/stat.h>

/// The real map of Gale crater; the shell puts its path in.
#define GALE "\"$GROUSER_TEST_GALE\""

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
    static const char *const PARTS[] = {"info",    "import", "clean",   "generate", "rocks",
                                        "soilmap", "export", "horizon", "light"};
    const GrRun *run = gr_run("terrain --help");
    assert_int_equal(run->exit_code, 0);
    for (int k = 0; k < 9; k++) {
        assert_has(run->out, PARTS[k]);
    }
    for (int k = 0; k < 9; k++) {
        char line[64];
        snprintf(line, sizeof line, "terrain %s --help", PARTS[k]);
        run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "Example:\n  grouser terrain ");
        assert_has(run->out, "--json");
    }
    run = gr_run("terrain cleen x.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'clean'?");
}

static void test_gale(void **state)
{
    (void)state;
    if (getenv("GROUSER_TEST_GALE") == NULL) {
        skip();
    }
    remove_all();
    const GrRun *run = gr_run("terrain info --json " GALE " --png terrain_test/gale.png");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(json_number(run->out, "columns"), 348, 0);
    assert_near(json_number(run->out, "rows"), 337, 0);
    assert_near(json_number(run->out, "resolution_m"), 1, 0);
    assert_near(json_number(run->out, "height_min_m"), -4472.67, 0.005);
    assert_near(json_number(run->out, "height_max_m"), -4437.88, 0.005);
    assert_near(json_number(run->out, "slope_median_deg"), 6.7, 0.05);
    assert_near(json_number(run->out, "center_lon_deg"), 137.37, 0.005);
    assert_near(json_number(run->out, "center_lat_deg"), -4.667, 0.005);
    assert_near(json_number(run->out, "body_radius_m"), 3396190, 0);
    assert_true(exists("terrain_test/gale.png"));
    // A good map is not touched by cleaning: the same pixels come back.
    run = gr_run("terrain clean " GALE " -o terrain_test/clean.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(json_number(run->out, "filled_cells"), 0, 0);
    assert_near(json_number(run->out, "outlier_cells"), 0, 0);
    // A window by longitude and latitude.
    run = gr_run("terrain import " GALE " -o terrain_test/w.tif --window lonlat:137.368,-4.668,137.372,-4.665 --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(json_number(run->out, "columns"), 237, 1);
    assert_near(json_number(run->out, "rows"), 178, 1);
    assert_near(json_number(run->out, "center_lon_deg"), 137.37, 1e-4);
    run = gr_run("terrain export " GALE " -o terrain_test/g.glb --window px:10,20,40,30 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(exists("terrain_test/g.glb"));
    run = gr_run("terrain export " GALE " -o terrain_test/g.obj --window px:10,20,40,30");
    assert_int_equal(run->exit_code, 0);
    assert_true(exists("terrain_test/g.obj"));
}

/// A cached map that was cut off, damaged or exchanged for another is made again.
static void test_damaged_cache(void **state)
{
    (void)state;
    static const char *const DAMAGES[] = {"truncate -s 700 *%s*", "truncate -s 0 *%s*", "printf x >>%s.tif",
                                          "cp %s.tif kept; for f in *.tif; do cp kept $f; done; rm kept",
                                          "printf '\\377' | dd of=%s.tif bs=1 seek=600 conv=notrunc status=none"};
    static const char A[] =
        "terrain generate --size 12 --cell 0.5 --add fractal:rms_m=0.05 -o terrain_test/a.tif --json",
                      B[] =
                          "terrain generate --size 12 --cell 0.5 --add fractal:rms_m=0.06 -o terrain_test/b.tif --json";
    for (size_t i = 0; i < sizeof DAMAGES / sizeof DAMAGES[0]; i++) {
        char id[33], change[256], line[512];
        remove_all();
        assert_int_equal(gr_run(B)->exit_code, 0);
        const GrRun *run = gr_run(A);
        assert_int_equal(sscanf(strstr(run->out, "\"id\": \""), "\"id\": \"%32[0-9a-f]", id), 1);
        assert_has(gr_run(A)->out, "\"cached\": true");
        assert_int_equal(rename("terrain_test/a.tif", "terrain_test/first.tif"), 0);
        snprintf(change, sizeof change, DAMAGES[i], id);
        snprintf(line, sizeof line, "cd terrain_test/cache && %s", change);
        assert_int_equal(system(line), 0);
        run = gr_run(i == 3 ? B : A);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "\"cached\": false");
        assert_int_equal(gr_run(A)->exit_code, 0);
        assert_true(same_bytes("terrain_test/a.tif", "terrain_test/first.tif"));
    }
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
    assert_near(json_number(run->out, "columns"), 121, 0);
    run = gr_run("terrain rocks terrain_test/a.tif --k 0.1 --smallest 0.2 -o terrain_test/r.csv --png "
                 "terrain_test/r.png --json");
    assert_int_equal(run->exit_code, 0);
    assert_near_rel(json_number(run->out, "area_fraction"), json_number(run->out, "area_fraction_asked"), 0.05);
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
    assert_has(run->err, "did you mean 'fractal'?");
    assert_false(exists("terrain_test/x.tif"));
}

static void image_size(const char *path, int size[2])
{
    GDALAllRegister();
    GDALDatasetH image = GDALOpen(path, GA_ReadOnly);
    assert_non_null(image);
    size[0] = GDALGetRasterXSize(image);
    size[1] = GDALGetRasterYSize(image);
    GDALClose(image);
}

/// Pictures carry axes and legend around the map unless they are asked for plain; a PNG of heights is data and has
/// one pixel for each cell.
static void test_pictures(void **state)
{
    (void)state;
    remove_all();
    enum { COLUMNS = 121, ROWS = 81, PIXELS_A_CELL = 8 };
    static const char *const WAYS[] = {
        "generate --size 30,20 --cell 0.25 --add fractal:rms_m=0.05 -o terrain_test/a.tif --png terrain_test/p.png",
        "info terrain_test/a.tif --png terrain_test/p.png",
        "import terrain_test/a.tif -o terrain_test/b.tif --png terrain_test/p.png",
        "clean terrain_test/a.tif -o terrain_test/b.tif --png terrain_test/p.png",
        "rocks terrain_test/a.tif --smallest 0.5 --png terrain_test/p.png",
        "soilmap terrain_test/a.tif --rule ES-1 --png terrain_test/p.png",
        "export terrain_test/a.tif --shaded -o terrain_test/p.png",
    };
    for (size_t k = 0; k < sizeof WAYS / sizeof WAYS[0]; k++) {
        char line[256];
        int plain[2], whole[2];
        snprintf(line, sizeof line, "terrain %s --plain", WAYS[k]);
        assert_int_equal(gr_run(line)->exit_code, 0);
        image_size("terrain_test/p.png", plain);
        assert_int_equal(plain[0], COLUMNS * PIXELS_A_CELL);
        assert_int_equal(plain[1], ROWS * PIXELS_A_CELL);
        snprintf(line, sizeof line, "terrain %s", WAYS[k]);
        assert_int_equal(gr_run(line)->exit_code, 0);
        image_size("terrain_test/p.png", whole);
        assert_true(whole[0] > plain[0] && whole[1] > plain[1]);
    }
    assert_int_equal(gr_run("terrain export terrain_test/a.tif -o terrain_test/h.png")->exit_code, 0);
    int data[2];
    image_size("terrain_test/h.png", data);
    assert_int_equal(data[0], COLUMNS);
    assert_int_equal(data[1], ROWS);
    const GrRun *run = gr_run("terrain info terrain_test/a.tif --plain");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--png");
    run = gr_run("terrain export terrain_test/a.tif -o terrain_test/h.tif --shaded");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--shaded");
    assert_false(exists("terrain_test/h.tif"));
    run = gr_run("terrain export terrain_test/a.tif -o terrain_test/h.png --plain");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--shaded");
}

/// A small map of the Moon: z = 0.1 column − 0.3 row, cells of 1 m, middle at (10020, −4985).
static void make_map(const char *path)
{
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, 40, 30, 1, GDT_Float32, NULL);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double gt[6] = {10000, 1, 0, -4970, 0, -1};
    GDALSetGeoTransform(dataset, gt);
    float z[30 * 40];
    for (int k = 0; k < 30 * 40; k++) {
        z[k] = (float)(0.1 * (k % 40) - 0.3 * (k / 40));
    }
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Write, 0, 0, 40, 30, z, 40, 30, GDT_Float32, 0, 0),
                     CE_None);
    GDALClose(dataset);
}

/// A rut 0.1 m deep from (1.8, 3) to (2.2, 5) of the world, and a heap of 0.05 m beside it, from 2.25 to 2.6 east.
static void make_ruts(const char *path)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = 0.05;
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    for (int64_t j = 60; j <= 100; j++) {
        for (int64_t i = 36; i <= 52; i++) {
            *gr_ruts_height(ruts, i, j) = i <= 44 ? -0.1 : 0.05;
        }
    }
    const size_t size = gr_ruts_size(ruts);
    void *bytes = malloc(size);
    assert_int_equal(gr_ruts_save(ruts, bytes), GR_OK);
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    gr_ruts_free(ruts);
}

/// Pixel of a written map at projected coordinates, which must be the middle of a pixel.
static double pixel_at(const char *path, double east, double north)
{
    GDALDatasetH dataset = GDALOpen(path, GA_ReadOnly);
    assert_non_null(dataset);
    double gt[6], z;
    assert_int_equal(GDALGetGeoTransform(dataset, gt), CE_None);
    const double column = (east - gt[0]) / gt[1] - 0.5, row = (north - gt[3]) / gt[5] - 0.5;
    assert_near(column, nearbyint(column), 1e-6);
    assert_near(row, nearbyint(row), 1e-6);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Read, (int)nearbyint(column), (int)nearbyint(row),
                                  1, 1, &z, 1, 1, GDT_Float64, 0, 0),
                     CE_None);
    OGRSpatialReferenceH srs = GDALGetSpatialRef(dataset);
    assert_non_null(srs);
    assert_near(OSRGetSemiMajor(srs, NULL), 1737400, 0);
    GDALClose(dataset);
    return z;
}

/// Map without ruts at projected coordinates.
static double bare(double east, double north)
{
    return 0.1 * (east - 10000.5) - 0.3 * (-4970.5 - north);
}

static void test_export_ruts(void **state)
{
    (void)state;
    remove_all();
    make_map("terrain_test/m.tif");
    make_ruts("terrain_test/ruts.bin");
    // The world's origin is the middle of the map on whole metres, (10020, −4985): the rut lies at (10022, −4981).
    const GrRun *run = gr_run("terrain export terrain_test/m.tif --ruts terrain_test/ruts.bin --window px:15,5,15,15 "
                              "--resolution 0.1 -o terrain_test/d.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(json_number(run->out, "columns"), 141, 0);
    assert_near(json_number(run->out, "ruts_volume_m3"), 0.0025 * 41 * (9 * -0.1 + 8 * 0.05), 1e-9);
    static const double POINTS[][3] = {{10022.0, -4981.0, -0.1}, {10022.4, -4981.0, 0.05}, {10021.9, -4980.5, -0.1},
                                       {10022.0, -4983.0, 0},    {10026.0, -4981.0, 0},    {10021.0, -4981.0, 0}};
    for (int k = 0; k < 6; k++) {
        const double *p = POINTS[k];
        assert_near(pixel_at("terrain_test/d.tif", p[0], p[1]), bare(p[0], p[1]) + p[2], 1e-5);
    }
    run = gr_run("terrain export terrain_test/m.tif --ruts terrain_test/ruts.bin --window px:15,5,15,15 "
                 "--resolution 0.1 --difference -o terrain_test/x.tif");
    assert_int_equal(run->exit_code, 0);
    for (int k = 0; k < 6; k++) {
        assert_near(pixel_at("terrain_test/x.tif", POINTS[k][0], POINTS[k][1]), POINTS[k][2], 1e-6);
    }
    // At the map's own nodes, which are coarser than the rut: one column of them meets the heap.
    run = gr_run("terrain export terrain_test/m.tif --ruts terrain_test/ruts.bin -o terrain_test/n.tif");
    assert_int_equal(run->exit_code, 0);
    assert_near(pixel_at("terrain_test/n.tif", 10022.5, -4981.5), bare(10022.5, -4981.5) + 0.05, 1e-5);
    assert_near(pixel_at("terrain_test/n.tif", 10023.5, -4981.5), bare(10023.5, -4981.5), 1e-5);
    // Ruts of a world with another origin.
    run =
        gr_run("terrain export terrain_test/m.tif --ruts terrain_test/ruts.bin --ruts-origin 10010,-4990 --difference "
               "-o terrain_test/o.tif");
    assert_int_equal(run->exit_code, 0);
    assert_near(pixel_at("terrain_test/o.tif", 10012.5, -4986.5), 0.05, 1e-6);
    assert_near(pixel_at("terrain_test/o.tif", 10022.5, -4981.5), 0, 1e-6);
}

/// Mesh and pictures show the ruts too.
static void test_export_ruts_mesh(void **state)
{
    (void)state;
    remove_all();
    make_map("terrain_test/m.tif");
    make_ruts("terrain_test/ruts.bin");
    const char *what = "--ruts terrain_test/ruts.bin --window px:20,9,5,5 --resolution 0.1 --difference";
    char line[512];
    snprintf(line, sizeof line, "terrain export terrain_test/m.tif %s -o terrain_test/r.obj", what);
    assert_int_equal(gr_run(line)->exit_code, 0);
    FILE *file = fopen("terrain_test/r.obj", "r");
    assert_non_null(file);
    double low = INFINITY, high = -INFINITY;
    while (fgets(line, sizeof line, file) != NULL) {
        double v[3];
        if (sscanf(line, "v %lf %lf %lf", &v[0], &v[1], &v[2]) == 3) {
            low = fmin(low, v[2]);
            high = fmax(high, v[2]);
        }
    }
    fclose(file);
    assert_near(high - low, 0.15, 1e-5);
    snprintf(line, sizeof line, "terrain export terrain_test/m.tif %s -o terrain_test/r.glb", what);
    assert_int_equal(gr_run(line)->exit_code, 0);
    snprintf(line, sizeof line, "terrain export terrain_test/m.tif %s -o terrain_test/r.png", what);
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    double scale, offset;
    assert_int_equal(sscanf(run->out, "height = %lf * value + %lf m", &scale, &offset), 2);
    assert_near(65534 * scale, 0.15, 1e-6);
    assert_near(offset + scale, -0.1, 1e-6);
    snprintf(line, sizeof line, "terrain export terrain_test/m.tif %s --shaded -o terrain_test/s.png", what);
    assert_int_equal(gr_run(line)->exit_code, 0);
    assert_true(exists("terrain_test/s.png"));
    gr_run_write("terrain_test/bad.bin", "no ruts at all, but long enough to be a header of something else");
    run = gr_run("terrain export terrain_test/m.tif --ruts terrain_test/bad.bin -o terrain_test/y.tif");
    assert_int_equal(run->exit_code, 2);
    assert_false(exists("terrain_test/y.tif"));
    run = gr_run("terrain export terrain_test/m.tif --difference -o terrain_test/y.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--ruts");
    run =
        gr_run("terrain export terrain_test/m.tif --ruts terrain_test/ruts.bin --ruts-origin 5 -o terrain_test/y.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "EAST,NORTH");
}

/// 4 * 10^8 cells that are nearly all unwritten, with overviews: figures and picture come in seconds, and say what they
/// are of. The blocks that are looked at miss the one hill there is; the overview does not.
static void test_huge(void **state)
{
    (void)state;
    remove_all();
    GDALAllRegister();
    char *options[] = {(char[]){"SPARSE_OK=TRUE"}, (char[]){"TILED=YES"}, NULL};
    GDALDatasetH dataset =
        GDALCreate(GDALGetDriverByName("GTiff"), "terrain_test/huge.tif", 20480, 20480, 1, GDT_Float32, options);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double gt[6] = {-10240, 1, 0, 10240, 0, -1};
    GDALSetGeoTransform(dataset, gt);
    GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
    GDALSetRasterNoDataValue(band, -32767);
    static float block[256 * 256];
    for (int k = 0; k < 256 * 256; k++) {
        block[k] = 100;
    }
    for (int b = 0; b < 80; b++) { // a row of blocks at the north, a hill in its third block
        for (int k = 0; k < 64 * 256; k++) {
            block[k] = b == 2 ? 500 : 100;
        }
        assert_int_equal(GDALWriteBlock(band, b, 0, block), CE_None);
    }
    GDALClose(dataset);
    const GrRun *run = gr_run("terrain info terrain_test/huge.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"statistics_from\": \"blocks\"");
    assert_true(json_number(run->out, "share_looked_at") < 0.5);
    dataset = GDALOpen("terrain_test/huge.tif", GA_Update);
    int levels[3] = {4, 16, 64};
    assert_int_equal(GDALBuildOverviews(dataset, "AVERAGE", 3, levels, 0, NULL, NULL, NULL), CE_None);
    GDALClose(dataset);
    run = gr_run("terrain info terrain_test/huge.tif --json --png terrain_test/huge.png");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"statistics_from\": \"blocks and overview\"");
    assert_near(json_number(run->out, "overviews"), 3, 0);
    assert_near(json_number(run->out, "overview_factor"), 4, 0);
    assert_near(json_number(run->out, "columns"), 20480, 0);
    assert_near(json_number(run->out, "height_max_m"), 500, 0);
    assert_near(json_number(run->out, "void_share"), 79.0 / 80, 1e-9);
    assert_near_rel(json_number(run->out, "void_cells"), 20480.0 * (20480 - 256), 1e-9);
    assert_near(json_number(run->out, "height_mean_m"), 100 + 400 * 0.25 / 80, 1e-9);
    assert_true(exists("terrain_test/huge.png"));
    run = gr_run("terrain info terrain_test/huge.tif");
    assert_has(run->out, "overview 1 : 4");
    // A coarse map of all of it.
    run = gr_run("terrain import terrain_test/huge.tif --coarsest 70 -o terrain_test/far.tif --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(json_number(run->out, "columns"), 320, 0);
    assert_near(json_number(run->out, "resolution_m"), 64, 0);
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
    assert_near(json_number(run->out, "center_lon_deg"), -3.57, 0.002);
    assert_near(json_number(run->out, "center_lat_deg"), 26.175, 0.002);
    assert_near(json_number(run->out, "body_radius_m"), 1737400, 0);
    assert_near(json_number(run->out, "scale_east"), 1, 1e-3);
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
    assert_near(json_number(run->out, "resolution_m"), 0.5, 0);
    assert_near(json_number(run->out, "height_max_m"), 6, 0);
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
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_gale),
        cmocka_unit_test(test_generate_and_cache),
        cmocka_unit_test(test_damaged_cache),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_export_ruts),
        cmocka_unit_test(test_export_ruts_mesh),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_degrees),
        cmocka_unit_test(test_wrong_input),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    GDALDestroyDriverManager();
    return failed;
}
