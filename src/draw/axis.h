/// Ticks of an axis at round numbers.
#ifndef GR_AXIS_H
#define GR_AXIS_H

#include "number.h"

#include <stdbool.h>

enum { GR_MAX_TICKS = 24 };

typedef struct GrAxis {
    double lower, upper; ///< lower < upper
    double step;         ///< between ticks: 1, 2 or 5 times a power of ten
    int tick_count;
    double ticks[GR_MAX_TICKS];
} GrAxis;

/// Axis over [lower, upper] with about `wanted` ticks (2 .. 12). `widen`: move the ends out to the next ticks. A range
/// that is empty or not finite is widened to one that can be drawn.
GrAxis gr_axis_make(double lower, double upper, int wanted, bool widen);

/// 1, 2 or 5 times a power of ten, at most `length` (> 0).
double gr_axis_round_length(double length);

/// Tick text with as many decimals as the step needs; the minus sign is U+2212.
void gr_axis_label(const GrAxis *axis, double tick, char out[GR_NUMBER_SIZE]);

#endif
