#include "scm_block.h"

#include <string.h>

#define BLOCK GR_SCM_BLOCK

static GrVec3 axis(const GrMat3 *m, int j)
{
    return gr_vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

/// Entries beyond the last node, up to a full vector register, must be finite and have no effect.
void gr_scm_block_pad(GrScmBlock *b)
{
    while (b->count % 4 != 0) {
        const int k = b->count++, last = k - 1;
        b->place[0][k] = b->place[0][last];
        b->place[1][k] = b->place[1][last];
        b->place[2][k] = b->place[2][last];
        b->slope[0][k] = b->slope[0][last];
        b->slope[1][k] = b->slope[1][last];
        b->depth[k] = b->depth[last];
        b->sinkage[k] = b->sinkage[last];
        b->modulus[k] = b->modulus[last];
        b->ratio[k] = b->firm[k] = 1;
        b->grip[k] = 0;
        b->area[k] = b->shed[k] = b->m[0][k] = b->m[1][k] = b->peak[k] = 0;
    }
}

void gr_scm_block_surface(const GrScmPose *pose, bool mesh, GrScmBlock *b)
{
    gr_scm_block_pad(b);
    const GrVec3 x = axis(&pose->axes, 0), y = axis(&pose->axes, 1);
    for (int k = 0; k < b->count; k++) {
        const GrVec3 up = gr_vec3(-b->slope[0][k], -b->slope[1][k], 1);
        const double stretch = gr_norm(up);
        const GrVec3 n = gr_scale(1 / stretch, up), side = !mesh || fabs(gr_dot(y, n)) < 0.8 ? y : x;
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
}

/// The surface's normal is radial and the axle lies in the surface: no square root, one division.
void gr_scm_block_cylinder(const GrScmPose *pose, double radius, GrScmBlock *restrict b)
{
    gr_scm_block_pad(b);
    const GrVec3 a = axis(&pose->axes, 1);
    const double by_radius = 1 / radius, least = -radius / sqrt(1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *px = b->place[0], *py = b->place[1], *pz = b->place[2];
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
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
}

/// Arrays between the stages of a block. Values that only the derivatives need are in single precision: the integrator
/// does not need them exactly, and twice as many fit into a register.
typedef struct Stage {
    double sigma_z[BLOCK];
    double along[BLOCK], across[BLOCK], rising[BLOCK]; ///< velocities of the surface
    double turning[BLOCK];                             ///< angular velocity about the surface's normal [rad/s]
    double strength[BLOCK];                            ///< largest shear force [N]
    double gripped[BLOCK];                             ///< the same along a wheel with lugs [N]
    float gain[BLOCK]; ///< dτ = gain (dq − away (unit · dq)), q = v/K of virgin soil
    float away[2][BLOCK], unit[2][BLOCK];
    float by_speed[BLOCK];   ///< area times damping
    float pushes[BLOCK];     ///< GrScmDamped::held
    float tau[2][BLOCK];     ///< shear over its strength
    float stiff[BLOCK];      ///< derivative of the pressure force by depth [N/m]
    float shear_z[BLOCK];    ///< derivative of the strength by depth [N/m]
    float push[2][2][BLOCK]; ///< derivative of the shear force (along, across) by speed (along, across) [N s/m]
} Stage;

/// Single precision, for the derivatives.
typedef struct Wrenches {
    float place[3][BLOCK];                                     ///< of the surface, from the centre
    float up[6][BLOCK], along_w[6][BLOCK], across_w[6][BLOCK]; ///< wrenches of unit pressure and shear
    float left[3][6][BLOCK];                                   ///< left factors of the derivatives
} Wrenches;

void gr_scm_block_steepen(const GrScmLaw *law, GrScmBlock *restrict b)
{
    const GrScmTerms c = gr_scm_terms(law);
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        b->total[k] = b->sinkage[k] + b->depth[k];
        b->loaded[k] = gr_scm_loaded(&c, b->sinkage[k], b->total[k]);
    }
    if (c.n != 1) {
#pragma omp simd
        for (int k = 0; k < count; k++) {
            const double z = b->loaded[k] > c.straight ? b->loaded[k] : c.straight;
            b->modulus[k] *= gr_fast_exp((c.n - 1) * gr_fast_log(z));
        }
    }
}

static void set_pressure(const GrScmLaw *law, GrScmBlock *restrict b, Stage *restrict t)
{
    const GrScmTerms c = gr_scm_terms(law);
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const GrScmPressure p = gr_scm_pressure(&c, b->depth[k], b->loaded[k], b->modulus[k]);
        b->sigma[k] = p.sigma;
        t->sigma_z[k] = p.by_depth * b->ratio[k];
    }
}

/// Velocities of the surface along and across it, and along N: v + ω × place.
static void set_speeds(const GrScmLaw *law, const GrScmBlock *restrict b, Stage *restrict t)
{
    const double vx = law->twist[0], vy = law->twist[1], vz = law->twist[2];
    const double wx = law->twist[3], wy = law->twist[4], wz = law->twist[5];
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const double x = b->place[0][k], y = b->place[1][k], z = b->place[2][k];
        const double ux = gr_fma(wy, z, gr_fma(-wz, y, vx)), uy = gr_fma(wz, x, gr_fma(-wx, z, vy));
        const double uz = gr_fma(wx, y, gr_fma(-wy, x, vz));
        t->along[k] = gr_fma(ux, b->along[0][k], gr_fma(uy, b->along[1][k], uz * b->along[2][k]));
        t->across[k] = gr_fma(ux, b->across[0][k], gr_fma(uy, b->across[1][k], uz * b->across[2][k]));
        t->rising[k] = gr_fma(ux, b->up[0][k], gr_fma(uy, b->up[1][k], uz));
        t->turning[k] = gr_fma(wx, b->up[0][k], gr_fma(wy, b->up[1][k], wz)) * b->upright[k];
    }
}

/// Mobilised shear, and pressure with damping.
static void set_shear(const GrScmLaw *law, GrScmBlock *restrict b, Stage *restrict t)
{
    const GrScmTerms c = gr_scm_terms(law);
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const GrScmTrial trial =
            gr_scm_try(&c, b->firm[k], t->along[k], t->across[k], t->turning[k], b->m[0][k], b->m[1][k]);
        const GrScmRoots roots = gr_scm_roots(&c, trial);
        const GrScmShear s = gr_scm_mobilise(&c, trial, roots, b->peak[k]);
        b->m[0][k] = s.m0;
        b->m[1][k] = s.m1;
        b->tau[0][k] = s.tau0;
        b->tau[1][k] = s.tau1;
        b->peak[k] = s.peak;
        b->slid[k] = s.slid;
        t->gain[k] = (float)(s.gain * b->firm[k]);
        t->away[0][k] = (float)s.away0;
        t->away[1][k] = (float)s.away1;
        t->unit[0][k] = (float)s.unit0;
        t->unit[1][k] = (float)s.unit1;
    }
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const GrScmDamped d = gr_scm_damp(&c, b->total[k], b->sigma[k], t->rising[k]);
        b->pressed[k] = d.pressed;
        t->by_speed[k] = (float)(d.by_speed * b->area[k]);
        t->pushes[k] = (float)d.held;
    }
}

/// Forces of the nodes, summed into wrench, compaction and strength.
static void sum_forces(const GrScmLaw *law, const GrScmBlock *restrict b, Stage *restrict t, GrScmOutput *out)
{
    const double c = law->soil->cohesion, tan_phi = law->tan_phi;
    const int count = gr_scm_whole(b->count);
    double all = 0, cx = 0, cy = 0, cz = 0, fx = 0, fy = 0, fz = 0, mx = 0, my = 0, mz = 0;
#pragma omp simd reduction(+ : all, cx, cy, cz, fx, fy, fz, mx, my, mz)
    for (int k = 0; k < count; k++) {
        const double strength = b->area[k] * b->stretch[k] * gr_fma(tan_phi, b->sigma[k], c);
        const double normal = b->area[k] * b->pressed[k], px = normal * b->up[0][k], py = normal * b->up[1][k];
        const double gripped = gr_fma(b->area[k] * b->stretch[k], b->grip[k], strength);
        const double m0 = -gripped * b->tau[0][k], m1 = -strength * b->tau[1][k];
        const double x = gr_fma(m0, b->along[0][k], gr_fma(m1, b->across[0][k], px));
        const double y = gr_fma(m0, b->along[1][k], gr_fma(m1, b->across[1][k], py));
        const double z = gr_fma(m0, b->along[2][k], gr_fma(m1, b->across[2][k], normal));
        t->strength[k] = strength;
        t->gripped[k] = gripped;
        all += gripped;
        cx += px;
        cy += py;
        cz += normal;
        fx += x;
        fy += y;
        fz += z;
        mx = gr_fma(b->place[1][k], z, gr_fma(-b->place[2][k], y, mx));
        my = gr_fma(b->place[2][k], x, gr_fma(-b->place[0][k], z, my));
        mz = gr_fma(b->place[0][k], y, gr_fma(-b->place[1][k], x, mz));
    }
    const double wrench[6] = {fx, fy, fz, mx, my, mz}, compaction[3] = {cx, cy, cz};
    for (int i = 0; i < 6; i++) {
        out->wrench[i] += wrench[i];
    }
    for (int i = 0; i < 3; i++) {
        out->compaction[i] += compaction[i];
    }
    out->strength += all;
}

static inline void to_float(int n, const double *restrict from, float *restrict to)
{
#pragma omp simd
    for (int k = 0; k < n; k++) {
        to[k] = (float)from[k];
    }
}

/// A force and its moment about the centre, in single precision.
static inline void set_wrench(int n, double force[3][BLOCK], float place[3][BLOCK], float w[6][BLOCK])
{
    to_float(n, force[0], w[0]);
    to_float(n, force[1], w[1]);
    to_float(n, force[2], w[2]);
    const float *x = place[0], *y = place[1], *z = place[2], *fx = w[0], *fy = w[1], *fz = w[2];
    float *restrict mx = w[3], *restrict my = w[4], *restrict mz = w[5];
#pragma omp simd
    for (int k = 0; k < n; k++) {
        mx[k] = y[k] * fz[k] - z[k] * fy[k];
        my[k] = z[k] * fx[k] - x[k] * fz[k];
        mz[k] = x[k] * fy[k] - y[k] * fx[k];
    }
}

/// Inputs of the derivatives, computed after the forces.
static void set_slopes(const GrScmLaw *law, const GrScmBlock *restrict b, Stage *restrict t)
{
    const GrSoilDef *soil = law->soil;
    const float by_x = (float)(1 / soil->shear_x), tan_phi = (float)law->tan_phi, upright = (float)law->upright;
    const float cohesion = (float)soil->cohesion * upright;
    const float by_y = soil->shear == GR_SHEAR_COMBINED ? by_x : (float)(1 / soil->shear_y);
    const int count = gr_scm_whole(b->count);
    to_float(count, b->tau[0], t->tau[0]);
    to_float(count, b->tau[1], t->tau[1]);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const float area = (float)b->area[k], steep = (float)t->sigma_z[k] * upright;
        const float push = -(float)t->strength[k] * t->gain[k], along = push * by_x, across = push * by_y;
        const float more = -(float)t->gripped[k] * t->gain[k];
        const float away0 = t->away[0][k], away1 = t->away[1][k], unit0 = t->unit[0][k], unit1 = t->unit[1][k];
        t->stiff[k] = t->pushes[k] * (area * steep + (float)(b->shed[k] * (b->pressed[k] - b->sigma[k])) * upright);
        t->shear_z[k] = (float)b->stretch[k] * (area * tan_phi * steep + cohesion * (float)b->shed[k]);
        t->push[0][0][k] = more * by_x * (1 - away0 * unit0);
        t->push[1][0][k] = -along * away1 * unit0;
        t->push[0][1][k] = -more * by_y * away0 * unit1;
        t->push[1][1][k] = across * (1 - away1 * unit1);
    }
}

/// Left factors of the derivatives by the pose and by the speeds along and across.
static void set_factors(GrScmBlock *restrict b, Stage *restrict t, Wrenches *restrict w)
{
    const int count = gr_scm_whole(b->count);
    for (int i = 0; i < 3; i++) {
        to_float(count, b->place[i], w->place[i]); // cppcheck-suppress uninitvar ; it is written here
    }
    set_wrench(count, b->up, w->place, w->up);
    set_wrench(count, b->along, w->place, w->along_w);
    set_wrench(count, b->across, w->place, w->across_w);
    for (int i = 0; i < 6; i++) {
        const float *restrict up = w->up[i], *restrict along = w->along_w[i], *restrict across = w->across_w[i];
        float *restrict pose = w->left[0][i], *restrict by_along = w->left[1][i], *restrict by_across = w->left[2][i];
#pragma omp simd
        for (int k = 0; k < count; k++) {
            const float held = t->tau[0][k] * along[k] + t->tau[1][k] * across[k];
            pose[k] = t->shear_z[k] * held - t->stiff[k] * up[k];
            by_along[k] = t->push[0][0][k] * along[k] + t->push[1][0][k] * across[k];
            by_across[k] = t->push[0][1][k] * along[k] + t->push[1][1][k] * across[k];
        }
    }
}

/// to[i][j] += Σ_k left[i][k] right[j][k]; `left` and `right` are the first of six rows.
static void add_products(int n, const float *restrict left, const float *restrict right, double to[6][6])
{
    const float *r0 = right, *r1 = r0 + BLOCK, *r2 = r1 + BLOCK, *r3 = r2 + BLOCK, *r4 = r3 + BLOCK, *r5 = r4 + BLOCK;
    for (int i = 0; i < 6; i += 2) {
        const float *l = left + (ptrdiff_t)i * BLOCK, *h = l + BLOCK;
        float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, u0 = 0, u1 = 0, u2 = 0, u3 = 0, u4 = 0, u5 = 0;
#pragma omp simd reduction(+ : s0, s1, s2, s3, s4, s5, u0, u1, u2, u3, u4, u5)
        for (int k = 0; k < n; k++) {
            s0 = gr_fma_single(l[k], r0[k], s0);
            s1 = gr_fma_single(l[k], r1[k], s1);
            s2 = gr_fma_single(l[k], r2[k], s2);
            s3 = gr_fma_single(l[k], r3[k], s3);
            s4 = gr_fma_single(l[k], r4[k], s4);
            s5 = gr_fma_single(l[k], r5[k], s5);
            u0 = gr_fma_single(h[k], r0[k], u0);
            u1 = gr_fma_single(h[k], r1[k], u1);
            u2 = gr_fma_single(h[k], r2[k], u2);
            u3 = gr_fma_single(h[k], r3[k], u3);
            u4 = gr_fma_single(h[k], r4[k], u4);
            u5 = gr_fma_single(h[k], r5[k], u5);
        }
        const float sums[2][6] = {{s0, s1, s2, s3, s4, s5}, {u0, u1, u2, u3, u4, u5}};
        for (int j = 0; j < 6; j++) {
            to[i][j] += (double)sums[0][j];
            to[i + 1][j] += (double)sums[1][j];
        }
    }
}

/// The damping's derivative: −γ area N Nᵀ.
static void add_damping(const GrScmBlock *b, const Stage *t, Wrenches *w, GrScmOutput *out)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < b->count; k++) {
            w->left[0][i][k] = -t->by_speed[k] * w->up[i][k];
        }
    }
    add_products(b->count, w->left[0][0], w->up[0], out->d_twist);
}

void gr_scm_block_forces(const GrScmLaw *law, GrScmBlock *b, GrScmOutput *out)
{
    Stage t;
    Wrenches w;
    const int n = b->count;
    gr_scm_block_steepen(law, b);
    set_pressure(law, b, &t);
    set_speeds(law, b, &t);
    set_shear(law, b, &t);
    sum_forces(law, b, &t, out);
    set_slopes(law, b, &t);
    set_factors(b, &t, &w);
    add_products(n, w.left[0][0], w.up[0], out->d_pose);
    add_products(n, w.left[1][0], w.along_w[0], out->d_twist);
    add_products(n, w.left[2][0], w.across_w[0], out->d_twist);
    if (law->gamma > 0) {
        add_damping(b, &t, &w, out);
    }
}
