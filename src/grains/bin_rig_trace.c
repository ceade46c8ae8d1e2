/// The trace that a wheel leaves: heights along the middle of its track, folded at the pitch of its grousers.
#include "alloc.h"
#include "bin_rig.h"
#include "out_of_memory.h"
#include "vec3.h"

#include <math.h>

enum { BINS = 24 }; ///< of a pitch

/// Mean height over the middle half of the track's width, beside the place x; NAN outside a bin with walls.
static double height_at(const double *height, int nx, int ny, const GrBin *bin, double x, double y, double width)
{
    const double dx = bin->def.size[0] / nx, dy = bin->def.size[1] / ny;
    const int i = (int)floor(x / dx), across = (int)fmax(1, width / 2 / dy), first = (int)floor(y / dy) - across / 2;
    const bool wraps = bin->def.sides[0] == GR_SIDE_PERIODIC;
    double sum = 0;
    if (!wraps && (i < 0 || i >= nx)) {
        return (double)NAN;
    }
    for (int k = first; k < first + across; k++) {
        sum += height[(k % ny + ny) % ny * nx + (i % nx + nx) % nx] / across;
    }
    return sum;
}

GrStatus gr_bin_rig_trace(const GrBinRig *rig, GrBinTrace *out, GrErrorLog *log)
{
    const GrBinRigState *s = &rig->state;
    const GrBin *bin = rig->bin;
    const GrWheelMeshDef *w = &s->def.wheel;
    const bool lugs = w->grouser_count > 0 && w->grouser_height > 0;
    const double tip = w->radius + (lugs ? w->grouser_height : 0), here = bin->bodies[rig->body].position.x;
    const double forward = s->def.speed * (s->def.slip >= 0 ? 1 - s->def.slip : 1), end = here - tip;
    // from where the wheel was lowered: half a chord behind it the ground is rough by that; one turn of a periodic bin
    const double chord = sqrt(fmax(0, tip * tip - (tip - 0.02) * (tip - 0.02)));
    double start = here - forward * s->travel / s->def.speed + chord;
    start = bin->def.sides[0] == GR_SIDE_PERIODIC ? fmax(start, here - bin->def.size[0] + tip) : fmax(start, 0);
    *out = (GrBinTrace){.trough = (double)NAN, .crest = (double)NAN, .mean = (double)NAN};
    const double pitch = lugs ? 2 * GR_PI * forward /
                                    (s->def.slip >= 0 ? s->def.speed : s->def.speed * (1 + s->def.slip)) * w->radius /
                                    w->grouser_count
                              : 0;
    const double length = end - start;
    if (s->def.kind != GR_BIN_RIG_WHEEL || length < (pitch > 0 ? pitch : tip / 4)) {
        return GR_OK;
    }
    const double cell = bin->mean_radius;
    const int nx = (int)fmax(2, bin->def.size[0] / cell), ny = (int)fmax(2, bin->def.size[1] / cell);
    double *height = gr_calloc((size_t)nx * (size_t)ny, sizeof *height), sum[BINS] = {0}, count[BINS] = {0};
    if (height == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    gr_bin_surface(bin, nx, ny, height);
    const double whole = pitch > 0 ? pitch * floor(length / pitch) : length; // pitches
    const int steps = (int)ceil(2 * whole / cell);
    for (int i = 0; i < steps; i++) {
        const double x = end - whole + 0.5 * cell * i;
        const double z = height_at(height, nx, ny, bin, x, bin->bodies[rig->body].position.y, w->width) - s->surface;
        const int k = pitch > 0 ? (int)(BINS * (x / pitch - floor(x / pitch))) % BINS : 0;
        if (isfinite(z)) {
            sum[k] += z, count[k] += 1;
        }
    }
    gr_free(height);
    double all = 0;
    int bins = 0;
    for (int k = 0; k < BINS; k++) {
        if (count[k] > 0) {
            const double z = sum[k] / count[k];
            out->trough = bins == 0 ? z : fmin(out->trough, z);
            out->crest = bins == 0 ? z : fmax(out->crest, z);
            all += z, bins++;
        }
    }
    out->mean = bins > 0 ? all / bins : (double)NAN;
    out->length = whole;
    return GR_OK;
}
