#include "campaign_file.h"

#include "campaign.h"
#include "subjects.h"

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
