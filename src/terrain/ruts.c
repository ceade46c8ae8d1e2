/// Ruts: sparse tiles of changed heights and soil states, in the order in which wheels reached them.
#include "ruts.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <math.h>
#include <string.h>

enum { MAX_STATES = 64, GROWTH_MAX = 8 * GR_RUT_CHUNK };

GrRutsDef gr_default_ruts_def(void)
{
    return (GrRutsDef){.cell = 0.02, .tile_capacity = 64};
}

/// Never 0: both halves carry an offset of 2^31.
static inline uint64_t tile_key(int64_t i, int64_t j)
{
    const uint64_t tx = (uint64_t)((i >> GR_RUT_SHIFT) + ((int64_t)1 << 31));
    const uint64_t ty = (uint64_t)((j >> GR_RUT_SHIFT) + ((int64_t)1 << 31));
    return ty << 32 | (tx & 0xffffffffu);
}

static inline uint32_t hash_key(const GrRuts *ruts, uint64_t key)
{
    return (uint32_t)(((key ^ key >> 29) * 0x9e3779b97f4a7c15u) >> 32) & (ruts->block.slot_count - 1);
}

/// Index of a tile, −1 when there is none.
static inline int32_t find_tile(const GrRuts *ruts, uint64_t key)
{
    for (uint32_t at = hash_key(ruts, key);; at = (at + 1) & (ruts->block.slot_count - 1)) {
        if (ruts->keys[at] == key) {
            return ruts->slots[at];
        }
        if (ruts->keys[at] == 0) {
            return -1;
        }
    }
}

static inline double *tile_heights(const GrRuts *ruts, int32_t tile)
{
    unsigned char *chunk = ruts->chunks[tile >> GR_RUT_CHUNK_SHIFT];
    return (double *)(void *)(chunk + (size_t)(tile & (GR_RUT_CHUNK - 1)) * ruts->block.tile_size);
}

static inline float *tile_states(const GrRuts *ruts, int32_t tile)
{
    return (float *)(void *)(tile_heights(ruts, tile) + GR_RUT_NODES * GR_RUT_NODES);
}

static inline ptrdiff_t node_of(int64_t i, int64_t j)
{
    return (ptrdiff_t)((j & (GR_RUT_NODES - 1)) * GR_RUT_NODES + (i & (GR_RUT_NODES - 1)));
}

static void put_key(GrRuts *ruts, uint64_t key, int32_t tile)
{
    uint32_t at = hash_key(ruts, key);
    while (ruts->keys[at] != 0) {
        at = (at + 1) & (ruts->block.slot_count - 1);
    }
    ruts->keys[at] = key;
    ruts->slots[at] = tile;
    ruts->tile_keys[tile] = key;
}

static int32_t chunks_for(int32_t capacity)
{
    return (capacity + GR_RUT_CHUNK - 1) >> GR_RUT_CHUNK_SHIFT;
}

/// Allocates empty tables for a capacity; other fields of `fresh` do not change. After a failure the caller frees them.
static bool make_tables(GrRuts *fresh, int32_t capacity)
{
    uint32_t slot_count = 16;
    while (slot_count < 2u * (uint32_t)capacity) {
        slot_count *= 2;
    }
    fresh->block.slot_count = slot_count;
    fresh->block.tile_capacity = capacity;
    fresh->keys = gr_calloc(slot_count, sizeof *fresh->keys);
    fresh->slots = gr_calloc(slot_count, sizeof *fresh->slots);
    fresh->tile_keys = gr_calloc((size_t)capacity, sizeof *fresh->tile_keys);
    fresh->marks = gr_calloc((size_t)capacity, sizeof *fresh->marks);
    fresh->hashes = gr_calloc((size_t)capacity, sizeof *fresh->hashes);
    fresh->chunks = gr_calloc((size_t)chunks_for(capacity), sizeof *fresh->chunks);
    return fresh->keys != NULL && fresh->slots != NULL && fresh->tile_keys != NULL && fresh->marks != NULL &&
           fresh->hashes != NULL && fresh->chunks != NULL;
}

static void free_tables(const GrRuts *ruts)
{
    gr_free(ruts->keys);
    gr_free(ruts->slots);
    gr_free(ruts->tile_keys);
    gr_free(ruts->marks);
    gr_free(ruts->hashes);
    gr_free(ruts->chunks);
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

/// Makes room for `capacity` tiles, no fewer than before. Tiles do not move: only the tables are reallocated.
static GrStatus set_capacity(GrRuts *ruts, int32_t capacity)
{
    GrRuts fresh = *ruts;
    const int32_t had = ruts->chunks != NULL ? chunks_for(ruts->block.tile_capacity) : 0;
    bool good = make_tables(&fresh, capacity);
    for (int32_t k = 0; good && k < chunks_for(capacity); k++) {
        fresh.chunks[k] = k < had ? ruts->chunks[k] : gr_calloc(GR_RUT_CHUNK, ruts->block.tile_size);
        good = fresh.chunks[k] != NULL;
    }
    if (!good) {
        for (int32_t k = had; fresh.chunks != NULL && k < chunks_for(capacity); k++) {
            gr_free(fresh.chunks[k]);
        }
        free_tables(&fresh);
        return GR_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        put_key(&fresh, ruts->tile_keys[k], k);
        fresh.marks[k] = ruts->marks[k];
        copy_hash(&fresh, k, ruts, k);
    }
    free_tables(ruts);
    *ruts = fresh;
    return GR_OK;
}

GrRuts *gr_ruts_create(const GrRutsDef *def, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (!(def->cell > 0 && isfinite(def->cell))) {
        gr_error_add(log, GR_ERROR_VALUE, nowhere, "the cell of the ruts must be above 0, not %g m", def->cell);
        return NULL;
    }
    if (def->state_count < 0 || def->state_count > MAX_STATES || def->tile_capacity < 1) {
        gr_error_add(log, GR_ERROR_VALUE, nowhere, "ruts have 0 to %d states a node and room for 1 tile or more",
                     MAX_STATES);
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
        gr_free(ruts);
    }
    gr_out_of_memory(log, NULL);
    return NULL;
}

void gr_ruts_free(GrRuts *ruts)
{
    if (ruts != NULL) {
        for (int32_t k = 0; k < chunks_for(ruts->block.tile_capacity); k++) {
            gr_free(ruts->chunks[k]);
        }
        free_tables(ruts);
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

void gr_ruts_clear(GrRuts *ruts)
{
    ruts->journal.open = false;
    memset(ruts->keys, 0, ruts->block.slot_count * sizeof *ruts->keys);
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        memset(tile_heights(ruts, k), 0, ruts->block.tile_size);
    }
    ruts->block.tile_count = 0;
}

GrStatus gr_ruts_copy(GrRuts *to, const GrRuts *from)
{
    if (to == from) {
        return GR_OK;
    }
    if (from->placed && gr_ruts_set_georeference(to, &from->place) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    if (to->block.tile_size != from->block.tile_size) { // different states: tiles of a different size
        GrRutsDef def = from->def;
        def.tile_capacity = from->block.tile_capacity;
        GrRuts *fresh = gr_ruts_create(&def, NULL);
        if (fresh == NULL) {
            return GR_ERROR_MEMORY;
        }
        GrRuts old = *to;
        *to = *fresh;
        to->place = old.place;
        to->placed = old.placed;
        old.place.crs = NULL;
        *fresh = old;
        gr_ruts_free(fresh);
    }
    if (to->block.tile_capacity < from->block.tile_capacity && set_capacity(to, from->block.tile_capacity) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    to->def = from->def;
    to->per_cell = from->per_cell;
    to->journal.open = false;
    memset(to->keys, 0, to->block.slot_count * sizeof *to->keys);
    for (int32_t k = from->block.tile_count; k < to->block.tile_count; k++) {
        memset(tile_heights(to, k), 0, to->block.tile_size);
    }
    for (int32_t k = 0; k < from->block.tile_count; k++) {
        put_key(to, from->tile_keys[k], k);
        memcpy(tile_heights(to, k), tile_heights(from, k), to->block.tile_size);
        copy_hash(to, k, from, k);
    }
    to->block.tile_count = from->block.tile_count;
    return GR_OK;
}

size_t gr_ruts_memory(const GrRuts *ruts)
{
    const size_t capacity = (size_t)ruts->block.tile_capacity, slots = ruts->block.slot_count;
    return (size_t)chunks_for(ruts->block.tile_capacity) *
               (GR_RUT_CHUNK * ruts->block.tile_size + sizeof *ruts->chunks) +
           slots * (sizeof *ruts->keys + sizeof *ruts->slots) +
           capacity * (sizeof *ruts->tile_keys + sizeof *ruts->marks + sizeof *ruts->hashes);
}

GrStatus gr_ruts_reserve(GrRuts *ruts, int extra)
{
    const int64_t wanted = (int64_t)ruts->block.tile_count + extra;
    if (wanted <= ruts->block.tile_capacity) {
        return GR_OK;
    }
    // Grow by half, so that the tables are not reallocated for every tile of a growing track, but at most by a few
    // chunks, so that little memory is wasted.
    const int64_t half = ruts->block.tile_capacity / 2;
    const int64_t grown = ruts->block.tile_capacity + (half < GROWTH_MAX ? half : GROWTH_MAX);
    const int64_t capacity = wanted > grown ? wanted : grown;
    return capacity > INT32_MAX / 4 ? GR_ERROR_MEMORY : set_capacity(ruts, (int32_t)capacity);
}

int gr_ruts_tile_count(const GrRuts *ruts)
{
    return ruts->block.tile_count;
}

int gr_ruts_tiles_free(const GrRuts *ruts)
{
    return ruts->block.tile_capacity - ruts->block.tile_count;
}

/// Saves a tile as it was at the mark, before the first write since then.
static inline void keep_tile(GrRuts *ruts, int32_t tile)
{
    GrRutsJournal *journal = &ruts->journal;
    if (!journal->open || tile >= journal->base || ruts->marks[tile] == journal->epoch) {
        return;
    }
    if (journal->count == journal->capacity) {
        journal->lost = true;
        return;
    }
    ruts->marks[tile] = journal->epoch;
    journal->tiles[journal->count] = tile;
    memcpy(journal->before + (size_t)journal->count++ * ruts->block.tile_size, tile_heights(ruts, tile),
           ruts->block.tile_size);
}

/// The tile of a node for writing, created if needed; −1 when all tiles are used.
static int32_t make_tile(GrRuts *ruts, int64_t i, int64_t j)
{
    const uint64_t key = tile_key(i, j);
    int32_t tile = find_tile(ruts, key);
    if (tile < 0 && ruts->block.tile_count < ruts->block.tile_capacity) {
        tile = ruts->block.tile_count++;
        put_key(ruts, key, tile);
    } else if (tile >= 0) {
        keep_tile(ruts, tile);
    }
    if (tile >= 0) {
        forget_hash(ruts, tile);
    }
    return tile;
}

/// Removes a key and moves up the keys that probed past it, so that no search ends too early.
static void take_key(GrRuts *ruts, uint64_t key)
{
    const uint32_t mask = ruts->block.slot_count - 1;
    uint32_t hole = hash_key(ruts, key);
    while (ruts->keys[hole] != key) {
        hole = (hole + 1) & mask;
    }
    for (uint32_t at = (hole + 1) & mask; ruts->keys[at] != 0; at = (at + 1) & mask) {
        // A key may move into the gap unless its home slot is between the gap and its slot.
        if (((at - hash_key(ruts, ruts->keys[at])) & mask) >= ((at - hole) & mask)) {
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
        take_key(ruts, ruts->tile_keys[last]);
        put_key(ruts, ruts->tile_keys[last], k);
        memcpy(tile_heights(ruts, k), tile_heights(ruts, last), ruts->block.tile_size);
        copy_hash(ruts, k, ruts, last);
    }
    memset(tile_heights(ruts, last), 0, ruts->block.tile_size);
    ruts->block.tile_count = last;
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
    if (tiles > journal->capacity) {
        int32_t *numbers = gr_malloc((size_t)tiles * sizeof *numbers);
        unsigned char *before = gr_malloc((size_t)tiles * ruts->block.tile_size);
        if (numbers == NULL || before == NULL) {
            gr_free(numbers);
            gr_free(before);
            return GR_ERROR_MEMORY;
        }
        gr_free(journal->tiles);
        gr_free(journal->before);
        journal->tiles = numbers;
        journal->before = before;
        journal->capacity = tiles;
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
        memcpy(tile_heights(ruts, journal->tiles[k]), journal->before + (size_t)k * ruts->block.tile_size,
               ruts->block.tile_size);
        forget_hash(ruts, journal->tiles[k]);
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

double *gr_ruts_height(GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = make_tile(ruts, i, j);
    return tile < 0 ? NULL : tile_heights(ruts, tile) + node_of(i, j);
}

float *gr_ruts_states(GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = make_tile(ruts, i, j);
    return tile < 0 ? NULL : tile_states(ruts, tile) + node_of(i, j) * ruts->def.state_count;
}

static GrRutsTile tile_at(const GrRuts *ruts, int32_t tile)
{
    return tile < 0 ? (GrRutsTile){NULL, NULL} : (GrRutsTile){tile_heights(ruts, tile), tile_states(ruts, tile)};
}

static GrRutsTileView view_of(GrRutsTile tile)
{
    return (GrRutsTileView){tile.heights, tile.states};
}

GrRutsTileView gr_ruts_tile_find(const GrRuts *ruts, int64_t i, int64_t j)
{
    return view_of(tile_at(ruts, find_tile(ruts, tile_key(i, j))));
}

GrRutsTile gr_ruts_tile_make(GrRuts *ruts, int64_t i, int64_t j)
{
    return tile_at(ruts, make_tile(ruts, i, j));
}

GrRutsTile gr_ruts_tile_change(GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = find_tile(ruts, tile_key(i, j));
    if (tile >= 0) {
        keep_tile(ruts, tile);
        forget_hash(ruts, tile);
    }
    return tile_at(ruts, tile);
}

GrRutsTileView gr_ruts_tile_at(const GrRuts *ruts, int k, int64_t *i, int64_t *j)
{
    const uint64_t key = ruts->tile_keys[k];
    *i = ((int64_t)(key & 0xffffffffu) - ((int64_t)1 << 31)) * GR_RUT_NODES;
    *j = ((int64_t)(key >> 32) - ((int64_t)1 << 31)) * GR_RUT_NODES;
    return view_of(tile_at(ruts, k));
}

double gr_ruts_get(const GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = find_tile(ruts, tile_key(i, j));
    return tile < 0 ? 0 : tile_heights(ruts, tile)[node_of(i, j)];
}

const float *gr_ruts_states_get(const GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = find_tile(ruts, tile_key(i, j));
    return tile < 0 ? NULL : tile_states(ruts, tile) + node_of(i, j) * ruts->def.state_count;
}

GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y)
{
    const double u = x * ruts->per_cell, v = y * ruts->per_cell;
    const double fu = floor(u), fv = floor(v);
    const int64_t i = (int64_t)fu, j = (int64_t)fv;
    const int before = ruts->def.interpolation == GR_BICUBIC ? 1 : 0, count = 2 + 2 * before;
    const int64_t li = (i & (GR_RUT_NODES - 1)) - before, lj = (j & (GR_RUT_NODES - 1)) - before;
    // All nodes are in one tile, the usual case.
    if (li >= 0 && lj >= 0 && li + count <= GR_RUT_NODES && lj + count <= GR_RUT_NODES) {
        const int32_t tile = find_tile(ruts, tile_key(i, j));
        if (tile < 0) {
            return (GrSlope){0, 0, 0};
        }
        return gr_interpolate(ruts->def.interpolation, tile_heights(ruts, tile) + node_of(i, j), GR_RUT_NODES, u - fu,
                              v - fv, ruts->per_cell, ruts->per_cell);
    }
    double nodes[4][4];
    for (int b = 0; b < count; b++) {
        for (int a = 0; a < count; a++) {
            nodes[b][a] = gr_ruts_get(ruts, i - before + a, j - before + b);
        }
    }
    return gr_interpolate(ruts->def.interpolation, &nodes[before][before], 4, u - fu, v - fv, ruts->per_cell,
                          ruts->per_cell);
}
