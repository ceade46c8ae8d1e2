/// Sweeps of steady drives over slopes or pulls.
#ifndef GR_DRIVE_SWEEP_H
#define GR_DRIVE_SWEEP_H

#include "grouser/analysis.h"
#include "trial_report.h"

/// A sweep of one number of the drive: its slope, or its pull.
typedef struct GrDriveSweep {
    const char *name;     ///< for the plots; "": the only one
    GrSteadyDriveDef def; ///< common to all drives
    double sign;          ///< sign of the slopes: −1 downhill
    const double *values;
    GrSteadyDrive *results; ///< owned
    double most;            ///< largest value that can be driven, below all that cannot; NAN: none
    int count;
    bool pulls; ///< the values are pulls [N], otherwise slopes [rad]
    bool all;   ///< all values can be driven: the limit is beyond them
} GrDriveSweep;

/// The drive of one point.
GrSteadyDriveDef gr_drive_sweep_point(const GrDriveSweep *sweep, int i);

/// Runs all sweeps, with one progress bar of this name. Free the results of each, also after an error.
GrStatus gr_drive_sweeps_run(const char *name, GrDriveSweep *sweeps, int count, GrErrorLog *log);

/// Adds the slip of a drive to a row.
void gr_drive_slip_cell(const GrSteadyDrive *drive, GrTrialReport *report);

#endif
