/// Healing of the grid of law scm where the ground keeps no ruts of this kind.
///
/// Wheels press a patch of nodes of their own. A node heals when the wheel is farther away than its radius and two
/// cells: it returns to the visible ground, undisturbed or with a trace, with uncompacted soil. The wheel's contact
/// ends before that (the rim is at most a radius away), so its forces are those of the law scm on fresh soil. The next
/// wheel and the next pass meet fresh soil again. Memory is limited to the patch.
#include "rut_ground.h"

#include "ruts.h"

#include <string.h>

/// A circle of nodes that do not heal.
typedef struct Keep {
    double u, v, radius; ///< [cells]
} Keep;

static Keep keep_of(const GrModel *m, const GrData *d, int wheel)
{
    const GrScmBody *b = &m->scm_bodies[wheel];
    const GrVec3 centre = d->scm_pose[wheel].centre;
    return (Keep){centre.x / b->cell, centre.y / b->cell, (b->radius + b->lug_height) / b->cell + 2};
}

/// Circle around a shape of a body that rests on the grid.
static Keep keep_of_shape(const GrModel *m, const GrData *d, int k)
{
    const GrScmBody *b = &m->scm_shape_bodies[k];
    const GrVec3 centre = d->scm_body_pose[k].centre;
    return (Keep){centre.x / b->cell, centre.y / b->cell, b->reach / b->cell + 2};
}

/// Bits of the columns, from i on, that a circle keeps in row j.
static uint32_t kept_columns(const Keep *keep, int64_t i, int64_t j)
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

/// Bits of the columns, from i on, that a wheel or a body keeps in row j.
static uint32_t kept_in_row(const GrModel *m, const GrData *d, int64_t i, int64_t j)
{
    uint32_t kept = 0;
    for (int w = 0; w < m->wheel_count; w++) {
        const Keep keep = keep_of(m, d, w);
        kept |= kept_columns(&keep, i, j);
    }
    for (int k = 0; k < m->soil_shape_count; k++) {
        const Keep keep = keep_of_shape(m, d, k);
        kept |= d->scm_body_count[k] > 0 ? kept_columns(&keep, i, j) : 0;
    }
    return kept;
}

/// Heals the nodes of a tile that no wheel keeps; false when no node of it is kept.
static bool heal_tile(const GrModel *m, GrData *d, int k)
{
    int64_t i, j;
    gr_ruts_tile_at(d->grid, k, &i, &j);
    const GrRutsTile tile = gr_ruts_tile_change(d->grid, i, j);
    const GrRutsTileView seen = d->ruts != NULL ? gr_ruts_tile_find(d->ruts, i, j) : (GrRutsTileView){NULL, NULL};
    bool any = false;
    for (int row = 0; row < GR_RUT_NODES; row++) {
        const uint32_t kept = kept_in_row(m, d, i, j + row);
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

/// Copies traces that a wheel reaches into its grid: their tiles around it.
static void bring_traces(const GrModel *m, GrData *d, int wheel)
{
    const Keep keep = keep_of(m, d, wheel);
    const double reach = keep.radius + 1;
    const int64_t i0 = (int64_t)floor(keep.u - reach) >> GR_RUT_SHIFT,
                  i1 = (int64_t)ceil(keep.u + reach) >> GR_RUT_SHIFT;
    const int64_t j0 = (int64_t)floor(keep.v - reach) >> GR_RUT_SHIFT,
                  j1 = (int64_t)ceil(keep.v + reach) >> GR_RUT_SHIFT;
    for (int64_t j = j0; j <= j1; j++) {
        for (int64_t i = i0; i <= i1; i++) {
            const int64_t ni = i * GR_RUT_NODES, nj = j * GR_RUT_NODES;
            const GrRutsTileView seen = gr_ruts_tile_find(d->ruts, ni, nj);
            if (seen.heights == NULL || gr_ruts_tile_find(d->grid, ni, nj).heights != NULL) {
                continue;
            }
            const GrRutsTile tile = gr_ruts_tile_make(d->grid, ni, nj);
            if (tile.heights != NULL) {
                memcpy(tile.heights, seen.heights, sizeof *tile.heights * GR_RUT_NODES * GR_RUT_NODES);
            } else {
                d->scm_ledger->missing++;
            }
        }
    }
}

/// Whether a wheel has moved to another cell since the soil last healed.
static bool has_moved(const GrModel *m, GrData *d)
{
    bool moved = false;
    for (int w = 0; w < m->wheel_count; w++) {
        const Keep keep = keep_of(m, d, w);
        const GrRutCell at = {(int64_t)floor(keep.u), (int64_t)floor(keep.v)};
        moved = moved || at.i != d->healed_at[w].i || at.j != d->healed_at[w].j;
        d->healed_at[w] = at;
    }
    return moved;
}

void gr_grid_heal(const GrModel *m, GrData *d)
{
    if (!has_moved(m, d)) {
        return;
    }
    for (int k = gr_ruts_tile_count(d->grid) - 1; k >= 0; k--) {
        if (!heal_tile(m, d, k)) {
            gr_ruts_tile_drop(d->grid, k);
        }
    }
    for (int w = 0; w < m->wheel_count && d->ruts != NULL; w++) {
        bring_traces(m, d, w);
    }
}
