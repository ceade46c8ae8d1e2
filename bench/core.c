/// The multibody step of the 6-wheel rocker-bogie with 10 motors against MuJoCo's, without contact.
#include "bench.h"

#include "grouser/grouser.h"
#include "rival.h"

#include <stdio.h>
#include <stdlib.h>

static const char ROVER[] = GR_BENCH_DATA "/rovers/curiosity_like.yaml";
static const double STEP = 0.001;
enum { STEPS_A_BLOCK = 1000 };

static void stop(const char *text)
{
    fprintf(stderr, "error: %s\n", text);
    exit(1);
}

typedef struct Ours {
    GrModel *m;
    GrData *d;
} Ours;

static Ours make_ours(const GrRoverDef *rover, GrIntegrator integrator)
{
    GrOptions options = gr_default_options();
    options.integrator = integrator;
    options.step = STEP;
    options.gravity.z = -3.71;
    Ours ours = {0};
    gr_model_create(rover, &options, &ours.m, NULL);
    if (ours.m == NULL || gr_data_create(ours.m, &ours.d, NULL) != GR_OK) {
        stop("the rover makes no model");
    }
    return ours;
}

/// Restarts in every block, since joints would run away in free fall. Motors turn wheels and hold the steering.
static void run_ours(void *context, int count)
{
    Ours *ours = context;
    gr_data_reset(ours->m, ours->d);
    for (int i = 0; i < gr_model_joint_count(ours->m); i++) {
        gr_data_set_command(ours->m, ours->d, i, 0.1);
    }
    for (int i = 0; i < count; i++) {
        if (gr_step(ours->m, ours->d) != GR_OK) {
            stop("a step failed");
        }
    }
}

/// The same rover, driving over a plane of soft soil with the step that scenarios use.
static Ours make_driving(const GrRoverDef *rover, const GrSoilDef *soil)
{
    GrOptions options = gr_default_options();
    options.gravity.z = -3.71;
    options.surface.soil = soil;
    Ours ours = {0};
    gr_model_create(rover, &options, &ours.m, NULL);
    if (ours.m == NULL || gr_data_create(ours.m, &ours.d, NULL) != GR_OK) {
        stop("the rover makes no model");
    }
    gr_data_set_base_pose(ours.d, (GrPose){{0, 0, 0.9}, {1, 0, 0, 0}});
    if (gr_settle(ours.m, ours.d, NULL, NULL) != GR_OK) {
        stop("the rover finds no rest");
    }
    for (int i = 0; i < gr_model_joint_count(ours.m); i++) {
        if (gr_model_joint_role(ours.m, i) == GR_ROLE_DRIVE) {
            gr_data_set_command(ours.m, ours.d, i, 0.2);
        }
    }
    return ours;
}

static void run_driving(void *context, int count)
{
    Ours *ours = context;
    for (int i = 0; i < count; i++) {
        if (gr_step(ours->m, ours->d) != GR_OK) {
            stop("a step on soil failed");
        }
    }
}

static void start_theirs(const mjModel *m, mjData *d)
{
    for (int i = 0; i < m->nu; i++) {
        d->ctrl[i] = 0.1;
    }
}

/// MuJoCo's fastest setting, of one integrator or of all.
static GrRival make_theirs(const GrRoverDef *rover, const char *integrator, bool couplings)
{
    return gr_rival_fastest(rover, &(GrRivalUse){.mjcf = {.integrator = integrator,
                                                          .step = STEP,
                                                          .gravity = {0, 0, -3.71},
                                                          .couplings = couplings,
                                                          .motors = true},
                                                 .start = start_theirs,
                                                 .steps = STEPS_A_BLOCK});
}

static void run_theirs(void *context, int count)
{
    GrRival *theirs = context;
    mj_resetData(theirs->model, theirs->data);
    start_theirs(theirs->model, theirs->data);
    for (int i = 0; i < count; i++) {
        mj_step(theirs->model, theirs->data);
    }
}

void gr_bench_core(void)
{
    GrRoverDef rover;
    if (gr_rover_load(ROVER, NULL, &rover, NULL) != GR_OK) {
        stop("cannot read " GR_BENCH_DATA "/rovers/curiosity_like.yaml");
    }
    Ours explicit = make_ours(&rover, GR_INTEGRATOR_EULER), implicit = make_ours(&rover, GR_INTEGRATOR_LINEAR),
         beeman = make_ours(&rover, GR_INTEGRATOR_BEEMAN);
    GrRival best = make_theirs(&rover, NULL, true), plain = make_theirs(&rover, NULL, false);
    GrRival their_implicit = make_theirs(&rover, "implicit", true);
    const GrSoilDef soil = gr_default_soil_def();
    Ours driving = make_driving(&rover, &soil);
    GrContestant race[] = {
        {"euler", run_ours, &explicit, 0, {0}},       {"linear", run_ours, &implicit, 0, {0}},
        {"beeman", run_ours, &beeman, 0, {0}},        {"mujoco", run_theirs, &best, 0, {0}},
        {"mujoco plain", run_theirs, &plain, 0, {0}}, {"mujoco implicit", run_theirs, &their_implicit, 0, {0}},
        {"driving", run_driving, &driving, 0, {0}},
    };
    gr_bench_race(race, 7, STEPS_A_BLOCK);
    printf("Step of the rocker-bogie (%d degrees of freedom, 10 motors, a differential), no contact\n",
           gr_model_dof_count(explicit.m));
    gr_bench_report("core_explicit_us", 1e6 * race[0].seconds, "us", "semi-implicit Euler");
    gr_bench_report("core_implicit_us", 1e6 * race[1].seconds, "us", "linearly implicit (the default)");
    gr_bench_report("core_beeman_us", 1e6 * race[2].seconds, "us", "Beeman");
    char text[3][128];
    snprintf(text[0], sizeof text[0], "mj_step, differential as equality (%s)", best.setting);
    snprintf(text[1], sizeof text[1], "mj_step, no differential (%s)", plain.setting);
    snprintf(text[2], sizeof text[2], "mj_step, differential as equality (%s)", their_implicit.setting);
    gr_bench_report("mujoco_us", 1e6 * race[3].seconds, "us", text[0]);
    gr_bench_report("mujoco_no_equality_us", 1e6 * race[4].seconds, "us", text[1]);
    gr_bench_report("mujoco_implicit_us", 1e6 * race[5].seconds, "us", text[2]);
    gr_bench_report("core_explicit_over_mujoco", gr_bench_ratio(&race[0], &race[3]), "", "goal: at most 0.4");
    gr_bench_report("core_implicit_over_mujoco", gr_bench_ratio(&race[1], &race[3]), "", "goal: at most 0.6");
    printf("\nThe same rover with six wheels on a plane of soft soil, against MuJoCo's step without contact\n");
    gr_bench_report("full_step_us", 1e6 * race[6].seconds, "us", "linearly implicit, wong_reece");
    gr_bench_report("full_step_over_mujoco", gr_bench_ratio(&race[6], &race[3]), "", "goal: at most 1.0");
    gr_bench_report("plane_real_time_factor", gr_default_options().step / race[6].seconds, "",
                    "simulated over wall seconds, 5 ms");
    Ours *ours[] = {&explicit, &implicit, &beeman, &driving};
    for (int i = 0; i < 4; i++) {
        gr_data_free(ours[i]->d);
        gr_model_free(ours[i]->m);
    }
    GrRival *theirs[] = {&best, &plain, &their_implicit};
    for (int i = 0; i < 3; i++) {
        gr_rival_free(theirs[i]);
    }
    gr_rover_free(&rover);
}
