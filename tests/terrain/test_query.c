/// Height, normal, profile and patch queries against closed forms, on grids that hold them exactly.
#include "grouser/terrain.h"
#include "random.h"
#include "terrain_data.h"
#include "test.h"

#include <stdlib.h>

/// A plane that is different along x and y; bilinear and bicubic reproduce it.
static double plane(double x, double y)
{
    return -4450 + 0.25 * x - 0.5 * y;
}

/// Smooth, with all derivatives.
static double wave(double x, double y)
{
    return sin(0.31 * x) * cos(0.17 * y) + 0.01 * x * y;
}

static double *sample(const GrGridFrame *f, double (*height)(double, double))
{
    double *z = malloc((size_t)(f->nx * f->ny) * sizeof *z);
    assert_non_null(z);
    for (int64_t j = 0; j < f->ny; j++) {
        for (int64_t i = 0; i < f->nx; i++) {
            z[j * f->nx + i] = height(f->x0 + (double)i * f->dx, f->y0 + (double)j * f->dy);
        }
    }
    return z;
}

static GrTerrain *make(GrLayerDef def, double (*height)(double, double))
{
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    double *z = sample(&def.frame, height);
    assert_int_equal(gr_terrain_add_grid(terrain, &def, z, NULL), GR_OK);
    free(z);
    return terrain;
}

static GrLayerDef layer(int64_t nx, int64_t ny, double x0, double y0, double dx, double dy)
{
    GrLayerDef def = gr_default_layer_def();
    def.frame = (GrGridFrame){nx, ny, x0, y0, dx, dy};
    return def;
}

/// Every kind of size: one cell, a border at a tile's edge, one beyond, several tiles.
static void test_plane_is_exact(void **state)
{
    (void)state;
    const int64_t sizes[] = {2, 3, 64, 65, 66, 130};
    for (int kind = 0; kind < 2; kind++) {
        for (int s = 0; s < 6; s++) {
            GrLayerDef def = layer(sizes[s], sizes[5 - s], -7.5, 3.25, 0.5, 0.25);
            def.interpolation = kind == 0 ? GR_BILINEAR : GR_BICUBIC;
            GrTerrain *t = make(def, plane);
            const GrBox2 box = gr_terrain_box(t);
            for (int k = 0; k <= 200; k++) {
                const double x = box.x_lower + (box.x_upper - box.x_lower) * k / 200;
                const double y = box.y_lower + (box.y_upper - box.y_lower) * ((7 * k) % 201) / 200;
                double z;
                GrVec3 n;
                assert_int_equal(gr_terrain_height_normal(t, x, y, &z, &n), GR_GROUND_OK);
                assert_near(z, plane(x, y), 3e-12);
                assert_near(-n.x / n.z, 0.25, 1e-10);
                assert_near(-n.y / n.z, -0.5, 1e-10);
                assert_near(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14);
            }
            gr_terrain_free(t);
        }
    }
}

/// The normal is the gradient of the height that is returned, by central differences inside a cell.
static void test_normal_is_gradient(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        GrLayerDef def = layer(150, 140, 0, 0, 0.4, 0.3);
        def.interpolation = kind == 0 ? GR_BILINEAR : GR_BICUBIC;
        GrTerrain *t = make(def, wave);
        const double h = 1e-5;
        for (int k = 1; k < 100; k++) {
            const double x = 0.4 * (k + 0.37), y = 0.3 * ((k * 13) % 130 + 0.61);
            double z, e, w, n_, s_;
            GrVec3 n;
            gr_terrain_height_normal(t, x, y, &z, &n);
            gr_terrain_height(t, x + h, y, &e);
            gr_terrain_height(t, x - h, y, &w);
            gr_terrain_height(t, x, y + h, &n_);
            gr_terrain_height(t, x, y - h, &s_);
            assert_near(-n.x / n.z, (e - w) / (2 * h), 1e-8);
            assert_near(-n.y / n.z, (n_ - s_) / (2 * h), 1e-8);
        }
        gr_terrain_free(t);
    }
}

/// Heights are continuous across cells and tiles in both; slopes in the bicubic one only.
static void test_continuity(void **state)
{
    (void)state;
    GrLayerDef def = layer(150, 140, 0, 0, 0.4, 0.3);
    for (int kind = 0; kind < 2; kind++) {
        def.interpolation = kind == 0 ? GR_BILINEAR : GR_BICUBIC;
        GrTerrain *t = make(def, wave);
        double largest = 0;
        for (int i = 1; i < 149; i++) {
            const double x = 0.4 * i, y = 11.17, e = 1e-9;
            double za, zb;
            GrVec3 na, nb;
            gr_terrain_height_normal(t, x - e, y, &za, &na);
            gr_terrain_height_normal(t, x + e, y, &zb, &nb);
            assert_near(za, zb, 1e-8);
            largest = fmax(largest, fabs(na.x - nb.x));
        }
        if (kind == 0) {
            assert_true(largest > 1e-3);
        } else {
            assert_near(largest, 0, 1e-7);
        }
        gr_terrain_free(t);
    }
}

/// At an elevation of 1e6 m the result keeps what double precision has.
static double far_up(double x, double y)
{
    return 1e6 + 1e-6 * x + 2e-6 * y;
}

static void test_precision_at_elevation(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        GrLayerDef def = layer(10, 10, 0, 0, 1, 1);
        def.interpolation = kind == 0 ? GR_BILINEAR : GR_BICUBIC;
        GrTerrain *t = make(def, far_up);
        double z;
        assert_int_equal(gr_terrain_height(t, 4.5, 5.5, &z), GR_GROUND_OK);
        assert_near(z - 1e6, 4.5e-6 + 11e-6, 3e-10);
        gr_terrain_free(t);
    }
}

static void test_typed_answers(void **state)
{
    (void)state;
    GrLayerDef def = layer(100, 100, 0, 0, 1, 1);
    double *z = sample(&def.frame, plane);
    z[50 * 100 + 40] = NAN;
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    double h;
    GrVec3 n;
    assert_int_equal(gr_terrain_height(t, 0, 0, &h), GR_GROUND_OUTSIDE);
    assert_int_equal(gr_terrain_add_grid(t, &def, z, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(t, 99, 99, &h), GR_GROUND_OK);
    assert_int_equal(gr_terrain_height(t, 99.0001, 50, &h), GR_GROUND_OUTSIDE);
    assert_true(isnan(h));
    assert_int_equal(gr_terrain_height(t, -0.0001, 50, &h), GR_GROUND_OUTSIDE);
    assert_int_equal(gr_terrain_height(t, 50, 1e300, &h), GR_GROUND_OUTSIDE);
    assert_int_equal(gr_terrain_height_normal(t, NAN, 50, &h, &n), GR_GROUND_OUTSIDE);
    assert_int_equal(gr_terrain_height_normal(t, 40.4, 49.5, &h, &n), GR_GROUND_VOID);
    assert_true(isnan(h) && isnan(n.z));
    assert_int_equal(gr_terrain_height(t, 41.5, 49.5, &h), GR_GROUND_OK);
    free(z);
    gr_terrain_free(t);
}

static void test_profile_and_patch(void **state)
{
    (void)state;
    GrTerrain *t = make(layer(100, 100, 0, 0, 1, 1), wave);
    double line[50], patch[20 * 30];
    GrVec3 normals[50];
    assert_int_equal(gr_ground_profile(t, NULL, 3.3, 80.1, 1.7, -0.9, 50, line, normals), GR_GROUND_OK);
    for (int k = 0; k < 50; k++) {
        double z;
        GrVec3 n;
        gr_terrain_height_normal(t, 3.3 + k * 1.7, 80.1 - k * 0.9, &z, &n);
        assert_true(z == line[k] && n.x == normals[k].x && n.z == normals[k].z);
    }
    assert_int_equal(gr_ground_patch(t, NULL, 10.5, 60.25, 0.3, 20, 30, patch), GR_GROUND_OK);
    double z;
    gr_terrain_height(t, 10.5 + 7 * 0.3, 60.25 + 21 * 0.3, &z);
    assert_near(patch[21 * 20 + 7], z, 1e-12);
    assert_int_equal(gr_ground_profile(t, NULL, 90, 50, 1, 0, 50, line, NULL), GR_GROUND_OUTSIDE);
    assert_false(isnan(line[9]));
    assert_true(isnan(line[10]));
    gr_terrain_free(t);
}

static double hill(double x, double y)
{
    return 10 + 0.02 * x - 0.01 * y;
}

/// A fine map in a coarse one: the fine one inside, the coarse one outside, no step between, slopes match heights.
static void test_fine_in_coarse(void **state)
{
    (void)state;
    GrTerrain *t = make(layer(101, 101, -500, -500, 10, 10), hill);
    GrLayerDef fine = layer(201, 201, -20, -10, 0.2, 0.2);
    fine.margin = 4;
    double *z = sample(&fine.frame, plane);
    for (int64_t k = 0; k < 201 * 201; k++) {
        z[k] += 4460; // about as high as the hill
    }
    assert_int_equal(gr_terrain_add_grid(t, &fine, z, NULL), GR_OK);
    free(z);
    double h;
    gr_terrain_height(t, 0.3, 5.1, &h);
    assert_near(h, plane(0.3, 5.1) + 4460, 1e-10);
    gr_terrain_height(t, -20.001, 5, &h);
    assert_near(h, hill(-20.001, 5), 1e-10);
    const double e = 1e-6;
    for (int along_y = 0; along_y < 2; along_y++) { // over all four borders of the fine one
        const double ux = along_y ? 0 : 1, uy = along_y ? 1 : 0, end = along_y ? 32 : 25;
        double last = NAN;
        for (double s = along_y ? -12 : -22; s < end; s += 0.01) {
            const double x = along_y ? 3.07 : s, y = along_y ? s : 3.07;
            double a, b;
            GrVec3 n;
            assert_int_equal(gr_terrain_height_normal(t, x, y, &h, &n), GR_GROUND_OK);
            assert_true(isnan(last) || fabs(h - last) < 0.1);
            last = h;
            gr_terrain_height(t, x + e * ux, y + e * uy, &a);
            gr_terrain_height(t, x - e * ux, y - e * uy, &b);
            assert_near(-(ux * n.x + uy * n.y) / n.z, (a - b) / (2 * e), 1e-3);
        }
    }
    gr_terrain_free(t);
}

static void test_added_layer(void **state)
{
    (void)state;
    GrTerrain *t = make(layer(101, 101, -50, -50, 1, 1), hill);
    GrLayerDef detail = layer(401, 401, -50, -50, 0.25, 0.25);
    detail.mode = GR_LAYER_ADD;
    double *z = sample(&detail.frame, wave);
    assert_int_equal(gr_terrain_add_grid(t, &detail, z, NULL), GR_OK);
    free(z);
    double h;
    gr_terrain_height(t, 10.25, -3.5, &h);
    assert_near(h, hill(10.25, -3.5) + wave(10.25, -3.5), 1e-12);
    gr_terrain_free(t);
}

/// Heights that tell their own place; counts how often it is asked.
typedef struct Counter {
    int reads;
    int fail_from;
} Counter;

static GrStatus read_counted(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    Counter *counter = context;
    if (counter->fail_from > 0 && ++counter->reads >= counter->fail_from) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "gone");
    }
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            *out++ = (double)(window.i0 + i) + 1e-3 * (double)(window.j0 + j);
        }
    }
    return GR_OK;
}

/// 10^12 cells: tiles come by prefetch only, the oldest make room, memory stays bounded.
static void test_prefetch(void **state)
{
    (void)state;
    Counter counter = {0};
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    GrLayerDef def = layer(1000000, 1000000, 0, 0, 1, 1);
    def.memory_limit = (size_t)20 * 67 * 67 * 8;
    assert_int_equal(gr_terrain_add_source(t, &def, (GrSource){.read = read_counted, .context = &counter}, NULL),
                     GR_OK);
    double z;
    assert_int_equal(gr_terrain_height(t, 5e5, 5e5, &z), GR_GROUND_NOT_LOADED);
    for (int k = 0; k < 300; k++) {
        const double x = 5e5 + 20.0 * k, y = 5e5 - 13.0 * k;
        assert_int_equal(gr_terrain_prefetch(t, (GrBox2){x - 5, y - 5, x + 5, y + 5}, NULL), GR_OK);
        assert_int_equal(gr_terrain_height(t, x + 4.5, y - 4.25, &z), GR_GROUND_OK);
        assert_near(z, x + 4.5 + 1e-3 * (y - 4.25), 1e-9);
        assert_true(gr_terrain_memory(t) < 2 * def.memory_limit);
    }
    assert_int_equal(gr_terrain_height(t, 5e5, 5e5, &z), GR_GROUND_NOT_LOADED);
    // All corners of the map.
    const GrBox2 corner = {999990, 999990, 2e6, 2e6};
    assert_int_equal(gr_terrain_prefetch(t, corner, NULL), GR_OK);
    assert_int_equal(gr_terrain_height(t, 999999, 999999, &z), GR_GROUND_OK);
    assert_near(z, 999999 + 999.999, 1e-8);
    GrErrorLog log = {0};
    assert_int_equal(gr_terrain_prefetch(t, (GrBox2){0, 0, 1e4, 1e4}, &log), GR_ERROR_MEMORY);
    assert_int_equal(log.error_count, 1);
    counter = (Counter){.fail_from = 1};
    assert_int_equal(gr_terrain_prefetch(t, (GrBox2){100, 100, 101, 101}, &log), GR_ERROR_FILE);
    assert_int_equal(gr_terrain_height(t, 100, 100, &z), GR_GROUND_NOT_LOADED);
    gr_terrain_free(t);
}

static void test_bad_definitions(void **state)
{
    (void)state;
    GrTerrain *t = NULL;
    gr_terrain_create(&t, NULL);
    const double z[4] = {0};
    GrErrorLog log = {0};
    GrLayerDef def = layer(1, 5, 0, 0, 1, 1);
    assert_int_equal(gr_terrain_add_grid(t, &def, z, &log), GR_ERROR_VALUE);
    def = layer(2, 2, 0, 0, -1, 1);
    assert_int_equal(gr_terrain_add_grid(t, &def, z, &log), GR_ERROR_VALUE);
    def = layer(2, 2, NAN, 0, 1, 1);
    assert_int_equal(gr_terrain_add_grid(t, &def, z, &log), GR_ERROR_VALUE);
    assert_int_equal(log.error_count, 3);
    gr_terrain_free(t);
}

/// Points that are dropped together land where each would alone, bit for bit: in one cell, over the edges of tiles,
/// from one layer to the next, and off the map.
static void test_dropped_together(void **state)
{
    (void)state;
    GrLayerDef base = layer(200, 150, -10, -5, 0.1, 0.1), fine = layer(80, 80, -2, -2, 0.05, 0.05);
    base.interpolation = GR_BICUBIC;
    fine.margin = 0.5;
    for (int kind = 0; kind < 2; kind++) {
        fine.interpolation = kind == 0 ? GR_BILINEAR : GR_BICUBIC;
        GrTerrain *t = make(base, wave);
        double *z = sample(&fine.frame, plane);
        assert_int_equal(gr_terrain_add_grid(t, &fine, z, NULL), GR_OK);
        free(z);
        GrRandom random = gr_random_stream(3, "drop");
        int off = 0;
        for (int k = 0; k < 20000; k++) {
            const double spread = k % 2 ? 0.3 : 8;
            const double x = gr_random_uniform(&random, -9.9, 9.9), y = gr_random_uniform(&random, -4.9, 9.9);
            GrVec3 points[3];
            bool all = true;
            double expected[3];
            for (int i = 0; i < 3; i++) {
                points[i] =
                    (GrVec3){x + gr_random_uniform(&random, 0, spread), y + gr_random_uniform(&random, 0, spread), -1};
                all = gr_terrain_height(t, points[i].x, points[i].y, &expected[i]) == GR_GROUND_OK && all;
            }
            assert_int_equal(gr_terrain_drop(t, 3, points), all);
            off += !all;
            for (int i = 0; all && i < 3; i++) {
                assert_true(points[i].z == expected[i]);
            }
        }
        assert_true(off > 100 && off < 19900);
        gr_terrain_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plane_is_exact),   cmocka_unit_test(test_normal_is_gradient),
        cmocka_unit_test(test_continuity),       cmocka_unit_test(test_precision_at_elevation),
        cmocka_unit_test(test_typed_answers),    cmocka_unit_test(test_profile_and_patch),
        cmocka_unit_test(test_fine_in_coarse),   cmocka_unit_test(test_added_layer),
        cmocka_unit_test(test_prefetch),         cmocka_unit_test(test_bad_definitions),
        cmocka_unit_test(test_dropped_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
