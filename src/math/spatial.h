/// Spatial (6-D) algebra in world axes about one reference point O, so that no transforms are needed along the tree.
///
///   twist   V = (ω; v)   v: velocity of the body-fixed point that is at O
///   wrench  W = (n; f)   n: moment about O
///   power   W·V = n·ω + f·v
#ifndef GR_SPATIAL_H
#define GR_SPATIAL_H

#include "vec3.h"

typedef struct GrTwist {
    GrVec3 ang, lin;
} GrTwist;

typedef struct GrWrench {
    GrVec3 moment, force;
} GrWrench;

/// Rigid-body inertia about O: mass, first moment h = m c, rotational inertia about O.
typedef struct GrInertia {
    double mass;
    GrVec3 h;
    GrSym3 i;
} GrInertia;

static inline GrTwist gr_twist_add(GrTwist a, GrTwist b)
{
    return (GrTwist){gr_add(a.ang, b.ang), gr_add(a.lin, b.lin)};
}

static inline GrTwist gr_twist_madd(GrTwist a, double s, GrTwist b)
{
    return (GrTwist){gr_madd(a.ang, s, b.ang), gr_madd(a.lin, s, b.lin)};
}

static inline GrWrench gr_wrench_add(GrWrench a, GrWrench b)
{
    return (GrWrench){gr_add(a.moment, b.moment), gr_add(a.force, b.force)};
}

static inline GrWrench gr_wrench_sub(GrWrench a, GrWrench b)
{
    return (GrWrench){gr_sub(a.moment, b.moment), gr_sub(a.force, b.force)};
}

static inline double gr_power(GrWrench w, GrTwist v)
{
    return gr_dot(w.moment, v.ang) + gr_dot(w.force, v.lin);
}

/// V × M: rate of a motion vector M that is fixed in a body moving with V (Featherstone 2008, 2.31).
static inline GrTwist gr_twist_cross(GrTwist v, GrTwist m)
{
    return (GrTwist){gr_cross(v.ang, m.ang), gr_add(gr_cross(v.ang, m.lin), gr_cross(v.lin, m.ang))};
}

/// V ×* W: rate of a force vector W that is fixed in a body moving with V (Featherstone 2008, 2.32).
static inline GrWrench gr_twist_cross_wrench(GrTwist v, GrWrench w)
{
    return (GrWrench){gr_add(gr_cross(v.ang, w.moment), gr_cross(v.lin, w.force)), gr_cross(v.ang, w.force)};
}

/// I V = (i ω + h × v; m v − h × ω)
static inline GrWrench gr_inertia_mul(const GrInertia *a, GrTwist v)
{
    return (GrWrench){gr_add(gr_sym3_mul_vec(a->i, v.ang), gr_cross(a->h, v.lin)),
                      gr_sub(gr_scale(a->mass, v.lin), gr_cross(a->h, v.ang))};
}

static inline GrInertia gr_inertia_add(GrInertia a, GrInertia b)
{
    return (GrInertia){a.mass + b.mass, gr_add(a.h, b.h), gr_sym3_add(a.i, b.i)};
}

/// Inertia of a body with its centre of mass at c and rotational inertia i_com there, about O.
static inline GrInertia gr_inertia_at(double mass, GrVec3 c, GrSym3 i_com)
{
    return (GrInertia){mass, gr_scale(mass, c), gr_sym3_add(i_com, gr_sym3_point(mass, c))};
}

/// Velocity of the body-fixed point at p.
static inline GrVec3 gr_twist_at(GrTwist v, GrVec3 p)
{
    return gr_add(v.lin, gr_cross(v.ang, p));
}

/// A force at p with a free moment, about O.
static inline GrWrench gr_wrench_at(GrVec3 p, GrVec3 force, GrVec3 moment)
{
    return (GrWrench){gr_add(moment, gr_cross(p, force)), force};
}

/// Row-major 6 x 6 matrix in the order (angular, linear) on both sides.
typedef struct GrMat6 {
    double m[6][6];
} GrMat6;

/// The matrix that maps twists to wrenches at p, seen from O: (1 0; −[p] 1)ᵀ a (1 0; −[p] 1).
GrMat6 gr_mat6_shift(const GrMat6 *a, GrVec3 p);

static inline GrWrench gr_mat6_mul(const GrMat6 *a, GrTwist v)
{
    const double x[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
    double y[6];
    for (int i = 0; i < 6; i++) {
        y[i] = a->m[i][0] * x[0];
        for (int j = 1; j < 6; j++) {
            y[i] = gr_fma(a->m[i][j], x[j], y[i]);
        }
    }
    return (GrWrench){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

/// aᵀ v
static inline GrWrench gr_mat6_tmul(const GrMat6 *a, GrTwist v)
{
    const double x[6] = {v.ang.x, v.ang.y, v.ang.z, v.lin.x, v.lin.y, v.lin.z};
    double y[6];
    for (int j = 0; j < 6; j++) {
        y[j] = a->m[0][j] * x[0];
    }
    for (int i = 1; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            y[j] = gr_fma(a->m[i][j], x[i], y[j]);
        }
    }
    return (GrWrench){{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
}

/// s a
static inline void gr_mat6_scale(GrMat6 *y, double s, const GrMat6 *a)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            y->m[i][j] = s * a->m[i][j];
        }
    }
}

/// y + s a
static inline void gr_mat6_madd(GrMat6 *y, double s, const GrMat6 *a)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            y->m[i][j] = gr_fma(s, a->m[i][j], y->m[i][j]);
        }
    }
}

#endif
