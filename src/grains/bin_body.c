/// Meshes that move among grains: a grid over each names the triangles near its cells.
#include "alloc.h"
#include "bin.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>

enum { CELLS_MOST = 4000000 };

typedef struct Grid {
    double low[3], high[3], cell;
    int n[3];
} Grid;

static void bounds_of(const GrVec3 p[3], double low[3], double high[3])
{
    low[0] = high[0] = p[0].x, low[1] = high[1] = p[0].y, low[2] = high[2] = p[0].z;
    for (int k = 1; k < 3; k++) {
        const double v[3] = {p[k].x, p[k].y, p[k].z};
        for (int a = 0; a < 3; a++) {
            low[a] = v[a] < low[a] ? v[a] : low[a];
            high[a] = v[a] > high[a] ? v[a] : high[a];
        }
    }
}

static void corners_of(const GrSurfaceMesh *mesh, int t, GrVec3 p[3])
{
    for (int k = 0; k < 3; k++) {
        p[k] = mesh->vertices[mesh->triangles[t][k]];
    }
}

static Grid grid_of(const GrSurfaceMesh *mesh, double reach)
{
    Grid g = {.cell = 2 * reach};
    for (int t = 0; t < mesh->triangle_count; t++) {
        GrVec3 p[3];
        double low[3], high[3];
        corners_of(mesh, t, p);
        bounds_of(p, low, high);
        for (int a = 0; a < 3; a++) {
            g.low[a] = t == 0 ? low[a] : fmin(g.low[a], low[a]);
            g.high[a] = t == 0 ? high[a] : fmax(g.high[a], high[a]);
        }
    }
    double cells;
    do {
        cells = 1;
        for (int a = 0; a < 3; a++) {
            g.n[a] = (int)ceil(fmin((g.high[a] - g.low[a] + 2 * reach) / g.cell, 1e6)) + 1;
            cells *= g.n[a];
        }
        g.cell *= 1.25;
    } while (cells > CELLS_MOST);
    g.cell /= 1.25;
    for (int a = 0; a < 3; a++) {
        g.low[a] -= reach;
    }
    return g;
}

/// Calls for each cell whose grains may touch the triangle: counts it, or lists it where `list` is given.
static void mark_cells(const Grid *g, const GrVec3 p[3], double reach, int t, int32_t *start, int32_t *list)
{
    double low[3], high[3];
    int first[3], last[3];
    bounds_of(p, low, high);
    const GrVec3 normal = gr_normalize(gr_cross(gr_sub(p[1], p[0]), gr_sub(p[2], p[0])));
    for (int a = 0; a < 3; a++) {
        first[a] = (int)fmax(0, floor((low[a] - reach - g->low[a]) / g->cell));
        last[a] = (int)fmin(g->n[a] - 1, floor((high[a] + reach - g->low[a]) / g->cell));
    }
    for (int z = first[2]; z <= last[2]; z++) {
        for (int y = first[1]; y <= last[1]; y++) {
            for (int x = first[0]; x <= last[0]; x++) {
                const GrVec3 middle = gr_vec3(g->low[0] + (x + 0.5) * g->cell, g->low[1] + (y + 0.5) * g->cell,
                                              g->low[2] + (z + 0.5) * g->cell);
                if (fabs(gr_dot(gr_sub(middle, p[0]), normal)) > reach + 0.87 * g->cell) {
                    continue; // no corner of the cell comes near the triangle's plane
                }
                const int c = (z * g->n[1] + y) * g->n[0] + x;
                if (list != NULL) {
                    list[start[c]] = t;
                }
                start[c]++;
            }
        }
    }
}

static void fill_triangles(const GrSurfaceMesh *mesh, float *out)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        GrVec3 p[3];
        corners_of(mesh, t, p);
        const GrVec3 e = gr_sub(p[1], p[0]), f = gr_sub(p[2], p[0]);
        const double v[9] = {p[0].x, p[0].y, p[0].z, e.x, e.y, e.z, f.x, f.y, f.z};
        for (int k = 0; k < 9; k++) {
            out[9 * t + k] = (float)v[k];
        }
    }
}

/// Lists of all cells, in the order of the triangles.
static bool fill_grid(GrBin *bin, const GrSurfaceMesh *mesh, const Grid *g, double reach, GrBinBodyView *view)
{
    const int cells = g->n[0] * g->n[1] * g->n[2];
    int32_t *start = gr_bin_take(bin, (size_t)cells + 1, sizeof *start);
    if (start == NULL) {
        return false;
    }
    GrVec3 p[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        corners_of(mesh, t, p);
        mark_cells(g, p, reach, t, start, NULL);
    }
    int32_t sum = 0;
    for (int c = 0; c <= cells; c++) {
        const int32_t count = start[c];
        start[c] = sum;
        sum += count;
    }
    int32_t *list = gr_bin_take(bin, (size_t)sum + 1, sizeof *list);
    float *triangles = gr_bin_take(bin, (size_t)mesh->triangle_count * 9, sizeof *triangles);
    if (list == NULL || triangles == NULL) {
        return false;
    }
    for (int t = 0; t < mesh->triangle_count; t++) {
        corners_of(mesh, t, p);
        mark_cells(g, p, reach, t, start, list);
    }
    for (int c = cells; c > 0; c--) { // each start has moved to the next one's place
        start[c] = start[c - 1];
    }
    start[0] = 0;
    fill_triangles(mesh, triangles);
    view->start = start, view->list = list, view->triangles = triangles;
    return true;
}

GrStatus gr_bin_add_body(GrBin *bin, const GrSurfaceMesh *mesh, double friction, double rolling, int *body,
                         GrErrorLog *log)
{
    if (mesh->triangle_count == 0) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "the body has no triangles");
    }
    if (bin->body_count == GR_BODIES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){0}, "more than %d bodies", (int)GR_BODIES);
    }
    const double reach = 1.001 * bin->most_radius;
    const Grid g = grid_of(mesh, reach);
    GrBinBodyView view = {.cell = (float)(1 / g.cell), .friction = (float)friction, .rolling = (float)rolling};
    double bound2 = 0;
    for (int k = 0; k < mesh->vertex_count; k++) {
        bound2 = fmax(bound2, gr_dot(mesh->vertices[k], mesh->vertices[k]));
    }
    view.bound = (float)(sqrt(bound2) * 1.0001);
    view.low = gr_v3f((float)g.low[0], (float)g.low[1], (float)g.low[2]);
    view.nx = g.n[0], view.ny = g.n[1], view.nz = g.n[2];
    if (!fill_grid(bin, mesh, &g, reach, &view)) {
        return gr_out_of_memory(log, NULL);
    }
    view.present = 1;
    *body = bin->body_count++;
    bin->view.bodies[*body] = view;
    bin->bodies[*body] = (GrBinBody){.rotation = gr_quat_identity()};
    return GR_OK;
}
