/// From the number of a run to its values, overrides and key.
#include "campaign.h"

#include "hash.h"
#include "key_hash.h"
#include "named.h"
#include "sampling.h"
#include "version.h"

#include <math.h>
#include <stdio.h>

static const GrNamed PLANS[] = {GR_PLAN_LIST(GR_NAMED_ROW)};

const char *gr_plan_name(GrPlan plan)
{
    return GR_NAMED_GET(PLANS, plan, name);
}

const char *gr_plan_text(GrPlan plan)
{
    return GR_NAMED_GET(PLANS, plan, text);
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
