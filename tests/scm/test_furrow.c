/// The ground around a wheel: walls of ruts, its own heap, and independence of the step.
#include "furrow.h"
#include "support/imprint_rig.h"

static const double CELL = 0.005;

static GrFurrowWheel wheel_of(const Rig *r)
{
    return (GrFurrowWheel){r->body.radius, r->body.width, r->body.soil.friction_angle, 1};
}

/// A wheel at (x, y) with this heading, `depth` below the ground at height `ground`.
static GrFurrowMotion motion_at(const Rig *r, double x, double y, double heading, double ground, double depth)
{
    return (GrFurrowMotion){.wheel = {.centre = gr_vec3(x, y, ground + r->body.radius - depth),
                                      .axle = gr_vec3(-sin(heading), cos(heading), 0),
                                      .down = true},
                            .velocity = gr_vec3(0.1 * cos(heading), 0.1 * sin(heading), 0),
                            .spin = gr_vec3(0, 1, 0),
                            .sinkage = depth};
}

/// A trough of depth 30 mm and the width of the wheel and a little more, along x; at any place in it, and beside it.
static void test_trough(void **state)
{
    (void)state;
    Rig r;
    rig_make(&r, CELL, true);
    GrRuts *ruts = rig_ruts(CELL);
    const double half = 0.5 * r.body.width + 1.5 * CELL, deep = 0.03;
    for (int64_t i = -200; i < 200; i++) {
        for (int64_t j = -40; j <= 40; j++) {
            *gr_ruts_height(ruts, i, j) = fabs((double)j * CELL) < half ? -deep : 0;
        }
    }
    for (int k = 0; k < 2; k++) {
        GrFurrow f = {.known = 0};
        const double heading = k ? 3.14159265358979 / 2 : 0; // across it the walls are before and behind
        const GrFurrowMotion motion = motion_at(&r, 0.2, 0, heading, -deep, 0.01);
        GrFurrowWheel wheel = wheel_of(&r);
        wheel.width = k ? 0.02 : wheel.width;
        gr_furrow_advance(&wheel, ruts, NULL, CELL, &motion, &f);
        assert_int_equal(f.known, 1);
        if (k == 0) {
            assert_near(f.read[0], 0, 1e-12);
            assert_near(f.read[1], 0, 1e-12);
            assert_true(f.read[2] > 0.7 * deep && f.read[2] <= deep);
            assert_near(f.read[2], f.read[3], 1e-12);
        } else {
            assert_near(f.read[2], 0, 1e-12);
            assert_near(f.read[3], 0, 1e-12);
        }
    }
    gr_ruts_free(ruts);
    rig_free(&r);
}

/// Rolls 0.3 m in steps of this length and returns the furrow at the end.
static GrFurrow roll(Rig *r, double step, double slip)
{
    GrFurrow f = {.known = 0};
    const GrFurrowWheel wheel = wheel_of(r);
    const int count = (int)lround(0.3 / step);
    for (int k = 0; k <= count; k++) {
        GrFurrowMotion motion = motion_at(r, step * k, 0.001, 0, 0, 0.02);
        motion.slip = slip;
        gr_furrow_advance(&wheel, NULL, &r->imprint, CELL, &motion, &f);
    }
    assert_int_equal(r->ledger.missing, 0);
    return f;
}

/// A wheel raises berms beside it that hold what it displaced; the same with any step; more behind it when it spins.
static void test_own_heap(void **state)
{
    (void)state;
    GrFurrow f[3];
    static const double steps[] = {2.5e-4, 1e-3, 1e-3}, slips[] = {0, 0, 0.8};
    for (int k = 0; k < 3; k++) {
        Rig r;
        rig_make(&r, CELL, true);
        f[k] = roll(&r, steps[k], slips[k]);
        print_message("slip %g, steps of %g mm: before %.2f, behind %.2f, left %.2f, right %.2f mm\n", slips[k],
                      1e3 * steps[k], 1e3 * f[k].around[0], 1e3 * f[k].around[1], 1e3 * f[k].around[2],
                      1e3 * f[k].around[3]);
        assert_near_rel(r.ledger.raised, r.ledger.displaced, 1e-6); // nothing is lost
        rig_free(&r);
    }
    assert_true(f[0].around[2] > 1e-3 && f[0].around[3] > 1e-3 && f[0].around[1] < -5e-3);
    for (int i = 0; i < 4; i++) {
        assert_near(f[0].around[i], f[1].around[i], 5e-4);
    }
    assert_true(f[2].around[2] < f[0].around[2] && f[2].around[1] > f[0].around[1]);
}

/// A wheel that is lifted forgets; one that stands still does not change.
static void test_rest(void **state)
{
    (void)state;
    Rig r;
    rig_make(&r, CELL, true);
    const GrFurrowWheel wheel = wheel_of(&r);
    GrFurrow f = roll(&r, 1e-3, 0), before = f;
    GrFurrowMotion motion = motion_at(&r, 0.3, 0.001, 0, 0, 0.02);
    for (int k = 0; k < 100; k++) {
        gr_furrow_advance(&wheel, NULL, &r.imprint, CELL, &motion, &f);
    }
    assert_memory_equal(&f, &before, sizeof f);
    motion.wheel.down = false;
    gr_furrow_advance(&wheel, NULL, &r.imprint, CELL, &motion, &f);
    assert_false(gr_furrow_around(&f).known);
    rig_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trough),
        cmocka_unit_test(test_own_heap),
        cmocka_unit_test(test_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
