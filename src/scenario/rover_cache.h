/// Rovers that scenarios of many runs share: a file with the same overrides is read once.
#ifndef GR_ROVER_CACHE_H
#define GR_ROVER_CACHE_H

#include "document_cache.h"

#include "grouser/rover.h"

/// Several threads may use one.
typedef struct GrRoverCache GrRoverCache;

/// `parsed`: trees of files, for rovers with other overrides; it must outlive the cache, and may be NULL. NULL when out
/// of memory.
GrRoverCache *gr_rover_cache_create(GrDocumentCache *parsed);
void gr_rover_cache_free(GrRoverCache *cache);

/// As gr_rover_load() with a path, with the same rover and messages. `cache` may be NULL.
GrStatus gr_rover_load_shared(GrRoverCache *cache, const char *path, const char *const *overrides, GrRoverDef *out,
                              GrErrorLog *log);

#endif
