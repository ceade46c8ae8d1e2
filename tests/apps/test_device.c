/// --device of the commands that run scenarios, on a GPU that the tests make up: the same results as on processors, and
/// messages before anything runs where it cannot be used.
#include "run_command.h"

static const char SLOPE[] = "run: {scenario: gradeability, set: [stop.time_s=2]}\n"
                            "vary: {\"soil:phi\": {from: 30, to: 40}, start.heading_deg: {from: -5, to: 5}}\n"
                            "sample: {method: latin, count: 9}\n"
                            "measure: {slip: wheels.slip_mean, top: \"max(x_m)\", steps: steps}\n";

static void assert_good(const char *arguments)
{
    const GrRun *run = gr_run(arguments);
    if (run->exit_code != 0) {
        fail_msg("%s: %s", arguments, run->err);
    }
}

/// Both files, which are deleted, have the same text.
static void assert_equal_files(const char *a, const char *b)
{
    static char texts[2][262144];
    gr_run_take(a, texts[0], sizeof texts[0]);
    gr_run_take(b, texts[1], sizeof texts[1]);
    assert_true(strlen(texts[0]) > 100);
    assert_string_equal(texts[0], texts[1]);
}

/// Three lanes for nine runs: runs that have ended are replaced.
static void sweeps(void **state)
{
    (void)state;
    static const char *const devices[] = {"cpu", "cuda", "cuda:0 -j 3"};
    gr_run_write("slope.yaml", SLOPE);
    for (int k = 0; k < 3; k++) {
        char line[200];
        snprintf(line, sizeof line, "sweep slope.yaml -o slope%d.db --device %s", k, devices[k]);
        assert_good(line);
        snprintf(line, sizeof line, "campaign export slope%d.db -o slope%d.csv", k, k);
        assert_good(line);
        for (int row = 1; k > 0 && row <= 9; row += 4) { // repeats a run of the study: the hash of its end state, too
            snprintf(line, sizeof line, "run --from slope%d.db:%d -o again.run --device cpu", k, row);
            const GrRun *run = gr_run(line);
            assert_int_equal(run->exit_code, 0);
            assert_null(strstr(run->err, "differs"));
        }
        if (k > 0) {
            gr_run("campaign export slope0.db -o slope0.csv");
            snprintf(line, sizeof line, "slope%d.csv", k);
            assert_equal_files("slope0.csv", line);
        }
    }
}

static void sensitivities_and_missions(void **state)
{
    (void)state;
    gr_run_write("sobol.yaml", "run: {scenario: gradeability, set: [stop.time_s=1]}\n"
                               "vary: {\"soil:phi\": {from: 30, to: 40}, gravity.tilt_deg: {from: 0, to: 10}}\n"
                               "sample: {method: sobol, count: 8}\nmeasure: {slip: wheels.slip_mean}\n"
                               "sensitivity: {method: sobol, count: 8}\n");
    assert_good("sensitivity sobol.yaml -o here.db");
    assert_good("sensitivity sobol.yaml -o there.db --device cuda");
    assert_good("campaign export here.db -o here.csv");
    assert_good("campaign export there.db -o there.csv");
    assert_equal_files("here.csv", "there.csv");
    gr_run_write("legs.yaml",
                 "run: {scenario: gradeability, set: [\"drive={speed_mps: 0.2, path: [[1, 0]]}\", \"gravity=moon\"]}\n"
                 "mission: {traverse: {cell_m: 1, area: [0, 0, 2, 1], directions: 4}}\n");
    assert_good("mission legs.yaml -o legs_here.db");
    assert_good("mission legs.yaml -o legs_there.db --device cuda");
    assert_equal_files("legs_here_map.csv", "legs_there_map.csv");
}

static void runs_and_comparisons(void **state)
{
    (void)state;
    assert_good("run gradeability --set stop.time_s=2 --uncertainty 3 -o here.run");
    assert_good("run gradeability --set stop.time_s=2 --uncertainty 3 -o there.run --device cuda");
    assert_equal_files("here.run/run.csv", "there.run/run.csv");
    static const char compare[] =
        "compare gradeability gradeability+soil=lunar_loose --set stop.time_s=2 --uncertainty 4";
    char line[200];
    static GrRun here;
    here = *gr_run(compare);
    snprintf(line, sizeof line, "%s --device cuda", compare);
    assert_string_equal(gr_run(line)->out, here.out);
    assert_has(here.out, "lunar_loose");
}

static void refused(const char *arguments, int exit_code, const char *text)
{
    const GrRun *run = gr_run(arguments);
    assert_has(run->err, text);
    assert_int_equal(run->exit_code, exit_code);
}

static void refusals(void **state)
{
    (void)state;
    gr_run_write("rocks.yaml", "run: {scenario: rock}\nvary: {start.x_m: {from: 0, to: 0.1, count: 2}}\n");
    gr_run_write("formula.yaml", "run: {function: {slip: x}}\nvary: {x: {from: 0, to: 1, count: 2}}\n");
    gr_run_write("pace.yaml", "run: {scenario: gradeability, set: [stop.time_s=1]}\nvary: {step.pace: [hub, error]}\n");
    refused("sweep rocks.yaml --device cuda", 2, "a GPU does not offer rocks, parts and landers; '--device cpu' does");
    refused("sweep formula.yaml --device cuda", 2, "a GPU runs scenarios; this campaign has");
    refused("sweep pace.yaml --device cuda", 2, "steps by their error");
    refused("sweep rocks.yaml --device gpu", 2, "allowed: cpu, cuda");
    refused("sweep rocks.yaml --device cuda -j 20000", 2, "allowed: 1 to 16384");
    refused("run rock --device cuda -o none.run", 2, "does not offer rocks");
    refused("run crossing --set rover=rashid_like_sensing --device cuda -o none.run", 2, "does not offer sensors");
    refused("compare rock rock+start.x_m=0.1 --device cuda", 2, "does not offer rocks");
    assert_int_not_equal(access("rocks.db", F_OK), 0); // nothing was begun
    assert_int_not_equal(access("none.run", F_OK), 0);
}

static void faults(void **state)
{
    (void)state;
    gr_run_write("slope.yaml", SLOPE);
    setenv("GROUSER_GPU_FAULT", "none", 1);
    refused("bench gradeability --runs 2 --device cuda", 2, "finds no GPU");
    refused("sweep slope.yaml -o fault.db --device cuda", 2, "finds no GPU");
    refused("run gradeability --device cuda -o none.run", 2, "finds no GPU");
    setenv("GROUSER_GPU_FAULT", "wrong", 1);
    refused("sweep slope.yaml -o fault.db --device cuda", 1, "other bits on the GPU than on the processor");
    assert_int_not_equal(access("fault.db", F_OK), 0);
    setenv("GROUSER_GPU_FAULT", "launch:20", 1);
    refused("sweep slope.yaml -o fault.db --device cuda", 1, "an illegal memory access");
    unsetenv("GROUSER_GPU_FAULT");
    assert_has(gr_run("sweep slope.yaml -o fault.db --device cuda")->out, "9 of 9 runs done, 0 of them failed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps),
        cmocka_unit_test(sensitivities_and_missions),
        cmocka_unit_test(runs_and_comparisons),
        cmocka_unit_test(refusals),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
