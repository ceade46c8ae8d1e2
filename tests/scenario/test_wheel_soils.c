/// Soils and laws of single wheels, and soil maps, from a scenario to forces.
#include "grouser/run.h"

#include "model_data.h"
#include "rig.h"
#include "scenario_data.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char HEAD[] = "rover: curiosity_like\nsoil: ishigami2007\ngravity: mars\n"
                           "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.1}]}\n"
                           "stop: {time_s: 40}\n";

/// One law a wheel.
static const char LAWS[] = "wheel_soils:\n"
                           "  wheel_front_left: {law: bekker}\n"
                           "  wheel_rear_left: {law: ding}\n"
                           "  wheel_middle_left: {law: chaikin}\n"
                           "  wheel_front_right: {law: rheological}\n"
                           "  wheel_rear_right: {use: dlr_d2, law: double_spring, set: {phi: 33}}\n";

typedef struct Place {
    GrScenario *scenario;
    GrWorld *world;
} Place;

static void make(const char *tail, const char *const *overrides, Place *out)
{
    char path[64];
    GrErrorLog log = {0};
    snprintf(path, sizeof path, "wheel_soils_%d.yaml", (int)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s", HEAD, tail);
    fclose(file);
    const GrStatus status = gr_scenario_load(path, overrides, &out->scenario, &log);
    unlink(path);
    if (log.count > 0) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    assert_int_equal(gr_world_create(out->scenario, &out->world, &log), GR_OK);
}

static void destroy(Place *place)
{
    gr_world_free(place->world);
    gr_scenario_free(place->scenario);
}

/// side_bulldozing: mesh from a file acts on every wheel of a rover: across, by sin β of the passive pressure
/// γ z N + 2 c √N over the sunk part of the wheel's side.
static void test_side_mesh(void **state)
{
    (void)state;
    static const char *const with[] = {"soil:side_bulldozing=mesh", NULL};
    Place plain, meshed;
    make("", NULL, &plain);
    make("", with, &meshed);
    const double h = 0.02, beta = 0.3;
    for (int i = 0; i < gr_model_wheel_count(plain.world->model); i++) {
        const GrSoilWheel *w = &meshed.world->model->soil_wheels[i];
        const double n = w->passive, gamma = -w->soil.density * meshed.scenario->gravity.z, r = w->radius;
        double wall = 0;
        const int strips = 20000;
        for (int k = 0; k < strips; k++) {
            const double z = h * (k + 0.5) / strips, level = r - h + z;
            wall += (gamma * z * n + 2 * w->soil.cohesion * sqrt(n)) * 2 * sqrt(r * r - level * level) * h / strips;
        }
        GrSoilSteady a, b;
        gr_soil_steady(&plain.world->model->soil_wheels[i], 0.1, beta, h, 0, &a);
        gr_soil_steady(w, 0.1, beta, h, 0, &b);
        print_message("wheel %d: side force %.3f N, with its side wall %.3f N\n", i, a.f_y, b.f_y);
        assert_near_rel(b.f_y - a.f_y, wall * sin(beta), 1e-5);
        assert_near_rel(b.f_x, a.f_x, 1e-12);
    }
    destroy(&plain);
    destroy(&meshed);
}

/// Every wheel of a driving rover carries and pulls as a single wheel on its soil, with its law, does.
static void test_single_wheel(void **state)
{
    (void)state;
    Place place;
    make(LAWS, NULL, &place);
    assert_int_equal(gr_mission_advance(place.world->mission, 40), GR_OUTCOME_FINISHED);
    const GrData *d = gr_mission_data(place.world->mission);
    unsigned laws = 0;
    for (int i = 0; i < gr_model_wheel_count(place.world->model); i++) {
        const GrWheelView view = gr_data_wheel(place.world->model, d, i);
        const GrWheelDef *wheel = &place.scenario->rover.wheels[i];
        GrRigDef def = gr_default_rig_def();
        GrRig rig;
        GrRigPoint point;
        def.soil = place.world->soils[view.soil];
        def.wheel.radius = wheel->radius;
        def.wheel.width = wheel->width;
        def.wheel.grouser_count = wheel->grouser_count;
        def.wheel.grouser_height = wheel->grouser_height;
        def.wheel.grouser_thickness = wheel->grouser_thickness;
        def.wheel.gravity = 3.72076;
        def.load = view.force.z;
        laws |= 1u << def.soil.law;
        assert_int_equal(gr_rig_make(&def, &rig, NULL), GR_OK);
        assert_int_equal(gr_rig_point(&rig, view.slip, view.slip_angle, &point), GR_OK);
        print_message("%s on %s, %s: sinkage %.5f m (single wheel %.5f), f_x %.3f N (%.3f), torque %.3f Nm (%.3f)\n",
                      wheel->name, def.soil.name, gr_soil_law_name(def.soil.law), view.sinkage, point.sinkage,
                      view.force.x, point.f_x, view.torque, point.torque);
        assert_near_rel(view.sinkage, point.sinkage, 1e-3);
        if (def.soil.law == GR_SOIL_RHEOLOGICAL ||
            def.soil.law == GR_SOIL_DOUBLE_SPRING) { // dry friction: holds up to its strength
            assert_true(fabs(view.force.x) <= fabs(point.f_x));
            continue;
        }
        assert_near(view.force.x, point.f_x, 2e-3 * def.load);
        assert_near(view.torque, point.torque, 2e-3 * def.load * wheel->radius);
    }
    assert_int_equal(__builtin_popcount(laws), 6);
    destroy(&place);
}

/// Laws of unlike state sizes side by side: saved, restored, and the same bits.
static void test_save(void **state)
{
    (void)state;
    Place a, b;
    make(LAWS, NULL, &a);
    make(LAWS, NULL, &b);
    gr_mission_advance(a.world->mission, 3);
    const size_t size = gr_mission_size(a.world->mission);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(gr_mission_save(a.world->mission, saved), GR_OK);
    assert_int_equal(gr_mission_restore(b.world->mission, saved, size, NULL), GR_OK);
    free(saved);
    gr_mission_advance(a.world->mission, 6);
    gr_mission_advance(b.world->mission, 6);
    assert_true(gr_data_hash(a.world->model, gr_mission_data(a.world->mission)) ==
                gr_data_hash(b.world->model, gr_mission_data(b.world->mission)));
    destroy(&a);
    destroy(&b);
}

/// Wheels with the same soil share it; those without have the one of the place.
static void test_indices(void **state)
{
    (void)state;
    Place place;
    make("wheel_soils: {wheel_front_left: dlr_d2, wheel_front_right: dlr_d2, wheel_rear_left: {use: dlr_d2, law: "
         "ding}}\n",
         NULL, &place);
    assert_int_equal(place.world->soil_count, 3);
    assert_int_equal(place.world->wheel_soil[0], place.world->wheel_soil[1]);
    assert_int_equal(place.world->soils[1].law, GR_SOIL_WONG_REECE);
    assert_int_equal(place.world->soils[2].law, GR_SOIL_DING);
    assert_int_equal(gr_data_wheel(place.world->model, gr_mission_data(place.world->mission), 5).soil, 0);
    destroy(&place);
}

/// Soils of the map apply where its rules match, and the scenario's soil elsewhere. A soil assigned to a wheel
/// overrides both. A law named by the scenario applies to all soils that name none.
static void test_soil_map(void **state)
{
    (void)state;
    static const char MAP[] = "terrain: {size_m: 40, add: [step: {height_m: 0.1}]}\n"
                              "soil_map: {rules: ['mars_dlr_drift: height_m>0.05'], border_m: 0}\n"
                              "wheel_soils: {wheel_rear_left: dlr_d2, wheel_rear_right: {use: dlr_d2, law: chaikin}}\n";
    static const char *const high[] = {"start={x_m: 8, heading_deg: 0}", NULL},
                             *const low[] = {"start={x_m: -8, heading_deg: 180}", "soil={use: ishigami2007, law: ding}",
                                             NULL};
    Place place;
    make(MAP, high, &place);
    GrData *d = gr_mission_data(place.world->mission);
    const GrSoilDef *soils = place.world->soils;
    assert_string_equal(soils[gr_data_wheel(place.world->model, d, 0).soil].name, "mars_dlr_drift");
    assert_string_equal(soils[gr_data_wheel(place.world->model, d, 2).soil].name, "dlr_d2");
    assert_int_equal(soils[gr_data_wheel(place.world->model, d, 3).soil].law, GR_SOIL_CHAIKIN);
    destroy(&place);
    make(MAP, low, &place);
    d = gr_mission_data(place.world->mission);
    soils = place.world->soils;
    assert_string_equal(soils[gr_data_wheel(place.world->model, d, 0).soil].name, "ishigami2007");
    assert_int_equal(soils[0].law, GR_SOIL_DING);
    assert_int_equal(soils[1].law, GR_SOIL_DING); // of the map
    assert_int_equal(soils[gr_data_wheel(place.world->model, d, 2).soil].law, GR_SOIL_DING);
    assert_int_equal(soils[gr_data_wheel(place.world->model, d, 3).soil].law, GR_SOIL_CHAIKIN);
    destroy(&place);
}

/// A rover at rest: sum of the loads of all wheels over the weight. Settling ends within this share of the weight.
static const double REST = 1e-3;

static double weight_of(const Place *place)
{
    double mass = 0;
    for (int i = 0; i < place->scenario->rover.body_count; i++) {
        mass += place->scenario->rover.bodies[i].mass;
    }
    return -mass * place->scenario->gravity.z;
}

/// Parks the rover for a while; loads and sinkages of the wheels at the end. Returns the sum of the loads.
static double park(Place *place, double *loads, double *sinkages)
{
    static const double TIME = 5; // [s]
    double sum = 0;
    GrSample sample = {0};
    assert_true(gr_sample_init(place->world->model, place->world->rocks.count, &sample));
    assert_int_equal(gr_mission_advance(place->world->mission, TIME), GR_OUTCOME_RUNNING);
    gr_mission_sample(place->world->mission, &sample);
    for (int i = 0; i < gr_model_wheel_count(place->world->model); i++) {
        loads[i] = sample.wheels[i].load;
        sinkages[i] = sample.wheels[i].sinkage;
        sum += loads[i];
    }
    gr_sample_free(&sample);
    return sum;
}

/// One wheel on rigid ground: it carries load and does not sink, the others sink, and together they carry the weight.
static void test_one_rigid(void **state)
{
    (void)state;
    static const char *const parked[] = {"drive={script: [{time_s: 0, mode: stop}]}", NULL};
    double loads[GR_DRIVE_WHEELS_MAX], sinkages[GR_DRIVE_WHEELS_MAX];
    Place place;
    make("wheel_soils: {wheel_front_left: none}\n", parked, &place);
    assert_near_rel(park(&place, loads, sinkages), weight_of(&place), REST);
    for (int i = 0; i < gr_model_wheel_count(place.world->model); i++) {
        const bool rigid = strcmp(place.scenario->rover.wheels[i].name, "wheel_front_left") == 0;
        print_message("%s: load %.2f N, sinkage %.5f m\n", place.scenario->rover.wheels[i].name, loads[i], sinkages[i]);
        assert_true(loads[i] > 0);
        assert_true(rigid ? sinkages[i] == 0 : sinkages[i] > 0);
    }
    destroy(&place);
}

/// All wheels on rigid ground carry what they carry where there is no soil.
static void test_all_rigid(void **state)
{
    (void)state;
    static const char *const hard[] = {"drive={script: [{time_s: 0, mode: stop}]}", "soil=none", NULL};
    double loads[2][GR_DRIVE_WHEELS_MAX], sinkages[GR_DRIVE_WHEELS_MAX];
    Place none, rigid;
    make("wheel_soils: {wheel_front_left: none, wheel_middle_left: none, wheel_rear_left: none, "
         "wheel_front_right: none, wheel_middle_right: none, wheel_rear_right: none}\n",
         (const char *const[]){hard[0], NULL}, &rigid);
    make("", hard, &none);
    park(&rigid, loads[0], sinkages);
    assert_near_rel(park(&none, loads[1], sinkages), weight_of(&none), REST);
    for (int i = 0; i < gr_model_wheel_count(none.world->model); i++) {
        assert_near_rel(loads[0][i], loads[1][i], REST);
    }
    destroy(&none);
    destroy(&rigid);
}

/// Position of a wheel along x and the distance that its rim has rolled.
static void note_wheel(Place *place, double *x, double *rolled)
{
    const GrModel *m = place->world->model;
    const GrData *d = gr_mission_data(place->world->mission);
    const GrWheelDef *wheel = &place->scenario->rover.wheels[0];
    const int joint = gr_model_find_joint(m, wheel->name);
    *x = gr_data_body_pose(m, d, wheel->body).position.x;
    *rolled = gr_data_joint_position(m, d, joint) * (wheel->radius + wheel->grouser_height);
}

/// While driving, a wheel on rigid ground reports its slip. Its magnitude depends on the other wheels. In every case it
/// must equal 1 − distance of the hub / distance rolled by the rim.
static void test_rigid_slip(void **state)
{
    (void)state;
    static const double SLIP = 2e-4; // it changes by less in these five seconds
    Place place;
    double x[2], rolled[2];
    make("wheel_soils: {wheel_front_left: none}\n", NULL, &place);
    gr_mission_advance(place.world->mission, 10);
    const GrWheelView rigid = gr_data_wheel(place.world->model, gr_mission_data(place.world->mission), 0);
    assert_string_equal(place.scenario->rover.wheels[0].name, "wheel_front_left");
    assert_int_equal(rigid.soil, -1);
    assert_true(rigid.rock_contacts > 0);
    note_wheel(&place, &x[0], &rolled[0]);
    gr_mission_advance(place.world->mission, 15);
    note_wheel(&place, &x[1], &rolled[1]);
    const double slip = 1 - (x[1] - x[0]) / fabs(rolled[1] - rolled[0]);
    print_message("slip %.5f, by the ways of hub and rim %.5f\n", rigid.slip, slip);
    assert_near(rigid.slip, slip, SLIP);
    destroy(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_mesh), cmocka_unit_test(test_single_wheel), cmocka_unit_test(test_save),
        cmocka_unit_test(test_indices),   cmocka_unit_test(test_soil_map),     cmocka_unit_test(test_one_rigid),
        cmocka_unit_test(test_all_rigid), cmocka_unit_test(test_rigid_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
