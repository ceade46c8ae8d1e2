/// A rover that leaves wheel traces: their position and depth, that its own wheels drive in them, that the length of
/// the step does not matter, and that copies and restored runs continue with the same bits.
#include "support/body_rig.h"

#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, CELL = 0.005;

static Rig make(double step, GrRutsKind ruts)
{
    Rig v = {0};
    load_rover("rashid_like", &v.rover);
    make_motors_ideal(&v.rover);
    GrSoilDef soil = gr_default_soil_def();
    soil.damping = 200;
    GrOptions options = gr_default_options();
    options.gravity = gr_vec3(0, 0, -1.62);
    options.step = step;
    options.surface.soil = &soil;
    options.surface.ruts = ruts;
    options.surface.rut_cell = CELL;
    v.m = make_model(&v.rover, &options, &v.d);
    gr_forward(v.m, v.d);
    double lowest = 0;
    for (int i = 0; i < v.m->wheel_count; i++) {
        const GrPose pose = gr_data_body_pose(v.m, v.d, v.rover.wheels[i].body);
        lowest = fmin(lowest, pose.position.z - v.rover.wheels[i].radius);
    }
    gr_data_set_base_pose(v.d, (GrPose){{0, 0, -lowest}, {1, 0, 0, 0}});
    assert_int_equal(gr_settle(v.m, v.d, NULL, NULL), GR_OK);
    return v;
}

static void drive(Rig *v, double speed)
{
    for (int i = 0; i < v->m->joint_count; i++) {
        if (v->m->joint_roles[i] == GR_ROLE_DRIVE) {
            gr_data_set_command(v->m, v->d, i, speed / v->rover.wheels[0].radius);
        }
    }
}

static GrVec3 wheel_at(const Rig *v, int wheel)
{
    return gr_data_body_pose(v->m, v->d, v->rover.wheels[wheel].body).position;
}

/// The foremost wheel, and one behind it in the same track.
static void find_wheels(const Rig *v, int *front, int *rear)
{
    *front = *rear = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        *front = wheel_at(v, i).x > wheel_at(v, *front).x ? i : *front;
    }
    for (int i = 0; i < v->m->wheel_count; i++) {
        const bool same = fabs(wheel_at(v, i).y - wheel_at(v, *front).y) < 0.02;
        *rear = same && wheel_at(v, i).x < wheel_at(v, *rear).x ? i : *rear;
    }
    assert_int_not_equal(*front, *rear);
}

/// Behind the front wheel and up to behind the rear one lies the trace of the front wheel alone: period and depth as
/// its slip and load say.
static void test_trace_between(void **state)
{
    (void)state;
    Rig v = make(0.005, GR_RUTS_TRACE);
    int front, rear;
    find_wheels(&v, &front, &rear);
    drive(&v, 0.05);
    run(&v, 8);
    const GrVec3 a = wheel_at(&v, rear), b = wheel_at(&v, front);
    const GrWheelView view = gr_data_wheel(v.m, v.d, front);
    const GrRuts *ruts = gr_data_ruts(v.d);
    const GrTraceShape shape = gr_trace_shape(&v.m->trace_wheels[front], view.force.z, view.slip);
    const double r = v.m->soil_wheels[front].radius, count = v.rover.wheels[front].grouser_count;
    const double wanted = 2 * PI * r * (1 - view.slip) / count;
    double first = 0, last = 0, sum = 0, before = shape.mean;
    int rises = 0, nodes = 0;
    const double reach = v.m->trace_wheels[front].sampling.reach - 0.02; // what the rear wheel leaves appears behind it
    for (int64_t i = (int64_t)ceil((a.x - reach) / CELL); i <= (int64_t)floor((b.x - reach - 0.04) / CELL); i++) {
        const double z = gr_ruts_get(ruts, i, lround(b.y / CELL));
        if (before < shape.mean && z >= shape.mean) {
            last = CELL * ((double)i - (z - shape.mean) / (z - before));
            first = rises++ == 0 ? last : first;
        }
        sum += z;
        before = z;
        nodes++;
    }
    print_message("load %.3f N, slip %.4f: mean %.3f mm, period %.3f mm (%.3f); %d nodes, %d rises\n", view.force.z,
                  view.slip, 1000 * shape.mean, 1000 * (last - first) / (rises - 1), 1000 * wanted, nodes, rises);
    assert_true(rises >= 3);
    assert_near((last - first) / (rises - 1), wanted, CELL);
    assert_near(sum / nodes, shape.mean, 0.25 * fabs(shape.mean));
    // Below the front wheel the ground is whole: it stands as in a run without ruts.
    assert_near(gr_ruts_get(ruts, lround(b.x / CELL), lround(b.y / CELL)), 0, 0);
    destroy(&v);
}

/// The rear wheel drives lower by about the depth of the trace than without ruts; the front wheel does not.
static void test_rear_wheel_sees_it(void **state)
{
    (void)state;
    double front_z[2], rear_z[2], slip[2] = {0}, mean = 0;
    for (int k = 0; k < 2; k++) {
        Rig v = make(0.005, k == 0 ? GR_RUTS_NONE : GR_RUTS_TRACE);
        int front, rear;
        find_wheels(&v, &front, &rear);
        drive(&v, 0.05);
        run(&v, 12);
        front_z[k] = rear_z[k] = 0;
        for (int i = 0; i < 40; i++) { // over some periods
            run(&v, 0.1);
            front_z[k] += wheel_at(&v, front).z / 40;
            rear_z[k] += wheel_at(&v, rear).z / 40;
            slip[k] += gr_data_wheel(v.m, v.d, front).slip / 40;
        }
        const GrWheelView view = gr_data_wheel(v.m, v.d, front);
        mean = k == 1 ? gr_trace_shape(&v.m->trace_wheels[front], view.force.z, view.slip).mean : 0;
        destroy(&v);
    }
    print_message("slip %.4f and %.4f, front %.3f mm, rear %.3f mm, trace %.3f mm\n", slip[0], slip[1],
                  1000 * (front_z[1] - front_z[0]), 1000 * (rear_z[1] - rear_z[0]), 1000 * mean);
    assert_near(front_z[1], front_z[0], 0.2 * fabs(mean));
    assert_near(rear_z[1] - rear_z[0], mean, 0.4 * fabs(mean));
}

/// The track of the front wheels from 1 ms and from 5 ms steps.
static void test_step_size(void **state)
{
    (void)state;
    Rig a = make(0.001, GR_RUTS_TRACE), b = make(0.005, GR_RUTS_TRACE);
    int front, rear;
    find_wheels(&a, &front, &rear);
    drive(&a, 0.05);
    drive(&b, 0.05);
    run(&a, 6);
    run(&b, 6);
    const double from = wheel_at(&a, rear).x - a.m->trace_wheels[rear].sampling.reach + 0.02,
                 to = wheel_at(&a, front).x - a.m->trace_wheels[front].sampling.reach - 0.02;
    double squares = 0, swing = gr_trace_shape(&a.m->trace_wheels[front], 3, 0).swing;
    int count = 0;
    for (int64_t j = -100; j <= 100; j++) {
        for (int64_t i = (int64_t)ceil(from / CELL); i <= (int64_t)floor(to / CELL); i++) {
            const double off = gr_ruts_get(gr_data_ruts(a.d), i, j) - gr_ruts_get(gr_data_ruts(b.d), i, j);
            squares += off * off;
            count += gr_ruts_get(gr_data_ruts(a.d), i, j) != 0;
        }
    }
    print_message("rms difference of 1 and 5 ms: %.4f mm on %d nodes\n", 1000 * sqrt(squares / count), count);
    assert_true(count > 500);
    assert_true(sqrt(squares / count) < 0.02 * swing);
    destroy(&a);
    destroy(&b);
}

static void test_copies(void **state)
{
    (void)state;
    Rig v = make(0.005, GR_RUTS_TRACE);
    GrData *other = NULL;
    gr_data_create(v.m, &other, NULL);
    drive(&v, 0.05);
    run(&v, 5);
    gr_data_copy(v.m, other, v.d);
    const size_t size = gr_data_size(v.m, v.d);
    void *saved = malloc(size);
    assert_int_equal(gr_data_save(v.m, v.d, saved), GR_OK);
    run(&v, 2);
    const uint64_t hash = gr_data_hash(v.m, v.d);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(gr_step(v.m, other), GR_OK);
    }
    assert_true(gr_data_hash(v.m, other) == hash);
    gr_data_reset(v.m, other);
    assert_int_equal(gr_ruts_tile_count(gr_data_ruts(other)), 0);
    assert_int_equal(gr_data_restore(v.m, other, saved, size, NULL), GR_OK);
    for (int i = 0; i < 400; i++) {
        assert_int_equal(gr_step(v.m, other), GR_OK);
    }
    assert_true(gr_data_hash(v.m, other) == hash);
    free(saved);
    gr_data_free(other);
    destroy(&v);
}

static void test_refusals(void **state)
{
    (void)state;
    Rig v = make(0.005, GR_RUTS_NONE);
    assert_null(gr_data_ruts(v.d));
    const struct {
        GrSoilLaw law;
        GrRutsKind ruts;
        double cell;
        const char *message;
    } cases[] = {{GR_SOIL_SCM, GR_RUTS_NONE, 0, "must be above 0"},
                 {GR_SOIL_BEKKER, GR_RUTS_SCM, 0, "must be above 0"},
                 {GR_SOIL_BEKKER, GR_RUTS_TRACE, 0, "must be above 0"}};
    for (int i = 0; i < 3; i++) {
        GrSoilDef soil = gr_default_soil_def();
        GrOptions options = gr_default_options();
        GrErrorLog log = {0};
        soil.law = cases[i].law;
        options.surface.soil = &soil;
        options.surface.ruts = cases[i].ruts;
        options.surface.rut_cell = cases[i].cell;
        assert_int_not_equal(gr_model_create(&v.rover, &options, &(GrModel *){NULL}, &log), GR_OK);
        assert_non_null(strstr(log.items[0].text, cases[i].message));
    }
    destroy(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trace_between), cmocka_unit_test(test_rear_wheel_sees_it),
        cmocka_unit_test(test_step_size),     cmocka_unit_test(test_copies),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
