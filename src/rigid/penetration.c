/// The Minkowski difference a − b of overlapping shapes contains the origin; the depth is the distance from the origin
/// to its surface. A tetrahedron inside the difference grows towards the origin's nearest face, one support point at a
/// time (expanding polytope, van den Bergen 2001). Distances are signed, so that the initial tetrahedron need not
/// contain the origin: a face with the origin outside is simply the nearest one. MPR alone follows the ray between the
/// centres and gives a depth that is not the least one.
#include "penetration.h"

#include <ccd/ccd.h>
#include <stdint.h>

// ---- Projected along its axis the cylinder is a disc and the polyhedron a polygon. Let q be the polygon's point
// nearest to the axis, at distance ρ. Moving the polyhedron outward by R − ρ separates them, so the depth is at most
// that. No shorter translation takes the point q itself out of the cylinder, except through a cap, so the depth is at
// least min(R − ρ, H − |q_y|). Where both bounds agree, the depth is proved without examining any other direction.
//
// The nearest point comes from the distance algorithm of Gilbert, Johnson & Keerthi (1988) in the plane.

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

// ---- penetration

enum { MAX_VERTICES = 160, MAX_FACES = 2 * MAX_VERTICES, MPR_ITERATIONS = 64 };

/// Growth by less than this, relative to the size of the shapes, ends the search; for round shapes it would never end.
static const double FLAT_TOLERANCE = 1e-11, ROUND_TOLERANCE = 1e-8;

typedef struct Vertex {
    GrVec3 p; ///< on the difference
    GrVec3 a; ///< the point of shape a that it came from
} Vertex;

typedef struct Face {
    int v[3];
    GrVec3 normal;
    bool alive;
} Face;

typedef struct Polytope {
    const GrPlacedConvex *a, *b;
    Vertex vertices[MAX_VERTICES];
    Face faces[MAX_FACES];
    double distance[MAX_FACES]; ///< of the origin from the face's plane, positive inside; INFINITY: no face, no plane
    uint16_t edge[MAX_VERTICES][MAX_VERTICES]; ///< face on the left of the directed edge i → j
    int free_faces[MAX_FACES];
    int vertex_count, face_count, free_count;
    double size, tolerance;
} Polytope;

static Vertex support(const Polytope *p, GrVec3 direction)
{
    const GrVec3 a = gr_placed_support(p->a, direction);
    return (Vertex){gr_sub(a, gr_placed_support(p->b, gr_neg(direction))), a};
}

/// A face without area has no plane; it is kept for its edges, but is never nearest nor visible.
static void add_face(Polytope *p, int i, int j, int k)
{
    const int at = p->free_count > 0 ? p->free_faces[--p->free_count] : p->face_count++;
    const GrVec3 a = p->vertices[i].p, b = p->vertices[j].p, c = p->vertices[k].p;
    const GrVec3 n = gr_cross(gr_sub(b, a), gr_sub(c, a));
    const double area = gr_norm(n);
    Face *f = &p->faces[at];
    *f = (Face){.v = {i, j, k}, .alive = true};
    p->distance[at] = INFINITY;
    if (area > 1e-14 * p->size * p->size) {
        f->normal = gr_scale(1 / area, n);
        p->distance[at] = gr_dot(f->normal, a);
    }
    p->edge[i][j] = p->edge[j][k] = p->edge[k][i] = (uint16_t)at;
}

static void remove_face(Polytope *p, int face)
{
    p->faces[face].alive = false;
    p->distance[face] = INFINITY;
    p->free_faces[p->free_count++] = face;
}

static GrVec3 any_perpendicular(GrVec3 n)
{
    return gr_normalize(gr_cross(n, fabs(n.x) < 0.6 ? gr_vec3(1, 0, 0) : gr_vec3(0, 1, 0)));
}

/// The support point on the side of a line or plane that is farther from it.
static Vertex further(const Polytope *p, GrVec3 direction, GrVec3 from)
{
    const Vertex u = support(p, direction), v = support(p, gr_neg(direction));
    const double up = gr_dot(gr_sub(u.p, from), direction), down = -gr_dot(gr_sub(v.p, from), direction);
    return up >= down ? u : v;
}

static bool make_tetrahedron(Polytope *p, GrVec3 guess)
{
    Vertex *v = p->vertices;
    v[0] = support(p, guess);
    v[1] = support(p, gr_neg(guess));
    const GrVec3 line = gr_normalize(gr_sub(v[1].p, v[0].p));
    v[2] = further(p, any_perpendicular(line), v[0].p);
    GrVec3 n = gr_cross(line, gr_sub(v[2].p, v[0].p));
    if (gr_norm(n) < 1e-9 * p->size) { // degenerate in that direction; the other one is not
        v[2] = further(p, gr_cross(line, any_perpendicular(line)), v[0].p);
        n = gr_cross(line, gr_sub(v[2].p, v[0].p));
    }
    n = gr_normalize(n);
    v[3] = further(p, n, v[0].p);
    const double height = gr_dot(gr_sub(v[3].p, v[0].p), n);
    p->vertex_count = 4;
    if (!(fabs(height) > 1e-12 * p->size)) {
        return false;
    }
    const int i = height < 0 ? 1 : 2, j = height < 0 ? 2 : 1; // faces outward
    add_face(p, 0, i, j);
    add_face(p, 0, j, 3);
    add_face(p, j, i, 3);
    add_face(p, i, 0, 3);
    return true;
}

static int nearest_face(const Polytope *p)
{
    int best = -1;
    double least = INFINITY;
    for (int f = 0; f < p->face_count; f++) {
        if (p->distance[f] < least) {
            least = p->distance[f];
            best = f;
        }
    }
    return best;
}

static bool in_sight(const Polytope *p, int face, GrVec3 from)
{
    return gr_dot(p->faces[face].normal, from) - p->distance[face] > p->tolerance; // never for a face without a plane
}

/// Replaces all faces visible from the new vertex by a fan from it to their border. False when out of memory.
static bool grow(Polytope *p, int face, Vertex vertex)
{
    int stack[MAX_FACES], border[MAX_FACES][2];
    int depth = 0, border_count = 0;
    if (p->vertex_count == MAX_VERTICES) {
        return false;
    }
    stack[depth++] = face;
    remove_face(p, face);
    while (depth > 0) {
        const Face f = p->faces[stack[--depth]];
        for (int e = 0; e < 3; e++) {
            const int i = f.v[e], j = f.v[(e + 1) % 3], other = p->edge[j][i];
            if (!p->faces[other].alive) {
                continue;
            }
            if (in_sight(p, other, vertex.p)) {
                remove_face(p, other);
                stack[depth++] = other;
            }
        }
    }
    // The border: edges of removed faces whose other face remains. Removed faces are the tail of the free list.
    for (int k = 0; k < p->free_count; k++) {
        const Face *f = &p->faces[p->free_faces[k]];
        for (int e = 0; e < 3 && f->v[0] >= 0; e++) {
            const int i = f->v[e], j = f->v[(e + 1) % 3];
            if (p->faces[p->edge[j][i]].alive) {
                border[border_count][0] = i;
                border[border_count++][1] = j;
            }
        }
    }
    for (int k = 0; k < p->free_count; k++) {
        p->faces[p->free_faces[k]].v[0] = -1; // no longer part of any border
    }
    const int at = p->vertex_count++;
    p->vertices[at] = vertex;
    for (int k = 0; k < border_count; k++) {
        if (p->free_count == 0 && p->face_count == MAX_FACES) {
            return false;
        }
        add_face(p, border[k][0], border[k][1], at);
    }
    return true;
}

/// Weights of the face's corners at the foot of the origin give the point of a; the midpoint is half the depth back.
static GrPenetration result(const Polytope *p, int face, double depth)
{
    const Face *f = &p->faces[face];
    const Vertex *v[3] = {&p->vertices[f->v[0]], &p->vertices[f->v[1]], &p->vertices[f->v[2]]};
    const GrVec3 foot = gr_scale(p->distance[face], f->normal);
    double weight[3], sum = 0;
    for (int i = 0; i < 3; i++) {
        const GrVec3 b = gr_sub(v[(i + 1) % 3]->p, foot), c = gr_sub(v[(i + 2) % 3]->p, foot);
        weight[i] = fmax(0, gr_dot(gr_cross(b, c), f->normal));
        sum += weight[i];
    }
    GrVec3 point = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        point = gr_madd(point, sum > 0 ? weight[i] / sum : 1.0 / 3, v[i]->a);
    }
    return (GrPenetration){depth, f->normal, gr_madd(point, -depth / 2, f->normal)};
}

/// Minimises h(n) = n·w(n), with gradient w − h n, from a face that could not be refined any further. A whole ring of
/// directions is nearly as good there (a corner on the axis of a cylinder), and the polytope has no room to follow it.
static GrPenetration descend(const Polytope *p, GrPenetration from)
{
    enum { STEPS = 40 };
    Vertex w = support(p, from.normal);
    double length = 1;
    for (int i = 0; i < STEPS; i++) {
        const GrVec3 slope = gr_madd(w.p, -from.depth, from.normal);
        const GrVec3 n = gr_normalize(gr_madd(from.normal, -length / from.depth, slope));
        const Vertex next = support(p, n);
        const double depth = gr_dot(n, next.p);
        if (depth < from.depth && depth > 0) {
            w = next;
            from = (GrPenetration){depth, n, gr_madd(w.a, -depth / 2, n)};
            length *= 1.5;
        } else {
            length *= 0.5;
        }
    }
    return from;
}

static bool expand(Polytope *p, const GrPlacedConvex *a, const GrPlacedConvex *b, GrVec3 guess, GrPenetration *out)
{
    const bool is_round = a->convex->kind == GR_CONVEX_CYLINDER || b->convex->kind == GR_CONVEX_CYLINDER;
    p->a = a;
    p->b = b;
    p->vertex_count = p->face_count = p->free_count = 0;
    p->size = gr_convex_reach(a->convex) + gr_convex_reach(b->convex);
    p->tolerance = p->size * (is_round ? ROUND_TOLERANCE : FLAT_TOLERANCE);
    if (!make_tetrahedron(p, guess)) {
        return false;
    }
    // Every support point bounds the depth from above and, once the polytope contains the origin, every nearest face
    // from below. A face nearer than an earlier one then means that slivers have degraded the polytope; the best upper
    // bound is used.
    double below = -INFINITY;
    out->depth = INFINITY;
    for (;;) {
        const int at = nearest_face(p);
        if (at < 0 || (below >= 0 && p->distance[at] < below - p->tolerance)) {
            break;
        }
        const Vertex v = support(p, p->faces[at].normal);
        const double reach = gr_dot(p->faces[at].normal, v.p);
        below = p->distance[at];
        if (reach <= 0) {
            return false; // a separating plane
        }
        if (reach < out->depth) {
            *out = result(p, at, reach);
        }
        if (reach - below <= p->tolerance) {
            return true;
        }
        if (!grow(p, at, v)) {
            break;
        }
    }
    if (isfinite(out->depth)) {
        *out = descend(p, *out);
    }
    return isfinite(out->depth);
}

static void ccd_support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const GrVec3 d = {direction->v[0], direction->v[1], direction->v[2]};
    const GrVec3 p = gr_placed_support(object, d);
    ccdVec3Set(out, p.x, p.y, p.z);
}

static void ccd_centre(const void *object, ccd_vec3_t *out)
{
    const GrVec3 p = gr_placed_centre(object);
    ccdVec3Set(out, p.x, p.y, p.z);
}

static bool mpr_overlap(const GrPlacedConvex *a, const GrPlacedConvex *b)
{
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = ccd_support;
    ccd.center1 = ccd.center2 = ccd_centre;
    ccd.max_iterations = MPR_ITERATIONS;
    ccd.mpr_tolerance = 1e-6;
    return ccdMPRIntersect(a, b, &ccd);
}

static bool is_polyhedron(const GrPlacedConvex *p)
{
    return p->convex->kind == GR_CONVEX_CUBOID || p->convex->kind == GR_CONVEX_MESH;
}

/// A cylinder and a polyhedron, whichever is a.
static GrSideAnswer in_side(const GrPlacedConvex *a, const GrPlacedConvex *b, GrPenetration *out)
{
    if (a->convex->kind == GR_CONVEX_CYLINDER && is_polyhedron(b)) {
        return gr_cylinder_side(a, b, out);
    }
    if (b->convex->kind == GR_CONVEX_CYLINDER && is_polyhedron(a)) {
        const GrSideAnswer answer = gr_cylinder_side(b, a, out);
        out->normal = gr_neg(out->normal);
        return answer;
    }
    return GR_SIDE_UNKNOWN;
}

bool gr_penetration(const GrPlacedConvex *a, const GrPlacedConvex *b, bool likely, GrPenetration *out)
{
    const GrSideAnswer answer = in_side(a, b, out);
    if (answer != GR_SIDE_UNKNOWN) {
        return answer == GR_SIDE_DEEP;
    }
    // Relative to a's position, so that no digits are lost far from the origin of the map.
    const GrPlacedConvex near_a = {a->convex, a->rotation, {0, 0, 0}};
    const GrPlacedConvex near_b = {b->convex, b->rotation, gr_sub(b->position, a->position)};
    if (!likely && !mpr_overlap(&near_a, &near_b)) {
        return false;
    }
    const GrVec3 apart = gr_sub(gr_placed_centre(&near_b), gr_placed_centre(&near_a));
    const GrVec3 guess = gr_norm(apart) > 0 ? gr_normalize(apart) : gr_vec3(0, 0, 1);
    Polytope p;
    if (!expand(&p, &near_a, &near_b, guess, out)) {
        return false;
    }
    out->point = gr_add(out->point, a->position);
    return true;
}
