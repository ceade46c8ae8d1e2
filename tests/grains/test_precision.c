/// What single precision and fixed point cost: the same cases in a build of the same sources where all is double.
#include "precision_cases.h"
#include "test.h"

#include <math.h>

static double scatter(const double *a, int count)
{
    double mean = 0, square = 0;
    for (int k = 0; k < count; k++) {
        mean += a[k] / count;
    }
    for (int k = 0; k < count; k++) {
        square += (a[k] - mean) * (a[k] - mean) / (count - 1);
    }
    return sqrt(square);
}

static void test_precision(void **state)
{
    (void)state;
    static GrPrecision one, two;
    gr_precision_cases(&one);
    gr_precision_cases_double(&two);
    double apart = 0, curve = 0, most = 0;
    for (int k = 0; k < GR_PRECISION_PLACES; k++) {
        const double d = fabs(one.place[k] - two.place[k]);
        apart = fmax(apart, fmin(d, one.length - d));
    }
    for (int k = 0; k < GR_PRECISION_CURVE; k++) {
        curve = fmax(curve, fabs(one.force[k] - two.force[k]));
        most = fmax(most, two.force[k]);
    }
    const double forces[6] = {one.mean_force, one.repeats[0], one.repeats[1],
                              two.mean_force, two.repeats[0], two.repeats[1]};
    const double beds = scatter(forces + 3, 3);
    double mean = 0, mean_double = 0;
    for (int k = 0; k < 3; k++) {
        mean += forces[k] / 3, mean_double += forces[3 + k] / 3;
    }
    print_message("cloud after 5 ms: %.3g m apart\nenergy: %.3g, in double %.3g\nmomentum: %.3g, in double %.3g\n"
                  "plate: curves at most %.3g of %.3g N apart, means of beds %.4g, %.4g, %.4g and %.4g, %.4g, %.4g N\n"
                  "bed at rest: %.3g, in double %.3g; crept %.3g and %.3g m\n",
                  apart, one.energy, two.energy, one.momentum, two.momentum, curve, most, forces[0], forces[1],
                  forces[2], forces[3], forces[4], forces[5], one.rest, two.rest, one.crept, two.crept);
    assert_true(apart > 0 && apart < 1e-7);
    assert_true(fabs(one.energy - two.energy) < 1e-4);
    assert_true(one.momentum < 1e-6 && two.momentum < 1e-12);
    assert_true(fabs(mean - mean_double) < 3 * beds); // no more than another bed
    assert_true(one.rest < 1e-5 && fabs(one.crept - two.crept) < 2e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_precision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
