#include "from.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "json.h"
#include "out_of_memory.h"
#include "study.h"
#include "subjects.h"
#include "version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// "slope.db:17" -> path and id.
static GrStatus split(const char *text, char *path, size_t size, int64_t *id, GrErrorLog *log)
{
    const char *colon = strrchr(text, ':');
    char *end = NULL;
    errno = 0;
    *id = colon != NULL ? strtoll(colon + 1, &end, 10) : 0;
    const bool ok = colon != NULL && end != colon + 1 && *end == '\0' && errno == 0 && (size_t)(colon - text) < size;
    if (!ok) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--from"},
                            "found '%s', expected a study and the id of a run, such as slope.db:17", text);
    }
    snprintf(path, size, "%.*s", (int)(colon - text), text);
    return GR_OK;
}

static GrStatus load_scenario(const GrCampaign *c, const GrCase *one, const GrTextList *more, GrScenario **out,
                              GrErrorLog *log)
{
    const char *overrides[GR_SUBJECT_OVERRIDES + GR_OPTION_LIST_SIZE + 1];
    const char *name =
        c->kind->scenario != NULL ? c->kind->scenario(c->subject, one, overrides, GR_SUBJECT_OVERRIDES) : NULL;
    if (name == NULL) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--from"},
                            "the campaign '%s' runs no scenario (but: %s)", c->name, c->kind->name);
    }
    int count = 0;
    while (overrides[count] != NULL) {
        count++;
    }
    for (int i = 0; i < more->count; i++) {
        overrides[count++] = more->items[i];
    }
    overrides[count] = NULL;
    return gr_scenario_load(name, overrides, out, log);
}

GrStatus gr_run_from(const char *text, const GrTextList *overrides, GrScenario **out, uint64_t *hash, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE], rows[GR_CAMPAIGN_VARIABLES][GR_VARIABLE_PATH + GR_VARIABLE_TEXT];
    int64_t id;
    GrStatus status = split(text, path, sizeof path, &id, log);
    GrStudy *study = status == GR_OK ? gr_study_read(path, log) : NULL;
    if (study == NULL) {
        return status != GR_OK ? status : GR_ERROR_FILE;
    }
    char *campaign_text = NULL, *campaign_path = NULL;
    GrResult result;
    GrCampaign campaign = {0};
    const int count = gr_study_overrides(study, id, rows, &result, log);
    status = count >= 0 ? gr_study_campaign(study, &campaign_text, &campaign_path, log) : GR_ERROR_NAME;
    status =
        status == GR_OK ? gr_campaign_parse(campaign_text, campaign_path, &gr_campaign_kinds, &campaign, log) : status;
    if (status == GR_OK) {
        const char *list[GR_CAMPAIGN_VARIABLES + 1] = {NULL};
        for (int i = 0; i < count; i++) {
            list[i] = rows[i];
        }
        const GrCase one = {.overrides = list};
        status = load_scenario(&campaign, &one, overrides, out, log);
    }
    if (status == GR_OK) {
        char *version = gr_study_version(study);
        const bool comparable = version != NULL && strcmp(version, gr_version_and_bits()) == 0;
        if (!comparable) {
            gr_warning_add(log, (GrLocation){.file = path},
                           "made by grouser %s, and this is %s: the run may differ in its last digits, and its end "
                           "state is not compared with the study's",
                           version != NULL ? version : "?", gr_version_and_bits());
        } else if (campaign.identity != gr_study_identity(study)) {
            gr_warning_add(log, (GrLocation){.file = path},
                           "input files have changed since this study was made: the run may differ from its row");
        }
        snprintf((*out)->name, sizeof(*out)->name, "%.40s_%lld", campaign.name, (long long)id);
        *hash = comparable && overrides->count == 0 ? result.state_hash : 0;
        gr_free(version);
    }
    gr_campaign_free(&campaign);
    gr_free(campaign_text);
    gr_free(campaign_path);
    gr_study_close(study);
    return status;
}
