/// The section params of a document: named numbers that expressions use, computed on demand, cycles reported.
#include "document.h"
#include "fields.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PARAMS = 256 };

static GrParam *find_param(GrDocument *document, const char *name)
{
    for (int i = 0; i < document->param_count; i++) {
        if (strcmp(document->params[i].name, name) == 0) {
            return &document->params[i];
        }
    }
    return NULL;
}

/// The cycle `a -> b -> a` that closes at `param`: the parameters being computed, in the order in which they were
/// started.
static void report_cycle(const GrParam *param)
{
    char text[200];
    size_t used = 0;
    const GrParam *at = param;
    text[0] = '\0';
    do {
        const int written = snprintf(text + used, sizeof text - used, "%s -> ", at->name);
        used = written > 0 && used + (size_t)written < sizeof text ? used + (size_t)written : used;
        at = at->waits_for;
    } while (at != NULL && at != param && used < sizeof text - 70);
    gr_node_error(param->node, GR_ERROR_VALUE, "parameters depend on each other in a cycle: %s%s", text, param->name);
}

static GrLookup param_value(GrDocument *document, GrParam *param, double *value)
{
    if (param->state == GR_PARAM_BUSY) {
        report_cycle(param);
        return GR_LOOKUP_FAILED;
    }
    if (param->state == GR_PARAM_NEW) {
        GrParam *previous = document->computing;
        if (previous != NULL) {
            previous->waits_for = param;
        }
        document->computing = param;
        param->state = GR_PARAM_BUSY;
        const bool good = gr_node_number(param->node, GR_ANY_OR_INFINITE, &param->value);
        param->state = good ? GR_PARAM_DONE : GR_PARAM_FAILED;
        document->computing = previous;
    }
    *value = param->value;
    return param->state == GR_PARAM_DONE ? GR_LOOKUP_FOUND : GR_LOOKUP_FAILED;
}

static GrLookup lookup(void *context, const char *name, double *value)
{
    GrNode *node = context;
    GrDocument *document = node->document;
    for (const GrNode *n = node; n != NULL; n = n->parent) {
        for (const GrBinding *binding = n->bindings; binding != NULL; binding = binding->next) {
            if (strcmp(binding->name, name) == 0) {
                *value = binding->value;
                return GR_LOOKUP_FOUND;
            }
        }
    }
    GrParam *param = find_param(document, name);
    if (param == NULL) {
        return GR_LOOKUP_UNKNOWN;
    }
    if (param->state == GR_PARAM_BUSY && document->computing != NULL) {
        document->computing->waits_for = param;
    }
    param->used = true;
    return param_value(document, param, value);
}

static int names(void *context, const char **out, int capacity)
{
    GrNode *node = context;
    const GrDocument *document = node->document;
    int count = 0;
    for (const GrNode *n = node; n != NULL; n = n->parent) {
        for (const GrBinding *binding = n->bindings; binding != NULL && count < capacity; binding = binding->next) {
            out[count++] = binding->name;
        }
    }
    for (int i = 0; i < document->param_count && count < capacity; i++) {
        out[count++] = document->params[i].name;
    }
    return count;
}

GrScope gr_node_scope(GrNode *node)
{
    // Search for the nearest name only if the message will be kept.
    const GrErrorLog *log = node->document->log;
    const bool kept = log != NULL && log->dropped == 0;
    return (GrScope){.lookup = lookup, .names = kept ? names : NULL, .context = node};
}

static bool check_name(const GrNode *node)
{
    if (!gr_expression_is_name(node->key)) {
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME,
                         "invalid name '%s' for expressions; allowed: letters, digits and _", node->key);
        return false;
    }
    if (gr_expression_is_reserved(node->key)) {
        gr_node_error_at(node, GR_AT_KEY, GR_ERROR_NAME,
                         "'%s' is a function or constant of expressions; choose another name", node->key);
        return false;
    }
    return true;
}

void gr_document_read_params(GrDocument *document)
{
    GrNode *params = gr_field_mapping(document->root, "params", GR_OPTIONAL);
    if (params == NULL) {
        return;
    }
    if (params->count > MAX_PARAMS) {
        // Limited, since each may be computed inside another, on the stack.
        gr_node_error(params, GR_ERROR_VALUE, "has %d parameters; at most %d are allowed", params->count, MAX_PARAMS);
        return;
    }
    document->params = gr_arena_alloc(&document->arena, (size_t)(params->count + 1) * sizeof *document->params);
    if (document->params == NULL) {
        return;
    }
    for (GrNode *node = params->first; node != NULL; node = node->next) {
        node->used = true;
        if (check_name(node)) {
            document->params[document->param_count++] = (GrParam){.name = node->key, .node = node};
        }
    }
    for (int i = 0; i < document->param_count; i++) {
        double value;
        param_value(document, &document->params[i], &value);
    }
}

void gr_document_warn_params(const GrDocument *document)
{
    for (int i = 0; i < document->param_count && document->status == GR_OK; i++) {
        const GrNode *node = document->params[i].node;
        if (!document->params[i].used && (!document->overridden || gr_node_is_override(node))) {
            gr_node_warning(node, "has no effect: no expression of the file uses the parameter");
        }
    }
}
