#include "rainflow.h"

#include "elementary.h"

#include <math.h>

/// Keeps the first value, the last one and every reversal between them; returns how many.
static int find_reversals(const double *values, int count, double *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double value = values[i];
        if (!isfinite(value) || (n > 0 && value == out[n - 1])) {
            continue;
        }
        if (n > 1 && (value > out[n - 1]) == (out[n - 1] > out[n - 2])) {
            n--; // it goes on in the same direction
        }
        out[n++] = value;
    }
    return n;
}

static GrCycle cycle_between(double a, double b, double count)
{
    return (GrCycle){fabs(a - b), (a + b) / 2, count};
}

int gr_rainflow(const double *values, int count, double *work, GrCycle *out)
{
    const int reversals = find_reversals(values, count, work);
    int cycles = 0, top = 0; // work[0 .. top) are the reversals that are not discarded; the first is the start S
    for (int i = 0; i < reversals; i++) {
        work[top++] = work[i];
        while (top >= 3) {
            const double x = fabs(work[top - 1] - work[top - 2]), y = fabs(work[top - 2] - work[top - 3]);
            if (x < y) {
                break;
            }
            if (top == 3) { // Y contains the start: a half-cycle, and its end is the new start
                out[cycles++] = cycle_between(work[0], work[1], 0.5);
                work[0] = work[1];
                work[1] = work[2];
                top = 2;
            } else {
                out[cycles++] = cycle_between(work[top - 3], work[top - 2], 1);
                work[top - 3] = work[top - 1];
                top -= 2;
            }
        }
    }
    for (int i = 0; i + 1 < top; i++) {
        out[cycles++] = cycle_between(work[i], work[i + 1], 0.5);
    }
    return cycles;
}

double gr_equivalent_range(const GrCycle *cycles, int count, double exponent, double equivalent_cycles)
{
    double largest = 0, damage = 0; // relative to the largest range, so that no power overflows
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, cycles[i].range);
    }
    for (int i = 0; i < count && largest > 0; i++) {
        damage += cycles[i].count * gr_pow(cycles[i].range / largest, exponent);
    }
    return largest > 0 ? largest * gr_pow(damage / equivalent_cycles, 1 / exponent) : 0;
}
