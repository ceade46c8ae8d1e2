#include "text.h"

#include "test.h"

static void test_nearest(void **state)
{
    (void)state;
    const char *const names[] = {"mass_kg", "com_m", "inertia_kgm2", "parent"};
    assert_string_equal(gr_text_nearest("mas_kg", names, 4), "mass_kg");
    assert_string_equal(gr_text_nearest("Parrent", names, 4), "parent");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_copy_cuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
