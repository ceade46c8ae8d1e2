/// Wheels in the plane of driving: where they are and point, and how fast they roll when the chassis has a given twist.
#include "steering.h"

#include "elementary.h"
#include "model_data.h"
#include "vec3.h"

#include <math.h>

// ---- one wheel

/// Velocity of the steering axis at the ground.
static GrPlaneTwist pivot_velocity(const GrDriveWheel *w, GrPlaneTwist t)
{
    return (GrPlaneTwist){t.x - t.yaw * w->pivot_y, t.y + t.yaw * w->pivot_x, t.yaw};
}

/// Angle beyond the limits; 0 within them.
static double excess(const GrDriveWheel *w, double steer)
{
    return fmax(0, fmax(w->steer_min - steer, steer - w->steer_max));
}

double gr_steer_angle(const GrDriveWheel *w, GrPlaneTwist twist, bool *singular)
{
    // With the contact at s + R(δ) o: (v_s + yaw × R o) · n(δ) = 0, that is |v_s| sin(δ + h − φ) = yaw lead.
    // Limit cases: o = 0 gives δ = φ − h, the wheel along its velocity; yaw = 0 the same for any o.
    const GrPlaneTwist v = pivot_velocity(w, twist);
    const double speed = gr_hypot(v.x, v.y), need = twist.yaw * w->lead;
    *singular = !(speed > fabs(need)) || speed <= 1e-12 * (fabs(twist.x) + fabs(twist.y) + fabs(twist.yaw));
    if (*singular) {
        return 0;
    }
    const double phi = gr_atan2(v.y, v.x), k = need != 0 ? gr_asin(need / speed) : 0;
    const double ahead = gr_wrap_angle(phi + k - w->heading);
    if (fabs(ahead) + 2 * fabs(k) <= GR_PI / 2 && gr_steer_is_within(w, ahead)) {
        return ahead; // the other one, π − 2 k away, is farther away
    }
    const double astern = gr_wrap_angle(phi + GR_PI - k - w->heading);
    const bool first = gr_steer_is_within(w, ahead), second = gr_steer_is_within(w, astern);
    if (first != second) {
        return first ? ahead : astern;
    }
    if (!first) { // both beyond the limits: the one that the limit changes less
        return excess(w, ahead) <= excess(w, astern) ? ahead : astern;
    }
    return fabs(ahead) <= fabs(astern) ? ahead : astern;
}

double gr_wheel_rolling(const GrDriveWheel *w, double steer, GrPlaneTwist twist, double *sideways)
{
    // rolling = v_s · e − yaw side, sideways = v_s · n + yaw lead
    const GrPlaneTwist v = pivot_velocity(w, twist);
    const GrWheelAxes a = gr_wheel_axes(w, steer);
    *sideways = v.x * a.n_x + v.y * a.n_y + twist.yaw * w->lead;
    return v.x * a.e_x + v.y * a.e_y - twist.yaw * w->side;
}

double gr_steer_curvature(const GrDriveWheel *w, double steer, double crab, double centre_x, double centre_y)
{
    // 0 = d · n + κ ((z × (s − c)) · n + lead), d the direction of travel: linear in κ
    const GrWheelAxes a = gr_wheel_axes(w, steer);
    const double x = w->pivot_x - centre_x, y = w->pivot_y - centre_y;
    const double turning = x * a.n_y - y * a.n_x + w->lead;
    return -(gr_cos(crab) * a.n_x + gr_sin(crab) * a.n_y) / turning;
}

// ---- all wheels: positions and joints, read from the model once

/// Cosine of the largest angle (30 deg) between a steering axis and the chassis' z axis, and between walking or drive
/// axes and y [-].
static const double UPRIGHT_COSINE = 0.8660254037844386;

static double initial_position(const GrModel *m, int body)
{
    const GrJoint *j = &m->tree.joints[body];
    return j->ratio * m->initial[j->coordinate] + j->offset;
}

/// Frame of a body of the tree in the chassis at the initial pose, found by going up from the body one joint at a time.
static void initial_frame(const GrModel *m, int body, GrMat3 *rotation, GrVec3 *origin)
{
    *rotation = gr_mat3_identity();
    *origin = gr_vec3(0, 0, 0);
    for (int b = body; b > 0; b = m->tree.joints[b].parent) {
        const GrJoint *j = &m->tree.joints[b];
        const double q = initial_position(m, b);
        const bool turns = j->motion == GR_MOTION_REVOLUTE || j->motion == GR_MOTION_SCREW;
        GrMat3 own = gr_quat_to_mat3(gr_quat_axis_angle(gr_vec3(0, 0, 1), turns ? q : 0));
        if (j->motion == GR_MOTION_SPHERICAL && j->along == 2) { // the last of three axes carries the whole rotation
            const double *r = m->initial + j->coordinate;
            own = gr_quat_to_mat3((GrQuat){r[0], r[1], r[2], r[3]});
        }
        const GrMat3 local = gr_mat3_mul(&j->turn, &own);
        const double along = j->motion == GR_MOTION_PRISMATIC ? q : j->motion == GR_MOTION_SCREW ? j->pitch * q : 0;
        const GrVec3 slide = gr_mat3_mul_vec(&j->turn, gr_vec3(0, 0, along));
        *origin = gr_add(gr_add(j->at, slide), gr_mat3_mul_vec(&local, *origin));
        *rotation = gr_mat3_mul(&local, rotation);
    }
}

static GrVec3 joint_axis(const GrMat3 *rotation)
{
    return gr_vec3(rotation->m[0][2], rotation->m[1][2], rotation->m[2][2]);
}

/// The nearest joint of a role on the path from the wheel's body to the chassis; −1: none.
static int find_joint(const GrModel *m, int body, GrJointRole role)
{
    for (int b = body; b > 0; b = m->tree.joints[b].parent) {
        for (int i = 0; i < m->joint_count; i++) {
            if (m->joint_body[i] == b && m->joint_roles[i] == role && m->tree.joints[b].motor.kind != GR_MOTOR_NONE) {
                return i;
            }
        }
    }
    return -1;
}

static GrStatus refuse(const GrModel *m, int joint, const char *why, GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = m->joint_names[joint]}, "%s", why);
}

static GrStatus read_drive(const GrModel *m, GrVec3 axle, GrDriveWheel *w, GrErrorLog *log)
{
    const int body = m->joint_body[w->drive];
    GrMat3 rotation;
    GrVec3 at;
    initial_frame(m, body, &rotation, &at);
    const double along = gr_dot(joint_axis(&rotation), axle);
    if (m->tree.joints[body].motion != GR_MOTION_REVOLUTE || fabs(along) < UPRIGHT_COSINE) {
        return refuse(m, w->drive, "the drive joint does not turn about the wheel's axle", log);
    }
    const GrMotorKind kind = m->tree.joints[body].motor.kind;
    if (kind == GR_MOTOR_TORQUE || kind == GR_MOTOR_POSITION) {
        return refuse(m, w->drive, "the drive motor does not take a speed (speed, pid, dc)", log);
    }
    w->drive_sign = along > 0 ? 1 : -1;
    return GR_OK;
}

static GrStatus read_steer(const GrModel *m, GrDriveWheel *w, GrErrorLog *log)
{
    const int body = m->joint_body[w->steer];
    const GrJoint *j = &m->tree.joints[body];
    GrMat3 rotation;
    GrVec3 at;
    initial_frame(m, body, &rotation, &at);
    const GrVec3 axis = joint_axis(&rotation);
    if (j->motion != GR_MOTION_REVOLUTE || fabs(axis.z) < UPRIGHT_COSINE) {
        return refuse(m, w->steer, "the steering axis leans more than 30 deg from the chassis' z axis", log);
    }
    if (j->motor.kind == GR_MOTOR_TORQUE) {
        return refuse(m, w->steer, "the steering motor takes neither an angle nor a speed", log);
    }
    w->steer_servo = j->motor.kind == GR_MOTOR_POSITION;
    w->steer_sign = axis.z > 0 ? 1 : -1;
    w->steer_min = fmax(-GR_PI, w->steer_sign > 0 ? j->lower : -j->upper);
    w->steer_max = fmin(GR_PI, w->steer_sign > 0 ? j->upper : -j->lower);
    // where the steering axis meets the height of the contact
    const GrVec3 pivot = gr_madd(at, (w->contact.z - at.z) / axis.z, axis);
    const double x = w->contact.x - pivot.x, y = w->contact.y - pivot.y;
    w->pivot_x = pivot.x;
    w->pivot_y = pivot.y;
    const double ahead = gr_cos(w->heading), aside = gr_sin(w->heading);
    w->lead = x * ahead + y * aside;
    w->side = y * ahead - x * aside;
    w->heading -= w->steer_sign * initial_position(m, body);
    return GR_OK;
}

static GrStatus read_walk(const GrModel *m, GrVec3 centre, GrDriveWheel *w, GrErrorLog *log)
{
    const int body = m->joint_body[w->walk];
    const GrJoint *j = &m->tree.joints[body];
    GrMat3 rotation;
    GrVec3 at;
    initial_frame(m, body, &rotation, &at);
    const GrVec3 axis = joint_axis(&rotation);
    if (j->motion != GR_MOTION_REVOLUTE || fabs(axis.y) < UPRIGHT_COSINE) {
        return refuse(m, w->walk, "the walking axis leans more than 30 deg from the chassis' y axis", log);
    }
    if (j->motor.kind == GR_MOTOR_TORQUE) {
        return refuse(m, w->walk, "the walking motor takes neither an angle nor a speed", log);
    }
    w->walk_servo = j->motor.kind == GR_MOTOR_POSITION;
    w->walk_sign = axis.y > 0 ? 1 : -1;
    w->walk_initial = initial_position(m, body);
    w->leg_x = centre.x - at.x;
    w->leg_z = centre.z - at.z;
    if (w->leg_z >= 0) {
        return refuse(m, w->walk, "the wheel's centre is not below the walking axis", log);
    }
    // a leg swings at most 60 deg to either side of its initial pose, and not beyond its stops
    const double half = fmin(GR_PI / 3, fmin(j->upper - w->walk_initial, w->walk_initial - j->lower));
    const double forward = gr_leg_travel(w, -half), backward = gr_leg_travel(w, half);
    w->stride_max = 2 * fmin(fabs(forward), fabs(backward));
    return GR_OK;
}

static GrStatus read_wheel(const GrModel *m, int i, GrDriveWheel *w, GrErrorLog *log)
{
    const GrWheel *wheel = &m->wheels[i];
    GrMat3 rotation;
    GrVec3 origin;
    initial_frame(m, wheel->body, &rotation, &origin);
    const GrVec3 centre = gr_add(origin, gr_mat3_mul_vec(&rotation, wheel->centre));
    GrVec3 axle = gr_mat3_mul_vec(&rotation, wheel->axle);
    axle = axle.y < 0 ? gr_neg(axle) : axle;
    // lowest point of the rim: down, perpendicular to the axle
    const GrVec3 up = gr_vec3(0, 0, 1);
    const GrVec3 down = gr_normalize(gr_sub(gr_scale(gr_dot(up, axle), axle), up));
    *w = (GrDriveWheel){
        .drive = find_joint(m, wheel->body, GR_ROLE_DRIVE),
        .steer = find_joint(m, wheel->body, GR_ROLE_STEER),
        .walk = find_joint(m, wheel->body, GR_ROLE_WALK),
        .contact = gr_madd(centre, wheel->radius, down),
        .radius = wheel->radius + wheel->grouser_height,
        .heading = gr_atan2(-axle.x, axle.y),
        .drive_sign = 1,
        .steer_sign = 1,
        .walk_sign = 1,
    };
    w->pivot_x = w->contact.x;
    w->pivot_y = w->contact.y;
    GrStatus status = w->drive >= 0 ? read_drive(m, axle, w, log) : GR_OK;
    if (status == GR_OK && w->steer >= 0) {
        status = read_steer(m, w, log);
    }
    if (status == GR_OK && w->walk >= 0) {
        status = read_walk(m, centre, w, log);
    }
    return status;
}

/// Order of the wheels that walk: from the rear, left before right. Wheels within a tenth of the rover's length form
/// one row.
static void order_gait(GrDriveGeometry *g)
{
    for (int i = 0; i < g->wheel_count; i++) {
        const GrVec3 c = g->wheels[i].contact;
        if (g->wheels[i].walk < 0) {
            continue;
        }
        int k = g->walk_count++;
        for (; k > 0; k--) {
            const GrVec3 other = g->wheels[g->walk_order[k - 1]].contact;
            const bool same_row = fabs(c.x - other.x) < 0.1 * g->length;
            if (same_row ? c.y <= other.y : c.x > other.x) {
                break;
            }
            g->walk_order[k] = g->walk_order[k - 1];
        }
        g->walk_order[k] = i;
    }
}

static void measure(GrDriveGeometry *g)
{
    double first = INFINITY, last = -INFINITY;
    for (int i = 0; i < g->wheel_count; i++) {
        const GrVec3 c = g->wheels[i].contact;
        g->middle_x += c.x / g->wheel_count;
        g->middle_y += c.y / g->wheel_count;
        first = fmin(first, c.x);
        last = fmax(last, c.x);
        g->steer_count += g->wheels[i].steer >= 0;
    }
    g->length = last - first;
    for (int i = 0; i < g->wheel_count; i++) {
        const GrVec3 c = g->wheels[i].contact;
        g->reach = fmax(g->reach, gr_hypot(c.x - g->middle_x, c.y - g->middle_y));
    }
    order_gait(g);
}

GrStatus gr_drive_geometry(const GrModel *m, GrDriveGeometry *out, GrErrorLog *log)
{
    *out = (GrDriveGeometry){.wheel_count = m->wheel_count};
    if (m->wheel_count < 2 || m->wheel_count > GR_DRIVE_WHEELS_MAX) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "wheels"},
                            "the rover has %d wheels, drive modes are for 2 to %d", m->wheel_count,
                            GR_DRIVE_WHEELS_MAX);
    }
    GrStatus status = GR_OK;
    int driven = 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrStatus found = read_wheel(m, i, &out->wheels[i], log);
        status = status == GR_OK ? found : status;
        driven += out->wheels[i].drive >= 0;
    }
    if (status == GR_OK && driven == 0) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "joints"},
                            "no wheel has a joint with role drive and a motor");
    }
    measure(out);
    return status;
}
