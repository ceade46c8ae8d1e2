#include "column.h"

#include "alloc.h"
#include "protobuf.h"

#include <math.h>

enum { BITS = 13, ORDERS = 3, CONSTANT = 3 };
static const double LARGEST = 4503599627370496; // 2^52: exact in a reader's doubles

static uint64_t zigzag(int64_t value)
{
    const uint64_t twice = (uint64_t)value << 1;
    return value < 0 ? ~twice : twice;
}

void gr_column_put_signed(GrBuffer *out, int64_t value)
{
    unsigned char bytes[10];
    const unsigned char *end = gr_proto_store_varint(bytes, zigzag(value));
    gr_buffer_add(out, (const char *)bytes, (size_t)(end - bytes));
}

static double choose_quantum(const double *values, int stride, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double size = fabs(values[(size_t)i * (size_t)stride]);
        most = isfinite(size) && size > most ? size : most;
    }
    return most > 0 ? ldexp(1, ilogb(most) - BITS) : 1;
}

/// Rounds all values; a missing one repeats the last. Returns the number of missing ones.
static int round_all(const double *values, int stride, int count, double quantum, int64_t *out)
{
    int missing = 0;
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        const double v = values[(size_t)i * (size_t)stride];
        if (isfinite(v)) {
            last = llround(fmin(fmax(v / quantum, -LARGEST), LARGEST));
        } else {
            missing++;
        }
        out[i] = last;
    }
    return missing;
}

static int64_t difference(const int64_t *q, int i, int order)
{
    const int64_t a = q[i], b = i > 0 ? q[i - 1] : 0, c = i > 1 ? q[i - 2] : 0;
    return order == 0 ? a : order == 1 ? a - b : a - 2 * b + c;
}

/// The order of differences that takes the fewest bits; CONSTANT where all values are equal.
static int choose_order(const int64_t *q, int count)
{
    long bits[ORDERS] = {0};
    bool constant = true;
    for (int i = 0; i < count; i++) {
        constant = constant && q[i] == q[0];
        for (int order = 0; order < ORDERS; order++) {
            const uint64_t z = zigzag(difference(q, i, order));
            bits[order] += z == 0 ? 0 : 64 - __builtin_clzll(z);
        }
    }
    if (constant) {
        return CONSTANT;
    }
    const int best = bits[1] <= bits[0] ? 1 : 0;
    return bits[2] < bits[best] ? 2 : best;
}

static void put_missing(GrBuffer *out, const double *values, int stride, int count)
{
    for (int i = 0; i < count; i += 8) {
        unsigned char mask = 0;
        for (int k = i; k < i + 8 && k < count; k++) {
            mask |= (unsigned char)(!isfinite(values[(size_t)k * (size_t)stride]) << (k - i));
        }
        gr_buffer_add(out, (const char *)&mask, 1);
    }
}

void gr_column_put(GrBuffer *out, const double *values, int stride, int count, double quantum)
{
    int64_t *q = gr_malloc((size_t)count * sizeof *q);
    if (q == NULL) {
        out->failed = true;
        return;
    }
    quantum = quantum > 0 ? quantum : choose_quantum(values, stride, count);
    const int missing = round_all(values, stride, count, quantum, q);
    const int order = choose_order(q, count);
    unsigned char header[10];
    uint64_t bits;
    memcpy(&bits, &quantum, sizeof bits);
    gr_proto_store(header, bits, 8);
    header[8] = (unsigned char)order;
    header[9] = missing > 0;
    gr_buffer_add(out, (const char *)header, sizeof header);
    if (missing > 0) {
        put_missing(out, values, stride, count);
    }
    unsigned char *at = gr_buffer_reserve(out, 10 * (size_t)count) ? (unsigned char *)out->data + out->size : NULL;
    const int terms = order == CONSTANT ? 1 : count;
    for (int i = 0; at != NULL && i < terms; i++) {
        at = gr_proto_store_varint(at, zigzag(order == CONSTANT ? q[0] : difference(q, i, order)));
    }
    if (at != NULL) {
        out->size = (size_t)(at - (unsigned char *)out->data);
        out->data[out->size] = '\0';
    }
    gr_free(q);
}
