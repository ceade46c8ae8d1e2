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

enum { SLICES = 8, STREAMS = 3 };

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

/// Product of two polynomials modulo that of the CRC; the highest bit is the constant term.
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t bit = UINT32_C(1) << 31; bit != 0; bit >>= 1) {
        product ^= (a & bit) != 0 ? b : 0;
        b = b >> 1 ^ ((b & 1) != 0 ? UINT32_C(0xedb88320) : 0);
    }
    return product;
}

/// x^(8 size): a CRC times this is that of the same bytes followed by `size` zeros.
static uint32_t power_of(size_t size)
{
    uint32_t power = UINT32_C(1) << 31, square = UINT32_C(1) << 23;
    for (; size > 0; size >>= 1) {
        power = (size & 1) != 0 ? multiply(power, square) : power;
        square = multiply(square, square);
    }
    return power;
}

/// Several parts of the data side by side, since each byte waits for the one before it. Returns the bytes taken.
static size_t take_streams(uint32_t *crc, const unsigned char *bytes, size_t size)
{
    const size_t part = size / (STREAMS * SLICES) * SLICES;
    const uint32_t power = power_of(part);
    uint32_t streams[STREAMS] = {*crc};
    Slices slices;
    make_slices(&slices);
    for (size_t i = 0; i < part; i += SLICES) {
        for (size_t k = 0; k < STREAMS; k++) {
            streams[k] = of_eight(&slices, streams[k], bytes + k * part + i);
        }
    }
    *crc = streams[0];
    for (int k = 1; k < STREAMS; k++) {
        *crc = multiply(*crc, power) ^ streams[k];
    }
    return STREAMS * part;
}

uint32_t gr_crc32(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    crc = ~crc;
    if (size >= 4096) { // filling the slices pays from this size on
        const size_t taken = take_streams(&crc, bytes, size);
        bytes += taken;
        size -= taken;
    }
    for (; size > 0; size--) {
        crc = of_byte(crc, *bytes++);
    }
    return ~crc;
}

#endif
