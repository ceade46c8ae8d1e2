#include "column.h"

#include "alloc.h"
#include "protobuf.h"
#include "whole.h"

#include <math.h>
#include <stdbool.h>

enum { BITS = 13, CONSTANT = 3, PACKED = 4, LEAST_PACKED = 32, ROOM = 512 };
/// Numbers whose part above the low bits is larger than this are written in full.
enum { UNARY_MOST = 15, LOW_MOST = 24 };
/// Numbers that share their count of low bits, the bits of that count, and the count that says that all are zero.
enum { GROUP = 32, GROUP_BITS = 5, ALL_ZERO = 31 };
static const double LARGEST = 4503599627370496; // 2^52: exact in a reader's doubles

static uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

void gr_column_put_signed(GrBuffer *out, int64_t value)
{
    unsigned char bytes[10];
    const unsigned char *end = gr_proto_store_varint(bytes, zigzag(value));
    gr_buffer_add(out, (const char *)bytes, (size_t)(end - bytes));
}

static int64_t bits_of(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// The largest magnitude of all finite values, and whether others are missing. Magnitudes are in the order of their
/// bits, and whole numbers are compared in vector registers.
static double largest(const double *values, int count, bool *missing)
{
    const int64_t infinite = bits_of((double)INFINITY);
    int64_t all = 0, known = 0;
    for (int i = 0; i < count; i++) {
        const int64_t bits = bits_of(fabs(values[i]));
        all = bits > all ? bits : all;
    }
    *missing = all >= infinite;
    for (int i = 0; *missing && i < count; i++) {
        const int64_t bits = bits_of(fabs(values[i]));
        known = bits < infinite && bits > known ? bits : known;
    }
    double most;
    memcpy(&most, *missing ? &known : &all, sizeof most);
    return most;
}

/// Rounds one value below 2^51 as gr_nearest() does. Adding 1.5 · 2^52 leaves the whole number in the low bits; only
/// halves need more, since they go to the even neighbour. Doubles are compared as whole numbers, which loops do in
/// vector registers.
static inline int64_t round_small(double v)
{
    const double shift = 0x1.8p52, shifted = v + shift;
    const int64_t rest = bits_of(v - (shifted - shift)), sign = bits_of(v);
    return bits_of(shifted) - bits_of(shift) + ((rest == bits_of(0.5)) & (sign >= 0)) -
           ((rest == bits_of(-0.5)) & (sign < 0));
}

/// Rounds all values; a missing one repeats the last. `most`: the largest magnitude.
static void round_all(const double *values, int count, double quantum, double most, bool missing, int64_t *restrict out)
{
    const double per = 1 / quantum;
    if (!missing && most * per < LARGEST / 2) { // nearly always
        for (int i = 0; i < count; i++) {
            out[i] = round_small(values[i] * per);
        }
        return;
    }
    int64_t last = 0;
    for (int i = 0; i < count; i++) {
        const double v = values[i];
        last = isfinite(v) ? gr_nearest(fmin(fmax(v * per, -LARGEST), LARGEST)) : last;
        out[i] = last;
    }
}

static uint64_t size_of(int64_t value)
{
    return (uint64_t)(value < 0 ? -value : value);
}

/// The order of differences whose sum of magnitudes is the least; CONSTANT where all values are equal. The first two
/// differences do not count.
static int choose_order(const int64_t *q, int count)
{
    int64_t others = 0;
    for (int i = 0; i < count; i++) {
        others |= q[i] ^ q[0];
    }
    if (others == 0) {
        return CONSTANT;
    }
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

/// Differences of the given order as zigzag numbers.
static void take_differences(const int64_t *q, int count, int order, uint64_t *restrict z)
{
    const int64_t slope = order == 2, level = order > 0;
    z[0] = zigzag(q[0]);
    if (count > 1) {
        z[1] = zigzag(q[1] - (level + slope) * q[0]);
    }
    for (int i = 2; order == 0 && i < count; i++) {
        z[i] = zigzag(q[i]);
    }
    for (int i = 2; order == 1 && i < count; i++) {
        z[i] = zigzag(q[i] - q[i - 1]);
    }
    for (int i = 2; order == 2 && i < count; i++) {
        z[i] = zigzag(q[i] - 2 * q[i - 1] + q[i - 2]);
    }
}

/// Numbers of a varying number of bits one after another, the low bit first.
typedef struct Bits {
    unsigned char *at;
    uint64_t word;  ///< bits that are not stored yet
    unsigned count; ///< less than KEPT after each number
} Bits;

/// Bits that wait for more, so that several short numbers are stored together; the longest number has 40.
enum { KEPT = 24 };

static void store_whole_bytes(Bits *bits)
{
    gr_proto_store(bits->at, bits->word, 8);
    const unsigned whole = bits->count / 8;
    bits->at += whole;
    bits->word >>= 8 * whole;
    bits->count %= 8;
}

static inline void put_bits(Bits *bits, uint64_t value, unsigned count)
{
    bits->word |= value << bits->count;
    bits->count += count;
    if (bits->count >= KEPT) {
        store_whole_bytes(bits);
    }
}

/// Low bits of the code for numbers of a given sum: the largest power of two in their mean. ALL_ZERO: there are none.
static int choose_low(uint64_t sum, int count)
{
    const uint64_t mean = sum / (uint64_t)count;
    const int low = mean > 0 ? 63 - __builtin_clzll(mean) : 0;
    return sum == 0 ? ALL_ZERO : low < LOW_MOST ? low : LOW_MOST;
}

/// Rice's code: the part above the low bits as that many zeros and a one, then the low bits.
static void put_group(Bits *bits, const uint64_t *z, int count, unsigned low)
{
    const uint64_t mask = ((uint64_t)1 << low) - 1;
    for (int i = 0; i < count; i++) {
        const uint64_t value = z[i], above = value >> low;
        if (above <= UNARY_MOST) {
            put_bits(bits, (uint64_t)1 << above | (value & mask) << (above + 1), (unsigned)above + 1 + low);
        } else {
            put_bits(bits, 0, UNARY_MOST + 1);
            put_bits(bits, value & UINT32_MAX, 32);
            put_bits(bits, value >> 32, 32);
        }
    }
}

/// Motion comes in bursts, so each group has low bits of its own. Returns the end.
static unsigned char *store_packed(const uint64_t *z, int count, unsigned char *at)
{
    Bits bits = {.at = at};
    for (int first = 0; first < count; first += GROUP) {
        const int n = count - first < GROUP ? count - first : GROUP;
        uint64_t sum = 0;
        for (int i = 0; i < n; i++) {
            sum += z[first + i];
        }
        const int low = choose_low(sum, n);
        put_bits(&bits, (uint64_t)low, GROUP_BITS);
        if (low != ALL_ZERO) {
            put_group(&bits, z + first, n, (unsigned)low);
        }
    }
    store_whole_bytes(&bits);
    return bits.count > 0 ? bits.at + 1 : bits.at;
}

static unsigned char *store_varints(const uint64_t *z, int count, unsigned char *at)
{
    for (int i = 0; i < count; i++) {
        at = gr_proto_store_varint(at, z[i]);
    }
    return at;
}

/// `q`, `z`: room for `count` numbers.
static void put_column(GrBuffer *out, const double *values, int count, double quantum, int64_t *q, uint64_t *z)
{
    bool missing;
    const double most = largest(values, count, &missing);
    if (!(quantum > 0)) {
        quantum = most > 0 ? ldexp(1, ilogb(most) - BITS) : 1;
    }
    round_all(values, count, quantum, most, missing, q);
    uint64_t bits;
    const int order = choose_order(q, count);
    const bool packed = order != CONSTANT && count >= LEAST_PACKED;
    unsigned char header[10];
    memcpy(&bits, &quantum, sizeof bits);
    gr_proto_store(header, bits, 8);
    header[8] = (unsigned char)(packed ? order + PACKED : order);
    header[9] = missing;
    gr_buffer_add(out, (const char *)header, sizeof header);
    if (missing) {
        put_missing(out, values, count);
    }
    // the longest number, the bits of the groups, and what put_bits() stores beyond the end
    if (!gr_buffer_reserve(out, 11 * (size_t)count + 16)) {
        return;
    }
    unsigned char *at = (unsigned char *)out->data + out->size;
    if (order == CONSTANT) {
        at = gr_proto_store_varint(at, zigzag(count > 0 ? q[0] : 0));
    } else {
        take_differences(q, count, order, z);
        const int plain = packed ? 2 : count;
        at = store_varints(z, plain, at);
        at = packed ? store_packed(z + plain, count - plain, at) : at;
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    out->data[out->size] = '\0';
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
    int64_t room[ROOM];
    uint64_t more_room[ROOM];
    if (count <= ROOM) {
        put_column(out, values, count, quantum, room, more_room);
        return;
    }
    int64_t *q = gr_malloc((size_t)count * sizeof *q);
    uint64_t *z = gr_malloc((size_t)count * sizeof *z);
    if (q != NULL && z != NULL) {
        put_column(out, values, count, quantum, q, z);
    } else {
        out->failed = true;
    }
    gr_free(q);
    gr_free(z);
}
