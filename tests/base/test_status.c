#include "grouser/status.h"

#include "test.h"

static void test_format_with_and_without_place(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    char line[512];
    const GrLocation at = {"rover.yaml", 12, 5, "bodies.chassis.mass_kg"};
    assert_int_equal(gr_error_add(&log, GR_ERROR_VALUE, at, "found %d, allowed > 0", -3), GR_ERROR_VALUE);
    gr_error_format(&log.items[0], line, sizeof line);
    assert_string_equal(line, "rover.yaml:12:5: error: bodies.chassis.mass_kg: found -3, allowed > 0");
    gr_warning_add(&log, (GrLocation){0}, "step too large");
    gr_error_format(&log.items[1], line, sizeof line);
    assert_string_equal(line, "warning: step too large");
    assert_int_equal(log.error_count, 1);
    assert_int_equal(log.warning_count, 1);
}

static void test_log_counts_past_its_capacity(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    for (int i = 0; i < GR_ERROR_LOG_CAPACITY + 5; i++) {
        gr_error_add(&log, GR_ERROR_NAME, (GrLocation){0}, "message %d", i);
    }
    assert_int_equal(log.count, GR_ERROR_LOG_CAPACITY);
    assert_int_equal(log.dropped, 5);
    assert_int_equal(log.error_count, GR_ERROR_LOG_CAPACITY + 5);
    assert_int_equal(gr_error_add(NULL, GR_ERROR_NAME, (GrLocation){0}, "nowhere"), GR_ERROR_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_with_and_without_place),
        cmocka_unit_test(test_log_counts_past_its_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
