/// GrMission: a rover that drives a path or a script until an outcome ends the run.
///
///     gr_mission_create  ->  gr_mission_place (settled, or above the ground)  ->  gr_mission_step ... until it returns
///     an outcome  ->  gr_mission_summary
///
/// One step is: control (when due) -> choice of the step length -> gr_step_by() -> energy balance -> check of the
/// outcomes. It neither allocates nor reads files, except for tiles of a terrain that is larger than memory.
///
/// Example: drive to a way-point 1 m ahead.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrSoilDef soil = gr_default_soil_def();
///     soil.damping = 200; // [N s/m] damps the wheels' vertical motion
///     GrOptions options = gr_default_options();
///     options.gravity.z = -1.62;
///     options.surface.soil = &soil;
///     GrModel *m = NULL;
///     gr_model_create(&rover, &options, &m, &log);
///     const GrWayPoint goal = {.x = 1, .time = NAN};
///     GrMissionDef def = gr_default_mission_def();
///     def.control.source = GR_CONTROL_PATH;
///     def.control.path = &goal;
///     def.control.path_count = 1;
///     GrMission *mission = NULL;
///     if (m != NULL) {
///         gr_mission_create(m, NULL, &def, &mission, &log);
///     }
///     const GrStart start = {.heading = 0};
///     if (mission == NULL || gr_mission_place(mission, &start, &log) != GR_OK) {
///         return 1;
///     }
///     printf("%s\n", gr_outcome_name(gr_mission_advance(mission, def.duration))); // prints: reached_goal
///     gr_mission_free(mission);
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_MISSION_H
#define GROUSER_MISSION_H

#include "grouser/drive.h"
#include "grouser/sample.h"
#include "grouser/supply.h"
#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A flexible wheel that deflects by more than this fraction of its radius is a warning: in reality the hub or a flange
/// would touch the rim earlier, and the linear spring does not model that.
#define GR_DEFLECTION_LIMIT 0.5

/// Methods to choose the step length: constant, name in files, text.
#define GR_PACE_LIST(X)                                                                                                \
    X(FIXED, fixed, "every step has the same length")                                                                  \
    X(HUB, hub, "no wheel hub moves further in a step than a bound")                                                   \
    X(ERROR, error, "the estimated error of a step stays below a tolerance; steps that miss it are repeated")

typedef enum GrPace {
#define GR_PACE_ENUM(constant, name, text) GR_PACE_##constant,
    GR_PACE_LIST(GR_PACE_ENUM)
#undef GR_PACE_ENUM
        GR_PACE_COUNT
} GrPace;

GR_API const char *gr_pace_name(GrPace pace);

/// A timed move of a joint with a servo: from `time` on its target moves linearly to `position` within `duration`.
/// Before the first move the joint keeps the position of the rover's file.
typedef struct GrJointMove {
    char joint[GR_NAME_SIZE]; ///< name in the model
    double time;              ///< [s] ≥ 0
    double position;          ///< [rad or m], within the joint's end stops
    double duration;          ///< [s] ≥ 0; 0: immediately
} GrJointMove;

/// Start from gr_default_mission_def().
typedef struct GrMissionDef {
    unsigned cookie; ///< set by gr_default_mission_def(): finds definitions that were not initialised
    double duration; ///< [s] > 0; default 60
    GrControlDef control;
    double control_period; ///< time between two control cycles, over which commands are ramped [s] ≥ 0; default 0.1; 0:
                           ///< every step

    GrPace pace;               ///< default hub
    double step;               ///< fixed: step length [s]; default 0.005
    double step_min, step_max; ///< hub, error: bounds of the step length [s]; default 0.0001, 0.025
    double step_hard;          ///< hub, error: largest step while a rigid contact acts on the rover [s]; default 0.005
    double step_push;          ///< hub, error: largest step while a loose rock is pushed [s]; default 0.002
    double hub_travel;         ///< hub: largest travel of a hub per step [m]; default 0.0025
    double landing_travel; ///< hub, error: largest travel of a wheel along the ground's normal per step while the rover
                           ///< falls or lands [m]; 3/5 of it while the rover settles to rest; default 0.00005
    double contact_part;   ///< hub, error: fraction of its contact length with the soil that a wheel may roll per step,
                           ///< but the step is never below ten times step_min for this; default 0.25
    double tolerance;      ///< error: allowed error of a hub's position per step [m]; default 1e-5

    double tip_angle;   ///< tipped beyond this angle between chassis z and the vertical [rad]; default 60 deg
    double stuck_time;  ///< time window in which progress is checked [s]; default 30; INFINITY: never stuck
    double stuck_share; ///< progress / rolled distance of the wheels below which the rover is stuck, likewise rolled /
                        ///< commanded distance; default 0.02
    double overload;    ///< largest allowed wheel load [N]; default INFINITY
    double belly_share; ///< fraction of the weight that the chassis may rest on the ground; default 0.2; INFINITY: no
                        ///< limit
    double belly_time; ///< averaging time of that fraction [s] ≥ 0; an impact counts as at most the weight; default 2
    double pull;       ///< horizontal towed load against the heading, applied at the chassis origin [N]; default 0
    const GrJointMove *moves; ///< sorted by time; must outlive the mission. They override control. Default none
    int move_count;
    GrSunDef sun; ///< default: none. With it the light on the rover is known
    GrSupplyDef supply;
    bool stop_at_goal; ///< end when the last way-point is reached; default true
    bool uncontrolled; ///< no control: all motor commands come from the caller, by gr_data_set_command(), also those
                       ///< of motors that take a torque; default false
} GrMissionDef;

GR_API GrMissionDef gr_default_mission_def(void);

/// Checks the definition. All problems go to `log`, each with its field.
GR_API GrStatus gr_mission_check(const GrMissionDef *def, GrErrorLog *log);

/// Where a mission starts.
typedef struct GrStart {
    double x, y;              ///< of the chassis' origin [m]
    double heading;           ///< from east (x), positive to the left [rad]
    double height;            ///< height of the lowest wheel above the ground [m]; 0: settled on the soil
    GrVec3 velocity;          ///< only if dropped (height > 0) [m/s]
    GrVec3 angular_velocity;  ///< only if dropped [rad/s]
    double roll, pitch;       ///< only if dropped [rad]
    GrVec3 deck, deck_normal; ///< a point and the upward normal of a plane on which it starts in place of the ground,
                              ///< such as a lander's deck; a normal of zero (default): none
} GrStart;

typedef struct GrMission GrMission;

/// Model and terrain must outlive the mission. The definition is copied, except for its script, path and moves.
/// `terrain` is the terrain of the model, or NULL. Its tiles are loaded as the rover drives.
GR_API GrStatus gr_mission_create(const GrModel *m, GrTerrain *terrain, const GrMissionDef *def, GrMission **out,
                                  GrErrorLog *log);
GR_API void gr_mission_free(GrMission *mission);

GR_API GrData *gr_mission_data(GrMission *mission);
GR_API const GrModel *gr_mission_model(const GrMission *mission);
GR_API GrControlState *gr_mission_control(GrMission *mission);

/// Whether the mission has a Sun or a battery, so that GrSample::supply has a meaning.
GR_API bool gr_mission_is_supplied(const GrMission *mission);

/// Number of movable rocks, for gr_sample_init().
GR_API int gr_mission_rock_count(const GrMission *mission);

/// Places the rover in equilibrium on the ground, or above the ground to fall. Resets all other state.
GR_API GrStatus gr_mission_place(GrMission *mission, const GrStart *start, GrErrorLog *log);

/// Sets the initial ruts for the following calls of gr_mission_place(), e.g. those of another rover or an earlier run.
/// NULL: none. They are copied. Their cell size must be that of the model's ruts. If both are georeferenced, they are
/// shifted to match, by whole cells. Their soil states are copied if the model's ruts have the same number of states.
GR_API GrStatus gr_mission_set_ruts(GrMission *mission, const GrRuts *ruts, GrErrorLog *log);

/// Advances by one step, at most to the time `until` [s]. Returns the outcome; GR_OUTCOME_RUNNING: the run continues. A
/// mission that has ended does not change.
GR_API GrOutcome gr_mission_step(GrMission *mission, double until);

/// Steps until that time [s] or an outcome.
GR_API GrOutcome gr_mission_advance(GrMission *mission, double until);

/// Fills a sample with the present state; `sample` must come from gr_sample_init() for this model.
GR_API void gr_mission_sample(GrMission *mission, GrSample *sample);

/// Summary of the run so far. Free with gr_run_summary_free().
GR_API GrStatus gr_mission_summary(const GrMission *mission, GrRunSummary *out, GrErrorLog *log);

/// Saves and restores the complete state, including ruts: a restored mission continues bit for bit. The size changes as
/// ruts grow.
GR_API size_t gr_mission_size(const GrMission *mission);
GR_API GrStatus gr_mission_save(const GrMission *mission, void *out);
GR_API GrStatus gr_mission_restore(GrMission *mission, const void *saved, size_t size, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
