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
static void test_errors_replace_warnings(void **state)
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

/// Messages of the longest texts: as many as fit into 4 kB, errors first; those that are kept are whole.
static void test_long_messages(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    assert_true(sizeof log <= 4096);
    char text[GR_ERROR_TEXT_SIZE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (int i = 0; i < 10; i++) {
        gr_warning_add(&log, (GrLocation){.file = "a.yaml", .line = i}, "%s", text);
    }
    const int fit = GR_ERROR_LOG_BYTES / GR_ERROR_TEXT_SIZE;
    assert_int_equal(log.count, fit);
    assert_int_equal(log.dropped, 10 - fit);
    for (int i = 0; i < 20; i++) {
        gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.file = "b.yaml", .field = "key"}, "error %d", i);
    }
    assert_int_equal(log.error_count, 20);
    assert_int_equal(log.dropped + log.count, 30);
    for (int i = 0; i < 20; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "error %d", i);
        const GrError *error = gr_messages_at(&log, i);
        assert_string_equal(error->text, expected);
        assert_string_equal(error->file, "b.yaml");
        assert_string_equal(error->field, "key");
    }
    const GrError *warning = gr_messages_at(&log, 20);
    assert_non_null(warning);
    assert_string_equal(warning->text, text);
    assert_string_equal(warning->file, "a.yaml");
}

/// A message without a file gets the one of what made it.
static void test_place(void **state)
{
    (void)state;
    GrErrorLog log = {0};
    gr_error_add(&log, GR_ERROR_VALUE, (GrLocation){.field = "mass"}, "too small");
    gr_messages_set_place(&log, 0, (GrLocation){.file = "rover.yaml", .field = log.items[0].field, .line = 7});
    char line[64];
    gr_error_format(&log.items[0], line, sizeof line);
    assert_string_equal(line, "rover.yaml:7: error: mass: too small");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_with_and_without_place),
        cmocka_unit_test(test_log_counts_past_its_capacity),
        cmocka_unit_test(test_errors_replace_warnings),
        cmocka_unit_test(test_long_messages),
        cmocka_unit_test(test_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
