#include "json_check.h"
#include "run_command.h"

static void test_gradeability(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test gradeability rashid_like --slopes 0,10,40 --gravity moon");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "drives on");
    assert_has(run->out, "Steepest slope that it climbs: ");
    assert_string_equal(run->err, "");
}

static void test_gradeability_json_and_files(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test gradeability el_dorado2 --slopes -5:10:4 --json --html climb.html --csv climb.csv");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"steepest_slope_deg\": 10");
    assert_has(run->out, "\"outcome\": \"steady\"");
    assert_has(run->err, "wrote climb.html");
    assert_has(run->err, "wrote climb.csv");
    unlink("climb.html");
    unlink("climb.csv");
}

static void test_drawbar(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test drawbar rashid_like --pulls 0,15,30 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"largest_pull_N\": 30");
}

static void test_wrong_input(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"test gradability rashid_like", "did you mean 'gradeability'?"},
        {"test gradeability rashid_lik", "rashid_like"},
        {"test gradeability rashid_like --soil ishigami2008", "ishigami2007"},
        {"test gradeability rashid_like --slopes 0:100:5", "--slopes"},
        {"test gradeability rashid_like --gravity pluto", "--gravity"},
        {"test gradeability rashid_like --gravity 0", "gravity > 0"},
        {"test drawbar rashid_like --speed 0", "speed not 0"},
        {"test gradeability", "ROVER"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].arguments);
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, cases[i].message);
        assert_string_equal(run->out, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradeability),
        cmocka_unit_test(test_gradeability_json_and_files),
        cmocka_unit_test(test_drawbar),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
