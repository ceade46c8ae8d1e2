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

#endif
