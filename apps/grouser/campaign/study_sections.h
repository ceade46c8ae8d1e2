/// The sections that a campaign adds to the page of its study, from the study alone.
#ifndef GR_STUDY_SECTIONS_H
#define GR_STUDY_SECTIONS_H

#include "campaign.h"
#include "study_page.h"

/// The campaign of a study. A study whose input files have gone, or have changed so that they are not valid any more,
/// has a page without such sections: `out` is empty then, with a warning. Free with gr_campaign_free().
void gr_study_load_campaign(const char *path, GrCampaign *out, GrErrorLog *log);

/// What the command of the campaign adds to the page: the sections of its mission, of a search that has ended, and of a
/// sensitivity analysis whose runs are all there. The campaign must outlive them.
GrStudySections gr_study_sections(const GrCampaign *campaign);

/// The sections of its mission alone; none if it has no mission.
GrStudySections gr_mission_sections(const GrCampaign *campaign);

#endif
