#include "json_check.h"
#include "run_command.h"

#include <sys/stat.h>

static void test_table(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --only 'rigid/*'");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->err, "");
    static const char *const heads[] = {"case", "source",     "kind",    "quantity", "expected",
                                        "ours", "difference", "allowed", "verdict"};
    for (int i = 0; i < 9; i++) {
        assert_has(run->out, heads[i]);
    }
    assert_has(run->out, "Buse et al. 2023");
    assert_has(run->out, "known deviation");
    assert_has(run->out, "Known deviations: ");
    assert_has(run->out, " published figures: ");
    assert_has(run->out, " checks: "); // counted apart
}

static void test_json(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --only soil/check_table --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"case\": \"soil/check_table\"");
    assert_has(run->out, "\"quantity\": \"f_x [N] at β = 5°, s = 0.1\"");
    assert_has(run->out, "\"kind\": \"check\"");
    assert_has(run->out, "\"expected\": 4.92,");
    assert_null(strstr(run->out, "\"published\":")); // our own quadrature
    assert_has(run->out, "\"pass\": true");
    assert_null(strstr(run->out, "\"pass\": false"));
    assert_has(run->out, "\"passed\": 16");
    run = gr_run("validate --only rover/lrv_loads --json");
    assert_has(run->out, "\"kind\": \"published\"");
    assert_has(run->out, "\"published\": 259,");
}

/// How well a law predicts a measured wheel, in every output; nothing of it where other cases are asked for.
static void test_scores(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --only score/rft --html validate_page.html");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "Laws against a measured wheel");
    assert_has(run->out, "\nrft, fitted ");
    assert_null(strstr(run->out, "0 cases"));
    static char page[1 << 20];
    gr_run_take("validate_page.html", page, sizeof page);
    assert_has(page, "Laws against a measured wheel");
    assert_has(page, "with the 90 % band as a bar");
    run = gr_run("validate --only score/rft --json");
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"case\": \"score/rft\"");
    assert_has(run->out, "\"pull_error_90_over_load\": 0.3");
    assert_has(run->out, "\"band_contains\": 0.86");
    assert_has(run->out, "\"within_engineering\": ");
    run = gr_run("validate --only rover/mgru3_virtual");
    assert_null(strstr(run->out, "Laws against"));
    assert_has(run->out, "rover/mgru3_virtual: slip within 0.1 on 2 of 6 slopes");
}

/// A known deviation is not a pass, and says why; it does not fail the command.
static void test_json_of_a_known_deviation(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --only rover/el_dorado2 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    const char *row = strstr(run->out, "height of the base");
    assert_non_null(row);
    assert_has(row, "\"pass\": false");
    assert_has(row, "\"known\": true");
    assert_has(row, "\"reason\": ");
    assert_has(run->out, "\"known_deviations\": 2");
}

enum { CELLS = 12 };

/// Cells of a row, and how many.
static int split_row(char *row, char *cells[CELLS])
{
    int count = 0;
    for (char *at = strtok(row, "|"); at != NULL && count < CELLS; at = strtok(NULL, "|")) {
        cells[count++] = at;
    }
    return count;
}

/// Two tables are the same where their texts are, and their numbers to the last digit of three: rounding differs
/// between machines.
static void check_rows(const char *documented, const char *printed)
{
    char a[2000], b[2000], *left[CELLS], *right[CELLS];
    snprintf(a, sizeof a, "%s", documented);
    snprintf(b, sizeof b, "%s", printed);
    const int count = split_row(a, left);
    assert_int_equal(count, split_row(b, right));
    for (int i = 0; i < count; i++) {
        char *end_left, *end_right;
        const double x = strtod(left[i], &end_left), y = strtod(right[i], &end_right);
        const bool numbers = end_left != left[i] && end_right != right[i];
        const bool tiny = fabs(x) < 1e-4 && fabs(y) < 1e-4; // what is left of 0
        if (strcmp(left[i], right[i]) != 0 && !(numbers && (tiny || fabs(x - y) <= 0.02 * fabs(x)))) {
            print_error("docs/validation.md: '%s', the program prints '%s': grouser validate --markdown\n", left[i],
                        right[i]);
            fail();
        }
    }
}

/// The next line of a text, without its end; false at the end of the text.
static bool next_line(const char **text, char *line, size_t size)
{
    const size_t length = strcspn(*text, "\n");
    snprintf(line, size, "%.*s", (int)length, *text);
    *text += length + ((*text)[length] == '\n');
    return length > 0;
}

/// The row of a table in a page that begins as this one, with its paper, section and figure.
static const char *row_like(const char *table, const char *row)
{
    char key[2000];
    const char *end = row;
    for (int cells = 0; cells < 4 && end != NULL; cells++) {
        end = strchr(end + (cells > 0), '|');
    }
    assert_non_null(end);
    snprintf(key, sizeof key, "\n%.*s|", (int)(end - row), row);
    const char *at = strstr(table, key);
    if (at == NULL) {
        print_error("docs/validation.md has no row like '%s'\n", row);
        fail();
    }
    return at + 1;
}

/// A part of it, in seconds: the rows that these cases print.
static void check_some_rows(const char *table)
{
    static const char *const cases[] = {"law/*", "trace/*", "terrain/*", "speed/*", "score/rft"};
    static char printed[1 << 20];
    int rows = 0;
    for (int i = 0; i < 5; i++) {
        char command[100], line[2000], documented[2000];
        snprintf(command, sizeof command, "validate --markdown --only '%s'", cases[i]);
        const GrRun *run = gr_run(command);
        assert_int_equal(run->exit_code, 0);
        snprintf(printed, sizeof printed, "%s", run->out);
        const char *now = printed;
        assert_true(next_line(&now, line, sizeof line) && next_line(&now, line, sizeof line)); // heads
        for (; next_line(&now, line, sizeof line); rows++) {
            const char *at = row_like(table, line);
            next_line(&at, documented, sizeof documented);
            check_rows(documented, line);
        }
    }
    assert_true(rows > 30);
}

/// The tables in the docs are what the program prints today.
static void test_documented_table(void **state)
{
    (void)state;
    if (!GR_TEST_LONG(true, false)) {
        skip(); // the speeds of a sanitizer's build say nothing
    }
    static char page[1 << 20], printed[1 << 20];
    FILE *docs = fopen(GR_TEST_SOURCE_DIR "/docs/validation.md", "rb"); // gr_run_take() removes what it reads
    assert_non_null(docs);
    page[fread(page, 1, sizeof page - 1, docs)] = '\0';
    fclose(docs);
    if (!GR_TEST_STUDY(true, false)) {
        check_some_rows(page);
        return;
    }
    const GrRun *run = gr_run("validate --markdown");
    assert_int_equal(run->exit_code, 0);
    snprintf(printed, sizeof printed, "%s", run->out);
    static const char *const heads[] = {"| law | conditions |", "| paper | section |"};
    const char *now = printed;
    for (int i = 0; i < 2; i++) {
        char documented[2000], line[2000];
        int rows = 0;
        const char *at = strstr(page, heads[i]);
        assert_non_null(at);
        while (next_line(&now, line, sizeof line)) {
            assert_true(next_line(&at, documented, sizeof documented));
            check_rows(documented, line);
            rows++;
        }
        assert_false(next_line(&at, documented, sizeof documented));
        assert_true(rows > (i == 0 ? 8 : 50));
    }
}

static void test_list(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --list");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "soil/check_table");
    assert_has(run->out, "rover/mgru3_virtual");
    assert_has(run->out, "score/rft");
    run = gr_run("validate --list --only 'soil/*' --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"allowance\": ");
    assert_null(strstr(run->out, "rigid/"));
}

static void test_page(void **state)
{
    (void)state;
    const GrRun *run = gr_run("validate --only 'wheel/cmu_s*' --html validate_page.html --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "wrote validate_page.html");
    static char page[1 << 20];
    gr_run_take("validate_page.html", page, sizeof page);
    assert_has(page, "wheel/cmu_smooth");
    assert_has(page, "<svg");
    assert_has(page, "Known deviation: ");
    assert_has(page, "</html>");
}

/// A soil of the user's that hides a shipped one changes the figures: the command says so and fails.
static void test_a_figure_that_is_out_fails(void **state)
{
    (void)state;
    mkdir("validate_user", 0777);
    mkdir("validate_user/soils", 0777);
    mkdir("validate_user/measurements", 0777);
    setenv("GROUSER_DATA", "validate_user", 1);
    char line[600];
    snprintf(line, sizeof line, "sed 's/^phi_deg: .*/phi_deg: 35/' '%s' >validate_user/soils/ishigami2007.yaml",
             GR_TEST_SOURCE_DIR "/data/soils/ishigami2007.yaml");
    assert_int_equal(system(line), 0);
    const GrRun *run = gr_run("validate --only soil/check_table");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->out, "OUT");
    run = gr_run("validate --only soil/check_table --json");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->out, "\"pass\": false");
    assert_has(run->out, "\"known\": false");
    // A table that cannot be read is a fault of the input.
    gr_run_write("validate_user/measurements/virtual_plates.csv", "sinkage_m\n0.1\n");
    run = gr_run("validate --only soil/plates");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "virtual_plates.csv:1");
    assert_has(run->err, "soil/plates");
    unlink("validate_user/soils/ishigami2007.yaml");
    unlink("validate_user/measurements/virtual_plates.csv");
    rmdir("validate_user/soils");
    rmdir("validate_user/measurements");
    rmdir("validate_user");
    unsetenv("GROUSER_DATA");
}

static void test_wrong_input(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"validate --only soil/chek_table", "did you mean 'soil/check_table'?"},
        {"validate --only '*/no_such'", "grouser validate --list shows them"},
        {"validate soil", "validate"},
        {"validate --json --markdown", "exclude each other"},
        {"validate --onyl x", "did you mean '--only'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].arguments);
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, cases[i].message);
        assert_string_equal(run->out, "");
    }
    assert_int_equal(gr_run("validate --only rigid/sliding --html no_such_folder/page.html")->exit_code, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_json_of_a_known_deviation),
        cmocka_unit_test(test_documented_table),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_a_figure_that_is_out_fails),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
