/// Contribution of a wheel's curvature to the derivatives by its displacement.
///
/// Nodes stay in place while the wheel moves on. The surface over a node changes its depth, which the sums over the
/// nodes include, and it rotates. With N = (−z_x, −z_y, 1) and the wheel moved by d, N changes by (z_xx d_x + z_xy d_y,
/// z_xy d_x + z_yy d_y, 0). A cylinder is curved only along h, which is horizontal and perpendicular to the axle a:
///
///   z_ij = h_i h_j R²/(√(1 − a_z²) (R² − t²)^(3/2)),  t the distance of the node in front of the axle
///
/// Shear acts along the surface, (A, 0, B) in the wheel's axes, and d_h rotates it to (A + B d_h/(R A), 0, B − d_h/R).
///
/// Without this, the forces at the end of a step would have the depths of its end but the directions of its middle.
/// Damping is not included: it acts from the first contact on, so that the nodes that come into contact, which no
/// derivative covers, compensate for those that rotate.
#include "scm_block.h"

void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out)
{
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], level = sqrt(ax * ax + ay * ay);
    const double hx = ay / level, hy = -ax / level, r2 = radius * radius;
    const double least = r2 / (1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *x = b->place[0], *y = b->place[1], *area = b->area, *sigma = b->sigma;
    const int count = b->count;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int k = 0; k < count; k++) {
        const double t = hx * x[k] + hy * y[k], far = r2 - t * t, under = far > least ? far : least;
        sum += area[k] * sigma[k] / (under * sqrt(under));
    }
    const double curved = sum * r2 / level;
    out->d_pose[0][0] += curved * hx * hx;
    out->d_pose[0][1] += curved * hx * hy;
    out->d_pose[1][0] += curved * hx * hy;
    out->d_pose[1][1] += curved * hy * hy;
}

/// The sum of the shear along the surface is −(moment about the axle)/R, and its sum times B is the force by which it
/// lifts the wheel. A is approximated by 1.
void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out)
{
    const double *w = out->wrench, *p = out->compaction;
    const GrVec3 x = gr_mat3_column(&pose->axes, 0), y = gr_mat3_column(&pose->axes, 1),
                 z = gr_mat3_column(&pose->axes, 2);
    const double along = -gr_dot(gr_vec3(w[3], w[4], w[5]), y) / radius;
    const double lift = gr_dot(gr_vec3(w[0] - p[0], w[1] - p[1], w[2] - p[2]), z);
    const GrVec3 change = gr_scale(1 / radius, gr_madd(gr_scale(lift, x), -along, z));
    const double force[3] = {change.x, change.y, change.z}, axis[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += force[i] * axis[j];
        }
    }
}
