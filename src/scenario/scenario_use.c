#include "scenario_use.h"

#include "find.h"
#include "number.h"
#include "soil_yaml.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

void gr_overrides_clear(GrOverrides *lists, int count)
{
    for (int i = 0; i < count; i++) {
        lists[i].count = 0;
        lists[i].items[0] = NULL;
    }
}

bool gr_overrides_add(GrOverrides *list, const char *name, const char *value)
{
    if (list->count == GR_OVERRIDES_MAX) {
        return false;
    }
    char *text = list->texts[list->count];
    if (snprintf(text, GR_OVERRIDE_SIZE, "%s%s%s", name, value != NULL ? "=" : "", value != NULL ? value : "") >=
        GR_OVERRIDE_SIZE) {
        return false;
    }
    list->items[list->count++] = text;
    list->items[list->count] = NULL;
    return true;
}

void gr_read_set(GrNode *mapping, GrOverrides *out)
{
    GrNode *set = gr_field_mapping(mapping, "set", GR_OPTIONAL);
    for (GrNode *item = set != NULL ? set->first : NULL; item != NULL; item = item->next) {
        item->used = true;
        double number;
        char text[64];
        if (item->kind != GR_NODE_SCALAR) {
            gr_node_error(item, GR_ERROR_VALUE, "a value is needed");
            continue;
        }
        const char *value = item->text;
        if (!item->quoted && gr_node_find(item->document->root, "params") != NULL && value[0] != '\0' &&
            strpbrk(value, "+-*/(") != NULL && gr_node_number(item, GR_ANY, &number)) {
            gr_print(text, sizeof text, "%.17g", number);
            value = text;
        }
        if (!gr_overrides_add(out, item->key, value)) {
            gr_node_error(item, GR_ERROR_VALUE, "too many values, or one that is too long");
        }
    }
}

/// Inserts `set:` of the file before the existing overrides: later ones win, so the command line takes precedence.
static void read_set_first(GrNode *mapping, GrOverrides *overrides)
{
    const char *given[GR_OVERRIDES_MAX];
    const int count = overrides->count;
    memcpy(given, overrides->items, sizeof(*given) * (size_t)count);
    gr_read_set(mapping, overrides);
    const int added = overrides->count - count;
    memmove(overrides->items, overrides->items + count, sizeof(*given) * (size_t)added);
    memcpy(overrides->items + added, given, sizeof(*given) * (size_t)count);
}

static GrStatus find_by_name(const char *kind, const char *word, const char *name, char path[GR_FILE_PATH_SIZE],
                             GrErrorLog *log)
{
    return strcmp(kind, "soils") == 0 ? gr_soil_find(name, path, log) : gr_find_file(kind, word, name, path, log);
}

bool gr_read_use(GrNode *node, const char *kind, const char *word, GrOverrides *overrides, char path[GR_FILE_PATH_SIZE])
{
    char given[GR_FILE_PATH_SIZE], beside[GR_FILE_PATH_SIZE];
    GrNode *name = node;
    if (node->kind == GR_NODE_MAPPING) {
        name = gr_field(node, "use", GR_REQUIRED);
        read_set_first(node, overrides);
    }
    if (name == NULL || !gr_node_text(name, given, sizeof given)) {
        return false;
    }
    GrErrorLog log = {.quiet = true};
    const bool is_path = strpbrk(given, "./") != NULL;
    if (!is_path ? find_by_name(kind, word, given, path, &log) == GR_OK : gr_node_beside(name, given, beside)) {
        if (is_path && !gr_file_exists(beside)) {
            gr_node_error(name, GR_ERROR_FILE, "%.300s: there is no such file", beside);
            return false;
        }
        return !is_path || gr_text_copy(path, GR_FILE_PATH_SIZE, beside);
    }
    gr_node_error(name, is_path ? GR_ERROR_FILE : GR_ERROR_NAME, "%s",
                  is_path ? "the path is too long" : log.items[0].text);
    return false;
}
