#include "text.h"

#include "test.h"

static void test_nearest(void **state)
{
    (void)state;
    const char *const names[] = {"mass_kg", "com_m", "inertia_kgm2", "parent"};
    assert_string_equal(gr_text_nearest("mas_kg", names, 4), "mass_kg");
    assert_string_equal(gr_text_nearest("Parrent", names, 4), "parent");
    assert_string_equal(gr_text_nearest("inertia", names, 4), "inertia_kgm2");
    assert_string_equal(gr_text_nearest("inerta", names, 4), "inertia_kgm2");
    assert_null(gr_text_nearest("xyzzy", names, 4));
    assert_null(gr_text_nearest("mass", names, 0));
}

static void test_copy_cuts(void **state)
{
    (void)state;
    char out[4];
    assert_true(gr_text_copy(out, sizeof out, "abc"));
    assert_string_equal(out, "abc");
    assert_false(gr_text_copy(out, sizeof out, "abcd"));
    assert_string_equal(out, "abc");
}

static void test_utf8(void **state)
{
    (void)state;
    assert_int_equal(gr_text_utf8_length("a"), 1);
    assert_int_equal(gr_text_utf8_length("\xc3\xa9"), 2);
    assert_int_equal(gr_text_utf8_length("\xe2\x88\x92"), 3);
    assert_int_equal(gr_text_utf8_length("\xf0\x9f\x9a\x80"), 4);
    // stray continuation, cut short, overlong, surrogate, beyond the last code point
    const char *const bad[] = {"\x80",         "\xc3",         "\xe2\x88",        "\xc0\xaf",
                               "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(gr_text_utf8_length(bad[i]), 0);
    }
    assert_int_equal(gr_text_width("kg m\xc2\xb2"), 5);
    assert_int_equal(gr_text_width("e\xcc\x81"), 1);
    assert_int_equal(gr_text_width("\xe6\x9c\x88"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_copy_cuts),
        cmocka_unit_test(test_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
