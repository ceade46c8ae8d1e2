/// Measurements of a run as files: every frame is there, with the numbers that the sensors gave, and run.mcap has their
/// topics; an older run's files are replaced.
#include "run_sensors.h"

#include "alloc.h"
#include "csv.h"
#include "delivery.h"
#include "file.h"
#include "grouser/run.h"

#include "scenario_data.h"
#include "support/mcap_parse.h"
#include "test.h"

#include <stdlib.h>

typedef struct Recorded {
    GrSense *sense;
    GrRunSensors *files;
    GrRecord *record;
    GrDelivery delivery;
    int counts[32];    ///< measurements by sensor
    int delivered[32]; ///< those that were delivered before the end
    double imu;        ///< last value of the IMU
} Recorded;

static GrStatus take_step(void *context, const GrData *d, GrErrorLog *log)
{
    Recorded *r = context;
    GrMeasurement m;
    GrStatus status = gr_sense_update(r->sense, d, log);
    while (status == GR_OK && gr_sense_next(r->sense, &m)) {
        r->counts[m.sensor]++;
        r->imu = m.sensor == 0 ? m.values[5] : r->imu;
        status = gr_run_sensors_add(r->files, &m, log);
        assert_true(gr_delivery_add(&r->delivery, &m));
    }
    while (status == GR_OK && gr_delivery_next(&r->delivery, gr_data_time(d), &m)) {
        r->delivered[m.sensor]++;
        status = gr_run_sensors_deliver(r->files, &m, log);
    }
    return status;
}

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    return gr_record_add(((Recorded *)context)->record, sample, log);
}

static int find_sensor(const GrRoverDef *rover, const char *name)
{
    for (int i = 0; i < rover->sensor_count; i++) {
        if (strcmp(rover->sensors[i].name, name) == 0) {
            return i;
        }
    }
    fail_msg("there is no sensor %s", name);
    return -1;
}

static void record(const GrScenario *scenario, Recorded *r)
{
    GrErrorLog log = {0};
    GrWorld *world = NULL;
    GrRunSummary summary;
    *r = (Recorded){0};
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    const GrRecordDef def = {
        .directory = "out", .name = "t", .model = world->model, .rover = &scenario->rover, .mcap = true};
    assert_int_equal(gr_record_open(&def, &r->record, &log), GR_OK);
    const GrSenseDef sense = {.model = world->model, .rover = &scenario->rover, .terrain = world->terrain};
    gr_sense_create(&sense, &r->sense, &log);
    r->files = gr_run_sensors_open("out", &scenario->rover, NULL, r->record, &log);
    assert_non_null(r->sense);
    assert_non_null(r->files);
    const GrRunHooks hooks = {.context = r, .sample = take_sample, .step = take_step};
    assert_int_equal(gr_run(world, &hooks, &summary, &log), GR_OK);
    assert_int_equal(gr_run_sensors_close(r->files, &log), GR_OK);
    assert_int_equal(gr_record_close(r->record, &summary, &log), GR_OK);
    gr_run_summary_free(&summary);
    gr_sense_free(r->sense);
    gr_delivery_free(&r->delivery);
    gr_world_free(world);
}

static char *contents(const char *path, size_t *size)
{
    static char *data; // static, as gcc 12 warns of pointers to an automatic one, which are none
    assert_int_equal(gr_file_read(path, 1 << 28, &data, size, NULL), GR_OK);
    return data;
}

static void check_csv(const GrRoverDef *rover, const Recorded *r)
{
    for (int i = 0; i < rover->sensor_count; i++) {
        char path[GR_NAME_SIZE + 32];
        GrCsv csv = {0};
        snprintf(path, sizeof path, "out/sensors/%s.csv", rover->sensors[i].name);
        assert_int_equal(gr_csv_load(path, &csv, NULL), GR_OK);
        assert_int_equal(csv.row_count, r->counts[i]);
        assert_int_equal(csv.column_count, 2 + gr_sensor_column_count(rover->sensors[i].kind));
        if (i == 0) {
            const double last = strtod(gr_csv_cell(&csv, csv.row_count - 1, 7), NULL);
            assert_near_rel(last, r->imu, 1e-8);
            assert_near(strtod(gr_csv_cell(&csv, csv.row_count - 1, 0), NULL), 2, 1e-9);
        }
        gr_csv_free(&csv);
    }
}

/// A PLY file has as many points as it says, all within the range.
static void check_cloud(const char *path)
{
    size_t size;
    char *data = contents(path, &size);
    const char *body = strstr(data, "end_header\n"), *count = strstr(data, "element vertex ");
    assert_non_null(body);
    assert_non_null(count);
    body += strlen("end_header\n");
    const long points = strtol(count + strlen("element vertex "), NULL, 10);
    assert_int_equal((size_t)(data + size - body), 12 * (size_t)points);
    assert_true(points > 1000);
    for (long i = 0; i < points; i++) {
        float p[3];
        memcpy(p, body + 12 * i, 12);
        const double range =
            sqrt((double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] + (double)p[2] * (double)p[2]);
        assert_true(range > 0.09 && range < 30.01);
    }
    gr_free(data);
}

/// Messages of every sensor: the values, a cloud for each scan, two images and a calibration for each frame.
static void check_mcap(const GrRoverDef *rover, const Recorded *r)
{
    static const char *const types[] = {"foxglove.PointCloud", "foxglove.RawImage",   "foxglove.CameraCalibration",
                                        "grouser.Imu",         "grouser.StarTracker", "/sensors/camera/depth"};
    size_t size;
    char *data = contents("out/run.mcap", &size);
    const McapContent with = mcap_content(data, size);
    int sensed = 1; // the mounts
    for (int i = 0; i < rover->sensor_count; i++) {
        sensed += r->delivered[i] * (rover->sensors[i].kind == GR_SENSOR_CAMERA ? 3 : 1);
    }
    assert_false(with.broken);
    assert_int_equal(with.late, 0); // sorted by time, although star tracker and camera deliver late
    assert_true(with.latest_time <= 2000000000);
    assert_true(with.messages > sensed && with.messages < sensed + 1000);
    for (size_t k = 0; k < sizeof types / sizeof types[0]; k++) {
        bool found = false;
        for (size_t i = 0; i + strlen(types[k]) < size && !found; i++) {
            found = memcmp(data + i, types[k], strlen(types[k])) == 0;
        }
        assert_true(found);
    }
    gr_free(data);
}

/// Equal runs give equal bytes, whatever the wall time.
static void same_bytes(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like_sensing", "stop.time_s=1", NULL};
    GrScenario *scenario = NULL;
    Recorded r;
    char *data[2];
    size_t size[2];
    assert_int_equal(gr_scenario_load("rock_field", overrides, &scenario, NULL), GR_OK);
    for (int k = 0; k < 2; k++) {
        record(scenario, &r);
        assert_int_equal(gr_file_read("out/run.mcap", 1 << 28, &data[k], &size[k], NULL), GR_OK);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    gr_free(data[0]);
    gr_free(data[1]);
    gr_scenario_free(scenario);
}

static void whole_run(void **unused)
{
    (void)unused;
    static const char *const overrides[] = {"rover=rashid_like_sensing", "stop.time_s=2", NULL};
    GrScenario *scenario = NULL;
    Recorded r;
    assert_int_equal(gr_scenario_load("rock_field", overrides, &scenario, NULL), GR_OK);
    GrSensorDef *camera = &scenario->rover.sensors[find_sensor(&scenario->rover, "camera")];
    camera->rate = 2;
    camera->save_every = 2;
    record(scenario, &r);
    assert_int_equal(r.counts[find_sensor(&scenario->rover, "imu")], 200);
    assert_int_equal(r.counts[find_sensor(&scenario->rover, "camera")], 5);
    check_csv(&scenario->rover, &r);
    check_cloud("out/sensors/lidar_000000.ply");
    check_mcap(&scenario->rover, &r);
#ifdef GR_WITH_ZLIB
    assert_true(gr_file_exists("out/sensors/camera_000002.png"));
    assert_true(gr_file_exists("out/sensors/camera_000004_depth.png"));
    assert_false(gr_file_exists("out/sensors/camera_000003.png")); // every second one
#endif
    // a shorter run leaves nothing of the longer one
    camera->save_every = 0;
    scenario->mission.duration = 0.2;
    record(scenario, &r);
    assert_false(gr_file_exists("out/sensors/camera_000002.png"));
    assert_true(gr_file_exists("out/sensors/imu.csv"));
    assert_int_equal(r.counts[find_sensor(&scenario->rover, "imu")], 20);
    gr_scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole_run), cmocka_unit_test(same_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
