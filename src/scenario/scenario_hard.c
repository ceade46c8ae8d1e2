/// `soil_map:`, `parts:` and `hard:` of a scenario.
#include "scenario_parts.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "file.h"
#include "find.h"
#include "rover_parts.h"

#include <string.h>

/// Checks a soil that a map names, here where the line is known.
static void check_soil(const GrNode *node, const char *name, const void *context)
{
    (void)context;
    char path[GR_FILE_PATH_SIZE];
    GrErrorLog log = {.quiet = true};
    if (gr_find_file("soils", "soil", name, path, &log) != GR_OK) {
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

void gr_read_map_plan(GrNode *node, GrSoilPlan *plan, GrMapNameFn check, const void *context)
{
    *plan = (GrSoilPlan){.wavelength = 10, .cell = 0.5, .border = 0.2, .seed = 1};
    double seed;
    GrNode *source = gr_field(node, "file", GR_OPTIONAL), *rules = gr_field_list(node, "rules", GR_OPTIONAL);
    if (source != NULL) {
        gr_node_file(source, plan->file);
    }
    if (gr_field_text(node, "legend", GR_OPTIONAL, plan->legend, sizeof plan->legend)) {
        const GrNode *legend = gr_node_find(node, "legend");
        for (const char *at = plan->legend; (at = strchr(at, '=')) != NULL;) { // "1=ES-1 2=ES-2"
            check_name(legend, ++at, " ,;", check, context);
        }
    }
    for (GrNode *item = rules != NULL ? rules->first : NULL; item != NULL; item = item->next) {
        if (plan->rule_count == GR_SCENARIO_RULES) {
            gr_node_error(item, GR_ERROR_VALUE, "more than %d rules", GR_SCENARIO_RULES);
            break;
        }
        if (gr_node_text(item, plan->rules[plan->rule_count], GR_SCENARIO_TERM_SIZE)) {
            check_name(item, plan->rules[plan->rule_count++], ": ", check, context);
        }
    }
    gr_field_number(node, "wavelength_m", GR_OPTIONAL, GR_POSITIVE, &plan->wavelength);
    gr_field_number(node, "cell_m", GR_OPTIONAL, GR_POSITIVE, &plan->cell);
    if (gr_field_number(node, "seed", GR_OPTIONAL, GR_BETWEEN(0, 9007199254740992.0), &seed)) {
        plan->seed = (uint64_t)seed;
    }
    if (node != NULL && (source != NULL) == (rules != NULL)) {
        gr_node_error(node, GR_ERROR_FIELD, "a map has either a file of classes or rules");
    }
}

void gr_read_soil_map(GrNode *node, GrScenario *scenario)
{
    gr_read_map_plan(node, &scenario->soil_map, check_soil, NULL);
    gr_read_map_law(node, scenario);
    gr_field_number(node, "border_m", GR_OPTIONAL, GR_NOT_NEGATIVE, &scenario->soil_map.border);
    gr_fields_end(node);
}

/// "- box: {size_m: [2, 2, 0.2], at_m: [3, 0, 0.1], rotation_deg: [0, 10, 0]}", like the shapes of a rover.
static void read_parts(GrNode *list, GrScenario *scenario)
{
    scenario->parts = gr_calloc((size_t)list->count + 1, sizeof *scenario->parts);
    if (scenario->parts == NULL) {
        gr_node_out_of_memory(list);
        return;
    }
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        GrPartDef part = gr_default_part_def();
        if (gr_read_shape(item, &part.shape)) {
            scenario->parts[scenario->part_count++] = part;
        }
    }
}

void gr_parts_free(GrPartDef *parts, int count)
{
    for (int i = 0; i < count; i++) {
        gr_shape_free(&parts[i].shape);
    }
    gr_free(parts);
}

/// `wheels`: cylinder, grousers or mesh.
static void read_wheel_shape(GrNode *node, GrWheelShape *shape)
{
    static const char *const NAMES[GR_WHEELS_COUNT] = {"cylinder", "grousers", "mesh"};
    int choice;
    if (gr_field_choice(node, "wheels", GR_OPTIONAL, NAMES, GR_WHEELS_COUNT, &choice)) {
        *shape = (GrWheelShape)choice;
    }
}

void gr_read_hard(GrNode *root, GrScenario *scenario)
{
    GrNode *parts = gr_field_list(root, "parts", GR_OPTIONAL);
    GrNode *hard = gr_field_mapping(root, "hard", GR_OPTIONAL);
    if (parts != NULL) {
        read_parts(parts, scenario);
    }
    scenario->scene = gr_default_scene_def();
    if (scenario->scene.material_count == 0) {
        gr_node_no_memory(root);
        return;
    }
    read_wheel_shape(hard, &scenario->scene.wheels);
    gr_read_materials(hard, parts, scenario);
    gr_read_zones(hard, scenario);
    gr_field_bool(hard, "self_contact", GR_OPTIONAL, &scenario->scene.self_contact);
    gr_read_groups(hard, scenario);
    gr_fields_end(hard);
}
