/// The section `mission` of a campaign file, and what kinds of missions may add to a campaign.
#include "campaign_parts.h"

#include "alloc.h"

#include <stdio.h>
#include <string.h>

bool gr_campaign_add_range(GrCampaign *campaign, const char *path, double from, double to, GrNode *at)
{
    for (int i = 0; i < campaign->variable_count; i++) {
        if (strcmp(campaign->variables[i].path, path) == 0) {
            return true;
        }
    }
    if (campaign->variable_count == GR_CAMPAIGN_VARIABLES) {
        gr_node_error(at, GR_ERROR_VALUE, "more than %d variables", (int)GR_CAMPAIGN_VARIABLES);
        return false;
    }
    GrVariable *v = &campaign->variables[campaign->variable_count++];
    *v = (GrVariable){.kind = GR_VARIABLE_NUMBER,
                      .distribution = gr_default_distribution(GR_DISTRIBUTION_UNIFORM),
                      .lower = from,
                      .upper = to,
                      .node = at};
    v->distribution.lower = from;
    v->distribution.upper = to;
    return gr_text_copy(v->path, sizeof v->path, path) != 0;
}

int gr_campaign_add_value(GrCampaign *campaign, const char *path, const char *text, GrNode *at)
{
    double number;
    for (int i = 0; i < campaign->variable_count; i++) {
        if (strcmp(campaign->variables[i].path, path) == 0) {
            gr_node_error_at(campaign->variables[i].node, GR_AT_KEY, GR_ERROR_NAME,
                             "'%s' cannot vary: the mission itself chooses it", path);
            return -1;
        }
    }
    if (campaign->variable_count == GR_CAMPAIGN_VARIABLES) {
        gr_node_error(at, GR_ERROR_VALUE, "more than %d variables", (int)GR_CAMPAIGN_VARIABLES);
        return -1;
    }
    GrVariable *v = &campaign->variables[campaign->variable_count];
    *v = (GrVariable){.kind = GR_VARIABLE_LIST, .named = !gr_number_parse(text, &number), .node = at};
    v->texts = gr_calloc(1, sizeof *v->texts);
    char *copy = v->texts != NULL ? gr_strdup(text) : NULL;
    if (copy == NULL || gr_text_copy(v->path, sizeof v->path, path) == 0) {
        gr_free(v->texts);
        gr_free(copy);
        gr_node_out_of_memory(at);
        return -1;
    }
    v->texts[v->text_count++] = copy;
    return campaign->variable_count++;
}

GrNode *gr_campaign_read_mission(GrNode *root, const GrMissionKind *const *kinds, GrCampaign *out)
{
    GrNode *section = gr_field_mapping(root, "mission", GR_OPTIONAL), *value = NULL;
    char names[200] = "";
    size_t used = 0;
    if (section == NULL) {
        return NULL;
    }
    for (int i = 0; kinds != NULL && kinds[i] != NULL; i++) {
        GrNode *found = gr_field(section, kinds[i]->name, GR_OPTIONAL);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", kinds[i]->name);
        if (found != NULL && value != NULL) {
            gr_node_error(found, GR_ERROR_FIELD, "a campaign has one mission; '%s' is given already",
                          out->mission_kind->name);
            return NULL;
        }
        if (found != NULL) {
            value = found;
            out->mission_kind = kinds[i];
        }
    }
    gr_fields_end(section);
    if (value == NULL && section->count == 0) {
        gr_node_error(section, GR_ERROR_FIELD, "the kind of mission is missing; allowed: %s", names);
    }
    if (value == NULL || out->subject == NULL || !gr_node_is_mapping(value)) {
        return NULL;
    }
    out->mission = out->mission_kind->create(value, out);
    return out->mission != NULL ? value : NULL;
}

void gr_campaign_finish_mission(GrNode *value, GrCampaign *out)
{
    if (value == NULL || out->mission == NULL) {
        return;
    }
    if (out->mission_kind->finish != NULL) {
        out->mission_kind->finish(out->mission, value, out);
    }
    gr_fields_end(value);
}
