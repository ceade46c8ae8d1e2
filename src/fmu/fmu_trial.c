#include "fmu_trial.h"

#include "file.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A file that was read from outside of the folder.
typedef struct Outside {
    const char *folder;
    char path[GR_FILE_PATH_SIZE]; ///< "": none
} Outside;

static void see(void *context, const char *path, const char *data, size_t size)
{
    (void)data;
    (void)size;
    Outside *outside = context;
    if (strncmp(path, outside->folder, strlen(outside->folder)) != 0) {
        gr_text_copy(outside->path, sizeof outside->path, path);
    }
}

static GrStatus write_files(const GrFmuFiles *files, const char *folder, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < files->count && status == GR_OK; i++) {
        const GrFmuFile *file = &files->items[i];
        char path[2 * GR_FILE_PATH_SIZE], parent[2 * GR_FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, file->path);
        snprintf(parent, sizeof parent, "%s", path);
        *strrchr(parent, '/') = '\0';
        status = gr_folder_make(parent, log);
        if (status == GR_OK) {
            status = gr_file_write(path, file->data.data, file->data.size, log);
        }
    }
    return status;
}

/// Removes the files, and the folders that they leave empty.
static void remove_files(const GrFmuFiles *files, const char *folder)
{
    for (int i = 0; i < files->count; i++) {
        char path[2 * GR_FILE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", folder, files->items[i].path);
        unlink(path);
        while (strlen(path) > strlen(folder)) {
            *strrchr(path, '/') = '\0';
            if (rmdir(path) != 0) {
                break;
            }
        }
    }
    rmdir(folder);
}

/// The text variable of a unit: the hash of its state.
static GrStatus state_hash(GrFmuUnit *unit, char out[32], GrErrorLog *log)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(unit);
    for (int i = 0; i < list->count; i++) {
        const char *text = "";
        if (list->items[i].meaning == GR_FMU_IS_HASH) {
            const GrStatus status = gr_fmu_unit_get_text(unit, i, &text, log);
            gr_text_copy(out, 32, text);
            return status;
        }
    }
    return GR_ERROR_NAME;
}

static GrStatus compare(GrFmuUnit *unit, GrFmuUnit *copy, GrErrorLog *log)
{
    char a[32], b[32];
    GrStatus status = state_hash(unit, a, log);
    status = status == GR_OK ? state_hash(copy, b, log) : status;
    if (status == GR_OK && strcmp(a, b) != 0) {
        status =
            gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0},
                         "the unit's copy of the scenario starts from another state (%s) than the scenario (%s)", b, a);
    }
    return status;
}

GrStatus gr_fmu_trial(GrFmuUnit *unit, const GrFmuFiles *files, const char *token, GrErrorLog *log)
{
    const char *base = getenv("TMPDIR");
    char folder[GR_FILE_PATH_SIZE];
    const int length =
        snprintf(folder, sizeof folder, "%s/grouser-fmu-XXXXXX", base != NULL && base[0] != '\0' ? base : "/tmp");
    if (length >= (int)sizeof folder || mkdtemp(folder) == NULL) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = folder}, "the folder cannot be made");
    }
    GrStatus status = write_files(files, folder, log);
    if (status == GR_OK) {
        GrErrorLog again = {.quiet = true}; // its warnings have been given
        Outside outside = {.folder = folder};
        const GrFileWatch watch = {see, &outside};
        gr_file_watch(&watch);
        GrFmuUnit *copy = gr_fmu_open(folder, token, &again);
        gr_file_watch(NULL);
        if (outside.path[0] != '\0') {
            status =
                gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = outside.path},
                             "the scenario names it by a path that does not travel: name it relative to the file that "
                             "uses it");
        } else if (copy == NULL) {
            status =
                gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the unit's copy of the scenario does not load: %s",
                             again.count > 0 ? again.items[0].text : "unknown");
        } else {
            status = compare(unit, copy, log);
        }
        gr_fmu_unit_free(copy);
    }
    remove_files(files, folder);
    return status;
}
