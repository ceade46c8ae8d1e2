/// The measurements of a rover's sensors as messages of ROS 2, each on its own topic, when they are delivered. The
/// time of a header is that of the measurement.
///
///     /sensors/NAME                               by the kind of the sensor: sensor_msgs/Imu, JointState, PointCloud2,
///     … /sensors/NAME/image, depth, camera_info     of a camera, in the frame NAME_optical
#ifndef GR_ROS_SENSORS_H
#define GR_ROS_SENSORS_H

#include "grouser/sense.h"
#include "ros_bus.h"
#include "ros_types.h"

typedef struct GrRosSensors GrRosSensors;

/// Opens the topics. The rover must outlive the sensors. NULL after an error.
GrRosSensors *gr_ros_sensors_create(const GrRoverDef *rover, GrRosBus bus, GrErrorLog *log);
void gr_ros_sensors_free(GrRosSensors *sensors);

/// Where the sensors are mounted, for /tf_static; valid as long as the sensors.
const geometry_msgs_msg_dds__TransformStamped_ *gr_ros_sensors_mounts(const GrRosSensors *sensors, int *count);

/// Sends a measurement; returns how many of its messages were dropped.
int gr_ros_sensors_put(GrRosSensors *sensors, const GrMeasurement *measurement);

#endif
