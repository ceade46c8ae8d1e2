/// Oettershagen et al. 2023 (O23) on performance: the speed of their simulator, the gain of the adaptive step, and the
/// order of Beeman's method.
///
/// Speeds are those of the machine that runs this, and are compared with generous limits. Gains are counted in steps,
/// which is the same on every machine.
#include "elementary.h"
#include "find.h"
#include "grouser/run.h"

#include "clock.h"
#include "validate.h"
#include "vec3.h"

#include <math.h>

/// A rover like ExoMars on level, uniform soil at O23's 11 mm/s for two minutes: the use case of their adaptive step.
#define LEVEL_DRIVE                                                                                                    \
    "rover=exomars_like", "soil=dlr_d2", "gravity=mars", "start={x_m: 0, y_m: 0}", "stop={time_s: 120}",               \
        "drive={script: [{time_s: 0, mode: ackermann, speed_mps: 0.011}]}"

static double cpu_time(void)
{
    return gr_clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/// Steps of the drive, and simulated seconds for each second of CPU time.
static GrStatus drive(const char *const *overrides, double *steps, double *factor, GrErrorLog *log)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    GrStatus status = gr_scenario_load("drawbar", overrides, &scenario, log);
    if (status != GR_OK) {
        return status;
    }
    status = gr_world_create(scenario, &world, log);
    if (status == GR_OK) {
        const double begin = cpu_time();
        status = gr_run(world, NULL, &summary, log);
        *factor = summary.time / fmax(1e-9, cpu_time() - begin);
        *steps = (double)summary.steps;
        if (status == GR_OK) {
            gr_run_summary_free(&summary);
        }
        gr_world_free(world);
    }
    gr_scenario_free(scenario);
    return status;
}

static GrStatus run_drives(GrFindings *out, GrErrorLog *log)
{
    static const char *const fixed[] = {LEVEL_DRIVE, "step={pace: fixed, step_ms: 3}", NULL};
    static const char *const adaptive[] = {LEVEL_DRIVE, NULL};
    double few = (double)NAN, many = (double)NAN, fast = (double)NAN, slow = (double)NAN;
    GrStatus status = drive(fixed, &many, &slow, log);
    status = status == GR_OK ? drive(adaptive, &few, &fast, log) : status;
    gr_findings_add(out, 4, many / few, 0, "steps of 3 ms over adaptive steps, level uniform soil");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_note(out, "counted in steps; theirs is time on a simplified model. Ours are bounded by 25 ms");
    gr_findings_add(out, 8, slow, 0, "simulated over computing time, steps of 3 ms");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_timed(out);
    gr_findings_note(out, "theirs: full rover with SIMD on a typical consumer CPU; ours: one core of this machine, six "
                          "wheels on level soil, no recording");
    gr_findings_add(out, 150, fast, 0, "simulated over computing time, adaptive, against the quasi-static RPAT");
    gr_findings_limit(out, GR_LIMIT_AT_LEAST);
    gr_findings_timed(out);
    gr_findings_note(out, "RPAT has no dynamics; ours is the dynamic simulation on one core of this machine");
    return status;
}

enum { COORDINATES = 64 };

/// A rover that tumbles without contact, friction or motors for a second; its joints' angles.
static GrStatus tumble(const GrRoverDef *rover, GrIntegrator integrator, double step, double *angles, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, 0);
    options.integrator = integrator;
    options.step = step;
    GrModel *m = NULL;
    gr_model_create(rover, &options, &m, log);
    GrData *d = NULL;
    if (m != NULL) {
        gr_data_create(m, &d, NULL);
    }
    GrStatus status = d != NULL ? GR_OK : GR_ERROR_MODEL;
    if (d != NULL) {
        gr_data_set_base_velocity(d, gr_vec3(0, 0, 0), gr_vec3(0.3, 0.9, 0.5));
        for (int i = 0; i < gr_model_joint_count(m) && i < COORDINATES; i++) {
            gr_data_set_joint(m, d, i, 0, 0.4 + 0.1 * i);
        }
    }
    for (int k = 0; k < (int)lround(1 / step) && status == GR_OK; k++) {
        status = gr_step(m, d);
    }
    for (int i = 0; status == GR_OK && i < gr_model_joint_count(m) && i < COORDINATES; i++) {
        angles[i] = gr_data_joint_position(m, d, i);
    }
    gr_data_free(d);
    gr_model_free(m);
    return status;
}

/// Order by three steps, each half of the one before.
static GrStatus order_of(const GrRoverDef *rover, GrIntegrator integrator, double step, double *order, GrErrorLog *log)
{
    double angles[3][COORDINATES] = {{0}}, change[2] = {0};
    GrStatus status = GR_OK;
    for (int k = 0; k < 3 && status == GR_OK; k++) {
        status = tumble(rover, integrator, ldexp(step, -k), angles[k], log);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < COORDINATES; i++) {
            change[k] += fabs(angles[k + 1][i] - angles[k][i]);
        }
    }
    *order = gr_log2(change[0] / change[1]);
    return status;
}

static GrStatus run_orders(GrFindings *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    GrRoverDef rover = gr_default_rover_def();
    GrStatus status = gr_find_file("rovers", "rover", "el_dorado2", path, log);
    status = status == GR_OK ? gr_rover_load(path, NULL, &rover, log) : status;
    for (int i = 0; i < rover.joint_count; i++) {
        rover.joints[i].damping = rover.joints[i].friction = 0;
        rover.joints[i].motor = gr_default_motor_def();
    }
    double euler = (double)NAN, beeman = (double)NAN;
    status = status == GR_OK ? order_of(&rover, GR_INTEGRATOR_EULER, 4e-3, &euler, log) : status;
    status = status == GR_OK ? order_of(&rover, GR_INTEGRATOR_BEEMAN, 8e-3, &beeman, log) : status;
    gr_findings_add(out, 1, euler, 0.2, "order of the global error, Euler");
    gr_findings_add(out, 3, beeman, 0.2, "order of the global error, Beeman");
    gr_rover_free(&rover);
    return status;
}

static const GrValidationCase CASES[] = {
    {"speed/o23_drive", "Oettershagen 2023",
     "Oettershagen et al. 2023, 4.1: adaptive step 4x, DynRPAT about 8x real time, quasi-static RPAT about 150x",
     "none: theirs are limits to reach", run_drives, "4.1"},
    {"speed/o23_orders", "Oettershagen 2023", "Oettershagen et al. 2023, 3.1, eqs. 2-3: O(dt) and O(dt³)",
     "0.2: an order is a whole number", run_orders, "3.1, eqs. 2-3"},
};

const GrValidationGroup gr_validate_speed = {CASES, sizeof CASES / sizeof CASES[0]};
