/// Kinks of the line of unloading (pressing.h) within steps.
#include "evaluate.h"
#include "memory.h"
#include "plough.h"
#include "pressing.h"

/// Part of the load that a step may miss.
static const double TOLERANCE = 1e-8;

/// A wheel in a step that is solved with forces at its end: what it was evaluated with.
typedef struct Turn {
    const GrSoilWheel *w;
    const double *twist, *old;
    double sinkage, dt;
} Turn;

/// Part of its load that a wheel has lost, 0 on the virgin curve to 1 in the air, and its slope over the normal
/// velocity.
typedef struct Loss {
    double part, slope;
} Loss;

/// Length of the line of soil that was loaded to H.
static double line_from(const Turn *t, double deepest)
{
    const double *old = t->old;
    GrPatchInput in = {0};
    int flags = 0;
    gr_base_input(t->w, old[GR_HEAD_ROLL], old[GR_HEAD_SLIP], old[GR_HEAD_ANGLE], old[GR_HEAD_ANGLE_USED], &in, &flags);
    if (t->w->digs) {
        gr_plough_input(t->w, old[GR_HEAD_SINKAGE], &in);
    }
    const double reach = deepest - in.dug;
    return reach > 0 ? gr_unloading(t->w, &in, in.exponent, deepest, reach).length : 0;
}

/// At the end of the step with the normal velocity `rate`.
static Loss loss_with(const Turn *t, double rate)
{
    const double sinkage = t->sinkage + t->dt * (t->twist[2] - rate);
    const GrRise rise = gr_rise(t->w, t->twist, rate, t->dt, t->old);
    const double risen = t->old[GR_HEAD_RISEN] + rise.way;
    if (!(risen > 0)) {
        return (Loss){0};
    }
    const double line = line_from(t, sinkage + risen);
    return risen < line ? (Loss){risen / line, t->dt * rise.slope / line} : (Loss){1, 0};
}

/// A normal velocity between two on either side of the line with which the wheel ends on it: bisection.
static double onto_line(const Turn *t, double low, double high)
{
    double rate = 0.5 * (low + high);
    for (int i = 0; i < 50; i++) {
        const double part = loss_with(t, rate).part;
        if (part > 0 && part < 1) {
            return rate;
        }
        low = part > 0 ? low : rate;
        high = part > 0 ? rate : high;
        rate = 0.5 * (low + high);
    }
    return rate;
}

bool gr_soil_turns(const GrSoilWheel *w, const double *twist, double sinkage, double dt, const double *old, double end,
                   double *rate)
{
    const Turn t = {.w = w, .twist = twist, .old = old, .sinkage = sinkage, .dt = dt};
    const double from = twist[2];
    if (!w->unloads) {
        return false;
    }
    const Loss taken = loss_with(&t, from), found = loss_with(&t, end);
    if (fabs(found.part - taken.part - taken.slope * (end - from)) <= TOLERANCE) {
        return false;
    }
    // Over the line at once, from curve to air or back: the step may end on the line as well.
    *rate = fabs(found.part - taken.part) == 1 ? onto_line(&t, fmin(from, end), fmax(from, end)) : end;
    return true;
}
