#include "ray_scene.h"

#include "alloc.h"
#include "data.h"
#include "ray_shape.h"
#include "world.h"

/// Rocks are gathered for more than the rays reach, so that they serve for some of the way.
static const double GATHER_MORE = 0.25;
static const double SHADOW_GAP = 2e-3; // a shadow's ray begins this far from the surface [m]

/// A shape of the rover: its convex, and its pose in a body.
typedef struct OwnShape {
    GrConvex convex;
    int body;
    GrPose pose;
} OwnShape;

struct GrRayScene {
    const GrModel *m;
    GrTerrain *terrain;
    GrRayGround *ground;
    double reach;
    OwnShape *own;
    int own_count;
    GrRayShapes fixed;  ///< rocks and parts that do not move
    GrRayShapes loose;  ///< rocks that may
    GrRayShapes rover;  ///< its own shapes
    GrVec3 gathered_at; ///< for which `fixed` was gathered
    bool gathered;
};

static void add_own(GrRayScene *s, const GrRoverDef *rover)
{
    for (int b = 0; b < rover->body_count; b++) {
        for (int k = 0; k < rover->bodies[b].shape_count; k++) {
            const GrShapeDef *shape = &rover->bodies[b].shapes[k];
            if (!shape->only_touches) {
                OwnShape *own = &s->own[s->own_count++];
                own->convex = gr_convex_of_part(shape, &own->pose);
                own->body = b;
            }
        }
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *wheel = &rover->wheels[i];
        if (!wheel->rimless) {
            s->own[s->own_count++] =
                (OwnShape){gr_convex_cylinder(wheel->radius, wheel->width), wheel->body, wheel->pose};
        }
    }
}

static int count_shapes(const GrRoverDef *rover)
{
    int count = rover->wheel_count;
    for (int b = 0; b < rover->body_count; b++) {
        count += rover->bodies[b].shape_count;
    }
    return count;
}

GrRayScene *gr_ray_scene_create(const GrSenseDef *def, double reach)
{
    GrRayScene *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->m = def->model;
    s->terrain = def->terrain;
    s->reach = reach;
    s->ground = gr_ray_ground_create(def->terrain);
    s->own = gr_calloc((size_t)count_shapes(def->rover) + 1, sizeof *s->own);
    if (s->ground == NULL || s->own == NULL) {
        gr_ray_scene_free(s);
        return NULL;
    }
    add_own(s, def->rover);
    return s;
}

void gr_ray_scene_free(GrRayScene *s)
{
    if (s != NULL) {
        gr_ray_ground_free(s->ground);
        gr_free(s->own);
        gr_ray_shapes_free(&s->fixed);
        gr_ray_shapes_free(&s->loose);
        gr_ray_shapes_free(&s->rover);
        gr_free(s);
    }
}

static GrPlacedConvex place(const GrConvex *convex, GrPose pose)
{
    return (GrPlacedConvex){convex, gr_quat_to_mat3(gr_quat_normalize(pose.rotation)), pose.position};
}

static bool is_near(const GrBounds *b, GrVec3 from, double radius)
{
    const GrBounds around = {gr_sub(from, gr_vec3(radius, radius, radius)),
                             gr_add(from, gr_vec3(radius, radius, radius))};
    return gr_bounds_overlap(b, &around);
}

/// Rocks of a field, made now where nothing has come near them yet. One that cannot be made stands on ground that is
/// not in memory, where rays are blind anyway.
static bool gather_late(GrRayScene *s, const GrRigidWorld *w, GrVec3 from, double radius)
{
    const GrBounds box = {{from.x - radius, from.y - radius, 0}, {from.x + radius, from.y + radius, 0}};
    bool good = true;
    if (w->late == NULL) {
        return true;
    }
    GrRoomWalk walk = gr_room_walk(&w->late->grid, &box);
    for (const GrRoom *room; good && (room = gr_room_next(&walk)) != NULL;) {
        const GrLateShape *late = gr_rigid_make_shape(w, room->item);
        if (late != NULL && late->mesh != NULL) {
            good = gr_ray_shapes_add(&s->fixed, &late->placed);
        }
    }
    return good;
}

/// Rocks and parts that do not move, near a point.
static bool gather_fixed(GrRayScene *s, GrVec3 from)
{
    const GrRigidWorld *w = s->m->rigid.world;
    const double radius = s->reach * (1 + GATHER_MORE);
    if (s->gathered && gr_norm(gr_sub(from, s->gathered_at)) < s->reach * GATHER_MORE) {
        return true;
    }
    bool good = true;
    gr_ray_shapes_clear(&s->fixed);
    for (int i = 0; w != NULL && i < w->shape_count && good; i++) {
        const bool fixed = w->bodies[w->shapes[i].body].motion == GR_RIGID_FIXED;
        if (fixed && is_near(&w->fixed_bounds[i], from, radius)) {
            good = gr_ray_shapes_add(&s->fixed, &w->fixed[i]);
        }
    }
    good = good && (w == NULL || gather_late(s, w, from, radius));
    gr_ray_shapes_build(&s->fixed);
    s->gathered_at = from;
    s->gathered = good;
    return good;
}

static bool place_loose(GrRayScene *s, const GrData *d)
{
    const GrRigidWorld *w = s->m->rigid.world;
    bool good = true;
    gr_ray_shapes_clear(&s->loose);
    for (int i = 0; w != NULL && i < w->shape_count && good; i++) {
        const GrRigidShape *shape = &w->shapes[i];
        const GrRigidBody *body = &w->bodies[shape->body];
        if (body->motion == GR_RIGID_LOOSE) {
            const GrPose pose = gr_rigid_loose_pose(w, d->rigid, body->slot);
            const GrPlacedConvex item = place(&shape->convex, gr_pose_mul(pose, shape->pose));
            good = gr_ray_shapes_add(&s->loose, &item);
        }
    }
    gr_ray_shapes_build(&s->loose);
    return good;
}

static bool place_rover(GrRayScene *s, const GrPose *bodies)
{
    bool good = true;
    gr_ray_shapes_clear(&s->rover);
    for (int i = 0; i < s->own_count && good; i++) {
        const OwnShape *own = &s->own[i];
        const GrPlacedConvex item = place(&own->convex, gr_pose_mul(bodies[own->body], own->pose));
        good = gr_ray_shapes_add(&s->rover, &item);
    }
    gr_ray_shapes_build(&s->rover);
    return good;
}

GrStatus gr_ray_scene_prepare(GrRayScene *s, const GrData *d, const GrPose *bodies, GrVec3 from)
{
    const double margin = s->reach * (1 + GATHER_MORE);
    const GrBox2 box = {from.x - margin, from.y - margin, from.x + margin, from.y + margin};
    if (s->terrain != NULL) {
        GrErrorLog quiet = {.quiet = true};
        gr_terrain_prefetch(s->terrain, box, &quiet); // rays into what does not fit are blind, and counted
    }
    const bool good = gather_fixed(s, from) && place_loose(s, d) && place_rover(s, bodies);
    const GrStatus status = gr_ray_ground_prepare(s->ground, gr_data_ruts(d), box);
    return good ? status : GR_ERROR_MEMORY;
}

/// Shapes before what has been hit so far.
static void cast_shapes(const GrRayScene *s, const GrRay *ray, GrRayHit *hit)
{
    static const GrRaySeen seen[3] = {GR_SEEN_ROCK, GR_SEEN_ROCK, GR_SEEN_ROVER};
    const GrRayShapes *sets[3] = {&s->fixed, &s->loose, &s->rover};
    GrRay rest = *ray;
    rest.end = hit->seen != GR_SEEN_NOTHING ? hit->t : ray->end;
    for (int i = 0; i < 3; i++) {
        if (gr_ray_shapes_cast(sets[i], &rest, &hit->t, &hit->normal) >= 0) {
            hit->seen = seen[i];
            rest.end = hit->t;
        }
    }
}

/// Ground first: most rays end there, and need not look for shapes beyond.
GrRayHit gr_ray_scene_cast(const GrRayScene *s, const GrRay *ray, bool *blind)
{
    GrRayHit hit = {.seen = GR_SEEN_NOTHING};
    GrRayResult ground = gr_ray_ground_cast(s->ground, ray, &hit.t);
    hit.seen = ground == GR_RAY_HIT ? GR_SEEN_GROUND : GR_SEEN_NOTHING;
    cast_shapes(s, ray, &hit);
    if (ground == GR_RAY_BLIND && hit.seen != GR_SEEN_NOTHING) { // a shape may stand before the ground that is missing
        GrRay rest = *ray;
        rest.end = hit.t;
        ground = gr_ray_ground_cast(s->ground, &rest, &hit.t);
        hit.seen = ground == GR_RAY_HIT ? GR_SEEN_GROUND : hit.seen;
    }
    *blind = ground == GR_RAY_BLIND;
    return hit;
}

void gr_ray_scene_normal(const GrRayScene *s, const GrRay *ray, GrRayHit *hit)
{
    if (hit->seen == GR_SEEN_GROUND) {
        hit->normal =
            gr_ray_ground_normal(s->ground, ray->from.x + hit->t * ray->along.x, ray->from.y + hit->t * ray->along.y);
    }
}

GrGroundLook gr_ray_scene_ground(const GrRayScene *s, double x, double y)
{
    const GrSurfaceDef *surface = &s->m->options.surface;
    GrSoilMix mix = {0};
    const bool classes =
        surface->soil_at != NULL && surface->soil_at(surface->soil_context, x, y, &mix) && mix.count > 0;
    return (GrGroundLook){classes && mix.classes[0] > 0 ? mix.classes[0] - 1 : 0, gr_ray_ground_rut(s->ground, x, y)};
}

bool gr_ray_scene_hides(const GrRayScene *s, GrVec3 from, GrVec3 direction)
{
    const GrRay ray = {from, direction, SHADOW_GAP, s->reach};
    return gr_ray_shapes_hide(&s->fixed, &ray) || gr_ray_shapes_hide(&s->loose, &ray) ||
           gr_ray_shapes_hide(&s->rover, &ray) || gr_ray_ground_hides(s->ground, &ray);
}
