#include "foxglove_write.h"

#include "grouser/version.h"
#include "json.h"
#include "protobuf.h"

#include <stdio.h>

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

void gr_foxglove_put_info(GrBuffer *out, const char *name, const char *session)
{
    static const char *const CAPABILITIES[] = {"time",     "parameters",    "parametersSubscribe",
                                               "services", "clientPublish", NULL};
    static const char *const ENCODINGS[] = {JSON, NULL};
    GrJson json = begin(out, "serverInfo");
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
    GrJson json = begin(out, "status");
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
    GrJson json = begin(out, "advertiseServices");
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
