/// Control and simulator in one loop: rovers drive on soft soil as commanded, except for slip.
#include "data.h"
#include "grouser/drive.h"
#include "steering.h"
#include "support/shipped_rover.h"
#include "test.h"

static const double PI = 3.14159265358979323846;

typedef struct Rover {
    const char *name;
    GrRoverDef def;
    GrModel *m;
    GrData *d;
    GrControl control;
    GrControlState state;
    GrControlOutput out;
} Rover;

/// Settled on the default soil; the plane is tilted by `cross_deg`, downhill to the right.
static Rover *make(const char *name, const GrControlDef *def, double cross_deg)
{
    static Rover v;
    v = (Rover){.name = name};
    load_rover(name, &v.def);
    GrSoilDef soil = gr_default_soil_def();
    soil.shear_x_slope = 0.043;
    soil.shear_y_slope = 0.020;
    soil.damping = 400;
    GrOptions options = gr_default_options();
    options.surface.soil = &soil;
    options.gravity = gr_vec3(0, -9.80665 * sin(cross_deg * PI / 180), -9.80665 * cos(cross_deg * PI / 180));
    assert_int_equal(gr_model_create(&v.def, &options, &v.m, NULL), GR_OK);
    gr_data_create(v.m, &v.d, NULL);
    GrDriveGeometry g;
    assert_int_equal(gr_drive_geometry(v.m, &g, NULL), GR_OK);
    gr_data_set_base_pose(v.d, (GrPose){{0, 0, -g.wheels[0].contact.z}, {1, 0, 0, 0}});
    GrEquilibrium rest;
    assert_int_equal(gr_settle(v.m, v.d, &rest, NULL), GR_OK);
    assert_int_equal(gr_control_prepare(&g, def, &v.control, NULL), GR_OK);
    return &v;
}

static void destroy(Rover *v)
{
    gr_data_free(v->d);
    gr_model_free(v->m);
    gr_rover_free(&v->def);
}

static void run(Rover *v, double duration)
{
    const double until = gr_data_time(v->d) + duration - 1e-9;
    while (gr_data_time(v->d) < until && !v->state.finished) {
        gr_drive(v->m, v->d, &v->control, &v->state, &v->out);
        assert_int_equal(gr_step(v->m, v->d), GR_OK);
    }
}

static void command(Rover *v, GrDriveCommand c, double duration)
{
    v->state.manual = c;
    run(v, duration);
}

static double heading(const Rover *v)
{
    const GrVec3 ahead = gr_quat_rotate(gr_data_base_pose(v->d).rotation, gr_vec3(1, 0, 0));
    return atan2(ahead.y, ahead.x);
}

/// Position of the point whose speed is commanded.
static GrVec3 centre(const Rover *v)
{
    const GrPose pose = gr_data_base_pose(v->d);
    const GrVec3 local = gr_vec3(v->out.plan.centre_x, v->out.plan.centre_y, 0);
    return gr_add(pose.position, gr_quat_rotate(pose.rotation, local));
}

/// Mean slip and largest slip angle of the wheels [-, rad].
static void slips(const Rover *v, double *slip, double *angle)
{
    *slip = *angle = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        *slip += v->d->contact[i].soil.slip / v->m->wheel_count;
        *angle = fmax(*angle, fabs(v->d->contact[i].soil.slip_angle));
    }
}

/// Pull of all wheels over their load, by the static formulas at the slip and load they have.
static double static_pull(const Rover *v)
{
    double pull = 0, load = 0;
    for (int i = 0; i < v->m->wheel_count; i++) {
        const GrSoilOutput *soil = &v->d->contact[i].soil;
        GrSoilSteady steady;
        assert_int_equal(gr_soil_steady_load(&v->m->soil_wheels[i], soil->slip, 0, soil->wrench[2], 0, &steady, NULL),
                         GR_OK);
        pull += steady.f_x;
        load += soil->wrench[2];
    }
    return pull / load;
}

static const char *const NAMES[] = {"el_dorado2", "curiosity_like"};

static void test_straight(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const GrControlDef def = gr_default_control_def();
        Rover *v = make(NAMES[k], &def, 0);
        command(v, (GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1}, 10);
        const GrVec3 from = gr_data_base_pose(v->d).position;
        run(v, 20);
        const GrVec3 to = gr_data_base_pose(v->d).position;
        double slip, angle;
        slips(v, &slip, &angle);
        const double lost = 1 - (to.x - from.x) / (0.1 * 20);
        print_message(
            "%s straight: slip %.4f by the distance, %.4f by the wheels; %.2g m to the side; odometry %.4f m ahead\n",
            NAMES[k], lost, slip, to.y - from.y, v->state.odometry.x - to.x);
        assert_near(lost, slip, 0.01);
        // Slip without pull may be of either sign in this soil law; it is the one at which the formulas give none.
        assert_near(static_pull(v), 0, 0.01);
        assert_near(to.y, from.y, 5e-3);
        assert_near(v->state.slip, lost, 0.01);             // what the controller measured
        const double believed = v->state.odometry.x / to.x; // the wheels' own distance: over (1 − slip)
        assert_near(believed, 1 / (1 - lost), 0.01);
        destroy(v);
    }
}

static void test_point_turn(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const GrControlDef def = gr_default_control_def();
        Rover *v = make(NAMES[k], &def, 0);
        const double rate = k == 0 ? 0.1 : 0.05;
        command(v, (GrDriveCommand){.mode = GR_DRIVE_POINT_TURN, .yaw_rate = rate}, 10);
        const double from = heading(v);
        const GrVec3 at = centre(v);
        run(v, 20);
        const double turned = gr_wrap_angle(heading(v) - from) / (20 * rate);
        const GrVec3 now = centre(v);
        const double moved = hypot(now.x - at.x, now.y - at.y);
        double slip, angle;
        slips(v, &slip, &angle);
        print_message(
            "%s point turn: %.4f of the yaw, mean slip %.4f, centre moved %.4f m, slip angle up to %.2f deg\n",
            NAMES[k], turned, slip, moved, angle * 180 / PI);
        assert_near(turned, 1 - slip, 0.03);
        assert_true(moved < 0.05);
        assert_int_equal(v->state.flags, 0);
        destroy(v);
    }
}

/// Twist of the chassis from what each wheel's soil says of its slip and slip angle, by the same fit as odometry's: the
/// radius that slip explains.
static double explained_curvature(const Rover *v)
{
    const GrDriveGeometry *g = &v->control.geometry;
    double m[3][3] = {{0}}, r[3] = {0};
    for (int i = 0; i < g->wheel_count; i++) {
        const GrDriveWheel *w = &g->wheels[i];
        const GrSoilOutput *soil = &v->d->contact[i].soil;
        const double steer = w->steer >= 0 ? w->steer_sign * gr_data_joint_position(v->m, v->d, w->steer) : 0;
        const double rolling = w->drive_sign * gr_data_joint_velocity(v->m, v->d, w->drive) * w->radius;
        const double along = soil->slip >= 0 ? rolling * (1 - soil->slip) : rolling / (1 + soil->slip);
        const double across = along * tan(soil->slip_angle);
        const GrWheelAxes a = gr_wheel_axes(w, steer);
        const double x = w->pivot_x + w->lead * a.e_x + w->side * a.n_x,
                     y = w->pivot_y + w->lead * a.e_y + w->side * a.n_y;
        const double rows[2][4] = {{a.e_x, a.e_y, x * a.e_y - y * a.e_x, along},
                                   {a.n_x, a.n_y, x * a.n_y - y * a.n_x, across}};
        for (int k = 0; k < 2; k++) {
            for (int p = 0; p < 3; p++) {
                r[p] += rows[k][p] * rows[k][3];
                for (int q = 0; q < 3; q++) {
                    m[p][q] += rows[k][p] * rows[k][q];
                }
            }
        }
    }
    for (int p = 0; p < 3; p++) { // Gauss; the matrix is positive
        for (int q = p + 1; q < 3; q++) {
            const double factor = m[q][p] / m[p][p];
            for (int k = p; k < 3; k++) {
                m[q][k] -= factor * m[p][k];
            }
            r[q] -= factor * r[p];
        }
    }
    const double yaw = r[2] / m[2][2];
    const double v_y = (r[1] - m[1][2] * yaw) / m[1][1], v_x = (r[0] - m[0][1] * v_y - m[0][2] * yaw) / m[0][0];
    return yaw / hypot(v_x - yaw * v->out.plan.centre_y, v_y + yaw * v->out.plan.centre_x);
}

static void test_arc(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        const GrControlDef def = gr_default_control_def();
        Rover *v = make(NAMES[k], &def, 0);
        const double radius = k == 0 ? 1.5 : 5;
        command(v, (GrDriveCommand){.mode = GR_DRIVE_DOUBLE_ACKERMANN, .speed = 0.1, .curvature = 1 / radius}, 15);
        const double from = heading(v);
        double length = 0;
        for (int i = 0; i < 100; i++) {
            const GrVec3 last = centre(v);
            run(v, 0.2);
            const GrVec3 now = centre(v);
            length += hypot(now.x - last.x, now.y - last.y);
        }
        const double driven = length / gr_wrap_angle(heading(v) - from);
        const double explained = 1 / explained_curvature(v);
        double slip, angle;
        slips(v, &slip, &angle);
        print_message(
            "%s arc of %.2f m: %.4f m driven, %.4f m explained by slip (mean slip %.4f, slip angle to %.2f deg)\n",
            NAMES[k], radius, driven, explained, slip, angle * 180 / PI);
        assert_near_rel(driven, explained, 0.03);
        assert_near_rel(driven, radius, 0.25);
        destroy(v);
    }
}

static void test_path_of_three_way_points(void **state)
{
    (void)state;
    const GrWayPoint path[2][3] = {{{1, 0, NAN}, {2, 0.8, NAN}, {2, 2.5, NAN}},
                                   {{3, 0, NAN}, {6, 2, NAN}, {7, 6, NAN}}};
    for (int k = 0; k < 2; k++) {
        for (int slip = 0; slip < 2; slip++) {
            GrControlDef def = gr_default_control_def();
            def.source = GR_CONTROL_PATH;
            def.path = path[k];
            def.path_count = 3;
            def.compensate_slip = slip == 1;
            def.cruise_speed = k == 0 ? 0.05 : 0.1;
            Rover *v = make(NAMES[k], &def, 0);
            run(v, 400);
            const GrPose pose = gr_data_base_pose(v->d);
            const GrVec3 follows = gr_vec3(v->control.centre_x, v->control.centre_y, 0);
            const GrVec3 end = gr_add(pose.position, gr_quat_rotate(pose.rotation, follows));
            const GrWayPoint goal = path[k][2];
            print_message("%s path%s: %.0f s, %d missed, centre %.3f m from the goal, odometry off by %.3f m\n",
                          NAMES[k], slip ? ", slip held" : "", gr_data_time(v->d), v->state.missed,
                          hypot(end.x - goal.x, end.y - goal.y),
                          hypot(v->state.odometry.x - pose.position.x, v->state.odometry.y - pose.position.y));
            assert_true(v->state.finished);
            assert_int_equal(v->state.missed, 0);
            destroy(v);
        }
    }
}

/// Across a slope the rover slides down; with slip held it keeps its line.
static void test_cross_slope(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{4, 0, NAN}};
    double off[2];
    for (int k = 0; k < 2; k++) {
        GrControlDef def = gr_default_control_def();
        def.source = GR_CONTROL_PATH;
        def.path = path;
        def.path_count = 1;
        def.compensate_slip = k == 1;
        Rover *v = make("el_dorado2", &def, 8);
        off[k] = 0;
        while (!v->state.finished && gr_data_time(v->d) < 200) {
            run(v, 0.5);
            const GrVec3 at = gr_data_base_pose(v->d).position;
            off[k] = at.x > 2 ? fmax(off[k], fabs(at.y)) : off[k];
        }
        print_message("el_dorado2 across 8 deg%s: %.4f m off the line, %.0f s, slide %.2f deg\n",
                      k ? ", slip held" : "", off[k], gr_data_time(v->d), v->state.slide * 180 / PI);
        assert_true(v->state.finished);
        destroy(v);
    }
    assert_true(off[1] < 0.5 * off[0]);
}

/// Wheel walking on soil: the body advances, more slowly where the standing wheels slip.
static void test_wheel_walk(void **state)
{
    (void)state;
    const GrControlDef def = gr_default_control_def();
    Rover *v = make("exomars_like", &def, 0);
    command(v, (GrDriveCommand){.mode = GR_DRIVE_WHEEL_WALK, .speed = 0.01}, 10);
    const GrVec3 from = gr_data_base_pose(v->d).position;
    run(v, 50);
    const double share = (gr_data_base_pose(v->d).position.x - from.x) / (0.01 * 50);
    print_message("exomars_like walking: %.3f of the commanded distance\n", share);
    assert_true(share > 0.7 && share < 1.1);
    destroy(v);
}

static void test_same_bits_after_restoring(void **state)
{
    (void)state;
    const GrWayPoint path[] = {{1, 0.3, NAN}};
    GrControlDef def = gr_default_control_def();
    def.source = GR_CONTROL_PATH;
    def.path = path;
    def.path_count = 1;
    Rover *v = make("el_dorado2", &def, 3);
    run(v, 5);
    static unsigned char saved[1 << 20];
    assert_true(gr_data_size(v->m, v->d) <= sizeof saved);
    gr_data_save(v->m, v->d, saved);
    const GrControlState control = v->state;
    run(v, 5);
    const uint64_t hash = gr_data_hash(v->m, v->d);
    assert_int_equal(gr_data_restore(v->m, v->d, saved, gr_data_size(v->m, v->d), NULL), GR_OK);
    v->state = control;
    run(v, 5);
    assert_true(gr_data_hash(v->m, v->d) == hash);
    destroy(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_straight),
        cmocka_unit_test(test_point_turn),
        cmocka_unit_test(test_arc),
        cmocka_unit_test(test_path_of_three_way_points),
        cmocka_unit_test(test_cross_slope),
        cmocka_unit_test(test_wheel_walk),
        cmocka_unit_test(test_same_bits_after_restoring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
