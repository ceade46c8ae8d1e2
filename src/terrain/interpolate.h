/// Height and slope inside one cell, from the nodes around it. u, v in [0, 1] from the cell's south-west node.
#ifndef GR_INTERPOLATE_H
#define GR_INTERPOLATE_H

#include "grouser/terrain.h"

/// Height and its derivatives along x and y.
typedef struct GrSlope {
    double z, gx, gy;
} GrSlope;

/// z = (1 − v)((1 − u) z00 + u z10) + v ((1 − u) z01 + u z11); `n` is the south-west node of the cell.
static inline GrSlope gr_bilinear(const double *n, ptrdiff_t stride, double u, double v, double per_dx, double per_dy)
{
    const double south = n[1] - n[0], north = n[stride + 1] - n[stride];
    const double z_south = n[0] + u * south, z_north = n[stride] + u * north;
    const double rise = z_north - z_south;
    return (GrSlope){z_south + v * rise, (south + v * (north - south)) * per_dx, rise * per_dy};
}

/// Catmull-Rom weights of nodes −1, 0, 1, 2 and their derivatives: the cubic through nodes 0 and 1 whose slopes there
/// are the central differences (Keys 1981, a = −1/2).
static inline void gr_cubic_weights(double u, double w[4], double d[4])
{
    w[0] = u * (-0.5 + u * (1 - 0.5 * u));
    w[1] = 1 + u * u * (-2.5 + 1.5 * u);
    w[2] = u * (0.5 + u * (2 - 1.5 * u));
    w[3] = u * u * (-0.5 + 0.5 * u);
    d[0] = -0.5 + u * (2 - 1.5 * u);
    d[1] = u * (-5 + 4.5 * u);
    d[2] = 0.5 + u * (4 - 4.5 * u);
    d[3] = u * (-1 + 1.5 * u);
}

static inline GrSlope gr_bicubic(const double *n, ptrdiff_t stride, double u, double v, double per_dx, double per_dy)
{
    double wu[4], du[4], wv[4], dv[4];
    gr_cubic_weights(u, wu, du);
    gr_cubic_weights(v, wv, dv);
    // Heights relative to one node: the weights sum to 1 only up to rounding, which matters at large elevations.
    const double base = n[0];
    GrSlope s = {base, 0, 0};
    for (int j = 0; j < 4; j++) {
        const double *row = n + (j - 1) * stride - 1;
        double z = 0, g = 0;
        for (int i = 0; i < 4; i++) {
            z += wu[i] * (row[i] - base);
            g += du[i] * (row[i] - base);
        }
        s.z += wv[j] * z;
        s.gx += wv[j] * g * per_dx;
        s.gy += dv[j] * z * per_dy;
    }
    return s;
}

/// Height alone, bitwise equal to that of gr_bicubic().
static inline double gr_bicubic_height(const double *n, ptrdiff_t stride, double u, double v)
{
    double wu[4], wv[4], d[4];
    gr_cubic_weights(u, wu, d);
    gr_cubic_weights(v, wv, d);
    const double base = n[0];
    double height = base;
    for (int j = 0; j < 4; j++) {
        const double *row = n + (j - 1) * stride - 1;
        double z = 0;
        for (int i = 0; i < 4; i++) {
            z += wu[i] * (row[i] - base);
        }
        height += wv[j] * z;
    }
    return height;
}

static inline GrSlope gr_interpolate(GrInterpolation kind, const double *n, ptrdiff_t stride, double u, double v,
                                     double per_dx, double per_dy)
{
    return kind == GR_BILINEAR ? gr_bilinear(n, stride, u, v, per_dx, per_dy)
                               : gr_bicubic(n, stride, u, v, per_dx, per_dy);
}

#endif
