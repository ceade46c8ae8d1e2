#include "json_check.h"
#include "run_command.h"

static void test_rock(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset rock --kind noise --seed 7 --refinement 2 -o asset_rock.obj");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "wrote asset_rock.obj");
    assert_has(run->out, "320 triangles");
    assert_int_equal(access("asset_rock.obj", R_OK), 0);
    run = gr_run("asset rock --json -o asset_rock.obj");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"id\": \"rock-");
    assert_has(run->out, "\"mass_kg\"");
    unlink("asset_rock.obj");
}

static void test_wheel(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset wheel --pattern chevron --profile convex --grousers 12 --json -o asset_wheel.obj");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"rim_volume_m3\"");
    unlink("asset_wheel.obj");
}

static void test_wrong_input(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset boulder");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "rock, wheel");
    run = gr_run("asset rock --kind hul");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "did you mean 'hull'?");
    run = gr_run("asset rock --points 2.5");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "--points");
    run = gr_run("asset rock --diameter -1 -o asset_none.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "diameter");
    assert_int_not_equal(access("asset_none.obj", R_OK), 0);
    run = gr_run("asset rock -o no_such_folder/rock.obj");
    assert_int_not_equal(run->exit_code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rock),
        cmocka_unit_test(test_wheel),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
