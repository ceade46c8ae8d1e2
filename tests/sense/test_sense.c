/// Sensors of a running rover: they do not change its motion, agree with the truth where they have no errors, and have
/// the errors that their definitions give.
#include "grouser/run.h"

#include "grouser/sense.h"
#include "scenario_data.h"

#include "alloc.h"
#include "file.h"
#include "mission_data.h"
#include "sensor_param.h"
#include "test.h"
#include "vec3.h"

#include <stdlib.h>

typedef struct Rig {
    GrScenario *scenario;
    GrWorld *world;
    GrSense *sense;
} Rig;

static GrSensorDef sensor(GrSensorKind kind, const char *name, double rate)
{
    GrSensorDef def = gr_default_sensor_def(kind);
    snprintf(def.name, sizeof def.name, "%s", name);
    def.rate = rate;
    return def;
}

static void load(Rig *rig, const char *scenario, const char *const *overrides)
{
    GrErrorLog log = {0};
    if (gr_scenario_load(scenario, overrides, &rig->scenario, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
}

static void start(Rig *rig, int threads)
{
    GrErrorLog log = {0};
    if (gr_world_create(rig->scenario, &rig->world, &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
    const GrSenseDef def = {.model = rig->world->model,
                            .rover = &rig->scenario->rover,
                            .terrain = rig->world->terrain,
                            .threads = threads,
                            .sun = rig->scenario->mission.sun};
    if (gr_sense_create(&def, &rig->sense, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    GrData *d = gr_mission_data(rig->world->mission);
    assert_int_equal(gr_forward(rig->world->model, d), GR_OK);
    assert_int_equal(gr_sense_update(rig->sense, d, NULL), GR_OK);
}

static void stop(Rig *rig)
{
    gr_sense_free(rig->sense);
    gr_world_free(rig->world);
    gr_scenario_free(rig->scenario);
}

/// One step; false at the end of the time.
static bool step(Rig *rig, double until)
{
    GrMission *mission = rig->world->mission;
    if (gr_data_time(mission->d) >= until || mission->s.outcome != GR_OUTCOME_RUNNING) {
        return false;
    }
    gr_mission_step(mission, until);
    assert_int_equal(gr_sense_update(rig->sense, mission->d, NULL), GR_OK);
    return true;
}

static const char *const FIVE_SECONDS[] = {"rover=rashid_like_sensing", "stop.time_s=5", NULL};

/// The scenario with its sensors of all kinds, on rough ground with ruts, has the bits of the run without.
static void same_motion(void **unused)
{
    (void)unused;
    static const char *const scenarios[] = {"crossing", "rock_field", "own_track"};
    for (int k = 0; k < 3; k++) {
        uint64_t hashes[2];
        for (int with = 0; with < 2; with++) {
            Rig rig;
            GrMeasurement m;
            int count = 0;
            load(&rig, scenarios[k], FIVE_SECONDS);
            start(&rig, 1);
            if (with == 1) {
                while (step(&rig, 5)) {
                    while (gr_sense_next(rig.sense, &m)) {
                        count++;
                    }
                }
                assert_true(count > 500);
                assert_int_equal(gr_sense_blind_rays(rig.sense), 0);
            } else {
                gr_mission_advance(rig.world->mission, 5);
            }
            hashes[with] = gr_data_hash(rig.world->model, gr_mission_data(rig.world->mission));
            stop(&rig);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static uint64_t fnv(uint64_t hash, const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    }
    return hash;
}

/// All bits of all measurements.
static uint64_t hash_of_run(int threads)
{
    Rig rig;
    GrMeasurement m;
    uint64_t hash = 0xcbf29ce484222325u;
    load(&rig, "rock_field", FIVE_SECONDS);
    start(&rig, threads);
    do {
        while (gr_sense_next(rig.sense, &m)) {
            const size_t rays = (size_t)m.columns * (size_t)m.rows;
            hash = fnv(hash, &m.time, sizeof m.time);
            hash = fnv(hash, m.values, sizeof m.values);
            hash = m.ranges != NULL ? fnv(hash, m.ranges, rays * sizeof *m.ranges) : hash;
            hash = m.grey != NULL ? fnv(hash, m.grey, rays) : hash;
        }
    } while (step(&rig, 3));
    stop(&rig);
    return hash;
}

static void same_bits_with_threads(void **unused)
{
    (void)unused;
    const uint64_t one = hash_of_run(1);
    assert_true(one == hash_of_run(1));
    assert_true(one == hash_of_run(2));
    assert_true(one == hash_of_run(4));
}

/// An IMU without errors, integrated by the textbook: attitude and velocity are the true ones, also away from the
/// chassis' origin.
static void dead_reckoning(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", "stop.time_s=10", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "crossing", overrides);
    GrSensorDef imu = sensor(GR_SENSOR_IMU, "imu", 130); // not a multiple of any step
    imu.pose.position = gr_vec3(0.2, 0.1, 0.3);
    imu.pose.rotation = gr_quat_exp(gr_vec3(0.3, -0.2, 1));
    gr_rover_add_sensor(&rig.scenario->rover, &imu);
    start(&rig, 1);
    const GrVec3 gravity = rig.scenario->gravity;
    GrData *d = gr_mission_data(rig.world->mission);
    GrPose pose = gr_pose_mul(gr_data_body_pose(rig.world->model, d, 0), imu.pose);
    GrVec3 velocity = {0, 0, 0};
    double turned = 0, last = 0, off = 0;
    while (step(&rig, 10)) {
        while (gr_sense_next(rig.sense, &m)) {
            const double dt = m.time - last;
            const GrVec3 turn = gr_scale(dt, gr_vec3(m.values[0], m.values[1], m.values[2]));
            const GrQuat middle = gr_quat_mul(pose.rotation, gr_quat_exp(gr_scale(0.5, turn)));
            const GrVec3 force = gr_quat_rotate(middle, gr_vec3(m.values[3], m.values[4], m.values[5]));
            const GrVec3 before = velocity;
            velocity = gr_madd(velocity, dt, gr_add(force, gravity));
            pose.position = gr_madd(pose.position, 0.5 * dt, gr_add(before, velocity));
            pose.rotation = gr_quat_mul(pose.rotation, gr_quat_exp(turn));
            last = m.time;
            turned += gr_norm(turn);
            off = gr_norm(gr_sub(pose.position, m.pose.position));
            assert_near(gr_norm(gr_quat_log(gr_quat_mul(gr_quat_conjugate(pose.rotation), m.pose.rotation))), 0, 1e-9);
        }
    }
    const GrVec3 truth = gr_data_point_velocity(rig.world->model, d, 0, m.pose.position);
    print_message("turned by %.2f rad in all; after 10 s velocity off by %.2g m/s, position by %.2g m\n", turned,
                  gr_norm(gr_sub(velocity, truth)), off);
    assert_true(turned > 0.05);
    assert_near(last, 10, 1e-9);
    assert_near(gr_norm(gr_sub(velocity, truth)), 0, 1e-9);
    assert_true(off < 0.02); // bodies move by the velocity at the end of a step: half a step times its changes
    stop(&rig);
}

/// Encoders count the joints, visual odometry adds up to the true way.
static void ways_add_up(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", "stop.time_s=10", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "crossing", overrides);
    GrSensorDef encoder = sensor(GR_SENSOR_ENCODER, "encoder", 25), visual = sensor(GR_SENSOR_VISUAL, "visual", 2);
    encoder.counts = 1000;
    for (int i = 0; i < rig.scenario->rover.joint_count; i++) {
        encoder.joint = strcmp(rig.scenario->rover.joints[i].name, "wheel_front_left") == 0 ? i : encoder.joint;
    }
    visual.pose.position = gr_vec3(0.1, 0, 0.4);
    visual.pose.rotation = gr_quat_exp(gr_vec3(0, 0.3, 0));
    gr_rover_add_sensor(&rig.scenario->rover, &encoder);
    gr_rover_add_sensor(&rig.scenario->rover, &visual);
    start(&rig, 1);
    const int joint = gr_model_find_joint(rig.world->model, "wheel_front_left");
    GrData *d = gr_mission_data(rig.world->mission);
    GrPose way = gr_pose_mul(gr_data_body_pose(rig.world->model, d, 0), visual.pose);
    double before = gr_data_joint_position(rig.world->model, d, joint), rolled = 0;
    int frames = 0;
    while (step(&rig, 10)) {
        const double now = gr_data_joint_position(rig.world->model, d, joint), line = 2 * GR_PI / 1000;
        while (gr_sense_next(rig.sense, &m)) {
            if (m.sensor == 0) {
                assert_true(m.values[0] == rint(m.values[0]));
                assert_near(m.values[1], m.values[0] * line, 1e-12);
                assert_true(m.values[1] > fmin(before, now) - 0.51 * line &&
                            m.values[1] < fmax(before, now) + 0.51 * line);
                rolled = m.values[1];
            } else {
                const GrPose moved = {gr_vec3(m.values[0], m.values[1], m.values[2]),
                                      gr_quat_exp(gr_vec3(m.values[3], m.values[4], m.values[5]))};
                way = gr_pose_mul(way, moved);
                assert_near(gr_norm(gr_sub(way.position, m.pose.position)), 0, 1e-9);
                frames++;
            }
        }
        before = now;
    }
    assert_int_equal(frames, 20); // the first instant has none
    assert_true(fabs(rolled) > 1);
    stop(&rig);
}

/// An inclinometer at rest on a slope reads the attitude of the chassis.
static void level_at_rest(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "crossing", overrides);
    const GrSensorDef level = sensor(GR_SENSOR_INCLINOMETER, "level", 10);
    gr_rover_add_sensor(&rig.scenario->rover, &level);
    start(&rig, 1);
    GrData *d = gr_mission_data(rig.world->mission);
    const GrModel *model = rig.world->model;
    for (int i = 0; i < 100; i++) { // at rest: motors hold, nothing is commanded
        assert_int_equal(gr_step_by(model, d, 0.005), GR_OK);
        assert_int_equal(gr_sense_update(rig.sense, d, NULL), GR_OK);
    }
    int count = 0;
    while (gr_sense_next(rig.sense, &m)) {
        count++;
    }
    const GrVec3 rpy = gr_quat_to_rpy(gr_data_body_pose(model, d, 0).rotation);
    assert_true(count >= 4);
    assert_true(fabs(rpy.x) + fabs(rpy.y) > 1e-3);
    assert_near(m.values[0], rpy.x, 2e-4);
    assert_near(m.values[1], rpy.y, 2e-4);
    stop(&rig);
}

/// Rate, latency, drop-out; errors of directions have the standard deviation of the definition.
static void errors(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", "stop.time_s=30", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "drop", overrides);
    GrSensorDef stars = sensor(GR_SENSOR_STARS, "stars", 100), sun = sensor(GR_SENSOR_SUN, "sun", 100);
    stars.noise = 1e-3;
    stars.noise_about = 5e-3;
    stars.dropout = 0.25;
    stars.latency = 0.3;
    stars.pose.rotation = gr_quat_exp(gr_vec3(0, -GR_PI / 2, 0)); // up
    stars.pose.position.z = sun.pose.position.z = 2;              // above everything
    sun.noise = 2e-3;
    sun.view = 80 * GR_DEGREE; // the sun stands 60° from the zenith, and the rover tilts
    sun.pose.rotation = stars.pose.rotation;
    gr_rover_add_sensor(&rig.scenario->rover, &stars);
    gr_rover_add_sensor(&rig.scenario->rover, &sun);
    start(&rig, 1);
    double across = 0, about = 0, angle = 0;
    int count = 0, suns = 0;
    const double level = cos(sun.sun_elevation);
    const GrVec3 to_sun = {level * sin(sun.sun_azimuth), level * cos(sun.sun_azimuth), sin(sun.sun_elevation)};
    for (double last = -1; step(&rig, 20);) {
        while (gr_sense_next(rig.sense, &m)) {
            assert_true(m.time >= last); // in the order of time
            last = m.time;
            if (m.sensor == 0) {
                const GrQuat q = {m.values[0], m.values[1], m.values[2], m.values[3]};
                const GrVec3 error = gr_quat_log(gr_quat_mul(gr_quat_conjugate(m.pose.rotation), q));
                about += error.x * error.x;
                across += 0.5 * (error.y * error.y + error.z * error.z);
                assert_near(m.delivered - m.time, 0.3, 1e-12);
                assert_near(m.time, (double)m.frame / 100, 1e-12);
                assert_true(m.values[4] == 1);
                count++;
            } else if (m.values[3] == 1) {
                const GrVec3 seen = gr_quat_rotate(m.pose.rotation, gr_vec3(m.values[0], m.values[1], m.values[2]));
                const GrVec3 cross = gr_cross(seen, to_sun);
                angle += 0.5 * gr_dot(cross, cross);
                suns++;
            }
        }
    }
    assert_near(count, 0.75 * 2001, 3 * sqrt(2001 * 0.25 * 0.75));
    assert_near_rel(sqrt(about / count), 5e-3, 0.06); // 3/√(2 · 1500)
    assert_near_rel(sqrt(across / count), 1e-3, 0.05);
    assert_int_equal(suns, 2001);
    assert_near_rel(sqrt(angle / suns), 2e-3, 0.05);
    stop(&rig);
}

/// The Sun of the scenario takes the place of the sensor's own.
static void sun_of_the_scenario(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", "stop.time_s=1", "sun.azimuth_deg=90",
                                            "sun.elevation_deg=50", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "drop", overrides);
    GrSensorDef sun = sensor(GR_SENSOR_SUN, "sun", 10);
    sun.noise = 0;
    sun.pose.position.z = 2;
    sun.view = GR_PI;
    gr_rover_add_sensor(&rig.scenario->rover, &sun);
    start(&rig, 1);
    int count = 0;
    while (step(&rig, 1)) {
        while (gr_sense_next(rig.sense, &m)) {
            const GrVec3 seen = gr_quat_rotate(m.pose.rotation, gr_vec3(m.values[0], m.values[1], m.values[2]));
            assert_near(seen.x, cos(50 * GR_DEGREE), 1e-12);
            assert_near(seen.y, 0, 1e-12);
            assert_near(seen.z, sin(50 * GR_DEGREE), 1e-12);
            count++;
        }
    }
    assert_true(count >= 9);
    stop(&rig);
}

/// What a sun sensor and a camera 2 m above ground see, with a cliff of some height 200 m to the east, where the Sun is
/// 5 degrees up. Their rays reach 30 m.
static void look_at_cliff(const char *cliff, bool *valid, double *grey)
{
    const char *const overrides[] = {"rover=rashid_like",      "terrain={size_m: 500, cell_m: 0.5}",      cliff,
                                     "start={x_m: 0, y_m: 0}", "sun={azimuth_deg: 90, elevation_deg: 5}", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "crossing", overrides);
    GrSensorDef sun = sensor(GR_SENSOR_SUN, "sun", 5), camera = sensor(GR_SENSOR_CAMERA, "camera", 5);
    sun.pose.position.z = camera.pose.position.z = 2;
    sun.view = GR_PI;
    camera.pose.rotation = gr_quat_from_rpy(0, GR_PI / 2, 0); // straight down
    camera.camera.columns = camera.camera.rows = 32;
    camera.camera.view = 0.3;
    camera.camera.exposure = 5;
    camera.pose.position.x = 1;
    gr_rover_add_sensor(&rig.scenario->rover, &sun);
    gr_rover_add_sensor(&rig.scenario->rover, &camera);
    start(&rig, 1);
    while (step(&rig, 0.5)) {
        while (gr_sense_next(rig.sense, &m)) {
            const bool is_sun = rig.scenario->rover.sensors[m.sensor].kind == GR_SENSOR_SUN;
            *valid = is_sun ? m.values[3] == 1 : *valid;
            *grey = is_sun ? *grey : m.values[0];
        }
    }
    stop(&rig);
}

/// Ground that rays do not reach hides the Sun, all of its disc or half of it.
static void far_ground(void **unused)
{
    (void)unused;
    static const char *const CLIFFS[] = {"terrain.add=[step: {at_m: 195, width_m: 10, height_m: 15}]",
                                         "terrain.add=[step: {at_m: 195, width_m: 10, height_m: 19.7}]",
                                         "terrain.add=[step: {at_m: 195, width_m: 10, height_m: 24}]"};
    bool valid[3] = {false};
    double grey[3] = {0};
    for (int k = 0; k < 3; k++) {
        look_at_cliff(CLIFFS[k], &valid[k], &grey[k]);
        print_message("%s: sun %s, mean grey %.2f\n", CLIFFS[k], valid[k] ? "seen" : "hidden", grey[k]);
    }
    assert_true(valid[0] && valid[1] && !valid[2]);
    const double dark = grey[2], bright = grey[0]; // 0.02 and 0.02 + sin 5 degrees of the same
    assert_near_rel(bright / dark, (0.02 + sin(5 * GR_DEGREE)) / 0.02, 0.2);
    assert_near((grey[1] - dark) / (bright - dark), 0.5, 0.3);
}

/// Points of a LiDAR that looks down beside a wheel lie on the deformed ground within a millimetre, and some are in the
/// rut; a camera and a LiDAR at the same place agree.
static void sees_the_rut(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like", "stop.time_s=20", "ruts=scm", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "crossing", overrides);
    GrSensorDef lidar = sensor(GR_SENSOR_LIDAR, "lidar", 0.5), camera = sensor(GR_SENSOR_CAMERA, "camera", 0.5);
    lidar.pose = (GrPose){{-0.3, 0, 0.6}, gr_quat_exp(gr_vec3(0, 0.9, 0))};
    lidar.pose.rotation = gr_quat_mul(gr_quat_exp(gr_vec3(0, 0, GR_PI)), lidar.pose.rotation); // looks back
    lidar.lidar.lines = 40;
    lidar.lidar.columns = 80;
    lidar.lidar.left = 0.7;
    lidar.lidar.right = -0.7;
    lidar.lidar.lower = -0.4;
    lidar.lidar.upper = 0.4;
    camera.pose = lidar.pose;
    camera.camera.columns = 60;
    camera.camera.rows = 40;
    gr_rover_add_sensor(&rig.scenario->rover, &lidar);
    gr_rover_add_sensor(&rig.scenario->rover, &camera);
    start(&rig, 1);
    int rutted = 0, returns = 0;
    double worst = 0;
    while (step(&rig, 20)) {
        while (gr_sense_next(rig.sense, &m)) {
            const GrRuts *ruts = gr_data_ruts(gr_mission_data(rig.world->mission));
            const GrQuat q = m.pose.rotation;
            for (int i = 0; i < m.columns * m.rows; i++) {
                if (isnan(m.ranges[i]) || m.points == NULL) {
                    continue;
                }
                const GrVec3 local = {(double)m.points[3 * i], (double)m.points[3 * i + 1],
                                      (double)m.points[3 * i + 2]};
                const GrVec3 p = gr_add(m.pose.position, gr_quat_rotate(q, local));
                double z, untouched;
                assert_int_equal(gr_ground_height(rig.world->terrain, ruts, p.x, p.y, &z), GR_GROUND_OK);
                assert_int_equal(gr_terrain_height(rig.world->terrain, p.x, p.y, &untouched), GR_GROUND_OK);
                if (fabs(p.z - z) < 1e-3) {
                    worst = fmax(worst, fabs(p.z - z));
                    rutted += untouched - z > 5e-3;
                    returns++;
                } else {
                    assert_true(p.z > z); // the rover's own wheels
                }
            }
        }
    }
    print_message("%d returns from the ground, %d in ruts, largest difference %.2g m\n", returns, rutted, worst);
    assert_true(returns > 10000 && rutted > 300);
    stop(&rig);
}

/// The rays of a file, and a file that is not a pattern.
static void patterns(void **unused)
{
    (void)unused;
    static const char good[] = "azimuth_deg,elevation_deg\n0,-45\n90,-45\n0,45\n",
                      bad[] = "azimuth_deg,elevation_deg\n0,x\n";
    static const char *const overrides[] = {"rover=rashid_like", "terrain.size_m=20", NULL};
    Rig rig;
    GrMeasurement m;
    load(&rig, "rock_field", overrides);
    GrSensorDef lidar = sensor(GR_SENSOR_LIDAR, "lidar", 1);
    snprintf(lidar.lidar.pattern, sizeof lidar.lidar.pattern, "pattern.csv");
    lidar.pose.position.z = 1;
    gr_rover_add_sensor(&rig.scenario->rover, &lidar);
    assert_int_equal(gr_file_write("pattern.csv", good, sizeof good - 1, NULL), GR_OK);
    start(&rig, 1);
    assert_true(gr_sense_next(rig.sense, &m));
    assert_int_equal(m.columns, 3);
    assert_near((double)m.ranges[0], (double)m.ranges[1], 0.05); // level ground, level rover
    assert_near((double)m.ranges[0], m.pose.position.z * sqrt(2), 0.05);
    assert_true(isnan(m.ranges[2]));
    assert_int_equal(gr_file_write("pattern.csv", bad, sizeof bad - 1, NULL), GR_OK);
    const GrSenseDef def = {.model = rig.world->model, .rover = &rig.scenario->rover};
    GrErrorLog log = {0};
    assert_int_not_equal(gr_sense_create(&def, &(GrSense *){NULL}, &log), GR_OK);
    assert_int_equal(log.items[0].line, 2);
    stop(&rig);
}

/// On a level plane the cosine of the angle of incidence is the height of the sensor over the range.
static void intensity(void **unused)
{
    (void)unused;
    Rig rig;
    GrMeasurement m;
    load(&rig, "brake", NULL);
    GrSensorDef lidar = sensor(GR_SENSOR_LIDAR, "lidar", 1);
    lidar.lidar.lower = -60 * GR_DEGREE;
    lidar.lidar.intensity = 1;
    lidar.pose = (GrPose){{3, 0, 1}, gr_quat_axis_angle(gr_vec3(0.6, 0.8, 0), 0.2)};
    gr_rover_add_sensor(&rig.scenario->rover, &lidar);
    start(&rig, 1);
    assert_true(gr_sense_next(rig.sense, &m));
    int ground = 0;
    for (int i = 0; i < m.columns * m.rows; i++) {
        const GrVec3 local = {(double)m.points[3 * i], (double)m.points[3 * i + 1], (double)m.points[3 * i + 2]};
        const double z = gr_add(m.pose.position, gr_quat_rotate(m.pose.rotation, local)).z;
        assert_int_equal(isnan(m.ranges[i]), isnan(m.intensities[i]));
        if (fabs(z) < 1e-5) {
            ground++;
            assert_near((double)m.intensities[i], m.pose.position.z / (double)m.ranges[i], 1e-6);
        }
    }
    print_message("%d returns from the plane\n", ground);
    assert_true(ground > 1000);
    stop(&rig);
}

/// docs/sensors.md names every kind, every key and every column.
static void documented(void **unused)
{
    (void)unused;
    char *text, word[128];
    size_t size;
    assert_int_equal(gr_file_read(GR_TEST_SOURCE_DIR "/docs/sensors.md", 1 << 20, &text, &size, NULL), GR_OK);
    for (int i = 0; i < gr_sensor_param_count(); i++) {
        snprintf(word, sizeof word, "`%s`", gr_sensor_param(i)->key);
        if (strstr(text, word) == NULL) {
            fail_msg("%s is not documented", word);
        }
    }
    for (int kind = 0; kind < GR_SENSOR_KIND_COUNT; kind++) {
        snprintf(word, sizeof word, "`%s`", gr_sensor_kind_name((GrSensorKind)kind));
        assert_non_null(strstr(text, word));
        for (int k = 0; k < gr_sensor_column_count((GrSensorKind)kind); k++) {
            snprintf(word, sizeof word, "`%s`", gr_sensor_column((GrSensorKind)kind, k));
            if (strstr(text, word) == NULL) {
                fail_msg("%s is not documented", word);
            }
        }
    }
    gr_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_motion),         cmocka_unit_test(same_bits_with_threads),
        cmocka_unit_test(dead_reckoning),      cmocka_unit_test(ways_add_up),
        cmocka_unit_test(level_at_rest),       cmocka_unit_test(errors),
        cmocka_unit_test(sun_of_the_scenario), cmocka_unit_test(far_ground),
        cmocka_unit_test(sees_the_rut),        cmocka_unit_test(patterns),
        cmocka_unit_test(intensity),           cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
