/// Scans of a LiDAR as files.
#ifndef GR_SENSOR_CLOUD_H
#define GR_SENSOR_CLOUD_H

#include "buffer.h"
#include "grouser/sense.h"

/// Binary PLY, little-endian, of the returns in the sensor frame, with its true pose as a comment.
void gr_cloud_put_ply(GrBuffer *out, const GrMeasurement *scan);

/// LAS 1.4 of the returns in the coordinates of the map, to a tenth of a millimetre, by the true pose of the sensor.
/// `place` is where the map lies on its body; NULL: coordinates are those of the world.
void gr_cloud_put_las(GrBuffer *out, const char *sensor, const GrGeoreference *place, const GrMeasurement *scan);

#endif
