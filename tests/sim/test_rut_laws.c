/// Every soil law with every kind of rut, on one rover that drives the same track twice:
/// - it drives; `none` changes no ground; the first pass equals that with `none`, since a wheel does not feel its own
/// rut
/// - how far a wheel sinks below the ground that it meets: less in the second pass where soil is compacted, the same
///   where it is not
/// - the depth of the rut does not depend on the step
/// - a restored run continues with the same bits, and so does a rejected step that is repeated
#include "grounds.h"
#include "rft_wheel.h"
#include "ruts.h"
#include "support/shipped_rover.h"
#include "test.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846, CELL = 0.01, SPEED = 0.1, MARS = 3.71;

typedef struct Drive {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
    GrRuts *before; ///< ruts that the pass began with
    double height;  ///< of the base where it was set down
    double tilt;    ///< of gravity [rad]
} Drive;

/// At rest at (x, y) with this heading.
static void set_down_at(Drive *v, double x, double y, double heading)
{
    gr_data_set_base_pose(v->d, (GrPose){{x, y, v->height}, {cos(heading / 2), 0, 0, sin(heading / 2)}});
    gr_data_set_base_velocity(v->d, gr_vec3(0, 0, 0), gr_vec3(0, 0, 0));
    for (int i = 0; i < v->m->joint_count; i++) {
        gr_data_set_joint(v->m, v->d, i, 0, 0);
        if (v->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(v->m, v->d, i, 0);
        }
    }
    assert_int_equal(gr_settle(v->m, v->d, NULL, NULL), GR_OK);
    double load = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        load += gr_data_wheel(v->m, v->d, i).world_force.z;
    }
    assert_near_rel(load, gr_balance(v->m, v->d).mass * MARS * cos(v->tilt), 1e-6);
    if (gr_data_ruts(v->d) != NULL) {
        assert_int_equal(gr_ruts_copy(v->before, gr_data_ruts(v->d)), GR_OK);
    }
}

static void set_down(Drive *v)
{
    set_down_at(v, 0, 0, 0);
}

/// Gravity is tilted towards −y.
static Drive make_tilted(GrSoilLaw law, GrRutsKind ruts, bool flow, double step, double tilt)
{
    Drive v = {.tilt = tilt};
    load_rover("rashid_like", &v.rover);
    make_motors_ideal(&v.rover);
    GrSoilDef soil = gr_default_soil_def();
    soil.law = law;
    soil.damping = 200;
    soil.k_phi = 200e3; // softer: ruts of a centimetre
    soil.stiffness = 2000;
    soil.own[GR_RFT_XI] = 4e6;
    soil.own[GR_RFT_HEAP] = flow ? 1 : 0;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, -MARS * sin(tilt), -MARS * cos(tilt));
    options.step = step;
    options.surface.soil = &soil;
    options.surface.ruts = ruts;
    options.surface.rut_cell = CELL;
    options.surface.soil_flow = flow;
    v.m = make_model(&v.rover, &options, &v.d);
    const GrRutsDef def = gr_data_ruts(v.d) != NULL ? *gr_ruts_def(gr_data_ruts(v.d)) : gr_default_ruts_def();
    gr_ruts_create(&def, &v.before, NULL);
    gr_forward(v.m, v.d);
    for (int i = 0; i < v.m->wheel_count; i++) {
        const GrPose pose = gr_data_body_pose(v.m, v.d, v.rover.wheels[i].body);
        v.height = fmax(v.height, v.rover.wheels[i].radius - pose.position.z);
    }
    set_down(&v);
    return v;
}

static Drive make(GrSoilLaw law, GrRutsKind ruts, bool flow, double step)
{
    return make_tilted(law, ruts, flow, step, 0);
}

static void destroy(Drive *v)
{
    gr_ruts_free(v->before);
    gr_data_free(v->d);
    gr_model_free(v->m);
    gr_rover_free(&v->rover);
}

static void steer(Drive *v, double speed)
{
    for (int i = 0; i < v->m->joint_count; i++) {
        if (v->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(v->m, v->d, i, speed / v->rover.wheels[0].radius);
        }
    }
}

static void run(Drive *v, double duration)
{
    const int steps = (int)lround(duration / v->m->options.step);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(v->m, v->d), GR_OK);
    }
}

static GrVec3 wheel_at(const Drive *v, int wheel)
{
    return gr_data_body_pose(v->m, v->d, v->rover.wheels[wheel].body).position;
}

static int front_wheel(const Drive *v)
{
    int front = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        front = wheel_at(v, i).x > wheel_at(v, front).x + 0.01 ? i : front;
    }
    return front;
}

/// Depth of a wheel below the ground as it was before the pass, in the mean over one pitch of its grousers.
static double depth_met(const Drive *v, int wheel)
{
    const GrVec3 at = wheel_at(v, wheel);
    const double pitch = 2 * PI * v->m->soil_wheels[wheel].radius / v->rover.wheels[wheel].grouser_count;
    double ground = 0;
    for (int k = 0; k < 16; k++) {
        ground += gr_ruts_slope(v->before, at.x + pitch * ((k + 0.5) / 16 - 0.5), at.y).z / 16;
    }
    return ground - (at.z - v->m->soil_wheels[wheel].radius);
}

/// Mean depth of the front wheel over the next `count` tenths of a second.
static double mean_depth(Drive *v, int count)
{
    const int front = front_wheel(v);
    double sum = 0;
    for (int i = 0; i < count; i++) {
        run(v, 0.1);
        sum += depth_met(v, front) / count;
    }
    return sum;
}

/// Drives a metre; the depth over the last half of it, and before the wheels behind have come to what the front wheels
/// left.
static double pass(Drive *v, double *early)
{
    steer(v, SPEED);
    run(v, 1.3);
    *early = mean_depth(v, 5);
    run(v, 3.2);
    return mean_depth(v, 50);
}

/// Mean height of the middle of the front wheel's track, where no other wheel has been yet; not where the wheel is
/// still too close for it to be there.
static double rut_height(const Drive *v)
{
    const GrVec3 at = wheel_at(v, front_wheel(v));
    double sum = 0;
    int count = 0;
    for (double x = at.x - 0.22; x < at.x - 0.14; x += 0.001, count++) {
        sum += gr_ruts_slope(gr_data_ruts(v->d), x, at.y).z;
    }
    return sum / count;
}

static void check_law(GrSoilLaw law, bool flow)
{
    double first[GR_RUTS_COUNT] = {0}, second[GR_RUTS_COUNT] = {0}, rut[GR_RUTS_COUNT] = {0};
    double early[GR_RUTS_COUNT] = {0}, again;
    for (GrRutsKind kind = GR_RUTS_NONE; kind <= GR_RUTS_SCM; kind++) {
        Drive v = make(law, kind, flow, 0.005);
        assert_int_equal(gr_data_ruts(v.d) == NULL, kind == GR_RUTS_NONE);
        first[kind] = pass(&v, &early[kind]);
        rut[kind] = kind != GR_RUTS_NONE ? rut_height(&v) : 0;
        set_down(&v);
        second[kind] = pass(&v, &again);
        assert_int_equal(gr_data_soil_volumes(v.d).missing, 0);
        destroy(&v);
        print_message("%-13s %-5s sinks %6.2f mm, then %6.2f mm; rut %6.2f mm\n", gr_soil_law_name(law),
                      kind == GR_RUTS_NONE    ? "none"
                      : kind == GR_RUTS_TRACE ? "trace"
                                              : "scm",
                      1e3 * first[kind], 1e3 * second[kind], 1e3 * rut[kind]);
    }
    // A wheel does not feel its own rut.
    assert_near_rel(early[GR_RUTS_TRACE], early[GR_RUTS_NONE], 0.003);
    assert_near_rel(early[GR_RUTS_SCM], early[GR_RUTS_NONE], 0.003);
    // Healed ground is undisturbed. A trace is lower, but its soil is not compacted. A pressed rut is firm.
    assert_near_rel(second[GR_RUTS_NONE], first[GR_RUTS_NONE], 0.01);
    if (law == GR_SOIL_SCM) { // nodes feel the walls of a trough that is narrower at its bottom than the wheel
        assert_true(second[GR_RUTS_TRACE] < first[GR_RUTS_TRACE] && second[GR_RUTS_TRACE] > 0);
    } else { // points of the contact plane meet them in cells of 1 cm
        assert_near(second[GR_RUTS_TRACE], first[GR_RUTS_TRACE], 0.1 * fabs(rut[GR_RUTS_TRACE]));
    }
    assert_true(second[GR_RUTS_SCM] < 0.8 * first[GR_RUTS_SCM]);
    assert_true(second[GR_RUTS_SCM] > 0);
    // What springs back is not in the rut.
    assert_true(rut[GR_RUTS_TRACE] < 0);
    if (!flow && law == GR_SOIL_SCM) { // and what was dug out does not spring back
        assert_true(-rut[GR_RUTS_SCM] > 0.95 * 0.97 * first[GR_RUTS_SCM]);
        assert_true(-rut[GR_RUTS_SCM] < first[GR_RUTS_SCM]);
    } else if (!flow) {
        assert_near_rel(rut[GR_RUTS_SCM], -0.95 * first[GR_RUTS_SCM], 0.03);
    }
}

static void test_passes(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        check_law((GrSoilLaw)law, false);
    }
    check_law(GR_SOIL_BEKKER, true);
}

/// Across existing tracks, its own or those of another rover: wheels dip in the ruts and nowhere else.
static void test_crossing(void **state)
{
    (void)state;
    static const GrSoilLaw LAWS[] = {GR_SOIL_WONG_REECE, GR_SOIL_SCM};
    for (int q = 0; q < 2; q++) {
        for (GrRutsKind kind = GR_RUTS_NONE; kind <= GR_RUTS_SCM; kind++) {
            Drive first = make(LAWS[q], kind, false, 0.005), other = make(LAWS[q], kind, false, 0.005);
            steer(&first, SPEED);
            run(&first, 8);
            if (kind != GR_RUTS_NONE) {
                const GrRuts *left = gr_data_ruts(first.d);
                void *saved = malloc(gr_ruts_size(left));
                assert_int_equal(gr_ruts_save(left, saved), GR_OK);
                assert_int_equal(gr_data_restore_ruts(other.d, saved, gr_ruts_size(left), NULL), GR_OK);
                free(saved);
            }
            set_down_at(&other, 0.3, -0.75, PI / 2);
            steer(&other, SPEED);
            run(&other, 1);
            int front = 0; // the one that goes first to the north
            for (int i = 0; i < other.m->wheel_count; i++) {
                front = wheel_at(&other, i).y > wheel_at(&other, front).y + 0.01 ? i : front;
            }
            const double level = wheel_at(&other, front).z;
            double lowest = level;
            for (int k = 0; k < 110; k++) {
                run(&other, 0.1);
                lowest = fmin(lowest, wheel_at(&other, front).z);
            }
            print_message("%s, ruts %d: dips by %.2f mm, to y = %.2f m\n", gr_soil_law_name(LAWS[q]), (int)kind,
                          1e3 * (level - lowest), wheel_at(&other, front).y);
            assert_true(wheel_at(&other, front).y > 0.2); // came across both
            assert_true(kind == GR_RUTS_NONE ? level - lowest < 4e-4 : level - lowest > 1e-3);
            destroy(&first);
            destroy(&other);
        }
    }
}

/// How far a rover on grains slides down a side slope of 12 degrees on 0.6 m, over fresh ground or in its ruts.
static double drift(const Drive *track, GrRutsKind kind)
{
    Drive v = make_tilted(GR_SOIL_RFT, kind, false, 0.005, 12 * PI / 180);
    if (track != NULL) {
        const GrRuts *left = gr_data_ruts(track->d);
        void *saved = malloc(gr_ruts_size(left));
        assert_int_equal(gr_ruts_save(left, saved), GR_OK);
        assert_int_equal(gr_data_restore_ruts(v.d, saved, gr_ruts_size(left), NULL), GR_OK);
        free(saved);
        set_down_at(&v, 0.3, 0, 0);
    }
    const double begin = gr_data_base_pose(v.d).position.y;
    steer(&v, SPEED);
    run(&v, 6);
    const double y = gr_data_base_pose(v.d).position.y - begin;
    destroy(&v);
    return y;
}

/// Walls of ruts hold a rover of the law rft on a side slope. Ruts of a law that sees no walls would not.
static void test_walls(void **state)
{
    (void)state;
    Drive track = make(GR_SOIL_RFT, GR_RUTS_SCM, true, 0.005);
    steer(&track, SPEED);
    run(&track, 12);
    const double fresh = drift(NULL, GR_RUTS_NONE), rut = drift(&track, GR_RUTS_SCM);
    print_message("rft on a side slope of 12 degrees: slides by %.1f mm on fresh ground, by %.1f mm in its ruts\n",
                  1e3 * fresh, 1e3 * rut);
    assert_true(fabs(fresh) > 5e-3 && fabs(rut) < 0.8 * fabs(fresh));
    destroy(&track);
}

/// The grid recovers behind the wheels, and its memory depends on the wheels, not on the distance.
static void test_none_heals(void **state)
{
    (void)state;
    Drive v = make(GR_SOIL_SCM, GR_RUTS_NONE, true, 0.005);
    steer(&v, SPEED);
    int most[2] = {0};
    for (int k = 0; k < 40; k++) {
        run(&v, 0.5);
        const int tiles = gr_ruts_tile_count(v.d->grid);
        most[k / 20] = tiles > most[k / 20] ? tiles : most[k / 20];
    }
    print_message("%d tiles over one metre, %d over the next\n", most[0], most[1]);
    assert_true(most[1] <= most[0] + 2);
    for (int k = 0; k < gr_ruts_tile_count(v.d->grid); k++) {
        int64_t i, j;
        gr_ruts_tile_place(v.d->grid, k, &i, &j);
        const GrRutsTileView tile = gr_ruts_tile_find(v.d->grid, i, j);
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            const double x = (double)(i + n % GR_RUT_NODES) * CELL, y = (double)(j + n / GR_RUT_NODES) * CELL;
            double nearest = INFINITY;
            for (int w = 0; w < v.m->wheel_count; w++) {
                nearest = fmin(nearest, hypot(x - wheel_at(&v, w).x, y - wheel_at(&v, w).y));
            }
            if (nearest > v.m->soil_wheels[0].radius + 4 * CELL) {
                assert_near(tile.heights[n], 0, 0);
                assert_near((double)tile.states[n], 0, 0);
            }
        }
    }
    destroy(&v);
}

/// Steps of 1 and 5 ms leave the same rut. Part of the study: every law with one of both kinds of ruts.
static void test_step(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        for (GrRutsKind kind = GR_RUTS_TRACE; kind <= GR_RUTS_SCM; kind++) {
            if (!GR_TEST_STUDY(true, kind == (law % 2 == 0 ? GR_RUTS_SCM : GR_RUTS_TRACE))) {
                continue;
            }
            double depth[2];
            for (int k = 0; k < 2; k++) {
                Drive v = make((GrSoilLaw)law, kind, false, k == 0 ? 0.001 : 0.005);
                steer(&v, SPEED);
                run(&v, 6);
                depth[k] = rut_height(&v);
                destroy(&v);
            }
            print_message("%-13s %d rut %.4f mm at 1 ms, %.4f mm at 5 ms\n", gr_soil_law_name((GrSoilLaw)law),
                          (int)kind, 1e3 * depth[0], 1e3 * depth[1]);
            assert_near_rel(depth[1], depth[0], 0.01);
        }
    }
}

/// Save and restore, copy, and a rejected step: the same bits.
static void test_bits(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        for (GrRutsKind kind = GR_RUTS_NONE; kind <= GR_RUTS_SCM; kind++) {
            Drive v = make((GrSoilLaw)law, kind, true, 0.005);
            steer(&v, SPEED);
            run(&v, 1);
            GrData *restored = NULL, *kept = NULL;
            gr_data_create(v.m, &restored, NULL);
            gr_data_create(v.m, &kept, NULL);
            const size_t size = gr_data_size(v.m, v.d);
            void *saved = malloc(size);
            assert_int_equal(gr_data_save(v.m, v.d, saved), GR_OK);
            assert_int_equal(gr_data_restore(v.m, restored, saved, size, NULL), GR_OK);
            assert_true(gr_data_hash(v.m, restored) == gr_data_hash(v.m, v.d));
            for (int k = 0; k < 60; k++) {
                const uint64_t before = gr_data_hash(v.m, v.d);
                assert_int_equal(gr_grounds_reserve(v.m, v.d), GR_OK);
                assert_int_equal(gr_data_mark(v.m, kept, v.d), GR_OK);
                assert_int_equal(gr_step_by(v.m, v.d, 0.02), GR_OK);
                assert_int_equal(gr_data_return(v.m, v.d, kept), GR_OK);
                assert_true(gr_data_hash(v.m, v.d) == before);
                assert_int_equal(gr_step(v.m, v.d), GR_OK);
                assert_int_equal(gr_step(v.m, restored), GR_OK);
            }
            assert_true(gr_data_hash(v.m, restored) == gr_data_hash(v.m, v.d));
            // Of another model: refused, with the reason.
            GrErrorLog log = {0};
            if (kind == GR_RUTS_TRACE) {
                Drive other = make((GrSoilLaw)law, GR_RUTS_NONE, false, 0.005);
                assert_int_not_equal(gr_data_restore(other.m, other.d, saved, size, &log), GR_OK);
                assert_int_equal(log.error_count, 1);
                destroy(&other);
            }
            free(saved);
            gr_data_free(restored);
            gr_data_free(kept);
            destroy(&v);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes), cmocka_unit_test(test_crossing), cmocka_unit_test(test_none_heals),
        cmocka_unit_test(test_step),   cmocka_unit_test(test_bits),     cmocka_unit_test(test_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
