#include "test.h"

#include "grouser/model.h"
#include "grouser/rover.h"
#include "rover_urdf.h"
#include "vec3.h"

static GrErrorLog error_log;

static GrRoverDef load(const char *path, const char *const *overrides)
{
    GrRoverDef rover;
    char full[512];
    memset(&error_log, 0, sizeof error_log);
    snprintf(full, sizeof full, "%s/%s", GR_TEST_SOURCE_DIR, path);
    assert_int_equal(gr_rover_load(full, overrides, &rover, &error_log), GR_OK);
    return rover;
}

static GrRoverDef parse(const char *text)
{
    GrRoverDef rover;
    memset(&error_log, 0, sizeof error_log);
    const GrStatus status = gr_rover_parse_urdf(text, strlen(text), "t.urdf", NULL, &rover, &error_log);
    if (status != GR_OK) {
        char message[1200];
        gr_error_format(&error_log.items[0], message, sizeof message);
        print_error("%s\n", message);
    }
    assert_int_equal(status, GR_OK);
    return rover;
}

static void assert_same_pose(GrPose a, GrPose b)
{
    assert_near(gr_norm(gr_sub(a.position, b.position)), 0, 1e-14);
    const double dot = a.rotation.w * b.rotation.w + a.rotation.x * b.rotation.x + a.rotation.y * b.rotation.y +
                       a.rotation.z * b.rotation.z;
    assert_near(fabs(dot), 1, 1e-14);
}

/// Equal numbers, infinite ones included.
static void assert_same(double a, double b)
{
    assert_true(a == b || fabs(a - b) <= 1e-14);
}

static void assert_same_body(const GrBodyDef *a, const GrBodyDef *b)
{
    assert_string_equal(a->name, b->name);
    assert_same(a->mass, b->mass);
    assert_near(gr_norm(gr_sub(a->com, b->com)), 0, 1e-15);
    const double *x = &a->inertia.xx, *y = &b->inertia.xx;
    for (int i = 0; i < 6; i++) {
        assert_same(x[i], y[i]);
    }
    assert_int_equal(a->shape_count, b->shape_count);
    for (int i = 0; i < a->shape_count; i++) {
        const GrShapeDef *s = &a->shapes[i], *t = &b->shapes[i];
        assert_int_equal(s->kind, t->kind);
        assert_same_pose(s->pose, t->pose);
        assert_near(gr_norm(gr_sub(s->size, t->size)), 0, 1e-15);
        assert_same(s->radius, t->radius);
        assert_same(s->length, t->length);
    }
}

static void assert_same_joint(const GrJointDef *a, const GrJointDef *b)
{
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->role, b->role);
    assert_int_equal(a->parent, b->parent);
    assert_int_equal(a->child, b->child);
    assert_same_pose(a->pose, b->pose);
    assert_near(gr_norm(gr_sub(a->axis, b->axis)), 0, 0);
    const double *x = &a->lower, *y = &b->lower;
    for (int i = 0; i <= &a->initial - &a->lower; i++) {
        assert_same(x[i], y[i]);
    }
    assert_int_equal(a->motor.kind, b->motor.kind);
    for (int i = 0; i <= &a->motor.rotor_inertia - &a->motor.kp; i++) {
        assert_same((&a->motor.kp)[i], (&b->motor.kp)[i]);
    }
}

static void test_yaml_twin(void **state)
{
    (void)state;
    GrRoverDef a = load("data/rovers/urdf_example/pebble.urdf", NULL);
    GrRoverDef b = load("tests/scenario/pebble_twin.yaml", NULL);
    assert_string_equal(a.name, b.name);
    assert_string_equal(a.title, b.title);
    assert_int_equal(a.note_count, b.note_count);
    assert_memory_equal(a.notes, b.notes, (size_t)a.note_count * sizeof *a.notes);
    assert_int_equal(a.body_count, b.body_count);
    for (int i = 0; i < a.body_count; i++) {
        assert_same_body(&a.bodies[i], &b.bodies[i]);
    }
    assert_int_equal(a.joint_count, b.joint_count);
    for (int i = 0; i < a.joint_count; i++) {
        assert_same_joint(&a.joints[i], &b.joints[i]);
    }
    assert_int_equal(a.wheel_count, b.wheel_count);
    assert_memory_equal(a.wheels, b.wheels, (size_t)a.wheel_count * sizeof *a.wheels);
    assert_int_equal(a.coupling_count, b.coupling_count);
    assert_memory_equal(a.couplings, b.couplings, (size_t)a.coupling_count * sizeof *a.couplings);
    gr_rover_free(&a);
    gr_rover_free(&b);
}

static void test_overrides_reach_the_side_file(void **state)
{
    (void)state;
    const char *const overrides[] = {"params.wheel_radius=0.08", "joints.drive_rear_left.motor.torque_limit_Nm=9",
                                     NULL};
    GrRoverDef rover = load("data/rovers/urdf_example/pebble.urdf", overrides);
    assert_true(rover.wheels[0].radius == 0.08);
    int found = 0;
    for (int i = 0; i < rover.joint_count; i++) {
        found += rover.joints[i].motor.torque_limit == 9;
    }
    assert_int_equal(found, 1);
    gr_rover_free(&rover);
}

#define INERTIAL                                                                                                       \
    "<inertial><mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.25'/></inertial>"

static void test_massless_roots(void **state)
{
    (void)state;
    // two frames above the chassis, a sensor beside it, a wheel on the upper frame
    GrRoverDef rover = parse("<robot name='r'><link name='foot'/><link name='base'/><link name='sensor'/>"
                             "<link name='body'>" INERTIAL "</link><link name='wheel'>" INERTIAL "</link>"
                             "<joint name='a' type='fixed'><parent link='foot'/><child link='base'/>"
                             "<origin xyz='0 0 0.1'/></joint>"
                             "<joint name='s' type='fixed'><parent link='base'/><child link='sensor'/></joint>"
                             "<joint name='b' type='fixed'><parent link='base'/><child link='body'/>"
                             "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/></joint>"
                             "<joint name='w' type='continuous'><parent link='base'/><child link='wheel'/>"
                             "<origin xyz='1 2 0'/></joint></robot>");
    assert_int_equal(error_log.count, 0);
    assert_string_equal(rover.bodies[0].name, "body");
    assert_int_equal(rover.body_count, 5);
    // seen from the body, which is turned by 90 degrees: the wheel is 2 m away along its x
    GrPose poses[5] = {gr_pose_identity()};
    for (int i = 0; i < rover.joint_count; i++) {
        const GrJointDef *joint = &rover.joints[i];
        poses[joint->child] = gr_pose_mul(poses[joint->parent], joint->pose);
        if (strcmp(joint->name, "w") == 0) {
            assert_near(gr_norm(gr_sub(poses[joint->child].position, gr_vec3(2, 0, 0))), 0, 1e-12);
        }
        if (strcmp(joint->name, "a") == 0) { // turned: foot hangs on base
            assert_string_equal(rover.bodies[joint->child].name, "foot");
        }
    }
    gr_rover_free(&rover);
}

static void test_inertia_is_turned_into_the_link(void **state)
{
    (void)state;
    GrRoverDef rover =
        parse("<robot name='r'><link name='b'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/>"
              "<mass value='2'/><inertia ixx='0.1' ixy='0' ixz='0.01' iyy='0.2' iyz='0' izz='0.25'/>"
              "</inertial></link></robot>");
    const GrSym3 i = rover.bodies[0].inertia;
    assert_near(i.xx, 0.2, 1e-15);
    assert_near(i.yy, 0.1, 1e-15);
    assert_near(i.zz, 0.25, 1e-15);
    assert_near(i.yz, 0.01, 1e-15); // the old x axis is the new y axis
    assert_near(i.xz, 0, 1e-15);
    assert_true(rover.bodies[0].com.z == 3);
    gr_rover_free(&rover);
}

static void test_prismatic_and_mimic(void **state)
{
    (void)state;
    GrRoverDef rover =
        parse("<robot name='r'><link name='b'>" INERTIAL "</link><link name='c'>" INERTIAL "</link>"
              "<link name='d'>" INERTIAL "</link>"
              "<joint name='slide' type='prismatic'><parent link='b'/><child link='c'/><axis xyz='0 0 2'/>"
              "<limit lower='-0.1' upper='0.2' effort='50' velocity='1'/></joint>"
              "<joint name='turn' type='continuous'><parent link='c'/><child link='d'/>"
              "<mimic joint='slide' multiplier='3' offset='0.5'/></joint></robot>");
    assert_int_equal(rover.joints[0].kind, GR_JOINT_PRISMATIC);
    assert_true(rover.joints[0].lower == -0.1 && rover.joints[0].upper == 0.2);
    assert_true(isinf(rover.joints[0].motor.torque_limit)); // no motor, no limit
    assert_true(rover.joints[1].axis.x == 1);               // URDF's default
    assert_int_equal(rover.coupling_count, 1);
    assert_true(rover.couplings[0].joint == 1 && rover.couplings[0].of == 0);
    assert_true(rover.couplings[0].ratio == 3 && rover.couplings[0].offset == 0.5);
    gr_rover_free(&rover);
}

/// A chassis that floats in `world`, a load that floats on it, a part that slides on a plane; what such joints cannot
/// have is a warning.
static void test_floating_and_planar(void **state)
{
    (void)state;
    GrRoverDef rover = parse(
        "<robot name='r'><link name='world'/><link name='b'>" INERTIAL "</link><link name='c'>" INERTIAL "</link>"
        "<link name='d'>" INERTIAL "</link>"
        "<joint name='base' type='floating'><parent link='world'/><child link='b'/></joint>"
        "<joint name='load' type='floating'><origin xyz='0 0 1'/><parent link='b'/><child link='c'/>"
        "<dynamics damping='2'/></joint>"
        "<joint name='table' type='planar'><parent link='b'/><child link='d'/><axis xyz='0 0 1'/></joint></robot>");
    assert_string_equal(rover.bodies[0].name, "b");
    assert_int_equal(error_log.count, 1);
    assert_non_null(strstr(error_log.items[0].text, "<dynamics> has no effect"));
    int kinds[GR_JOINT_KIND_COUNT] = {0};
    for (int i = 0; i < rover.joint_count; i++) {
        kinds[rover.joints[i].kind]++;
    }
    assert_true(kinds[GR_JOINT_FREE] == 1 && kinds[GR_JOINT_PLANAR] == 1 && kinds[GR_JOINT_FIXED] == 1);
    gr_rover_free(&rover);
}

static void test_warnings(void **state)
{
    (void)state;
    GrRoverDef rover =
        parse("<robot name='r'>\n<link name='b'>" INERTIAL
              "<visual><geometry><mesh filename='x.stl'/></geometry></visual></link>\n<lnk name='c'/></robot>");
    char text[1200];
    assert_int_equal(error_log.warning_count, 2);
    gr_error_format(&error_log.items[0], text, sizeof text);
    assert_string_equal(text, "t.urdf:3: warning: the unknown element <lnk> is ignored; did you mean 'link'?");
    gr_error_format(&error_log.items[1], text, sizeof text);
    assert_string_equal(text,
                        "t.urdf:2: warning: links.b: the mesh x.stl is left out: there is no such file beside the "
                        "URDF, or for package:// and ../ in the folder above; only the link's other shapes remain");
    gr_rover_free(&rover);
}

/// Tools write the same fault for every link: one line a kind, with a count.
static void test_warnings_fold(void **state)
{
    (void)state;
    static char text[20000];
    size_t used = (size_t)snprintf(text, sizeof text, "<robot name='r'><link name='b'>" INERTIAL "</link>\n");
    enum { LINKS = 40 };
    for (int i = 0; i < LINKS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "<link name='l%d'><visual><geometry><mesh filename='package://p/l%d.dae'/></geometry>"
                                 "</visual></link><joint name='j%d' type='fixed'><parent link='b'/><child link='l%d'/>"
                                 "<axs/></joint>",
                                 i, i, i, i);
    }
    snprintf(text + used, sizeof text - used, "</robot>");
    GrRoverDef rover = parse(text);
    assert_int_equal(error_log.warning_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_non_null(strstr(error_log.items[i].text, "(and 39 more like it)"));
    }
    assert_non_null(strstr(error_log.items[0].text, "Convert it to STL or OBJ"));
    gr_rover_free(&rover);
}

/// What CAD programs and generators write: no name, names of up to 255 bytes, masses of 0, limits that are equal.
static void test_of_generators(void **state)
{
    (void)state;
    char name[GR_NAME_SIZE], text[4000];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             "<robot name=''><link name='body'>" INERTIAL "</link><link name='axis'><inertial><mass value='0'/>"
             "<inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link><link name='%s'>" INERTIAL
             "</link><joint name='%s' type='fixed'><parent link='axis'/><child link='%s'/></joint>"
             "<joint name='turn' type='revolute'><parent link='body'/><child link='axis'/><axis xyz='0 0 2'/>"
             "<limit lower='-1' upper='1'/></joint>"
             "<link name='cam'>" INERTIAL "</link><joint name='tilt' type='revolute'><parent link='body'/>"
             "<child link='cam'/><axis xyz='0 0 2'/><limit effort='0' lower='0.5' upper='0.5'/></joint></robot>",
             name, name, name);
    GrRoverDef rover = parse(text);
    assert_string_equal(rover.name, "t");
    assert_int_equal(error_log.warning_count, 3); // name, mass, limits
    for (int i = 0; i < rover.joint_count; i++) {
        const GrJointDef *joint = &rover.joints[i];
        const bool turns = strcmp(joint->name, "turn") == 0;
        assert_int_equal(joint->kind, turns ? GR_JOINT_REVOLUTE : GR_JOINT_FIXED);
        if (strcmp(joint->name, "tilt") == 0) {
            assert_near(gr_quat_rotate(joint->pose.rotation, gr_vec3(1, 0, 0)).y, sin(0.5), 1e-15);
        }
    }
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(&rover, NULL, &m, &error_log),
                     GR_OK); // what is fixed to the axis gives it its mass
    gr_model_free(m);
    gr_rover_free(&rover);
}

/// A mesh is not looked for outside of the file's folder and its package, even where it would be found.
static void test_meshes_elsewhere(void **state)
{
    (void)state;
    FILE *file = fopen("elsewhere.obj", "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n", file);
    fclose(file);
    static const char *const NAMES[] = {"elsewhere.obj", "package://../elsewhere.obj", "../elsewhere.obj",
                                        "package://robot/../elsewhere.obj", "file://../elsewhere.obj"};
    for (int i = 0; i < 5; i++) {
        char text[800];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='b'>" INERTIAL
                 "<visual><geometry><mesh filename='%s'/></geometry></visual></link></robot>",
                 NAMES[i]);
        GrRoverDef rover = parse(text);
        assert_int_equal(error_log.warning_count, i == 0 ? 0 : 1);
        assert_int_equal(rover.bodies[0].shape_count, i == 0 ? 1 : 0);
        gr_rover_free(&rover);
    }
    remove("elsewhere.obj");
}

/// Thousands of attributes would cost libxml2 minutes; a quote or a '>' inside of comments and values must not hide
/// them.
static void test_long_tags(void **state)
{
    (void)state;
    static char text[200000];
    const char *const heads[] = {"<robot name='r'><link ", "<robot name='r'><!-- ' --><link ",
                                 "<robot name='r'><?x \" ?><link ", "<robot name='r'><![CDATA[<!--]]><link "};
    for (size_t h = 0; h < sizeof heads / sizeof heads[0]; h++) {
        GrRoverDef rover;
        size_t used = (size_t)snprintf(text, sizeof text, "%s", heads[h]);
        for (int i = 0; i < 10000; i++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "a%d='>' ", i);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "/></robot>");
        memset(&error_log, 0, sizeof error_log);
        assert_int_equal(gr_rover_parse_urdf(text, used, "t.urdf", NULL, &rover, &error_log), GR_ERROR_SYNTAX);
        assert_string_equal(error_log.items[0].text, "a tag of more than 16384 bytes");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yaml_twin),           cmocka_unit_test(test_overrides_reach_the_side_file),
        cmocka_unit_test(test_massless_roots),      cmocka_unit_test(test_inertia_is_turned_into_the_link),
        cmocka_unit_test(test_prismatic_and_mimic), cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_warnings_fold),       cmocka_unit_test(test_of_generators),
        cmocka_unit_test(test_meshes_elsewhere),    cmocka_unit_test(test_floating_and_planar),
        cmocka_unit_test(test_long_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
