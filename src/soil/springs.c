/// Laws of springs and dampers: wheel and soil as two springs in series, soil as one; Coulomb friction that sticks.
#include "elementary.h"
#include "law.h"
#include "patch.h"

#include <math.h>
#include <string.h>

// ---- friction

/// Force in the plane, with derivatives by slip velocity (2 × 2) and by normal force.
typedef struct Friction {
    double f[2], by_v[2][2], by_n[2];
} Friction;

/// Sticks while |k e + c v| ≤ μ N, with e after the step; slides with |f| = μ N and the spring stretched accordingly.
static Friction friction(const GrSoilDef *soil, double normal, const double v[2], double dt, const double *old,
                         double *next)
{
    const double k = soil->tangential_stiffness, gain = k * dt + soil->tangential_damping;
    const double limit = soil->friction * normal;
    Friction out = {{-(k * old[0] + gain * v[0]), -(k * old[1] + gain * v[1])}, {{-gain, 0}, {0, -gain}}, {0, 0}};
    const double size = sqrt(out.f[0] * out.f[0] + out.f[1] * out.f[1]);
    next[0] = old[0] + dt * v[0];
    next[1] = old[1] + dt * v[1];
    if (size <= limit) {
        return out;
    }
    const double e[2] = {out.f[0] / size, out.f[1] / size};
    for (int i = 0; i < 2; i++) {
        out.f[i] = limit * e[i];
        out.by_n[i] = soil->friction * e[i];
        next[i] = -out.f[i] / k;
        for (int j = 0; j < 2; j++) {
            out.by_v[i][j] = -gain * limit / size * ((i == j ? 1 : 0) - e[i] * e[j]);
        }
    }
    return out;
}

/// Steady sliding: μ N against the slip velocity, 0 where there is none.
static Friction sliding(const GrSoilDef *soil, double normal, const double v[2])
{
    Friction out = {{0, 0}, {{0, 0}, {0, 0}}, {0, 0}};
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1]);
    for (int i = 0; i < 2 && speed > 0; i++) {
        out.f[i] = -soil->friction * normal * v[i] / speed;
    }
    return out;
}

/// Adds friction under normal force f_z = out->wrench[2] at the lowest point of the rim, with derivatives; f_z and its
/// derivatives must be set. `old` and `next` are the stretches of the spring along x and y [m].
static void friction_add(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    // Lowest point (0, 0, −r): its slip velocity, and the torques of the force there.
    const double r = w->radius, *u = in->twist;
    const double v[2] = {u[0] - r * u[4], u[1] + r * u[3]};
    const double normal = out->wrench[2];
    const Friction g = in->steady ? sliding(&w->soil, normal, v) : friction(&w->soil, normal, v, in->dt, old, next);
    const double velocity[2][6] = {{1, 0, 0, 0, -r, 0}, {0, 1, 0, r, 0, 0}};
    for (int i = 0; i < 6; i++) {
        const double arm[2] = {velocity[0][i], velocity[1][i]};
        out->wrench[i] += arm[0] * g.f[0] + arm[1] * g.f[1];
        if (i == 2) {
            continue;
        }
        const double by_n = arm[0] * g.by_n[0] + arm[1] * g.by_n[1];
        out->d_h[i] += by_n * out->d_h[2];
        for (int j = 0; j < 6; j++) {
            double by = by_n * out->d_twist[2][j];
            for (int a = 0; a < 2; a++) {
                by += arm[a] * (g.by_v[a][0] * velocity[0][j] + g.by_v[a][1] * velocity[1][j]);
            }
            out->d_twist[i][j] += by;
        }
    }
    out->strength = w->soil.friction * normal;
    // Rolling resistance follows the rolling memory: it vanishes at rest.
    const double resist = -w->soil.rolling_resistance * r * in->roll;
    out->wrench[4] += resist * normal;
    out->d_h[4] += resist * out->d_h[2];
    for (int j = 0; j < 6; j++) {
        out->d_twist[4][j] += resist * out->d_twist[2][j];
    }
}

// ---- double_spring
//
// Wheel and soil as two springs with dampers in series (O23 eq. 4-6), with Coulomb friction that sticks.
//   u_tot = u_wheel + u_soil,  k_w u_w + β_w u̇_w = k_s u_s + β_s u̇_s
// u_tot is the sinkage. Derivatives by backward stencils: n points, order n − 1; n = 2 is backward Euler. The law
// depends on the motion through u_tot alone, as in the paper.

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
    friction_add(w, in, old, next, out);
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

// ---- rheological

void gr_patch_rheological(const GrSoilWheel *w, const GrPatchInput *in, const double *old, double *next, GrPatch *out)
{
    const GrSoilDef *s = &w->soil;
    const double n = s->stiffness_exponent, sink_rate = in->steady ? 0 : -in->twist[2];
    const double power = gr_pow(in->h, n), derivative = n * power / in->h;
    memset(out, 0, sizeof *out);
    // Kelvin-Voigt k h^n + c ḣ, its damper blended in over damping_depth; Hunt-Crossley k h^n + c ḣ h^n
    double part = power, part_h = derivative;
    if (s->rheology == GR_KELVIN_VOIGT) {
        const double x = in->h / s->damping_depth;
        part = x < 1 ? x * x * (3 - 2 * x) : 1;
        part_h = x < 1 ? 6 * x * (1 - x) / s->damping_depth : 0;
    }
    const double share = 1.0 / w->slices;
    const double f = share * (s->stiffness * power + s->rheology_damping * sink_rate * part);
    if (f > 0) {
        out->wrench[2] = f;
        out->d_h[2] = share * (s->stiffness * derivative + s->rheology_damping * sink_rate * part_h);
        out->d_twist[2][2] = -share * s->rheology_damping * part;
    }
    friction_add(w, in, old, next, out);
}

const GrLaw gr_law_rheological = {
    .name = "rheological",
    .text = "spring and damper with Coulomb friction that sticks (Kelvin-Voigt, Hunt-Crossley)",
    .traits = GR_LAW_ANY | GR_LAW_WHEEL | GR_LAW_SPRING | GR_LAW_RHEOLOGY,
    .nodes = 0,
    .slice_state = GR_FRICTION_STATE,
    .exponent = exponent,
    .own = {{GR_SOIL_ROW("stiffness_exponent", "stiffness_exponent", "", "exponent of the normal force",
                         stiffness_exponent, 1, 0.5, 3, false, 0)}},
};
