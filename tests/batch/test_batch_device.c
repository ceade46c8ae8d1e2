/// Batches on a GPU that the tests make up (tests/support/made_up_gpu.c), which runs the sources of the device,
/// compiled for the processor: the same bits as the library's own, and messages where a GPU is missing, too small,
/// broken or wrong, or does not offer what a run has. Real ones are measured in docs/batch.md.
#include "batch_device.h"
#include "grouser/batch.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, MOST_OVERRIDES = 8 };

typedef struct Case {
    const char *scenario;
    const char *overrides[MOST_OVERRIDES];
    const char *path; ///< of a number that differs from run to run
    double from, by;
    double time; ///< [s]
} Case;

static GrBatch *make(const Case *c, const char *device, GrErrorLog *log)
{
    GrBatchDef def = gr_default_batch_def();
    double values[RUNS];
    GrBatch *batch = NULL;
    def.scenario = c->scenario;
    def.overrides = c->overrides;
    def.count = RUNS;
    def.threads = 2;
    def.device = device;
    for (int i = 0; i < RUNS; i++) {
        values[i] = c->from + i * c->by;
    }
    if (gr_batch_create(&def, &batch, log) != GR_OK || gr_batch_set(batch, c->path, values, log) != GR_OK ||
        gr_batch_reset(batch, NULL, log) != GR_OK) {
        fail_msg("%s: %s", c->scenario, log->items[log->count - 1].text);
    }
    return batch;
}

static void assert_same(const Case *c, GrBatch *a, GrBatch *b)
{
    for (int i = 0; i < RUNS; i++) {
        assert_non_null(gr_batch_mission(a, i));
        if (gr_mission_sum(gr_batch_mission(a, i)) != gr_mission_sum(gr_batch_mission(b, i))) {
            fail_msg("%s, run %d: other bits", c->scenario, i);
        }
        assert_int_equal(gr_batch_outcome(a, i), gr_batch_outcome(b, i));
        assert_string_equal(gr_batch_cause(a, i), gr_batch_cause(b, i));
    }
}

/// Laws, rovers and grounds; runs that end by time, at the goal, stuck, tipped, beyond the map, and with more rigid
/// contacts than the device has room for.
#define TILTED "gravity={body: mars, tilt_deg: 0}"

static const Case CASES[] = {
    {"gradeability", {"stop.time_s=3"}, "soil:phi", 28, 2, 4},
    {"gradeability", {"soil=mars_sand", "soil:law=bekker"}, "gravity.tilt_deg", 0, 3, 3},
    {"turn", {TILTED, "soil:law=terra"}, "gravity.tilt_deg", 0, 2, 3},
    {"turn", {TILTED, "soil=lunar_mare", "soil:law=rft"}, "gravity.tilt_deg", 0, 2, 0.5},
    {"turn", {TILTED, "soil:law=ding"}, "gravity.tilt_deg", 0, 2, 2},
    {"turn", {TILTED, "soil:law=chaikin"}, "gravity.tilt_deg", 0, 2, 2},
    {"mixed_soils", {"start={x_m: 0}"}, "start.x_m", 0, 0.05, 3},
    {"rollover", {TILTED}, "gravity.tilt_deg", 0, 2, 12},
};

static void test_bits(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof CASES[0]; k++) {
        GrErrorLog log = {0};
        GrBatch *there = make(&CASES[k], "cuda", &log), *here = make(&CASES[k], NULL, &log);
        for (int part = 0; part < 3; part++) { // in the middle of a launch, too
            const GrStatus status = gr_batch_advance(there, CASES[k].time / 3, &log);
            if (status != GR_OK) {
                fail_msg("%s: %s", CASES[k].scenario, log.items[0].text);
            }
            assert_int_equal(gr_batch_advance(here, CASES[k].time / 3, &log), GR_OK);
            assert_same(&CASES[k], there, here);
        }
        gr_batch_free(there);
        gr_batch_free(here);
    }
}

/// Driven by hand, and a part of the runs reset.
static void test_hands_and_masks(void **state)
{
    (void)state;
    const Case c = {"gradeability", {NULL}, "soil:phi", 28, 2, 0};
    GrErrorLog log = {0};
    GrBatch *batches[2] = {make(&c, "cuda", &log), make(&c, NULL, &log)};
    GrDriveCommand commands[RUNS];
    const bool mask[RUNS] = {false, true, false, true, false};
    for (int i = 0; i < RUNS; i++) {
        commands[i] = (GrDriveCommand){.mode = GR_DRIVE_SKID, .speed = 0.02 * (i + 1)};
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(gr_batch_advance(batches[k], 1, &log), GR_OK);
        gr_batch_drive(batches[k], commands, NULL);
        assert_int_equal(gr_batch_advance(batches[k], 1, &log), GR_OK);
        assert_int_equal(gr_batch_reset(batches[k], mask, &log), GR_OK);
        assert_int_equal(gr_batch_advance(batches[k], 0.5, &log), GR_OK);
    }
    assert_true(gr_batch_time(batches[0], 0) > gr_batch_time(batches[0], 1));
    assert_same(&c, batches[0], batches[1]);
    gr_batch_free(batches[0]);
    gr_batch_free(batches[1]);
}

/// Runs come and go more often than the device keeps images.
static void test_many_resets(void **state)
{
    (void)state;
    const Case c = {"gradeability", {NULL}, "soil:phi", 28, 2, 0};
    GrErrorLog log = {0};
    GrBatch *batches[2] = {make(&c, "cuda", &log), make(&c, NULL, &log)};
    for (int k = 0; k < 13; k++) {
        bool mask[RUNS] = {false};
        double phi[RUNS];
        mask[k % (RUNS - 1)] = true; // the last run stays
        for (int i = 0; i < RUNS; i++) {
            phi[i] = 26 + 0.5 * k + i;
        }
        for (int b = 0; b < 2; b++) {
            assert_int_equal(gr_batch_set(batches[b], "soil:phi", phi, &log), GR_OK);
            assert_int_equal(gr_batch_reset(batches[b], mask, &log), GR_OK);
            assert_int_equal(gr_batch_advance(batches[b], 0.2, &log), GR_OK);
        }
        assert_same(&c, batches[0], batches[1]);
    }
    assert_near(gr_batch_time(batches[0], RUNS - 1), 13 * 0.2, 1e-9);
    gr_batch_free(batches[0]);
    gr_batch_free(batches[1]);
}

/// Saved on one, continued on the other.
static void test_restored_elsewhere(void **state)
{
    (void)state;
    const Case c = {"gradeability", {NULL}, "soil:phi", 28, 2, 0};
    GrErrorLog log = {0};
    GrBatch *there = make(&c, "cuda", &log), *here = make(&c, NULL, &log);
    assert_int_equal(gr_batch_advance(there, 1, &log), GR_OK);
    const size_t size = gr_batch_size(there, NULL);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(gr_batch_save(there, NULL, saved), GR_OK);
    assert_int_equal(gr_batch_advance(there, 2, &log), GR_OK);
    assert_int_equal(gr_batch_restore(here, saved, size, &log), GR_OK);
    assert_int_equal(gr_batch_advance(here, 2, &log), GR_OK);
    assert_same(&c, there, here);
    assert_int_equal(gr_batch_restore(there, saved, size, &log), GR_OK); // back in time, without a reset
    assert_near(gr_batch_time(there, 0), 1, 1e-9);
    assert_int_equal(gr_batch_advance(there, 2, &log), GR_OK);
    assert_same(&c, there, here);
    free(saved);
    gr_batch_free(there);
    gr_batch_free(here);
}

/// What an advance of slopes says with a fault of the driver.
static GrStatus advance_with(const char *fault, char text[GR_ERROR_TEXT_SIZE])
{
    const Case c = {"gradeability", {NULL}, "soil:phi", 28, 2, 0};
    GrErrorLog log = {0};
    GrBatch *batch = make(&c, "cuda:0", &log);
    setenv("GROUSER_GPU_FAULT", fault, 1);
    const GrStatus status = gr_batch_advance(batch, 2, &log);
    unsetenv("GROUSER_GPU_FAULT");
    snprintf(text, GR_ERROR_TEXT_SIZE, "%s", log.count > 0 ? log.items[0].text : "");
    GrErrorLog later = {0}; // nothing is lost: each run is after a whole step, and goes on
    const double time = gr_batch_time(batch, 0);
    assert_int_equal(gr_batch_outcome(batch, 0), GR_OUTCOME_RUNNING);
    assert_int_equal(gr_batch_reset(batch, NULL, &later), GR_OK);
    assert_int_equal(gr_batch_advance(batch, 0.5, &later), GR_OK);
    assert_true(status != GR_OK || time == 2);
    gr_batch_free(batch);
    return status;
}

static void test_faults(void **state)
{
    (void)state;
    char text[GR_ERROR_TEXT_SIZE];
    assert_int_equal(advance_with("", text), GR_OK);
    assert_int_equal(advance_with("none", text), GR_ERROR_UNSUPPORTED);
    assert_non_null(strstr(text, "finds no GPU"));
    assert_int_equal(advance_with("memory:1000", text), GR_ERROR_MEMORY);
    assert_int_equal(advance_with("memory:1500000", text), GR_OK); // room for some runs at a time
    assert_int_equal(advance_with("launch:2", text), GR_ERROR_DEVICE);
    assert_non_null(strstr(text, "an illegal memory access"));
    assert_int_equal(advance_with("wrong", text), GR_ERROR_DEVICE);
    assert_non_null(strstr(text, "other bits on the GPU than on the processor"));
}

static void test_refusals(void **state)
{
    (void)state;
    const struct {
        Case c;
        const char *text;
    } cases[] = {
        {{"rock", {NULL}, "start.x_m", 0, 0.01, 0}, "does not offer rocks, parts and landers"},
        {{"own_track", {"ruts=trace", "soil=ishigami2007"}, "stop.time_s", 10, 1, 0}, "does not offer ruts"},
        {{"own_track", {NULL}, "stop.time_s", 10, 1, 0}, "the law scm"},
        {{"gradeability", {"step.pace=error"}, "gravity.tilt_deg", 0, 1, 0}, "steps by their error"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        GrErrorLog log = {0};
        GrBatch *batch = make(&cases[k].c, "cuda", &log);
        assert_int_equal(gr_batch_advance(batch, 1, &log), GR_ERROR_UNSUPPORTED);
        if (strstr(log.items[0].text, cases[k].text) == NULL) {
            fail_msg("%s", log.items[0].text);
        }
        assert_true(gr_batch_time(batch, 0) == 0);
        gr_batch_free(batch);
    }
    GrBatchDef def = gr_default_batch_def();
    GrErrorLog log = {0};
    GrBatch *batch = NULL;
    def.scenario = "gradeability";
    def.device = "gpu";
    assert_int_equal(gr_batch_create(&def, &batch, &log), GR_ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),        cmocka_unit_test(test_hands_and_masks),
        cmocka_unit_test(test_many_resets), cmocka_unit_test(test_restored_elsewhere),
        cmocka_unit_test(test_faults),      cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
