#include "grouser/scenario.h"
#include "grouser/surface.h"

#include "soil_wheel.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static GrGridFrame frame_of(double size_x, double size_y, double cell)
{
    const double nx = fmax(nearbyint(size_x / cell), 1), ny = fmax(nearbyint(size_y / cell), 1);
    return (GrGridFrame){(int64_t)nx + 1, (int64_t)ny + 1, -0.5 * nx * cell, -0.5 * ny * cell, cell, cell};
}

/// The made part of the ground, over the map when there is one.
static GrStatus add_terms(const GrTerrainPlan *plan, GrTerrain *terrain, GrErrorLog *log)
{
    const char *terms[GR_SCENARIO_TERMS];
    GrLayerDef layer = gr_default_layer_def();
    for (int i = 0; i < plan->term_count; i++) {
        terms[i] = plan->terms[i];
    }
    layer.interpolation = plan->interpolation;
    if (plan->file[0] != '\0') { // as wide as the map
        const GrBox2 box = gr_terrain_box(terrain);
        layer.frame = frame_of(box.x_upper - box.x_lower, box.y_upper - box.y_lower, plan->cell);
        layer.frame.x0 = box.x_lower;
        layer.frame.y0 = box.y_lower;
        layer.mode = GR_LAYER_ADD;
    } else {
        layer.frame = frame_of(plan->size_x, plan->size_y, plan->cell);
    }
    const GrGridFrame *f = &layer.frame;
    const GrBox2 box = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
    GrSurface *surface = gr_surface_create(terms, plan->term_count, plan->seed, box, log);
    return surface != NULL ? gr_terrain_add_surface(terrain, &layer, surface, log) : GR_ERROR_VALUE;
}

static GrStatus make_terrain(const GrTerrainPlan *plan, GrTerrain **out, GrErrorLog *log)
{
    if (plan->file[0] == '\0' && plan->term_count == 0) {
        return GR_OK;
    }
    GrTerrain *terrain = gr_terrain_create();
    if (terrain == NULL) {
        return gr_error_add(log, GR_ERROR_MEMORY, (GrLocation){0}, "out of memory");
    }
    *out = terrain;
    GrStatus status = GR_OK;
    if (plan->file[0] != '\0') {
        GrLayerDef layer = gr_default_layer_def();
        layer.interpolation = plan->interpolation;
        status = gr_terrain_add_file(terrain, plan->file, &plan->raster, &layer, log);
    }
    return status == GR_OK && plan->term_count > 0 ? add_terms(plan, terrain, log) : status;
}

/// Takes away rocks that the rover would start on.
static void clear_start(const GrScenario *s, GrRockField *field)
{
    int kept = 0;
    for (int i = 0; i < field->count; i++) {
        const GrRock *rock = &field->rocks[i];
        const double distance = hypot(rock->x - s->start.x, rock->y - s->start.y);
        if (distance > s->terrain.clear_radius + rock->diameter / 2) {
            field->rocks[kept++] = *rock;
        }
    }
    field->count = kept;
}

static GrStatus make_rocks(const GrScenario *s, const GrTerrain *terrain, GrRockField *field, GrErrorLog *log)
{
    if (!s->terrain.has_rocks) {
        return GR_OK;
    }
    GrRockFieldDef def = s->terrain.rocks;
    const double x = s->terrain.size_x / 2, y = s->terrain.size_y / 2;
    def.box = terrain != NULL ? gr_terrain_box(terrain) : (GrBox2){-x, -y, x, y};
    const GrStatus status = gr_rock_field_make(&def, field, log);
    if (status == GR_OK) {
        clear_start(s, field);
    }
    return status;
}

/// Damping of the soil under a wheel with its share of the rover's mass.
static double soil_damping(const GrScenario *s)
{
    const GrRoverDef *rover = &s->rover;
    const double gravity =
        sqrt(s->gravity.x * s->gravity.x + s->gravity.y * s->gravity.y + s->gravity.z * s->gravity.z);
    double mass = 0;
    for (int i = 0; i < rover->body_count; i++) {
        mass += rover->bodies[i].mass / fmax(rover->wheel_count, 1);
    }
    return rover->wheel_count > 0 ? gr_soil_impact_damping(&s->soil, rover->wheels[0].radius, rover->wheels[0].width,
                                                           mass, gravity, s->damping_ratio)
                                  : s->soil.damping;
}

static GrStatus make_model(const GrScenario *s, GrWorld *world, GrErrorLog *log)
{
    GrOptions options = gr_default_options();
    GrSoilDef soil = s->soil;
    soil.damping = soil_damping(s);
    options.gravity = s->gravity;
    options.step = s->mission.step;
    options.integrator = s->integrator;
    if (world->terrain != NULL) {
        options.surface = gr_surface_of_terrain(world->terrain, s->has_soil ? &soil : NULL);
    }
    options.surface.soil = s->has_soil ? &soil : NULL;
    options.surface.slices = s->slices;
    world->model = gr_model_create(&s->rover, &options, log);
    return world->model != NULL ? GR_OK : GR_ERROR_MODEL;
}

/// Messages that name no file are about the scenario's own.
static void name_file(const GrScenario *s, GrErrorLog *log, int first)
{
    for (int i = first; log != NULL && i < log->count; i++) {
        if (log->items[i].file[0] == '\0') {
            gr_text_copy(log->items[i].file, sizeof log->items[i].file, s->file);
        }
    }
}

GrStatus gr_world_create(const GrScenario *scenario, GrWorld *out, GrErrorLog *log)
{
    GrWorld world = {.scenario = scenario};
    const int first = log != NULL ? log->count : 0;
    GrStatus status = make_terrain(&scenario->terrain, &world.terrain, log);
    if (status == GR_OK) {
        status = make_rocks(scenario, world.terrain, &world.rocks, log);
    }
    if (status == GR_OK) {
        status = make_model(scenario, &world, log);
    }
    if (status == GR_OK) {
        world.mission = gr_mission_create(world.model, world.terrain, &scenario->mission, log);
        status = world.mission != NULL ? gr_mission_place(world.mission, &scenario->start, log) : GR_ERROR_VALUE;
    }
    name_file(scenario, log, first);
    if (status != GR_OK) {
        gr_world_free(&world);
    }
    *out = world;
    return status;
}

void gr_world_free(GrWorld *world)
{
    gr_mission_free(world->mission);
    gr_model_free(world->model);
    gr_rock_field_free(&world->rocks);
    gr_terrain_free(world->terrain);
    *world = (GrWorld){0};
}
