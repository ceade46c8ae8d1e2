/// Landers of the terrain: their deck and ramps carry wheels, whatever the soil, its law and the cells of the map.
#include "data.h"
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

#include <unistd.h>

/// A deck of 3 m, 0.3 m high; the ramps of 15° end 2.62 m from the middle.
#define LANDER "lander: {length_m: 3, width_m: 3, height_m: 0.3, ramp_deg: 15, track_m: 0.4, gap_m: 0.9"

static const double DECK = 0.3, EDGE = 1.5, TOE = 2.6196152422706632; // where the ramp begins and ends [m]

static const char HEAD[] = "rover: exomars_like\ngravity: mars\n"
                           "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.1}]}\n"
                           "step: {pace: fixed, step_ms: 5}\nstop: {time_s: 60}\n";

/// Of positions between runs that must be the same: rounding, carried along over some thousand steps [m].
static const double SAME = 1e-6;

/// Hertz contacts of the default material deflect by 1 mm under these wheels. A plane has three contact points and a
/// box two, so the deflections differ [m].
static const double ELASTIC = 5e-4;

/// Friction holds bogies in more than one rest; they differ by this share of the 10 mm by which wheels deflect [m].
static const double RESTS = 1e-4;

typedef struct Place {
    GrScenario *scenario;
    GrWorld *world;
} Place;

static void make(const char *soil, const char *ground, const char *start, Place *out)
{
    char path[64];
    GrErrorLog log = {0};
    snprintf(path, sizeof path, "lander_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%ssoil: %s\n%s\nstart: %s\n", HEAD, soil, ground, start);
    fclose(file);
    GrStatus status = gr_scenario_load(path, NULL, &out->scenario, &log);
    unlink(path);
    status = status == GR_OK ? gr_world_create(out->scenario, &out->world, &log) : status;
    for (int i = 0; i < log.count; i++) {
        print_error("%s: %s\n", log.items[i].field, log.items[i].text);
        // They say something about the soil, not the lander.
        assert_true(strstr(log.items[i].text, "without slip") != NULL ||
                    strstr(log.items[i].text, "was fitted under") != NULL);
    }
    assert_int_equal(status, GR_OK);
}

static void destroy(Place *place)
{
    gr_world_free(place->world);
    gr_scenario_free(place->scenario);
}

static double sinkage(const Place *place, int wheel)
{
    return gr_data_wheel(place->world->model, gr_mission_data(place->world->mission), wheel).sinkage;
}

static GrVec3 hub(const Place *place, int wheel)
{
    const GrData *d = gr_mission_data(place->world->mission);
    return gr_add(gr_base_position(&d->tree), gr_wheel_centre(place->world->model, d, wheel));
}

/// From the middle of the deck until the front wheels come to the ground: over the edge and down the ramp.
static const double EGRESS = 16; // [s]

/// While all wheels are on deck and ramps the soil below does not matter: sand on a grid, sand by a law of wheels and
/// rigid ground give the same motion, and nothing sinks in. The same boxes given as parts are equivalent.
static void test_no_soil_on_plates(void **state)
{
    (void)state;
    static const char *const soils[] = {"{use: ishigami2007, law: scm}", "{use: ishigami2007, law: wong_reece}",
                                        "none"};
    static const char AS_TERM[] = "terrain: {size_m: 24, cell_m: 0.05, add: [" LANDER "}]}";
    static const char AS_PARTS[] = "params: {run: 0.3/tan(15*pi/180), slope: 15*pi/180}\n"
                                   "parts:\n"
                                   "  - box: {size_m: [3, 3, 0.4], at_m: [0, 0, 0.1]}\n"
                                   "  - box: {size_m: [0.3/sin(slope), 0.4, 0.1], rotation_deg: [0, 15, 0],\n"
                                   "          at_m: [1.5+run/2-0.05*sin(slope), 0.65, 0.15-0.05*cos(slope)]}\n"
                                   "  - box: {size_m: [0.3/sin(slope), 0.4, 0.1], rotation_deg: [0, 15, 0],\n"
                                   "          at_m: [1.5+run/2-0.05*sin(slope), -0.65, 0.15-0.05*cos(slope)]}\n";
    enum { WHEELS = 6, LAST = sizeof soils / sizeof soils[0] };
    GrVec3 hubs[WHEELS];
    for (int k = 0; k <= LAST; k++) {
        Place place;
        const bool parts = k == LAST; // heights count from the terrain, of which parts are none
        make(soils[parts ? 1 : k], parts ? AS_PARTS : AS_TERM, parts ? "{height_m: 0.301}" : "{height_m: 0.001}",
             &place);
        double lowest = INFINITY, farthest = 0;
        for (int step = 1; step <= 8 * (int)EGRESS; step++) {
            assert_int_equal(gr_mission_advance(place.world->mission, step / 8.0), GR_OUTCOME_RUNNING);
            for (int i = 0; i < WHEELS; i++) {
                assert_true(sinkage(&place, i) <= 0);
                lowest = fmin(lowest, hub(&place, i).z);
                farthest = fmax(farthest, hub(&place, i).x);
            }
        }
        print_message("%s%s: front wheels to %.3f m, lowest hub %.4f m\n", soils[parts ? 1 : k],
                      parts ? ", as parts" : "", farthest, lowest);
        assert_true(farthest > EDGE + 0.3 && farthest < TOE - 0.1); // the wheels are down the ramp, and not in the soil
        for (int i = 0; i < WHEELS; i++) {
            const GrVec3 at = hub(&place, i);
            if (k > 0) {
                assert_near(at.x, hubs[i].x, SAME);
                assert_near(at.z, hubs[i].z, SAME);
            }
            hubs[i] = at;
        }
        destroy(&place);
    }
}

/// On a deck a rover stands as on rigid ground. Neither the cells of the map (0.25 m: half a track) nor rough ground
/// below change that; on the ground beside the lander it sinks.
static void test_stands(void **state)
{
    (void)state;
    static const char *const grounds[] = {"terrain: {size_m: 24, cell_m: 0.05, add: [" LANDER ", toward_deg: 30}]}",
                                          "terrain: {size_m: 24, cell_m: 0.25, add: [" LANDER ", toward_deg: 30}]}",
                                          "terrain: {size_m: 24, cell_m: 0.25, add: [" LANDER
                                          ", toward_deg: 30}, fractal: {rms_m: 0.01, lag_m: 1}]}"};
    static const struct {
        const char *start;
        bool soft;
    } cases[] = {{"{heading_deg: 70}", false}, {"{x_m: 4, y_m: -6}", true}};
    Place level;
    make("none", "", "{}", &level);
    const GrPose flat = gr_data_base_pose(gr_mission_data(level.world->mission));
    double first = NAN;
    destroy(&level);
    for (size_t g = 0; g < sizeof grounds / sizeof grounds[0]; g++) {
        for (size_t k = 0; k < sizeof cases / sizeof cases[0] && !(g > 0 && cases[k].soft); k++) {
            Place place;
            make("{use: ishigami2007, law: scm}", grounds[g], cases[k].start, &place);
            double deck;
            assert_int_equal(gr_terrain_height(place.world->terrain, 0, 0, &deck), GR_GROUND_OK);
            const double rough = deck - DECK; // height of the ground at the middle, on which the lander stands
            const GrPose pose = gr_data_base_pose(gr_mission_data(place.world->mission));
            for (int i = 0; i < gr_model_wheel_count(place.world->model); i++) {
                assert_true((sinkage(&place, i) > 0) == cases[k].soft);
            }
            const double lean = hypot(pose.rotation.x, pose.rotation.y), height = pose.position.z - rough;
            print_message("map %zu, %s: height %.6f m, lean %.7f\n", g, cases[k].start, height, lean);
            if (!cases[k].soft) {
                assert_near(lean, hypot(flat.rotation.x, flat.rotation.y), RESTS);
                assert_near(height, DECK + flat.position.z, ELASTIC);
                first = isnan(first) ? height : first;
                assert_near(height, first, RESTS);
            }
            destroy(&place);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_soil_on_plates), cmocka_unit_test(test_stands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
