#include "decimal.h"

#include "number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 9, EXACT_POWER = 22, LOWEST = DIGITS - 1 - EXACT_POWER, HIGHEST = DIGITS - 1 };
enum { FIRST = 100000000, LAST = 1000000000 }; // n of nine digits: FIRST <= n < LAST

/// Powers of ten from LOWEST on: exact above 1, rounded below.
static const double TENS[EXACT_POWER + 1 - LOWEST] = {
    1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0,  1e1,  1e2,  1e3, 1e4,
    1e5,   1e6,   1e7,   1e8,   1e9,   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Falls back on the C library for rare values.
static __attribute__((noinline)) int write_slowly(double value, char out[GR_DECIMAL_SIZE])
{
    return gr_print(out, GR_DECIMAL_SIZE, "%.*g", DIGITS, value);
}

/// The two digits of each number below 100.
static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static inline uint64_t pair_of(uint32_t n)
{
    const unsigned char *pair = (const unsigned char *)PAIRS + (size_t)2 * n;
    return (uint64_t)(pair[0] | pair[1] << 8);
}

/// The last eight of nine digits, the first of them in the lowest byte. They are assembled in a register: reading back
/// bytes that were stored one by one stalls for longer than all the rest takes.
static inline uint64_t last_digits(uint32_t n, uint32_t first)
{
    const uint32_t five = n / 10000, four = n - 10000 * five, three = five / 100, two = four / 100;
    return (pair_of(three - 100 * first) | pair_of(five - 100 * three) << 16) |
           (pair_of(two) << 32 | pair_of(four - 100 * two) << 48);
}

static const uint64_t ZEROS = 0x3030303030303030;

/// Eight bytes, the lowest first.
static inline void put_eight(char *out, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(out, &bytes, sizeof bytes);
}

/// Positions of the parts of a number, by its exponent from −4 on.
typedef struct Layout {
    unsigned char begin;   ///< index of the first digit
    unsigned char point;   ///< index of the decimal point
    unsigned char tail;    ///< index of the digits after the point, or after the first digit where that comes later
    unsigned char skipped; ///< half the number of bits by which the digits before the tail are shifted out
    unsigned char least;   ///< digits that are shown even if they are zeros
    unsigned char added;   ///< characters that are not digits, when there are more than `least` digits
} Layout;

static const Layout LAYOUTS[] = {{5, 1, 6, 0, 0, 5},  {4, 1, 5, 0, 0, 4},  {3, 1, 4, 0, 0, 3},  {2, 1, 3, 0, 0, 2},
                                 {0, 1, 2, 0, 1, 1},  {0, 2, 3, 4, 2, 1},  {0, 3, 4, 8, 3, 1},  {0, 4, 5, 12, 4, 1},
                                 {0, 5, 6, 16, 5, 1}, {0, 6, 7, 20, 6, 1}, {0, 7, 8, 24, 7, 1}, {0, 8, 9, 28, 8, 1},
                                 {0, 9, 10, 32, 9, 1}};

/// Writes `first` and the eight digits of `rest`, `count` of them in all, laid out as %g does: 123.4, 0.001234. Surplus
/// characters are overwritten or not counted. There are no branches, since exponents change from number to number.
static inline int lay_out_plain(char first, uint64_t rest, int count, int exponent, char *out)
{
    const Layout *l = &LAYOUTS[exponent + 4];
    put_eight(out, ZEROS);
    out[l->begin] = first;
    put_eight(out + l->begin + 1, rest);
    out[l->point] = '.';
    put_eight(out + l->tail, rest >> l->skipped >> l->skipped);
    return count > l->least ? count + l->added : l->least;
}

/// The same in the form 1.234e-05, for small numbers.
static inline int lay_out_power(char first, uint64_t rest, int count, int exponent, char *out)
{
    out[0] = first;
    out[1] = '.';
    put_eight(out + 2, rest);
    char *c = out + (count > 1 ? count + 1 : 1);
    *c++ = 'e';
    *c++ = '-';
    *c++ = (char)('0' + -exponent / 10);
    *c++ = (char)('0' + -exponent % 10);
    return (int)(c - out);
}

int gr_decimal_write(double value, char out[GR_DECIMAL_SIZE])
{
    if (value == 0) {
        out[0] = '0';
        return 1;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int binary = (int)(bits >> 52 & 0x7ff) - 1023;
    // Decimal exponent: binary · log10(2), exact or one too small. The factor is accurate enough within the bounds.
    int exponent = (int)(binary * INT64_C(1292913986) >> 32);
    if (exponent < LOWEST || exponent >= HIGHEST) { // also infinity and NaN
        return write_slowly(value, out);
    }
    const double size = fabs(value);
    exponent += size >= TENS[exponent + 1 - LOWEST];
    const double scaled = size * TENS[DIGITS - 1 - exponent - LOWEST]; // one rounding
    uint32_t n = (uint32_t)(scaled + 0.5);
    if (fabs(fabs(scaled - n) - 0.5) < 1e-6) { // too close to a tie for this arithmetic to round correctly
        return write_slowly(value, out);
    }
    if (n >= LAST) {
        n = FIRST;
        exponent++;
    }
    const uint32_t first = n / FIRST;
    const uint64_t rest = last_digits(n, first);
    const int count = rest == ZEROS ? 1 : DIGITS - __builtin_clzll(rest - ZEROS) / 8; // without trailing zeros
    const int sign = value < 0;
    out[0] = '-';
    if (exponent >= -4) {
        return sign + lay_out_plain((char)('0' + first), rest, count, exponent, out + sign);
    }
    return sign + lay_out_power((char)('0' + first), rest, count, exponent, out + sign);
}
