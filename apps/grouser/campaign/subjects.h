/// What campaigns can run, and the kinds of missions.
#ifndef GR_SUBJECTS_H
#define GR_SUBJECTS_H

#include "campaign.h"
#include "grouser/status.h"
#include "subject.h"

extern const GrSubjectKind gr_subject_trial, gr_subject_wheel;
extern const GrCampaignKinds gr_campaign_kinds;

// Campaign files for `grouser check`.

/// Whether a file is a campaign: YAML with the key `run`.
bool gr_campaign_is_file(const char *path);

/// Reads the campaign and tries its variables.
GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log);

#endif
