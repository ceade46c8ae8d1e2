/// Builds the world of a scenario: terrain, rocks, soils, model, mission.
#include "body_shapes.h"
#include "elementary.h"
#include "grouser/surface.h"
#include "messages.h"
#include "out_of_memory.h"
#include "scenario_data.h"

#include "alloc.h"
#include "check.h"
#include "document.h"
#include "file.h"
#include "grouser/soil_file.h"
#include "placed_rocks.h"
#include "rock_table.h"
#include "scenario_zones.h"
#include "soil_rules.h"
#include "soil_wheel.h"
#include "soil_yaml.h"
#include "text.h"
#include "whole.h"
#include "world_cache.h"
#include "world_lander.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Rocks and soils are generated where the rover may come, with this margin.
static const double ROCK_MARGIN = 15; // [m]
/// On a map up to this size all rocks are generated at once.
static const double LARGEST_FIELD = 1e6; // [m²]

/// Largest file of saved ruts [bytes].
static const size_t LARGEST_RUTS = (size_t)2 << 30;

static GrGridFrame frame_of(double size_x, double size_y, double cell)
{
    const double nx = fmax(nearbyint(size_x / cell), 1), ny = fmax(nearbyint(size_y / cell), 1);
    return (GrGridFrame){gr_whole(nx) + 1, gr_whole(ny) + 1, -0.5 * nx * cell, -0.5 * ny * cell, cell, cell};
}

/// The ground of the scenario itself, without the layers below and around it.
static GrBox2 plan_box(const GrTerrainPlan *plan, const GrTerrain *terrain)
{
    if (plan->layer_count == 0 || gr_terrain_layer_count(terrain) <= plan->layer_count) {
        return gr_terrain_box(terrain);
    }
    const GrGridFrame *f = &gr_terrain_layer(terrain, plan->layer_count)->frame;
    return (GrBox2){f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
}

/// Adds the generated part of the ground, over the map if there is one. Landers are structures with a layer of their
/// own.
static GrStatus add_terms(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log)
{
    const char *terms[GR_SCENARIO_TERMS];
    GrLayerDef layer = gr_default_layer_def();
    for (int i = 0; i < plan->term_count; i++) {
        // replaced, so that the others keep their random numbers
        terms[i] = gr_is_lander(plan->terms[i]) ? "plane" : plan->terms[i];
    }
    layer.interpolation = plan->interpolation;
    layer.margin = plan->margin;
    if (plan->file[0] != '\0') { // as wide as the map
        const GrBox2 box = plan_box(plan, terrain);
        layer.frame = frame_of(box.x_upper - box.x_lower, box.y_upper - box.y_lower, plan->cell);
        layer.frame.x0 = box.x_lower;
        layer.frame.y0 = box.y_lower;
        layer.mode = GR_LAYER_ADD;
    } else {
        layer.frame = frame_of(plan->size_x, plan->size_y, plan->cell);
        layer.mode = plan->layer_count > 0 ? GR_LAYER_ADD : GR_LAYER_REPLACE; // detail on the layers below
    }
    const GrGridFrame *f = &layer.frame;
    const GrBox2 box = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
    GrSurface *surface = NULL;
    gr_surface_create(terms, plan->term_count, plan->seed, box, &surface, log);
    const GrStatus status = surface != NULL ? gr_terrain_add_surface(terrain, &layer, surface, log) : GR_ERROR_VALUE;
    return status == GR_OK ? gr_add_lander_layers(plan, terrain, log) : status;
}

static GrStatus add_generated(const GrLayerPlan *plan, bool first, GrTerrain *terrain, GrErrorLog *log)
{
    const char *terms[GR_SCENARIO_LAYER_TERMS];
    GrLayerDef layer = gr_default_layer_def();
    for (int i = 0; i < plan->term_count; i++) {
        terms[i] = plan->terms[i];
    }
    layer.interpolation = GR_BICUBIC;
    layer.margin = plan->margin;
    layer.mode = first ? GR_LAYER_REPLACE : GR_LAYER_ADD;
    layer.frame = frame_of(plan->size_x, plan->size_y, plan->cell);
    layer.frame.x0 += plan->x;
    layer.frame.y0 += plan->y;
    const GrGridFrame *f = &layer.frame;
    const GrBox2 box = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
    GrSurface *surface = NULL;
    gr_surface_create(terms, plan->term_count, plan->seed, box, &surface, log);
    return surface != NULL ? gr_terrain_add_surface(terrain, &layer, surface, log) : GR_ERROR_VALUE;
}

/// The origin is that of the map on top, not of the largest one.
static GrStatus take_place(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log)
{
    const char *file = plan->file;
    const GrRasterOptions *raster = &plan->raster;
    for (int i = plan->layer_count - 1; file[0] == '\0' && i >= 0; i--) {
        file = plan->layers[i].file;
        raster = &plan->layers[i].raster;
    }
    if (file[0] == '\0') {
        return GR_OK;
    }
    GrTerrain *alone = NULL;
    gr_terrain_create(&alone, NULL);
    const GrLayerDef layer = gr_default_layer_def();
    GrErrorLog again = {.quiet = true}; // warnings are given when the file is added
    GrStatus status = alone != NULL ? gr_terrain_add_file(alone, file, raster, &layer, &again) : GR_ERROR_MEMORY;
    if (status != GR_OK) {
        gr_error_add(log, status, (GrLocation){.file = file}, "%s",
                     again.count > 0 ? again.items[again.count - 1].text : "");
    } else {
        status = gr_terrain_set_georeference(terrain, gr_terrain_georeference(alone));
    }
    gr_terrain_free(alone);
    return status;
}

/// Adds the maps below and around the ground of the scenario, the coarsest first.
static GrStatus add_layers(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log)
{
    GrStatus status = take_place(plan, terrain, log);
    for (int i = 0; i < plan->layer_count && status == GR_OK; i++) {
        const GrLayerPlan *l = &plan->layers[i];
        GrLayerDef layer = gr_default_layer_def();
        layer.interpolation = GR_BICUBIC;
        layer.margin = l->margin;
        status = l->file[0] != '\0' ? gr_terrain_add_file(terrain, l->file, &l->raster, &layer, log)
                                    : add_generated(l, i == 0, terrain, log);
    }
    return status;
}

GrStatus gr_plan_make_terrain(const GrTerrainPlan *plan, GrTerrain **out, GrErrorLog *log)
{
    *out = NULL;
    if (plan->file[0] == '\0' && plan->term_count == 0 && plan->layer_count == 0) {
        return GR_OK;
    }
    GrTerrain *terrain = NULL;
    if (gr_terrain_create(&terrain, NULL) != GR_OK) {
        return gr_out_of_memory(log, NULL);
    }
    *out = terrain;
    GrStatus status = plan->layer_count > 0 ? add_layers(plan, terrain, log) : GR_OK;
    if (plan->file[0] != '\0' && status == GR_OK) {
        GrLayerDef layer = gr_default_layer_def();
        layer.interpolation = plan->interpolation;
        layer.margin = plan->margin;
        status = gr_terrain_add_file(terrain, plan->file, &plan->raster, &layer, log);
    }
    return status == GR_OK && plan->term_count > 0 ? add_terms(plan, terrain, log) : status;
}

/// Area that the rover may reach: the box around start and path, or the range of the commands, with a margin.
static GrBox2 corridor(const GrScenario *s)
{
    const GrControlDef *c = &s->mission.control;
    GrBox2 box = {s->start.x, s->start.y, s->start.x, s->start.y};
    for (int i = 0; i < c->path_count; i++) {
        box = (GrBox2){fmin(box.x_lower, s->path[i].x), fmin(box.y_lower, s->path[i].y),
                       fmax(box.x_upper, s->path[i].x), fmax(box.y_upper, s->path[i].y)};
    }
    double travel = gr_hypot(s->start.velocity.x, s->start.velocity.y) * s->mission.duration;
    for (int i = 0; i < c->script_count; i++) {
        const double end = i + 1 < c->script_count ? s->script[i + 1].time : s->mission.duration;
        travel += fabs(s->script[i].command.speed) * fmax(end - s->script[i].time, 0);
    }
    const double margin = ROCK_MARGIN + travel;
    return (GrBox2){box.x_lower - margin, box.y_lower - margin, box.x_upper + margin, box.y_upper + margin};
}

static GrBox2 common(GrBox2 a, GrBox2 b)
{
    return (GrBox2){fmax(a.x_lower, b.x_lower), fmax(a.y_lower, b.y_lower), fmin(a.x_upper, b.x_upper),
                    fmin(a.y_upper, b.y_upper)};
}

/// Whether a rock is in the box and not where the rover starts.
static bool is_chosen(const GrScenario *s, GrBox2 box, const GrRock *rock)
{
    return rock->x > box.x_lower && rock->x < box.x_upper && rock->y > box.y_lower && rock->y < box.y_upper &&
           gr_hypot(rock->x - s->start.x, rock->y - s->start.y) > s->terrain.clear_radius + rock->diameter / 2;
}

/// Keeps the rocks in the box, except where the rover starts; those that can move come first.
static bool choose_rocks(const GrScenario *s, GrBox2 box, GrRockField *field)
{
    int count = 0, kept = 0;
    for (int i = 0; i < field->count; i++) { // of a large field most are far away
        if (is_chosen(s, box, &field->rocks[i])) {
            field->rocks[count++] = field->rocks[i];
        }
    }
    GrRock *chosen = gr_calloc((size_t)count + 1, sizeof *chosen);
    if (chosen == NULL) {
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < count; i++) {
            if ((field->rocks[i].diameter < s->terrain.loose_below) == (pass == 0)) {
                chosen[kept++] = field->rocks[i];
            }
        }
    }
    gr_free(field->rocks);
    field->rocks = chosen;
    field->count = kept;
    return true;
}

/// Loose rocks come first.
static bool any_loose(const GrScenario *s, const GrRockField *field)
{
    return field->count > 0 && field->rocks[0].diameter < s->terrain.loose_below;
}

/// Sizes and places of the rocks of a field.
static GrStatus sow_rocks(const GrRockFieldDef *def, GrWorldCache *cache, GrRockField *field, GrErrorLog *log)
{
    const GrRockTable *table = cache != NULL ? gr_world_cache_rocks(cache, def) : NULL;
    return table != NULL ? gr_rock_field_make_by(table, def, field, log) : gr_rock_field_make(def, field, log);
}

static GrStatus make_rocks(const GrScenario *s, GrWorldCache *cache, GrTerrain *terrain, GrRockField *field,
                           GrErrorLog *log)
{
    if (!s->terrain.has_rocks) {
        return GR_OK;
    }
    GrRockFieldDef def = s->terrain.rocks;
    const double x = s->terrain.size_x / 2, y = s->terrain.size_y / 2;
    const GrBox2 map = terrain != NULL ? plan_box(&s->terrain, terrain) : (GrBox2){-x, -y, x, y};
    const GrBox2 near = common(map, corridor(s));
    const bool small = (map.x_upper - map.x_lower) * (map.y_upper - map.y_lower) <= LARGEST_FIELD;
    def.box = small ? map : near; // on a small map the rocks do not change with the path
    if (!(near.x_lower < near.x_upper && near.y_lower < near.y_upper)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "start"},
                            "the rover and its path are off the map");
    }
    GrStatus status = s->terrain.sown ? sow_rocks(&def, cache, field, log) : GR_OK;
    if (status == GR_OK && !choose_rocks(s, near, field)) {
        status = gr_out_of_memory(log, NULL);
    }
    status = status == GR_OK ? gr_place_rocks(s, field, log) : status;
    return status == GR_OK && terrain != NULL && any_loose(s, field) ? gr_terrain_prefetch(terrain, near, log) : status;
}

/// Heights for the rules of a soil map, on its own grid.
typedef struct Heights {
    const GrTerrain *terrain;
    GrGridFrame frame;
} Heights;

static GrStatus read_heights(void *context, GrGridWindow window, double *out, GrErrorLog *log)
{
    (void)log;
    const Heights *h = context;
    for (int j = 0; j < window.nj; j++) {
        for (int i = 0; i < window.ni; i++) {
            const double x = h->frame.x0 + (double)(window.i0 + i) * h->frame.dx,
                         y = h->frame.y0 + (double)(window.j0 + j) * h->frame.dy;
            double z = 0;
            if (h->terrain != NULL && gr_terrain_height(h->terrain, x, y, &z) != GR_GROUND_OK) {
                z = NAN;
            }
            out[(size_t)j * (size_t)window.ni + (size_t)i] = z;
        }
    }
    return GR_OK;
}

static GrStatus map_by_rules(const GrScenario *s, const GrSoilPlan *plan, GrTerrain *terrain, GrSoilMap *map,
                             GrErrorLog *log)
{
    const double x = s->terrain.size_x / 2, y = s->terrain.size_y / 2;
    const GrBox2 whole = terrain != NULL ? plan_box(&s->terrain, terrain) : (GrBox2){-x, -y, x, y};
    const GrBox2 box = common(whole, corridor(s));
    const char *rules[GR_SCENARIO_RULES];
    for (int i = 0; i < plan->rule_count; i++) {
        rules[i] = plan->rules[i];
    }
    Heights heights = {terrain, frame_of(box.x_upper - box.x_lower, box.y_upper - box.y_lower, plan->cell)};
    heights.frame.x0 = box.x_lower;
    heights.frame.y0 = box.y_lower;
    GrStatus status = terrain != NULL ? gr_terrain_prefetch(terrain, box, log) : GR_OK;
    if (status == GR_OK) {
        const GrSource source = {.read = read_heights, .context = &heights};
        status = gr_soil_rules_apply(rules, plan->rule_count, &heights.frame, source, plan->wavelength, plan->seed, map,
                                     log);
    }
    return status;
}

/// Damping of a soil under a wheel with its share of the rover's mass.
static double soil_damping(const GrScenario *s, const GrSoilDef *soil, int wheel)
{
    const GrRoverDef *rover = &s->rover;
    const double gravity =
        sqrt(s->gravity.x * s->gravity.x + s->gravity.y * s->gravity.y + s->gravity.z * s->gravity.z);
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass / fmax(rover->wheel_count, 1);
    }
    return rover->wheel_count > 0 ? gr_soil_impact_damping(soil, rover->wheels[wheel].radius,
                                                           rover->wheels[wheel].width, mass, gravity, s->damping_ratio)
                                  : soil->damping;
}

/// A map of classes, from a file or by rules; none if the plan has neither.
static GrStatus make_map(const GrScenario *s, const GrSoilPlan *plan, GrTerrain *terrain, GrSoilMap *map,
                         GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (plan->file[0] != '\0') {
        const GrGeoreference *place = terrain != NULL ? gr_terrain_georeference(terrain) : NULL;
        status = gr_soil_map_open(map, plan->file, plan->legend[0] != '\0' ? plan->legend : NULL, place, log);
    } else if (plan->rule_count > 0) {
        status = map_by_rules(s, plan, terrain, map, log);
    }
    map->border = plan->border;
    return status;
}

/// The scenario's soil becomes the first class of the map: it applies where none is named, and blends with its
/// neighbours.
static GrStatus fill_soil_map(const GrScenario *s, GrSoilMap *map, GrErrorLog *log)
{
    if (map->name_count == 0 || !s->has_soil) {
        return GR_OK;
    }
    if (map->name_count == GR_SOIL_MAP_NAMES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "soil_map"}, "more than %d soils",
                            GR_SOIL_MAP_NAMES - 1);
    }
    memmove(map->names[1], map->names[0], sizeof map->names[0] * (size_t)map->name_count);
    gr_text_copy(map->names[0], sizeof map->names[0], s->soil.name);
    map->name_count++;
    for (int64_t i = 0; i < map->frame.nx * map->frame.ny; i++) {
        map->classes[i]++;
    }
    return GR_OK;
}

/// Soils of the map, from the first that is not the scenario's own.
static GrStatus load_map_soils(const GrScenario *s, GrWorld *world, GrErrorLog *log)
{
    const GrSoilMap *map = &world->soil_map;
    GrSoilSources *sources = gr_calloc(1, sizeof *sources);
    GrSoilSpread spread;
    GrStatus status = GR_OK;
    for (int i = s->has_soil; i < map->name_count && status == GR_OK; i++) {
        if (map->names[i][0] == '\0') { // a class that is missing in the legend
            world->soils[i] = s->soil;
            continue;
        }
        status = gr_soil_load_spread(map->names[i], NULL, &world->soils[i], sources, &spread, log);
        world->soils[i].law = s->soil_map.has_law ? s->soil_map.law : world->soils[i].law;
        gr_soil_take_sample(&spread, NULL, s->soil_sample, s->soil_samples, &world->soils[i]);
        if (status == GR_OK && sources != NULL) {
            gr_soil_warn_ignored(&world->soils[i], sources, GR_SOIL_USE_DAMPED | gr_rover_soil_use(&s->rover), log);
        }
    }
    gr_free(sources);
    return status;
}

/// Appends the soils of wheels that have their own everywhere.
static bool add_wheel_soils(const GrScenario *s, GrWorld *world)
{
    const int first = world->soil_count;
    if (s->wheel_soil == NULL) {
        return true;
    }
    world->wheel_soil = gr_calloc((size_t)s->rover.wheel_count + 1, sizeof *world->wheel_soil);
    for (int i = 0; world->wheel_soil != NULL && i < s->rover.wheel_count; i++) {
        const int own = s->wheel_soil[i];
        world->wheel_soil[i] = own >= 0 ? first + own : own;
        if (own >= 0) {
            world->soils[first + own] = s->wheel_soils[own];
            world->soils[first + own].damping = soil_damping(s, &s->wheel_soils[own], i);
        }
    }
    world->soil_count += s->wheel_soil_count;
    return world->wheel_soil != NULL;
}

/// The soil map, and all soils.
static GrStatus make_soils(const GrScenario *s, GrWorld *world, GrErrorLog *log)
{
    GrSoilMap *map = &world->soil_map;
    GrStatus status = make_map(s, &s->soil_map, world->terrain, map, log);
    status = status == GR_OK ? fill_soil_map(s, map, log) : status;
    world->soil_count = map->name_count > 0 ? map->name_count : s->has_soil;
    world->soils = gr_calloc((size_t)(world->soil_count + s->wheel_soil_count) + 1, sizeof *world->soils);
    if (status != GR_OK || world->soils == NULL) {
        return status != GR_OK ? status : gr_out_of_memory(log, NULL);
    }
    world->soils[0] = s->soil;
    status = load_map_soils(s, world, log);
    for (int i = 0; i < world->soil_count; i++) {
        world->soils[i].damping = soil_damping(s, &world->soils[i], 0);
    }
    return add_wheel_soils(s, world) ? status : gr_out_of_memory(log, NULL);
}

/// Materials of the rigid ground by position.
static GrStatus make_places(const GrScenario *s, GrWorld *world, GrErrorLog *log)
{
    const GrSoilPlan *plan = &s->hard_map;
    if (s->zone_count == 0 && plan->file[0] == '\0' && plan->rule_count == 0) {
        return GR_OK;
    }
    world->ground_places = gr_calloc(1, sizeof *world->ground_places);
    if (world->ground_places == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrStatus status = make_map(s, plan, world->terrain, &world->ground_places->map, log);
    world->ground_places->map.border = 0;
    return status == GR_OK ? gr_zones_resolve(s, world->ground_places, log) : status;
}

/// Loose rocks, and fixed ones beside them, are made at the start; other rocks when the rover comes near.
static bool add_rocks(const GrScenario *s, const GrWorld *world, const GrSurfaceDef *surface, GrSceneDef *scene)
{
    const GrRockFieldUse use = {.shape = s->terrain.shape,
                                .loose_below = s->terrain.loose_below,
                                .seed = s->terrain.rocks.seed,
                                .deviation = s->terrain.deviation};
    if (any_loose(s, &world->rocks)) {
        return gr_scene_add_rock_field(scene, surface, &world->rocks, &use) >= 0;
    }
    scene->field = &world->rocks;
    scene->field_use = use;
    scene->field_use.loose_below = 0;
    scene->field_ground = world->terrain;
    return true;
}

/// Builds the rigid scene, if anything is rigid.
static GrStatus make_scene(const GrScenario *s, const GrWorld *world, const GrSurfaceDef *surface, GrSceneDef *scene,
                           GrErrorLog *log)
{
    bool made = gr_scene_copy(scene, &s->scene);
    scene->rigid_ground = world->soil_count == 0;
    if (world->ground_places != NULL) {
        scene->ground_material_at = gr_zone_material;
        scene->ground_material_context = world->ground_places;
    }
    made = made && add_rocks(s, world, surface, scene);
    for (int i = 0; i < s->part_count; i++) {
        made = made && gr_scene_add_part(scene, &s->parts[i]) >= 0;
    }
    made = made && gr_mesh_rocks_add(&world->mesh_rocks, scene);
    made = made && (!s->lander.given || gr_world_add_lander(&s->lander, &world->lander, scene));
    if (!made) {
        return gr_out_of_memory(log, NULL);
    }
    return gr_add_lander_parts(&s->terrain, world->terrain, scene, log);
}

static GrStatus make_model(const GrScenario *s, GrWorld *world, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    GrSceneDef scene;
    options.gravity = s->gravity;
    options.step = s->mission.step;
    options.integrator = s->integrator;
    options.tolerance = s->tolerance;
    const GrSoilDef *soils = world->soil_count > 0 ? world->soils : NULL;
    if (world->terrain != NULL) {
        options.surface = gr_surface_of_terrain(world->terrain, soils);
    }
    options.surface.soil = soils;
    if (world->soil_map.name_count > 0) {
        gr_surface_set_soil_map(&options.surface, &world->soil_map, soils);
    }
    options.surface.soil_count = world->soil_count;
    options.surface.wheel_soil = world->wheel_soil;
    options.surface.slices = s->slices;
    options.surface.ruts = s->ruts;
    options.surface.rut_cell = s->rut_cell;
    options.surface.soil_flow = s->soil_flow;
    options.surface.bodies_press = s->bodies_press;
    options.surface.trace = &s->trace;
    GrStatus status = make_scene(s, world, &options.surface, &scene, log);
    if (status == GR_OK) {
        options.surface.scene = &scene;
        gr_model_create(&s->rover, &options, &world->model, log);
        status = world->model != NULL ? GR_OK : GR_ERROR_MODEL;
    }
    gr_scene_def_free(&scene);
    return status;
}

/// Messages without a file refer to the scenario's file, and usually to a key in it.
static void name_place(const GrScenario *s, GrErrorLog *log, int first)
{
    for (int i = first; log != NULL && i < log->count; i++) {
        const GrError *error = &log->items[i];
        if (error->file[0] != '\0') {
            continue;
        }
        GrLocation at = {.file = s->file, .field = error->field};
        const GrNode *node = s->document != NULL ? gr_document_place(s->document, error->field) : NULL;
        char path[GR_PATH_SIZE];
        if (node != NULL) {
            at = gr_node_location(node, path, sizeof path);
        }
        gr_messages_set_place(log, i, at);
    }
}

/// Loads ruts that are present at the start.
static GrStatus give_ruts(const GrScenario *s, GrMission *mission, GrErrorLog *log)
{
    if (s->ruts_from[0] == '\0') {
        return GR_OK;
    }
    char *bytes = NULL;
    size_t size = 0;
    const GrRutsDef def = gr_default_ruts_def();
    GrRuts *ruts = NULL;
    gr_ruts_create(&def, &ruts, log);
    GrStatus status = ruts != NULL ? gr_file_read(s->ruts_from, LARGEST_RUTS, &bytes, &size, log) : GR_ERROR_MEMORY;
    if (status == GR_OK) {
        GrErrorLog why = {.quiet = true};
        status = gr_ruts_restore(ruts, bytes, size, &why);
        if (status != GR_OK && why.count > 0) {
            gr_error_add(log, status, (GrLocation){.file = s->ruts_from}, "%s", why.items[0].text);
        } else if (status != GR_OK) {
            gr_out_of_memory(log, s->ruts_from);
        }
    }
    if (status == GR_OK) {
        status = gr_mission_set_ruts(mission, ruts, log);
    }
    gr_free(bytes);
    gr_ruts_free(ruts);
    return status;
}

/// Warns about way-points outside the map, which the rover would leave on the way there.
static void warn_off_map(const GrScenario *s, const GrTerrain *terrain, GrErrorLog *log)
{
    if (terrain == NULL) {
        return;
    }
    const GrBox2 box = gr_terrain_box(terrain);
    for (int i = 0; i < s->mission.control.path_count; i++) {
        const GrWayPoint *p = &s->path[i];
        char field[64];
        if (!(p->x >= box.x_lower && p->x <= box.x_upper && p->y >= box.y_lower && p->y <= box.y_upper)) {
            snprintf(field, sizeof field, "drive.path[%d]", i);
            gr_warning_add(log, (GrLocation){.field = field},
                           "the way-point (%g, %g) lies off the map, which reaches from (%g, %g) to (%g, %g)", p->x,
                           p->y, box.x_lower, box.y_lower, box.x_upper, box.y_upper);
        }
    }
}

GrStatus gr_world_create(const GrScenario *scenario, GrWorld **out, GrErrorLog *log)
{
    return gr_world_create_shared(scenario, NULL, out, log);
}

/// Everything but the mission. NULL when out of memory.
static GrStatus make_ground(const GrScenario *scenario, GrWorldCache *cache, GrWorld **out, GrErrorLog *log)
{
    GrWorld *made = *out = gr_calloc(1, sizeof *made);
    if (made == NULL) {
        return gr_out_of_memory(log, scenario->file);
    }
    made->scenario = scenario;
    GrStatus status = cache != NULL ? gr_world_cache_terrain(cache, &scenario->terrain, &made->terrain, log)
                                    : gr_plan_make_terrain(&scenario->terrain, &made->terrain, log);
    if (status == GR_OK) {
        warn_off_map(scenario, made->terrain, log);
        status = make_rocks(scenario, cache, made->terrain, &made->rocks, log);
    }
    if (status == GR_OK) {
        status = gr_mesh_rocks_load(&scenario->terrain.rock_mesh, &made->mesh_rocks, log);
    }
    if (status == GR_OK && scenario->lander.given) {
        status = gr_world_place_lander(scenario, made->terrain, &made->rocks, &made->lander, log);
    }
    if (status == GR_OK) {
        status = make_soils(scenario, made, log);
    }
    if (status == GR_OK) {
        status = make_places(scenario, made, log);
    }
    return status == GR_OK ? make_model(scenario, made, log) : status;
}

static GrStatus conclude(const GrScenario *scenario, GrStatus status, int first, GrWorld **out, GrErrorLog *log)
{
    name_place(scenario, log, first);
    if (status != GR_OK) {
        gr_world_free(*out);
        *out = NULL;
    }
    return status;
}

GrStatus gr_world_create_ground(const GrScenario *scenario, GrWorld **out, GrErrorLog *log)
{
    const int first = log != NULL ? log->count : 0;
    return conclude(scenario, make_ground(scenario, NULL, out, log), first, out, log);
}

GrStatus gr_world_create_shared(const GrScenario *scenario, GrWorldCache *cache, GrWorld **out, GrErrorLog *log)
{
    const int first = log != NULL ? log->count : 0;
    GrStatus status = make_ground(scenario, cache, out, log);
    GrWorld *made = *out;
    if (status == GR_OK && made != NULL) {
        gr_mission_create(made->model, made->terrain, &scenario->mission, &made->mission, log);
        status = made->mission != NULL ? give_ruts(scenario, made->mission, log) : GR_ERROR_VALUE;
    }
    GrStart start = scenario->start;
    if (status == GR_OK && scenario->lander.given) {
        status = gr_world_lander_start(scenario, &made->lander, &start, log);
    }
    if (status == GR_OK && made != NULL) {
        status = gr_mission_place(made->mission, &start, log);
    }
    return conclude(scenario, status, first, out, log);
}

void gr_world_free(GrWorld *world)
{
    if (world == NULL) {
        return;
    }
    gr_mission_free(world->mission);
    gr_model_free(world->model);
    gr_rock_field_free(&world->rocks);
    gr_mesh_rocks_free(&world->mesh_rocks);
    gr_soil_map_free(&world->soil_map);
    if (world->ground_places != NULL) {
        gr_soil_map_free(&world->ground_places->map);
        gr_free(world->ground_places);
    }
    gr_free(world->soils);
    gr_free(world->wheel_soil);
    gr_terrain_free(world->terrain);
    gr_free(world);
}

const GrScenario *gr_world_scenario(const GrWorld *world)
{
    return world->scenario;
}

const GrModel *gr_world_model(const GrWorld *world)
{
    return world->model;
}

GrMission *gr_world_mission(const GrWorld *world)
{
    return world->mission;
}

GrTerrain *gr_world_terrain(const GrWorld *world)
{
    return world->terrain;
}

int gr_world_soil_count(const GrWorld *world)
{
    return world->soil_count;
}

const GrSoilDef *gr_world_soil(const GrWorld *world, int index)
{
    GR_CHECK(index >= 0 && index < world->soil_count);
    return &world->soils[index];
}

const GrRockField *gr_world_rocks(const GrWorld *world)
{
    return &world->rocks;
}
