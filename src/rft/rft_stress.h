/// Stress of dry grains on a small piece of surface that moves through them: three-dimensional resistive force theory,
/// 3D-RFT (Agarwal, Goldman & Kamrin 2023, PNAS 120, e2214017120, doi:10.1073/pnas.2214017120).
///
/// The paper writes the stress α, per depth and per ξ_n, with angles: tilt β and twist ψ of the surface and angle of
/// attack γ of its velocity, in axes (r, θ, z) with r along the horizontal part of the velocity:
///   α_r = f1 sin β cos ψ + f2 cos γ,  α_θ = f1 sin β sin ψ,  α_z = −f1 cos β − f2 sin γ − f3
///   f_i = c_i · T(x1, x2, x3),  x1 = sin γ,  x2 = cos β,  x3 = cos ψ cos γ sin β + sin γ cos β
/// With the unit normal n into the soil, the unit velocity v and s = sign n_z, the four cases of β and ψ all say
///   cos β = |n_z|,  sin β cos ψ = −s n_r,  sin β sin ψ = −s n_θ,  cos γ = v_r,  sin γ = −v_z
/// so that
///   x1 = −v_z,  x2 = |n_z|,  x3 = −s (n_r v_r + n_z v_z) = −s m,  m = n · v
///   α = −s f1 n + f2 v − f3 ẑ
/// No angle, no root and no axis r remain, and a vertical velocity is not a special case. Only s jumps, at n_z = 0,
/// where the two sides of the fit differ by a tenth. In T the variable x3 has powers up to 3: f = E(m²) − s m O(m²).
/// Where s² = 1 this gives −s f1 = −s E1 + m O1, and with these two forms a value of s between −1 and 1 is exactly the
/// linear blend of both sides.
///
/// So a piece has a force n n̂ + v v̂ + z ẑ whose three coefficients depend on its direction of motion through m and x1
/// alone: two derivatives of each give the whole matrix (rft_batch.c).
///
/// The stress counts where the surface moves towards the soil, m ≥ 0. It does not vanish at m = 0, the case of a wheel
/// that spins in place; a force that jumps with the direction of motion has no equilibrium, so it is faded out over a
/// small range of m. For pieces that bear, the range has its middle at 0: the rim of a wheel at a slip of 0.9 moves
/// along itself, within the range over its whole contact, and a range of m < 0 made its load up to 40 % too high.
/// Upright pieces that move along themselves, such as both side walls of a wheel that drives straight ahead, count in
/// full. At m < 0 the normal stress gains −σ m, and friction loses more, as the range is less than half of the least
/// coefficient of friction.
#ifndef GR_RFT_STRESS_H
#define GR_RFT_STRESS_H

#include "vmath.h"

/// The range of n · v over which the stress fades out (1° of direction).
#define GR_RFT_FADE 0.02

/// Least friction of a surface, more than twice GR_RFT_FADE.
#define GR_RFT_LEAST_FRICTION 0.05

/// The two sides of the fit are blended where |n_z| is smaller.
#define GR_RFT_UPRIGHT 0.05

/// A number that depends on the direction of motion through m = n · v and x1 = −v_z, and its derivatives.
typedef struct GrRftTerm {
    double value, by_m, by_x1;
} GrRftTerm;

/// The order of T: 1, x1, x2, x3, x1², x2², x3², x1x2, x2x3, x3x1, x1³, x2³, x3³, x1x2², x2x1², x2x3², x3x2², x3x1²,
/// x1x3², x1x2x3.
enum { GR_RFT_TERMS = 20 };

/// c1, c2 and c3 of the paper's fit.
static const double gr_rft_coefficients[3][GR_RFT_TERMS] = {
    {0.00212, -0.02320, -0.20890, -0.43083, -0.00259, 0.48872, -0.00415, 0.07204, -0.02750, -0.08772,
     0.01992, -0.45961, 0.40799,  -0.10107, -0.06576, 0.05664, -0.09269, 0.01892, 0.01033,  0.15120},
    {-0.06796, -0.10941, 0.04725, -0.06914, -0.05835, -0.65880, -0.11985, -0.25739, -0.26834, 0.02692,
     -0.00736, 0.63758,  0.08997, 0.21069,  0.04748,  0.20406,  0.18589,  0.04934,  0.13527,  -0.33207},
    {-0.02634, -0.03436, 0.45256,  0.00835,  0.02553, -1.31290, -0.05532, 0.06790,  -0.16404, 0.02287,
     0.02927,  0.95406,  -0.00131, -0.11028, 0.01487, -0.02730, 0.10911,  -0.04097, 0.07881,  -0.27519}};

/// Where a piece is in the space of the fit, with the products that the three f share.
typedef struct GrRftPoint {
    double x, y, m; ///< x1, x2, m
    double xx, xy, yy, xxx, xxy, yyy, mm;
    double s, q; ///< side, and −s m
} GrRftPoint;

/// The two sides of the fit are blended near n_z = 0.
static inline GrRftPoint gr_rft_point(double m, double x1, double nz)
{
    const double x2 = gr_abs(nz), s = gr_min(gr_max(nz * (1 / GR_RFT_UPRIGHT), -1), 1), xx = x1 * x1, yy = x2 * x2;
    return (GrRftPoint){x1, x2, m, xx, x1 * x2, yy, xx * x1, xx * x2, yy * x2, m * m, s, -s * m};
}

/// E and O of one coefficient row; `odd_m` is ∂(m O)/∂m. Sums of products and not Horner's scheme: a fused operation
/// overwrites its last operand, which must not be a constant that is needed again.
typedef struct GrRftParts {
    double even, even_m, even_x1;
    double odd, odd_m, odd_x1;
} GrRftParts;

static inline GrRftParts gr_rft_parts(const double c[GR_RFT_TERMS], const GrRftPoint *t)
{
    const double once = gr_fma(c[13], t->yy, gr_fma(c[7], t->y, c[1])), mixed = gr_fma(c[19], t->y, c[9]);
    const double square = gr_fma(c[18], t->x, gr_fma(c[15], t->y, c[6]));
    const double flat = gr_fma(c[11], t->yyy, gr_fma(c[5], t->yy, gr_fma(c[2], t->y, c[0])));
    const double lone = gr_fma(c[12], t->mm, gr_fma(c[16], t->yy, gr_fma(c[8], t->y, c[3])));
    const double steep = gr_fma(2 * c[14], t->xy, gr_fma(2 * c[4], t->x, once));
    const double high = gr_fma(c[10], t->xxx, gr_fma(c[14], t->xxy, gr_fma(c[4], t->xx, flat)));
    GrRftParts p;
    p.even = gr_fma(square, t->mm, gr_fma(once, t->x, high));
    p.even_m = 2 * t->m * square;
    p.even_x1 = gr_fma(c[18], t->mm, gr_fma(3 * c[10], t->xx, steep));
    p.odd = gr_fma(c[17], t->xx, gr_fma(mixed, t->x, lone));
    p.odd_m = gr_fma(2 * c[12], t->mm, p.odd);
    p.odd_x1 = gr_fma(2 * c[17], t->x, mixed);
    return p;
}

/// −s f1 = −s E + m O
static inline GrRftTerm gr_rft_f1(const GrRftPoint *t)
{
    const GrRftParts p = gr_rft_parts(gr_rft_coefficients[0], t);
    return (GrRftTerm){gr_fma(-t->s, p.even, t->m * p.odd), gr_fma(-t->s, p.even_m, p.odd_m),
                       gr_fma(-t->s, p.even_x1, t->m * p.odd_x1)};
}

/// f2 or f3: E − s m O
static inline GrRftTerm gr_rft_f(int row, const GrRftPoint *t)
{
    const GrRftParts p = gr_rft_parts(gr_rft_coefficients[row], t);
    return (GrRftTerm){gr_fma(t->q, p.odd, p.even), gr_fma(-t->s, p.odd_m, p.even_m),
                       gr_fma(t->q, p.odd_x1, p.even_x1)};
}

/// f1 stands for −s f1.
typedef struct GrRftFit {
    GrRftTerm f1, f2, f3;
} GrRftFit;

static inline GrRftFit gr_rft_fit(double m, double x1, double nz)
{
    const GrRftPoint t = gr_rft_point(m, x1, nz);
    return (GrRftFit){gr_rft_f1(&t), gr_rft_f(1, &t), gr_rft_f(2, &t)};
}

/// A piece of surface and its direction of motion. Its place and its direction about the vertical do not matter.
typedef struct GrRftPiece {
    double m;         ///< n · v
    double x1;        ///< −v_z
    double nz;        ///< of the unit normal, into the soil
    double friction;  ///< μ_surf of the surface, or tan φ where soil slides on soil
    double ploughing; ///< 0 … 1, see gr_rft_stress()
} GrRftPiece;

/// α, split: normal stress σ = −α · n ≥ 0, tangential part t = α + σ n = f2 v + k n − f3 ẑ, k = f3 n_z − f2 m, and the
/// share of t that is left.
typedef struct GrRftSplit {
    GrRftTerm sigma, k, share;
} GrRftSplit;

/// Share of t that is left: 1; μ σ/|t| where it slides; σ m/(t · v) where it would yield energy, which the fit does for
/// a few directions of pieces that look up. With the parts of v and −ẑ along the surface, v_t and z_t:
///   t = f2 v_t + f3 z_t,  v_t² = 1 − m²,  v_t · z_t = x1 + m n_z,  z_t² = 1 − n_z²
static inline GrRftTerm gr_rft_share(const GrRftPiece *piece, const GrRftFit *f, const GrRftTerm *sigma, double k)
{
    const GrRftTerm *f2 = &f->f2, *f3 = &f->f3;
    const double m = piece->m, nz = piece->nz, mu = piece->friction;
    const double vv = gr_fma(-m, m, 1), vz = gr_fma(m, nz, piece->x1), zz = gr_fma(-nz, nz, 1);
    const double tv = gr_fma(f3->value, vz, f2->value * vv), tz = gr_fma(f3->value, zz, f2->value * vz);
    const double square = gr_max(gr_fma(f3->value, tz, f2->value * tv), 1e-30), size = __builtin_sqrt(square);
    // Half the derivatives of t², and those of t · v
    const double half_m = gr_fma(f3->by_m, tz, gr_fma(f2->by_m, tv, f2->value * k));
    const double half_x1 = gr_fma(f3->by_x1, tz, gr_fma(f2->by_x1, tv, f2->value * f3->value));
    const double power_m = gr_fma(f3->by_m, vz, gr_fma(f2->by_m, vv, gr_fma(-f2->value, m, k)));
    const double power_x1 = gr_fma(f3->by_x1, vz, gr_fma(f2->by_x1, vv, f3->value));
    // The lower of the two limits counts: one quotient, over/under.
    const double hold = mu * sigma->value, into = gr_max(m, 0), bound = sigma->value * into;
    const uint64_t gains = gr_mask_greater(tv, bound);
    const double over_gain = gr_select(gains, bound, 1), under_gain = gr_select(gains, tv, 1);
    const uint64_t slides = gr_mask_greater(over_gain * size, hold * under_gain);
    const double over = gr_select(slides, hold, over_gain), inverse = 1 / gr_select(slides, size, under_gain);
    const double share = over * inverse, less = share * inverse;
    const double bound_m = gr_fma(sigma->by_m, into, gr_keep(gr_mask_greater(m, 0), sigma->value));
    const double gain_m = gr_keep(gains, gr_fma(-share, power_m, bound_m));
    const double gain_x1 = gr_keep(gains, gr_fma(-share, power_x1, sigma->by_x1 * into));
    const double slide_m = gr_fma(-less, half_m, mu * sigma->by_m);
    const double slide_x1 = gr_fma(-less, half_x1, mu * sigma->by_x1);
    return (GrRftTerm){share, inverse * gr_select(slides, slide_m, gain_m),
                       inverse * gr_select(slides, slide_x1, gain_x1)};
}

static inline GrRftSplit gr_rft_split(const GrRftPiece *piece, const GrRftFit *f)
{
    const GrRftTerm *f1 = &f->f1, *f2 = &f->f2, *f3 = &f->f3;
    const double m = piece->m, nz = piece->nz;
    GrRftSplit o;
    o.k = (GrRftTerm){gr_fma(-f2->value, m, f3->value * nz), gr_fma(-f2->by_m, m, f3->by_m * nz) - f2->value,
                      gr_fma(-f2->by_x1, m, f3->by_x1 * nz)};
    const uint64_t in = gr_mask_greater(o.k.value, f1->value);
    o.sigma = (GrRftTerm){gr_keep(in, o.k.value - f1->value), gr_keep(in, o.k.by_m - f1->by_m),
                          gr_keep(in, o.k.by_x1 - f1->by_x1)};
    o.share = gr_rft_share(piece, f, &o.sigma, o.k.value);
    return o;
}

/// Fading at n · v = m, and its derivative. The range ends at half of its width, or, for an upright piece, at 0.
static inline double gr_rft_fade(double m, double nz, double *by_m)
{
    static const double steep = 1 / GR_RFT_FADE;
    const double upright = gr_max(1 - gr_abs(nz) * (1 / GR_RFT_UPRIGHT), 0);
    const double x = gr_min(gr_max(gr_fma(m, steep, 0.5 + 0.5 * upright), 0), 1);
    *by_m = 6 * steep * x * (1 - x);
    return x * x * (3 - 2 * x);
}

/// What a piece carries, and the derivatives of these by the sinkage.
typedef struct GrRftLoad {
    double load, load_h; ///< factor of the stress
    double held, held_h; ///< factor of the cohesive stress
    double hold;         ///< 2 √N of it
} GrRftLoad;

/// Force on a piece: n n̂ + v v̂ + z ẑ. `_h`: derivatives by the sinkage.
typedef struct GrRftForce {
    GrRftTerm n, v, z;
    double n_h, v_h, z_h;
} GrRftForce;

/// Load times stress over ξ_n and depth, with the tangential part cut to `friction` times the normal one, which never
/// pulls.
///
/// The fit is for a body that starts from level ground, before which soil rises along its surface and drags it up.
/// Before a body that has ploughed for some distance the soil stands as high as it can and does not rise any more:
/// friction then opposes the motion of the surface itself,
///   t = (1 − U) t_fit − U μ σ v_t,  v_t = v − m n,  U = ploughing
/// Both parts lie in the friction cone and dissipate, and so does any blend.
///
/// Cohesion is a stress that does not grow with depth, per cohesion c: against the motion into the soil Rankine's
/// passive pressure 2 c √N, along the surface c: −(hold m n + v − m n), hold = 2 √N.
static inline GrRftForce gr_rft_force(const GrRftPiece *piece, const GrRftFit *f, const GrRftSplit *o,
                                      const GrRftLoad *w)
{
    const GrRftTerm *k = &o->k, *sigma = &o->sigma, *share = &o->share, *f2 = &f->f2, *f3 = &f->f3;
    double fade_m;
    const double fade = gr_rft_fade(piece->m, piece->nz, &fade_m), rising = 1 - piece->ploughing;
    const double drag = piece->ploughing * piece->friction;
    // t has the factor `keep`, n + U μ v_t the factor −`press`, both with the load
    const double on = fade * w->load, on_m = fade_m * w->load, on_h = fade * w->load_h;
    const double kept = rising * share->value, keep = on * kept, keep_h = on_h * kept;
    const double keep_m = gr_fma(on_m, kept, on * (rising * share->by_m)), keep_x1 = on * (rising * share->by_x1);
    const double press = on * sigma->value, press_h = on_h * sigma->value, press_x1 = on * sigma->by_x1;
    const double press_m = gr_fma(on_m, sigma->value, on * sigma->by_m), ahead = gr_fma(drag, piece->m, -1);
    const double held = fade * w->held, held_m = fade_m * w->held, held_h = fade * w->held_h;
    const double less = 1 - w->hold, less_m = less * piece->m;
    GrRftForce out;
    out.n.value = gr_fma(keep, k->value, gr_fma(press, ahead, held * less_m));
    out.n.by_m = gr_fma(keep_m, k->value, gr_fma(keep, k->by_m, gr_fma(press_m, ahead, press * drag)));
    out.n.by_m = gr_fma(held_m, less_m, gr_fma(held, less, out.n.by_m));
    out.n.by_x1 = gr_fma(keep_x1, k->value, gr_fma(keep, k->by_x1, press_x1 * ahead));
    out.n_h = gr_fma(keep_h, k->value, gr_fma(press_h, ahead, held_h * less_m));
    out.v.value = gr_fma(-drag, press, keep * f2->value) - held;
    out.v.by_m = gr_fma(-drag, press_m, gr_fma(keep_m, f2->value, keep * f2->by_m)) - held_m;
    out.v.by_x1 = gr_fma(-drag, press_x1, gr_fma(keep_x1, f2->value, keep * f2->by_x1));
    out.v_h = gr_fma(-drag, press_h, keep_h * f2->value) - held_h;
    out.z.value = -keep * f3->value;
    out.z.by_m = gr_fma(-keep_m, f3->value, -keep * f3->by_m);
    out.z.by_x1 = gr_fma(-keep_x1, f3->value, -keep * f3->by_x1);
    out.z_h = -keep_h * f3->value;
    return out;
}

#endif
