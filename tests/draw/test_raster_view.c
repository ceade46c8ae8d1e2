/// The small picture for terminals: perspective, hidden surfaces, light and shadow, against what geometry says.
#include "raster_view.h"

#include "test.h"
#include "vec3.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 120 };
static const GrColor RED = {1, 0, 0}, BLUE = {0, 0, 1}, GREY = {0.5, 0.5, 0.5};

static double flat(const void *context, double x, double y)
{
    (void)context;
    return fabs(x) < 50 && fabs(y) < 50 ? 0 : (double)NAN;
}

static GrRasterView look(GrVec3 eye, GrVec3 target)
{
    GrRasterView view;
    assert_true(gr_raster_view_init(&view, WIDTH, HEIGHT, 90 * GR_DEGREE));
    gr_raster_view_look(&view, eye, target);
    view.sun = gr_vec3(0, 0, 1);
    return view;
}

static GrColor at(const GrRasterView *view, int x, int y)
{
    return view->pixels[y * WIDTH + x];
}

/// A square across the x axis.
static void put_square(GrRasterView *view, double x, double half, GrColor color)
{
    const GrVec3 corners[] = {{x, half, -half}, {x, -half, -half}, {x, -half, half}, {x, half, half}};
    gr_raster_face(view, corners, 4, gr_vec3(-1, 0, 0), color);
}

static void perspective_is_right(void **state)
{
    (void)state;
    GrRasterView view = look(gr_vec3(0, 0, 0), gr_vec3(1, 0, 0));
    view.sun = gr_vec3(-1, 0, 0);
    put_square(&view, 4, 1, RED);
    // 90° over 200 px: 100 px per unit of the tangent, so that the square spans 100 ± 25 and 60 ± 25
    assert_true(at(&view, 100, 60).r > 0.9);
    assert_true(at(&view, 77, 60).r > 0.9 && at(&view, 123, 60).r > 0.9);
    assert_true(at(&view, 73, 60).r < 0.2 && at(&view, 127, 60).r < 0.2);
    assert_true(at(&view, 100, 37).r > 0.9 && at(&view, 100, 33).r < 0.2);
    assert_near(view.depth[60 * WIDTH + 100], 4, 1e-9);
    gr_raster_view_free(&view);
}

static void near_faces_hide_far_ones(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        GrRasterView view = look(gr_vec3(0, 0, 0), gr_vec3(1, 0, 0));
        put_square(&view, order == 0 ? 4 : 2, order == 0 ? 2 : 0.2, order == 0 ? RED : BLUE);
        put_square(&view, order == 0 ? 2 : 4, order == 0 ? 0.2 : 2, order == 0 ? BLUE : RED);
        assert_true(at(&view, 100, 60).b > at(&view, 100, 60).r);
        assert_true(at(&view, 130, 60).r > at(&view, 130, 60).b);
        gr_raster_view_free(&view);
    }
}

static void ground_ends_at_the_horizon(void **state)
{
    (void)state;
    GrRasterView view = look(gr_vec3(0, 0, 1), gr_vec3(1, 0, 1));
    const GrRasterGround ground = {flat, NULL, GREY, 40, NULL};
    gr_raster_ground(&view, &ground);
    assert_true(isinf(view.depth[30 * WIDTH + 100]));  // sky
    assert_false(isinf(view.depth[90 * WIDTH + 100])); // 30.5 px below the middle: the ground at 1 m / 0.305
    assert_near(view.depth[90 * WIDTH + 100], 1 / 0.305, 1e-3);
    assert_near(at(&view, 100, 90).r, 0.5, 1e-6); // lit from above: its own colour
    gr_raster_view_free(&view);
}

static void parts_throw_shadows(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef box = gr_default_body_def();
    GrShapeDef shape = gr_default_shape_def();
    snprintf(box.name, sizeof box.name, "box");
    box.mass = 1;
    shape.kind = GR_SHAPE_BOX;
    shape.size = gr_vec3(0.4, 0.4, 0.4);
    gr_body_add_shape(&box, &shape);
    gr_rover_add_body(&rover, &box);
    const GrPose pose = {gr_vec3(4, 0, 1), gr_quat_identity()};
    GrDrawnRover scene;
    assert_int_equal(gr_drawn_rover_make(&rover, &pose, &scene), GR_OK);
    GrRasterView view = look(gr_vec3(0, 0, 2), gr_vec3(4, 0, 0));
    view.sun = gr_normalize(gr_vec3(0, 1, 1)); // 45° high in the north: the shadow falls 1 m to the south of the box
    const GrRasterGround ground = {flat, NULL, GREY, 40, &scene};
    gr_raster_ground(&view, &ground);
    const GrVec3 d = gr_sub(gr_vec3(4, -1, 0), view.eye), lit = gr_sub(gr_vec3(4, 1, 0), view.eye);
    const double k = view.scale / gr_dot(d, view.ahead), m = view.scale / gr_dot(lit, view.ahead);
    const GrColor dark = at(&view, (int)(100 + k * gr_dot(d, view.right)), (int)(60 - k * gr_dot(d, view.up)));
    const GrColor bright = at(&view, (int)(100 + m * gr_dot(lit, view.right)), (int)(60 - m * gr_dot(lit, view.up)));
    assert_true(dark.r < 0.3 * bright.r);
    gr_raster_view_free(&view);
    gr_drawn_rover_free(&scene);
    gr_rover_free(&rover);
}

static void text_has_a_character_for_two_pixels(void **state)
{
    (void)state;
    GrRasterView view = look(gr_vec3(0, 0, 0), gr_vec3(1, 0, 0));
    GrBuffer text = {0};
    gr_raster_print(&view, 2, true, &text);
    int lines = 0, blocks = 0;
    for (const char *c = text.data; *c != '\0'; c++) {
        lines += *c == '\n';
        blocks += strncmp(c, "\u2580", 3) == 0;
    }
    assert_int_equal(lines, HEIGHT / 4);
    assert_int_equal(blocks, HEIGHT / 4 * (WIDTH / 2));
    text.size = 0;
    put_square(&view, 4, 1, GREY);
    gr_raster_print(&view, 2, false, &text);
    assert_int_equal(text.size, HEIGHT / 4 * (WIDTH / 2 + 1));
    static const char ramp[] = " .:-=+*#%@"; // from dark to bright
    const char *sky = strchr(ramp, text.data[0]);
    const char *square = strchr(ramp, text.data[15 * (WIDTH / 2 + 1) + WIDTH / 4]);
    assert_non_null(sky);
    assert_non_null(square);
    assert_true(sky < square);
    gr_buffer_free(&text);
    gr_raster_view_free(&view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perspective_is_right),
        cmocka_unit_test(near_faces_hide_far_ones),
        cmocka_unit_test(ground_ends_at_the_horizon),
        cmocka_unit_test(parts_throw_shadows),
        cmocka_unit_test(text_has_a_character_for_two_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
