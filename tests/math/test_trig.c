#include "trig.h"

#include "random.h"
#include "test.h"

enum { N = 4096 };

static void compare(double size, double tolerance)
{
    static double angle[N], sine[N], cosine[N];
    GrRandom random = gr_random_stream(1, "trig");
    for (int i = 0; i < N; i++) {
        angle[i] = gr_random_uniform(&random, -size, size);
    }
    gr_sincos(N, angle, sine, cosine);
    for (int i = 0; i < N; i++) {
        assert_near(sine[i], sin(angle[i]), tolerance);
        assert_near(cosine[i], cos(angle[i]), tolerance);
    }
}

static void test_equals_libm(void **state)
{
    (void)state;
    compare(1e-8, 2.3e-16);
    compare(1, 2.3e-16);
    compare(100, 2.3e-16);
    compare(1e6, 2.3e-16);
    compare(1e12, 1.2e-16);
}

static void test_quadrants_and_special_values(void **state)
{
    (void)state;
    const double half_pi = acos(0.0);
    const double angle[7] = {0, half_pi, -half_pi, 2 * half_pi, 3 * half_pi, -5 * half_pi, 0.5 * half_pi};
    double sine[7], cosine[7];
    gr_sincos(7, angle, sine, cosine);
    for (int i = 0; i < 7; i++) {
        assert_near(sine[i], sin(angle[i]), 2.3e-16);
        assert_near(cosine[i], cos(angle[i]), 2.3e-16);
    }
    const double bad[1] = {INFINITY};
    gr_sincos(1, bad, sine, cosine);
    assert_true(isnan(sine[0]) && isnan(cosine[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_libm),
        cmocka_unit_test(test_quadrants_and_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
