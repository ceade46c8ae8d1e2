#include "solve.h"

#include "dense.h"
#include "device_call.h"
#include "dynamics.h"
#include "joint_force.h"
#include "tree.h"

#include <string.h>

// ---- The step of a tree whose own bodies touch each other.
//
// The wrench W of a pair depends on the relative motion V_b − V_a = J u of the two bodies. The base moves both alike
// and drops out of J; the joints on the two branches remain, up to where the branches meet. The implicit step adds Jᵀ
// K J with K = −dt ∂W/∂twist − dt² ∂W/∂pose to the system. This couples branches that are separate in the packed
// matrix of the tree, so the system is solved as a dense one. It is small, and a rover's own bodies seldom touch. The
// alternative, a low-rank correction of the packed factors, needs as many solves as it has columns and loses digits
// where contacts are stiff.

static bool is_prescribed(const GrTree *t, int dof)
{
    for (int i = 0; i < t->prescribed_count; i++) {
        if (t->joints[t->prescribed[i]].dof == dof) {
            return true;
        }
    }
    return false;
}

/// Columns of J, one for each dof.
static void find_columns(const GrTree *t, GrTreeData *d, const GrTreePair *pair)
{
    memset(d->pair_column, 0, sizeof *d->pair_column * (size_t)t->dof_count);
    for (int b = pair->b; b > 0; b = t->joints[b].parent) {
        GrTwist *column = &d->pair_column[t->joints[b].dof];
        *column = gr_twist_madd(*column, t->joints[b].ratio, d->frame[b].motion);
    }
    for (int b = pair->a; b > 0; b = t->joints[b].parent) {
        GrTwist *column = &d->pair_column[t->joints[b].dof];
        *column = gr_twist_madd(*column, -t->joints[b].ratio, d->frame[b].motion);
    }
}

static GrMat6 system_of(const GrTreePair *pair, double dt)
{
    GrMat6 k;
    gr_mat6_scale(&k, -dt, &pair->dtwist);
    gr_mat6_madd(&k, -dt * dt, &pair->dpose);
    return k;
}

static void unpack(const GrTree *t, GrTreeData *d)
{
    const GrPaths *paths = &t->paths;
    const int n = t->dof_count;
    memset(d->dense, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int i = 0; i < n; i++) {
        for (int e = 0; e <= paths->depth[i]; e++) {
            const int at = paths->start[i] + e, k = paths->path[at];
            d->dense[k * n + i] = d->factor_upper[at];
            d->dense[i * n + k] = d->factor_lower[at];
        }
    }
}

static void add_pair(const GrTree *t, GrTreeData *d, const GrTreePair *pair, double dt)
{
    const int n = t->dof_count;
    const GrMat6 k = system_of(pair, dt);
    find_columns(t, d, pair);
    for (int c = GR_BASE_DOF; c < n; c++) {
        const GrWrench w = gr_mat6_mul(&k, d->pair_column[c]);
        const bool given = is_prescribed(t, c);
        for (int r = GR_BASE_DOF; r < n; r++) {
            const double entry = gr_power(w, d->pair_column[r]);
            if (is_prescribed(t, r)) {
                continue;
            }
            if (given) {
                d->acceleration[r] -= entry * d->acceleration[c];
            } else {
                d->dense[r * n + c] += entry;
            }
        }
    }
}

/// Solves the implicit step including d->pair. In: the system of the tree in factor_lower and factor_upper, and its
/// right-hand side in d->acceleration, both with prescribed dofs removed. Out: the solution in d->acceleration.
static bool pairs_solve(const GrTree *t, GrTreeData *d, double dt)
{
    unpack(t, d);
    for (int i = 0; i < d->pair_count[0]; i++) {
        add_pair(t, d, &d->pair[i], dt);
    }
    return gr_dense_solve(t->dof_count, d->dense, d->acceleration);
}

/// Row `dof` of the pairs' part of the system times d->acceleration.
static double pairs_row(const GrTree *t, GrTreeData *d, int dof, double dt)
{
    double sum = 0;
    for (int i = 0; i < d->pair_count[0]; i++) {
        const GrMat6 k = system_of(&d->pair[i], dt);
        GrTwist rate = {{0, 0, 0}, {0, 0, 0}};
        find_columns(t, d, &d->pair[i]);
        for (int c = GR_BASE_DOF; c < t->dof_count; c++) {
            rate = gr_twist_madd(rate, d->acceleration[c], d->pair_column[c]);
        }
        sum += gr_power(gr_mat6_mul(&k, rate), d->pair_column[dof]);
    }
    return sum;
}

// ---- solution

/// A change of mode starts another solve; more changes in one step are chatter, and the last solution is accepted.
enum { MAX_MODE_CHANGES = 4 };

void gr_tree_forward(const GrTree *t, GrTreeData *d, const GrForceField *field, double dt, bool implicit)
{
    gr_tree_kinematics(t, d);
    if (field != NULL && field->evaluate != NULL) {
        GR_CALL(evaluate, field->evaluate, field->context, t, d, dt);
    }
    if (implicit && d->jacobian_count[0] > 0) {
        for (int b = 0; b < t->body_count; b++) {
            if (d->has_jacobian[b] & GR_JACOBIAN_POSE) {
                const GrWrench change = gr_mat6_mul(&d->jacobian[b].pose, d->frame[b].twist);
                d->wrench[b].moment = gr_madd(d->wrench[b].moment, dt, change.moment);
                d->wrench[b].force = gr_madd(d->wrench[b].force, dt, change.force);
            }
        }
    }
    if (implicit) {
        gr_tree_carry_pairs(d, dt);
    }
    gr_tree_mass_matrix(t, d);
    gr_tree_bias(t, d);
}

/// k = −dt ∂W/∂twist − dt² ∂W/∂pose of a body's own wrench, added to the sum of its children.
static void add_own_jacobian(GrTreeData *d, int b, double dt, GrMat6 *k)
{
    const int has = d->has_jacobian[b];
    if ((has & GR_JACOBIAN_CHILDREN) == 0) {
        gr_mat6_scale(k, -dt, &d->jacobian[b].twist);
    } else if (has & GR_JACOBIAN_TWIST) {
        gr_mat6_madd(k, -dt, &d->jacobian[b].twist);
    }
    if (has & GR_JACOBIAN_POSE) {
        gr_mat6_madd(k, -dt * dt, &d->jacobian[b].pose);
    }
}

/// Adds Jᵀ K J, K = −dt ∂W/∂twist − dt² ∂W/∂pose of each body, as composite matrices like the mass matrix.
static void add_jacobians(const GrTree *t, GrTreeData *d, double dt)
{
    const GrPaths *paths = &t->paths;
    GrMat6 *k = d->work_matrix;
    for (int b = 0; b < t->body_count; b++) {
        d->has_jacobian[b] &= ~GR_JACOBIAN_CHILDREN;
    }
    for (int b = t->body_count - 1; b > 0; b--) {
        const GrJoint *j = &t->joints[b];
        if (d->has_jacobian[b] == 0) {
            continue;
        }
        add_own_jacobian(d, b, dt, &k[b]);
        const GrTwist s = d->frame[b].motion;
        const GrWrench column = gr_mat6_mul(&k[b], s); // a(·, b)
        const GrWrench row = gr_mat6_tmul(&k[b], s);   // a(b, ·)
        double *lower = d->lower + paths->start[j->dof], *upper = d->upper + paths->start[j->dof];
        const int depth = paths->depth[j->dof];
        const double diagonal = j->ratio * j->ratio * gr_power(column, s);
        lower[depth] += diagonal;
        upper[depth] += diagonal;
        for (int a = j->parent; a > 0; a = t->joints[a].parent) {
            const GrJoint *m = &t->joints[a];
            const double to_row = j->ratio * m->ratio * gr_power(row, d->frame[a].motion);
            const double to_column = j->ratio * m->ratio * gr_power(column, d->frame[a].motion);
            const int depth_a = paths->depth[m->dof];
            if (m->dof == j->dof) {
                lower[depth] += to_row + to_column;
                upper[depth] += to_row + to_column;
            } else if (depth_a < depth) {
                lower[depth_a] += to_row;
                upper[depth_a] += to_column;
            } else { // a coupling made the ancestor's dof the deeper one
                d->lower[paths->start[m->dof] + depth] += to_column;
                d->upper[paths->start[m->dof] + depth] += to_row;
            }
        }
        const double base_row[6] = {row.force.x, row.force.y, row.force.z, row.moment.x, row.moment.y, row.moment.z};
        const double base_column[6] = {column.force.x,  column.force.y,  column.force.z,
                                       column.moment.x, column.moment.y, column.moment.z};
        for (int i = 0; i < GR_BASE_DOF; i++) {
            lower[i] += j->ratio * base_row[i];
            upper[i] += j->ratio * base_column[i];
        }
        if (d->has_jacobian[j->parent] & GR_JACOBIAN_CHILDREN) {
            gr_mat6_madd(&k[j->parent], 1, &k[b]);
        } else {
            k[j->parent] = k[b];
            d->has_jacobian[j->parent] |= GR_JACOBIAN_CHILDREN;
        }
    }
    add_own_jacobian(d, 0, dt, &k[0]);
    for (int i = 0; i < GR_BASE_DOF; i++) { // u is (linear, angular), matrices are (angular, linear)
        for (int e = 0; e <= i; e++) {
            d->lower[paths->start[i] + e] += k[0].m[(i + 3) % 6][(e + 3) % 6];
            d->upper[paths->start[i] + e] += k[0].m[(e + 3) % 6][(i + 3) % 6];
        }
    }
}

static double *diagonal_of(const GrTree *t, double *packed, int dof)
{
    return &packed[t->paths.start[dof] + t->paths.depth[dof]];
}

/// Adds the joint forces, linearised in the given modes, to the system.
static void add_joint_forces(const GrTree *t, GrTreeData *d, const GrJointMode *mode, double dt, double *lower,
                             double *upper, double *rhs)
{
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        const GrJoint *j = &t->joints[b];
        const GrJointForce f = gr_joint_force(t, d, b, mode[b], dt);
        const double diagonal = j->ratio * j->ratio * (f.inertia - dt * f.derivative);
        rhs[j->dof] += j->ratio * f.value;
        *diagonal_of(t, lower, j->dof) += diagonal;
        *diagonal_of(t, upper, j->dof) += diagonal;
        d->joint_force[b] = f.value;
    }
}

/// Visits the entries (i, k) and (k, i) of dof i with every other dof k.
typedef void (*EntryVisitor)(double *lower, double *upper, int k, void *context);

static void visit_row(const GrTree *t, double *lower, double *upper, int i, EntryVisitor visit, void *context)
{
    const GrPaths *paths = &t->paths;
    const int depth = paths->depth[i];
    for (int e = 0; e < depth; e++) {
        const int at = paths->start[i] + e;
        visit(&lower[at], &upper[at], paths->path[at], context); // lower: (i, k), upper: (k, i)
    }
    for (int k = i + 1; k < t->dof_count; k++) {
        const int at = paths->start[k] + depth;
        if (paths->depth[k] > depth && paths->path[at] == i) {
            visit(&upper[at], &lower[at], k, context);
        }
    }
}

typedef struct Prescribed {
    double *rhs;
    double rate;
    const double *solution;
    double sum;
} Prescribed;

static void move_to_rhs(double *row, double *column, int k, void *context)
{
    Prescribed *p = context;
    p->rhs[k] -= *column * p->rate;
    *row = 0;
    *column = 0;
}

static void sum_row(double *row, double *column, int k, void *context)
{
    (void)column;
    Prescribed *p = context;
    p->sum += *row * p->solution[k];
}

static double prescribed_rate(const GrTree *t, const GrTreeData *d, int b, double dt)
{
    const GrJoint *j = &t->joints[b];
    return dt > 0 ? (d->command[b] / j->ratio - d->velocity[j->dof]) / dt : 0;
}

/// Removes the prescribed dofs from the system: their rows become rate = given.
static void prescribe(const GrTree *t, GrTreeData *d, double dt)
{
    for (int i = 0; i < t->prescribed_count; i++) {
        const int b = t->prescribed[i], dof = t->joints[b].dof;
        Prescribed p = {.rhs = d->acceleration, .rate = prescribed_rate(t, d, b, dt)};
        visit_row(t, d->factor_lower, d->factor_upper, dof, move_to_rhs, &p);
        *diagonal_of(t, d->factor_lower, dof) = 1;
        *diagonal_of(t, d->factor_upper, dof) = 1;
        d->acceleration[dof] = p.rate;
    }
}

/// Torque that a prescribed joint needs: row of the system times the solution, less the other forces.
static void prescribed_torques(const GrTree *t, GrTreeData *d, bool paired, double dt)
{
    for (int i = 0; i < t->prescribed_count; i++) {
        const int b = t->prescribed[i];
        const GrJoint *j = &t->joints[b];
        Prescribed p = {.solution = d->acceleration};
        visit_row(t, d->lower, d->upper, j->dof, sum_row, &p);
        p.sum += *diagonal_of(t, d->lower, j->dof) * d->acceleration[j->dof] - d->applied[j->dof] + d->bias[j->dof];
        for (int k = 0; k < t->active_count; k++) {
            const GrJoint *other = &t->joints[t->active[k]];
            p.sum -= other->dof == j->dof ? other->ratio * d->joint_force[t->active[k]] : 0;
        }
        p.sum += paired ? pairs_row(t, d, j->dof, dt) : 0;
        d->motor_torque[b] = p.sum / j->ratio;
        const bool others =
            j->features & ~(unsigned)GR_JOINT_IS_PRESCRIBED; // only then has joint_force been computed in this step
        d->joint_force[b] = d->motor_torque[b] + (others ? d->joint_force[b] : 0);
    }
}

/// Checks every mode against the end of the step and records the torques. Returns whether any mode changed.
static bool finish_joints(const GrTree *t, GrTreeData *d, GrJointMode *mode, double dt, bool implicit)
{
    bool changed = false;
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i];
        const GrJoint *j = &t->joints[b];
        const double v0 = gr_joint_velocity(t, d, b);
        const double v = implicit ? v0 + dt * j->ratio * d->acceleration[j->dof] : v0;
        if (implicit) {
            const GrJointMode next = gr_joint_next_mode(t, d, b, mode[b], v, dt);
            changed = changed || memcmp(&next, &mode[b], sizeof next) != 0;
            const GrJointForce f = gr_joint_force(t, d, b, mode[b], dt);
            d->joint_force[b] = f.value + (f.derivative - f.inertia / dt) * (v - v0);
            d->motor_torque[b] = j->features & GR_JOINT_HAS_MOTOR ? gr_joint_motor_torque(t, d, b, mode[b], v, dt) : 0;
            mode[b] = next;
        } else {
            const double slowing = gr_joint_force(t, d, b, mode[b], 0).inertia * j->ratio * d->acceleration[j->dof];
            d->joint_force[b] -= slowing;
            d->motor_torque[b] =
                j->features & GR_JOINT_HAS_MOTOR ? gr_joint_motor_torque(t, d, b, mode[b], v, 0) - slowing : 0;
        }
    }
    return changed;
}

/// acceleration: right-hand side -> solution, without contacts between bodies of the tree.
static bool solve_paths(const GrTree *t, GrTreeData *d, bool general)
{
    const bool factored = general ? gr_path_factor_general(&t->paths, d->factor_lower, d->factor_upper)
                                  : gr_path_factor(&t->paths, d->factor_lower);
    if (factored) {
        gr_path_solve_general(&t->paths, d->factor_lower, general ? d->factor_upper : d->factor_lower, d->acceleration);
    }
    return factored;
}

GrStatus gr_tree_solve(const GrTree *t, GrTreeData *d, double dt, bool implicit, GrJointMode *mode)
{
    const size_t n = (size_t)t->dof_count, packed = sizeof(double) * (size_t)t->paths.size;
    const bool general = implicit && d->jacobian_count[0] > 0, paired = implicit && d->pair_count[0] > 0;
    const double dt_implicit = implicit ? dt : 0;
    memcpy(d->lower, d->mass, packed);
    memcpy(d->upper, d->mass, packed);
    if (general) {
        add_jacobians(t, d, dt);
    }
    for (int i = 0; i < t->active_count; i++) {
        mode[t->active[i]] = gr_joint_guess_mode(t, d, t->active[i], dt_implicit);
    }
    for (int change = 0; change <= MAX_MODE_CHANGES; change++) {
        memcpy(d->factor_lower, d->lower, packed);
        memcpy(d->factor_upper, d->upper, packed);
        for (size_t i = 0; i < n; i++) {
            d->rhs[i] = d->applied[i] - d->bias[i];
        }
        add_joint_forces(t, d, mode, dt_implicit, d->factor_lower, d->factor_upper, d->rhs);
        memcpy(d->acceleration, d->rhs, sizeof(double) * n);
        prescribe(t, d, dt);
        if (!(paired ? pairs_solve(t, d, dt) : solve_paths(t, d, general))) {
            return GR_ERROR_NUMERIC;
        }
        if (!finish_joints(t, d, mode, dt, implicit)) {
            break;
        }
    }
    prescribed_torques(t, d, paired, dt);
    return GR_OK;
}

void gr_tree_stiffness(const GrTree *t, GrTreeData *d, double *matrix)
{
    const GrPaths *paths = &t->paths;
    const int n = t->dof_count;
    memset(d->lower, 0, sizeof(double) * (size_t)paths->size);
    memset(d->upper, 0, sizeof(double) * (size_t)paths->size);
    memset(matrix, 0, sizeof(double) * (size_t)n * (size_t)n);
    if (d->jacobian_count[0] > 0) {
        add_jacobians(t, d, 1);
    }
    for (int i = 0; i < n; i++) {
        for (int e = 0; e <= paths->depth[i]; e++) {
            const int at = paths->start[i] + e, k = paths->path[at];
            matrix[k * n + i] = d->upper[at];
            matrix[i * n + k] = d->lower[at];
        }
    }
    for (int i = 0; i < t->active_count; i++) {
        const int b = t->active[i], dof = t->joints[b].dof;
        const double ratio = t->joints[b].ratio;
        matrix[dof * n + dof] += ratio * ratio * gr_joint_stiffness(t, b, gr_joint_guess_mode(t, d, b, 0));
    }
}
