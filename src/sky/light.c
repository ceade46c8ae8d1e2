#include "light.h"

#include "alloc.h"
#include "elementary.h"
#include "out_of_memory.h"
#include "processors.h"

#include <math.h>

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
