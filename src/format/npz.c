#include "npz.h"

#include <stdio.h>
#include <string.h>

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
