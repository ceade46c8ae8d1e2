/// What the soil tests share: soils and wheels to try, and forces by adaptive quadrature of the printed formulas.
#ifndef GR_SOIL_TEST_H
#define GR_SOIL_TEST_H

#include "support/simpson.h"
#include "test.h"

#include "soil_wheel.h"

static const double test_degree = 3.14159265358979323846 / 180;

/// Ishigami et al. 2007: K_x = 43β + 36 mm, K_y = 20β + 13 mm.
static inline GrSoilDef ishigami(void)
{
    GrSoilDef s = gr_default_soil_def();
    s.shear_x = 0.036;
    s.shear_x_slope = 0.043;
    s.shear_y = 0.013;
    s.shear_y_slope = 0.020;
    return s;
}

/// The soil with digging, ploughing and the wedge, each large enough to show.
static inline GrSoilDef ploughed(GrSoilDef s)
{
    s.shear = GR_SHEAR_COMBINED;
    s.exit_ratio = 0.3;
    s.slip_sinkage_max = 0.006;
    s.slip_sinkage_length = 0.05;
    s.plough_sinkage = 0.007;
    s.lug_digging = 1;
    s.backfill = 1;
    s.plough_side = 0.9;
    s.plough_power = 1.7;
    s.peak_plough = -0.9;
    s.wedge = 0.4;
    s.wedge_slide = 1.5;
    s.wedge_front = 1.2;
    return s;
}

static inline GrSoilWheel prepared(const GrSoilDef *soil, const GrSoilWheelDef *wheel)
{
    GrSoilWheel w;
    GrErrorLog log = {0};
    if (gr_soil_wheel_prepare(soil, wheel, &w, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
        fail();
    }
    return w;
}

/// The reference: formulas of K23 ch. 2-3 written out as printed, one angle at a time.
typedef struct Reference {
    double r, b, p, n, a1, a2, lambda, c, tan_phi, kx, ky, s, beta, h;
    bool combined;
    double theta1, theta2, theta_m;
    double theta_t;  ///< where two zones of flow part; θ1 with one zone
    double pressing; ///< part of the depth that presses
} Reference;

/// θ_t of Wong & Reece (1967, part II) by bisection of tan(45° − φ/2) = (cos θ_t − 1 − s)/sin θ_t, or θ1 where it would
/// be beyond it. Between slips of 0 and 0.05 the zone before the wheel ends: ours.
static inline double reference_turn(const GrSoilDef *s, double slip, double theta1)
{
    const bool flows = s->law == GR_SOIL_WONG_REECE || s->law == GR_SOIL_BEKKER || s->law == GR_SOIL_CHAIKIN;
    if (s->skid_flow == GR_SKID_ONE_ZONE || !flows || slip > 0.05) {
        return theta1;
    }
    if (slip > 0) {
        return theta1 * slip / 0.05;
    }
    double low = 0, high = theta1;
    for (int i = 0; i < 60; i++) {
        const double at = 0.5 * (low + high);
        if (cos(at) - 1 - slip > tan(45 * test_degree - 0.5 * s->friction_angle) * sin(at)) {
            low = at;
        } else {
            high = at;
        }
    }
    return high;
}

static inline Reference reference(const GrSoilWheel *w, double slip, double beta, double h)
{
    const GrSoilDef *s = &w->soil;
    Reference f = {.r = w->radius,
                   .b = w->wheel.width,
                   .a1 = s->peak_a1,
                   .a2 = s->peak_a2,
                   .lambda = s->exit_ratio,
                   .c = s->cohesion,
                   .tan_phi = tan(s->friction_angle),
                   .s = slip,
                   .beta = beta,
                   .h = h,
                   .pressing = 1,
                   .combined = s->shear == GR_SHEAR_COMBINED};
    f.n = s->n0 + s->n1 * fabs(slip);
    f.p = s->pressure == GR_PRESSURE_BEKKER
              ? s->k_c / f.b + s->k_phi
              : (s->cohesion * s->k_c_reece + s->density * w->wheel.gravity * f.b * s->k_phi_reece) * pow(f.b, -f.n);
    f.kx = s->shear_x + s->shear_x_slope * fabs(beta);
    f.ky = s->shear_y + s->shear_y_slope * fabs(beta);
    f.theta1 = acos(1 - h / f.r);
    f.theta2 = s->law == GR_SOIL_BEKKER ? 0 : -acos(1 - f.lambda * h / f.r);
    f.theta_m = s->law == GR_SOIL_BEKKER ? 0 : (f.a1 + f.a2 * slip) * f.theta1;
    f.theta_t = reference_turn(s, slip, f.theta1);
    return f;
}

/// f_x, f_y, f_z and torque/r per dθ at θ, over b r.
static inline void reference_stress(const void *context, double theta, double out[4])
{
    const Reference *f = context;
    double at = theta;
    if (theta < f->theta_m) {
        at = f->theta1 - (theta - f->theta2) / (f->theta_m - f->theta2) * (f->theta1 - f->theta_m);
    }
    const double depth = f->r * (cos(at) - cos(f->theta1));
    const double sigma = depth > 0 ? f->p * pow(depth * f->pressing, f->n) : 0;
    const bool before = theta > f->theta_t;
    const double entry = before ? f->theta1 : f->theta_t;
    const double along = entry - theta, chord = sin(entry) - sin(theta);
    // v_x/ω: r (1 − s) when driving, r/(1 + s) when braking
    const double reach = f->s >= 0 ? f->r * (1 - f->s) : f->r / (1 + f->s);
    const double k_v = before ? reach * (sin(f->theta1) - sin(f->theta_t)) / (f->r * (f->theta1 - f->theta_t)) : 1;
    const double jx = f->r * k_v * along - reach * chord, jy = reach * along * tan(fabs(f->beta));
    const double strength = f->c + sigma * f->tan_phi;
    double tx = strength * (1 - exp(-fabs(jx) / f->kx)) * (jx < 0 ? -1 : 1);
    double ty = strength * (1 - exp(-jy / f->ky));
    if (f->combined) {
        const double j = sqrt(jx * jx + jy * jy), t = j > 0 ? strength * (1 - exp(-j / f->kx)) / j : 0;
        tx = t * jx;
        ty = t * jy;
    }
    out[0] = tx * cos(theta) - sigma * sin(theta);
    out[1] = ty;
    out[2] = sigma * cos(theta) + tx * sin(theta);
    out[3] = tx;
}

/// f_x, f_y, f_z, T by adaptive Simpson on both sides of θ_m; `tolerance` relative to the peak stress.
static inline void reference_forces(const Reference *f, double tolerance, double out[4])
{
    const double ends[3] = {f->theta2, f->theta_m, f->theta1};
    const double scale = tolerance * (f->c + f->p * pow(f->h, f->n));
    memset(out, 0, 4 * sizeof *out);
    // Eight parts a side to begin with: what is narrow is not overlooked.
    enum { PARTS = 8 };
    for (int part = 0; part < 2 * PARTS; part++) {
        const int side = part / PARTS, i = part % PARTS;
        const double from = ends[side], length = ends[side + 1] - from;
        const double a = from + length * i / PARTS, b = from + length * (i + 1) / PARTS;
        const double turn = fmin(fmax(f->theta_t, a), b);
        if (turn > a) {
            simpson(reference_stress, f, a, turn, scale, 40, out);
        }
        if (b > turn) {
            simpson(reference_stress, f, turn, b, scale, 40, out);
        }
    }
    for (int i = 0; i < 4; i++) {
        out[i] *= f->b * f->r * (i == 3 ? f->r : 1);
    }
}

#endif
