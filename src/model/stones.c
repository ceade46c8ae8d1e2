#include "stones.h"

#include "bearing.h"
#include "elementary.h"
#include "law.h"

#include <math.h>
#include <stdio.h>

static GrRockDef rock_of(const GrStoneDef *stone)
{
    GrRockDef def = gr_default_rock_def();
    const GrRockDeviation *deviation = &stone->deviation;
    def.kind = stone->shape == GR_STONE_HULL        ? GR_ROCK_HULL
               : stone->shape == GR_STONE_DEVIATION ? GR_ROCK_DEVIATION
                                                    : GR_ROCK_NOISE;
    def.primitive = deviation->primitive;
    def.deviation = deviation->deviation != 0 ? deviation->deviation : def.deviation;
    def.points = def.kind == GR_ROCK_DEVIATION && deviation->points != 0 ? deviation->points : def.points;
    def.diameter = stone->diameter;
    def.height = stone->height;
    def.density = stone->density;
    def.seed = stone->seed;
    def.refinement = 2;
    if (stone->shape == GR_STONE_ELLIPSOID) {
        def.roughness = 0;
        def.detail = 0;
    }
    return def;
}

/// Checks the definition without making the rock.
static GrStatus stone_check(const GrStoneDef *def, GrErrorLog *log)
{
    const GrRockDef rock = rock_of(def);
    return gr_rock_check(&rock, log);
}

GrStatus gr_stone_rock(const GrStoneDef *def, GrRockMesh *out, GrPose *pose, GrErrorLog *log)
{
    const GrRockDef shape = rock_of(def);
    const GrStatus status = gr_rock_create(&shape, out, log);
    if (status == GR_OK) {
        *pose = (GrPose){def->place, gr_quat_axis_angle(gr_vec3(0, 0, 1), def->yaw)};
        pose->position.z += def->loose ? -out->hull->lower.z : def->exposed - out->hull->upper.z;
    }
    return status;
}

GrStatus gr_stone_make(const GrStoneDef *def, GrStone *out, GrErrorLog *log)
{
    GrRockMesh rock;
    GrPose pose;
    const GrStatus status = gr_stone_rock(def, &rock, &pose, log);
    if (status != GR_OK) {
        return status;
    }
    out->mesh = rock.hull;
    rock.hull = NULL;
    GrRigidBodyDef *body = &out->body;
    *body = gr_default_rigid_body_def(def->loose ? GR_RIGID_LOOSE : GR_RIGID_FIXED);
    body->pose = pose;
    body->stone = true;
    body->mass = rock.mass;
    body->inertia = rock.inertia;
    gr_rock_free(&rock);
    return GR_OK;
}

GrRoom gr_stone_room(const GrStoneDef *def)
{
    const GrRockDef rock = rock_of(def);
    return (GrRoom){.x = def->place.x, .y = def->place.y, .reach = gr_rock_extent(&rock).reach};
}

GrStoneDef gr_stone_of_field(const GrRockField *field, const GrRockFieldUse *use, int item)
{
    const GrRock *rock = &field->rocks[item];
    GrStoneDef stone = gr_default_stone_def();
    stone.shape = use->shape;
    stone.place = (GrVec3){rock->x, rock->y, 0};
    stone.diameter = rock->diameter;
    stone.loose = rock->diameter < use->loose_below;
    stone.height = stone.loose ? rock->height : 2 * rock->height;
    stone.exposed = rock->height;
    stone.yaw = rock->yaw;
    stone.seed = use->seed + (uint64_t)item;
    stone.density = use->density > 0 ? use->density : stone.density;
    stone.material = use->material;
    stone.deviation = use->deviation;
    return stone;
}

GrStoneDef gr_late_stone(const GrLateStones *late, int item)
{
    return late->stones != NULL ? late->stones[item] : gr_stone_of_field(late->field, &late->use, item);
}

GrRoom gr_late_stone_room(void *context, int item)
{
    const GrStoneDef stone = gr_late_stone(context, item);
    return gr_stone_room(&stone);
}

/// Sets the height of a rock of a field. False where there is no ground.
static bool drop(const GrLateStones *late, GrVec3 *place)
{
    GrVec3 normal;
    const GrSurfaceDef *surface = &late->surface;
    return late->stones != NULL || surface->height == NULL ||
           surface->height(surface->context, place->x, place->y, &place->z, &normal);
}

/// Whether the ground there is missing in memory only.
static bool is_not_loaded(const GrLateStones *late, GrVec3 place)
{
    double z;
    return late->ground != NULL && gr_terrain_height(late->ground, place.x, place.y, &z) == GR_GROUND_NOT_LOADED;
}

bool gr_late_stone_make(void *context, int item, GrMadeShape *out)
{
    const GrLateStones *late = context;
    GrStoneDef def = gr_late_stone(late, item);
    GrStone stone;
    GrErrorLog log = {.quiet = true};
    *out = (GrMadeShape){.material = late->material >= 0 ? late->material : def.material};
    if (!drop(late, &def.place)) {
        return !is_not_loaded(late, def.place);
    }
    if (gr_stone_make(&def, &stone, &log) != GR_OK) {
        return false;
    }
    out->mesh = stone.mesh;
    out->pose = stone.body.pose;
    return true;
}

GrStatus gr_late_stones_check(const GrLateStones *late, int material_count, GrErrorLog *log)
{
    for (int i = 0; i < late->count; i++) {
        const GrStoneDef stone = gr_late_stone(late, i);
        const bool placed = isfinite(stone.place.x) && isfinite(stone.place.y) && isfinite(stone.place.z);
        const bool known = late->material >= 0 || (stone.material >= 0 && stone.material < material_count);
        if (stone_check(&stone, log) != GR_OK || !placed || !known) {
            char field[64];
            snprintf(field, sizeof field, "stones[%d]", i);
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "%s",
                                !placed  ? "its place must be finite"
                                : !known ? "there is no such material"
                                         : "no such rock");
        }
    }
    return GR_OK;
}

double gr_stones_reach(const GrModel *m)
{
    const GrRigidWorld *world = m->rigid.world;
    return world != NULL ? gr_rigid_late_reach(world) : 0;
}

GrStatus gr_stones_prefetch(const GrModel *m, double x, double y, double radius)
{
    return m->rigid.world != NULL ? gr_rigid_make_late(m->rigid.world, x, y, radius) : GR_OK;
}

// ---- Soil under loose rocks: the pressure-sinkage curve of the soil at a point, for a plate as large as the rock's
// footprint.
//
// All laws with a form of pressure have such a curve, scm included. The rheological laws have a spring
// constant of a wheel instead, which says nothing about a rock.

static const GrSoilWheel *soil_of(const GrModel *m, int index)
{
    return &m->soil_wheels[index * m->wheel_count];
}

/// Bekker's modulus is never below a twentieth of that of a wide plate, as in the law scm. A rock that is `width` wide
/// counts as a round plate in `bearing`.
static GrPowerLaw power_law(const GrSoilWheel *w, double width)
{
    const GrSoilDef *soil = &w->soil;
    if (soil->pressure == GR_PRESSURE_REECE) {
        return (GrPowerLaw){(soil->cohesion * soil->k_c_reece + w->unit_weight * width * soil->k_phi_reece) /
                                gr_pow(width, soil->n0),
                            soil->n0};
    }
    if (soil->pressure == GR_PRESSURE_BEARING) {
        const double area = 0.25 * GR_PI * width * width, perimeter = GR_PI * width;
        const GrPressureCurve curve = gr_pressure_curve(soil, w->unit_weight, width, area, perimeter);
        return gr_pressure_power(&curve);
    }
    return (GrPowerLaw){fmax(soil->k_c / width + soil->k_phi, 0.05 * soil->k_phi), soil->n0};
}

static bool soil_at(const void *context, double x, double y, double width, GrSoftSoil *out)
{
    const GrModel *m = context;
    const GrSurfaceDef *surface = &m->options.surface;
    GrSoilMix mix;
    int index = 0;
    if (surface->soil_at != NULL && m->soil_count > 1 && surface->soil_at(surface->soil_context, x, y, &mix)) {
        index = mix.classes[0] >= 1 && mix.classes[0] <= m->soil_count ? mix.classes[0] - 1 : 0;
    }
    const GrSoilWheel *w = soil_of(m, index);
    if (gr_law_has(w->soil.law, GR_LAW_SPRING)) {
        return false;
    }
    const GrPowerLaw power = power_law(w, width);
    *out = (GrSoftSoil){.modulus = power.modulus,
                        .exponent = power.exponent,
                        .cohesion = w->soil.cohesion,
                        .tan_phi = gr_tan(w->soil.friction_angle),
                        .rebound = w->soil.rebound};
    return true;
}

GrSoftGround gr_rock_soil(const GrModel *m, GrErrorLog *log)
{
    bool any = false;
    for (int i = 0; m->soil_wheels != NULL && m->wheel_count > 0 && i < m->soil_count; i++) {
        const GrSoilDef *soil = &soil_of(m, i)->soil;
        if (!gr_law_has(soil->law, GR_LAW_SPRING)) {
            any = true;
        } else {
            gr_warning_add(log, (GrLocation){.field = "soil"},
                           "loose rocks do not sink into %s: its law %s has no pressure-sinkage curve for them",
                           soil->name, gr_soil_law_name(soil->law));
        }
    }
    return any ? (GrSoftGround){soil_at, m} : (GrSoftGround){NULL, NULL};
}
