/// What a wheel's curvature adds to the derivatives by its displacement.
///
/// A node stays where it is while the wheel moves on: the surface over it gets deeper or less deep, which the sums over
/// the nodes have, and it turns. With N = (−z_x, −z_y, 1) and the wheel moved by d, N changes by (z_xx d_x + z_xy d_y,
/// z_xy d_x + z_yy d_y, 0). A cylinder is curved along h alone, level and across the axle a:
///
///   z_ij = h_i h_j R²/(√(1 − a_z²) (R² − t²)^(3/2)),  t the way of the node before the axle
///
/// Pressure turns with N, so does the speed that damping sees, and shear goes along the surface:
///
///   pressure  area σ h (z_hh d_h)
///   damping   −area γ N (v_h z_hh d_h)
///   shear     along (A, 0, B) in the wheel's axes, d_h turns it to (A + B d_h/(R A), 0, B − d_h/R)
///
/// Without them the forces at the end of a step would have the depths of its end and the directions of its middle:
/// at steps of a hundredth of the radius the torque of a wheel that drives would be off by 0.5 %.
#include "scm_block.h"

void gr_scm_add_turn(const GrMat3 *axes, double bent, const double swayed[3], GrScmOutput *out)
{
    const double ax = axes->m[0][1], ay = axes->m[1][1], level = sqrt(ax * ax + ay * ay);
    const double h[2] = {ay / level, -ax / level};
    for (int j = 0; j < 2; j++) {
        out->d_pose[0][j] += (bent * h[0] + swayed[0]) * h[j];
        out->d_pose[1][j] += (bent * h[1] + swayed[1]) * h[j];
        out->d_pose[2][j] += swayed[2] * h[j];
    }
}

void gr_scm_add_curvature(const GrScmPose *pose, double radius, const GrScmBlock *b, GrScmOutput *out)
{
    const double ax = pose->axes.m[0][1], ay = pose->axes.m[1][1], level = sqrt(ax * ax + ay * ay);
    const double hx = ay / level, hy = -ax / level, r2 = radius * radius;
    const double least = r2 / (1 + GR_SCM_STEEPEST * GR_SCM_STEEPEST);
    const double *x = b->place[0], *y = b->place[1], *area = b->area;
    const int count = b->count;
    double bent = 0, dx = 0, dy = 0, dz = 0;
#pragma omp simd reduction(+ : bent, dx, dy, dz)
    for (int k = 0; k < count; k++) {
        const double t = hx * x[k] + hy * y[k], far = r2 - t * t, under = far > least ? far : least;
        const double curved = area[k] / (under * sqrt(under)), damped = curved * b->damped[k];
        bent += curved * b->pressed[k];
        dx -= damped * b->up[0][k];
        dy -= damped * b->up[1][k];
        dz -= damped * b->up[2][k];
    }
    const double by = r2 / level, speed = by * (hx * pose->velocity.x + hy * pose->velocity.y);
    gr_scm_add_turn(&pose->axes, by * bent, (double[3]){speed * dx, speed * dy, speed * dz}, out);
}

static GrVec3 column(const GrMat3 *m, int j)
{
    return gr_vec3(m->m[0][j], m->m[1][j], m->m[2][j]);
}

/// Σ shear along, over all nodes, is −(moment about the axle)/R, and Σ shear along B is what it lifts the wheel with;
/// A is taken as 1.
void gr_scm_add_shear_turn(const GrScmPose *pose, double radius, GrScmOutput *out)
{
    const double *w = out->wrench, *p = out->compaction;
    const GrVec3 x = column(&pose->axes, 0), y = column(&pose->axes, 1), z = column(&pose->axes, 2);
    const double along = -gr_dot(gr_vec3(w[3], w[4], w[5]), y) / radius;
    const double lift = gr_dot(gr_vec3(w[0] - p[0], w[1] - p[1], w[2] - p[2]), z);
    const GrVec3 change = gr_scale(1 / radius, gr_madd(gr_scale(lift, x), -along, z));
    const double force[3] = {change.x, change.y, change.z}, way[3] = {x.x, x.y, x.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out->d_pose[i][j] += force[i] * way[j];
        }
    }
}
