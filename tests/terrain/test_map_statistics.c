/// Statistics of a map against plain loops over all of its nodes.
#include "map_statistics.h"
#include "memory_map.h"

enum { MOST_CELLS = 2100 * 1100 };

/// Numbers from 0 to 1, the same on every machine.
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/// Rough ground in memory; with a patch, single cells and a block without data where `holes` is set.
static MemoryMap make_map(int nx, int ny, double dx, double dy, bool holes)
{
    MemoryMap map = {.frame = {.nx = nx, .ny = ny, .dx = dx, .dy = dy}, .z = malloc(sizeof(double) * MOST_CELLS)};
    assert_true(map.z != NULL && nx * ny <= MOST_CELLS);
    uint64_t random = 3;
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            const bool hole =
                holes && ((i > nx / 3 && i < nx / 2 && j > ny / 3 && j < ny / 2) || (i * 7 + j * 3) % 1009 == 0 ||
                          (i >= GR_MAP_BLOCK - 2 && j >= GR_MAP_BLOCK - 2 && i < 2 * GR_MAP_BLOCK + 2));
            const double height =
                500 + 9 * sin(0.02 * i) * cos(0.013 * j) + (next_random(&random) - 0.5) * (j < ny / 2 ? 0.3 : 3);
            map.z[(int64_t)j * nx + i] = hole ? (double)NAN : height;
        }
    }
    return map;
}

typedef struct Naive {
    double slope_sum, slope_count, shallow;
    double below[2]; ///< slopes below the median and the 95th percentile, as computed
    double squares[GR_LAG_COUNT], pairs[GR_LAG_COUNT];
    double changes_below; ///< changes from node to node below the 95th percentile, as computed
} Naive;

static double slope_at(const MemoryMap *map, int64_t i, int64_t j)
{
    const GrGridFrame *f = &map->frame;
    const int64_t left = i > 0 ? i - 1 : i, right = i < f->nx - 1 ? i + 1 : i;
    const int64_t below = j > 0 ? j - 1 : j, above = j < f->ny - 1 ? j + 1 : j;
    const double gx = (map->z[j * f->nx + right] - map->z[j * f->nx + left]) / ((double)(right - left) * f->dx);
    const double gy = (map->z[above * f->nx + i] - map->z[below * f->nx + i]) / ((double)(above - below) * f->dy);
    return atan(sqrt(gx * gx + gy * gy)) / GR_DEGREE + 0 * map->z[j * f->nx + i];
}

/// Pairs are within windows: blocks with a border of one node.
static void add_pairs(const MemoryMap *map, int64_t i0, int64_t i1, int64_t j0, int64_t j1, double change_p95, Naive *n)
{
    const int64_t nx = map->frame.nx;
    for (int k = 0; k < GR_LAG_COUNT; k++) {
        const int64_t lag = (int64_t)1 << k;
        for (int64_t j = j0; j < j1; j++) {
            for (int64_t i = i0; i < i1; i++) {
                const double x = i + lag < i1 ? map->z[j * nx + i + lag] - map->z[j * nx + i] : (double)NAN;
                const double y = j + lag < j1 ? map->z[(j + lag) * nx + i] - map->z[j * nx + i] : (double)NAN;
                n->squares[k] += (isnan(x) ? 0 : x * x) + (isnan(y) ? 0 : y * y);
                n->pairs[k] += !isnan(x) + !isnan(y);
                n->changes_below += k == 0 ? (fabs(x) < change_p95) + (fabs(y) < change_p95) : 0;
            }
        }
    }
}

static Naive count_naively(const MemoryMap *map, const GrStatistics *s)
{
    Naive n = {0};
    const GrGridFrame *f = &map->frame;
    for (int64_t j = 0; j < f->ny; j++) {
        for (int64_t i = 0; i < f->nx; i++) {
            const double slope = slope_at(map, i, j);
            if (!isnan(slope)) {
                n.slope_count++;
                n.slope_sum += slope;
                n.shallow += slope < 5;
                n.below[0] += slope < s->slope_median;
                n.below[1] += slope < s->slope_p95;
            }
        }
    }
    for (int64_t j = 0; j < f->ny; j += GR_MAP_BLOCK) {
        for (int64_t i = 0; i < f->nx; i += GR_MAP_BLOCK) {
            add_pairs(map, i > 0 ? i - 1 : 0, i + GR_MAP_BLOCK < f->nx ? i + GR_MAP_BLOCK + 1 : f->nx,
                      j > 0 ? j - 1 : 0, j + GR_MAP_BLOCK < f->ny ? j + GR_MAP_BLOCK + 1 : f->ny, s->cell_change_p95,
                      &n);
        }
    }
    return n;
}

/// Maps of one block and of several, that are not square, with and without voids: the same as a plain loop, and the
/// same bits for any number of readers.
static void test_against_plain_loops(void **state)
{
    (void)state;
    static const struct {
        int nx, ny;
        double dx, dy;
    } MAPS[] = {{2, 2, 1, 1}, {3, 50, 1, 1}, {301, 77, 0.5, 0.25}, {1025, 1030, 0.3, 0.3}, {2100, 1100, 1, 1.7}};
    for (size_t m = 0; m < 2 * sizeof MAPS / sizeof MAPS[0]; m++) {
        const bool holes = m % 2 == 1;
        MemoryMap map = make_map(MAPS[m / 2].nx, MAPS[m / 2].ny, MAPS[m / 2].dx, MAPS[m / 2].dy, holes);
        const GrSource source = memory_map_source(&map), sources[] = {source, source, source, source, source};
        GrStatistics s, other;
        assert_int_equal(gr_statistics_compute(&map.frame, (GrReaders){&source, 1}, &s, NULL, NULL, NULL), GR_OK);
        for (int count = 2; count <= 5; count += 3) {
            assert_int_equal(gr_statistics_compute(&map.frame, (GrReaders){sources, count}, &other, NULL, NULL, NULL),
                             GR_OK);
            assert_memory_equal(&s, &other, sizeof s);
        }
        const Naive n = count_naively(&map, &s);
        assert_true(s.slope_cells == n.slope_count);
        if (n.slope_count > 0) {
            assert_near(s.slope_mean, n.slope_sum / n.slope_count, 1e-9);
            assert_near(s.slope_histogram[0], n.shallow / n.slope_count, 1e-12);
        }
        if (n.slope_count > 1000) { // within a bin a percentile is a guess
            assert_near(n.below[0] / n.slope_count, 0.5, 2e-3);
            assert_near(n.below[1] / n.slope_count, 0.95, 2e-3);
            assert_near(n.changes_below / n.pairs[0], 0.95, 2e-3);
        }
        for (int k = 0; k < s.lag_count; k++) {
            assert_near(s.deviations[k], sqrt(n.squares[k] / n.pairs[k]), 1e-12 * s.deviations[k]);
        }
        free(map.z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_against_plain_loops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
