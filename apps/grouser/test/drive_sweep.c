#include "drive_sweep.h"

#include "alloc.h"
#include "elementary.h"
#include "messages.h"
#include "out_of_memory.h"
#include "processors.h"
#include "report.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

// Where the bound is between two steady drives it is interpolated, and bisected first down to INTERPOLATED; a failure
// has no slip to interpolate with.
static const double SLOPE_TOLERANCE = GR_SLOPE_ACCURACY, SLOPE_INTERPOLATED = 8e-3; // [rad]
static const double SAMPLE_TOLERANCE = 1e-2, SAMPLE_INTERPOLATED = 0.05;            // of samples [rad]
static const double PULL_TOLERANCE = 1e-3; // of the largest pull; samples 10 times
static const double SAMPLE_TIME = 1 / 3.0; // windows and limit of samples, over the usual ones

GrSteadyDriveDef gr_drive_sweep_point(const GrDriveSweep *sweep, int i)
{
    GrSteadyDriveDef def = sweep->def;
    if (sweep->pulls) {
        def.pull = sweep->values[i];
    } else {
        def.slope = sweep->sign * sweep->values[i];
    }
    return def;
}

void gr_drive_slip_cell(const GrSteadyDrive *drive, GrTrialReport *report)
{
    const bool stuck = drive->outcome == GR_DRIVE_STUCK; // creeps ahead or back
    gr_trial_cell_slip(report, stuck ? fmin(drive->slip, 1) : drive->slip, drive->outcome == GR_DRIVE_SLIDES);
}

double gr_drive_energy(const GrSteadyDrive *drive)
{
    return drive->outcome == GR_DRIVE_STEADY && drive->speed != 0 ? drive->power / fabs(drive->speed) : (double)NAN;
}

/// Loads of the wheels at a value, between those of the steady drives of another sweep; beyond the last one, on the
/// line through that and one well below it. Those of a drive that failed are of a rover that slides or falls.
static void find_loads(const GrDriveSweep *like, double value, double loads[GR_DRIVE_WHEELS_MAX])
{
    static const double APART = 2 * GR_DEGREE;
    const GrDriveTried *a = NULL, *b = NULL;
    for (int i = 0; i < like->tried_count; i++) {
        const GrDriveTried *t = &like->tried[i];
        if (t->result.outcome != GR_DRIVE_STEADY || (b != NULL && b->value >= value)) {
            continue;
        }
        a = b == NULL || t->value >= value || t->value - b->value >= APART ? b : a;
        b = t;
    }
    b = b != NULL ? b : &like->tried[0];
    a = a != NULL ? a : b;
    const double part = b->value > a->value ? (value - a->value) / (b->value - a->value) : 0;
    for (int i = 0; i < GR_DRIVE_WHEELS_MAX; i++) {
        loads[i] = fmax(a->result.loads[i] + part * (b->result.loads[i] - a->result.loads[i]), 0);
    }
}

/// Whether the sweep that was driven failed at this value or below by something that the soil hardly changes: motors
/// that stall, a rover that tips.
static bool fails_like(const GrDriveSweep *like, double value)
{
    for (int i = 0; i < like->tried_count && like->tried[i].value <= value; i++) {
        const GrDriveOutcome outcome = like->tried[i].result.outcome;
        if (like->tried[i].value >= 0 && (outcome == GR_DRIVE_STALLED || outcome == GR_DRIVE_TIPPED)) {
            return true;
        }
    }
    return false;
}

/// Steady formulas have a solution up to a slip near 1, where a rover that is driven may swing ever more, or slide
/// back, from a smaller slip on. A sample fails at the largest slip at which the sweep that was driven was steady below
/// its first failure.
static double largest_slip(const GrDriveSweep *like)
{
    double slip = 0;
    for (int i = 0; i < like->tried_count; i++) {
        if (like->tried[i].value >= 0 && like->tried[i].result.outcome != GR_DRIVE_STEADY) {
            return slip;
        }
        slip = fmax(slip, fabs(like->tried[i].result.slip));
    }
    return (double)INFINITY;
}

/// The drive by steady formulas. One that fails has no numbers, however it does: zeros would be the least of all
/// samples.
static void drive_statically(const GrDriveSweep *sweep, const GrSteadyDriveDef *def, double value, GrSteadyDrive *out)
{
    double loads[GR_DRIVE_WHEELS_MAX], normal = 0;
    find_loads(sweep->like, value, loads);
    for (int i = 0; i < sweep->statics->wheel_count; i++) {
        normal += loads[i];
    }
    const double weight_along = normal * gr_tan(def->slope);
    gr_static_drive_at(sweep->statics, loads, weight_along * gr_cos(def->heading) + def->pull,
                       weight_along * gr_sin(def->heading), out);
    if (fails_like(sweep->like, value) || out->outcome != GR_DRIVE_STEADY ||
        fabs(out->slip) > largest_slip(sweep->like)) {
        *out = (GrSteadyDrive){.outcome = GR_DRIVE_UNSETTLED, .slip = (double)NAN};
    }
}

/// Drives at any value of the sweep's number, and keeps the result in order.
static GrStatus try_value(GrDriveSweep *sweep, double value, GrErrorLog *log)
{
    GrDriveSweep one = *sweep;
    one.values = &value;
    const GrSteadyDriveDef def = gr_drive_sweep_point(&one, 0);
    int at = sweep->tried_count;
    while (at > 0 && sweep->tried[at - 1].value > value) {
        sweep->tried[at] = sweep->tried[at - 1];
        at--;
    }
    sweep->tried[at].value = value;
    sweep->tried_count++;
    if (sweep->statics != NULL) {
        drive_statically(sweep, &def, value, &sweep->tried[at].result);
        return GR_OK;
    }
    return gr_steady_drive(&def, &sweep->tried[at].result, log);
}

/// How far a drive is from its bound: 1 at it, more beyond it.
static double share_of(const GrSteadyDrive *drive, GrDriveBound bound)
{
    if (drive->outcome != GR_DRIVE_STEADY) {
        return (double)INFINITY;
    }
    const double drift = drive->speed != 0 ? fabs(drive->drift / drive->speed) : 0;
    return fmax(fabs(drive->slip) / bound.slip, drift / bound.drift);
}

/// The first value going up that is beyond the bound; the count of those tried: none is.
static int find_beyond(const GrDriveSweep *sweep, GrDriveBound bound)
{
    int i = 0;
    while (i < sweep->tried_count && (sweep->tried[i].value < 0 || share_of(&sweep->tried[i].result, bound) <= 1)) {
        i++;
    }
    return i;
}

/// How close two values on both sides of a bound must be.
static double closeness(const GrDriveSweep *sweep, bool interpolates)
{
    if (sweep->pulls) {
        return (sweep->is_sample || interpolates ? 10 : 1) * PULL_TOLERANCE * sweep->values[sweep->count - 1];
    }
    return sweep->is_sample ? (interpolates ? SAMPLE_INTERPOLATED : SAMPLE_TOLERANCE)
                            : (interpolates ? SLOPE_INTERPOLATED : SLOPE_TOLERANCE);
}

GrStatus gr_drive_sweep_at(GrDriveSweep *sweep, GrDriveBound bound, GrDriveAt *out, GrErrorLog *log)
{
    int beyond = find_beyond(sweep, bound);
    if (beyond == 0 && sweep->tried[0].value > 0) { // already the first value is: search from 0
        const GrStatus status = try_value(sweep, 0, log);
        if (status != GR_OK) {
            return status;
        }
        beyond = find_beyond(sweep, bound);
    }
    *out = (GrDriveAt){.all = beyond == sweep->tried_count, .energy = (double)NAN, .torque = (double)NAN};
    if (beyond == 0 || sweep->tried[beyond - 1].value < 0) { // beyond the bound on the level
        return GR_OK;
    }
    while (!out->all && sweep->tried_count < sweep->count + GR_DRIVE_TRIED) {
        const double lower = sweep->tried[beyond - 1].value, upper = sweep->tried[beyond].value;
        if (upper - lower <= closeness(sweep, isfinite(share_of(&sweep->tried[beyond].result, bound)))) {
            break;
        }
        const GrStatus status = try_value(sweep, (lower + upper) / 2, log);
        if (status != GR_OK) {
            return status;
        }
        beyond = find_beyond(sweep, bound);
    }
    const GrDriveTried *within = &sweep->tried[beyond - 1], *next = out->all ? within : &sweep->tried[beyond];
    const double low = share_of(&within->result, bound), high = share_of(&next->result, bound);
    const double part = isfinite(high) && high > low ? (1 - low) / (high - low) : 0;
    const double energy = gr_drive_energy(&within->result);
    out->value = within->value + part * (next->value - within->value);
    out->energy = energy + (part > 0 ? part * (gr_drive_energy(&next->result) - energy) : 0);
    out->torque = within->result.torque + (part > 0 ? part * (next->result.torque - within->result.torque) : 0);
    return GR_OK;
}

/// Finds the largest value below the first that fails. What is driven beyond a failure does not count: nobody gets
/// there.
static GrStatus find_most(GrDriveSweep *sweep, GrErrorLog *log)
{
    GrDriveAt at = {0};
    const GrStatus status = gr_drive_sweep_at(sweep, (GrDriveBound){INFINITY, INFINITY}, &at, log);
    const bool none = isnan(at.energy) && at.value == 0 && !at.all;
    sweep->most = none ? (double)NAN : at.value;
    sweep->all = at.all;
    return status;
}

/// The last value that was driven before the first failure.
static GrStatus find_last(GrDriveSweep *sweep)
{
    const int last = find_beyond(sweep, (GrDriveBound){INFINITY, INFINITY}) - 1;
    sweep->most = last >= 0 && sweep->tried[last].value >= 0 ? sweep->tried[last].value : (double)NAN;
    sweep->all = last + 1 == sweep->tried_count;
    return GR_OK;
}

/// Sweeps in threads, and how far they all are.
typedef struct Sweeping {
    GrDriveSweep *sweeps;
    GrStatus *status; ///< of each
    GrErrorLog *logs; ///< of each
    int count;
    GrProgress progress;
    atomic_int next, driven;
    int values; ///< of all sweeps
} Sweeping;

/// Drives until the first failure going up. `first`: of the threads, which shows the progress.
static GrStatus drive_all(Sweeping *s, GrDriveSweep *sweep, bool first, GrErrorLog *log)
{
    bool fails = false;
    sweep->tried_count = sweep->driven = 0;
    for (int i = 0; i < sweep->count; i++) {
        sweep->results[i] = (GrSteadyDrive){.outcome = GR_DRIVE_OUTCOME_COUNT, .slip = (double)NAN}; // not tried
    }
    for (int i = 0; i < sweep->count && !fails; i++) {
        const GrStatus status = try_value(sweep, sweep->values[i], log);
        if (status != GR_OK) {
            return status;
        }
        sweep->results[i] = sweep->tried[i].result;
        fails = sweep->values[i] >= 0 && sweep->results[i].outcome != GR_DRIVE_STEADY;
        sweep->driven = i + 1;
        const int driven = 1 + atomic_fetch_add(&s->driven, 1);
        if (first) {
            gr_progress_update(&s->progress, driven, s->values);
        }
    }
    return GR_OK;
}

static GrStatus run_sweep(Sweeping *s, GrDriveSweep *sweep, bool first, GrErrorLog *log)
{
    sweep->results = gr_calloc((size_t)sweep->count, sizeof *sweep->results);
    sweep->tried = gr_calloc(GR_DRIVE_TRIED + (size_t)sweep->count, sizeof *sweep->tried);
    if (sweep->results == NULL || sweep->tried == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    if (sweep->is_sample) {
        sweep->def.window *= SAMPLE_TIME;
        sweep->def.limit *= SAMPLE_TIME;
    }
    GrStatus status = drive_all(s, sweep, first, log);
    if (status == GR_OK) {
        status = sweep->no_limit ? find_last(sweep) : find_most(sweep, log);
    }
    for (int i = 0; i < sweep->bound_count && status == GR_OK; i++) {
        GrDriveAt at;
        status = gr_drive_sweep_at(sweep, sweep->bounds[i], &at, log);
    }
    return status;
}

static void run_sweeps(void *context, int share, int shares)
{
    Sweeping *s = context;
    (void)shares;
    for (int k = atomic_fetch_add(&s->next, 1); k < s->count; k = atomic_fetch_add(&s->next, 1)) {
        s->status[k] = run_sweep(s, &s->sweeps[k], share == 0, &s->logs[k]);
    }
}

GrStatus gr_drive_sweeps_run(const char *name, GrDriveSweep *sweeps, int count, GrErrorLog *log)
{
    Sweeping s = {.sweeps = sweeps, .count = count, .progress = gr_progress_begin(name)};
    s.status = gr_calloc((size_t)count, sizeof *s.status);
    s.logs = gr_calloc((size_t)count, sizeof *s.logs);
    const bool ok = s.status != NULL && s.logs != NULL;
    GrStatus status = ok ? GR_OK : gr_out_of_memory(log, NULL);
    for (int k = 0; k < count && ok; k++) {
        s.logs[k].quiet = true;
        s.values += sweeps[k].count;
    }
    if (ok) {
        gr_share_out(count > 1 && !sweeps[0].is_sample ? 0 : 1, run_sweeps, &s); // samples have threads already
    }
    for (int k = 0; k < count && ok && status == GR_OK; k++) {
        status = s.status[k];
        gr_messages_repeat(&s.logs[k], log);
    }
    gr_free(s.status);
    gr_free(s.logs);
    gr_progress_end(&s.progress);
    return status;
}

static void drive_sweep_free(GrDriveSweep *sweep)
{
    gr_free(sweep->results);
    gr_free(sweep->tried);
}

// ---- the drives of a test

GrSteadyDriveDef gr_drives_of(const GrTrialInput *input)
{
    GrSteadyDriveDef def = gr_default_steady_drive_def();
    def.rover = input->def.rover;
    def.soil = input->def.soil;
    def.gravity = input->def.gravity;
    def.step = input->def.step;
    def.speed = gr_trial_number(input, "speed");
    return def;
}

static void begin(const GrTrialInput *input, const char *title, GrTrialReport *report)
{
    gr_trial_begin(input, title, report);
    const size_t used = strlen(report->about);
    snprintf(report->about + used, sizeof report->about - used, ", rims at %.4g m/s", gr_trial_number(input, "speed"));
    gr_trial_fact(report, "rim_speed_m_per_s", "", "m/s", 1, gr_trial_number(input, "speed"));
}

static void free_drives(void *kept)
{
    GrDrives *drives = kept;
    for (int k = 0; k < drives->count; k++) {
        drive_sweep_free(&drives->sweeps[k]);
    }
    gr_static_drive_free(&drives->statics);
    gr_free(drives->values);
    gr_free(drives->pulls);
    gr_free(drives);
}

static GrStatus prepare_sample(const GrTrialInput *input, GrDrives *drives, GrErrorLog *log)
{
    const GrDrives *driven = input->nominal != NULL ? input->nominal->kept : NULL;
    const bool has = driven != NULL && gr_static_drive_fits(&drives->sweeps[0].def);
    const GrStatus status = has ? gr_static_drive_make(&drives->sweeps[0].def, &drives->statics, log) : GR_OK;
    for (int k = 0; k < drives->count; k++) {
        drives->sweeps[k].is_sample = true;
        if (has) {
            drives->sweeps[k].statics = &drives->statics;
            drives->sweeps[k].like = &driven->sweeps[k];
        }
    }
    return status;
}

GrStatus gr_drives_run(const GrTrialInput *input, const char *title, GrDrives *drives, GrTrialReport *report,
                       GrErrorLog *log)
{
    GrStatus status = input->is_sample ? prepare_sample(input, drives, log) : GR_OK;
    if (status == GR_OK) {
        status = gr_drive_sweeps_run(input->kind->name, drives->sweeps, drives->count, log);
    }
    if (status == GR_OK) {
        begin(input, title, report);
    }
    report->kept = drives;
    report->release = free_drives;
    return status;
}
