#include "disc.h"

#include "elementary.h"

#include <math.h>

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
