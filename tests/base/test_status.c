#include "grouser/status.h"

#include "messages.h"
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

/// Warnings up to the limit, then errors: every error is kept, and is read first.
static void test_errors_take_the_place_of_warnings(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    enum { WARNINGS = GR_ERROR_LOG_CAPACITY + 3, ERRORS = 6 };
    for (int i = 0; i < WARNINGS; i++) {
        gr_warning_add(&log, (GrLocation){0}, "warning %d", i);
    }
    for (int i = 0; i < ERRORS; i++) {
        gr_error_add(&log, GR_ERROR_NAME, (GrLocation){0}, "error %d", i);
    }
    assert_int_equal(log.count, GR_ERROR_LOG_CAPACITY);
    assert_int_equal(log.dropped, WARNINGS + ERRORS - GR_ERROR_LOG_CAPACITY);
    assert_int_equal(log.warning_count, WARNINGS);
    assert_int_equal(log.error_count, ERRORS);
    for (int i = 0; i < log.count; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "%s %d", i < ERRORS ? "error" : "warning", i < ERRORS ? i : i - ERRORS);
        assert_string_equal(gr_messages_at(&log, i)->text, expected);
    }
    assert_null(gr_messages_at(&log, log.count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_with_and_without_place),
        cmocka_unit_test(test_log_counts_past_its_capacity),
        cmocka_unit_test(test_errors_take_the_place_of_warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
