/// Runs a scenario from start to end, and checks its convergence with half the step and against a reference.
///
/// Example: five seconds of a shipped scenario.
///
///     static const char *const shorter[] = {"stop.time_s=5", NULL};
///     GrErrorLog log = {0};
///     GrScenario *scenario = NULL;
///     GrWorld *world = NULL;
///     if (gr_scenario_load("crossing", shorter, &scenario, &log) != GR_OK ||
///         gr_world_create(scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrRunSummary summary;
///     if (gr_run(world, NULL, &summary, &log) == GR_OK) {
///         printf("%s after %g s\n", gr_outcome_name(summary.outcome), summary.time); // prints: finished after 5 s
///         gr_run_summary_free(&summary);
///     }
///     gr_world_free(world);
///     gr_scenario_free(scenario);
#ifndef GROUSER_RUN_H
#define GROUSER_RUN_H

#include "grouser/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Callbacks during a run; each may be NULL.
typedef struct GrRunHooks {
    void *context;
    GrStatus (*sample)(void *context, const GrSample *sample, GrErrorLog *log); ///< at the scenario's rate
    void (*progress)(void *context, double time, double duration);              ///< as often
    /// Before the first step and after every one, for what must see them all, such as sensors.
    GrStatus (*step)(void *context, const GrData *d, GrErrorLog *log);
    bool (*stop)(void *context); ///< at the same rate: true ends the run as GR_OUTCOME_INTERRUPTED
    void *driver;                ///< context of `advance`
    /// In place of gr_mission_advance(), with the same bits; not together with `step`.
    GrStatus (*advance)(void *driver, GrMission *mission, double until, GrErrorLog *log);
} GrRunHooks;

/// Runs the mission of a world to its outcome. A bad outcome, such as stuck, is not an error. Free the summary with
/// gr_run_summary_free().
GR_API GrStatus gr_run(GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out, GrErrorLog *log);

/// One quantity of a run with the full step and with half the step.
typedef struct GrConvergence {
    const char *quantity, *unit;
    double value, half;
    double change; ///< change of the value divided by `scale`
    double scale;  ///< reference for the change: the magnitude of the value, or a natural scale if it is near 0
    bool event;    ///< an extreme value, set by a single event; excluded from the worst change
} GrConvergence;

/// Time, energy per metre, and every quantity of the lists in sample.h.
enum {
#define GR_CONVERGENCE_ROW(...) +1 // NOLINT(bugprone-macro-parentheses): one more
    GR_CONVERGENCE_COUNT = 2 GR_SUMMARY_NUMBER_LIST(GR_CONVERGENCE_ROW) GR_SUMMARY_ENERGY_LIST(GR_CONVERGENCE_ROW)
        GR_WHEEL_NUMBER_LIST(GR_CONVERGENCE_ROW),
#undef GR_CONVERGENCE_ROW
};

/// Comparison of a run with the same run at half the step.
typedef struct GrHalfStep {
    GrConvergence rows[GR_CONVERGENCE_COUNT];
    GrOutcome outcome, half_outcome;
    double worst; ///< largest magnitude of the changes, except events; INFINITY if one of them is NaN
} GrHalfStep;

/// Repeats the scenario with half the step (and with twice the slices if it has several, and half the cell size of
/// scm). `full` is the summary of the original run.
GR_API GrStatus gr_run_convergence(const GrScenario *scenario, const GrRunSummary *full, const GrRunHooks *hooks,
                                   GrHalfStep *out, GrErrorLog *log);

/// Rows of a comparison with the reference: six for motion and slip, then the energies in the order of the summary.
enum {
#define GR_REFERENCE_ROW(member, name, text) GR_REFERENCE_##member,
    GR_REFERENCE_LAST_OF_MOTION = 5,
    GR_SUMMARY_ENERGY_LIST(GR_REFERENCE_ROW)
#undef GR_REFERENCE_ROW
        GR_REFERENCE_COUNT
};

/// Comparison of a run with a reference solution. The reference is CVODE or, for a soil grid (law scm), whose forces
/// change in discrete steps, the same integrator at an eighth of the step. In each row, `value` is from the run and
/// `half` from the reference; `half` is NAN if `value` is already a difference.
typedef struct GrReference {
    GrConvergence rows[GR_REFERENCE_COUNT];
    double time;     ///< time that both ran [s]
    double distance; ///< distance of the reference [m]
    GrOutcome outcome, reference_outcome;
    bool is_cvode;
    double worst; ///< largest magnitude of the changes, except instantaneous slip; INFINITY if one of them is NaN
} GrReference;

/// Runs the scenario and its reference and compares them. Fails in a build without CVODE, except
/// for the law scm. `hooks` are called for the reference run. `step` is the step of the reference [s] > 0, at the end
/// of which the states of soil and rigid contacts are committed under CVODE. 1 ms is usually enough; impacts need less.
/// It is never longer than a fixed step of the scenario.
GR_API GrStatus gr_run_reference(const GrScenario *scenario, double step, const GrRunHooks *hooks, GrReference *out,
                                 GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
