/// Healing of a temporary grid under the wheels: of the law scm where the ground keeps no ruts of this kind, and of
/// furrows. Nodes outside the circles that wheels and bodies keep return to the visible ground, undisturbed or with
/// ruts, and to uncompacted soil. Memory is limited to what is kept.
#include "rut_ground.h"

#include "ruts.h"

#include <string.h>

/// Bits of the columns, from i on, that a circle keeps in row j.
static uint32_t kept_columns(const GrKeep *keep, int64_t i, int64_t j)
{
    const double off = (double)j - keep->v, square = keep->radius * keep->radius - off * off;
    if (!(square > 0)) {
        return 0;
    }
    const double half = sqrt(square), from = keep->u - half - (double)i, to = keep->u + half - (double)i;
    if (to < 0 || from > GR_RUT_NODES - 1) {
        return 0;
    }
    const int first = from > 0 ? (int)ceil(from) : 0, last = to < GR_RUT_NODES - 1 ? (int)to : GR_RUT_NODES - 1;
    return last < first ? 0 : (uint32_t)(UINT32_MAX >> (GR_RUT_NODES - 1 - last)) & UINT32_MAX << first;
}

_Static_assert(GR_RUT_NODES == 32, "a row of a tile is a word of bits");

/// Bits of the columns, from i on, that any circle keeps in row j.
static uint32_t kept_in_row(const GrKeep *keeps, int count, int64_t i, int64_t j)
{
    uint32_t kept = 0;
    for (int k = 0; k < count; k++) {
        kept |= kept_columns(&keeps[k], i, j);
    }
    return kept;
}

/// Heals the nodes of a tile that no circle keeps; false when no node of it is kept.
static bool heal_tile(GrRuts *grid, const GrRuts *ruts, const GrKeep *keeps, int count, int k)
{
    int64_t i, j;
    gr_ruts_tile_place(grid, k, &i, &j);
    const GrRutsTile tile = gr_ruts_tile_change(grid, i, j);
    const GrRutsTileView seen = ruts != NULL ? gr_ruts_tile_find(ruts, i, j) : (GrRutsTileView){NULL, NULL};
    if (tile.heights == NULL) {
        return true; // out of memory, as the next step tells
    }
    bool any = false;
    for (int row = 0; row < GR_RUT_NODES; row++) {
        const uint32_t kept = kept_in_row(keeps, count, i, j + row);
        any = any || kept != 0;
        for (int n = row * GR_RUT_NODES; n < (row + 1) * GR_RUT_NODES; n++) {
            if (!(kept >> n % GR_RUT_NODES & 1)) {
                tile.heights[n] = seen.heights != NULL ? seen.heights[n] : 0;
                tile.states[n * GR_SCM_STATES + GR_SCM_SINKAGE] = 0;
            }
        }
    }
    return any;
}

/// Copies ruts that a wheel reaches into its grid: their tiles around it.
static void bring_ruts(GrRuts *grid, const GrRuts *ruts, const GrKeep *keep, GrScmLedger *ledger)
{
    const double reach = keep->radius + 1;
    const int64_t i0 = (int64_t)floor(keep->u - reach) >> GR_RUT_SHIFT,
                  i1 = (int64_t)ceil(keep->u + reach) >> GR_RUT_SHIFT;
    const int64_t j0 = (int64_t)floor(keep->v - reach) >> GR_RUT_SHIFT,
                  j1 = (int64_t)ceil(keep->v + reach) >> GR_RUT_SHIFT;
    for (int64_t j = j0; j <= j1; j++) {
        for (int64_t i = i0; i <= i1; i++) {
            const int64_t ni = i * GR_RUT_NODES, nj = j * GR_RUT_NODES;
            const GrRutsTileView seen = gr_ruts_tile_find(ruts, ni, nj);
            if (seen.heights == NULL || gr_ruts_tile_find(grid, ni, nj).heights != NULL) {
                continue;
            }
            const GrRutsTile tile = gr_ruts_tile_make(grid, ni, nj);
            if (tile.heights != NULL) {
                memcpy(tile.heights, seen.heights, sizeof *tile.heights * GR_RUT_NODES * GR_RUT_NODES);
            } else {
                ledger->missing++;
            }
        }
    }
}

/// Whether a wheel has moved to another cell since the soil last healed.
static bool has_moved(const GrKeep *keeps, int wheels, GrRutCell *healed_at)
{
    bool moved = false;
    for (int w = 0; w < wheels; w++) {
        const GrRutCell at = {(int64_t)floor(keeps[w].u), (int64_t)floor(keeps[w].v)};
        moved = moved || at.i != healed_at[w].i || at.j != healed_at[w].j;
        healed_at[w] = at;
    }
    return moved;
}

void gr_grid_heal(GrRuts *grid, const GrRuts *seen, const GrKeep *keeps, int count, int wheels, GrData *d)
{
    if (!has_moved(keeps, wheels, d->healed_at)) {
        return;
    }
    for (int k = gr_ruts_tile_count(grid) - 1; k >= 0; k--) {
        if (!heal_tile(grid, seen, keeps, count, k)) {
            gr_ruts_tile_drop(grid, k);
        }
    }
    for (int w = 0; w < wheels && seen != NULL; w++) {
        bring_ruts(grid, seen, &keeps[w], d->scm_ledger);
    }
}
