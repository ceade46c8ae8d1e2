/// The kinds of sensors without rays, and the table of all kinds.
#include "sensor.h"

#include "ray_scene.h"

/// Rotation halfway between two, for what is measured over an interval.
static GrQuat halfway(GrQuat a, GrQuat b)
{
    const GrVec3 turn = gr_quat_log(gr_quat_mul(gr_quat_conjugate(a), b));
    return gr_quat_mul(a, gr_quat_exp(gr_scale(0.5, turn)));
}

/// Mean specific force since the last instant, sensor axes.
static GrVec3 specific_force(const GrSensor *s, const GrMount *now, double interval)
{
    const GrVec3 change = gr_scale(1 / interval, gr_sub(now->velocity, s->last.velocity));
    const GrQuat middle = halfway(s->last.pose.rotation, now->pose.rotation);
    return gr_quat_rotate(gr_quat_conjugate(middle), gr_sub(change, s->gravity));
}

static void set3(double *values, GrVec3 v)
{
    values[0] = v.x;
    values[1] = v.y;
    values[2] = v.z;
}

static bool begin_imu(GrSensor *s, GrErrorLog *log)
{
    (void)log;
    GrErrorState *e = &s->error;
    e->gyro_model = gr_noise_model(&s->def->gyro, 1 / s->def->rate);
    e->accelerometer_model = gr_noise_model(&s->def->accelerometer, 1 / s->def->rate);
    for (int i = 0; i < 3; i++) {
        e->gyro[i] = gr_noise_begin(&e->gyro_model, &s->random);
        e->accelerometer[i] = gr_noise_begin(&e->accelerometer_model, &s->random);
    }
    return true;
}

/// Means over the interval, so that sums over measurements are the true changes of attitude and velocity.
static void measure_imu(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const double interval = out->time - s->time;
    GrErrorState *e = &s->error;
    const GrQuat turn = gr_quat_mul(gr_quat_conjugate(s->last.pose.rotation), now->pose.rotation);
    set3(out->values, gr_scale(1 / interval, gr_quat_log(turn)));
    set3(out->values + 3, specific_force(s, now, interval));
    for (int i = 0; i < 3; i++) {
        out->values[i] = gr_noise_measure(&e->gyro_model, &e->gyro[i], out->values[i], &s->random);
        out->values[3 + i] =
            gr_noise_measure(&e->accelerometer_model, &e->accelerometer[i], out->values[3 + i], &s->random);
    }
}

/// Counts of an incremental encoder: the count changes halfway between two of them, so that 0 is not at a line.
static void measure_encoder(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const double interval = out->time - s->time;
    double position = now->joint, before = s->last.joint, count = NAN;
    if (s->def->counts > 0) {
        const double line = s->turn / s->def->counts;
        count = rint(position / line);
        position = line * count;
        before = line * rint(before / line);
    }
    out->values[0] = count;
    out->values[1] = position;
    out->values[2] = (position - before) / interval;
}

static bool begin_inclinometer(GrSensor *s, GrErrorLog *log)
{
    (void)log;
    s->error.bias[0] = s->def->bias * gr_random_normal(&s->random);
    s->error.bias[1] = s->def->bias * gr_random_normal(&s->random);
    return true;
}

/// The specific force at rest is (−sin p, sin r cos p, cos r cos p) g, with roll r and pitch p as in gr_quat_to_rpy().
static void measure_inclinometer(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const GrVec3 f = specific_force(s, now, out->time - s->time);
    const double angles[2] = {gr_atan2(f.y, f.z), gr_atan2(-f.x, gr_hypot(f.y, f.z))};
    for (int i = 0; i < 2; i++) {
        const double noise = s->def->noise * gr_random_normal(&s->random);
        out->values[i] = gr_quantise(angles[i] + s->error.bias[i] + noise, s->def->resolution);
    }
}

/// Valid where the sun is in the field of view and neither terrain, rock nor the rover hides it.
static void measure_sun(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const GrVec3 sun = s->sun;
    const GrVec3 true_direction = gr_quat_rotate(gr_quat_conjugate(now->pose.rotation), sun);
    const GrVec3 turn = gr_scale(s->def->noise, gr_random_normal3(&s->random));
    const GrVec3 seen = gr_quat_rotate(gr_quat_exp(turn), true_direction);
    const bool in_view = gr_acos(fmax(-1, fmin(1, true_direction.x))) <= s->def->view;
    const bool lit = sun.z > 0 && s->far_light > 0 && !gr_ray_scene_hides(s->scene, now->pose.position, sun);
    set3(out->values, in_view && lit ? seen : gr_vec3(NAN, NAN, NAN));
    out->values[3] = in_view && lit ? 1 : 0;
}

/// The error is a small rotation in the sensor frame. Stars cannot be seen near the sun, nor through the ground.
static void measure_stars(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const GrVec3 sun = s->sun;
    const GrVec3 sight = gr_quat_rotate(now->pose.rotation, gr_vec3(1, 0, 0));
    const GrVec3 n = gr_random_normal3(&s->random);
    const GrVec3 turn = gr_vec3(s->def->noise_about * n.x, s->def->noise * n.y, s->def->noise * n.z);
    const GrQuat q = gr_quat_normalize(gr_quat_mul(now->pose.rotation, gr_quat_exp(turn)));
    const bool blinded = gr_acos(fmax(-1, fmin(1, gr_dot(sun, sight)))) < s->def->exclusion;
    const bool valid = !blinded && !gr_ray_scene_hides(s->scene, now->pose.position, sight);
    const double values[5] = {q.w, q.x, q.y, q.z, 1};
    for (int i = 0; i < 5; i++) {
        out->values[i] = valid ? values[i] : i == 4 ? 0 : (double)NAN;
    }
}

static bool begin_visual(GrSensor *s, GrErrorLog *log)
{
    (void)log;
    s->error.scale = s->def->scale * gr_random_normal(&s->random);
    return true;
}

/// Motion from the last frame to this one, in the axes of the last one.
static void measure_visual(GrSensor *s, const GrMount *now, GrMeasurement *out)
{
    const GrQuat back = gr_quat_conjugate(s->last.pose.rotation);
    const GrVec3 moved = gr_quat_rotate(back, gr_sub(now->pose.position, s->last.pose.position));
    const GrVec3 turned = gr_quat_log(gr_quat_mul(back, now->pose.rotation));
    const double error = s->def->drift * gr_norm(moved);
    const GrVec3 n = gr_random_normal3(&s->random);
    set3(out->values, gr_madd(gr_scale(1 + s->error.scale, moved), error, n));
    set3(out->values + 3, gr_madd(turned, s->def->noise, gr_random_normal3(&s->random)));
}

const GrSensorKindRow gr_sensor_kinds[GR_SENSOR_KIND_COUNT] = {
    [GR_SENSOR_IMU] = {.columns = {"rate_x_rad_s", "rate_y_rad_s", "rate_z_rad_s", "force_x_m_s2", "force_y_m_s2",
                                   "force_z_m_s2"},
                       .column_count = 6,
                       .interval = true,
                       .begin = begin_imu,
                       .measure = measure_imu},
    [GR_SENSOR_ENCODER] = {.columns = {"count", "position", "rate"},
                           .column_count = 3,
                           .interval = true,
                           .measure = measure_encoder},
    [GR_SENSOR_INCLINOMETER] = {.columns = {"roll_rad", "pitch_rad"},
                                .column_count = 2,
                                .interval = true,
                                .begin = begin_inclinometer,
                                .measure = measure_inclinometer},
    [GR_SENSOR_SUN] = {.columns = {"sun_x", "sun_y", "sun_z", "valid"},
                       .column_count = 4,
                       .rays = true,
                       .measure = measure_sun},
    [GR_SENSOR_STARS] = {.columns = {"q_w", "q_x", "q_y", "q_z", "valid"},
                         .column_count = 5,
                         .rays = true,
                         .measure = measure_stars},
    [GR_SENSOR_VISUAL] = {.columns = {"x_m", "y_m", "z_m", "turn_x_rad", "turn_y_rad", "turn_z_rad"},
                          .column_count = 6,
                          .interval = true,
                          .begin = begin_visual,
                          .measure = measure_visual},
    [GR_SENSOR_LIDAR] = {.columns = {"returns", "nearest_m", "mean_m"},
                         .column_count = 3,
                         .rays = true,
                         .begin = gr_lidar_begin,
                         .measure = gr_lidar_measure},
    [GR_SENSOR_CAMERA] = {.columns = {"mean_grey", "saturated", "nearest_m", "mean_m", "exposure"},
                          .column_count = 5,
                          .rays = true,
                          .begin = gr_camera_begin,
                          .measure = gr_camera_measure},
};

int gr_sensor_column_count(GrSensorKind kind)
{
    return (unsigned)kind < GR_SENSOR_KIND_COUNT ? gr_sensor_kinds[kind].column_count : 0;
}

const char *gr_sensor_column(GrSensorKind kind, int column)
{
    return column >= 0 && column < gr_sensor_column_count(kind) ? gr_sensor_kinds[kind].columns[column] : "";
}
