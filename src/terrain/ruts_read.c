/// Ruts as their readers see them: heights, states and slopes at any place, in memory or in the file; hash and volume.
#include "alloc.h"
#include "ruts_tiles.h"
#include "whole.h"

#include <math.h>
#include <string.h>

/// What is read where memory is out (GrRuts::lost).
static const unsigned char NOTHING[GR_RUT_TILE_NODES * (sizeof(double) + GR_RUT_STATES * sizeof(float))];

/// False: out of memory, or the file cannot be read.
static bool load_into(const GrRuts *ruts, int32_t tile, unsigned char *nodes)
{
    const GrStoredTile *stored = &ruts->stored[tile];
    unsigned char *packed = gr_malloc(stored->size > 0 ? stored->size : 1);
    const bool good = packed != NULL && gr_store_get(&ruts->store, stored, packed) &&
                      gr_ruts_unpack(packed, stored->size, ruts->def.state_count, nodes) > 0;
    gr_free(packed);
    return good;
}

unsigned char *gr_ruts_load_tile(const GrRuts *ruts, int32_t tile)
{
    unsigned char *nodes = gr_malloc(ruts->block.tile_size), *others = NULL;
    if (nodes == NULL || !load_into(ruts, tile, nodes)) {
        gr_free(nodes);
        return NULL;
    }
    if (!atomic_compare_exchange_strong(&ruts->nodes[tile], &others, nodes)) {
        gr_free(nodes); // another reader was faster
        return others;
    }
    return nodes;
}

static inline const unsigned char *read_nodes(const GrRuts *ruts, int32_t tile)
{
    const unsigned char *nodes = gr_ruts_nodes(ruts, tile);
    if (nodes == NULL) {
        nodes = gr_ruts_load_tile(ruts, tile);
        if (nodes == NULL) {
            atomic_store(&((GrRuts *)ruts)->lost, true);
            return NOTHING;
        }
    }
    return nodes;
}

static inline const double *tile_heights(const GrRuts *ruts, int32_t tile)
{
    return (const double *)(const void *)read_nodes(ruts, tile);
}

static inline const float *tile_states(const GrRuts *ruts, int32_t tile)
{
    return (const float *)(const void *)(tile_heights(ruts, tile) + GR_RUT_TILE_NODES);
}

bool gr_ruts_is_lost(const GrRuts *ruts)
{
    return atomic_load_explicit(&ruts->lost, memory_order_relaxed);
}

static inline GrRutsTileView view_of(const unsigned char *nodes)
{
    const double *heights = (const double *)(const void *)nodes;
    return (GrRutsTileView){heights, nodes != NULL ? (const float *)(const void *)(heights + GR_RUT_TILE_NODES) : NULL};
}

GrRutsTileView gr_ruts_tile_find(const GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = gr_ruts_find(ruts, gr_ruts_key(i, j));
    return view_of(tile >= 0 ? read_nodes(ruts, tile) : NULL);
}

int gr_ruts_tile_number(const GrRuts *ruts, int64_t i, int64_t j)
{
    return gr_ruts_find(ruts, gr_ruts_key(i, j));
}

void gr_ruts_tile_place(const GrRuts *ruts, int k, int64_t *i, int64_t *j)
{
    const uint64_t key = ruts->tile_keys[k];
    *i = ((int64_t)(key & 0xffffffffu) - ((int64_t)1 << 31)) * GR_RUT_NODES;
    *j = ((int64_t)(key >> 32) - ((int64_t)1 << 31)) * GR_RUT_NODES;
}

GrRutsTileView gr_ruts_peek(const GrRuts *ruts, int k, GrRutsPeek *peek)
{
    const unsigned char *nodes = gr_ruts_nodes(ruts, k);
    if (nodes != NULL) {
        return view_of(nodes);
    }
    peek->room = peek->room != NULL ? peek->room : gr_malloc(ruts->block.tile_size);
    const bool good = peek->room != NULL && load_into(ruts, k, peek->room);
    return view_of(good ? peek->room : read_nodes(ruts, k)); // which remembers that it is lost
}

void gr_ruts_peek_end(GrRutsPeek *peek)
{
    gr_free(peek->room);
    peek->room = NULL;
}

double gr_ruts_get(const GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = gr_ruts_find(ruts, gr_ruts_key(i, j));
    return tile < 0 ? 0 : tile_heights(ruts, tile)[gr_ruts_node(i, j)];
}

const float *gr_ruts_states_get(const GrRuts *ruts, int64_t i, int64_t j)
{
    const int32_t tile = gr_ruts_find(ruts, gr_ruts_key(i, j));
    return tile < 0 ? NULL : tile_states(ruts, tile) + gr_ruts_node(i, j) * ruts->def.state_count;
}

GrSlope gr_ruts_slope(const GrRuts *ruts, double x, double y)
{
    const double u = x * ruts->per_cell, v = y * ruts->per_cell;
    const double fu = floor(u), fv = floor(v);
    const int64_t i = gr_whole(fu), j = gr_whole(fv);
    const int before = ruts->def.interpolation == GR_BICUBIC ? 1 : 0, count = 2 + 2 * before;
    const int64_t li = (i & (GR_RUT_NODES - 1)) - before, lj = (j & (GR_RUT_NODES - 1)) - before;
    // All nodes are in one tile, the usual case.
    if (li >= 0 && lj >= 0 && li + count <= GR_RUT_NODES && lj + count <= GR_RUT_NODES) {
        const int32_t tile = gr_ruts_find(ruts, gr_ruts_key(i, j));
        if (tile < 0) {
            return (GrSlope){0, 0, 0};
        }
        return gr_interpolate(ruts->def.interpolation, tile_heights(ruts, tile) + gr_ruts_node(i, j), GR_RUT_NODES,
                              u - fu, v - fv, ruts->per_cell, ruts->per_cell);
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

/// FNV-1a over 64-bit words.
static uint64_t hash_words(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, (const unsigned char *)bytes + at, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
        hash ^= hash >> 31;
    }
    return hash;
}

uint64_t gr_ruts_hash_tile(const GrRuts *ruts, int tile)
{
    uint64_t hash = atomic_load_explicit(&ruts->hashes[tile], memory_order_relaxed);
    if (hash == 0) {
        GrRutsPeek peek = {NULL};
        const uint64_t start = hash_words(0xcbf29ce484222325u, &ruts->tile_keys[tile], sizeof(uint64_t));
        hash = hash_words(start, gr_ruts_peek(ruts, tile, &peek).heights, ruts->block.tile_size);
        atomic_store_explicit(&ruts->hashes[tile], hash, memory_order_relaxed);
        gr_ruts_peek_end(&peek);
    }
    return hash;
}

uint64_t gr_ruts_hash(const GrRuts *ruts)
{
    const int64_t counts[3] = {ruts->def.state_count, ruts->def.interpolation, ruts->block.tile_count};
    uint64_t total = hash_words(0xcbf29ce484222325u, &ruts->def.cell, sizeof ruts->def.cell);
    total = hash_words(total, counts, sizeof counts);
    // A sum over tiles does not depend on the order in which they were made.
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        total += gr_ruts_hash_tile(ruts, k);
    }
    return total;
}

double gr_ruts_volume(const GrRuts *ruts)
{
    GrRutsPeek peek = {NULL};
    double sum = 0;
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const double *heights = gr_ruts_peek(ruts, k, &peek).heights;
        double tile = 0;
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            tile += heights[n];
        }
        sum += tile;
    }
    gr_ruts_peek_end(&peek);
    return sum * ruts->def.cell * ruts->def.cell;
}
