/// One wheel on a grid of soil that gives way: evaluation with derivatives, and commit, at slip 0.3.
#include "bench.h"

#include "scm.h"

#include <stdio.h>
#include <stdlib.h>

enum { STEPS_A_BLOCK = 20 };

static const double STEP = 0.005, TRAVEL = 0.035, RIM = 0.05, SINKAGE = 0.0165; // [s], [m/s], [m/s], [m]

typedef struct Contestant {
    GrScmBody body;
    GrRuts *ruts;
    GrScmScratch *scratch;
    GrScmNodes old, next;
    GrScmLedger ledger;
    GrScmPose pose;
    double touched; ///< nodes, summed
    double steps;
    double sum; ///< keeps the compiler from leaving the work out
} Contestant;

static void run_wheel(void *context, int count)
{
    Contestant *c = context;
    for (int i = 0; i < count; i++) {
        GrScmOutput out;
        c->pose.centre.x += STEP * TRAVEL;
        c->pose.wheel_angle += STEP * c->pose.spin.y;
        gr_scm_evaluate(&c->body, c->ruts, &c->pose, STEP, &c->old, c->scratch, &c->next, &out);
        const double lowered = gr_scm_commit(&c->body, c->ruts, &c->next, &c->ledger);
        gr_scm_flow(&c->body, c->ruts, &c->pose, STEP, &c->next, lowered, out.dug, c->scratch, &c->ledger);
        const GrScmNodes old = c->old;
        c->old = c->next;
        c->next = old;
        c->touched += c->old.count;
        c->steps++;
        c->sum += out.wrench[0];
    }
    if (gr_ruts_reserve(c->ruts, 64) != GR_OK) {
        exit(1);
    }
}

static void make(Contestant *c, double cell, bool flow)
{
    const GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilDef soil = gr_default_soil_def();
    GrRutsDef def = gr_default_ruts_def();
    soil.law = GR_SOIL_SCM;
    def.cell = cell;
    def.state_count = GR_SCM_STATES;
    def.tile_capacity = 256;
    bool good = gr_scm_prepare_wheel(&soil, &wheel, cell, &c->body, NULL) == GR_OK;
    c->body.flow = flow;
    c->ruts = gr_ruts_create(&def, NULL);
    c->scratch = gr_scm_scratch_create(&c->body);
    c->old.nodes = calloc((size_t)c->body.node_max, sizeof *c->old.nodes);
    c->next.nodes = calloc((size_t)c->body.node_max, sizeof *c->next.nodes);
    good = good && c->ruts != NULL && c->scratch != NULL && c->old.nodes != NULL && c->next.nodes != NULL;
    if (!good) {
        fprintf(stderr, "error: no wheel on a grid\n");
        exit(1);
    }
    c->pose = (GrScmPose){.centre = {0, 0.003, wheel.radius - SINKAGE},
                          .axes = gr_mat3_identity(),
                          .velocity = {TRAVEL, 0, 0},
                          .spin = {0, RIM / wheel.radius, 0}};
}

static void drop(Contestant *c)
{
    gr_ruts_free(c->ruts);
    gr_scm_scratch_free(c->scratch);
    free(c->old.nodes);
    free(c->next.nodes);
}

void gr_bench_scm(void)
{
    enum { CM, HALF, FLOW, CONTESTANTS };
    static Contestant contestants[CONTESTANTS];
    GrContestant race[CONTESTANTS];
    for (int i = 0; i < CONTESTANTS; i++) {
        make(&contestants[i], i == HALF ? 0.005 : 0.01, i == FLOW);
        race[i] = (GrContestant){"", run_wheel, &contestants[i], 0};
    }
    gr_bench_race(race, CONTESTANTS, STEPS_A_BLOCK);
    printf("\nOne wheel on a grid that gives way (scm), r 0.09 m, b 0.11 m, 64.7 N at slip 0.3; evaluation and commit\n");
    gr_bench_report("scm_wheel_1cm_us", 1e6 * race[CM].seconds, "us", "cells of 1 cm; goal: at most 8");
    gr_bench_report("scm_wheel_5mm_us", 1e6 * race[HALF].seconds, "us", "cells of 5 mm; goal: at most 25");
    gr_bench_report("scm_wheel_flow_1cm_us", 1e6 * race[FLOW].seconds, "us", "with soil flow; goal: at most 16");
    const Contestant *fine = &contestants[HALF];
    gr_bench_report("scm_nodes_per_us", fine->touched / fine->steps / (1e6 * race[HALF].seconds), "",
                    "touched nodes at 5 mm");
    for (int i = 0; i < CONTESTANTS; i++) {
        drop(&contestants[i]);
    }
}
