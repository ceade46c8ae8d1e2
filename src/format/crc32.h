/// CRC-32 as in zlib, PNG and MCAP (polynomial 0xEDB88320, reflected).
#ifndef GR_CRC32_H
#define GR_CRC32_H

#include <stddef.h>
#include <stdint.h>

/// Continues from `crc`, 0 at the start: crc32(crc32(0, a), b) is the CRC of a followed by b.
uint32_t gr_crc32(uint32_t crc, const void *data, size_t size);

#endif
