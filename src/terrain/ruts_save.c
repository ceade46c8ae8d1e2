/// Serialises ruts: a header, then tiles in the order of their keys. The same ruts give the same bytes.
///
///     exact    header, projection, then of each tile: key, nodes (gr_ruts_pack())
///     rounded  header, projection, resolution, keys, then the tiles as whole numbers (ruts_rounded.h)
///
/// and in both a checksum of all that.
///
/// Rounded ruts take a tenth to a fifteenth of the bytes: the last bits of heights are noise that no method packs.
#include "alloc.h"
#include "checksum.h"
#include "ruts.h"
#include "ruts_rounded.h"
#include "ruts_tiles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAGIC   0x3453545552524721u // bytes of "!GRRUTS4"
#define ROUNDED_MAGIC 0x3653545552524721u // bytes of "!GRRUTS6"
#define ZSTD_MAGIC    0x3753545552524721u // bytes of "!GRRUTS7": rounded, tiles compressed

/// Followed by the text of the projection.
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

enum { CRS_MOST = 1 << 20 };

static size_t crs_size(const GrRuts *ruts)
{
    return ruts->placed ? (strlen(ruts->place.crs) + 8) / 8 * 8 : 0; // with the terminating zero
}

static const unsigned char *nodes_of(GrRutsTileView tile)
{
    return (const unsigned char *)tile.heights;
}

size_t gr_ruts_size(const GrRuts *ruts)
{
    GrRutsPeek peek = {NULL};
    size_t size = sizeof(Header) + crs_size(ruts) + sizeof(uint64_t);
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const GrRutsTileView tile = gr_ruts_peek(ruts, k, &peek);
        size += sizeof(uint64_t) + gr_ruts_packed_size(nodes_of(tile), ruts->def.state_count);
    }
    gr_ruts_peek_end(&peek);
    return size;
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
        memcpy(at, &places[k].key, sizeof places[k].key);
        at += sizeof places[k].key;
        at += gr_ruts_pack(nodes_of(tile), ruts->def.state_count, at);
    }
    gr_ruts_peek_end(&peek);
    gr_free(places);
    const uint64_t sum = gr_checksum(0, out, (size_t)(at - (unsigned char *)out));
    memcpy(at, &sum, sizeof sum);
    return gr_ruts_is_lost(ruts) ? GR_ERROR_MEMORY : GR_OK;
}

GrStatus gr_ruts_save_rounded(const GrRuts *ruts, double resolution, GrBuffer *out)
{
    Place *places = sort_tiles(ruts);
    const size_t head = sizeof(Header) + crs_size(ruts), count = (size_t)ruts->block.tile_count, begin = out->size;
    if (places == NULL || !gr_buffer_reserve(out, head + sizeof resolution + count * sizeof places->key)) {
        gr_free(places);
        return GR_ERROR_MEMORY;
    }
    put_head(ruts, gr_rounded_zstd() ? ZSTD_MAGIC : ROUNDED_MAGIC, (unsigned char *)out->data + out->size);
    out->size += head;
    gr_buffer_add(out, (const char *)&resolution, sizeof resolution);
    for (size_t k = 0; k < count; k++) {
        gr_buffer_add(out, (const char *)&places[k].key, sizeof places[k].key);
    }
    GrRoundedWriter *writer = gr_rounded_write_begin(out);
    GrRutsPeek peek = {NULL};
    GrStatus status = writer != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (size_t k = 0; k < count && status == GR_OK; k++) {
        const GrRutsTileView tile = gr_ruts_peek(ruts, places[k].tile, &peek);
        status = gr_rounded_write(writer, tile, ruts->def.state_count, resolution) ? GR_OK : GR_ERROR_VALUE;
    }
    status = gr_rounded_write_end(writer) && !gr_ruts_is_lost(ruts) ? status : GR_ERROR_MEMORY;
    gr_ruts_peek_end(&peek);
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

/// A new tile for a key that was read, as a wheel makes it.
static GrStatus make_tile(GrRuts *ruts, const unsigned char *key_bytes, GrRutsTile *out, GrErrorLog *log)
{
    uint64_t key;
    memcpy(&key, key_bytes, sizeof key);
    const int64_t tx = (int64_t)(key & 0xffffffffu) - ((int64_t)1 << 31);
    const int64_t ty = (int64_t)(key >> 32) - ((int64_t)1 << 31);
    const int32_t before = ruts->block.tile_count;
    if (gr_ruts_tiles_free(ruts) == 0 && gr_ruts_reserve(ruts, 1) != GR_OK) {
        return GR_ERROR_MEMORY;
    }
    *out = gr_ruts_tile_make(ruts, tx * GR_RUT_NODES, ty * GR_RUT_NODES);
    return ruts->block.tile_count == before + 1
               ? GR_OK
               : gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "saved ruts name a tile twice");
}

static GrStatus read_exact(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    GrRutsTile tile = {0};
    for (int32_t k = 0; k < h->tile_count; k++) {
        const unsigned char *key = take(reader, sizeof(uint64_t));
        const GrStatus status = key != NULL ? make_tile(ruts, key, &tile, log) : damaged(log);
        if (status != GR_OK) {
            return status;
        }
        unsigned char *nodes = (unsigned char *)tile.heights;
        const size_t size = gr_ruts_unpack(reader->at, reader->left, ruts->def.state_count, nodes);
        if (size == 0) {
            return damaged(log);
        }
        take(reader, size);
    }
    return reader->left > 0 ? damaged(log) : GR_OK;
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
    GrRoundedReader *tiles = gr_rounded_read_begin(reader->at, reader->left, h->magic == ZSTD_MAGIC);
    GrStatus status = tiles != NULL ? GR_OK : GR_ERROR_MEMORY;
    for (size_t k = 0; k < count && status == GR_OK; k++) {
        GrRutsTile tile;
        status = make_tile(ruts, keys + k * sizeof(uint64_t), &tile, log);
        if (status == GR_OK && !gr_rounded_read(tiles, tile, ruts->def.state_count, resolution)) {
            status = damaged(log);
        }
    }
    const bool whole = gr_rounded_read_end(tiles);
    return status == GR_OK && !whole ? damaged(log) : status;
}

static bool is_rounded(const Header *h)
{
    return h->magic == ROUNDED_MAGIC || h->magic == ZSTD_MAGIC;
}

static GrStatus read_all(Reader *reader, const Header *h, GrRuts *ruts, GrErrorLog *log)
{
    const GrStatus status = h->placed != 0 ? read_place(reader, h, ruts, log) : h->crs_size == 0 ? GR_OK : damaged(log);
    return status != GR_OK ? status
           : is_rounded(h) ? read_rounded(reader, h, ruts, log)
                           : read_exact(reader, h, ruts, log);
}

/// Without a checksum (2, 3), or rounded by its own coder (5).
static bool is_old(const Header *h)
{
    const uint64_t version = h->magic >> 56;
    return h->magic << 8 == EXACT_MAGIC << 8 && (version == '2' || version == '3' || version == '5');
}

/// Version and checksum. `size` becomes that without the checksum.
static GrStatus check_bytes(const Header *h, const void *saved, size_t *size, GrErrorLog *log)
{
    const GrLocation nowhere = {0};
    if (is_old(h)) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere,
                            "saved ruts of version 0.2 or before: run the scenario again, or there with "
                            "record: {ruts_resolution_mm: 0}");
    }
    if (h->magic != EXACT_MAGIC && !is_rounded(h)) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "not saved ruts, or saved by a later version");
    }
    if (h->magic == ZSTD_MAGIC && !gr_rounded_zstd()) {
        return gr_error_add(log, GR_ERROR_UNSUPPORTED, nowhere,
                            "saved ruts are compressed, and this build has no zstd: run the scenario that made them "
                            "with record: {ruts_resolution_mm: 0}");
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
    if (header.tile_count < 0 || (size_t)header.tile_count > reader.left / sizeof(uint64_t)) {
        return damaged(log);
    }
    const GrRutsDef def = {.cell = header.cell,
                           .state_count = header.state_count,
                           .tile_capacity = 64,
                           .interpolation = header.interpolation == GR_BICUBIC ? GR_BICUBIC : GR_BILINEAR};
    GrRuts *fresh = NULL;
    if (gr_ruts_create(&def, &fresh, log) != GR_OK) {
        return GR_ERROR_VALUE;
    }
    status = read_all(&reader, &header, fresh, log);
    if (status == GR_OK) {
        status = gr_ruts_copy(ruts, fresh);
    }
    gr_ruts_free(fresh);
    return status;
}
