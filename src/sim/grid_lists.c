/// Nodes under wheels and bodies on a deformable grid: their lists, and the healing of a temporary grid.
#include "grid_lists.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "rut_ground.h"
#include "ruts.h"

#include <string.h>

// ---- lists

/// Room for the first contact; a list that gets longer grows by half.
enum { FIRST_NODES = 64 };

bool gr_scm_list_begin(GrScmList *list)
{
    return gr_scm_list_reserve(list, FIRST_NODES);
}

void gr_scm_list_free(GrScmList *list)
{
    gr_free(list->block);
    *list = (GrScmList){NULL, 0, 0};
}

bool gr_scm_list_reserve(GrScmList *list, int capacity)
{
    if (capacity <= list->capacity) {
        return true;
    }
    void *block = gr_malloc(gr_scm_nodes_bytes(capacity));
    if (block == NULL) {
        return false;
    }
    GrScmNodes to = gr_scm_nodes_in(block, capacity), from = gr_scm_nodes_in(list->block, list->capacity);
    from.count = list->count;
    gr_scm_nodes_copy(&to, &from);
    gr_free(list->block);
    list->block = block;
    list->capacity = capacity;
    return true;
}

bool gr_scm_list_copy(GrScmList *to, const GrScmList *from)
{
    if (!gr_scm_list_reserve(to, from->count)) {
        return false;
    }
    GrScmNodes nodes = gr_scm_nodes_in(to->block, to->capacity), others = gr_scm_nodes_in(from->block, from->capacity);
    others.count = to->count = from->count;
    gr_scm_nodes_copy(&nodes, &others);
    return true;
}

void gr_scm_list_accept(GrScmList *old, GrScmList *next)
{
    const GrScmList committed = *next;
    *next = *old;
    *old = committed;
    next->count = 0;
}

void gr_scm_lists_clear(GrScmList *lists, int count)
{
    for (int i = 0; i < count; i++) {
        lists[i].count = 0;
    }
}

GrScmNodes gr_scm_list_nodes(const GrScmList *list, const GrScmMemory *memory)
{
    GrScmNodes nodes = gr_scm_nodes_in(list->block, list->capacity);
    nodes.count = list->count;
    nodes.memory = *memory;
    return nodes;
}

void gr_scm_list_evaluate(GrData *d, const GrScmBody *body, const GrScmPose *pose, double dt, const GrScmNodes *old,
                          GrScmScratch *scratch, GrScmList *next, GrScmMemory *memory, GrScmOutput *out)
{
    for (bool again = true; again;) {
        GrScmNodes nodes = gr_scm_list_nodes(next, memory);
        gr_scm_evaluate(body, d->grid, pose, dt, old, scratch, &nodes, out);
        next->count = nodes.count;
        *memory = nodes.memory;
        again = !out->complete && next->capacity < body->node_max;
        const int more = next->capacity + next->capacity / 2;
        if (again && !gr_scm_list_reserve(next, more < body->node_max ? more : body->node_max)) {
            d->ruts_status = GR_ERROR_MEMORY;
            return;
        }
    }
}

size_t gr_scm_lists_size(const GrScmList *lists, int count)
{
    size_t size = 0;
    for (int i = 0; i < count; i++) {
        size += sizeof(uint64_t) + sizeof(GrScmNode) * (size_t)lists[i].count;
    }
    return size;
}

unsigned char *gr_scm_lists_save(const GrScmList *lists, int count, unsigned char *out)
{
    for (int i = 0; i < count; i++) {
        const uint64_t held = (uint64_t)lists[i].count;
        const GrScmNodes nodes = gr_scm_nodes_in(lists[i].block, lists[i].capacity);
        memcpy(out, &held, sizeof held);
        out += sizeof held;
        for (int k = 0; k < lists[i].count; k++) {
            const GrScmNode node = gr_scm_node(&nodes, k);
            memcpy(out, &node, sizeof node);
            out += sizeof node;
        }
    }
    return out;
}

/// Number of nodes of a saved list, or −1 where the bytes end before it does.
static int64_t saved_count(const unsigned char *saved, size_t size)
{
    uint64_t nodes = 0;
    if (size < sizeof nodes) {
        return -1;
    }
    memcpy(&nodes, saved, sizeof nodes);
    return nodes > (size - sizeof nodes) / sizeof(GrScmNode) || nodes > INT32_MAX ? -1 : (int64_t)nodes;
}

GrStatus gr_scm_lists_expect(GrScmList *lists, int count, const unsigned char **saved, size_t *size, GrErrorLog *log)
{
    for (int i = 0; i < count; i++) {
        const int64_t nodes = saved_count(*saved, *size);
        if (nodes < 0) {
            return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved state is cut short: nodes under wheels");
        }
        if (!gr_scm_list_reserve(&lists[i], (int)nodes)) {
            gr_out_of_memory(log, NULL);
            return GR_ERROR_MEMORY;
        }
        const size_t bytes = sizeof(uint64_t) + sizeof(GrScmNode) * (size_t)nodes;
        *saved += bytes;
        *size -= bytes;
    }
    return GR_OK;
}

const unsigned char *gr_scm_lists_restore(GrScmList *lists, int count, const unsigned char *saved)
{
    for (int i = 0; i < count; i++) {
        uint64_t held;
        memcpy(&held, saved, sizeof held);
        saved += sizeof held;
        GrScmNodes nodes = gr_scm_nodes_in(lists[i].block, lists[i].capacity);
        for (uint64_t k = 0; k < held; k++) {
            GrScmNode node;
            memcpy(&node, saved, sizeof node);
            gr_scm_nodes_add(&nodes, &node);
            saved += sizeof node;
        }
        lists[i].count = nodes.count;
    }
    return saved;
}

// ---- healing
//
// Healing of a temporary grid under the wheels: of the law scm where the ground keeps no ruts of this kind, and of
// furrows. Nodes outside the circles that wheels and bodies keep return to the visible ground, undisturbed or with
// ruts, and to uncompacted soil. Memory is limited to what is kept.

/// Bits of the columns, from i on, that a circle keeps in row j.
static uint32_t kept_columns(const GrUnhealedCircle *keep, int64_t i, int64_t j)
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
static uint32_t kept_in_row(const GrUnhealedCircle *keeps, int count, int64_t i, int64_t j)
{
    uint32_t kept = 0;
    for (int k = 0; k < count; k++) {
        kept |= kept_columns(&keeps[k], i, j);
    }
    return kept;
}

/// Heals the nodes of a tile that no circle keeps; false when no node of it is kept.
static bool heal_tile(GrRuts *grid, const GrRuts *ruts, const GrUnhealedCircle *keeps, int count, int k)
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
static void bring_ruts(GrRuts *grid, const GrRuts *ruts, const GrUnhealedCircle *keep, GrScmLedger *ledger)
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
static bool has_moved(const GrUnhealedCircle *keeps, int wheels, GrRutCell *healed_at)
{
    bool moved = false;
    for (int w = 0; w < wheels; w++) {
        const GrRutCell at = {(int64_t)floor(keeps[w].u), (int64_t)floor(keeps[w].v)};
        moved = moved || at.i != healed_at[w].i || at.j != healed_at[w].j;
        healed_at[w] = at;
    }
    return moved;
}

void gr_grid_heal(GrRuts *grid, const GrRuts *seen, const GrUnhealedCircle *keeps, int count, int wheels, GrData *d)
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
