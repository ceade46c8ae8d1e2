#include "case_scenario.h"

#include "alloc.h"
#include "buffer.h"
#include "file.h"
#include "json.h"
#include "out_of_memory.h"

#include <stdlib.h>
#include <string.h>

/// The scenario as the new file must name it: a path is relative to the file that names it.
static char *name_from(const char *name, const char *path)
{
    if (strchr(path, '/') == NULL || strpbrk(name, "/.") == NULL) {
        return gr_strdup(name);
    }
    char *whole = realpath(name, NULL);
    char *copy = gr_strdup(whole != NULL ? whole : name);
    free(whole);
    return copy;
}

GrStatus gr_case_scenario_write(const GrCampaign *campaign, const GrRow *row, const char *comment, const char *path,
                                GrErrorLog *log)
{
    const char *overrides[GR_SUBJECT_OVERRIDES];
    const GrCase one = gr_row_case(row);
    const char *scenario = campaign->kind->scenario(campaign->subject, &one, overrides, GR_SUBJECT_OVERRIDES);
    char *name = scenario != NULL ? name_from(scenario, path) : NULL;
    if (name == NULL) {
        return gr_out_of_memory(log, path);
    }
    GrBuffer text = {0};
    gr_buffer_printf(&text, "# %s\ninclude: ", comment);
    GrJson json = gr_json_to_buffer(&text, false); // JSON text is YAML text
    gr_json_string(&json, NULL, name);
    gr_buffer_puts(&text, "\noverrides:\n");
    for (int i = 0; overrides[i] != NULL; i++) {
        gr_buffer_puts(&text, "  - ");
        GrJson item = gr_json_to_buffer(&text, false);
        gr_json_string(&item, NULL, overrides[i]);
        gr_buffer_puts(&text, "\n");
    }
    const GrStatus status = text.failed ? gr_out_of_memory(log, path) : gr_file_write(path, text.data, text.size, log);
    gr_buffer_free(&text);
    gr_free(name);
    return status;
}
