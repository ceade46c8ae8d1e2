/// What a fuzz target consists of.
#ifndef GR_FUZZ_TARGET_H
#define GR_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/// One input, of the target. It gives all memory back, except for what the first input has made for all.
void gr_fuzz_input(const uint8_t *data, size_t size);

#endif
