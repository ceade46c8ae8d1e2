/// Connected patches of the contact, their area and perimeter: the line inside = 0 between nodes (marching squares), so
/// that both change smoothly while nodes come and go.
#include "scm_grid.h"

#include <string.h>

static int root_of(const int *parent, int k)
{
    while (parent[k] != k) {
        k = parent[k];
    }
    return k;
}

/// Joins a node with the patches of the four neighbours that were seen before it; its label.
static int join(const GrScmScratch *s, int at, int *parent, int *count)
{
    const int near[4] = {at - 1, at - s->side - 1, at - s->side, at - s->side + 1};
    int label = -1;
    for (int k = 0; k < 4; k++) {
        const int other = s->inside[near[k]] > 0 ? root_of(parent, s->label[near[k]]) : -1;
        if (other >= 0 && label < 0) {
            label = other;
        } else if (other >= 0 && other != label) {
            const int low = other < label ? other : label, high = other < label ? label : other;
            parent[high] = low;
            label = low;
        }
    }
    if (label < 0) {
        label = *count < GR_SCM_PATCHES ? (*count)++ : GR_SCM_PATCHES - 1;
    }
    return label;
}

/// Area and length of the line in one square of four nodes, counterclockwise, by their values.
static void square(const double v[4], double *area, double *length)
{
    // Corners of the part with v > 0, walked around.
    static const double cx[4] = {0, 1, 1, 0}, cy[4] = {0, 0, 1, 1};
    double x[8], y[8];
    bool crossing[8];
    int n = 0;
    for (int k = 0; k < 4; k++) {
        const int next = (k + 1) & 3;
        if (v[k] > 0) {
            crossing[n] = false;
            x[n] = cx[k];
            y[n++] = cy[k];
        }
        if ((v[k] > 0) != (v[next] > 0)) {
            const double t = v[k] / (v[k] - v[next]);
            crossing[n] = true;
            x[n] = cx[k] + t * (cx[next] - cx[k]);
            y[n++] = cy[k] + t * (cy[next] - cy[k]);
        }
    }
    double twice = 0, line = 0;
    for (int k = 0; k < n; k++) {
        const int next = k + 1 < n ? k + 1 : 0;
        twice += x[k] * y[next] - x[next] * y[k];
        if (crossing[k] && crossing[next]) {
            const double dx = x[next] - x[k], dy = y[next] - y[k];
            line += sqrt(dx * dx + dy * dy);
        }
    }
    *area = 0.5 * twice;
    *length = line;
}

int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches)
{
    int parent[GR_SCM_PATCHES], count = 0;
    for (int k = 0; k < GR_SCM_PATCHES; k++) {
        parent[k] = k;
    }
    for (int j = range.j0 + 1; j < range.j1; j++) {
        for (int at = j * s->side + range.i0 + 1; at < j * s->side + range.i1 - 1; at++) {
            if (s->inside[at] > 0) {
                s->label[at] = join(s, at, parent, &count);
            }
        }
    }
    memset(patches, 0, sizeof *patches * (size_t)count);
    for (int j = range.j0; j + 1 < range.j1; j++) {
        for (int i = range.i0; i + 1 < range.i1; i++) {
            const int at = j * s->side + i, corner[4] = {at, at + 1, at + s->side + 1, at + s->side};
            const double v[4] = {s->inside[corner[0]], s->inside[corner[1]], s->inside[corner[2]], s->inside[corner[3]]};
            const int in = (v[0] > 0) + (v[1] > 0) + (v[2] > 0) + (v[3] > 0);
            if (in == 0) {
                continue;
            }
            double area = 1, length = 0;
            if (in < 4) {
                square(v, &area, &length);
            }
            const int label = s->label[v[0] > 0 ? corner[0] : v[1] > 0 ? corner[1] : v[2] > 0 ? corner[2] : corner[3]];
            GrScmPatch *patch = &patches[root_of(parent, label)];
            patch->area += area * cell * cell;
            patch->perimeter += length * cell;
        }
    }
    for (int j = range.j0; j < range.j1; j++) { // nodes point to their patch directly
        for (int at = j * s->side + range.i0; at < j * s->side + range.i1; at++) {
            if (s->inside[at] > 0) {
                s->label[at] = root_of(parent, s->label[at]);
            }
        }
    }
    return count;
}
