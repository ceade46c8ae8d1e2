/// Access to GrData for callers: time, poses, joints, commands, external forces.
#include "data.h"

#include "check.h"
#include "dynamics.h"

#include <math.h>
#include <string.h>

void gr_data_set_force(GrData *d, GrForceFn force, void *context)
{
    d->force = force;
    d->force_context = context;
}

void gr_data_add_wrench(const GrModel *m, GrData *d, int body, GrVec3 point, GrVec3 force, GrVec3 moment)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, );
    const int moving = m->places[body].body;
    d->outside[moving] = gr_add(d->outside[moving], force);
    gr_tree_add_wrench(&d->tree, moving, gr_sub(point, gr_base_position(&d->tree)), force, moment);
}

void gr_data_add_jacobian(const GrModel *m, GrData *d, int body, GrVec3 point, const double dtwist[36],
                          const double dpose[36])
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, );
    GrMat6 twist, pose;
    memcpy(twist.m, dtwist, sizeof twist.m);
    memcpy(pose.m, dpose, sizeof pose.m);
    gr_tree_add_jacobian(&d->tree, m->places[body].body, gr_sub(point, gr_base_position(&d->tree)), &twist, &pose);
}

double gr_data_time(const GrData *d)
{
    return d->tree.time[0];
}

GrPose gr_data_base_pose(const GrData *d)
{
    return (GrPose){gr_base_position(&d->tree), gr_base_rotation(&d->tree)};
}

void gr_data_set_base_pose(GrData *d, GrPose pose)
{
    const GrQuat q = gr_quat_normalize(pose.rotation);
    const double values[7] = {pose.position.x, pose.position.y, pose.position.z, q.w, q.x, q.y, q.z};
    memcpy(d->tree.position, values, sizeof values);
    gr_tree_reset_history(&d->tree);
}

void gr_data_base_velocity(const GrData *d, GrVec3 *linear, GrVec3 *angular)
{
    const double *u = d->tree.velocity;
    *linear = gr_vec3(u[0], u[1], u[2]);
    *angular = gr_vec3(u[3], u[4], u[5]);
}

void gr_data_set_base_velocity(GrData *d, GrVec3 linear, GrVec3 angular)
{
    const double values[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    memcpy(d->tree.velocity, values, sizeof values);
    gr_tree_reset_history(&d->tree);
}

double gr_data_joint_position(const GrModel *m, const GrData *d, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return gr_joint_position(&m->tree, &d->tree, m->joint_body[joint]);
}

double gr_data_joint_velocity(const GrModel *m, const GrData *d, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return gr_joint_velocity(&m->tree, &d->tree, m->joint_body[joint]);
}

void gr_data_set_joint(const GrModel *m, GrData *d, int joint, double position, double velocity)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, );
    const GrJoint *j = &m->tree.joints[m->joint_body[joint]];
    gr_joint_set_position(&m->tree, &d->tree, m->joint_body[joint], position);
    d->tree.velocity[j->dof] = velocity / j->ratio;
    gr_tree_reset_history(&d->tree);
}

void gr_data_set_command(const GrModel *m, GrData *d, int joint, double command)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, );
    d->tree.command[m->joint_body[joint]] = command;
}

double gr_data_motor_torque(const GrModel *m, const GrData *d, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < m->joint_count, (double)NAN);
    return d->tree.motor_torque[m->joint_body[joint]];
}

GrPose gr_data_body_pose(const GrModel *m, const GrData *d, int body)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, gr_pose_identity());
    const GrBodyPlace *place = &m->places[body];
    const GrBodyFrame *frame = &d->tree.frame[place->body];
    const GrVec3 offset = gr_mat3_mul_vec(&frame->rotation, place->pose.position);
    return (GrPose){gr_add(gr_base_position(&d->tree), gr_add(frame->origin, offset)),
                    gr_quat_mul(gr_quat_from_mat3(&frame->rotation), place->pose.rotation)};
}

GrVec3 gr_data_point_velocity(const GrModel *m, const GrData *d, int body, GrVec3 point)
{
    GR_CHECK_OR_RETURN(body >= 0 && body < m->def_body_count, gr_vec3(0, 0, 0));
    return gr_twist_at(d->tree.frame[m->places[body].body].twist, gr_sub(point, gr_base_position(&d->tree)));
}
