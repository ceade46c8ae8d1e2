/// The table of what campaigns can run: one row each.
#include "subjects.h"

#include "missions.h"
#include "subject_placement.h"

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario,  &gr_subject_trial,    &gr_subject_wheel,
                                                &gr_subject_placement, &gr_subject_function, NULL};

const GrCampaignKinds gr_campaign_kinds = {.subjects = SUBJECTS, .missions = gr_missions};
