#include "material.h"

#include <math.h>
#include <stddef.h>

GrMaterial gr_default_material(void)
{
    return (GrMaterial){
        .young = 1e7,
        .poisson = 0.3,
        .restitution = 0.5,
        .friction = 0.6,
        .stribeck = 10,
        .slip_speed = 1e-3,
        .rest_speed = 0.02,
    };
}

const char *gr_material_fault(const GrMaterial *m)
{
    if (!(m->young > 0) || !isfinite(m->young)) {
        return "young must be a positive number";
    }
    if (!(m->poisson >= 0 && m->poisson <= 0.5)) {
        return "poisson must lie in [0, 0.5]";
    }
    if (!(m->restitution > 0 && m->restitution <= 1)) {
        return "restitution must lie in (0, 1]";
    }
    if (!(m->friction >= 0) || !isfinite(m->friction)) {
        return "friction must not be negative";
    }
    if (!(m->static_friction == 0 || m->static_friction >= m->friction)) {
        return "static_friction must be 0 or at least friction";
    }
    if (!(m->stribeck >= 0) || !(m->rolling_friction >= 0) || !(m->tangent_stiffness >= 0)) {
        return "stribeck, rolling_friction and tangent_stiffness must not be negative";
    }
    if (!(m->slip_speed > 0) || !(m->rest_speed > 0)) {
        return "slip_speed and rest_speed must be positive";
    }
    return NULL;
}

/// 2 a b/(a + b) (B23 after eq. 3)
static double harmonic_mean(double a, double b)
{
    return a + b > 0 ? 2 * a * b / (a + b) : 0;
}

/// Mindlin (1949): ratio of tangential to normal stiffness of two like spheres.
static double tangent_ratio(const GrMaterial *m)
{
    return m->tangent_stiffness > 0 ? m->tangent_stiffness : 2 * (1 - m->poisson) / (2 - m->poisson);
}

static double stiction(const GrMaterial *m)
{
    return m->static_friction > 0 ? m->static_friction : m->friction;
}

GrPairMaterial gr_material_pair(const GrMaterial *a, double radius_a, const GrMaterial *b, double radius_b,
                                bool as_printed)
{
    // 1/R = 1/R1 + 1/R2, infinite radii allowed
    const double radius = 1 / (1 / radius_a + 1 / radius_b);
    const double compliance = (1 - a->poisson * a->poisson) / a->young + (1 - b->poisson * b->poisson) / b->young;
    // k = 4/3 √R E*, 1/E* = Σ (1 − ν²)/E (Hertz 1882); B23 eq. 3 halves the compliance
    const double hertz = 4.0 / 3 * sqrt(radius) / (as_printed ? compliance / 2 : compliance);
    const double zeta = harmonic_mean(a->restitution, b->restitution);
    return (GrPairMaterial){
        .hertz = hertz,
        .radius = radius,
        .restitution = zeta,
        .friction = harmonic_mean(a->friction, b->friction),
        .stiction = harmonic_mean(stiction(a), stiction(b)),
        .stribeck = harmonic_mean(a->stribeck, b->stribeck),
        .rolling = fmax(a->rolling_friction, b->rolling_friction),
        .slip_speed = fmax(a->slip_speed, b->slip_speed),
        .rest_speed = fmax(a->rest_speed, b->rest_speed),
        .tangent = harmonic_mean(tangent_ratio(a), tangent_ratio(b)),
        .as_printed = as_printed,
    };
}
