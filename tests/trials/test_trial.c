/// Standard tests: results against closed forms, geometry and the laws' own statics.
#include "grouser/soil_file.h"
#include "grouser/trial.h"
#include "soil_wheel.h"
#include "test.h"
#include "trial_cross.h"

static const double PI = 3.14159265358979323846;
static const double EARTH = 9.80665;

enum { HALF_BASE_MM = 300, HALF_TRACK_MM = 250, RADIUS_MM = 100, WIDTH_MM = 20, COM_MM = 350 };

/// Four driven wheels under a rigid box: half wheelbase 0.3 m, half track 0.25 m, wheels of 0.1 m radius and 0.1 kg,
/// the centre of mass of the box `com` over the ground.
static GrRoverDef box_rover(double com)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef chassis = gr_default_body_def();
    snprintf(rover.name, sizeof rover.name, "box");
    snprintf(chassis.name, sizeof chassis.name, "chassis");
    chassis.mass = 20;
    chassis.com = (GrVec3){0, 0, com - 1e-3 * RADIUS_MM};
    chassis.inertia = gr_inertia_box(20, (GrVec3){0.6, 0.4, 0.2});
    gr_rover_add_body(&rover, &chassis);
    for (int i = 0; i < 4; i++) {
        GrBodyDef body = gr_default_body_def();
        GrJointDef joint = gr_default_joint_def();
        GrWheelDef wheel = gr_default_wheel_def();
        snprintf(body.name, sizeof body.name, "hub_%d", i);
        body.mass = 0.1;
        body.inertia = gr_inertia_cylinder_y(0.1, 1e-3 * RADIUS_MM, 1e-3 * WIDTH_MM);
        const int child = gr_rover_add_body(&rover, &body);
        snprintf(joint.name, sizeof joint.name, "drive_%d", i);
        joint.kind = GR_JOINT_REVOLUTE;
        joint.role = GR_ROLE_DRIVE;
        joint.child = child;
        joint.pose.position =
            (GrVec3){(i < 2 ? 1 : -1) * 1e-3 * HALF_BASE_MM, (i % 2 ? -1 : 1) * 1e-3 * HALF_TRACK_MM, 0};
        joint.axis = (GrVec3){0, 1, 0};
        joint.motor.kind = GR_MOTOR_PID;
        joint.motor.kp = 20;
        joint.motor.ki = 40;
        gr_rover_add_joint(&rover, &joint);
        snprintf(wheel.name, sizeof wheel.name, "wheel_%d", i);
        wheel.body = child;
        wheel.radius = 1e-3 * RADIUS_MM;
        wheel.width = 1e-3 * WIDTH_MM;
        gr_rover_add_wheel(&rover, &wheel);
    }
    return rover;
}

static GrRoverDef load(const char *name)
{
    char path[512];
    GrRoverDef rover;
    snprintf(path, sizeof path, "%s/data/rovers/%s.yaml", GR_TEST_SOURCE_DIR, name);
    assert_int_equal(gr_rover_load(path, NULL, &rover, NULL), GR_OK);
    return rover;
}

static GrTrialDef trial(const GrRoverDef *rover, const GrSoilDef *soil, double step)
{
    GrTrialDef def = gr_default_trial_def();
    def.rover = rover;
    def.soil = soil;
    def.step = step;
    return def;
}

static GrDropResult drop(const GrTrialDef *def, const GrDropDef *how)
{
    GrDropResult result;
    assert_int_equal(gr_trial_drop(def, how, NULL, &result, NULL), GR_OK);
    return result;
}

/// Impact speed √(2gh) within two steps of gravity, but for the LRV, whose suspension relaxes in flight and lets its
/// wheels hang lower; the parabola within the first order; at rest the wheels carry the weight. On soil and hard
/// ground.
static void test_drop(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    static const char *const names[] = {"rashid_like", "curiosity_like", "lrv_like"};
    static const double heights[] = {0.175, 0.2, 0.225};
    for (int k = 0; k < 6; k++) {
        GrRoverDef rover = load(names[k / 2]);
        GrTrialDef def = trial(&rover, k % 2 ? NULL : &soil, 0.001);
        def.gravity = k < 4 ? EARTH : 1.62; // on Earth the LRV would lie on its belly
        for (int i = GR_TEST_LONG(k == 0 ? 0 : 2, 2); i < 3; i++) {
            GrDropDef how = gr_default_drop_def();
            how.height = heights[i];
            how.limit = 60;
            const GrDropResult r = drop(&def, &how);
            print_message("%s %s %g m: impact %.4f m/s, peak %.4g N, rest after %.3f s, loads off by %.2g\n",
                          names[k / 2], k % 2 ? "hard" : "soil", heights[i], r.contact_speed, r.peaks.wheel_load,
                          r.rest_time, r.rest_load / r.weight - 1);
            assert_int_equal(r.outcome, GR_TRIAL_DONE);
            assert_near(r.contact_speed, r.contact_expected, 1e-9);
            assert_near(r.contact_speed, sqrt(2 * def.gravity * heights[i]),
                        (k < 4 ? 2 : 200) * def.gravity * def.step);
            assert_true(r.fall_error <= r.fall_bound * (1 + 1e-6));
            assert_near(r.rest_load / r.weight, 1, 1e-6);
            assert_true(r.peaks.wheel_load * rover.wheel_count > 1.5 * r.weight);
        }
        gr_rover_free(&rover);
    }
}

/// The parabola of a touchdown: half the step, half the error.
static void test_parabola(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = load("curiosity_like");
    GrDropDef how = gr_default_drop_def();
    how.height = 1;
    how.velocity = (GrVec3){0.5, 0.2, -0.75};
    how.roll = 0.05;
    how.pitch = 0.05;
    double errors[3];
    for (int i = 0; i < 3; i++) {
        GrTrialDef def = trial(&rover, &soil, 0.004 / (1 << i));
        def.gravity = 3.71;
        const GrDropResult r = drop(&def, &how);
        errors[i] = r.fall_error / r.fall_bound * def.step; // per time of flight, which ends at a whole step
        assert_true(r.fall_error <= r.fall_bound * (1 + 1e-6));
        assert_int_equal(r.outcome, GR_TRIAL_DONE);
        assert_true(r.slide > 0.01);
    }
    assert_near(errors[0] / errors[1], 2, 0.02);
    assert_near(errors[1] / errors[2], 2, 0.02);
    gr_rover_free(&rover);
}

/// All the energy of a fall goes somewhere: m g (h + sinkage) to the soil and the joints.
static void test_energy_of_a_drop(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.2), wheel;
    const GrTrialDef def = trial(&rover, &soil, 0.0005);
    GrDropDef how = gr_default_drop_def();
    const GrDropResult r = drop(&def, &how);
    const double fall = r.weight * (how.height + r.rest_sinkage);
    print_message("fall %.4f J, to the soil %.4f J, residual %.2g J\n", fall, r.energy.soil, r.energy.residual);
    assert_near(-r.energy.mechanical, fall, 1e-4 * fall);
    assert_near(r.energy.soil + r.energy.joints + r.energy.residual, fall, 1e-4 * fall);
    assert_true(fabs(r.energy.residual) < 0.03 * fall);
    // one wheel alone, with a quarter of the mass, sinks as deep as the four together
    assert_int_equal(gr_trial_lone_wheel(&rover, 0, (20 + 0.4) / 4, &wheel, NULL), GR_OK);
    const GrTrialDef alone = trial(&wheel, &soil, 0.0005);
    const GrDropResult one = drop(&alone, &how);
    assert_near(one.rest_sinkage, r.rest_sinkage, 1e-3 * r.rest_sinkage);
    assert_near(one.rest_load * 4 / r.weight, 1, 1e-6);
    gr_rover_free(&wheel);
    gr_rover_free(&rover);
}

/// A sideways throw on rigid ground tips it over.
static void test_touchdown_tips(void **state)
{
    (void)state;
    GrRoverDef rover = box_rover(0.6);
    const GrTrialDef def = trial(&rover, NULL, 0.001);
    GrDropDef how = gr_default_drop_def();
    how.velocity = (GrVec3){0, -6, 0};
    assert_int_equal(drop(&def, &how).outcome, GR_TRIAL_TIPPED);
    how.velocity = (GrVec3){0, 0, 0};
    assert_int_equal(drop(&def, &how).outcome, GR_TRIAL_DONE);
    gr_rover_free(&rover);
}

/// A landing with a horizontal speed, on soil with Wong's line of unloading, the default one, and none: shear is
/// damped, so that the rover does not rock on in its dents.
static void test_touchdown_rests(void **state)
{
    (void)state;
    GrRoverDef rover = load("curiosity_like");
    GrSoilDef soil;
    assert_int_equal(gr_soil_load("mars_dlr_drift", NULL, &soil, NULL, NULL), GR_OK);
    GrTrialDef def = trial(&rover, &soil, 0.0001); // so short that the integrator does not damp
    def.gravity = 3.71;
    GrDropDef how = gr_default_drop_def();
    how.height = 0.5;
    how.velocity = (GrVec3){0.5, 0, -0.75};
    how.limit = 30;
    for (int k = GR_TEST_STUDY(0, 2); k < 3; k++) {
        soil.unloading_grow = k == 2 ? 5e8 : 0;
        soil.unloading_rebound = k == 0 ? 0 : 0.1;
        const GrDropResult r = drop(&def, &how);
        print_message("at rest after %.2f s, %.1f mm deep\n", r.rest_time, 1000 * r.rest_sinkage);
        assert_int_equal(r.outcome, GR_TRIAL_DONE);
        assert_true(k == 0 ? r.rest_sinkage < 0.04 : r.rest_sinkage > 0.08);
    }
    gr_rover_free(&rover);
}

/// A rigid box: atan(half track / height) and its like in every direction; there a wheel lifts and it tips at once.
static void test_tip_of_a_box(void **state)
{
    (void)state;
    GrRoverDef rover = box_rover(1e-3 * COM_MM);
    const GrTrialDef def = trial(&rover, NULL, 0.002);
    const double mass = 20.4, height = (20 * 1e-3 * COM_MM + 0.4 * 1e-3 * RADIUS_MM) / mass;
    const double side = 1e-3 * HALF_TRACK_MM, ahead = 1e-3 * HALF_BASE_MM;
    GrTipResult tip;
    const int directions = GR_TEST_LONG(GR_TEST_STUDY(8, 3), 2);
    assert_int_equal(gr_trial_tip(&def, directions, &tip, NULL), GR_OK);
    assert_int_equal(tip.count, directions);
    assert_near(tip.com_height, height, 1e-3); // wheel contacts are slightly elastic
    for (int i = 0; i < directions; i++) {
        const GrTipPoint *p = &tip.points[i];
        const double x = fabs(cos(p->direction)), y = fabs(sin(p->direction));
        const double expected = atan(fmin(ahead / fmax(x, 1e-9), side / fmax(y, 1e-9)) / height);
        print_message("%5.1f deg: geometry %.2f, lifts %.2f, tips %.2f, expected %.2f deg\n", p->direction * 180 / PI,
                      p->geometry * 180 / PI, p->lift_off * 180 / PI, p->tip * 180 / PI, expected * 180 / PI);
        assert_near(p->geometry, expected, 0.1 * PI / 180);
        assert_near(p->tip, expected, 0.25 * PI / 180);
        assert_true(p->lift_off <= p->tip + 1e-9);
    }
    gr_tip_free(&tip);
    gr_rover_free(&rover);
}

/// A rover that skids on the spot: every contact moves at right angles to its arm, so the slip angle is that of the
/// arm.
static void test_point_turn_slip_angles(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    for (int hard = 0; hard < 2; hard++) {
        GrRoverDef rover = box_rover(0.2);
        const GrTrialDef def = trial(&rover, hard ? NULL : &soil, 0.005);
        GrTurnDef turn = gr_default_turn_def();
        GrTurnResult r;
        turn.angle = PI / 2;
        assert_int_equal(gr_trial_turn(&def, &turn, NULL, &r, NULL), GR_OK);
        assert_int_equal(r.outcome, GR_TRIAL_DONE);
        const double kinematic = atan2(HALF_BASE_MM, HALF_TRACK_MM);
        double side = 0;
        for (int i = 0; i < 4; i++) {
            assert_near(r.wheels[i].slip_angle_plan, (i < 2 ? 1 : -1) * kinematic, 1e-9);
            assert_near(r.wheels[i].slip_angle, (i < 2 ? 1 : -1) * kinematic, 0.01);
            assert_true(r.wheels[i].side_force * r.wheels[i].slip_angle < 0);
            side += r.wheels[i].side_force;
        }
        assert_near(side, 0, 0.02 * fabs(r.wheels[0].side_force));
        assert_true(r.drift < 1e-3);
        assert_true(r.energy_per_degree > 0);
        assert_near(r.yaw_rate_plan, turn.speed / hypot(0.3, 0.25), 1e-9);
        assert_true(r.yaw_rate < r.yaw_rate_plan);
        gr_rover_free(&rover);
    }
}

/// Steered wheels roll on their circle: the radius is that of the command, hardly any slip angle.
static void test_circle(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = load("curiosity_like");
    const GrTrialDef def = trial(&rover, &soil, 0.005);
    GrTurnDef turn = gr_default_turn_def();
    GrTurnResult r;
    turn.radius = -4;
    turn.angle = PI / 4;
    assert_int_equal(gr_trial_turn(&def, &turn, NULL, &r, NULL), GR_OK);
    assert_int_equal(r.outcome, GR_TRIAL_DONE);
    assert_int_equal(r.mode, GR_DRIVE_DOUBLE_ACKERMANN);
    assert_true(r.turned < 0);
    assert_near(r.radius, 4, 0.1);
    for (int i = 0; i < r.wheel_count; i++) {
        assert_true(fabs(r.wheels[i].slip_angle) < 3 * PI / 180);
    }
    gr_rover_free(&rover);
}

static GrStopResult stop(const GrTrialDef *def, const GrStopDef *how)
{
    GrStopResult result;
    assert_int_equal(gr_trial_stop(def, how, NULL, &result, NULL), GR_OK);
    return result;
}

/// Wheels that stop faster than the rover can, on rigid ground: v² / (2 μ g); down a slope v² / (2 g (μ cos − sin)).
static void test_brake_on_hard_ground(void **state)
{
    (void)state;
    GrRoverDef rover = box_rover(0.15);
    for (int i = 0; i < 3; i++) {
        GrTrialDef def = trial(&rover, NULL, 0.001);
        def.friction = 0.5;
        def.slope = 5 * i * PI / 180;
        def.heading = PI;
        GrStopDef how = gr_default_stop_def();
        how.speed = 2;
        how.deceleration = 50;
        const GrStopResult r = stop(&def, &how);
        const double rate = EARTH * (def.friction * cos(def.slope) - sin(def.slope));
        print_message("%g deg: %.4f m, %.4f expected\n", 5.0 * i, r.distance, r.speed * r.speed / (2 * rate));
        assert_int_equal(r.outcome, GR_TRIAL_DONE);
        assert_near(r.distance, r.speed * r.speed / (2 * rate), 0.05 * r.distance);
    }
    gr_rover_free(&rover);
}

/// Locked wheels on soil: no shorter than the law's own pull at full skid allows.
static void test_brake_on_soil(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.15);
    const GrTrialDef def = trial(&rover, &soil, 0.002);
    GrSoilWheelDef wheel = gr_default_soil_wheel_def();
    GrSoilWheel w;
    GrSoilSteady steady;
    wheel.radius = 1e-3 * RADIUS_MM;
    wheel.width = 1e-3 * WIDTH_MM;
    assert_int_equal(gr_soil_wheel_prepare(&soil, &wheel, &w, NULL), GR_OK);
    assert_int_equal(gr_soil_steady_load(&w, -0.999, 0, 20.4 * EARTH / 4, 0, &steady, NULL), GR_OK);
    const double pull = -4 * steady.f_x / 20.4; // [m/s²]
    GrStopDef how = gr_default_stop_def();
    how.speed = 1;
    const GrStopResult r = stop(&def, &how);
    print_message("%.3f m/s² in the mean, %.3f m/s² at full skid\n", r.deceleration, pull);
    assert_int_equal(r.outcome, GR_TRIAL_DONE);
    assert_true(r.deceleration > 0.4 * pull && r.deceleration < 1.6 * pull);
    // with a gentle ramp of the rims it goes as far as the ramp says
    how.deceleration = 0.25;
    const GrStopResult gentle = stop(&def, &how);
    assert_near(gentle.distance, gentle.speed * gentle.speed / (2 * how.deceleration), 0.1 * gentle.distance);
    gr_rover_free(&rover);
}

/// Free wheels: no motor works, and what the motion loses the ground takes. On rigid ground it rolls on.
static void test_coast(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.15);
    GrStopDef how = gr_default_stop_def();
    how.motors = false;
    how.run_up = 0;
    how.speed = 1;
    const GrTrialDef soft = trial(&rover, &soil, 0.001);
    const GrStopResult r = stop(&soft, &how);
    const double spin = 4 * 0.5 * 0.1 * 0.01 / (0.1 * 0.1), kinetic = 0.5 * (20.4 + spin) * 1;
    print_message("coasts %.3f m, %.4f J lost, residual %.2g J\n", r.distance, r.balance.soil, r.balance.residual);
    assert_int_equal(r.outcome, GR_TRIAL_DONE);
    assert_near(r.energy, kinetic, 1e-9);
    assert_near(r.balance.motor, 0, 1e-12);
    assert_near(r.balance.soil + r.balance.joints + r.balance.residual, -r.balance.mechanical, 1e-9);
    assert_true(fabs(r.balance.residual) < 0.01 * kinetic);
    assert_near(r.resistance * r.distance, r.balance.soil + r.balance.joints, 1e-6 * kinetic);
    assert_true(r.balance.soil > kinetic); // it sinks in a little more, and gives that energy too
    assert_true(r.balance.soil < kinetic + 20.4 * EARTH * r.peaks.sinkage);
    const GrTrialDef hard = trial(&rover, NULL, 0.001);
    how.limit = 5;
    const GrStopResult on = stop(&hard, &how);
    assert_int_equal(on.outcome, GR_TRIAL_SLIDES);
    assert_near(on.distance, 5, 1e-3);
    gr_rover_free(&rover);
}

/// On Phobos a small bump throws it v² / 2g high.
static void test_hop_in_low_gravity(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.15);
    GrTrialDef def = trial(&rover, &soil, 0.002);
    GrStopDef how = gr_default_stop_def();
    assert_true(gr_gravity_named("phobos", &def.gravity));
    how.motors = false;
    how.run_up = 0;
    how.speed = 0.05;
    how.rise = 0.02;
    how.limit = 20;
    const GrStopResult r = stop(&def, &how);
    const double hop = how.rise * how.rise / (2 * def.gravity);
    assert_near(r.hop, hop, 0.01 * hop);
    assert_true(r.airborne > 0.3);
    gr_rover_free(&rover);
}

/// The rover climbs a low step, but not one higher than its wheels. On the step it pitches as two axles do.
static void test_step(void **state)
{
    (void)state;
    GrRoverDef rover = box_rover(0.15);
    const GrTrialDef def = trial(&rover, NULL, 0.002);
    GrClimbDef climb = gr_default_climb_def();
    GrCrossResult r;
    GrClimbSearch search;
    climb.height = 0.02;
    assert_int_equal(gr_trial_climb(&def, &climb, NULL, &r, NULL), GR_OK);
    assert_int_equal(r.outcome, GR_TRIAL_DONE);
    assert_near(r.peaks.pitch, asin(climb.height / (2e-3 * HALF_BASE_MM)), 0.003);
    assert_true(fabs(r.slip) < 0.1);
    climb.height = 0.2;
    assert_int_equal(gr_trial_climb(&def, &climb, NULL, &r, NULL), GR_OK);
    assert_int_equal(r.outcome, GR_TRIAL_SPINS);
    assert_int_equal(gr_trial_highest(&def, &climb, 0.025, 0.005, &search, NULL), GR_OK);
    print_message("highest step %.4f m, fails at %.4f m: %s\n", search.highest, search.failed,
                  gr_trial_outcome_text(search.failure.outcome));
    assert_true(search.highest >= 0.02 && search.highest < 0.2);
    assert_int_equal(search.best.outcome, GR_TRIAL_DONE);
    assert_true(search.failure.outcome != GR_TRIAL_DONE && search.failed > search.highest);
    assert_near(search.failed, search.highest, 2 * 0.005); // halves of the last step
    gr_climb_search_free(&search);
    const double known = 0.014; // whatever may be crossed above a known failure does not count
    assert_int_equal(gr_trial_highest_below(&def, &climb, 0.025, 0.005, known, &search, NULL), GR_OK);
    assert_true(search.highest > 0 && search.highest < known && search.failed == 0);
    gr_climb_search_free(&search);
    gr_rover_free(&rover);
}

static void test_rock(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = load("curiosity_like");
    GrTrialDef def = trial(&rover, &soil, 0.002);
    GrClimbDef climb = gr_default_climb_def();
    GrCrossResult both, one;
    def.gravity = 3.71;
    climb.obstacle = GR_OBSTACLE_ROCK;
    climb.height = 0.08;
    climb.speed = 0.1;
    assert_int_equal(gr_trial_climb(&def, &climb, NULL, &both, NULL), GR_OK);
    climb.one_side = true;
    assert_int_equal(gr_trial_climb(&def, &climb, NULL, &one, NULL), GR_OK);
    assert_int_equal(both.outcome, GR_TRIAL_DONE);
    assert_int_equal(one.outcome, GR_TRIAL_DONE);
    assert_true(both.peaks.roll < 0.01 && one.peaks.roll > 0.01); // only the left wheels go up
    gr_rover_free(&rover);
}

/// A rover that passes the place of an obstacle without rising has gone round it: here there is none.
static void test_round_is_not_across(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.3);
    const GrTrialDef def = trial(&rover, &soil, 0.005);
    GrSceneDef scene = gr_trial_scene(&def);
    GrCrossing crossing = {.scene = &scene,
                           .wait = 0.5,
                           .speed = 0.2,
                           .meets = 0.5,
                           .past = 0.5,
                           .limit = 30,
                           .limits = gr_default_cross_limits()};
    static const double heights[] = {0, 0.1};
    for (int i = 0; i < 2; i++) {
        GrCrossResult result;
        crossing.climb = heights[i];
        assert_int_equal(gr_trial_cross(&def, &crossing, NULL, &result, NULL), GR_OK);
        assert_int_equal(result.outcome, i == 0 ? GR_TRIAL_DONE : GR_TRIAL_AROUND);
    }
    gr_scene_def_free(&scene);
    gr_rover_free(&rover);
}

/// On the ramps the chassis has their slope. At the end it is lower by the height of the deck plus the sinkage, for
/// which the deepest wheel is taken (5 mm off).
static void test_egress(void **state)
{
    (void)state;
    const GrSoilDef soil = gr_default_soil_def();
    GrRoverDef rover = box_rover(0.3);
    for (int hard = 0; hard < 2; hard++) {
        const GrTrialDef def = trial(&rover, hard ? NULL : &soil, 0.002);
        GrEgressDef egress = gr_default_egress_def();
        GrCrossResult r;
        GrTrialLog samples = {0};
        egress.speed = 0.1;
        assert_int_equal(gr_trial_egress(&def, &egress, &samples, &r, NULL), GR_OK);
        assert_int_equal(r.outcome, GR_TRIAL_DONE);
        assert_near(r.peaks.pitch, egress.ramp_angle, 0.02);
        const double fallen = samples.rows[samples.count / 20].values[GR_TRIAL_HEIGHT] -
                              samples.rows[samples.count - 1].values[GR_TRIAL_HEIGHT];
        assert_near(fallen, egress.deck_height + samples.rows[samples.count - 1].values[GR_TRIAL_SINKAGE], 0.005);
        assert_true(r.peaks.wheel_load < 20.4 * EARTH);
        gr_trial_log_free(&samples);
    }
    gr_rover_free(&rover);
}

static void test_wrong_input(void **state)
{
    (void)state;
    GrRoverDef rover = box_rover(0.15);
    GrTrialDef def = trial(&rover, NULL, 0.002);
    GrDropDef fall = gr_default_drop_def();
    GrTurnDef turn = gr_default_turn_def();
    GrDropResult dropped;
    GrTurnResult turned;
    GrTipResult tip;
    GrErrorLog log = {0};
    fall.height = 0;
    assert_int_not_equal(gr_trial_drop(&def, &fall, NULL, &dropped, &log), GR_OK);
    turn.mode = GR_DRIVE_CRAB;
    assert_int_equal(gr_trial_turn(&def, &turn, NULL, &turned, &log), GR_ERROR_UNSUPPORTED);
    assert_int_not_equal(gr_trial_tip(&def, 0, &tip, &log), GR_OK);
    def.gravity = 0;
    fall.height = 1;
    assert_int_equal(gr_trial_drop(&def, &fall, NULL, &dropped, &log), GR_ERROR_VALUE);
    assert_int_equal(log.count, 4);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_energy_of_a_drop),
        cmocka_unit_test(test_touchdown_tips),
        cmocka_unit_test(test_touchdown_rests),
        cmocka_unit_test(test_tip_of_a_box),
        cmocka_unit_test(test_point_turn_slip_angles),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_brake_on_hard_ground),
        cmocka_unit_test(test_brake_on_soil),
        cmocka_unit_test(test_coast),
        cmocka_unit_test(test_hop_in_low_gravity),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_rock),
        cmocka_unit_test(test_round_is_not_across),
        cmocka_unit_test(test_egress),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
