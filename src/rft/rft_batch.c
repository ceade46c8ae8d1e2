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

/// A number of every piece of a batch.
typedef double Row[GR_RFT_BATCH];

/// What the pieces of a batch pass from one loop to the next. One loop for all would be limited by its long chain of
/// dependent operations; of short ones a processor has several turns under way.
typedef struct Work {
    Row v[3];                                          ///< direction of motion
    Row m, size;                                       ///< n · v and |d|
    Row slope, bend;                                   ///< ω/|d|, and |d|/ω ∂ω/∂|d|
    Row f1[3], f2[3], f3[3], sigma[3], k[3], share[3]; ///< value, by m, by x1
    Row n[4], along[4], z[4]; ///< coefficients of n, v and ẑ in force/|d|: value, by m, by x1, by h
    Row force[3], force_h[3];
    Row by_d[3][3]; ///< [column][row] of ∂force/∂d
} Work;

static inline void put(GrRftTerm f, int i, Row *row)
{
    row[0][i] = f.value;
    row[1][i] = f.by_m;
    row[2][i] = f.by_x1;
}

static inline GrRftTerm get(Row *row, int i)
{
    return (GrRftTerm){row[0][i], row[1][i], row[2][i]};
}

/// ω(|d|, ρ) = ρ |d|/√(|d|² + ε² ρ²); both roots with one division.
static inline void find_direction(const GrRftBatch *b, double soft, int i, Work *w)
{
    const double dx = b->d[0][i], dy = b->d[1][i], dz = b->d[2][i];
    const double square = gr_fma(dx, dx, gr_fma(dy, dy, gr_fma(dz, dz, 1e-60))), wide = square + soft;
    const double root = __builtin_sqrt(square), around = __builtin_sqrt(wide), both = 1 / (root * around);
    const double inverse = both * around, by_around = both * root;
    w->v[0][i] = dx * inverse;
    w->v[1][i] = dy * inverse;
    w->v[2][i] = dz * inverse;
    w->m[i] = inverse * gr_fma(b->n[0][i], dx, gr_fma(b->n[1][i], dy, b->n[2][i] * dz));
    w->size[i] = root;
    w->slope[i] = b->rho * by_around;
    w->bend[i] = soft * by_around * by_around;
}

static inline void fit(const GrRftBatch *b, int i, Work *w)
{
    const GrRftFit f = gr_rft_fit(w->m[i], -w->v[2][i], b->n[2][i]);
    put(f.f1, i, w->f1);
    put(f.f2, i, w->f2);
    put(f.f3, i, w->f3);
}

static inline GrRftPiece piece(const GrRftBatch *b, const Work *w, int i)
{
    return (GrRftPiece){w->m[i], -w->v[2][i], b->n[2][i], b->friction[i], b->ploughing};
}

static inline void split(const GrRftBatch *b, int i, Work *w)
{
    const GrRftPiece k = piece(b, w, i);
    const GrRftFit f = {get(w->f1, i), get(w->f2, i), get(w->f3, i)};
    const GrRftSplit o = gr_rft_split(&k, &f);
    put(o.sigma, i, w->sigma);
    put(o.k, i, w->k);
    put(o.share, i, w->share);
}

static inline void load(const GrRftBatch *b, int i, Work *w)
{
    const GrRftPiece k = piece(b, w, i);
    const GrRftFit f = {.f2 = get(w->f2, i), .f3 = get(w->f3, i)};
    const GrRftSplit o = {get(w->sigma, i), get(w->k, i), get(w->share, i)};
    const double slope = w->slope[i];
    const GrRftLoad l = {slope * b->load[i], slope * b->load_h[i], slope * b->cohesive[i], slope * b->cohesive_h[i],
                         b->hold};
    const GrRftForce r = gr_rft_force(&k, &f, &o, &l);
    put(r.n, i, w->n);
    put(r.v, i, w->along);
    put(r.z, i, w->z);
    w->n[3][i] = r.n_h;
    w->along[3][i] = r.v_h;
    w->z[3][i] = r.z_h;
}

/// With s = load α + cohesive part, A = ∂s/∂v and v = d/|d|: f = ω s and
///   ∂f/∂d = (ω/|d|) A (1 − v vᵀ) + (∂ω/∂|d|) s vᵀ
/// where A = s_v 1 + a nᵀ − c ẑᵀ; a and c are n, v and ẑ with the derivatives of their coefficients by m and x1.
static inline void expand(const GrRftBatch *b, int i, Work *w)
{
    const double nx = b->n[0][i], ny = b->n[1][i], nz = b->n[2][i];
    const double vx = w->v[0][i], vy = w->v[1][i], vz = w->v[2][i], m = w->m[i], bend = w->bend[i], size = w->size[i];
    const double sn = w->n[0][i], sv = w->along[0][i], sz = w->z[0][i];
    const double an = w->n[1][i], av = w->along[1][i], az = w->z[1][i];
    const double cn = w->n[2][i], cv = w->along[2][i], cz = w->z[2][i];
    const double hn = size * w->n[3][i], hv = size * w->along[3][i], hz = size * w->z[3][i];
    // u = (∂ω/∂|d|) s − (ω/|d|) A v
    const double un = gr_fma(vz, cn, gr_fma(-m, an, bend * sn)), uz = gr_fma(vz, cz, gr_fma(-m, az, bend * sz));
    const double uv = gr_fma(vz, cv, gr_fma(-m, av, gr_fma(bend, sv, -sv)));
    const double ax = gr_fma(an, nx, av * vx), ay = gr_fma(an, ny, av * vy), a3 = gr_fma(an, nz, gr_fma(av, vz, az));
    const double cx = gr_fma(cn, nx, cv * vx), cy = gr_fma(cn, ny, cv * vy), c3 = gr_fma(cn, nz, gr_fma(cv, vz, cz));
    const double ux = gr_fma(un, nx, uv * vx), uy = gr_fma(un, ny, uv * vy), u3 = gr_fma(un, nz, gr_fma(uv, vz, uz));
    w->force[0][i] = size * gr_fma(sn, nx, sv * vx);
    w->force[1][i] = size * gr_fma(sn, ny, sv * vy);
    w->force[2][i] = size * gr_fma(sn, nz, gr_fma(sv, vz, sz));
    w->force_h[0][i] = gr_fma(hn, nx, hv * vx);
    w->force_h[1][i] = gr_fma(hn, ny, hv * vy);
    w->force_h[2][i] = gr_fma(hn, nz, gr_fma(hv, vz, hz));
    w->by_d[0][0][i] = gr_fma(ax, nx, gr_fma(ux, vx, sv));
    w->by_d[0][1][i] = gr_fma(ay, nx, uy * vx);
    w->by_d[0][2][i] = gr_fma(a3, nx, u3 * vx);
    w->by_d[1][0][i] = gr_fma(ax, ny, ux * vy);
    w->by_d[1][1][i] = gr_fma(ay, ny, gr_fma(uy, vy, sv));
    w->by_d[1][2][i] = gr_fma(a3, ny, u3 * vy);
    w->by_d[2][0][i] = gr_fma(ax, nz, ux * vz) - cx;
    w->by_d[2][1][i] = gr_fma(ay, nz, uy * vz) - cy;
    w->by_d[2][2][i] = gr_fma(a3, nz, gr_fma(u3, vz, sv)) - c3;
}

static void evaluate(const GrRftBatch *b, int count, Work *w)
{
    const double soft = CENTRE * CENTRE * b->rho * b->rho + 1e-60;
#pragma omp simd
    for (int i = 0; i < count; i++) {
        find_direction(b, soft, i, w);
    }
#pragma omp simd
    for (int i = 0; i < count; i++) {
        fit(b, i, w);
    }
#pragma omp simd
    for (int i = 0; i < count; i++) {
        split(b, i, w);
    }
#pragma omp simd
    for (int i = 0; i < count; i++) {
        load(b, i, w);
    }
#pragma omp simd
    for (int i = 0; i < count; i++) {
        expand(b, i, w);
    }
}

/// Sums of wrenches in a fixed number of lanes: the same order of adding for vectors of any width.
enum { LANES = 4 };

typedef struct Lanes {
    double sum[6][LANES];
} Lanes;

/// Adds (f; p × f) to the sums.
static inline void add_lane(const GrRftBatch *b, int e, int k, double x, double y, double z, Lanes *s)
{
    const double px = b->p[0][e], py = b->p[1][e], pz = b->p[2][e];
    s->sum[0][k] += x;
    s->sum[1][k] += y;
    s->sum[2][k] += z;
    s->sum[3][k] = gr_fma(py, z, gr_fma(-pz, y, s->sum[3][k]));
    s->sum[4][k] = gr_fma(pz, x, gr_fma(-px, z, s->sum[4][k]));
    s->sum[5][k] = gr_fma(px, y, gr_fma(-py, x, s->sum[5][k]));
}

static void close_lanes(const Lanes *s, double sum[6])
{
    for (int i = 0; i < 6; i++) {
        const double *x = s->sum[i];
        sum[i] += (x[0] + x[1]) + (x[2] + x[3]);
    }
}

/// sum += (Σ f; Σ p × f)
static void add_wrench(const GrRftBatch *b, int count, double f[3][GR_RFT_BATCH], double sum[6])
{
    Lanes s = {{{0}}};
    for (int e = 0; e < count; e += LANES) {
#pragma omp simd
        for (int k = 0; k < LANES; k++) {
            add_lane(b, e + k, k, f[0][e + k], f[1][e + k], f[2][e + k], &s);
        }
    }
    close_lanes(&s, sum);
}

/// A rotation about axis e_k moves the pieces by e_k × p = (p_i e_j − p_j e_i), (i, j, k) cyclic with k first.
static void add_turned(const GrRftBatch *b, int count, int axis, double d[3][3][GR_RFT_BATCH], double sum[6])
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    Lanes s = {{{0}}};
    for (int e = 0; e < count; e += LANES) {
#pragma omp simd
        for (int k = 0; k < LANES; k++) {
            const double pi = b->p[i][e + k], pj = b->p[j][e + k];
            const double x = gr_fma(-d[i][0][e + k], pj, d[j][0][e + k] * pi);
            const double y = gr_fma(-d[i][1][e + k], pj, d[j][1][e + k] * pi);
            const double z = gr_fma(-d[i][2][e + k], pj, d[j][2][e + k] * pi);
            add_lane(b, e + k, k, x, y, z, &s);
        }
    }
    close_lanes(&s, sum);
}

/// Fills the batch up to whole vectors with pieces that carry nothing.
static int padded(GrRftBatch *b)
{
    enum { VECTOR = LANES };
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
    Work o;
    const int count = padded(b);
    evaluate(b, count, &o);
    add_wrench(b, count, o.force, b->wrench);
    add_wrench(b, count, o.force_h, b->by_h);
    for (int k = 0; k < 3; k++) {
        add_wrench(b, count, o.by_d[k], b->by_q[k]);
        add_turned(b, count, k, o.by_d, b->by_q[3 + k]);
    }
    b->count = 0;
}

void gr_rft_end(GrRftBatch *b)
{
    if (b->count > 0) {
        gr_rft_flush(b);
    }
}
