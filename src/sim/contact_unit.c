/// Contact units: a model of one part whose pose and twist the host sets, and whose grounds (grounds.h) say the forces.
#include "grouser/contact.h"
#include "grouser/rover.h"
#include "grouser/terrain.h"
#include "grouser/version.h"

#include "alloc.h"
#include "data.h"
#include "dynamics.h"
#include "elementary.h"
#include "forces.h"
#include "out_of_memory.h"
#include "rates.h"
#include "text.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct GrContactGround GrContactGround;

// ---- The list of named grounds. A process may hold several copies of this code, since hosts load each functional
// mock-up unit from a folder of its own; all of them must find the same list. An environment variable has its address.
// The variable also has 16 bytes that the kernel draws for each program it starts, so that an address that was
// inherited from another program is not taken for one of this.

#ifdef __linux__
#include <sys/auxv.h>
#endif

struct GrContactGround {
    char name[GR_NAME_SIZE];
    GrRuts *ruts;
    pthread_mutex_t lock;
    int users;
    GrContactGround *next;
};

/// Memory of the process, never freed: other copies of this code may use it after this one is unloaded.
typedef struct Grounds {
    pthread_mutex_t lock;
    GrContactGround *first;
} Grounds;

/// Copies of other versions and builds have other structs, and a list of their own.
#ifdef GR_PORTABLE_BITS
#define LIST_NAME "GROUSER_GROUNDS_" GROUSER_VERSION "_PORTABLE"
#else
#define LIST_NAME "GROUSER_GROUNDS_" GROUSER_VERSION
#endif

enum { MARK_SIZE = 33, ENTRY_SIZE = 80 };

static void write_mark(char mark[MARK_SIZE])
{
    memset(mark, '0', MARK_SIZE - 1);
    mark[MARK_SIZE - 1] = '\0';
#ifdef __linux__
    const unsigned char *drawn =
        (const unsigned char *)(uintptr_t)getauxval(AT_RANDOM); // NOLINT(performance-no-int-to-ptr)
    for (int i = 0; drawn != NULL && i < 16; i++) {
        snprintf(mark + 2 * i, 3, "%02x", drawn[i]);
    }
#endif
}

/// NULL when out of memory.
static Grounds *find_grounds(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static Grounds *found;
    pthread_mutex_lock(&lock);
    if (found == NULL) {
        char mark[MARK_SIZE], entry[ENTRY_SIZE];
        const char *known = getenv(LIST_NAME);
        void *list = NULL;
        write_mark(mark);
        if (known != NULL && strncmp(known, mark, MARK_SIZE - 1) == 0) {
            sscanf(known + MARK_SIZE - 1, "-%p", &list);
        }
        if (list == NULL && (list = gr_calloc(1, sizeof(Grounds))) != NULL) {
            pthread_mutex_init(&((Grounds *)list)->lock, NULL);
            snprintf(entry, sizeof entry, "%s-%p", mark, list);
            setenv(LIST_NAME, entry, 1);
        }
        found = list;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static GrContactGround *make(const char *name, GrRuts *ruts)
{
    GrContactGround *ground = gr_calloc(1, sizeof *ground);
    if (ground != NULL) {
        gr_text_copy(ground->name, sizeof ground->name, name);
        ground->ruts = ruts;
        pthread_mutex_init(&ground->lock, NULL);
    }
    return ground;
}

/// Whether ruts are of the same kind; both may be none.
static GrStatus compare(const char *name, const GrRuts *a, const GrRuts *b, GrErrorLog *log)
{
    const GrRutsDef none = {0}, x = a != NULL ? *gr_ruts_def(a) : none, y = b != NULL ? *gr_ruts_def(b) : none;
    if (x.cell == y.cell && x.state_count == y.state_count) {
        return GR_OK;
    }
    return gr_error_add(
        log, GR_ERROR_VALUE, (GrLocation){.field = "ground"},
        "the ground '%s' has ruts with cells of %g m and %d states, this unit's have %g m and %d: units of "
        "one ground need the same rut_cell, and ruts of the same kind",
        name, x.cell, x.state_count, y.cell, y.state_count);
}

/// The ground of this name. The first unit gives it `ruts`, which it then owns; for others they must be of the same
/// kind, and remain the caller's. NULL after an error.
static GrContactGround *contact_ground_join(const char *name, GrRuts *ruts, GrErrorLog *log)
{
    Grounds *grounds = find_grounds();
    if (grounds == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    pthread_mutex_lock(&grounds->lock);
    GrContactGround *ground = grounds->first;
    while (ground != NULL && strcmp(ground->name, name) != 0) {
        ground = ground->next;
    }
    if (ground == NULL) {
        ground = make(name, ruts);
        if (ground != NULL) {
            ground->next = grounds->first;
            grounds->first = ground;
        } else {
            gr_out_of_memory(log, NULL);
        }
    } else if (compare(name, ground->ruts, ruts, log) != GR_OK) {
        ground = NULL;
    }
    if (ground != NULL) {
        ground->users++;
    }
    pthread_mutex_unlock(&grounds->lock);
    return ground;
}

/// The last unit that leaves frees it.
static void contact_ground_leave(GrContactGround *ground)
{
    Grounds *grounds = find_grounds();
    pthread_mutex_lock(&grounds->lock);
    const bool last = --ground->users == 0;
    if (last) {
        GrContactGround **at = &grounds->first;
        while (*at != ground) {
            at = &(*at)->next;
        }
        *at = ground->next;
    }
    pthread_mutex_unlock(&grounds->lock);
    if (last) {
        pthread_mutex_destroy(&ground->lock);
        gr_ruts_free(ground->ruts);
        gr_free(ground);
    }
}

static GrRuts *contact_ground_ruts(const GrContactGround *ground)
{
    return ground->ruts;
}

static void contact_ground_lock(GrContactGround *ground)
{
    if (ground != NULL) {
        pthread_mutex_lock(&ground->lock);
    }
}

/// NULL has no lock.
static void contact_ground_unlock(GrContactGround *ground)
{
    if (ground != NULL) {
        pthread_mutex_unlock(&ground->lock);
    }
}

// ---- the unit

struct GrContact {
    const GrModel *m;
    GrData *d;
    GrContactGround *ground; ///< shared; NULL: its own
    int body;                ///< of the part in the tree: 0, or 1 where a joint carries it
    int part;                ///< the same in the definition
    GrVec3 axis;             ///< of that joint, in the part's frame
    bool evaluated;          ///< since the last accepted step
    GrSoilFlow *flow;        ///< the memory of the soil, where the host integrates it; NULL: accepted steps do
};

// ---- creation

/// A difference of poses that is rounding [m] or, for quaternions, [-].
static const double ROUNDING = 1e-9;

static GrStatus refuse(GrErrorLog *log, const char *why)
{
    return gr_error_add(log, GR_ERROR_MODEL, (GrLocation){0}, "no model of a contact unit: %s", why);
}

/// Whether the wheel's joint is at the origin of the body that carries it and does not turn its frame, so that both
/// frames differ by the joint's angle alone.
static bool is_plain_joint(const GrContact *c)
{
    gr_tree_kinematics(&c->m->tree, &c->d->tree);
    const GrPose carrier = gr_data_body_pose(c->m, c->d, 0), part = gr_data_body_pose(c->m, c->d, 1);
    const GrQuat turn = gr_quat_mul(gr_quat_conjugate(carrier.rotation), part.rotation);
    return gr_norm(gr_sub(carrier.position, part.position)) < ROUNDING &&
           fabs(turn.x) + fabs(turn.y) + fabs(turn.z) < ROUNDING;
}

static GrStatus check(GrContact *c, GrErrorLog *log)
{
    const GrModel *m = c->m;
    if (m->tree.body_count > 2 || (m->tree.body_count == 2 && m->wheel_count != 1)) {
        return refuse(log, "it has more than one part; gr_contact_part() takes one out of a rover");
    }
    if (m->wheel_count > 1) {
        return refuse(log, "it has more than one wheel");
    }
    GrForces forces = {.m = m, .d = c->d, .moment = GR_GROUND_START};
    if (gr_force_field(&forces).event_count + GR_SOIL_EVENTS > GR_CONTACT_EVENTS) {
        return refuse(log, "too many bodies of it may touch rigid objects");
    }
    if (gr_model_loose_count(m) > 0) {
        return refuse(log, "its scene has loose rocks, which units cannot share");
    }
    if (m->tree.body_count == 2) {
        const GrBodyPlace *place = &m->places[1];
        c->body = c->part = 1;
        c->axis = gr_quat_rotate(gr_quat_conjugate(place->pose.rotation), gr_vec3(0, 0, 1)); // the joint's axis is z
        if (place->body != 1 || gr_norm(place->pose.position) > ROUNDING || !is_plain_joint(c)) {
            return refuse(log, "the wheel's joint is not at the origin of its carrier");
        }
    }
    return GR_OK;
}

/// Gives the unit's ruts to the ground of this name, or takes those of the ground. A grid that heals behind a wheel
/// and heaps under it remain the unit's own.
static GrStatus share(GrContact *c, const char *name, GrErrorLog *log)
{
    GrData *d = c->d;
    c->ground = contact_ground_join(name, d->ruts, log);
    if (c->ground == NULL) {
        return GR_ERROR_VALUE;
    }
    GrRuts *shared = contact_ground_ruts(c->ground);
    if (shared != d->ruts) {
        gr_ruts_free(d->ruts);
        d->grid = d->grid == d->ruts ? shared : d->grid;
        d->ruts = shared;
    }
    return GR_OK;
}

GrStatus gr_contact_create(const GrModel *m, const char *ground, GrContact **out, GrErrorLog *log)
{
    *out = NULL;
    GrContact *c = gr_calloc(1, sizeof *c);
    if (c == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    c->m = m;
    GrStatus status = gr_data_create(m, &c->d, log);
    status = status == GR_OK ? check(c, log) : status;
    if (status == GR_OK && ground != NULL && ground[0] != '\0') {
        status = share(c, ground, log);
    }
    if (status != GR_OK) {
        gr_contact_free(c);
        return status;
    }
    *out = c;
    return GR_OK;
}

void gr_contact_free(GrContact *c)
{
    if (c == NULL) {
        return;
    }
    if (c->ground != NULL) {
        c->d->grid = c->d->grid == c->d->ruts ? NULL : c->d->grid;
        c->d->ruts = NULL;
        contact_ground_leave(c->ground);
    }
    gr_data_free(c->d);
    gr_free(c->flow);
    gr_free(c);
}

// ---- motion

static bool is_finite_vec(GrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static bool is_motion(const GrPartMotion *motion)
{
    const GrQuat q = motion->pose.rotation;
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return is_finite_vec(motion->pose.position) && is_finite_vec(motion->linear) && is_finite_vec(motion->angular) &&
           isfinite(motion->angle) && square > 0 && isfinite(square);
}

/// Sets the state of the tree: the carrier of a wheel does not turn about the axle, and moves with it.
static void place(GrContact *c, const GrPartMotion *motion)
{
    GrPose base = motion->pose;
    if (c->body > 0) {
        base.rotation = gr_quat_mul(base.rotation, gr_quat_axis_angle(c->axis, -motion->angle));
        gr_data_set_joint(c->m, c->d, 0, motion->angle, 0);
    }
    gr_data_set_base_pose(c->d, base);
    gr_data_set_base_velocity(c->d, motion->linear, motion->angular);
}

// ---- forces

/// Grounds that give derivatives by the pose have the wrench of the step's beginning: by its end the part moves on with
/// its twist. Those that give none have done it.
static void move_on(GrContact *c, double dt)
{
    GrTreeData *tree = &c->d->tree;
    const int b = c->body;
    if (c->m->integrator->implicit && (tree->has_jacobian[b] & GR_JACOBIAN_POSE) != 0) {
        const GrWrench change = gr_mat6_mul(&tree->jacobian[b].pose, tree->frame[b].twist);
        tree->wrench[b].moment = gr_madd(tree->wrench[b].moment, dt, change.moment);
        tree->wrench[b].force = gr_madd(tree->wrench[b].force, dt, change.force);
    }
}

/// Wrench and Jacobian about the origin of the chassis are those about the origin of the part.
static void read_forces(const GrContact *c, double dt, GrPartForce *out)
{
    const GrTreeData *tree = &c->d->tree;
    const int b = c->body;
    out->force = tree->wrench[b].force;
    out->moment = tree->wrench[b].moment;
    const int has = tree->has_jacobian[b];
    for (int i = 0; i < 36 && (has & GR_JACOBIAN_TWIST) != 0; i++) {
        const double by_pose = (has & GR_JACOBIAN_POSE) != 0 ? tree->jacobian[b].pose.m[i / 6][i % 6] : 0;
        out->derivative[i] = tree->jacobian[b].twist.m[i / 6][i % 6] + dt * by_pose;
    }
}

static void read_contact(const GrContact *c, GrPartForce *out)
{
    GrForces forces = {.m = c->m, .d = c->d, .moment = GR_GROUND_START};
    const GrForceField field = gr_force_field(&forces);
    out->events = field.event_count;
    field.events(field.context, &c->m->tree, &c->d->tree, out->event);
    for (int i = 0; c->flow != NULL && i < GR_SOIL_EVENTS; i++) {
        out->event[out->events++] = c->flow->event[i];
    }
    out->body = gr_data_body_contact(c->m, c->d, c->part);
    if (c->m->wheel_count > 0) {
        out->wheel = gr_data_wheel(c->m, c->d, 0);
        out->depth = c->m->soil_wheels != NULL && c->d->contact[0].on_map ? c->d->contact[0].depth : 0;
    }
}

static bool by_instants(const GrContact *c)
{
    return c->m->integrator->instant || c->flow != NULL;
}

/// Gives the states of a host that integrates to the ground, and takes them back: a step of the ground changes none.
static void give_states(GrContact *c)
{
    if (c->flow != NULL) {
        memcpy(c->d->soil_state, c->flow->state, sizeof(double) * (size_t)c->m->soil_state);
        memset(c->flow->rate, 0, sizeof c->flow->rate); // of a wheel off the map
        memset(&c->flow->found, 0, sizeof c->flow->found);
        for (int i = 0; i < GR_SOIL_EVENTS; i++) {
            c->flow->event[i] = 1;
        }
    }
}

GrStatus gr_contact_evaluate(GrContact *c, const GrPartMotion *motion, double dt, GrPartForce *out)
{
    *out = (GrPartForce){0};
    if (!is_motion(motion) || !(dt >= 0 && isfinite(dt))) {
        return GR_ERROR_VALUE;
    }
    contact_ground_lock(c->ground);
    place(c, motion);
    const GrStatus status = gr_grounds_reserve(c->m, c->d);
    if (status == GR_OK) {
        dt = c->flow != NULL ? 0 : dt;
        give_states(c);
        gr_tree_kinematics(&c->m->tree, &c->d->tree);
        gr_grounds_evaluate(c->m, c->d, by_instants(c) ? GR_GROUND_INSTANT : GR_GROUND_START, dt);
        move_on(c, dt);
        read_forces(c, dt, out);
        read_contact(c, out);
        c->evaluated = dt > 0;
    }
    contact_ground_unlock(c->ground);
    return status == GR_OK ? c->d->rigid_status : status;
}

bool gr_contact_correct(GrContact *c, const GrPartMotion *end, double dt, GrPartForce *out)
{
    if (by_instants(c) || !c->evaluated || !is_motion(end) || !(dt > 0)) {
        return false;
    }
    GrTreeData *tree = &c->d->tree;
    const double twist[6] = {end->linear.x,  end->linear.y,  end->linear.z,
                             end->angular.x, end->angular.y, end->angular.z};
    memset(tree->acceleration, 0, sizeof(double) * (size_t)c->m->tree.dof_count);
    for (int i = 0; i < 6; i++) { // the grounds ask the tree for the twist at the end
        tree->acceleration[i] = (twist[i] - tree->velocity[i]) / dt;
    }
    contact_ground_lock(c->ground);
    const bool changed = gr_grounds_revise(c->m, c->d, dt);
    if (changed) {
        *out = (GrPartForce){0};
        read_forces(c, dt, out);
        read_contact(c, out);
    }
    contact_ground_unlock(c->ground);
    return changed;
}

/// Makes the state at the end of the step the present one. Frames of the tree remain those of the evaluation, as in a
/// rover's step.
static GrStatus commit(GrContact *c, const GrPartMotion *end, double dt)
{
    place(c, end);
    GrStatus status = gr_grounds_reserve(c->m, c->d); // other units of the ground have used tiles since the evaluation
    if (status == GR_OK && (by_instants(c) || !c->evaluated)) {
        give_states(c);
        gr_tree_kinematics(&c->m->tree, &c->d->tree);
        gr_grounds_evaluate(c->m, c->d, by_instants(c) ? GR_GROUND_END : GR_GROUND_START, dt);
    }
    status = status == GR_OK ? gr_grounds_commit(c->m, c->d, dt) : status;
    give_states(c);
    c->d->tree.time[0] += dt;
    c->evaluated = false;
    return status;
}

GrStatus gr_contact_accept(GrContact *c, const GrPartMotion *end, double dt)
{
    if (!is_motion(end) || !(dt > 0 && isfinite(dt))) {
        return GR_ERROR_VALUE;
    }
    contact_ground_lock(c->ground);
    const GrStatus status = commit(c, end, dt);
    contact_ground_unlock(c->ground);
    return status;
}

GrStatus gr_contact_rest(GrContact *c, const GrPartMotion *at)
{
    GrPartMotion still = *at;
    still.linear = still.angular = gr_vec3(0, 0, 0);
    if (!is_motion(&still)) {
        return GR_ERROR_VALUE;
    }
    contact_ground_lock(c->ground);
    place(c, &still);
    gr_grounds_begin_rest(c->m, c->d);
    gr_grounds_evaluate(c->m, c->d, GR_GROUND_REST, 0);
    gr_grounds_end_rest(c->m, c->d);
    c->evaluated = false;
    if (c->flow != NULL) {
        memcpy(c->flow->state, c->d->soil_state, sizeof(double) * (size_t)c->m->soil_state);
    }
    const GrStatus status = c->d->ruts_status != GR_OK ? c->d->ruts_status : c->d->rigid_status;
    contact_ground_unlock(c->ground);
    return status;
}

// ---- state

double gr_contact_time(const GrContact *c)
{
    return gr_data_time(c->d);
}

const GrRuts *gr_contact_ruts(const GrContact *c)
{
    return c->d->ruts;
}

bool gr_contact_ground_at(const GrContact *c, double x, double y, double *z, GrVec3 *normal)
{
    contact_ground_lock(c->ground);
    const GrGroundView view = {&c->m->options.surface, c->d->ruts};
    const bool found = gr_ground_at(&view, x, y, z, normal);
    contact_ground_unlock(c->ground);
    return found;
}

uint64_t gr_contact_hash(const GrContact *c)
{
    contact_ground_lock(c->ground);
    const uint64_t hash = gr_data_hash(c->m, c->d);
    contact_ground_unlock(c->ground);
    return hash;
}

/// The states of a host that integrates stand behind those of the ground.
static size_t flow_size(const GrContact *c)
{
    return c->flow != NULL ? sizeof *c->flow : 0;
}

size_t gr_contact_size(const GrContact *c)
{
    contact_ground_lock(c->ground);
    const size_t size = gr_data_size(c->m, c->d) + flow_size(c);
    contact_ground_unlock(c->ground);
    return size;
}

GrStatus gr_contact_save(const GrContact *c, void *out)
{
    contact_ground_lock(c->ground);
    const size_t size = gr_data_size(c->m, c->d);
    const GrStatus status = gr_data_save(c->m, c->d, out);
    if (c->flow != NULL) {
        memcpy((unsigned char *)out + size, c->flow, sizeof *c->flow);
    }
    contact_ground_unlock(c->ground);
    return status;
}

GrStatus gr_contact_restore(GrContact *c, const void *saved, size_t size, GrErrorLog *log)
{
    if (size < flow_size(c)) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    const size_t own = size - flow_size(c);
    contact_ground_lock(c->ground);
    const GrStatus status = gr_data_restore(c->m, c->d, saved, own, log);
    c->evaluated = false;
    if (status == GR_OK && c->flow != NULL) {
        memcpy(c->flow, (const unsigned char *)saved + own, sizeof *c->flow);
    }
    contact_ground_unlock(c->ground);
    return status;
}

// ---- memory that the host integrates

/// The soil of a unit whose memory is a differential equation; NULL: another ground.
static const GrSoilWheel *soil_of(const GrContact *c)
{
    const GrModel *m = c->m;
    const bool plain =
        m->wheel_count == 1 && m->soil_wheels != NULL && m->scm_bodies == NULL && m->soil_count == 1 && !m->sees_ruts;
    return plain && gr_soil_rate_count(m->soil_wheels) > 0 ? m->soil_wheels : NULL;
}

int gr_contact_state_count(const GrContact *c)
{
    return soil_of(c) != NULL ? gr_soil_rate_count(soil_of(c)) : 0;
}

void gr_contact_state_name(const GrContact *c, int state, char *name, size_t size)
{
    gr_soil_rate_name(soil_of(c), state, name, size);
}

double gr_contact_state_nominal(const GrContact *c, int state)
{
    return gr_soil_rate_nominal(soil_of(c), state);
}

bool gr_contact_integrate(GrContact *c)
{
    if (soil_of(c) == NULL || c->flow != NULL || (c->flow = gr_calloc(1, sizeof *c->flow)) == NULL) {
        return c->flow != NULL;
    }
    memcpy(c->flow->state, c->d->soil_state, sizeof(double) * (size_t)c->m->soil_state);
    c->d->flow = c->flow;
    return true;
}

static const double *memory_of(const GrContact *c)
{
    return c->flow != NULL ? c->flow->state : c->d->soil_state;
}

void gr_contact_states(const GrContact *c, double *out)
{
    for (int k = 0; k < gr_contact_state_count(c); k++) {
        out[k] = memory_of(c)[gr_soil_rate_place(soil_of(c), k)];
    }
}

void gr_contact_set_states(GrContact *c, const double *states)
{
    for (int k = 0; c->flow != NULL && k < gr_contact_state_count(c); k++) {
        c->flow->state[gr_soil_rate_place(soil_of(c), k)] = states[k];
    }
}

void gr_contact_rates(const GrContact *c, double *out)
{
    for (int k = 0; k < gr_contact_state_count(c); k++) {
        out[k] = c->flow != NULL ? c->flow->rate[gr_soil_rate_place(soil_of(c), k)] : 0;
    }
}

bool gr_contact_switch(GrContact *c)
{
    return c->flow != NULL && gr_soil_switch(soil_of(c), c->flow);
}

bool gr_contact_needs_steps(const GrContact *c)
{
    return soil_of(c) == NULL || c->d->ruts != NULL || c->d->rigid != NULL;
}
