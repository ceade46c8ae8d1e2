#include "table.h"

#include "test.h"

static void print_to(const GrTable *table, char *out, size_t size)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    gr_table_print(table, file);
    rewind(file);
    out[fread(out, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_alignment(void **state)
{
    (void)state;
    GrTable table = {.indent = 2};
    gr_table_column(&table, "name", GR_LEFT);
    gr_table_column(&table, "µ", GR_RIGHT);
    gr_table_column(&table, "note", GR_LEFT);
    gr_table_text(&table, "é");
    gr_table_number(&table, 9.80665, 3);
    gr_table_text(&table, "short");
    gr_table_printf(&table, "long%d", 1);
    gr_table_number(&table, (double)INFINITY, 3);
    char out[512];
    print_to(&table, out, sizeof out);
    assert_string_equal(out, "  name      µ  note\n"
                             "  ─────  ────  ─────\n"
                             "  é      9.81  short\n"
                             "  long1     ∞\n");
    assert_false(table.failed);
    gr_table_free(&table);
}

static void test_without_heads(void **state)
{
    (void)state;
    GrTable table = {0};
    gr_table_column(&table, "", GR_LEFT);
    gr_table_column(&table, "", GR_LEFT);
    for (int i = 0; i < 200; i++) {
        gr_table_text(&table, i % 2 == 0 ? "a" : "b");
    }
    char out[2048];
    print_to(&table, out, sizeof out);
    assert_memory_equal(out, "a  b\na  b\n", 10);
    assert_int_equal(strlen(out), 500);
    gr_table_free(&table);
}

/// A cell stays in its line, and a terminal has nothing to obey.
static void test_hard_text(void **state)
{
    (void)state;
    GrTable table = {0};
    gr_table_column(&table, "\x1b[2J", GR_LEFT);
    gr_table_text(&table, "a\nb\xff\xc2\x9b");
    char out[512];
    print_to(&table, out, sizeof out);
    assert_string_equal(out, "?[2J\n"
                             "─────\n"
                             "a?b??\n");
    gr_table_free(&table);
}

/// One table for the terminal, JSON, CSV and Markdown: displayed in other units than written, bands as two numbers in
/// files, columns that only one of them has.
static void test_files(void **state)
{
    (void)state;
    static const GrColumn COLUMNS[] = {{"soil", "soil", 0, 0},
                                       {"sinkage_m", "sinkage [mm]", 1000, 3},
                                       {"sinkage_m", "90 %", 1000, 0},
                                       {"flags", NULL, 1, 0},
                                       {NULL, "note", 0, 0}};
    GrTable table = {0};
    gr_table_columns(&table, COLUMNS, 5);
    gr_table_text(&table, "a|b");
    gr_table_value(&table, 0.0123456);
    gr_table_band(&table, 0.01, 0.02);
    gr_table_value(&table, 3);
    gr_table_show(&table, "three");
    gr_table_text(&table, "x");
    char out[512];
    print_to(&table, out, sizeof out);
    assert_non_null(strstr(out, "\na|b           12.3  10 … 20  x\n"));
    GrBuffer text = {0};
    gr_table_csv(&table, &text);
    assert_string_equal(text.data, "soil,sinkage_m,sinkage_m_low,sinkage_m_high,flags\na|b,0.0123456,0.01,0.02,3\n");
    gr_buffer_free(&text);
    GrJson json = gr_json_to_buffer(&text, false);
    gr_table_json(&table, NULL, &json);
    gr_json_finish(&json);
    assert_string_equal(text.data, "[{\"soil\": \"a|b\", \"sinkage_m\": 0.0123456, \"sinkage_m_low\": 0.01, "
                                   "\"sinkage_m_high\": 0.02, \"flags\": 3}]\n");
    gr_buffer_free(&text);
    gr_table_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alignment), cmocka_unit_test(test_without_heads),
                                       cmocka_unit_test(test_hard_text), cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
