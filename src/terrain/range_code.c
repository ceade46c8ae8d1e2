#include "range_code.h"

enum { PROBABILITY_BITS = 11, ADAPT_SHIFT = 5 };
static const uint32_t RANGE_LEAST = 1u << 24;

GrRangeWriter gr_range_write_begin(GrBuffer *out)
{
    return (GrRangeWriter){.out = out, .range = UINT32_MAX, .held = 1};
}

/// Moves the highest byte of `low` out. A byte 0xff waits, since a later carry would turn it into 0.
static void shift_low(GrRangeWriter *writer)
{
    const uint32_t carry = (uint32_t)(writer->low >> 32);
    if ((uint32_t)writer->low < 0xff000000u || carry != 0) {
        for (; writer->held > 0; writer->held--) {
            const char byte = (char)(writer->first + carry);
            gr_buffer_add(writer->out, &byte, 1);
            writer->first = 0xff;
        }
        writer->first = (unsigned char)(writer->low >> 24);
    }
    writer->held++;
    writer->low = (writer->low & 0x00ffffffu) << 8;
}

void gr_range_write(GrRangeWriter *writer, GrBitContext *context, int bit)
{
    const uint32_t bound = (writer->range >> PROBABILITY_BITS) * *context;
    if (bit == 0) {
        writer->range = bound;
        *context = (GrBitContext)(*context + (((1 << PROBABILITY_BITS) - *context) >> ADAPT_SHIFT));
    } else {
        writer->low += bound;
        writer->range -= bound;
        *context = (GrBitContext)(*context - (*context >> ADAPT_SHIFT));
    }
    while (writer->range < RANGE_LEAST) {
        writer->range <<= 8;
        shift_low(writer);
    }
}

void gr_range_write_even(GrRangeWriter *writer, uint32_t bits, int count)
{
    for (int k = count - 1; k >= 0; k--) {
        writer->range >>= 1;
        writer->low += (bits >> k & 1) != 0 ? writer->range : 0;
        while (writer->range < RANGE_LEAST) {
            writer->range <<= 8;
            shift_low(writer);
        }
    }
}

void gr_range_write_end(GrRangeWriter *writer)
{
    for (int k = 0; k < 5; k++) {
        shift_low(writer);
    }
}

static uint32_t next_byte(GrRangeReader *reader)
{
    if (reader->at == reader->end) {
        reader->over = true;
        return 0;
    }
    return *reader->at++;
}

GrRangeReader gr_range_read_begin(const unsigned char *bytes, size_t size)
{
    GrRangeReader reader = {.at = bytes, .end = bytes + size, .range = UINT32_MAX};
    for (int k = 0; k < 5; k++) { // the first one is always 0
        reader.code = reader.code << 8 | next_byte(&reader);
    }
    return reader;
}

static void refill(GrRangeReader *reader)
{
    while (reader->range < RANGE_LEAST) {
        reader->range <<= 8;
        reader->code = reader->code << 8 | next_byte(reader);
    }
}

int gr_range_read(GrRangeReader *reader, GrBitContext *context)
{
    const uint32_t bound = (reader->range >> PROBABILITY_BITS) * *context;
    const int bit = reader->code >= bound;
    if (bit == 0) {
        reader->range = bound;
        *context = (GrBitContext)(*context + (((1 << PROBABILITY_BITS) - *context) >> ADAPT_SHIFT));
    } else {
        reader->code -= bound;
        reader->range -= bound;
        *context = (GrBitContext)(*context - (*context >> ADAPT_SHIFT));
    }
    refill(reader);
    return bit;
}

uint32_t gr_range_read_even(GrRangeReader *reader, int count)
{
    uint32_t bits = 0;
    for (int k = 0; k < count; k++) {
        reader->range >>= 1;
        const uint32_t bit = reader->code >= reader->range;
        reader->code -= bit != 0 ? reader->range : 0;
        bits = bits << 1 | bit;
        refill(reader);
    }
    return bits;
}

bool gr_range_read_end(const GrRangeReader *reader)
{
    return !reader->over && reader->at == reader->end;
}
