#include "json.h"

#include "json_check.h"
#include "test.h"

#include <locale.h>

static void write_sample(GrJson *json)
{
    gr_json_begin_object(json, NULL);
    gr_json_string(json, "name", "a \"b\" \\ \n\t\x01 \xc3\xa9 \xff\xc3 \xc2\x9b\x7f\xe2\x80\xae");
    gr_json_number(json, "third", 1.0 / 3);
    gr_json_number(json, "nothing", (double)NAN);
    gr_json_integer(json, "count", -7);
    gr_json_bool(json, "yes", true);
    gr_json_null(json, "null");
    gr_json_begin_array(json, "empty");
    gr_json_end(json);
    gr_json_begin_array(json, "items");
    gr_json_begin_object(json, NULL);
    gr_json_end(json);
    gr_json_numbers(json, NULL, (double[]){1, -2.5, 1e300, (double)INFINITY}, 4);
    gr_json_end(json);
    gr_json_end(json);
}

static void test_compact(void **state)
{
    (void)state;
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    write_sample(&json);
    assert_int_equal(gr_json_finish(&json), GR_OK);
    assert_string_equal(
        text.data,
        "{\"name\": \"a \\\"b\\\" \\\\ \\n\\t\\u0001 \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd \\u009b\\u007f\\u202e\", "
        "\"third\": 0.3333333333333333, \"nothing\": null, \"count\": -7, \"yes\": true, "
        "\"null\": null, \"empty\": [], \"items\": [{}, [1, -2.5, 1e300, null]]}\n");
    assert_true(gr_json_valid(text.data));
    gr_buffer_free(&text);
}

static void test_pretty_is_the_same_document(void **state)
{
    (void)state;
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, true);
    write_sample(&json);
    assert_int_equal(gr_json_finish(&json), GR_OK);
    assert_true(gr_json_valid(text.data));
    assert_non_null(strstr(text.data, "\n  \"count\": -7,\n"));
    assert_non_null(strstr(text.data, "\n    [1, -2.5, 1e300, null]\n  ]\n}\n"));
    gr_buffer_free(&text);
}

static void test_file_gets_what_the_buffer_gets(void **state)
{
    (void)state;
    GrBuffer text = {0};
    GrJson to_buffer = gr_json_to_buffer(&text, true);
    write_sample(&to_buffer);
    assert_int_equal(gr_json_finish(&to_buffer), GR_OK);
    FILE *file = tmpfile();
    assert_non_null(file);
    GrJson to_file = gr_json_to_file(file, true);
    write_sample(&to_file);
    assert_int_equal(gr_json_finish(&to_file), GR_OK);
    rewind(file);
    char back[4096] = "";
    const size_t n = fread(back, 1, sizeof back - 1, file);
    assert_int_equal(n, text.size);
    assert_string_equal(back, text.data);
    fclose(file);
    gr_buffer_free(&text);
}

static void test_full_disk_is_reported(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (full == NULL) {
        skip();
    }
    GrJson json = gr_json_to_file(full, false);
    gr_json_string(&json, NULL, "x");
    assert_int_equal(gr_json_finish(&json), GR_ERROR_FILE);
    fclose(full);
}

static void test_checker_refuses(void **state)
{
    (void)state;
    const char *const bad[] = {"",      "{",     "[1,]",   "{\"a\":}", "{a:1}", "01",  "1.",  "nan", "\"\\x\"",
                               "[1 2]", "{} {}", "\"\n\"", "+1",       "tru",   "[1}", "1e+", "\"a"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (gr_json_valid(bad[i])) {
            fail_msg("taken for JSON: %s", bad[i]);
        }
    }
    assert_true(gr_json_valid(" [1, -0.5e+3, {\"a\": [null, true, false, \"\\u00e9\"]}] "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_pretty_is_the_same_document),
        cmocka_unit_test(test_file_gets_what_the_buffer_gets),
        cmocka_unit_test(test_full_disk_is_reported),
        cmocka_unit_test(test_checker_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
