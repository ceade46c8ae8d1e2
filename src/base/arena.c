#include "arena.h"

#include "alloc.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK_SIZE = 16384 };

struct GrArenaBlock {
    GrArenaBlock *next;
    size_t used;
    size_t size;
    _Alignas(max_align_t) unsigned char bytes[];
};

void *gr_arena_alloc(GrArena *arena, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size > SIZE_MAX - BLOCK_SIZE) {
        arena->failed = true;
        return NULL;
    }
    size = (size + align - 1) / align * align;
    if (arena->head == NULL || arena->head->size - arena->head->used < size) {
        const size_t capacity = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        GrArenaBlock *block = gr_calloc(1, sizeof(GrArenaBlock) + capacity);
        if (block == NULL) {
            arena->failed = true;
            return NULL;
        }
        block->size = capacity;
        block->next = arena->head;
        arena->head = block;
    }
    void *memory = arena->head->bytes + arena->head->used;
    arena->head->used += size;
    return memory;
}

char *gr_arena_strndup(GrArena *arena, const char *text, size_t length)
{
    char *copy = gr_arena_alloc(arena, length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
    }
    return copy;
}

void gr_arena_free(GrArena *arena)
{
    GrArenaBlock *block = arena->head;
    while (block != NULL) {
        GrArenaBlock *next = block->next;
        gr_free(block);
        block = next;
    }
    arena->head = NULL;
}
