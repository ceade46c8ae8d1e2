/// Ruts: sparse tiles of changed heights and soil states, in the order in which wheels reached them.
///
///     tile      0 1 2 3 4 5 | 6 7 |           tile_count 6, tile_capacity 8
///     nodes     . . . x x x | 0 0 |           x: in memory, 0: ready, all zero
///     stored    s s s . . s |     |           5: in memory again, to be read
#include "ruts.h"

#include "alloc.h"
#include "messages.h"
#include "out_of_memory.h"
#include "ruts_tiles.h"

#include <math.h>
#include <string.h>

/// With more tiles in memory than this [bytes], those that were not written to while room was made twice go into a
/// file: wheels are well away from them.
enum { MEMORY_MOST = 16 << 20, GROWTH_MAX = 256, ROUNDS_OPEN = 2 };

GrRutsDef gr_default_ruts_def(void)
{
    return (GrRutsDef){.cell = 0.02, .tile_capacity = 64};
}

static void put_key(GrRuts *ruts, uint64_t key, int32_t tile)
{
    uint32_t at = gr_ruts_slot(ruts, key);
    while (ruts->keys[at] != 0) {
        at = (at + 1) & (ruts->block.slot_count - 1);
    }
    ruts->keys[at] = key;
    ruts->slots[at] = tile;
    ruts->tile_keys[tile] = key;
}

/// Allocates empty tables for so many tiles; other fields of `fresh` do not change. After a failure the caller frees
/// them.
static bool make_tables(GrRuts *fresh, int32_t size)
{
    uint32_t slot_count = 16;
    while (slot_count < 2u * (uint32_t)size) {
        slot_count *= 2;
    }
    fresh->block.slot_count = slot_count;
    fresh->block.table_size = size;
    fresh->keys = gr_calloc(slot_count, sizeof *fresh->keys);
    fresh->slots = gr_calloc(slot_count, sizeof *fresh->slots);
    fresh->tile_keys = gr_calloc((size_t)size, sizeof *fresh->tile_keys);
    fresh->marks = gr_calloc((size_t)size, sizeof *fresh->marks);
    fresh->hashes = gr_calloc((size_t)size, sizeof *fresh->hashes);
    fresh->nodes = gr_calloc((size_t)size, sizeof *fresh->nodes);
    fresh->stored = gr_calloc((size_t)size, sizeof *fresh->stored);
    fresh->written = gr_calloc((size_t)size, sizeof *fresh->written);
    return fresh->keys != NULL && fresh->slots != NULL && fresh->tile_keys != NULL && fresh->marks != NULL &&
           fresh->hashes != NULL && fresh->nodes != NULL && fresh->stored != NULL && fresh->written != NULL;
}

static void free_tables(const GrRuts *ruts)
{
    gr_free(ruts->keys);
    gr_free(ruts->slots);
    gr_free(ruts->tile_keys);
    gr_free(ruts->marks);
    gr_free(ruts->hashes);
    gr_free(ruts->nodes);
    gr_free(ruts->stored);
    gr_free(ruts->written);
}

/// Hash of a tile of one grid becomes that of a tile of another with the same content.
static void copy_hash(GrRuts *to, int32_t tile, const GrRuts *from, int32_t other)
{
    atomic_store_explicit(&to->hashes[tile], atomic_load_explicit(&from->hashes[other], memory_order_relaxed),
                          memory_order_relaxed);
}

/// A tile is about to change.
static void forget_hash(GrRuts *ruts, int32_t tile)
{
    atomic_store_explicit(&ruts->hashes[tile], 0, memory_order_relaxed);
}

static void set_nodes(GrRuts *ruts, int32_t tile, unsigned char *nodes)
{
    atomic_store_explicit(&ruts->nodes[tile], nodes, memory_order_release);
}

/// Tables for at least so many tiles. Tiles do not move.
static GrStatus grow_tables(GrRuts *ruts, int32_t size)
{
    GrRuts fresh = *ruts;
    if (ruts->nodes != NULL && size <= ruts->block.table_size) {
        return GR_OK;
    }
    if (!make_tables(&fresh, size)) {
        free_tables(&fresh);
        return GR_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < ruts->block.tile_capacity; k++) {
        set_nodes(&fresh, k, gr_ruts_nodes(ruts, k));
    }
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        put_key(&fresh, ruts->tile_keys[k], k);
        fresh.marks[k] = ruts->marks[k];
        fresh.stored[k] = ruts->stored[k];
        fresh.written[k] = ruts->written[k];
        copy_hash(&fresh, k, ruts, k);
    }
    free_tables(ruts);
    *ruts = fresh;
    return GR_OK;
}

/// Makes room for `capacity` tiles, no fewer than before.
static GrStatus set_capacity(GrRuts *ruts, int32_t capacity)
{
    const int32_t half = ruts->block.table_size + ruts->block.table_size / 2; // tables are rarely copied
    if (capacity > ruts->block.table_size && grow_tables(ruts, capacity > half ? capacity : half) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    while (ruts->block.tile_capacity < capacity) {
        unsigned char *nodes = gr_calloc(1, ruts->block.tile_size);
        if (nodes == NULL) {
            return GR_ERROR_MEMORY;
        }
        set_nodes(ruts, ruts->block.tile_capacity++, nodes);
    }
    return GR_OK;
}

static GrRuts *make_ruts(const GrRutsDef *def, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (!(def->cell > 0 && isfinite(def->cell))) {
        gr_error_add(log, GR_ERROR_VALUE, nowhere, "the cell of the ruts must be above 0, not %g m", def->cell);
        return NULL;
    }
    if (def->state_count < 0 || def->state_count > GR_RUT_STATES || def->tile_capacity < 1) {
        gr_error_add(log, GR_ERROR_VALUE, nowhere, "ruts have 0 to %d states a node and room for 1 tile or more",
                     GR_RUT_STATES);
        return NULL;
    }
    GrRuts *ruts = gr_calloc(1, sizeof *ruts);
    if (ruts != NULL) {
        ruts->def = *def;
        ruts->per_cell = 1 / def->cell;
        ruts->block.tile_size =
            (size_t)GR_RUT_NODES * GR_RUT_NODES * (sizeof(double) + (size_t)def->state_count * sizeof(float));
        if (set_capacity(ruts, def->tile_capacity) == GR_OK) {
            return ruts;
        }
        gr_ruts_free(ruts);
    }
    gr_out_of_memory(log, NULL);
    return NULL;
}

GrStatus gr_ruts_create(const GrRutsDef *def, GrRuts **out, GrErrorLog *log)
{
    *out = make_ruts(def, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_VALUE);
}

/// Frees the tiles and the tables.
static void free_tiles(GrRuts *ruts)
{
    for (int32_t k = 0; k < ruts->block.tile_capacity; k++) {
        gr_free(gr_ruts_nodes(ruts, k));
    }
    gr_store_close(&ruts->store);
    free_tables(ruts);
}

void gr_ruts_free(GrRuts *ruts)
{
    if (ruts != NULL) {
        free_tiles(ruts);
        gr_free(ruts->journal.tiles);
        gr_free(ruts->journal.before);
        gr_free(ruts->place.crs);
        gr_free(ruts);
    }
}

const GrRutsDef *gr_ruts_def(const GrRuts *ruts)
{
    return &ruts->def;
}

/// The last tile becomes a ready one again. Its nodes are NULL while it is in the file: then there is one less.
static void release_last(GrRuts *ruts)
{
    const int32_t last = --ruts->block.tile_count, end = ruts->block.tile_capacity - 1;
    unsigned char *nodes = gr_ruts_nodes(ruts, last);
    ruts->stored[last] = (GrStoredTile){0};
    if (nodes != NULL) {
        memset(nodes, 0, ruts->block.tile_size);
        return;
    }
    set_nodes(ruts, last, gr_ruts_nodes(ruts, end));
    set_nodes(ruts, end, NULL);
    ruts->block.tile_capacity = end;
}

void gr_ruts_clear(GrRuts *ruts)
{
    ruts->journal.open = false;
    memset(ruts->keys, 0, ruts->block.slot_count * sizeof *ruts->keys);
    while (ruts->block.tile_count > 0) {
        release_last(ruts);
    }
    gr_store_close(&ruts->store);
}

/// The nodes of a tile in memory; NULL: it is in the file. Frees what they replace.
static void replace_nodes(GrRuts *ruts, int32_t tile, unsigned char *nodes)
{
    gr_free(gr_ruts_nodes(ruts, tile));
    set_nodes(ruts, tile, nodes);
}

/// A tile in the file of other ruts goes into the own file, or into memory where there is none.
static GrStatus copy_stored(GrRuts *to, const GrRuts *from, int32_t tile)
{
    const size_t size = from->stored[tile].size;
    unsigned char *packed = gr_malloc(size), *nodes = NULL;
    bool good = packed != NULL && gr_store_get(&from->store, &from->stored[tile], packed);
    if (good && !gr_store_put(&to->store, &to->stored[tile], packed, size)) {
        nodes = gr_malloc(to->block.tile_size);
        good = nodes != NULL && gr_ruts_unpack(packed, size, to->def.state_count, nodes) > 0;
        to->stored[tile].size = 0;
    }
    gr_free(packed);
    if (!good) {
        gr_free(nodes);
        return GR_ERROR_MEMORY;
    }
    replace_nodes(to, tile, nodes);
    return GR_OK;
}

static GrStatus copy_nodes(GrRuts *to, int32_t tile, const unsigned char *nodes)
{
    unsigned char *own = gr_ruts_nodes(to, tile), *room = own != NULL ? own : gr_malloc(to->block.tile_size);
    if (room == NULL) {
        return GR_ERROR_MEMORY;
    }
    memcpy(room, nodes, to->block.tile_size);
    to->stored[tile].size = 0;
    set_nodes(to, tile, room);
    return GR_OK;
}

/// Makes the content of a tile that of the same one in other ruts, in the file if that is.
static GrStatus copy_tile(GrRuts *to, const GrRuts *from, int32_t tile)
{
    const unsigned char *nodes = gr_ruts_nodes(from, tile);
    const GrStatus status = nodes != NULL ? copy_nodes(to, tile, nodes) : copy_stored(to, from, tile);
    if (status == GR_OK) {
        to->written[tile] = to->round;
        copy_hash(to, tile, from, tile);
    }
    return status;
}

/// The next tile, ready: one of the reserve, or a new one.
static GrStatus add_tile(GrRuts *ruts, uint64_t key)
{
    const int32_t tile = ruts->block.tile_count;
    if (tile == ruts->block.tile_capacity && set_capacity(ruts, tile + 1) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    ruts->block.tile_count++;
    put_key(ruts, key, tile);
    return GR_OK;
}

/// Takes the shape of other ruts, whose tiles have another size.
static GrStatus take_shape(GrRuts *to, const GrRuts *from)
{
    GrRutsDef def = from->def;
    def.tile_capacity = 1;
    GrRuts *fresh = NULL;
    if (gr_ruts_create(&def, &fresh, NULL) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    GrRuts old = *to;
    *to = *fresh;
    to->place = old.place;
    to->placed = old.placed;
    old.place.crs = NULL;
    *fresh = old;
    gr_ruts_free(fresh);
    return GR_OK;
}

GrStatus gr_ruts_copy(GrRuts *to, const GrRuts *from)
{
    if (to == from) {
        return GR_OK;
    }
    if (from->placed && gr_ruts_set_georeference(to, &from->place) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    if (to->block.tile_size != from->block.tile_size && take_shape(to, from) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    GrStatus status = grow_tables(to, from->block.tile_count);
    if (status != GR_OK) {
        return status;
    }
    to->def = from->def;
    to->per_cell = from->per_cell;
    to->journal.open = false;
    atomic_store(&to->lost, gr_ruts_is_lost(from));
    while (to->block.tile_count > from->block.tile_count) {
        release_last(to);
    }
    memset(to->keys, 0, to->block.slot_count * sizeof *to->keys);
    for (int32_t k = 0; k < to->block.tile_count; k++) {
        put_key(to, from->tile_keys[k], k);
    }
    for (int32_t k = 0; k < from->block.tile_count && status == GR_OK; k++) {
        status = k < to->block.tile_count ? GR_OK : add_tile(to, from->tile_keys[k]);
        status = status == GR_OK ? copy_tile(to, from, k) : status;
    }
    const int32_t room = from->block.tile_capacity;
    return status == GR_OK && to->block.tile_capacity < room ? set_capacity(to, room) : status;
}

static size_t tile_memory(const GrRuts *ruts)
{
    size_t tiles = 0;
    for (int32_t k = 0; k < ruts->block.tile_capacity; k++) {
        tiles += gr_ruts_nodes(ruts, k) != NULL ? ruts->block.tile_size : 0;
    }
    return tiles;
}

size_t gr_ruts_memory(const GrRuts *ruts)
{
    const size_t table = (size_t)ruts->block.table_size, slots = ruts->block.slot_count;
    return tile_memory(ruts) + slots * (sizeof *ruts->keys + sizeof *ruts->slots) +
           table * (sizeof *ruts->tile_keys + sizeof *ruts->marks + sizeof *ruts->hashes + sizeof *ruts->nodes +
                    sizeof *ruts->stored + sizeof *ruts->written);
}

/// Puts a tile into the file and frees its nodes, or keeps them ready for a new tile. False: it stays in memory.
static bool store_tile(GrRuts *ruts, int32_t tile, unsigned char *room)
{
    unsigned char *nodes = gr_ruts_nodes(ruts, tile);
    if (ruts->stored[tile].size == 0) {
        gr_ruts_hash_tile(ruts, tile); // which is kept
        const size_t size = gr_ruts_pack(nodes, ruts->def.state_count, room);
        if (!gr_store_put(&ruts->store, &ruts->stored[tile], room, size)) {
            return false;
        }
    }
    set_nodes(ruts, tile, NULL);
    if (ruts->block.tile_capacity - ruts->block.tile_count < GROWTH_MAX &&
        ruts->block.tile_capacity < ruts->block.table_size) {
        memset(nodes, 0, ruts->block.tile_size);
        set_nodes(ruts, ruts->block.tile_capacity++, nodes);
    } else {
        gr_free(nodes);
    }
    return true;
}

/// Stores the tiles that wheels have left, where there are too many in memory.
static void store_old(GrRuts *ruts)
{
    ruts->round++;
    unsigned char *room = ruts->round > ROUNDS_OPEN && tile_memory(ruts) > MEMORY_MOST
                              ? gr_malloc(ruts->block.tile_size + GR_RUT_TILE_NODES / 8)
                              : NULL;
    bool good = room != NULL;
    for (int32_t k = 0; k < ruts->block.tile_count && good; k++) {
        if (gr_ruts_nodes(ruts, k) != NULL && ruts->round - ruts->written[k] > ROUNDS_OPEN) {
            good = store_tile(ruts, k, room);
        }
    }
    gr_free(room);
}

GrStatus gr_ruts_reserve(GrRuts *ruts, int extra)
{
    const int64_t wanted = (int64_t)ruts->block.tile_count + extra;
    if (gr_ruts_is_lost(ruts) || wanted > INT32_MAX / 8) {
        return GR_ERROR_MEMORY;
    }
    if (wanted <= ruts->block.tile_capacity) {
        return GR_OK;
    }
    // Tables first, so that stored tiles leave room for others. A growing track grows by half, but at most by as many
    // tiles as is worth a look at what may be stored.
    const int64_t half = ruts->block.tile_capacity / 2;
    const int64_t grown = ruts->block.tile_capacity + (half < GROWTH_MAX ? half : GROWTH_MAX);
    const int32_t capacity = (int32_t)(wanted > grown ? wanted : grown);
    if (capacity > ruts->block.table_size && grow_tables(ruts, capacity + capacity / 2) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    if (half >= GROWTH_MAX) { // short tracks are not worth it
        store_old(ruts);
    }
    const int64_t ready = ruts->block.tile_capacity - ruts->block.tile_count;
    return ready >= GROWTH_MAX && ready >= extra ? GR_OK : set_capacity(ruts, capacity);
}

int gr_ruts_tile_count(const GrRuts *ruts)
{
    return ruts->block.tile_count;
}

int gr_ruts_tiles_free(const GrRuts *ruts)
{
    return ruts->block.tile_capacity - ruts->block.tile_count;
}

/// Makes room for a number of tiles; what is saved stays. False when out of memory.
static bool extend_journal(GrRuts *ruts, int32_t capacity)
{
    GrRutsJournal *journal = &ruts->journal;
    int32_t *tiles = gr_realloc(journal->tiles, (size_t)capacity * sizeof *tiles);
    journal->tiles = tiles != NULL ? tiles : journal->tiles;
    unsigned char *before =
        tiles != NULL ? gr_realloc(journal->before, (size_t)capacity * ruts->block.tile_size) : NULL;
    if (before == NULL) {
        return false;
    }
    journal->before = before;
    journal->capacity = capacity;
    return true;
}

/// Saves a tile as it was at the mark, before the first write since then.
static inline void keep_tile(GrRuts *ruts, int32_t tile, const unsigned char *nodes)
{
    GrRutsJournal *journal = &ruts->journal;
    if (!journal->open || tile >= journal->base || ruts->marks[tile] == journal->epoch) {
        return;
    }
    if (journal->count == journal->capacity && !extend_journal(ruts, journal->capacity + journal->capacity / 2 + 1)) {
        journal->lost = true;
        return;
    }
    ruts->marks[tile] = journal->epoch;
    journal->tiles[journal->count] = tile;
    memcpy(journal->before + (size_t)journal->count++ * ruts->block.tile_size, nodes, ruts->block.tile_size);
}

/// The nodes of a tile that is about to change; NULL: out of memory.
static inline unsigned char *write_nodes(GrRuts *ruts, int32_t tile)
{
    unsigned char *nodes = gr_ruts_nodes(ruts, tile);
    if (ruts->stored[tile].size > 0) {
        nodes = nodes != NULL ? nodes : gr_ruts_load_tile(ruts, tile);
        if (nodes == NULL) {
            atomic_store(&ruts->lost, true);
            return NULL;
        }
        ruts->stored[tile].size = 0;
    }
    ruts->written[tile] = ruts->round;
    forget_hash(ruts, tile);
    return nodes;
}

/// The same for a tile that is there, saved for gr_ruts_undo().
static inline unsigned char *change_nodes(GrRuts *ruts, int32_t tile)
{
    unsigned char *nodes = write_nodes(ruts, tile);
    if (nodes != NULL) {
        keep_tile(ruts, tile, nodes);
    }
    return nodes;
}

/// The nodes of the tile of a node for writing, created if needed; NULL when all tiles are used.
static unsigned char *make_tile(GrRuts *ruts, int64_t i, int64_t j)
{
    const uint64_t key = gr_ruts_key(i, j);
    const int32_t tile = gr_ruts_find(ruts, key);
    if (tile >= 0) {
        return change_nodes(ruts, tile);
    }
    if (ruts->block.tile_count == ruts->block.tile_capacity) {
        return NULL;
    }
    put_key(ruts, key, ruts->block.tile_count);
    return write_nodes(ruts, ruts->block.tile_count++);
}

/// Removes a key and moves up the keys that probed past it, so that no search ends too early.
static void take_key(GrRuts *ruts, uint64_t key)
{
    const uint32_t mask = ruts->block.slot_count - 1;
    uint32_t hole = gr_ruts_slot(ruts, key);
    while (ruts->keys[hole] != key) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; ruts->keys[at] != 0; at = (at + 1) & mask) {
        // A key may move into the gap unless its home slot is between the gap and its slot.
        if (((at - gr_ruts_slot(ruts, ruts->keys[at])) & mask) >= ((at - hole) & mask)) {
            ruts->keys[hole] = ruts->keys[at];
            ruts->slots[hole] = ruts->slots[at];
            hole = at;
        }
    }
    ruts->keys[hole] = 0;
}

void gr_ruts_tile_drop(GrRuts *ruts, int k)
{
    const int32_t last = ruts->block.tile_count - 1;
    take_key(ruts, ruts->tile_keys[k]);
    if (k != last) {
        unsigned char *nodes = gr_ruts_nodes(ruts, k);
        const GrStoredTile stored = ruts->stored[k];
        take_key(ruts, ruts->tile_keys[last]);
        put_key(ruts, ruts->tile_keys[last], k);
        set_nodes(ruts, k, gr_ruts_nodes(ruts, last));
        set_nodes(ruts, last, nodes);
        ruts->stored[k] = ruts->stored[last];
        ruts->stored[last] = stored;
        ruts->written[k] = ruts->written[last];
        copy_hash(ruts, k, ruts, last);
    }
    release_last(ruts);
}

/// From now on tiles are saved before their first write.
static void open_journal(GrRuts *ruts)
{
    GrRutsJournal *journal = &ruts->journal;
    journal->epoch++;
    if (journal->epoch == 0) { // the counter wrapped around
        memset(ruts->marks, 0, (size_t)ruts->block.tile_capacity * sizeof *ruts->marks);
        journal->epoch = 1;
    }
    journal->base = ruts->block.tile_count;
    journal->count = 0;
    journal->lost = false;
    journal->open = true;
}

GrStatus gr_ruts_mark(GrRuts *ruts, int tiles)
{
    GrRutsJournal *journal = &ruts->journal;
    if (tiles > journal->capacity && !extend_journal(ruts, tiles)) {
        return GR_ERROR_MEMORY;
    }
    open_journal(ruts);
    return GR_OK;
}

GrStatus gr_ruts_undo(GrRuts *ruts)
{
    GrRutsJournal *journal = &ruts->journal;
    if (!journal->open || journal->lost) {
        return GR_ERROR_MEMORY;
    }
    while (ruts->block.tile_count > journal->base) {
        journal->open = false;
        gr_ruts_tile_drop(ruts, ruts->block.tile_count - 1);
    }
    for (int32_t k = 0; k < journal->count; k++) {
        unsigned char *nodes = write_nodes(ruts, journal->tiles[k]);
        if (nodes == NULL) {
            return GR_ERROR_MEMORY;
        }
        memcpy(nodes, journal->before + (size_t)k * ruts->block.tile_size, ruts->block.tile_size);
    }
    open_journal(ruts);
    return GR_OK;
}

GrStatus gr_ruts_set_georeference(GrRuts *ruts, const GrGeoreference *place)
{
    const char *crs = place->crs != NULL ? place->crs : "";
    char *copy = gr_malloc(strlen(crs) + 1);
    if (copy == NULL) {
        return GR_ERROR_MEMORY;
    }
    memcpy(copy, crs, strlen(crs) + 1);
    gr_free(ruts->place.crs);
    ruts->place = *place;
    ruts->place.crs = copy;
    ruts->placed = true;
    return GR_OK;
}

const GrGeoreference *gr_ruts_georeference(const GrRuts *ruts)
{
    return ruts->placed ? &ruts->place : NULL;
}

static inline GrRutsTile tile_of(unsigned char *nodes)
{
    double *heights = (double *)(void *)nodes;
    return (GrRutsTile){heights, nodes != NULL ? (float *)(void *)(heights + GR_RUT_TILE_NODES) : NULL};
}

double *gr_ruts_height(GrRuts *ruts, int64_t i, int64_t j)
{
    const GrRutsTile tile = tile_of(make_tile(ruts, i, j));
    return tile.heights != NULL ? tile.heights + gr_ruts_node(i, j) : NULL;
}

float *gr_ruts_states(GrRuts *ruts, int64_t i, int64_t j)
{
    const GrRutsTile tile = tile_of(make_tile(ruts, i, j));
    return tile.states != NULL ? tile.states + gr_ruts_node(i, j) * ruts->def.state_count : NULL;
}

GrRutsTile gr_ruts_tile_make(GrRuts *ruts, int64_t i, int64_t j)
{
    return tile_of(make_tile(ruts, i, j));
}

GrRutsTile gr_ruts_tile_change(GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = gr_ruts_find(ruts, gr_ruts_key(i, j));
    return tile_of(tile >= 0 ? change_nodes(ruts, tile) : NULL);
}
