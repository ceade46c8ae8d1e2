#include "number.h"

#include "buffer.h"
#include "random.h"
#include "test.h"

#include <float.h>
#include <locale.h>
#include <stdlib.h>

static void check(double value, const char *expected)
{
    char text[GR_NUMBER_SIZE];
    const int length = gr_number_format(value, text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void test_shortest(void **state)
{
    (void)state;
    check(0, "0");
    check(-0.0, "-0");
    check(0.1, "0.1");
    check(-12, "-12");
    check(1200, "1200");
    check(123.456, "123.456");
    check(0.00001234, "0.00001234");
    check(0.000001234, "1.234e-6");
    check(1e15, "1000000000000000");
    check(1e16, "1e16");
    check(DBL_MAX, "1.7976931348623157e308");
    check(5e-324, "5e-324");
    check((double)NAN, "nan");
    check(-(double)INFINITY, "-inf");
}

/// Any double comes back with the same bits.
static void test_round_trip(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "number");
    for (int i = 0; i < 50000; i++) {
        const uint64_t bits = gr_random_u64(&random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        char text[GR_NUMBER_SIZE];
        gr_number_format(value, text);
        assert_true(strtod(text, NULL) == value);
    }
}

static void test_round_and_fixed(void **state)
{
    (void)state;
    char text[GR_NUMBER_SIZE];
    gr_number_round(9.80665, 3, text);
    assert_string_equal(text, "9.81");
    gr_number_round(1234567, 3, text);
    assert_string_equal(text, "1230000");
    gr_number_round(0.5, 4, text);
    assert_string_equal(text, "0.5");
    gr_number_fixed(1.005, 1, text);
    assert_string_equal(text, "1");
    gr_number_fixed(-0.001, 2, text);
    assert_string_equal(text, "0");
    gr_number_fixed(-12.056, 2, text);
    assert_string_equal(text, "-12.06");
    gr_number_fixed(3.20, 2, text);
    assert_string_equal(text, "3.2");
}

/// A host program may have set a locale with a decimal comma.
static void test_locale(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL && setlocale(LC_NUMERIC, "fr_FR.UTF-8") == NULL) {
        skip();
    }
    check(-1234.5, "-1234.5");
    setlocale(LC_NUMERIC, "C");
}

static void test_buffer(void **state)
{
    (void)state;
    GrBuffer text = {0};
    gr_buffer_printf(&text, "%s %d ", "a", 3);
    gr_buffer_number(&text, 0.25);
    gr_buffer_xml(&text, " <a & \"b\" 'c'>\x02");
    for (int i = 0; i < 1000; i++) {
        gr_buffer_puts(&text, "x");
    }
    assert_false(text.failed);
    const char *start = "a 3 0.25 &lt;a &amp; &quot;b&quot; &#39;c&#39;&gt;?xxx";
    assert_memory_equal(text.data, start, strlen(start));
    assert_int_equal(strlen(text.data), text.size);
    gr_buffer_free(&text);
}

/// What is not UTF-8, what a terminal obeys, and what XML has no character for.
static void test_hard_text(void **state)
{
    (void)state;
    GrBuffer text = {0};
    gr_buffer_text(&text, "a\n\t\xff\xc3\x1b[2J\xc2\x9b\x7f\xe2\x80\xae <\xed\xa0\x80\xe2\x82\xac");
    assert_string_equal(text.data, "a\n\t???[2J??? <???\xe2\x82\xac");
    gr_buffer_free(&text);
    gr_buffer_xml(&text, "\xff<\xef\xbf\xbf\xef\xbf\xbe\xef\xbf\xbd\xc2\x85\xe2\x81\xa6'");
    assert_string_equal(text.data, "?&lt;??\xef\xbf\xbd??&#39;");
    gr_buffer_free(&text);
}

/// What rounding leaves is 0; values, NAN and infinities stay.
static void test_without_noise(void **state)
{
    (void)state;
    assert_true(gr_without_noise(4.951e-32, 1e-9) == 0);
    assert_true(gr_without_noise(-4.951e-32, 1e-9) == 0);
    assert_true(gr_without_noise(2e-9, 1e-9) == 2e-9);
    assert_true(isnan(gr_without_noise((double)NAN, 1e-9)));
    assert_true(gr_without_noise(-(double)INFINITY, 1e-9) == -(double)INFINITY);
}

/// Prefixes keep numbers short, also of ranges; units without one keep theirs.
static void test_prefixes(void **state)
{
    (void)state;
    assert_string_equal(gr_show(54290, 4, "J").text, "54.29 kJ");
    assert_string_equal(gr_show(9999, 4, "J").text, "9999 J");
    assert_string_equal(gr_show(-2.5e7, 3, "N m").text, "-25 MN m");
    assert_string_equal(gr_show(54290, 4, "J mechanical").text, "54.29 kJ mechanical");
    assert_string_equal(gr_show(54290, 4, "m").text, "54290 m");
    assert_string_equal(gr_show(54290, 4, "Nodes").text, "54290 Nodes");
    assert_string_equal(gr_show_banded(54290, 4100, 68000, 3, "J").text, "54.3 kJ (90 %: 4.1 … 68)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_noise),   cmocka_unit_test(test_shortest), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_round_and_fixed), cmocka_unit_test(test_locale),   cmocka_unit_test(test_buffer),
        cmocka_unit_test(test_hard_text),       cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
