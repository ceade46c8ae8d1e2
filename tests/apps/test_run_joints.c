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

/// On a block that is higher than the ground by h, a bogie whose wheels are l apart leans by asin(h/l); contacts
/// deflect a little. Rockers stay level where both sides do the same.
static void test_bogie_on_a_block(void **state)
{
    (void)state;
    const double h = 0.2, l = 1.163 - 0.089, degree = acos(-1) / 180;
    gr_run_write("bogie.yaml", "rover: curiosity_like\nsoil: none\ngravity: mars\n"
                               "parts: [box: {size_m: [0.3, 3, 0.2], at_m: [-0.089, 0, 0.1]}]\nstop: {time_s: 5}\n");
    assert_int_equal(gr_run("run bogie.yaml -o bogie.run")->exit_code, 0);
    GrCsv csv = load("bogie.run/run.csv");
    const int last = csv.row_count - 1;
    const double rocker = number(&csv, last, "joint.rocker_left.angle_deg");
    const double lean =
        -(number(&csv, last, "pitch_deg") + rocker + number(&csv, last, "joint.bogie_left.angle_deg")) * degree;
    assert_near(rocker, 0, 1e-6);
    assert_near_rel(lean, asin(h / l), 0.005);
    gr_csv_free(&csv);
    assert_int_equal(system("rm -r bogie.run bogie.yaml"), 0);
}

/// A lever rests where the stiffness k of its end stop carries its weight: k (θ − 5°) = m g a cos θ.
static void test_lever_on_its_stop(void **state)
{
    (void)state;
    static const char lever[] = "  lever:\n"
                                "    parent: chassis\n"
                                "    joint: {kind: revolute, axis: y, at_m: [0, 0, 0.1], limits_deg: [-90, 5],\n"
                                "            stop_stiffness_Nm_per_rad: 200, stop_damping_Nms_per_rad: 20}\n"
                                "    mass_kg: 2\n"
                                "    com_m: [0.2, 0, 0]\n"
                                "    inertia_of: {box: {size_m: [0.4, 0.02, 0.02]}}\n";
    const double m = 2, a = 0.2, g = 9.80665, k = 200, degree = acos(-1) / 180;
    char rover[sizeof CART + sizeof lever];
    const char *wheels = strstr(CART, "  wheel_${axle}_${side}:\n    parent"), *load_at = strstr(CART, "  load:\n");
    snprintf(rover, sizeof rover, "%.*s%s%s", (int)(load_at - CART), CART, lever, wheels);
    gr_run_write("lever.yaml", rover);
    gr_run_write("hold.yaml", "rover: lever.yaml\nsoil: none\nstop: {time_s: 5}\n");
    assert_int_equal(gr_run("run hold.yaml -o hold.run")->exit_code, 0);
    GrCsv csv = load("hold.run/run.csv");
    const int last = csv.row_count - 1;
    const double angle = number(&csv, last, "joint.lever.angle_deg") * degree;
    const double tilt = number(&csv, last, "pitch_deg") * degree;
    assert_near(k * (angle - 5 * degree), m * g * a * cos(angle + tilt), 1e-6 * m * g * a);
    gr_csv_free(&csv);
    assert_int_equal(system("rm -r hold.run hold.yaml lever.yaml"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hitch_and_screw),
        cmocka_unit_test(test_dropped_load_stays),
        cmocka_unit_test(test_bogie_on_a_block),
        cmocka_unit_test(test_lever_on_its_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
