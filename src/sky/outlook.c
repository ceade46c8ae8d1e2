/// What stands above the horizon of a place: discs in the sky, stations in sight, the skyline around a rover.
#include "outlook.h"

#include "alloc.h"
#include "elementary.h"
#include "horizon.h"
#include "out_of_memory.h"
#include "terrain_view.h"

#include <math.h>

// ---- discs

enum { STRIPS = 15 };

double gr_disc_share(const GrSkyView *view, GrHorizonFn horizon, const void *context)
{
    const double level = fmax(gr_cos(view->elevation), 1e-6);
    double free = 0, all = 0;
    for (int k = 1; k <= STRIPS; k++) {
        const double angle = k * GR_PI / (STRIPS + 1), half = view->radius * gr_sin(angle);
        const double weight = gr_sin(angle), side = view->radius * gr_cos(angle);
        const double edge = horizon(context, view->azimuth + side / level);
        const double above = fmin(fmax(view->elevation + half - edge, 0), 2 * half);
        free += weight * above;
        all += weight * 2 * half;
    }
    return all > 0 ? free / all : 0;
}

// ---- sight

double gr_sight_height(const GrSightMap *map, double x, double y)
{
    const GrGridFrame *f = &map->frame;
    const double u = (x - f->x0) / f->dx, v = (y - f->y0) / f->dy;
    if (!(u >= 0 && v >= 0 && u <= (double)(f->nx - 1) && v <= (double)(f->ny - 1))) {
        return (double)NAN;
    }
    const int64_t i = (int64_t)fmin(u, (double)(f->nx - 2)), j = (int64_t)fmin(v, (double)(f->ny - 2));
    const double a = u - (double)i, b = v - (double)j;
    const float *south = map->heights + j * f->nx + i, *north = south + f->nx;
    const double low = (1 - a) * (double)south[0] + a * (double)south[1];
    return (1 - b) * low + b * ((1 - a) * (double)north[0] + a * (double)north[1]);
}

/// Over a distance d the middle of the line is d²/8R closer to the body than its ends: at the share t of the way the
/// ground stands higher by t (1 − t) d²/2R.
bool gr_sight_clear(const GrSightMap *map, GrVec3 from, GrVec3 to)
{
    const double dx = to.x - from.x, dy = to.y - from.y, distance = sqrt(dx * dx + dy * dy);
    const double step = 0.5 * fmin(map->frame.dx, map->frame.dy), bulge = distance * distance / (2 * map->radius);
    const long count = (long)ceil(distance / step);
    for (long k = 1; k < count; k++) {
        const double t = (double)k / (double)count;
        const double ground = gr_sight_height(map, from.x + t * dx, from.y + t * dy) + t * (1 - t) * bulge;
        if (ground > from.z + t * (to.z - from.z)) { // not for NAN
            return false;
        }
    }
    return true;
}

// ---- outlook

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
