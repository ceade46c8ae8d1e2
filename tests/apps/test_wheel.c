#include "file.h"
#include "json_check.h"
#include "run_command.h"
#include "xml_check.h"

#define BANDED "wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load 64.68 "
#define WHEEL  BANDED "--uncertainty 0 "

/// The number after the n-th `"key": ` in JSON; NAN when there is none.
static double nth_number(const char *json, const char *key, int n)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *at = json;
    for (int i = 0; i <= n; i++) {
        at = strstr(i == 0 ? at : at + 1, pattern);
        if (at == NULL) {
            return (double)NAN;
        }
    }
    return strtod(at + strlen(pattern), NULL);
}

static void test_json(void **state)
{
    (void)state;
    const GrRun *run = gr_run(WHEEL "--slip 0.1 --slip-angle 5 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_string_equal(run->err, "");
    assert_has(run->out, "\n      \"slip\": 0.1,\n      \"slip_angle_deg\": 5,");
    assert_near(nth_number(run->out, "fz_N", 0), 64.68, 1e-6);
    assert_near(nth_number(run->out, "fx_N", 0), 4.920, 0.002 * 4.920);
    // towed and self-propelled points come after the points
    assert_near(nth_number(run->out, "torque_Nm", 1), 0, 1e-6);
    assert_near(nth_number(run->out, "fx_N", 2), 0, 1e-6);
}

/// What changes nothing is warned about, and what is warned about changes nothing: the points are the same bytes.
static void test_ignored(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *option, *warning;
    } rows[] = {
        {"--model bekker", "--set a1=0.3", "warning: a1: has no effect with the law bekker"},
        {"--model ding", "--set skid_flow=two_zones", "skid_flow: has no effect with the law ding"},
        {"", "--set side_bulldozing_drag=0.4", "it needs side_bulldozing"},
        {"", "--set damping=500", "steady forces do not depend on it"},
        {"", "--set k_phi_reece=500", "it needs pressure: reece"},
        {"", "--gravity moon", "--gravity: has no effect here"},
        {"", "--cell 0.02", "--cell: has no effect here: it needs the law scm, or rft with --flow"},
        {"--soil cmu_soildirect90_rft", "--flow", "--flow: has no effect here: it needs the law scm, or rft with heap"},
        {"--soil cmu_soildirect90_rft", "--set heap=1", "it needs the flow of soil"},
        {"", "--speed 0.1", "--speed: has no effect here"},
        {"", "--grouser-model lugs", "--grouser-model: has no effect here"},
        {"--model scm", "--slices 4", "--slices: has no effect here"},
        {"--model scm", "--set repose=30", "it needs the flow of soil"},
    };
    static char line[512], before[65536], after[65536];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(line, sizeof line, WHEEL "--slip 0.2 --slip-angle 10 --csv wheel_ignored.csv --json %s",
                 rows[i].arguments);
        const GrRun *run = gr_run(line);
        assert_string_equal(run->err, "wrote wheel_ignored.csv\n");
        gr_run_take("wheel_ignored.csv", before, sizeof before);
        snprintf(line + strlen(line), sizeof line - strlen(line), " %s", rows[i].option);
        run = gr_run(line);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->err, rows[i].warning);
        gr_run_take("wheel_ignored.csv", after, sizeof after);
        assert_string_equal(after, before);
    }
    // K sets both moduli; with one modulus that is no mistake.
    const GrRun *run = gr_run(WHEEL "--slip 0.2 --set shear=combined --set K=0.06 --json");
    assert_string_equal(run->err, "");
    // A side wall that pushes: --set side_bulldozing=mesh is read.
    run = gr_run(WHEEL "--slip 0.2 --slip-angle 15 --json");
    const double plain = nth_number(run->out, "fy_N", 0);
    run = gr_run(WHEEL "--slip 0.2 --slip-angle 15 --set side_bulldozing=mesh --json");
    assert_string_equal(run->err, "");
    assert_true(nth_number(run->out, "fy_N", 0) > plain + 0.5);
}

static void test_table(void **state)
{
    (void)state;
    const GrRun *run = gr_run(WHEEL "--slip 0:0.8:5");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "ishigami2007, wong_reece; wheel r = 0.09 m, b = 0.11 m; load 64.68 N");
    assert_has(run->out, "sinkage [mm]");
    assert_has(run->out, "towed (T = 0)");
    assert_has(run->out, "self-propelled (f_x = 0)");
    assert_null(strstr(run->out, "f_y"));
    run = gr_run(WHEEL "--slip=-0.5,0.5 --slip-angle 0,10");
    assert_has(run->out, "f_y [N]");
    assert_has(run->out, "β [°]");
}

static void test_files(void **state)
{
    (void)state;
    gr_run_write("wheel_data.csv", "slip,slip_angle_deg,fx_N,sinkage_mm\n0.1,0,5,15\n0.5,0,20,16\n0.5,15,18,16\n");
    const GrRun *run = gr_run(WHEEL "--data wheel_data.csv -o wheel_out --csv wheel_points.csv");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote wheel_points.csv");
    assert_has(run->out, "wrote wheel_out/wheel.html");
    assert_has(run->out, "difference from wheel_data.csv");
    char *text;
    size_t size;
    assert_int_equal(gr_file_read("wheel_out/wheel.html", 1u << 24, &text, &size, NULL), GR_OK);
    assert_has(text, "Drawbar pull");
    assert_has(text, "How far to trust this");
    assert_has(text, "misses the measured pull of a wheel in dry sand by ");
    assert_has(text, "β = 15°");
    assert_has(text, "<svg");
    free(text);
    assert_int_equal(gr_file_read("wheel_points.csv", 1u << 24, &text, &size, NULL), GR_OK);
    assert_has(text, "soil,model,slip,slip_angle_deg,sinkage_m,fx_N,fy_N,fz_N,torque_Nm");
    free(text);
    // What it writes, it reads.
    run = gr_run(WHEEL "--data wheel_points.csv --slip 0.2 --json");
    assert_int_equal(run->exit_code, 0);
    assert_near(nth_number(strstr(run->out, "rms_difference"), "fx_N", 0), 0, 1e-7);
    unlink("wheel_data.csv");
    unlink("wheel_points.csv");
    unlink("wheel_out/wheel.html");
    rmdir("wheel_out");
}

static void test_compare(void **state)
{
    (void)state;
    const GrRun *run = gr_run(WHEEL "--slip 0.3 --compare bekker,ding,dlr_d2 --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"model\": \"bekker\"");
    assert_has(run->out, "\"model\": \"ding\"");
    assert_has(run->out, "\"soil\": \"dlr_d2\"");
    run = gr_run("wheel --compare hit_lss1,lunar_apollo --radius 0.09 --width 0.11 --load 50 --slip 0.3");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "lunar_apollo, wong_reece");
}

static void test_dynamic(void **state)
{
    (void)state;
    static char still[sizeof((GrRun *)0)->out];
    snprintf(still, sizeof still, "%s", gr_run(WHEEL "--slip 0.4 --slip-angle 10 --json")->out);
    const GrRun *run = gr_run(WHEEL "--slip 0.4 --slip-angle 10 --dynamic --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "distance_to_steady_m");
    static const char *const keys[] = {"sinkage_m", "fx_N", "fy_N", "fz_N", "torque_Nm"};
    for (int i = 0; i < 5; i++) {
        assert_near_rel(nth_number(run->out, keys[i], 0), nth_number(still, keys[i], 0), 1e-4);
    }
}

static void test_rover(void **state)
{
    (void)state;
    const GrRun *run = gr_run("wheel --soil lunar_apollo --rover rashid_like --gravity moon --slip 0.2 --json");
    assert_int_equal(run->exit_code, 0);
    const double moon = nth_number(run->out, "fz_N", 0);
    run = gr_run("wheel --soil lunar_apollo --rover rashid_like --slip 0.2 --json");
    assert_near_rel(nth_number(run->out, "fz_N", 0), moon * 9.80665 / 1.62, 1e-3);
    // All of the wheel, its grousers' thickness too, which rft reads.
    const double taken =
        nth_number(gr_run("wheel --soil grc1_loose_rft --rover ex1_like --load 60 --slip 0.2 --json")->out, "fx_N", 0);
    const double given = nth_number(gr_run("wheel --soil grc1_loose_rft --rover ex1_like --load 60 --slip 0.2 --json "
                                           "--grousers 14,0.02,0.002")
                                        ->out,
                                    "fx_N", 0);
    assert_near(taken, given, 1e-9);
    run = gr_run("wheel --soil lunar_apollo --rover rashid_like --wheel nose --slip 0.2");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "there is no wheel 'nose'");
}

static void test_set_and_grousers(void **state)
{
    (void)state;
    const double plain = nth_number(gr_run(WHEEL "--slip 0.3 --json")->out, "fx_N", 0);
    assert_true(nth_number(gr_run(WHEEL "--slip 0.3 --set phi=30 --json")->out, "fx_N", 0) < plain);
    const double large = nth_number(gr_run(WHEEL "--slip 0.3 --grousers 12,0.01 --json")->out, "fx_N", 0);
    const double same = nth_number(
        gr_run("wheel --soil ishigami2007 --radius 0.1 --width 0.11 --load 64.68 --slip 0.3 --json")->out, "fx_N", 0);
    assert_near(large, same, 1e-9);
    const GrRun *run = gr_run(WHEEL "--slip 0.3 --grousers 12,0.01,0.002 --grouser-model lugs --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(nth_number(run->out, "fx_ripple_N", 0) > 0);
}

/// A wheel that rolls freely is held back by more, and one that drives pulls as before.
static void test_skid_flow(void **state)
{
    (void)state;
    static const char two[] = WHEEL "--slip 0,0.2 --set skid_flow=two_zones --json";
    const double one_free = nth_number(gr_run(WHEEL "--slip 0,0.2 --json")->out, "fx_N", 0);
    const double one_driven = nth_number(gr_run(WHEEL "--slip 0,0.2 --json")->out, "fx_N", 1);
    assert_true(nth_number(gr_run(two)->out, "fx_N", 0) < one_free - 0.02 * 64.68);
    assert_near(nth_number(gr_run(two)->out, "fx_N", 1), one_driven, 1e-9);
}

/// A mesh of a cylinder is the cylinder; what is not a wheel is refused.
static void test_mesh(void **state)
{
    (void)state;
    static const char *const sand = "wheel --soil grc1_loose_rft --load 60 --slip 0.3 --json";
    char line[200];
    assert_int_equal(
        gr_run("asset wheel --radius 0.1 --width 0.08 --grousers 0 --segments 48 -o mesh_wheel.obj")->exit_code, 0);
    snprintf(line, sizeof line, "%s --mesh mesh_wheel.obj", sand);
    const GrRun *run = gr_run(line);
    assert_int_equal(run->exit_code, 0);
    const double sinkage = nth_number(run->out, "sinkage_m", 0), pull = nth_number(run->out, "fx_N", 0);
    snprintf(line, sizeof line, "%s --radius 0.1 --width 0.08", sand);
    run = gr_run(line);
    assert_near_rel(sinkage, nth_number(run->out, "sinkage_m", 0), 0.02);
    assert_near(pull, nth_number(run->out, "fx_N", 0), 0.01 * 60);
    snprintf(line, sizeof line, "%s --mesh mesh_wheel.obj --width 0.08", sand);
    run = gr_run(line);
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--mesh: has the wheel");
    run = gr_run("wheel --soil ishigami2007 --load 60 --slip 0.3 --mesh mesh_wheel.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "needs the law rft");
    assert_int_equal(gr_run("asset rock -o mesh_wheel.obj")->exit_code, 0);
    snprintf(line, sizeof line, "%s --mesh mesh_wheel.obj", sand);
    run = gr_run(line);
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "mesh_wheel.obj: error: no wheel: ");
    unlink("mesh_wheel.obj");
}

static void test_warnings(void **state)
{
    (void)state;
    const GrRun *run = gr_run("wheel --soil cmu_soildirect90 --radius 0.058 --width 0.05 --load 20 --slip=-0.5,0.5");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "warning: 1 of 2 points: slip outside the soil's fitted range");
    run = gr_run(WHEEL "--slip 0.2 --model rheological --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "has no numbers for the law rheological; its defaults are used: stiffness = 20000");
    run = gr_run("wheel --soil wong_snow_us --radius 0.09 --width 0.11 --load 1000 --slip 0.2,0.3 --json");
    assert_int_equal(run->exit_code, 1);
    assert_has(run->err, "no point has an equilibrium");
}

/// A deformable grid compared with the steady law.
static void test_grid(void **state)
{
    (void)state;
    const GrRun *run = gr_run(WHEEL "--slip 0.2 --compare scm --cell 0.015 --flow --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"model\": \"scm\"");
    assert_has(run->out, "\"model\": \"wong_reece\"");
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
        int exit_code;
    } cases[] = {
        {"wheel --radius 0.09 --width 0.11 --load 64", "--soil: is needed", 2},
        {"wheel --soil ishigami2007 --load 64", "--radius and --width are needed", 2},
        {"wheel --soil ishigami2007 --radius 0.09 --width 0.11", "--load or --sinkage is needed", 2},
        {WHEEL "--sinkage 0.01", "not both", 2},
        {WHEEL "--slip 1.5", "1.5 is out of range; allowed: -1 to 1", 2},
        {WHEEL "--slip 0:1", "lacks the count of a range", 2},
        {WHEEL "--slip a,b", "is not a list of numbers", 2},
        {WHEEL "--slip-angle 90", "90 is out of range", 2},
        {WHEEL "--model wong", "did you mean 'wong_reece'?", 2},
        {WHEEL "--set k_ph=3", "unknown key 'k_ph'", 2},
        {WHEEL "--set phi=80", "80 is out of range; allowed: 0 to 60", 2},
        {WHEEL "--grousers 12", "COUNT,HEIGHT", 2},
        {WHEEL "--model scm --cell 0.5", "at most the wheel's radius", 2},
        {WHEEL "--model scm --set rebound=0.9", "0.9 is out of range; allowed: 0.001 to 0.3", 2},
        {BANDED "--uncertainty 1", "found '1', allowed: 0, or a whole number from 2 to 1024", 2},
        {BANDED "--uncertainty few", "found 'few', allowed", 2},
        {WHEEL "--data none.csv", "none.csv: error: cannot be read", 2},
        {WHEEL "--slip 0.1 --html no/such/folder/x.html", "cannot be written", 1},
        {"wheel --soil ishigami20 --radius 0.09 --width 0.11 --load 64", "did you mean 'ishigami2007'?", 2},
        {"wheel --soil dlr_d2 --radius 0.09 --width 0.003 --load 5 --slip 0.1", "k_c/b + k_phi", 2},
        {"wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load -3 --slip 0.1", "must be above 0", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].arguments);
        assert_has(run->err, cases[i].message);
        assert_int_equal(run->exit_code, cases[i].exit_code);
    }
}

#define SAND                                                                                                           \
    "law: wong_reece\nk_c_N_per_m_n1: 0\nk_phi_N_per_m_n2: 814e3\nn0: 1\nc_Pa: 800\nphi_deg: 35\nK_x_m: 0.03\nK_y_m: " \
    "0.03\na1: 0.4\n"                                                                                                  \
    "a2: 0.15\nlambda: 0.3\nspread:\n  kind: fit\n  source: made up\n"

/// Pull grows with phi alone, so the ends of its band are pulls at the quantiles of phi.
static void test_bands(void **state)
{
    (void)state;
    static const char rig[] = "wheel --soil band.yaml --radius 0.09 --width 0.11 --load 60 --slip 0.3 --json ";
    char line[300];
    gr_run_write("band.yaml", SAND "  parameters: {phi: {uniform: {lower: 30, upper: 40}}}\n");
    snprintf(line, sizeof line, "%s --uncertainty 100 --csv band.csv", rig);
    static GrRun run;
    run = *gr_run(line);
    assert_int_equal(run.exit_code, 0);
    assert_true(gr_json_valid(run.out));
    // 5 % of 30 to 40 is 30.5; a hundred samples know it to their spacing of 0.1
    static const double phis[2][2] = {{30.4, 30.6}, {39.4, 39.6}};
    static const char *const keys[] = {"fx_N_low", "fx_N_high"};
    for (int i = 0; i < 2; i++) {
        double ends[2];
        for (int k = 0; k < 2; k++) {
            snprintf(line, sizeof line, "%s --uncertainty 0 --set phi=%g", rig, phis[i][k]);
            ends[k] = nth_number(gr_run(line)->out, "fx_N", 0);
        }
        const double end = nth_number(run.out, keys[i], 0);
        assert_true(end >= ends[0] && end <= ends[1]);
    }
    assert_has(run.out, "\"uncertainty_samples\": 100");
    assert_null(strstr(run.out, "prediction")); // no errors of a fit are known
    // what it writes, it reads
    const GrRun *read = gr_run(BANDED "--data band.csv --slip 0.3 --uncertainty 0 --json");
    assert_int_equal(read->exit_code, 0);
    // the law differs, the samples do not
    snprintf(line, sizeof line, "%s --compare bekker", rig);
    read = gr_run(line);
    assert_int_equal(strncmp(read->out, "{\n  \"verdict\": \"", 16), 0);
    const double low = nth_number(read->out, "difference_low", 0), high = nth_number(read->out, "difference_high", 0);
    const double more = nth_number(read->out, "difference", 0);
    assert_true(low < more && more < high);
    const char *sweep = strstr(read->out, "\"max_drawbar_pull\"");
    assert_true(high - low < 0.5 * (nth_number(sweep, "fx_N_high", 0) - nth_number(sweep, "fx_N_low", 0)));
    unlink("band.csv");
    unlink("band.yaml");
}

/// What a fit left over is added to a law that is known well, and more of it outside the measured conditions.
static void test_fitted_bands(void **state)
{
    (void)state;
    gr_run_write("fitted.yaml", SAND "  parameters: {phi: {uniform: {lower: 34.9999, upper: 35.0001}}}\n"
                                     "  errors:\n    fx_per_load: {residual: 0.02, discrepancy: 0.05}\n"
                                     "    sinkage_per_radius: {residual: 0.01}\n"
                                     "  range: {slip: [-0.5, 0.5], load_N: [50, 70]}\n");
    static const char rig[] = "wheel --soil fitted.yaml --radius 0.09 --width 0.11 --load 60 --slip 0.3,0.6";
    char line[300];
    snprintf(line, sizeof line, "%s --json", rig);
    static GrRun run;
    run = *gr_run(line);
    assert_int_equal(run.exit_code, 0);
    const char *outside = strstr(run.out, "extrapolated"), *inside = strstr(run.out, "interpolated");
    assert_true(inside != NULL && outside != NULL && inside < outside);
    static const double width = 2 * 1.6448536269514722, tolerance = 1e-3;
    const double halfway = sqrt((0.02 * 0.02 + 0.05 * 0.05) / 2); // 0.1 of slip beyond the data
    for (int i = 0; i < 2; i++) {
        assert_near(nth_number(run.out, "fx_N_high", i) - nth_number(run.out, "fx_N_low", i),
                    width * (i == 0 ? 0.02 : halfway) * 60, tolerance);
        assert_near(nth_number(run.out, "sinkage_m_high", i) - nth_number(run.out, "sinkage_m_low", i),
                    width * 0.01 * 0.09, tolerance * 0.09);
    }
    const GrRun *told = gr_run(rig);
    assert_has(told->out, "extrapolated: 1 of 2 points");
    assert_has(told->out, "Pulls at most ");
    assert_has(told->out, " (90 %: ");
    snprintf(line, sizeof line, "%s --html fitted.html --uncertainty 8", rig);
    assert_int_equal(gr_run(line)->exit_code, 0);
    static char page[400000];
    gr_run_take("fitted.html", page, sizeof page);
    assert_has(page, "Bands contain 90 % of 8 samples");
    unlink("fitted.yaml");
}

#define MOTION "wheel --soil ishigami2007 --radius 0.09 --width 0.11 --motion "

/// A motion from a file: what the file has measured comes beside the answer, and the trench is written.
static void test_motion(void **state)
{
    (void)state;
    static const char file[] = "t,x_m,fz_N,wheel_speed_rad_per_s,fx_N\n0,0,64.68,0.7,1\n4,0.2,64.68,0.7,1\n"
                               "8,0.4,64.68,0.7,1\n";
    GrErrorLog log = {0};
    assert_int_equal(gr_file_write("./motion.csv", file, strlen(file), &log), GR_OK);
    const GrRun *run = gr_run(MOTION "motion.csv --columns time_s=t -o moved --trench trench.csv --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    const double pull = nth_number(run->out, "fx_N", 2), beside = nth_number(run->out, "fx_N_difference", 2);
    assert_true(pull > 5 && pull < 20);
    assert_near(beside, pull - 1, 1e-6);
    assert_true(nth_number(run->out, "trench_depth_m", 0) > 0.01);
    char *text = NULL;
    size_t size;
    assert_int_equal(gr_file_read("./moved/wheel.csv", 1 << 20, &text, &size, &log), GR_OK);
    assert_has(text, "sinkage_m,sinkage_m_low,sinkage_m_high,fx_N,fx_N_low,fx_N_high,fx_N_measured,fx_N_difference,");
    free(text);
    assert_true(nth_number(run->out, "fx_N_low", 2) < pull - 1 && nth_number(run->out, "fx_N_high", 2) > pull + 1);
    assert_int_equal(gr_file_read("./moved/wheel.html", 1 << 20, &text, &size, &log), GR_OK);
    assert_has(text, "samples of the soil");
    free(text);
    assert_int_equal(gr_file_read("./trench.csv", 1 << 20, &text, &size, &log), GR_OK);
    assert_has(text, "x_m,y_m,height_m\n");
    free(text);
    static const struct {
        const char *arguments, *message;
    } bad[] = {
        {"motion.csv", "the column time_s is missing"},
        {"motion.csv --columns time_s=tt", "motion.csv:1: error: --columns: there is no column 'tt'"},
        {"motion.csv --columns tim_s=t", "did you mean 'time_s'"},
        {"motion.csv --columns time_s=t --control z=load", "allowed: x, y or z =position or =force"},
        {"motion.csv --columns time_s=t --control y=force", "the axis y needs the column y_m or fy_N"},
        {"motion.csv --columns time_s=x_m --columns x_m=t --load 10", "--load: has no place beside --motion"},
        {"motion.csv --columns time_s=fx_N", "motion.csv:3: error: time_s: found 1 after 1, but time must increase"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char line[400];
        snprintf(line, sizeof line, MOTION "%s", bad[k].arguments);
        run = gr_run(line);
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, bad[k].message);
    }
    run = gr_run(MOTION "motion.csv --columns time_s=t --uncertainty 0 --json");
    assert_true(strstr(run->out, "_low") == NULL);
    run = gr_run("wheel --soil cmu_fit --radius 0.058 --width 0.05 --motion motion.csv --columns time_s=t "
                 "--uncertainty 4 --json");
    assert_has(run->out, "\"prediction\": \"extrapolated\"");
    run = gr_run(WHEEL "--slip 0.1 --trench trench.csv");
    assert_has(run->err, "--trench: has no effect here: it needs --motion");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),      cmocka_unit_test(test_motion),
        cmocka_unit_test(test_ignored),   cmocka_unit_test(test_table),
        cmocka_unit_test(test_files),     cmocka_unit_test(test_compare),
        cmocka_unit_test(test_dynamic),   cmocka_unit_test(test_grid),
        cmocka_unit_test(test_rover),     cmocka_unit_test(test_set_and_grousers),
        cmocka_unit_test(test_skid_flow), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_mesh),
        cmocka_unit_test(test_bands),     cmocka_unit_test(test_fitted_bands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
