#include "foxglove.h"

#include "alloc.h"
#include "base64.h"
#include "foxglove_data.h"
#include "grouser/version.h"
#include "json.h"
#include "number.h"
#include "protobuf.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

// ---- messages of the protocol

enum {
    SERVER_DATA = 1, // operations of binary messages
    SERVER_TIME,
    SERVER_RESPONSE,
};

static const GrFoxgloveService SERVICES[] = {
    {"/pause", GR_MESSAGE_PAUSE, false}, {"/play", GR_MESSAGE_PLAY, false}, {"/step", GR_MESSAGE_STEP, false},
    {"/reset", GR_MESSAGE_RESET, false}, {"/auto", GR_MESSAGE_DRIVE, true}, // back to path or script
};

enum { SERVICE_COUNT = sizeof SERVICES / sizeof SERVICES[0] };

static const char JSON[] = "json";
static const char TRIGGER_REQUEST[] = "{\"type\":\"object\",\"properties\":{}}";
static const char TRIGGER_RESPONSE[] =
    "{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"},\"message\":{\"type\":\"string\"}}}";

static GrJson begin_object(GrBuffer *out, const char *op)
{
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "op", op);
    return json;
}

static void finish(GrJson *json)
{
    gr_json_end(json);
    gr_json_finish(json);
}

static void put_texts(GrJson *json, const char *key, const char *const *texts)
{
    gr_json_begin_array(json, key);
    for (; *texts != NULL; texts++) {
        gr_json_string(json, NULL, *texts);
    }
    gr_json_end(json);
}

void gr_foxglove_put_info(GrBuffer *out, const char *name, const char *session)
{
    static const char *const CAPABILITIES[] = {"time",     "parameters",    "parametersSubscribe",
                                               "services", "clientPublish", NULL};
    static const char *const ENCODINGS[] = {JSON, NULL};
    GrJson json = begin_object(out, "serverInfo");
    gr_json_string(&json, "name", name);
    put_texts(&json, "capabilities", CAPABILITIES);
    put_texts(&json, "supportedEncodings", ENCODINGS);
    gr_json_begin_object(&json, "metadata");
    gr_json_string(&json, "grouser", gr_version());
    gr_json_end(&json);
    gr_json_string(&json, "sessionId", session);
    finish(&json);
}

void gr_foxglove_put_status(GrBuffer *out, GrFoxgloveLevel level, const char *message)
{
    GrJson json = begin_object(out, "status");
    gr_json_integer(&json, "level", level);
    gr_json_string(&json, "message", message);
    finish(&json);
}

// ---- services

const GrFoxgloveService *gr_foxglove_service(uint32_t number)
{
    return number >= 1 && number <= SERVICE_COUNT ? &SERVICES[number - 1] : NULL;
}

static void put_schema(GrJson *json, const char *key, const char *name, const char *schema)
{
    gr_json_begin_object(json, key);
    gr_json_string(json, "encoding", JSON);
    gr_json_string(json, "schemaName", name);
    gr_json_string(json, "schemaEncoding", "jsonschema");
    gr_json_string(json, "schema", schema);
    gr_json_end(json);
}

void gr_foxglove_put_services(GrBuffer *out)
{
    GrJson json = begin_object(out, "advertiseServices");
    gr_json_begin_array(&json, "services");
    for (int i = 0; i < SERVICE_COUNT; i++) {
        gr_json_begin_object(&json, NULL);
        gr_json_integer(&json, "id", i + 1);
        gr_json_string(&json, "name", SERVICES[i].name);
        gr_json_string(&json, "type", "std_srvs/Trigger");
        put_schema(&json, "request", "std_srvs/Trigger_Request", TRIGGER_REQUEST);
        put_schema(&json, "response", "std_srvs/Trigger_Response", TRIGGER_RESPONSE);
        gr_json_end(&json);
    }
    gr_json_end(&json);
    finish(&json);
}

void gr_foxglove_put_response(GrBuffer *out, uint32_t service, uint32_t call)
{
    gr_proto_byte(out, SERVER_RESPONSE);
    gr_proto_fixed(out, service, 4);
    gr_proto_fixed(out, call, 4);
    gr_proto_fixed(out, sizeof JSON - 1, 4);
    gr_buffer_puts(out, JSON);
    gr_buffer_puts(out, "{\"success\":true,\"message\":\"\"}");
}

void gr_foxglove_put_failure(GrBuffer *out, uint32_t service, uint32_t call, const char *message)
{
    GrJson json = begin_object(out, "serviceCallFailure");
    gr_json_integer(&json, "serviceId", service);
    gr_json_integer(&json, "callId", call);
    gr_json_string(&json, "message", message);
    finish(&json);
}

// ---- binary messages

void gr_foxglove_put_time(GrBuffer *out, uint64_t time)
{
    gr_proto_byte(out, SERVER_TIME);
    gr_proto_fixed(out, time, 8);
}

void gr_foxglove_put_head(GrBuffer *out, uint32_t subscription, uint64_t time)
{
    gr_proto_byte(out, SERVER_DATA);
    gr_proto_fixed(out, subscription, 4);
    gr_proto_fixed(out, time, 8);
}

// ---- the server

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

GrFoxglove *gr_foxglove_create(const char *name)
{
    GrFoxglove *f = gr_calloc(1, sizeof *f);
    if (f == NULL) {
        return NULL;
    }
    pthread_mutex_init(&f->mutex, NULL);
    gr_text_copy(f->name, sizeof f->name, name);
    gr_print(f->session, sizeof f->session, "%.6f", seconds(CLOCK_REALTIME));
    return f;
}

static void free_schemas(GrFoxglove *f)
{
    for (int i = 0; i < f->schema_count; i++) {
        gr_buffer_free(&f->schemas[i]);
    }
    gr_free(f->schemas);
    f->schemas = NULL;
    f->schema_count = 0;
}

void gr_foxglove_free(GrFoxglove *f)
{
    if (f != NULL) {
        for (int i = 0; i < f->channel_count; i++) {
            gr_buffer_free(&f->channels[i].text);
            gr_foxglove_drop(f->channels[i].newest);
        }
        free_schemas(f);
        gr_buffer_free(&f->draft);
        pthread_mutex_destroy(&f->mutex);
        gr_free(f);
    }
}

void gr_foxglove_drop(GrFoxgloveMessage *message)
{
    if (message != NULL && --message->holders == 0) {
        gr_free(message);
    }
}

// ---- channels and messages

void gr_foxglove_restart(GrFoxglove *f)
{
    pthread_mutex_lock(&f->mutex);
    f->restarting = true;
    for (int i = 0; i < f->channel_count; i++) {
        f->channels[i].open = false;
        gr_foxglove_drop(f->channels[i].newest);
        f->channels[i].newest = NULL;
    }
    pthread_mutex_unlock(&f->mutex);
    free_schemas(f);
    gr_foxglove_hurry(f);
}

void gr_foxglove_hurry(GrFoxglove *f)
{
    for (int i = 0; i < f->channel_count; i++) {
        f->channels[i].put_at = -(double)INFINITY;
    }
}

static int add_schema(void *context, const char *name, const GrBuffer *set)
{
    GrFoxglove *f = context;
    GrBuffer *grown = gr_realloc(f->schemas, ((size_t)f->schema_count + 1) * sizeof *grown);
    if (grown == NULL) {
        return -1;
    }
    f->schemas = grown;
    GrBuffer *text = &f->schemas[f->schema_count], base64 = {0};
    *text = (GrBuffer){0};
    gr_base64_put(&base64, set->data, set->size);
    GrJson json = gr_json_to_buffer(text, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "encoding", "protobuf");
    gr_json_string(&json, "schemaName", name);
    gr_json_string(&json, "schemaEncoding", "protobuf");
    gr_json_string(&json, "schema", base64.data != NULL ? base64.data : "");
    gr_json_end(&json);
    text->failed = text->failed || base64.failed;
    gr_buffer_free(&base64);
    return f->schema_count++;
}

/// Members of an advertisement after the id.
static bool describe(const GrFoxglove *f, int schema, const char *topic, GrBuffer *out)
{
    if (schema < 0 || schema >= f->schema_count || f->schemas[schema].failed) {
        return false;
    }
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "topic", topic);
    gr_json_end(&json);
    if (out->failed || out->size < 2) {
        return false;
    }
    memmove(out->data, out->data + 1, out->size - 2); // without its braces
    out->size -= 2;
    gr_buffer_puts(out, ",");
    gr_buffer_add(out, f->schemas[schema].data + 1, f->schemas[schema].size - 1); // without the first brace
    return !out->failed;
}

static int add_channel(void *context, int schema, const char *topic, GrTopicKind kind)
{
    GrFoxglove *f = context;
    GrBuffer text = {0};
    if (!describe(f, schema, topic, &text)) {
        gr_buffer_free(&text);
        return -1;
    }
    pthread_mutex_lock(&f->mutex);
    int i = 0;
    while (i < f->channel_count &&
           (f->channels[i].text.size != text.size || memcmp(f->channels[i].text.data, text.data, text.size) != 0)) {
        i++;
    }
    const bool known = i < f->channel_count;
    if (known || i < GR_FOXGLOVE_CHANNELS) {
        GrFoxgloveChannel *c = &f->channels[i];
        if (!known) {
            *c = (GrFoxgloveChannel){.text = text, .put_at = -(double)INFINITY};
            f->channel_count++;
        }
        c->kind = kind;
        c->open = true;
    } else {
        i = -1;
    }
    pthread_mutex_unlock(&f->mutex);
    if (known || i < 0) {
        gr_buffer_free(&text);
    }
    return i;
}

static GrBuffer *begin(void *context, int channel, uint64_t time)
{
    GrFoxglove *f = context;
    if (channel < 0) {
        return NULL;
    }
    GrFoxgloveChannel *c = &f->channels[channel];
    const double now = seconds(CLOCK_MONOTONIC);
    if (c->kind == GR_TOPIC_STREAM && now - c->put_at < 1 / GR_FOXGLOVE_RATE) {
        return NULL;
    }
    c->put_at = now;
    f->draft.size = 0;
    f->draft.failed = false;
    f->draft_channel = channel;
    f->draft_time = time;
    return &f->draft;
}

static void end(void *context)
{
    GrFoxglove *f = context;
    GrFoxgloveMessage *message = f->draft.failed ? NULL : gr_malloc(sizeof *message + f->draft.size);
    if (message == NULL) {
        return; // clients keep the message before
    }
    message->holders = 1;
    message->time = f->draft_time;
    message->size = f->draft.size;
    if (f->draft.size > 0) {
        memcpy(message->data, f->draft.data, f->draft.size);
    }
    pthread_mutex_lock(&f->mutex);
    GrFoxgloveChannel *c = &f->channels[f->draft_channel];
    gr_foxglove_drop(c->newest);
    c->newest = message;
    c->serial++;
    f->restarting = false;
    pthread_mutex_unlock(&f->mutex);
}

GrTopicSink gr_foxglove_sink(GrFoxglove *f)
{
    return (GrTopicSink){.context = f, .schema = add_schema, .channel = add_channel, .begin = begin, .end = end};
}

// ---- the rest of the state

void gr_foxglove_set_time(GrFoxglove *f, uint64_t time)
{
    pthread_mutex_lock(&f->mutex);
    if (f->time_serial == 0 || f->time != time) {
        f->time = time;
        f->time_serial++;
    }
    pthread_mutex_unlock(&f->mutex);
}

static bool same_parameter(const GrFoxgloveParameter *a, const GrFoxgloveParameter *b)
{
    return strcmp(a->name, b->name) == 0 && a->is_text == b->is_text &&
           (a->is_text ? strcmp(a->text, b->text) == 0 : a->number == b->number);
}

void gr_foxglove_set_parameters(GrFoxglove *f, const GrFoxgloveParameter *parameters, int count)
{
    pthread_mutex_lock(&f->mutex);
    const uint64_t serial = f->parameters_serial + 1;
    count = count < GR_FOXGLOVE_PARAMETERS ? count : GR_FOXGLOVE_PARAMETERS;
    for (int i = 0; i < count; i++) {
        if (i >= f->parameter_count || !same_parameter(&f->parameters[i], &parameters[i])) {
            f->parameters[i] = parameters[i];
            f->parameter_serial[i] = f->parameters_serial = serial;
        }
    }
    f->parameter_count = count;
    pthread_mutex_unlock(&f->mutex);
}

void gr_foxglove_complain(GrFoxglove *f, const char *error)
{
    pthread_mutex_lock(&f->mutex);
    gr_text_copy(f->complaint, sizeof f->complaint, error);
    f->complaint_serial++;
    pthread_mutex_unlock(&f->mutex);
}

void gr_foxglove_answer(GrFoxglove *f, uint32_t ticket, const char *error)
{
    if (ticket != 0) {
        pthread_mutex_lock(&f->mutex);
        GrFoxgloveAnswer *answer = &f->answers[ticket % GR_FOXGLOVE_ANSWERS];
        answer->ticket = ticket;
        answer->failed = error != NULL;
        gr_text_copy(answer->error, sizeof answer->error, error != NULL ? error : "");
        pthread_mutex_unlock(&f->mutex);
    }
}
