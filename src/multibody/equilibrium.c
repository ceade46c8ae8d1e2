#include "equilibrium.h"

#include "dense.h"
#include "integrator.h"
#include "joint_force.h"
#include "solve.h"

#include <string.h>

/// Steps of the numerical differences for the stiffness [m, rad]: at first, and after stalls. A light wheel sinks into
/// clay by less than the first.
static const double DIFFERENCE_STEP = 1e-6, SHORTEST_DIFFERENCE = 1e-9;
static const double FIRST_DAMPING = 200;     // [1/s²]: a free body on Earth moves 5 cm in the first iteration
static const double SMALLEST_DAMPING = 1e-7; // keeps positions that have no stiffness unchanged
static const double LARGEST_DAMPING = 1e12;
static const double WORST_STEP = 2;       // largest accepted growth of the residual, since new contacts may form
static const double LONGEST_MOVE = 0.1;   // [m, rad] in one iteration
static const double NEAR_RESIDUAL = 1e-4; // residual that is accepted when the search stalls
enum { MAX_ITERATIONS = 2000 };
/// Iterations without a new smallest residual: in a row before steps are halved; in total when near a rest; in total
/// otherwise.
enum { PATIENCE = 8, NEAR_STALLS = 60, MAX_STALLS = 100 };
enum {
    NEAR_IDLE = 30,
    MAX_IDLE = 100
}; // iterations, also repeated ones, without halving the smallest residual: when it is near, ever

size_t gr_tree_equilibrium_scratch(const GrTree *t)
{
    const size_t n = (size_t)t->dof_count;
    return n * n + 5 * n + 3 * (size_t)t->position_count;
}

static bool is_locked(const GrTree *t, int dof)
{
    for (int b = 1; b < t->body_count; b++) {
        const GrMotorKind kind = t->joints[b].motor.kind;
        if (t->joints[b].dof == dof && (kind == GR_MOTOR_SPEED || kind == GR_MOTOR_PID || kind == GR_MOTOR_DC)) {
            return true;
        }
    }
    return false;
}

/// Unbalanced generalised force at rest; zero for locked dofs.
static void unbalanced(const GrTree *t, GrTreeData *d, const GrForceField *field, const double *locked, double *force)
{
    gr_tree_forward(t, d, field, 0, false);
    for (int i = 0; i < t->dof_count; i++) {
        force[i] = d->applied[i] - d->bias[i];
    }
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        const GrJointMode mode = gr_joint_guess_mode(t, d, b, 0);
        force[t->joints[b].dof] += t->joints[b].ratio * gr_joint_force(t, d, b, mode, 0).value;
    }
    for (int i = 0; i < t->dof_count; i++) {
        force[i] *= 1 - locked[i];
    }
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) {
        most = fabs(values[i]) <= most ? most : fabs(values[i]); // NaN counts as the largest
    }
    return most;
}

static double weight(const GrTree *t)
{
    double mass = 0;
    for (int b = 0; b < t->body_count; b++) {
        mass += t->bodies[b].mass;
    }
    const double weight = mass * gr_norm(t->gravity);
    return weight > 0 ? weight : 1;
}

/// How the stiffness matrix is computed.
typedef struct Linearisation {
    const double *locked;
    double damping; ///< [1/s²]
    double step;    ///< of the differences [m, rad]
} Linearisation;

/// −∂force/∂position by central differences, row-major, with the damping on its diagonal. Columns of locked dofs are
/// zero and need no forces; most dofs are locked, as motors hold wheels and steering.
static void stiffness(const GrTree *t, GrTreeData *d, const GrForceField *field, const Linearisation *by, double *work,
                      double *matrix)
{
    const int n = t->dof_count;
    const size_t positions = sizeof(double) * (size_t)t->position_count;
    double *plus = work, *minus = work + n, *direction = work + 2 * n, *keep = work + 3 * n;
    memset(direction, 0, sizeof(double) * (size_t)n);
    memcpy(keep, d->position, positions);
    for (int j = 0; j < n; j++) {
        const bool is_free = by->locked[j] <= 0;
        for (int i = 0; i < n && !is_free; i++) {
            matrix[i * n + j] = 0;
        }
        if (!is_free && j < n - 1) { // the last one leaves the mass matrix that the damping below takes
            continue;
        }
        direction[j] = 1;
        gr_tree_advance(t, d, direction, by->step);
        unbalanced(t, d, field, by->locked, plus);
        gr_tree_advance(t, d, direction, -2 * by->step);
        unbalanced(t, d, field, by->locked, minus);
        direction[j] = 0;
        memcpy(d->position, keep, positions);
        for (int i = 0; i < n && is_free; i++) {
            matrix[i * n + j] = -(plus[i] - minus[i]) / (2 * by->step);
        }
    }
    for (int i = 0; i < n; i++) {
        const double mass = d->mass[t->paths.start[i] + t->paths.depth[i]];
        matrix[i * n + i] += by->locked[i] > 0 ? 1 : by->damping * mass;
    }
}

static void come_to_rest(const GrTree *t, GrTreeData *d)
{
    memset(d->velocity, 0, sizeof(double) * (size_t)t->dof_count);
    memset(d->friction, 0, sizeof(double) * (size_t)t->body_count);
    memset(d->integral, 0, sizeof(double) * (size_t)t->body_count);
    memset(d->mode, 0, sizeof(GrJointMode) * (size_t)t->body_count);
    gr_tree_reset_history(d);
}

/// Sets the integrals of locked speed motors so that they carry their load from the first step on.
static void preload_motors(const GrTree *t, GrTreeData *d, const GrForceField *field, double *locked, double *force)
{
    memset(locked, 0, sizeof(double) * (size_t)t->dof_count);
    unbalanced(t, d, field, locked, force);
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        if (is_locked(t, j->dof) && (j->features & GR_JOINT_HAS_MOTOR) && j->motor.ki > 0) {
            d->integral[b] = -force[j->dof] / j->ratio / j->motor.ki;
        }
    }
}

/// Newton's method cycles across a kink of the force, for example where a row of soil nodes comes into contact. Shorter
/// steps end the cycle.
static double relaxation(int stalls)
{
    const int halvings = stalls / PATIENCE;
    return fmax(1.0 / 16, exp2(-halvings));
}

static double difference(int stalls)
{
    const int tenths = stalls / PATIENCE;
    return fmax(SHORTEST_DIFFERENCE, DIFFERENCE_STEP * pow(0.1, tenths));
}

GrStatus gr_tree_equilibrium(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                             double *scratch, GrRest *rest)
{
    const int n = t->dof_count;
    const size_t positions = sizeof(double) * (size_t)t->position_count;
    double *matrix = scratch, *force = matrix + n * n, *locked = force + n;
    double *keep = locked + n, *nearest = keep + t->position_count, *work = nearest + t->position_count;
    const double scale = weight(t);
    double damping = FIRST_DAMPING;
    *rest = (GrRest){0};
    come_to_rest(t, d);
    for (int i = 0; i < n; i++) {
        const bool held = i < GR_BASE_DOF && (search->held >> i & 1);
        locked[i] = held || is_locked(t, i) ? 1 : 0;
    }
    unbalanced(t, d, field, locked, force);
    rest->residual = largest(force, n) / scale;
    double best = rest->residual, goal = 0.5 * best;
    int stalls = 0, all_stalls = 0, idle = 0;
    memcpy(nearest, d->position, positions);
    for (; rest->iterations < MAX_ITERATIONS && idle < (best <= NEAR_RESIDUAL ? NEAR_IDLE : MAX_IDLE) &&
           all_stalls < (best <= NEAR_RESIDUAL ? NEAR_STALLS : MAX_STALLS) && !(rest->residual <= search->tolerance);
         rest->iterations++, idle++) {
        memcpy(keep, d->position, positions);
        const Linearisation by = {locked, damping, difference(stalls)};
        stiffness(t, d, field, &by, work, matrix);
        if (!gr_dense_solve(n, matrix, force)) {
            return GR_ERROR_NUMERIC;
        }
        const double move = largest(force, n);
        if (!isfinite(move)) {
            return GR_ERROR_NUMERIC;
        }
        gr_tree_advance(t, d, force, fmin(relaxation(stalls), LONGEST_MOVE / move));
        unbalanced(t, d, field, locked, force);
        const double residual = largest(force, n) / scale;
        if (!(residual <= WORST_STEP * rest->residual) &&
            damping < LARGEST_DAMPING) { // moved too far: increase the damping
            memcpy(d->position, keep, positions);
            damping *= 8;
            unbalanced(t, d, field, locked, force);
            continue;
        }
        damping = fmax(SMALLEST_DAMPING, damping * fmax(0.01, fmin(0.3, residual / rest->residual)));
        rest->residual = residual;
        stalls = residual < best ? 0 : residual > best ? stalls + 1 : stalls;
        all_stalls += residual > best;
        if (residual < best) {
            best = residual;
            idle = best < goal ? 0 : idle;
            goal = best < goal ? 0.5 * best : goal;
            memcpy(nearest, d->position, positions);
        }
    }
    if (!(rest->residual <= search->tolerance) && best <= NEAR_RESIDUAL) {
        memcpy(d->position, nearest, positions);
        rest->residual = best;
    }
    preload_motors(t, d, field, locked, force);
    return rest->residual <= NEAR_RESIDUAL ? GR_OK : GR_ERROR_NOT_CONVERGED;
}
