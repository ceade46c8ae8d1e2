/// Rocks: area and number follow the law, without overlap.
#include "grouser/assets.h"
#include "test.h"

#include <stdlib.h>

static const GrBox2 HECTARE = {-50, -50, 50, 50};

/// Area by painting the rocks on a fine grid: what a picture from above would show.
static double painted_share(const GrRockField *field)
{
    enum { SIDE = 4000 };
    unsigned char *paint = calloc(SIDE, SIDE);
    const double cell = 100.0 / SIDE;
    for (int k = 0; k < field->count; k++) {
        const GrRock *r = &field->rocks[k];
        const double cx = (r->x + 50) / cell, cy = (r->y + 50) / cell, radius = 0.5 * r->diameter / cell;
        for (int j = (int)fmax(0, cy - radius); j < SIDE && j <= cy + radius; j++) {
            for (int i = (int)fmax(0, cx - radius); i < SIDE && i <= cx + radius; i++) {
                const double dx = i + 0.5 - cx, dy = j + 0.5 - cy;
                paint[(size_t)j * SIDE + (size_t)i] |= dx * dx + dy * dy < radius * radius;
            }
        }
    }
    double sum = 0;
    for (size_t k = 0; k < (size_t)SIDE * SIDE; k++) {
        sum += paint[k];
    }
    free(paint);
    return sum / ((double)SIDE * SIDE);
}

static void check_no_overlap(const GrRockField *field, double gap)
{
    for (int a = 0; a < field->count; a++) {
        const GrRock *p = &field->rocks[a];
        assert_true(a == 0 || p->diameter <= field->rocks[a - 1].diameter);
        for (int b = 0; b < a; b++) {
            const GrRock *q = &field->rocks[b];
            assert_true(hypot(p->x - q->x, p->y - q->y) >= 0.5 * (p->diameter + q->diameter) + gap - 1e-12);
        }
    }
}

/// Golombek's area law on a hectare: measured share within 3 % of k (e^(−q D1) − e^(−q D2)).
static void test_golombek(void **state)
{
    (void)state;
    static const double K[] = {0.02, 0.05, 0.1, 0.3};
    for (int n = 0; n < 4; n++) {
        for (uint64_t seed = 1; seed <= 3; seed++) {
            GrRockFieldDef def = gr_default_rock_field_def();
            def.box = HECTARE;
            def.k = K[n];
            def.diameter_lower = 0.2;
            def.diameter_upper = 3;
            def.seed = seed;
            GrRockField field;
            assert_int_equal(gr_rock_field_make(&def, &field, NULL), GR_OK);
            const double q = 1.79 + 0.152 / K[n];
            const double asked = K[n] * (exp(-0.2 * q) - exp(-3 * q));
            assert_near_rel(field.asked, asked, 1e-6);
            assert_near_rel(field.covered, asked, 0.03);
            assert_near_rel(painted_share(&field), asked, 0.03);
            assert_int_equal(field.not_placed, 0);
            if (seed == 1) {
                check_no_overlap(&field, 0);
            }
            // As many of each size as the law says.
            for (double d = 0.25; d < 0.6; d += 0.1) {
                double found = 0;
                for (int k = 0; k < field.count; k++) {
                    found += field.rocks[k].diameter >= d;
                }
                const double expected = 1e4 * (gr_rock_law_count(&def, d) - gr_rock_law_count(&def, 3));
                assert_near(found, expected, 2 + 0.01 * expected);
            }
            gr_rock_field_free(&field);
        }
    }
}

static void test_power_law_and_gap(void **state)
{
    (void)state;
    GrRockFieldDef def = gr_default_rock_field_def();
    def.box = HECTARE;
    def.law = GR_ROCKS_POWER;
    def.diameter_lower = 0.1;
    def.gap = 0.3;
    GrRockField field;
    assert_int_equal(gr_rock_field_make(&def, &field, NULL), GR_OK);
    const double expected = 1e4 * 0.0003 * (pow(0.1, -2.482) - pow(2, -2.482));
    assert_near(field.count, expected, 1);
    assert_near_rel(field.covered, field.asked, 0.03);
    check_no_overlap(&field, 0.3);
    gr_rock_field_free(&field);
    def.area_fraction = 0.02;
    def.gap = 0;
    assert_int_equal(gr_rock_field_make(&def, &field, NULL), GR_OK);
    assert_near_rel(field.covered, 0.02, 0.03);
    gr_rock_field_free(&field);
}

static double east_half(void *context, double x, double y)
{
    (void)context;
    (void)y;
    return x > 0 ? 0.5 : 0;
}

static void test_density_seed_and_faults(void **state)
{
    (void)state;
    GrRockFieldDef def = gr_default_rock_field_def();
    def.box = HECTARE;
    def.diameter_lower = 0.15;
    GrRockField all, half, again;
    assert_int_equal(gr_rock_field_make(&def, &all, NULL), GR_OK);
    assert_int_equal(gr_rock_field_make(&def, &again, NULL), GR_OK);
    assert_int_equal(all.count, again.count);
    assert_memory_equal(all.rocks, again.rocks, (size_t)all.count * sizeof *all.rocks);
    def.density = east_half;
    assert_int_equal(gr_rock_field_make(&def, &half, NULL), GR_OK);
    assert_near(half.count, 0.25 * all.count, 2);
    assert_near_rel(half.covered, 0.25 * all.covered, 0.03);
    for (int k = 0; k < half.count; k++) {
        assert_true(half.rocks[k].x > 0);
    }
    gr_rock_field_free(&all);
    gr_rock_field_free(&half);
    gr_rock_field_free(&again);
    GrErrorLog log = {0};
    def.k = 0;
    assert_int_equal(gr_rock_field_make(&def, &all, &log), GR_ERROR_VALUE);
    def.k = 0.1;
    def.diameter_lower = 1e-4;
    assert_int_equal(gr_rock_field_make(&def, &all, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golombek),
        cmocka_unit_test(test_power_law_and_gap),
        cmocka_unit_test(test_density_seed_and_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
