#include "view_live.h"

#include "buffer.h"
#include "chunk.h"
#include "clock.h"
#include "editor_rover.h"
#include "file.h"
#include "json.h"
#include "live_parts.h"
#include "messages.h"
#include "report.h"
#include "run_samples.h"
#include "scenario_data.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const double LIVE_PERIOD = 1.0 / 30; // between two LIVE chunks [s]
static const double STAT_PERIOD = 0.5;      // between two STAT chunks and two blocks of data [s]
static const double LONGEST_WAIT = 0.1;     // [s] for a signal to be noticed
static const double LAG_MAX = 0.25;         // [s] behind its pace, a run does not catch up
static const double WAKE_PERIOD = 0.005;    // between two messages to clients of Foxglove's protocol [s]
// A rover whose /cmd_vel has stopped coming stops: its driver has gone, or released the stick. Foxglove's panel sends
// once a second unless it is told otherwise [s].
static const double TWIST_PATIENCE = 1.5;

typedef struct View {
    GrServer *server;
    GrFoxglove *foxglove; ///< NULL: none
    GrEditor *editor;     ///< NULL: none
    GrLiveDef live_def;
    GrLive *live; ///< NULL: the text of the editor makes no run yet
    bool running;
    double pace;
    int steps;                     ///< to make while paused
    double from_wall, from_time;   ///< where the pace counts from
    double live_at, stat_at;       ///< wall time of the last chunks
    double factor_wall, factor_at; ///< for the real-time factor: wall and simulated time of the last STAT
    double factor;
    bool changed; ///< STAT is due
    int clients;
    double woken_at;    ///< wall time of the last message to Foxglove's clients
    bool twist_refused; ///< by the rover, and clients know
    double twist_end;   ///< wall time at which a drive by /cmd_vel ends; INFINITY: nobody drives so
    char message[600];
    GrErrorLog checked;          ///< messages of the editor's text
    char map[GR_FILE_PATH_SIZE]; ///< that viewers see
} View;

static void restart(void *context)
{
    const View *view = context;
    gr_feed_restart(gr_server_feed(view->server));
    if (view->foxglove != NULL) {
        gr_foxglove_restart(view->foxglove);
    }
}

static bool put(void *context, const char *chunk, size_t size)
{
    const View *view = context;
    const bool good = gr_feed_put(gr_server_feed(view->server), chunk, size);
    gr_server_wake(view->server);
    return good;
}

/// Counts the pace from here on.
static void mark_pace(View *view)
{
    view->from_wall = gr_wall_time();
    view->from_time = view->live != NULL ? gr_live_time(view->live) : 0;
}

static bool is_over(const View *view)
{
    return view->live == NULL || gr_live_outcome(view->live) != GR_OUTCOME_RUNNING;
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

// ---- what clients of Foxglove's protocol are told

/// The values of the panel, and the speed.
static void put_parameters(View *view)
{
    const GrLivePanel *panel = gr_live_panel(view->live);
    GrFoxgloveParameter all[GR_PANEL_ROWS + 1] = {{.name = "speed", .number = view->pace}};
    for (int i = 0; i < panel->count; i++) {
        const GrPanelRow *row = &panel->rows[i];
        GrFoxgloveParameter *p = &all[i + 1];
        p->is_text = row->is_choice;
        p->number = row->value;
        gr_text_copy(p->name, sizeof p->name, row->path);
        gr_text_copy(p->text, sizeof p->text, row->choice);
    }
    gr_foxglove_set_parameters(view->foxglove, all, panel->count + 1);
}

/// The newest sample has been put to the sink; `whole`: all of it must arrive.
static void tell_foxglove(View *view, bool whole)
{
    const double now = gr_wall_time();
    if (view->foxglove == NULL) {
        return;
    }
    if (whole) {
        gr_foxglove_hurry(view->foxglove);
        gr_live_repeat(view->live);
    }
    gr_foxglove_set_time(view->foxglove, (uint64_t)llround(1e9 * gr_live_time(view->live)));
    if (whole || now - view->woken_at >= WAKE_PERIOD) {
        view->woken_at = now;
        gr_server_wake(view->server);
    }
}

static void answer(View *view, uint32_t ticket, bool good)
{
    if (view->foxglove != NULL) {
        put_parameters(view);
        gr_foxglove_answer(view->foxglove, ticket, good ? NULL : view->message);
        gr_server_wake(view->server);
    }
}

/// Chunks that are due by the clock.
static GrStatus tell(View *view, bool moved, GrErrorLog *log)
{
    const double now = gr_wall_time();
    GrStatus status = GR_OK;
    if (view->live == NULL) {
        return status;
    }
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

static bool reset(View *view, const GrMessage *message)
{
    GrErrorLog log = {.quiet = true};
    char path[GR_SCENARIO_PATH_SIZE];
    const GrStatus status = gr_live_reset(view->live, message, path, &log);
    if (status != GR_OK) {
        say(view, &log);
        return false;
    }
    say_saved(view, path);
    view->twist_end = (double)INFINITY;
    view->running = true;
    view->steps = 0;
    view->factor_wall = gr_wall_time();
    view->factor_at = 0;
    mark_pace(view);
    tell_foxglove(view, true);
    return true;
}

static bool drive(View *view, const GrMessage *message)
{
    GrErrorLog log = {.quiet = true};
    const bool moves = message->twist.forward != 0 || message->twist.left != 0 || message->twist.yaw_rate != 0;
    const bool twist = message->op == GR_MESSAGE_TWIST && moves;
    view->twist_end = twist ? gr_wall_time() + TWIST_PATIENCE : (double)INFINITY;
    if (gr_live_drive(view->live, message, &log) != GR_OK) {
        say(view, &log);
        if (message->op == GR_MESSAGE_TWIST && view->foxglove != NULL && !view->twist_refused) {
            gr_foxglove_complain(view->foxglove, view->message); // once: the next ones come soon
        }
        view->twist_refused = message->op == GR_MESSAGE_TWIST;
        return false;
    }
    view->twist_refused = false;
    return true;
}

// ---- editing

/// Puts the text and its messages to the viewers.
static void put_editor(View *view, const GrErrorLog *log, const char *note)
{
    GrBuffer chunk = {0};
    gr_editor_put(view->editor, log, note, &chunk);
    if (!chunk.failed) {
        gr_feed_set(gr_server_feed(view->server), GR_FEED_EDIT, chunk.data, chunk.size);
        gr_server_wake(view->server);
    }
    gr_buffer_free(&chunk);
}

/// Puts the map that the text names, if it is another one.
static void put_map(View *view)
{
    char map[GR_FILE_PATH_SIZE];
    GrBuffer chunk = {0};
    GrErrorLog log = {.quiet = true}; // the check of the text says it too
    if (!gr_editor_map(view->editor, map) || strcmp(map, view->map) == 0) {
        return;
    }
    gr_text_copy(view->map, sizeof view->map, map);
    if (gr_editor_put_map(map, &chunk, &log) == GR_OK) {
        gr_feed_set(gr_server_feed(view->server), GR_FEED_MAP, chunk.data, chunk.size);
    }
    gr_buffer_free(&chunk);
}

/// Checks the text, and shows its start where it makes a run.
static void show_text(View *view, const char *note)
{
    size_t size;
    GrErrorLog *log = &view->checked;
    const char *text = gr_editor_text(view->editor, &size);
    *log = (GrErrorLog){.quiet = true};
    if (gr_editor_is_rover(view->editor)) {
        gr_editor_check_rover(view->editor, NULL, log);
    } else if (view->live != NULL) {
        gr_live_renew(view->live, text, size, log);
    } else {
        view->live_def.text = text;
        view->live_def.text_size = size;
        view->live = gr_live_open(&view->live_def, log);
    }
    view->running = false;
    view->steps = 0;
    view->changed = true;
    mark_pace(view);
    put_map(view);
    put_editor(view, log, note);
}

/// The text stays as it was after an error, and so do the messages of its check.
static void edit(View *view, const GrMessage *message)
{
    GrErrorLog log = {.quiet = true};
    const bool save = message->op == GR_MESSAGE_SAVE;
    const GrStatus status =
        save ? gr_editor_save(view->editor, message->force, &log) : gr_editor_change(view->editor, message, &log);
    if (status != GR_OK) {
        say(view, &log);
        put_editor(view, &view->checked, view->message);
    } else if (save) {
        fprintf(stderr, "wrote %s\n", gr_editor_file(view->editor));
        put_editor(view, &view->checked, "");
    } else {
        show_text(view, "");
    }
}

static void obey(View *view, const GrMessage *message)
{
    bool good = true;
    view->message[0] = '\0';
    if (message->op >= GR_MESSAGE_EDIT) {
        if (view->editor != NULL) {
            edit(view, message);
        }
        return;
    }
    if (view->live == NULL) {
        return;
    }
    switch (message->op) {
    case GR_MESSAGE_EDIT:
    case GR_MESSAGE_LINES_OF_TEXT:
    case GR_MESSAGE_UNDO:
    case GR_MESSAGE_REDO:
    case GR_MESSAGE_SAVE: // above
        break;
    case GR_MESSAGE_PLAY:
        view->running = true;
        view->steps = 0;
        mark_pace(view);
        break;
    case GR_MESSAGE_PAUSE:
        view->running = false;
        tell_foxglove(view, true);
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
        good = reset(view, message);
        break;
    case GR_MESSAGE_DRIVE:
    case GR_MESSAGE_TWIST:
        good = drive(view, message);
        break;
    }
    view->changed = true;
    answer(view, message->ticket, good);
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
    const double left = view->from_wall + (next - view->from_time) / view->pace - gr_wall_time();
    if (left < -LAG_MAX) { // slower than its pace: do not rush later
        mark_pace(view);
    }
    return fmin(fmax(left, 0), LONGEST_WAIT);
}

static GrStatus advance(View *view, GrErrorLog *log)
{
    if (gr_wall_time() >= view->twist_end) {
        drive(view, &(GrMessage){.op = GR_MESSAGE_TWIST});
    }
    const GrStatus status = gr_live_advance(view->live, log);
    tell_foxglove(view, is_over(view) || !view->running);
    view->steps -= view->steps > 0;
    view->changed = view->changed || is_over(view) || !view->running;
    return status;
}

static GrStatus follow(View *view, const GrViewLiveDef *def, GrErrorLog *log)
{
    const double end = gr_wall_time() + def->seconds;
    GrStatus status = GR_OK;
    while (status == GR_OK && !gr_interrupted() && gr_wall_time() < end && !(def->once && is_over(view))) {
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
    View view = {.server = server,
                 .foxglove = def->foxglove,
                 .editor = def->editor,
                 .running = true,
                 .pace = def->pace,
                 .changed = true,
                 .twist_end = (double)INFINITY};
    const GrTopicSink sink = def->foxglove != NULL ? gr_foxglove_sink(def->foxglove) : (GrTopicSink){0};
    live.context = &view;
    live.restart = restart;
    live.put = put;
    live.topics = def->foxglove != NULL ? &sink : NULL;
    view.live_def = live;
    if (def->editor != NULL) {
        show_text(&view, "");
    } else {
        view.live = gr_live_open(&live, log);
        if (view.live == NULL) {
            return gr_messages_last_error(log, GR_ERROR_VALUE);
        }
        tell_foxglove(&view, false);
        answer(&view, 0, true); // parameters
    }
    if (def->ready != NULL) {
        def->ready(def->context);
    }
    view.factor_wall = gr_wall_time();
    mark_pace(&view);
    const GrStatus status = follow(&view, def, log);
    if (view.live == NULL) {
        return status;
    }
    *hash = gr_live_hash(view.live);
    char path[GR_SCENARIO_PATH_SIZE];
    const GrStatus saved = gr_live_save(view.live, path, log);
    say_saved(&view, path);
    const GrStatus closed = gr_live_close(view.live, log);
    return status != GR_OK ? status : saved == GR_OK ? closed : saved;
}
