#include "world.h"

#include "alloc.h"
#include "list.h"
#include "out_of_memory.h"

#include <stdio.h>
#include <string.h>

GrRigidDef gr_default_rigid_def(void)
{
    GrRigidDef def = {
        .gravity = {0, 0, -9.80665},
        .contact_law = GR_CONTACT_HUNT_CROSSLEY,
        .friction_law = GR_FRICTION_SPRING,
        .pair_capacity = 1024,
        .island_capacity = 32,
        .sleep_speed = 0.002,
        .sleep_time = 0.5,
    };
    const GrMaterial material = gr_default_material();
    gr_rigid_add_material(&def, &material);
    return def;
}

GrRigidBodyDef gr_default_rigid_body_def(GrRigidMotion motion)
{
    return (GrRigidBodyDef){.motion = motion, .pose = gr_pose_identity()};
}

int gr_rigid_add_material(GrRigidDef *def, const GrMaterial *material)
{
    return gr_list_add(&def->materials, &def->material_count, material, sizeof *material);
}

int gr_rigid_add_pair(GrRigidDef *def, const GrMaterialPairDef *pair)
{
    return gr_list_add(&def->pairs, &def->pair_count, pair, sizeof *pair);
}

int gr_rigid_add_body(GrRigidDef *def, const GrRigidBodyDef *body)
{
    return gr_list_add(&def->bodies, &def->body_count, body, sizeof *body);
}

int gr_rigid_add_shape(GrRigidDef *def, int body, GrConvex convex, GrPose pose, int material)
{
    const GrRigidShapeDef shape = {.body = body, .convex = convex, .pose = pose, .material = material};
    return gr_list_add(&def->shapes, &def->shape_count, &shape, sizeof shape);
}

void gr_rigid_part_groups(GrRigidDef *def, int a, int b)
{
    def->ignores[a] |= (uint32_t)1 << b;
    def->ignores[b] |= (uint32_t)1 << a;
}

int gr_rigid_keep_apart(GrRigidDef *def, int body_a, int body_b)
{
    const int pair[2] = {body_a, body_b};
    return gr_list_add(&def->apart, &def->apart_count, pair, sizeof pair);
}

void gr_rigid_def_free(GrRigidDef *def)
{
    gr_free(def->materials);
    gr_free(def->pairs);
    gr_free(def->bodies);
    gr_free(def->shapes);
    gr_free(def->apart);
    *def = (GrRigidDef){0};
}

static GrStatus fault(GrErrorLog *log, const char *part, int index, const char *text)
{
    char field[64];
    snprintf(field, sizeof field, "%s[%d]", part, index);
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = field}, "%s", text);
}

static bool positive_inertia(GrSym3 i)
{
    const double minor = i.xx * i.yy - i.xy * i.xy;
    const double det =
        i.xx * (i.yy * i.zz - i.yz * i.yz) - i.xy * (i.xy * i.zz - i.yz * i.xz) + i.xz * (i.xy * i.yz - i.yy * i.xz);
    return i.xx > 0 && minor > 0 && det > 0;
}

static GrStatus check_items(const GrRigidDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int i = 0; i < def->material_count; i++) {
        char text[160];
        status = gr_material_check(&def->materials[i], text, sizeof text) ? status : fault(log, "materials", i, text);
    }
    for (int i = 0; i < def->pair_count; i++) {
        const GrMaterialPairDef *p = &def->pairs[i];
        const bool known = p->a >= 0 && p->a < def->material_count && p->b >= 0 && p->b < def->material_count;
        const bool laws = p->contact_law >= GR_CONTACT_OF_SCENE && p->contact_law < GR_CONTACT_LAW_COUNT &&
                          p->friction_law >= GR_FRICTION_OF_SCENE && p->friction_law < GR_FRICTION_LAW_COUNT;
        status = known ? status : fault(log, "pairs", i, "there is no such material");
        status = laws ? status : fault(log, "pairs", i, "there is no such law");
    }
    for (int i = 0; i < def->body_count; i++) {
        const GrRigidBodyDef *b = &def->bodies[i];
        if (b->motion == GR_RIGID_LOOSE && !(b->mass > 0 && isfinite(b->mass) && positive_inertia(b->inertia))) {
            status = fault(log, "bodies", i, "a loose body needs a positive mass and inertia");
        }
    }
    for (int i = 0; i < def->shape_count; i++) {
        const GrRigidShapeDef *s = &def->shapes[i];
        const char *text = gr_convex_fault(&s->convex);
        text = s->body < 0 || s->body >= def->body_count ? "there is no such body" : text;
        text = s->material < 0 || s->material >= def->material_count ? "there is no such material" : text;
        text = s->group < 0 || s->group >= GR_RIGID_GROUPS ? "there is no such group" : text;
        status = text != NULL ? fault(log, "shapes", i, text) : status;
    }
    for (int i = 0; i < def->rock_zone_count; i++) {
        const int material = def->rock_zones[i].material;
        const bool known = material >= 0 && material < def->material_count;
        status = known ? status : fault(log, "rock_zones", i, "there is no such material");
    }
    for (int i = 0; i < def->apart_count; i++) {
        for (int k = 0; k < 2; k++) {
            const int body = def->apart[i][k];
            if (body < 0 || body >= def->body_count || def->bodies[body].motion != GR_RIGID_DRIVEN) {
                status = fault(log, "apart", i, "there is no such driven body");
            }
        }
    }
    return status;
}

/// The maker answers for their materials.
static bool late_is_right(const GrRigidDef *def)
{
    const GrLateDef *late = &def->late;
    return late->count == 0 ||
           (late->count > 0 && late->count < INT32_MAX - def->shape_count && late->room != NULL && late->make != NULL &&
            late->body >= 0 && late->body < def->body_count && def->bodies[late->body].motion == GR_RIGID_FIXED &&
            late->group >= 0 && late->group < GR_RIGID_GROUPS);
}

static GrStatus check(const GrRigidDef *def, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    GrStatus status = check_items(def, log);
    if (!late_is_right(def)) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, nowhere, "late shapes need a fixed body, bounding boxes and a maker");
    }
    if ((unsigned)def->contact_law >= GR_CONTACT_LAW_COUNT) {
        status = gr_error_add(log, GR_ERROR_NAME, nowhere, "there is no contact law %d", (int)def->contact_law);
    }
    if ((unsigned)def->friction_law >= GR_FRICTION_LAW_COUNT) {
        status = gr_error_add(log, GR_ERROR_NAME, nowhere, "there is no friction law %d", (int)def->friction_law);
    }
    if (def->contact_capacity < 0 || def->pair_capacity < 1 || def->island_capacity < 1) {
        status = gr_error_add(log, GR_ERROR_VALUE, nowhere,
                              "contact_capacity must not be negative, the other capacities must be at least 1");
    }
    if (def->ground_material < 0 || def->ground_material >= def->material_count) {
        status =
            gr_error_add(log, GR_ERROR_VALUE, nowhere, "there is no material %d for the ground", def->ground_material);
    }
    return status;
}

static void *zeroed(int count, size_t size)
{
    return gr_calloc(count > 0 ? (size_t)count : 1, size);
}

static bool allocate(GrRigidWorld *w, const GrRigidDef *def)
{
    const int nb = def->body_count, ns = def->shape_count;
    w->bodies = zeroed(nb, sizeof *w->bodies);
    w->shapes = zeroed(ns, sizeof *w->shapes);
    w->materials = zeroed(def->material_count, sizeof *w->materials);
    w->rock_zones = zeroed(def->rock_zone_count, sizeof *w->rock_zones);
    w->pairs = zeroed(def->material_count * def->material_count, sizeof *w->pairs);
    w->loose_body = zeroed(nb, sizeof *w->loose_body);
    w->driven_body = zeroed(nb, sizeof *w->driven_body);
    w->loose_pose = zeroed(nb, sizeof *w->loose_pose);
    w->loose_twist = zeroed(nb, sizeof *w->loose_twist);
    w->movable = zeroed(ns, sizeof *w->movable);
    w->movable_slot = zeroed(ns, sizeof *w->movable_slot);
    w->fixed = zeroed(ns, sizeof *w->fixed);
    w->fixed_bounds = zeroed(ns, sizeof *w->fixed_bounds);
    w->tree = zeroed(gr_bounds_tree_size(ns), sizeof *w->tree);
    return w->bodies != NULL && w->shapes != NULL && w->materials != NULL && w->pairs != NULL &&
           w->rock_zones != NULL && w->loose_body != NULL && w->driven_body != NULL && w->loose_pose != NULL &&
           w->loose_twist != NULL && w->movable != NULL && w->movable_slot != NULL && w->fixed != NULL &&
           w->fixed_bounds != NULL && w->tree != NULL;
}

static void add_body(GrRigidWorld *w, const GrRigidBodyDef *def)
{
    static const unsigned GROUPS[] = {GR_GROUP_FIXED, GR_GROUP_DRIVEN, GR_GROUP_LOOSE};
    GrRigidBody *b = &w->bodies[w->body_count];
    *b = (GrRigidBody){
        .motion = def->motion,
        .category = def->category != 0 ? def->category : GROUPS[def->motion],
        .collides_with = def->collides_with,
        .stone = def->stone,
        .mass = def->mass,
        .com = def->com,
        .inertia = def->inertia,
        .flex_stiffness = def->motion == GR_RIGID_DRIVEN && isfinite(def->flex_stiffness) ? def->flex_stiffness : 0,
        .flex_damping = def->flex_damping,
        .flex_axis = def->flex_axis,
    };
    w->flexible = w->flexible || b->flex_stiffness > 0;
    if (b->collides_with == 0) {
        b->collides_with = def->motion == GR_RIGID_DRIVEN ? ~(unsigned)GR_GROUP_DRIVEN : ~0u;
    }
    if (def->motion == GR_RIGID_DRIVEN) {
        b->slot = w->driven_count;
        w->driven_body[w->driven_count++] = w->body_count;
    } else if (def->motion == GR_RIGID_LOOSE) {
        b->slot = w->loose_count;
        w->loose_pose[b->slot] = def->pose;
        w->loose_twist[b->slot] = def->twist;
        w->loose_body[w->loose_count++] = w->body_count;
    }
    w->body_count++;
}

/// Finds which driven bodies can collide with each other. False when out of memory.
static bool find_meetings(GrRigidWorld *w, const GrRigidDef *def)
{
    const int n = w->driven_count;
    bool any = false;
    w->may_collide = zeroed(n * n, sizeof *w->may_collide);
    w->has_partner = zeroed(n, sizeof *w->has_partner);
    if (w->may_collide == NULL || w->has_partner == NULL) {
        return false;
    }
    for (int i = 0; i < n * n; i++) {
        const GrRigidBody *a = &w->bodies[w->driven_body[i / n]], *b = &w->bodies[w->driven_body[i % n]];
        w->may_collide[i] =
            a != b && gr_rigid_groups_meet(a->category, a->collides_with, b->category, b->collides_with);
    }
    for (int i = 0; i < def->apart_count; i++) {
        const int a = w->bodies[def->apart[i][0]].slot, b = w->bodies[def->apart[i][1]].slot;
        w->may_collide[a * n + b] = w->may_collide[b * n + a] = false;
    }
    for (int i = 0; i < n * n; i++) {
        w->has_partner[i / n] = w->has_partner[i / n] || w->may_collide[i];
        any = any || w->may_collide[i];
    }
    if (!any) {
        gr_free(w->may_collide);
        gr_free(w->has_partner);
        w->may_collide = w->has_partner = NULL;
    }
    return true;
}

/// Places a shape of a fixed body with this pose, and computes its box.
static void place_fixed(const GrRigidWorld *w, int shape, GrPose body)
{
    const GrRigidShape *s = &w->shapes[shape];
    const GrPose pose = gr_pose_mul(body, s->pose);
    w->fixed[shape] = (GrPlacedConvex){&s->convex, gr_quat_to_mat3(gr_quat_normalize(pose.rotation)), pose.position};
    w->fixed_bounds[shape] = gr_placed_bounds(&w->fixed[shape]);
}

/// False when out of memory.
static bool add_shapes(GrRigidWorld *w, const GrRigidDef *def)
{
    int *items = zeroed(def->shape_count, sizeof *items);
    if (items == NULL) {
        return false;
    }
    int fixed_count = 0;
    for (int i = 0; i < def->shape_count; i++) {
        const GrRigidShapeDef *shape = &def->shapes[i];
        w->shapes[i] = (GrRigidShape){shape->body,  shape->convex,     shape->pose,      shape->material,
                                      shape->group, shape->rock_lower, shape->rock_upper};
        w->shapes[i].pose.rotation = gr_quat_normalize(shape->pose.rotation);
        GrRigidBody *body = &w->bodies[shape->body];
        const double reach = gr_norm(gr_sub(shape->pose.position, body->com)) + gr_convex_reach(&shape->convex);
        body->reach = fmax(body->reach, reach);
        if (body->motion == GR_RIGID_FIXED) {
            place_fixed(w, i, def->bodies[shape->body].pose);
            items[fixed_count++] = i;
        } else {
            w->loose_shape_count += body->motion == GR_RIGID_LOOSE;
            w->movable_slot[i] = w->movable_count;
            w->movable[w->movable_count++] = i;
        }
    }
    w->shape_count = def->shape_count;
    gr_bounds_tree_build(w->tree, items, fixed_count, w->fixed_bounds);
    w->node_count = gr_bounds_tree_size(fixed_count);
    gr_free(items);
    return true;
}

/// Room for every point that a shape can have on the ground, and for points between shapes, of which a body outside a
/// heap has few.
static int find_contact_capacity(const GrRigidWorld *w)
{
    int points = 256 + 16 * w->loose_count;
    for (int i = 0; i < w->movable_count; i++) {
        const GrRigidShape *shape = &w->shapes[w->movable[i]];
        const GrRigidBody *b = &w->bodies[shape->body];
        if (gr_rigid_groups_meet(b->category, b->collides_with, GR_GROUP_GROUND, ~0u)) {
            points += gr_ground_most_points(&shape->convex);
        }
    }
    return points;
}

/// Parameters of all pairs of materials, at a radius of 1 m.
static void make_pairs(GrRigidWorld *w, const GrRigidDef *def)
{
    const int count = w->material_count;
    for (int i = 0; i < count * count; i++) {
        const GrMaterial *a = &w->materials[i / count], *b = &w->materials[i % count];
        w->pairs[i] = gr_material_pair(a, 1, b, (double)INFINITY, w->as_printed);
        gr_pair_set_laws(&w->pairs[i], def->contact_law, def->friction_law);
    }
    for (int i = 0; i < def->pair_count; i++) {
        const GrMaterialPairDef *given = &def->pairs[i];
        GrPairMaterial *pair = &w->pairs[given->a * count + given->b];
        gr_pair_override(pair, &given->values);
        gr_pair_set_laws(pair, given->contact_law != GR_CONTACT_OF_SCENE ? given->contact_law : def->contact_law,
                         given->friction_law != GR_FRICTION_OF_SCENE ? given->friction_law : def->friction_law);
        w->pairs[given->b * count + given->a] = *pair;
    }
}

GrRigidWorld *gr_rigid_world_create(const GrRigidDef *def, GrErrorLog *log)
{
    if (check(def, log) != GR_OK) {
        return NULL;
    }
    GrRigidWorld *w = gr_calloc(1, sizeof *w);
    if (w == NULL || !allocate(w, def)) {
        gr_rigid_world_free(w);
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    w->material_count = def->material_count;
    memcpy(w->materials, def->materials, sizeof(GrMaterial) * (size_t)def->material_count);
    w->ground = def->ground;
    w->ground_material = def->ground_material;
    w->ground_material_at = def->ground_material_at;
    w->ground_material_context = def->ground_material_context;
    if (def->rock_zone_count > 0) {
        memcpy(w->rock_zones, def->rock_zones, sizeof(GrRockZone) * (size_t)def->rock_zone_count);
    }
    w->rock_zone_count = def->rock_zone_count;
    w->soft = def->soft;
    w->ground_group = def->ground_group;
    memcpy(w->ignores, def->ignores, sizeof w->ignores);
    w->gravity = def->gravity;
    w->as_printed = def->as_printed;
    make_pairs(w, def);
    w->pair_capacity = def->pair_capacity;
    w->island_capacity = def->island_capacity;
    w->sleep_speed = def->sleep_speed;
    w->sleep_time = def->sleep_time;
    for (int i = 0; i < def->body_count; i++) {
        add_body(w, &def->bodies[i]);
    }
    if (!find_meetings(w, def) || !gr_rigid_late_create(w, def) || !add_shapes(w, def)) {
        gr_rigid_world_free(w);
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    w->contact_capacity = def->contact_capacity > 0 ? def->contact_capacity : find_contact_capacity(w);
    return w;
}

void gr_rigid_world_regions(const GrRigidWorld *w, GrRegionFn *take, void *context)
{
    const size_t bodies = (size_t)w->body_count, shapes = (size_t)w->shape_count, driven = (size_t)w->driven_count,
                 loose = (size_t)w->loose_count, materials = (size_t)w->material_count;
    const struct {
        const void *memory;
        size_t size;
    } parts[] = {{w->bodies, sizeof *w->bodies * bodies},
                 {w->shapes, sizeof *w->shapes * shapes},
                 {w->materials, sizeof *w->materials * materials},
                 {w->pairs, sizeof *w->pairs * materials * materials},
                 {w->loose_body, sizeof *w->loose_body * loose},
                 {w->driven_body, sizeof *w->driven_body * driven},
                 {w->may_collide, sizeof *w->may_collide * driven * driven},
                 {w->has_partner, sizeof *w->has_partner * driven},
                 {w->loose_pose, sizeof *w->loose_pose * loose},
                 {w->loose_twist, sizeof *w->loose_twist * loose},
                 {w->movable, sizeof *w->movable * (size_t)w->movable_count},
                 {w->movable_slot, sizeof *w->movable_slot * shapes},
                 {w->fixed, sizeof *w->fixed * shapes},
                 {w->fixed_bounds, sizeof *w->fixed_bounds * shapes},
                 {w->tree, sizeof *w->tree * (size_t)w->node_count},
                 {w->rock_zones, sizeof *w->rock_zones * (size_t)w->rock_zone_count}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].memory != NULL) {
            take(context, parts[i].memory, parts[i].size);
        }
    }
}

void gr_rigid_world_free(GrRigidWorld *w)
{
    if (w != NULL) {
        gr_free(w->bodies);
        gr_free(w->shapes);
        gr_free(w->materials);
        gr_free(w->rock_zones);
        gr_free(w->pairs);
        gr_free(w->loose_body);
        gr_free(w->driven_body);
        gr_free(w->loose_pose);
        gr_free(w->loose_twist);
        gr_free(w->movable);
        gr_free(w->movable_slot);
        gr_free(w->fixed);
        gr_free(w->fixed_bounds);
        gr_free(w->tree);
        gr_free(w->may_collide);
        gr_free(w->has_partner);
        gr_rigid_late_free(w);
        gr_free(w);
    }
}

int gr_rigid_driven_count(const GrRigidWorld *w)
{
    return w->driven_count;
}

int gr_rigid_loose_count(const GrRigidWorld *w)
{
    return w->loose_count;
}

GrRigidRoom gr_rigid_room(const GrRigidWorld *w)
{
    return (GrRigidRoom){w->contact_capacity, w->pair_capacity, w->island_capacity};
}
