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

void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out)
{
    const GrVec3 x = gr_vec3(pose->axes.m[0][0], pose->axes.m[1][0], pose->axes.m[2][0]);
    const GrVec3 y = gr_vec3(pose->axes.m[0][1], pose->axes.m[1][1], pose->axes.m[2][1]);
    const GrVec3 z = gr_vec3(pose->axes.m[0][2], pose->axes.m[1][2], pose->axes.m[2][2]);
    const GrVec3 moment = gr_vec3(out->wrench[3], out->wrench[4], out->wrench[5]);
    const GrVec3 shear = gr_vec3(out->wrench[0] - out->compaction[0], out->wrench[1] - out->compaction[1],
                                 out->wrench[2] - out->compaction[2]);
    const double rise = gr_dot(moment, y) / (radius * radius), forth = gr_dot(shear, z) / radius;
    const GrVec3 change = gr_madd(gr_scale(rise, z), forth, x);
    const double force[3] = {change.x, change.y, change.z}, way[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += force[i] * way[j];
        }
    }
}
