/// GrMission from the inside.
#ifndef GR_MISSION_DATA_H
#define GR_MISSION_DATA_H

#include "account.h"
#include "contact_mode.h"
#include "pace.h"

/// What is counted in every step: the soil's flags, then control's, then these.
enum {
    GR_WARN_SOIL = 0,
    GR_WARN_DRIVE = GR_WARN_SOIL + GR_FLAG_COUNT,
    GR_WARN_STEP = GR_WARN_DRIVE + GR_DRIVE_FLAG_COUNT, ///< the error of a step stayed above the tolerance
    GR_WARN_BELLY,                                      ///< the chassis touches
    GR_WARN_SPIN,                                       ///< a wheel slips by more than 0.9 while it is told to drive
    GR_WARN_PUSH,  ///< a step longer than GR_LONGEST_PUSH while a loose rock is pushed
    GR_WARN_LOOSE, ///< a loose rock is pushed
    GR_WARN_FLEX,  ///< a flexible wheel is deflected by more than GR_DEFLECTION_LIMIT of its radius
    GR_WARN_BLOW,  ///< a wheel bears more than GR_BLOW times its share of the weight
    GR_WARN_JUMP,  ///< nothing touches a rover that was not let fall
    GR_WARN_AGAIN, ///< a wheel of a rover that was let fall lands again on ground that keeps ruts
    GR_WARN_COUNT,
};

/// A load that is more than this many times a wheel's share of the weight is warned about: a rover of six wheels that
/// stands on two has three times.
static const double GR_BLOW = 5;

/// Sums over the steps for one wheel.
typedef struct GrWheelTally {
    double rolled;   ///< way of the rim [m]
    double slipped;  ///< slip times that way [m]
    double slip_now; ///< mean over the last SLIP_WAY of rolling
    double slip_max; ///< largest size of that
    double touch_time, soil_time, sinkage_time, sinkage_max;
    double load_time, load_max;
    double torque_time, torque_max;
    double energy;
    bool landed, lifted; ///< has been in soil; has left it since
    GrVec3 left;         ///< its centre when it left
    double rate, change; ///< of the drive after the last step, and since the one before [rad/s]
    long swings;         ///< steps in which it turned back what the step before had done
} GrWheelTally;

/// Two moving bodies that touched each other.
typedef struct GrSelfTally {
    int a, b; ///< of the tree
    double first, time, force_max;
} GrSelfTally;

/// Commands of the motors on their way from one cycle of control to the next.
typedef struct GrRamp {
    int count;
    int joint[3 * GR_DRIVE_WHEELS_MAX];
    double from[3 * GR_DRIVE_WHEELS_MAX], to[3 * GR_DRIVE_WHEELS_MAX];
    double begin, duration; ///< [s]
} GrRamp;

/// All that changes in a mission beside its GrData; plain bytes.
typedef struct GrMissionState {
    GrOutcome outcome;
    double outcome_time;
    char cause[GR_NOTE_SIZE];
    GrControlState control;
    GrDriveCommand command; ///< the last one
    double control_due;     ///< [s]
    GrRamp ramp;            ///< from the commands of the last cycle of control to those of this one
    GrAccount account;
    double last_step;   ///< [s]
    double pace_step;   ///< error: the step to try next [s]
    GrLookout lookout;  ///< hub: for stone
    GrVec3 start;       ///< of the chassis
    GrVec3 last;        ///< chassis after the last step
    double last_height; ///< chassis height where climb and descent were last booked [m]
    double distance;    ///< over ground [m]
    double climb, descent;
    double roll_max, pitch_max, cross_track_max;
    double rolled;    ///< mean way of all rims [m]
    double travelled; ///< mean way of all wheels over the ground in the direction in which each one turns [m]
    double mark_time; ///< progress is looked at from here: time, place, way rolled
    double mark_travelled;
    double mark_rolled;
    int way_points;     ///< that the rover has taken for reached or passed
    bool dropped;       ///< it began above the ground
    double start_fall;  ///< time that it took to fall to its rest at the start, where no equilibrium was found [s]
    bool start_moves;   ///< it still moved faster than by creep after that time
    double start_force; ///< largest unbalanced force at the start, over the weight
    double belly_share; ///< weight on the chassis, mean over GrMissionDef::belly_time
    GrVec3 prefetched;  ///< middle of the tiles that are in memory
    double step_min, step_max;
    long steps;
    GrSelfTally self[GR_SELF_CONTACTS_MAX];
    int self_count, self_more; ///< pairs in `self`, steps of pairs that it has no room for
    long warning_count[GR_WARN_COUNT];
    double warning_first[GR_WARN_COUNT];
} GrMissionState;

/// A move of a joint, made ready.
typedef struct GrMove {
    int joint;
    double begin, duration; ///< [s]
    double from, to;        ///< [rad or m]
} GrMove;

struct GrMission {
    const GrModel *m;
    GrTerrain *terrain;
    GrMissionDef def;
    GrControl control;
    bool driven; ///< some wheel can be driven; otherwise there is no control
    GrData *d;
    GrData *kept;         ///< error pace: the state before the step
    GrRuts *given;        ///< ruts that are there at the start; NULL: none
    double reach;         ///< of the wheels from the chassis [m]
    double weight;        ///< [N]
    GrVec3 up;            ///< against gravity
    double *drive;        ///< [wheel_count] work of the drive motors in the last step [J]
    GrWheelTally *wheels; ///< [wheel_count]
    GrArrival *arrivals;  ///< [path_count] of the control
    GrMove *moves;        ///< [def.move_count]
    GrMissionState s;
};

/// Target of a move from its beginning on.
double gr_move_target(const GrMove *move, double time);
/// Checks the moves of the definition and makes them ready.
GrStatus gr_mission_prepare_moves(GrMission *mission, GrErrorLog *log);
/// Tells the servos of joints that move by the clock where to be now.
void gr_mission_move_joints(GrMission *mission);

/// Ends the mission; the first outcome stays.
void gr_mission_end(GrMission *mission, GrOutcome outcome, const char *format, ...) GR_PRINTF(3, 4);

/// Force function of the load behind the rover.
void gr_mission_hold_back(void *context, const GrModel *m, GrData *d, double dt);

/// Looks at the state after a step of dt and ends the mission where an outcome is met.
void gr_mission_judge(GrMission *mission, double dt);

/// Way-points from the start: none reached.
void gr_mission_reset_way(GrMission *mission);
/// Notes which way-points the rover has come to, and how near, after a cycle of control or a step.
void gr_mission_note_way(GrMission *mission);
/// Way-points that the mission follows; 0 without a path.
int gr_mission_way_count(const GrMission *mission);

/// Counts what the summary tells, after a step of dt.
void gr_mission_tally(GrMission *mission, double dt);
void gr_mission_warn(GrMission *mission, int warning);

/// Contacts between the rover's own parts: counts them after a step of dt, tells the summary, and their force now [N].
void gr_mission_tally_self(GrMission *mission, double dt);
void gr_mission_summarise_self(const GrMission *mission, GrRunSummary *out);
double gr_self_force(const GrMission *mission);

/// What the ground does to a wheel after gr_account_step(), world axes.
GrVec3 gr_wheel_force(const GrMission *mission, int wheel);
/// What ground, parts and rocks do to all bodies but the wheels, world axes.
GrVec3 gr_belly_force(const GrMission *mission);

GrContactMode gr_wheel_mode(const GrMission *mission, int wheel);

/// Roll, pitch and heading of a rotation.
void gr_attitude(GrQuat rotation, double *roll, double *pitch, double *heading);

#endif
