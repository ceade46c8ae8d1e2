/// A wheel that leaves its trace in a map of 20 m x 20 m at 2 cm, a million cells: one step's update, and the same with
/// the heights of all cells written anew, as a program that rebuilds its mesh does.
#include "bench.h"

#include "trace_wheel.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_A_BLOCK = 2000, SIDE = 1000, GRID_STEPS = 10 };

static const double STEP = 0.005, SPEED = 0.05; // [s], [m/s]

typedef struct Contestant {
    GrTraceWheel wheel;
    GrRutTrack track;
    GrTraceMotion motion;
    GrRuts *ruts;
    double radius, sense;
    double pieces; ///< stamped segments per step
    float *mesh;   ///< [SIDE][SIDE] heights; NULL: only cells that change are written
} Contestant;

/// To and fro across the map.
static void run_steps(void *context, int count)
{
    Contestant *c = context;
    const double distance = c->pieces > 0 ? c->pieces * c->wheel.sampling.spacing : STEP * SPEED;
    for (int i = 0; i < count; i++) {
        c->sense = c->motion.point.x > 10 ? -1 : c->motion.point.x < -10 ? 1 : c->sense;
        c->motion.point.x += 0.8 * c->sense * distance;
        c->motion.point.y += 0.6 * distance;
        c->motion.point.y -= c->motion.point.y > 10 ? 20 : 0;
        c->motion.ahead = (GrVec3){0.8 * c->sense, 0.6, 0};
        c->motion.angle += distance / c->radius;
        gr_trace_advance(&c->wheel, &c->track, &c->motion, c->ruts);
    }
}

/// A step, then the whole grid as vertices of a mesh: 20 m x 20 m, 2 cm a texel (Kamohara et al. 2024, 5.3).
static void run_whole_grid(void *context, int count)
{
    Contestant *c = context;
    for (int i = 0; i < count; i++) {
        run_steps(c, 1);
        for (int64_t y = 0; y < SIDE; y++) {
            for (int64_t x = 0; x < SIDE; x++) {
                c->mesh[y * SIDE + x] = (float)gr_ruts_get(c->ruts, x - SIDE / 2, y - SIDE / 2);
            }
        }
    }
}

static void make(Contestant *c, double cell, double pieces)
{
    const GrTraceDef def = gr_default_trace_def();
    const GrSoilDef soil = gr_default_soil_def();
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrRutsDef ruts = gr_default_ruts_def();
    wheel.radius = def.radius;
    wheel.width = def.width;
    wheel.grouser_height = def.grouser_height;
    wheel.grouser_count = 14;
    ruts.cell = cell;
    ruts.tile_capacity = (int)(21 / (32 * cell) + 2) * (int)(21 / (32 * cell) + 2);
    gr_trace_prepare(&def, &soil, &wheel, cell, &c->wheel);
    if (gr_ruts_create(&ruts, &c->ruts, NULL) != GR_OK) {
        fprintf(stderr, "error: no memory for a map of ruts\n");
        exit(1);
    }
    c->motion = (GrTraceMotion){.normal = {0, 0, 1}, .load = 8.6};
    c->radius = def.radius;
    c->sense = 1;
    c->pieces = pieces;
}

void gr_bench_trace(void)
{
    enum { STEPS, PIECES, FINE, CONTESTANTS };
    static Contestant contestants[CONTESTANTS];
    GrContestant race[CONTESTANTS];
    for (int i = 0; i < CONTESTANTS; i++) {
        make(&contestants[i], i == FINE ? 0.005 : 0.02, i == STEPS ? 0 : 1);
        race[i] = (GrContestant){"", run_steps, &contestants[i], 0, {0}};
    }
    gr_bench_race(race, CONTESTANTS, STEPS_A_BLOCK);
    printf("\nTrace of one wheel, b 0.08 m, in a map of 20 m x 20 m\n");
    gr_bench_report("trace_step_us", 1e6 * race[STEPS].seconds, "us", "a step of 5 ms at 5 cm/s, cells of 2 cm");
    gr_bench_report("trace_update_us", 1e6 * race[PIECES].seconds, "us",
                    "a step that changes the map, cells of 2 cm; Ka24: 12900");
    gr_bench_report("trace_update_5mm_us", 1e6 * race[FINE].seconds, "us", "cells of 5 mm");
    Contestant *grid = &contestants[PIECES];
    grid->mesh = malloc(sizeof *grid->mesh * SIDE * SIDE);
    if (grid->mesh != NULL) {
        GrContestant whole = {"", run_whole_grid, grid, 0, {0}};
        gr_bench_race(&whole, 1, GRID_STEPS);
        gr_bench_report("trace_grid_ms", 1e3 * whole.seconds, "ms",
                        "a step that changes the map, and a million texels written anew; Ka24: 12.9");
        free(grid->mesh);
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        gr_ruts_free(contestants[i].ruts);
    }
}
