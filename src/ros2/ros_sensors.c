#include "ros_sensors.h"

#include "alloc.h"
#include "camera.h"
#include "out_of_memory.h"
#include "protobuf.h"
#include "ros_parts.h"
#include "sensor_topics.h"
#include "vec3.h"

#include <string.h>

enum { FLOAT32 = 7, FIELDS = 4 }; // of sensor_msgs/PointField

typedef struct Sensor {
    int publishers[GR_SENSOR_OUTPUT_COUNT]; ///< −1: none
    char frame[GR_SENSOR_FRAME_SIZE];       ///< of clouds and images
} Sensor;

struct GrRosSensors {
    const GrRoverDef *rover;
    GrRosBus bus;
    Sensor *sensors;
    geometry_msgs_msg_dds__TransformStamped_ *mounts;
    int mount_count;
    GrBuffer bytes; ///< of clouds and images
};

/// A message on its way: who sends it, and with what.
typedef struct Post {
    GrRosSensors *all;
    const GrSensorDef *def;
    const char *frame;
    int publisher;
} Post;

static bool post(const Post *p, const void *message)
{
    return p->all->bus.send(p->all->bus.context, p->publisher, message);
}

static std_msgs_msg_dds__Header_ header(const Post *p, const GrMeasurement *m)
{
    return gr_ros_header(m->time, p->frame);
}

static GrVec3 three(const double *values)
{
    return gr_vec3(values[0], values[1], values[2]);
}

/// The same variance on the diagonal of a matrix 3 x 3.
static void set_variance(double covariance[9], double variance)
{
    covariance[0] = covariance[4] = covariance[8] = variance;
}

// ---- numbers, by the kind of sensor

/// White noise of density N over an interval 1/rate has the variance N² rate. A first element of −1: not measured.
static bool put_imu(const Post *p, const GrMeasurement *m)
{
    const GrSensorDef *def = p->def;
    sensor_msgs_msg_dds__Imu_ message = {
        .header = header(p, m),
        .orientation = {.w = 1},
        .orientation_covariance = {-1},
        .angular_velocity = gr_ros_vector(three(m->values)),
        .linear_acceleration = gr_ros_vector(three(m->values + 3)),
    };
    set_variance(message.angular_velocity_covariance, def->gyro.noise * def->gyro.noise * def->rate);
    set_variance(message.linear_acceleration_covariance,
                 def->accelerometer.noise * def->accelerometer.noise * def->rate);
    return post(p, &message);
}

static bool put_encoder(const Post *p, const GrMeasurement *m)
{
    char *name = p->all->rover->joints[p->def->joint].name;
    double position = m->values[1], rate = m->values[2];
    const sensor_msgs_msg_dds__JointState_ message = {
        .header = gr_ros_header(m->time, ""),
        .name = {._maximum = 1, ._length = 1, ._buffer = &name},
        .position = {._maximum = 1, ._length = 1, ._buffer = &position},
        .velocity = {._maximum = 1, ._length = 1, ._buffer = &rate},
    };
    return post(p, &message);
}

/// An attitude without a heading, whose variance is that of an angle of which nothing is known, π²/3.
static bool put_inclinometer(const Post *p, const GrMeasurement *m)
{
    const double variance = p->def->noise * p->def->noise + p->def->bias * p->def->bias;
    const sensor_msgs_msg_dds__Imu_ message = {
        .header = header(p, m),
        .orientation = gr_ros_quaternion(gr_quat_from_rpy(m->values[0], m->values[1], 0)),
        .orientation_covariance = {[0] = variance, [4] = variance, [8] = GR_PI * GR_PI / 3},
        .angular_velocity_covariance = {-1},
        .linear_acceleration_covariance = {-1},
    };
    return post(p, &message);
}

/// Nothing is sent while the sun is not in sight.
static bool put_sun(const Post *p, const GrMeasurement *m)
{
    const geometry_msgs_msg_dds__Vector3Stamped_ message = {.header = header(p, m),
                                                            .vector = gr_ros_vector(three(m->values))};
    return m->values[3] == 0 || post(p, &message);
}

/// Rotation of the sensor frame in the world; nothing while there are no stars in sight.
static bool put_stars(const Post *p, const GrMeasurement *m)
{
    const geometry_msgs_msg_dds__QuaternionStamped_ message = {
        .header = gr_ros_header(m->time, GR_ROS_MAP_FRAME),
        .quaternion = {.w = m->values[0], .x = m->values[1], .y = m->values[2], .z = m->values[3]},
    };
    return m->values[4] == 0 || post(p, &message);
}

/// The motion from frame to frame as mean velocities.
static bool put_visual(const Post *p, const GrMeasurement *m)
{
    const GrSensorDef *def = p->def;
    const GrVec3 moved = three(m->values), turned = three(m->values + 3);
    const double length = gr_norm(moved) * def->rate, turn = def->noise * def->rate;
    const double variance = (def->drift * def->drift + def->scale * def->scale) * length * length;
    geometry_msgs_msg_dds__TwistWithCovarianceStamped_ message = {.header = header(p, m)};
    message.twist.twist.linear = gr_ros_vector(gr_scale(def->rate, moved));
    message.twist.twist.angular = gr_ros_vector(gr_scale(def->rate, turned));
    for (int i = 0; i < 6; i++) {
        message.twist.covariance[7 * i] = i < 3 ? variance : turn * turn;
    }
    return post(p, &message);
}

/// How the numbers of a kind of sensor are sent: one row for each kind that has GR_SHAPE_VALUES.
static const struct {
    GrRosTopic row;
    bool (*put)(const Post *post, const GrMeasurement *measurement);
} VALUES[GR_SENSOR_KIND_COUNT] = {
    [GR_SENSOR_IMU] = {GR_ROS_SENSOR_IMU, put_imu},
    [GR_SENSOR_ENCODER] = {GR_ROS_SENSOR_JOINT, put_encoder},
    [GR_SENSOR_INCLINOMETER] = {GR_ROS_SENSOR_IMU, put_inclinometer},
    [GR_SENSOR_SUN] = {GR_ROS_SENSOR_VECTOR, put_sun},
    [GR_SENSOR_STARS] = {GR_ROS_SENSOR_QUATERNION, put_stars},
    [GR_SENSOR_VISUAL] = {GR_ROS_SENSOR_TWIST, put_visual},
};

// ---- clouds and images

static void put_float(GrBuffer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, 4);
    gr_proto_fixed(out, bits, 4);
}

static bool put_cloud(const Post *p, const GrMeasurement *m)
{
    static const char *const names[FIELDS] = {"x", "y", "z", "intensity"};
    GrBuffer *out = &p->all->bytes;
    const uint32_t fields = m->intensities != NULL ? 4 : 3, step = 4 * fields;
    sensor_msgs_msg_dds__PointField_ all[FIELDS];
    for (uint32_t i = 0; i < fields; i++) {
        all[i] = (sensor_msgs_msg_dds__PointField_){
            .name = (char *)names[i], .offset = 4 * i, .datatype = FLOAT32, .count = 1};
    }
    out->size = 0;
    for (int i = 0; i < m->columns * m->rows; i++) {
        for (int k = 0; k < 3 && !isnan(m->ranges[i]); k++) {
            put_float(out, m->points[3 * i + k]);
        }
        if (m->intensities != NULL && !isnan(m->ranges[i])) {
            put_float(out, m->intensities[i]);
        }
    }
    const uint32_t size = (uint32_t)out->size;
    const sensor_msgs_msg_dds__PointCloud2_ message = {
        .header = header(p, m),
        .height = 1,
        .width = size / step,
        .fields = {._maximum = fields, ._length = fields, ._buffer = all},
        .point_step = step,
        .row_step = size,
        .data = {._maximum = size, ._length = size, ._buffer = (uint8_t *)out->data},
        .is_dense = true,
    };
    return !out->failed && post(p, &message);
}

static bool send_image(const Post *p, const GrMeasurement *m, const char *encoding, const void *data, uint32_t bytes)
{
    const uint32_t columns = (uint32_t)m->columns, rows = (uint32_t)m->rows, size = bytes * columns * rows;
    const sensor_msgs_msg_dds__Image_ message = {
        .header = header(p, m),
        .height = rows,
        .width = columns,
        .encoding = (char *)encoding,
        .step = bytes * columns,
        .data = {._maximum = size, ._length = size, ._buffer = (uint8_t *)data},
    };
    return post(p, &message);
}

static bool put_image(const Post *p, const GrMeasurement *m)
{
    return send_image(p, m, p->def->camera.bayer != 0 ? "bayer_rggb8" : "mono8", m->grey, 1);
}

static bool put_depth(const Post *p, const GrMeasurement *m)
{
    GrBuffer *out = &p->all->bytes;
    out->size = 0;
    for (int i = 0; i < m->columns * m->rows; i++) {
        put_float(out, m->ranges[i]);
    }
    return !out->failed && send_image(p, m, "32FC1", out->data, 4);
}

static bool put_info(const Post *p, const GrMeasurement *m)
{
    const GrCameraDef *c = &p->def->camera;
    const double f = gr_pinhole_focal(c), cx = 0.5 * (c->columns - 1), cy = 0.5 * (c->rows - 1);
    double distortion[5] = {c->k1, c->k2, c->p1, c->p2, c->k3};
    const sensor_msgs_msg_dds__CameraInfo_ message = {
        .header = header(p, m),
        .height = (uint32_t)c->rows,
        .width = (uint32_t)c->columns,
        .distortion_model = (char *)"plumb_bob",
        .d = {._maximum = 5, ._length = 5, ._buffer = distortion},
        .k = {f, 0, cx, 0, f, cy, 0, 0, 1},
        .r = {1, 0, 0, 0, 1, 0, 0, 0, 1},
        .p = {f, 0, cx, 0, 0, f, cy, 0, 0, 0, 1, 0},
    };
    return post(p, &message);
}

// ---- all sensors

static GrRosTopic row_of(const GrSensorDef *sensor, GrSensorShape shape)
{
    static const GrRosTopic rows[] = {[GR_SHAPE_CLOUD] = GR_ROS_SENSOR_CLOUD,
                                      [GR_SHAPE_IMAGE] = GR_ROS_SENSOR_IMAGE,
                                      [GR_SHAPE_DEPTH] = GR_ROS_SENSOR_DEPTH,
                                      [GR_SHAPE_CALIBRATION] = GR_ROS_SENSOR_INFO};
    return shape == GR_SHAPE_VALUES ? VALUES[sensor->kind].row : rows[shape];
}

static bool put_shape(const Post *p, GrSensorShape shape, const GrMeasurement *m)
{
    switch (shape) {
    case GR_SHAPE_CLOUD:
        return put_cloud(p, m);
    case GR_SHAPE_IMAGE:
        return put_image(p, m);
    case GR_SHAPE_DEPTH:
        return put_depth(p, m);
    case GR_SHAPE_CALIBRATION:
        return put_info(p, m);
    case GR_SHAPE_VALUES:
        break;
    }
    return VALUES[p->def->kind].put(p, m);
}

static bool open_sensor(GrRosSensors *s, int i, GrErrorLog *log)
{
    const GrSensorDef *def = &s->rover->sensors[i];
    gr_sensor_frame(def, s->sensors[i].frame);
    for (int k = 0; k < GR_SENSOR_OUTPUT_COUNT; k++) {
        char name[GR_SENSOR_TOPIC_SIZE];
        s->sensors[i].publishers[k] = -1;
        if (!gr_sensor_has_output(def, k)) {
            continue;
        }
        gr_sensor_topic(def, gr_sensor_outputs[k].ros_part, name);
        s->sensors[i].publishers[k] = s->bus.open(s->bus.context, row_of(def, gr_sensor_outputs[k].shape), name);
        if (s->sensors[i].publishers[k] < 0) {
            gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = name}, "DDS cannot open this topic");
            return false;
        }
    }
    return true;
}

/// An encoder has a joint in place of a frame.
static void fill_mounts(GrRosSensors *s)
{
    for (int i = 0; i < s->rover->sensor_count; i++) {
        const GrSensorDef *def = &s->rover->sensors[i];
        if (def->kind != GR_SENSOR_ENCODER) {
            s->mounts[s->mount_count++] = gr_ros_transform(0, s->rover->bodies[def->body].name, def->name, def->pose);
        }
        if (def->kind == GR_SENSOR_CAMERA) {
            s->mounts[s->mount_count++] = gr_ros_transform(0, def->name, s->sensors[i].frame, gr_optical_pose);
        }
    }
}

GrRosSensors *gr_ros_sensors_create(const GrRoverDef *rover, GrRosBus bus, GrErrorLog *log)
{
    GrRosSensors *s = gr_calloc(1, sizeof *s);
    const size_t count = (size_t)rover->sensor_count;
    if (s != NULL) {
        *s = (GrRosSensors){.rover = rover,
                            .bus = bus,
                            .sensors = gr_calloc(count + 1, sizeof *s->sensors),
                            .mounts = gr_calloc(2 * count + 1, sizeof *s->mounts)};
    }
    bool good = s != NULL && s->sensors != NULL && s->mounts != NULL;
    if (!good) {
        gr_out_of_memory(log, NULL);
    }
    for (int i = 0; good && i < rover->sensor_count; i++) {
        good = open_sensor(s, i, log);
    }
    if (!good) {
        gr_ros_sensors_free(s);
        return NULL;
    }
    fill_mounts(s);
    return s;
}

void gr_ros_sensors_free(GrRosSensors *s)
{
    if (s != NULL) {
        gr_buffer_free(&s->bytes);
        gr_free(s->sensors);
        gr_free(s->mounts);
        gr_free(s);
    }
}

const geometry_msgs_msg_dds__TransformStamped_ *gr_ros_sensors_mounts(const GrRosSensors *s, int *count)
{
    *count = s->mount_count;
    return s->mounts;
}

int gr_ros_sensors_put(GrRosSensors *s, const GrMeasurement *m)
{
    const GrSensorDef *def = &s->rover->sensors[m->sensor];
    const Sensor *sensor = &s->sensors[m->sensor];
    int dropped = 0;
    for (int k = 0; k < GR_SENSOR_OUTPUT_COUNT; k++) {
        if (sensor->publishers[k] >= 0) {
            const Post p = {s, def, sensor->frame, sensor->publishers[k]};
            dropped += !put_shape(&p, gr_sensor_outputs[k].shape, m);
        }
    }
    return dropped;
}
