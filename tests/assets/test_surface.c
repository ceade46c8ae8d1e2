/// Generated ground follows the requested law, and is the same for any number of threads.
#include "craters.h"
#include "grouser/assets.h"
#include "map_statistics.h"
#include "noise.h"
#include "terrain/memory_map.h"
#include "terrain_view.h"

#include <stdlib.h>
#include <unistd.h>

static MemoryMap bake(const char *const *terms, int count, uint64_t seed, int64_t nodes, double cell, int threads)
{
    MemoryMap map = memory_map(nodes, nodes - 10, cell);
    map.frame.x0 = -0.5 * (double)nodes * cell;
    map.frame.y0 = -0.4 * (double)nodes * cell;
    const double side = (double)nodes * cell;
    GrErrorLog log = {0};
    GrSurface *surface = NULL;
    const GrBox2 box = {-0.5 * side, -0.5 * side, 0.6 * side, 0.6 * side};
    if (gr_surface_create(terms, count, seed, box, &surface, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    assert_int_equal(gr_surface_bake(surface, &map.frame, threads, map.z), GR_OK);
    gr_surface_free(surface);
    return map;
}

/// RMS deviation at the lag and Hurst exponent, in the mean of some seeds.
static void test_fractal_law(void **state)
{
    (void)state;
    static const double HURST[] = {0.5, 0.76, 0.9};
    for (int h = 0; h < 3; h++) {
        char term[96];
        snprintf(term, sizeof term, "fractal:hurst=%g,rms_m=0.06,lag_m=2", HURST[h]);
        double square = 0, hurst = 0;
        enum { SEEDS = 6 };
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryMap map = bake((const char *[]){term}, 1, (uint64_t)seed, 400, 0.25, 2);
            GrStatistics s;
            const GrSource source = memory_map_source(&map);
            assert_int_equal(gr_statistics_compute(&map.frame, (GrReaders){&source, 1}, &s, NULL, NULL, NULL), GR_OK);
            assert_near(s.lags[3], 2, 1e-12);
            square += s.deviations[3] * s.deviations[3] / SEEDS;
            hurst += s.hurst / SEEDS;
            free(map.z);
        }
        print_message("hurst %.2f: found %.3f; rms at 2 m 0.0600: found %.4f\n", HURST[h], hurst, sqrt(square));
        assert_near(hurst, HURST[h], 0.04);
        assert_near_rel(sqrt(square), 0.06, 0.05);
    }
}

/// Numbers of craters above each size, within three deviations of a Poisson number.
static void test_crater_numbers(void **state)
{
    (void)state;
    const GrCraterLaw *laws[] = {gr_crater_law("moon"), gr_crater_law("trask")};
    assert_null(gr_crater_law("mars"));
    for (int n = 0; n < 2; n++) {
        GrCrater *craters;
        int count;
        const GrBox2 box = {0, 0, 2000, 1500};
        const GrCraterFieldDef def = {laws[n], 1, 2, 200, 0, box, 5};
        assert_int_equal(gr_craters_sow(&def, &craters, &count, NULL), GR_OK);
        static const double SIZES[] = {2, 4, 10, 30, 79, 100};
        for (int k = 0; k < 6; k++) {
            const double expected =
                2000.0 * 1500 * (gr_crater_law_count(laws[n], SIZES[k]) - gr_crater_law_count(laws[n], 200));
            double found = 0;
            for (int c = 0; c < count; c++) {
                found += craters[c].diameter >= SIZES[k];
                assert_in_range(craters[c].x, 0, 2000);
            }
            assert_near(found, expected, 3 * sqrt(expected) + 1);
        }
        free(craters);
    }
}

/// The published shape: floor, rim, end of the ejecta, no steps; creep keeps the volume and lowers the rim.
static void test_crater_shape(void **state)
{
    (void)state;
    assert_near(gr_crater_fresh(0), -0.181, 1e-9);
    assert_near(gr_crater_fresh(0.98), 0.036822, 1e-5);
    assert_near(gr_crater_fresh(1.5), 0, 1e-6);
    assert_near(GR_CRATER_DEPTH, gr_crater_fresh(0.98) - gr_crater_fresh(0), 1e-5);
    for (double r = 0; r < 2; r += 1e-4) {
        assert_near(gr_crater_fresh(r + 1e-4), gr_crater_fresh(r), 1e-4);
    }
    static GrCraterShapes shapes;
    gr_crater_shapes_make(&shapes);
    double last = 1;
    for (double age = 0; age < 0.3; age = 2 * age + 1e-4) {
        const GrCraterAge at = gr_crater_age(&shapes, age);
        double volume = 0, fresh = 0, highest = -1;
        for (double r = 5e-4; r < 3; r += 1e-3) {
            volume += gr_crater_aged(&shapes, r, &at) * r * 1e-3;
            fresh += gr_crater_fresh(r) * r * 1e-3;
            highest = fmax(highest, gr_crater_aged(&shapes, r, &at));
        }
        assert_near(volume, fresh, 0.03 * fabs(fresh));
        assert_true(highest < last + 1e-6);
        last = highest;
    }
    assert_near(gr_crater_depth_ratio(5), 0.10, 0);
    assert_near(gr_crater_depth_ratio(40), 0.13, 1e-12);
    assert_near(gr_crater_depth_ratio(1000), 0.21, 0);
}

static void test_plain_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *term;
        double x, y, z;
    } CASES[] = {
        {"plane:slope_deg=45,toward_deg=90,height_m=2", 5, 3, 5},
        {"step:height_m=0.3,at_m=1", 0.99, 7, 0},
        {"step:height_m=0.3,at_m=1", 1.01, 7, 0.3},
        {"step:height_m=0.3,at_m=1,width_m=2,toward_deg=90", 5, 2, 0.15},
        {"ramp:slope_deg=45,length_m=4,at_m=1", 3, -9, 2},
        {"ramp:slope_deg=45,length_m=4,at_m=1", 30, -9, 4},
        {"lander:height_m=0.5,length_m=2,width_m=2,x_m=10", 10.9, 0.9, 0.5},
        {"lander:height_m=0.5,length_m=2,width_m=2,x_m=10", 10.9, 1.1, 0},
        {"lander:height_m=0.5,ramp_deg=45,gap_m=0.8,track_m=0.4", 1.2, 0.5, 0.3},
        {"lander:height_m=0.5,ramp_deg=45,gap_m=0.8,track_m=0.4", -1.2, -0.5, 0.3},
        {"lander:height_m=0.5,ramp_deg=45,gap_m=0.8,track_m=0.4", 1.2, 0, 0},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrSurface *s = NULL;
        assert_int_equal(gr_surface_create(&CASES[k].term, 1, 1, (GrBox2){-50, -50, 50, 50}, &s, NULL), GR_OK);
        assert_near(gr_surface_height(s, CASES[k].x, CASES[k].y), CASES[k].z, 1e-12);
        gr_surface_free(s);
    }
    // Ripples: as high as asked for, one crest a wavelength.
    const char *ripples = "ripples:wavelength_m=2,height_m=0.2,wander=0,stoss_share=0.7";
    GrSurface *s = NULL;
    gr_surface_create(&ripples, 1, 1, (GrBox2){-50, -50, 50, 50}, &s, NULL);
    double low = 1, high = -1;
    for (double x = -10; x < 10; x += 0.001) {
        low = fmin(low, gr_surface_height(s, x, 3));
        high = fmax(high, gr_surface_height(s, x, 3));
        assert_near(gr_surface_height(s, x, 3), gr_surface_height(s, x + 2, -7), 1e-9);
    }
    assert_near(high - low, 0.2, 1e-5);
    gr_surface_free(s);
}

static void test_profile(void **state)
{
    (void)state;
    FILE *file = fopen("profile.csv", "w");
    fputs("distance_m,height_m\n0,1\n2,3\n# a comment\n4,3\n", file);
    fclose(file);
    const char *term = "profile:file=profile.csv,toward_deg=90,at_m=10";
    GrSurface *s = NULL;
    assert_int_equal(gr_surface_create(&term, 1, 1, (GrBox2){-50, -50, 50, 50}, &s, NULL), GR_OK);
    assert_near(gr_surface_height(s, 77, 11), 2, 1e-12);
    assert_near(gr_surface_height(s, 0, 13), 3, 1e-12);
    assert_near(gr_surface_height(s, 0, -50), 1, 1e-12);
    gr_surface_free(s);
    unlink("profile.csv");
}

static void test_sum_threads_and_id(void **state)
{
    (void)state;
    const char *const terms[] = {"fractal:rms_m=0.1", "craters:smallest_m=2,largest_m=20,kt_m2=1", "plane:slope_deg=5",
                                 "ripples"};
    MemoryMap one = bake(terms, 4, 7, 150, 0.5, 1), two = bake(terms, 4, 7, 150, 0.5, 2),
              four = bake(terms, 4, 7, 150, 0.5, 4);
    const size_t bytes = (size_t)(one.frame.nx * one.frame.ny) * sizeof(double);
    assert_memory_equal(one.z, two.z, bytes);
    assert_memory_equal(one.z, four.z, bytes);
    MemoryMap other = bake(terms, 4, 8, 150, 0.5, 1);
    assert_memory_not_equal(one.z, other.z, bytes);
    free(one.z);
    free(two.z);
    free(four.z);
    free(other.z);
    char a[GR_ASSET_ID_SIZE], b[GR_ASSET_ID_SIZE], c[GR_ASSET_ID_SIZE];
    const GrGridFrame frame = {10, 10, 0, 0, 1, 1};
    const GrBox2 box = {0, 0, 10, 10};
    GrSurface *s = NULL, *t = NULL;
    gr_surface_create(terms, 3, 1, box, &s, NULL);
    gr_surface_create(terms, 3, 2, box, &t, NULL);
    gr_surface_id(s, &frame, a);
    gr_surface_id(s, &frame, b);
    gr_surface_id(t, &frame, c);
    assert_string_equal(a, b);
    assert_string_not_equal(a, c);
    assert_int_equal(strlen(a), 32);
    gr_surface_free(s);
    gr_surface_free(t);
}

/// Heights are kept and asked for again, in other steps: they are those of the surface.
static void test_kept_heights(void **state)
{
    (void)state;
    const char *const terms[] = {"fractal:rms_m=0.1", "craters:smallest_m=2,largest_m=20,kt_m2=1"};
    const GrBox2 box = {-30, -30, 30, 30};
    GrSurface *same = NULL;
    gr_surface_create(terms, 2, 5, box, &same, NULL);
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){241, 241, -30, -30, 0.25, 0.25};
    GrSurface *added = NULL;
    gr_surface_create(terms, 2, 5, box, &added, NULL);
    assert_int_equal(gr_terrain_add_surface(terrain, &def, added, NULL), GR_OK);
    const int strides[] = {2, 5, 1, 2, 1};
    for (size_t k = 0; k < sizeof strides / sizeof strides[0]; k++) {
        GrTerrainView *view = gr_terrain_view_open(terrain, strides[k] * 0.25);
        assert_int_equal(gr_terrain_prefetch(gr_terrain_view_terrain(view), box, NULL), GR_OK);
        for (int j = 0; j <= 240; j += strides[k]) {
            for (int i = 0; i <= 240; i += strides[k]) {
                const double x = -30 + 0.25 * i, y = -30 + 0.25 * j;
                double z = 0;
                assert_int_equal(gr_terrain_height(gr_terrain_view_terrain(view), x, y, &z), GR_GROUND_OK);
                assert_near(z, gr_surface_height(same, x, y), 1e-12);
            }
        }
        gr_terrain_view_close(view);
    }
    gr_terrain_free(terrain);
    gr_surface_free(same);
}

/// Detail below a map's resolution: the same heights as the surface itself, computed where a wheel comes.
static void test_detail_layer(void **state)
{
    (void)state;
    const char *term = "fractal:hurst=0.6,rms_m=0.01,lag_m=0.1,smallest_m=0.1,largest_m=2";
    const double flat[4] = {5, 5, 5, 5};
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    GrLayerDef base = gr_default_layer_def(), detail = gr_default_layer_def();
    base.frame = (GrGridFrame){2, 2, 0, 0, 1000, 1000};
    detail.frame = (GrGridFrame){20001, 20001, 0, 0, 0.05, 0.05};
    detail.mode = GR_LAYER_ADD;
    const GrBox2 box = {0, 0, 1000, 1000};
    GrSurface *s = NULL, *same = NULL;
    gr_surface_create(&term, 1, 3, box, &s, NULL);
    gr_surface_create(&term, 1, 3, box, &same, NULL);
    assert_int_equal(gr_terrain_add_grid(t, &base, flat, NULL), GR_OK);
    assert_int_equal(gr_terrain_add_surface(t, &detail, s, NULL), GR_OK);
    double z;
    assert_int_equal(gr_terrain_height(t, 500, 500, &z), GR_GROUND_NOT_LOADED);
    assert_int_equal(gr_terrain_prefetch(t, (GrBox2){499, 499, 501, 501}, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(t, 500.05, 499.95, &z), GR_GROUND_OK);
    assert_near(z, 5 + gr_surface_height(same, 500.05, 499.95), 1e-6);
    gr_surface_free(same);
    gr_terrain_free(t);
}

/// Rows that are computed together have the bits of points computed alone; a coarse view has those of the nodes that it
/// keeps.
static void test_rows(void **state)
{
    (void)state;
    const char *const terms[] = {"fractal:hurst=0.8,rms_m=0.1,lag_m=1,smallest_m=0.3",
                                 "craters:smallest_m=2,largest_m=30,kt_m2=3", "ripples:wavelength_m=3,height_m=0.2"};
    enum { NX = 700, NY = 90, STRIDE = 3 };
    const GrBox2 box = {-40, -20, 100, 20};
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){NX, NY, -35, -10, 0.18, 0.21};
    GrSurface *alone = NULL, *same = NULL;
    gr_surface_create(terms, 3, 5, box, &alone, NULL);
    gr_surface_create(terms, 3, 5, box, &same, NULL);
    double *z = malloc(sizeof(double) * NX * NY);
    assert_int_equal(gr_surface_bake(alone, &def.frame, 1, z), GR_OK);
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    assert_int_equal(gr_terrain_add_surface(terrain, &def, same, NULL), GR_OK);
    GrTerrainView *view = gr_terrain_view_open(terrain, STRIDE * 0.21);
    GrTerrain *coarse = gr_terrain_view_terrain(view);
    assert_int_equal(gr_terrain_prefetch(coarse, gr_terrain_box(coarse), NULL), GR_OK);
    const GrGridFrame *f = &def.frame, *seen = &gr_terrain_layer(coarse, 0)->frame;
    assert_int_equal(seen->nx, (NX - 1) / STRIDE + 1);
    for (int64_t j = 0; j < NY; j++) {
        for (int64_t i = 0; i < NX; i++) {
            const double x = f->x0 + (double)i * f->dx, y = f->y0 + (double)j * f->dy;
            assert_true(z[j * NX + i] == gr_surface_height(alone, x, y));
            double height = 0;
            if (i % STRIDE == 0 && j % STRIDE == 0) {
                assert_int_equal(gr_terrain_height(coarse, seen->x0 + (double)(i / STRIDE) * seen->dx,
                                                   seen->y0 + (double)(j / STRIDE) * seen->dy, &height),
                                 GR_GROUND_OK);
                assert_near(height, z[j * NX + i], 1e-9); // the node is found to the last bits
            }
        }
    }
    gr_terrain_view_close(view);
    gr_terrain_free(terrain);
    gr_surface_free(alone);
    free(z);
}

static void test_wrong_terms(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"fractl:rms_m=1", "did you mean 'fractal'?"},
        {"fractal:rms=1", "did you mean 'rms_m'?"},
        {"fractal:rms_m=x", "takes a number"},
        {"fractal:hurst=2", "from 0.05 to 0.99"},
        {"fractal:rms_m", "NAME=VALUE"},
        {"craters:law=mars", "neither moon nor trask"},
        {"craters:smallest_m=9,largest_m=8", "below largest_m"},
        {"profile", "needs a file"},
        {"plane:seed=-", "whole number"},
    };
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrErrorLog log = {0};
        assert_int_not_equal(gr_surface_create(&CASES[k][0], 1, 1, (GrBox2){0, 0, 1, 1}, &(GrSurface *){NULL}, &log),
                             GR_OK);
        assert_true(log.error_count > 0);
        if (strstr(log.items[0].text, CASES[k][1]) == NULL) {
            fail_msg("'%s' is not in '%s'", CASES[k][1], log.items[0].text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fractal_law),  cmocka_unit_test(test_crater_numbers),
        cmocka_unit_test(test_crater_shape), cmocka_unit_test(test_plain_shapes),
        cmocka_unit_test(test_profile),      cmocka_unit_test(test_sum_threads_and_id),
        cmocka_unit_test(test_detail_layer), cmocka_unit_test(test_wrong_terms),
        cmocka_unit_test(test_rows),         cmocka_unit_test(test_kept_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
