/// Reads campaign files.
#include "alloc.h"
#include "campaign.h"
#include "campaign_keys.h"
#include "campaign_parts.h"
#include "distribution_yaml.h"
#include "find.h"
#include "key_hash.h"
#include "question.h"
#include "study_view.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the section `mission`

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

/// The section `mission`, first without names of measures. Returns the value of its kind; NULL: none.
static GrNode *campaign_read_mission(GrNode *root, const GrMissionKind *const *kinds, GrCampaign *out)
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

static void campaign_finish_mission(GrNode *value, GrCampaign *out)
{
    if (value == NULL || out->mission == NULL) {
        return;
    }
    if (out->mission_kind->finish != NULL) {
        out->mission_kind->finish(out->mission, value, out);
    }
    gr_fields_end(value);
}

// ---- the file

enum { RUNS_MAX = 100000000 };

static void read_name(GrNode *root, GrCampaign *out)
{
    gr_document_name(root->document, out->name, sizeof out->name);
    if (gr_field_text(root, "name", GR_OPTIONAL, out->name, sizeof out->name)) {
        gr_check_file_name(gr_node_find(root, "name"), NULL);
    }
    gr_field_text(root, "title", GR_OPTIONAL, out->title, sizeof out->title);
}

static void read_subject(GrNode *root, const GrSubjectKind *const *kinds, GrCampaign *out)
{
    GrNode *section = gr_field_mapping(root, "run", GR_REQUIRED), *value = NULL;
    char names[200] = "";
    size_t used = 0;
    for (int i = 0; kinds[i] != NULL && section != NULL; i++) {
        GrNode *found = gr_field(section, kinds[i]->name, GR_OPTIONAL);
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", kinds[i]->name);
        if (found != NULL && value != NULL) {
            gr_node_error(found, GR_ERROR_FIELD, "a campaign runs one thing; '%s' is given already", out->kind->name);
            return;
        }
        if (found != NULL) {
            value = found;
            out->kind = kinds[i];
        }
    }
    if (section != NULL && value == NULL) {
        gr_node_error(section, GR_ERROR_FIELD, "what to run is missing; allowed: %s", names);
        return;
    }
    if (value != NULL) {
        out->subject = out->kind->create(value, section);
        gr_fields_end(section);
    }
}

/// Adds the variables of a mapping.
static void read_variables(GrNode *mapping, GrCampaign *out)
{
    for (GrNode *child = mapping != NULL ? mapping->first : NULL; child != NULL; child = child->next) {
        if (out->variable_count == GR_CAMPAIGN_VARIABLES) {
            gr_node_error(child, GR_ERROR_VALUE, "more than %d variables", (int)GR_CAMPAIGN_VARIABLES);
            return;
        }
        GrVariable *variable = &out->variables[out->variable_count];
        const bool ok = gr_variable_read(child, variable);
        for (int i = 0; i < out->variable_count && ok; i++) {
            if (strcmp(out->variables[i].path, variable->path) == 0) {
                gr_node_error_at(child, GR_AT_KEY, GR_ERROR_NAME, "'%s' varies twice", variable->path);
            }
        }
        out->variable_count++; // also after an error, so that it is freed
    }
}

/// `uncertainty: 32`: a variable with samples of the soils' spreads. `nominal`: also the soils as their files say.
static void read_uncertainty(GrNode *root, bool nominal, GrCampaign *out)
{
    int samples = out->added_samples;
    GrNode *node = gr_field(root, "uncertainty", GR_OPTIONAL);
    if (node != NULL && samples > 0) {
        gr_node_error(node, GR_ERROR_USAGE, "the file says how many samples of the soils: give no --uncertainty");
    }
    if (node != NULL && !gr_field_integer(root, "uncertainty", GR_OPTIONAL, 0, 1000, &samples)) {
        return;
    }
    node = node != NULL ? node : root;
    if (samples > 0 && !out->kind->samples_soil) {
        gr_node_error(node, GR_ERROR_FIELD, "runs of the kind '%s' are not on samples of soils", out->kind->name);
        return;
    }
    if (samples == 0 || out->variable_count == GR_CAMPAIGN_VARIABLES) {
        return;
    }
    GrVariable *v = &out->variables[out->variable_count++];
    *v = (GrVariable){.kind = GR_VARIABLE_LIST, .named = true, .node = node};
    gr_text_copy(v->path, sizeof v->path, gr_soil_sample_variable);
    v->texts = gr_calloc((size_t)samples + 1, sizeof *v->texts);
    for (int i = nominal ? 0 : 1; v->texts != NULL && i <= samples; i++) {
        char text[32];
        snprintf(text, sizeof text, "%d/%d", i, samples);
        char *copy = gr_strdup(i == 0 ? "none" : text);
        if (copy != NULL) {
            v->texts[v->text_count++] = copy;
        }
    }
    if (v->text_count != samples + nominal) {
        gr_node_out_of_memory(node);
    }
}

/// The samples come first, so that the cases of `compare` on one sample follow each other.
static void read_compared(GrNode *root, GrCampaign *out)
{
    GrNode *mapping = gr_field_mapping(root, "compare", GR_OPTIONAL);
    const int first = out->variable_count;
    if (gr_node_find(root, "mission") == NULL) {
        read_uncertainty(root, true, out);
    }
    read_variables(mapping, out);
    out->compare_count = out->variable_count - first;
    for (int i = first; i < out->variable_count && root->document->status == GR_OK; i++) {
        if (gr_variable_grid(&out->variables[i]) == 0) {
            gr_node_error(out->variables[i].node, GR_ERROR_VALUE,
                          "what is compared needs a list of values, or a range with count or step");
        }
    }
}

/// A table whose columns are the variables: one run for each row.
static void read_table(GrNode *node, GrCampaign *out)
{
    char path[GR_FILE_PATH_SIZE];
    GrCsv csv;
    if (!gr_node_file(node, path)) {
        return;
    }
    if (out->variable_count > 0) {
        gr_node_error(node, GR_ERROR_VALUE, "the variables are the columns of the table: `vary` must be empty");
        return;
    }
    if (gr_csv_load(path, &csv, node->document->log) != GR_OK) {
        gr_document_note(node->document, GR_ERROR_FILE);
        return;
    }
    if (csv.row_count == 0 || csv.column_count > GR_CAMPAIGN_VARIABLES) {
        gr_node_error(node, GR_ERROR_VALUE, "%s: expected at least one row, and at most %d columns", path,
                      (int)GR_CAMPAIGN_VARIABLES);
    }
    for (int k = 0; k < csv.column_count && node->document->status == GR_OK; k++) {
        GrVariable *v = &out->variables[out->variable_count++];
        *v = (GrVariable){.kind = GR_VARIABLE_LIST, .node = node};
        v->texts = gr_calloc((size_t)csv.row_count, sizeof *v->texts);
        bool ok = v->texts != NULL && gr_text_copy(v->path, sizeof v->path, csv.names[k]) != 0;
        for (int i = 0; i < csv.row_count && ok; i++) {
            double number;
            v->texts[i] = gr_strdup(gr_csv_cell(&csv, i, k));
            v->named = v->named || !gr_number_parse(gr_csv_cell(&csv, i, k), &number);
            ok = v->texts[i] != NULL;
            v->text_count += ok;
        }
        if (!ok) {
            gr_node_out_of_memory(node);
        }
    }
    out->count = (uint64_t)csv.row_count;
    gr_csv_free(&csv);
}

/// Number of combinations of a grid; 0 where a variable has no grid and a search or an analysis chooses the values.
static void count_grid(const GrNode *at, GrCampaign *out)
{
    double count = 1;
    const bool chosen = gr_node_find(at, "optimize") != NULL || gr_node_find(at, "sensitivity") != NULL ||
                        gr_node_find(at, "mission") != NULL;
    for (int i = 0; i < out->variable_count - out->compare_count; i++) {
        const GrVariable *v = &out->variables[i];
        const int values = gr_variable_grid(v);
        if (values == 0 && v->kind != GR_VARIABLE_SEED && chosen) {
            out->count = 0;
            return;
        }
        if (values == 0 && v->kind != GR_VARIABLE_SEED) {
            gr_node_error(v->node, GR_ERROR_VALUE,
                          "a grid needs `count` or `step` here, or a list of values; or sample "
                          "with another method, such as sobol");
        }
        count *= values > 0 ? values : 1;
    }
    if (count > RUNS_MAX) {
        gr_node_error(at, GR_ERROR_VALUE, "the grid has %g combinations, allowed: %g", count, (double)RUNS_MAX);
        count = 1;
    }
    out->count = (uint64_t)count;
}

static void read_sample(GrNode *root, GrCampaign *out)
{
    GrNode *section = gr_field_mapping(root, "sample", GR_OPTIONAL);
    int count = 100;
    out->plan = GR_PLAN_GRID;
    out->repeats = 1;
    out->seed = 1;
    out->count = 1;
    gr_keys_take(section, gr_sample_keys, out);
    if (out->plan == GR_PLAN_SOBOL || out->plan == GR_PLAN_LATIN || out->plan == GR_PLAN_RANDOM) {
        gr_field_integer(section, "count", GR_OPTIONAL, 1, RUNS_MAX, &count);
        out->count = (uint64_t)count;
    } else if (gr_node_find(section, "count") != NULL) {
        gr_node_error(gr_node_find(section, "count"), GR_ERROR_FIELD, "only with `method: sobol`, latin or random");
    }
    GrNode *table = gr_field(section, "table", out->plan == GR_PLAN_TABLE ? GR_REQUIRED : GR_OPTIONAL);
    if (table != NULL && out->plan != GR_PLAN_TABLE) {
        gr_node_error(table, GR_ERROR_FIELD, "only with `method: table`");
    } else if (table != NULL) {
        read_table(table, out);
    }
    gr_fields_end(section);
}

/// Index of a variable that may be correlated; −1 after an error.
static int find_correlated(void *context, GrNode *name)
{
    const GrCampaign *campaign = context;
    const int i = gr_campaign_variable(campaign, name);
    if (i >= campaign->variable_count - campaign->compare_count) {
        gr_node_error(name, GR_ERROR_VALUE, "variables of `compare` take every value, and cannot be correlated");
        return -1;
    }
    return i;
}

/// "correlate: [[soil:c, soil:phi, -0.5]]" -> the factor of the matrix.
static void read_correlations(GrNode *root, GrCampaign *out)
{
    GrNode *list = gr_field_list(root, "correlate", GR_OPTIONAL);
    const int n = out->variable_count - out->compare_count;
    if (list == NULL) {
        return;
    }
    double *matrix = gr_calloc(2 * (size_t)(n * n) + 1, sizeof *matrix);
    if (matrix == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    gr_correlations_read(list, n, find_correlated, out, matrix + n * n, matrix);
    out->correlation = matrix;
}

void gr_campaign_add_measure(GrCampaign *out, const char *name, const char *text, const GrNode *at)
{
    static const char *const taken[] = {"id",       "key",        "outcome",  "cause",      "succeeded_",
                                        "warnings", "seed",       "wall_s",   "state_hash", "version",
                                        "inputs",   "stepping_s", "progress", "prediction"};
    GrMeasureNames names = {.context = out->subject, .has = out->kind->has, .list = out->kind->list};
    const char *variables[GR_CAMPAIGN_VARIABLES + 1];
    int count = 0;
    for (int i = 0; i < out->variable_count; i++) {
        if (!out->variables[i].named) {
            variables[count++] = out->variables[i].path;
        }
    }
    variables[count] = NULL;
    names.variables = variables;
    bool clash = false;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        clash = clash || strcmp(taken[i], name) == 0;
    }
    for (int i = 0; i < out->variable_count; i++) {
        clash = clash || strcmp(out->variables[i].path, name) == 0;
    }
    if (clash) {
        gr_node_error_at(at, GR_AT_KEY, GR_ERROR_NAME, "'%s' is the name of another column of the results", name);
        return;
    }
    gr_document_note(at->document, gr_measures_add(&out->measures, name, text, &names, at));
}

static void read_measures(GrNode *root, GrCampaign *out)
{
    GrNode *mapping = gr_field_mapping(root, "measure", GR_OPTIONAL);
    if (out->subject == NULL) {
        return;
    }
    for (GrNode *child = mapping != NULL ? mapping->first : NULL; child != NULL; child = child->next) {
        child->used = true;
        if (child->kind != GR_NODE_SCALAR) {
            gr_node_error(child, GR_ERROR_VALUE, "expected an expression");
        } else {
            gr_campaign_add_measure(out, child->key, child->text, child);
        }
    }
    for (int i = 0; mapping == NULL && out->kind->usual != NULL && out->kind->usual[i] != NULL; i += 2) {
        gr_campaign_add_measure(out, out->kind->usual[i], out->kind->usual[i + 1], root);
    }
    if (mapping == NULL && out->kind->usual == NULL) { // all that there is
        const char *names[GR_CAMPAIGN_METRICS];
        const int count = out->kind->list(out->subject, false, names, GR_CAMPAIGN_METRICS);
        for (int i = 0; i < count; i++) {
            gr_campaign_add_measure(out, names[i], names[i], root);
        }
    }
}

/// Checks the question; the study reads it from its copy of the file.
static void read_question(GrNode *root, const GrCampaign *c)
{
    GrQuestion question;
    const char *names[GR_CAMPAIGN_METRICS];
    for (int i = 0; i < c->measures.count; i++) {
        names[i] = c->measures.items[i].name;
    }
    gr_question_read(root, names, c->measures.count, &question);
}

static void read_root(GrNode *root, const GrCampaignKinds *kinds, GrCampaign *out)
{
    read_name(root, out);
    read_subject(root, kinds->subjects, out);
    read_variables(gr_field_mapping(root, "vary", GR_OPTIONAL), out);
    if (gr_node_find(root, "mission") != NULL) { // each place or world has a soil of its own: its answer counts them
        read_uncertainty(root, false, out);
    }
    GrNode *mission = campaign_read_mission(root, kinds->missions, out);
    read_sample(root, out);
    read_compared(root, out);
    if (out->variable_count == 0 && root->document->status == GR_OK) {
        gr_node_error(root, GR_ERROR_FIELD, "nothing varies: `vary` is missing");
    }
    if (out->plan == GR_PLAN_GRID && root->document->status == GR_OK) {
        count_grid(root, out);
    }
    read_correlations(root, out);
    read_measures(root, out);
    gr_campaign_read_search(root, out);
    gr_campaign_read_sensitivity(root, out);
    campaign_finish_mission(mission, out);
    read_question(root, out);
    gr_fields_end(root);
}

static GrStatus read_document(GrStatus status, const GrCampaignKinds *kinds, GrCampaign *out)
{
    if (status != GR_OK) {
        return status;
    }
    gr_document_prepare(out->document, NULL);
    read_root(out->document->root, kinds, out);
    status = out->document->status;
    return status == GR_OK ? gr_campaign_check(out) : status;
}

GrStatus gr_campaign_load(const char *path, const GrCampaignKinds *kinds, GrCampaign *out, GrErrorLog *log)
{
    return gr_campaign_load_sampled(path, kinds, 0, out, log);
}

GrStatus gr_campaign_load_sampled(const char *path, const GrCampaignKinds *kinds, int samples, GrCampaign *out,
                                  GrErrorLog *log)
{
    char found[GR_FILE_PATH_SIZE];
    *out = (GrCampaign){.repeats = 1, .added_samples = samples};
    const GrStatus status = gr_find_file("campaigns", "campaign", path, found, log);
    return read_document(status == GR_OK ? gr_document_load(found, &out->document, log) : status, kinds, out);
}

GrStatus gr_campaign_parse(const char *text, const char *file, const GrCampaignKinds *kinds, GrCampaign *out,
                           GrErrorLog *log)
{
    *out = (GrCampaign){.repeats = 1};
    return read_document(gr_document_parse(text, strlen(text), file, &out->document, log), kinds, out);
}

void gr_campaign_free(GrCampaign *campaign)
{
    for (int i = 0; i < campaign->variable_count; i++) {
        gr_variable_free(&campaign->variables[i]);
        gr_free(campaign->name_hashes[i]);
    }
    gr_free(campaign->correlation);
    if (campaign->mission != NULL) {
        campaign->mission_kind->destroy(campaign->mission);
    }
    if (campaign->subject != NULL) {
        campaign->kind->destroy(campaign->subject);
    }
    if (campaign->document != NULL) {
        gr_document_free(campaign->document);
    }
    *campaign = (GrCampaign){0};
}
