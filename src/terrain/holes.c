#include "holes.h"

#include "alloc.h"

#include <stdlib.h>
#include <string.h>

static bool add_run(GrHoles *holes, int64_t *capacity, GrRun run)
{
    if (holes->run_count == *capacity) {
        const int64_t grown = *capacity > 0 ? 2 * *capacity : 256;
        GrRun *runs = gr_realloc(holes->runs, (size_t)grown * sizeof *runs);
        if (runs == NULL) {
            return false;
        }
        holes->runs = runs;
        *capacity = grown;
    }
    holes->runs[holes->run_count++] = run;
    return true;
}

/// Representative of a run's group; with path halving.
static int64_t find_root(GrRun *runs, int64_t k)
{
    while (runs[k].hole != k) {
        runs[k].hole = runs[runs[k].hole].hole;
        k = runs[k].hole;
    }
    return k;
}

/// The smaller number becomes the representative, so that numbers do not depend on the order of joining.
static void join(GrRun *runs, int64_t a, int64_t b)
{
    a = find_root(runs, a);
    b = find_root(runs, b);
    if (a < b) {
        runs[b].hole = a;
    } else {
        runs[a].hole = b;
    }
}

/// Finds the runs of one row and joins them with the touching runs of the row below.
static bool scan_row(const GrBitmap *map, int64_t j, GrHoles *holes, int64_t *capacity, int64_t below, int64_t row)
{
    for (int64_t i = 0; i < map->nx; i++) {
        if (map->bits[j * map->words + i / 64] == 0) {
            i |= 63; // no bits in this word
            continue;
        }
        if (!gr_bitmap_get(map, i, j)) {
            continue;
        }
        int64_t end = i + 1;
        while (end < map->nx && gr_bitmap_get(map, end, j)) {
            end++;
        }
        const int64_t k = holes->run_count;
        if (!add_run(holes, capacity, (GrRun){i, end, j, k})) {
            return false;
        }
        while (below < row && holes->runs[below].i1 < i) {
            below++;
        }
        for (int64_t other = below; other < row && holes->runs[other].i0 <= end; other++) {
            join(holes->runs, k, other);
        }
        i = end;
    }
    return true;
}

static int compare_runs(const void *a, const void *b)
{
    const GrRun *x = a, *y = b;
    if (x->hole != y->hole) {
        return x->hole < y->hole ? -1 : 1;
    }
    return x->j != y->j ? (x->j < y->j ? -1 : 1) : (x->i0 > y->i0) - (x->i0 < y->i0);
}

static bool group(GrHoles *out)
{
    for (int64_t k = 0; k < out->run_count; k++) {
        out->runs[k].hole = find_root(out->runs, k);
    }
    if (out->run_count > 0) {
        qsort(out->runs, (size_t)out->run_count, sizeof *out->runs, compare_runs);
    }
    for (int64_t k = 0; k < out->run_count; k++) {
        out->hole_count += k == 0 || out->runs[k].hole != out->runs[k - 1].hole;
    }
    out->holes = gr_calloc((size_t)out->hole_count + 1, sizeof *out->holes);
    if (out->holes == NULL) {
        return false;
    }
    int64_t at = -1;
    for (int64_t k = 0; k < out->run_count; k++) {
        const GrRun *run = &out->runs[k];
        if (k == 0 || run->hole != out->runs[k - 1].hole) {
            out->holes[++at] = (GrHole){k, 0, 0, run->i0, run->j, run->i1, run->j + 1};
        }
        GrHole *hole = &out->holes[at];
        hole->run_count++;
        hole->cells += run->i1 - run->i0;
        hole->i0 = run->i0 < hole->i0 ? run->i0 : hole->i0;
        hole->i1 = run->i1 > hole->i1 ? run->i1 : hole->i1;
        hole->j1 = run->j + 1;
    }
    return true;
}

GrStatus gr_holes_find(const GrBitmap *map, GrHoles *out)
{
    *out = (GrHoles){0};
    int64_t capacity = 0, below = 0;
    for (int64_t j = 0; j < map->ny; j++) {
        const int64_t row = out->run_count;
        // Only runs of the row just below can touch.
        while (below < row && out->runs[below].j < j - 1) {
            below++;
        }
        if (!scan_row(map, j, out, &capacity, below, row)) {
            gr_holes_free(out);
            return GR_ERROR_MEMORY;
        }
    }
    if (!group(out)) {
        gr_holes_free(out);
        return GR_ERROR_MEMORY;
    }
    return GR_OK;
}

void gr_holes_free(GrHoles *holes)
{
    gr_free(holes->runs);
    gr_free(holes->holes);
    *holes = (GrHoles){0};
}
