/// Traces: table 2 of Kamohara et al. 2024 off the grid, period, steps, walls, curves, standing wheels.
#include "grouser/soil.h"
#include "test.h"
#include "trace_wheel.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

/// The wheel of the paper.
static GrSoilWheelDef paper_wheel(void)
{
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    wheel.radius = 0.1;
    wheel.width = 0.08;
    wheel.grouser_count = 14;
    wheel.grouser_height = 0.02;
    return wheel;
}

typedef struct Bench {
    GrSoilDef soil;
    GrSoilWheelDef wheel;
    GrTraceWheel trace;
    GrRutTrack track;
    GrRuts *ruts;
    GrTraceMotion motion;
    int flags;
} Bench;

static void begin(Bench *b, double cell)
{
    const GrTraceDef def = gr_default_trace_def();
    GrRutsDef ruts = gr_default_ruts_def();
    memset(b, 0, sizeof *b);
    b->soil = gr_default_soil_def();
    b->wheel = paper_wheel();
    ruts.cell = cell;
    ruts.tile_capacity = 2048;
    assert_int_equal(gr_ruts_create(&ruts, &b->ruts, NULL), GR_OK);
    gr_trace_prepare(&def, &b->soil, &b->wheel, cell, &b->trace);
    b->motion = (GrTraceMotion){.ahead = {1, 0, 0}, .normal = {0, 0, 1}, .load = 8.6};
}

/// Straight on by `length`, in steps of `step`, with the rotation that its slip implies.
static void roll(Bench *b, double length, double slip, double step)
{
    const int count = (int)lround(fabs(length) / step);
    const double dx = length / count;
    b->motion.slip = slip;
    for (int i = 0; i < count; i++) {
        b->motion.point.x += dx * b->motion.ahead.x;
        b->motion.point.y += dx * b->motion.ahead.y;
        b->motion.angle += dx / (b->wheel.radius * (1 - slip));
        b->flags |= gr_trace_advance(&b->trace, &b->track, &b->motion, b->ruts);
    }
}

static double height(const Bench *b, double x, double y)
{
    const double cell = gr_ruts_def(b->ruts)->cell;
    return gr_ruts_get(b->ruts, lround(x / cell), lround(y / cell));
}

/// Lowest and highest node of the centre line between two places.
static void measure(const Bench *b, double from, double to, double *trough, double *crest)
{
    const double cell = gr_ruts_def(b->ruts)->cell;
    *trough = 1;
    *crest = -1;
    for (int i = (int)ceil(from / cell); i <= (int)floor(to / cell); i++) {
        const double z = gr_ruts_get(b->ruts, i, 0);
        *trough = fmin(*trough, z);
        *crest = fmax(*crest, z);
    }
}

static void test_table(void **state)
{
    (void)state;
    static const struct {
        double load, mean, swing; // [N], [mm], [mm]
    } rows[] = {{3.0, -2.5, 8.0}, {5.0, -3.75, 8.5}, {8.6, -5.25, 8.5}, {12.9, -7.5, 9.0}, {17.9, -9.0, 9.0}};
    double mean_off = 0, swing_off = 0;
    for (int k = 0; k < 5; k++) {
        Bench b;
        double trough, crest;
        begin(&b, 0.0025);
        b.motion.load = rows[k].load;
        roll(&b, 1, 0.1, 1e-3);
        measure(&b, 0.1, 0.8, &trough, &crest);
        mean_off += fabs(1000 * 0.5 * (crest + trough) - rows[k].mean) / 5;
        swing_off += fabs(1000 * (crest - trough) - rows[k].swing) / 5;
        assert_int_equal(b.flags, 0);
        gr_ruts_free(b.ruts);
    }
    // The regression's own errors, as the lines leave them: 0.2205 and 0.1467 mm.
    assert_near(mean_off, 0.2205, 0.005);
    assert_near(swing_off, 0.1467, 0.01);
    assert_true(mean_off < 0.225);
    assert_true(swing_off < 0.155);
}

/// Crests and troughs of the centre line lie one period apart, and the wheel's phase is the ground's.
static void test_period(void **state)
{
    (void)state;
    static const double slips[] = {0, 0.1, 0.3, 0.5, -0.25};
    for (size_t k = 0; k < sizeof slips / sizeof slips[0]; k++) {
        Bench b;
        const double cell = 0.0025, r = 0.1, wanted = 2 * PI * r * (1 - slips[k]) / 14;
        int crossings = 0, last_i = 0;
        double first = 0, last = 0;
        begin(&b, cell);
        roll(&b, 1.5, slips[k], 1e-3);
        const double level = gr_trace_shape(&b.trace, b.motion.load, slips[k]).mean;
        double before = gr_ruts_get(b.ruts, 20, 0);
        for (int i = 21; i <= 400; i++) {
            const double z = gr_ruts_get(b.ruts, i, 0);
            if (before < level && z >= level) {
                const double x = cell * (i - (z - level) / (z - before));
                first = crossings == 0 ? x : first;
                if (crossings > 0) {
                    assert_near(x - last, wanted, cell);
                }
                last = x;
                last_i = i;
                crossings++;
            }
            before = z;
        }
        assert_true(crossings > 10 && last_i > 350);
        assert_near((last - first) / (crossings - 1), wanted, 0.02 * cell);
        // Grouser down, trough: at φ = 0.
        assert_near(height(&b, wanted, 0), level - 0.5 * gr_trace_shape(&b.trace, b.motion.load, 0).swing, 2e-4);
        gr_ruts_free(b.ruts);
    }
}

/// A bend of radius 0.6 m with a load that swings, in steps of `dt`.
static void drive_bend(Bench *b, double dt, double cell)
{
    const double speed = 0.05, bend = 0.6;
    begin(b, cell);
    const int count = (int)lround(30 / dt);
    for (int i = 0; i <= count; i++) {
        const double time = i * dt, turn = speed * time / bend;
        b->motion.point = (GrVec3){bend * sin(turn), bend * (1 - cos(turn)), 0};
        b->motion.ahead = (GrVec3){cos(turn), sin(turn), 0};
        b->motion.angle = speed * time / (0.1 * 0.8);
        b->motion.load = 9 + 4 * sin(0.9 * time);
        b->flags |= gr_trace_advance(&b->trace, &b->track, &b->motion, b->ruts);
    }
}

static double largest_difference(const Bench *a, const Bench *b, int from, int to)
{
    double worst = 0;
    for (int j = from; j <= to; j++) {
        for (int i = from; i <= to; i++) {
            const double off = fabs(gr_ruts_get(a->ruts, i, j) - gr_ruts_get(b->ruts, i, j));
            worst = off > worst ? off : worst;
        }
    }
    return worst;
}

static void test_step_size(void **state)
{
    (void)state;
    Bench short_steps, long_steps;
    drive_bend(&short_steps, 0.001, 0.005);
    drive_bend(&long_steps, 0.005, 0.005);
    assert_true(gr_ruts_volume(short_steps.ruts) < -1e-4);
    assert_near(gr_ruts_volume(short_steps.ruts), gr_ruts_volume(long_steps.ruts), 1e-7);
    const double worst = largest_difference(&short_steps, &long_steps, -60, 260);
    assert_true(worst < 1e-5); // of some 10 mm; what is left is the load between the steps' ends
    gr_ruts_free(short_steps.ruts);
    gr_ruts_free(long_steps.ruts);
}

/// Every node inside the wheel's track is reached, none outside.
static void test_no_gaps(void **state)
{
    (void)state;
    Bench b;
    const double cell = 0.004, bend = 0.6, half = 0.04, last = 0.05 * 30 / bend;
    drive_bend(&b, 0.005, cell);
    int inside = 0;
    for (int j = -40; j <= 340; j++) {
        for (int i = -40; i <= 200; i++) {
            const double x = i * cell, y = j * cell, rho = sqrt(x * x + (y - bend) * (y - bend));
            const double along = atan2(x, bend - y), z = gr_ruts_get(b.ruts, i, j);
            const bool on_way = along > 0.01 && along < last - (0.13 / bend);
            if (fabs(rho - bend) > half + 1e-4 || along < -0.01) {
                assert_near(z, 0, 0);
            } else if (on_way && fabs(rho - bend) < half - 1e-4) {
                // Deep enough everywhere at these loads: crests stay below the ground.
                inside++;
                assert_true(z != 0);
            }
        }
    }
    assert_true(inside > 5000);
    gr_ruts_free(b.ruts);
}

/// Across the track: walls at the angle of repose from the wheel's edges, a floor between them.
static void test_trapezoid(void **state)
{
    (void)state;
    Bench b;
    const double cell = 0.001;
    begin(&b, cell);
    b.motion.load = 17.9;
    roll(&b, 0.6, 0, 1e-3);
    const double wall = tan(b.soil.repose_angle), period = 2 * PI * 0.1 / 14;
    const double x = cell * round(5 * period / cell), floor_z = height(&b, x, 0);
    assert_near(floor_z, -0.009295 - 0.5 * 0.009131, 1e-4);
    for (int j = -45; j <= 45; j++) {
        const double y = j * cell, room = 0.04 - fabs(y);
        assert_near(height(&b, x, y), room > 0 ? fmax(floor_z, -room * wall) : 0, 1e-9);
    }
    gr_ruts_free(b.ruts);
}

/// A wheel that spins on the spot leaves no deeper trace than one that rolls, for any duration.
static void test_standing(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 0.005);
    roll(&b, 0.3, 0.2, 1e-3);
    const uint64_t before = gr_ruts_hash(b.ruts);
    for (int i = 0; i < 4000; i++) {
        b.motion.angle += 0.01;
        b.motion.slip = 1;
        gr_trace_advance(&b.trace, &b.track, &b.motion, b.ruts);
    }
    assert_true(gr_ruts_hash(b.ruts) == before);
    roll(&b, 0.4, 0.2, 1e-3);
    double trough, crest;
    measure(&b, 0.05, 0.5, &trough, &crest);
    const GrTraceShape shape = gr_trace_shape(&b.trace, b.motion.load, 0.2);
    assert_true(trough >= shape.mean - 0.5 * shape.swing - 1e-12);
    gr_ruts_free(b.ruts);
}

/// The ground under the wheel is unchanged; once the wheel has left, the trace is complete.
static void test_own_ground(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 0.005);
    for (int k = 0; k < 100; k++) {
        roll(&b, 0.01, 0.1, 1e-3);
        for (int i = -20; i <= 20; i++) {
            const double x = b.motion.point.x + 0.005 * i;
            assert_near(height(&b, x, 0), 0, 0);
        }
    }
    gr_trace_finish(&b.trace, &b.track, b.ruts);
    for (int i = 1; i < 199; i++) {
        assert_true(gr_ruts_get(b.ruts, i, 0) < 0);
    }
    assert_near(gr_ruts_get(b.ruts, 202, 0), 0, 0);
    gr_ruts_free(b.ruts);
}

/// Back and forth over the same ground: each node has the lowest of the passes, and none is deeper than one pass alone.
static void test_passes(void **state)
{
    (void)state;
    Bench once, twice;
    begin(&once, 0.005);
    begin(&twice, 0.005);
    roll(&once, 1, 0.1, 1e-3);
    roll(&twice, 1, 0.1, 1e-3);
    roll(&twice, -1, 0.1, 1e-3);
    gr_trace_finish(&once.trace, &once.track, once.ruts);
    gr_trace_finish(&twice.trace, &twice.track, twice.ruts);
    const GrTraceShape shape = gr_trace_shape(&twice.trace, 8.6, 0.1);
    for (int i = 5; i < 190; i++) {
        const double a = gr_ruts_get(once.ruts, i, 0), b = gr_ruts_get(twice.ruts, i, 0);
        assert_true(b <= a && b >= shape.mean - 0.5 * shape.swing - 1e-12);
    }
    gr_ruts_free(once.ruts);
    gr_ruts_free(twice.ruts);
}

/// In the air nothing is left, and the two parts of the track are not joined.
static void test_hop(void **state)
{
    (void)state;
    Bench b;
    begin(&b, 0.005);
    roll(&b, 0.3, 0, 1e-3);
    b.motion.load = 0;
    roll(&b, 0.08, 0, 1e-3);
    b.motion.load = 8.6;
    roll(&b, 0.5, 0, 1e-3);
    assert_true(height(&b, 0.28, 0) < 0 && height(&b, 0.4, 0) < 0);
    for (int i = 62; i < 76; i++) {
        assert_near(gr_ruts_get(b.ruts, i, 0), 0, 0);
    }
    gr_ruts_free(b.ruts);
}

/// A period that the grid cannot resolve is omitted, not aliased.
static void test_coarse_grid(void **state)
{
    (void)state;
    Bench b;
    double trough, crest;
    begin(&b, 0.03); // 45 mm: 1.5 cells
    roll(&b, 1.5, 0, 1e-3);
    measure(&b, 0.1, 1.2, &trough, &crest);
    assert_near(crest - trough, 0, 1e-9);
    assert_near(trough, gr_trace_shape(&b.trace, 8.6, 0).mean, 1e-9);
    gr_ruts_free(b.ruts);
}

/// Twice the size at 2^3 of the load, or a sixth of gravity at a sixth of it, gives the same scaled trace.
static void test_likeness(void **state)
{
    (void)state;
    const GrTraceDef def = gr_default_trace_def();
    const GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = paper_wheel();
    GrTraceWheel one, large, moon, smooth;
    gr_trace_prepare(&def, &soil, &wheel, 0.01, &one);
    wheel.gravity /= 6;
    gr_trace_prepare(&def, &soil, &wheel, 0.01, &moon);
    wheel = paper_wheel();
    wheel.radius *= 2;
    wheel.width *= 2;
    wheel.grouser_height *= 2;
    gr_trace_prepare(&def, &soil, &wheel, 0.01, &large);
    wheel.grouser_count = 0;
    gr_trace_prepare(&def, &soil, &wheel, 0.01, &smooth);
    const GrTraceShape a = gr_trace_shape(&one, 6, 0.2), b = gr_trace_shape(&large, 48, 0.2),
                       c = gr_trace_shape(&moon, 1, 0.2);
    assert_near(b.mean, 2 * a.mean, 1e-12);
    assert_near(b.swing, 2 * a.swing, 1e-12);
    assert_near(c.mean, a.mean, 1e-12);
    assert_near(gr_trace_shape(&smooth, 48, 0.2).swing, 0, 0);
    assert_int_equal(a.flags, 0);
    assert_int_equal(gr_trace_shape(&one, 2, 0).flags, GR_TRACE_LIGHT);
    assert_int_equal(gr_trace_shape(&one, 20, 0).flags, GR_TRACE_HEAVY);
    assert_near(gr_trace_shape(&one, 1.5, 0).mean, 0.5 * gr_trace_shape(&one, 3, 0).mean, 1e-12);
}

static void test_tiles_run_out(void **state)
{
    (void)state;
    Bench b;
    GrRutsDef def = gr_default_ruts_def();
    begin(&b, 0.005);
    gr_ruts_free(b.ruts);
    def.cell = 0.005;
    def.tile_capacity = 1;
    gr_ruts_create(&def, &b.ruts, NULL);
    roll(&b, 1, 0, 1e-3);
    assert_true(b.flags & GR_TRACE_FULL);
    gr_ruts_free(b.ruts);
}

/// The predicted number of tiles is sufficient, in any direction.
static void test_tiles_promised(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        Bench b;
        GrRutsDef def = gr_default_ruts_def();
        begin(&b, 0.005);
        gr_ruts_free(b.ruts);
        def.cell = 0.005;
        def.tile_capacity = 1;
        gr_ruts_create(&def, &b.ruts, NULL);
        b.motion.ahead = (GrVec3){cos(0.7 * k), sin(0.7 * k), 0};
        for (int i = 0; i < 200; i++) {
            assert_int_equal(gr_ruts_reserve(b.ruts, gr_trace_tiles(&b.trace, def.cell)), GR_OK);
            roll(&b, 0.005, 0, 0.005);
        }
        assert_false(b.flags & GR_TRACE_FULL);
        gr_ruts_free(b.ruts);
    }
}

static void test_check(void **state)
{
    (void)state;
    GrTraceDef def = gr_default_trace_def();
    assert_int_equal(gr_trace_check(&def, NULL), GR_OK);
    def.width = 0;
    assert_int_equal(gr_trace_check(&def, NULL), GR_ERROR_VALUE);
    def = gr_default_trace_def();
    def.mean.base = (double)NAN;
    assert_int_equal(gr_trace_check(&def, NULL), GR_ERROR_VALUE);
    def = gr_default_trace_def();
    def.load_max = 1;
    assert_int_equal(gr_trace_check(&def, NULL), GR_ERROR_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),          cmocka_unit_test(test_period),    cmocka_unit_test(test_step_size),
        cmocka_unit_test(test_no_gaps),        cmocka_unit_test(test_trapezoid), cmocka_unit_test(test_standing),
        cmocka_unit_test(test_own_ground),     cmocka_unit_test(test_passes),    cmocka_unit_test(test_hop),
        cmocka_unit_test(test_coarse_grid),    cmocka_unit_test(test_likeness),  cmocka_unit_test(test_tiles_run_out),
        cmocka_unit_test(test_tiles_promised), cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
