/// A hole and spikes in a map: what was cut out comes back better than by plain inverse distances, without a step at
/// the seam, and no good cell is touched. On the real map of Gale crater where it is there, and on one made here.
#include "clean.h"
#include "memory_map.h"
#include "random.h"

enum { HOLE = 60 };

/// Rough ground: waves from 200 m down to 4 m, heights falling faster than lengths.
static MemoryMap made_ground(int64_t nx, int64_t ny)
{
    MemoryMap map = memory_map(nx, ny, 1);
    GrRandom random = gr_random_stream(11, "ground");
    for (int k = 0; k < 60; k++) {
        const double length = 200 * pow(0.935, k), angle = gr_random_uniform(&random, 0, 6.2831853);
        const double amplitude = 0.006 * length, phase = gr_random_uniform(&random, 0, 6.2831853);
        const double kx = 6.2831853 / length * cos(angle), ky = 6.2831853 / length * sin(angle);
        for (int64_t j = 0; j < ny; j++) {
            for (int64_t i = 0; i < nx; i++) {
                map.z[j * nx + i] += amplitude * sin(kx * (double)i + ky * (double)j + phase);
            }
        }
    }
    return map;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// 95th percentile of the change from cell to cell.
static double change_p95(const MemoryMap *map)
{
    const int64_t nx = map->frame.nx, ny = map->frame.ny;
    double *d = malloc((size_t)(2 * nx * ny) * sizeof *d);
    size_t count = 0;
    for (int64_t j = 0; j < ny; j++) {
        for (int64_t i = 0; i < nx; i++) {
            if (i + 1 < nx) {
                d[count++] = fabs(map->z[j * nx + i + 1] - map->z[j * nx + i]);
            }
            if (j + 1 < ny) {
                d[count++] = fabs(map->z[(j + 1) * nx + i] - map->z[j * nx + i]);
            }
        }
    }
    qsort(d, count, sizeof *d, compare);
    const double p95 = d[(size_t)(0.95 * (double)count)];
    free(d);
    return p95;
}

/// The least that the steps at the corners of a square hole can be: a corner has good cells on two sides, and half
/// their difference is left when it lies midway.
static double least_seam(const MemoryMap *truth, int64_t i0, int64_t j0)
{
    const int64_t nx = truth->frame.nx, i1 = i0 + HOLE - 1, j1 = j0 + HOLE - 1;
    const int64_t beside[4][2] = {{j0 * nx + i0 - 1, (j0 - 1) * nx + i0},
                                  {j0 * nx + i1 + 1, (j0 - 1) * nx + i1},
                                  {j1 * nx + i0 - 1, (j1 + 1) * nx + i0},
                                  {j1 * nx + i1 + 1, (j1 + 1) * nx + i1}};
    double least = 0;
    for (int k = 0; k < 4; k++) {
        least = fmax(least, 0.5 * fabs(truth->z[beside[k][0]] - truth->z[beside[k][1]]));
    }
    return least;
}

/// Plain inverse-distance filling: weights 1 / d² of all known cells within 60 cells.
static double inverse_distance(const MemoryMap *map, int64_t i, int64_t j)
{
    double sum = 0, weight = 0;
    for (int64_t b = j - HOLE; b <= j + HOLE; b++) {
        for (int64_t a = i - HOLE; a <= i + HOLE; a++) {
            if (a < 0 || b < 0 || a >= map->frame.nx || b >= map->frame.ny || isnan(map->z[b * map->frame.nx + a])) {
                continue;
            }
            const double w = 1 / (double)((a - i) * (a - i) + (b - j) * (b - j));
            sum += w * map->z[b * map->frame.nx + a];
            weight += w;
        }
    }
    return sum / weight;
}

/// Cuts out, corrupts and cleans a map, and compares the result with the original. Returns its RMS error divided by
/// that of inverse-distance weighting.
static double spoil_and_clean(const MemoryMap *truth, int64_t i0, int64_t j0, int spikes, uint64_t seed)
{
    const int64_t nx = truth->frame.nx, ny = truth->frame.ny, cells = nx * ny;
    MemoryMap map = memory_map(nx, ny, truth->frame.dx);
    unsigned char *bad = calloc((size_t)cells, 1);
    memcpy(map.z, truth->z, (size_t)cells * sizeof *map.z);
    GrRandom random = gr_random_stream(seed, "spikes");
    for (int k = 0; k < spikes; k++) {
        const int64_t cell = (int64_t)gr_random_below(&random, (uint64_t)cells);
        const double size = gr_random_uniform(&random, 2, 20);
        map.z[cell] += gr_random_unit(&random) < 0.5 ? -size : size;
        bad[cell] = 1;
    }
    for (int64_t j = j0; j < j0 + HOLE; j++) {
        for (int64_t i = i0; i < i0 + HOLE; i++) {
            map.z[j * nx + i] = NAN;
            bad[j * nx + i] = 2;
        }
    }
    const GrCleanDef def = gr_default_clean_def();
    GrCleaning cleaning;
    assert_int_equal(gr_clean(&map.frame, memory_map_source(&map), &def, &cleaning, NULL, NULL, NULL), GR_OK);
    MemoryMap after = memory_map(nx, ny, truth->frame.dx);
    GrCleanOverlay overlay = {&cleaning, memory_map_source(&map)};
    const GrSource source = gr_clean_overlay(&overlay);
    assert_int_equal(source.read(source.context, (GrGridWindow){0, 0, (int)nx, (int)ny}, after.z, NULL), GR_OK);
    double ours = 0, plain = 0, spike_error = 0, seam = 0;
    for (int64_t k = 0; k < cells; k++) {
        if (bad[k] == 0) {
            assert_memory_equal(&after.z[k], &truth->z[k], sizeof(double)); // bit by bit
        } else if (bad[k] == 1) {
            spike_error = fmax(spike_error, fabs(after.z[k] - truth->z[k]));
        } else {
            ours += (after.z[k] - truth->z[k]) * (after.z[k] - truth->z[k]);
            const double p = inverse_distance(&map, k % nx, k / nx) - truth->z[k];
            plain += p * p;
        }
    }
    for (int k = 0; k < HOLE; k++) {
        seam = fmax(seam, fabs(after.z[(j0 + k) * nx + i0] - after.z[(j0 + k) * nx + i0 - 1]));
        seam = fmax(seam, fabs(after.z[(j0 + k) * nx + i0 + HOLE - 1] - after.z[(j0 + k) * nx + i0 + HOLE]));
        seam = fmax(seam, fabs(after.z[j0 * nx + i0 + k] - after.z[(j0 - 1) * nx + i0 + k]));
        seam = fmax(seam, fabs(after.z[(j0 + HOLE - 1) * nx + i0 + k] - after.z[(j0 + HOLE) * nx + i0 + k]));
    }
    print_message("hole at (%lld, %lld): RMS %.3f m, by inverse distances %.3f m; seam %.3f m, map's own p95 %.3f m; "
                  "worst of %d spikes %.3f m\n",
                  (long long)i0, (long long)j0, sqrt(ours / (HOLE * HOLE)), sqrt(plain / (HOLE * HOLE)), seam,
                  change_p95(truth), spikes, spike_error);
    assert_true(seam <= fmax(change_p95(truth), least_seam(truth, i0, j0) * (1 + 1e-9)));
    assert_true(spike_error < 0.7);
    gr_cleaning_free(&cleaning);
    free(map.z);
    free(after.z);
    free(bad);
    return sqrt(ours / plain);
}

static void test_made_ground(void **state)
{
    (void)state;
    MemoryMap map = made_ground(300, 280);
    for (int k = 0; k < 6; k += 2) {
        assert_true(spoil_and_clean(&map, 20 + 100 * (k % 3), 30 + 140 * (k / 3), 100 * k, (uint64_t)k) < 1);
    }
    free(map.z);
}

static void test_gale(void **state)
{
    (void)state;
    MemoryMap map;
    if (!memory_map_gale(&map)) {
        skip();
    }
    for (int k = 0; k < 12; k++) {
        assert_true(spoil_and_clean(&map, 20 + 80 * (k % 4), 15 + 120 * (k / 4), 100 * k, (uint64_t)k) < 1);
    }
    free(map.z);
}

/// A clean map is not changed: no outliers, no fills.
static void test_good_map_untouched(void **state)
{
    (void)state;
    MemoryMap map = made_ground(250, 230);
    const GrCleanDef def = gr_default_clean_def();
    GrCleaning cleaning;
    assert_int_equal(gr_clean(&map.frame, memory_map_source(&map), &def, &cleaning, NULL, NULL, NULL), GR_OK);
    assert_int_equal(cleaning.fill_count, 0);
    gr_cleaning_free(&cleaning);
    free(map.z);
}

/// Spikes in clusters, at corners and edges, and beside a void are found; a large void at the border is left.
static void test_awkward_places(void **state)
{
    (void)state;
    MemoryMap map = made_ground(200, 180), truth = made_ground(200, 180);
    static const int SPIKES[][2] = {{0, 0},   {199, 179}, {100, 0}, {0, 90},   {50, 50},
                                    {51, 50}, {50, 51},   {51, 51}, {120, 99}, {19, 150}};
    for (int j = 100; j < 110; j++) {
        for (int i = 115; i < 130; i++) {
            map.z[j * 200 + i] = NAN;
        }
    }
    for (int j = 140; j < 180; j++) {
        for (int i = 0; i < 18; i++) {
            map.z[j * 200 + i] = NAN;
        }
    }
    for (size_t k = 0; k < sizeof SPIKES / sizeof SPIKES[0]; k++) {
        map.z[SPIKES[k][1] * 200 + SPIKES[k][0]] += 6;
    }
    const GrCleanDef def = gr_default_clean_def();
    GrCleaning cleaning;
    assert_int_equal(gr_clean(&map.frame, memory_map_source(&map), &def, &cleaning, NULL, NULL, NULL), GR_OK);
    assert_true(cleaning.outliers == 10);
    assert_true(cleaning.holes_left == 1);
    assert_true(cleaning.left == 40 * 18);
    GrCleanOverlay overlay = {&cleaning, memory_map_source(&map)};
    const GrSource source = gr_clean_overlay(&overlay);
    for (size_t k = 0; k < sizeof SPIKES / sizeof SPIKES[0]; k++) {
        double z;
        assert_int_equal(source.read(source.context, (GrGridWindow){SPIKES[k][0], SPIKES[k][1], 1, 1}, &z, NULL),
                         GR_OK);
        assert_near(z, truth.z[SPIKES[k][1] * 200 + SPIKES[k][0]], 0.7);
    }
    gr_cleaning_free(&cleaning);
    free(map.z);
    free(truth.z);
}

/// A map of voids alone, and values out of range, are typed failures or left, never a crash.
static void test_bad_input(void **state)
{
    (void)state;
    MemoryMap map = memory_map(40, 30, 1);
    for (int k = 0; k < 40 * 30; k++) {
        map.z[k] = NAN;
    }
    GrCleanDef def = gr_default_clean_def();
    def.fill_border = true;
    GrCleaning cleaning;
    assert_int_equal(gr_clean(&map.frame, memory_map_source(&map), &def, &cleaning, NULL, NULL, NULL), GR_OK);
    assert_true(cleaning.left == 40 * 30);
    gr_cleaning_free(&cleaning);
    GrErrorLog log = {0};
    def.threshold = -1;
    assert_int_equal(gr_clean(&map.frame, memory_map_source(&map), &def, &cleaning, NULL, NULL, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 1);
    free(map.z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_ground),        cmocka_unit_test(test_gale),
        cmocka_unit_test(test_good_map_untouched), cmocka_unit_test(test_awkward_places),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
