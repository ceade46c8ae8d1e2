#include "ruts_pack.h"

#include "ruts.h"

#include <string.h>

enum { NODES = GR_RUT_NODES * GR_RUT_NODES, MASK = NODES / 8 };

/// A plane is a byte that tells whether any node has a bit; if so
///
///     mask     1 bit a node: it has a bit
///     lengths  4 bits for each of these: bytes left out at the high end (0 .. 3) and class of those at the low end
///     bytes    the rest of (bits of the node) xor (bits of the last one with any), low byte first
///
/// Eight bytes follow the last plane, so that words are stored and loaded whole.
///
/// Bytes left out at the low end, by class, of words of 8 and of 4 bytes. Five: whole numbers up to 4096 as doubles.
static const int LOW[2][4] = {{0, 2, 4, 5}, {0, 1, 2, 3}};
enum { HIGH_MOST = 3, SLACK = sizeof(uint64_t) };

/// Words in memory: the heights, or one of several interleaved states.
typedef struct Plane {
    size_t width;  ///< bytes of a word
    size_t stride; ///< from one node to the next [bytes]
    size_t start;  ///< of the first one [bytes]
} Plane;

static Plane plane_at(int number, int state_count)
{
    return number == 0 ? (Plane){sizeof(double), sizeof(double), 0}
                       : (Plane){sizeof(float), (size_t)state_count * sizeof(float),
                                 NODES * sizeof(double) + (size_t)(number - 1) * sizeof(float)};
}

static uint64_t load(const unsigned char *at, size_t width)
{
    uint64_t word = 0;
    uint32_t half;
    if (width == sizeof word) {
        memcpy(&word, at, sizeof word);
    } else {
        memcpy(&half, at, sizeof half);
        word = half;
    }
    return word;
}

static void store(unsigned char *at, size_t width, uint64_t word)
{
    const uint32_t half = (uint32_t)word;
    if (width == sizeof word) {
        memcpy(at, &word, sizeof word);
    } else {
        memcpy(at, &half, sizeof half);
    }
}

size_t gr_ruts_packed_most(int state_count)
{
    return SLACK + 1 + MASK + NODES / 2 + NODES * sizeof(double) +
           (size_t)state_count * (1 + MASK + NODES / 2 + NODES * sizeof(float));
}

/// Bytes to leave out at the high end, and the class of those at the low end.
static void measure(uint64_t word, size_t width, int *high, int *class)
{
    const int *low = LOW[width == sizeof(float)];
    const int unused = word == 0 ? (int)width : (int)width - (71 - __builtin_clzll(word)) / 8;
    const int zeros = word == 0 ? (int)width : __builtin_ctzll(word) / 8;
    *high = unused < HIGH_MOST ? unused : HIGH_MOST;
    *class = 3;
    while (low[*class] > zeros) {
        (*class)--;
    }
}

static int kept_bytes(size_t width, int high, int class)
{
    const int kept = (int)width - high - LOW[width == sizeof(float)][class];
    return kept > 0 ? kept : 0;
}

/// Marks the nodes that have a bit; returns their number.
static size_t fill_mask(const unsigned char *nodes, Plane plane, unsigned char mask[MASK])
{
    size_t count = 0;
    for (size_t at = 0; at < MASK; at++) {
        unsigned bits = 0;
        for (size_t n = 0; n < 8; n++) {
            bits |= (unsigned)(load(nodes + plane.start + (8 * at + n) * plane.stride, plane.width) != 0) << n;
        }
        mask[at] = (unsigned char)bits;
        count += (size_t)__builtin_popcount(bits);
    }
    return count;
}

static unsigned char *pack_plane(const unsigned char *nodes, Plane plane, unsigned char *at)
{
    const int *low = LOW[plane.width == sizeof(float)];
    unsigned char *mask = at + 1, *lengths = mask + MASK;
    const size_t count = fill_mask(nodes, plane, mask);
    *at = count > 0;
    if (count == 0) {
        return at + 1;
    }
    unsigned char *out = lengths + (count + 1) / 2;
    memset(lengths, 0, (count + 1) / 2);
    uint64_t before = 0;
    size_t k = 0;
    for (size_t byte = 0; byte < MASK; byte++) {
        for (unsigned left = mask[byte]; left != 0; left &= left - 1, k++) {
            const size_t n = 8 * byte + (size_t)__builtin_ctz(left);
            const uint64_t word = load(nodes + plane.start + n * plane.stride, plane.width), rest = word ^ before;
            int high, class;
            measure(rest, plane.width, &high, &class);
            lengths[k / 2] |= (unsigned char)((high | class << 2) << 4 * (k % 2));
            store(out, sizeof rest, rest >> 8 * low[class]);
            out += kept_bytes(plane.width, high, class);
            before = word;
        }
    }
    return out;
}

size_t gr_ruts_pack(const unsigned char *nodes, int state_count, unsigned char *out)
{
    unsigned char *at = out;
    for (int number = 0; number <= state_count; number++) {
        at = pack_plane(nodes, plane_at(number, state_count), at);
    }
    memset(at, 0, SLACK);
    return (size_t)(at - out) + SLACK;
}

static size_t count_bits(const unsigned char mask[MASK])
{
    size_t count = 0;
    for (int k = 0; k < MASK; k++) {
        count += (size_t)__builtin_popcount(mask[k]);
    }
    return count;
}

static const unsigned char *unpack_plane(const unsigned char *at, Plane plane, unsigned char *nodes)
{
    const int *low = LOW[plane.width == sizeof(float)];
    const bool any = *at++ != 0;
    if (!any) {
        return at;
    }
    const unsigned char *mask = at, *lengths = mask + MASK, *in = lengths + (count_bits(mask) + 1) / 2;
    uint64_t before = 0;
    size_t k = 0;
    for (size_t byte = 0; byte < MASK; byte++) {
        for (unsigned left = mask[byte]; left != 0; left &= left - 1, k++) {
            const size_t n = 8 * byte + (size_t)__builtin_ctz(left);
            const int code = lengths[k / 2] >> 4 * (k % 2) & 15, class = code >> 2;
            const int kept = kept_bytes(plane.width, code & 3, class);
            const uint64_t bytes = kept < 8 ? load(in, 8) & (((uint64_t)1 << 8 * kept) - 1) : load(in, 8);
            before ^= bytes << 8 * low[class];
            store(nodes + plane.start + n * plane.stride, plane.width, before);
            in += kept;
        }
    }
    return in;
}

void gr_ruts_unpack(const unsigned char *packed, int state_count, unsigned char *nodes)
{
    const unsigned char *at = packed;
    memset(nodes, 0, NODES * (sizeof(double) + (size_t)state_count * sizeof(float)));
    for (int number = 0; number <= state_count; number++) {
        at = unpack_plane(at, plane_at(number, state_count), nodes);
    }
}
