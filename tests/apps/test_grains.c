/// Bodies in grains from files: a rover on its belly sinks in and ends as belly_out with its weight carried, one on its
/// side rests; without `bodies`, or where some soils have another law, the ground is rigid for
/// a belly.
#include "json_check.h"
#include "run_command.h"
#include "support/small_cart.h"

#include <math.h>

static const double WEIGHT = (8 + 4 * 0.8) * 9.80665; // [N]

static const char CART[] = GR_SMALL_CART("params: {high: 0.22}\n", "high", "");

static const char HANG[] = "rover: grains_cart.yaml\nsoil: grc1_loose_rft\n"
                           "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.1}]}\nstop: {time_s: 2}\n";

static int make_files(void **state)
{
    (void)state;
    gr_run_write("grains_cart.yaml", CART);
    gr_run_write("hang.yaml", HANG);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink("grains_cart.yaml");
    unlink("hang.yaml");
    return system("rm -rf grains_out");
}

/// A column of the last row of run.csv.
static double last_of(const char *column)
{
    static char header[16384], row[16384], line[16384];
    FILE *file = fopen("grains_out/run.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(header, sizeof header, file));
    while (fgets(line, sizeof line, file) != NULL) {
        memcpy(row, line, sizeof row);
    }
    fclose(file);
    const char *name = header, *value = row;
    while (strncmp(name, column, strlen(column)) != 0 || name[strlen(column)] != ',') {
        name = strchr(name, ',');
        assert_non_null(name);
        name++;
        value = strchr(value, ',') + 1;
    }
    return atof(value);
}

static void test_belly(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run hang.yaml --json -o grains_out");
    assert_int_equal(run->exit_code, 0);
    assert_true(gr_json_valid(run->out));
    assert_has(run->out, "\"outcome\": \"belly_out\"");
    assert_near_rel(last_of("belly_force_N"), WEIGHT, 1e-6);
    const double height = last_of("z_m");
    assert_true(height > 0.105 && height < 0.1095); // the belly is 0.11 m below the axles
    run = gr_run("run hang.yaml --json -o grains_out --set 'ruts={kind: none, bodies: false}'");
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "has no effect"));
    assert_has(run->out, "\"outcome\": \"belly_out\"");
    assert_true(last_of("z_m") > 0.1096); // rigid contact is stiff
    run = gr_run("run hang.yaml -o grains_out --set soil=ishigami2007 --set 'ruts={kind: none, bodies: false}'");
    assert_has(run->err, "applies only to the laws scm and rft");
}

/// Where soils have the law rft in part, bodies press none of them; it is said.
static void test_mixed(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run hang.yaml -o grains_out --set 'wheel_soils={wheel_front_left: ishigami2007}'");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "only some of the soils have the law rft");
    assert_true(last_of("z_m") > 0.1096); // rigid
    run = gr_run("run hang.yaml -o grains_out");
    assert_null(strstr(run->err, "only some of the soils"));
}

/// On its side, on the left wheels.
static void test_side(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run hang.yaml --json -o grains_out --set rover:params.high=0.1 --set 'start={height_m: "
                              "0.02, roll_deg: -90}' --set stop.tip_deg=180 --set drive.script[0].speed_mps=0");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, "\"outcome\": \"finished\"");
    const double height = last_of("z_m"), speed = fabs(last_of("vz_m_per_s"));
    print_message("on its side at %.4f m, %.1e m/s\n", height, speed);
    assert_true(height > 0.22 && height < 0.24); // half of the track and of a wheel's width: 0.24 m
    assert_true(speed < 1e-6 && fabs(last_of("roll_deg") + 90) < 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_belly), cmocka_unit_test(test_mixed),
                                       cmocka_unit_test(test_side)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
