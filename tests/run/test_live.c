/// Live runs: their numbers are those of gr_run(), whoever looks on; drives by hand repeat from their file with the
/// same bits; values of the panel; refused values leave the run as it is.
#include "chunk.h"
#include "live.h"
#include "scenario_data.h"
#include "view_live.h"

#include "support/view_crowd.h"

#include <stdlib.h>
#include <unistd.h>

/// A coarse map: it is made for every run.
#define COARSE "terrain.cell_m=0.6"
static const char *const SHORT[] = {GR_TEST_LONG("stop.time_s=8", "stop.time_s=3"), COARSE, NULL};
static const char *const SLOPE[] = {"stop.time_s=8", NULL};

// ---- help

/// Chunks that a live run put, by type.
typedef struct Log {
    int restarts, heads, data, ruts, done;
    char head[200000]; ///< text of the last HEAD
} Log;

static void restart(void *context)
{
    Log *log = context;
    log->restarts++;
}

static bool put(void *context, const char *bytes, size_t size)
{
    Log *log = context;
    GrChunk chunk;
    assert_int_equal(gr_chunk_read((const unsigned char *)bytes, size, &chunk), size);
    log->heads += strcmp(chunk.type, "HEAD") == 0;
    log->data += strcmp(chunk.type, "DATA") == 0;
    log->ruts += strcmp(chunk.type, "RUTS") == 0;
    log->done += strcmp(chunk.type, "DONE") == 0;
    if (strcmp(chunk.type, "HEAD") == 0) {
        GrBuffer text = {0};
        assert_true(gr_chunk_unpack(&chunk, &text));
        assert_true(text.size < sizeof log->head);
        memcpy(log->head, text.data, text.size + 1);
        gr_buffer_free(&text);
    }
    return true;
}

static GrLive *open_live(const char *scenario, const char *const *overrides, Log *chunks)
{
    GrErrorLog log = {0};
    *chunks = (Log){0};
    const GrLiveDef def = {
        .scenario = scenario, .overrides = overrides, .context = chunks, .restart = restart, .put = put};
    GrLive *live = gr_live_open(&def, &log);
    assert_non_null(live);
    return live;
}

static void advance_to(GrLive *live, double time)
{
    while (gr_live_time(live) < time - 1e-9 && gr_live_outcome(live) == GR_OUTCOME_RUNNING) {
        assert_int_equal(gr_live_advance(live, NULL), GR_OK);
    }
}

static void drive(GrLive *live, GrDriveCommand command)
{
    const GrMessage message = {.op = GR_MESSAGE_DRIVE, .command = command};
    assert_int_equal(gr_live_drive(live, &message, NULL), GR_OK);
}

static void release(GrLive *live)
{
    const GrMessage message = {.op = GR_MESSAGE_DRIVE, .release = true};
    assert_int_equal(gr_live_drive(live, &message, NULL), GR_OK);
}

static GrStatus take_sample(void *context, const GrSample *sample, GrErrorLog *log)
{
    (void)context;
    (void)sample;
    (void)log;
    return GR_OK;
}

/// Hash of the end of a run by gr_run(), with samples, as grouser run does it.
static uint64_t run_hash(const char *scenario, const char *const *overrides)
{
    GrErrorLog log = {0};
    GrScenario *s = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    if (gr_scenario_load(scenario, overrides, &s, &log) != GR_OK || gr_world_create(s, &world, &log) != GR_OK) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
        fail();
    }
    const GrRunHooks hooks = {.sample = take_sample};
    assert_int_equal(gr_run(world, &hooks, &summary, &log), GR_OK);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(s);
    return hash;
}

static GrMessage reset_message(const char *set)
{
    GrMessage message = {.op = GR_MESSAGE_RESET, .set_count = set != NULL};
    snprintf(message.set, sizeof message.set, "%s", set != NULL ? set : "");
    return message;
}

// ---- tests

static void test_same_numbers(void **state)
{
    (void)state;
    static const int crowds[] = {0, 1, 50};
    const uint64_t expected = run_hash("crossing", SHORT);
    for (int i = 0; i < 3; i++) {
        GrErrorLog log = {0};
        GrServerDef def = gr_default_server_def();
        def.port = 0;
        def.live = true;
        GrServer *server = gr_server_start(&def, &log);
        assert_non_null(server);
        GrCrowd crowd = {.port = gr_server_port(server), .readers = crowds[i]};
        gr_crowd_start(&crowd);
        const GrViewLiveDef view = {
            .live = {.scenario = "crossing", .overrides = SHORT}, .once = true, .seconds = (double)INFINITY};
        uint64_t hash = 0;
        assert_int_equal(gr_view_live(server, &view, &hash, &log), GR_OK);
        assert_true(hash == expected);
        gr_crowd_stop(&crowd);
        gr_server_stop(server);
    }
}

/// The drive repeats from its file, through to the outcome and when it was cut off, over path and script.
static void test_drive_repeats(void **state)
{
    (void)state;
    static const char *const moon[] = {COARSE, "stop.time_s=12", "gravity=moon", "soil:phi=31.5", NULL};
    static const char *const script[] = {"stop.time_s=12", NULL};
    static Log chunks;
    for (int kind = GR_TEST_LONG(0, 1); kind < 3; kind++) {
        const bool path = kind < 2, cut = kind == 1;
        char file[GR_SCENARIO_PATH_SIZE];
        GrLive *live = open_live(path ? "crossing" : "gradeability", path ? moon : script, &chunks);
        drive(live, (GrDriveCommand){.mode = path ? GR_DRIVE_DOUBLE_ACKERMANN : GR_DRIVE_SKID,
                                     .speed = 0.1 / 3,
                                     .curvature = -M_PI / 10}); // before the first step
        advance_to(live, 2.35);
        assert_true(gr_live_by_hand(live));
        drive(live, (GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = 0.0123456789});
        advance_to(live, 5);
        release(live);
        advance_to(live, 7);
        assert_false(gr_live_by_hand(live));
        drive(live, (GrDriveCommand){.mode = GR_DRIVE_SKID, .speed = -0.05});
        advance_to(live, cut ? 9.55 : 100);
        const uint64_t hash = gr_live_hash(live);
        assert_int_equal(gr_live_save(live, file, NULL), GR_OK);
        assert_int_equal(gr_live_close(live, NULL), GR_OK);
        assert_true(run_hash(file, NULL) == hash);
        assert_true(run_hash(path ? "crossing" : "gradeability", path ? moon : script) != hash); // it has an effect
        // driven once more, over the drive of the file
        live = open_live(file, NULL, &chunks);
        advance_to(live, 8);
        drive(live, (GrDriveCommand){.mode = GR_DRIVE_STOP});
        advance_to(live, 100);
        const uint64_t again = gr_live_hash(live);
        char second[GR_SCENARIO_PATH_SIZE];
        assert_int_equal(gr_live_save(live, second, NULL), GR_OK);
        assert_int_equal(gr_live_close(live, NULL), GR_OK);
        assert_string_not_equal(second, file);
        assert_true(run_hash(second, NULL) == again);
        unlink(file);
        unlink(second);
    }
}

/// Reaching the goal by hand does not end the run; without a driver it does.
static void test_no_goal_by_hand(void **state)
{
    (void)state;
    static const char *const near[] = {COARSE, "drive.path=[[-29.8, -10]]", "stop.time_s=10", NULL};
    static Log chunks;
    GrLive *live = open_live("crossing", near, &chunks);
    advance_to(live, 100);
    assert_int_equal(gr_live_outcome(live), GR_OUTCOME_GOAL);
    assert_int_equal(chunks.done, 1);
    const double arrival = gr_live_time(live);
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
    live = open_live("crossing", near, &chunks);
    advance_to(live, arrival - 0.2);
    drive(live, (GrDriveCommand){.mode = GR_DRIVE_SKID, .speed = 0.1});
    advance_to(live, 100);
    assert_int_equal(gr_live_outcome(live), GR_OUTCOME_FINISHED);
    assert_near(gr_live_time(live), 10, 1e-9);
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
}

static void test_reset(void **state)
{
    (void)state;
    static Log chunks;
    static const char *const phi[] = {COARSE, "stop.time_s=3", "soil:phi=33", NULL};
    static const char *const soil[] = {COARSE, "stop.time_s=3", "soil=lunar_apollo", "gravity=moon", NULL};
    static const char *const brief[] = {COARSE, "stop.time_s=3", NULL};
    char path[GR_SCENARIO_PATH_SIZE];
    GrErrorLog log = {0};
    GrLive *live = open_live("crossing", brief, &chunks);
    advance_to(live, 1);
    GrMessage message = reset_message("soil:phi=33");
    assert_int_equal(gr_live_reset(live, &message, path, &log), GR_OK);
    assert_string_equal(path, ""); // nobody had driven
    assert_true(gr_live_time(live) == 0);
    assert_int_equal(chunks.restarts, 2);
    assert_int_equal(chunks.heads, 2);
    advance_to(live, 100);
    assert_true(gr_live_hash(live) == run_hash("crossing", phi));
    message = reset_message("soil=lunar_apollo"); // the value of the old soil goes with it
    assert_int_equal(gr_live_reset(live, &message, path, &log), GR_OK);
    message = reset_message("gravity=moon");
    assert_int_equal(gr_live_reset(live, &message, path, &log), GR_OK);
    drive(live, (GrDriveCommand){.mode = GR_DRIVE_STOP});
    release(live);
    advance_to(live, 100);
    assert_true(gr_live_hash(live) == run_hash("crossing", soil));
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
}

/// Values that are wrong, or not those of the panel, are refused with the reader's words; the run goes on.
static void test_refused(void **state)
{
    (void)state;
    static Log chunks;
    static const struct {
        const char *set, *text;
    } bad[] = {
        {"soil:phi=99", "allowed: 0 to 60"},
        {"soil:phi=[1]", "not a number"},
        {"soil=../../secret.yaml", "none of the choices"},
        {"gravity=pluto", "none of the choices"},
        {"terrain.file=/etc/passwd", "not a value of the panel"},
        {"drive.speed_mps=-1", "out of range"},
        {"stop.time_s=0", "out of range"},
    };
    GrLive *live = open_live("crossing", SHORT, &chunks);
    advance_to(live, 2);
    const uint64_t hash = gr_live_hash(live);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        GrErrorLog log = {0};
        char path[GR_SCENARIO_PATH_SIZE];
        const GrMessage message = reset_message(bad[i].set);
        assert_int_not_equal(gr_live_reset(live, &message, path, &log), GR_OK);
        if (log.count == 0 || strstr(log.items[0].text, bad[i].text) == NULL) {
            print_error("%s: %s\n", bad[i].set, log.count > 0 ? log.items[0].text : "no message");
            fail();
        }
    }
    GrErrorLog log = {0};
    const GrMessage crab = {.op = GR_MESSAGE_DRIVE, .command = {.mode = GR_DRIVE_WHEEL_WALK, .speed = 0.1}};
    assert_int_equal(gr_live_drive(live, &crab, &log), GR_ERROR_UNSUPPORTED);
    assert_true(gr_live_hash(live) == hash && gr_live_time(live) > 1.9);
    assert_int_equal(chunks.restarts, 1);
    advance_to(live, 100);
    assert_true(gr_live_hash(live) == run_hash("crossing", SHORT));
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
}

/// The panel of a scenario that leans its gravity, with a soil by name.
static void test_panel(void **state)
{
    (void)state;
    static Log chunks;
    static const char *const parts[] = {
        "\"live\": {\"modes\": [",
        "\"mode\": \"skid\"",
        "\"speed_max\": 0.1",
        "\"path\": \"soil\"",
        "\"value\": \"lunar_mare\"",
        "\"path\": \"soil:phi\"",
        "\"path\": \"gravity.body\"",
        "\"value\": \"moon\"",
        "\"path\": \"gravity.tilt_deg\"",
        "\"path\": \"drive.script[0].speed_mps\"",
        "\"path\": \"stop.time_s\"",
        "\"choices\": [",
    };
    GrLive *live = open_live("gradeability", SLOPE, &chunks);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (strstr(chunks.head, parts[i]) == NULL) {
            print_error("'%s' is not in %s\n", parts[i], chunks.head);
            fail();
        }
    }
    GrErrorLog log = {0};
    char path[GR_SCENARIO_PATH_SIZE];
    const GrMessage message = reset_message("gravity.tilt_deg=5");
    assert_int_equal(gr_live_reset(live, &message, path, &log), GR_OK);
    const GrVec3 g = gr_live_scenario(live)->gravity;
    assert_near(atan2(-g.x, -g.z), 5 * GR_DEGREE, 1e-12);
    assert_int_equal(gr_live_close(live, NULL), GR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_numbers),    cmocka_unit_test(test_drive_repeats),
        cmocka_unit_test(test_no_goal_by_hand), cmocka_unit_test(test_reset),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
