/// Numbers as text: short, exact, and with a decimal point in every locale.
#ifndef GR_NUMBER_H
#define GR_NUMBER_H

enum { GR_NUMBER_SIZE = 40 };

/// Shortest text that reads back as the same double: 0.1, 12, 1e-7, -0, inf, nan. Returns its length.
int gr_number_format(double value, char out[GR_NUMBER_SIZE]);

/// The same, rounded to `digits` significant digits (1 .. 17): 9.80665 with 3 is 9.81.
int gr_number_round(double value, int digits, char out[GR_NUMBER_SIZE]);

/// Rounded to `decimals` places (0 .. 6), without trailing zeros and without "-0"; |value| < 1e12.
int gr_number_fixed(double value, int decimals, char out[GR_NUMBER_SIZE]);

#endif
