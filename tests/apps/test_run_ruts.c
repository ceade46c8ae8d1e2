/// Ruts of a run as files: GeoTIFFs at the position of the track with the depth of the sinkage, and ruts.bin for use
/// with any map.
#include "run_command.h"
#include "trace_wheel.h"

#include <gdal.h>
#include <math.h>
#include <ogr_srs_api.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 60, ROWS = 40, SAMPLES = 4000 };
static const double WEST = 10000, NORTH = -4970; // of the map

/// A map of the Moon 4500 m below its datum with a gentle slope, cells of 0.5 m.
static double bare(double east, double north)
{
    return -4500 + 0.02 * (east - WEST) + 0.01 * (north - NORTH);
}

static void make_map(const char *path)
{
    GDALAllRegister();
    GDALDatasetH dataset = GDALCreate(GDALGetDriverByName("GTiff"), path, COLUMNS, ROWS, 1, GDT_Float64, NULL);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=stere +lat_0=-90 +lon_0=0 +R=1737400 +units=m");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    double gt[6] = {WEST, 0.5, 0, NORTH, 0, -0.5}, z[ROWS * COLUMNS];
    GDALSetGeoTransform(dataset, gt);
    for (int k = 0; k < ROWS * COLUMNS; k++) {
        z[k] = bare(WEST + 0.5 * (k % COLUMNS + 0.5), NORTH - 0.5 * (k / COLUMNS + 0.5));
    }
    assert_int_equal(
        GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Write, 0, 0, COLUMNS, ROWS, z, COLUMNS, ROWS, GDT_Float64, 0, 0),
        CE_None);
    GDALClose(dataset);
}

/// A file with cells of 1 cm on the Moon, all of it.
typedef struct Picture {
    double gt[6];
    int width, height;
    double *z;
} Picture;

static Picture open_picture(const char *path)
{
    Picture p;
    GDALDatasetH dataset = GDALOpen(path, GA_ReadOnly);
    assert_non_null(dataset);
    assert_int_equal(GDALGetGeoTransform(dataset, p.gt), CE_None);
    assert_near(p.gt[1], 0.01, 1e-12);
    p.width = GDALGetRasterXSize(dataset);
    p.height = GDALGetRasterYSize(dataset);
    p.z = malloc(sizeof(double) * (size_t)p.width * (size_t)p.height);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(dataset, 1), GF_Read, 0, 0, p.width, p.height, p.z, p.width,
                                  p.height, GDT_Float64, 0, 0),
                     CE_None);
    OGRSpatialReferenceH srs = GDALGetSpatialRef(dataset);
    assert_non_null(srs);
    assert_near(OSRGetSemiMajor(srs, NULL), 1737400, 0);
    GDALClose(dataset);
    return p;
}

/// The pixel whose middle is nearest to projected coordinates.
static double pixel_at(const Picture *p, double east, double north)
{
    const double column = floor((east - p->gt[0]) / p->gt[1]), row = floor((north - p->gt[3]) / p->gt[5]);
    assert_true(column >= 0 && row >= 0 && column < p->width && row < p->height);
    return p->z[(size_t)row * (size_t)p->width + (size_t)column];
}

/// Samples of one wheel from run.csv.
typedef struct Track {
    double x[SAMPLES], y[SAMPLES], sinkage[SAMPLES], load[SAMPLES];
    int count;
} Track;

static int find_column(const char *head, const char *name)
{
    int column = 0;
    const size_t length = strlen(name);
    for (const char *at = head; at != NULL; column++) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\n')) {
            return column;
        }
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    print_error("no column %s\n", name);
    fail();
    return -1;
}

/// Commas between quotes are text.
static double cell_of(const char *line, int column)
{
    bool quoted = false;
    for (int k = 0; k < column; line++) {
        quoted = quoted != (*line == '"');
        k += *line == ',' && !quoted;
    }
    return strtod(line, NULL);
}

static void read_track(const char *path, const char *wheel, Track *track)
{
    static char line[65536];
    static const char *const NAMES[4] = {"x_m", "y_m", "sinkage_m", "fz_N"};
    int columns[4];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    for (int k = 0; k < 4; k++) {
        char name[96];
        snprintf(name, sizeof name, "%s.%s", wheel, NAMES[k]);
        columns[k] = find_column(line, name);
    }
    for (track->count = 0; track->count < SAMPLES && fgets(line, sizeof line, file) != NULL; track->count++) {
        double *const values[4] = {track->x, track->y, track->sinkage, track->load};
        for (int k = 0; k < 4; k++) {
            values[k][track->count] = cell_of(line, columns[k]);
        }
    }
    fclose(file);
    assert_true(track->count > 100);
}

/// East, over the west part of the map: the world's origin is the middle of the window, not that of the file.
static const char SCENARIO[] = "rover: el_dorado2\n"
                               "soil: ishigami2007\n"
                               "gravity: moon\n"
                               "terrain: {file: rut_map.tif, window_pixel: [4, 4, 30, 20]}\n"
                               "start: {x_m: -2, y_m: 0.3}\n"
                               "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.1}]}\n"
                               "stop: {time_s: 15}\n"
                               "record: {rate_Hz: 50}\n";

/// Origin of the world: the middle of the window on whole metres.
static const double EAST0 = 10010, NORTH0 = -4977;

static void run_scenario(const char *options)
{
    char line[512];
    gr_run_write("rut.yaml", SCENARIO);
    snprintf(line, sizeof line, "run rut.yaml -o rut.run --ruts %s", options);
    const GrRun *run = gr_run(line);
    if (run->exit_code != 0) {
        print_error("%s\n", run->err);
    }
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "ruts.bin, ground.tif, ruts.tif");
}

/// Samples of the front wheel that lie behind it by more than its reach and before the rear wheel: its rut alone.
static void between(const Track *front, const Track *rear, int *from, int *to)
{
    const double last = front->x[front->count - 1], behind = rear->x[rear->count - 1];
    *from = *to = 0;
    for (int k = 0; k < front->count; k++) {
        *from = front->x[k] < behind + 0.2 ? k + 1 : *from;
        *to = front->x[k] < last - 0.25 ? k : *to;
    }
    assert_true(*to - *from > 20);
}

/// Whether a file holds these bytes.
static bool holds(const char *path, const char *wanted)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t length = strlen(wanted);
    size_t matched = 0;
    for (int c = fgetc(file); c != EOF && matched < length; c = fgetc(file)) {
        matched = (char)c == wanted[matched] ? matched + 1 : (char)c == wanted[0] ? 1 : 0;
    }
    fclose(file);
    return matched == length;
}

/// Recording and report show the ruts, where there are any.
static void check_shown(const char *directory, bool shown)
{
    char path[64];
    snprintf(path, sizeof path, "%s/run.mcap", directory);
    assert_int_equal(holds(path, "/ruts"), shown);
    snprintf(path, sizeof path, "%s/report.html", directory);
    assert_int_equal(holds(path, "Ruts at the end of the run"), shown);
}

/// Any law with ruts scm: the depth in the file is the recorded sinkage but for what springs back.
static void test_imprint(void **state)
{
    (void)state;
    static Track front, rear;
    int from, to;
    make_map("rut_map.tif");
    run_scenario("--set ruts=scm");
    read_track("rut.run/run.csv", "wheel_front_left", &front);
    read_track("rut.run/run.csv", "wheel_rear_left", &rear);
    between(&front, &rear, &from, &to);
    Picture ruts = open_picture("rut.run/ruts.tif"), whole = open_picture("rut.run/ground.tif");
    double worst = 0, ground = 0;
    for (int k = from; k <= to; k += 5) {
        const double east = EAST0 + front.x[k], north = NORTH0 + front.y[k];
        const double depth = -pixel_at(&ruts, east, north);
        worst = fmax(worst, fabs(depth / (0.95 * front.sinkage[k]) - 1));
        // Pixels are nodes of 1 cm: heights to the slope over half of one.
        ground = fmax(ground, fabs(pixel_at(&whole, east, north) + depth - bare(east, north)));
    }
    print_message("sinkage %.3f mm, rut off by %.2f %%, ground by %.3f mm\n", 1e3 * front.sinkage[to], 100 * worst,
                  1e3 * ground);
    assert_true(worst < 0.03);
    assert_true(ground < 0.02 * 0.005 + 0.01 * 0.005 + 1e-9);
    // Beside the track nothing has changed.
    assert_near(pixel_at(&ruts, EAST0 + front.x[to], NORTH0 + front.y[to] + 0.2), 0, 0);
    check_shown("rut.run", true);
    free(ruts.z);
    free(whole.z);
}

/// The same through terrain export, which needs no origin, within half the resolution of ruts.bin.
static void check_export(double resolution)
{
    const GrRun *run = gr_run("terrain export rut_map.tif --ruts rut.run/ruts.bin --difference --resolution 0.01 "
                              "--window map:10007.245,-4978.255,10010.255,-4975.245 -o rut_diff.tif");
    assert_int_equal(run->exit_code, 0);
    Picture ruts = open_picture("rut.run/ruts.tif"), exported = open_picture("rut_diff.tif");
    double most = 0;
    for (double east = 10007.6; east < 10009.9; east += 0.07) {
        for (double north = -4977.2; north < -4976.2; north += 0.013) {
            // Between nodes the export is linear; at them it is the same.
            const double node_east = EAST0 + 0.01 * nearbyint(100 * (east - EAST0));
            const double node_north = NORTH0 + 0.01 * nearbyint(100 * (north - NORTH0));
            const double own = pixel_at(&ruts, node_east, node_north);
            assert_near(pixel_at(&exported, node_east, node_north), own, resolution / 2 + 1e-6);
            most = fmin(most, own);
        }
    }
    assert_true(most < -0.003);
    free(ruts.z);
    free(exported.z);
}

/// Rounded, which is the default, and exact; another map is refused.
static void test_export(void **state)
{
    (void)state;
    check_export(1e-4);
    run_scenario("--set ruts=scm --set record.ruts_resolution_mm=0");
    check_export(0);
    GDALDatasetH dataset = GDALOpen("rut_map.tif", GA_Update);
    OGRSpatialReferenceH srs = OSRNewSpatialReference(NULL);
    OSRImportFromProj4(srs, "+proj=stere +lat_0=90 +lon_0=0 +R=3396190 +units=m");
    GDALSetSpatialRef(dataset, srs);
    OSRDestroySpatialReference(srs);
    GDALClose(dataset);
    const GrRun *run = gr_run("terrain export rut_map.tif --ruts rut.run/ruts.bin -o rut_diff2.tif");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "another projection");
    make_map("rut_map.tif");
}

/// Traces: the depth in the file is that of the regression at the recorded load, in the mean over imprints.
static void test_trace(void **state)
{
    (void)state;
    static Track front, rear;
    int from, to;
    run_scenario("--set ruts=trace");
    read_track("rut.run/run.csv", "wheel_front_left", &front);
    read_track("rut.run/run.csv", "wheel_rear_left", &rear);
    between(&front, &rear, &from, &to);
    const GrTraceDef def = gr_default_trace_def();
    const GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.radius = 0.102; // of el_dorado2, without grousers
    wheel.width = 0.1;
    wheel.gravity = 1.62;
    GrTraceWheel trace;
    gr_trace_prepare(&def, &soil, &wheel, 0.01, &trace);
    Picture ruts = open_picture("rut.run/ruts.tif");
    double found = 0, wanted = 0;
    for (int k = from; k <= to; k++) {
        found += pixel_at(&ruts, EAST0 + front.x[k], NORTH0 + front.y[k]);
        wanted += gr_trace_shape(&trace, front.load[k], 0).mean;
    }
    print_message("trace %.4f mm, regression %.4f mm\n", 1e3 * found / (to - from + 1), 1e3 * wanted / (to - from + 1));
    assert_near_rel(found, wanted, 0.02);
    free(ruts.z);
}

/// Behind another rover: its ruts are there at the start, and the wheels sink less in them.
static void test_from(void **state)
{
    (void)state;
    static Track first, second;
    double fresh = 0, behind[2] = {0};
    for (int exact = 0; exact < 2; exact++) {
        run_scenario(exact ? "--set ruts=scm --set record.ruts_resolution_mm=0" : "--set ruts=scm");
        read_track("rut.run/run.csv", "wheel_front_left", &first);
        const GrRun *run = gr_run("run rut.yaml -o rut_second.run --set 'ruts={kind: scm, from: rut.run/ruts.bin}'");
        assert_int_equal(run->exit_code, 0);
        read_track("rut_second.run/run.csv", "wheel_front_left", &second);
        for (int k = 300; k < 500; k++) {
            fresh += first.sinkage[k] / 400;
            behind[exact] += second.sinkage[k] / 200;
        }
    }
    print_message("sinks %.3f mm, behind another %.3f mm below its ruts, %.4f mm where they are exact\n", 1e3 * fresh,
                  1e3 * behind[0], 1e3 * behind[1]);
    assert_true(behind[1] < 0.8 * fresh);
    assert_near(behind[0], behind[1], 0.5e-4); // half the resolution
    const GrRun *run = gr_run("run rut.yaml -o rut_bad.run --set 'ruts={kind: scm, from: rut_map.tif}'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "rut_map.tif");
    assert_has(run->err, "not saved ruts");
    run = gr_run("run rut.yaml -o rut_bad.run --set 'ruts={kind: scm, cell_m: 0.02, from: rut.run/ruts.bin}'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "cells of 0.01 m");
    run = gr_run("run rut.yaml -o rut_bad.run --set 'ruts={kind: none, from: rut.run/ruts.bin}'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "does not keep ruts");
}

static void test_no_ruts(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run rut.yaml -o rut_none.run --ruts");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "leave no ruts");
    run = gr_run("run rut.yaml -o rut_none.run");
    assert_int_equal(run->exit_code, 0);
    check_shown("rut_none.run", false);
}

/// Grey values of the rear camera's image after 20 s.
static void read_image(const char *ruts, unsigned char *out, int count)
{
    char line[256];
    snprintf(line, sizeof line, "run trace_camera -o seen.run --set stop.time_s=20.5 --set ruts.kind=%s", ruts);
    assert_int_equal(gr_run(line)->exit_code, 0);
    GDALDatasetH image = GDALOpen("seen.run/sensors/camera_000002.png", GA_ReadOnly);
    assert_non_null(image);
    assert_int_equal(GDALGetRasterXSize(image) * GDALGetRasterYSize(image), count);
    assert_int_equal(GDALRasterIO(GDALGetRasterBand(image, 1), GF_Read, 0, 0, 640, 480, out, 640, 480, GDT_Byte, 0, 0),
                     CE_None);
    GDALClose(image);
    assert_int_equal(system("rm -r seen.run"), 0);
}

/// The robot's camera sees its traces (Kamohara et al. 2024, figure 5): steps of the grousers in light and shadow, on a
/// small part of the image, which is else the same.
static void test_camera_sees_traces(void **state)
{
    (void)state;
    enum { PIXELS = 640 * 480 };
    unsigned char *with = test_calloc(PIXELS, 1), *without = test_calloc(PIXELS, 1);
    read_image("trace", with, PIXELS);
    read_image("none", without, PIXELS);
    int other = 0;
    double brighter = 0;
    for (int i = 0; i < PIXELS; i++) {
        const int change = abs(with[i] - without[i]);
        other += change > 40;
        brighter += (double)(with[i] - without[i]) / PIXELS;
    }
    print_message("%.1f %% of the pixels differ, on average by %.2g\n", 100.0 * other / PIXELS, brighter);
    assert_true(other > PIXELS / 200 && other < PIXELS / 5);
    assert_true(fabs(brighter) < 10);
    test_free(with);
    test_free(without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imprint), cmocka_unit_test(test_export),  cmocka_unit_test(test_trace),
        cmocka_unit_test(test_from),    cmocka_unit_test(test_no_ruts), cmocka_unit_test(test_camera_sees_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
