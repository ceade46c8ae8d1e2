/// What `grouser test gradeability` and `grouser test drawbar` share: a sweep of steady drives and its ways to say it.
#ifndef GR_DRIVE_STUDY_H
#define GR_DRIVE_STUDY_H

#include "buffer.h"
#include "grouser/analysis.h"

#include <stdio.h>

/// What is varied from drive to drive.
typedef enum GrDriveSweep { GR_SWEEP_SLOPE, GR_SWEEP_PULL } GrDriveSweep;

typedef struct GrDriveStudy {
    GrDriveSweep sweep;
    GrSteadyDriveDef def;
    const char *rover, *soil; ///< names for the titles
    double mass;              ///< of the rover [kg]
    double *values;           ///< slopes [rad] or pulls [N]
    GrSteadyDrive *results;
    int count;
    double steepest; ///< slope sweep: steepest slope that is driven [rad]; NAN: not found
    double largest;  ///< pull sweep: largest pull that is held [N]; NAN: none
} GrDriveStudy;

/// Runs all drives, with a progress bar, and the search for the steepest slope.
GrStatus gr_drive_study_run(GrDriveStudy *study, GrErrorLog *log);
void gr_drive_study_free(GrDriveStudy *study);

void gr_drive_print(const GrDriveStudy *study, FILE *file);
void gr_drive_json(const GrDriveStudy *study, FILE *file);
void gr_drive_csv(const GrDriveStudy *study, GrBuffer *csv);
void gr_drive_svg(const GrDriveStudy *study, GrBuffer *svg);
void gr_drive_page(const GrDriveStudy *study, GrBuffer *page);

#endif
