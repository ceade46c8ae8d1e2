/// Keys of a rover's file without effect, checked by runs: for every motor kind and every motor key, for every key of a
/// joint and a wheel in several situations, two values of the key give bitwise the same result exactly
/// when the key is warned about.
#include "grouser/run.h"

#include "scenario_data.h"
#include "test.h"

#include "grouser/rover.h"
#include "rover_urdf.h"

#include <stdlib.h>
#include <unistd.h>

/// Four wheels on two rockers that a differential couples; one rocker also carries a sprung arm.
static const char CART[] =
    "repeat:\n  side: {left: 1, right: -1}\n  axle: {front: 1, rear: -1}\n"
    "bodies:\n"
    "  chassis: {mass_kg: 5, inertia_of: {box: {size_m: [0.4, 0.3, 0.1]}}, shapes: [sphere: {radius_m: 0.05}]}\n"
    "  frame: {parent: chassis, mass_kg: 0, joint: {kind: fixed}}\n"
    "  rocker_${side}:\n"
    "    parent: chassis\n"
    "    mass_kg: 0.5\n"
    "    inertia_of: {box: {size_m: [0.4, 0.02, 0.02]}}\n"
    "    joint: {kind: revolute, axis: y, at_m: [0, 0.15 * side, 0.02], damping_Nms_per_rad: 0.1}\n"
    "  arm:\n"
    "    parent: chassis\n"
    "    mass_kg: 0.3\n"
    "    com_m: [0.1, 0, 0]\n"
    "    inertia_of: {box: {size_m: [0.2, 0.02, 0.02]}}\n"
    "    joint: {kind: revolute, axis: y, at_m: [0, 0, 0.2], damping_Nms_per_rad: 0.2}\n"
    "  wheel_${axle}_${side}:\n"
    "    parent: rocker_${side}\n"
    "    mass_kg: 0.8\n"
    "    inertia_of: {cylinder: {radius_m: 0.1, length_m: 0.05}}\n"
    "    joint:\n"
    "      kind: revolute\n"
    "      role: drive\n"
    "      axis: y\n"
    "      at_m: [0.2 * axle, 0.05 * side, -0.02]\n"
    "      motor: {kind: pid, kp: 2, ki: 4, torque_limit_Nm: 5, stall_torque_Nm: 6, no_load_speed_rad_per_s: 9}\n"
    "couplings:\n  differential: {joint: rocker_right, of: rocker_left, ratio: -1}\n"
    "wheels:\n"
    "  wheel_${axle}_${side}: {radius_m: 0.1, width_m: 0.05}\n";

static const char SOIL[] = "soil: ishigami2007\nstart: {height_m: 0.02}\n";
static const char HARD[] = "soil: none\nstart: {height_m: 0.02}\nhard: {wheels: mesh}\n";
static const char DRIVE[] = "drive: {speed_mps: 0.1, path: [[2, 0.5]]}\nstop: {time_s: 2}\n";

static void write_file(const char *path, const char *a, const char *b, const char *c)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s%s", a, b, c);
    fclose(file);
}

static const double UNTIL = 0.4; // [s] the fall takes 64 ms, and control its first cycles

typedef struct Result {
    uint64_t hash;
    double electric, mechanical; // [J]
    bool warned;
} Result;

/// A run with overrides of the rover; whether a warning names the key at the end of the last one's path.
static Result run_cart(const char *ground, const char *const *overrides, int count)
{
    const char *list[16] = {NULL};
    GrErrorLog log = {0};
    GrScenario *scenario = NULL;
    GrWorld *world = NULL;
    Result out = {0};
    char texts[16][160], key[80];
    for (int i = 0; i < count; i++) {
        snprintf(texts[i], sizeof texts[i], "rover:%s", overrides[i]);
        list[i] = texts[i];
    }
    const char *last = overrides[count - 1];
    snprintf(key, sizeof key, "%.*s", (int)strcspn(last, "="), last);
    write_file("cart.yaml", CART, "", "");
    write_file("ignored.yaml", "rover: ./cart.yaml\n", ground, DRIVE);
    const GrStatus status = gr_scenario_load("./ignored.yaml", list, &scenario, &log);
    for (int i = 0; i < log.count && status != GR_OK; i++) {
        print_error("%s: %s: %s\n", last, log.items[i].field, log.items[i].text);
    }
    assert_int_equal(status, GR_OK);
    const char *tail = strrchr(key, '.');
    for (int i = 0; i < log.count; i++) {
        const GrError *e = &log.items[i];
        const bool typed = strncmp(e->file, "override", strlen("override")) == 0 && strstr(e->field, tail) != NULL;
        out.warned =
            out.warned || (strstr(e->text, "has no effect") != NULL && (typed || strstr(e->text, tail) != NULL));
    }
    const GrStatus made = gr_world_create(scenario, &world, &log);
    if (made != GR_OK) {
        print_error("%s, %s: %s\n", overrides[0], last, log.items[log.count - 1].text);
    }
    assert_int_equal(made, GR_OK);
    gr_mission_advance(world->mission, UNTIL);
    GrRunSummary summary;
    assert_int_equal(gr_mission_summary(world->mission, &summary, &log), GR_OK);
    out.hash = summary.state_hash;
    out.electric = summary.energy.electric;
    out.mechanical = summary.energy.mechanical;
    gr_run_summary_free(&summary);
    gr_world_free(world);
    gr_scenario_free(scenario);
    unlink("cart.yaml");
    unlink("ignored.yaml");
    return out;
}

static int wrong;

/// Two values of a key in a situation: warned about twice and the same, or not at all and different.
static void compare(const char *ground, const char *const *situation, int count, const char *key, const char *a,
                    const char *b)
{
    const char *overrides[16];
    char text[2][120];
    Result r[2];
    for (int i = 0; i < count; i++) {
        overrides[i] = situation[i];
    }
    snprintf(text[0], sizeof text[0], "%s=%s", key, a);
    snprintf(text[1], sizeof text[1], "%s=%s", key, b);
    for (int k = 0; k < 2; k++) {
        overrides[count] = text[k];
        r[k] = run_cart(ground, overrides, count + 1);
    }
    const bool same = r[0].hash == r[1].hash && r[0].electric == r[1].electric && r[0].mechanical == r[1].mechanical;
    if (r[0].warned != same || r[1].warned != same) {
        print_error("%s with %s on %.12s: %s, but %s\n", key, count > 0 ? situation[0] : "nothing", ground,
                    same ? "changes nothing" : "acts", r[0].warned ? "warned about" : "not warned about");
        wrong++;
    }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/// Every key with every kind. Drives take speeds; the other kinds hold the arm.
static void test_motors(void **state)
{
    (void)state;
    static const struct {
        const char *joint, *kind;
    } KINDS[] = {{"wheel_front_left", "none"},
                 {"wheel_front_left", "speed"},
                 {"wheel_front_left", "pid"},
                 {"wheel_front_left", "dc"},
                 {"arm", "torque"},
                 {"arm", "position"}};
    static const char *const KEYS[][3] = {{"kp", "1", "3"},
                                          {"ki", "1", "6"},
                                          {"kd", "0.1", "0.5"},
                                          {"torque_limit_Nm", "0.005", "0.002"},
                                          {"stall_torque_Nm", "0.03", "0.01"},
                                          {"no_load_speed_rad_per_s", "0.5", "0.7"},
                                          {"rotor_inertia_kgm2", "0.01", "0.1"}};
    wrong = 0;
    for (size_t i = 0; i < COUNT(KINDS); i++) {
        char motor[160], key[80];
        snprintf(motor, sizeof motor, "bodies.%s.joint.motor={kind: %s%s}", KINDS[i].joint, KINDS[i].kind,
                 strcmp(KINDS[i].kind, "dc") == 0 ? ", kp: 2, stall_torque_Nm: 0.01, no_load_speed_rad_per_s: 9"
                                                  : ", kp: 2");
        for (size_t k = 0; k < COUNT(KEYS); k++) {
            // Only a program gives a motor of the kind torque its command; in a drive it is 0, below any limit.
            if (strcmp(KINDS[i].kind, "torque") != 0 || strcmp(KEYS[k][0], "torque_limit_Nm") != 0) {
                snprintf(key, sizeof key, "bodies.%s.joint.motor.%s", KINDS[i].joint, KEYS[k][0]);
                compare(SOIL, (const char *const[]){motor}, 1, key, KEYS[k][1], KEYS[k][2]);
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_joints(void **state)
{
    (void)state;
    static const struct {
        const char *situation, *key, *a, *b;
    } ROWS[] = {
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.stop_stiffness_Nm_per_rad", "100", "200"},
        {"bodies.arm.joint.limits_deg=[-1, 1]", "bodies.arm.joint.stop_stiffness_Nm_per_rad", "100", "200"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.stop_damping_Nms_per_rad", "1", "2"},
        {"bodies.arm.joint.limits_deg=[-1, 1]", "bodies.arm.joint.stop_damping_Nms_per_rad", "1", "2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.rest_deg", "1", "2"},
        {"bodies.arm.joint.stiffness_Nm_per_rad=5", "bodies.arm.joint.rest_deg", "1", "2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.friction_travel_deg", "0.1", "0.2"},
        {"bodies.arm.joint.friction_Nm=0.1", "bodies.arm.joint.friction_travel_deg", "0.1", "0.2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.rocker_right.joint.initial_deg", "1", "2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.rocker_left.joint.initial_deg", "1", "2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.initial_deg", "1", "2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.friction_Nm", "0.01", "0.2"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.joint.role", "steer", "walk"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.frame.com_m", "[0, 0, 1]", "[0, 0, 2]"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.com_m", "[0.1, 0, 0.01]", "[0.1, 0, 0.02]"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.frame.inertia_of", "{sphere: {radius_m: 0.1}}",
         "{sphere: {radius_m: 0.2}}"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.inertia_of.box.at_m", "[0, 0, 1]", "[0, 0, 2]"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.arm.inertia_of.box.rotation_deg", "[0, 0, 10]",
         "[0, 0, 20]"},
        {"bodies.arm.joint.damping_Nms_per_rad=0.2", "bodies.chassis.shapes[0].sphere.rotation_deg", "[0, 0, 10]",
         "[0, 0, 20]"},
    };
    wrong = 0;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        compare(SOIL, &ROWS[i].situation, 1, ROWS[i].key, ROWS[i].a, ROWS[i].b);
    }
    assert_int_equal(wrong, 0);
}

#define RIM  "wheels.wheel_${axle}_${side}."
#define LUGS RIM "grousers={count: 12, height_m: 0.01, thickness_m: 0.004, pattern: slanted}"

/// On soil, and on rigid ground as meshes and as cylinders.
static void test_wheels(void **state)
{
    (void)state;
    static const char CYLINDERS[] = "soil: none\nstart: {height_m: 0.02}\n";
    static const struct {
        const char *ground, *situation, *key, *a, *b;
    } ROWS[] = {
        {SOIL, RIM "width_m=0.05", RIM "damping_Ns_per_m", "10", "20"},
        {SOIL, RIM "stiffness_N_per_m=3000", RIM "damping_Ns_per_m", "10", "20"},
        {HARD, RIM "stiffness_N_per_m=3000", RIM "damping_Ns_per_m", "10", "20"},
        {SOIL, RIM "width_m=0.05", RIM "crown_m", "0.01", "0.02"},
        {CYLINDERS, RIM "width_m=0.05", RIM "crown_m", "0.01", "0.02"},
        {HARD, RIM "width_m=0.05", RIM "crown_m", "0.01", "0.02"},
        {SOIL, LUGS, RIM "grousers.pattern", "straight", "slanted"},
        {HARD, LUGS, RIM "grousers.pattern", "straight", "slanted"},
        {SOIL, LUGS, RIM "grousers.angle_deg", "10", "30"},
        {HARD, LUGS, RIM "grousers.angle_deg", "10", "30"},
        {SOIL, LUGS, RIM "grousers.thickness_m", "0.003", "0.006"},
        {HARD, LUGS, RIM "grousers.thickness_m", "0.003", "0.006"},
        {SOIL, LUGS, RIM "grousers.count", "8", "14"},
        {HARD, LUGS, RIM "grousers.count", "8", "40"},
        {SOIL, LUGS, RIM "grousers.height_m", "0.008", "0.014"},
        {HARD, RIM "grousers={count: 0, height_m: 0, thickness_m: 0.004}", RIM "grousers.pattern", "slanted",
         "chevron"},
        {HARD, RIM "grousers={count: 0, height_m: 0}", RIM "grousers.thickness_m", "0.003", "0.006"},
        {HARD, RIM "grousers={count: 12, height_m: 0.01, thickness_m: 0.004}", RIM "grousers.angle_deg", "10", "30"},
    };
    wrong = 0;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        compare(ROWS[i].ground, &ROWS[i].situation, 1, ROWS[i].key, ROWS[i].a, ROWS[i].b);
    }
    assert_int_equal(wrong, 0);
}

/// Warnings of a rover's text with overrides.
static int count_warnings(const char *more, const char *override, const char *words)
{
    const char *overrides[] = {override, NULL};
    GrErrorLog log = {0};
    GrRoverDef rover;
    int count = 0;
    write_file("cart.yaml", more, CART, "");
    assert_int_equal(gr_rover_load("./cart.yaml", overrides, &rover, &log), GR_OK);
    gr_rover_free(&rover);
    unlink("cart.yaml");
    for (int i = 0; i < log.count; i++) {
        assert_int_equal(log.items[i].severity, GR_SEVERITY_WARNING);
        count += strstr(log.items[i].text, words) != NULL;
    }
    return count;
}

/// A parameter that no expression uses; an override that removes its only use is not a fault of the file.
static void test_params(void **state)
{
    (void)state;
    static const char WORDS[] = "no expression of the file uses the parameter";
    assert_int_equal(count_warnings("params: {a: 1, b: 2 * a}\n", NULL, WORDS), 1); // b
    assert_int_equal(count_warnings("params: {a: 1}\n", "params.a=3", WORDS), 1);
    assert_int_equal(count_warnings("params: {a: 1}\n", "bodies.arm.mass_kg=a", WORDS), 0);
    assert_int_equal(count_warnings("params: {a: 1}\n", "bodies.arm.mass_kg=2", WORDS), 0);
}

/// The stall torque of a pid motor: once for its line, though `repeat` makes four wheels of it. A motor that an
/// override replaces leaves gains behind, which are not the file's fault.
static void test_once(void **state)
{
    (void)state;
    assert_int_equal(count_warnings("", NULL, "it applies only to the kind dc"), 2); // stall torque and no-load speed
    assert_int_equal(count_warnings("", "bodies.wheel_front_left.joint.motor.kind=none", "no motor"), 0);
    assert_int_equal(count_warnings("", "bodies.wheel_${axle}_${side}.joint.motor.kp=7", "has no effect"), 0);
    assert_int_equal(count_warnings("", "bodies.wheel_${axle}_${side}.joint.motor={kind: none, kp: 7}", "no motor"), 1);
}

#define LINK(name, more)                                                                                               \
    "<link name=\"" name "\"><inertial><mass value=\"2\"/>"                                                            \
    "<inertia ixx=\"0.1\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>" more "</link>"

/// Reads a URDF without a side file; the warnings with some words.
static int urdf_warnings(const char *body, const char *words, GrRoverDef *out)
{
    char text[2000];
    GrErrorLog log = {0};
    GrRoverDef rover;
    int count = 0;
    snprintf(text, sizeof text, "<robot name=\"r\">%s</robot>", body);
    assert_int_equal(gr_rover_parse_urdf(text, strlen(text), "r.urdf", NULL, &rover, &log), GR_OK);
    for (int i = 0; i < log.count; i++) {
        assert_int_equal(log.items[i].severity, GR_SEVERITY_WARNING);
        count += strstr(log.items[i].text, words) != NULL;
    }
    if (out != NULL) {
        *out = rover;
    } else {
        gr_rover_free(&rover);
    }
    return count;
}

#define JOINT(type, more)                                                                                              \
    LINK("a", "")                                                                                                      \
    LINK("b", "") "<joint name=\"j\" type=\"" type "\"><parent link=\"a\"/><child link=\"b\"/>" more "</joint>"

static void test_urdf(void **state)
{
    (void)state;
    static const char NOTHING[] = "has no effect", UNIT[] = "Is the unit right?";
    assert_int_equal(urdf_warnings(JOINT("continuous", "<axis xyz=\"0 1 0\"/>"), "", NULL), 0);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<limit velocity=\"3\"/>"), NOTHING, NULL), 1);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<limit velocity=\"0\"/>"), NOTHING, NULL), 0);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<limit effort=\"3\"/>"), NOTHING, NULL), 1);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<limit lower=\"-1\" upper=\"1\"/>"), NOTHING, NULL), 1);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<calibration rising=\"0\"/>"), NOTHING, NULL), 1);
    assert_int_equal(urdf_warnings(JOINT("continuous", "<safety_controller k_velocity=\"1\"/>"), NOTHING, NULL), 1);
    assert_int_equal(urdf_warnings(JOINT("fixed", "<axis xyz=\"0 1 0\"/><dynamics damping=\"1\"/>"), NOTHING, NULL), 2);
    assert_int_equal(urdf_warnings(LINK("a", "") "<gazebo/><gazebo/><transmission/>", NOTHING, NULL), 2);
    assert_int_equal(urdf_warnings(LINK("a", "") "<gazebo/><gazebo/>", "(2 of them)", NULL), 1);
    // A number that is none, in an element that is ignored, is no error.
    assert_int_equal(urdf_warnings(LINK("a", "") "<gazebo><mass value=\"\"/></gazebo>", NOTHING, NULL), 1);
    assert_int_equal(
        urdf_warnings(LINK("a", "<visual><geometry><box size=\"400 300 100\"/></geometry></visual>"), UNIT, NULL), 1);
    assert_int_equal(
        urdf_warnings(LINK("a", "<visual><geometry><sphere radius=\"0.2\"/></geometry></visual>"), UNIT, NULL), 0);
    assert_int_equal(urdf_warnings("<link name=\"a\"><inertial><mass value=\"2e5\"/><inertia ixx=\"1\" iyy=\"1\" "
                                   "izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>",
                                   UNIT, NULL),
                     1);
}

/// <collision> is what touches, <visual> what is drawn; the same shape twice is one shape.
static void test_urdf_collision(void **state)
{
    (void)state;
    GrRoverDef rover;
    assert_int_equal(urdf_warnings(LINK("a", "<visual><geometry><box size=\"1 1 1\"/></geometry></visual>"
                                             "<collision><geometry><sphere radius=\"1\"/></geometry></collision>"),
                                   "", &rover),
                     0);
    assert_int_equal(rover.bodies[0].shape_count, 2);
    assert_true(rover.bodies[0].shapes[0].only_drawn && rover.bodies[0].shapes[1].only_touches);
    assert_false(rover.bodies[0].shapes[0].only_touches || rover.bodies[0].shapes[1].only_drawn);
    gr_rover_free(&rover);
    assert_int_equal(urdf_warnings(LINK("a", "<visual><geometry><box size=\"1 1 1\"/></geometry></visual>"
                                             "<collision><geometry><box size=\"1 1 1\"/></geometry></collision>"),
                                   "", &rover),
                     0);
    assert_int_equal(rover.bodies[0].shape_count, 1);
    assert_false(rover.bodies[0].shapes[0].only_drawn || rover.bodies[0].shapes[0].only_touches);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_motors),        cmocka_unit_test(test_joints),
                                       cmocka_unit_test(test_wheels),        cmocka_unit_test(test_params),
                                       cmocka_unit_test(test_once),          cmocka_unit_test(test_urdf),
                                       cmocka_unit_test(test_urdf_collision)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
