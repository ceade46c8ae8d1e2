#include "far.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "terrain_view.h"

#include <math.h>

/// Samples are half a cell apart, and where cells look smaller than this angle, this far apart [rad].
static const double FINEST_ANGLE = 0.001;

/// Distance from a point inside a box to its border.
static double way_out(const GrBox2 *box, double x, double y, double u, double v)
{
    const double by_x = u > 0 ? (box->x_upper - x) / u : u < 0 ? (box->x_lower - x) / u : (double)INFINITY;
    const double by_y = v > 0 ? (box->y_upper - y) / v : v < 0 ? (box->y_lower - y) / v : (double)INFINITY;
    return fmin(by_x, by_y);
}

static GrFarPoint look(const GrTerrain *around, const GrBox2 *map, const double from[3], double azimuth, double radius)
{
    const double u = gr_sin(azimuth), v = gr_cos(azimuth), half = 0.5 * gr_terrain_finest_cell(around);
    const GrBox2 all = gr_terrain_box(around);
    const double end = way_out(&all, from[0], from[1], u, v);
    double best = -(double)INFINITY;
    GrFarPoint seen = {0, 0};
    double d = fmax(way_out(map, from[0], from[1], u, v), half);
    while (d <= end) {
        double z; // NAN in a void, where no slope is larger
        gr_terrain_height(around, from[0] + d * u, from[1] + d * v, &z);
        const double slope = (z - from[2]) / d - d / (2 * radius);
        if (slope > best) {
            best = slope;
            seen = (GrFarPoint){d, z};
        }
        d += fmax(half, FINEST_ANGLE * d);
    }
    return seen;
}

GrStatus gr_far_view_make(const GrTerrain *around, const GrHorizonDef *map, int fields, GrFarView *out, GrErrorLog *log)
{
    const GrGridFrame *f = &map->frame;
    const int side = fields + 1;
    *out = (GrFarView){fields, fields, gr_calloc((size_t)map->azimuths * (size_t)(side * side), sizeof(GrFarPoint))};
    if (out->points == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    const GrBox2 box = {f->x0, f->y0, f->x0 + (double)(f->nx - 1) * f->dx, f->y0 + (double)(f->ny - 1) * f->dy};
    for (int k = 0; k < side * side; k++) {
        const int64_t i = (int64_t)(k % side) * (f->nx - 1) / fields, j = (int64_t)(k / side) * (f->ny - 1) / fields;
        const double z = (double)map->heights[j * f->nx + i] + map->eye;
        const double from[3] = {f->x0 + (double)i * f->dx, f->y0 + (double)j * f->dy, z};
        for (int a = 0; a < map->azimuths && !isnan(z); a++) {
            out->points[(size_t)a * (size_t)(side * side) + (size_t)k] =
                look(around, &box, from, 2 * GR_PI * a / map->azimuths, map->radius);
        }
    }
    return GR_OK;
}
