/// Heights of a part of the ground: those of the terrain, also where the run has no tiles in memory.
#include "ground_window.h"
#include "test.h"

#include "grouser/run.h"

#include "scenario_data.h"

#include <stdlib.h>

static void test_all_known(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("crossing", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    const GrBox2 box = {-36, -18, 36, 10};
    const GrGridFrame frame = gr_window_frame(world->terrain, &box, 0.2, 400);
    double *heights = malloc(sizeof *heights * (size_t)(frame.nx * frame.ny)), z;
    assert_non_null(heights);
    assert_int_equal(gr_terrain_height(world->terrain, 30, -10, &z), GR_GROUND_NOT_LOADED);
    gr_window_heights(world->terrain, NULL, &frame, heights);
    assert_int_equal(gr_terrain_height(world->terrain, 30, -10, &z), GR_GROUND_NOT_LOADED); // loads none for the run
    assert_int_equal(gr_terrain_prefetch(world->terrain, box, &log), GR_OK);
    for (int64_t k = 0; k < frame.nx * frame.ny; k++) {
        const double x = frame.x0 + (double)(k % frame.nx) * frame.dx, y = frame.y0 + (double)(k / frame.nx) * frame.dy;
        assert_int_equal(gr_terrain_height(world->terrain, x, y, &z), GR_GROUND_OK);
        assert_near(heights[k], z, 1e-9);
    }
    free(heights);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

/// Points of a path lie on the ground, near and far from the rover; beyond the map it is unknown.
static void test_drop(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("crossing", NULL, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    const GrBox2 map = gr_terrain_box(world->terrain);
    GrVec3 points[] = {{scenario->start.x, scenario->start.y, 0}, {30, -10, 0}, {-33, 7, 0}, {map.x_upper + 1, 0, 0}};
    double z;
    assert_int_equal(gr_terrain_height(world->terrain, 30, -10, &z), GR_GROUND_NOT_LOADED);
    gr_window_drop(world->terrain, 0.1, points, 4);
    assert_int_equal(gr_terrain_height(world->terrain, 30, -10, &z), GR_GROUND_NOT_LOADED);
    assert_int_equal(gr_terrain_prefetch(world->terrain, (GrBox2){-36, -18, 36, 10}, &log), GR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gr_terrain_height(world->terrain, points[i].x, points[i].y, &z), GR_GROUND_OK);
        assert_near(points[i].z, z, 1e-9);
    }
    assert_true(isnan(points[3].z));
    points[1].z = 5;
    gr_window_drop(NULL, 0.1, points, 2);
    assert_near(points[1].z, 0, 0); // a plane
    gr_world_free(world);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_known), cmocka_unit_test(test_drop)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
