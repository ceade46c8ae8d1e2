/// 10^5 rays against Embree: the same hits except at silhouettes, and ranges within a millimetre.
///
/// Embree cuts every cell of a grid into two triangles. It therefore gets the bilinear surface with each cell in 8 x 8,
/// which leaves less than 0.2 mm between the two: a 64th of a quarter of a cell's twist.
#include "random.h"
#include "support/embree_ground.h"
#include "test.h"
#include "vec3.h"

#include <stdlib.h>

enum { NODES = 121, FINER = 8, FINE = (NODES - 1) * FINER + 1, RAYS = GR_TEST_LONG(100000, 2000) };
static const double CELL = 0.25, HALF = 15, SURFACES_APART = 2e-4; // [m]

static double hill(double x, double y)
{
    return 0.8 * sin(0.31 * x + 0.2) * cos(0.23 * y) + 0.15 * sin(1.7 * x) * sin(1.9 * y + 1);
}

static GrTerrain *make_terrain(void)
{
    static double heights[NODES * NODES];
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrLayerDef layer = gr_default_layer_def();
    layer.frame = (GrGridFrame){.nx = NODES, .ny = NODES, .x0 = -HALF, .y0 = -HALF, .dx = CELL, .dy = CELL};
    for (int k = 0; k < NODES * NODES; k++) {
        heights[k] = hill(-HALF + k % NODES * CELL, -HALF + k / NODES * CELL);
    }
    assert_int_equal(gr_terrain_add_grid(terrain, &layer, heights, NULL), GR_OK);
    return terrain;
}

static GrEmbreeGround *make_referee(const GrTerrain *terrain)
{
    double *heights = malloc((size_t)FINE * FINE * sizeof *heights);
    const double cell = CELL / FINER;
    const GrGridFrame frame = {.nx = FINE, .ny = FINE, .x0 = -HALF, .y0 = -HALF, .dx = cell, .dy = cell};
    for (int k = 0; k < FINE * FINE; k++) {
        const double x = fmin(HALF, -HALF + k % FINE * cell), y = fmin(HALF, -HALF + k / FINE * cell);
        assert_int_equal(gr_terrain_height(terrain, x, y, &heights[k]), GR_GROUND_OK);
    }
    GrEmbreeGround *referee = gr_embree_create(&frame, heights);
    free(heights);
    assert_non_null(referee);
    return referee;
}

/// Greatest depth of a ray below the ground between two points of it.
static double deepest_between(const GrTerrain *terrain, const GrRay *ray, double from, double to)
{
    double deepest = 0;
    for (double t = from; t < to; t += 1e-3) {
        double z;
        if (gr_terrain_height(terrain, ray->from.x + t * ray->along.x, ray->from.y + t * ray->along.y, &z) !=
            GR_GROUND_OK) {
            break;
        }
        deepest = fmax(deepest, z - (ray->from.z + t * ray->along.z));
    }
    return deepest;
}

static void same_hits(void **unused)
{
    (void)unused;
    GrTerrain *terrain = make_terrain();
    GrEmbreeGround *referee = make_referee(terrain);
    GrRayGround *ground = gr_ray_ground_create(terrain);
    GrRandom random = gr_random_stream(1, "embree");
    int hits = 0, disputed = 0;
    double worst = 0;
    assert_int_equal(gr_ray_ground_prepare(ground, NULL, (GrBox2){-HALF, -HALF, HALF, HALF}), GR_OK);
    for (int i = 0; i < RAYS; i++) {
        GrRay ray = {.end = 20};
        ray.from.x = gr_random_uniform(&random, -8, 8);
        ray.from.y = gr_random_uniform(&random, -8, 8);
        ray.from.z = hill(ray.from.x, ray.from.y) + gr_random_uniform(&random, 0.3, 1.5);
        const double azimuth = gr_random_uniform(&random, 0, 2 * GR_PI), up = gr_random_uniform(&random, -0.7, 0.1);
        ray.along = gr_vec3(cos(up) * cos(azimuth), cos(up) * sin(azimuth), sin(up));
        double t = 0, other = 0;
        const GrRayResult ours = gr_ray_ground_cast(ground, &ray, &t), theirs = gr_embree_cast(referee, &ray, &other);
        hits += ours == GR_RAY_HIT;
        t = ours == GR_RAY_HIT ? t : (double)INFINITY;
        other = theirs == GR_RAY_HIT ? other : (double)INFINITY;
        if (t != other && !(fabs(t - other) < 1e-3)) { // a silhouette: the ray is no deeper than the surfaces are apart
            disputed++;
            assert_true(deepest_between(terrain, &ray, fmin(t, other), fmin(fmax(t, other), ray.end)) < SURFACES_APART);
        } else if (ours == GR_RAY_HIT) {
            worst = fmax(worst, fabs(t - other));
        }
    }
    print_message("%d rays, %d hits, %d disputed at silhouettes, largest difference %.2g m\n", RAYS, hits, disputed,
                  worst);
    assert_true(hits > RAYS / 2);
    assert_true(disputed <= RAYS / 1000);
    assert_true(worst < 1e-3);
    gr_ray_ground_free(ground);
    gr_embree_free(referee);
    gr_terrain_free(terrain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_hits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
