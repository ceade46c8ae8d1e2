/// Numbers as text, fast: what printf("%.9g") writes, about twenty times as fast, with a decimal point in every locale.
///
/// No library: printf is what this replaces, C has no to_chars, and Debian's libraries of this kind are C++.
#ifndef GR_DECIMAL_H
#define GR_DECIMAL_H

enum { GR_DECIMAL_SIZE = 32 };

/// Writes up to 9 significant digits, without a terminating zero byte; returns the length. Zero of either sign is "0".
int gr_decimal_write(double value, char out[GR_DECIMAL_SIZE]);

#endif
