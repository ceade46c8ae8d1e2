/// The sections `optimize` and `sensitivity` of a campaign file.
#include "campaign_parts.h"

#include "optimizer.h"

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

int gr_campaign_measure(const GrCampaign *campaign, GrNode *node)
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
        const GrGoal goal = {gr_campaign_measure(out, node), wish, 0};
        add_goal(node, goal, out->search.goals, &out->search.goal_count);
        return;
    }
    for (GrNode *item = node->first; item != NULL; item = item->next) {
        const GrGoal goal = {gr_campaign_measure(out, item), wish, 0};
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
    const GrOptimizerDef usual = gr_default_optimizer_def();
    *search =
        (GrSearchPlan){.given = section != NULL, .method = -1, .budget = usual.budget, .repeats = 1, .tolerance = 1e-6};
    if (section == NULL || out->subject == NULL) {
        return;
    }
    const char *names[GR_OPTIMIZER_COUNT];
    for (int i = 0; i < GR_OPTIMIZER_COUNT; i++) {
        names[i] = gr_optimizer_method((GrOptimizerKind)i)->name;
    }
    gr_field_choice(section, "method", GR_OPTIONAL, names, GR_OPTIMIZER_COUNT, &search->method);
    gr_field_integer(section, "budget", GR_OPTIONAL, 1, 100000000, &search->budget);
    gr_field_integer(section, "population", GR_OPTIONAL, 4, 100000, &search->population);
    gr_field_integer(section, "restarts", GR_OPTIONAL, 0, 20, &search->restarts);
    gr_field_integer(section, "repeats", GR_OPTIONAL, 1, 10000, &search->repeats);
    gr_field_number(section, "tolerance", GR_OPTIONAL, GR_BETWEEN(1e-15, 0.5), &search->tolerance);
    gr_field_bool(section, "allow_failed", GR_OPTIONAL, &search->allow_failed);
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
    static const char *const names[] = {"morris", "sobol", "local"};
    GrNode *section = gr_field_mapping(root, "sensitivity", GR_OPTIONAL);
    int method = GR_SENSITIVITY_SOBOL;
    GrSensitivityPlan *plan = &out->sensitivity;
    gr_field_choice(section, "method", GR_OPTIONAL, names, 3, &method);
    *plan = (GrSensitivityPlan){.given = section != NULL,
                                .method = (GrSensitivityMethod)method,
                                .count = method == GR_SENSITIVITY_MORRIS ? 20 : 512,
                                .step = 0.01};
    gr_field_integer(section, "count", GR_OPTIONAL, 2, 10000000, &plan->count);
    gr_field_number(section, "step", GR_OPTIONAL, GR_BETWEEN(1e-6, 0.5), &plan->step);
    gr_fields_end(section);
}
