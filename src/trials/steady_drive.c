/// A straight drive over a plane of soft soil until its means no longer change; gradeability and drawbar tests use it.
#include "elementary.h"
#include "grouser/analysis.h"

#include "data.h"
#include "law.h"
#include "named.h"
#include "out_of_memory.h"

#include <string.h>

static const double STEADY_SPEED = 2e-3;   // change of the mean speed between windows, over the rim speed
static const double STEADY_SINKAGE = 1e-4; // change of the mean sinkage between windows, over the wheel's radius
static const double CRAWL_SHARE = 0.01;    // below this fraction of the rim speed there is no progress
static const double TIPPED_ANGLE = 1.2;    // [rad] between chassis and plane
static const double DAMPING_RATIO = 0.5;   // of soils without damping, as in scenarios

GrSteadyDriveDef gr_default_steady_drive_def(void)
{
    return (GrSteadyDriveDef){.gravity = 9.80665, .speed = 0.05, .step = 0.005, .limit = 120, .window = 3};
}

GrSteadyDriveDef gr_steady_drive_scale(const GrSteadyDriveDef *def, const GrRoverScale *scale, const GrRoverDef *rover)
{
    const double speed = scale->length / scale->time, acceleration = speed / scale->time;
    GrSteadyDriveDef scaled = *def;
    scaled.rover = rover;
    scaled.gravity *= acceleration;
    scaled.speed *= speed;
    scaled.pull *= scale->mass * acceleration;
    scaled.step *= scale->time;
    scaled.limit *= scale->time;
    scaled.window *= scale->time;
    return scaled;
}

static const GrNamed OUTCOMES[] = {GR_DRIVE_OUTCOME_LIST(GR_NAMED_ROW)};

const char *gr_drive_outcome_name(GrDriveOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, name);
}

const char *gr_drive_outcome_text(GrDriveOutcome outcome)
{
    return GR_NAMED_GET(OUTCOMES, outcome, text);
}

enum { KEPT = 64, FEWEST = 8 };

/// The last windows of a drive.
typedef struct History {
    GrSteadyDrive windows[KEPT];
    double rims[KEPT], ahead[KEPT];
    int count; ///< of all; only the last KEPT are there
} History;

/// A drive in progress. The plane is z = 0, gravity is tilted.
typedef struct Run {
    const GrSteadyDriveDef *def;
    GrModel *m;
    GrData *d;
    double window; ///< of the means [s]
    double ahead;  ///< mean speed along the heading of the start [m/s]
    int warnings;
    History history;
} Run;

static void hold_back(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const GrSteadyDriveDef *def = context;
    gr_data_add_wrench(m, d, 0, gr_data_base_pose(d).position, gr_vec3(-def->pull, 0, 0), gr_vec3(0, 0, 0));
}

/// Soils without damping get half the critical one, as in runs: a steady drive does not depend on it, but wheels that
/// dig may swing up and down without it.
static double damping_of(const GrSteadyDriveDef *def)
{
    const GrRoverDef *rover = def->rover;
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass / rover->wheel_count;
    }
    return gr_soil_impact_damping(def->soil, rover->wheels[0].radius, rover->wheels[0].width, mass, def->gravity,
                                  DAMPING_RATIO);
}

static GrStatus make(Run *run, GrErrorLog *log)
{
    const GrSteadyDriveDef *def = run->def;
    GrOptions options = gr_default_options();
    const double along = -def->gravity * gr_sin(def->slope);
    options.gravity =
        gr_vec3(along * gr_cos(def->heading), -along * gr_sin(def->heading), -def->gravity * gr_cos(def->slope));
    options.step = def->step;
    GrSoilDef soil;
    if (def->soil != NULL && def->rover->wheel_count > 0) {
        soil = *def->soil;
        soil.damping = damping_of(def);
        options.surface.soil = &soil;
    }
    gr_model_create(def->rover, &options, &run->m, log);
    if (run->m != NULL) {
        gr_data_create(run->m, &run->d, NULL);
    }
    if (run->m == NULL) {
        return GR_ERROR_MODEL;
    }
    if (run->d == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    if (run->m->wheel_count == 0) {
        return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){.field = "wheels"},
                            "a rover without wheels cannot drive");
    }
    gr_forward(run->m, run->d);
    double lowest = INFINITY;
    for (int i = 0; i < run->m->wheel_count; i++) {
        const GrWheel *wheel = &run->m->wheels[i];
        const GrBodyFrame *frame = &run->d->tree.frame[wheel->body];
        const double z = frame->origin.z + gr_mat3_mul_vec(&frame->rotation, wheel->centre).z;
        lowest = fmin(lowest, z - run->m->soil_wheels[i].radius);
    }
    gr_data_set_base_pose(run->d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    if (def->pull != 0) {
        gr_data_set_force(run->d, hold_back, (void *)(uintptr_t)def);
    }
    return GR_OK;
}

/// Where each grouser counts, forces swing with its passage: means are taken over whole passages of the first wheel's.
static double whole_passages(const Run *run)
{
    const GrSoilWheel *w = &run->m->soil_wheels[0];
    const bool each = gr_law_has(w->law, GR_LAW_GRAINS) || w->wheel.grousers == GR_GROUSER_LUGS;
    if (!each || !(w->wheel.grouser_height > 0) || w->wheel.grouser_count <= 0) {
        return run->def->window;
    }
    const double passage = 2 * GR_PI * w->radius / (w->wheel.grouser_count * fabs(run->def->speed));
    return passage * ceil(run->def->window / passage);
}

/// +1 when a positive rotation of the drive joint rolls the wheel forward.
static double roll_sign(const GrModel *m, int wheel)
{
    return m->wheels[wheel].axle.z >= 0 ? 1 : -1; // the joint's axis is z of the wheel's body
}

static void command(Run *run)
{
    for (int i = 0; i < run->m->joint_count; i++) {
        if (run->m->joint_roles[i] != GR_ROLE_DRIVE) {
            continue;
        }
        for (int w = 0; w < run->m->wheel_count; w++) {
            if (run->m->wheels[w].body == run->m->joint_body[i]) {
                const double rate = run->def->speed / run->m->soil_wheels[w].radius;
                gr_data_set_command(run->m, run->d, i, roll_sign(run->m, w) * rate);
            }
        }
    }
}

/// Adds one step to the means.
static double gather(Run *run, GrSteadyDrive *mean, double weight)
{
    const GrModel *m = run->m;
    const GrData *d = run->d;
    GrVec3 linear, angular;
    gr_data_base_velocity(d, &linear, &angular);
    const GrVec3 forward = gr_quat_rotate(gr_data_base_pose(d).rotation, gr_vec3(1, 0, 0));
    const GrVec3 level = gr_normalize(gr_vec3(forward.x, forward.y, 0));
    mean->speed += weight * gr_dot(linear, level);
    run->ahead += weight * linear.x;
    mean->drift += weight * (level.x * linear.y - level.y * linear.x);
    double deepest = 0, flat = 0, largest = 0, least = INFINITY, most = 0, sum = 0, power = 0, rim = 0;
    bool out_of_range = false;
    for (int w = 0; w < m->wheel_count; w++) {
        const GrSoilOutput *soil = &d->contact[w].soil;
        const int body = m->wheels[w].body;
        const double torque = d->tree.motor_torque[body] * roll_sign(m, w);
        const double rate = body > 0 ? gr_joint_velocity(&m->tree, &d->tree, body) * roll_sign(m, w) : 0;
        deepest = fmax(deepest, gr_wheel_depth(d, w));
        flat = fmax(flat, d->contact[w].flex);
        largest = fmax(largest, fabs(torque));
        if (w < GR_DRIVE_WHEELS_MAX) {
            mean->loads[w] += weight * soil->wrench[2];
        }
        least = fmin(least, soil->wrench[2]);
        most = fmax(most, soil->wrench[2]);
        sum += torque / m->wheel_count;
        power += torque * rate;
        rim += rate * m->soil_wheels[w].radius / m->wheel_count;
        out_of_range = out_of_range || soil->flags != 0;
    }
    run->warnings += out_of_range;
    mean->sinkage += weight * deepest;
    mean->deflection += weight * flat;
    mean->torque = fmax(mean->torque, largest);
    mean->torque_mean += weight * sum;
    mean->power += weight * power;
    mean->load_least += weight * least;
    mean->load_most += weight * most;
    return rim;
}

static bool is_tipped(const GrData *d)
{
    const GrVec3 up = gr_quat_rotate(gr_data_base_pose(d).rotation, gr_vec3(0, 0, 1));
    return up.z < gr_cos(TIPPED_ANGLE);
}

/// One window of driving. Returns the mean speed of the rims; the outcome is set when it ended early.
static double run_window(Run *run, GrSteadyDrive *mean)
{
    const int steps = (int)lround(run->window / run->def->step);
    double rim = 0;
    *mean = (GrSteadyDrive){.outcome = GR_DRIVE_STEADY};
    run->ahead = 0;
    for (int i = 0; i < steps; i++) {
        if (gr_step(run->m, run->d) != GR_OK) {
            mean->outcome = GR_DRIVE_DIVERGED;
            return rim;
        }
        rim += gather(run, mean, 1.0 / steps) / steps;
    }
    if (is_tipped(run->d)) {
        mean->outcome = GR_DRIVE_TIPPED;
    }
    return rim;
}

/// What the last window shows. A rover that slid back may have turned across the slope, where its own heading is no
/// longer the one that it should drive: only progress along the heading of the start counts.
static GrDriveOutcome judge(const Run *run, const GrSteadyDrive *last, double rim)
{
    const double sense = run->def->speed < 0 ? -1 : 1, least = CRAWL_SHARE * fabs(run->def->speed);
    const double progress = fmin(sense * last->speed, sense * run->ahead);
    const double fastest = fmax(2 * sense * rim, least); // slip −1
    if (progress < -least || sense * last->speed > fastest) {
        return GR_DRIVE_SLIDES;
    }
    if (sense * rim < least) {
        return GR_DRIVE_STALLED;
    }
    return progress < least ? GR_DRIVE_STUCK : last->outcome;
}

static void keep(History *h, const Run *run, const GrSteadyDrive *window, double rim)
{
    const int at = h->count++ % KEPT;
    h->windows[at] = *window;
    h->rims[at] = rim;
    h->ahead[at] = run->ahead;
}

/// Means over windows from `from` to before `to`. Returns that of the rims; `least`: smallest progress.
static double mean_of(const History *h, int from, int to, double sense, GrSteadyDrive *out, double *least)
{
    double rim = 0, share = 1.0 / (to - from);
    *out = (GrSteadyDrive){.outcome = GR_DRIVE_STEADY};
    *least = INFINITY;
    for (int i = from; i < to; i++) {
        const GrSteadyDrive *w = &h->windows[i % KEPT];
        const double *values[] = {&w->speed, &w->drift,      &w->sinkage,   &w->torque_mean,
                                  &w->power, &w->load_least, &w->load_most, &w->deflection};
        double *sums[] = {&out->speed, &out->drift,      &out->sinkage,   &out->torque_mean,
                          &out->power, &out->load_least, &out->load_most, &out->deflection};
        for (size_t k = 0; k < sizeof sums / sizeof sums[0]; k++) {
            *sums[k] += share * *values[k];
        }
        for (int k = 0; k < GR_DRIVE_WHEELS_MAX; k++) {
            out->loads[k] += share * w->loads[k];
        }
        out->torque = fmax(out->torque, w->torque);
        rim += share * h->rims[i % KEPT];
        *least = fmin(*least, fmin(sense * w->speed, sense * h->ahead[i % KEPT]));
    }
    return rim;
}

/// A rover near its limit may dig itself in, slide back onto firmer soil and climb again, for ever. It drives on where
/// the means over the third quarter of its time and over the last one agree, and where it went ahead in every window of
/// both. Then the result is their mean.
static bool swings_steadily(const History *h, const Run *run, GrSteadyDrive *out, double *rim)
{
    static const double AGREES = 0.05; // over the speed of the rims, and over a tenth of the wheel's radius
    const int last = h->count, first = last / 2 < last - KEPT ? last - KEPT : last / 2;
    const int middle = first + (last - first) / 2;
    const double wanted = fabs(run->def->speed), sense = run->def->speed < 0 ? -1 : 1;
    GrSteadyDrive third, fourth, both;
    double least[3];
    if (last - first < FEWEST) {
        return false;
    }
    mean_of(h, first, middle, sense, &third, &least[0]);
    mean_of(h, middle, last, sense, &fourth, &least[1]);
    const double mean_rim = mean_of(h, first, last, sense, &both, &least[2]);
    const double radius = run->m->soil_wheels[0].radius;
    if (least[2] < CRAWL_SHARE * wanted || fabs(third.speed - fourth.speed) > AGREES * wanted ||
        fabs(third.sinkage - fourth.sinkage) > 0.1 * AGREES * radius) {
        return false;
    }
    *out = both;
    *rim = mean_rim;
    return true;
}

static void drive(Run *run, GrSteadyDrive *out)
{
    const double wanted = fabs(run->def->speed);
    double last_speed = INFINITY, last_sinkage = INFINITY, rim = 0;
    command(run);
    do {
        rim = run_window(run, out);
        keep(&run->history, run, out, rim);
        const bool steady = fabs(out->speed - last_speed) <= STEADY_SPEED * wanted &&
                            fabs(out->sinkage - last_sinkage) <= STEADY_SINKAGE * run->m->soil_wheels[0].radius;
        if (out->outcome != GR_DRIVE_STEADY || steady) {
            break;
        }
        last_speed = out->speed;
        last_sinkage = out->sinkage;
        out->outcome = GR_DRIVE_UNSETTLED;
    } while (gr_data_time(run->d) + run->window <= run->def->limit);
    if (out->outcome == GR_DRIVE_UNSETTLED) {
        swings_steadily(&run->history, run, out, &rim);
    }
    out->slip = rim != 0 ? 1 - out->speed / rim : (double)NAN;
    if (out->outcome == GR_DRIVE_STEADY || out->outcome == GR_DRIVE_UNSETTLED) {
        out->outcome = judge(run, out, rim);
    }
    const bool falls = out->outcome == GR_DRIVE_TIPPED || out->outcome == GR_DRIVE_DIVERGED;
    if (out->outcome == GR_DRIVE_STALLED || (falls && fabs(out->slip) > 1)) {
        out->slip = (double)NAN;
    }
}

GrStatus gr_steady_drive(const GrSteadyDriveDef *def, GrSteadyDrive *out, GrErrorLog *log)
{
    *out = (GrSteadyDrive){0};
    if (!(def->gravity > 0) || !(def->step > 0) || !(def->window >= def->step) || !(def->limit >= def->window) ||
        !(fabs(def->speed) > 0)) {
        return gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){0},
            "gravity %g, step %g, window %g, speed %g or time %g out of range; allowed: gravity > 0 m/s², step > 0 s, "
            "window at least one step, speed not 0, time at least one window",
            def->gravity, def->step, def->window, def->speed, def->limit);
    }
    Run run = {.def = def};
    GrStatus status = make(&run, log);
    const GrStatus settled = status == GR_OK ? gr_settle(run.m, run.d, NULL, NULL) : status;
    if (settled == GR_ERROR_MEMORY) {
        status = gr_out_of_memory(log, NULL);
    }
    if (status == GR_OK) {
        if (settled != GR_OK) { // no equilibrium here: start without one
            gr_data_set_base_velocity(run.d, gr_vec3(0, 0, 0), gr_vec3(0, 0, 0));
        }
        run.window = whole_passages(&run);
        drive(&run, out);
        out->time = gr_data_time(run.d);
        out->warnings = run.warnings;
    }
    gr_data_free(run.d);
    gr_model_free(run.m);
    return status;
}

/// Bisects for the border of steady drives in `varied`, a number of `trial`.
static GrStatus find_border(GrSteadyDriveDef *trial, double *varied, double lower, double upper, double tolerance,
                            double *border, GrErrorLog *log)
{
    while (fabs(upper - lower) > tolerance) {
        GrSteadyDrive result;
        *varied = (lower + upper) / 2;
        const GrStatus status = gr_steady_drive(trial, &result, log);
        if (status != GR_OK) {
            return status;
        }
        *(result.outcome == GR_DRIVE_STEADY ? &lower : &upper) = *varied;
    }
    *border = lower;
    return GR_OK;
}

GrStatus gr_steepest_slope(const GrSteadyDriveDef *def, double lower, double upper, double tolerance, double *slope,
                           GrErrorLog *log)
{
    GrSteadyDriveDef trial = *def;
    return find_border(&trial, &trial.slope, lower, upper, tolerance, slope, log);
}

GrStatus gr_largest_pull(const GrSteadyDriveDef *def, double lower, double upper, double tolerance, double *pull,
                         GrErrorLog *log)
{
    GrSteadyDriveDef trial = *def;
    return find_border(&trial, &trial.pull, lower, upper, tolerance, pull, log);
}
