#include "rft_body.h"

#include "device_call.h"
#include "law.h"
#include "rft_batch.h"
#include "rft_surface.h"
#include "rft_wheel.h"

#include <math.h>
#include <string.h>

/// As under wheels (rft.c): the soil under a body at rest carries half of its limit.
static const double REST_SHARE = 0.5;

/// ζ: of the critical damping, as scenarios give to soils without a damping of their own.
static const double DAMPING = 0.5;

GrStatus gr_rft_soil(const GrSoilDef *soil, double gravity, GrRftSoil *out, GrErrorLog *log)
{
    memset(out, 0, sizeof *out);
    if (soil->law != GR_SOIL_RFT) {
        return GR_OK;
    }
    GrSoilWheel w; // constants of the soil do not depend on the wheel
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.gravity = gravity;
    const GrStatus status = gr_soil_wheel_prepare(soil, &wheel, &w, log);
    if (status == GR_OK) {
        *out = (GrRftSoil){.grains = true,
                           .xi = w.pressure,
                           .friction = w.soil.own[GR_RFT_FRICTION],
                           .cohesion = w.soil.cohesion,
                           .hold = w.own[GR_RFT_HOLD],
                           .path = w.soil.own[GR_RFT_PATH],
                           .gravity = gravity};
    }
    return status;
}

double gr_rft_body_time(const GrRftSoil *soil, const GrRftBody *body)
{
    return soil->gravity > 0 ? sqrt(soil->path * body->size / soil->gravity) : (double)INFINITY;
}

/// τ [s]; 0 without gravity, where nothing swings about a load.
static double damping_time(const GrRftSoil *soil, const GrRftBody *body)
{
    return soil->gravity > 0 ? 2 * DAMPING * sqrt(0.5 * soil->path * body->size / soil->gravity) : 0;
}

/// q = p where |p| ≤ 1, else p/|p|, with p = old + dt u/K, u = (v, size ω). Returns |p|.
static double advance(const GrRftSoil *soil, const GrRftBody *body, const GrRftBodyMotion *in, double dt,
                      const double *old, double q[6])
{
    const double time = dt / (soil->path * body->size), turn = time * body->size;
    const GrVec3 v = in->velocity, w = in->spin;
    const double path[6] = {time * v.x, time * v.y, time * v.z, turn * w.x, turn * w.y, turn * w.z};
    const double stood[6] = {-REST_SHARE * in->up.x, -REST_SHARE * in->up.y, -REST_SHARE * in->up.z, 0, 0, 0};
    const double *from = in->resting ? stood : old;
    double square = 0;
    for (int i = 0; i < 6; i++) {
        q[i] = from[i] + path[i];
        square += q[i] * q[i];
    }
    const double size = sqrt(square), keep = size > 1 ? 1 / size : 1;
    for (int i = 0; i < 6; i++) {
        q[i] *= keep;
    }
    return size;
}

void gr_rft_body_advance(const GrRftSoil *soil, const GrRftBody *body, const GrRftBodyMotion *motion, const double *old,
                         double *next)
{
    advance(soil, body, motion, motion->dt, old, next);
}

/// Axes of the ground as rows: two level ones, and up. The force does not depend on the direction of the first two.
static GrMat3 ground_axes(GrVec3 up)
{
    const GrVec3 ahead = fabs(up.x) < 0.9 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0);
    const GrVec3 x = gr_normalize(gr_madd(ahead, -gr_dot(ahead, up), up)), y = gr_cross(up, x);
    return (GrMat3){{{x.x, x.y, x.z}, {y.x, y.y, y.z}, {up.x, up.y, up.z}}};
}

/// Applies a rotation to both halves of six numbers, or its transpose.
static void turn_six(const GrMat3 *r, bool back, const double from[6], double to[6])
{
    for (int half = 0; half < 6; half += 3) {
        const GrVec3 v = gr_vec3(from[half], from[half + 1], from[half + 2]);
        const GrVec3 turned = back ? gr_mat3_tmul_vec(r, v) : gr_mat3_mul_vec(r, v);
        to[half] = turned.x;
        to[half + 1] = turned.y;
        to[half + 2] = turned.z;
    }
}

/// matrix ← Rᵀ matrix R, block by block.
static void turn_matrix(const GrMat3 *r, double (*matrix)[6])
{
    double half[6][6];
    for (int row = 0; row < 6; row++) { // rows times R: Rᵀ times each row as a column
        turn_six(r, true, matrix[row], half[row]);
    }
    for (int column = 0; column < 6; column++) {
        double from[6], to[6];
        for (int row = 0; row < 6; row++) {
            from[row] = half[row][column];
        }
        turn_six(r, true, from, to);
        for (int row = 0; row < 6; row++) {
            matrix[row][column] = to[row];
        }
    }
}

/// The ground below a piece, as a plane: depth = offset − slope · (point − middle), along `up`.
typedef struct Plane {
    double depth; ///< of the middle [m]
    GrVec3 slope; ///< world axes; up, where the ground is level
} Plane;

static bool find_plane(const GrRftGround *ground, GrVec3 up, GrVec3 middle, Plane *out)
{
    double z = 0;
    GrVec3 n = {0, 0, 1};
    if (ground->height != NULL && !GR_CALL(view, ground->height, ground->context, middle.x, middle.y, &z, &n)) {
        return false;
    }
    out->slope = gr_scale(1 / fmax(0.1, gr_dot(n, up)), n);
    out->depth = (z - middle.z) * out->slope.z;
    return true;
}

/// False above the ground.
static bool add_piece(const GrRftSoil *soil, const GrMat3 *axes, const GrMat3 *level, double size,
                      const GrRftTriangle *t, const Plane *plane, GrRftBatch *batch)
{
    const GrVec3 p = gr_scale(1 / size, gr_mat3_mul_vec(level, gr_mat3_mul_vec(axes, t->middle)));
    const GrVec3 n = gr_mat3_mul_vec(level, gr_mat3_mul_vec(axes, t->normal));
    const GrVec3 slope = gr_mat3_tmul_vec(axes, plane->slope);
    double depth[3];
    for (int k = 0; k < 3; k++) {
        depth[k] = plane->depth - gr_dot(slope, gr_sub(t->corner[k], t->middle));
    }
    const GrWetted wet = gr_wetted(depth);
    const double weight = soil->xi * t->area, held = soil->cohesion * t->area;
    const GrRftElement e = {.n = {n.x, n.y, n.z},
                            .p = {p.x, p.y, p.z},
                            .load = weight * wet.depth,
                            .load_h = weight * wet.share,
                            .cohesive = held * wet.share,
                            .cohesive_h = held * wet.share_d,
                            .friction = soil->friction};
    if (wet.share > 0) {
        gr_rft_add(batch, &e);
    }
    return wet.share > 0;
}

/// Sums the forces on all pieces for the displacement q, with the body's axes at `axes`. Returns how many pieces are
/// in the ground.
static int add_pieces(const GrRftSoil *soil, const GrRftBody *body, const GrRftGround *ground,
                      const GrRftBodyMotion *in, const GrMat3 *axes, const GrMat3 *level, const double q[6],
                      GrRftBatch *batch)
{
    int touching = 0;
    gr_rft_begin(batch, q, soil->hold, 0);
    for (int i = 0; i < body->count; i++) {
        const GrRftTriangle *t = &body->triangles[i];
        Plane plane;
        const GrVec3 middle = gr_add(in->centre, gr_mat3_mul_vec(axes, t->middle));
        if (find_plane(ground, in->up, middle, &plane) && plane.depth > -t->reach * gr_norm(plane.slope)) {
            touching += add_piece(soil, axes, level, body->size, t, &plane, batch);
        }
    }
    gr_rft_end(batch);
    return touching;
}

/// ∂wrench/∂twist as in rft.c, with the secant through the origin: a limit force does not know that the velocity may
/// reverse within the step. And by the sinkage.
static void differentiate(const GrRftSoil *soil, const GrRftBody *body, double dt, double length, const GrRftBatch *b,
                          GrRftBodyOutput *out)
{
    const double size = body->size, time = dt / (soil->path * size), limited = length > 1 ? length : 1;
    const double by_square = b->rho > 0 ? 1 / (b->rho * b->rho) : 0;
    for (int row = 0; row < 6; row++) {
        const double lever = row < 3 ? 1 : size;
        double along = 0;
        for (int i = 0; i < 6; i++) {
            along += b->by_q[i][row] * b->q[i];
        }
        const double radial = (b->wrench[row] - along) * by_square; // ∂W/∂ρ over ρ
        for (int i = 0; i < 6; i++) {
            const double by_p = (b->by_q[i][row] + radial * b->q[i]) / limited;
            out->d_twist[row][i] = lever * (i < 3 ? 1 : size) * time * by_p;
        }
        out->d_pose[row][2] = -lever * b->by_h[row]; // up is out of the ground
    }
}

/// Derivatives by rotations about the two level axes: a body that tilts changes its depth and the directions of its
/// pieces. Differences, since the stress has no derivative by its normal.
static void differ_by_tilt(const GrRftSoil *soil, const GrRftBody *body, const GrRftGround *ground,
                           const GrRftBodyMotion *in, const GrMat3 *level, const GrRftBatch *b, GrRftBodyOutput *out)
{
    static const double TILT = 1e-6; // [rad]
    for (int axis = 0; axis < 2; axis++) {
        GrRftBatch tilted;
        const double *e = level->m[axis];
        const GrQuat turn = gr_quat_normalize((GrQuat){1, 0.5 * TILT * e[0], 0.5 * TILT * e[1], 0.5 * TILT * e[2]});
        const GrMat3 by = gr_quat_to_mat3(turn), axes = gr_mat3_mul(&by, &in->axes);
        add_pieces(soil, body, ground, in, &axes, level, b->q, &tilted);
        for (int row = 0; row < 6; row++) {
            const double lever = row < 3 ? 1 : body->size;
            out->d_pose[row][3 + axis] = lever * (tilted.wrench[row] - b->wrench[row]) / TILT;
        }
    }
}

void gr_rft_body_evaluate(const GrRftSoil *soil, const GrRftBody *body, const GrRftGround *ground,
                          const GrRftBodyMotion *motion, const double *old, double *next, GrRftBodyOutput *out)
{
    GrRftBatch batch;
    double q[6], ahead[6], wrench[6];
    const GrMat3 level = ground_axes(motion->up);
    const double time = motion->dt + (motion->resting ? 0 : damping_time(soil, body));
    const double length = advance(soil, body, motion, time, old, ahead);
    advance(soil, body, motion, motion->dt, old, next);
    memset(out, 0, sizeof *out);
    turn_six(&level, false, ahead, q);
    out->touching = add_pieces(soil, body, ground, motion, &motion->axes, &level, q, &batch);
    if (out->touching == 0) {
        memset(next, 0, sizeof(double) * GR_RFT_BODY_STATE);
        return;
    }
    for (int i = 0; i < 6; i++) {
        wrench[i] = (i < 3 ? 1 : body->size) * batch.wrench[i];
    }
    turn_six(&level, true, wrench, out->wrench);
    if (motion->jacobians) {
        differentiate(soil, body, time, length, &batch, out);
        differ_by_tilt(soil, body, ground, motion, &level, &batch, out);
        turn_matrix(&level, out->d_twist);
        turn_matrix(&level, out->d_pose);
    }
}

double gr_rft_body_clearance(const GrRftBody *body, const GrRftGround *ground, GrVec3 centre, const GrMat3 *axes)
{
    double least = (double)INFINITY;
    for (int i = 0; i < body->count; i++) {
        const GrVec3 middle = gr_add(centre, gr_mat3_mul_vec(axes, body->triangles[i].middle));
        double z = 0;
        GrVec3 n;
        if (ground->height == NULL || GR_CALL(view, ground->height, ground->context, middle.x, middle.y, &z, &n)) {
            least = fmin(least, middle.z - z - body->triangles[i].reach);
        }
    }
    return least;
}
