#include "equilibrium.h"

#include "dense.h"
#include "dynamics.h"
#include "elementary.h"
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
static const double NEXT_DAMPING = 0.02; // the same for a search that begins close to its end
static const double WORST_STEP = 2;      // largest accepted growth of the residual, since new contacts may form
static const double LONGEST_MOVE = 0.1;  // [m, rad] in one iteration
static const double NO_FORCE = 1e-6;     // of the weight: less than this on the longest move is none
/// A step that reduces the residual to this share shows that the stiffness is good enough for the next one. A new
/// stiffness by differences costs as much as five to ten steps, and reduces the residual to some percent.
static const double GOOD_STEP = 0.5;
static const double NEAR_RESIDUAL = 1e-4; // residual that is accepted when the search stalls
enum { MAX_ITERATIONS = 2000 };
/// Iterations without a new smallest residual: in a row before steps are halved; in total when near a rest; in total
/// otherwise.
enum { PATIENCE = 8, NEAR_STALLS = 60, MAX_STALLS = 100 };
enum {
    NEAR_IDLE = 30,
    MAX_IDLE = 100
}; // iterations, also repeated ones, without halving the smallest residual: when it is near, ever

/// Iterations without a new smallest residual, and without halving it, after which the stiffness comes from differences
/// of forces and no longer from the Jacobians of the field.
enum { LINEAR_STALLS = 3, LINEAR_IDLE = 6 };

size_t gr_tree_equilibrium_scratch(const GrTree *t)
{
    const size_t n = (size_t)t->dof_count;
    return 2 * n * n + 7 * n + 3 * (size_t)t->position_count;
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

/// Unbalanced generalised force at rest, from the wrenches of the last evaluation; zero for locked dofs.
static void balance(const GrTree *t, const GrTreeData *d, const double *locked, double *force)
{
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

/// Corrects the stiffness by what a step has shown: the matrix closest to it that would have predicted the change of
/// the force (Broyden 1965). `change` = force before − force after, `move` the step.
static void learn(int n, double *stiff, const double *move, double *change)
{
    double square = 0;
    for (int i = 0; i < n; i++) {
        square += move[i] * move[i];
    }
    for (int i = 0; i < n && square > 0; i++) {
        double predicted = 0;
        for (int j = 0; j < n; j++) {
            predicted += stiff[i * n + j] * move[j];
        }
        const double missing = (change[i] - predicted) / square;
        for (int j = 0; j < n; j++) {
            stiff[i * n + j] += missing * move[j];
        }
    }
}

/// Diagonal of the mass matrix.
static void read_masses(const GrTree *t, const GrTreeData *d, double *masses)
{
    for (int i = 0; i < t->dof_count; i++) {
        masses[i] = d->mass[t->paths.start[i] + t->paths.depth[i]];
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
static void preload_motors(const GrTree *t, GrTreeData *d, double *locked, double *force)
{
    memset(locked, 0, sizeof(double) * (size_t)t->dof_count);
    balance(t, d, locked, force);
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
    return fmax(1.0 / 16, ldexp(1, -halvings));
}

static double difference(int stalls)
{
    const int tenths = stalls / PATIENCE;
    return fmax(SHORTEST_DIFFERENCE, DIFFERENCE_STEP * gr_pow(0.1, tenths));
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

/// Whether the Jacobians of the field lead on. They do not see contacts that form.
static bool leads_on(const Progress *p)
{
    return p->stalls < LINEAR_STALLS && p->idle < LINEAR_IDLE;
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

/// Where the stiffness was computed: nowhere yet, at the present position, or at an earlier one.
typedef enum Stiffness { STIFFNESS_UNKNOWN, STIFFNESS_HERE, STIFFNESS_OLD } Stiffness;

/// A search while it runs; the arrays are in the caller's scratch memory.
typedef struct Search {
    const GrTree *t;
    GrTreeData *d;
    const GrForceField *field;
    double *stiff; ///< first in the scratch memory, so that the next search finds it
    double *matrix, *masses, *force, *locked, *move, *keep, *nearest, *work;
    double scale, damping, residual;
    Stiffness known;
    bool linear; ///< the field's own Jacobians serve as stiffness
    bool moved;  ///< the last evaluation was at another position
    int evaluations;
    Progress progress;
} Search;

/// Finds the force at the present position.
static void unbalanced(Search *s, double *force)
{
    gr_tree_forward(s->t, s->d, s->field, 0, false);
    balance(s->t, s->d, s->locked, force);
    s->evaluations++;
}

/// −∂force/∂position by differences, row-major. Each position is varied in the direction of its force, where it will
/// move: a wheel above the ground feels the ground and not the air; after a stall to both sides, across a kink of the
/// force. Columns of locked dofs are zero and need no forces.
static void find_stiffness(Search *s)
{
    const int n = s->t->dof_count;
    const bool central = s->progress.stalls > 0;
    const double length = difference(s->progress.stalls);
    const size_t positions = sizeof(double) * (size_t)s->t->position_count;
    double *there = s->work, *direction = s->work + n, *back = s->work + 2 * n, *keep = s->work + 3 * n;
    memset(direction, 0, sizeof(double) * (size_t)n);
    memcpy(keep, s->d->position, positions);
    for (int j = 0; j < n; j++) {
        const bool is_free = s->locked[j] <= 0;
        const double step = copysign(length, s->force[j]);
        const double *from = central ? back : s->force;
        if (is_free) {
            direction[j] = 1;
            gr_tree_advance(s->t, s->d, direction, step);
            unbalanced(s, there);
            if (central) {
                gr_tree_advance(s->t, s->d, direction, -2 * step);
                unbalanced(s, back);
            }
            direction[j] = 0;
            memcpy(s->d->position, keep, positions);
        }
        for (int i = 0; i < n; i++) {
            s->stiff[i * n + j] = is_free ? -(there[i] - from[i]) / (central ? 2 * step : step) : 0;
        }
    }
    s->known = STIFFNESS_HERE;
    s->moved = true;
}

/// Evaluates at the present position, with the stiffness by the field's own Jacobians if it has all of them.
static void linearise(Search *s)
{
    const int n = s->t->dof_count;
    gr_tree_kinematics(s->t, s->d);
    s->linear = s->field->linearise(s->field->context, s->t, s->d);
    gr_tree_mass_matrix(s->t, s->d);
    gr_tree_bias(s->t, s->d);
    balance(s->t, s->d, s->locked, s->force);
    s->evaluations++;
    s->moved = false;
    if (!s->linear) {
        return;
    }
    gr_tree_stiffness(s->t, s->d, s->stiff);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            s->stiff[i * n + j] *= (1 - s->locked[i]) * (1 - s->locked[j]);
        }
    }
    s->known = STIFFNESS_HERE;
}

static Search begin_search(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                           double *scratch)
{
    const int n = t->dof_count;
    Search s = {.t = t, .d = d, .field = field, .stiff = scratch, .scale = weight(t)};
    s.matrix = s.stiff + n * n;
    s.masses = s.matrix + n * n;
    s.force = s.masses + n;
    s.locked = s.force + n;
    s.move = s.locked + n;
    s.keep = s.move + n;
    s.nearest = s.keep + t->position_count;
    s.work = s.nearest + t->position_count;
    s.damping = search->known ? NEXT_DAMPING : FIRST_DAMPING;
    s.known = search->known ? STIFFNESS_OLD : STIFFNESS_UNKNOWN;
    come_to_rest(t, d);
    lock(t, search, s.locked);
    s.linear = field != NULL && field->linearise != NULL;
    if (s.linear && !search->known) {
        linearise(&s);
    } else {
        unbalanced(&s, s.force);
    }
    read_masses(t, d, s.masses);
    s.residual = largest(s.force, n) / s.scale;
    s.damping *= s.linear && !search->known ? fmin(1, s.residual) : 1;
    s.progress = (Progress){.best = s.residual, .goal = 0.5 * s.residual};
    memcpy(s.nearest, d->position, sizeof(double) * (size_t)t->position_count);
    return s;
}

/// The stiffness of the free dofs with damping on its diagonal, and the force on them, without gaps for locked dofs:
/// most are locked, and the time of a solve goes with the cube of their number, which is returned.
static int pack(Search *s)
{
    const int n = s->t->dof_count;
    double *entry = s->matrix;
    int count = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n && s->locked[i] <= 0; j++) {
            if (s->locked[j] <= 0) {
                *entry++ = s->stiff[i * n + j] + (i == j ? s->damping * s->masses[i] : 0);
            }
        }
        if (s->locked[i] <= 0) {
            s->move[count++] = s->force[i];
        }
    }
    return count;
}

/// Moves the solution for the free dofs to its places; locked dofs get 0.
static void unpack(Search *s, int count)
{
    for (int i = s->t->dof_count - 1; i >= 0; i--) {
        s->move[i] = s->locked[i] > 0 ? 0 : s->move[--count];
    }
}

/// Whether forces depend on a coordinate: not on the angle of a wheel that turns freely.
static bool matters(const Search *s, int dof)
{
    const int n = s->t->dof_count;
    double most = 0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(s->stiff[i * n + dof]));
    }
    return most * LONGEST_MOVE > NO_FORCE * s->scale;
}

/// Limits the step. A coordinate that no force depends on does not hold up the others.
static void shorten(Search *s)
{
    const int n = s->t->dof_count;
    double part = relaxation(s->progress.stalls);
    for (int i = 0; i < n; i++) {
        part = matters(s, i) && fabs(part * s->move[i]) > LONGEST_MOVE ? LONGEST_MOVE / fabs(s->move[i]) : part;
    }
    for (int i = 0; i < n; i++) {
        s->move[i] = fmax(-LONGEST_MOVE, fmin(LONGEST_MOVE, part * s->move[i]));
    }
}

/// One step with the present stiffness and damping, to where the force is `after`. False: it has no finite solution.
static bool take_step(Search *s, double *after, double *residual)
{
    const int n = s->t->dof_count;
    memcpy(s->keep, s->d->position, sizeof(double) * (size_t)s->t->position_count);
    const int free_count = pack(s);
    if (!gr_dense_solve(free_count, s->matrix, s->move)) {
        return false;
    }
    unpack(s, free_count);
    if (!isfinite(largest(s->move, n))) {
        return false;
    }
    shorten(s);
    gr_tree_advance(s->t, s->d, s->move, 1);
    unbalanced(s, after);
    s->moved = false;
    *residual = largest(after, n) / s->scale;
    return true;
}

static void step_back(Search *s)
{
    s->moved = true;
    memcpy(s->d->position, s->keep, sizeof(double) * (size_t)s->t->position_count);
}

/// Stays where the last step has led.
static void accept_step(Search *s, double *after, double residual)
{
    const int n = s->t->dof_count;
    const double share = residual / s->residual;
    double *change = s->matrix; // free until the next step
    for (int i = 0; i < n; i++) {
        change[i] = s->force[i] - after[i];
    }
    learn(n, s->stiff, s->move, change);
    memcpy(s->force, after, sizeof(double) * (size_t)n);
    read_masses(s->t, s->d, s->masses);
    s->known = share <= GOOD_STEP ? STIFFNESS_OLD : STIFFNESS_UNKNOWN;
    s->damping = fmax(SMALLEST_DAMPING, s->damping * fmax(0.01, fmin(0.3, share)));
    s->residual = residual;
    if (note_residual(&s->progress, residual)) {
        memcpy(s->nearest, s->d->position, sizeof(double) * (size_t)s->t->position_count);
    }
}

/// One iteration. False: there is no finite solution.
static bool iterate(Search *s)
{
    double *after = s->work, residual;
    if (s->linear && !leads_on(&s->progress)) {
        s->linear = false;
        s->known = STIFFNESS_UNKNOWN;
        s->progress.idle = 0;
    }
    if (s->known == STIFFNESS_UNKNOWN && s->linear) {
        linearise(s);
    }
    if (s->known == STIFFNESS_UNKNOWN) {
        s->linear = false;
        find_stiffness(s);
    }
    const bool here = s->known == STIFFNESS_HERE;
    s->progress.idle += here; // other steps are good, or are followed by one of these
    if (!take_step(s, after, &residual)) {
        const bool other = !here || s->linear; // there is another way to a stiffness
        s->known = STIFFNESS_UNKNOWN;
        s->linear = s->linear && !here;
        return other;
    }
    if (!(residual <= WORST_STEP * s->residual) && s->damping < LARGEST_DAMPING) { // moved too far
        step_back(s);
        s->damping *= here ? 8 : 1;
        s->known = here ? STIFFNESS_HERE : STIFFNESS_UNKNOWN;
    } else {
        accept_step(s, after, residual);
    }
    return true;
}

/// Steps beyond the tolerance, as long as each of them is good. They cost one evaluation of the forces each.
static void polish(Search *s, int most)
{
    double *after = s->work, residual;
    for (int i = 0; i < most && s->known != STIFFNESS_UNKNOWN; i++) {
        if (!take_step(s, after, &residual) || !(residual <= GOOD_STEP * s->residual)) {
            step_back(s);
            return;
        }
        accept_step(s, after, residual);
    }
}

GrStatus gr_tree_equilibrium(const GrTree *t, GrTreeData *d, const GrForceField *field, const GrRestSearch *search,
                             double *scratch, GrRest *rest)
{
    Search s = begin_search(t, d, field, search, scratch);
    *rest = (GrRest){.residual = s.residual};
    for (; rest->iterations < MAX_ITERATIONS && is_patient(&s.progress) && !(s.residual <= search->tolerance);
         rest->iterations++) {
        if (!iterate(&s)) {
            rest->residual = s.residual;
            rest->evaluations = s.evaluations;
            return GR_ERROR_NUMERIC;
        }
    }
    if (s.residual <= search->tolerance) {
        polish(&s, search->polishes);
    } else if (s.progress.best <= NEAR_RESIDUAL) {
        memcpy(d->position, s.nearest, sizeof(double) * (size_t)t->position_count);
        s.residual = s.progress.best;
        s.moved = true;
    }
    rest->residual = s.residual;
    if (s.moved) {
        gr_tree_forward(t, d, field, 0, false);
        s.evaluations++;
    }
    rest->evaluations = s.evaluations;
    preload_motors(t, d, s.locked, s.force);
    return rest->residual <= fmax(NEAR_RESIDUAL, search->tolerance) ? GR_OK : GR_ERROR_NOT_CONVERGED;
}
