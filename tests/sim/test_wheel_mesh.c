/// Wheels of rovers with a mesh for the soil: the mesh of a cylinder drives like a cylinder, it is turned with its
/// wheel whichever way the wheel is mounted, and wheels that mirror each other drive straight.
#include "grouser/soil.h"
#include "support/shipped_rover.h"
#include "vec3.h"
#include "wheel_mesh.h"

#include <stdlib.h>

static const double MESH = 0.01; // of the forces; test_rft_surface.c compares them with the closed form
static const double RADIUS = 0.1, WIDTH = 0.08, HEIGHT = 0.01;

/// The surface of a generated wheel, mirrored at its middle plane if wanted.
static GrWheelSurface *make_surface(GrGrouserPattern pattern, int grousers, bool mirrored)
{
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    GrWheelMesh made;
    GrWheelSurface *surface = NULL;
    def.radius = RADIUS;
    def.width = WIDTH;
    def.pattern = pattern;
    def.grouser_count = grousers;
    def.grouser_height = HEIGHT;
    def.grouser_thickness = 0.004;
    def.grouser_angle = 0.7;
    def.segments = 48;
    assert_int_equal(gr_wheel_mesh_create(&def, &made, NULL), GR_OK);
    const int count = made.mesh.triangle_count;
    GrVec3(*t)[3] = malloc(sizeof *t * (size_t)count);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            const GrVec3 p = made.mesh.vertices[made.mesh.triangles[i][mirrored ? 2 - k : k]];
            t[i][k] = gr_vec3(p.x, mirrored ? -p.y : p.y, p.z);
        }
    }
    assert_int_equal(gr_wheel_surface_create((const GrVec3(*)[3])t, count, &surface, NULL), GR_OK);
    free(t);
    gr_wheel_mesh_free(&made);
    return surface;
}

typedef struct Rig {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Rig;

static void destroy(Rig *r)
{
    gr_data_free(r->d);
    gr_model_free(r->m);
    gr_rover_free(&r->rover);
}

/// How a wheel is mounted: the axis of its joint, and the wheel frame in its body.
typedef struct Mount {
    GrVec3 axis;
    GrQuat turn;
} Mount;

static const Mount USUAL = {{0, 1, 0}, {1, 0, 0, 0}};

static void add_wheel(GrRoverDef *rover, const char *name, GrVec3 at, Mount mount, int grousers,
                      GrWheelSurface *surface)
{
    GrBodyDef body = gr_default_body_def();
    GrJointDef joint = gr_default_joint_def();
    GrWheelDef wheel = gr_default_wheel_def();
    snprintf(body.name, sizeof body.name, "%s", name);
    snprintf(joint.name, sizeof joint.name, "%s", name);
    snprintf(wheel.name, sizeof wheel.name, "%s", name);
    body.mass = 1;
    body.inertia = gr_inertia_cylinder_y(1, RADIUS, WIDTH);
    joint.kind = GR_JOINT_REVOLUTE;
    joint.role = GR_ROLE_DRIVE;
    joint.child = gr_rover_add_body(rover, &body);
    joint.pose.position = at;
    joint.axis = mount.axis;
    joint.motor.kind = GR_MOTOR_SPEED;
    assert_true(gr_rover_add_joint(rover, &joint) >= 0);
    wheel.body = joint.child;
    wheel.pose.rotation = mount.turn;
    wheel.radius = RADIUS;
    wheel.width = WIDTH;
    wheel.grouser_count = grousers;
    wheel.grouser_height = grousers > 0 ? HEIGHT : 0;
    wheel.grouser_thickness = 0.004;
    wheel.surface = surface;
    assert_true(gr_rover_add_wheel(rover, &wheel) >= 0);
}

static GrRoverDef make_chassis(void)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef box = gr_default_body_def();
    snprintf(box.name, sizeof box.name, "chassis");
    box.mass = 12;
    box.inertia = gr_inertia_box(12, (GrVec3){0.4, 0.3, 0.1});
    assert_int_equal(gr_rover_add_body(&rover, &box), 0);
    return rover;
}

static void finish(Rig *r, double slope)
{
    GrSoilDef soil = gr_default_soil_def();
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    soil.friction_angle = 0.56;
    soil.cohesion = 0;
    GrOptions options = gr_default_options();
    options.step = 0.002;
    options.gravity = gr_vec3(-9.80665 * sin(slope), 0, -9.80665 * cos(slope));
    options.surface.soil = &soil;
    r->m = make_model(&r->rover, &options, &r->d);
}

/// Four wheels; `left` and `right` are shared by the wheels of a side.
static Rig make_cart(int grousers, double slope, GrWheelSurface *left, GrWheelSurface *right)
{
    Rig r = {.rover = make_chassis()};
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "wheel_%d", i);
        add_wheel(&r.rover, name, gr_vec3(i < 2 ? 0.2 : -0.2, i % 2 ? -0.2 : 0.2, 0), USUAL, grousers,
                  gr_wheel_surface_share(i % 2 ? right : left));
    }
    finish(&r, slope);
    gr_wheel_surface_free(left);
    gr_wheel_surface_free(right);
    return r;
}

/// Drives for some seconds from rest; where it is then.
static GrPose drive(Rig *r, double speed, double time)
{
    gr_data_set_base_pose(r->d, (GrPose){{0, 0, RADIUS + HEIGHT}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(r->m, r->d, NULL, NULL), GR_OK);
    for (int i = 0; i < gr_model_joint_count(r->m); i++) {
        gr_data_set_command(r->m, r->d, i, speed);
    }
    for (int i = 0; i < (int)(time / 0.002); i++) {
        assert_int_equal(gr_step(r->m, r->d), GR_OK);
    }
    return gr_data_base_pose(r->d);
}

/// A smooth rim of 48 flats, against the cylinder.
static void test_cylinder(void **state)
{
    (void)state;
    GrPose end[2];
    double sinkage[2];
    for (int q = 0; q < 2; q++) {
        GrWheelSurface *surface = q ? make_surface(GR_GROUSERS_STRAIGHT, 0, false) : NULL;
        Rig r = make_cart(0, 0, surface, gr_wheel_surface_share(surface));
        end[q] = drive(&r, 1, 4);
        sinkage[q] = gr_data_wheel(r.m, r.d, 0).sinkage;
        destroy(&r);
    }
    print_message("cylinder: %.4f m, sinkage %.3f mm; mesh: %.4f m, %.3f mm\n", end[0].position.x, 1e3 * sinkage[0],
                  end[1].position.x, 1e3 * sinkage[1]);
    assert_near_rel(end[1].position.x, end[0].position.x, MESH);
    assert_near_rel(sinkage[1], sinkage[0], 2 * MESH);
}

/// Direction of the only grouser of a generated wheel, in the wheel frame: that of its furthest points.
static GrVec3 grouser_direction(void)
{
    GrWheelMeshDef def = gr_default_wheel_mesh_def();
    GrWheelMesh made;
    GrVec3 sum = {0, 0, 0};
    def.radius = RADIUS;
    def.grouser_count = 1;
    assert_int_equal(gr_wheel_mesh_create(&def, &made, NULL), GR_OK);
    for (int i = 0; i < made.mesh.vertex_count; i++) {
        const GrVec3 p = made.mesh.vertices[i];
        sum = p.x * p.x + p.z * p.z > 1.05 * RADIUS * RADIUS ? gr_add(sum, gr_vec3(p.x, 0, p.z)) : sum;
    }
    gr_wheel_mesh_free(&made);
    return gr_normalize(sum);
}

/// A rim 2 mm above the ground with one grouser of 10 mm, pressed down, carries load only while the grouser is below,
/// which is where the rotations of joint and wheel frame take it.
static void test_turned(void **state)
{
    (void)state;
    static const double HALF = 0.70710678118654752;
    static const Mount MOUNTS[] = {
        {{0, 1, 0}, {1, 0, 0, 0}},        {{0, 1, 0}, {HALF, 0, HALF, 0}}, // the wheel frame is a quarter ahead
        {{0, -1, 0}, {HALF, 0, HALF, 0}}, // the same, and the joint turns the other way
        {{0, 1, 0}, {0, 0, 0, 1}},        // y of the wheel frame to the right
        {{1, 0, 0}, {HALF, 0, 0, HALF}},  // the axle points back: it rolls to the side
    };
    const GrVec3 grouser = grouser_direction();
    const double touch = (RADIUS + 0.002) / (RADIUS + HEIGHT); // cosine of its angle to the vertical
    for (size_t q = 0; q < sizeof MOUNTS / sizeof MOUNTS[0]; q++) {
        Rig r = {.rover = make_chassis()};
        add_wheel(&r.rover, "wheel", gr_vec3(0, 0, 0), MOUNTS[q], 1, make_surface(GR_GROUSERS_STRAIGHT, 1, false));
        finish(&r, 0);
        const GrVec3 start = gr_quat_rotate(MOUNTS[q].turn, grouser);
        double load[72], below[72], most = 0;
        int in = 0, out = 0;
        for (int k = 0; k < 72; k++) {
            const double angle = k * GR_PI / 36, half = 0.5 * angle, n = sin(half);
            const GrVec3 a = MOUNTS[q].axis;
            below[k] = -gr_quat_rotate((GrQuat){cos(half), n * a.x, n * a.y, n * a.z}, start).z;
            gr_data_reset(r.m, r.d);
            gr_data_set_base_pose(r.d, (GrPose){{0, 0, RADIUS + 0.002}, {1, 0, 0, 0}});
            gr_data_set_joint(r.m, r.d, 0, angle, 0);
            gr_data_set_base_velocity(r.d, (GrVec3){0, 0, -0.01}, (GrVec3){0, 0, 0});
            assert_int_equal(gr_step(r.m, r.d), GR_OK);
            load[k] = gr_data_wheel(r.m, r.d, 0).world_force.z;
            most = fmax(most, load[k]);
        }
        for (int k = 0; k < 72; k++) { // soil held by the only grouser is a hull that carries a little
            assert_true(below[k] < touch + 0.03 || load[k] > 0.1 * most);
            assert_true(below[k] > touch - 0.03 || load[k] < 0.01 * most);
            in += below[k] > touch + 0.03;
            out += below[k] < touch - 0.03;
        }
        assert_true(in > 3 && out > 50);
        destroy(&r);
    }
}

/// Slanted grousers push to the side. Where the right wheels mirror the left ones the rover drives straight; with the
/// same mesh on both sides it is pushed to one side, and mirroring all of them gives the mirrored path.
static void test_mirrored(void **state)
{
    (void)state;
    static const double SLOPE = 0.2; // [rad] wheels must slip to push
    static const bool MIRRORED[4][2] = {{false, true}, {true, false}, {false, false}, {true, true}}; // left, right
    GrPose end[4];
    for (int q = 0; q < 4; q++) {
        Rig r = make_cart(12, SLOPE, make_surface(GR_GROUSERS_SLANTED, 12, MIRRORED[q][0]),
                          make_surface(GR_GROUSERS_SLANTED, 12, MIRRORED[q][1]));
        end[q] = drive(&r, 1, 4);
        print_message("slanted %d %d: x %.4f m, y %.2e m, heading %.2e rad\n", MIRRORED[q][0], MIRRORED[q][1],
                      end[q].position.x, end[q].position.y, 2 * end[q].rotation.z);
        destroy(&r);
    }
    const double aside = fabs(end[2].position.y);
    assert_true(aside > 1e-3);
    // Triangles of a mesh and of its mirror image are cut into pieces differently, by 1 % of the forces (MESH).
    assert_true(fabs(end[0].position.y) < 0.05 * aside && fabs(end[1].position.y) < 0.05 * aside);
    assert_near(end[3].position.y, -end[2].position.y, 0.05 * aside);
    assert_near_rel(end[3].position.x, end[2].position.x, MESH);
}

/// Another law says that the mesh has no effect, several slices are refused, and so is a mesh of another size.
static void test_refused(void **state)
{
    (void)state;
    GrRoverDef rover = make_chassis();
    add_wheel(&rover, "wheel", gr_vec3(0, 0, 0), USUAL, 18, make_surface(GR_GROUSERS_CHEVRON, 18, false));
    GrSoilDef soil = gr_default_soil_def();
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    GrErrorLog log = {0};
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, &log);
    gr_model_free(m);
    bool warned = false;
    for (int i = 0; i < log.count; i++) {
        warned = warned || (strcmp(log.items[i].field, "soil_mesh") == 0 && strstr(log.items[i].text, "wong_reece"));
    }
    assert_true(warned);
    soil.law = GR_SOIL_RFT;
    soil.density = 1600;
    options.surface.slices = 2;
    log = (GrErrorLog){0};
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_string_equal(log.items[0].field, "slices");
    options.surface.slices = 1;
    rover.wheels[0].radius *= 1.06;
    log = (GrErrorLog){0};
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, &log), GR_OK);
    assert_string_equal(log.items[0].field, "wheels.wheel.surface");
    rover.wheels[0].radius = RADIUS;
    rover.wheels[0].width *= 1.06;
    assert_int_not_equal(gr_model_create(&rover, &options, &(GrModel *){NULL}, NULL), GR_OK);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cylinder),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_mirrored),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
