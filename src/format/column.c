#include "column.h"

#include "alloc.h"
#include "protobuf.h"

#include <float.h>
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
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
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
    const double per = 1 / quantum;
    int64_t last = 0;
    for (int i = 0; missing && i < count; i++) {
        const double v = values[i];
        last = isfinite(v) ? llround(fmin(fmax(v * per, -LARGEST), LARGEST)) : last;
        out[i] = last;
    }
    for (int i = 0; !missing && i < count; i++) { // nearly always: in vector registers
        const double v = values[i] * per, least = v > -LARGEST ? v : -LARGEST;
        out[i] = llround(least < LARGEST ? least : LARGEST);
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

/// Replaces the values by their differences of the given order as zigzag numbers. From the last one down, so that the
/// values before it are still there.
static void take_differences(int64_t *q, int count, int order)
{
    for (int i = count - 1; i >= 2; i--) {
        const int64_t change = q[i] - q[i - 1], before = q[i - 1] - q[i - 2];
        q[i] = (int64_t)zigzag(order == 0 ? q[i] : order == 1 ? change : change - before);
    }
    const int64_t first = q[0];
    if (count > 1) {
        q[1] = (int64_t)zigzag(order == 0 ? q[1] : order == 1 ? q[1] - first : q[1] - 2 * first);
    }
    q[0] = (int64_t)zigzag(first);
}

/// Numbers of a varying number of bits one after another, the low bit first.
typedef struct Bits {
    unsigned char *at;
    uint64_t word; ///< bits that are not stored yet
    int count;     ///< less than 8 after each number
} Bits;

static inline void put_bits(Bits *bits, uint64_t value, int count)
{
    bits->word |= value << bits->count;
    bits->count += count;
    gr_proto_store(bits->at, bits->word, 8);
    const int whole = bits->count / 8;
    bits->at += whole;
    bits->word >>= 8 * whole;
    bits->count %= 8;
}

/// Low bits of the code for numbers of a given sum: the largest power of two in their mean. ALL_ZERO: there are none.
static int choose_low(uint64_t sum, int count)
{
    const uint64_t mean = sum / (uint64_t)count;
    const int low = mean > 0 ? 63 - __builtin_clzll(mean) : 0;
    return sum == 0 ? ALL_ZERO : low < LOW_MOST ? low : LOW_MOST;
}

/// Rice's code: the part above the low bits as that many zeros and a one, then the low bits.
static void put_group(Bits *bits, const int64_t *z, int count, int low)
{
    const uint64_t mask = ((uint64_t)1 << low) - 1;
    for (int i = 0; i < count; i++) {
        const uint64_t value = (uint64_t)z[i], above = value >> low;
        if (above <= UNARY_MOST) {
            put_bits(bits, (uint64_t)1 << above | (value & mask) << (above + 1), (int)above + 1 + low);
        } else {
            put_bits(bits, 0, UNARY_MOST + 1);
            put_bits(bits, value & UINT32_MAX, 32);
            put_bits(bits, value >> 32, 32);
        }
    }
}

/// Motion comes in bursts, so each group has low bits of its own. Returns the end.
static unsigned char *store_packed(const int64_t *z, int count, unsigned char *at)
{
    Bits bits = {.at = at};
    for (int first = 0; first < count; first += GROUP) {
        const int n = count - first < GROUP ? count - first : GROUP;
        uint64_t sum = 0;
        for (int i = 0; i < n; i++) {
            sum += (uint64_t)z[first + i];
        }
        const int low = choose_low(sum, n);
        put_bits(&bits, (uint64_t)low, GROUP_BITS);
        if (low != ALL_ZERO) {
            put_group(&bits, z + first, n, low);
        }
    }
    return bits.count > 0 ? bits.at + 1 : bits.at;
}

static unsigned char *store_varints(const int64_t *z, int count, unsigned char *at)
{
    for (int i = 0; i < count; i++) {
        at = gr_proto_store_varint(at, (uint64_t)z[i]);
    }
    return at;
}

static void put_column(GrBuffer *out, const double *values, int count, double quantum, int64_t *q)
{
    quantum = quantum > 0 ? quantum : choose_quantum(values, count);
    const bool missing = count_missing(values, count) > 0;
    round_all(values, count, quantum, missing, q);
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
        at = gr_proto_store_varint(at, zigzag(q[0]));
    } else {
        take_differences(q, count, order);
        const int plain = packed ? 2 : count;
        at = store_varints(q, plain, at);
        at = packed ? store_packed(q + plain, count - plain, at) : at;
    }
    out->size = (size_t)(at - (unsigned char *)out->data);
    out->data[out->size] = '\0';
}

void gr_column_put(GrBuffer *out, const double *values, int count, double quantum)
{
    int64_t room[ROOM];
    int64_t *q = count <= ROOM ? room : gr_malloc((size_t)count * sizeof *q);
    if (q == NULL) {
        out->failed = true;
        return;
    }
    put_column(out, values, count, quantum, q);
    if (q != room) {
        gr_free(q);
    }
}
