/// Neighbour lists of a bin: grains are sorted by cells, in a fixed order inside each, and every list names its
/// neighbours in that order. A pair belongs to the grain whose cell comes first of two neighbours, so that half of the
/// cells around a grain are searched. Histories move to the new slots. All stages are loops over grains or cells.
#ifndef GR_BIN_CELLS_H
#define GR_BIN_CELLS_H

#include "bin_view.h"

/// Blocks of 4 x 4 x 4 cells lie together in memory: grains near each other are read together.
GR_INLINE int32_t gr_cell_index(const GrBinView *s, int32_t x, int32_t y, int32_t z)
{
    const int32_t bx = (s->cells[0] + 3) >> 2, by = (s->cells[1] + 3) >> 2;
    return ((((z >> 2) * by + (y >> 2)) * bx + (x >> 2)) << 6) + ((z & 3) << 4) + ((y & 3) << 2) + (x & 3);
}

/// Finds grains that move by half their radius in a step, and those in the margin beside a side that has an end.
GR_INLINE void gr_cells_check(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    const GrGrain *g = &s->now[i];
    const float far = 0.5f * g->radius / s->law.dt;
    const GrFixed at[3] = {g->x, g->y, g->z};
    int good = g->vx * g->vx + g->vy * g->vy + g->vz * g->vz < far * far;
    for (int a = 0; a < 3; a++) {
        const int32_t cell = gr_cell_along(s, a, at[a]);
        good &= s->periodic[a] || (cell != 0 && cell != s->cells[a] - 1);
    }
    if (!good) {
        GR_AT_LEAST(&sums->lost, s->count - i);
    }
}

GR_INLINE void gr_cells_count(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    const GrGrain *g = &s->now[i];
    const int32_t c = gr_cell_index(s, gr_cell_along(s, 0, g->x), gr_cell_along(s, 1, g->y), gr_cell_along(s, 2, g->z));
    s->cell_of[i] = c;
    GR_COUNT_UP(&s->fill[c]);
}

/// In an order that depends on the threads; gr_cells_sort() makes it a fixed one.
GR_INLINE void gr_cells_scatter(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    const int32_t c = s->cell_of[i];
    s->order[s->start[c] + GR_COUNT_UP(&s->fill[c])] = i;
}

GR_INLINE void gr_sort_part(int32_t *list, int32_t first, int32_t end)
{
    for (int32_t k = first + 1; k < end; k++) {
        const int32_t v = list[k];
        int32_t m = k - 1;
        for (; m >= first && list[m] > v; m--) {
            list[m + 1] = list[m];
        }
        list[m + 1] = v;
    }
}

GR_INLINE void gr_cells_sort(const GrBinView *s, int32_t cell, GrBinSums *sums)
{
    (void)sums;
    gr_sort_part(s->order, s->start[cell], s->start[cell + 1]);
}

GR_INLINE void gr_cells_permute(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    const int32_t from = s->order[i];
    s->inverse[from] = i;
    const GrGrain g = s->next[i] = s->now[from];
    s->mark[i] = (GrGrainMark){g.x, g.y, g.z, 0};
    if (s->members > 1) {
        s->where[g.id] = i;
    }
}

/// Pairs that the sorted grain i owns, which may be more than there is room for.
GR_INLINE void gr_cells_list(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    const GrGrain g = s->next[i];
    const int32_t at[3] = {gr_cell_along(s, 0, g.x), gr_cell_along(s, 1, g.y), gr_cell_along(s, 2, g.z)};
    int32_t *found = s->found + (int64_t)i * s->near_room;
    int n = 0;
    for (int k = 13; k < 27; k++) { // its own cell, and half of those around it
        const int32_t step[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int32_t c[3];
        for (int a = 0; a < 3; a++) {
            c[a] = at[a] + step[a];
            c[a] = c[a] < 0 ? c[a] + s->cells[a] : c[a] >= s->cells[a] ? c[a] - s->cells[a] : c[a];
        }
        const int32_t cell = gr_cell_index(s, c[0], c[1], c[2]);
        for (int32_t j = k == 13 ? i + 1 : s->start[cell]; j < s->start[cell + 1]; j++) {
            const GrVec3f d = gr_grain_diff(s, &g, &s->next[j]);
            const float cut = g.radius + s->next[j].radius + s->skin;
            if (gr_v3f_dot(d, d) >= cut * cut ||
                (s->members > 1 && g.id / s->members == s->next[j].id / s->members)) { // of one clump
                continue;
            }
            if (n < s->near_room) {
                found[n] = j;
            }
            n++;
        }
    }
    s->found_count[i] = n < s->near_room ? n : s->near_room;
    if (n > sums->most) {
        GR_AT_LEAST(&sums->most, n);
    }
}

/// The slot of a pair in the old lists, if its contact existed there; otherwise −1.
GR_INLINE int32_t gr_cells_old_slot(const GrBinView *s, int32_t owner, int32_t other)
{
    const uint64_t mask = s->mask[owner];
    for (int32_t k = s->first[owner], bit = 0; k < s->first[owner + 1]; k++, bit++) {
        if (s->near[k] == other) {
            return mask >> bit & 1 ? k : -1;
        }
    }
    return -1;
}

/// Writes the list of grain i, and carries the histories of its contacts over.
GR_INLINE void gr_cells_carry(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    const int32_t from = s->order[i], first = s->first_next[i], count = s->found_count[i];
    uint64_t now = s->mask[from] & ~0ull << GR_NEIGHBOURS_MOST;
    for (int k = 0; k < count; k++) {
        const int32_t j = s->found[(int64_t)i * s->near_room + k], other = s->order[j];
        GrHistory *h = &s->history_next[first + k];
        s->near_next[first + k] = j;
        s->push[first + k] = (GrPush){0};
        GR_COUNT_UP(&s->back_fill[j]);
        const int32_t same = gr_cells_old_slot(s, from, other), turned = gr_cells_old_slot(s, other, from);
        if (same >= 0) {
            *h = s->history[same];
        } else if (turned >= 0) {
            const GrHistory *q = &s->history[turned];
            *h = (GrHistory){-q->hx, -q->hy, -q->hz, q->key, -q->rx, -q->ry, -q->rz, 0};
        }
        now |= (uint64_t)(same >= 0 || turned >= 0) << k;
    }
    if (now >> GR_NEIGHBOURS_MOST != 0) {
        for (int k = 0; k < GR_OUTER; k++) {
            s->outer_next[i * GR_OUTER + k] = s->outer[from * GR_OUTER + k];
        }
    }
    s->mask_next[i] = now;
}

/// Names the slots of grain i at the other grains, in an order that depends on the threads.
GR_INLINE void gr_cells_back(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    for (int32_t k = s->first_next[i]; k < s->first_next[i + 1]; k++) {
        const int32_t j = s->near_next[k];
        s->back[s->back_first[j] + GR_COUNT_UP(&s->back_fill[j])] = k;
    }
}

GR_INLINE void gr_cells_back_sort(const GrBinView *s, int32_t i, GrBinSums *sums)
{
    (void)sums;
    gr_sort_part(s->back, s->back_first[i], s->back_first[i + 1]);
}

#endif
