/// Inverse dynamics of a motion from a file: derivatives of sampled positions, then torques sample by sample.
#include "alloc.h"
#include "csv.h"
#include "data.h"
#include "dynamics.h"
#include "elementary.h"
#include "grouser/analysis.h"
#include "number.h"
#include "out_of_memory.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 5, BASE = 7, WRENCH = 6, NAME = 2 * GR_NAME_SIZE };

typedef struct Motion {
    const GrModel *m;
    const char *path;
    GrErrorLog *log;
    GrCsv csv;
    int count;
    double *time;
    int base[BASE]; ///< columns; −1: none
    int *joint;     ///< [joint_count] column; −1: none
    int *wrench;    ///< [bodies][WRENCH] columns
    double *values; ///< [count][coordinates] base, then joints
    double *cells;  ///< [bodies][WRENCH] of the present sample
    bool pushed;    ///< there is a wrench
} Motion;

static GrStatus fail(const Motion *in, int row, const char *field, const char *text)
{
    return gr_error_add(in->log, GR_ERROR_VALUE,
                        (GrLocation){.file = in->path, .line = row >= 0 ? in->csv.lines[row] : 0, .field = field}, "%s",
                        text);
}

static GrStatus read_cell(const Motion *in, int row, int column, double *out)
{
    const char *text = gr_csv_cell(&in->csv, row, column);
    char *end = NULL;
    *out = gr_number_read(text, &end);
    return end != text && *end == '\0' && isfinite(*out) ? GR_OK
                                                         : fail(in, row, in->csv.names[column], "is not a number");
}

// ---- columns

static int joint_column(const Motion *in, int joint)
{
    char name[NAME];
    const bool slides = gr_model_joint_slides(in->m, joint);
    snprintf(name, sizeof name, "joint.%s.%s", gr_model_joint_name(in->m, joint), slides ? "position_m" : "angle_deg");
    return gr_csv_find(&in->csv, name);
}

/// A column "joint.X.angle_deg" whose joint the rover lacks would silently have no effect.
static GrStatus check_names(const Motion *in)
{
    const char *names[256];
    const int count = gr_model_joint_count(in->m) < 256 ? gr_model_joint_count(in->m) : 256;
    for (int i = 0; i < count; i++) {
        names[i] = gr_model_joint_name(in->m, i);
    }
    for (int i = 0; i < in->csv.column_count; i++) {
        const char *column = in->csv.names[i], *end = strrchr(column, '.');
        char name[NAME];
        const bool angle = end != NULL && strcmp(end, ".angle_deg") == 0;
        const bool place = end != NULL && strcmp(end, ".position_m") == 0;
        if (strncmp(column, "joint.", 6) != 0 || !(angle || place) || end < column + 6) {
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(end - column - 6), column + 6);
        const int joint = gr_model_find_joint(in->m, name);
        if (joint < 0) {
            return gr_error_add(in->log, GR_ERROR_NAME, (GrLocation){.file = in->path, .line = 1, .field = column},
                                "the rover has no joint '%.60s'%s", name, gr_text_hint(name, names, count, NULL).text);
        }
        if (gr_model_joint_slides(in->m, joint) != place) {
            return gr_error_add(in->log, GR_ERROR_NAME, (GrLocation){.file = in->path, .line = 1, .field = column},
                                "this joint %s: the column is joint.%s.%s", place ? "turns" : "slides", name,
                                place ? "angle_deg" : "position_m");
        }
    }
    return GR_OK;
}

static GrStatus find_columns(Motion *in)
{
    static const char *const BASES[BASE] = {"x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"};
    static const char *const WRENCHES[WRENCH] = {"fx_N", "fy_N", "fz_N", "mx_Nm", "my_Nm", "mz_Nm"};
    const GrModel *m = in->m;
    int places = 0, turns = 0;
    for (int k = 0; k < BASE; k++) {
        in->base[k] = gr_csv_find(&in->csv, BASES[k]);
        places += k < 3 && in->base[k] >= 0;
        turns += k >= 3 && in->base[k] >= 0;
    }
    if (places % 3 != 0 || turns % 4 != 0) {
        return fail(in, -1, places % 3 != 0 ? "x_m, y_m, z_m" : "qw, qx, qy, qz", "some of them are missing");
    }
    for (int i = 0; i < gr_model_joint_count(m); i++) {
        in->joint[i] = joint_column(in, i);
        if (in->joint[i] >= 0 && m->tree.joints[m->joint_body[i]].motion == GR_MOTION_SPHERICAL) {
            return fail(in, -1, in->csv.names[in->joint[i]], "the motion of a spherical joint cannot be given");
        }
    }
    for (int b = 0; b < gr_model_part_count(m); b++) {
        for (int k = 0; k < WRENCH; k++) {
            char name[NAME];
            snprintf(name, sizeof name, "external.%s.%s", gr_model_part_name(m, b), WRENCHES[k]);
            in->wrench[b * WRENCH + k] = gr_csv_find(&in->csv, name);
            in->pushed = in->pushed || in->wrench[b * WRENCH + k] >= 0;
        }
    }
    return check_names(in);
}

static int coordinate_count(const Motion *in)
{
    return BASE + gr_model_joint_count(in->m);
}

/// Times, and positions in SI; quaternions are of unit length and do not change their sign between samples.
static GrStatus read_rows(Motion *in)
{
    const int time = gr_csv_find(&in->csv, "time_s"), coordinates = coordinate_count(in);
    GrStatus status = time >= 0 ? GR_OK : fail(in, -1, "time_s", "there is no such column");
    for (int i = 0; i < in->count && status == GR_OK; i++) {
        double *at = in->values + (size_t)i * (size_t)coordinates;
        status = read_cell(in, i, time, &in->time[i]);
        if (status == GR_OK && i > 0 && !(in->time[i] > in->time[i - 1])) {
            status = fail(in, i, "time_s", "times must increase");
        }
        at[3] = 1;
        for (int k = 0; k < coordinates && status == GR_OK; k++) {
            const int column = k < BASE ? in->base[k] : in->joint[k - BASE];
            if (column < 0) {
                continue;
            }
            const bool angle = k >= BASE && !gr_model_joint_slides(in->m, k - BASE);
            status = read_cell(in, i, column, &at[k]);
            at[k] *= angle ? GR_DEGREE : 1;
        }
        const double *before = i > 0 ? at - coordinates : at;
        double size = 0, same = 0;
        for (int k = 3; k < BASE; k++) {
            size += at[k] * at[k];
            same += at[k] * before[k];
        }
        if (status == GR_OK && !(size > 0.5 && size < 2)) {
            status = fail(in, i, "qw, qx, qy, qz", "is not a quaternion of unit length");
        }
        for (int k = 3; k < BASE; k++) {
            at[k] /= (same < 0 ? -1 : 1) * sqrt(size);
        }
    }
    return status;
}

// ---- derivatives

/// Weights of values at `x` [n] for the first and second derivative at `at` (Fornberg 1988).
static void derivative_weights(double at, const double *x, int n, double weights[3][POINTS])
{
    double c1 = 1, c4 = x[0] - at;
    memset(weights, 0, sizeof(double) * 3 * POINTS);
    weights[0][0] = 1;
    for (int i = 1; i < n; i++) {
        const int most = i < 2 ? i : 2;
        const double c5 = c4;
        double c2 = 1;
        c4 = x[i] - at;
        for (int j = 0; j < i; j++) {
            const double c3 = x[i] - x[j];
            c2 *= c3;
            if (j == i - 1) {
                for (int k = most; k >= 1; k--) {
                    weights[k][i] = c1 * (k * weights[k - 1][i - 1] - c5 * weights[k][i - 1]) / c2;
                }
                weights[0][i] = -c1 * c5 * weights[0][i - 1] / c2;
            }
            for (int k = most; k >= 1; k--) {
                weights[k][j] = (c4 * weights[k][j] - k * weights[k - 1][j]) / c3;
            }
            weights[0][j] = c4 * weights[0][j] / c3;
        }
        c1 = c2;
    }
}

/// First (1) and second (2) derivatives of all coordinates at sample i.
static void differentiate(const Motion *in, int i, double *first, double *second)
{
    const int coordinates = coordinate_count(in), n = in->count < POINTS ? in->count : POINTS;
    int from = i - n / 2;
    from = from < 0 ? 0 : from + n > in->count ? in->count - n : from;
    double weights[3][POINTS];
    derivative_weights(in->time[i], in->time + from, n, weights);
    for (int k = 0; k < coordinates; k++) {
        first[k] = second[k] = 0;
        for (int p = 0; p < n; p++) {
            const double value = in->values[(size_t)(from + p) * (size_t)coordinates + (size_t)k];
            first[k] += weights[1][p] * value;
            second[k] += weights[2][p] * value;
        }
    }
}

// ---- torques

/// Sets pose, positions and velocities; fills the accelerations in the order of the independent velocities.
static void set_state(const Motion *in, GrData *d, int i, const double *first, const double *second,
                      double *acceleration)
{
    const GrModel *m = in->m;
    const GrTree *t = &m->tree;
    const double *at = in->values + (size_t)i * (size_t)coordinate_count(in);
    const GrQuat q = {at[3], at[4], at[5], at[6]}, back = gr_quat_conjugate(q);
    // angular velocity 2 q̇ q*, its rate 2 q̈ q*: the vector parts, since the rest of the product is real
    const GrQuat turn = gr_quat_mul((GrQuat){first[3], first[4], first[5], first[6]}, back);
    const GrQuat rate = gr_quat_mul((GrQuat){second[3], second[4], second[5], second[6]}, back);
    const double u[6] = {first[0], first[1], first[2], 2 * turn.x, 2 * turn.y, 2 * turn.z};
    const double a[6] = {second[0], second[1], second[2], 2 * rate.x, 2 * rate.y, 2 * rate.z};
    memset(d->tree.velocity, 0, sizeof(double) * (size_t)t->dof_count);
    memset(acceleration, 0, sizeof(double) * (size_t)t->dof_count);
    memcpy(d->tree.position, at, sizeof(double) * BASE);
    memcpy(d->tree.velocity, u, sizeof u);
    memcpy(acceleration, a, sizeof a);
    for (int k = 0; k < m->joint_count; k++) {
        const GrJoint *j = &t->joints[m->joint_body[k]];
        if (in->joint[k] >= 0) {
            gr_joint_set_position(t, &d->tree, m->joint_body[k], at[BASE + k]);
            d->tree.velocity[j->dof] = first[BASE + k] / j->ratio;
            acceleration[j->dof] = second[BASE + k] / j->ratio;
        }
    }
}

static void push(void *context, const GrModel *m, GrData *d, double dt)
{
    const Motion *in = context;
    (void)dt;
    for (int b = 0; b < gr_model_part_count(m); b++) {
        const double *w = in->cells + (size_t)b * WRENCH;
        gr_data_add_wrench(m, d, b, gr_data_body_pose(m, d, b).position, gr_vec3(w[0], w[1], w[2]),
                           gr_vec3(w[3], w[4], w[5]));
    }
}

/// What spring, damper and friction of a joint do by themselves.
static double passive_force(const GrTree *t, const GrTreeData *d, int body)
{
    const GrJoint *j = &t->joints[body];
    const double rate = gr_joint_velocity(t, d, body);
    return -j->stiffness * (gr_joint_position(t, d, body) - j->rest) - j->damping * rate -
           (rate > 0   ? j->friction
            : rate < 0 ? -j->friction
                       : 0);
}

/// Whether a joint stands for its degree of freedom: it follows none. Of two that say the same, the first.
static bool leads(const GrModel *m, int joint)
{
    const GrJoint *j = &m->tree.joints[m->joint_body[joint]];
    bool first = j->ratio == 1 && j->offset == 0;
    for (int i = 0; i < joint; i++) {
        const GrJoint *other = &m->tree.joints[m->joint_body[i]];
        first = first && !(other->dof == j->dof && other->ratio == 1 && other->offset == 0);
    }
    return first;
}

static void take_torques(const Motion *in, const GrData *d, int i, double *force, GrInverseMotion *out)
{
    const GrModel *m = in->m;
    const GrTree *t = &m->tree;
    double *torque = out->torque + (size_t)i * (size_t)m->joint_count;
    for (int b = 1; b < t->body_count; b++) {
        force[t->joints[b].dof] -= t->joints[b].ratio * passive_force(t, &d->tree, b);
    }
    for (int k = 0; k < m->joint_count; k++) {
        torque[k] = leads(m, k) ? force[t->joints[m->joint_body[k]].dof] : (double)NAN;
        out->rate[(size_t)i * (size_t)m->joint_count + (size_t)k] = gr_joint_velocity(t, &d->tree, m->joint_body[k]);
    }
    memcpy(out->base + (size_t)i * WRENCH, force, sizeof(double) * WRENCH);
}

static GrStatus solve(Motion *in, GrInverseMotion *out)
{
    const size_t n = (size_t)coordinate_count(in), dofs = (size_t)in->m->tree.dof_count;
    double *work = gr_calloc(2 * n + 2 * dofs, sizeof *work);
    if (work == NULL) {
        return gr_out_of_memory(in->log, in->path);
    }
    GrData *d = NULL;
    GrStatus status = gr_data_create(in->m, &d, in->log);
    double *first = work, *second = first + n, *acceleration = second + n, *force = acceleration + dofs;
    if (status == GR_OK && in->pushed) {
        gr_data_set_force(d, push, in);
    }
    for (int i = 0; i < in->count && status == GR_OK; i++) {
        differentiate(in, i, first, second);
        set_state(in, d, i, first, second, acceleration);
        for (int k = 0; k < gr_model_part_count(in->m) * WRENCH && status == GR_OK; k++) {
            in->cells[k] = 0;
            status = in->wrench[k] >= 0 ? read_cell(in, i, in->wrench[k], &in->cells[k]) : status;
        }
        gr_inverse_dynamics(in->m, d, acceleration, force);
        take_torques(in, d, i, force, out);
        out->time[i] = in->time[i];
    }
    gr_data_free(d);
    gr_free(work);
    return status;
}

static GrStatus read_motion(Motion *in)
{
    const size_t rows = (size_t)in->csv.row_count, joints = (size_t)in->m->joint_count;
    const size_t bodies = (size_t)gr_model_part_count(in->m);
    in->count = in->csv.row_count;
    if (in->count < 3) {
        return fail(in, -1, "time_s", "a motion needs three samples or more");
    }
    in->time = gr_calloc(rows, sizeof *in->time);
    in->joint = gr_calloc(joints + 1, sizeof *in->joint);
    in->wrench = gr_calloc(bodies * WRENCH, sizeof *in->wrench);
    in->cells = gr_calloc(bodies * WRENCH, sizeof *in->cells);
    in->values = gr_calloc(rows * (BASE + joints), sizeof *in->values);
    if (in->time == NULL || in->joint == NULL || in->wrench == NULL || in->cells == NULL || in->values == NULL) {
        return gr_out_of_memory(in->log, in->path);
    }
    const GrStatus status = find_columns(in);
    return status == GR_OK ? read_rows(in) : status;
}

GrStatus gr_inverse_motion(const GrModel *m, const char *path, GrInverseMotion *out, GrErrorLog *log)
{
    Motion in = {.m = m, .path = path, .log = log};
    *out = (GrInverseMotion){0};
    GrStatus status = gr_csv_load(path, &in.csv, log);
    if (status != GR_OK) {
        return status;
    }
    status = read_motion(&in);
    if (status == GR_OK) {
        const size_t rows = (size_t)in.count, joints = (size_t)m->joint_count;
        *out = (GrInverseMotion){.count = in.count,
                                 .joint_count = m->joint_count,
                                 .time = gr_calloc(rows, sizeof(double)),
                                 .torque = gr_calloc(rows * joints + 1, sizeof(double)),
                                 .rate = gr_calloc(rows * joints + 1, sizeof(double)),
                                 .base = gr_calloc(rows * WRENCH, sizeof(double))};
        const bool room = out->time != NULL && out->torque != NULL && out->rate != NULL && out->base != NULL;
        status = room ? solve(&in, out) : gr_out_of_memory(log, path);
    }
    gr_free(in.time);
    gr_free(in.joint);
    gr_free(in.wrench);
    gr_free(in.cells);
    gr_free(in.values);
    gr_csv_free(&in.csv);
    if (status != GR_OK) {
        gr_inverse_motion_free(out);
    }
    return status;
}

void gr_inverse_motion_free(GrInverseMotion *motion)
{
    gr_free(motion->time);
    gr_free(motion->torque);
    gr_free(motion->rate);
    gr_free(motion->base);
    *motion = (GrInverseMotion){0};
}
