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
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_wrong_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
