#include "column.h"

#include "check.h"
#include "protobuf.h"
#include "whole.h"

#include <math.h>
#include <stdbool.h>

enum { BITS = 13, VARINT_MOST = 10 };
static const double LARGEST = 4503599627370496; // 2^52: exact in a reader's doubles

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void gr_column_put_signed(GrBuffer *out, int64_t value)
{
    gr_proto_varint(out, zigzag(value));
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

/// Values in quanta; a missing one repeats the last.
static void round_all(const double *values, int count, double per, int64_t *restrict q)
{
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        const double units = values[i] * per;
        const double limited = units > LARGEST ? LARGEST : units < -LARGEST ? -LARGEST : units;
        last = isfinite(values[i]) ? gr_nearest(limited) : last;
        q[i] = last;
    }
}

static uint64_t size_of(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

/// The order of differences whose sum of magnitudes is the least. The first two do not count.
static int choose_order(const int64_t *q, int count)
{
    uint64_t sums[3] = {0};
    for (int i = 2; i < count; i++) {
        const int64_t change = q[i] - q[i - 1], before = q[i - 1] - q[i - 2];
        sums[0] += size_of(q[i]);
        sums[1] += size_of(change);
        sums[2] += size_of(change - before);
    }
    const int best = sums[1] <= sums[0] ? 1 : 0;
    return sums[2] < sums[best] ? 2 : best;
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
    GR_CHECK(count <= GR_COLUMN_MOST);
    double most = 0;
    bool missing = false;
    for (int i = 0; i < count; i++) {
        const double size = fabs(values[i]);
        missing = missing || !isfinite(size);
        most = isfinite(size) && size > most ? size : most;
    }
    if (!(quantum > 0)) {
        quantum = most > 0 ? ldexp(1, ilogb(most) - BITS) : 1;
    }
    uint64_t bits;
    memcpy(&bits, &quantum, sizeof bits);
    int64_t q[GR_COLUMN_MOST];
    round_all(values, count, 1 / quantum, q);
    const int order = choose_order(q, count);
    gr_proto_fixed(out, bits, 8);
    gr_proto_byte(out, (unsigned)order);
    gr_proto_byte(out, missing);
    if (missing) {
        put_missing(out, values, count);
    }
    if (!gr_buffer_reserve(out, VARINT_MOST * (size_t)count)) {
        return;
    }
    for (int k = 0; k < order; k++) {
        for (int i = count - 1; i > 0; i--) {
            q[i] -= q[i - 1];
        }
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    for (int i = 0; i < count; i++) {
        at = gr_proto_store_varint(at, zigzag(q[i]));
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    out->data[out->size] = '\0';
}
