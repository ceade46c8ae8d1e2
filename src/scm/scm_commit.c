/// Writes the nodes that a step has pressed to the ruts.
#include "scm_grid.h"

#include "ruts.h"

/// Number of nodes, from k on, that are adjacent in one row of a tile. The list is sorted by rows, so checking the last
/// node of a run checks all before it. `guess`: that of the row before.
static int run_length(const GrScmNodes *nodes, int k, int guess)
{
    const int32_t *i = nodes->i + k, *j = nodes->j + k;
    const int left = GR_RUT_NODES - (i[0] & (GR_RUT_NODES - 1)), rest = nodes->count - k;
    const int most = left < rest ? left : rest;
    int run = guess < most ? guess : most;
    while (j[run - 1] != j[0] || i[run - 1] != i[0] + run - 1) {
        run--;
    }
    while (run < most && j[run] == j[0] && i[run] == i[0] + run) {
        run++;
    }
    return run;
}

/// Where two bodies press one node in the same step, the deeper one counts. Returns the sum of the decreases in height.
static double press_row(const GrScmNodes *nodes, int from, int count, double *restrict heights,
                        float *restrict sinkages, int states)
{
    const double *height = nodes->height + from;
    const float *sinkage = nodes->sinkage + from;
    double lowered = 0;
#pragma omp simd reduction(+ : lowered)
    for (int k = 0; k < count; k++) {
        const double before = heights[k], after = height[k] < before ? height[k] : before;
        lowered += before - after;
        heights[k] = after;
    }
    if (states == 1) {
#pragma omp simd
        for (int k = 0; k < count; k++) {
            sinkages[k] = sinkage[k] > sinkages[k] ? sinkage[k] : sinkages[k];
        }
    } else {
        for (int k = 0; k < count; k++) {
            float *to = &sinkages[(ptrdiff_t)k * states];
            *to = sinkage[k] > *to ? sinkage[k] : *to;
        }
    }
    return lowered;
}

double gr_scm_commit(const GrScmBody *body, GrRuts *ruts, const GrScmNodes *nodes, GrScmLedger *ledger)
{
    const int states = ruts->def.state_count;
    GrRutsTile tile = {NULL, NULL};
    int64_t ti = INT64_MAX, tj = INT64_MAX;
    double lowered = 0;
    for (int k = 0, run = 1; k < nodes->count; k += run) {
        const int32_t i = nodes->i[k], j = nodes->j[k];
        run = run_length(nodes, k, run);
        if (i >> GR_RUT_SHIFT != ti || j >> GR_RUT_SHIFT != tj) {
            ti = i >> GR_RUT_SHIFT;
            tj = j >> GR_RUT_SHIFT;
            tile = gr_ruts_tile_make(ruts, i, j);
        }
        if (tile.heights == NULL) {
            ledger->missing += run;
            continue;
        }
        const ptrdiff_t at = (ptrdiff_t)(j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (ptrdiff_t)(i & (GR_RUT_NODES - 1));
        lowered += press_row(nodes, k, run, tile.heights + at, tile.states + at * states + GR_SCM_SINKAGE, states);
    }
    lowered *= body->cell * body->cell;
    ledger->displaced += lowered;
    return lowered;
}
