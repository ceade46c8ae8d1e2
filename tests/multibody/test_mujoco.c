/// MuJoCo referees random trees: accelerations with random torques and wrenches, and contact-free trajectories.
#include "support/random_rover.h"
#include "support/referee.h"
#include "test.h"

enum { TREES = 50, STATES = 5, MAX_DOF = 64 };
static const double ACCELERATION_TOLERANCE = 1e-9; // relative to the largest acceleration
static const double TRAJECTORY_TOLERANCE = 1e-6;   // [m, rad] after 10 s

typedef struct Wrenches {
    int count;
    GrVec3 point[MAX_DOF], force[MAX_DOF], moment[MAX_DOF];
} Wrenches;

static void add_wrenches(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const Wrenches *w = context;
    for (int k = 0; k < w->count; k++) {
        gr_data_add_wrench(m, d, k, w->point[k], w->force[k], w->moment[k]);
    }
}

/// Random motor torques and a random wrench at the centre of mass of every body, on both sides.
static void apply_random_forces(const GrModel *m, GrData *d, GrReferee *r, GrRandom *random, Wrenches *w)
{
    for (int i = 0; i < m->joint_count; i++) {
        const double torque = gr_random_uniform(random, -10, 10);
        gr_data_set_command(m, d, i, torque);
        r->data->qfrc_applied[r->joint_dof[i]] = torque;
    }
    mj_forward(r->model, r->data);
    w->count = m->def_body_count;
    for (int k = 0; k < w->count; k++) {
        const double *com = r->data->xipos + 3 * r->body[k];
        w->point[k] = gr_vec3(com[0], com[1], com[2]);
        w->force[k] = gr_random_vec(random, 20);
        w->moment[k] = gr_random_vec(random, 5);
        const double wrench[6] = {w->force[k].x, w->force[k].y, w->force[k].z, w->moment[k].x, w->moment[k].y, w->moment[k].z};
        memcpy(r->data->xfrc_applied + 6 * r->body[k], wrench, sizeof wrench);
    }
    gr_data_set_force(d, add_wrenches, w);
}

static void assert_accelerations_agree(const double *ours, const double *theirs, int n)
{
    double scale = 0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(theirs[i]));
    }
    for (int i = 0; i < n; i++) {
        assert_near(ours[i], theirs[i], ACCELERATION_TOLERANCE * scale);
    }
}

static void test_random_trees_accelerate_alike(void **state)
{
    (void)state;
    GrRandom random = gr_random_stream(1, "mujoco trees");
    for (int tree = 0; tree < TREES; tree++) {
        GrRoverDef rover = gr_random_rover(&random, 2 + (int)gr_random_below(&random, 20));
        GrModel *m = gr_model_create(&rover, NULL, NULL);
        assert_non_null(m);
        GrData *d = gr_data_create(m);
        GrReferee r = gr_referee_create(&rover, m, 1e-3);
        for (int s = 0; s < STATES; s++) {
            double theirs[MAX_DOF];
            Wrenches wrenches;
            gr_random_state(m, d, &random, 2);
            gr_referee_set_state(&r, d);
            apply_random_forces(m, d, &r, &random, &wrenches);
            gr_referee_acceleration(&r, theirs);
            assert_int_equal(gr_forward(m, d), GR_OK);
            assert_accelerations_agree(d->tree.acceleration, theirs, m->tree.dof_count);
            if (rover.coupling_count == 0) { // MuJoCo's own solution, without any projection
                double qacc[MAX_DOF] = {0};
                for (int i = 0; i < r.nv * m->tree.dof_count; i++) {
                    qacc[i / m->tree.dof_count] += r.map[i] * d->tree.acceleration[i % m->tree.dof_count];
                }
                assert_accelerations_agree(qacc, r.data->qacc, r.nv);
            }
        }
        gr_referee_free(&r);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

static void test_random_trees_move_alike(void **state)
{
    (void)state;
    const double duration = 10, dt = 1e-3;
    GrRandom random = gr_random_stream(2, "mujoco trajectories");
    for (int tree = 0; tree < 5; tree++) {
        GrRoverDef rover = gr_random_rover(&random, 8);
        GrOptions options = gr_default_options();
        options.integrator = "cvode";
        options.step = duration;
        options.gravity = gr_vec3(0, 0, -3.71);
        GrModel *m = gr_model_create(&rover, &options, NULL);
        assert_non_null(m);
        GrData *d = gr_data_create(m);
        assert_non_null(d);
        GrReferee r = gr_referee_create(&rover, m, dt);
        double velocity[MAX_DOF];
        gr_random_state(m, d, &random, 0.5);
        gr_referee_set_state(&r, d);
        memcpy(velocity, d->tree.velocity, sizeof(double) * (size_t)m->tree.dof_count);
        for (int i = 0; i < (int)lround(duration / dt); i++) {
            gr_referee_step(&r, velocity, dt);
        }
        assert_int_equal(gr_step(m, d), GR_OK);
        for (int i = 0; i < 7; i++) {
            assert_near(d->tree.position[i], r.data->qpos[i], TRAJECTORY_TOLERANCE);
        }
        for (int i = 0; i < m->joint_count; i++) {
            assert_near(gr_data_joint_position(m, d, i), r.data->qpos[r.joint_qpos[i]], TRAJECTORY_TOLERANCE);
        }
        gr_referee_free(&r);
        gr_data_free(d);
        gr_model_free(m);
        gr_rover_free(&rover);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_trees_accelerate_alike),
        cmocka_unit_test(test_random_trees_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
