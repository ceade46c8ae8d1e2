/// The page, hello.json and recorded runs over HTTP.
#include "server_data.h"

#include "alloc.h"
#include "clock.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static const char HTML[] = "text/html; charset=utf-8", JSON[] = "application/json",
                  BYTES[] = "application/octet-stream";

static const char NO_PAGE[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Grouser</title>"
    "<p>This build of Grouser has no viewer page. Build it again with Node.js and npm installed; see docs/view.md.</p>"
    "</html>";

/// Headers of every answer, besides the policy of content.
static const struct {
    const char *name, *value;
} HEADERS[] = {
    {"x-content-type-options:", "nosniff"},
    {"x-frame-options:", "DENY"},
    {"referrer-policy:", "no-referrer"},
    {"cross-origin-opener-policy:", "same-origin"},
    {"cross-origin-resource-policy:", "same-origin"},
    {"cache-control:", "no-store"},
};

enum { HEADER_COUNT = sizeof HEADERS / sizeof HEADERS[0], ANSWER_SIZE = 4096 };

// ---- what is prepared at the start

/// A random word that marks the scripts of the page: no other script may run in it.
static bool make_nonce(char out[GR_SERVER_NONCE])
{
    unsigned char bytes[GR_SERVER_NONCE / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; i++) {
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    }
    return true;
}

static const char *find(const char *at, const char *end, const char *text)
{
    const char *found = strstr(at, text);
    return found != NULL ? found : end;
}

/// Copies the page and gives attributes, such as the nonce, to its script elements. What is inside an element, a style
/// or a comment is left alone: it may contain text that looks like a tag.
static void mark_scripts(const char *page, const char *attributes, GrBuffer *out)
{
    const char *at = page, *const end = page + strlen(page);
    while (at < end) {
        const char *script = find(at, end, "<script"), *style = find(at, end, "<style"), *note = find(at, end, "<!--");
        const char *next = script < style ? script : style;
        next = note < next ? note : next;
        gr_buffer_add(out, at, (size_t)(next - at));
        if (next == end) {
            return;
        }
        const char *closer = next == note ? "-->" : next == script ? "</script" : "</style";
        const char *closed = find(next, end, closer);
        if (next == script) {
            gr_buffer_printf(out, "<script %s", attributes);
            next += strlen("<script");
        }
        closed = closed < end ? closed + strlen(closer) : end;
        gr_buffer_add(out, next, (size_t)(closed - next));
        at = closed;
    }
}

static void put_hello(const GrServer *server, GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "mode", server->def.live ? "live" : "replay");
    if (!server->def.live) {
        gr_json_begin_array(&json, "replays");
        for (int i = 0; i < server->def.replay_count; i++) {
            char url[64];
            snprintf(url, sizeof url, "/replay/%d.bin", i);
            gr_json_begin_object(&json, NULL);
            gr_json_string(&json, "url", url);
            gr_json_string(&json, "name", server->def.replays[i].name);
            gr_json_end(&json);
        }
        gr_json_end(&json);
    }
    gr_json_end(&json);
    gr_json_finish(&json);
}

/// Releases a content; call it with the mutex held.
static void let_go(GrContent *content)
{
    if (content != NULL && --content->users == 0) {
        gr_buffer_free(&content->text);
        gr_free(content);
    }
}

/// A content with one user, and the text that `*text` has had; NULL: out of memory.
static GrContent *make_content(GrBuffer *text)
{
    GrContent *content = text->failed ? NULL : gr_calloc(1, sizeof *content);
    if (content == NULL) {
        gr_buffer_free(text);
        return NULL;
    }
    *content = (GrContent){.users = 1, .text = *text};
    return content;
}

/// The page with marked scripts.
static GrContent *make_page(const GrServer *server, const char *data, size_t size, unsigned version)
{
    char attributes[GR_SERVER_NONCE + 60];
    GrBuffer page = {0}, marked = {0}; // with a zero at its end
    snprintf(attributes, sizeof attributes, "nonce=\"%s\"", server->nonce);
    if (server->def.renewed) {
        snprintf(attributes, sizeof attributes, "nonce=\"%s\" data-version=\"%u\"", server->nonce, version);
    }
    gr_buffer_add(&page, data, size);
    if (page.failed) {
        return NULL;
    }
    mark_scripts(page.data, attributes, &marked);
    gr_buffer_free(&page);
    return make_content(&marked);
}

/// {"version": 3, and what follows in the object `state`.
static GrContent *make_state(const char *state, unsigned version)
{
    GrBuffer text = {0};
    gr_buffer_printf(&text, "{\"version\": %u, %s", version, state[0] == '{' ? state + 1 : "}");
    return make_content(&text);
}

bool gr_server_publish(GrServer *server, const char *page, size_t page_size, const char *state)
{
    const unsigned version = server->version + (page != NULL); // changed by this thread alone
    GrContent *new_page = page != NULL ? make_page(server, page, page_size, version) : NULL;
    GrContent *new_state = make_state(state, version);
    const bool good = new_state != NULL && (page == NULL || new_page != NULL);
    pthread_mutex_lock(&server->mutex);
    if (good) {
        GrContent *old_state = server->state;
        server->state = new_state;
        server->version = version;
        new_state = old_state;
    }
    if (good && new_page != NULL) {
        GrContent *old_page = server->page;
        server->page = new_page;
        new_page = old_page;
    }
    let_go(new_page);
    let_go(new_state);
    pthread_mutex_unlock(&server->mutex);
    return good;
}

double gr_server_unwatched(GrServer *server)
{
    pthread_mutex_lock(&server->mutex);
    const double since = gr_wall_time() - server->watched;
    pthread_mutex_unlock(&server->mutex);
    return since;
}

void gr_http_release(GrServer *server)
{
    let_go(server->page);
    let_go(server->state);
    let_go(server->hello);
}

bool gr_http_prepare(GrServer *server)
{
    GrBuffer hello = {0};
    const bool given = server->def.page != NULL;
    const char *nonce = server->nonce;
    server->watched = -(double)INFINITY;
    if (!make_nonce(server->nonce)) {
        return false;
    }
    server->page = make_page(server, given ? server->def.page : NO_PAGE,
                             given ? server->def.page_size : strlen(NO_PAGE), server->version);
    server->state = server->def.renewed ? make_state("{\"running\": true}", server->version) : NULL;
    put_hello(server, &hello);
    server->hello = make_content(&hello);
    snprintf(server->security, sizeof server->security,
             "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
             "media-src blob:; font-src data:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             nonce);
    return server->page != NULL && server->hello != NULL && (!server->def.renewed || server->state != NULL);
}

// ---- answers

/// Appends the headers of every answer; false: no room.
static bool add_headers(const GrServer *server, struct lws *wsi, unsigned char **at, unsigned char *end)
{
    bool good = lws_add_http_header_by_name(
                    wsi, (const unsigned char *)"content-security-policy:", (const unsigned char *)server->security,
                    (int)strlen(server->security), at, end) == 0;
    for (int i = 0; i < HEADER_COUNT; i++) {
        good = good && lws_add_http_header_by_name(wsi, (const unsigned char *)HEADERS[i].name,
                                                   (const unsigned char *)HEADERS[i].value,
                                                   (int)strlen(HEADERS[i].value), at, end) == 0;
    }
    return good;
}

/// Begins the answer; its content follows when the connection can take it.
static int answer(GrServer *server, struct lws *wsi, GrHttpSession *session, const char *type, GrContent *content)
{
    unsigned char buffer[LWS_PRE + ANSWER_SIZE], *const begin = buffer + LWS_PRE, *at = begin;
    unsigned char *const end = buffer + sizeof buffer;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, content->text.size, &at, end) != 0 ||
        !add_headers(server, wsi, &at, end) || lws_finalize_write_http_header(wsi, begin, &at, end) != 0) {
        return -1;
    }
    *session = (GrHttpSession){.content = content};
    lws_callback_on_writable(wsi);
    return 0;
}

/// The download is over, or its connection.
static void end_download(GrServer *server, GrHttpSession *session)
{
    pthread_mutex_lock(&server->mutex);
    let_go(session->content);
    session->content = NULL;
    pthread_mutex_unlock(&server->mutex);
}

/// Answers with the newest version of a content.
static int answer_newest(GrServer *server, struct lws *wsi, GrHttpSession *session, const char *type,
                         GrContent *const *newest)
{
    end_download(server, session);
    pthread_mutex_lock(&server->mutex);
    GrContent *content = *newest;
    content->users++;
    if (newest == &server->state) {
        server->watched = gr_wall_time();
    }
    pthread_mutex_unlock(&server->mutex);
    const int result = answer(server, wsi, session, type, content);
    if (result != 0) {
        session->content = content;
        end_download(server, session);
    }
    return result;
}

static int refuse(struct lws *wsi, unsigned code, const char *text)
{
    return lws_return_http_status(wsi, code, text) != 0 || lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
}

static int send_replay(GrServer *server, struct lws *wsi, const char *number)
{
    char *end, headers[LWS_PRE + ANSWER_SIZE];
    const long index = strtol(number, &end, 10);
    if (number[0] < '0' || number[0] > '9' || strcmp(end, ".bin") != 0 || index >= server->def.replay_count) {
        return refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is no such recording.");
    }
    unsigned char *at = (unsigned char *)headers, *const limit = at + sizeof headers;
    if (!add_headers(server, wsi, &at, limit)) {
        return -1;
    }
    const int size = (int)(at - (unsigned char *)headers);
    const int sent = lws_serve_http_file(wsi, server->def.replays[index].path, BYTES, headers, size);
    return sent < 0 || (sent > 0 && lws_http_transaction_completed(wsi) != 0) ? -1 : 0;
}

static int take_request(GrServer *server, struct lws *wsi, GrHttpSession *session, const char *path)
{
    static const char REPLAY[] = "/replay/";
    if (!gr_server_admits(server, wsi, false)) {
        return refuse(wsi, HTTP_STATUS_FORBIDDEN, "This host name is not one of this server.");
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0) {
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "Only GET is supported.");
    }
    if (strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0) {
        return answer_newest(server, wsi, session, HTML, &server->page);
    }
    if (strcmp(path, "/hello.json") == 0) {
        return answer_newest(server, wsi, session, JSON, &server->hello);
    }
    if (strcmp(path, "/state.json") == 0 && server->def.renewed) {
        return answer_newest(server, wsi, session, JSON, &server->state);
    }
    if (strncmp(path, REPLAY, strlen(REPLAY)) == 0) {
        return send_replay(server, wsi, path + strlen(REPLAY));
    }
    if (strcmp(path, "/favicon.ico") == 0) { // browsers ask for it on their own
        return refuse(wsi, HTTP_STATUS_NO_CONTENT, NULL);
    }
    return refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is nothing here.");
}

static int send_piece(GrServer *server, struct lws *wsi, GrHttpSession *session)
{
    const GrBuffer *text = &session->content->text;
    const size_t left = text->size - session->sent;
    const size_t size = left < GR_SERVER_PIECE ? left : GR_SERVER_PIECE;
    const bool last = size == left;
    memcpy(server->piece + LWS_PRE, text->data + session->sent, size);
    if (lws_write(wsi, server->piece + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0) {
        return -1;
    }
    session->sent += size;
    if (last) {
        end_download(server, session);
        return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

int gr_http_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t size)
{
    GrHttpSession *session = user;
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return take_request(gr_server_of(wsi), wsi, session, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        if (session != NULL && session->content != NULL) {
            return send_piece(gr_server_of(wsi), wsi, session);
        }
        break;
    case LWS_CALLBACK_CLOSED_HTTP:
        if (session != NULL) {
            end_download(gr_server_of(wsi), session);
        }
        break;
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: // HTTP/2 without encryption: not here
        return in != NULL && strcasecmp(in, "websocket") == 0 ? 0 : 1;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: // a WebSocket without a sub-protocol
        return 1;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: { // gr_server_wake()
        GrServer *server = gr_server_of(wsi);
        for (int i = 1; i < GR_SERVER_PROTOCOLS - 1; i++) {
            lws_callback_on_writable_all_protocol(server->context, &server->protocols[i]);
        }
        return 0;
    }
    default:
        break;
    }
    return lws_callback_http_dummy(wsi, reason, user, in, size);
}
