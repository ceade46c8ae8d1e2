/// Keys without effect: each row of the table in scenario_keys.c, checked by runs. With the first scenario the key
/// is warned about, and two values of it end in the same state, bit for bit; with the second it is not warned about,
/// and they end in different ones.
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char SOIL[] = "rover: rashid_like\nsoil: ishigami2007\n"
                           "drive: {speed_mps: 0.1, path: [[2, 0.5]]}\nstop: {time_s: 4}\n";
static const char NONE[] = "rover: rashid_like\nsoil: none\n"
                           "drive: {speed_mps: 0.1, path: [[2, 0.5]]}\nstop: {time_s: 2}\n";
static const char PARKED[] = "rover: rashid_like\nsoil: ishigami2007\nstop: {time_s: 1}\n";
static const char DROP[] = "rover: rashid_like\nsoil: ishigami2007\nstart: {height_m: 0.02}\nstop: {time_s: 0.5}\n";

typedef struct Row {
    const char *key, *a, *b;              ///< key and two values of it
    const char *ignoring, *ignoring_more; ///< scenario, and lines for it
    const char *reading, *reading_more;   ///< NULL: what the key does shows only in the outcome
    double until;
} Row;

static const char ROCKS[] =
    "terrain: {rocks: {k: 0.1, smallest_m: 0.25, largest_m: 0.5, clear_m: 1, shape: ellipsoid}}\n";
static const char POWER[] = "terrain: {rocks: {law: power, coefficient_per_m2: 0.01, exponent: 2, smallest_m: 0.25, "
                            "largest_m: 0.5, clear_m: 1, shape: ellipsoid}}\n";
static const char RIPPLES[] = "terrain: {add: [fractal: {rms_m: 0.03}]}\n";

static const Row ROWS[] = {
    {"soil_damping", "0.1", "2", NONE, "", SOIL, "", 2},
    {"hard.friction", "0.2", "0.9", SOIL, "", NONE, "", 2},
    {"hard.restitution", "0.2", "0.9", SOIL, "", DROP, "parts: [box: {size_m: [9, 9, 0.1], at_m: [0, 0, -0.045]}]\n",
     0.5},
    {"ruts.cell_m", "0.01", "0.02", SOIL, "ruts: {kind: none}\n", SOIL, "ruts: {kind: trace}\n", 4},
    {"ruts.flow", "true", "false", SOIL, "ruts: {kind: none}\n", NULL, NULL, 0},
    {"ruts.bodies", "true", "false", SOIL, "ruts: {kind: none}\n", NULL, NULL, 0},
    {"step.step_ms", "1", "4", SOIL, "", SOIL, "step: {pace: fixed}\n", 1},
    {"step.min_ms", "0.1", "1", SOIL, "step: {pace: fixed}\n", NULL, NULL, 0},
    {"step.max_ms", "3", "20", SOIL, "step: {pace: fixed}\n", SOIL, "", 1},
    {"step.hub_travel_mm", "0.3", "2", SOIL, "step: {pace: fixed}\n", SOIL, "", 1},
    {"step.hard_ms", "1", "4", SOIL, "step: {pace: fixed}\n", NONE, "", 1},
    {"step.hard_ms", "1", "4", SOIL, "", NULL, NULL, 0},
    {"step.push_ms", "1", "4", SOIL, "step: {pace: fixed}\n", NULL, NULL, 0},
    {"step.push_ms", "1", "4", SOIL, "", NULL, NULL, 0},
    {"step.landing_travel_mm", "0.1", "0.3", SOIL, "step: {pace: fixed}\n", DROP, "", 0.5},
    {"step.contact_part", "0.1", "0.5", SOIL, "step: {pace: fixed}\n", NULL, NULL, 0},
    {"step.contact_part", "0.1", "0.5", NONE, "", NULL, NULL, 0},
    {"step.tolerance_mm", "0.005", "0.1", SOIL, "", SOIL, "step: {pace: error}\n", 1},
    {"step.cvode_tolerance", "1e-4", "1e-8", SOIL, "", NULL, NULL, 0},
    {"step.slices", "1", "3", NONE, "", SOIL, RIPPLES, 2},
    {"terrain.size_m", "20", "50", SOIL, "", SOIL, RIPPLES, 1},
    {"terrain.cell_m", "0.1", "0.3", SOIL, "", SOIL, RIPPLES, 1},
    {"terrain.interpolation", "bilinear", "bicubic", SOIL, "", SOIL, RIPPLES, 1},
    {"terrain.height_scale", "1", "2", SOIL, "", NULL, NULL, 0},
    {"terrain.pixel_m", "1", "2", SOIL, "", NULL, NULL, 0},
    {"terrain.nodata", "1", "2", SOIL, "", NULL, NULL, 0},
    {"terrain.band", "1", "2", SOIL, "", NULL, NULL, 0},
    {"terrain.rocks.k", "0.02", "0.05", NONE, POWER, NONE, ROCKS, 1},
    {"terrain.rocks.coefficient_per_m2", "0.001", "0.02", NONE, ROCKS, NONE, POWER, 1},
    {"terrain.rocks.exponent", "2", "2.5", NONE, ROCKS, NONE, POWER, 1},
    {"drive.heading_gain", "0.5", "5", SOIL, "", SOIL, "--drive.follower=p", 2},
    {"drive.pid_gains", "[1, 0, 1]", "[4, 1, 4]", SOIL, "", SOIL, "--drive.follower=pid", 2},
    {"drive.slip_factor_max", "1.1", "5", SOIL, "", NULL, NULL, 0},
    {"drive.slip_time_s", "1", "9", SOIL, "", SOIL, "--drive.compensate_slip=true", 3},
    {"drive.steer_rate_dps", "1", "50", PARKED, "", SOIL, "--rover=exomars_like", 1},
    {"drive.steer_rate_dps", "1", "50", SOIL, "", NULL, NULL, 0},
    {"drive.wheel_acceleration_mps2", "0.01", "0.5", PARKED, "", SOIL, "", 1},
    {"drive.control_period_s", "0.1", "0.5", PARKED, "", SOIL, "", 1},
    {"stop.stuck_share", "0.1", "0.9", SOIL, "--stop.stuck_s=inf", NULL, NULL, 0},
    {"stop.belly_s", "0.1", "9", SOIL, "--stop.belly_share=inf", NULL, NULL, 0},
    {"stop.at_goal", "true", "false", PARKED, "", NULL, NULL, 0},
};

/// State after a while, and whether the key was warned about.
static uint64_t end_state(const char *base, const char *more, const char *key, const char *value, double until,
                          bool *warned)
{
    char path[64], set[128];
    const char *overrides[3] = {set, NULL, NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    if (strncmp(more, "--", 2) == 0) {
        overrides[1] = more + 2;
        more = "";
    }
    snprintf(set, sizeof set, "%s=%s", key, value);
    snprintf(path, sizeof path, "ignored_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", base, more);
    fclose(file);
    const GrStatus status = gr_scenario_load(path, overrides, &scenario, &log);
    unlink(path);
    for (int i = 0; i < log.count && status != GR_OK; i++) {
        print_error("%s: %s: %s\n", key, log.items[i].field, log.items[i].text);
    }
    assert_int_equal(status, GR_OK);
    *warned = false;
    for (int i = 0; i < log.count; i++) {
        // a section of which nothing counts is warned about as a whole
        *warned = *warned || strncmp(log.items[i].field, key, strlen(log.items[i].field)) == 0;
    }
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    gr_mission_advance(world->mission, until);
    const uint64_t hash = gr_data_hash(world->model, gr_mission_data(world->mission)) + (uint64_t)world->rocks.count;
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

static void test_rows(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const Row *r = &ROWS[i];
        bool warned[2];
        const uint64_t a = end_state(r->ignoring, r->ignoring_more, r->key, r->a, 0.5, &warned[0]);
        const uint64_t b = end_state(r->ignoring, r->ignoring_more, r->key, r->b, 0.5, &warned[1]);
        if (!warned[0] || !warned[1] || a != b) {
            print_error("%s: ignored, but %s\n", r->key, a != b ? "it changed the state" : "not warned about");
            wrong++;
        }
        if (r->reading != NULL) {
            const uint64_t c = end_state(r->reading, r->reading_more, r->key, r->a, r->until, &warned[0]);
            const uint64_t d = end_state(r->reading, r->reading_more, r->key, r->b, r->until, &warned[1]);
            if (warned[0] || warned[1] || c == d) {
                print_error("%s: read, but %s\n", r->key, c == d ? "it did not change the state" : "warned about");
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

/// The damping of the scenario is for soils that have none.
static void test_own_damping(void **state)
{
    (void)state;
    bool warned[2];
    const uint64_t a = end_state(SOIL, "--soil:damping=300", "soil_damping", "0.1", 1, &warned[0]);
    const uint64_t b = end_state(SOIL, "--soil:damping=300", "soil_damping", "2", 1, &warned[1]);
    assert_true(warned[0] && warned[1]);
    assert_true(a == b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_own_damping)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
