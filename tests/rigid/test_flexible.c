/// Flexible wheels: springs in series, deflection at rest, drops, slopes, the limit of a rigid wheel, energy.
#include "rigid.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>

static const double RADIUS = 0.14, WIDTH = 0.1;

static bool level(const void *context, double x, double y, double *z, GrVec3 *normal)
{
    (void)context;
    (void)x;
    (void)y;
    *z = 0;
    *normal = gr_vec3(0, 0, 1);
    return true;
}

typedef struct Bench {
    GrRigidWorld *w;
    GrRigidState *s;
} Bench;

/// A wheel on level ground, and a wall at x = `wall` where that is finite.
static Bench make_by_law(GrContactLaw law, GrConvex shape, double stiffness, double damping, double restitution,
                         double wall)
{
    GrRigidDef def = gr_default_rigid_def();
    def.contact_law = law;
    def.ground = (GrRigidGround){level, NULL};
    def.materials[0].restitution = restitution;
    def.materials[0].friction = 0;
    def.materials[0].tangent_stiffness = 1e-12; // only what is normal to the ground is looked at here
    GrRigidBodyDef wheel = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    wheel.flex_stiffness = stiffness;
    wheel.flex_damping = damping;
    wheel.flex_axis = gr_vec3(0, 1, 0);
    gr_rigid_add_shape(&def, gr_rigid_add_body(&def, &wheel), shape, gr_pose_identity(), 0);
    if (isfinite(wall)) {
        GrRigidBodyDef fixed = gr_default_rigid_body_def(GR_RIGID_FIXED);
        fixed.pose.position = gr_vec3(wall + 0.5, 0, 0.5);
        gr_rigid_add_shape(&def, gr_rigid_add_body(&def, &fixed), gr_convex_cuboid(gr_vec3(1, 1, 0.9)),
                           gr_pose_identity(), 0);
    }
    Bench b = {.w = gr_rigid_world_create(&def, NULL)};
    gr_rigid_def_free(&def);
    assert_non_null(b.w);
    b.s = gr_rigid_state_create(b.w);
    assert_non_null(b.s);
    return b;
}

static Bench make(GrConvex shape, double stiffness, double damping, double restitution, double wall)
{
    return make_by_law(GR_CONTACT_HUNT_CROSSLEY, shape, stiffness, damping, restitution, wall);
}

static void destroy(Bench *b)
{
    gr_rigid_state_free(b->s);
    gr_rigid_world_free(b->w);
}

static GrRigidLoad load_at(Bench *b, GrPose pose, GrTwist twist)
{
    GrRigidLoad load;
    assert_int_equal(gr_rigid_evaluate(b->w, b->s, &pose, &twist, 0, &load), GR_OK);
    return load;
}

static GrPose deep(double depth)
{
    return (GrPose){{0, 0, RADIUS - depth}, {1, 0, 0, 0}};
}

static const GrTwist REST = {{0, 0, 0}, {0, 0, 0}};

/// Hertz: k of k δ^1.5 of a sphere on the ground.
static double hertz(void)
{
    const GrMaterial m = gr_default_material();
    return gr_material_pair(&m, RADIUS, &m, (double)INFINITY, false).hertz;
}

/// A spring and a contact in series: depth = N/k + (N/h)^(2/3), and 1/slope is the sum of both compliances.
static void test_series(void **state)
{
    (void)state;
    const double stiffness[] = {2e3, 2e4, 1e6, 1e9};
    for (int i = 0; i < 4; i++) {
        Bench b = make(gr_convex_sphere(RADIUS), stiffness[i], 0, 1, (double)INFINITY);
        for (double n = 1; n < 2000; n *= 7) {
            const double h = hertz(), contact = pow(n / h, 2.0 / 3);
            const GrRigidLoad load = load_at(&b, deep(n / stiffness[i] + contact), REST);
            assert_near_rel(load.wrench.force.z, n, 1e-7);
            assert_near_rel(-load.dpose.m[5][5], 1 / (1 / stiffness[i] + 1 / (1.5 * h * sqrt(contact))), 1e-6);
            assert_near_rel(gr_rigid_flex_energy(b.s, 0), 0.5 * n * n / stiffness[i], 1e-6);
        }
        destroy(&b);
    }
}

/// Two linear springs with dampers in series: k k_c/(k + k_c), and s² c_c + (1 − s)² c with s = k/(k + k_c).
static void test_linear_series(void **state)
{
    (void)state;
    const GrMaterial m = gr_default_material();
    const double stiffness[] = {2e3, 1e6, 1e9}, damping = 300, depth = 2e-3;
    for (int i = 0; i < 3; i++) {
        const double k = stiffness[i], s = k / (k + m.spring);
        Bench b = make_by_law(GR_CONTACT_SPRING_DASHPOT, gr_convex_sphere(RADIUS), k, damping, 1, (double)INFINITY);
        const GrRigidLoad load = load_at(&b, deep(depth), REST);
        assert_near_rel(load.wrench.force.z, s * m.spring * depth, 1e-9);
        assert_near_rel(-load.dpose.m[5][5], s * m.spring, 1e-9);
        assert_near_rel(-load.dtwist.m[5][5], s * s * m.dashpot + (1 - s) * (1 - s) * damping, 1e-9);
        destroy(&b);
    }
}

/// The limit of a large stiffness is the rigid wheel, including its damping.
static void test_limit_is_the_rigid_wheel(void **state)
{
    (void)state;
    Bench rigid = make(gr_convex_cylinder(RADIUS, WIDTH), 0, 0, 0.5, (double)INFINITY);
    Bench stiff = make(gr_convex_cylinder(RADIUS, WIDTH), 1e14, 100, 0.5, (double)INFINITY);
    for (double v = -0.1; v < 0.2; v += 0.05) {
        const GrTwist twist = {{0, 0, 0}, {0, 0, -v}};
        const GrRigidLoad a = load_at(&rigid, deep(1e-4), twist), b = load_at(&stiff, deep(1e-4), twist);
        assert_near(b.wrench.force.z, a.wrench.force.z, 1e-5 * (1 + a.wrench.force.z));
    }
    destroy(&rigid);
    destroy(&stiff);
}

/// Deflection at rest is W/k for every contact shape of the wheel; ground and wall are separate springs.
static void test_deflection_at_rest(void **state)
{
    (void)state;
    const double k = 2e4, depth = 0.01;
    const GrConvex shapes[] = {gr_convex_cylinder(RADIUS, WIDTH), gr_convex_sphere(RADIUS)};
    for (int i = 0; i < 2; i++) {
        Bench b = make(shapes[i], k, 0, 1, RADIUS - 0.005);
        const GrRigidLoad load = load_at(&b, deep(depth), REST);
        const double contact = pow(k * depth / hertz(), 2.0 / 3); // of one point; less where there are more
        assert_true(load.wrench.force.z < k * depth && load.wrench.force.z > k * (depth - contact));
        assert_true(load.wrench.force.x > -k * 0.005 && load.wrench.force.x < -k * (0.005 - contact));
        destroy(&b);
    }
}

/// Derivatives of the load against finite differences, for a tilted wheel on three points with one spring.
static void test_jacobians_match_differences(void **state)
{
    (void)state;
    Bench b = make(gr_convex_cylinder(RADIUS, WIDTH), 2e5, 300, 0.5, (double)INFINITY);
    const double lean = 4e-4;
    const GrPose pose = {{0, 0, RADIUS - 1e-3}, {cos(lean / 2), sin(lean / 2), 0, 0}};
    const GrRigidLoad load = load_at(&b, pose, REST);
    const double step = 1e-8, speed = 1e-6;
    for (int axis = 0; axis < 2; axis++) { // up, and roll about x
        GrPose up = pose, down = pose;
        GrTwist twist = REST, back = REST;
        if (axis == 0) {
            up.position.z += step;
            down.position.z -= step;
            twist.lin.z = speed;
            back.lin.z = -speed;
        } else {
            up.rotation = gr_quat_mul(gr_quat_exp(gr_vec3(step, 0, 0)), pose.rotation);
            down.rotation = gr_quat_mul(gr_quat_exp(gr_vec3(-step, 0, 0)), pose.rotation);
            twist.ang.x = speed;
            back.ang.x = -speed;
        }
        const int column = axis == 0 ? 5 : 0;
        const GrWrench a = load_at(&b, up, REST).wrench, c = load_at(&b, down, REST).wrench;
        const GrWrench e = load_at(&b, pose, twist).wrench, f = load_at(&b, pose, back).wrench;
        const double force = (a.force.z - c.force.z) / (2 * step), moment = (a.moment.x - c.moment.x) / (2 * step);
        const double force_v = (e.force.z - f.force.z) / (2 * speed),
                     moment_v = (e.moment.x - f.moment.x) / (2 * speed);
        const double scale = fabs(load.dpose.m[axis == 0 ? 5 : 0][column]), by = axis == 0 ? 1 : WIDTH;
        print_message("axis %d: force %g (%g), moment %g (%g); of the rate %g (%g), %g (%g)\n", axis, force,
                      load.dpose.m[5][column], moment, load.dpose.m[0][column], force_v, load.dtwist.m[5][column],
                      moment_v, load.dtwist.m[0][column]);
        assert_near(load.dpose.m[5][column], force, 1e-3 * fmax(scale, fabs(force)));
        // the point of application moves when the wheel rotates, which the Jacobian neglects: up to N times the
        // radius
        const double left_out = axis == 0 ? 0 : load.wrench.force.z * RADIUS;
        assert_near(load.dpose.m[0][column], moment, 1e-3 * fmax(scale * by, fabs(moment)) + left_out);
        assert_near(load.dtwist.m[5][column], force_v, 1e-3 * fabs(force_v) + 1e-6);
        assert_near(load.dtwist.m[0][column], moment_v, 1e-3 * fabs(moment_v) + 1e-6);
    }
    destroy(&b);
}

typedef struct Drop {
    double peak;     ///< force [N]
    double residual; ///< energy at the end, with the spring's and what the damper took, over that of the start
    double height;   ///< largest after the impact [m]
} Drop;

/// A mass falls on its wheel; linearly implicit steps, as a rover takes them.
static Drop drop(Bench *b, double mass, double height, double gravity, double dt, double time)
{
    double z = RADIUS + height, v = 0, loss = 0;
    Drop out = {0, 0, 0};
    bool touched = false;
    for (int i = 0; i < (int)(time / dt); i++) {
        const GrPose pose = {{0, 0, z}, {1, 0, 0, 0}};
        const GrTwist twist = {{0, 0, 0}, {0, 0, v}};
        GrRigidLoad load;
        assert_int_equal(gr_rigid_evaluate(b->w, b->s, &pose, &twist, dt, &load), GR_OK);
        const double f = load.wrench.force.z, fv = load.dtwist.m[5][5], fx = load.dpose.m[5][5];
        const double dv = dt * (f - mass * gravity + dt * fx * v) / (mass - dt * fv - dt * dt * fx);
        loss += dt * gr_rigid_flex_loss(b->s, 0);
        out.peak = fmax(out.peak, f);
        touched = touched || f > 0;
        v += dv;
        z += dt * v;
        out.height = touched && v > 0 ? fmax(out.height, z - RADIUS) : out.height;
        const GrTwist end = {{0, 0, 0}, {0, 0, v}};
        assert_int_equal(gr_rigid_commit(b->w, b->s, &end, dt), GR_OK);
    }
    const double energy = 0.5 * mass * v * v + mass * gravity * (z - RADIUS) + gr_rigid_flex_energy(b->s, 0) + loss;
    out.residual = energy / (mass * gravity * height) - 1;
    return out;
}

/// Energy of the spring and of the three points of a cylinder's side under a force, and the total deflection.
static double stored(double force, double k, double *depth)
{
    const double h = 3 * hertz(), contact = pow(force / h, 2.0 / 3);
    *depth = force / k + contact;
    return 0.5 * force * force / k + 0.4 * force * contact;
}

/// Largest force of a mass that falls from h: m g (h + depth) is stored. Without the contact it is m g (1 + √(1 + 2 h
/// k/(m g))), which is more.
static double exact_peak(double weight, double height, double k)
{
    double low = weight, high = weight * (1 + sqrt(1 + 2 * height * k / weight)), depth;
    for (int i = 0; i < 100; i++) {
        const double force = 0.5 * (low + high), energy = stored(force, k, &depth);
        if (energy < weight * (height + depth)) {
            low = force;
        } else {
            high = force;
        }
    }
    return low;
}

/// The peak force against conservation of energy. At 5 ms a step is stable, and gains no height.
static void test_drop(void **state)
{
    (void)state;
    const double mass = 51.67, g = 9.80665, stiffness[] = {1e4, 2e4, 1e5}, heights[] = {0.175, 0.2, 0.225};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            Bench b = make(gr_convex_cylinder(RADIUS, WIDTH), stiffness[i], 0, 1, (double)INFINITY);
            const double w = mass * g, exact = exact_peak(w, heights[j], stiffness[i]);
            const Drop fine = drop(&b, mass, heights[j], g, 2e-5, 0.6);
            gr_rigid_state_reset(b.w, b.s);
            const Drop coarse = drop(&b, mass, heights[j], g, 5e-3, 3);
            print_message("k %g, h %g: peak %.1f of %.1f N, energy off by %.2g; 5 ms: %.1f N, height %.3f\n",
                          stiffness[i], heights[j], fine.peak, exact, fine.residual, coarse.peak, coarse.height);
            assert_near_rel(fine.peak, exact, 5e-3);
            assert_near(fine.residual, 0, 0.01);
            assert_true(coarse.peak < 1.05 * exact && coarse.height < heights[j]);
            destroy(&b);
        }
    }
}

/// With a damper in the wheel: the energy missing at rest was lost in it, since the contact is elastic.
static void test_damper_takes_the_energy(void **state)
{
    (void)state;
    const double mass = 51.67, g = 9.80665, k = 2e4;
    Bench b = make(gr_convex_cylinder(RADIUS, WIDTH), k, 400, 1, (double)INFINITY);
    const Drop d = drop(&b, mass, 0.2, g, 2e-5, 4);
    print_message("damped drop: energy off by %.2g\n", d.residual);
    assert_near(d.residual, 0, 0.02);
    destroy(&b);
}

/// A loose ball against the side of a wheel, for every direction of its axle: the spring is radial, so it stores
/// almost nothing, and never more than F²/(2 k). On the tread it stores exactly that.
static void test_loose_ball(void **state)
{
    (void)state;
    const double ball = 0.05, overlap = 1e-4, stiffness = 2e4, exact = 1e-9;
    for (int k = 0; k < 32; k++) {
        for (int side = 0; side < 2; side++) {
            GrRigidDef def = gr_default_rigid_def();
            GrRigidBodyDef wheel = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
            wheel.flex_stiffness = stiffness;
            wheel.flex_axis = gr_vec3(0, 1, 0);
            gr_rigid_add_shape(&def, gr_rigid_add_body(&def, &wheel), gr_convex_cylinder(RADIUS, WIDTH),
                               gr_pose_identity(), 0);
            const GrPose at = {{0, 0, 5}, gr_quat_axis_angle(gr_vec3(0, 0, 1), 0.1 + 0.2 * k)};
            const GrVec3 off =
                side ? gr_vec3(0.5 * RADIUS, 0.5 * WIDTH + ball - overlap, 0) : gr_vec3(RADIUS + ball - overlap, 0, 0);
            GrRigidBodyDef loose = gr_default_rigid_body_def(GR_RIGID_LOOSE);
            loose.mass = 1;
            loose.inertia = gr_inertia_sphere(1, ball);
            loose.pose.position = gr_add(at.position, gr_quat_rotate(at.rotation, off));
            gr_rigid_add_shape(&def, gr_rigid_add_body(&def, &loose), gr_convex_sphere(ball), gr_pose_identity(), 0);
            Bench b = {.w = gr_rigid_world_create(&def, NULL)};
            gr_rigid_def_free(&def);
            b.s = gr_rigid_state_create(b.w);
            const GrRigidLoad load = load_at(&b, at, (GrTwist){{0, 0, 0}, {0, 0, 0}});
            const double force = gr_norm(load.wrench.force), most = 0.5 * force * force / stiffness;
            const double energy = gr_rigid_flex_energy(b.s, 0);
            assert_true(force > 0.1);
            if (side) {
                assert_true(energy <= exact * most);
            } else {
                assert_near_rel(energy, most, exact);
            }
            destroy(&b);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_series),
        cmocka_unit_test(test_linear_series),
        cmocka_unit_test(test_limit_is_the_rigid_wheel),
        cmocka_unit_test(test_deflection_at_rest),
        cmocka_unit_test(test_jacobians_match_differences),
        cmocka_unit_test(test_drop),
        cmocka_unit_test(test_damper_takes_the_energy),
        cmocka_unit_test(test_loose_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
