/// Standard tests of a rover on a plane of soft soil or rigid ground: drop, turn, coast, brake, climb, egress,
/// tip-over. In libgrouser-run.
///
/// A slope is the plane z = 0 with tilted gravity: distances, attitudes and heights are relative to the plane.
/// docs/tests.md describes each test and how its results are verified.
///
/// Example: the impact speed after a fall of 0.2 m on Earth, √(2 g h) = 1.98 m/s.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     const GrSoilDef soil = gr_default_soil_def();
///     GrTrialDef def = gr_default_trial_def();
///     def.rover = &rover;
///     def.soil = &soil;
///     GrDropDef drop = gr_default_drop_def();
///     drop.height = 0.2;
///     GrDropResult result;
///     if (gr_trial_drop(&def, &drop, NULL, &result, &log) == GR_OK) {
///         printf("%s, %.2f m/s\n", gr_trial_outcome_name(result.outcome), result.contact_speed); // prints: done, 1.9
///     }
///     gr_rover_free(&rover);
#ifndef GROUSER_TRIAL_H
#define GROUSER_TRIAL_H

#include "grouser/mission.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Common parameters of all tests.
typedef struct GrTrialDef {
    const GrRoverDef *rover;
    const GrSoilDef *soil; ///< NULL: rigid ground
    double damping_ratio;  ///< damping ratio on a soil without damping, as in GrScenario; default 0.5
    double friction;       ///< Coulomb coefficient of everything rigid; default 0.6
    double gravity;        ///< [m/s²] > 0; default: Earth
    double step;           ///< [s] > 0; default 0.005
    double slope;          ///< of the plane [rad]; default 0: level
    double heading;        ///< angle between the rover's heading and uphill [rad]; π: downhill
    void (*progress)(void *context, double share); ///< called from time to time with the fraction done; NULL: none
    void *context;
} GrTrialDef;

GR_API GrTrialDef gr_default_trial_def(void);

/// Quantities logged at every step: constant, unit, text. Wheel quantities are the largest value or the mean of all
/// wheels.
#define GR_TRIAL_LIST(X)                                                                                               \
    X(TIME, "s", "time")                                                                                               \
    X(AHEAD, "m", "chassis, x")                                                                                        \
    X(ASIDE, "m", "chassis, y")                                                                                        \
    X(HEIGHT, "m", "chassis, over the plane")                                                                          \
    X(HEADING, "rad", "turned since the start")                                                                        \
    X(SPEED, "m/s", "along the heading")                                                                               \
    X(RISE, "m/s", "away from the plane")                                                                              \
    X(YAW_RATE, "rad/s", "about the plane's normal")                                                                   \
    X(ROLL, "rad", "roll")                                                                                             \
    X(PITCH, "rad", "pitch")                                                                                           \
    X(FELT, "m/s²", "acceleration as an IMU measures it")                                                              \
    X(LOAD, "N", "of all wheels together")                                                                             \
    X(LOAD_MOST, "N", "of the most loaded wheel")                                                                      \
    X(LOAD_LEAST, "N", "of the least loaded wheel")                                                                    \
    X(SLIP, "", "mean of the wheels")                                                                                  \
    X(SINKAGE, "m", "of the deepest wheel")                                                                            \
    X(TORQUE, "N m", "largest of the wheels")                                                                          \
    X(POWER, "W", "of all motors")

typedef enum GrTrialQuantity {
#define GR_TRIAL_ENUM(constant, unit, text) GR_TRIAL_##constant,
    GR_TRIAL_LIST(GR_TRIAL_ENUM)
#undef GR_TRIAL_ENUM
        GR_TRIAL_COUNT
} GrTrialQuantity;

typedef struct GrTrialRow {
    double values[GR_TRIAL_COUNT];
} GrTrialRow;

/// Zero-initialise; free with gr_trial_log_free().
typedef struct GrTrialLog {
    GrTrialRow *rows;
    int count, capacity;
    bool failed; ///< an allocation failed: rows are missing
} GrTrialLog;

GR_API void gr_trial_log_free(GrTrialLog *samples);

/// Extreme values over a test.
typedef struct GrTrialPeaks {
    double wheel_load;   ///< largest load of one wheel [N]
    int wheel;           ///< index of that wheel
    double load;         ///< of all wheels together [N]
    double load_least;   ///< smallest load of any wheel [N]
    double joint_force;  ///< [N]
    int force_joint;     ///< index of that joint; −1: there are no joints
    double joint_moment; ///< [N m]
    int moment_joint;
    double acceleration; ///< as an IMU measures it [m/s²]
    double roll, pitch;  ///< [rad]
    double sinkage;      ///< [m]
    double slip;
    double torque;           ///< of a drive motor [N m]
    double deflection;       ///< radial, of a flexible wheel [m]
    double deflection_share; ///< the same / wheel radius; above GR_DEFLECTION_LIMIT the model is invalid
} GrTrialPeaks;

/// How a test ended.
#define GR_TRIAL_OUTCOME_LIST(X)                                                                                       \
    X(DONE, done, "done")                                                                                              \
    X(TIPPED, tipped, "tipped over")                                                                                   \
    X(BELLY, belly_out, "the chassis rests on the ground")                                                             \
    X(UNSETTLED, unsettled, "not at rest when the time was up")                                                        \
    X(STUCK, stuck, "no progress")                                                                                     \
    X(SPINS, spins, "wheels spin without progress: traction is too small")                                             \
    X(STALLS, stalls, "drive motors stall at their torque limit")                                                      \
    X(TILTED, tilted, "tilted beyond the limit")                                                                       \
    X(OVERLOADED, overloaded, "a wheel load beyond the limit")                                                         \
    X(TOUCHED, touched, "a part other than a wheel touched")                                                           \
    X(AROUND, went_round, "wheels slid off it sideways and went round it")                                             \
    X(LATE, late, "not across when the time was up")                                                                   \
    X(SLIDES, slides, "keeps sliding")                                                                                 \
    X(LEFT, left_ground, "left the ground")                                                                            \
    X(DIVERGED, diverged, "the calculation failed")                                                                    \
    X(FAILED, failed, "out of memory, a capacity exceeded, or a file unreadable")

typedef enum GrTrialOutcome {
#define GR_TRIAL_OUTCOME_ENUM(constant, name, text) GR_TRIAL_##constant,
    GR_TRIAL_OUTCOME_LIST(GR_TRIAL_OUTCOME_ENUM)
#undef GR_TRIAL_OUTCOME_ENUM
        GR_TRIAL_OUTCOME_COUNT
} GrTrialOutcome;

GR_API const char *gr_trial_outcome_name(GrTrialOutcome outcome);
GR_API const char *gr_trial_outcome_text(GrTrialOutcome outcome);

/// ------------------------------------------------------------------------------------------------------------------
/// Drop and touchdown: the rover, or one of its wheels, falls onto the ground.

typedef struct GrDropDef {
    double height;      ///< height of the lowest wheel above the ground [m] > 0
    bool rear;          ///< the rearmost wheels alone are raised to that height, held until the rover rests, and let go
                        ///< all at once; the other wheels stand. Without velocity, roll and pitch. Default false
    GrVec3 velocity;    ///< at the start, plane axes rotated by the heading [m/s]
    double roll, pitch; ///< at the start [rad]
    double limit;       ///< longest simulated time [s]
} GrDropDef;

/// Defaults: 0.2 m, at rest, level, 30 s.
GR_API GrDropDef gr_default_drop_def(void);

typedef struct GrDropResult {
    GrTrialOutcome outcome;
    double weight;           ///< [N]
    double contact_time;     ///< of the first contact [s]; NAN: none
    double contact_speed;    ///< downward speed of the centre of mass at the last instant of free fall [m/s]
    double contact_expected; ///< the same in closed form: v + g t [m/s]
    double fall_error;       ///< largest distance between the centre of mass and its parabola in free fall [m]
    double fall_bound;       ///< error bound of a first-order step: g t dt / 2 [m]
    GrTrialPeaks peaks;
    double rest_time;    ///< time from the first contact to rest [s]; NAN: did not come to rest
    double rest_sinkage; ///< deepest wheel at the end [m]
    double rest_load;    ///< of all wheels at the end [N]
    double bounce;       ///< largest rise of the centre of mass after the first contact [m]
    double slide;        ///< distance over ground from the first contact to the end [m]
    // a drop of the rear wheels; contact_speed is theirs, contact_expected is that speed without any loss, fall_error 0
    double energy_kept; ///< part of the released potential energy that is motion and spring energy at first contact
    double rear_peak;   ///< largest force of the ground on all rear wheels together after it [N]
    double rear_rest;   ///< the same at the end [N]
    int rear_count;     ///< rear wheels
    GrEnergySample energy;
} GrDropResult;

/// `samples` may be NULL.
GR_API GrStatus gr_trial_drop(const GrTrialDef *def, const GrDropDef *drop, GrTrialLog *samples, GrDropResult *out,
                              GrErrorLog *log);

/// Makes a rover that consists of one wheel of another rover, with the given mass [kg]. Free with gr_rover_free().
GR_API GrStatus gr_trial_lone_wheel(const GrRoverDef *rover, int wheel, double mass, GrRoverDef *out, GrErrorLog *log);

/// ------------------------------------------------------------------------------------------------------------------
/// Turn: on the spot, or on a circle.

typedef struct GrTurnDef {
    GrDriveMode mode;    ///< GR_DRIVE_MODE_COUNT: point_turn, or the best mode of the rover for a circle
    double radius;       ///< of the circle [m], positive: to the left; 0: on the spot
    double speed;        ///< speed on the circle, or of the outermost wheel when turning on the spot [m/s] > 0
    double angle;        ///< to turn [rad] > 0
    double skid_factor;  ///< GrControlDef.skid_factor
    double acceleration; ///< of the rims [m/s²] > 0
    double limit;        ///< longest simulated time [s]
} GrTurnDef;

/// Defaults: on the spot, 0.05 m/s, 180 deg, factor 1, 0.1 m/s², 600 s.
GR_API GrTurnDef gr_default_turn_def(void);

/// Means over the last three quarters of the turn.
typedef struct GrTurnWheel {
    double steer;           ///< steering angle [rad]
    double slip;            ///<
    double slip_angle;      ///< [rad]
    double slip_angle_plan; ///< slip angle if the rover moved exactly as commanded [rad]
    double side_force;      ///< force of the ground on the wheel along its axle [N]
    double torque;          ///< of the motor [N m]
    double sinkage;         ///< [m]
} GrTurnWheel;

typedef struct GrTurnResult {
    GrTrialOutcome outcome;
    GrDriveMode mode;
    double time;              ///< total time [s]
    double turned;            ///< [rad]
    double radius_plan;       ///< radius that the steering allows [m]
    double radius;            ///< achieved: speed of the centre / yaw rate [m]
    double yaw_rate_plan;     ///< [rad/s]
    double yaw_rate;          ///< achieved [rad/s]
    double drift;             ///< displacement of the rover's centre when turning on the spot [m]
    double energy_per_degree; ///< of the motors [J]
    double torque;            ///< largest, of a drive motor [N m]
    GrTrialPeaks peaks;
    int wheel_count;
    GrTurnWheel wheels[GR_DRIVE_WHEELS_MAX];
} GrTurnResult;

GR_API GrStatus gr_trial_turn(const GrTrialDef *def, const GrTurnDef *turn, GrTrialLog *samples, GrTurnResult *out,
                              GrErrorLog *log);

/// ------------------------------------------------------------------------------------------------------------------
/// Coast and brake: from a given speed to rest.

typedef struct GrStopDef {
    bool motors;         ///< true: wheels are driven and then stopped; false: they roll freely from the start
    double speed;        ///< [m/s] > 0
    double rise;         ///< free wheels: initial speed away from the ground [m/s]; default 0
    double deceleration; ///< deceleration of the rims after the run-up [m/s²]; INFINITY: they lock at once
    double run_up;       ///< time driven at `speed` before braking [s]
    double limit;        ///< longest simulated time [s]
} GrStopDef;

/// Defaults: driven, 0.5 m/s, wheels lock at once, run-up 2 s, limit 120 s.
GR_API GrStopDef gr_default_stop_def(void);

typedef struct GrStopResult {
    GrTrialOutcome outcome;
    double speed;             ///< ground speed when braking or coasting began [m/s]
    double distance;          ///< from there to the first standstill, along the plane [m]
    double time;              ///< the same [s]
    double deceleration;      ///< mean: speed² / (2 distance) [m/s²]
    double deceleration_most; ///< largest mean over 50 ms [m/s²]
    double resistance;        ///< (loss of mechanical energy + motor work) / distance [N]
    double slip;              ///< mean over the distance
    double drift;             ///< to the side [m]
    double airborne;          ///< fraction of the time in which one or more wheels had no contact
    double hop;               ///< largest rise of the chassis [m]
    double energy;            ///< kinetic, when it began [J]
    GrEnergySample balance;   ///< since then
    GrTrialPeaks peaks;
} GrStopResult;

GR_API GrStatus gr_trial_stop(const GrTrialDef *def, const GrStopDef *stop, GrTrialLog *samples, GrStopResult *out,
                              GrErrorLog *log);

/// ------------------------------------------------------------------------------------------------------------------
/// Crossings: straight over a rigid obstacle until all wheels are past it.

/// Limits of a crossing. The crossing ends and has failed when one of them is exceeded.
typedef struct GrCrossLimits {
    double tilt; ///< angle between chassis z and the plane's normal [rad] > 0; default 30 deg
    double load; ///< load of one wheel / weight of the rover, > 0; default INFINITY: no limit, since short impacts pass
                 ///< the weight of a small rover
    bool touch;  ///< allow bodies other than wheels to touch ground and obstacle; default false
} GrCrossLimits;

GR_API GrCrossLimits gr_default_cross_limits(void);

typedef struct GrCrossResult {
    GrTrialOutcome outcome; ///< done: all wheels are past it
    double tilt;            ///< largest angle between chassis z and the plane's normal [rad]
    double time;            ///< driven [s]
    double distance;        ///< of the chassis [m]
    double slip;            ///< 1 − distance / mean distance rolled, from the first contact with the obstacle on
    double energy;          ///< of the motors [J]
    double drift;           ///< to the left, at the end [m]
    GrTrialPeaks peaks;     ///< from the start of driving on
} GrCrossResult;

typedef enum GrObstacle {
    GR_OBSTACLE_STEP, ///< a step up: a block longer than the rover
    GR_OBSTACLE_ROCK, ///< a half cylinder across the path
} GrObstacle;

typedef struct GrClimbDef {
    GrObstacle obstacle; ///< default step
    double height;       ///< [m] > 0; default 0.1
    double speed;        ///< of the rims [m/s] > 0; default 0.05
    bool one_side;       ///< only the left wheels meet it; default false
    GrCrossLimits limits;
} GrClimbDef;

GR_API GrClimbDef gr_default_climb_def(void);

GR_API GrStatus gr_trial_climb(const GrTrialDef *def, const GrClimbDef *climb, GrTrialLog *samples, GrCrossResult *out,
                               GrErrorLog *log);

/// Result of a search for the highest obstacle. Free with gr_climb_search_free().
typedef struct GrClimbSearch {
    double highest;        ///< highest obstacle crossed [m]; 0: none
    double failed;         ///< lowest obstacle above it that failed [m]
    GrCrossResult best;    ///< crossing of the highest obstacle; zero if there is none
    GrCrossResult failure; ///< the failed crossing: what limits the rover
    GrTrialLog best_log, failure_log;
} GrClimbSearch;

/// Finds the highest obstacle that the rover crosses: increases the height in steps of `step` [m] up to the first
/// failure, then bisects to `tolerance` [m].
GR_API GrStatus gr_trial_highest(const GrTrialDef *def, const GrClimbDef *climb, double step, double tolerance,
                                 GrClimbSearch *out, GrErrorLog *log);

/// The same where an obstacle of height `below` [m] is known to fail: nothing as high is tried. `failed` is 0 where all
/// that was tried is crossed.
GR_API GrStatus gr_trial_highest_below(const GrTrialDef *def, const GrClimbDef *climb, double step, double tolerance,
                                       double below, GrClimbSearch *out, GrErrorLog *log);
GR_API void gr_climb_search_free(GrClimbSearch *search);

/// Egress from a lander: a deck, and one ramp for the wheels of each side.
typedef struct GrEgressDef {
    double deck_height; ///< [m] > 0; default 0.5
    double ramp_angle;  ///< [rad], 0 … π/3; default 20 deg
    double ramp_margin; ///< width of the ramps beyond the wheels on each side [m] ≥ 0; default 0.05
    double speed;       ///< of the rims [m/s] > 0; default 0.05
    double misaligned;  ///< initial heading relative to the ramps, positive to the left [rad]; default 0
    GrCrossLimits limits;
} GrEgressDef;

GR_API GrEgressDef gr_default_egress_def(void);

GR_API GrStatus gr_trial_egress(const GrTrialDef *def, const GrEgressDef *egress, GrTrialLog *samples,
                                GrCrossResult *out, GrErrorLog *log);

/// ------------------------------------------------------------------------------------------------------------------
/// Tip-over: the largest tilt of the ground before the rover tips over.

typedef struct GrTipPoint {
    double direction; ///< downhill direction, from the rover's heading to the left [rad]
    double geometry;  ///< angle at which the centre of mass is above the line between two wheel contacts [rad]
    double lift_off;  ///< angle at which the first wheel loses its load, with suspension [rad]
    double tip;       ///< angle at which no equilibrium is left, with suspension [rad]
} GrTipPoint;

typedef struct GrTipResult {
    double com_height;  ///< height above level ground [m]
    GrVec3 com;         ///< from the chassis origin, axes of the level ground [m]
    GrTipPoint *points; ///< owned
    int count;
} GrTipResult;

/// Tests `count` directions, starting from straight ahead, on rigid ground on which wheels neither roll nor slide. Free
/// with gr_tip_free().
GR_API GrStatus gr_trial_tip(const GrTrialDef *def, int count, GrTipResult *out, GrErrorLog *log);
GR_API void gr_tip_free(GrTipResult *result);

#ifdef __cplusplus
}
#endif
#endif
