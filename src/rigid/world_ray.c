#include "world_ray.h"

#include "world.h"

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

static bool meets(const GrPlacedConvex *shape, const GrRay *ray)
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
        return crosses(&w->fixed_bounds[i], ray) && meets(&w->fixed[i], ray);
    }
    if (body->motion != GR_RIGID_LOOSE) {
        return false; // the rover's own
    }
    const GrPose pose = gr_pose_mul(gr_rigid_loose_pose(w, s, body->slot), shape->pose);
    const GrPlacedConvex placed = {&shape->convex, gr_quat_to_mat3(gr_quat_normalize(pose.rotation)), pose.position};
    return meets(&placed, ray);
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
        if (late != NULL && late->mesh != NULL && crosses(&late->bounds, ray) && meets(&late->placed, ray)) {
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
