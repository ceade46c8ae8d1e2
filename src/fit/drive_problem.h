/// The search for the soil of one range of stretches. Internal to fit_drive.h.
#ifndef GR_DRIVE_PROBLEM_H
#define GR_DRIVE_PROBLEM_H

#include "fit_drive.h"

enum { GR_DRIVE_UNKNOWNS = GR_SPREAD_PARAMS + GR_DRIVE_QUANTITIES };

typedef struct GrDriveProblem {
    const GrDriveFitDef *def;
    int first, count;           ///< stretches
    int n;                      ///< soil parameters
    double scale;               ///< of the scatter
    double z[GR_SPREAD_PARAMS]; ///< normal scores of the parameters: x = Q(Φ(z)), z ~ N(0, R)
    double offset[GR_DRIVE_QUANTITIES];
    double *slip;                                          ///< [count] of the stretches, unknown too
    double precision[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS]; ///< R⁻¹
    double *rows;      ///< [count] of gr_drive_row_size(): prediction, derivatives by slip and parameters
    double *next_slip; ///< [count] scratch
    GrDriveSoil *soil; ///< scratch
    double cost;
} GrDriveProblem;

/// False when out of memory.
bool gr_drive_problem_make(const GrDriveFitDef *def, int first, int count, GrDriveProblem *out);
void gr_drive_problem_free(GrDriveProblem *problem);

/// Finds the most probable unknowns at the present scale, from the present ones, and raises the scale until it agrees
/// with the residuals. GR_ERROR_NUMERIC: the soil cannot carry the rover.
GrStatus gr_drive_problem_solve(GrDriveProblem *problem, GrErrorLog *log);

/// The information of one stretch on the parameters, its slip eliminated and offsets as they are:
/// cost(z) = zᵀ a z − 2 zᵀ b + c.
typedef struct GrDriveInformation {
    double a[GR_SPREAD_PARAMS * GR_SPREAD_PARAMS], b[GR_SPREAD_PARAMS], c;
} GrDriveInformation;

/// Linearises at the present unknowns and writes [count]; false: the soil cannot carry the rover.
bool gr_drive_problem_inform(GrDriveProblem *problem, GrDriveInformation *out);

/// Fills what a segment reports, from a solved problem.
void gr_drive_problem_report(GrDriveProblem *problem, GrDriveSegment *out);

#endif
