/// CVODE (Hindmarsh et al. 2005, doi:10.1145/1089014.1089020) as the accuracy reference: variable order BDF, dense
/// Newton, and root finding, so that it restarts where a stop engages or joint friction begins to slip.
#include "integrator.h"

#include "joint_force.h"
#include "solve.h"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <stdlib.h>
#include <string.h>

static const double RELATIVE_TOLERANCE = 1e-10;
static const double ABSOLUTE_TOLERANCE = 1e-12;
enum { MAX_INTERNAL_STEPS = 1000000, ROOTS_PER_JOINT = 5 };

/// y = position (n + 1), velocity (n), friction travel (nb), controller integral (nb)
struct GrIntegratorWork {
    SUNContext context;
    N_Vector y;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    void *cvode;
    // what the right-hand side works on, set for each step
    const GrTree *t;
    GrTreeData *d;
    const GrForceField *field;
};

static int state_length(const GrTree *t)
{
    return 2 * t->dof_count + 1 + 2 * t->body_count;
}

static void pack(const GrTree *t, const GrTreeData *d, double *y)
{
    const size_t n = (size_t)t->dof_count, nb = (size_t)t->body_count;
    memcpy(y, d->position, sizeof(double) * (n + 1));
    memcpy(y + n + 1, d->velocity, sizeof(double) * n);
    memcpy(y + 2 * n + 1, d->friction, sizeof(double) * nb);
    memcpy(y + 2 * n + 1 + nb, d->integral, sizeof(double) * nb);
}

static void unpack(const GrTree *t, GrTreeData *d, const double *y)
{
    const size_t n = (size_t)t->dof_count, nb = (size_t)t->body_count;
    memcpy(d->position, y, sizeof(double) * (n + 1));
    memcpy(d->velocity, y + n + 1, sizeof(double) * n);
    memcpy(d->friction, y + 2 * n + 1, sizeof(double) * nb);
    memcpy(d->integral, y + 2 * n + 1 + nb, sizeof(double) * nb);
    const GrQuat q = gr_quat_normalize(gr_base_rotation(d));
    d->position[3] = q.w;
    d->position[4] = q.x;
    d->position[5] = q.y;
    d->position[6] = q.z;
}

static int derivative(sunrealtype time, N_Vector y_vector, N_Vector rate_vector, void *user)
{
    GrIntegratorWork *w = user;
    const GrTree *t = w->t;
    GrTreeData *d = w->d;
    const int n = t->dof_count, nb = t->body_count;
    double *rate = N_VGetArrayPointer(rate_vector);
    d->time[0] = time;
    unpack(t, d, N_VGetArrayPointer(y_vector));
    gr_tree_forward(t, d, w->field, 0, false);
    if (gr_tree_solve(t, d, 0, false, d->next_mode) != GR_OK) {
        return 1; // recoverable: CVODE tries a smaller step
    }
    const double *u = d->velocity;
    memcpy(rate, u, sizeof(double) * 3);
    const GrQuat spin = gr_quat_mul((GrQuat){0, u[3] / 2, u[4] / 2, u[5] / 2}, gr_base_rotation(d));
    rate[3] = spin.w;
    rate[4] = spin.x;
    rate[5] = spin.y;
    rate[6] = spin.z;
    memcpy(rate + 7, u + GR_BASE_DOF, sizeof(double) * (size_t)(n - GR_BASE_DOF));
    memcpy(rate + n + 1, d->acceleration, sizeof(double) * (size_t)n);
    memset(rate + 2 * n + 1, 0, sizeof(double) * (size_t)(2 * nb));
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        if (t->joints[b].features & GR_JOINT_HAS_FRICTION) {
            rate[2 * n + 1 + b] = gr_joint_friction_rate(t, d, b);
        }
        if (t->joints[b].features & GR_JOINT_HAS_MOTOR) {
            rate[2 * n + 1 + nb + b] = gr_joint_integral_rate(t, d, b);
        }
    }
    return 0;
}

/// Distance to each stop, to slipping either way, and to the reversal of motion; 1 where there is no such thing.
static int switches(sunrealtype time, N_Vector y_vector, sunrealtype *g, void *user)
{
    (void)time;
    GrIntegratorWork *w = user;
    const GrTree *t = w->t;
    const double *y = N_VGetArrayPointer(y_vector);
    for (int i = 0; i < t->active_count; i++, g += ROOTS_PER_JOINT) {
        const int b = t->active[i];
        const GrJoint *j = &t->joints[b];
        const double q = j->ratio * y[j->dof + 1] + j->offset, v = y[t->dof_count + 1 + j->dof];
        const double travel = y[2 * t->dof_count + 1 + b], bound = j->friction / j->friction_stiffness;
        const bool stops = j->features & GR_JOINT_HAS_STOPS, friction = j->features & GR_JOINT_HAS_FRICTION;
        g[0] = stops && isfinite(j->upper) ? j->upper - q : 1;
        g[1] = stops && isfinite(j->lower) ? q - j->lower : 1;
        g[2] = friction ? bound - travel : 1;
        g[3] = friction ? bound + travel : 1;
        g[4] = friction && fabs(travel) >= bound ? v : 1; // a reversal matters only where friction slips
    }
    return 0;
}

/// Error messages of CVODE go nowhere: the status of the step says that it failed.
static void be_silent(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code;
    (void)module;
    (void)function;
    (void)message;
    (void)user;
}

GrIntegratorWork *gr_cvode_create(const GrTree *t)
{
    GrIntegratorWork *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return NULL;
    }
    const int length = state_length(t);
    w->t = t;
    if (SUNContext_Create(NULL, &w->context) != 0) {
        free(w);
        return NULL;
    }
    w->y = N_VNew_Serial(length, w->context);
    w->matrix = SUNDenseMatrix(length, length, w->context);
    w->cvode = CVodeCreate(CV_BDF, w->context);
    if (w->y == NULL || w->matrix == NULL || w->cvode == NULL) {
        gr_cvode_destroy(w);
        return NULL;
    }
    N_VConst(0, w->y);
    w->solver = SUNLinSol_Dense(w->y, w->matrix, w->context);
    const bool ready = w->solver != NULL && CVodeInit(w->cvode, derivative, 0, w->y) == CV_SUCCESS &&
                       CVodeSetErrHandlerFn(w->cvode, be_silent, NULL) == CV_SUCCESS &&
                       CVodeSStolerances(w->cvode, RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE) == CV_SUCCESS &&
                       CVodeSetUserData(w->cvode, w) == CV_SUCCESS &&
                       CVodeSetLinearSolver(w->cvode, w->solver, w->matrix) == CV_SUCCESS &&
                       CVodeSetMaxNumSteps(w->cvode, MAX_INTERNAL_STEPS) == CV_SUCCESS &&
                       CVodeSetNoInactiveRootWarn(w->cvode) == CV_SUCCESS &&
                       CVodeRootInit(w->cvode, ROOTS_PER_JOINT * t->active_count, switches) == CV_SUCCESS;
    if (!ready) {
        gr_cvode_destroy(w);
        return NULL;
    }
    return w;
}

void gr_cvode_destroy(GrIntegratorWork *w)
{
    if (w == NULL) {
        return;
    }
    CVodeFree(&w->cvode);
    if (w->solver != NULL) {
        SUNLinSolFree(w->solver);
    }
    if (w->matrix != NULL) {
        SUNMatDestroy(w->matrix);
    }
    if (w->y != NULL) {
        N_VDestroy(w->y);
    }
    SUNContext_Free(&w->context);
    free(w);
}

/// Each step starts CVODE anew: commands may have jumped, and a restored state must continue with the same bits.
GrStatus gr_step_cvode(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, GrIntegratorWork *w)
{
    const double end = d->time[0] + dt;
    for (int i = 0; i < t->prescribed_count; i++) {
        const GrJoint *j = &t->joints[t->prescribed[i]];
        d->velocity[j->dof] = d->command[t->prescribed[i]] / j->ratio;
    }
    w->t = t;
    w->d = d;
    w->field = field;
    double time = d->time[0];
    pack(t, d, N_VGetArrayPointer(w->y));
    int code = CV_ROOT_RETURN;
    while (code == CV_ROOT_RETURN) {
        if (CVodeReInit(w->cvode, time, w->y) != CV_SUCCESS || CVodeSetStopTime(w->cvode, end) != CV_SUCCESS) {
            return GR_ERROR_NOT_CONVERGED;
        }
        code = CVode(w->cvode, end, w->y, &time, CV_NORMAL);
        if (code < 0) {
            return GR_ERROR_NOT_CONVERGED;
        }
        if (time >= end) {
            break;
        }
    }
    unpack(t, d, N_VGetArrayPointer(w->y));
    gr_tree_forward(t, d, field, 0, false);
    const GrStatus status = gr_tree_solve(t, d, 0, false, d->next_mode);
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        const GrJoint *j = &t->joints[b];
        const double bound = j->features & GR_JOINT_HAS_FRICTION ? j->friction / j->friction_stiffness : 0;
        d->friction[b] = fmax(-bound, fmin(bound, d->friction[b]));
        d->mode[b] = d->next_mode[b];
    }
    d->time[0] = end;
    gr_tree_reset_history(d);
    return status;
}
