#include "random_rover.h"

#include <stdio.h>

GrVec3 gr_random_vec(GrRandom *random, double size)
{
    const double x = gr_random_uniform(random, -size, size), y = gr_random_uniform(random, -size, size);
    return gr_vec3(x, y, gr_random_uniform(random, -size, size));
}

static GrSym3 random_inertia(GrRandom *random, double mass)
{
    // a box of random edges, turned: obeys the triangle inequality
    const GrVec3 size = {gr_random_uniform(random, 0.1, 0.6), gr_random_uniform(random, 0.1, 0.6),
                         gr_random_uniform(random, 0.1, 0.6)};
    const GrMat3 turn = gr_quat_to_mat3(gr_quat_exp(gr_random_vec(random, 2)));
    return gr_sym3_rotate(&turn, gr_inertia_box(mass, size));
}

static void add_coupling(GrRoverDef *rover, GrRandom *random, int joint)
{
    int of = -1;
    for (int i = 0; i < joint && of < 0; i++) {
        if (rover->joints[i].kind == rover->joints[joint].kind && gr_random_unit(random) < 0.5) {
            of = i;
        }
    }
    if (of >= 0) {
        const GrCouplingDef coupling = {.joint = joint,
                                        .of = of,
                                        .ratio = gr_random_uniform(random, -2, -0.5),
                                        .offset = gr_random_uniform(random, -0.3, 0.3)};
        gr_rover_add_coupling(rover, &coupling);
    }
}

GrRoverDef gr_random_rover(GrRandom *random, int bodies)
{
    GrRoverDef rover = gr_default_rover_def();
    for (int k = 0; k < bodies; k++) {
        GrBodyDef body = gr_default_body_def();
        snprintf(body.name, sizeof body.name, "body%d", k);
        body.mass = gr_random_uniform(random, 0.5, 5);
        body.com = gr_random_vec(random, 0.2);
        body.inertia = random_inertia(random, body.mass);
        gr_rover_add_body(&rover, &body);
        if (k == 0) {
            continue;
        }
        GrJointDef joint = gr_default_joint_def();
        const double kind = gr_random_unit(random);
        snprintf(joint.name, sizeof joint.name, "joint%d", k);
        joint.kind = kind < 0.65 ? GR_JOINT_REVOLUTE : kind < 0.85 ? GR_JOINT_PRISMATIC : GR_JOINT_FIXED;
        joint.parent = (int)gr_random_below(random, (uint64_t)k);
        joint.child = k;
        joint.pose.position = gr_random_vec(random, 0.5);
        joint.pose.rotation = gr_quat_exp(gr_random_vec(random, 2));
        joint.axis = gr_random_vec(random, 1);
        joint.initial = gr_random_uniform(random, -0.5, 0.5);
        if (joint.kind != GR_JOINT_FIXED) {
            joint.motor.kind = GR_MOTOR_TORQUE;
            joint.motor.rotor_inertia = gr_random_uniform(random, 0, 0.05);
            joint.stiffness = gr_random_uniform(random, 0, 20);
            joint.damping = gr_random_uniform(random, 0, 2);
            joint.rest = gr_random_uniform(random, -0.5, 0.5);
        }
        gr_rover_add_joint(&rover, &joint);
        if (joint.kind != GR_JOINT_FIXED && gr_random_unit(random) < 0.2) {
            add_coupling(&rover, random, rover.joint_count - 1);
        }
    }
    return rover;
}

static bool is_coupled(const GrRoverDef *rover, int joint)
{
    for (int i = 0; i < rover->coupling_count; i++) {
        if (rover->couplings[i].joint == joint || rover->couplings[i].of == joint) {
            return true;
        }
    }
    return false;
}

GrRoverDef gr_random_rover_of_all_kinds(GrRandom *random, int bodies)
{
    GrRoverDef rover = gr_random_rover(random, bodies);
    for (int i = 0; i < rover.joint_count; i++) {
        GrJointDef *joint = &rover.joints[i];
        if (is_coupled(&rover, i) || gr_random_unit(random) < 0.5) {
            continue;
        }
        const int kinds = GR_JOINT_KIND_COUNT - GR_JOINT_SCREW;
        joint->kind = (GrJointKind)(GR_JOINT_SCREW + (int)gr_random_below(random, (uint64_t)kinds));
        const unsigned takes = gr_joint_kind(joint->kind)->takes;
        if (takes & GR_JOINT_TAKES_PITCH) {
            joint->pitch = gr_random_uniform(random, -0.3, 0.3);
        } else {
            joint->motor = gr_default_motor_def();
            joint->initial = 0;
            joint->rest = 0;
        }
        if ((takes & GR_JOINT_TAKES_SPRING) == 0) {
            joint->stiffness = 0;
            joint->damping = 0;
        }
        if (takes & GR_JOINT_TAKES_ROTATION) {
            joint->initial_pose.rotation = gr_quat_exp(gr_random_vec(random, 2));
        }
    }
    return rover;
}

/// The first joint that moves by u[dof]; NULL: the base does.
static const GrJoint *joint_of(const GrModel *m, int dof)
{
    for (int b = 1; b < m->tree.body_count; b++) {
        if (m->tree.joints[b].dof == dof) {
            return &m->tree.joints[b];
        }
    }
    return NULL;
}

void gr_random_state(const GrModel *m, GrData *d, GrRandom *random, double speed)
{
    const GrQuat rotation = gr_quat_exp(gr_random_vec(random, 3));
    gr_data_set_base_pose(d, (GrPose){gr_random_vec(random, 100), rotation});
    for (int i = 0; i < m->tree.dof_count; i++) {
        d->tree.velocity[i] = gr_random_uniform(random, -speed, speed);
        const GrJoint *j = joint_of(m, i);
        if (j != NULL && j->motion == GR_MOTION_SPHERICAL) {
            gr_tree_set_quaternion(&d->tree, j->coordinate, gr_quat_normalize(gr_quat_exp(gr_random_vec(random, 2))));
        } else if (j != NULL) {
            d->tree.position[j->coordinate] = gr_random_uniform(random, -1, 1);
        }
    }
}
