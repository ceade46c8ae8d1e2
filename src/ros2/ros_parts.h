/// Parts of a ROS 2 node that several files use.
#ifndef GR_ROS_PARTS_H
#define GR_ROS_PARTS_H

#include "grouser/record.h"
#include "ros_types.h"

#define GR_ROS_MAP_FRAME  "map"
#define GR_ROS_ODOM_FRAME "odom"

std_msgs_msg_dds__Header_ gr_ros_header(double time, const char *frame);
geometry_msgs_msg_dds__Vector3_ gr_ros_vector(GrVec3 v);
geometry_msgs_msg_dds__Quaternion_ gr_ros_quaternion(GrQuat q);

geometry_msgs_msg_dds__TransformStamped_ gr_ros_transform(double time, const char *parent, const char *child,
                                                          GrPose pose);

/// Heights of the ground around a point, as a grid map.
typedef struct GrRosMap {
    float *heights; ///< [GR_ROS_MAP_CELLS²]
    std_msgs_msg_dds__MultiArrayDimension_ dims[2];
    std_msgs_msg_dds__Float32MultiArray_ layer;
    char *layers[1];
    grid_map_msgs_msg_dds__GridMap_ message;
} GrRosMap;

enum { GR_ROS_MAP_CELLS = 160 }; ///< a side
#define GR_ROS_MAP_CELL 0.1      ///< [m]

/// Slip, sinkage and forces of every wheel as text.
typedef struct GrRosDiagnostics {
    diagnostic_msgs_msg_dds__DiagnosticStatus_ *status;
    diagnostic_msgs_msg_dds__KeyValue_ *values;
    char (*texts)[32];
    diagnostic_msgs_msg_dds__DiagnosticArray_ message;
} GrRosDiagnostics;

#endif
