/// Internals of GrSense: the sensors with their states, and the kinds as a table.
#ifndef GR_SENSOR_H
#define GR_SENSOR_H

#include "buffer.h"
#include "ray_scene.h"
#include "sensor_noise.h"
#include "vec3.h"

#include <stdatomic.h>

/// Where a sensor is, and its joint, at one instant.
typedef struct GrMount {
    GrPose pose;     ///< of the sensor frame
    GrVec3 velocity; ///< of its origin
    GrVec3 turn;     ///< angular velocity, sensor axes
    double joint;    ///< encoder: position
} GrMount;

typedef struct GrSensor GrSensor;

/// A kind of sensor: one row of the table in sensor_kind.c.
typedef struct GrSensorKindRow {
    const char *columns[GR_MEASUREMENT_VALUES];
    int column_count;
    bool interval; ///< it measures the change since its last instant: none at the first one
    bool rays;     ///< it needs the scene
    /// Prepares the state; false after an error. NULL: nothing to do.
    bool (*begin)(GrSensor *sensor, GrErrorLog *log);
    void (*measure)(GrSensor *sensor, const GrMount *now, GrMeasurement *out);
} GrSensorKindRow;

extern const GrSensorKindRow gr_sensor_kinds[GR_SENSOR_KIND_COUNT];

/// What the errors of the kinds remember.
typedef struct GrErrorState {
    GrNoiseModel gyro_model, accelerometer_model;
    GrNoiseState gyro[3], accelerometer[3];
    double bias[2]; ///< inclinometer
    double scale;   ///< visual_odometry
} GrErrorState;

/// Rays of a scan or of an image, in the sensor frame: unit vectors of a LiDAR, of a camera with x = 1.
typedef struct GrPattern {
    GrVec3 *rays; ///< owned
    int columns, rows;
} GrPattern;

struct GrSensor {
    const GrSensorDef *def;
    const GrSensorKindRow *kind;
    GrRandom random, drop;
    long next;    ///< number of the next frame
    bool begun;   ///< it has measured before
    double time;  ///< when it did [s]
    GrMount last; ///< where it was then
    GrVec3 gravity;
    GrVec3 sun;       ///< direction to it at the present frame, world axes
    double far_light; ///< share of its disc above ground that rays do not reach, at the present frame
    GrErrorState error;
    int model_joint; ///< encoder: joint of the model
    double turn;     ///< encoder: a revolution [rad], of a sliding joint a metre
    GrPattern pattern;
    GrRayScene *scene; ///< shared; NULL: no sensor has rays
    int threads;
    uint64_t stream; ///< of the random numbers of its rays
    float *ranges, *points;
    float *intensities; ///< lidar; NULL: not asked for
    unsigned char *grey;
    double *light;                  ///< camera: of its pixels; 1: a white surface that faces the sun
    double exposure, next_exposure; ///< camera: of the present frame, and of the one after it
    atomic_long blind;              ///< rays into ground that is not in memory
};

// rays.c

/// What one ray of a frame gives; called by several threads for different rays.
typedef void (*GrRayFn)(GrSensor *sensor, const GrMount *now, int ray, uint64_t stream);

/// Memory for the results of all rays. False when out of memory.
bool gr_rays_begin(GrSensor *sensor, GrErrorLog *log);

/// Calls `fn` for all rays of a frame. `stream` is that of the frame's random numbers.
void gr_rays_each(GrSensor *sensor, const GrMount *now, long frame, GrRayFn fn);

/// Number, least and mean of the ranges that are not NaN.
typedef struct GrRangeFigures {
    int count;
    double least, mean; ///< NAN where there is none
} GrRangeFigures;
GrRangeFigures gr_range_figures(const GrSensor *sensor);

// rays.c, camera.c

bool gr_lidar_begin(GrSensor *sensor, GrErrorLog *log);
void gr_lidar_measure(GrSensor *sensor, const GrMount *now, GrMeasurement *out);
bool gr_camera_begin(GrSensor *sensor, GrErrorLog *log);
void gr_camera_measure(GrSensor *sensor, const GrMount *now, GrMeasurement *out);

#endif
