#include "json_check.h"
#include "run_command.h"

#include <sys/stat.h>

/// docs/tests.md: for each test there is a scenario of the same name, except for scaling, which compares three
/// vehicles, and mobility, which is many drives.
static void test_scenarios_of_the_tests(void **state)
{
    (void)state;
    static char help[sizeof((GrRun *)0)->out]; // the next run overwrites it
    memcpy(help, gr_run("test --help")->out, sizeof help);
    const char *line = strstr(help, "\nTests:\n");
    assert_non_null(line);
    int count = 0;
    for (line = strchr(line + 1, '\n') + 1; strncmp(line, "  ", 2) == 0; line = strchr(line, '\n') + 1, count++) {
        char name[64], check[600];
        assert_int_equal(sscanf(line, "%63s", name), 1);
        snprintf(check, sizeof check, "check " GR_TEST_SOURCE_DIR "/data/scenarios/%s.yaml", name);
        assert_true(strcmp(name, "scaling") == 0 || strcmp(name, "mobility") == 0 || gr_run(check)->exit_code == 0);
    }
    assert_int_equal(count, 14);
}

static void test_gradeability(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test gradeability rashid_like --slopes 0,10,40 --gravity moon");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "drives on");
    assert_int_equal(strncmp(run->out, "Climbs ", 7), 0); // the answer stands first, with its band
    assert_has(run->out, " at slip 30 %; the steepest slope is ");
    assert_has(run->out, " down. Holds ");
    assert_has(run->out, "(90 %: ");
    assert_has(run->out, "rashid_like on lunar_mare");
    assert_string_equal(run->err, "");
    assert_null(strstr(run->out, "e-1")); // what is left of nothing is no number to read
    assert_null(strstr(run->out, " -0 "));
    run = gr_run("test gradeability rashid_like --slopes 0,10 --heading 90 --gravity moon");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->out, " down"));
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
    static char page[1 << 20];
    gr_run_take("climb.html", page, sizeof page);
    assert_has(page, "How far to trust this");
    assert_has(page, "misses the measured pull of a wheel in dry sand by ");
    assert_has(run->out, "\"known_error\": ");
    unlink("climb.csv");
}

/// Slopes at three slips and at that of the headline, ascending, each within its band; samples depend on nothing but
/// their number.
static void test_bands(void **state)
{
    (void)state;
    static const char line[] =
        "test gradeability rashid_like --gravity moon --heading 0 --slopes 0:30:4 --slip 0.4 --json";
    static char first[sizeof((GrRun *)0)->out];
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    memcpy(first, run->out, sizeof first);
    assert_string_equal(gr_run(line)->out, first);
    const char *at = strstr(first, "\"at_slip\": ");
    double last = 0;
    static const double slips[] = {0.2, 0.3, 0.4, 0.6};
    for (int i = 0; i < 4; i++) {
        at = strstr(at, "\"slip\": ");
        assert_non_null(at);
        const double slope = json_number(at, "slope_deg");
        assert_near(json_number(at, "slip"), slips[i], 0);
        assert_true(slope >= last);
        assert_true(json_number(at, "slope_deg_low") <= slope && slope <= json_number(at, "slope_deg_high"));
        last = slope;
        at++;
    }
    assert_true(json_number(first, "steepest_slope_deg") >= last - 1e-9);
    assert_has(first, "\"uncertainty_samples\": 32");
    assert_has(first, "\"slip_low\": ");
    run = gr_run("test gradeability rashid_like --gravity moon --heading 0 --slopes 0:30:4 --uncertainty 0 --json");
    assert_null(strstr(run->out, "_low"));
    run = gr_run("test gradeability rashid_like --uncertainty 1");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--uncertainty: found '1', allowed: 0, or a whole number from 2 to 1024");
}

/// A rover that swings and slides back at a slip that is still steady by formulas: its samples fail there too, and the
/// limit is within its own band.
static void test_limit_within_band(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test gradeability rashid_like --gravity moon --soil cmu_fit --heading 0 "
                              "--slopes 0:30:4 --uncertainty 16 --json");
    assert_int_equal(run->exit_code, 0);
    const double limit = json_number(run->out, "steepest_slope_deg");
    assert_true(json_number(run->out, "steepest_slope_deg_low") < limit &&
                limit <= json_number(run->out, "steepest_slope_deg_high"));
}

/// On a soil that was fitted to another wheel the band has the errors of that fit: a pull that is off by 0.158 of the
/// load moves the tangent of the steepest slope by that, and the covariance of the parameters adds a little.
static void test_errors_of_a_fit(void **state)
{
    (void)state;
    static const double DEVIATION = 0.158, HALF = 1.645, DEGREE = 0.017453292519943295;
    const GrRun *run =
        gr_run("test gradeability mer_like --gravity mars --soil cmu_fit --heading 0 --slopes 0:36:5 --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"prediction\": \"extrapolated\"");
    const double low = tan(json_number(run->out, "steepest_slope_deg_low") * DEGREE),
                 high = tan(json_number(run->out, "steepest_slope_deg_high") * DEGREE);
    print_message("half the band of the steepest slope: %.3f, of the pull over the load: %.3f\n", 0.5 * (high - low),
                  HALF * DEVIATION);
    assert_near(0.5 * (high - low), HALF * DEVIATION, 0.25 * HALF * DEVIATION); // 32 samples; no pull below 0
    run = gr_run("test gradeability curiosity_like --gravity mars --heading 0 --slopes 0,8 --json");
    assert_null(strstr(run->out, "\"prediction\"")); // of a class
    assert_null(strstr(run->out, "\"time_s_low\"")); // steady formulas take no time
}

/// Two rovers on the same samples: the difference has its own band.
static void test_difference(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test drawbar rashid_like el_dorado2 --gravity moon");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "largest pull [N]");
    assert_has(run->out, "P(second better)");
    assert_has(run->out, " (90 %: ");
}

/// What an engineer would not sign is said, once.
static void test_doubts(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test gradeability curiosity_like --gravity mars --soil ishigami2007 --heading 0 "
                              "--slopes 0,28 --uncertainty 0");
    assert_has(run->out, "doubtful: 28° on loose soil");
    assert_has(run->out, "doubtful: on the level the wheels turn slower than the rover moves");
    run = gr_run("test gradeability curiosity_like --gravity mars --heading 0 --slopes 0,8 --uncertainty 0");
    assert_null(strstr(run->out, "doubtful"));
}

/// A drive that still changes when the time is up, or a fall, has an outcome and no numbers.
static void test_unsettled_rows(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("test gradeability rashid_like --gravity moon --soil cmu_fit --slopes 7.5 --uncertainty 0 --json");
    assert_int_equal(run->exit_code, 0);
    const char *row = strstr(run->out, "\"direction\": \"cross\"");
    assert_non_null(row);
    assert_has(row, "\"outcome\": \"unsettled\"");
    const char *slip = strstr(row, "\"slip\": null");
    assert_true(slip != NULL && slip < strstr(row, "\"outcome\""));
    run = gr_run("test gradeability rashid_like --gravity moon --soil lunar_mare --heading 0 --slopes 30,32.5 "
                 "--uncertainty 0 --json");
    assert_int_equal(run->exit_code, 0);
    row = strstr(run->out, "\"slope_deg\": 32.5");
    assert_non_null(row);
    assert_has(row, "\"outcome\": \"tipped\"");
    slip = strstr(row, "\"speed_m_per_s\": null");
    assert_true(slip != NULL && slip < strstr(row, "\"outcome\""));
}

/// Samples that fail are the slowest; none of their other numbers is the least of all. The loads of the samples are
/// those of the drive itself.
static void test_samples_that_fail(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("test gradeability curiosity_like --gravity mars --heading 0 --slopes 0,10 --uncertainty 16 --json");
    assert_int_equal(run->exit_code, 0);
    const char *level = strstr(run->out, "\"points\""), *steep = strstr(level, "\"slope_deg\": 10");
    assert_non_null(steep);
    assert_has(steep, "\"slip_high\": null");
    assert_near_rel(json_number(steep, "load_least_N_low"), json_number(steep, "load_least_N"), 1e-9);
    assert_true(json_number(steep, "torque_Nm_low") > json_number(level, "torque_Nm_low"));
    assert_true(json_number(steep, "sinkage_m_low") > json_number(level, "sinkage_m_low"));
    assert_near(json_number(steep, "speed_m_per_s_low"), 0, 0);
    static const char *const names[] = {"slip", "sinkage_m", "load_least_N", "load_most_N", "drift_m_per_s"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) { // bands contain the value on the soil itself
        char low[40], high[40];
        snprintf(low, sizeof low, "%s_low", names[i]);
        snprintf(high, sizeof high, "%s_high", names[i]);
        assert_true(json_number(level, low) <= json_number(level, names[i]));
        assert_true(json_number(level, high) >= json_number(level, names[i]));
    }
}

/// No speed throws the low rover over on ice or sand. With enough grip it goes over where the force through its centre
/// of mass leaves the wheels: friction tan 50.1° by the geometry of grouser test tip, less what the suspension leans.
static void test_rollover(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test rollover lrv_like --gravity moon --hard --speeds 3 --json");
    assert_int_equal(run->exit_code, 0);
    assert_near_rel(json_number(run->out, "rollover_friction"), tan(50.1 * 3.14159265358979 / 180), 0.06);
    assert_has(run->out, "\"outcome\": \"tipped\"");
    run = gr_run("test rollover lrv_like --gravity moon --hard --speeds 3 --no-search");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->out, "tipped over"));
}

static void test_drawbar(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test drawbar rashid_like --pulls 0,15,30 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"largest_pull_N\": 30");
}

/// The first slope or pull that fails bounds the answer, in whatever order they are given, and is not the answer of
/// the one before: that would be the same for all rovers. The drive at 40 degrees once had a slip of −211.
static void test_limits_of_drives(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("test gradeability rashid_like --gravity moon --soil mars_dlr_drift --heading 0 --slopes 30,18,40,28 "
               "--uncertainty 0");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "steepest slope, up  19.9");
    const char *at = strstr(run->out, "  slides  "); // in place of a slip
    assert_non_null(at);
    assert_null(strstr(at + 1, "  slides  ")); // the table ends there
    run = gr_run("test gradeability rashid_like --gravity moon --soil mars_dlr_drift --slopes 18,40 --json");
    assert_true(gr_json_valid(run->out));
    for (at = strstr(run->out, "\"slip\": "); at != NULL; at = strstr(at + 1, "\"slip\": ")) {
        const char *value = at + strlen("\"slip\": ");
        assert_true(strncmp(value, "null", 4) == 0 || fabs(strtod(value, NULL)) <= 1);
    }
    run = gr_run("test drawbar rashid_like --gravity moon --soil mars_dlr_drift --parts 0.3,0.1,0.4 --json");
    assert_near_rel(json_number(run->out, "largest_pull_weights"), 0.355, 5e-3);
}

/// Cases run together give the same results as each alone. Every combination occurs once, and the files contain all of
/// them.
static void test_compare(void **state)
{
    (void)state;
    static const char *const rovers[] = {"rashid_like", "el_dorado2"}, *const bodies[] = {"moon", "mars"};
    double alone[4];
    for (int i = 0; i < 4; i++) {
        char line[160];
        snprintf(line, sizeof line, "test drawbar %s --gravity %s --parts 0,0.3 --json", rovers[i % 2], bodies[i / 2]);
        alone[i] = json_number(gr_run(line)->out, "torque_most_Nm");
    }
    const GrRun *run =
        gr_run("test drawbar rashid_like el_dorado2 --gravity moon,mars --parts 0,0.3 --json --csv both.csv "
               "--html both.html");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"test\": \"drawbar\",\n  \"verdict\": \"");
    const char *at = run->out;
    for (int i = 0; i < 4; i++) {
        char label[80];
        snprintf(label, sizeof label, "\"case\": \"%s / %s\"", rovers[i % 2], bodies[i / 2]);
        at = strstr(at, label);
        assert_non_null(at);
        assert_near(json_number(at, "torque_most_Nm"), alone[i], 0); // the same run
    }
    static char text[1 << 20];
    gr_run_take("both.csv", text, sizeof text);
    assert_has(text, "\nel_dorado2 / mars,");
    int lines = 0;
    for (const char *c = text; (c = strchr(c, '\n')) != NULL; c++) {
        lines++;
    }
    assert_int_equal(lines, 1 + 4 * 2);
    gr_run_take("both.html", text, sizeof text);
    assert_has(text, "rashid_like / moon");
    run = gr_run("test drawbar rashid_like --parts 0,0.1,0.2");
    assert_has(run->out, "still tows: at least ");                      // the last of them is towed too
    assert_has(run->out, "largest pull over the weight  at least 0.2"); // in the table of facts as well
    run = gr_run("test drawbar rashid_like --parts 0,0.1 --json");
    assert_has(run->out, "\"largest_pull_N_at_least\": true");
    run = gr_run("test drawbar rashid_like --parts 0,3 --json"); // more than three times the weight holds any rover
    assert_null(strstr(run->out, "at_least"));
    run = gr_run("test drawbar rashid_like el_dorado2 --parts 0,0.1");
    assert_has(run->out, "≥ ");
    run = gr_run("test drawbar rashid_like --gravity moon,,mars");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--gravity: found 'moon,,mars', allowed: one, or up to 24 separated by commas");
    run = gr_run("test drawbar rashid_like --gravity moon,venis");
    assert_int_equal(run->exit_code, 2);
}

/// The highest step and the lowest that fails are rows of the table; the headline says what limits the rover.
static void test_step_table(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test step rashid_like --hard --parts 1 --speed 0.1 --json");
    assert_int_equal(run->exit_code, 0);
    const char *done = strstr(run->out, "\"outcome\": \"done\""), *rows = strstr(run->out, "\"crossings\"");
    assert_non_null(done);
    assert_non_null(rows);
    assert_near(json_number(rows, "height_m"), json_number(run->out, "highest_m"), 0); // the lowest comes first
    const char *second = strstr(done, "\"height_m\"");
    assert_non_null(second);
    assert_near(json_number(second, "height_m"), json_number(run->out, "lowest_failed_m"), 0);
    assert_has(run->out, "\"limited_by\": \"spins\"");
}

/// Every test prints a table, JSON and all its files.
static void test_all_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *key;
    } cases[] = {
        {"drop rashid_like --heights 100", "\"rest_load_N\": 98.0"},
        {"drop rashid_like --rear --hard --heights 100 --gravity moon", "\"rear_peak_N\""},
        {"drop curiosity_like --wheel --wheel-mass 75 --hard --heights 175", "\"outcome\": \"done\""},
        {"skycrane rashid_like --gravity mars --heights 200 --limit 4", "\"contact_speed_m_per_s\""},
        {"egress rashid_like --deck 200 --speed 0.1 --step 5", "\"success\": \"yes\""},
        {"step rashid_like --heights 10 --no-search --hard --speed 0.1", "\"outcome\": \"done\""},
        {"rock rashid_like --heights 10 --no-search --one-side --speed 0.1", "\"outcome\": \"done\""},
        {"turn rashid_like --angle 30", "\"energy_per_degree_J\""},
        {"coast rashid_like --speeds 0.25 --gravity phobos --rise 0.01 --limit 5", "\"airborne\""},
        {"brake rashid_like --speeds 0.25 --slope 5", "\"deceleration_m_per_s2\""},
        {"tip rashid_like --directions 1", "\"least_tip_deg\": 36"},
        {"scaling rashid_like --from 1.62 --to earth --scale 0.5 --slopes 0,10", "\"scaled_mass_kg\""},
        {"rollover lrv_like --hard --gravity moon --speeds 0.3 --acceleration 1", "\"outcome\": \"done\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[300];
        snprintf(line, sizeof line, "test %s --json --html trial.html --svg trial.svg --csv trial.csv",
                 cases[i].arguments);
        const GrRun *run = gr_run(line);
        if (run->exit_code != 0) {
            print_error("%s: %s\n", line, run->err);
        }
        assert_int_equal(run->exit_code, 0);
        assert_true(gr_json_valid(run->out));
        assert_has(run->out, cases[i].key);
        assert_has(run->err, "wrote trial.html");
        assert_has(run->err, "wrote trial.svg");
        assert_has(run->err, "wrote trial.csv");
        struct stat page; // traces of thousands of steps do not make a page too large for a browser
        assert_int_equal(stat("trial.html", &page), 0);
        assert_true(page.st_size < 1000000);
        assert_int_equal(unlink("trial.html") | unlink("trial.svg") | unlink("trial.csv"), 0);
    }
}

/// The two curves and the statement about them, on grains and on a soil whose constants do not know gravity.
static void test_scaling(void **state)
{
    (void)state;
    const GrRun *run = gr_run("test scaling rashid_like --slopes 5,12 --json");
    assert_int_equal(run->exit_code, 0);
    assert_string_equal(run->err, "");
    assert_true(json_number(run->out, "scaled_slip_difference") < 0.01);
    assert_true(json_number(run->out, "offloaded_slip_difference") < -0.05);
    assert_near_rel(json_number(run->out, "scaled_rim_speed_m_per_s"), 0.05 * sqrt(9.80665 / 1.62), 1e-6);
    assert_near_rel(json_number(run->out, "offloaded_mass_kg"), 10 * 1.62 / 9.80665, 1e-6);
    run = gr_run("test scaling rashid_like --slopes 5,12 --svg scaling.svg");
    assert_has(run->out, "has the slip of the rover to within 0.01 %");
    assert_has(run->out, "the usual test is optimistic");
    char svg[100000];
    gr_run_take("scaling.svg", svg, sizeof svg);
    assert_has(svg, "scaled test, 9.81 m/s²");
    assert_has(svg, "offloaded rover, 9.81 m/s²");
    run = gr_run("test scaling rashid_like --slopes 5 --soil ishigami2007");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "ishigami2007 was fitted under 9.81 m/s² and is used under 1.62 m/s²");
    assert_has(run->out, "does not have the slip of the rover on this soil");
    assert_has(run->out, "gravity_scaling: none");
    assert_has(run->out, "the usual test shows the same");
    run = gr_run("test scaling rashid_like --slopes 5 --soil ishigami2007 --set-soil gravity_scaling=density");
    assert_has(run->out, "its cohesion does not change");
    assert_null(strstr(run->err, "was fitted under"));
}

static void test_help(void **state)
{
    (void)state;
    static const char *const names[] = {"gradeability", "drawbar", "step", "rock",   "turn",     "coast",
                                        "brake",        "tip",     "drop", "egress", "rollover", "skycrane"};
    const GrRun *run = gr_run("test --help");
    assert_int_equal(run->exit_code, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_has(run->out, names[i]);
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "test %s --help", names[i]);
        run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "--gravity");
        assert_has(run->out, "Example:");
    }
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
        {"test gradeability rashid_like --gravity 0", "above 0"},
        {"test drawbar rashid_like --speed 0", "speed not 0"},
        {"test gradeability", "ROVER"},
        {"test", "give the name of a test first"},
        {"test --json drop rashid_like", "give the name of a test first"},
        {"test dorp rashid_like", "did you mean 'drop'?"},
        {"test drop rashid_like --hieghts 3", "did you mean '--heights'?"},
        {"test drop rashid_like --heights 0,100", "--heights"},
        {"test drop rashid_like --step 0", "--step"},
        {"test drop rashid_like --rear --roll 3", "--rear"},
        {"test scaling rashid_like --gravity moon", "unknown option --gravity"},
        {"test scaling rashid_like --from muun", "--from: found 'muun'"},
        {"test scaling rashid_like --to zero", "--to: found 'zero'"},
        {"test scaling rashid_like --scale 0", "scale: found '0'"},
        {"test drop rashid_like --gravity zero", "--gravity: found 'zero'"},
        {"test turn rashid_like --mode skit", "did you mean 'skid'?"},
        {"test turn rashid_like --mode crab", "lacks the joints"},
        {"test brake rashid_like --deceleration 0", "allowed: a number from"},
        {"test egress rashid_like --ramp steep", "allowed: a number from 1 to 60"},
        {"test drop rashid_like --hard --friction -1", "allowed: 0 to 10"},
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
        cmocka_unit_test(test_scenarios_of_the_tests),
        cmocka_unit_test(test_gradeability),
        cmocka_unit_test(test_gradeability_json_and_files),
        cmocka_unit_test(test_unsettled_rows),
        cmocka_unit_test(test_samples_that_fail),
        cmocka_unit_test(test_rollover),
        cmocka_unit_test(test_drawbar),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_limit_within_band),
        cmocka_unit_test(test_errors_of_a_fit),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_limits_of_drives),
        cmocka_unit_test(test_compare),
        cmocka_unit_test(test_step_table),
        cmocka_unit_test(test_all_kinds),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
