/// Longer drives by grouser run: the standard scenarios, steps on rock, the reference integrator.
#include "json_check.h"
#include "run_command.h"

#include <stdlib.h>

/// Held against the reference integrator; an override begins a section that the file does not have.
static void test_reference(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("run gradeability -o short.run --check-reference --reference-step 2 --set stop.time_s=0.5 "
               "--set step.max_ms=5");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->err, "");
    assert_has(run->out, "of 5 to 5 ms");
    assert_has(run->out, "CVODE");
    assert_has(run->out, "position, at most [m]");
    assert_has(run->out, "lost in the soil [J]");
    assert_has(run->out, "largest difference");
    run = gr_run("run drawbar -o short.run --json --set stop.time_s=1 --check-reference --reference-step 2");
    assert_int_equal(run->exit_code, 0);
    char value[64];
    const char *reference = strstr(run->out, "\"reference\": {");
    assert_non_null(reference);
    value_of(reference, "integrator", value, sizeof value);
    assert_string_equal(value, "\"cvode\"");
    assert_has(reference, "position, at the end");
    run = gr_run("run own_track -o short.run --check-reference --set stop.time_s=0.1"); // a grid
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "step / 8");
    run = gr_run("run gradeability -o short.run --check-reference --reference-step 0");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--reference-step");
    run = gr_run("run gradeability -o short.run --set stpe.max_ms=5");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "there is no 'stpe' in the file");
}
/// The scenarios of the standard tests end as their titles say. Brief tests cut the long ones.
static void test_standard_scenarios(void **state)
{
    (void)state;
    static const struct {
        const char *name, *outcome;
        bool is_long;
    } cases[] = {{"gradeability", "finished", true},
                 {"drop", "finished", false},
                 {"skycrane", "finished", false},
                 {"egress", "finished", false},
                 {"step", "finished", true},
                 {"rock", "finished", true},
                 {"turn", "finished", true},
                 {"coast", "finished", true},
                 {"brake", "finished", false},
                 {"tip", "tipped", false},
                 {"rollover", "tipped", false},
                 {"deploy", "finished", true},
                 {"parcours", "finished", true},
                 {"deploy_clash", "finished", true},
                 {"contact_states", "reached_goal", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[128], outcome[64];
        if (cases[i].is_long && !GR_TEST_LONG(true, false)) {
            continue;
        }
        snprintf(line, sizeof line, "run %s -o standard.run --json", cases[i].name);
        const GrRun *run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        value_of(run->out, "outcome", outcome, sizeof outcome);
        assert_has(outcome, cases[i].outcome);
        assert_int_equal(system("rm -r standard.run"), 0);
    }
}
/// Energy that the motors took over a block of rock at a bound of the step while something hard touches the rover.
static double work_over_stone(const char *hard_ms, double *steps)
{
    char line[256], value[64];
    snprintf(line, sizeof line, "run stone.yaml -o stone.run --json --set step.hard_ms=%s", hard_ms);
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    value_of(run->out, "steps", value, sizeof value);
    *steps = atof(value);
    value_of(run->out, "electric_J", value, sizeof value);
    return atof(value);
}

/// A rock as large as a wheel that can be pushed.
static void write_loose_rocks(void)
{
    gr_run_write("loose.yaml", "title: Among loose rocks\n"
                               "rover: rashid_like\n"
                               "soil: ishigami2007\n"
                               "gravity: moon\n"
                               "terrain:\n"
                               "  size_m: 20\n"
                               "  add:\n"
                               "    - plane: {slope_deg: 0}\n"
                               "  rocks: {law: golombek, k: 0.1, smallest_m: 0.1, largest_m: 0.2, clear_m: 0.8, "
                               "loose_below_m: 1}\n"
                               "drive:\n"
                               "  script:\n"
                               "    - {time_s: 0.5, mode: skid, speed_mps: 0.05}\n"
                               "stop: {time_s: 40}\n");
}

/// Steps are short while a wheel is on rock, and give the results of shorter ones.
static void test_hard_steps(void **state)
{
    (void)state;
    gr_run_write("stone.yaml", "title: Over a block of stone\n"
                               "rover: rashid_like\n"
                               "soil: ishigami2007\n"
                               "gravity: moon\n"
                               "parts:\n"
                               "  - box: {size_m: [0.6, 3, 0.04], at_m: [1, 0, 0.01]}\n"
                               "drive:\n"
                               "  script:\n"
                               "    - {time_s: 0.5, mode: skid, speed_mps: 0.05}\n"
                               "stop: {time_s: 40}\n");
    double few, many;
    const double usual = work_over_stone("5", &few), fine = work_over_stone("1.25", &many);
    print_message("over a block of stone: %.4f J in %.0f steps, %.4f J in %.0f\n", usual, few, fine, many);
    assert_true(many > 1.5 * few);
    assert_near_rel(usual, fine, 0.01);
    double fewer;
    const double long_steps = work_over_stone("25", &fewer); // sliding wheels do not swing up
    print_message("over a block of stone: %.4f J in %.0f steps\n", long_steps, fewer);
    assert_near_rel(long_steps, fine, 0.05);

    write_loose_rocks();
    const char *warning = "a step above 2 ms while a loose rock is pushed";
    assert_has(gr_run("run loose.yaml -o stone.run --set \"step={pace: fixed, step_ms: 5}\"")->out, warning);
    const char *usual_steps = gr_run("run loose.yaml -o stone.run")->out;
    assert_null(strstr(usual_steps, warning));
    assert_has(usual_steps, "loose rocks are pushed");
    assert_int_equal(system("rm -r stone.run"), 0);
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_standard_scenarios),
        cmocka_unit_test(test_hard_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
