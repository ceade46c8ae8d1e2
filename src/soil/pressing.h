/// Fraction of the virgin pressure P h^n that presses: less where soil has been dug out, and where it is unloaded; and
/// the further terms of a pressure that is a sum of powers (bearing.h).
///
///   e = H − D,  σ/σ_virgin = (e/h)^n (1 − U/l),  l = P e^n/(k_0 + A_u H)
/// D is the depth that was dug out. H = h + U is the sinkage at which the soil was loaded most, and U > 0 the rise of
/// the wheel since: unloading and reloading follow a straight line of slope k_0 + A_u H (Wong 2008) from the pressure
/// at H to zero at U = l. Soil without k_0 and A_u rebounds by a fixed part of the sinkage, l = ρ e; with ρ = 0 it
/// unloads along the virgin curve: U stays 0.
#ifndef GR_PRESSING_H
#define GR_PRESSING_H

#include "bearing.h"
#include "elementary.h"
#include "patch.h"

#include <math.h>

typedef struct GrPressing {
    double log;          ///< ln of the fraction; far below zero where nothing presses
    double slope;        ///< its derivative by h, dU = −κ′ dh, divided by n: the wheel moves, and not the ground
    double bond, bond_h; ///< factor on cohesion, which ends with the contact
    /// Further terms: stress exp(log + n ln z), with ∂ log/∂h in `more_slope`.
    int more;
    double more_log[GR_PRESSURE_TERMS - 1], more_exponent[GR_PRESSURE_TERMS - 1], more_slope[GR_PRESSURE_TERMS - 1];
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
    if (w->term_count > 0) {
        double by_depth;
        const double sum = gr_bearing_pressure(w, in->exponent, deepest, reach, &by_depth) / stiffness;
        return (GrUnloading){sum, by_depth / stiffness - sum * grow / stiffness};
    }
    const double line = gr_exp(w->log_pressure + in->exponent * (gr_log(reach) - w->log_length)) / stiffness;
    return (GrUnloading){line, line * (in->exponent / reach - grow / stiffness)};
}

/// The line is never less steep than the virgin curve of this exponent: soil would yield energy.
static inline GrUnloading gr_unloading(const GrSoilWheel *w, const GrPatchInput *in, double exponent, double deepest,
                                       double reach)
{
    const GrUnloading line = gr_unloading_given(w, in, deepest, reach);
    const double by_most = exponent > 1 ? 1 / exponent : 1;
    return line.length > by_most * reach ? (GrUnloading){by_most * reach, by_most} : line;
}

/// Fraction of the stress that is left after a rise of `risen`, and its derivative by h, where dU = −κ′ dh, κ′ = dU/dz.
static inline double gr_unloading_left(const GrUnloading *line, const GrPatchInput *in, double risen, double *by_h)
{
    const double part = risen / line->length;
    *by_h = (in->lifting + part * line->by_deepest * (1 - in->lifting)) / line->length;
    return 1 - part;
}

/// Factor on what ends with the contact, and its derivative by h: cohesion, and damping. It does not depend on what was
/// dug out.
static inline double gr_unloading_bond(const GrSoilWheel *w, const GrPatchInput *in, double *by_h)
{
    const double deepest = in->h + in->risen;
    const GrUnloading whole = gr_unloading(w, in, 1, deepest, deepest);
    const double held = gr_unloading_left(&whole, in, in->risen, by_h);
    *by_h = held > 0 ? *by_h : 0;
    return held > 0 ? held : 0;
}

/// Soil that is loaded beyond its deepest sinkage so far.
static inline GrPressing gr_pressing_loaded(const GrPatchInput *in, double reach)
{
    GrPressing out = {.bond = 1};
    if (in->dug > 0) {
        out.log = in->exponent * gr_log(reach / in->h);
        out.slope = in->dug / (in->h * reach);
    }
    return out;
}

/// Of the first term, as if the contact were a strip of the wheel's width.
static inline GrPressing gr_pressing_first(const GrSoilWheel *w, const GrPatchInput *in)
{
    const double risen = in->risen > 0 ? in->risen : 0, deepest = in->h + risen, reach = deepest - in->dug;
    if (!(risen > 0)) {
        return reach > 0 ? gr_pressing_loaded(in, reach) : (GrPressing){.log = GR_PRESSING_NOTHING, .bond = 1};
    }
    GrPressing out = {.log = GR_PRESSING_NOTHING};
    out.bond = gr_unloading_bond(w, in, &out.bond_h);
    if (!(reach > 0)) {
        return out;
    }
    double by_h;
    const GrUnloading line = gr_unloading(w, in, in->exponent + w->steeper, deepest, reach);
    const double left = gr_unloading_left(&line, in, risen, &by_h);
    if (left > 0) {
        out.log = in->exponent * gr_log(reach / in->h) + gr_log(left);
        out.slope = (1 - in->lifting) / reach + by_h / (left * in->exponent) - 1 / in->h;
    }
    return out;
}

/// Contact and further terms of GR_PRESSURE_BEARING. `out->log` has n ln(e/h) and the fraction left by unloading, which
/// all terms share.
static inline void gr_pressing_bearing(const GrSoilWheel *w, const GrPatchInput *in, GrPressing *out)
{
    const double risen = in->risen > 0 ? in->risen : 0, deepest = in->h + risen, reach = deepest - in->dug;
    const double moves = risen > 0 ? 1 - in->lifting : 1; // ∂H/∂h
    const double n = in->exponent, ratio = gr_log(reach / in->h), ratio_h = moves / reach - 1 / in->h;
    const double left = out->log - n * ratio, left_h = n * (out->slope - ratio_h);
    const GrBearingTerms terms = gr_bearing_terms(w, n, deepest);
    out->more = w->term_count - 1;
    for (int k = 0; k < out->more; k++) {
        const double n_k = terms.exponent[k + 1];
        out->more_log[k] = terms.log[k + 1] + n_k * ratio + left;
        out->more_exponent[k] = n_k;
        out->more_slope[k] = n_k * ratio_h + left_h + moves * terms.slope[k + 1];
    }
    out->log += terms.log[0] - (w->log_pressure - n * w->log_length);
    out->slope += moves * terms.slope[0] / n;
}

static inline GrPressing gr_pressing(const GrSoilWheel *w, const GrPatchInput *in)
{
    GrPressing out = gr_pressing_first(w, in);
    if (w->term_count > 0 && out.log > GR_PRESSING_NOTHING) {
        gr_pressing_bearing(w, in, &out);
    }
    return out;
}

/// Adds the further terms at a depth with the logarithm `log_z`, whose derivative by h is `log_z_h`.
static inline void gr_pressing_add(const GrPressing *p, double log_z, double log_z_h, double *sigma, double *sigma_h)
{
    for (int k = 0; k < p->more; k++) {
        const double part = gr_exp(p->more_log[k] + p->more_exponent[k] * log_z);
        *sigma += part;
        *sigma_h += part * (p->more_exponent[k] * log_z_h + p->more_slope[k]);
    }
}

#endif
