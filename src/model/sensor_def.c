/// Defaults, parameters and checks of sensors.
#include "grouser/localise.h"
#include "grouser/sense.h"

#include "alloc.h"
#include "named.h"
#include "number.h"
#include "sensor_param.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

static const GrNamed KINDS[] = {GR_SENSOR_KIND_LIST(GR_NAMED_ROW)};

#define GR_KIND_NAME(constant, name, text) #name,
const char *const gr_sensor_kind_names[GR_SENSOR_KIND_COUNT] = {GR_SENSOR_KIND_LIST(GR_KIND_NAME)};
#undef GR_KIND_NAME

#define GR_FORMAT_NAME(constant, name, text) #name,
const char *const gr_cloud_format_names[GR_CLOUD_FORMAT_COUNT] = {GR_CLOUD_FORMAT_LIST(GR_FORMAT_NAME)};
#undef GR_FORMAT_NAME

const char *gr_cloud_format_name(GrCloudFormat format)
{
    return (unsigned)format < GR_CLOUD_FORMAT_COUNT ? gr_cloud_format_names[format] : "";
}

const char *gr_sensor_kind_name(GrSensorKind kind)
{
    return GR_NAMED_GET(KINDS, kind, name);
}

const char *gr_sensor_kind_text(GrSensorKind kind)
{
    return GR_NAMED_GET(KINDS, kind, text);
}

#define KIND(name) (1u << GR_SENSOR_##name)
static const unsigned ALL = (1u << GR_SENSOR_KIND_COUNT) - 1;
enum {
    RAYS = KIND(LIDAR) | KIND(CAMERA),
    SUNLIT = KIND(CAMERA) | KIND(SUN) | KIND(STARS),
};

#define DEG        GR_DEGREE
#define AT(member) offsetof(GrSensorDef, member)

/// group, key, text, offset, factor, lower, upper, open, whole, kinds
static const GrSensorParam PARAMS[] = {
    {"", "rate_Hz", "measurements per second", AT(rate), 1, 1e-3, 1e4, false, false, ALL},
    {"", "latency_s", "until a measurement is delivered", AT(latency), 1, 0, 1e4, false, false, ALL},
    {"", "dropout", "fraction of measurements that are lost", AT(dropout), 1, 0, 1, false, false, ALL},
    {"", "seed", "of the random errors", AT(seed), 1, 0, 4294967295.0, false, true, ALL},
    {"gyro", "noise_deg_s_per_sqrt_Hz", "density of the white noise", AT(gyro.noise), DEG, 0, 1e6, false, false,
     KIND(IMU)},
    {"gyro", "bias_instability_deg_s", "flicker noise of the bias", AT(gyro.instability), DEG, 0, 1e6, false, false,
     KIND(IMU)},
    {"gyro", "random_walk_deg_s_per_sqrt_s", "random walk of the bias", AT(gyro.walk), DEG, 0, 1e6, false, false,
     KIND(IMU)},
    {"gyro", "bias_deg_s", "standard deviation of the bias at the start", AT(gyro.bias), DEG, 0, 1e6, false, false,
     KIND(IMU)},
    {"gyro", "scale_error", "standard deviation of the scale error", AT(gyro.scale), 1, 0, 0.5, false, false,
     KIND(IMU)},
    {"gyro", "range_deg_s", "larger values saturate", AT(gyro.range), DEG, 0, INFINITY, true, false, KIND(IMU)},
    {"gyro", "resolution_deg_s", "of the output", AT(gyro.resolution), DEG, 0, 1e6, false, false, KIND(IMU)},
    {"accelerometer", "noise_m_s2_per_sqrt_Hz", "density of the white noise", AT(accelerometer.noise), 1, 0, 1e6, false,
     false, KIND(IMU)},
    {"accelerometer", "bias_instability_m_s2", "flicker noise of the bias", AT(accelerometer.instability), 1, 0, 1e6,
     false, false, KIND(IMU)},
    {"accelerometer", "random_walk_m_s2_per_sqrt_s", "random walk of the bias", AT(accelerometer.walk), 1, 0, 1e6,
     false, false, KIND(IMU)},
    {"accelerometer", "bias_m_s2", "standard deviation of the bias at the start", AT(accelerometer.bias), 1, 0, 1e6,
     false, false, KIND(IMU)},
    {"accelerometer", "scale_error", "standard deviation of the scale error", AT(accelerometer.scale), 1, 0, 0.5, false,
     false, KIND(IMU)},
    {"accelerometer", "range_m_s2", "larger values saturate", AT(accelerometer.range), 1, 0, INFINITY, true, false,
     KIND(IMU)},
    {"accelerometer", "resolution_m_s2", "of the output", AT(accelerometer.resolution), 1, 0, 1e6, false, false,
     KIND(IMU)},
    {"", "counts", "per revolution, or per metre", AT(counts), 1, 0, 1e12, false, false, KIND(ENCODER)},
    {"", "noise_deg", "standard deviation of an angle", AT(noise), DEG, 0, 90, false, false,
     KIND(INCLINOMETER) | KIND(SUN) | KIND(STARS) | KIND(VISUAL)},
    {"", "noise_about_x_deg", "the same about the line of sight", AT(noise_about), DEG, 0, 90, false, false,
     KIND(STARS)},
    {"", "bias_deg", "standard deviation of a constant error", AT(bias), DEG, 0, 90, false, false, KIND(INCLINOMETER)},
    {"", "resolution_deg", "of the output", AT(resolution), DEG, 0, 90, false, false, KIND(INCLINOMETER)},
    {"", "half_view_deg", "half angle of view", AT(view), DEG, 0, 180, true, false, KIND(SUN)},
    {"", "sun_exclusion_deg", "smallest angle to the sun", AT(exclusion), DEG, 0, 180, false, false, KIND(STARS)},
    {"", "drift", "error of a translation as a fraction of it", AT(drift), 1, 0, 1, false, false, KIND(VISUAL)},
    {"", "scale_error", "constant error of the scale", AT(scale), 1, 0, 0.5, false, false, KIND(VISUAL)},
    {"", "range_min_m", "rays start here", AT(range_min), 1, 0, 1e4, false, false, RAYS},
    {"", "range_max_m", "rays end here", AT(range_max), 1, 0, 1e5, true, false, RAYS},
    {"", "save_every", "frames from one file to the next, 0: none", AT(save_every), 1, 0, 1e9, false, true, RAYS},
    {"", "sun_azimuth_deg", "of the sun, clockwise from north", AT(sun_azimuth), DEG, -360, 360, false, false, SUNLIT},
    {"", "sun_elevation_deg", "of the sun", AT(sun_elevation), DEG, -90, 90, false, false, SUNLIT},
    {"", "lines", "of a scan", AT(lidar.lines), 1, 1, 1024, false, true, KIND(LIDAR)},
    {"", "columns", "rays of a line", AT(lidar.columns), 1, 1, 16384, false, true, KIND(LIDAR)},
    {"", "lower_deg", "elevation of the lowest line", AT(lidar.lower), DEG, -90, 90, false, false, KIND(LIDAR)},
    {"", "upper_deg", "elevation of the highest line", AT(lidar.upper), DEG, -90, 90, false, false, KIND(LIDAR)},
    {"", "right_deg", "azimuth where a scan begins", AT(lidar.right), DEG, -360, 360, false, false, KIND(LIDAR)},
    {"", "left_deg", "azimuth where a scan ends", AT(lidar.left), DEG, -360, 360, false, false, KIND(LIDAR)},
    {"", "grazing_deg", "smallest angle to a surface that returns", AT(lidar.grazing), DEG, 0, 90, false, false,
     KIND(LIDAR)},
    {"", "range_noise_m", "standard deviation of a range", AT(lidar.range_noise), 1, 0, 100, false, false, KIND(LIDAR)},
    {"", "range_bias_m", "constant error of a range", AT(lidar.range_bias), 1, -100, 100, false, false, KIND(LIDAR)},
    {"", "lost", "fraction of returns that are lost", AT(lidar.lost), 1, 0, 1, false, false, KIND(LIDAR)},
    {"", "intensity", "1: also the intensity of returns", AT(lidar.intensity), 1, 0, 1, false, true, KIND(LIDAR)},
    {"", "width", "pixels of a row", AT(camera.columns), 1, 1, 8192, false, true, KIND(CAMERA)},
    {"", "height", "rows", AT(camera.rows), 1, 1, 8192, false, true, KIND(CAMERA)},
    {"", "view_deg", "horizontal angle of view", AT(camera.view), DEG, 0, 170, true, false, KIND(CAMERA)},
    {"", "k1", "radial distortion", AT(camera.k1), 1, -10, 10, false, false, KIND(CAMERA)},
    {"", "k2", "radial distortion", AT(camera.k2), 1, -10, 10, false, false, KIND(CAMERA)},
    {"", "k3", "radial distortion", AT(camera.k3), 1, -10, 10, false, false, KIND(CAMERA)},
    {"", "p1", "tangential distortion", AT(camera.p1), 1, -1, 1, false, false, KIND(CAMERA)},
    {"", "p2", "tangential distortion", AT(camera.p2), 1, -1, 1, false, false, KIND(CAMERA)},
    {"", "grey", "1: grey image and depth, 0: depth alone", AT(camera.grey), 1, 0, 1, false, true, KIND(CAMERA)},
    {"", "exposure", "grey value of a white surface that faces the sun", AT(camera.exposure), 1, 0, 1e3, true, false,
     KIND(CAMERA)},
    {"", "albedo", "of ground and rocks", AT(camera.albedo), 1, 0, 1, true, false, KIND(CAMERA)},
    {"", "ambient", "light in shadow", AT(camera.ambient), 1, 0, 1, false, false, KIND(CAMERA)},
    {"", "photons", "electrons of a white pixel", AT(camera.photons), 1, 0, 1e12, false, false, KIND(CAMERA)},
    {"", "read_noise", "standard deviation of a dark pixel", AT(camera.read_noise), 1, 0, 1, false, false,
     KIND(CAMERA)},
    {"", "hapke", "1: regolith with opposition effect, 0: Lambert's law", AT(camera.hapke), 1, 0, 1, false, true,
     KIND(CAMERA)},
    {"", "texture", "contrast of the pattern of grains", AT(camera.texture), 1, 0, 1, false, false, KIND(CAMERA)},
    {"", "grain_m", "finest grains of the pattern", AT(camera.grain), 1, 1e-4, 0.5, false, false, KIND(CAMERA)},
    {"", "texture_seed", "of the pattern", AT(camera.texture_seed), 1, 0, 4294967295.0, false, true, KIND(CAMERA)},
    {"", "by_soil", "1: soils and ruts differ in albedo and grain", AT(camera.by_soil), 1, 0, 1, false, true,
     KIND(CAMERA)},
    {"", "sky", "light of the sky", AT(camera.sky), 1, 0, 1, false, false, KIND(CAMERA)},
    {"", "auto_exposure", "mean grey value, 0: none", AT(camera.auto_exposure), 1, 0, 0.9, false, false, KIND(CAMERA)},
    {"", "bayer", "1: colour filters RGGB", AT(camera.bayer), 1, 0, 1, false, true, KIND(CAMERA)},
    {"", "red", "light behind red over green", AT(camera.red), 1, 0, 10, true, false, KIND(CAMERA)},
    {"", "blue", "light behind blue over green", AT(camera.blue), 1, 0, 10, true, false, KIND(CAMERA)},
    {"", "exposure_s", "motion blurs a frame", AT(camera.exposure_time), 1, 0, 10, false, false, KIND(CAMERA)},
    {"", "readout_s", "rolling shutter, first row to last", AT(camera.readout), 1, 0, 1, false, false, KIND(CAMERA)},
    {"", "depth_noise_m", "standard deviation of the depth at 1 m", AT(camera.depth_noise), 1, 0, 1, false, false,
     KIND(CAMERA)},
};

int gr_sensor_param_count(void)
{
    return (int)(sizeof PARAMS / sizeof PARAMS[0]);
}

const GrSensorParam *gr_sensor_param(int index)
{
    return &PARAMS[index];
}

double gr_sensor_param_get(const GrSensorDef *sensor, const GrSensorParam *param)
{
    double value;
    memcpy(&value, (const char *)sensor + param->offset, sizeof value);
    return value / param->scale;
}

void gr_sensor_param_set(GrSensorDef *sensor, const GrSensorParam *param, double value)
{
    value *= param->scale;
    memcpy((char *)sensor + param->offset, &value, sizeof value);
}

/// Whether a value is allowed, infinity where the upper limit is infinite.
static bool sensor_param_allows(const GrSensorParam *param, double value)
{
    const double rounding = 1e-12 * fabs(value); // a value in radians may come back in degrees a little off
    const bool above = param->open ? value > param->lower : value >= param->lower - rounding;
    return above && value <= param->upper + rounding && (!param->whole || value == rint(value));
}

/// Default rates: constant, [Hz].
static double usual_rate(GrSensorKind kind)
{
    switch (kind) {
    case GR_SENSOR_IMU:
        return 100;
    case GR_SENSOR_ENCODER:
    case GR_SENSOR_INCLINOMETER:
        return 10;
    default:
        return 1;
    }
}

GrSensorDef gr_default_sensor_def(GrSensorKind kind)
{
    return (GrSensorDef){
        .kind = kind,
        .pose.rotation.w = 1,
        .rate = usual_rate(kind),
        .seed = 1,
        .gyro.range = INFINITY,
        .accelerometer.range = INFINITY,
        .joint = -1,
        .view = 60 * DEG,
        .range_min = 0.1,
        .range_max = 30,
        .sun_azimuth = 135 * DEG,
        .sun_elevation = 30 * DEG,
        .save_every = 1,
        .lidar =
            {
                .lines = 16,
                .columns = 360,
                .lower = -15 * DEG,
                .upper = 15 * DEG,
                .right = -180 * DEG,
                .left = 180 * DEG,
            },
        .camera =
            {
                .columns = 320,
                .rows = 240,
                .view = 60 * DEG,
                .grey = 1,
                .exposure = 0.9,
                .albedo = 0.3,
                .ambient = 0.02,
                .grain = 0.002,
                .texture_seed = 1,
                .red = 1.15,
                .blue = 0.8,
            },
    };
}

/// A name becomes a file and a topic.
static bool is_name(const char *name)
{
    bool good = name[0] != '\0';
    for (const char *c = name; *c != '\0'; c++) { // in any locale
        good = good && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_');
    }
    return good;
}

typedef struct Check {
    GrErrorLog *log;
    const GrRoverDef *rover;
    const GrSensorDef *sensor; ///< NULL: the localisation is checked
    GrStatus status;
} Check;

GR_PRINTF(4, 5)
static void fail(Check *c, GrStatus status, const char *field, const char *format, ...)
{
    char place[GR_ERROR_FIELD_SIZE], text[300];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    if (c->sensor != NULL) {
        snprintf(place, sizeof place, "sensors.%s.%s", c->sensor->name, field);
    } else {
        snprintf(place, sizeof place, "localisation.%s", field);
    }
    gr_error_add(c->log, status, (GrLocation){.field = place}, "%s", text);
    c->status = c->status == GR_OK ? status : c->status;
}

static void check_values(Check *c)
{
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        const GrSensorParam *param = &PARAMS[i];
        const double value = gr_sensor_param_get(c->sensor, param);
        if (gr_sensor_param_of(param, c->sensor->kind) && !sensor_param_allows(param, value)) {
            fail(c, GR_ERROR_VALUE, param->key, "found %g, allowed: %s%g to %g%s", value, param->open ? "above " : "",
                 param->lower, param->upper, param->whole ? ", whole numbers" : "");
        }
    }
}

static void check_rays(Check *c)
{
    const GrSensorDef *s = c->sensor;
    if (s->range_max <= s->range_min) {
        fail(c, GR_ERROR_VALUE, "range_max_m", "found %g, which must be above range_min_m, %g", s->range_max,
             s->range_min);
    }
    if (s->kind == GR_SENSOR_CAMERA && s->camera.columns * s->camera.rows > GR_CAMERA_PIXELS) {
        fail(c, GR_ERROR_VALUE, "width", "%g x %g pixels; at most %d are allowed", s->camera.columns, s->camera.rows,
             GR_CAMERA_PIXELS);
    }
    if (s->kind == GR_SENSOR_LIDAR && (s->lidar.upper < s->lidar.lower || s->lidar.left <= s->lidar.right)) {
        fail(c, GR_ERROR_VALUE, "upper_deg",
             "upper_deg must not be below lower_deg, and left_deg must exceed right_deg");
    }
}

static void check_format(Check *c)
{
    if ((unsigned)c->sensor->lidar.format >= GR_CLOUD_FORMAT_COUNT) {
        fail(c, GR_ERROR_VALUE, "save_as", "there is no format %d", (int)c->sensor->lidar.format);
    }
}

static void check_sensor(const GrRoverDef *rover, int index, Check *c)
{
    const GrSensorDef *s = c->sensor;
    if (!is_name(s->name)) {
        fail(c, GR_ERROR_NAME, "name", "'%s' is not a name of letters, digits and _", s->name);
    }
    for (int k = 0; k < index; k++) {
        if (strcmp(rover->sensors[k].name, s->name) == 0) {
            fail(c, GR_ERROR_NAME, "name", "there is another sensor '%s'", s->name);
        }
    }
    for (int k = 0; k < rover->body_count && s->kind != GR_SENSOR_ENCODER; k++) {
        if (strcmp(rover->bodies[k].name, s->name) == 0) {
            fail(c, GR_ERROR_NAME, "name", "there is a body '%s': frames of sensors and bodies share their names",
                 s->name);
        }
    }
    if (s->body < 0 || s->body >= rover->body_count) {
        fail(c, GR_ERROR_NAME, "body", "there is no body %d", s->body);
    }
    if (s->kind == GR_SENSOR_ENCODER && (s->joint < 0 || s->joint >= rover->joint_count)) {
        fail(c, GR_ERROR_NAME, "joint", "an encoder needs a joint");
    } else if (s->kind == GR_SENSOR_ENCODER && rover->joints[s->joint].kind > GR_JOINT_SCREW) {
        fail(c, GR_ERROR_VALUE, "joint", "joint '%s' has several axes; an encoder needs one",
             rover->joints[s->joint].name);
    } else if (s->kind == GR_SENSOR_ENCODER && rover->joints[s->joint].kind == GR_JOINT_FIXED) {
        fail(c, GR_ERROR_VALUE, "joint", "joint '%s' is fixed", rover->joints[s->joint].name);
    }
    check_values(c);
    if (s->kind == GR_SENSOR_LIDAR || s->kind == GR_SENSOR_CAMERA) {
        check_rays(c);
    }
    if (s->kind == GR_SENSOR_LIDAR) {
        check_format(c);
    }
}

GrStatus gr_sensors_check(const GrRoverDef *rover, GrErrorLog *log)
{
    Check c = {.log = log};
    for (int i = 0; i < rover->sensor_count; i++) {
        c.sensor = &rover->sensors[i];
        check_sensor(rover, i, &c);
    }
    return c.status;
}

// ---- Defaults and checks of the localisation of a rover.

GrLocalisationDef gr_default_localisation_def(void)
{
    GrLocalisationDef def; // with all its bytes, so that equal ones compare as equal
    memset(&def, 0, sizeof def);
    def.imu = def.visual = def.stars = -1;
    def.slip = 0.2;
    def.side_slip = 3 * GR_DEGREE;
    def.slip_time = 20;
    def.start_position = 0.01;
    def.start_attitude = 0.1 * GR_DEGREE;
    return def;
}

bool gr_rover_set_localisation(GrRoverDef *rover, const GrLocalisationDef *def)
{
    GrLocalisationDef *copy = gr_malloc(sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, def, sizeof *copy);
    gr_free(rover->localisation);
    rover->localisation = copy;
    return true;
}

/// A sensor of this kind; −1 is allowed where it is not required. All but encoders are on the body of the IMU.
static void check_source(Check *c, const char *field, int sensor, GrSensorKind kind, bool required)
{
    const GrRoverDef *rover = c->rover;
    if (sensor < 0 && !required) {
        return;
    }
    if (sensor < 0 || sensor >= rover->sensor_count || rover->sensors[sensor].kind != kind) {
        fail(c, GR_ERROR_NAME, field, "must name a sensor of kind %s", gr_sensor_kind_name(kind));
        return;
    }
    const int imu = rover->localisation->imu;
    if (kind != GR_SENSOR_ENCODER && imu >= 0 && imu < rover->sensor_count &&
        rover->sensors[sensor].body != rover->sensors[imu].body) {
        fail(c, GR_ERROR_VALUE, field, "'%s' and the IMU '%s' must be on the same body", rover->sensors[sensor].name,
             rover->sensors[imu].name);
    }
}

static void check_encoder(Check *c, int encoder)
{
    check_source(c, "encoders", encoder, GR_SENSOR_ENCODER, true);
    if (c->status != GR_OK) {
        return;
    }
    const int body = c->rover->joints[c->rover->sensors[encoder].joint].child;
    for (int i = 0; i < c->rover->wheel_count; i++) {
        if (c->rover->wheels[i].body == body) {
            return;
        }
    }
    fail(c, GR_ERROR_VALUE, "encoders", "'%s' is not on the axle of a wheel", c->rover->sensors[encoder].name);
}

static void check_positive(Check *c, const char *field, double value)
{
    if (!(value > 0) || isinf(value)) {
        fail(c, GR_ERROR_VALUE, field, "found %g, which must be above 0", value);
    }
}

GrStatus gr_localisation_check(const GrRoverDef *rover, GrErrorLog *log)
{
    Check c = {.rover = rover, .log = log};
    const GrLocalisationDef *def = rover->localisation;
    if (def == NULL) {
        return GR_OK;
    }
    check_source(&c, "imu", def->imu, GR_SENSOR_IMU, true);
    check_source(&c, "visual_odometry", def->visual, GR_SENSOR_VISUAL, false);
    check_source(&c, "star_tracker", def->stars, GR_SENSOR_STARS, false);
    if (def->encoder_count < 0 || def->encoder_count >= GR_LOCALISATION_ENCODERS) {
        fail(&c, GR_ERROR_VALUE, "encoders", "%d encoders; fewer than %d are allowed", def->encoder_count,
             GR_LOCALISATION_ENCODERS);
    }
    for (int i = 0; c.status == GR_OK && i < def->encoder_count; i++) {
        check_encoder(&c, def->encoders[i]);
    }
    check_positive(&c, "slip", def->slip);
    check_positive(&c, "side_slip_deg", def->side_slip);
    check_positive(&c, "slip_time_s", def->slip_time);
    check_positive(&c, "start_position_m", def->start_position);
    check_positive(&c, "start_attitude_deg", def->start_attitude);
    return c.status;
}
