/// GrSample: the recorded quantities of one instant of a run. GrRunSummary: the results of a whole run, with its
/// outcome.
///
/// Units are SI, angles are in radians, and axes are world axes unless a field says otherwise.
///
/// Example:
///
///     #include <grouser/scenario.h>
///     GrErrorLog log = {0};
///     GrScenario *scenario = NULL;
///     GrWorld *world = NULL;
///     if (gr_scenario_load("crossing", NULL, &scenario, &log) != GR_OK ||
///         gr_world_create(scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrSample sample;
///     GrMission *mission = gr_world_mission(world);
///     if (!gr_sample_init(gr_world_model(world), gr_mission_rock_count(mission), &sample)) {
///         return 1;
///     }
///     gr_mission_advance(mission, 1);
///     gr_mission_sample(mission, &sample);
///     printf("at %g s the first wheel has slip %.3f\n", sample.time, sample.wheels[0].slip); // prints: at 1 s
///     gr_sample_free(&sample);
///     gr_world_free(world);
///     gr_scenario_free(scenario);
#ifndef GROUSER_SAMPLE_H
#define GROUSER_SAMPLE_H

#include "grouser/control.h"
#include "grouser/localise.h"
#include "grouser/sim.h"
#include "grouser/supply.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Room for quantities without a member of their own, for which `grouser list channels` has the names.
enum { GR_MORE_CHANNELS = 8 };

/// One wheel on the ground.
typedef struct GrWheelSample {
    double slip;       ///< −1 … 1, positive when it spins; 0 at rest and in the air
    double slip_angle; ///< [rad]
    double sinkage;    ///< depth of its rut: of the rim's lowest point below the undisturbed ground [m]; 0 in the air
    GrVec3 force;      ///< force of the ground on the wheel: longitudinal, lateral, normal to the ground [N]
    double load;       ///< vertical component of that force, soil and rocks together [N]
    double torque;     ///< torque of the drive motor, positive when it drives forward [N m]
    double speed;      ///< speed of the wheel relative to its axle, positive when it rolls forward [rad/s]
    double power;      ///< mechanical power of the drive motor [W]
    int state;         ///< contact state, see gr_wheel_state_text()
    int stone;         ///< contact state with rocks and parts alone: "rock: no collision" if it touches none
    int soil;          ///< index of the soil under it; −1: none
    double soil_rest;  ///< share of other soils across a border, 0 … 0.75; 0: it is in one soil
    GrVec3 centre;     ///< [m]
    double deflection; ///< radial, of a flexible wheel on soil or rock [m]; not included in the sinkage; 0 of a rigid
                       ///< wheel
    double more[GR_MORE_CHANNELS];
} GrWheelSample;

/// One movable joint.
typedef struct GrJointSample {
    double angle;                   ///< [rad] or [m]
    double rate;                    ///< [rad/s] or [m/s]
    double torque;                  ///< of its motor [N m] or [N]
    double force;                   ///< magnitude of the force that it transmits [N]
    double moment;                  ///< magnitude of the moment that it transmits [N m]
    GrVec3 load_force, load_moment; ///< of the parent on the child at the joint's origin, in joint axes: its frame at
                                    ///< position 0, fixed in the parent [N], [N m]
    GrVec3 felt;         ///< specific force as an accelerometer at the joint's origin on the child measures it, joint
                         ///< axes [m/s²]
    double acceleration; ///< [rad/s²] or [m/s²]
    double more[GR_MORE_CHANNELS];
} GrJointSample;

/// Energies since the start of the run [J]. The work of the motors while they drive is the rover's motor energy, the
/// figure in reports: electric = braking + mechanical + soil + wheels + joints + pull + residual.
typedef struct GrEnergySample {
    double motor; ///< net work of the motors: electric − braking
    double
        electric;   ///< motor energy: work of the motors while they drive, as drawn from a battery without recuperation
    double braking; ///< work that the motors absorbed while they braked, as heat
    double mechanical; ///< kinetic, potential and spring energy (joints, flexible wheels) minus that at the start
    double soil;       ///< lost in the soil and in contacts
    double wheels;     ///< lost in the dampers of flexible wheels
    double joints;     ///< lost in dampers, friction and end stops of joints
    double pull;       ///< work on the towed load
    double residual;   ///< integration error: motor − mechanical − soil − wheels − joints − pull
} GrEnergySample;

typedef struct GrSample {
    double time;                 ///< [s]
    double distance;             ///< distance driven by the chassis over the ground [m]
    GrPose pose;                 ///< of the chassis
    GrVec3 velocity;             ///< of the chassis' origin [m/s]
    GrVec3 angular_velocity;     ///< [rad/s]
    GrVec3 acceleration;         ///< specific force as an IMU at the chassis origin measures it, chassis axes [m/s²]
    GrVec3 angular_acceleration; ///< of the chassis, chassis axes [rad/s²]
    double roll, pitch,
        heading;            ///< x forward, y left, z up: roll right side down, pitch nose down, heading to the left
    GrOdometry odometry;    ///< estimated pose
    GrDriveCommand command; ///< command in effect
    double cross_track;     ///< distance left of its path [m]
    int way_point;          ///< index of the way-point it drives to, from 0
    GrEnergySample energy;
    GrSupplySample supply;             ///< light and battery; only where the mission has a Sun or a battery
    GrLocalisationSample localisation; ///< only where the rover has a localisation and its sensors measure
    double power;                      ///< mechanical power of all motors [W]
    double belly_force;                ///< force of ground and rocks on everything except wheels [N]
    double self_force; ///< forces between the rover's own bodies: sum of magnitudes over all touching pairs [N]
    double step;       ///< length of the last step [s]
    double more[GR_MORE_CHANNELS];
    GrWheelSample *wheels; ///< [gr_model_wheel_count()], owned
    GrJointSample *joints; ///< [gr_model_joint_count()], owned
    GrPose *bodies;        ///< [gr_model_part_count()], owned: every body of the definition
    GrPose *rocks;         ///< [rock_count], owned: movable rocks
    int rock_count;
} GrSample;

/// Allocates a sample for a model. Returns false when out of memory.
GR_API bool gr_sample_init(const GrModel *m, int rock_count, GrSample *sample);
GR_API void gr_sample_free(GrSample *sample);

/// Text of GrWheelSample::state, as in "soft: slipping, accelerating".
GR_API const char *gr_wheel_state_text(int state);

/// All outcomes of a run: constant, name in files, text.
#define GR_OUTCOME_LIST(X)                                                                                             \
    X(RUNNING, running, "still running")                                                                               \
    X(FINISHED, finished, "the time is up, or the path is complete")                                                   \
    X(GOAL, reached_goal, "the last way-point is reached")                                                             \
    X(STUCK, stuck, "no progress")                                                                                     \
    X(TIPPED, tipped, "the rover has tipped over")                                                                     \
    X(BELLY, belly_out, "the chassis rests on the ground")                                                             \
    X(LEFT_MAP, left_map, "a wheel left the map")                                                                      \
    X(DIVERGED, diverged, "the numbers are no longer finite, or the motion is impossible")                             \
    X(OVERLOAD, wheel_overload, "a wheel load exceeds its limit")                                                      \
    X(FAILED, failed, "the run could not continue: out of memory, a capacity exceeded, or a file unreadable")          \
    X(INTERRUPTED, interrupted, "stopped by the user")                                                                 \
    X(ENERGY, out_of_energy, "the battery is empty, or down to its reserve")

typedef enum GrOutcome {
#define GR_OUTCOME_ENUM(constant, name, text) GR_OUTCOME_##constant,
    GR_OUTCOME_LIST(GR_OUTCOME_ENUM)
#undef GR_OUTCOME_ENUM
        GR_OUTCOME_COUNT
} GrOutcome;

GR_API const char *gr_outcome_name(GrOutcome outcome);
GR_API const char *gr_outcome_text(GrOutcome outcome);

enum { GR_WARNINGS_MAX = 48 };

/// A warning with its count.
typedef struct GrWarning {
    char text[GR_NOTE_SIZE];
    long count;   ///< number of steps with the warning
    double first; ///< time of its first occurrence [s]
} GrWarning;

/// Results of one wheel over the whole run.
typedef struct GrWheelSummary {
    double slip_mean, slip_max;       ///< mean over the distance rolled on soil or rock; largest magnitude over 2 cm of
                                      ///< rolling; both 0 if the wheel rolled less than 2 cm
    double sinkage_mean, sinkage_max; ///< while it is on soil [m]
    double load_mean, load_max;       ///< [N]
    double torque_mean, torque_max;   ///< mean over time, largest magnitude [N m]
    double energy;                    ///< of its drive motor [J]
    double chatter;                   ///< changes of the contact state per second
    double airborne;                  ///< fraction of the time without contact, 0 … 1
    double deflection_mean, deflection_max; ///< while it touches something [m]
    // over all steps, so that states of a single step count; 0 in a summary made from samples alone
    double
        state_time[GR_CONTACT_MODE_COUNT]; ///< time in each contact state [s]; the three kinds of ground side by side
    long state_entries[GR_CONTACT_MODE_COUNT]; ///< how often it began
} GrWheelSummary;

/// All results for a way-point: constant, name in files, text.
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

/// A way-point and its result. Values that do not exist are NAN.
typedef struct GrArrival {
    GrWayPoint point;     ///< as commanded: position, and time or NAN
    GrArrivalState state; ///< judged by the true position, not by the rover's estimate
    double time;          ///< when the rover considered it reached or passed, and drove on [s]
    double off;           ///< smallest true distance from it while the rover drove to it or to the next one [m]
    double distance;      ///< distance driven by `time` [m]
} GrArrival;

enum { GR_SELF_CONTACTS_MAX = 32 };

/// Two bodies of the rover that touched each other in a run.
typedef struct GrSelfContact {
    char a[GR_NAME_SIZE], b[GR_NAME_SIZE]; ///< names of bodies or wheels
    double first;                          ///< when they first touched [s]
    double time;                           ///< total time in contact [s]
    double force_max;                      ///< [N]
} GrSelfContact;

/// Results of a whole run.
typedef struct GrRunSummary {
    GrOutcome outcome;
    double outcome_time;        ///< [s]
    char cause[GR_NOTE_SIZE];   ///< "way-point 3 of 3 reached", "pitch 47.3 deg beyond 45 deg", …
    double time;                ///< simulated [s]
    double wall_time;           ///< wall time of the simulation with recording [s]
    double real_time_factor;    ///< simulated time / wall time
    double distance;            ///< [m]
    double progress;            ///< straight-line distance from start to end [m]
    double climb, descent;      ///< accumulated ascent and descent of the chassis [m]
    double roll_max, pitch_max; ///< largest magnitudes [rad]
    double cross_track_max;     ///< [m]
    double odometry_error;      ///< horizontal error at the end [m]
    GrEnergySample energy;
    GrSupplySummary supply; ///< light and battery
    GrLocalisationSummary localisation;
    double energy_per_metre; ///< motor energy (electric) / distance [J/m]; NAN if the distance is 0
    long steps;
    double step_min, step_max; ///< [s]
    int way_points_reached;    ///< number of `way_points` reached; in a summary made from samples alone: passed
    GrArrival *way_points;     ///< [way_point_count], owned: in the order of the path
    int way_point_count;
    uint64_t state_hash;
    GrWarning *warnings; ///< [warning_count], owned: at most GR_WARNINGS_MAX
    int warning_count;
    GrWheelSummary *wheels; ///< [wheel_count], owned
    int wheel_count;
    GrSelfContact *self_contacts; ///< [self_contact_count], owned: in the order in which they first touched, at most
                                  ///< GR_SELF_CONTACTS_MAX
    int self_contact_count;
    int self_contact_more; ///< contacts, counted per step, of further pairs that are not listed
} GrRunSummary;

GR_API void gr_run_summary_free(GrRunSummary *summary);

/// Scale for the change of a quantity when two runs of a scenario are compared.
typedef enum GrSummaryScale {
    GR_SCALE_VALUE,    ///< its own magnitude
    GR_SCALE_DISTANCE, ///< the distance
    GR_SCALE_WORK,     ///< the work of the motors or the loss in the soil, whichever is larger
    GR_SCALE_ONE,      ///< 1: the absolute change, in radians or as a fraction
} GrSummaryScale;

/// How the values of all wheels combine into one for the rover.
typedef enum GrSummaryOf { GR_OF_MEAN, GR_OF_LARGEST, GR_OF_SUM } GrSummaryOf;

/// All quantities of a summary, used for summary.json and convergence checks: member, name in files, unit in files,
/// conversion factor, text, scale, whether a single event sets it (an extreme value).
#define GR_SUMMARY_NUMBER_LIST(X)                                                                                      \
    X(distance, distance_m, "m", 1, "distance", VALUE, false)                                                          \
    X(progress, progress_m, "m", 1, "progress", DISTANCE, false)                                                       \
    X(climb, climb_m, "m", 1, "climb", DISTANCE, false)                                                                \
    X(descent, descent_m, "m", 1, "descent", DISTANCE, false)                                                          \
    X(roll_max, roll_max_deg, "deg", (1 / GR_DEGREE), "largest roll", ONE, true)                                       \
    X(pitch_max, pitch_max_deg, "deg", (1 / GR_DEGREE), "largest pitch", ONE, true)                                    \
    X(cross_track_max, cross_track_max_m, "m", 1, "largest distance from the path", DISTANCE, true)                    \
    X(odometry_error, odometry_error_m, "m", 1, "odometry error", DISTANCE, false)

/// The same for the energies, members of GrRunSummary::energy: member, name in files, text.
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

/// The same for the wheels: member of GrWheelSummary, name in files, unit, text, scale, how the wheels are combined,
/// whether a single event sets it.
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
    X(airborne, airborne, "", "fraction of the time in the air", ONE, MEAN, false)                                     \
    X(deflection_mean, deflection_mean_m, "m", "mean wheel deflection", VALUE, MEAN, false)                            \
    X(deflection_max, deflection_max_m, "m", "largest wheel deflection", VALUE, LARGEST, true)

#ifdef __cplusplus
}
#endif
#endif
