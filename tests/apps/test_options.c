/// Parts of the command that can be tested without starting a process.
#include "options.h"

#include "report.h"
#include "test.h"

static const GrCommand COMMAND = {.name = "test", .usage = "test", .details = "", .example = ""};

static int parse(const GrOption *options, int count, char **argv, const char **arguments, int *exit_code)
{
    int argc = 0;
    while (argv[argc] != NULL) {
        argc++;
    }
    return gr_options_parse(&COMMAND, options, count, argc, argv, arguments, 0, 4, exit_code);
}

static void test_forms(void **state)
{
    (void)state;
    bool flag = false;
    const char *text = NULL;
    double number = 0;
    GrTextList list = {0};
    const GrOption options[] = {{.name = "flag", .letter = 'f', .flag = &flag},
                                {.name = "text", .letter = 't', .value = "T", .text = &text},
                                {.name = "number", .value = "N", .number = &number},
                                {.name = "set", .value = "S", .list = &list}};
    const char *argv[] = {"a",   "-f",      "--text=x=y", "--number", "-2.5e1", "--set",
                          "p=1", "--set=q", "-",          "--",       "--flag", NULL};
    const char *arguments[4];
    int exit_code;
    assert_int_equal(parse(options, 4, (char **)argv, arguments, &exit_code), 3);
    assert_true(flag);
    assert_string_equal(text, "x=y");
    assert_near(number, -25, 0);
    assert_int_equal(list.count, 2);
    assert_string_equal(list.items[1], "q");
    assert_null(list.items[2]);
    assert_string_equal(arguments[1], "-");
    assert_string_equal(arguments[2], "--flag");
}

/// A value that may be missing: only a number, or what follows "=", is one.
static void test_optional_value(void **state)
{
    (void)state;
    static const struct {
        const char *argv[3], *text;
        int count;
    } rows[] = {
        {{"--serve", "c.yaml"}, "", 1},          {{"c.yaml", "--serve"}, "", 1}, {{"--serve", "8080"}, "8080", 0},
        {{"--serve=8080", "c.yaml"}, "8080", 1}, {{"--serve", "--flag"}, "", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *text = NULL, *arguments[4];
        bool flag = false;
        int exit_code;
        const GrOption options[] = {{.name = "serve", .value = "PORT", .text = &text, .optional = true},
                                    {.name = "flag", .flag = &flag}};
        char **argv = (char **)(uintptr_t)rows[i].argv;
        assert_int_equal(parse(options, 2, argv, arguments, &exit_code), rows[i].count);
        assert_string_equal(text, rows[i].text);
    }
}

static void test_bad_numbers(void **state)
{
    (void)state;
    double value;
    const char *const bad[] = {"", "x", "1x", "1,5", "nan", "inf", "1e999", "--"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(gr_options_number(bad[i], &value));
    }
    assert_true(gr_options_number("0x10", &value));
}

static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(gr_report_exit_code(GR_OK), 0);
    assert_int_equal(gr_report_exit_code(GR_ERROR_NUMERIC), 1);
    assert_int_equal(gr_report_exit_code(GR_ERROR_SYNTAX), 2);
}

static void test_progress_line(void **state)
{
    (void)state;
    char line[256];
    gr_progress_line("sweep", 1, 2, 1.9, line, sizeof line);
    assert_string_equal(line, "");
    gr_progress_line("sweep", 1, 4, 30, line, sizeof line);
    assert_non_null(strstr(line, " 25 %, 1:30 left"));
    gr_progress_line("sweep", 0, 0, 30, line, sizeof line);
    assert_non_null(strstr(line, "  0 %"));
    gr_progress_line("sweep", 9, 4, 30, line, sizeof line);
    assert_non_null(strstr(line, "100 %, 0:00 left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),      cmocka_unit_test(test_optional_value), cmocka_unit_test(test_bad_numbers),
        cmocka_unit_test(test_exit_codes), cmocka_unit_test(test_progress_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
