#include "drive_sweep.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "progress.h"

#include <math.h>

static const double SLOPE_TOLERANCE = 1e-3; // [rad]
static const double PULL_TOLERANCE = 1e-3;  // of the pull that fails

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

/// Finds the largest value below the first that fails, and bisects between the two. What is driven beyond a failure
/// does not count: nobody gets there.
static GrStatus find_most(GrDriveSweep *sweep, GrErrorLog *log)
{
    double most = -INFINITY, fails = INFINITY;
    for (int i = 0; i < sweep->count; i++) {
        const bool counts = sweep->values[i] >= 0 && sweep->results[i].outcome != GR_DRIVE_STEADY;
        fails = counts ? fmin(fails, sweep->values[i]) : fails;
    }
    for (int i = 0; i < sweep->count; i++) {
        const bool counts = sweep->values[i] >= 0 && sweep->values[i] < fails;
        most = counts ? fmax(most, sweep->values[i]) : most;
    }
    sweep->all = isfinite(most) && isinf(fails);
    sweep->most = isfinite(most) ? most : (double)NAN;
    if (isinf(most) || isinf(fails)) {
        return GR_OK;
    }
    if (sweep->pulls) {
        return gr_largest_pull(&sweep->def, most, fails, PULL_TOLERANCE * fails, &sweep->most, log);
    }
    const double sign = sweep->sign;
    const GrStatus status =
        gr_steepest_slope(&sweep->def, sign * most, sign * fails, SLOPE_TOLERANCE, &sweep->most, log);
    sweep->most *= sign;
    return status;
}

GrStatus gr_drive_sweeps_run(const char *name, GrDriveSweep *sweeps, int count, GrErrorLog *log)
{
    GrProgress progress = gr_progress_begin(name);
    GrStatus status = GR_OK;
    for (int k = 0; k < count && status == GR_OK; k++) {
        GrDriveSweep *sweep = &sweeps[k];
        sweep->results = gr_calloc((size_t)sweep->count, sizeof *sweep->results);
        if (sweep->results == NULL) {
            status = gr_out_of_memory(log, NULL);
            break;
        }
        for (int i = 0; i < sweep->count && status == GR_OK; i++) {
            const GrSteadyDriveDef def = gr_drive_sweep_point(sweep, i);
            status = gr_steady_drive(&def, &sweep->results[i], log);
            gr_progress_update(&progress, k * (sweep->count + 1) + i + 1, count * (sweep->count + 1));
        }
        if (status == GR_OK) {
            status = find_most(sweep, log);
        }
    }
    gr_progress_end(&progress);
    return status;
}
