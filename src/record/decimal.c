#include "decimal.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 9, EXACT_POWER = 22, LOWEST = -35, HIGHEST = 29 };
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

enum { COPY = 16 }; // copies of a fixed size are single instructions; what is too much is written over, or not counted

/// `count` of `digits` (followed by zeros or anything, COPY in all), as %g lays them out.
static int lay_out(const char digits[2 * COPY], int count, int exponent, char *out)
{
    if (exponent >= 0 && exponent < DIGITS) {
        const int whole = exponent + 1;
        memcpy(out, digits, COPY);
        if (count <= whole) {
            return whole;
        }
        out[whole] = '.';
        memcpy(out + whole + 1, digits + whole, COPY);
        return count + 1;
    }
    if (exponent < 0 && exponent >= -4) {
        static const char ZEROS[] = {'0', '.', '0', '0', '0'};
        memcpy(out, ZEROS, sizeof ZEROS);
        memcpy(out + 1 - exponent, digits, COPY);
        return count + 1 - exponent;
    }
    out[0] = digits[0];
    out[1] = '.';
    memcpy(out + 2, digits + 1, COPY);
    char *c = out + (count > 1 ? count + 1 : 1);
    const int size = exponent < 0 ? -exponent : exponent;
    *c++ = 'e';
    *c++ = exponent < 0 ? '-' : '+';
    *c++ = (char)('0' + size / 10);
    *c++ = (char)('0' + size % 10);
    return (int)(c - out);
}

/// Two digits of each number below 100.
static const char PAIRS[] = "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
                            "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

/// The nine digits of n; returns how many are left when the zeros at the end go.
static int put_digits(uint32_t n, char digits[2 * COPY])
{
    const uint32_t high = n / 10000, low = n % 10000; // 5 and 4 digits
    digits[0] = (char)('0' + high / 10000);
    memcpy(digits + 1, PAIRS + 2 * (high / 100 % 100), 2);
    memcpy(digits + 3, PAIRS + 2 * (high % 100), 2);
    memcpy(digits + 5, PAIRS + 2 * (low / 100), 2);
    memcpy(digits + 7, PAIRS + 2 * (low % 100), 2);
    int count = DIGITS;
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    return count;
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
    char digits[2 * COPY] = {0};
    const int count = put_digits((uint32_t)n, digits);
    out[0] = '-';
    const int sign = value < 0;
    return sign + lay_out(digits, count, exponent, out + sign);
}
