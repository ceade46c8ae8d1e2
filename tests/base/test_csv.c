#include "test.h"

#include "csv.h"

static void test_plain(void **state)
{
    (void)state;
    static const char text[] =
        "\xef\xbb\xbf# a remark\r\n a , \"b, c\" ,d\r\n\r\n1,2, 3 \r\n\"4\",\"say \"\"so\"\"\",\r\n";
    GrCsv csv;
    assert_int_equal(gr_csv_parse(text, sizeof text - 1, "x.csv", &csv, NULL), GR_OK);
    assert_int_equal(csv.column_count, 3);
    assert_int_equal(csv.row_count, 2);
    assert_string_equal(csv.names[0], "a");
    assert_string_equal(csv.names[1], "b, c");
    assert_int_equal(gr_csv_find(&csv, "d"), 2);
    assert_int_equal(gr_csv_find(&csv, "e"), -1);
    assert_string_equal(gr_csv_cell(&csv, 0, 2), "3");
    assert_string_equal(gr_csv_cell(&csv, 1, 1), "say \"so\"");
    assert_string_equal(gr_csv_cell(&csv, 1, 2), "");
    assert_int_equal(csv.lines[0], 4);
    gr_csv_free(&csv);
}

static void test_separators(void **state)
{
    (void)state;
    GrCsv csv;
    assert_int_equal(gr_csv_parse("a;b\n1;2", 7, "x.csv", &csv, NULL), GR_OK);
    assert_int_equal(csv.column_count, 2);
    gr_csv_free(&csv);
    assert_int_equal(gr_csv_parse("a\tb\n1\t2\n", 8, "x.csv", &csv, NULL), GR_OK);
    assert_string_equal(gr_csv_cell(&csv, 0, 1), "2");
    gr_csv_free(&csv);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        int line;
    } cases[] = {
        {"", "the table is empty", 0},
        {"# only a remark\n", "the table is empty", 1},
        {"a,b\n1\n", "fewer cells than the 2 columns", 2},
        {"a,b\n1,2\n1,2,3\n", "more cells than the 2 columns", 3},
        {"a,a\n1,2\n", "two columns 'a'", 1},
        {"a,b\n\"1,2\n", "a quote is not closed", 2},
        {"a,b\n\"1\"x,2\n", "text after a closing quote", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        GrCsv csv;
        GrErrorLog error_log = {0};
        assert_int_not_equal(gr_csv_parse(cases[i].text, strlen(cases[i].text), "x.csv", &csv, &error_log), GR_OK);
        assert_non_null(strstr(error_log.items[0].text, cases[i].message));
        assert_int_equal(error_log.items[0].line, cases[i].line);
        assert_null(csv.text);
    }
    GrCsv csv;
    assert_int_equal(gr_csv_parse("a\0b", 3, "x.csv", &csv, NULL), GR_ERROR_SYNTAX);
}

static void test_many_rows(void **state)
{
    (void)state;
    static char text[100000];
    size_t used = (size_t)snprintf(text, sizeof text, "a,b\n");
    for (int i = 0; i < 5000; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d\n", i, 2 * i);
    }
    GrCsv csv;
    assert_int_equal(gr_csv_parse(text, used, "x.csv", &csv, NULL), GR_OK);
    assert_int_equal(csv.row_count, 5000);
    assert_string_equal(gr_csv_cell(&csv, 4999, 1), "9998");
    gr_csv_free(&csv);
}

/// No cell begins a formula; numbers stay numbers.
static void test_formulas(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = {{"=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\""},
                                           {"+1+\"2\"", "\"'+1+\"\"2\"\"\""},
                                           {"@SUM(A1)", "\"'@SUM(A1)\""},
                                           {"-x", "\"'-x\""},
                                           {"\t=1", "\"'\t=1\""},
                                           {"-1.5e-3", "-1.5e-3"},
                                           {"+2", "+2"},
                                           {"a=b", "a=b"}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        GrBuffer out = {0};
        gr_csv_put(&out, PAIRS[i][0]);
        assert_string_equal(out.data, PAIRS[i][1]);
        gr_buffer_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain), cmocka_unit_test(test_separators),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_many_rows),
                                       cmocka_unit_test(test_formulas)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
