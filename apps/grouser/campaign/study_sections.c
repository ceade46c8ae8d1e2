#include "study_sections.h"

#include "alloc.h"
#include "optimize.h"
#include "sensitivity.h"
#include "study.h"
#include "subjects.h"

void gr_study_load_campaign(const char *path, GrCampaign *out, GrErrorLog *log)
{
    GrErrorLog ignored = {.quiet = true};
    char *text = NULL, *file = NULL;
    GrStudy *study = gr_study_read(path, &ignored);
    *out = (GrCampaign){0};
    if (study != NULL && gr_study_campaign(study, &text, &file, &ignored) == GR_OK &&
        gr_campaign_parse(text, file, &gr_campaign_kinds, out, &ignored) != GR_OK) {
        gr_warning_add(log, (GrLocation){.file = path},
                       "its campaign is not valid any more: the page has no sections of its command");
        gr_campaign_free(out);
    }
    if (out->document != NULL) {
        out->document->log = NULL; // later checks, such as whether there is a search, are no messages to anybody
    }
    gr_study_close(study);
    gr_free(text);
    gr_free(file);
}

static GrStatus put_mission(void *context, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    const GrCampaign *c = context;
    return c->mission_kind->put(c->mission, c, page, out, log);
}

GrStudySections gr_mission_sections(const GrCampaign *campaign)
{
    const bool any = campaign->mission != NULL && campaign->mission_kind->put != NULL;
    return any ? (GrStudySections){(void *)(uintptr_t)campaign, put_mission, campaign->mission_kind->answers}
               : (GrStudySections){0};
}

static GrStatus put_search(const GrCampaign *c, GrStudy *study, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    GrErrorLog quiet = {.quiet = true};
    GrOptimumReport report;
    GrStatus status = gr_optimum_begin(c, &report, &quiet);
    status = status == GR_OK ? gr_optimum_look_up(&report, study, &quiet) : status;
    const bool whole = status == GR_OK && report.optimum.point_count > 0;
    if (!whole) { // a search that goes on: its runs alone
        gr_study_page_run_cards(page, out);
    }
    status = whole ? gr_optimum_put(&report, page, out, log) : GR_OK;
    gr_optimum_end(&report);
    return status;
}

static GrStatus put_analysis(const GrCampaign *c, GrStudy *study, const GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    GrErrorLog quiet = {.quiet = true};
    GrAnalysis a;
    GrStatus status = GR_OK;
    const bool whole = gr_analysis_begin(&a, c, &quiet) == GR_OK && gr_analysis_look_up(&a, study);
    if (!whole) {
        gr_study_page_run_cards(page, out);
    }
    if (whole) {
        for (int i = 0; i < c->measures.count && status == GR_OK; i++) {
            status = gr_analysis_evaluate(&a, i, log);
        }
        if (status == GR_OK) {
            gr_analysis_put(&a, page, out);
        }
    }
    gr_analysis_end(&a);
    return status;
}

static GrStatus put_sections(void *context, GrStudyPage *page, GrPage *out, GrErrorLog *log)
{
    const GrCampaign *c = context;
    GrErrorLog quiet = {.quiet = true};
    GrStudy *study = NULL;
    if (gr_study_peek(page->path, c, &study, &quiet) != GR_OK || study == NULL) {
        gr_study_page_run_cards(page, out);
        gr_warning_add(log, (GrLocation){.file = page->path},
                       "the input of its campaign has changed: the page has no sections of its command");
        return GR_OK;
    }
    GrStatus status = c->search.given ? put_search(c, study, page, out, log) : GR_OK;
    status = status == GR_OK && c->sensitivity.given ? put_analysis(c, study, page, out, log) : status;
    gr_study_close(study);
    return status;
}

GrStudySections gr_study_sections(const GrCampaign *campaign)
{
    const bool any = campaign->search.given || campaign->sensitivity.given;
    return campaign->mission != NULL ? gr_mission_sections(campaign)
           : any                     ? (GrStudySections){(void *)(uintptr_t)campaign, put_sections, true}
                                     : (GrStudySections){0};
}
