/// Fraction of the virgin pressure P h^n that presses: less where soil has been dug out, and where it is unloaded.
///
///   e = H − D,  σ/σ_virgin = (e/h)^n (1 − U/l),  l = P e^n/(k_0 + A_u H)
/// D is the depth that was dug out. H = h + U is the sinkage at which the soil was loaded most, and U > 0 the rise of
/// the wheel since: unloading and reloading follow a straight line of slope k_0 + A_u H (Wong 2008) from the pressure
/// at H to zero at U = l. Soil without k_0 and A_u rebounds by a fixed part of the sinkage, l = ρ e; with ρ = 0 it
/// unloads along the virgin curve: U stays 0.
#ifndef GR_PRESSING_H
#define GR_PRESSING_H

#include "elementary.h"
#include "patch.h"

#include <math.h>

typedef struct GrPressing {
    double log;          ///< ln of the fraction; far below zero where nothing presses
    double slope;        ///< its derivative by h, dU = −κ dh, divided by n: the wheel moves, and not the ground
    double bond, bond_h; ///< factor on cohesion, which ends with the contact
} GrPressing;

static const double GR_PRESSING_NOTHING = -600; // e^−600 Pa

/// Line of unloading of soil that was loaded to H, of which e presses: length l [m], derivative by H.
typedef struct GrUnloading {
    double length, by_deepest;
} GrUnloading;

/// As the soil's file says.
static inline GrUnloading gr_unloading_given(const GrSoilWheel *w, const GrPatchInput *in, double deepest, double reach)
{
    const double grow = w->soil.unloading_grow, stiffness = w->soil.unloading_k0 + grow * deepest;
    if (!(stiffness > 0)) {
        return (GrUnloading){w->soil.unloading_rebound * reach, w->soil.unloading_rebound};
    }
    const double line = gr_exp(w->log_pressure + in->exponent * (gr_log(reach) - w->log_length)) / stiffness;
    return (GrUnloading){line, line * (in->exponent / reach - grow / stiffness)};
}

/// The line is never less steep than the virgin curve of this exponent: soil would yield energy. A step that is solved
/// once does not see the kink between curve and line: on a line that is shorter than the way that a wheel falls in a
/// step, a parked rover would hop. Such steps get a longer one.
static inline GrUnloading gr_unloading(const GrSoilWheel *w, const GrPatchInput *in, double exponent, double deepest,
                                       double reach)
{
    const GrUnloading line = gr_unloading_given(w, in, deepest, reach);
    const double least = in->secant ? w->wheel.gravity * in->dt * in->dt : 0;
    const double by_most = exponent > 1 ? 1 / exponent : 1;
    if (line.length > by_most * reach || least > by_most * reach) {
        return (GrUnloading){by_most * reach, by_most};
    }
    return line.length > least ? line : (GrUnloading){least, 0};
}

/// Whether the step is so long that the line is longer than the soil's.
bool gr_unloading_is_softened(const GrSoilWheel *w, const GrPatchInput *in, double sinkage);

/// Fraction of the stress that is left after a rise of `risen`, and its derivative by h, where dU = −κ dh.
static inline double gr_unloading_left(const GrUnloading *line, const GrPatchInput *in, double risen, double *by_h)
{
    const double part = risen / line->length;
    *by_h = (in->lifting + part * line->by_deepest * (1 - in->lifting)) / line->length;
    return 1 - part;
}

/// Weight of the slope of unloading in that of loaded soil. A step that is solved once with one slope does not see the
/// kink between the virgin curve and the line of unloading: with the slope of the curve, wheels that rock by a fraction
/// of the line would gain energy in long steps. `line`: how far the line reaches [m].
static inline double gr_line_weight(const GrPatchInput *in, double line)
{
    return in->secant && -in->risen < line ? in->lifting * (1 + in->risen / line) : 0;
}

/// Soil that is loaded beyond its deepest sinkage so far.
static inline GrPressing gr_pressing_loaded(const GrSoilWheel *w, const GrPatchInput *in, double reach)
{
    GrPressing out = {.bond = 1};
    if (in->dug > 0) {
        out.log = in->exponent * gr_log(reach / in->h);
        out.slope = in->dug / (in->h * reach);
    }
    if (in->secant && in->lifting > 0) {
        const double line = gr_unloading(w, in, in->exponent, in->h, reach).length;
        const double weight = gr_line_weight(in, line);
        out.slope += weight * (1 / (line * in->exponent) - 1 / in->h - out.slope);
        out.bond_h = weight / gr_unloading(w, in, 1, in->h, in->h).length;
    }
    return out;
}

static inline GrPressing gr_pressing(const GrSoilWheel *w, const GrPatchInput *in)
{
    const double risen = in->risen > 0 ? in->risen : 0, deepest = in->h + risen, reach = deepest - in->dug;
    if (!(risen > 0)) {
        return reach > 0 ? gr_pressing_loaded(w, in, reach) : (GrPressing){.log = GR_PRESSING_NOTHING, .bond = 1};
    }
    GrPressing out = {.log = GR_PRESSING_NOTHING};
    double by_h;
    const GrUnloading whole = gr_unloading(w, in, 1, deepest, deepest); // cohesion does not depend on what was dug out
    const double held = gr_unloading_left(&whole, in, risen, &by_h);
    if (held > 0) {
        out.bond = held;
        out.bond_h = by_h;
    }
    if (!(reach > 0)) {
        return out;
    }
    const GrUnloading line = gr_unloading(w, in, in->exponent, deepest, reach);
    const double left = gr_unloading_left(&line, in, risen, &by_h);
    if (left > 0) {
        out.log = in->exponent * gr_log(reach / in->h) + gr_log(left);
        out.slope = (1 - in->lifting) / reach + by_h / (left * in->exponent) - 1 / in->h;
    }
    return out;
}

#endif
