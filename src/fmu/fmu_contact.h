/// Units for contact alone: one wheel or body of a scenario's rover on its ground, or the ground itself; the host has
/// the masses. A kind of GrFmuUnit, over grouser/contact.h.
///
///     co-simulation    pose and twist at the beginning of a step hold in it: the part moves on with its twist. Outputs
///                      are those at its end
///     model exchange   outputs follow pose and twist at once. The memory of the soil under a wheel is a set of
///     continuous
///                      states with events (rates.h); other memory advances with every completed integrator step
#ifndef GR_FMU_CONTACT_H
#define GR_FMU_CONTACT_H

#include "fmu_unit.h"
#include "grouser/contact.h"

typedef struct GrFmuContact GrFmuContact;

/// Name of a kind: wheel, body, terrain; "" for the whole rover. NULL beyond the last.
const char *gr_fmu_contact_name(GrFmuContactKind kind);

/// Makes the unit's contact in the present parameters, in the place of the one it has. `part`: index among the parts of
/// its kind. After an error the old one remains.
GrStatus gr_fmu_contact_make(GrFmuContact **contact, const GrFmuUnitDef *def, const GrScenario *scenario, int part,
                             const char *ground, GrErrorLog *log);
void gr_fmu_contact_free(GrFmuContact *contact);

/// Its variables; `out` is freed with gr_fmu_variables_free(), after a failure too.
GrStatus gr_fmu_contact_variables(const GrFmuContact *contact, GrFmuVariables *out, GrErrorLog *log);

/// Writes the outputs into `values`, for the inputs in `values` and `dt` after the last accepted step.
GrStatus gr_fmu_contact_outputs(GrFmuContact *contact, const GrFmuVariables *list, double dt, double *values);

/// Co-simulation: a step of the host; the outputs are those at its end.
GrStatus gr_fmu_contact_advance(GrFmuContact *contact, const GrFmuVariables *list, double dt, double *values);

/// Model exchange: accepts a step that ends with the inputs in `values`.
GrStatus gr_fmu_contact_accept(GrFmuContact *contact, const GrFmuVariables *list, double dt, const double *values);

/// Number of event indicators, and their values at the last outputs.
int gr_fmu_contact_events(const GrFmuContact *contact, const double **values);

GrContact *gr_fmu_contact_unit(GrFmuContact *contact);

#endif
