/// Tries a campaign before it runs: every path and name must be known to its subject.
#include "campaign_parts.h"

#include "alloc.h"
#include "key_hash.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

/// What the subject says of an invalid value, at the place of the variable in the campaign file.
static void report(const GrNode *node, const GrErrorLog *why)
{
    for (int i = 0; i < why->count; i++) {
        if (why->items[i].severity == GR_SEVERITY_ERROR) {
            const GrError *e = &why->items[i];
            gr_node_error(node, e->status, "%s%s%s", e->field, e->field[0] != '\0' ? ": " : "", e->text);
            return;
        }
    }
    gr_node_error(node, GR_ERROR_VALUE, "the subject does not accept it");
}

/// Whether a run with this variable alone is possible, or else together with the first values of the others.
static bool try_value(GrCampaign *c, int variable, const GrValue *value, const GrNode *at, uint64_t *hash)
{
    GrRow row;
    const char *path = c->variables[variable].path;
    snprintf(row.texts[0], sizeof row.texts[0], "%s=%s", path, value->text);
    const char *alone[] = {row.texts[0], NULL};
    const GrCase single = {alone, &path, &value->number, 1};
    GrErrorLog why = {.quiet = true}, second = {.quiet = true};
    *hash = GR_HASH_SEED;
    if (c->kind->identify(c->subject, &single, hash, &why) == GR_OK) {
        return true;
    }
    gr_campaign_row(c, 0, &row);
    row.values[variable] = *value;
    gr_row_finish(c, &row);
    const GrCase whole = gr_row_case(&row);
    *hash = GR_HASH_SEED;
    if (c->kind->identify(c->subject, &whole, hash, &second) == GR_OK) {
        return true;
    }
    report(at, &why);
    return false;
}

/// The place of item `index` of a list.
static const GrNode *item_of(const GrVariable *v, int index)
{
    const GrNode *item = v->node->kind == GR_NODE_LIST ? v->node->first : NULL;
    for (int i = 0; i < index && item != NULL; i++) {
        item = item->next;
    }
    return item != NULL ? item : v->node;
}

/// Names are all tried, since each stands for a file; of numbers the first and the last.
static void check_variable(GrCampaign *c, int variable)
{
    GrVariable *v = &c->variables[variable];
    GrValue value;
    uint64_t hash;
    if (v->kind == GR_VARIABLE_LIST && v->named) {
        c->name_hashes[variable] = gr_calloc((size_t)v->text_count, sizeof(uint64_t));
        if (c->name_hashes[variable] == NULL) {
            gr_node_out_of_memory(v->node);
            return;
        }
        for (int i = 0; i < v->text_count; i++) {
            gr_variable_at(v, i, &value);
            if (try_value(c, variable, &value, item_of(v, i), &hash)) {
                c->name_hashes[variable][i] = hash;
            }
        }
    } else if (v->kind == GR_VARIABLE_LIST) {
        for (int i = 0; i<v->text_count; i += v->text_count> 1 ? v->text_count - 1 : 1) {
            gr_variable_at(v, i, &value);
            if (!try_value(c, variable, &value, item_of(v, i), &hash)) {
                return;
            }
        }
    } else {
        gr_variable_sample(v, 0.5, 1, &value);
        try_value(c, variable, &value, v->node, &hash);
    }
}

GrStatus gr_campaign_check(GrCampaign *c)
{
    const GrCase none = {.count = 0};
    // formulas have no value without their variables: they are checked with all of them
    GrRow row;
    gr_campaign_row(c, 0, &row);
    const GrCase first = gr_row_case(&row);
    const bool whole = c->kind == &gr_subject_function;
    c->inputs = GR_HASH_SEED;
    GrErrorLog why = {.quiet = true};
    const GrStatus status = c->kind->identify(c->subject, whole ? &first : &none, &c->inputs, &why);
    if (status != GR_OK) {
        report(gr_node_find(c->document->root, "run"), &why);
        return status;
    }
    for (int i = 0; i < c->variable_count && !whole; i++) {
        check_variable(c, i);
    }
    uint64_t id = gr_hash_text(gr_hash_bytes(GR_HASH_SEED, &c->inputs, sizeof c->inputs), gr_version_and_bits());
    id = gr_hash_text(id, c->kind->name);
    for (int i = 0; i < c->variable_count; i++) {
        id = gr_hash_text(id, c->variables[i].path);
    }
    for (int i = 0; i < c->measures.count; i++) {
        id = gr_hash_text(gr_hash_text(id, c->measures.items[i].name), c->measures.items[i].text);
    }
    c->identity = gr_hash_finish(id);
    return c->document->status;
}
