/// Mobilised shear as a state: Janosi's law as a relaxation, with soil that is renewed by rolling.
///
///   τ = m τ_max,  |m| ≤ M ≤ 1,  M the largest |m| that this soil has seen
///   v̄ the mean slip velocity since the soil entered the patch, L the arc from the entry to here, K Janosi's modulus
///   χ = L |v̄| / (|ω| K)
///   a = (|v̄|/K) / (e^χ − 1) = (|ω|/L) B(χ),  B(χ) = χ/(e^χ − 1)       renewal; a → |ω|/L as v̄ → 0, → 0 as ω → 0
///   ṁ = v̄/K − a m             while |m| < M     unloading and reloading: a spring
///   ṁ = v̄/K − (a + |v̄|/K) m   at |m| = M        virgin loading: a spring that yields
///   Ṁ = −a M
/// Steady: m = 1 − e^−χ, which is Janosi & Hanamoto (1961) with K χ = r(θ1 − θ) − (v_x/ω)(sin θ1 − sin θ).
/// At ω = 0 nothing is renewed: the soil holds without creeping or ratcheting. Alternatives that were tried: plain
/// shear displacement as an elastic state produced energy when slid far and back; m without M ratcheted while a wheel
/// settled.
///
/// Shear that changes is damped (Kelvin-Voigt): τ = (m + T ṁ) τ_max, never beyond ±τ_max. K m is the elastic part of
/// the slip, so that T ṁ is 0 in steady rolling, in steady sliding and at rest. The power taken from the wheel is
///   τ v̄ = d/dt (K (1 + a T) m²/2) + K (a m² + T ṁ²)      (τ_max = 1, inside |m| < M, a constant)
/// stored, and lost: never negative.
#ifndef GR_MOBILISE_H
#define GR_MOBILISE_H

#include "vmath.h"

/// T [s]; scm has its own (scm_block.h). Below M shear is a spring; without damping a rover that lands with a
/// horizontal speed rocks in its dents until the integrator's own damping stops it. A rover sways on its wheels at √(g
/// tan φ/K), 1 to 4 Hz, where T is a damping ratio of 4 to 12 %: sand has 1 to 25 %, more the larger the strain (Seed &
/// Idriss 1970).
static const double GR_SHEAR_TIME = 10e-3;

/// One step of dt sees the slip as t = dt v̄/K and the renewal as fresh = dt |ω|/L, so χ = |t|/fresh. χ, plus 1e-8 so
/// that B(0) = 1 needs no special case; above 200 B is 0 to 1e-85.
static inline double gr_mobilise_chi(double t, double inverse_fresh)
{
    return gr_min(gr_fma(inverse_fresh, gr_abs(t), 1e-8), 200);
}

/// Factors of a step dt for soil that is renewed at rate a and sheared at |v̄|/K.
typedef struct GrRenewal {
    double elastic; ///< q1 = 1/(1 + dt a)
    double virgin;  ///< q2 = 1/(1 + dt (a + |v̄|/K))
    double by_e;    ///< 1/(e^χ − 1)
    double left;    ///< 1 − χ − B, B'(χ) = left by_e
    double by_rate; ///< −dt ∂a/∂ω, ∂a/∂|ω| = B (χ + B)/L
} GrRenewal;

/// fresh_w = −∂fresh/∂ω. Given χ and e = e^χ − 1, with one division: R = fresh χ, q1 = e/(e + R), q2 = e/(e + R + e
/// |t|), B = χ/e.
static inline GrRenewal gr_renewal(double chi, double e, double t, double fresh, double fresh_w)
{
    const double bottom_elastic = gr_fma(fresh, chi, e);
    const double bottom_virgin = gr_fma(e, gr_abs(t), bottom_elastic);
    const double bottoms = bottom_elastic * bottom_virgin;
    const double inverse = 1 / (bottoms * e);
    const double by_e = inverse * bottoms, by_bottoms = inverse * (e * e);
    const double b = chi * by_e, rest = chi + b;
    GrRenewal out;
    out.elastic = by_bottoms * bottom_virgin;
    out.virgin = by_bottoms * bottom_elastic;
    out.by_e = by_e;
    out.left = 1 - rest;
    out.by_rate = b * rest * fresh_w;
    return out;
}

/// m after a step; and the stress τ_max (m + T ṁ), not yet bounded, with its derivatives.
typedef struct GrMobilised {
    double m;
    double peak; ///< M
    double part; ///< stress/tau
    double stress;
    double d_t;    ///< ∂stress/∂t
    double d_rate; ///< (∂stress/∂a) (∂a/∂ω); −ω/L times it is (∂stress/∂a) (∂a/∂L)
    double d_old;  ///< derivative of the stress by log ρ, ρ a common factor of the old m and M
} GrMobilised;

/// Damping over a step: m + T ṁ = lever (m − late m_old).
typedef struct GrShearLag {
    double lever; ///< 1 + T/dt
    double late;  ///< (T/dt)/(1 + T/dt); 1 − late = 1/lever
} GrShearLag;

static inline GrShearLag gr_shear_lag(double time, double dt)
{
    const double sum = time + dt, by_both = 1 / (sum * dt);
    return (GrShearLag){sum * sum * by_both, time * dt * by_both};
}

/// Backward Euler over dt, derivatives exact. With p = m + t
///   |m| ← max(|p| q2, min(|p| q1, M q1))   is all three cases: virgin, elastic, or held on the faded peak between
///   them.
/// Branch-free: a loop over it vectorises. rho: factor of the old m and M. tau: lever τ_max.
static inline GrMobilised gr_mobilise(double rho, double late, double m_old, double peak_old, double t, double tau,
                                      const GrRenewal *a)
{
    const double pushed = gr_fma(rho, m_old, t);
    const double size = gr_abs(pushed), peak = rho * peak_old * a->elastic;
    const double elastic = size * a->elastic, virgin = size * a->virgin;
    const uint64_t is_virgin = gr_mask_greater(virgin, peak), is_held = gr_mask_greater(elastic, peak) & ~is_virgin;
    const double q = gr_select(is_virgin, a->virgin, a->elastic);
    GrMobilised out;
    out.m = gr_sign_of(gr_max(virgin, gr_min(elastic, peak)), pushed);
    out.peak = gr_max(virgin, peak);
    out.part = gr_fma(-rho * late, m_old, out.m);
    out.stress = tau * out.part;
    const double slope = q * tau, faded = slope * out.m, gain = gr_select(is_held, 0, slope);
    const double fade = gr_fma(a->left, a->by_e, gr_select(is_virgin, 1, 0));
    out.d_t = gr_fma(-gr_times_sign(faded, t), fade, gain);
    out.d_rate = faded * a->by_rate;
    out.d_old = gr_fma(-gain, t, out.stress);
    return out;
}

/// Steady rolling: m = sign(v̄) (1 − e^−χ).
static inline double gr_mobilise_steady(double t, double inverse_fresh)
{
    const double e = gr_fast_expm1(gr_min(inverse_fresh * gr_abs(t), 200));
    return gr_sign_of(e / (e + 1), t);
}

#endif
