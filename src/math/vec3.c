#include "vec3.h"

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
    const double roll = atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y));
    const double yaw = atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
    return gr_vec3(roll, asin(sin_pitch), yaw);
}

GrVec3 gr_quat_log(GrQuat q)
{
    const double sign = q.w < 0 ? -1 : 1;
    const GrVec3 v = gr_scale(sign, gr_vec3(q.x, q.y, q.z));
    const double s = gr_norm(v);
    // 2 atan2(s, w)/s tends to 2 as s tends to 0
    return s > 1e-12 ? gr_scale(2 * atan2(s, sign * q.w) / s, v) : gr_scale(2, v);
}
