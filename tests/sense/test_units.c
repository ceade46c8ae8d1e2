/// Sensors against figures that are worked out by hand: directions of rays, constant and random errors of ranges, depth
/// and grey values, and where moving parts are between two steps.
#include "file.h"
#include "test.h"

#include "grouser/run.h"

#include "grouser/sense.h"
#include "scenario_data.h"

#include <math.h>

typedef struct Rig {
    GrScenario *scenario;
    GrWorld *world;
    GrSense *sense;
} Rig;

/// A rover that floats high above the ground, without gravity, its only wheel out of sight; `more`: bodies, sensors.
static void start(Rig *rig, const char *more)
{
    static const char SCENARIO[] = "rover: probe.yaml\nsoil: lunar_apollo\ngravity: zero\nstart: {height_m: 50}\n"
                                   "step: {pace: fixed, step_ms: 25, integrator: beeman}\nstop: {time_s: 1}\n";
    char text[2000];
    GrErrorLog log = {0};
    snprintf(
        text, sizeof text,
        "bodies:\n  base: {mass_kg: 99.999, inertia_of: {sphere: {radius_m: 1}}}\n"
        "  wheel: {parent: base, mass_kg: 0.001, inertia_of: {sphere: {radius_m: 1}}, joint: {kind: fixed, at_m: [0, "
        "0, -3]}}\n"
        "%swheels: {wheel: {radius_m: 0.1, width_m: 0.1}}\n",
        more);
    assert_int_equal(gr_file_write("probe.yaml", text, strlen(text), NULL), GR_OK);
    assert_int_equal(gr_file_write("probe_run.yaml", SCENARIO, strlen(SCENARIO), NULL), GR_OK);
    if (gr_scenario_load("probe_run.yaml", NULL, &rig->scenario, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    if (gr_world_create(rig->scenario, &rig->world, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    const GrSenseDef def = {.model = rig->world->model,
                            .rover = &rig->scenario->rover,
                            .terrain = rig->world->terrain,
                            .threads = 1,
                            .sun = rig->scenario->mission.sun};
    if (gr_sense_create(&def, &rig->sense, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    GrData *d = gr_mission_data(rig->world->mission);
    assert_int_equal(gr_forward(rig->world->model, d), GR_OK);
    assert_int_equal(gr_sense_update(rig->sense, d, NULL), GR_OK);
}

static void stop(Rig *rig)
{
    gr_sense_free(rig->sense);
    gr_world_free(rig->world);
    gr_scenario_free(rig->scenario);
}

/// Walls 3 m from the LiDAR, to which the bias is added. Columns are evenly spaced from right to left, lines from the
/// lowest up; a whole turn does not repeat its first column.
static void test_lidar(void **state)
{
    (void)state;
    static const struct {
        double right, left, azimuths[4];
    } CASES[] = {{-60, 60, {-60, -20, 20, 60}}, {-180, 180, {-180, -90, 0, 90}}, {10, 40, {10, 20, 30, 40}}};
    for (int k = 0; k < 3; k++) {
        Rig rig;
        GrMeasurement m;
        char more[1000];
        snprintf(
            more, sizeof more,
            "  room: {parent: base, mass_kg: 1, inertia_of: {sphere: {radius_m: 1}}, joint: {kind: fixed, at_m: [0, "
            "0, 1]},\n"
            "    shapes: [box: {size_m: [2, 8, 8], at_m: [4, 0, 0]}, box: {size_m: [2, 8, 8], at_m: [-4, 0, 0]},\n"
            "      box: {size_m: [8, 2, 8], at_m: [0, 4, 0]}, box: {size_m: [8, 2, 8], at_m: [0, -4, 0]}]}\n"
            "sensors: {eye: {kind: lidar, at_m: [0, 0, 1], lines: 2, columns: 4, lower_deg: -10, upper_deg: 30,\n"
            "  right_deg: %g, left_deg: %g, range_bias_m: 0.25, range_max_m: 9}}\n",
            CASES[k].right, CASES[k].left);
        start(&rig, more);
        assert_true(gr_sense_next(rig.sense, &m));
        assert_int_equal(m.columns, 4);
        assert_int_equal(m.rows, 2);
        for (int i = 0; i < 8; i++) {
            const double azimuth = CASES[k].azimuths[i % 4] * GR_PI / 180, elevation = (i < 4 ? -10 : 30) * GR_PI / 180;
            const float *p = &m.points[3 * i];
            const double x = cos(elevation) * cos(azimuth), y = cos(elevation) * sin(azimuth), z = sin(elevation);
            const double range = 3 / fmax(fabs(x), fabs(y)) + 0.25;
            assert_near((double)m.ranges[i], range, 1e-5);
            assert_near((double)p[0], range * x, 1e-5);
            assert_near((double)p[1], range * y, 1e-5);
            assert_near((double)p[2], range * z, 1e-5);
        }
        stop(&rig);
    }
}

/// Mean and standard deviation.
static void figures(const double *values, int count, double *mean, double *deviation)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    *mean = sum / count;
    *deviation = sqrt(squares / count - *mean * *mean);
}

/// A camera that looks along x at a wall 4 m away, square to it, which the Sun lights squarely from the west. Depth
/// noise grows with the square of the depth; photons arrive as by Poisson: their deviation is the root of the number.
static void test_camera(void **state)
{
    (void)state;
    enum { WIDTH = 64, HEIGHT = 64, PIXELS = WIDTH * HEIGHT };
    static double depth[PIXELS], grey[PIXELS];
    const double photons = 100, noise = 0.01;
    Rig rig;
    GrMeasurement m;
    double mean, deviation;
    start(&rig, "  wall: {parent: base, mass_kg: 1, inertia_of: {sphere: {radius_m: 1}}, joint: {kind: fixed, at_m: "
                "[4.5, 0, 1]},\n"
                "    shapes: [box: {size_m: [1, 20, 20]}]}\n"
                "sensors: {eye: {kind: camera, at_m: [0, 0, 1], width: 64, height: 64, view_deg: 40, range_max_m: 9,\n"
                "  depth_noise_m: 0.01, exposure: 1, albedo: 0.5, ambient: 0, photons: 100, read_noise: 0,\n"
                "  sun_azimuth_deg: 270, sun_elevation_deg: 0}}\n");
    assert_true(gr_sense_next(rig.sense, &m));
    assert_int_equal(m.columns * m.rows, PIXELS);
    for (int i = 0; i < PIXELS; i++) {
        depth[i] = (double)m.ranges[i];
        grey[i] = m.grey[i] / 255.0;
    }
    const double shares = 5 / sqrt(2.0 * PIXELS); // five deviations of a deviation
    figures(depth, PIXELS, &mean, &deviation);
    assert_near(mean, 4, 5 * noise * 16 / sqrt(PIXELS));
    assert_near_rel(deviation, noise * 16, shares);
    figures(grey, PIXELS, &mean, &deviation);
    assert_near(mean, 0.5, 0.01);
    assert_near_rel(deviation, sqrt(0.5 / photons), shares);
    stop(&rig);
}

static double mean_of(const GrMeasurement *m, int first_column, int first_row, int step)
{
    double sum = 0;
    int count = 0;
    for (int r = first_row; r < m->rows; r += step) {
        for (int c = first_column; c < m->columns; c += step) {
            sum += m->grey[r * m->columns + c] / 255.0;
            count++;
        }
    }
    return sum / count;
}

/// The same wall: by automatic exposure, through colour filters; and the sky behind, with the disc of the Sun.
static void test_camera_light(void **state)
{
    (void)state;
    Rig rig;
    GrMeasurement m;
    start(&rig,
          "  wall: {parent: base, mass_kg: 1, inertia_of: {sphere: {radius_m: 1}}, joint: {kind: fixed, at_m: "
          "[4.5, 0, 1]},\n"
          "    shapes: [box: {size_m: [1, 20, 20]}]}\n"
          "sensors:\n"
          "  a: {kind: camera, at_m: [0, 0, 1], width: 64, height: 64, view_deg: 40, range_max_m: 9,\n"
          "    auto_exposure: 0.4, sun_azimuth_deg: 270, sun_elevation_deg: 0}\n"
          "  b: {kind: camera, at_m: [0, 0, 1], width: 64, height: 64, view_deg: 40, range_max_m: 9, bayer: 1,\n"
          "    red: 1.2, blue: 0.5, exposure: 1, albedo: 0.5, ambient: 0, sun_azimuth_deg: 270, "
          "sun_elevation_deg: 0}\n"
          "  c: {kind: camera, at_m: [0, 0, 1], rotation_deg: [0, -5, 180], width: 200, height: 200, view_deg: 2,\n"
          "    sky: 0.3, exposure: 1, range_max_m: 9, sun_azimuth_deg: 270, sun_elevation_deg: 5}\n");
    assert_true(gr_sense_next(rig.sense, &m));
    assert_near(mean_of(&m, 0, 0, 1), 0.4, 1.0 / 255);
    assert_near(m.values[4], 0.4 / (0.3 * 1.02), 1e-6); // the exposure that does it
    assert_true(gr_sense_next(rig.sense, &m));
    assert_near(mean_of(&m, 0, 0, 2), 0.6, 1.0 / 255);
    assert_near(mean_of(&m, 1, 0, 2), 0.5, 1.0 / 255);
    assert_near(mean_of(&m, 0, 1, 2), 0.5, 1.0 / 255);
    assert_near(mean_of(&m, 1, 1, 2), 0.25, 1.0 / 255);
    assert_true(gr_sense_next(rig.sense, &m));
    const double share = GR_PI * 0.2665 * 0.2665 / 4; // of the disc in the image
    assert_near(m.values[1], share, 0.05 * share);
    assert_near(m.grey[0] / 255.0, 0.3, 1.0 / 255);
    stop(&rig);
}

/// A plate on a spring in front of a LiDAR: between steps of 25 ms its distance is that of the oscillation, not of a
/// straight line through the places at the steps, nor of a curve with the wrong velocities there.
static void test_moving_parts(void **state)
{
    (void)state;
    Rig rig;
    GrMeasurement m;
    int count = 0;
    double worst = 0;
    start(&rig, "  plate: {parent: base, mass_kg: 1, inertia_of: {sphere: {radius_m: 1}},\n"
                "    joint: {kind: prismatic, axis: x, at_m: [2, 0, 0], stiffness_N_per_m: 100, initial_m: 0.1},\n"
                "    shapes: [box: {size_m: [0.2, 1, 1]}]}\n"
                "sensors: {eye: {kind: lidar, at_m: [0, 0, 0], rate_Hz: 1000, lines: 1, columns: 3, lower_deg: 0, "
                "upper_deg: 0,\n"
                "  right_deg: -1, left_deg: 1, range_max_m: 9}}\n");
    const double rate = sqrt(100 * (1 + 0.01)); // [rad/s] of both masses, through whose centre the spring acts
    for (int i = 0; i < 20; i++) {
        gr_mission_step(rig.world->mission, 1);
        assert_int_equal(gr_sense_update(rig.sense, gr_mission_data(rig.world->mission), NULL), GR_OK);
        while (gr_sense_next(rig.sense, &m)) {
            worst = fmax(worst, fabs((double)m.ranges[1] - 1.9 - 0.1 * cos(rate * m.time)));
            count++;
        }
    }
    print_message("worst %g m\n", worst);
    assert_true(count > 400);
    assert_true(worst < 4e-4);
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lidar),
        cmocka_unit_test(test_camera),
        cmocka_unit_test(test_camera_light),
        cmocka_unit_test(test_moving_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
