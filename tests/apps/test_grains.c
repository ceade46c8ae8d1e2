/// Bodies in grains from files: a rover on its belly sinks in and ends as belly_out with its weight carried, one on its
/// side rests; without `bodies` the ground is rigid for a belly.
#include "json_check.h"
#include "run_command.h"

#include <math.h>

static const double WEIGHT = (8 + 4 * 0.8) * 9.80665; // [N]

static const char CART[] = "params: {high: 0.22}\n"
                           "repeat:\n  side: {left: 1, right: -1}\n  axle: {front: 1, rear: -1}\n"
                           "bodies:\n"
                           "  chassis:\n"
                           "    mass_kg: 8\n"
                           "    inertia_of: {box: {size_m: [0.4, 0.3, 0.1]}}\n"
                           "    shapes: [box: {size_m: [0.4, 0.3, high]}]\n"
                           "  wheel_${axle}_${side}:\n"
                           "    parent: chassis\n"
                           "    mass_kg: 0.8\n"
                           "    inertia_of: {cylinder: {radius_m: 0.1, length_m: 0.08}}\n"
                           "    joint: {kind: revolute, role: drive, axis: y, at_m: [0.2 * axle, 0.2 * side, 0],\n"
                           "            motor: {kind: pid, kp: 2, ki: 4, torque_limit_Nm: 5}}\n"
                           "wheels:\n"
                           "  wheel_${axle}_${side}: {radius_m: 0.1, width_m: 0.08}\n";

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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_belly), cmocka_unit_test(test_side)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
