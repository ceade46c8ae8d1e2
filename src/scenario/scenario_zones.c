/// Materials of the rigid ground by position: `hard.zones`, and `hard.map` in the form of `soil_map`.
///
///     hard:
///       materials: {ice: {friction: 0.1}, slab: {friction: 0.9}}
///       zones:
///         - {material: ice, circle_m: [4, 0, 1.5]}                      # x, y, radius
///         - {material: slab, box_m: [6, -2, 9, 2]}                      # x and y of two corners
///         - {material: ice, polygon_m: [[0, 3], [2, 3], [1, 5]]}
///       map: {rules: ["ice: slope_deg<2 and noise>0.3"]}
///
/// A contact point takes the first zone that contains it, else the map, else the material of the ground.
#include "scenario_zones.h"

#include "elementary.h"
#include "list.h"
#include "rover_parts.h"
#include "scenario_parts.h"

#include <stdlib.h>
#include <string.h>

static void set_box(GrGroundZone *zone, const double box[4])
{
    const double corners[4][2] = {{box[0], box[1]}, {box[2], box[1]}, {box[2], box[3]}, {box[0], box[3]}};
    memcpy(zone->corners, corners, sizeof corners);
    zone->corner_count = 4;
}

static bool read_polygon(GrNode *node, GrGroundZone *zone)
{
    if (node->kind != GR_NODE_LIST || node->count < 3 || node->count > GR_ZONE_CORNERS) {
        gr_node_error(node, GR_ERROR_VALUE, "is a list of 3 to %d corners [x, y]", GR_ZONE_CORNERS);
        return false;
    }
    for (GrNode *item = node->first; item != NULL; item = item->next) {
        if (!gr_node_numbers(item, GR_ANY, zone->corners[zone->corner_count++], 2)) {
            return false;
        }
    }
    return true;
}

/// One of circle_m, box_m and polygon_m.
static bool read_outline(GrNode *item, GrGroundZone *zone)
{
    GrNode *circle = gr_field(item, "circle_m", GR_OPTIONAL), *box = gr_field(item, "box_m", GR_OPTIONAL);
    GrNode *polygon = gr_field(item, "polygon_m", GR_OPTIONAL);
    double values[4];
    if ((circle != NULL) + (box != NULL) + (polygon != NULL) != 1) {
        gr_node_error(item, GR_ERROR_FIELD, "a zone has one of circle_m, box_m, polygon_m");
        return false;
    }
    if (circle != NULL && gr_node_numbers(circle, GR_ANY, values, 3)) {
        *zone = (GrGroundZone){.x = values[0], .y = values[1], .radius = values[2]};
        if (!(zone->radius > 0)) {
            gr_node_error(circle, GR_ERROR_VALUE, "the radius is %g; allowed: above 0", zone->radius);
        }
        return zone->radius > 0;
    }
    if (box != NULL && gr_node_numbers(box, GR_ANY, values, 4)) {
        set_box(zone, values);
        return true;
    }
    return polygon != NULL && read_polygon(polygon, zone);
}

static void read_zone(GrNode *item, const GrNames *names, GrScenario *scenario)
{
    GrGroundZone zone = {0};
    char name[GR_NAME_SIZE];
    const bool outlined = read_outline(item, &zone);
    GrNode *material = gr_field(item, "material", GR_REQUIRED);
    const bool known = material != NULL && gr_node_name(material, "material", names, name);
    gr_fields_end(item);
    if (outlined && known) {
        zone.material = gr_find_material(scenario, name);
        if (gr_list_add(&scenario->zones, &scenario->zone_count, &zone, sizeof zone) < 0) {
            gr_node_no_memory(item);
        }
    }
}

/// Checks a material that the map names.
static void check_material(const GrNode *node, const char *name, const void *context)
{
    GrNames names;
    gr_material_names(context, &names);
    if (gr_find_material(context, name) < 0) {
        gr_node_error(node, GR_ERROR_NAME, "there is no material '%s'%s", name,
                      gr_suggestion(node->document->log, name, names.items, names.count).text);
    }
}

void gr_read_zones(GrNode *list, void *scenario)
{
    GrNames names;
    gr_material_names(scenario, &names);
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_zone(item, &names, scenario);
        }
    }
}

void gr_read_hard_map(GrNode *map, void *out)
{
    GrScenario *scenario = out;
    if (!gr_node_is_mapping(map)) {
        return;
    }
    gr_keys_read(map, gr_map_keys, &scenario->hard_map);
    gr_check_map(map, &scenario->hard_map, check_material, scenario);
}

/// Whether a rule or a legend of the map names a material.
static bool map_names(const GrSoilPlan *plan, const char *name)
{
    const size_t length = strlen(name);
    for (int i = 0; i < plan->rule_count; i++) {
        const char *rule = plan->rules[i] + strspn(plan->rules[i], " ");
        if (strncmp(rule, name, length) == 0 && strcspn(rule, ": ") == length) {
            return true;
        }
    }
    for (const char *at = plan->legend; (at = strchr(at, '=')) != NULL;) {
        at++;
        if (strncmp(at, name, length) == 0 && strcspn(at, " ,;") == length) {
            return true;
        }
    }
    return plan->file[0] != '\0' && plan->legend[0] == '\0'; // the file may have its own legend
}

bool gr_zones_use(const GrScenario *scenario, int material)
{
    bool used = map_names(&scenario->hard_map, scenario->scene.materials[material].name);
    for (int i = 0; i < scenario->zone_count; i++) {
        used = used || scenario->zones[i].material == material;
    }
    return used;
}

// ---- evaluation

static bool is_inside(const GrGroundZone *zone, double x, double y)
{
    if (zone->radius > 0) {
        return gr_hypot(x - zone->x, y - zone->y) <= zone->radius;
    }
    bool inside = false; // a ray to +x crosses the outline an odd number of times
    for (int i = 0, j = zone->corner_count - 1; i < zone->corner_count; j = i++) {
        const double *a = zone->corners[i], *b = zone->corners[j];
        if ((a[1] > y) != (b[1] > y) && x < a[0] + (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1])) {
            inside = !inside;
        }
    }
    return inside;
}

int gr_zone_material(const void *context, double x, double y)
{
    const GrGroundPlaces *places = context;
    for (int i = 0; i < places->zone_count; i++) {
        if (is_inside(&places->zones[i], x, y)) {
            return places->zones[i].material;
        }
    }
    GrSoilMix mix;
    if (places->map.name_count > 0 && gr_soil_map_at(&places->map, x, y, &mix) == GR_GROUND_OK) {
        return places->of_class[mix.classes[0] - 1];
    }
    return -1;
}

GrStatus gr_zones_resolve(const GrScenario *scenario, GrGroundPlaces *places, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    places->zones = scenario->zones;
    places->zone_count = scenario->zone_count;
    for (int i = 0; i < places->map.name_count; i++) {
        places->of_class[i] = gr_find_material(scenario, places->map.names[i]);
        if (places->of_class[i] < 0) {
            status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "hard.map"},
                                  "there is no material '%s' in hard.materials", places->map.names[i]);
        }
    }
    return status;
}
