/// Reference forces of a transient run by adaptive quadrature: every angle of the arc keeps its mobilisation through
/// the whole history, by the law as documented (docs/soil-laws.md), one angle at a time, with libm. Memory and loads
/// are those of the run, so that only the quadrature differs.
#ifndef GR_TRANSIENT_REFERENCE_H
#define GR_TRANSIENT_REFERENCE_H

#include "support/soil_test.h"

#include "patch.h"

enum { HISTORY_MAX = 32 };

/// One step of a history: the motion, and what the run remembered before it.
typedef struct HistoryStep {
    GrSoilMotion motion;
    double dt;
    double roll, slip, angle, angle_used; ///< memory before the step
    double load, load_before;             ///< ∫τ_max after and before
} HistoryStep;

typedef struct History {
    const GrSoilWheel *wheel;
    HistoryStep steps[HISTORY_MAX];
    int count;
} History;

/// Mobilisation of one angle: m_x, m_y, M_x, M_y (M_x alone where both axes share one circle); m + T ṁ.
typedef struct Mobilised {
    double m[2], peak[2], damped[2];
} Mobilised;

/// One side of the arc at one step.
typedef struct Place {
    double theta, sigma, weight, length, c, s; ///< weight per du, L, means of cos θ and sin θ
} Place;

static inline Place place_at(const GrSoilWheel *w, const HistoryStep *k, int side, double u)
{
    const GrSoilDef *soil = &w->soil;
    const bool bekker = soil->law == GR_SOIL_BEKKER;
    const double r = w->radius, h = k->motion.sinkage[0], d = k->roll;
    const double theta1 = acos(1 - h / r), exit = bekker ? 0 : acos(1 - soil->exit_ratio * h / r);
    const double front = 0.5 * ((1 + d) * theta1 + (1 - d) * exit), rear = -0.5 * ((1 - d) * theta1 + (1 + d) * exit);
    const double q = bekker ? 0 : fmax(soil->peak_a1 + soil->peak_a2 * k->slip, -exit / theta1);
    const double peak = d * q * theta1, phi = (d * d * q * (1 - u) + u) * theta1;
    const double n = fmin(fmax(soil->n0 + soil->n1 * fabs(k->slip), 0.1), 3), z = r * (cos(phi) - cos(theta1));
    const double end = side == 0 ? front : rear, entry = d < 0 ? rear : front;
    Place p = {.theta = peak + u * (end - peak), .weight = w->slice_width * r * fabs(end - peak)};
    p.sigma = z > 0 ? w->pressure * pow(z / w->pressure_length, n) : 0;
    p.length = k->motion.twist[4] < 0 ? p.theta - rear : front - p.theta;
    const double gone = entry - p.theta;
    const double c = fabs(gone) > 1e-9 ? (sin(entry) - sin(p.theta)) / gone : cos(entry);
    const double s = fabs(gone) > 1e-9 ? (cos(p.theta) - cos(entry)) / gone : sin(entry);
    p.c = d * d * c + (1 - d * d) * cos(p.theta);
    p.s = d * d * s + (1 - d * d) * sin(p.theta);
    return p;
}

/// dt times the renewal rate.
static inline double renewed(const HistoryStep *k, const Place *p, double speed, double modulus)
{
    const double rate = fabs(k->motion.twist[4]), chi = p->length * speed / (rate * modulus);
    const double b = chi < 1e-10 ? 1 : chi > 600 ? 0 : chi / expm1(chi);
    return p->length > 1e-12 ? k->dt * rate / p->length * b : 1e300;
}

static inline void mobilise_step(const GrSoilWheel *w, const HistoryStep *k, const Place *p, Mobilised *g)
{
    const GrSoilDef *soil = &w->soil;
    const double *u = k->motion.twist, r = w->radius;
    const double v[2] = {r * u[4] - u[0] * p->c - u[2] * p->s, -(u[1] + r * u[5] * p->s + r * u[3] * p->c)};
    const double base[2] = {soil->shear_x, soil->shear_y}, slope[2] = {soil->shear_x_slope, soil->shear_y_slope};
    const double rho = k->load > k->load_before ? k->load_before / k->load : 1;
    const bool combined = soil->shear == GR_SHEAR_COMBINED;
    double push[2], was[2], seen[2], modulus[2];
    for (int i = 0; i < 2; i++) {
        const int from = combined ? 0 : i;
        modulus[i] = base[from] + slope[from] * k->angle;
        const double kept = rho * fmin(1, (base[from] + slope[from] * k->angle_used) / modulus[i]);
        was[i] = kept * g->m[i];
        seen[i] = kept * g->peak[i];
        push[i] = was[i] + k->dt * v[i] / modulus[i];
    }
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1]), pushed = sqrt(push[0] * push[0] + push[1] * push[1]);
    for (int i = 0; i < 2; i++) {
        const double size = combined ? pushed : fabs(push[i]), vi = combined ? speed : fabs(v[i]);
        const double a = renewed(k, p, vi, modulus[i]), faded = (combined ? seen[0] : seen[i]) / (1 + a);
        const double elastic = size / (1 + a), virgin = size / (1 + a + k->dt * vi / modulus[i]);
        const double m = fmax(virgin, fmin(elastic, faded));
        g->m[i] = size > 0 ? m * push[i] / size : 0;
        g->peak[i] = fmax(faded, m);
        g->damped[i] = g->m[i] + w->shear_time / k->dt * (g->m[i] - was[i]);
    }
    const double all = hypot(g->damped[0], g->damped[1]);
    for (int i = 0; i < 2; i++) {
        g->damped[i] /= fmax(1, combined ? all : fabs(g->damped[i]));
    }
}

/// A side of the peak, after a history.
typedef struct HistorySide {
    const History *history;
    int side;
} HistorySide;

/// f_x, f_y, f_z and torque/r per dt at u = 1 − (1 − t)² of a side, after the last step.
static inline void transient_stress(const void *context, double t, double out[4])
{
    const HistorySide *of = context;
    const History *h = of->history;
    const double u = 1 - (1 - t) * (1 - t);
    Mobilised g = {0};
    Place p = {0};
    for (int i = 0; i < h->count; i++) {
        p = place_at(h->wheel, &h->steps[i], of->side, u);
        mobilise_step(h->wheel, &h->steps[i], &p, &g);
    }
    const double weight = p.weight * 2 * (1 - t), tau = h->wheel->soil.cohesion + p.sigma * h->wheel->tan_phi;
    const double tx = tau * g.damped[0];
    out[0] = weight * (tx * cos(p.theta) - p.sigma * sin(p.theta));
    out[1] = weight * tau * g.damped[1];
    out[2] = weight * (p.sigma * cos(p.theta) + tx * sin(p.theta));
    out[3] = weight * tx;
}

/// f_x, f_y, f_z and torque/r after the last step, to about `tolerance` of `size` [N].
static inline void transient_forces(const History *h, double tolerance, double size, double out[4])
{
    enum { PARTS = 8 };
    memset(out, 0, 4 * sizeof *out);
    for (int part = 0; part < 2 * PARTS; part++) {
        const HistorySide of = {h, part / PARTS};
        const int i = part % PARTS;
        simpson(transient_stress, &of, (double)i / PARTS, (double)(i + 1) / PARTS, tolerance * size, 16, out);
    }
}

#endif
