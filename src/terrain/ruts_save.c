/// Serialises ruts: a header, then tiles in the order of their keys. The same ruts give the same bytes.
#include "alloc.h"
#include "ruts.h"

#include <stdlib.h>
#include <string.h>

#define RUTS_MAGIC 0x3253545552524721u // bytes of "!GRRUTS2"

/// Followed by the text of the projection and the tiles: key, a bit mask of the nodes that are not all zero, and those
/// nodes. A track fills about a quarter of its tiles, so zero nodes are left out.
typedef struct Header {
    uint64_t magic;
    double cell;
    int32_t state_count;
    int32_t interpolation;
    int32_t tile_count;
    int32_t placed;
    uint64_t crs_size; ///< bytes of the text, a multiple of 8
    double origin_east, origin_north, radius, inverse_flattening;
    char body[64];
} Header;

enum { NODES = GR_RUT_NODES * GR_RUT_NODES, MASK_WORDS = NODES / 64, CRS_MOST = 1 << 20 };

/// Header of a tile.
typedef struct TileHead {
    uint64_t key;
    uint64_t mask[MASK_WORDS];
} TileHead;

static size_t node_size(int state_count)
{
    return sizeof(double) + (size_t)state_count * sizeof(float);
}

static const double *heights_of(const GrRuts *ruts, int32_t tile)
{
    int64_t i, j;
    return gr_ruts_tile_at(ruts, tile, &i, &j).heights;
}

/// Whether a node has any bit: negative zero counts too.
static bool has_bits(const double *height, const float *states, int state_count)
{
    uint64_t bits;
    memcpy(&bits, height, sizeof bits);
    for (int k = 0; k < state_count; k++) {
        uint32_t state;
        memcpy(&state, &states[k], sizeof state);
        bits |= state;
    }
    return bits != 0;
}

/// Marks the nodes of a tile that are saved; returns their number.
static size_t fill_mask(const GrRuts *ruts, int32_t tile, uint64_t mask[MASK_WORDS])
{
    const double *heights = heights_of(ruts, tile);
    const float *states = (const float *)(const void *)(heights + NODES);
    const int count = ruts->def.state_count;
    size_t kept = 0;
    for (int w = 0; w < MASK_WORDS; w++) {
        mask[w] = 0;
        for (int k = 0; k < 64; k++) {
            const int n = 64 * w + k;
            const uint64_t bit = has_bits(&heights[n], states + (ptrdiff_t)n * count, count);
            mask[w] |= bit << k;
            kept += bit;
        }
    }
    return kept;
}

static size_t crs_size(const GrRuts *ruts)
{
    return ruts->placed ? (strlen(ruts->place.crs) + 8) / 8 * 8 : 0; // with the terminating zero
}

size_t gr_ruts_size(const GrRuts *ruts)
{
    uint64_t mask[MASK_WORDS];
    size_t kept = 0;
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        kept += fill_mask(ruts, k, mask);
    }
    return sizeof(Header) + crs_size(ruts) + (size_t)ruts->block.tile_count * sizeof(TileHead) +
           kept * node_size(ruts->def.state_count);
}

typedef struct Place {
    uint64_t key;
    int32_t tile;
} Place;

static int compare_places(const void *a, const void *b)
{
    const uint64_t x = ((const Place *)a)->key, y = ((const Place *)b)->key;
    return (x > y) - (x < y);
}

static Header make_header(const GrRuts *ruts)
{
    Header h;
    memset(&h, 0, sizeof h);
    h.magic = RUTS_MAGIC;
    h.cell = ruts->def.cell;
    h.state_count = ruts->def.state_count;
    h.interpolation = (int32_t)ruts->def.interpolation;
    h.tile_count = ruts->block.tile_count;
    h.placed = ruts->placed;
    if (ruts->placed) {
        h.crs_size = crs_size(ruts);
        h.origin_east = ruts->place.origin_east;
        h.origin_north = ruts->place.origin_north;
        h.radius = ruts->place.radius;
        h.inverse_flattening = ruts->place.inverse_flattening;
        memcpy(h.body, ruts->place.body, strnlen(ruts->place.body, sizeof h.body - 1));
    }
    return h;
}

/// Appends the nodes of a tile that the mask names; returns the end.
static unsigned char *put_nodes(const GrRuts *ruts, int32_t tile, const uint64_t mask[MASK_WORDS], unsigned char *at)
{
    const double *heights = heights_of(ruts, tile);
    const float *states = (const float *)(const void *)(heights + NODES);
    const size_t count = (size_t)ruts->def.state_count, state_bytes = count * sizeof *states;
    for (size_t n = 0; n < NODES; n++) {
        if (mask[n / 64] >> n % 64 & 1) {
            memcpy(at, &heights[n], sizeof *heights);
            memcpy(at + sizeof *heights, states + n * count, state_bytes);
            at += sizeof *heights + state_bytes;
        }
    }
    return at;
}

GrStatus gr_ruts_save(const GrRuts *ruts, void *out)
{
    const int32_t count = ruts->block.tile_count;
    Place *places = gr_malloc(((size_t)count + 1) * sizeof *places);
    if (places == NULL) {
        return GR_ERROR_MEMORY;
    }
    for (int32_t k = 0; k < count; k++) {
        places[k] = (Place){ruts->tile_keys[k], k};
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    const Header header = make_header(ruts);
    unsigned char *at = out;
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    if (header.crs_size > 0) {
        memset(at, 0, header.crs_size);
        memcpy(at, ruts->place.crs, strlen(ruts->place.crs));
        at += header.crs_size;
    }
    for (int32_t k = 0; k < count; k++) {
        TileHead head = {.key = places[k].key};
        fill_mask(ruts, places[k].tile, head.mask);
        memcpy(at, &head, sizeof head);
        at = put_nodes(ruts, places[k].tile, head.mask, at + sizeof head);
    }
    gr_free(places);
    return GR_OK;
}

/// Bytes that are read sequentially.
typedef struct Reader {
    const unsigned char *at;
    size_t left;
} Reader;

/// The next bytes; NULL when too few are left.
static const unsigned char *take(Reader *reader, size_t size)
{
    const unsigned char *at = reader->at;
    if (size > reader->left) {
        return NULL;
    }
    reader->at += size;
    reader->left -= size;
    return at;
}

static GrStatus damaged(GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved ruts are cut off or damaged");
}

static GrStatus read_place(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    const unsigned char *text = h->crs_size <= CRS_MOST ? take(reader, h->crs_size) : NULL;
    if (h->placed != 1 || text == NULL || h->crs_size == 0 || memchr(text, 0, h->crs_size) == NULL ||
        memchr(h->body, 0, sizeof h->body) == NULL) {
        return damaged(log);
    }
    GrGeoreference place = {.origin_east = h->origin_east,
                            .origin_north = h->origin_north,
                            .radius = h->radius,
                            .inverse_flattening = h->inverse_flattening};
    memcpy(place.body, h->body, sizeof place.body);
    char *crs = gr_malloc(h->crs_size);
    if (crs == NULL) {
        return GR_ERROR_MEMORY;
    }
    memcpy(crs, text, h->crs_size);
    place.crs = crs;
    const GrStatus status = gr_ruts_set_georeference(ruts, &place);
    gr_free(crs);
    return status;
}

static GrStatus read_tile(Reader *reader, int32_t number, GrRuts *ruts, GrErrorLog *log)
{
    TileHead head;
    const unsigned char *bytes = take(reader, sizeof head);
    if (bytes == NULL) {
        return damaged(log);
    }
    memcpy(&head, bytes, sizeof head);
    // Node (0, 0) of the tile, so that the tile is created as by a wheel.
    const int64_t tx = (int64_t)(head.key & 0xffffffffu) - ((int64_t)1 << 31);
    const int64_t ty = (int64_t)(head.key >> 32) - ((int64_t)1 << 31);
    const GrRutsTile tile = gr_ruts_tile_make(ruts, tx * GR_RUT_NODES, ty * GR_RUT_NODES);
    if (tile.heights == NULL || ruts->block.tile_count != number + 1) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved ruts name a tile twice");
    }
    const size_t count = (size_t)ruts->def.state_count, size = node_size(ruts->def.state_count);
    for (size_t n = 0; n < NODES; n++) {
        if (head.mask[n / 64] >> n % 64 & 1) {
            const unsigned char *node = take(reader, size);
            if (node == NULL) {
                return damaged(log);
            }
            memcpy(&tile.heights[n], node, sizeof(double));
            memcpy(tile.states + n * count, node + sizeof(double), count * sizeof(float));
        }
    }
    return GR_OK;
}

static GrStatus read_all(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    GrStatus status = h->placed != 0 ? read_place(reader, h, ruts, log) : h->crs_size == 0 ? GR_OK : damaged(log);
    for (int32_t k = 0; k < h->tile_count && status == GR_OK; k++) {
        status = read_tile(reader, k, ruts, log);
    }
    return status == GR_OK && reader->left > 0 ? damaged(log) : status;
}

GrStatus gr_ruts_restore(GrRuts *ruts, const void *saved, size_t size, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    Header header;
    if (size < sizeof header) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "saved ruts have at least %zu bytes, not %zu", sizeof header,
                            size);
    }
    memcpy(&header, saved, sizeof header);
    if (header.magic != RUTS_MAGIC) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "these bytes are not ruts, or of another version");
    }
    Reader reader = {(const unsigned char *)saved + sizeof header, size - sizeof header};
    if (header.tile_count < 0 || (size_t)header.tile_count > reader.left / sizeof(TileHead)) {
        return damaged(log);
    }
    const GrRutsDef def = {.cell = header.cell,
                           .state_count = header.state_count,
                           .tile_capacity = header.tile_count > 0 ? header.tile_count : 1,
                           .interpolation = header.interpolation == GR_BICUBIC ? GR_BICUBIC : GR_BILINEAR};
    GrRuts *fresh = gr_ruts_create(&def, log);
    if (fresh == NULL) {
        return GR_ERROR_VALUE;
    }
    GrStatus status = read_all(&reader, &header, fresh, log);
    if (status == GR_OK) {
        status = gr_ruts_copy(ruts, fresh);
    }
    gr_ruts_free(fresh);
    return status;
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

/// Kept until the tile changes: a run asks for the hash again and again, and of a long track little changes.
static uint64_t hash_of_tile(const GrRuts *ruts, int32_t tile)
{
    uint64_t hash = atomic_load_explicit(&ruts->hashes[tile], memory_order_relaxed);
    if (hash == 0) {
        const uint64_t start = hash_words(0xcbf29ce484222325u, &ruts->tile_keys[tile], sizeof(uint64_t));
        hash = hash_words(start, heights_of(ruts, tile), ruts->block.tile_size);
        atomic_store_explicit(&ruts->hashes[tile], hash, memory_order_relaxed);
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
        total += hash_of_tile(ruts, k);
    }
    return total;
}

double gr_ruts_volume(const GrRuts *ruts)
{
    double sum = 0;
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const double *heights = heights_of(ruts, k);
        double tile = 0;
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            tile += heights[n];
        }
        sum += tile;
    }
    return sum * ruts->def.cell * ruts->def.cell;
}
