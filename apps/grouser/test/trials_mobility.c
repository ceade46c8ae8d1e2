/// grouser test mobility: the few figures by which rovers are compared, on one page.
#include "alloc.h"
#include "drive_sweep.h"
#include "out_of_memory.h"
#include "trials.h"

#include <math.h>
#include <string.h>

enum { SLOPES, PULLS, SWEEPS, SLOPE_COUNT = 17, PULL_COUNT = 13 };
static const double SLOPE_MOST = 40 * GR_DEGREE, PULL_MOST = 0.6; // of the weight

/// Torque that a drive motor has at a speed of its joint; INFINITY: as much as it takes.
static double motor_torque(const GrMotorDef *motor, double rate)
{
    switch (motor->kind) {
    case GR_MOTOR_DC:
        return fmin(motor->torque_limit, motor->stall_torque * fmax(1 - fabs(rate) / motor->no_load_speed, 0));
    case GR_MOTOR_PID:
    case GR_MOTOR_TORQUE:
        return motor->torque_limit;
    default:
        return (double)INFINITY;
    }
}

/// The least that any drive motor has at the rim speed of the test.
static double least_torque(const GrTrialInput *input)
{
    const GrRoverDef *rover = input->def.rover;
    const double speed = gr_trial_number(input, "speed");
    double least = (double)INFINITY;
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        for (int w = 0; w < rover->wheel_count && joint->role == GR_ROLE_DRIVE; w++) {
            if (rover->wheels[w].body == joint->child) {
                least = fmin(least, motor_torque(&joint->motor, speed / rover->wheels[w].radius));
            }
        }
    }
    return least;
}

static int add(GrTrialReport *report, GrTrialFact like, double value)
{
    const int fact = gr_trial_fact(report, like.key, like.label, like.unit, like.scale, value);
    gr_trial_compared(report, fact, like.sense, like.accuracy);
    return fact;
}

/// What it does at the slip of the headline, uphill and with a load.
static GrStatus judge_limits(const GrTrialInput *input, GrDriveSweep *sweeps, GrTrialReport *report, GrErrorLog *log)
{
    const double slip = gr_trial_number(input, "slip"), weight = input->mass * input->def.gravity;
    const GrDriveBound bound = {slip, INFINITY};
    GrDriveAt up, pull;
    GrStatus status = gr_drive_sweep_at(&sweeps[SLOPES], bound, &up, log);
    status = status == GR_OK ? gr_drive_sweep_at(&sweeps[PULLS], bound, &pull, log) : status;
    if (status != GR_OK) {
        return status;
    }
    GrTrialFact slope = {.key = "slope_deg", .unit = "°", .scale = 1, .sense = 1, .accuracy = 0.06},
                force = {.key = "drawbar_pull_N", .unit = "N", .scale = 1, .sense = 1},
                margin = {.key = "torque_margin", .unit = "", .scale = 1, .sense = 1};
    snprintf(slope.label, sizeof slope.label, "slope at slip %.3g %%", 100 * slip);
    snprintf(force.label, sizeof force.label, "drawbar pull at slip %.3g %%", 100 * slip);
    snprintf(margin.label, sizeof margin.label, "torque margin at slip %.3g %%", 100 * slip);
    const int climbs = add(report, slope, up.value / GR_DEGREE);
    if (up.all) {
        gr_trial_at_least(report);
    }
    const int pulls = add(report, force, pull.value);
    if (pull.all) {
        gr_trial_at_least(report);
    }
    const int share = add(
        report,
        (GrTrialFact){
            .key = "drawbar_pull_weights", .label = "drawbar pull over the weight", .unit = "", .scale = 1, .sense = 1},
        pull.value / weight);
    const double torque = least_torque(input);
    if (isfinite(torque)) {
        add(report, margin, torque / up.torque);
    }
    gr_trial_verdict(report, "At slip %.3g %% it climbs {%d} and pulls {%d}, {%d} of its weight.", 100 * slip, climbs,
                     pulls, share);
    return GR_OK;
}

static void judge_level(const GrDriveSweep *sweep, GrTrialReport *report)
{
    const GrSteadyDrive *level = &sweep->results[0];
    const bool drives = level->outcome == GR_DRIVE_STEADY;
    const int energy = add(
        report,
        (GrTrialFact){
            .key = "energy_J_per_m", .label = "energy per metre on the level", .unit = "J/m", .scale = 1, .sense = -1},
        gr_drive_energy(level));
    const int sinkage = add(
        report,
        (GrTrialFact){.key = "sinkage_m", .label = "sinkage on the level", .unit = "mm", .scale = 1000, .sense = -1},
        drives ? level->sinkage : (double)NAN);
    if (drives) {
        gr_trial_verdict(report, "On the level it sinks {%d} and its wheels take {%d}.", sinkage, energy);
    } else {
        gr_trial_verdict(report, "It does not drive on the level.");
    }
}

static double pick(const GrSteadyDrive *r, int quantity)
{
    const double values[] = {100 * r->slip, gr_drive_energy(r), 1000 * r->sinkage};
    return values[quantity];
}

static void draw(const GrDriveSweep *sweep, const char *x_label, double scale, GrTrialReport *report)
{
    static const struct {
        const char *title, *label;
    } kinds[] = {{"Slip", "slip [%]"},
                 {"Energy of the wheels", "energy [J/m]"},
                 {"Sinkage of the deepest wheel", "sinkage [mm]"}};
    for (int q = 0; q < (sweep->pulls ? 1 : 3); q++) {
        double x[SLOPE_COUNT], y[SLOPE_COUNT];
        const int panel =
            gr_trial_panel(report, sweep->pulls ? "Slip with a load" : kinds[q].title, x_label, kinds[q].label);
        for (int i = 0; i < sweep->count; i++) {
            const GrSteadyDrive *r = &sweep->results[i];
            x[i] = scale * sweep->values[i];
            y[i] = r->outcome == GR_DRIVE_STEADY ? pick(r, q) : (double)NAN;
        }
        gr_trial_curve(report, panel, "", GR_SERIES_LINE_POINTS, x, y, sweep->count);
    }
}

static GrStatus run_mobility(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrDrives *drives = gr_calloc(1, sizeof *drives);
    double *slopes = gr_calloc(SLOPE_COUNT, sizeof *slopes), *pulls = gr_calloc(PULL_COUNT, sizeof *pulls);
    if (drives == NULL || slopes == NULL || pulls == NULL) {
        gr_free(drives);
        gr_free(slopes);
        gr_free(pulls);
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < SLOPE_COUNT; i++) {
        slopes[i] = SLOPE_MOST * i / (SLOPE_COUNT - 1);
    }
    for (int i = 0; i < PULL_COUNT; i++) {
        pulls[i] = PULL_MOST * input->mass * input->def.gravity * i / (PULL_COUNT - 1);
    }
    drives->values = slopes;
    drives->pulls = pulls;
    drives->count = SWEEPS;
    drives->sweeps[SLOPES] = (GrDriveSweep){.name = "",
                                            .def = gr_drives_of(input),
                                            .sign = 1,
                                            .values = slopes,
                                            .count = SLOPE_COUNT,
                                            .no_limit = true,
                                            .bounds = {{gr_trial_number(input, "slip"), INFINITY}},
                                            .bound_count = 1};
    drives->sweeps[PULLS] = drives->sweeps[SLOPES];
    drives->sweeps[PULLS].values = pulls;
    drives->sweeps[PULLS].count = PULL_COUNT;
    drives->sweeps[PULLS].pulls = true;
    GrStatus status = gr_drives_run(input, "Mobility", drives, report, log);
    status = status == GR_OK ? judge_limits(input, drives->sweeps, report, log) : status;
    if (status == GR_OK) {
        judge_level(&drives->sweeps[SLOPES], report);
        draw(&drives->sweeps[SLOPES], "slope [°]", 1 / GR_DEGREE, report);
        draw(&drives->sweeps[PULLS], "pull over the weight [-]", 1 / (input->mass * input->def.gravity), report);
    }
    return status;
}

const GrTrialKind gr_kind_mobility = {
    .name = "mobility",
    .summary = "the figures by which rovers are compared: slope, pull, torque margin, energy, sinkage",
    .details =
        "The rover drives straight over a plane of soft soil: slope after slope, then against pulls on the level,\n"
        "until its motion is steady. The torque margin is the torque that the weakest drive motor has at the rim\n"
        "speed, over what the wheel with the most torque takes on the slope of the headline. Energy is the\n"
        "mechanical work of the wheels' motors. Ranges are 5 to 95 % over samples of the soil.",
    .example = "  grouser test mobility curiosity_like --gravity mars --html mobility.html\n"
               "  grouser compare curiosity_like mer_like --gravity mars",
    .step_ms = "5",
    .options =
        {
            {"slip", "S", "0.3", "slip of the headline", 0.01, 0.99},
            {"speed", "M/S", "0.05", "rim speed [m/s]", 0.001, 100},
        },
    .samples = 32,
    .run = run_mobility,
};
