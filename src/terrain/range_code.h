/// Range coder: bits in as little room as their probabilities allow, which it learns from the bits before (the coder of
/// LZMA; Martin 1979).
///
/// A context is a probability that belongs to bits of one kind: the more one-sided they are, the less each of them
/// takes. The writer and the reader update it alike.
#ifndef GR_RANGE_CODE_H
#define GR_RANGE_CODE_H

#include "buffer.h"

#include <stdint.h>

/// Probability of a 0 in 2048ths.
typedef uint16_t GrBitContext;
enum { GR_BIT_EVEN = 1024 };

typedef struct GrRangeWriter {
    GrBuffer *out;
    uint64_t low;
    uint32_t range;
    uint64_t held; ///< bytes that a carry may still change: `first` and 0xff after it
    unsigned char first;
} GrRangeWriter;

GrRangeWriter gr_range_write_begin(GrBuffer *out);
void gr_range_write(GrRangeWriter *writer, GrBitContext *context, int bit);

/// The lowest `count` bits of a number, all equally likely; 0 .. 32.
void gr_range_write_even(GrRangeWriter *writer, uint32_t bits, int count);
void gr_range_write_end(GrRangeWriter *writer);

typedef struct GrRangeReader {
    const unsigned char *at, *end;
    uint32_t range, code;
    bool over; ///< bytes beyond the end were asked for
} GrRangeReader;

GrRangeReader gr_range_read_begin(const unsigned char *bytes, size_t size);
int gr_range_read(GrRangeReader *reader, GrBitContext *context);
uint32_t gr_range_read_even(GrRangeReader *reader, int count);

/// Whether all bytes were used, and no more.
bool gr_range_read_end(const GrRangeReader *reader);

#endif
