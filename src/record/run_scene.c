#include "run_scene.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "elementary.h"
#include "model_data.h"
#include "protobuf.h"
#include "stones.h"
#include "terrain_view.h"
#include "vec3.h"
#include "world.h"

#include <math.h>
#include <stdio.h>

// ---- rocks near the rover

/// A rock is in view at this many diameters, and where the rover may come before the next look [m].
static const double VIEW_DIAMETERS = 100, LOOK_EVERY = 5;
/// Fields up to this many rocks are in view as a whole.
enum { SMALL_FIELD = 1000 };

struct GrRocksSeen {
    const GrModel *model;
    GrTerrainView *view; ///< NULL: a plane
    unsigned char *seen; ///< a bit for each rock
    GrVec3 at;           ///< of the last look
    bool looked;
};

static const GrLateStones *late_of(const GrModel *model)
{
    return &model->rigid.late;
}

int gr_rocks_seen_total(const GrModel *model)
{
    return model->rigid.world != NULL ? gr_rigid_late_count(model->rigid.world) : 0;
}

int gr_rocks_seen_field(const GrModel *model)
{
    return late_of(model)->field != NULL ? gr_rocks_seen_total(model) : 0;
}

GrRocksSeen *gr_rocks_seen_create(const GrModel *model, const GrTerrain *terrain)
{
    GrRocksSeen *seen = gr_calloc(1, sizeof *seen);
    if (seen != NULL) {
        seen->model = model;
        seen->seen = gr_calloc((size_t)gr_rocks_seen_total(model) / 8 + 1, 1);
        seen->view = terrain != NULL ? gr_terrain_view_open(terrain, 0) : NULL;
    }
    if (seen != NULL && (seen->seen == NULL || (seen->view == NULL && terrain != NULL))) {
        gr_rocks_seen_free(seen);
        seen = NULL;
    }
    return seen;
}

void gr_rocks_seen_free(GrRocksSeen *seen)
{
    if (seen != NULL) {
        gr_terrain_view_close(seen->view);
        gr_free(seen->seen);
        gr_free(seen);
    }
}

bool gr_rocks_seen_due(const GrRocksSeen *seen, GrVec3 at)
{
    const bool small = gr_rocks_seen_total(seen->model) <= SMALL_FIELD;
    return isfinite(at.x) && isfinite(at.y) &&
           (!seen->looked || (!small && fmax(fabs(at.x - seen->at.x), fabs(at.y - seen->at.y)) >= LOOK_EVERY));
}

/// Puts a rock on the ground; false: there is none.
static bool drop(const GrRocksSeen *seen, GrVec3 *place)
{
    if (seen->view == NULL || late_of(seen->model)->field == NULL) {
        return true;
    }
    GrTerrain *terrain = gr_terrain_view_terrain(seen->view);
    GrErrorLog quiet = {.quiet = true};
    GrGround found = gr_terrain_height(terrain, place->x, place->y, &place->z);
    if (found == GR_GROUND_NOT_LOADED) {
        gr_terrain_prefetch(terrain, (GrBox2){place->x, place->y, place->x, place->y}, &quiet);
        found = gr_terrain_height(terrain, place->x, place->y, &place->z);
    }
    return found == GR_GROUND_OK;
}

static bool look_at(GrRocksSeen *seen, int rock, GrRockFn fn, void *context)
{
    GrStoneDef stone = gr_late_stone(late_of(seen->model), rock);
    if (!drop(seen, &stone.place)) {
        return true;
    }
    unsigned char *bits = &seen->seen[rock / 8];
    const unsigned bit = 1u << (rock % 8);
    const bool fresh = (*bits & bit) == 0;
    *bits = (unsigned char)(*bits | bit);
    return fn(context, rock, &stone, fresh);
}

static bool is_in_view(const GrRocksSeen *seen, const GrRoom *room)
{
    const double far = VIEW_DIAMETERS * gr_late_stone(late_of(seen->model), room->item).diameter + LOOK_EVERY;
    const double dx = room->x - seen->at.x, dy = room->y - seen->at.y;
    return dx * dx + dy * dy <= far * far;
}

bool gr_rocks_seen_look(GrRocksSeen *seen, GrVec3 at, GrRockFn rock, void *context)
{
    const int total = gr_rocks_seen_total(seen->model);
    seen->at = at;
    seen->looked = true;
    for (int i = 0; i < total && total <= SMALL_FIELD; i++) {
        if (!look_at(seen, i, rock, context)) {
            return false;
        }
    }
    const GrRoomGrid *grid = &seen->model->rigid.world->late->grid;
    for (int k = 0; k < grid->level_count && total > SMALL_FIELD; k++) { // small rocks are looked for near only
        const GrRoomGrid one = {.levels = {grid->levels[k]}, .level_count = 1};
        const double far = VIEW_DIAMETERS * grid->levels[k].reach + LOOK_EVERY;
        const GrBounds box = {{at.x - far, at.y - far, 0}, {at.x + far, at.y + far, 0}};
        GrRoomWalk walk = gr_room_walk(&one, &box);
        for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
            if (is_in_view(seen, room) && !look_at(seen, room->item, rock, context)) {
                return false;
            }
        }
    }
    return true;
}

// ---- the scene

typedef struct Rgb {
    double r, g, b;
} Rgb;
static const Rgb CHASSIS = {0.86, 0.83, 0.76}, LINK = {0.55, 0.58, 0.62}, WHEEL = {0.23, 0.24, 0.26},
                 GROUSER = {0.62, 0.63, 0.66}, ROCK = {0.45, 0.40, 0.37}, GROUND = {0.76, 0.62, 0.49};

/// Fields of foxglove.SceneEntity.
enum {
    ENTITY_TIME = 1,
    ENTITY_FRAME = 2,
    ENTITY_ID = 3,
    ENTITY_LOCKED = 5,
    ENTITY_CUBES = 8,
    ENTITY_SPHERES = 9,
    ENTITY_CYLINDERS = 10,
    ENTITY_LINES = 11,
    ENTITY_TRIANGLES = 12,
    UPDATE_ENTITIES = 2
};

/// A message of numbers, its fields 1, 2, ….
static void put_numbers(GrBuffer *out, int field, const double *values, int count)
{
    const size_t begin = gr_proto_begin(out, field);
    for (int i = 0; i < count; i++) {
        gr_proto_double(out, i + 1, values[i]);
    }
    gr_proto_end(out, begin);
}

static void put_vector(GrBuffer *out, int field, GrVec3 v)
{
    put_numbers(out, field, (const double[]){v.x, v.y, v.z}, 3);
}

static void put_pose(GrBuffer *out, int field, GrPose pose)
{
    const size_t begin = gr_proto_begin(out, field);
    put_vector(out, 1, pose.position);
    const GrQuat q = pose.rotation;
    put_numbers(out, 2, (const double[]){q.x, q.y, q.z, q.w}, 4);
    gr_proto_end(out, begin);
}

static void put_color(GrBuffer *out, int field, Rgb color)
{
    put_numbers(out, field, (const double[]){color.r, color.g, color.b, 1}, 4);
}

static const double GRAIN = 1 << 30;

/// Zero is the default and is not written.
static unsigned char *store_rounded(unsigned char *at, int field, double value)
{
    const double rounded = fabs(value) < GRAIN ? nearbyint(value * GRAIN) / GRAIN : value;
    uint64_t bits;
    memcpy(&bits, &rounded, sizeof bits);
    return rounded != 0 ? gr_proto_store(gr_proto_store_tag(at, field, GR_WIRE_64), bits, 8) : at;
}

/// Begins a nested message of less than 128 bytes; pass `at` to end_short() when it is complete.
static unsigned char *begin_short(unsigned char *at, int field)
{
    return gr_proto_store_tag(at, field, GR_WIRE_BYTES) + 1;
}

static unsigned char *end_short(unsigned char *begin, unsigned char *at)
{
    begin[-1] = (unsigned char)(at - begin);
    return at;
}

/// Transforms are the bulk of a recording, so room is reserved once and the fields are written in place.
void gr_scene_put_transform(GrBuffer *out, uint64_t time, const char *parent, const char *child, GrPose pose)
{
    enum { TIME = 24, NAMES = 24, TRANSLATION = 2 + 3 * 9, ROTATION = 2 + 4 * 9 };
    const size_t parent_length = strlen(parent), child_length = strlen(child);
    const size_t begin = gr_proto_begin(out, 1);
    if (!gr_buffer_reserve(out, TIME + NAMES + parent_length + child_length + TRANSLATION + ROTATION)) {
        return;
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    unsigned char *part = begin_short(at, 1);
    at = gr_proto_store_varint(gr_proto_store_tag(part, 1, GR_WIRE_VARINT), time / 1000000000u);
    at = gr_proto_store_varint(gr_proto_store_tag(at, 2, GR_WIRE_VARINT), time % 1000000000u);
    at = end_short(part, at);
    at = gr_proto_store_text(at, 2, parent, parent_length);
    at = gr_proto_store_text(at, 3, child, child_length);
    part = begin_short(at, 4);
    at = store_rounded(part, 1, pose.position.x);
    at = store_rounded(at, 2, pose.position.y);
    at = store_rounded(at, 3, pose.position.z);
    at = end_short(part, at);
    part = begin_short(at, 5);
    at = store_rounded(part, 1, pose.rotation.x);
    at = store_rounded(at, 2, pose.rotation.y);
    at = store_rounded(at, 3, pose.rotation.z);
    at = store_rounded(at, 4, pose.rotation.w);
    at = end_short(part, at);
    out->size = (size_t)(at - (unsigned char *)out->data);
    gr_proto_end(out, begin);
}

static size_t begin_entity(GrBuffer *out, uint64_t time, const char *frame, const char *id)
{
    const size_t begin = gr_proto_begin(out, UPDATE_ENTITIES);
    gr_proto_time(out, ENTITY_TIME, (int64_t)time);
    gr_proto_string(out, ENTITY_FRAME, frame);
    gr_proto_string(out, ENTITY_ID, id);
    gr_proto_integer(out, ENTITY_LOCKED, 1);
    return begin;
}

static void put_cube(GrBuffer *out, GrPose pose, GrVec3 size, Rgb color)
{
    const size_t begin = gr_proto_begin(out, ENTITY_CUBES);
    put_pose(out, 1, pose);
    put_vector(out, 2, size);
    put_color(out, 3, color);
    gr_proto_end(out, begin);
}

/// The faces of a convex mesh as fans of triangles.
static void put_mesh(GrBuffer *out, GrPose pose, const GrConvexMesh *mesh, Rgb color)
{
    const size_t begin = gr_proto_begin(out, ENTITY_TRIANGLES);
    put_pose(out, 1, pose);
    for (int f = 0; f < mesh->face_count; f++) {
        const int first = mesh->starts[f];
        for (int i = first + 2; i < mesh->starts[f + 1]; i++) {
            put_vector(out, 2, mesh->vertices[mesh->loops[first]]);
            put_vector(out, 2, mesh->vertices[mesh->loops[i - 1]]);
            put_vector(out, 2, mesh->vertices[mesh->loops[i]]);
        }
    }
    put_color(out, 3, color);
    gr_proto_end(out, begin);
}

static void put_sphere(GrBuffer *out, GrPose pose, GrVec3 size, Rgb color)
{
    const size_t begin = gr_proto_begin(out, ENTITY_SPHERES);
    put_pose(out, 1, pose);
    put_vector(out, 2, size);
    put_color(out, 3, color);
    gr_proto_end(out, begin);
}

/// Along z of the pose, as Foxglove defines it.
static void put_cylinder(GrBuffer *out, GrPose pose, double radius, double length, Rgb color)
{
    const size_t begin = gr_proto_begin(out, ENTITY_CYLINDERS);
    put_pose(out, 1, pose);
    put_vector(out, 2, gr_vec3(2 * radius, 2 * radius, length));
    gr_proto_double(out, 3, 1);
    gr_proto_double(out, 4, 1);
    put_color(out, 5, color);
    gr_proto_end(out, begin);
}

static GrPose turned(GrPose pose, GrVec3 axis, double angle)
{
    return (GrPose){pose.position, gr_quat_mul(pose.rotation, gr_quat_axis_angle(axis, angle))};
}

/// Frame with z along a rod.
static GrPose along(GrVec3 from, GrVec3 to)
{
    const GrVec3 z = {0, 0, 1}, direction = gr_normalize(gr_sub(to, from)), axis = gr_cross(z, direction);
    const double s = gr_norm(axis), c = gr_dot(z, direction);
    const GrQuat turn = s > 1e-12 ? gr_quat_axis_angle(gr_scale(1 / s, axis), gr_atan2(s, c)) : gr_quat_identity();
    return (GrPose){gr_scale(0.5, gr_add(from, to)), turn};
}

static void put_shape(GrBuffer *out, const GrShapeDef *shape, Rgb color)
{
    switch (shape->kind) {
    case GR_SHAPE_BOX:
        put_cube(out, shape->pose, shape->size, color);
        break;
    case GR_SHAPE_CYLINDER:
        put_cylinder(out, turned(shape->pose, gr_vec3(1, 0, 0), GR_PI / 2), shape->radius, shape->length, color);
        break;
    case GR_SHAPE_SPHERE:
        put_sphere(out, shape->pose, gr_vec3(2 * shape->radius, 2 * shape->radius, 2 * shape->radius), color);
        break;
    case GR_SHAPE_MESH:
        put_mesh(out, shape->pose, shape->hull, color);
        break;
    case GR_SHAPE_ROD:
        put_cylinder(out, along(shape->from, shape->to), shape->radius, gr_norm(gr_sub(shape->to, shape->from)), color);
        break;
    }
}

/// A drum with its grousers; a smooth wheel gets three bars across its face, so that its rotation is visible.
static void put_wheel(GrBuffer *out, const GrWheelDef *wheel)
{
    put_cylinder(out, turned(wheel->pose, gr_vec3(1, 0, 0), GR_PI / 2), wheel->radius, wheel->width, WHEEL);
    const bool smooth = wheel->grouser_count == 0;
    const int count = smooth ? 3 : wheel->grouser_count;
    const double thickness = wheel->grouser_thickness > 0 ? wheel->grouser_thickness : 0.03 * wheel->radius;
    for (int i = 0; i < count; i++) {
        const GrPose turn = turned(wheel->pose, gr_vec3(0, 1, 0), (smooth ? GR_PI : 2 * GR_PI) * i / count);
        const double reach = smooth ? 0 : wheel->radius + 0.5 * wheel->grouser_height;
        const GrPose pose = gr_pose_mul(turn, (GrPose){gr_vec3(reach, 0, 0), gr_quat_identity()});
        const GrVec3 size = smooth ? gr_vec3(1.8 * wheel->radius, 1.02 * wheel->width, 0.08 * wheel->radius)
                                   : gr_vec3(wheel->grouser_height, wheel->width, thickness);
        put_cube(out, pose, size, GROUSER);
    }
}

void gr_scene_put_rover(GrBuffer *out, uint64_t time, const GrRoverDef *rover)
{
    for (int i = 0; i < rover->body_count; i++) {
        const GrBodyDef *body = &rover->bodies[i];
        const size_t begin = begin_entity(out, time, body->name, body->name);
        for (int k = 0; k < body->shape_count; k++) {
            if (!body->shapes[k].only_touches) {
                put_shape(out, &body->shapes[k], i == 0 ? CHASSIS : LINK);
            }
        }
        for (int k = 0; k < rover->wheel_count; k++) {
            if (rover->wheels[k].body == i) {
                put_wheel(out, &rover->wheels[k]);
            }
        }
        gr_proto_end(out, begin);
    }
}

void gr_scene_rock_frame(int rock, char *out, size_t size)
{
    snprintf(out, size, "rock_%d", rock);
}

void gr_scene_put_rocks(GrBuffer *out, uint64_t time, const GrRecordRock *rocks, int count, int loose_count)
{
    for (int i = 0; i < count; i++) {
        char id[32];
        gr_scene_rock_frame(i, id, sizeof id);
        const size_t begin = begin_entity(out, time, i < loose_count ? id : GR_WORLD_FRAME, id);
        put_sphere(out, i < loose_count ? gr_pose_identity() : rocks[i].pose, gr_scale(2, rocks[i].half), ROCK);
        gr_proto_end(out, begin);
    }
}

void gr_scene_put_rock(GrBuffer *out, uint64_t time, int number, const GrRecordRock *rock)
{
    char id[32];
    gr_scene_rock_frame(number, id, sizeof id);
    const size_t begin = begin_entity(out, time, GR_WORLD_FRAME, id);
    put_sphere(out, rock->pose, gr_scale(2, rock->half), ROCK);
    gr_proto_end(out, begin);
}

void gr_scene_put_line(GrBuffer *out, uint64_t time, const GrSceneLine *line)
{
    const size_t begin = begin_entity(out, time, GR_WORLD_FRAME, line->id);
    const size_t inside = gr_proto_begin(out, ENTITY_LINES);
    gr_proto_integer(out, 1, 0); // type: line strip
    put_pose(out, 2, gr_pose_identity());
    gr_proto_double(out, 3, line->width);
    gr_proto_integer(out, 4, 1); // width in pixels
    for (int i = 0; i < line->count; i++) {
        put_vector(out, 5, line->points[i]);
    }
    put_color(out, 6, (Rgb){line->color[0], line->color[1], line->color[2]});
    gr_proto_end(out, inside);
    gr_proto_end(out, begin);
}

void gr_scene_put_grid(GrBuffer *out, uint64_t time, const GrGroundWindow *window)
{
    const GrGridFrame *f = &window->frame;
    gr_proto_time(out, 1, (int64_t)time);
    gr_proto_string(out, 2, GR_WORLD_FRAME);
    // A cell of Foxglove's grid begins at its corner, our heights are at the middle of a cell.
    put_pose(out, 3, (GrPose){gr_vec3(f->x0 - f->dx / 2, f->y0 - f->dy / 2, 0), gr_quat_identity()});
    gr_proto_fixed32(out, 4, (uint32_t)f->nx);
    const size_t cell = gr_proto_begin(out, 5);
    gr_proto_double(out, 1, f->dx);
    gr_proto_double(out, 2, f->dy);
    gr_proto_end(out, cell);
    gr_proto_fixed32(out, 6, (uint32_t)f->nx * 4);
    gr_proto_fixed32(out, 7, 4);
    const size_t field = gr_proto_begin(out, 8);
    gr_proto_string(out, 1, "elevation");
    gr_proto_fixed32(out, 2, 0);
    gr_proto_integer(out, 3, 7); // FLOAT32
    gr_proto_end(out, field);
    const size_t data = gr_proto_begin(out, 9);
    for (int64_t i = 0; i < f->nx * f->ny; i++) {
        uint32_t bits;
        memcpy(&bits, &window->heights[i], 4);
        gr_proto_fixed(out, bits, 4);
    }
    gr_proto_end(out, data);
}

/// Number of nodes of the thinned surface along a side of `count` nodes.
static int64_t thinned(int64_t count, int stride)
{
    return (count - 1) / stride + 1;
}

void gr_scene_put_surface(GrBuffer *out, uint64_t time, const GrGroundWindow *window, int stride)
{
    const GrGridFrame *f = &window->frame;
    const int64_t nx = thinned(f->nx, stride), ny = thinned(f->ny, stride);
    const size_t begin = begin_entity(out, time, GR_WORLD_FRAME, "ground");
    const size_t inside = gr_proto_begin(out, ENTITY_TRIANGLES);
    put_pose(out, 1, gr_pose_identity());
    for (int64_t j = 0; j < ny; j++) {
        for (int64_t i = 0; i < nx; i++) {
            const double z = (double)window->heights[j * stride * f->nx + i * stride];
            const double x = f->x0 + (double)(i * stride) * f->dx, y = f->y0 + (double)(j * stride) * f->dy;
            put_vector(out, 2, gr_vec3(x, y, isnan(z) ? 0 : z));
        }
    }
    put_color(out, 3, GROUND);
    const size_t indices = gr_proto_begin(out, 5);
    for (int64_t j = 0; j + 1 < ny; j++) {
        for (int64_t i = 0; i + 1 < nx; i++) {
            const float *corner = window->heights + j * stride * f->nx + i * stride;
            const float sum = corner[0] + corner[stride] + corner[stride * f->nx] + corner[stride * f->nx + stride];
            const int64_t a = j * nx + i, quad[6] = {a, a + 1, a + nx, a + 1, a + nx + 1, a + nx};
            for (int k = 0; k < 6 && !isnan(sum); k++) {
                gr_proto_fixed(out, (uint64_t)quad[k], 4);
            }
        }
    }
    gr_proto_end(out, indices);
    gr_proto_end(out, inside);
    gr_proto_end(out, begin);
}
