/// Internals of GrFmuUnit.
#ifndef GR_FMU_UNIT_DATA_H
#define GR_FMU_UNIT_DATA_H

#include "asset_id.h"
#include "file.h"
#include "fmu_contact.h"

enum { GR_FMU_REPORTED_MAX = 64 };

/// What is saved besides the values of the variables and the mission.
typedef struct GrFmuProgress {
    bool begun;
    double start;          ///< the host's time at which the mission's is 0 [s]
    double time;           ///< the host's, at the last communication point or completed step [s]
    int64_t samples;       ///< times of the recording that have passed
    bool warned;           ///< about inputs without effect
    bool by_drive;         ///< drive.* has the rover
    bool was_by_hand;      ///< what it was taken from, to be given back
    GrDriveCommand manual; ///< likewise
} GrFmuProgress;

struct GrFmuUnit {
    char within[GR_FILE_PATH_SIZE]; ///< "": shipped names are looked up in the usual places
    GrScenario *scenario;
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
    char text[GR_NAME_SIZE];   ///< the last text that was asked for
    GrFmuUnitDef def;          ///< without the texts
    GrFmuContact *contact;     ///< NULL: the whole rover
    char ground[GR_NAME_SIZE]; ///< name of a contact unit's ground
    double now;                ///< model exchange: the host's time [s]
    bool old;                  ///< model exchange: outputs are not those of the present inputs and time
};

// Who drives (fmu_unit_state.c).

/// The inputs that act during a step.
typedef struct GrFmuOrders {
    GrFmuSource source;
    GrDriveCommand drive;
    bool drives, turns_wheels;         ///< whether any input of drive.* or wheels.* differs from its start
    double path_speed;                 ///< NAN: the scenario has no path
    bool torque;                       ///< wheels take torques
    double wheel[GR_DRIVE_WHEELS_MAX]; ///< [rad/s] or [N m]
    double steer[GR_DRIVE_WHEELS_MAX]; ///< [rad]
    double force[3], moment[3];        ///< on the chassis [N, N m]
} GrFmuOrders;

GrFmuOrders gr_fmu_orders_read(const GrFmuUnit *unit);

/// Warns once about inputs that the present source of commands does not read.
void gr_fmu_orders_warn_unread(GrFmuUnit *unit, const GrFmuOrders *orders, GrErrorLog *log);

/// Takes the motors from control for wheels.*, or gives them back.
void gr_fmu_orders_choose_driver(GrMission *mission, const GrFmuOrders *orders, GrFmuProgress *progress);

/// Commands of the host to the motors, before each step: a steering motor that takes a speed needs the present angle.
void gr_fmu_orders_command_wheels(const GrFmuUnit *unit, const GrFmuOrders *orders);

/// The state of the mission, or of the contact unit.
size_t gr_fmu_unit_state_size(const GrFmuUnit *unit);
GrStatus gr_fmu_unit_state_save(const GrFmuUnit *unit, void *out);
GrStatus gr_fmu_unit_state_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log);

/// Makes the world again after a change of parameters; a mission under way goes on in it.
GrStatus gr_fmu_unit_refresh(GrFmuUnit *unit, GrErrorLog *log);

#endif
