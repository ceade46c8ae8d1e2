/// Height grids as text: layouts, voids, what is wrong and in which line.
#include "test.h"
#include "text_grid.h"

#include <stdlib.h>

static GrTextGrid read_good(const char *text, const char *name, GrTextLayout layout)
{
    GrTextGrid grid;
    GrErrorLog log = {0};
    if (gr_text_grid_parse(text, strlen(text), name, layout, NAN, &grid, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    return grid;
}

/// The first row is the northern one.
static void test_matrix(void **state)
{
    (void)state;
    GrTextGrid g = read_good("# heights\r\n1, 2, 3\n\n4,,6.5e0\r\n", "m.csv", GR_TEXT_AUTO);
    assert_true(g.frame.nx == 3 && g.frame.ny == 2);
    assert_true(g.heights[0] == 4 && isnan(g.heights[1]) && g.heights[2] == 6.5 && g.heights[3] == 1);
    free(g.heights);
    g = read_good("a b\n1 2\n3 nan\n-5\t+6\n", "m.txt", GR_TEXT_AUTO);
    assert_true(g.frame.nx == 2 && g.frame.ny == 3);
    assert_true(g.heights[0] == -5 && g.heights[1] == 6 && isnan(g.heights[3]) && g.heights[5] == 2);
    free(g.heights);
}

/// Points in any order, one missing.
static void test_xyz(void **state)
{
    (void)state;
    const char *text = "x,y,z\n10,20,1\n12,20,2\n14,20,3\n14,24,9\n10,24,7\n";
    for (int k = 0; k < 2; k++) {
        GrTextGrid g = read_good(k == 0 ? text : text + 6, k == 0 ? "m.csv" : "m.xyz", GR_TEXT_AUTO);
        assert_true(g.frame.nx == 3 && g.frame.ny == 2 && g.frame.x0 == 10 && g.frame.y0 == 20);
        assert_true(g.frame.dx == 2 && g.frame.dy == 4);
        assert_true(g.heights[0] == 1 && g.heights[2] == 3 && g.heights[3] == 7 && isnan(g.heights[4]));
        assert_true(g.heights[5] == 9);
        free(g.heights);
    }
}

static void test_wrong(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *part;
        int line;
    } CASES[] = {
        {"", "m.csv", "no numbers", 0},
        {"# nothing\n", "m.csv", "no numbers", 0},
        {"1,2\n3\n", "m.csv", "1 numbers where the lines before have 2", 2},
        {"1,2\n3,four\n", "m.csv", "'four' is not a number", 2},
        {"1,2\n3,0x10\n", "m.csv", "'0x10' is not a number", 2},
        {"1,2\n3,1e999\n", "m.csv", "not a number", 2},
        {"1,2,3\n", "m.csv", "1 rows of 3", 0},
        {"0 0 1\n1 0 2\n0 1 3\n1.3 1 4\n", "m.xyz", "regular grid", 0},
        {"0 0 1\n0 0 2\n1 1 2\n", "m.xyz", "given twice", 0},
        {"0 0 1\n1 0 2\n", "m.xyz", "regular grid", 0},
        {"0 0\n1 0\n", "m.xyz", "x, y, z are three", 0},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrTextGrid grid;
        GrErrorLog log = {0};
        assert_int_not_equal(
            gr_text_grid_parse(CASES[k].text, strlen(CASES[k].text), CASES[k].name, GR_TEXT_AUTO, NAN, &grid, &log),
            GR_OK);
        assert_int_equal(log.error_count, 1);
        assert_int_equal(log.items[0].line, CASES[k].line);
        if (strstr(log.items[0].text, CASES[k].part) == NULL) {
            fail_msg("'%s' is not in '%s'", CASES[k].part, log.items[0].text);
        }
    }
    GrTextGrid grid;
    assert_int_not_equal(gr_text_grid_parse("1,2\n3,\0", 7, "m.csv", GR_TEXT_AUTO, NAN, &grid, NULL), GR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_xyz),
        cmocka_unit_test(test_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
