#include "replay_ruts.h"

#include "alloc.h"
#include "chunk.h"
#include "protobuf.h"
#include "ruts.h"

#include <math.h>
#include <string.h>

/// Half the side of the square around a wheel's centre in which the ground may have changed since the last sample that
/// was looked at [m].
static const double REACH = 0.8;

enum { TILE = GR_RUT_NODES * GR_RUT_NODES, RESERVE = 64, PIECE = 1 << 20 };

struct GrReplayRuts {
    const GrRuts *ruts;
    GrRuts *sent;    ///< heights in quanta, as the reader has them
    GrRutsPeek peek; ///< into them
    double quantum;
    GrBuffer tiles; ///< of the chunk in progress
    int count;      ///< number of these tiles
};

GrReplayRuts *gr_replay_ruts_create(const GrRuts *ruts, double quantum)
{
    GrReplayRuts *replay = gr_calloc(1, sizeof *replay);
    GrRutsDef def = gr_default_ruts_def();
    def.cell = gr_ruts_def(ruts)->cell;
    if (replay == NULL) {
        return NULL;
    }
    *replay = (GrReplayRuts){.ruts = ruts, .sent = gr_ruts_create(&def, NULL), .quantum = quantum};
    if (replay->sent == NULL) {
        gr_free(replay);
        return NULL;
    }
    return replay;
}

void gr_replay_ruts_free(GrReplayRuts *replay)
{
    if (replay != NULL) {
        gr_ruts_free(replay->sent);
        gr_ruts_peek_end(&replay->peek);
        gr_buffer_free(&replay->tiles);
        gr_free(replay);
    }
}

/// A run of zeros is a zero and its length less one.
static void put_changes(GrBuffer *out, const int64_t changes[TILE])
{
    for (int i = 0; i < TILE; i++) {
        gr_column_put_signed(out, changes[i]);
        if (changes[i] == 0) {
            const int first = i;
            while (i + 1 < TILE && changes[i + 1] == 0) {
                i++;
            }
            gr_proto_varint(out, (uint64_t)(i - first));
        }
    }
}

/// Remembers a tile as the reader has it now.
static void keep_tile(GrReplayRuts *replay, const int64_t changes[TILE], int64_t i, int64_t j)
{
    if (gr_ruts_tiles_free(replay->sent) == 0 && gr_ruts_reserve(replay->sent, RESERVE) != GR_OK) {
        replay->tiles.failed = true;
        return;
    }
    double *kept = gr_ruts_tile_make(replay->sent, i, j).heights;
    if (kept == NULL) {
        replay->tiles.failed = true;
        return;
    }
    for (int k = 0; k < TILE; k++) {
        kept[k] += (double)changes[k];
    }
}

/// Adds a tile to the chunk if it changed. (i, j): any of its nodes. `last`: it will not be looked at again.
static void look_at_tile(GrReplayRuts *replay, const double *now, int64_t i, int64_t j, bool last)
{
    int64_t changes[TILE];
    const int number = gr_ruts_tile_number(replay->sent, i, j);
    const double *sent = number >= 0 ? gr_ruts_peek(replay->sent, number, &replay->peek).heights : NULL;
    bool changed = false;
    for (int k = 0; k < TILE; k++) {
        const double before = sent != NULL ? sent[k] : 0;
        changes[k] = llround(now[k] / replay->quantum - before);
        changed = changed || changes[k] != 0;
    }
    if (!changed) {
        return;
    }
    if (!last) {
        keep_tile(replay, changes, i, j);
    }
    const int64_t ti = i >> GR_RUT_SHIFT, tj = j >> GR_RUT_SHIFT;
    gr_proto_fixed(&replay->tiles, (uint64_t)ti, 4);
    gr_proto_fixed(&replay->tiles, (uint64_t)tj, 4);
    put_changes(&replay->tiles, changes);
    replay->count++;
}

static void finish(GrReplayRuts *replay, double time, GrBuffer *payload)
{
    if (replay->count > 0) {
        uint64_t bits;
        memcpy(&bits, &time, sizeof bits);
        gr_proto_fixed(payload, bits, 8);
        gr_proto_fixed(payload, (uint64_t)replay->count, 4);
        gr_buffer_add(payload, replay->tiles.data, replay->tiles.size);
    }
    payload->failed = payload->failed || replay->tiles.failed;
    replay->tiles.size = 0;
    replay->count = 0;
}

static int64_t tile_of(double x, double cell)
{
    return (int64_t)floor(x / cell) >> GR_RUT_SHIFT;
}

void gr_replay_ruts_near(GrReplayRuts *replay, const GrSample *sample, int wheel_count, GrBuffer *payload)
{
    const double cell = gr_ruts_def(replay->ruts)->cell;
    for (int w = 0; w < wheel_count; w++) {
        const GrVec3 at = sample->wheels[w].centre;
        if (!isfinite(at.x) || !isfinite(at.y)) {
            continue;
        }
        for (int64_t tj = tile_of(at.y - REACH, cell); tj <= tile_of(at.y + REACH, cell); tj++) {
            for (int64_t ti = tile_of(at.x - REACH, cell); ti <= tile_of(at.x + REACH, cell); ti++) {
                const int64_t i = ti * GR_RUT_NODES, j = tj * GR_RUT_NODES;
                const double *now = gr_ruts_tile_find(replay->ruts, i, j).heights;
                if (now != NULL) { // one near two wheels has not changed when it is looked at again
                    look_at_tile(replay, now, i, j, false);
                }
            }
        }
    }
    finish(replay, sample->time, payload);
}

int gr_replay_ruts_some(GrReplayRuts *replay, int first, double time, bool last, GrBuffer *payload)
{
    const int count = gr_ruts_tile_count(replay->ruts);
    GrRutsPeek peek = {NULL};
    int k = first;
    for (; k < count && replay->tiles.size < PIECE; k++) {
        int64_t i, j;
        const GrRutsTileView tile = gr_ruts_peek(replay->ruts, k, &peek);
        gr_ruts_tile_place(replay->ruts, k, &i, &j);
        look_at_tile(replay, tile.heights, i, j, last);
    }
    gr_ruts_peek_end(&peek);
    finish(replay, time, payload);
    return k < count ? k : 0;
}
