/// The six-wheel rocker-bogie climbs a step and a rock of half its wheels' radius on rigid ground.
#include "contact_mode.h"
#include "rock.h"
#include "support/rigid_bench.h"
#include "support/rigid_rover.h"

static const GrVec3 UP = {0, 0, 1};
static const double GRAVITY = 3.71, SPEED = 0.1, BALANCE_TOLERANCE = 0.01;

/// The rover's wheels as smooth cylinders, driven; returns how many there are.
static int add_wheels(const GrRoverDef *rover, GrRigidDef *def, int *bodies)
{
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *wheel = &rover->wheels[i];
        const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
        const int index = gr_rigid_add_body(def, &body);
        gr_rigid_add_shape(def, index, gr_convex_cylinder(wheel->radius, wheel->width), wheel->pose, 0);
        bodies[i] = wheel->body;
    }
    return rover->wheel_count;
}

static void drive(GrRigidRover *r, const GrRoverDef *rover, double omega)
{
    for (int i = 0; i < rover->joint_count; i++) {
        if (rover->joints[i].role == GR_ROLE_DRIVE) {
            gr_data_set_command(r->m, r->d, gr_model_find_joint(r->m, rover->joints[i].name), omega);
        }
    }
}

/// Forces of the contacts on the rover, in the direction of the world's axes.
static GrVec3 contact_force(const GrRigidRover *r)
{
    GrVec3 sum = {0, 0, 0};
    for (int i = 0; i < gr_rigid_contact_count(r->s); i++) {
        const GrRigidContact c = gr_rigid_contact(r->w, r->s, i);
        const bool rover_is_b = c.body_b < r->count; // driven bodies come first
        sum = gr_madd(sum, rover_is_b ? 1 : -1, c.force);
    }
    return sum;
}

typedef struct Crossing {
    double advanced; ///< [m]
    double highest;  ///< rise of the base [m]
    double residual; ///< of the impulse over the weight's
    double chatter;  ///< changes of state of a wheel a second
} Crossing;

static Crossing cross(const GrRoverDef *rover, GrRigidRover *r, double duration)
{
    const double omega = SPEED / rover->wheels[0].radius;
    gr_rigid_rover_run(r, 3);
    const GrPose start = gr_data_base_pose(r->d);
    const GrBalance before = gr_balance(r->m, r->d);
    GrModeLog log;
    gr_mode_log_start(&log);
    GrVec3 impulse = {0, 0, 0};
    Crossing c = {0};
    drive(r, rover, omega);
    const int steps = (int)lround(duration / r->dt);
    for (int i = 0; i < steps; i++) {
        gr_rigid_rover_step(r);
        impulse = gr_madd(impulse, r->dt, contact_force(r));
        const GrContactMode modes[2] = {gr_rigid_mode(r->w, r->s, 0, GR_ON_RIGID),
                                        gr_rigid_mode(r->w, r->s, 0, GR_ON_STONE)};
        gr_mode_log_add(&log, modes, 2, r->dt);
        c.highest = fmax(c.highest, gr_data_base_pose(r->d).position.z - start.position.z);
    }
    const GrBalance after = gr_balance(r->m, r->d);
    const double weight = before.mass * GRAVITY * duration;
    const GrVec3 gained = gr_sub(after.linear, before.linear);
    const GrVec3 missing = gr_sub(gr_sub(impulse, gained), gr_vec3(0, 0, weight));
    c.residual = gr_norm(missing) / weight;
    c.advanced = gr_data_base_pose(r->d).position.x - start.position.x;
    c.chatter = gr_mode_log_chatter(&log);
    return c;
}

static void climb(bool rock)
{
    GrRoverDef rover;
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml", NULL, &rover, NULL), GR_OK);
    const double radius = rover.wheels[0].radius;
    GrRigidDef def = gr_default_rigid_def();
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    def.materials[0].friction = 0.8;
    int bodies[GR_RIGID_ROVER_BODIES];
    const int count = add_wheels(&rover, &def, bodies);
    GrRigidBodyDef obstacle = gr_default_rigid_body_def(GR_RIGID_FIXED);
    obstacle.stone = rock;
    obstacle.pose.position = gr_vec3(2, rock ? 1 : 0, 0);
    GrRock stone = {0};
    const int index = gr_rigid_add_body(&def, &obstacle);
    if (rock) { // under the left wheels, half of it buried
        GrRockDef rock_def = gr_default_rock_def();
        rock_def.diameter = 0.8;
        rock_def.height = radius;
        rock_def.points = 200;
        assert_int_equal(gr_rock_create(&rock_def, &stone, NULL), GR_OK);
        gr_rigid_add_shape(&def, index, gr_convex_of_mesh(stone.hull), gr_pose_identity(), 0);
    } else {
        const GrPose low = {{4, 0, -0.5 + radius / 2}, {1, 0, 0, 0}};
        gr_rigid_add_shape(&def, index, gr_convex_cuboid(gr_vec3(8, 8, 1)), low, 0);
    }
    GrOptions options = gr_default_options();
    options.gravity.z = -GRAVITY;
    options.step = 2e-3;
    GrRigidRover r;
    gr_rigid_rover_init(&r, &rover, &options, &def, bodies, count);
    gr_forward(r.m, r.d);
    double lowest = INFINITY;
    for (int i = 0; i < count; i++) {
        const GrPose p = gr_pose_mul(gr_data_body_pose(r.m, r.d, bodies[i]), rover.wheels[i].pose);
        lowest = fmin(lowest, p.position.z - rover.wheels[i].radius);
    }
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    const Crossing c = cross(&rover, &r, 50);
    print_message("%s of half the radius: advanced %.2f m, base rose %.3f m, residual %.3g, %.2f changes/s\n",
                  rock ? "rock" : "step", c.advanced, c.highest, c.residual, c.chatter);
    assert_true(c.advanced > 4);
    assert_true(c.highest > (rock ? 0.02 : 0.9 * radius / 2));
    assert_true(c.residual < BALANCE_TOLERANCE);
    drive(&r, &rover, 0);
    gr_rigid_rover_run(&r, 5);
    assert_near_rel(contact_force(&r).z, gr_balance(r.m, r.d).mass * GRAVITY, BALANCE_TOLERANCE);
    gr_rigid_rover_free(&r);
    gr_rock_free(&stone);
    gr_rover_free(&rover);
}

static void test_step(void **state)
{
    (void)state;
    climb(false);
}

static void test_rock(void **state)
{
    (void)state;
    climb(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_step), cmocka_unit_test(test_rock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
