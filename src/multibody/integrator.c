#include "integrator.h"

#include "device_call.h"
#include "dynamics.h"
#include "joint_force.h"
#include "parts.h"
#include "solve.h"
#include "text.h"

#include <string.h>

#define NAME(id, name) #name,
static const char *const NAMES[] = {GR_INTEGRATOR_LIST(NAME)};
#undef NAME

const GrIntegratorRow gr_integrators[GR_INTEGRATOR_COUNT] = {
    [GR_INTEGRATOR_LINEAR] = {"linearly implicit Euler: stiff contact, motors and stops at large steps", 1, true, false,
                              gr_step_linear, NULL, NULL},
    [GR_INTEGRATOR_EULER] = {"semi-implicit (symplectic) Euler: cheapest, small steps", 1, false, false, gr_step_euler,
                             NULL, NULL},
    [GR_INTEGRATOR_BEEMAN] = {"Beeman predictor-corrector, one evaluation a step: smooth motion", 3, false, false,
                              gr_step_beeman, NULL, NULL},
#ifdef GR_WITH_CVODE
    [GR_INTEGRATOR_CVODE] = {"SUNDIALS CVODE with root finding: the accuracy reference", 5, false, true, gr_step_cvode,
                             gr_cvode_create, gr_cvode_destroy},
#else
    [GR_INTEGRATOR_CVODE] = {"not in this build", 5, false, true, NULL, NULL, NULL},
#endif
};

const char *gr_integrator_name(GrIntegrator integrator)
{
    return (unsigned)integrator < GR_INTEGRATOR_COUNT ? NAMES[integrator] : "unknown";
}

const char *gr_integrator_text(GrIntegrator integrator)
{
    return (unsigned)integrator < GR_INTEGRATOR_COUNT ? gr_integrators[integrator].text : "unknown";
}

bool gr_integrator_is_built(GrIntegrator integrator)
{
#ifdef GR_WITH_CVODE
    if (integrator == GR_INTEGRATOR_CVODE) {
        return gr_cvode_is_there();
    }
#endif
    return (unsigned)integrator < GR_INTEGRATOR_COUNT && gr_integrators[integrator].step != NULL;
}

GrStatus gr_integrator_find(const char *name, GrIntegrator *out, GrErrorLog *log)
{
    const char *built[GR_INTEGRATOR_COUNT];
    int count = 0;
    for (int i = 0; i < GR_INTEGRATOR_COUNT; i++) {
        if (strcmp(name, NAMES[i]) == 0) {
            *out = (GrIntegrator)i;
            return gr_integrator_is_built(*out) ? GR_OK
                                                : gr_part_missing("CVODE", (GrLocation){.field = "integrator"}, log);
        }
        if (gr_integrator_is_built((GrIntegrator)i)) { // suggest only what can be used
            built[count++] = NAMES[i];
        }
    }
    return gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = "integrator"}, "no integrator is called '%s'%s", name,
                        gr_text_hint(name, built, count, NULL).text);
}

void gr_tree_advance(const GrTree *t, GrTreeData *d, const double *velocity, double dt)
{
    double *p = d->position;
    int i = 0;
    for (int k = 0; k <= t->rotation_count; k++) { // k quaternions precede these positions
        const int end = k < t->rotation_count ? t->rotations[k].dof : t->dof_count;
        for (; i < end; i++) {
            p[i + k] += dt * velocity[i];
        }
        if (k < t->rotation_count) {
            const GrVec3 turn = gr_scale(dt, gr_vec3(velocity[i], velocity[i + 1], velocity[i + 2]));
            const int at = t->rotations[k].coordinate;
            gr_tree_set_quaternion(d, at, gr_quat_normalize(gr_quat_mul(gr_quat_exp(turn), gr_tree_quaternion(d, at))));
            i += 3;
        }
    }
}

void gr_tree_reset_history(GrTreeData *d)
{
    d->history_count[0] = 0;
}

/// Commits the joints' states. Position and velocity are already those of the end of the step.
static void commit_joints(const GrTree *t, GrTreeData *d, double dt)
{
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        gr_joint_commit(t, d, b, d->next_mode[b], gr_joint_position(t, d, b), gr_joint_velocity(t, d, b), dt);
    }
}

/// A step that is revised more often is chatter; its last solution is accepted.
enum { MAX_REVISIONS = 4 };

static GrStatus first_order_step(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, bool implicit)
{
    gr_tree_forward(t, d, field, dt, implicit);
    GrStatus status = gr_tree_solve(t, d, dt, implicit, d->next_mode);
    const bool revisable = implicit && field != NULL && field->revise != NULL;
    for (int i = 0; revisable && status == GR_OK && i < MAX_REVISIONS; i++) {
        if (!GR_CALL(revise, field->revise, field->context, t, d, dt)) {
            break;
        }
        gr_tree_bias(t, d);
        status = gr_tree_solve(t, d, dt, implicit, d->next_mode);
    }
    if (status != GR_OK) {
        return status;
    }
    for (int i = 0; i < t->dof_count; i++) {
        d->velocity[i] += dt * d->acceleration[i];
    }
    gr_tree_advance(t, d, d->velocity, dt);
    commit_joints(t, d, dt);
    d->time[0] += dt;
    gr_tree_reset_history(d);
    return GR_OK;
}

GrStatus gr_step_linear(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work)
{
    (void)work;
    return first_order_step(t, d, field, dt, true);
}

GrStatus gr_step_euler(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work)
{
    (void)work;
    return first_order_step(t, d, field, dt, false);
}

/// Beeman's memory of one quantity: its values at the last step and the one before.
typedef struct Past {
    double *now, *before;
    size_t count;
} Past;

static void begin_past(Past past, const double *value)
{
    memcpy(past.now, value, sizeof(double) * past.count);
    memcpy(past.before, value, sizeof(double) * past.count);
}

/// Replaces values at the end of a step by Beeman's means over it; in the first step by the trapezoidal rule. Forces
/// have the weights of accelerations, so that their work is that of the motion.
static void leave_means(Past past, double *value, bool first)
{
    for (size_t i = 0; i < past.count; i++) {
        const double next = value[i];
        value[i] = first ? (next + past.now[i]) / 2 : (5 * next + 8 * past.now[i] - past.before[i]) / 12;
        past.before[i] = past.now[i];
        past.now[i] = next;
    }
}

/// Mean velocity over a step with accelerations a (now) and b (one step ago), Beeman's x(t + dt) − x(t) over dt;
/// a rotation's share is the Magnus expansion of the same: Ω = dt ω + dt² α/2 − dt³ ω × α / 12 (axes that do not turn).
static void beeman_mean_velocity(const GrTree *t, GrTreeData *d, const double *a, const double *b, double dt)
{
    for (int i = 0; i < t->dof_count; i++) {
        d->work[i] = d->velocity[i] + dt * (4 * a[i] - b[i]) / 6;
    }
    for (int k = 0; k < t->rotation_count; k++) {
        const int i = t->rotations[k].dof;
        const GrVec3 omega = {d->velocity[i], d->velocity[i + 1], d->velocity[i + 2]};
        const GrVec3 alpha = {a[i], a[i + 1], a[i + 2]};
        const GrVec3 twist = gr_scale(-dt * dt / 12, gr_cross(omega, alpha));
        d->work[i] += twist.x;
        d->work[i + 1] += twist.y;
        d->work[i + 2] += twist.z;
    }
}

/// x' = x + dt v + dt² (4 a_t − a_t-1)/6, v_pred = v + dt (3 a_t − a_t-1)/2, a' = f(x', v_pred),
/// v' = v + dt (5 a' + 8 a_t − a_t-1)/12 (O23 eq. 3, shifted by half a loop so that a step begins and ends with the
/// corrected velocity). The first step uses a_t for a_t-1 and the trapezoidal rule for v'.
GrStatus gr_step_beeman(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *work)
{
    (void)work;
    const size_t n = (size_t)t->dof_count, nb = (size_t)t->body_count;
    double *history = d->history, *old_step = history + 2 * n + 4 * nb;
    const Past motion = {history, history + n, n};
    const Past torque = {history + 2 * n, history + 2 * n + nb, nb};
    const Past force = {history + 2 * n + 2 * nb, history + 2 * n + 3 * nb, nb};
    if (d->history_count[0] > 0 && *old_step != dt) {
        gr_tree_reset_history(d);
    }
    const bool first = d->history_count[0] == 0;
    if (first) {
        gr_tree_forward(t, d, field, dt, false);
        const GrStatus status = gr_tree_solve(t, d, dt, false, d->next_mode);
        if (status != GR_OK) {
            return status;
        }
        begin_past(motion, d->acceleration);
        begin_past(torque, d->motor_torque);
        begin_past(force, d->joint_force);
    }
    beeman_mean_velocity(t, d, motion.now, motion.before, dt);
    gr_tree_advance(t, d, d->work, dt);
    memcpy(d->work, d->velocity, sizeof(double) * n);
    for (size_t i = 0; i < n; i++) {
        d->velocity[i] += dt * (3 * motion.now[i] - motion.before[i]) / 2;
    }
    gr_tree_forward(t, d, field, dt, false);
    const GrStatus status = gr_tree_solve(t, d, 0, false, d->next_mode);
    if (status != GR_OK) {
        return status;
    }
    leave_means(motion, d->acceleration, first);
    leave_means(torque, d->motor_torque, first);
    leave_means(force, d->joint_force, first);
    for (size_t i = 0; i < n; i++) {
        d->velocity[i] = d->work[i] + dt * d->acceleration[i];
    }
    for (int i = 0; i < t->prescribed_count; i++) {
        const GrJoint *j = &t->joints[t->prescribed[i]];
        d->velocity[j->dof] = d->command[t->prescribed[i]] / j->ratio;
    }
    commit_joints(t, d, dt);
    *old_step = dt;
    d->history_count[0] = 1;
    d->time[0] += dt;
    return GR_OK;
}
