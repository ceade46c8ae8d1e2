#include "outlook.h"

#include "alloc.h"
#include "disc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "terrain_view.h"

#include <math.h>

static const double FINEST_ANGLE = 0.002; // of the march over the terrain [rad]
static const double VIEW_NODES = 4e6;     // of the terrain that is looked over

struct GrOutlook {
    const GrTerrain *terrain;
    GrTerrainView *view;
    double cell;   ///< of the view [m]
    double end;    ///< of the march [m]
    double radius; ///< of the body [m]
};

GrStatus gr_outlook_open(const GrTerrain *terrain, GrSkyBody body, GrOutlook **out, GrErrorLog *log)
{
    const GrBox2 box = gr_terrain_box(terrain);
    const double width = box.x_upper - box.x_lower, height = box.y_upper - box.y_lower;
    const GrGeoreference *place = gr_terrain_georeference(terrain);
    GrOutlook *outlook = *out = gr_calloc(1, sizeof *outlook);
    if (outlook == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    *outlook = (GrOutlook){.terrain = terrain,
                           .cell = fmax(gr_terrain_finest_cell(terrain), sqrt(width * height / VIEW_NODES)),
                           .end = gr_hypot(width, height),
                           .radius = place != NULL && place->radius > 0 ? place->radius : gr_sky_body_radius(body)};
    outlook->view = gr_terrain_view_open(terrain, outlook->cell);
    const GrStatus status = outlook->view != NULL
                                ? gr_terrain_prefetch(gr_terrain_view_terrain(outlook->view), box, log)
                                : gr_out_of_memory(log, NULL);
    if (status != GR_OK) {
        gr_outlook_close(outlook);
        *out = NULL;
    }
    return status;
}

void gr_outlook_close(GrOutlook *outlook)
{
    if (outlook != NULL) {
        gr_terrain_view_close(outlook->view);
        gr_free(outlook);
    }
}

/// A place from which the skyline is looked at.
typedef struct Place {
    const GrOutlook *outlook;
    GrVec3 at;
    double from; ///< [m]
} Place;

/// Height of the terrain; near the rover in its own nodes, which are in memory there.
static double height_at(const GrOutlook *o, double x, double y)
{
    double z;
    if (gr_terrain_height(o->terrain, x, y, &z) == GR_GROUND_OK ||
        gr_terrain_height(gr_terrain_view_terrain(o->view), x, y, &z) == GR_GROUND_OK) {
        return z;
    }
    return (double)NAN;
}

/// Slope to the ground at a distance; NAN off the map.
static double slope_to(const Place *p, double u, double v, double d)
{
    return (height_at(p->outlook, p->at.x + d * u, p->at.y + d * v) - p->at.z) / d - d / (2 * p->outlook->radius);
}

/// The largest slope near a distance that a march in steps of this length has found.
static double refine(const Place *p, double u, double v, double d, double step)
{
    enum { PARTS = 16 };
    double best = slope_to(p, u, v, d);
    for (int k = -PARTS + 1; k < PARTS; k++) {
        const double at = d + k * step / PARTS, slope = at >= p->from ? slope_to(p, u, v, at) : best;
        best = slope > best ? slope : best; // not for NAN
    }
    return best;
}

/// Elevation of the skyline [rad]; the body fills the lower half of the sky.
static double skyline(const Place *p, double azimuth)
{
    if (p->outlook == NULL) {
        return 0;
    }
    const double u = gr_sin(azimuth), v = gr_cos(azimuth), half = 0.5 * p->outlook->cell;
    double best = 0, at = 0, d = fmax(half, p->from);
    while (d < p->outlook->end) {
        const double slope = slope_to(p, u, v, d);
        if (slope > best) { // not for NAN
            best = slope;
            at = d;
        }
        d += fmax(half, FINEST_ANGLE * d);
    }
    return gr_atan(at > 0 ? fmax(best, refine(p, u, v, at, fmax(half, FINEST_ANGLE * at))) : best);
}

/// The skyline at three azimuths across the disc, straight in between.
typedef struct Skyline {
    double azimuth, side;
    double edge[3];
} Skyline;

static double between(const void *context, double azimuth)
{
    const Skyline *s = context;
    const double at = remainder(azimuth - s->azimuth, 2 * GR_PI) / s->side; // −1 .. 1
    const double share = fmin(fabs(at), 1);
    return (1 - share) * s->edge[1] + share * s->edge[at < 0 ? 0 : 2];
}

double gr_outlook_share(const GrOutlook *outlook, GrVec3 at, double from, const GrSkyView *view)
{
    const Place place = {outlook, at, from};
    Skyline line = {.azimuth = view->azimuth, .side = view->radius / fmax(gr_cos(view->elevation), 1e-3)};
    for (int k = 0; k < 3; k++) {
        line.edge[k] = skyline(&place, view->azimuth + (k - 1) * line.side);
    }
    return gr_disc_share(view, between, &line);
}
