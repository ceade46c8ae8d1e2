/// Prepares the surface of a wheel: checks that it is closed, counts its grousers, cuts it into pieces and leaves out
/// those inside the wheel, as the feet of grousers in a rim.
#include "rft_surface.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIANGLES_MAX = 20000,
    PIECES_MAX = 400000,
    DIRECTIONS = 1440, ///< in which the profile of the middle plane is looked up
    SQUARES = 64,      ///< of a grid over the wheel, in each direction
};

static const double FINENESS = 1.0 / 10; ///< longest edge of a piece, over the radius
static const double ACROSS = 1.0 / 3; ///< weight of the axle's direction in that length: motion varies least along it
static const double FOOT = 1.0 / 3;   ///< the same of pieces where a grouser stands on the rim, over that length
static const double CLOSED = 1e-4;    ///< sum of the area vectors of a closed surface, over its area
static const double LEAST_HEIGHT = 0.01; ///< of grousers, over the radius
static const double TIP = 0.95;          ///< what is higher, over the height of the grousers, belongs to their tips
static const double SIDE = 0.7;          ///< |n_y| of side walls
static const double WALL = 2;            ///< longest edge of a piece of them, over that of other pieces

typedef const GrVec3 (*Triangles)[3];

GrWetted gr_wetted(const double depth[3])
{
    double d[3] = {depth[0], depth[1], depth[2]}; // from the deepest up
    for (int i = 0; i < 3; i++) {
        const int a = i == 1 ? 1 : 0, b = a + 1;
        const double high = fmax(d[a], d[b]), low = fmin(d[a], d[b]);
        d[a] = high;
        d[b] = low;
    }
    const double mean = (d[0] + d[1] + d[2]) / 3;
    if (!(d[0] > 0)) {
        return (GrWetted){0, 0, 0};
    }
    if (d[2] >= 0) {
        return (GrWetted){mean, 1, 0};
    }
    if (d[1] <= 0) { // one corner: similar triangles
        const double k = 1 / ((d[0] - d[1]) * (d[0] - d[2])), share = k * d[0] * d[0];
        return (GrWetted){share * d[0] / 3, share, 2 * k * d[0]};
    }
    const double k = 1 / ((d[0] - d[2]) * (d[1] - d[2])), dry = k * d[2] * d[2];
    return (GrWetted){mean - dry * d[2] / 3, 1 - dry, -2 * k * d[2]};
}

/// Area vector of a triangle, twice.
static GrVec3 area_of(const GrVec3 t[3])
{
    return gr_cross(gr_sub(t[1], t[0]), gr_sub(t[2], t[0]));
}

/// Where the ray from `from` along `way` meets a triangle: distance in lengths of `way`, and 1 where it leaves the
/// solid or −1 where it enters it; 0: it does not meet it (Möller & Trumbore 1997).
static int meet(const GrVec3 t[3], GrVec3 from, GrVec3 way, double *distance)
{
    const GrVec3 ab = gr_sub(t[1], t[0]), ac = gr_sub(t[2], t[0]), p = gr_cross(way, ac), s = gr_sub(from, t[0]);
    const double det = gr_dot(ab, p), side = det < 0 ? -1 : 1, size = fabs(det), u = side * gr_dot(s, p);
    if (!(u >= 0 && u <= size && size > 0)) {
        return 0;
    }
    const GrVec3 q = gr_cross(s, ab);
    const double v = side * gr_dot(way, q);
    *distance = side * gr_dot(ac, q) / size;
    return v >= 0 && u + v <= size && *distance > 0 ? (det < 0 ? 1 : -1) : 0;
}

/// The triangles, and which of them a ray along LEFT may meet: seen along it, they are listed by the squares of a grid.
typedef struct Solid {
    Triangles triangles;
    int count;
    double low, per; ///< lower corner of the grid, the same in both directions [m], and 1/(side of a square) [1/m]
    int *first;      ///< [SQUARES² + 1] of each square's list
    int *items;
} Solid;

/// Direction of the rays: about the axle's, a little aside: along edges of a regular mesh they would count twice or not
/// at all.
static const GrVec3 LEFT = {0.0137, 1, -0.0191};

/// Range of squares along one direction.
static void range_of(const Solid *s, double a, double b, double c, int *from, int *to)
{
    const double low = (fmin(fmin(a, b), c) - s->low) * s->per, high = (fmax(fmax(a, b), c) - s->low) * s->per;
    *from = low > 0 ? (int)fmin(low, SQUARES - 1) : 0;
    *to = high > 0 ? (int)fmin(high, SQUARES - 1) : 0;
}

/// Coordinates of a point seen along LEFT.
static double seen_x(GrVec3 p)
{
    return p.x - LEFT.x * p.y;
}
static double seen_z(GrVec3 p)
{
    return p.z - LEFT.z * p.y;
}

/// Adds the triangles to the lists, or only counts them.
static void list_triangles(const Solid *s, int *counts, int *items)
{
    for (int i = 0; i < s->count; i++) {
        const GrVec3 *t = s->triangles[i];
        int x[2], z[2];
        range_of(s, seen_x(t[0]), seen_x(t[1]), seen_x(t[2]), &x[0], &x[1]);
        range_of(s, seen_z(t[0]), seen_z(t[1]), seen_z(t[2]), &z[0], &z[1]);
        for (int j = z[0]; j <= z[1]; j++) {
            for (int k = x[0]; k <= x[1]; k++) {
                int *count = &counts[j * SQUARES + k];
                if (items != NULL) {
                    items[*count] = i;
                }
                (*count)++;
            }
        }
    }
}

static void free_solid(Solid *s)
{
    gr_free(s->first);
    gr_free(s->items);
}

static bool make_solid(Triangles triangles, int count, double size, Solid *s)
{
    enum { ALL = SQUARES * SQUARES };
    *s = (Solid){.triangles = triangles, .count = count, .low = -size, .per = SQUARES / (2 * size)};
    s->first = gr_calloc(ALL + 1, sizeof *s->first);
    if (s->first == NULL) {
        return false;
    }
    list_triangles(s, s->first + 1, NULL);
    for (int i = 0; i < ALL; i++) {
        s->first[i + 1] += s->first[i];
    }
    s->items = gr_malloc(sizeof *s->items * (size_t)(s->first[ALL] + 1));
    int *next = gr_malloc(sizeof *next * ALL);
    const bool good = s->items != NULL && next != NULL;
    if (good) {
        memcpy(next, s->first, sizeof *next * ALL);
        list_triangles(s, next, s->items);
    }
    gr_free(next);
    return good;
}

/// How many of the closed surfaces enclose p.
static int enclosing(const Solid *s, GrVec3 p)
{
    int x[2], z[2], sum = 0;
    double distance;
    range_of(s, seen_x(p), seen_x(p), seen_x(p), &x[0], &x[1]);
    range_of(s, seen_z(p), seen_z(p), seen_z(p), &z[0], &z[1]);
    const int square = z[0] * SQUARES + x[0];
    for (int i = s->first[square]; i < s->first[square + 1]; i++) {
        sum += meet(s->triangles[s->items[i]], p, LEFT, &distance);
    }
    return sum;
}

/// Radii of the profile in the middle plane, and how many grousers there are in it.
static void measure_profile(Triangles triangles, int count, GrWheelSurface *s)
{
    double profile[DIRECTIONS] = {0};
    GrVec3 way[DIRECTIONS];
    // A little beside the middle and not at round angles, where edges of triangles are.
    const double y = 0.0137 * s->width;
    s->inner = (double)INFINITY;
    for (int k = 0; k < DIRECTIONS; k++) {
        const double angle = (k + 0.37) * 2 * GR_PI / DIRECTIONS;
        way[k] = gr_vec3(gr_sin(angle), 0, -gr_cos(angle));
    }
    for (int i = 0; i < count; i++) {
        const GrVec3 *t = triangles[i];
        double at;
        if (fmin(fmin(t[0].y, t[1].y), t[2].y) > y || fmax(fmax(t[0].y, t[1].y), t[2].y) < y) {
            continue;
        }
        for (int k = 0; k < DIRECTIONS; k++) {
            profile[k] = meet(t, gr_vec3(0, y, 0), way[k], &at) > 0 ? fmax(profile[k], at) : profile[k];
        }
    }
    for (int k = 0; k < DIRECTIONS; k++) {
        s->inner = fmin(s->inner, profile[k]);
    }
    if (s->outer - s->inner < LEAST_HEIGHT * s->outer) {
        s->inner = s->outer;
        return;
    }
    const double half = 0.5 * (s->inner + s->outer);
    for (int k = 0; k < DIRECTIONS; k++) {
        const bool tip = profile[k] > half, before = profile[(k + DIRECTIONS - 1) % DIRECTIONS] > half;
        s->tipped += tip ? 1.0 / DIRECTIONS : 0;
        s->grousers += tip && !before;
    }
}

static GrStatus fail(GrErrorLog *log, const char *text, double found)
{
    return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "surface"}, text, found);
}

/// Size and grousers; refuses what is not a wheel.
static GrStatus measure(Triangles triangles, int count, GrWheelSurface *s, GrErrorLog *log)
{
    GrVec3 sum = {0};
    double area = 0, volume = 0, low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < count; i++) {
        const GrVec3 a = area_of(triangles[i]);
        sum = gr_add(sum, a);
        area += gr_norm(a);
        volume += gr_dot(a, triangles[i][0]) / 6;
        for (int k = 0; k < 3; k++) {
            const GrVec3 v = triangles[i][k];
            s->outer = fmax(s->outer, sqrt(v.x * v.x + v.z * v.z));
            low = fmin(low, v.y);
            high = fmax(high, v.y);
        }
    }
    if (!(isfinite(area) && area > 0 && gr_norm(sum) <= CLOSED * area)) {
        return fail(log, "not closed: its area vectors add up to %g of its area, and to 0 on a closed surface",
                    gr_norm(sum) / area);
    }
    if (!(volume > 0)) {
        return fail(log, "it encloses %g m³: its triangles must be counter-clockwise seen from outside", volume);
    }
    s->width = high - low;
    if (!(fabs(high + low) < 0.02 * s->width)) {
        return fail(log, "the origin must be the wheel's centre and y its axle; the middle is at y = %g m",
                    0.5 * (high + low));
    }
    measure_profile(triangles, count, s);
    if (!(s->inner > 0.7 * s->outer)) {
        return fail(log, "the rim must be round: at one angle it is only %g of the largest radius from the axle",
                    s->inner / s->outer);
    }
    return GR_OK;
}

static bool grow(GrWheelSurface *s)
{
    const int capacity = s->capacity > 0 ? 2 * s->capacity : 1024;
    GrSurfacePiece *pieces = gr_realloc(s->pieces, sizeof *pieces * (size_t)capacity);
    if (pieces == NULL) {
        return false;
    }
    s->pieces = pieces;
    s->capacity = capacity;
    return true;
}

/// Adds a triangle as a piece, unless it has no area or is inside the wheel.
static GrStatus add_piece(const Solid *solid, const GrVec3 t[3], GrWheelSurface *s, GrErrorLog *log)
{
    const GrVec3 twice = area_of(t), middle = gr_scale(1.0 / 3, gr_add(gr_add(t[0], t[1]), t[2]));
    const double size = gr_norm(twice), above = 1e-4 * s->outer;
    if (!(size > 1e-12 * s->outer * s->outer)) {
        return GR_OK;
    }
    const GrVec3 n = gr_scale(1 / size, twice);
    if (enclosing(solid, gr_madd(middle, above, n)) > 0) {
        return GR_OK;
    }
    if (s->count == PIECES_MAX) {
        return fail(log, "more than %g pieces: parts of it are too large beside its radius", PIECES_MAX);
    }
    if (s->count == s->capacity && !grow(s)) {
        return gr_out_of_memory(log, NULL);
    }
    const double radius = sqrt(middle.x * middle.x + middle.z * middle.z), angle = gr_atan2(middle.x, -middle.z);
    GrSurfacePiece *p = &s->pieces[s->count++];
    *p = (GrSurfacePiece){.corner = {t[0], t[1], t[2]}, .middle = middle, .normal = n, .area = 0.5 * size};
    p->angle = angle < 0 ? angle + 2 * GR_PI : angle;
    for (int k = 0; k < 3; k++) {
        p->reach = fmax(p->reach, gr_norm(gr_sub(t[k], middle)));
    }
    p->recessed = s->grousers > 0 && fabs(n.y) < SIDE && radius < s->inner + TIP * (s->outer - s->inner);
    return GR_OK;
}

/// Whether a triangle of a grouser's flank may be partly inside the rim, where it stands on it. The rim may be a
/// polygon with its corners a little further out than `inner`.
static bool stands_in_rim(const GrVec3 t[3], const GrWheelSurface *s)
{
    const GrVec3 middle = gr_scale(1.0 / 3, gr_add(gr_add(t[0], t[1]), t[2])), twice = area_of(t);
    const double radius = sqrt(middle.x * middle.x + middle.z * middle.z), corner = 0.01 * s->inner;
    const double outward = (twice.x * middle.x + twice.z * middle.z) / (radius + 1e-300);
    double least = (double)INFINITY, most = 0;
    for (int k = 0; k < 3; k++) {
        const double r = sqrt(t[k].x * t[k].x + t[k].z * t[k].z);
        least = fmin(least, r);
        most = fmax(most, r);
    }
    return s->grousers > 0 && least < s->inner + corner && most > s->inner && fabs(outward) < SIDE * gr_norm(twice) &&
           fabs(twice.y) < SIDE * gr_norm(twice);
}

/// Length of an edge, where along the axle less counts.
static double length_of(GrVec3 edge)
{
    return gr_norm(gr_vec3(edge.x, ACROSS * edge.y, edge.z));
}

/// Longest edge of the pieces of a triangle [m].
static double fineness(const GrVec3 t[3], const GrWheelSurface *s)
{
    const GrVec3 twice = area_of(t);
    const bool wall = fabs(twice.y) > SIDE * gr_norm(twice);
    return FINENESS * s->outer * (wall ? WALL : stands_in_rim(t, s) ? FOOT : 1);
}

/// Working state of the cutter.
typedef struct Cutting {
    Solid solid;
    GrWheelSurface *surface;
    GrErrorLog *log;
    GrStatus status;
} Cutting;

static double longest_of(const void *context, const GrVec3 t[3])
{
    const Cutting *c = context;
    return fineness(t, c->surface);
}

static bool take_piece(void *context, const GrVec3 t[3])
{
    Cutting *c = context;
    c->status = add_piece(&c->solid, t, c->surface, c->log);
    return c->status == GR_OK;
}

static GrStatus cut_all(Triangles triangles, int count, GrWheelSurface *s, GrErrorLog *log)
{
    Cutting cutting = {.surface = s, .log = log, .status = GR_OK};
    const GrTriangleCutter cutter = {&cutting, length_of, longest_of, take_piece};
    const double size = s->outer + s->width * fmax(fabs(LEFT.x), fabs(LEFT.z));
    if (!make_solid(triangles, count, size, &cutting.solid)) {
        cutting.status = gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count && cutting.status == GR_OK; i++) {
        gr_triangle_cut(&cutter, triangles[i]);
    }
    free_solid(&cutting.solid);
    return cutting.status;
}

/// By angle, then by place, so that the order does not depend on the sort.
static int by_angle(const void *a, const void *b)
{
    const GrSurfacePiece *p = a, *q = b;
    const double one[4] = {p->angle, p->middle.y, p->middle.x, p->normal.x};
    const double two[4] = {q->angle, q->middle.y, q->middle.x, q->normal.x};
    for (int i = 0; i < 4; i++) {
        if (one[i] != two[i]) {
            return one[i] < two[i] ? -1 : 1;
        }
    }
    return 0;
}

int gr_wheel_surface_from(const GrWheelSurface *surface, double angle)
{
    const double turns = angle / (2 * GR_PI), at = (turns - floor(turns)) * 2 * GR_PI;
    int low = 0, high = surface->count;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (surface->pieces[middle].angle < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

GrStatus gr_wheel_surface_create(const GrVec3 (*triangles)[3], int count, GrWheelSurface **out, GrErrorLog *log)
{
    *out = NULL;
    if (count < 4 || count > TRIANGLES_MAX) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "surface"},
                            "found %d triangles, allowed: 4 to %d", count, TRIANGLES_MAX);
    }
    GrWheelSurface *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    atomic_init(&s->users, 1);
    GrStatus status = measure(triangles, count, s, log);
    if (status == GR_OK) {
        status = cut_all(triangles, count, s, log);
    }
    if (status != GR_OK) {
        gr_wheel_surface_free(s);
        return status;
    }
    qsort(s->pieces, (size_t)s->count, sizeof *s->pieces, by_angle);
    *out = s;
    return GR_OK;
}

GrWheelSurface *gr_wheel_surface_share(GrWheelSurface *surface)
{
    if (surface != NULL) {
        atomic_fetch_add(&surface->users, 1);
    }
    return surface;
}

GrWheelSurface *gr_wheel_surface_scale(const GrWheelSurface *surface, double factor)
{
    GrWheelSurface *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    atomic_init(&s->users, 1);
    s->pieces = gr_malloc(sizeof *s->pieces * (size_t)(surface->count + 1));
    if (s->pieces == NULL) {
        gr_free(s);
        return NULL;
    }
    s->count = s->capacity = surface->count;
    s->outer = factor * surface->outer;
    s->inner = factor * surface->inner;
    s->width = factor * surface->width;
    s->grousers = surface->grousers;
    s->tipped = surface->tipped;
    for (int i = 0; i < s->count; i++) {
        GrSurfacePiece *p = &s->pieces[i];
        *p = surface->pieces[i];
        for (int k = 0; k < 3; k++) {
            p->corner[k] = gr_scale(factor, p->corner[k]);
        }
        p->middle = gr_scale(factor, p->middle);
        p->area *= factor * factor;
        p->reach *= factor;
    }
    return s;
}

void gr_wheel_surface_free(GrWheelSurface *surface)
{
    if (surface != NULL && atomic_fetch_sub(&surface->users, 1) == 1) {
        gr_free(surface->pieces);
        gr_free(surface);
    }
}

void gr_wheel_surface_describe(const GrWheelSurface *surface, GrSoilWheelDef *wheel)
{
    const int n = surface->grousers;
    wheel->surface = surface;
    wheel->radius = surface->inner;
    wheel->width = surface->width;
    wheel->grouser_count = n;
    wheel->grouser_height = surface->outer - surface->inner;
    wheel->grouser_thickness = n > 0 ? surface->tipped * 2 * GR_PI * surface->outer / n : 0;
}
