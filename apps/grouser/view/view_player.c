#include "view_player.h"

#include "alloc.h"
#include "clock.h"
#include "out_of_memory.h"
#include "player_frames.h"
#include "run_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double TICK = 1.0 / 60;    // between two looks at the recording [s]
static const double LONGEST_WAIT = 0.1; // [s] for a signal to be noticed

struct GrPlayer {
    GrMcapReader *reader;
    GrFoxglove *foxglove;
    GrTopicSink sink;
    int *channels; ///< of the recording's topics
    int frames;    ///< the topic with frames, whose messages add up; −1: none
    GrServer *server;
    bool begun, playing;
    uint64_t time; ///< [ns]
    double speed;
    double from_wall; ///< where the speed counts from [s]
    uint64_t from_time;
};

// ---- the recording

static void open_channels(GrPlayer *p, GrErrorLog *log)
{
    for (int i = 0; i < gr_mcap_reader_topic_count(p->reader); i++) {
        const GrMcapTopic *topic = gr_mcap_reader_topic(p->reader, i);
        GrBuffer set = {0};
        p->channels[i] = -1;
        if (strcmp(topic->encoding, "protobuf") == 0 && strcmp(topic->schema_encoding, "protobuf") == 0) {
            gr_buffer_add(&set, topic->schema, topic->schema_size);
            const int schema = p->sink.schema(p->sink.context, topic->schema_name, &set);
            p->channels[i] = p->sink.channel(p->sink.context, schema, topic->topic, GR_TOPIC_LATCHED);
        }
        if (p->channels[i] < 0) {
            gr_warning_add(log, (GrLocation){0}, "topic %s is not played: it is not in protobuf, or there are too many",
                           topic->topic);
        }
        if (strcmp(topic->schema_name, "foxglove.FrameTransforms") == 0) {
            p->frames = i;
        }
        gr_buffer_free(&set);
    }
}

GrPlayer *gr_player_open(const char *path, double speed, GrErrorLog *log)
{
    GrPlayer *p = gr_calloc(1, sizeof *p);
    if (p == NULL) {
        gr_out_of_memory(log, path);
        return NULL;
    }
    p->frames = -1;
    p->speed = speed > 0 ? speed : GR_PACE_MOST;
    p->reader = gr_mcap_reader_open(path, log);
    if (p->reader == NULL) {
        gr_free(p);
        return NULL;
    }
    char name[300];
    snprintf(name, sizeof name, "grouser %.250s", path);
    const GrFoxgloveDef def = {
        .name = name, .playback = true, .start = gr_mcap_reader_start(p->reader), .end = gr_mcap_reader_end(p->reader)};
    p->time = def.start;
    p->foxglove = gr_foxglove_create(&def);
    p->channels = gr_calloc((size_t)gr_mcap_reader_topic_count(p->reader) + 1, sizeof *p->channels);
    if (p->foxglove == NULL || p->channels == NULL) {
        gr_out_of_memory(log, path);
        gr_player_close(p);
        return NULL;
    }
    p->sink = gr_foxglove_sink(p->foxglove);
    open_channels(p, log);
    return p;
}

void gr_player_close(GrPlayer *p)
{
    if (p != NULL) {
        gr_mcap_reader_close(p->reader);
        gr_foxglove_free(p->foxglove);
        gr_free(p->channels);
        gr_free(p);
    }
}

GrFoxglove *gr_player_foxglove(const GrPlayer *p)
{
    return p->foxglove;
}

static void put_message(void *context, const GrMcapMessage *message)
{
    GrPlayer *p = context;
    GrBuffer *out = p->sink.begin(p->sink.context, p->channels[message->topic], message->time);
    if (out != NULL) {
        gr_buffer_add(out, message->data, message->size);
        p->sink.end(p->sink.context);
    }
}

/// What the recording has between the last time and this one.
static GrStatus go_on(GrPlayer *p, uint64_t time, GrErrorLog *log)
{
    const GrMcapSpan span = {.has_after = true, .after = p->time, .until = time};
    const GrStatus status = gr_mcap_reader_latest(p->reader, &span, put_message, p, log);
    p->time = time;
    gr_foxglove_set_time(p->foxglove, time);
    gr_server_wake(p->server);
    return status;
}

/// The state of all topics at a time.
static GrStatus jump(GrPlayer *p, uint64_t time, GrErrorLog *log)
{
    const uint64_t start = gr_mcap_reader_start(p->reader), end = gr_mcap_reader_end(p->reader);
    p->time = time < start ? start : time > end ? end : time;
    const GrMcapSpan span = {.until = p->time};
    gr_foxglove_forget(p->foxglove);
    gr_foxglove_set_time(p->foxglove, p->time); // before the messages: clients date them by it
    GrStatus status = gr_mcap_reader_latest(p->reader, &span, put_message, p, log);
    if (status == GR_OK && p->frames >= 0 && p->channels[p->frames] >= 0) {
        status = gr_player_put_frames(p->reader, p->frames, p->time, &p->sink, p->channels[p->frames], log);
    }
    return status;
}

// ---- playing

static bool is_over(const GrPlayer *p)
{
    return p->time >= gr_mcap_reader_end(p->reader);
}

static void tell_state(GrPlayer *p, bool seeked, const char *id)
{
    const GrFoxgloveParameter speed = {.name = "speed", .number = p->speed};
    GrPlaybackState state = {.status = is_over(p)   ? GR_PLAYBACK_ENDED
                                       : p->playing ? GR_PLAYBACK_PLAYING
                                                    : GR_PLAYBACK_PAUSED,
                             .time = p->time,
                             .speed = p->speed,
                             .seeked = seeked};
    snprintf(state.id, sizeof state.id, "%s", id);
    gr_foxglove_set_playback(p->foxglove, &state);
    gr_foxglove_set_parameters(p->foxglove, &speed, 1);
    gr_server_wake(p->server);
}

/// Counts the speed from here on.
static void mark(GrPlayer *p)
{
    p->from_wall = gr_wall_time();
    p->from_time = p->time;
}

static GrStatus play(GrPlayer *p, bool playing, GrErrorLog *log)
{
    const bool again = playing && !p->playing && is_over(p);
    p->playing = playing;
    return again ? jump(p, gr_mcap_reader_start(p->reader), log) : GR_OK;
}

static GrStatus obey(GrPlayer *p, const GrMessage *message, GrErrorLog *log)
{
    const GrPlaybackRequest *request = &message->playback;
    GrStatus status = GR_OK;
    bool seeked = false;
    if (message->op == GR_MESSAGE_PLAYBACK) {
        seeked = request->has_seek;
        p->speed = request->speed;
        status = seeked ? jump(p, request->seek, log) : play(p, !request->pause, log);
        p->playing = !request->pause;
    } else if (message->op == GR_MESSAGE_PACE) {
        p->speed = message->pace > 0 ? message->pace : GR_PACE_MOST;
    } else if (message->op == GR_MESSAGE_PLAY || message->op == GR_MESSAGE_PAUSE) {
        status = play(p, message->op == GR_MESSAGE_PLAY, log);
    }
    mark(p);
    gr_foxglove_answer(p->foxglove, message->ticket, status == GR_OK ? NULL : "the recording cannot be read");
    tell_state(p, seeked, message->op == GR_MESSAGE_PLAYBACK ? request->id : ""); // wakes the server
    return status;
}

/// A part of the recording that cannot be read: says so and pauses. Other parts may be good.
static void give_up(GrPlayer *p, const GrErrorLog *log)
{
    char text[600] = "";
    if (log->count > 0) {
        gr_error_format(&log->items[0], text, sizeof text);
    }
    fprintf(stderr, "Foxglove: %s\n", text);
    gr_foxglove_complain(p->foxglove, text);
    p->playing = false;
    tell_state(p, false, "");
}

/// Time that playing has come to [ns].
static uint64_t time_now(const GrPlayer *p)
{
    const uint64_t end = gr_mcap_reader_end(p->reader);
    const double passed = 1e9 * p->speed * (gr_wall_time() - p->from_wall);
    const uint64_t left = end - p->from_time;
    return passed >= (double)left ? end : p->from_time + (uint64_t)passed;
}

/// One turn: what clients ask for, and what is due.
static GrStatus turn(GrPlayer *p, GrErrorLog *log)
{
    GrMessage message;
    GrStatus status = GR_OK;
    if (gr_inbox_take(gr_server_inbox(p->server), p->playing ? TICK : LONGEST_WAIT, &message)) {
        p->begun = true;
        status = obey(p, &message, log);
    }
    if (!p->begun && gr_server_clients(p->server) > 0) {
        p->begun = p->playing = true;
        mark(p);
        tell_state(p, false, "");
    }
    if (status == GR_OK && p->playing) {
        status = go_on(p, time_now(p), log);
        if (is_over(p)) {
            p->playing = false;
            tell_state(p, false, "");
        }
    }
    return status;
}

void gr_player_run(GrPlayer *p, GrServer *server, double seconds)
{
    const double end = gr_wall_time() + seconds;
    GrErrorLog log = {.quiet = true};
    p->server = server;
    GrStatus status = jump(p, p->time, &log);
    tell_state(p, false, "");
    while (!gr_run_is_interrupted() && gr_wall_time() < end) {
        if (status != GR_OK) {
            give_up(p, &log);
            log = (GrErrorLog){.quiet = true};
        }
        status = turn(p, &log);
    }
}
