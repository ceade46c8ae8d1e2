/// Brings the shards of the parts of a campaign together, which the jobs of a job array have written.
#include "runner_parts.h"

#include "file.h"
#include "out_of_memory.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// What a merge of parts counts.
typedef struct Merge {
    GrStudy *study;
    uint64_t *merged;
    GrErrorLog *log;
} Merge;

static GrStatus merge_result(void *context, const GrResult *result)
{
    const Merge *m = context;
    bool known;
    const GrStatus status = gr_study_put(m->study, result, &known, m->log);
    *m->merged += known;
    return status;
}

/// Files of parts beside the study.
static GrStatus list_parts(const GrRunnerDef *def, char *folder, GrNameList *out, GrErrorLog *log)
{
    const char *slash = strrchr(def->path, '/');
    snprintf(folder, GR_FILE_PATH_SIZE, "%.*s", slash != NULL ? (int)(slash - def->path) : 1,
             slash != NULL ? def->path : ".");
    const char *name = slash != NULL ? slash + 1 : def->path;
    GrNameList all = {0};
    GrStatus status = gr_folder_list(folder, "", &all, log);
    char prefix[GR_FILE_PATH_SIZE];
    snprintf(prefix, sizeof prefix, "%.1000s.shard-", name);
    for (int i = 0; i < all.count && status == GR_OK; i++) {
        if (strncmp(all.names[i], prefix, strlen(prefix)) == 0 && !gr_name_list_add(out, all.names[i])) {
            status = gr_out_of_memory(log, NULL);
        }
    }
    gr_name_list_free(&all);
    return status;
}

GrStatus gr_runner_merge(const GrRunnerDef *def, const GrBatch *batch, uint64_t *merged, GrErrorLog *log)
{
    char folder[GR_FILE_PATH_SIZE], path[2 * GR_FILE_PATH_SIZE];
    GrNameList parts = {0};
    const Merge context = {def->study, merged, log};
    *merged = 0;
    GrStatus status = list_parts(def, folder, &parts, log);
    status = status == GR_OK ? gr_study_begin(def->study, log) : status;
    if (status == GR_OK) {
        status = gr_study_plan_rows(def->study, batch, log);
        for (int i = 0; i < parts.count && status == GR_OK; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, parts.names[i]);
            status = gr_shard_read(path, def->campaign->identity, merge_result, (void *)(uintptr_t)&context, log);
        }
        if (status == GR_OK) {
            status = gr_study_commit(def->study, log);
        } else {
            gr_study_undo(def->study);
        }
    }
    for (int i = 0; i < parts.count && status == GR_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, parts.names[i]);
        unlink(path);
    }
    gr_name_list_free(&parts);
    return status;
}
