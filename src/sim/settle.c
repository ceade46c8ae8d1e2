/// Finds the equilibrium of a rover on its ground, in two searches.
///
/// In the first, the rover is put down: x, y and heading are held at the requested values, and the wheels slide freely,
/// so that the suspension reaches its position. In the second, the wheels hold by friction and the rover is released.
/// If the wheels held from the first contact on, a rocker-bogie would lock itself: its wheels move along the ground as
/// the suspension sinks, and the shear mobilised by this loads one wheel six times as much as another. A rover that
/// starts like that jumps when it begins to steer.
///
/// The ground under a wheel depends on its sinkage. It is found again for the sinkages at rest, a few times; the change
/// decreases each time.
#include "alloc.h"
#include "dynamics.h"
#include "equilibrium.h"
#include "forces.h"
#include "out_of_memory.h"
#include "wheel_contact.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 3 };
/// Largest residuals at which the ground is found again. Finding it again leaves a thousandth of its error: a smaller
/// residual would be lost in the change.
static const double COARSE[REFINEMENTS] = {1e-3, 1e-5, 1e-8};
// searches with springs that replace the soil, each ten times as stiff as the one before
enum { BEDDINGS = 3 };
static const double FIRST_DEPTH = 1e-3;               // [m] depth to which the mean load sinks on the first springs
enum { HELD_COORDINATES = 1 << 0 | 1 << 1 | 1 << 5 }; // x, y and heading of the base
static const GrRestSearch BEDDED = {.held = HELD_COORDINATES, .tolerance = 1e-3};
// The wheels take hold where the first search ends: its last steps remove the trace of the path that led there.
static const GrRestSearch PUT_DOWN = {.held = HELD_COORDINATES, .tolerance = 1e-6, .polishes = 3};
// Not polished: a rover whose forces balance to the last digit starts in the direction of their rounding errors.
static const GrRestSearch LET_GO = {.held = 0, .tolerance = 1e-9};

/// Data shared by the searches for one rover.
typedef struct Settling {
    const GrModel *m;
    GrData *d;
    GrForces *forces;
    GrForceField field;
    double *scratch;            ///< of the search
    double *position, *sinkage; ///< saved state at rest
    double *start, *down;       ///< positions at the start, and where the rover is put down
    GrEquilibrium *info;
} Settling;

static size_t position_count(const GrModel *m)
{
    return (size_t)m->tree.position_count;
}

static GrStatus search(const Settling *s, const GrRestSearch *how)
{
    GrRest rest;
    const GrStatus status = gr_tree_equilibrium(&s->m->tree, &s->d->tree, &s->field, how, s->scratch, &rest);
    s->info->iterations += rest.iterations;
    s->info->evaluations += rest.evaluations;
    s->info->residual = rest.residual;
    return status;
}

static void keep_rest(const Settling *s)
{
    memcpy(s->position, s->d->tree.position, sizeof(double) * position_count(s->m));
    for (int k = 0; k < s->m->wheel_count; k++) {
        s->sinkage[k] = s->d->contact[k].rest_sinkage;
    }
}

static void return_to_rest(const Settling *s)
{
    memcpy(s->d->tree.position, s->position, sizeof(double) * position_count(s->m));
    for (int k = 0; k < s->m->wheel_count; k++) {
        s->d->contact[k].rest_sinkage = s->sinkage[k];
    }
}

/// The search before the ground is found for the i-th time, or the last one.
static GrRestSearch search_before(const GrRestSearch *how, int i)
{
    GrRestSearch next = *how;
    next.known = i > 0;
    if (i < REFINEMENTS && how->tolerance < COARSE[i]) {
        next.tolerance = COARSE[i];
        next.polishes = 0;
    }
    return next;
}

/// Finds the rest, then the ground for the sinkages at rest, then the rest on that ground. A search that fails may have
/// moved the rover anywhere: the previous rest is then used.
static GrStatus find_rest(const Settling *s, const GrRestSearch *how)
{
    if (!gr_wheels_ground_varies(s->m, s->d)) {
        return search(s, how);
    }
    const GrRestSearch first = search_before(how, 0);
    GrStatus status = search(s, &first);
    for (int i = 0; i < REFINEMENTS && status == GR_OK; i++) {
        keep_rest(s);
        gr_wheels_refine_rest(s->m, s->d);
        const GrRestSearch again = search_before(how, i + 1);
        if (search(s, &again) != GR_OK) {
            return_to_rest(s);
            return search(s, how);
        }
    }
    return status;
}

/// Moves the rover to a position, with no sinkage known there yet.
static void stand_at(const Settling *s, const double *position)
{
    memcpy(s->d->tree.position, position, sizeof(double) * position_count(s->m));
    for (int k = 0; k < s->m->wheel_count; k++) {
        s->d->contact[k].rest_sinkage = 0;
    }
}

static double load_of_wheel(const GrModel *m)
{
    double mass = 0;
    for (int b = 0; b < m->tree.body_count; b++) {
        mass += m->tree.bodies[b].mass;
    }
    return mass * gr_norm(m->tree.gravity) / m->wheel_count;
}

/// Whether the soil carries less than the rover where springs carry it: the search for rest sees the soil from there.
static bool is_soft(const Settling *s)
{
    static const GrRestSearch LOOK = {.held = HELD_COORDINATES, .tolerance = INFINITY};
    search(s, &LOOK);
    return s->info->residual <= 1;
}

/// Stands the rover on springs in place of the soil, in the search for a place to begin with. The first springs also
/// pull, as far as a wheel's radius: all wheels find the ground at once, whatever its shape, instead of one after the
/// other.
static GrStatus stand_on_springs(const Settling *s)
{
    double stiffness = load_of_wheel(s->m) / FIRST_DEPTH;
    s->d->bedding = (GrRestSprings){stiffness, true};
    GrStatus status = search(s, &BEDDED);
    if (status != GR_OK) {
        stand_at(s, s->start);
    }
    for (int i = 0; i < BEDDINGS; i++) {
        s->d->bedding = (GrRestSprings){stiffness, false};
        status = search(s, &BEDDED);
        s->d->bedding = (GrRestSprings){0};
        if (status != GR_OK || is_soft(s)) {
            break;
        }
        stiffness *= 10;
    }
    return status;
}

/// Stiff clay carries a wheel within micrometres. From a millimetre above, the search cannot see the soil under the
/// other wheels before it is in it. Springs of increasing stiffness in place of the soil lead there.
static GrStatus put_down(const Settling *s)
{
    memcpy(s->start, s->d->tree.position, sizeof(double) * position_count(s->m));
    if (s->m->soil_wheels != NULL && s->m->wheel_count > 0 && stand_on_springs(s) != GR_OK) {
        stand_at(s, s->start);
    }
    return find_rest(s, &PUT_DOWN);
}

/// Second search: releases the rover where it stands.
static GrStatus let_go(const Settling *s)
{
    gr_tree_kinematics(&s->m->tree, &s->d->tree);
    gr_grounds_anchor(s->m, s->d);
    s->forces->sliding = false;
    return find_rest(s, &LET_GO);
}

/// If no rest is found from where the rover was put down, it may be found from the start, as for a rover on the steps
/// of a grid. Otherwise the rover stays where it was put down.
static GrStatus settle(const Settling *s)
{
    const bool down = put_down(s) == GR_OK;
    memcpy(s->down, down ? s->d->tree.position : s->start, sizeof(double) * position_count(s->m));
    if (!down) {
        stand_at(s, s->start);
    }
    GrStatus status = let_go(s);
    if (status != GR_OK && down) {
        stand_at(s, s->start);
        status = let_go(s);
    }
    if (status != GR_OK) {
        stand_at(s, s->down);
    }
    return status;
}

GrStatus gr_settle(const GrModel *m, GrData *d, GrEquilibrium *info, GrErrorLog *log)
{
    const size_t searching = gr_tree_equilibrium_scratch(&m->tree), kept = position_count(m);
    double *scratch = gr_malloc(sizeof(double) * (searching + 3 * kept + (size_t)m->wheel_count));
    if (scratch == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    GrForces forces = {.m = m, .d = d, .moment = GR_GROUND_REST, .sliding = true};
    GrEquilibrium found = {0};
    double *const rest = scratch + searching;
    const Settling settling = {.m = m,
                               .d = d,
                               .forces = &forces,
                               .field = gr_force_field(&forces),
                               .scratch = scratch,
                               .position = rest,
                               .start = rest + kept,
                               .down = rest + 2 * kept,
                               .sinkage = rest + 3 * kept,
                               .info = &found};
    gr_grounds_begin_rest(m, d);
    const GrStatus status = settle(&settling);
    gr_free(scratch);
    gr_grounds_end_rest(m, d);
    if (info != NULL) {
        *info = found;
    }
    if (status != GR_OK) {
        gr_error_add(log, status, (GrLocation){0},
                     "no equilibrium found in %d iterations: the largest unbalanced force is %g of the weight",
                     found.iterations, found.residual);
    }
    return status;
}
