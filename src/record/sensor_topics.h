/// The measurements of a rover's sensors as messages by topic, into run.mcap or to clients of a live run.
///
///     /sensors/NAME                grouser.KIND; a LiDAR's is foxglove.PointCloud
///     /sensors/NAME/image, depth   foxglove.RawImage; /sensors/NAME/calibration: foxglove.CameraCalibration
///     /sensors                     foxglove.FrameTransforms: where the sensors are mounted
#ifndef GR_SENSOR_TOPICS_H
#define GR_SENSOR_TOPICS_H

#include "grouser/sense.h"
#include "topic_sink.h"

typedef struct GrSensorTopics GrSensorTopics;

/// Opens the channels. The rover must outlive them. NULL when out of memory.
GrSensorTopics *gr_sensor_topics_create(const GrRoverDef *rover, GrTopicSink sink, GrErrorLog *log);
void gr_sensor_topics_free(GrSensorTopics *topics);

/// Takes one message: the sink's own functions, or a queue before it.
typedef GrStatus (*GrSensorPutFn)(void *context, int channel, double time, const GrBuffer *bytes, GrErrorLog *log);

/// Where the sensors are mounted.
GrStatus gr_sensor_topics_introduce(GrSensorTopics *topics, GrSensorPutFn put, void *context, GrErrorLog *log);

/// All messages of a measurement, at the time of its delivery.
GrStatus gr_sensor_topics_add(GrSensorTopics *topics, const GrMeasurement *measurement, GrSensorPutFn put,
                              void *context, GrErrorLog *log);

// What the measurements of each kind of sensor become for others: one row for each output. Recordings (run.mcap), the
// live view for Foxglove and ROS 2 all go by this table, so that a new sensor is in all of them.
//
//     /sensors/NAME                    numbers; a LiDAR's points
//     /sensors/NAME/image, depth, …    of a camera

typedef enum GrSensorShape {
    GR_SHAPE_VALUES,      ///< the numbers of a measurement
    GR_SHAPE_CLOUD,       ///< returns of a LiDAR
    GR_SHAPE_IMAGE,       ///< grey image
    GR_SHAPE_DEPTH,       ///< depth image
    GR_SHAPE_CALIBRATION, ///< of a camera
} GrSensorShape;

typedef struct GrSensorOutput {
    unsigned kinds; ///< bit k: sensors of kind k have it
    GrSensorShape shape;
    const char *part;     ///< after "/sensors/NAME"
    const char *ros_part; ///< the same in ROS 2, whose tools look for "camera_info" beside an image
} GrSensorOutput;

enum { GR_SENSOR_OUTPUT_COUNT = 5, GR_SENSOR_TOPIC_SIZE = GR_NAME_SIZE + 32 };
extern const GrSensorOutput gr_sensor_outputs[GR_SENSOR_OUTPUT_COUNT];

/// Whether a sensor has this output: a camera without a grey image has none of it.
bool gr_sensor_has_output(const GrSensorDef *sensor, int output);

/// "/sensors/NAME/part"
void gr_sensor_topic(const GrSensorDef *sensor, const char *part, char out[GR_SENSOR_TOPIC_SIZE]);

enum { GR_SENSOR_FRAME_SIZE = GR_NAME_SIZE + 16 };

/// Frame of clouds and images: the sensor's own; of a camera "NAME_optical", with z ahead, x to the right and y down.
void gr_sensor_frame(const GrSensorDef *sensor, char out[GR_SENSOR_FRAME_SIZE]);

/// Pose of the optical frame in the sensor frame.
extern const GrPose gr_optical_pose;

#endif
