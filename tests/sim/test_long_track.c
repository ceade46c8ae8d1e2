/// Ten kilometres, or a part of them, on cells of 1 cm (two where the wheel's shape is pressed into every cell): saved
/// bytes are proportional to the track, not to the map, memory grows by tables alone, and the cost of a step does not
/// grow. One wheel is moved along a given path, so that this takes seconds.
#include "furrow.h"
#include "ruts.h"
#include "test.h"
#include "trace_wheel.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double whole_length(void) // [m]
{
    return GR_TEST_LONG(GR_TEST_STUDY(10000, 3000), 500);
}

static const double CELL = 0.01, RADIUS = 0.25, WIDTH = 0.1, SINKAGE = 0.01, STEP = 0.02; // [m]

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Position after s metres on a winding path to the north-east, kilometres from the origin. The period is 50 m, so that
/// both halves of every length are alike.
static GrVec3 path_at(double s)
{
    return gr_vec3(3000 + s * 0.96 + 1.06 * sin(s * 0.12566370614359174), -2000 + s * 0.28, 0);
}

static GrRuts *make_ruts(int states)
{
    GrRutsDef def = gr_default_ruts_def();
    def.cell = CELL;
    def.state_count = states;
    GrRuts *ruts = NULL;
    assert_int_equal(gr_ruts_create(&def, &ruts, NULL), GR_OK);
    return ruts;
}

static GrSoilWheelDef wheel_def(void)
{
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.radius = RADIUS;
    wheel.width = WIDTH;
    return wheel;
}

/// Cost after a part of the path.
typedef struct Mark {
    double memory, saved, time; ///< [bytes], [bytes], processor time of the driving alone [s]
} Mark;

static Mark mark(const GrRuts *ruts, double time)
{
    return (Mark){(double)gr_ruts_memory(ruts), (double)gr_ruts_size(ruts), time};
}

/// Both halves of the path cost the same, in saved bytes and in time; restored ruts are the same.
static void check(GrRuts *ruts, double length, Mark half, Mark whole, double saved_most)
{
    print_message("%.0f m: %.1f kB of memory and %.1f kB saved a metre; %d tiles, %.2f and %.2f s\n", length,
                  whole.memory / length / 1e3, whole.saved / length / 1e3, gr_ruts_tile_count(ruts), half.time,
                  whole.time - half.time);
    const double held = 16 * (1 << 20) + 3 * 256 * (double)ruts->block.tile_size; // and near the wheels, and ready
    assert_true(whole.memory < held + 200.0 * gr_ruts_tile_count(ruts));
    assert_true(whole.saved < saved_most * length);
    assert_near_rel(whole.saved, 2 * half.saved, 0.03);
    const size_t size = gr_ruts_size(ruts);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(gr_ruts_save(ruts, bytes), GR_OK);
    const uint64_t hash = gr_ruts_hash(ruts);
    gr_ruts_clear(ruts);
    assert_int_equal(gr_ruts_restore(ruts, bytes, size, NULL), GR_OK);
    assert_true(gr_ruts_hash(ruts) == hash);
    free(bytes);
}

static void test_imprint(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    const GrSoilWheelDef wheel = wheel_def();
    GrScmBody body;
    assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, CELL, &body, NULL), GR_OK);
    GrRuts *ruts = make_ruts(GR_SCM_STATES);
    GrScmLedger ledger = {0};
    GrRutTrack track;
    memset(&track, 0, sizeof track);
    GrImprint imprint = {.body = &body,
                         .ruts = ruts,
                         .scratch = gr_scm_scratch_create(&body),
                         .nodes = gr_scm_nodes_create(body.node_max),
                         .ledger = &ledger};
    const double length = whole_length() / 5;
    Mark half = {0};
    double time = 0, begin = seconds();
    const long steps = lround(length / STEP);
    for (long k = 0; k <= steps; k++) {
        const GrVec3 at = path_at((double)k * STEP), ahead = gr_normalize(gr_sub(path_at((double)k * STEP + 0.01), at));
        if (gr_ruts_tiles_free(ruts) < gr_imprint_tiles(&body)) {
            assert_int_equal(gr_ruts_reserve(ruts, 4 * gr_imprint_tiles(&body)), GR_OK);
        }
        gr_imprint_advance(&imprint, &track,
                           &(GrImprintMotion){.centre = gr_vec3(at.x, at.y, RADIUS - SINKAGE),
                                              .axle = gr_vec3(-ahead.y, ahead.x, 0),
                                              .angle = (double)k * STEP / RADIUS,
                                              .down = true});
        if (k == steps / 2) {
            time += seconds() - begin;
            half = mark(ruts, time);
            begin = seconds();
        }
    }
    const Mark whole = mark(ruts, time + seconds() - begin);
    assert_int_equal(ledger.missing, 0);
    const GrVec3 middle = path_at(0.7 * length);
    assert_near_rel(gr_ruts_get(ruts, lround(middle.x / CELL), lround(middle.y / CELL)), -0.95 * SINKAGE, 0.01);
    check(ruts, length, half, whole, 17e3);
    gr_scm_scratch_free(imprint.scratch);
    gr_scm_nodes_free(&imprint.nodes);
    gr_ruts_free(ruts);
}

static void test_trace(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    const GrSoilWheelDef wheel = wheel_def();
    const GrTraceDef def = gr_default_trace_def();
    GrTraceWheel trace;
    gr_trace_prepare(&def, &soil, &wheel, CELL, &trace);
    GrRuts *ruts = make_ruts(0);
    GrRutTrack track;
    memset(&track, 0, sizeof track);
    const double length = whole_length();
    Mark half = {0};
    double time = 0, begin = seconds();
    const long steps = lround(length / STEP);
    for (long k = 0; k <= steps; k++) {
        const GrVec3 at = path_at((double)k * STEP), ahead = gr_normalize(gr_sub(path_at((double)k * STEP + 0.01), at));
        if (gr_ruts_tiles_free(ruts) < gr_trace_tiles(&trace, CELL)) {
            assert_int_equal(gr_ruts_reserve(ruts, 4 * gr_trace_tiles(&trace, CELL)), GR_OK);
        }
        const GrTraceMotion motion = {.point = at, .ahead = ahead, .normal = {0, 0, 1}, .load = 60};
        assert_int_equal(gr_trace_advance(&trace, &track, &motion, ruts) & GR_TRACE_FULL, 0);
        if (k == steps / 2) {
            time += seconds() - begin;
            half = mark(ruts, time);
            begin = seconds();
        }
    }
    check(ruts, length, half, mark(ruts, time + seconds() - begin), 12e3);
    gr_ruts_free(ruts);
}

/// A step that is taken back copies what it writes to, however long the track: the same bytes for ten metres and for
/// all of it.
static void test_undo(void **state)
{
    (void)state;
    double time[2];
    for (int q = 0; q < 2; q++) {
        GrRuts *ruts = make_ruts(1);
        const int64_t tiles = q == 0 ? 100 : 20000;
        assert_int_equal(gr_ruts_reserve(ruts, (int)tiles + 8), GR_OK);
        for (int64_t k = 0; k < tiles; k++) {
            *gr_ruts_height(ruts, k * GR_RUT_NODES, 5) = -0.01;
        }
        const uint64_t hash = gr_ruts_hash(ruts);
        const double begin = seconds();
        for (int64_t k = 0; k < 2000; k++) {
            const int64_t at = (tiles - 2) * GR_RUT_NODES;
            assert_int_equal(gr_ruts_mark(ruts, 8), GR_OK);
            for (int64_t n = 0; n < 3 * GR_RUT_NODES; n++) { // two tiles that are there, one that is not
                *gr_ruts_height(ruts, at + n, 5) -= 0.001 * (double)(k + 1);
                *gr_ruts_states(ruts, at + n, 6) = (float)k;
            }
            assert_int_equal(gr_ruts_undo(ruts), GR_OK);
        }
        time[q] = seconds() - begin;
        assert_true(gr_ruts_hash(ruts) == hash);
        gr_ruts_free(ruts);
    }
    print_message("2000 steps taken back: %.4f s on 32 m, %.4f s on 6.4 km\n", time[0], time[1]);
    assert_true(time[1] < 10 * time[0]); // a copy of all would take thousands of times as long
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_imprint),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_undo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
