#include "find.h"

#include "shipped.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/// Names have no dots and no slashes; a text with either is a path.
static bool is_path(const char *given)
{
    return strpbrk(given, "./") != NULL;
}

GrStatus gr_find_file(const char *kind, const char *word, const char *given, char path[GR_FILE_PATH_SIZE],
                      GrErrorLog *log)
{
    if (is_path(given)) {
        if (!gr_text_copy(path, GR_FILE_PATH_SIZE, given)) {
            return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the path is too long: %.80s...", given);
        }
        return GR_OK;
    }
    if (gr_shipped_find(kind, given, ".yaml", path)) {
        return GR_OK;
    }
    GrNameList names = {0};
    GrStatus status = gr_shipped_list(kind, ".yaml", &names, log);
    if (status == GR_OK && names.count == 0) {
        status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){0},
                              "no %s were found; set GROUSER_DATA to the folder that holds %s/", kind, kind);
    } else if (status == GR_OK) {
        char otherwise[80];
        snprintf(otherwise, sizeof otherwise, "; grouser list %s shows those there are", kind);
        status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){0}, "there is no %s '%s'%s", word, given,
                              gr_text_hint(given, (const char *const *)names.names, names.count, otherwise).text);
    }
    gr_name_list_free(&names);
    return status;
}
