/// JSON from strangers: what RFC 8259 allows is read, everything else is refused.
#include "json_read.h"

#include "test.h"

static GrJsonNode nodes[GR_JSON_NODES];
static GrJsonTree tree = {.nodes = nodes, .room = GR_JSON_NODES};

static bool reads(const char *text)
{
    static char copy[8192];
    const size_t size = strlen(text);
    assert_true(size < sizeof copy);
    memcpy(copy, text, size + 1);
    return gr_json_read(copy, size, &tree);
}

static void test_values(void **state)
{
    (void)state;
    assert_true(reads(" {\"a\" : [1, -2.5e3, 0.5E-1, true, false, null], \"b\": {\"c\": \"x\"}, \"d\": {}} \n"));
    const GrJsonNode *root = tree.nodes, *a = gr_json_member(&tree, root, "a");
    assert_int_equal(a->kind, GR_JSON_ARRAY);
    const GrJsonNode *item = gr_json_first(&tree, a);
    assert_true(item->number == 1);
    item = gr_json_next(&tree, item);
    assert_true(item->number == -2500);
    item = gr_json_next(&tree, item);
    assert_true(item->number == 0.05);
    item = gr_json_next(&tree, item);
    assert_true(item->kind == GR_JSON_BOOL && item->truth);
    item = gr_json_next(&tree, item);
    assert_true(item->kind == GR_JSON_BOOL && !item->truth);
    item = gr_json_next(&tree, item);
    assert_int_equal(item->kind, GR_JSON_NULL);
    assert_null(gr_json_next(&tree, item));
    const GrJsonNode *b = gr_json_member(&tree, root, "b");
    assert_string_equal(gr_json_member(&tree, b, "c")->text, "x");
    assert_null(gr_json_first(&tree, gr_json_member(&tree, root, "d")));
    assert_null(gr_json_member(&tree, root, "c")); // not a member of the root
}

static void test_strings(void **state)
{
    (void)state;
    assert_true(reads("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""));
    assert_string_equal(tree.nodes[0].text, "\"\\/\b\f\n\r\t");
    assert_true(reads("\"\\u00e9 \\u20AC \\uD83D\\uDE00\"")); // é € 😀
    assert_string_equal(tree.nodes[0].text, "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
    assert_true(reads("\"\xC3\xA9\""));
    assert_string_equal(tree.nodes[0].text, "\xC3\xA9");
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1}{",
        "1 2",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "Infinity",
        "1e999",
        "tru",
        "nul",
        "\"",
        "\"\n\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u0000\"",
        "\"\\uD800\"",
        "\"\\uDC00\"",
        "\"\\uD800\\u0041\"",
        "\"\xFF\"",
        "\"\xC3\"",
        "\"\xED\xA0\x80\"",
        "{\"a\":1,\"a\":2}",
        "[[[[[[[[[1]]]]]]]]]",
        "{\"\\u0061\":1,\"a\":2}",
        "//",
        "[1]//",
        "\xEF\xBB\xBF{}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (reads(bad[i])) {
            print_error("accepted: %s\n", bad[i]);
            fail();
        }
    }
    char zero[] = "{}\0{}";
    assert_false(gr_json_read(zero, 5, &tree));
}

/// The number of values is bounded: one more than fits is refused.
static void test_size(void **state)
{
    (void)state;
    char text[4 * GR_JSON_NODES] = "[";
    for (int i = 1; i < GR_JSON_NODES; i++) {
        strcat(text, i > 1 ? ",1" : "1");
    }
    strcat(text, "]");
    assert_true(reads(text));
    assert_int_equal(tree.count, GR_JSON_NODES);
    text[strlen(text) - 1] = '\0';
    strcat(text, ",1]");
    assert_false(reads(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
