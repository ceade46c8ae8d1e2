#include "test.h"

#include "expression.h"
#include "random.h"

#include <locale.h>

static double evaluate(const char *text)
{
    double value = NAN;
    GrExpressionError error;
    if (!gr_expression_evaluate(text, NULL, &value, &error)) {
        print_error("%s: at %d: %s\n", text, error.position, error.text);
        fail();
    }
    return value;
}

static void test_against_c(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"-2^2", -4},
        {"2^3^2", 512},
        {"2^-1", 0.5},
        {"7 / 2", 3.5},
        {"(1 + 2) * (3 - 4)", -3},
        {"1e-3 + .5", 1e-3 + .5},
        {"pi", M_PI},
        {"30 * deg", 30 * (M_PI / 180)},
        {"sin(1)", sin(1)},
        {"cos(1.5) + tan(0.3)", cos(1.5) + tan(0.3)},
        {"asin(0.5) * acos(0.25) * atan(2)", asin(0.5) * acos(0.25) * atan(2)},
        {"sinh(1) + cosh(1) + tanh(1)", sinh(1) + cosh(1) + tanh(1)},
        {"sqrt(2) + cbrt(3)", sqrt(2) + cbrt(3)},
        {"exp(1) + log(7) + log10(7)", exp(1) + log(7) + log10(7)},
        {"abs(-3) + floor(2.7) + ceil(2.2) + round(2.5)", 3 + 2 + 3 + 3},
        {"sign(-4) + sign(0) + sign(9)", 0},
        {"atan2(1, -2)", atan2(1, -2)},
        {"pow(2, 0.3) + hypot(3, 4) + mod(7, 4)", pow(2, 0.3) + 5 + 3},
        {"min(3, 1, 2) + max(3, 1, 2)", 4},
        {"radians(180)", M_PI},
        {"degrees(pi)", 180},
        {"1 < 2 ? 10 : 20", 10},
        {"0 ? 1 : 1 ? 2 : 3", 2},
        {"1 ? 0 ? 4 : 5 : 6", 5},
        {"0.5 && 0.25", 1},
        {"0 || 0.5", 1},
        {"2 - 3 - 4", -5},
        {"2 / 4 / 8", 2. / 4 / 8},
        {"2^-1^2", 0.5},
        {"-(1 + 2)^2", -9},
        {"3 - -2", 5},
        {"1 > 2 || 3 >= 3 && 2 != 1", 1},
        {"-inf", -INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double value = evaluate(cases[i].text);
        // Elementary functions are our own: they may differ from C's in the last place or two.
        if (value != cases[i].value && !(fabs(value - cases[i].value) <= 4.5e-16 * fabs(cases[i].value))) {
            print_error("%s is %.17g, not %.17g\n", cases[i].text, value, cases[i].value);
            fail();
        }
    }
}

typedef struct Printed {
    char text[700]; ///< 16 leaves of 4 characters with brackets and operators have fewer than 300
    double value;
    int level; ///< of its outermost operator, as in C: or, and, comparisons, sums, products, powers, values
} Printed;

static void wrap(const Printed *part, bool brackets, char *out, size_t size)
{
    snprintf(out, size, brackets ? "(%.300s)" : "%.300s", part->text);
}

static double apply(int operator, double a, double b)
{
    const double values[] = {
        a != 0 || b != 0, a != 0 && b != 0, a == b, a != b, a <= b, a >= b, a<b, a> b, a + b, a - b, a * b, a / b};
    return values[operator];
}

/// An expression at random with no more brackets than it needs, or with all, and its value in C.
static Printed print_random(GrRandom *random, int depth, bool all)
{
    static const char *const operators[] = {"||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/"};
    static const int levels[] = {1, 2, 3, 3, 3, 3, 3, 3, 4, 4, 5, 5};
    Printed out = {.level = 7};
    if (depth == 0 || gr_random_below(random, 5) == 0) {
        out.value = (double)gr_random_below(random, 16) / 4;
        snprintf(out.text, sizeof out.text, "%g", out.value);
        return out;
    }
    const int k = (int)gr_random_below(random, 12);
    const Printed a = print_random(random, depth - 1, all), b = print_random(random, depth - 1, all);
    char left[sizeof a.text + 2], right[sizeof b.text + 2];
    wrap(&a, all || a.level < levels[k], left, sizeof left);
    wrap(&b, all || b.level <= levels[k], right, sizeof right); // from left to right
    snprintf(out.text, sizeof out.text, "%.302s%s%.302s", left, operators[k], right);
    out.level = levels[k];
    out.value = apply(k, a.value, b.value);
    return out;
}

static void test_random_trees(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "trees");
    int compared = 0;
    for (int i = 0; i < 4000; i++) {
        const Printed printed = print_random(&random, 4, i % 2 == 0);
        if (isfinite(printed.value)) {
            assert_true(evaluate(printed.text) == printed.value);
            compared++;
        }
    }
    assert_true(compared > 3000);
}

/// A number that is written out and read back is the same bits, alone and inside an expression.
static void test_numbers_round_trip(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(7, "numbers");
    for (int i = 0; i < 20000; i++) {
        const double x = ldexp(gr_random_uniform(&random, -1, 1), (int)gr_random_below(&random, 200) - 100);
        char text[64], sum[80];
        double alone;
        snprintf(text, sizeof text, "%.17g", x);
        snprintf(sum, sizeof sum, "(%s) * 1", text);
        assert_true(gr_number_parse(text, &alone));
        assert_true(alone == x);
        assert_true(evaluate(sum) == x);
    }
}

static void test_what_is_not_a_number(void **state)
{
    (void)state;
    const char *const texts[] = {"",   "-",  ".",   "e5",  "1e",  "1e+",   "0x10",
                                 "1 ", " 1", "1,5", "inf", "nan", "1.2.3", "--1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        double value;
        assert_false(gr_number_parse(texts[i], &value));
    }
}

static void test_locale_does_not_matter(void **state)
{
    (void)state;
    const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_ALL, locales[i]) != NULL) {
            break;
        }
    }
    double value = 0;
    assert_true(gr_number_parse("1.5", &value));
    assert_true(value == 1.5);
    assert_true(evaluate("1.5 + max(2.25, 1)") == 3.75);
    setlocale(LC_ALL, "C");
}

static void test_errors(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int position;
        const char *message;
    } cases[] = {
        {"", 0, "an empty expression"},
        {"1 +", 3, "the expression ends too early"},
        {"1 + * 2", 4, "unexpected operator"},
        {"(1 + 2", 6, "a '(' without its ')'"},
        {"1 + 2)", 5, "a ')' without its '('"},
        {"1, 2", 1, "a ',' outside of a function's brackets"},
        {"1 2", 2, "two values without an operator between them"},
        {"2x", 1, "a name directly after a number; is a '*' missing?"},
        {"4 + siin(2)", 4, "unknown function 'siin'; did you mean 'sin'?"},
        {"4 + pj", 4, "unknown name 'pj'; did you mean 'pi'?"},
        {"4 + elephant", 4, "unknown name 'elephant'"},
        {"sin(1, 2)", 5, "too many arguments for the function"},
        {"atan2(1)", 7, "too few arguments for the function"},
        {"1 ? 2", 5, "a '?' without its ':'"},
        {"1 : 2", 2, "a ':' without its '?'"},
        {"2 (3)", 2, "two values without an operator between them"},
        {"4 kg", 2, "unknown name 'kg'"},
        {"4 pi", 2, "two values without an operator between them"},
        {"()", 1, "unexpected bracket"},
        {"(1, 2)", 2, "unexpected ','"},
        {"max(1,)", 6, "unexpected bracket"},
        {"min()", 4, "too few arguments for the function"},
        {"1 = 2", 2, "unexpected operator"},
        {"3 + --1", 5, "unexpected operator"},
        {"!1", 0, "unexpected operator"},
        {"1 +* 2", 3, "unexpected operator"},
        {"a = 3", 0, "unknown name 'a'"},
        {"\"text\"", 0, "unexpected '\"'"},
        {"1 # 2", 2, "unexpected '#'"},
        {"0 / 0", 0, "the value is not a number (0/0, or a root or logarithm of a negative number)"},
        {"sin", 0, "unknown name 'sin'; did you mean 'pi'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double value = 42;
        GrExpressionError error;
        assert_false(gr_expression_evaluate(cases[i].text, NULL, &value, &error));
        assert_string_equal(error.text, cases[i].message);
        assert_int_equal(error.position, cases[i].position);
        assert_true(value == 42);
    }
}

static void test_limits(void **state)
{
    (void)state;
    char text[4000];
    double value;
    GrExpressionError error;
    memset(text, '(', 100);
    text[100] = '\0';
    assert_false(gr_expression_evaluate(text, NULL, &value, &error));
    assert_string_equal(error.text, "brackets nested deeper than 64");
    for (int i = 0; i < 300; i++) { // powers go from right to left
        snprintf(text + 2 * (size_t)i, 4, "1^1");
    }
    assert_false(gr_expression_evaluate(text, NULL, &value, &error));
    assert_string_equal(error.text, "nested deeper than 200 operators and brackets");
    memset(text, '1', 2000);
    text[2000] = '\0';
    assert_false(gr_expression_evaluate(text, NULL, &value, &error));
    assert_string_equal(error.text, "an expression of more than 1024 characters");
}

static GrLookup lookup(void *context, const char *name, double *value)
{
    (void)context;
    *value = 2.5;
    return strcmp(name, "width") == 0 ? GR_LOOKUP_FOUND
           : strcmp(name, "bad") == 0 ? GR_LOOKUP_FAILED
                                      : GR_LOOKUP_UNKNOWN;
}

static int names(void *context, const char **out, int capacity)
{
    (void)context;
    assert_true(capacity > 0);
    out[0] = "width";
    return 1;
}

static void test_scope(void **state)
{
    (void)state;
    const GrScope scope = {.lookup = lookup, .names = names};
    double value;
    GrExpressionError error;
    assert_true(gr_expression_evaluate("width * width", &scope, &value, &error));
    assert_true(value == 6.25);
    assert_false(gr_expression_evaluate("2 * widht", &scope, &value, &error));
    assert_string_equal(error.text, "unknown name 'widht'; did you mean 'width'?");
    assert_false(gr_expression_evaluate("bad", &scope, &value, &error));
    assert_string_equal(error.text, "");
    // what one evaluation knew, the next does not
    assert_false(gr_expression_evaluate("width", NULL, &value, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_c),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_numbers_round_trip),
        cmocka_unit_test(test_what_is_not_a_number),
        cmocka_unit_test(test_locale_does_not_matter),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
