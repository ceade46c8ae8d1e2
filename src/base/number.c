#include "number.h"

#include "check.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static locale_t plain; ///< (locale_t)0: it could not be made, and the program's own is used
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_plain(void)
{
    plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
}

/// Sets the plain locale for this thread; returns the one to restore.
static locale_t enter_plain(void)
{
    pthread_once(&once, make_plain);
    return uselocale(plain);
}

double gr_number_read(const char *text, char **end)
{
    const locale_t own = enter_plain();
    const double value = strtod(text, end);
    uselocale(own);
    return value;
}

int gr_vprint(char *out, size_t size, const char *format, va_list args)
{
    const locale_t own = enter_plain();
    const int length = vsnprintf(out, size, format, args);
    uselocale(own);
    return length;
}

int gr_print(char *out, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = gr_vprint(out, size, format, args);
    va_end(args);
    return length;
}

enum { MAX_DIGITS = 17, EXPONENT_LOW = -5, EXPONENT_HIGH = 16 };

/// value = ± d.ddd 10^exponent
typedef struct Decimal {
    char digits[MAX_DIGITS + 1];
    int count;
    int exponent;
    int negative;
} Decimal;

/// Reads the digits written by "%.*e". The decimal point of the locale is skipped, whatever it is.
static Decimal decimal_from_text(const char *text)
{
    Decimal d = {.negative = text[0] == '-'};
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == 'e') {
            d.exponent = (int)strtol(c + 1, NULL, 10);
            break;
        }
        if (*c >= '0' && *c <= '9' && d.count < MAX_DIGITS) {
            d.digits[d.count++] = *c;
        }
    }
    while (d.count > 1 && d.digits[d.count - 1] == '0') {
        d.count--;
    }
    d.digits[d.count] = '\0';
    return d;
}

static int write_decimal(const Decimal *d, char out[GR_NUMBER_SIZE])
{
    char *c = out;
    if (d->negative) {
        *c++ = '-';
    }
    const int e = d->exponent;
    if (e < EXPONENT_LOW || e >= EXPONENT_HIGH) {
        *c++ = d->digits[0];
        if (d->count > 1) {
            *c++ = '.';
            memcpy(c, d->digits + 1, (size_t)(d->count - 1));
            c += d->count - 1;
        }
        c += snprintf(c, 8, "e%d", e);
        return (int)(c - out);
    }
    if (e < 0) {
        *c++ = '0';
        *c++ = '.';
        for (int i = -1; i > e; i--) {
            *c++ = '0';
        }
    }
    for (int i = 0; i < d->count || i <= e; i++) {
        if (i > 0 && i == e + 1) {
            *c++ = '.';
        }
        *c++ = (char)(i < d->count ? d->digits[i] : '0');
    }
    *c = '\0';
    return (int)(c - out);
}

static int write_special(double value, char out[GR_NUMBER_SIZE])
{
    return snprintf(out, GR_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

int gr_number_format(double value, char out[GR_NUMBER_SIZE])
{
    if (!isfinite(value)) {
        return write_special(value, out);
    }
    // A decimal of 15 digits survives the conversion to double and back, so a shorter text shows up as trailing zeros;
    // 17 digits always suffice. Subnormal numbers have fewer digits.
    char text[GR_NUMBER_SIZE] = "";
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= MAX_DIGITS; digits++) {
        gr_print(text, sizeof text, "%.*e", digits - 1, value);
        if (gr_number_read(text, NULL) == value) {
            break;
        }
    }
    const Decimal d = decimal_from_text(text);
    return write_decimal(&d, out);
}

int gr_number_round(double value, int digits, char out[GR_NUMBER_SIZE])
{
    GR_CHECK(digits >= 1 && digits <= MAX_DIGITS);
    if (!isfinite(value)) {
        return write_special(value, out);
    }
    char text[GR_NUMBER_SIZE] = "";
    gr_print(text, sizeof text, "%.*e", digits - 1, value);
    const Decimal d = decimal_from_text(text);
    return write_decimal(&d, out);
}

int gr_number_fixed(double value, int decimals, char out[GR_NUMBER_SIZE])
{
    GR_CHECK(decimals >= 0 && decimals <= 6);
    if (!isfinite(value) || fabs(value) >= 1e12) {
        return gr_number_format(value, out);
    }
    long long scale = 1;
    for (int i = 0; i < decimals; i++) {
        scale *= 10;
    }
    const long long n = llround(fabs(value) * (double)scale);
    long long whole = n / scale, fraction = n % scale;
    int places = decimals;
    while (fraction > 0 && fraction % 10 == 0) {
        fraction /= 10;
        places--;
    }
    char text[GR_NUMBER_SIZE], *const end = text + sizeof text, *c = end; // from the last digit on
    if (fraction > 0) {
        for (int i = 0; i < places; i++, fraction /= 10) {
            *--c = (char)('0' + fraction % 10);
        }
        *--c = '.';
    }
    do {
        *--c = (char)('0' + whole % 10);
        whole /= 10;
    } while (whole > 0);
    if (value < 0 && n > 0) {
        *--c = '-';
    }
    const int length = (int)(end - c);
    memcpy(out, c, (size_t)length);
    out[length] = '\0';
    return length;
}

/// The prefix of a unit that lets a value have at most four digits before the point; "": none, also of units that have
/// a prefix already.
static const char *prefix_of(const char *unit, double value, double *scale)
{
    static const char *const prefixed[] = {"J", "J/m", "N", "W", "Pa"}; // "N m" and "J mechanical" too
    static const struct {
        double least;
        const char *prefix;
    } prefixes[] = {{1e10, "G"}, {1e7, "M"}, {1e4, "k"}};
    *scale = 1;
    for (size_t i = 0; i < sizeof prefixed / sizeof prefixed[0]; i++) {
        const size_t n = strlen(prefixed[i]);
        const bool is_it = strncmp(unit, prefixed[i], n) == 0 && (unit[n] == '\0' || unit[n] == ' ');
        for (size_t k = 0; k < sizeof prefixes / sizeof prefixes[0] && is_it; k++) {
            if (fabs(value) >= prefixes[k].least && isfinite(value)) {
                *scale = 10 / prefixes[k].least;
                return prefixes[k].prefix;
            }
        }
    }
    return "";
}

/// As gr_show(), with the unit as it is.
static GrShown show(double value, int digits, const char *unit)
{
    GrShown shown;
    char number[GR_NUMBER_SIZE];
    gr_number_round(value, digits, number);
    snprintf(shown.text, sizeof shown.text, "%s%s%.40s",
             isnan(value)   ? "–"
             : isinf(value) ? (value > 0 ? "∞" : "-∞")
                            : number,
             unit[0] != '\0' && !isnan(value) ? " " : "", isnan(value) ? "" : unit);
    return shown;
}

GrShown gr_show_unit(double value, const char *unit, double *scale)
{
    GrShown shown;
    snprintf(shown.text, sizeof shown.text, "%s%.40s", prefix_of(unit, value, scale), unit);
    return shown;
}

GrShown gr_show(double value, int digits, const char *unit)
{
    double scale;
    const GrShown with_prefix = gr_show_unit(value, unit, &scale);
    return show(scale * value, digits, with_prefix.text);
}

GrShown gr_show_range(double low, double high, int digits)
{
    GrShown shown;
    snprintf(shown.text, sizeof shown.text, "%.40s … %.40s", isnan(low) ? "no value" : gr_show(low, digits, "").text,
             isnan(high) ? "no value" : gr_show(high, digits, "").text);
    return shown;
}

GrShown gr_show_banded(double value, double low, double high, int digits, const char *unit)
{
    GrShown shown = gr_show(value, digits, unit);
    const size_t used = strlen(shown.text);
    if (!isnan(low) || !isnan(high)) {
        double scale;
        prefix_of(unit, value, &scale);
        snprintf(shown.text + used, sizeof shown.text - used, " (90 %%: %.40s)",
                 gr_show_range(scale * low, scale * high, digits).text);
    }
    return shown;
}
