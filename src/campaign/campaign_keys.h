/// The keys of campaign files as tables (schema.h).
#ifndef GR_CAMPAIGN_KEYS_H
#define GR_CAMPAIGN_KEYS_H

#include "schema.h"

extern const GrSchema gr_schema_campaign; ///< in src/missions, with the keys of missions

extern const GrKey gr_question_keys[]; ///< question.c
extern const GrKey gr_run_keys[], gr_variable_keys[], gr_limit_keys[];
/// Of GrCampaign, GrSearchPlan and GrSensitivityPlan.
extern const GrKey gr_sample_keys[], gr_optimize_keys[], gr_sensitivity_keys[];

/// Sets a GrSearchPlan to its defaults.
void gr_search_plan_fill(void *plan);

#endif
