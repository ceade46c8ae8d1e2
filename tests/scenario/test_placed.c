/// Craters and rocks at places that the user names: one crater, rocks of a file, rocks under the wheels.
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Place {
    GrScenario *scenario;
    GrWorld *world;
    GrErrorLog log;
} Place;

static void make(const char *terrain, const char *drive, Place *out)
{
    char path[64];
    out->log = (GrErrorLog){0};
    snprintf(path, sizeof path, "placed_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "rover: rashid_like\nsoil: ishigami2007\nterrain: %s\ndrive: %s\n", terrain, drive);
    fclose(file);
    const GrStatus status = gr_scenario_load(path, NULL, &out->scenario, &out->log);
    unlink(path);
    const GrStatus made = status == GR_OK ? gr_world_create(out->scenario, &out->world, &out->log) : status;
    if (made != GR_OK) {
        print_error("%s: %s\n", out->log.items[0].field, out->log.items[0].text);
    }
    assert_int_equal(made, GR_OK);
}

static void destroy(Place *place)
{
    gr_world_free(place->world);
    gr_scenario_free(place->scenario);
}

/// Floor below the rim by the ratio that was requested, rim of the shape at 0.98 radii (Fassett & Thomson 2014), level
/// ground beyond three radii; the middle is where it was requested.
static void test_crater(void **state)
{
    (void)state;
    Place p;
    make("{size_m: 60, cell_m: 0.05, add: [crater: {diameter_m: 8, x_m: 12, y_m: -6, depth_ratio: 0.15}]}",
         "{path: [[2, 0]]}", &p);
    double floor_z, rim = -1, z;
    assert_int_equal(gr_terrain_prefetch(p.world->terrain, (GrBox2){-2, -12, 20, 0}, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(p.world->terrain, 12, -6, &floor_z), GR_GROUND_OK);
    for (double r = 3.5; r < 4.5; r += 0.01) {
        for (int side = -1; side <= 1; side += 2) {
            assert_int_equal(gr_terrain_height(p.world->terrain, 12 + side * r, -6, &z), GR_GROUND_OK);
            rim = fmax(rim, z);
        }
    }
    print_message("crater of 8 m: floor %.3f m, rim %.3f m\n", floor_z, rim);
    assert_near(rim - floor_z, 0.15 * 8, 0.01 * 0.15 * 8);
    assert_int_equal(gr_terrain_height(p.world->terrain, 12 - 13, -6, &z), GR_GROUND_OK);
    assert_near(z, 0, 1e-12);
    destroy(&p);
}

/// The file's rocks stand where it says, the loose ones first.
static void test_file(void **state)
{
    (void)state;
    Place p;
    FILE *file = fopen("placed_rocks.csv", "w");
    assert_non_null(file);
    fputs("x_m,y_m,diameter_m,height_m,yaw_rad\n3,1,0.4,0.3,0.5\n4,-1,0.1,0.05,0\n0.9,0.9,0.2,0.1,1\n", file);
    fclose(file);
    make("{rocks: {file: placed_rocks.csv, loose_below_m: 0.15}}", "{path: [[5, 0]]}", &p);
    unlink("placed_rocks.csv");
    assert_int_equal(p.log.count, 0);
    assert_int_equal(p.world->rocks.count, 3);
    assert_near(p.world->rocks.rocks[0].diameter, 0.1, 0); // loose
    assert_near(p.world->rocks.rocks[1].x, 3, 0);
    assert_near(p.world->rocks.rocks[1].height, 0.3, 0);
    assert_near(p.world->rocks.rocks[2].yaw, 1, 0);
    destroy(&p);
}

/// viper is the power law with the published numbers, rock for rock.
static void test_law(void **state)
{
    (void)state;
    Place a, b;
    make("{rocks: {law: viper, smallest_m: 0.1, largest_m: 1}}", "{path: [[5, 0]]}", &a);
    make("{rocks: {law: power, coefficient_per_m2: 0.0003, exponent: 2.482, smallest_m: 0.1, largest_m: 1}}",
         "{path: [[5, 0]]}", &b);
    assert_true(a.world->rocks.count > 0);
    assert_int_equal(a.world->rocks.count, b.world->rocks.count);
    for (int i = 0; i < a.world->rocks.count; i++) {
        assert_memory_equal(&a.world->rocks.rocks[i], &b.world->rocks.rocks[i], sizeof a.world->rocks.rocks[i]);
    }
    destroy(&a);
    destroy(&b);
}

/// Rocks lie on the lines that the wheels follow, at whole multiples of the spacing, and both sides of a rover that
/// drives over them touch stone.
static void test_tracks(void **state)
{
    (void)state;
    Place p;
    make("{rocks: {on_tracks: {every_m: 1, diameter_m: 0.08, from_m: 1}}}", "{path: [[4, 0]], speed_mps: 0.1}", &p);
    assert_int_equal(p.world->rocks.count, 6); // at 1, 2 and 3 m; at 4 m the rover stops
    for (int i = 0; i < 6; i++) {
        assert_near(p.world->rocks.rocks[i].x, 1 + i / 2, 1e-9);
        assert_near(fabs(p.world->rocks.rocks[i].y), 0.21, 1e-9); // half of the track of 0.42 m
    }
    bool touched[2] = {false, false};
    for (double t = 0; t < 20; t += 0.1) {
        gr_mission_advance(p.world->mission, t);
        for (int i = 0; i < 4; i++) {
            const GrWheelView w = gr_data_wheel(p.world->model, gr_mission_data(p.world->mission), i);
            const bool pressed = w.rock_contacts > 0 && w.rock_force.z > 0;
            touched[w.rock_point.y < 0] = touched[w.rock_point.y < 0] || pressed;
            // squarely: well within the width of the wheel
            if (pressed && t < 12) {
                assert_near(fabs(w.rock_point.y), fabs(p.world->rocks.rocks[0].y),
                            0.55 * p.scenario->rover.wheels[i].width);
            }
        }
    }
    assert_true(touched[0] && touched[1]);
    destroy(&p);
    make("{rocks: {on_tracks: {every_m: 1, diameter_m: 0.08, from_m: 1, side: alternate}}}", "{path: [[4, 0]]}", &p);
    assert_int_equal(p.world->rocks.count, 3);
    assert_true(p.world->rocks.rocks[0].y * p.world->rocks.rocks[1].y < 0);
    destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crater), cmocka_unit_test(test_file),
                                       cmocka_unit_test(test_law), cmocka_unit_test(test_tracks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
