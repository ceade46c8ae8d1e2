#include "messages.h"

#include <stddef.h>

void gr_messages_repeat(const GrErrorLog *from, GrErrorLog *log)
{
    for (int i = 0; i < from->count; i++) {
        const GrError *e = &from->items[i];
        const GrLocation at = {.file = e->file, .line = e->line, .column = e->column, .field = e->field};
        if (e->severity == GR_SEVERITY_ERROR) {
            gr_error_add(log, e->status, at, "%s", e->text);
        } else if (e->severity == GR_SEVERITY_WARNING) {
            gr_warning_add(log, at, "%s", e->text);
        } else {
            gr_info_add(log, at, "%s", e->text);
        }
    }
}

const GrError *gr_messages_at(const GrErrorLog *log, int index)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < log->count; i++) {
            if ((log->items[i].severity != GR_SEVERITY_ERROR) == (pass == 1) && index-- == 0) {
                return &log->items[i];
            }
        }
    }
    return NULL;
}

GrStatus gr_messages_last_error(const GrErrorLog *log, GrStatus otherwise)
{
    for (int i = log != NULL ? log->count - 1 : -1; i >= 0; i--) {
        if (log->items[i].severity == GR_SEVERITY_ERROR) {
            return log->items[i].status;
        }
    }
    return otherwise;
}
