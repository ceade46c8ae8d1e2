/// Mobilised shear of the laws of stresses as states of a differential equation (rates.h): m and M of the nodes, first
/// along x, then across.
#include "law.h"

#include <math.h>
#include <stdio.h>

static int nodes_yield(const GrSoilWheel *w)
{
    return w->soil.shear == GR_SHEAR_COMBINED ? w->nodes : 2 * w->nodes;
}

static void name_node(const GrSoilWheel *w, int number, char *name, size_t size)
{
    static const char *const NAMES[] = {"shear_x", "peak_x", "shear_y", "peak_y"};
    const int place = number - GR_SLICE_NODES, n = w->nodes;
    if (place < 4 * n) {
        snprintf(name, size, "%s[%d]", NAMES[place / n], place % n + 1);
    } else {
        snprintf(name, size, place == 4 * n ? "dug" : "sheared");
    }
}

/// |m| of a part, and the place of its M. GR_SHEAR_COMBINED has vectors m and one M.
static double mobilised(const GrSoilWheel *w, int part, const double *slice, int *peak)
{
    const int n = w->nodes;
    const double *m = slice + GR_SLICE_NODES;
    if (w->soil.shear == GR_SHEAR_COMBINED) {
        *peak = GR_SLICE_NODES + n + part;
        return sqrt(m[part] * m[part] + m[2 * n + part] * m[2 * n + part]);
    }
    const int at = part < n ? part : n + part;
    *peak = GR_SLICE_NODES + n + at;
    return fabs(m[at]);
}

static double load_of_node(const GrSoilWheel *w, int part, const double *slice)
{
    int peak;
    const double m = mobilised(w, part, slice, &peak);
    return m / fmax(slice[peak], GR_YIELD_MARGIN);
}

static void admit_nodes(const GrSoilWheel *w, double *slice)
{
    for (int k = 0; k < nodes_yield(w); k++) {
        int peak;
        const double m = mobilised(w, k, slice, &peak);
        slice[peak] = m > slice[peak] ? m : slice[peak];
    }
}

static void release_nodes(const GrSoilWheel *w, double *slice)
{
    for (int k = 0; k < nodes_yield(w); k++) {
        int peak;
        const double m = mobilised(w, k, slice, &peak);
        slice[peak] = m + 1;
    }
}

/// What a step adds to m beside its renewal, which M shares.
static double outward_of_node(const GrSoilWheel *w, int part, const double *before, const double *after)
{
    int peak;
    const int n = w->nodes;
    const double size = mobilised(w, part, before, &peak), keep = after[peak] / before[peak];
    const double *m = before + GR_SLICE_NODES, *next = after + GR_SLICE_NODES;
    if (w->soil.shear != GR_SHEAR_COMBINED) {
        const int at = part < n ? part : n + part;
        const double added = next[at] - keep * m[at];
        return m[at] < 0 ? -added : m[at] > 0 ? added : fabs(added);
    }
    const double x = next[part] - keep * m[part], y = next[2 * n + part] - keep * m[2 * n + part];
    return size > 0 ? (x * m[part] + y * m[2 * n + part]) / size : sqrt(x * x + y * y);
}

static void settle_node(const GrSoilWheel *w, int part, double load, double *slice)
{
    int peak;
    const double m = mobilised(w, part, slice, &peak);
    slice[peak] = m / load;
}

static double strength_of_slice(const double *slice)
{
    return slice[GR_SLICE_LOAD];
}

const GrLawMemory gr_memory_shear = {
    .followers = GR_SLICE_NODES,
    .name = name_node,
    .yields = nodes_yield,
    .load = load_of_node,
    .admit = admit_nodes,
    .release = release_nodes,
    .outward = outward_of_node,
    .settle = settle_node,
    .strength = strength_of_slice,
};
