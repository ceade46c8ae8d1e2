/// Rays against the ground and against shapes, held against a slow march along the ray and against closed forms.
#include "alloc.h"
#include "camera.h"
#include "random.h"
#include "ray_ground.h"
#include "ray_shape.h"
#include "ruts.h"
#include "test.h"
#include "vec3.h"

static const double MILLIMETRE = 1e-3;

/// Hills of several wavelengths.
static double hill(double x, double y)
{
    return 0.8 * sin(0.31 * x + 0.2) * cos(0.23 * y) + 0.15 * sin(1.7 * x) * sin(1.9 * y + 1) +
           0.03 * sin(7 * x + 5 * y);
}

static GrTerrain *make_terrain(GrInterpolation interpolation, double cell, int nodes)
{
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrLayerDef layer = gr_default_layer_def();
    const double half = 0.5 * (nodes - 1) * cell;
    layer.frame = (GrGridFrame){.nx = nodes, .ny = nodes, .x0 = -half, .y0 = -half, .dx = cell, .dy = cell};
    layer.interpolation = interpolation;
    double *heights = gr_malloc((size_t)nodes * (size_t)nodes * sizeof *heights);
    for (int j = 0; j < nodes; j++) {
        for (int i = 0; i < nodes; i++) {
            heights[j * nodes + i] = hill(-half + i * cell, -half + j * cell);
        }
    }
    assert_int_equal(gr_terrain_add_grid(terrain, &layer, heights, NULL), GR_OK);
    gr_free(heights);
    return terrain;
}

static GrRuts *make_ruts(void)
{
    const GrRutsDef def = {.cell = 0.02, .tile_capacity = 400, .interpolation = GR_BILINEAR};
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, NULL);
    for (int64_t i = -500; i <= 500; i++) { // a rut of 4 cm with heaps of 1.5 cm on both sides, along x
        for (int64_t j = -8; j <= 8; j++) {
            *gr_ruts_height(ruts, i, j) = j * j <= 16 ? -0.04 : 0.015 * (9 - (double)(j < 0 ? -j : j)) / 4;
        }
    }
    return ruts;
}

static const GrBox2 EVERYWHERE = {-1e4, -1e4, 1e4, 1e4};

/// Height of the ray above the ground; NaN off the map.
static double above(const GrTerrain *terrain, const GrRuts *ruts, const GrRay *ray, double t)
{
    double z;
    const GrGround found =
        gr_ground_height(terrain, ruts, ray->from.x + t * ray->along.x, ray->from.y + t * ray->along.y, &z);
    return found == GR_GROUND_OK ? ray->from.z + t * ray->along.z - z : (double)NAN;
}

/// Walks in small steps and halves the interval where the ray goes below the ground. INFINITY: it never does.
/// `closest`: least height above the ground before that.
static double march(const GrTerrain *terrain, const GrRuts *ruts, const GrRay *ray, double step, double *closest)
{
    *closest = INFINITY;
    for (double a = ray->begin; a < ray->end; a += step) {
        const double b = fmin(a + step, ray->end), f = above(terrain, ruts, ray, b);
        if (f > 0) {
            *closest = fmin(*closest, f);
            continue;
        }
        if (!(f <= 0)) { // off the map
            return INFINITY;
        }
        double lower = a, upper = b;
        for (int k = 0; k < 60; k++) {
            const double middle = 0.5 * (lower + upper);
            if (above(terrain, ruts, ray, middle) > 0) {
                lower = middle;
            } else {
                upper = middle;
            }
        }
        return upper;
    }
    return INFINITY;
}

/// Rays from 0.3 to 1.5 m above the ground in all directions of a LiDAR.
static GrRay random_ray(const GrTerrain *terrain, GrRandom *random, double spread)
{
    GrRay ray = {.begin = 0, .end = 25};
    double z = 0;
    ray.from.x = gr_random_uniform(random, -spread, spread);
    ray.from.y = gr_random_uniform(random, -spread, spread);
    gr_terrain_height(terrain, ray.from.x, ray.from.y, &z);
    ray.from.z = z + gr_random_uniform(random, 0.3, 1.5);
    const double azimuth = gr_random_uniform(random, 0, 2 * GR_PI), elevation = gr_random_uniform(random, -0.7, 0.1);
    ray.along = gr_vec3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation));
    return ray;
}

typedef struct Agreement {
    int rays, hits, disputed;
    double worst; ///< difference of ranges where both hit [m]
} Agreement;

/// Where one hits and the other does not, or they hit different crests, the ray must pass within `graze` of the ground:
/// a silhouette.
static Agreement compare(const GrTerrain *terrain, const GrRuts *ruts, int count, double spread, double graze)
{
    Agreement a = {.rays = count};
    GrRayGround *ground = gr_ray_ground_create(terrain);
    GrRandom random = gr_random_stream(1, "rays");
    assert_int_equal(gr_ray_ground_prepare(ground, ruts, EVERYWHERE), GR_OK);
    for (int i = 0; i < count; i++) {
        const GrRay ray = random_ray(terrain, &random, spread);
        double t = INFINITY, closest;
        const GrRayResult result = gr_ray_ground_cast(ground, &ray, &t);
        const double slow = march(terrain, ruts, &ray, 0.01, &closest);
        assert_int_not_equal(result, GR_RAY_BLIND);
        t = result == GR_RAY_HIT ? t : (double)INFINITY;
        a.hits += result == GR_RAY_HIT;
        if (t != slow && !(fabs(t - slow) < MILLIMETRE)) {
            a.disputed++;
            // the march may step over a crest that the ray pierces; the ray must then be on the ground there
            if (t < slow) {
                assert_near(above(terrain, ruts, &ray, t), 0, 1e-6);
            } else {
                assert_true(closest < graze || fabs(above(terrain, ruts, &ray, slow)) < graze);
            }
        } else if (t < (double)INFINITY) {
            a.worst = fmax(a.worst, fabs(t - slow));
        }
    }
    gr_ray_ground_free(ground);
    return a;
}

/// 10^5 rays in all, over both interpolations, with and without ruts.
static void march_agrees(void **unused)
{
    (void)unused;
    GrRuts *ruts = make_ruts();
    for (int k = 0; k < 4; k++) {
        GrTerrain *terrain = make_terrain(k % 2 == 0 ? GR_BILINEAR : GR_BICUBIC, 0.25, 201);
        const int count = GR_TEST_LONG(25000, 1000);
        const Agreement a = compare(terrain, k < 2 ? NULL : ruts, count, 12, MILLIMETRE);
        print_message("%s, %s ruts: %d rays, %d hits, %d disputed at silhouettes, largest difference %.2g m\n",
                      k % 2 == 0 ? "bilinear" : "bicubic", k < 2 ? "no" : "with", a.rays, a.hits, a.disputed, a.worst);
        assert_true(a.hits > count / 2);
        assert_true(a.disputed < count / 1000 + 1);
        assert_true(a.worst < MILLIMETRE);
        gr_terrain_free(terrain);
    }
    gr_ruts_free(ruts);
}

/// A layer of finer cells that is blended in, and one that adds.
static void layers_agree(void **unused)
{
    (void)unused;
    GrTerrain *terrain = make_terrain(GR_BICUBIC, 0.5, 101);
    static double fine[81 * 81], bumps[41 * 41];
    for (int k = 0; k < 81 * 81; k++) {
        fine[k] = 0.3 + 0.05 * sin(0.9 * (k % 81)) * sin(0.7 * (k / 81));
    }
    for (int k = 0; k < 41 * 41; k++) {
        bumps[k] = 0.1 * ((k * 7919) % 13) / 13;
    }
    GrLayerDef layer = gr_default_layer_def();
    layer.frame = (GrGridFrame){.nx = 81, .ny = 81, .x0 = -4, .y0 = -4, .dx = 0.1, .dy = 0.1};
    layer.margin = 1;
    assert_int_equal(gr_terrain_add_grid(terrain, &layer, fine, NULL), GR_OK);
    layer.frame = (GrGridFrame){.nx = 41, .ny = 41, .x0 = 2, .y0 = 2, .dx = 0.2, .dy = 0.2};
    layer.mode = GR_LAYER_ADD;
    assert_int_equal(gr_terrain_add_grid(terrain, &layer, bumps, NULL), GR_OK);
    const int count = GR_TEST_LONG(10000, 500);
    const Agreement a = compare(terrain, NULL, count, 6, MILLIMETRE);
    print_message("layers: %d hits, %d disputed, largest difference %.2g m\n", a.hits, a.disputed, a.worst);
    assert_true(a.hits > count / 2 && a.disputed < count / 200 + 1 && a.worst < MILLIMETRE);
    gr_terrain_free(terrain);
}

/// The plane z = 0 in closed form.
static void plane(void **unused)
{
    (void)unused;
    GrRayGround *ground = gr_ray_ground_create(NULL);
    GrRandom random = gr_random_stream(3, "plane");
    assert_int_equal(gr_ray_ground_prepare(ground, NULL, EVERYWHERE), GR_OK);
    for (int i = 0; i < 10000; i++) {
        GrRay ray = {.from = {gr_random_uniform(&random, -50, 50), gr_random_uniform(&random, -50, 50), 1.2},
                     .end = 100};
        const double elevation = gr_random_uniform(&random, -1.5, 0.2), azimuth = gr_random_uniform(&random, -4, 4);
        ray.along = gr_vec3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation));
        const double exact = -1.2 / sin(elevation);
        double t = NAN;
        const GrRayResult result = gr_ray_ground_cast(ground, &ray, &t);
        assert_int_equal(result, exact > 0 && exact < 100 ? GR_RAY_HIT : GR_RAY_MISS);
        if (result == GR_RAY_HIT) {
            assert_near(t, exact, 1e-9 * exact + 1e-9);
        }
    }
    // straight down, and level
    const GrRay down = {{3, 4, 5}, {0, 0, -1}, 0, 100}, level = {{3, 4, 5}, {1, 0, 0}, 0, 100};
    double t;
    assert_int_equal(gr_ray_ground_cast(ground, &down, &t), GR_RAY_HIT);
    assert_near(t, 5, 1e-12);
    assert_int_equal(gr_ray_ground_cast(ground, &level, &t), GR_RAY_MISS);
    gr_ray_ground_free(ground);
}

/// A scan straight across a rut gives its section, and follows when the rut becomes deeper.
static void rut(void **unused)
{
    (void)unused;
    GrRuts *ruts = make_ruts();
    GrRayGround *ground = gr_ray_ground_create(NULL);
    for (int pass = 0; pass < 3; pass++) {
        for (int64_t i = -20; i <= 20 && pass > 0; i++) {
            for (int64_t j = -4; j <= 4; j++) {
                *gr_ruts_height(ruts, i, j) = pass == 1 ? -0.08 : 0.09; // a second pass, then a heap
            }
        }
        assert_int_equal(gr_ray_ground_prepare(ground, ruts, EVERYWHERE), GR_OK);
        for (int k = -200; k <= 200; k++) {
            const double angle = 0.001 * k;
            const GrRay ray = {{0.05, 0, 1}, {0.01, sin(angle), -cos(angle)}, 0, 10};
            double t, z;
            assert_int_equal(gr_ray_ground_cast(ground, &ray, &t), GR_RAY_HIT);
            const double x = 0.05 + 0.01 * t, y = t * sin(angle);
            z = gr_ruts_slope(ruts, x, y).z;
            assert_near(1 - t * cos(angle), z, 1e-9);
        }
        const GrRay middle = {{0.05, 0.03, 1}, {0, 0, -1}, 0, 10};
        double t;
        assert_int_equal(gr_ray_ground_cast(ground, &middle, &t), GR_RAY_HIT);
        assert_near(t, pass == 0 ? 1.04 : pass == 1 ? 1.08 : 0.91, 1e-9);
    }
    gr_ray_ground_free(ground);
    gr_ruts_free(ruts);
}

static GrPlacedConvex placed(const GrConvex *convex, GrVec3 at, GrVec3 turn)
{
    return (GrPlacedConvex){convex, gr_quat_to_mat3(gr_quat_exp(turn)), at};
}

/// A sphere in closed form; its hull of many points is inside it by less than the facets.
static void sphere(void **unused)
{
    (void)unused;
    const GrConvex ball = gr_convex_sphere(0.5);
    const GrPlacedConvex item = placed(&ball, gr_vec3(4, 1, 0.2), gr_vec3(0.3, 0.2, 0.1));
    GrRandom random = gr_random_stream(5, "sphere");
    int hits = 0;
    for (int i = 0; i < 20000; i++) {
        const GrVec3 to = gr_add(
            item.position, gr_scale(0.6, gr_vec3(gr_random_uniform(&random, -1, 1), gr_random_uniform(&random, -1, 1),
                                                 gr_random_uniform(&random, -1, 1))));
        const GrRay ray = {{0, 0, 1}, gr_normalize(gr_sub(to, gr_vec3(0, 0, 1))), 0, 100};
        const GrVec3 c = gr_sub(item.position, ray.from);
        const double along = gr_dot(c, ray.along), off2 = gr_dot(c, c) - along * along;
        double t;
        GrVec3 normal;
        const bool hit = gr_ray_convex(&item, &ray, &t, &normal);
        assert_true(hit == (off2 <= 0.25) || fabs(off2 - 0.25) < 1e-12);
        if (hit) {
            assert_near(t, along - sqrt(0.25 - off2), 1e-9);
            assert_near(gr_norm(normal), 1, 1e-12);
            assert_true(gr_dot(normal, ray.along) <= 0);
            hits++;
        }
    }
    assert_true(hits > 5000);
}

/// Every kind of shape: by the support function in the direction of a separating plane, points just before the entry
/// are outside and points just after it are inside.
static bool contains(const GrPlacedConvex *p, GrVec3 point)
{
    const GrVec3 q = gr_mat3_tmul_vec(&p->rotation, gr_sub(point, p->position));
    const GrConvex *c = p->convex;
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        return gr_norm(q) <= c->radius;
    case GR_CONVEX_CYLINDER:
        return hypot(q.x, q.z) <= c->radius && fabs(q.y) <= c->half.y;
    case GR_CONVEX_CUBOID:
        return fabs(q.x) <= c->half.x && fabs(q.y) <= c->half.y && fabs(q.z) <= c->half.z;
    case GR_CONVEX_MESH:
        break;
    }
    for (int i = 0; i < c->mesh->face_count; i++) {
        if (gr_dot(c->mesh->normals[i], q) > c->mesh->offsets[i]) {
            return false;
        }
    }
    return true;
}

/// The tree finds the first of many shapes, as a march along the ray does.
static void many_shapes(void **unused)
{
    (void)unused;
    GrRandom random = gr_random_stream(6, "shapes");
    GrVec3 points[40];
    for (int i = 0; i < 40; i++) {
        points[i] = gr_vec3(gr_random_uniform(&random, -0.4, 0.4), gr_random_uniform(&random, -0.3, 0.3),
                            gr_random_uniform(&random, -0.2, 0.2));
    }
    GrConvexMesh *mesh = gr_convex_mesh_create(points, 40, NULL);
    assert_non_null(mesh);
    const GrConvex kinds[4] = {gr_convex_sphere(0.3), gr_convex_cylinder(0.2, 0.5),
                               gr_convex_cuboid(gr_vec3(0.5, 0.3, 0.4)), gr_convex_of_mesh(mesh)};
    GrRayShapes shapes = {0};
    for (int i = 0; i < 200; i++) {
        const GrVec3 at = {gr_random_uniform(&random, -8, 8), gr_random_uniform(&random, -8, 8),
                           gr_random_uniform(&random, -1, 1)};
        const GrVec3 turn = {gr_random_uniform(&random, -2, 2), gr_random_uniform(&random, -2, 2), 1};
        const GrPlacedConvex item = placed(&kinds[i % 4], at, turn);
        assert_true(gr_ray_shapes_add(&shapes, &item));
    }
    gr_ray_shapes_build(&shapes);
    int hits = 0;
    for (int i = 0; i < GR_TEST_LONG(2000, 200); i++) {
        const double azimuth = gr_random_uniform(&random, 0, 2 * GR_PI);
        const GrRay ray = {{gr_random_uniform(&random, -8, 8), gr_random_uniform(&random, -8, 8), 0},
                           {cos(azimuth), sin(azimuth), gr_random_uniform(&random, -0.1, 0.1)},
                           0,
                           20};
        double t = INFINITY, first = INFINITY;
        GrVec3 normal;
        const int found = gr_ray_shapes_cast(&shapes, &ray, &t, &normal);
        for (int k = 0; k < shapes.count; k++) {
            double entry;
            GrVec3 ignored;
            if (gr_ray_convex(&shapes.items[k], &ray, &entry, &ignored)) {
                assert_false(contains(&shapes.items[k], gr_madd(ray.from, entry - 1e-7, ray.along)));
                first = fmin(first, entry);
            }
        }
        assert_true(found >= 0 ? t == first : first == (double)INFINITY);
        for (double s = 0; s < fmin(t, ray.end) - 1e-6 && i < 200; s += 0.02) { // nothing before it, but what encloses
            for (int k = 0; k < shapes.count; k++) {                            // the beginning
                assert_false(contains(&shapes.items[k], gr_madd(ray.from, s, ray.along)) &&
                             !contains(&shapes.items[k], ray.from));
            }
        }
        hits += found >= 0;
    }
    assert_true(hits > GR_TEST_LONG(300, 30));
    gr_ray_shapes_free(&shapes);
    gr_convex_mesh_free(mesh);
}

/// Corners of a chessboard, projected and cast back onto its plane.
static void chessboard(void **unused)
{
    (void)unused;
    const GrCameraDef camera = {.columns = 640,
                                .rows = 480,
                                .view = 70 * GR_DEGREE,
                                .k1 = -0.28,
                                .k2 = 0.09,
                                .k3 = -0.012,
                                .p1 = 0.0012,
                                .p2 = -0.0007};
    const GrQuat turn = gr_quat_exp(gr_vec3(0.1, -0.3, 0.2));
    for (int i = -4; i <= 4; i++) {
        for (int j = -3; j <= 3; j++) {
            const GrVec3 corner = gr_add(gr_vec3(2, 0, 0), gr_quat_rotate(turn, gr_vec3(0, 0.25 * i, 0.25 * j)));
            const GrPixel pixel = gr_pinhole_project(&camera, corner);
            GrVec3 ray;
            assert_true(gr_pinhole_ray(&camera, pixel, &ray));
            const GrPixel again = gr_pinhole_project(&camera, ray);
            assert_near(again.column, pixel.column, 1e-6);
            assert_near(again.row, pixel.row, 1e-6);
            assert_near(gr_norm(gr_sub(gr_scale(corner.x, ray), corner)), 0, 1e-9);
        }
    }
    // the point ahead is in the middle, one to the left is left, one above is above
    assert_near(gr_pinhole_project(&camera, gr_vec3(1, 0, 0)).column, 319.5, 1e-9);
    assert_true(gr_pinhole_project(&camera, gr_vec3(1, 0.1, 0)).column < 319);
    assert_true(gr_pinhole_project(&camera, gr_vec3(1, 0, 0.1)).row < 239);
    // without distortion the edge of the image is at half the angle of view
    const GrCameraDef plain = {.columns = 640, .rows = 480, .view = 70 * GR_DEGREE};
    assert_near(gr_pinhole_project(&plain, gr_vec3(1, tan(35 * GR_DEGREE), 0)).column, -0.5, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane),        cmocka_unit_test(rut),        cmocka_unit_test(sphere),
        cmocka_unit_test(many_shapes),  cmocka_unit_test(chessboard), cmocka_unit_test(march_agrees),
        cmocka_unit_test(layers_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
