#include "foxglove_session.h"

#include "alloc.h"
#include "foxglove_data.h"
#include "json.h"
#include "message.h"
#include "protobuf.h"

#include <math.h>
#include <string.h>

// ---- requests of clients

enum {
    CLIENT_PUBLISH = 1, // operations of binary messages
    CLIENT_CALL,
};

/// A text message while it is read.
typedef struct Reading {
    GrJsonNode nodes[GR_JSON_NODES];
    GrJsonTree tree;
    GrFoxgloveRequest *out;
    const char **why;
} Reading;

static bool refuse(const char **why, const char *text)
{
    *why = text;
    return false;
}

static const GrJsonNode *member(const Reading *r, const GrJsonNode *node, const char *key, GrJsonKind kind)
{
    const GrJsonNode *found = gr_json_member(&r->tree, node, key);
    return found != NULL && found->kind == kind ? found : NULL;
}

static bool read_id(const Reading *r, const GrJsonNode *node, uint32_t *out)
{
    if (node == NULL || node->kind != GR_JSON_NUMBER || !(node->number >= 0 && node->number <= UINT32_MAX) ||
        node->number != floor(node->number)) {
        return refuse(r->why, "an id is an integer from 0 to 4294967295");
    }
    *out = (uint32_t)node->number;
    return true;
}

// ---- items of lists

typedef bool ReadItem(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out);

static bool read_plain_id(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out)
{
    return read_id(r, node, &out->id);
}

static bool read_subscription(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out)
{
    return read_id(r, gr_json_member(&r->tree, node, "id"), &out->id) &&
           read_id(r, gr_json_member(&r->tree, node, "channelId"), &out->channel);
}

static bool read_channel(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out)
{
    const GrJsonNode *topic = member(r, node, "topic", GR_JSON_STRING);
    const GrJsonNode *encoding = member(r, node, "encoding", GR_JSON_STRING);
    if (topic == NULL || encoding == NULL) {
        return refuse(r->why, "a channel has an id, a topic and an encoding");
    }
    out->name = topic->text;
    out->encoding = encoding->text;
    return read_id(r, gr_json_member(&r->tree, node, "id"), &out->id);
}

static bool read_name(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out)
{
    if (node->kind != GR_JSON_STRING) {
        return refuse(r->why, "parameterNames is a list of texts");
    }
    out->name = node->text;
    return true;
}

static bool read_parameter(const Reading *r, const GrJsonNode *node, GrFoxgloveItem *out)
{
    const GrJsonNode *name = member(r, node, "name", GR_JSON_STRING);
    const GrJsonNode *value = gr_json_member(&r->tree, node, "value");
    if (name == NULL || value == NULL || (value->kind != GR_JSON_NUMBER && value->kind != GR_JSON_STRING)) {
        return refuse(r->why, "a parameter has a name and a value, which is a number or a text");
    }
    out->name = name->text;
    out->kind = value->kind == GR_JSON_NUMBER ? GR_FOXGLOVE_NUMBER : GR_FOXGLOVE_TEXT;
    out->number = value->number;
    out->text = value->text;
    return true;
}

/// Operations of text messages, with the list that each has.
static const struct {
    const char *name;
    GrFoxgloveOp op;
    const char *list;
    ReadItem *read;
} OPS[] = {
    {"subscribe", GR_FOXGLOVE_SUBSCRIBE, "subscriptions", read_subscription},
    {"unsubscribe", GR_FOXGLOVE_UNSUBSCRIBE, "subscriptionIds", read_plain_id},
    {"advertise", GR_FOXGLOVE_ADVERTISE, "channels", read_channel},
    {"unadvertise", GR_FOXGLOVE_UNADVERTISE, "channelIds", read_plain_id},
    {"getParameters", GR_FOXGLOVE_GET_PARAMETERS, "parameterNames", read_name},
    {"setParameters", GR_FOXGLOVE_SET_PARAMETERS, "parameters", read_parameter},
    {"subscribeParameterUpdates", GR_FOXGLOVE_SUBSCRIBE_PARAMETERS, "parameterNames", read_name},
    {"unsubscribeParameterUpdates", GR_FOXGLOVE_UNSUBSCRIBE_PARAMETERS, "parameterNames", read_name},
};

enum { OP_COUNT = sizeof OPS / sizeof OPS[0] };

static bool read_list(Reading *r, int op)
{
    const GrJsonNode *list = member(r, r->tree.nodes, OPS[op].list, GR_JSON_ARRAY);
    const GrJsonNode *id = gr_json_member(&r->tree, r->tree.nodes, "id");
    if (list == NULL) {
        return refuse(r->why, "the list of this operation is missing");
    }
    if (id != NULL && id->kind != GR_JSON_STRING) {
        return refuse(r->why, "the id of a request is a text");
    }
    r->out->request_id = id != NULL ? id->text : NULL;
    for (const GrJsonNode *item = gr_json_first(&r->tree, list); item != NULL; item = gr_json_next(&r->tree, item)) {
        if (r->out->count == GR_FOXGLOVE_ITEMS) {
            return refuse(r->why, "too many items");
        }
        GrFoxgloveItem *out = &r->out->items[r->out->count];
        *out = (GrFoxgloveItem){0};
        if (!OPS[op].read(r, item, out)) {
            return false;
        }
        r->out->count++;
    }
    return true;
}

bool gr_foxglove_read_text(char *text, size_t size, GrFoxgloveRequest *out, const char **why)
{
    Reading r = {.out = out, .why = why};
    r.tree = gr_json_tree(r.nodes, GR_JSON_NODES);
    out->count = 0;
    if (!gr_json_read(text, size, &r.tree) || r.tree.nodes[0].kind != GR_JSON_OBJECT) {
        return refuse(why, "a text message is one JSON object");
    }
    const GrJsonNode *op = member(&r, r.tree.nodes, "op", GR_JSON_STRING);
    int i = 0;
    while (i < OP_COUNT && (op == NULL || strcmp(op->text, OPS[i].name) != 0)) {
        i++;
    }
    if (i == OP_COUNT) {
        return refuse(why, "the operation is unknown");
    }
    out->op = OPS[i].op;
    return read_list(&r, i);
}

// ---- binary messages

static uint64_t little_endian(const char *at, int size)
{
    uint64_t value = 0;
    for (int i = size - 1; i >= 0; i--) {
        value = value << 8 | (unsigned char)at[i];
    }
    return value;
}

static bool read_publish(const char *at, size_t size, GrFoxgloveRequest *out, const char **why)
{
    if (size < 4) {
        return refuse(why, "the message ends before its channel");
    }
    out->op = GR_FOXGLOVE_PUBLISH;
    out->id = (uint32_t)little_endian(at, 4);
    out->payload = at + 4;
    out->payload_size = size - 4;
    return true;
}

static bool read_call(const char *at, size_t size, GrFoxgloveRequest *out, const char **why)
{
    if (size < 12 || little_endian(at + 8, 4) > size - 12) {
        return refuse(why, "the service call ends before its payload");
    }
    out->op = GR_FOXGLOVE_CALL;
    out->id = (uint32_t)little_endian(at, 4);
    out->call = (uint32_t)little_endian(at + 4, 4);
    out->encoding_size = (size_t)little_endian(at + 8, 4);
    out->encoding = at + 12;
    out->payload = out->encoding + out->encoding_size;
    out->payload_size = size - 12 - out->encoding_size;
    return true;
}

bool gr_foxglove_read_binary(const char *data, size_t size, GrFoxgloveRequest *out, const char **why)
{
    out->count = 0;
    switch (size > 0 ? data[0] : 0) {
    case CLIENT_PUBLISH:
        return read_publish(data + 1, size - 1, out, why);
    case CLIENT_CALL:
        return read_call(data + 1, size - 1, out, why);
    default:
        return refuse(why, "the operation of a binary message is 1 or 2");
    }
}

// ---- twist

static bool read_velocity(const Reading *r, const char *vector, const char *axis, double most, double *out)
{
    const GrJsonNode *node = gr_json_member(&r->tree, r->tree.nodes, vector);
    const GrJsonNode *value = node != NULL ? gr_json_member(&r->tree, node, axis) : NULL;
    *out = 0;
    if (value == NULL) {
        return true;
    }
    if (value->kind != GR_JSON_NUMBER || !(fabs(value->number) <= most)) {
        return refuse(r->why, "velocities are numbers up to 10 m/s and 10 rad/s");
    }
    *out = value->number;
    return true;
}

bool gr_foxglove_read_twist(char *text, size_t size, GrDriveTwist *out, const char **why)
{
    Reading r = {.why = why};
    r.tree = gr_json_tree(r.nodes, GR_JSON_NODES);
    if (!gr_json_read(text, size, &r.tree) || (gr_json_member(&r.tree, r.tree.nodes, "linear") == NULL &&
                                               gr_json_member(&r.tree, r.tree.nodes, "angular") == NULL)) {
        return refuse(why, "a twist is {\"linear\": {\"x\", \"y\"}, \"angular\": {\"z\"}}");
    }
    return read_velocity(&r, "linear", "x", GR_MESSAGE_SPEED, &out->forward) &&
           read_velocity(&r, "linear", "y", GR_MESSAGE_SPEED, &out->left) &&
           read_velocity(&r, "angular", "z", GR_MESSAGE_YAW_RATE, &out->yaw_rate);
}

// ---- sessions

enum { OUTBOX_HEAD = 5 }; // size and kind of a message in the outbox

bool gr_foxglove_session_open(GrFoxgloveSession *s, GrFoxglove *foxglove, GrInbox *inbox)
{
    *s = (GrFoxgloveSession){.foxglove = foxglove, .inbox = inbox};
    s->channels = gr_calloc(GR_FOXGLOVE_CHANNELS, sizeof *s->channels);
    pthread_mutex_lock(&foxglove->mutex);
    s->complaint_seen = foxglove->complaint_serial; // of the time before
    pthread_mutex_unlock(&foxglove->mutex);
    return s->channels != NULL;
}

static void stop_sending(GrFoxgloveSession *s)
{
    gr_foxglove_drop(s->message);
    s->message = NULL;
    s->sending = false;
}

void gr_foxglove_session_close(GrFoxgloveSession *s)
{
    pthread_mutex_lock(&s->foxglove->mutex);
    stop_sending(s);
    pthread_mutex_unlock(&s->foxglove->mutex);
    gr_buffer_free(&s->outbox);
    gr_buffer_free(&s->text);
    gr_free(s->channels);
    s->channels = NULL;
}

// ---- answers

bool gr_foxglove_session_post(GrFoxgloveSession *s, const GrBuffer *message, bool binary)
{
    s->failed = s->failed || message->failed || s->outbox.size + message->size > GR_SESSION_OUTBOX;
    if (!s->failed) {
        gr_proto_fixed(&s->outbox, message->size, 4);
        gr_proto_byte(&s->outbox, binary);
        gr_buffer_add(&s->outbox, message->data, message->size);
        s->failed = s->outbox.failed;
    }
    return !s->failed;
}

bool gr_foxglove_session_say(GrFoxgloveSession *s, GrFoxgloveLevel level, const char *text)
{
    GrBuffer message = {0};
    gr_foxglove_put_status(&message, level, text);
    const bool good = gr_foxglove_session_post(s, &message, false);
    gr_buffer_free(&message);
    return good;
}

uint64_t gr_foxglove_hash(const char *name)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (; *name != '\0'; name++) {
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    }
    return hash;
}

static bool is_among(uint64_t hash, const uint64_t *names, int count)
{
    bool found = names == NULL;
    for (int i = 0; i < count && !found; i++) {
        found = names[i] == hash;
    }
    return found;
}

/// Parameters that changed after `since`. The mutex is locked. Returns how many.
static int put_parameters(const GrFoxglove *f, const uint64_t *names, int count, uint64_t since, const char *id,
                          GrBuffer *out)
{
    GrJson json = gr_json_to_buffer(out, false);
    int found = 0;
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "op", "parameterValues");
    if (id != NULL) {
        gr_json_string(&json, "id", id);
    }
    gr_json_begin_array(&json, "parameters");
    for (int i = 0; i < f->parameter_count; i++) {
        const GrFoxgloveParameter *p = &f->parameters[i];
        if (f->parameter_serial[i] > since && is_among(gr_foxglove_hash(p->name), names, count)) {
            found++;
            gr_json_begin_object(&json, NULL);
            gr_json_string(&json, "name", p->name);
            if (p->is_text) {
                gr_json_string(&json, "value", p->text);
            } else {
                gr_json_number(&json, "value", p->number);
                gr_json_string(&json, "type", "float64");
            }
            gr_json_end(&json);
        }
    }
    gr_json_end(&json);
    gr_json_end(&json);
    gr_json_finish(&json);
    return found;
}

bool gr_foxglove_session_tell(GrFoxgloveSession *s, const uint64_t *names, int count, const char *id)
{
    GrBuffer message = {0};
    pthread_mutex_lock(&s->foxglove->mutex);
    put_parameters(s->foxglove, names, count, 0, id, &message);
    pthread_mutex_unlock(&s->foxglove->mutex);
    const bool good = gr_foxglove_session_post(s, &message, false);
    gr_buffer_free(&message);
    return good;
}

static bool answer_call(GrFoxgloveSession *s, const GrPendingCall *call, const GrFoxgloveAnswer *answer)
{
    if (!call->is_service) {
        const bool told = !answer->failed || gr_foxglove_session_say(s, GR_FOXGLOVE_ERROR, answer->error);
        return told && (!call->has_id || gr_foxglove_session_tell(s, call->names, call->name_count, call->id));
    }
    GrBuffer message = {0};
    if (answer->failed) {
        gr_foxglove_put_failure(&message, call->service, call->call, answer->error);
    } else {
        gr_foxglove_put_response(&message, call->service, call->call);
    }
    const bool good = gr_foxglove_session_post(s, &message, !answer->failed);
    gr_buffer_free(&message);
    return good;
}

/// Turns answers of the run into messages.
static bool foxglove_session_collect(GrFoxgloveSession *s)
{
    bool good = true;
    for (int i = 0; i < GR_SESSION_CALLS && good; i++) {
        GrPendingCall *call = &s->calls[i];
        if (call->ticket == 0) {
            continue;
        }
        pthread_mutex_lock(&s->foxglove->mutex);
        GrFoxgloveAnswer answer = s->foxglove->answers[call->ticket % GR_FOXGLOVE_ANSWERS];
        pthread_mutex_unlock(&s->foxglove->mutex);
        const bool lost = (int32_t)(answer.ticket - call->ticket) > 0;
        if (lost) {
            answer = (GrFoxgloveAnswer){.failed = true, .error = "the answer of the run was lost"};
        }
        if (lost || answer.ticket == call->ticket) {
            good = answer_call(s, call, &answer);
            call->ticket = 0;
        }
    }
    return good;
}

// ---- what is sent next; the mutex is locked

/// Channels that have come or gone. False: none.
static bool start_channels(GrFoxgloveSession *s, bool gone)
{
    const GrFoxglove *f = s->foxglove;
    int count = 0;
    gr_buffer_puts(&s->text,
                   gone ? "{\"op\":\"unadvertise\",\"channelIds\":[" : "{\"op\":\"advertise\",\"channels\":[");
    for (int i = 0; i < f->channel_count && !f->restarting; i++) {
        GrSubscription *c = &s->channels[i];
        const bool differs = gone ? c->announced && !f->channels[i].open : !c->announced && f->channels[i].open;
        if (differs) {
            gr_buffer_puts(&s->text, count++ > 0 ? "," : "");
            gr_buffer_printf(&s->text, gone ? "%d" : "{\"id\":%d,", i + 1);
            if (!gone) {
                gr_buffer_add(&s->text, f->channels[i].text.data, f->channels[i].text.size);
            }
            *c = (GrSubscription){.announced = !gone};
        }
    }
    gr_buffer_puts(&s->text, "]}");
    return count > 0;
}

static bool start_answer(GrFoxgloveSession *s)
{
    if (s->outbox_read == s->outbox.size) {
        return false;
    }
    const unsigned char *at = (const unsigned char *)s->outbox.data + s->outbox_read;
    const size_t size = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
    s->binary = at[4] != 0;
    gr_buffer_add(&s->text, (const char *)at + OUTBOX_HEAD, size);
    s->outbox_read += OUTBOX_HEAD + size;
    if (s->outbox_read == s->outbox.size) {
        s->outbox.size = s->outbox_read = 0;
    }
    return true;
}

static bool start_parameters(GrFoxgloveSession *s)
{
    const GrFoxglove *f = s->foxglove;
    if (s->parameters_seen == f->parameters_serial || (!s->all_parameters && s->name_count == 0)) {
        s->parameters_seen = f->parameters_serial;
        return false;
    }
    const uint64_t since = s->parameters_seen;
    s->parameters_seen = f->parameters_serial;
    return put_parameters(f, s->all_parameters ? NULL : s->names, s->name_count, since, NULL, &s->text) > 0;
}

static bool start_state(GrFoxgloveSession *s)
{
    const GrFoxglove *f = s->foxglove;
    if (s->complaint_seen != f->complaint_serial) {
        s->complaint_seen = f->complaint_serial;
        gr_foxglove_put_status(&s->text, GR_FOXGLOVE_ERROR, f->complaint);
        return true;
    }
    s->binary = true;
    if (s->time_seen != f->time_serial) {
        s->time_seen = f->time_serial;
        gr_foxglove_put_time(&s->text, f->time);
        return true;
    }
    return false;
}

/// The newest message of the next channel that has one; all take turns.
static bool start_message(GrFoxgloveSession *s)
{
    GrFoxglove *f = s->foxglove;
    for (int k = 0; k < f->channel_count; k++) {
        const int i = (s->next_channel + k) % f->channel_count;
        GrSubscription *c = &s->channels[i];
        const GrFoxgloveChannel *channel = &f->channels[i];
        if (c->active && channel->newest != NULL && c->seen != channel->serial) {
            c->seen = channel->serial;
            s->message = channel->newest;
            s->message->holders++;
            s->next_channel = i + 1;
            s->binary = true;
            gr_foxglove_put_head(&s->text, c->id, s->message->time);
            return true;
        }
    }
    return false;
}

static bool try_next(GrFoxgloveSession *s, bool started)
{
    if (!started) { // whatever a part has begun to write
        s->text.size = 0;
        s->binary = false;
    }
    return started;
}

static bool start_next(GrFoxgloveSession *s)
{
    const GrFoxglove *f = s->foxglove;
    s->text.size = 0;
    s->binary = false;
    s->sent = 0;
    if (!s->welcomed) {
        s->welcomed = true;
        gr_foxglove_put_info(&s->text, f->name, f->session);
        return true;
    }
    if (try_next(s, start_channels(s, true)) || try_next(s, start_channels(s, false))) {
        return true;
    }
    if (!s->has_services) {
        s->has_services = true;
        gr_foxglove_put_services(&s->text);
        return true;
    }
    // the time first: who has the answer to a pause has the time at which it paused
    return try_next(s, start_state(s)) || try_next(s, start_answer(s)) || try_next(s, start_parameters(s)) ||
           try_next(s, start_message(s));
}

bool gr_foxglove_session_next(GrFoxgloveSession *s, char *out, size_t most, GrFoxglovePiece *piece)
{
    if (!s->sending && !foxglove_session_collect(s)) {
        return false;
    }
    pthread_mutex_lock(&s->foxglove->mutex);
    if (!s->sending) {
        s->sending = start_next(s) && !s->text.failed;
    }
    if (s->sending) {
        const size_t body = s->message != NULL ? s->message->size : 0, total = s->text.size + body;
        const size_t left = total - s->sent, size = left < most ? left : most;
        const size_t from_text = s->sent < s->text.size ? s->text.size - s->sent : 0;
        const size_t head = from_text < size ? from_text : size;
        if (head > 0) {
            memcpy(out, s->text.data + s->sent, head);
        }
        if (size > head && s->message != NULL) {
            memcpy(out + head, s->message->data + (s->sent + head - s->text.size), size - head);
        }
        *piece = (GrFoxglovePiece){.size = size, .binary = s->binary, .last = size == left};
        s->sent += size;
        if (piece->last) {
            stop_sending(s);
        }
        pthread_mutex_unlock(&s->foxglove->mutex);
        return true;
    }
    pthread_mutex_unlock(&s->foxglove->mutex);
    return false;
}
