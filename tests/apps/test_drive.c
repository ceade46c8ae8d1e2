/// grouser fit drive on the recording of a shipped scenario, and grouser predict with the soil that it found.
#include "json_check.h"
#include "run_command.h"

static const char CLASS[] = "title: Loose dry sand\nlaw: wong_reece\nk_c_N_per_m_n1: 1370\nk_phi_N_per_m_n2: 600000\n"
                            "n0: 1\nc_Pa: 500\nphi_deg: 34\nK_x_m: 0.025\nK_x_slope_m_per_rad: 0.043\nK_y_m: 0.013\n"
                            "a1: 0.4\na2: 0.15\nlambda: 1\nfit_gravity: mars\nspread:\n  kind: class\n"
                            "  source: made up\n  parameters:\n"
                            "    phi: {normal: {mean: 34, deviation: 4}}\n"
                            "    c: {log_normal: {median: 500, log_deviation: 0.8}}\n"
                            "    K_x: {log_normal: {median: 0.025, log_deviation: 0.5}}\n"
                            "    k_phi: {log_normal: {median: 6e5, log_deviation: 0.6}}\n";

#define DRIVE "--telemetry drive/run.csv --rover curiosity_like --gravity mars "

/// A number after its key, from a place on.
static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/// Whether the interval of a parameter in the JSON contains a value.
static bool contains(const char *json, const char *name, double value)
{
    char key[64];
    snprintf(key, sizeof key, "\"name\": \"%s\"", name);
    const char *at = strstr(json, key);
    assert_non_null(at);
    return number_after(at, "\"value_low\": ") <= value && value <= number_after(at, "\"value_high\": ");
}

/// The drive is a whole simulation on ishigami2007, which the class does not name: its parameters lie in the intervals
/// of the fit, and the drive in the bands of the fitted soil.
static void test_recover(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("run crossing -o drive --set soil=ishigami2007 --set 'drive={speed_mps: 0.1, path: [[10, -10]], "
               "compensate_slip: true}' --set stop.time_s=140");
    assert_int_equal(run->exit_code, 0);
    gr_run_write("class.yaml", CLASS);
    run = gr_run("fit drive " DRIVE "--soil class.yaml --stretch 1 -o found.yaml --html found.html --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_true(contains(run->out, "phi", 37.2));
    assert_true(contains(run->out, "c", 800));
    assert_true(contains(run->out, "K_x", 0.036));
    assert_true(contains(run->out, "k_phi", 814e3));
    assert_true(number_after(strstr(run->out, "\"name\": \"K_x\""), "\"narrowed\": ") < 0.6);
    assert_has(run->err, "wrote found.yaml");
    assert_has(run->err, "wrote found.html");
    run = gr_run("predict " DRIVE "--soil ./found.yaml --stretch 1 --html predicted.html --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"spread\": \"fit\"");
    assert_has(run->out, "\"extrapolated\": 0");
    const char *coverage = strstr(run->out, "\"coverage\"");
    const double stretches = number_after(coverage, "\"stretches\": ");
    assert_true(stretches >= 10);
    assert_true(number_after(coverage, "\"inside\": ") >= 0.85 * stretches);
    const char *energy = strstr(run->out, "\"energy_J_low\": ");
    const double measured = number_after(energy, "\"energy_J_measured\": ");
    assert_true(number_after(energy, "\"energy_J_low\": ") < measured);
    assert_true(number_after(energy, "\"energy_J_high\": ") > measured);
    run = gr_run("fit drive " DRIVE "--soil class.yaml --free K_x,k_phi --segments 1");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "soil along ", 11), 0);
    assert_has(run->out, "(90 %: ");
    assert_has(run->out, "no change point");
    assert_has(run->out, "columns ignored: ");
    run = gr_run("predict " DRIVE "--soil ishigami2007 --stretch 1 --uncertainty 8");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "slip: ", 6), 0);
    assert_has(run->out, "stretches inside the 90 % band");
    assert_has(run->out, "drive energy: predicted ");
    assert_has(run->out, "a wide one is assumed");
}

/// Two soils: a file for each segment, the last one where the drive ended.
static void test_segments(void **state)
{
    (void)state;
    static char text[8000] = "D,S,T,M\n";
    for (int i = 0; i < 40; i++) {
        const double tilt = 4 + 6 * sin(0.8 * i), firm = i < 20 ? 0.02 : 0.06;
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d,%g,%g,%g\n", i, firm + 0.015 * tilt, tilt,
                 10 * (firm + 0.02 * tilt));
    }
    gr_run_write("two.csv", text);
    const GrRun *run = gr_run("fit drive --telemetry two.csv --rover rashid_like --stretch 1 -o two.yaml "
                              "--columns distance_m=D,slip=S,pitch_up_deg=T --columns current_A=M "
                              "--torque-per-ampere 0.25,0.2 --segments 2 --shortest 5");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "1 change point at ");
    assert_has(run->out, "wrote two_1.yaml");
    assert_has(run->out, "wrote two.yaml");
    run = gr_run("check two_1.yaml two.yaml");
    assert_int_equal(run->exit_code, 0);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
    } CASES[] = {
        {"fit drive --rover rashid_like", "--telemetry and --rover are needed"},
        {"fit drive --telemetry bad.csv --rover rashid_lik", "rashid_like"},
        {"fit drive --telemetry none.csv --rover rashid_like", "none.csv"},
        {"fit drive --telemetry bad.csv --rover rashid_like --segments 9", "takes auto or a number from 1 to 8"},
        {"fit drive --telemetry bad.csv --rover rashid_like --shortest 0", "takes a length above 0"},
        {"fit drive --telemetry bad.csv --rover rashid_like --noise slipp=1", "did you mean 'slip'?"},
        {"fit drive --telemetry bad.csv --rover rashid_like --noise slip=0", "numbers above 0"},
        {"fit drive --telemetry bad.csv --rover rashid_like --free wedge", "'wedge' is not among the parameters"},
        {"fit drive --telemetry bad.csv --rover rashid_like --torque-per-ampere -1", "K above 0"},
        {"fit drive --telemetry bad.csv --rover rashid_like --stretch 5", "are too few"},
        {"fit drive --telemetry bad.csv --rover rashid_like --gravity moon", "the accelerometer measures 9.81 m/s²"},
        {"fit drive --telemetry bad.csv --rover rashid_like --model scm", "no formulas for steady rolling"},
        {"predict --telemetry bad.csv --rover rashid_like --uncertainty 1.5", "whole numbers"},
        {"predict --telemetry bad.csv --rover rashid_like --columns slip=SLIPS", "there is no column 'SLIPS'"},
    };
    char text[1000] = "distance_m,slip,imu_ax_m_per_s2,imu_ay_m_per_s2,imu_az_m_per_s2\n";
    for (int i = 0; i < 8; i++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%d,0.0%d,0.%d,0,9.8\n", i, i, i);
    }
    gr_run_write("bad.csv", text);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const GrRun *run = gr_run(CASES[i].line);
        if (run->exit_code != 2 || strstr(run->err, CASES[i].message) == NULL) {
            print_error("%s: %d %s\n", CASES[i].line, run->exit_code, run->err);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recover),
        cmocka_unit_test(test_segments),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
