/// Commands of a driver as a table, for drives that are too long for a scenario file: `drive: {manual: drive.csv}`.
///
///     time_s,mode,speed_mps,curvature_per_m,yaw_rate_dps,crab_deg
///     1.05,double_ackermann,0.05,0.3,0,0
///     4.2,auto,0,0,0,0                          back to path or script
#ifndef GR_DRIVE_FILE_H
#define GR_DRIVE_FILE_H

#include "buffer.h"
#include "grouser/control.h"

/// Mode of a row that gives the rover back to path or script; GR_DRIVE_MODE_COUNT in memory.
#define GR_DRIVE_FILE_AUTO "auto"

/// Columns after time_s and mode: name, member of GrDriveCommand, unit of the column in that of the member.
#define GR_DRIVE_FILE_LIST(X)                                                                                          \
    X(speed_mps, speed, 1)                                                                                             \
    X(curvature_per_m, curvature, 1)                                                                                   \
    X(yaw_rate_dps, yaw_rate, GR_DEGREE)                                                                               \
    X(crab_deg, crab, GR_DEGREE)

/// Reads a table; columns other than time_s and mode may be missing and count as 0. `*out` must be freed, also after an
/// error. Messages name file, line and column.
GrStatus gr_drive_file_read(const char *path, GrScriptEntry **out, int *count, GrErrorLog *log);

#endif
