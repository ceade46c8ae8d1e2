#include "cut_mesh.h"

#include "alloc.h"
#include "convex_mesh.h"
#include "elementary.h"

void gr_cut_mesh_add(GrCutMesh *mesh, GrVec3 a, GrVec3 b, GrVec3 c, bool cap)
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

void gr_cut_mesh_free(GrCutMesh *mesh)
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
    gr_cut_mesh_add(own, p[0], q, r, cap || touches);
    gr_cut_mesh_add(own, r, q, apex, true);
    gr_cut_mesh_add(others, q, p[1], p[2], cap || lies);
    gr_cut_mesh_add(others, q, p[2], r, cap || lies);
    gr_cut_mesh_add(others, q, r, apex, true);
}

/// A triangle in the plane whose outside is above it is surface of the lower side, where its reverse as a cap keeps the
/// sum; above it is a cap.
static void add_lying(const GrCutTriangle *t, GrCutMesh *below, GrCutMesh *above)
{
    gr_cut_mesh_add(below, t->p[0], t->p[1], t->p[2], t->cap);
    gr_cut_mesh_add(below, t->p[0], t->p[2], t->p[1], true);
    gr_cut_mesh_add(above, t->p[0], t->p[1], t->p[2], true);
}

void gr_cut_mesh_split(const GrCutMesh *mesh, int axis, double at, GrCutMesh *below, GrCutMesh *above)
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
            gr_cut_mesh_add(count == 3 ? above : below, t->p[0], t->p[1], t->p[2], cap);
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

double gr_cut_mesh_volume(const GrCutMesh *mesh)
{
    const GrVec3 common = mesh->count > 0 ? mesh->items[0].p[0] : gr_vec3(0, 0, 0);
    double six = 0;
    for (int i = 0; i < mesh->count; i++) {
        const GrVec3 *p = mesh->items[i].p;
        six += gr_dot(gr_sub(p[0], common), gr_cross(gr_sub(p[1], common), gr_sub(p[2], common)));
    }
    return six / 6;
}

bool gr_cut_mesh_holds(const GrCutMesh *mesh, GrVec3 p)
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

double gr_cut_mesh_distance(const GrCutMesh *mesh, GrVec3 p)
{
    double least = INFINITY;
    for (int i = 0; i < mesh->count; i++) {
        if (!mesh->items[i].cap) {
            least = fmin(least, triangle_distance(mesh->items[i].p, p));
        }
    }
    return least;
}
