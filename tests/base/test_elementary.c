/// Functions of elementary.h against MPFR, in units of the last place, over random and special arguments.
#include "elementary.h"

#include "random.h"
#include "test.h"

#include <mpfr.h>
#include <stdbool.h>
#include <string.h>

typedef int (*Exact)(mpfr_t out, const mpfr_t x, mpfr_rnd_t round);
typedef int (*ExactOfTwo)(mpfr_t out, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);

enum { DIGITS = 200 };

static int arguments(void)
{
    return GR_TEST_STUDY(40000, 10000);
}

/// Distance of `got` from the exact value over the spacing of doubles there. Half of it for subnormal results, which
/// are rounded twice.
static double error_in_ulp(double got, const mpfr_t exact)
{
    const double nearest = mpfr_get_d(exact, MPFR_RNDN);
    if (!isfinite(nearest) || nearest == 0) {
        // An overflow may come one rounding early or late.
        return got == nearest || (isinf(nearest) && fabs(got) == 0x1.fffffffffffffp1023) ? 0 : INFINITY;
    }
    int exponent;
    frexp(nearest, &exponent);
    mpfr_t difference;
    mpfr_init2(difference, DIGITS);
    mpfr_sub_d(difference, exact, got, MPFR_RNDN);
    mpfr_mul_2si(difference, difference, exponent > -1021 ? 53 - exponent : 53 + 1020, MPFR_RNDN);
    const double out = fabs(mpfr_get_d(difference, MPFR_RNDN));
    mpfr_clear(difference);
    return out;
}

typedef enum Range { ANY_SIZE, MODERATE, UNIT, NEAR_ONE, EXPONENTS } Range;

/// An argument: of any exponent, up to 100, in −1 … 1, close to 1, or up to 800.
static double argument(GrRandom *g, Range range)
{
    const double sign = gr_random_below(g, 2) ? 1 : -1, part = gr_random_uniform(g, 1, 2);
    switch (range) {
    case ANY_SIZE:
        return sign * ldexp(part, (int)gr_random_below(g, 2098) - 1074);
    case MODERATE:
        return sign * 50 * part * (gr_random_below(g, 2) ? 1 : gr_random_uniform(g, 0, 1));
    case UNIT:
        return gr_random_below(g, 2) ? gr_random_uniform(g, -1, 1)
                                     : sign * (1 - ldexp(part, -(int)gr_random_below(g, 54)));
    case NEAR_ONE:
        return 1 + sign * ldexp(part, -1 - (int)gr_random_below(g, 53));
    case EXPONENTS:
        break;
    }
    return gr_random_uniform(g, -800, 800);
}

typedef struct Function {
    const char *name;
    double (*ours)(double x);
    Exact exact;
    Range ranges[3];
    bool positive; ///< arguments must be
    double allowed;
} Function;

static void test_one_argument(void **state)
{
    (void)state;
    static const Function functions[] = {
        {"exp", gr_exp, mpfr_exp, {ANY_SIZE, MODERATE, EXPONENTS}, false, 1},
        {"expm1", gr_expm1, mpfr_expm1, {ANY_SIZE, MODERATE, UNIT}, false, 1},
        {"log", gr_log, mpfr_log, {ANY_SIZE, MODERATE, NEAR_ONE}, true, 1},
        {"log1p", gr_log1p, mpfr_log1p, {ANY_SIZE, MODERATE, UNIT}, false, 1},
        {"cbrt", gr_cbrt, mpfr_cbrt, {ANY_SIZE, MODERATE, NEAR_ONE}, false, 1},
        {"tanh", gr_tanh, mpfr_tanh, {ANY_SIZE, MODERATE, UNIT}, false, 2},
        {"sinh", gr_sinh, mpfr_sinh, {ANY_SIZE, MODERATE, EXPONENTS}, false, 2.5},
        {"cosh", gr_cosh, mpfr_cosh, {ANY_SIZE, MODERATE, EXPONENTS}, false, 2.5},
        {"log10", gr_log10, mpfr_log10, {ANY_SIZE, MODERATE, NEAR_ONE}, true, 1},
        {"log2", gr_log2, mpfr_log2, {ANY_SIZE, MODERATE, NEAR_ONE}, true, 1},
        {"sin", gr_sin, mpfr_sin, {ANY_SIZE, MODERATE, UNIT}, false, 1},
        {"cos", gr_cos, mpfr_cos, {ANY_SIZE, MODERATE, UNIT}, false, 1},
        {"tan", gr_tan, mpfr_tan, {ANY_SIZE, MODERATE, UNIT}, false, 1},
        {"asin", gr_asin, mpfr_asin, {UNIT, UNIT, NEAR_ONE}, false, 1},
        {"acos", gr_acos, mpfr_acos, {UNIT, UNIT, NEAR_ONE}, false, 1},
        {"atan", gr_atan, mpfr_atan, {ANY_SIZE, MODERATE, UNIT}, false, 1},
    };
    mpfr_t x, exact;
    mpfr_inits2(DIGITS, x, exact, (mpfr_ptr)NULL);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const Function *f = &functions[i];
        GrRandom g = gr_random_stream(1, f->name);
        double worst = 0, at = 0;
        for (int k = 0; k < arguments(); k++) {
            const double drawn = argument(&g, f->ranges[k % 3]), value = f->positive ? fabs(drawn) : drawn;
            mpfr_set_d(x, value, MPFR_RNDN);
            f->exact(exact, x, MPFR_RNDN);
            const double got = f->ours(value);
            if (mpfr_nan_p(exact)) {
                assert_true(isnan(got));
                continue;
            }
            const double error = error_in_ulp(got, exact);
            at = error > worst ? value : at;
            worst = fmax(worst, error);
        }
        print_message("%-6s within %.4f ulp (at %a)\n", f->name, worst, at);
        assert_true(worst <= f->allowed);
    }
    mpfr_clears(x, exact, (mpfr_ptr)NULL);
}

static void test_two_arguments(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*ours)(double x, double y);
        ExactOfTwo exact;
        double allowed;
    } functions[] = {
        {"atan2", gr_atan2, mpfr_atan2, 1}, {"hypot", gr_hypot, mpfr_hypot, 1}, {"pow", gr_pow, mpfr_pow, 1}};
    static const Range ranges[4][2] = {
        {ANY_SIZE, ANY_SIZE}, {MODERATE, MODERATE}, {UNIT, NEAR_ONE}, {NEAR_ONE, EXPONENTS}};
    mpfr_t x, y, exact;
    mpfr_inits2(DIGITS, x, y, exact, (mpfr_ptr)NULL);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        GrRandom g = gr_random_stream(2, functions[i].name);
        double worst = 0, at[2] = {0, 0};
        for (int k = 0; k < arguments(); k++) {
            double a = argument(&g, ranges[k % 4][0]);
            const double b = argument(&g, ranges[k % 4][1]);
            a = strcmp(functions[i].name, "pow") == 0 ? fabs(a) : a;
            mpfr_set_d(x, a, MPFR_RNDN);
            mpfr_set_d(y, b, MPFR_RNDN);
            functions[i].exact(exact, x, y, MPFR_RNDN);
            const double error = error_in_ulp(functions[i].ours(a, b), exact);
            if (error > worst) {
                worst = error;
                at[0] = a;
                at[1] = b;
            }
        }
        print_message("%-6s within %.4f ulp (at %a, %a)\n", functions[i].name, worst, at[0], at[1]);
        assert_true(worst <= functions[i].allowed);
    }
    mpfr_clears(x, y, exact, (mpfr_ptr)NULL);
}

static bool same(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

/// What C says of NaN, infinities, signed zeros and the borders of a function.
static void test_special_values(void **state)
{
    (void)state;
    static const double values[] = {0.0,  -0.0,      1,          -1,       0.5,       -0.5,      2,
                                    -2,   3,         -3,         INFINITY, -INFINITY, NAN,       1e3,
                                    -1e3, 0x1p-1074, -0x1p-1074, 1e300,    -1e300,    0x1p53 + 1};
    static const struct {
        const char *name;
        double (*ours)(double x), (*of_c)(double x);
    } ones[] = {
        {"exp", gr_exp, exp},    {"expm1", gr_expm1, expm1}, {"log", gr_log, log},       {"log1p", gr_log1p, log1p},
        {"cbrt", gr_cbrt, cbrt}, {"tanh", gr_tanh, tanh},    {"sin", gr_sin, sin},       {"cos", gr_cos, cos},
        {"tan", gr_tan, tan},    {"log2", gr_log2, log2},    {"log10", gr_log10, log10}, {"sinh", gr_sinh, sinh},
        {"cosh", gr_cosh, cosh}, {"asin", gr_asin, asin},    {"acos", gr_acos, acos},    {"atan", gr_atan, atan}};
    static const struct {
        const char *name;
        double (*ours)(double x, double y), (*of_c)(double x, double y);
    } twos[] = {{"atan2", gr_atan2, atan2}, {"hypot", gr_hypot, hypot}, {"pow", gr_pow, pow}};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int i = 0; i < VALUES; i++) {
        for (size_t k = 0; k < sizeof ones / sizeof ones[0]; k++) {
            const double got = ones[k].ours(values[i]), want = ones[k].of_c(values[i]);
            if (!same(got, want) && !(fabs(got - want) <= 4.5e-16 * fabs(want))) {
                print_error("%s(%a) is %a, in C %a\n", ones[k].name, values[i], got, want);
                fail();
            }
        }
        for (int j = 0; j < VALUES; j++) {
            for (size_t k = 0; k < sizeof twos / sizeof twos[0]; k++) {
                const double got = twos[k].ours(values[i], values[j]), want = twos[k].of_c(values[i], values[j]);
                if (!same(got, want) && !(fabs(got - want) <= 4.5e-16 * fabs(want))) {
                    print_error("%s(%a, %a) is %a, in C %a\n", twos[k].name, values[i], values[j], got, want);
                    fail();
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_argument),
        cmocka_unit_test(test_two_arguments),
        cmocka_unit_test(test_special_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
