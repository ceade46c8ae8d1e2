/// Ids of assets: a hash of all their inputs. Change GR_ASSET_VERSION when a generator's output changes.
#ifndef GR_ASSET_ID_H
#define GR_ASSET_ID_H

#include "file.h"
#include "grouser/assets.h"

#define GR_ASSET_VERSION 1

/// Two FNV-1a hashes of 64 bits with different seeds, mixed at the end.
typedef struct GrAssetHash {
    uint64_t a, b;
} GrAssetHash;

GrAssetHash gr_asset_hash_begin(const char *kind);
void gr_asset_hash_bytes(GrAssetHash *hash, const void *bytes, size_t size);
void gr_asset_hash_text(GrAssetHash *hash, const char *text);
void gr_asset_hash_number(GrAssetHash *hash, double value);
void gr_asset_hash_end(const GrAssetHash *hash, char id[GR_ASSET_ID_SIZE]);

/// Copies an asset out of the cache; false when it is not there, or is not what was put there under this id (cut off,
/// damaged, exchanged).
bool gr_asset_cache_get(const char *id, const char *suffix, const char *path);

/// Copies a file into the cache. It is not an error when the cache cannot be written.
void gr_asset_cache_put(const char *id, const char *suffix, const char *path);

#endif
