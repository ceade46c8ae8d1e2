/// The six-wheel rocker-bogie climbs a step and a rock of half its wheels' radius on rigid ground and on soil.
#include "data.h"
#include "test.h"

static const double GRAVITY = 3.71, SPEED = 0.1, STEP = GR_TEST_LONG(2e-3, 3e-3), BALANCE_TOLERANCE = 0.01;
enum { MAX_WHEELS = 8 };

typedef struct Climb {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
    double radius; ///< of its wheels, to the tips of the grousers
} Climb;

/// The obstacle begins 2 m ahead: a step, or a rock under the left wheels, half of it buried.
static GrSceneDef make_scene(bool rock, double radius)
{
    GrSceneDef scene = gr_default_scene_def();
    scene.materials[0].friction = 0.8;
    if (rock) {
        GrStoneDef stone = gr_default_stone_def();
        stone.place = gr_vec3(2, 1, 0);
        stone.diameter = 0.8;
        stone.height = radius;
        stone.exposed = radius / 2;
        gr_scene_add_stone(&scene, &stone);
    } else {
        GrPartDef step = gr_default_part_def();
        step.shape.kind = GR_SHAPE_BOX;
        step.shape.size = gr_vec3(8, 8, 1);
        step.pose.position = gr_vec3(6, 0, -0.5 + radius / 2);
        gr_scene_add_part(&scene, &step);
    }
    return scene;
}

static Climb make(bool rock, bool soft, GrWheelShape wheels, bool smooth)
{
    Climb c = {0};
    assert_int_equal(gr_rover_load(GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml", NULL, &c.rover, NULL), GR_OK);
    c.radius = c.rover.wheels[0].radius + c.rover.wheels[0].grouser_height;
    for (int i = 0; i < c.rover.wheel_count && smooth; i++) {
        c.rover.wheels[i].grouser_thickness = 0; // a rim that reaches to the tips
    }
    GrSoilDef soil = gr_default_soil_def();
    soil.damping = 2000;
    GrSceneDef scene = make_scene(rock, c.radius);
    scene.rigid_ground = !soft;
    scene.wheels = wheels;
    GrOptions options = gr_default_options();
    options.gravity.z = -GRAVITY;
    options.step = STEP;
    options.surface.scene = &scene;
    options.surface.soil = soft ? &soil : NULL;
    options.surface.slices = 3;
    assert_int_equal(gr_model_create(&c.rover, &options, &c.m, NULL), GR_OK);
    gr_scene_def_free(&scene);
    gr_data_create(c.m, &c.d, NULL);
    gr_forward(c.m, c.d);
    const GrPose wheel = gr_pose_mul(gr_data_body_pose(c.m, c.d, c.rover.wheels[0].body), c.rover.wheels[0].pose);
    gr_data_set_base_pose(c.d, (GrPose){{0, 0, c.radius - wheel.position.z}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(c.m, c.d, NULL, NULL), GR_OK);
    return c;
}

static void drive(Climb *c, double omega)
{
    for (int i = 0; i < c->m->joint_count; i++) {
        if (c->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(c->m, c->d, i, omega);
        }
    }
}

static GrVec3 contact_force(const Climb *c)
{
    GrVec3 sum = {0, 0, 0};
    for (int i = 0; i < c->m->rigid.count; i++) {
        sum = gr_add(sum, c->d->rigid_contact[i].force);
    }
    for (int i = 0; i < c->m->wheel_count; i++) {
        sum = gr_add(sum, gr_data_wheel(c->m, c->d, i).world_force);
    }
    return sum;
}

/// Torque about its axle that soil and hard contacts take from a wheel; its body's origin is on the axle.
static double taken_torque(const Climb *c, int wheel)
{
    const GrWheel *w = &c->m->wheels[wheel];
    const GrVec3 axle = gr_mat3_mul_vec(&c->d->tree.frame[w->body].rotation, w->axle);
    const GrWheelView v = gr_data_wheel(c->m, c->d, wheel);
    const bool touches = c->d->rigid_near[wheel] && c->d->rigid_load[wheel].touches;
    const double hard = touches ? gr_dot(c->d->rigid_load[wheel].wrench.moment, axle) : 0;
    const double soft =
        c->m->soil_wheels != NULL ? gr_dot(gr_contact_to_world(&c->d->contact[wheel].frame, v.moment), axle) : 0;
    return -hard - soft;
}

/// The drive joint's motor of a wheel.
static double motor_torque(const Climb *c, int wheel)
{
    for (int i = 0; i < c->m->joint_count; i++) {
        if (c->m->joint_roles[i] == GR_ROLE_DRIVE && c->m->joint_body[i] == c->m->wheels[wheel].body) {
            return gr_data_motor_torque(c->m, c->d, i);
        }
    }
    return 0;
}

typedef struct Crossing {
    double advanced; ///< [m]
    double highest;  ///< rise of the base [m]
    double residual; ///< of the impulse over the weight's
    double torque;   ///< mean of motor and contact torque's difference over the mean motor torque
    double chatter;  ///< changes of state of a wheel a second
} Crossing;

static Crossing cross(Climb *c, double duration)
{
    const GrPose start = gr_data_base_pose(c->d);
    const GrBalance before = gr_balance(c->m, c->d);
    GrVec3 impulse = {0, 0, 0};
    Crossing out = {0};
    double difference[MAX_WHEELS] = {0}, effort[MAX_WHEELS] = {0};
    drive(c, SPEED / c->radius);
    const int steps = (int)lround(duration / STEP);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(c->m, c->d), GR_OK);
        impulse = gr_madd(impulse, STEP, contact_force(c));
        for (int k = 0; k < c->m->wheel_count; k++) {
            difference[k] += motor_torque(c, k) - taken_torque(c, k);
            effort[k] += fabs(motor_torque(c, k));
        }
        out.highest = fmax(out.highest, gr_data_base_pose(c->d).position.z - start.position.z);
    }
    const GrBalance after = gr_balance(c->m, c->d);
    const double weight = before.mass * GRAVITY * duration;
    const GrVec3 gained = gr_sub(after.linear, before.linear);
    out.residual = gr_norm(gr_sub(gr_sub(impulse, gained), gr_vec3(0, 0, weight))) / weight;
    for (int k = 0; k < c->m->wheel_count; k++) {
        out.torque = fmax(out.torque, fabs(difference[k]) / effort[k]);
        out.chatter = fmax(out.chatter, gr_data_wheel(c->m, c->d, k).chatter);
    }
    out.advanced = gr_data_base_pose(c->d).position.x - start.position.x;
    return out;
}

static void destroy(Climb *c)
{
    gr_data_free(c->d);
    gr_model_free(c->m);
    gr_rover_free(&c->rover);
}

static Crossing climb(bool rock, bool soft, GrWheelShape wheels, bool smooth)
{
    static const char *const NAMES[] = {"cylinders", "rims with cuboids", "meshes"};
    Climb c = make(rock, soft, wheels, smooth);
    const Crossing x = cross(&c, 50);
    print_message(
        "%s%s: %s of half the radius from %s: advanced %.2f m, base rose %.3f m, residual of forces %.2g, of torques "
        "%.2g, %.2f changes/s\n",
        smooth ? "smooth " : "", NAMES[wheels], rock ? "rock" : "step", soft ? "soil" : "rigid ground", x.advanced,
        x.highest, x.residual, x.torque, x.chatter);
    assert_true(x.advanced > 4);
    assert_true(x.highest > (rock ? 0.02 : 0.9 * c.radius / 2));
    assert_true(x.residual < BALANCE_TOLERANCE);
    assert_true(x.torque < BALANCE_TOLERANCE);
    drive(&c, 0);
    for (int i = 0; i < (int)(5 / STEP); i++) {
        assert_int_equal(gr_step(c.m, c.d), GR_OK);
    }
    assert_near_rel(contact_force(&c).z, gr_balance(c.m, c.d).mass * GRAVITY, BALANCE_TOLERANCE);
    destroy(&c);
    return x;
}

static void test_step(void **state)
{
    (void)state;
    climb(false, false, GR_WHEELS_CYLINDER, false);
}

static void test_rock(void **state)
{
    (void)state;
    climb(true, false, GR_WHEELS_CYLINDER, false);
}

static void test_step_from_soil(void **state)
{
    (void)state;
    climb(false, true, GR_WHEELS_CYLINDER, false);
}

static void test_rock_on_soil(void **state)
{
    (void)state;
    climb(true, true, GR_WHEELS_CYLINDER, false);
}

/// Smooth wheels as meshes of 96 sides do what cylinders do.
static void test_smooth_meshes(void **state)
{
    (void)state;
    for (int rock = GR_TEST_LONG(0, 1); rock < 2; rock++) {
        const Crossing cylinder = climb(rock, false, GR_WHEELS_CYLINDER, true);
        const Crossing mesh = climb(rock, false, GR_WHEELS_MESH, true);
        assert_near_rel(mesh.advanced, cylinder.advanced, 0.01);
        assert_near(mesh.highest, cylinder.highest, 2e-3);
    }
}

/// Meshes of grousers do what cuboids do.
static void test_meshes_of_grousers(void **state)
{
    (void)state;
    const Crossing cuboids = climb(false, true, GR_WHEELS_GROUSERS, false);
    const Crossing mesh = climb(false, true, GR_WHEELS_MESH, false);
    assert_near_rel(mesh.advanced, cuboids.advanced, 0.01);
    assert_near(mesh.highest, cuboids.highest, 2e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),           cmocka_unit_test(test_rock),
        cmocka_unit_test(test_step_from_soil), cmocka_unit_test(test_rock_on_soil),
        cmocka_unit_test(test_smooth_meshes),  cmocka_unit_test(test_meshes_of_grousers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
