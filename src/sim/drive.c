/// Applies control to simulation data: observations from it, commands to its motors.
#include "drive_cycle.h"
#include "elementary.h"

#include "grouser/drive.h"

/// True motion of the chassis in the horizontal plane; heading is the direction of its x axis in the plane.
static GrControlObservation observe_motion(const GrData *d)
{
    const GrPose pose = gr_data_base_pose(d);
    const GrVec3 ahead = gr_quat_rotate(pose.rotation, gr_vec3(1, 0, 0));
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    const double heading = gr_atan2(ahead.y, ahead.x), c = gr_cos(heading), s = gr_sin(heading);
    return (GrControlObservation){
        .time = gr_data_time(d),
        .x = pose.position.x,
        .y = pose.position.y,
        .heading = heading,
        .v_x = c * linear.x + s * linear.y,
        .v_y = c * linear.y - s * linear.x,
        .yaw_rate = angular.z,
    };
}

/// Position and velocity of a joint; 0 where there is none.
static void read_joint(const GrModel *m, const GrData *d, int joint, double *position, double *velocity)
{
    *position = joint >= 0 ? gr_data_joint_position(m, d, joint) : 0;
    *velocity = joint >= 0 ? gr_data_joint_velocity(m, d, joint) : 0;
}

/// Last target of a servo; under load the joint deviates from it.
static double read_held(const GrModel *m, const GrData *d, int joint, bool servo)
{
    return joint >= 0 && servo ? d->tree.command[m->joint_body[joint]] : 0;
}

void gr_drive_decide(const GrModel *m, const GrData *d, const GrControl *c, GrControlState *state, GrControlOutput *out)
{
    GrControlObservation seen = observe_motion(d);
    for (int i = 0; i < c->geometry.wheel_count; i++) {
        const GrDriveWheel *w = &c->geometry.wheels[i];
        GrWheelJoints *joints = &seen.wheels[i];
        double angle;
        read_joint(m, d, w->drive, &angle, &joints->drive_velocity);
        read_joint(m, d, w->steer, &joints->steer_position, &joints->steer_velocity);
        read_joint(m, d, w->walk, &joints->walk_position, &joints->walk_velocity);
        joints->steer_held = read_held(m, d, w->steer, w->steer_servo);
        joints->walk_held = read_held(m, d, w->walk, w->walk_servo);
    }
    gr_control_update(c, state, &seen, out);
}

void gr_drive(const GrModel *m, GrData *d, const GrControl *c, GrControlState *state, GrControlOutput *out)
{
    GrControlOutput local = {.count = 0};
    GrControlOutput *result = out != NULL ? out : &local;
    gr_drive_decide(m, d, c, state, result);
    for (int i = 0; i < result->count; i++) {
        gr_data_set_command(m, d, result->joint[i], result->command[i]);
    }
}
