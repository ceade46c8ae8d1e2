#include "axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// The round number (1, 2, 5 × 10^n) next above `raw`, or next below it.
static double round_step(double raw, bool up)
{
    const double power = pow(10, floor(log10(raw)));
    const double m = raw / power;
    const double slack = 1e-9;
    if (up) {
        return power * (m <= 1 + slack ? 1 : m <= 2 + slack ? 2 : m <= 5 + slack ? 5 : 10);
    }
    return power * (m >= 10 - slack ? 10 : m >= 5 - slack ? 5 : m >= 2 - slack ? 2 : 1);
}

double gr_axis_round_length(double length)
{
    return round_step(length, false);
}

GrAxis gr_axis_make(double lower, double upper, int wanted, bool widen)
{
    if (!isfinite(lower) || !isfinite(upper) || lower > upper) {
        lower = 0;
        upper = 1;
    }
    const double magnitude = fmax(fabs(lower), fabs(upper));
    if (upper - lower <= 1e-12 * magnitude || upper - lower < 1e-290) {
        const double half = magnitude > 0 ? 0.1 * magnitude : 0.5;
        lower -= half;
        upper += half;
    }
    GrAxis axis = {.lower = lower, .upper = upper};
    axis.step = round_step((upper - lower) / wanted, true);
    const double slack = 1e-9 * axis.step;
    double first = ceil((lower - slack) / axis.step);
    double last = floor((upper + slack) / axis.step);
    if (widen) {
        first = floor((lower + slack) / axis.step);
        last = ceil((upper - slack) / axis.step);
        axis.lower = first * axis.step;
        axis.upper = last * axis.step;
    }
    const int count = (int)fmin(last - first + 1, GR_MAX_TICKS);
    for (int i = 0; i < count; i++) {
        axis.ticks[axis.tick_count++] = (first + i) * axis.step;
    }
    return axis;
}

void gr_axis_label(const GrAxis *axis, double tick, char out[GR_NUMBER_SIZE])
{
    char text[GR_NUMBER_SIZE];
    const double size = fmax(fabs(axis->lower), fabs(axis->upper));
    const int decimals = (int)fmax(0, -floor(log10(axis->step) + 1e-9));
    if (size >= 1e6 || decimals > 5) {
        gr_number_round(fabs(tick) < 1e-9 * axis->step ? 0 : tick, 6, text);
        snprintf(out, GR_NUMBER_SIZE, "%s%s", text[0] == '-' ? "\xe2\x88\x92" : "", text + (text[0] == '-'));
        return;
    }
    // Whole number of steps in integer arithmetic: no locale, no "-0.00".
    double scale = 1;
    for (int i = 0; i < decimals; i++) {
        scale *= 10;
    }
    const long long n = llround(fabs(tick) * scale), s = (long long)scale;
    snprintf(out, GR_NUMBER_SIZE, "%s%lld", tick < 0 && n > 0 ? "\xe2\x88\x92" : "", n / s);
    if (decimals > 0) {
        const size_t length = strlen(out);
        snprintf(out + length, GR_NUMBER_SIZE - length, ".%0*lld", decimals, n % s);
    }
}
