/// GrLocaliser: the filter of grouser/localise.h during a run.
///
///     GrLocaliser *l = gr_localiser_create(&rover, model, &log);
///     gr_localiser_start(l, d);                      // gets the rover's position, with an error
///     gr_localiser_take(l, &measurement, &log);      // every measurement, as gr_sense_next() gives them
///     gr_localiser_update(l, time);                  // uses what has been delivered
///     gr_localiser_sample(l, time, &sample.localisation);
#ifndef GR_LOCALISER_H
#define GR_LOCALISER_H

#include "grouser/localise.h"
#include "grouser/sense.h"

typedef struct GrLocaliser GrLocaliser;

/// The rover must have a localisation that gr_localisation_check() allows, and outlive the filter. NULL when out of
/// memory.
GrLocaliser *gr_localiser_create(const GrRoverDef *rover, const GrModel *model, GrErrorLog *log);
void gr_localiser_free(GrLocaliser *localiser);

/// The state at the start of the run, with an error drawn from what the filter believes to know of it.
void gr_localiser_start(GrLocaliser *localiser, const GrData *d);

/// Keeps a measurement until the filter has its turn; those of sensors that it does not use are ignored.
GrStatus gr_localiser_take(GrLocaliser *localiser, const GrMeasurement *measurement, GrErrorLog *log);

/// Uses all measurements that are complete at this time, those of the largest latency included.
void gr_localiser_update(GrLocaliser *localiser, double time);

void gr_localiser_sample(const GrLocaliser *localiser, double time, GrLocalisationSample *out);
void gr_localiser_summarise(const GrLocaliser *localiser, double time, GrLocalisationSummary *out);

#endif
