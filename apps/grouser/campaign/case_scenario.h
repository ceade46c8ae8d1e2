/// One run of a campaign as a scenario file, for `grouser run` and `grouser view`.
#ifndef GR_CASE_SCENARIO_H
#define GR_CASE_SCENARIO_H

#include "campaign.h"

/// Writes the scenario of the campaign with the overrides of a row; its first line is a comment. The campaign must run
/// a scenario.
GrStatus gr_case_scenario_write(const GrCampaign *campaign, const GrRow *row, const char *comment, const char *path,
                                GrErrorLog *log);

#endif
