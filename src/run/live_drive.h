/// Drives by hand: the commands that a rover takes, and those that it got, as a scenario that repeats them.
#ifndef GR_LIVE_DRIVE_H
#define GR_LIVE_DRIVE_H

#include "drive_twist.h"
#include "json.h"
#include "scenario_data.h"

enum {
    GR_LIVE_ENTRIES = 500000, ///< most commands of a driver in one run: a table must hold them
    GR_LIVE_LISTED = 1000,    ///< most commands in the scenario file itself; more go into a table beside it
};

/// Commands that a driver may give to a rover.
typedef struct GrDriveLimits {
    bool driven; ///< the rover has wheels that drive
    bool modes[GR_DRIVE_MODE_COUNT];
    GrDriveMode best;
    double speed, curvature, yaw_rate; ///< largest that are offered [m/s, 1/m, rad/s]
} GrDriveLimits;

void gr_drive_limits_fill(const GrWorld *world, GrDriveLimits *out);
bool gr_drive_limits_allow(const GrDriveLimits *limits, GrDriveMode mode);
/// Writes the members modes, mode, speed_max, curvature_max and yaw_rate_max.
void gr_drive_limits_put(const GrDriveLimits *limits, GrJson *json);

/// The command that gives these velocities, in a mode of the rover: its best one, crabbing where it moves sideways, a
/// turn on the spot where it only turns. An error where it has no such mode.
GrStatus gr_drive_from_twist(const GrDriveLimits *limits, const GrDriveTwist *twist, GrDriveCommand *out,
                             GrErrorLog *log);

/// The command as it will be read from a file: numbers are rounded to 6 places in the file's units.
GrDriveCommand gr_drive_as_written(const GrDriveCommand *command);

/// Commands by time. Zero-initialise it.
typedef struct GrDriveNotes {
    GrScriptEntry *entries;
    int count, capacity;
} GrDriveNotes;

/// Adds a command. One for the same time replaces the last; one that changes nothing is left out. The last place is
/// kept for a command to stop, or to give the rover back.
GrStatus gr_drive_notes_add(GrDriveNotes *notes, const GrScriptEntry *entry, GrErrorLog *log);
void gr_drive_notes_free(GrDriveNotes *notes);

/// A drive to be written as a scenario.
typedef struct GrDriveSheet {
    const GrScenario *scenario;
    const char *given;            ///< the scenario as the user named it
    const char *how;              ///< how it was driven, for the comment at the top: "by hand in grouser view"
    const char *const *overrides; ///< NULL-terminated
    const GrDriveNotes *notes;
    double time; ///< until which it was driven [s]
    bool over;   ///< the run has ended without a command
} GrDriveSheet;

/// Writes NAME_driven.yaml, or with a number if there is one; `path` [GR_SCENARIO_PATH_SIZE] gets its name. A long
/// drive has its commands in NAME_driven.csv (src/scenario/drive_file.h).
GrStatus gr_drive_sheet_write(const GrDriveSheet *sheet, char *path, GrErrorLog *log);

#endif
