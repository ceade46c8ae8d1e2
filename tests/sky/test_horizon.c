/// Horizon maps against a plain ray march, closed forms of a cone and a ridge, the body's curvature, and the disc.
#include "horizon.h"
#include "test.h"

#include "elementary.h"

#include <stdlib.h>

typedef struct Map {
    GrGridFrame frame;
    float *heights;
} Map;

typedef double (*Surface)(double x, double y);

static Map make_map(int nx, int ny, double dx, double dy, Surface surface)
{
    Map map = {{nx, ny, -0.5 * (nx - 1) * dx, -0.5 * (ny - 1) * dy, dx, dy}, NULL};
    map.heights = malloc((size_t)nx * (size_t)ny * sizeof *map.heights);
    assert_non_null(map.heights);
    for (int j = 0; j < ny; j++) {
        for (int i = 0; i < nx; i++) {
            map.heights[j * nx + i] = (float)surface(map.frame.x0 + i * dx, map.frame.y0 + j * dy);
        }
    }
    return map;
}

static GrHorizon horizon_of(const Map *map, int azimuths, double eye, double radius, int threads)
{
    const GrHorizonDef def = {.frame = map->frame,
                              .heights = map->heights,
                              .azimuths = azimuths,
                              .eye = eye,
                              .radius = radius,
                              .threads = threads};
    GrHorizon horizon;
    assert_int_equal(gr_horizon_make(&def, &horizon, NULL), GR_OK);
    return horizon;
}

static double bilinear(const Map *map, double u, double v)
{
    const int i = (int)floor(u), j = (int)floor(v);
    if (u < 0 || v < 0 || u > (double)(map->frame.nx - 1) || v > (double)(map->frame.ny - 1)) {
        return NAN;
    }
    const int i1 = i + 1 < map->frame.nx ? i + 1 : i, j1 = j + 1 < map->frame.ny ? j + 1 : j;
    const double a = u - i, b = v - j;
    const float *south = map->heights + j * map->frame.nx, *north = map->heights + j1 * map->frame.nx;
    const double low = (1 - a) * (double)south[i] + a * (double)south[i1];
    return (1 - b) * low + b * ((1 - a) * (double)north[i] + a * (double)north[i1]);
}

static double lowest(const Map *map)
{
    double least = INFINITY;
    for (int64_t k = 0; k < map->frame.nx * map->frame.ny; k++) {
        const double z = (double)map->heights[k];
        least = z < least ? z : least;
    }
    return least;
}

/// The skyline by small steps over the bilinear surface [rad].
static double march(const Map *map, int i, int j, double azimuth, double eye, double radius)
{
    const double step = 0.05 * fmin(map->frame.dx, map->frame.dy);
    const double z0 = (double)map->heights[j * map->frame.nx + i] + eye;
    double best = -INFINITY;
    for (int k = 1;; k++) {
        const double d = k * step;
        const double z = bilinear(map, i + d * sin(azimuth) / map->frame.dx, j + d * cos(azimuth) / map->frame.dy);
        if (isnan(z)) { // a plain at the height of the lowest node follows
            return atan(fmax(best, -sqrt(2 * (z0 - lowest(map)) / radius)));
        }
        best = fmax(best, (z - z0) / d - d / (2 * radius));
    }
}

static double hills(double x, double y)
{
    return 6 * sin(x / 9) * cos(y / 7) + 3 * sin(0.31 * x + 0.17 * y) + 0.4 * sin(1.3 * x) * sin(1.1 * y);
}

/// Nodes and azimuths at random. What differs: lines pass up to half a cell beside a node, and are sampled once a cell.
static void test_against_marching(void **state)
{
    (void)state;
    const Map map = make_map(160, 130, 0.8, 1.0, hills);
    const GrHorizon horizon = horizon_of(&map, 72, 0.3, 1737400, 0);
    double worst = 0, square = 0;
    int count = 0;
    srand(3);
    for (int k = 0; k < 3000; k++) {
        const int i = 30 + rand() % 100, j = 30 + rand() % 70,
                  a = rand() % 72; // away from the edges, where lines end early
        const double azimuth = 2 * GR_PI * a / 72;
        const double off = gr_horizon_at(&horizon, i, j, azimuth) - march(&map, i, j, azimuth, 0.3, 1737400);
        worst = fmax(worst, fabs(off));
        square += off * off;
        count++;
    }
    print_message("off a ray march by %.3f deg (root mean square), %.2f deg at most\n",
                  sqrt(square / count) / GR_DEGREE, worst / GR_DEGREE);
    assert_true(sqrt(square / count) < 0.15 * GR_DEGREE);
    assert_true(worst < 2 * GR_DEGREE);
    GrHorizon horizon_free = horizon;
    gr_horizon_free(&horizon_free);
    free(map.heights);
}

static double cone(double x, double y)
{
    return fmax(0, 20 - 0.5 * sqrt(x * x + y * y));
}

/// From outside a cone of height 20 its tip is the skyline in its direction.
static void test_cone(void **state)
{
    (void)state;
    const Map map = make_map(201, 201, 1, 1, cone);
    const GrHorizon horizon = horizon_of(&map, 360, 0, INFINITY, 0);
    static const int FROM[][2] = {{0, 100}, {200, 100}, {100, 0}, {100, 200}, {0, 0}, {200, 200}, {30, 170}};
    for (int k = 0; k < 7; k++) {
        const double x = FROM[k][0] - 100.0, y = FROM[k][1] - 100.0, azimuth = atan2(-x, -y);
        const double expected = atan(20 / sqrt(x * x + y * y));
        assert_near(gr_horizon_at(&horizon, FROM[k][0], FROM[k][1], azimuth), expected, 0.02 * GR_DEGREE);
        // the other way nothing but level ground, or the edge of the map
        assert_true(gr_horizon_at(&horizon, FROM[k][0], FROM[k][1], azimuth + GR_PI) < 0.01 * GR_DEGREE);
    }
    GrHorizon again = horizon;
    gr_horizon_free(&again);
    free(map.heights);
}

static double bowl(double x, double y)
{
    return 0.002 * fmin(x * x + y * y, 2500);
}

/// In the middle of a bowl of radius 50 and depth 5 the rim is the skyline all around.
static void test_crater(void **state)
{
    (void)state;
    const Map map = make_map(161, 161, 1, 1, bowl);
    GrHorizon horizon = horizon_of(&map, 90, 0, INFINITY, 0);
    for (int a = 0; a < 90; a++) {
        assert_near(gr_horizon_at(&horizon, 80, 80, 2 * GR_PI * a / 90), atan(0.1), 0.1 * GR_DEGREE);
    }
    gr_horizon_free(&horizon);
    free(map.heights);
}

static double wall(double x, double y)
{
    (void)y;
    return x > 9000 ? 100 : 0;
}

/// A wall of 100 m seen from 19 km across the Moon's curvature: d²/2R is 104 m.
static void test_curvature(void **state)
{
    (void)state;
    const Map map = make_map(401, 5, 50, 50, wall);
    GrHorizon flat = horizon_of(&map, 4, 0, INFINITY, 1), moon = horizon_of(&map, 4, 0, 1737400, 1);
    const double distance = 10000 + 9050;
    assert_near(gr_horizon_at(&flat, 0, 2, GR_PI / 2), atan(100 / distance), GR_HORIZON_UNIT);
    assert_near(gr_horizon_at(&moon, 200, 2, GR_PI / 2), atan(100 / 9050.0 - 9050 / (2 * 1737400.0)), GR_HORIZON_UNIT);
    // close to the wall, on a small body: d²/2R is 1.6 m of its 100
    GrHorizon small = horizon_of(&map, 4, 0, 20000, 1);
    assert_near(gr_horizon_at(&small, 376, 2, GR_PI / 2), atan(100 / 250.0 - 250 / (2 * 20000.0)), GR_HORIZON_UNIT);
    gr_horizon_free(&small);
    // from 19 km away the ground right ahead is the skyline, the wall is below it
    assert_near(gr_horizon_at(&moon, 0, 2, GR_PI / 2), 0, GR_HORIZON_UNIT);
    // from the top of the wall, 100 m above the plain to the west, the dip of the horizon is √(2h/R); the map ends at
    // 19 km
    assert_near(gr_horizon_at(&moon, 381, 2, 1.5 * GR_PI), -sqrt(2 * 100 / 1737400.0), GR_HORIZON_UNIT);
    gr_horizon_free(&flat);
    gr_horizon_free(&moon);
    free(map.heights);
}

static void test_same_bits_with_threads(void **state)
{
    (void)state;
    const Map map = make_map(90, 70, 1, 1, hills);
    GrHorizon one = horizon_of(&map, 24, 0, INFINITY, 1), five = horizon_of(&map, 24, 0, INFINITY, 5);
    assert_memory_equal(one.angles, five.angles, 24 * 90 * 70 * sizeof *one.angles);
    gr_horizon_free(&one);
    gr_horizon_free(&five);
    free(map.heights);
}

static void test_voids(void **state)
{
    (void)state;
    Map map = make_map(40, 40, 1, 1, cone);
    map.heights[20 * 40 + 20] = NAN;
    GrHorizon horizon = horizon_of(&map, 8, 0, INFINITY, 1);
    assert_true(isnan(gr_horizon_at(&horizon, 20, 20, 1)));
    const GrSkyView view = {1, 0.3, 0.005, 1};
    assert_near(gr_horizon_share(&horizon, 20, 20, &view), 0, 0);
    assert_false(isnan(gr_horizon_at(&horizon, 5, 20, GR_PI / 2)));
    gr_horizon_free(&horizon);
    free(map.heights);
}

static double straight(const void *context, double azimuth)
{
    const double *line = context; // elevation at azimuth 1, and its rise
    return line[0] + line[1] * (azimuth - 1);
}

/// A straight horizon cuts a segment off the disc: its share in closed form.
static void test_disc(void **state)
{
    (void)state;
    const GrSkyView view = {1, 0.05, 0.0047, 1};
    for (double cut = -1.2; cut <= 1.2; cut += 0.1) {
        for (double rise = -0.5; rise <= 0.6; rise += 0.5) {
            const double line[2] = {view.elevation + cut * view.radius * sqrt(1 + rise * rise), rise};
            const double h = fmin(fmax(cut, -1), 1), expected = (acos(h) - h * sqrt(1 - h * h)) / GR_PI;
            assert_near(gr_disc_share(&view, straight, line), expected, 0.005);
        }
    }
}

/// What lies beyond the map, from the corners of two fields.
static void test_far_ground(void **state)
{
    (void)state;
    Map map = make_map(41, 21, 1, 1, wall);
    GrFarPoint points[4 * 2 * 3];
    for (int k = 0; k < 4 * 2 * 3; k++) {
        points[k] = (GrFarPoint){k / 6 == 1 ? 1000 : 0, 100}; // in the east only
    }
    const GrFarView far = {2, 1, points};
    GrHorizonDef def = {.frame = map.frame, .heights = map.heights, .azimuths = 4, .radius = INFINITY, .far = &far};
    map.heights[10 * 41 + 20] = 50; // a node higher up sees it lower
    GrHorizon horizon;
    assert_int_equal(gr_horizon_make(&def, &horizon, NULL), GR_OK);
    assert_near(gr_horizon_at(&horizon, 35, 5, GR_PI / 2), atan(0.1), GR_HORIZON_UNIT);
    assert_near(gr_horizon_at(&horizon, 20, 10, GR_PI / 2), atan(0.05), GR_HORIZON_UNIT);
    assert_near(gr_horizon_at(&horizon, 35, 5, 0), 0, GR_HORIZON_UNIT);
    gr_horizon_free(&horizon);
    free(map.heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_marching),
        cmocka_unit_test(test_cone),
        cmocka_unit_test(test_crater),
        cmocka_unit_test(test_curvature),
        cmocka_unit_test(test_same_bits_with_threads),
        cmocka_unit_test(test_voids),
        cmocka_unit_test(test_disc),
        cmocka_unit_test(test_far_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
