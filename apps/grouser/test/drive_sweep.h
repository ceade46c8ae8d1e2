/// Sweeps of steady drives over slopes or pulls.
#ifndef GR_DRIVE_SWEEP_H
#define GR_DRIVE_SWEEP_H

#include "grouser/analysis.h"
#include "static_drive.h"
#include "trials.h"

enum { GR_DRIVE_TRIED = 64 }; ///< drives between those of the sweep

/// A slope with a bound that is found by bisection may be off by this [rad].
#define GR_SLOPE_ACCURACY 1e-3

/// A drive that was tried.
typedef struct GrDriveTried {
    double value;
    GrSteadyDrive result;
} GrDriveTried;

/// A bound on slip and drift: a drive within both is held.
typedef struct GrDriveBound {
    double slip;  ///< largest magnitude
    double drift; ///< largest sideways speed over that ahead
} GrDriveBound;

enum { GR_DRIVE_BOUNDS = 4 };

/// A sweep of one number of the drive: its slope, or its pull.
typedef struct GrDriveSweep {
    const char *name;     ///< for the plots; "": the only one
    GrSteadyDriveDef def; ///< common to all drives
    double sign;          ///< sign of the slopes: −1 downhill
    const double *values;
    GrSteadyDrive *results; ///< owned
    double most;            ///< largest value that can be driven, below all that cannot; NAN: none
    int count;
    int driven;     ///< results up to the first failure going up, that one included; the others are empty
    bool pulls;     ///< the values are pulls [N], otherwise slopes [rad]
    bool all;       ///< all values can be driven: the limit is beyond them
    bool is_sample; ///< one of many: shorter windows and coarser limits
    bool no_limit;  ///< `most` is the last value driven; the limit between two values is not searched
    GrDriveBound bounds[GR_DRIVE_BOUNDS]; ///< that gr_drive_sweep_at() will be asked for: searched with the sweep, in
                                          ///< its thread
    int bound_count;
    const struct GrStaticDrive *statics; ///< steady formulas to use in place of drives; NULL: drives
    const struct GrDriveSweep *like;     ///< the sweep that was driven, for the loads of the wheels; with `statics`
    GrDriveTried *tried;                 ///< ascending, those of the sweep and those between them; owned
    int tried_count;
} GrDriveSweep;

/// What a drive has where it reaches its bound.
typedef struct GrDriveAt {
    double value;  ///< slope [rad] or pull [N]; 0: it is beyond the bound from the start
    double energy; ///< of the motors a metre [J/m]
    double torque; ///< largest of all wheels [N m]
    bool all;      ///< no value of the sweep reaches the bound
} GrDriveAt;

/// The largest value that is driven within a bound, going up from 0 and before the first failure. More drives are tried
/// where it needs them.
GrStatus gr_drive_sweep_at(GrDriveSweep *sweep, GrDriveBound bound, GrDriveAt *out, GrErrorLog *log);

/// Energy of the motors a metre [J/m].
double gr_drive_energy(const GrSteadyDrive *drive);

/// The drive of one point.
GrSteadyDriveDef gr_drive_sweep_point(const GrDriveSweep *sweep, int i);

/// Runs all sweeps, each in a thread where they are drives, with one progress bar of this name. Free each, also after
/// an error.
GrStatus gr_drive_sweeps_run(const char *name, GrDriveSweep *sweeps, int count, GrErrorLog *log);

/// The drives of a test, which its samples take the loads of the wheels from.
typedef struct GrDrives {
    GrDriveSweep sweeps[3];
    int count;
    double *values, *pulls; ///< owned
    double coarse[4];
    GrStaticDrive statics;
} GrDrives;

/// A drive with the rover, soil, gravity and speed of a test.
GrSteadyDriveDef gr_drives_of(const GrTrialInput *input);

/// Runs the sweeps of a test and begins its report, which keeps the drives. Samples use steady formulas where the law
/// has them, with the loads that the drives of the soil itself had.
GrStatus gr_drives_run(const GrTrialInput *input, const char *title, GrDrives *drives, GrTrialReport *report,
                       GrErrorLog *log);

/// Adds the slip of a drive to a row.
void gr_drive_slip_cell(const GrSteadyDrive *drive, GrTrialReport *report);

#endif
