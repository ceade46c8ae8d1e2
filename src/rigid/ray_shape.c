/// Rays against convex shapes, exactly, through a tree of bounds, and through the rocks and parts of a world.
#include "ray_shape.h"

#include "alloc.h"
#include "world.h"

// ---- shapes

/// Part of a ray inside what has been intersected so far, and where it came in.
typedef struct Inside {
    double in, out;
    GrVec3 normal; ///< at `in`
} Inside;

/// Half space normal · p ≤ offset.
static void cut(Inside *s, GrVec3 from, GrVec3 along, GrVec3 normal, double offset)
{
    const double distance = offset - gr_dot(normal, from), rate = gr_dot(normal, along);
    if (rate == 0) {
        s->out = distance < 0 ? -(double)INFINITY : s->out;
    } else if (rate < 0) {
        const double t = distance / rate;
        s->normal = t > s->in ? normal : s->normal;
        s->in = fmax(s->in, t);
    } else {
        s->out = fmin(s->out, distance / rate);
    }
}

/// a t² + 2 b t + c ≤ 0 inside. Both roots without cancellation.
static bool cut_round(Inside *s, double a, double b, double c)
{
    const double d = b * b - a * c;
    if (a == 0) {
        s->out = c > 0 ? -(double)INFINITY : s->out;
        return false;
    }
    if (d < 0) {
        s->out = -INFINITY;
        return false;
    }
    const double q = b < 0 ? -b + sqrt(d) : -b - sqrt(d);
    const double t1 = q / a, t2 = q != 0 ? c / q : t1;
    const bool enters = fmin(t1, t2) > s->in;
    s->in = fmax(s->in, fmin(t1, t2));
    s->out = fmin(s->out, fmax(t1, t2));
    return enters;
}

static void cut_sphere(Inside *s, double radius, GrVec3 from, GrVec3 along)
{
    if (cut_round(s, gr_dot(along, along), gr_dot(from, along), gr_dot(from, from) - radius * radius)) {
        s->normal = gr_scale(1 / radius, gr_madd(from, s->in, along));
    }
}

/// The axis is y.
static void cut_cylinder(Inside *s, const GrConvex *c, GrVec3 from, GrVec3 along)
{
    cut(s, from, along, gr_vec3(0, 1, 0), c->half.y);
    cut(s, from, along, gr_vec3(0, -1, 0), c->half.y);
    if (cut_round(s, along.x * along.x + along.z * along.z, from.x * along.x + from.z * along.z,
                  from.x * from.x + from.z * from.z - c->radius * c->radius)) {
        const GrVec3 p = gr_madd(from, s->in, along);
        s->normal = gr_vec3(p.x / c->radius, 0, p.z / c->radius);
    }
}

static void cut_cuboid(Inside *s, GrVec3 half, GrVec3 from, GrVec3 along)
{
    cut(s, from, along, gr_vec3(1, 0, 0), half.x);
    cut(s, from, along, gr_vec3(-1, 0, 0), half.x);
    cut(s, from, along, gr_vec3(0, 1, 0), half.y);
    cut(s, from, along, gr_vec3(0, -1, 0), half.y);
    cut(s, from, along, gr_vec3(0, 0, 1), half.z);
    cut(s, from, along, gr_vec3(0, 0, -1), half.z);
}

bool gr_ray_convex(const GrPlacedConvex *shape, const GrRay *ray, double *t, GrVec3 *normal)
{
    const GrConvex *c = shape->convex;
    const GrVec3 from = gr_mat3_tmul_vec(&shape->rotation, gr_sub(ray->from, shape->position));
    const GrVec3 along = gr_mat3_tmul_vec(&shape->rotation, ray->along);
    Inside s = {.in = -INFINITY, .out = INFINITY};
    switch (c->kind) {
    case GR_CONVEX_SPHERE:
        cut_sphere(&s, c->radius, from, along);
        break;
    case GR_CONVEX_CYLINDER:
        cut_cylinder(&s, c, from, along);
        break;
    case GR_CONVEX_CUBOID:
        cut_cuboid(&s, c->half, from, along);
        break;
    case GR_CONVEX_MESH:
        for (int i = 0; i < c->mesh->face_count && s.in <= s.out; i++) {
            cut(&s, from, along, c->mesh->normals[i], c->mesh->offsets[i]);
        }
        break;
    }
    if (!(s.in <= s.out && s.in >= ray->begin && s.in <= ray->end)) {
        return false;
    }
    *t = s.in;
    *normal = gr_mat3_mul_vec(&shape->rotation, s.normal);
    return true;
}

void gr_ray_shapes_free(GrRayShapes *s)
{
    gr_free(s->items);
    gr_free(s->bounds);
    gr_free(s->order);
    gr_free(s->nodes);
    *s = (GrRayShapes){0};
}

void gr_ray_shapes_clear(GrRayShapes *s)
{
    s->count = 0;
}

static bool grow(GrRayShapes *s)
{
    const int capacity = s->capacity > 0 ? 2 * s->capacity : 64;
    GrPlacedConvex *items = gr_realloc(s->items, (size_t)capacity * sizeof *items);
    s->items = items != NULL ? items : s->items;
    GrBounds *bounds = gr_realloc(s->bounds, (size_t)capacity * sizeof *bounds);
    s->bounds = bounds != NULL ? bounds : s->bounds;
    int *order = gr_realloc(s->order, (size_t)capacity * sizeof *order);
    s->order = order != NULL ? order : s->order;
    GrBoundsNode *nodes = gr_realloc(s->nodes, (size_t)gr_bounds_tree_size(capacity) * sizeof *nodes);
    s->nodes = nodes != NULL ? nodes : s->nodes;
    if (items == NULL || bounds == NULL || order == NULL || nodes == NULL) {
        return false;
    }
    s->capacity = capacity;
    return true;
}

bool gr_ray_shapes_add(GrRayShapes *s, const GrPlacedConvex *item)
{
    if (s->count == s->capacity && !grow(s)) {
        return false;
    }
    s->items[s->count] = *item;
    s->bounds[s->count] = gr_placed_bounds(item);
    s->order[s->count] = s->count;
    s->count++;
    return true;
}

void gr_ray_shapes_build(GrRayShapes *s)
{
    for (int i = 0; i < s->count; i++) {
        s->order[i] = i;
    }
    gr_bounds_tree_build(s->nodes, s->order, s->count, s->bounds);
}

/// Slabs. `per` is 1/along; where that is infinite, products with 0 are NaN, which fmin and fmax pass over.
static inline bool meets(const GrBounds *b, GrVec3 from, GrVec3 per, double begin, double end)
{
    const double x0 = (b->lower.x - from.x) * per.x, x1 = (b->upper.x - from.x) * per.x;
    const double y0 = (b->lower.y - from.y) * per.y, y1 = (b->upper.y - from.y) * per.y;
    const double z0 = (b->lower.z - from.z) * per.z, z1 = (b->upper.z - from.z) * per.z;
    const double in = fmax(fmax(fmin(x0, x1), fmin(y0, y1)), fmax(fmin(z0, z1), begin));
    const double out = fmin(fmin(fmax(x0, x1), fmax(y0, y1)), fmin(fmax(z0, z1), end));
    return in <= out;
}

static int cast(const GrRayShapes *s, const GrRay *ray, bool any, double *t, GrVec3 *normal)
{
    const GrVec3 per = {1 / ray->along.x, 1 / ray->along.y, 1 / ray->along.z};
    GrRay rest = *ray;
    int found = -1;
    const int count = gr_bounds_tree_size(s->count);
    for (int i = 0; i < count;) {
        const GrBoundsNode *node = &s->nodes[i];
        if (!meets(&node->bounds, ray->from, per, rest.begin, rest.end)) {
            i = node->skip;
            continue;
        }
        if (node->item >= 0 && gr_ray_convex(&s->items[node->item], &rest, t, normal)) {
            rest.end = *t;
            found = node->item;
            if (any) {
                break;
            }
        }
        i++;
    }
    return found;
}

int gr_ray_shapes_cast(const GrRayShapes *s, const GrRay *ray, double *t, GrVec3 *normal)
{
    return cast(s, ray, false, t, normal);
}

bool gr_ray_shapes_hide(const GrRayShapes *s, const GrRay *ray)
{
    double t;
    GrVec3 normal;
    return cast(s, ray, true, &t, &normal) >= 0;
}

// ---- a world

static const double PIECE = 4; // of the ray, for whose box circles are looked up [m]

/// The part of [begin, end] in which one coordinate lies within bounds.
static void clip(double from, double along, double lower, double upper, double *begin, double *end)
{
    if (along == 0) {
        *end = from < lower || from > upper ? -(double)INFINITY : *end;
        return;
    }
    const double a = (lower - from) / along, b = (upper - from) / along;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
}

static bool crosses(const GrBounds *b, const GrRay *ray)
{
    double begin = ray->begin, end = ray->end;
    clip(ray->from.x, ray->along.x, b->lower.x, b->upper.x, &begin, &end);
    clip(ray->from.y, ray->along.y, b->lower.y, b->upper.y, &begin, &end);
    clip(ray->from.z, ray->along.z, b->lower.z, b->upper.z, &begin, &end);
    return begin <= end;
}

static bool meets_shape(const GrPlacedConvex *shape, const GrRay *ray)
{
    double t;
    GrVec3 normal;
    return gr_ray_convex(shape, ray, &t, &normal);
}

static bool shape_hides(const GrRigidWorld *w, const GrRigidState *s, int i, const GrRay *ray)
{
    const GrRigidShape *shape = &w->shapes[i];
    const GrRigidBody *body = &w->bodies[shape->body];
    if (body->motion == GR_RIGID_FIXED) {
        return crosses(&w->fixed_bounds[i], ray) && meets_shape(&w->fixed[i], ray);
    }
    if (body->motion != GR_RIGID_LOOSE) {
        return false; // the rover's own
    }
    const GrPlacedConvex placed = gr_rigid_place_shape(shape, gr_rigid_loose_pose(w, s, body->slot));
    return meets_shape(&placed, ray);
}

/// Whether the ray, seen from above, passes over the circle.
static bool passes_over(const GrRoom *room, const GrRay *ray)
{
    const GrBounds tall = {{room->x - room->reach, room->y - room->reach, -(double)INFINITY},
                           {room->x + room->reach, room->y + room->reach, (double)INFINITY}};
    double begin = ray->begin, end = ray->end;
    clip(ray->from.x, ray->along.x, tall.lower.x, tall.upper.x, &begin, &end);
    clip(ray->from.y, ray->along.y, tall.lower.y, tall.upper.y, &begin, &end);
    return begin <= end;
}

/// Late rocks near a piece of the ray.
static bool late_hides(const GrRigidWorld *w, const GrRay *ray, const GrRay *piece)
{
    const GrVec3 a = gr_madd(piece->from, piece->begin, piece->along);
    const GrVec3 b = gr_madd(piece->from, piece->end, piece->along);
    const GrBounds box = {{fmin(a.x, b.x), fmin(a.y, b.y), 0}, {fmax(a.x, b.x), fmax(a.y, b.y), 0}};
    GrRoomWalk walk = gr_room_walk(&w->late->grid, &box);
    for (const GrRoom *room; (room = gr_room_next(&walk)) != NULL;) {
        const GrLateShape *late = passes_over(room, piece) ? gr_rigid_make_shape(w, room->item) : NULL;
        if (late != NULL && late->mesh != NULL && crosses(&late->bounds, ray) && meets_shape(&late->placed, ray)) {
            return true;
        }
    }
    return false;
}

bool gr_rigid_hides(const GrRigidWorld *w, const GrRigidState *s, const GrRay *ray)
{
    for (int i = 0; i < w->shape_count; i++) {
        if (shape_hides(w, s, i, ray)) {
            return true;
        }
    }
    const double step = PIECE / gr_norm(ray->along);
    const int pieces = w->late != NULL ? (int)ceil((ray->end - ray->begin) / step) : 0;
    for (int k = 0; k < pieces; k++) {
        const double t = ray->begin + k * step;
        const GrRay piece = {ray->from, ray->along, t, fmin(t + step, ray->end)};
        if (late_hides(w, ray, &piece)) {
            return true;
        }
    }
    return false;
}
