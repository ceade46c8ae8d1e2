#include "json_check.h"
#include "run_command.h"

#include <fcntl.h>
#include <sys/resource.h>

static const char BROKEN[] = "name: broken\n"
                             "bodies:\n"
                             "  chassis:\n"
                             "    mas_kg: 3\n";

static void test_good_files(void **state)
{
    (void)state;
    const GrRun *run = gr_run("check " GR_TEST_SOURCE_DIR "/data/rovers/*.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "curiosity_like.yaml: ok\n");
    assert_string_equal(run->err, "");
}

/// Shipped files give no warning but two: that their soil pulls the rover's wheels forward without slip, and that it
/// was measured on Earth and is used on another planet.
static void test_shipped_files(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("check " GR_TEST_SOURCE_DIR "/data/soils/*.yaml " GR_TEST_SOURCE_DIR "/data/scenarios/*.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "error:")); // infos may be there
    for (const char *at = strstr(run->err, "warning:"); at != NULL; at = strstr(at + 1, "warning:")) {
        const char *end = strchr(at, '\n'), *pulls = strstr(at, "of its load of"),
                   *earth = strstr(at, "was fitted under");
        assert_non_null(end);
        assert_true((pulls != NULL && pulls < end) || (earth != NULL && earth < end));
    }
}

/// A soil file says something that its law cannot read: a warning at its line, and none about what has a source.
static void test_ignored(void **state)
{
    (void)state;
    gr_run_write("check_soil.yaml",
                 "law: bekker\nk_c_N_per_m_n1: 1370\nk_phi_N_per_m_n2: 814e3\nn0: 1\nc_Pa: 800\n"
                 "phi_deg: 37\nK_x_m: 0.03\nK_y_m: 0.03\na1: 0.4\nlambda: 1\nbearing_c: 30\n"
                 "side_bulldozing: mesh\ndensity_kg_per_m3: 1500\nsources: [{published: somewhere, of: [lambda]}]\n");
    const GrRun *run = gr_run("check check_soil.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "check_soil.yaml: ok, with 2 warnings");
    assert_has(run->err, "check_soil.yaml:9: warning: a1: has no effect with the law bekker");
    assert_has(run->err, "check_soil.yaml:11: warning: bearing_c: has no effect with the law bekker of the soil "
                         "check_soil: it needs front_bulldozing");
    assert_null(strstr(run->err, "lambda"));
    unlink("check_soil.yaml");
}

#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
/// Largest memory of a run, as the kernel counts it [MB].
static double memory_of_run(const char *scenario)
{
    struct rusage usage;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execl(GR_TEST_COMMAND, "grouser", "run", scenario, "-o", "check_memory", (char *)NULL);
        _exit(127);
    }
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    return 1.024e-3 * (double)usage.ru_maxrss;
}

/// What a check says of memory holds within a factor of 1.5: on a plane, on a map, with the law scm, with rocks, with
/// traces.
static void test_expected_memory(void **state)
{
    (void)state;
#ifdef GR_TEST_SANITIZED
    skip(); // sanitizers take their own memory
#endif
    static const char *const SCENARIOS[] = {
        "rover: rashid_like\nsoil: ishigami2007\ndrive: {path: [[5, 0]]}\nstop: {time_s: 20}\n",
        "rover: rashid_like\nsoil: ishigami2007\nterrain: {size_m: 200, cell_m: 0.1, add: [fractal: {rms_m: 0.05}]}\n"
        "drive: {path: [[5, 0]]}\nstop: {time_s: 20}\n",
        "rover: rashid_like\nsoil: {use: ishigami2007, law: scm}\ndrive: {path: [[5, 0]]}\nstop: {time_s: 5}\n",
        "rover: rashid_like\nsoil: ishigami2007\nterrain: {size_m: 100, cell_m: 0.2, rocks: {k: 0.05, smallest_m: "
        "0.1}}\n"
        "drive: {path: [[5, 0]]}\nstop: {time_s: 10}\n",
        "rover: rashid_like\nsoil: ishigami2007\nruts: trace\ndrive: {path: [[5, 0]]}\nstop: {time_s: 20}\n"};
    for (size_t i = 0; i < sizeof SCENARIOS / sizeof *SCENARIOS; i++) {
        gr_run_write("check_memory.yaml", SCENARIOS[i]);
        const GrRun *run = gr_run("check check_memory.yaml --json");
        assert_int_equal(run->exit_code, 0);
        const char *at = strstr(run->out, "\"expected_memory_MB\": ");
        assert_non_null(at);
        const double expected = strtod(at + strlen("\"expected_memory_MB\": "), NULL);
        const double used = memory_of_run("check_memory.yaml");
        print_message("expected %.1f MB, used %.1f MB\n", expected, used);
        assert_true(used < 1.5 * expected && expected < 1.5 * used);
    }
    unlink("check_memory.yaml");
}
#endif

/// The reference integrator takes minutes on a grid: that is said before.
static void test_slow_integrator(void **state)
{
    (void)state;
    static const char *const LAWS[] = {"bekker", "scm"};
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "rover: rashid_like\nsoil: {use: ishigami2007, law: %s}\nstep: {integrator: cvode}\n"
                 "stop: {time_s: 60}\n",
                 LAWS[i]);
        gr_run_write("check_slow.yaml", text);
        const GrRun *run = gr_run("check check_slow.yaml");
        if (run->exit_code != 0) { // built without it
            assert_has(run->err, "(CVODE of SUNDIALS): not in this build");
            continue;
        }
        assert_int_equal(strstr(run->err, "step.integrator: cvode resolves every row of nodes") != NULL, i == 1);
        assert_int_equal(strstr(run->err, "here about 20 minutes and more") != NULL, i == 1);
    }
    unlink("check_slow.yaml");
}

/// A model without wheels is legal, but no run takes it.
static void test_no_wheels(void **state)
{
    (void)state;
    gr_run_write("check_wheels.yaml",
                 "name: hull\nbodies: {chassis: {mass_kg: 10, inertia_of: {box: {size_m: [1, 1, 0.3]}}}}\n");
    const GrRun *run = gr_run("check check_wheels.yaml");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "check_wheels.yaml: ok, with 1 warning");
    assert_has(run->err, "wheels: none: this rover can be shown");
    unlink("check_wheels.yaml");
}

/// All files are looked at, and one bad one decides.
static void test_bad_file(void **state)
{
    (void)state;
    gr_run_write("check_broken.yaml", BROKEN);
    const GrRun *run = gr_run("check check_broken.yaml " GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "check_broken.yaml:4:");
    assert_has(run->err, "mas_kg");
    assert_has(run->err, "mass_kg");
    assert_has(run->out, "curiosity_like.yaml: ok\n");

    run = gr_run("check --json check_broken.yaml none.yaml");
    assert_int_equal(run->exit_code, 2);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"line\": 4");
    assert_has(run->out, "\"ok\": false");
    assert_has(run->out, "No such file");
    assert_string_equal(run->err, "");
    unlink("check_broken.yaml");
}

static void test_override(void **state)
{
    (void)state;
    const GrRun *run =
        gr_run("check " GR_TEST_SOURCE_DIR "/data/rovers/curiosity_like.yaml --set bodies.chassis.mass_kg=-1");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "mass");
}

/// A rover without a side file gets one, which is found by its name and is not replaced by mistake.
static void test_side_file_of_a_urdf(void **state)
{
    (void)state;
    assert_int_equal(system("cp -r '" GR_TEST_SOURCE_DIR "/tests/scenario/urdf/leo' ."), 0);
    const GrRun *run = gr_run("rover from-urdf leo/leo.urdf --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"file\": \"leo/leo.grouser.yaml\"");
    assert_has(run->out, "\"wheels\": 4");
    run = gr_run("check leo/leo.urdf");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "leo/leo.urdf: ok, with 5 warnings");
    run = gr_run("rover from-urdf leo/leo.urdf");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "leo/leo.grouser.yaml: error: exists; --force replaces it");
    run = gr_run("rover from-urdf leo/leo.urdf --force --massless 0");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--massless: found 0, allowed: more than 0 kg");
    run = gr_run("check leo/leo.urdf --set wheels.wheel_FL_link.radius_m=0.05 --json");
    assert_int_equal(run->exit_code, 2);
    const char *error = strstr(run->out, "\"severity\": \"error\""),
               *warning = strstr(run->out, "\"severity\": \"warning\"");
    assert_true(error != NULL && warning != NULL && error < warning);
    assert_has(run->out, "reaches 0.0644 m from the axle");
    run = gr_run("check leo/leo.urdf --set wheels.wheel_FL_link.radius_m=0.05");
    assert_has(run->err, "leo/leo.urdf: error: wheels.wheel_FL_link.radius: found 0.05 m");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_shipped_files),
        cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_no_wheels),
        cmocka_unit_test(test_bad_file),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_side_file_of_a_urdf),
        cmocka_unit_test(test_slow_integrator),
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
        cmocka_unit_test(test_expected_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
