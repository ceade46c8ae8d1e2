/// Defaults and checks of the localisation of a rover.
#include "grouser/localise.h"

#include "alloc.h"
#include "grouser/sense.h"
#include "number.h"
#include "vec3.h"

#include <stdio.h>
#include <string.h>

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

typedef struct Check {
    const GrRoverDef *rover;
    GrErrorLog *log;
    GrStatus status;
} Check;

GR_PRINTF(4, 5)
static void fail(Check *c, GrStatus status, const char *field, const char *format, ...)
{
    char place[96], text[300];
    va_list args;
    va_start(args, format);
    gr_vprint(text, sizeof text, format, args);
    va_end(args);
    snprintf(place, sizeof place, "localisation.%s", field);
    gr_error_add(c->log, status, (GrLocation){.field = place}, "%s", text);
    c->status = c->status == GR_OK ? status : c->status;
}

/// A sensor of this kind; −1 is allowed where it is not required. All but encoders are on the body of the IMU.
static void check_sensor(Check *c, const char *field, int sensor, GrSensorKind kind, bool required)
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
    check_sensor(c, "encoders", encoder, GR_SENSOR_ENCODER, true);
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
    Check c = {rover, log, GR_OK};
    const GrLocalisationDef *def = rover->localisation;
    if (def == NULL) {
        return GR_OK;
    }
    check_sensor(&c, "imu", def->imu, GR_SENSOR_IMU, true);
    check_sensor(&c, "visual_odometry", def->visual, GR_SENSOR_VISUAL, false);
    check_sensor(&c, "star_tracker", def->stars, GR_SENSOR_STARS, false);
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
