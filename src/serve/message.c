#include "message.h"

#include "alloc.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static const struct {
    const char *name;
    GrMessageOp op;
} OPS[] = {
    {"play", GR_MESSAGE_PLAY},  {"pause", GR_MESSAGE_PAUSE},         {"step", GR_MESSAGE_STEP},
    {"speed", GR_MESSAGE_PACE}, {"reset", GR_MESSAGE_RESET},         {"drive", GR_MESSAGE_DRIVE},
    {"edit", GR_MESSAGE_EDIT},  {"lines", GR_MESSAGE_LINES_OF_TEXT}, {"undo", GR_MESSAGE_UNDO},
    {"redo", GR_MESSAGE_REDO},  {"save", GR_MESSAGE_SAVE},
};

enum { OP_COUNT = sizeof OPS / sizeof OPS[0] };

/// A message while it is read.
typedef struct Reading {
    const GrJsonTree *tree;
    const GrJsonNode *root;
    const char **why;
} Reading;

static bool refuse(const Reading *r, const char *why)
{
    *r->why = why;
    return false;
}

/// An optional number; `out` keeps its value where there is none.
static bool read_number(const Reading *r, const char *key, double most, double *out)
{
    const GrJsonNode *node = gr_json_member(r->tree, r->root, key);
    if (node == NULL) {
        return true;
    }
    if (node->kind != GR_JSON_NUMBER || !(fabs(node->number) <= most)) {
        return refuse(r, "a number is missing or out of its range");
    }
    *out = node->number;
    return true;
}

static bool read_pace(const Reading *r, GrMessage *out)
{
    const GrJsonNode *value = gr_json_member(r->tree, r->root, "value");
    if (value == NULL || value->kind != GR_JSON_NUMBER ||
        !(value->number == 0 || (value->number >= GR_PACE_LEAST && value->number <= GR_PACE_MOST))) {
        return refuse(r, "the speed is 0.1 to 1000, or 0: as fast as possible");
    }
    out->pace = value->number;
    return true;
}

static bool read_reset(const Reading *r, GrMessage *out)
{
    const GrJsonNode *list = gr_json_member(r->tree, r->root, "set");
    size_t used = 0;
    if (list == NULL) {
        return true;
    }
    if (list->kind != GR_JSON_ARRAY) {
        return refuse(r, "set is a list of \"path=value\"");
    }
    for (const GrJsonNode *item = gr_json_first(r->tree, list); item != NULL; item = gr_json_next(r->tree, item)) {
        const size_t size = item->kind == GR_JSON_STRING ? strlen(item->text) + 1 : 0;
        if (size == 0 || strchr(item->text, '=') == NULL) {
            return refuse(r, "set is a list of \"path=value\"");
        }
        if (out->set_count == GR_MESSAGE_SETS || used + size > sizeof out->set) {
            return refuse(r, "too many values");
        }
        memcpy(out->set + used, item->text, size);
        used += size;
        out->set_count++;
    }
    return true;
}

static bool read_drive(const Reading *r, GrMessage *out)
{
    const GrJsonNode *release = gr_json_member(r->tree, r->root, "auto");
    const GrJsonNode *mode = gr_json_member(r->tree, r->root, "mode");
    GrDriveCommand *c = &out->command;
    if (release != NULL && release->kind == GR_JSON_BOOL && release->truth) {
        out->release = true;
        return true;
    }
    if (mode == NULL || mode->kind != GR_JSON_STRING) {
        return refuse(r, "a command needs a mode");
    }
    c->mode = gr_drive_mode_named(mode->text);
    if (c->mode == GR_DRIVE_MODE_COUNT || c->mode == GR_DRIVE_FIXED) {
        return refuse(r, "the drive mode is unknown");
    }
    return read_number(r, "speed", GR_MESSAGE_SPEED, &c->speed) &&
           read_number(r, "curvature", GR_MESSAGE_CURVATURE, &c->curvature) &&
           read_number(r, "yaw_rate", GR_MESSAGE_YAW_RATE, &c->yaw_rate) &&
           read_number(r, "crab", GR_MESSAGE_CRAB, &c->crab);
}

static bool read_edit(const Reading *r, GrMessage *out)
{
    return read_reset(r, out) && (out->set_count > 0 || refuse(r, "set is a list of \"path=value\""));
}

/// A whole number.
static bool read_line(const Reading *r, const char *key, int *out)
{
    const GrJsonNode *node = gr_json_member(r->tree, r->root, key);
    if (node == NULL || node->kind != GR_JSON_NUMBER || node->number < 0 || node->number > GR_MESSAGE_LINES ||
        node->number != floor(node->number)) {
        return refuse(r, "lines are numbered from 1");
    }
    *out = (int)node->number;
    return true;
}

static bool read_lines(const Reading *r, GrMessage *out)
{
    const GrJsonNode *text = gr_json_member(r->tree, r->root, "text");
    if (!read_line(r, "first", &out->first) || !read_line(r, "last", &out->last)) {
        return false;
    }
    if (out->first < 1 || out->last < out->first - 1) {
        return refuse(r, "lines are numbered from 1");
    }
    if (text == NULL || text->kind != GR_JSON_STRING || strlen(text->text) >= sizeof out->set) {
        return refuse(r, "the new lines are missing or too long");
    }
    gr_text_copy(out->set, sizeof out->set, text->text);
    return true;
}

bool gr_message_read(char *text, size_t size, GrMessage *out, const char **why)
{
    GrJsonNode nodes[GR_JSON_NODES];
    GrJsonTree tree = gr_json_tree(nodes, GR_JSON_NODES);
    const Reading r = {.tree = &tree, .root = nodes, .why = why};
    *out = (GrMessage){0};
    if (!gr_json_read(text, size, &tree) || nodes[0].kind != GR_JSON_OBJECT) {
        return refuse(&r, "a message is one JSON object");
    }
    const GrJsonNode *op = gr_json_member(&tree, r.root, "op");
    int i = 0;
    while (i < OP_COUNT && (op == NULL || op->kind != GR_JSON_STRING || strcmp(op->text, OPS[i].name) != 0)) {
        i++;
    }
    if (i == OP_COUNT) {
        return refuse(&r, "the operation is unknown");
    }
    out->op = OPS[i].op;
    switch (out->op) {
    case GR_MESSAGE_PACE:
        return read_pace(&r, out);
    case GR_MESSAGE_RESET:
        return read_reset(&r, out);
    case GR_MESSAGE_DRIVE:
        return read_drive(&r, out);
    case GR_MESSAGE_EDIT:
        return read_edit(&r, out);
    case GR_MESSAGE_LINES_OF_TEXT:
        return read_lines(&r, out);
    case GR_MESSAGE_SAVE: {
        const GrJsonNode *force = gr_json_member(&tree, r.root, "force");
        out->force = force != NULL && force->kind == GR_JSON_BOOL && force->truth;
        break;
    }
    case GR_MESSAGE_PLAY:
    case GR_MESSAGE_PAUSE:
    case GR_MESSAGE_STEP:
    case GR_MESSAGE_UNDO:
    case GR_MESSAGE_REDO:
    case GR_MESSAGE_TWIST: // not among OPS
        break;
    }
    return true;
}

const char *gr_message_set(const GrMessage *message, int index)
{
    const char *at = message->set;
    for (int i = 0; i < index; i++) {
        at += strlen(at) + 1;
    }
    return at;
}

// ---- the inbox

struct GrInbox {
    pthread_mutex_t mutex;
    pthread_cond_t arrived;
    bool woken;
    GrMessage items[GR_INBOX_SIZE]; ///< a ring
    int first, count;
};

GrInbox *gr_inbox_create(void)
{
    GrInbox *inbox = gr_calloc(1, sizeof *inbox);
    pthread_condattr_t steady;
    if (inbox == NULL) {
        return NULL;
    }
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&inbox->mutex, NULL);
    pthread_cond_init(&inbox->arrived, &steady);
    pthread_condattr_destroy(&steady);
    return inbox;
}

void gr_inbox_free(GrInbox *inbox)
{
    if (inbox != NULL) {
        pthread_mutex_destroy(&inbox->mutex);
        pthread_cond_destroy(&inbox->arrived);
        gr_free(inbox);
    }
}

bool gr_inbox_post(GrInbox *inbox, const GrMessage *message)
{
    pthread_mutex_lock(&inbox->mutex);
    GrMessage *last = &inbox->items[(inbox->first + inbox->count + GR_INBOX_SIZE - 1) % GR_INBOX_SIZE];
    const bool drives = message->op == GR_MESSAGE_DRIVE || message->op == GR_MESSAGE_TWIST;
    const bool newer = inbox->count > 0 && drives && message->ticket == 0 && last->op == message->op;
    const bool room = newer || inbox->count < GR_INBOX_SIZE;
    if (newer) {
        *last = *message;
    } else if (room) {
        inbox->items[(inbox->first + inbox->count++) % GR_INBOX_SIZE] = *message;
    }
    pthread_cond_signal(&inbox->arrived);
    pthread_mutex_unlock(&inbox->mutex);
    return room;
}

void gr_inbox_wake(GrInbox *inbox)
{
    pthread_mutex_lock(&inbox->mutex);
    inbox->woken = true;
    pthread_cond_signal(&inbox->arrived);
    pthread_mutex_unlock(&inbox->mutex);
}

static struct timespec after(double seconds)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double whole = floor(seconds);
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)(1e9 * (seconds - whole));
    if (time.tv_nsec >= 1000000000L) {
        time.tv_nsec -= 1000000000L;
        time.tv_sec++;
    }
    return time;
}

bool gr_inbox_take(GrInbox *inbox, double wait, GrMessage *out)
{
    pthread_mutex_lock(&inbox->mutex);
    if (wait > 0) {
        const struct timespec until = after(wait);
        while (inbox->count == 0 && !inbox->woken &&
               pthread_cond_timedwait(&inbox->arrived, &inbox->mutex, &until) != ETIMEDOUT) {
        }
    }
    inbox->woken = false;
    const bool taken = inbox->count > 0;
    if (taken) {
        *out = inbox->items[inbox->first];
        inbox->first = (inbox->first + 1) % GR_INBOX_SIZE;
        inbox->count--;
    }
    pthread_mutex_unlock(&inbox->mutex);
    return taken;
}
