/// Arrays that grow one item at a time.
#ifndef GR_LIST_H
#define GR_LIST_H

#include <stddef.h>

/// Appends a copy of an item of `size` bytes to an array whose room doubles when its count is a power of two. Returns
/// its index, −1 when memory is out. `items` is the address of the array's pointer, NULL at first; nothing else may
/// make the array.
int gr_list_add(void *items, int *count, const void *item, size_t size);

#endif
