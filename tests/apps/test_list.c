#include "json_check.h"
#include "run_command.h"

#include <sys/stat.h>

static void test_rovers(void **state)
{
    (void)state;
    const GrRun *run = gr_run("list rovers");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "curiosity_like");
    assert_has(run->out, "mass [kg]");
    assert_string_equal(run->err, "");
}

static void test_json(void **state)
{
    (void)state;
    const GrRun *run = gr_run("list rovers --json");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"name\": \"curiosity_like\"");
    assert_has(run->out, "\"mass_kg\": 899");
}

/// A broken file in the user's own data is reported, and the others are listed all the same.
static void test_broken_neighbour(void **state)
{
    (void)state;
    mkdir("list_data", 0777);
    mkdir("list_data/rovers", 0777);
    gr_run_write("list_data/rovers/broken.yaml", "name: [\n");
    setenv("GROUSER_DATA", "list_data", 1);
    const GrRun *run = gr_run("list rovers --json");
    unsetenv("GROUSER_DATA");
    assert_int_equal(run->exit_code, 2);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "curiosity_like");
    assert_has(run->err, "list_data/rovers/broken.yaml:");
    unlink("list_data/rovers/broken.yaml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rovers),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_broken_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
