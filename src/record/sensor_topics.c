#include "sensor_topics.h"

#include "alloc.h"
#include "out_of_memory.h"
#include "proto_schema.h"
#include "run_scene.h"
#include "sensor_message.h"
#include "sensor_output.h"

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
    const int schema = type != NULL ? gr_foxglove_schema(sink, type) : gr_sensor_schema(sink, sensor->kind);
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
        gr_sensor_put_values(out, sensor->kind, m);
        break;
    case GR_SHAPE_CLOUD:
        gr_sensor_put_cloud(out, frame, m);
        break;
    case GR_SHAPE_IMAGE:
    case GR_SHAPE_DEPTH:
        gr_sensor_put_image(out, frame, m, shape == GR_SHAPE_DEPTH);
        break;
    case GR_SHAPE_CALIBRATION:
        gr_sensor_put_calibration(out, frame, &sensor->camera, m->time);
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
