/// Status texts, and the log of errors, warnings and remarks.
#include "grouser/status.h"

#include "alloc.h"
#include "check.h"
#include "messages.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

const char *gr_status_text(GrStatus status)
{
    static const char *const texts[] = {
#define GR_STATUS_TEXT(name, text) text,
        GR_STATUS_LIST(GR_STATUS_TEXT)
#undef GR_STATUS_TEXT
    };
    return (unsigned)status < GR_STATUS_COUNT ? texts[status] : "unknown status";
}

/// Whether the log has this warning already. Commands that build many models would otherwise repeat it for each.
static bool is_known(const GrErrorLog *log, const GrError *warning)
{
    for (int i = 0; i < log->count; i++) {
        const GrError *other = &log->items[i];
        if (other->severity == warning->severity && other->line == warning->line && other->column == warning->column &&
            strcmp(other->text, warning->text) == 0 && strcmp(other->field, warning->field) == 0 &&
            strcmp(other->file, warning->file) == 0) {
            return true;
        }
    }
    return false;
}

/// The text in the log, NULL: there is no room. Messages about one file share its name.
static const char *keep_text(GrErrorLog *log, const char *text, bool is_file)
{
    for (int i = 0; is_file && i < log->count; i++) {
        if (strcmp(log->items[i].file, text) == 0) {
            return log->items[i].file;
        }
    }
    const size_t size = strlen(text) + 1;
    if (size == 1) {
        return "";
    }
    if ((size_t)log->used + size > sizeof log->texts) {
        return NULL;
    }
    char *kept = memcpy(&log->texts[log->used], text, size);
    log->used += (int)size;
    return kept;
}

/// Appends a message; false when there is no room.
static bool keep(GrErrorLog *log, const GrError *error)
{
    const int used = log->used;
    GrError kept = *error;
    kept.file = keep_text(log, error->file, true);
    kept.field = keep_text(log, error->field, false);
    kept.text = keep_text(log, error->text, false);
    if (log->count == GR_ERROR_LOG_CAPACITY || kept.file == NULL || kept.field == NULL || kept.text == NULL) {
        log->used = used;
        return false;
    }
    log->items[log->count++] = kept;
    return true;
}

void gr_messages_set_place(GrErrorLog *log, int index, GrLocation at)
{
    const int used = log->used;
    const char *file = keep_text(log, at.file, true);
    const char *field = at.field == log->items[index].field ? at.field : keep_text(log, at.field, false);
    if (file == NULL || field == NULL) {
        log->used = used;
        return;
    }
    GrError *error = &log->items[index];
    error->file = file;
    error->field = field;
    error->line = at.line;
    error->column = at.column;
}

static void take_out(GrErrorLog *log, int index)
{
    const GrErrorLog old = *log;
    log->count = log->used = 0;
    for (int i = 0; i < old.count; i++) {
        GrError error = old.items[i];
        const char **texts[] = {&error.file, &error.field, &error.text};
        for (int k = 0; k < 3; k++) { // they point into `log`
            *texts[k] = **texts[k] != '\0' ? old.texts + (*texts[k] - log->texts) : "";
        }
        if (i != index) {
            keep(log, &error);
        }
    }
}

/// In a full log an error takes the place of the last message that is none: warnings never hide why a call failed.
/// False: there is none.
static bool make_room(GrErrorLog *log, GrSeverity severity)
{
    int last = severity == GR_SEVERITY_ERROR ? log->count - 1 : -1;
    while (last >= 0 && log->items[last].severity == GR_SEVERITY_ERROR) {
        last--;
    }
    if (last >= 0) {
        take_out(log, last);
    }
    return last >= 0;
}

static void append(GrErrorLog *log, GrStatus status, GrSeverity severity, GrLocation at, const char *format,
                   va_list args)
{
    if (log == NULL) {
        return;
    }
    const bool has_hook = gr_hook_log_is_set() && !log->quiet;
    char file[GR_ERROR_FILE_SIZE], field[GR_ERROR_FIELD_SIZE], text[GR_ERROR_TEXT_SIZE];
    snprintf(file, sizeof file, "%s", at.file != NULL ? at.file : "");
    snprintf(field, sizeof field, "%s", at.field != NULL ? at.field : "");
    gr_vprint(text, sizeof text, format, args);
    gr_text_tame(file);
    gr_text_tame(field);
    gr_text_tame(text);
    const GrError error = {status, severity, at.line, at.column, file, field, text};
    if (severity == GR_SEVERITY_WARNING && is_known(log, &error)) {
        return;
    }
    if (severity == GR_SEVERITY_ERROR) {
        log->error_count++;
    } else if (severity == GR_SEVERITY_WARNING) {
        log->warning_count++;
    }
    bool kept = keep(log, &error);
    while (!kept && make_room(log, severity)) {
        log->dropped++;
        kept = keep(log, &error);
    }
    log->dropped += !kept;
    if (has_hook) {
        gr_hook_log(&error);
    }
}

GrStatus gr_error_add(GrErrorLog *log, GrStatus status, GrLocation at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(log, status, GR_SEVERITY_ERROR, at, format, args);
    va_end(args);
    return status;
}

void gr_warning_add(GrErrorLog *log, GrLocation at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(log, GR_OK, GR_SEVERITY_WARNING, at, format, args);
    va_end(args);
}

void gr_info_add(GrErrorLog *log, GrLocation at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(log, GR_OK, GR_SEVERITY_INFO, at, format, args);
    va_end(args);
}

const char *gr_severity_name(GrSeverity severity)
{
    static const char *const names[] = {"error", "warning", "info"};
    return names[severity];
}

int gr_error_format(const GrError *error, char *out, int size)
{
    char where[320] = "";
    if (error->file[0] != '\0' && error->line > 0 && error->column > 0) {
        snprintf(where, sizeof where, "%s:%d:%d: ", error->file, error->line, error->column);
    } else if (error->file[0] != '\0' && error->line > 0) {
        snprintf(where, sizeof where, "%s:%d: ", error->file, error->line);
    } else if (error->file[0] != '\0') {
        snprintf(where, sizeof where, "%s: ", error->file);
    }
    const char *kind = gr_severity_name(error->severity);
    return snprintf(out, (size_t)(size > 0 ? size : 0), "%s%s: %s%s%s", where, kind, error->field,
                    error->field[0] != '\0' ? ": " : "", error->text);
}

GrStatus gr_cookie_check(unsigned cookie, const char *text, GrErrorLog *log)
{
    return cookie == GR_COOKIE
               ? GR_OK
               : gr_error_add(log, GR_ERROR_USAGE, (GrLocation){0}, "a definition was not initialised; %s", text);
}

GrStatus gr_out_of_memory(GrErrorLog *log, const char *file)
{
    return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){.file = file}, "out of memory");
}
