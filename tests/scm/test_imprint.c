/// A wheel's shape pressed into the ground, and laws on compacted soil, against closed forms.
#include "compact.h"
#include "support/imprint_rig.h"

static const double CELL = 0.01;

/// Along x at a depth of its lowest line below z = 0, then lifted away.
static void roll(Rig *r, double from, double to, double step, double depth)
{
    const double sense = to > from ? 1 : -1;
    const int count = (int)lround(fabs(to - from) / step);
    for (int k = 0; k <= count; k++) {
        const double x = from + sense * step * k;
        const GrImprintMotion motion = {.centre = gr_vec3(x, 0.003, r->body.radius - depth),
                                        .axle = gr_vec3(0, 1, 0),
                                        .angle = x / 0.09,
                                        .down = true};
        gr_imprint_advance(&r->imprint, &r->track, &motion);
    }
    gr_imprint_finish(&r->imprint, &r->track);
    assert_int_equal(r->ledger.missing, 0);
}

/// (1 − ρ) of the depth in the middle, the circle at the ends, nothing beside; any step gives the same.
static void test_shape(void **state)
{
    (void)state;
    Rig a, b;
    rig_make(&a, CELL, false);
    rig_make(&b, CELL, false);
    roll(&a, 0, 1, 0.0004, 0.012);
    roll(&b, 0, 1, 0.02, 0.012);
    const double r = a.body.radius;
    for (int64_t i = -20; i <= 120; i++) {
        const double x = CELL * (double)i, off = x < 0 ? -x : x > 1 ? x - 1 : 0;
        const double deep = 0.012 - (r - sqrt(fmax(0, r * r - off * off)));
        const double z = gr_ruts_get(a.ruts, i, 0);
        // Between points of the track the bottom rises by spacing²/(8 r).
        assert_near(z, off < r && deep > 0 ? -0.95 * deep : 0, 6e-5);
        assert_near(gr_ruts_get(b.ruts, i, 0), z, 1e-5);
        assert_near(gr_ruts_get(a.ruts, i, 8), 0, 0);
    }
    rig_free(&a);
    rig_free(&b);
}

/// s ← max(s, (1 − ρ)(s + p)): a second pass as high as the first presses nothing, one that is lower in the rut presses
/// on from there.
static void test_second_pass(void **state)
{
    (void)state;
    Rig r;
    rig_make(&r, CELL, false);
    roll(&r, 0, 1, 0.005, 0.012);
    const double first = gr_ruts_get(r.ruts, 50, 0), displaced = r.ledger.displaced;
    roll(&r, 0, 1, 0.005, 0.012);
    assert_near(gr_ruts_get(r.ruts, 50, 0), first, 1e-9);
    assert_near_rel(r.ledger.displaced, displaced, 1e-6);
    const double s = (double)gr_ruts_states_get(r.ruts, 50, 0)[GR_SCM_SINKAGE];
    assert_near_rel(s, -first, 1e-6);
    roll(&r, 0, 1, 0.005, 0.016);
    const double p = 0.016 + first; // below the bottom
    assert_near(gr_ruts_get(r.ruts, 50, 0), first - (0.95 * (s + p) - s), 6e-5);
    rig_free(&r);
}

/// With flow the volume that went down rises beside the wheel.
static void test_flow(void **state)
{
    (void)state;
    Rig r;
    rig_make(&r, CELL, true);
    roll(&r, 0, 1, 0.005, 0.012);
    print_message("displaced %g m3, raised %g m3, change %g m3\n", r.ledger.displaced, r.ledger.raised,
                  gr_ruts_volume(r.ruts));
    assert_near_rel(r.ledger.raised, r.ledger.displaced, 1e-9);
    assert_near(gr_ruts_volume(r.ruts), 0, 1e-9 * r.ledger.displaced);
    double highest = 0;
    for (int64_t j = -12; j <= 12; j++) {
        highest = fmax(highest, gr_ruts_get(r.ruts, 50, j));
    }
    assert_true(highest > 0.001);
    rig_free(&r);
}

/// The gain against Bekker's curve, its limits, and its slope against differences.
static void test_gain(void **state)
{
    (void)state;
    GrSoilDef soil = ishigami();
    soil.n0 = 1.3;
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    const GrSoilWheel w = prepared(&soil, &wheel);
    double slope, ignored;
    for (int k = 1; k < 20; k++) {
        const double h = 0.001 * k, s = 0.01;
        const double gain = gr_compact_gain(&w, s, h, &slope);
        // p(s + h)/p(h) of p = P z^n
        assert_near_rel(gain, pow(s + h, 1.3) / pow(h, 1.3), 1e-12);
        const double step = 1e-7, up = gr_compact_gain(&w, s, h + step, &ignored),
                     down = gr_compact_gain(&w, s, h - step, &ignored);
        assert_near_rel(slope * gain, (up - down) / (2 * step), 1e-5);
    }
    assert_near(gr_compact_gain(&w, 0, 0.01, &slope), 1, 0);
    assert_near(gr_compact_gain(&w, 1e-3, 10, &slope), 1, 1e-3);
    assert_near_rel(gr_compact_gain(&w, 0.02, 1e-9, &slope), pow(soil.rebound, -1.3), 1e-9);
    assert_near(slope, 0, 0);
}

/// On compacted soil every law carries more at the same sinkage, with ∂f_z/∂h as differences say; on virgin soil it is
/// the law itself, to the bit.
static void test_laws(void **state)
{
    (void)state;
    for (int law = 0; law < GR_SOIL_LAW_COUNT; law++) {
        if (law == GR_SOIL_SCM) {
            continue;
        }
        GrSoilDef soil = ishigami();
        soil.law = (GrSoilLaw)law;
        const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
        const GrSoilWheel w = prepared(&soil, &wheel);
        double old[GR_STATE_MAX] = {0}, next[GR_STATE_MAX], f[3];
        GrSoilOutput plain, virgin, firm, at[3];
        GrSoilMotion motion = {.sinkage = {0.01}, .twist = {0.09, 0, 0, 0, 1, 0}};
        for (int k = 0; k < 400; k++) { // rolls until it is steady
            gr_compact_evaluate(&w, 0.008, &motion, 0.005, old, next, &firm);
            memcpy(old, next, sizeof old);
        }
        gr_soil_evaluate(&w, &motion, 0.005, old, NULL, &plain);
        gr_compact_evaluate(&w, 0, &motion, 0.005, old, NULL, &virgin);
        assert_memory_equal(&plain, &virgin, sizeof plain);
        for (int k = 0; k < 3; k++) {
            GrSoilMotion moved = motion;
            moved.sinkage[0] += 1e-6 * (k - 1);
            gr_compact_evaluate(&w, 0.008, &moved, 0.005, old, NULL, &at[k]);
            f[k] = at[k].wrench[2];
        }
        const double slope = (f[2] - f[0]) / 2e-6;
        print_message("%-13s %.2f N, compacted %.2f N; slope %.0f N/m, differences %.0f N/m\n",
                      gr_soil_law_name((GrSoilLaw)law), plain.wrench[2], f[1], at[1].d_sinkage[2], slope);
        assert_true(f[1] > 1.3 * plain.wrench[2]);
        assert_near_rel(at[1].d_sinkage[2], slope, 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape), cmocka_unit_test(test_second_pass), cmocka_unit_test(test_flow),
        cmocka_unit_test(test_gain),  cmocka_unit_test(test_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
