/// Bodies of triangles on the grid of SCM, as a second method for what wheels and convex bodies compute in closed form:
/// each triangle that looks down is cut by the cells, so that cover, mean height and mean slope of a cell are exact.
#ifndef GR_SCM_MESH_H
#define GR_SCM_MESH_H

#include "scm_grid.h"

#include <string.h>

/// Triangles, counterclockwise seen from outside. From below no face may hide another: any convex body, a plate with
/// holes, a foot. Not owned, and must stay where it is.
typedef struct GrScmMesh {
    const GrVec3 *vertices;
    const int (*triangles)[3];
    int vertex_count, triangle_count;
} GrScmMesh;

enum { CORNERS_MAX = 12 };

typedef struct Polygon {
    int count;
    double x[CORNERS_MAX], y[CORNERS_MAX];
} Polygon;

/// The part of a polygon with sign (c − limit) ≥ 0, c = x or y (Sutherland & Hodgman 1974).
static inline void cut(Polygon *p, bool by_x, double limit, double sign)
{
    Polygon out = {0};
    for (int k = 0; k < p->count; k++) {
        const int n = k + 1 < p->count ? k + 1 : 0;
        const double a = sign * ((by_x ? p->x[k] : p->y[k]) - limit), b = sign * ((by_x ? p->x[n] : p->y[n]) - limit);
        if (a >= 0) {
            out.x[out.count] = p->x[k];
            out.y[out.count++] = p->y[k];
        }
        if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
            const double t = a / (a - b);
            out.x[out.count] = p->x[k] + t * (p->x[n] - p->x[k]);
            out.y[out.count++] = p->y[k] + t * (p->y[n] - p->y[k]);
        }
    }
    *p = out;
}

/// Area, and area times the coordinates of the centroid, about the polygon's first corner.
static inline double measure(const Polygon *p, double *cx, double *cy)
{
    double area = 0, mx = 0, my = 0;
    for (int k = 1; k + 1 < p->count; k++) {
        const double ax = p->x[k] - p->x[0], ay = p->y[k] - p->y[0], bx = p->x[k + 1] - p->x[0],
                     by = p->y[k + 1] - p->y[0];
        const double part = 0.5 * (ax * by - ay * bx);
        area += part;
        mx += part * (ax + bx) / 3;
        my += part * (ay + by) / 3;
    }
    *cx = p->x[0] * area + mx;
    *cy = p->y[0] * area + my;
    return area;
}

/// A triangle seen from below: corners counterclockwise from above, and the plane z = z0 + zx x + zy y.
typedef struct Facet {
    double x[3], y[3], z0, zx, zy;
} Facet;

/// False when it does not look down.
static inline bool make_facet(const GrVec3 p[3], Facet *f)
{
    const GrVec3 n = gr_cross(gr_sub(p[1], p[0]), gr_sub(p[2], p[0]));
    if (!(n.z < -1e-6 * gr_norm(n))) {
        return false;
    }
    f->zx = -n.x / n.z;
    f->zy = -n.y / n.z;
    f->z0 = p[0].z - f->zx * p[0].x - f->zy * p[0].y;
    for (int k = 0; k < 3; k++) { // seen from above the corners run the other way round
        f->x[k] = p[2 - k].x;
        f->y[k] = p[2 - k].y;
    }
    return true;
}

static inline double least(const double *v)
{
    return fmin(v[0], fmin(v[1], v[2]));
}

static inline double largest(const double *v)
{
    return fmax(v[0], fmax(v[1], v[2]));
}

/// Adds a facet to the cells it touches: `cover` gets its area, `lower` and slopes their area-weighted sums. Lengths in
/// cells, from the node (oi, oj) of the box that is next to the body's centre: the same bits wherever the box lies.
static inline void add_facet(const Facet *f, int oi, int oj, GrScmScratch *s, GrScmRange *range)
{
    const int last = s->side - 1;
    const int i0 = (int)fmax(1 - oi, floor(least(f->x) + 0.5));
    const int i1 = (int)fmin(last - oi, floor(largest(f->x) + 0.5) + 1);
    const int j0 = (int)fmax(1 - oj, floor(least(f->y) + 0.5));
    const int j1 = (int)fmin(last - oj, floor(largest(f->y) + 0.5) + 1);
    for (int j = j0; j < j1; j++) {
        Polygon row = {3, {f->x[0], f->x[1], f->x[2]}, {f->y[0], f->y[1], f->y[2]}};
        cut(&row, false, j - 0.5, 1);
        cut(&row, false, j + 0.5, -1);
        for (int i = i0; i < i1 && row.count > 2; i++) {
            Polygon p = row;
            cut(&p, true, i - 0.5, 1);
            cut(&p, true, i + 0.5, -1);
            double cx = 0, cy = 0;
            const double area = p.count > 2 ? measure(&p, &cx, &cy) : 0;
            if (area > 0) {
                const int at = (j + oj) * s->side + i + oi;
                s->cover[at] += area;
                s->lower[at] += f->z0 * area + f->zx * cx + f->zy * cy;
                s->slope_x[at] += f->zx * area;
                s->slope_y[at] += f->zy * area;
            }
        }
    }
    range->i0 = i0 + oi - 1 < range->i0 ? i0 + oi - 1 : range->i0;
    range->i1 = i1 + oi + 1 > range->i1 ? i1 + oi + 1 : range->i1;
    range->j0 = j0 + oj - 1 < range->j0 ? j0 + oj - 1 : range->j0;
    range->j1 = j1 + oj + 1 > range->j1 ? j1 + oj + 1 : range->j1;
}

static inline GrScmRange lower_mesh(const GrScmBody *b, const GrRuts *ruts, const GrScmPose *pose, GrScmScratch *s)
{
    const GrScmMesh *mesh = b->shape;
    const size_t size = sizeof(double) * (size_t)s->side * (size_t)s->side;
    memset(s->cover, 0, size);
    memset(s->lower, 0, size);
    memset(s->slope_x, 0, size);
    memset(s->slope_y, 0, size);
    GrScmRange range = {s->side, 0, s->side, 0};
    const double u = pose->centre.x / b->cell, v = pose->centre.y / b->cell;
    const double ci = floor(u + 0.5), cj = floor(v + 0.5);
    const int oi = (int)((int64_t)ci - s->i0), oj = (int)((int64_t)cj - s->j0);
    for (int t = 0; t < mesh->triangle_count; t++) {
        GrVec3 p[3];
        for (int k = 0; k < 3; k++) {
            const GrVec3 at = gr_mat3_mul_vec(&pose->axes, mesh->vertices[mesh->triangles[t][k]]);
            p[k] = gr_vec3(at.x / b->cell + (u - ci), at.y / b->cell + (v - cj), at.z / b->cell);
        }
        Facet facet;
        if (make_facet(p, &facet)) {
            add_facet(&facet, oi, oj, s, &range);
        }
    }
    if (range.i0 >= range.i1 || range.j0 >= range.j1) {
        return (GrScmRange){0};
    }
    if (ruts != NULL) {
        gr_scm_box_read(ruts, s, range);
    }
    for (int j = range.j0; j < range.j1; j++) {
        for (int at = j * s->side + range.i0; at < j * s->side + range.i1; at++) {
            const double area = s->cover[at], scale = area > 0 ? 1 / area : 0;
            s->lower[at] = area > 0 ? pose->centre.z + s->lower[at] * scale * b->cell : GR_SCM_NOWHERE;
            s->slope_x[at] *= scale;
            s->slope_y[at] *= scale;
            s->cover[at] = area < 1 ? area : 1;
        }
    }
    return range;
}

/// A body of triangles, in its own frame. `gravity` gives the soil its weight [m/s²].
static inline GrStatus gr_scm_prepare_mesh(const GrSoilDef *soil, const GrScmMesh *mesh, double gravity, double cell,
                                           GrScmBody *out, GrErrorLog *log)
{
    memset(out, 0, sizeof *out);
    out->shape = mesh;
    out->lower = lower_mesh;
    double reach = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double far = gr_norm(mesh->vertices[i]);
        reach = far > reach ? far : reach;
    }
    if (mesh->triangle_count < 1 || !(reach > 0)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "mesh"}, "a body needs triangles");
    }
    const double across = 2 * reach / cell + 3;
    GrStatus status = gr_soil_check(soil, log);
    const GrStatus grid = gr_scm_prepare_grid(soil, gravity, cell, reach, out, log);
    status = status != GR_OK ? status : grid;
    out->node_max = status == GR_OK ? (int)(across * across) : 0;
    return status;
}

#endif
