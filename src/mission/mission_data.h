/// Internals of GrMission.
#ifndef GR_MISSION_DATA_H
#define GR_MISSION_DATA_H

#include "account.h"
#include "contact_mode.h"
#include "pace.h"

/// Warnings that are counted in every step: the soil's flags, then control's, then these.
enum {
    GR_WARN_SOIL = 0,
    GR_WARN_DRIVE = GR_WARN_SOIL + GR_FLAG_COUNT,
    GR_WARN_STEP = GR_WARN_DRIVE + GR_DRIVE_FLAG_COUNT, ///< the error of a step stayed above the tolerance
    GR_WARN_BELLY,                                      ///< the chassis touches the ground or a rock
    GR_WARN_SPIN,                                       ///< a wheel slips by more than 0.9 while its motor drives
    GR_WARN_SLIP,                                       ///< a wheel slips by more than 0.6 while its motor drives
    GR_WARN_PUSH,  ///< a step longer than GR_LONGEST_PUSH while the rover pushes a loose rock
    GR_WARN_LOOSE, ///< the rover pushes a loose rock
    GR_WARN_FLEX,  ///< a flexible wheel is deflected by more than GR_DEFLECTION_LIMIT of its radius
    GR_WARN_BLOW,  ///< a wheel carries more than GR_BLOW_FACTOR times its share of the weight
    GR_WARN_JUMP,  ///< the rover is in the air although it was not dropped
    GR_WARN_AGAIN, ///< a wheel of a dropped rover lands again, on ground that keeps ruts
    GR_WARN_HOPS,  ///< a wheel of a dropped rover bounces, more than once on plastic soil
    GR_WARN_LANDS, ///< a wheel of a dropped rover sinks into plastic soil within a few long steps
    GR_WARN_COUNT,
};

/// A wheel load of more than this many times the wheel's share of the weight gives a warning. A six-wheeled rover that
/// stands on two wheels reaches three.
static const double GR_BLOW_FACTOR = 5;

/// Distance after which the rocks around the rover are made [m].
static const double GR_ROCKS_EVERY = 0.125;

/// Sums over the steps for one wheel.
typedef struct GrWheelTally {
    GrWheelSums sums;
    double spread_time;  ///< integral of GrWheelContact::spread [m s]
    bool landed, lifted; ///< has touched the ground; touches nothing since
    GrVec3 left;         ///< its centre at the last contact
    double left_time;    ///< time of the last contact [s]
    int hops;            ///< hops higher than HOP_HEIGHT of a dropped rover
    int sinking;         ///< steps in which it has sunk since it came down
    double sunk, deeper; ///< deepest sinkage since it left the ground, and how much of it in those steps [m]
    bool falls;          ///< has not ended that sinking
    double rate, change; ///< speed of the drive after the last step, and its change in that step [rad/s]
    long swings;         ///< steps whose change of speed reversed that of the step before
    double state_time[GR_CONTACT_MODE_COUNT]; ///< time in each contact state [s]
    long state_entries[GR_CONTACT_MODE_COUNT];
    GrContactMode state[GR_SURFACE_COUNT]; ///< after the last step
} GrWheelTally;

/// Two moving bodies that touched each other.
typedef struct GrSelfTally {
    int a, b; ///< bodies of the tree
    double first, time, force_max;
} GrSelfTally;

/// Motor commands between two control cycles.
typedef struct GrRamp {
    int count;
    int joint[3 * GR_DRIVE_WHEELS_MAX];
    double from[3 * GR_DRIVE_WHEELS_MAX], to[3 * GR_DRIVE_WHEELS_MAX];
    double begin, duration; ///< [s]
} GrRamp;

/// Light and battery.
typedef struct GrSupplyState {
    GrSupplySample now;
    double sunlight;    ///< on a surface that faces the Sun [W/m²]
    double looked_time; ///< when the light was last looked at [s], and where
    GrVec3 looked_at;
    double electric;            ///< motor energy that has been booked [J]
    double solar, load, drives; ///< energies [J]
    double wasted, charge_min;
    double light_time, dark, dark_longest; ///< [s]
} GrSupplyState;

/// Reasons for the end of a run; gr_mission_explain() has their texts, each with the numbers that GrEnd::values holds.
typedef enum GrEndReason {
    GR_END_NONE,
    GR_END_LEANS,       ///< angle, limit [rad]
    GR_END_NO_GROUND,   ///< part: the wheel
    GR_END_OVERLOAD,    ///< part: the wheel; load, limit [N]
    GR_END_BELLY,       ///< share, time [s]
    GR_END_SLIPS,       ///< advanced [m], within [s], rolled [m]
    GR_END_HELD,        ///< rolled [m], within [s], commanded [m]
    GR_END_FAST,        ///< speed [m/s]
    GR_END_GOAL,        ///< part: number of way-points
    GR_END_PATH,        ///< part: number of way-points; distance, tolerance [m]
    GR_END_TIME,        ///< duration [s]
    GR_END_BATTERY,     ///< charge, capacity [J]
    GR_END_STEP,        ///< part: GrStatus of the step; length [s], number of the step
    GR_END_CONTACTS,    ///< number of the step
    GR_END_NOT_LOADED,  ///< the caller adds to the cause what could not be loaded
    GR_END_INTERRUPTED, ///< by the user
} GrEndReason;

/// Why a run ended, as numbers: a GPU writes no text.
typedef struct GrEnd {
    GrEndReason reason;
    int part;
    double values[3];
} GrEnd;

/// All mutable state of a mission besides its GrData; plain bytes.
typedef struct GrMissionState {
    GrOutcome outcome;
    double outcome_time;
    GrEnd end;
    char cause[GR_NOTE_SIZE]; ///< its text
    GrControlState control;
    GrDriveCommand command; ///< the last one
    double control_due;     ///< [s]
    GrRamp ramp;            ///< from the commands of the last cycle of control to those of this one
    GrAccount account;
    GrSupplyState supply;
    double last_step;   ///< [s]
    long rolled_out;    ///< steps in which a wheel rolled further than its contact with the soil is long
    double step_energy; ///< sum over the steps of the kinetic energy of the change of velocity [J]
    double pace_step;   ///< pace `error`: step to try next [s]
    GrLookout lookout;  ///< what the choice of the step remembers
    GrVec3 start;       ///< position of the chassis at the start
    GrVec3 last;        ///< position of the chassis after the last step
    double distance;    ///< over ground [m]
    GrClimbSums climbs;
    double roll_max, pitch_max, cross_track_max;
    double rolled;    ///< mean distance travelled by all rims [m]
    double commanded; ///< the same if their motors had kept the commanded speeds [m]
    double travelled; ///< mean distance of all wheels over the ground, in the direction in which each turns [m]
    double mark_time; ///< start of the interval over which progress is judged: time, distances
    double mark_travelled;
    double mark_rolled, mark_commanded;
    int way_points;     ///< way-points that the rover believes it has reached or passed
    bool dropped;       ///< the rover started above the ground
    double start_fall;  ///< duration of the fall to rest at the start, when no equilibrium was found [s]; else 0
    double start_down;  ///< speed at which a dropped rover starts to fall [m/s]
    double start_push;  ///< force of the ground on a dropped rover at its start, divided by the weight
    bool start_moves;   ///< it was still moving faster than CREEP_SPEED after that time
    double start_force; ///< largest unbalanced force at the start, divided by the weight
    double belly_share; ///< fraction of the weight on the chassis, mean over GrMissionDef::belly_time
    GrVec3 prefetched;  ///< centre of the tiles that are in memory
    double step_min, step_max;
    long steps;
    GrSelfTally self[GR_SELF_CONTACTS_MAX];
    int self_count, self_more; ///< pairs in `self`; steps of pairs that did not fit in
    long warning_count[GR_WARN_COUNT];
    double warning_first[GR_WARN_COUNT];
} GrMissionState;

/// A prescribed move of a joint, after its checks.
typedef struct GrMove {
    int joint;
    double begin, duration; ///< [s]
    double from, to;        ///< [rad or m]
} GrMove;

struct GrMission {
    const GrModel *m;
    GrTerrain *terrain;
    GrVec3 deck, deck_normal; ///< of the present start, as in GrStart
    GrMissionDef def;
    GrControl control;
    bool driven; ///< at least one wheel can be driven; otherwise there is no control
    GrData *d;
    GrData *kept;              ///< pace `error`: the state before the step
    GrRuts *given;             ///< ruts present at the start; NULL: none
    double reach;              ///< largest distance of a wheel from the chassis' origin [m]
    double weight;             ///< [N]
    GrVec3 up;                 ///< unit vector against gravity
    double *drive;             ///< [wheel_count] work of the drive motors in the last step [J]
    GrWheelTally *wheels;      ///< [wheel_count]
    GrArrival *arrivals;       ///< [path_count of control]
    GrMove *moves;             ///< [def.move_count]
    struct GrOutlook *outlook; ///< for the skyline; NULL: there is no Sun, or no terrain
    double stones_at[2];       ///< position of the rover when rocks around it were last made
    GrTreeData seen;           ///< what kinematics writes for a sample, beside that of the last step
    void *seen_memory;
    GrMissionState s;
};

/// Loads the tiles of the terrain and makes the rocks around a position, as far as the rover reaches and farther.
GrStatus gr_mission_load_around(GrMission *mission, double x, double y, GrErrorLog *log);

/// Light and battery: checks them and loads what is looked over, starts, books a step of dt, and sums up.
GrStatus gr_mission_supply_open(GrMission *mission, GrErrorLog *log);
void gr_mission_supply_start(GrMission *mission);
void gr_mission_supply_step(GrMission *mission, double dt);
GrSupplySummary gr_mission_summarise_supply(const GrMission *mission);

/// Target of a move at a time not before its beginning.
double gr_move_target(const GrMove *move, double time);
/// Checks the moves of the definition and prepares them.
GrStatus gr_mission_prepare_moves(GrMission *mission, GrErrorLog *log);
/// Sets the servo targets of joints that the mission moves by time.
void gr_mission_move_joints(GrMission *mission);

/// Whether gr_mission_advance() has steps left.
bool gr_mission_goes_on(const GrMission *mission, double until);

/// gr_balance() of the present state, without changing what the next step begins with.
GrBalance gr_mission_balance(const GrMission *mission);

/// Ends the mission; the first outcome is kept.
void gr_mission_end(GrMission *mission, GrOutcome outcome, GrEnd end);
/// Writes the cause of the end as text.
void gr_mission_explain(GrMission *mission);

/// Force function of the load behind the rover.
void gr_mission_pull_force(void *context, const GrModel *m, GrData *d, double dt);
/// Books the work on it in a step of dt, at the mean velocity.
void gr_mission_book_pull(GrMission *mission, double dt);

/// Checks the state after a step of dt and ends the mission when an outcome has occurred.
void gr_mission_judge(GrMission *mission, double dt);

/// Resets all way-points to not reached.
void gr_mission_reset_arrivals(GrMission *mission);
/// Records which way-points the rover has come to and how closely, after a control cycle or a step.
void gr_mission_note_arrivals(GrMission *mission);
/// Way-points that the mission follows; 0 without a path.
int gr_mission_way_point_count(const GrMission *mission);

/// Accumulates the figures of the summary, after a step of dt.
void gr_mission_tally(GrMission *mission, double dt);
void gr_mission_warn(GrMission *mission, int warning);

/// A new warning of the summary for the caller to fill; NULL: no room left.
GrWarning *gr_summary_add_warning(GrRunSummary *out, long count, double first);

/// Contacts between the rover's own bodies: counts them after a step of dt, reports them to the summary, and their
/// present force [N].
void gr_mission_tally_self(GrMission *mission, double dt);
void gr_mission_summarise_self(const GrMission *mission, GrRunSummary *out);

/// Force of the ground on a wheel after gr_account_step(), world axes.
GrVec3 gr_wheel_force(const GrMission *mission, int wheel);

/// A wheel after a step of dt, except for its centre.
void gr_mission_sample_wheel(const GrMission *mission, int wheel, double dt, GrWheelSample *out);
/// Force of ground, parts and rocks on all bodies except wheels, world axes.
GrVec3 gr_belly_force(const GrMission *mission);

/// Roll, pitch and heading of a rotation.
void gr_attitude(GrQuat rotation, double *roll, double *pitch, double *heading);

#endif
