/// Vectors, matrices and rotations by value, so that equations read as written.
#ifndef GR_VEC3_H
#define GR_VEC3_H

#include "elementary.h"
#include "fused.h"
#include "grouser/vec.h"

#include <math.h>

static inline GrVec3 gr_vec3(double x, double y, double z)
{
    return (GrVec3){x, y, z};
}

static inline GrVec3 gr_add(GrVec3 a, GrVec3 b)
{
    return (GrVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline GrVec3 gr_sub(GrVec3 a, GrVec3 b)
{
    return (GrVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline GrVec3 gr_scale(double s, GrVec3 a)
{
    return (GrVec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline GrVec3 gr_madd(GrVec3 a, double s, GrVec3 b)
{
    return (GrVec3){gr_fma(s, b.x, a.x), gr_fma(s, b.y, a.y), gr_fma(s, b.z, a.z)};
}

static inline GrVec3 gr_neg(GrVec3 a)
{
    return (GrVec3){-a.x, -a.y, -a.z};
}

static inline double gr_dot(GrVec3 a, GrVec3 b)
{
    return gr_fma(a.x, b.x, gr_fma(a.y, b.y, a.z * b.z));
}

static inline GrVec3 gr_cross(GrVec3 a, GrVec3 b)
{
    return (GrVec3){gr_fma(a.y, b.z, -(a.z * b.y)), gr_fma(a.z, b.x, -(a.x * b.z)), gr_fma(a.x, b.y, -(a.y * b.x))};
}

static inline double gr_norm(GrVec3 a)
{
    return sqrt(gr_dot(a, a));
}

/// a / |a|; the zero vector stays zero.
static inline GrVec3 gr_normalize(GrVec3 a)
{
    const double length = gr_norm(a);
    return length > 0 ? gr_scale(1 / length, a) : a;
}

static inline GrMat3 gr_mat3_identity(void)
{
    return (GrMat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static inline GrVec3 gr_mat3_column(const GrMat3 *a, int j)
{
    return (GrVec3){a->m[0][j], a->m[1][j], a->m[2][j]};
}

static inline GrVec3 gr_mat3_mul_vec(const GrMat3 *a, GrVec3 v)
{
    return (GrVec3){gr_fma(a->m[0][0], v.x, gr_fma(a->m[0][1], v.y, a->m[0][2] * v.z)),
                    gr_fma(a->m[1][0], v.x, gr_fma(a->m[1][1], v.y, a->m[1][2] * v.z)),
                    gr_fma(a->m[2][0], v.x, gr_fma(a->m[2][1], v.y, a->m[2][2] * v.z))};
}

/// aᵀ v
static inline GrVec3 gr_mat3_tmul_vec(const GrMat3 *a, GrVec3 v)
{
    return (GrVec3){gr_fma(a->m[0][0], v.x, gr_fma(a->m[1][0], v.y, a->m[2][0] * v.z)),
                    gr_fma(a->m[0][1], v.x, gr_fma(a->m[1][1], v.y, a->m[2][1] * v.z)),
                    gr_fma(a->m[0][2], v.x, gr_fma(a->m[1][2], v.y, a->m[2][2] * v.z))};
}

static inline GrMat3 gr_mat3_mul(const GrMat3 *a, const GrMat3 *b)
{
    GrMat3 c;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            c.m[i][j] = gr_fma(a->m[i][0], b->m[0][j], gr_fma(a->m[i][1], b->m[1][j], a->m[i][2] * b->m[2][j]));
        }
    }
    return c;
}

static inline GrMat3 gr_mat3_transpose(const GrMat3 *a)
{
    return (GrMat3){{{a->m[0][0], a->m[1][0], a->m[2][0]},
                     {a->m[0][1], a->m[1][1], a->m[2][1]},
                     {a->m[0][2], a->m[1][2], a->m[2][2]}}};
}

static inline GrVec3 gr_sym3_mul_vec(GrSym3 s, GrVec3 v)
{
    return (GrVec3){gr_fma(s.xx, v.x, gr_fma(s.xy, v.y, s.xz * v.z)), gr_fma(s.xy, v.x, gr_fma(s.yy, v.y, s.yz * v.z)),
                    gr_fma(s.xz, v.x, gr_fma(s.yz, v.y, s.zz * v.z))};
}

static inline GrSym3 gr_sym3_add(GrSym3 a, GrSym3 b)
{
    return (GrSym3){a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// r s rᵀ: a symmetric tensor of the child frame in the parent frame.
static inline GrSym3 gr_sym3_rotate(const GrMat3 *r, GrSym3 s)
{
    const GrVec3 x = {r->m[0][0], r->m[0][1], r->m[0][2]};
    const GrVec3 y = {r->m[1][0], r->m[1][1], r->m[1][2]};
    const GrVec3 z = {r->m[2][0], r->m[2][1], r->m[2][2]};
    const GrVec3 sx = gr_sym3_mul_vec(s, x), sy = gr_sym3_mul_vec(s, y), sz = gr_sym3_mul_vec(s, z);
    return (GrSym3){gr_dot(x, sx), gr_dot(y, sy), gr_dot(z, sz), gr_dot(x, sy), gr_dot(x, sz), gr_dot(y, sz)};
}

/// m (|c|² 1 − c cᵀ): inertia of a point mass at c (parallel-axis term).
static inline GrSym3 gr_sym3_point(double mass, GrVec3 c)
{
    return (GrSym3){mass * (c.y * c.y + c.z * c.z),
                    mass * (c.x * c.x + c.z * c.z),
                    mass * (c.x * c.x + c.y * c.y),
                    -mass * c.x * c.y,
                    -mass * c.x * c.z,
                    -mass * c.y * c.z};
}

static inline GrQuat gr_quat_identity(void)
{
    return (GrQuat){1, 0, 0, 0};
}

static inline GrQuat gr_quat_mul(GrQuat a, GrQuat b)
{
    return (GrQuat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    };
}

static inline GrQuat gr_quat_conjugate(GrQuat q)
{
    return (GrQuat){q.w, -q.x, -q.y, -q.z};
}

static inline GrQuat gr_quat_normalize(GrQuat q)
{
    const double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (GrQuat){s * q.w, s * q.x, s * q.y, s * q.z};
}

/// Rotation matrix of a unit quaternion.
static inline GrMat3 gr_quat_to_mat3(GrQuat q)
{
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (GrMat3){{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
                     {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
                     {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

static inline GrVec3 gr_quat_rotate(GrQuat q, GrVec3 v)
{
    const GrVec3 u = {q.x, q.y, q.z};
    const GrVec3 t = gr_scale(2, gr_cross(u, v));
    return gr_add(gr_madd(v, q.w, t), gr_cross(u, t));
}

/// Quaternion of the rotation vector v (axis times angle); sin(a/2)/a by its series where a is small.
static inline GrQuat gr_quat_exp(GrVec3 v)
{
    const double a2 = gr_dot(v, v);
    const double h2 = a2 / 4;
    double c, s; // cos(a/2), sin(a/2)/a
    if (h2 < 1e-4) {
        // cos h and sin h / h to 1e-18 for h < 0.01
        c = 1 - h2 * (1.0 / 2 - h2 * (1.0 / 24 - h2 * (1.0 / 720)));
        s = (1 - h2 * (1.0 / 6 - h2 * (1.0 / 120 - h2 * (1.0 / 5040)))) / 2;
    } else {
        const double a = sqrt(a2);
        c = gr_cos(a / 2);
        s = gr_sin(a / 2) / a;
    }
    return (GrQuat){c, s * v.x, s * v.y, s * v.z};
}

static inline GrQuat gr_quat_axis_angle(GrVec3 unit_axis, double angle)
{
    const double s = gr_sin(angle / 2);
    return (GrQuat){gr_cos(angle / 2), s * unit_axis.x, s * unit_axis.y, s * unit_axis.z};
}

/// Fixed-axis roll, pitch, yaw as in URDF: R = Rz(yaw) Ry(pitch) Rx(roll).
GrQuat gr_quat_from_rpy(double roll, double pitch, double yaw);

/// Inverse of gr_quat_from_rpy; pitch in [−π/2, π/2].
GrVec3 gr_quat_to_rpy(GrQuat q);

/// Rotation vector (axis times angle, angle in [0, π]) of a unit quaternion.
GrVec3 gr_quat_log(GrQuat q);

/// Quaternion of a rotation matrix, w ≥ 0 (Shepperd 1978: the largest component is divided by).
GrQuat gr_quat_from_mat3(const GrMat3 *r);

/// Pose of a frame given in `child`'s parent frame: a then b.
static inline GrPose gr_pose_mul(GrPose a, GrPose b)
{
    return (GrPose){gr_add(a.position, gr_quat_rotate(a.rotation, b.position)), gr_quat_mul(a.rotation, b.rotation)};
}

static inline GrPose gr_pose_inverse(GrPose a)
{
    const GrQuat back = gr_quat_conjugate(a.rotation);
    return (GrPose){gr_neg(gr_quat_rotate(back, a.position)), back};
}

static inline GrPose gr_pose_identity(void)
{
    return (GrPose){{0, 0, 0}, {1, 0, 0, 0}};
}

#endif
