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

/// What a unit is: the whole rover, or contact alone (fmu_contact.h).
typedef enum GrFmuContactKind {
    GR_FMU_ROVER,
    GR_FMU_WHEEL,
    GR_FMU_BODY,
    GR_FMU_TERRAIN,
    GR_FMU_CONTACT_COUNT
} GrFmuContactKind;

typedef struct GrFmuUnitDef {
    const char *scenario;
    const char *const *overrides; ///< NULL-terminated, or NULL
    const char *within; ///< folder in which shipped names are looked up, and nowhere else; NULL: the usual ones
    GrFmuContactKind contact;
    bool exchange; ///< for model exchange; contact units only
} GrFmuUnitDef;

/// Loads a scenario and places its rover, or its part. NULL after an error.
GrFmuUnit *gr_fmu_unit_create(const GrFmuUnitDef *def, GrErrorLog *log);
GrFmuContactKind gr_fmu_unit_contact(const GrFmuUnit *unit);
void gr_fmu_unit_free(GrFmuUnit *unit);

const GrFmuVariables *gr_fmu_unit_variables(const GrFmuUnit *unit);
const GrScenario *gr_fmu_unit_scenario(const GrFmuUnit *unit);

/// Sets a parameter or an input; its range is checked. Parameters of the kind GR_FMU_FIXED only before begin.
GrStatus gr_fmu_unit_set(GrFmuUnit *unit, int variable, double value, GrErrorLog *log);

/// Value of any variable but a text. Outputs are those of the last communication point.
GrStatus gr_fmu_unit_get(GrFmuUnit *unit, int variable, double *value, GrErrorLog *log);

/// Value of a text, in memory of the unit that the next call overwrites.
GrStatus gr_fmu_unit_get_text(GrFmuUnit *unit, int variable, const char **value, GrErrorLog *log);

/// Sets a parameter that is a text, before begin.
GrStatus gr_fmu_unit_set_text(GrFmuUnit *unit, int variable, const char *value, GrErrorLog *log);

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

// Model exchange.

/// Sets the host's time [s]: outputs are those at it.
GrStatus gr_fmu_unit_set_time(GrFmuUnit *unit, double time, GrErrorLog *log);

/// Ends an integrator step at the present time, with the present inputs: the soil advances.
GrStatus gr_fmu_unit_complete(GrFmuUnit *unit, GrErrorLog *log);

/// Event indicators at the present time and inputs; returns their number. `values` may be NULL.
int gr_fmu_unit_events(GrFmuUnit *unit, double *values, GrErrorLog *log);

/// Continuous states: their number, usual sizes, values, and derivatives at the present time and inputs. 0 without.
int gr_fmu_unit_states(const GrFmuUnit *unit);
void gr_fmu_unit_state_sizes(const GrFmuUnit *unit, double *sizes);
GrStatus gr_fmu_unit_state_get(GrFmuUnit *unit, double *states, GrErrorLog *log);
GrStatus gr_fmu_unit_state_set(GrFmuUnit *unit, const double *states, GrErrorLog *log);
GrStatus gr_fmu_unit_state_rates(GrFmuUnit *unit, double *rates, GrErrorLog *log);

/// Goes on after an event. `changed`: whether states have changed.
GrStatus gr_fmu_unit_switch(GrFmuUnit *unit, bool *changed, GrErrorLog *log);

/// Whether completed integrator steps advance what no state has: ruts, friction on rigid objects, soils without states.
bool gr_fmu_unit_needs_steps(const GrFmuUnit *unit);

/// Back to the state after create.
GrStatus gr_fmu_unit_reset(GrFmuUnit *unit, GrErrorLog *log);

/// The complete state: values of all variables and the mission, also for another process. Size [bytes].
size_t gr_fmu_unit_size(const GrFmuUnit *unit);
GrStatus gr_fmu_unit_save(GrFmuUnit *unit, void *out, GrErrorLog *log);
GrStatus gr_fmu_unit_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log);

#endif
