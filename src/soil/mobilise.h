/// Mobilised shear as a state: Janosi's law as relaxation, with rolling that renews the soil (MODELS.md 2b).
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

/// χ, held where it matters: below 1e-6 B is 1 to 5e-7, above 200 it is 0 to 1e-85.
static inline double gr_mobilise_chi(double v, double arc, double inverse_rate_k)
{
    const double speed = v < 0 ? -v : v;
    double chi = arc * speed * inverse_rate_k;
    chi = chi > 1e-6 ? chi : 1e-6;
    return chi < 200 ? chi : 200;
}

/// m after a step, and how it hangs on what drives it.
typedef struct GrMobilised {
    double m;
    double peak;   ///< M
    double d_v;    ///< ∂m/∂v̄
    double d_rate; ///< (∂m/∂a) (∂a/∂|ω|); −|ω|/L times it is (∂m/∂a) (∂a/∂L)
    double d_old;  ///< ∂m/∂(log ρ), ρ a common factor of the old m and M
} GrMobilised;

/// Backward Euler over dt, derivatives exact, given χ and e = e^χ − 1. Branch-free and with one division, so that a loop
/// over it vectorises and runs fast: with R = dt |ω| χ/L, T = dt |v̄|/K,
///   q1 = 1/(1 + dt a) = e/(e + R),   q2 = 1/(1 + dt (a + |v̄|/K)) = e/(e + R + e T),   p = m + dt v̄/K
///   |m| ← max(|p| q2, min(|p| q1, M q1))   is all three cases: virgin, elastic, or held on the faded peak between them
/// From B(χ): B' = B (1 − χ − B)/χ, and ∂a/∂|ω| = B (χ + B)/L.
static inline GrMobilised gr_mobilise(double m_old, double peak_old, double v, double chi, double e, double inverse_arc,
                                      double rate_dt, double inverse_k_dt, double dt)
{
    const double sign = v < 0 ? -1.0 : 1.0;
    const double pushed = gr_fma(v, inverse_k_dt, m_old);
    const double side = pushed < 0 ? -1.0 : 1.0;
    const double size = side * pushed;
    const double bottom_elastic = gr_fma(rate_dt * inverse_arc, chi, e);
    const double bottom_virgin = gr_fma(e, sign * v * inverse_k_dt, bottom_elastic);
    const double bottoms = bottom_elastic * bottom_virgin, e_chi = e * chi;
    const double inverse = 1 / (bottoms * e_chi);
    const double inverse_bottoms = e * inverse * e_chi, inverse_e_chi = inverse * bottoms;
    const double q_elastic = inverse_bottoms * bottom_virgin, q_virgin = inverse_bottoms * bottom_elastic;
    const double b = chi * chi * inverse_e_chi;
    const double b_chi = b * (1 - chi - b) * (e * inverse_e_chi);
    const double elastic = size * q_elastic, virgin = size * q_virgin, peak = peak_old * q_elastic;
    const double inner = elastic < peak ? elastic : peak;
    const double m = side * (virgin > inner ? virgin : inner);
    const double is_virgin = virgin > peak ? 1.0 : 0.0;
    const double q = virgin > peak ? q_virgin : q_elastic;
    const double moves = elastic < peak ? 1.0 : is_virgin; // 0 where it is held
    GrMobilised out;
    out.m = m;
    out.peak = virgin > peak ? virgin : peak;
    out.d_v = inverse_k_dt * q * gr_fma(-m * sign, b_chi + is_virgin, moves);
    out.d_rate = -m * q * dt * b * (chi + b) * inverse_arc;
    out.d_old = gr_fma(moves, q * m_old - m, m); // moves: q m_old; held: m
    return out;
}

/// Steady rolling: m = sign(v̄) (1 − e^−χ).
static inline double gr_mobilise_steady(double v, double arc, double inverse_rate_k)
{
    const double speed = v < 0 ? -v : v;
    double chi = arc * speed * inverse_rate_k;
    chi = chi < 200 ? chi : 200;
    const double e = gr_fast_expm1(chi);
    return (v < 0 ? -1.0 : 1.0) * e / (e + 1);
}

#endif
