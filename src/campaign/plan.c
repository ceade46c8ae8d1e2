/// The runs of a campaign: from the number of a run to its values, overrides and key, and the check before they start.
#include "alloc.h"
#include "campaign.h"
#include "campaign_parts.h"
#include "hash.h"
#include "key_hash.h"
#include "named.h"
#include "sampling.h"
#include "version.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const GrNamed PLANS[] = {GR_PLAN_LIST(GR_NAMED_ROW)};

const char *gr_plan_name(GrPlan plan)
{
    return GR_NAMED_GET(PLANS, plan, name);
}

/// Combinations of the compared variables.
static uint64_t compared(const GrCampaign *c)
{
    uint64_t count = 1;
    for (int i = c->variable_count - c->compare_count; i < c->variable_count; i++) {
        count *= (uint64_t)gr_variable_grid(&c->variables[i]);
    }
    return count;
}

uint64_t gr_campaign_size(const GrCampaign *campaign)
{
    return campaign->count * (uint64_t)campaign->repeats * compared(campaign);
}

/// Random bits that belong to a variable of a sample.
static uint64_t bits_of(const GrCampaign *c, int variable, uint64_t sample)
{
    const uint64_t path = gr_hash_text(GR_HASH_SEED, c->variables[variable].path);
    return gr_hash_join(gr_hash_join(path, c->seed), sample);
}

void gr_row_sample(const GrCampaign *campaign, const double *u, GrRow *out)
{
    const int count = campaign->variable_count - campaign->compare_count;
    double correlated[GR_CAMPAIGN_VARIABLES];
    for (int i = 0; i < count; i++) {
        correlated[i] = u[i];
    }
    if (campaign->correlation != NULL) {
        gr_correlate(count, campaign->correlation, correlated);
    }
    for (int i = 0; i < count; i++) {
        const uint64_t bits = bits_of(campaign, i, (uint64_t)(correlated[i] * 0x1p53));
        gr_variable_sample(&campaign->variables[i], correlated[i], bits, &out->values[i]);
    }
}

/// Values of combination `index` of variables from `first` on, the last one fastest.
static void combine(const GrCampaign *c, int first, int last, uint64_t index, GrRow *out)
{
    for (int i = last - 1; i >= first; i--) {
        const uint64_t count = (uint64_t)gr_variable_grid(&c->variables[i]);
        gr_variable_at(&c->variables[i], (int)(index % count), &out->values[i]);
        index /= count;
    }
}

/// Seeds of a grid differ from point to point too. They do not depend on the number of repeats: more can be added
/// later.
static void draw_seeds(const GrCampaign *c, uint64_t sample, uint64_t repeat, GrRow *out)
{
    enum { SAMPLE_BITS = 40 };
    for (int i = 0; i < c->variable_count; i++) {
        if (c->variables[i].kind == GR_VARIABLE_SEED) {
            gr_variable_sample(&c->variables[i], 0.5, bits_of(c, i, repeat << SAMPLE_BITS | sample), &out->values[i]);
        }
    }
}

void gr_campaign_row(const GrCampaign *campaign, uint64_t index, GrRow *out)
{
    const uint64_t others = compared(campaign), sample = index / others / (uint64_t)campaign->repeats;
    const int count = campaign->variable_count - campaign->compare_count;
    double u[GR_CAMPAIGN_VARIABLES];
    combine(campaign, count, campaign->variable_count, index % others, out);
    switch (campaign->plan) {
    case GR_PLAN_GRID: {
        uint64_t rest = sample;
        for (int i = count - 1; i >= 0; i--) {
            const int values = gr_variable_grid(&campaign->variables[i]);
            if (values > 0) {
                gr_variable_at(&campaign->variables[i], (int)(rest % (uint64_t)values), &out->values[i]);
                rest /= (uint64_t)values;
            } else { // a seed, or a variable of a search
                gr_variable_sample(&campaign->variables[i], 0.5, 0, &out->values[i]);
            }
        }
        break;
    }
    case GR_PLAN_TABLE:
        for (int i = 0; i < count; i++) {
            gr_variable_at(&campaign->variables[i], (int)sample, &out->values[i]);
        }
        break;
    default: {
        const GrSampling sampling = campaign->plan == GR_PLAN_SOBOL   ? GR_SAMPLING_SOBOL
                                    : campaign->plan == GR_PLAN_LATIN ? GR_SAMPLING_LATIN
                                                                      : GR_SAMPLING_RANDOM;
        gr_sample_point(sampling, sample, campaign->count, count, campaign->seed, u);
        gr_row_sample(campaign, u, out);
        break;
    }
    }
    // The compared cases have the same seeds.
    draw_seeds(campaign, sample, index / others % (uint64_t)campaign->repeats, out);
    gr_row_finish(campaign, out);
}

/// The hash of the file behind a name; 0 for numbers.
static uint64_t hash_behind(const GrCampaign *c, int variable, const char *text)
{
    const GrVariable *v = &c->variables[variable];
    for (int i = 0; i < v->text_count && c->name_hashes[variable] != NULL; i++) {
        if (strcmp(v->texts[i], text) == 0) {
            return c->name_hashes[variable][i];
        }
    }
    return 0;
}

void gr_row_finish(const GrCampaign *campaign, GrRow *out)
{
    uint64_t key =
        gr_hash_text(gr_hash_bytes(GR_HASH_SEED, &campaign->inputs, sizeof campaign->inputs), gr_version_and_bits());
    out->count = campaign->variable_count;
    for (int i = 0; i < out->count; i++) {
        const uint64_t behind = hash_behind(campaign, i, out->values[i].text);
        snprintf(out->texts[i], sizeof out->texts[i], "%s=%s", campaign->variables[i].path, out->values[i].text);
        out->overrides[i] = out->texts[i];
        out->paths[i] = campaign->variables[i].path;
        out->numbers[i] = out->values[i].number;
        key = gr_hash_bytes(gr_hash_text(key, out->texts[i]), &behind, sizeof behind);
    }
    out->overrides[out->count] = NULL;
    out->key = gr_hash_finish(key);
}

GrCase gr_row_case(const GrRow *row)
{
    return (GrCase){row->overrides, row->paths, row->numbers, row->count};
}

// ---- the check: every path and name must be known to the subject

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
