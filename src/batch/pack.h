/// An image of what missions point to, for memory elsewhere: models, terrains, soil maps.
///
/// A run gives groups of regions of memory; a group may point into itself, into earlier groups of the run, and to
/// known functions, which become numbers. Every word with such an address is found and replaced. No type of
/// a model has to be listed for this, so that none can be forgotten; a word that is no pointer and yet has the value of
/// one would have to be a number below 1e-308. Groups of several runs that are equal are kept once.
#ifndef GR_PACK_H
#define GR_PACK_H

#include "arena.h"
#include "grouser/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct GrPack GrPack;

/// `known`: addresses of functions; a pointer to known[k] becomes the number k + 1. NULL when out of memory.
GrPack *gr_pack_create(const uint64_t *known, int known_count);
void gr_pack_free(GrPack *pack);

/// Forgets the regions of the run before.
void gr_pack_begin(GrPack *pack);

/// Adds a region to the present group: `bytes` stand for what is at `address`. Where both are the same, as a
/// GrRegionFn.
void gr_pack_add_as(GrPack *pack, const void *address, const void *bytes, size_t size);
void gr_pack_add(void *pack, const void *memory, size_t size);

/// A group of one region that holds no pointer and that many runs share.
void gr_pack_share(GrPack *pack, const void *memory, size_t size);

/// Ends the group. Returns where its first region is in the image.
uint64_t gr_pack_end(GrPack *pack);

/// False when out of memory.
bool gr_pack_is_good(const GrPack *pack);

/// Size of the image, and its bytes for memory that begins at `base`. Once, at the end.
size_t gr_pack_size(const GrPack *pack);
const void *gr_pack_image(GrPack *pack, uint64_t base);

#endif
