/// Telemetry: columns by name and by map, units, refusals; means over stretches and what is left out of them.
#include "telemetry.h"
#include "test.h"

#include "grouser/soil_file.h"

#include <string.h>

static GrRoverDef rover_def;
static GrDriveRover rover;

static int setup(void **state)
{
    (void)state;
    GrSoilDef soil;
    assert_int_equal(gr_rover_load("rashid_like", NULL, &rover_def, NULL), GR_OK);
    assert_int_equal(gr_soil_load("ishigami2007", NULL, &soil, NULL, NULL), GR_OK);
    assert_int_equal(gr_drive_rover_make(&rover_def, &soil, 9.80665, &rover, NULL), GR_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    gr_drive_rover_free(&rover);
    gr_rover_free(&rover_def);
    return 0;
}

static GrStatus parse(const char *text, const char *const *map, GrTelemetry *out, GrErrorLog *log)
{
    return gr_telemetry_parse(text, strlen(text), "t.csv", map, &rover, out, log);
}

/// Units of names, means over wheels, columns that a map renames, and those that others replace.
static void test_columns(void **state)
{
    (void)state;
    static const char *const map[] = {"slip_percent=SLIP_EST", "pitch_up_deg=TILT", "wheel_front_left.current_mA=I1",
                                      "wheel_front_right.current_mA=I2", NULL};
    GrTelemetry t;
    GrErrorLog log = {0};
    assert_int_equal(parse("distance_m;SLIP_EST;TILT;I1;I2;sinkage_mm;imu_ax_m_per_s2;pich_rad;sol\n"
                           "0;20;5;400;600;12;0;0;7\n1;;6;;500;;0;0;7\n",
                           map, &t, &log),
                     GR_OK);
    assert_int_equal(t.count, 2);
    assert_near(t.rows[0].value[GR_CHANNEL_SLIP], 0.2, 1e-15);
    assert_true(isnan(t.rows[1].value[GR_CHANNEL_SLIP]));
    assert_near(t.rows[0].value[GR_CHANNEL_PITCH], -5 * GR_DEGREE, 1e-15);
    assert_near(t.rows[0].value[GR_CHANNEL_CURRENT], 0.5, 1e-15);
    assert_near(t.rows[1].value[GR_CHANNEL_CURRENT], 0.5, 1e-15);
    assert_near(t.rows[0].value[GR_CHANNEL_SINKAGE], 0.012, 1e-15);
    assert_false(t.has[GR_CHANNEL_AX]); // the map names the pitch, and an axis alone is no accelerometer
    assert_int_equal(t.used.count, 6);
    assert_int_equal(t.ignored.count, 3);
    gr_telemetry_free(&t);
    log = (GrErrorLog){0};
    assert_int_equal(parse("distance_m,slip,pich_deg\n0,0,0\n", NULL, &t, &log), GR_OK);
    assert_non_null(strstr(log.items[0].text, "the column 'pich_deg' is not used"));
    gr_telemetry_free(&t);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *map, *message;
    } CASES[] = {
        {"distance_m,slip,pitch_deg\n0,much,1\n", NULL, "'much' is not a number"},
        {"distance_m,slip,pitch_deg\n0,1.5,1\n", NULL, "1.5 is out of range; allowed: -1 to 1"},
        {"distance_m,slip,pitch_deg\n0,0,100\n", NULL, "100 is out of range; allowed: -90 to 90 degrees"},
        {"distance_m,slip,slip_percent\n0,0,1\n", NULL, "'slip' and 'slip_percent' mean the same"},
        {"distance_m,slip,wheel_front_left.slip\n0,0,1\n", NULL, "mean the same"},
        {"distance_m,SLIP,pitch_deg\n0,0,1\n", "slipp=SLIP", "there is no quantity 'slipp'; did you mean 'slip'?"},
        {"distance_m,SLIP,pitch_deg\n0,0,1\n", "slip=SLOP", "there is no column 'SLOP'; did you mean 'SLIP'?"},
        {"distance_m,SLIP,pitch_deg\n0,0,1\n", "slip", "takes NAME=COLUMN"},
        {"distance_m,slip,pitch_deg\n", NULL, "no row under the header"},
        {"slip,pitch_deg\n0,0\n", NULL, "there is no column 'distance_m', nor x_m and y_m"},
        {"distance_m,pitch_deg\n0,0\n", NULL, "there is no column 'slip'"},
        {"distance_m,slip\n0,0\n", NULL, "there is no tilt"},
        {"distance_m,slip,pitch_deg\n0,0,0\n0.1,0,0\n", NULL, "no stretch of 0.3 m is usable in a drive of 0.1 m"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        GrTelemetry t;
        GrStretches s;
        GrErrorLog log = {0};
        const char *const map[] = {CASES[i].map, NULL};
        const GrStretchDef def = {0};
        GrStatus status = parse(CASES[i].text, map, &t, &log);
        if (status == GR_OK) {
            status = gr_stretches_make(&t, &def, &rover, "t.csv", &s, &log);
            gr_telemetry_free(&t);
        }
        assert_int_not_equal(status, GR_OK);
        if (strstr(log.items[0].text, CASES[i].message) == NULL) {
            print_error("case %zu: %s\n", i, log.items[0].text);
            fail();
        }
    }
}

/// Rows every 0.1 m; the text of one.
static void put_row(char *text, size_t size, int i, const char *rest)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%g,%g,%s\n", 0.1 * i, (double)i, rest);
}

/// A straight stretch has the means of its rows; a curve, a rock, driving backwards and sliding are left out and
/// counted.
static void test_stretches(void **state)
{
    (void)state;
    static char text[4000];
    GrTelemetry t;
    GrStretches s;
    snprintf(text, sizeof text,
             "distance_m,time_s,heading_deg,pitch_deg,roll_deg,slip,current_A,speed_rad_per_s,"
             "power_W,wheel_rear_left.rock_state\n");
    put_row(text, sizeof text, 0, "0,-10,2,0.1,3,1,8,");
    for (int i = 1; i <= 5; i++) {
        put_row(text, sizeof text, i, i <= 3 ? "0,-10,2,0.1,3,1,8," : "0,-6,2,0.2,2,1,6,");
    }
    for (int i = 6; i <= 10; i++) {
        put_row(text, sizeof text, i, "20,0,0,0,1,1,1,");
    }
    for (int i = 11; i <= 15; i++) {
        put_row(text, sizeof text, i, i > 12 ? "30,0,0,0,1,1,1," : "20,0,0,0,1,1,1,");
    }
    for (int i = 16; i <= 20; i++) {
        put_row(text, sizeof text, i, "30,0,0,0,1,1,1,rock: rolling");
    }
    for (int i = 21; i <= 25; i++) {
        put_row(text, sizeof text, i, "30,0,0,0,1,-1,1,rock: no collision");
    }
    for (int i = 26; i <= 30; i++) {
        put_row(text, sizeof text, i, "30,0,0,0.97,1,1,1,");
    }
    assert_int_equal(parse(text, NULL, &t, NULL), GR_OK);
    const GrStretchDef def = {.length = 0.5, .torque_per_ampere = 0.5, .idle_current = 1};
    assert_int_equal(gr_stretches_make(&t, &def, &rover, "t.csv", &s, NULL), GR_OK);
    assert_int_equal(s.count, 1);
    assert_int_equal(s.left[GR_STRETCH_TURNS], 2);
    assert_int_equal(s.left[GR_STRETCH_ROCKS], 1);
    assert_int_equal(s.left[GR_STRETCH_BACKWARDS], 1);
    assert_int_equal(s.left[GR_STRETCH_SLIDES], 1);
    const GrStretch *first = &s.items[0];
    assert_near(first->measured[GR_DRIVE_SLIP], 0.14, 1e-12);
    assert_near(first->measured[GR_DRIVE_TILT], (0.6 * 10 + 0.4 * 6) * GR_DEGREE + rover.pitch, 1e-12);
    assert_near(first->roll, 2 * GR_DEGREE - rover.roll, 1e-12);
    assert_near(first->measured[GR_DRIVE_TORQUE] * rover.weight / rover.wheel_count * rover.radius,
                0.5 * (0.6 * 3 + 0.4 * 2 - 1), 1e-12);
    assert_true(isnan(first->measured[GR_DRIVE_SINKAGE]));
    assert_near(first->energy, (3 * 8 + 2 * 6) / 0.5, 1e-9);
    gr_stretches_free(&s);
    gr_telemetry_free(&t);
}

static double ramp(const void *context, double x, double y)
{
    (void)context;
    return 0.2 * x - 0.1 * y;
}

/// The tilt is that of the map under the track, along its direction and across; slip follows from rim and ground speed.
static void test_map(void **state)
{
    (void)state;
    enum { N = 41 };
    static double heights[N * N];
    static const char text[] = "time_s,x_m,y_m,wheel_front_left.speed_rad_per_s\n0,-2,0,1\n5,-1.5,0,1\n10,-1,0,1\n"
                               "15,-0.5,0,1\n";
    GrTelemetry t;
    GrStretches s;
    GrErrorLog log = {0};
    for (int i = 0; i < N * N; i++) {
        const int row = i / N;
        heights[i] = ramp(NULL, -10 + 0.5 * (i % N), -10 + 0.5 * row);
    }
    GrTerrain *map = NULL;
    gr_terrain_create(&map, NULL);
    GrLayerDef layer = gr_default_layer_def();
    layer.frame = (GrGridFrame){.x0 = -10, .y0 = -10, .dx = 0.5, .dy = 0.5, .nx = N, .ny = N};
    assert_int_equal(gr_terrain_add_grid(map, &layer, heights, &log), GR_OK);
    assert_int_equal(parse(text, NULL, &t, &log), GR_OK);
    const GrStretchDef def = {.length = 0.5, .map = map};
    assert_int_equal(gr_stretches_make(&t, &def, &rover, "t.csv", &s, &log), GR_OK);
    assert_string_equal(s.tilt, "map");
    assert_int_equal(s.tilt_of, GR_TILT_GROUND);
    assert_int_equal(s.count, 3);
    assert_near(s.items[1].measured[GR_DRIVE_TILT], atan(0.2), 1e-9);
    assert_near(s.items[1].roll, atan(-0.1), 1e-9); // the left side, at larger y, is lower
    assert_near(s.items[1].measured[GR_DRIVE_SLIP], 1 - 0.1 / rover.radius, 1e-9);
    gr_stretches_free(&s);
    gr_telemetry_free(&t);
    gr_terrain_free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_stretches),
        cmocka_unit_test(test_map),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
