/// Arrays that grow one item at a time.
#ifndef GR_LIST_H
#define GR_LIST_H

#include <stddef.h>

/// Appends a copy of an item of `size` bytes to an array. Returns its index, −1 when out of memory. `items` is the
/// address of the array's pointer, NULL at first. The capacity follows from the count (it doubles when the count is a
/// power of two), so only this function may allocate the array.
int gr_list_add(void *items, int *count, const void *item, size_t size);

#endif
