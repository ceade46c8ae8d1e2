/// Missions: outcomes, energy balance, pace of the steps, saved and restored runs.
#include "grouser/assets.h"
#include "grouser/surface.h"
#include "mission_data.h"
#include "random.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MARS = 3.72076;

typedef struct Scene {
    GrRoverDef rover;
    GrTerrain *terrain;
    GrModel *m;
    GrMission *mission;
} Scene;

/// A rover on a surface of `size` m, made of the terms.
static Scene make(const char *name, const char *const *terms, int count, double size, const GrMissionDef *def)
{
    Scene s = {.rover = gr_default_rover_def()};
    GrErrorLog log = {0};
    load_rover(name, &s.rover);
    GrSoilDef soil = gr_default_soil_def();
    soil.damping = 4000; // a soil that takes up impacts; without, the rover bounces over every edge of a cell
    const GrBox2 box = {-size / 2, -size / 2, size / 2, size / 2};
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    if (count > 0) {
        GrLayerDef layer = gr_default_layer_def();
        const int64_t nodes = (int64_t)(size / 0.25) + 1;
        layer.frame = (GrGridFrame){nodes, nodes, box.x_lower, box.y_lower, 0.25, 0.25};
        gr_terrain_create(&s.terrain, NULL);
        GrSurface *surface = NULL;
        assert_int_equal(gr_surface_create(terms, count, 7, box, &surface, &log), GR_OK);
        assert_int_equal(gr_terrain_add_surface(s.terrain, &layer, surface, &log), GR_OK);
        options.surface = gr_surface_of_terrain(s.terrain, &soil);
    }
    assert_int_equal(gr_model_create(&s.rover, &options, &s.m, &log), GR_OK);
    if (gr_mission_create(s.m, s.terrain, def, &s.mission, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(s.mission);
    return s;
}

static void destroy(Scene *s)
{
    gr_mission_free(s->mission);
    gr_model_free(s->m);
    gr_terrain_free(s->terrain);
    gr_rover_free(&s->rover);
}

static GrMissionDef drive_along(const GrWayPoint *path, int count, double speed)
{
    GrMissionDef def = gr_default_mission_def();
    def.control.source = GR_CONTROL_PATH;
    def.control.path = path;
    def.control.path_count = count;
    def.control.cruise_speed = speed;
    return def;
}

static const char *const HILLS[] = {"fractal:hurst=0.8,rms_m=0.05,lag_m=1,smallest_m=0.5",
                                    "ripples:wavelength_m=12,height_m=0.8"};

static void test_energy(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{20, 3, NAN}, {25, -8, NAN}, {10, -10, NAN}};
    GrMissionDef def = drive_along(path, 3, 0.1);
    def.duration = 600;
    Scene s = make("curiosity_like", HILLS, 2, 80, &def);
    GrRunSummary summary;
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){0}, NULL), GR_OK);
    const double height = gr_data_base_pose(s.mission->d).position.z;
    gr_mission_advance(s.mission, 600);
    assert_int_equal(gr_mission_summary(s.mission, &summary, NULL), GR_OK);
    print_message("%s: %s; %g m, climb %g, descent %g, %ld steps\n", gr_outcome_name(summary.outcome), summary.cause,
                  summary.distance, summary.climb, summary.descent, summary.steps);
    const GrEnergySample *e = &summary.energy;
    print_message("motor %g J, mechanical %g, soil %g, joints %g, residual %g\n", e->motor, e->mechanical, e->soil,
                  e->joints, e->residual);
    assert_int_equal(summary.outcome, GR_OUTCOME_GOAL);
    assert_true(e->motor > 0 && e->soil > 0);
    assert_true(fabs(e->residual) < 0.01 * e->motor);
    // what it climbed less what it came down is where it is; a last rise or fall below 20 mm is not booked yet
    assert_true(summary.climb > 0.5 && summary.descent > 0.5);
    assert_near(summary.climb - summary.descent, gr_data_base_pose(s.mission->d).position.z - height, 0.021);
    for (int i = 0; i < summary.warning_count; i++) {
        print_message("warning: %s (%ld)\n", summary.warnings[i].text, summary.warnings[i].count);
    }
    gr_run_summary_free(&summary);
    destroy(&s);
}

static GrRunSummary run_to_end(Scene *s, const GrStart *start)
{
    GrRunSummary summary;
    GrErrorLog log = {0};
    const GrStatus status = gr_mission_place(s->mission, start, &log);
    if (status != GR_OK) {
        print_error("%s\n", log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    gr_mission_advance(s->mission, INFINITY);
    assert_int_equal(gr_mission_summary(s->mission, &summary, NULL), GR_OK);
    return summary;
}

static void expect(const char *const *terms, int count, const GrMissionDef *def, GrStart start, GrOutcome outcome)
{
    Scene s = make("curiosity_like", terms, count, 40, def);
    GrRunSummary summary = run_to_end(&s, &start);
    print_message("%s after %g s: %s\n", gr_outcome_name(summary.outcome), summary.outcome_time, summary.cause);
    assert_string_equal(gr_outcome_name(summary.outcome), gr_outcome_name(outcome));
    assert_true(summary.cause[0] != '\0');
    assert_near(summary.outcome_time, summary.time, 0);
    assert_int_equal(gr_mission_step(s.mission, INFINITY), outcome); // unchanged after the end
    assert_near(gr_data_time(gr_mission_data(s.mission)), summary.time, 0);
    gr_run_summary_free(&summary);
    destroy(&s);
}

static void test_outcomes(void **state)
{
    (void)state;
    static const GrWayPoint far_ahead[] = {{100, 0, NAN}}, near[] = {{3, 0, NAN}};
    static const char *const flat[] = {"plane:slope_deg=0"}, *const steep[] = {"plane:slope_deg=38"},
                             *const cliff[] = {"step:height_m=-2.5,at_m=3,width_m=1"};
    GrMissionDef def = drive_along(near, 1, 0.1);
    expect(flat, 1, &def, (GrStart){0}, GR_OUTCOME_GOAL);
    def.stop_at_goal = false;
    expect(flat, 1, &def, (GrStart){0}, GR_OUTCOME_FINISHED);
    def = drive_along(far_ahead, 1, 0.1);
    def.duration = 1000;
    expect(steep, 1, &def, (GrStart){0}, GR_OUTCOME_STUCK);
    expect(flat, 1, &def, (GrStart){0}, GR_OUTCOME_LEFT_MAP);
    def.overload = 650;
    expect(HILLS, 2, &def, (GrStart){0}, GR_OUTCOME_OVERLOAD);
    def.overload = INFINITY;
    def.control.cruise_speed = 0.5;
    expect(cliff, 1, &def, (GrStart){0}, GR_OUTCOME_TIPPED);
}

/// A saved mission with a bit, a byte or a stretch of bytes changed, or cut, is refused and changes nothing.
static void refuse_damaged(GrMission *mission, const unsigned char *saved, size_t size)
{
    enum { ATTACKS = 500 };
    GrRandom random = gr_random_stream(3, "damage");
    unsigned char *damaged = malloc(size);
    assert_non_null(damaged);
    const uint64_t before = gr_data_hash(mission->m, gr_mission_data(mission));
    for (int i = 0; i < ATTACKS; i++) {
        memcpy(damaged, saved, size);
        const size_t at = (size_t)(gr_random_u64(&random) % size), most = size - at < 64 ? size - at : 64;
        size_t left = size;
        switch (i % 4) {
        case 0:
            damaged[at] ^= (unsigned char)(1u << i / 4 % 8);
            break;
        case 1:
            damaged[at] = (unsigned char)~damaged[at];
            break;
        case 2:
            for (size_t k = 0; k < most; k++) {
                damaged[at + k] = (unsigned char)(damaged[at + k] + 1);
            }
            break;
        default:
            left = at;
        }
        assert_int_not_equal(gr_mission_restore(mission, damaged, left, NULL), GR_OK);
        assert_true(gr_data_hash(mission->m, gr_mission_data(mission)) == before);
    }
    free(damaged);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{12, 3, NAN}, {14, -8, NAN}};
    static const GrPace paces[] = {GR_PACE_FIXED, GR_PACE_HUB, GR_PACE_ERROR};
    for (int k = 0; k < 3; k++) {
        GrMissionDef def = drive_along(path, 2, 0.1);
        def.pace = paces[k];
        def.duration = 40;
        Scene a = make("curiosity_like", HILLS, 2, 60, &def), b = make("curiosity_like", HILLS, 2, 60, &def);
        assert_int_equal(gr_mission_place(a.mission, &(GrStart){0}, NULL), GR_OK);
        gr_mission_advance(a.mission, 20);
        const size_t size = gr_mission_size(a.mission);
        void *saved = malloc(size);
        assert_non_null(saved);
        assert_int_equal(gr_mission_save(a.mission, saved), GR_OK);
        GrErrorLog log = {0};
        assert_int_equal(gr_mission_restore(b.mission, saved, size - 1, &log), GR_ERROR_SYNTAX);
        refuse_damaged(b.mission, saved, size);
        assert_int_equal(gr_mission_restore(b.mission, saved, size, &log), GR_OK);
        free(saved);
        gr_mission_advance(a.mission, 40);
        gr_mission_advance(b.mission, 40);
        GrRunSummary end_a, end_b;
        assert_int_equal(gr_mission_summary(a.mission, &end_a, NULL), GR_OK);
        assert_int_equal(gr_mission_summary(b.mission, &end_b, NULL), GR_OK);
        assert_true(end_a.state_hash == end_b.state_hash);
        assert_near(end_a.energy.motor, end_b.energy.motor, 0);
        assert_near(end_a.wheels[2].slip_mean, end_b.wheels[2].slip_mean, 0);
        assert_near(end_a.time, 40, 0);
        assert_near(end_a.way_points[0].off, end_b.way_points[0].off, 0);
        gr_run_summary_free(&end_a);
        gr_run_summary_free(&end_b);
        destroy(&a);
        destroy(&b);
    }
}

/// The error of a step of first order is that of the position, a dt²/2: of a rover that falls freely, g dt²/2.
static void test_error_of_a_step(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, NULL);
    GrData *d = NULL;
    assert_int_equal(gr_data_create(m, &d, NULL), GR_OK);
    assert_int_equal(gr_step_by(m, d, 0.01), GR_OK);
    assert_near_rel(gr_pace_error(m, d, 0.01), 0.5 * MARS * 0.01 * 0.01, 1e-9);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Backward Euler damps ½ Δvᵀ M Δv in a step: of a rover that falls freely, m (g dt)²/2.
static void test_damped_energy(void **state)
{
    (void)state;
    GrMissionDef def = gr_default_mission_def();
    def.pace = GR_PACE_FIXED;
    def.step = 0.004;
    Scene s = make("curiosity_like", NULL, 0, 40, &def);
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){.height = 1}, NULL), GR_OK);
    gr_mission_advance(s.mission, 20 * def.step);
    const double gained = MARS * def.step, mass = gr_balance(s.m, s.mission->d).mass;
    assert_near_rel(s.mission->s.step_energy, 20 * 0.5 * mass * gained * gained, 1e-6);
    destroy(&s);
}

/// What the default pace gives is what steps of half a millisecond give.
static void test_pace(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{9, 2, NAN}};
    GrMissionDef def = drive_along(path, 1, 0.1);
    def.duration = 60;
    def.stop_at_goal = false;
    GrRunSummary ends[4];
    for (int k = 0; k < 4; k++) {
        def.pace = k == 0 ? GR_PACE_FIXED : k == 1 ? GR_PACE_FIXED : k == 2 ? GR_PACE_HUB : GR_PACE_ERROR;
        def.step = k == 0 ? 0.0005 : 0.005;
        Scene s = make("curiosity_like", HILLS, 2, 40, &def);
        ends[k] = run_to_end(&s, &(GrStart){0});
        print_message("%ld steps: %.6f m, %.2f J, slip %.5f, sinkage %.6f\n", ends[k].steps, ends[k].distance,
                      ends[k].energy.motor, ends[k].wheels[0].slip_mean, ends[k].wheels[0].sinkage_mean);
        destroy(&s);
    }
    for (int k = 1; k < 4; k++) {
        assert_near_rel(ends[k].distance, ends[0].distance, 0.01);
        assert_near_rel(ends[k].energy.motor, ends[0].energy.motor, 0.01);
        assert_near(ends[k].wheels[0].slip_mean, ends[0].wheels[0].slip_mean, 0.01);
        assert_near_rel(ends[k].wheels[0].sinkage_mean, ends[0].wheels[0].sinkage_mean, 0.01);
    }
    for (int k = 0; k < 4; k++) {
        gr_run_summary_free(&ends[k]);
    }
}

/// Between two requested instants all steps have one length, and give the results of short ones.
static void test_equal_steps(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{9, 2, NAN}};
    GrMissionDef def = drive_along(path, 1, 0.1);
    def.duration = 30;
    def.pace = GR_PACE_FIXED;
    double motor[2];
    for (int k = 0; k < 2; k++) {
        def.step = k == 0 ? 0.001 : 0.024;
        Scene s = make("curiosity_like", HILLS, 2, 40, &def);
        assert_int_equal(gr_mission_place(s.mission, &(GrStart){0}, NULL), GR_OK);
        for (int i = 1; i <= 600; i++) {
            gr_mission_advance(s.mission, 0.05 * i);
        }
        if (k == 1) {
            assert_near(s.mission->s.step_min, 0.05 / 3, 1e-9);
            assert_near(s.mission->s.step_max, 0.05 / 3, 1e-9);
        }
        motor[k] = s.mission->s.account.motor;
        destroy(&s);
    }
    print_message("motor work: %.3f J at 1 ms, %.3f J at 24 ms at most\n", motor[0], motor[1]);
    assert_near_rel(motor[1], motor[0], 1e-3);
}

/// Steps over a block whose near side is at x.
typedef struct Crossing {
    int touching, free; ///< steps on the block, and long ones off it
    double deepest;     ///< at the first touch [m]
} Crossing;

static Crossing cross_block(double x, double duration)
{
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    GrSceneDef scene = gr_default_scene_def();
    GrPartDef block = gr_default_part_def();
    block.shape.kind = GR_SHAPE_BOX;
    block.shape.size = gr_vec3(0.3, 3, 0.04);
    block.pose.position = gr_vec3(x + 0.15, 0, 0.01);
    gr_scene_add_part(&scene, &block);
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    options.surface.scene = &scene;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    static const GrWayPoint path[] = {{3, 0, NAN}};
    const GrMissionDef def = drive_along(path, 1, 0.1);
    GrMission *mission = NULL;
    assert_int_equal(gr_mission_create(m, NULL, &def, &mission, NULL), GR_OK);
    assert_int_equal(gr_mission_place(mission, &(GrStart){0}, NULL), GR_OK);
    Crossing c = {0};
    while (gr_data_time(mission->d) < duration) {
        gr_mission_step(mission, duration);
        bool touches = false;
        for (int i = 0; i < m->wheel_count; i++) {
            touches = touches || mission->d->rigid_contact[i].count > 0;
        }
        for (int i = 0; i < gr_rigid_contact_count(mission->d->rigid) && c.touching == 0; i++) {
            c.deepest = fmax(c.deepest, gr_rigid_contact(m->rigid.world, mission->d->rigid, i).depth);
        }
        assert_true(!touches || mission->s.last_step < 1.001 * def.step_hard);
        c.touching += touches;
        c.free += mission->s.last_step > 2 * def.step_hard;
    }
    gr_mission_free(mission);
    gr_model_free(m);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
    return c;
}

/// The first step in which a wheel touches a rock is short already, and so are all until it leaves it, wherever the
/// rock begins between the places where long steps would end.
static void test_short_before_rock(void **state)
{
    (void)state;
    const Crossing whole = cross_block(0.45, 15);
    print_message("%d steps on stone, %d long ones off it; %.2f mm deep at the first touch\n", whole.touching,
                  whole.free, 1e3 * whole.deepest);
    assert_true(whole.touching > 100 && whole.free > 100);
    assert_true(whole.deepest > 0 && whole.deepest < 0.6e-3);
    enum { PLACES = 8 };
    double deepest = 0;
    for (int k = 1; k < PLACES; k++) { // over the longest way of a step
        const Crossing c = cross_block(0.45 - 0.0025 * k / PLACES, 4);
        assert_true(c.touching > 0);
        deepest = fmax(deepest, c.deepest);
    }
    print_message("%.2f mm at most, over %d places\n", 1e3 * deepest, PLACES);
    assert_true(deepest < 0.6e-3);
}

/// A blow under the chassis with ten times the weight counts as the weight: after a step dt the mean over T is
/// dt/(dt + T), and many blows, with as much time between, come to half.
static void test_blow_under_the_chassis(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("rashid_like", &rover);
    GrSceneDef scene = gr_default_scene_def();
    GrPartDef block = gr_default_part_def();
    block.shape.kind = GR_SHAPE_BOX;
    block.shape.size = gr_vec3(1, 1, 1);
    block.pose.position = gr_vec3(50, 0, 0);
    gr_scene_add_part(&scene, &block);
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -MARS);
    options.surface.soil = &soil;
    options.surface.scene = &scene;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    assert_true(m->rigid.count > m->wheel_count);
    GrMissionDef def = gr_default_mission_def();
    def.belly_share = 0.6;
    GrMission *mission = NULL;
    assert_int_equal(gr_mission_create(m, NULL, &def, &mission, NULL), GR_OK);
    assert_int_equal(gr_mission_place(mission, &(GrStart){0}, NULL), GR_OK);
    GrBodyContact *belly = &mission->d->rigid_contact[m->wheel_count];
    belly->force = gr_vec3(0, 0, 10 * mission->weight);
    const double dt = 0.02;
    for (int k = 0; k < 2000; k++) {
        belly->count = k % 2 == 0;
        gr_mission_judge(mission, dt);
        if (k == 0) {
            assert_near_rel(mission->s.belly_share, dt / (dt + def.belly_time), 1e-12);
        }
    }
    assert_near(mission->s.belly_share, 0.5, dt / def.belly_time);
    assert_int_equal(mission->s.outcome, GR_OUTCOME_RUNNING);
    gr_mission_free(mission);
    gr_model_free(m);
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

/// A sample says what is true: loads carry the weight, the IMU feels gravity, poses are of now.
static void test_sample(void **state)
{
    (void)state;
    static const char *const slope[] = {"plane:slope_deg=15"};
    GrMissionDef def = gr_default_mission_def(); // manual: it stands
    def.duration = 600;
    Scene s = make("curiosity_like", slope, 1, 40, &def);
    GrSample first, last;
    assert_true(gr_sample_init(s.m, 0, &first) && gr_sample_init(s.m, 0, &last));
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){.heading = 0.3}, NULL), GR_OK);
    gr_mission_sample(s.mission, &first);
    assert_int_equal(gr_mission_advance(s.mission, 600), GR_OUTCOME_FINISHED);
    gr_mission_sample(s.mission, &last);
    const GrSample *both[] = {&first, &last};
    for (int k = 0; k < 2; k++) {
        double load = 0;
        for (int i = 0; i < s.m->wheel_count; i++) {
            load += both[k]->wheels[i].load;
        }
        assert_near_rel(load, 899 * MARS, 1e-6);
        assert_near_rel(gr_norm(both[k]->acceleration), MARS, 1e-6);
    }
    assert_near(last.pitch, -atan(tan(15 * acos(-1) / 180) * cos(0.3)), 0.01);
    const GrVec3 moved = gr_sub(last.pose.position, first.pose.position);
    print_message("parked for 10 minutes on 15 deg: moved by %g mm\n", 1e3 * gr_norm(moved));
    assert_true(gr_norm(moved) < 1e-3);
    gr_sample_free(&first);
    gr_sample_free(&last);
    destroy(&s);
}

/// Motors too weak to turn the wheels on level ground: the torque that rolling needs is that of a few percent of the
/// weight at the radius, some newton metres. The rover does not move, and that is said. Parked, it is not stuck.
static void test_stalled(void **state)
{
    (void)state;
    static const double WEAK = 0.01; // [N m]
    static const GrWayPoint ahead[] = {{10, 0, NAN}};
    const GrMissionDef drive = drive_along(ahead, 1, 0.1);
    GrMissionDef stand = gr_default_mission_def();
    stand.duration = 100;
    GrRoverDef rover = gr_default_rover_def();
    load_rover("curiosity_like", &rover);
    for (int i = 0; i < rover.joint_count; i++) {
        if (rover.joints[i].role == GR_ROLE_DRIVE) {
            rover.joints[i].motor.torque_limit = WEAK;
        }
    }
    const GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, &options, &m, NULL), GR_OK);
    for (int driven = 0; driven < 2; driven++) {
        GrMission *mission = NULL;
        assert_int_equal(gr_mission_create(m, NULL, driven ? &drive : &stand, &mission, NULL), GR_OK);
        GrRunSummary summary;
        assert_int_equal(gr_mission_place(mission, &(GrStart){0}, NULL), GR_OK);
        gr_mission_advance(mission, 100);
        assert_int_equal(gr_mission_summary(mission, &summary, NULL), GR_OK);
        print_message("%s after %g s: %s\n", gr_outcome_name(summary.outcome), summary.time, summary.cause);
        assert_int_equal(summary.outcome, driven ? GR_OUTCOME_STUCK : GR_OUTCOME_FINISHED);
        gr_run_summary_free(&summary);
        gr_mission_free(mission);
    }
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// On rough ground a parked rover starts at rest: from the first sample on the loads are its weight, its wheels are
/// stuck and it stays where it is.
static void test_parked_on_rough_ground(void **state)
{
    (void)state;
    static const char *const rough[] = {"fractal:rms_m=0.1,smallest_m=0.4"};
    GrMissionDef def = gr_default_mission_def(); // manual: it stands
    def.duration = 2;
    Scene s = make("curiosity_like", rough, 1, 40, &def);
    GrSample first, last;
    assert_true(gr_sample_init(s.m, 0, &first) && gr_sample_init(s.m, 0, &last));
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){.x = 2, .y = 3}, NULL), GR_OK);
    gr_mission_sample(s.mission, &first);
    assert_int_equal(gr_mission_advance(s.mission, def.duration), GR_OUTCOME_FINISHED);
    gr_mission_sample(s.mission, &last);
    const GrSample *both[] = {&first, &last};
    for (int k = 0; k < 2; k++) {
        double load = 0;
        for (int i = 0; i < s.m->wheel_count; i++) {
            load += both[k]->wheels[i].load;
            assert_int_equal(both[k]->wheels[i].state, GR_SOFT_STUCK_ROLL);
        }
        print_message("parked on rough ground, %g s: loads %.3f N of %.3f N\n", both[k]->time, load, 899 * MARS);
        assert_near_rel(load, 899 * MARS, 1e-5);
    }
    assert_true(gr_norm(gr_sub(last.pose.position, first.pose.position)) < 1e-5);
    gr_sample_free(&first);
    gr_sample_free(&last);
    destroy(&s);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    GrMissionDef def = gr_default_mission_def();
    GrErrorLog log = {0};
    def.step_min = 0.05;
    assert_int_equal(gr_mission_check(&def, &log), GR_ERROR_VALUE);
    assert_string_equal(log.items[0].field, "step_min");
    def = gr_default_mission_def();
    def.duration = -1;
    def.tolerance = NAN;
    log = (GrErrorLog){0};
    assert_int_equal(gr_mission_check(&def, &log), GR_ERROR_VALUE);
    assert_int_equal(log.count, 2);
}

/// A rover without wheels has nothing to be placed on: it is refused, and not left to diverge.
static void test_no_wheels(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    GrErrorLog log = {0};
    load_rover("rashid_like", &rover);
    rover.wheel_count = 0;
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, &log), GR_OK);
    const GrMissionDef def = gr_default_mission_def();
    assert_int_not_equal(gr_mission_create(m, NULL, &def, &(GrMission *){NULL}, &log), GR_OK);
    assert_int_equal(log.error_count, 1);
    assert_non_null(strstr(log.items[0].text, "has no wheels"));
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// Where the point that follows the path is, from a sample alone.
static void follower_of(const Scene *s, const GrSample *sample, double *x, double *y)
{
    const double c = cos(sample->heading), n = sin(sample->heading);
    const double ahead = s->mission->control.centre_x, left = s->mission->control.centre_y;
    *x = sample->pose.position.x + c * ahead - n * left;
    *y = sample->pose.position.y + n * ahead + c * left;
}

/// Arrivals are what samples of every step tell: least distances, times, ways. What was not reached says so.
static void test_way_points(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{2, 0, 30}, {4, 1, NAN}, {6, 0, 75}, {16, 0, NAN}, {18, 0, 200}};
    enum { COUNT = 5 };
    GrMissionDef def = drive_along(path, COUNT, 0.1);
    def.duration = 90;
    def.control_period = 0;
    Scene s = make("el_dorado2", HILLS, 1, 40, &def);
    GrSample sample;
    assert_true(gr_sample_init(s.m, 0, &sample));
    assert_int_equal(gr_mission_place(s.mission, &(GrStart){0}, NULL), GR_OK);
    double nearest[COUNT] = {1e9, 1e9, 1e9, 1e9, 1e9};
    const GrControlState *control = gr_mission_control(s.mission);
    for (GrOutcome outcome = GR_OUTCOME_RUNNING; outcome == GR_OUTCOME_RUNNING;) {
        double x, y;
        outcome = gr_mission_step(s.mission, 90);
        gr_mission_sample(s.mission, &sample);
        follower_of(&s, &sample, &x, &y);
        for (int k = control->way_point - 1; k <= control->way_point; k++) {
            const int i = k > 0 ? k : 0;
            nearest[i] = fmin(nearest[i], hypot(x - path[i].x, y - path[i].y));
        }
    }
    GrRunSummary end;
    assert_int_equal(gr_mission_summary(s.mission, &end, NULL), GR_OK);
    assert_int_equal(end.way_point_count, COUNT);
    assert_int_equal(end.way_points_reached, 3);
    static const double ways[] = {2, 4.24, 6.47};
    for (int k = 0; k < COUNT; k++) {
        const GrArrival *a = &end.way_points[k];
        print_message("way-point %d: %s at %.2f s, %.4f m off (samples %.4f), after %.3f m\n", k + 1,
                      gr_arrival_text(a->state), a->time, a->off, nearest[k], a->distance);
        assert_int_equal(a->state, k < 3 ? GR_ARRIVAL_REACHED : GR_ARRIVAL_NOT_REACHED);
        assert_near(a->point.x, path[k].x, 0);
        if (k < 3) {
            assert_near(a->distance, ways[k], 0.15);
            assert_true(a->off < s.mission->control.def.tolerance);
        } else {
            assert_true(isnan(a->time) && isnan(a->distance));
        }
        if (k < 4) {
            assert_near(a->off, nearest[k], 1e-9);
        } else {
            assert_true(isnan(a->off)); // it never drove there
        }
    }
    assert_near(end.way_points[0].time, 30, 0.5);
    assert_near(end.way_points[2].time, 75, 0.5);
    gr_run_summary_free(&end);
    gr_sample_free(&sample);
    destroy(&s);
}

/// A rover that believes to be at its goal and is not has not reached it.
static void test_goal_by_belief(void **state)
{
    (void)state;
    static const GrWayPoint path[] = {{6, 0, NAN}};
    static const char *const slope[] = {"plane:slope_deg=18"};
    GrMissionDef def = drive_along(path, 1, 0.1);
    def.duration = 300;
    def.control.localisation = GR_LOCALISE_ODOMETRY;
    Scene s = make("curiosity_like", slope, 1, 40, &def);
    GrRunSummary end = run_to_end(&s, &(GrStart){0});
    const GrVec3 at = gr_data_base_pose(gr_mission_data(s.mission)).position;
    print_message("%s: %s; %.3f m gone\n", gr_outcome_name(end.outcome), end.cause, end.distance);
    assert_int_equal(end.outcome, GR_OUTCOME_FINISHED);
    assert_int_equal(end.way_points[0].state, GR_ARRIVAL_MISSED);
    assert_int_equal(end.way_points_reached, 0);
    assert_near(end.way_points[0].off, hypot(6 - at.x, at.y), 0.1 + fabs(s.mission->control.centre_x));
    assert_true(end.warning_count > 0);
    assert_non_null(strstr(end.warnings[end.warning_count - 1].text, "outside its tolerance"));
    gr_run_summary_free(&end);
    destroy(&s);
}

/// Every shipped rover starts in an equilibrium of its motors too: it stays where it is.
static void test_settled_rovers_stay(void **state)
{
    (void)state;
    static const struct {
        const char *name, *slope; ///< that its motors can hold
    } rovers[] = {{"curiosity_like", "plane:slope_deg=15"}, {"el_dorado2", "plane:slope_deg=15"},
                  {"exomars_like", "plane:slope_deg=15"},   {"rashid_like", "plane:slope_deg=15"},
                  {"viper_like", "plane:slope_deg=15"},     {"lrv_like", "plane:slope_deg=8"}};
    GrMissionDef def = gr_default_mission_def(); // manual: it stands
    def.duration = 60;
    for (size_t k = 0; k < sizeof rovers / sizeof rovers[0]; k++) {
        Scene s = make(rovers[k].name, &rovers[k].slope, 1, 40, &def);
        assert_int_equal(gr_mission_place(s.mission, &(GrStart){0}, NULL), GR_OK);
        const GrVec3 start = gr_data_base_pose(gr_mission_data(s.mission)).position;
        assert_int_equal(gr_mission_advance(s.mission, 60), GR_OUTCOME_FINISHED);
        const GrVec3 moved = gr_sub(gr_data_base_pose(gr_mission_data(s.mission)).position, start);
        print_message("%s on %s: moved by %.2g mm in a minute\n", rovers[k].name, rovers[k].slope,
                      1e3 * gr_norm(moved));
        assert_true(gr_norm(moved) < 1e-6);
        destroy(&s);
    }
}

/// On ground that cannot hold it a rover is not started somewhere else, or on its back.
static void test_no_rest(void **state)
{
    (void)state;
    GrMissionDef def = gr_default_mission_def();
    for (int degrees = 36; degrees <= 66; degrees += 10) {
        char term[64];
        snprintf(term, sizeof term, "plane:slope_deg=%d", degrees);
        const char *const terms[] = {term};
        Scene s = make("rashid_like", terms, 1, 60, &def);
        GrErrorLog log = {0};
        const GrStatus status = gr_mission_place(s.mission, &(GrStart){0}, &log);
        const GrPose pose = gr_data_base_pose(gr_mission_data(s.mission));
        const double up = gr_quat_rotate(pose.rotation, gr_vec3(0, 0, 1)).z;
        print_message("rashid_like on %d deg: %s\n", degrees, status == GR_OK ? "rests" : log.items[0].text);
        if (status == GR_OK) {
            assert_true(up > 0.5 && hypot(pose.position.x, pose.position.y) < 0.1);
        } else {
            assert_non_null(strstr(log.items[0].text, "no equilibrium"));
        }
        assert_true(degrees < 60 || status != GR_OK);
        destroy(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_equal_steps),
        cmocka_unit_test(test_short_before_rock),
        cmocka_unit_test(test_blow_under_the_chassis),
        cmocka_unit_test(test_error_of_a_step),
        cmocka_unit_test(test_damped_energy),
        cmocka_unit_test(test_pace),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_stalled),
        cmocka_unit_test(test_parked_on_rough_ground),
        cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_no_wheels),
        cmocka_unit_test(test_way_points),
        cmocka_unit_test(test_goal_by_belief),
        cmocka_unit_test(test_settled_rovers_stay),
        cmocka_unit_test(test_no_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
