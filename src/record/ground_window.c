#include "ground_window.h"

#include "ruts.h"

#include <math.h>

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

double gr_window_height(const GrTerrain *terrain, const GrRuts *ruts, double x, double y)
{
    double z = 0;
    if (terrain != NULL && gr_terrain_height(terrain, x, y, &z) != GR_GROUND_OK) {
        return (double)NAN;
    }
    return ruts != NULL ? z + gr_ruts_slope(ruts, x, y).z : z;
}
