/// Random trees compared with MuJoCo: accelerations with random torques and wrenches, and contact-free trajectories.
#include "support/random_rover.h"
#include "support/referee.h"
#include "test.h"
#include "text.h"

enum { TREES = 50, STATES = 5, TRAJECTORIES = 5 };
static const double ACCELERATION_TOLERANCE = 1e-9; // relative to the largest acceleration
static const double TRAJECTORY_TOLERANCE = 1e-6;   // [m, rad] after 10 s
static const double KIND_TOLERANCE = 1e-9;         // [m, rad] after 1 s

static void test_random_trees_accelerate_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "mujoco trees");
    for (int tree = 0; tree < TREES; tree++) {
        GrRoverDef rover = gr_random_rover(&random, 2 + (int)gr_random_below(&random, 20));
        gr_referee_compare_accelerations(&rover, &random, STATES, ACCELERATION_TOLERANCE);
        gr_rover_free(&rover);
    }
}

static void test_random_trees_move_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "mujoco trajectories");
    for (int tree = 0; tree < TRAJECTORIES; tree++) {
        GrRoverDef rover = gr_random_rover(&random, 8);
        gr_referee_compare_trajectory(&rover, &random, GR_TEST_LONG(10, 1), 1e-3, TRAJECTORY_TOLERANCE);
        gr_rover_free(&rover);
    }
}

/// Screws, universal, cylindrical, planar, spherical and free joints between hinges and sliders.
static void test_all_kinds_accelerate_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "mujoco kinds");
    for (int tree = 0; tree < TREES; tree++) {
        GrRoverDef rover = gr_random_rover_of_all_kinds(&random, 2 + (int)gr_random_below(&random, 8));
        gr_referee_compare_accelerations(&rover, &random, STATES, ACCELERATION_TOLERANCE);
        gr_rover_free(&rover);
    }
}

/// One kind at a time behind a hinge, with another hinge behind it.
static void test_each_kind_moves_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(4, "mujoco each kind");
    for (int kind = GR_JOINT_REVOLUTE; kind < GR_JOINT_KIND_COUNT; kind++) {
        GrRoverDef rover = gr_random_rover_of_all_kinds(&random, 4);
        for (int i = 0; i < rover.joint_count; i++) {
            GrJointDef joint = gr_default_joint_def();
            gr_text_copy(joint.name, sizeof joint.name, rover.joints[i].name);
            joint.kind = i == 1 ? (GrJointKind)kind : GR_JOINT_REVOLUTE;
            joint.parent = i;
            joint.child = i + 1;
            joint.pose = rover.joints[i].pose;
            joint.axis = rover.joints[i].axis;
            joint.pitch = joint.kind == GR_JOINT_SCREW ? 0.05 : 0;
            joint.stiffness = gr_joint_kind(joint.kind)->takes & GR_JOINT_TAKES_SPRING ? 3 : 0;
            joint.damping = joint.stiffness / 10;
            rover.joints[i] = joint;
        }
        rover.coupling_count = 0;
        gr_text_copy(rover.name, sizeof rover.name, gr_joint_kind((GrJointKind)kind)->name);
        gr_referee_compare_trajectory(&rover, &random, 1, 5e-4, KIND_TOLERANCE);
        gr_rover_free(&rover);
    }
}

/// Inverse dynamics: the forces of given accelerations, as mj_inverse() has them.
static void test_inverse_dynamics_agree(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(5, "mujoco inverse");
    for (int tree = 0; tree < TREES; tree++) {
        GrRoverDef rover = tree % 2 == 0 ? gr_random_rover(&random, 2 + (int)gr_random_below(&random, 20))
                                         : gr_random_rover_of_all_kinds(&random, 2 + (int)gr_random_below(&random, 8));
        gr_referee_compare_inverse(&rover, &random, STATES, ACCELERATION_TOLERANCE);
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees_accelerate_alike), cmocka_unit_test(test_random_trees_move_alike),
        cmocka_unit_test(test_all_kinds_accelerate_alike),    cmocka_unit_test(test_each_kind_moves_alike),
        cmocka_unit_test(test_inverse_dynamics_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
