/// MuJoCo referees random trees: accelerations with random torques and wrenches, and contact-free trajectories.
#include "support/random_rover.h"
#include "support/referee.h"
#include "test.h"

enum { TREES = 50, STATES = 5, TRAJECTORIES = 5 };
static const double ACCELERATION_TOLERANCE = 1e-9; // relative to the largest acceleration
static const double TRAJECTORY_TOLERANCE = 1e-6;   // [m, rad] after 10 s

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees_accelerate_alike),
        cmocka_unit_test(test_random_trees_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
