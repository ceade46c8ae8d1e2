/// A scenario that another program steps: what both versions of FMI have in common.
///
///     gr_fmu_unit_create  ->  gr_fmu_unit_set (parameters)  ->  gr_fmu_unit_begin  ->  gr_fmu_unit_advance ...
///
/// A unit steps as `grouser run` does: it also stops at the times of the scenario's recording, so that a run through a
/// unit has the same bits, whatever multiple of that period the host's steps are. Between steps nothing is shared with
/// other units.
#ifndef GR_FMU_UNIT_H
#define GR_FMU_UNIT_H

#include "fmu_variables.h"

typedef struct GrFmuUnit GrFmuUnit;

/// Loads a scenario and places its rover. `within`: folder in which shipped names are looked up, and nowhere else;
/// NULL: the usual places. NULL after an error.
GrFmuUnit *gr_fmu_unit_create(const char *scenario, const char *const *overrides, const char *within, GrErrorLog *log);
void gr_fmu_unit_free(GrFmuUnit *unit);

const GrFmuVariables *gr_fmu_unit_variables(const GrFmuUnit *unit);
const GrScenario *gr_fmu_unit_scenario(const GrFmuUnit *unit);

/// Sets a parameter or an input; its range is checked. Parameters of the kind GR_FMU_FIXED only before begin.
GrStatus gr_fmu_unit_set(GrFmuUnit *unit, int variable, double value, GrErrorLog *log);

/// Value of any variable but a text. Outputs are those of the last communication point.
GrStatus gr_fmu_unit_get(GrFmuUnit *unit, int variable, double *value, GrErrorLog *log);

/// Value of a text, in memory of the unit that the next call overwrites.
GrStatus gr_fmu_unit_get_text(GrFmuUnit *unit, int variable, const char **value, GrErrorLog *log);

/// Begins the simulation at a time of the host [s].
GrStatus gr_fmu_unit_begin(GrFmuUnit *unit, double time, GrErrorLog *log);

typedef struct GrFmuAdvance {
    double time; ///< reached [s]
    bool event;  ///< a discrete output changed: the way-point, or the outcome
    bool ended;  ///< the drive has an outcome: the unit does not move any more
} GrFmuAdvance;

/// Advances from the host's time `from` to `until` [s]; with `early` not beyond an event. Less than `until` is reached
/// only for an event or an outcome. An error: the times do not fit, or the simulation has diverged.
GrStatus gr_fmu_unit_advance(GrFmuUnit *unit, double from, double until, bool early, GrFmuAdvance *out,
                             GrErrorLog *log);

/// Back to the state after create.
GrStatus gr_fmu_unit_reset(GrFmuUnit *unit, GrErrorLog *log);

/// The complete state: values of all variables and the mission, also for another process. Size [bytes].
size_t gr_fmu_unit_size(const GrFmuUnit *unit);
GrStatus gr_fmu_unit_save(GrFmuUnit *unit, void *out, GrErrorLog *log);
GrStatus gr_fmu_unit_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log);

#endif
