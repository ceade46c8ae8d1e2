/// A rover on a terrain: a tilted map is equivalent to tilted gravity, and the ground ends at the edge of the map.
#include "data.h"
#include "grouser/surface.h"
#include "test.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/// A map of 24 m x 24 m at 0.5 m, rising along x.
static GrTerrain *slope_map(double slope)
{
    enum { N = 49 };
    double *heights = malloc(sizeof(double) * N * N);
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){.nx = N, .ny = N, .x0 = -12, .y0 = -12, .dx = 0.5, .dy = 0.5};
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            heights[j * N + i] = tan(slope) * (def.frame.x0 + 0.5 * i);
        }
    }
    GrTerrain *terrain = NULL;
    assert_int_equal(gr_terrain_create(&terrain, NULL), GR_OK);
    assert_int_equal(gr_terrain_add_grid(terrain, &def, heights, NULL), GR_OK);
    free(heights);
    return terrain;
}

/// Speed along the slope after 25 s with rims at 0.03 m/s; gravity straight down.
static double climb(const GrSurfaceDef *surface, double tilt_gravity, double pitch)
{
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/el_dorado2.yaml", NULL, &rover, NULL), GR_OK);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(-9.80665 * sin(tilt_gravity), 0, -9.80665 * cos(tilt_gravity));
    options.surface = *surface;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    gr_data_set_base_pose(d, (GrPose){{-0.33 * sin(pitch), 0, 0.33 * cos(pitch)}, gr_quat_from_rpy(0, -pitch, 0)});
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        if (gr_model_joint_role(m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, i, 0.03 / rover.wheels[0].radius);
        }
    }
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    return linear.x * cos(pitch) + linear.z * sin(pitch);
}

static void test_a_tilted_map_is_a_slope(void **state)
{
    (void)state;
    const double slope = 8 * PI / 180;
    const GrSoilDef soil = gr_default_soil_def();
    GrTerrain *terrain = slope_map(slope);
    const GrSurfaceDef map = gr_surface_of_terrain(terrain, &soil);
    const GrSurfaceDef plane = {.soil = &soil, .slices = 1};
    const double on_map = climb(&map, 0, slope), on_plane = climb(&plane, slope, 0);
    print_message("8 deg: %.6f m/s on the map, %.6f with tilted gravity\n", on_map, on_plane);
    assert_near_rel(on_map, on_plane, 1e-3);
    gr_terrain_free(terrain);
}

static void test_off_the_map_there_is_no_ground(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrTerrain *terrain = slope_map(0);
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml", NULL, &rover, NULL), GR_OK);
    GrOptions options = gr_default_options();
    options.surface = gr_surface_of_terrain(terrain, &soil);
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    gr_data_set_base_pose(d, (GrPose){{50, 0, 0.1}, {1, 0, 0, 0}});
    for (int i = 0; i < 100; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    for (int i = 0; i < m->wheel_count; i++) {
        assert_false(d->contact[i].on_map);
    }
    const double fallen = 0.1 - gr_data_base_pose(d).position.z;
    assert_near(fallen, 9.80665 * 0.25 / 2, 0.02); // half a second of free fall
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    gr_terrain_free(terrain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tilted_map_is_a_slope),
        cmocka_unit_test(test_off_the_map_there_is_no_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
