/// Slopes that slump: the sweeps of SCM, which look only at what has changed, against sweeps over all pairs of nodes.
#include "random.h"
#include "scm_grid.h"
#include "test.h"

#include <stdlib.h>

/// A sweep over all pairs, one by one, in the same order: with the neighbours to the east, north, north-east and
/// north-west, row by row.
static int sweep_all(const GrScmBody *body, GrScmRange r, const double *first, const double *held, double *change,
                     double *sinkage)
{
    const int side = body->side, to[4] = {1, side, side + 1, side - 1};
    const double straight = body->tan_repose * body->cell;
    int moved = 0;
    for (int j = r.j0; j < r.j1 - 1; j++) {
        for (int q = 0; q < 4; q++) {
            const double repose = q < 2 ? straight : 1.4142135623730951 * straight;
            for (int i = r.i0 + 1; i < r.i1 - 1; i++) {
                const int a = j * side + i, b = a + to[q];
                const double was = first[a] - first[b], fall = was + (change[a] - change[b]);
                const double excess = fabs(fall) - fmax(fabs(was), repose) - (held[a] + held[b]);
                if (excess > 0) {
                    const int high = fall > 0 ? a : b, low = fall > 0 ? b : a;
                    change[high] -= 0.25 * excess;
                    change[low] += 0.25 * excess;
                    sinkage[low] = fmax(0, sinkage[low] - 0.25 * excess);
                    moved++;
                }
            }
        }
    }
    return moved;
}

/// A rut with walls and berms across the box, at a heading, on rough or sloping ground at a height, with some noise.
static void make_rut(GrRandom *random, const GrScmBody *body, double height, GrScmScratch *s)
{
    const double heading = gr_random_uniform(random, 0, 3), c = cos(heading), n = sin(heading);
    const double slope = gr_random_uniform(random, -0.5, 0.5), noise = gr_random_uniform(random, 0, 2e-3);
    const double deep = gr_random_uniform(random, 0.01, 0.05);
    for (int k = 0; k < s->side * s->side; k++) {
        const double x = body->cell * (k % s->side - s->side / 2), y = body->cell * (k / s->side - s->side / 2);
        const double off = fabs(x * n - y * c);
        s->first[k] = height + slope * x + gr_random_uniform(random, 0, 0.3 * body->cell);
        s->change[k] = (off < 0.04 ? -deep : off < 0.06 ? deep : 0) + gr_random_uniform(random, -noise, noise);
        s->sinkage[k] = off < 0.04 ? 0.9 * deep : 0;
        s->depth[k] = x * x + y * y < 0.02 * 0.02 ? 1e9 : 0;
    }
}

static void test_all_slopes_are_seen(void **state)
{
    (void)state;
    enum { CASES = 60 };
    GrRandom random = gr_random_stream(3, "slump");
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_SCM;
    long moved = 0;
    for (int n = 0; n < CASES; n++) {
        GrScmBody body;
        assert_int_equal(gr_scm_prepare_wheel(&soil, &wheel, n % 2 == 0 ? 0.01 : 0.006, &body, NULL), GR_OK);
        GrScmScratch *s = gr_scm_scratch_create(&body);
        const double height = n % 3 == 0 ? -4500 : 0;
        gr_scm_box_place(&body, &(GrScmPose){.centre = {0, 0, height}, .axes = gr_mat3_identity()}, s);
        make_rut(&random, &body, height, s);
        if (n % 5 == 0) { // the edge of the map
            for (int j = 0; j < s->side; j++) {
                s->first[j * s->side + 5] = -GR_SCM_NOWHERE;
            }
        }
        const size_t size = sizeof(double) * (size_t)(s->side * s->side);
        double *change = malloc(size), *sinkage = malloc(size);
        memcpy(change, s->change, size);
        memcpy(sinkage, s->sinkage, size);
        const GrScmRange range = {1 + n % 4, s->side - 1 - n % 7, 1, s->side - 2};
        const int sweeps = n % 4 == 0 ? 3000 : 1 + n % 12;
        gr_scm_slump(&body, height, range, sweeps, s);
        int left = 1;
        for (int k = 0; k < sweeps && left > 0; k++) {
            left = sweep_all(&body, range, s->first, s->depth, change, sinkage);
            moved += left;
        }
        for (int k = 0; k < s->side * s->side; k++) {
            assert_true(s->change[k] == change[k] && s->sinkage[k] == sinkage[k]);
        }
        free(change);
        free(sinkage);
        gr_scm_scratch_free(s);
    }
    print_message("%ld moves\n", moved);
    assert_true(moved > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_slopes_are_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
