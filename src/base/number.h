/// Numbers as text: short, exact, and with a decimal point in every locale.
#ifndef GR_NUMBER_H
#define GR_NUMBER_H

#include "grouser/status.h"

#include <stdarg.h>
#include <stddef.h>

enum { GR_NUMBER_SIZE = 40 };

/// strtod() and snprintf() with a decimal point whatever the locale of the program that uses the library. All numbers
/// of this library are read and printed by them; tools/lint looks for others.
double gr_number_read(const char *text, char **end);
int gr_print(char *out, size_t size, const char *format, ...) GR_PRINTF(3, 4);
int gr_vprint(char *out, size_t size, const char *format, va_list args);

/// Shortest text that reads back as the same double: 0.1, 12, 1e-7, -0, inf, nan. Returns its length.
int gr_number_format(double value, char out[GR_NUMBER_SIZE]);

/// The same, rounded to `digits` significant digits (1 .. 17): 9.80665 with 3 is 9.81.
int gr_number_round(double value, int digits, char out[GR_NUMBER_SIZE]);

/// Rounded to `decimals` places (0 .. 6), without trailing zeros and without "-0"; |value| < 1e12.
int gr_number_fixed(double value, int decimals, char out[GR_NUMBER_SIZE]);

/// 0 in place of what rounding leaves: a value below `accuracy`.
static inline double gr_without_noise(double value, double accuracy)
{
    return value > -accuracy && value < accuracy ? 0 : value;
}

/// A number as people read it, with its unit.
typedef struct GrShown {
    char text[96];
} GrShown;

/// Rounded to `digits` significant digits: gr_show(0.03126, 3, "m").text is "0.0313 m". NAN is "–", infinity "∞".
/// Joules, newtons, watts and pascals of more than four digits get a prefix: "54.3 kJ".
GrShown gr_show(double value, int digits, const char *unit);

/// The unit in which gr_show() gives a value, for the heads of tables: "kJ", with `scale` 0.001.
GrShown gr_show_unit(double value, const char *unit, double *scale);

/// "3.1 … 4.7"; an end that is NAN is "no value".
GrShown gr_show_range(double low, double high, int digits);

/// "21.3 N (90 %: 15 … 28)"; without the parenthesis where the band has no end.
GrShown gr_show_banded(double value, double low, double high, int digits, const char *unit);

#endif
