/// Loose bodies in a step: linearly implicit, with every island of touching bodies solved as one system.
///
/// The force of contact c at the end of the step is linear in the twists there: W = G − H (V_b − V_a), with
/// H = −(∂W/∂twist + dt ∂W/∂pose) and G = W0 + H_twist-part of the relative twist now. So
///
///     (M/dt + Σ H) u' = M u/dt + gravity − gyroscopic moment + Σ G + Σ H u'(driven)
///
/// for the bodies of an island. The island is eliminated from the equations of a driven body: the body's twist enters
/// on the right-hand side, and the resulting force is linear in it again.
#include "dense.h"
#include "world.h"

#include <string.h>

/// (1 0; −[r] 1)ᵀ a (1 0; −[c] 1): wrench about a point relative to which the contact is at r, twist of a point
/// relative to which it is at c.
static GrMat6 rigid_shift(const GrMat6 *a, GrVec3 r, GrVec3 c)
{
    const double rows[3][3] = {{0, -r.z, r.y}, {r.z, 0, -r.x}, {-r.y, r.x, 0}};
    const double cols[3][3] = {{0, -c.z, c.y}, {c.z, 0, -c.x}, {-c.y, c.x, 0}};
    GrMat6 right = *a;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                right.m[i][j] -= a->m[i][3 + k] * cols[k][j];
            }
        }
    }
    GrMat6 both = right;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            for (int k = 0; k < 3; k++) {
                both.m[i][j] += rows[i][k] * right.m[3 + k][j];
            }
        }
    }
    return both;
}

static bool is_loose(const GrRigidWorld *w, const GrRigidState *s, int body)
{
    return body >= 0 && w->bodies[body].motion == GR_RIGID_LOOSE && gr_rigid_is_awake(w, s, body);
}

static bool is_driven(const GrRigidWorld *w, int body)
{
    return body >= 0 && w->bodies[body].motion == GR_RIGID_DRIVEN;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Chains the bodies of each island, so that the cost of an island depends on its own size and not on that of the
/// world.
static void list_bodies(GrRigidState *s)
{
    const int awake = s->counts[GR_AWAKE_LOOSE];
    for (int i = 0; i < awake; i++) {
        s->slot_next[s->awake_loose[i]] = -1;
        s->island_place[s->awake_loose[i]] = s->awake_loose[i]; // last of the chain so far
    }
    for (int i = 0; i < awake; i++) {
        const int slot = s->awake_loose[i], root = s->island_of[slot];
        if (slot != root) {
            s->slot_next[s->island_place[root]] = slot;
            s->island_place[root] = slot;
        }
    }
}

static void list_contacts(const GrRigidWorld *w, GrRigidState *s)
{
    for (int i = 0; i < s->counts[GR_AWAKE_LOOSE]; i++) {
        s->island_first[s->awake_loose[i]] = -1;
    }
    for (int i = s->live_count[0] - 1; i >= 0; i--) { // backwards, so that the chains ascend
        const GrLiveContact *c = &s->live[i];
        const int body = is_loose(w, s, c->body_a) ? c->body_a : c->body_b;
        s->contact_next[i] = -1;
        if (is_loose(w, s, body)) {
            const int root = s->island_of[w->bodies[body].slot];
            s->contact_next[i] = s->island_first[root];
            s->island_first[root] = i;
        }
    }
}

void gr_rigid_find_islands(const GrRigidWorld *w, GrRigidState *s)
{
    const int awake = s->counts[GR_AWAKE_LOOSE];
    for (int i = 0; i < awake; i++) {
        s->island_of[s->awake_loose[i]] = s->awake_loose[i];
    }
    for (int i = 0; i < s->live_count[0]; i++) {
        const GrLiveContact *c = &s->live[i];
        if (is_loose(w, s, c->body_a) && is_loose(w, s, c->body_b)) {
            const int a = root_of(s->island_of, w->bodies[c->body_a].slot);
            const int b = root_of(s->island_of, w->bodies[c->body_b].slot);
            s->island_of[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (int i = 0; i < awake; i++) {
        s->island_of[s->awake_loose[i]] = root_of(s->island_of, s->awake_loose[i]);
    }
    list_bodies(s);
    list_contacts(w, s);
}

/// Bodies of the island with the given root, into island_list and island_place; −1 when there are too many.
static int gather(const GrRigidWorld *w, GrRigidState *s, int root)
{
    int count = 0;
    for (int slot = root; slot >= 0; slot = s->slot_next[slot]) { // the root is its lowest slot
        if (count == w->island_capacity) {
            return -1;
        }
        s->island_place[slot] = count;
        s->island_list[count++] = slot;
    }
    return count;
}

/// The linear force of a contact over the step.
typedef struct LinearForce {
    GrMat6 h;
    GrWrench g; ///< on b, at the contact point
} LinearForce;

static LinearForce linear_force(const GrLiveContact *c, double dt)
{
    LinearForce f = {.h = c->force.dtwist};
    gr_mat6_madd(&f.h, dt, &c->force.dpose);
    for (int i = 0; i < 36; i++) {
        (&f.h.m[0][0])[i] = -(&f.h.m[0][0])[i];
    }
    const GrWrench now = gr_mat6_mul(&c->force.dtwist, (GrTwist){c->motion.spin, c->motion.velocity});
    f.g = gr_wrench_sub((GrWrench){c->force.moment, c->force.force}, now);
    return f;
}

/// A system of `bodies` bodies with `columns` right-hand sides, row-major.
typedef struct System {
    double *a, *b;
    int bodies, columns;
} System;

static void add_block(System *sys, int i, int j, double s, const GrMat6 *m)
{
    const size_t n = 6 * (size_t)sys->bodies;
    for (size_t r = 0; r < 6; r++) {
        for (size_t c = 0; c < 6; c++) {
            sys->a[(6 * (size_t)i + r) * n + 6 * (size_t)j + c] += s * m->m[r][c];
        }
    }
}

static void add_right(System *sys, int i, int column, double s, GrWrench w)
{
    const double v[6] = {w.moment.x, w.moment.y, w.moment.z, w.force.x, w.force.y, w.force.z};
    for (int r = 0; r < 6; r++) {
        sys->b[(6 * i + r) * sys->columns + column] += s * v[r];
    }
}

static void add_body(const GrRigidWorld *w, const GrRigidState *s, System *sys, int place, double dt)
{
    const int slot = s->island_list[place];
    const GrRigidBody *body = &w->bodies[w->loose_body[slot]];
    const GrLooseBody *b = &s->loose[slot];
    const GrMat3 r = gr_quat_to_mat3(b->rotation);
    const GrSym3 i = gr_sym3_rotate(&r, body->inertia);
    const double m = body->mass;
    const GrMat6 mass = {{{i.xx, i.xy, i.xz, 0, 0, 0},
                          {i.xy, i.yy, i.yz, 0, 0, 0},
                          {i.xz, i.yz, i.zz, 0, 0, 0},
                          {0, 0, 0, m, 0, 0},
                          {0, 0, 0, 0, m, 0},
                          {0, 0, 0, 0, 0, m}}};
    add_block(sys, place, place, 1 / dt, &mass);
    add_right(sys, place, 0, 1 / dt, gr_mat6_mul(&mass, b->twist));
    // ω × I ω at the end of the step, linearised: ω' × I ω' ≈ ω × I ω + G (ω' − ω), G x = ω × I x + x × I ω, G ω = 2 ω
    // × I ω. Evaluated at the beginning of the step it would spin up a small rock that is flung away.
    const GrVec3 spin = gr_sym3_mul_vec(i, b->twist.ang), gyro = gr_cross(b->twist.ang, spin);
    GrMat6 turning = {{{0}}};
    for (int c = 0; c < 3; c++) {
        const GrVec3 e = {c == 0, c == 1, c == 2};
        const GrVec3 g = gr_add(gr_cross(b->twist.ang, gr_sym3_mul_vec(i, e)), gr_cross(e, spin));
        turning.m[0][c] = g.x;
        turning.m[1][c] = g.y;
        turning.m[2][c] = g.z;
    }
    add_block(sys, place, place, 1, &turning);
    add_right(sys, place, 0, 1, (GrWrench){gyro, gr_scale(m, w->gravity)});
}

/// Adds H V of a driven body at the contact to the right-hand sides of loose body i: its known twist, or one column for
/// each of its velocities if it is the unknown one.
static void add_driven(const GrRigidWorld *w, const GrRigidState *s, System *sys, const LinearForce *f, int i,
                       GrVec3 arm, int driven, GrVec3 point, int unknown)
{
    const GrMat6 h = rigid_shift(&f->h, arm, gr_sub(point, gr_rigid_reference(w, s, driven)));
    const int slot = w->bodies[driven].slot;
    if (slot != unknown) {
        add_right(sys, i, 0, 1, gr_mat6_mul(&h, s->driven_twist[slot]));
        return;
    }
    for (int r = 0; r < 6; r++) {
        for (int c = 0; c < 6; c++) {
            sys->b[(6 * i + r) * sys->columns + 1 + c] += h.m[r][c];
        }
    }
}

/// Adds a contact to the equations of the loose body on one side of it.
static void add_side(const GrRigidWorld *w, const GrRigidState *s, System *sys, const GrLiveContact *c,
                     const LinearForce *f, bool is_b, int unknown)
{
    const int body = is_b ? c->body_b : c->body_a, other = is_b ? c->body_a : c->body_b;
    const int i = s->island_place[w->bodies[body].slot];
    const GrVec3 p = c->kept.position, arm = gr_sub(p, gr_rigid_reference(w, s, body));
    const GrMat6 own = rigid_shift(&f->h, arm, arm);
    add_block(sys, i, i, 1, &own);
    add_right(sys, i, 0, is_b ? 1 : -1, gr_wrench_at(arm, f->g.force, f->g.moment));
    if (is_loose(w, s, other)) {
        const GrMat6 h = rigid_shift(&f->h, arm, gr_sub(p, gr_rigid_reference(w, s, other)));
        add_block(sys, i, s->island_place[w->bodies[other].slot], -1, &h);
    } else if (is_driven(w, other)) {
        add_driven(w, s, sys, f, i, arm, other, p, unknown);
    }
}

static bool in_island(const GrRigidWorld *w, const GrRigidState *s, int body, int root)
{
    return is_loose(w, s, body) && s->island_of[w->bodies[body].slot] == root;
}

/// u' of the island: column 0, plus columns 1..6 times the twist of the driven body in slot `unknown` (−1: none).
static GrStatus solve_island(const GrRigidWorld *w, GrRigidState *s, int root, int unknown, double dt, System *sys)
{
    const int bodies = gather(w, s, root);
    if (bodies < 0) {
        return GR_ERROR_MEMORY;
    }
    *sys = (System){s->matrix, s->columns, bodies, unknown < 0 ? 1 : 7};
    memset(sys->a, 0, sizeof(double) * 36 * (size_t)bodies * (size_t)bodies);
    memset(sys->b, 0, sizeof(double) * 6 * (size_t)bodies * (size_t)sys->columns);
    for (int i = 0; i < bodies; i++) {
        add_body(w, s, sys, i, dt);
    }
    for (int i = s->island_first[root]; i >= 0; i = s->contact_next[i]) {
        const GrLiveContact *c = &s->live[i];
        const bool a = in_island(w, s, c->body_a, root), b = in_island(w, s, c->body_b, root);
        if (a || b) {
            const LinearForce f = linear_force(c, dt);
            if (a) {
                add_side(w, s, sys, c, &f, false, unknown);
            }
            if (b) {
                add_side(w, s, sys, c, &f, true, unknown);
            }
        }
    }
    return gr_dense_solve_columns(6 * sys->bodies, sys->a, sys->b, sys->columns) ? GR_OK : GR_ERROR_NUMERIC;
}

static GrTwist column_twist(const System *sys, int i, int column)
{
    double v[6];
    for (int r = 0; r < 6; r++) {
        v[r] = sys->b[(6 * i + r) * sys->columns + column];
    }
    return (GrTwist){{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
}

/// Adds the contacts of a driven body with one island to its load: W = W* − S u', returned as the value at the present
/// twist and the derivative −S.
static void add_condensed(const GrRigidWorld *w, const GrRigidState *s, const System *sys, int root, int driven,
                          double dt, GrRigidLoad *load)
{
    const int slot = w->bodies[driven].slot;
    const GrVec3 origin = gr_rigid_reference(w, s, driven);
    for (int k = s->island_first[root]; k >= 0; k = s->contact_next[k]) {
        const GrLiveContact *c = &s->live[k];
        const bool is_b = c->body_b == driven;
        const int loose = is_b ? c->body_a : c->body_b;
        if ((!is_b && c->body_a != driven) || !in_island(w, s, loose, root)) {
            continue;
        }
        const LinearForce f = linear_force(c, dt);
        const GrVec3 p = c->kept.position, arm = gr_sub(p, origin);
        const GrMat6 own = rigid_shift(&f.h, arm, arm);
        const GrMat6 from = rigid_shift(&f.h, arm, gr_sub(p, gr_rigid_reference(w, s, loose)));
        const int place = s->island_place[w->bodies[loose].slot];
        const double side = is_b ? 1 : -1;
        GrWrench now = gr_wrench_at(arm, gr_scale(side, f.g.force), gr_scale(side, f.g.moment));
        now = gr_wrench_add(now, gr_mat6_mul(&from, column_twist(sys, place, 0)));
        GrMat6 jacobian = {0}; // −own + from X
        gr_mat6_madd(&jacobian, -1, &own);
        for (int j = 0; j < 6; j++) {
            const GrWrench by = gr_mat6_mul(&from, column_twist(sys, place, 1 + j));
            const double v[6] = {by.moment.x, by.moment.y, by.moment.z, by.force.x, by.force.y, by.force.z};
            for (int i = 0; i < 6; i++) {
                jacobian.m[i][j] += v[i];
            }
        }
        now = gr_wrench_add(now, gr_mat6_mul(&jacobian, s->driven_twist[slot]));
        load->wrench = gr_wrench_add(load->wrench, now);
        gr_mat6_madd(&load->dtwist, 1, &jacobian);
        load->touches = true;
    }
}

/// Whether a contact is between a driven body and an island, and which they are.
static bool drives_island(const GrRigidWorld *w, const GrRigidState *s, const GrLiveContact *c, int *driven, int *root)
{
    const bool a = is_driven(w, c->body_a) && is_loose(w, s, c->body_b);
    const bool b = is_driven(w, c->body_b) && is_loose(w, s, c->body_a);
    if (!a && !b) {
        return false;
    }
    *driven = a ? c->body_a : c->body_b;
    *root = s->island_of[w->bodies[a ? c->body_b : c->body_a].slot];
    return true;
}

/// Whether contact k is the first between its driven body and its island, and which they are.
static bool first_of_pair(const GrRigidWorld *w, const GrRigidState *s, int k, int *driven, int *root)
{
    if (!drives_island(w, s, &s->live[k], driven, root)) {
        return false;
    }
    for (int i = 0; i < k; i++) {
        int earlier, its_root;
        if (drives_island(w, s, &s->live[i], &earlier, &its_root) && earlier == *driven && its_root == *root) {
            return false;
        }
    }
    return true;
}

GrStatus gr_rigid_condense(const GrRigidWorld *w, GrRigidState *s, double dt, GrRigidLoad *loads)
{
    for (int k = 0; k < s->live_count[0]; k++) {
        int driven = -1, root = -1;
        if (first_of_pair(w, s, k, &driven, &root)) {
            System sys;
            const GrStatus status = solve_island(w, s, root, w->bodies[driven].slot, dt, &sys);
            if (status != GR_OK) {
                return status;
            }
            add_condensed(w, s, &sys, root, driven, dt, &loads[w->bodies[driven].slot]);
        }
    }
    return GR_OK;
}

GrStatus gr_rigid_solve_loose(const GrRigidWorld *w, GrRigidState *s, double dt)
{
    for (int k = 0; k < s->counts[GR_AWAKE_LOOSE]; k++) {
        const int root = s->awake_loose[k];
        if (s->island_of[root] == root) {
            System sys;
            const GrStatus status = solve_island(w, s, root, -1, dt, &sys);
            if (status != GR_OK) {
                return status;
            }
            for (int i = 0; i < sys.bodies; i++) {
                s->loose[s->island_list[i]].twist = column_twist(&sys, i, 0);
            }
        }
    }
    return GR_OK;
}
