/// Fast numbers against the C library's.
#include "decimal.h"

#include "random.h"
#include "test.h"

#include <float.h>

static void check(double value)
{
    char ours[GR_DECIMAL_SIZE + 1], theirs[64];
    ours[gr_decimal_write(value, ours)] = '\0';
    snprintf(theirs, sizeof theirs, "%.9g", value);
    if (strcmp(ours, theirs) != 0) {
        print_error("%.17g: '%s', printf says '%s'\n", value, ours, theirs);
        fail();
    }
}

static void test_chosen(void **state)
{
    (void)state;
    const double values[] = {1,       10,         0.1,       100000000,   999999999,    1e9,         9999999995.0,
                             0.5,     0.0001,     0.00001,   1.5e-5,      123456789,    1234567890,  12345.6789,
                             0.05,    59.45,      1e22,      1e23,        1e30,         9.99e30,     1e31,
                             1e-35,   1e-36,      1e-300,    DBL_MIN,     DBL_MAX,      DBL_EPSILON, 4.9e-324,
                             2.5,     1.00000005, 1.0000005, 0.999999999, 0.9999999999, 999999999.5, 1e15 + 0.5,
                             9.80665, 1.0 / 3,    2.0 / 3,   1e100,       3e-310,       INFINITY,    NAN};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        check(values[i]);
        if (!isnan(values[i])) {
            check(-values[i]);
        }
    }
    char zero[GR_DECIMAL_SIZE];
    assert_int_equal(gr_decimal_write(-0.0, zero), 1);
    assert_int_equal(zero[0], '0');
    for (int e = -320; e <= 308; e++) { // powers of ten and their neighbours
        const double power = pow(10, e);
        check(power);
        check(nextafter(power, 0));
        check(nextafter(power, INFINITY));
    }
}

/// Any bits at all, and numbers with few decimals, which are many in recordings.
static void test_random(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(5, "decimal");
    for (int i = 0; i < 300000; i++) {
        const double magnitude = pow(10, gr_random_uniform(&random, -40, 35));
        check(magnitude * gr_random_uniform(&random, -1, 1));
        check(gr_random_uniform(&random, -1000, 1000));
        check(nearbyint(gr_random_uniform(&random, -1e6, 1e6)) / 1000);
    }
}

/// Ties in the last digit, exact in binary: the rounding direction is left to the C library.
static void test_ties(void **state)
{
    (void)state;
    for (int i = 0; i < 2000; i++) {
        check(100000000.5 + i * 1234);
        check((1000000000.0 + i) * 0.5 / 1024);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chosen), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_ties)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
