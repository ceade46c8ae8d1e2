#include "run_replay.h"

#include "alloc.h"
#include "buffer.h"
#include "channel.h"
#include "chunk.h"
#include "elementary.h"
#include "ground_window.h"
#include "grouser/sample.h"
#include "grouser/terrain.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "protobuf.h"
#include "replay_head.h"
#include "replay_world.h"
#include "run_summary.h"
#include "ruts.h"
#include "sink.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct GrReplayRuts GrReplayRuts;

// ---- ruts

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

/// `quantum`: heights are rounded to multiples of it [m]. NULL: out of memory.
static GrReplayRuts *replay_ruts_create(const GrRuts *ruts, double quantum)
{
    GrReplayRuts *replay = gr_calloc(1, sizeof *replay);
    GrRutsDef def = gr_default_ruts_def();
    def.cell = gr_ruts_def(ruts)->cell;
    if (replay == NULL) {
        return NULL;
    }
    *replay = (GrReplayRuts){.ruts = ruts, .quantum = quantum};
    gr_ruts_create(&def, &replay->sent, NULL);
    if (replay->sent == NULL) {
        gr_free(replay);
        return NULL;
    }
    return replay;
}

static void replay_ruts_free(GrReplayRuts *replay)
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

/// Appends the payload of a RUTS chunk: the tiles that changed near the wheels of a sample. Nothing is appended when
/// none did.
static void replay_ruts_near(GrReplayRuts *replay, const GrSample *sample, int wheel_count, GrBuffer *payload)
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

/// The same for tiles anywhere, from index `first` on, until there are about a megabyte of them. Returns the index to
/// continue with; 0: all have been looked at. `last`: the run is over, and nothing is remembered any more.
static int replay_ruts_some(GrReplayRuts *replay, int first, double time, bool last, GrBuffer *payload)
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

// ---- the replay

static const double BLOCK_SECONDS = 1; // of wall time: a killed run loses no more

/// Ruts are looked at whenever the rover has moved this far [m], and then after this time [s].
static const double RUT_DISTANCE = 0.1, RUT_TIME = 2;
/// Fine windows of the ground reach this far around path and rover [m]; a new one is due closer to the edge than that.
static const double MARGIN = 15, NEAR_EDGE = 5;
/// Ground without a map reaches this far around path and rover [m].
static const double PLANE_MARGIN = 200;
static const double FINEST_CELL = 0.02; // of the windows [m]

/// Ruts of a long run take no more than this [bytes]; the rest of them is left out and DONE says so.
enum { RUTS_MAX = 24 << 20, SOIL_NODES = 512, SIDE_MAX = 1 << 20 };

struct GrRunReplay {
    GrReplayDef def;
    GrReplayTable *table;
    GrReplayRuts *ruts; ///< NULL: none
    GrBuffer payload, chunk;
    int stride;
    long samples;      ///< added
    bool begun;        ///< HEAD is out
    GrBox2 fine;       ///< of the last fine window
    double finest;     ///< cell of the map itself [m]; 0: no map, or the whole map is out at full resolution
    GrVec3 ruts_at;    ///< where ruts were last looked at
    double ruts_time;  ///< [s]
    size_t ruts_size;  ///< of all their chunks
    double ruts_cut;   ///< when they became too large [s]; NAN: never
    double time;       ///< of the last sample [s]
    double put_at;     ///< wall time of the last block [s]
    GrRocksSeen *seen; ///< rocks of a field; NULL: none
    int rocks;         ///< of all chunks
};

int gr_replay_stride(const GrReplayDef *def)
{
    const double samples = def->rate * def->duration;
    return samples > GR_REPLAY_SAMPLES ? (int)fmin(ceil(samples / GR_REPLAY_SAMPLES), 1e6) : 1;
}

GrRunReplay *gr_run_replay_create(const GrReplayDef *def, GrErrorLog *log)
{
    const GrRecordDef *record = &def->record;
    GrRunReplay *run = gr_calloc(1, sizeof *run);
    if (run == NULL) {
        gr_out_of_memory(log, record->name);
        return NULL;
    }
    run->def = *def;
    run->stride = gr_replay_stride(def);
    run->ruts_cut = (double)NAN;
    run->fine = gr_box_empty();
    run->table = gr_replay_table_create(record->model, gr_model_loose_count(record->model),
                                        gr_sample_parts(record->supplied, record->localised));
    run->ruts = record->ruts != NULL ? replay_ruts_create(record->ruts, GR_REPLAY_RUT_QUANTUM) : NULL;
    if (run->table == NULL || (run->ruts == NULL && record->ruts != NULL)) {
        gr_run_replay_free(run);
        gr_out_of_memory(log, record->name);
        return NULL;
    }
    return run;
}

void gr_run_replay_free(GrRunReplay *run)
{
    if (run != NULL) {
        gr_replay_table_free(run->table);
        replay_ruts_free(run->ruts);
        gr_rocks_seen_free(run->seen);
        gr_buffer_free(&run->payload);
        gr_buffer_free(&run->chunk);
        gr_free(run);
    }
}

/// Puts what has been appended to `payload` as one chunk.
static GrStatus put_as(GrRunReplay *run, const char type[4], GrChunkContent content, GrErrorLog *log)
{
    run->chunk.size = 0;
    gr_chunk_put_as(&run->chunk, type, content, run->payload.data, run->payload.size);
    const bool failed = run->payload.failed || run->chunk.failed;
    run->payload.size = 0;
    return failed ? gr_out_of_memory(log, run->def.record.name)
                  : run->def.put(run->def.context, run->chunk.data, run->chunk.size, log);
}

static GrStatus put(GrRunReplay *run, const char type[4], GrErrorLog *log)
{
    return put_as(run, type, GR_CHUNK_BYTES, log);
}

// ---- ground

static double layer_cell(const GrTerrain *terrain, int layer)
{
    const GrGridFrame *frame = &gr_terrain_layer(terrain, layer)->frame;
    return fmin(frame->dx, frame->dy);
}

/// The layer with the smallest cells; −1: there is none.
static int finest_layer(const GrTerrain *terrain)
{
    int finest = -1;
    for (int i = 0; terrain != NULL && i < gr_terrain_layer_count(terrain); i++) {
        finest = finest < 0 || layer_cell(terrain, i) < layer_cell(terrain, finest) ? i : finest;
    }
    return finest;
}

static double finest_cell(const GrTerrain *terrain)
{
    const int finest = finest_layer(terrain);
    return finest >= 0 ? fmax(layer_cell(terrain, finest), FINEST_CELL) : 0;
}

/// Moves the south-west corner to a node of the finest layer, so that a window in its cells has the map's own nodes.
static void snap(const GrTerrain *terrain, GrBox2 *box)
{
    const int finest = finest_layer(terrain);
    if (finest >= 0) {
        const GrGridFrame *f = &gr_terrain_layer(terrain, finest)->frame;
        box->x_lower = f->x0 + floor((box->x_lower - f->x0) / f->dx) * f->dx;
        box->y_lower = f->y0 + floor((box->y_lower - f->y0) / f->dy) * f->dy;
    }
}

/// A frame over the box with the given cells, or the least multiple of them with `most` squared nodes at most.
static GrGridFrame frame_over(const GrRunReplay *run, const GrBox2 *box, double cell, int most)
{
    GrGridFrame frame = gr_window_frame(run->def.record.terrain, box, cell, SIDE_MAX);
    const double excess = (double)frame.nx * (double)frame.ny / ((double)most * most);
    for (int n = (int)ceil(sqrt(excess)); excess > 1 && frame.nx * frame.ny > (int64_t)most * most; n++) {
        frame = gr_window_frame(run->def.record.terrain, box, n * cell, SIDE_MAX);
    }
    return frame;
}

static GrStatus put_ground(GrRunReplay *run, const GrGridFrame *frame, GrErrorLog *log)
{
    return gr_replay_put_ground(run->def.record.terrain, frame, &run->payload)
               ? put_as(run, "GRND", GR_CHUNK_NUMBERS, log)
               : GR_OK;
}

static GrStatus put_window(GrRunReplay *run, const GrBox2 *box, double cell, GrErrorLog *log)
{
    const int most = run->def.ground_nodes > 0 ? run->def.ground_nodes : GR_REPLAY_NODES;
    const GrGridFrame frame = frame_over(run, box, cell, most);
    return put_ground(run, &frame, log);
}

/// The surroundings of path and rover.
static GrBox2 box_around(const GrRecordDef *record, GrVec3 at, double margin)
{
    GrBox2 box = gr_box_empty();
    gr_box_include(&box, at.x, at.y, margin);
    for (int i = 0; i < record->path_count; i++) {
        gr_box_include(&box, record->path[i].x, record->path[i].y, margin);
    }
    return box;
}

/// The whole map, as coarse as it must be; the ground around the path in the map's own cells follows.
static GrStatus put_map(GrRunReplay *run, GrVec3 at, GrErrorLog *log)
{
    const GrRecordDef *record = &run->def.record;
    if (record->terrain == NULL) {
        const GrBox2 plane = box_around(record, at, PLANE_MARGIN);
        return put_window(run, &plane, PLANE_MARGIN, log); // a few nodes
    }
    GrBox2 box = box_around(record, at, MARGIN);
    snap(record->terrain, &box);
    const GrBox2 map = gr_terrain_box(record->terrain);
    const double finest = finest_cell(record->terrain);
    const int most = run->def.ground_nodes > 0 ? run->def.ground_nodes : GR_REPLAY_FAR_NODES;
    const GrGridFrame whole = frame_over(run, &map, finest, most);
    const GrStatus status = put_ground(run, &whole, log);
    run->finest = whole.dx > 1.01 * finest ? finest : 0;
    run->fine = run->finest > 0 ? box : map;
    return status == GR_OK && run->finest > 0 ? put_window(run, &box, finest, log) : status;
}

static GrStatus put_soil_map(GrRunReplay *run, GrVec3 at, GrErrorLog *log)
{
    const GrRecordDef *record = &run->def.record;
    if (record->model->options.surface.soil_at == NULL) {
        return GR_OK;
    }
    const GrBox2 map = record->terrain != NULL ? gr_terrain_box(record->terrain) : box_around(record, at, 2 * MARGIN);
    const GrGridFrame frame = gr_window_frame(record->terrain, &map, FINEST_CELL, SOIL_NODES);
    gr_replay_put_soils(record->model, &frame, &run->payload);
    return put(run, "SOIL", log);
}

static bool nears_edge(const GrRunReplay *run, GrVec3 at)
{
    return run->finest > 0 && isfinite(at.x) && isfinite(at.y) && !gr_box_holds(&run->fine, at.x, at.y, NEAR_EDGE);
}

static GrStatus follow(GrRunReplay *run, GrVec3 at, GrErrorLog *log)
{
    run->fine = gr_box_empty();
    gr_box_include(&run->fine, at.x, at.y, 2 * MARGIN);
    snap(run->def.record.terrain, &run->fine);
    return put_window(run, &run->fine, run->finest, log);
}

// ---- ruts

static bool ruts_are_due(const GrRunReplay *run, const GrSample *sample)
{
    const GrVec3 at = sample->pose.position;
    return run->ruts != NULL && isnan(run->ruts_cut) && isfinite(at.x) && isfinite(at.y) &&
           (gr_hypot(at.x - run->ruts_at.x, at.y - run->ruts_at.y) >= RUT_DISTANCE ||
            sample->time - run->ruts_time >= RUT_TIME);
}

/// Puts the ruts that are in `payload`, if any.
static GrStatus put_ruts(GrRunReplay *run, double time, GrErrorLog *log)
{
    if (run->payload.size == 0 && !run->payload.failed) {
        return GR_OK;
    }
    const GrStatus status = put(run, "RUTS", log);
    run->ruts_size += run->chunk.size;
    run->ruts_cut = run->ruts_size > RUTS_MAX ? time : run->ruts_cut;
    return status;
}

static GrStatus look_for_ruts(GrRunReplay *run, const GrSample *sample, GrErrorLog *log)
{
    run->ruts_at = sample->pose.position;
    run->ruts_time = sample->time;
    replay_ruts_near(run->ruts, sample, gr_model_wheel_count(run->def.record.model), &run->payload);
    return put_ruts(run, sample->time, log);
}

static GrStatus look_everywhere(GrRunReplay *run, double time, bool last, GrErrorLog *log)
{
    if (run->ruts == NULL || !isnan(run->ruts_cut)) {
        return GR_OK;
    }
    GrStatus status = GR_OK;
    int next = 0;
    do { // in pieces: where samples are rare, most ruts are left to the end
        next = replay_ruts_some(run->ruts, next, time, last, &run->payload);
        status = put_ruts(run, time, log);
    } while (next > 0 && status == GR_OK && isnan(run->ruts_cut));
    return status;
}

// ---- rocks

/// Stones are all there from the start; rocks of a field when they come into view.
static GrStatus begin_rocks(GrRunReplay *run, GrErrorLog *log)
{
    const GrRecordDef *record = &run->def.record;
    if (gr_rocks_seen_total(record->model) > 0) {
        run->seen = gr_rocks_seen_create(record->model, record->terrain);
        if (run->seen == NULL) {
            return gr_out_of_memory(log, record->name);
        }
    }
    run->rocks = gr_replay_rock_count(record->model);
    if (run->rocks == 0) {
        return GR_OK;
    }
    gr_replay_put_rocks(record->model, &run->payload);
    return put(run, "ROCK", log);
}

static bool rocks_are_due(const GrRunReplay *run, const GrSample *sample)
{
    return run->seen != NULL && gr_rocks_seen_due(run->seen, sample->pose.position);
}

static GrStatus look_for_rocks(GrRunReplay *run, const GrSample *sample, GrErrorLog *log)
{
    const int count = gr_replay_put_seen_rocks(run->seen, sample->pose.position, run->rocks, &run->payload);
    run->rocks += count;
    return count > 0 || run->payload.failed ? put(run, "ROCK", log) : GR_OK;
}

// ---- samples

static GrStatus put_head(GrRunReplay *run, GrVec3 origin, GrErrorLog *log)
{
    GrReplayMeshes meshes;
    if (!gr_replay_meshes_find(run->def.record.rover, &meshes)) {
        return gr_out_of_memory(log, run->def.record.name);
    }
    gr_replay_put_head(&run->def, run->table, &meshes, origin, &run->payload);
    GrStatus status = put(run, "HEAD", log);
    for (int i = 0; i < meshes.count && status == GR_OK; i++) {
        gr_replay_put_surface(&meshes, i, &run->payload);
        status = put(run, "MESH", log);
    }
    gr_replay_meshes_free(&meshes);
    return status;
}

static GrStatus begin(GrRunReplay *run, const GrSample *sample, double now, GrErrorLog *log)
{
    const GrVec3 at = sample->pose.position;
    run->begun = true;
    run->put_at = now;
    run->ruts_at = at;
    run->ruts_time = sample->time;
    const GrVec3 origin = {round(at.x), round(at.y), round(at.z)};
    GrStatus status = put_head(run, origin, log);
    status = status == GR_OK ? put_map(run, at, log) : status;
    status = status == GR_OK ? put_soil_map(run, at, log) : status;
    status = status == GR_OK ? begin_rocks(run, log) : status;
    return status == GR_OK ? look_everywhere(run, sample->time, false, log) : status;
}

bool gr_run_replay_needs_ground(const GrRunReplay *run, const GrSample *sample)
{
    return !run->begun || ruts_are_due(run, sample) || rocks_are_due(run, sample) ||
           nears_edge(run, sample->pose.position);
}

static GrStatus put_block(GrRunReplay *run, double now, GrErrorLog *log)
{
    run->put_at = now;
    if (gr_replay_table_rows(run->table) == 0) {
        return GR_OK;
    }
    gr_replay_table_take(run->table, &run->payload);
    return put_as(run, "DATA", GR_CHUNK_NUMBERS, log);
}

GrStatus gr_run_replay_add(GrRunReplay *run, const GrSample *sample, double now, GrErrorLog *log)
{
    GrStatus status = run->begun ? GR_OK : begin(run, sample, now, log);
    if (status == GR_OK && nears_edge(run, sample->pose.position)) {
        status = follow(run, sample->pose.position, log);
    }
    if (status == GR_OK && rocks_are_due(run, sample)) {
        status = look_for_rocks(run, sample, log);
    }
    if (status == GR_OK && ruts_are_due(run, sample)) {
        status = look_for_ruts(run, sample, log);
    }
    run->time = sample->time;
    if (run->samples++ % run->stride == 0) {
        gr_replay_table_add(run->table, sample);
    }
    const bool full = gr_replay_table_rows(run->table) == GR_REPLAY_BLOCK;
    return status == GR_OK && (full || now - run->put_at >= BLOCK_SECONDS) ? put_block(run, now, log) : status;
}

GrStatus gr_run_replay_flush(GrRunReplay *run, double now, GrErrorLog *log)
{
    return run->begun ? put_block(run, now, log) : GR_OK;
}

void gr_run_replay_live(GrRunReplay *run, const GrSample *sample, GrBuffer *chunk)
{
    run->payload.size = 0;
    gr_replay_table_alone(run->table, sample, &run->payload);
    gr_chunk_put_as(chunk, "LIVE", GR_CHUNK_NUMBERS, run->payload.data, run->payload.size);
    chunk->failed = chunk->failed || run->payload.failed;
    run->payload.size = 0;
}

static void put_cut(const void *context, GrJson *json)
{
    const GrRunReplay *run = context;
    if (!isnan(run->ruts_cut)) {
        gr_json_number(json, "replay_ruts_until_s", run->ruts_cut);
    }
}

GrStatus gr_run_replay_finish(GrRunReplay *run, const GrRunSummary *summary, GrErrorLog *log)
{
    GrStatus status = run->begun ? look_everywhere(run, run->time, true, log) : GR_OK;
    status = status == GR_OK ? gr_run_replay_flush(run, run->put_at, log) : status;
    if (status == GR_OK && run->begun && summary != NULL) {
        const GrRecordDef *record = &run->def.record;
        const GrRunHead head = {record->name, record->title, record->model, record->trust, record->bands, put_cut, run};
        status = gr_run_summary_format(&head, summary, &run->payload);
        status = status == GR_OK ? put(run, "DONE", log) : status;
    }
    return status;
}

// ---- file

struct GrReplayFile {
    GrSink sink;
    GrRunReplay *run;
};

static GrStatus put_in_file(void *context, const char *chunk, size_t size, GrErrorLog *log)
{
    GrReplayFile *file = context;
    return gr_sink_write(&file->sink, chunk, size, log);
}

GrReplayFile *gr_replay_file_open(const char *path, const GrReplayDef *def, GrErrorLog *log)
{
    GrReplayFile *file = gr_calloc(1, sizeof *file);
    if (file == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    file->sink.fd = -1;
    GrReplayDef own = *def;
    own.put = put_in_file;
    own.context = file;
    file->run = gr_run_replay_create(&own, log);
    if (file->run == NULL || gr_sink_open(&file->sink, path, log) != GR_OK ||
        gr_sink_write(&file->sink, GR_REPLAY_MAGIC, GR_REPLAY_MAGIC_SIZE, log) != GR_OK) {
        gr_run_replay_free(file->run);
        gr_sink_close(&file->sink, NULL);
        gr_free(file);
        return NULL;
    }
    return file;
}

GrRunReplay *gr_replay_file_run(GrReplayFile *file)
{
    return file->run;
}

GrStatus gr_replay_file_close(GrReplayFile *file, const GrRunSummary *summary, GrErrorLog *log)
{
    if (file == NULL) {
        return GR_OK;
    }
    const GrStatus finished = gr_run_replay_finish(file->run, summary, log);
    const GrStatus closed = gr_sink_close(&file->sink, log);
    gr_run_replay_free(file->run);
    gr_free(file);
    return finished == GR_OK ? closed : finished;
}
