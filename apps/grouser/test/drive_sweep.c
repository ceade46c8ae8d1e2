#include "drive_sweep.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "progress.h"

#include <math.h>

static const double SLOPE_TOLERANCE = 1e-3; // [rad]

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

/// Finds the last value that can be driven; for slopes, bisects between it and the next one.
static GrStatus find_most(GrDriveSweep *sweep, GrErrorLog *log)
{
    sweep->most = (double)NAN;
    for (int i = sweep->count - 1; i >= 0; i--) {
        const bool counts = sweep->results[i].outcome == GR_DRIVE_STEADY && sweep->values[i] >= 0;
        if (!counts) {
            continue;
        }
        sweep->most = sweep->values[i];
        if (sweep->pulls || i + 1 == sweep->count || sweep->values[i + 1] <= sweep->values[i]) {
            return GR_OK;
        }
        const double sign = sweep->sign;
        const GrStatus status = gr_steepest_slope(&sweep->def, sign * sweep->values[i], sign * sweep->values[i + 1],
                                                  SLOPE_TOLERANCE, &sweep->most, log);
        sweep->most *= sign;
        return status;
    }
    return GR_OK;
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

bool gr_drive_sweep_all(const GrDriveSweep *sweep)
{
    return sweep->results[sweep->count - 1].outcome == GR_DRIVE_STEADY;
}
