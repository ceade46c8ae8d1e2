/// Every shipped rover comes to rest on level ground with every law and soil, within a bounded search.
///
///     sim_test_settles          a part of all
///     sim_test_settles all      all shipped rovers on all shipped soils by all laws (make nightly)
///
/// The stiffest shipped soils are clays with an exponent of sinkage of 0.11 to 0.2: Bekker's curve begins vertically, a
/// light wheel sinks by less than one cell of the deformable grid, and only one row of nodes is in contact. At rest the
/// soil bears the rover's weight; that is the reference.
#include "data.h"
#include "dynamics.h"
#include "forces.h"
#include "grouser/mission.h"
#include "grouser/soil_file.h"
#include "shipped.h"
#include "solve.h"
#include "support/shipped_rover.h"
#include "support/wheel_train.h"
#include "test.h"

#include <stdlib.h>
#include <time.h>

static const double MOON = 1.62, MARS = 3.71; // [m/s²]
static const double BALANCE = 1e-6;           // of the weight: a thousand times what an equilibrium is found to
static const double FALLEN_BALANCE = 0.01;    // where the search fails: not quite at rest after a fall
static const double LONGEST = 60;             // [s] of processor time, for the search twice and the fall
enum { MOST_ITERATIONS = 400 };               // a second or two of a six-wheeled rover on the grid

/// Loads at rest over the weight of a rover that a mission has dropped into its place; 0 where it gave up.
static double borne_by_fall(const GrModel *m, double weight)
{
    const GrMissionDef def = gr_default_mission_def();
    const GrStart start = {0};
    GrMission *mission = NULL;
    gr_mission_create(m, NULL, &def, &mission, NULL);
    double load = 0;
    if (mission != NULL && gr_mission_place(mission, &start, NULL) == GR_OK) {
        for (int i = 0; i < m->wheel_count; i++) {
            load += gr_data_wheel(m, gr_mission_data(mission), i).world_force.z;
        }
    }
    gr_mission_free(mission);
    return load / weight;
}

/// Height of the lowest point of the wheels over the origin of the chassis [m].
static double lowest_wheel(const GrRoverDef *rover, const GrModel *m, GrData *d)
{
    double lowest = 0;
    gr_forward(m, d);
    for (int i = 0; i < m->wheel_count; i++) {
        const GrPose pose = gr_data_body_pose(m, d, rover->wheels[i].body);
        lowest = fmin(lowest, pose.position.z - rover->wheels[i].radius - rover->wheels[i].grouser_height);
    }
    return lowest;
}

/// Whether the rover finds its rest, by the search or by a fall, soon, and is borne by the soil.
static bool settles(const char *name, const char *soil_name, GrSoilLaw law, double gravity)
{
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    GrData *d;
    load_rover(name, &rover);
    assert_int_equal(gr_soil_load(soil_name, NULL, &soil, NULL, NULL), GR_OK);
    soil.law = law;
    options.gravity = gr_vec3(0, 0, -gravity);
    options.surface.soil = &soil;
    GrErrorLog log = {0};
    GrModel *m = NULL;
    if (gr_model_create(&rover, &options, &m, &log) !=
        GR_OK) { // narrower than the plates that a soil was measured with
        print_message("%s, %s: %s\n", name, soil_name, log.items[0].text);
        gr_rover_free(&rover);
        return true;
    }
    gr_data_create(m, &d, NULL);
    double mass = 0, load = 0;
    gr_data_set_base_pose(d, (GrPose){{0, 0, -lowest_wheel(&rover, m, d)}, {1, 0, 0, 0}});
    GrEquilibrium rest;
    const clock_t start = clock();
    const GrStatus status = gr_settle(m, d, &rest, NULL);
    const double time = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (int b = 0; b < m->tree.body_count; b++) {
        mass += m->tree.bodies[b].mass;
    }
    for (int i = 0; i < m->wheel_count; i++) {
        load += gr_data_wheel(m, d, i).world_force.z;
    }
    const double weight = mass * gravity;
    bool good = status == GR_OK && rest.iterations <= MOST_ITERATIONS && fabs(load / weight - 1) <= BALANCE;
    if (!good) {
        const double borne = borne_by_fall(m, weight), all = (double)(clock() - start) / CLOCKS_PER_SEC;
        print_message("%s on %s, law %s: %d iterations in %.1f s bear %.7g of the weight, a fall of %.1f s %.4g\n",
                      name, soil_name, gr_soil_law_name(law), rest.iterations, time, load / weight, all - time, borne);
        good = fabs(borne - 1) <= FALLEN_BALANCE && all < LONGEST;
    }
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
    return good;
}

static void settle(const char *name, const char *soil_name, GrSoilLaw law, double gravity)
{
    assert_true(settles(name, soil_name, law, gravity));
}

/// On the grid: rigid wheels with grousers, a rocker-bogie, flexible wheels.
static void test_stiff_soils_on_the_grid(void **state)
{
    (void)state;
    settle("rashid_like", "wong_heavy_clay_25", GR_SOIL_SCM, MARS);
    settle("rashid_like", "wong_lean_clay_22", GR_SOIL_SCM, MARS);
    settle("curiosity_like", "wong_heavy_clay_40", GR_SOIL_SCM, MARS);
    settle("curiosity_like", "wong_sandy_loam_22", GR_SOIL_SCM, MARS);
    settle("exomars_like", "wong_lean_clay_22", GR_SOIL_SCM, MOON);
    settle("mmx_like", "wong_heavy_clay_25", GR_SOIL_WONG_REECE, MARS);
    settle("el_dorado2", "wong_sandy_loam_22", GR_SOIL_SCM, MARS);
}

static void test_other_laws(void **state)
{
    (void)state;
    static const char *const soils[] = {"wong_heavy_clay_25", "lunar_apollo", "wong_snow_us"};
    for (int i = 0; i < 3; i++) {
        for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
            if (law != GR_SOIL_SCM) {
                settle("rashid_like", soils[i], (GrSoilLaw)law, MARS);
                settle("curiosity_like", soils[i], (GrSoilLaw)law, MARS);
            }
        }
    }
}

/// Waves of rock's size under the wheels.
static bool wavy(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    const double rise = 0.06, k = 2 * acos(-1) / 1.7, q = 2 * acos(-1) / 2.3;
    *height = rise * sin(k * x + 1) * cos(q * y);
    *normal = gr_normalize(gr_vec3(-rise * k * cos(k * x + 1) * cos(q * y), rise * q * sin(k * x + 1) * sin(q * y), 1));
    return true;
}

/// Loads of the wheels at rest on waves [N].
static void loads_on_waves(const GrRoverDef *rover, const char *soil_name, double *loads)
{
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    const GrMissionDef def = gr_default_mission_def();
    const GrStart start = {.heading = 0.4};
    assert_int_equal(gr_soil_load(soil_name, NULL, &soil, NULL, NULL), GR_OK);
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    options.surface.height = wavy;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    GrMission *mission = NULL;
    assert_int_equal(gr_mission_create(m, NULL, &def, &mission, NULL), GR_OK);
    GrErrorLog log = {0};
    if (gr_mission_place(mission, &start, &log) != GR_OK) {
        fail_msg("%s: %s", soil_name, log.items[0].text);
    }
    for (int i = 0; i < m->wheel_count; i++) {
        loads[i] = gr_data_wheel(m, gr_mission_data(mission), i).world_force.z;
    }
    gr_mission_free(mission);
    gr_model_free(m);
}

/// A rocker-bogie with a differential has as many wheels as statics has equations: the loads follow from its geometry
/// and not from the soil, where wheels do not push against each other along the ground. A rover that locks itself in
/// while it sinks into its place has loads that grow apart with the stiffness of the soil, to 1 : 6.
static void test_no_stress_between_wheels(void **state)
{
    (void)state;
    static const double SAME = 0.05; // of the mean load: sinkages of some centimetres in snow tilt the rover
    GrRoverDef rover = gr_default_rover_def();
    double soft[6], stiff[6], weight = 0;
    load_rover("curiosity_like", &rover);
    assert_int_equal(rover.wheel_count, 6);
    loads_on_waves(&rover, "wong_snow_us", soft);
    loads_on_waves(&rover, "wong_heavy_clay_25", stiff);
    for (int i = 0; i < 6; i++) {
        weight += soft[i];
    }
    for (int i = 0; i < 6; i++) {
        print_message("wheel %d: %.1f N on snow, %.1f N on clay\n", i, soft[i], stiff[i]);
        assert_true(fabs(soft[i] - stiff[i]) < SAME * weight / 6);
    }
    gr_rover_free(&rover);
}

/// Waves that count the queries of their height.
static bool counted_wavy(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    ++*(int *)(uintptr_t)context;
    return wavy(NULL, x, y, height, normal);
}

/// The equilibrium is a property of rover, ground and place: a rover put down from different heights comes to rest in
/// the same pose, up to the heading, which changes a little with the order in which it rolls and pitches. The search
/// needs no stiffness by differences, which would cost an evaluation for each coordinate in each of its phases:
/// springs, put down, released, and at least one more on the way.
static void test_rest_is_found_soon(void **state)
{
    (void)state;
    static const double SAME = 1e-6, BALANCED = 1e-9;      // [m], of the weight
    static const double FROM[] = {0.91, 0.97, 1.06, 1.11}; // [m]
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    GrPose first = {0};
    load_rover("curiosity_like", &rover);
    assert_int_equal(gr_soil_load("ishigami2007", NULL, &soil, NULL, NULL), GR_OK);
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    int queries = 0;
    options.surface.height = counted_wavy;
    options.surface.context = &queries;
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, NULL);
    const int most_evaluations = 4 * m->tree.dof_count;
    for (size_t i = 0; i < sizeof FROM / sizeof FROM[0]; i++) {
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        GrEquilibrium rest;
        gr_data_set_base_pose(d, (GrPose){{0, 0, FROM[i]}, gr_quat_exp(gr_vec3(0, 0, 0.4))});
        queries = 0;
        gr_forward(m, d);
        const int once = queries;
        assert_int_equal(gr_settle(m, d, &rest, NULL), GR_OK);
        const int evaluations = queries / once - 1;
        const GrPose pose = gr_data_base_pose(d);
        print_message("from %g m: %d iterations, %d evaluations, residual %.1e, base at %.10g m\n", FROM[i],
                      rest.iterations, evaluations, rest.residual, pose.position.z);
        first = i == 0 ? pose : first;
        assert_true(gr_norm(gr_sub(pose.position, first.position)) < SAME);
        assert_true(rest.residual < BALANCED);
        assert_true(evaluations < most_evaluations);
        gr_data_free(d);
    }
    gr_model_free(m);
    gr_rover_free(&rover);
}

static const double SLOPE = 0.314; // [rad], 18°

static bool inclined(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    (void)y;
    *height = tan(SLOPE) * x;
    *normal = gr_vec3(-sin(SLOPE), 0, cos(SLOPE));
    return true;
}

/// Clay whose cohesion alone holds far more than these rovers weigh carries them on a slope. Wheels sink by
/// micrometres there, less than the step of a numerical difference: the stiffness must come from the law.
static void test_stiff_slope(void **state)
{
    (void)state;
    static const char *const rovers[] = {"rashid_like", "mmx_like", "scout_like"};
    static const double BALANCED = 1e-8; // of the weight
    for (int i = 0; i < 3; i++) {
        GrRoverDef rover = gr_default_rover_def();
        GrSoilDef soil = gr_default_soil_def();
        GrOptions options = gr_default_options();
        load_rover(rovers[i], &rover);
        assert_int_equal(gr_soil_load("wong_heavy_clay_25", NULL, &soil, NULL, NULL), GR_OK);
        options.gravity = gr_vec3(0, 0, -MARS);
        options.surface.soil = &soil;
        options.surface.height = inclined;
        GrModel *m = NULL;
        gr_model_create(&rover, &options, &m, NULL);
        GrData *d = NULL;
        gr_data_create(m, &d, NULL);
        const GrQuat turn = gr_quat_mul(gr_quat_exp(gr_vec3(0, -SLOPE, 0)), gr_quat_exp(gr_vec3(0, 0, 0.4)));
        const double height = -lowest_wheel(&rover, m, d);
        gr_data_set_base_pose(d, (GrPose){gr_vec3(-height * sin(SLOPE), 0, height * cos(SLOPE)), turn});
        GrEquilibrium rest;
        const GrStatus status = gr_settle(m, d, &rest, NULL);
        print_message("%s: %d iterations, residual %.1e\n", rovers[i], rest.iterations, rest.residual);
        assert_int_equal(status, GR_OK);
        assert_true(rest.residual < BALANCED);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

/// A rover on the deformable grid, level or with waves. Returns the evaluations of its forces until it rests.
static int evaluations_on_grid(const GrRoverDef *rover, bool waves)
{
    static const double BALANCED = 1e-9; // of the weight
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    soil.law = GR_SOIL_SCM;
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    options.surface.height = waves ? wavy : NULL;
    GrData *d;
    GrModel *m = make_model(rover, &options, &d);
    const double above = waves ? 0.06 : 0;
    GrEquilibrium rest;
    gr_data_set_base_pose(d, (GrPose){{0, 0, above - lowest_wheel(rover, m, d)}, gr_quat_exp(gr_vec3(0, 0, 0.4))});
    assert_int_equal(gr_settle(m, d, &rest, NULL), GR_OK);
    print_message("%d wheels, %s grid: %d iterations, %d evaluations, residual %.1e\n", m->wheel_count,
                  waves ? "wavy" : "level", rest.iterations, rest.evaluations, rest.residual);
    assert_true(rest.residual < BALANCED);
    gr_data_free(d);
    gr_model_free(m);
    return rest.evaluations;
}

/// On the grid an evaluation costs a hundred times as much as on a patch. The stiffness comes from the law here too: by
/// differences, the first of these rovers would need 60 evaluations on level ground and 87 on waves, the second 135 and
/// 168. With more wheels there are more coordinates, but not more evaluations.
static void test_rest_on_grid_is_found_soon(void **state)
{
    (void)state;
    static const char *const rovers[] = {"curiosity_like", "exomars_like", "lrv_like"};
    enum { LEVEL = 35, WAVES = 60, FEW_WHEELS = 4, MANY_WHEELS = 16 };
    for (int i = 0; i < 3; i++) {
        GrRoverDef rover = gr_default_rover_def();
        load_rover(rovers[i], &rover);
        assert_in_range(evaluations_on_grid(&rover, false), 1, LEVEL);
        assert_in_range(evaluations_on_grid(&rover, true), 1, WAVES);
        gr_rover_free(&rover);
    }
    GrRoverDef few = gr_make_train(FEW_WHEELS), many = gr_make_train(MANY_WHEELS);
    const int least = evaluations_on_grid(&few, false);
    assert_in_range(evaluations_on_grid(&many, false), 1, 3 * least / 2);
    gr_rover_free(&few);
    gr_rover_free(&many);
}

/// Force and moment on the whole rover, with its chassis moved along one coordinate.
static void force_beside(const GrModel *m, GrData *d, const GrForceField *field, int dof, double step, double force[6])
{
    double *move = calloc((size_t)m->tree.dof_count, sizeof *move);
    const GrPose here = gr_data_base_pose(d);
    move[dof] = 1;
    gr_tree_advance(&m->tree, &d->tree, move, step);
    gr_tree_forward(&m->tree, &d->tree, field, 0, false);
    for (int i = 0; i < 6; i++) {
        force[i] = d->tree.applied[i] - d->tree.bias[i];
    }
    gr_data_set_base_pose(d, here);
    free(move);
}

/// Settles the rover and compares the stiffness by the Jacobians of the grounds with that by differences of forces. It
/// lacks the levers that change as the rover turns, at most its weight times its height. The Jacobians of the grid lack
/// the rotation of the wheel's surface.
static void compare_stiffness(const char *name, const GrOptions *options, bool sliding)
{
    static const double STEP = 1e-6, NEAR = 0.03; // [m, rad]; of the product of both coordinates' own stiffness
    GrRoverDef rover = gr_default_rover_def();
    GrData *d;
    load_rover(name, &rover);
    GrModel *m = make_model(&rover, options, &d);
    GrForces forces = {.m = m, .d = d, .moment = GR_GROUND_REST, .sliding = sliding};
    const GrForceField field = gr_force_field(&forces);
    gr_data_set_base_pose(d, (GrPose){{0, 0, -lowest_wheel(&rover, m, d)}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(m, d, NULL, NULL), GR_OK);
    gr_grounds_clear(m, d);
    gr_grounds_begin_rest(m, d);
    const int n = m->tree.dof_count;
    double *stiffness = calloc((size_t)(n * n), sizeof *stiffness), differences[6][6], worst = 0, weight = 0;
    for (int b = 0; b < m->tree.body_count; b++) {
        weight += m->tree.bodies[b].mass * gr_norm(m->tree.gravity);
    }
    for (int j = 0; j < 6; j++) {
        double more[6], less[6];
        force_beside(m, d, &field, j, STEP, more);
        force_beside(m, d, &field, j, -STEP, less);
        for (int i = 0; i < 6; i++) {
            differences[i][j] = (less[i] - more[i]) / (2 * STEP);
        }
    }
    gr_tree_kinematics(&m->tree, &d->tree);
    assert_true(field.linearise(field.context, &m->tree, &d->tree));
    gr_tree_stiffness(&m->tree, &d->tree, stiffness);
    const int first = sliding ? 2 : 0, end = sliding ? 5 : 6; // sliding, nothing resists along x, y and about z
    for (int i = first; i < end; i++) {
        for (int j = first; j < end; j++) {
            const double unit = sqrt(fabs(differences[i][i] * differences[j][j]));
            const double levers = i >= 3 && j >= 3 ? weight * gr_data_base_pose(d).position.z : 0;
            const double off = fabs(stiffness[i * n + j] - differences[i][j]);
            assert_true(off <= NEAR * unit + levers);
            worst = fmax(worst, off / unit);
        }
    }
    print_message("%s%s: stiffness off by %.2g\n", name, sliding ? ", sliding" : "", worst);
    free(stiffness);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

static void test_stiffness(void **state)
{
    (void)state;
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    compare_stiffness("curiosity_like", &options, false);
    soil.law = GR_SOIL_SCM;
    compare_stiffness("curiosity_like", &options, false);
    compare_stiffness("exomars_like", &options, false);
    GrSceneDef scene = gr_default_scene_def();
    scene.rigid_ground = true;
    options.surface.soil = NULL;
    options.surface.scene = &scene;
    compare_stiffness("curiosity_like", &options, false);
    compare_stiffness("curiosity_like", &options, true);
    gr_scene_def_free(&scene);
}

static void test_all(void **state)
{
    (void)state;
    GrNameList rovers = {0}, soils = {0};
    int count = 0, bad = 0;
    gr_shipped_list("rovers", ".yaml", &rovers, NULL);
    gr_shipped_list("soils", ".yaml", &soils, NULL);
    for (int r = 0; r < rovers.count; r++) {
        for (int s = 0; s < soils.count; s++) {
            GrSoilDef soil;
            assert_int_equal(gr_soil_load(soils.names[s], NULL, &soil, NULL, NULL), GR_OK);
            for (int law = 0; law < GR_SOIL_LAW_COUNT; law++, count++) {
                bad += !settles(rovers.names[r], soils.names[s], (GrSoilLaw)law, MARS);
            }
        }
    }
    print_message("%d of %d do not settle\n", bad, count);
    gr_name_list_free(&rovers);
    gr_name_list_free(&soils);
    assert_int_equal(bad, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(test_all)};
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        return cmocka_run_group_tests(all, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stiff_soils_on_the_grid),
        cmocka_unit_test(test_other_laws),
        cmocka_unit_test(test_no_stress_between_wheels),
        cmocka_unit_test(test_rest_is_found_soon),
        cmocka_unit_test(test_rest_on_grid_is_found_soon),
        cmocka_unit_test(test_stiff_slope),
        cmocka_unit_test(test_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
