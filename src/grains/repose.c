/// Angle of repose: a wall draws back from a bed, and grains follow it down a slope.
#include "alloc.h"
#include "bin_rig.h"
#include "out_of_memory.h"
#include "rule.h"
#include "vec3.h"

#include <math.h>

enum { STRIPS = 4, COLUMNS_MOST = 4096 };

GrReposeDef gr_default_repose_def(const GrBedDef *bed)
{
    GrReposeDef def = {.bed = *bed, .speed = 0.05};
    def.bed.bin.sides[0] = GR_SIDE_WALL;
    return def;
}

static GrStatus run_until(GrBin *bin, double end, const GrBedWatch *watch, double from, double to, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    const double start = bin->time;
    for (int k = 0; bin->time < end && status == GR_OK; k++) {
        status = gr_bin_step(bin, log);
        if (k % 50 == 0 && watch != NULL && watch->fn != NULL) {
            watch->fn(watch->context, from + (to - from) * (bin->time - start) / (end - start), 1);
        }
    }
    return status;
}

/// Slope of the surface where its height is between a fifth and four fifths of the highest, by least squares.
static double slope_of(const double *height, int nx, double cell, double top)
{
    double n = 0, sx = 0, sz = 0, sxx = 0, sxz = 0;
    for (int x = 0; x < nx; x++) {
        const double z = height[x], at = (x + 0.5) * cell;
        if (z > 0.2 * top && z < 0.8 * top) {
            n += 1, sx += at, sz += z, sxx += at * at, sxz += at * z;
        }
    }
    return n > 2 ? -(n * sxz - sx * sz) / (n * sxx - sx * sx) : 0;
}

static void measure(const GrBin *bin, double *height, int nx, GrReposeAnswer *a)
{
    const double cell = bin->def.size[0] / nx;
    double profile[COLUMNS_MOST] = {0}, sum = 0, square = 0;
    *a = (GrReposeAnswer){0};
    gr_bin_surface(bin, nx, 4 * STRIPS, height);
    for (int x = 0; x < nx; x++) {
        for (int y = 0; y < 4 * STRIPS; y++) {
            profile[x] += height[y * nx + x] / (4 * STRIPS);
        }
        a->height = fmax(a->height, profile[x]);
        a->foot = profile[x] > 0.05 * a->height ? (x + 1) * cell : a->foot;
    }
    a->angle = gr_atan(slope_of(profile, nx, cell, a->height));
    for (int s = 0; s < STRIPS; s++) {
        double strip[COLUMNS_MOST] = {0};
        for (int x = 0; x < nx; x++) {
            for (int y = 0; y < 4; y++) {
                strip[x] += height[(4 * s + y) * nx + x] / 4;
            }
        }
        const double angle = gr_atan(slope_of(strip, nx, cell, a->height));
        sum += angle / STRIPS;
        square += angle * angle / STRIPS;
    }
    a->error = sqrt(fmax(0, square - sum * sum) / (STRIPS - 1));
}

GrStatus gr_repose_run(const GrReposeDef *def, const GrBedWatch *watch, GrBin **out, GrReposeAnswer *answer,
                       GrErrorLog *log)
{
    const GrBedDef *bed = &def->bed;
    const double length = bed->bin.size[0], from = bed->filled;
    *out = NULL;
    const GrRule rules[] = {
        {"speed_mps", "a positive number", gr_is_positive(def->speed)},
        {"filled_m", "more than 0 and less than the bin's length", from > 0 && from < length},
        {"sides", "walls along x", bed->bin.sides[0] == GR_SIDE_WALL},
    };
    GrStatus status = gr_rules_check(rules, 3, log);
    status = status == GR_OK ? gr_bed_prepare(bed, NULL, out, log) : status;
    if (status != GR_OK) {
        return status;
    }
    GrBin *bin = *out;
    bin->view.planes[1].friction = bin->view.planes[1].rolling = 0; // it holds grains back, but does not carry them
    bin->plane_velocity[1].x = def->speed;
    status = run_until(bin, bin->time + (length - from) / def->speed, watch, 0, 0.9, log);
    bin->plane_velocity[1].x = 0;
    status = status == GR_OK ? gr_bed_settle(bin, 0.3, NULL, log) : status;
    const int nx = (int)fmin(COLUMNS_MOST, length / bin->mean_radius);
    double *height = gr_calloc((size_t)nx * 4 * STRIPS, sizeof *height);
    status = status == GR_OK && height == NULL ? gr_out_of_memory(log, NULL) : status;
    if (status == GR_OK && height != NULL) {
        measure(bin, height, nx, answer);
    }
    gr_free(height);
    if (status != GR_OK) {
        gr_bin_free(bin);
        *out = NULL;
    }
    return status;
}
