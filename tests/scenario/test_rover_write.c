/// Rovers with overrides written as files: read again, they are the overridden rover, to the last bit of a drive.
#include "find.h"
#include "grouser/run.h"
#include "rover_write.h"
#include "shipped.h"
#include "test.h"

#include <stdlib.h>

static void write_file(const char *path, const GrBuffer *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
    fclose(file);
}

/// State at the end of a short drive.
static uint64_t drive(const char *const *overrides)
{
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    GrRunSummary summary;
    GrErrorLog log = {0};
    if (gr_scenario_load("gradeability", overrides, &scenario, &log) != GR_OK) {
        fail_msg("%s: %s", log.items[0].field, log.items[0].text);
    }
    assert_int_equal(gr_world_create(scenario, &world, NULL), GR_OK);
    assert_int_equal(gr_run(world, NULL, &summary, NULL), GR_OK);
    const uint64_t hash = summary.state_hash;
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    return hash;
}

/// A parameter, all copies of a repeat, one of its copies, and all of them.
static void test_drives_are_the_same(void **state)
{
    (void)state;
    static const char *const CASES[][4] = {
        {"rover:params.wheel_radius=0.13", NULL},
        {"rover:params.wheel_radius=2*0.06", "rover:params.total_mass=14", NULL},
        {"rover:bodies.rocker_${side}.mass_kg=0.7", NULL},
        {"rover:bodies.rocker_left.mass_kg=0.9", NULL},
        {"rover:params.half_track=0.25", "rover:bodies.chassis.com_m=[0.01, 0, 0.05]",
         "rover:bodies.rocker_right.mass_kg=0.4", NULL},
    };
    uint64_t before = 0;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *overrides[6] = {"stop.time_s=2"};
        for (int k = 0; k < 4 && CASES[i][k] != NULL; k++) {
            overrides[k + 1] = CASES[i][k];
        }
        GrBuffer text = {0};
        GrErrorLog log = {0};
        if (gr_scenario_write_rover("gradeability", overrides, &text, &log) != GR_OK) {
            fail_msg("%s: %s", CASES[i][0], log.items[0].text);
        }
        write_file("written.yaml", &text);
        gr_buffer_free(&text);
        const char *const written[] = {"stop.time_s=2", "rover=./written.yaml", NULL};
        const uint64_t hash = drive(overrides);
        assert_true(hash != before); // overrides matter
        assert_true(drive(written) == hash);
        before = hash;
    }
}

/// Every shipped rover that is one file; gr_rover_write() compares it with the file.
static void test_shipped(void **state)
{
    (void)state;
    GrNameList rovers = {0};
    assert_int_equal(gr_shipped_list("rovers", ".yaml", &rovers, NULL), GR_OK);
    assert_true(rovers.count > 5);
    for (int i = 0; i < rovers.count; i++) {
        char path[GR_FILE_PATH_SIZE];
        GrBuffer text = {0};
        GrErrorLog log = {0};
        assert_int_equal(gr_find_file("rovers", "rover", rovers.names[i], path, NULL), GR_OK);
        if (gr_rover_write(path, NULL, &text, &log) != GR_OK) {
            fail_msg("%s: %s", rovers.names[i], log.items[0].text);
        }
        gr_buffer_free(&text);
    }
    gr_name_list_free(&rovers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drives_are_the_same),
        cmocka_unit_test(test_shipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
