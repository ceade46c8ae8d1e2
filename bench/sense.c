/// Rays of sensors: a LiDAR of 64 lines and a depth camera in a field of rocks, on one core; and against Embree on the
/// same height field.
#include "bench.h"

#include "camera.h"
#include "grouser/sense.h"
#include "ray_scene.h"
#include "scenario_data.h"
#include "support/embree_ground.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 64, COLUMNS = 1024, WIDTH = 640, HEIGHT = 480, SHARE = 16 };

/// Rays of one frame, world axes; every SHARE-th of them is timed in a run.
typedef struct Frame {
    const GrRayScene *scene;
    const GrRayGround *ground; ///< alone; NULL: the whole scene
    GrEmbreeGround *embree;    ///< NULL: not this one
    GrVec3 from;
    GrVec3 *rays;
    int count;
    double reach;
    bool grey; ///< with a ray to the sun
    int at;
    double sum; ///< keeps the work from being optimised away
} Frame;

/// `count` shares of a frame.
static void run_rays(void *context, int count)
{
    Frame *f = context;
    for (int k = 0; k < count; k++, f->at = (f->at + 1) % SHARE) {
        for (int i = f->at; i < f->count; i += SHARE) {
            const GrRay ray = {f->from, f->rays[i], 0.1, f->reach};
            double t = 0;
            bool blind;
            if (f->grey) {
                GrRayHit hit = gr_ray_scene_cast(f->scene, &ray, &blind);
                gr_ray_scene_normal(f->scene, &ray, &hit);
                const GrVec3 point = gr_madd(gr_madd(ray.from, hit.t, ray.along), 1e-3, hit.normal);
                t = hit.seen != GR_SEEN_NOTHING && gr_ray_scene_hides(f->scene, point, gr_vec3(0.6, -0.6, 0.5)) ? 1 : 0;
            } else if (f->embree != NULL) {
                gr_embree_cast(f->embree, &ray, &t);
            } else if (f->ground != NULL) {
                gr_ray_ground_cast(f->ground, &ray, &t);
            } else {
                t = gr_ray_scene_cast(f->scene, &ray, &blind).t;
            }
            f->sum += t;
        }
    }
}

static void make_scan(Frame *f)
{
    f->count = LINES * COLUMNS;
    f->rays = malloc((size_t)f->count * sizeof *f->rays);
    for (int i = 0; f->rays != NULL && i < f->count; i++) {
        const double azimuth = 2 * GR_PI * (i % COLUMNS) / COLUMNS;
        const double elevation = (-25 + 40.0 * (i / COLUMNS) / (LINES - 1)) * GR_DEGREE;
        f->rays[i] = gr_vec3(cos(elevation) * cos(azimuth), cos(elevation) * sin(azimuth), sin(elevation));
    }
}

static void make_image(Frame *f)
{
    const GrCameraDef camera = {.columns = WIDTH, .rows = HEIGHT, .view = 65 * GR_DEGREE, .k1 = -0.2, .k2 = 0.05};
    const GrQuat down = gr_quat_from_rpy(0, 20 * GR_DEGREE, 0);
    f->count = WIDTH * HEIGHT;
    f->rays = malloc((size_t)f->count * sizeof *f->rays);
    for (int i = 0; f->rays != NULL && i < f->count; i++) {
        gr_pinhole_ray(&camera, (GrPixel){i % WIDTH, i / WIDTH}, &f->rays[i]);
        f->rays[i] = gr_normalize(gr_quat_rotate(down, f->rays[i]));
    }
}

static void race_scene(const GrRayScene *scene, GrVec3 from)
{
    static Frame frames[3];
    frames[0] = (Frame){.scene = scene, .from = from, .reach = 50};
    frames[1] = (Frame){.scene = scene, .from = from, .reach = 10};
    make_scan(&frames[0]);
    make_image(&frames[1]);
    frames[2] = frames[1];
    frames[2].grey = true;
    GrContestant race[] = {{"lidar", run_rays, &frames[0], 0, {0}},
                           {"depth", run_rays, &frames[1], 0, {0}},
                           {"grey", run_rays, &frames[2], 0, {0}}};
    if (frames[0].rays != NULL && frames[1].rays != NULL) {
        gr_bench_race(race, 3, SHARE / 4);
        const double scan = SHARE * race[0].seconds, image = SHARE * race[1].seconds;
        gr_bench_report("lidar_mrays_per_s", 1e-6 * frames[0].count / scan, "M/s", "rays of a LiDAR, to 50 m");
        gr_bench_report("depth_mrays_per_s", 1e-6 * frames[1].count / image, "M/s", "rays of a camera, to 10 m");
        gr_bench_report("lidar_real_time", 0.1 / scan, "x", "64 lines of 1024 rays at 10 Hz, one core; above 1");
        gr_bench_report("depth_real_time", 0.2 / image, "x", "640 x 480 pixels at 5 Hz, one core; above 1");
        gr_bench_report("grey_real_time", 0.2 / (SHARE * race[2].seconds), "x", "the same with shading and shadows");
        gr_bench_report("grey_over_depth", gr_bench_ratio(&race[2], &race[1]), "x", "time with shading and shadows");
    }
    free(frames[0].rays);
    free(frames[1].rays);
}

/// The rover in a field of rocks on hilly ground, bicubic cells of 10 cm.
static void bench_scene(void)
{
    static const char *const overrides[] = {"rover=rashid_like_sensing", "terrain.size_m=120", "terrain.cell_m=0.1",
                                            "terrain.add=[{fractal: {hurst: 0.8, rms_m: 0.04, lag_m: 1}}]", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    if (gr_scenario_load("rock_field", overrides, &scenario, &log) != GR_OK) {
        printf("  %s\n", log.items[0].text);
        return;
    }
    if (gr_world_create(scenario, &world, &log) == GR_OK) {
        const GrSenseDef def = {.model = world->model, .rover = &scenario->rover, .terrain = world->terrain};
        GrRayScene *scene = gr_ray_scene_create(&def, 50);
        GrPose *bodies = calloc((size_t)scenario->rover.body_count, sizeof *bodies);
        const GrData *d = gr_mission_data(world->mission);
        for (int k = 0; bodies != NULL && k < scenario->rover.body_count; k++) {
            bodies[k] = gr_data_body_pose(world->model, d, k);
        }
        const GrVec3 from = gr_add(gr_data_base_pose(d).position, gr_vec3(0.08, 0, 0.55));
        if (scene != NULL && bodies != NULL && gr_ray_scene_prepare(scene, d, bodies, from) == GR_OK) {
            race_scene(scene, from);
        }
        free(bodies);
        gr_ray_scene_free(scene);
        gr_world_free(world);
    } else {
        printf("  %s\n", log.items[0].text);
    }
    gr_scenario_free(scenario);
}

/// The same rays on 1024 x 1024 bilinear cells of 10 cm, as Embree knows them: grids of triangles or of patches.
static void bench_embree(void)
{
    enum { SIDE = 1025 };
    const GrGridFrame frame = {.nx = SIDE, .ny = SIDE, .x0 = -51.2, .y0 = -51.2, .dx = 0.1, .dy = 0.1};
    double *heights = malloc((size_t)SIDE * SIDE * sizeof *heights);
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    GrLayerDef layer = gr_default_layer_def();
    layer.frame = frame;
    for (int k = 0; heights != NULL && k < SIDE * SIDE; k++) {
        const double x = 0.1 * (k % SIDE), y = 0.1 * (k / SIDE);
        heights[k] =
            0.5 * sin(0.4 * x) * cos(0.3 * y) + 0.1 * sin(2.1 * x + 1) * sin(1.7 * y) + 0.02 * sin(9 * x + 7 * y);
    }
    GrRayGround *ground = NULL;
    if (heights != NULL && terrain != NULL && gr_terrain_add_grid(terrain, &layer, heights, NULL) == GR_OK) {
        ground = gr_ray_ground_create(terrain);
    }
    GrEmbreeGround *embree = ground != NULL ? gr_embree_create(&frame, heights) : NULL;
    if (ground != NULL && gr_ray_ground_prepare(ground, NULL, (GrBox2){-60, -60, 60, 60}) == GR_OK) {
        static Frame frames[2];
        frames[0] = (Frame){.ground = ground, .from = {0.3, 0.2, 1.6}, .reach = 50};
        make_scan(&frames[0]);
        frames[1] = frames[0];
        frames[1].embree = embree;
        GrContestant race[] = {{"mipmap", run_rays, &frames[0], 0, {0}}, {"Embree", run_rays, &frames[1], 0, {0}}};
        gr_bench_race(race, embree != NULL ? 2 : 1, SHARE / 4);
        gr_bench_report("ground_mrays_per_s", 1e-6 * frames[0].count / (SHARE * race[0].seconds), "M/s",
                        "rays of a LiDAR, ground of bilinear cells alone");
        if (embree != NULL) {
            gr_bench_report("ground_over_embree", gr_bench_ratio(&race[1], &race[0]), "x", "faster than Embree");
        }
        free(frames[0].rays);
    }
    gr_embree_free(embree);
    gr_ray_ground_free(ground);
    gr_terrain_free(terrain);
    free(heights);
}

void gr_bench_sense(void)
{
    printf("\nsense: rays, one core\n");
    bench_scene();
    bench_embree();
}
