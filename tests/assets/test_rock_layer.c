/// Rocks as a layer of the terrain: their shape, where they are, and the volume they add.
#include "grouser/assets.h"
#include "test.h"

#include <stdlib.h>

static const GrBox2 BOX = {-10, -10, 10, 10};

/// A sloping base, and the rocks over it on a grid of `cell`.
static GrTerrain *make(const GrRockField *field, double cell)
{
    double base[9];
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){.nx = 3, .ny = 3, .x0 = -10, .y0 = -10, .dx = 10, .dy = 10};
    for (int k = 0; k < 9; k++) {
        base[k] = 0.1 * (k % 3);
    }
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    assert_int_equal(gr_terrain_add_grid(terrain, &def, base, NULL), GR_OK);
    const int n = 1 + (int)lround(20 / cell);
    def.frame = (GrGridFrame){.nx = n, .ny = n, .x0 = -10, .y0 = -10, .dx = cell, .dy = cell};
    assert_int_equal(gr_terrain_add_rocks(terrain, &def, field, NULL), GR_OK);
    assert_int_equal(gr_terrain_prefetch(terrain, BOX, NULL), GR_OK);
    return terrain;
}

static double height(const GrTerrain *terrain, double x, double y)
{
    double z = 0;
    assert_int_equal(gr_terrain_height(terrain, x, y, &z), GR_GROUND_OK);
    return z - 0.01 * (x + 10); // the base
}

static void test_shape_of_one_rock(void **state)
{
    (void)state;
    GrRock rock = {.x = 2, .y = -3, .diameter = 1.6, .height = 0.5};
    const GrRockField field = {.rocks = &rock, .count = 1};
    GrTerrain *terrain = make(&field, 0.05);
    assert_near(height(terrain, 2, -3), 0.5, 1e-9);
    assert_near(height(terrain, 2.4, -3), 0.5 * sqrt(0.75), 1e-3);
    assert_near(height(terrain, 2, -3.4), 0.5 * sqrt(0.75), 1e-3);
    assert_near(height(terrain, 2.9, -3), 0, 1e-12);
    assert_near(height(terrain, -8, 8), 0, 1e-12);
    gr_terrain_free(terrain);
}

/// A field by the law: at every rock's centre stands that rock, and the volume is the sum of half ellipsoids.
static void test_field(void **state)
{
    (void)state;
    GrRockFieldDef def = gr_default_rock_field_def();
    GrRockField field;
    def.box = BOX;
    def.k = 0.1;
    def.diameter_lower = 0.3;
    def.seed = 3;
    assert_int_equal(gr_rock_field_make(&def, &field, NULL), GR_OK);
    assert_true(field.count > 20);
    const double cell = 0.025;
    GrTerrain *terrain = make(&field, cell);
    double expected = 0, volume = 0;
    for (int k = 0; k < field.count; k++) {
        const GrRock *r = &field.rocks[k];
        if (fabs(r->x) + r->diameter / 2 > 10 || fabs(r->y) + r->diameter / 2 > 10) {
            continue; // cut by the border of the map
        }
        assert_near(height(terrain, r->x, r->y), r->height, 0.02 * r->height);
    }
    for (double y = -10 + cell / 2; y < 10; y += cell) {
        for (double x = -10 + cell / 2; x < 10; x += cell) {
            volume += height(terrain, x, y) * cell * cell;
            for (int k = 0; k < field.count; k++) { // the same without buckets and tiles
                const GrRock *r = &field.rocks[k];
                const double dx = 2 * (x - r->x) / r->diameter, dy = 2 * (y - r->y) / r->diameter;
                const double inside = 1 - dx * dx - dy * dy;
                expected += inside > 0 ? r->height * sqrt(inside) * cell * cell : 0;
            }
        }
    }
    print_message("%d rocks: %.4f m3 on the terrain, %.4f m3 by themselves\n", field.count, volume, expected);
    assert_near_rel(volume, expected, 0.01);
    gr_terrain_free(terrain);
    gr_rock_field_free(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape_of_one_rock),
        cmocka_unit_test(test_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
