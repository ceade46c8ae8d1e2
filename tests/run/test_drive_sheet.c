/// Drives written as scenarios and read again: the same commands bit for bit, in the file itself or in a table.
#include "live_drive.h"
#include "test.h"

#include "alloc.h"
#include "drive_file.h"
#include "random.h"

#include <stdlib.h>
#include <unistd.h>

static GrErrorLog error_log;

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static GrScenario *load(const char *name)
{
    GrScenario *scenario = NULL;
    memset(&error_log, 0, sizeof error_log);
    const GrStatus status = gr_scenario_load(name, NULL, &scenario, &error_log);
    if (status != GR_OK) {
        print_error("%s: %s\n", error_log.items[0].field, error_log.items[0].text);
    }
    assert_int_equal(status, GR_OK);
    return scenario;
}

static void assert_same_command(const GrScriptEntry *a, const GrScriptEntry *b)
{
    assert_true(a->time == b->time && a->command.mode == b->command.mode);
    if (a->command.mode != GR_DRIVE_MODE_COUNT) {
        assert_true(a->command.speed == b->command.speed && a->command.curvature == b->command.curvature);
        assert_true(a->command.yaw_rate == b->command.yaw_rate && a->command.crab == b->command.crab);
    }
}

/// A drive of so many commands through its file.
static void round_trip(int count)
{
    static const char *const none[] = {NULL};
    GrScenario *scenario = load("turn");
    GrDriveNotes notes = {0};
    GrRandom random = gr_random_stream(3, "sheet");
    for (int i = 0; i < count; i++) {
        const GrDriveMode mode = i % 7 == 6   ? GR_DRIVE_MODE_COUNT
                                 : i % 5 == 4 ? GR_DRIVE_CRAB
                                              : GR_DRIVE_DOUBLE_ACKERMANN;
        const GrDriveCommand command = {.mode = mode,
                                        .speed = gr_random_uniform(&random, -1, 1),
                                        .curvature = gr_random_uniform(&random, -1, 1),
                                        .yaw_rate = gr_random_uniform(&random, -1, 1),
                                        .crab = gr_random_uniform(&random, -1, 1)};
        const GrScriptEntry entry = {.time = i / 3.0, .command = gr_drive_as_written(&command)};
        assert_int_equal(gr_drive_notes_add(&notes, &entry, &error_log), GR_OK);
    }
    assert_int_equal(notes.count, count);
    char path[GR_SCENARIO_PATH_SIZE];
    const GrDriveSheet sheet = {
        .scenario = scenario, .given = "turn", .how = "by a test", .overrides = none, .notes = &notes, .over = true};
    assert_int_equal(gr_drive_sheet_write(&sheet, path, &error_log), GR_OK);
    GrScenario *again = load(path);
    assert_int_equal(again->mission.control.manual_count, count);
    for (int i = 0; i < count; i++) {
        assert_same_command(&again->mission.control.manual[i], &notes.entries[i]);
    }
    assert_int_equal(access("turn_driven.csv", F_OK) == 0, count > GR_LIVE_LISTED);

    // a driver takes over from a drive that was read: both are written
    GrDriveNotes more = {0};
    const GrScriptEntry last = {.time = 1e6, .command = {.mode = GR_DRIVE_STOP}};
    gr_drive_notes_add(&more, &last, &error_log);
    const GrDriveSheet longer = {
        .scenario = again, .given = path, .how = "by a test", .overrides = none, .notes = &more, .over = true};
    char second[GR_SCENARIO_PATH_SIZE];
    assert_int_equal(gr_drive_sheet_write(&longer, second, &error_log), GR_OK);
    GrScenario *third = load(second);
    assert_int_equal(third->mission.control.manual_count, count + 1);
    assert_same_command(&third->mission.control.manual[0], &notes.entries[0]);
    assert_same_command(&third->mission.control.manual[count], &last);
    gr_scenario_free(third);
    gr_drive_notes_free(&more);
    gr_scenario_free(again);
    gr_drive_notes_free(&notes);
    gr_scenario_free(scenario);
    assert_int_equal(system("rm -f turn*_driven*"), 0);
}

static void test_round_trip(void **state)
{
    (void)state;
    round_trip(20);
    round_trip(GR_LIVE_LISTED + 500);
}

/// The last place of a full list is for the command that stops the rover.
static void test_full(void **state)
{
    (void)state;
    GrDriveNotes notes = {0};
    GrScriptEntry entry = {.command = {.mode = GR_DRIVE_SKID}};
    while (notes.count < GR_LIVE_ENTRIES - 1) {
        entry.time += 1;
        entry.command.speed = -entry.command.speed + 0.1 * (double)(notes.count % 2);
        entry.command.yaw_rate = (double)notes.count;
        assert_int_equal(gr_drive_notes_add(&notes, &entry, NULL), GR_OK);
    }
    entry.time += 1;
    entry.command.yaw_rate += 1;
    assert_int_equal(gr_drive_notes_add(&notes, &entry, NULL), GR_ERROR_UNSUPPORTED);
    const GrScriptEntry stop = {.time = entry.time, .command = {.mode = GR_DRIVE_STOP}};
    assert_int_equal(gr_drive_notes_add(&notes, &stop, NULL), GR_OK);
    gr_drive_notes_free(&notes);
}

static void test_bad_tables(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line;
    } rows[] = {
        {"time_s,speed_mps\n0,1\n", "the column mode is missing", 1},
        {"time_s,mode,speed\n0,skid,1\n", "unknown column 'speed'; did you mean", 1},
        {"time_s,mode,speed_mps\n0,skid,1\n1,skit,1\n", "found 'skit'; did you mean 'skid'?", 3},
        {"time_s,mode,speed_mps\n0,fixed,1\n", "found 'fixed'", 2},
        {"time_s,mode,speed_mps\n2,skid,1\n1,skid,1\n", "found 1 after 2: commands must be in order", 3},
        {"time_s,mode,speed_mps\n-1,skid,1\n", "found -1", 2},
        {"time_s,mode,speed_mps\n0,skid,inf\n", "found 'inf', allowed: a finite number", 2},
        {"time_s,mode,speed_mps\n0,skid,fast\n", "found 'fast', allowed: a finite number", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        GrScriptEntry *entries;
        int count;
        memset(&error_log, 0, sizeof error_log);
        write_text("bad.csv", rows[i].text);
        assert_true(gr_drive_file_read("bad.csv", &entries, &count, &error_log) != GR_OK);
        gr_free(entries);
        assert_string_equal(error_log.items[0].file, "bad.csv");
        assert_int_equal(error_log.items[0].line, rows[i].line);
        if (strstr(error_log.items[0].text, rows[i].message) == NULL) {
            fail_msg("%s: %s", rows[i].message, error_log.items[0].text);
        }
    }
    write_text("uses.yaml", "include: turn\ndrive:\n  manual: no_such.csv\n");
    GrScenario *scenario = NULL;
    assert_int_equal(gr_scenario_load("./uses.yaml", NULL, &scenario, &error_log), GR_ERROR_FILE);
    write_text("uses.yaml", "include: turn\ndrive:\n  manual: {a: 1}\n");
    assert_int_equal(gr_scenario_load("./uses.yaml", NULL, &scenario, &error_log), GR_ERROR_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_full),
                                       cmocka_unit_test(test_bad_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
