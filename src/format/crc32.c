#include "crc32.h"

#include <string.h>

#ifdef __ARM_FEATURE_CRC32
#include <arm_acle.h>

uint32_t gr_crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, bytes += 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        crc = __crc32d(crc, word);
    }
    for (; size > 0; size--) {
        crc = __crc32b(crc, *bytes++);
    }
    return ~crc;
}

#else

/// The table of a nibble: 16 entries are short enough to be written out.
static const uint32_t NIBBLES[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                     0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                     0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

static uint32_t of_byte(uint32_t crc, unsigned byte)
{
    crc ^= byte;
    crc = crc >> 4 ^ NIBBLES[crc & 15];
    return crc >> 4 ^ NIBBLES[crc & 15];
}

enum { SLICES = 8 };

typedef struct Slices {
    uint32_t of[SLICES][256]; ///< slice k is the CRC of a byte that is followed by k zero bytes
} Slices;

static void make_slices(Slices *s)
{
    for (unsigned i = 0; i < 256; i++) {
        s->of[0][i] = of_byte(0, i);
    }
    for (int k = 1; k < SLICES; k++) {
        for (int i = 0; i < 256; i++) {
            s->of[k][i] = s->of[k - 1][i] >> 8 ^ s->of[0][s->of[k - 1][i] & 255];
        }
    }
}

/// Eight bytes at a time (slicing-by-8).
static inline uint32_t of_eight(const Slices *s, uint32_t crc, const unsigned char *bytes)
{
    crc ^= (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return s->of[7][crc & 255] ^ s->of[6][crc >> 8 & 255] ^ s->of[5][crc >> 16 & 255] ^ s->of[4][crc >> 24] ^
           s->of[3][bytes[4]] ^ s->of[2][bytes[5]] ^ s->of[1][bytes[6]] ^ s->of[0][bytes[7]];
}

uint32_t gr_crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    if (size >= 4096) { // filling the slices pays from this size on
        Slices slices;
        make_slices(&slices);
        for (; size >= SLICES; size -= SLICES, bytes += SLICES) {
            crc = of_eight(&slices, crc, bytes);
        }
    }
    for (; size > 0; size--) {
        crc = of_byte(crc, *bytes++);
    }
    return ~crc;
}

#endif
