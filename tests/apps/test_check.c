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
        cmocka_unit_test(test_good_files),
        cmocka_unit_test(test_bad_file),
        cmocka_unit_test(test_override),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
