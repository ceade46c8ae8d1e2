/// What a wheel's curvature adds to the derivatives by its displacement.
///
/// A node stays where it is while the wheel moves on: the surface over it gets deeper or less deep, which the sums over
/// the nodes have, and it turns. With N = (−z_x, −z_y, 1) and the wheel moved by d, N changes by (z_xx d_x + z_xy d_y,
/// z_xy d_x + z_yy d_y, 0). A cylinder is curved along h alone, level and across the axle a:
///
///   z_ij = h_i h_j R²/(√(1 − a_z²) (R² − t²)^(3/2)),  t the way of the node before the axle
///
/// Without it the forces at the end of a step would have the depths of its end and the normals of its beginning:
/// pressure would hold a wheel back by f_z v dt/R too much, 4 % of its torque at steps of 25 ms.
#include "scm_block.h"

void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out)
{
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], level = sqrt(ax * ax + ay * ay);
    const double hx = ay / level, hy = -ax / level, r2 = radius * radius;
    const double least = r2 / (1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *x = b->place[0], *y = b->place[1], *area = b->area, *pressed = b->pressed;
    const int count = b->count;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < count; k++) {
        const double t = hx * x[k] + hy * y[k], far = r2 - t * t, under = far > least ? far : least;
        sum += area[k] * pressed[k] / (under * sqrt(under));
    }
    const double curved = sum * r2 / level;
    out->d_pose[0][0] += curved * hx * hx;
    out->d_pose[0][1] += curved * hx * hy;
    out->d_pose[1][0] += curved * hx * hy;
    out->d_pose[1][1] += curved * hy * hy;
}
