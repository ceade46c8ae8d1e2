#include "vec3.h"

#include "elementary.h"

GrQuat gr_quat_from_rpy(double roll, double pitch, double yaw)
{
    const GrQuat x = gr_quat_axis_angle(gr_vec3(1, 0, 0), roll);
    const GrQuat y = gr_quat_axis_angle(gr_vec3(0, 1, 0), pitch);
    const GrQuat z = gr_quat_axis_angle(gr_vec3(0, 0, 1), yaw);
    return gr_quat_mul(z, gr_quat_mul(y, x));
}

GrVec3 gr_quat_to_rpy(GrQuat q)
{
    const double sin_pitch = fmax(-1.0, fmin(1.0, 2 * (q.w * q.y - q.x * q.z)));
    const double roll = gr_atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y));
    const double yaw = gr_atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    return gr_vec3(roll, gr_asin(sin_pitch), yaw);
}

GrVec3 gr_quat_log(GrQuat q)
{
    const double sign = q.w < 0 ? -1 : 1;
    const GrVec3 v = gr_scale(sign, gr_vec3(q.x, q.y, q.z));
    const double s = gr_norm(v);
    // 2 atan2(s, w)/s tends to 2 as s tends to 0
    return s > 1e-12 ? gr_scale(2 * gr_atan2(s, sign * q.w) / s, v) : gr_scale(2, v);
}

GrQuat gr_quat_from_mat3(const GrMat3 *r)
{
    const double xx = r->m[0][0], yy = r->m[1][1], zz = r->m[2][2];
    const double four[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz}; // 4 w², 4 x², …
    int largest = 0;
    for (int i = 1; i < 4; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    const double wx = r->m[2][1] - r->m[1][2], wy = r->m[0][2] - r->m[2][0], wz = r->m[1][0] - r->m[0][1]; // 4 w x, …
    const double xy = r->m[0][1] + r->m[1][0], xz = r->m[0][2] + r->m[2][0], yz = r->m[1][2] + r->m[2][1]; // 4 x y, …
    GrQuat q;
    switch (largest) {
    case 0:
        q = (GrQuat){four[0], wx, wy, wz};
        break;
    case 1:
        q = (GrQuat){wx, four[1], xy, xz};
        break;
    case 2:
        q = (GrQuat){wy, xy, four[2], yz};
        break;
    default:
        q = (GrQuat){wz, xz, yz, four[3]};
        break;
    }
    q = gr_quat_normalize(q);
    return q.w < 0 ? (GrQuat){-q.w, -q.x, -q.y, -q.z} : q;
}
