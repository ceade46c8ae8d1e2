/// The panel: values of a scenario that a viewer may change, from the descriptors of soils, bodies and fields.
#include "live_parts.h"

#include "body_shapes.h"
#include "document.h"
#include "expression.h"
#include "file.h"
#include "grouser/soil_file.h"
#include "number.h"
#include "scenario_data.h"
#include "shipped.h"
#include "soil_param.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LARGEST_SPEED = 2; // [m/s] offered for commands

/// A number of the panel.
typedef struct Number {
    const char *label, *unit;
    double value, lower, upper;
} Number;

/// NULL: the panel is full.
static GrPanelRow *add_row(GrLivePanel *panel, const char *group, const char *path, const char *label)
{
    if (panel->count == GR_PANEL_ROWS) {
        return NULL;
    }
    GrPanelRow *row = &panel->rows[panel->count++];
    gr_text_copy(row->group, sizeof row->group, group);
    gr_text_copy(row->path, sizeof row->path, path);
    gr_text_copy(row->label, sizeof row->label, label);
    return row;
}

static void add_number(GrLivePanel *panel, const char *group, const char *path, const Number *number)
{
    GrPanelRow *row = add_row(panel, group, path, number->label);
    if (row != NULL) {
        gr_text_copy(row->unit, sizeof row->unit, number->unit);
        row->value = number->value;
        row->lower = number->lower;
        row->upper = number->upper;
    }
}

/// A choice of names, which the panel keeps.
static void add_choice(GrLivePanel *panel, GrPanelRow row)
{
    GrPanelRow *added = add_row(panel, row.group, row.path, row.label);
    if (added != NULL) {
        *added = row;
        added->is_choice = true;
    }
}

// ---- soil

/// Whether a shipped soil can be used as the scenario uses its soil: by its own law, or by the one that it names.
static bool fits(const GrScenario *scenario, const char *name)
{
    GrErrorLog log = {.quiet = true};
    GrSoilDef soil;
    if (gr_soil_load(name, NULL, &soil, NULL, &log) != GR_OK) {
        return false;
    }
    if (scenario->has_law) {
        soil.law = scenario->soil.law;
    }
    // a grid is all of the ground or none of it
    return gr_soil_law_on_grid(soil.law) == gr_soil_law_on_grid(scenario->soil.law) &&
           gr_soil_check(&soil, &log) == GR_OK;
}

static void list_soils(const GrScenario *scenario, GrLivePanel *panel)
{
    GrErrorLog log = {.quiet = true};
    GrNameList names = {0};
    if (gr_shipped_list("soils", ".yaml", &names, &log) == GR_OK) {
        for (int i = 0; i < names.count && panel->soil_count < GR_PANEL_NAMES; i++) {
            if (strlen(names.names[i]) < GR_NAME_SIZE && fits(scenario, names.names[i])) {
                gr_text_copy(panel->soils[panel->soil_count], GR_NAME_SIZE, names.names[i]);
                panel->soil_names[panel->soil_count] = panel->soils[panel->soil_count];
                panel->soil_count++;
            }
        }
    }
    gr_name_list_free(&names);
}

/// The name by which the scenario calls its soil; its file otherwise.
static const char *soil_name(const GrScenario *scenario, const GrNode *node)
{
    const GrNode *name = node != NULL && node->kind == GR_NODE_MAPPING ? gr_node_find(node, "use") : node;
    return name != NULL && name->kind == GR_NODE_SCALAR ? name->text : scenario->soil.name;
}

static void add_soil(const GrScenario *scenario, const GrNode *root, GrLivePanel *panel)
{
    const GrNode *node = gr_node_find(root, "soil");
    const bool mapping = node != NULL && node->kind == GR_NODE_MAPPING;
    if (!scenario->has_soil) {
        return;
    }
    list_soils(scenario, panel);
    GrPanelRow row = {.group = "Soil", .label = "Soil", .names = panel->soil_names, .name_count = panel->soil_count};
    gr_text_copy(row.path, sizeof row.path, mapping ? "soil.use" : "soil");
    gr_text_copy(row.choice, sizeof row.choice, soil_name(scenario, node));
    add_choice(panel, row);
    const unsigned use =
        gr_rover_soil_use(&scenario->rover) | GR_SOIL_USE_DAMPED | (scenario->soil_flow ? 0 : GR_SOIL_USE_NO_FLOW);
    for (int i = 0; i < gr_soil_param_count(); i++) {
        const GrSoilParam *param = gr_soil_param(i);
        if (!param->essential || !gr_soil_param_used(&scenario->soil, i, use)) {
            continue;
        }
        char path[64], label[96];
        snprintf(path, sizeof path, "soil:%s", param->name);
        snprintf(label, sizeof label, "%s %s", param->name, param->text);
        const Number number = {label, param->unit, gr_soil_param_get(&scenario->soil, i), param->lower, param->upper};
        add_number(panel, "Soil", path, &number);
    }
}

// ---- gravity and slope

static void add_gravity(const GrScenario *scenario, const GrNode *root, GrLivePanel *panel)
{
    const GrNode *node = gr_node_find(root, "gravity");
    const bool mapping = node != NULL && node->kind == GR_NODE_MAPPING;
    const GrNode *body = mapping ? gr_node_find(node, "body") : node;
    const GrVec3 g = scenario->gravity;
    const double size = sqrt(g.x * g.x + g.y * g.y + g.z * g.z);
    for (int i = 0; i < GR_PANEL_NAMES && gr_gravity_name(i) != NULL; i++) {
        panel->bodies[panel->body_count++] = gr_gravity_name(i);
    }
    GrPanelRow row = {.group = "World", .label = "Gravity", .names = panel->bodies, .name_count = panel->body_count};
    gr_text_copy(row.path, sizeof row.path, mapping ? "gravity.body" : "gravity");
    if (body != NULL && body->kind == GR_NODE_SCALAR) {
        gr_text_copy(row.choice, sizeof row.choice, body->text);
    } else {
        gr_number_round(size, 6, row.choice);
    }
    add_choice(panel, row);
    Number slope = {.label = "Slope", .unit = "°", .lower = -60, .upper = 60};
    const GrNode *tilt = mapping ? gr_node_find(node, "tilt_deg") : NULL;
    if (mapping && (tilt == NULL || (tilt->kind == GR_NODE_SCALAR && gr_number_parse(tilt->text, &slope.value)))) {
        add_number(panel, "World", "gravity.tilt_deg", &slope);
    }
}

// ---- drive and parameters

static void add_drive(const GrScenario *scenario, GrLivePanel *panel)
{
    const GrControlDef *c = &scenario->mission.control;
    if (c->source == GR_CONTROL_PATH) {
        const Number speed = {"Speed along the path", "m/s", c->cruise_speed, 0.001, LARGEST_SPEED};
        add_number(panel, "Drive", "drive.speed_mps", &speed);
    } else if (c->source == GR_CONTROL_SCRIPT && scenario->mission.move_count == 0) {
        for (int i = 0; i < c->script_count && i < 4; i++) {
            char path[64], label[96], from[GR_NUMBER_SIZE];
            gr_number_round(c->script[i].time, 4, from);
            snprintf(path, sizeof path, "drive.script[%d].speed_mps", i);
            snprintf(label, sizeof label, "Speed from %s s", from);
            const Number speed = {label, "m/s", c->script[i].command.speed, -LARGEST_SPEED, LARGEST_SPEED};
            add_number(panel, "Drive", path, &speed);
        }
    }
    const Number end = {"Ends after", "s", scenario->mission.duration, 1, 1e6};
    add_number(panel, "Drive", "stop.time_s", &end);
}

/// Plain numbers of `params:`.
static void add_params(const GrNode *root, GrLivePanel *panel)
{
    const GrNode *params = gr_node_find(root, "params");
    for (const GrNode *item = params != NULL ? params->first : NULL; item != NULL; item = item->next) {
        double value;
        char path[64];
        if (item->kind == GR_NODE_SCALAR && gr_number_parse(item->text, &value) &&
            snprintf(path, sizeof path, "params.%s", item->key) < (int)sizeof path) {
            const Number number = {item->key, "", value, (double)NAN, (double)NAN};
            add_number(panel, "Scenario", path, &number);
        }
    }
}

void gr_panel_fill(const GrScenario *scenario, GrLivePanel *out)
{
    *out = (GrLivePanel){0};
    if (scenario->document == NULL) {
        return;
    }
    const GrNode *root = scenario->document->root;
    add_soil(scenario, root, out);
    add_gravity(scenario, root, out);
    add_drive(scenario, out);
    add_params(root, out);
}

void gr_panel_put(const GrLivePanel *panel, GrJson *json)
{
    gr_json_begin_array(json, "panel");
    for (int i = 0; i < panel->count; i++) {
        const GrPanelRow *row = &panel->rows[i];
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "path", row->path);
        gr_json_string(json, "label", row->label);
        gr_json_string(json, "group", row->group);
        if (row->is_choice) {
            gr_json_string(json, "value", row->choice);
            gr_json_begin_array(json, "choices");
            for (int k = 0; k < row->name_count; k++) {
                gr_json_string(json, NULL, row->names[k]);
            }
            gr_json_end(json);
        } else {
            gr_json_string(json, "unit", row->unit);
            gr_json_number(json, "value", row->value);
            gr_json_number(json, "lower", row->lower); // null: none
            gr_json_number(json, "upper", row->upper);
        }
        gr_json_end(json);
    }
    gr_json_end(json);
}

// ---- changes

GrStatus gr_panel_check(const GrLivePanel *panel, const char *set, GrErrorLog *log)
{
    const size_t length = strcspn(set, "=");
    const char *value = set + length + (set[length] == '=');
    const GrPanelRow *row = NULL;
    for (int i = 0; i < panel->count && row == NULL; i++) {
        const bool same = strlen(panel->rows[i].path) == length && strncmp(panel->rows[i].path, set, length) == 0;
        row = same ? &panel->rows[i] : NULL;
    }
    if (row == NULL) {
        return gr_error_add(log, GR_ERROR_FIELD, (GrLocation){0}, "'%.*s' is not a value of the panel",
                            (int)(length < 60 ? length : 60), set);
    }
    double number;
    bool good = gr_number_parse(value, &number) && isfinite(number);
    for (int i = 0; row->is_choice && i < row->name_count; i++) {
        good = good || strcmp(row->names[i], value) == 0;
    }
    return good ? GR_OK
                : gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = row->path}, "'%.60s' is %s", value,
                               row->is_choice ? "none of the choices" : "not a number");
}

static void drop(GrLiveOverrides *overrides, int index)
{
    memmove(overrides->texts[index], overrides->texts[index + 1],
            (size_t)(overrides->count - index - 1) * sizeof overrides->texts[0]);
    overrides->count--;
}

void gr_live_overrides_point(GrLiveOverrides *overrides)
{
    for (int i = 0; i < overrides->count; i++) {
        overrides->items[i] = overrides->texts[i];
    }
    overrides->items[overrides->count] = NULL;
}

bool gr_live_override(GrLiveOverrides *overrides, const char *set)
{
    const size_t length = strcspn(set, "=");
    const bool soil = strncmp(set, "soil=", 5) == 0 || strncmp(set, "soil.use=", 9) == 0;
    for (int i = overrides->count - 1; i >= overrides->given; i--) {
        const char *old = overrides->texts[i];
        if ((strncmp(old, set, length) == 0 && old[length] == '=') || (soil && strncmp(old, "soil:", 5) == 0)) {
            drop(overrides, i);
        }
    }
    if (overrides->count == GR_LIVE_OVERRIDES ||
        gr_text_copy(overrides->texts[overrides->count], GR_LIVE_OVERRIDE_SIZE, set) == 0) {
        return false;
    }
    overrides->count++;
    gr_live_overrides_point(overrides);
    return true;
}
