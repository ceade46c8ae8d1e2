#include "ruts_rounded.h"

#include "alloc.h"
#include "ruts_tiles.h"

#include <math.h>
#include <stdlib.h>
#ifdef GR_WITH_ZSTD
#include "lazy.h"

#include <zstd.h>

// clang-format off
#define ZSTD_FUNCTIONS(X) \
    X(ZSTD_DCtx_setParameter) X(ZSTD_compressStream2) X(ZSTD_createCCtx) X(ZSTD_createDCtx) \
    X(ZSTD_decompressStream) X(ZSTD_freeCCtx) X(ZSTD_freeDCtx) X(ZSTD_isError)
// clang-format on
GR_LAZY_LIBRARY(zstd, GR_ZSTD_LIBRARY, ZSTD_FUNCTIONS)
#endif

/// Largest magnitude of a number; bytes of a varint; bytes that are decompressed at a time.
enum { MOST = 1 << 28, VARINT_MOST = 5, ROOM = 1 << 16 };
enum { SIDE = GR_RUT_NODES, NODES = GR_RUT_TILE_NODES };

struct GrRoundedWriter {
    GrBuffer *out;
    bool failed;
#ifdef GR_WITH_ZSTD
    ZSTD_CCtx *zstd;
#endif
};

struct GrRoundedReader {
    const unsigned char *at, *end; ///< bytes to be decoded next
    bool over;                     ///< bytes beyond the end were asked for
#ifdef GR_WITH_ZSTD
    ZSTD_DCtx *zstd; ///< NULL: not compressed
    ZSTD_inBuffer in;
    bool ended; ///< the compressed bytes are complete
    unsigned char room[ROOM];
#endif
};

bool gr_rounded_zstd(void)
{
#ifdef GR_WITH_ZSTD
    return zstd_open();
#else
    return false;
#endif
}

// ---- writing

GrRoundedWriter *gr_rounded_write_begin(GrBuffer *out)
{
    GrRoundedWriter *writer = gr_calloc(1, sizeof *writer);
    if (writer != NULL) {
        writer->out = out;
#ifdef GR_WITH_ZSTD
        writer->zstd = zstd_open() ? zstd.ZSTD_createCCtx() : NULL;
        writer->failed = zstd_open() && writer->zstd == NULL;
#endif
    }
    return writer;
}

static void put(GrRoundedWriter *writer, const unsigned char *bytes, size_t size, bool last)
{
#ifdef GR_WITH_ZSTD
    ZSTD_inBuffer in = {bytes, size, 0};
    for (size_t left = 1; left > 0 && writer->zstd != NULL && !writer->failed;) {
        writer->failed = !gr_buffer_reserve(writer->out, ROOM);
        if (!writer->failed) {
            ZSTD_outBuffer out = {writer->out->data + writer->out->size, ROOM, 0};
            left = zstd.ZSTD_compressStream2(writer->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
            writer->failed = zstd.ZSTD_isError(left);
            left = last ? left : in.size - in.pos;
            writer->out->size += out.pos;
        }
    }
    if (writer->zstd != NULL) {
        return;
    }
#endif
    (void)last;
    gr_buffer_add(writer->out, (const char *)bytes, size);
}

/// Heights (plane 0) or a state of all nodes.
static bool round_plane(GrRutsTileView tile, int state_count, int plane, double per_unit, int32_t out[NODES])
{
    bool good = true;
    for (ptrdiff_t n = 0; n < NODES; n++) {
        const double value = plane == 0 ? tile.heights[n] : (double)tile.states[n * state_count + plane - 1];
        const double units = rint(value * per_unit);
        const bool fits = fabs(units) <= MOST;
        out[n] = fits ? (int32_t)units : 0;
        good = good && fits;
    }
    return good;
}

static int32_t predict(const int32_t *q, int n)
{
    const int32_t west = n % SIDE > 0 ? q[n - 1] : 0, north = n >= SIDE ? q[n - SIDE] : 0;
    return west + north - (n % SIDE > 0 && n >= SIDE ? q[n - SIDE - 1] : 0);
}

bool gr_rounded_write(GrRoundedWriter *writer, GrRutsTileView tile, int state_count, double resolution)
{
    int32_t q[NODES];
    unsigned char bytes[NODES * VARINT_MOST];
    for (int plane = 0; plane <= state_count; plane++) {
        if (!round_plane(tile, state_count, plane, 1 / resolution, q)) {
            return false;
        }
        unsigned char *at = bytes;
        for (int n = 0; n < NODES; n++) {
            const int32_t rest = q[n] - predict(q, n);
            uint32_t left = (uint32_t)rest << 1 ^ (rest < 0 ? UINT32_MAX : 0); // either sign in few bits
            for (; left > 127; left >>= 7) {
                *at++ = (unsigned char)(left | 128);
            }
            *at++ = (unsigned char)left;
        }
        put(writer, bytes, (size_t)(at - bytes), false);
    }
    return true;
}

bool gr_rounded_write_end(GrRoundedWriter *writer)
{
    if (writer == NULL) {
        return false;
    }
    put(writer, NULL, 0, true);
    const bool good = !writer->failed && !writer->out->failed;
#ifdef GR_WITH_ZSTD
    if (writer->zstd != NULL) {
        zstd.ZSTD_freeCCtx(writer->zstd);
    }
#endif
    gr_free(writer);
    return good;
}

// ---- reading

GrRoundedReader *gr_rounded_read_begin(const unsigned char *bytes, size_t size, bool compressed)
{
    GrRoundedReader *reader = gr_calloc(1, sizeof *reader);
    if (reader == NULL) {
        return NULL;
    }
    reader->at = bytes;
    reader->end = bytes + size;
#ifdef GR_WITH_ZSTD
    if (compressed) {
        enum { WINDOW_LOG_MAX = 23 }; // a damaged one must not take all memory; that of the writer is 21
        reader->end = reader->at = reader->room;
        reader->in = (ZSTD_inBuffer){bytes, size, 0};
        reader->zstd = zstd.ZSTD_createDCtx();
        if (reader->zstd == NULL ||
            zstd.ZSTD_isError(zstd.ZSTD_DCtx_setParameter(reader->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX))) {
            gr_rounded_read_end(reader);
            return NULL;
        }
    }
#else
    reader->over = compressed;
#endif
    return reader;
}

/// Decompresses more bytes, if there are any.
static void refill(GrRoundedReader *reader)
{
#ifdef GR_WITH_ZSTD
    while (reader->zstd != NULL && reader->at == reader->end && !reader->ended && !reader->over) {
        ZSTD_outBuffer out = {reader->room, ROOM, 0};
        const size_t had = reader->in.pos, left = zstd.ZSTD_decompressStream(reader->zstd, &out, &reader->in);
        reader->ended = left == 0;
        reader->over = zstd.ZSTD_isError(left) || (left > 0 && out.pos == 0 && reader->in.pos == had);
        reader->at = reader->room;
        reader->end = reader->room + (zstd.ZSTD_isError(left) ? 0 : out.pos);
    }
#else
    (void)reader;
#endif
}

static uint32_t take_byte(GrRoundedReader *reader)
{
    if (reader->at == reader->end) {
        refill(reader);
    }
    if (reader->at == reader->end) {
        reader->over = true;
        return 0;
    }
    return *reader->at++;
}

static bool take_number(GrRoundedReader *reader, int64_t *out)
{
    uint64_t value = 0;
    uint32_t byte = 128;
    for (int k = 0; byte > 127 && k < VARINT_MOST; k++) {
        byte = take_byte(reader);
        value |= (uint64_t)(byte & 127) << (7 * k);
    }
    *out = (value & 1) != 0 ? -(int64_t)(value >> 1) - 1 : (int64_t)(value >> 1);
    return byte <= 127 && !reader->over;
}

bool gr_rounded_read(GrRoundedReader *reader, GrRutsTile tile, int state_count, double resolution)
{
    int32_t q[NODES];
    for (int plane = 0; plane <= state_count; plane++) {
        for (ptrdiff_t n = 0; n < NODES; n++) {
            int64_t rest;
            if (!take_number(reader, &rest) || llabs(rest + predict(q, (int)n)) > MOST) {
                return false;
            }
            q[n] = (int32_t)(rest + predict(q, (int)n));
            if (plane == 0) {
                tile.heights[n] = q[n] * resolution;
            } else {
                tile.states[n * state_count + plane - 1] = (float)(q[n] * resolution);
            }
        }
    }
    return true;
}

bool gr_rounded_read_end(GrRoundedReader *reader)
{
    if (reader == NULL) {
        return false;
    }
    refill(reader);
    bool whole = reader->at == reader->end && !reader->over;
#ifdef GR_WITH_ZSTD
    whole = whole && (reader->zstd == NULL || (reader->ended && reader->in.pos == reader->in.size));
    if (reader->zstd != NULL) {
        zstd.ZSTD_freeDCtx(reader->zstd);
    }
#endif
    gr_free(reader);
    return whole;
}
