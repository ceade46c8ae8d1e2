#include "referee.h"

#include "dense.h"
#include "mjcf.h"
#include "random_rover.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

void gr_referee_simplify(GrRoverDef *rover)
{
    for (int i = 0; i < rover->joint_count; i++) {
        GrJointDef *j = &rover->joints[i];
        const double rotor = j->motor.rotor_inertia;
        j->motor = gr_default_motor_def();
        j->motor.kind = gr_joint_kind_is_scalar(j->kind) ? GR_MOTOR_TORQUE : GR_MOTOR_NONE;
        j->motor.rotor_inertia = rotor;
        j->lower = -INFINITY;
        j->upper = INFINITY;
        j->friction = 0;
    }
}

static void find_joint(const GrReferee *r, const char *joint, const char *suffix, int *dof, int *qpos)
{
    char name[GR_NAME_SIZE + 8];
    snprintf(name, sizeof name, "j_%s%s", joint, suffix);
    const int id = mj_name2id(r->model, mjOBJ_JOINT, name);
    assert_true(id >= 0);
    *dof = r->model->jnt_dofadr[id];
    *qpos = r->model->jnt_qposadr[id];
}

GrReferee gr_referee_create(const GrRoverDef *rover, const GrModel *m, double step)
{
    return gr_referee_create_with(rover, m, step, "RK4", NULL);
}

GrReferee gr_referee_create_with(const GrRoverDef *rover, const GrModel *m, double step, const char *integrator,
                                 const char *more)
{
    char path[] = "/tmp/grouser-referee-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    FILE *out = fdopen(file, "w");
    const GrMjcf options = {.integrator = integrator, .step = step, .gravity = m->tree.gravity, .more = more};
    gr_mjcf_write(out, rover, &options);
    fclose(out);
    char error[1000] = "";
    GrReferee r = {.m = m};
    r.model = mj_loadXML(path, NULL, error, sizeof error);
    if (r.model == NULL) {
        print_error("MuJoCo: %s (%s)\n", error, path);
        fail();
    }
    unlink(path);
    r.data = mj_makeData(r.model);
    r.nv = r.model->nv;
    const size_t n = (size_t)m->tree.dof_count, nv = (size_t)r.nv;
    r.joint_dof = calloc((size_t)m->joint_count + 1, sizeof(int));
    r.joint_qpos = calloc((size_t)m->joint_count + 1, sizeof(int));
    r.slide_dof = calloc((size_t)m->joint_count + 1, sizeof(int));
    r.slide_qpos = calloc((size_t)m->joint_count + 1, sizeof(int));
    r.body = calloc((size_t)rover->body_count, sizeof(int));
    r.map = calloc(nv * n, sizeof(double));
    r.full = calloc(nv * nv, sizeof(double));
    r.half = calloc((nv > n ? nv : n) * n, sizeof(double));
    r.reduced = calloc(n * n, sizeof(double));
    for (int i = 0; i < m->joint_count; i++) {
        const GrMotion motion = m->tree.joints[m->joint_body[i]].motion;
        const char *joint = rover->joints[m->joint_def[i]].name;
        find_joint(&r, motion == GR_MOTION_SPHERICAL ? joint : m->joint_names[i], "", &r.joint_dof[i],
                   &r.joint_qpos[i]);
        if (motion == GR_MOTION_SCREW) {
            find_joint(&r, joint, ".", &r.slide_dof[i], &r.slide_qpos[i]);
        }
    }
    char name[GR_NAME_SIZE + 4];
    for (int k = 0; k < rover->body_count; k++) {
        snprintf(name, sizeof name, "b_%s", rover->bodies[k].name);
        r.body[k] = mj_name2id(r.model, mjOBJ_BODY, name);
        assert_true(r.body[k] > 0);
    }
    return r;
}

void gr_referee_free(GrReferee *r)
{
    mj_deleteData(r->data);
    mj_deleteModel(r->model);
    free(r->joint_dof);
    free(r->joint_qpos);
    free(r->slide_dof);
    free(r->slide_qpos);
    free(r->body);
    free(r->map);
    free(r->full);
    free(r->half);
    free(r->reduced);
}

static GrMat3 rotation_at(const double *q)
{
    return gr_quat_to_mat3((GrQuat){q[0], q[1], q[2], q[3]});
}

/// qvel = map u: MuJoCo's base and balls turn in their own axes, its coupled joints and parts of screws move by
/// themselves. The rate of the map does not enter accelerations: what turns in its own axes and what turns in those
/// that it turns from differ by ω × ω = 0, and the rest is constant.
static void fill_map(GrReferee *r)
{
    const int n = r->m->tree.dof_count;
    const GrMat3 rotation = rotation_at(r->data->qpos + 3);
    memset(r->map, 0, sizeof(double) * (size_t)(r->nv * n));
    for (int i = 0; i < 3; i++) {
        r->map[i * n + i] = 1;
        for (int j = 0; j < 3; j++) {
            r->map[(3 + i) * n + 3 + j] = rotation.m[j][i];
        }
    }
    for (int i = 0; i < r->m->joint_count; i++) {
        const GrJoint *j = &r->m->tree.joints[r->m->joint_body[i]];
        if (j->motion == GR_MOTION_SPHERICAL) {
            const GrMat3 turn = rotation_at(r->data->qpos + r->joint_qpos[i]);
            for (int k = 0; k < 3; k++) {
                r->map[(r->joint_dof[i] + k) * n + j->dof] = turn.m[j->along][k];
            }
            continue;
        }
        r->map[r->joint_dof[i] * n + j->dof] = j->ratio;
        if (j->motion == GR_MOTION_SCREW) {
            r->map[r->slide_dof[i] * n + j->dof] = j->ratio * j->pitch;
        }
    }
}

static void set_velocity(GrReferee *r, const double *u)
{
    const int n = r->m->tree.dof_count;
    fill_map(r);
    for (int i = 0; i < r->nv; i++) {
        r->data->qvel[i] = 0;
        for (int j = 0; j < n; j++) {
            r->data->qvel[i] += r->map[i * n + j] * u[j];
        }
    }
}

void gr_referee_set_state(GrReferee *r, const GrData *d)
{
    memcpy(r->data->qpos, d->tree.position, sizeof(double) * 7);
    for (int i = 0; i < r->m->joint_count; i++) {
        const GrJoint *j = &r->m->tree.joints[r->m->joint_body[i]];
        const double position = gr_data_joint_position(r->m, d, i);
        if (j->motion == GR_MOTION_SPHERICAL) {
            memcpy(r->data->qpos + r->joint_qpos[i], d->tree.position + j->coordinate, sizeof(double) * 4);
            continue;
        }
        r->data->qpos[r->joint_qpos[i]] = position;
        if (j->motion == GR_MOTION_SCREW) {
            r->data->qpos[r->slide_qpos[i]] = j->pitch * position;
        }
    }
    set_velocity(r, d->tree.velocity);
}

void gr_referee_acceleration(GrReferee *r, double *acceleration)
{
    const int n = r->m->tree.dof_count, nv = r->nv;
    mjData *data = r->data;
    mj_forward(r->model, data);
    mj_fullM(r->model, r->full, data->qM);
    double *force = calloc((size_t)nv, sizeof(double));
    for (int i = 0; i < nv; i++) {
        force[i] = data->qfrc_applied[i] + data->qfrc_passive[i] - data->qfrc_bias[i];
    }
    for (int b = 1; b < r->model->nbody; b++) { // xfrc_applied acts at the body's centre of mass
        mj_applyFT(r->model, data, data->xfrc_applied + 6 * b, data->xfrc_applied + 6 * b + 3, data->xipos + 3 * b, b,
                   force);
    }
    for (int k = 0; k < nv; k++) { // half = M G
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int l = 0; l < nv; l++) {
                sum += r->full[k * nv + l] * r->map[l * n + j];
            }
            r->half[k * n + j] = sum;
        }
    }
    for (int i = 0; i < n; i++) {
        acceleration[i] = 0;
        for (int k = 0; k < nv; k++) {
            acceleration[i] += r->map[k * n + i] * force[k];
        }
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < nv; k++) {
                sum += r->map[k * n + i] * r->half[k * n + j];
            }
            r->reduced[i * n + j] = sum;
        }
    }
    memcpy(r->half, r->reduced, sizeof(double) * (size_t)(n * n)); // the solution destroys its matrix
    assert_true(gr_dense_solve(n, r->half, acceleration));
    free(force);
}

/// q̇ of MuJoCo's positions at its present velocities.
static void position_rates(const GrReferee *r, double *rate)
{
    const mjModel *model = r->model;
    const double *qpos = r->data->qpos, *qvel = r->data->qvel;
    for (int i = 0; i < model->njnt; i++) {
        int q = model->jnt_qposadr[i], v = model->jnt_dofadr[i];
        const int type = model->jnt_type[i], scalars = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
        for (int k = 0; k < scalars; k++) {
            rate[q++] = qvel[v++];
        }
        if (type == mjJNT_FREE || type == mjJNT_BALL) {
            const GrQuat half = {0, qvel[v] / 2, qvel[v + 1] / 2, qvel[v + 2] / 2}; // in its own axes
            const GrQuat spin = gr_quat_mul((GrQuat){qpos[q], qpos[q + 1], qpos[q + 2], qpos[q + 3]}, half);
            memcpy(rate + q, &(double[]){spin.w, spin.x, spin.y, spin.z}, sizeof(double) * 4);
        }
    }
}

/// Quaternions are integrated as four numbers each: a mean angular velocity would be of second order only.
void gr_referee_step(GrReferee *r, double *velocity, double dt)
{
    enum { STAGES = 4, MAX = 64 };
    const int n = r->m->tree.dof_count, nq = r->model->nq;
    static const double node[STAGES] = {0, 0.5, 0.5, 1}, weight[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double q0[MAX], mean_q[MAX] = {0}, q_rate[MAX] = {0}, mean_rate[MAX] = {0}, rate[MAX] = {0}, u[MAX];
    assert_true(n <= MAX && nq <= MAX);
    memcpy(q0, r->data->qpos, sizeof(double) * (size_t)nq);
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < nq; i++) {
            r->data->qpos[i] = q0[i] + node[s] * dt * q_rate[i];
        }
        for (int i = 0; i < n; i++) {
            u[i] = velocity[i] + node[s] * dt * rate[i];
        }
        mj_normalizeQuat(r->model, r->data->qpos);
        set_velocity(r, u);
        position_rates(r, q_rate);
        gr_referee_acceleration(r, rate);
        for (int i = 0; i < nq; i++) {
            mean_q[i] += weight[s] * q_rate[i];
        }
        for (int i = 0; i < n; i++) {
            mean_rate[i] += weight[s] * rate[i];
        }
    }
    for (int i = 0; i < nq; i++) {
        r->data->qpos[i] = q0[i] + dt * mean_q[i];
    }
    for (int i = 0; i < n; i++) {
        velocity[i] += dt * mean_rate[i];
    }
    mj_normalizeQuat(r->model, r->data->qpos);
    set_velocity(r, velocity);
}

static void add_wrenches(void *context, const GrModel *m, GrData *d, double dt)
{
    (void)dt;
    const GrWrenches *w = context;
    for (int k = 0; k < w->count; k++) {
        gr_data_add_wrench(m, d, k, w->point[k], w->force[k], w->moment[k]);
    }
}

void gr_referee_push(GrReferee *r, GrData *d, GrRandom *random, GrWrenches *w)
{
    const GrModel *m = r->m;
    for (int i = 0; i < m->joint_count; i++) {
        if (m->tree.joints[m->joint_body[i]].motor.kind != GR_MOTOR_TORQUE) {
            continue;
        }
        const double torque = gr_random_uniform(random, -10, 10);
        gr_data_set_command(m, d, i, torque);
        r->data->qfrc_applied[r->joint_dof[i]] = torque;
    }
    mj_forward(r->model, r->data);
    w->count = m->def_body_count;
    assert_true(w->count <= GR_REFEREE_BODIES);
    for (int k = 0; k < w->count; k++) {
        const double *com = r->data->xipos + 3 * r->body[k];
        w->point[k] = gr_vec3(com[0], com[1], com[2]);
        w->force[k] = gr_random_vec(random, 20);
        w->moment[k] = gr_random_vec(random, 5);
        const double wrench[6] = {w->force[k].x,  w->force[k].y,  w->force[k].z,
                                  w->moment[k].x, w->moment[k].y, w->moment[k].z};
        memcpy(r->data->xfrc_applied + 6 * r->body[k], wrench, sizeof wrench);
    }
    gr_data_set_force(d, add_wrenches, w);
}

static void assert_alike(const double *ours, const double *theirs, int n, double tolerance)
{
    double scale = 0;
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fabs(theirs[i]));
    }
    for (int i = 0; i < n; i++) {
        assert_near(ours[i], theirs[i], tolerance * scale);
    }
}

/// Our mass matrix against MuJoCo's, projected.
static void assert_same_mass(const GrReferee *r, const GrData *d, double tolerance)
{
    const GrPaths *paths = &r->m->tree.paths;
    const int n = r->m->tree.dof_count;
    for (int i = 0; i < n; i++) {
        double row[GR_REFEREE_BODIES] = {0};
        for (int e = 0; e <= paths->depth[i]; e++) {
            row[paths->path[paths->start[i] + e]] = d->tree.mass[paths->start[i] + e];
        }
        assert_alike(row, r->reduced + (size_t)i * (size_t)n, i + 1, tolerance);
    }
}

void gr_referee_compare_accelerations(const GrRoverDef *rover, GrRandom *random, int states, double tolerance)
{
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, NULL, &m, NULL), GR_OK);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    GrReferee r = gr_referee_create(rover, m, 1e-3);
    const int n = m->tree.dof_count;
    assert_true(r.nv <= GR_REFEREE_BODIES);
    for (int s = 0; s < states; s++) {
        double theirs[GR_REFEREE_BODIES];
        GrWrenches wrenches;
        gr_random_state(m, d, random, 2);
        gr_referee_set_state(&r, d);
        gr_referee_push(&r, d, random, &wrenches);
        gr_referee_acceleration(&r, theirs);
        assert_int_equal(gr_forward(m, d), GR_OK);
        assert_alike(d->tree.acceleration, theirs, n, tolerance);
        assert_same_mass(&r, d, tolerance);
        if (rover->coupling_count == 0 && r.nv == n) { // MuJoCo's own solution, without any projection
            double qacc[GR_REFEREE_BODIES] = {0};
            for (int i = 0; i < r.nv * n; i++) {
                qacc[i / n] += r.map[i] * d->tree.acceleration[i % n];
            }
            assert_alike(qacc, r.data->qacc, r.nv, tolerance);
        }
    }
    gr_referee_free(&r);
    gr_data_free(d);
    gr_model_free(m);
}

void gr_referee_compare_inverse(const GrRoverDef *rover, GrRandom *random, int states, double tolerance)
{
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, NULL, &m, NULL), GR_OK);
    GrData *d = NULL;
    gr_data_create(m, &d, NULL);
    GrReferee r = gr_referee_create(rover, m, 1e-3);
    const int n = m->tree.dof_count;
    assert_true(r.nv <= GR_REFEREE_BODIES && n <= GR_REFEREE_BODIES);
    for (int s = 0; s < states; s++) {
        double acceleration[GR_REFEREE_BODIES], force[GR_REFEREE_BODIES], theirs[GR_REFEREE_BODIES] = {0};
        gr_random_state(m, d, random, 2);
        gr_referee_set_state(&r, d);
        for (int i = 0; i < n; i++) {
            acceleration[i] = gr_random_uniform(random, -3, 3);
        }
        for (int k = 0; k < r.nv; k++) {
            r.data->qacc[k] = 0;
            for (int i = 0; i < n; i++) {
                r.data->qacc[k] += r.map[k * n + i] * acceleration[i];
            }
        }
        mj_inverse(r.model, r.data);
        for (int i = 0; i < n; i++) { // their forces are without springs and dampers, ours with them
            for (int k = 0; k < r.nv; k++) {
                theirs[i] += r.map[k * n + i] * (r.data->qfrc_inverse[k] + r.data->qfrc_passive[k]);
            }
        }
        gr_inverse_dynamics(m, d, acceleration, force);
        assert_alike(force, theirs, n, tolerance);
    }
    gr_referee_free(&r);
    gr_data_free(d);
    gr_model_free(m);
}

void gr_referee_compare_trajectory(const GrRoverDef *rover, GrRandom *random, double duration, double dt,
                                   double tolerance)
{
    GrOptions options = gr_default_options();
    options.integrator = GR_INTEGRATOR_CVODE;
    options.tolerance = fmin(options.tolerance, 1e-4 * tolerance);
    options.step = duration;
    options.gravity = gr_vec3(0, 0, -3.71);
    GrModel *m = NULL;
    assert_int_equal(gr_model_create(rover, &options, &m, NULL), GR_OK);
    GrData *d = NULL;
    assert_int_equal(gr_data_create(m, &d, NULL), GR_OK);
    GrReferee r = gr_referee_create(rover, m, dt);
    double velocity[GR_REFEREE_BODIES];
    gr_random_state(m, d, random, 0.5);
    gr_referee_set_state(&r, d);
    memcpy(velocity, d->tree.velocity, sizeof(double) * (size_t)m->tree.dof_count);
    for (int i = 0; i < (int)lround(duration / dt); i++) {
        gr_referee_step(&r, velocity, dt);
    }
    assert_int_equal(gr_step(m, d), GR_OK);
    double largest = 0;
    for (int i = 0; i < 7; i++) { // the base
        assert_near(d->tree.position[i], r.data->qpos[i], tolerance);
        largest = fmax(largest, fabs(d->tree.position[i] - r.data->qpos[i]));
    }
    for (int i = 0; i < m->joint_count; i++) {
        const GrJoint *j = &m->tree.joints[m->joint_body[i]];
        const double *theirs = r.data->qpos + r.joint_qpos[i];
        if (j->motion == GR_MOTION_SPHERICAL) { // q and −q are one rotation
            const GrQuat ours = gr_tree_quaternion(&d->tree, j->coordinate);
            const GrQuat between =
                gr_quat_mul(ours, gr_quat_conjugate((GrQuat){theirs[0], theirs[1], theirs[2], theirs[3]}));
            assert_near(gr_norm(gr_quat_log(between)), 0, tolerance);
            assert_near(gr_dot(gr_vec3(ours.x, ours.y, ours.z), gr_vec3(ours.x, ours.y, ours.z)) + ours.w * ours.w, 1,
                        1e-14);
        } else {
            assert_near(gr_data_joint_position(m, d, i), *theirs, tolerance);
        }
    }
    print_message("%s: %g s of motion agree within %.2g m on the base\n", rover->name[0] != '\0' ? rover->name : "tree",
                  duration, largest);
    gr_referee_free(&r);
    gr_data_free(d);
    gr_model_free(m);
}
