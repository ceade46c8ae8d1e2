#include "foxglove_read.h"

#include "json_read.h"

#include <math.h>
#include <string.h>

enum {
    CLIENT_PUBLISH = 1, // operations of binary messages
    CLIENT_CALL,
};

/// A text message while it is read.
typedef struct Reading {
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
    if (!gr_json_read(text, size, &r.tree) || (gr_json_member(&r.tree, r.tree.nodes, "linear") == NULL &&
                                               gr_json_member(&r.tree, r.tree.nodes, "angular") == NULL)) {
        return refuse(why, "a twist is {\"linear\": {\"x\", \"y\"}, \"angular\": {\"z\"}}");
    }
    return read_velocity(&r, "linear", "x", GR_MESSAGE_SPEED, &out->forward) &&
           read_velocity(&r, "linear", "y", GR_MESSAGE_SPEED, &out->left) &&
           read_velocity(&r, "angular", "z", GR_MESSAGE_YAW_RATE, &out->yaw_rate);
}
