/// Many runs at once: the same bits as single runs, on any number of threads; numbers, masks, channels and refusals.
#include "grouser/batch.h"
#include "scenario_data.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 6 };

static const char *const SLOPE[] = {"soil=mars_sand", "stop.time_s=8", "gravity.body=mars", NULL};
static const double PHI[RUNS] = {26, 28, 30, 32, 34, 36}, TILT[RUNS] = {0, 3, 6, 9, 12, 15};

static GrBatch *make(const char *scenario, const char *const *overrides, int count, int threads)
{
    GrBatchDef def = gr_default_batch_def();
    def.scenario = scenario;
    def.overrides = overrides;
    def.count = count;
    def.threads = threads;
    GrErrorLog log = {0};
    GrBatch *batch = NULL;
    if (gr_batch_create(&def, &batch, &log) != GR_OK) {
        print_error("%s\n", log.items[0].text);
    }
    assert_non_null(batch);
    return batch;
}

static GrBatch *make_slopes(int threads)
{
    GrErrorLog log = {0};
    GrBatch *batch = make("gradeability", SLOPE, RUNS, threads);
    assert_int_equal(gr_batch_set(batch, "soil:phi", PHI, &log), GR_OK);
    assert_int_equal(gr_batch_set(batch, "gravity.tilt_deg", TILT, &log), GR_OK);
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    return batch;
}

/// State of the run that `grouser run` would do with the same numbers.
static uint64_t hash_alone(int i)
{
    char phi[64], tilt[64];
    snprintf(phi, sizeof phi, "soil:phi=%g", PHI[i]);
    snprintf(tilt, sizeof tilt, "gravity.tilt_deg=%g", TILT[i]);
    const char *const overrides[] = {SLOPE[0], SLOPE[1], SLOPE[2], phi, tilt, NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    assert_int_equal(gr_scenario_load("gradeability", overrides, &scenario, &log), GR_OK);
    assert_int_equal(gr_world_create(scenario, &world, &log), GR_OK);
    gr_mission_advance(world->mission, 8);
    const uint64_t hash = gr_data_hash(world->model, gr_mission_data(world->mission));
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

static void test_same_bits_as_single_runs(void **state)
{
    (void)state;
    GrBatch *one = make_slopes(1), *many = make_slopes(4);
    assert_int_equal(gr_batch_advance(one, 8, NULL), GR_OK);
    for (int k = 0; k < 4; k++) { // in parts
        assert_int_equal(gr_batch_advance(many, 2, NULL), GR_OK);
    }
    for (int i = 0; i < RUNS; i++) {
        GrMission *a = gr_batch_mission(one, i), *b = gr_batch_mission(many, i);
        const uint64_t alone = hash_alone(i);
        assert_true(gr_data_hash(gr_mission_model(a), gr_mission_data(a)) == alone);
        assert_int_equal(gr_batch_outcome(one, i), GR_OUTCOME_FINISHED);
        assert_int_equal(gr_batch_outcome(many, i), GR_OUTCOME_FINISHED);
        assert_near(gr_batch_time(many, i), 8, 1e-9);
        // stops between the parts may shorten steps, so that only the motion is the same
        assert_near(gr_data_base_pose(gr_mission_data(b)).position.x, gr_data_base_pose(gr_mission_data(a)).position.x,
                    2e-3);
    }
    gr_batch_free(one);
    gr_batch_free(many);
}

static void test_threads_change_nothing(void **state)
{
    (void)state;
    uint64_t hashes[3][RUNS];
    const int threads[] = {1, 2, 5};
    for (int t = 0; t < 3; t++) {
        GrBatch *batch = make_slopes(threads[t]);
        assert_int_equal(gr_batch_advance(batch, 1.5, NULL), GR_OK);
        assert_int_equal(gr_batch_advance(batch, 2.5, NULL), GR_OK);
        for (int i = 0; i < RUNS; i++) {
            GrMission *m = gr_batch_mission(batch, i);
            hashes[t][i] = gr_data_hash(gr_mission_model(m), gr_mission_data(m));
        }
        gr_batch_free(batch);
    }
    assert_memory_equal(hashes[0], hashes[1], sizeof hashes[0]);
    assert_memory_equal(hashes[0], hashes[2], sizeof hashes[0]);
}

static void test_channels(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBatch *batch = make_slopes(2);
    assert_int_equal(gr_batch_advance(batch, 2, NULL), GR_OK);
    const int wheels = gr_batch_width(batch, "*.slip");
    assert_int_equal(gr_batch_width(batch, "x_m"), 1);
    assert_int_equal(gr_batch_width(batch, "slipp"), 0);
    assert_in_range(wheels, 3, 8);
    const char *const names[] = {"x_m", "*.slip", "time_s"};
    double values[RUNS][10];
    assert_int_equal(gr_batch_get(batch, names, 3, values[0], &log), GR_OK);
    const double *packed = values[0];
    for (int i = 0; i < RUNS; i++) {
        GrSample sample;
        GrMission *mission = gr_batch_mission(batch, i);
        assert_true(gr_sample_init(gr_mission_model(mission), 0, &sample));
        gr_mission_sample(mission, &sample);
        const double *row = packed + (size_t)i * (size_t)(wheels + 2);
        assert_near(row[0], sample.pose.position.x, 0);
        for (int w = 0; w < wheels; w++) {
            assert_near(row[1 + w], sample.wheels[w].slip, 0);
        }
        assert_near(row[1 + wheels], 2, 1e-9);
        gr_sample_free(&sample);
    }
    const char *const wrong[] = {"x_m", "sinkage_mm"};
    assert_int_equal(gr_batch_get(batch, wrong, 2, values[0], &log), GR_ERROR_NAME);
    assert_non_null(strstr(log.items[log.count - 1].text, "sinkage_mm"));
    gr_batch_free(batch);
}

static void test_masks_and_commands(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBatch *batch = make_slopes(2);
    const bool mask[RUNS] = {true, false, true, false, false, false};
    const char *const names[] = {"x_m"};
    double before[RUNS], after[RUNS];
    GrDriveCommand commands[RUNS] = {{.mode = GR_DRIVE_STOP}};
    for (int i = 0; i < RUNS; i++) {
        commands[i] = (GrDriveCommand){.mode = GR_DRIVE_STOP};
    }
    assert_int_equal(gr_batch_advance(batch, 1, NULL), GR_OK);
    gr_batch_drive(batch, commands, mask);
    assert_int_equal(gr_batch_advance(batch, 1.5, NULL), GR_OK); // until the ramp of the command is over
    assert_int_equal(gr_batch_get(batch, names, 1, before, &log), GR_OK);
    assert_int_equal(gr_batch_advance(batch, 2, NULL), GR_OK);
    assert_int_equal(gr_batch_get(batch, names, 1, after, &log), GR_OK);
    for (int i = 0; i < RUNS; i++) {
        const double way = after[i] - before[i];
        assert_true(mask[i] ? way < 2e-3 : way > 5e-3);
    }
    assert_int_equal(gr_batch_reset(batch, mask, &log), GR_OK);
    for (int i = 0; i < RUNS; i++) {
        assert_near(gr_batch_time(batch, i), mask[i] ? 0 : 4.5, 1e-9);
    }
    gr_batch_free(batch);
}

/// A run that cannot start is a result; a number that no scenario may have is an error.
static void test_refusals(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    const char *const overrides[] = {"stop.time_s=1", NULL};
    GrBatch *batch = make("crossing", overrides, 3, 2);
    const double x[] = {0, 1e5, 1};
    assert_int_equal(gr_batch_outcome(batch, 0), GR_OUTCOME_FAILED); // before the first reset
    assert_int_equal(gr_batch_set(batch, "start.x_m", x, &log), GR_OK);
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    assert_int_equal(gr_batch_outcome(batch, 0), GR_OUTCOME_RUNNING);
    assert_int_equal(gr_batch_outcome(batch, 1), GR_OUTCOME_FAILED);
    assert_true(strlen(gr_batch_cause(batch, 1)) > 10);
    assert_null(gr_batch_mission(batch, 1));
    const char *const names[] = {"z_m"};
    double z[3];
    assert_int_equal(gr_batch_get(batch, names, 1, z, &log), GR_OK);
    assert_true(z[0] == z[0] && z[1] != z[1] && z[2] == z[2]);

    const double speed[] = {0.05, 0.06, -1e9}, nan[] = {1, (double)NAN, 1};
    assert_int_not_equal(gr_batch_set(batch, "drive.speeed_mps", speed, &log), GR_OK);
    assert_non_null(strstr(log.items[log.count - 1].text, "speed_mps"));
    assert_int_equal(gr_batch_set(batch, "start.y_m", nan, &log), GR_ERROR_VALUE);
    assert_int_equal(gr_batch_set(batch, "drive.speed_mps", speed, &log), GR_OK);
    GrErrorLog wrong = {0};
    assert_int_not_equal(gr_batch_reset(batch, NULL, &wrong), GR_OK);
    assert_non_null(strstr(wrong.items[wrong.count - 1].text, "run 2"));
    gr_batch_free(batch);

    GrBatchDef def = gr_default_batch_def();
    def.scenario = "crosing";
    assert_int_not_equal(gr_batch_create(&def, &batch, &log), GR_OK);
    def.scenario = "crossing";
    def.count = 0;
    assert_int_not_equal(gr_batch_create(&def, &batch, &log), GR_OK);
    assert_null(batch);
}

/// What is sampled of all runs, the work of the last step among it.
static void get_all(GrBatch *batch, double values[RUNS][12])
{
    static const char *const names[] = {"x_m",    "power_W",   "energy.electric_J",
                                        "*.slip", "*.power_W", "imu_az_m_per_s2"};
    GrErrorLog log = {0};
    memset(values, 0, sizeof(double[RUNS][12]));
    if (gr_batch_get(batch, names, 6, values[0], &log) != GR_OK) {
        fail_msg("%s", log.items[0].text);
    }
}

static void *save(GrBatch *batch, const bool *mask, size_t *size)
{
    *size = gr_batch_size(batch, mask);
    void *saved = malloc(*size);
    assert_non_null(saved);
    assert_int_equal(gr_batch_save(batch, mask, saved), GR_OK);
    return saved;
}

static uint64_t hash_of(GrBatch *batch, int i)
{
    GrMission *m = gr_batch_mission(batch, i);
    return gr_data_hash(gr_mission_model(m), gr_mission_data(m));
}

static void test_restored_runs_continue(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBatch *batch = make_slopes(2), *other = make_slopes(1);
    double then[RUNS][12], now[RUNS][12];
    uint64_t end[RUNS];
    size_t size;
    gr_batch_advance(batch, 2.5, NULL);
    get_all(batch, then);
    void *saved = save(batch, NULL, &size);
    gr_batch_advance(batch, 3, NULL);
    for (int i = 0; i < RUNS; i++) {
        end[i] = hash_of(batch, i);
    }
    GrBatch *both[] = {batch, other}; // back in time, and elsewhere
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gr_batch_restore(both[k], saved, size, &log), GR_OK);
        get_all(both[k], now);
        assert_memory_equal(now, then, sizeof now);
        gr_batch_advance(both[k], 3, NULL);
        for (int i = 0; i < RUNS; i++) {
            assert_true(hash_of(both[k], i) == end[i]);
        }
    }
    free(saved);
    const bool mask[RUNS] = {false, true, false, false, true, false};
    assert_int_equal(gr_batch_reset(other, NULL, &log), GR_OK);
    saved = save(batch, mask, &size);
    assert_int_equal(gr_batch_restore(other, saved, size, &log), GR_OK);
    for (int i = 0; i < RUNS; i++) {
        assert_near(gr_batch_time(other, i), mask[i] ? 5.5 : 0, 1e-9);
    }
    free(saved);
    gr_batch_free(batch);
    gr_batch_free(other);
}

static void assert_refused(GrBatch *batch, const void *saved, size_t size, const char *text)
{
    GrErrorLog log = {0};
    const double before = gr_batch_time(batch, 0);
    assert_int_not_equal(gr_batch_restore(batch, saved, size, &log), GR_OK);
    if (strstr(log.items[0].text, text) == NULL) {
        fail_msg("'%s' instead of '%s'", log.items[0].text, text);
    }
    assert_near(gr_batch_time(batch, 0), before, 0);
}

static void test_foreign_states(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    GrBatch *batch = make_slopes(2);
    size_t size;
    gr_batch_advance(batch, 1, NULL);
    unsigned char *saved = save(batch, NULL, &size);
    assert_refused(batch, saved, size - 1, "checksum");
    assert_refused(batch, saved, 7, "not a saved batch");
    saved[size / 2] ^= 1;
    assert_refused(batch, saved, size, "checksum");
    saved[size / 2] ^= 1;
    saved[9] ^= 1; // in the name of the version
    assert_refused(batch, saved, size, "saved by version");
    saved[9] ^= 1;
    saved[0] ^= 1;
    assert_refused(batch, saved, size, "not a saved batch");
    saved[0] ^= 1;

    double phi[RUNS];
    memcpy(phi, PHI, sizeof phi);
    phi[RUNS - 1] += 1e-6;
    assert_int_equal(gr_batch_set(batch, "soil:phi", phi, &log), GR_OK);
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    assert_refused(batch, saved, size, "run 5: it was saved with another scenario, or with other numbers");
    assert_int_equal(gr_batch_set(batch, "soil:phi", PHI, &log), GR_OK);
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    assert_int_equal(gr_batch_restore(batch, saved, size, &log), GR_OK);
    assert_near(gr_batch_time(batch, 0), 1, 1e-9);
    gr_batch_free(batch);

    batch = make("gradeability", SLOPE, 2, 1);
    assert_refused(batch, saved, size, "run 0: it is without a rover: reset it first");
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    assert_refused(batch, saved, size, "run 0: it was saved with another scenario");
    free(saved);
    saved = save(batch, NULL, &size);
    gr_batch_free(batch);
    batch = make("gradeability", SLOPE, 1, 1);
    assert_int_equal(gr_batch_reset(batch, NULL, &log), GR_OK);
    assert_refused(batch, saved, size, "has a run 1, this one has 1 runs");
    free(saved);
    gr_batch_free(batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_as_single_runs),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_masks_and_commands),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_restored_runs_continue),
        cmocka_unit_test(test_foreign_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
