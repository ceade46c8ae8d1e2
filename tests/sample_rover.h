/// A six-wheeled rocker-bogie with a differential, built in C, for tests that need a rover without a file.
#ifndef GR_SAMPLE_ROVER_H
#define GR_SAMPLE_ROVER_H

#include "grouser/rover.h"

#include <stdio.h>

static inline int gr_sample_body(GrRoverDef *rover, const char *name, int side, double mass)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "%s%s", name, side > 0 ? "_left" : side < 0 ? "_right" : "");
    body.mass = mass;
    body.inertia = gr_inertia_box(mass, (GrVec3){0.3, 0.3, 0.3});
    return gr_rover_add_body(rover, &body);
}

static inline int gr_sample_joint(GrRoverDef *rover, GrJointRole role, int parent, int child, GrVec3 at, GrVec3 axis)
{
    GrJointDef joint = gr_default_joint_def();
    snprintf(joint.name, sizeof joint.name, "%s", rover->bodies[child].name);
    joint.kind = GR_JOINT_REVOLUTE;
    joint.role = role;
    joint.parent = parent;
    joint.child = child;
    joint.pose.position = at;
    joint.axis = axis;
    joint.motor.kind = role == GR_ROLE_DRIVE ? GR_MOTOR_PID : role == GR_ROLE_STEER ? GR_MOTOR_POSITION : GR_MOTOR_NONE;
    joint.motor.torque_limit = 90;
    if (role == GR_ROLE_STEER) {
        joint.lower = -1.57;
        joint.upper = 1.57;
    }
    return gr_rover_add_joint(rover, &joint);
}

static inline void gr_sample_rod(GrRoverDef *rover, int body, GrVec3 from, GrVec3 to, double radius)
{
    GrShapeDef shape = gr_default_shape_def();
    shape.kind = GR_SHAPE_ROD;
    shape.from = from;
    shape.to = to;
    shape.radius = radius;
    gr_body_add_shape(&rover->bodies[body], &shape);
}

static inline void gr_sample_box(GrRoverDef *rover, int body, GrVec3 at, GrVec3 size)
{
    GrShapeDef shape = gr_default_shape_def();
    shape.pose.position = at;
    shape.size = size;
    gr_body_add_shape(&rover->bodies[body], &shape);
}

/// A wheel at `at` in the frame of `parent`, on a steering bracket when `steered`.
static inline void gr_sample_wheel(GrRoverDef *rover, int parent, const char *name, int side, GrVec3 at, int steered)
{
    const GrVec3 y = {0, 1, 0}, z = {0, 0, 1};
    char label[32];
    if (steered) {
        snprintf(label, sizeof label, "%s_bracket", name);
        const int bracket = gr_sample_body(rover, label, side, 6);
        gr_sample_joint(rover, GR_ROLE_STEER, parent, bracket, (GrVec3){at.x, at.y, at.z + 0.36}, z);
        gr_sample_rod(rover, bracket, (GrVec3){0, 0, 0.06}, (GrVec3){0, 0, -0.1}, 0.05);
        gr_sample_rod(rover, bracket, (GrVec3){0, 0, -0.04}, (GrVec3){0, -0.26 * side, -0.08}, 0.03);
        gr_sample_rod(rover, bracket, (GrVec3){0, -0.26 * side, -0.06}, (GrVec3){0, -0.22 * side, -0.36}, 0.03);
        parent = bracket;
        at = (GrVec3){0, 0, -0.36};
    }
    snprintf(label, sizeof label, "%s_wheel", name);
    const int body = gr_sample_body(rover, label, side, 12);
    gr_sample_joint(rover, GR_ROLE_DRIVE, parent, body, at, y);
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(wheel.name, sizeof wheel.name, "%s", rover->bodies[body].name);
    wheel.body = body;
    wheel.radius = 0.25;
    wheel.width = 0.4;
    wheel.grouser_count = 24;
    wheel.grouser_height = 0.0075;
    wheel.grouser_thickness = 0.008;
    gr_rover_add_wheel(rover, &wheel);
}

static inline int gr_sample_side(GrRoverDef *rover, int side)
{
    const GrVec3 y = {0, 1, 0};
    const double s = side;
    const int rocker = gr_sample_body(rover, "rocker", side, 30);
    const int joint = gr_sample_joint(rover, GR_ROLE_PASSIVE, 0, rocker, (GrVec3){0.1, 0.72 * s, 0}, y);
    gr_sample_rod(rover, rocker, (GrVec3){0, 0, 0}, (GrVec3){1.0, 0.36 * s, -0.1}, 0.04);
    gr_sample_rod(rover, rocker, (GrVec3){0, 0, 0}, (GrVec3){-0.55, 0.3 * s, -0.32}, 0.04);
    gr_sample_wheel(rover, rocker, "front", side, (GrVec3){1.0, 0.36 * s, -0.52}, 1);
    const int bogie = gr_sample_body(rover, "bogie", side, 20);
    gr_sample_joint(rover, GR_ROLE_PASSIVE, rocker, bogie, (GrVec3){-0.55, 0.3 * s, -0.32}, y);
    gr_sample_rod(rover, bogie, (GrVec3){0, 0, 0}, (GrVec3){0.46, 0.05 * s, -0.2}, 0.035);
    gr_sample_rod(rover, bogie, (GrVec3){0, 0, 0}, (GrVec3){-0.62, 0.06 * s, 0.22}, 0.035);
    gr_sample_wheel(rover, bogie, "middle", side, (GrVec3){0.46, 0.4 * s - 0.34 * s, -0.2}, 0);
    gr_sample_wheel(rover, bogie, "rear", side, (GrVec3){-0.62, 0.06 * s, -0.2}, 1);
    return joint;
}

static inline GrRoverDef gr_sample_rover(void)
{
    GrRoverDef rover = gr_default_rover_def();
    snprintf(rover.name, sizeof rover.name, "sample");
    snprintf(rover.title, sizeof rover.title, "Sample rocker-bogie");
    const int chassis = gr_sample_body(&rover, "chassis", 0, 600);
    rover.bodies[chassis].com = (GrVec3){0, 0, 0.2};
    gr_sample_box(&rover, chassis, (GrVec3){0, 0, 0.12}, (GrVec3){1.6, 1.1, 0.45});
    gr_sample_box(&rover, chassis, (GrVec3){-0.95, 0, 0.35}, (GrVec3){0.45, 0.5, 0.5});
    gr_sample_rod(&rover, chassis, (GrVec3){0.65, -0.4, 0.34}, (GrVec3){0.65, -0.4, 1.1}, 0.05);
    gr_sample_box(&rover, chassis, (GrVec3){0.68, -0.4, 1.2}, (GrVec3){0.16, 0.4, 0.2});
    const int left = gr_sample_side(&rover, 1);
    const int right = gr_sample_side(&rover, -1);
    gr_rover_add_coupling(&rover, &(GrCouplingDef){.joint = right, .of = left, .ratio = -1});
    gr_rover_add_note(&rover, &(GrNote){GR_ASSUMED, "everything here is made up"});
    return rover;
}

#endif
