#include "ground_window.h"

#include "ruts.h"
#include "terrain_data.h"
#include "terrain_view.h"

#include <math.h>

/// Points that are looked at together.
enum { FEW = 64 };

GrBox2 gr_box_empty(void)
{
    const double inf = (double)INFINITY;
    return (GrBox2){inf, inf, -inf, -inf};
}

void gr_box_include(GrBox2 *box, double x, double y, double margin)
{
    box->x_lower = fmin(box->x_lower, x - margin);
    box->y_lower = fmin(box->y_lower, y - margin);
    box->x_upper = fmax(box->x_upper, x + margin);
    box->y_upper = fmax(box->y_upper, y + margin);
}

bool gr_box_holds(const GrBox2 *box, double x, double y, double margin)
{
    return x - margin >= box->x_lower && x + margin <= box->x_upper && y - margin >= box->y_lower &&
           y + margin <= box->y_upper;
}

static int64_t nodes(double length, double cell)
{
    const int64_t count = (int64_t)(length / cell + 1e-9) + 1;
    return count < 2 ? 2 : count;
}

GrGridFrame gr_window_frame(const GrTerrain *terrain, const GrBox2 *box, double finest, int most)
{
    GrBox2 b = *box;
    if (terrain != NULL) {
        const GrBox2 map = gr_terrain_box(terrain);
        b = (GrBox2){fmax(b.x_lower, map.x_lower), fmax(b.y_lower, map.y_lower), fmin(b.x_upper, map.x_upper),
                     fmin(b.y_upper, map.y_upper)};
        if (!(b.x_upper > b.x_lower && b.y_upper > b.y_lower)) { // off the map: the requested box, all unknown
            b = *box;
        }
    }
    const double width = b.x_upper - b.x_lower, height = b.y_upper - b.y_lower;
    const double cell = fmax(finest, fmax(width, height) / (most - 1));
    return (GrGridFrame){nodes(width, cell), nodes(height, cell), b.x_lower, b.y_lower, cell, cell};
}

/// A view of the terrain that may load tiles; NULL: without a terrain, or where it would read too many cells.
static GrTerrainView *open_view(const GrTerrain *terrain, const GrGridFrame *frame)
{
    const double width = (double)(frame->nx - 1) * frame->dx, height = (double)(frame->ny - 1) * frame->dy;
    return terrain != NULL && gr_terrain_view_cost(terrain, frame->dx, width, height) <= GR_WINDOW_CELLS
               ? gr_terrain_view_open(terrain, frame->dx)
               : NULL;
}

double gr_window_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y)
{
    double z = 0;
    if (terrain != NULL && gr_terrain_height(terrain, x, y, &z) != GR_GROUND_OK) {
        return (double)NAN;
    }
    return ruts != NULL ? z + gr_ruts_slope(ruts, x, y).z : z;
}

void gr_window_drop(const GrTerrain *terrain, double cell, GrVec3 *points, int count)
{
    GrTerrainView *view = terrain != NULL ? gr_terrain_view_open(terrain, cell) : NULL;
    GrTerrain *near = view != NULL ? gr_terrain_view_terrain(view) : NULL;
    for (int i = 0; i < count; i++) {
        GrVec3 *p = &points[i];
        p->z = gr_window_height(terrain, NULL, p->x, p->y);
        if (isnan(p->z) && near != NULL) {
            GrErrorLog quiet = {.quiet = true};
            gr_terrain_prefetch(near, (GrBox2){p->x, p->y, p->x, p->y}, &quiet);
            gr_terrain_drop(near, 1, p);
        }
    }
    gr_terrain_view_close(view);
}

/// As gr_window_height(), point by point.
static void read_row(const GrTerrain *terrain, const GrRuts *ruts, const GrGridFrame *frame, double y, double *out)
{
    for (int64_t first = 0; first < frame->nx; first += FEW) {
        const int count = frame->nx - first < FEW ? (int)(frame->nx - first) : FEW;
        GrVec3 points[FEW];
        for (int i = 0; i < count; i++) {
            points[i] = (GrVec3){frame->x0 + (double)(first + i) * frame->dx, y, 0};
        }
        if (terrain != NULL) {
            gr_terrain_drop(terrain, count, points); // NAN where there is none
        }
        for (int i = 0; i < count; i++) {
            out[first + i] = points[i].z;
        }
        for (int i = 0; ruts != NULL && i < count; i++) {
            out[first + i] += gr_ruts_slope(ruts, points[i].x, y).z;
        }
    }
}

void gr_window_heights(const GrTerrain *terrain, const GrRuts *ruts, const GrGridFrame *frame, double *out)
{
    GrTerrainView *view = open_view(terrain, frame);
    GrTerrain *near = view != NULL ? gr_terrain_view_terrain(view) : NULL;
    const GrTerrain *seen = near != NULL ? near : terrain;
    for (int64_t j = 0; j < frame->ny; j++) {
        const double y = frame->y0 + (double)j * frame->dy;
        if (near != NULL) { // row by row, so that the tiles in memory are few
            GrErrorLog quiet = {.quiet = true};
            gr_terrain_prefetch(near, (GrBox2){frame->x0, y, frame->x0 + (double)(frame->nx - 1) * frame->dx, y},
                                &quiet); // what cannot be read is unknown
        }
        read_row(seen, ruts, frame, y, out + j * frame->nx);
    }
    gr_terrain_view_close(view);
}
