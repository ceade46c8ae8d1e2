#include "json_check.h"
#include "run_command.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_files), cmocka_unit_test(test_shipped_files), cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_no_wheels),  cmocka_unit_test(test_bad_file),      cmocka_unit_test(test_override),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
