/// Ruts as bytes: header, then tiles in the order of their keys. The same ruts give the same bytes.
#include "ruts.h"

#include <stdlib.h>
#include <string.h>

#define RUTS_MAGIC 0x3153545552524721u // bytes of "!GRRUTS1"

typedef struct Header {
    uint64_t magic;
    double cell;
    int32_t state_count;
    int32_t interpolation;
    int32_t tile_count;
    int32_t zero;
} Header;

GrStatus gr_ruts_copy(GrRuts *to, const GrRuts *from)
{
    if (to == from) {
        return GR_OK;
    }
    if (to->block.tile_size != from->block.tile_size || to->block.tile_capacity != from->block.tile_capacity) {
        GrRutsDef def = from->def;
        def.tile_capacity = from->block.tile_capacity;
        GrRuts *fresh = gr_ruts_create(&def, NULL);
        if (fresh == NULL) {
            return GR_ERROR_MEMORY;
        }
        GrRuts old = *to;
        *to = *fresh;
        *fresh = old;
        gr_ruts_free(fresh);
    }
    to->def = from->def;
    to->per_cell = from->per_cell;
    // What a tile of `to` held beyond those of `from` must be zero again.
    const int32_t surplus = to->block.tile_count - from->block.tile_count;
    if (surplus > 0) {
        memset(to->bytes + (size_t)from->block.tile_count * from->block.tile_size, 0,
               (size_t)surplus * from->block.tile_size);
    }
    to->block = from->block;
    memcpy(to->keys, from->keys, from->block.slot_count * sizeof *to->keys);
    memcpy(to->slots, from->slots, from->block.slot_count * sizeof *to->slots);
    memcpy(to->tile_keys, from->tile_keys, (size_t)from->block.tile_capacity * sizeof *to->tile_keys);
    memcpy(to->bytes, from->bytes, (size_t)from->block.tile_count * from->block.tile_size);
    return GR_OK;
}

size_t gr_ruts_size(const GrRuts *ruts)
{
    return sizeof(Header) + (size_t)ruts->block.tile_count * (sizeof(uint64_t) + ruts->block.tile_size);
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
    return (Header){
        RUTS_MAGIC, ruts->def.cell, ruts->def.state_count, (int32_t)ruts->def.interpolation, ruts->block.tile_count, 0};
}

GrStatus gr_ruts_save(const GrRuts *ruts, void *out)
{
    const int32_t count = ruts->block.tile_count;
    Place *places = malloc(((size_t)count + 1) * sizeof *places);
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
    for (int32_t k = 0; k < count; k++) {
        memcpy(at, &places[k].key, sizeof places[k].key);
        at += sizeof places[k].key;
        memcpy(at, ruts->bytes + (size_t)places[k].tile * ruts->block.tile_size, ruts->block.tile_size);
        at += ruts->block.tile_size;
    }
    free(places);
    return GR_OK;
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
    GrRutsDef def = {.cell = header.cell,
                     .state_count = header.state_count,
                     .tile_capacity = header.tile_count > 0 ? header.tile_count : 1,
                     .interpolation = header.interpolation == GR_BICUBIC ? GR_BICUBIC : GR_BILINEAR};
    const size_t node_size = sizeof(double) + (size_t)(header.state_count & 0xff) * sizeof(float);
    const size_t tile_size = (size_t)GR_RUT_NODES * GR_RUT_NODES * node_size;
    if (header.tile_count < 0 || (size - sizeof header) % (sizeof(uint64_t) + tile_size) != 0 ||
        (size - sizeof header) / (sizeof(uint64_t) + tile_size) != (size_t)header.tile_count) {
        return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "saved ruts are cut off or damaged");
    }
    GrRuts *fresh = gr_ruts_create(&def, log);
    if (fresh == NULL) {
        return GR_ERROR_VALUE;
    }
    const unsigned char *at = (const unsigned char *)saved + sizeof header;
    for (int32_t k = 0; k < header.tile_count; k++) {
        uint64_t key;
        memcpy(&key, at, sizeof key);
        // Node (0, 0) of the tile, so that the tile is made the way a wheel makes it.
        const int64_t tx = (int64_t)(key & 0xffffffffu) - ((int64_t)1 << 31);
        const int64_t ty = (int64_t)(key >> 32) - ((int64_t)1 << 31);
        double *heights = gr_ruts_height(fresh, tx * GR_RUT_NODES, ty * GR_RUT_NODES);
        if (heights == NULL || fresh->block.tile_count != k + 1) {
            gr_ruts_free(fresh);
            return gr_error_add(log, GR_ERROR_SYNTAX, nowhere, "saved ruts name a tile twice");
        }
        memcpy(heights, at + sizeof key, tile_size);
        at += sizeof key + tile_size;
    }
    const GrStatus status = gr_ruts_copy(ruts, fresh);
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

uint64_t gr_ruts_hash(const GrRuts *ruts)
{
    const Header header = make_header(ruts);
    uint64_t total = hash_words(0xcbf29ce484222325u, &header, sizeof header);
    // A sum over tiles does not depend on the order in which they were made.
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const uint64_t start = hash_words(0xcbf29ce484222325u, &ruts->tile_keys[k], sizeof(uint64_t));
        total += hash_words(start, ruts->bytes + (size_t)k * ruts->block.tile_size, ruts->block.tile_size);
    }
    return total;
}

double gr_ruts_volume(const GrRuts *ruts)
{
    double sum = 0;
    for (int32_t k = 0; k < ruts->block.tile_count; k++) {
        const double *heights = (const double *)(const void *)(ruts->bytes + (size_t)k * ruts->block.tile_size);
        double tile = 0;
        for (int n = 0; n < GR_RUT_NODES * GR_RUT_NODES; n++) {
            tile += heights[n];
        }
        sum += tile;
    }
    return sum * ruts->def.cell * ruts->def.cell;
}
