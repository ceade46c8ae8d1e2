/// A rover with rigid contact: on rigid bumpy ground against MuJoCo's height field, and the cost of rocks that are not
/// near.
#include "bench.h"

#include "grouser/grouser.h"
#include "rival.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 201, ROCKS = 10000, STEPS_A_BLOCK = 500 };
static const double CELL = 0.2, BUMP = 0.1, STEP = 0.002, GRAVITY = -3.71, DRIVE = 0.2;

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

/// Height at a node as a fraction of BUMP, 0 .. 1.
static double bump(int i, int j)
{
    return 0.5 + 0.25 * sin(0.35 * i) + 0.25 * cos(0.3 * j);
}

typedef struct Ours {
    GrModel *m;
    GrData *d;
} Ours;

static Ours make_ours(const GrRoverDef *rover, const GrSurfaceDef *surface, double height)
{
    GrOptions options = gr_default_options();
    options.gravity.z = GRAVITY;
    options.step = STEP;
    options.surface = *surface;
    Ours ours = {0};
    gr_model_create(rover, &options, &ours.m, NULL);
    if (ours.m == NULL || gr_data_create(ours.m, &ours.d, NULL) != GR_OK) {
        stop("the rover makes no model");
    }
    gr_data_set_base_pose(ours.d, (GrPose){{0, 0, height}, {1, 0, 0, 0}});
    for (int i = 0; i < gr_model_joint_count(ours.m); i++) {
        if (gr_model_joint_role(ours.m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(ours.m, ours.d, i, DRIVE);
        }
    }
    return ours;
}

static void run_ours(void *context, int count)
{
    Ours *ours = context;
    for (int i = 0; i < count; i++) {
        if (gr_step(ours->m, ours->d) != GR_OK) {
            stop("a step failed");
        }
    }
}

static void raise_field(mjModel *m)
{
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            m->hfield_data[j * NODES + i] = (float)bump(i, j);
        }
    }
}

static void start_theirs(const mjModel *m, mjData *d)
{
    d->qpos[2] = 1.0;
    for (int i = 0; i < m->nu; i++) { // servos hold, speed controllers drive
        const bool servo = m->actuator_biasprm[mjNBIAS * i + 1] != 0;
        d->ctrl[i] = m->actuator_biastype[i] == mjBIAS_AFFINE && !servo ? DRIVE : 0;
    }
}

static GrRival make_theirs(const GrRoverDef *rover)
{
    return gr_rival_fastest(rover, &(GrRivalUse){.mjcf = {.step = STEP,
                                                          .gravity = {0, 0, GRAVITY},
                                                          .couplings = true,
                                                          .motors = true,
                                                          .field_nodes = NODES,
                                                          .field_edge = CELL * (NODES - 1),
                                                          .field_height = BUMP},
                                                 .prepare = raise_field,
                                                 .start = start_theirs,
                                                 .warm_up = 1000,
                                                 .steps = STEPS_A_BLOCK});
}

static void run_theirs(void *context, int count)
{
    GrRival *theirs = context;
    for (int i = 0; i < count; i++) {
        mj_step(theirs->model, theirs->data);
    }
}

static GrTerrain *make_terrain(void)
{
    double *heights = malloc(sizeof(double) * NODES * NODES);
    GrLayerDef def = gr_default_layer_def();
    const double edge = CELL * (NODES - 1);
    def.frame = (GrGridFrame){NODES, NODES, -edge / 2, -edge / 2, CELL, CELL};
    GrTerrain *terrain = NULL;
    gr_terrain_create(&terrain, NULL);
    if (heights == NULL || terrain == NULL) {
        stop("out of memory");
    }
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            heights[j * NODES + i] = BUMP * bump(i, j);
        }
    }
    if (gr_terrain_add_grid(terrain, &def, heights, NULL) != GR_OK) {
        stop("no terrain");
    }
    free(heights);
    return terrain;
}

/// Rocks in rows beside the lane in which the rover drives.
static void add_rocks(GrSceneDef *scene)
{
    for (int i = 0; i < ROCKS; i++) {
        GrStoneDef stone = gr_default_stone_def();
        stone.seed = (uint64_t)(i % 50);
        stone.place = (GrVec3){-20 + 0.4 * (i % 100), 2.5 + 0.4 * (i / 100), 0};
        if (gr_scene_add_stone(scene, &stone) < 0) {
            stop("out of memory");
        }
    }
}

void gr_bench_rigid_rover(void)
{
    GrRoverDef rover;
    if (gr_rover_load(GR_BENCH_DATA "/rovers/curiosity_like.yaml", NULL, &rover, NULL) != GR_OK) {
        stop("cannot read the rover");
    }
    const GrSoilDef soil = gr_default_soil_def();
    GrTerrain *terrain = make_terrain();
    GrSceneDef hard = gr_default_scene_def(), whole = gr_default_scene_def(), rocks = gr_default_scene_def();
    hard.rigid_ground = whole.rigid_ground = true;
    hard.bodies = false; // as MuJoCo's rover: wheels only
    add_rocks(&rocks);
    GrSurfaceDef bumpy = gr_surface_of_terrain(terrain, NULL), plain = gr_default_surface_def();
    bumpy.scene = &hard;
    Ours wheels = make_ours(&rover, &bumpy, 1);
    bumpy.scene = &whole;
    Ours bodies = make_ours(&rover, &bumpy, 1);
    plain.soil = &soil;
    Ours on_soil = make_ours(&rover, &plain, 0.85);
    plain.scene = &rocks;
    Ours beside = make_ours(&rover, &plain, 0.85);
    GrRival theirs = make_theirs(&rover);
    Ours *ours[] = {&wheels, &bodies, &on_soil, &beside};
    for (int i = 0; i < 4; i++) {
        run_ours(ours[i], 1000); // let them reach the ground
    }
    GrContestant race[] = {{"wheels", run_ours, &wheels, 0, {0}},
                           {"bodies", run_ours, &bodies, 0, {0}},
                           {"soil", run_ours, &on_soil, 0, {0}},
                           {"beside", run_ours, &beside, 0, {0}},
                           {"mujoco", run_theirs, &theirs, 0, {0}}};
    gr_bench_race(race, 5, STEPS_A_BLOCK);
    printf("\nThe rocker-bogie on rigid bumpy ground, 20 cm grid; and on soil beside 10,000 rocks\n");
    gr_bench_report("rigid_rover_us", 1e6 * race[0].seconds, "us", "six cylinders on the ground");
    gr_bench_report("rigid_rover_bodies_us", 1e6 * race[1].seconds, "us", "and its bodies above it");
    char text[128];
    snprintf(text, sizeof text, "mj_step, six cylinders (%s)", theirs.setting);
    gr_bench_report("mujoco_hfield_us", 1e6 * race[4].seconds, "us", text);
    gr_bench_report("rigid_rover_over_mujoco_hfield", gr_bench_ratio(&race[0], &race[4]), "", "");
    gr_bench_report("rocks_beside_extra_us", 1e6 * (race[3].seconds - race[2].seconds), "us",
                    "more than the step on soil alone");
    gr_bench_report("rocks_beside_over_none", gr_bench_ratio(&race[3], &race[2]), "", "");
    for (int i = 0; i < 4; i++) {
        gr_data_free(ours[i]->d);
        gr_model_free(ours[i]->m);
    }
    gr_rival_free(&theirs);
    gr_scene_def_free(&hard);
    gr_scene_def_free(&whole);
    gr_scene_def_free(&rocks);
    gr_terrain_free(terrain);
    gr_rover_free(&rover);
}
