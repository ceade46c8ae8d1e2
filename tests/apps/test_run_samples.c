/// grouser run --uncertainty: the scenario on samples of its soil.
#include "json_check.h"
#include "run_command.h"

#include <stdlib.h>

/// Samples of the soil: bands of what the scenario gives with each sample, which slips more the weaker its soil is.
static void test_samples(void **state)
{
    (void)state;
    enum { SAMPLES = 4 };
    static const char drive[] = "run weak.yaml -o weak.run --json";
    gr_run_write("weak_soil.yaml",
                 "law: wong_reece\nk_c_N_per_m_n1: 0\nk_phi_N_per_m_n2: 814e3\nn0: 1\nc_Pa: 300\nphi_deg: 32\n"
                 "K_x_m: 0.03\nK_y_m: 0.03\na1: 0.4\na2: 0.15\nlambda: 0.3\nspread:\n  source: made up\n"
                 "  parameters: {phi: {uniform: {lower: 28, upper: 36}}}\n");
    gr_run_write("weak.yaml", "rover: el_dorado2\nsoil: ./weak_soil.yaml\n"
                              "gravity: {body: earth, tilt_deg: 8, toward_deg: 0}\n"
                              "drive: {script: [{time_s: 0, mode: ackermann, speed_mps: 0.1}]}\n"
                              "stop: {time_s: 2}\n");
    char line[200];
    double slips[SAMPLES], least = 1, most = -1;
    snprintf(line, sizeof line, "%s --uncertainty %d", drive, SAMPLES);
    static GrRun run;
    run = *gr_run(line);
    assert_int_equal(run.exit_code, 0);
    assert_true(gr_json_valid(run.out));
    const char *bands = strstr(run.out, "\"uncertainty\"");
    assert_non_null(bands);
    assert_has(bands, "\"finished\": 4");
    assert_has(run.err, "succeeds in 4 of 4 samples of the soil (90 %: 60 … 100 %): 4 finished");
    for (int i = 0; i < SAMPLES; i++) {
        snprintf(line, sizeof line, "%s --uncertainty 0 --set soil_sample=%d/%d", drive, i + 1, SAMPLES);
        const GrRun *alone = gr_run(line);
        assert_int_equal(alone->exit_code, 0);
        slips[i] = json_number(strstr(alone->out, "\"wheels\""), "slip_mean");
        least = fmin(least, slips[i]);
        most = fmax(most, slips[i]);
    }
    // of four wheels, which slip alike, and between the two largest samples
    assert_true(json_number(bands, "slip_mean_high") <= most + 0.02);
    assert_true(json_number(bands, "slip_mean_high") > json_number(bands, "slip_mean"));
    assert_true(json_number(bands, "slip_mean_low") >= least - 0.02);
    assert_true(json_number(bands, "slip_mean_low") < json_number(bands, "slip_mean"));
    // the weakest quarter: phi from 28 to 30
    static const char *const ends[] = {"28", "30"};
    double slip[2];
    for (int i = 0; i < 2; i++) {
        snprintf(line, sizeof line, "%s --set soil:phi=%s --uncertainty 2", drive, ends[i]);
        const GrRun *fixed = gr_run(line);
        const char *own = strstr(fixed->out, "\"uncertainty\"");
        slip[i] = json_number(own, "slip_mean");
        // what the user sets is not sampled, and nothing else is spread
        assert_true(json_number(own, "slip_mean_low") == slip[i] && json_number(own, "slip_mean_high") == slip[i]);
    }
    assert_true(slip[1] < slip[0]);
    assert_true(json_number(bands, "slip_mean_high") <= slip[0]);
    const GrRun *told = gr_run("run weak.yaml -o weak.run --uncertainty 2");
    assert_has(told->out, "distance");
    assert_has(told->out, " m (90 %: ");
    static char page[4000000];
    gr_run_take("weak.run/report.html", page, sizeof page);
    assert_has(page, "On samples of the soil");
    assert_int_equal(gr_run("run weak.yaml --uncertainty 1.5")->exit_code, 2);
    told = gr_run("run weak.yaml --uncertainty 2 --set soil=none");
    assert_int_equal(told->exit_code, 2);
    assert_has(told->err, "--uncertainty: the scenario has no soil to sample");
    told = gr_run("run weak.yaml --set soil_sample=5/4");
    assert_int_equal(told->exit_code, 2);
    assert_has(told->err, "soil_sample: found '5/4', allowed: none, or I/N");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
