/// GrMission: a rover that drives where it is told until something ends the run.
///
///     gr_mission_create  ->  gr_mission_place (settled, or above the ground)  ->  gr_mission_step ... until it returns
///     an outcome  ->  gr_mission_summary
///
/// One step is: control (when it is due) -> choice of the step -> gr_step_by() -> account of energy -> check of the
/// outcomes. It allocates nothing and reads no file, but for the tiles of a terrain that is larger than memory.
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
///     GrModel *m = gr_model_create(&rover, &options, &log);
///     const GrWayPoint goal = {.x = 1, .time = NAN};
///     GrMissionDef def = gr_default_mission_def();
///     def.control.source = GR_CONTROL_PATH;
///     def.control.path = &goal;
///     def.control.path_count = 1;
///     GrMission *mission = m != NULL ? gr_mission_create(m, NULL, &def, &log) : NULL;
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
#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A flexible wheel that is deflected by more than this part of its radius is warned about: a hub, a flange or the rim
/// itself would touch long before, and the linear spring knows of none.
#define GR_DEFLECTION_LIMIT 0.5

/// How the length of a step is chosen: constant, name in files, text.
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

/// A joint with a servo that is moved by the clock: from `time` on its target goes straight to `position`, within
/// `duration`. Before the first move it stays where the rover's file puts it.
typedef struct GrJointMove {
    char joint[GR_NAME_SIZE]; ///< name in the model
    double time;              ///< [s] ≥ 0
    double position;          ///< [rad or m], within the joint's end stops
    double duration;          ///< [s] ≥ 0; 0: at once
} GrJointMove;

/// Start from gr_default_mission_def().
typedef struct GrMissionDef {
    double duration; ///< [s] > 0; default 60
    GrControlDef control;
    double control_period; ///< time between two cycles of control, over which commands are ramped [s] >= 0; default
                           ///< 0.1; 0: every step

    GrPace pace;               ///< default hub
    double step;               ///< fixed: the length [s]; default 0.005
    double step_min, step_max; ///< bounds of the others [s]; default 0.0001, 0.025
    double step_hard;          ///< hub, error: largest step while something hard touches the rover [s]; default 0.005
    double step_push;          ///< hub, error: largest step while a loose rock is pushed [s]; default 0.002
    double hub_travel;         ///< hub: the bound [m]; default 0.0025
    double landing_travel; ///< hub, error: of a wheel along the normal of the ground in a step, while the rover falls
                           ///< or lands [m]; three fifths of it while it rocks to rest; default 0.00005
    double contact_part;   ///< hub, error: of its contact with the soil, by which a wheel may roll in a step, which
                           ///< needs at most ten smallest steps; default 0.25
    double tolerance;      ///< error: of a hub's position after a step [m]; default 1e-5

    double tip_angle;   ///< between the chassis' z axis and the vertical [rad]; default 60 deg
    double stuck_time;  ///< time over which progress is looked at [s]; default 30; INFINITY: never stuck
    double stuck_share; ///< progress over the distance that the wheels rolled, below which the rover is stuck; default
                        ///< 0.02
    double overload;    ///< load of a wheel [N]; default INFINITY
    double belly_share; ///< weight that the chassis may rest on the ground; default 0.2; INFINITY: does not matter
    double belly_time;  ///< over which that share is a mean, an impact counting as no more than the weight [s] >= 0;
                        ///< default 2
    double pull; ///< a load behind the rover holds it back, at the chassis' origin, level, against its heading [N];
                 ///< default 0
    const GrJointMove *moves; ///< in the order of time; must outlive the mission. They win over control. Default none
    int move_count;
    bool stop_at_goal; ///< end when the last way-point is reached; default true
} GrMissionDef;

GR_API GrMissionDef gr_default_mission_def(void);

/// Checks the definition; every problem goes to `log` with its field.
GR_API GrStatus gr_mission_check(const GrMissionDef *def, GrErrorLog *log);

/// Where a mission starts.
typedef struct GrStart {
    double x, y;             ///< of the chassis' origin [m]
    double heading;          ///< [rad], 0: east, to the left
    double height;           ///< of the lowest wheel over the ground [m]; 0: settled on the soil
    GrVec3 velocity;         ///< when it is dropped [m/s]
    GrVec3 angular_velocity; ///< when it is dropped [rad/s]
    double roll, pitch;      ///< when it is dropped [rad]
} GrStart;

typedef struct GrMission GrMission;

/// The model and the terrain must outlive the mission; the definition is copied (but for its script, path and moves).
/// `terrain` is the one under the model, or NULL; its tiles are brought in as the rover drives.
GR_API GrMission *gr_mission_create(const GrModel *m, GrTerrain *terrain, const GrMissionDef *def, GrErrorLog *log);
GR_API void gr_mission_free(GrMission *mission);

GR_API GrData *gr_mission_data(GrMission *mission);
GR_API const GrModel *gr_mission_model(const GrMission *mission);
GR_API GrControlState *gr_mission_control(GrMission *mission);

/// Rocks that can move; GrSample has room for them.
GR_API int gr_mission_rock_count(const GrMission *mission);

/// Puts the rover on the ground, at rest in equilibrium, or lets it go above the ground. Resets everything else.
GR_API GrStatus gr_mission_place(GrMission *mission, const GrStart *start, GrErrorLog *log);

/// Ruts that are there when the rover is placed, after that too: another rover's, an earlier day's. NULL: none. A copy
/// is kept. They must have the cells of the model's ruts; where both say where they lie on their planet they are moved
/// there, by whole cells. What they say of compacted soil counts where the model's ruts know of it.
GR_API GrStatus gr_mission_set_ruts(GrMission *mission, const GrRuts *ruts, GrErrorLog *log);

/// One step, no longer than to `until` [s]. Returns the outcome; GR_OUTCOME_RUNNING: go on. A mission that has ended
/// stays as it is.
GR_API GrOutcome gr_mission_step(GrMission *mission, double until);

/// Goes on to that time, or to an outcome.
GR_API GrOutcome gr_mission_advance(GrMission *mission, double until);

/// The present instant; `sample` must come from gr_sample_init() for this model.
GR_API void gr_mission_sample(GrMission *mission, GrSample *sample);

/// What has happened so far. Allocates `wheels`; free with gr_run_summary_free().
GR_API GrStatus gr_mission_summary(const GrMission *mission, GrRunSummary *out, GrErrorLog *log);

/// The whole state as bytes, ruts included: a restored mission continues with the same bits. The size is that of now.
GR_API size_t gr_mission_size(const GrMission *mission);
GR_API GrStatus gr_mission_save(const GrMission *mission, void *out);
GR_API GrStatus gr_mission_restore(GrMission *mission, const void *saved, size_t size, GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
