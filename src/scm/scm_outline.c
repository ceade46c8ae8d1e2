/// Connected patches of the contact, their area and perimeter: bounded by the line inside = 0 between nodes (marching
/// squares), so that both change smoothly as nodes come into and out of contact.
#include "scm_grid.h"

#include <limits.h>
#include <string.h>

/// Labels of patches; a patch that turned out to be part of another points to it.
typedef struct Labels {
    int parent[GR_SCM_PATCHES];
    int count;
    bool joined;
} Labels;

/// Inner nodes of a row: from the first to the last, and their number of runs.
typedef struct Span {
    int first, last, runs;
} Span;

static const Span EMPTY = {INT_MAX / 2, -1, 0};

static int root_of(const Labels *l, int k)
{
    while (l->parent[k] != k) {
        k = l->parent[k];
    }
    return k;
}

/// Joins the run of nodes [from, to) of row j with the runs of the row before it that it touches, diagonals included;
/// returns its label.
static int join_run(const GrScmScratch *s, int j, int from, int to, Span before, Labels *l)
{
    const int row = (j - 1) * s->side, end = to < before.last ? to : before.last;
    int label = -1;
    for (int i = from - 1 > before.first ? from - 1 : before.first; i <= end; i++) {
        const int other = s->inside[row + i] > 0 ? root_of(l, s->label[row + i]) : label;
        if (label >= 0 && other != label) {
            const int low = other < label ? other : label, high = other < label ? label : other;
            l->parent[high] = low;
            l->joined = true;
            label = low;
        } else {
            label = other;
        }
        i = before.runs == 1 ? end : i; // all of it has one label
    }
    if (label < 0 && l->count < GR_SCM_PATCHES) {
        label = l->count++;
        l->parent[label] = label;
    }
    return label < 0 ? root_of(l, GR_SCM_PATCHES - 1) : label;
}

/// Labels the inner nodes of a row, run by run.
static Span label_row(GrScmScratch *s, GrScmRange range, int j, Span before, Labels *l)
{
    const double *inside = s->inside + j * s->side;
    Span span = EMPTY;
    for (int i = range.i0; i < range.i1; i++) {
        if (inside[i] > 0) {
            int to = i + 1;
            while (to < range.i1 && inside[to] > 0) {
                to++;
            }
            const int label = join_run(s, j, i, to, before, l);
            span.first = span.runs++ == 0 ? i : span.first;
            span.last = to - 1;
            for (; i < to; i++) {
                s->label[j * s->side + i] = label;
            }
        }
    }
    return span;
}

/// Replaces labels of joined patches by the final ones.
static void resolve(GrScmScratch *s, GrScmRange range, const Labels *l, GrScmPatch *patches)
{
    for (int j = range.j0; j < range.j1; j++) {
        for (int at = j * s->side + range.i0; at < j * s->side + range.i1; at++) {
            s->label[at] = s->inside[at] > 0 ? root_of(l, s->label[at]) : 0;
        }
    }
    for (int k = l->count - 1; k >= 0; k--) {
        const int root = root_of(l, k);
        if (root != k) {
            patches[root].area += patches[k].area;
            patches[root].perimeter += patches[k].perimeter;
            patches[k] = (GrScmPatch){0};
        }
    }
}

/// Fraction of an edge from the corner with value v > 0 to the crossing of the line.
static inline double part_inside(double v, double other)
{
    return v / (v - other);
}

/// Only corner k of a square is inside: a triangle.
static inline void corner_cut(const double v[4], int k, double *area, double *length)
{
    const double a = part_inside(v[k], v[(k + 1) & 3]), b = part_inside(v[k], v[(k + 3) & 3]);
    *area = 0.5 * a * b;
    *length = sqrt(a * a + b * b);
}

/// Area inside and length of the line in one square of four nodes, counterclockwise, by their values; `in` of them are
/// inside, at least one and not all.
static void square(const double v[4], int in, double *area, double *length)
{
    if (in == 1) {
        const int k = v[0] > 0 ? 0 : v[1] > 0 ? 1 : v[2] > 0 ? 2 : 3;
        corner_cut(v, k, area, length);
    } else if (in == 3) {
        const double w[4] = {-v[0], -v[1], -v[2], -v[3]};
        const int k = w[0] >= 0 ? 0 : w[1] >= 0 ? 1 : w[2] >= 0 ? 2 : 3;
        // A value of exactly 0 is outside; the triangle at its corner has no area.
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

/// Adds the squares between the rows j and j + 1.
static void add_squares(const GrScmScratch *s, GrScmRange range, int j, Span below, Span above, GrScmPatch *patches)
{
    const double *low = s->inside + j * s->side, *high = low + s->side;
    const int32_t *label = s->label + j * s->side;
    const int first = (below.first < above.first ? below.first : above.first) - 1;
    const int last = below.last > above.last ? below.last : above.last;
    // Between single runs, inner squares are complete.
    const bool plain = below.runs == 1 && above.runs == 1;
    const int whole = below.first > above.first ? below.first : above.first;
    const int end = below.last < above.last ? below.last : above.last;
    for (int i = first > range.i0 ? first : range.i0; i <= last && i + 1 < range.i1; i++) {
        if (plain && i == whole && end > whole) {
            patches[label[i]].area += end - whole;
            i = end;
        }
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

int gr_scm_outline(GrScmScratch *s, GrScmRange range, double cell, GrScmPatch *patches)
{
    Labels l = {.count = 0};
    Span before = EMPTY;
    memset(patches, 0, sizeof *patches * GR_SCM_PATCHES);
    for (int j = range.j0 + 1; j < range.j1; j++) {
        const Span span = label_row(s, range, j, before, &l);
        if (span.runs + before.runs > 0) {
            add_squares(s, range, j - 1, before, span, patches);
        }
        before = span;
    }
    if (l.joined) {
        resolve(s, range, &l, patches);
    }
    for (int k = 0; k < l.count; k++) {
        patches[k].area *= cell * cell;
        patches[k].perimeter *= cell;
    }
    return l.count;
}
