/// A scenario from start to end, and whether its numbers hold when the step is halved.
///
/// Example: five seconds of a shipped scenario.
///
///     static const char *const shorter[] = {"stop.time_s=5", NULL};
///     GrErrorLog log = {0};
///     GrScenario scenario;
///     GrWorld world;
///     if (gr_scenario_load("crossing", shorter, &scenario, &log) != GR_OK ||
///         gr_world_create(&scenario, &world, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrRunSummary summary;
///     if (gr_run(&world, NULL, &summary, &log) == GR_OK) {
///         printf("%s after %g s\n", gr_outcome_name(summary.outcome), summary.time); // prints: finished after 5 s
///         gr_run_summary_free(&summary);
///     }
///     gr_world_free(&world);
///     gr_scenario_free(&scenario);
#ifndef GROUSER_RUN_H
#define GROUSER_RUN_H

#include "grouser/scenario.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Called while a run goes on; each may be NULL.
typedef struct GrRunHooks {
    void *context;
    GrStatus (*sample)(void *context, const GrSample *sample, GrErrorLog *log); ///< at the scenario's rate
    void (*progress)(void *context, double time, double duration);              ///< as often
    bool (*stop)(void *context); ///< as often: true ends the run as GR_OUTCOME_INTERRUPTED
} GrRunHooks;

/// Runs the mission of a world to its outcome. A run that ends badly is no error: its outcome says so. Free the summary
/// with gr_run_summary_free().
GR_API GrStatus gr_run(GrWorld *world, const GrRunHooks *hooks, GrRunSummary *out, GrErrorLog *log);

/// One number of a run at the step, and at half of it.
typedef struct GrConvergence {
    const char *quantity, *unit;
    double value, half;
    double change; ///< of the value, over `scale`
    double scale;  ///< what a change is compared with: the size of the value, or a natural measure where it is near 0
    bool event;    ///< a largest value: one event, which is no part of the worst change
} GrConvergence;

/// Time, energy per metre, and every number of the lists in sample.h.
enum {
#define GR_CONVERGENCE_ROW(...) +1 // NOLINT(bugprone-macro-parentheses): one more
    GR_CONVERGENCE_COUNT = 2 GR_SUMMARY_NUMBER_LIST(GR_CONVERGENCE_ROW) GR_SUMMARY_ENERGY_LIST(GR_CONVERGENCE_ROW)
        GR_WHEEL_NUMBER_LIST(GR_CONVERGENCE_ROW),
#undef GR_CONVERGENCE_ROW
};

/// A scenario as it is run, beside the same with half the step.
typedef struct GrHalfStep {
    GrConvergence rows[GR_CONVERGENCE_COUNT];
    GrOutcome outcome, half_outcome;
    double worst; ///< largest size of the changes, but for events; INFINITY when one of them is not a number
} GrHalfStep;

/// Repeats the scenario with half the step (and twice the slices where it has several, and half the cells of scm).
/// `full` is the summary of the run as it is.
GR_API GrStatus gr_run_convergence(const GrScenario *scenario, const GrRunSummary *full, const GrRunHooks *hooks,
                                   GrHalfStep *out, GrErrorLog *log);

/// Rows of the reference: six of motion and slip, then the energies in the order of the summary.
enum {
#define GR_REFERENCE_ROW(member, name, text) GR_REFERENCE_##member,
    GR_REFERENCE_LAST_OF_MOTION = 5,
    GR_SUMMARY_ENERGY_LIST(GR_REFERENCE_ROW)
#undef GR_REFERENCE_ROW
        GR_REFERENCE_COUNT
};

/// A scenario as it is run, held against a reference: CVODE, or, where the soil is a grid (law scm) whose forces are
/// steps themselves, the same integrator at an eighth of the step. `value` is that of the run, `half` that of the
/// reference; NAN where `value` is a difference already.
typedef struct GrReference {
    GrConvergence rows[GR_REFERENCE_COUNT];
    double time;     ///< for which both ran [s]
    double distance; ///< of the reference [m]
    GrOutcome outcome, reference_outcome;
    bool is_cvode;
    double worst; ///< largest size of the changes, but for the slip from instant to instant; INFINITY when one of them
                  ///< is not a number
} GrReference;

/// A build without CVODE knows no such integrator, and says so, but for the law scm. `hooks` follow the reference.
/// `step`: that of the reference [s] > 0, at the end of which CVODE's soil and hard contacts are committed; 1 ms will
/// mostly do, impacts want less. It is never longer than a fixed step of the scenario.
GR_API GrStatus gr_run_reference(const GrScenario *scenario, double step, const GrRunHooks *hooks, GrReference *out,
                                 GrErrorLog *log);

#ifdef __cplusplus
}
#endif
#endif
