#include "run_sensors.h"

#include "alloc.h"
#include "buffer.h"
#include "decimal.h"
#include "file.h"
#include "grouser/sense.h"
#include "las.h"
#include "out_of_memory.h"
#include "png.h"
#include "protobuf.h"
#include "record_messages.h"
#include "sensor_topics.h"
#include "sink.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- scans of a LiDAR as files

static const double LAS_STEP = 1e-4; // [m]: 2^31 of them are more than the longest ray
static const double LAS_TILE = 1000; // offsets are multiples of it [m]

/// Binary PLY, little-endian, of the returns in the sensor frame, with its true pose as a comment.
static void cloud_put_ply(GrBuffer *out, const GrMeasurement *m)
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
    gr_buffer_printf(out, "element vertex %d\nproperty float x\nproperty float y\nproperty float z\n%send_header\n",
                     count, m->intensities != NULL ? "property float intensity\n" : "");
    for (int i = 0; i < m->columns * m->rows; i++) {
        if (isnan(m->ranges[i])) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            gr_proto_float(out, m->points[3 * i + k]);
        }
        if (m->intensities != NULL) {
            gr_proto_float(out, m->intensities[i]);
        }
    }
}

/// A return in the coordinates of the map.
static void map_point(const GrMeasurement *m, int i, const double origin[2], double out[3])
{
    const GrVec3 local = {(double)m->points[3 * i], (double)m->points[3 * i + 1], (double)m->points[3 * i + 2]};
    const GrVec3 p = gr_add(m->pose.position, gr_quat_rotate(m->pose.rotation, local));
    out[0] = p.x + origin[0];
    out[1] = p.y + origin[1];
    out[2] = p.z;
}

/// LAS 1.4 of the returns in the coordinates of the map, to a tenth of a millimetre, by the true pose of the sensor.
/// `place` is where the map lies on its body; NULL: coordinates are those of the world.
static void cloud_put_las(GrBuffer *out, const char *sensor, const GrGeoreference *place, const GrMeasurement *m)
{
    const double origin[2] = {place != NULL ? place->origin_east : 0, place != NULL ? place->origin_north : 0};
    const GrVec3 at = m->pose.position;
    GrLas las = {.instrument = sensor,
                 .crs = place != NULL ? place->crs : NULL,
                 .step = LAS_STEP,
                 .offset = {LAS_TILE * floor((at.x + origin[0]) / LAS_TILE),
                            LAS_TILE * floor((at.y + origin[1]) / LAS_TILE), LAS_TILE * floor(at.z / LAS_TILE)}};
    gr_las_begin(out, &las);
    for (int i = 0; i < m->columns * m->rows; i++) {
        if (!isnan(m->ranges[i])) {
            double point[3];
            map_point(m, i, origin, point);
            gr_las_add(out, &las, point, m->intensities != NULL ? (double)m->intensities[i] : 0, m->time);
        }
    }
    gr_las_end(out, &las);
}

// ---- all sensors

enum { FLUSH_SIZE = 64 * 1024 };
static const double DEPTH_MOST = 65535; // [mm]

typedef struct Out {
    GrSink csv;
    GrBuffer rows;
} Out;

struct GrRunSensors {
    char folder[GR_FILE_PATH_SIZE];
    const GrRoverDef *rover;
    const GrGeoreference *place; ///< NULL: none
    GrRecord *record;
    GrSensorTopics *topics; ///< NULL: no run.mcap
    Out *outs;
    int opened; ///< how many of them
};

static GrStatus put_message(void *context, int channel, double time, const GrBuffer *bytes, GrErrorLog *log)
{
    return gr_record_message(context, channel, time, bytes, log);
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

static GrStatus open_topics(GrRunSensors *run, GrErrorLog *log)
{
    const GrTopicSink sink = gr_record_sink(run->record);
    if (sink.schema == NULL) {
        return GR_OK;
    }
    run->topics = gr_sensor_topics_create(run->rover, sink, log);
    return run->topics != NULL ? gr_sensor_topics_introduce(run->topics, put_message, run->record, log)
                               : GR_ERROR_MEMORY;
}

static bool writes_las(const GrSensorDef *sensor)
{
    return sensor->kind == GR_SENSOR_LIDAR && sensor->lidar.format == GR_CLOUD_LAS && sensor->save_every > 0;
}

static void warn_crs(const GrRunSensors *run, const GrSensorDef *sensor, GrErrorLog *log)
{
    if (writes_las(sensor) && run->place != NULL && run->place->crs != NULL &&
        strlen(run->place->crs) > GR_LAS_CRS_MAX) {
        gr_warning_add(log, (GrLocation){.field = sensor->name},
                       "the map's coordinate system has more than %d bytes and is left out of LAS files",
                       GR_LAS_CRS_MAX);
    }
}

static GrStatus open_all(GrRunSensors *run, GrErrorLog *log)
{
    GrStatus status = gr_folder_make(run->folder, log);
    for (int i = 0; i < run->rover->sensor_count && status == GR_OK; i++) {
        status = open_csv(run, &run->rover->sensors[i], &run->outs[i], log);
        warn_crs(run, &run->rover->sensors[i], log);
        run->opened = i + 1;
    }
    return status == GR_OK ? open_topics(run, log) : status;
}

GrRunSensors *gr_run_sensors_open(const char *directory, const GrRoverDef *rover, const GrGeoreference *place,
                                  GrRecord *record, GrErrorLog *log)
{
    GrRunSensors *run = gr_calloc(1, sizeof *run);
    Out *outs = gr_calloc((size_t)rover->sensor_count + 1, sizeof *outs);
    if (run == NULL || outs == NULL) {
        gr_out_of_memory(log, directory);
        gr_free(run);
        gr_free(outs);
        return NULL;
    }
    *run = (GrRunSensors){.rover = rover, .place = place, .record = record, .outs = outs};
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

static GrStatus write_cloud(const GrRunSensors *run, const GrSensorDef *sensor, const GrMeasurement *m, GrErrorLog *log)
{
    GrBuffer cloud = {0};
    char end[8];
    if (sensor->lidar.format == GR_CLOUD_LAS) {
        cloud_put_las(&cloud, sensor->name, run->place, m);
    } else {
        cloud_put_ply(&cloud, m);
    }
    snprintf(end, sizeof end, ".%s", gr_cloud_format_name(sensor->lidar.format));
    const GrStatus status = write_frame(run, sensor->name, m->frame, end, &cloud, log);
    gr_buffer_free(&cloud);
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

static GrStatus write_files(const GrRunSensors *run, const GrSensorDef *sensor, const GrMeasurement *m, GrErrorLog *log)
{
    if (sensor->kind == GR_SENSOR_LIDAR && is_saved(sensor, m)) {
        return write_cloud(run, sensor, m, log);
    }
    return sensor->kind == GR_SENSOR_CAMERA && is_saved(sensor, m) ? write_images(run, sensor, m, log) : GR_OK;
}

GrStatus gr_run_sensors_add(GrRunSensors *run, const GrMeasurement *m, GrErrorLog *log)
{
    const GrStatus status = put_row(run, &run->outs[m->sensor], m, log);
    return status == GR_OK ? write_files(run, &run->rover->sensors[m->sensor], m, log) : status;
}

GrStatus gr_run_sensors_deliver(GrRunSensors *run, const GrMeasurement *m, GrErrorLog *log)
{
    return run->topics != NULL ? gr_sensor_topics_add(run->topics, m, put_message, run->record, log) : GR_OK;
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
    gr_sensor_topics_free(run->topics);
    gr_free(run->outs);
    gr_free(run);
    return status;
}

void gr_run_sensors_remove(const char *directory)
{
    static const char *const ends[] = {".csv", ".ply", ".las", ".png"};
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
