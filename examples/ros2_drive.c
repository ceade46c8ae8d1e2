/// Drives a rover that `grouser ros2` simulates, as a node of ROS 2 in C: turns left, then right, and compares wheel
/// odometry with the true position. It needs Cyclone DDS and the message types (src/ros2/ros_types.idl), no ROS.
///
///     grouser ros2 crossing --domain 42 --speed 10 &
///     ros2_drive 42 [track.csv]
#include "ros_types.h"

#include <dds/dds.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double SPEED = 0.1, YAW_RATE = 0.03, TURN = 0.6; // [m/s, rad/s, rad]

/// The settings of `grouser ros2`: loopback, where nodes ask this machine for others.
static const char LOOPBACK[] =
    "<CycloneDDS><Domain><General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces></General><Discovery>"
    "<ParticipantIndex>auto</ParticipantIndex><Peers><Peer address=\"localhost\"/></Peers></Discovery></Domain>"
    "</CycloneDDS>";

static void check(dds_return_t result, const char *what)
{
    if (result < 0) {
        fprintf(stderr, "ros2_drive: %s: %s\n", what, dds_strretcode(result));
        exit(1);
    }
}

static dds_entity_t open_reader(dds_entity_t node, const char *topic)
{
    const dds_entity_t made = dds_create_topic(node, &nav_msgs_msg_dds__Odometry__desc, topic, NULL, NULL);
    check(made, topic);
    const dds_entity_t reader = dds_create_reader(node, made, NULL, NULL);
    check(reader, topic);
    return reader;
}

/// The newest message of a topic; false: none has come since the last call.
static bool take(dds_entity_t reader, nav_msgs_msg_dds__Odometry_ *out)
{
    void *message = NULL;
    dds_sample_info_t info;
    const bool there = dds_take(reader, &message, &info, 1, 1) > 0;
    if (there) {
        *out = *(const nav_msgs_msg_dds__Odometry_ *)message;
        out->header.frame_id = out->child_frame_id = NULL; // they go back with the message
        dds_return_loan(reader, &message, 1);
    }
    return there && info.valid_data;
}

static double heading(const nav_msgs_msg_dds__Odometry_ *odometry)
{
    const geometry_msgs_msg_dds__Quaternion_ q = odometry->pose.pose.orientation;
    return atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
}

int main(int argc, char **argv)
{
    const dds_domainid_t domain = argc > 1 ? (dds_domainid_t)strtol(argv[1], NULL, 10) : 0;
    FILE *track = argc > 2 ? fopen(argv[2], "w") : NULL;
    check(dds_create_domain(domain, LOOPBACK), "network");
    const dds_entity_t node = dds_create_participant(domain, NULL, NULL);
    check(node, "participant");
    dds_qos_t *reliable = dds_create_qos();
    dds_qset_reliability(reliable, DDS_RELIABILITY_RELIABLE, DDS_SECS(1));
    const dds_entity_t topic = dds_create_topic(node, &geometry_msgs_msg_dds__Twist__desc, "rt/cmd_vel", NULL, NULL);
    const dds_entity_t commands = dds_create_writer(node, topic, reliable, NULL);
    check(commands, "/cmd_vel");
    const dds_entity_t truth = open_reader(node, "rt/ground_truth/odom"), odometry = open_reader(node, "rt/odom");

    nav_msgs_msg_dds__Odometry_ is = {0}, believed = {0};
    double start = NAN, turned = 0;
    int phase = 0; // left, right
    for (int i = 0; i < 3000 && phase < 2; i++) {
        const bool news = take(truth, &is);
        take(odometry, &believed);
        if (news) {
            start = isnan(start) ? heading(&is) : start;
            turned = remainder(heading(&is) - start, 2 * acos(-1));
            phase += phase == 0 ? turned > TURN : turned < -TURN;
        }
        if (news && track != NULL) {
            fprintf(track, "%d.%09u,%.6f,%.6f,%.6f,%.6f\n", is.header.stamp.sec, is.header.stamp.nanosec,
                    is.pose.pose.position.x, is.pose.pose.position.y, believed.pose.pose.position.x,
                    believed.pose.pose.position.y);
        }
        const geometry_msgs_msg_dds__Twist_ twist = {.linear.x = SPEED, .angular.z = phase == 0 ? YAW_RATE : -YAW_RATE};
        check(dds_write(commands, &twist), "/cmd_vel");
        dds_sleepfor(DDS_MSECS(10));
    }
    const geometry_msgs_msg_dds__Twist_ stop = {.linear.x = 0};
    check(dds_write(commands, &stop), "/cmd_vel");
    dds_wait_for_acks(commands, DDS_SECS(2));
    printf("turned left, then right to %.2f rad after %d s; odometry is off by %.3f m\n", turned, is.header.stamp.sec,
           hypot(is.pose.pose.position.x - believed.pose.pose.position.x,
                 is.pose.pose.position.y - believed.pose.pose.position.y));
    if (track != NULL) {
        fclose(track);
    }
    dds_delete_qos(reliable);
    dds_delete(node);
    return phase == 2 ? 0 : 1;
}
