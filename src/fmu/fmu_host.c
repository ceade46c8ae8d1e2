#include "fmu_host.h"

#include "alloc.h"
#include "crc32.h"
#include "fmu_resources.h"
#include "number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const gr_fmu_categories[GR_FMU_CATEGORY_COUNT] = {"logStatusWarning", "logStatusError"};

/// In front of the state in a saved one: the mode in which it was saved, and the last step.
typedef struct Envelope {
    uint32_t mode;
    uint32_t crc; ///< of what follows, in bytes for another process: damaged ones must not become a state
    double start;
    GrFmuAdvance last;
} Envelope;

enum { CRC_AT = offsetof(Envelope, crc) };

static const char *mode_name(GrFmuMode mode)
{
    switch (mode) {
    case GR_FMU_INSTANTIATED:
        return "instantiated";
    case GR_FMU_INITIALIZATION:
        return "initialization mode";
    case GR_FMU_EVENT:
        return "event mode";
    case GR_FMU_STEP:
        return "step mode";
    case GR_FMU_FAILED:
        return "step not completed";
    case GR_FMU_TERMINATED:
        return "terminated";
    case GR_FMU_CONTINUOUS:
        return "continuous-time mode";
    case GR_FMU_ANY:
        break;
    }
    return "unknown";
}

// ---- messages

static void say(const GrFmuHost *host, GrFmuStatus status, const char *text)
{
    if (host->say != NULL && host->logger != NULL && (host->logging || status >= GR_FMU_ERROR)) {
        host->say(host, status, gr_fmu_categories[status >= GR_FMU_ERROR], text);
    }
}

/// Hands a log to the host. GR_FMU_ERROR if it has an error, GR_FMU_WARNING if it has a warning.
static GrFmuStatus fmu_report(const GrFmuHost *host, const GrErrorLog *log)
{
    for (int i = 0; i < log->count; i++) {
        char text[1200];
        gr_error_format(&log->items[i], text, sizeof text);
        if (log->items[i].severity != GR_SEVERITY_INFO) {
            say(host, log->items[i].severity == GR_SEVERITY_ERROR ? GR_FMU_ERROR : GR_FMU_WARNING, text);
        }
    }
    return log->error_count > 0 ? GR_FMU_ERROR : log->warning_count > 0 ? GR_FMU_WARNING : GR_FMU_OK;
}

GrFmuStatus gr_fmu_refuse(const GrFmuHost *host, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    gr_vprint(text, sizeof text, format, arguments);
    va_end(arguments);
    say(host, GR_FMU_ERROR, text);
    return GR_FMU_ERROR;
}

bool gr_fmu_allowed(const GrFmuHost *host, unsigned modes, const char *call)
{
    if (host == NULL) {
        return false;
    }
    if (((unsigned)host->mode & modes) == 0) {
        gr_fmu_refuse(host, "%s is not allowed now: %s", call, mode_name(host->mode));
        return false;
    }
    return true;
}

/// Reports a log that a function filled with a status.
static GrFmuStatus conclude(const GrFmuHost *host, GrStatus status, const GrErrorLog *log)
{
    const GrFmuStatus reported = fmu_report(host, log);
    if (status != GR_OK && reported != GR_FMU_ERROR) {
        return gr_fmu_refuse(host, "%s", gr_status_text(status));
    }
    return reported;
}

GrFmuStatus gr_fmu_switch_logging(GrFmuHost *host, bool on, size_t count, const char *const categories[])
{
    for (size_t i = 0; i < count; i++) {
        bool known = categories != NULL && categories[i] != NULL;
        bool found = false;
        for (int k = 0; k < GR_FMU_CATEGORY_COUNT && known; k++) {
            found = found || strcmp(categories[i], gr_fmu_categories[k]) == 0;
        }
        if (!found) {
            return gr_fmu_refuse(host, "unknown category of messages '%.100s'", known ? categories[i] : "");
        }
    }
    host->logging = on;
    return GR_FMU_OK;
}

// ---- life

GrFmuHost *gr_fmu_host_create(const GrFmuHostDef *def)
{
    GrFmuHost *host = gr_calloc(1, sizeof *host);
    GrErrorLog *log = gr_calloc(1, sizeof *log);
    if (host == NULL || log == NULL) {
        gr_free(host);
        gr_free(log);
        return NULL;
    }
    *host = (GrFmuHost){.mode = GR_FMU_INSTANTIATED, .logging = def->logging, .say = def->say, .logger = def->logger};
    host->environment = def->environment;
    host->name = gr_strdup(def->name != NULL ? def->name : "");
    host->unit = host->name != NULL ? gr_fmu_open(def->resources, def->token, def->exchange, log) : NULL;
    host->exchange = def->exchange;
    fmu_report(host, log);
    gr_free(log);
    if (host->unit == NULL) {
        gr_fmu_host_free(host);
        return NULL;
    }
    return host;
}

static void drop_texts(GrFmuHost *host)
{
    for (size_t i = 0; i < host->text_count; i++) {
        gr_free(host->texts[i]);
    }
    gr_free(host->texts);
    host->texts = NULL;
    host->text_count = 0;
}

void gr_fmu_host_free(GrFmuHost *host)
{
    if (host != NULL) {
        drop_texts(host);
        gr_fmu_unit_free(host->unit);
        gr_free(host->name);
        gr_free(host);
    }
}

GrFmuStatus gr_fmu_enter_initialization(GrFmuHost *host, double start)
{
    if (!isfinite(start)) {
        return gr_fmu_refuse(host, "the start time is not finite");
    }
    host->start = start;
    host->mode = GR_FMU_INITIALIZATION;
    return GR_FMU_OK;
}

GrFmuStatus gr_fmu_exit_initialization(GrFmuHost *host)
{
    GrErrorLog log = {0};
    const GrStatus status = gr_fmu_unit_begin(host->unit, host->start, &log);
    if (status == GR_OK) {
        host->last = (GrFmuAdvance){.time = host->start};
        host->mode = host->event_mode || host->exchange ? GR_FMU_EVENT : GR_FMU_STEP;
    }
    return conclude(host, status, &log);
}

GrFmuStatus gr_fmu_terminate(GrFmuHost *host)
{
    host->mode = GR_FMU_TERMINATED;
    return GR_FMU_OK;
}

GrFmuStatus gr_fmu_reset(GrFmuHost *host)
{
    GrErrorLog log = {0};
    host->mode = GR_FMU_INSTANTIATED;
    return conclude(host, gr_fmu_unit_reset(host->unit, &log), &log);
}

GrFmuStatus gr_fmu_step(GrFmuHost *host, double time, double step)
{
    GrErrorLog log = {0};
    const GrStatus status =
        gr_fmu_unit_advance(host->unit, time, time + step, host->event_mode && host->early_return, &host->last, &log);
    const GrFmuStatus reported = conclude(host, status, &log);
    if (status == GR_ERROR_NUMERIC) {
        host->mode = GR_FMU_FAILED;
    }
    if (status != GR_OK) {
        return reported;
    }
    return host->last.ended && host->last.time < time + step ? GR_FMU_DISCARD : reported;
}

// ---- values

/// The variable of a reference, if it has this type.
static const GrFmuVariable *variable_of(const GrFmuHost *host, GrFmuType type, uint32_t vr)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(host->unit);
    if (vr >= (uint32_t)list->count) {
        gr_fmu_refuse(host, "there is no variable with the value reference %u", (unsigned)vr);
        return NULL;
    }
    if (list->items[vr].type != type) {
        gr_fmu_refuse(host, "%s has another type", list->items[vr].name);
        return NULL;
    }
    return &list->items[vr];
}

GrFmuStatus gr_fmu_get(GrFmuHost *host, GrFmuType type, const uint32_t *vr, size_t count, double *values)
{
    GrErrorLog log = {0};
    for (size_t i = 0; i < count; i++) {
        if (variable_of(host, type, vr[i]) == NULL) {
            return GR_FMU_ERROR;
        }
        const GrStatus status = gr_fmu_unit_get(host->unit, (int)vr[i], &values[i], &log);
        if (status != GR_OK) {
            return conclude(host, status, &log);
        }
    }
    return fmu_report(host, &log);
}

GrFmuStatus gr_fmu_set(GrFmuHost *host, GrFmuType type, const uint32_t *vr, size_t count, const double *values)
{
    GrErrorLog log = {0};
    for (size_t i = 0; i < count; i++) {
        if (variable_of(host, type, vr[i]) == NULL) {
            return GR_FMU_ERROR;
        }
        const GrStatus status = gr_fmu_unit_set(host->unit, (int)vr[i], values[i], &log);
        if (status != GR_OK) {
            return conclude(host, status, &log);
        }
    }
    return fmu_report(host, &log);
}

GrFmuStatus gr_fmu_set_texts(GrFmuHost *host, const uint32_t *vr, size_t count, const char *const *values)
{
    GrErrorLog log = {0};
    GrStatus status = GR_OK;
    for (size_t i = 0; i < count && status == GR_OK; i++) {
        if (variable_of(host, GR_FMU_TEXT, vr[i]) == NULL || values[i] == NULL) {
            return GR_FMU_ERROR;
        }
        status = gr_fmu_unit_set_text(host->unit, (int)vr[i], values[i], &log);
    }
    return conclude(host, status, &log);
}

// ---- model exchange

GrFmuStatus gr_fmu_set_time(GrFmuHost *host, double time)
{
    GrErrorLog log = {0};
    return conclude(host, gr_fmu_unit_set_time(host->unit, time, &log), &log);
}

GrFmuStatus gr_fmu_completed_step(GrFmuHost *host)
{
    GrErrorLog log = {0};
    return conclude(host, gr_fmu_unit_complete(host->unit, &log), &log);
}

GrFmuStatus gr_fmu_event_indicators(GrFmuHost *host, double *values, size_t count)
{
    GrErrorLog log = {0};
    if (count != (size_t)gr_fmu_unit_events(host->unit, NULL, &log)) {
        return gr_fmu_refuse(host, "%zu event indicators; the unit has %d", count,
                             gr_fmu_unit_events(host->unit, NULL, &log));
    }
    const int found = gr_fmu_unit_events(host->unit, values, &log);
    return conclude(host, found >= 0 ? GR_OK : GR_ERROR_NUMERIC, &log);
}

static GrFmuStatus check_states(const GrFmuHost *host, size_t count)
{
    const int own = gr_fmu_unit_states(host->unit);
    return count == (size_t)own ? GR_FMU_OK : gr_fmu_refuse(host, "%zu continuous states; the unit has %d", count, own);
}

GrFmuStatus gr_fmu_get_states(GrFmuHost *host, GrFmuStates what, double *values, size_t count)
{
    GrErrorLog log = {0};
    GrStatus status = GR_OK;
    if (check_states(host, count) != GR_FMU_OK) {
        return GR_FMU_ERROR;
    }
    switch (what) {
    case GR_FMU_STATE_VALUES:
        status = gr_fmu_unit_state_get(host->unit, values, &log);
        break;
    case GR_FMU_STATE_RATES:
        status = gr_fmu_unit_state_rates(host->unit, values, &log);
        break;
    case GR_FMU_STATE_SIZES:
        gr_fmu_unit_state_sizes(host->unit, values);
        break;
    }
    return conclude(host, status, &log);
}

GrFmuStatus gr_fmu_set_states(GrFmuHost *host, const double *values, size_t count)
{
    GrErrorLog log = {0};
    return check_states(host, count) != GR_FMU_OK
               ? GR_FMU_ERROR
               : conclude(host, gr_fmu_unit_state_set(host->unit, values, &log), &log);
}

GrFmuStatus gr_fmu_switch(GrFmuHost *host, bool *changed)
{
    GrErrorLog log = {0};
    return conclude(host, gr_fmu_unit_switch(host->unit, changed, &log), &log);
}

// ---- texts

GrFmuStatus gr_fmu_get_texts(GrFmuHost *host, const uint32_t *vr, size_t count, const char **values)
{
    GrErrorLog log = {0};
    drop_texts(host);
    host->texts = gr_calloc(count + 1, sizeof *host->texts);
    if (host->texts == NULL) {
        return gr_fmu_refuse(host, "out of memory");
    }
    for (size_t i = 0; i < count; i++) {
        const char *text = "";
        if (variable_of(host, GR_FMU_TEXT, vr[i]) == NULL) {
            return GR_FMU_ERROR;
        }
        const GrStatus status = gr_fmu_unit_get_text(host->unit, (int)vr[i], &text, &log);
        host->texts[i] = gr_strdup(text);
        if (status != GR_OK || host->texts[i] == NULL) {
            return conclude(host, status != GR_OK ? status : GR_ERROR_MEMORY, &log);
        }
        host->text_count = i + 1;
        values[i] = host->texts[i];
    }
    return fmu_report(host, &log);
}

// ---- saved states

GrFmuStatus gr_fmu_save(GrFmuHost *host, void **state)
{
    GrErrorLog log = {0};
    if (state == NULL) {
        return gr_fmu_refuse(host, "the pointer for the state is NULL");
    }
    const size_t size = sizeof(Envelope) + gr_fmu_unit_size(host->unit);
    GrFmuSaved *saved = *state;
    if (saved == NULL || saved->size != size) { // the standard allows to reuse a state: its size may have changed
        saved = gr_realloc(saved, sizeof *saved + size);
    }
    if (saved == NULL) {
        return gr_fmu_refuse(host, "out of memory");
    }
    *state = saved;
    saved->size = size;
    Envelope envelope;
    memset(&envelope, 0, sizeof envelope); // padding too
    envelope.mode = (uint32_t)host->mode;
    envelope.start = host->start;
    envelope.last = host->last;
    memcpy(saved->bytes, &envelope, sizeof envelope);
    return conclude(host, gr_fmu_unit_save(host->unit, saved->bytes + sizeof envelope, &log), &log);
}

GrFmuStatus gr_fmu_restore(GrFmuHost *host, const void *state)
{
    const GrFmuSaved *saved = state;
    GrErrorLog log = {0};
    Envelope envelope;
    if (saved == NULL || saved->size < sizeof envelope) {
        return gr_fmu_refuse(host, "not a saved state");
    }
    memcpy(&envelope, saved->bytes, sizeof envelope);
    const bool mode_known =
        envelope.mode != 0 && (envelope.mode & (envelope.mode - 1)) == 0 && envelope.mode < GR_FMU_ANY;
    if (!mode_known) {
        return gr_fmu_refuse(host, "not a saved state");
    }
    const GrStatus status =
        gr_fmu_unit_restore(host->unit, saved->bytes + sizeof envelope, saved->size - sizeof envelope, &log);
    if (status == GR_OK) {
        host->mode = (GrFmuMode)envelope.mode;
        host->start = envelope.start;
        host->last = envelope.last;
    }
    return conclude(host, status, &log);
}

GrFmuStatus gr_fmu_release(GrFmuHost *host, void **state)
{
    (void)host;
    if (state != NULL) { // releasing nothing is allowed
        gr_free(*state);
        *state = NULL;
    }
    return GR_FMU_OK;
}

GrFmuStatus gr_fmu_saved_size(GrFmuHost *host, const void *state, size_t *size)
{
    if (state == NULL || size == NULL) {
        return gr_fmu_refuse(host, "not a saved state");
    }
    *size = ((const GrFmuSaved *)state)->size;
    return GR_FMU_OK;
}

/// Checksum of a packed state, as if the one in it were 0.
static uint32_t crc_of(const unsigned char *bytes, size_t size)
{
    static const unsigned char none[sizeof(uint32_t)] = {0};
    const size_t after = CRC_AT + sizeof none;
    const uint32_t crc = gr_crc32(gr_crc32(0, bytes, CRC_AT), none, sizeof none);
    return gr_crc32(crc, bytes + after, size - after);
}

GrFmuStatus gr_fmu_pack(GrFmuHost *host, const void *state, unsigned char *bytes, size_t size)
{
    const GrFmuSaved *saved = state;
    if (saved == NULL || bytes == NULL || size < saved->size) {
        return gr_fmu_refuse(host, "the state does not fit into %zu bytes", size);
    }
    const uint32_t crc = crc_of(saved->bytes, saved->size);
    memcpy(bytes, saved->bytes, saved->size);
    memcpy(bytes + CRC_AT, &crc, sizeof crc);
    return GR_FMU_OK;
}

GrFmuStatus gr_fmu_unpack(GrFmuHost *host, const unsigned char *bytes, size_t size, void **state)
{
    if (bytes == NULL || state == NULL) {
        return gr_fmu_refuse(host, "not a saved state");
    }
    uint32_t crc = 0;
    if (size >= sizeof(Envelope)) {
        memcpy(&crc, bytes + CRC_AT, sizeof crc);
    }
    if (size < sizeof(Envelope) || crc != crc_of(bytes, size)) {
        return gr_fmu_refuse(host, "the saved state is damaged or cut short: %zu bytes", size);
    }
    GrFmuSaved *saved = gr_malloc(sizeof *saved + size);
    if (saved == NULL) {
        return gr_fmu_refuse(host, "out of memory");
    }
    saved->size = size;
    memcpy(saved->bytes, bytes, size);
    *state = saved;
    return GR_FMU_OK;
}
