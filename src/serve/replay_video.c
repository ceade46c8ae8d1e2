#include "replay_video.h"

#include "alloc.h"
#include "file.h"
#include "json.h"
#include "json_read.h"
#include "number.h"
#include "out_of_memory.h"
#include "viewer_page.h"
#include "webm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The browser obeys commands of the DevTools protocol over two pipes: it reads descriptor 3 and answers on 4. A message
// is an object in JSON and a zero byte.
//
//     page in a file  ->  Target.createTarget, attachToTarget  ->  Runtime.evaluate: seek, draw, encode  ->  WebM

enum { WAIT_MS = 120000, ANSWER_MOST = 1 << 28, CLOSE_MS = 5000, FOLDER_SIZE = 512, DEEPEST = 32 };

typedef struct Browser {
    const char *run; ///< for messages
    GrErrorLog *log;
    pid_t process;
    int to, from;
    char folder[FOLDER_SIZE]; ///< its own, with the page
    char session[128];
    GrBuffer read; ///< from the browser, beyond the last message
    GrBuffer answer;
    GrJsonNode *nodes;
    GrJsonTree tree;
    int id; ///< of the last command
} Browser;

static GrStatus fail(const Browser *b, const char *what, const char *detail)
{
    return gr_error_add(b->log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = b->run}, "%s%s%.300s", what,
                        detail[0] != '\0' ? ": " : "", detail);
}

// ---- the process

/// The browser's program: $GROUSER_CHROMIUM, or the first of the usual names on the path.
static bool find_browser(char out[GR_FILE_PATH_SIZE])
{
    static const char *const NAMES[] = {"chromium", "chromium-browser", "google-chrome"};
    const char *own = getenv("GROUSER_CHROMIUM"), *path = getenv("PATH");
    if (own != NULL && own[0] != '\0') {
        snprintf(out, GR_FILE_PATH_SIZE, "%s", own);
        return access(out, X_OK) == 0;
    }
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++) {
        for (const char *at = path; at != NULL && *at != '\0';) {
            const size_t length = strcspn(at, ":");
            snprintf(out, GR_FILE_PATH_SIZE, "%.*s/%s", (int)length, at, NAMES[k]);
            if (access(out, X_OK) == 0) {
                return true;
            }
            at += length + (at[length] == ':');
        }
    }
    return false;
}

/// In the child: descriptors 3 and 4 are the pipes, output goes nowhere. Does not return.
static void become_browser(const char *program, const Browser *b, const GrVideoDef *def, const int in[2],
                           const int out[2])
{
    char size[48], profile[FOLDER_SIZE + 32];
    snprintf(size, sizeof size, "--window-size=%d,%d", def->width, def->height);
    snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", b->folder);
    const int nothing = open("/dev/null", O_RDWR), reads = fcntl(in[0], F_DUPFD, 10),
              writes = fcntl(out[1], F_DUPFD, 10);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(nothing, STDERR_FILENO);
    dup2(reads, 3);
    dup2(writes, 4);
    for (int fd = 5; fd < 64; fd++) {
        close(fd);
    }
    const char *arguments[] = {program,
                               "--headless=new",
                               "--remote-debugging-pipe",
                               size,
                               profile,
                               "--hide-scrollbars",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--no-first-run",
                               "--disable-background-networking",
                               "--disable-component-update",
                               "--disable-sync",
                               "--disable-quic",
                               "--force-device-scale-factor=1",
                               geteuid() == 0 ? "--no-sandbox" : NULL, // it refuses to run as root with one
                               NULL};
    execv(program, (char *const *)(void *)arguments);
    _exit(127);
}

static GrStatus start(Browser *b, const GrVideoDef *def)
{
    char program[GR_FILE_PATH_SIZE];
    int in[2], out[2];
    if (!find_browser(program)) {
        return fail(b,
                    "a video needs Chromium, which is not installed (Debian: apt-get install chromium; "
                    "GROUSER_CHROMIUM names another program)",
                    "");
    }
    if (pipe(in) != 0) {
        return fail(b, "no pipe to the browser", strerror(errno));
    }
    if (pipe(out) != 0) {
        close(in[0]);
        close(in[1]);
        return fail(b, "no pipe to the browser", strerror(errno));
    }
    b->process = fork();
    if (b->process == 0) {
        become_browser(program, b, def, in, out);
    }
    close(in[0]);
    close(out[1]);
    b->to = in[1];
    b->from = out[0];
    return b->process > 0 ? GR_OK : fail(b, "the browser does not start", strerror(errno));
}

// ---- messages

static GrStatus send_message(const Browser *b, const GrBuffer *message)
{
    for (size_t sent = 0; sent < message->size;) {
        const ssize_t n = write(b->to, message->data + sent, message->size - sent);
        if (n < 0 && errno != EINTR) {
            return fail(b, "the browser ended", strerror(errno));
        }
        sent += n > 0 ? (size_t)n : 0;
    }
    return GR_OK;
}

/// Puts the next message into `answer`.
static GrStatus receive(Browser *b)
{
    for (;;) {
        const char *end = b->read.size > 0 ? memchr(b->read.data, '\0', b->read.size) : NULL;
        if (end != NULL) {
            const size_t length = (size_t)(end - b->read.data);
            b->answer.size = 0;
            gr_buffer_add(&b->answer, b->read.data, length);
            memmove(b->read.data, end + 1, b->read.size - length - 1);
            b->read.size -= length + 1;
            return b->answer.failed ? gr_out_of_memory(b->log, b->run) : GR_OK;
        }
        struct pollfd wait = {.fd = b->from, .events = POLLIN};
        const int ready = poll(&wait, 1, WAIT_MS);
        char bytes[65536];
        const ssize_t n = ready > 0 ? read(b->from, bytes, sizeof bytes) : -1;
        if (ready == 0 || n == 0 || (n < 0 && errno != EINTR) || b->read.size > ANSWER_MOST) {
            return fail(b, ready == 0 ? "the browser does not answer" : "the browser ended", "");
        }
        gr_buffer_add(&b->read, bytes, n > 0 ? (size_t)n : 0);
    }
}

static GrStatus parse(Browser *b)
{
    int room = 1;
    for (size_t i = 0; i < b->answer.size; i++) {
        const char c = b->answer.data[i];
        room += c == ',' || c == '[' || c == '{';
    }
    GrJsonNode *nodes = gr_realloc(b->nodes, (size_t)room * sizeof *nodes);
    if (nodes == NULL) {
        return gr_out_of_memory(b->log, b->run);
    }
    b->nodes = nodes;
    b->tree = gr_json_tree(nodes, room);
    return GR_OK;
}

/// Sends a command and waits for its answer; events and answers to others are skipped. `result`: its member "result".
static GrStatus call(Browser *b, const char *method, const char *key, const char *value, const char *key2, bool flag,
                     const GrJsonNode **result)
{
    GrBuffer message = {0};
    GrJson json = gr_json_to_buffer(&message, false);
    gr_json_begin_object(&json, NULL);
    gr_json_integer(&json, "id", ++b->id);
    gr_json_string(&json, "method", method);
    if (b->session[0] != '\0') {
        gr_json_string(&json, "sessionId", b->session);
    }
    gr_json_begin_object(&json, "params");
    gr_json_string(&json, key, value);
    if (key2 != NULL) {
        gr_json_bool(&json, key2, flag);
        gr_json_bool(&json, "returnByValue", true);
    }
    gr_json_end(&json);
    gr_json_end(&json);
    GrStatus status = gr_json_finish(&json);
    gr_buffer_add(&message, "", 1);
    status = status == GR_OK ? send_message(b, &message) : gr_out_of_memory(b->log, b->run);
    gr_buffer_free(&message);
    while (status == GR_OK) {
        status = receive(b);
        status = status == GR_OK ? parse(b) : status;
        // Events may nest deeper than is read; answers do not.
        if (status == GR_OK && gr_json_read(b->answer.data, b->answer.size, &b->tree)) {
            const GrJsonNode *id = gr_json_member(&b->tree, b->tree.nodes, "id");
            if (id != NULL && id->number == b->id) {
                *result = gr_json_member(&b->tree, b->tree.nodes, "result");
                const GrJsonNode *error = gr_json_member(&b->tree, b->tree.nodes, "error");
                const GrJsonNode *why = error != NULL ? gr_json_member(&b->tree, error, "message") : NULL;
                return *result != NULL
                           ? GR_OK
                           : fail(b, "the browser refuses", why != NULL && why->text != NULL ? why->text : method);
            }
        }
    }
    return status;
}

/// Evaluates an expression that gives a text, or a promise of one; an exception is an error.
static GrStatus evaluate(Browser *b, const char *expression, const char **text)
{
    const GrJsonNode *result = NULL;
    const GrStatus status = call(b, "Runtime.evaluate", "expression", expression, "awaitPromise", true, &result);
    if (status != GR_OK) {
        return status;
    }
    const GrJsonNode *problem = gr_json_member(&b->tree, result, "exceptionDetails");
    const GrJsonNode *object =
        gr_json_member(&b->tree, problem != NULL ? problem : result, problem != NULL ? "exception" : "result");
    const GrJsonNode *value =
        object != NULL ? gr_json_member(&b->tree, object, problem != NULL ? "description" : "value") : NULL;
    *text = value != NULL && value->kind == GR_JSON_STRING ? value->text : "";
    return problem != NULL ? fail(b, "the browser cannot make the video", *text) : GR_OK;
}

// ---- the page

static const char BEGIN[] =
    "(async () => {"
    "  for (let k = 0; k < 600 && !window.grouserView; k++) await new Promise((r) => setTimeout(r, 100));"
    "  if (!window.grouserView) throw new Error('the page does not start');"
    "  const trouble = await grouserView.ready;"
    "  if (trouble) throw new Error(trouble);"
    "  if (typeof VideoEncoder === 'undefined') throw new Error('it has no video encoder');"
    "  grouserView.pause();"
    "  const canvas = document.querySelector('canvas'), holder = canvas.parentElement;"
    "  holder.style.cssText = 'position:fixed;inset:0 auto auto 0;width:%dpx;height:%dpx;z-index:9999';"
    "  await grouserView.camera('%s');"
    "  const width = canvas.width & ~1, height = canvas.height & ~1;"
    "  const v = (window.video = { canvas, width, height, chunks: [], error: null });"
    "  v.encoder = new VideoEncoder({"
    "    output(c) { const d = new Uint8Array(c.byteLength); c.copyTo(d); v.chunks.push([c.timestamp, c.type === "
    "'key', d]); },"
    "    error(e) { v.error = e; } });"
    "  v.encoder.configure({ codec: 'vp8', width, height, framerate: %g, bitrate: Math.round(0.3 * width * height * "
    "%g) });"
    "  v.take = () => v.chunks.splice(0).map(([t, key, d]) => {"
    "    let s = ''; for (let i = 0; i < d.length; i += 4096) s += String.fromCharCode(...d.subarray(i, i + 4096));"
    "    return Math.round(t / 1000) + (key ? ' K ' : ' P ') + btoa(s); }).join('\\n');"
    "  return [width, height, grouserView.state.start, grouserView.state.end].join(' ');"
    "})()";

static const char PICTURE[] =
    "(async () => {"
    "  const v = window.video;"
    "  await grouserView.setTime(%.9g);"
    "  const frame = new VideoFrame(v.canvas, { timestamp: %.0f, visibleRect: { x: 0, y: 0, width: v.width, height: "
    "v.height } });"
    "  v.encoder.encode(frame, { keyFrame: %s });"
    "  frame.close();"
    "  while (v.encoder.encodeQueueSize > 2 && !v.error) await new Promise((r) => setTimeout(r, 2));"
    "  if (v.error) throw v.error;"
    "  return v.take();"
    "})()";

static const char END[] = "(async () => { await video.encoder.flush(); return video.take(); })()";

static int digit_of(char c)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(DIGITS, c) : NULL;
    return at != NULL ? (int)(at - DIGITS) : -1;
}

/// Lines "milliseconds K|P base64" of encoded pictures.
static void add_pictures(GrWebm *webm, const char *lines, int *count)
{
    GrBuffer data = {0};
    while (*lines != '\0') {
        char *at;
        const long time = strtol(lines, &at, 10);
        const bool key = at[0] == ' ' && at[1] == 'K';
        unsigned bits = 0;
        int have = 0;
        data.size = 0;
        lines = at + (strlen(at) >= 3 ? 3 : strlen(at));
        for (; *lines != '\0' && *lines != '\n'; lines++) {
            const int digit = digit_of(*lines);
            bits = digit >= 0 ? bits << 6 | (unsigned)digit : bits;
            have += digit >= 0 ? 6 : 0;
            if (have >= 8) {
                have -= 8;
                const char byte = (char)(bits >> have & 0xFF);
                gr_buffer_add(&data, &byte, 1);
            }
        }
        lines += *lines == '\n';
        gr_webm_frame(webm, time, key, data.data, data.size);
        webm->cluster.failed = webm->cluster.failed || data.failed;
        ++*count;
    }
    gr_buffer_free(&data);
}

static GrStatus open_page(Browser *b)
{
    char address[FOLDER_SIZE + 32];
    const GrJsonNode *result = NULL, *id;
    snprintf(address, sizeof address, "file://%s/page.html", b->folder);
    GrStatus status = call(b, "Target.createTarget", "url", "about:blank", NULL, false, &result);
    id = status == GR_OK ? gr_json_member(&b->tree, result, "targetId") : NULL;
    char target[128] = "";
    if (id != NULL && id->kind == GR_JSON_STRING) {
        snprintf(target, sizeof target, "%s", id->text);
    }
    status = status == GR_OK ? call(b, "Target.attachToTarget", "targetId", target, "flatten", true, &result) : status;
    id = status == GR_OK ? gr_json_member(&b->tree, result, "sessionId") : NULL;
    if (id != NULL && id->kind == GR_JSON_STRING) {
        snprintf(b->session, sizeof b->session, "%s", id->text);
    }
    // The answer comes when the page has taken the place of the empty one, whose scripts would end.
    return status == GR_OK ? call(b, "Page.navigate", "url", address, NULL, false, &result) : status;
}

static GrStatus film(Browser *b, const GrVideoDef *def, GrBuffer *out, int *pictures)
{
    char script[sizeof BEGIN + 256];
    const char *text = "";
    gr_print(script, sizeof script, BEGIN, def->width, def->height, def->camera, def->rate, def->rate);
    GrStatus status = evaluate(b, script, &text);
    if (status != GR_OK) {
        return status;
    }
    double shown[4] = {0}; // width, height, begin and end of the run
    char *at = (char *)text;
    for (int k = 0; k < 4; k++) {
        shown[k] = gr_number_read(at, &at);
    }
    const int width = (int)shown[0], height = (int)shown[1];
    if (width < 2 || height < 2) {
        return fail(b, "the page shows nothing", text);
    }
    const double begin = fmax(shown[2], def->begin), end = fmin(shown[3], def->end);
    const double count = floor(fmax(0, end - begin) / def->speed * def->rate) + 1;
    if (count > GR_VIDEO_PICTURES) {
        return gr_error_add(b->log, GR_ERROR_VALUE, (GrLocation){.file = b->run},
                            "%.0f pictures; at most %d are allowed: raise --speed or lower --rate", count,
                            GR_VIDEO_PICTURES);
    }
    GrWebm webm;
    gr_webm_begin(&webm, "V_VP8", width, height);
    *pictures = 0;
    for (int i = 0; i < (int)count && status == GR_OK; i++) {
        gr_print(script, sizeof script, PICTURE, fmin(end, begin + i * def->speed / def->rate), 1e6 * i / def->rate,
                 i % (int)ceil(2 * def->rate) == 0 ? "true" : "false");
        status = evaluate(b, script, &text);
        if (status == GR_OK) {
            add_pictures(&webm, text, pictures);
        }
        if (status == GR_OK && def->progress != NULL) {
            def->progress(def->context, i + 1, count);
        }
    }
    status = status == GR_OK ? evaluate(b, END, &text) : status;
    if (status == GR_OK) {
        add_pictures(&webm, text, pictures);
    }
    const GrStatus written = gr_webm_end(&webm, lround(1e3 * count / def->rate), out);
    return status != GR_OK ? status : written != GR_OK ? gr_out_of_memory(b->log, b->run) : GR_OK;
}

/// Removes a folder with all that the browser left in it.
static void remove_folder(const char *path, int depth)
{
    DIR *folder = depth < DEEPEST ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        char inside[GR_FILE_PATH_SIZE];
        const bool own = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!own && snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) < (int)sizeof inside &&
            unlink(inside) != 0) {
            remove_folder(inside, depth + 1);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(path);
}

/// Asks the browser to end, and ends it where it does not.
static void stop(Browser *b)
{
    if (b->process > 0) {
        close(b->to);
        bool ended = false;
        for (int k = 0; k < CLOSE_MS / 50 && !ended; k++) {
            ended = waitpid(b->process, NULL, WNOHANG) != 0;
            if (!ended) {
                poll(NULL, 0, 50);
            }
        }
        if (!ended) {
            kill(b->process, SIGKILL);
            waitpid(b->process, NULL, 0);
        }
        close(b->from);
    }
    if (b->folder[0] != '\0') {
        remove_folder(b->folder, 0);
    }
    gr_buffer_free(&b->read);
    gr_buffer_free(&b->answer);
    gr_free(b->nodes);
}

GrStatus gr_replay_video(const char *run, const GrVideoDef *def, GrBuffer *out, int *pictures, GrErrorLog *log)
{
    Browser b = {.run = run, .log = log};
    GrBuffer page = {0};
    char path[FOLDER_SIZE + 16];
    GrStatus status = gr_replay_page(&run, 1, &page, log);
    const char *temporary = getenv("TMPDIR");
    snprintf(b.folder, sizeof b.folder, "%.400s/grouser_video_XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    if (status == GR_OK && mkdtemp(b.folder) == NULL) {
        status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = b.folder}, "%s", strerror(errno));
        b.folder[0] = '\0';
    }
    snprintf(path, sizeof path, "%s/page.html", b.folder);
    status = status == GR_OK ? gr_file_write(path, page.data, page.size, log) : status;
    gr_buffer_free(&page);
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGPIPE, &ignore, &before);
    status = status == GR_OK ? start(&b, def) : status;
    status = status == GR_OK ? open_page(&b) : status;
    status = status == GR_OK ? film(&b, def, out, pictures) : status;
    stop(&b);
    sigaction(SIGPIPE, &before, NULL);
    return status;
}
