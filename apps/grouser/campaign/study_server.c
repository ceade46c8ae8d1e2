#include "study_server.h"

#ifdef GR_WITH_SERVE
#include "alloc.h"
#include "json.h"
#include "out_of_memory.h"
#include "server.h"

#include <stdio.h>
#include <unistd.h>

/// [s]: pages ask every second; somebody who has not asked for this long is gone, and one who has gets this long to
/// fetch the last page.
static const double WATCHED = 3, LAST_PAGE = 1.5;

struct GrStudyServer {
    GrServer *server;
};

GrStudyServer *gr_study_server_start(int port, const GrBuffer *page, GrErrorLog *log)
{
    GrStudyServer *s = gr_calloc(1, sizeof *s);
    if (s == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    GrServerDef def = gr_default_server_def();
    def.port = port >= 0 ? port : GR_SERVER_PORT;
    def.other_port = port < 0;
    def.renewed = true;
    def.page = page->data;
    def.page_size = page->size;
    s->server = gr_server_start(&def, log);
    if (s->server == NULL) {
        gr_free(s);
        return NULL;
    }
    fprintf(stderr, "the page of the study: %s\n", gr_server_address(s->server));
    return s;
}

void gr_study_state_publish(GrServer *server, const GrBuffer *page, const GrStudyState *state)
{
    GrBuffer text = {0};
    GrJson json = gr_json_to_buffer(&text, false);
    gr_json_begin_object(&json, NULL);
    gr_json_bool(&json, "running", state->running);
    gr_json_number(&json, "done", state->done);
    gr_json_number(&json, "total", state->total);
    gr_json_string(&json, "text", state->text);
    gr_json_end(&json);
    if (gr_json_finish(&json) == GR_OK && !text.failed && (page == NULL || (!page->failed && page->data != NULL))) {
        gr_server_publish(server, page != NULL ? page->data : NULL, page != NULL ? page->size : 0, text.data);
    }
    gr_buffer_free(&text);
}

void gr_study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state)
{
    gr_study_state_publish(server->server, page, state);
}

void gr_study_server_end(GrStudyServer *server)
{
    if (server != NULL) {
        if (gr_server_unwatched(server->server) < WATCHED) {
            usleep((useconds_t)(1e6 * LAST_PAGE));
        }
        gr_server_stop(server->server);
        gr_free(server);
    }
}

#else
#include "parts.h"

GrStudyServer *gr_study_server_start(int port, const GrBuffer *page, GrErrorLog *log)
{
    (void)port, (void)page;
    gr_part_missing("SERVE", (GrLocation){.field = "--serve"}, log);
    return NULL;
}

void gr_study_server_publish(GrStudyServer *server, const GrBuffer *page, const GrStudyState *state)
{
    (void)server, (void)page, (void)state;
}

void gr_study_server_end(GrStudyServer *server)
{
    (void)server;
}

#endif
