/// Common parts of the standard tests: a rover on a plane that is stepped, with a log of every step.
#ifndef GR_TRIAL_RUN_H
#define GR_TRIAL_RUN_H

#include "data.h"
#include "grouser/trial.h"

typedef struct GrTrialRun {
    const GrTrialDef *def;
    GrModel *m;
    GrMission *mission;
    GrData *d;           ///< of the mission
    GrSample sample;     ///< of the last step
    GrTrialLog *samples; ///< NULL: none
    GrTrialPeaks peaks;
    GrOutcome outcome;
    double turned;  ///< change of heading since the start, full revolutions included [rad]
    double heading; ///< of the last step [rad]
} GrTrialRun;

/// Fixed steps of def->step, control in every step, no end by progress or belly, `limit` seconds at most.
GrMissionDef gr_trial_mission_def(const GrTrialDef *def, double limit);

/// Scene of the test's materials, without parts; free with gr_scene_def_free().
GrSceneDef gr_trial_scene(const GrTrialDef *def);

/// Model and mission, not yet placed. `scene`: NULL for the plane alone. Close it afterwards in any case.
GrStatus gr_trial_open(const GrTrialDef *def, const GrSceneDef *scene, const GrMissionDef *mission, GrTrialLog *samples,
                       GrTrialRun *run, GrErrorLog *log);
void gr_trial_close(GrTrialRun *run);

/// One step with its row of the log and its peaks; false when the mission has ended.
bool gr_trial_step(GrTrialRun *run);

/// The end of a mission as the end of a test; FINISHED and RUNNING are `late`.
GrTrialOutcome gr_trial_outcome_of(GrOutcome outcome, GrTrialOutcome late);

/// √(2 kinetic energy / mass), 0 at rest [m/s].
double gr_trial_motion(const GrTrialRun *run);

/// Number of wheels in contact.
int gr_trial_contacts(const GrTrialRun *run);

/// The same rover with other drive motors: GR_MOTOR_NONE rolls freely, GR_MOTOR_SPEED locks. A shallow copy with its
/// own joints, to be freed; false when out of memory.
bool gr_trial_with_drives(const GrRoverDef *rover, GrMotorKind kind, GrRoverDef *out);

#endif
