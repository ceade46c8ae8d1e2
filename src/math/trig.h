/// Sine and cosine of many angles at once: a plain loop that the compiler turns into vector code.
#ifndef GR_TRIG_H
#define GR_TRIG_H

/// sine[i], cosine[i] of angle[i], within 2e-16 for |angle| up to 1e6; elementary.h takes over beyond.
void gr_sincos(int count, const double *angle, double *sine, double *cosine);

#endif
