#include "sensor_message.h"

#include "pinhole.h"
#include "proto_schema.h"
#include "protobuf.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

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

int gr_sensor_schema(const GrTopicSink *sink, GrSensorKind kind)
{
    GrRunField fields[EXTRA_FIELDS + GR_MEASUREMENT_VALUES] = {{.name = "time_s", .kind = GR_FIELD_NUMBER},
                                                               {.name = "delivered_s", .kind = GR_FIELD_NUMBER}};
    const int count = gr_sensor_column_count(kind);
    for (int i = 0; i < count; i++) {
        fields[EXTRA_FIELDS + i] = (GrRunField){.name = gr_sensor_column(kind, i), .kind = GR_FIELD_NUMBER};
    }
    const GrFieldGroup group = {fields, EXTRA_FIELDS + count, false};
    char name[GR_NAME_SIZE];
    message_name(kind, name);
    return gr_field_schema(sink, name, &group);
}

void gr_sensor_put_values(GrBuffer *out, GrSensorKind kind, const GrMeasurement *m)
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

void gr_sensor_put_cloud(GrBuffer *out, const char *frame, const GrMeasurement *m)
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

void gr_sensor_put_image(GrBuffer *out, const char *frame, const GrMeasurement *m, bool depth)
{
    const uint32_t bytes = depth ? 4 : 1;
    put_time(out, m->time);
    gr_proto_fixed32(out, 2, (uint32_t)m->columns);
    gr_proto_fixed32(out, 3, (uint32_t)m->rows);
    gr_proto_string(out, 4, depth ? "32FC1" : "mono8");
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

void gr_sensor_put_calibration(GrBuffer *out, const char *frame, const GrCameraDef *c, double time)
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
