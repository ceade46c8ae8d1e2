#include "test.h"

#include "fields.h"

#include <stdlib.h>

static GrErrorLog error_log;

static GrDocument *parse_with(const char *text, const char *const *overrides)
{
    GrDocument *document = NULL;
    memset(&error_log, 0, sizeof error_log);
    if (gr_document_parse(text, strlen(text), "t.yaml", &document, &error_log) == GR_OK) {
        gr_document_prepare(document, overrides);
    }
    return document;
}

static GrDocument *parse(const char *text)
{
    return parse_with(text, NULL);
}

static void assert_message(int index, const char *expected)
{
    char text[1024];
    assert_true(index < error_log.count);
    gr_error_format(&error_log.items[index], text, sizeof text);
    assert_string_equal(text, expected);
}

static void assert_clean(void)
{
    if (error_log.count > 0) {
        char text[1024];
        gr_error_format(&error_log.items[0], text, sizeof text);
        print_error("%s\n", text);
    }
    assert_int_equal(error_log.count, 0);
}

static void test_getters(void **state)
{
    (void)state;
    static const char *const kinds[] = {"red", "green"};
    GrDocument *d = parse("number: 2.5\nexpression: 2 * 3\nwhole: 7\nyes: true\nword: hello world\nkind: green\n"
                          "vector: [1, 2 + 1, -3e2]\npair: [1, 2]\nquoted: '2 * 4'\nfree: inf\n");
    double number = 0, pair[2];
    int whole = 0, kind = -1;
    bool yes = false;
    char word[32];
    GrVec3 v = {0};
    assert_true(gr_field_number(d->root, "number", GR_REQUIRED, GR_ANY, &number));
    assert_true(number == 2.5);
    assert_true(gr_field_number(d->root, "expression", GR_REQUIRED, GR_ANY, &number));
    assert_true(number == 6);
    assert_true(gr_field_number(d->root, "quoted", GR_REQUIRED, GR_ANY, &number));
    assert_true(number == 8);
    assert_true(gr_field_number(d->root, "free", GR_REQUIRED, GR_POSITIVE_OR_INFINITE, &number));
    assert_true(isinf(number));
    assert_true(gr_field_integer(d->root, "whole", GR_REQUIRED, 0, 9, &whole));
    assert_int_equal(whole, 7);
    assert_true(gr_field_bool(d->root, "yes", GR_REQUIRED, &yes));
    assert_true(yes);
    assert_true(gr_field_text(d->root, "word", GR_REQUIRED, word, sizeof word));
    assert_string_equal(word, "hello world");
    assert_true(gr_field_choice(d->root, "kind", GR_REQUIRED, kinds, 2, &kind));
    assert_int_equal(kind, 1);
    assert_true(gr_field_vec3(d->root, "vector", GR_REQUIRED, GR_ANY, &v));
    assert_true(v.x == 1 && v.y == 3 && v.z == -300);
    assert_true(gr_field_numbers(d->root, "pair", GR_REQUIRED, GR_ANY, pair, 2));
    assert_false(gr_field_number(d->root, "absent", GR_OPTIONAL, GR_ANY, &number));
    gr_fields_end(d->root);
    assert_clean();
    assert_int_equal(d->status, GR_OK);
    gr_document_free(d);
}

static void test_wrong_values(void **state)
{
    (void)state;
    static const char *const kinds[] = {"red", "green"};
    GrDocument *d =
        parse("low: 5\nfraction: 2.5\nyes: maybe\nkind: gren\nlist: [1, x, 3]\nlong: abcdefghij\nmap: {a: 1}\n");
    double number = 1;
    int whole = 1;
    bool yes;
    char word[4];
    GrVec3 v = {1, 1, 1};
    assert_false(gr_field_number(d->root, "low", GR_REQUIRED, GR_BETWEEN(6, 9), &number));
    assert_false(gr_field_integer(d->root, "fraction", GR_REQUIRED, 0, 9, &whole));
    assert_false(gr_field_bool(d->root, "yes", GR_REQUIRED, &yes));
    assert_false(gr_field_choice(d->root, "kind", GR_REQUIRED, kinds, 2, &whole));
    assert_false(gr_field_vec3(d->root, "list", GR_REQUIRED, GR_ANY, &v));
    assert_false(gr_field_text(d->root, "long", GR_REQUIRED, word, sizeof word));
    assert_false(gr_field_number(d->root, "map", GR_REQUIRED, GR_ANY, &number));
    assert_false(gr_field_number(d->root, "absent", GR_REQUIRED, GR_ANY, &number));
    assert_true(number == 1 && whole == 1 && v.x == 1); // outputs are left alone
    assert_message(0, "t.yaml:1:6: error: low: 5 is out of range; allowed: 6 to 9");
    assert_message(1, "t.yaml:2:11: error: fraction: 2.5 is not a whole number; allowed: 0 to 9");
    assert_message(2, "t.yaml:3:6: error: yes: 'maybe' is neither true nor false");
    assert_message(3, "t.yaml:4:7: error: kind: 'gren' is not allowed here; did you mean 'green'?");
    assert_message(4, "t.yaml:5:11: error: list[1]: in the expression 'x': unknown name 'x'");
    assert_message(5, "t.yaml:6:7: error: long: the text has 10 bytes; at most 3 are allowed");
    assert_message(6, "t.yaml:7:1: error: map: found a mapping; a number or an expression is needed");
    assert_message(7, "t.yaml:1:1: error: the required key 'absent' is missing");
    assert_int_equal(d->status, GR_ERROR_VALUE);
    gr_document_free(d);
}

static void test_unknown_keys(void **state)
{
    (void)state;
    GrDocument *d = parse("mass_kg: 1\nwidht_m: 2\nmass: 3\nzebra: 4\n");
    double number;
    gr_field_number(d->root, "mass_kg", GR_REQUIRED, GR_ANY, &number);
    gr_field_number(d->root, "width_m", GR_OPTIONAL, GR_ANY, &number);
    gr_fields_end(d->root);
    assert_int_equal(error_log.count, 3);
    assert_message(0, "t.yaml:2:1: error: widht_m: unknown key 'widht_m'; did you mean 'width_m'?");
    assert_message(1, "t.yaml:3:1: error: mass: unknown key 'mass'; did you mean 'mass_kg'?");
    assert_message(2, "t.yaml:4:1: error: zebra: unknown key 'zebra'; allowed: params, repeat, mass_kg, width_m");
    gr_document_free(d);
}

static void test_params_in_any_order(void **state)
{
    (void)state;
    GrDocument *d = parse("params: {c: a + b, a: 1, b: 2 * a}\nx: c * 10\n");
    double x = 0;
    assert_true(gr_field_number(d->root, "x", GR_REQUIRED, GR_ANY, &x));
    assert_true(x == 30);
    assert_clean();
    gr_document_free(d);
}

static void test_params_in_circles(void **state)
{
    (void)state;
    GrDocument *d = parse("params:\n  a: b\n  b: c + d\n  c: 2 * b\n  d: 1\n  self: self + 1\nx: a\n");
    double x = 0;
    assert_false(gr_field_number(d->root, "x", GR_REQUIRED, GR_ANY, &x));
    assert_int_equal(error_log.count, 2);
    assert_message(0, "t.yaml:3:6: error: params.b: parameters depend on each other in a cycle: b -> c -> b");
    assert_message(1, "t.yaml:6:9: error: params.self: parameters depend on each other in a cycle: self -> self");
    gr_document_free(d);
}

static void test_long_chain_of_params(void **state)
{
    (void)state;
    char text[8192] = "params:\n";
    for (int i = 0; i < 255; i++) {
        char line[32];
        snprintf(line, sizeof line, "  p%d: p%d + 1\n", i, i + 1);
        strcat(text, line);
    }
    strcat(text, "  p255: 0\nx: p0\n");
    GrDocument *d = parse(text);
    double x = 0;
    assert_true(gr_field_number(d->root, "x", GR_REQUIRED, GR_ANY, &x));
    assert_true(x == 255);
    gr_document_free(d);
}

static void test_repeat(void **state)
{
    (void)state;
    GrDocument *d =
        parse("params: {w: 0.5}\nrepeat: {side: {left: 1, right: -1}, axle: {front: w, rear: -2}}\n"
              "items:\n  first: 1\n  ${axle}_${side}: {y: w * side, x: axle, name: 'the ${side} one', '${side}': 3}\n"
              "  last: 2\n");
    assert_clean();
    GrNode *items = gr_field_mapping(d->root, "items", GR_REQUIRED);
    const char *const keys[] = {"first", "front_left", "front_right", "rear_left", "rear_right", "last"};
    assert_int_equal(items->count, 6);
    int i = 0;
    for (GrNode *node = items->first; node != NULL; node = node->next, i++) {
        assert_string_equal(node->key, keys[i]);
        assert_int_equal(node->index, i);
    }
    GrNode *item = gr_field_mapping(items, "rear_right", GR_REQUIRED);
    double x, y, three;
    char name[32], path[GR_PATH_SIZE];
    assert_true(gr_field_number(item, "x", GR_REQUIRED, GR_ANY, &x) && x == -2);
    assert_true(gr_field_number(item, "y", GR_REQUIRED, GR_ANY, &y) && y == -0.5);
    assert_true(gr_field_number(item, "right", GR_REQUIRED, GR_ANY, &three) && three == 3);
    assert_true(gr_field_text(item, "name", GR_REQUIRED, name, sizeof name));
    assert_string_equal(name, "the right one");
    assert_string_equal(gr_node_path(gr_node_find(item, "y"), path, sizeof path), "items.rear_right.y");
    assert_clean();
    gr_document_free(d);
}

/// Written out by hand, or repeated: the same numbers.
static void test_repeat_equals_written_out(void **state)
{
    (void)state;
    GrDocument *a = parse("repeat: {k: {one: 1, two: 2, three: 3}}\nv:\n  n_${k}: {x: k * k + 1}\n");
    GrDocument *b = parse("v: {n_one: {x: 2}, n_two: {x: 5}, n_three: {x: 10}}\n");
    GrNode *va = gr_field_mapping(a->root, "v", GR_REQUIRED), *vb = gr_field_mapping(b->root, "v", GR_REQUIRED);
    assert_int_equal(va->count, vb->count);
    for (GrNode *x = va->first, *y = vb->first; x != NULL; x = x->next, y = y->next) {
        double p = 0, q = 1;
        assert_string_equal(x->key, y->key);
        assert_true(gr_field_number(x, "x", GR_REQUIRED, GR_ANY, &p) &&
                    gr_field_number(y, "x", GR_REQUIRED, GR_ANY, &q));
        assert_true(p == q);
    }
    gr_document_free(a);
    gr_document_free(b);
}

static const char override_text[] = "params: {a: 1, b: 2 * a}\nrepeat: {side: {left: 1, right: -1}}\n"
                                    "bodies:\n  arm_${side}: {mass: 3, at: [1, 2, 3]}\n  base: {mass: b}\n";

static double number_at(GrDocument *d, const char *body, const char *key)
{
    double value = NAN;
    GrNode *bodies = gr_field_mapping(d->root, "bodies", GR_REQUIRED);
    gr_field_number(gr_field_mapping(bodies, body, GR_REQUIRED), key, GR_REQUIRED, GR_ANY, &value);
    return value;
}

static void test_overrides(void **state)
{
    (void)state;
    const char *const overrides[] = {"params.a=5",
                                     "bodies.arm_left.mass=7",
                                     "bodies.arm_right.at[1]=a + side",
                                     "bodies.base.added=12",
                                     "bodies.arm_${side}.width=10 * side",
                                     "bodies.arm_left.at=[9, 8, 7]",
                                     NULL};
    GrDocument *d = parse_with(override_text, overrides);
    assert_clean();
    assert_true(number_at(d, "base", "mass") == 10);
    assert_true(number_at(d, "arm_left", "mass") == 7);
    assert_true(number_at(d, "arm_right", "mass") == 3);
    assert_true(number_at(d, "base", "added") == 12);
    assert_true(number_at(d, "arm_right", "width") == -10);
    GrVec3 at;
    GrNode *bodies = gr_field_mapping(d->root, "bodies", GR_REQUIRED);
    assert_true(gr_field_vec3(gr_field_mapping(bodies, "arm_right", GR_REQUIRED), "at", GR_REQUIRED, GR_ANY, &at));
    assert_true(at.x == 1 && at.y == 4 && at.z == 3);
    assert_true(gr_field_vec3(gr_field_mapping(bodies, "arm_left", GR_REQUIRED), "at", GR_REQUIRED, GR_ANY, &at));
    assert_true(at.x == 9 && at.y == 8 && at.z == 7);
    gr_document_free(d);
}

static void test_bad_overrides(void **state)
{
    (void)state;
    const struct {
        const char *override;
        const char *message;
    } cases[] = {
        {"params.aa=5", "override 'params.aa=5': error: params.aa: there is no 'aa' in params; did you mean 'a'?"},
        {"bodis.base.mass=1", "override 'bodis.base.mass=1': error: bodis.base.mass: there is no 'bodis' in the file; "
                              "did you mean 'bodies'?"},
        {"bodies.bas.mass=1",
         "override 'bodies.bas.mass=1': error: bodies.bas.mass: there is no 'bas' in bodies; did you "
         "mean 'base'?"},
        {"bodies.base.mass.x=1",
         "override 'bodies.base.mass.x=1': error: bodies.base.mass.x: the path continues beyond a single "
         "value"},
        {"bodies.arm_left.at[3]=1",
         "override 'bodies.arm_left.at[3]=1': error: bodies.arm_left.at[3]: the list has the "
         "indices 0 to 2"},
        {"bodies..mass=1", "override 'bodies..mass=1': error: bodies..mass: an empty name in the path"},
        {"mass", "override 'mass': error: an override is written path=value"},
        {"bodies.base.mass=[1",
         "override 'bodies.base.mass=[1': error: not valid YAML: flow sequence without a closing "
         "bracket"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *const overrides[] = {cases[i].override, NULL};
        GrDocument *d = parse_with(override_text, overrides);
        assert_int_equal(error_log.count, 1);
        assert_message(0, cases[i].message);
        gr_document_free(d);
    }
    // a value that does not fit is reported with the override as its place
    const char *const overrides[] = {"bodies.base.mass=-b", NULL};
    GrDocument *d = parse_with(override_text, overrides);
    double mass;
    GrNode *bodies = gr_field_mapping(d->root, "bodies", GR_REQUIRED);
    gr_field_number(gr_field_mapping(bodies, "base", GR_REQUIRED), "mass", GR_REQUIRED, GR_POSITIVE, &mass);
    assert_message(
        0, "override 'bodies.base.mass=-b': error: bodies.base.mass: -b = -2 is out of range; allowed: more than 0");
    gr_document_free(d);
}

static void test_aliases_are_copies(void **state)
{
    (void)state;
    GrDocument *d = parse("a: &a {x: [1, 2]}\nb: *a\nc: {d: *a}\n");
    char path[GR_PATH_SIZE];
    GrNode *inner = gr_node_find(gr_node_find(d->root, "c"), "d");
    assert_string_equal(gr_node_path(gr_node_find(inner, "x")->first, path, sizeof path), "c.d.x[0]");
    assert_string_equal(gr_node_find(d->root, "b")->key, "b");
    assert_clean();
    gr_document_free(d);
}

/// Aliases must not nest deeper than a file may, nor must overrides.
static void test_depth_by_aliases(void **state)
{
    (void)state;
    char text[4096] = "a0: &a0 [[[[[[[[[[1]]]]]]]]]]\n";
    for (int i = 1; i < 20; i++) {
        char line[64];
        snprintf(line, sizeof line, "a%d: &a%d [[[[[[*a%d]]]]]]\n", i, i, i - 1);
        strcat(text, line);
    }
    assert_null(parse(text));
    assert_int_equal(error_log.error_count, 1);
    assert_string_equal(error_log.items[0].text, "nested deeper than 32 levels");
}

static void test_sizes(void **state)
{
    (void)state;
    // a file that is too large
    const size_t size = (size_t)GR_DOCUMENT_BYTES + 1;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    assert_null(parse(text));
    assert_message(0, "t.yaml: error: more than 1 MiB of text");
    free(text);
    // repeats that multiply
    assert_non_null(text = malloc(20000));
    strcpy(text, "repeat:\n");
    for (int v = 0; v < 4; v++) {
        sprintf(text + strlen(text), "  v%d: {", v);
        for (int i = 0; i < 60; i++) {
            sprintf(text + strlen(text), "%sn%d: %d", i > 0 ? ", " : "", i, i);
        }
        strcat(text, "}\n");
    }
    strcat(text, "x:\n  a${v0}${v1}${v2}${v3}: 1\n");
    GrDocument *d = parse(text);
    assert_int_not_equal(d->status, GR_OK);
    gr_document_free(d);
    free(text);
}

static void test_zero_byte(void **state)
{
    (void)state;
    GrDocument *d;
    memset(&error_log, 0, sizeof error_log);
    assert_int_equal(gr_document_parse("a: 1\nb\0: 2\n", 11, "t.yaml", &d, &error_log), GR_ERROR_SYNTAX);
    assert_null(d);
    assert_message(0, "t.yaml:2:2: error: a control character in the text");
    // without a log, the status still says it
    assert_int_equal(gr_document_parse("a: [", 4, "t.yaml", &d, NULL), GR_ERROR_SYNTAX);
    assert_int_equal(gr_document_load("/no/such/file.yaml", &d, NULL), GR_ERROR_FILE);
    assert_int_equal(gr_document_load("/", &d, NULL), GR_ERROR_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_getters),
        cmocka_unit_test(test_wrong_values),
        cmocka_unit_test(test_unknown_keys),
        cmocka_unit_test(test_params_in_any_order),
        cmocka_unit_test(test_params_in_circles),
        cmocka_unit_test(test_long_chain_of_params),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_repeat_equals_written_out),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_bad_overrides),
        cmocka_unit_test(test_aliases_are_copies),
        cmocka_unit_test(test_depth_by_aliases),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_zero_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
