/// Samples through a thread: all of them, in order; a failure is returned once with its message. GDAL is not used here,
/// so that the thread sanitizer can check the test.
#include "sample_queue.h"

#include "file.h"
#include "support/mcap_parse.h"
#include "support/sample_run.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

static const char ROVER[] = GR_TEST_SOURCE_DIR "/data/rovers/rashid_like.yaml";
static GrSampleRun run;

typedef struct Taker {
    int count;
    int fail_at; ///< −1: never
    bool slow;
    bool wrong; ///< a sample was not the next one
} Taker;

static GrStatus take(void *context, const GrSample *sample, GrErrorLog *log)
{
    Taker *t = context;
    t->wrong = t->wrong || sample->time != t->count || sample->wheels[1].slip != -t->count ||
               sample->rocks[1].position.y != 2 * t->count || sample->wheels == run.sample.wheels;
    if (t->slow && t->count % 100 == 0) {
        usleep(2000);
    }
    if (t->count++ == t->fail_at) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = "disk"}, "is full");
    }
    return GR_OK;
}

static void set(int i)
{
    run.sample.time = i;
    run.sample.wheels[1].slip = -i;
    run.sample.rocks[1].position.y = 2 * i;
}

static void test_order(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        Taker taker = {.fail_at = -1, .slow = slow};
        GrSampleQueue *queue = gr_sample_queue_create(run.model, GR_SAMPLE_RUN_LOOSE, take, &taker);
        assert_non_null(queue);
        for (int i = 0; i < 5000; i++) {
            set(i);
            assert_int_equal(gr_sample_queue_add(queue, &run.sample, NULL), GR_OK);
            if (i % 777 == 0) {
                assert_int_equal(gr_sample_queue_drain(queue, NULL), GR_OK);
                assert_int_equal(taker.count, i + 1);
            }
        }
        gr_sample_queue_free(queue); // takes the rest
        assert_int_equal(taker.count, 5000);
        assert_false(taker.wrong);
    }
}

static void test_failure(void **state)
{
    (void)state;
    static GrErrorLog log;
    Taker taker = {.fail_at = 300};
    GrSampleQueue *queue = gr_sample_queue_create(run.model, GR_SAMPLE_RUN_LOOSE, take, &taker);
    assert_non_null(queue);
    GrStatus status = GR_OK;
    for (int i = 0; i < 5000; i++) {
        set(i);
        status = gr_sample_queue_add(queue, &run.sample, &log);
    }
    assert_int_equal(status, GR_ERROR_FILE);
    assert_int_equal(gr_sample_queue_drain(queue, &log), GR_ERROR_FILE);
    assert_int_equal(taker.count, 301); // none after it
    assert_int_equal(log.error_count, 1);
    assert_string_equal(log.items[0].file, "disk");
    gr_sample_queue_free(queue);
}

/// A record with its thread, the rover going on while files are written.
static void test_record(void **state)
{
    (void)state;
    char folder[] = "/tmp/grouser_test_queue_XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    run.def.directory = folder;
    run.def.report = false;
    GrRecord *record = NULL;
    assert_int_equal(gr_record_open(&run.def, &record, NULL), GR_OK);
    int count = 0;
    for (; count < 400 && gr_sample_run_next(&run); count++) {
        assert_int_equal(gr_record_add(record, &run.sample, NULL), GR_OK);
    }
    assert_int_equal(gr_record_close(record, NULL, NULL), GR_OK);
    snprintf(path, sizeof path, "%s/run.mcap", folder);
    char *data;
    size_t size;
    assert_int_equal(gr_file_read(path, 1 << 28, &data, &size, NULL), GR_OK);
    const McapContent c = mcap_content(data, size);
    assert_false(c.broken);
    assert_true(c.messages > count * (3 + gr_model_wheel_count(run.model)));
    free(data);
    static const char *const FILES[] = {"run.csv", "run.mcap", "summary.json"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, FILES[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    if (!gr_sample_run_make(&run, ROVER, "") || !gr_sample_run_next(&run)) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_record), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_failure)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gr_sample_run_free(&run);
    return failed;
}
