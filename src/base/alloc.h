/// Memory by the allocator that the caller may have set (grouser/hooks.h). Nothing else of the library calls malloc(),
/// calloc(), realloc(), strdup() or free(); tests/base/allocations.py checks the sources.
#ifndef GR_ALLOC_H
#define GR_ALLOC_H

#include "grouser/hooks.h"

/// As calloc(): zeroed; NULL also where count · size is too large for a size_t.
void *gr_calloc(size_t count, size_t size);
void *gr_realloc(void *memory, size_t size);
char *gr_strdup(const char *text);

bool gr_hook_network(void); ///< GrHooks::network

/// GrHooks::log: whether it is set, and the call, only where it is.
bool gr_hook_log_is_set(void);
void gr_hook_log(const GrError *message);

#endif
