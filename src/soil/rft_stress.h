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
/// No angle, no root and no axis r remain, and a vertical velocity is no special case. Only s jumps, at n_z = 0, where
/// the two sides of the fit differ by a tenth. In T the variable x3 has powers up to 3: f = E(m²) − s m O(m²). Where
/// s² = 1 this gives −s f1 = −s E1 + m O1, and with these two forms a value of s between −1 and 1 is exactly the linear
/// blend of both sides.
///
/// The stress counts where the surface moves towards the soil, m ≥ 0. It does not vanish at m = 0, the case of a wheel
/// that spins in place; a force that jumps with the direction of motion has no equilibrium, so it is faded out over a
/// small range of m < 0. There the normal stress gains −σ m, and friction loses more, as the range is less than half of
/// its coefficient.
#ifndef GR_RFT_STRESS_H
#define GR_RFT_STRESS_H

#include "vmath.h"

/// The stress fades out from n · v = 0 to minus this value (1° of direction), or minus half the friction.
#define GR_RFT_FADE 0.02

/// Least friction of a surface.
#define GR_RFT_LEAST_FRICTION 0.05

/// The two sides of the fit are blended where |n_z| is smaller.
#define GR_RFT_UPRIGHT 0.05

/// f, or −s f, and its derivatives by x1 and by m.
typedef struct GrRftTerm {
    double value, by_x1, by_m;
} GrRftTerm;

/// E and O of one coefficient row, with their derivatives.
typedef struct GrRftParts {
    double even, even_x1, even_m;
    double odd, odd_x1, odd_m;
} GrRftParts;

/// The order of T: 1, x1, x2, x3, x1², x2², x3², x1x2, x2x3, x3x1, x1³, x2³, x3³, x1x2², x2x1², x2x3², x3x2², x3x1²,
/// x1x3², x1x2x3.
enum { GR_RFT_TERMS = 20 };

static inline GrRftParts gr_rft_parts(const double c[GR_RFT_TERMS], double x1, double x2, double m)
{
    const double m2 = m * m;
    const double flat = gr_fma(gr_fma(gr_fma(c[11], x2, c[5]), x2, c[2]), x2, c[0]);
    const double once = gr_fma(gr_fma(c[13], x2, c[7]), x2, c[1]), twice = gr_fma(c[14], x2, c[4]);
    const double square = gr_fma(c[18], x1, gr_fma(c[15], x2, c[6]));
    const double lone = gr_fma(gr_fma(c[16], x2, c[8]), x2, c[3]), mixed = gr_fma(c[19], x2, c[9]);
    GrRftParts p;
    p.even = gr_fma(square, m2, gr_fma(gr_fma(gr_fma(c[10], x1, twice), x1, once), x1, flat));
    p.even_x1 = gr_fma(c[18], m2, gr_fma(gr_fma(3 * c[10], x1, 2 * twice), x1, once));
    p.even_m = 2 * m * square;
    p.odd = gr_fma(c[12], m2, gr_fma(gr_fma(c[17], x1, mixed), x1, lone));
    p.odd_x1 = gr_fma(2 * c[17], x1, mixed);
    p.odd_m = 2 * c[12] * m;
    return p;
}

/// f = E − s m O
static inline GrRftTerm gr_rft_term(const GrRftParts *p, double s, double m)
{
    const double q = -s * m;
    return (GrRftTerm){gr_fma(q, p->odd, p->even), gr_fma(q, p->odd_x1, p->even_x1),
                       gr_fma(q, p->odd_m, gr_fma(-s, p->odd, p->even_m))};
}

/// −s f = −s E + m O
static inline GrRftTerm gr_rft_turned(const GrRftParts *p, double s, double m)
{
    return (GrRftTerm){gr_fma(m, p->odd, -s * p->even), gr_fma(m, p->odd_x1, -s * p->even_x1),
                       gr_fma(m, p->odd_m, gr_fma(-s, p->even_m, p->odd))};
}

/// A piece of surface and its motion.
typedef struct GrRftPiece {
    double nx, ny, nz; ///< unit normal, into the soil
    double vx, vy, vz; ///< unit velocity
    double friction;   ///< μ_surf of the surface, or tan φ where soil slides on soil
    double ploughing;  ///< 0 … 1, see gr_rft_stress()
} GrRftPiece;

/// Stress on the piece and its derivatives: `xy` is ∂x/∂vy. For the direction of motion only: the caller projects the
/// derivatives onto v ⊥.
typedef struct GrRftStress {
    double x, y, z;
    double xx, xy, xz, yx, yy, yz, zx, zy, zz;
} GrRftStress;

/// Fading at n · v = m, and its derivative.
static inline double gr_rft_fade(double m, double friction, double *by_m)
{
    const double width = gr_min(GR_RFT_FADE, 0.5 * friction), steep = 1 / width;
    const double x = gr_min(gr_max(gr_fma(m, steep, 1), 0), 1);
    *by_m = 6 * steep * x * (1 - x);
    return x * x * (3 - 2 * x);
}

/// c1, c2 and c3 of the paper's fit.
static const double gr_rft_coefficients[3][GR_RFT_TERMS] = {
    {0.00212, -0.02320, -0.20890, -0.43083, -0.00259, 0.48872, -0.00415, 0.07204, -0.02750, -0.08772,
     0.01992, -0.45961, 0.40799,  -0.10107, -0.06576, 0.05664, -0.09269, 0.01892, 0.01033,  0.15120},
    {-0.06796, -0.10941, 0.04725, -0.06914, -0.05835, -0.65880, -0.11985, -0.25739, -0.26834, 0.02692,
     -0.00736, 0.63758,  0.08997, 0.21069,  0.04748,  0.20406,  0.18589,  0.04934,  0.13527,  -0.33207},
    {-0.02634, -0.03436, 0.45256,  0.00835,  0.02553, -1.31290, -0.05532, 0.06790,  -0.16404, 0.02287,
     0.02927,  0.95406,  -0.00131, -0.11028, 0.01487, -0.02730, 0.10911,  -0.04097, 0.07881,  -0.27519}};

/// α of the fit, split: normal stress σ = −α · n ≥ 0 with gradient g, tangential part t = α + σ n with
///   ∂t/∂v = f2 (1 − n nᵀ) + c nᵀ + e ẑᵀ
/// since f depends on v through m and x1 = −v_z only.
typedef struct GrRftSplit {
    double m, sigma, f2;
    double gx, gy, gz;
    double tx, ty, tz;
    double cx, cy, cz;
    double ex, ey, ez;
} GrRftSplit;

static inline GrRftSplit gr_rft_split(const GrRftPiece *k)
{
    const double nx = k->nx, ny = k->ny, nz = k->nz, vx = k->vx, vy = k->vy, vz = k->vz;
    const double m = gr_fma(nx, vx, gr_fma(ny, vy, nz * vz));
    const double s = gr_min(gr_max(nz * (1 / GR_RFT_UPRIGHT), -1), 1), x1 = -vz, x2 = gr_abs(nz);
    const GrRftParts p1 = gr_rft_parts(gr_rft_coefficients[0], x1, x2, m);
    const GrRftParts p2 = gr_rft_parts(gr_rft_coefficients[1], x1, x2, m);
    const GrRftParts p3 = gr_rft_parts(gr_rft_coefficients[2], x1, x2, m);
    const GrRftTerm f1 = gr_rft_turned(&p1, s, m), f2 = gr_rft_term(&p2, s, m), f3 = gr_rft_term(&p3, s, m);
    // ∂α/∂v = f2 1 + a nᵀ + b ẑᵀ
    const double ax = gr_fma(f1.by_m, nx, f2.by_m * vx), ay = gr_fma(f1.by_m, ny, f2.by_m * vy);
    const double az = gr_fma(f1.by_m, nz, f2.by_m * vz) - f3.by_m;
    const double bx = -gr_fma(f1.by_x1, nx, f2.by_x1 * vx), by = -gr_fma(f1.by_x1, ny, f2.by_x1 * vy);
    const double bz = f3.by_x1 - gr_fma(f1.by_x1, nz, f2.by_x1 * vz);
    const double an = gr_fma(ax, nx, gr_fma(ay, ny, az * nz)), bn = gr_fma(bx, nx, gr_fma(by, ny, bz * nz));
    const double raw = gr_fma(f3.value, nz, -gr_fma(f2.value, m, f1.value));
    const double in = raw > 0 ? 1.0 : 0.0, gn = -in * (f2.value + an), both = f1.value + raw;
    GrRftSplit o;
    o.m = m;
    o.sigma = in * raw;
    o.f2 = f2.value;
    o.gx = gn * nx;
    o.gy = gn * ny;
    o.gz = gn * nz - in * bn;
    o.tx = gr_fma(f2.value, vx, both * nx);
    o.ty = gr_fma(f2.value, vy, both * ny);
    o.tz = gr_fma(f2.value, vz, both * nz) - f3.value;
    o.cx = ax - an * nx;
    o.cy = ay - an * ny;
    o.cz = az - an * nz;
    o.ex = bx - bn * nx;
    o.ey = by - bn * ny;
    o.ez = bz - bn * nz;
    return o;
}

/// Share of t that is left: 1; μ σ/|t| where it slides; σ m/(t · v) where it would yield energy, which the fit does for
/// a few directions of pieces that look up. With its gradient.
typedef struct GrRftShare {
    double value, x, y, z;
} GrRftShare;

static inline GrRftShare gr_rft_share(const GrRftPiece *k, const GrRftSplit *o)
{
    const double tx = o->tx, ty = o->ty, tz = o->tz, f2 = o->f2, sigma = o->sigma, m = o->m;
    const double nx = k->nx, ny = k->ny, nz = k->nz, vx = k->vx, vy = k->vy, vz = k->vz;
    const double t2 = gr_fma(tx, tx, gr_fma(ty, ty, tz * tz)) + 1e-30, size = __builtin_sqrt(t2);
    const double power = gr_fma(tx, vx, gr_fma(ty, vy, tz * vz)), bound = sigma * gr_max(m, 0);
    const double inverse = 1 / size, grip = k->friction * inverse, slide = grip * sigma;
    const double over = power > bound ? 1 / power : 0;
    const double lossless = power > bound ? bound * over : 1;
    const uint64_t slides = gr_mask_greater(gr_min(1, lossless), slide);
    // tᵀ ∂t/∂v, with t · n = 0, and the gradient of the power, vᵀ ∂t/∂v + tᵀ
    const double tc = gr_fma(tx, o->cx, gr_fma(ty, o->cy, tz * o->cz));
    const double te = gr_fma(tx, o->ex, gr_fma(ty, o->ey, tz * o->ez));
    const double vc = gr_fma(vx, o->cx, gr_fma(vy, o->cy, vz * o->cz)) - f2 * m;
    const double ve = gr_fma(vx, o->ex, gr_fma(vy, o->ey, vz * o->ez));
    const double wx = gr_fma(f2, vx, gr_fma(vc, nx, tx)), wy = gr_fma(f2, vy, gr_fma(vc, ny, ty));
    const double wz = gr_fma(f2, vz, gr_fma(vc, nz, tz)) + ve;
    const double by_t = slide * inverse * inverse;
    const double lx = over * (m * o->gx + sigma * nx - lossless * wx);
    const double ly = over * (m * o->gy + sigma * ny - lossless * wy);
    const double lz = over * (m * o->gz + sigma * nz - lossless * wz);
    GrRftShare out;
    out.value = gr_min(slide, gr_min(lossless, 1));
    out.x = gr_select(slides, grip * o->gx - by_t * gr_fma(f2, tx, tc * nx), lx);
    out.y = gr_select(slides, grip * o->gy - by_t * gr_fma(f2, ty, tc * ny), ly);
    out.z = gr_select(slides, grip * o->gz - by_t * gr_fma(f2, tz, gr_fma(tc, nz, te)), lz);
    return out;
}

/// Stress over ξ_n and depth. The tangential part is cut to `friction` times the normal one, which never pulls.
///
/// The fit is for a body that starts from level ground, before which soil rises along its surface and drags it up.
/// Before a body that has ploughed for some distance the soil stands as high as it can and does not rise any more:
/// friction then opposes the motion of the surface itself,
///   t = (1 − U) t_fit − U μ σ v_t,  v_t = v − m n,  U = ploughing
/// Both parts lie in the friction cone and dissipate, and so does any blend.
static inline GrRftStress gr_rft_stress(const GrRftPiece *k)
{
    const GrRftSplit o = gr_rft_split(k);
    const GrRftShare left = gr_rft_share(k, &o);
    const double nx = k->nx, ny = k->ny, nz = k->nz;
    double fade_m;
    const double fade = gr_rft_fade(o.m, k->friction, &fade_m), rising = 1 - k->ploughing;
    const double drag = k->ploughing * k->friction, share = fade * rising * left.value;
    const double own = gr_fma(share, o.f2, -fade * drag * o.sigma);
    // r = n + U μ v_t: what σ multiplies
    const double rx = gr_fma(drag, k->vx - o.m * nx, nx), ry = gr_fma(drag, k->vy - o.m * ny, ny);
    const double rz = gr_fma(drag, k->vz - o.m * nz, nz), kept = rising * left.value;
    const double px = kept * o.tx - o.sigma * rx, py = kept * o.ty - o.sigma * ry, pz = kept * o.tz - o.sigma * rz;
    // fade ((1 − U) (left ∂t + t leftᵀ) − U μ σ (1 − n nᵀ) − r gᵀ) + p fade_m nᵀ; u has what multiplies nᵀ, q and h
    // what multiplies t and r
    const double ux = gr_fma(share, o.cx, fade_m * px) - own * nx, uy = gr_fma(share, o.cy, fade_m * py) - own * ny;
    const double uz = gr_fma(share, o.cz, fade_m * pz) - own * nz;
    const double gain = fade * rising, qx = gain * left.x, qy = gain * left.y, qz = gain * left.z;
    const double hx = fade * o.gx, hy = fade * o.gy, hz = fade * o.gz;
    GrRftStress f;
    f.x = fade * px;
    f.y = fade * py;
    f.z = fade * pz;
    f.xx = gr_fma(ux, nx, gr_fma(o.tx, qx, own)) - rx * hx;
    f.xy = gr_fma(ux, ny, o.tx * qy) - rx * hy;
    f.xz = gr_fma(ux, nz, gr_fma(o.tx, qz, share * o.ex)) - rx * hz;
    f.yx = gr_fma(uy, nx, o.ty * qx) - ry * hx;
    f.yy = gr_fma(uy, ny, gr_fma(o.ty, qy, own)) - ry * hy;
    f.yz = gr_fma(uy, nz, gr_fma(o.ty, qz, share * o.ey)) - ry * hz;
    f.zx = gr_fma(uz, nx, o.tz * qx) - rz * hx;
    f.zy = gr_fma(uz, ny, o.tz * qy) - rz * hy;
    f.zz = gr_fma(uz, nz, gr_fma(o.tz, qz, gr_fma(share, o.ez, own))) - rz * hz;
    return f;
}

/// Cohesion: a stress that does not grow with depth, per cohesion c. Against the motion into the soil Rankine's passive
/// pressure 2 c √N, along the surface c: −(hold m n + v − m n), hold = 2 √N.
static inline GrRftStress gr_rft_cohesive(const GrRftPiece *k, double hold)
{
    const double nx = k->nx, ny = k->ny, nz = k->nz;
    const double m = gr_fma(nx, k->vx, gr_fma(ny, k->vy, nz * k->vz)), more = hold - 1;
    double fade_m;
    const double fade = gr_rft_fade(m, k->friction, &fade_m);
    const double px = k->vx + more * m * nx, py = k->vy + more * m * ny, pz = k->vz + more * m * nz;
    const double ux = more * fade * nx + fade_m * px, uy = more * fade * ny + fade_m * py,
                 uz = more * fade * nz + fade_m * pz;
    return (GrRftStress){-fade * px, -fade * py,        -fade * pz, -(fade + ux * nx), -ux * ny, -ux * nz,
                         -uy * nx,   -(fade + uy * ny), -uy * nz,   -uz * nx,          -uz * ny, -(fade + uz * nz)};
}

#endif
