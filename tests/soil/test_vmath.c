/// The polynomial functions against libm over the ranges that they promise.
#include "test.h"

#include "vmath.h"

static void test_against_libm(void **state)
{
    (void)state;
    double worst_exp = 0, worst_expm1 = 0, worst_log = 0, worst_sin = 0, worst_cos = 0, worst_asin = 0, worst_atan = 0;
    for (int i = 0; i <= 1000000; i++) {
        const double t = i / 1e6;
        const double x = -700 + 1400 * t;
        worst_exp = fmax(worst_exp, fabs(gr_fast_exp(x) / exp(x) - 1));
        const double small = exp(-30 + 35.2 * t);
        worst_expm1 = fmax(worst_expm1, fabs(gr_fast_expm1(small) / expm1(small) - 1));
        const double y = exp(-60 + 90 * t);
        worst_log = fmax(worst_log, fabs(gr_fast_log(y) - log(y)) / fmax(1, fabs(log(y))));
        const double a = -2.1 + 4.2 * t;
        worst_sin = fmax(worst_sin, fabs(gr_fast_sin(a) - sin(a)));
        worst_cos = fmax(worst_cos, fabs(gr_fast_cos(a) - cos(a)));
        const double half = fmax(1e-12, 0.5 * t), root = sqrt(half);
        worst_asin = fmax(worst_asin, fabs(gr_fast_asin_root(half, root) / asin(root) - 1));
        const double side = sin(3.1 * (t - 0.5)), front = cos(3.1 * (t - 0.5));
        worst_atan = fmax(worst_atan, fabs(gr_fast_atan(3 * side, 3 * front) - atan2(side, front)));
    }
    print_message("exp %.1e  expm1 %.1e  log %.1e  asin %.1e (relative)  sin %.1e  cos %.1e  atan %.1e (absolute)\n",
                  worst_exp, worst_expm1, worst_log, worst_asin, worst_sin, worst_cos, worst_atan);
    assert_true(worst_exp < 3e-13);
    assert_true(worst_expm1 < 1e-12);
    assert_true(worst_log < 1e-13);
    assert_true(worst_sin < 5e-11);
    assert_true(worst_cos < 5e-12);
    assert_true(worst_asin < 1e-11);
    assert_true(worst_atan < 3e-12);
    assert_true(gr_fast_atan(0, 0) == 0 && gr_fast_atan(0, 2) == 0);
    assert_true(fabs(gr_fast_atan(-2, 0) + asin(1)) < 1e-15);
    assert_true(gr_fast_expm1(0) == 0 && gr_fast_exp(0) == 1 && gr_fast_log(1) == 0 && gr_fast_sin(0) == 0);
}

static void test_signs(void **state)
{
    (void)state;
    assert_true(gr_select(gr_mask_greater(2, 1), 3, 4) == 3 && gr_select(gr_mask_greater(1, 1), 3, 4) == 4);
    assert_true(gr_times_sign(2, -3) == -2 && gr_times_sign(-2, -3) == 2 && gr_times_sign(2, 3) == 2);
    assert_true(gr_abs(-2) == 2 && gr_sign_of(3, -0.5) == -3 && gr_sign_of(3, 0.5) == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_libm), cmocka_unit_test(test_signs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
