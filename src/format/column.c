#include "column.h"

#include "alloc.h"
#include "protobuf.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

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

/// The largest magnitude of all finite values.
static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        const double size = fabs(values[i]), known = size <= DBL_MAX ? size : 0;
        most = known > most ? known : most;
    }
    return most;
}

static double choose_quantum(const double *values, int count)
{
    const double most = largest(values, count);
    return most > 0 ? ldexp(1, ilogb(most) - BITS) : 1;
}

static int count_missing(const double *values, int count)
{
    int missing = 0;
    for (int i = 0; i < count; i++) {
        missing += !(fabs(values[i]) <= DBL_MAX);
    }
    return missing;
}

/// Rounds all values; a missing one repeats the last.
static void round_all(const double *values, int count, double quantum, bool missing, int64_t *restrict out)
{
    int64_t last = 0;
    for (int i = 0; missing && i < count; i++) {
        const double v = values[i];
        last = isfinite(v) ? llround(fmin(fmax(v / quantum, -LARGEST), LARGEST)) : last;
        out[i] = last;
    }
    for (int i = 0; !missing && i < count; i++) { // nearly always: in vector registers
        const double v = values[i] / quantum, least = v > -LARGEST ? v : -LARGEST;
        out[i] = llround(least < LARGEST ? least : LARGEST);
    }
}

static int bits_of(int64_t value)
{
    return 64 - __builtin_clzll(zigzag(value) | 1);
}

/// The order of differences that takes the fewest bits; CONSTANT where all values are equal.
static int choose_order(const int64_t *q, int count)
{
    long bits[ORDERS] = {0};
    int64_t before = 0, slope = 0, others = 0;
    for (int i = 0; i < count; i++) {
        others |= q[i] ^ q[0];
    }
    if (others == 0) {
        return CONSTANT;
    }
    for (int i = 0; i < count; i++) {
        const int64_t change = q[i] - before;
        bits[0] += bits_of(q[i]);
        bits[1] += bits_of(change);
        bits[2] += bits_of(change - slope);
        before = q[i];
        slope = change;
    }
    const int best = bits[1] <= bits[0] ? 1 : 0;
    return bits[2] < bits[best] ? 2 : best;
}

static void put_missing(GrBuffer *out, const double *values, int count)
{
    for (int i = 0; i < count; i += 8) {
        unsigned char mask = 0;
        for (int k = i; k < i + 8 && k < count; k++) {
            mask |= (unsigned char)(!isfinite(values[k]) << (k - i));
        }
        gr_buffer_add(out, (const char *)&mask, 1);
    }
}

/// Stores the differences of the given order, where there is room for ten bytes each. Returns the end.
static unsigned char *store_differences(const int64_t *q, int count, int order, unsigned char *at)
{
    int64_t before = 0, slope = 0;
    for (int i = 0; i < count; i++) {
        const int64_t change = q[i] - before;
        at = gr_proto_store_varint(at, zigzag(order == 0 ? q[i] : order == 1 ? change : change - slope));
        before = q[i];
        slope = change;
    }
    return at;
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
    int64_t *q = gr_malloc((size_t)count * sizeof *q);
    if (q == NULL) {
        out->failed = true;
        return;
    }
    quantum = quantum > 0 ? quantum : choose_quantum(values, count);
    const bool missing = count_missing(values, count) > 0;
    round_all(values, count, quantum, missing, q);
    const int order = choose_order(q, count);
    unsigned char header[10];
    uint64_t bits;
    memcpy(&bits, &quantum, sizeof bits);
    gr_proto_store(header, bits, 8);
    header[8] = (unsigned char)order;
    header[9] = missing;
    gr_buffer_add(out, (const char *)header, sizeof header);
    if (missing) {
        put_missing(out, values, count);
    }
    unsigned char *at = gr_buffer_reserve(out, 10 * (size_t)count) ? (unsigned char *)out->data + out->size : NULL;
    if (at != NULL) {
        at = order == CONSTANT ? gr_proto_store_varint(at, zigzag(q[0])) : store_differences(q, count, order, at);
        out->size = (size_t)(at - (unsigned char *)out->data);
        out->data[out->size] = '\0';
    }
    gr_free(q);
}
