/// Campaigns through the command line: sweeps, exports, repeated runs, searches with known answers, sensitivities.
#include "run_command.h"

#include <math.h>

static const char SLOPE[] = "run: {scenario: gradeability, set: [stop.time_s=2]}\n"
                            "vary: {\"soil:phi\": {from: 30, to: 40}, start.heading_deg: {from: -5, to: 5}}\n"
                            "compare: {rover: [rashid_like, curiosity_like]}\n"
                            "sample: {method: latin, count: 4}\n"
                            "measure: {slip: wheels.slip_mean, top: \"max(x_m)\", angle: \"{soil:phi}\"}\n";

/// The number after "key": in JSON text, from `from` on.
static double number_after(const char *from, const char *key)
{
    const char *at = strstr(from, key);
    assert_non_null(at);
    return strtod(strchr(at + strlen(key), ':') + 1, NULL);
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sweep_and_export(void **state)
{
    (void)state;
    gr_run_write("slope.yaml", SLOPE);
    const GrRun *run = gr_run("sweep slope.yaml -j 2");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "8 of 8 runs done, 0 of them failed");
    assert_int_equal(strncmp(run->out, "slip: median ", 13), 0); // the answer stands first
    run = gr_run("campaign show slope.db");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "finished");
    assert_has(run->out, "soil:phi");
    run = gr_run("campaign export slope.db");
    assert_has(run->out, "id,soil:phi,start.heading_deg,rover,slip,top,angle,outcome,cause,warnings\n1,");
    int lines = 0;
    for (const char *c = run->out; *c != '\0'; c++) {
        lines += *c == '\n';
    }
    assert_int_equal(lines, 9);
    assert_int_equal(gr_run("campaign export slope.db -o slope.json")->exit_code, 0);
    assert_int_equal(access("slope.json", F_OK), 0);
    run = gr_run("campaign show slope.db --json");
    assert_near(number_after(run->out, "\"runs\""), 8, 0);
}

/// The question stands in the file: a third of the slopes is asked for, and its answer comes first, also as JSON.
static void question(void **state)
{
    (void)state;
    gr_run_write("asked.yaml", "run: {function: {slip: x}}\nvary: {x: {from: 0, to: 1}}\n"
                               "sample: {method: sobol, count: 128}\n"
                               "measure: {slip: slip}\nquestion: {share: slip < 0.5, at_least: 0.3}\n");
    const GrRun *run = gr_run("sweep asked.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(strncmp(run->out, "yes: slip < 0.5 in 50 % of 128 runs (95 % interval, Wilson: ", 60), 0);
    assert_has(run->out, "more runs would halve the interval\nslip < 0.5 depends most, by rank correlation, on x (");
    run = gr_run("sweep asked.yaml --json");
    assert_int_equal(strncmp(run->out, "{\n  \"answer\": {", 13), 0);
    assert_has(run->out, "\"verdict\": \"yes\"");
    assert_near(number_after(run->out, "\"share\""), 0.5, 0);
    assert_true(number_after(run->out, "\"share_low\"") < 0.5 && number_after(run->out, "\"share_high\"") > 0.5);
    run = gr_run("campaign show asked.db");
    assert_int_equal(strncmp(run->out, "yes: ", 5), 0);
}

/// The measure of a run, by its variables in a row of the export: "0,2/4,rashid_like,".
static double measure_of(const char *csv, const char *variables)
{
    const char *at = strstr(csv, variables);
    assert_non_null(at);
    return strtod(at + strlen(variables), NULL);
}

/// Samples of the soil: each design has a band over its runs on samples, and the run on the soil itself.
static void sample_soils(void **state)
{
    (void)state;
    gr_run_write("sampled.yaml", "run: {scenario: gradeability, set: [stop.time_s=1]}\n"
                                 "vary: {gravity.tilt_deg: [0, 10]}\ncompare: {rover: [rashid_like, curiosity_like]}\n"
                                 "measure: {slip: wheels.slip_mean}\n");
    const GrRun *run = gr_run("sweep sampled.yaml --uncertainty 4");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "20 of 20 runs done");
    static char csv[16384];
    gr_run("campaign export sampled.db -o sampled.csv");
    gr_run_take("sampled.csv", csv, sizeof csv);
    double slips[4];
    for (int i = 0; i < 4; i++) {
        char row[64];
        snprintf(row, sizeof row, ",10,%d/4,curiosity_like,", i + 1);
        slips[i] = measure_of(csv, row);
    }
    qsort(slips, 4, sizeof slips[0], compare_numbers);
    const double nominal = measure_of(csv, ",10,none,curiosity_like,");
    run = gr_run("campaign export sampled.db --bands");
    assert_has(run->out, "id,gravity.tilt_deg,rover,slip,slip_low,slip_high,samples,succeeded_share,");
    const char *row = strstr(run->out, ",10,curiosity_like,");
    assert_non_null(row);
    char *end;
    assert_near(strtod(row + strlen(",10,curiosity_like,"), &end), nominal, 1e-12);
    // the quantile of 5 % of four is 0.15 of the way from the first to the second
    assert_near(strtod(end + 1, &end), slips[0] + 0.15 * (slips[1] - slips[0]), 1e-12);
    assert_near(strtod(end + 1, &end), slips[3] - 0.15 * (slips[3] - slips[2]), 1e-12);
    assert_near(strtod(end + 1, &end), 4, 0);
    run = gr_run("campaign show sampled.db --json");
    assert_near(number_after(strstr(run->out, "\"designs\""), "\"samples\""), 4, 0);
    assert_has(run->out, "\"slip_low\"");
    assert_has(gr_run("campaign show sampled.db")->out, "bands of 90 % over their samples");
    run = gr_run("run --from sampled.db:3 -o third.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "changed since"));
    assert_null(strstr(run->err, "differs"));
    assert_int_equal(gr_run("campaign export slope.db --bands")->exit_code, 2);
    gr_run_write("sampled.yaml", "run: {function: {f: x}}\nvary: {x: [1, 2]}\nuncertainty: 4\n");
    run = gr_run("sweep sampled.yaml -o none.db");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "runs of the kind 'function' are not on samples of soils");
    assert_has(gr_run("sweep sampled.yaml --uncertainty 3")->err, "give no --uncertainty");
}

/// A row of the table of designs, after the variables: the number of a column.
static double band_of(const char *json, const char *key)
{
    return number_after(strstr(json, "\"designs\""), key);
}

/// Wheels on samples of a fitted soil have the errors of its fit: the bands are those that `grouser wheel` computes
/// from the samples without them and the errors as a distribution.
static void sample_fitted_wheels(void **state)
{
    (void)state;
    gr_run_write("fitted.yaml", "run: {wheel: {soil: cmu_fit, radius: 0.058, width: 0.05, load: 25, slip: 0.3}}\n"
                                "vary: {radius: [0.058, 0.1]}\n");
    const GrRun *run = gr_run("sweep fitted.yaml --uncertainty 64 -o fitted.db --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"prediction\": \"interpolated\"");
    assert_has(run->out, "\"prediction\": \"extrapolated\""); // a wheel twice as large was not measured
    const double ours[] = {band_of(run->out, "\"fx_N\""), band_of(run->out, "\"fx_N_low\""),
                           band_of(run->out, "\"fx_N_high\"")};
    run = gr_run("wheel --soil cmu_fit --radius 0.058 --width 0.05 --load 25 --slip 0.3 --uncertainty 64 --json");
    const double theirs[] = {number_after(run->out, "\"fx_N\""), number_after(run->out, "\"fx_N_low\""),
                             number_after(run->out, "\"fx_N_high\"")};
    const double width = theirs[2] - theirs[1];
    assert_near(ours[0], theirs[0], 1e-12);
    assert_near(ours[1], theirs[1], 0.1 * width); // 64 samples have no more of the tails
    assert_near(ours[2], theirs[2], 0.1 * width);
    run = gr_run("campaign show fitted.db");
    assert_has(run->out, "bands of 90 % over their samples and the errors of their fits (extrapolated)");
    assert_has(gr_run("campaign export fitted.db --bands")->out, "succeeded_share_high,prediction\n");
    gr_run_write("slopes.yaml", "run: {test: gradeability, rover: rashid_like, options: {slopes: '0,5', heading: 0, "
                                "gravity: moon, soil: cmu_fit}}\n"
                                "vary: {speed: [0.05]}\nmeasure: {slope: slope_deg}\n");
    run = gr_run("sweep slopes.yaml --uncertainty 2 -o slopes.db");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "3 of 3 runs done");
    assert_has(run->out, "extrapolated");
}

/// `slope_deg` of a climb is the slope of its headline, as the test alone prints it, not the one at the first of its
/// slips.
static void test_headline_of_climbs(void **state)
{
    (void)state;
    gr_run_write("climbs.yaml", "run: {test: gradeability, rover: rashid_like, options: {slopes: '0,20', heading: 0, "
                                "gravity: moon}}\n"
                                "vary: {slip: [0.3]}\nmeasure: {slope: slope_deg}\n");
    assert_int_equal(gr_run("sweep climbs.yaml -o climbs.db")->exit_code, 0);
    static char rows[sizeof((GrRun *)0)->out];
    memcpy(rows, gr_run("campaign export climbs.db")->out, sizeof rows);
    const GrRun *run = gr_run("test gradeability rashid_like --slopes 0,20 --heading 0 --gravity moon --uncertainty 0");
    char verdict[200];
    assert_int_equal(sscanf(run->out, "%199[^\n]", verdict), 1);
    assert_has(rows, verdict); // the cause, with its numbers
    const double slope = strtod(strstr(rows, "\n1,0.3,") + strlen("\n1,0.3,"), NULL);
    assert_near_rel(slope, strtod(verdict + strlen("Climbs "), NULL), 1e-3);
}

/// A world of a traverse has one sample of its soils, and all legs of the world the same.
static void sample_worlds(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("mission " GR_TEST_SOURCE_DIR "/tests/apps/traverse_small.yaml -o trip.db --uncertainty 4 --json");
    assert_int_equal(run->exit_code, 0);
    run = gr_run("campaign export trip.db");
    assert_has(run->out, "id,soil:phi,soil_sample,start.x_m,");
    int lines = 0, samples = 0;
    for (const char *at = strchr(run->out, '\n'); at[1] != '\0'; at = strchr(at + 1, '\n'), lines++) {
        const char *sample = strstr(at, "/4,");
        samples += sample != NULL && sample < strchr(at + 1, '\n') && sample[-1] == strstr(run->out, "/4,")[-1];
    }
    assert_true(lines > 8 && samples == lines);
    assert_int_equal(gr_run("campaign export trip.db --bands")->exit_code, 2); // its designs have one sample each
}

/// A run of the study, repeated with everything recorded, has the values of its row.
static void repeat_a_run(void **state)
{
    (void)state;
    const GrRun *run = gr_run("campaign export slope.db -o runs.json");
    char table[16384];
    gr_run_take("runs.json", table, sizeof table);
    const char *row = strstr(table, "\"id\": 6,");
    assert_non_null(row);
    const double slip = number_after(row, "\"slip\""), top = number_after(row, "\"top\"");
    run = gr_run("run --from slope.db:6 -o six.run --json");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "differs")); // the same end state
    double sum = 0, wheels = 0, last = -INFINITY;
    for (const char *at = strstr(run->out, "\"slip_mean\""); at != NULL; at = strstr(at + 1, "\"slip_mean\"")) {
        sum += number_after(at, "\"slip_mean\"");
        wheels++;
    }
    assert_near(sum / wheels, slip, 1e-15);
    FILE *file = fopen("six.run/run.csv", "r"); // x_m is the third column
    char line[16384];
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file) != NULL) {
        double x;
        assert_int_equal(sscanf(line, "%*[^,],%*[^,],%lf", &x), 1); // NOLINT(cert-err34-c)
        last = fmax(last, x);
    }
    fclose(file);
    assert_near(last, top, 1e-9); // as many digits as the file has
    run = gr_run("run --from slope.db:99");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "there is no run 99; allowed: 1 to 8");
    assert_int_equal(gr_run("run --from slope.db")->exit_code, 2);
    assert_int_equal(gr_run("run --from slope.db:1 crossing")->exit_code, 2);
}

/// Parts that ran alone give the same table as one process.
static void merge_parts(void **state)
{
    (void)state;
    char whole[16384], parts[16384];
    assert_int_equal(gr_run("sweep slope.yaml -o parts.db --shard 2/2")->exit_code, 0);
    assert_int_equal(access("parts.db", F_OK), -1);
    assert_int_equal(gr_run("sweep slope.yaml -o parts.db --shard 1/2")->exit_code, 0);
    const GrRun *run = gr_run("campaign merge slope.yaml -o parts.db");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "merged 8 results into parts.db");
    assert_int_equal(gr_run("campaign export slope.db -o whole.csv")->exit_code, 0);
    assert_int_equal(gr_run("campaign export parts.db -o parts.csv")->exit_code, 0);
    gr_run_take("whole.csv", whole, sizeof whole);
    gr_run_take("parts.csv", parts, sizeof parts);
    assert_string_equal(whole, parts);
    run = gr_run("sweep slope.yaml --shard 3/2");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "found '3/2', expected I/N with I from 1 to N");
}

static void continue_a_study(void **state)
{
    (void)state;
    const GrRun *run = gr_run("sweep slope.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "8 of 8 runs done");
    run = gr_run("sweep slope.yaml --resume -o no.db");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "there is no study to go on with");
    gr_run_write("slope.yaml", "run: {function: {f: x}}\nvary: {x: [1, 2]}\n");
    run = gr_run("sweep slope.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "has changed since this study was made");
    assert_has(gr_run("campaign show slope.db")->out, "8 runs"); // nothing was lost
    run = gr_run("campaign export slope.db -o slope.parquet");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "found '.parquet', expected .csv or .json");
    assert_int_equal(gr_run("campaign export slope.db -o export_csv")->exit_code, 0);
    assert_int_equal(gr_run("campaign show slope.yaml")->exit_code, 2);
    assert_int_equal(gr_run("sweep slope.yaml -j 0")->exit_code, 2);
}

/// Rover, soil and lander are input as much as the scenario's own text: a study does not mix results of two versions.
static void changed_files(void **state)
{
    (void)state;
    static const struct {
        const char *file, *shipped, *from, *to;
    } files[] = {{"own_rover.yaml", "rovers/rashid_like", "wheel_width: 0.08", "wheel_width: 0.07"},
                 {"own_soil.yaml", "soils/lunar_apollo", "phi_deg: 35", "phi_deg: 36"},
                 {"own_lander.yaml", "landers/small_lunar", "foot: 0.85", "foot: 0.9"}};
    gr_run_write("own.yaml", "rover: ./own_rover.yaml\nsoil: ./own_soil.yaml\ngravity: moon\n"
                             "lander: {name: ./own_lander.yaml}\ndrive: {speed_mps: 0.1}\nstop: {time_s: 0.2}\n");
    gr_run_write("own_campaign.yaml", "run: {scenario: ./own.yaml}\nvary: {lander.heading_deg: [0, 10]}\n");
    for (int changed = -1; changed < 3; changed++) {
        for (int i = 0; i < 3; i++) {
            char line[600];
            snprintf(line, sizeof line, "sed 's/%s/%s/' " GR_TEST_SOURCE_DIR "/data/%s.yaml >%s", files[i].from,
                     i == changed ? files[i].to : files[i].from, files[i].shipped, files[i].file);
            assert_int_equal(system(line), 0);
        }
        const GrRun *run = gr_run("sweep own_campaign.yaml");
        assert_int_equal(run->exit_code, changed < 0 ? 0 : 2);
        assert_has(changed < 0 ? run->out : run->err, changed < 0 ? "2 of 2 runs done" : "has changed since");
    }
}

/// The optimum of Rosenbrock's function is (1, 1); with x + y ≤ 1 it is where the gradient of f is along (1, 1).
static void optimize_known(void **state)
{
    (void)state;
    gr_run_write("rosen.yaml", "run: {function: {f: \"100*(y - x^2)^2 + (1 - x)^2\"}}\n"
                               "vary: {x: {from: -2, to: 2}, y: {from: -2, to: 2}}\n"
                               "sample: {method: sobol}\n"
                               "optimize: {minimize: f, budget: 4000}\n");
    const GrRun *run = gr_run("optimize rosen.yaml --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(number_after(run->out, "\"x\""), 1, 1e-4);
    assert_near(number_after(run->out, "\"y\""), 1, 1e-4);
    gr_run_write("limit.yaml", "run: {function: {f: \"100*(y - x^2)^2 + (1 - x)^2\", s: x + y}}\n"
                               "vary: {x: {from: -2, to: 2}, y: {from: -2, to: 2}}\n"
                               "sample: {method: sobol}\n"
                               "optimize: {minimize: f, budget: 4000, limits: {s: {below: 1}}}\n");
    run = gr_run("optimize limit.yaml --json");
    assert_int_equal(run->exit_code, 0);
    // on x + y = 1: the root of d/dx [100 (1 - x - x²)² + (1 - x)²] = 0 near 0.62, by Newton's method
    double x = 0.62;
    for (int i = 0; i < 20; i++) {
        const double g = 1 - x - x * x, dg = -1 - 2 * x;
        const double slope = 200 * g * dg - 2 * (1 - x), curve = 200 * (dg * dg - 2 * g) + 2;
        x -= slope / curve;
    }
    assert_near(number_after(run->out, "\"x\""), x, 2e-3);
    assert_near(number_after(run->out, "\"y\""), 1 - x, 2e-3);
    assert_true(number_after(run->out, "\"violation\"") <= 0);
    assert_has(run->out, "The best design keeps all limits: f = ");
    assert_has(run->out, "\"feasible\": true");
    gr_run_write("nowhere.yaml", "run: {function: {f: x^2 + y^2, s: x + y}}\n"
                                 "vary: {x: {from: -2, to: 2}, y: {from: -2, to: 2}}\n"
                                 "sample: {method: sobol}\n"
                                 "optimize: {minimize: f, budget: 1000, limits: {s: {below: -5}}}\n");
    run = gr_run("optimize nowhere.yaml");
    assert_int_equal(run->exit_code, 0);
    static const char missed[] = "No design keeps all limits. The nearest one: s = -4 where s < -5 is asked for, "
                                 "missed by 20 %. At x = -2, y = -2.\n";
    assert_int_equal(strncmp(run->out, missed, strlen(missed)), 0);
    // The page begins with the design, not with the share of its runs that keep the limits.
    assert_int_equal(system("grep -A1 'class=\"tiles\">' limit.html | grep -qF '<span>answer</span><b>the best design"
                            "</b><span>keeps all limits</span>'"),
                     0);
    assert_int_equal(system("grep -A1 'class=\"tiles\">' nowhere.html | grep -qF '<b>no design</b>'"), 0);
    const GrRun *again = gr_run("optimize rosen.yaml --json"); // all from the study
    assert_int_equal(again->exit_code, 0);
    assert_near(number_after(again->out, "\"x\""), 1, 1e-4);
}

/// ZDT1: the front is f2 = 1 − √f1, from f1 = 0 to 1.
static void pareto_front(void **state)
{
    (void)state;
    gr_run_write("zdt1.yaml",
                 "run: {function: {f1: x1, f2: \"(1 + 4.5*(x2 + x3))*(1 - sqrt(x1/(1 + 4.5*(x2 + x3))))\"}}\n"
                 "vary: {x1: {from: 0, to: 1}, x2: {from: 0, to: 1}, x3: {from: 0, to: 1}}\n"
                 "sample: {method: sobol}\n"
                 "optimize: {minimize: [f1, f2], budget: 5000}\n");
    const GrRun *run = gr_run("optimize zdt1.yaml --json");
    assert_int_equal(run->exit_code, 0);
    double smallest = INFINITY, largest = -INFINITY;
    int count = 0;
    const char *best = strstr(run->out, "\"best\""), *end = strstr(run->out, "\"history\"");
    for (const char *at = strstr(best, "\"f1\""); at != NULL && at < end; at = strstr(at + 1, "\"f1\"")) {
        const double f1 = number_after(at, "\"f1\""), f2 = number_after(at, "\"f2\"");
        assert_true(f1 < 1e-6 || fabs(f2 - (1 - sqrt(f1))) < 0.01); // at f1 = 0 any f2 is on the front
        smallest = fmin(smallest, f1);
        largest = fmax(largest, f1);
        count++;
    }
    assert_true(count >= 50);
    assert_true(smallest < 0.01 && largest > 0.99);
}

/// Ishigami's function: first order 0.314, 0.442, 0; in total 0.558, 0.442, 0.244 (closed form).
static void sensitivity_known(void **state)
{
    (void)state;
    static const double first[] = {0.3139, 0.4424, 0}, total[] = {0.5576, 0.4424, 0.2437};
    gr_run_write("ishigami.yaml", "run: {function: {f: \"sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)\"}}\n"
                                  "vary:\n"
                                  "  x1: {from: -3.141592653589793, to: 3.141592653589793}\n"
                                  "  x2: {from: -3.141592653589793, to: 3.141592653589793}\n"
                                  "  x3: {from: -3.141592653589793, to: 3.141592653589793}\n"
                                  "sample: {method: sobol}\n"
                                  "sensitivity: {method: sobol, count: 4096}\n");
    const GrRun *run = gr_run("sensitivity ishigami.yaml --json");
    assert_int_equal(run->exit_code, 0);
    const char *at = run->out;
    for (int i = 0; i < 3; i++) {
        at = strstr(at + 1, "\"path\"");
        assert_non_null(at);
        assert_near(number_after(at, "\"first\""), first[i], 0.02);
        assert_near(number_after(at, "\"total\""), total[i], 0.02);
    }
    assert_has(gr_run("sensitivity ishigami.yaml")->out, "f depends most on x1: 5"); // 55.8 % of the variance
    // slopes of a linear function, per unit of the variables
    gr_run_write("linear.yaml",
                 "run: {function: {f: 3*a - 2*b}}\nvary: {a: {from: 0, to: 10}, b: {from: 1, to: 100, scale: log}}\n"
                 "sample: {method: sobol}\nsensitivity: {method: local}\n");
    run = gr_run("sensitivity linear.yaml --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(number_after(run->out, "\"slope\""), 3, 1e-9);
    assert_near(number_after(strstr(run->out, "\"b\""), "\"slope\""), -2, 1e-3);
}

/// The rig and the tests give what their own commands print.
static void other_subjects(void **state)
{
    (void)state;
    gr_run_write("rig.yaml", "run: {wheel: {soil: dlr_d2, radius: 0.1, width: 0.1, load: 60}}\n"
                             "vary: {slip: [0.1, 0.3]}\n");
    assert_int_equal(gr_run("sweep rig.yaml")->exit_code, 0);
    assert_int_equal(gr_run("campaign export rig.db -o rig.json")->exit_code, 0);
    char table[4096];
    gr_run_take("rig.json", table, sizeof table);
    const double pull = number_after(strstr(table, "\"id\": 2,"), "\"fx_N\"");
    const GrRun *run = gr_run("wheel --soil dlr_d2 --radius 0.1 --width 0.1 --load 60 --slip 0.3 --json");
    assert_near(number_after(strstr(run->out, "\"points\""), "\"fx_N\""), pull, 1e-12);
    gr_run_write("drop.yaml", "run: {test: drop, rover: rashid_like, options: {heights: 20, limit: 1}}\n"
                              "vary: {gravity: [moon, mars]}\n");
    run = gr_run("sweep drop.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "2 of 2 runs done");
}

/// The best rover as a file: a good file, with which the scenario ends in the same state as the best run.
static void best_rover(void **state)
{
    (void)state;
    gr_run_write("radius.yaml", "run: {scenario: gradeability, set: [stop.time_s=1]}\n"
                                "vary: {\"rover:params.wheel_radius\": {from: 0.08, to: 0.14}}\n"
                                "measure: {slip: wheels.slip_mean}\n"
                                "optimize: {minimize: slip, budget: 8}\n");
    const GrRun *run = gr_run("optimize radius.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "radius_best.yaml, radius_best_rover.yaml");
    assert_int_equal(gr_run("check radius_best_rover.yaml")->exit_code, 0);
    assert_int_equal(gr_run("show rover ./radius_best_rover.yaml")->exit_code, 0);
    char hash[40] = "", other[40] = "";
    run = gr_run("run radius_best.yaml -o best.run");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(sscanf(strstr(run->out, "state hash"), "state hash %39s", hash), 1);
    run = gr_run("run gradeability --set stop.time_s=1 --set rover=./radius_best_rover.yaml -o rover.run");
    assert_int_equal(run->exit_code, 0);
    assert_int_equal(sscanf(strstr(run->out, "state hash"), "state hash %39s", other), 1);
    assert_string_equal(hash, other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_and_export),
        cmocka_unit_test(question),
        cmocka_unit_test(sample_soils),
        cmocka_unit_test(sample_fitted_wheels),
        cmocka_unit_test(test_headline_of_climbs),
        cmocka_unit_test(sample_worlds),
        cmocka_unit_test(sample_fitted_wheels),
        cmocka_unit_test(repeat_a_run),
        cmocka_unit_test(merge_parts),
        cmocka_unit_test(continue_a_study),
        cmocka_unit_test(changed_files),
        cmocka_unit_test(optimize_known),
        cmocka_unit_test(pareto_front),
        cmocka_unit_test(sensitivity_known),
        cmocka_unit_test(other_subjects),
        cmocka_unit_test(best_rover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
