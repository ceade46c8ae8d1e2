#include "localiser.h"

#include "alloc.h"
#include "delivery.h"
#include "localiser_filter.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "sensor_noise.h"

static const double START_SPEED = 1e-3; // standard deviation of the velocity at the start [m/s]
static const double AFTER = 1e-9;       // measurements of the same instant come after that of the IMU [s]

struct GrLocaliser {
    const GrRoverDef *rover;
    const GrModel *model;
    const GrLocalisationDef *def;
    const GrSensorDef *imu;
    GrFilter filter;
    GrDelivery waiting; ///< delivered when those of the largest latency are
    double lag;         ///< largest latency [s]
    double radius[GR_LOCALISATION_ENCODERS], rate[GR_LOCALISATION_ENCODERS];
    unsigned fresh; ///< bit k: encoder k has measured since the wheels were last used
    GrVec3 middle;  ///< of the wheels, in the IMU frame
    GrQuat body;    ///< rotation of the IMU's body in the IMU frame
    long frame;     ///< last one of visual odometry; −2: none yet
    GrPose truth;   ///< of the IMU at the time of the filter
    bool begun;
    double since;                                           ///< when it began [s]
    double error_squares, nees_sum, beyond_time, error_max; ///< over the time
};

static int wheel_of(const GrRoverDef *rover, int encoder)
{
    const int body = rover->joints[rover->sensors[encoder].joint].child;
    for (int i = 0; i < rover->wheel_count; i++) {
        if (rover->wheels[i].body == body) {
            return i;
        }
    }
    return 0; // gr_localisation_check() allows none of these
}

GrLocaliser *gr_localiser_create(const GrRoverDef *rover, const GrModel *model, GrErrorLog *log)
{
    GrLocaliser *l = gr_calloc(1, sizeof *l);
    if (l == NULL) {
        gr_out_of_memory(log, "localisation");
        return NULL;
    }
    const GrLocalisationDef *def = rover->localisation;
    *l = (GrLocaliser){.rover = rover, .model = model, .def = def, .imu = &rover->sensors[def->imu]};
    l->lag = l->imu->latency;
    for (int i = 0; i < def->encoder_count; i++) {
        l->radius[i] = rover->wheels[wheel_of(rover, def->encoders[i])].radius;
        l->lag = fmax(l->lag, rover->sensors[def->encoders[i]].latency);
    }
    l->lag = def->visual >= 0 ? fmax(l->lag, rover->sensors[def->visual].latency) : l->lag;
    l->lag = def->stars >= 0 ? fmax(l->lag, rover->sensors[def->stars].latency) : l->lag;
    l->filter.gravity = model->options.gravity;
    return l;
}

void gr_localiser_free(GrLocaliser *l)
{
    if (l != NULL) {
        gr_delivery_free(&l->waiting);
        gr_free(l);
    }
}

/// Middle of the wheels that have encoders, in the IMU frame.
static GrVec3 find_middle(const GrLocaliser *l, const GrData *d, GrPose imu)
{
    GrVec3 sum = gr_vec3(0, 0, 0);
    for (int i = 0; i < l->def->encoder_count; i++) {
        const GrWheelDef *wheel = &l->rover->wheels[wheel_of(l->rover, l->def->encoders[i])];
        const GrPose pose = gr_pose_mul(gr_data_body_pose(l->model, d, wheel->body), wheel->pose);
        sum = gr_add(sum, gr_pose_mul(gr_pose_inverse(imu), pose).position);
    }
    return l->def->encoder_count > 0 ? gr_scale(1.0 / l->def->encoder_count, sum) : sum;
}

static void set_start_variances(GrLocaliser *l)
{
    GrFilter *f = &l->filter;
    const GrInertialDef *gyro = &l->imu->gyro, *force = &l->imu->accelerometer;
    const double weight = force->scale * gr_norm(f->gravity); // an error of scale looks like a bias
    const double slip[3] = {l->def->slip, l->def->side_slip, l->def->side_slip};
    for (int i = 0; i < 3; i++) {
        f->c[GR_AT_P + i][GR_AT_P + i] = l->def->start_position * l->def->start_position;
        f->c[GR_AT_V + i][GR_AT_V + i] = START_SPEED * START_SPEED;
        f->c[GR_AT_A + i][GR_AT_A + i] = l->def->start_attitude * l->def->start_attitude;
        f->c[GR_AT_BG + i][GR_AT_BG + i] = gyro->bias * gyro->bias + gyro->instability * gyro->instability;
        f->c[GR_AT_BA + i][GR_AT_BA + i] =
            force->bias * force->bias + force->instability * force->instability + weight * weight;
        f->c[GR_AT_SLIP + i][GR_AT_SLIP + i] = slip[i] * slip[i];
    }
    const double scale = l->def->visual >= 0 ? l->rover->sensors[l->def->visual].scale : 0;
    f->c[GR_AT_SCALE][GR_AT_SCALE] = scale * scale;
}

static double visual_rate(const GrLocaliser *l)
{
    return l->def->visual >= 0 ? l->rover->sensors[l->def->visual].rate : 0;
}

void gr_localiser_start(GrLocaliser *l, const GrData *d)
{
    GrFilter *f = &l->filter;
    GrRandom random = gr_random_stream((uint64_t)l->imu->seed, "localisation");
    const GrPose body = gr_data_body_pose(l->model, d, l->imu->body), pose = gr_pose_mul(body, l->imu->pose);
    const GrVec3 velocity = gr_data_point_velocity(l->model, d, l->imu->body, pose.position);
    f->p = gr_madd(pose.position, l->def->start_position, gr_random_normal3(&random));
    f->q = gr_quat_normalize(
        gr_quat_mul(pose.rotation, gr_quat_exp(gr_scale(l->def->start_attitude, gr_random_normal3(&random)))));
    f->v = gr_madd(velocity, START_SPEED, gr_random_normal3(&random));
    f->time = l->since = gr_data_time(d);
    const double first = ceil(f->time * visual_rate(l)); // frame of visual odometry: the next measures the motion since
    l->frame = fabs(first - f->time * visual_rate(l)) < AFTER ? (long)first : -2;
    l->truth = pose;
    l->body = gr_quat_conjugate(l->imu->pose.rotation);
    l->middle = find_middle(l, d, pose);
    set_start_variances(l);
    gr_filter_clone(f);
    l->begun = true;
}

static int encoder_index(const GrLocalisationDef *def, int sensor)
{
    for (int i = 0; i < def->encoder_count; i++) {
        if (def->encoders[i] == sensor) {
            return i;
        }
    }
    return -1;
}

GrStatus gr_localiser_take(GrLocaliser *l, const GrMeasurement *m, GrErrorLog *log)
{
    const GrLocalisationDef *def = l->def;
    GrMeasurement kept = *m;
    if (m->sensor != def->imu && m->sensor != def->visual && m->sensor != def->stars &&
        encoder_index(def, m->sensor) < 0) {
        return GR_OK;
    }
    kept.delivered = m->time + l->lag + (m->sensor == def->imu ? 0 : AFTER);
    return gr_delivery_add(&l->waiting, &kept) ? GR_OK : gr_out_of_memory(log, "localisation");
}

// ---- error

/// e P⁻¹ e of the position, by Cramer's rule.
static double squared_error(const GrFilter *f, GrVec3 e)
{
    const GrVec3 a = {f->c[0][0], f->c[1][0], f->c[2][0]}, b = {f->c[0][1], f->c[1][1], f->c[2][1]},
                 c = {f->c[0][2], f->c[1][2], f->c[2][2]};
    const double det = gr_dot(a, gr_cross(b, c));
    const GrVec3 x = {gr_dot(e, gr_cross(b, c)) / det, gr_dot(a, gr_cross(e, c)) / det,
                      gr_dot(a, gr_cross(b, e)) / det};
    return gr_dot(e, x);
}

/// Vertical part of the small rotation δθ, from the truth to the estimate, in the world: its third row of R.
static double heading_variance(const GrFilter *f)
{
    const GrMat3 r = gr_quat_to_mat3(f->q);
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += r.m[2][i] * f->c[GR_AT_A + i][GR_AT_A + j] * r.m[2][j];
        }
    }
    return sum;
}

void gr_localiser_sample(const GrLocaliser *l, double time, GrLocalisationSample *out)
{
    const GrFilter *f = &l->filter;
    const GrVec3 e = gr_sub(f->p, l->truth.position);
    const GrVec3 turn = gr_quat_log(gr_quat_mul(f->q, gr_quat_conjugate(l->truth.rotation)));
    *out = (GrLocalisationSample){
        .delay = time - f->time,
        .position = f->p,
        .error = gr_hypot(e.x, e.y),
        .sigma = sqrt(f->c[0][0] + f->c[1][1]),
        .error_up = e.z,
        .sigma_up = sqrt(f->c[2][2]),
        .heading_error = turn.z,
        .heading_sigma = sqrt(heading_variance(f)),
        .nees = squared_error(f, e),
    };
}

static void note_error(GrLocaliser *l, double dt)
{
    GrLocalisationSample s;
    gr_localiser_sample(l, l->filter.time, &s);
    l->error_max = fmax(l->error_max, s.error);
    l->error_squares += dt * s.error * s.error;
    l->nees_sum += dt * s.nees;
    l->beyond_time += s.error > 3 * s.sigma ? dt : 0;
}

void gr_localiser_summarise(const GrLocaliser *l, double time, GrLocalisationSummary *out)
{
    const double span = l->filter.time - l->since;
    *out = (GrLocalisationSummary){.given = true,
                                   .error_max = l->error_max,
                                   .error_rms = span > 0 ? sqrt(l->error_squares / span) : 0,
                                   .beyond = span > 0 ? l->beyond_time / span : 0,
                                   .nees_mean = span > 0 ? l->nees_sum / span : 0,
                                   .used = l->filter.used,
                                   .rejected = l->filter.rejected};
    gr_localiser_sample(l, time, &out->end);
}

// ---- measurements

static void use_imu(GrLocaliser *l, const GrMeasurement *m)
{
    GrFilter *f = &l->filter;
    const double dt = m->time - f->time;
    f->rate = gr_vec3(m->values[0], m->values[1], m->values[2]);
    f->force = gr_vec3(m->values[3], m->values[4], m->values[5]);
    gr_filter_predict(f, l->imu, l->def, m->time);
    note_error(l, fmax(0, dt));
}

/// The wheels count when all encoders have new measurements.
static void use_encoder(GrLocaliser *l, int index, const GrMeasurement *m)
{
    if (index < 0) {
        return; // gr_localiser_take() keeps no other sensors
    }
    l->rate[index] = m->values[2];
    l->fresh |= 1u << index;
    if (l->fresh != (unsigned)((1ull << l->def->encoder_count) - 1)) {
        return;
    }
    double speed = 0;
    for (int i = 0; i < l->def->encoder_count; i++) {
        speed += l->radius[i] * l->rate[i] / l->def->encoder_count;
    }
    l->fresh = 0;
    gr_filter_wheels(&l->filter, speed, l->middle, l->body);
}

static GrPose mount_of(const GrLocaliser *l, const GrSensorDef *sensor)
{
    return gr_pose_mul(gr_pose_inverse(l->imu->pose), sensor->pose);
}

/// The motion since a frame that was lost is of no use: where that was is not known.
static void use_visual(GrLocaliser *l, const GrMeasurement *m)
{
    const GrSensorDef *visual = &l->rover->sensors[m->sensor];
    if (m->frame == l->frame + 1) {
        gr_filter_visual(&l->filter, visual, mount_of(l, visual), m->values);
    }
    l->frame = m->frame;
    gr_filter_clone(&l->filter);
}

static void use(GrLocaliser *l, const GrMeasurement *m)
{
    const GrSensorDef *sensor = &l->rover->sensors[m->sensor];
    if (sensor->body == l->imu->body) { // the true pose of the IMU, for the error alone
        l->truth = gr_pose_mul(m->pose, gr_pose_mul(gr_pose_inverse(sensor->pose), l->imu->pose));
    }
    if (m->sensor == l->def->imu) {
        use_imu(l, m);
        return;
    }
    gr_filter_predict(&l->filter, l->imu, l->def, m->time); // by the rates of the IMU before
    if (m->sensor == l->def->visual) {
        use_visual(l, m);
    } else if (m->sensor == l->def->stars) {
        if (m->values[4] != 0) {
            const GrQuat q = {m->values[0], m->values[1], m->values[2], m->values[3]};
            gr_filter_stars(&l->filter, sensor, mount_of(l, sensor).rotation, q);
        }
    } else {
        use_encoder(l, encoder_index(l->def, m->sensor), m);
    }
}

void gr_localiser_update(GrLocaliser *l, double time)
{
    GrMeasurement m;
    while (l->begun && gr_delivery_next(&l->waiting, time, &m)) {
        use(l, &m);
    }
}
