/// Soils by rules, their borders, and the map through a file.
#include "soil_map_data.h"
#include "soil_rules.h"
#include "terrain/memory_map.h"

#include <unistd.h>

/// West flat and low, east steep and high.
static MemoryMap bent(void)
{
    MemoryMap map = memory_map(40, 30, 2);
    for (int64_t k = 0; k < 40 * 30; k++) {
        const double x = 2.0 * (double)(k % 40);
        map.z[k] = x > 40 ? x - 40 : 0;
    }
    return map;
}

static void test_rules_and_borders(void **state)
{
    (void)state;
    MemoryMap map = bent();
    map.z[5 * 40 + 3] = NAN;
    const char *const rules[] = {"rock: slope_deg>30 and height_m>10", "gravel: slope_deg>30", "ES-1"};
    GrSoilMap soils;
    assert_int_equal(gr_soil_rules_apply(rules, 3, &map.frame, memory_map_source(&map), 10, 1, &soils, NULL), GR_OK);
    GrSoilMix mix;
    assert_int_equal(gr_soil_map_at(&soils, 70, 20, &mix), GR_GROUND_OK);
    assert_true(mix.count == 1 && mix.shares[0] == 1);
    assert_string_equal(soils.names[mix.classes[0] - 1], "rock");
    gr_soil_map_at(&soils, 46, 20, &mix);
    assert_string_equal(soils.names[mix.classes[0] - 1], "gravel");
    gr_soil_map_at(&soils, 10, 20, &mix);
    assert_string_equal(soils.names[mix.classes[0] - 1], "ES-1");
    assert_int_equal(gr_soil_map_at(&soils, 6, 10, &mix), GR_GROUND_VOID);
    assert_int_equal(gr_soil_map_at(&soils, 500, 10, &mix), GR_GROUND_OUTSIDE);
    // A smooth border: shares sum to 1 and change little over a small distance.
    soils.border = 6;
    double last = -1;
    for (double x = 30; x < 70; x += 0.01) {
        assert_int_equal(gr_soil_map_at(&soils, x, 21.3, &mix), GR_GROUND_OK);
        double sum = 0, first = 0;
        for (int k = 0; k < mix.count; k++) {
            sum += mix.shares[k];
            first = mix.classes[k] == 3 ? mix.shares[k] : first;
        }
        assert_near(sum, 1, 1e-12);
        assert_true(last < 0 || fabs(first - last) < 0.01);
        last = first;
    }
    gr_soil_map_free(&soils);
    free(map.z);
}

/// Polygons and brushes against their own geometry.
static void test_outlines(void **state)
{
    (void)state;
    MemoryMap map = memory_map(60, 60, 0.5);
    const char *const rules[] = {"path: near(1.5: 5 5, 20 5, 20 20; 3 27)",
                                 "pit: inside(10 10, 25 12, 12 25) and height_m<1", "rest"};
    GrSoilMap soils;
    assert_int_equal(gr_soil_rules_apply(rules, 3, &map.frame, memory_map_source(&map), 10, 1, &soils, NULL), GR_OK);
    for (int64_t k = 0; k < 60 * 60; k++) {
        const double x = 0.5 * (double)(k % 60), y = 0.5 * (double)(k / 60);
        const double east = hypot(fmax(0, fmax(5 - x, x - 20)), y - 5),
                     north = hypot(x - 20, fmax(0, fmax(5 - y, y - 20)));
        const bool path = fmin(fmin(east, north), hypot(x - 3, y - 27)) <= 1.5;
        const double a = 15 * (y - 10) - 2 * (x - 10), b = -13 * (y - 12) - 13 * (x - 25),
                     c = 15 * (x - 10) - 2 * (y - 10);
        const char *expected = path ? "path" : a > 0 && b > 0 && c > 0 ? "pit" : "rest";
        const bool edge = fabs(a) < 1e-9 || fabs(b) < 1e-9 || fabs(c) < 1e-9;
        if (!edge || path) {
            assert_string_equal(soils.names[soils.classes[k] - 1], expected);
        }
    }
    gr_soil_map_free(&soils);
    static const char *const WRONG[] = {
        "a: inside(0 0, 1 1)", "a: inside(0 0, 1 1; 2 2)", "a: near(0: 1 1)",        "a: near(1: 1 1",
        "a: near(1: 1)",       "a: near(1, 1 1)",          "a: inside(0 0, 1 x, 2)", "a: near(1: 1 1) or noise>0"};
    for (size_t i = 0; i < sizeof WRONG / sizeof WRONG[0]; i++) {
        GrErrorLog log = {.quiet = true};
        assert_int_equal(gr_soil_rules_apply(&WRONG[i], 1, &map.frame, memory_map_source(&map), 10, 1, &soils, &log),
                         GR_ERROR_SYNTAX);
    }
    free(map.z);
}

static void test_file(void **state)
{
    (void)state;
    MemoryMap map = bent();
    const char *const rules[] = {"ES-3: height_m>20", "ES-1"};
    GrSoilMap soils, back;
    assert_int_equal(gr_soil_rules_apply(rules, 2, &map.frame, memory_map_source(&map), 10, 1, &soils, NULL), GR_OK);
    char none[1] = "";
    const GrGeoreference place = {.crs = none};
    GrErrorLog log = {0};
    const GrStatus written = gr_soil_map_write(&soils, "soils.tif", &place, &log);
    if (written == GR_ERROR_UNSUPPORTED) { // without GDAL
        gr_soil_map_free(&soils);
        free(map.z);
        skip();
    }
    assert_int_equal(written, GR_OK);
    assert_int_equal(gr_soil_map_open(&back, "soils.tif", NULL, NULL, &log), GR_OK);
    assert_int_equal(back.name_count, 2);
    assert_string_equal(back.names[0], "ES-3");
    assert_memory_equal(back.classes, soils.classes, 40 * 30);
    gr_soil_map_free(&back);
    assert_int_equal(gr_soil_map_open(&back, "soils.tif", "1=ES-4", NULL, &log), GR_ERROR_VALUE);
    assert_int_equal(gr_soil_map_open(&back, "soils.tif", "one=ES-4", NULL, &log), GR_ERROR_SYNTAX);
    gr_soil_map_free(&soils);
    free(map.z);
    unlink("soils.tif");
}

static void test_wrong_rules(void **state)
{
    (void)state;
    MemoryMap map = bent();
    static const char *const CASES[][2] = {{"rock: slop_deg>3", "did you mean 'slope_deg"},
                                           {"rock: slope_deg=3", "a quantity, < or >"},
                                           {"rock: slope_deg>3 or noise>0", "joined by 'and'"},
                                           {": slope_deg>3", "one word"},
                                           {"rock: slope_deg>", "a quantity"}};
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrSoilMap soils;
        GrErrorLog log = {0};
        assert_int_not_equal(
            gr_soil_rules_apply(&CASES[k][0], 1, &map.frame, memory_map_source(&map), 10, 1, &soils, &log), GR_OK);
        if (log.error_count != 1 || strstr(log.items[0].text, CASES[k][1]) == NULL) {
            fail_msg("'%s' is not in '%s'", CASES[k][1], log.items[0].text);
        }
    }
    free(map.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules_and_borders),
        cmocka_unit_test(test_outlines),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_wrong_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
