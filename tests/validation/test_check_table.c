/// Independent quadrature for the soil of Ishigami et al. (2007), r = 0.09 m, b = 0.11 m, load 64.68 N, by the command
/// itself.
#include "apps/run_command.h"

static double number_of(const char *json, const char *key)
{
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

static void test_check_table(void **state)
{
    (void)state;
    static const struct {
        double angle, slip, sinkage, f_x, f_y, torque;
    } rows[] = {
        {5, 0.1, 15.08e-3, 4.920, 13.125, 0.9021},
        {5, 0.8, 16.85e-3, 27.705, 3.414, 3.2013},
        {15, 0.3, 15.58e-3, 11.433, 22.469, 1.5578},
        {30, 0.5, 16.08e-3, 14.245, 25.759, 1.8696},
    };
    const double allowed = 0.002;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "wheel --soil ishigami2007 --radius 0.09 --width 0.11 --load 64.68 --slip %g --slip-angle %g --json",
                 rows[i].slip, rows[i].angle);
        const GrRun *run = gr_run(arguments);
        assert_int_equal(run->exit_code, 0);
        assert_near_rel(number_of(run->out, "\"sinkage_m\": "), rows[i].sinkage, allowed);
        assert_near_rel(number_of(run->out, "\"fx_N\": "), rows[i].f_x, allowed);
        assert_near_rel(number_of(run->out, "\"fy_N\": "), rows[i].f_y, allowed);
        assert_near_rel(number_of(run->out, "\"torque_Nm\": "), rows[i].torque, allowed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
