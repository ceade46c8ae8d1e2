#include "campaign_search.h"

#include "hash.h"
#include "key_hash.h"

#include <math.h>
#include <string.h>

static bool is_objective(GrWish wish)
{
    return wish == GR_WISH_MINIMIZE || wish == GR_WISH_MAXIMIZE;
}

/// Bounds of a variable as a coordinate.
static bool add_coordinate(const GrCampaign *c, int index, GrSearch *out)
{
    const GrVariable *v = &c->variables[index];
    const int i = out->dimension;
    if (v->kind == GR_VARIABLE_SEED) {
        return true;
    }
    const bool range = v->kind == GR_VARIABLE_NUMBER && (v->distribution.kind == GR_DISTRIBUTION_UNIFORM ||
                                                         v->distribution.kind == GR_DISTRIBUTION_LOG_UNIFORM);
    if (v->kind == GR_VARIABLE_NUMBER && !range) {
        gr_node_error(v->node, GR_ERROR_VALUE, "a search needs a range {from: …, to: …} or a list here");
        return false;
    }
    out->variable[i] = index;
    out->integer[i] = v->kind == GR_VARIABLE_LIST || v->integer;
    out->lower[i] = v->kind == GR_VARIABLE_NUMBER && v->integer ? ceil(v->lower) : 0;
    out->upper[i] = v->kind == GR_VARIABLE_LIST ? v->text_count - 1 : v->integer ? floor(v->upper) : 1;
    out->dimension++;
    return true;
}

GrStatus gr_search_make(const GrCampaign *campaign, GrSearch *out)
{
    *out = (GrSearch){.campaign = campaign};
    bool ok = true;
    for (int i = 0; i < campaign->variable_count; i++) {
        ok = add_coordinate(campaign, i, out) && ok;
    }
    for (int i = 0; i < campaign->search.goal_count; i++) {
        *(is_objective(campaign->search.goals[i].wish) ? &out->objective_count : &out->constraint_count) += 1;
    }
    out->constraint_count += !campaign->search.allow_failed;
    if (ok && campaign->compare_count > 0) {
        gr_node_error(campaign->variables[campaign->variable_count - 1].node, GR_ERROR_FIELD,
                      "a search compares by itself: move the variables of `compare` to `vary`");
        ok = false;
    }
    if (ok && out->dimension == 0) {
        gr_node_error(campaign->document->root, GR_ERROR_FIELD, "there is nothing to search: only seeds vary");
        ok = false;
    }
    return ok ? GR_OK : GR_ERROR_VALUE;
}

GrOptimizerDef gr_search_def(const GrSearch *search)
{
    const GrSearchPlan *plan = &search->campaign->search;
    GrOptimizerDef def = gr_default_optimizer_def();
    const GrOptimizerKind usual = search->objective_count > 1 ? GR_OPTIMIZER_NSGA2 : GR_OPTIMIZER_CMAES;
    def.method = plan->method >= 0 ? (GrOptimizerKind)plan->method : usual;
    def.variable_count = search->dimension;
    def.lower = search->lower;
    def.upper = search->upper;
    def.is_integer = search->integer;
    def.objective_count = search->objective_count;
    def.constraint_count = search->constraint_count;
    def.budget = plan->budget;
    def.population = plan->population;
    def.restarts = plan->restarts;
    def.repeats = plan->repeats;
    def.tolerance = plan->tolerance;
    def.seed = search->campaign->seed;
    return def;
}

void gr_search_row(const GrSearch *search, const double *point, int replicate, GrRow *out)
{
    const GrCampaign *c = search->campaign;
    for (int i = 0; i < search->dimension; i++) {
        const GrVariable *v = &c->variables[search->variable[i]];
        GrValue *value = &out->values[search->variable[i]];
        if (v->kind == GR_VARIABLE_LIST) {
            gr_variable_at(v, (int)point[i], value);
        } else if (v->integer) {
            gr_variable_number(v, point[i], value);
        } else {
            gr_variable_number(v, gr_distribution_quantile(&v->distribution, fmin(fmax(point[i], 0), 1)), value);
        }
    }
    for (int i = 0; i < c->variable_count; i++) {
        if (c->variables[i].kind == GR_VARIABLE_SEED) {
            // the same seeds for all points: designs are compared on the same ground
            const uint64_t path = gr_hash_text(GR_HASH_SEED, c->variables[i].path);
            gr_variable_sample(&c->variables[i], 0.5, gr_hash_join(gr_hash_join(path, c->seed), (uint64_t)replicate),
                               &out->values[i]);
        }
    }
    gr_row_finish(c, out);
}

void gr_search_values(const GrSearch *search, const GrResult *result, double *out)
{
    const GrSearchPlan *plan = &search->campaign->search;
    int objective = 0, constraint = search->objective_count;
    for (int i = 0; i < plan->goal_count; i++) {
        const GrGoal *goal = &plan->goals[i];
        const double value = result->metrics[goal->measure], scale = goal->limit != 0 ? fabs(goal->limit) : 1;
        switch (goal->wish) {
        case GR_WISH_MINIMIZE:
            out[objective++] = value;
            break;
        case GR_WISH_MAXIMIZE:
            out[objective++] = -value;
            break;
        case GR_WISH_BELOW:
            out[constraint++] = (value - goal->limit) / scale;
            break;
        case GR_WISH_ABOVE:
            out[constraint++] = (goal->limit - value) / scale;
            break;
        }
    }
    if (!plan->allow_failed) {
        // the sooner a run fails, the worse it is, so that the search finds its way out (LS10 4.1)
        out[constraint++] = result->succeeded ? -1 : 2 - fmin(fmax(result->progress, 0), 1);
    }
}
