/// Figures of maps: the picture inside is unchanged, and axes and legend are at the right positions.
#include "lettering.h"
#include "map_figure.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

static GrPicture make_picture(int width, int height, GrBox2 box)
{
    GrPicture p = {.pixels = malloc(3 * (size_t)width * (size_t)height),
                   .width = width,
                   .height = height,
                   .box = box,
                   .z_low = -3.2,
                   .z_high = 7.1};
    assert_non_null(p.pixels);
    for (int k = 0; k < 3 * width * height; k++) {
        p.pixels[k] = (unsigned char)(k * 37 % 251);
    }
    return p;
}

static const unsigned char *pixel_at(const GrMapFigure *f, int x, int y)
{
    assert_true(x >= 0 && x < f->width && y >= 0 && y < f->height);
    return f->pixels + 3 * ((size_t)y * (size_t)f->width + (size_t)x);
}

static bool is_dark(const GrMapFigure *f, int x, int y)
{
    const unsigned char *p = pixel_at(f, x, y);
    return p[0] < 64 && p[1] < 64 && p[2] < 64;
}

/// Pixels of a colour to the right of the picture.
static int count_in_legend(const GrMapFigure *f, const GrPicture *p, const unsigned char color[3])
{
    int count = 0;
    for (int y = 0; y < f->height; y++) {
        for (int x = f->left + p->width + 4; x < f->width; x++) {
            count += memcmp(pixel_at(f, x, y), color, 3) == 0;
        }
    }
    return count;
}

static void check_inside(const GrMapFigure *f, const GrPicture *p)
{
    assert_true(f->left > 0 && f->top > 0);
    assert_true(f->width > f->left + p->width && f->height > f->top + p->height);
    for (int y = 0; y < p->height; y++) {
        assert_memory_equal(pixel_at(f, f->left, f->top + y), p->pixels + 3 * (size_t)y * (size_t)p->width,
                            3 * (size_t)p->width);
    }
}

/// 1, 2 or 5 times a power of ten.
static void check_round(double length)
{
    const double digit = length / pow(10, floor(log10(length) + 1e-9));
    assert_true(fabs(digit - 1) < 1e-9 || fabs(digit - 2) < 1e-9 || fabs(digit - 5) < 1e-9);
}

static void check_ticks(const GrAxis *axis, double lower, double upper)
{
    assert_true(axis->tick_count >= 2);
    check_round(axis->step);
    for (int k = 0; k < axis->tick_count; k++) {
        assert_true(axis->ticks[k] >= lower - 1e-9 * axis->step && axis->ticks[k] <= upper + 1e-9 * axis->step);
        assert_near(axis->ticks[k], axis->step * nearbyint(axis->ticks[k] / axis->step), 1e-9 * axis->step);
    }
}

/// Each tick has its mark outside the frame, at the pixel of its place.
static void check_marks(const GrMapFigure *f, const GrPicture *p)
{
    enum { OUTSIDE = 4 }; // beyond the frame's line, within the mark
    for (int k = 0; k < f->x.tick_count; k++) {
        const double share = (f->east + f->x.ticks[k] - p->box.x_lower) / (p->box.x_upper - p->box.x_lower);
        assert_true(is_dark(f, f->left + (int)lround(share * p->width), f->top + p->height + OUTSIDE));
    }
    for (int k = 0; k < f->y.tick_count; k++) {
        const double share = (p->box.y_upper - f->north - f->y.ticks[k]) / (p->box.y_upper - p->box.y_lower);
        assert_true(is_dark(f, f->left - OUTSIDE, f->top + (int)lround(share * p->height)));
    }
}

static void check_scale_bar(const GrMapFigure *f, const GrPicture *p)
{
    const double metres_a_pixel = (p->box.x_upper - p->box.x_lower) / p->width;
    check_round(f->bar_length);
    assert_near(f->bar_pixels * metres_a_pixel, f->bar_length, 0.5 * metres_a_pixel);
    int run = 0;
    while (is_dark(f, f->bar_left + run, f->bar_row)) {
        run++;
    }
    assert_int_equal(run, f->bar_pixels);
}

static void test_heights(void **state)
{
    (void)state;
    const GrBox2 boxes[] = {
        {-15, -10, 15, 10}, {0.013, -4.2, 0.613, -3.8}, {8142407.5, -276792.5, 8142754.5, -276561.2}};
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        GrPicture p = make_picture(600, 400, boxes[k]);
        const GrMapCaption caption = {.title = "site.tif", .legend = "height [m]"};
        GrMapFigure f;
        assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
        check_inside(&f, &p);
        check_ticks(&f.x, p.box.x_lower - f.east, p.box.x_upper - f.east);
        check_ticks(&f.y, p.box.y_lower - f.north, p.box.y_upper - f.north);
        check_ticks(&f.z, p.z_low, p.z_high);
        check_marks(&f, &p);
        check_scale_bar(&f, &p);
        unsigned char low[3], high[3];
        gr_hillshade_color(&p, p.z_low, low);
        gr_hillshade_color(&p, p.z_high, high);
        assert_true(count_in_legend(&f, &p, low) > 100 && count_in_legend(&f, &p, high) > 100);
        assert_int_equal(count_in_legend(&f, &p, GR_VOID_COLOR), 0);
        free(f.pixels);
        free(p.pixels);
    }
}

/// Projected coordinates of seven digits: the axis counts from a round number, so that its numbers are short.
static void test_long_coordinates(void **state)
{
    (void)state;
    GrPicture p = make_picture(347, 336, (GrBox2){8142407.5, -276792.5, 8142754.5, -276456.5});
    const GrMapCaption caption = {.title = "gale.tif", .legend = "height [m]"};
    GrMapFigure f;
    assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
    assert_near(f.east, 8142000, 0);
    assert_near(f.north, -277000, 0);
    free(f.pixels);
    free(p.pixels);
}

static void test_classes_and_voids(void **state)
{
    (void)state;
    const GrMapClass classes[] = {{"bedrock", {1, 200, 3}}, {"drift", {250, 20, 9}}};
    GrPicture p = make_picture(200, 300, (GrBox2){0, 0, 20, 30});
    GrMapCaption caption = {.title = "soils.tif", .legend = "soil", .classes = classes, .class_count = 2};
    GrMapFigure f;
    assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
    check_inside(&f, &p);
    assert_int_equal(f.z.tick_count, 0);
    assert_true(count_in_legend(&f, &p, classes[0].color) > 100);
    assert_true(count_in_legend(&f, &p, classes[1].color) > 100);
    free(f.pixels);
    caption = (GrMapCaption){.title = "holes.tif", .legend = "height [m]"};
    p.has_voids = true;
    assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
    assert_true(count_in_legend(&f, &p, GR_VOID_COLOR) > 100);
    free(f.pixels);
    free(p.pixels);
}

/// Maps of a few pixels, level ground, ground without data, and names beyond ASCII.
static void test_extremes(void **state)
{
    (void)state;
    const double heights[][2] = {{-3, 7}, {2, 2}, {(double)NAN, (double)NAN}};
    for (int k = 0; k < 3; k++) {
        GrPicture p = make_picture(k == 2 ? 1 : 16, 16, (GrBox2){0, 0, 0.2, 0.2});
        p.z_low = heights[k][0];
        p.z_high = heights[k][1];
        p.has_voids = k == 2;
        const GrMapCaption caption = {.title = "Kr\xc3\xa4ter \xe2\x88\x92 \xff", .legend = "height [m]"};
        GrMapFigure f;
        assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
        check_inside(&f, &p);
        assert_int_equal(f.z.tick_count > 0, k == 0);
        free(f.pixels);
        free(p.pixels);
    }
}

/// Ink of a text in a picture: how many pixels have some, and the rows and columns that it spans.
typedef struct Ink {
    unsigned char data[3 * 96 * 96];
    int count, left, right, top, bottom;
} Ink;

static void draw(const char *text, double size, bool upward, Ink *out)
{
    enum { SIDE = 96, LEFT = 8, BASE_LINE = 72 };
    const unsigned char black[3] = {0, 0, 0};
    *out = (Ink){.left = SIDE, .top = SIDE, .right = -1, .bottom = -1};
    memset(out->data, 255, sizeof out->data);
    gr_lettering_draw((GrPixels){out->data, SIDE, SIDE}, upward ? BASE_LINE : LEFT, upward ? SIDE - LEFT : BASE_LINE,
                      size, upward, text, black);
    for (int k = 0; k < SIDE * SIDE; k++) {
        if (out->data[3 * k] < 128) {
            out->count++;
            out->left = k % SIDE < out->left ? k % SIDE : out->left;
            out->right = k % SIDE > out->right ? k % SIDE : out->right;
            out->top = k / SIDE < out->top ? k / SIDE : out->top;
            out->bottom = k / SIDE > out->bottom ? k / SIDE : out->bottom;
        }
    }
}

/// No two characters look alike, only the space is empty, all stay within their height, and none is wider than its
/// place; a text upward has the same size, turned.
static void test_letters(void **state)
{
    (void)state;
    enum { COUNT = '~' - ' ' + 1, SIZE = 40, BASE_LINE = 72, LEFT = 8 };
    static Ink inks[COUNT], turned;
    for (int c = 0; c < COUNT; c++) {
        const char text[] = {(char)(' ' + c), '\0'};
        draw(text, SIZE, false, &inks[c]);
        assert_int_equal(inks[c].count == 0, c == 0);
        for (int other = 0; other < c; other++) {
            assert_true(memcmp(inks[c].data, inks[other].data, sizeof inks[c].data) != 0);
        }
        assert_true(inks[c].top >= BASE_LINE - (GR_LETTERING_CAPITAL + 0.15) * SIZE - 1 || c == 0);
        assert_true(inks[c].bottom <= BASE_LINE + GR_LETTERING_BELOW * SIZE + 1);
        assert_true(inks[c].right <= LEFT + gr_lettering_width(text, SIZE) + 1);
        draw(text, SIZE, true, &turned);
        assert_near(turned.bottom - turned.top, c == 0 ? turned.bottom - turned.top : inks[c].right - inks[c].left, 1);
        assert_near(turned.right - turned.left, c == 0 ? turned.right - turned.left : inks[c].bottom - inks[c].top, 1);
    }
    // "H" is as high as a capital, at any size.
    for (int size = 10; size <= 80; size += 7) {
        draw("H", size, false, &turned);
        assert_near(turned.bottom - turned.top + 1, (GR_LETTERING_CAPITAL + 1.7 / 20) * size, 1.5);
    }
    assert_near(gr_lettering_width("north [m]", 36), 2 * gr_lettering_width("north [m]", 18), 1e-9);
}

/// Letters, ticks and legend of a large picture are larger, so that they can be read when it is shown as a whole.
static void test_large(void **state)
{
    (void)state;
    GrPicture p = make_picture(3600, 1800, (GrBox2){0, 0, 200, 100});
    const GrMapCaption caption = {.title = "site.tif", .legend = "height [m]"};
    GrMapFigure f;
    assert_int_equal(gr_map_figure_make(&p, &caption, &f), GR_OK);
    check_inside(&f, &p);
    check_marks(&f, &p);
    assert_true(f.x.tick_count <= 12 && f.top > 80 && f.width - f.left - p.width > 400);
    free(f.pixels);
    free(p.pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heights),           cmocka_unit_test(test_long_coordinates),
        cmocka_unit_test(test_classes_and_voids), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_letters),           cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
