/// The sections `optimize` and `sensitivity` of a campaign file, and the search that the first one asks for.
#include "campaign_search.h"

#include "campaign_keys.h"
#include "campaign_parts.h"
#include "hash.h"
#include "key_hash.h"
#include "optimizer.h"

#include <math.h>
#include <string.h>

int gr_campaign_variable(const GrCampaign *campaign, GrNode *node)
{
    const char *names[GR_CAMPAIGN_VARIABLES];
    node->used = true;
    for (int i = 0; i < campaign->variable_count; i++) {
        names[i] = campaign->variables[i].path;
        if (node->kind == GR_NODE_SCALAR && strcmp(names[i], node->text) == 0) {
            return i;
        }
    }
    gr_node_error(node, GR_ERROR_NAME, "'%.60s' is not a variable of this campaign%s",
                  node->kind == GR_NODE_SCALAR ? node->text : "?",
                  gr_suggestion(node->document->log, node->kind == GR_NODE_SCALAR ? node->text : "", names,
                                campaign->variable_count)
                      .text);
    return -1;
}

/// Index of the measure that a scalar names; −1 after an error.
static int campaign_measure(const GrCampaign *campaign, GrNode *node)
{
    const char *names[GR_CAMPAIGN_METRICS];
    const char *word = node->kind == GR_NODE_SCALAR ? node->text : "?";
    node->used = true;
    for (int i = 0; i < campaign->measures.count; i++) {
        names[i] = campaign->measures.items[i].name;
        if (strcmp(names[i], word) == 0) {
            return i;
        }
    }
    gr_node_error(node, GR_ERROR_NAME, "'%.60s' is not measured by this campaign%s", word,
                  gr_suggestion(node->document->log, word, names, campaign->measures.count).text);
    return -1;
}

static void add_goal(GrNode *node, GrGoal goal, GrGoal goals[GR_CAMPAIGN_WISHES], int *count)
{
    if (goal.measure < 0) {
        return;
    }
    if (*count == GR_CAMPAIGN_WISHES) {
        gr_node_error(node, GR_ERROR_VALUE, "more than %d objectives and limits", (int)GR_CAMPAIGN_WISHES);
        return;
    }
    goals[(*count)++] = goal;
}

/// A measure, or a list of measures.
static void read_wish(GrNode *section, const char *key, GrWish wish, GrCampaign *out)
{
    GrNode *node = gr_field(section, key, GR_OPTIONAL);
    if (node == NULL) {
        return;
    }
    if (node->kind != GR_NODE_LIST) {
        const GrGoal goal = {campaign_measure(out, node), wish, 0};
        add_goal(node, goal, out->search.goals, &out->search.goal_count);
        return;
    }
    for (GrNode *item = node->first; item != NULL; item = item->next) {
        const GrGoal goal = {campaign_measure(out, item), wish, 0};
        add_goal(item, goal, out->search.goals, &out->search.goal_count);
    }
}

/// "limits: {slope_deg: {above: 20}, torque_Nm: {below: 30}}".
void gr_campaign_read_limits(GrNode *section, const GrCampaign *out, GrGoal goals[GR_CAMPAIGN_WISHES], int *count)
{
    GrNode *limits = gr_field_mapping(section, "limits", GR_OPTIONAL);
    for (GrNode *child = limits != NULL ? limits->first : NULL; child != NULL; child = child->next) {
        int measure = -1;
        child->used = true;
        for (int i = 0; i < out->measures.count; i++) {
            measure = strcmp(out->measures.items[i].name, child->key) == 0 ? i : measure;
        }
        if (measure < 0) {
            const char *names[GR_CAMPAIGN_METRICS];
            for (int i = 0; i < out->measures.count; i++) {
                names[i] = out->measures.items[i].name;
            }
            gr_node_error_at(child, GR_AT_KEY, GR_ERROR_NAME, "'%.60s' is not measured by this campaign%s", child->key,
                             gr_suggestion(child->document->log, child->key, names, out->measures.count).text);
            continue;
        }
        if (!gr_node_is_mapping(child)) {
            continue;
        }
        double limit;
        bool any = false;
        if (gr_field_number(child, "below", GR_OPTIONAL, GR_ANY, &limit)) {
            add_goal(child, (GrGoal){measure, GR_WISH_BELOW, limit}, goals, count);
            any = true;
        }
        if (gr_field_number(child, "above", GR_OPTIONAL, GR_ANY, &limit)) {
            add_goal(child, (GrGoal){measure, GR_WISH_ABOVE, limit}, goals, count);
            any = true;
        }
        gr_fields_end(child);
        if (!any && child->document->status == GR_OK) {
            gr_node_error(child, GR_ERROR_VALUE, "expected {below: NUMBER} or {above: NUMBER}");
        }
    }
}

void gr_campaign_read_search(GrNode *root, GrCampaign *out)
{
    GrNode *section = gr_field_mapping(root, "optimize", GR_OPTIONAL);
    GrSearchPlan *search = &out->search;
    gr_search_plan_fill(search);
    search->given = section != NULL;
    if (section == NULL || out->subject == NULL) {
        return;
    }
    gr_keys_take(section, gr_optimize_keys, search);
    read_wish(section, "minimize", GR_WISH_MINIMIZE, out);
    read_wish(section, "maximize", GR_WISH_MAXIMIZE, out);
    if (search->goal_count == 0 && root->document->status == GR_OK) {
        gr_node_error(section, GR_ERROR_FIELD, "`minimize` or `maximize` is missing");
    }
    gr_campaign_read_limits(section, out, search->goals, &search->goal_count);
    gr_fields_end(section);
}

void gr_campaign_read_sensitivity(GrNode *root, GrCampaign *out)
{
    GrNode *section = gr_field_mapping(root, "sensitivity", GR_OPTIONAL);
    GrSensitivityPlan *plan = &out->sensitivity;
    *plan = (GrSensitivityPlan){.given = section != NULL, .method = GR_SENSITIVITY_SOBOL, .step = 0.01};
    gr_keys_read(section, gr_sensitivity_keys, plan);
    if (plan->count == 0) {
        plan->count = plan->method == GR_SENSITIVITY_MORRIS ? 20 : 512;
    }
}

// ---- the search that the section `optimize` asks for

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
