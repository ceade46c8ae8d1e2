#include "drawing.h"

#include "painter.h"
#include "rover_pose.h"
#include "sample_rover.h"
#include "test.h"
#include "vec3.h"
#include "xml_check.h"

#include <stdlib.h>

static void test_sheet(void **state)
{
    (void)state;
    GrRoverDef rover = gr_sample_rover();
    GrBuffer svg = {0}, again = {0};
    assert_int_equal(gr_rover_draw(&rover, &svg, NULL), GR_OK);
    assert_true(gr_xml_valid(svg.data));
    assert_null(strstr(svg.data, "nan"));
    assert_non_null(strstr(svg.data, "Sample rocker-bogie"));
    assert_int_equal(gr_rover_draw(&rover, &again, NULL), GR_OK);
    assert_string_equal(svg.data, again.data);
    gr_buffer_free(&svg);
    gr_buffer_free(&again);
    gr_rover_free(&rover);
}

static void test_size(void **state)
{
    (void)state;
    GrRoverDef rover = gr_sample_rover();
    GrRoverSize size;
    assert_int_equal(gr_rover_size(&rover, &size, NULL), GR_OK);
    assert_near(size.wheelbase, 1.0 + 0.55 + 0.62, 1e-12);
    assert_near(size.track, 2 * (0.72 + 0.36), 1e-12);
    assert_near(size.ground, -0.52 - 0.25, 1e-12);
    assert_near(size.clearance, 0.12 - 0.225 - size.ground, 1e-12);
    gr_rover_free(&rover);
}

/// A rover without any shape is drawn as sticks; one without anything to draw says so.
static void test_bare_rovers(void **state)
{
    (void)state;
    GrRoverDef rover = gr_sample_rover();
    for (int i = 0; i < rover.body_count; i++) {
        free(rover.bodies[i].shapes);
        rover.bodies[i].shapes = NULL;
        rover.bodies[i].shape_count = 0;
    }
    GrBuffer svg = {0};
    assert_int_equal(gr_rover_draw(&rover, &svg, NULL), GR_OK);
    assert_true(gr_xml_valid(svg.data));
    gr_buffer_free(&svg);
    gr_rover_free(&rover);

    GrRoverDef empty = gr_default_rover_def();
    gr_sample_body(&empty, "chassis", 0, 1);
    GrErrorLog log = {0};
    assert_int_equal(gr_rover_draw(&empty, &svg, &log), GR_ERROR_MODEL);
    assert_non_null(strstr(log.items[0].text, "nothing to draw"));
    gr_buffer_free(&svg);
    gr_rover_free(&empty);
}

/// Colours of the filled polygons in the order of painting, shortened to what tells the bodies apart.
static int last_at(const char *svg, const char *fill)
{
    int at = -1;
    for (const char *c = strstr(svg, fill); c != NULL; c = strstr(c + 1, fill)) {
        at = (int)(c - svg);
    }
    return at;
}

/// A long rod in front of a box whose centre is nearer to the viewer: sorting by distance would hide the rod.
static void test_order_by_planes(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    gr_sample_body(&rover, "chassis", 0, 1);
    gr_sample_body(&rover, "arm", 0, 1);
    gr_sample_joint(&rover, GR_ROLE_STEER, 0, 1, (GrVec3){0, 0, 0}, (GrVec3){0, 0, 1});
    gr_sample_box(&rover, 0, (GrVec3){0, 0, 0}, (GrVec3){1, 1, 1});
    gr_sample_rod(&rover, 1, (GrVec3){0.6, 0.6, 0}, (GrVec3){0.6, -9, 0}, 0.05);
    const GrPose poses[2] = {gr_pose_identity(), gr_pose_identity()};
    GrDrawnRover scene;
    assert_int_equal(gr_drawn_rover_make(&rover, poses, &scene), GR_OK);
    const GrCamera camera = gr_camera_from(gr_vec3(1, 0.9, 0.2));
    GrBuffer svg = {0};
    assert_int_equal(gr_paint_scene(&svg, &scene, &camera), GR_OK);
    // the rod is orange (red part well over blue), the box nearly white; the last face painted belongs to the rod
    assert_int_equal(scene.part_count, 2);
    const char *last = strstr(svg.data + last_at(svg.data, "fill=\"#"), "#");
    const long rgb = strtol(last + 1, NULL, 16);
    assert_true((rgb >> 16) - (rgb & 0xff) > 60);
    gr_buffer_free(&svg);
    gr_drawn_rover_free(&scene);
    gr_rover_free(&rover);
}

static void test_projection(void **state)
{
    (void)state;
    GrCamera camera = gr_camera_from(gr_vec3(0, -3, 0)); // from the right: x to the right, z up
    camera.scale = 10;
    camera.center = (GrPoint2){100, 50};
    const GrPoint2 p = gr_camera_project(&camera, gr_vec3(1, 7, 2));
    assert_near(p.x, 110, 1e-12);
    assert_near(p.y, 30, 1e-12);
    camera.distance = 10; // twice as near, twice as large
    const GrPoint2 q = gr_camera_project(&camera, gr_vec3(1, -5, 2));
    assert_near(q.x, 120, 1e-12);
    assert_near(q.y, 10, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sheet),           cmocka_unit_test(test_size),       cmocka_unit_test(test_bare_rovers),
        cmocka_unit_test(test_order_by_planes), cmocka_unit_test(test_projection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
