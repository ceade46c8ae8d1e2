/// One bit per node: which cells of a map are void or wrong.
#ifndef GR_BITMAP_H
#define GR_BITMAP_H

#include "alloc.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct GrBitmap {
    int64_t nx, ny, words; ///< words per row
    uint64_t *bits;
} GrBitmap;

static inline bool gr_bitmap_init(GrBitmap *map, int64_t nx, int64_t ny)
{
    const int64_t words = (nx + 63) / 64;
    *map = (GrBitmap){nx, ny, words, gr_calloc((size_t)(words * ny), sizeof(uint64_t))};
    return map->bits != NULL;
}

static inline void gr_bitmap_free(GrBitmap *map)
{
    gr_free(map->bits);
    map->bits = NULL;
}

static inline bool gr_bitmap_get(const GrBitmap *map, int64_t i, int64_t j)
{
    return map->bits != NULL && (map->bits[j * map->words + i / 64] >> (i % 64) & 1u) != 0;
}

static inline void gr_bitmap_set(GrBitmap *map, int64_t i, int64_t j)
{
    map->bits[j * map->words + i / 64] |= (uint64_t)1 << (i % 64);
}

#endif
