#include "compact.h"

#include "elementary.h"
#include "evaluate.h"
#include "extras.h"
#include "pressing.h"

#include <math.h>

// ---- Kinks of the line of unloading (pressing.h) within steps.

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
    double slope;
    const double sinkage = gr_law_sinkage(t->w, t->sinkage + t->dt * (t->from - rate), &slope);
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

// ---- compaction

/// p(z) under a strip of the wheel's width, and its derivative.
static double strip_pressure(const GrSoilWheel *w, double z, double *by_depth)
{
    double p = 0;
    *by_depth = 0;
    for (int k = 0; k < w->term_count; k++) {
        const double n = w->terms[k].exponent,
                     part = gr_exp(w->terms[k].log_pressure + n * (gr_log(z) - w->log_length));
        p += part;
        *by_depth += n * part / z;
    }
    return p;
}

double gr_compact_gain(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage)
{
    const double n = w->compaction, rho = w->soil.rebound, knee = rho * compacted / (1 - rho);
    const double h = fmax(sinkage, knee);
    if (w->term_count > 1) {
        double all_h, new_h;
        const double all = strip_pressure(w, compacted + h, &all_h), new = strip_pressure(w, h, &new_h);
        *by_sinkage = sinkage > knee ? all_h / all - new_h / new : 0;
        return all / new;
    }
    *by_sinkage = sinkage > knee ? -n * compacted / (h * (compacted + h)) : 0;
    return gr_pow((compacted + h) / h, n);
}

static GrSoilWheel firm_soil(const GrSoilWheel *w, double compacted, double sinkage, double *by_sinkage)
{
    const double gain = gr_compact_gain(w, compacted, sinkage, by_sinkage);
    GrSoilWheel firm = *w;
    firm.pressure *= gain;
    firm.log_pressure += gr_log(gain);
    for (int k = 0; k < firm.term_count; k++) {
        firm.terms[k].log_pressure += gr_log(gain);
    }
    firm.soil.stiffness *= gain;
    return firm;
}

void gr_compact_evaluate(const GrSoilWheel *w, double compacted, const GrSoilMotion *motion, double dt,
                         const double *old_state, double *new_state, GrSoilOutput *out)
{
    double deepest = 0, by_sinkage;
    for (int k = 0; k < w->slices; k++) {
        deepest = fmax(deepest, motion->sinkage[k]);
    }
    if (!(compacted > 0) || !(deepest > 0)) {
        gr_soil_evaluate(w, motion, dt, old_state, new_state, out);
        return;
    }
    const GrSoilWheel firm = firm_soil(w, compacted, deepest, &by_sinkage);
    gr_soil_evaluate(&firm, motion, dt, old_state, new_state, out);
    out->d_sinkage[2] += by_sinkage * out->wrench[2];
}

bool gr_compact_turns(const GrSoilWheel *w, double compacted, double from, double sinkage, double dt,
                      const double *old_state, double end, double *rate)
{
    double by_sinkage;
    if (!w->unloads || !(compacted > 0) || !(sinkage > 0)) {
        return gr_soil_turns(w, from, sinkage, dt, old_state, end, rate);
    }
    const GrSoilWheel firm = firm_soil(w, compacted, sinkage, &by_sinkage);
    return gr_soil_turns(&firm, from, sinkage, dt, old_state, end, rate);
}
