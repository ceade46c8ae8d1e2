#include "bearing.h"

#include "elementary.h"

#include <math.h>

/// What a term is multiplied with under a wheel whose contact grows with its sinkage.
enum { SCALE_NONE, SCALE_WIDTH, SCALE_SHAPE };

/// Terzaghi's shapes: decrease of B and growth of s_c with b/l, and their values for a circle.
static const double NARROWER = 0.2, FIRMER = 0.3, CIRCLE = 0.6, CIRCLE_FIRMER = 1.3;

GrBearingFactors gr_bearing_factors(const GrSoilDef *soil)
{
    const double phi = soil->friction_angle, tan_phi = gr_tan(phi);
    // Without friction: N_c = 3π/2 + 1, N_q = 1, N_γ = 0
    GrBearingFactors f = {1.5 * GR_PI + 1, 1, 0};
    if (phi > 0) {
        // Terzaghi (1943), N_γ as fitted by Coduto: N_q = e^((3π/2 − φ) tan φ) / (2 cos²(π/4 + φ/2))
        const double c = gr_cos(GR_PI / 4 + phi / 2);
        f.n_q = gr_exp((1.5 * GR_PI - phi) * tan_phi) / (2 * c * c);
        f.n_c = (f.n_q - 1) / tan_phi;
        f.n_gamma = 2 * (f.n_q + 1) * tan_phi / (1 + 0.4 * gr_sin(4 * phi));
    }
    f.n_c = soil->bearing_c > 0 ? soil->bearing_c : f.n_c;
    f.n_gamma = soil->bearing_gamma > 0 ? soil->bearing_gamma : f.n_gamma;
    return f;
}

/// B and s_c of a contact, and the derivatives of their logarithms by the length of a rectangle.
typedef struct Shape {
    double width, firmer;
    double width_l, firmer_l;
} Shape;

static double power8(double x)
{
    const double x2 = x * x, x4 = x2 * x2;
    return x4 * x4;
}

static Shape rectangle(double b, double l)
{
    const double b8 = power8(b), sum = b8 + power8(l), shorter = b * l / sqrt(sqrt(sqrt(sum)));
    const double ratio = shorter * shorter / (b * l);
    const double shorter_l = b8 / (l * sum), ratio_l = ratio * (2 * shorter_l - 1 / l);
    return (Shape){.width = shorter * (1 - NARROWER * ratio),
                   .firmer = 1 + FIRMER * ratio,
                   .width_l = shorter_l - NARROWER * ratio_l / (1 - NARROWER * ratio),
                   .firmer_l = FIRMER * ratio_l / (1 + FIRMER * ratio)};
}

/// A contact of any shape: the rectangle of the same area and perimeter; between a square and a circle, none has so
/// short a perimeter, and what is between is interpolated.
static Shape contact(double area, double perimeter)
{
    const double half = 0.5 * perimeter, rest = half * half - 4 * area;
    if (rest >= 0) {
        const double b = 2 * area / (half + sqrt(rest)); // the root of t² − half t + area that is not lost by rounding
        return rectangle(b, area / b);
    }
    const Shape square = rectangle(sqrt(area), sqrt(area));
    const double round = fmin(-rest / ((4 - GR_PI) * area), 1), circle = CIRCLE * sqrt(4 * area / GR_PI);
    return (Shape){.width = square.width + round * (circle - square.width),
                   .firmer = square.firmer + round * (CIRCLE_FIRMER - square.firmer)};
}

double gr_bearing_width(double area, double perimeter)
{
    return contact(area, perimeter).width;
}

static void add_term(GrPressureCurve *curve, double pressure, double exponent)
{
    if (pressure > 0) {
        curve->pressure[curve->count] = pressure;
        curve->exponent[curve->count++] = exponent;
    }
}

GrPressureCurve gr_pressure_curve(const GrSoilDef *soil, double unit_weight, double b, double area, double perimeter)
{
    GrPressureCurve curve = {.length = 1};
    if (soil->pressure == GR_PRESSURE_BEKKER) {
        add_term(&curve, soil->k_c / b + soil->k_phi, soil->n0);
    } else if (soil->pressure == GR_PRESSURE_REECE) {
        curve.length = b;
        add_term(&curve, soil->cohesion * soil->k_c_reece + unit_weight * b * soil->k_phi_reece, soil->n0);
    } else {
        const GrBearingFactors f = gr_bearing_factors(soil);
        const Shape shape = contact(area, perimeter);
        curve.length = soil->bearing_depth;
        add_term(&curve, 0.5 * unit_weight * shape.width * f.n_gamma, soil->n0);
        add_term(&curve, shape.firmer * soil->cohesion * f.n_c, soil->bearing_n_c);
        add_term(&curve, soil->surcharge * unit_weight * soil->bearing_depth * f.n_q, soil->bearing_n_q);
    }
    return curve;
}

double gr_pressure_at(const GrPressureCurve *curve, double z)
{
    double p = 0;
    for (int k = 0; k < curve->count && z > 0; k++) {
        p += curve->pressure[k] * gr_pow(z / curve->length, curve->exponent[k]);
    }
    return p;
}

GrPowerLaw gr_pressure_power(const GrPressureCurve *curve)
{
    double p = 0, slope = 0;
    for (int k = 0; k < curve->count; k++) {
        p += curve->pressure[k];
        slope += curve->pressure[k] * curve->exponent[k];
    }
    const double n = p > 0 ? slope / p : 1;
    return (GrPowerLaw){p / gr_pow(curve->length, n), n};
}

static void add_wheel_term(GrSoilWheel *w, double pressure, double exponent, int scale)
{
    if (pressure > 0) {
        GrPressureTerm *term = &w->terms[w->term_count++];
        *term = (GrPressureTerm){gr_log(pressure), exponent, scale};
    }
}

void gr_bearing_prepare(GrSoilWheel *w)
{
    const GrSoilDef *s = &w->soil;
    const GrBearingFactors f = gr_bearing_factors(s);
    const double b = w->wheel.width;
    add_wheel_term(w, 0.5 * w->unit_weight * b * f.n_gamma, s->n0, SCALE_WIDTH);
    add_wheel_term(w, s->cohesion * f.n_c, s->bearing_n_c, SCALE_SHAPE);
    add_wheel_term(w, s->surcharge * w->unit_weight * s->bearing_depth * f.n_q, s->bearing_n_q, SCALE_NONE);
    w->exponent = w->terms[0].exponent;
    w->log_pressure = w->terms[0].log_pressure;
    w->pressure = gr_exp(w->log_pressure);
    double most = 0;
    for (int k = 0; k < w->term_count; k++) {
        most = fmax(most, w->terms[k].exponent);
    }
    w->steeper = most - w->exponent + 0.5; // the contact, and with it B, grows with √h at first
}

/// Logarithm of a factor and its derivative by the sinkage.
typedef struct Factor {
    double log, slope;
} Factor;

/// B/b and s_c of a wheel's contact b × l, l = 2 √(h (2r − h)).
static void contact_factors(const GrSoilWheel *w, double h, Factor out[3])
{
    const double r = w->radius, b = w->wheel.width;
    const double half = h < r ? sqrt(h * (2 * r - h)) : r, l = 2 * half, l_h = h < r ? 2 * (r - h) / half : 0;
    const Shape shape = rectangle(b, l);
    out[SCALE_NONE] = (Factor){0, 0};
    out[SCALE_WIDTH] = (Factor){gr_log(shape.width / b), shape.width_l * l_h};
    out[SCALE_SHAPE] = (Factor){gr_log(shape.firmer), shape.firmer_l * l_h};
}

GrBearingTerms gr_bearing_terms(const GrSoilWheel *w, double exponent, double deepest)
{
    GrBearingTerms out = {0};
    Factor factors[3];
    contact_factors(w, deepest, factors);
    for (int k = 0; k < w->term_count; k++) {
        const GrPressureTerm *term = &w->terms[k];
        const double n = exponent + (term->exponent - w->exponent);
        out.exponent[k] = n;
        out.log[k] = term->log_pressure + factors[term->scale].log - n * w->log_length;
        out.slope[k] = factors[term->scale].slope;
    }
    return out;
}

double gr_bearing_pressure(const GrSoilWheel *w, double exponent, double deepest, double z, double *by_depth)
{
    const GrBearingTerms terms = gr_bearing_terms(w, exponent, deepest);
    const double log_z = gr_log(z);
    double p = 0, slope = 0;
    for (int k = 0; k < w->term_count; k++) {
        const double part = gr_exp(terms.log[k] + terms.exponent[k] * log_z);
        p += part;
        slope += part * (terms.exponent[k] / z + terms.slope[k]);
    }
    *by_depth = slope;
    return p;
}
