/// Grains of two or three spheres that are one rigid body: how they move under what acts on their spheres. All clumps
/// of a bin have one shape in several sizes; sphere k of clump c is the grain of the id c · members + k.
///
/// A clump keeps its angular momentum, which its spin follows from: without a torque it stays to the last bit.
#ifndef GR_CLUMP_H
#define GR_CLUMP_H

#include "bin_step.h"

/// a rotated by the unit quaternion w, x, y, z.
GR_INLINE GrVec3f gr_clump_turn(const float q[4], GrVec3f a)
{
    const GrVec3f v = gr_v3f(q[1], q[2], q[3]), t = gr_v3f_scale(2, gr_v3f_cross(v, a));
    return gr_v3f_add(gr_v3f_add(a, gr_v3f_scale(q[0], t)), gr_v3f_cross(v, t));
}

/// The spin that a clump has with the rotation q.
GR_INLINE GrVec3f gr_clump_spin(const GrBinView *s, const GrClump *b, const float q[4])
{
    const float back[4] = {q[0], -q[1], -q[2], -q[3]}, scale = b->light / (b->size * b->size);
    const GrVec3f l = gr_clump_turn(back, gr_v3f(b->lx, b->ly, b->lz)), i = s->clump_turning;
    return gr_clump_turn(q, gr_v3f(scale * i.x * l.x, scale * i.y * l.y, scale * i.z * l.z));
}

/// The rotation after the spin w has lasted for a time: a half-angle tangent, which keeps the length.
GR_INLINE void gr_clump_rotate(const float from[4], GrVec3f w, float time, float to[4])
{
    const float h = 0.5f * time, x = h * w.x, y = h * w.y, z = h * w.z;
    const float a = from[0], b = from[1], c = from[2], d = from[3];
    to[0] = a - x * b - y * c - z * d;
    to[1] = b + x * a + y * d - z * c;
    to[2] = c - x * d + y * a + z * b;
    to[3] = d + x * c - y * b + z * a;
    const float scale = 1 / __builtin_sqrtf(to[0] * to[0] + to[1] * to[1] + to[2] * to[2] + to[3] * to[3]);
    for (int k = 0; k < 4; k++) {
        to[k] *= scale;
    }
}

/// Puts the spheres where their clump is. Returns whether one strayed from where the lists were made.
GR_INLINE int gr_clump_place(const GrBinView *s, int32_t c, const GrClump *b)
{
    const GrVec3f w = gr_clump_spin(s, b, b->q);
    int strayed = 0;
    for (int k = 0; k < s->members; k++) {
        const int32_t i = s->where[c * s->members + k];
        const GrVec3f arm = gr_clump_turn(b->q, gr_v3f_scale(b->size, s->clump_at[k])), v = gr_v3f_cross(w, arm);
        GrGrain g = s->now[i];
        g.x = gr_fixed_add(b->x, gr_place_step(arm.x * s->per_unit[0]));
        g.y = gr_fixed_add(b->y, gr_place_step(arm.y * s->per_unit[1]));
        g.z = gr_fixed_add(b->z, gr_place_step(arm.z * s->per_unit[2]));
        g.vx = b->vx + v.x, g.vy = b->vy + v.y, g.vz = b->vz + v.z;
        g.wx = w.x, g.wy = w.y, g.wz = w.z;
        s->now[i] = g;
        strayed |= gr_strayed(s, i, &g);
    }
    return strayed;
}

/// Moves clump c by what acts on its spheres. The spin is taken in the middle of the step.
GR_INLINE void gr_move_clump(const GrBinView *s, int32_t c, GrBinSums *sums)
{
    GrClump b = s->clump[c];
    GrVec3f force = gr_v3f(0, 0, 0), torque = force;
    for (int k = 0; k < s->members; k++) {
        const GrPush p = gr_sum_pushes(s, s->where[c * s->members + k]);
        const GrVec3f f = gr_v3f(p.fx, p.fy, p.fz);
        const GrVec3f arm = gr_clump_turn(b.q, gr_v3f_scale(b.size, s->clump_at[k]));
        force = gr_v3f_add(force, f);
        torque = gr_v3f_add(torque, gr_v3f_add(gr_v3f(p.tx, p.ty, p.tz), gr_v3f_cross(arm, f)));
    }
    const float dt = s->law.dt, push = dt * b.light;
    b.vx = s->keep * b.vx + (dt * s->gravity[0] + push * force.x);
    b.vy = s->keep * b.vy + (dt * s->gravity[1] + push * force.y);
    b.vz = s->keep * b.vz + (dt * s->gravity[2] + push * force.z);
    b.lx = s->keep * b.lx + dt * torque.x;
    b.ly = s->keep * b.ly + dt * torque.y;
    b.lz = s->keep * b.lz + dt * torque.z;
    float middle[4], end[4];
    gr_clump_rotate(b.q, gr_clump_spin(s, &b, b.q), 0.5f * dt, middle);
    gr_clump_rotate(b.q, gr_clump_spin(s, &b, middle), dt, end);
    for (int k = 0; k < 4; k++) {
        b.q[k] = end[k];
    }
    b.x = gr_fixed_add(b.x, gr_place_step(b.vx * dt * s->per_unit[0]));
    b.y = gr_fixed_add(b.y, gr_place_step(b.vy * dt * s->per_unit[1]));
    b.z = gr_fixed_add(b.z, gr_place_step(b.vz * dt * s->per_unit[2]));
    s->clump[c] = b;
    if (gr_clump_place(s, c, &b)) {
        sums->rebuild = 1;
    }
}

#endif
