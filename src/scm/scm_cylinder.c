/// Sums over the nodes under a smooth wheel. In the wheel's axes, y along the axle, a node of the cylinder is at (R B,
/// s, −R A), A² + B² = 1, and everything is a polynomial of A, B and s:
///
///   along  = (A, 0, B),           its wrench (A, 0, B, s B, −R, −s A)
///   across = (0, 1, 0),           its wrench (0, 1, 0, R A, 0, R B)
///   N      = g (−B, 0, A),        its wrench g (−B, 0, A, s A, 0, s B),   g the stretch
///
/// so that the derivatives need only the moments Σ weight s^i A^j B^k of a few weights, not a matrix for every node.
#include "scm_block.h"

#include <string.h>

#define BLOCK GR_SCM_BLOCK

/// Weights of the moments: derivatives of shear by speed, of shear by depth (along, across), of pressure by depth and
/// by speed. Those of the second half need no s².
enum { PUSH_00, HELD_ALONG, STIFF, DAMPED, PUSH_01, PUSH_10, PUSH_11, HELD_ACROSS };

/// One entry of a wrench, in its row: factor s^s times 1, A or B.
enum { ONE, LEVEL, AHEAD, KINDS };

typedef struct Term {
    int row;
    double factor;
    int s, kind;
} Term;

typedef struct Column {
    int count;
    Term terms[5];
} Column;

static GrVec3 axis(const GrMat3 *m, int j)
{
    return gr_vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

static void to_local(const GrMat3 *axes, const double *world, double *local)
{
    for (int j = 0; j < 3; j++) {
        local[j] = axes->m[0][j] * world[0] + axes->m[1][j] * world[1] + axes->m[2][j] * world[2];
    }
}

static void add_to_world(const GrMat3 *axes, const double *local, double *world)
{
    for (int i = 0; i < 3; i++) {
        world[i] += axes->m[i][0] * local[0] + axes->m[i][1] * local[1] + axes->m[i][2] * local[2];
    }
}

void gr_scm_cylinder_begin(const GrScmPose *pose, double radius, GrScmCylinder *c)
{
    memset(c, 0, sizeof *c);
    c->axes = pose->axes;
    c->radius = radius;
    const double velocity[3] = {pose->velocity.x, pose->velocity.y, pose->velocity.z};
    const double spin[3] = {pose->spin.x, pose->spin.y, pose->spin.z};
    to_local(&c->axes, velocity, c->twist);
    to_local(&c->axes, spin, c->twist + 3);
}

/// Arrays between the loops over a block.
typedef struct Stage {
    double rising[BLOCK];                            ///< speed along N, divided by the stretch [m/s]
    double upright[BLOCK];                           ///< z of the surface's normal
    double p[2][BLOCK], q[2][BLOCK];                 ///< GrScmTrial
    double size[BLOCK], rate[BLOCK], inverse[BLOCK]; ///< GrScmRoots
    double strength[BLOCK], normal[BLOCK];           ///< largest shear force, force of the pressure [N]
    double gripped[BLOCK];                           ///< largest shear force along a wheel with lugs [N]
    double bent[BLOCK]; ///< the latter without damping, times the square of the stretch [N]
    // For the derivatives, in single precision
    float held[BLOCK]; ///< derivative of the strength by depth
    float weights[GR_SCM_WEIGHTS][BLOCK];
} Stage;

/// Computes A, B, s and the normal's z from the positions, and the local motion; false when a node is steeper than
/// GR_SCM_STEEPEST.
static bool set_motion(const GrScmTerms *terms, const GrScmCylinder *c, GrScmBlock *restrict b, Stage *restrict t)
{
    const double r = c->radius, by_radius = 1 / r, least = 1 / sqrt(1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const GrVec3 x = gr_scale(by_radius, axis(&c->axes, 0)), y = axis(&c->axes, 1);
    const GrVec3 z = gr_scale(-by_radius, axis(&c->axes, 2));
    const double tilt = c->axes.m[2][0], flat = c->axes.m[2][2];
    const double vx = c->twist[0], vy = c->twist[1], vz = c->twist[2];
    const double wx = c->twist[3], wz = c->twist[5], rolling = r * c->twist[4];
    const int count = gr_scm_whole(b->count);
    double lowest = 1;
#pragma omp simd reduction(min : lowest)
    for (int k = 0; k < count; k++) {
        const double px = b->place[0][k], py = b->place[1][k], pz = b->place[2][k];
        const double ahead = gr_fma(px, x.x, gr_fma(py, x.y, pz * x.z));
        const double level = gr_fma(px, z.x, gr_fma(py, z.y, pz * z.z));
        const double s = gr_fma(px, y.x, gr_fma(py, y.y, pz * y.z)), upright = gr_fma(flat, level, -tilt * ahead);
        // velocity of the point on the axle beside the node
        const double ux = gr_fma(-s, wz, vx), uz = gr_fma(s, wx, vz);
        const double along = gr_fma(level, ux, gr_fma(ahead, uz, -rolling));
        const double across = gr_fma(r, gr_fma(level, wx, ahead * wz), vy), turning = gr_fma(level, wz, -ahead * wx);
        const GrScmTrial trial = gr_scm_try(terms, b->firm[k], along, across, turning, b->m[0][k], b->m[1][k]);
        b->ahead[k] = ahead;
        b->level[k] = level;
        b->aside[k] = s;
        t->upright[k] = upright;
        t->rising[k] = gr_fma(level, uz, -ahead * ux);
        t->p[0][k] = trial.p0;
        t->p[1][k] = trial.p1;
        t->q[0][k] = trial.q0;
        t->q[1][k] = trial.q1;
        t->size[k] = gr_scm_size(trial.p0, trial.p1);
        t->rate[k] = gr_scm_size(trial.q0, trial.q1);
        lowest = upright < lowest ? upright : lowest;
    }
    return lowest > least;
}

/// Pressure, and the strength of shear under it. The divisions of the shear are done here, where there are others to
/// overlap them with.
static void set_pressure(const GrScmLaw *law, const GrScmTerms *terms, GrScmBlock *restrict b, Stage *restrict t)
{
    const double cohesion = law->soil->cohesion, tan_phi = law->tan_phi;
    const float ground = (float)law->upright;
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const GrScmPressure p = gr_scm_pressure(terms, b->depth[k], b->loaded[k], b->modulus[k]);
        const double stretch = 1 / t->upright[k], square = stretch * stretch;
        const double size = b->area[k] * stretch, twice = size * stretch;
        const GrScmDamped d = gr_scm_damp(terms, b->total[k], p.sigma, t->rising[k] * stretch);
        const double borne = size * p.sigma, strength = gr_fma(tan_phi, borne, size * cohesion);
        const double stiff = twice * (p.by_depth * b->ratio[k]), shed = b->shed[k] * square;
        b->pressed[k] = d.pressed;
        t->inverse[k] = gr_scm_inverse(terms, t->size[k], t->rate[k]);
        t->strength[k] = strength;
        t->gripped[k] = gr_fma(size, b->grip[k], strength);
        t->normal[k] = size * d.pressed;
        t->bent[k] = borne * square;
        t->weights[STIFF][k] = -((float)(d.held * gr_fma(shed, d.pressed - p.sigma, stiff)) * ground);
        t->weights[DAMPED][k] = -(float)(twice * d.by_speed);
        t->held[k] = (float)gr_fma(tan_phi, stiff, cohesion * shed) * ground;
    }
}

static void set_shear(const GrScmTerms *terms, GrScmBlock *restrict b, Stage *restrict t)
{
    const float by_x = (float)terms->by_x, by_y = (float)terms->by_y;
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const GrScmTrial trial = {t->p[0][k], t->p[1][k], t->q[0][k], t->q[1][k]};
        const GrScmRoots roots = {t->size[k], t->rate[k], t->inverse[k]};
        const GrScmShear m = gr_scm_mobilise(terms, trial, roots, b->peak[k]);
        const double gain = m.gain * b->firm[k];
        b->m[0][k] = m.m0;
        b->m[1][k] = m.m1;
        b->tau[0][k] = m.tau0;
        b->tau[1][k] = m.tau1;
        b->peak[k] = m.peak;
        b->slid[k] = m.slid;
        const float push = -(float)(t->strength[k] * gain), more = -(float)(t->gripped[k] * gain);
        const float away0 = (float)m.away0, away1 = (float)m.away1, unit0 = (float)m.unit0, unit1 = (float)m.unit1;
        t->weights[PUSH_00][k] = more * by_x * (1 - away0 * unit0);
        t->weights[PUSH_10][k] = -(push * by_x) * away1 * unit0;
        t->weights[PUSH_01][k] = -more * by_y * away0 * unit1;
        t->weights[PUSH_11][k] = push * by_y * (1 - away1 * unit1);
        t->weights[HELD_ALONG][k] = t->held[k] * (float)m.tau0;
        t->weights[HELD_ACROSS][k] = t->held[k] * (float)m.tau1;
    }
}

static void sum_forces(const GrScmBlock *restrict b, const Stage *restrict t, GrScmCylinder *restrict c)
{
    const double r = c->radius;
    const int count = gr_scm_whole(b->count);
    double all = 0, bent = 0, cx = 0, cz = 0, fx = 0, fy = 0, fz = 0, mx = 0, my = 0, mz = 0;
#pragma omp simd reduction(+ : all, bent, cx, cz, fx, fy, fz, mx, my, mz)
    for (int k = 0; k < count; k++) {
        const double level = b->level[k], ahead = b->ahead[k], s = b->aside[k], strength = t->strength[k];
        const double normal = t->normal[k], ax = -t->gripped[k] * b->tau[0][k], ay = -strength * b->tau[1][k];
        const double px = -normal * ahead, pz = normal * level;
        const double x = gr_fma(ax, level, px), z = gr_fma(ax, ahead, pz);
        all += t->gripped[k];
        bent += t->bent[k];
        cx += px;
        cz += pz;
        fx += x;
        fy += ay;
        fz += z;
        my += ax;
        mx = gr_fma(s, z, gr_fma(r * ay, level, mx));
        mz = gr_fma(-s, x, gr_fma(r * ay, ahead, mz));
    }
    const double wrench[6] = {fx, fy, fz, mx, -r * my, mz};
    for (int i = 0; i < 6; i++) {
        c->wrench[i] += wrench[i];
    }
    c->compaction[0] += cx;
    c->compaction[2] += cz;
    c->strength += all;
    c->bent += bent;
}

/// s^i A^j B^k except 1.
static void set_monomials(const GrScmBlock *restrict b, float monomials[GR_SCM_MONOMIALS - 1][BLOCK])
{
    const int count = gr_scm_whole(b->count);
#pragma omp simd
    for (int k = 0; k < count; k++) {
        const float level = (float)b->level[k], ahead = (float)b->ahead[k], s = (float)b->aside[k];
        const float square = level * level, mixed = level * ahead;
        monomials[0][k] = level;
        monomials[1][k] = ahead;
        monomials[2][k] = square;
        monomials[3][k] = mixed;
        monomials[4][k] = s;
        monomials[5][k] = s * level;
        monomials[6][k] = s * ahead;
        monomials[7][k] = s * square;
        monomials[8][k] = s * mixed;
        monomials[9][k] = s * s;
        monomials[10][k] = s * s * square;
        monomials[11][k] = s * s * mixed;
    }
}

/// Moments of four weights with three monomials.
static void add_moments(int n, const float *restrict weights, const float *restrict monomials, double *restrict to)
{
    const float *w0 = weights, *w1 = w0 + BLOCK, *w2 = w1 + BLOCK, *w3 = w2 + BLOCK;
    const float *q0 = monomials, *q1 = q0 + BLOCK, *q2 = q1 + BLOCK;
    float a0 = 0, a1 = 0, a2 = 0, b0 = 0, b1 = 0, b2 = 0, c0 = 0, c1 = 0, c2 = 0, d0 = 0, d1 = 0, d2 = 0;
#pragma omp simd reduction(+ : a0, a1, a2, b0, b1, b2, c0, c1, c2, d0, d1, d2)
    for (int k = 0; k < n; k++) {
        a0 = gr_fma_single(w0[k], q0[k], a0);
        a1 = gr_fma_single(w0[k], q1[k], a1);
        a2 = gr_fma_single(w0[k], q2[k], a2);
        b0 = gr_fma_single(w1[k], q0[k], b0);
        b1 = gr_fma_single(w1[k], q1[k], b1);
        b2 = gr_fma_single(w1[k], q2[k], b2);
        c0 = gr_fma_single(w2[k], q0[k], c0);
        c1 = gr_fma_single(w2[k], q1[k], c1);
        c2 = gr_fma_single(w2[k], q2[k], c2);
        d0 = gr_fma_single(w3[k], q0[k], d0);
        d1 = gr_fma_single(w3[k], q1[k], d1);
        d2 = gr_fma_single(w3[k], q2[k], d2);
    }
    const float sums[4][3] = {{a0, a1, a2}, {b0, b1, b2}, {c0, c1, c2}, {d0, d1, d2}};
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            to[i * GR_SCM_MONOMIALS + j] += (double)sums[i][j];
        }
    }
}

/// Sums of four weights.
static void add_weights(int n, const float *restrict weights, double *restrict to)
{
    const float *w0 = weights, *w1 = w0 + BLOCK, *w2 = w1 + BLOCK, *w3 = w2 + BLOCK;
    float a = 0, b = 0, c = 0, d = 0;
#pragma omp simd reduction(+ : a, b, c, d)
    for (int k = 0; k < n; k++) {
        a += w0[k];
        b += w1[k];
        c += w2[k];
        d += w3[k];
    }
    to[0] += (double)a;
    to[GR_SCM_MONOMIALS] += (double)b;
    to[2 * GR_SCM_MONOMIALS] += (double)c;
    to[3 * GR_SCM_MONOMIALS] += (double)d;
}

bool gr_scm_cylinder_add(const GrScmLaw *law, GrScmBlock *b, GrScmCylinder *c)
{
    Stage t;
    const GrScmTerms terms = gr_scm_terms(law);
    float monomials[GR_SCM_MONOMIALS - 1][BLOCK];
    gr_scm_block_pad(b);
    if (!set_motion(&terms, c, b, &t)) {
        return false;
    }
    gr_scm_block_steepen(law, b);
    set_pressure(law, &terms, b, &t);
    set_shear(&terms, b, &t);
    sum_forces(b, &t, c);
    set_monomials(b, monomials);
    for (int i = 0; i < GR_SCM_WEIGHTS; i += 4) {
        const int end = i == 0 ? GR_SCM_MONOMIALS : GR_SCM_MONOMIALS - 3;
        add_weights(b->count, t.weights[i], c->moments[i]);
        for (int j = 1; j < end; j += 3) {
            add_moments(b->count, t.weights[i], monomials[j - 1], c->moments[i] + j);
        }
    }
    return true;
}

/// to += Σ weight left rightᵀ. Inlined with constant columns, so that the compiler removes their tables.
static inline __attribute__((always_inline)) void add_outer(const double *m, const Column *left, const Column *right,
                                                            double to[6][6])
{
    static const int PRODUCT[KINDS][KINDS] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    // By power of s: 1, A, B, A², A B, B² = 1 − A²; no term is linear in A or B alone and quadratic in s.
    const double all[3][6] = {{m[0], m[1], m[2], m[3], m[4], m[0] - m[3]},
                              {m[5], m[6], m[7], m[8], m[9], m[5] - m[8]},
                              {m[10], 0, 0, m[11], m[12], m[10] - m[11]}};
    for (int i = 0; i < left->count; i++) {
        const Term *l = &left->terms[i];
        for (int j = 0; j < right->count; j++) {
            const Term *r = &right->terms[j];
            to[l->row][r->row] += l->factor * r->factor * all[l->s + r->s][PRODUCT[l->kind][r->kind]];
        }
    }
}

/// Adds a matrix given in the wheel's axes, block by block.
static void add_matrix(const GrMat3 *axes, double local[6][6], double to[6][6])
{
    for (int j = 0; j < 6; j++) { // rotate its columns, then its rows
        double turned[6] = {0};
        const double column[6] = {local[0][j], local[1][j], local[2][j], local[3][j], local[4][j], local[5][j]};
        add_to_world(axes, column, turned);
        add_to_world(axes, column + 3, turned + 3);
        for (int i = 0; i < 6; i++) {
            local[i][j] = turned[i];
        }
    }
    for (int i = 0; i < 6; i++) {
        add_to_world(axes, local[i], to[i]);
        add_to_world(axes, local[i] + 3, to[i] + 3);
    }
}

void gr_scm_cylinder_finish(const GrScmCylinder *c, GrScmOutput *out)
{
    const double r = c->radius;
    const Column along = {5,
                          {{0, 1, 0, LEVEL}, {2, 1, 0, AHEAD}, {3, 1, 1, AHEAD}, {4, -r, 0, ONE}, {5, -1, 1, LEVEL}}};
    const Column across = {3, {{1, 1, 0, ONE}, {3, r, 0, LEVEL}, {5, r, 0, AHEAD}}};
    const Column up = {4, {{0, -1, 0, AHEAD}, {2, 1, 0, LEVEL}, {3, 1, 1, LEVEL}, {5, 1, 1, AHEAD}}};
    double pose[6][6] = {{0}}, twist[6][6] = {{0}};
    add_outer(c->moments[PUSH_00], &along, &along, twist);
    add_outer(c->moments[PUSH_01], &along, &across, twist);
    add_outer(c->moments[PUSH_10], &across, &along, twist);
    add_outer(c->moments[PUSH_11], &across, &across, twist);
    add_outer(c->moments[DAMPED], &up, &up, twist);
    add_outer(c->moments[HELD_ALONG], &along, &up, pose);
    add_outer(c->moments[HELD_ACROSS], &across, &up, pose);
    add_outer(c->moments[STIFF], &up, &up, pose);
    add_matrix(&c->axes, twist, out->d_twist);
    add_matrix(&c->axes, pose, out->d_pose);
    add_to_world(&c->axes, c->wrench, out->wrench);
    add_to_world(&c->axes, c->wrench + 3, out->wrench + 3);
    add_to_world(&c->axes, c->compaction, out->compaction);
    out->strength += c->strength;
    // Curvature, see scm_edges.c: R² − t² follows from the normal's z, and R² / (R² − t²)^(3/2) from the stretch
    // cubed.
    const double ax = c->axes.m[0][1], ay = c->axes.m[1][1], bent = c->bent / r;
    out->d_pose[0][0] += bent * ay * ay;
    out->d_pose[0][1] -= bent * ax * ay;
    out->d_pose[1][0] -= bent * ax * ay;
    out->d_pose[1][1] += bent * ax * ax;
}
