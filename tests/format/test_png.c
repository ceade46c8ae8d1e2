/// Pictures as PNG: zlib unpacks them to the same pixels, by the filters' inverse as the standard prints it, and all
/// checksums are right.
#include "png.h"
#include "test.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/// Data of the chunk at `at`, of a type; advances to the next.
static const unsigned char *chunk(const unsigned char **at, const char *type, uint32_t *size)
{
    const unsigned char *data = *at + 8;
    *size = number(*at);
    assert_memory_equal(*at + 4, type, 4);
    assert_int_equal(number(data + *size), crc32(0, *at + 4, 4 + *size));
    *at = data + *size + 4;
    return data;
}

static int paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

static void check(int width, int height)
{
    const size_t stride = 3 * (size_t)width;
    unsigned char *pixels = malloc(stride * (size_t)height), *plain = malloc((stride + 1) * (size_t)height);
    for (size_t i = 0; i < stride * (size_t)height; i++) {
        pixels[i] = (unsigned char)(i * i / 7 + 31 * (i % 5));
    }
    GrBuffer png = {0};
    assert_int_equal(gr_png_put(&png, pixels, width, height), GR_OK);
    const unsigned char *at = (const unsigned char *)png.data;
    uint32_t size;
    assert_memory_equal(at, "\x89PNG\r\n\x1a\n", 8);
    at += 8;
    const unsigned char *header = chunk(&at, "IHDR", &size);
    assert_int_equal(size, 13);
    assert_int_equal(number(header), width);
    assert_int_equal(number(header + 4), height);
    assert_memory_equal(header + 8, "\x08\x02\0\0\0", 5);
    const unsigned char *data = chunk(&at, "IDAT", &size);
    uLongf got = (stride + 1) * (size_t)height;
    assert_int_equal(uncompress(plain, &got, data, size), Z_OK);
    assert_int_equal(got, (stride + 1) * (size_t)height);
    chunk(&at, "IEND", &size);
    assert_int_equal(size, 0);
    assert_ptr_equal(at, (const unsigned char *)png.data + png.size);
    for (int row = 0; row < height; row++) {
        unsigned char *line = plain + (stride + 1) * (size_t)row;
        const unsigned char *above = row > 0 ? line - stride - 1 : NULL;
        assert_int_equal(line[0], 4);
        for (size_t i = 1; i <= stride; i++) {
            const int left = i > 3 ? line[i - 3] : 0, up = above != NULL ? above[i] : 0;
            const int corner = above != NULL && i > 3 ? above[i - 3] : 0;
            line[i] = (unsigned char)(line[i] + paeth(left, up, corner));
        }
        assert_memory_equal(line + 1, pixels + stride * (size_t)row, stride);
    }
    gr_buffer_free(&png);
    free(pixels);
    free(plain);
}

static void test_pixels(void **state)
{
    (void)state;
    check(1, 1);
    check(1, 9);
    check(257, 3);
    check(640, 480);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pixels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
