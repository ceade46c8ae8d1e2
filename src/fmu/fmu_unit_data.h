/// Internals of GrFmuUnit.
#ifndef GR_FMU_UNIT_DATA_H
#define GR_FMU_UNIT_DATA_H

#include "asset_id.h"
#include "file.h"
#include "fmu_unit.h"

enum { GR_FMU_REPORTED_MAX = 64 };

/// What is saved besides the values of the variables and the mission.
typedef struct GrFmuProgress {
    bool begun;
    double start;          ///< the host's time at which the mission's is 0 [s]
    double time;           ///< the host's, at the last communication point [s]
    int64_t samples;       ///< times of the recording that have passed
    bool warned;           ///< about inputs without effect
    bool by_drive;         ///< drive.* has the rover
    bool was_by_hand;      ///< what it was taken from, to be given back
    GrDriveCommand manual; ///< likewise
} GrFmuProgress;

struct GrFmuUnit {
    char within[GR_FILE_PATH_SIZE]; ///< "": shipped names are looked up in the usual places
    GrScenario scenario;
    GrMotorDef *motors; ///< [joints of the rover] as the file has them
    GrWorld *world;     ///< NULL: not made yet
    GrSample sample;
    bool sampled;             ///< `sample` is of the present state
    GrDriveGeometry geometry; ///< of the rover as the file has it
    double steer_gain;
    GrVec3 force, moment; ///< of the host on the chassis during a step, world axes [N, N m]
    GrFmuVariables variables;
    double *values; ///< [variables.count]
    bool stale;     ///< a parameter has changed: the world must be made again
    GrFmuProgress progress;
    GrAssetHash
        reported[GR_FMU_REPORTED_MAX]; ///< warnings that the host has got: a world that is made again repeats them
    int reported_count;
    char text[24]; ///< the last text that was asked for
};

/// Makes the world again after a change of parameters; a mission under way goes on in it.
GrStatus gr_fmu_unit_refresh(GrFmuUnit *unit, GrErrorLog *log);

#endif
