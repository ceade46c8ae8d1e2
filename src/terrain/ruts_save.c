/// Serialises ruts: a header, then tiles in the order of their keys. The same ruts give the same bytes.
///
///     exact    header, projection, then of each tile: key, a bit mask of the nodes that are not all zero, those nodes
///     rounded  header, projection, resolution, keys, then of each tile heights and states as whole numbers
///     (tile_code.h)
///
/// and in both a checksum of all that. Versions before, which had none, are read with a warning.
///
/// Rounded ruts take a tenth to a fifteenth of the bytes: the last bits of heights are noise that no method packs.
#include "alloc.h"
#include "checksum.h"
#include "ruts.h"
#include "tile_code.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAGIC       0x3453545552524721u // bytes of "!GRRUTS4"
#define ROUNDED_MAGIC     0x3553545552524721u // bytes of "!GRRUTS5"
#define OLD_EXACT_MAGIC   0x3253545552524721u // bytes of "!GRRUTS2": without a checksum
#define OLD_ROUNDED_MAGIC 0x3353545552524721u // bytes of "!GRRUTS3"

/// Followed by the text of the projection. A track fills about a quarter of its tiles, so exact tiles leave out nodes
/// that are zero.
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
static size_t fill_mask(GrRutsTileView tile, int count, uint64_t mask[MASK_WORDS])
{
    size_t kept = 0;
    for (int w = 0; w < MASK_WORDS; w++) {
        mask[w] = 0;
        for (int k = 0; k < 64; k++) {
            const int n = 64 * w + k;
            const uint64_t bit = has_bits(&tile.heights[n], tile.states + (ptrdiff_t)n * count, count);
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
    GrRutsPeek peek = {NULL};
    size_t kept = 0;
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        kept += fill_mask(gr_ruts_peek(ruts, k, &peek), ruts->def.state_count, mask);
    }
    gr_ruts_peek_end(&peek);
    return sizeof(Header) + crs_size(ruts) + (size_t)ruts->block.tile_count * sizeof(TileHead) +
           kept * node_size(ruts->def.state_count) + sizeof(uint64_t);
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

/// Tiles in the order of their keys; NULL: out of memory.
static Place *sort_tiles(const GrRuts *ruts)
{
    const int32_t count = ruts->block.tile_count;
    Place *places = gr_malloc(((size_t)count + 1) * sizeof *places);
    for (int32_t k = 0; k < count && places != NULL; k++) {
        places[k] = (Place){ruts->tile_keys[k], k};
    }
    if (places != NULL) {
        qsort(places, (size_t)count, sizeof *places, compare_places);
    }
    return places;
}

static Header make_header(const GrRuts *ruts, uint64_t magic)
{
    Header h;
    memset(&h, 0, sizeof h);
    h.magic = magic;
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
static unsigned char *put_nodes(GrRutsTileView tile, int state_count, const uint64_t mask[MASK_WORDS],
                                unsigned char *at)
{
    const size_t count = (size_t)state_count, state_bytes = count * sizeof *tile.states;
    for (size_t n = 0; n < NODES; n++) {
        if (mask[n / 64] >> n % 64 & 1) {
            memcpy(at, &tile.heights[n], sizeof *tile.heights);
            memcpy(at + sizeof *tile.heights, tile.states + n * count, state_bytes);
            at += sizeof *tile.heights + state_bytes;
        }
    }
    return at;
}

/// Header and projection; returns the end.
static unsigned char *put_head(const GrRuts *ruts, uint64_t magic, unsigned char *at)
{
    const Header header = make_header(ruts, magic);
    memcpy(at, &header, sizeof header);
    at += sizeof header;
    if (header.crs_size > 0) {
        memset(at, 0, header.crs_size);
        memcpy(at, ruts->place.crs, strlen(ruts->place.crs));
    }
    return at + header.crs_size;
}

GrStatus gr_ruts_save(const GrRuts *ruts, void *out)
{
    Place *places = sort_tiles(ruts);
    if (places == NULL) {
        return GR_ERROR_MEMORY;
    }
    unsigned char *at = put_head(ruts, EXACT_MAGIC, out);
    GrRutsPeek peek = {NULL};
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const GrRutsTileView tile = gr_ruts_peek(ruts, places[k].tile, &peek);
        TileHead head = {.key = places[k].key};
        fill_mask(tile, ruts->def.state_count, head.mask);
        memcpy(at, &head, sizeof head);
        at = put_nodes(tile, ruts->def.state_count, head.mask, at + sizeof head);
    }
    gr_ruts_peek_end(&peek);
    gr_free(places);
    const uint64_t sum = gr_checksum(0, out, (size_t)(at - (unsigned char *)out));
    memcpy(at, &sum, sizeof sum);
    return gr_ruts_is_lost(ruts) ? GR_ERROR_MEMORY : GR_OK;
}

/// A value in units of the resolution; false: it is not a number, or too large.
static bool round_value(double value, double per_unit, int32_t *out)
{
    const double units = rint(value * per_unit);
    const bool good = fabs(units) <= GR_TILE_MOST;
    *out = good ? (int32_t)units : 0;
    return good;
}

/// Heights (plane 0) or a state of all nodes of a tile.
static bool round_plane(GrRutsTileView tile, int state_count, int plane, double per_unit, int32_t out[NODES])
{
    const ptrdiff_t count = state_count;
    bool good = true;
    for (ptrdiff_t n = 0; n < NODES; n++) {
        const double value = plane == 0 ? tile.heights[n] : (double)tile.states[n * count + plane - 1];
        good = round_value(value, per_unit, &out[n]) && good;
    }
    return good;
}

static GrTileModel *make_models(const GrRuts *ruts)
{
    const size_t planes = 1 + (size_t)ruts->def.state_count;
    GrTileModel *models = gr_calloc(planes, sizeof *models);
    for (size_t k = 0; k < planes && models != NULL; k++) {
        gr_tile_model_init(&models[k]);
    }
    return models;
}

static GrStatus put_rounded_tiles(const GrRuts *ruts, const Place *places, double resolution, GrBuffer *out)
{
    GrTileModel *models = make_models(ruts);
    GrRangeWriter writer = gr_range_write_begin(out);
    GrRutsPeek peek = {NULL};
    bool good = true;
    for (int32_t k = 0; k < ruts->block.tile_count && models != NULL && good; k++) {
        const GrRutsTileView tile = gr_ruts_peek(ruts, places[k].tile, &peek);
        for (int plane = 0; plane <= ruts->def.state_count && good; plane++) {
            int32_t values[NODES];
            good = round_plane(tile, ruts->def.state_count, plane, 1 / resolution, values);
            gr_tile_write(&writer, &models[plane], values);
        }
    }
    gr_range_write_end(&writer);
    gr_ruts_peek_end(&peek);
    const bool memory = models != NULL && !out->failed && !gr_ruts_is_lost(ruts);
    gr_free(models);
    return !memory ? GR_ERROR_MEMORY : good ? GR_OK : GR_ERROR_VALUE;
}

GrStatus gr_ruts_save_rounded(const GrRuts *ruts, double resolution, GrBuffer *out)
{
    Place *places = sort_tiles(ruts);
    const size_t head = sizeof(Header) + crs_size(ruts), count = (size_t)ruts->block.tile_count, begin = out->size;
    if (places == NULL || !gr_buffer_reserve(out, head + sizeof resolution + count * sizeof places->key)) {
        gr_free(places);
        return GR_ERROR_MEMORY;
    }
    put_head(ruts, ROUNDED_MAGIC, (unsigned char *)out->data + out->size);
    out->size += head;
    gr_buffer_add(out, (const char *)&resolution, sizeof resolution);
    for (size_t k = 0; k < count; k++) {
        gr_buffer_add(out, (const char *)&places[k].key, sizeof places[k].key);
    }
    const GrStatus status = put_rounded_tiles(ruts, places, resolution, out);
    gr_free(places);
    if (status == GR_OK) {
        const uint64_t sum = gr_checksum(0, out->data + begin, out->size - begin);
        gr_buffer_add(out, (const char *)&sum, sizeof sum);
    }
    return status == GR_OK && out->failed ? GR_ERROR_MEMORY : status;
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

/// A new tile for a key that was read; without heights: it is there already.
static GrRutsTile new_tile(GrRuts *ruts, uint64_t key)
{
    // Node (0, 0) of the tile, so that the tile is created as by a wheel.
    const int64_t tx = (int64_t)(key & 0xffffffffu) - ((int64_t)1 << 31);
    const int64_t ty = (int64_t)(key >> 32) - ((int64_t)1 << 31);
    const int32_t before = ruts->block.tile_count;
    const GrRutsTile tile = gr_ruts_tile_make(ruts, tx * GR_RUT_NODES, ty * GR_RUT_NODES);
    return ruts->block.tile_count == before + 1 ? tile : (GrRutsTile){NULL, NULL};
}

static GrStatus named_twice(GrErrorLog *log)
{
    return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved ruts name a tile twice");
}

static GrStatus read_tile(Reader *reader, GrRuts *ruts, GrErrorLog *log)
{
    TileHead head;
    const unsigned char *bytes = take(reader, sizeof head);
    if (bytes == NULL) {
        return damaged(log);
    }
    memcpy(&head, bytes, sizeof head);
    const GrRutsTile tile = new_tile(ruts, head.key);
    if (tile.heights == NULL) {
        return named_twice(log);
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

static GrStatus read_exact(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    for (int32_t k = 0; k < h->tile_count && status == GR_OK; k++) {
        status = read_tile(reader, ruts, log);
    }
    return status == GR_OK && reader->left > 0 ? damaged(log) : status;
}

static bool read_rounded_tile(GrRangeReader *coded, GrTileModel *models, const GrRuts *ruts, double resolution,
                              GrRutsTile tile)
{
    const ptrdiff_t count = ruts->def.state_count;
    int32_t values[NODES];
    for (int plane = 0; plane <= count; plane++) {
        if (!gr_tile_read(coded, &models[plane], values)) {
            return false;
        }
        for (ptrdiff_t n = 0; n < NODES; n++) {
            if (plane == 0) {
                tile.heights[n] = values[n] * resolution;
            } else {
                tile.states[n * count + plane - 1] = (float)(values[n] * resolution);
            }
        }
    }
    return true;
}

static GrStatus read_rounded(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    double resolution = 0;
    const size_t count = (size_t)h->tile_count;
    const unsigned char *unit = take(reader, sizeof resolution), *keys = take(reader, count * sizeof(uint64_t));
    if (unit == NULL || keys == NULL) {
        return damaged(log);
    }
    memcpy(&resolution, unit, sizeof resolution);
    if (!(resolution > 0 && isfinite(resolution))) {
        return damaged(log);
    }
    GrTileModel *models = make_models(ruts);
    if (models == NULL) {
        return GR_ERROR_MEMORY;
    }
    GrRangeReader coded = gr_range_read_begin(reader->at, reader->left);
    GrStatus status = GR_OK;
    for (size_t k = 0; k < count && status == GR_OK; k++) {
        uint64_t key;
        memcpy(&key, keys + k * sizeof key, sizeof key);
        const GrRutsTile tile = new_tile(ruts, key);
        if (tile.heights == NULL) {
            status = named_twice(log);
        } else if (!read_rounded_tile(&coded, models, ruts, resolution, tile)) {
            status = damaged(log);
        }
    }
    gr_free(models);
    return status == GR_OK && !gr_range_read_end(&coded) ? damaged(log) : status;
}

static bool is_rounded(const Header *h)
{
    return h->magic == ROUNDED_MAGIC || h->magic == OLD_ROUNDED_MAGIC;
}

static GrStatus read_all(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    const GrStatus status = h->placed != 0 ? read_place(reader, h, ruts, log) : h->crs_size == 0 ? GR_OK : damaged(log);
    return status != GR_OK ? status
           : is_rounded(h) ? read_rounded(reader, h, ruts, log)
                           : read_exact(reader, h, ruts, log);
}

/// Version and checksum. `size` becomes that without the checksum.
static GrStatus check_bytes(const Header *h, const void *saved, size_t *size, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (h->magic == OLD_EXACT_MAGIC || h->magic == OLD_ROUNDED_MAGIC) {
        gr_warning_add(log, nowhere, "saved ruts of a version without a checksum: damage would go unnoticed");
        return GR_OK;
    }
    if (h->magic != EXACT_MAGIC && h->magic != ROUNDED_MAGIC) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "these bytes are not ruts, or of another version");
    }
    uint64_t sum;
    if (*size < sizeof *h + sizeof sum) {
        return damaged(log);
    }
    *size -= sizeof sum;
    memcpy(&sum, (const unsigned char *)saved + *size, sizeof sum);
    return sum == gr_checksum(0, saved, *size)
               ? GR_OK
               : gr_error_add(log, GR_ERROR_SYNTAX, nowhere,
                              "saved ruts are cut off or damaged: the checksum is wrong");
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
    GrStatus status = check_bytes(&header, saved, &size, log);
    if (status != GR_OK) {
        return status;
    }
    Reader reader = {(const unsigned char *)saved + sizeof header, size - sizeof header};
    const size_t least = is_rounded(&header) ? sizeof(uint64_t) : sizeof(TileHead);
    if (header.tile_count < 0 || (size_t)header.tile_count > reader.left / least) {
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
    status = read_all(&reader, &header, fresh, log);
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
