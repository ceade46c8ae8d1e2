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

#endif
