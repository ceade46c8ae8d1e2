/// What campaigns can run, and the kinds of missions.
#ifndef GR_SUBJECTS_H
#define GR_SUBJECTS_H

#include "campaign.h"

extern const GrSubjectKind gr_subject_trial, gr_subject_wheel;
extern const GrCampaignKinds gr_campaign_kinds;

#endif
