/// One wheel on a deformable grid of soil: evaluation with derivatives, and commit, at slip 0.3.
#include "bench.h"

#include "grouser/grouser.h"
#include "run_recorder.h"
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
    double sum; ///< keeps the work from being optimised away
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
    gr_ruts_create(&def, &c->ruts, NULL);
    c->scratch = gr_scm_scratch_create(&c->body);
    c->old = gr_scm_nodes_create(c->body.node_max);
    c->next = gr_scm_nodes_create(c->body.node_max);
    good = good && c->ruts != NULL && c->scratch != NULL && c->old.block != NULL && c->next.block != NULL;
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
    gr_scm_nodes_free(&c->old);
    gr_scm_nodes_free(&c->next);
}

/// A rover of six wheels on the grid, driving.
typedef struct Rover {
    GrModel *m;
    GrData *d;
} Rover;

static void run_rover(void *context, int count)
{
    const Rover *r = context;
    for (int i = 0; i < count; i++) {
        gr_step(r->m, r->d);
    }
}

static void make_rover(Rover *r)
{
    GrRoverDef rover = gr_default_rover_def();
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    soil.law = GR_SOIL_SCM;
    soil.damping = 400;
    options.surface.soil = &soil;
    if (gr_rover_load(GR_BENCH_DATA "/rovers/exomars_like.yaml", NULL, &rover, NULL) != GR_OK) {
        fprintf(stderr, "error: no rover\n");
        exit(1);
    }
    gr_model_create(&rover, &options, &r->m, NULL);
    if (r->m != NULL) {
        gr_data_create(r->m, &r->d, NULL);
    }
    if (r->d == NULL) {
        fprintf(stderr, "error: no rover on a grid\n");
        exit(1);
    }
    gr_forward(r->m, r->d);
    double lowest = 0;
    for (int i = 0; i < rover.wheel_count; i++) {
        const double z = gr_data_body_pose(r->m, r->d, rover.wheels[i].body).position.z - rover.wheels[i].radius;
        lowest = z < lowest ? z : lowest;
    }
    gr_data_set_base_pose(r->d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    gr_settle(r->m, r->d, NULL, NULL);
    for (int i = 0; i < gr_model_joint_count(r->m); i++) {
        if (gr_model_joint_role(r->m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(r->m, r->d, i, 0.05 / rover.wheels[0].radius);
        }
    }
    gr_rover_free(&rover);
    run_rover(r, 400); // reach steady driving
}

static void bench_rover(void)
{
    Rover rover;
    make_rover(&rover);
    GrContestant race = {"", run_rover, &rover, 0, {0}};
    gr_bench_race(&race, 1, 10);
    const GrOptions options = gr_default_options();
    const double factor = options.step / race.seconds;
    gr_bench_report("scm_rover_step_us", 1e6 * race.seconds, "us", "step of exomars_like, 6 wheels, cells of 1 cm");
    gr_bench_report("scm_rover_real_time_factor", factor, "", "at steps of 5 ms; goal: at least 50");
    gr_data_free(rover.d);
    gr_model_free(rover.m);
}

/// A mission of the same rover with default steps, with its recordings.
static void bench_run(void)
{
    enum { REPEATS = 3 };
    static const char *const overrides[] = {"rover=exomars_like", "drive={speed_mps: 0.05, path: [[4, 0]]}",
                                            "ruts={kind: scm, cell_m: 0.01, flow: false}", "stop={time_s: 40}", NULL};
    GrScenario *scenario = NULL;
    GrRunSpeed speed;
    GrErrorLog log = {0};
    if (gr_scenario_load(GR_BENCH_DATA "/scenarios/own_track.yaml", overrides, &scenario, &log) != GR_OK ||
        gr_run_speed(scenario, REPEATS, &speed, &log) != GR_OK) {
        fprintf(stderr, "error: %s\n", log.count > 0 ? log.items[0].text : "the run failed");
        return;
    }
    gr_scenario_free(scenario);
    gr_bench_report("scm_run_step_ms", 1e3 * speed.simulated / (double)speed.steps, "ms", "simulated, mean");
    gr_bench_report("scm_run_real_time_factor", speed.simulated / speed.run, "",
                    "a mission at its default pace, recorded; goal: at least 50");
}

void gr_bench_scm(void)
{
    enum { CM, HALF, FLOW, CONTESTANTS };
    static Contestant contestants[CONTESTANTS];
    GrContestant race[CONTESTANTS];
    for (int i = 0; i < CONTESTANTS; i++) {
        make(&contestants[i], i == HALF ? 0.005 : 0.01, i == FLOW);
        race[i] = (GrContestant){"", run_wheel, &contestants[i], 0, {0}};
    }
    gr_bench_race(race, CONTESTANTS, STEPS_A_BLOCK);
    printf("\nOne wheel on a deformable grid (scm), r 0.09 m, b 0.11 m, 64.7 N at slip 0.3; evaluation and commit\n");
    gr_bench_report("scm_wheel_1cm_us", 1e6 * race[CM].seconds, "us", "cells of 1 cm; goal: at most 8");
    gr_bench_report("scm_wheel_5mm_us", 1e6 * race[HALF].seconds, "us", "cells of 5 mm; goal: at most 25");
    gr_bench_report("scm_wheel_flow_1cm_us", 1e6 * race[FLOW].seconds, "us", "with soil flow; goal: at most 16");
    const Contestant *fine = &contestants[HALF];
    gr_bench_report("scm_nodes_per_us", fine->touched / fine->steps / (1e6 * race[HALF].seconds), "",
                    "touched nodes at 5 mm");
    for (int i = 0; i < CONTESTANTS; i++) {
        drop(&contestants[i]);
    }
    bench_rover();
    bench_run();
}
