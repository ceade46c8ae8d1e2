/// CRC-32, and the writer of zip archives. No library: zlib checks and deflates, but builds without it need both too.
#include "zip.h"

#include "alloc.h"
#include "crc32.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// ---- CRC-32

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

// ---- archives

#ifdef GR_WITH_ZLIB
#include <zlib.h>
#endif

enum {
    STORED = 0,
    DEFLATED = 8,
    NAMES_ARE_UTF8 = 1 << 11,
    VERSION = 20,                    ///< needed to unpack: deflate
    MADE_BY_UNIX = 3 << 8 | 20,      ///< so that permissions count
    FIRST_DAY = 0 << 9 | 1 << 5 | 1, ///< 1980-01-01
    ENTRIES_MAX = 65535,
};

static const uint32_t PERMISSIONS = (uint32_t)0100644 << 16;
static const size_t LARGEST = UINT32_MAX;

static void put(GrBuffer *out, uint32_t value, int bytes)
{
    char text[4];
    for (int i = 0; i < bytes; i++) {
        text[i] = (char)(value >> 8 * i & 255);
    }
    gr_buffer_add(out, text, (size_t)bytes);
}

/// Deflates into `out`; false where that is not possible or does not make it smaller.
static bool deflate_into(GrBuffer *out, const char *data, size_t size)
{
#ifdef GR_WITH_ZLIB
    z_stream stream = {0};
    if (size == 0 || deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    const size_t bound = deflateBound(&stream, size);
    char *packed = gr_malloc(bound);
    stream.next_in = (Bytef *)(uintptr_t)data;
    stream.avail_in = (uInt)size;
    stream.next_out = (Bytef *)packed;
    stream.avail_out = (uInt)bound;
    const bool done = packed != NULL && deflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out < size;
    if (done) {
        gr_buffer_add(out, packed, stream.total_out);
    }
    deflateEnd(&stream);
    gr_free(packed);
    return done;
#else
    (void)out;
    (void)data;
    (void)size;
    return false;
#endif
}

/// What the header of an entry and the directory have in common.
static void put_entry(GrBuffer *out, int method, uint32_t crc, size_t packed, size_t size, const char *name)
{
    put(out, VERSION, 2);
    put(out, NAMES_ARE_UTF8, 2);
    put(out, (uint32_t)method, 2);
    put(out, 0, 2);
    put(out, FIRST_DAY, 2);
    put(out, crc, 4);
    put(out, (uint32_t)packed, 4);
    put(out, (uint32_t)size, 4);
    put(out, (uint32_t)strlen(name), 2);
    put(out, 0, 2);
}

void gr_zip_add(GrZip *zip, const char *name, const char *data, size_t size)
{
    GrBuffer packed = {0};
    const bool deflated = deflate_into(&packed, data, size);
    const size_t stored = deflated ? packed.size : size, at = zip->out.size;
    const uint32_t crc = gr_crc32(0, data, size);
    zip->failed = zip->failed || zip->count == ENTRIES_MAX || at + stored + strlen(name) + 64 > LARGEST ||
                  strlen(name) > ENTRIES_MAX;
    if (!zip->failed) {
        put(&zip->out, 0x04034b50, 4);
        put_entry(&zip->out, deflated ? DEFLATED : STORED, crc, stored, size, name);
        gr_buffer_puts(&zip->out, name);
        gr_buffer_add(&zip->out, deflated ? packed.data : data, stored);
        put(&zip->directory, 0x02014b50, 4);
        put(&zip->directory, MADE_BY_UNIX, 2);
        put_entry(&zip->directory, deflated ? DEFLATED : STORED, crc, stored, size, name);
        put(&zip->directory, 0, 2);
        put(&zip->directory, 0, 2);
        put(&zip->directory, 0, 2);
        put(&zip->directory, PERMISSIONS, 4);
        put(&zip->directory, (uint32_t)at, 4);
        gr_buffer_puts(&zip->directory, name);
        zip->count++;
    }
    zip->failed = zip->failed || zip->out.failed || zip->directory.failed || packed.failed;
    gr_buffer_free(&packed);
}

bool gr_zip_end(GrZip *zip)
{
    const size_t at = zip->out.size;
    zip->failed = zip->failed || at + zip->directory.size + 22 > LARGEST;
    gr_buffer_add(&zip->out, zip->directory.data, zip->directory.size);
    put(&zip->out, 0x06054b50, 4);
    put(&zip->out, 0, 4);
    put(&zip->out, (uint32_t)zip->count, 2);
    put(&zip->out, (uint32_t)zip->count, 2);
    put(&zip->out, (uint32_t)zip->directory.size, 4);
    put(&zip->out, (uint32_t)at, 4);
    put(&zip->out, 0, 2);
    zip->failed = zip->failed || zip->out.failed;
    return !zip->failed;
}

void gr_zip_free(GrZip *zip)
{
    gr_buffer_free(&zip->out);
    gr_buffer_free(&zip->directory);
    *zip = (GrZip){0};
}

enum { ALIGN = 64, PREFIX = 10, HEADER = 256 };

static const struct {
    const char *name; ///< NumPy's, of this machine's byte order
    size_t size;
} TYPES[] = {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    {">f4", 4},
    {">f8", 8},
    {"|u1", 1},
    {">i4", 4},
#else
    {"<f4", 4},
    {"<f8", 8},
    {"|u1", 1},
    {"<i4", 4},
#endif
    {"|S64", GR_NPY_TEXT_SIZE},
};

/// Format 1.0: magic, length of the header, the header as a Python dict, padded to 64 bytes and ended by a line end.
static void put_header(GrBuffer *out, GrNpyType type, int dimensions, const size_t *shape)
{
    char text[HEADER];
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", TYPES[type].name);
    for (int i = 0; i < dimensions; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%zu,%s", shape[i], i + 1 < dimensions ? " " : "");
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "), }");
    const int length = (PREFIX + used + 1 + ALIGN - 1) / ALIGN * ALIGN - PREFIX;
    const char prefix[PREFIX] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)(length & 255), (char)(length >> 8)};
    gr_buffer_add(out, prefix, PREFIX);
    gr_buffer_add(out, text, (size_t)used);
    for (int i = used; i + 1 < length; i++) {
        gr_buffer_puts(out, " ");
    }
    gr_buffer_puts(out, "\n");
}

void gr_npz_add(GrNpz *npz, const char *name, GrNpyType type, int dimensions, const size_t *shape, const void *data)
{
    GrBuffer out = {0};
    char entry[96];
    size_t size = TYPES[type].size;
    for (int i = 0; i < dimensions; i++) {
        size *= shape[i];
    }
    put_header(&out, type, dimensions, shape);
    if (size > 0) {
        gr_buffer_add(&out, data, size);
    }
    snprintf(entry, sizeof entry, "%.80s.npy", name);
    if (out.failed) {
        npz->zip.failed = true;
    } else {
        gr_zip_add(&npz->zip, entry, out.data, out.size);
    }
    gr_buffer_free(&out);
}

bool gr_npz_end(GrNpz *npz)
{
    return gr_zip_end(&npz->zip);
}

void gr_npz_free(GrNpz *npz)
{
    gr_zip_free(&npz->zip);
}
