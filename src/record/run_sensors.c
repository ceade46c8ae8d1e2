#include "run_sensors.h"

#include "alloc.h"
#include "decimal.h"
#include "file.h"
#include "out_of_memory.h"
#include "png.h"
#include "proto_schema.h"
#include "record_messages.h"
#include "run_scene.h"
#include "sensor_message.h"
#include "sink.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_SIZE = 64 * 1024 };
static const double DEPTH_MOST = 65535; // [mm]

/// Channels of run.mcap; 0 or unused where the kind has none.
typedef struct Channels {
    int values, cloud, image, depth, calibration;
} Channels;

typedef struct Out {
    GrSink csv;
    GrBuffer rows;
    Channels channels;
    char frame[GR_NAME_SIZE + 16]; ///< of clouds and images
} Out;

struct GrRunSensors {
    char folder[GR_FILE_PATH_SIZE];
    const GrRoverDef *rover;
    GrRecord *record;
    GrTopicSink sink; ///< without functions: no run.mcap
    Out *outs;
    int opened; ///< how many of them
    GrBuffer message;
    int frames; ///< channel of the mounts
};

static int add_channel(GrRunSensors *run, const char *schema, const GrBuffer *set, const char *name, const char *part)
{
    char topic[GR_NAME_SIZE + 32];
    snprintf(topic, sizeof topic, "/sensors%s%s%s", name[0] != '\0' ? "/" : "", name, part);
    const int number = run->sink.schema(run->sink.context, schema, set);
    return run->sink.channel(run->sink.context, number, topic, GR_TOPIC_STREAM);
}

static int add_foxglove(GrRunSensors *run, const char *schema, const char *name, const char *part)
{
    GrBuffer set = {0};
    gr_foxglove_schema(&set, schema);
    const int channel = add_channel(run, schema, &set, name, part);
    gr_buffer_free(&set);
    return channel;
}

static void add_channels(GrRunSensors *run, const GrSensorDef *sensor, Out *out)
{
    Channels *c = &out->channels;
    if (sensor->kind == GR_SENSOR_LIDAR) {
        c->cloud = add_foxglove(run, "foxglove.PointCloud", sensor->name, "");
    } else if (sensor->kind == GR_SENSOR_CAMERA) {
        c->image = add_foxglove(run, "foxglove.RawImage", sensor->name, "/image");
        c->depth = add_foxglove(run, "foxglove.RawImage", sensor->name, "/depth");
        c->calibration = add_foxglove(run, "foxglove.CameraCalibration", sensor->name, "/calibration");
    } else {
        GrBuffer set = {0};
        char schema[GR_NAME_SIZE];
        gr_sensor_schema(&set, sensor->kind, schema);
        c->values = add_channel(run, schema, &set, sensor->name, "");
        gr_buffer_free(&set);
    }
}

/// Where the sensors are mounted. Images have the axes of optics: z ahead, x to the right, y down.
static GrStatus put_mounts(GrRunSensors *run, GrErrorLog *log)
{
    static const GrPose optical = {{0, 0, 0}, {0.5, -0.5, 0.5, -0.5}};
    run->message.size = 0;
    for (int i = 0; i < run->rover->sensor_count; i++) {
        const GrSensorDef *s = &run->rover->sensors[i];
        gr_scene_put_transform(&run->message, 0, run->rover->bodies[s->body].name, s->name, s->pose);
        if (s->kind == GR_SENSOR_CAMERA) {
            gr_scene_put_transform(&run->message, 0, s->name, run->outs[i].frame, optical);
        }
    }
    return gr_record_message(run->record, run->frames, 0, &run->message, log);
}

static GrStatus open_csv(GrRunSensors *run, const GrSensorDef *sensor, Out *out, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s.csv", run->folder, sensor->name) >= (int)sizeof path) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = run->folder}, "the path is too long");
    }
    gr_buffer_puts(&out->rows, "time_s,delivered_s");
    for (int k = 0; k < gr_sensor_column_count(sensor->kind); k++) {
        gr_buffer_printf(&out->rows, ",%s", gr_sensor_column(sensor->kind, k));
    }
    gr_buffer_puts(&out->rows, "\n");
    return gr_sink_open(&out->csv, path, log);
}

static GrStatus open_all(GrRunSensors *run, GrErrorLog *log)
{
    GrStatus status = gr_folder_make(run->folder, log);
    run->sink = gr_record_sink(run->record);
    for (int i = 0; i < run->rover->sensor_count && status == GR_OK; i++) {
        const GrSensorDef *sensor = &run->rover->sensors[i];
        Out *out = &run->outs[i];
        const bool camera = sensor->kind == GR_SENSOR_CAMERA;
        snprintf(out->frame, sizeof out->frame, "%s%s", sensor->name, camera ? "_optical" : "");
        status = open_csv(run, sensor, out, log);
        run->opened = i + 1;
        if (run->sink.schema != NULL) {
            add_channels(run, sensor, out);
        }
    }
    if (run->sink.schema != NULL && status == GR_OK) {
        run->frames = add_foxglove(run, "foxglove.FrameTransforms", "", "");
        status = put_mounts(run, log);
    }
    return status;
}

GrRunSensors *gr_run_sensors_open(const char *directory, const GrRoverDef *rover, GrRecord *record, GrErrorLog *log)
{
    GrRunSensors *run = gr_calloc(1, sizeof *run);
    Out *outs = gr_calloc((size_t)rover->sensor_count + 1, sizeof *outs);
    if (run == NULL || outs == NULL) {
        gr_out_of_memory(log, directory);
        gr_free(run);
        gr_free(outs);
        return NULL;
    }
    *run = (GrRunSensors){.rover = rover, .record = record, .outs = outs};
    for (int i = 0; i < rover->sensor_count; i++) {
        outs[i].csv.fd = -1;
    }
    if (snprintf(run->folder, sizeof run->folder, "%s/sensors", directory) >= (int)sizeof run->folder ||
        open_all(run, log) != GR_OK) {
        gr_run_sensors_close(run, NULL);
        return NULL;
    }
    return run;
}

static void put_number(GrBuffer *out, double value)
{
    char text[GR_DECIMAL_SIZE];
    gr_buffer_puts(out, ",");
    if (!isnan(value)) { // an empty cell: no value
        gr_buffer_add(out, text, (size_t)gr_decimal_write(value, text));
    }
}

static GrStatus put_row(GrRunSensors *run, Out *out, const GrMeasurement *m, GrErrorLog *log)
{
    char text[GR_DECIMAL_SIZE];
    gr_buffer_add(&out->rows, text, (size_t)gr_decimal_write(m->time, text));
    put_number(&out->rows, m->delivered);
    for (int i = 0; i < m->count; i++) {
        put_number(&out->rows, m->values[i]);
    }
    gr_buffer_puts(&out->rows, "\n");
    if (out->rows.failed) {
        return gr_out_of_memory(log, run->folder);
    }
    if (out->rows.size < FLUSH_SIZE) {
        return GR_OK;
    }
    const GrStatus status = gr_sink_write(&out->csv, out->rows.data, out->rows.size, log);
    out->rows.size = 0;
    return status;
}

/// Whether frames of this number become files.
static bool is_saved(const GrSensorDef *sensor, const GrMeasurement *m)
{
    return sensor->save_every > 0 && m->frame % (long)sensor->save_every == 0;
}

static GrStatus write_frame(const GrRunSensors *run, const char *name, long frame, const char *end,
                            const GrBuffer *data, GrErrorLog *log)
{
    char path[GR_FILE_PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s_%06ld%s", run->folder, name, frame, end) >= (int)sizeof path) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = run->folder}, "the path is too long");
    }
    return data->failed ? gr_out_of_memory(log, path) : gr_file_write(path, data->data, data->size, log);
}

/// Binary PLY, little-endian, with the true pose of the sensor as a comment.
static void put_ply(GrBuffer *out, const GrMeasurement *m)
{
    const GrVec3 p = m->pose.position;
    const GrQuat q = m->pose.rotation;
    int count = 0;
    for (int i = 0; i < m->columns * m->rows; i++) {
        count += !isnan(m->ranges[i]);
    }
    gr_buffer_printf(out, "ply\nformat binary_little_endian 1.0\ncomment time_s %.9g\n", m->time);
    gr_buffer_printf(out,
                     "comment sensor in the world: x y z [m] %.9g %.9g %.9g, q_w q_x q_y q_z %.9g %.9g %.9g %.9g\n",
                     p.x, p.y, p.z, q.w, q.x, q.y, q.z);
    gr_buffer_printf(out, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n",
                     count);
    for (int i = 0; i < m->columns * m->rows; i++) {
        for (int k = 0; k < 3 && !isnan(m->ranges[i]); k++) {
            uint32_t bits;
            unsigned char bytes[4];
            memcpy(&bits, &m->points[3 * i + k], 4);
            for (int b = 0; b < 4; b++) {
                bytes[b] = (unsigned char)(bits >> 8 * b);
            }
            gr_buffer_add(out, (const char *)bytes, 4);
        }
    }
}

static GrStatus add_cloud(GrRunSensors *run, const GrSensorDef *sensor, const Out *out, const GrMeasurement *m,
                          GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (is_saved(sensor, m)) {
        GrBuffer ply = {0};
        put_ply(&ply, m);
        status = write_frame(run, sensor->name, m->frame, ".ply", &ply, log);
        gr_buffer_free(&ply);
    }
    if (status == GR_OK && run->sink.schema != NULL) {
        run->message.size = 0;
        gr_sensor_put_cloud(&run->message, out->frame, m);
        status = gr_record_message(run->record, out->channels.cloud, m->delivered, &run->message, log);
    }
    return status;
}

/// Depth in millimetres, 0 where there is none or it is too large.
static GrStatus write_depth(const GrRunSensors *run, const GrSensorDef *sensor, const GrMeasurement *m, GrErrorLog *log)
{
    const size_t count = (size_t)m->columns * (size_t)m->rows;
    unsigned char *pixels = gr_malloc(2 * count);
    GrBuffer png = {0};
    if (pixels == NULL) {
        return gr_out_of_memory(log, run->folder);
    }
    for (size_t i = 0; i < count; i++) {
        const double depth = rint(1e3 * (double)m->ranges[i]);
        const unsigned value = depth >= 1 && depth <= DEPTH_MOST ? (unsigned)depth : 0;
        pixels[2 * i] = (unsigned char)(value >> 8);
        pixels[2 * i + 1] = (unsigned char)(value & 255u);
    }
    GrStatus status = gr_png_put_grey(&png, pixels, m->columns, m->rows, 16);
    status = status == GR_OK ? write_frame(run, sensor->name, m->frame, "_depth.png", &png, log) : status;
    gr_buffer_free(&png);
    gr_free(pixels);
    return status;
}

static GrStatus write_images(const GrRunSensors *run, const GrSensorDef *sensor, const GrMeasurement *m,
                             GrErrorLog *log)
{
    GrBuffer png = {0};
    GrStatus status = m->grey != NULL ? gr_png_put_grey(&png, m->grey, m->columns, m->rows, 8) : GR_OK;
    if (status == GR_OK && m->grey != NULL) {
        status = write_frame(run, sensor->name, m->frame, ".png", &png, log);
    }
    gr_buffer_free(&png);
    status = status == GR_OK ? write_depth(run, sensor, m, log) : status;
    return status == GR_ERROR_UNSUPPORTED ? GR_OK : status; // without zlib images are in run.mcap only
}

static GrStatus add_images(GrRunSensors *run, const GrSensorDef *sensor, const Out *out, const GrMeasurement *m,
                           GrErrorLog *log)
{
    GrStatus status = is_saved(sensor, m) ? write_images(run, sensor, m, log) : GR_OK;
    const int channels[3] = {out->channels.image, out->channels.depth, out->channels.calibration};
    for (int k = m->grey != NULL ? 0 : 1; k < 3 && status == GR_OK && run->sink.schema != NULL; k++) {
        run->message.size = 0;
        if (k < 2) {
            gr_sensor_put_image(&run->message, out->frame, m, k == 1);
        } else {
            gr_sensor_put_calibration(&run->message, out->frame, &sensor->camera, m->time);
        }
        status = gr_record_message(run->record, channels[k], m->delivered, &run->message, log);
    }
    return status;
}

GrStatus gr_run_sensors_add(GrRunSensors *run, const GrMeasurement *m, GrErrorLog *log)
{
    const GrSensorDef *sensor = &run->rover->sensors[m->sensor];
    Out *out = &run->outs[m->sensor];
    const GrStatus status = put_row(run, out, m, log);
    if (status != GR_OK) {
        return status;
    }
    if (sensor->kind == GR_SENSOR_LIDAR) {
        return add_cloud(run, sensor, out, m, log);
    }
    if (sensor->kind == GR_SENSOR_CAMERA) {
        return add_images(run, sensor, out, m, log);
    }
    if (run->sink.schema == NULL) {
        return GR_OK;
    }
    run->message.size = 0;
    gr_sensor_put_values(&run->message, sensor->kind, m);
    return gr_record_message(run->record, out->channels.values, m->delivered, &run->message, log);
}

GrStatus gr_run_sensors_close(GrRunSensors *run, GrErrorLog *log)
{
    GrStatus status = GR_OK;
    if (run == NULL) {
        return status;
    }
    for (int i = 0; i < run->opened; i++) {
        Out *out = &run->outs[i];
        if (out->csv.fd >= 0) {
            const GrStatus written = gr_sink_write(&out->csv, out->rows.data, out->rows.size, log);
            const GrStatus closed = gr_sink_close(&out->csv, log);
            status = status != GR_OK ? status : written != GR_OK ? written : closed;
        }
        gr_buffer_free(&out->rows);
    }
    gr_buffer_free(&run->message);
    gr_free(run->outs);
    gr_free(run);
    return status;
}

void gr_run_sensors_remove(const char *directory)
{
    static const char *const ends[] = {".csv", ".ply", ".png"};
    char folder[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE];
    GrErrorLog quiet = {.quiet = true};
    if (snprintf(folder, sizeof folder, "%s/sensors", directory) >= (int)sizeof folder) {
        return;
    }
    for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
        GrNameList names = {0};
        if (gr_folder_list(folder, ends[k], &names, &quiet) == GR_OK) {
            for (int i = 0; i < names.count; i++) {
                if (snprintf(path, sizeof path, "%s/%s", folder, names.names[i]) < (int)sizeof path) {
                    unlink(path);
                }
            }
        }
        gr_name_list_free(&names);
    }
    rmdir(folder);
}
