/// Kinks of the line of unloading (pressing.h) within steps.
#include "evaluate.h"
#include "memory.h"
#include "plough.h"
#include "pressing.h"

/// Part of the load that a step may miss, and how far from its end the wheel may be evaluated: the soil's shear
/// remembers the load of the evaluation.
static const double TOLERANCE = 1e-8, CLOSE = 1e-6;

/// A wheel in a step that is solved with forces at its end: what it was evaluated with.
typedef struct Turn {
    const GrSoilWheel *w;
    const double *old;
    double from, sinkage, dt; ///< normal velocity, sinkage, step
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
    return reach > 0 ? gr_unloading(t->w, &in, in.exponent + t->w->steeper, deepest, reach).length : 0;
}

/// At the end of the step with the normal velocity `rate`.
static Loss loss_with(const Turn *t, double rate)
{
    const double sinkage = t->sinkage + t->dt * (t->from - rate);
    const GrRise rise = gr_rise(rate, t->dt, t->old);
    const double risen = t->old[GR_HEAD_RISEN] + rise.way;
    if (!(risen > 0)) {
        return (Loss){0};
    }
    const double line = line_from(t, sinkage + risen);
    return risen < line ? (Loss){risen / line, t->dt * rise.slope / line} : (Loss){1, 0};
}

/// A normal velocity between two, `low` with less loss than `high`, at which the loss changes: bisection.
static double onto_line(const Turn *t, double low, double high)
{
    const double part = loss_with(t, low).part;
    double rate = 0.5 * (low + high);
    for (int i = 0; i < 50; i++) {
        const Loss loss = loss_with(t, rate);
        if (loss.slope > 0) {
            return rate;
        }
        low = loss.part > part ? low : rate;
        high = loss.part > part ? rate : high;
        rate = 0.5 * (low + high);
    }
    return rate;
}

/// The first kink on the way from a normal velocity on the line to `end` beyond it: where the wheel leaves the line at
/// either end, or begins or ends to roll onto new soil. The loss is straight between them.
static double first_kink(const Turn *t, Loss taken, double end)
{
    const double climb = t->old[GR_HEAD_CLIMB], way = end > t->from ? 1 : -1;
    const double kinks[] = {t->from - taken.part / taken.slope, t->from + (1 - taken.part) / taken.slope, 0, climb};
    double first = end;
    for (int i = 0; i < 4; i++) {
        first = way * (kinks[i] - t->from) > 0 && way * (first - kinks[i]) > 0 ? kinks[i] : first;
    }
    return first;
}

bool gr_soil_turns(const GrSoilWheel *w, double from, double sinkage, double dt, const double *old, double end,
                   double *rate)
{
    const Turn t = {.w = w, .old = old, .from = from, .sinkage = sinkage, .dt = dt};
    if (!w->unloads) {
        return false;
    }
    const Loss taken = loss_with(&t, from), found = loss_with(&t, end);
    const double change = found.part - taken.part;
    if (fabs(change - taken.slope * (end - from)) <= TOLERANCE && fabs(change) <= CLOSE) {
        return false;
    }
    *rate = end;
    if (taken.slope > 0 && !(found.slope > 0)) {
        // A step that ends at a kink would alternate between its sides, since forces are not quite straight: from a
        // place on the line that is farther from it than the end of the step, it goes to one close by.
        const double kink = first_kink(&t, taken, end), off = from - kink;
        *rate = fabs(end - kink) < fabs(off) ? kink + 1e-6 * off : end;
    } else if (!(taken.slope > 0) && !(found.slope > 0)) {
        // From one flat part of the force over a steep one to the next, as from the virgin curve into the air: the step
        // may end on the steep one as well.
        *rate = onto_line(&t, fmin(from, end), fmax(from, end));
    }
    return true;
}
