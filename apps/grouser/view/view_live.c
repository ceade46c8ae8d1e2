#include "view_live.h"

#include "buffer.h"
#include "chunk.h"
#include "json.h"
#include "run_job.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double LIVE_PERIOD = 1.0 / 30; // between two LIVE chunks [s]
static const double STAT_PERIOD = 0.5;      // between two STAT chunks and two blocks of data [s]
static const double LONGEST_WAIT = 0.1;     // [s] for a signal to be noticed
static const double LAG_MAX = 0.25;         // [s] behind its pace, a run does not catch up

typedef struct View {
    GrServer *server;
    GrLive *live;
    bool running;
    double pace;
    int steps;                     ///< to make while paused
    double from_wall, from_time;   ///< where the pace counts from
    double live_at, stat_at;       ///< wall time of the last chunks
    double factor_wall, factor_at; ///< for the real-time factor: wall and simulated time of the last STAT
    double factor;
    bool changed; ///< STAT is due
    int clients;
    char message[600];
} View;

static double wall_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void restart(void *context)
{
    gr_feed_restart(gr_server_feed(context));
}

static bool put(void *context, const char *chunk, size_t size)
{
    const bool good = gr_feed_put(gr_server_feed(context), chunk, size);
    gr_server_wake(context);
    return good;
}

/// Counts the pace from here on.
static void mark_pace(View *view)
{
    view->from_wall = wall_time();
    view->from_time = gr_live_time(view->live);
}

static bool is_over(const View *view)
{
    return gr_live_outcome(view->live) != GR_OUTCOME_RUNNING;
}

// ---- what viewers are told

static void put_stat(View *view, double now)
{
    GrBuffer text = {0}, chunk = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    const double time = gr_live_time(view->live);
    if (now - view->factor_wall >= STAT_PERIOD) {
        view->factor = (time - view->factor_at) / (now - view->factor_wall);
        view->factor_wall = now;
        view->factor_at = time;
    }
    view->clients = gr_server_clients(view->server);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "state", is_over(view) ? "over" : view->running ? "running" : "paused");
    gr_json_number(&json, "speed", view->pace);
    gr_json_number(&json, "time", time);
    gr_json_number(&json, "real_time_factor", fmax(view->factor, 0));
    gr_json_integer(&json, "clients", view->clients);
    gr_json_string(&json, "drive", gr_live_by_hand(view->live) ? "manual" : "scenario");
    gr_json_string(&json, "message", view->message);
    gr_json_end(&json);
    gr_json_finish(&json);
    gr_chunk_put(&chunk, "STAT", text.data, text.size);
    if (!chunk.failed && !text.failed) {
        gr_feed_set(gr_server_feed(view->server), GR_FEED_STAT, chunk.data, chunk.size);
        gr_server_wake(view->server);
    }
    gr_buffer_free(&text);
    gr_buffer_free(&chunk);
    view->stat_at = now;
    view->changed = false;
}

static void put_newest(View *view, double now)
{
    GrBuffer chunk = {0};
    gr_live_newest(view->live, &chunk);
    if (!chunk.failed && chunk.size > 0) {
        gr_feed_set(gr_server_feed(view->server), GR_FEED_LIVE, chunk.data, chunk.size);
        gr_server_wake(view->server);
    }
    gr_buffer_free(&chunk);
    view->live_at = now;
}

/// Chunks that are due by the clock.
static GrStatus tell(View *view, bool moved, GrErrorLog *log)
{
    const double now = wall_time();
    GrStatus status = GR_OK;
    if (moved && (now - view->live_at >= LIVE_PERIOD || is_over(view) || !view->running)) {
        put_newest(view, now);
    }
    const bool due = now - view->stat_at >= STAT_PERIOD;
    if (due && moved) {
        status = gr_live_flush(view->live, log);
    }
    if (view->changed || view->clients != gr_server_clients(view->server) || due) {
        put_stat(view, now);
    }
    return status;
}

// ---- what viewers ask for

static void say(View *view, const GrErrorLog *log)
{
    if (log->count > 0) {
        gr_error_format(&log->items[0], view->message, sizeof view->message);
    }
}

static void say_saved(View *view, const char *path)
{
    if (path[0] != '\0') {
        snprintf(view->message, sizeof view->message, "wrote the drive as %.400s", path);
        fprintf(stderr, "%s\n", view->message);
    }
}

static void reset(View *view, const GrMessage *message)
{
    GrErrorLog log = {.quiet = true};
    char path[GR_SCENARIO_PATH_SIZE];
    const GrStatus status = gr_live_reset(view->live, message, path, &log);
    if (status != GR_OK) {
        say(view, &log);
        return;
    }
    say_saved(view, path);
    view->running = true;
    view->steps = 0;
    view->factor_wall = wall_time();
    view->factor_at = 0;
    mark_pace(view);
}

static void obey(View *view, const GrMessage *message)
{
    GrErrorLog log = {.quiet = true};
    view->message[0] = '\0';
    switch (message->op) {
    case GR_MESSAGE_PLAY:
        view->running = true;
        view->steps = 0;
        mark_pace(view);
        break;
    case GR_MESSAGE_PAUSE:
        view->running = false;
        break;
    case GR_MESSAGE_STEP:
        view->running = false;
        view->steps++;
        break;
    case GR_MESSAGE_PACE:
        view->pace = message->pace;
        mark_pace(view);
        break;
    case GR_MESSAGE_RESET:
        reset(view, message);
        break;
    case GR_MESSAGE_DRIVE:
        if (gr_live_drive(view->live, message, &log) != GR_OK) {
            say(view, &log);
        }
        break;
    }
    view->changed = true;
}

// ---- time

/// How long to wait before the next sample [s]; 0: it is due.
static double time_left(View *view)
{
    if (is_over(view) || (!view->running && view->steps == 0)) {
        return LONGEST_WAIT;
    }
    if (!view->running || view->pace == 0) {
        return 0;
    }
    const double next = gr_live_time(view->live) + gr_live_period(view->live);
    const double left = view->from_wall + (next - view->from_time) / view->pace - wall_time();
    if (left < -LAG_MAX) { // slower than its pace: do not rush later
        mark_pace(view);
    }
    return fmin(fmax(left, 0), LONGEST_WAIT);
}

static GrStatus advance(View *view, GrErrorLog *log)
{
    const GrStatus status = gr_live_advance(view->live, log);
    view->steps -= view->steps > 0;
    view->changed = view->changed || is_over(view) || !view->running;
    return status;
}

static GrStatus follow(View *view, const GrViewLiveDef *def, GrErrorLog *log)
{
    const double end = wall_time() + def->seconds;
    GrStatus status = GR_OK;
    while (status == GR_OK && !gr_run_is_interrupted() && wall_time() < end && !(def->once && is_over(view))) {
        GrMessage message;
        const double left = time_left(view);
        if (gr_inbox_take(gr_server_inbox(view->server), left, &message)) {
            obey(view, &message);
            status = tell(view, false, log);
            continue;
        }
        const bool due = time_left(view) == 0;
        status = due ? advance(view, log) : GR_OK;
        status = status == GR_OK ? tell(view, due, log) : status;
    }
    return status;
}

GrStatus gr_view_live(GrServer *server, const GrViewLiveDef *def, uint64_t *hash, GrErrorLog *log)
{
    GrLiveDef live = def->live;
    live.context = server;
    live.restart = restart;
    live.put = put;
    View view = {.server = server, .running = true, .pace = def->pace, .changed = true};
    view.live = gr_live_open(&live, log);
    if (view.live == NULL) {
        return log->count > 0 && log->items[0].status != GR_OK ? log->items[0].status : GR_ERROR_VALUE;
    }
    if (def->ready != NULL) {
        def->ready(def->context);
    }
    view.factor_wall = wall_time();
    mark_pace(&view);
    const GrStatus status = follow(&view, def, log);
    *hash = gr_live_hash(view.live);
    char path[GR_SCENARIO_PATH_SIZE];
    const GrStatus saved = gr_live_save(view.live, path, log);
    say_saved(&view, path);
    const GrStatus closed = gr_live_close(view.live, log);
    return status != GR_OK ? status : saved == GR_OK ? closed : saved;
}
