/// Fills a sample with a mission's present state. Looking at a mission does not change it.
#include "mission_data.h"

#include "channel.h"
#include "dynamics.h"
#include "elementary.h"
#include "wheel_contact.h"

/// Force of the ground and what lies on it, without that of the rover's own bodies and of the caller.
GrVec3 gr_wheel_force(const GrMission *mission, int wheel)
{
    const GrTreeData *tree = &mission->d->tree;
    const int body = mission->m->wheels[wheel].body;
    GrVec3 force = tree->wrench[body].force;
    if (mission->d->force != NULL) {
        force = gr_sub(force, mission->d->outside[body]);
    }
    for (int i = 0; i < tree->pair_count[0]; i++) {
        const GrTreePair *pair = &tree->pair[i];
        force = pair->b == body ? gr_sub(force, pair->wrench.force) : force;
        force = pair->a == body ? gr_add(force, pair->wrench.force) : force;
    }
    return force;
}

static bool is_wheel_body(const GrModel *m, int body)
{
    bool wheel = false;
    for (int i = 0; i < m->wheel_count; i++) {
        wheel = wheel || m->wheels[i].body == body;
    }
    return wheel;
}

GrVec3 gr_belly_force(const GrMission *mission)
{
    const GrModel *m = mission->m;
    const GrData *d = mission->d;
    GrVec3 sum = {0, 0, 0};
    for (int i = m->wheel_count; d->rigid != NULL && i < m->rigid.count; i++) { // wheels come first
        if (d->rigid_contact[i].count > 0 && !is_wheel_body(m, m->rigid.bodies[i])) {
            sum = gr_add(sum, d->rigid_contact[i].force);
        }
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        if (d->soil_touch[k].patches > 0 && !is_wheel_body(m, m->soil_shapes[k].body)) {
            sum = gr_add(sum, d->soil_touch[k].force);
        }
    }
    return sum;
}

static GrContactMode wheel_mode(const GrMission *mission, int wheel)
{
    const GrModeLog *log = &mission->d->mode_log[wheel];
    if (mission->d->rigid != NULL && log->mode[GR_ON_STONE] != GR_STONE_NO_COLLISION) {
        return log->mode[GR_ON_STONE];
    }
    const bool hard = !gr_wheel_on_soil(mission->m, wheel) ||
                      (mission->d->rigid != NULL && log->mode[GR_ON_RIGID] != GR_RIGID_NO_CONTACT);
    return log->mode[hard ? GR_ON_RIGID : GR_ON_SOFT];
}

void gr_attitude(GrQuat q, double *roll, double *pitch, double *heading)
{
    const GrMat3 r = gr_quat_to_mat3(q);
    *roll = gr_atan2(r.m[2][1], r.m[2][2]);
    *pitch = gr_asin(fmax(-1, fmin(1, -r.m[2][0])));
    *heading = gr_atan2(r.m[1][0], r.m[0][0]);
}

static double gr_self_force(const GrMission *mission)
{
    const GrTreeData *tree = &mission->d->tree;
    double sum = 0;
    for (int i = 0; i < tree->pair_count[0]; i++) {
        sum += gr_norm(tree->pair[i].wrench.force);
    }
    return sum;
}

void gr_mission_sample_wheel(const GrMission *mission, int i, double dt, GrWheelSample *out)
{
    const GrModel *m = mission->m;
    const GrData *d = mission->d;
    const GrWheelContact *contact = &d->contact[i];
    const GrWheelSlip run = gr_wheel_slip(mission->m, mission->d, i);
    const GrContactFrame *f = &run.frame;
    const int body = m->wheels[i].body;
    const double sign = gr_wheel_sign(m, i);
    const GrVec3 force = gr_wheel_force(mission, i);
    *out = (GrWheelSample){
        .slip = run.slip,
        .slip_angle = run.slip_angle,
        .sinkage = gr_wheel_depth(mission->d, i),
        .deflection = gr_wheel_deflection(m, d, i),
        .force = gr_vec3(gr_dot(force, f->x), gr_dot(force, f->y), gr_dot(force, f->z)),
        .load = gr_dot(force, mission->up),
        .torque = body > 0 ? sign * d->tree.motor_torque[body] : 0,
        .speed = body > 0 ? sign * gr_joint_velocity(&m->tree, &d->tree, body) : 0,
        .power = dt > 0 ? mission->drive[i] / dt : 0,
        .state = (int)wheel_mode(mission, i),
        .stone = (int)(mission->d->rigid != NULL ? mission->d->mode_log[i].mode[GR_ON_STONE] : GR_STONE_NO_COLLISION),
        .soil = m->soil_wheels != NULL && contact->on_map ? contact->soil_index : -1,
        .soil_rest = m->soil_wheels != NULL && contact->on_map ? contact->soil_rest : 0,
    };
}

/// Needs the wrenches of the last step, which kinematics clears.
static double sample_joints(const GrMission *mission, GrJointSample *out)
{
    const GrModel *m = mission->m;
    GrTreeData *tree = &mission->d->tree;
    double power = 0;
    gr_tree_inverse_dynamics(&m->tree, tree, tree->acceleration, tree->work, NULL); // loads: work_wrench
    for (int i = 0; i < m->joint_count; i++) {
        const int b = m->joint_body[i];
        GrVec3 felt;
        const GrJointLoad load = gr_joint_load_of(m, tree, i, &felt);
        out[i] = (GrJointSample){
            .angle = gr_joint_position(&m->tree, tree, b),
            .rate = gr_joint_velocity(&m->tree, tree, b),
            .torque = tree->motor_torque[b],
            .force = gr_norm(load.force),
            .moment = gr_norm(load.moment),
            .load_force = load.force,
            .load_moment = load.moment,
            .felt = felt,
            .acceleration = m->tree.joints[b].ratio * tree->acceleration[m->tree.joints[b].dof],
        };
        power += out[i].torque * out[i].rate;
    }
    return power;
}

/// The tree with room of its own for all that kinematics writes. The choice of the next step uses the frames of the
/// last one, and a sample must not change the run.
static GrTreeData tree_beside(const GrMission *mission)
{
    const GrTreeData *seen = &mission->seen;
    GrTreeData tree = mission->d->tree;
    tree.frame = seen->frame;
    tree.inertia = seen->inertia;
    tree.wrench = seen->wrench;
    tree.has_jacobian = seen->has_jacobian;
    tree.jacobian_count = seen->jacobian_count;
    tree.pair_count = seen->pair_count;
    return tree;
}

GrBalance gr_mission_balance(const GrMission *mission)
{
    GrData *d = mission->d;
    const GrTreeData kept = d->tree;
    d->tree = tree_beside(mission);
    const GrBalance balance = gr_balance(mission->m, d);
    d->tree = kept;
    return balance;
}

/// Positions and energies from the frames at the end of the step.
static GrEnergy sample_places(const GrMission *mission, GrSample *out)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    const GrTreeData kept = d->tree;
    d->tree = tree_beside(mission);
    gr_tree_kinematics(&m->tree, &d->tree);
    for (int i = 0; i < m->wheel_count; i++) {
        out->wheels[i].centre = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
    }
    for (int k = 0; k < m->def_body_count; k++) {
        out->bodies[k] = gr_data_body_pose(m, d, k);
    }
    for (int k = 0; k < out->rock_count; k++) {
        out->rocks[k] = gr_data_loose_pose(m, d, k);
    }
    const GrEnergy energy = gr_tree_energy(&m->tree, &d->tree);
    d->tree = kept;
    return energy;
}

void gr_mission_sample(GrMission *mission, GrSample *out)
{
    const GrModel *m = mission->m;
    GrData *d = mission->d;
    const GrMissionState *s = &mission->s;
    const double *a = d->tree.acceleration;
    if (s->steps == 0) { // nothing has acted yet
        gr_forward(m, d);
    }
    out->time = gr_data_time(d);
    out->distance = s->distance;
    out->pose = gr_data_base_pose(d);
    gr_data_base_velocity(d, &out->velocity, &out->angular_velocity);
    const GrVec3 felt = gr_sub(gr_vec3(a[0], a[1], a[2]), m->tree.gravity);
    out->acceleration = gr_quat_rotate(gr_quat_conjugate(out->pose.rotation), felt);
    out->angular_acceleration = gr_quat_rotate(gr_quat_conjugate(out->pose.rotation), gr_vec3(a[3], a[4], a[5]));
    gr_attitude(out->pose.rotation, &out->roll, &out->pitch, &out->heading);
    out->odometry = s->control.odometry;
    if (!s->control.started) { // before the first cycle of control odometry is the truth
        out->odometry = (GrOdometry){.x = out->pose.position.x, .y = out->pose.position.y, .heading = out->heading};
    }
    out->command = s->command;
    out->cross_track = s->control.cross_track;
    out->way_point = s->control.way_point;
    out->step = s->last_step;
    out->belly_force = gr_norm(gr_belly_force(mission));
    out->self_force = gr_self_force(mission);
    for (int i = 0; i < m->wheel_count; i++) {
        gr_mission_sample_wheel(mission, i, s->last_step, &out->wheels[i]);
    }
    out->power = sample_joints(mission, out->joints);
    const GrEnergy energy = sample_places(mission, out);
    out->supply = s->supply.now;
    out->energy = gr_account_balance(&s->account, energy.kinetic, energy.gravity, energy.spring);
    gr_channels_derive(mission, out);
}
