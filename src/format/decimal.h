/// Numbers as text, fast: what printf("%.9g") writes, some twenty times sooner, with a decimal point in every locale.
#ifndef GR_DECIMAL_H
#define GR_DECIMAL_H

enum { GR_DECIMAL_SIZE = 32 };

/// Writes up to 9 significant digits, no zero byte; returns the length. Zero of either sign is "0".
int gr_decimal_write(double value, char out[GR_DECIMAL_SIZE]);

#endif
