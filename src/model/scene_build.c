/// Builds the rigid world from a scene and a rover's shapes.
#include "model_parts.h"

#include "alloc.h"
#include "body_shapes.h"
#include "out_of_memory.h"
#include "rover_pose.h"
#include "self_contact.h"
#include "stones.h"
#include "wheel_mesh.h"

#include <stdio.h>
#include <string.h>

/// Working state of the builder.
typedef struct Builder {
    const GrSceneDef *scene;
    const GrRoverDef *rover;
    GrModel *m;
    GrRigidDef def;
    int loose_count;                     ///< stones so far
    const char *groups[GR_RIGID_GROUPS]; ///< names of collision groups so far
    int group_count;
    GrErrorLog *log;
    GrStatus status;
} Builder;

static void fail(Builder *b, const char *part, int index, const char *text)
{
    char field[64];
    snprintf(field, sizeof field, "scene.%s[%d]", part, index);
    b->status = gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.field = field}, "%s", text);
}

static void fail_memory(Builder *b)
{
    b->status = gr_out_of_memory(b->log, NULL);
}

static void add_shape(Builder *b, int body, GrConvex convex, GrPose pose, int material)
{
    if (body < 0 || gr_rigid_add_shape(&b->def, body, convex, pose, material) < 0) {
        fail_memory(b);
    }
}

/// Index of a collision group; adds it if the name is new.
static int find_group(Builder *b, const char *name)
{
    for (int i = 0; i < b->group_count; i++) {
        if (strcmp(b->groups[i], name) == 0) {
            return i;
        }
    }
    if (b->group_count == GR_RIGID_GROUPS) {
        b->status = gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.field = "scene.no_contact"},
                                 "more than %d collision groups, at '%s'", GR_RIGID_GROUPS, name);
        return 0;
    }
    b->groups[b->group_count] = name;
    return b->group_count++;
}

/// Index of a material of the scene; −1: none has that name.
static int find_material(const GrSceneDef *scene, const char *name)
{
    for (int i = 0; i < scene->material_count && name[0] != '\0'; i++) {
        if (strcmp(scene->materials[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/// Material of a group as the scene defines it, else `otherwise`.
static int material_of_group(const GrSceneDef *scene, const char *group, int otherwise)
{
    int material = otherwise;
    for (int i = 0; i < scene->made_of_count; i++) {
        material = strcmp(scene->made_of[i].group, group) == 0 ? scene->made_of[i].material : material;
    }
    return material;
}

/// Group and material from a shape's definition ("": not given), and the default group of its kind.
typedef struct Labels {
    const char *group, *kind, *material;
} Labels;

static const char *or_else(const char *name, const char *otherwise)
{
    return name[0] != '\0' ? name : otherwise;
}

/// Sets group and material of the shapes from index `first` on.
static void set_labels(Builder *b, int first, Labels labels)
{
    const char *name = or_else(labels.group, labels.kind);
    const int group = find_group(b, name), own = find_material(b->scene, labels.material);
    for (int i = first; i < b->def.shape_count; i++) {
        GrRigidShapeDef *shape = &b->def.shapes[i];
        shape->group = group;
        shape->material = own >= 0 ? own : material_of_group(b->scene, name, shape->material);
    }
}

/// The plane z = 0, for scenes without heights.
bool gr_height_of_plane(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    (void)x;
    (void)y;
    *z = 0;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

/// Hands a mesh over to the model; fails for NULL.
static const GrConvexMesh *keep_mesh(Builder *b, GrConvexMesh *mesh)
{
    if (mesh != NULL) {
        b->m->rigid.meshes[b->m->rigid.mesh_count++] = mesh;
    }
    return mesh;
}

/// Replaces a mesh that belongs to a definition by a copy that the model owns.
static bool own_mesh(Builder *b, GrConvex *convex)
{
    if (convex->kind == GR_CONVEX_MESH) {
        convex->mesh = keep_mesh(b, gr_convex_mesh_create(convex->mesh->vertices, convex->mesh->vertex_count, b->log));
    }
    return convex->kind != GR_CONVEX_MESH || convex->mesh != NULL;
}

// ---- parts and stones

static void add_part(Builder *b, int i)
{
    const GrPartDef *part = &b->scene->parts[i];
    GrPose in_part = gr_pose_identity();
    GrConvex convex;
    if (part->points != NULL) {
        const GrConvexMesh *mesh = keep_mesh(b, gr_convex_mesh_create(part->points, part->point_count, b->log));
        if (mesh == NULL) {
            fail(b, "parts", i, "its points span no volume");
            return;
        }
        convex = gr_convex_of_mesh(mesh);
    } else {
        convex = gr_convex_of_part(&part->shape, &in_part);
        if (!own_mesh(b, &convex)) {
            fail(b, "parts", i, "its mesh spans no volume");
            return;
        }
    }
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_FIXED);
    body.pose = part->pose;
    body.stone = part->stone;
    const int first = b->def.shape_count;
    add_shape(b, gr_rigid_add_body(&b->def, &body), convex, in_part, part->material);
    for (int k = first; k < b->def.shape_count && part->rock_upper > part->rock_lower; k++) {
        b->def.shapes[k].rock_lower = part->rock_lower - in_part.position.z;
        b->def.shapes[k].rock_upper = part->rock_upper - in_part.position.z;
    }
    set_labels(b, first, (Labels){part->shape.group, GR_PART_GROUP, part->shape.material});
}

static void sink_in(const Builder *b, GrStone *stone)
{
    if (b->def.soft.at != NULL) { // it has already sunk in when the simulation starts
        const GrConvex convex = gr_convex_of_mesh(stone->mesh);
        const GrPose *pose = &stone->body.pose;
        const GrPlacedConvex placed = {&convex, gr_quat_to_mat3(pose->rotation), pose->position};
        const double weight = -stone->body.mass * b->def.gravity.z;
        stone->body.pose.position.z -= gr_soft_rest(&b->def.soft, &b->def.ground, &placed, weight);
    }
}

static void add_stone(Builder *b, int i)
{
    const GrStoneDef *def = &b->scene->stones[i];
    GrStone stone;
    if (gr_stone_make(def, &stone, b->log) != GR_OK) {
        fail(b, "stones", i, "no such rock");
        return;
    }
    const GrConvexMesh *mesh = keep_mesh(b, stone.mesh);
    if (def->loose) {
        GrRigidScene *rigid = &b->m->rigid;
        sink_in(b, &stone);
        rigid->loose_stone[b->loose_count] = i;
        rigid->loose_mesh[b->loose_count++] = mesh;
    }
    const int first = b->def.shape_count;
    add_shape(b, gr_rigid_add_body(&b->def, &stone.body), gr_convex_of_mesh(mesh), gr_pose_identity(), def->material);
    set_labels(b, first, (Labels){"", GR_STONE_GROUP, ""});
}

/// Stones can be late only where none is loose: loose ones move, and may meet others far from the rover.
static bool is_late(const GrSceneDef *scene)
{
    bool late = scene->late_stones && scene->stone_count > 0;
    for (int i = 0; i < scene->stone_count; i++) {
        late = late && !scene->stones[i].loose;
    }
    return late;
}

/// All late stones are shapes of one body.
static void set_late(Builder *b)
{
    GrLateStones *late = &b->m->rigid.late;
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_FIXED);
    body.stone = true;
    late->material = material_of_group(b->scene, GR_STONE_GROUP, -1);
    const GrStatus status = gr_late_stones_check(late, b->scene->material_count, b->log);
    b->status = status != GR_OK ? status : b->status;
    b->def.late = (GrLateDef){.count = late->count,
                              .room = gr_late_stone_room,
                              .make = gr_late_stone_make,
                              .context = late,
                              .body = gr_rigid_add_body(&b->def, &body),
                              .group = find_group(b, GR_STONE_GROUP)};
    if (b->def.late.body < 0) {
        fail_memory(b);
    }
}

static void add_late_stones(Builder *b)
{
    const GrSceneDef *scene = b->scene;
    GrLateStones *late = &b->m->rigid.late;
    late->stones = gr_malloc(sizeof *late->stones * (size_t)scene->stone_count);
    if (late->stones == NULL) {
        fail_memory(b);
        return;
    }
    memcpy(late->stones, scene->stones, sizeof *late->stones * (size_t)scene->stone_count);
    late->count = scene->stone_count;
    set_late(b);
}

static void add_field(Builder *b)
{
    const GrSceneDef *scene = b->scene;
    if (scene->field_use.loose_below != 0 || is_late(scene) || b->loose_count > 0) {
        b->status = gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.field = "field"},
                                 "a field of rocks must be fixed and cannot have loose or late rocks beside it");
        return;
    }
    b->m->rigid.late = (GrLateStones){.count = scene->field->count,
                                      .field = scene->field,
                                      .use = scene->field_use,
                                      .ground = scene->field_ground,
                                      .surface = b->m->options.surface};
    set_late(b);
}

static void add_stones(Builder *b)
{
    const GrSceneDef *scene = b->scene;
    if (is_late(scene)) {
        add_late_stones(b);
    } else {
        for (int i = 0; i < scene->stone_count; i++) {
            add_stone(b, i);
        }
    }
    if (scene->field != NULL && scene->field->count > 0) {
        add_field(b);
    }
}

// ---- the rover

/// The wheel as a definition for mesh generation: with grousers when these have a size, else a smooth rim up to their
/// tips.
static GrWheelMeshDef shape_of_wheel(const GrWheelDef *wheel)
{
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    const bool grousers = wheel->grouser_count > 0 && wheel->grouser_height > 0 && wheel->grouser_thickness > 0;
    def.radius = wheel->radius + (grousers ? 0 : wheel->grouser_height);
    def.width = wheel->width;
    def.profile = wheel->crown > 0 ? GR_RIM_CONVEX : GR_RIM_FLAT;
    def.crown = wheel->crown;
    def.pattern = wheel->grouser_pattern;
    def.grouser_count = grousers ? wheel->grouser_count : 0;
    def.grouser_height = wheel->grouser_height;
    def.grouser_thickness = wheel->grouser_thickness;
    def.grouser_angle = wheel->grouser_angle;
    return def;
}

/// Adds the mesh of the rover's file.
static void add_own_mesh(Builder *b, int i, int index, GrPose pose)
{
    const GrWheelDef *wheel = &b->rover->wheels[i];
    const GrConvexMesh *mesh = keep_mesh(b, gr_convex_mesh_create(wheel->mesh, wheel->mesh_count, b->log));
    if (mesh == NULL) {
        fail(b, "wheels", i, "the points of its mesh span no volume");
        return;
    }
    add_shape(b, index, gr_convex_of_round_mesh(mesh), pose, b->scene->wheel_material);
}

/// Adds a mesh generated from the wheel's dimensions.
static void add_made_mesh(Builder *b, int i, int index, GrPose pose)
{
    const GrWheelMeshDef def = shape_of_wheel(&b->rover->wheels[i]);
    GrWheelParts parts;
    if (gr_wheel_parts_create(&def, &parts, b->log) != GR_OK) {
        fail(b, "wheels", i, "no mesh can be made from its dimensions");
        return;
    }
    if (!gr_wheel_add_parts(&def, &parts, &b->def, index, pose, b->scene->wheel_material)) {
        fail_memory(b);
    }
    for (int k = 0; k < parts.count; k++) {
        keep_mesh(b, parts.meshes[k]);
    }
}

/// Spokes and feet of a wheel without a rim: the shapes of its body.
static void add_spokes(Builder *b, int i, int index)
{
    const GrWheelDef *wheel = &b->rover->wheels[i];
    const int k = wheel->body;
    const GrBodyDef *body = &b->rover->bodies[k];
    for (int j = 0; j < body->shape_count; j++) {
        const int first = b->def.shape_count;
        GrPose in_body;
        const GrConvex convex = gr_convex_of_part(&body->shapes[j], &in_body);
        if (body->shapes[j].only_drawn) {
            continue;
        }
        add_shape(b, index, convex, gr_pose_mul(b->m->places[k].pose, in_body), b->scene->wheel_material);
        set_labels(b, first,
                   (Labels){body->shapes[j].group, or_else(wheel->group, GR_WHEEL_GROUP),
                            or_else(body->shapes[j].material, wheel->material)});
    }
}

static void add_rim(Builder *b, int i, int index, GrPose pose)
{
    const GrWheelDef *wheel = &b->rover->wheels[i];
    const GrWheelMeshDef def = shape_of_wheel(wheel);
    switch (b->scene->wheels) {
    case GR_WHEELS_GROUSERS:
        if (!gr_wheel_add_shapes(&def, &b->def, index, pose, b->scene->wheel_material)) {
            fail_memory(b);
        }
        return;
    case GR_WHEELS_MESH:
        if (wheel->mesh != NULL) {
            add_own_mesh(b, i, index, pose);
        } else {
            add_made_mesh(b, i, index, pose);
        }
        return;
    default:
        add_shape(b, index, gr_convex_cylinder(wheel->radius + wheel->grouser_height, wheel->width), pose,
                  b->scene->wheel_material);
    }
}

/// A wheel on soil collides with parts and stones but not with the ground: the soil carries it.
static void add_wheel(Builder *b, int i)
{
    const GrModel *m = b->m;
    const GrWheelDef *wheel = &b->rover->wheels[i];
    const GrBodyPlace *place = &m->places[wheel->body];
    GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    if (!b->scene->rigid_ground && (m->soil_wheels == NULL || gr_wheel_on_soil(m, i))) {
        body.collides_with = ~(unsigned)(GR_GROUP_DRIVEN | GR_GROUP_GROUND);
    }
    body.flex_stiffness = wheel->stiffness;
    body.flex_damping = wheel->damping;
    body.flex_axis = m->wheels[i].axle;
    const int index = gr_rigid_add_body(&b->def, &body);
    if (index < 0) {
        fail_memory(b);
        return;
    }
    if (wheel->rimless) {
        add_spokes(b, i, index);
    } else {
        const int first = b->def.shape_count;
        add_rim(b, i, index, gr_pose_mul(place->pose, wheel->pose));
        set_labels(b, first, (Labels){wheel->group, GR_WHEEL_GROUP, wheel->material});
    }
    b->m->rigid.bodies[b->m->rigid.count++] = place->body;
}

/// Adds one driven body for each moving body with shapes. The ground is not rigid for shapes that press a grid.
static void add_body_shape(void *context, int body, const GrShapeDef *shape, GrConvex convex, GrPose pose)
{
    Builder *b = context;
    GrRigidScene *rigid = &b->m->rigid;
    if (rigid->of_body[body] < 0) {
        GrRigidBodyDef def = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
        if (b->m->soil_shape_count > 0) {
            def.collides_with = ~(unsigned)(GR_GROUP_DRIVEN | GR_GROUP_GROUND);
        }
        if (gr_rigid_add_body(&b->def, &def) < 0) {
            fail_memory(b);
            return;
        }
        rigid->of_body[body] = rigid->count;
        rigid->bodies[rigid->count++] = body;
    }
    if (own_mesh(b, &convex)) {
        const int first = b->def.shape_count;
        add_shape(b, rigid->of_body[body], convex, pose, b->scene->body_material);
        set_labels(b, first,
                   shape != NULL ? (Labels){shape->group, GR_BODY_GROUP, shape->material}
                                 : (Labels){"", GR_BODY_GROUP, ""});
    } else {
        fail_memory(b);
    }
}

static void add_bodies(Builder *b)
{
    const GrStatus status = gr_body_shapes_visit(b->rover, b->m, add_body_shape, b, b->log);
    b->status = status != GR_OK ? status : b->status;
}

// ---- the whole

static bool allocate(Builder *b)
{
    GrRigidScene *rigid = &b->m->rigid;
    const size_t bodies = (size_t)b->m->tree.body_count, stones = (size_t)b->scene->stone_count;
    rigid->bodies = gr_calloc(bodies + (size_t)b->m->wheel_count + 1, sizeof *rigid->bodies);
    rigid->of_body = gr_calloc(bodies, sizeof *rigid->of_body);
    const size_t wheels = (size_t)b->m->wheel_count, parts = (size_t)b->scene->part_count;
    size_t shapes = 0;
    for (int i = 0; i < b->rover->body_count; i++) {
        shapes += (size_t)b->rover->bodies[i].shape_count;
    }
    rigid->meshes = gr_calloc(stones + parts + shapes + GR_WHEEL_PARTS * wheels + 1, sizeof(GrConvexMesh *));
    rigid->loose_stone = gr_calloc(stones + 1, sizeof *rigid->loose_stone);
    rigid->loose_mesh = gr_calloc(stones + 1, sizeof(GrConvexMesh *));
    if (rigid->bodies == NULL || rigid->of_body == NULL || rigid->meshes == NULL || rigid->loose_stone == NULL ||
        rigid->loose_mesh == NULL) {
        return false;
    }
    for (size_t t = 0; t < bodies; t++) {
        rigid->of_body[t] = -1;
    }
    return true;
}

/// Replaces the definition's materials, and checks the indices of materials in the scene.
static void set_materials(Builder *b)
{
    const GrSceneDef *scene = b->scene;
    b->def.material_count = 0;
    for (int i = 0; i < scene->material_count; i++) {
        if (gr_rigid_add_material(&b->def, &scene->materials[i]) < 0) {
            fail_memory(b);
        }
    }
    for (int i = 0; i < scene->pair_count; i++) {
        if (gr_rigid_add_pair(&b->def, &scene->pairs[i]) < 0) {
            fail_memory(b);
        }
    }
    const struct {
        const char *name;
        int index;
    } used[] = {{"ground_material", scene->ground_material},
                {"wheel_material", scene->wheel_material},
                {"body_material", scene->body_material}};
    for (size_t i = 0; i < sizeof used / sizeof used[0]; i++) {
        if (used[i].index < 0 || used[i].index >= scene->material_count) {
            b->status = gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.field = used[i].name},
                                     "found %d, allowed: 0 to %d", used[i].index, scene->material_count - 1);
        }
    }
}

static void set_world(Builder *b)
{
    const GrSceneDef *scene = b->scene;
    const GrSurfaceDef *surface = &b->m->options.surface;
    b->def.ground = surface->height != NULL ? (GrRigidGround){surface->height, surface->context}
                                            : (GrRigidGround){gr_height_of_plane, NULL};
    b->def.ground_material = material_of_group(scene, GR_GROUND_GROUP, scene->ground_material);
    b->def.ground_material_at = scene->ground_material_at;
    b->def.ground_material_context = scene->ground_material_context;
    b->def.rock_zones = scene->rock_zones;
    b->def.rock_zone_count = scene->rock_zone_count;
    b->def.gravity = b->m->tree.gravity;
    int loose = 0;
    for (int i = 0; i < scene->stone_count; i++) {
        loose += scene->stones[i].loose;
    }
    b->def.contact_capacity = scene->contact_capacity;
    b->def.pair_capacity += 8 * loose;
    if (loose > 0) {
        b->def.soft = gr_rock_soil(b->m, b->log);
    }
    b->def.contact_law = scene->contact_law;
    b->def.friction_law = scene->friction_law;
    if (scene->rigid_ground && b->m->soil_wheels != NULL) {
        b->status = gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.field = "rigid_ground"},
                                 "the ground is either rigid or soil: give no soil, or leave rigid_ground out");
    }
}

static void part_groups(Builder *b)
{
    b->def.ground_group = find_group(b, GR_GROUND_GROUP);
    for (int i = 0; i < b->scene->no_contact_count; i++) {
        const GrGroupPair *pair = &b->scene->no_contact[i];
        const int first = find_group(b, pair->a), second = find_group(b, pair->b);
        gr_rigid_part_groups(&b->def, first, second);
    }
}

/// Lists have as many entries as they say, and no more than a run can keep.
static GrStatus check_counts(const GrSceneDef *scene, GrErrorLog *log)
{
    enum { MOST = 10000000 };
    const struct {
        const char *name;
        int count;
        const void *items;
    } lists[] = {{"materials", scene->material_count, scene->materials},
                 {"pairs", scene->pair_count, scene->pairs},
                 {"made_of", scene->made_of_count, scene->made_of},
                 {"parts", scene->part_count, scene->parts},
                 {"stones", scene->stone_count, scene->stones},
                 {"rock_zones", scene->rock_zone_count, scene->rock_zones},
                 {"no_contact", scene->no_contact_count, scene->no_contact}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (lists[i].count < 0 || lists[i].count > MOST) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = lists[i].name},
                                "found %d entries, allowed: 0 to %d", lists[i].count, (int)MOST);
        }
        if (lists[i].count > 0 && lists[i].items == NULL) {
            return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = lists[i].name},
                                "has %d entries, but the list is NULL", lists[i].count);
        }
    }
    return GR_OK;
}

GrStatus gr_scene_build(const GrSceneDef *scene, const GrRoverDef *rover, GrModel *m, GrErrorLog *log)
{
    if (check_counts(scene, log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    Builder b = {.scene = scene, .rover = rover, .m = m, .def = gr_default_rigid_def(), .log = log, .status = GR_OK};
    if (!allocate(&b)) {
        fail_memory(&b);
    } else {
        set_materials(&b);
        set_world(&b);
        for (int i = 0; i < rover->wheel_count; i++) {
            add_wheel(&b, i);
        }
        if (scene->bodies) {
            add_bodies(&b);
        }
        if (scene->self_contact && b.status == GR_OK) { // driven bodies are the first bodies of the world
            b.status = gr_self_contact_prepare(rover, m, &b.def, log);
        }
        for (int i = 0; i < scene->part_count; i++) {
            add_part(&b, i);
        }
        add_stones(&b);
        part_groups(&b);
    }
    if (b.status == GR_OK) {
        m->rigid.world = gr_rigid_world_create(&b.def, log);
        b.status = m->rigid.world != NULL ? GR_OK : GR_ERROR_VALUE;
    }
    gr_rigid_def_free(&b.def);
    return b.status;
}

void gr_rigid_scene_free(GrRigidScene *rigid)
{
    gr_rigid_world_free(rigid->world);
    for (int i = 0; i < rigid->mesh_count; i++) {
        gr_convex_mesh_free(rigid->meshes[i]);
    }
    gr_free(rigid->bodies);
    gr_free(rigid->of_body);
    gr_free(rigid->meshes);
    gr_free(rigid->loose_stone);
    gr_free(rigid->loose_mesh);
    gr_free(rigid->late.stones);
    *rigid = (GrRigidScene){0};
}
