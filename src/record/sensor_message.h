/// Measurements as protobuf messages: Foxglove's own types for clouds and images, "grouser.KIND" for others.
#ifndef GR_SENSOR_MESSAGE_H
#define GR_SENSOR_MESSAGE_H

#include "grouser/sense.h"
#include "topic_sink.h"

/// Adds the message "grouser.KIND" of a kind of sensor to a sink; returns its number there.
int gr_sensor_schema(const GrTopicSink *sink, GrSensorKind kind);

/// The numbers of a measurement: time_s, delivered_s, and its values.
void gr_sensor_put_values(GrBuffer *out, GrSensorKind kind, const GrMeasurement *measurement);

/// foxglove.PointCloud of the returns of a LiDAR, in the sensor frame.
void gr_sensor_put_cloud(GrBuffer *out, const char *frame, const GrMeasurement *measurement);

/// foxglove.RawImage: grey (mono8), or depth (32FC1, metres, NaN: none).
void gr_sensor_put_image(GrBuffer *out, const char *frame, const GrMeasurement *measurement, bool depth);

/// foxglove.CameraCalibration.
void gr_sensor_put_calibration(GrBuffer *out, const char *frame, const GrCameraDef *camera, double time);

#endif
