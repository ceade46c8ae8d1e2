/// A rover with any even number of wheels: a chassis with pairs of wheels on sprung arms, one behind the other.
#ifndef GR_TEST_WHEEL_TRAIN_H
#define GR_TEST_WHEEL_TRAIN_H

#include "grouser/model.h"
#include "vec3.h"

#include <stdio.h>

static inline void gr_train_add_body(GrRoverDef *rover, const char *kind, int number, double mass)
{
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "%s%d", kind, number);
    body.mass = mass;
    body.inertia = gr_inertia_box(mass, gr_vec3(0.2, 0.2, 0.2));
    gr_rover_add_body(rover, &body);
}

static inline void gr_train_add_joint(GrRoverDef *rover, const char *kind, int number, GrJointDef joint)
{
    snprintf(joint.name, sizeof joint.name, "%s%d", kind, number);
    joint.kind = GR_JOINT_REVOLUTE;
    joint.axis = gr_vec3(0, 1, 0);
    gr_rover_add_joint(rover, &joint);
}

static inline GrRoverDef gr_make_train(int wheels)
{
    GrRoverDef rover = gr_default_rover_def();
    gr_train_add_body(&rover, "chassis", 0, 20.0 * wheels);
    for (int i = 0; i < wheels; i++) {
        const double x = 0.7 * (i / 2 - 0.25 * (wheels - 2)), y = i % 2 == 0 ? 0.6 : -0.6;
        gr_train_add_body(&rover, "arm", i, 2);
        GrJointDef arm = gr_default_joint_def();
        arm.parent = 0;
        arm.child = 1 + 2 * i;
        arm.pose.position = gr_vec3(x + 0.3, y, -0.1);
        arm.stiffness = 400;
        gr_train_add_joint(&rover, "suspension", i, arm);
        gr_train_add_body(&rover, "wheel", i, 3);
        GrJointDef axle = gr_default_joint_def();
        axle.parent = 1 + 2 * i;
        axle.child = 2 + 2 * i;
        axle.pose.position = gr_vec3(-0.3, 0, -0.1);
        axle.motor.kind = GR_MOTOR_SPEED;
        axle.role = GR_ROLE_DRIVE;
        gr_train_add_joint(&rover, "drive", i, axle);
        GrWheelDef wheel = gr_default_wheel_def();
        snprintf(wheel.name, sizeof wheel.name, "w%d", i);
        wheel.body = 2 + 2 * i;
        wheel.radius = 0.15;
        wheel.width = 0.15;
        gr_rover_add_wheel(&rover, &wheel);
    }
    return rover;
}

#endif
