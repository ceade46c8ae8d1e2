/// The subject `function`: formulas of the variables, for campaigns with known answers and for quick estimates.
///
///     run: {function: {f: "sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"}}
#include "subject.h"

#include "alloc.h"
#include "key_hash.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Formulas {
    char names[GR_CAMPAIGN_METRICS][GR_NAME_SIZE];
    char texts[GR_CAMPAIGN_METRICS][GR_MEASURE_TEXT];
    int count;
} Formulas;

static void *create(GrNode *value, const GrNode *section)
{
    (void)section;
    Formulas *f = gr_calloc(1, sizeof *f);
    if (f == NULL) {
        gr_node_out_of_memory(value);
        return NULL;
    }
    bool ok = gr_node_is_mapping(value) && value->count > 0 && value->count <= GR_CAMPAIGN_METRICS;
    if (!ok) {
        gr_node_error(value, GR_ERROR_VALUE, "expected one to %d formulas, such as {f: x^2 + y^2}",
                      (int)GR_CAMPAIGN_METRICS);
    }
    for (GrNode *child = ok ? value->first : NULL; child != NULL; child = child->next) {
        child->used = true;
        ok = gr_node_text(child, f->texts[f->count], sizeof f->texts[0]) && ok;
        if (!gr_expression_is_name(child->key) || gr_expression_is_reserved(child->key) ||
            gr_text_copy(f->names[f->count], sizeof f->names[0], child->key) == 0) {
            gr_node_error_at(child, GR_AT_KEY, GR_ERROR_NAME, "'%.60s' cannot be the name of a formula", child->key);
            ok = false;
        }
        f->count++;
    }
    if (!ok) {
        gr_free(f);
        return NULL;
    }
    return f;
}

static bool has(void *context, const char *name, bool channel)
{
    const Formulas *f = context;
    for (int i = 0; i < f->count && !channel; i++) {
        if (strcmp(f->names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static int list(void *context, bool channel, const char **names, int capacity)
{
    const Formulas *f = context;
    int count = 0;
    for (; count < f->count && count < capacity && !channel; count++) {
        names[count] = f->names[count];
    }
    return count;
}

static GrLookup look_up(void *context, const char *name, double *value)
{
    const GrCase *c = context;
    for (int i = 0; i < c->count; i++) {
        if (strcmp(c->paths[i], name) == 0 && !isnan(c->numbers[i])) {
            *value = c->numbers[i];
            return GR_LOOKUP_FOUND;
        }
    }
    return GR_LOOKUP_UNKNOWN;
}

static int list_variables(void *context, const char **out, int capacity)
{
    const GrCase *c = context;
    int count = 0;
    for (; count < c->count && count < capacity; count++) {
        out[count] = c->paths[count];
    }
    return count;
}

/// All formulas must have a value, or be without one for a reason of numbers such as 0/0.
static GrStatus identify(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log)
{
    Formulas *f = subject;
    GrStatus status = GR_OK;
    for (int i = 0; i < f->count && status == GR_OK; i++) {
        GrExpressionError error = {0};
        double value;
        const GrScope scope = {look_up, list_variables, (void *)(uintptr_t)c};
        *hash = gr_hash_text(gr_hash_text(*hash, f->names[i]), f->texts[i]);
        if (!gr_expression_evaluate(f->texts[i], &scope, &value, &error) &&
            strstr(error.text, "not a number") == NULL) {
            status = gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = f->names[i]}, "%s", error.text);
        }
    }
    return status;
}

void *gr_plain_worker(void *subject, const GrMeasures *measures)
{
    GrPlainWorker *w = gr_calloc(1, sizeof *w);
    if (w != NULL) {
        *w = (GrPlainWorker){subject, measures};
    }
    return w;
}

static GrStatus run(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log)
{
    const GrPlainWorker *w = worker;
    const Formulas *formulas = w->subject;
    (void)log;
    snprintf(result->outcome, sizeof result->outcome, "done");
    result->succeeded = true;
    result->progress = 1;
    const GrScope scope = {look_up, list_variables, (void *)(uintptr_t)c};
    for (int k = 0; k < w->measures->term_count; k++) {
        terms[k] = (double)NAN;
        for (int i = 0; i < formulas->count; i++) {
            GrExpressionError error = {0};
            if (strcmp(formulas->names[i], w->measures->terms[k].name) == 0 &&
                !gr_expression_evaluate(formulas->texts[i], &scope, &terms[k], &error)) {
                terms[k] = (double)NAN;
                result->succeeded = false;
                result->progress = 0;
                snprintf(result->outcome, sizeof result->outcome, "undefined");
                snprintf(result->cause, sizeof result->cause, "%.60s: %.180s", formulas->names[i], error.text);
            }
        }
    }
    return GR_OK;
}

const GrSubjectKind gr_subject_function = {
    .name = "function",
    .text = "formulas of the variables",
    .create = create,
    .destroy = gr_free,
    .identify = identify,
    .has = has,
    .list = list,
    .create_worker = gr_plain_worker,
    .destroy_worker = gr_free,
    .run = run,
};
