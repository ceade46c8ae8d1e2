/// Connected patches of the contact, their area and perimeter: the line inside = 0 between nodes (marching squares), so
/// that both change smoothly while nodes come and go.
#include "scm_grid.h"

#include <string.h>

/// Labels of patches; a patch that was found to be part of another points to it.
typedef struct Labels {
    int parent[GR_SCM_PATCHES];
    int count;
    bool joined;
} Labels;

static int root_of(const Labels *l, int k)
{
    while (l->parent[k] != k) {
        k = l->parent[k];
    }
    return k;
}

/// Joins the run of nodes [from, to) with the runs of the row before it that it touches, corners included; its label.
static int join_run(const GrScmScratch *s, int from, int to, Labels *l)
{
    int label = -1;
    for (int at = from - s->side - 1; at < to - s->side + 1; at++) {
        const int other = s->inside[at] > 0 ? root_of(l, s->label[at]) : label;
        if (label >= 0 && other != label) {
            const int low = other < label ? other : label, high = other < label ? label : other;
            l->parent[high] = low;
            l->joined = true;
            label = low;
        } else {
            label = other;
        }
    }
    if (label < 0) {
        label = l->count < GR_SCM_PATCHES ? l->count++ : GR_SCM_PATCHES - 1;
        l->parent[label] = label;
    }
    return label;
}

/// Labels all nodes inside, run by run.
static void label_runs(GrScmScratch *s, GrScmRange range, Labels *l)
{
    for (int j = range.j0 + 1; j < range.j1; j++) {
        const int end = j * s->side + range.i1;
        for (int at = j * s->side + range.i0; at < end; at++) {
            if (s->inside[at] > 0) {
                int to = at + 1;
                while (to < end && s->inside[to] > 0) {
                    to++;
                }
                const int label = join_run(s, at, to, l);
                for (; at < to; at++) {
                    s->label[at] = label;
                }
            }
        }
    }
    for (int j = range.j0; l->joined && j < range.j1; j++) { // nodes point to their patch directly
        for (int at = j * s->side + range.i0; at < j * s->side + range.i1; at++) {
            s->label[at] = s->inside[at] > 0 ? root_of(l, s->label[at]) : 0;
        }
    }
}

/// Part of an edge from the corner with value v > 0 to where the line crosses it.
static inline double part_inside(double v, double other)
{
    return v / (v - other);
}

/// The corner k of a square is alone inside: a triangle.
static inline void corner_cut(const double v[4], int k, double *area, double *length)
{
    const double a = part_inside(v[k], v[(k + 1) & 3]), b = part_inside(v[k], v[(k + 3) & 3]);
    *area = 0.5 * a * b;
    *length = sqrt(a * a + b * b);
}

/// Area inside and length of the line in one square of four nodes, counterclockwise, by their values; `in` of them are
/// inside, neither none nor all.
static void square(const double v[4], int in, double *area, double *length)
{
    if (in == 1) {
        const int k = v[0] > 0 ? 0 : v[1] > 0 ? 1 : v[2] > 0 ? 2 : 3;
        corner_cut(v, k, area, length);
    } else if (in == 3) {
        const double w[4] = {-v[0], -v[1], -v[2], -v[3]};
        const int k = w[0] >= 0 ? 0 : w[1] >= 0 ? 1 : w[2] >= 0 ? 2 : 3;
        // A value of exactly 0 is outside, and its corner is cut to nothing.
        corner_cut(w, k, area, length);
        *area = 1 - *area;
    } else if ((v[0] > 0) == (v[2] > 0)) { // opposite corners: two triangles
        const int k = v[0] > 0 ? 0 : 1;
        double other_area, other_length;
        corner_cut(v, k, area, length);
        corner_cut(v, k + 2, &other_area, &other_length);
        *area += other_area;
        *length += other_length;
    } else { // neighbours: a trapezoid
        const int k = v[0] > 0 && v[1] > 0 ? 0 : v[1] > 0 && v[2] > 0 ? 1 : v[2] > 0 && v[3] > 0 ? 2 : 3;
        const double a = part_inside(v[k], v[(k + 3) & 3]), b = part_inside(v[(k + 1) & 3], v[(k + 2) & 3]);
        *area = 0.5 * (a + b);
        *length = sqrt(1 + (a - b) * (a - b));
    }
}

int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches)
{
    Labels l = {.count = 0};
    label_runs(s, range, &l);
    memset(patches, 0, sizeof *patches * (size_t)l.count);
    for (int j = range.j0; j + 1 < range.j1; j++) {
        const double *low = s->inside + j * s->side, *high = low + s->side;
        const int32_t *label = s->label + j * s->side;
        for (int i = range.i0; i + 1 < range.i1; i++) {
            const double v[4] = {low[i], low[i + 1], high[i + 1], high[i]};
            const int in = (v[0] > 0) + (v[1] > 0) + (v[2] > 0) + (v[3] > 0);
            if (in == 4) {
                patches[label[i]].area += 1;
            } else if (in > 0) {
                double area, length;
                square(v, in, &area, &length);
                const int corner = v[0] > 0 ? i : v[1] > 0 ? i + 1 : v[2] > 0 ? i + 1 + s->side : i + s->side;
                patches[label[corner]].area += area;
                patches[label[corner]].perimeter += length;
            }
        }
    }
    for (int k = 0; k < l.count; k++) {
        patches[k].area *= cell * cell;
        patches[k].perimeter *= cell;
    }
    return l.count;
}
