#include "sensor_topics.h"

#include "alloc.h"
#include "camera.h"
#include "grouser/sense.h"
#include "out_of_memory.h"
#include "proto_schema.h"
#include "protobuf.h"
#include "run_scene.h"
#include "topic_sink.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

// ---- which topics a sensor has

#define KIND(name) (1u << GR_SENSOR_##name)

const GrSensorOutput gr_sensor_outputs[GR_SENSOR_OUTPUT_COUNT] = {
    {~(KIND(LIDAR) | KIND(CAMERA)), GR_SHAPE_VALUES, "", ""},
    {KIND(LIDAR), GR_SHAPE_CLOUD, "", ""},
    {KIND(CAMERA), GR_SHAPE_IMAGE, "/image", "/image"},
    {KIND(CAMERA), GR_SHAPE_DEPTH, "/depth", "/depth"},
    {KIND(CAMERA), GR_SHAPE_CALIBRATION, "/calibration", "/camera_info"},
};

const GrPose gr_optical_pose = {{0, 0, 0}, {0.5, -0.5, 0.5, -0.5}};

bool gr_sensor_has_output(const GrSensorDef *sensor, int output)
{
    const GrSensorOutput *row = &gr_sensor_outputs[output];
    return (row->kinds >> sensor->kind & 1u) != 0 && (row->shape != GR_SHAPE_IMAGE || sensor->camera.grey != 0);
}

void gr_sensor_topic(const GrSensorDef *sensor, const char *part, char out[GR_SENSOR_TOPIC_SIZE])
{
    snprintf(out, GR_SENSOR_TOPIC_SIZE, "/sensors/%s%s", sensor->name, part);
}

void gr_sensor_frame(const GrSensorDef *sensor, char out[GR_SENSOR_FRAME_SIZE])
{
    snprintf(out, GR_SENSOR_FRAME_SIZE, "%s%s", sensor->name, sensor->kind == GR_SENSOR_CAMERA ? "_optical" : "");
}

// ---- messages

enum { EXTRA_FIELDS = 2, FLOAT32 = 7 };

/// "star_tracker" -> "StarTracker"
static void message_name(GrSensorKind kind, char name[GR_NAME_SIZE])
{
    size_t length = 0;
    bool upper = true;
    for (const char *c = gr_sensor_kind_name(kind); *c != '\0' && length + 1 < GR_NAME_SIZE; c++) {
        if (*c != '_') {
            name[length++] = upper ? (char)toupper((unsigned char)*c) : *c;
        }
        upper = *c == '_';
    }
    name[length] = '\0';
}

/// Adds the message "grouser.KIND" of a kind of sensor to a sink; returns its number there.
static int sensor_schema(const GrTopicSink *sink, GrSensorKind kind)
{
    GrChannelRow fields[EXTRA_FIELDS + GR_MEASUREMENT_VALUES] = {{.name = "time_s", .kind = GR_CHANNEL_NUMBER},
                                                                 {.name = "delivered_s", .kind = GR_CHANNEL_NUMBER}};
    const int count = gr_sensor_column_count(kind);
    for (int i = 0; i < count; i++) {
        fields[EXTRA_FIELDS + i] = (GrChannelRow){.name = gr_sensor_column(kind, i), .kind = GR_CHANNEL_NUMBER};
    }
    const GrChannelGroup group = {fields, EXTRA_FIELDS + count, false};
    char name[GR_NAME_SIZE];
    message_name(kind, name);
    return gr_channel_schema(sink, name, &group);
}

/// The numbers of a measurement: time_s, delivered_s, and its values.
static void sensor_put_values(GrBuffer *out, GrSensorKind kind, const GrMeasurement *m)
{
    gr_proto_double(out, 1, m->time);
    gr_proto_double(out, 2, m->delivered);
    for (int i = 0; i < gr_sensor_column_count(kind); i++) {
        gr_proto_double(out, EXTRA_FIELDS + 1 + i, m->values[i]);
    }
}

static void put_time(GrBuffer *out, double time)
{
    gr_proto_time(out, 1, llround(1e9 * time));
}

static void put_identity_pose(GrBuffer *out, int field)
{
    const size_t pose = gr_proto_begin(out, field);
    const size_t rotation = gr_proto_begin(out, 2);
    gr_proto_double(out, 4, 1);
    gr_proto_end(out, rotation);
    gr_proto_end(out, pose);
}

/// foxglove.PointCloud of the returns of a LiDAR, in the sensor frame.
static void sensor_put_cloud(GrBuffer *out, const char *frame, const GrMeasurement *m)
{
    static const char *const names[4] = {"x", "y", "z", "intensity"};
    put_time(out, m->time);
    gr_proto_string(out, 2, frame);
    put_identity_pose(out, 3);
    const uint32_t fields = m->intensities != NULL ? 4 : 3;
    gr_proto_fixed32(out, 4, 4 * fields);
    for (uint32_t i = 0; i < fields; i++) {
        const size_t field = gr_proto_begin(out, 5);
        gr_proto_string(out, 1, names[i]);
        gr_proto_fixed32(out, 2, 4 * i);
        gr_proto_integer(out, 3, FLOAT32);
        gr_proto_end(out, field);
    }
    const size_t data = gr_proto_begin(out, 6);
    for (int i = 0; i < m->columns * m->rows; i++) {
        for (int k = 0; k < 3 && !isnan(m->ranges[i]); k++) {
            gr_proto_float(out, m->points[3 * i + k]);
        }
        if (m->intensities != NULL && !isnan(m->ranges[i])) {
            gr_proto_float(out, m->intensities[i]);
        }
    }
    gr_proto_end(out, data);
}

/// foxglove.RawImage: grey (mono8, or bayer_rggb8 behind colour filters), or depth (32FC1, metres, NaN: none).
static void sensor_put_image(GrBuffer *out, const char *frame, const GrMeasurement *m, bool depth, bool bayer)
{
    const uint32_t bytes = depth ? 4 : 1;
    put_time(out, m->time);
    gr_proto_fixed32(out, 2, (uint32_t)m->columns);
    gr_proto_fixed32(out, 3, (uint32_t)m->rows);
    gr_proto_string(out, 4, depth ? "32FC1" : bayer ? "bayer_rggb8" : "mono8");
    gr_proto_fixed32(out, 5, bytes * (uint32_t)m->columns);
    if (depth) {
        const size_t data = gr_proto_begin(out, 6);
        for (int i = 0; i < m->columns * m->rows; i++) {
            gr_proto_float(out, m->ranges[i]);
        }
        gr_proto_end(out, data);
    } else {
        gr_proto_bytes(out, 6, m->grey, (size_t)m->columns * (size_t)m->rows);
    }
    gr_proto_string(out, 7, frame);
}

/// Repeated numbers are packed in proto3.
static void put_numbers(GrBuffer *out, int field, const double *values, int count)
{
    const size_t begin = gr_proto_begin(out, field);
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], 8);
        gr_proto_fixed(out, bits, 8);
    }
    gr_proto_end(out, begin);
}

/// foxglove.CameraCalibration.
static void sensor_put_calibration(GrBuffer *out, const char *frame, const GrCameraDef *c, double time)
{
    const double f = gr_pinhole_focal(c), cx = 0.5 * (c->columns - 1), cy = 0.5 * (c->rows - 1);
    const double distortion[5] = {c->k1, c->k2, c->p1, c->p2, c->k3};
    const double k[9] = {f, 0, cx, 0, f, cy, 0, 0, 1}, r[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double p[12] = {f, 0, cx, 0, 0, f, cy, 0, 0, 0, 1, 0};
    put_time(out, time);
    gr_proto_fixed32(out, 2, (uint32_t)c->columns);
    gr_proto_fixed32(out, 3, (uint32_t)c->rows);
    gr_proto_string(out, 4, "plumb_bob");
    put_numbers(out, 5, distortion, 5);
    put_numbers(out, 6, k, 9);
    put_numbers(out, 7, r, 9);
    put_numbers(out, 8, p, 12);
    gr_proto_string(out, 9, frame);
}

// ---- topics

typedef struct Channels {
    int of[GR_SENSOR_OUTPUT_COUNT];
} Channels;

struct GrSensorTopics {
    const GrRoverDef *rover;
    Channels *channels; ///< [sensor_count]
    int mounts;         ///< channel
    GrBuffer message;
};

static const char *foxglove_type(GrSensorShape shape)
{
    switch (shape) {
    case GR_SHAPE_CLOUD:
        return "PointCloud";
    case GR_SHAPE_IMAGE:
    case GR_SHAPE_DEPTH:
        return "RawImage";
    case GR_SHAPE_CALIBRATION:
        return "CameraCalibration";
    case GR_SHAPE_VALUES:
        break;
    }
    return NULL;
}

static int add_channel(const GrTopicSink *sink, const GrSensorDef *sensor, const GrSensorOutput *output)
{
    char topic[GR_SENSOR_TOPIC_SIZE];
    const char *type = foxglove_type(output->shape);
    const int schema = type != NULL ? gr_foxglove_schema(sink, type) : sensor_schema(sink, sensor->kind);
    gr_sensor_topic(sensor, output->part, topic);
    return sink->channel(sink->context, schema, topic, GR_TOPIC_STREAM);
}

static void open_channels(GrSensorTopics *t, const GrTopicSink *sink)
{
    for (int i = 0; i < t->rover->sensor_count; i++) {
        for (int k = 0; k < GR_SENSOR_OUTPUT_COUNT; k++) {
            const GrSensorDef *sensor = &t->rover->sensors[i];
            const bool has = gr_sensor_has_output(sensor, k);
            t->channels[i].of[k] = has ? add_channel(sink, sensor, &gr_sensor_outputs[k]) : -1;
        }
    }
    t->mounts = sink->channel(sink->context, gr_foxglove_schema(sink, "FrameTransforms"), "/sensors", GR_TOPIC_LATCHED);
}

GrSensorTopics *gr_sensor_topics_create(const GrRoverDef *rover, GrTopicSink sink, GrErrorLog *log)
{
    GrSensorTopics *t = gr_calloc(1, sizeof *t);
    Channels *channels = gr_calloc((size_t)rover->sensor_count + 1, sizeof *channels);
    if (t == NULL || channels == NULL) {
        gr_out_of_memory(log, NULL);
        gr_free(t);
        gr_free(channels);
        return NULL;
    }
    t->rover = rover;
    t->channels = channels;
    open_channels(t, &sink);
    return t;
}

void gr_sensor_topics_free(GrSensorTopics *t)
{
    if (t != NULL) {
        gr_buffer_free(&t->message);
        gr_free(t->channels);
        gr_free(t);
    }
}

GrStatus gr_sensor_topics_introduce(GrSensorTopics *t, GrSensorPutFn put, void *context, GrErrorLog *log)
{
    t->message.size = 0;
    for (int i = 0; i < t->rover->sensor_count; i++) {
        const GrSensorDef *s = &t->rover->sensors[i];
        char frame[GR_SENSOR_FRAME_SIZE];
        if (s->kind != GR_SENSOR_ENCODER) { // which has a joint in place of a frame
            gr_scene_put_transform(&t->message, 0, t->rover->bodies[s->body].name, s->name, s->pose);
        }
        if (s->kind == GR_SENSOR_CAMERA) {
            gr_sensor_frame(s, frame);
            gr_scene_put_transform(&t->message, 0, s->name, frame, gr_optical_pose);
        }
    }
    return put(context, t->mounts, 0, &t->message, log);
}

static void put_shape(GrBuffer *out, GrSensorShape shape, const GrSensorDef *sensor, const GrMeasurement *m)
{
    char frame[GR_SENSOR_FRAME_SIZE];
    gr_sensor_frame(sensor, frame);
    switch (shape) {
    case GR_SHAPE_VALUES:
        sensor_put_values(out, sensor->kind, m);
        break;
    case GR_SHAPE_CLOUD:
        sensor_put_cloud(out, frame, m);
        break;
    case GR_SHAPE_IMAGE:
    case GR_SHAPE_DEPTH:
        sensor_put_image(out, frame, m, shape == GR_SHAPE_DEPTH, sensor->camera.bayer != 0);
        break;
    case GR_SHAPE_CALIBRATION:
        sensor_put_calibration(out, frame, &sensor->camera, m->time);
        break;
    }
}

GrStatus gr_sensor_topics_add(GrSensorTopics *t, const GrMeasurement *m, GrSensorPutFn put, void *context,
                              GrErrorLog *log)
{
    const GrSensorDef *sensor = &t->rover->sensors[m->sensor];
    GrStatus status = GR_OK;
    for (int k = 0; k < GR_SENSOR_OUTPUT_COUNT && status == GR_OK; k++) {
        if (gr_sensor_has_output(sensor, k)) {
            t->message.size = 0;
            put_shape(&t->message, gr_sensor_outputs[k].shape, sensor, m);
            status = put(context, t->channels[m->sensor].of[k], m->delivered, &t->message, log);
        }
    }
    return status;
}
