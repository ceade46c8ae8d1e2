/// Drops of the rear wheels against closed forms. A cart whose radius of gyration squared is a b, the distances from
/// its centre of mass to the axles, has axles that do not feel each other: a rear axle with the part a / L of the mass
/// falls by itself. Without friction of the wheels it falls freely, v² = 2 g h, and on wheels of stiffness K its peak
/// load is that of a mass dropped on a spring, F = W (1 + √(1 + 2 K h / W)).
#include "grouser/trial.h"
#include "messages.h"
#include "test.h"

static const double MASS = 40, FRONT = 0.6, REAR = 0.4, RADIUS = 0.2, WHEEL = 1e-3; // [kg, m]

/// Wheels that turn freely and have hardly any mass; `stiffness` of each [N/m].
static GrRoverDef make_cart(double stiffness, double gyration)
{
    GrRoverDef cart = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "chassis");
    body.mass = MASS;
    body.inertia = (GrSym3){MASS * gyration, MASS * gyration, MASS * gyration, 0, 0, 0};
    gr_rover_add_body(&cart, &body);
    for (int i = 0; i < 4; i++) {
        GrBodyDef rim = gr_default_body_def();
        GrJointDef axle = gr_default_joint_def();
        GrWheelDef wheel = gr_default_wheel_def();
        snprintf(rim.name, sizeof rim.name, "wheel_%d", i);
        rim.mass = WHEEL;
        rim.inertia = (GrSym3){1e-5, 1e-5, 1e-5, 0, 0, 0};
        snprintf(axle.name, sizeof axle.name, "axle_%d", i);
        axle.kind = GR_JOINT_REVOLUTE;
        axle.axis = (GrVec3){0, 1, 0};
        axle.parent = 0;
        axle.child = gr_rover_add_body(&cart, &rim);
        axle.pose.position = (GrVec3){i < 2 ? FRONT : -REAR, i % 2 == 0 ? 0.3 : -0.3, 0};
        gr_rover_add_joint(&cart, &axle);
        snprintf(wheel.name, sizeof wheel.name, "wheel_%d", i);
        wheel.body = axle.child;
        wheel.radius = RADIUS;
        wheel.width = 0.1;
        wheel.stiffness = stiffness;
        wheel.damping = 0;
        gr_rover_add_wheel(&cart, &wheel);
    }
    return cart;
}

static GrDropResult drop(const GrRoverDef *rover, double height, double gravity)
{
    GrTrialDef def = gr_default_trial_def();
    GrDropDef rear = gr_default_drop_def();
    GrDropResult result;
    GrErrorLog log = {0};
    def.rover = rover;
    def.gravity = gravity;
    def.step = 5e-5;
    def.friction = 0.3;
    rear.height = height;
    rear.rear = true;
    rear.limit = 1;
    const GrStatus status = gr_trial_drop(&def, &rear, NULL, &result, &log);
    for (int i = 0; i < log.count; i++) {
        print_message("%s\n", gr_messages_at(&log, i)->text);
    }
    assert_int_equal(status, GR_OK);
    return result;
}

/// The heights of the ExoMars rover's tests (Oettershagen et al. 2023).
static void test_free_axle(void **state)
{
    (void)state;
    static const double HEIGHTS[] = {0.175, 0.200, 0.225}, STIFFNESS = 2e4;
    const double g = 3.71, length = FRONT + REAR, weight = MASS * g * FRONT / length;
    GrRoverDef cart = make_cart(STIFFNESS, FRONT * REAR);
    for (int i = 0; i < 3; i++) {
        const double h = HEIGHTS[i];
        const GrDropResult r = drop(&cart, h, g);
        const double peak = weight * (1 + sqrt(1 + 2 * 2 * STIFFNESS * h / weight));
        print_message("%g mm: %.4f m/s of %.4f, peak %.1f N of %.1f\n", 1000 * h, r.contact_speed, sqrt(2 * g * h),
                      r.rear_peak, peak);
        assert_int_equal(r.rear_count, 2);
        assert_near_rel(r.contact_speed, sqrt(2 * g * h), 0.005);
        assert_near_rel(r.contact_expected, r.contact_speed, 0.005); // nothing is lost
        assert_near_rel(r.rear_peak, peak, 0.03);                    // the ground's own stiffness is in series
    }
    gr_rover_free(&cart);
}

/// Any other inertia: v² = 2 g h m a L / (I + m a²), the energy of a fall about the front wheels.
static void test_other_inertia(void **state)
{
    (void)state;
    static const double GYRATIONS[] = {0.5 * 0.6 * 0.4, 2 * 0.6 * 0.4};
    for (int i = 0; i < 2; i++) {
        const double g = 9.80665, h = 0.2, length = FRONT + REAR;
        GrRoverDef cart = make_cart(INFINITY, GYRATIONS[i]);
        const GrDropResult r = drop(&cart, h, g);
        const double inertia = MASS * GYRATIONS[i] + MASS * FRONT * FRONT;
        assert_near_rel(r.contact_speed, sqrt(2 * g * h * MASS * FRONT * length / inertia), 0.005);
        assert_near_rel(r.energy_kept, 1.0, 0.01);
        gr_rover_free(&cart);
    }
}

/// A rover of one axle has nothing to stand on; one that is given a velocity is not held at rest.
static void test_faults(void **state)
{
    (void)state;
    GrTrialDef def = gr_default_trial_def();
    GrDropDef rear = gr_default_drop_def();
    GrDropResult result;
    GrErrorLog log = {0};
    GrRoverDef cart = make_cart(INFINITY, 0.24), wheel;
    rear.rear = true;
    def.rover = &cart;
    rear.velocity.x = 1;
    assert_int_equal(gr_trial_drop(&def, &rear, NULL, &result, &log), GR_ERROR_VALUE);
    rear.velocity.x = 0;
    assert_int_equal(gr_trial_lone_wheel(&cart, 0, 1, &wheel, NULL), GR_OK);
    def.rover = &wheel;
    assert_int_equal(gr_trial_drop(&def, &rear, NULL, &result, &log), GR_ERROR_MODEL);
    gr_rover_free(&wheel);
    gr_rover_free(&cart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_free_axle), cmocka_unit_test(test_other_inertia),
                                       cmocka_unit_test(test_faults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
