/// A shard: the file to which one process appends finished runs, until they are merged into the study's database.
///
/// A shard has a head with the identity of its study, then records of length, checksum and content. A process that is
/// killed leaves at most one incomplete record at the end, which a reader ignores. Appending needs no lock, since each
/// process has its own shard, and works on network file systems.
#ifndef GR_SHARD_H
#define GR_SHARD_H

#include "measure.h"

typedef struct GrShard GrShard;

/// Creates the file, or continues it after its last complete record. An existing file of another study is refused.
GrShard *gr_shard_open(const char *path, uint64_t study, GrErrorLog *log);

/// Appends a result. It is safe on the disk only after the next gr_shard_sync().
GrStatus gr_shard_add(GrShard *shard, const GrResult *result, GrErrorLog *log);
GrStatus gr_shard_sync(GrShard *shard, GrErrorLog *log);

/// Empties the file, after its results have been merged.
GrStatus gr_shard_clear(GrShard *shard, GrErrorLog *log);

/// Syncs and closes; NULL is allowed.
GrStatus gr_shard_close(GrShard *shard, GrErrorLog *log);

/// Calls `take` for every complete record. A file of another study is an error; a file that ends early is not.
GrStatus gr_shard_read(const char *path, uint64_t study, GrStatus (*take)(void *context, const GrResult *result),
                       void *context, GrErrorLog *log);

#endif
