/// A run of a study as a scenario: `grouser run --from slope.db:17`.
#ifndef GR_FROM_H
#define GR_FROM_H

#include "campaign.h"
#include "options.h"
#include "scenario_data.h"

/// Loads the scenario of a run: "STUDY:ID". `overrides` are added to those of the run. `hash` is that of the end state
/// in the study; 0: the run has not been done yet.
GrStatus gr_run_from(const char *text, const GrTextList *overrides, GrScenario **out, uint64_t *hash, GrErrorLog *log);

#endif
