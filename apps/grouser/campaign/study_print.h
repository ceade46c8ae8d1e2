/// The results of a study as text and as JSON.
#ifndef GR_STUDY_PRINT_H
#define GR_STUDY_PRINT_H

#include "json.h"
#include "study_page.h"
#include "study_view.h"

#include <stdio.h>

/// `bands`: of a study with samples of the soil.
void gr_study_print(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                    const char *path, FILE *file);
GrStatus gr_study_print_json(const GrStudyTable *table, const GrStudySummary *summary, const GrStudyBands *bands,
                             FILE *file);

/// The member `designs`: measures with NAME_low and NAME_high.
void gr_study_put_designs(GrJson *json, const GrStudyTable *table, const GrStudyBands *bands);

// The sections that a campaign adds to the page of its study, from the study alone.

/// The campaign of a study. A study whose input files have gone, or have changed so that they are not valid any more,
/// has a page without such sections: `out` is empty then, with a warning. Free with gr_campaign_free().
void gr_study_load_campaign(const char *path, GrCampaign *out, GrErrorLog *log);

/// What the command of the campaign adds to the page: the sections of its mission, of a search that has ended, and of a
/// sensitivity analysis whose runs are all there. The campaign must outlive them.
GrStudySections gr_study_sections(const GrCampaign *campaign);

/// The member `answer` of an open object.
void gr_study_put_answer(GrJson *json, const GrStudyTable *table, const GrStudySummary *summary);

/// The answer of the study and what it depends on, a line each.
void gr_study_print_answer(const GrStudyTable *table, const GrStudySummary *summary, FILE *file);

#endif
