/// Elementary functions with the same bits on every machine.
#include "elementary.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/// Numbers as the unevaluated sum of two doubles, high + low with |low| ≤ ulp(high)/2 (Dekker 1971): about 106 bits.
/// Plain operations, so that the bits do not depend on a fused multiply-add.
typedef struct GrPair {
    double high, low;
} GrPair;

/// a + b exactly.
static inline GrPair gr_pair_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (GrPair){sum, (a - (sum - part)) + (b - part)};
}

/// a + b exactly, for |a| ≥ |b| or a = 0.
static inline GrPair gr_pair_join(double a, double b)
{
    const double sum = a + b;
    return (GrPair){sum, b - (sum - a)};
}

/// a b exactly, for |a|, |b| < 2^995 and products that are not subnormal.
static inline GrPair gr_pair_product(double a, double b)
{
    const double split = 134217729; // 2^27 + 1: halves of 26 bits
    const double wide_a = split * a, wide_b = split * b;
    const double a1 = wide_a - (wide_a - a), a2 = a - a1, b1 = wide_b - (wide_b - b), b2 = b - b1;
    const double product = a * b;
    return (GrPair){product, ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline GrPair gr_pair_add(GrPair a, GrPair b)
{
    const GrPair high = gr_pair_sum(a.high, b.high), low = gr_pair_sum(a.low, b.low);
    const GrPair part = gr_pair_join(high.high, high.low + low.high);
    return gr_pair_join(part.high, part.low + low.low);
}

static inline GrPair gr_pair_times(GrPair a, GrPair b)
{
    const GrPair product = gr_pair_product(a.high, b.high);
    return gr_pair_join(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline GrPair gr_pair_over(GrPair a, GrPair b)
{
    const double quotient = a.high / b.high;
    const GrPair back = gr_pair_product(quotient, b.high);
    const double left = (((a.high - back.high) - back.low) + a.low) - quotient * b.low;
    return gr_pair_join(quotient, left / b.high);
}

/// √a for a > 0.
static inline GrPair gr_pair_root(GrPair a)
{
    const double root = sqrt(a.high);
    const GrPair back = gr_pair_product(root, root);
    return gr_pair_join(root, (((a.high - back.high) - back.low) + a.low) / (2 * root));
}

static const double INFINITE = (double)INFINITY, NOT_A_NUMBER = (double)NAN;

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/// 2^k for −1022 ≤ k ≤ 1023.
static double power_of_two(int k)
{
    return from_bits((uint64_t)(k + 1023) << 52);
}

/// x 2^k for |k| ≤ 2100, rounded once more where the result is subnormal.
static double scaled(double x, int k)
{
    const int half = k / 2, rest = k - half;
    const int quarter = half / 2;
    return x * power_of_two(quarter) * power_of_two(half - quarter) * power_of_two(rest / 2) *
           power_of_two(rest - rest / 2);
}

/// c[0] + c[1] x + … + c[7] x^7, evaluated in pairs (Estrin): a third of the latency of Horner's scheme.
static double octic(const double c[8], double x)
{
    const double x2 = x * x, x4 = x2 * x2;
    return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4;
}

// ln 2 in parts: a multiple of the first with |k| < 2^13 is exact.
static const double LN2_1 = 0x1.62e42fefa2p-1, LN2_2 = 0x1.9ef35793c7673p-41, LOG2_E = 0x1.71547652b82fep+0;

/// x = k ln 2 + rest, |rest| ≤ ln 2/2. Returns k, for |x| < 800.
static int split_exponent(GrPair x, GrPair *rest)
{
    const double k = rint(x.high * LOG2_E);
    const double near = x.high - k * LN2_1; // exact
    *rest = gr_pair_sum(near, x.low - k * LN2_2);
    return (int)k;
}

/// e^r − 1 − r for |r| ≤ ln 2/2: Taylor's series, remainder below 1e-18 of e^r.
static double exp_beyond(double r)
{
    static const double low[8] = {1.0 / 2,   1.0 / 6,    1.0 / 24,    1.0 / 120,
                                  1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880};
    static const double high[5] = {1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200};
    const double r2 = r * r, r4 = r2 * r2;
    return r2 * (octic(low, r) + (high[0] + high[1] * r + (high[2] + high[3] * r) * r2 + high[4] * r4) * r4 * r4);
}

/// e^x for a pair.
static double exp_pair(GrPair x)
{
    if (!(x.high < 710)) {
        return x.high > 0 ? INFINITE : x.high;
    }
    if (x.high < -746) {
        return 0;
    }
    GrPair r;
    const int k = split_exponent(x, &r);
    const GrPair sum = gr_pair_join(1, r.high);
    const double out = sum.high + (sum.low + (r.low * (1 + r.high) + exp_beyond(r.high)));
    return k > -1022 && k < 1024 ? out * power_of_two(k) : scaled(out, k);
}

double gr_exp(double x)
{
    return exp_pair((GrPair){x, 0});
}

double gr_expm1(double x)
{
    if (!(fabs(x) < 40)) {
        return x > 0 ? gr_exp(x) : x < 0 ? -1 : x;
    }
    GrPair r;
    const int k = split_exponent((GrPair){x, 0}, &r);
    const double scale = power_of_two(k);
    const GrPair less = gr_pair_sum(scale, -1), part = gr_pair_sum(less.high, scale * r.high);
    const double low = part.low + (less.low + scale * (r.low * (1 + r.high) + exp_beyond(r.high)));
    return k == 0 ? r.high + (r.low + exp_beyond(r.high)) : part.high + low;
}

/// 2 atanh s as a pair, |s| ≤ 0.18. Two terms beyond the first in pairs leave an error of 2^−70.
static GrPair twice_atanh(GrPair s)
{
    static const GrPair third = {0x1.5555555555555p-2, 0x1.5555555555555p-56};
    static const GrPair fifth = {0x1.999999999999ap-3, -0x1.999999999999ap-57};
    const GrPair g = gr_pair_times(s, s);
    const double z = g.high;
    static const double c[8] = {1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
    const double z2 = z * z, z4 = z2 * z2;
    const double p = octic(c, z) + (1.0 / 23 + z * (1.0 / 25) + z2 * (1.0 / 27)) * z4 * z4;
    const GrPair inner = gr_pair_add(fifth, gr_pair_times(g, (GrPair){p, 0}));
    const GrPair more = gr_pair_times(g, gr_pair_add(third, gr_pair_times(g, inner)));
    const GrPair sum = gr_pair_add(s, gr_pair_times(s, more));
    return (GrPair){2 * sum.high, 2 * sum.low};
}

/// The m in [√½, √2) of x = 2^k m, for a finite x > 0.
static double split_log(double x, int *k)
{
    const bool subnormal = x < 0x1p-1022;
    const uint64_t bits = bits_of(subnormal ? x * 0x1p54 : x), shifted = bits - 0x3fe6a09e667f3bcdu;
    const uint64_t exponent = (shifted >> 52) - ((shifted >> 63) << 12); // arithmetic shift
    *k = (int)(int64_t)exponent - (subnormal ? 54 : 0);
    return from_bits(bits - (exponent << 52));
}

/// log x for a finite x > 0. `low`: a small number to be added to x.
static GrPair log_pair(double x, double low)
{
    int k;
    const double m = split_log(x, &k), add = low == 0 ? 0 : scaled(low, -k), exponent = k;
    const GrPair top = gr_pair_sum(m - 1, add), bottom = gr_pair_add((GrPair){2, 0}, top);
    const GrPair of_m = twice_atanh(gr_pair_over(top, bottom));
    const GrPair of_k = gr_pair_add((GrPair){exponent * LN2_1, 0}, gr_pair_product(exponent, LN2_2));
    return gr_pair_add(of_k, of_m);
}

double gr_log(double x)
{
    if (!(x > 0)) {
        return x == 0 ? -INFINITE : NOT_A_NUMBER;
    }
    if (x == INFINITE) {
        return x;
    }
    // log m = f − f²/2 + s (f²/2 + s² R(s²)), f = m − 1, s = f/(2 + f): the largest terms are exact or nearly so.
    static const double r[8] = {0x1.5555555555555p-1, 0x1.9999999999a38p-2, 0x1.2492492476b5cp-2, 0x1.c71c72017f905p-3,
                                0x1.745cf8f501ff8p-3, 0x1.3b1c38965dc00p-3, 0x1.0fbe4088bd3c9p-3, 0x1.0c070e72843a7p-3};
    int exponent;
    const double f = split_log(x, &exponent) - 1, k = exponent;
    const double s = f / (2 + f), z = s * s, half = 0.5 * f * f;
    return k * LN2_1 - ((half - (s * (half + z * octic(r, z)) + k * LN2_2)) - f);
}

double gr_log1p(double x)
{
    if (fabs(x) < 0x1p-54) {
        return x;
    }
    if (!(x > -1) || x == INFINITE) {
        return x == -1 ? -INFINITE : x > 0 ? x : NOT_A_NUMBER;
    }
    const GrPair sum = gr_pair_sum(1, x), out = log_pair(sum.high, sum.low);
    return out.high + out.low;
}

/// Whether y is an odd integer.
static bool is_odd(double y)
{
    return fabs(y) < 0x1p53 && y == rint(y) && y != 2 * rint(0.5 * y);
}

double gr_pow(double x, double y)
{
    if (y == 0 || x == 1) {
        return 1;
    }
    if (isnan(x) || isnan(y)) {
        return NOT_A_NUMBER;
    }
    const double size = fabs(x), sign = signbit(x) && is_odd(y) ? -1 : 1;
    if (size == 0 || isinf(x)) {
        return sign * ((size == 0) == (y < 0) ? INFINITE : 0);
    }
    if (isinf(y)) {
        return size == 1 ? 1 : (size > 1) == (y > 0) ? INFINITE : 0;
    }
    if (x < 0 && y != rint(y)) {
        return NOT_A_NUMBER;
    }
    const GrPair l = log_pair(size, 0);
    const double most = y * l.high;
    if (!(fabs(most) < 800)) {
        return sign * (most > 0 ? INFINITE : 0);
    }
    if (fabs(most) < 0x1p-60) {
        return sign; // y may be so small that the exact product would not be
    }
    const GrPair product = gr_pair_product(y, l.high);
    return sign * exp_pair(gr_pair_join(product.high, product.low + y * l.low));
}

double gr_hypot(double x, double y)
{
    if (isinf(x) || isinf(y)) {
        return INFINITE;
    }
    const double a = fabs(x), b = fabs(y), large = a > b ? a : b, small = a > b ? b : a;
    if (isnan(a) || isnan(b) || small == 0) {
        return a + b;
    }
    if (small < 0x1p-60 * large) {
        return large + small;
    }
    const bool moderate = large < 0x1p400 && small > 0x1p-400;
    const int k = moderate ? 0 : (int)(bits_of(large) >> 52) - 1023;
    const double u = moderate ? large : scaled(large, -k), v = moderate ? small : scaled(small, -k);
    const GrPair uu = gr_pair_product(u, u), vv = gr_pair_product(v, v), sum = gr_pair_join(uu.high, vv.high);
    const GrPair root = gr_pair_root((GrPair){sum.high, sum.low + (uu.low + vv.low)});
    return moderate ? root.high + root.low : scaled(root.high + root.low, k);
}

/// For 2^−900 ≤ |x| < ∞.
static double normal_cbrt(double x)
{
    const double size = fabs(x);
    const GrPair l = log_pair(size, 0);
    const double guess = gr_exp(l.high / 3);
    // Newton's step, with the cube of the guess to twice the digits.
    const GrPair square = gr_pair_product(guess, guess), cube = gr_pair_times(square, (GrPair){guess, 0});
    const double out = guess - ((cube.high - size) + cube.low) / (3 * square.high);
    return x < 0 ? -out : out;
}

double gr_cbrt(double x)
{
    const double size = fabs(x);
    if (!(size > 0) || size == INFINITE) {
        return x;
    }
    // the cube of a smaller number would be subnormal
    return size < 0x1p-900 ? 0x1p-200 * normal_cbrt(0x1p600 * x) : normal_cbrt(x);
}

double gr_tanh(double x)
{
    const double size = fabs(x);
    if (!(size < 22)) {
        return isnan(x) ? x : x > 0 ? 1 : -1;
    }
    if (size < 0.5) {
        const double e = gr_expm1(2 * size), out = e / (2 + e);
        return signbit(x) ? -out : out;
    }
    const double out = 1 - 2 / (gr_exp(2 * size) + 1);
    return signbit(x) ? -out : out;
}

double gr_sinh(double x)
{
    const double size = fabs(x);
    double out = size;
    if (size < 1) {
        const double e = gr_expm1(size);
        out = 0.5 * (e + e / (e + 1));
    } else if (!isnan(x)) {
        const double half = gr_exp(0.5 * size); // e^x overflows before sinh x does
        out = 0.5 * half * half - 0.5 / (half * half);
    }
    return signbit(x) ? -out : out;
}

double gr_cosh(double x)
{
    const double half = gr_exp(0.5 * fabs(x));
    return 0.5 * half * half + 0.5 / (half * half);
}

double gr_log10(double x)
{
    static const GrPair by_ln10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
    if (!(x > 0 && x < INFINITE)) {
        return gr_log(x);
    }
    const GrPair out = gr_pair_times(log_pair(x, 0), by_ln10);
    return out.high + out.low;
}

double gr_log2(double x)
{
    static const GrPair by_ln2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
    if (!(x > 0 && x < INFINITE)) {
        return gr_log(x);
    }
    int k;
    const double m = split_log(x, &k);
    const GrPair part = gr_pair_times(log_pair(m, 0), by_ln2), sum = gr_pair_sum(k, part.high);
    return sum.high + (sum.low + part.low);
}

// π/2 in parts: multiples of the first three with |k| < 2^20 are exact.
static const double HALF_PI_1 = 0x1.921fb544p+0, HALF_PI_2 = 0x1.0b4611a6p-34, HALF_PI_3 = 0x1.3198a2ep-69,
                    HALF_PI_4 = 0x1.b839a252049c1p-104, TWO_OVER_PI = 0x1.45f306dc9c883p-1;
static const GrPair HALF_PI = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
static const GrPair PI_PAIR = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// 2/π in words of 32 bits, for arguments of any size (Payne & Hanek 1983).
static const uint32_t two_over_pi[38] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

enum { WINDOW = 6, PRODUCT = WINDOW + 2 };

/// 2^n − the number in words 0 … top, of which `mask` are the bits of the top word below 2^n.
static void negate(uint32_t *words, int top, uint32_t mask)
{
    uint64_t carry = 1;
    for (int i = 0; i <= top; i++) {
        const uint64_t sum = (uint64_t)(uint32_t)~words[i] + carry;
        words[i] = (uint32_t)sum;
        carry = sum >> 32;
    }
    words[top] &= mask;
}

/// The integer part modulo 4 and the fraction, −½ … ½, of x 2/π for x ≥ 2^20.
static int reduce_large(double x, GrPair *fraction)
{
    const uint64_t bits = bits_of(x), integer = (bits & 0xfffffffffffffu) | 0x10000000000000u;
    const int exponent = (int)(bits >> 52) - 1075; // x = integer 2^exponent
    // Words of 2/π above 2^(2 − exponent) give multiples of 4.
    const int first = exponent > 2 ? (exponent - 2) / 32 : 0;
    const uint32_t parts[2] = {(uint32_t)integer, (uint32_t)(integer >> 32)};
    uint32_t product[PRODUCT] = {0}; // lowest word first
    for (int part = 0; part < 2; part++) {
        uint64_t carry = 0;
        for (int i = 0; i < WINDOW; i++) {
            const uint64_t sum =
                (uint64_t)two_over_pi[first + WINDOW - 1 - i] * parts[part] + product[part + i] + carry;
            product[part + i] = (uint32_t)sum;
            carry = sum >> 32;
        }
        product[part + WINDOW] = (uint32_t)carry;
    }
    // The binary point is `point` bits above the lowest one.
    const int point = 32 * (first + WINDOW) - exponent, word = point / 32, shift = point % 32;
    const uint64_t around = product[word] | (word + 1 < PRODUCT ? (uint64_t)product[word + 1] << 32 : 0);
    const int quadrant = (int)(around >> shift) & 3;
    product[word] &= shift > 0 ? 0xffffffffu >> (32 - shift) : 0;
    const int top = shift > 0 ? word : word - 1; // word with the highest bit of the fraction
    const bool negative = (product[top] >> ((shift + 31) % 32) & 1) != 0;
    if (negative) {
        negate(product, top, shift > 0 ? 0xffffffffu >> (32 - shift) : 0xffffffffu);
    }
    GrPair sum = {0, 0};
    for (int i = top; i >= 0; i--) {
        const GrPair next = gr_pair_sum(sum.high, scaled(product[i], 32 * i - point));
        sum = gr_pair_join(next.high, next.low + sum.low);
    }
    *fraction = negative ? (GrPair){-sum.high, -sum.low} : sum;
    return (quadrant + negative) & 3;
}

/// x = k π/2 + rest, |rest| ≤ π/4. Returns k modulo 4.
static int reduce_angle(double x, GrPair *rest)
{
    const double size = fabs(x);
    if (size <= 0.78) {
        *rest = (GrPair){x, 0};
        return 0;
    }
    if (size < 0x1p20) {
        const double k = rint(x * TWO_OVER_PI);
        const GrPair part = gr_pair_sum(x - k * HALF_PI_1, -k * HALF_PI_2); // exact
        *rest = gr_pair_sum(part.high, part.low - (k * HALF_PI_3 + k * HALF_PI_4));
        return (int)((int64_t)k & 3);
    }
    GrPair fraction;
    const int quadrant = reduce_large(size, &fraction);
    const GrPair angle = gr_pair_times(fraction, HALF_PI);
    *rest = x < 0 ? (GrPair){-angle.high, -angle.low} : angle;
    return x < 0 ? (4 - quadrant) & 3 : quadrant;
}

/// sin r for |r| ≤ π/4: Taylor's series, remainder below 1e-19.
static GrPair sin_reduced(GrPair r)
{
    const double z = r.high * r.high;
    static const double c[8] = {-1.0 / 6,        1.0 / 120,        -1.0 / 5040,          1.0 / 362880,
                                -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000, 1.0 / 355687428096000};
    const double p = octic(c, z);
    return gr_pair_join(r.high, r.low * (1 - 0.5 * z) + r.high * z * p);
}

/// cos r for |r| ≤ π/4.
static GrPair cos_reduced(GrPair r)
{
    const GrPair square = gr_pair_product(r.high, r.high);
    const double z = square.high;
    static const double c[8] = {1.0 / 24,        -1.0 / 720,         1.0 / 40320,          -1.0 / 3628800,
                                1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000, -1.0 / 6402373705728000};
    const double p = octic(c, z);
    const GrPair less = gr_pair_join(1, -0.5 * z);
    return gr_pair_join(less.high, less.low + (z * z * p - (0.5 * square.low + r.high * r.low)));
}

/// sin (x + quadrants π/2).
static double sine_of(double x, int quadrants)
{
    if (!(fabs(x) < INFINITE)) {
        return NOT_A_NUMBER;
    }
    GrPair r;
    const int quadrant = (reduce_angle(x, &r) + quadrants) & 3;
    const GrPair out = quadrant & 1 ? cos_reduced(r) : sin_reduced(r);
    const double value = out.high + out.low;
    return quadrant & 2 ? -value : value;
}

double gr_sin(double x)
{
    return fabs(x) < 0x1p-27 ? x : sine_of(x, 0);
}

double gr_cos(double x)
{
    return sine_of(x, 1);
}

double gr_tan(double x)
{
    if (fabs(x) < 0x1p-27) {
        return x;
    }
    if (!(fabs(x) < INFINITE)) {
        return NOT_A_NUMBER;
    }
    GrPair r;
    const int quadrant = reduce_angle(x, &r);
    const GrPair s = sin_reduced(r), c = cos_reduced(r);
    const GrPair out = quadrant & 1 ? gr_pair_over((GrPair){-c.high, -c.low}, s) : gr_pair_over(s, c);
    return out.high + out.low;
}

/// arctan(y/x) for 0 ≤ y ≤ x: arctan c + arctan u, u = (y − c x)/(x + c y), c a multiple of an eighth or 0.
static GrPair atan_pair(double y, double x)
{
    static const GrPair eighths[9] = {{0, 0},
                                      {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                      {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                      {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                      {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                      {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                      {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                      {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                      {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};
    static const double r[8] = {-0x1.5555555555555p-2, 0x1.9999999999994p-3,  -0x1.249249249154cp-3,
                                0x1.c71c71c4fc8b3p-4,  -0x1.745d16163790ep-4, 0x1.3b1351dbdac33p-4,
                                -0x1.10ff6a0190c50p-4, 0x1.de0d1af5ca55bp-5};
    static const double last = -0x1.74ec2e909c751p-5;
    const double ratio = y / x;
    const int eighth = ratio < 0.1875 ? 0 : (int)rint(8 * ratio);
    const double c = 0.125 * eighth;
    const GrPair part = gr_pair_product(eighth > 0 ? c : ratio, x);
    const double rest = (y - part.high) - part.low; // exact, but for its last rounding
    const double u = eighth > 0 ? rest / (x + c * y) : ratio, below = eighth > 0 ? 0 : rest / x;
    const double z = u * u, z2 = z * z, z4 = z2 * z2;
    const GrPair of_c = eighths[eighth], sum = gr_pair_join(eighth > 0 ? of_c.high : u, eighth > 0 ? u : 0);
    return (GrPair){sum.high, sum.low + (of_c.low + below + u * z * (octic(r, z) + last * z4 * z4))};
}

/// The angle of (x, y), y ≥ 0, neither tiny nor huge nor both 0.
static double angle_of(double y, double x)
{
    const double a = fabs(x);
    const bool steep = y > a;
    const GrPair inner = steep ? atan_pair(a, y) : atan_pair(y, a);
    // ± inner + 0, π/2 or π
    const double sign = steep == (x > 0) ? -1 : 1;
    const GrPair base = steep ? HALF_PI : x < 0 ? PI_PAIR : (GrPair){0, 0};
    const GrPair sum = gr_pair_sum(base.high, sign * inner.high);
    return sum.high + (sum.low + (base.low + sign * inner.low));
}

double gr_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) {
        return NOT_A_NUMBER;
    }
    const double sign = signbit(y) ? -1 : 1;
    double a = fabs(y), b = fabs(x), angle;
    if (isinf(a) && isinf(b)) {
        a = b = 1;
    }
    if (a == 0 || isinf(b) || b > 0x1p60 * a) {
        // y/x, or 0 beyond rounding next to π; subnormal quotients are rounded once
        angle = signbit(x) ? PI_PAIR.high : a == 0 || isinf(b) ? 0 : a / b;
    } else if (b == 0 || isinf(a) || a > 0x1p60 * b) {
        angle = HALF_PI.high;
    } else {
        const bool moderate = a < 0x1p400 && b < 0x1p400 && a > 0x1p-400 && b > 0x1p-400;
        const int k = moderate ? 0 : (int)(bits_of(a > b ? a : b) >> 52) - 1023;
        const double u = moderate ? a : scaled(a, -k), v = moderate ? b : scaled(b, -k);
        angle = angle_of(u, signbit(x) ? -v : v);
    }
    return sign * angle;
}

double gr_atan(double x)
{
    return fabs(x) < 0x1p-27 ? x : gr_atan2(x, 1);
}

/// (arcsin √z)/√z − 1 for 0 ≤ z ≤ ¼.
static double asin_beyond(double z)
{
    static const double low[8] = {0x1.5555555555555p-3, 0x1.333333333338cp-4, 0x1.6db6db6dabd47p-5,
                                  0x1.f1c71c7a7968cp-6, 0x1.6e8ba11e2942cp-6, 0x1.1c4efd69c8e56p-6,
                                  0x1.c9909ca9e47b1p-7, 0x1.7b033051a494bp-7};
    static const double high[8] = {0x1.3b44b710635f9p-7, 0x1.317cbe934ca67p-7,  0x1.8da33d99b73dfp-9,
                                   0x1.40cc46ae361a7p-6, -0x1.3bd0084b5b99bp-6, 0x1.e57e7a0d7bd7dp-6};
    const double z2 = z * z, z4 = z2 * z2;
    return z * (octic(low, z) + octic(high, z) * z4 * z4);
}

/// arcsin √((1 − x)/2) for ½ ≤ x ≤ 1: half of arccos x.
static GrPair half_acos(double x)
{
    const double z = 0.5 * (1 - x), root = sqrt(z); // 1 − x is exact
    const GrPair back = gr_pair_product(root, root);
    const double below = root > 0 ? ((z - back.high) - back.low) / (2 * root) : 0;
    return (GrPair){root, below + root * asin_beyond(z)};
}

double gr_asin(double x)
{
    const double size = fabs(x);
    if (!(size <= 1)) {
        return NOT_A_NUMBER;
    }
    if (size < 0.5) {
        return x + x * asin_beyond(x * x);
    }
    const GrPair half = half_acos(size), sum = gr_pair_join(HALF_PI.high, -2 * half.high);
    const double out = sum.high + (sum.low + (HALF_PI.low - 2 * half.low));
    return x < 0 ? -out : out;
}

double gr_acos(double x)
{
    const double size = fabs(x);
    if (!(size <= 1)) {
        return NOT_A_NUMBER;
    }
    if (size < 0.5) {
        const GrPair sum = gr_pair_join(HALF_PI.high, -x);
        return sum.high + (sum.low + (HALF_PI.low - x * asin_beyond(x * x)));
    }
    const GrPair half = half_acos(size);
    if (x > 0) {
        return 2 * (half.high + half.low);
    }
    const GrPair sum = gr_pair_join(PI_PAIR.high, -2 * half.high);
    return sum.high + (sum.low + (PI_PAIR.low - 2 * half.low));
}
