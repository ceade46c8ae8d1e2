/// Status texts, the log of errors, warnings and remarks, and the hooks of the library (grouser/hooks.h): the one
/// mutable global, set once before use.
#include "alloc.h"

#include "grouser/hooks.h"
#include "grouser/status.h"

#include "check.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- hooks

static GrHooks hooks;

GrStatus gr_set_hooks(const GrHooks *given)
{
    const GrHooks none = {0};
    const GrHooks *h = given != NULL ? given : &none;
    const int functions = (h->allocate != NULL) + (h->reallocate != NULL) + (h->release != NULL);
    if (functions != 0 && functions != 3) {
        return GR_ERROR_USAGE;
    }
    hooks = *h;
    return GR_OK;
}

void *gr_malloc(size_t size)
{
    return hooks.allocate != NULL ? hooks.allocate(hooks.context, size) : malloc(size);
}

void *gr_calloc(size_t count, size_t size)
{
    if (hooks.allocate == NULL) { // the system gives zeroed pages, which are not touched until they are used
        return calloc(count, size);
    }
    if (size != 0 && count > SIZE_MAX / size) {
        return NULL;
    }
    void *memory = hooks.allocate(hooks.context, count * size);
    return memory != NULL ? memset(memory, 0, count * size) : NULL;
}

void *gr_realloc(void *memory, size_t size)
{
    return hooks.reallocate != NULL ? hooks.reallocate(hooks.context, memory, size) : realloc(memory, size);
}

void gr_free(void *memory)
{
    if (hooks.release != NULL) {
        hooks.release(hooks.context, memory);
    } else {
        free(memory);
    }
}

char *gr_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = gr_malloc(size);
    return copy != NULL ? memcpy(copy, text, size) : NULL;
}

static bool hook_log_is_set(void)
{
    return hooks.log != NULL;
}

/// Only where it is set.
static void hook_log(const GrError *message)
{
    hooks.log(hooks.context, message);
}

void gr_check_failed(const char *expression, const char *file, int line)
{
    if (hooks.assertion != NULL) {
        hooks.assertion(hooks.context, expression, file, line);
        return;
    }
    fprintf(stderr, "%s:%d: '%s' does not hold\n", file, line, expression);
    abort();
}

// ---- status and log

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

/// In a full log an error takes the place of the last message that is none: warnings never hide why a call failed.
static void make_room(GrErrorLog *log, GrSeverity severity)
{
    int last = severity == GR_SEVERITY_ERROR ? log->count - 1 : -1;
    while (last >= 0 && log->items[last].severity == GR_SEVERITY_ERROR) {
        last--;
    }
    if (last >= 0) {
        log->count--;
        memmove(&log->items[last], &log->items[last + 1], (size_t)(log->count - last) * sizeof log->items[0]);
    }
}

static void append(GrErrorLog *log, GrStatus status, GrSeverity severity, GrLocation at, const char *format,
                   va_list args)
{
    if (log == NULL) {
        return;
    }
    const bool heard = hook_log_is_set() && !log->quiet;
    GrError error = {.status = status, .severity = severity, .line = at.line, .column = at.column};
    snprintf(error.file, sizeof error.file, "%s", at.file != NULL ? at.file : "");
    snprintf(error.field, sizeof error.field, "%s", at.field != NULL ? at.field : "");
    gr_vprint(error.text, sizeof error.text, format, args);
    gr_text_tame(error.file);
    gr_text_tame(error.field);
    gr_text_tame(error.text);
    if (severity == GR_SEVERITY_WARNING && is_known(log, &error)) {
        return;
    }
    if (severity == GR_SEVERITY_ERROR) {
        log->error_count++;
    } else if (severity == GR_SEVERITY_WARNING) {
        log->warning_count++;
    }
    if (log->count == GR_ERROR_LOG_CAPACITY) {
        log->dropped++;
        make_room(log, severity);
    }
    if (log->count < GR_ERROR_LOG_CAPACITY) {
        log->items[log->count++] = error;
    }
    if (heard) {
        hook_log(&error);
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

GrStatus gr_out_of_memory(GrErrorLog *log, const char *file)
{
    return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){.file = file}, "out of memory");
}
