/// Sensors of a rover: definitions, and GrSense, which measures what they would give during a run.
///
/// Sensors belong to the rover's definition (GrRoverDef::sensors) and are mounted on its bodies. They only read the
/// simulation: the motion has the same bits with and without them. Every error is drawn from a stream of random numbers
/// that depends on the sensor's seed and name alone, so that the same run gives the same measurements, with any number
/// of threads.
///
/// A sensor of rate f measures at the instants 0, 1/f, 2/f, … . These lie between two steps of the simulation, whose
/// length sensors must not change: poses, velocities and joints are interpolated between the two (positions by a cubic
/// through both velocities, rotations at a constant rate). Ground, ruts and loose rocks are those at the end of the
/// step that passes the instant.
///
/// The sensor frame has x forward, y left, z up. A camera or a LiDAR looks along x.
///
/// Example: what an inclinometer reads of a rover at rest on a plane.
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("rashid_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrSensorDef level = gr_default_sensor_def(GR_SENSOR_INCLINOMETER);
///     snprintf(level.name, sizeof level.name, "level");
///     gr_rover_add_sensor(&rover, &level);
///     GrOptions options = gr_default_options();
///     const GrSoilDef soil = gr_default_soil_def();
///     options.surface.soil = &soil;
///     GrModel *m = NULL;
///     GrData *d = NULL;
///     if (gr_model_create(&rover, &options, &m, &log) != GR_OK || gr_data_create(m, &d, &log) != GR_OK ||
///         gr_settle(m, d, NULL, &log) != GR_OK) {
///         return 1;
///     }
///     const GrSenseDef def = {.model = m, .rover = &rover};
///     GrSense *sense = NULL;
///     gr_sense_create(&def, &sense, &log);
///     GrMeasurement reading = {0};
///     while (sense != NULL && gr_data_time(d) < 0.2 && gr_step(m, d) == GR_OK) {
///         gr_sense_update(sense, d, &log);
///         while (gr_sense_next(sense, &reading)) {
///         }
///     }
///     printf("%s: %d values\n", rover.sensors[reading.sensor].name, reading.count); // prints: level: 2 values
///     gr_sense_free(sense);
///     gr_data_free(d);
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_SENSE_H
#define GROUSER_SENSE_H

#include "grouser/sim.h"
#include "grouser/sky.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of sensors: constant, name in files, text.
#define GR_SENSOR_KIND_LIST(X)                                                                                         \
    X(IMU, imu, "angular rates and specific forces, means over the time between two measurements")                     \
    X(ENCODER, encoder, "position and rate of a joint, in counts")                                                     \
    X(INCLINOMETER, inclinometer, "roll and pitch by the direction of the specific force")                             \
    X(SUN, sun_sensor, "direction to the sun")                                                                         \
    X(STARS, star_tracker, "attitude by stars")                                                                        \
    X(VISUAL, visual_odometry, "motion between two frames, as a statistical model")                                    \
    X(LIDAR, lidar, "points of ground, rocks and the rover itself, by rays")                                           \
    X(CAMERA, camera, "grey image and depth, by rays")

typedef enum GrSensorKind {
#define GR_SENSOR_ENUM(constant, name, text) GR_SENSOR_##constant,
    GR_SENSOR_KIND_LIST(GR_SENSOR_ENUM)
#undef GR_SENSOR_ENUM
        GR_SENSOR_KIND_COUNT
} GrSensorKind;

GR_API const char *gr_sensor_kind_name(GrSensorKind kind);
GR_API const char *gr_sensor_kind_text(GrSensorKind kind);

/// Errors of the three rate gyros or of the three accelerometers of an IMU, by the terms of IEEE Std 952: the Allan
/// variance of the output is N²/τ + (2 ln 2/π) B² + K² τ/3. Unit u: rad/s or m/s². Every default is 0: no error.
typedef struct GrInertialDef {
    double noise;       ///< N, density of the white noise (angle or velocity random walk) [u/√Hz] ≥ 0
    double instability; ///< B, bias instability (flicker noise) [u] ≥ 0
    double walk;        ///< K, random walk of the bias [u/√s] ≥ 0
    double bias;        ///< standard deviation of the bias at the start, of each axis [u] ≥ 0
    double scale;       ///< standard deviation of the scale error, of each axis, as a fraction ≥ 0
    double range;       ///< larger values saturate [u] > 0; default INFINITY
    double resolution;  ///< of the output [u] ≥ 0
} GrInertialDef;

enum { GR_CAMERA_PIXELS = 1 << 24 };

/// Files of point clouds: constant, name in files and end of theirs, text.
#define GR_CLOUD_FORMAT_LIST(X)                                                                                        \
    X(PLY, ply, "binary PLY, sensor frame")                                                                            \
    X(LAS, las, "LAS 1.4, coordinates of the map by the sensor's true pose")

typedef enum GrCloudFormat {
#define GR_CLOUD_ENUM(constant, name, text) GR_CLOUD_##constant,
    GR_CLOUD_FORMAT_LIST(GR_CLOUD_ENUM)
#undef GR_CLOUD_ENUM
        GR_CLOUD_FORMAT_COUNT
} GrCloudFormat;

GR_API const char *gr_cloud_format_name(GrCloudFormat format);

/// Camera with lens distortion by Brown and Conrady (k1, k2, p1, p2, k3 in the order of OpenCV and ROS).
typedef struct GrCameraDef {
    double columns, rows; ///< pixels, whole numbers, 1 .. 8192, GR_CAMERA_PIXELS in all; default 320 x 240
    double view;          ///< horizontal angle of view without distortion [rad], (0, 170°); default 60°
    double k1, k2, k3;    ///< radial distortion; default 0
    double p1, p2;        ///< tangential distortion; default 0
    double grey;          ///< 1 (default): a grey image and depth; 0: depth alone, in half the time or less
    double exposure;      ///< grey value, as a fraction of white, of a white surface that faces the sun; default 0.9
    double albedo;        ///< of ground and rocks, as a fraction, (0, 1]; default 0.3
    double ambient;       ///< light in shadow as a fraction of the sun's, 0 .. 1; default 0.02
    double photons;       ///< electrons of a white pixel: shot noise is 1/√ of it; 0 (default): no shot noise
    double read_noise;    ///< standard deviation of a pixel in the dark, as a fraction of white; default 0
    double hapke;   ///< 1: ground and rocks scatter as the Moon's regolith does, with opposition effect (Hapke); 0
                    ///< (default): by Lambert's law
    double texture; ///< contrast of the pattern of ground and rocks, a standard deviation of the albedo as a fraction,
                    ///< 0 .. 1; default 0: none
    double grain;   ///< length of the finest grains of the pattern [m] > 0; default 0.002
    double
        texture_seed; ///< of the pattern, a whole number, the same for all cameras that see the same ground; default 1
    double by_soil;   ///< 1: classes of soil and ruts differ in albedo and grain; 0 (default): they look the same
    double sky; ///< light of the sky, 0 .. 1, as a fraction of a white surface that faces the sun; default 0: space
    double auto_exposure; ///< mean grey value that the exposure is set to by the frame before, 0 .. 1; default 0: none
    double bayer;         ///< 1: pixels have colour filters in the order RGGB; 0 (default): none
    double red, blue;     ///< light behind the red and the blue filter over that behind the green; default 1.15, 0.8
    double exposure_time; ///< motion blurs a frame for this long [s] ≥ 0; default 0
    double readout;       ///< rolling shutter: time from the first row to the last [s] ≥ 0; default 0: all at once
    double depth_noise;   ///< standard deviation of the depth at 1 m, grows with its square (stereo) [m]; default 0
} GrCameraDef;

/// Scan of a LiDAR.
typedef struct GrLidarDef {
    double lines;         ///< number of lines, a whole number, 1 .. 1024; default 16
    double columns;       ///< rays of a line in one scan, a whole number, 1 .. 16384; default 360
    double lower, upper;  ///< elevation of the lowest and the highest line [rad]; default −15° and 15°
    double left, right;   ///< azimuths between which it scans, from x to the left [rad]; default −180° and 180°
    double grazing;       ///< rays that meet a surface at less than this angle have no return [rad]; default 0
    double range_noise;   ///< standard deviation of a range [m]; default 0
    double range_bias;    ///< added to every range [m]; default 0
    double lost;          ///< fraction of returns that are lost at random, 0 .. 1; default 0
    double intensity;     ///< 1: also the intensity of each return, the cosine of its angle of incidence; default 0
    GrCloudFormat format; ///< of files; default GR_CLOUD_PLY
    char pattern[256];    ///< file with one line `azimuth_deg, elevation_deg` per ray, in place of lines and columns;
                          ///< "" (default): none
} GrLidarDef;

/// One sensor. Start from gr_default_sensor_def().
typedef struct GrSensorDef {
    char name[GR_NAME_SIZE]; ///< of letters, digits and _, unique
    GrSensorKind kind;
    int body;                          ///< that carries it; default 0, the chassis
    GrPose pose;                       ///< of the sensor frame in that body; default identity
    double rate;                       ///< [Hz], 0.001 .. 10000; the default depends on the kind
    double latency;                    ///< time until a measurement is delivered [s] ≥ 0; default 0
    double dropout;                    ///< fraction of measurements that are lost at random, 0 .. 1; default 0
    double seed;                       ///< of its errors, a whole number, 0 .. 2^32; default 1
    GrInertialDef gyro, accelerometer; ///< imu
    int joint;                         ///< encoder: joint of the definition; default −1: none yet
    double counts;      ///< encoder: counts per revolution (of a sliding joint: per metre) ≥ 0; 0 (default): exact
    double noise;       ///< inclinometer, sun_sensor: standard deviation of each angle; star_tracker: of the rotations
                        ///< across the line of sight; visual_odometry: of a rotation per frame [rad] ≥ 0; default 0
    double noise_about; ///< star_tracker: about the line of sight (x) [rad] ≥ 0; default 0
    double bias;        ///< inclinometer: standard deviation of a constant error of each angle [rad]; default 0
    double resolution;  ///< inclinometer: of the output [rad] ≥ 0; default 0
    double view;        ///< sun_sensor: half angle of its field of view about x [rad], (0, 180°]; default 60°
    double exclusion;   ///< star_tracker: smallest angle between x and the sun [rad] ≥ 0; default 0: none
    double drift;       ///< visual_odometry: standard deviation of the translation as a fraction of it ≥ 0; default 0
    double scale;       ///< visual_odometry: standard deviation of a constant scale error ≥ 0; default 0
    double range_min;   ///< lidar, camera: rays start here; a shape that encloses this point is not seen [m] ≥ 0;
                        ///< default 0.1
    double range_max;   ///< lidar, camera: and end here [m] > range_min; default 30
    double sun_azimuth; ///< camera, sun_sensor, star_tracker: clockwise from north (y) [rad]; default 135°
    double sun_elevation; ///< the same: above the horizontal [rad], −90° .. 90°; default 30°
    double save_every;    ///< lidar, camera: every how many frames a file is written; 0: none; default 1
    GrLidarDef lidar;
    GrCameraDef camera;
} GrSensorDef;

GR_API GrSensorDef gr_default_sensor_def(GrSensorKind kind);

/// Appends a copy of a sensor and returns its index, or −1 when out of memory.
GR_API int gr_rover_add_sensor(GrRoverDef *rover, const GrSensorDef *sensor);

/// Checks the sensors of a rover: names, bodies, joints, and every value. gr_rover_check() calls it.
GR_API GrStatus gr_sensors_check(const GrRoverDef *rover, GrErrorLog *log);

/// ------------------------------------------------------------------------------------------------------------------

/// What the sensors see. Everything must outlive the GrSense.
typedef struct GrSenseDef {
    const GrModel *model;
    const GrRoverDef *rover; ///< of the model
    GrTerrain *terrain;      ///< of the model; its tiles are loaded as far as rays reach. NULL: the plane z = 0
    int threads;             ///< for rays; 0 or 1: none besides the caller's
    GrSunDef sun;            ///< in place of the sensors' own; its kind GR_SUN_NONE (default): they keep theirs
} GrSenseDef;

typedef struct GrSense GrSense;

/// NULL if a sensor is not valid, with the reason in `log`, or when out of memory.
GR_API GrStatus gr_sense_create(const GrSenseDef *def, GrSense **out, GrErrorLog *log);
GR_API void gr_sense_free(GrSense *sense);

enum { GR_MEASUREMENT_VALUES = 8 };

/// A measurement. Pointers are valid until the next call of gr_sense_next().
typedef struct GrMeasurement {
    int sensor;                           ///< index in GrRoverDef::sensors
    long frame;                           ///< number of the measurement, from 0; those that drop out are counted
    double time;                          ///< instant of the measurement [s]
    double delivered;                     ///< when it arrives: time + latency [s]
    GrPose pose;                          ///< true pose of the sensor frame, world axes
    double values[GR_MEASUREMENT_VALUES]; ///< as gr_sensor_column() names them
    int count;                            ///< of values
    int columns, rows;         ///< camera, lidar: of the following; a LiDAR's line is a row, the lowest first
    const float *ranges;       ///< lidar: range of a ray; camera: depth along x [m]; NAN: no return
    const float *points;       ///< lidar: x, y, z of each return, sensor frame [m]; NAN: no return
    const float *intensities;  ///< lidar: of each return, 0 .. 1; NULL: GrLidarDef::intensity is 0
    const unsigned char *grey; ///< camera: row by row from the top; NULL: depth alone
} GrMeasurement;

/// Number of values of a sensor's measurements, and the name of each with its unit: "rate_x_rad_s".
GR_API int gr_sensor_column_count(GrSensorKind kind);
GR_API const char *gr_sensor_column(GrSensorKind kind, int column);

/// Call it after every step, and before the first one for measurements at that instant. Notes the state; the
/// measurements of all instants since the last call are then taken by gr_sense_next(). GR_ERROR_MEMORY: one of those
/// before was left out.
GR_API GrStatus gr_sense_update(GrSense *sense, const GrData *d, GrErrorLog *log);

/// Takes the next measurement in the order of time, then of sensors; false when there are no more until the next
/// update. Those that drop out are left out.
GR_API bool gr_sense_next(GrSense *sense, GrMeasurement *out);

/// Rays that met ground which is not in memory: they have no return. Above 0, ranges exceed what the terrain's memory
/// limit allows.
GR_API long gr_sense_blind_rays(const GrSense *sense);

#ifdef __cplusplus
}
#endif
#endif
