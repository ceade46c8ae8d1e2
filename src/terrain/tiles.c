/// Tiles of heights in memory: a table with places for a limited number; the least recently used one is evicted.
#include "terrain_data.h"

#include "alloc.h"

enum { FIRST_SLOTS = 64 };

static int make_slots(GrTiles *tiles, uint64_t slot_count)
{
    GrTileSlot *slots = gr_malloc((size_t)slot_count * sizeof *slots);
    if (slots == NULL) {
        return 0;
    }
    for (uint64_t i = 0; i < slot_count; i++) {
        slots[i] = (GrTileSlot){.key = GR_TILE_NO_KEY};
    }
    tiles->slots = slots;
    tiles->mask = slot_count - 1;
    tiles->shift = 64;
    for (uint64_t n = slot_count; n > 1; n /= 2) {
        tiles->shift--;
    }
    return 1;
}

int gr_tiles_init(GrTiles *tiles, int64_t limit)
{
    *tiles = (GrTiles){.limit = limit};
    return make_slots(tiles, FIRST_SLOTS);
}

void gr_tiles_free(GrTiles *tiles)
{
    for (uint64_t i = 0; tiles->slots != NULL && i <= tiles->mask; i++) {
        gr_free(tiles->slots[i].own);
    }
    gr_free(tiles->slots);
    *tiles = (GrTiles){0};
}

/// The slot with the key, or the empty slot for it.
static GrTileSlot *find_slot(const GrTiles *tiles, uint64_t key)
{
    uint64_t at = gr_tile_hash(key, tiles->shift);
    while (tiles->slots[at].key != key && tiles->slots[at].key != GR_TILE_NO_KEY) {
        at = (at + 1) & tiles->mask;
    }
    return &tiles->slots[at];
}

static int grow(GrTiles *tiles)
{
    GrTiles old = *tiles;
    if (!make_slots(tiles, 2 * (old.mask + 1))) {
        *tiles = old;
        return 0;
    }
    for (uint64_t i = 0; i <= old.mask; i++) {
        if (old.slots[i].key != GR_TILE_NO_KEY) {
            *find_slot(tiles, old.slots[i].key) = old.slots[i];
        }
    }
    gr_free(old.slots);
    return 1;
}

/// Empties a slot and moves up the entries that probed past it, so that no search ends too early. Returns the memory of
/// its tile, NULL if that was lent.
static double *take_out(GrTiles *tiles, GrTileSlot *slot)
{
    double *own = slot->own;
    uint64_t hole = (uint64_t)(slot - tiles->slots);
    for (uint64_t at = (hole + 1) & tiles->mask; tiles->slots[at].key != GR_TILE_NO_KEY; at = (at + 1) & tiles->mask) {
        const uint64_t home = gr_tile_hash(tiles->slots[at].key, tiles->shift);
        // An entry may move into the gap unless its home slot is between the gap and its slot.
        if (((at - home) & tiles->mask) >= ((at - hole) & tiles->mask)) {
            tiles->slots[hole] = tiles->slots[at];
            hole = at;
        }
    }
    tiles->slots[hole] = (GrTileSlot){.key = GR_TILE_NO_KEY};
    tiles->count--;
    return own;
}

void gr_tiles_begin_round(GrTiles *tiles)
{
    tiles->clock++;
}

int gr_tiles_touch(GrTiles *tiles, uint64_t key)
{
    GrTileSlot *slot = find_slot(tiles, key);
    if (slot->key != key) {
        return 0;
    }
    slot->used = tiles->clock;
    return 1;
}

double *gr_tiles_use(GrTiles *tiles, uint64_t key)
{
    return gr_tiles_touch(tiles, key) ? find_slot(tiles, key)->own : NULL;
}

/// The least recently used tile, the smaller key among equals; NULL when all were used in this round.
static GrTileSlot *find_oldest(const GrTiles *tiles)
{
    GrTileSlot *oldest = NULL;
    for (uint64_t i = 0; i <= tiles->mask; i++) {
        GrTileSlot *slot = &tiles->slots[i];
        if (slot->key == GR_TILE_NO_KEY || slot->used == tiles->clock) {
            continue;
        }
        if (oldest == NULL || slot->used < oldest->used || (slot->used == oldest->used && slot->key < oldest->key)) {
            oldest = slot;
        }
    }
    return oldest;
}

/// Makes room for one more tile; 0 when there is none. `*own`: memory of the tile that was evicted for it, if any.
static int make_room(GrTiles *tiles, double **own)
{
    *own = NULL;
    if (tiles->count >= tiles->limit) {
        GrTileSlot *oldest = find_oldest(tiles);
        if (oldest == NULL) {
            return 0;
        }
        *own = take_out(tiles, oldest);
        return 1;
    }
    return 2 * (uint64_t)(tiles->count + 1) <= tiles->mask + 1 || grow(tiles);
}

double *gr_tiles_add(GrTiles *tiles, uint64_t key)
{
    double *nodes;
    if (!make_room(tiles, &nodes)) {
        return NULL;
    }
    nodes = nodes != NULL ? nodes : gr_malloc(GR_TILE_NODES * sizeof *nodes);
    if (nodes != NULL) {
        *find_slot(tiles, key) = (GrTileSlot){.key = key, .nodes = nodes, .own = nodes, .used = tiles->clock};
        tiles->count++;
    }
    return nodes;
}

int gr_tiles_lend(GrTiles *tiles, uint64_t key, const double *nodes)
{
    double *evicted;
    if (!make_room(tiles, &evicted)) {
        return 0;
    }
    gr_free(evicted);
    *find_slot(tiles, key) = (GrTileSlot){.key = key, .nodes = nodes, .used = tiles->clock};
    tiles->count++;
    return 1;
}

void gr_tiles_remove(GrTiles *tiles, uint64_t key)
{
    GrTileSlot *slot = find_slot(tiles, key);
    if (slot->key == key) {
        gr_free(take_out(tiles, slot));
    }
}

size_t gr_tiles_memory(const GrTiles *tiles)
{
    return (size_t)tiles->count * GR_TILE_NODES * sizeof(double) + (size_t)(tiles->mask + 1) * sizeof(GrTileSlot);
}
