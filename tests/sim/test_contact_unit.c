/// Contact units: a host that carries six of them moves as the rover does, and what a host relies on beside that.
#include "grouser/contact.h"

#include "data.h"
#include "dynamics.h"
#include "scenario_data.h"
#include "support/body_rig.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

enum { WHEELS = 6 };

static const double STEP = 0.005, HEIGHT = 0.65;

/// Ground with bumps of 4 cm on a slope of 3°.
static bool bumpy(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    const double k = 1.7, a = 0.04, slope = 0.0524;
    *z = slope * x + a * sin(k * x) * sin(k * y + 0.4);
    *normal = gr_normalize(
        gr_vec3(-slope - a * k * cos(k * x) * sin(k * y + 0.4), -a * k * sin(k * x) * cos(k * y + 0.4), 1));
    return true;
}

static GrOptions options_on(const GrSoilDef *soil, GrRutsKind ruts, bool level)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -3.71);
    options.step = STEP;
    options.surface.soil = soil;
    options.surface.height = level ? NULL : bumpy;
    options.surface.ruts = ruts;
    options.surface.rut_cell = 0.02;
    options.surface.bodies_press = false; // the host has units for its wheels alone
    return options;
}

/// The rover without ground, with a unit for each wheel.
typedef struct Host {
    GrModel *m;
    GrData *d;
    const GrRoverDef *rover;
    GrModel *part[WHEELS];
    GrContact *unit[WHEELS];
    GrPartForce force[WHEELS];
} Host;

static int joint_of(const Host *h, int wheel)
{
    for (int i = 0; i < h->m->joint_count; i++) {
        if (h->m->joint_body[i] == h->m->wheels[wheel].body) {
            return i;
        }
    }
    return -1;
}

static GrPartMotion motion_of(const Host *h, int wheel)
{
    const int body = h->rover->wheels[wheel].body;
    const GrTwist twist = h->d->tree.frame[h->m->places[body].body].twist;
    GrPartMotion motion = {.pose = gr_data_body_pose(h->m, h->d, body), .angular = twist.ang};
    motion.linear = gr_data_point_velocity(h->m, h->d, body, motion.pose.position);
    motion.angle = gr_data_joint_position(h->m, h->d, joint_of(h, wheel));
    return motion;
}

static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    static const double none[36] = {0};
    Host *h = context;
    for (int i = 0; i < WHEELS; i++) {
        const GrPartMotion motion = motion_of(h, i);
        const int body = h->rover->wheels[i].body;
        assert_int_equal(gr_contact_evaluate(h->unit[i], &motion, dt, &h->force[i]), GR_OK);
        gr_data_add_wrench(m, d, body, motion.pose.position, h->force[i].force, h->force[i].moment);
        gr_data_add_jacobian(m, d, body, motion.pose.position, h->force[i].derivative, none);
    }
}

static bool revise(void *context, const GrModel *m, GrData *d, double dt)
{
    static const double none[36] = {0};
    Host *h = context;
    bool any = false;
    for (int i = 0; i < WHEELS; i++) {
        const int body = h->rover->wheels[i].body;
        GrPartMotion end = motion_of(h, i);
        GrPartForce now;
        double change[36];
        gr_data_end_twist(m, d, body, dt, &end.linear, &end.angular);
        if (gr_contact_correct(h->unit[i], &end, dt, &now)) {
            for (int k = 0; k < 36; k++) {
                change[k] = now.derivative[k] - h->force[i].derivative[k];
            }
            gr_data_add_wrench(m, d, body, end.pose.position, gr_sub(now.force, h->force[i].force),
                               gr_sub(now.moment, h->force[i].moment));
            gr_data_add_jacobian(m, d, body, end.pose.position, change, none);
            h->force[i] = now;
            any = true;
        }
    }
    return any;
}

static void host_step(Host *h)
{
    assert_int_equal(gr_step(h->m, h->d), GR_OK);
    for (int i = 0; i < WHEELS; i++) { // the twist at the end in the frames of the beginning, as a step solves it
        GrPartMotion end = motion_of(h, i);
        gr_data_end_twist(h->m, h->d, h->rover->wheels[i].body, 0, &end.linear, &end.angular);
        assert_int_equal(gr_contact_accept(h->unit[i], &end, STEP), GR_OK);
    }
}

static void host_make(Host *h, const GrRoverDef *rover, const GrOptions *options, const GrData *like, bool at_rest,
                      const char *ground)
{
    GrOptions bare = *options;
    bare.surface = gr_default_surface_def();
    h->rover = rover;
    h->m = make_model(rover, &bare, &h->d);
    memcpy(h->d->tree.position, like->tree.position, sizeof(double) * (size_t)h->m->tree.position_count);
    gr_tree_kinematics(&h->m->tree, &h->d->tree);
    for (int i = 0; i < WHEELS; i++) {
        GrRoverDef part;
        GrErrorLog log = {0};
        assert_int_equal(gr_contact_part(rover, rover->wheels[i].name, &part, &log), GR_OK);
        assert_int_equal(gr_model_create(&part, options, &h->part[i], &log), GR_OK);
        assert_int_equal(gr_contact_create(h->part[i], ground, &h->unit[i], &log), GR_OK);
        gr_rover_free(&part);
        if (at_rest) {
            const GrPartMotion motion = motion_of(h, i);
            assert_int_equal(gr_contact_rest(h->unit[i], &motion), GR_OK);
        }
    }
    gr_data_set_force(h->d, push, h);
    gr_data_set_revise(h->d, revise);
}

static void host_free(Host *h)
{
    for (int i = 0; i < WHEELS; i++) {
        gr_contact_free(h->unit[i]);
        gr_model_free(h->part[i]);
    }
    gr_data_free(h->d);
    gr_model_free(h->m);
}

static void command(const GrModel *m, GrData *d, double time)
{
    for (int i = 0; i < m->joint_count; i++) {
        if (m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(m, d, i, 0.5);
        } else if (m->joint_roles[i] == GR_ROLE_STEER) {
            gr_data_set_command(m, d, i, time > 20 ? 0.05 : 0);
        }
    }
}

/// Drives both for a minute. The rover has the soil itself; the host knows it through its units alone.
static void compare_drives(GrSoilLaw law, GrRutsKind ruts, bool level, double seconds)
{
    GrRoverDef rover;
    load_rover("exomars_like", &rover);
    assert_int_equal(rover.wheel_count, WHEELS);
    GrSoilDef soil = gr_default_soil_def();
    soil.law = law;
    soil.damping = 500;
    const GrOptions options = options_on(&soil, ruts, level);
    GrData *d;
    GrModel *m = make_model(&rover, &options, &d);
    gr_data_set_base_pose(d, (GrPose){{0, 0, HEIGHT}, {1, 0, 0, 0}});
    if (level) { // the rover and each unit at rest; on a slope the rover would have mobilised shear
        assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    }
    Host h = {0};
    host_make(&h, &rover, &options, d, level, gr_soil_law_name(law));
    double apart = 0, moved = 0;
    const GrVec3 start = gr_data_base_pose(d).position;
    for (int i = 0; i < (int)(seconds / STEP + 0.5); i++) {
        command(m, d, i * STEP);
        command(h.m, h.d, i * STEP);
        assert_int_equal(gr_step(m, d), GR_OK);
        host_step(&h);
        apart = fmax(apart, gr_norm(gr_sub(gr_data_base_pose(d).position, gr_data_base_pose(h.d).position)));
        moved = gr_norm(gr_sub(gr_data_base_pose(d).position, start));
    }
    print_message("%s, ruts %d: %.3f m driven, at most %.3g m apart\n", gr_soil_law_name(law), (int)ruts, moved, apart);
    assert_true(moved > 0.02 * seconds);
    assert_true(apart < 1e-4);
    if (ruts != GR_RUTS_NONE) { // the ground of the units has the ruts of the rover's
        const GrRuts *a = gr_data_ruts(d), *b = gr_contact_ruts(h.unit[0]);
        assert_ptr_equal(b, gr_contact_ruts(h.unit[5]));
        assert_near(gr_ruts_volume(b), gr_ruts_volume(a), 0.01 * fabs(gr_ruts_volume(a)));
        assert_true(gr_ruts_volume(a) < 0);
    }
    host_free(&h);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

static void test_drive(void **state)
{
    (void)state;
    compare_drives(GR_SOIL_WONG_REECE, GR_RUTS_NONE, false, 60);
}

static void test_drive_in_ruts(void **state)
{
    (void)state;
    compare_drives(GR_SOIL_WONG_REECE, GR_RUTS_SCM, false, 60);
}

static void test_drive_on_grid(void **state)
{
    (void)state;
    compare_drives(GR_SOIL_SCM, GR_RUTS_SCM, true, GR_TEST_LONG(60, 5));
}

/// The rover of a scenario, advanced as by grouser run: placed, steered by its script, belly and legs as they are.
static void compare_run(const char *soil, double seconds)
{
    char soil_change[64], length[32];
    snprintf(soil_change, sizeof soil_change, "soil=%s", soil);
    snprintf(length, sizeof length, "stop.time_s=%g", seconds + 1);
    const char *const overrides[] = {
        "rover=exomars_like",
        soil_change,
        "gravity=mars",
        "step={pace: fixed, step_ms: 5}",
        length,
        "drive={script: [{time_s: 0, mode: double_ackermann, speed_mps: 0.06}, "
        "{time_s: 20, mode: double_ackermann, speed_mps: 0.06, curvature_per_m: 0.15}]}",
        NULL,
    };
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrErrorLog log = {0};
    assert_int_equal(gr_scenario_load("gradeability", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    GrData *d = gr_mission_data(world->mission);
    GrOptions options = world->model->options;
    options.step = STEP;
    options.surface.soil = world->soils; // a model forgets what it has prepared
    Host h = {0};
    host_make(&h, &scenario->rover, &options, d, true, soil);
    double apart = 0;
    const GrVec3 start = gr_data_base_pose(d).position;
    for (int i = 1; i <= (int)(seconds / STEP + 0.5); i++) {
        assert_int_equal(gr_mission_advance(world->mission, i * STEP), GR_OUTCOME_RUNNING);
        memcpy(h.d->tree.command, d->tree.command, sizeof(double) * (size_t)h.m->tree.body_count); // of this step
        host_step(&h);
        apart = fmax(apart, gr_norm(gr_sub(gr_data_base_pose(d).position, gr_data_base_pose(h.d).position)));
    }
    const double moved = gr_norm(gr_sub(gr_data_base_pose(d).position, start));
    print_message("%s, a scenario: %.3f m driven, at most %.3g m apart\n", soil, moved, apart);
    assert_true(moved > 0.02 * seconds);
    assert_true(apart < 1e-4);
    host_free(&h);
    gr_world_free(world);
    gr_scenario_free(scenario);
}

static void test_scenario(void **state)
{
    (void)state;
    compare_run("ishigami2007", 60);
    compare_run("{use: ishigami2007, set: {law: scm}}", GR_TEST_LONG(60, 5));
}

// ---- one wheel

typedef struct One {
    GrRoverDef rover, part;
    GrModel *m;
    GrContact *unit;
} One;

static One make_one(const GrOptions *options, const char *ground)
{
    One one;
    GrErrorLog log = {0};
    load_rover("exomars_like", &one.rover);
    assert_int_equal(gr_contact_part(&one.rover, one.rover.wheels[0].name, &one.part, &log), GR_OK);
    assert_int_equal(gr_model_create(&one.part, options, &one.m, &log), GR_OK);
    assert_int_equal(gr_contact_create(one.m, ground, &one.unit, &log), GR_OK);
    return one;
}

static void free_one(One *one)
{
    gr_contact_free(one->unit);
    gr_model_free(one->m);
    gr_rover_free(&one->part);
    gr_rover_free(&one->rover);
}

/// The body that carries a wheel in a unit has no place in the rover: beside the wheel, nothing presses soil or touches
/// rock.
static void test_wheel_alone(void **state)
{
    (void)state;
    GrSceneDef scene = gr_default_scene_def();
    GrPartDef block = gr_default_part_def();
    block.shape.kind = GR_SHAPE_BOX;
    block.shape.size = gr_vec3(1, 1, 0.1);
    gr_scene_add_part(&scene, &block);
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    GrOptions options = options_on(&soil, GR_RUTS_SCM, true);
    options.surface.bodies_press = true;
    options.surface.scene = &scene;
    One one = make_one(&options, NULL);
    assert_int_equal(one.m->soil_shape_count, 0);
    assert_int_equal(one.m->rigid.world->shape_count, 2); // the wheel and the block
    free_one(&one);
    gr_scene_def_free(&scene);
}

/// A wheel 2 cm deep that drives along x at a slip of 0.2.
static GrPartMotion rolling(const One *one, double time)
{
    const double r = one->part.wheels[0].radius, speed = 0.1, rate = speed / (0.8 * r), angle = rate * time;
    return (GrPartMotion){.pose = {{speed * time, 0, r - 0.02}, gr_quat_axis_angle(gr_vec3(0, 1, 0), angle)},
                          .linear = {speed, 0, 0},
                          .angular = {0, rate, 0},
                          .angle = angle};
}

static GrPartForce roll(const One *one, int from, int to)
{
    GrPartForce force = {0};
    for (int i = from; i < to; i++) {
        const GrPartMotion at = rolling(one, i * STEP), end = rolling(one, (i + 1) * STEP);
        assert_int_equal(gr_contact_evaluate(one->unit, &at, STEP, &force), GR_OK);
        assert_int_equal(gr_contact_accept(one->unit, &end, STEP), GR_OK);
    }
    return force;
}

static GrOptions level_options(const GrSoilDef *soil, GrRutsKind ruts, GrIntegrator integrator)
{
    GrOptions options = options_on(soil, ruts, true);
    options.integrator = integrator;
    return options;
}

/// The derivatives are those of the wrench at the end of the step, by its twist.
static void test_derivatives(void **state)
{
    (void)state;
    const double small = 1e-6;
    const GrSoilDef soil = gr_default_soil_def();
    const GrOptions options = level_options(&soil, GR_RUTS_NONE, GR_INTEGRATOR_LINEAR);
    One one = make_one(&options, NULL);
    roll(&one, 0, 200);
    const GrPartMotion at = rolling(&one, 1);
    GrPartForce here;
    assert_int_equal(gr_contact_evaluate(one.unit, &at, STEP, &here), GR_OK);
    for (int j = 0; j < 6; j++) {
        GrPartForce sides[2];
        for (int k = 0; k < 2; k++) {
            GrPartMotion moved = at;
            double *const parts[6] = {&moved.angular.x, &moved.angular.y, &moved.angular.z,
                                      &moved.linear.x,  &moved.linear.y,  &moved.linear.z};
            *parts[j] += k == 0 ? -small : small;
            assert_int_equal(gr_contact_evaluate(one.unit, &moved, STEP, &sides[k]), GR_OK);
        }
        const double rise[6] = {sides[1].moment.x - sides[0].moment.x, sides[1].moment.y - sides[0].moment.y,
                                sides[1].moment.z - sides[0].moment.z, sides[1].force.x - sides[0].force.x,
                                sides[1].force.y - sides[0].force.y,   sides[1].force.z - sides[0].force.z};
        for (int i = 3; i < 6; i++) { // slip and its memory advance with the step's end: they are in no derivative
            if (j != 4 && j != 0) {
                assert_near(here.derivative[6 * i + j], rise[i] / (2 * small), 2e-2 * fabs(here.derivative[6 * 5 + 5]));
            }
        }
    }
    assert_true(here.derivative[6 * 5 + 5] < -1000 * STEP); // sinking deeper carries more
    free_one(&one);
}

/// A host of instants that evaluates at the end of short steps comes to the forces of a host of steps.
static void test_instants(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrPartForce last[2];
    for (int k = 0; k < 2; k++) {
        const GrOptions options =
            level_options(&soil, GR_RUTS_NONE, k == 0 ? GR_INTEGRATOR_LINEAR : GR_INTEGRATOR_BEEMAN);
        One one = make_one(&options, NULL);
        last[k] = roll(&one, 0, 400);
        free_one(&one);
    }
    print_message("load %.2f and %.2f N, pull %.2f and %.2f N\n", last[0].force.z, last[1].force.z, last[0].force.x,
                  last[1].force.x);
    assert_true(last[0].force.z > 10);
    assert_near(last[1].force.z, last[0].force.z, 0.01 * last[0].force.z);
    assert_near(last[1].force.x, last[0].force.x, 0.01 * last[0].force.z);
    assert_int_equal(last[0].events, 2);
    assert_true(last[0].event[0] > 0 && last[0].depth > 0.019);
}

/// A restored unit goes on with the same bits, its ruts included.
static void test_restore(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    const GrOptions options = level_options(&soil, GR_RUTS_SCM, GR_INTEGRATOR_LINEAR);
    One one = make_one(&options, NULL);
    roll(&one, 0, 100);
    const size_t size = gr_contact_size(one.unit);
    void *saved = malloc(size);
    assert_int_equal(gr_contact_save(one.unit, saved), GR_OK);
    const GrPartForce first = roll(&one, 100, 200);
    const uint64_t hash = gr_contact_hash(one.unit);
    GrErrorLog log = {0};
    assert_int_equal(gr_contact_restore(one.unit, saved, size, &log), GR_OK);
    assert_near(gr_contact_time(one.unit), 100 * STEP, 1e-12);
    assert_true(gr_contact_hash(one.unit) != hash);
    const GrPartForce again = roll(&one, 100, 200);
    assert_memory_equal(&first.force, &again.force, sizeof first.force);
    assert_true(gr_contact_hash(one.unit) == hash);
    assert_int_not_equal(gr_contact_restore(one.unit, saved, size - 1, &log), GR_OK);
    free(saved);
    free_one(&one);
}

/// The second unit in the track of the first finds its rut; alone on a ground of its own it does not.
static void test_shared_ground(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = level_options(&soil, GR_RUTS_SCM, GR_INTEGRATOR_LINEAR);
    One first = make_one(&options, "track"), second = make_one(&options, "track"), alone = make_one(&options, "other");
    roll(&first, 0, 400);
    const double behind = roll(&second, 0, 200).force.z, fresh = roll(&alone, 0, 200).force.z;
    print_message("load %.1f N in the rut, %.1f N beside it\n", behind, fresh);
    assert_true(behind < 0.9 * fresh);
    options.surface.rut_cell = 0.03;
    GrModel *m = NULL;
    GrContact *unit = NULL;
    GrErrorLog log = {0};
    assert_int_equal(gr_model_create(&first.part, &options, &m, &log), GR_OK);
    assert_int_not_equal(gr_contact_create(m, "track", &unit, &log), GR_OK);
    assert_non_null(strstr(log.items[log.count - 1].text, "rut_cell"));
    gr_model_free(m);
    free_one(&first);
    assert_true(gr_ruts_volume(gr_contact_ruts(second.unit)) < 0); // it remains with the last unit
    free_one(&second);
    options = level_options(&soil, GR_RUTS_SCM, GR_INTEGRATOR_LINEAR);
    One later = make_one(&options, "track");
    assert_true(gr_ruts_volume(gr_contact_ruts(later.unit)) == 0);
    free_one(&later);
    free_one(&alone);
}

/// A foot on soil of the law scm, and on rigid ground; and what is no unit.
static void test_bodies(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    GrRoverDef foot = gr_default_rover_def(), out;
    GrBodyDef body = gr_default_body_def();
    GrShapeDef box = box_of(gr_vec3(0.2, 0.2, 0.1));
    snprintf(body.name, sizeof body.name, "foot");
    body.mass = 5;
    body.inertia = gr_inertia_box(5, box.size);
    assert_true(gr_body_add_shape(&body, &box) >= 0 && gr_rover_add_body(&foot, &body) >= 0);
    GrErrorLog log = {0};
    for (int k = 0; k < 2; k++) {
        GrOptions options = gr_default_options();
        GrSceneDef hard = gr_default_scene_def();
        hard.rigid_ground = true;
        options.surface.soil = k == 0 ? &soil : NULL;
        options.surface.scene = k == 0 ? NULL : &hard;
        GrModel *m = NULL;
        GrContact *unit = NULL;
        GrPartForce force;
        assert_int_equal(gr_model_create(&foot, &options, &m, &log), GR_OK);
        assert_int_equal(log.count, 0); // without wheels no soil of a wheel is warned about
        assert_int_equal(gr_contact_create(m, NULL, &unit, &log), GR_OK);
        const GrPartMotion above = {.pose = {{0, 0, 0.051}, {1, 0, 0, 0}}},
                           in = {.pose = {{0, 0, 0.049}, {1, 0, 0, 0}}};
        assert_int_equal(gr_contact_evaluate(unit, &above, 1e-3, &force), GR_OK);
        assert_true(force.force.z == 0 && force.body.contacts == 0);
        assert_int_equal(gr_contact_evaluate(unit, &in, 1e-3, &force), GR_OK);
        assert_true(force.force.z > 1 && force.body.contacts > 0);
        assert_near(force.moment.x, 0, 1e-6 * force.force.z);
        gr_contact_free(unit);
        gr_model_free(m);
    }
    assert_int_not_equal(gr_contact_part(&foot, "fot", &out, &log), GR_OK);
    assert_non_null(strstr(log.items[log.count - 1].text, "'foot'"));
    gr_rover_free(&foot);
    GrRoverDef rover;
    GrModel *m = NULL;
    GrContact *unit = NULL;
    load_rover("exomars_like", &rover);
    assert_int_equal(gr_model_create(&rover, NULL, &m, &log), GR_OK);
    assert_int_not_equal(gr_contact_create(m, NULL, &unit, &log), GR_OK);
    assert_null(unit);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drive),    cmocka_unit_test(test_drive_in_ruts), cmocka_unit_test(test_drive_on_grid),
        cmocka_unit_test(test_scenario), cmocka_unit_test(test_wheel_alone),   cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_instants), cmocka_unit_test(test_restore),       cmocka_unit_test(test_shared_ground),
        cmocka_unit_test(test_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
