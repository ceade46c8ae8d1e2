/// The simulator inside a web page, compiled to WebAssembly: a live run (view/live.h) without a server.
///
/// The page's worker calls these functions (viewer/src/playground/worker.ts). Chunks of the replay go to the page
/// through a function that the worker provides. Messages are those of the WebSocket (docs/replay.md), read by the same
/// parser.
#include "playground.h"

#include "live.h"
#include "message.h"

#include "chunk.h"

#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GrLive *live;
static GrBuffer newest;
static char answer[1024]; ///< of the last call: an error, a warning, or nothing

EM_JS(void, put_to_page, (const char *chunk, int size), { Module.put(HEAPU8.slice(chunk, chunk + size)); })

static bool put(void *context, const char *chunk, size_t size)
{
    (void)context;
    put_to_page(chunk, (int)size);
    return true;
}

static void restart(void *context)
{
    GrBuffer chunk = {0};
    gr_chunk_put(&chunk, "RSET", NULL, 0);
    put(context, chunk.data, chunk.size);
    gr_buffer_free(&chunk);
}

static const char *tell(GrStatus status, const GrErrorLog *log)
{
    answer[0] = '\0';
    if (status != GR_OK && log->count > 0) {
        gr_error_format(&log->items[0], answer, sizeof answer);
    } else if (status != GR_OK) {
        snprintf(answer, sizeof answer, "%s", gr_status_text(status));
    }
    return answer;
}

/// Opens a scenario by name; the worker has put the shipped data into /data. Returns an empty text, or what is wrong.
EMSCRIPTEN_KEEPALIVE const char *playground_open(const char *scenario)
{
    GrErrorLog log = {.quiet = true};
    setenv("GROUSER_DATA", "/data", 1);
    const GrLiveDef def = {.scenario = scenario, .restart = restart, .put = put};
    live = gr_live_open(&def, &log);
    return tell(live != NULL ? GR_OK : GR_ERROR_VALUE, &log);
}

/// Advances by one sample. Returns an empty text, or what is wrong.
EMSCRIPTEN_KEEPALIVE const char *playground_advance(void)
{
    GrErrorLog log = {.quiet = true};
    const GrStatus status = gr_live_advance(live, &log);
    return tell(status, &log);
}

/// Puts the samples so far, and the newest as LIVE.
EMSCRIPTEN_KEEPALIVE const char *playground_flush(int blocks)
{
    GrErrorLog log = {.quiet = true};
    const GrStatus status = blocks ? gr_live_flush(live, &log) : GR_OK;
    newest.size = 0;
    gr_live_newest(live, &newest);
    if (newest.size > 0) {
        put(NULL, newest.data, newest.size);
    }
    return tell(status, &log);
}

/// Carries out a message for the simulation: drive, reset. Play, pause, step and speed are the worker's own business:
/// they are accepted, and do nothing.
EMSCRIPTEN_KEEPALIVE const char *playground_message(char *text)
{
    GrErrorLog log = {.quiet = true};
    GrMessage message;
    const char *why;
    char path[GR_SCENARIO_PATH_SIZE];
    if (!gr_message_read(text, strlen(text), &message, &why)) {
        snprintf(answer, sizeof answer, "%s", why);
        return answer;
    }
    GrStatus status = GR_OK;
    if (message.op == GR_MESSAGE_RESET) {
        status = gr_live_reset(live, &message, path, &log);
    } else if (message.op == GR_MESSAGE_DRIVE) {
        status = gr_live_drive(live, &message, &log);
    }
    return tell(status, &log);
}

EMSCRIPTEN_KEEPALIVE double playground_time(void)
{
    return gr_live_time(live);
}

EMSCRIPTEN_KEEPALIVE double playground_period(void)
{
    return gr_live_period(live);
}

EMSCRIPTEN_KEEPALIVE int playground_is_over(void)
{
    return gr_live_outcome(live) != GR_OUTCOME_RUNNING;
}

EMSCRIPTEN_KEEPALIVE int playground_by_hand(void)
{
    return gr_live_by_hand(live);
}

/// Hash of the state, as in summary.json, for comparisons with the native program.
EMSCRIPTEN_KEEPALIVE const char *playground_hash(void)
{
    snprintf(answer, sizeof answer, "%016llx", (unsigned long long)gr_live_hash(live));
    return answer;
}
