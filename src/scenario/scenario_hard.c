/// `soil_map:`, `parts:` and `hard:` of a scenario.
#include "scenario_parts.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "file.h"
#include "find.h"
#include "rover_parts.h"
#include "soil_yaml.h"

#include <string.h>

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

void gr_read_map_rules(GrNode *list, void *out)
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
    gr_read_map_law(node, scenario);
}

/// "- box: {size_m: [2, 2, 0.2], at_m: [3, 0, 0.1], rotation_deg: [0, 10, 0]}", like the shapes of a rover.
void gr_read_parts(GrNode *list, void *out)
{
    GrScenario *scenario = out;
    GrBodyDef body = gr_default_body_def();
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        gr_read_shapes(item, false, &body);
    }
    scenario->parts = gr_calloc((size_t)body.shape_count + 1, sizeof *scenario->parts);
    if (scenario->parts == NULL) {
        gr_shapes_free(body.shapes, body.shape_count);
        gr_node_out_of_memory(list);
        return;
    }
    for (int i = 0; i < body.shape_count; i++) {
        scenario->parts[i] = gr_default_part_def();
        scenario->parts[i].shape = body.shapes[i];
    }
    scenario->part_count = body.shape_count;
    gr_free(body.shapes);
}

void gr_parts_free(GrPartDef *parts, int count)
{
    for (int i = 0; i < count; i++) {
        gr_shape_free(&parts[i].shape);
    }
    gr_free(parts);
}

void gr_read_hard(GrNode *node, void *out)
{
    GrScenario *scenario = out;
    gr_read_material_values(node, &scenario->scene.materials[0]);
    gr_keys_read(node, gr_hard_keys, scenario);
}
