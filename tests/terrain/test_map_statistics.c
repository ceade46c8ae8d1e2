/// Statistics of a map against plain loops over its nodes, which call an arcus tangent and a logarithm for each.
#include "map_blocks.h"
#include "map_changes.h"
#include "map_slopes.h"
#include "map_statistics.h"
#include "memory_map.h"

#include <string.h>

enum { MOST_CELLS = 2100 * 1100 };

/// Numbers from 0 to 1, the same on every machine.
static double next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/// Bins of a row of changes are those of the definition: over all decades, at the edges and beside them, beyond both
/// ends, and where there is none.
static void test_change_bins(void **state)
{
    (void)state;
    enum { COUNT = GR_MAP_BLOCK };
    static GrChangeCounts c;
    static double a[COUNT], b[COUNT];
    static uint32_t expected[GR_CHANGE_BINS + 1];
    uint64_t random = 1;
    for (int round = 0; round < 400; round++) {
        for (int k = 0; k < COUNT; k++) {
            const double at = gr_change_at(floor(4100 * next_random(&random)) - 50);
            const double beside[] = {at, nextafter(at, 0), nextafter(at, 1e9), at * (1 + 1e-7), at * (1 - 1e-7)};
            const double any = gr_change_at(4400 * next_random(&random) - 200);
            a[k] = 0;
            b[k] = round % 2 == 0 ? any : beside[k % 5];
            b[k] = k % 3 == 0 ? -b[k] : b[k];
        }
        b[17] = NAN;
        b[18] = 0;
        b[19] = INFINITY;
        b[20] = 1e300;
        for (int k = 0; k < COUNT; k++) {
            expected[isnan(b[k]) ? GR_CHANGE_BINS : gr_change_bin(fabs(b[k]))]++;
        }
        gr_changes_add(&c, a, b, COUNT);
        assert_memory_equal(c.counts, expected, sizeof expected);
    }
}

/// Bins of a row of slopes are those of the definition, and their sum is that of the arcus tangent. The map is one row
/// of nodes on a plane that rises along y.
static void test_slope_bins(void **state)
{
    (void)state;
    enum { COUNT = GR_MAP_BLOCK };
    static GrSlopeCounts c;
    static double z[3 * COUNT];
    static uint32_t expected[GR_SLOPE_BINS + 1];
    const GrGridFrame frame = {.nx = COUNT + 2, .ny = 3, .dx = 1, .dy = 0.5};
    uint64_t random = 2;
    double sum = 0, steepest = 0, expected_sum = 0, expected_steepest = 0;
    for (int round = 0; round < 400; round++) {
        const double most = round % 3 == 0 ? 9000 : 4400; // rows with slopes above 45 degrees, and without
        for (int k = 0; k < COUNT; k++) {
            const double edge = tan(floor(most * next_random(&random)) / 100 * GR_DEGREE);
            const double beside[] = {edge, nextafter(edge, 0), nextafter(edge, 1e9), edge * (1 + 1e-10)};
            z[k] = z[COUNT + k] = 0;
            z[2 * COUNT + k] = round % 2 == 0 ? tan(most * next_random(&random) / 100 * GR_DEGREE) : beside[k % 4];
        }
        z[2 * COUNT + 17] = NAN;
        z[2 * COUNT + 18] = 0;
        z[2 * COUNT + 19] = most == 9000 ? 1e200 : 0.1; // its square is infinite
        for (int k = 0; k < COUNT; k++) {
            const double gy = z[2 * COUNT + k], square = gy * gy;
            expected[isnan(square) ? GR_SLOPE_BINS : gr_slope_bin(square)]++;
            expected_sum += isnan(square) ? 0 : atan(fabs(gy)) / GR_DEGREE;
            expected_steepest = square > expected_steepest ? square : expected_steepest;
        }
        // Columns 1 to COUNT of the map, so that the slope along x is by central differences of zeros.
        static double padded[3 * (COUNT + 2)];
        for (int j = 0; j < 3; j++) {
            memcpy(padded + j * (COUNT + 2) + 1, z + j * COUNT, COUNT * sizeof *z);
        }
        gr_slopes_add(&c, &frame, padded + COUNT + 3, COUNT + 2, 1, 1, COUNT, &sum, &steepest);
        assert_memory_equal(c.counts, expected, sizeof expected);
    }
    assert_near(sum / GR_SLOPE_BINS_PER_DEGREE, expected_sum, 1e-9 * expected_sum);
    assert_true(steepest == expected_steepest);
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
static void add_pairs(const MemoryMap *map, int64_t i0, int64_t i1, int64_t j0, int64_t j1, Naive *n)
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
                      j > 0 ? j - 1 : 0, j + GR_MAP_BLOCK < f->ny ? j + GR_MAP_BLOCK + 1 : f->ny, &n);
        }
    }
    return n;
}

/// Maps of one block and of several, that are not square, with cells by which can be multiplied and others, with and
/// without voids: the same as a plain loop, and the same bits for any number of threads.
static void test_naive(void **state)
{
    (void)state;
    static const struct {
        int nx, ny;
        double dx, dy;
    } MAPS[] = {{2, 2, 1, 1}, {3, 50, 1, 1}, {301, 77, 0.5, 0.25}, {1025, 1030, 0.3, 0.3}, {2100, 1100, 1, 1.7}};
    for (size_t m = 0; m < 2 * sizeof MAPS / sizeof MAPS[0]; m++) {
        const bool holes = m % 2 == 1;
        MemoryMap map = make_map(MAPS[m / 2].nx, MAPS[m / 2].ny, MAPS[m / 2].dx, MAPS[m / 2].dy, holes);
        const GrSource source = memory_map_source(&map);
        GrStatistics s, other;
        assert_int_equal(gr_statistics_compute(&map.frame, (GrReaders){&source, 1}, 1, &s, NULL, NULL, NULL), GR_OK);
        for (int threads = 2; threads < 8; threads += 3) {
            assert_int_equal(
                gr_statistics_compute(&map.frame, (GrReaders){&source, 1}, threads, &other, NULL, NULL, NULL), GR_OK);
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
        }
        for (int k = 0; k < s.lag_count; k++) {
            assert_near(s.deviations[k], sqrt(n.squares[k] / n.pairs[k]), 1e-12 * s.deviations[k]);
        }
        free(map.z);
    }
}

/// Every block is taken once, by however many threads in turns.
static void test_blocks(void **state)
{
    (void)state;
    static const int64_t SIZES[][2] = {{5, 5},        {10000, 10000},     {1024, 90000},
                                       {90000, 1024}, {1 << 20, 1 << 20}, {3000, 7}};
    for (size_t m = 0; m < sizeof SIZES / sizeof SIZES[0]; m++) {
        const GrGridFrame frame = {.nx = SIZES[m][0], .ny = SIZES[m][1], .dx = 1, .dy = 1};
        for (int threads = 1; threads <= GR_MAP_MOST_THREADS; threads++) {
            GrMapBlocks blocks = gr_map_blocks(&frame, threads);
            int stripes[GR_MAP_MOST_THREADS], taken[GR_MAP_MOST_BLOCKS] = {0}, count = 0;
            memset(stripes, -1, sizeof stripes);
            for (int n, turn = 0; (n = gr_map_take(&blocks, &stripes[turn % threads])) >= 0; turn++) {
                const GrMapPlace p = gr_map_place(&blocks, n);
                assert_true(p.i0 >= 0 && p.i0 < p.i1 && p.i1 <= frame.nx && p.j0 >= 0 && p.j0 < p.j1 &&
                            p.j1 <= frame.ny);
                taken[n]++;
                count++;
            }
            assert_int_equal(count, blocks.looked);
            for (int n = 0; n < blocks.looked; n++) {
                assert_int_equal(taken[n], 1);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_change_bins),
        cmocka_unit_test(test_slope_bins),
        cmocka_unit_test(test_naive),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
