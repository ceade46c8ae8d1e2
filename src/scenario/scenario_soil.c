/// `soil:`, `wheel_soils:` and `soil_map:` of a scenario; maps of materials have the same form.
#include "body_shapes.h"
#include "include.h"
#include "scenario_parts.h"

#include "alloc.h"
#include "file.h"
#include "soil_yaml.h"

#include <stdlib.h>
#include <string.h>

/// The key `law` of a mapping; false when it is absent or invalid.
static bool read_law(GrNode *mapping, GrSoilLaw *out)
{
    char law[GR_NAME_SIZE];
    GrErrorLog log = {.quiet = true};
    if (!gr_field_text(mapping, "law", GR_OPTIONAL, law, sizeof law)) {
        return false;
    }
    if (gr_soil_law_find(law, out, &log) != GR_OK) {
        gr_node_error(gr_node_find(mapping, "law"), GR_ERROR_NAME, "%s", log.items[0].text);
        return false;
    }
    return true;
}

/// `soil_sample: 3/32`, or none.
static void read_sample(GrNode *root, GrScenario *out)
{
    char text[64];
    if (gr_field_text(root, "soil_sample", GR_OPTIONAL, text, sizeof text) &&
        !gr_soil_sample_read(text, &out->soil_sample, &out->soil_samples)) {
        gr_node_error(gr_node_find(root, "soil_sample"), GR_ERROR_VALUE,
                      "found '%s', allowed: none, or I/N for sample I of N, such as 3/32", text);
    }
}

void gr_read_soil(GrNode *root, GrOverrides *overrides, GrScenario *out)
{
    char path[GR_FILE_PATH_SIZE];
    GrSoilSpread spread;
    GrNode *node = gr_field(root, "soil", GR_REQUIRED);
    read_sample(root, out);
    if (node == NULL || (node->kind == GR_NODE_SCALAR && strcmp(node->text, "none") == 0) ||
        !gr_read_use(node, "soils", "soil", overrides, path)) {
        return;
    }
    out->has_soil = true;
    gr_text_copy(out->soil_file, sizeof out->soil_file, path);
    out->soil_sources = gr_calloc(1, sizeof *out->soil_sources);
    GrDocument *document = root->document;
    gr_document_note(document, gr_soil_load_shared(document->parsed, path, overrides->items, &out->soil,
                                                   out->soil_sources, &spread, document->log));
    if (node->kind == GR_NODE_MAPPING) {
        out->has_law = read_law(node, &out->soil.law);
        gr_fields_end(node);
    }
    gr_soil_take_sample(&spread, out->soil_sources, out->soil_sample, out->soil_samples, &out->soil);
}

void gr_warn_soil(GrNode *root, const GrScenario *scenario)
{
    const bool grid = gr_soil_law_on_grid(scenario->soil.law) || scenario->ruts == GR_RUTS_SCM;
    const unsigned flow = scenario->soil_flow && grid ? 0 : GR_SOIL_USE_NO_FLOW;
    const unsigned damped = scenario->damping_ratio > 0 ? GR_SOIL_USE_DAMPED : 0;
    if (scenario->has_soil && scenario->soil_sources != NULL && root->document->status == GR_OK) {
        gr_soil_warn_ignored(&scenario->soil, scenario->soil_sources,
                             flow | damped | gr_rover_soil_use(&scenario->rover), root->document->log);
    }
}

/// `law:` of a soil map; without it, the law that the scenario names for its soil, if any.
static void read_map_law(GrNode *map, GrScenario *scenario)
{
    GrSoilPlan *plan = &scenario->soil_map;
    plan->law = scenario->soil.law;
    plan->has_law = read_law(map, &plan->law) || scenario->has_law;
}

/// The soil of a wheel: its own soil, or the scenario's with other parameters or another law.
static bool read_wheel_soil(GrNode *node, const GrScenario *scenario, GrOverrides *overrides, GrSoilDef *out)
{
    GrSoilSources *sources = NULL;
    GrSoilSpread spread;
    char path[GR_FILE_PATH_SIZE];
    GrDocument *document = node->document;
    const bool mapping = node->kind == GR_NODE_MAPPING;
    *overrides = (GrOverrides){0};
    if (mapping && gr_node_find(node, "use") == NULL) {
        *out = scenario->soil;
        gr_fields_ask(node, "use");
        gr_read_set(node, overrides);
        if (overrides->count > 0) {
            gr_node_error(gr_node_find(node, "set"), GR_ERROR_FIELD, "needs use: NAME, whose values it replaces");
        }
    } else if (!gr_read_use(node, "soils", "soil", overrides, path)) {
        return false;
    } else {
        sources = gr_calloc(1, sizeof *sources);
        gr_document_note(document, gr_soil_load_shared(document->parsed, path, overrides->items, out, sources, &spread,
                                                       document->log));
        out->law = scenario->has_law ? scenario->soil.law : out->law;
    }
    if (mapping) {
        read_law(node, &out->law);
        gr_fields_end(node);
    }
    if (sources != NULL && document->status == GR_OK) {
        gr_soil_take_sample(&spread, sources, scenario->soil_sample, scenario->soil_samples, out);
        gr_soil_warn_ignored(out, sources, GR_SOIL_USE_DAMPED | gr_rover_soil_use(&scenario->rover), document->log);
    }
    gr_free(sources);
    return document->status == GR_OK;
}

int gr_read_wheel_key(const GrNode *node, const GrRoverDef *rover)
{
    const char *names[GR_DRIVE_WHEELS_MAX];
    int known = 0;
    for (int i = 0; i < rover->wheel_count; i++) {
        if (strcmp(rover->wheels[i].name, node->key) == 0) {
            return i;
        }
        if (known < GR_DRIVE_WHEELS_MAX) {
            names[known++] = rover->wheels[i].name;
        }
    }
    gr_node_error(node, GR_ERROR_NAME, "rover %s has no wheel '%s'%s", rover->name, node->key,
                  gr_suggestion(node->document->log, node->key, names, known).text);
    return -1;
}

/// Index of the soil among those of wheels; wheels with equal soils share it.
static int keep_soil(GrScenario *scenario, const GrSoilDef *soil)
{
    int i = 0;
    // If the padding of equal soils differs, they are merely stored twice.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    while (i < scenario->wheel_soil_count && memcmp(&scenario->wheel_soils[i], soil, sizeof *soil) != 0) {
        i++;
    }
    scenario->wheel_soils[i] = *soil;
    scenario->wheel_soil_count = i == scenario->wheel_soil_count ? i + 1 : scenario->wheel_soil_count;
    return i;
}

static void read_wheels(GrNode *mapping, GrScenario *scenario, GrOverrides *overrides)
{
    for (GrNode *item = mapping->first; item != NULL; item = item->next) {
        GrSoilDef soil = gr_default_soil_def();
        item->used = true;
        const int wheel = gr_read_wheel_key(item, &scenario->rover);
        if (item->kind == GR_NODE_SCALAR && strcmp(item->text, "none") == 0) {
            if (wheel >= 0) {
                scenario->wheel_soil[wheel] = GR_WHEEL_RIGID;
            }
            continue;
        }
        if (!read_wheel_soil(item, scenario, overrides, &soil) || wheel < 0) {
            continue;
        }
        if (gr_soil_law_on_grid(soil.law) != gr_soil_law_on_grid(scenario->soil.law)) {
            gr_node_error(item, GR_ERROR_VALUE,
                          "the law here is %s, that of the scenario's soil %s; a deformable grid (scm) must be all of "
                          "the ground or none of it",
                          gr_soil_law_name(soil.law), gr_soil_law_name(scenario->soil.law));
            continue;
        }
        scenario->wheel_soil[wheel] = keep_soil(scenario, &soil);
    }
}

void gr_read_wheel_soils(GrNode *node, void *out)
{
    GrScenario *scenario = out;
    const int wheels = scenario->rover.wheel_count;
    if (wheels == 0) { // a rover that could not be read has no wheels
        return;
    }
    if (!scenario->has_soil) {
        gr_node_error(node, GR_ERROR_FIELD, "applies only to wheels on soil, and soil is none");
        return;
    }
    GrOverrides *overrides = gr_calloc(1, sizeof *overrides);
    scenario->wheel_soils = gr_calloc((size_t)wheels + 1, sizeof *scenario->wheel_soils);
    scenario->wheel_soil = gr_malloc(((size_t)wheels + 1) * sizeof *scenario->wheel_soil);
    if (overrides == NULL || scenario->wheel_soils == NULL || scenario->wheel_soil == NULL) {
        gr_node_out_of_memory(node);
    } else {
        for (int i = 0; i <= wheels; i++) {
            scenario->wheel_soil[i] = -1;
        }
        read_wheels(node, scenario, overrides);
    }
    gr_free(overrides);
}

// ---- maps

/// Checks a soil that a map names, here where the line is known.
static void check_soil(const GrNode *node, const char *name, const void *context)
{
    (void)context;
    char path[GR_FILE_PATH_SIZE];
    GrErrorLog log = {.quiet = true};
    if (gr_soil_find(name, path, &log) != GR_OK) { // says what ES-1 to ES-4 lack
        gr_node_error(node, GR_ERROR_NAME, "%s", log.items[0].text);
    }
}

/// Checks the name at the beginning of `text`, which ends before one of `ends`.
static void check_name(const GrNode *node, const char *text, const char *ends, GrMapNameFn check, const void *context)
{
    char name[GR_NAME_SIZE];
    text += strspn(text, " ");
    const size_t length = strcspn(text, ends);
    if (length > 0 && length < sizeof name) { // otherwise the map's reader reports the problem
        memcpy(name, text, length);
        name[length] = '\0';
        check(node, name, context);
    }
}

static void read_map_rules(GrNode *list, void *out)
{
    GrSoilPlan *plan = out;
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (plan->rule_count == GR_SCENARIO_RULES) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d rules", GR_SCENARIO_RULES);
            return;
        }
        plan->rule_count += gr_node_text(item, plan->rules[plan->rule_count], GR_SCENARIO_RULE_SIZE);
    }
}

#define S(member)     offsetof(GrScenario, member)
#define CHOICE(array) .names = (array), .size = (int)(sizeof(array) / sizeof((array)[0]))

static const char *const SOIL_LAWS[] = {GR_SOIL_LAW_LIST(GR_KEY_NAME)};

// clang-format off
GR_WHEN(map_of_file, s->soil_map.file[0] != '\0')
GR_WHEN(map_of_rules, s->soil_map.rule_count > 0)
// clang-format on

#define M(member) offsetof(GrSoilPlan, member)

const GrKey gr_map_keys[] = {
    {"file", GR_KEY_FILE, "a raster of classes", M(file)},
    {"legend", GR_KEY_TEXT, "what the classes are: \"1=dlr_d2 2=ishigami2007\"", M(legend),
     .size = GR_SCENARIO_TERM_SIZE, .usual = "that of the file",
     .ignored = {{map_of_rules, "rules name their soils themselves"}}},
    {"rules", GR_KEY_LIST, "the first that applies counts: \"mars_dlr_drift: slope_deg<5 and noise>0.2\"",
     .read = read_map_rules},
    {"wavelength_m", GR_KEY_NUMBER, "of the noise in rules", M(wavelength), GR_SPAN_POSITIVE,
     .ignored = {{map_of_file, "it applies only to rules"}}},
    {"cell_m", GR_KEY_NUMBER, "cells of the map that is made from rules", M(cell), GR_SPAN_POSITIVE,
     .ignored = {{map_of_file, "it applies only to rules"}}},
    {"seed", GR_KEY_SEED, "of the noise in rules", M(seed), .ignored = {{map_of_file, "it applies only to rules"}}},
    {NULL}};

const GrKey gr_soil_map_keys[] = {
    {"", GR_KEY_GROUP, .keys = gr_map_keys, .offset = S(soil_map)},
    {"law", GR_KEY_CHOICE | GR_KEY_ELSEWHERE, "law of the map's soils", CHOICE(SOIL_LAWS),
     .usual = "the law that soil names, else those of their files"},
    {"border_m", GR_KEY_NUMBER, "width over which two soils blend", S(soil_map.border), GR_SPAN_NOT_NEGATIVE},
    {NULL}};

void gr_check_map(GrNode *node, const GrSoilPlan *plan, GrMapNameFn check, const void *context)
{
    const GrNode *legend = gr_node_find(node, "legend"), *rules = gr_node_find(node, "rules");
    for (const char *at = plan->legend; (at = strchr(at, '=')) != NULL;) { // "1=ES-1 2=ES-2"
        check_name(legend, ++at, " ,;", check, context);
    }
    for (const GrNode *item = rules != NULL ? rules->first : NULL; item != NULL; item = item->next) {
        if (item->kind == GR_NODE_SCALAR) {
            check_name(item, item->text, ": ", check, context);
        }
    }
    if ((gr_node_find(node, "file") != NULL) == (rules != NULL)) {
        gr_node_error(node, GR_ERROR_FIELD, "a map has either a file of classes or rules");
    }
}

GrSoilPlan gr_default_soil_plan(void)
{
    return (GrSoilPlan){.wavelength = 10, .cell = 0.5, .border = 0.2, .seed = 1};
}

void gr_read_soil_map(GrNode *node, void *out)
{
    GrScenario *scenario = out;
    gr_keys_read(node, gr_soil_map_keys, scenario);
    gr_check_map(node, &scenario->soil_map, check_soil, NULL);
    read_map_law(node, scenario);
}
