/// Bump allocator: many small allocations with one lifetime, freed together.
#ifndef GR_ARENA_H
#define GR_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct GrArenaBlock GrArenaBlock;

/// Zero-initialise before use.
typedef struct GrArena {
    GrArenaBlock *head;
    bool failed; ///< an allocation failed; check once, at the end
} GrArena;

/// Zeroed memory, aligned for any type; NULL when out of memory.
void *gr_arena_alloc(GrArena *arena, size_t size);

/// Copy of the first `length` characters of `text`, zero-terminated; NULL when out of memory.
char *gr_arena_strndup(GrArena *arena, const char *text, size_t length);

void gr_arena_free(GrArena *arena);

/// Takes a region of memory that something consists of, such as a model: for a copy of all of it elsewhere.
typedef void GrRegionFn(void *context, const void *memory, size_t size);

/// Calls `take` for the used part of each of the arena's blocks.
void gr_arena_regions(const GrArena *arena, GrRegionFn *take, void *context);

#endif
