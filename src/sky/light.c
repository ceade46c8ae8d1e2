/// Light on a map, and what lies beyond it: high points of coarser maps around it.
#include "light.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "processors.h"
#include "terrain_view.h"

#include <math.h>

// ---- beyond the map

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

// ---- light

GrStatus gr_light_views(const GrSunDef *sun, GrSkyTarget target, double start, GrLightDef *def, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int k = 0; k < def->count && status == GR_OK; k++) {
        status = gr_sky_view(sun, target, start + k * def->interval, &def->views[k], log);
    }
    return status;
}

/// Most places see all of the disc or none of it: three azimuths tell.
static double share_of(const GrHorizon *h, int64_t i, int64_t j, const GrSkyView *view)
{
    const double side = view->radius / fmax(gr_cos(view->elevation), 1e-6);
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int k = -1; k <= 1; k++) {
        const double edge = gr_horizon_at(h, i, j, view->azimuth + k * side);
        low = fmin(low, edge);
        high = fmax(high, edge);
    }
    if (view->elevation - view->radius >= high) {
        return 1;
    }
    return view->elevation + view->radius <= low ? 0 : gr_horizon_share(h, i, j, view);
}

typedef struct Work {
    const GrLightDef *def;
    GrLight *out;
} Work;

static void light_node(const GrLightDef *def, int64_t i, int64_t j, float *share, float *night)
{
    double sum = 0;
    int dark = 0, longest = 0;
    for (int k = 0; k < def->count; k++) {
        const double seen = share_of(def->horizon, i, j, &def->views[k]);
        sum += seen;
        dark = seen > 0 ? 0 : dark + 1;
        longest = dark > longest ? dark : longest;
    }
    *share = (float)(sum / def->count);
    *night = (float)(longest * def->interval);
}

static void do_rows(void *context, int share, int shares)
{
    const Work *w = context;
    const GrGridFrame *f = &w->def->horizon->frame;
    for (int64_t j = share; j < f->ny; j += shares) {
        for (int64_t i = 0; i < f->nx; i++) {
            float *seen = &w->out->share[j * f->nx + i], *night = &w->out->night[j * f->nx + i];
            *seen = *night = NAN;
            if (w->def->horizon->angles[j * f->nx + i] != GR_HORIZON_VOID) {
                light_node(w->def, i, j, seen, night);
            }
        }
    }
}

GrStatus gr_light_make(const GrLightDef *def, GrLight *out, GrErrorLog *log)
{
    const size_t nodes = (size_t)(def->horizon->frame.nx * def->horizon->frame.ny);
    *out = (GrLight){gr_malloc(nodes * sizeof(float)), gr_malloc(nodes * sizeof(float))};
    if (out->share == NULL || out->night == NULL) {
        gr_light_free(out);
        return gr_out_of_memory(log, NULL);
    }
    Work work = {def, out};
    gr_share_out(def->threads, do_rows, &work);
    return GR_OK;
}

void gr_light_free(GrLight *light)
{
    gr_free(light->share);
    gr_free(light->night);
    *light = (GrLight){NULL, NULL};
}
