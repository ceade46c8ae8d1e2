#include "column.h"

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

/// The last value in quanta, and its first and second difference; zero-initialised before the first one.
typedef struct Run {
    int64_t q, change, bend;
} Run;

/// Goes to the next value; a missing one repeats the last.
static inline Run next(Run run, double value, double per)
{
    const int64_t q = isfinite(value) ? gr_nearest(fmin(fmax(value * per, -LARGEST), LARGEST)) : run.q;
    const int64_t change = q - run.q;
    return (Run){q, change, change - run.change};
}

static uint64_t size_of(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

/// The order of differences whose sum of magnitudes is the least. The first two do not count.
static int choose_order(const double *values, int count, double per)
{
    uint64_t sums[3] = {0};
    Run run = {0};
    for (int i = 0; i < count; i++) {
        run = next(run, values[i], per);
        if (i >= 2) {
            sums[0] += size_of(run.q);
            sums[1] += size_of(run.change);
            sums[2] += size_of(run.bend);
        }
    }
    const int best = sums[1] <= sums[0] ? 1 : 0;
    return sums[2] < sums[best] ? 2 : best;
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
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
    const double per = 1 / quantum;
    const int order = choose_order(values, count, per);
    gr_proto_fixed(out, bits, 8);
    gr_proto_byte(out, (unsigned)order);
    gr_proto_byte(out, missing);
    if (missing) {
        put_missing(out, values, count);
    }
    if (!gr_buffer_reserve(out, VARINT_MOST * (size_t)count)) {
        return;
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    Run run = {0};
    for (int i = 0; i < count; i++) {
        run = next(run, values[i], per);
        at = gr_proto_store_varint(at, zigzag(order == 0 ? run.q : order == 1 ? run.change : run.bend));
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    out->data[out->size] = '\0';
}
