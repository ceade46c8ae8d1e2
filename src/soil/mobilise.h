/// Mobilised shear as a state: Janosi's law as relaxation, with rolling that renews the soil.
///
///   τ = m τ_max,  |m| ≤ M ≤ 1,  M the largest |m| that this soil has seen
///   v̄ the mean slip velocity since the soil entered the patch, L the arc from the entry to here, K Janosi's modulus
///   χ = L |v̄| / (|ω| K)
///   a = (|v̄|/K) / (e^χ − 1) = (|ω|/L) B(χ),  B(χ) = χ/(e^χ − 1)       renewal; a → |ω|/L as v̄ → 0, → 0 as ω → 0
///   ṁ = v̄/K − a m             while |m| < M     unloading and reloading: a spring
///   ṁ = v̄/K − (a + |v̄|/K) m   at |m| = M        virgin loading: a spring that yields
///   Ṁ = −a M
/// Steady: m = 1 − e^−χ, which is Janosi & Hanamoto (1961) with K χ = r(θ1 − θ) − (v_x/ω)(sin θ1 − sin θ).
/// At ω = 0 nothing is renewed: it holds, does not creep and does not ratchet. Plain shear displacement as an elastic
/// state gave energy away when slid far and back; m without M ratcheted while a wheel settles.
#ifndef GR_MOBILISE_H
#define GR_MOBILISE_H

#include "vmath.h"

/// χ, plus 1e-8 so that B(0) = 1 needs no case of its own; above 200 B is 0 to 1e-85.
static inline double gr_mobilise_chi(double v, double arc, double inverse_rate_k)
{
    return gr_min(gr_fma(arc * inverse_rate_k, gr_abs(v), 1e-8), 200);
}

/// What a step of dt does to soil that is renewed at rate a and sheared at |v̄|/K.
typedef struct GrRenewal {
    double elastic; ///< q1 = 1/(1 + dt a)
    double virgin;  ///< q2 = 1/(1 + dt (a + |v̄|/K))
    double b_chi;   ///< B'(χ)
    double by_rate; ///< −dt ∂a/∂ω, ∂a/∂|ω| = B (χ + B)/L
} GrRenewal;

/// fresh = dt |ω|/L, fresh_w = −∂fresh/∂ω. Given χ and e = e^χ − 1, with one division: R = fresh χ, T = dt |v̄|/K, q1
/// = e/(e + R), q2 = e/(e + R + e T), B = χ/e, B' = (1 − χ − B)/e.
static inline GrRenewal gr_renewal(double chi, double e, double v, double fresh, double fresh_w, double inverse_k_dt)
{
    const double bottom_elastic = gr_fma(fresh, chi, e);
    const double bottom_virgin = gr_fma(e * inverse_k_dt, gr_abs(v), bottom_elastic);
    const double bottoms = bottom_elastic * bottom_virgin;
    const double inverse = 1 / (bottoms * e);
    const double by_e = inverse * bottoms, by_bottoms = inverse * (e * e);
    const double b = chi * by_e, rest = chi + b;
    GrRenewal out;
    out.elastic = by_bottoms * bottom_virgin;
    out.virgin = by_bottoms * bottom_elastic;
    out.b_chi = (1 - rest) * by_e;
    out.by_rate = b * rest * fresh_w;
    return out;
}

/// m after a step, and how it hangs on what drives it.
typedef struct GrMobilised {
    double m;
    double peak;   ///< M
    double d_v;    ///< ∂m/∂v̄
    double d_rate; ///< (∂m/∂a) (∂a/∂ω); −ω/L times it is (∂m/∂a) (∂a/∂L)
    double d_old;  ///< ∂m/∂(log ρ), ρ a common factor of the old m and M
} GrMobilised;

/// Backward Euler over dt, derivatives exact. With p = m + dt v̄/K
///   |m| ← max(|p| q2, min(|p| q1, M q1))   is all three cases: virgin, elastic, or held on the faded peak between
///   them.
/// Branch-free: a loop over it vectorises.
static inline GrMobilised gr_mobilise(double m_old, double peak_old, double v, const GrRenewal *a, double inverse_k_dt)
{
    const double pushed = gr_fma(v, inverse_k_dt, m_old);
    const double size = gr_abs(pushed), peak = peak_old * a->elastic;
    const double elastic = size * a->elastic, virgin = size * a->virgin;
    const uint64_t is_virgin = gr_mask_greater(virgin, peak), is_held = gr_mask_greater(elastic, peak) & ~is_virgin;
    const double q = gr_select(is_virgin, a->virgin, a->elastic);
    const double m = gr_sign_of(gr_select(is_held, peak, size * q), pushed);
    GrMobilised out;
    out.m = m;
    out.peak = gr_max(virgin, peak);
    const double gain = gr_select(is_held, 0, 1), fade = a->b_chi + gr_select(is_virgin, 1, 0);
    out.d_v = inverse_k_dt * q * gr_fma(-gr_times_sign(m, v), fade, gain);
    out.d_rate = m * q * a->by_rate;
    out.d_old = gr_select(is_held, m, q * m_old);
    return out;
}

/// Steady rolling: m = sign(v̄) (1 − e^−χ).
static inline double gr_mobilise_steady(double v, double arc, double inverse_rate_k)
{
    double chi = arc * gr_abs(v) * inverse_rate_k;
    chi = chi < 200 ? chi : 200;
    const double e = gr_fast_expm1(chi);
    return gr_sign_of(e / (e + 1), v);
}

#endif
