/// Wheels and side walls of any shape from files: meshes in a rover's file, driven and on a test bench, and what is
/// refused.
#include "json_check.h"
#include "run_command.h"
#include "support/small_cart.h"

#include <math.h>

static const char CART[] = GR_SMALL_CART("", "0.1",
                                         "    grousers: {count: 8, height_m: 0.01, thickness_m: 0.003}\n"
                                         "    soil_mesh: {file: slanted.obj, scale: [1, side, 1]}\n");

static const char DRIVE[] = "rover: cart.yaml\nsoil: grc1_loose_rft\n"
                            "drive: {script: [{time_s: 0, mode: skid, speed_mps: 0.1}]}\nstop: {time_s: 2}\n";

static int make_files(void **state)
{
    (void)state;
    const GrRun *run = gr_run("asset wheel --radius 0.1 --width 0.08 --grousers 8 --pattern slanted --grouser-height "
                              "0.01 --grouser-thickness 0.003 --segments 16 -o slanted.obj");
    assert_int_equal(run->exit_code, 0);
    gr_run_write("cart.yaml", CART);
    char bare[sizeof CART];
    snprintf(bare, sizeof bare, "%.*s", (int)(strstr(CART, "    soil_mesh") - CART), CART);
    gr_run_write("bare.yaml", bare);
    gr_run_write("drive.yaml", DRIVE);
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink("slanted.obj");
    unlink("cart.yaml");
    unlink("drive.yaml");
    unlink("bare.yaml");
    return 0;
}

static void get_hash(const char *json, char hash[40])
{
    const char *at = strstr(json, "\"state_hash\"");
    assert_non_null(at);
    snprintf(hash, 40, "%.38s", at);
}

/// The mesh changes the run, and its mirror image on the right wheels another time: both are used.
static void test_run(void **state)
{
    (void)state;
    static const char *const SETS[] = {
        "",
        " --set 'rover:wheels.wheel_${axle}_${side}.soil_mesh=slanted.obj'",
        " --set rover=plain.yaml",
    };
    char hash[3][40], plain[sizeof CART], command[200];
    snprintf(plain, sizeof plain, "%.*s", (int)(strstr(CART, "    soil_mesh") - CART), CART);
    gr_run_write("plain.yaml", plain);
    for (int i = 0; i < 3; i++) {
        snprintf(command, sizeof command, "run drive.yaml --json -o soil_mesh_out%s", SETS[i]);
        const GrRun *run = gr_run(command);
        assert_int_equal(run->exit_code, 0);
        assert_null(strstr(run->err, "warning"));
        assert_true(gr_json_valid(run->out));
        assert_has(run->out, "\"outcome\": \"finished\"");
        get_hash(run->out, hash[i]);
    }
    assert_string_not_equal(hash[0], hash[1]);
    assert_string_not_equal(hash[0], hash[2]);
    unlink("plain.yaml");
    assert_int_equal(system("rm -r soil_mesh_out"), 0);
}

/// The rig takes the mesh of a rover's wheel as it takes the mesh itself.
static void test_rig(void **state)
{
    (void)state;
    char mesh[4096];
    const GrRun *run = gr_run("wheel --soil grc1_loose_rft --mesh slanted.obj --sinkage 0.012 --slip 0.3 --json");
    assert_int_equal(run->exit_code, 0);
    const char *points = strstr(run->out, "\"fx_N\"");
    assert_non_null(points);
    snprintf(mesh, sizeof mesh, "%.*s", (int)strcspn(points, "}"), points);
    run = gr_run("wheel --soil grc1_loose_rft --rover cart.yaml --sinkage 0.012 --slip 0.3 --json");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->out, mesh);
    run = gr_run("wheel --soil ishigami2007 --rover cart.yaml --load 30 --slip 0.3");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "soil_mesh: has no effect");
    run = gr_run("wheel --soil grc1_loose_rft --rover cart.yaml --radius 0.12 --load 30 --slip 0.3");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "soil_mesh: has no effect");
}

/// Without effect: another law, and no soil at all. Refused: sizes, slices, a file that is not a wheel.
static void test_messages(void **state)
{
    (void)state;
    const GrRun *run = gr_run("run drive.yaml --set soil=ishigami2007 --set stop.time_s=0.1 -o soil_mesh_out");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "soil_mesh: has no effect: soil of the law wong_reece");
    run = gr_run("run drive.yaml --set soil=none --set stop.time_s=0.1 -o soil_mesh_out "
                 "--set 'rover:wheels.wheel_${axle}_${side}.soil_mesh=slanted.obj'");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "soil_mesh has no effect: soil is none");
    assert_int_equal(system("rm -r soil_mesh_out"), 0);
    run = gr_run("test drawbar cart.yaml --soil ishigami2007 --parts 0.1");
    assert_has(run->err, "soil_mesh: has no effect");
    run = gr_run("run drive.yaml --set step.slices=3");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "slices: found 3, allowed: 1");
    run = gr_run("run drive.yaml --set rover:wheels.wheel_front_left.radius_m=0.12");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "cart.yaml:20:23: error: wheels.wheel_front_left.soil_mesh.file: the mesh reaches 0.11 m");
    run =
        gr_run("run drive.yaml --set 'rover:wheels.wheel_front_left.soil_mesh={file: slanted.obj, scale: [1, 0, 1]}'");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "would be flat");
    run = gr_run("run drive.yaml --set rover:wheels.wheel_front_left.soil_mesh=slated.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "slated.obj");
    assert_int_equal(gr_run("asset rock --diameter 0.2 -o rock.obj")->exit_code, 0);
    run = gr_run("run drive.yaml --set rover:wheels.wheel_front_left.soil_mesh=rock.obj");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "rock.obj: ");
    unlink("rock.obj");
}

/// Side force [N] of a wheel 20 mm deep at a slip angle of 30°.
static double side_force(const char *rover, const char *options)
{
    char command[400];
    snprintf(command, sizeof command,
             "wheel --rover %s --soil ishigami2007 --sinkage 0.02 --slip 0.1 --slip-angle 30 --uncertainty 0 --json %s",
             rover, options);
    const GrRun *run = gr_run(command);
    assert_int_equal(run->exit_code, 0);
    assert_null(strstr(run->err, "warning"));
    return json_number(run->out, "fy_N");
}

static void set_side_mesh(const char *name, const char *file)
{
    char text[sizeof CART + 100];
    const int length = (int)(strstr(CART, "    soil_mesh") - CART);
    snprintf(text, sizeof text, "%.*s    side_mesh: %s\n", length, CART, file);
    gr_run_write(name, text);
}

/// A rectangle as a side wall that leans by 25°, with wall friction, against LS10 eq. 3.9 integrated by hand; and twice
/// as large a file at half the scale.
static void test_side_wall(void **state)
{
    (void)state;
    const double degree = 3.14159265358979323846 / 180, lean = 25 * degree, wide = 0.06, h = 0.02;
    for (int k = 1; k <= 2; k++) {
        char obj[400];
        const double low = -0.11 * k, high = 0.03 * k, out = 0.04 * k;
        const double slope = tan(lean);
        snprintf(obj, sizeof obj,
                 "v %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\n"
                 "f 1 2 3\nf 1 3 4\n",
                 -wide / 2 * k, out, low, wide / 2 * k, out, low, wide / 2 * k, out + slope * (high - low), high,
                 -wide / 2 * k, out + slope * (high - low), high);
        gr_run_write(k == 1 ? "wall.obj" : "large.obj", obj);
    }
    set_side_mesh("walls.yaml", "wall.obj");
    set_side_mesh("large.yaml", "{file: large.obj, scale: 0.5}");
    const double phi = 37.2 * degree, n = (1 + sin(phi)) / (1 - sin(phi)), weight = 1600 * 9.80665 * n;
    const double area = wide * h / cos(lean), pressed = weight * h / 2 * area + 2 * 800 * sqrt(n) * area;
    const double flat = side_force("bare.yaml", "");
    for (int k = 0; k < 2; k++) {
        char options[100];
        const double friction = k * 20 * degree;
        snprintf(options, sizeof options, "--set side_bulldozing=mesh%s", k == 0 ? "" : " --set wall_friction=20");
        // Outside, a wall that leans outwards faces down.
        const double expected = pressed * cos(friction - lean) / cos(friction) * sin(30 * degree);
        assert_near_rel(side_force("walls.yaml", options) - flat, expected, 1e-6);
        assert_near_rel(side_force("large.yaml", options) - flat, expected, 1e-6);
    }
    const GrRun *run = gr_run("wheel --rover walls.yaml --soil ishigami2007 --load 30 --slip 0.3");
    assert_has(run->err, "side_mesh: has no effect: the soil has no side_bulldozing: mesh");
    run = gr_run("wheel --rover bare.yaml --soil ishigami2007 --load 30 --slip 0.3 --set side_bulldozing=mesh "
                 "--set wall_friction=20");
    assert_has(run->err, "it needs side_bulldozing: mesh, and wheels with a side_mesh");
    gr_run_write("drive.yaml", DRIVE);
    run = gr_run("run drive.yaml --set rover=walls.yaml --set stop.time_s=0.1 -o soil_mesh_out");
    assert_int_equal(run->exit_code, 0);
    assert_has(run->err, "side_mesh: has no effect");
    char hash[2][40];
    for (int i = 0; i < 2; i++) {
        run = gr_run(i == 0 ? "run drive.yaml --set rover=walls.yaml --set soil=ishigami2007 --set "
                              "soil:side_bulldozing=mesh --json -o soil_mesh_out"
                            : "run drive.yaml --set rover=bare.yaml --set soil=ishigami2007 --set "
                              "soil:side_bulldozing=mesh --json -o soil_mesh_out");
        assert_int_equal(run->exit_code, 0);
        assert_null(strstr(run->err, "warning"));
        get_hash(run->out, hash[i]);
    }
    assert_string_not_equal(hash[0], hash[1]);
    assert_int_equal(system("rm -r soil_mesh_out"), 0);
    run = gr_run("run drive.yaml --set rover=walls.yaml --set rover:wheels.wheel_front_left.radius_m=0.08");
    assert_int_equal(run->exit_code, 2);
    assert_has(run->err, "side_mesh: the side wall reaches 0.11");
    unlink("walls.yaml");
    unlink("large.yaml");
    unlink("wall.obj");
    unlink("large.obj");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_wall),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_rig),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
