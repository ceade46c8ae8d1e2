/// The library's blocks of memory, for targets that check that none is left.
#ifndef GR_LEAKS_H
#define GR_LEAKS_H

#include <stddef.h>

/// Blocks that are in use. One thread only.
size_t gr_fuzz_blocks(void);

#endif
