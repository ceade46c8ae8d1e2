/// Bodies of a rover against ground, fixed and loose rocks, through the interface that the simulation uses.
#include "support/rigid_bench.h"
#include "support/rigid_rover.h"

static const double G = 9.80665;
static const GrVec3 UP = {0, 0, 1};

static GrRoverDef one_body(double mass, GrSym3 inertia)
{
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "body");
    body.mass = mass;
    body.inertia = inertia;
    gr_rover_add_body(&rover, &body);
    return rover;
}

static GrRigidDef one_driven(GrConvex convex)
{
    GrRigidDef def = gr_default_rigid_def();
    const GrRigidBodyDef body = gr_default_rigid_body_def(GR_RIGID_DRIVEN);
    gr_rigid_add_body(&def, &body);
    gr_rigid_add_shape(&def, 0, convex, gr_pose_identity(), 0);
    return def;
}

/// A wheel of 10 kg (r 0.1425 m, as ExoMars) falls on a plate; returns the peak force, and the load at rest.
static double drop(double height, double dt, double *rest)
{
    const double mass = 10, radius = 0.1425, width = 0.12;
    GrRoverDef rover = one_body(mass, gr_inertia_cylinder_y(mass, radius, width));
    GrRigidDef def = one_driven(gr_convex_cylinder(radius, width));
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    GrOptions options = gr_default_options();
    options.step = dt;
    GrRigidRover r;
    gr_rigid_rover_init(&r, &rover, &options, &def, (int[]){0}, 1);
    gr_data_set_base_pose(r.d, (GrPose){{0, 0, radius + height}, {1, 0, 0, 0}});
    double peak = 0;
    for (int i = 0; i < (int)lround(0.4 / dt); i++) {
        gr_rigid_rover_step(&r);
        peak = fmax(peak, gr_rigid_rover_normal(&r));
    }
    gr_rigid_rover_run(&r, 3);
    *rest = gr_rigid_rover_normal(&r);
    gr_rigid_rover_free(&r);
    gr_rover_free(&rover);
    return peak;
}

static void test_wheel_drop(void **state)
{
    (void)state;
    const double heights[] = {0.175, 0.2, 0.225};
    double last = 0;
    for (int i = 0; i < 3; i++) {
        double rest, rest_fine;
        const double coarse = drop(heights[i], 1e-4, &rest), fine = drop(heights[i], 5e-5, &rest_fine);
        print_message("drop from %.3f m: peak %.0f N (step 0.1 ms), %.0f N (0.05 ms), at rest %.4f N\n", heights[i],
                      coarse, fine, rest);
        assert_near_rel(coarse, fine, 0.02);
        assert_near_rel(rest, 10 * G, 1e-3);
        assert_true(fine > last);
        last = fine;
    }
}

/// A driven ball hits a loose one without gravity: momentum is conserved to rounding at any step, and the transferred
/// momentum is between those of a perfectly elastic and a perfectly plastic impact.
static void test_pushing_keeps_momentum(void **state)
{
    (void)state;
    const double steps[] = {1e-4, 1e-3, 5e-3};
    for (int i = 0; i < 3; i++) {
        GrRoverDef rover = one_body(5, gr_inertia_sphere(5, 0.2));
        GrRigidDef def = one_driven(gr_convex_sphere(0.2));
        def.gravity = gr_vec3(0, 0, 0);
        const GrTwist rest = {{0, 0, 0}, {0, 0, 0}};
        gr_add_loose(&def, gr_convex_sphere(0.15), 2, gr_inertia_sphere(2, 0.15),
                     (GrPose){{0.4, 0.05, 0.02}, {1, 0, 0, 0}}, rest, 0);
        GrOptions options = gr_default_options();
        options.gravity = gr_vec3(0, 0, 0);
        options.step = steps[i];
        GrRigidRover r;
        gr_rigid_rover_init(&r, &rover, &options, &def, (int[]){0}, 1);
        gr_data_set_base_velocity(r.d, gr_vec3(1, 0, 0), gr_vec3(0, 0, 3));
        gr_rigid_rover_run(&r, 0.5);
        GrVec3 linear, angular;
        gr_data_base_velocity(r.d, &linear, &angular);
        const GrVec3 rock = gr_rigid_loose_twist(r.w, r.s, 0).lin;
        const GrVec3 momentum = gr_madd(gr_scale(5, linear), 2, rock);
        assert_near(gr_norm(gr_sub(momentum, gr_vec3(5, 0, 0))), 0, 1e-9);
        print_message("step %g: rock leaves with %.4f m/s\n", steps[i], rock.x);
        assert_true(rock.x > 0.68 && rock.x < 1.43);
        gr_rigid_rover_free(&r);
        gr_rover_free(&rover);
    }
}

/// A box is set down on a loose slab on the ground: both come to rest, the ground carries both.
static void test_standing_on_a_loose_slab(void **state)
{
    (void)state;
    const GrVec3 size = {0.3, 0.3, 0.2}, slab = {0.5, 0.5, 0.1};
    GrRoverDef rover = one_body(20, gr_inertia_box(20, size));
    GrRigidDef def = one_driven(gr_convex_cuboid(size));
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    gr_add_loose(&def, gr_convex_cuboid(slab), 8, gr_inertia_box(8, slab), (GrPose){{0, 0, 0.05}, {1, 0, 0, 0}},
                 (GrTwist){{0, 0, 0}, {0, 0, 0}}, 0);
    GrOptions options = gr_default_options();
    GrRigidRover r;
    gr_rigid_rover_init(&r, &rover, &options, &def, (int[]){0}, 1);
    gr_data_set_base_pose(r.d, (GrPose){{0.02, 0.03, 0.25}, {1, 0, 0, 0}});
    gr_rigid_rover_run(&r, 3);
    GrVec3 linear, angular;
    gr_data_base_velocity(r.d, &linear, &angular);
    assert_near(gr_norm(linear), 0, 1e-6);
    assert_true(gr_rigid_loose_asleep(r.s, 0));
    gr_rigid_wake(r.w, r.s, 0);
    gr_rigid_rover_run(&r, 0.1);
    double on_ground = 0, on_slab = 0;
    for (int i = 0; i < gr_rigid_contact_count(r.s); i++) {
        const GrRigidContact c = gr_rigid_contact(r.w, r.s, i);
        *(c.body_a < 0 ? &on_ground : &on_slab) += c.force.z * (c.body_b == 1 && c.body_a == 0 ? -1 : 1);
    }
    assert_near_rel(on_ground, 28 * G, 1e-4);
    assert_near_rel(on_slab, 20 * G, 1e-4);
    gr_rigid_rover_free(&r);
    gr_rover_free(&rover);
}

/// A box on a bumpy analytic ground stays where it came to rest, and the ground bears its weight.
static bool bumps(const void *context, double x, double y, double *height, GrVec3 *normal)
{
    (void)context;
    *height = 0.02 * sin(5 * x) * cos(4 * y);
    *normal = gr_normalize(gr_vec3(-0.1 * cos(5 * x) * cos(4 * y), 0.08 * sin(5 * x) * sin(4 * y), 1));
    return true;
}

static void test_parked_on_bumps(void **state)
{
    (void)state;
    const GrVec3 size = {0.6, 0.5, 0.2};
    GrRoverDef rover = one_body(30, gr_inertia_box(30, size));
    GrRigidDef def = one_driven(gr_convex_cuboid(size));
    def.ground.at = bumps;
    GrOptions options = gr_default_options();
    GrRigidRover r;
    gr_rigid_rover_init(&r, &rover, &options, &def, (int[]){0}, 1);
    gr_data_set_base_pose(r.d, (GrPose){{0.3, 0.2, 0.13}, {1, 0, 0, 0}});
    gr_rigid_rover_run(&r, 5);
    const GrVec3 first = gr_data_base_pose(r.d).position;
    gr_rigid_rover_run(&r, 30);
    assert_near(gr_norm(gr_sub(gr_data_base_pose(r.d).position, first)), 0, 1e-5);
    double up = 0;
    for (int i = 0; i < gr_rigid_contact_count(r.s); i++) {
        up += gr_rigid_contact(r.w, r.s, i).force.z;
    }
    assert_near_rel(up, 30 * G, 1e-4);
    gr_rigid_rover_free(&r);
    gr_rover_free(&rover);
}

/// While a rover settles, loose bodies do not move: contacts below them are not evaluated, however many there are, and
/// they support the rover like fixed rock. Afterwards their state is unchanged.
static void test_settling_leaves_loose_bodies_alone(void **state)
{
    (void)state;
    const GrVec3 size = {0.3, 0.3, 0.2}, slab = {0.5, 0.5, 0.1};
    GrRigidDef def = one_driven(gr_convex_cuboid(size));
    def.ground = (GrRigidGround){gr_plane_ground, &UP};
    for (int i = 0; i < 3; i++) {
        gr_add_loose(&def, gr_convex_cuboid(slab), 8, gr_inertia_box(8, slab),
                     (GrPose){{i, 0, 0.05 - 1e-5}, {1, 0, 0, 0}}, (GrTwist){{0, 0, 0}, {0, 0, 0}}, 0);
    }
    GrRigidWorld *w = gr_rigid_world_create(&def, NULL);
    GrRigidState *s = gr_rigid_state_create(w);
    const GrPose pose = {{0, 0, 0.2 - 3e-5}, {1, 0, 0, 0}};
    const GrTwist still = {{0, 0, 0}, {0, 0, 0}};
    GrRigidLoad load[3];
    int on_ground[3];
    for (int k = 0; k < 3; k++) { // before, while, after
        if (k == 1) {
            gr_rigid_begin_settling(w, s, &pose);
        } else if (k == 2) {
            gr_rigid_end_settling(w, s);
        }
        assert_int_equal(gr_rigid_evaluate(w, s, &pose, &still, 0, &load[k]), GR_OK);
        on_ground[k] = 0;
        for (int i = 0; i < gr_rigid_contact_count(s); i++) {
            on_ground[k] += gr_rigid_contact(w, s, i).body_a < 0;
        }
        assert_true(load[k].wrench.force.z > 0);
        assert_near_rel(load[k].wrench.force.z, load[0].wrench.force.z, 1e-9);
    }
    assert_true(on_ground[0] >= 12 && on_ground[1] == 0 && on_ground[2] == on_ground[0]);
    gr_rigid_state_free(s);
    gr_rigid_world_free(w);
    gr_rigid_def_free(&def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wheel_drop),
        cmocka_unit_test(test_pushing_keeps_momentum),
        cmocka_unit_test(test_standing_on_a_loose_slab),
        cmocka_unit_test(test_parked_on_bumps),
        cmocka_unit_test(test_settling_leaves_loose_bodies_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
