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

/// m after a step, and how it hangs on what drives it.
typedef struct GrMobilised {
    double m;
    double peak;   ///< M
    double d_v;    ///< ∂m/∂v̄
    double d_rate; ///< (∂m/∂a) (∂a/∂|ω|); −|ω|/L times it is (∂m/∂a) (∂a/∂L)
    double d_old;  ///< ∂m/∂ρ, ρ a common factor of the old m and M
} GrMobilised;

/// Backward Euler over dt, derivatives exact. Branch-free: a loop over it vectorises.
/// From B(χ): B' χ = B (1 − χ − B), and ∂a/∂|ω| = B (χ + B)/L.
static inline GrMobilised gr_mobilise(double m_old, double peak_old, double v, double arc, double inverse_arc,
                                      double rate, double inverse_rate_k, double inverse_k, double dt)
{
    const double speed = v < 0 ? -v : v;
    const double sign = v < 0 ? -1.0 : 1.0;
    double chi = arc * speed * inverse_rate_k;
    // Below 1e-6 B is 1 to 5e-7; above 700 it is 0 to 1e-300.
    chi = chi > 1e-6 ? chi : 1e-6;
    chi = chi < 700 ? chi : 700;
    const double b = chi / gr_fast_expm1(chi);
    const double b_chi = b * (1 - chi - b) / chi;
    const double renewal = dt * rate * inverse_arc * b;
    const double travel = dt * speed * inverse_k;
    const double q_elastic = 1 / (1 + renewal);
    const double q_virgin = 1 / (1 + renewal + travel);
    const double pushed = m_old + sign * travel;
    const double elastic = pushed * q_elastic;
    const double virgin = pushed * q_virgin;
    const double peak = peak_old * q_elastic;
    const double side = pushed < 0 ? -1.0 : 1.0;
    // Which of the three it is, as numbers: 1 or 0.
    const double is_elastic = side * elastic <= peak ? 1.0 : 0.0;
    const double is_virgin = side * virgin >= peak ? 1.0 - is_elastic : 0.0;
    const double is_held = 1.0 - is_elastic - is_virgin; // between the two: stays on the faded peak
    GrMobilised out;
    out.m = is_elastic * elastic + is_virgin * virgin + is_held * side * peak;
    const double size = out.m < 0 ? -out.m : out.m;
    out.peak = size > peak ? size : peak;
    const double q = is_virgin * q_virgin + (1 - is_virgin) * q_elastic;
    out.d_v = dt * inverse_k * q * ((1 - is_held) - out.m * sign * (b_chi + is_virgin));
    out.d_rate = -out.m * q * dt * b * (chi + b) * inverse_arc;
    out.d_old = q * ((1 - is_held) * m_old + is_held * side * peak_old);
    return out;
}

/// Steady rolling: m = sign(v̄) (1 − e^−χ).
static inline double gr_mobilise_steady(double v, double arc, double inverse_rate_k)
{
    const double speed = v < 0 ? -v : v;
    double chi = arc * speed * inverse_rate_k;
    chi = chi < 700 ? chi : 700;
    const double e = gr_fast_expm1(chi);
    return (v < 0 ? -1.0 : 1.0) * e / (e + 1);
}

#endif
