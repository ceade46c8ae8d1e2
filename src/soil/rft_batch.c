#include "rft_batch.h"

#include <string.h>

/// ε: pieces that move less than about this share of ρ have a reduced stress.
static const double CENTRE = 0.03;

void gr_rft_begin(GrRftBatch *b, const double q[6], double hold, double ploughing)
{
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        b->q[i] = q[i];
        sum += q[i] * q[i];
    }
    b->rho = __builtin_sqrt(sum);
    b->hold = hold;
    b->ploughing = ploughing;
    b->count = 0;
    memset(b->wrench, 0, sizeof b->wrench);
    memset(b->by_h, 0, sizeof b->by_h);
    memset(b->by_q, 0, sizeof b->by_q);
}

/// Forces of the pieces of a batch, and their derivatives by h and by the displacement d.
typedef struct Forces {
    double f[3][GR_RFT_BATCH], h[3][GR_RFT_BATCH];
    double d[3][3][GR_RFT_BATCH]; ///< [column][row]
} Forces;

/// With s = load α + cohesive part, A = ∂s/∂v and v = d/|d|: f = ω s and
///   ∂f/∂d = (ω/|d|) A (1 − v vᵀ) + (∂ω/∂|d|) s vᵀ
static void evaluate(const GrRftBatch *b, int count, Forces *o)
{
    const double rho = b->rho, soft = CENTRE * CENTRE * rho * rho + 1e-60, hold = b->hold, ploughing = b->ploughing;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        const double dx = b->d[0][i], dy = b->d[1][i], dz = b->d[2][i];
        const double square = gr_fma(dx, dx, gr_fma(dy, dy, dz * dz)) + 1e-60, root = __builtin_sqrt(square);
        const double inverse = 1 / root, around = 1 / __builtin_sqrt(square + soft), cubed = around * around * around;
        const double slope = rho * around, by_size = rho * soft * cubed;
        const double vx = dx * inverse, vy = dy * inverse, vz = dz * inverse;
        const GrRftPiece k = {b->n[0][i], b->n[1][i], b->n[2][i], vx, vy, vz, b->friction[i], ploughing};
        const GrRftStress a = gr_rft_stress(&k), c = gr_rft_cohesive(&k, hold);
        const double load = b->load[i], held = b->cohesive[i], load_h = b->load_h[i], held_h = b->cohesive_h[i];
        const double omega = slope * root;
        const double sx = gr_fma(load, a.x, held * c.x), sy = gr_fma(load, a.y, held * c.y),
                     sz = gr_fma(load, a.z, held * c.z);
        o->f[0][i] = omega * sx;
        o->f[1][i] = omega * sy;
        o->f[2][i] = omega * sz;
        o->h[0][i] = omega * gr_fma(load_h, a.x, held_h * c.x);
        o->h[1][i] = omega * gr_fma(load_h, a.y, held_h * c.y);
        o->h[2][i] = omega * gr_fma(load_h, a.z, held_h * c.z);
        const double gain = slope * load, grip = slope * held;
        const double xx = gr_fma(gain, a.xx, grip * c.xx), xy = gr_fma(gain, a.xy, grip * c.xy),
                     xz = gr_fma(gain, a.xz, grip * c.xz);
        const double yx = gr_fma(gain, a.yx, grip * c.yx), yy = gr_fma(gain, a.yy, grip * c.yy),
                     yz = gr_fma(gain, a.yz, grip * c.yz);
        const double zx = gr_fma(gain, a.zx, grip * c.zx), zy = gr_fma(gain, a.zy, grip * c.zy),
                     zz = gr_fma(gain, a.zz, grip * c.zz);
        const double ux = by_size * sx - (xx * vx + xy * vy + xz * vz);
        const double uy = by_size * sy - (yx * vx + yy * vy + yz * vz);
        const double uz = by_size * sz - (zx * vx + zy * vy + zz * vz);
        o->d[0][0][i] = gr_fma(ux, vx, xx);
        o->d[1][0][i] = gr_fma(ux, vy, xy);
        o->d[2][0][i] = gr_fma(ux, vz, xz);
        o->d[0][1][i] = gr_fma(uy, vx, yx);
        o->d[1][1][i] = gr_fma(uy, vy, yy);
        o->d[2][1][i] = gr_fma(uy, vz, yz);
        o->d[0][2][i] = gr_fma(uz, vx, zx);
        o->d[1][2][i] = gr_fma(uz, vy, zy);
        o->d[2][2][i] = gr_fma(uz, vz, zz);
    }
}

/// sum += (Σ f; Σ p × f)
static void add_wrench(const GrRftBatch *b, int count, double f[3][GR_RFT_BATCH], double sum[6])
{
    const double *px = b->p[0], *py = b->p[1], *pz = b->p[2];
    double x = 0, y = 0, z = 0, tx = 0, ty = 0, tz = 0;
#pragma omp simd reduction(+ : x, y, z, tx, ty, tz)
    for (int i = 0; i < count; i++) {
        x += f[0][i];
        y += f[1][i];
        z += f[2][i];
        tx += gr_fma(py[i], f[2][i], -pz[i] * f[1][i]);
        ty += gr_fma(pz[i], f[0][i], -px[i] * f[2][i]);
        tz += gr_fma(px[i], f[1][i], -py[i] * f[0][i]);
    }
    sum[0] += x;
    sum[1] += y;
    sum[2] += z;
    sum[3] += tx;
    sum[4] += ty;
    sum[5] += tz;
}

/// A rotation about axis e_k moves the pieces by e_k × p = (p_i e_j − p_j e_i), (i, j, k) cyclic with k first.
static void turn_column(const GrRftBatch *b, int count, int k, const Forces *o, double out[3][GR_RFT_BATCH])
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int row = 0; row < 3; row++) {
#pragma omp simd
        for (int e = 0; e < count; e++) {
            out[row][e] = gr_fma(o->d[j][row][e], b->p[i][e], -o->d[i][row][e] * b->p[j][e]);
        }
    }
}

/// Fills the batch up to whole vectors with pieces that carry nothing.
static int padded(GrRftBatch *b)
{
    enum { VECTOR = 8 };
    const int count = (b->count + VECTOR - 1) / VECTOR * VECTOR;
    for (int i = b->count; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            b->n[c][i] = c == 2 ? -1 : 0;
            b->d[c][i] = c == 2 ? -1 : 0;
            b->p[c][i] = 0;
        }
        b->load[i] = b->load_h[i] = b->cohesive[i] = b->cohesive_h[i] = 0;
        b->friction[i] = 1;
    }
    return count;
}

void gr_rft_flush(GrRftBatch *b)
{
    Forces o;
    double turned[3][GR_RFT_BATCH];
    const int count = padded(b);
    evaluate(b, count, &o);
    add_wrench(b, count, o.f, b->wrench);
    add_wrench(b, count, o.h, b->by_h);
    for (int k = 0; k < 3; k++) {
        add_wrench(b, count, o.d[k], b->by_q[k]);
        turn_column(b, count, k, &o, turned);
        add_wrench(b, count, turned, b->by_q[3 + k]);
    }
    b->count = 0;
}

void gr_rft_end(GrRftBatch *b)
{
    if (b->count > 0) {
        gr_rft_flush(b);
    }
}
