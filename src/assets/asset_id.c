#include "asset_id.h"

#include "alloc.h"
#include "buffer.h"
#include "checksum.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CACHED = 256 << 20 };

GrAssetHash gr_asset_hash_begin(const char *kind)
{
    GrAssetHash hash = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    gr_asset_hash_text(&hash, kind);
    gr_asset_hash_number(&hash, GR_ASSET_VERSION);
    return hash;
}

void gr_asset_hash_bytes(GrAssetHash *hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t k = 0; k < size; k++) {
        hash->a = (hash->a ^ byte[k]) * 0x100000001b3u;
        hash->b = (hash->b ^ (uint64_t)(byte[k] ^ 0x5au)) * 0x100000001b3u + (hash->b >> 47);
    }
}

/// Hashes the terminating zero too, so that "ab", "c" differs from "a", "bc".
void gr_asset_hash_text(GrAssetHash *hash, const char *text)
{
    gr_asset_hash_bytes(hash, text, strlen(text) + 1);
}

void gr_asset_hash_number(GrAssetHash *hash, double value)
{
    const double positive = value == 0 ? 0 : value; // −0 counts as 0
    gr_asset_hash_bytes(hash, &positive, sizeof positive);
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void gr_asset_hash_end(const GrAssetHash *hash, char id[GR_ASSET_ID_SIZE])
{
    snprintf(id, GR_ASSET_ID_SIZE, "%016llx%016llx", (unsigned long long)mix(hash->a),
             (unsigned long long)mix(hash->b));
}

static bool cache_folder(char folder[GR_FILE_PATH_SIZE])
{
    static const struct {
        const char *variable, *below;
    } PLACES[] = {{"GROUSER_CACHE", ""}, {"XDG_CACHE_HOME", "/grouser"}, {"HOME", "/.cache/grouser"}};
    for (int k = 0; k < 3; k++) {
        const char *base = getenv(PLACES[k].variable);
        if (base != NULL && base[0] != '\0') {
            return snprintf(folder, GR_FILE_PATH_SIZE, "%s%s", base, PLACES[k].below) < GR_FILE_PATH_SIZE;
        }
    }
    return false;
}

/// Path of an asset in the cache: $GROUSER_CACHE, else $XDG_CACHE_HOME/grouser, else ~/.cache/grouser, then ID +
/// suffix. False when none of these is set.
static bool asset_cache_path(const char *id, const char *suffix, char path[GR_FILE_PATH_SIZE])
{
    char folder[GR_FILE_PATH_SIZE];
    return cache_folder(folder) && snprintf(path, GR_FILE_PATH_SIZE, "%s/%s%s", folder, id, suffix) < GR_FILE_PATH_SIZE;
}

/// At the end of a cached file: a checksum of its id and of the bytes before.
typedef struct Seal {
    char magic[8];
    uint64_t sum;
} Seal;

static Seal seal_of(const char *id, const char *data, size_t size)
{
    Seal seal = {.magic = "GrCache", .sum = gr_checksum(0, id, strlen(id))};
    seal.sum = gr_checksum(seal.sum, data, size);
    return seal;
}

bool gr_asset_cache_get(const char *id, const char *suffix, const char *path)
{
    char cached[GR_FILE_PATH_SIZE], *data = NULL;
    size_t size = 0;
    if (!asset_cache_path(id, suffix, cached) || !gr_file_exists(cached) ||
        gr_file_read(cached, MOST_CACHED, &data, &size, NULL) != GR_OK) {
        return false;
    }
    bool got = size >= sizeof(Seal);
    if (got) {
        size -= sizeof(Seal);
        const Seal seal = seal_of(id, data, size);
        got = memcmp(&seal, data + size, sizeof seal) == 0 && gr_file_write(path, data, size, NULL) == GR_OK;
    }
    gr_free(data);
    return got;
}

void gr_asset_cache_put(const char *id, const char *suffix, const char *path)
{
    char cached[GR_FILE_PATH_SIZE], folder[GR_FILE_PATH_SIZE], *data = NULL;
    size_t size = 0;
    if (!cache_folder(folder) || gr_folder_make(folder, NULL) != GR_OK || !asset_cache_path(id, suffix, cached) ||
        gr_file_read(path, MOST_CACHED, &data, &size, NULL) != GR_OK) {
        return;
    }
    const Seal seal = seal_of(id, data, size);
    GrBuffer sealed = {0};
    gr_buffer_add(&sealed, data, size);
    gr_buffer_add(&sealed, (const char *)&seal, sizeof seal);
    if (!sealed.failed) {
        gr_file_write(cached, sealed.data, sealed.size, NULL);
    }
    gr_buffer_free(&sealed);
    gr_free(data);
}
