/// grouser run with spherical, screw and free joints from files: their recordings.
#include "csv.h"
#include "run_command.h"

#include <math.h>

static GrCsv load(const char *path)
{
    GrCsv csv;
    assert_int_equal(gr_csv_load(path, &csv, NULL), GR_OK);
    return csv;
}

static double number(const GrCsv *csv, int row, const char *name)
{
    const int column = gr_csv_find(csv, name);
    assert_true(column >= 0);
    return atof(gr_csv_cell(csv, row, column));
}

/// At rest the torque of the drill's servo carries its weight through the pitch h, m g h. The trailer has followed the
/// tug around the bend and is level, because the ground is.
static void test_hitch_and_screw(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run tow -o tow.run");
    assert_string_equal(run->err, "");
    assert_int_equal(run->exit_code, 0);
    GrCsv csv = load("tow.run/run.csv");
    const int last = csv.row_count - 1;
    const double mass = 0.8, gravity = 3.71, pitch = 0.005 / (2 * acos(-1));
    assert_near(number(&csv, last, "joint.drill.torque_Nm"), mass * gravity * pitch, 0.02 * mass * gravity * pitch);
    assert_near(number(&csv, last, "joint.drill.angle_deg"), -3600, 1);
    assert_true(number(&csv, last, "joint.hitch.rz.angle_deg") < -10);
    assert_near(number(&csv, last, "joint.hitch.rx.angle_deg"), 0, 1);
    assert_near(number(&csv, last, "joint.hitch.ry.angle_deg"), 0, 1);
    gr_csv_free(&csv);
}

static const char CART[] = "bodies:\n"
                           "  chassis:\n"
                           "    mass_kg: 5\n"
                           "    inertia_of: {box: {size_m: [0.4, 0.3, 0.1]}}\n"
                           "  load:\n"
                           "    parent: chassis\n"
                           "    joint: {kind: free, initial_at_m: [-0.5, 0, 0.2], initial_rotation_deg: [0, 20, 10]}\n"
                           "    mass_kg: 1\n"
                           "    inertia_of: &box {box: {size_m: [0.1, 0.1, 0.1]}}\n"
                           "    shapes: [*box]\n"
                           "  wheel_${axle}_${side}:\n"
                           "    parent: chassis\n"
                           "    joint:\n"
                           "      kind: revolute\n"
                           "      role: drive\n"
                           "      axis: y\n"
                           "      at_m: [0.2 * axle, 0.2 * side, 0]\n"
                           "      motor: {kind: pid, kp: 2, ki: 4, torque_limit_Nm: 5}\n"
                           "    mass_kg: 0.8\n"
                           "    inertia_of: {cylinder: {radius_m: 0.1, length_m: 0.05}}\n"
                           "wheels:\n"
                           "  wheel_${axle}_${side}: {radius_m: 0.1, width_m: 0.05}\n"
                           "repeat:\n"
                           "  side: {left: 1, right: -1}\n"
                           "  axle: {front: 1, rear: -1}\n";

static const char DELIVERY[] = "rover: cart.yaml\n"
                               "soil: lunar_apollo\n"
                               "gravity: moon\n"
                               "start: {height_m: 0.02}\n"
                               "drive: {script: [{time_s: 3, mode: skid, speed_mps: 0.1}]}\n"
                               "stop: {time_s: 6}\n";

/// A box falls off behind a cart and lies still while the cart drives away.
static void test_dropped_load_stays(void **state)
{
    (void)state;
    gr_run_write("cart.yaml", CART);
    gr_run_write("delivery.yaml", DELIVERY);
    const GrRun *run = gr_run("run delivery.yaml -o delivery.run");
    assert_int_equal(run->exit_code, 0);
    GrCsv csv = load("delivery.run/run.csv");
    double from = 0, cart = 0;
    for (int row = 0; row < csv.row_count; row++) {
        const double x = number(&csv, row, "x_m"), place = x + number(&csv, row, "joint.load.x.position_m");
        if (number(&csv, row, "time_s") < 3) {
            from = place;
            cart = x;
        } else {
            assert_near(place, from, 1e-3);
        }
    }
    assert_true(number(&csv, csv.row_count - 1, "x_m") - cart > 0.2);
    assert_near(fabs(number(&csv, 0, "joint.load.ry.angle_deg")), 20, 1); // the rotation vector, not roll, pitch, yaw
    gr_csv_free(&csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hitch_and_screw),
        cmocka_unit_test(test_dropped_load_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
