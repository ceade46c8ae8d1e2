/// A mission while `grouser mission` runs it, for the kinds of missions.
#ifndef GR_MISSION_H
#define GR_MISSION_H

#include "campaign_job.h"
#include "mission_kind.h"

typedef struct GrMissionRun {
    GrCampaignJob *job; ///< open, its first batch done
    const GrCampaignOptions *options;
    void *mission;    ///< of GrMissionKind.create()
    bool interrupted; ///< set it when a further batch was
    bool unanswered;  ///< set it when the question has no answer that can be used: exit code 1
} GrMissionRun;

/// The runs that do not depend on results of others.
GrBatch gr_mission_batch(const GrCampaign *campaign);

/// The sections of a campaign's mission for the page of its study; none if it has no mission. The campaign must outlive
/// them.
GrStudySections gr_mission_sections(const GrCampaign *campaign);

// The kinds of missions.

extern const GrMissionKind gr_mission_placement, gr_mission_egress, gr_mission_traverse;
extern const GrMissionKind *const gr_missions[]; ///< NULL-terminated

#endif
