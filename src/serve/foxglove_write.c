#include "foxglove_write.h"

#include "grouser/version.h"
#include "json.h"
#include "protobuf.h"

#include <stdio.h>

enum {
    SERVER_DATA = 1,
    SERVER_TIME,
    SERVER_RESPONSE,
    SERVER_PLAYBACK = 5, // operations of binary messages
};

static const GrFoxgloveService SERVICES[] = {
    {"/pause", GR_MESSAGE_PAUSE, false, true}, {"/play", GR_MESSAGE_PLAY, false, true},
    {"/step", GR_MESSAGE_STEP, false, false},  {"/reset", GR_MESSAGE_RESET, false, false},
    {"/auto", GR_MESSAGE_DRIVE, true, false}, // back to path or script
};

enum { SERVICE_COUNT = sizeof SERVICES / sizeof SERVICES[0] };

static const char JSON[] = "json";
static const char TRIGGER_REQUEST[] = "{\"type\":\"object\",\"properties\":{}}";
static const char TRIGGER_RESPONSE[] =
    "{\"type\":\"object\",\"properties\":{\"success\":{\"type\":\"boolean\"},\"message\":{\"type\":\"string\"}}}";

static GrJson begin(GrBuffer *out, const char *op)
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

static void put_timestamp(GrJson *json, const char *key, uint64_t time)
{
    gr_json_begin_object(json, key);
    gr_json_integer(json, "sec", (long long)(time / 1000000000));
    gr_json_integer(json, "nsec", (long long)(time % 1000000000));
    gr_json_end(json);
}

void gr_foxglove_put_info(GrBuffer *out, const GrFoxgloveInfo *info)
{
    static const char *const LIVE[] = {"time", "parameters", "parametersSubscribe", "services", "clientPublish", NULL};
    static const char *const RECORDED[] = {"time",     "parameters",      "parametersSubscribe",
                                           "services", "playbackControl", NULL};
    static const char *const ENCODINGS[] = {JSON, NULL};
    GrJson json = begin(out, "serverInfo");
    gr_json_string(&json, "name", info->name);
    put_texts(&json, "capabilities", info->playback ? RECORDED : LIVE);
    put_texts(&json, "supportedEncodings", ENCODINGS);
    gr_json_begin_object(&json, "metadata");
    gr_json_string(&json, "grouser", gr_version());
    gr_json_end(&json);
    gr_json_string(&json, "sessionId", info->session);
    if (info->playback) {
        put_timestamp(&json, "dataStartTime", info->start);
        put_timestamp(&json, "dataEndTime", info->end);
    }
    finish(&json);
}

void gr_foxglove_put_status(GrBuffer *out, GrFoxgloveLevel level, const char *message)
{
    GrJson json = begin(out, "status");
    gr_json_integer(&json, "level", level);
    gr_json_string(&json, "message", message);
    finish(&json);
}

// ---- services

const GrFoxgloveService *gr_foxglove_service(uint32_t number, bool playback)
{
    const GrFoxgloveService *service = number >= 1 && number <= SERVICE_COUNT ? &SERVICES[number - 1] : NULL;
    return service != NULL && (service->recorded || !playback) ? service : NULL;
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

void gr_foxglove_put_services(GrBuffer *out, bool playback)
{
    GrJson json = begin(out, "advertiseServices");
    gr_json_begin_array(&json, "services");
    for (uint32_t i = 1; i <= SERVICE_COUNT; i++) {
        const GrFoxgloveService *service = gr_foxglove_service(i, playback);
        if (service != NULL) {
            gr_json_begin_object(&json, NULL);
            gr_json_integer(&json, "id", i);
            gr_json_string(&json, "name", service->name);
            gr_json_string(&json, "type", "std_srvs/Trigger");
            put_schema(&json, "request", "std_srvs/Trigger_Request", TRIGGER_REQUEST);
            put_schema(&json, "response", "std_srvs/Trigger_Response", TRIGGER_RESPONSE);
            gr_json_end(&json);
        }
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
    GrJson json = begin(out, "serviceCallFailure");
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

void gr_foxglove_put_playback(GrBuffer *out, const GrPlaybackState *state)
{
    const float speed = (float)state->speed;
    uint32_t bits;
    memcpy(&bits, &speed, sizeof bits);
    gr_proto_byte(out, SERVER_PLAYBACK);
    gr_proto_byte(out, state->status);
    gr_proto_fixed(out, state->time, 8);
    gr_proto_fixed(out, bits, 4);
    gr_proto_byte(out, state->seeked);
    gr_proto_fixed(out, strlen(state->id), 4);
    gr_buffer_puts(out, state->id);
}
