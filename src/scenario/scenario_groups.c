/// `parts:` of a scenario, and `hard.no_contact`: pairs of collision groups that do not touch each other.
///
///     hard: {no_contact: [[arm, rocks], [wheels, lander]]}
///
/// A group is one of the kinds below, or a name given as `group` by a shape or wheel of the rover or by a part of the
/// scenario. A name that is not used anywhere is an error, since it would have no effect.
#include "scenario_parts.h"

#include "alloc.h"
#include "rover_parts.h"
#include "text.h"

#include <string.h>

static const char *const KINDS[] = {GR_GROUND_GROUP, GR_WHEEL_GROUP, GR_BODY_GROUP,
                                    GR_PART_GROUP,   GR_STONE_GROUP, GR_LANDER_GROUP};

void gr_group_names(const GrScenario *scenario, GrNames *names)
{
    names->count = 0;
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        gr_names_add(names, KINDS[i]);
    }
    for (int i = 0; i < scenario->part_count; i++) {
        gr_names_add(names, scenario->parts[i].shape.group);
    }
    for (int i = 0; i < scenario->rover.wheel_count; i++) {
        gr_names_add(names, scenario->rover.wheels[i].group);
    }
    for (int i = 0; i < scenario->rover.body_count; i++) {
        const GrBodyDef *body = &scenario->rover.bodies[i];
        for (int j = 0; j < body->shape_count; j++) {
            gr_names_add(names, body->shapes[j].group);
        }
    }
}

void gr_names_add(GrNames *names, const char *name)
{
    for (int i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], name) == 0) {
            return;
        }
    }
    if (name[0] != '\0' && names->count < GR_NAMES_MAX) {
        names->items[names->count++] = name;
    }
}

bool gr_node_name(GrNode *node, const char *kind, const GrNames *names, char *out)
{
    if (!gr_node_text(node, out, GR_NAME_SIZE)) {
        return false;
    }
    for (int i = 0; i < names->count; i++) {
        if (strcmp(names->items[i], out) == 0) {
            return true;
        }
    }
    gr_node_error(node, GR_ERROR_NAME, "there is no %s '%.60s'%s", kind, out,
                  gr_suggestion(node->document->log, out, names->items, names->count).text);
    return false;
}

bool gr_node_two_names(GrNode *node, const char *kind, const GrNames *names, char *a, char *b)
{
    if (node->kind != GR_NODE_LIST || node->count != 2) {
        gr_node_error(node, GR_ERROR_VALUE, "is a list of two names, [%s, %s]", kind, kind);
        return false;
    }
    const bool first = gr_node_name(node->first, kind, names, a);
    return gr_node_name(node->first->next, kind, names, b) && first;
}

void gr_read_groups(GrNode *list, void *out)
{
    GrScenario *scenario = out;
    GrNames names;
    gr_group_names(scenario, &names);
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        GrGroupPair pair;
        if (gr_node_two_names(item, "group", &names, pair.a, pair.b) &&
            gr_scene_add_no_contact(&scenario->scene, &pair) < 0) {
            gr_node_out_of_memory(item);
        }
    }
}

// ---- parts

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
