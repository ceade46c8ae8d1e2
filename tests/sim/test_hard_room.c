/// Hard contacts at their limits: room for contact points, the names of errors, slip on rock, shapes on wheels.
#include "mission_data.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const double GRAVITY = 9.81;

enum { GR_TEST_WHEELS = 8 };

typedef struct Run {
    GrRoverDef rover;
    GrModel *m;
    GrMission *mission;
} Run;

static Run make(const char *name, const GrSceneDef *scene, const GrMissionDef *def)
{
    Run r = {.rover = gr_default_rover_def()};
    GrErrorLog log = {0};
    load_rover(name, &r.rover);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -GRAVITY);
    options.surface.scene = scene;
    assert_int_equal(gr_model_create(&r.rover, &options, &r.m, &log), GR_OK);
    assert_int_equal(gr_mission_create(r.m, NULL, def, &r.mission, &log), GR_OK);
    return r;
}

static void destroy(Run *r)
{
    gr_mission_free(r->mission);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
}

/// Loose rocks of a shape beside the rover's path.
static GrSceneDef rocks(GrStoneShape shape, int count)
{
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    for (int i = 0; i < count; i++) {
        GrStoneDef stone = gr_default_stone_def();
        stone.shape = shape;
        stone.loose = true;
        stone.diameter = 0.1;
        stone.height = 0.07;
        stone.seed = (uint64_t)i + 1;
        stone.place = gr_vec3(3 + 0.3 * (i % 6), 0.3 * (double)(i / 6), 0);
        gr_scene_add_stone(&scene, &stone);
    }
    return scene;
}

/// In the first long step all rocks sink in by some tenths of a millimetre, with dozens of points of a smooth one.
static void test_room_for_rocks_of_every_shape(void **state)
{
    (void)state;
    static const GrStoneShape SHAPES[] = {GR_STONE_ELLIPSOID, GR_STONE_HULL, GR_STONE_NOISE};
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        GrSceneDef scene = rocks(SHAPES[i], 36);
        GrMissionDef def = gr_default_mission_def();
        def.duration = 0.5;
        def.pace = GR_PACE_FIXED;
        def.step = 0.025;
        Run r = make("rashid_like", &scene, &def);
        gr_scene_def_free(&scene);
        assert_int_equal(gr_mission_place(r.mission, &(GrStart){0}, NULL), GR_OK);
        GrRunSummary summary;
        gr_mission_advance(r.mission, def.duration);
        assert_int_equal(gr_mission_summary(r.mission, &summary, NULL), GR_OK);
        print_message("shape %d: %s\n", (int)SHAPES[i], summary.cause);
        assert_int_equal(summary.outcome, GR_OUTCOME_FINISHED);
        for (int k = 0; k < 36; k++) { // at rest on the ground, not in it: E and weight give micrometres
            assert_true(fabs(gr_data_loose_pose(r.m, gr_mission_data(r.mission), k).position.z - 0.035) < 0.02);
        }
        gr_run_summary_free(&summary);
        destroy(&r);
    }
}

/// Exceeding the contact capacity is reported as such, not as divergence.
static void test_errors_keep_their_names(void **state)
{
    (void)state;
    GrSceneDef scene = rocks(GR_STONE_ELLIPSOID, 12);
    scene.contact_capacity = 20;
    GrMissionDef def = gr_default_mission_def();
    def.pace = GR_PACE_FIXED;
    def.step = 0.025;
    Run r = make("rashid_like", &scene, &def);
    gr_scene_def_free(&scene);
    assert_int_equal(gr_mission_place(r.mission, &(GrStart){0}, NULL), GR_OK);
    GrRunSummary summary;
    gr_mission_advance(r.mission, 1);
    assert_int_equal(gr_mission_summary(r.mission, &summary, NULL), GR_OK);
    print_message("%s: %s\n", gr_outcome_name(summary.outcome), summary.cause);
    assert_int_equal(summary.outcome, GR_OUTCOME_FAILED);
    assert_non_null(strstr(summary.cause, "limits: 20 points"));
    gr_run_summary_free(&summary);
    destroy(&r);
}

static bool level(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)x;
    (void)y;
    *z = *(const double *)context;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

/// A buried mesh: as many points as there is room for carry what all would.
static void test_points_left_out_are_carried(void **state)
{
    (void)state;
    enum { SIDES = 60 };
    GrVec3 corners[2 * SIDES];
    for (int i = 0; i < SIDES; i++) { // a flat prism: 120 corners, half of them at one depth, and 62 faces
        const double angle = 2 * acos(-1) * i / SIDES;
        corners[i] = gr_vec3(cos(angle), sin(angle), -0.1);
        corners[SIDES + i] = gr_vec3(cos(angle), sin(angle), 0.1);
    }
    GrConvexMesh *mesh = gr_convex_mesh_create(corners, 2 * SIDES, NULL);
    assert_non_null(mesh);
    const GrConvex convex = gr_convex_of_mesh(mesh);
    const GrPlacedConvex placed = {&convex, gr_quat_to_mat3((GrQuat){1, 0, 0, 0}), gr_vec3(0, 0, 0)};
    const double height = 0.15; // of the ground: bottom 0.25 below it, middles of the sides 0.15, top 0.05
    GrGroundPoint points[GR_GROUND_POINTS];
    double gap;
    const int count = gr_ground_points(&(GrRigidGround){level, &height}, &placed, points, &gap);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += points[i].weight * pow(points[i].depth, 1.5);
    }
    const double all = (SIDES + 1) * pow(0.25, 1.5) + SIDES * pow(0.15, 1.5) + (SIDES + 1) * pow(0.05, 1.5);
    assert_int_equal(count, GR_GROUND_POINTS);
    assert_near_rel(sum, all, 1e-9);
    gr_convex_mesh_free(mesh);
}

/// On rigid ground the view of a wheel has the slip that is recorded: 1 − v/(ω r) of a wheel that spins.
static void test_slip_on_hard_ground(void **state)
{
    (void)state;
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    scene.materials[0].friction = 0.02;
    GrMissionDef def = gr_default_mission_def();
    const GrScriptEntry script[] = {{.time = 0, .command = {.mode = GR_DRIVE_SKID, .speed = 0.5}}};
    def.control.source = GR_CONTROL_SCRIPT;
    def.control.script = script;
    def.control.script_count = 1;
    def.control.wheel_acceleration = 10; // the friction allows 0.2 m/s²
    Run r = make("rashid_like", &scene, &def);
    gr_scene_def_free(&scene);
    assert_int_equal(gr_mission_place(r.mission, &(GrStart){0}, NULL), GR_OK);
    gr_mission_advance(r.mission, 0.5);
    GrData *d = gr_mission_data(r.mission);
    GrSample sample = {0};
    assert_true(gr_sample_init(r.m, 0, &sample));
    double slips[GR_TEST_WHEELS];
    for (int i = 0; i < r.m->wheel_count; i++) {
        slips[i] = gr_data_wheel(r.m, d, i).slip;
    }
    gr_mission_sample(r.mission, &sample);
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    for (int i = 0; i < r.m->wheel_count; i++) {
        const GrWheelDef *w = &r.rover.wheels[i];
        const double rim =
            gr_joint_velocity(&r.m->tree, &d->tree, r.m->wheels[i].body) * (w->radius + w->grouser_height);
        print_message("slip %g, recorded %g\n", slips[i], sample.wheels[i].slip);
        assert_true(slips[i] > 0.1);
        assert_near(slips[i], sample.wheels[i].slip, 1e-12);
        assert_near(slips[i], 1 - linear.x / fabs(rim), 0.02); // those are of the end of the step
    }
    gr_sample_free(&sample);
    destroy(&r);
}

/// The shapes of a turning wheel's body are its picture: the wheel makes contact. One that reaches beyond the rim would
/// stand on the ground in its place, which is an error with both radii.
static void test_shapes_on_wheels(void **state)
{
    (void)state;
    enum { NONE, INSIDE, HUB, BEYOND, KINDS };
    int driven[KINDS] = {0};
    GrErrorLog log;
    for (int i = 0; i < KINDS; i++) {
        GrRoverDef rover = gr_default_rover_def();
        load_rover("rashid_like", &rover);
        const GrWheelDef *w = &rover.wheels[0];
        GrShapeDef shape = gr_default_shape_def();
        shape.kind = GR_SHAPE_CYLINDER;
        shape.radius = i == BEYOND ? 1.25 * (w->radius + w->grouser_height) : 0.9 * w->radius;
        shape.length = i == HUB ? 3 * w->width : 0.5 * w->width;
        shape.pose = w->pose;
        if (i != NONE) {
            assert_true(gr_body_add_shape(&rover.bodies[w->body], &shape) >= 0);
        }
        GrSceneDef scene = gr_default_scene_def();
        scene.rigid_ground = true;
        GrOptions options = gr_default_options();
        options.surface.scene = &scene;
        log = (GrErrorLog){0};
        GrModel *m = NULL;
        gr_model_create(&rover, &options, &m, &log);
        assert_true((m != NULL) == (i != BEYOND));
        driven[i] = m != NULL ? m->rigid.count : 0;
        if (i == BEYOND) {
            char radius[32], reach[32];
            snprintf(radius, sizeof radius, "%.4g m", w->radius + w->grouser_height);
            snprintf(reach, sizeof reach, "%.4g m", shape.radius);
            print_message("%s: %s\n", log.items[0].field, log.items[0].text);
            assert_int_equal(log.error_count, 1);
            assert_non_null(strstr(log.items[0].text, radius));
            assert_non_null(strstr(log.items[0].text, reach));
            assert_non_null(strstr(log.items[0].field, w->name));
        }
        gr_scene_def_free(&scene);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
    assert_int_equal(driven[INSIDE], driven[NONE]);
    assert_int_equal(driven[HUB], driven[NONE]);
}

static bool warns(const GrMission *mission, const char *part)
{
    GrRunSummary summary;
    bool found = false;
    assert_int_equal(gr_mission_summary(mission, &summary, NULL), GR_OK);
    for (int i = 0; i < summary.warning_count; i++) {
        found = found || strstr(summary.warnings[i].text, part) != NULL;
    }
    gr_run_summary_free(&summary);
    return found;
}

/// A rover on a pillar under its chassis: no wheel touches, and the summary says so. One that drives has no warning.
static void test_wheels_in_the_air_warn(void **state)
{
    (void)state;
    for (int pillar = 0; pillar < 2; pillar++) {
        GrRoverDef rover = gr_default_rover_def();
        load_rover("rashid_like", &rover);
        GrShapeDef shape = gr_default_shape_def();
        shape.size = gr_vec3(0.6, 0.6, 1);
        shape.pose.position = gr_vec3(0, 0, -0.5);
        if (pillar) {
            assert_true(gr_body_add_shape(&rover.bodies[0], &shape) >= 0);
        }
        GrSceneDef scene = gr_default_scene_def();
        scene.rigid_ground = true;
        GrOptions options = gr_default_options();
        options.surface.scene = &scene;
        const GrMissionDef def = gr_default_mission_def();
        GrModel *m = NULL;
        assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
        GrMission *mission = NULL;
        assert_int_equal(gr_mission_create(m, NULL, &def, &mission, NULL), GR_OK);
        assert_int_equal(gr_mission_place(mission, &(GrStart){0}, NULL), GR_OK);
        gr_mission_advance(mission, 0.1);
        assert_true(warns(mission, "no wheel ever touched") == (pillar == 1));
        gr_mission_free(mission);
        gr_model_free(m);
        gr_scene_def_free(&scene);
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_room_for_rocks_of_every_shape),
        cmocka_unit_test(test_errors_keep_their_names),
        cmocka_unit_test(test_points_left_out_are_carried),
        cmocka_unit_test(test_slip_on_hard_ground),
        cmocka_unit_test(test_shapes_on_wheels),
        cmocka_unit_test(test_wheels_in_the_air_warn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
