#include "ros_node.h"

#include "alloc.h"
#include "ground_window.h"
#include "number.h"
#include "out_of_memory.h"
#include "ros_parts.h"
#include "ros_sensors.h"
#include "urdf_write.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- the map of heights
//
// The ground around the rover as grid_map_msgs/GridMap.
//
// Indices of a grid map begin at the corner of largest x and y, and its matrix is stored by columns:
//
//        ^ x     row 0, column 0 is the corner (max x, max y)
//        |       row i is towards smaller x, column j towards smaller y
//   y <--+       element (i, j) is data[j * rows + i]

enum { CELLS = GR_ROS_MAP_CELLS, COUNT = CELLS * CELLS };

/// False: out of memory.
static bool ros_map_init(GrRosMap *map)
{
    map->heights = gr_calloc(COUNT, sizeof *map->heights);
    return map->heights != NULL;
}

static void ros_map_free(GrRosMap *map)
{
    gr_free(map->heights);
    map->heights = NULL;
}

static void read_heights(GrRosMap *map, const GrRecordDef *record, double x, double y)
{
    const double half = 0.5 * (CELLS - 1) * GR_ROS_MAP_CELL;
    for (int j = 0; j < CELLS; j++) {
        for (int i = 0; i < CELLS; i++) {
            const double cell_x = x + half - i * GR_ROS_MAP_CELL, cell_y = y + half - j * GR_ROS_MAP_CELL;
            map->heights[j * CELLS + i] = (float)gr_window_height(record->terrain, record->ruts, cell_x, cell_y);
        }
    }
}

/// Reads the heights around `at`, with ruts, and fills the message. Its middle is rounded to whole cells.
static void ros_map_fill(GrRosMap *map, const GrRecordDef *record, double time, GrVec3 at)
{
    const double x = GR_ROS_MAP_CELL * rint(at.x / GR_ROS_MAP_CELL), y = GR_ROS_MAP_CELL * rint(at.y / GR_ROS_MAP_CELL);
    read_heights(map, record, x, y);
    map->dims[0] =
        (std_msgs_msg_dds__MultiArrayDimension_){.label = (char *)"column_index", .size = CELLS, .stride = COUNT};
    map->dims[1] =
        (std_msgs_msg_dds__MultiArrayDimension_){.label = (char *)"row_index", .size = CELLS, .stride = CELLS};
    map->layer = (std_msgs_msg_dds__Float32MultiArray_){
        .layout = {.dim = {._maximum = 2, ._length = 2, ._buffer = map->dims}},
        .data = {._maximum = COUNT, ._length = COUNT, ._buffer = map->heights},
    };
    map->layers[0] = (char *)"elevation";
    map->message = (grid_map_msgs_msg_dds__GridMap_){
        .header = gr_ros_header(time, GR_ROS_MAP_FRAME),
        .info = {.resolution = GR_ROS_MAP_CELL,
                 .length_x = CELLS * GR_ROS_MAP_CELL,
                 .length_y = CELLS * GR_ROS_MAP_CELL,
                 .pose = {.position = {x, y, 0}, .orientation = {.w = 1}}},
        .layers = {._maximum = 1, ._length = 1, ._buffer = map->layers},
        .basic_layers = {._maximum = 1, ._length = 1, ._buffer = map->layers},
        .data = {._maximum = 1, ._length = 1, ._buffer = &map->layer},
    };
}

// ---- diagnostics

enum { VALUES = 6, TEXT_SIZE = 32, DECIMALS = 6 };
/// Levels of diagnostic_msgs/DiagnosticStatus.
enum { LEVEL_OK = 0, LEVEL_WARN = 1, LEVEL_ERROR = 2 };
// as the warnings of a run: a wheel that slips much, and one that spins
static const double SLIP_WARN = 0.6, SLIP_ERROR = 0.9;

static bool ros_diagnostics_init(GrRosDiagnostics *diagnostics, const GrModel *model)
{
    const size_t count = (size_t)gr_model_wheel_count(model);
    diagnostics->status = gr_calloc(count + 1, sizeof *diagnostics->status);
    diagnostics->values = gr_calloc(VALUES * count + 1, sizeof *diagnostics->values);
    diagnostics->texts = gr_calloc(VALUES * count + 1, sizeof *diagnostics->texts);
    return diagnostics->status != NULL && diagnostics->values != NULL && diagnostics->texts != NULL;
}

static void ros_diagnostics_free(GrRosDiagnostics *diagnostics)
{
    gr_free(diagnostics->status);
    gr_free(diagnostics->values);
    gr_free(diagnostics->texts);
    *diagnostics = (GrRosDiagnostics){0};
}

static void fill_wheel(GrRosDiagnostics *d, const GrRecordDef *record, int wheel, const GrWheelSample *w)
{
    const double slip = fabs(w->slip);
    const struct {
        const char *key;
        double value;
    } rows[VALUES] = {
        {"slip", w->slip},         {"slip_angle_deg", w->slip_angle / GR_DEGREE},
        {"sinkage_m", w->sinkage}, {"load_N", w->load},
        {"torque_Nm", w->torque},  {"power_W", w->power},
    };
    for (int i = 0; i < VALUES; i++) {
        char *text = d->texts[VALUES * wheel + i];
        char number[GR_NUMBER_SIZE];
        gr_number_fixed(rows[i].value, DECIMALS, number);
        snprintf(text, TEXT_SIZE, "%.31s", number);
        d->values[VALUES * wheel + i] = (diagnostic_msgs_msg_dds__KeyValue_){.key = (char *)rows[i].key, .value = text};
    }
    d->status[wheel] = (diagnostic_msgs_msg_dds__DiagnosticStatus_){
        .level = slip > SLIP_ERROR  ? LEVEL_ERROR
                 : slip > SLIP_WARN ? LEVEL_WARN
                                    : LEVEL_OK,
        .name = (char *)gr_model_wheel_name(record->model, wheel),
        .message = (char *)gr_wheel_state_text(w->state),
        .hardware_id = (char *)record->name,
        .values = {._maximum = VALUES, ._length = VALUES, ._buffer = &d->values[VALUES * wheel]},
    };
}

static void ros_diagnostics_fill(GrRosDiagnostics *diagnostics, const GrRecordDef *record, const GrSample *sample)
{
    const int count = gr_model_wheel_count(record->model);
    for (int i = 0; i < count; i++) {
        fill_wheel(diagnostics, record, i, &sample->wheels[i]);
    }
    diagnostics->message = (diagnostic_msgs_msg_dds__DiagnosticArray_){
        .header = gr_ros_header(sample->time, ""),
        .status = {._maximum = (uint32_t)count, ._length = (uint32_t)count, ._buffer = diagnostics->status},
    };
}

// ---- the node

static const double DIAGNOSTICS_PERIOD = 0.1; // [s]
static const double MAP_INTERVAL = 2;         // [m]
static const double SAME_TIME = 1e-9;         // sample times need not be multiples of a period [s]

struct GrRosNode {
    GrRecordDef record;
    GrRosBus bus;
    const char *base; ///< frame of the rover
    GrBuffer urdf;
    int *joint_of; ///< [bodies] joint by which the body hangs on its parent; −1: body 0
    geometry_msgs_msg_dds__TransformStamped_ *moving, *fixed;
    char **joint_names;
    double *positions, *velocities, *efforts;
    GrRosSensors *sensors; ///< NULL: the run has none
    GrRosMap map;
    GrVec3 map_at;
    bool mapped;
    GrRosDiagnostics diagnostics;
    double diagnostics_due; ///< [s]
    long dropped;
};

// ---- parts of messages

std_msgs_msg_dds__Header_ gr_ros_header(double time, const char *frame)
{
    const long long ns = llround(1e9 * time);
    return (std_msgs_msg_dds__Header_){
        .stamp = {.sec = (int32_t)(ns / 1000000000), .nanosec = (uint32_t)(ns % 1000000000)},
        .frame_id = (char *)frame,
    };
}

static geometry_msgs_msg_dds__Point_ ros_point(GrVec3 v)
{
    return (geometry_msgs_msg_dds__Point_){v.x, v.y, v.z};
}

geometry_msgs_msg_dds__Vector3_ gr_ros_vector(GrVec3 v)
{
    return (geometry_msgs_msg_dds__Vector3_){v.x, v.y, v.z};
}

geometry_msgs_msg_dds__Quaternion_ gr_ros_quaternion(GrQuat q)
{
    return (geometry_msgs_msg_dds__Quaternion_){.x = q.x, .y = q.y, .z = q.z, .w = q.w};
}

geometry_msgs_msg_dds__TransformStamped_ gr_ros_transform(double time, const char *parent, const char *child,
                                                          GrPose pose)
{
    return (geometry_msgs_msg_dds__TransformStamped_){
        .header = gr_ros_header(time, parent),
        .child_frame_id = (char *)child,
        .transform = {gr_ros_vector(pose.position), gr_ros_quaternion(pose.rotation)},
    };
}

static void send(GrRosNode *node, GrRosTopic topic, const void *message)
{
    node->dropped += !node->bus.write(node->bus.context, topic, message);
}

static void send_transforms(GrRosNode *node, GrRosTopic topic, geometry_msgs_msg_dds__TransformStamped_ *all, int count)
{
    const tf2_msgs_msg_dds__TFMessage_ message = {
        .transforms = {._maximum = (uint32_t)count, ._length = (uint32_t)count, ._buffer = all}};
    send(node, topic, &message);
}

// ---- creation

/// Frames of ROS 2 that a body or a sensor must not have as its name.
static GrStatus check_names(const GrRoverDef *rover, GrErrorLog *log)
{
    for (int i = 0; i < rover->body_count; i++) {
        const char *name = rover->bodies[i].name;
        if (strcmp(name, GR_ROS_MAP_FRAME) == 0 || strcmp(name, GR_ROS_ODOM_FRAME) == 0) {
            return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = name},
                                "a body has the name %s, which is a frame of ROS 2 (REP 105): rename the body", name);
        }
    }
    for (int i = 0; i < rover->sensor_count; i++) {
        const char *name = rover->sensors[i].name;
        if (strcmp(name, GR_ROS_MAP_FRAME) == 0 || strcmp(name, GR_ROS_ODOM_FRAME) == 0) {
            return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = name},
                                "a sensor has the name %s, which is a frame of ROS 2 (REP 105): rename it", name);
        }
    }
    return GR_OK;
}

static bool allocate(GrRosNode *node)
{
    const size_t bodies = (size_t)node->record.rover->body_count;
    const size_t joints = (size_t)gr_model_joint_count(node->record.model);
    node->joint_of = gr_calloc(bodies + 1, sizeof *node->joint_of);
    node->moving = gr_calloc(bodies + 2, sizeof *node->moving); // and map to odom, odom to base
    node->fixed = gr_calloc(bodies + 2 * (size_t)node->record.rover->sensor_count + 1, sizeof *node->fixed);
    node->joint_names = gr_calloc(joints + 1, sizeof(char *));
    node->positions = gr_calloc(joints + 1, sizeof *node->positions);
    node->velocities = gr_calloc(joints + 1, sizeof *node->velocities);
    node->efforts = gr_calloc(joints + 1, sizeof *node->efforts);
    return node->joint_of != NULL && node->moving != NULL && node->fixed != NULL && node->joint_names != NULL &&
           node->positions != NULL && node->velocities != NULL && node->efforts != NULL && ros_map_init(&node->map) &&
           ros_diagnostics_init(&node->diagnostics, node->record.model);
}

GrRosNode *gr_ros_node_create(const GrRosNodeDef *def, GrErrorLog *log)
{
    const GrRoverDef *rover = def->record->rover;
    GrRosNode *node = check_names(rover, log) == GR_OK ? gr_calloc(1, sizeof *node) : NULL;
    if (node == NULL) {
        return NULL;
    }
    node->record = *def->record;
    node->bus = def->bus;
    node->base = gr_urdf_base(rover);
    gr_urdf_write(rover, &node->urdf);
    if (!allocate(node) || node->urdf.failed) {
        gr_out_of_memory(log, NULL);
        gr_ros_node_free(node);
        return NULL;
    }
    node->sensors = def->sensors ? gr_ros_sensors_create(rover, def->bus, log) : NULL;
    if (def->sensors && node->sensors == NULL) {
        gr_ros_node_free(node);
        return NULL;
    }
    node->joint_of[0] = -1;
    for (int i = 0; i < rover->joint_count; i++) {
        node->joint_of[rover->joints[i].child] = i;
    }
    for (int i = 0; i < gr_model_joint_count(node->record.model); i++) {
        node->joint_names[i] = (char *)gr_model_joint_name(node->record.model, i);
    }
    return node;
}

void gr_ros_node_free(GrRosNode *node)
{
    if (node != NULL) {
        gr_buffer_free(&node->urdf);
        gr_free(node->joint_of);
        gr_free(node->moving);
        gr_free(node->fixed);
        gr_free(node->joint_names);
        gr_free(node->positions);
        gr_free(node->velocities);
        gr_free(node->efforts);
        gr_ros_sensors_free(node->sensors);
        ros_map_free(&node->map);
        ros_diagnostics_free(&node->diagnostics);
        gr_free(node);
    }
}

long gr_ros_node_dropped(const GrRosNode *node)
{
    return node->dropped;
}

// ---- what does not change

void gr_ros_node_introduce(GrRosNode *node)
{
    const GrRoverDef *rover = node->record.rover;
    const std_msgs_msg_dds__String_ text = {.data = node->urdf.data};
    int count = 0;
    if (node->base != rover->bodies[0].name) {
        node->fixed[count++] = gr_ros_transform(0, node->base, rover->bodies[0].name, gr_pose_identity());
    }
    for (int i = 0; i < rover->joint_count; i++) {
        const GrJointDef *joint = &rover->joints[i];
        if (joint->kind == GR_JOINT_FIXED) {
            node->fixed[count++] =
                gr_ros_transform(0, rover->bodies[joint->parent].name, rover->bodies[joint->child].name, joint->pose);
        }
    }
    if (node->sensors != NULL) {
        int mounts;
        const geometry_msgs_msg_dds__TransformStamped_ *all = gr_ros_sensors_mounts(node->sensors, &mounts);
        memcpy(&node->fixed[count], all, (size_t)mounts * sizeof *all);
        count += mounts;
    }
    send(node, GR_ROS_DESCRIPTION, &text);
    send_transforms(node, GR_ROS_TF_STATIC, node->fixed, count);
}

// ---- samples

static GrPose odometry_pose(const GrOdometry *o)
{
    return (GrPose){{o->x, o->y, 0}, gr_quat_axis_angle(gr_vec3(0, 0, 1), o->heading)};
}

static void put_frames(GrRosNode *node, const GrSample *sample)
{
    const GrRoverDef *rover = node->record.rover;
    const GrPose believed = odometry_pose(&sample->odometry);
    const GrPose error = gr_pose_mul(sample->pose, gr_pose_inverse(believed));
    int count = 0;
    node->moving[count++] = gr_ros_transform(sample->time, GR_ROS_MAP_FRAME, GR_ROS_ODOM_FRAME, error);
    node->moving[count++] = gr_ros_transform(sample->time, GR_ROS_ODOM_FRAME, node->base, believed);
    for (int i = 0; i < rover->body_count; i++) {
        const GrJointDef *joint = node->joint_of[i] >= 0 ? &rover->joints[node->joint_of[i]] : NULL;
        if (joint != NULL && joint->kind != GR_JOINT_FIXED) {
            const GrPose pose = gr_pose_mul(gr_pose_inverse(sample->bodies[joint->parent]), sample->bodies[i]);
            node->moving[count++] =
                gr_ros_transform(sample->time, rover->bodies[joint->parent].name, rover->bodies[i].name, pose);
        }
    }
    send_transforms(node, GR_ROS_TF, node->moving, count);
}

static void put_odometry(GrRosNode *node, const GrSample *sample)
{
    const GrOdometry *o = &sample->odometry;
    const GrPose believed = odometry_pose(o);
    const GrQuat back = gr_quat_conjugate(sample->pose.rotation);
    nav_msgs_msg_dds__Odometry_ message = {.header = gr_ros_header(sample->time, GR_ROS_ODOM_FRAME),
                                           .child_frame_id = (char *)node->base};
    message.pose.pose.position = ros_point(believed.position);
    message.pose.pose.orientation = gr_ros_quaternion(believed.rotation);
    message.twist.twist.linear = gr_ros_vector(gr_vec3(o->v_x, o->v_y, 0));
    message.twist.twist.angular = gr_ros_vector(gr_vec3(0, 0, o->yaw_rate));
    send(node, GR_ROS_ODOM, &message);
    message.header.frame_id = (char *)GR_ROS_MAP_FRAME;
    message.pose.pose.position = ros_point(sample->pose.position);
    message.pose.pose.orientation = gr_ros_quaternion(sample->pose.rotation);
    message.twist.twist.linear = gr_ros_vector(gr_quat_rotate(back, sample->velocity)); // in the frame of the child
    message.twist.twist.angular = gr_ros_vector(gr_quat_rotate(back, sample->angular_velocity));
    send(node, GR_ROS_TRUTH, &message);
}

static void put_joints(GrRosNode *node, const GrSample *sample)
{
    const uint32_t count = (uint32_t)gr_model_joint_count(node->record.model);
    for (uint32_t i = 0; i < count; i++) {
        node->positions[i] = sample->joints[i].angle;
        node->velocities[i] = sample->joints[i].rate;
        node->efforts[i] = sample->joints[i].torque;
    }
    const sensor_msgs_msg_dds__JointState_ message = {
        .header = gr_ros_header(sample->time, ""),
        .name = {._maximum = count, ._length = count, ._buffer = node->joint_names},
        .position = {._maximum = count, ._length = count, ._buffer = node->positions},
        .velocity = {._maximum = count, ._length = count, ._buffer = node->velocities},
        .effort = {._maximum = count, ._length = count, ._buffer = node->efforts},
    };
    send(node, GR_ROS_JOINTS, &message);
}

static void put_imu(GrRosNode *node, const GrSample *sample)
{
    const GrQuat back = gr_quat_conjugate(sample->pose.rotation);
    const sensor_msgs_msg_dds__Imu_ message = {
        .header = gr_ros_header(sample->time, node->base),
        .orientation = gr_ros_quaternion(sample->pose.rotation),
        .angular_velocity = gr_ros_vector(gr_quat_rotate(back, sample->angular_velocity)),
        .linear_acceleration = gr_ros_vector(sample->acceleration),
    };
    send(node, GR_ROS_IMU, &message);
}

static void put_map(GrRosNode *node, const GrSample *sample)
{
    const GrVec3 at = sample->pose.position;
    const bool due = !node->mapped || fmax(fabs(at.x - node->map_at.x), fabs(at.y - node->map_at.y)) >= MAP_INTERVAL;
    if (due && isfinite(at.x) && isfinite(at.y)) {
        ros_map_fill(&node->map, &node->record, sample->time, at);
        send(node, GR_ROS_MAP, &node->map.message);
        node->map_at = at;
        node->mapped = true;
    }
}

void gr_ros_node_put(GrRosNode *node, const GrSample *sample)
{
    const rosgraph_msgs_msg_dds__Clock_ now = {.clock = gr_ros_header(sample->time, "").stamp};
    put_frames(node, sample);
    put_odometry(node, sample);
    put_joints(node, sample);
    put_imu(node, sample);
    put_map(node, sample);
    if (sample->time >= node->diagnostics_due - SAME_TIME) {
        ros_diagnostics_fill(&node->diagnostics, &node->record, sample);
        send(node, GR_ROS_DIAGNOSTICS, &node->diagnostics.message);
        node->diagnostics_due = sample->time + DIAGNOSTICS_PERIOD;
    }
    send(node, GR_ROS_CLOCK, &now); // last: who waits for it finds the rest
}

void gr_ros_node_measure(GrRosNode *node, const GrMeasurement *m)
{
    node->dropped += node->sensors != NULL ? gr_ros_sensors_put(node->sensors, m) : 0;
}

void gr_ros_reply(const GrRosBus *bus, GrRosTopic request, const void *message, bool good, const char *text)
{
    const std_srvs_srv_dds__Trigger_Request_ *asked = message;
    const std_srvs_srv_dds__Trigger_Response_ reply = {
        .rmw_guid = asked->rmw_guid, .rmw_seq = asked->rmw_seq, .success = good, .message = (char *)text};
    bus->write(bus->context, (GrRosTopic)(request + 1), &reply);
}
