#include "convex_parts.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "elementary.h"
#include "list.h"
#include "out_of_memory.h"
#include "random.h"
#include "rule.h"
#include "vec3.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct GrCutTriangle {
    GrVec3 p[3]; ///< counter-clockwise seen from outside
    bool cap;    ///< from a cut, not from the surface
} GrCutTriangle;

/// Zero-initialise before use.
typedef struct GrCutMesh {
    GrCutTriangle *items;
    int count, capacity;
    bool failed; ///< out of memory; what was added since is missing
} GrCutMesh;

static inline double gr_coordinate(GrVec3 p, int axis)
{
    return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

static void cut_mesh_add(GrCutMesh *mesh, GrVec3 a, GrVec3 b, GrVec3 c, bool cap)
{
    if (mesh->count == mesh->capacity) {
        const int more = mesh->capacity > 0 ? 2 * mesh->capacity : 64;
        GrCutTriangle *items = gr_realloc(mesh->items, (size_t)more * sizeof *items);
        if (items == NULL) {
            mesh->failed = true;
            return;
        }
        mesh->items = items;
        mesh->capacity = more;
    }
    mesh->items[mesh->count++] = (GrCutTriangle){{a, b, c}, cap};
}

static void cut_mesh_free(GrCutMesh *mesh)
{
    gr_free(mesh->items);
    *mesh = (GrCutMesh){0};
}

/// Where an edge crosses the plane; the same bits for both triangles of the edge.
static GrVec3 crossing(GrVec3 a, GrVec3 b, int axis, double at)
{
    const bool swap = gr_coordinate(a, axis) > gr_coordinate(b, axis);
    const GrVec3 low = swap ? b : a, high = swap ? a : b;
    const double from = gr_coordinate(low, axis), to = gr_coordinate(high, axis);
    GrVec3 p = gr_madd(low, (at - from) / (to - from), gr_sub(high, low));
    *(axis == 0 ? &p.x : axis == 1 ? &p.y : &p.z) = at;
    return p;
}

/// A triangle of which one corner, `p[0]`, is on another side than the others: the corner's own side gets a triangle,
/// the other side a quadrangle, and both the cap of their common edge. A part without area, whose corners are all on
/// the plane, closes the surface but is none of it.
static void split_triangle(const GrVec3 *p, bool cap, int axis, double at, GrVec3 apex, GrCutMesh *own,
                           GrCutMesh *others)
{
    const GrVec3 q = crossing(p[0], p[1], axis, at), r = crossing(p[2], p[0], axis, at);
    const bool touches = gr_coordinate(p[0], axis) == at;
    const bool lies = gr_coordinate(p[1], axis) == at && gr_coordinate(p[2], axis) == at;
    cut_mesh_add(own, p[0], q, r, cap || touches);
    cut_mesh_add(own, r, q, apex, true);
    cut_mesh_add(others, q, p[1], p[2], cap || lies);
    cut_mesh_add(others, q, p[2], r, cap || lies);
    cut_mesh_add(others, q, r, apex, true);
}

/// A triangle in the plane whose outside is above it is surface of the lower side, where its reverse as a cap keeps the
/// sum; above it is a cap.
static void add_lying(const GrCutTriangle *t, GrCutMesh *below, GrCutMesh *above)
{
    cut_mesh_add(below, t->p[0], t->p[1], t->p[2], t->cap);
    cut_mesh_add(below, t->p[0], t->p[2], t->p[1], true);
    cut_mesh_add(above, t->p[0], t->p[1], t->p[2], true);
}

/// Cuts at the plane where coordinate `axis` (0 … 2) is `at`, into meshes that are emptied first.
static void cut_mesh_split(const GrCutMesh *mesh, int axis, double at, GrCutMesh *below, GrCutMesh *above)
{
    below->count = above->count = 0;
    GrVec3 apex = mesh->count > 0 ? mesh->items[0].p[0] : gr_vec3(0, 0, 0);
    *(axis == 0 ? &apex.x : axis == 1 ? &apex.y : &apex.z) = at;
    for (int i = 0; i < mesh->count; i++) {
        const GrCutTriangle *t = &mesh->items[i];
        bool up[3]; // corners on the plane count as above: a surface stays closed whatever lies in the plane
        int count = 0, on = 0;
        for (int k = 0; k < 3; k++) {
            up[k] = gr_coordinate(t->p[k], axis) >= at;
            on += gr_coordinate(t->p[k], axis) == at;
            count += up[k];
        }
        const GrVec3 normal = gr_cross(gr_sub(t->p[1], t->p[0]), gr_sub(t->p[2], t->p[0]));
        if (on == 3 && gr_coordinate(normal, axis) > 0) {
            add_lying(t, below, above);
            continue;
        }
        const bool cap = t->cap || gr_norm(normal) == 0; // a line is no surface
        if (count == 0 || count == 3) {
            cut_mesh_add(count == 3 ? above : below, t->p[0], t->p[1], t->p[2], cap);
            continue;
        }
        int alone = 0;
        while (up[alone] != (count == 1)) {
            alone++;
        }
        const GrVec3 turned[3] = {t->p[alone], t->p[(alone + 1) % 3], t->p[(alone + 2) % 3]};
        split_triangle(turned, cap, axis, at, apex, count == 1 ? above : below, count == 1 ? below : above);
    }
}

static double cut_mesh_volume(const GrCutMesh *mesh)
{
    const GrVec3 common = mesh->count > 0 ? mesh->items[0].p[0] : gr_vec3(0, 0, 0);
    double six = 0;
    for (int i = 0; i < mesh->count; i++) {
        const GrVec3 *p = mesh->items[i].p;
        six += gr_dot(gr_sub(p[0], common), gr_cross(gr_sub(p[1], common), gr_sub(p[2], common)));
    }
    return six / 6;
}

/// Whether the surface encloses a point: its winding number is above one half.
static bool cut_mesh_holds(const GrCutMesh *mesh, GrVec3 p)
{
    // Solid angle of a triangle: tan(Ω/2) = a·(b × c)/(abc + (a·b) c + (b·c) a + (c·a) b) (Van Oosterom & Strackee
    // 1983)
    double half = 0;
    for (int i = 0; i < mesh->count; i++) {
        const GrVec3 a = gr_sub(mesh->items[i].p[0], p), b = gr_sub(mesh->items[i].p[1], p),
                     c = gr_sub(mesh->items[i].p[2], p);
        const double la = gr_norm(a), lb = gr_norm(b), lc = gr_norm(c);
        half += gr_atan2(gr_dot(a, gr_cross(b, c)),
                         la * lb * lc + gr_dot(a, b) * lc + gr_dot(b, c) * la + gr_dot(c, a) * lb);
    }
    return half > GR_PI;
}

static double clamp_unit(double x)
{
    return fmin(1, fmax(0, x));
}

static double segment_distance(GrVec3 a, GrVec3 b, GrVec3 p)
{
    const GrVec3 ab = gr_sub(b, a), ap = gr_sub(p, a);
    const double square = gr_dot(ab, ab);
    return gr_norm(gr_madd(ap, square > 0 ? -clamp_unit(gr_dot(ap, ab) / square) : 0, ab));
}

/// Distance to the plane where the foot is in the triangle, else to the nearest edge.
static double triangle_distance(const GrVec3 *t, GrVec3 p)
{
    const GrVec3 normal = gr_cross(gr_sub(t[1], t[0]), gr_sub(t[2], t[0]));
    const double size = gr_norm(normal);
    bool over = size > 0;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        const GrVec3 a = t[k], b = t[(k + 1) % 3];
        over = over && gr_dot(gr_cross(gr_sub(b, a), gr_sub(p, a)), normal) >= 0;
        least = fmin(least, segment_distance(a, b, p));
    }
    return over ? fabs(gr_dot(gr_sub(p, t[0]), normal)) / size : least;
}

/// Distance to the nearest triangle that is not a cap; infinity if there is none.
static double cut_mesh_distance(const GrCutMesh *mesh, GrVec3 p)
{
    double least = INFINITY;
    for (int i = 0; i < mesh->count; i++) {
        if (!mesh->items[i].cap) {
            least = fmin(least, triangle_distance(mesh->items[i].p, p));
        }
    }
    return least;
}

// ---- parts

/// Cuts that are tried across each axis.
enum { CUTS = 8 };

/// Points in a part, and as many on its faces; fewer in parts of many triangles.
enum { SAMPLES = 256, SAMPLE_WORK = 20000000 };

/// Steps of the climb from the farthest of them; after CLIMB_HALF steps without gain they are half as long.
enum { CLIMB = 100, CLIMB_HALF = 8 };

/// What decides where cuts save the same volume, as a share of the piece's: a side that is done, then even sides (a
/// tube has no cut that saves any).
static const double UNDONE = 0.02, EVEN = 0.002;

/// Parts below this share of the object's volume are rounding.
static const double SLIVER = 1e-9;

typedef struct Piece {
    GrCutMesh mesh;
    GrVec3 lower, upper; ///< the cell
    GrConvexMesh *hull;
    double volume, hull_volume;
} Piece;

/// Working state for one object.
typedef struct Work {
    Piece *pieces;
    int count;
    double volume;
    GrVec3 *cloud; ///< of the hull that is being made
    int cloud_room;
    bool failed; ///< out of memory
} Work;

GrConvexPartsDef gr_default_convex_parts_def(void)
{
    return (GrConvexPartsDef){.most = 16, .error = 0.05};
}

static void piece_free(Piece *piece)
{
    cut_mesh_free(&piece->mesh);
    gr_convex_mesh_free(piece->hull);
    *piece = (Piece){0};
}

/// A corner of the cell is one of the part where the object fills the cell there: it is on no triangle. It is looked
/// for a little inside the cell.
static bool holds_corner(const Piece *piece, int k, GrVec3 *corner)
{
    const GrVec3 l = piece->lower, u = piece->upper;
    *corner = gr_vec3(k & 1 ? u.x : l.x, k & 2 ? u.y : l.y, k & 4 ? u.z : l.z);
    const GrVec3 middle = gr_scale(0.5, gr_add(l, u));
    return cut_mesh_holds(&piece->mesh, gr_madd(*corner, 1e-7, gr_sub(middle, *corner)));
}

static int by_place(const void *a, const void *b)
{
    const GrVec3 *p = a, *q = b;
    return p->x != q->x   ? (p->x > q->x) - (p->x < q->x)
           : p->y != q->y ? (p->y > q->y) - (p->y < q->y)
                          : (p->z > q->z) - (p->z < q->z);
}

/// Keeps one of equal points: every corner is that of several triangles. Returns how many are left.
static int drop_equal(GrVec3 *points, int count)
{
    int kept = 0;
    qsort(points, (size_t)count, sizeof *points, by_place);
    for (int i = 0; i < count; i++) {
        if (kept == 0 || by_place(&points[kept - 1], &points[i]) != 0) {
            points[kept++] = points[i];
        }
    }
    return kept;
}

/// Hull and volumes of a piece whose triangles and cell are known.
static void measure(Work *w, Piece *piece)
{
    const int most = 3 * piece->mesh.count + 8;
    if (most > w->cloud_room) {
        GrVec3 *cloud = gr_realloc(w->cloud, sizeof *cloud * (size_t)most);
        w->failed = w->failed || cloud == NULL;
        w->cloud = cloud != NULL ? cloud : w->cloud;
        w->cloud_room = cloud != NULL ? most : w->cloud_room;
    }
    w->failed = w->failed || piece->mesh.failed;
    piece->volume = cut_mesh_volume(&piece->mesh);
    piece->hull_volume = 0;
    if (w->failed || piece->volume <= SLIVER * w->volume) {
        return;
    }
    int count = 0;
    for (int i = 0; i < piece->mesh.count; i++) {
        for (int k = 0; k < 3 && !piece->mesh.items[i].cap; k++) {
            w->cloud[count++] = piece->mesh.items[i].p[k];
        }
    }
    for (int k = 0; k < 8; k++) {
        count += holds_corner(piece, k, &w->cloud[count]);
    }
    count = drop_equal(w->cloud, count);
    GrErrorLog quiet = {.quiet = true};
    piece->hull = gr_convex_mesh_create(w->cloud, count, &quiet);
    piece->hull_volume = piece->hull != NULL ? gr_convex_mesh_solid(piece->hull).volume : 0;
}

static Piece side_of(const Piece *whole, int axis, double at, bool above)
{
    Piece side = {.lower = whole->lower, .upper = whole->upper};
    GrVec3 *bound = above ? &side.lower : &side.upper;
    *(axis == 0 ? &bound->x : axis == 1 ? &bound->y : &bound->z) = at;
    return side;
}

/// Cuts a piece in two, with their hulls.
static void cut(Work *w, const Piece *whole, int axis, double at, Piece *below, Piece *above)
{
    *below = side_of(whole, axis, at, false);
    *above = side_of(whole, axis, at, true);
    cut_mesh_split(&whole->mesh, axis, at, &below->mesh, &above->mesh);
    measure(w, below);
    measure(w, above);
}

/// Where to try cuts across an axis: at the corners of the surface if there are few, as in machined parts, else evenly.
static int cuts_across(const Piece *piece, int axis, double *at)
{
    const double low = gr_coordinate(piece->lower, axis), high = gr_coordinate(piece->upper, axis);
    const double least = 1e-6 * (high - low);
    int count = 0;
    for (int i = 0; i < piece->mesh.count && count <= CUTS; i++) {
        for (int k = 0; k < 3 && !piece->mesh.items[i].cap && count <= CUTS; k++) {
            const double c = gr_coordinate(piece->mesh.items[i].p[k], axis);
            bool known = c <= low + least || c >= high - least;
            for (int j = 0; j < count && !known; j++) {
                known = fabs(at[j] - c) <= least;
            }
            if (!known) {
                at[count++] = c;
            }
        }
    }
    if (count <= CUTS && count > 0) {
        at[count++] = 0.5 * (low + high);
        return count;
    }
    for (int i = 0; i < CUTS; i++) {
        at[i] = low + (high - low) * (i + 1) / (CUTS + 1);
    }
    return CUTS;
}

static bool is_undone(const Work *w, const Piece *piece)
{
    return piece->hull_volume - piece->volume > SLIVER * w->volume;
}

/// The cut of a piece after which the hulls of both sides add least volume. False if none makes two parts.
static bool find_cut(Work *w, const Piece *piece, int *axis, double *at)
{
    bool found = false;
    double least = 0;
    *axis = 0;
    *at = 0;
    for (int a = 0; a < 3; a++) {
        double places[CUTS + 2];
        const int count = cuts_across(piece, a, places);
        for (int i = 0; i < count && !w->failed; i++) {
            Piece below, above;
            cut(w, piece, a, places[i], &below, &above);
            const double cost = below.hull_volume + above.hull_volume + EVEN * fabs(below.volume - above.volume) +
                                UNDONE * piece->volume * (is_undone(w, &below) + is_undone(w, &above));
            if (below.hull != NULL && above.hull != NULL && (!found || cost < least)) {
                found = true;
                least = cost;
                *axis = a;
                *at = places[i];
            }
            piece_free(&below);
            piece_free(&above);
        }
    }
    return found && !w->failed;
}

/// Replaces a piece by its two sides.
static void replace(Work *w, int index, int axis, double at)
{
    Piece below, above;
    cut(w, &w->pieces[index], axis, at, &below, &above);
    if (gr_list_add(&w->pieces, &w->count, &above, sizeof above) < 0) {
        piece_free(&below);
        piece_free(&above);
        w->failed = true;
        return;
    }
    piece_free(&w->pieces[index]);
    w->pieces[index] = below;
}

static double excess_of(const Work *w)
{
    double sum = 0;
    for (int i = 0; i < w->count; i++) {
        sum += w->pieces[i].hull_volume - w->pieces[i].volume;
    }
    return sum;
}

static void cut_object(Work *w, const GrConvexPartsDef *def)
{
    while (!w->failed && w->count < def->most && excess_of(w) > def->error * w->volume) {
        int worst = 0, axis;
        double most = 0, at;
        for (int i = 0; i < w->count; i++) {
            const double excess = w->pieces[i].hull_volume - w->pieces[i].volume;
            worst = excess > most ? i : worst;
            most = fmax(most, excess);
        }
        if (most <= SLIVER * w->volume || !find_cut(w, &w->pieces[worst], &axis, &at)) {
            return;
        }
        replace(w, worst, axis, at);
    }
}

// ---- the error

static bool in_hull(const GrConvexMesh *hull, GrVec3 p)
{
    bool inside = true;
    for (int f = 0; f < hull->face_count && inside; f++) {
        inside = gr_dot(hull->normals[f], p) <= hull->offsets[f];
    }
    return inside;
}

static GrVec3 on_face(const GrConvexMesh *hull, int f, GrRandom *random)
{
    const int *loop = hull->loops + hull->starts[f];
    const int fan = (int)gr_random_below(random, (uint64_t)(hull->starts[f + 1] - hull->starts[f] - 2));
    double u = gr_random_unit(random), v = gr_random_unit(random);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    const GrVec3 a = hull->vertices[loop[0]], b = hull->vertices[loop[fan + 1]], c = hull->vertices[loop[fan + 2]];
    return gr_madd(gr_madd(a, u, gr_sub(b, a)), v, gr_sub(c, a));
}

/// Distance of a point of a part from its object, by the triangles of the part alone: never too small. A point on a
/// face counts as in the object where the point a little further inside is.
static double distance_of(const Piece *piece, GrVec3 p)
{
    const GrVec3 inner = gr_madd(p, 1e-6, gr_sub(piece->hull->centre, p));
    return cut_mesh_holds(&piece->mesh, inner) ? 0 : cut_mesh_distance(&piece->mesh, p);
}

typedef struct Farthest {
    GrVec3 at;
    double distance;
} Farthest;

static void try_point(const Piece *piece, GrVec3 p, Farthest *best, GrConvexParts *out)
{
    const double distance = distance_of(piece, p);
    if (distance > best->distance) {
        *best = (Farthest){p, distance};
    }
    out->samples++;
}

/// Random steps uphill from the farthest sample.
static void climb(const Piece *piece, GrRandom *random, Farthest *best, GrConvexParts *out)
{
    double step = 0.25 * gr_norm(gr_sub(piece->hull->upper, piece->hull->lower));
    int idle = 0;
    for (int i = 0; i < CLIMB && best->distance > 0; i++) {
        const double before = best->distance;
        const GrVec3 way = gr_vec3(gr_random_uniform(random, -1, 1), gr_random_uniform(random, -1, 1),
                                   gr_random_uniform(random, -1, 1));
        const GrVec3 p = gr_madd(best->at, step, way);
        if (in_hull(piece->hull, p)) {
            try_point(piece, p, best, out);
        }
        idle = best->distance > before ? 0 : idle + 1;
        if (idle == CLIMB_HALF) {
            step *= 0.5;
            idle = 0;
        }
    }
}

static void measure_distance(const Piece *piece, GrConvexParts *out)
{
    const GrConvexMesh *hull = piece->hull;
    const int room = SAMPLE_WORK / piece->mesh.count, count = room < SAMPLES ? room : SAMPLES;
    GrRandom random = gr_random_stream(1, "convex parts");
    Farthest best = {.distance = 0};
    for (int i = 0; i < count; i++) {
        const GrVec3 p = gr_vec3(gr_random_uniform(&random, hull->lower.x, hull->upper.x),
                                 gr_random_uniform(&random, hull->lower.y, hull->upper.y),
                                 gr_random_uniform(&random, hull->lower.z, hull->upper.z));
        const GrVec3 q = on_face(hull, i % hull->face_count, &random);
        if (in_hull(hull, p)) {
            try_point(piece, p, &best, out);
        }
        try_point(piece, q, &best, out);
    }
    climb(piece, &random, &best, out);
    out->distance = fmax(out->distance, best.distance);
}

// ---- objects

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// The object of each triangle, counted from 0 in the order of the mesh. Returns how many there are, −1 when out of
/// memory.
static int find_objects(const GrSurfaceMesh *mesh, int *object)
{
    const int none = mesh->vertex_count;
    int *parent = gr_malloc(sizeof *parent * 2 * (size_t)(none + 1)), count = 0;
    if (parent == NULL) {
        return -1;
    }
    int *number = parent + none + 1;
    for (int i = 0; i < none; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 1; k < 3; k++) {
            parent[root_of(parent, mesh->triangles[i][k])] = root_of(parent, mesh->triangles[i][0]);
        }
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int root = root_of(parent, mesh->triangles[i][0]);
        number[root] = number[root] < 0 ? count++ : number[root];
        object[i] = number[root];
    }
    gr_free(parent);
    return count;
}

/// An edge between two corners, +1 from the lower to the higher one.
typedef struct Edge {
    int low, high, way;
} Edge;

static int by_corners(const void *a, const void *b)
{
    const Edge *p = a, *q = b;
    return p->low != q->low ? (p->low > q->low) - (p->low < q->low) : (p->high > q->high) - (p->high < q->high);
}

/// Edges that are not passed as often in one direction as in the other; −1: out of memory.
static int open_edges(const GrSurfaceMesh *mesh, const int *object, int which)
{
    Edge *edges = gr_malloc(sizeof *edges * (3 * (size_t)mesh->triangle_count + 1));
    if (edges == NULL) {
        return -1;
    }
    int count = 0, open = 0;
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3 && object[i] == which; k++) {
            const int a = mesh->triangles[i][k], b = mesh->triangles[i][(k + 1) % 3];
            edges[count++] = a < b ? (Edge){a, b, 1} : (Edge){b, a, -1};
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, by_corners);
    for (int i = 0; i < count;) {
        const Edge *first = &edges[i];
        int sum = 0;
        for (; i < count && by_corners(first, &edges[i]) == 0; i++) {
            sum += edges[i].way;
        }
        open += sum != 0;
    }
    gr_free(edges);
    return open;
}

/// Begins with the object as one piece.
static void begin(const GrSurfaceMesh *mesh, const int *object, int which, Work *w)
{
    Piece whole = {.lower = gr_vec3(INFINITY, INFINITY, INFINITY), .upper = gr_vec3(-INFINITY, -INFINITY, -INFINITY)};
    for (int i = 0; i < mesh->triangle_count; i++) {
        const int *t = mesh->triangles[i];
        for (int k = 0; k < 3 && object[i] == which; k++) {
            const GrVec3 p = mesh->vertices[t[k]];
            whole.lower = gr_vec3(fmin(whole.lower.x, p.x), fmin(whole.lower.y, p.y), fmin(whole.lower.z, p.z));
            whole.upper = gr_vec3(fmax(whole.upper.x, p.x), fmax(whole.upper.y, p.y), fmax(whole.upper.z, p.z));
        }
        if (object[i] == which) {
            cut_mesh_add(&whole.mesh, mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]], false);
        }
    }
    w->volume = cut_mesh_volume(&whole.mesh);
    measure(w, &whole);
    if (gr_list_add(&w->pieces, &w->count, &whole, sizeof whole) < 0) {
        piece_free(&whole);
        w->failed = true;
    }
}

/// Moves the hulls of an object over to the result.
static void hand_over(Work *w, int which, GrConvexParts *out)
{
    for (int i = 0; i < w->count && !w->failed; i++) {
        Piece *piece = &w->pieces[i];
        if (piece->hull == NULL) {
            continue;
        }
        measure_distance(piece, out);
        const GrConvexPart part = {piece->hull, which};
        w->failed = gr_list_add(&out->parts, &out->count, &part, sizeof part) < 0;
        piece->hull = w->failed ? piece->hull : NULL;
        out->hulls += piece->hull_volume;
    }
    out->volume += w->volume;
    out->worst = fmax(out->worst, excess_of(w) / w->volume);
}

static GrStatus make_object(const GrSurfaceMesh *mesh, const int *object, int which, const GrConvexPartsDef *def,
                            GrConvexParts *out, GrErrorLog *log)
{
    Work w = {0};
    const int open = open_edges(mesh, object, which);
    begin(mesh, object, which, &w);
    GrStatus status = open < 0 || w.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    if (status == GR_OK && (open > 0 || w.pieces[0].hull == NULL)) {
        status = gr_error_add(
            log, GR_ERROR_VALUE, (GrLocation){0},
            open > 0       ? "object %d of the mesh is not closed: %d of its edges have one triangle only"
            : w.volume < 0 ? "object %d of the mesh is inside out: its faces must be counter-clockwise from outside"
                           : "object %d of the mesh encloses no volume",
            which + 1, open);
    }
    if (status == GR_OK) {
        cut_object(&w, def);
        hand_over(&w, which, out);
        status = w.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    }
    for (int i = 0; i < w.count; i++) {
        piece_free(&w.pieces[i]);
    }
    gr_free(w.pieces);
    gr_free(w.cloud);
    return status;
}

GrStatus gr_convex_parts_make(const GrSurfaceMesh *mesh, const GrConvexPartsDef *def, GrConvexParts *out,
                              GrErrorLog *log)
{
    *out = (GrConvexParts){0};
    const GrRule rules[] = {{"pieces", "1 to 1000", def->most >= 1 && def->most <= 1000},
                            {"error", "0 to 1", def->error >= 0 && def->error <= 1},
                            {"mesh", "of at least one triangle", mesh->triangle_count > 0}};
    if (gr_rules_check(rules, sizeof rules / sizeof rules[0], log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    int *object = gr_malloc(sizeof *object * (size_t)mesh->triangle_count);
    out->objects = object != NULL ? find_objects(mesh, object) : -1;
    GrStatus status = out->objects < 0 ? gr_out_of_memory(log, NULL) : GR_OK;
    for (int i = 0; i < out->objects && status == GR_OK; i++) {
        status = make_object(mesh, object, i, def, out, log);
    }
    gr_free(object);
    if (status != GR_OK) {
        gr_convex_parts_free(out);
    }
    return status;
}

void gr_convex_parts_free(GrConvexParts *parts)
{
    for (int i = 0; i < parts->count; i++) {
        gr_convex_mesh_free(parts->parts[i].hull);
    }
    gr_free(parts->parts);
    *parts = (GrConvexParts){0};
}
