/// Edits of a text by paths: what they do not concern stays.
#include "text_edit.h"

#include "test.h"

#include <stdio.h>
#include <string.h>

static const char TEXT[] = "# a scenario é\n"
                           "rover: mer_like   # six wheels\n"
                           "terrain:\n"
                           "  size_m: 200   # metres\n"
                           "  add:\n"
                           "    - fractal: {hurst: 0.8}   # rough\n"
                           "    - crater: {x_m: 1,\n"
                           "               y_m: 2}\n"
                           "\n"
                           "# where it starts\n"
                           "start: {x_m: -30, y_m: \"2\"} # west\n"
                           "drive:   # along a path\n"
                           "  path: [[1, 2], [3, 4]]\n"
                           "  script:\n"
                           "    - time_s: 0\n"
                           "      mode: stop\n"
                           "stop:\n"
                           "# the end\n";

/// The text after an edit, with `from` in place of what it had.
static void check(const char *edit, const char *from, const char *to)
{
    GrErrorLog log = {0};
    GrBuffer out = {0}, expected = {0};
    const char *at = strstr(TEXT, from);
    assert_non_null(at);
    gr_buffer_add(&expected, TEXT, (size_t)(at - TEXT));
    gr_buffer_puts(&expected, to);
    gr_buffer_puts(&expected, at + strlen(from));
    assert_int_equal(gr_text_edit(TEXT, strlen(TEXT), edit, &out, &log), GR_OK);
    assert_string_equal(out.data, expected.data);
    gr_buffer_free(&out);
    gr_buffer_free(&expected);
}

static void test_set(void **state)
{
    (void)state;
    check("rover=scout_like", "mer_like", "scout_like");
    check("terrain.size_m=[20, 30]", "200", "[20, 30]");
    check("terrain.add[0].fractal.hurst=0.5", "0.8", "0.5");
    check("terrain.add[1].crater.x_m=7.5", "x_m: 1", "x_m: 7.5");
    check("start.y_m=3", "\"2\"", "3");
    check("start={x_m: 1}", "{x_m: -30, y_m: \"2\"}", "{x_m: 1}");
    check("drive.path[1]=[5, 6]", "[3, 4]", "[5, 6]");
    check("drive={mode: \"crab, slow\"}",
          "drive:   # along a path\n  path: [[1, 2], [3, 4]]\n  script:\n    - time_s: 0\n      mode: stop\n",
          "drive: {mode: \"crab, slow\"} # along a path\n");
}

/// Keys of copies are found, but none is made.
static void test_copies(void **state)
{
    (void)state;
    static const char COPIES[] = "wheels:\n  wheel_${side}:\n    radius_m: 0.1 # r\n";
    GrErrorLog log = {.quiet = true};
    GrBuffer out = {0};
    assert_int_equal(gr_text_edit(COPIES, strlen(COPIES), "wheels.wheel_${side}.radius_m=0.2", &out, &log), GR_OK);
    assert_string_equal(out.data, "wheels:\n  wheel_${side}:\n    radius_m: 0.2 # r\n");
    assert_int_equal(gr_text_edit(COPIES, strlen(COPIES), "wheels.a{b.c=1", &out, &log), GR_ERROR_VALUE);
    gr_buffer_free(&out);
}

static void test_add(void **state)
{
    (void)state;
    check("gravity=moon", "stop:\n", "stop:\ngravity: moon\n");
    check("start.heading_deg=90", "\"2\"}", "\"2\", heading_deg: 90}");
    check("terrain.seed=4", "y_m: 2}\n", "y_m: 2}\n  seed: 4\n");
    check("terrain.rocks.k=0.1", "y_m: 2}\n", "y_m: 2}\n  rocks:\n    k: 0.1\n");
    check("terrain.add[+]={ripples: {height_m: 2}}", "y_m: 2}\n", "y_m: 2}\n    - {ripples: {height_m: 2}}\n");
    check("drive.path[+]=[9, 9]", "[3, 4]", "[3, 4], [9, 9]");
    check("drive.script[0].speed_mps=1", "mode: stop\n", "mode: stop\n      speed_mps: 1\n");
    check("drive.script[+]={time_s: 3}", "mode: stop\n", "mode: stop\n    - {time_s: 3}\n");
    check("stop.time_s=9", "stop:\n", "stop: {time_s: 9}\n");
    check("soil_map.rules[+]=\"sand: slope_deg<5\"", "stop:\n",
          "stop:\nsoil_map:\n  rules:\n    - \"sand: slope_deg<5\"\n");
    check("drive.path[0+]=[0, 0]", "[[1, 2]", "[[0, 0], [1, 2]");
    check("terrain.add[0+]={steps: {}}", "    - fractal", "    - {steps: {}}\n    - fractal");
}

static void test_remove(void **state)
{
    (void)state;
    check("rover=", "rover: mer_like   # six wheels\n", "");
    check("start.x_m=", "x_m: -30, ", "");
    check("start.y_m=", ", y_m: \"2\"", "");
    check("drive.path[0]=", "[1, 2], ", "");
    check("terrain.add[0]=", "    - fractal: {hurst: 0.8}   # rough\n", "");
    check("terrain.add[0].fractal.hurst=", "    - fractal: {hurst: 0.8}   # rough\n", "");
    check("drive.script[0].time_s=", "time_s: 0\n      ", "");
    check("drive.script[0]=", "  script:\n    - time_s: 0\n      mode: stop\n", "");
    check("terrain=",
          "terrain:\n  size_m: 200   # metres\n  add:\n    - fractal: {hurst: 0.8}   # rough\n"
          "    - crater: {x_m: 1,\n               y_m: 2}\n",
          "");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *edit, *text;
    } wrong[] = {
        {"rover", "PATH=VALUE"},
        {"=3", "PATH=VALUE"},
        {"a b=3", "a path is like"},
        {"drive.path[x]=3", "a path is like"},
        {"drive.path[7]=3", "no such item"},
        {"nothing=", "no such value"},
        {"rover.use=x", "neither a section nor a list"},
        {"rover=a, b: c", "not YAML on one line"},
        {"rover=a: b", "not YAML on one line"},
        {"rover=a\nsoil: none", "not YAML on one line"},
        {"rover=[1, 2", "not YAML on one line"},
        {"rover=a] # b", "not YAML on one line"},
        {"rover=a # b", "not YAML on one line"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        GrErrorLog log = {.quiet = true};
        GrBuffer out = {0};
        assert_int_not_equal(gr_text_edit(TEXT, strlen(TEXT), wrong[i].edit, &out, &log), GR_OK);
        assert_int_equal(out.size, 0);
        assert_non_null(strstr(log.items[0].text, wrong[i].text));
        gr_buffer_free(&out);
    }
    GrErrorLog log = {.quiet = true};
    GrBuffer out = {0};
    assert_int_not_equal(gr_text_edit("a: [1", 5, "a=2", &out, &log), GR_OK);
    assert_non_null(strstr(log.items[0].text, "correct it first"));
    assert_int_equal(gr_text_edit("# new\n", 6, "drive.path[+]=[1, 2]", &out, &log), GR_OK);
    assert_string_equal(out.data, "# new\ndrive:\n  path:\n    - [1, 2]\n");
    gr_buffer_free(&out);
}

static void note(void *context, const char *path, const char *value, int line)
{
    gr_buffer_printf(context, "%s=%s @%d\n", path, value, line);
}

static void test_values(void **state)
{
    (void)state;
    GrBuffer all = {0};
    assert_int_equal(gr_text_values(TEXT, strlen(TEXT), note, &all), GR_OK);
    assert_non_null(strstr(all.data, "rover=mer_like @2\nterrain.size_m=200 @4\n"));
    assert_non_null(strstr(all.data, "terrain.add[1].crater.y_m=2 @8\n"));
    assert_non_null(strstr(all.data, "start.y_m=2 @11\n"));
    assert_non_null(strstr(all.data, "drive.path=[[1, 2], [3, 4]] @13\ndrive.path[0]=[1, 2] @13\n"));
    assert_int_equal(gr_text_values("a: ]", 4, note, &all), GR_ERROR_SYNTAX);
    gr_buffer_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_set),     cmocka_unit_test(test_copies),
                                       cmocka_unit_test(test_add),     cmocka_unit_test(test_remove),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
