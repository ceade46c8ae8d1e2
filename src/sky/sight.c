#include "sight.h"

#include <math.h>

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
