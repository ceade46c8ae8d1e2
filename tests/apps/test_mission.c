/// grouser mission through the command line: shares within limits, parts, refusals.
#include "run_command.h"

#include <math.h>

/// Uniform coordinates of a Sobol' sequence: the share below 0.3 is 0.3, and that of both limits 0.3·0.5, with the
/// error of so even a sample of 1024 points, a few cells of 1/1024.
static const double EVEN_SAMPLE = 4.0 / 1024;
static const char SQUARE[] = "run: {function: {a: x, b: y}}\n"
                             "vary: {x: {from: 0, to: 1}, y: {from: 0, to: 1}}\n"
                             "sample: {method: sobol, count: 1024}\n"
                             "mission: {placement: {limits: {a: {below: 0.3}, b: {above: 0.5}}}}\n";

static double number_after(const char *from, const char *text, const char *key)
{
    const char *at = strstr(from, text);
    assert_non_null(at);
    at = strstr(at, key);
    assert_non_null(at);
    return strtod(strchr(at + strlen(key), ':') + 1, NULL);
}

static void shares_of_a_square(void **state)
{
    (void)state;
    gr_run_write("square.yaml", SQUARE);
    const GrRun *run = gr_run("mission square.yaml --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(number_after(run->out, "\"limit\": \"a < 0.3\"", "\"share\""), 0.3, EVEN_SAMPLE);
    assert_near(number_after(run->out, "\"limit\": \"b > 0.5\"", "\"share\""), 0.5, EVEN_SAMPLE);
    const double all = number_after(run->out, "all limits", "\"share\"");
    assert_near(all, 0.15, EVEN_SAMPLE);
    // Wilson's interval: the shares p with |all - p| = z sqrt(p (1 - p) / n)
    const double z = 1.959963984540054, n = 1024;
    for (int end = 0; end < 2; end++) {
        const double p = number_after(run->out, "all limits", end == 0 ? "\"low\"" : "\"high\"");
        assert_near(fabs(all - p), z * sqrt(p * (1 - p) / n), 1e-9);
    }
    assert_has(gr_run("mission square.yaml --resume")->out, "all limits");
    assert_has(gr_run("mission square.yaml")->out, "more runs would halve the interval\n"); // the answer stands first
    assert_has(gr_run("mission square.yaml --json")->out, "\"runs_to_halve_interval\": ");
    char page[262144];
    gr_run_take("square.html", page, sizeof page);
    assert_has(page, "Within the limits");
    assert_int_equal(gr_run("campaign plot square.db")->exit_code, 0);
    gr_run_take("square.html", page, sizeof page);
    assert_has(page, "Within the limits");
}

static void parts(void **state)
{
    (void)state;
    gr_run_write("square.yaml", SQUARE);
    assert_has(gr_run("mission square.yaml --dry-run")->out, "1024 runs");
    assert_has(gr_run("mission square.yaml -o parts.db --shard 1/2")->out, "a part of");
    assert_has(gr_run("mission square.yaml -o parts.db --shard 2/2")->out, "a part of");
    assert_has(gr_run("campaign merge square.yaml -o parts.db")->out, "merged 1024 results");
    const GrRun *run = gr_run("mission square.yaml -o parts.db --json");
    assert_near(number_after(run->out, "all limits", "\"share\""), 0.15, EVEN_SAMPLE);
}

static void refusals(void **state)
{
    (void)state;
    gr_run_write("sweep.yaml", "run: {function: {a: x}}\nvary: {x: [1, 2]}\n");
    const GrRun *run = gr_run("mission sweep.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "the section `mission` is missing");
    gr_run_write("grid.yaml", "run: {function: {a: x}}\nvary: {x: {from: 0, to: 1}}\n"
                              "mission: {placement: {limits: {a: {below: 1}}}}\n");
    run = gr_run("mission grid.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "needs samples");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_of_a_square),
        cmocka_unit_test(parts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
