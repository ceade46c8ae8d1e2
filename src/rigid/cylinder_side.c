/// Projected along its axis the cylinder is a disc and the polyhedron a polygon. Let q be the polygon's point nearest
/// to the axis, at distance ρ. Moving the polyhedron outward by R − ρ separates them, so the depth is at most that. No
/// shorter translation takes the point q itself out of the cylinder, except through a cap, so the depth is at least
/// min(R − ρ, H − |q_y|). Where both bounds agree, the depth is proved without examining any other direction.
///
/// The nearest point comes from the distance algorithm of Gilbert, Johnson & Keerthi (1988) in the plane.
#include "penetration.h"

enum { MAX_ITERATIONS = 24 };

/// Bounds on the depth count as equal when they differ by less than this, relative to the size of the shapes: in the
/// search for the nearest point, and in the proof of the depth.
static const double NEAREST_TOLERANCE = 1e-13, PROOF_TOLERANCE = 1e-8;

/// Tilt of the direction in which the ends of an edge or face along the axis are searched.
static const double TILT = 1e-7;

/// The polyhedron seen from the cylinder's frame.
typedef struct View {
    const GrConvex *other;
    GrMat3 turn;   ///< from the polyhedron's frame to the cylinder's
    GrVec3 offset; ///< of its origin in the cylinder's frame
} View;

/// Farthest point in a direction, both in the cylinder's frame.
static GrVec3 furthest(const View *v, GrVec3 direction)
{
    const GrVec3 local = gr_convex_support(v->other, gr_mat3_tmul_vec(&v->turn, direction));
    return gr_add(v->offset, gr_mat3_mul_vec(&v->turn, local));
}

/// Scalar product across the axis.
static double across(GrVec3 a, GrVec3 b)
{
    return gr_fma(a.x, b.x, a.z * b.z);
}

static double turned(GrVec3 a, GrVec3 b)
{
    return a.x * b.z - a.z * b.x;
}

/// One or two points, and the point on or between them that is nearest to the axis.
typedef struct Simplex {
    GrVec3 points[2];
    int count;
    GrVec3 nearest;
} Simplex;

static Simplex segment(GrVec3 a, GrVec3 b)
{
    const GrVec3 ab = gr_sub(b, a);
    const double length2 = across(ab, ab), along = -across(a, ab);
    if (!(along > 0)) {
        return (Simplex){{a, a}, 1, a};
    }
    if (along >= length2) {
        return (Simplex){{b, b}, 1, b};
    }
    return (Simplex){{a, b}, 2, gr_madd(a, along / length2, ab)};
}

static bool axis_inside(GrVec3 a, GrVec3 b, GrVec3 c)
{
    const double u = turned(a, b), v = turned(b, c), w = turned(c, a);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

/// Adds a point to the simplex; false when the axis is inside.
static bool take(Simplex *s, GrVec3 p)
{
    if (s->count == 2 && axis_inside(s->points[0], s->points[1], p)) {
        return false;
    }
    const Simplex first = segment(s->points[0], p);
    if (s->count == 2) {
        const Simplex second = segment(s->points[1], p);
        *s = across(second.nearest, second.nearest) < across(first.nearest, first.nearest) ? second : first;
    } else {
        *s = first;
    }
    return true;
}

/// Point of the polyhedron that is nearest to the axis. Unknown when the axis passes through it.
static GrSideAnswer find_nearest(const View *v, double radius, double size, GrVec3 *nearest)
{
    const GrVec3 centre = gr_add(v->offset, gr_mat3_mul_vec(&v->turn, gr_convex_centre(v->other)));
    const GrVec3 start = furthest(v, gr_vec3(-centre.x, 0, -centre.z));
    Simplex s = {{start, start}, 1, start};
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        const double distance2 = across(s.nearest, s.nearest), distance = sqrt(distance2);
        if (!(distance > 1e-6 * size)) {
            return GR_SIDE_UNKNOWN;
        }
        const GrVec3 p = furthest(v, gr_vec3(-s.nearest.x, 0, -s.nearest.z));
        const double least = across(p, s.nearest) / distance; // no point of the polyhedron is nearer than this
        if (least >= radius) {
            return GR_SIDE_APART;
        }
        if (distance - least <= NEAREST_TOLERANCE * size) {
            *nearest = s.nearest;
            return GR_SIDE_DEEP;
        }
        if (!take(&s, p)) {
            return GR_SIDE_UNKNOWN;
        }
    }
    return GR_SIDE_UNKNOWN;
}

/// Where an edge or a face is parallel to the axis, all its points are equally near. The one at the middle of the
/// cylinder gives the best bound.
static GrVec3 middle_of_edge(const View *v, GrVec3 nearest)
{
    const GrVec3 inward = gr_scale(-1 / sqrt(across(nearest, nearest)), gr_vec3(nearest.x, 0, nearest.z));
    const GrVec3 a = furthest(v, gr_vec3(inward.x, -TILT, inward.z)),
                 b = furthest(v, gr_vec3(inward.x, TILT, inward.z));
    const double length = b.y - a.y;
    return length > 0 ? gr_madd(a, fmin(1, fmax(0, -a.y / length)), gr_sub(b, a)) : nearest;
}

/// Lower bound of the depth of a point in the cylinder.
static double depth_of_point(const GrConvex *cylinder, GrVec3 q)
{
    return fmin(cylinder->radius - sqrt(across(q, q)), cylinder->half.y - fabs(q.y));
}

GrSideAnswer gr_cylinder_side(const GrPlacedConvex *cylinder, const GrPlacedConvex *other, GrPenetration *out)
{
    const GrConvex *c = cylinder->convex;
    const GrMat3 back = gr_mat3_transpose(&cylinder->rotation);
    const View v = {other->convex, gr_mat3_mul(&back, &other->rotation),
                    gr_mat3_mul_vec(&back, gr_sub(other->position, cylinder->position))};
    const double size = gr_convex_reach(c) + gr_convex_reach(v.other);
    GrVec3 q;
    const GrSideAnswer found = find_nearest(&v, c->radius, size, &q);
    if (found != GR_SIDE_DEEP) {
        return found;
    }
    const double distance = sqrt(across(q, q)), depth = c->radius - distance;
    const GrVec3 outward = gr_scale(1 / distance, gr_vec3(q.x, 0, q.z));
    if (depth_of_point(c, q) < depth - PROOF_TOLERANCE * size) {
        q = middle_of_edge(&v, q);
    }
    if (depth_of_point(c, q) < depth - PROOF_TOLERANCE * size) {
        const bool beyond = fabs(q.y) > c->half.y;
        const double side = copysign(1, q.y);
        return beyond && side * furthest(&v, gr_vec3(0, -side, 0)).y >= c->half.y ? GR_SIDE_APART : GR_SIDE_UNKNOWN;
    }
    const GrVec3 middle = gr_madd(q, depth / 2, outward);
    *out = (GrPenetration){depth, gr_mat3_mul_vec(&cylinder->rotation, outward),
                           gr_add(cylinder->position, gr_mat3_mul_vec(&cylinder->rotation, middle))};
    return GR_SIDE_DEEP;
}
