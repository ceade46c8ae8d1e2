#include "design.h"

#include "text.h"

#include <ctype.h>
#include <string.h>

/// Length of KEY in "KEY=VALUE"; 0: the text is not one.
static size_t key_length(const char *text)
{
    size_t i = 0;
    while (isalnum((unsigned char)text[i]) || (text[i] != '\0' && strchr("_.:-[]", text[i]) != NULL)) {
        i++;
    }
    return text[i] == '=' && (isalpha((unsigned char)text[0]) || text[0] == '_') ? i : 0;
}

/// The + before the next change; NULL: none.
static char *next_change(char *text)
{
    for (char *at = strchr(text, '+'); at != NULL; at = strchr(at + 1, '+')) {
        if (key_length(at + 1) > 0) {
            return at;
        }
    }
    return NULL;
}

/// "soil:mars_sand" is a short form of "soil=mars_sand", unless it sets a parameter: "soil:phi=30".
static void expand(char *text)
{
    static const char *const words[] = {"soil", "law", "model", "gravity", "mode", "rover"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const size_t length = strlen(words[i]);
        if (strncmp(text, words[i], length) == 0 && text[length] == ':' && key_length(text) == 0) {
            text[length] = '=';
        }
    }
}

GrStatus gr_design_read(const char *text, GrDesign *out, GrErrorLog *log)
{
    *out = (GrDesign){.base = ""};
    gr_text_copy(out->label, sizeof out->label, text[0] == '+' ? text + 1 : text);
    if (text[0] == '\0' || !gr_text_copy(out->room, sizeof out->room, text)) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
                            "found '%.60s', allowed: NAME, NAME+KEY=VALUE, +KEY=VALUE or soil:NAME", text);
    }
    expand(out->room);
    char *at = out->room[0] == '+' ? out->room : key_length(out->room) > 0 ? NULL : next_change(out->room);
    if (out->room[0] == '+' && key_length(out->room + 1) == 0) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
                            "found '%.60s': a change is +KEY=VALUE, such as +soil=mars_drift", text);
    }
    char *change = at != NULL ? at + 1 : key_length(out->room) > 0 ? out->room : NULL;
    out->base = change == out->room || at == out->room ? "" : out->room;
    if (at != NULL) {
        *at = '\0';
    }
    while (change != NULL) {
        if (out->change_count == GR_DESIGN_CHANGES) {
            return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
                                "'%.60s' has more than %d changes", text, (int)GR_DESIGN_CHANGES);
        }
        out->changes[out->change_count++] = change;
        at = next_change(change);
        if (at != NULL) {
            *at = '\0';
        }
        change = at != NULL ? at + 1 : NULL;
    }
    return GR_OK;
}

GrStatus gr_designs_read(const char *const *texts, int count, const char *base, GrDesign *out, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < count; i++) {
        const GrStatus one = gr_design_read(texts[i], &out[i], log);
        status = status == GR_OK ? one : status;
        base = base == NULL && out[i].base[0] != '\0' ? out[i].base : base;
    }
    for (int i = 0; i < count && base == NULL && status == GR_OK; i++) { // rover:NAME
        base = out[i].change_count > 0 ? gr_design_value(out[i].changes[0], "rover") : NULL;
    }
    if (status == GR_OK && base == NULL) {
        return gr_error_add(
            log, GR_ERROR_USAGE, (GrLocation){.field = "DESIGN"},
            "'%.60s' changes something, and nothing is there to change: begin with a rover or a scenario, "
            "or give --rover or --scenario",
            texts[0]);
    }
    for (int i = 0; i < count; i++) {
        out[i].base = out[i].base[0] == '\0' ? base : out[i].base;
    }
    return status;
}

const char *gr_design_value(const char *change, const char *key)
{
    const size_t length = strlen(key);
    return strncmp(change, key, length) == 0 && change[length] == '=' ? change + length + 1 : NULL;
}

GrStatus gr_design_add(GrTextList *list, const char *text, GrErrorLog *log)
{
    if (list->count == GR_OPTION_LIST_SIZE) {
        return gr_error_add(log, GR_ERROR_USAGE, (GrLocation){.field = "--set"}, "more than %d values",
                            GR_OPTION_LIST_SIZE);
    }
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
    return GR_OK;
}
