/// Sweeps of steady drives over slopes or pulls.
#ifndef GR_DRIVE_SWEEP_H
#define GR_DRIVE_SWEEP_H

#include "grouser/analysis.h"

/// A sweep of one number of the drive: its slope, or its pull.
typedef struct GrDriveSweep {
    const char *name;     ///< for the plots; "": the only one
    GrSteadyDriveDef def; ///< common to all drives
    double sign;          ///< sign of the slopes: −1 downhill
    bool pulls;           ///< the values are pulls [N], otherwise slopes [rad]
    const double *values;
    GrSteadyDrive *results; ///< owned
    int count;
    double most; ///< largest value that can be driven; NAN: none
} GrDriveSweep;

/// The drive of one point.
GrSteadyDriveDef gr_drive_sweep_point(const GrDriveSweep *sweep, int i);

/// Runs all sweeps, with one progress bar of this name. Free the results of each, also after an error.
GrStatus gr_drive_sweeps_run(const char *name, GrDriveSweep *sweeps, int count, GrErrorLog *log);

/// Whether all slopes or pulls were driven, so that the limit is beyond the tested range.
bool gr_drive_sweep_all(const GrDriveSweep *sweep);

#endif
