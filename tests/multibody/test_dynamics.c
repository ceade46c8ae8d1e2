/// The stages of the equations of motion compared with each other.
#include "dynamics.h"

#include "forces.h"
#include "solve.h"
#include "support/random_rover.h"
#include "test.h"

enum { TREES = 30, MAX_DOF = 64 };

typedef struct Case {
    GrRoverDef rover;
    GrModel *m;
    GrData *d;
} Case;

static Case make(GrRandom *random)
{
    Case c;
    if (gr_random_unit(random) < 0.5) {
        c.rover = gr_random_rover(random, 2 + (int)gr_random_below(random, 15));
    } else {
        c.rover = gr_random_rover_of_all_kinds(random, 2 + (int)gr_random_below(random, 6));
    }
    assert_int_equal(gr_model_create(&c.rover, NULL, &c.m, NULL), GR_OK);
    gr_data_create(c.m, &c.d, NULL);
    gr_random_state(c.m, c.d, random, 1);
    for (int i = 0; i < c.m->joint_count; i++) {
        gr_data_set_command(c.m, c.d, i, gr_random_uniform(random, -5, 5));
    }
    return c;
}

static void destroy(Case *c)
{
    gr_data_free(c->d);
    gr_model_free(c->m);
    gr_rover_free(&c->rover);
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

/// Inverse dynamics of the accelerations gives back the joint forces, and nothing on the floating base.
static void test_inverse_undoes_forward(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "inverse");
    for (int k = 0; k < TREES; k++) {
        Case c = make(&random);
        assert_int_equal(gr_forward(c.m, c.d), GR_OK);
        const GrTree *t = &c.m->tree;
        double acceleration[MAX_DOF], force[MAX_DOF], expected[MAX_DOF] = {0};
        memcpy(acceleration, c.d->tree.acceleration, sizeof(double) * (size_t)t->dof_count);
        for (int b = 1; b < t->body_count; b++) {
            expected[t->joints[b].dof] += t->joints[b].ratio * c.d->tree.joint_force[b];
        }
        gr_inverse_dynamics(c.m, c.d, acceleration, force);
        const double scale = 1e-11 * (1 + largest(acceleration, t->dof_count)) * 100;
        for (int i = 0; i < t->dof_count; i++) {
            assert_near(force[i], expected[i], scale);
        }
        destroy(&c);
    }
}

/// u M u / 2 is the kinetic energy of the bodies.
static void test_mass_matrix_gives_the_kinetic_energy(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(2, "mass");
    for (int k = 0; k < TREES; k++) {
        Case c = make(&random);
        gr_forward(c.m, c.d);
        double product[MAX_DOF], energy = 0;
        gr_path_multiply(&c.m->tree.paths, c.d->tree.mass, c.d->tree.velocity, product);
        for (int i = 0; i < c.m->tree.dof_count; i++) {
            energy += product[i] * c.d->tree.velocity[i] / 2;
        }
        assert_near_rel(energy, gr_balance(c.m, c.d).kinetic, 1e-12);
        destroy(&c);
    }
}

/// Joint loads of a tree at rest in gravity: each joint supports the weight of everything beyond it.
static void test_joint_loads_carry_the_weight_below(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(3, "loads");
    for (int k = 0; k < TREES; k++) {
        Case c = make(&random);
        const GrTree *t = &c.m->tree;
        GrTreeData *d = &c.d->tree;
        memset(d->velocity, 0, sizeof(double) * (size_t)t->dof_count);
        double rate[MAX_DOF] = {0}, force[MAX_DOF];
        GrWrench load[MAX_DOF];
        gr_tree_kinematics(t, d);
        gr_tree_inverse_dynamics(t, d, rate, force, load);
        double below[MAX_DOF] = {0};
        for (int b = t->body_count - 1; b > 0; b--) {
            below[b] += t->bodies[b].mass;
            below[t->joints[b].parent] += below[b];
            assert_near(load[b].force.z, below[b] * 9.80665, 1e-9);
            assert_near(load[b].force.x, 0, 1e-9);
            const GrWrench local = gr_joint_load_in(d, load, b, &d->frame[b].rotation);
            assert_near(gr_norm(local.force), below[b] * 9.80665, 1e-9);
        }
        destroy(&c);
    }
}

/// A spring-damper between a body point and a fixed anchor, stiff enough to explode in explicit steps.
typedef struct Anchor {
    int body;
    GrVec3 local, anchor;
    double k, c;
} Anchor;

static void pull(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const Anchor *a = context;
    const GrPose pose = gr_data_body_pose(m, d, a->body);
    const GrVec3 point = gr_add(pose.position, gr_quat_rotate(pose.rotation, a->local));
    const GrVec3 stretch = gr_sub(point, a->anchor), speed = gr_data_point_velocity(m, d, a->body, point);
    const GrVec3 force = gr_neg(gr_madd(gr_scale(a->k, stretch), a->c, speed));
    gr_data_add_wrench(m, d, a->body, point, force, gr_vec3(0, 0, 0));
    double dtwist[36] = {0}, dpose[36] = {0};
    for (int i = 3; i < 6; i++) {
        dtwist[6 * i + i] = -a->c;
        dpose[6 * i + i] = -a->k;
    }
    gr_data_add_jacobian(m, d, a->body, point, dtwist, dpose);
}

/// The matrix of the implicit step is M − dt ∂F/∂u − dt² ∂F/∂q with ∂F by finite differences of the forces, at a state
/// where the geometry of the tree adds no stiffness (no force at the point).
static void test_jacobians_are_the_derivatives_of_the_forces(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(4, "slopes");
    const double dt = 0.01, e = 1e-6;
    for (int trial = 0; trial < TREES; trial++) {
        Case c = make(&random);
        const GrTree *t = &c.m->tree;
        GrTreeData *d = &c.d->tree;
        const int n = t->dof_count;
        memset(d->velocity, 0, sizeof(double) * (size_t)n);
        gr_forward(c.m, c.d);
        Anchor anchor = {.body = (int)gr_random_below(&random, (uint64_t)c.m->def_body_count), .k = 100, .c = 7};
        anchor.local = gr_random_vec(&random, 0.3);
        const GrPose pose = gr_data_body_pose(c.m, c.d, anchor.body);
        anchor.anchor = gr_add(pose.position, gr_quat_rotate(pose.rotation, anchor.local));
        gr_data_set_force(c.d, pull, &anchor);
        GrForces forces = {.m = c.m, .d = c.d, .moment = GR_GROUND_START};
        const GrForceField field = gr_force_field(&forces);
        gr_tree_forward(t, d, &field, dt, true);
        GrJointMode mode[MAX_DOF] = {{0}};
        assert_int_equal(gr_tree_solve(t, d, dt, true, mode), GR_OK);
        double system[MAX_DOF][MAX_DOF] = {{0}}, base_bias[MAX_DOF], bias[MAX_DOF];
        for (int k = 0; k < n; k++) {
            for (int at = t->paths.start[k]; at <= t->paths.start[k] + t->paths.depth[k]; at++) {
                system[k][t->paths.path[at]] = d->lower[at] - d->mass[at];
                system[t->paths.path[at]][k] = d->upper[at] - d->mass[at];
            }
        }
        GrTreeData *clean = d;
        gr_tree_forward(t, clean, &field, 0, false);
        memcpy(base_bias, clean->bias, sizeof(double) * (size_t)n);
        for (int k = 0; k < n;
             k++) { // a motion at unit speed along k: force changes by D_u e, and by D_q e at a displacement
            double direction[MAX_DOF] = {0}, keep[MAX_DOF];
            direction[k] = 1;
            memcpy(keep, d->position, sizeof(double) * (size_t)t->position_count);
            gr_data_set_force(c.d, NULL, NULL);
            gr_tree_advance(t, d, direction, e);
            gr_tree_forward(t, d, &field, 0, false);
            memcpy(bias, d->bias, sizeof(double) * (size_t)n); // gravity's own stiffness
            gr_data_set_force(c.d, pull, &anchor);
            gr_tree_forward(t, d, &field, 0, false);
            double dq[MAX_DOF], du[MAX_DOF];
            for (int i = 0; i < n; i++) {
                dq[i] = -(d->bias[i] - bias[i]) / e;
            }
            memcpy(d->position, keep, sizeof(double) * (size_t)t->position_count);
            d->velocity[k] = e;
            gr_tree_forward(t, d, &field, 0, false);
            for (int i = 0; i < n; i++) {
                du[i] = -(d->bias[i] - base_bias[i]) / e;
            }
            d->velocity[k] = 0;
            for (int i = 0; i < n; i++) {
                assert_near(system[i][k], -dt * du[i] - dt * dt * dq[i], 2e-4);
            }
        }
        destroy(&c);
    }
}

/// With its Jacobians, a spring a thousand times too stiff for an explicit step is stable and settles at its
/// equilibrium.
static void test_stiff_force_is_stable_at_large_steps(void **state)
{
    (void)state;
    GrRoverDef rover = gr_default_rover_def();
    GrBodyDef body = gr_default_body_def();
    snprintf(body.name, sizeof body.name, "body");
    body.mass = 10;
    body.inertia = gr_inertia_box(10, gr_vec3(0.5, 0.4, 0.3));
    gr_rover_add_body(&rover, &body);
    GrOptions options = gr_default_options();
    options.step = 0.02;
    GrModel *m = NULL;
    gr_model_create(&rover, &options, &m, NULL);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    Anchor anchor = {.local = {0, 0, 0.2}, .anchor = {0, 0, 0.2}, .k = 1e7, .c = 100};
    gr_data_set_force(d, pull, &anchor);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(gr_step(m, d), GR_OK);
    }
    gr_forward(m, d);
    const GrPose pose = gr_data_base_pose(d);
    assert_near(pose.position.z, -10 * 9.80665 / 1e7, 1e-9);
    assert_near(gr_norm(gr_vec3(pose.rotation.x, pose.rotation.y, pose.rotation.z)), 0, 1e-9);
    gr_data_free(d);
    gr_model_free(m);
    gr_rover_free(&rover);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse_undoes_forward),
        cmocka_unit_test(test_mass_matrix_gives_the_kinetic_energy),
        cmocka_unit_test(test_joint_loads_carry_the_weight_below),
        cmocka_unit_test(test_jacobians_are_the_derivatives_of_the_forces),
        cmocka_unit_test(test_stiff_force_is_stable_at_large_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
