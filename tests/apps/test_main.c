/// The overview, help, version, and wrong usage.
#include "json_check.h"
#include "run_command.h"

static void test_overview(void **state)
{
    (void)state;
    const char *const ways[] = {"", "help", "--help", "-h"};
    for (int i = 0; i < 4; i++) {
        const GrRun *run = gr_run(ways[i]);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "usage: grouser [--allow-network] COMMAND");
        assert_has(run->out, "check");
        assert_string_equal(run->err, "");
    }
}

/// Help of a part of a group is that part's own.
static void test_help_of_a_part(void **state)
{
    (void)state;
    static const char *const parts[] = {"terrain info", "fit soil", "test step"};
    for (int i = 0; i < 3; i++) {
        char arguments[64], *own;
        snprintf(arguments, sizeof arguments, "%s --help", parts[i]);
        own = strdup(gr_run(arguments)->out);
        assert_has(own, parts[i]);
        snprintf(arguments, sizeof arguments, "help %s", parts[i]);
        assert_string_equal(gr_run(arguments)->out, own);
        free(own);
    }
}

/// Every command that completion offers has a help with an example, and a manual page.
static void test_every_command_helps(void **state)
{
    (void)state;
    char *overview = strdup(gr_run("--help=words")->out);
    assert_non_null(overview);
    int commands = 0;
    for (char *line = strtok(overview, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char name[32], arguments[64], usage[64];
        assert_int_equal(sscanf(line, "command\t%31s\t", name), 1);
        commands++;
        snprintf(usage, sizeof usage, "usage: grouser %s", name);
        snprintf(arguments, sizeof arguments, "%s --help", name);
        const GrRun *run = gr_run(arguments);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, usage);
        assert_has(run->out, "Example:\n");
        snprintf(arguments, sizeof arguments, "help %s", name);
        assert_has(gr_run(arguments)->out, usage);
        snprintf(arguments, sizeof arguments, "%s --help=man", name);
        assert_has(gr_run(arguments)->out, ".SH EXAMPLES");
    }
    assert_true(commands >= 4);
    free(overview);
}

static void test_version(void **state)
{
    (void)state;
    const GrRun *run = gr_run("--version");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "grouser ");
    assert_has(run->out, " bits)");
    run = gr_run("version --json");
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"version\"");
    // A part is present exactly where this test was built with it.
#ifdef GR_WITH_GDAL
    assert_has(run->out, "terrain clean (GDAL, LAPACKE)\",\n      \"present\": true");
#else
    assert_has(run->out, "terrain clean (GDAL, LAPACKE)\",\n      \"present\": false");
#endif
}

static void test_wrong_usage(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
    } cases[] = {
        {"chekc", "unknown command chekc; did you mean 'check'?"},
        {"frobnicate", "unknown command frobnicate; grouser help lists the commands"},
        {"help frobnicate", "unknown command or key frobnicate"},
        {"help wavelenth", "did you mean 'wavelength_m'?"},
        {"schema landr", "unknown kind of file landr; did you mean 'lander'?"},
        {"version --jsn", "version: unknown option --jsn; did you mean '--json'?"},
        {"version --xyzzy=3", "version: unknown option --xyzzy\n"},
        {"version --json=yes", "version: --json takes no value"},
        {"version -j", "unknown option -j"},
        {"version now", "version: unexpected argument 'now'"},
        {"list", "list: missing argument"},
        {"list rvoers", "did you mean 'rovers'?"},
        {"show rocket x", "'rocket' cannot be shown"},
        {"show rover", "show: missing argument"},
        {"show rover curiosity_like --svg", "show: --svg needs a value: FILE"},
        {"check", "check: missing argument"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const GrRun *run = gr_run(cases[i].arguments);
        assert_int_equal(run->exit_code, 2);
        assert_has(run->err, "grouser: error: ");
        assert_has(run->err, cases[i].message);
        assert_null(strchr(run->err, '\033')); // no colours into a file
        assert_string_equal(run->out, "");
    }
}

/// A key is found by its path, the end of it, and without its unit.
static void test_help_of_keys(void **state)
{
    (void)state;
    static const char *const WAYS[] = {"drive.speed_mps", "scenario.drive.speed_mps", "speed"};
    for (int i = 0; i < 3; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "help %s", WAYS[i]);
        const GrRun *run = gr_run(arguments);
        assert_int_equal(run->exit_code, 0);
        assert_has(run->out, "drive.speed_mps in a scenario file\n");
        assert_has(run->out, "a number in m/s, more than 0; default 0.05\n");
    }
    char *list = strdup(gr_run("help keys")->out); // keys of joints, terrain and soils in one list
    assert_has(list, "  bodies.NAME.joint\n");
    assert_has(list, "friction_travel_deg");
    assert_has(list, "c_Pa, phi_deg");
    assert_has(list, "  terrain\n");
    free(list);
    assert_has(gr_run("help terrain")->out, "terrain in a scenario file\n");
    assert_has(gr_run("help look_ahead")->out, "a number in m, at least 0; default 0\n");
    assert_has(gr_run("help stuck_share")->out, "has no effect if: stuck_s is infinite\n");
    assert_has(gr_run("help capacity_Wh")->out, "a number in W h, 0 to 1e+08; required\n");
    assert_has(gr_run("help wheels.NAME.stiffness_N_per_m")->out, "in a rover file\n");
    assert_has(gr_run("help phi_deg")->out, "in a soil file\n");
    assert_has(gr_run("help scenario.stop")->out, "    tip_deg ");
}

static void test_full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        skip();
    }
    char line[1024];
    snprintf(line, sizeof line, "'%s' help >/dev/full 2>/dev/null", GR_TEST_COMMAND);
    const int status = system(line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
}

/// GDAL and its hundred libraries take longer to load than most commands take: they wait for the first raster. The
/// loader of glibc lists what a program loads at its start.
static void test_starts_without_gdal(void **state)
{
    (void)state;
    char line[1024], libraries[65536];
    snprintf(line, sizeof line, "LD_TRACE_LOADED_OBJECTS=1 '%s' >loaded.txt 2>/dev/null", GR_TEST_COMMAND);
    if (system(line) != 0) {
        skip();
    }
    gr_run_take("loaded.txt", libraries, sizeof libraries);
    if (strstr(libraries, "libc.so") == NULL) { // another loader, or a static program
        skip();
    }
    assert_null(strstr(libraries, "libgdal"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overview),
        cmocka_unit_test(test_help_of_a_part),
        cmocka_unit_test(test_every_command_helps),
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_wrong_usage),
        cmocka_unit_test(test_help_of_keys),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_starts_without_gdal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
