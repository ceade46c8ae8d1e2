/// Wheel and soil as two springs with dampers in series (O23 eq. 4-6), with Coulomb friction that sticks.
///   u_tot = u_wheel + u_soil,  k_w u_w + β_w u̇_w = k_s u_s + β_s u̇_s
/// u_tot is the sinkage. Derivatives by backward stencils: n points, order n − 1; n = 2 is backward Euler. The law
/// depends on the motion through u_tot alone, as in the paper.
#include "friction.h"
#include "law.h"

#include <math.h>
#include <string.h>

enum { HISTORY = 4 };

/// Newest first: c[0] u_now + c[1] u_1 back + …
static const double stencil[6][HISTORY + 1] = {
    [2] = {1, -1},
    [3] = {3.0 / 2, -2, 1.0 / 2},
    [4] = {11.0 / 6, -3, 3.0 / 2, -1.0 / 3},
    [5] = {25.0 / 12, -4, 3, -4.0 / 3, 1.0 / 4},
};

/// Past of the slice. All zeros: fresh contact, both springs at rest at h = 0.
typedef struct Past {
    double count;          ///< steps known beyond the last
    double dt;             ///< step of the history; a different step restarts it
    double total[HISTORY]; ///< newest first
    double wheel[HISTORY];
} Past;

_Static_assert(sizeof(Past) == GR_STENCIL_STATE * sizeof(double), "flat state");

static void remember(const Past *past, double total, double wheel, double dt, Past *out)
{
    out->count = past->dt == dt ? fmin(past->count + 1, HISTORY - 1) : 0;
    out->dt = dt;
    for (int i = HISTORY - 1; i > 0; i--) {
        out->total[i] = past->total[i - 1];
        out->wheel[i] = past->wheel[i - 1];
    }
    out->total[0] = total;
    out->wheel[0] = wheel;
}

/// f_z at an instant within a step, by u̇_tot = −v_z: differences over the time since the step began would amplify the
/// noise of h. The wheel's spring follows from the beginning of the step by backward Euler:
///   (β_w + β_s) u̇_w = k_s (h − u_w) − k_w u_w + β_s u̇_tot
static double force_at_instant(const GrSoilWheel *w, const GrPatchInput *in, const Past *past, double *derivative)
{
    const double share = 1.0 / w->slices, rate = -in->twist[2];
    const double k_s = share * w->soil.stiffness, b_s = share * w->soil.rheology_damping;
    const double k_w = share * w->wheel.stiffness, b = b_s + share * w->wheel.damping;
    double wheel = 0, wheel_h = 0, wheel_rate = 0;
    if (!isinf(k_w)) {
        const double bottom = b + in->dt * (k_w + k_s);
        wheel = bottom > 0 ? (b * past->wheel[0] + in->dt * (k_s * in->h + b_s * rate)) / bottom
                           : k_s * in->h / (k_w + k_s);
        wheel_h = bottom > 0 ? in->dt * k_s / bottom : k_s / (k_w + k_s);
        wheel_rate = b > 0 ? (k_s * (in->h - wheel) - k_w * wheel + b_s * rate) / b : 0;
    }
    *derivative = k_s * (1 - wheel_h);
    return k_s * (in->h - wheel) + b_s * (rate - wheel_rate);
}

/// f_z and ∂f_z/∂h; u_w by O23 eq. 6.
static double series_force(const GrSoilWheel *w, const GrPatchInput *in, const Past *past, Past *now,
                           double *derivative)
{
    const double share = 1.0 / w->slices, dt = in->dt;
    const double k_s = share * w->soil.stiffness, b_s = share * w->soil.rheology_damping;
    const double k_w = share * w->wheel.stiffness, b_w = share * w->wheel.damping;
    if (in->steady) {
        const double k = isinf(k_w) ? k_s : k_s * k_w / (k_s + k_w);
        *derivative = k;
        return k * in->h;
    }
    if (in->instant) {
        *now = *past;
        return force_at_instant(w, in, past, derivative);
    }
    const int known = past->dt == dt ? (int)past->count : 0;
    const int n = w->soil.stencil < known + 2 ? w->soil.stencil : known + 2;
    const double *c = stencil[n];
    double sum_total = 0, sum_wheel = 0;
    for (int i = 1; i < n; i++) {
        sum_total += c[i] * past->total[i - 1];
        sum_wheel += c[i] * past->wheel[i - 1];
    }
    double wheel = 0, wheel_h = 0;
    if (!isinf(k_w)) {
        const double bottom = (k_w + k_s) * dt + (b_w + b_s) * c[0];
        wheel_h = (dt * k_s + b_s * c[0]) / bottom;
        wheel = (-(b_w + b_s) * sum_wheel + b_s * sum_total) / bottom + wheel_h * in->h;
    }
    const double soil_rate = (c[0] * (in->h - wheel) + sum_total - sum_wheel) / dt;
    remember(past, in->h, wheel, dt, now);
    *derivative = (1 - wheel_h) * (k_s + b_s * c[0] / dt);
    return k_s * (in->h - wheel) + b_s * soil_rate;
}

void gr_patch_double_spring(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    Past past, now;
    memset(out, 0, sizeof *out);
    memset(&now, 0, sizeof now);
    memcpy(&past, old + GR_FRICTION_STATE, sizeof past);
    double derivative;
    const double f = series_force(w, in, &past, &now, &derivative);
    if (f > 0) {
        out->wrench[2] = f;
        out->d_h[2] = derivative;
    }
    gr_friction_add(w, in, old, next, out);
    memcpy(next + GR_FRICTION_STATE, &now, sizeof now);
}

static double exponent(const GrSoilDef *soil)
{
    (void)soil;
    return 1; // two springs in series
}

const GrLaw gr_law_double_spring = {
    .name = "double_spring",
    .text = "wheel and soil compliance in series (Oettershagen et al. 2023)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_SPRING | GR_LAW_STENCIL | GR_LAW_SERIES,
    .nodes = 0,
    .slice_state = GR_FRICTION_STATE + GR_STENCIL_STATE,
    .exponent = exponent,
};
