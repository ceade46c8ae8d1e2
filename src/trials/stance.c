/// How a rover stands on a rigid plane: wheels as stiff springs of equal compression, and static equilibrium.
#include "grouser/analysis.h"

#include "data.h"

/// Compression of a wheel under its share of the weight, in units of its radius.
static const double COMPRESSION = 1e-4;

typedef struct Plane {
    double stiffness; ///< of every wheel [N/m]
    GrVec3 force;     ///< on a wheel over its load: every wheel holds its share of the weight along the plane
    double *loads;
} Plane;

/// Lowest point of a wheel's rim: from the centre towards the ground, perpendicular to the axle.
static GrVec3 lowest_point(const GrWheel *wheel, const GrBodyFrame *frame, GrVec3 base)
{
    const GrVec3 centre = gr_add(base, gr_add(frame->origin, gr_mat3_mul_vec(&frame->rotation, wheel->centre)));
    const GrVec3 axle = gr_mat3_mul_vec(&frame->rotation, wheel->axle);
    const GrVec3 down = gr_normalize(gr_vec3(axle.z * axle.x, axle.z * axle.y, axle.z * axle.z - 1));
    return gr_madd(centre, wheel->radius, down);
}

static void stand(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const Plane *plane = context;
    const GrVec3 base = gr_base_position(&d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        const int body = m->wheels[i].body;
        const GrVec3 point = lowest_point(&m->wheels[i], &d->tree.frame[body], base);
        plane->loads[i] = point.z < 0 ? -plane->stiffness * point.z : 0;
        gr_tree_add_wrench(&d->tree, body, gr_sub(point, base), gr_scale(plane->loads[i], plane->force),
                           gr_vec3(0, 0, 0));
    }
}

/// Lifts the rover so that its lowest wheel touches the plane.
static void place_on_plane(const GrModel *m, GrData *d)
{
    gr_forward(m, d);
    double lowest = INFINITY;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrWheel *wheel = &m->wheels[i];
        lowest = fmin(lowest, lowest_point(wheel, &d->tree.frame[wheel->body], gr_base_position(&d->tree)).z);
    }
    GrPose pose = gr_data_base_pose(d);
    pose.position.z -= lowest;
    gr_data_set_base_pose(d, pose);
}

GrStatus gr_stand_on_plane(const GrModel *m, GrData *d, double *wheel_loads, GrStance *stance, GrErrorLog *log)
{
    const double gravity = -m->tree.gravity.z;
    if (m->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"},
                            "a rover without wheels cannot stand");
    }
    if (!(gravity > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "gravity"},
                            "found %g m/s² downwards, allowed: > 0", gravity);
    }
    const GrForceFn force = d->force;
    void *context = d->force_context;
    double radius = INFINITY;
    for (int i = 0; i < m->wheel_count; i++) {
        radius = fmin(radius, m->wheels[i].radius);
    }
    const double weight = gr_balance(m, d).mass * gravity;
    const GrVec3 g = m->tree.gravity;
    Plane plane = {weight / (m->wheel_count * COMPRESSION * radius), {-g.x / gravity, -g.y / gravity, 1}, wheel_loads};
    gr_data_set_force(d, NULL, NULL);
    place_on_plane(m, d);
    gr_data_set_force(d, stand, &plane);
    GrEquilibrium rest;
    const GrStatus status = gr_settle(m, d, &rest, log);
    gr_forward(m, d); // the loads of the final position
    gr_data_set_force(d, force, context);
    const GrPose pose = gr_data_base_pose(d);
    const GrVec3 rpy = gr_quat_to_rpy(pose.rotation);
    const GrVec3 com = gr_sub(gr_balance(m, d).com, pose.position);
    const GrVec3 level = gr_quat_rotate(gr_quat_from_rpy(0, 0, -rpy.z), com);
    *stance = (GrStance){
        .weight = weight,
        .com = gr_vec3(level.x, level.y, level.z + pose.position.z),
        .roll = rpy.x,
        .pitch = rpy.y,
        .clearance = pose.position.z,
        .residual = rest.residual,
    };
    return status;
}
