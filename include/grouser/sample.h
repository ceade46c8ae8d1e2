/// GrSample: all that is worth recording of one instant of a run. GrRunSummary: the same of a whole run, with its
/// outcome.
///
/// Units are SI, angles in radians, axes those of the world unless a field says otherwise.
///
/// Example:
///
///     #include <grouser/scenario.h>
///     GrErrorLog log = {0};
///     GrScenario scenario;
///     GrWorld world;
///     if (gr_scenario_load("crossing", NULL, &scenario, &log) != GR_OK ||
///         gr_world_create(&scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrSample sample;
///     if (!gr_sample_init(world.model, gr_mission_rock_count(world.mission), &sample)) {
///         return 1;
///     }
///     gr_mission_advance(world.mission, 1);
///     gr_mission_sample(world.mission, &sample);
///     printf("at %g s the first wheel has slip %.3f\n", sample.time, sample.wheels[0].slip); // prints: at 1 s
///     gr_sample_free(&sample);
///     gr_world_free(&world);
///     gr_scenario_free(&scenario);
#ifndef GROUSER_SAMPLE_H
#define GROUSER_SAMPLE_H

#include "grouser/control.h"
#include "grouser/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One wheel on the ground.
typedef struct GrWheelSample {
    double slip;       ///< −1 … 1, positive when it spins; 0 at rest and in the air
    double slip_angle; ///< [rad]
    double sinkage;    ///< of its lowest point below the undisturbed ground [m]; 0 in the air
    GrVec3 force;      ///< of the ground on the wheel: along, across, normal to the ground [N]
    double load;       ///< vertical part of the same, soil and rocks together [N]
    double torque;     ///< of the drive motor, positive when it drives the rover ahead [N m]
    double speed;      ///< of the wheel on its axle, positive when it rolls ahead [rad/s]
    double power;      ///< mechanical, of the drive motor [W]
    int state;         ///< contact state, see gr_wheel_state_text()
    int stone;         ///< the same with rocks and parts alone: "stone: no collision" where it touches none
    int soil;          ///< index of the soil under it; −1: none
    GrVec3 centre;     ///< [m]
} GrWheelSample;

/// One joint that moves.
typedef struct GrJointSample {
    double angle;  ///< [rad] or [m]
    double rate;   ///< [rad/s] or [m/s]
    double torque; ///< of its motor [N m] or [N]
    double force;  ///< magnitude of the force that it transmits [N]
    double moment; ///< magnitude of the moment that it transmits [N m]
} GrJointSample;

/// Energies since the start of the run [J]. What the motors give while they drive is the rover's motor energy, the one
/// that is quoted: electric = braking + mechanical + soil + wheels + joints + pull +
/// residual.
typedef struct GrEnergySample {
    double motor;    ///< net work of the motors: electric − braking
    double electric; ///< motor energy: work of the motors while they drive; what a battery loses that recovers nothing
    double braking;  ///< work that the motors took up while they braked, as heat
    double mechanical; ///< kinetic, potential and spring energy (joints, flexible wheels) now, less those at the start
    double soil;       ///< lost in the soil and in contacts
    double wheels;     ///< lost in the dampers of flexible wheels
    double joints;     ///< lost in dampers, friction and end stops of joints
    double pull;       ///< work on the load that the rover pulls
    double residual; ///< what the integration adds or loses: motor − mechanical − soil − wheels − joints − pull
} GrEnergySample;

typedef struct GrSample {
    double time;             ///< [s]
    double distance;         ///< that the chassis has gone over the ground [m]
    GrPose pose;             ///< of the chassis
    GrVec3 velocity;         ///< of the chassis' origin [m/s]
    GrVec3 angular_velocity; ///< [rad/s]
    GrVec3 acceleration;     ///< as an IMU at the chassis' origin feels it: without gravity, chassis axes [m/s²]
    double roll, pitch,
        heading;            ///< x forward, y left, z up: roll right side down, pitch nose down, heading to the left
    GrOdometry odometry;    ///< estimated pose
    GrDriveCommand command; ///< what it was told to do
    double cross_track;     ///< distance left of its path [m]
    int way_point;          ///< index of the way-point it drives to, from 0
    GrEnergySample energy;
    double power;          ///< of all motors, mechanical [W]
    double belly_force;    ///< of ground and rocks on anything but wheels [N]
    double self_force;     ///< between the rover's own parts: sum of the sizes over pairs that touch [N]
    double step;           ///< of the last step [s]
    GrWheelSample *wheels; ///< [gr_model_wheel_count()], owned
    GrJointSample *joints; ///< [gr_model_joint_count()], owned
    GrPose *bodies;        ///< [gr_model_part_count()], owned: every body of the definition
    GrPose *rocks;         ///< [rock_count], owned: rocks that can move
    int rock_count;
} GrSample;

/// Room for the samples of a model; false when out of memory.
GR_API bool gr_sample_init(const GrModel *m, int rock_count, GrSample *sample);
GR_API void gr_sample_free(GrSample *sample);

/// Text of GrWheelSample::state, as in "soft: slipping, accelerating".
GR_API const char *gr_wheel_state_text(int state);

/// The one list of how a run can end: constant, name in files, text.
#define GR_OUTCOME_LIST(X)                                                                                             \
    X(RUNNING, running, "still going")                                                                                 \
    X(FINISHED, finished, "the time or the path is over")                                                              \
    X(GOAL, reached_goal, "the last way-point is reached")                                                             \
    X(STUCK, stuck, "no progress")                                                                                     \
    X(TIPPED, tipped, "the rover has tipped over")                                                                     \
    X(BELLY, belly_out, "the chassis rests on the ground")                                                             \
    X(LEFT_MAP, left_map, "a wheel left the map")                                                                      \
    X(DIVERGED, diverged, "the numbers are no longer finite, or the motion is impossible")                             \
    X(OVERLOAD, wheel_overload, "a wheel carries more than it may")                                                    \
    X(FAILED, failed, "the run could not go on: memory, a capacity or a file was not enough")                          \
    X(INTERRUPTED, interrupted, "stopped by the user")

typedef enum GrOutcome {
#define GR_OUTCOME_ENUM(constant, name, text) GR_OUTCOME_##constant,
    GR_OUTCOME_LIST(GR_OUTCOME_ENUM)
#undef GR_OUTCOME_ENUM
        GR_OUTCOME_COUNT
} GrOutcome;

GR_API const char *gr_outcome_name(GrOutcome outcome);
GR_API const char *gr_outcome_text(GrOutcome outcome);

enum { GR_WARNINGS_MAX = 48 };

/// Something that happened, counted.
typedef struct GrWarning {
    char text[GR_NOTE_SIZE];
    long count;   ///< steps in which it was so
    double first; ///< when it first was [s]
} GrWarning;

/// A wheel over the whole run.
typedef struct GrWheelSummary {
    double slip_mean, slip_max;       ///< mean over the distance rolled on soil or rock; largest size, over 2 cm of
                                      ///< rolling; both 0 for a wheel that rolled less than 2 cm
    double sinkage_mean, sinkage_max; ///< [m]
    double load_mean, load_max;       ///< [N]
    double torque_mean, torque_max;   ///< mean over time, largest size [N m]
    double energy;                    ///< of its drive motor [J]
    double chatter;                   ///< changes of the contact state a second
    double airborne;                  ///< part of the time without contact, 0 … 1
} GrWheelSummary;

/// The one list of what can become of a way-point: constant, name in files, text.
#define GR_ARRIVAL_LIST(X)                                                                                             \
    X(NOT_REACHED, not_reached, "not reached")                                                                         \
    X(REACHED, reached, "reached")                                                                                     \
    X(MISSED, missed, "passed outside the tolerance")

typedef enum GrArrivalState {
#define GR_ARRIVAL_ENUM(constant, name, text) GR_ARRIVAL_##constant,
    GR_ARRIVAL_LIST(GR_ARRIVAL_ENUM)
#undef GR_ARRIVAL_ENUM
        GR_ARRIVAL_COUNT
} GrArrivalState;

GR_API const char *gr_arrival_name(GrArrivalState state);
GR_API const char *gr_arrival_text(GrArrivalState state);

/// A way-point and how the rover came there. Numbers that do not exist are NAN.
typedef struct GrArrival {
    GrWayPoint point;     ///< as asked: place, and time or NAN
    GrArrivalState state; ///< by the true position, not by the rover's estimate
    double time;          ///< when the rover took it for reached or passed, and went on [s]
    double off;           ///< least true distance from it, while the rover drove to it or on to the next one [m]
    double distance;      ///< gone over the ground by `time` [m]
} GrArrival;

enum { GR_SELF_CONTACTS_MAX = 32 };

/// Two parts of the rover that touched each other in a run.
typedef struct GrSelfContact {
    char a[GR_NAME_SIZE], b[GR_NAME_SIZE]; ///< names of bodies or wheels
    double first;                          ///< when they first touched [s]
    double time;                           ///< for how long in all [s]
    double force_max;                      ///< [N]
} GrSelfContact;

/// A whole run.
typedef struct GrRunSummary {
    GrOutcome outcome;
    double outcome_time;        ///< [s]
    char cause[GR_NOTE_SIZE];   ///< "way-point 3 of 3 reached", "pitch 47.3 deg beyond 45 deg", …
    double time;                ///< simulated [s]
    double wall_time;           ///< of the simulation with its recording [s]
    double real_time_factor;    ///< simulated over wall seconds
    double distance;            ///< [m]
    double progress;            ///< straight from start to end [m]
    double climb, descent;      ///< sums of rises and falls of the chassis [m]
    double roll_max, pitch_max; ///< largest sizes [rad]
    double cross_track_max;     ///< [m]
    double odometry_error;      ///< at the end, over ground [m]
    GrEnergySample energy;
    double energy_per_metre; ///< motor energy (electric) over distance [J/m]; NAN without distance
    long steps;
    double step_min, step_max; ///< [s]
    int way_points_reached;    ///< of `way_points`; of a summary of samples alone: those left behind
    GrArrival *way_points;     ///< [way_point_count], owned: the path, one after another
    int way_point_count;
    uint64_t state_hash;
    GrWarning warnings[GR_WARNINGS_MAX];
    int warning_count;
    GrWheelSummary *wheels; ///< [wheel_count], owned
    int wheel_count;
    GrSelfContact self_contacts[GR_SELF_CONTACTS_MAX]; ///< in the order in which they first touched
    int self_contact_count;
    int self_contact_more; ///< steps of pairs beyond those
} GrRunSummary;

GR_API void gr_run_summary_free(GrRunSummary *summary);

/// What a change of a summary's number is compared with when two runs of a scenario are held side by side.
typedef enum GrSummaryScale {
    GR_SCALE_VALUE,    ///< its own size
    GR_SCALE_DISTANCE, ///< the distance
    GR_SCALE_WORK,     ///< the work of the motors or what the soil takes, whichever is larger
    GR_SCALE_ONE,      ///< nothing: the change as it is, in radians and parts of 1
} GrSummaryScale;

/// How a number of the wheels becomes one of the rover.
typedef enum GrSummaryOf { GR_OF_MEAN, GR_OF_LARGEST, GR_OF_SUM } GrSummaryOf;

/// The one list of a summary's numbers, from which summary.json and checks of convergence are made: member, name in
/// files, unit there, factor to it, text, scale, whether it is that of one event (a largest value).
#define GR_SUMMARY_NUMBER_LIST(X)                                                                                      \
    X(distance, distance_m, "m", 1, "distance", VALUE, false)                                                          \
    X(progress, progress_m, "m", 1, "progress", DISTANCE, false)                                                       \
    X(climb, climb_m, "m", 1, "climb", DISTANCE, false)                                                                \
    X(descent, descent_m, "m", 1, "descent", DISTANCE, false)                                                          \
    X(roll_max, roll_max_deg, "deg", (1 / GR_DEGREE), "largest roll", ONE, true)                                       \
    X(pitch_max, pitch_max_deg, "deg", (1 / GR_DEGREE), "largest pitch", ONE, true)                                    \
    X(cross_track_max, cross_track_max_m, "m", 1, "largest distance from the path", DISTANCE, true)                    \
    X(odometry_error, odometry_error_m, "m", 1, "odometry error", DISTANCE, false)

/// The same of the energies, members of GrRunSummary::energy.
#define GR_SUMMARY_ENERGY_LIST(X)                                                                                      \
    X(electric, electric_J, "motor energy")                                                                            \
    X(braking, braking_J, "absorbed by braking motors")                                                                \
    X(motor, motor_J, "net motor work")                                                                                \
    X(mechanical, mechanical_J, "mechanical energy")                                                                   \
    X(soil, soil_J, "lost in the soil")                                                                                \
    X(wheels, wheels_J, "lost in flexible wheels")                                                                     \
    X(joints, joints_J, "lost in joints")                                                                              \
    X(pull, pull_J, "work on the load")                                                                                \
    X(residual, residual_J, "energy residual")

/// The same of the wheels: member of GrWheelSummary, name in files, unit, text, scale, how the wheels are summed up,
/// whether it is that of one event.
#define GR_WHEEL_NUMBER_LIST(X)                                                                                        \
    X(slip_mean, slip_mean, "", "mean slip", ONE, MEAN, false)                                                         \
    X(slip_max, slip_max, "", "largest slip", ONE, LARGEST, true)                                                      \
    X(sinkage_mean, sinkage_mean_m, "m", "mean sinkage", VALUE, MEAN, false)                                           \
    X(sinkage_max, sinkage_max_m, "m", "largest sinkage", VALUE, LARGEST, true)                                        \
    X(load_mean, load_mean_N, "N", "mean load", VALUE, MEAN, false)                                                    \
    X(load_max, load_max_N, "N", "largest load", VALUE, LARGEST, true)                                                 \
    X(torque_mean, torque_mean_Nm, "N m", "mean torque", VALUE, MEAN, false)                                           \
    X(torque_max, torque_max_Nm, "N m", "largest torque", VALUE, LARGEST, true)                                        \
    X(energy, energy_J, "J", "work of the drives", WORK, SUM, false)                                                   \
    X(chatter, chatter_per_s, "1/s", "changes of the contact state", VALUE, MEAN, true)                                \
    X(airborne, airborne, "", "part of the time in the air", ONE, MEAN, false)

#ifdef __cplusplus
}
#endif
#endif
