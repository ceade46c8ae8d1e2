/// Localisation from an IMU, wheel encoders and visual odometry by an error-state Kalman filter, against the truth.
///
/// The filter estimates position p, velocity v and attitude q of the IMU, and the biases of its gyros and
/// accelerometers. Its errors are (δp, δv, δθ, δb_g, δb_a), with q = q̂ exp(δθ); a copy of (δp, δθ) at the last image
/// is kept for visual odometry, which measures the motion since then (stochastic cloning, Roumeliotis & Burdick 2002).
/// Measurements are taken in the order of their instants: the filter lags by the largest latency.
#include <grouser/grouser.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { P = 0, V = 3, A = 6, BG = 9, BA = 12, CP = 15, CA = 18, N = 21, MOST = 6 };

typedef struct Filter {
    GrVec3 p, v, bg, ba;
    GrQuat q;
    GrVec3 last_p; ///< at the last image
    GrQuat last_q;
    double c[N][N]; ///< covariance of the errors
    double time;
    GrVec3 gravity;
} Filter;

static GrVec3 add(GrVec3 a, double s, GrVec3 b)
{
    return (GrVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static GrQuat multiply(GrQuat a, GrQuat b)
{
    return (GrQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static GrQuat conjugate(GrQuat q)
{
    return (GrQuat){q.w, -q.x, -q.y, -q.z};
}

static GrQuat turn_by(GrVec3 v)
{
    const double a = sqrt(v.x * v.x + v.y * v.y + v.z * v.z), s = a > 1e-9 ? sin(a / 2) / a : 0.5;
    return (GrQuat){cos(a / 2), s * v.x, s * v.y, s * v.z};
}

static GrVec3 turn_of(GrQuat q)
{
    const double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    const double k = s > 1e-12 ? 2 * atan2(s, fabs(q.w)) / s * (q.w < 0 ? -1 : 1) : 2;
    return (GrVec3){k * q.x, k * q.y, k * q.z};
}

static void matrix_of(GrQuat q, double r[3][3])
{
    const double m[3][3] = {
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
        {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
        {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
    memcpy(r, m, sizeof m);
}

static GrVec3 rotate(GrQuat q, GrVec3 v)
{
    double r[3][3];
    matrix_of(q, r);
    return (GrVec3){r[0][0] * v.x + r[0][1] * v.y + r[0][2] * v.z, r[1][0] * v.x + r[1][1] * v.y + r[1][2] * v.z,
                    r[2][0] * v.x + r[2][1] * v.y + r[2][2] * v.z};
}

/// The matrix of v ×.
static void cross_matrix(GrVec3 v, double m[3][3])
{
    const double k[3][3] = {{0, -v.z, v.y}, {v.z, 0, -v.x}, {-v.y, v.x, 0}};
    memcpy(m, k, sizeof k);
}

/// c ← F c Fᵀ with F = 1 except for three rows of blocks.
static void propagate(Filter *f, double F[N][N])
{
    static double fc[N][N];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            fc[i][j] = 0;
            for (int k = 0; k < N; k++) {
                fc[i][j] += F[i][k] * f->c[k][j];
            }
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            f->c[i][j] = 0;
            for (int k = 0; k < N; k++) {
                f->c[i][j] += fc[i][k] * F[j][k];
            }
        }
    }
}

/// Rates and specific forces of the IMU, means over the time since the last ones.
static void predict(Filter *f, const GrSensorDef *imu, const GrMeasurement *m)
{
    const double dt = m->time - f->time;
    const GrVec3 w = add((GrVec3){m->values[0], m->values[1], m->values[2]}, -1, f->bg);
    const GrVec3 s = add((GrVec3){m->values[3], m->values[4], m->values[5]}, -1, f->ba);
    const GrQuat middle = multiply(f->q, turn_by((GrVec3){w.x * dt / 2, w.y * dt / 2, w.z * dt / 2}));
    double F[N][N] = {{0}}, r[3][3], sx[3][3], wx[3][3];
    matrix_of(middle, r);
    cross_matrix(s, sx);
    cross_matrix(w, wx);
    for (int i = 0; i < N; i++) {
        F[i][i] = 1;
    }
    for (int i = 0; i < 3; i++) {
        F[P + i][V + i] = dt;
        F[A + i][BG + i] = -dt;
        for (int j = 0; j < 3; j++) {
            F[V + i][A + j] = -dt * (r[i][0] * sx[0][j] + r[i][1] * sx[1][j] + r[i][2] * sx[2][j]);
            F[V + i][BA + j] = -dt * r[i][j];
            F[A + i][A + j] -= dt * wx[i][j];
        }
    }
    propagate(f, F);
    for (int i = 0; i < 3; i++) {
        f->c[V + i][V + i] += dt * imu->accelerometer.noise * imu->accelerometer.noise;
        f->c[A + i][A + i] += dt * imu->gyro.noise * imu->gyro.noise;
        f->c[BG + i][BG + i] += dt * 1e-3 * imu->gyro.instability * imu->gyro.instability;
        f->c[BA + i][BA + i] += dt * 1e-3 * imu->accelerometer.instability * imu->accelerometer.instability;
    }
    const GrVec3 a = add(rotate(middle, s), 1, f->gravity);
    f->p = add(add(f->p, dt, f->v), dt * dt / 2, a);
    f->v = add(f->v, dt, a);
    f->q = multiply(f->q, turn_by((GrVec3){w.x * dt, w.y * dt, w.z * dt}));
    f->time = m->time;
}

/// Adds an estimated error to the state.
static void correct(Filter *f, const double x[N])
{
    f->p = add(f->p, 1, (GrVec3){x[P], x[P + 1], x[P + 2]});
    f->v = add(f->v, 1, (GrVec3){x[V], x[V + 1], x[V + 2]});
    f->q = multiply(f->q, turn_by((GrVec3){x[A], x[A + 1], x[A + 2]}));
    f->bg = add(f->bg, 1, (GrVec3){x[BG], x[BG + 1], x[BG + 2]});
    f->ba = add(f->ba, 1, (GrVec3){x[BA], x[BA + 1], x[BA + 2]});
    f->last_p = add(f->last_p, 1, (GrVec3){x[CP], x[CP + 1], x[CP + 2]});
    f->last_q = multiply(f->last_q, turn_by((GrVec3){x[CA], x[CA + 1], x[CA + 2]}));
}

/// Measurements with independent errors, one after another: the gain of each is a division.
static void update(Filter *f, int count, double h[MOST][N], const double *residual, const double *sigma)
{
    double x[N] = {0};
    for (int m = 0; m < count; m++) {
        double ch[N], variance = sigma[m] * sigma[m], expected = 0;
        for (int i = 0; i < N; i++) {
            ch[i] = 0;
            for (int j = 0; j < N; j++) {
                ch[i] += f->c[i][j] * h[m][j];
            }
            variance += h[m][i] * ch[i];
            expected += h[m][i] * x[i];
        }
        for (int i = 0; i < N; i++) {
            x[i] += ch[i] / variance * (residual[m] - expected);
        }
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                f->c[i][j] -= ch[i] * ch[j] / variance;
            }
        }
    }
    correct(f, x);
}

/// Wheels roll forward at this speed, with some slip, and neither sideways nor off the ground.
static void update_wheels(Filter *f, double speed)
{
    const GrVec3 v = rotate(conjugate(f->q), f->v);
    const double residual[3] = {speed - v.x, -v.y, -v.z}, sigma[3] = {0.01 + 0.15 * fabs(speed), 0.02, 0.03};
    double h[MOST][N] = {{0}}, r[3][3], vx[3][3];
    matrix_of(f->q, r);
    cross_matrix(v, vx);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            h[i][V + j] = r[j][i];
            h[i][A + j] = vx[i][j];
        }
    }
    update(f, 3, h, residual, sigma);
}

/// Motion since the last image, in the axes of then; the image of now becomes the last one.
static void update_visual(Filter *f, const GrSensorDef *visual, const GrMeasurement *m)
{
    const GrQuat back = conjugate(f->last_q);
    const GrVec3 moved = rotate(back, add(f->p, -1, f->last_p)), turned = turn_of(multiply(back, f->q));
    const double length = sqrt(moved.x * moved.x + moved.y * moved.y + moved.z * moved.z);
    double h[MOST][N] = {{0}}, r[3][3], mx[3][3], turn[3][3], residual[6], sigma[6];
    matrix_of(f->last_q, r);
    cross_matrix(moved, mx);
    matrix_of(multiply(back, f->q), turn);
    const double expected[6] = {moved.x, moved.y, moved.z, turned.x, turned.y, turned.z};
    for (int i = 0; i < 6; i++) {
        residual[i] = m->values[i] - expected[i];
        sigma[i] = i < 3 ? 1e-4 + (visual->drift + visual->scale) * length : visual->noise;
    }
    for (int i = 0; i < 3; i++) {
        h[3 + i][A + i] = 1;
        for (int j = 0; j < 3; j++) {
            h[i][P + j] = r[j][i];
            h[i][CP + j] = -r[j][i];
            h[i][CA + j] = mx[i][j];
            h[3 + i][CA + j] = -turn[j][i];
        }
    }
    update(f, 6, h, residual, sigma);
}

/// The errors of the copy are those of now.
static void clone(Filter *f)
{
    f->last_p = f->p;
    f->last_q = f->q;
    for (int i = 0; i < 3; i++) {
        memcpy(f->c[CP + i], f->c[P + i], sizeof f->c[0]);
        memcpy(f->c[CA + i], f->c[A + i], sizeof f->c[0]);
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++) {
            f->c[i][CP + j] = f->c[i][P + j];
            f->c[i][CA + j] = f->c[i][A + j];
        }
    }
}

typedef struct Run {
    const GrScenario *scenario;
    GrSense *sense;
    Filter filter;
    int imu, visual, encoders[4];
    double rates[4];
    long frame; ///< last one of visual odometry
    bool begun;
    double worst;
    GrVec3 truth;
} Run;

static void begin(Run *run, const GrSensorDef *imu, const GrPose *pose)
{
    Filter *f = &run->filter;
    *f = (Filter){.p = pose->position, .q = pose->rotation, .gravity = gr_scenario_gravity(run->scenario)};
    for (int i = 0; i < 3; i++) { // it knows where it starts, to a millimetre and a tenth of a degree
        f->c[P + i][P + i] = 1e-6;
        f->c[V + i][V + i] = 1e-6;
        f->c[A + i][A + i] = 3e-6;
        f->c[BG + i][BG + i] = imu->gyro.bias * imu->gyro.bias;
        f->c[BA + i][BA + i] = imu->accelerometer.bias * imu->accelerometer.bias;
    }
    clone(f);
    run->begun = true;
}

static void use(Run *run, const GrMeasurement *m)
{
    const GrSensorDef *sensors = gr_scenario_rover(run->scenario)->sensors;
    if (m->sensor == run->imu) {
        predict(&run->filter, &sensors[run->imu], m);
        const GrVec3 off = add(run->filter.p, -1, m->pose.position);
        run->worst = fmax(run->worst, sqrt(off.x * off.x + off.y * off.y));
        run->truth = m->pose.position;
    } else if (m->sensor == run->visual) {
        if (m->frame == run->frame + 1) { // the motion since a frame that was lost is not known
            update_visual(&run->filter, &sensors[run->visual], m);
        }
        run->frame = m->frame;
        clone(&run->filter);
    }
    for (int i = 0; i < 4; i++) {
        if (m->sensor == run->encoders[i]) {
            run->rates[i] = m->values[2];
        }
    }
    if (m->sensor == run->encoders[3]) {
        const double radius = gr_scenario_rover(run->scenario)->wheels[0].radius;
        update_wheels(&run->filter, radius * (run->rates[0] + run->rates[1] + run->rates[2] + run->rates[3]) / 4);
    }
}

static GrStatus take_step(void *context, const GrData *d, GrErrorLog *log)
{
    Run *run = context;
    GrMeasurement m;
    const GrSensorDef *imu = &gr_scenario_rover(run->scenario)->sensors[run->imu];
    if (!run->begun) {
        const GrPose body = gr_data_base_pose(d);
        const GrPose pose = {add(body.position, 1, rotate(body.rotation, imu->pose.position)), body.rotation};
        begin(run, imu, &pose);
    }
    const GrStatus status = gr_sense_update(run->sense, d, log);
    while (status == GR_OK && gr_sense_next(run->sense, &m)) {
        use(run, &m);
    }
    return status;
}

static int find(const GrRoverDef *rover, const char *name)
{
    int found = -1;
    for (int i = 0; i < rover->sensor_count; i++) {
        found = strcmp(rover->sensors[i].name, name) == 0 ? i : found;
    }
    return found;
}

/// The IMU and the encoders of the rover, and visual odometry at the place of the IMU.
static void choose_sensors(GrRoverDef *rover, Run *run)
{
    static const char *const encoders[4] = {"encoder_front_left", "encoder_front_right", "encoder_rear_left",
                                            "encoder_rear_right"};
    run->imu = find(rover, "imu");
    run->visual = find(rover, "odometry");
    rover->sensors[run->visual].pose = rover->sensors[run->imu].pose;
    for (int i = 0; i < 4; i++) {
        run->encoders[i] = find(rover, encoders[i]);
    }
    for (int i = 0; i < rover->sensor_count; i++) { // the others rest
        const GrSensorKind kind = rover->sensors[i].kind;
        rover->sensors[i].rate = kind == GR_SENSOR_CAMERA || kind == GR_SENSOR_LIDAR ? 0.001 : rover->sensors[i].rate;
    }
}

int main(void)
{
    static const char *const overrides[] = {"rover=rashid_like_sensing", "stop.time_s=200", NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    if (gr_scenario_load("crossing", overrides, &scenario, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    Run run = {.scenario = scenario};
    GrRoverDef rover; // as the scenario's, with sensors of our choice
    if (gr_rover_load("rashid_like_sensing", NULL, &rover, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    choose_sensors(&rover, &run);
    if (gr_world_create(scenario, &world, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    const GrSenseDef def = {.model = gr_world_model(world),
                            .rover = &rover,
                            .terrain = gr_world_terrain(world),
                            .sun = gr_scenario_mission(scenario)->sun};
    gr_sense_create(&def, &run.sense, &log);
    const GrRunHooks hooks = {.context = &run, .step = take_step};
    GrRunSummary summary;
    if (run.sense == NULL || gr_run(world, &hooks, &summary, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.count > 0 ? log.items[0].text : "the run failed");
        return 1;
    }
    const GrVec3 off = add(run.filter.p, -1, run.truth);
    const double error = sqrt(off.x * off.x + off.y * off.y);
    const double sigma = sqrt(run.filter.c[P][P] + run.filter.c[P + 1][P + 1]);
    printf("after %.1f m: wheel odometry is off by %.3f m, the filter by %.3f m (%.1f %%), at most by %.3f m\n",
           summary.distance, summary.odometry_error, error, 100 * error / summary.distance, run.worst);
    printf("the filter expects %.3f m; %s\n", sigma,
           error < 3 * sigma ? "it is within 3 sigma" : "it is overconfident");
    gr_run_summary_free(&summary);
    gr_sense_free(run.sense);
    gr_rover_free(&rover);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return 0;
}
