/// grouser compare: what each kind of designs answers, the words in which designs are given, and faulty ones.
#include "json_check.h"
#include "run_command.h"

#include <sched.h>
#include <sys/stat.h>

/// The difference of a quantity.
static const char *difference_of(const char *json, const char *quantity)
{
    char wanted[80];
    snprintf(wanted, sizeof wanted, "\"quantity\": \"%s\"", quantity);
    const char *at = strstr(json, wanted);
    assert_non_null(at);
    return at;
}

/// Two rovers: the verdict is the first line; figures, differences and bands agree with each other, and a heavier rover
/// is worse in mass for sure.
static void test_rovers(void **state)
{
    (void)state;
    const GrRun *run = gr_run("compare rashid_like mer_like --gravity moon --html which.html --json --uncertainty 8");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"test\": \"mobility\",\n  \"verdict\": \"");
    static const char *const quantities[] = {"slope_deg",      "drawbar_pull_N", "drawbar_pull_weights",
                                             "energy_J_per_m", "sinkage_m",      "mass_kg"};
    for (int i = 0; i < 6; i++) {
        const char *at = difference_of(run->out, quantities[i]);
        const double difference = json_number(at, "difference"), low = json_number(at, "difference_low"),
                     high = json_number(at, "difference_high"), better = json_number(at, "probability_b_better");
        assert_near(difference, json_number(at, "b") - json_number(at, "a"), 0.06);
        assert_true(low <= high && better >= 0 && better <= 1);
    }
    const char *mass = difference_of(run->out, "mass_kg");
    assert_near(json_number(mass, "probability_b_better"), 0, 0);
    assert_near(json_number(mass, "difference_low"), json_number(mass, "difference"), 0);
    static char page[1 << 20];
    gr_run_take("which.html", page, sizeof page);
    assert_has(page, "P(second better)");
    assert_has(page, "slip [%]");
    run = gr_run("compare rashid_like mer_like --gravity moon --uncertainty 8");
    assert_true(strncmp(run->out, "No clear difference in ", 23) == 0 || strstr(run->out, " is better in ") != NULL);
    // a test that shares its name with a scenario
    run = gr_run("compare rashid_like mer_like --test drawbar --uncertainty 0");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "mer_like is better in largest pull: ", 36), 0);
}

/// Equal designs: no difference, probability 0.5; the same bits on any number of threads.
static void test_equal(void **state)
{
    (void)state;
    static char first[sizeof((GrRun *)0)->out];
    static const char line[] = "compare rashid_like +soil=lunar_mare --gravity moon --uncertainty 6 --json";
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "no difference in any figure");
    assert_near(json_number(difference_of(run->out, "slope_deg"), "probability_b_better"), 0.5, 0);
    assert_near(json_number(difference_of(run->out, "slope_deg"), "difference_high"), 0, 0);
    memcpy(first, run->out, sizeof first);
    cpu_set_t all, one;
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++) {
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0); // the command has one thread
    assert_string_equal(gr_run(line)->out, first);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/// Every way to say what changes: each is what the option of the standard test does.
static void test_words(void **state)
{
    (void)state;
    const GrRun *run = gr_run("compare --rover rashid_like soil:lunar_mare soil:lunar_loose +soil:phi=30 law:bekker "
                              "+gravity=moon rover:el_dorado2 rashid_like+soil=lunar_mare+law=bekker "
                              "--gravity moon --uncertainty 0 --json");
    assert_int_equal(run->exit_code, 0);
    static const char *const labels[] = {"soil:lunar_loose", "soil:phi=30",
                                         "law:bekker",       "gravity=moon",
                                         "rover:el_dorado2", "rashid_like+soil=lunar_mare+law=bekker"};
    for (int i = 0; i < 6; i++) {
        char label[120];
        snprintf(label, sizeof label, "\"design_b\": \"%s\"", labels[i]);
        assert_has(run->out, label);
    }
    const double changed = json_number(strstr(run->out, "\"case\": \"soil:phi=30\""), "drawbar_pull_N");
    const double bekker = json_number(strstr(run->out, "\"case\": \"law:bekker\""), "drawbar_pull_N");
    assert_near(json_number(strstr(run->out, "\"case\": \"rashid_like+soil=lunar_mare+law=bekker\""), "drawbar_pull_N"),
                bekker, 0);
    run = gr_run("test mobility rashid_like --set soil:phi=30 --set law=bekker --gravity moon --uncertainty 0 --json");
    const double both = json_number(run->out, "drawbar_pull_N");
    run = gr_run("test mobility rashid_like --set-soil phi=30 --gravity moon --uncertainty 0 --json");
    assert_near(json_number(run->out, "drawbar_pull_N"), changed, 0);
    assert_true(both != changed && both != bekker);
}

static void test_wheels(void **state)
{
    (void)state;
    const GrRun *run = gr_run("compare wheel:radius=0.09 wheel:radius=0.12+grousers=24,0.01 --width 0.11 --load 65 "
                              "--soil mars_sand --json --html wheels.html");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_int_equal(strncmp(run->out, "{\n  \"verdict\": \"", 16), 0);
    const char *pull = difference_of(run->out, "max_drawbar_pull_N");
    assert_has(pull, "\"design_b\": \"radius=0.12+grousers=24,0.01\"");
    assert_true(json_number(pull, "difference_low") <= json_number(pull, "difference"));
    difference_of(run->out, "drawbar_pull_at_slip_0.3_N");
    // Under the usual model the number of grousers does not count: it says so.
    run = gr_run("compare wheel:grousers=12,0.01 +grousers=24,0.01 --radius 0.1 --width 0.1 --load 65 --soil mars_sand "
                 "--uncertainty 0");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "grousers count by their height alone");
    run = gr_run("compare wheel:grousers=12,0.01 +grousers=24,0.01 --radius 0.1 --width 0.1 --load 65 --soil mars_sand "
                 "--uncertainty 0 --grouser-model lugs");
    assert_has(run->out, "is better in largest pull");
    static char page[1 << 20];
    gr_run_take("wheels.html", page, sizeof page);
    assert_has(page, "radius=0.09");
}

/// Scenarios are run on common samples; finished runs are read, and their figures are the same.
static void test_runs(void **state)
{
    (void)state;
    const GrRun *run = gr_run("compare gradeability +rover=mer_like --set stop.time_s=8 --uncertainty 4 --json "
                              "--html runs.html");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_near(json_number(run->out, "uncertainty_samples"), 4, 0);
    difference_of(run->out, "succeeded_share");
    const double energy = json_number(difference_of(run->out, "electric_J"), "b");
    static char page[1 << 20];
    gr_run_take("runs.html", page, sizeof page);
    assert_has(page, "mechanical work [kJ]");
    assert_int_equal(gr_run("run gradeability --set stop.time_s=8 -o a.run")->exit_code, 0);
    assert_int_equal(gr_run("run gradeability --set rover=mer_like --set stop.time_s=8 -o b.run")->exit_code, 0);
    run = gr_run("compare a.run b.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_near_rel(json_number(difference_of(run->out, "electric_J"), "b"), energy, 1e-9);
    assert_has(difference_of(run->out, "electric_J"), "\"probability_b_better\": null");
    assert_has(gr_run("compare a.run b.run")->out, "Without bands");
}

static void test_wrong_input(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"", "compare: missing"},
        {"rashid_like", "one design has nothing to be compared with"},
        {"crossing", "one design has nothing to be compared with"},
        {"curiosty_like mer_like", "there is no rover 'curiosty_like'; did you mean 'curiosity_like'?"},
        {"soil:mars_sand soil:mars_drift", "nothing is there to change"},
        {"mer_like +", "a change is +KEY=VALUE"},
        {"mer_like +masss=3", "override 'masss=3': error: masss: unknown key 'masss'"},
        {"mer_like +mode=crab", "standard tests have their own drive mode"},
        {"mer_like mer_like --test drob", "there is no test 'drob'; did you mean 'drop'?"},
        {"crossing nonesuch", "there is no scenario 'nonesuch'"},
        {"crossing +roover=mer_like", "unknown key 'roover'"},
        {"wheel:radiu=0.09 wheel:radius=0.12 --width 0.1 --load 60 --soil mars_sand",
         "a wheel has no 'radiu'; did you mean 'radius'?"},
        {"wheel:radius=abc wheel:radius=0.12 --width 0.1 --load 60 --soil mars_sand", "takes a number, not 'abc'"},
        {"wheel:radius=0.09 mer_like --width 0.1 --load 60 --soil mars_sand", "found 'mer_like' beside wheels"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[200];
        snprintf(line, sizeof line, "compare %s --uncertainty 0", cases[i].arguments);
        const GrRun *run = gr_run(line);
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, cases[i].message);
    }
    assert_int_equal(mkdir("empty", 0755), 0);
    gr_run_write("empty/summary.json", "{}");
    const GrRun *run = gr_run("compare empty empty");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "this is not the summary of a run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rovers), cmocka_unit_test(test_equal),
                                       cmocka_unit_test(test_words),  cmocka_unit_test(test_wheels),
                                       cmocka_unit_test(test_runs),   cmocka_unit_test(test_wrong_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
