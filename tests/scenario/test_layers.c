/// Maps in maps: no seam at their borders, one origin, rocks on the innermost only, and light over the outer ones.
#include "scenario_data.h"
#include "test.h"

static GrScenario *scenario = NULL;
static GrWorld *world = NULL;
static GrErrorLog log_;

static GrStatus open_world(const char *text)
{
    FILE *file = fopen("case.yaml", "w");
    assert_non_null(file);
    fprintf(file, "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\n%s", text);
    fclose(file);
    log_ = (GrErrorLog){.quiet = true};
    const GrStatus status = gr_scenario_load("case.yaml", NULL, &scenario, &log_);
    return status == GR_OK ? gr_world_create(scenario, &world, &log_) : status;
}

static void close_world(void)
{
    gr_world_free(world);
    gr_scenario_free(scenario);
}

#define LAYERS                                                                                                         \
    "terrain:\n"                                                                                                       \
    "  size_m: 40\n  cell_m: 0.1\n  margin_m: 4\n"                                                                     \
    "  add: [{fractal: {hurst: 0.8, rms_m: 0.03, lag_m: 1, smallest_m: 0.2}}]\n"                                       \
    "  layers:\n"                                                                                                      \
    "    - {size_m: 20000, cell_m: 100, add: [{plane: {slope_deg: 1}}, {crater: {x_m: 6000, y_m: 0, diameter_m: "      \
    "4000}}]}\n"                                                                                                       \
    "    - {size_m: 1000, cell_m: 2, margin_m: 100, seed: 3, add: [{fractal: {hurst: 0.8, rms_m: 0.5, lag_m: 20, "     \
    "smallest_m: 4}}]}\n"

static double height(double x, double y)
{
    double z;
    assert_int_equal(gr_terrain_prefetch(world->terrain, (GrBox2){x - 1, y - 1, x + 1, y + 1}, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(world->terrain, x, y, &z), GR_GROUND_OK);
    return z;
}

/// Heights change across a border as they do beside it.
static void assert_no_seam(double border, double step, double steepest)
{
    for (int k = -20; k < 20; k++) {
        const double x = border + k * step;
        assert_true(fabs(height(x + step, 3.3) - height(x, 3.3)) < steepest * step);
    }
}

static void test_borders(void **state)
{
    (void)state;
    assert_int_not_equal(open_world(LAYERS "rocks_none: 1\n"), GR_OK); // keys are checked
    assert_int_equal(open_world(LAYERS), GR_OK);
    assert_int_equal(gr_terrain_layer_count(world->terrain), 3);
    assert_no_seam(20, 0.01, 0.6);
    assert_no_seam(16, 0.01, 0.6);
    assert_no_seam(500, 0.1, 1);
    assert_no_seam(400, 0.1, 1);
    // far out only the coarse map is left: its plane rises by 1 degree to the east
    assert_near(height(-5000, 0) - height(-6000, 0), 1000 * tan(1 * GR_DEGREE), 0.01);
    // inside all three add up, and the innermost has the ground between the cells of the others
    double rough = 0;
    for (double x = -5; x < 5; x += 0.1) {
        rough = fmax(rough, fabs(height(x + 0.1, 0) - 2 * height(x, 0) + height(x - 0.1, 0)));
    }
    assert_true(rough > 1e-3);
    close_world();
}

/// The rim of the large crater, 4 km away, hides a Sun that is lower than it.
static void test_light_over_layers(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(text, sizeof text, LAYERS "sun: {azimuth_deg: 90, elevation_deg: %g}\nstop: {time_s: 0.1}\n",
                 k == 0 ? 1.5 : 5.0);
        assert_int_equal(open_world(text), GR_OK);
        GrSample sample;
        assert_true(gr_sample_init(world->model, 0, &sample));
        gr_mission_sample(world->mission, &sample);
        assert_near(sample.supply.light, k, 0.001);
        gr_sample_free(&sample);
        close_world();
    }
}

static void test_rocks_stay_inside(void **state)
{
    (void)state;
    assert_int_equal(open_world(LAYERS "  rocks: {law: golombek, k: 0.03, smallest_m: 0.2, largest_m: 0.5}\n"), GR_OK);
    assert_true(world->rocks.count > 5);
    for (int i = 0; i < world->rocks.count; i++) {
        assert_true(fabs(world->rocks.rocks[i].x) <= 20 && fabs(world->rocks.rocks[i].y) <= 20);
    }
    close_world();
}

static void test_what_is_refused(void **state)
{
    (void)state;
    assert_int_not_equal(open_world("terrain: {layers: [{cell_m: 3}]}\n"), GR_OK);
    assert_non_null(strstr(log_.items[0].text, "either a file or generated"));
    assert_int_not_equal(open_world("terrain: {layers: [{file: missing.tif}]}\n"), GR_OK);
    assert_int_not_equal(open_world("terrain: {layers: [{add: [{plane: {}}], margin_m: -1}]}\n"), GR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders),
        cmocka_unit_test(test_light_over_layers),
        cmocka_unit_test(test_rocks_stay_inside),
        cmocka_unit_test(test_what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
