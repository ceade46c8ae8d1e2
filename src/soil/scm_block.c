#include "scm_block.h"

#define BLOCK GR_SCM_BLOCK

static GrVec3 axis(const GrMat3 *m, int j)
{
    return gr_vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

/// Moments about the centre beside forces: rows 3 … 5 become place × rows 0 … 2.
static inline void add_moments(const GrScmBlock *b, double w[6][BLOCK])
{
    const double *x = b->place[0], *y = b->place[1], *z = b->place[2], *fx = w[0], *fy = w[1], *fz = w[2];
    double *restrict mx = w[3], *restrict my = w[4], *restrict mz = w[5];
    const int n = b->count;
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mx[k] = y[k] * fz[k] - z[k] * fy[k];
        my[k] = z[k] * fx[k] - x[k] * fz[k];
        mz[k] = x[k] * fy[k] - y[k] * fx[k];
    }
}

static void add_all_moments(GrScmBlock *b)
{
    add_moments(b, b->up);
    add_moments(b, b->along);
    add_moments(b, b->across);
}

void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b)
{
    const GrVec3 x = axis(&pose->axes, 0), y = axis(&pose->axes, 1);
    const GrVec3 side = !mesh || fabs(y.z) <= fabs(x.z) ? y : x;
    for (int k = 0; k < b->count; k++) {
        const GrVec3 up = gr_vec3(-b->slope[0][k], -b->slope[1][k], 1);
        const double stretch = gr_norm(up);
        const GrVec3 n = gr_scale(1 / stretch, up);
        const GrVec3 across = gr_normalize(gr_madd(side, -gr_dot(side, n), n)), along = gr_cross(across, n);
        b->stretch[k] = stretch;
        b->upright[k] = n.z;
        b->up[0][k] = up.x;
        b->up[1][k] = up.y;
        b->up[2][k] = up.z;
        b->along[0][k] = along.x;
        b->along[1][k] = along.y;
        b->along[2][k] = along.z;
        b->across[0][k] = across.x;
        b->across[1][k] = across.y;
        b->across[2][k] = across.z;
    }
    add_all_moments(b);
}

/// The surface's normal is the radius, the axle lies in it: no root, one division.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *b)
{
    const GrVec3 a = axis(&pose->axes, 1);
    const double by_radius = 1 / radius, least = -radius / sqrt(1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *px = b->place[0], *py = b->place[1], *pz = b->place[2];
#pragma omp simd
    for (int k = 0; k < b->count; k++) {
        const double s = px[k] * a.x + py[k] * a.y + pz[k] * a.z;
        const double rx = px[k] - s * a.x, ry = py[k] - s * a.y, rz = pz[k] - s * a.z;
        const double down = rz < least ? rz : least, by_down = 1 / down;
        const double nx = -rx * by_radius, ny = -ry * by_radius, nz = -rz * by_radius;
        b->stretch[k] = -radius * by_down;
        b->upright[k] = -down * by_radius;
        b->up[0][k] = rx * by_down;
        b->up[1][k] = ry * by_down;
        b->up[2][k] = 1;
        b->along[0][k] = a.y * nz - a.z * ny;
        b->along[1][k] = a.z * nx - a.x * nz;
        b->along[2][k] = a.x * ny - a.y * nx;
        b->across[0][k] = a.x;
        b->across[1][k] = a.y;
        b->across[2][k] = a.z;
    }
    add_all_moments(b);
}

/// Arrays between the stages of a block.
typedef struct Stage {
    double sigma[BLOCK], sigma_z[BLOCK];
    double along[BLOCK], across[BLOCK], rising[BLOCK]; ///< velocities of the surface
    double strength[BLOCK];                            ///< largest shear force [N]
    double gain[BLOCK];                                ///< dm = gain (dq − away (unit · dq)), q = v/K
    double away[2][BLOCK], unit[2][BLOCK];
    double by_speed[BLOCK]; ///< area times damping
    double left[3][6][BLOCK]; ///< left factors of the derivatives
} Stage;

static void set_pressure(const GrScmLaw *law, GrScmBlock *b, Stage *t)
{
    const double n = law->soil->n0, by_rebound = 1 / law->soil->rebound, by_kept = 1 / (1 - law->soil->rebound);
    const bool linear = n == 1;
#pragma omp simd
    for (int k = 0; k < b->count; k++) {
        const double total = b->sinkage[k] + b->depth[k], yield = b->sinkage[k] * by_kept;
        const double z = total > yield ? total : yield, by_z = 1 / z;
        const double power = linear ? z : gr_fast_exp(n * gr_fast_log(z));
        const double full = b->modulus[k] * power, share = b->depth[k] * by_rebound * by_z;
        const uint64_t virgin = gr_mask_greater(share, 1);
        b->total[k] = total;
        t->sigma[k] = full * gr_select(virgin, 1, share);
        t->sigma_z[k] = full * by_z * gr_select(virgin, n, by_rebound);
    }
}

/// The six rows of a wrench, `w` the first.
static inline void speeds(int n, const double *w, const double *twist, double *restrict out)
{
    const double *w0 = w, *w1 = w + BLOCK, *w2 = w1 + BLOCK, *w3 = w2 + BLOCK, *w4 = w3 + BLOCK, *w5 = w4 + BLOCK;
    const double t0 = twist[0], t1 = twist[1], t2 = twist[2], t3 = twist[3], t4 = twist[4], t5 = twist[5];
#pragma omp simd
    for (int k = 0; k < n; k++) {
        out[k] = w0[k] * t0 + w1[k] * t1 + w2[k] * t2 + (w3[k] * t3 + w4[k] * t4 + w5[k] * t5);
    }
}

/// ṁ = q inside |m| < M, ṁ = q − |q| m at |m| = M, q = (v_1/K_x, v_2/K_y); backward Euler:
///   |m| ← max(|m + dt q|/(1 + dt |q|), min(|m + dt q|, M))
/// The soil does not turn with the body: m does, the other way.
static void mobilise(const GrScmLaw *law, GrScmBlock *b, Stage *t)
{
    const GrSoilDef *soil = law->soil;
    const double dt = law->dt, by_x = 1 / soil->shear_x;
    const double by_y = soil->shear == GR_SHEAR_COMBINED ? by_x : 1 / soil->shear_y;
    const double wx = law->twist[3], wy = law->twist[4], wz = law->twist[5];
#pragma omp simd
    for (int k = 0; k < b->count; k++) {
        const double turn = dt * (wx * b->up[0][k] + wy * b->up[1][k] + wz) * b->upright[k];
        const double q0 = t->along[k] * by_x, q1 = t->across[k] * by_y;
        const double p0 = b->m[0][k] + turn * b->m[1][k] + dt * q0, p1 = b->m[1][k] - turn * b->m[0][k] + dt * q1;
        const double size = sqrt(p0 * p0 + p1 * p1) + 1e-30, rate = sqrt(q0 * q0 + q1 * q1) + 1e-30;
        const double peak = b->peak[k], more = 1 + dt * rate;
        // Three quotients for one division.
        const double both = size * rate, inverse = 1 / (both * more), by_both = inverse * more;
        const double soft = inverse * both, by_size = by_both * rate, by_rate = by_both * size;
        const uint64_t is_virgin = gr_mask_greater(size * soft, peak);
        const uint64_t is_held = gr_mask_greater(size, peak) & ~is_virgin;
        const double scale = gr_select(is_virgin, soft, gr_select(is_held, peak * by_size, 1));
        const double m0 = scale * p0, m1 = scale * p1;
        b->m[0][k] = m0;
        b->m[1][k] = m1;
        b->peak[k] = gr_select(is_virgin, size * soft, peak);
        t->gain[k] = dt * scale;
        t->away[0][k] = gr_select(is_virgin, m0, gr_select(is_held, p0 * by_size, 0));
        t->away[1][k] = gr_select(is_virgin, m1, gr_select(is_held, p1 * by_size, 0));
        t->unit[0][k] = gr_select(is_virgin, q0 * by_rate, gr_select(is_held, p0 * by_size, 0));
        t->unit[1][k] = gr_select(is_virgin, q1 * by_rate, gr_select(is_held, p1 * by_size, 0));
        // |v| along and across; between them its part along q, which is |v| too when K_x = K_y
        const double slip = (t->along[k] * q0 + t->across[k] * q1) * by_rate;
        b->worn[k] = gr_select(is_virgin, size * soft * dt * slip, 0);
    }
}

/// Pressure with damping, never pulling: σ − γ part(z) ż ≥ 0, `part` rises over the first damping_depth.
static void damp(const GrScmLaw *law, GrScmBlock *b, Stage *t)
{
    const double by_depth = 1 / law->soil->damping_depth, gamma = law->gamma;
#pragma omp simd
    for (int k = 0; k < b->count; k++) {
        const double reach = b->total[k] * by_depth, x = reach < 1 ? reach : 1;
        const double part = gamma * x * x * (3 - 2 * x), all = t->sigma[k] - part * law->upright * t->rising[k];
        const uint64_t pushes = gr_mask_greater(all, 0);
        b->pressed[k] = gr_select(pushes, all, 0);
        t->by_speed[k] = gr_select(pushes, part * law->upright * b->area[k], 0);
    }
}

/// Forces of the nodes, and the left factors of their derivatives: to the pose, to the speeds along and across.
static void set_factors(const GrScmLaw *law, const GrScmBlock *b, Stage *t, double force[6][BLOCK])
{
    const GrSoilDef *soil = law->soil;
    const double c = soil->cohesion, by_x = 1 / soil->shear_x;
    const double by_y = soil->shear == GR_SHEAR_COMBINED ? by_x : 1 / soil->shear_y;
    double stiff[BLOCK], shear_z[BLOCK], normal[BLOCK], d00[BLOCK], d01[BLOCK], d10[BLOCK], d11[BLOCK];
#pragma omp simd
    for (int k = 0; k < b->count; k++) {
        const double surface = b->area[k] * b->stretch[k], steep = t->sigma_z[k] * law->upright;
        const double strength = surface * (c + law->tan_phi * t->sigma[k]), push = -strength * t->gain[k];
        t->strength[k] = strength;
        normal[k] = b->area[k] * b->pressed[k];
        stiff[k] = b->area[k] * steep;
        shear_z[k] = surface * law->tan_phi * steep;
        d00[k] = push * (1 - t->away[0][k] * t->unit[0][k]) * by_x;
        d10[k] = -push * t->away[1][k] * t->unit[0][k] * by_x;
        d01[k] = -push * t->away[0][k] * t->unit[1][k] * by_y;
        d11[k] = push * (1 - t->away[1][k] * t->unit[1][k]) * by_y;
    }
    for (int i = 0; i < 6; i++) {
        const double *up = b->up[i], *along = b->along[i], *across = b->across[i], *m0 = b->m[0], *m1 = b->m[1];
        double *restrict to = force[i], *restrict pose = t->left[0][i], *restrict by_along = t->left[1][i],
                         *restrict by_across = t->left[2][i];
#pragma omp simd
        for (int k = 0; k < b->count; k++) {
            const double held = m0[k] * along[k] + m1[k] * across[k];
            to[k] = normal[k] * up[k] - t->strength[k] * held;
            pose[k] = shear_z[k] * held - stiff[k] * up[k];
            by_along[k] = d00[k] * along[k] + d10[k] * across[k];
            by_across[k] = d01[k] * along[k] + d11[k] * across[k];
        }
    }
}

/// to[i][j] += Σ_k left[i][k] right[j][k]; `left` and `right` are the first of six rows.
static void add_products(int n, const double *left, const double *right, double to[6][6])
{
    const double *r0 = right, *r1 = r0 + BLOCK, *r2 = r1 + BLOCK, *r3 = r2 + BLOCK, *r4 = r3 + BLOCK, *r5 = r4 + BLOCK;
    for (int i = 0; i < 6; i++) {
        const double *l = left + (ptrdiff_t)i * BLOCK;
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5)
        for (int k = 0; k < n; k++) {
            s0 = gr_fma(l[k], r0[k], s0);
            s1 = gr_fma(l[k], r1[k], s1);
            s2 = gr_fma(l[k], r2[k], s2);
            s3 = gr_fma(l[k], r3[k], s3);
            s4 = gr_fma(l[k], r4[k], s4);
            s5 = gr_fma(l[k], r5[k], s5);
        }
        to[i][0] += s0;
        to[i][1] += s1;
        to[i][2] += s2;
        to[i][3] += s3;
        to[i][4] += s4;
        to[i][5] += s5;
    }
}

static double sum(int n, const double *values)
{
    double all = 0;
#pragma omp simd reduction(+ : all)
    for (int k = 0; k < n; k++) {
        all += values[k];
    }
    return all;
}

/// The damping's derivative: −γ area N Nᵀ.
static void add_damping(const GrScmBlock *b, Stage *t, GrScmOutput *out)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < b->count; k++) {
            t->left[0][i][k] = -t->by_speed[k] * b->up[i][k];
        }
    }
    add_products(b->count, t->left[0][0], b->up[0], out->d_twist);
}

void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out)
{
    Stage t;
    double force[6][BLOCK];
    const int n = b->count;
    set_pressure(law, b, &t);
    speeds(n, b->along[0], law->twist, t.along);
    speeds(n, b->across[0], law->twist, t.across);
    speeds(n, b->up[0], law->twist, t.rising);
    mobilise(law, b, &t);
    damp(law, b, &t);
    set_factors(law, b, &t, force);
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += sum(n, force[i]);
    }
    for (int i = 0; i < 3; i++) {
        double pressure = 0;
        for (int k = 0; k < n; k++) {
            pressure += b->area[k] * b->pressed[k] * b->up[i][k];
        }
        out->compaction[i] += pressure;
    }
    out->strength += sum(n, t.strength);
    add_products(n, t.left[0][0], b->up[0], out->d_pose);
    add_products(n, t.left[1][0], b->along[0], out->d_twist);
    add_products(n, t.left[2][0], b->across[0], out->d_twist);
    if (law->gamma > 0) {
        add_damping(b, &t, out);
    }
}
