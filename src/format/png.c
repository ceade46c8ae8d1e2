/// PNG (ISO/IEC 15948): a signature and chunks, each with its length, type and CRC-32; the pixels are filtered row by
/// row and compressed by zlib. All rows have the Paeth filter, which suits shaded ground.
#include "png.h"

#ifdef GR_WITH_ZLIB
#include "alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GREY = 0, RGB = 2, PAETH = 4 };

/// Of zlib: a quarter of the time of its default for a twentieth more bytes.
enum { LEVEL = 1 };

static void set_number(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (unsigned char)(value >> (24 - 8 * i));
    }
}

static void put_chunk(GrBuffer *out, const char *type, const unsigned char *data, size_t size)
{
    unsigned char number[4];
    uLong crc = crc32(0, (const Bytef *)type, 4);
    set_number(number, (uint32_t)size);
    gr_buffer_add(out, (const void *)number, sizeof number);
    gr_buffer_add(out, type, 4);
    if (size > 0) {
        gr_buffer_add(out, (const void *)data, size);
        crc = crc32(crc, data, (uInt)size);
    }
    set_number(number, (uint32_t)crc);
    gr_buffer_add(out, (const void *)number, sizeof number);
}

/// The neighbour that is nearest to left + above − corner.
static int predict(int left, int above, int corner)
{
    const int to_left = abs(above - corner), to_above = abs(left - corner), to_corner = abs(left + above - 2 * corner);
    return to_left <= to_above && to_left <= to_corner ? left : to_above <= to_corner ? above : corner;
}

/// Every row begins with the number of its filter. A pixel has `bytes`.
static void filter(const unsigned char *pixels, size_t bytes, size_t stride, int height, unsigned char *out)
{
    for (int row = 0; row < height; row++) {
        const unsigned char *now = pixels + (size_t)row * stride, *above = row > 0 ? now - stride : NULL;
        *out++ = PAETH;
        for (size_t i = 0; i < stride; i++) {
            const int left = i >= bytes ? now[i - bytes] : 0, up = above != NULL ? above[i] : 0;
            const int corner = above != NULL && i >= bytes ? above[i - bytes] : 0;
            *out++ = (unsigned char)(now[i] - predict(left, up, corner));
        }
    }
}

static GrStatus put(GrBuffer *out, const unsigned char *pixels, int width, int height, int bits, int color)
{
    static const unsigned char SIGNATURE[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    const size_t bytes = (color == RGB ? 3 : 1) * (size_t)bits / 8;
    const size_t stride = bytes * (size_t)width, plain_size = (stride + 1) * (size_t)height;
    uLongf size = compressBound(plain_size);
    unsigned char *plain = gr_malloc(plain_size), *packed = gr_malloc(size), header[13] = {0};
    const bool good = plain != NULL && packed != NULL;
    if (good) {
        filter(pixels, bytes, stride, height, plain);
        compress2(packed, &size, plain, plain_size, LEVEL); // cannot fail: the room is compressBound()
        set_number(header, (uint32_t)width);
        set_number(header + 4, (uint32_t)height);
        header[8] = (unsigned char)bits;
        header[9] = (unsigned char)color;
        gr_buffer_add(out, (const void *)SIGNATURE, sizeof SIGNATURE);
        put_chunk(out, "IHDR", header, sizeof header);
        put_chunk(out, "IDAT", packed, size);
        put_chunk(out, "IEND", NULL, 0);
    }
    gr_free(plain);
    gr_free(packed);
    return good && !out->failed ? GR_OK : GR_ERROR_MEMORY;
}

GrStatus gr_png_put(GrBuffer *out, const unsigned char *pixels, int width, int height)
{
    return put(out, pixels, width, height, 8, RGB);
}

GrStatus gr_png_put_grey(GrBuffer *out, const unsigned char *pixels, int width, int height, int bits)
{
    return put(out, pixels, width, height, bits, GREY);
}

#else

GrStatus gr_png_put(GrBuffer *out, const unsigned char *pixels, int width, int height)
{
    (void)out;
    (void)pixels;
    (void)width;
    (void)height;
    return GR_ERROR_UNSUPPORTED;
}

GrStatus gr_png_put_grey(GrBuffer *out, const unsigned char *pixels, int width, int height, int bits)
{
    (void)bits;
    return gr_png_put(out, pixels, width, height);
}

#endif
