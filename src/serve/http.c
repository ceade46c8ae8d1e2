/// Answers to HTTP requests, and who may ask.
#include "access.h"

#include "alloc.h"
#include "clock.h"
#include "json.h"
#include "server_data.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- who may ask

enum { NAME_SIZE = 256 };

/// The host without its port and without the brackets of an IPv6 address; false: it is malformed.
static bool strip(const char *host, char out[NAME_SIZE])
{
    const bool bracket = host[0] == '[';
    const char *begin = host + bracket;
    const size_t length = strcspn(begin, bracket ? "]" : ":");
    const char *rest = begin + length + (bracket && begin[length] == ']');
    if (length == 0 || length >= NAME_SIZE || (bracket && begin[length] != ']')) {
        return false;
    }
    if (*rest != '\0' && (*rest != ':' || rest[1 + strspn(rest + 1, "0123456789")] != '\0')) {
        return false;
    }
    memcpy(out, begin, length);
    out[length] = '\0';
    struct in6_addr address;
    return !bracket || inet_pton(AF_INET6, out, &address) == 1;
}

static bool is_address(const char *name)
{
    unsigned char bytes[sizeof(struct in6_addr)];
    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

bool gr_access_is_loopback(const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, host, &v4) == 1) {
        return (ntohl(v4.s_addr) >> 24) == 127;
    }
    if (inet_pton(AF_INET6, host, &v6) == 1) {
        return IN6_IS_ADDR_LOOPBACK(&v6);
    }
    return strcasecmp(host, "localhost") == 0;
}

bool gr_access_host(const GrAccess *access, const char *host)
{
    char name[NAME_SIZE];
    if (!strip(host, name)) {
        return false;
    }
    if (gr_access_is_loopback(name) || strcasecmp(name, access->host) == 0) {
        return true;
    }
    const bool beyond = !gr_access_is_loopback(access->host);
    return beyond && (is_address(name) || (access->machine != NULL && strcasecmp(name, access->machine) == 0));
}

bool gr_access_origin(const GrAccess *access, const char *origin, const char *host)
{
    static const char SCHEME[] = "http://";
    if (origin == NULL) {
        return true;
    }
    if (strncasecmp(origin, SCHEME, strlen(SCHEME)) == 0 && strcasecmp(origin + strlen(SCHEME), host) == 0) {
        return true;
    }
    for (int i = 0; i < access->origin_count; i++) {
        if (strcasecmp(origin, access->origins[i]) == 0) {
            return true;
        }
    }
    return false;
}

// ---- answers

static const char HTML[] = "text/html; charset=utf-8", JSON[] = "application/json",
                  BYTES[] = "application/octet-stream", SVG[] = "image/svg+xml", TEXT[] = "text/plain; charset=utf-8";

static const char NO_PAGE[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Grouser</title>"
    "<p>This build of Grouser has no viewer page. Build it again with -DGROUSER_VIEWER=ON.</p>"
    "</html>";

/// Headers of every answer, besides the policy of content.
static const struct {
    const char *name, *value;
} HEADERS[] = {
    {"x-content-type-options", "nosniff"},
    {"x-frame-options", "DENY"},
    {"referrer-policy", "no-referrer"},
    {"cross-origin-opener-policy", "same-origin"},
    {"cross-origin-resource-policy", "same-origin"},
    {"cache-control", "no-store"},
    {"server", "grouser"},
};

enum { HEADER_COUNT = sizeof HEADERS / sizeof HEADERS[0], REQUEST_SECONDS = 10 };

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
    if (server->def.about != NULL) {
        gr_json_bool(&json, "editor", true);
    }
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

/// An answer with the headers that all have; NULL: out of memory. Only the page may know its nonce.
static struct MHD_Response *finish_response(const GrServer *server, struct MHD_Response *response, const char *type)
{
    const char *security = type == HTML ? server->security : "default-src 'none'; frame-ancestors 'none'";
    bool good = response != NULL && MHD_add_response_header(response, "content-type", type) == MHD_YES &&
                MHD_add_response_header(response, "content-security-policy", security) == MHD_YES;
    for (int i = 0; i < HEADER_COUNT && good; i++) {
        good = MHD_add_response_header(response, HEADERS[i].name, HEADERS[i].value) == MHD_YES;
    }
    if (!good) {
        MHD_destroy_response(response); // or NULL
    }
    return good ? response : NULL;
}

/// An answer that any number of downloads share, with the text that `*text` has had; NULL: out of memory.
static struct MHD_Response *make_response(const GrServer *server, const char *type, GrBuffer *text)
{
    struct MHD_Response *response =
        text->failed ? NULL : MHD_create_response_from_buffer_with_free_callback(text->size, text->data, gr_free);
    if (response == NULL) {
        gr_buffer_free(text);
    }
    return finish_response(server, response, type);
}

/// The page with marked scripts.
static struct MHD_Response *make_page(const GrServer *server, const char *data, size_t size, unsigned version)
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
    return make_response(server, HTML, &marked);
}

/// {"version": 3, and what follows in the object `state`.
static struct MHD_Response *make_state(const GrServer *server, const char *state, unsigned version)
{
    GrBuffer text = {0};
    gr_buffer_printf(&text, "{\"version\": %u, %s", version, state[0] == '{' ? state + 1 : "}");
    return make_response(server, JSON, &text);
}

bool gr_server_publish(GrServer *server, const char *page, size_t page_size, const char *state)
{
    const unsigned version = server->version + (page != NULL); // changed by this thread alone
    struct MHD_Response *new_page = page != NULL ? make_page(server, page, page_size, version) : NULL;
    struct MHD_Response *new_state = make_state(server, state, version);
    const bool good = new_state != NULL && (page == NULL || new_page != NULL);
    pthread_mutex_lock(&server->mutex);
    if (good) {
        struct MHD_Response *old_state = server->state;
        server->state = new_state;
        server->version = version;
        new_state = old_state;
    }
    if (good && new_page != NULL) {
        struct MHD_Response *old_page = server->page;
        server->page = new_page;
        new_page = old_page;
    }
    MHD_destroy_response(new_page);
    MHD_destroy_response(new_state);
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
    MHD_destroy_response(server->page);
    MHD_destroy_response(server->state);
    MHD_destroy_response(server->hello);
    MHD_destroy_response(server->about);
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
    snprintf(server->security, sizeof server->security,
             "default-src 'none'; script-src 'nonce-%s'; style-src 'unsafe-inline'; img-src 'self' data: blob:; "
             "media-src blob:; font-src data:; worker-src blob:; connect-src 'self'; base-uri 'none'; "
             "form-action 'none'; frame-ancestors 'none'",
             nonce);
    server->page = make_page(server, given ? server->def.page : NO_PAGE,
                             given ? server->def.page_size : strlen(NO_PAGE), server->version);
    server->state = server->def.renewed ? make_state(server, "{\"running\": true}", server->version) : NULL;
    put_hello(server, &hello);
    server->hello = make_response(server, JSON, &hello);
    if (server->def.about != NULL) {
        GrBuffer about = {0};
        gr_buffer_puts(&about, server->def.about);
        server->about = make_response(server, JSON, &about);
        if (server->about == NULL) {
            return false;
        }
    }
    return server->page != NULL && server->hello != NULL && (!server->def.renewed || server->state != NULL);
}

// ---- requests

typedef struct Lookup {
    const char *name, *value;
    int count;
} Lookup;

static enum MHD_Result look_up(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    Lookup *lookup = context;
    (void)kind;
    if (strcasecmp(name, lookup->name) == 0) {
        lookup->value = value != NULL ? value : "";
        lookup->count++;
    }
    return MHD_YES;
}

const char *gr_http_header(struct MHD_Connection *connection, const char *name, int *count)
{
    Lookup lookup = {.name = name};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, look_up, &lookup);
    if (count != NULL) {
        *count = lookup.count;
    }
    return lookup.count == 1 ? lookup.value : NULL;
}

void gr_http_notice(void *context, struct MHD_Connection *connection, void **unused,
                    enum MHD_ConnectionNotificationCode code)
{
    GrServer *server = context;
    const int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    (void)unused;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        server->strangers[server->stranger_count++] = (GrStranger){.fd = fd, .since = gr_wall_time()};
        return;
    }
    for (int i = 0; i < server->stranger_count; i++) {
        if (server->strangers[i].fd == fd) {
            server->stranger_count--;
            memmove(&server->strangers[i], &server->strangers[i + 1],
                    (size_t)(server->stranger_count - i) * sizeof server->strangers[0]);
        }
    }
}

void gr_http_hurry(GrServer *server)
{
    const double time = gr_wall_time();
    for (int i = 0; i < server->stranger_count && time - server->strangers[i].since > REQUEST_SECONDS; i++) {
        shutdown(server->strangers[i].fd, SHUT_RDWR); // libmicrohttpd notices
    }
}

/// Queues an answer that nobody else will use.
static enum MHD_Result answer_once(struct MHD_Connection *connection, unsigned code, struct MHD_Response *response)
{
    const enum MHD_Result result = response != NULL ? MHD_queue_response(connection, code, response) : MHD_NO;
    MHD_destroy_response(response);
    return result;
}

enum MHD_Result gr_http_refuse(const GrServer *server, struct MHD_Connection *connection, unsigned code,
                               const char *text)
{
    struct MHD_Response *response = MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
    response = finish_response(server, response, TEXT);
    if (response != NULL && code == MHD_HTTP_UPGRADE_REQUIRED) {
        MHD_add_response_header(response, "sec-websocket-version", "13");
    } else if (response != NULL && code == MHD_HTTP_METHOD_NOT_ALLOWED) {
        MHD_add_response_header(response, "allow", "GET");
    }
    return answer_once(connection, code, response);
}

/// Answers with the newest version of a content.
static enum MHD_Result answer_newest(GrServer *server, struct MHD_Connection *connection,
                                     struct MHD_Response *const *newest)
{
    pthread_mutex_lock(&server->mutex);
    if (newest == &server->state) {
        server->watched = gr_wall_time();
    }
    const enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, *newest);
    pthread_mutex_unlock(&server->mutex);
    return result;
}

static enum MHD_Result send_replay(const GrServer *server, struct MHD_Connection *connection, const char *number)
{
    char *end;
    struct stat about;
    const long index = strtol(number, &end, 10);
    const bool known =
        number[0] >= '0' && number[0] <= '9' && strcmp(end, ".bin") == 0 && index < server->def.replay_count;
    const int fd = known ? open(server->def.replays[index].path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0 || fstat(fd, &about) != 0) {
        return gr_http_refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is no such recording.");
    }
    struct MHD_Response *response = MHD_create_response_from_fd64((uint64_t)about.st_size, fd);
    if (response == NULL) {
        close(fd);
    }
    return answer_once(connection, MHD_HTTP_OK, finish_response(server, response, BYTES));
}

/// NAME.svg.
static enum MHD_Result send_picture(const GrServer *server, struct MHD_Connection *connection, const char *file)
{
    char name[128];
    GrBuffer svg = {0};
    const size_t length = strlen(file), end = length > 4 ? length - 4 : 0;
    const bool named = end > 0 && end < sizeof name && strcmp(file + end, ".svg") == 0;
    snprintf(name, sizeof name, "%.*s", named ? (int)end : 0, file);
    if (!named || !server->def.picture(name, &svg)) {
        gr_buffer_free(&svg);
        return gr_http_refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is no such picture.");
    }
    return answer_once(connection, MHD_HTTP_OK, make_response(server, SVG, &svg));
}

enum MHD_Result gr_http_take(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                             const char *version, const char *body, size_t *body_size, void **request)
{
    static const char REPLAY[] = "/replay/", PICTURE[] = "/picture/";
    GrServer *server = context;
    (void)version, (void)body, (void)body_size; // a request that is answered at once is not read further
    *request = server;
    gr_http_notice(server, connection, NULL, MHD_CONNECTION_NOTIFY_CLOSED);
    const char *host = gr_http_header(connection, "Host", NULL), *upgrade = gr_http_header(connection, "Upgrade", NULL);
    if (host == NULL || !gr_access_host(&server->access, host)) {
        return gr_http_refuse(server, connection, MHD_HTTP_FORBIDDEN, "This host name is not one of this server.");
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0) {
        return gr_http_refuse(server, connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET is supported.");
    }
    if (upgrade != NULL && strcasecmp(upgrade, "websocket") == 0) {
        return gr_protocols_take(server, connection, path);
    }
    if (strcmp(path, "/") == 0 || strcmp(path, "/index.html") == 0) {
        return answer_newest(server, connection, &server->page);
    }
    if (strcmp(path, "/hello.json") == 0) {
        return answer_newest(server, connection, &server->hello);
    }
    if (strncmp(path, PICTURE, strlen(PICTURE)) == 0 && server->def.picture != NULL) {
        return send_picture(server, connection, path + strlen(PICTURE));
    }
    if (strcmp(path, "/about.json") == 0 && server->about != NULL) {
        return answer_newest(server, connection, &server->about);
    }
    if (strcmp(path, "/state.json") == 0 && server->def.renewed) {
        return answer_newest(server, connection, &server->state);
    }
    if (strncmp(path, REPLAY, strlen(REPLAY)) == 0) {
        return send_replay(server, connection, path + strlen(REPLAY));
    }
    if (strcmp(path, "/favicon.ico") == 0) { // browsers ask for it on their own
        return gr_http_refuse(server, connection, MHD_HTTP_NO_CONTENT, "");
    }
    return gr_http_refuse(server, connection, MHD_HTTP_NOT_FOUND, "There is nothing here.");
}
