/// Light on a rover and its battery: closed forms on a plane and behind a step, the balance, and what it must not
/// change.
#include "grouser/mission.h"
#include "scenario_data.h"
#include "test.h"

#include "alloc.h"
#include "mission_data.h"

#include <stdlib.h>

static GrScenario *scenario = NULL;
static GrWorld *world = NULL;

static void open_world(const char *text)
{
    FILE *file = fopen("case.yaml", "w");
    assert_non_null(file);
    fprintf(file, "rover: rashid_like\nsoil: lunar_apollo\ngravity: moon\n%s", text);
    fclose(file);
    GrErrorLog log = {0};
    assert_int_equal(gr_scenario_load("case.yaml", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
}

static void close_world(void)
{
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static GrSupplySummary summary_of(void)
{
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(world->mission, &summary, NULL), GR_OK);
    const GrSupplySummary supply = summary.supply;
    gr_run_summary_free(&summary);
    return supply;
}

/// A level panel of 1 m² and 50 % at an elevation of 30 degrees gives a quarter of the sunlight.
static void test_panel_and_balance(void **state)
{
    (void)state;
    open_world("sun: {azimuth_deg: 200, elevation_deg: 30}\n"
               "power: {panel: {area_m2: 1, efficiency: 0.5}, battery: {capacity_Wh: 100, charge: 0.5}, load_W: 40}\n"
               "drive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 20}\n");
    assert_true(gr_mission_is_supplied(world->mission));
    assert_int_equal(gr_mission_advance(world->mission, 20), GR_OUTCOME_FINISHED);
    const GrSupplySummary s = summary_of();
    assert_near_rel(s.solar, 20 * 1361 * 0.5 * 0.5, 2e-3); // the chassis stands level within a tenth of a degree
    assert_near_rel(s.load, 20 * 40.0, 1e-3);              // and the motors hold
    assert_near(s.charge_end, s.charge_start + s.solar - s.load, 1e-6);
    assert_near(s.light_mean, 1, 1e-12);
    assert_near(s.dark_longest, 0, 0);
    close_world();
}

static double solar_with(const char *panel)
{
    char text[512];
    snprintf(text, sizeof text,
             "sun: {azimuth_deg: 90, elevation_deg: 10}\npower: {panel: {area_m2: 1, efficiency: 1, %s}}\n"
             "start: {heading_deg: 90}\ndrive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 1}\n",
             panel);
    open_world(text);
    gr_mission_advance(world->mission, 1);
    const double solar = summary_of().solar;
    close_world();
    return solar / 1361;
}

/// The rover faces north, the Sun is in the east, which is to its right.
static void test_panels_face_the_sun(void **state)
{
    (void)state;
    assert_near(solar_with("tilt_deg: 0"), sin(10 * GR_DEGREE), 3e-3);
    assert_near(solar_with("tilt_deg: 90, toward_deg: -90"), cos(10 * GR_DEGREE), 3e-3);
    assert_near(solar_with("tilt_deg: 80, toward_deg: -90"), 1, 3e-3);
    assert_near(solar_with("tilt_deg: 90, toward_deg: 90"), 0, 0);
    assert_near(solar_with("tracks: true"), 1, 1e-9);
}

static void test_out_of_energy(void **state)
{
    (void)state;
    open_world("power: {battery: {capacity_Wh: 1, charge: 0.5, reserve: 0.1}, load_W: 90, dark_load_W: 90}\n"
               "drive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 60}\n");
    // there is no Sun: heaters are on. 0.4 Wh at 180 W
    assert_int_equal(gr_mission_advance(world->mission, 60), GR_OUTCOME_ENERGY);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(world->mission, &summary, NULL), GR_OK);
    assert_near(summary.outcome_time, 0.4 * 3600 / 180, 0.03); // a step
    assert_string_equal(gr_outcome_name(summary.outcome), "out_of_energy");
    assert_near(summary.supply.dark_longest, summary.outcome_time, 1e-9);
    gr_run_summary_free(&summary);
    close_world();
}

/// Lets the rover stand for a time under a Sun at an elevation, with a load.
static void stand(double until, double elevation_deg, double load)
{
    world->mission->def.sun.elevation = elevation_deg * GR_DEGREE;
    world->mission->def.supply.load = load;
    world->mission->s.supply.looked_time = -INFINITY; // the Sun of a run does not jump, so that it need not look often
    gr_mission_advance(world->mission, until);
}

/// Day, a night of 3 s, day, a night of 1 s: the longest is neither the last nor their sum, and the battery is lowest
/// after the first night, neither at the start nor at the end.
static void test_extremes_in_between(void **state)
{
    (void)state;
    open_world("sun: {azimuth_deg: 200, elevation_deg: 30}\n"
               "power: {panel: {area_m2: 1, efficiency: 0.5, tracks: true}, battery: {capacity_Wh: 100, charge: 0.5}}\n"
               "drive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 20}\n");
    const double panel = 0.5 * 1361, kept = 2 * (panel - 40), low = 180000 + kept - 3 * 2000.0;
    stand(2, 30, 40);
    stand(5, -30, 2000);
    stand(7, 30, 0);
    stand(8, -30, 100);
    const GrSupplySummary s = summary_of();
    const double step = 0.025; // one step at each change may have the light of the other
    assert_near(s.dark_longest, 3, 1.5 * step);
    assert_near(s.charge_min, low, 3 * step * 2700);
    assert_near(s.charge_end, low + 2 * panel - 100, 6 * step * 2700);
    assert_near(s.charge_start, 180000, 1e-9);
    assert_near(s.light_mean, 0.5, 4 * step / 8);
    assert_near(s.solar, 4 * panel, 4 * step * panel);
    close_world();
}

static void test_full_battery_wastes(void **state)
{
    (void)state;
    open_world("sun: {azimuth_deg: 0, elevation_deg: 90}\n"
               "power: {panel: {area_m2: 1, efficiency: 1}, battery: {capacity_Wh: 10}, load_W: 361}\n"
               "drive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 10}\n");
    gr_mission_advance(world->mission, 10);
    const GrSupplySummary s = summary_of();
    assert_near(s.charge_end, 36000, 1e-6);
    assert_near_rel(s.wasted, 10 * 1000.0, 3e-3);
    assert_near_rel(s.solar, s.load, 1e-9);
    close_world();
}

/// A wall of 10 m in the east, 20 m away from the rover, which is under a Sun that rises over it.
static double light_at(double elevation_deg)
{
    char text[512];
    snprintf(text, sizeof text,
             "terrain: {size_m: 100, cell_m: 0.25, add: [step: {at_m: 20, height_m: 10, width_m: 3}]}\n"
             "sun: {azimuth_deg: 90, elevation_deg: %.9g}\ndrive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: "
             "0.1}\n",
             elevation_deg);
    open_world(text);
    gr_mission_advance(world->mission, 0.1);
    const double light = summary_of().light_mean;
    close_world();
    return light;
}

static void test_shadow(void **state)
{
    (void)state;
    open_world(
        "terrain: {size_m: 100, cell_m: 0.25, add: [step: {at_m: 20, height_m: 10, width_m: 3}]}\nstop: {time_s: 1}\n");
    const double z = gr_data_base_pose(gr_mission_data(world->mission)).position.z;
    assert_int_equal(gr_terrain_prefetch(world->terrain, (GrBox2){0, -1, 40, 1}, NULL), GR_OK);
    double steepest = 0; // towards the top of the wall
    for (double x = 0.01; x < 40; x += 0.01) {
        double height;
        assert_int_equal(gr_terrain_height(world->terrain, x, 0, &height), GR_GROUND_OK);
        steepest = fmax(steepest, (height - z) / x);
    }
    close_world();
    const double edge = atan(steepest) / GR_DEGREE, radius = 0.2665;
    assert_near(edge, atan((10 - z) / 23) / GR_DEGREE, 0.5);
    assert_near(light_at(edge + 0.4), 1, 1e-9);
    assert_near(light_at(edge - 0.4), 0, 1e-9);
    assert_near(light_at(edge), 0.5, 0.05);
    const double h = 0.5, part = (acos(h) - h * sqrt(1 - h * h)) / GR_PI;
    assert_near(light_at(edge - h * radius), part, 0.05);
}

static uint64_t hash_with(const char *more)
{
    char text[600];
    snprintf(text, sizeof text, "drive: {speed_mps: 0.05, path: [[2, 0]]}\nstop: {time_s: 10}\n%s", more);
    open_world(text);
    gr_mission_advance(world->mission, 10);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(world->mission, &summary, NULL), GR_OK);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    close_world();
    return hash;
}

static void test_motion_is_the_same(void **state)
{
    (void)state;
    assert_true(hash_with("") == hash_with("sun: {azimuth_deg: 10, elevation_deg: 3}\npower: {panel: {area_m2: 1}, "
                                           "battery: {capacity_Wh: 5}, load_W: 3}\n"));
}

/// A saved mission goes on with the same battery.
static void test_save_and_restore(void **state)
{
    (void)state;
    open_world(
        "sun: {azimuth_deg: 10, elevation_deg: 20}\ndrive: {speed_mps: 0.05, path: [[2, 0]]}\nstop: {time_s: 10}\n"
        "power: {panel: {area_m2: 0.1}, battery: {capacity_Wh: 5, charge: 0.5}, load_W: 30}\n");
    gr_mission_advance(world->mission, 4);
    const size_t size = gr_mission_size(world->mission);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(gr_mission_save(world->mission, saved), GR_OK);
    gr_mission_advance(world->mission, 10);
    const double once = summary_of().charge_end;
    assert_int_equal(gr_mission_restore(world->mission, saved, size, NULL), GR_OK);
    gr_mission_advance(world->mission, 10);
    assert_true(summary_of().charge_end == once);
    assert_true(once < 0.5 * 5 * 3600);
    free(saved);
    close_world();
}

/// Drives consume their work over their efficiency.
static void test_drives(void **state)
{
    (void)state;
    open_world("drive: {speed_mps: 0.05, path: [[2, 0]]}\nstop: {time_s: 20}\n"
               "power: {battery: {capacity_Wh: 5}, motor_efficiency: 0.5}\n");
    gr_mission_advance(world->mission, 20);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(world->mission, &summary, NULL), GR_OK);
    assert_near_rel(summary.supply.drives, 2 * summary.energy.electric, 1e-9);
    assert_near_rel(summary.supply.charge_start - summary.supply.charge_end, summary.supply.drives, 1e-6);
    assert_true(summary.energy.electric > 0);
    gr_run_summary_free(&summary);
    close_world();
}

/// Light on a rover that stands 2 m south of a wall of this height, with the Sun in the north, and the height of its
/// chassis' origin.
static double light_behind_wall(double height, double elevation, double area, double *origin)
{
    char text[640];
    GrSample sample;
    snprintf(text, sizeof text,
             "sun: {azimuth_deg: 0, elevation_deg: %g}\npower: {panel: {area_m2: %g}}\n"
             "parts:\n  - box: {size_m: [8, 0.2, %g], at_m: [0, 2.1, %g]}\n"
             "drive: {script: [{time_s: 0, mode: stop}]}\nstop: {time_s: 1}\n",
             elevation, area, height, height / 2);
    open_world(text);
    assert_true(gr_sample_init(world->model, gr_mission_rock_count(world->mission), &sample));
    gr_mission_sample(world->mission, &sample);
    const double light = sample.supply.light;
    *origin = sample.pose.position.z;
    gr_sample_free(&sample);
    close_world();
    return light;
}

/// The wall hides the Sun below the angle of its upper edge: from the chassis' origin 2 m away, from nine squares of a
/// level panel of 0.9 m at three distances.
static void test_shade_of_parts(void **state)
{
    (void)state;
    double origin;
    light_behind_wall(1, 45, 0, &origin);
    const double edge = atan2(1 - origin, 2) / GR_DEGREE;
    assert_near(light_behind_wall(1, edge - 0.1, 0, &origin), 0, 0);
    assert_near(light_behind_wall(1, edge + 0.1, 0, &origin), 1, 0);
    const double near = atan2(1 - origin, 1.7) / GR_DEGREE, far = atan2(1 - origin, 2.3) / GR_DEGREE;
    assert_near(light_behind_wall(1, far - 0.3, 0.81, &origin), 0, 0);
    assert_near(light_behind_wall(1, 0.5 * (far + edge), 0.81, &origin), 1 / 3.0, 1e-12);
    assert_near(light_behind_wall(1, 0.5 * (near + edge), 0.81, &origin), 2 / 3.0, 1e-12);
    assert_near(light_behind_wall(1, near + 0.3, 0.81, &origin), 1, 0);
}

/// Rocks of a field, which are made where rays pass: the share of time in the light falls with their number, and the
/// motion has the same bits with and without the Sun.
static void test_shade_of_rocks(void **state)
{
    (void)state;
    static const char *const suns[2] = {"", "sun: {azimuth_deg: 40, elevation_deg: 3}\n"};
    uint64_t hash[2];
    double light = 1;
    for (int k = 0; k < 2; k++) {
        char text[900];
        snprintf(text, sizeof text,
                 "terrain:\n  size_m: 60\n  cell_m: 0.5\n  seed: 3\n  add:\n    - fractal: {hurst: 0.8, rms_m: 0.01, "
                 "lag_m: 1, "
                 "smallest_m: 1}\n  rocks: {law: golombek, k: 0.15, smallest_m: 0.2, largest_m: 0.6, clear_m: 1}\n%s"
                 "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.1}]}\nstop: {time_s: 30}\n",
                 suns[k]);
        open_world(text);
        gr_mission_advance(world->mission, 30);
        hash[k] = gr_data_hash(world->model, gr_mission_data(world->mission));
        light = k == 1 ? summary_of().light_mean : light;
        close_world();
    }
    print_message("light %.3f among rocks\n", light);
    assert_true(hash[0] == hash[1]);
    assert_true(light > 0.02 && light < 0.98);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_panel_and_balance),
        cmocka_unit_test(test_panels_face_the_sun),
        cmocka_unit_test(test_out_of_energy),
        cmocka_unit_test(test_full_battery_wastes),
        cmocka_unit_test(test_extremes_in_between),
        cmocka_unit_test(test_shadow),
        cmocka_unit_test(test_shade_of_parts),
        cmocka_unit_test(test_shade_of_rocks),
        cmocka_unit_test(test_motion_is_the_same),
        cmocka_unit_test(test_save_and_restore),
        cmocka_unit_test(test_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
