/// `hard:` of a scenario: materials, their assignment to groups and places, and the parameters of pairs.
///
///     hard:
///       law: hunt_crossley                                  # of all contacts
///       friction_law: spring
///       friction: 0.6                                       # parameters of everything rigid
///       materials:
///         ice: {friction: 0.1}                              # the same except for these
///       made_of: {ground: ice, wheels: rubber}              # by group
///       pairs:
///         - {between: [ice, rubber], friction_law: tanh, friction: 0.15}
///
/// Keys, ranges and the laws that read them come from the tables of material.h and contact_law.h.
#include "scenario_zones.h"

#include "contact_law.h"
#include "elementary.h"
#include "list.h"
#include "material.h"
#include "rover_parts.h"
#include "scenario_parts.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the keys

#define S(member) offsetof(GrScenario, member)

static bool material_row(int index, GrKey *out)
{
    if (index >= GR_MATERIAL_PARAM_COUNT) {
        return false;
    }
    const GrMaterialParamRow *row = &gr_material_params[index];
    *out = (GrKey){row->key,
                   GR_KEY_NUMBER,
                   row->text,
                   row->in_material,
                   .range = {row->lower, row->upper, row->lower_open, false, false},
                   .unit = strcmp(row->unit, "1") != 0 ? row->unit : "",
                   .factor = 1};
    return true;
}

static void fill_material(void *material)
{
    *(GrMaterial *)material = gr_default_material();
}

static const GrKey MATERIAL[] = {{"", GR_KEY_GROUP, .row = material_row}, {NULL}};

#define P(member) offsetof(GrMaterialPairDef, member)

static const GrKey PAIR_LAWS[] = {
    {"law", GR_KEY_CHOICE, "normal force", P(contact_law), .names = gr_contact_law_names, .size = GR_CONTACT_LAW_COUNT},
    {"friction_law", GR_KEY_CHOICE, "friction", P(friction_law), .names = gr_friction_law_names,
     .size = GR_FRICTION_LAW_COUNT},
    {NULL}};

static const GrKey PAIR[] = {{"between", GR_KEY_LIST, "two materials", .required = true},
                             {"", GR_KEY_GROUP, .keys = PAIR_LAWS},
                             {"", GR_KEY_GROUP, .keys = MATERIAL},
                             {NULL}};

static const GrKey ZONE[] = {{"material", GR_KEY_TEXT, "what the ground is made of there", .required = true},
                             {"circle_m", GR_KEY_NUMBERS, "x, y, radius", .size = 3, .range = GR_SPAN_ANY},
                             {"box_m", GR_KEY_NUMBERS, "x and y of two corners", .size = 4, .range = GR_SPAN_ANY},
                             {"polygon_m", GR_KEY_LIST, "corners [x, y]"},
                             {NULL}};

#define Z(member) offsetof(GrRockZone, member)

static const GrKey ROCK_ZONE[] = {
    {"material", GR_KEY_TEXT | GR_KEY_ELSEWHERE, "what rocks are made of there", .required = true},
    {"height", GR_KEY_NUMBERS, "from and to, over the height of the rock: 0 its lowest point, 1 its highest",
     Z(height_lower), GR_SPAN_BETWEEN(0, 1), .size = 2, .usual = "[0, 1]"},
    {"facing_deg", GR_KEY_NUMBERS, "angle of the surface's normal from the rock's upward axis, from and to",
     Z(facing_lower), GR_SPAN_BETWEEN(0, 180), .size = 2, .usual = "[0, 180]"},
    {NULL}};

// ---- reading

static GrRange range_of(const GrMaterialParamRow *row)
{
    return (GrRange){row->lower, row->upper, row->lower_open, false, false};
}

static void read_material_values(GrNode *node, GrMaterial *values)
{
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        gr_field_number(node, gr_material_params[i].key, GR_OPTIONAL, range_of(&gr_material_params[i]),
                        gr_material_value(values, (GrMaterialParam)i));
    }
    const double most = values->static_friction, least = values->friction;
    if (most > 0 && most < least) {
        GrNode *at = gr_node_find(node, "static_friction");
        gr_node_error(at != NULL ? at : node, GR_ERROR_VALUE,
                      "static_friction is %g; allowed: 0 (same as friction), or at least friction, %g", most, least);
    }
}

static void read_materials(GrNode *mapping, void *scenario)
{
    GrSceneDef *scene = &((GrScenario *)scenario)->scene;
    for (GrNode *item = mapping->first; item != NULL; item = item->next) {
        GrMaterial material = scene->materials[0];
        item->used = true;
        if (!gr_node_is_mapping(item)) {
            continue;
        }
        if (!gr_text_copy(material.name, sizeof material.name, item->key)) {
            gr_node_error(item, GR_ERROR_NAME, "the name has more than %d bytes", GR_NAME_SIZE - 1);
        }
        read_material_values(item, &material);
        gr_fields_end(item);
        if (gr_scene_add_material(scene, &material) < 0) {
            gr_node_out_of_memory(item);
        }
    }
}

/// Materials of the scenario that have a name.
static void material_names(const GrScenario *scenario, GrNames *names)
{
    names->count = 0;
    for (int i = 0; i < scenario->scene.material_count; i++) {
        gr_names_add(names, scenario->scene.materials[i].name);
    }
}

/// Index of a material; −1: none has that name.
static int find_material(const GrScenario *scenario, const char *name)
{
    for (int i = 0; i < scenario->scene.material_count; i++) {
        if (strcmp(scenario->scene.materials[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void read_made_of(GrNode *mapping, void *out)
{
    GrScenario *scenario = out;
    GrNames groups, materials;
    gr_group_names(scenario, &groups);
    material_names(scenario, &materials);
    for (GrNode *item = mapping->first; item != NULL; item = item->next) {
        GrGroupMaterial made = {0};
        char name[GR_NAME_SIZE];
        bool known = false;
        item->used = true;
        for (int i = 0; i < groups.count; i++) {
            known = known || strcmp(groups.items[i], item->key) == 0;
        }
        if (!known) {
            gr_node_error_at(item, GR_AT_KEY, GR_ERROR_NAME, "there is no group '%.60s'%s", item->key,
                             gr_suggestion(item->document->log, item->key, groups.items, groups.count).text);
        }
        if (gr_node_name(item, "material", &materials, name) && known) {
            gr_text_copy(made.group, sizeof made.group, item->key);
            made.material = find_material(scenario, name);
            if (gr_scene_add_made_of(&scenario->scene, &made) < 0) {
                gr_node_out_of_memory(item);
            }
        }
    }
}

static void read_pair(GrNode *item, const GrNames *names, GrScenario *scenario)
{
    GrMaterialPairDef pair = gr_default_material_pair_def();
    char a[GR_NAME_SIZE], b[GR_NAME_SIZE];
    GrNode *between = gr_field(item, "between", GR_REQUIRED);
    const bool known = between != NULL && gr_node_two_names(between, "material", names, a, b);
    gr_keys_take(item, PAIR_LAWS, &pair);
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const GrNode *given = gr_node_find(item, gr_material_params[i].key);
        if (given != NULL && gr_material_params[i].in_pair == SIZE_MAX) {
            gr_node_error(given, GR_ERROR_FIELD, "belongs to a material, not to a pair: give it under hard.materials");
        }
    }
    read_material_values(item, &pair.values);
    gr_fields_end(item);
    if (!known) {
        return;
    }
    pair.a = find_material(scenario, a);
    pair.b = find_material(scenario, b);
    const GrMaterial *materials = scenario->scene.materials;
    GrPairMaterial both = gr_material_pair(&materials[pair.a], 1, &materials[pair.b], 1, false);
    gr_pair_override(&both, &pair.values);
    if (both.stiction < both.friction && isnan(pair.values.friction)) { // if both are given, it was reported already
        gr_node_error(gr_node_find(item, "static_friction"), GR_ERROR_VALUE,
                      "static_friction is %g; allowed: 0 (same as friction), or at least the friction of both, %g",
                      both.stiction, both.friction);
    }
    if (gr_scene_add_pair(&scenario->scene, &pair) < 0) {
        gr_node_out_of_memory(item);
    }
}

static void read_pairs(GrNode *list, void *scenario)
{
    GrNames names;
    material_names(scenario, &names);
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_pair(item, &names, scenario);
        }
    }
}

static void read_rock_zone(GrNode *item, const GrNames *names, GrScenario *scenario)
{
    GrRockZone zone = {.height_upper = 1, .facing_upper = GR_PI};
    char name[GR_NAME_SIZE];
    GrNode *material = gr_field(item, "material", GR_REQUIRED);
    const bool known = material != NULL && gr_node_name(material, "material", names, name);
    gr_keys_read(item, ROCK_ZONE, &zone);
    if (zone.height_lower > zone.height_upper || zone.facing_lower > zone.facing_upper) {
        const char *key = zone.height_lower > zone.height_upper ? "height" : "facing_deg";
        gr_node_error(gr_node_find(item, key), GR_ERROR_VALUE, "the first number is above the second");
        return;
    }
    zone.material = known ? find_material(scenario, name) : 0;
    if (gr_scene_add_rock_zone(&scenario->scene, &zone) < 0) {
        gr_node_out_of_memory(item);
    }
}

static void read_rock_zones(GrNode *list, void *scenario)
{
    GrNames names;
    material_names(scenario, &names);
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_rock_zone(item, &names, scenario);
        }
    }
}

void gr_check_part_materials(GrNode *root, const GrScenario *scenario)
{
    const GrNode *parts = gr_node_find(root, "parts");
    GrNames names;
    material_names(scenario, &names);
    for (GrNode *item = parts != NULL ? parts->first : NULL; item != NULL; item = item->next) {
        GrNode *material = item->first != NULL ? gr_node_find(item->first, "material") : NULL;
        char name[GR_NAME_SIZE];
        if (material != NULL) {
            gr_node_name(material, "material", &names, name);
        }
    }
}

// ---- zones of the rigid ground
//
//     hard:
//       materials: {ice: {friction: 0.1}, slab: {friction: 0.9}}
//       zones:
//         - {material: ice, circle_m: [4, 0, 1.5]}                      # x, y, radius
//         - {material: slab, box_m: [6, -2, 9, 2]}                      # x and y of two corners
//         - {material: ice, polygon_m: [[0, 3], [2, 3], [1, 5]]}
//       map: {rules: ["ice: slope_deg<2 and noise>0.3"]}
//
// A contact point takes the first zone that contains it, else the map, else the material of the ground.

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
        zone.material = find_material(scenario, name);
        if (gr_list_add(&scenario->zones, &scenario->zone_count, &zone, sizeof zone) < 0) {
            gr_node_out_of_memory(item);
        }
    }
}

/// Checks a material that the map names.
static void check_material(const GrNode *node, const char *name, const void *context)
{
    GrNames names;
    material_names(context, &names);
    if (find_material(context, name) < 0) {
        gr_node_error(node, GR_ERROR_NAME, "there is no material '%s'%s", name,
                      gr_suggestion(node->document->log, name, names.items, names.count).text);
    }
}

static void read_zones(GrNode *list, void *scenario)
{
    GrNames names;
    material_names(scenario, &names);
    for (GrNode *item = list->first; item != NULL; item = item->next) {
        if (gr_node_is_mapping(item)) {
            read_zone(item, &names, scenario);
        }
    }
}

static void read_hard_map(GrNode *map, void *out)
{
    GrScenario *scenario = out;
    if (!gr_node_is_mapping(map)) {
        return;
    }
    gr_keys_read(map, gr_map_keys, &scenario->hard_map);
    gr_check_map(map, &scenario->hard_map, check_material, scenario);
}

static const char *const WHEEL_SHAPES[GR_WHEELS_COUNT] = {"cylinder", "grousers", "mesh"};

const GrKey gr_hard_keys[] = {
    {"law", GR_KEY_CHOICE, "law of normal forces", S(scene.contact_law), .names = gr_contact_law_names,
     .size = GR_CONTACT_LAW_COUNT, .usual = "hunt_crossley"},
    {"friction_law", GR_KEY_CHOICE, "law of friction", S(scene.friction_law), .names = gr_friction_law_names,
     .size = GR_FRICTION_LAW_COUNT, .usual = "spring"},
    {"", GR_KEY_GROUP | GR_KEY_ELSEWHERE, .keys = MATERIAL},
    {"wheels", GR_KEY_CHOICE, "shape of wheels on rigid ground", S(scene.wheels), .names = WHEEL_SHAPES,
     .size = GR_WHEELS_COUNT, .usual = "cylinder"},
    {"materials", GR_KEY_NAMED, "materials by name", .keys = MATERIAL, .read = read_materials, .fill = fill_material,
     .size = sizeof(GrMaterial)},
    {"made_of", GR_KEY_MAPPING, "groups and their materials", .read = read_made_of},
    {"pairs", GR_KEY_LIST, "laws and values of two materials", .keys = PAIR, .read = read_pairs},
    {"zones", GR_KEY_LIST, "materials of the ground by place; the first that contains a point counts", .keys = ZONE,
     .read = read_zones},
    {"rock_zones", GR_KEY_LIST, "materials on rocks by position on the rock; the first that contains a point counts",
     .keys = ROCK_ZONE, .read = read_rock_zones},
    {"map", GR_KEY_MAPPING | GR_KEY_ELSEWHERE, "materials of the ground by place", .keys = gr_map_keys,
     .read = read_hard_map},
    {"self_contact", GR_KEY_BOOL, "the rover's own bodies touch each other too", S(scene.self_contact),
     .usual = "false"},
    {"no_contact", GR_KEY_LIST, "pairs of groups that do not touch each other", .read = gr_read_groups},
    {NULL}};

void gr_read_hard(GrNode *node, void *out)
{
    GrScenario *scenario = out;
    read_material_values(node, &scenario->scene.materials[0]);
    gr_keys_read(node, gr_hard_keys, scenario);
}

// ---- keys without effect

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

static bool zones_use(const GrScenario *scenario, int material)
{
    bool used = map_names(&scenario->hard_map, scenario->scene.materials[material].name);
    for (int i = 0; i < scenario->zone_count; i++) {
        used = used || scenario->zones[i].material == material;
    }
    return used;
}

static unsigned reads_of(GrContactLaw contact, GrFrictionLaw friction)
{
    return gr_contact_laws[contact].reads | gr_friction_laws[friction].reads;
}

/// "bengisu_akay" or "tanh, bengisu_akay, pacejka": laws that read a parameter.
static const char *readers(GrMaterialParam param, char *out, size_t size)
{
    size_t length = 0;
    out[0] = '\0';
    for (int i = 0; i < GR_CONTACT_LAW_COUNT + GR_FRICTION_LAW_COUNT; i++) {
        const bool contact = i < GR_CONTACT_LAW_COUNT;
        const int k = contact ? i : i - GR_CONTACT_LAW_COUNT;
        const unsigned reads = contact ? gr_contact_laws[k].reads : gr_friction_laws[k].reads;
        const char *name = contact ? gr_contact_law_names[k] : gr_friction_law_names[k];
        if ((reads >> param & 1u) != 0 && length < size) {
            length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? ", " : "", name);
        }
    }
    return out;
}

/// Warns about parameters that none of the laws in use reads.
static void warn_values(const GrNode *node, unsigned reads)
{
    for (int i = 0; i < GR_MATERIAL_PARAM_COUNT; i++) {
        const GrNode *given = gr_node_find(node, gr_material_params[i].key);
        char laws[160];
        if (given != NULL && (reads >> i & 1u) == 0) {
            gr_node_warning(given, "has no effect: no law in use reads it (%s)",
                            readers((GrMaterialParam)i, laws, sizeof laws));
        }
    }
}

/// Whether something is made of a material; including zones and maps of the ground.
static bool is_used(const GrScenario *s, int material)
{
    const char *name = s->scene.materials[material].name;
    bool used = zones_use(s, material);
    for (int i = 0; i < s->scene.made_of_count; i++) {
        used = used || s->scene.made_of[i].material == material;
    }
    for (int i = 0; i < s->scene.rock_zone_count; i++) {
        used = used || s->scene.rock_zones[i].material == material;
    }
    for (int i = 0; i < s->part_count; i++) {
        used = used || strcmp(s->parts[i].shape.material, name) == 0;
    }
    for (int i = 0; i < s->rover.wheel_count; i++) {
        used = used || strcmp(s->rover.wheels[i].material, name) == 0;
    }
    for (int i = 0; i < s->rover.body_count; i++) {
        for (int j = 0; j < s->rover.bodies[i].shape_count; j++) {
            used = used || strcmp(s->rover.bodies[i].shapes[j].material, name) == 0;
        }
    }
    return used;
}

void gr_warn_materials(GrNode *root, const GrScenario *scenario)
{
    const GrNode *hard = gr_node_find(root, "hard"), *mapping = gr_node_find(hard, "materials");
    const GrNode *pairs = gr_node_find(hard, "pairs");
    const GrSceneDef *scene = &scenario->scene;
    const unsigned usual = reads_of(scene->contact_law, scene->friction_law);
    unsigned all = usual;
    int index = 0;
    if (hard == NULL || root->document->status != GR_OK) {
        return;
    }
    for (const GrNode *item = pairs != NULL ? pairs->first : NULL; item != NULL; item = item->next, index++) {
        const GrMaterialPairDef *pair = &scene->pairs[index];
        const unsigned reads =
            reads_of(pair->contact_law != GR_CONTACT_OF_SCENE ? pair->contact_law : scene->contact_law,
                     pair->friction_law != GR_FRICTION_OF_SCENE ? pair->friction_law : scene->friction_law);
        warn_values(item, reads);
        all |= reads;
    }
    warn_values(hard, all);
    index = 1;
    for (const GrNode *item = mapping != NULL ? mapping->first : NULL; item != NULL; item = item->next, index++) {
        warn_values(item, all);
        if (!is_used(scenario, index)) {
            gr_node_warning(item, "has no effect: nothing is made of it (made_of, zones, rock_zones, map, or the key "
                                  "material of a shape or "
                                  "wheel)");
        }
    }
}

// ---- materials by place, during a run

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
        places->of_class[i] = find_material(scenario, places->map.names[i]);
        if (places->of_class[i] < 0) {
            status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "hard.map"},
                                  "there is no material '%s' in hard.materials", places->map.names[i]);
        }
    }
    return status;
}
