#include "subjects.h"

#include "campaign.h"
#include "mission.h"
#include "subject_placement.h"

#include <stdio.h>
#include <string.h>

// ---- campaign files for `grouser check`

bool gr_campaign_is_file(const char *path)
{
    GrDocument *document = NULL;
    GrErrorLog quiet = {.quiet = true};
    bool is_campaign = false;
    if (gr_document_load(path, &document, &quiet) == GR_OK) {
        const GrNode *run = gr_node_find(document->root, "run");
        is_campaign = run != NULL && run->kind == GR_NODE_MAPPING && gr_node_find(document->root, "rover") == NULL;
        gr_document_free(document);
    }
    return is_campaign;
}

GrStatus gr_campaign_check_file(const char *path, GrErrorLog *log)
{
    GrCampaign campaign;
    const GrStatus status = gr_campaign_load(path, &gr_campaign_kinds, &campaign, log);
    gr_campaign_free(&campaign);
    return status;
}

// ---- the tables

static const GrSubjectKind *const SUBJECTS[] = {&gr_subject_scenario,  &gr_subject_trial,    &gr_subject_wheel,
                                                &gr_subject_placement, &gr_subject_function, NULL};

static const GrMissionKind *const MISSIONS[] = {&gr_mission_placement, &gr_mission_egress, &gr_mission_traverse,
                                                &gr_mission_go, NULL};

const GrCampaignKinds gr_campaign_kinds = {.subjects = SUBJECTS, .missions = MISSIONS};
