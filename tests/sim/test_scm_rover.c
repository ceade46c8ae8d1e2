/// A six-wheeled rover on ground that gives way: it settles, holds on a slope, drives, leaves ruts; a second pass finds
/// them; copies and restored runs go on with the same bits.
#include "data.h"
#include "test.h"

#include <pthread.h>
#include <stdlib.h>

static const double GRAVITY = 9.80665;
static const double PI = 3.14159265358979323846;

typedef struct Drive {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Drive;

/// On the plane z = 0 with gravity tilted by `slope`.
static Drive make(const char *name, double slope_deg, double step, bool flow)
{
    char path[512];
    Drive v = {0};
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &v.rover, NULL), GR_OK);
    for (int i = 0; i < v.rover.joint_count; i++) {
        if (v.rover.joints[i].role == GR_ROLE_DRIVE) {
            v.rover.joints[i].motor.kind = GR_MOTOR_SPEED;
        }
    }
    GrSoilDef soil = gr_default_soil_def(); // Ishigami et al. 2007
    soil.law = GR_SOIL_SCM;
    soil.damping = 400;
    GrOptions options = gr_default_options();
    const double slope = slope_deg * PI / 180;
    options.gravity = gr_vec3(-GRAVITY * sin(slope), 0, -GRAVITY * cos(slope));
    options.step = step;
    options.surface.soil = &soil;
    options.surface.rut_cell = 0.01;
    options.surface.soil_flow = flow;
    GrErrorLog log = {0};
    v.m = gr_model_create(&v.rover, &options, &log);
    if (v.m == NULL) {
        print_error("%s: %s\n", log.items[0].field, log.items[0].text);
    }
    assert_non_null(v.m);
    v.d = gr_data_create(v.m);
    assert_non_null(v.d);
    gr_forward(v.m, v.d);
    double lowest = 0;
    for (int i = 0; i < v.m->wheel_count; i++) { // wheels stand on the ground
        const GrPose pose = gr_data_body_pose(v.m, v.d, v.rover.wheels[i].body);
        lowest = fmin(lowest, pose.position.z - v.rover.wheels[i].radius);
    }
    gr_data_set_base_pose(v.d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    GrEquilibrium rest;
    assert_int_equal(gr_settle(v.m, v.d, &rest, NULL), GR_OK);
    return v;
}

static void destroy(Drive *v)
{
    gr_data_free(v->d);
    gr_model_free(v->m);
    gr_rover_free(&v->rover);
}

static void run(Drive *v, double duration)
{
    const int steps = (int)lround(duration / v->m->options.step);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(gr_step(v->m, v->d), GR_OK);
    }
}

static void drive(Drive *v, double wheel_speed)
{
    for (int i = 0; i < v->m->joint_count; i++) {
        if (v->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(v->m, v->d, i, wheel_speed);
        }
    }
}

static double rover_x(const Drive *v)
{
    return gr_data_base_pose(v->d).position.x;
}

static void print(const Drive *v, const char *what)
{
    GrVec3 linear, angular;
    double load = 0;
    gr_data_base_velocity(v->d, &linear, &angular);
    for (int i = 0; i < v->m->wheel_count; i++) {
        load += gr_data_wheel(v->m, v->d, i).force.z;
    }
    const GrWheelView w = gr_data_wheel(v->m, v->d, 0), u = gr_data_wheel(v->m, v->d, 2);
    print_message("%s: x %.6f z %.6f v %g vz %g | w0 sink %.5f slip %.4f fx %.3f fz %.3f | w2 sink %.5f fx %.3f | load %.3f\n",
                  what, rover_x(v), gr_data_base_pose(v->d).position.z, linear.x, linear.z, w.sinkage, w.slip,
                  w.force.x, w.force.z, u.sinkage, u.force.x, load);
}

static void test_look(void **state)
{
    (void)state;
    for (int q = 0; q < 3; q++) {
        const double step = q == 0 ? 0.001 : q == 1 ? 0.005 : 0.01;
        Drive v = make("rashid_like", 0, step, false);
        print(&v, "settled");
        run(&v, 2);
        print(&v, "rest 2 s");
        drive(&v, 0.05 / v.rover.wheels[0].radius);
        for (int k = 0; k < 4; k++) {
            run(&v, 5);
            print(&v, "drive");
        }
        destroy(&v);
    }
    Drive v = make("rashid_like", 10, 0.005, false);
    print(&v, "slope");
    for (int k = 0; k < 3; k++) {
        run(&v, 10);
        print(&v, "slope 10 s");
    }
    destroy(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
