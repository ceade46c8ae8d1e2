/// grouser plate: table, JSON, CSV and page of presses, of an annulus and of measured presses; refusals.
#include "alloc.h"
#include "file.h"
#include "json_check.h"
#include "run_command.h"
#include "xml_check.h"

#define PRESSES GR_TEST_SOURCE_DIR "/data/measurements/cmu_presses.csv"

static void test_press(void **state)
{
    (void)state;
    const GrRun *run = gr_run("plate --soil ishigami2007 --diameter 0.1 --depth 0.01,0.02 --compare scm --json");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->err, "");
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"model\": \"scm\"");
    // (1370/0.05 + 814e3) 0.01 = 8414 Pa on 7854 mm²
    assert_has(run->out, "\"pressure_Pa\": 8414");
    assert_has(run->out, "\"force_N\": 66.08");
    // --set takes the words of run and test too
    static char plain[sizeof run->out];
    run = gr_run("plate --soil ishigami2007 --diameter 0.1 --depth 0.01 --set k_phi=1e6 --json");
    assert_int_equal(run->exit_code, 0);
    snprintf(plain, sizeof plain, "%s", run->out);
    run = gr_run("plate --soil ishigami2007 --diameter 0.1 --depth 0.01 --set soil:k_phi=1e6 --json");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->out, plain);
    assert_null(strstr(run->out, "66.08"));
    run = gr_run("plate --soil ishigami2007 --wheel 0.09,0.11 --depth 0.005:0.02:4 -o plate_out");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wheel that does not roll, r = 90 mm, b = 110 mm");
    assert_has(run->out, "wrote plate_out/plate.csv\nwrote plate_out/plate.html");
    static char text[200000];
    gr_run_take("plate_out/plate.csv", text, sizeof text);
    assert_has(text, "soil,model,depth_m,pressure_Pa,force_N,force_N_low,force_N_high\nishigami2007,wong_reece,0.005,");
    gr_run_take("plate_out/plate.html", text, sizeof text);
    assert_has(text, "pressure [kPa]");
}

static void test_annulus(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("plate --soil ishigami2007 --annulus 0.1,0.2 --pressures 10000 --travel 0,10 --html plate_ring.html");
    assert_int_equal(run->exit_code, 0);
    // 800 + 10000 tan 37.2° = 8390.4 Pa
    assert_has(run->out, "8.39");
    assert_int_equal(gr_run("plate --soil cmu_soildirect90_rft --annulus 0.1,0.2")->exit_code, 2);
}

static void test_data(void **state)
{
    (void)state;
    const GrRun *run = gr_run("plate --soil cmu_soildirect90_rft --data " PRESSES " --json --csv plate_data.csv");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"body\": \"plate_100mm (small box)\"");
    assert_has(run->out, "\"body\": \"all\"");
    static char text[200000];
    gr_run_take("plate_data.csv", text, sizeof text);
    assert_has(text, "soil,model,body,box,trial,depth_m,measured_N,force_N,error\ncmu_soildirect90_rft,rft,plate_60mm,"
                     "large,1,0.002,4.196,");
}

/// Presses under other names, forces with the other sign, give what they give under their own.
static void test_columns(void **state)
{
    (void)state;
    static char plain[200000], text[200000];
    char *data = NULL;
    size_t size;
    assert_int_equal(gr_file_read(PRESSES, sizeof plain, &data, &size, NULL), GR_OK);
    FILE *renamed = fopen("plate_renamed.csv", "w");
    assert_non_null(renamed);
    for (char *line = strtok(data, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        const char *comma = line[0] != '#' ? strrchr(line, ',') : NULL; // the force is the last column
        if (strncmp(line, "body,", 5) == 0) {
            fputs("body,box,trial,diameter_m,radius_m,width_m,Sink,Fz\n", renamed);
        } else if (comma != NULL) {
            fprintf(renamed, "%.*s-%s\n", (int)(comma + 1 - line), line, comma + 1);
        }
    }
    fclose(renamed);
    gr_free(data);
    assert_int_equal(gr_run("plate --soil cmu_soildirect90_rft --data " PRESSES " --csv plate_data.csv")->exit_code, 0);
    gr_run_take("plate_data.csv", plain, sizeof plain);
    const GrRun *run = gr_run("plate --soil cmu_soildirect90_rft --data plate_renamed.csv --columns depth_m=Sink "
                              "--columns force_N=-Fz --csv plate_data.csv");
    assert_int_equal(run->exit_code, 0);
    gr_run_take("plate_data.csv", text, sizeof text);
    assert_string_equal(text, plain);
    run = gr_run("plate --soil cmu_soildirect90_rft --data plate_renamed.csv --columns depht_m=Sink");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--columns: takes NAME=COLUMN; there is no quantity 'depht_m'; did you mean 'depth_m'?");
    run = gr_run("plate --soil cmu_soildirect90_rft --data plate_renamed.csv --columns depth_m=Sinc");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "there is no column 'Sinc'; did you mean 'Sink'?");
    run = gr_run("fit soil --plates plate_renamed.csv --plate-columns depth_m=Sinc --free k_phi -o plate_soil.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--plate-columns: there is no column 'Sinc'");
    static const char *const lines[] = {
        "fit soil --plates " PRESSES " --free k_phi --evaluations 0 --json -o plate_soil.yaml",
        "fit soil --plates plate_renamed.csv --plate-columns depth_m=Sink --plate-columns force_N=-Fz --free k_phi "
        "--evaluations 0 --json -o plate_soil.yaml"};
    for (int k = 0; k < 2; k++) {
        run = gr_run(lines[k]);
        if (strstr(run->err, "libnlopt-dev") == NULL) {
            assert_int_equal(run->exit_code, 0);
            const char *found = strstr(run->out, "\"parameters\"");
            assert_non_null(found);
            snprintf(k == 0 ? plain : text, 300, "%s", found);
            assert_true(k == 0 || strcmp(plain, text) == 0);
        }
    }
    unlink("plate_renamed.csv");
}

/// A soil by plates alone: its form is chosen, presses of the wheel that were held back are predicted within a fifth,
/// and the file is a soil that the rig takes.
static void test_fit(void **state)
{
    (void)state;
    const GrRun *run = gr_run("fit soil --plates " PRESSES " --soil cmu_soildirect90 --hold-out body=wheel_smooth "
                              "-o plate_soil.yaml");
    if (strstr(run->err, "libnlopt-dev") != NULL) {
        return;
    }
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "bearing (chosen)");
    assert_has(run->out, "held back");
    run = gr_run("plate --soil plate_soil.yaml --wheel 0.058,0.05 --depth 0.02 --json");
    assert_int_equal(run->exit_code, 0);
    const char *force = strstr(run->out, "\"force_N\": ");
    assert_non_null(force);
    assert_near_rel(strtod(force + 11, NULL), 79.6, 0.15); // measured, three presses
    assert_has(run->out, "\"force_N_low\": ");             // the soil says how far its presses are off
    run = gr_run("plate --soil plate_soil.yaml --wheel 0.058,0.05 --depth 0.02 --json --uncertainty 0");
    assert_null(strstr(run->out, "force_N_low"));
    run = gr_run("plate --soil mars_sand --diameter 0.1 --depth 0.02 --json"); // by samples of the class
    const double low = strtod(strstr(run->out, "\"force_N_low\": ") + 15, NULL),
                 high = strtod(strstr(run->out, "\"force_N_high\": ") + 16, NULL),
                 middle = strtod(strstr(run->out, "\"force_N\": ") + 11, NULL);
    assert_true(low < 0.8 * middle && middle < 0.8 * high);
    run = gr_run("plate --soil plate_soil.yaml --data " PRESSES " --spread 0.2 --json --html plate_band.html");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"force_N_high\": ");
    const char *wheel = strstr(run->out, "\"body\": \"wheel_smooth (large box)\"");
    assert_non_null(wheel);
    assert_true(strtod(strstr(wheel, "\"inside_90\": ") + 13, NULL) > 0.85);
    run = gr_run("fit soil --plates " PRESSES " --hold-out body=plate_70mm -o plate_soil.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "no press has body=plate_70mm");
}

/// Presses of wheels without a size have that of --radius and --width.
static void test_fit_wheel(void **state)
{
    (void)state;
    char *text, *at;
    size_t size;
    assert_int_equal(gr_file_read(PRESSES, 1u << 24, &text, &size, NULL), GR_OK);
    while ((at = strstr(text, ",0.058,0.05,")) != NULL) {
        memmove(at, ",,,", 3);
        memmove(at + 3, at + 12, strlen(at + 12) + 1);
    }
    gr_run_write("plate_sizes.csv", text);
    free(text);
    static const char *const files[] = {"plate_sizes.csv --radius 0.058 --width 0.05", PRESSES};
    double held[2];
    for (int i = 0; i < 2; i++) {
        char line[600];
        snprintf(line, sizeof line, "fit soil --plates %s --hold-out body=wheel_smooth -o plate_soil.yaml --json",
                 files[i]);
        const GrRun *run = gr_run(line);
        if (strstr(run->err, "libnlopt-dev") != NULL) {
            return;
        }
        assert_int_equal(run->exit_code, 0);
        held[i] = strtod(strstr(strstr(run->out, "\"held_back\""), "\"error_median\": ") + 16, NULL);
    }
    assert_near_rel(held[0], held[1], 1e-9);
    unlink("plate_sizes.csv");
}

/// Presses beside wheel data: both count, and presses without weight change nothing.
static void test_fit_together(void **state)
{
    (void)state;
    static const char line[] = "fit soil --data " GR_TEST_SOURCE_DIR "/data/examples/measured.csv --radius 0.058 "
                               "--width 0.05 --soil cmu_soildirect90 --free k_phi,n0 --evaluations 0 --folds 0 --json "
                               "-o plate_both.yaml ";
    static char alone[400], both[400];
    const char *const options[] = {"", "--plates " PRESSES " --weights press=0", "--plates " PRESSES};
    for (int k = 0; k < 3; k++) {
        char whole[1024];
        snprintf(whole, sizeof whole, "%s%s", line, options[k]);
        const GrRun *run = gr_run(whole);
        if (strstr(run->err, "libnlopt-dev") != NULL) {
            return;
        }
        assert_int_equal(run->exit_code, 0);
        assert_true(gr_json_valid(run->out));
        const char *found = strstr(run->out, "\"name\": \"k_phi\"");
        assert_non_null(found);
        snprintf(k == 0 ? alone : both, sizeof alone, "%.40s", found);
        assert_true(k == 0 || (strcmp(alone, both) == 0) == (k == 1));
    }
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *line, *message;
        int code;
    } rows[] = {
        {"plate --diameter 0.1", "--soil: is needed", 2},
        {"plate --soil ishigami2007", "one body is needed", 2},
        {"plate --soil ishigami2007 --diameter 0.1 --width 0.1 --length 0.1", "one body is needed", 2},
        {"plate --soil ishigami2007 --width 0.1", "a rectangle has --width and --length", 2},
        {"plate --soil ishigami2007 --diameter -0.1", "it must be above 0", 2},
        {"plate --soil ishigami2007 --annulus 0.2,0.1", "the outer one must be larger", 2},
        {"plate --soil ishigami2007 --diameter 0.1 --depth 0.02,0.01", "depths above 0 that rise", 2},
        {"plate --soil ishigami2007 --model rheological --diameter 0.1", "has no pressure", 2},
        {"plate --soil ishigami2007 --diameter 0.1 --data " PRESSES, "has the bodies", 2},
        {"plate --soil ishigami2007 --diameter 0.1 --pressures 5", "--pressures: has no effect here", 0},
        {"fit soil -o x.yaml", "--data or --plates is needed", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const GrRun *run = gr_run(rows[i].line);
        assert_int_equal(run->exit_code, rows[i].code);
        assert_has(run->err, rows[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_press),        cmocka_unit_test(test_annulus),
                                       cmocka_unit_test(test_data),         cmocka_unit_test(test_columns),
                                       cmocka_unit_test(test_fit),          cmocka_unit_test(test_fit_wheel),
                                       cmocka_unit_test(test_fit_together), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
