#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 9, EXACT_POWER = 22, LOWEST = -35, HIGHEST = 30 };
static const double FIRST = 1e8, LAST = 1e9; // n of nine digits: FIRST <= n < LAST

/// Powers of ten that a double holds exactly.
static const double POWERS[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// value · 10^(8 − exponent), off by two roundings at most.
static double scale(double value, int exponent)
{
    const int power = DIGITS - 1 - exponent;
    if (power > EXACT_POWER) {
        return value * POWERS[EXACT_POWER] * POWERS[power - EXACT_POWER];
    }
    return power >= 0 ? value * POWERS[power] : value / POWERS[-power];
}

/// The C library's way, for what is rare: the locale's decimal point becomes a point.
static int write_slowly(double value, char out[GR_DECIMAL_SIZE])
{
    const int length = snprintf(out, GR_DECIMAL_SIZE, "%.*g", DIGITS, value);
    for (int i = 0; i < length; i++) {
        if (strchr("0123456789+-einfa", out[i]) == NULL) {
            out[i] = '.';
        }
    }
    return length;
}

/// `digits` of `count`, as %g lays them out.
static int lay_out(const char *digits, int count, int exponent, char *out)
{
    char *c = out;
    if (exponent < -4 || exponent >= DIGITS) {
        *c++ = digits[0];
        if (count > 1) {
            *c++ = '.';
            memcpy(c, digits + 1, (size_t)count - 1);
            c += count - 1;
        }
        const int size = exponent < 0 ? -exponent : exponent;
        *c++ = 'e';
        *c++ = exponent < 0 ? '-' : '+';
        *c++ = (char)('0' + size / 10);
        *c++ = (char)('0' + size % 10);
        return (int)(c - out);
    }
    if (exponent < 0) {
        memcpy(c, "0.000", 5);
        c += 1 - exponent;
        memcpy(c, digits, (size_t)count);
        return (int)(c + count - out);
    }
    const int whole = exponent + 1;
    if (count <= whole) {
        memcpy(c, digits, (size_t)whole); // the zeros behind `count` are there
        return whole;
    }
    memcpy(c, digits, (size_t)whole);
    c[whole] = '.';
    memcpy(c + whole + 1, digits + whole, (size_t)(count - whole));
    return count + 1;
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
    int exponent = (int)floor(binary * 0.30102999566398120); // of ten: right or one too small
    if (exponent < LOWEST || exponent > HIGHEST) {           // also zero's neighbours, infinite, not a number
        return write_slowly(value, out);
    }
    const double size = fabs(value);
    double scaled = scale(size, exponent);
    if (scaled >= LAST) {
        scaled = scale(size, ++exponent);
    }
    uint64_t n = (uint64_t)scaled;
    const double rest = scaled - (double)n;
    if (fabs(rest - 0.5) < 1e-6) { // which way to round is beyond this arithmetic
        return write_slowly(value, out);
    }
    n += rest > 0.5;
    if (n >= (uint64_t)LAST) {
        n = (uint64_t)FIRST;
        exponent++;
    }
    char digits[DIGITS];
    uint32_t left = (uint32_t)n;
    for (int i = DIGITS - 1; i >= 0; i--) {
        digits[i] = (char)('0' + left % 10);
        left /= 10;
    }
    int count = DIGITS;
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    out[0] = '-';
    const int sign = value < 0;
    return sign + lay_out(digits, count, exponent, out + sign);
}
