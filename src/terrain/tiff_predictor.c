#include "tiff_predictor.h"

#include <string.h>

typedef uint8_t Bytes __attribute__((vector_size(GR_PREDICTOR_WIDTH)));

/// Sums of differences: within a vector in four steps of 1, 2, 4 and 8 bytes, then with the last byte of the vector
/// before. Only that last step waits for the vector before.
static void add_up(uint8_t *bytes, size_t size)
{
    const Bytes none = {0};
    Bytes before = none;
    for (size_t k = 0; k < size; k += GR_PREDICTOR_WIDTH) {
        Bytes v;
        memcpy(&v, bytes + k, sizeof v);
        v += __builtin_shufflevector(v, none, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        v += __builtin_shufflevector(v, none, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
        v += __builtin_shufflevector(v, none, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
        v += __builtin_shufflevector(v, none, 16, 16, 16, 16, 16, 16, 16, 16, 0, 1, 2, 3, 4, 5, 6, 7);
        v += before;
        memcpy(bytes + k, &v, sizeof v);
        before = __builtin_shufflevector(v, v, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15);
    }
}

static void join_4(const uint8_t *bytes, size_t count, uint32_t *restrict out)
{
    for (size_t k = 0; k < count; k++) {
        out[k] = (uint32_t)bytes[k] << 24 | (uint32_t)bytes[count + k] << 16 | (uint32_t)bytes[2 * count + k] << 8 |
                 bytes[3 * count + k];
    }
}

static void join_8(const uint8_t *bytes, size_t count, uint64_t *restrict out)
{
    const uint8_t *low = bytes + 4 * count;
    for (size_t k = 0; k < count; k++) {
        const uint32_t upper = (uint32_t)bytes[k] << 24 | (uint32_t)bytes[count + k] << 16 |
                               (uint32_t)bytes[2 * count + k] << 8 | bytes[3 * count + k];
        const uint32_t lower = (uint32_t)low[k] << 24 | (uint32_t)low[count + k] << 16 |
                               (uint32_t)low[2 * count + k] << 8 | low[3 * count + k];
        out[k] = (uint64_t)upper << 32 | lower;
    }
}

void gr_predictor_undo(uint8_t *bytes, int count, int size, void *out)
{
    add_up(bytes, (size_t)count * (size_t)size);
    if (size == 4) {
        join_4(bytes, (size_t)count, out);
    } else {
        join_8(bytes, (size_t)count, out);
    }
}
