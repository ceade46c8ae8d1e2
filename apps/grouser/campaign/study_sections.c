#include "study_sections.h"

#include "alloc.h"
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
                       "its campaign is not valid any more: the page has no sections of a mission");
        gr_campaign_free(out);
    }
    gr_study_close(study);
    gr_free(text);
    gr_free(file);
}
