/// Driving a rover: drive modes, steering geometry, scripts, path following, odometry.
///
/// The controller maps an observation to commands and does not depend on the simulation. GrControl has the constant
/// data. GrControlState has the changing data; it is a flat struct that can be copied and saved as bytes. drive.h
/// connects both to simulation data. docs/control.md has the equations.
///
/// Plane of driving, chassis axes, seen from above (x forward, y left, angles counter-clockwise):
///
///                x
///                ^        P = instantaneous centre of rotation, left of the rover: curvature > 0
///        [w]-----|-----[w]
///                |
///     y <---- centre         body speed: speed of `centre`, at angle `crab` from x
///                |
///        [w]-----|-----[w]
///
/// Example: steering angle and speed of a wheel on a circle of 5 m.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("curiosity_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrModel *m = NULL;
///     gr_model_create(&rover, NULL, &m, &log);
///     GrDriveGeometry geometry;
///     if (m != NULL && gr_drive_geometry(m, &geometry, &log) == GR_OK) {
///         const GrDriveCommand command = {.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.05, .curvature = 1 / 5.0};
///         GrDrivePlan plan;
///         gr_drive_plan(&geometry, &command, &plan);
///         printf("%s: %.1f deg, %.4f m/s\n", gr_model_wheel_name(m, 0), plan.steer[0] / GR_DEGREE, plan.speed[0]);
///         printf("yaw rate %.3f rad/s\n", plan.yaw_rate); // prints: yaw rate 0.010 rad/s
///     }
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_CONTROL_H
#define GROUSER_CONTROL_H

#include "grouser/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { GR_DRIVE_WHEELS_MAX = 16 };

/// All drive modes: constant, name, text.
#define GR_DRIVE_MODE_LIST(X)                                                                                          \
    X(STOP, stop, "wheels held, steering unchanged")                                                                   \
    X(PARK, park, "wheels held and steered as for a point turn, so that the rover cannot roll")                        \
    X(ACKERMANN, ackermann, "front wheels steer, the others point straight ahead")                                     \
    X(DOUBLE_ACKERMANN, double_ackermann, "every wheel that steers aims at one centre of rotation")                    \
    X(CRAB, crab, "all wheels steer to one angle; the rover does not turn")                                            \
    X(POINT_TURN, point_turn, "turns on the spot")                                                                     \
    X(SKID, skid, "no steering: left and right wheels at different speeds")                                            \
    X(WHEEL_WALK, wheel_walk, "legs move the wheels forward one after another")                                        \
    X(FIXED, fixed, "all wheels roll at one speed, steered to given angles")

typedef enum GrDriveMode {
#define GR_DRIVE_MODE_ENUM(constant, name, text) GR_DRIVE_##constant,
    GR_DRIVE_MODE_LIST(GR_DRIVE_MODE_ENUM)
#undef GR_DRIVE_MODE_ENUM
        GR_DRIVE_MODE_COUNT
} GrDriveMode;

GR_API const char *gr_drive_mode_name(GrDriveMode mode);
GR_API const char *gr_drive_mode_text(GrDriveMode mode);
/// Drive mode by name; GR_DRIVE_MODE_COUNT if there is none.
GR_API GrDriveMode gr_drive_mode_named(const char *name);

/// One wheel from the controller's point of view. Steering and walking angles are about chassis z and y, and are 0
/// where the joint position is 0.
typedef struct GrDriveWheel {
    int drive;                   ///< joint, −1: rolls freely
    int steer;                   ///< joint, −1: does not steer
    int walk;                    ///< joint, −1: no walking leg
    bool steer_servo;            ///< the steering motor is commanded by angle, otherwise by speed
    bool walk_servo;             ///< the same for the walking motor
    double drive_sign;           ///< +1: positive joint speed rolls forward, −1: backward
    double steer_sign;           ///< +1: positive joint angle turns left, −1: right
    double walk_sign;            ///< +1: positive joint angle turns about +y, −1: about −y
    GrVec3 contact;              ///< lowest point of the rim at the initial pose, chassis frame [m]
    double radius;               ///< rolling radius: rim plus grousers [m]
    double pivot_x, pivot_y;     ///< steering axis at the height of the contact [m]; the contact if it does not steer
    double lead, side;           ///< contact ahead and left of the pivot, wheel axes; constant while steering [m]
    double heading;              ///< rolling direction at steering angle 0, from chassis x [rad]
    double steer_min, steer_max; ///< range of the steering angle [rad]
    double leg_x, leg_z;         ///< wheel centre relative to the walking axis at the initial pose [m]
    double walk_initial;         ///< joint position at the initial pose [rad]
    double stride_max;           ///< largest travel of the wheel along x, symmetric about the initial pose [m]
} GrDriveWheel;

typedef struct GrDriveGeometry {
    int wheel_count;
    GrDriveWheel wheels[GR_DRIVE_WHEELS_MAX];
    int steer_count;                     ///< wheels that steer
    int walk_count;                      ///< wheels that walk
    int walk_order[GR_DRIVE_WHEELS_MAX]; ///< order of the gait: from the rear, left before right
    double middle_x, middle_y;           ///< mean of all contacts [m]
    double length;                       ///< from the rearmost to the foremost contact [m]
    double reach;                        ///< largest distance of a contact from the middle [m]
} GrDriveGeometry;

/// Derives the geometry from the model at its initial pose. Fails if a wheel's drive or steering cannot be commanded,
/// with the reasons in `log`.
GR_API GrStatus gr_drive_geometry(const GrModel *model, GrDriveGeometry *out, GrErrorLog *log);

/// Whether the rover has the joints that a mode needs.
GR_API bool gr_drive_supports(const GrDriveGeometry *geometry, GrDriveMode mode);
/// double_ackermann if any wheel behind the front ones steers, ackermann if only the front wheels steer, otherwise
/// skid.
GR_API GrDriveMode gr_drive_best_mode(const GrDriveGeometry *geometry);

/// Motion command for the rover. The yaw rate is speed * curvature + yaw_rate: set one of the two.
typedef struct GrDriveCommand {
    GrDriveMode mode;
    double speed;     ///< speed of the centre [m/s]; negative: backwards
    double curvature; ///< 1 / radius of the turn [1/m]; positive: left
    double yaw_rate;  ///< [rad/s]; point_turn uses only this
    double crab;      ///< direction of travel relative to chassis x [rad]; crab and double_ackermann only
    double steer[GR_DRIVE_WHEELS_MAX]; ///< steering angles about chassis z [rad]; fixed only
} GrDriveCommand;

/// Deviations from the command. GrControlState.flag_count counts them.
#define GR_DRIVE_FLAG_LIST(X)                                                                                          \
    X(STEER_LIMIT, "a steering limit changed the turn")                                                                \
    X(CRAB_LIMIT, "a steering limit changed the crab angle")                                                           \
    X(CRAB_IGNORED, "the mode or the rover cannot crab")                                                               \
    X(TURN_IGNORED, "the mode does not turn")                                                                          \
    X(UNSUPPORTED, "the rover lacks the joints of the mode: it stops")                                                 \
    X(SINGULAR, "the centre of rotation lies on a steering axis: that wheel cannot aim at it")                         \
    X(STEERING, "wheels wait until they are steered")                                                                  \
    X(SLIP_BOUND, "slip exceeds the limit of its compensation")                                                        \
    X(SLIDE_BOUND, "side slip exceeds the limit of its compensation")                                                  \
    X(LATE, "an arrival time cannot be met at the maximum speed")                                                      \
    X(WALK_ALIGN, "legs move to the start of the gait, or back")

enum {
#define GR_DRIVE_FLAG_BIT(name, text) GR_DRIVE_BIT_##name,
    GR_DRIVE_FLAG_LIST(GR_DRIVE_FLAG_BIT)
#undef GR_DRIVE_FLAG_BIT
        GR_DRIVE_FLAG_COUNT
};
enum {
#define GR_DRIVE_FLAG_ENUM(name, text) GR_DRIVE_FLAG_##name = 1 << GR_DRIVE_BIT_##name,
    GR_DRIVE_FLAG_LIST(GR_DRIVE_FLAG_ENUM)
#undef GR_DRIVE_FLAG_ENUM
};
GR_API const char *gr_drive_flag_text(int bit);

/// A command converted to steering angles and speeds of the wheels.
typedef struct GrDrivePlan {
    double steer[GR_DRIVE_WHEELS_MAX]; ///< steering angle [rad], about chassis z
    double speed[GR_DRIVE_WHEELS_MAX]; ///< rolling speed of the contact [m/s] = angular speed · radius
    bool holds_steering;               ///< keep the present steering angles (mode stop); `steer` is not used
    double centre_x, centre_y;         ///< point whose speed is commanded, chassis frame [m]
    double v_x, v_y, yaw_rate;         ///< twist of the chassis origin that the plan produces without slip [m/s, rad/s]
    double curvature;                  ///< achieved [1/m]; infinite for a turn on the spot
    double crab;                       ///< achieved [rad]
    double scrub;                      ///< largest sideways speed that the geometry forces on a wheel [m/s]
    unsigned flags;                    ///< GR_DRIVE_FLAG_...
} GrDrivePlan;

GR_API void gr_drive_plan(const GrDriveGeometry *geometry, const GrDriveCommand *command, GrDrivePlan *out);

/// A way-point.
typedef struct GrWayPoint {
    double x, y; ///< world [m]
    double time; ///< arrival time [s]; NAN: any
} GrWayPoint;

/// A command that applies from `time` on. Before the first entry the rover stops.
typedef struct GrScriptEntry {
    double time; ///< [s]
    GrDriveCommand command;
} GrScriptEntry;

typedef enum GrControlSource {
    GR_CONTROL_MANUAL, ///< GrControlState.manual, set from outside; by default the rover stands
    GR_CONTROL_SCRIPT,
    GR_CONTROL_PATH,
} GrControlSource;

typedef enum GrFollower { GR_FOLLOW_PURE_PURSUIT, GR_FOLLOW_P, GR_FOLLOW_PID } GrFollower;

/// Source of the position that a path follower uses.
typedef enum GrLocalisation { GR_LOCALISE_TRUTH, GR_LOCALISE_ODOMETRY } GrLocalisation;

/// Control parameters. Start from gr_default_control_def(). A length of 0 is derived from the size of the rover.
typedef struct GrControlDef {
    GrControlSource source;      ///< default manual
    const GrScriptEntry *script; ///< sorted by time; must outlive the GrControl
    int script_count;
    /// Commands of a driver, which take precedence over path and script from their time on, while the path waits. An
    /// entry of mode GR_DRIVE_MODE_COUNT gives the rover back to path or script. Sorted by time; must outlive the
    /// GrControl.
    const GrScriptEntry *manual;
    int manual_count;
    const GrWayPoint *path; ///< way-points after the start; must outlive the GrControl
    int path_count;

    GrFollower follower;         ///< default pure pursuit
    GrLocalisation localisation; ///< default truth
    GrDriveMode mode;            ///< mode for path following; default GR_DRIVE_MODE_COUNT: gr_drive_best_mode()
    double cruise_speed;         ///< [m/s] > 0; default 0.05
    double speed_max;            ///< speed limit for arrival times and slip compensation [m/s]; 0: 4 cruise_speed
    double look_ahead;           ///< look-ahead distance along the path [m]; 0: the rover's length, at least 0.3
    double heading_gain;         ///< gain of the P follower [-] > 0; default 2
    double pid[3]; ///< PID follower: gains on the cross-track distance, scaled by the look-ahead L: P/L², I/L³ on its
                   ///< integral over the distance driven, D/L on its derivative [-] ≥ 0; default 2, 0.3, 2
    double tolerance;  ///< distance within which a way-point counts as reached [m]; 0: a quarter of the look-ahead
    double turn_angle; ///< course error above which the rover turns on the spot [rad]; default 60 deg
    double turn_done;  ///< course error below which it drives on [rad]; default 5 deg

    bool compensate_slip;   ///< divides the wheel speed by (1 − slip) and steers against side slip; default false
    double slip_factor_max; ///< largest factor on the wheel speed [-] ≥ 1; default 3
    double slide_max;       ///< largest side-slip angle that is compensated [rad]; default 30 deg
    double slip_time;       ///< filter time constant of the measured slip [s] > 0; default 5

    double steer_rate;      ///< rate limit of steering targets [rad/s] > 0; default 0.3
    double steer_gain;      ///< gain from angle error to speed, for steering motors commanded by speed [1/s]; default 5
    double steer_tolerance; ///< steering error up to which wheels keep their full speed [rad]; default 5 deg
    double steer_hold;      ///< steering error from which wheels stop [rad]; default 20 deg; infinite: never
    double wheel_acceleration; ///< limit on the change of the rolling speed [m/s²] > 0; default 0.1
    double skid_factor; ///< effective track width / real one for skid steering: compensates scrubbing [-]; default 1
    double stride;      ///< travel of a wheel per step of the gait [m]; 0: 0.6 of the leg length, within its limits

    bool use_gyro;         ///< odometry takes the yaw rate from a gyro; default false
    double lateral_weight; ///< weight of the no-side-slip equations relative to the rolling ones in odometry [-] > 0;
                           ///< default 1e-4
} GrControlDef;

GR_API GrControlDef gr_default_control_def(void);

/// A validated definition with the rover's geometry. Constant plain data.
typedef struct GrControl {
    GrControlDef def; ///< with derived values in place of 0
    GrDriveGeometry geometry;
    double centre_x, centre_y; ///< point that follows the path, chassis frame [m]
    int timed_count;           ///< number of way-points up to the last one with an arrival time
} GrControl;

GR_API GrStatus gr_control_prepare(const GrDriveGeometry *geometry, const GrControlDef *def, GrControl *out,
                                   GrErrorLog *log);

/// Measurements of the joints of a wheel, in joint coordinates; 0 if there is no joint.
typedef struct GrWheelJoints {
    double drive_velocity;                 ///< [rad/s]
    double steer_position, steer_velocity; ///< [rad, rad/s]
    double walk_position, walk_velocity;   ///< [rad, rad/s]
    double steer_held, walk_held;          ///< position commands of their servos [rad]; 0: no servo
} GrWheelJoints;

/// Input of the controller.
typedef struct GrControlObservation {
    double time;          ///< [s]
    double x, y, heading; ///< true position of the chassis' origin [m] and heading [rad], world
    double v_x, v_y;      ///< true velocity of the chassis' origin along and left of the heading, horizontal [m/s]
    double yaw_rate;      ///< about world z (gyro) [rad/s]
    GrWheelJoints wheels[GR_DRIVE_WHEELS_MAX];
} GrControlObservation;

/// Pose and velocity estimated from wheels and steering (and a gyro). Starts at the true pose.
typedef struct GrOdometry {
    double x, y, heading;      ///< world [m, rad]
    double v_x, v_y, yaw_rate; ///< chassis axes, at its origin [m/s, rad/s]
} GrOdometry;

/// All state of the controller. Zero-initialise it. It may be saved as bytes.
typedef struct GrControlState {
    bool started;
    double time;                       ///< of the last update [s]
    GrDriveCommand manual;             ///< for GR_CONTROL_MANUAL, and for other sources while `by_hand`
    bool by_hand;                      ///< `manual` takes precedence over path and script; may be set from outside
    int manual_entry;                  ///< entries of GrControlDef::manual that have begun
    double steer[GR_DRIVE_WHEELS_MAX]; ///< rate-limited steering targets [rad]
    double speed[GR_DRIVE_WHEELS_MAX]; ///< rate-limited rolling speeds [m/s]
    double walk[GR_DRIVE_WHEELS_MAX];  ///< travel of the wheels from the initial pose [m]
    double walk_phase;                 ///< of the gait, 0 … 1
    bool walking;                      ///< the gait is running
    GrOdometry odometry;
    double steered; ///< fraction of the speed that the steering allowed in the last update, 0 … 1
    double slip;    ///< measured: 1 − speed over ground / rolling speed, filtered
    double slide;   ///< measured: direction of travel minus where the wheels roll [rad], filtered
    int script_entry;
    double start_x, start_y;                  ///< start of the path [m]
    int way_point;                            ///< next way-point; path_count: none left
    int missed;                               ///< way-points passed outside the tolerance
    double miss_max;                          ///< largest distance at which a way-point was passed [m]
    double reached_time;                      ///< of the last way-point reached or passed [s]
    double cross_track;                       ///< distance left of the path [m]
    double cross_integral;                    ///< PID follower: ∫ cross_track over the distance on this leg [m²]
    int cross_leg;                            ///< leg to which cross_integral belongs
    double course_error;                      ///< heading error relative to the look-ahead point [rad]
    bool turning;                             ///< turning on the spot before driving on
    bool finished;                            ///< the end of the path is reached
    unsigned flags;                           ///< of the last update
    unsigned flag_count[GR_DRIVE_FLAG_COUNT]; ///< number of updates with each flag
} GrControlState;

/// Commands for joints, as for gr_data_set_command().
typedef struct GrControlOutput {
    int count;
    int joint[3 * GR_DRIVE_WHEELS_MAX];
    double command[3 * GR_DRIVE_WHEELS_MAX];
    GrDriveCommand request; ///< command of the script or the follower
    GrDrivePlan plan;       ///< resulting steering angles and speeds
} GrControlOutput;

/// One control cycle. On the first call, odometry and path start at the rover's position.
GR_API void gr_control_update(const GrControl *control, GrControlState *state, const GrControlObservation *observation,
                              GrControlOutput *out);

#ifdef __cplusplus
}
#endif
#endif
