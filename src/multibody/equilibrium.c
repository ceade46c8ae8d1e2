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
    return 2 * n * n + 6 * n + 3 * (size_t)t->position_count;
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

/// Marks dofs that the search holds or motors lock by 1, others by 0.
static void lock(const GrTree *t, const GrRestSearch *search, double *locked)
{
    for (int i = 0; i < t->dof_count; i++) {
        const bool held = i < GR_BASE_DOF && (search->held >> i & 1);
        locked[i] = held || is_locked(t, i) ? 1 : 0;
    }
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
    double step; ///< of the differences [m, rad]
} Linearisation;

/// −∂force/∂position by central differences, row-major, and the diagonal of the mass matrix. Columns of locked dofs are
/// zero and need no forces; most dofs are locked, as motors hold wheels and steering.
static void stiffness(const GrTree *t, GrTreeData *d, const GrForceField *field, const Linearisation *by, double *work,
                      double *matrix, double *masses)
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
        if (!is_free && j < n - 1) { // the last one leaves the mass matrix that is read below
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
        masses[i] = d->mass[t->paths.start[i] + t->paths.depth[i]];
    }
}

/// The stiffness with damping on its diagonal, and locked rows removed.
static void add_damping(int n, const double *stiff, const double *masses, const double *locked, double damping,
                        double *matrix)
{
    memcpy(matrix, stiff, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) {
        matrix[i * n + i] += locked[i] > 0 ? 1 : damping * masses[i];
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

/// Smallest residual so far, and iterations without a smaller one.
typedef struct Progress {
    double best, goal; ///< goal: half of the residual at which `idle` began
    int stalls, all_stalls, idle;
} Progress;

static bool is_patient(const Progress *p)
{
    const bool near = p->best <= NEAR_RESIDUAL;
    return p->idle < (near ? NEAR_IDLE : MAX_IDLE) && p->all_stalls < (near ? NEAR_STALLS : MAX_STALLS);
}

/// Whether the residual is the smallest so far.
static bool note_residual(Progress *p, double residual)
{
    const bool better = residual < p->best;
    p->stalls = better ? 0 : residual > p->best ? p->stalls + 1 : p->stalls;
    p->all_stalls += residual > p->best;
    if (better) {
        p->best = residual;
        p->idle = residual < p->goal ? 0 : p->idle;
        p->goal = residual < p->goal ? 0.5 * residual : p->goal;
    }
    return better;
}

GrStatus gr_tree_equilibrium(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                             double *scratch, GrRest *rest)
{
    const int n = t->dof_count;
    const size_t positions = sizeof(double) * (size_t)t->position_count;
    double *matrix = scratch, *stiff = matrix + n * n, *masses = stiff + n * n, *force = masses + n,
           *locked = force + n;
    double *keep = locked + n, *nearest = keep + t->position_count, *work = nearest + t->position_count;
    const double scale = weight(t);
    double damping = FIRST_DAMPING;
    *rest = (GrRest){0};
    come_to_rest(t, d);
    lock(t, search, locked);
    unbalanced(t, d, field, locked, force);
    rest->residual = largest(force, n) / scale;
    Progress progress = {.best = rest->residual, .goal = 0.5 * rest->residual};
    bool moved = true;
    memcpy(nearest, d->position, positions);
    for (; rest->iterations < MAX_ITERATIONS && is_patient(&progress) && !(rest->residual <= search->tolerance);
         rest->iterations++, progress.idle++) {
        memcpy(keep, d->position, positions);
        if (moved) { // otherwise the last step was taken back, and only the damping has changed
            const Linearisation by = {locked, difference(progress.stalls)};
            stiffness(t, d, field, &by, work, stiff, masses);
        }
        add_damping(n, stiff, masses, locked, damping, matrix);
        if (!gr_dense_solve(n, matrix, force)) {
            return GR_ERROR_NUMERIC;
        }
        const double move = largest(force, n);
        if (!isfinite(move)) {
            return GR_ERROR_NUMERIC;
        }
        gr_tree_advance(t, d, force, fmin(relaxation(progress.stalls), LONGEST_MOVE / move));
        unbalanced(t, d, field, locked, force);
        const double residual = largest(force, n) / scale;
        if (!(residual <= WORST_STEP * rest->residual) &&
            damping < LARGEST_DAMPING) { // moved too far: increase the damping
            memcpy(d->position, keep, positions);
            damping *= 8;
            moved = false;
            unbalanced(t, d, field, locked, force);
            continue;
        }
        moved = true;
        damping = fmax(SMALLEST_DAMPING, damping * fmax(0.01, fmin(0.3, residual / rest->residual)));
        rest->residual = residual;
        if (note_residual(&progress, residual)) {
            memcpy(nearest, d->position, positions);
        }
    }
    if (!(rest->residual <= search->tolerance) && progress.best <= NEAR_RESIDUAL) {
        memcpy(d->position, nearest, positions);
        rest->residual = progress.best;
    }
    preload_motors(t, d, field, locked, force);
    return rest->residual <= NEAR_RESIDUAL ? GR_OK : GR_ERROR_NOT_CONVERGED;
}
